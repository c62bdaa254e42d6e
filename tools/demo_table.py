"""Writes what `make demo` came to into README.md and README.zh-CN.md, between its two markers.

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

BEGIN, END = "<!-- demo: tools/demo_table.py -->", "<!-- end of demo -->"


def points(entry: Entry) -> str:
    """What the checks gave; ? where a person must look."""
    records = entry.records.values()
    return "?" if entry.ungradable else f"{sum(r['score'] for r in records)}/{sum(r['points'] for r in records)}"


def table(course: Course, names: list[str]) -> str:
    """A line a submission, a column a lesson."""
    students = dict(zip(course.roster(), sample_class.submissions(), strict=False))
    columns = []
    for name in names:
        graded = {entry.student: entry for entry in course.ledger.of_lesson(name)}
        now = version_for(course, name)
        stale = [each for each in students if each not in graded or graded[each].grader != now]
        if stale:
            raise SystemExit(f"{name}: {', '.join(stale[:3])} …: make demo {name}")
        columns.append([points(graded[student]) for student in students])
    lines = ["样例 · Sample submission | " + " | ".join(name[:2] for name in names), "---|" + "--:|" * len(names)]
    for number, submission in enumerate(students.values()):
        cells = " | ".join(column[number] for column in columns)
        lines.append(f"{submission.zh} · {submission.en} | {cells}")
    return "\n".join(f"| {line} |" if not line.startswith("---") else f"|{line}" for line in lines)


def main() -> int:
    drawn = table(Course(lessons.COURSE), lessons.names())
    for readme in ("README.md", "README.zh-CN.md"):
        path = ROOT / readme
        head, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
        _, _, tail = rest.partition(END)
        path.write_text(f"{head}{BEGIN}\n\n{drawn}\n\n{END}{tail}", encoding="utf-8")
    print("✓ README.md, README.zh-CN.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
