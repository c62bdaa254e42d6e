"""The READMEs' table of the sample class: a line a submission, a column a lesson, and nobody got what they must not."""

from pathlib import Path

import pytest

from autograder import lessons, sample_class

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("readme", ["README.md", "README.zh-CN.md"])
def test_the_table_is_of_this_course_and_this_class(readme):
    text = (ROOT / readme).read_text(encoding="utf-8")
    table = text.partition("<!-- demo: tools/demo_table.py -->")[2].partition("<!-- end of demo -->")[0]
    head, _, *lines = [[cell.strip() for cell in row.split("|")[1:-1]] for row in table.strip().splitlines()]
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
