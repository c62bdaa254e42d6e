"""What a class did in a lesson: the score table for the terminal and the class report as a page.

Both are drawn from the gradebook's scores and the ledger, and both say for every lost point why.
Nothing is decided here. Per-student pages are nbgrader's feedback.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text as Line

from autograder import pages
from autograder.course import Course
from autograder.grade import Result, released_lesson
from autograder.lessons import Lesson
from autograder.marks import Marks, marks
from autograder.mistakes import MISTAKES
from autograder.records import Entry, Record

BINS = 5


@dataclass(frozen=True)
class Row:
    """One student in a lesson."""

    student: str
    name: str
    state: str  # "graded", "ungradable" or "missing"
    score: float
    max_score: float
    manual: bool
    losses: list[Record]
    reason: pages.Pair | None  # why it could not be graded
    unsafe: bool


@dataclass(frozen=True)
class ClassReport:
    """All that a page about a class shows; `checks` and `mistakes` are most-needed first."""

    lesson: Lesson
    rows: list[Row]
    checks: list[dict[str, Any]]
    mistakes: list[dict[str, Any]]
    bins: list[dict[str, Any]]

    @property
    def graded(self) -> list[Row]:
        """The rows that have a score."""
        return [row for row in self.rows if row.state == "graded"]

    @property
    def ungradable(self) -> list[Row]:
        """The rows that a person must look at before they have a score."""
        return [row for row in self.rows if row.state == "ungradable"]

    @property
    def missing(self) -> list[Row]:
        """The students on the roster who submitted nothing."""
        return [row for row in self.rows if row.state == "missing"]


# ── the terminal ─────────────────────────────────────────────────────────────────────────────────


def table(course: Course, lesson: Lesson, results: list[Result], labels: dict[str, str] | None = None) -> Table:
    """The score table of a grading run, with the reason of every lost point.

    `labels` says a word about each submission, for the sample class.
    """
    names = course.roster()
    title = f"{lesson.name}   {lesson.title_zh} · {lesson.title_en}"
    drawn = Table(title=title, title_justify="left", show_lines=True)
    drawn.add_column("学生 · Student", overflow="fold", max_width=22)
    drawn.add_column("分数 · Score", justify="right", no_wrap=True)
    drawn.add_column("失分原因 · Why points were lost", overflow="fold")
    order = {student: place for place, student in enumerate(names)}
    for result in sorted(results, key=lambda each: order.get(each.student, len(order))):
        lines = [names.get(result.student, result.student), (labels or {}).get(result.student, "")]
        why = Line("\n".join(_reasons(result)))
        drawn.add_row(Line("\n".join(filter(None, lines))), _score(result), why)
    return drawn


def overview(results: dict[str, list[Result]], labels: dict[str, str]) -> Table:
    """One line a submission, one column a lesson: the checks' points, before what a person gives by hand."""
    drawn = Table(title="全班一览 · The class at a glance", title_justify="left", box=box.MARKDOWN)
    drawn.add_column("样例 · Sample submission", overflow="fold")
    for lesson in results:
        drawn.add_column(lesson[:2], justify="right", no_wrap=True, min_width=5)
    for student, label in labels.items():
        cells = [next((each for each in given if each.student == student), None) for given in results.values()]
        drawn.add_row(label.replace("\n", " · "), *[_short(each) for each in cells])
    return drawn


def _short(result: Result | None) -> str:
    if result is None or result.status != "graded" or not result.entry:
        return "–" if result is None else "?"
    records = result.entry.records.values()
    return f"{sum(r['score'] or 0 for r in records):g}/{sum(r['points'] for r in records):g}"


def _score(result: Result) -> Line:
    if result.status != "graded":
        words = {"ungradable": "未能评分\nnot graded", "failed": "评分出错\nfailed"}[result.status]
        return Line(f"? {words}", style="yellow")
    left = "\n+ 人工 · by hand" if result.manual else ""
    full = result.entry and not any(pages.lost(record) for record in result.entry.records.values())
    return Line(f"{result.score:g} / {result.max_score:g}{left}", style="green" if full else "")


