"""The table of the sample class: a line a submission, a column a lesson, and nobody got what they must not. The READMEs
show some of its lines."""

from pathlib import Path

import pytest

from autograder import lessons, sample_class
from tools import demo_table

ROOT = Path(__file__).parent.parent


def table(file: str) -> list[list[str]]:
    text = (ROOT / file).read_text(encoding="utf-8")
    drawn = text.partition(demo_table.BEGIN)[2].partition(demo_table.END)[0]
    head, _, *lines = [[cell.strip() for cell in row.split("|")[1:-1]] for row in drawn.strip().splitlines()]
    return [head, *lines]


def test_the_table_is_of_this_course_and_this_class():
    head, *lines = table("docs/sample_class.md")
    assert head[1:] == [name[:2] for name in lessons.names()]
    most = {}
    for name in lessons.names():
        lesson = lessons.load(name)
        most[name[:2]] = sum(lesson.points[grade_id] for grade_id in lesson.checks)
    assert [line[0] for line in lines] == [f"{each.zh} · {each.en}" for each in sample_class.submissions()]
    for line, submission in zip(lines, sample_class.submissions(), strict=True):
        for lesson, cell in zip(head[1:], line[1:], strict=True):
            if submission.expects == "ungradable":
                assert cell == "?"
                continue
            got, of = map(int, cell.split("/"))
            assert of == most[lesson]
            assert {"full": got == of, "less": got < of, "none": got == 0}[submission.expects], (line[0], lesson)


@pytest.mark.parametrize("readme, language", [("README.md", "en"), ("README.zh-CN.md", "zh")])
def test_the_readmes_show_lines_of_it(readme, language):
    head, *lines = table("docs/sample_class.md")
    points = {each.name: line[1:] for each, line in zip(sample_class.submissions(), lines, strict=True)}
    named = {getattr(each, language): each for each in sample_class.submissions()}
    own_head, *shown = table(readme)
    assert own_head[1:] == head[1:] and [named[line[0]].name for line in shown] == [*demo_table.TELLING]
    assert all(line[1:] == points[named[line[0]].name] for line in shown)
    assert {named[line[0]].expects for line in shown} == {"full", "less", "none", "ungradable"}
