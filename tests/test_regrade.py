"""Grading again: every change is shown before it is made, what a person gave stays, and so do the old records."""

from __future__ import annotations

import gc
import io
import shutil
import sqlite3
from datetime import timedelta

import pytest
from rich.console import Console
from scratch_lesson import scratch_course, with_configuration, write

from autograder import cli, compare, release, sample_class
from autograder import grade as grading
from autograder.course import Course
from autograder.feedback import feedback
from autograder.grade import grade
from autograder.lessons import COURSE
from autograder.marks import Mark, Marks, marks
from autograder.messages import Text
from autograder.regrade import Change, changes, table
from autograder.sources import stamp

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]
LESSON = "90_scratch"
ADA, EMMA, UNTOUCHED = "sample-li-na", "sample-emma-clarke", "sample-wang-wei"  # full marks, half, nothing


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A class that an earlier grader graded, which gave nobody a point in `exp_log_backward`."""
    folder = tmp_path_factory.mktemp("graded")
    course = with_configuration(scratch_course(folder / "course"))
    shutil.copy(COURSE / "roster.csv", course.root)
    lesson = release.release(course, LESSON, write(folder)).lesson
    data = (course.path("release", ".", LESSON) / f"{LESSON}.ipynb").read_bytes()
    sample_class.hand_in(course, lesson, data, {"full_marks", "partial", "untouched"})
    with pytest.MonkeyPatch.context() as earlier:
        earlier.setattr(grading, "version_for", lambda *_: "an earlier one")
        earlier.setattr(
            compare, "score", lambda points, passed, total: 0 if points == 2 else points * (passed == total)
        )
        results = {r.student: r.score for r in grade(LESSON, course=course)}
    assert results == {ADA: 1, EMMA: 0, UNTOUCHED: 0}
    course.ledger.close()
    return course.root


@pytest.fixture
def course(template, tmp_path):
    shutil.copytree(template, tmp_path / "course")
    yield (made := with_configuration(Course(tmp_path / "course")))
    made.ledger.close()


def everything(course: Course):
    """The bytes of every file of the course, and the gradebook's rows, but for locks and logs."""
    files = {p: p.read_bytes() for p in course.root.rglob("*") if p.is_file() and p.suffix not in (".db", ".log")}
    files = {p: data for p, data in files.items() if "ledger.db" not in p.name and p.name != ".lock"}
    entries = [course.ledger.history(LESSON, student) for student in course.students(LESSON)]
    return files, entries, course.ledger.counts(LESSON), rows(course)


def rows(course: Course):
    with course.gradebook() as gradebook:
        books = [gradebook.find_submission_notebook(LESSON, LESSON, each) for each in course.students(LESSON)]
        grades = [(g.id, g.auto_score, g.manual_score, g.needs_manual_grade) for book in books for g in book.grades]
        return grades, [(c.id, c.auto_comment, c.manual_comment) for book in books for c in book.comments]


def opened() -> int:
    """How many SQLite connections are open. (Not files: SQLite keeps those for as long as another connection has a lock.)"""
    found = [each for each in gc.get_objects() if type(each) is sqlite3.Connection]
    return sum(not closed(each) for each in found)


def closed(connection: sqlite3.Connection) -> bool:
    try:
        connection.total_changes
    except sqlite3.ProgrammingError:
        return True
    return False


def test_checks_that_change_for_one_reason_are_shown_under_it_once():
    why = Text("评分器变了。", "The grader has changed.")
    found = [Change(ADA, check, 0, 2, 2, why, manual) for check, manual in (("one", None), ("two", 1.5))]
    console = Console(width=200, file=io.StringIO())
    moved = (("still a leaf", "pass", "fail"), *((f"new {number}", None, "pass") for number in range(1, 7)))
    console.print(table([*found, Change(EMMA, "one", 1, 0, 2, why, None, moved)]))
    shown = console.file.getvalue()
    assert shown.count("The grader has changed.") == 2 and shown.count(ADA) == 1
    assert "two：人工给的 1.5 分不变 · the 1.5 given by hand stay" in shown
    assert "one ✓ → ✗: 仍然是叶子 · still a leaf" in shown and "one ∅ → ✓: new 1; new 2; new 3; new 4; … +2" in shown


def test_a_dry_run_shows_every_change_and_writes_nothing(course):
    before, connections = everything(course), opened()
    found = changes(course, LESSON)
    assert everything(course) == before and opened() == connections
    shown = [(each.student, each.check, each.before, each.after, each.points) for each in found]
    assert shown == [(EMMA, "exp_log_backward", 0, 2, 2), (ADA, "exp_log_backward", 0, 2, 2)]
    assert all("评分器变了" in each.why.zh and "an earlier one →" in each.why.en for each in found)