def _reasons(result: Result) -> list[str]:
    """Why a result is not full marks: each mistake or reason once, with the checks it cost points in."""
    if result.status != "graded" or not result.entry:
        return pages.both(result.problem)
    lost = [record for record in result.entry.records.values() if pages.lost(record)]
    groups: dict[str, list[Record]] = {}
    for record in lost:
        groups.setdefault(record["hint"] or pages.plain(record["reason"]), []).append(record)
    lines = []
    for records in groups.values():
        lines.append("✗ " + " · ".join(f"{r['check']} {r['score']}/{r['points']}" for r in records))
        hint = pages.both(pages.hint_of(records[0]))
        lines += [f"  {line}" for line in pages.both(records[0]["reason"])] + [f"  💡 {line}" for line in hint]
    if any(not record["sandboxed"] for record in result.entry.records.values()):
        lines.append("⚠ 没有沙箱 · no sandbox")
    return lines


# ── the page ─────────────────────────────────────────────────────────────────────────────────────


def summarise(course: Course, lesson: str) -> ClassReport:
    """Gather what the class did. Raises AutograderError if the lesson is not released."""
    released = released_lesson(course, lesson)
    entries = {entry.student: entry for entry in course.ledger.of_lesson(lesson)}
    given = marks(course, lesson)
    names = course.roster()
    students = [*names, *sorted(set(entries) - set(names))]
    rows = [_row(student, names, released, entries.get(student), given.get(student, Marks())) for student in students]
    records = [r for e in entries.values() for r in e.records.values() if r["status"] == "graded"]
    return ClassReport(released, rows, _by_check(released, records), _by_mistake(records), _bins(rows))


def write(course: Course, lesson: str) -> Path:
    """Write the class report of a lesson and return its path."""
    from jinja2 import Environment, FileSystemLoader

    templates = Environment(loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True)
    page = templates.get_template("report.html").render(
        report=summarise(course, lesson), csp=pages.CSP, plain=pages.plain
    )
    path = course.root / "report" / f"{lesson}.html"
    path.parent.mkdir(exist_ok=True)
    if not path.is_file() or path.read_text(encoding="utf-8") != page:
        path.write_text(page, encoding="utf-8")
    return path


def _row(student: str, names: dict[str, str], lesson: Lesson, entry: Entry | None, given: Marks) -> Row:
    records = list(entry.records.values()) if entry else []
    reason = (entry and entry.problem) or next((r["reason"] for r in records if r["status"] != "graded"), None)
    state = "missing" if not entry else "ungradable" if entry.ungradable else "graded"
    losses = [r for r in records if pages.lost(r)]
    unsafe = any(not r["sandboxed"] for r in records)
    return Row(
        student,
        names.get(student, ""),
        state,
        given.score,
        lesson.max_score,
        given.needs_a_person,
        losses,
        reason,
        unsafe,
    )


def _by_check(lesson: Lesson, records: list[Record]) -> list[dict[str, Any]]:
    found = []
    for grade_id, check in lesson.checks.items():
        mine = [r for r in records if r["check"] == check]
        full = sum(not pages.lost(r) for r in mine)
        mean = sum(r["score"] for r in mine) / len(mine) if mine else 0.0
        rate = 100 * full / len(mine) if mine else 0.0
        found.append(
            {
                "name": check,
                "full": full,
                "of": len(mine),
                "rate": rate,
                "mean": mean,
                "points": lesson.points[grade_id],
            }
        )
    return sorted(found, key=lambda each: each["rate"])


def _by_mistake(records: list[Record]) -> list[dict[str, Any]]:
    counted = Counter(r["hint"] for r in records if r["hint"] in MISTAKES)
    return [
        {"name": name, "count": count, "part": MISTAKES[name].part, "hint": pages.pair(MISTAKES[name].hint)}
        for name, count in sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    ]


def _bins(rows: list[Row]) -> list[dict[str, Any]]:
    """Count the graded by fifths of the points that the referee gives; the last bin holds full marks."""
    graded = [row for row in rows if row.state == "graded"]
    counts = [0] * BINS
    for row in graded:
        counts[min(BINS - 1, int(BINS * row.score / row.max_score)) if row.max_score else 0] += 1
    most = max(counts, default=0) or 1
    return [
        {"from": 100 * i // BINS, "to": 100 * (i + 1) // BINS, "count": n, "width": 100 * n / most}
        for i, n in enumerate(counts)
    ]
