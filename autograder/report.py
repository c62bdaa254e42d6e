"""What a class did, shown: the score table for the terminal, and the pages for instructors.

    report/index.html                 all lessons, all students
    report/NN_topic.html              a lesson: distribution, checks, mistakes, who may need help, time
    report/students/ID.html           a student: every check of every lesson, and every version
    report/scores*.csv                what export.py writes

The pages say for every lost point why. They load nothing and run nothing (CSP), and everything in them is escaped.
What is counted, and how, is summary.py's; what students see is nbgrader's feedback.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text as Line

from autograder import export, pages
from autograder.course import Course
from autograder.files import put
from autograder.grade import Result, released_lesson
from autograder.lessons import Lesson
from autograder.messages import Text, text
from autograder.notices import noted
from autograder.records import Entry, Record
from autograder.summary import RULE, ClassReport, CourseReport, Row, overall

# ── the terminal ─────────────────────────────────────────────────────────────────────────────────

LEGIBLE = 46  # columns that a label in two languages needs, on two lines at most


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
        name = names.get(result.student)
        lines = [name or result.student, labels.get(result.student, "") if labels else result.student if name else ""]
        why = Line("\n".join(_reasons(result)))
        drawn.add_row(Line("\n".join(filter(None, lines))), _score(result), why)
    return drawn


def summed_up(lesson: str, results: list[Result]) -> Text:
    """A grading run in a line or two, and what to do next."""
    if not results:
        return text("nobody_handed_in", lesson=lesson)
    count = Counter(result.status for result in results)
    words = [text("graded_so_many", count=count["graded"], of=len(results))]
    words += [text("graded_not", count=count["ungradable"])] if count["ungradable"] else []
    words += [text("graded_failed", count=count["failed"])] if count["failed"] else []
    words += [text("graded_next", lesson=lesson)]
    return Text(*("\n".join(getattr(each, language) for each in words) for language in ("zh", "en")))


def overview(results: dict[str, list[Result]], labels: dict[str, str], width: int) -> list[Table]:
    """One line a submission, one column a lesson: the checks' points, before what a person gives by hand.

    As many tables as it takes for each to fit into `width` columns with its labels legible.
    """
    names, at_once = list(results), max(4, (width - LEGIBLE) // 8)
    return [_glance({name: results[name] for name in chosen}, labels) for chosen in batched(names, at_once)]


def _glance(results: dict[str, list[Result]], labels: dict[str, str]) -> Table:
    first, last = list(results)[0][:2], list(results)[-1][:2]
    title = f"全班一览 · The class at a glance, {first} – {last}"
    drawn = Table(title=title, title_justify="left", box=box.MARKDOWN)
    drawn.add_column("样例 · Sample submission", overflow="fold")
    for lesson in results:
        drawn.add_column(lesson[:2], justify="right", no_wrap=True, min_width=5)
    for student, label in labels.items():
        cells = [next((each for each in given if each.student == student), None) for given in results.values()]
        drawn.add_row(label.replace("\n", " · "), *[_short(each) for each in cells])
    return drawn


def batched(names: list[str], size: int) -> list[list[str]]:
    """The names in order, in groups of at most `size`, all of nearly one length."""
    groups = -(-len(names) // size)
    return [names[len(names) * i // groups : len(names) * (i + 1) // groups] for i in range(groups)]


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
    lost = result.besides or (result.entry and any(map(pages.lost, result.entry.records.values())))
    return Line(f"{result.score:g} / {result.max_score:g}{left}", style="" if lost or not result.entry else "green")


def grouped(lost: list[Record]) -> list[list[Record]]:
    """Records of lost points by what they were lost for, each reason once."""
    groups: dict[str, list[Record]] = {}
    for record in lost:
        groups.setdefault(record["hint"] or pages.plain(record["reason"]), []).append(record)
    return list(groups.values())


def _reasons(result: Result) -> list[str]:
    """Why a result is not full marks: each mistake or reason once, with the checks it cost points in."""
    if result.status != "graded" or not result.entry:
        return pages.both(result.problem)
    lost = [record for record in result.entry.records.values() if pages.lost(record)]
    lines = []
    for records in grouped(lost):
        lines.append("✗ " + " · ".join(pages.lost_in(record, result.by_hand) for record in records))
        hint = pages.both(pages.hint_of(records[0]))
        lines += [f"  {line}" for line in pages.both(records[0]["reason"])] + [f"  💡 {line}" for line in hint]
    if lost:
        lines += [f"ℹ {line}" for note in pages.remarks(result.entry.notes) for line in pages.both(note)]
    lines += [f"✗ {line}" for each in result.besides for line in each.lines()]
    if any(not record["sandboxed"] for record in result.entry.records.values()):
        lines.append("⚠ 没有沙箱 · no sandbox")
    return lines


# ── the pages ────────────────────────────────────────────────────────────────────────────────────


def write(
    course: Course, lessons: Collection[str] = (), step: Callable[[str], None] = lambda student: None
) -> list[Path]:
    """Write the pages; return the paths of the index and of the pages of `lessons` (of all that were graded).

    Every graded lesson gets its page, as the pages link to each other. Raises AutograderError if one of `lessons` is
    not released; one that nobody handed in has a page that says so.
    """
    for name in lessons:
        released_lesson(course, name)
    report = overall(course, lessons)
    folder = course.root / "report"
    names = _told_apart({student: next(iter(rows.values())).name for student, rows in report.students.items()})
    graded = [each.lesson.name for each in report.lessons]
    common = {"csp": pages.CSP, "lessons": graded, "names": names}
    look = _Templates(folder, common | {"page_of": lambda student: f"students/{_file(student)}", "reasons": _why})
    look.write("index.html", "course.html", report=report, rule=report.rule)
    for each in report.lessons:
        look.write(
            f"{each.lesson.name}.html", "lesson.html", report=each, rule=RULE, noted=noted(course, each.lesson.name)
        )
    for student, rows in report.students.items():
        given = [_of_student(course, folder, each, rows[each.lesson.name]) for each in _with(report, rows)]
        look.write(f"students/{_file(student)}", "student.html", student=student, name=names[student], lessons=given)
        step(student)
    for form, name in (("plain", "scores"), ("canvas", "scores-canvas"), ("moodle", "scores-moodle")):
        export.write(course, graded, form, folder / f"{name}.csv")
    return [folder / "index.html", *(folder / f"{name}.html" for name in lessons or graded)]


def _told_apart(names: dict[str, str]) -> dict[str, str]:
    """The names by id, with the id added to those that several students have."""
    held = Counter(names.values())
    return {id: f"{name} ({id})" if name and held[name] > 1 else name for id, name in names.items()}


class _Templates:
    """The pages' templates, what all of them know, and where the pages go."""

    def __init__(self, folder: Path, common: dict[str, Any]):
        from jinja2 import Environment, FileSystemLoader

        self.folder, self.common = folder, common
        self.found = Environment(loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True)

    def write(self, path: str, template: str, **what: Any) -> None:
        """Write a page, if it is not there just so."""
        page = self.found.get_template(template).render(self.common | what)
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.is_file() or target.read_text(encoding="utf-8") != page:
            put(target, page.encode())


