"""The ledger: what is graded once stays graded, whatever happens to the process, the disk, the file or the clock."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from scratch_lesson import scratch_class

from autograder import ledger as module
from autograder.course import Course
from autograder.errors import AutograderError
from autograder.grade import grade
from autograder.ledger import MOST_TRIES, Ledger, key_of
from autograder.messages import Text
from autograder.records import Entry

LESSON = "90_scratch"
RECORD = {"status": "graded", "score": 1, "points": 2, "sandboxed": True}


def entry(student="ada", submission="a1", **more) -> Entry:
    return Entry(LESSON, student, submission, "g1", {"check": RECORD}, seed=f"seed of {student}", **more)


@pytest.fixture
def ledger(tmp_path):
    made = Ledger(tmp_path / "ledger.db")
    yield made
    made.close()


def test_what_is_put_is_found_by_its_key_and_counts_for_its_student(ledger):
    assert ledger.find(key_of(entry())) is None and ledger.latest(LESSON, "ada") is None
    ledger.put([entry(), entry("emil")])
    assert ledger.find(key_of(entry())).records == {"check": RECORD}
    assert [each.student for each in ledger.of_lesson(LESSON)] == ["ada", "emil"]
    assert ledger.counts(LESSON) == {"graded": 2}
    ledger.settle([key_of(entry())])
    assert ledger.counts(LESSON) == {"graded": 1, "settled": 1}


def test_an_older_version_handed_in_again_counts_again_and_makes_no_second_row(ledger):
    one, two = entry(submission="a1"), entry(submission="a2")
    for each in (one, two, one):
        ledger.put([each])
    assert ledger.latest(LESSON, "ada") == one
    assert ledger.history(LESSON, "ada") == [two, one]


def test_another_grader_version_leaves_the_old_record(ledger):
    ledger.put([entry()])
    ledger.put([replace(entry(), grader="g2", records={"check": RECORD | {"score": 2}})])
    assert [e.records["check"]["score"] for e in ledger.history(LESSON, "ada")] == [1, 2]


def test_the_clock_going_backwards_changes_nothing_of_the_order(ledger):
    ledger.put([entry(submission="a1", time=2e9)])
    ledger.put([entry(submission="a2", time=1e9)])
    assert ledger.latest(LESSON, "ada").submission == "a2"


def test_tries_are_counted_given_up_and_given_another_chance(ledger):
    key = key_of(entry())
    for _ in range(MOST_TRIES):
        ledger.begin([(key, "ada")])
    assert ledger.tries(key) == MOST_TRIES
    ledger.give_up(key, Text("总是中断", "it ends again and again"))
    (dead,) = ledger.dead(LESSON)
    assert (dead.student, dead.key, dead.tries) == ("ada", key, MOST_TRIES)
    assert dead.reason == {"zh": "总是中断", "en": "it ends again and again"}
    assert ledger.retry(LESSON) == 1 and ledger.tries(key) == 0 and ledger.dead(LESSON) == []
    ledger.put([entry()])
    assert ledger.state(key) == "graded"


def test_a_batch_is_written_whole_or_not_at_all(ledger):
    ledger.put([entry()])
    with pytest.raises(AutograderError):
        ledger.put([entry("emil"), replace(entry("zoe"), student=None)])
    assert [each.student for each in ledger.of_lesson(LESSON)] == ["ada"]


def test_nobody_else_can_read_it(ledger):
    ledger.put([entry()])
    assert ledger.path.stat().st_mode & 0o077 == 0


# ── what may go wrong with the file ──────────────────────────────────────────────────────────────


def said(error) -> str:
    words = str(error.value)
    assert "→" in words and "Traceback" not in words
    return words


def test_a_locked_ledger(ledger, monkeypatch):
    ledger.put([entry()])
    ledger.close()
    monkeypatch.setattr(module, "WAIT", 0.05)
    with sqlite3.connect(ledger.path, isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(AutograderError) as error:
            ledger.put([entry("emil")])
        other.execute("ROLLBACK")
    other.close()
    assert "锁住" in said(error) and "locked" in said(error)
    assert [each.student for each in ledger.of_lesson(LESSON)] == ["ada"]


@pytest.mark.parametrize("damage", [b"this is no database, but a text that is long enough", None])
def test_a_damaged_ledger_is_left_as_it_is(ledger, damage):
    ledger.put([entry(str(n)) for n in range(200)])
    ledger.close()
    data = bytearray(ledger.path.read_bytes())
    if damage:
        data[: len(damage)] = damage
    else:
        data[8192:40960] = bytes(40960 - 8192)
    ledger.path.write_bytes(data)
    with pytest.raises(AutograderError) as error:
        ledger.verify()
    assert "坏了" in said(error) and "damaged" in said(error) and f"mv {ledger.path}" in said(error)
    assert ledger.path.read_bytes() == data


FULL = """
import sys
from pathlib import Path
sys.path[:0] = [{tests!r}]
from test_ledger import entry
from autograder.errors import AutograderError
from autograder.ledger import Ledger
ledger = Ledger(Path(sys.argv[1]) / "ledger.db")
stored = 0
try:
    while stored < 5000:
        ledger.put([entry(f"student {{stored}}", problem={{"zh": "x" * 4000, "en": ""}})])
        stored += 1
