"""Scores as a table for other systems: a plain CSV, and the ones that Canvas and Moodle import.

    autograder export --format canvas --out canvas.csv

Scores are what nbgrader's gradebook says (referee's points, a person's where they gave any, lateness), students what
the roster says. A student without a submission has an empty cell, one that could not be graded too: neither is a zero.
nbgrader's own `nbgrader export` writes one line a submission; this writes one line a student. It changes nothing.
"""

from __future__ import annotations

import csv
import io
import os
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from autograder.course import Course
from autograder.errors import UnknownName
from autograder.files import put
from autograder.grade import released_lesson
from autograder.lessons import Lesson
from autograder.marks import Marks, marks
from autograder.messages import Text


@dataclass(frozen=True)
class Student:
    """One line of the table."""

    id: str
    first: str
    last: str
    email: str
    scores: dict[str, float | None]  # by lesson


class Sheet(NamedTuple):
    """What there is to export: the lessons with their points, and the students in the roster's order."""

    points: dict[str, float]
    students: list[Student]
    waiting: dict[str, int]  # the answers that a person has yet to give points for, of those who have a score
    outdated: dict[str, int]  # the points of a person who has not looked since they were graded again


def gather(course: Course, lessons: list[str]) -> Sheet:
    """The scores of these lessons. UnknownName if one is not released."""
    released = {name: released_lesson(course, name) for name in lessons}
    given = {name: marks(course, name) for name in lessons}
    ungradable = {(e.lesson, e.student) for name in lessons for e in course.ledger.of_lesson(name) if e.ungradable}

    def score(lesson: str, student: str) -> float | None:
        known = given[lesson].get(student, Marks())
        return known.score if known.all_by_hand or (known.cells and (lesson, student) not in ungradable) else None

    with course.gradebook() as gradebook:
        known = {s.id: (s.first_name or "", s.last_name or "", s.email or "") for s in gradebook.students}
    enrolled = course.people()  # who may have been added, or renamed, since the gradebook was last written
    people, order = known | enrolled, [*enrolled, *sorted(known.keys() - enrolled.keys())]
    students = [
        Student(each, *people.get(each, ("", "", "")), {name: score(name, each) for name in lessons}) for each in order
    ]
    scored = {name: [given[name][s.id] for s in students if s.scores[name] is not None] for name in lessons}
    waiting = {name: sum(_waiting(lesson, known) for known in scored[name]) for name, lesson in released.items()}
    outdated = {
        name: sum(mark.outdated for known in of for mark in known.cells.values()) for name, of in scored.items()
    }
    return Sheet({name: float(lesson.max_score) for name, lesson in released.items()}, students, waiting, outdated)


def _waiting(lesson: Lesson, known: Marks) -> int:
    """How many of a student's answers that no check looks at have no points yet."""
    by_hand = (mark for cell, mark in known.cells.items() if cell not in lesson.checks)
    return sum(mark.auto is None and mark.manual is None for mark in by_hand)


def plain(sheet: Sheet) -> list[list[str]]:
    """student, name, e-mail, one column a lesson, the total of what was graded."""
    head = ["student", "last_name", "first_name", "email", *sheet.points, "total"]
    body = [
        [
            s.id,
            s.last,
            s.first,
            s.email,
            *map(_number, s.scores.values()),
            _number(_total(s.scores.values())),
        ]
        for s in sheet.students
    ]
    return [head, *body]


def canvas(sheet: Sheet) -> list[list[str]]:
    """Canvas's gradebook import: its five columns, the assignments, and a line of points possible."""
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *sheet.points]
    possible = ["    Points Possible", "", "", "", "", *map(_number, sheet.points.values())]
    body = [
        [f"{s.last}, {s.first}".strip(", ") or s.id, "", s.id, s.email or s.id, "", *map(_number, s.scores.values())]
        for s in sheet.students
    ]
    return [head, possible, *body]


def moodle(sheet: Sheet) -> list[list[str]]:
    """Moodle's grade import: who (by ID number, user name or e-mail), and a grade item a lesson."""
    head = ["ID number", "Username", "First name", "Last name", "Email address", *sheet.points]
    body = [[s.id, s.id, s.first, s.last, s.email, *map(_number, s.scores.values())] for s in sheet.students]
    return [head, *body]


FORMATS: dict[str, Callable[[Sheet], list[list[str]]]] = {"plain": plain, "canvas": canvas, "moodle": moodle}


def write(course: Course, lessons: list[str], form: str, out: Path | str) -> tuple[Path, Sheet]:
    """Write the file (scores.csv, if `out` is a folder or ends as one), whole or not at all; give its path and what is in it."""
    if form not in FORMATS:
        raise UnknownName(Text("格式", "format"), form, FORMATS)
    sheet = gather(course, lessons)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([[_harmless(each) for each in row] for row in FORMATS[form](sheet)])
    folder = Path(out).is_dir() or str(out).endswith(("/", os.sep))
    path = Path(out) / "scores.csv" if folder else Path(out)
    path.parent.mkdir(parents=True, exist_ok=True)
    put(path, text.getvalue().encode("utf-8-sig"))  # so that a spreadsheet reads Chinese names
    return path, sheet


def _total(scores: Iterable[float | None]) -> float | None:
    """What was graded, added up; nothing where nothing was."""
    given = [score for score in scores if score is not None]
    return sum(given) if given else None


def _number(score: float | None) -> str:
    return "" if score is None else f"{score:g}"


def _harmless(cell: str) -> str:
    """A name that a spreadsheet would take for a formula is shown as the text that it is."""
    return (
        f"'{cell}"
        if unicodedata.normalize("NFKC", cell).lstrip().startswith(("=", "+", "-", "@", "\t", "\r"))
        else cell
    )
