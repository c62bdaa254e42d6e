"""docs/instructor.md and docs/student.md: what they tell people to type is typed, in a copy of the project. (That the
Chinese pages have the same boxes is test_docs.py's business.)"""

from __future__ import annotations

import csv
import json
import re
import shlex
import zipfile
from pathlib import Path

import nbformat
import pytest
from documents import blocks, commands, copy_of_project, give, type_in
from project_files import ROOT

from autograder import cli, lessons, sample_class
from tools.lab import copy_new

TEACHERS, STUDENTS = ROOT / "docs" / "instructor.md", ROOT / "docs" / "student.md"
LESSON = "00_warmup"
CLASS = {"sample-li-na": "full_marks", "sample-emma-clarke": "mistake_1", "sample-wang-wei": "no_notebook"}


def material() -> sample_class.Material:
    lesson = lessons.load(LESSON)
    released = nbformat.read(lessons.RELEASE / LESSON / f"{LESSON}.ipynb", as_version=4)
    return sample_class.Material(lesson, released, sample_class.answers_of(lesson))


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return copy_of_project(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def taught(project):
    """The instructor's page, typed: the project, and what the commands printed."""
    made = {each.name: each.make for each in sample_class.submissions()}
    with zipfile.ZipFile(project / "inbox.zip", "w") as archive:
        for student, name in CLASS.items():
            archive.writestr(f"{student}/{LESSON}.ipynb", made[name](material()))
    return project, give(project, commands(TEACHERS, "sh"))


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(900)
class TestInstructor:
    def test_the_class_is_graded(self, taught):
        project, said = taught
        rows = csv.DictReader((project / "scores.csv").read_text(encoding="utf-8-sig").splitlines())
        scores = {row["student"]: row[LESSON] for row in rows}
        assert float(scores["sample-li-na"]) == 6 and 0 <= float(scores["sample-emma-clarke"]) < 6
        assert scores["sample-wang-wei"] == ""
        assert (project / "canvas.csv").is_file() and (project / "moodle.csv").is_file()

    def test_every_command_said_what_the_page_says(self, taught):
        _, said = taught
        unwrapped = re.sub(r"[\s│]+", " ", said)
        for words in ("没有分数会变", "class report", "feedback pages", "squared_loss_grad: The direction is right"):
            assert words in unwrapped, said

    def test_the_files_it_names_are_there(self, taught):
        project, _ = taught
        named = set(re.findall(r"`(course/[\w./-]+)`", TEACHERS.read_text(encoding="utf-8")))
        assert [each for each in sorted(named) if not (project / each).exists()] == []
        assert (project / "course/feedback/sample-li-na" / LESSON / f"{LESSON}.html").is_file()


@pytest.mark.slow
@pytest.mark.timeout(900)
class TestStudent:
    def test_the_cells_of_the_page(self, project):
        copy_new(project / "release", project / "my_lessons")
        cells = "\n".join(block.text for block in blocks(STUDENTS) if block.kind == "python")
        folder = project / "my_lessons" / LESSON
        (folder / "cells.py").write_text(cells, encoding="utf-8")
        said = type_in(
            project, f"cd {shlex.quote(str(folder))} && {shlex.quote(str(ROOT / '.venv/bin/python'))} cells.py"
        )
        wrong, right = said.split("warmup_any_data")[0], said
        assert "应为 -40，得到 -20" in wrong and "differentiating the square brings down a 2" in wrong
        assert "warmup_by_hand · 1/1" in right and "warmup_any_data · 2/2" in right
        assert (project / "my_lessons/my_parts/minigrad.warmup.squared_loss_grad.py").is_file()
        noted = json.loads((project / "my_lessons/my_parts/first_checks.json").read_text())
        assert list(noted) == [LESSON] and "`my_lessons/my_parts/first_checks.json`" in STUDENTS.read_text(
            encoding="utf-8"
        )

    def test_handing_in_gives_a_receipt(self, project):
        copy_new(project / "release", project / "my_lessons")
        (block,) = (block for block in blocks(STUDENTS) if block.kind == "sh")
        said = type_in(project, f"! {block.text}")  # saved, and received by nobody: a script can tell
        assert "SHA-256" in said and "version 1" in said and "/6" in said
        (receipt,) = (project / "my_lessons/my_submissions" / LESSON).glob("*/receipt.json")
        assert json.loads(receipt.read_text())["student"] == "sample-li-na" and "老师还没有收到" in said


@pytest.mark.parametrize("page", [TEACHERS, STUDENTS], ids=lambda path: path.name)
def test_what_needs_a_window_or_another_machine_is_written_right(page):
    """Our own commands parse, make has the target, other programs are there (with their subcommand, dask's)."""
    targets = re.findall(r"(?m)^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"))
    for command in [*commands(page, "console"), *commands(page, "sh"), *in_tables(page)]:
        program, *arguments = shlex.split(command)
        if program == "make":
            assert arguments[0] in targets, command
        elif program == ".venv/bin/autograder":
            cli._parser().parse_args(arguments)
        elif program != "sudo":
            assert (ROOT / program).is_file(), command


def in_tables(page: Path) -> list[str]:
    return re.findall(r"`((?:make|\.venv/bin/autograder) [^`]+)`", page.read_text(encoding="utf-8"))


def test_pages_name_every_command():
    pages = TEACHERS.read_text(encoding="utf-8") + STUDENTS.read_text(encoding="utf-8")
    named = {run.__name__.lstrip("_") for run in cli._commands()}
    assert [each for each in sorted(named - {"lab", "demo"}) if f"autograder {each}" not in pages] == []
