"""Every lesson of the course: checks, points, solutions, release, sample class."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache

import pytest
from scratch_lesson import scratch_course

from autograder import checks, lessons, release, sample_class, solutions, work
from autograder.editions import learners_edition
from autograder.grade import grade
from autograder.lessons import COURSE
from autograder.referee import Referee
from autograder.runner.limits import DEFAULT

NAMES = lessons.names()
every_lesson = pytest.mark.parametrize("name", NAMES)


@every_lesson
def test_checks_and_points_are_the_registrys(name):
    lesson = lessons.load(name)
    here = {check: lesson.points[grade_id] for grade_id, check in lesson.checks.items()}
    assert here == {check.name: check.points for check in checks.for_lesson(name)}


@cache
def parts_of(name):
    return lessons.load(name).parts


@every_lesson
def test_every_part_of_a_check_is_taught_by_then(name):
    taught = {part for each in NAMES if each <= name for part in parts_of(each)}
    for check in checks.for_lesson(name):
        assert set(check.parts) <= taught


@every_lesson
def test_a_part_that_no_check_asks_for_is_not_in_the_lesson(name):
    asked = {part for check in checks.for_lesson(name) for part in check.parts}
    assert set(parts_of(name)) <= asked


@every_lesson
def test_titles_carry_the_lessons_number(name):
    lesson = lessons.load(name)
    assert lesson.title_zh != name and lesson.title_en != name
    for cell in lesson.notebook.cells[:2]:
        assert cell.source.startswith(f"# {name[:2]} · ")


@every_lesson
def test_the_last_graded_cell_is_a_reflection(name):
    lesson = lessons.load(name)
    kinds = [k for cell in lesson.notebook.cells if (k := lessons.kind(cell)) in ("check", "reflection")]
    assert kinds.count("reflection") == 1


@every_lesson
def test_solutions_are_the_engines_own_source(name):
    assert solutions.differences(lessons.load(name)) == []


@every_lesson
def test_the_committed_release_is_current_and_leaks_nothing(name):
    assert release.check([name]) == [name]


@pytest.mark.slow
@every_lesson
def test_the_learners_edition_imports(name, tmp_path):
    edition = learners_edition(parts_of(name), cache=tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(edition), "PYTHONDONTWRITEBYTECODE": "1"}
    everything = "from minigrad import ops; ops.load_all()"
    subprocess.run([sys.executable, "-P", "-c", everything], env=environment, check=True, cwd="/")


EARNS = {
    "full": lambda got, most: got == most,
    "less": lambda got, most: got < most,
    "none": lambda got, most: got == 0,
}


@pytest.fixture
def short_cells(monkeypatch):
    """A shorter time for cells than in a real class: in each lesson one is waited for that never ends, more than once."""
    with Referee(None, limits=DEFAULT._replace(cell_seconds=2.5)) as referee:
        monkeypatch.setattr(work, "referee", lambda unsafe: referee)
        yield


@pytest.mark.slow
@pytest.mark.sandbox
@every_lesson
def test_the_sample_class_earns_what_it_must(name, tmp_path, short_cells):
    course = scratch_course(tmp_path / "course")
    shutil.copy(COURSE / "roster.csv", course.root)
    lesson = release.release(course, name).lesson
    released = (course.path("release", ".", name) / f"{name}.ipynb").read_bytes()
    handed_in = sample_class.hand_in(course, lesson, released)
    assert len(handed_in) >= 14
    most = sum(lesson.points[grade_id] for grade_id in lesson.checks)
    for result in grade(name, course=course):
        submission = handed_in[result.student]
        if submission.expects == "ungradable":
            assert result.status == "ungradable"
        else:
            assert EARNS[submission.expects](result.score, most), (submission.name, result.score, most)
        if submission.name.startswith("mistake"):
            hints = [record["hint"] for record in result.entry.records.values() if record["hint"]]
            assert hints, submission.name
