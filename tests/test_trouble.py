"""A grading run that is stopped, or meets a full disk, a locked or damaged gradebook, a clock set back."""

from __future__ import annotations

import functools
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from scratch_lesson import scratch_class

from autograder import cli, terminal
from autograder.course import Course
from autograder.errors import AutograderError
from autograder.grade import grade
from autograder.lessons import PROJECT
from autograder.records import Entry

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]
LESSON = "90_scratch"
NAMES = {"full_marks", "partial", "untouched", "no_notebook"}
CLASS = 40


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A released lesson and four submissions; nothing graded."""
    return scratch_class(tmp_path_factory.mktemp("class"), NAMES).root


@pytest.fixture
def course(template, tmp_path):
    shutil.copytree(template, tmp_path / "course")
    yield (made := Course(tmp_path / "course"))
    made.ledger.close()


@pytest.fixture(scope="module")
def wanted(template, tmp_path_factory):
    """What an undisturbed run gives."""
    folder = tmp_path_factory.mktemp("wanted") / "course"
    shutil.copytree(template, folder)
    return outcome(Course(folder))


def outcome(course: Course) -> dict[str, object]:
    found = {r.student: (r.status, r.score, r.entry.records) for r in grade(LESSON, course=course)}
    assert course.ledger.counts(LESSON) == {"settled": len(found)}
    course.ledger.close()
    return found


def said(error) -> str:
    words = str(error.value)
    assert "→" in words and "Traceback" not in words and any("\u4e00" <= letter <= "\u9fff" for letter in words)
    return words


# ── stopped by a person ──────────────────────────────────────────────────────────────────────────


def ended(group: int) -> bool:
    """Whether all processes of a group end within half a minute, nobody telling them again."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_stops_cleanly_and_the_same_command_goes_on(course, workers):
    full = course.path("submitted", "sample-li-na", LESSON)
    for number in range(CLASS):
        shutil.copytree(full, course.path("submitted", f"student{number:02}", LESSON))
    command = [sys.executable, "-m", "autograder", "--course", str(course.root), "grade", LESSON]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    ignoring = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job hears no Ctrl-C
    run = subprocess.Popen([*command, "--workers", str(workers)], cwd=PROJECT, start_new_session=True, **pipes)
    signal.signal(signal.SIGINT, ignoring)
    end = time.monotonic() + 120
    while course.ledger.counts(LESSON).get("settled", 0) < 3 and run.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does: to all of the foreground
    out, err = run.communicate(timeout=60)
    assert run.returncode == 130, err
    assert "已停下" in err and "stopped" in err and "Traceback" not in err + out
    assert ended(run.pid), "something of it is left"
    counts = course.ledger.counts(LESSON)
    assert 3 <= counts["settled"] < CLASS, "too late to be a test"
    results = grade(LESSON, course=course, workers=1)
    assert sum(not r.fresh for r in results) == counts["settled"]
    assert {r.score for r in results if r.student.startswith("student")} == {3}
    assert course.ledger.counts(LESSON) == {"settled": len(results)}
    assert all(len(course.ledger.history(LESSON, r.student)) == 1 for r in results)


def test_what_ctrl_c_interrupted_is_not_counted_as_a_try(course, monkeypatch):
    begun = []

    def stop(job):
        begun.append(job)
        raise KeyboardInterrupt

    monkeypatch.setattr("autograder.grade.do", stop)
    for _ in range(5):
        with pytest.raises(KeyboardInterrupt):
            grade(LESSON, course=course, workers=1)
    monkeypatch.undo()
    assert len(begun) == 5
    assert all(r.status != "failed" for r in grade(LESSON, course=course, workers=1))


def test_ctrl_c_while_the_gradebook_is_closed_is_raised_and_not_logged(course, wanted, monkeypatch, caplog):
    from sqlalchemy.engine.default import DefaultDialect

    def stop(self, connection):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), monkeypatch.context() as pressed:
        pressed.setattr(DefaultDialect, "do_close", stop)
        grade(LESSON, course=course, workers=1)
    assert caplog.text == ""
    assert outcome(course) == wanted


# ── the gradebook ────────────────────────────────────────────────────────────────────────────────


