"""What a class did, as data: per lesson, per student, and over all lessons. The report's pages are drawn from it.

Read from the gradebook (points), the ledger (records, reasons) and the receipts that came with submissions (times).
Nothing is decided here but who is listed under "may need help", by rules that the pages put into words. How it looks
is report.py's and the templates'.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any

from autograder import pages
from autograder.course import Course
from autograder.grade import released_lesson
from autograder.lessons import Lesson
from autograder.marks import Marks, marks
from autograder.messages import Text
from autograder.mistakes import MISTAKES
from autograder.records import Entry, Record

BINS = 10
HALF = 0.5  # of the points that checks give: with less, a student may need help
RECENT = 3  # lessons that are looked at together
OFTEN = 2  # of them, before a student is listed for the course
RULE = pages.Pair(
    zh="这一课检查给的分没拿到一半，或者没有交。",
    en="Earned less than half of the points that this lesson's checks give, or handed in nothing.",
)
_PLANNED = re.compile(r"(\d+) 分钟")


@dataclass(frozen=True)
class Row:
    """One student in a lesson."""

    student: str
    name: str
    state: str  # "graded", "ungradable", "failed" (of the grader's making) or "missing"
    earned: float  # by checks (a person's correction counts)
    checks: int  # points that checks give
    score: float  # with what a person gave
    max_score: float
    manual: bool  # a person still has points to give
    losses: list[Record]
    reason: pages.Pair | None  # why it could not be graded
    unsafe: bool
    by_hand: dict[str, float]  # what a person gave for a check instead
    besides: list[Text]  # what else cost points
    entry: Entry | None = field(default=None, repr=False)

    @property
    def share(self) -> float | None:
        """The part of the checks' points that was earned; None where nothing was graded."""
        return self.earned / self.checks if self.state == "graded" and self.checks else None

    @property
    def needs_help(self) -> bool:
        """The lesson's rule."""
        return self.state == "missing" or (self.share is not None and self.share < HALF)


@dataclass(frozen=True)
class CheckSummary:
    """How a class did in one check: how many of `of` students earned all, some or no points, and what they lost."""

    name: str
    points: int
    full: int
    some: int
    none: int
    mean: float
    lost: list[tuple[pages.Pair, int]]  # labels of properties that failed, most often first

    @property
    def of(self) -> int:
        """How many students were graded in it."""
        return self.full + self.some + self.none


@dataclass(frozen=True)
class Seen:
    """A known mistake that was recognised, and in whose work."""

    name: str
    part: str
    hint: pages.Pair
    students: list[str]


@dataclass(frozen=True)
class Spans:
    """Minutes from the first check that a student ran to handing in, where receipts tell: one a student, sorted."""

    minutes: list[float]
    planned: int | None  # what the lesson's first cell says

    @property
    def middle(self) -> float:
        """The median."""
        return median(self.minutes)

    @property
    def quarters(self) -> tuple[float, float]:
        """The times that a quarter and three quarters of the students stayed below."""
        last = len(self.minutes) - 1
        return self.minutes[round(last * 0.25)], self.minutes[round(last * 0.75)]


@dataclass(frozen=True)
class ClassReport:
    """All that a page about a lesson shows; `checks` and `mistakes` are most-needed first."""

    lesson: Lesson
    rows: list[Row]
    checks: list[CheckSummary]
    mistakes: list[Seen]
    spans: Spans

    def of_state(self, *states: str) -> list[Row]:
        """The rows in any of these states."""
        return [row for row in self.rows if row.state in states]

    @property
    def graded(self) -> list[Row]:
        """The rows that have a score."""
        return self.of_state("graded")

    @property
    def ungradable(self) -> list[Row]:
        """The rows that a person must look at before they have a score."""
        return self.of_state("ungradable", "failed")

    @property
    def missing(self) -> list[Row]:
        """The students on the roster who submitted nothing."""
        return self.of_state("missing")

    @property
    def bins(self) -> list[int]:
        """The graded, counted by tenths of the checks' points; the last bin is full marks and what is next to it."""
        counts = [0] * BINS
        for row in self.graded:
            counts[min(BINS - 1, int(BINS * (row.share or 0.0)))] += 1
        return counts

    @property
    def middle(self) -> float | None:
        """The median share of the checks' points."""
        return median(row.share or 0.0 for row in self.graded) if self.graded else None

    @property
    def helpless(self) -> list[Row]:
        """The students who may need help, who earned least first."""
        return sorted((r for r in self.rows if r.needs_help), key=lambda r: (r.share is None, r.share or 0.0))


def summarise(course: Course, lesson: str) -> ClassReport:
    """Gather what the class did in a lesson. Raises AutograderError if the lesson is not released."""
    released = released_lesson(course, lesson)
    entries = {entry.student: entry for entry in course.ledger.of_lesson(lesson)}
    dead = {each.student: each.reason for each in course.ledger.dead(lesson)}
    given = marks(course, lesson)
    names = course.roster()
    rows = [
        _row(student, names, released, entries.get(student), dead.get(student), given.get(student, Marks()))
        for student in [*names, *sorted((entries.keys() | dead.keys()) - names.keys())]
    ]
    graded = [(e.student, r) for e in entries.values() for r in e.records.values() if r["status"] == "graded"]
    spans = Spans(sorted(_minutes(course.root / "collected" / lesson)), _planned(released))
    return ClassReport(released, rows, _by_check(released, graded), _by_mistake(graded), spans)