def _file(student: str) -> str:
    """The name of a student's page: the id where it is plain, else a hash of it."""
    plain = re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,63}", student)
    return f"{student if plain else hashlib.sha256(student.encode()).hexdigest()[:20]}.html"


def _with(report: CourseReport, rows: dict[str, Row]) -> Iterable[ClassReport]:
    return [each for each in report.lessons if each.lesson.name in rows]


def _why(row: Row) -> Any:
    """Which checks a student lost points in, and to be unfolded, why: each reason once; as HTML."""
    from markupsafe import Markup

    lines = []
    for records in grouped(row.losses):
        first = records[0]
        said = pages.both(pages.hint_of(first)) or pages.both(first["reason"])
        where = " ".join(pages.lost_in(record, row.by_hand) for record in records)
        lines.append(Markup("<p><code>{}</code><br>{}</p>").format(where, Markup("<br>").join(said)))
    for note in pages.remarks(row.entry.notes if row.entry else {}):
        lines.append(Markup("<p>ℹ {}</p>").format(Markup("<br>").join(pages.both(note))))
    lost = " · ".join(pages.lost_in(record, row.by_hand) for record in row.losses)
    why = Markup("<details><summary>{}</summary>{}</details>").format(lost, Markup("").join(lines))
    others = [Markup("<p>{}</p>").format(Markup("<br>").join(each.lines())) for each in row.besides]
    return Markup("").join([why] * bool(row.losses) + others)


def _of_student(course: Course, folder: Path, report: ClassReport, row: Row) -> dict[str, Any]:
    """What a student's page says of a lesson."""
    from markupsafe import Markup

    name = report.lesson.name
    entry, history = row.entry, course.ledger.history(name, row.student)
    records = [
        {
            "lost": pages.lost(record),
            "headline": pages.headline(record) + pages.corrected(record, row.by_hand),
            "said": pages.hint_of(record) or record["reason"],
            "html": Markup(pages.as_html(record)),
        }
        for record in (entry.records.values() if entry else ())
    ]
    feedback = course.path("feedback", row.student, name) / f"{name}.html"
    return {
        "row_of": report.lesson,
        "row": row,
        "records": records,
        "notes": pages.remarks(entry.notes if entry else {}),
        "history": [_version(each) for each in history],
        "waiting": list(_never_graded(course.root / "collected" / name / row.student, history)),
        "feedback": _relative(feedback, folder / "students") if feedback.is_file() else None,
    }


def _version(entry: Entry) -> dict[str, str]:
    earned = sum(r["score"] or 0 for r in entry.records.values())
    points = "?" if entry.ungradable else f"{earned:g} / {sum(r['points'] for r in entry.records.values()):g}"
    when = datetime.fromtimestamp(entry.time, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return {"when": when, "points": points, "submission": entry.submission, "grader": entry.grader}


def _never_graded(home: Path, history: list[Entry]) -> Iterator[dict[str, str]]:
    """The collected versions that no grading was of: a later one came in before grading."""
    graded = {entry.submission[:16] for entry in history}
    for each in sorted(home.glob("*T*_*")):
        when, _, digest = each.name.partition("_")
        if digest not in graded:
            yield {"when": f"{when[:4]}-{when[4:6]}-{when[6:8]} {when[9:11]}:{when[11:13]} UTC", "submission": digest}


def _relative(path: Path, folder: Path) -> str:
    """A link from a page in `folder`; the course folder may be moved as a whole."""
    from os.path import relpath
    from urllib.parse import quote

    return quote(Path(relpath(path, folder)).as_posix())
