"""Writes what `make demo` came to: all of it into docs/sample_class.md, a few telling rows into both READMEs.

    make demo && .venv/bin/python tools/demo_table.py

The points are read from the ledger of course/, where the last demo put them: nothing is graded here, and nothing is
written unless every sample submission of every lesson has been graded by the code and the release that are here now.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from autograder import lessons, sample_class  # noqa: E402
from autograder.course import Course  # noqa: E402
from autograder.grade import version_for  # noqa: E402
from autograder.records import Entry  # noqa: E402
from autograder.sample_class import Submission  # noqa: E402

BEGIN, END = "<!-- demo: tools/demo_table.py -->", "<!-- end of demo -->"
TELLING = ("full_marks", "partial", "mistake_1", "prints_a_score", "no_notebook")

# file -> head of the first column, what a row is called, which submissions it shows (None: all)
TABLES = {
    "README.md": ("Sample submission", lambda each: each.en, TELLING),
    "README.zh-CN.md": ("样例提交", lambda each: each.zh, TELLING),
    "docs/sample_class.md": ("样例 · Sample submission", lambda each: f"{each.zh} · {each.en}", None),
}


def points(entry: Entry) -> str:
    """What the checks gave; ? where a person must look."""
    records = entry.records.values()
    return "?" if entry.ungradable else f"{sum(r['score'] for r in records)}/{sum(r['points'] for r in records)}"


def rows(course: Course, names: list[str]) -> list[tuple[Submission, list[str]]]:
    """Every submission with its points in every lesson."""
    students = dict(zip(course.roster(), sample_class.submissions(), strict=False))
    columns = []
    for name in names:
        graded = {entry.student: entry for entry in course.ledger.of_lesson(name)}
        now = version_for(course, name)
        stale = [each for each in students if each not in graded or graded[each].grader != now]
        if stale:
            raise SystemExit(f"{name}: {', '.join(stale[:3])} …: make demo {name}")
        columns.append([points(graded[student]) for student in students])
    return [(each, list(cells)) for each, *cells in zip(students.values(), *columns, strict=True)]


def table(file: str, names: list[str], found: list[tuple[Submission, list[str]]]) -> str:
    """The table of one file: a row for each submission that it shows, a column for each lesson."""
    head, label, shown = TABLES[file]
    lines = [[head, *(name[:2] for name in names)]]
    lines += [[label(each), *cells] for each, cells in found if shown is None or each.name in shown]
    drawn = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([drawn[0], f"|---|{'--:|' * len(names)}", *drawn[1:]])


def main() -> int:
    names = lessons.names()
    found = rows(Course(lessons.COURSE), names)
    for file in TABLES:
        path = ROOT / file
        head, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
        _, _, tail = rest.partition(END)
        path.write_text(f"{head}{BEGIN}\n\n{table(file, names, found)}\n\n{END}{tail}", encoding="utf-8")
        print("✓", file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
