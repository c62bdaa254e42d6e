"""Handing in: the receipt says what these very bytes earn, every version is kept, nothing is written over."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from project_files import ROOT
from scratch_lesson import scratch_course, with_configuration, write

from autograder import cli, handed_in, lessons, messages, notebook, parts, release, sample_class
from autograder.collect import collect
from autograder.course import Course
from autograder.errors import AutograderError
from autograder.receipts import submit

pytestmark = pytest.mark.sandbox
LESSON = "90_scratch"
BOOK = f"{LESSON}.ipynb"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A released lesson, and what three students make of it."""
    folder = tmp_path_factory.mktemp("released")
    course = with_configuration(scratch_course(folder / "course"))
    lesson = release.release(course, LESSON, write(folder)).lesson
    data = (course.path("release", ".", LESSON) / BOOK).read_bytes()
    shutil.copy(lessons.COURSE / "roster.csv", course.root)
    names = {"full_marks", "untouched", "no_notebook"}
    students = sample_class.hand_in(course, lesson, data, names)
    books = {s.name: (course.path("submitted", who, LESSON) / BOOK).read_bytes() for who, s in students.items()}
    shutil.rmtree(course.root / "submitted")
    return course.root, books


@pytest.fixture
def mine(made, tmp_path, monkeypatch):
    """The notebook on the learner's disk."""
    monkeypatch.setattr(lessons, "RELEASE", made[0] / "release")
    monkeypatch.setenv("AUTOGRADER_INBOX", "")
    path = tmp_path / "my_lessons" / LESSON / BOOK
    path.parent.mkdir(parents=True)
    path.write_bytes(made[1]["full_marks"])
    return path


ANSWER = """
from autograder import implements
@implements("minigrad.warmup.squared_loss_grad")
def squared_loss_grad(w, X, Y):
    return 2.0
"""


def versions(mine: Path) -> list[Path]:
    return sorted((mine.parent.parent / handed_in.FOLDER / LESSON).iterdir())


def test_a_receipt_tells_what_these_bytes_earn(mine):
    data = mine.read_bytes()
    receipt = submit(mine, "ada")
    assert (receipt.student, receipt.version, receipt.score, receipt.points) == ("ada", 1, 3, 3)
    assert receipt.sha256 == hashlib.sha256(data).hexdigest() and receipt.bytes == len(data)
    (folder,) = versions(mine)
    assert (folder / BOOK).read_bytes() == data
    assert json.loads((folder / "receipt.json").read_text())["sha256"] == receipt.sha256
    words = "\n".join(receipt.lines())
    assert receipt.sha256 in words and "3/3" in words and "exp_log_backward" in words and "练习数据" in words
    assert receipt.time.endswith("UTC") and mine.read_bytes() == data


def test_every_version_is_kept_and_the_same_bytes_have_one_receipt(mine, made):
    first = submit(mine, "ada")
    assert submit(mine, "ada") == first and len(versions(mine)) == 1
    mine.write_bytes(made[1]["untouched"])
    second = submit(mine, "ada")
    assert (second.version, second.score) == (2, 0)
    mine.write_bytes(made[1]["full_marks"])
    assert submit(mine, "ada").version == 3
    assert [(each / BOOK).read_bytes() for each in versions(mine)] == [
        made[1][name] for name in ("full_marks", "untouched", "full_marks")
    ]


def test_a_file_that_is_no_notebook_gets_a_receipt_that_says_so(mine, made):
    mine.write_bytes(made[1]["no_notebook"])
    receipt = submit(mine, "ada")
    assert receipt.problem and "cannot be read" in "\n".join(receipt.lines()) and len(versions(mine)) == 1


@pytest.mark.parametrize("name", [f"{LESSON} (1).ipynb", f"{LESSON}-Copy1.ipynb", f"ada_{BOOK}"])
def test_a_copy_is_to_be_renamed_first(mine, name):
    """A browser and JupyterLab number copies: that is no lesson nobody knows."""
    with pytest.raises(AutograderError) as error:
        submit(mine.rename(mine.with_name(name)), "ada")
    assert f"Rename the file to {BOOK}" in str(error.value) and f"改名为 {BOOK}" in str(error.value)
    assert name in str(error.value) and "no lesson called" not in str(error.value)


def test_what_is_sent_is_what_is_collected(mine, made, tmp_path):
    shutil.copytree(made[0], tmp_path / "course", ignore=shutil.ignore_patterns("nbgrader_config.py"))
    course = Course(tmp_path / "course")
    (course.root / "roster.csv").write_text("id,first_name,last_name\nada,Ada,Lovelace\n")
    course.inbound.mkdir(parents=True)
    submit(mine, "ada", course.inbound)
    mine.write_bytes(made[1]["untouched"])
    last = submit(mine, "ada", course.inbound)
    submit(mine, "ada", course.inbound)
    assert len(list(course.inbound.iterdir())) == 2
    found = collect(course, LESSON)
    (notice,) = found.notices
    assert found.fresh == ["ada"] and notice.what.en.startswith("Handed in 2 times (ada+")
    taken = course.path("submitted", "ada", LESSON) / BOOK
    assert hashlib.sha256(taken.read_bytes()).hexdigest() == last.sha256
    course.ledger.close()