def _row(
    student: str,
    names: dict[str, str],
    lesson: Lesson,
    entry: Entry | None,
    dead: pages.Pair | None,
    given: Marks,
) -> Row:
    records = list(entry.records.values()) if entry else []
    reason = (entry and entry.problem) or next((r["reason"] for r in records if r["status"] != "graded"), None)
    ungradable = entry and entry.ungradable and not given.all_by_hand
    state = ("failed" if dead else "missing") if not entry else "ungradable" if ungradable else "graded"
    return Row(
        student=student,
        name=names.get(student, ""),
        state=state,
        earned=sum(mark.score for cell, mark in given.cells.items() if cell in lesson.checks),
        checks=sum(lesson.points[cell] for cell in lesson.checks),
        score=given.score,
        max_score=lesson.max_score,
        manual=given.needs_a_person,
        losses=[r for r in records if pages.lost(r)],
        reason=reason or dead,
        unsafe=any(not r["sandboxed"] for r in records),
        by_hand={lesson.checks[cell]: points for cell, points in given.by_hand.items() if cell in lesson.checks},
        besides=given.besides(lesson.points, lesson.checks),
        entry=entry,
    )


def _by_check(lesson: Lesson, graded: list[tuple[str, Record]]) -> list[CheckSummary]:
    of_check: dict[str, list[Record]] = defaultdict(list)
    for _, record in graded:
        of_check[record["check"]].append(record)
    found = []
    for grade_id, check in lesson.checks.items():
        mine = of_check[check]
        full, none = sum(not pages.lost(r) for r in mine), sum(pages.lost(r) and not r["score"] for r in mine)
        lost = Counter(p["label"] for r in mine for p in r["properties"] if p["state"] in ("fail", "unreached"))
        most = [(pages.label_of(label), count) for label, count in lost.most_common(4)]
        mean = sum(r["score"] for r in mine) / len(mine) if mine else 0.0
        found.append(CheckSummary(check, lesson.points[grade_id], full, len(mine) - full - none, none, mean, most))
    return sorted(found, key=lambda each: each.full / (each.of or 1))


def _by_mistake(graded: Iterable[tuple[str, Record]]) -> list[Seen]:
    """The known mistakes that were recognised, by the number of students in whose work they were."""
    who: dict[str, set[str]] = defaultdict(set)
    for student, record in graded:
        if record["hint"] in MISTAKES:
            who[record["hint"]].add(student)
    found = [
        Seen(name, MISTAKES[name].part, pages.Pair(**MISTAKES[name].hint._asdict()), sorted(students))
        for name, students in who.items()
    ]
    return sorted(found, key=lambda each: (-len(each.students), each.name))


# ── time ─────────────────────────────────────────────────────────────────────────────────────────


def _planned(lesson: Lesson) -> int | None:
    found = _PLANNED.search(lesson.notebook.cells[0].source)
    return int(found[1]) if found else None


def _minutes(folder: Path) -> list[float]:
    """For every student whose latest receipt tells when the first check ran: minutes from then to handing in."""
    found = []
    for home in folder.glob("*/"):
        spans = [span for each in home.glob("*/receipt.json") if (span := _span(each)) is not None]
        found += [max(spans)] if spans else []
    return found


def _span(path: Path) -> float | None:
    """A receipt comes from the learner's machine: whatever does not fit is no time."""
    try:
        said: Any = json.loads(path.read_text(encoding="utf-8"))
        first, last = (datetime.fromisoformat(said[key].replace(" UTC", "+00:00")) for key in ("first_check", "time"))
        minutes = (last - first).total_seconds() / 60
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return minutes if 0 <= minutes < 60 * 24 * 365 else None


# ── all lessons ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class CourseReport:
    """All lessons in which something was graded, and every student in them."""

    lessons: list[ClassReport]

    @property
    def students(self) -> dict[str, dict[str, Row]]:
        """student -> lesson -> row, in the roster's order."""
        found: dict[str, dict[str, Row]] = {}
        for each in self.lessons:
            for row in each.rows:
                found.setdefault(row.student, {})[each.lesson.name] = row
        return found

    @property
    def rule(self) -> pages.Pair:
        """Who may need help: the lesson's rule, as long as there is only one."""
        recent = min(RECENT, len(self.lessons))
        if recent <= 1:
            return RULE
        return pages.Pair(
            zh=f"最近 {recent} 课里，至少有 {OFTEN} 课没拿到检查分的一半，或者没有交。",
            en=f"In at least {OFTEN} of the last {recent} lessons: less than half of the checks' points, or nothing.",
        )

    @property
    def helpless(self) -> list[tuple[str, list[Row]]]:
        """The students who may need help by the course's rule, and the rows that say so, most first."""
        recent = [each.lesson.name for each in self.lessons[-RECENT:]]
        wanted = min(OFTEN, len(recent))
        found = [
            (student, [rows[name] for name in recent if name in rows and rows[name].needs_help])
            for student, rows in self.students.items()
        ]
        return sorted((each for each in found if len(each[1]) >= wanted), key=lambda each: -len(each[1]))


def overall(course: Course, also: Collection[str] = ()) -> CourseReport:
    """Gather all lessons that are released and have been graded, and those of `also` in any case."""
    return CourseReport([summarise(course, name) for name in graded(course, also)])


def graded(course: Course, also: Collection[str] = ()) -> list[str]:
    """The released lessons that have been graded, and those of `also` in any case, in their order."""
    folder = course.path("release", ".", "x").parent
    names = sorted(path.parent.name for path in folder.glob("[0-9]*/*.ipynb") if path.stem == path.parent.name)
    return [name for name in names if name in also or course.ledger.counts(name)]
