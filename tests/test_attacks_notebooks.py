"""A class of tricks: every submitted file of tests/attacks/notebooks.py, graded in one run beside an honest student.

Each must earn what its two right functions earn, or be set aside as unreadable; nobody else may notice.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from attacks.folders import FOLDERS
from attacks.notebooks import TRICKS, skip_execution
from nbformat.v4 import new_code_cell, new_notebook
from rich.console import Console
from scratch_lesson import EXP_LOG, TANH, scratch_course, with_configuration, write

from autograder import release, report
from autograder.feedback import feedback
from autograder.grade import grade
from autograder.lessons import COURSE, kind

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]

LESSON = "90_scratch"
NO_TIME = "-20262026999999999999999999993199999999999999999999m"  # dateutil's arithmetic gives up
ANSWERS = {"exp_log": EXP_LOG, "tanh": TANH}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """(course, name of the trick -> result)"""
    folder = tmp_path_factory.mktemp("tricks")
    course = with_configuration(scratch_course(folder / "course"))
    shutil.copy(COURSE / "roster.csv", course.root)
    lesson = release.release(course, LESSON, write(folder)).lesson
    data = (course.path("release", ".", LESSON) / f"{LESSON}.ipynb").read_bytes()

    def hand_in(student, answers, change=None):
        notebook = nbformat.reads(data.decode(), as_version=4)
        for cell in notebook.cells:
            if kind(cell) == "solution":
                cell.source = answers.get(cell.id, cell.source).strip()
        changed = change(notebook) if change else None
        path = course.path("submitted", student, LESSON) / f"{LESSON}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(changed if isinstance(changed, bytes) else json.dumps(notebook).encode())

    hand_in("before", ANSWERS)
    for trick in TRICKS:
        hand_in(trick.name, {"exp_log": ANSWERS["exp_log"]}, trick.change)
    odd = course.path("submitted", "odd_name", LESSON)
    odd.mkdir(parents=True)
    (odd / os.fsdecode(b"\xff\x1b[2J.ipynb")).write_bytes(data)
    hand_in("no_time", ANSWERS)
    (course.path("submitted", "no_time", LESSON) / "timestamp.txt").write_text(NO_TIME)
    hand_in("zz_after", ANSWERS)
    for make in FOLDERS.values():
        make(course.root / "submitted", course.path("submitted", "before", LESSON) / f"{LESSON}.ipynb")
    results = {result.student: result for result in grade(LESSON, course=course)}
    return course, lesson, results


@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: trick.name)
def test_it_earns_what_is_right_in_it_or_is_set_aside(trick, graded):
    _, _, results = graded
    result = results[trick.name]
    if trick.readable:
        assert (result.status, result.score) == ("graded", 2)
    else:
        assert result.status == "ungradable" and result.problem["zh"] and result.problem["en"]


def test_the_rest_of_the_class_is_graded(graded):
    _, lesson, results = graded
    assert [results[student].score for student in ("before", "zz_after")] == [3, 3]
    assert len(results) == len(TRICKS) + len(FOLDERS) + 4


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_that_leads_elsewhere_or_is_no_name_is_set_aside_and_said(name, graded):
    course, lesson, results = graded
    result = results[name]
    assert result.status in ("ungradable", "failed") and result.score == 0
    assert result.problem["zh"] and result.problem["en"]
    screen = Console(file=io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), width=110)
    screen.print(report.table(course, lesson, [result]))


def test_a_name_that_is_no_text_and_a_time_that_is_none_stop_nobody(graded):
    _, _, results = graded
    assert results["no_time"].score == 3
    assert results["odd_name"].status == "ungradable"
    assert all("[2J" in words and words.isprintable() for words in results["odd_name"].problem.values())


def test_the_gradebook_knows_no_other_points_than_the_lessons(graded):
    course, _, _ = graded
    with course.gradebook() as gradebook:
        for submission in gradebook.assignment_submissions(LESSON):
            assert submission.max_score == 4  # 3 by checks, 1 for the reflection
            assert submission.score <= 4


def test_no_page_runs_or_loads_anything(graded):
    course, lesson, _ = graded
    report.write(course)
    reports = [*course.root.glob("report/*.html"), *course.root.glob("report/students/*.html")]
    assert len(reports) >= len(TRICKS) + 4
    pages = [*feedback(course, LESSON, None), *reports]
    assert len(pages) >= len(reports) + len([trick for trick in TRICKS if trick.readable])
    for page in pages:
        html = page.read_text(encoding="utf-8")
        assert "Content-Security-Policy" in html.partition("</head>")[0]
        bare = re.sub(r"(?s)<style.*?</style>", "", html)
        assert not re.search("[\x00-\x08\x1b\x7f-\x9f\u202a-\u202e\u2066-\u2069]", html), page
        assert not re.search(r"class=\"[^\"]*(navbar|modal|alert)", bare.partition("<body")[2]), page
        assert not re.search(r"<script|<iframe|<img[^>]+onerror|<svg[^>]+onload|href=\"javascript:", bare), page


# ── The control: plain nbgrader ──────────────────────────────────────────────────────────────────


@pytest.mark.slow
def test_plain_nbgrader_gives_full_marks_to_a_skipped_test_and_to_a_word(tmp_path):
    """What design says of it, seen: the same tag, and a test cell whose value is no number, earn everything there."""

    def cell(source, grade_id, **meta):
        made = new_code_cell(source, id=grade_id)
        made.metadata.nbgrader = {"grade_id": grade_id, "schema_version": 3, "task": False, "locked": False} | meta
        return made

    book = new_notebook(
        cells=[
            cell(
                "def f(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION",
                "f",
                solution=True,
                grade=False,
            ),
            cell("assert f(2) == 4", "test_f", solution=False, grade=True, points=3, locked=True),
        ],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )
    (tmp_path / "source" / "ps").mkdir(parents=True)
    nbformat.write(book, tmp_path / "source" / "ps" / "ps.ipynb")
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'x'\n")

    def nbgrader(*words):
        environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        command = [sys.executable, "-m", "nbgrader", *words]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    nbgrader("generate_assignment", "ps")
    released = json.loads((tmp_path / "release" / "ps" / "ps.ipynb").read_text())
    for student, change in {"honest": lambda nb: None, "skips": skip_execution}.items():
        notebook = json.loads(json.dumps(released))
        change(notebook)
        (tmp_path / "submitted" / student / "ps").mkdir(parents=True)
        (tmp_path / "submitted" / student / "ps" / "ps.ipynb").write_text(json.dumps(notebook))
    nbgrader("autograde", "ps", "--create")
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as gradebook:
        scores = {s.student.id: s.score for s in gradebook.assignment_submissions("ps")}
    assert scores == {"honest": 0.0, "skips": 3.0}
