"""Writes the table of lessons into README.md and README.zh-CN.md, between its two markers; --check only compares.

Every number is counted from the lessons' sources and from the registry of mistakes; only the words of the head are here.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

from autograder import lessons
from autograder.mistakes import of_part

ROOT = Path(__file__).resolve().parent.parent
MARKED = re.compile(
    r"(?P<begin><!-- lessons: tools/lesson_table\.py -->\n).*?(?P<end><!-- end of lessons -->)", re.DOTALL
)
MINUTES = re.compile(r"(\d+) 分钟")

# file -> head of the columns, word for the last row
READMES = {
    "README.md": ("Lesson | Parts | Checks | Points | Minutes | Known mistakes", "All"),
    "README.zh-CN.md": ("课 | 部件 | 检查 | 分 | 分钟 | 已知错误", "合计"),
}


class Row(NamedTuple):
    """A lesson and what is counted in it."""

    title: dict[str, str]
    parts: int
    checks: int
    points: int
    minutes: int
    mistakes: int


def row(name: str) -> Row:
    """What is counted in one lesson."""
    lesson = lessons.load(name)
    minutes = MINUTES.search(lesson.notebook.cells[0].source)
    if minutes is None:
        raise SystemExit(f"{name}: 第一格里没有“… 分钟” · the first cell does not say how many minutes (分钟)")
    titles = zip(READMES, (lesson.title_en, lesson.title_zh), strict=True)
    link = f"release/{name}/{name}.ipynb"
    return Row(
        {readme: f"[{name[:2]} · {title}]({link})" for readme, title in titles},
        len(lesson.parts),
        len(lesson.checks),
        lesson.max_score,
        int(minutes[1]),
        sum(len(of_part(part)) for part in lesson.parts),
    )


def table(readme: str, rows: list[Row]) -> str:
    """The table in that file's language."""
    head, total = READMES[readme]
    lines = [(each.title[readme], *each[1:]) for each in rows]
    lines.append((total, *map(sum, zip(*(each[1:] for each in rows), strict=True))))
    body = "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)
    return f"\n| {head} |\n|---{'|--:' * head.count('|')}|\n{body}\n"


def main() -> int:
    """Write both files, or compare them; 1 if one is not current."""
    stale, rows = 0, [row(name) for name in lessons.names()]
    for readme in READMES:
        path = ROOT / readme
        before = path.read_text(encoding="utf-8")
        if not MARKED.search(before):
            raise SystemExit(f"{readme}: 缺少课程表的标记 · the markers of the table of lessons are missing")
        after = MARKED.sub(rf"\g<begin>{table(readme, rows)}\g<end>", before)
        if after != before:
            stale += 1
            if "--check" not in sys.argv[1:]:
                path.write_text(after, encoding="utf-8")
    return int("--check" in sys.argv[1:] and stale > 0)


if __name__ == "__main__":
    sys.exit(main())