except AutograderError as error:
    print(error)
for path in Path(sys.argv[1]).glob("filler"):
    path.unlink()
ledger.close()
assert len(ledger.of_lesson("90_scratch")) == stored > 10, stored
ledger.verify()
ledger.put([entry("one more")])
print("all", stored, "are there")
"""


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="只有 root 能挂载一个小磁盘 · only root can mount a small disk")
def test_a_full_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    program = FULL.format(tests=str(Path(__file__).parent))
    mount = 'mount -t tmpfs -o size=2m none "$1" && dd if=/dev/zero of="$1/filler" bs=1k count=900 2>/dev/null'
    command = ["unshare", "--mount", "sh", "-c", f'{mount} && exec "$2" -c "$3" "$1"', "sh"]
    done = subprocess.run([*command, disk, sys.executable, program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "磁盘满了" in done.stdout and "The disk is full" in done.stdout and "are there" in done.stdout


# ── a real class, killed and resumed ─────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A released lesson and six submissions, one of them no notebook and one without a file; nothing graded."""
    names = {"full_marks", "partial", "untouched", "deleted_check", "no_notebook"}
    course = scratch_class(tmp_path_factory.mktemp("class"), names)
    (course.path("submitted", "sample-nobody", LESSON)).mkdir(parents=True)
    return course.root


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(600)
def test_killed_at_fifty_moments_and_resumed_it_gives_what_an_undisturbed_run_gives(template, tmp_path):
    script = Path(__file__).with_name("killed_runs.py")
    command = [sys.executable, str(script), str(template), str(tmp_path), "50"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=script.parent.parent)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    found = told["found"]
    wanted = found.pop("undisturbed")
    assert told["kills"] >= 50 and len(found) >= 10
    assert len(wanted["rows"]) == 6 and wanted["counts"] == {"settled": 6}
    for name, outcome in found.items():
        for what, value in wanted.items():
            assert (name, what, outcome[what]) == (name, what, value)


@pytest.mark.sandbox
def test_what_ends_the_grader_again_and_again_is_given_up_with_a_reason(template, tmp_path):
    shutil.copytree(template, tmp_path / "course")
    course = Course(tmp_path / "course")
    (fine,) = grade(LESSON, ["sample-li-na"], course=course)
    key = key_of(fine.entry)
    course.ledger.close()
    (course.root / "ledger.db").unlink()
    for _ in range(MOST_TRIES):
        course.ledger.begin([(key, "sample-li-na")])
    (result,) = grade(LESSON, ["sample-li-na"], course=course)
    assert result.status == "failed" and "--retry" in result.problem["en"] and "--retry" in result.problem["zh"]
    assert [dead.student for dead in course.ledger.dead(LESSON)] == ["sample-li-na"]
    course.ledger.retry(LESSON)
    (again,) = grade(LESSON, ["sample-li-na"], course=course)
    assert again.status == "graded" and again.score == fine.score
    course.ledger.close()
