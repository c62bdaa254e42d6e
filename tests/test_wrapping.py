"""How lines of two languages are broken on a terminal (autograder/wrapping.py)."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from autograder.wrapping import CLOSES, OPENS, Screen

SENTENCES = (
    "  💡 squared_loss_grad：符号反了：Y - w·X 对 w 的导数是 -X，反过来写的 w·X - Y 才是 X。照现在的方向走，损失会越来越大。\n"
    "  单元格 squared_loss_grad 没有运行成功，所以你的函数没有接上引擎。"
    "SyntaxError: expected ':'（单元格 squared_loss_grad 第 2 行）\n"
    "  Half of the chain rule: the square outside is differentiated, the -w·X inside is not yet.\n"
    "\n"
    "✗ warmup_by_hand 0/1"
)


def shown(what, width):
    screen = Screen(width=width, file=io.StringIO(), markup=False, emoji=False)
    screen.print(what, highlight=False)
    return screen.file.getvalue().removesuffix("\n").split("\n")


def test_a_chinese_sentence_fills_its_lines():
    assert shown(SENTENCES, 64) == [
        "  💡 squared_loss_grad：符号反了：Y - w·X 对 w 的导数是 -X，反过",
        "  来写的 w·X - Y 才是 X。照现在的方向走，损失会越来越大。",
        "  单元格 squared_loss_grad 没有运行成功，所以你的函数没有接上引",
        "  擎。SyntaxError: expected ':'（单元格 squared_loss_grad 第 2",
        "  行）",
        "  Half of the chain rule: the square outside is differentiated,",
        "  the -w·X inside is not yet.",
        "",
        "✗ warmup_by_hand 0/1",
    ]


@pytest.mark.parametrize("width", range(24, 100, 7))
@pytest.mark.parametrize("kind", [str, Text])
def test_in_a_table_too_no_line_begins_with_a_mark_that_closes_or_ends_with_one_that_opens(width, kind):
    table = Table(box=None, show_header=False, pad_edge=False, padding=0)
    table.add_column(overflow="fold")
    table.add_row(kind(SENTENCES))
    lines = shown(table, width)
    assert lines == shown(SENTENCES, width) or [line.rstrip() for line in lines] == shown(SENTENCES, width)
    for line in filter(None, map(str.strip, lines)):
        assert cell_len(line) <= width
        assert line[0] not in CLOSES
        assert line[-1] not in OPENS


@given(st.text(alphabet="ab -，。（）字句💡\n", max_size=80), st.integers(8, 40))
def test_nothing_is_lost_and_nothing_is_too_wide(text, width):
    lines = shown(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(cell_len(line) <= width for line in lines)


def test_a_style_stays_on_its_words():
    screen = Screen(width=10, file=io.StringIO(), force_terminal=True, color_system="standard", markup=False)
    screen.print(Text.assemble("一二三四", ("五六七八", "red"), "九"))
    assert screen.file.getvalue() == "一二三四\x1b[31m五\x1b[0m\n\x1b[31m六七八\x1b[0m九\n"


def test_what_must_not_be_wrapped_is_not():
    screen = Screen(width=10, file=io.StringIO())
    screen.print("一二三四五六七八", soft_wrap=True)
    assert screen.file.getvalue() == "一二三四五六七八\n"