def test_what_it_shows_is_what_then_happens_and_what_a_person_gave_stays(course):
    with course.gradebook() as gradebook:
        gradebook.find_grade("check_exp_log", LESSON, LESSON, EMMA).manual_score = 1.5
        gradebook.find_grade("check_exp_log", LESSON, LESSON, EMMA).extra_credit = 0.5
        gradebook.find_comment("exp_log", LESSON, LESSON, EMMA).manual_comment = "well argued"
        gradebook.db.commit()
    found = changes(course, LESSON)
    assert [(each.student, each.manual) for each in found] == [(EMMA, 1.5), (ADA, None)]
    results = {r.student: r.score for r in grade(LESSON, course=course)}
    assert results == {ADA: 3, EMMA: 2, UNTOUCHED: 0}  # Emma's are the person's 1.5 + 0.5
    with course.gradebook() as gradebook:
        again = gradebook.find_grade("check_exp_log", LESSON, LESSON, EMMA)
        assert (again.auto_score, again.manual_score, again.needs_manual_grade) == (2, 1.5, True)
        assert gradebook.find_comment("exp_log", LESSON, LESSON, EMMA).comment == "well argued"
    old, new = course.ledger.history(LESSON, ADA)
    assert old.grader == "an earlier one" and old.records["check_exp_log"]["score"] == 0
    assert new.records["check_exp_log"]["score"] == 2
    assert changes(course, LESSON) == []


def test_another_version_handed_in_is_named_as_the_cause(course):
    grade(LESSON, course=course)
    notebook = f"{LESSON}.ipynb"
    shutil.copy(
        course.path("submitted", UNTOUCHED, LESSON) / notebook, course.path("submitted", ADA, LESSON) / notebook
    )
    found = changes(course, LESSON, [ADA])
    assert [(each.check, each.before, each.after) for each in found] == [
        ("exp_log_backward", 2, 0),
        ("tanh_backward", 1, 0),
    ]
    assert all("another version" in each.why.en and "Not written yet" in each.why.en for each in found)
    for each in found:
        assert each.properties and {now for _, now, _ in each.properties} == {"pass"}
        assert {then for *_, then in each.properties} <= {"fail", "skip", "unreached"}


def test_the_command(course, capsys):
    assert cli.main(["--course", str(course.root), "regrade", LESSON, "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "还什么都没有写" in said and "exp_log_backward" in said and "2/2" in said
    assert cli.main(["--course", str(course.root), "regrade", LESSON]) == 0
    capsys.readouterr()
    assert cli.main(["--course", str(course.root), "regrade", LESSON, "--dry-run"]) == 0
    assert "no score would change" in capsys.readouterr().out


LATE = """
from nbgrader.plugins import LateSubmissionPlugin

class Hourly(LateSubmissionPlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return total_seconds_late / 3600

c.AssignLatePenalties.plugin_class = Hourly
"""


def test_a_penalty_survives_a_regrade_and_goes_with_an_extension(course):
    """nbgrader's late penalty, and its extension for one student: nothing is graded anew for them."""
    with (course.root / "nbgrader_config.py").open("a") as configuration:
        configuration.write(LATE)
    handed_in = stamp(course.path("submitted", ADA, LESSON)).replace(tzinfo=None)
    with course.gradebook() as gradebook:
        gradebook.update_or_create_assignment(LESSON, duedate=handed_in - timedelta(hours=1))

    def graded():
        (result,) = grade(LESSON, [ADA], course=Course(course.root))
        given = marks(course, LESSON)[ADA]
        pages = feedback(course, LESSON, [ADA])
        assert [f"Late penalty: −{given.penalty:g}." for _ in range(bool(given.penalty))] == [
            each.en for each in result.besides if "Late" in each.en
        ]
        return (
            result.fresh,
            given.penalty,
            "−1" in pages[0].read_text(encoding="utf-8").partition("Late penalty")[2][:20],
        )

    assert [graded(), graded()] == [(True, 1.0, True), (False, 1.0, True)]
    with course.gradebook() as gradebook:
        gradebook.grant_extension(LESSON, ADA, hours=1)
    before = course.ledger.latest(LESSON, ADA)
    (change,) = changes(Course(course.root), LESSON, [ADA])
    assert (change.student, change.before, change.after) == (ADA, -1.0, 0.0) and "late" in change.check
    assert graded()[1:] == (0.0, False) and course.ledger.latest(LESSON, ADA) == before
    assert graded()[0] is False
    with course.gradebook() as gradebook:
        gradebook.grant_extension(LESSON, ADA)
    assert graded()[1:] == (1.0, True)


def test_what_cost_points_besides_the_checks_is_said():
    """Answers that a person would have read, had there been any; being late."""
    zero, given, waiting = Mark(0.0, None, None, False), Mark(0.0, 1.0, None, False), Mark(None, None, None, True)
    taken, less = Mark(2.0, 0.0, 0.25, False), Mark(1.0, 1.0, None, False)  # less: the referee took it, and says so
    found = {"check": zero, "left_out": zero, "corrected": given, "to_read": waiting, "taken": taken, "less": less}
    points = dict.fromkeys(found, 1) | {"taken": 2, "less": 2}
    said = [each.en for each in Marks(found, penalty=1.5).besides(points, {"check", "taken", "less"})]
    assert said == ["Not answered: left_out.", "Taken by hand: taken 0.25 / 2.", "Late penalty: −1.5."]
    assert Marks({"check": zero}).besides(points, {"check"}) == []
