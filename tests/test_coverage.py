"""docs/coverage.md is whole: no part of the notes is left out, no lesson, no belief; what it names is where it says."""

import re
from functools import cache
from typing import NamedTuple

import pytest

from autograder import lessons
from autograder.lessons import PROJECT, kind

PAGE = (PROJECT / "docs" / "coverage.md").read_text(encoding="utf-8")
BELIEFS = "常见的误会 · Common beliefs"
NUMBERED = [name for name in lessons.names() if name[0].isdigit()]

# Every set of notes, and its parts as its own headings have them.
NOTES = {
    "S0 · torch基本使用逻辑 · How torch is used": [
        *("1", "2", "3", "4", "5", "6", "7"),
        *("8 概念 3", "8 概念 4", "8 概念 5", "8 概念 6", "8 概念 7"),
    ],
    "S1 · autograd": ["autograd", "计算图", "非叶子节点的grad"],
    "S2 · 1.2 Pytorch Autograd 自动求导 · Pytorch Autograd": ["1", "2", "3"],
    "S3 · PyTorch 笔记 · PyTorch notes": ["CUDA", "反向传播", "Variable", "一", "二", "三 1", "三 2", "代码"],
}
# How many beliefs the lessons 00 to 15 have to correct.
TO_CORRECT = [0, 3, 3, 3, 1, 2, 2, 3, 2, 1, 3, 2, 1, 0, 1, 1]


class Row(NamedTuple):
    """One line of a table."""

    table: str
    part: str
    topic: str
    lesson: str
    section: str
    assertion: str


def rows() -> list[Row]:
    found = []
    for block in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]:
        title, _, table = block.partition("\n")
        lines = [line for line in table.splitlines() if line.startswith("|")][2:]
        for line in lines:
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            part = cells.pop(0) if title != BELIEFS else ""
            topic, link, section, assertion = cells
            number, name = re.fullmatch(r"\[(\d\d)\]\(\.\./source_notebooks/(\w+)/\2\.py\)", link).groups()
            assert name.startswith(number)
            found.append(Row(title, part, topic, name, section, assertion.strip("`")))
    return found


ROWS = rows()


@cache
def sections(name: str) -> dict[str, str]:
    """Heading (number · Chinese · English) -> the proof and check cells beneath it, in one line."""
    found: dict[str, list[str]] = {}
    chinese = title = ""
    for cell in lessons.load(name).notebook.cells:
        heading = re.match(r"## (\d+ · )?(.*)", cell.source) if cell.cell_type == "markdown" else None
        if heading and kind(cell) == "lang-zh":
            chinese = heading[2].strip()
        elif heading and kind(cell) == "lang-en":
            title = f"{heading[1] or ''}{chinese} · {heading[2].strip()}"
            found[title] = []
        elif kind(cell) in ("proof", "check") and title:
            found[title].append(cell.source)
    return {title: one_line("\n".join(cells)) for title, cells in found.items()}


def one_line(code: str) -> str:
    return re.sub(r"\s+", " ", code)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.lesson[:2]} {row.topic.split(' · ')[-1][:40]}")
def test_the_section_and_its_assertion_are_there(row):
    assert row.section in sections(row.lesson), (
        f"no such section in {row.lesson}; there are {list(sections(row.lesson))}"
    )
    beneath = sections(row.lesson)[row.section]
    assert len(row.assertion) > 12 and one_line(row.assertion) in beneath, f"not asserted there: {row.assertion}"


def test_every_part_of_the_notes_is_taught():
    taught = {title: [row.part for row in ROWS if row.table == title] for title in NOTES}
    for title, parts in NOTES.items():
        assert list(dict.fromkeys(taught[title])) == parts, title
    assert {row.table for row in ROWS} == {*NOTES, BELIEFS}


def test_every_lesson_has_its_place():
    assert {row.lesson for row in ROWS} == set(NUMBERED)
    assert [name[:2] for name in NUMBERED] == [f"{n:02}" for n in range(16)]


def test_every_belief_is_refuted():
    refuted = [row.lesson[:2] for row in ROWS if row.table == BELIEFS]
    assert [refuted.count(f"{number:02}") for number in range(16)] == TO_CORRECT
    assert refuted == sorted(refuted)


def test_a_topic_stands_in_both_languages():
    for row in ROWS:
        chinese, _, english = row.topic.partition(" · ")
        if not re.fullmatch("`[^`]+`", row.topic):  # code alone is the same in both
            assert re.search(r"[\u4e00-\u9fff]", chinese), row.topic
            assert english and not re.search(r"[\u4e00-\u9fff]", english), row.topic
