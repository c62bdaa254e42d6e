"""nbgrader's exchange gives feedback back to whoever handed in through it, and stops for nobody who did not."""

from __future__ import annotations

import shutil

import pytest
from scratch_lesson import scratch_course, with_configuration, write

from autograder import lessons, release
from autograder.collect import collect
from autograder.feedback import feedback
from autograder.grade import grade
from autograder.receipts import submit

pytestmark = [
    pytest.mark.sandbox,
    # All three are nbgrader's own.
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
    pytest.mark.filterwarnings("ignore:Passing unrecognized arguments:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:unclosed file .*(timestamp|feedback):ResourceWarning"),
]

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


@pytest.mark.parametrize("collecting", [lambda course: collect(course, LESSON), by_formgrader])
def test_what_somebody_leaves_in_the_exchange_keeps_nobodys_feedback_back(course, collecting):
    """Who may write there may leave a link that leads nowhere, a file, a time that is none, a secret that is no text."""

    book = (course.path("release", ".", LESSON) / f"{LESSON}.ipynb").read_bytes()
    (course.inbound / f"bob+{LESSON}+{TIME}+x").symlink_to("nowhere")
    (course.inbound / f"dan+{LESSON}+{TIME}+x").write_bytes(book)
    (course.inbound / f"ada+{LESSON}+2099-01-01 00:00:00 UTC+x").symlink_to("nowhere")
    for name in (f"eve+{LESSON}+no time", f"eve+{LESSON}+{TIME}+x", f"fay+{LESSON}+-1e999999999m+x"):
        folder = course.inbound / name
        folder.mkdir()
        (folder / f"{LESSON}.ipynb").write_bytes(book)
        (folder / "submission_secret.txt").write_bytes(b"\xff\x00/../..")
    test_feedback_goes_back(course, collecting)


def of_student(course, home, step, **options):
    """What nbgrader's Assignment List does for a student whose configuration names this exchange."""
    from nbgrader.auth import Authenticator
    from nbgrader.coursedir import CourseDirectory
    from nbgrader.exchange import ExchangeFactory
    from traitlets.config import Config

    config = Config({"Exchange": {"root": course.config.Exchange.root, "assignment_dir": str(home)}})
    config.CourseDirectory.course_id = "autograd"
    config.CourseDirectory.assignment_id = LESSON
    given = {"coursedir": CourseDirectory(config=config), "authenticator": Authenticator(config=config)}
    return getattr(ExchangeFactory(config=config), step)(config=config, **given, **options).start()


def test_who_hands_in_by_autograder_submit_fetches_the_feedback_with_nbgrader(course, tmp_path, monkeypatch):
    from nbgrader.apps import NbGraderAPI

    home, other = tmp_path / "ada", tmp_path / "eve"
    mine = home / LESSON / f"{LESSON}.ipynb"
    mine.parent.mkdir(parents=True)
    other.mkdir()
    shutil.copy(course.path("release", ".", LESSON) / f"{LESSON}.ipynb", mine)
    shutil.rmtree(course.inbound)
    course.inbound.mkdir()
    monkeypatch.setattr(lessons, "RELEASE", course.path("release", ".", LESSON).parent)
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(home / "data"))
    receipt = submit(mine, "ada", course.inbound)
    assert submit(mine, "ada", course.inbound) == receipt

    (listed,) = of_student(course, home, "List", cached=True)
    (handed_in,) = listed["submissions"]
    assert (listed["student_id"], handed_in["timestamp"]) == ("ada", receipt.time)
    assert not handed_in["has_exchange_feedback"]

    collect(course, LESSON)
    grade(LESSON, course=course)
    (page,) = feedback(course, LESSON)
    assert NbGraderAPI(config=course.config).release_feedback(LESSON)["success"]
    (listed,) = of_student(course, home, "List", cached=True)
    assert listed["submissions"][0]["has_exchange_feedback"]
    of_student(course, home, "FetchFeedback")
    fetched = home / LESSON / "feedback" / receipt.time / f"{LESSON}.html"
    assert fetched.read_bytes() == page.read_bytes()

    monkeypatch.setenv("JUPYTER_DATA_DIR", str(other / "data"))  # nobody else's list leads to it
    of_student(course, other, "FetchFeedback")
    assert not list(other.rglob("*.html"))


def test_formgraders_button_tells_what_could_not_be_graded(course):
    """It says "Success" whenever nbgrader raised nothing, and shows the log."""
    from nbgrader.apps import NbGraderAPI

    (folder := course.path("submitted", "ada", LESSON)).mkdir(parents=True)
    (folder / f"{LESSON}.ipynb").write_bytes("中文".encode("gbk"))
    answer = NbGraderAPI(config=course.config).autograde(LESSON, "ada")
    assert answer["success"] and "ada: 没能评分，不是零分 · could not be graded, not a zero:" in answer["log"]
    assert "it is not UTF-8" in answer["log"]
    shutil.copy(course.path("release", ".", LESSON) / f"{LESSON}.ipynb", folder)
    answer = NbGraderAPI(config=course.config).autograde(LESSON, "ada")
    assert answer["success"] and "not a zero" not in answer["log"]
