"""Grade the submissions of a lesson through nbgrader's own converters, one after another.

The command line, `nbgrader autograde` and formgrader's button run the same steps (nbgrader_plugin.py) and
give the same scores. Added here: what is graded already is left alone, one submission's failure never stops
the rest, and a submission without a notebook gets a result, too. Scores are the referee's; showing them is
report.py's.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import nbformat

from autograder import nbgrader_plugin
from autograder.course import Course, secret_of
from autograder.errors import AutograderError, UnknownName
from autograder.lessons import Lesson, describe
from autograder.marks import Marks, marks
from autograder.messages import Text
from autograder.pages import Pair, pair_of
from autograder.records import Entry, grader_version, submission_hash

Progress = Callable[[int, int, "Result | None"], None]


@dataclass(frozen=True)
class Result:
    """What became of one student's submission.

    Graded, ungradable (a person must look) or failed (of our making).
    """

    student: str
    status: str
    score: float
    max_score: float
    manual: bool  # a person still has points to give
    entry: Entry | None
    fresh: bool  # graded just now, not earlier
    seconds: float = 0.0
    problem: Pair | None = None


def grade(
    lesson: str,
    students: Iterable[str] | None = None,
    *,
    unsafe: bool = False,
    course: Course | None = None,
    progress: Progress | None = None,
) -> list[Result]:
    """Grade a lesson's submissions (all, or those of `students`) and return one result each, by student.

    Raises AutograderError before anything is touched if the lesson is not released, a student is unknown, or
    there is no sandbox and `unsafe` is not set.
    """
    course = Course(course.root if course else Course().root, {"RefereeExecute": {"unsafe": unsafe}})
    released = released_lesson(course, lesson)
    chosen = _choose(course, lesson, students)
    require_sandbox(unsafe)
    with course.alone():
        return _grade_all(course, released, chosen, unsafe, progress)


def _grade_all(
    course: Course, lesson: Lesson, students: list[str], unsafe: bool, progress: Progress | None
) -> list[Result]:
    course.enrol()
    given = marks(course, lesson.name)
    results = []
    for number, student in enumerate(students):
        if progress:
            progress(number, len(students), None)
        result = _grade_one(course, lesson, student, given.get(student, Marks()), unsafe)
        results.append(result)
        if progress:
            progress(number + 1, len(students), result)
    nbgrader_plugin.referee(course.root, unsafe).close()
    return results


def released_lesson(course: Course, name: str) -> Lesson:
    """The lesson as released to this course's students. Raises AutograderError if it was not."""
    folder = course.path("release", ".", name)
    path = folder / f"{name}.ipynb"
    if not path.is_file():
        raise UnknownName(Text("已发布的课", "released lesson"), name, [p.name for p in folder.parent.glob("[0-9]*")])
    lesson = describe(name, nbformat.read(path, as_version=4))
    if not course.knows(lesson):
        raise AutograderError(
            Text(
                "成绩册里没有这一课，或者和发布的不一样。",
                "The gradebook does not hold this lesson as released.",
            ),
            where=name,
            remedy=f"autograder release {name}",
        )
    return lesson


def require_sandbox(unsafe: bool) -> None:
    """Raise AutograderError unless there is a sandbox, or grading without one was asked for."""
    if not unsafe:
        from autograder.probe import probe

        probe()


def _choose(course: Course, lesson: str, students: Iterable[str] | None) -> list[str]:
    submitted = course.students(lesson)
    wanted = submitted if students is None else list(students)
    for student in wanted:
        if student not in submitted:
            raise UnknownName(Text("交了这一课的学生", "student who submitted this lesson"), student, submitted)
    return wanted


def _grade_one(course: Course, lesson: Lesson, student: str, given: Marks, unsafe: bool) -> Result:
    """Grade one submission if it needs it; whatever goes wrong becomes the result."""
    start = time.monotonic()
    path = course.path("submitted", student, lesson.name) / f"{lesson.name}.ipynb"
    problem, fresh = None, False
    try:
        if not path.is_file():
            fresh = _no_notebook(course, lesson, student, path, known=bool(given.cells))
        elif not _is_current(course, lesson, student, path, given, unsafe):
            course.nbgrader("autograde", lesson.name, student)
            fresh = True
    except AutograderError as error:
        problem = pair_of(error)
    except Exception as error:  # one submission must never stop the rest
        problem = {"zh": f"评分器内部错误：{error!r}", "en": f"An error inside the grader: {error!r}"}
    return _result(course, lesson, student, given, fresh, problem, time.monotonic() - start)


def _is_current(course: Course, lesson: Lesson, student: str, path: Path, given: Marks, unsafe: bool) -> bool:
    """Whether these bytes were graded by this grader, and the gradebook and the autograded folder show it."""
    entry = course.records.latest(lesson.name, student)
    done = course.path("autograded", student, lesson.name) / path.name
    if not entry or not done.is_file():
        return False
    current = nbgrader_plugin.reusable(
        entry, submission_hash(path.read_bytes()), version_for(course, lesson.name), unsafe=unsafe
    )
    return current and all(i in given.cells and given.cells[i].auto == r["score"] for i, r in entry.records.items())


def version_for(course: Course, lesson: str) -> str:
    """The grader version that results of a lesson carry now."""
    released = course.path("release", ".", lesson) / f"{lesson}.ipynb"
    return grader_version(released.read_bytes() + secret_of(course.root))


def _no_notebook(course: Course, lesson: Lesson, student: str, path: Path, *, known: bool) -> bool:
    """Record that a submission has no notebook, in the book and in the gradebook.

    Return whether that is news.
    """
    found = sorted(p.name for p in path.parent.iterdir())
    problem = {
        "zh": f"提交里没有 {path.name}，只有：{'、'.join(found) or '（空）'}。",
        "en": f"The submission holds no {path.name}, only: {', '.join(found) or '(nothing)'}.",
    }
    latest = course.records.latest(lesson.name, student)
    if known and latest and latest.problem == problem:
        return False
    records = nbgrader_plugin.unreadable_records(lesson, student, problem)
    version = version_for(course, lesson.name)
    course.records.append(Entry(lesson.name, student, "", version, records, problem=problem))
    with course.gradebook() as gradebook:
        gradebook.update_or_create_student(student)
        gradebook.update_or_create_submission(lesson.name, student)
        submission = gradebook.find_submission_notebook(lesson.name, lesson.name, student)
        for each in submission.grades:
            each.auto_score, each.needs_manual_grade = None, True
        for comment in submission.comments:
            comment.auto_comment = " · ".join(problem.values())
        gradebook.db.commit()
    return True


def _result(
    course: Course,
    lesson: Lesson,
    student: str,
    given: Marks,
    fresh: bool,
    problem: Pair | None,
    seconds: float,
) -> Result:
    entry = course.records.latest(lesson.name, student)
    if fresh:
        given = marks(course, lesson.name, student).get(student, Marks())
    status = "failed" if problem else "ungradable" if entry and entry.ungradable else "graded"
    if status == "ungradable" and entry:
        problem = next(r["reason"] for r in entry.records.values() if r["status"] == "ungradable")
    most, left = float(lesson.max_score), status != "graded" or given.needs_a_person
    return Result(student, status, given.score, most, left, entry, fresh, seconds, problem)
