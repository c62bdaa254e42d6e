"""docs/new_lesson.md, followed to the letter in a copy of the project: what it promises is what comes of it."""

from __future__ import annotations

import sys

import pytest
from documents import blocks, copy_of_project, type_in
from project_files import ROOT

PAGE = ROOT / "docs" / "new_lesson.md"
LESSON = "16_arctan"

pytestmark = [pytest.mark.slow, pytest.mark.sandbox, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def followed(tmp_path_factory):
    """The copy, all files of the page made and its commands typed; what they printed."""
    folder = copy_of_project(tmp_path_factory.mktemp("project"))
    said = ""
    for block in blocks(PAGE):
        if block.file:
            path = folder / block.file
            assert not path.exists(), f"{block.file} is there already: the example must be a new lesson"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.kind == "sh":
            said += type_in(folder, block.text)
    return folder, said


def test_what_it_quotes_stands_there():
    quoted = [block for block in blocks(PAGE) if block.quoted]
    assert quoted
    for block in quoted:
        assert block.text in (ROOT / block.quoted).read_text(encoding="utf-8"), block.quoted


def test_the_lesson_is_released_without_its_solution(followed):
    folder, _ = followed
    released = (folder / "release" / LESSON / f"{LESSON}.ipynb").read_text(encoding="utf-8")
    assert "YOUR CODE HERE" in released and "YOUR ANSWER HERE" in released
    assert "self * self + 1" not in released and "Rubric" not in released and "assert x.grad" not in released


def test_its_mistakes_were_tried(followed):
    _, said = followed
    assert " passed" in said and "failed" not in said.partition("样例")[0].splitlines()[-1]


GRADED = """
import sys
from pathlib import Path
from autograder import sample_class
from autograder.course import Course
course = Course(Path("out/trial"))
for student, made in zip(course.roster(), sample_class.submissions()):
    entry = course.ledger.latest("16_arctan", student)
    for record in entry.records.values():
        print(made.name, record["score"], record["hint"])
"""


def test_the_sample_class_gets_what_it_earned(followed):
    folder, _ = followed
    lines = type_in(folder, f"{sys.executable} - <<'PYTHON'\n{GRADED}PYTHON").splitlines()
    found = {name: (score, hint) for name, score, hint in map(str.split, lines)}
    assert found["full_marks"] == ("2", "None") and found["untouched"][0] == "0" and found["no_notebook"][0] == "None"
    part = "minigrad.ops.unary.atan_vjp"
    hints = {found[f"mistake_{number}"][1] for number in (1, 2, 3)}
    assert hints == {f"{part}:{name}" for name in ("forgot_grad", "forgot_the_square", "tanh_for_atan")}
    assert all(int(found[f"mistake_{number}"][0]) < 2 for number in (1, 2, 3))
    cheats = [name for name in found if name in {"patches_the_tools", "prints_a_score", "leaves_early"}]
    assert len(cheats) == 3 and all(found[name][0] == "0" for name in cheats)
