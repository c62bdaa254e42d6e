"""nbgrader's exchange gives feedback back to whoever handed in through it, and stops for nobody who did not."""

from __future__ import annotations

import pytest
from scratch_lesson import scratch_course, with_configuration, write

from autograder import release
from autograder.collect import collect
from autograder.feedback import feedback
from autograder.grade import grade

pytestmark = pytest.mark.sandbox

LESSON, TIME = "90_scratch", "2026-03-02 20:00:00 UTC"
SECRET = "5ec7e7"


@pytest.fixture
def course(tmp_path):
    """A course with two submissions in its exchange: ada's by nbgrader's button, emil's by another way."""
    course = with_configuration(scratch_course(tmp_path / "course"))
    release.release(course, LESSON, write(tmp_path))
    book = (course.path("release", ".", LESSON) / f"{LESSON}.ipynb").read_bytes()
    for student, beside in (("ada", {"submission_secret.txt": SECRET, "diary.txt": "private"}), ("emil", {})):
        folder = course.inbound / f"{student}+{LESSON}+{TIME}+x"
        folder.mkdir(parents=True)
        (folder / f"{LESSON}.ipynb").write_bytes(book)
        for name, words in {"timestamp.txt": TIME, **beside}.items():
            (folder / name).write_text(words)
    return course


def by_formgrader(course):
    from nbgrader.apps import NbGraderAPI

    answer = NbGraderAPI(config=course.config).collect(LESSON)
    assert answer["success"], answer


# All three are nbgrader's own.
@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
@pytest.mark.filterwarnings("ignore:Passing unrecognized arguments:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:unclosed file .*timestamp:ResourceWarning")
@pytest.mark.parametrize("collecting", [lambda course: collect(course, LESSON), by_formgrader])
def test_feedback_goes_back(course, collecting):
    from nbgrader.apps import NbGraderAPI
    from nbgrader.utils import notebook_hash

    collecting(course)
    grade(LESSON, course=course)
    feedback(course, LESSON)
    for step in ("submitted", "autograded", "feedback"):
        folder = course.path(step, "ada", LESSON)
        assert (folder / "submission_secret.txt").read_text() == SECRET and not (folder / "diary.txt").exists()
    answer = NbGraderAPI(config=course.config).release_feedback(LESSON)
    assert answer["success"], answer
    (page,) = (course.inbound.parent / "feedback").iterdir()
    assert page.name == f"{notebook_hash(secret=SECRET, notebook_id=LESSON)}.html"
    assert "emil" in answer["log"] and "give it back by hand" in answer["log"]