def test_what_went_nowhere_is_never_called_handed_in(mine, tmp_path):
    """Saved here is not received: the receipt says which it is, now and when it is shown again."""
    alone = "\n".join(submit(mine, "ada").lines())
    assert "老师还没有收到" in alone and "has NOT received it" in alone and "handed in to" not in alone.split("→")[0]
    assert str(versions(mine)[0] / BOOK) in alone and "--to FOLDER" in alone
    home = handed_in.home_of(mine)
    assert handed_in.latest(home).lines() == alone.split("\n")
    with pytest.raises(AutograderError, match="has NOT received it"):
        submit(mine, "ada", tmp_path / "no such inbox")
    assert not (tmp_path / "no such inbox").exists() and handed_in.latest(home).lines() == alone.split("\n")
    (tmp_path / "inbox").mkdir()
    sent = submit(mine, "ada", tmp_path / "inbox")
    assert f"version 1 handed in to {tmp_path / 'inbox'}" in "\n".join(sent.lines())
    assert handed_in.latest(home) == sent and submit(mine, "ada") == sent
    (there,) = (tmp_path / "inbox").iterdir()
    assert json.loads((there / "receipt.json").read_text())["sent"] == sent.sent


def test_a_disk_that_is_full_is_said_and_what_was_handed_in_stays(mine, made, monkeypatch):
    submit(mine, "ada")
    before = {p: p.read_bytes() for p in versions(mine)[0].iterdir()}
    mine.write_bytes(made[1]["untouched"])

    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("autograder.files.os.replace", full)
    with pytest.raises(AutograderError) as error:
        submit(mine, "ada")
    assert "没有交成" in str(error.value) and "No space left" in str(error.value) and "→" in str(error.value)
    assert {p: p.read_bytes() for p in versions(mine)[0].iterdir()} == before and len(versions(mine)) == 1


@pytest.mark.parametrize("student", ["../ada", "a+b", ".ada", "a/b", " ", "a\nb"])
def test_ids_that_would_lead_elsewhere(mine, student):
    with pytest.raises(AutograderError, match="not allowed") as refused:
        submit(mine, student)
    assert "must not be empty, too long, start with a dot" in str(refused.value)


def test_the_command_and_its_errors(mine, capsys):
    assert cli.main(["submit", str(mine), "--id", "ada"]) == 1  # nobody has received it, and a script can tell
    assert "3/3" in capsys.readouterr().out
    (inbox := mine.parent.parent / "inbox").mkdir()
    assert cli.main(["submit", str(mine), "--id", "ada", "--to", str(inbox)]) == 0
    assert "练习数据上 · on practice inputs: 3/3" in capsys.readouterr().out
    mine.rename(mine.with_name("homework.ipynb"))
    assert cli.main(["submit", str(mine)]) == 1
    assert "cannot be read" in capsys.readouterr().err
    assert cli.main(["submit", str(mine.with_name("homework.ipynb"))]) == 1
    assert "homework" in capsys.readouterr().err


def test_a_receipt_speaks_the_language_that_the_learner_has_chosen(mine, capsys, monkeypatch):
    monkeypatch.delenv("MINIGRAD_MY_PARTS", raising=False)
    chosen = mine.parent.parent / "my_parts" / "language"
    chosen.parent.mkdir()
    try:
        for choice, says, not_a_word in (("en", "has NOT received it", "老师"), ("zh", "老师还没有收到", "practice")):
            chosen.write_text(choice)
            cli.main(["submit", str(mine), "--id", "ada"])
            said = capsys.readouterr().out
            assert says in said and not_a_word not in said
    finally:
        messages.language("both")


def test_the_cell_of_a_lesson_says_how_and_hands_in(tmp_path, monkeypatch, capsys):
    """In a process of its own, with the project's real first lesson."""
    name = lessons.names()[0]
    path = tmp_path / name / f"{name}.ipynb"
    path.parent.mkdir()
    shutil.copy(lessons.RELEASE / name / path.name, path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AutograderError, match="not found"):
        notebook.submit("ada")
    monkeypatch.chdir(path.parent)
    monkeypatch.setenv("AUTOGRADER_INBOX", "")
    notebook.submit()
    assert 'submit("your id")' in capsys.readouterr().out
    notebook.submit("ada")
    assert capsys.readouterr().out.startswith("! 00_warmup 第 1 版只存在这台电脑上：老师还没有收到")
    answer = tmp_path / "answer.py"  # as a cell whose lines can be looked up
    answer.write_text(ANSWER)
    exec(compile(ANSWER, str(answer), "exec"), {"__name__": "__main__"})
    notebook.submit("ada")  # what runs here was not saved
    said = capsys.readouterr().out
    assert (
        said.startswith("! 这份文件里") and "squared_loss_grad. Save, and hand in again" in said and "SHA-256" in said
    )
    parts.unplug()
    monkeypatch.setenv("AUTOGRADER_INBOX", str(tmp_path / "inbox"))
    (tmp_path / "inbox").mkdir()
    notebook.submit("ada")
    assert "version 1 handed in" in capsys.readouterr().out
    (tmp_path / "elsewhere").mkdir()
    notebook.submit("ada", to="../elsewhere")
    assert f"version 1 handed in to {tmp_path / 'elsewhere'}" in capsys.readouterr().out.replace("\n", " ")
    (sent,) = (tmp_path / "inbox").iterdir()
    assert sent.name.startswith(f"ada+{name}+") and (sent / path.name).read_bytes() == path.read_bytes()
    notebook.submit()
    assert "SHA-256" in capsys.readouterr().out
    monkeypatch.setenv("NBGRADER_VALIDATING", "1")
    path.write_bytes(path.read_bytes() + b"\n")
    notebook.submit("ada")
    assert len(list((tmp_path / handed_in.FOLDER / name).iterdir())) == 1


def test_to_say_how_takes_no_library_that_is_slow_to_load():
    """Run All ends with this cell: a notebook's format, and what checks it, take seconds where nothing is cached yet."""
    program = (
        "import sys, autograder; autograder.submit(); assert not {'nbformat', 'jupytext', 'torch'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT, capture_output=True)