def test_a_gradebook_that_another_program_has_locked(course, wanted, monkeypatch):
    grade(LESSON, ["sample-li-na"], course=course)
    other = sqlite3.connect(course.root / "gradebook.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(AutograderError) as error, monkeypatch.context() as impatient:
        impatient.setattr(sqlite3.dbapi2, "connect", functools.partial(sqlite3.connect, timeout=0.2))
        grade(LESSON, course=course)
    other.execute("ROLLBACK")
    other.close()
    assert "locked" in said(error) and "gradebook" in said(error)
    assert course.ledger.counts(LESSON)["settled"] == 1
    assert outcome(course) == wanted


@pytest.mark.parametrize("held", ["EXCLUSIVE", "IMMEDIATE"])
def test_who_waits_for_a_locked_gradebook_is_told_so(course, monkeypatch, capsys, held):
    """By one that reads as well as writes, or by one that writes; names that are new have to be written."""
    (course.root / "roster.csv").write_text("id,first_name\nnobody-yet,Nobody\n")
    monkeypatch.setattr(terminal, "PATIENCE", 0.2)
    other = sqlite3.connect(course.root / "gradebook.db", isolation_level=None)
    other.execute(f"BEGIN {held}")
    assert cli.main(["--course", str(course.root), "grade", LESSON]) == 1
    other.execute("ROLLBACK")
    other.close()
    told = capsys.readouterr().err
    assert f"hold locked: {course.db_shown}\n✗" in told and f"{course.db_shown}: database is locked" in told
    assert "Traceback" not in told


def test_a_damaged_gradebook_is_left_as_it_is(course, wanted):
    grade(LESSON, ["sample-li-na"], course=course)
    path = course.root / "gradebook.db"
    good = path.read_bytes()
    path.write_bytes(b"no database at all " * 1000)
    bad = path.read_bytes()
    with pytest.raises(AutograderError) as error:
        grade(LESSON, course=course)
    assert "gradebook" in said(error) and path.read_bytes() == bad
    opened = [os.readlink(each) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
    assert str(path) not in opened
    path.write_bytes(good)
    assert outcome(course) == wanted


# ── the disk, the clock ──────────────────────────────────────────────────────────────────────────

FULL = """
import os, shutil, sys
from pathlib import Path
sys.path[:0] = [{tests!r}]
from autograder import cli
template, disk = map(Path, sys.argv[1:])
said = 0
for left in (40, 110, 180):
    root = disk / f"course{{left}}"
    shutil.copytree(template, root)
    space = os.statvfs(disk)
    with open(disk / "filler", "wb") as filler:
        filler.write(bytes(max(0, space.f_bavail * space.f_bsize - left * 1024)))
    code = cli.main(["--course", str(root), "grade", "90_scratch", "--workers", "1"])
    (disk / "filler").unlink()
    said += code == 1
    again = cli.main(["--course", str(root), "grade", "90_scratch", "--workers", "1"])
    assert again == 0, (left, again)
    shutil.move(root, template.parent / root.name)
print("stopped", said, "times")
assert said >= 2
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="只有 root 能挂载一个小磁盘 · only root can mount a small disk")
def test_a_disk_that_fills_up_during_a_run(template, wanted, tmp_path):
    shutil.copytree(template, tmp_path / "template")
    (tmp_path / "disk").mkdir()
    program = FULL.format(tests=str(Path(__file__).parent))
    mount = 'mount -t tmpfs -o size=4m none "$1" && exec "$2" -c "$3" "$4" "$1"'
    words = [tmp_path / "disk", sys.executable, program, tmp_path / "template"]
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", mount, "sh", *words], capture_output=True, text=True, cwd=PROJECT
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    assert "Traceback" not in done.stdout + done.stderr and "→" in done.stdout + done.stderr
    for root in sorted(tmp_path.glob("course*")):
        assert outcome(Course(root)) == wanted, root.name


TO_THE_BRIM = """
import os, shutil, sys
from pathlib import Path
from autograder import cli
from autograder.course import Course
graded, disk = map(Path, sys.argv[1:])
root = shutil.copytree(graded, disk / "course")
Course(root).ledger.counts("90_scratch")  # opened while there is room
with open(disk / "filler", "wb", buffering=0) as filler:
    try:
        while filler.write(bytes(4096)): pass
    except OSError: pass
for command in ("report", "export", "feedback"):
    print(command, cli.main(["--course", str(root), command, "90_scratch"]), file=sys.stderr)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="只有 root 能挂载一个小磁盘 · only root can mount a small disk")
def test_what_cannot_be_written_on_a_full_disk_is_named(course, tmp_path):
    grade(LESSON, course=course)
    course.ledger.close()
    (disk := tmp_path / "disk").mkdir()
    mount = 'mount -t tmpfs -o size=9m none "$1" && exec "$2" -c "$3" "$4" "$1"'
    words = [disk, sys.executable, TO_THE_BRIM, course.root]
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", mount, "sh", *words], capture_output=True, text=True, cwd=PROJECT
    )
    assert re.findall("^(?:report|export|feedback) 1$", done.stderr, re.MULTILINE) == [
        "report 1",
        "export 1",
        "feedback 1",
    ]
    named = [line for line in done.stderr.splitlines() if "No space left on device" in line]
    for line, name in zip(named, ("report/index.html", "report/scores.csv", "feedback/sample-"), strict=True):
        assert f"{disk}/course/{name}" in line
    assert "Traceback" not in done.stdout + done.stderr


def test_the_clock_going_back_between_two_runs(course, monkeypatch):
    grade(LESSON, ["sample-li-na"], course=course)
    before = course.ledger.latest(LESSON, "sample-li-na")
    book = course.path("submitted", "sample-li-na", LESSON) / f"{LESSON}.ipynb"
    shutil.copy(course.path("release", ".", LESSON) / f"{LESSON}.ipynb", book)
    monkeypatch.setattr("autograder.nbgrader_plugin.Entry", functools.partial(Entry, time=before.time - 1e6))
    (result,) = grade(LESSON, ["sample-li-na"], course=course)
    assert result.fresh and result.score == 0 and result.entry.time < before.time
    assert course.ledger.latest(LESSON, "sample-li-na") == result.entry
    assert course.ledger.history(LESSON, "sample-li-na")[0] == before


def test_the_commands_error_has_no_traceback(course, capsys):
    (course.root / "ledger.db").write_bytes(b"no database at all " * 1000)
    assert cli.main(["--course", str(course.root), "grade", LESSON]) == 1
    told = capsys.readouterr().err
    assert "坏了" in told and "damaged" in told and "→" in told and "Traceback" not in told
