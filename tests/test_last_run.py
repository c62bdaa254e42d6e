"""What a check says of the cells behind a part: one that ended in an error, and so left the function of before plugged
in; one that grading will not run, and whose names, or modules, will then be missing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from autograder import last_run

HEAD = '@implements("minigrad.ops.pointwise.mul_vjp_self")\n'
OTHER = '@implements("minigrad.ops.pointwise.mul_vjp_other")\ndef mul_vjp_other(grad, self):\n    return grad * self\n'
GOOD = "def mul_vjp_self(grad, other):\n    return grad * other\n"
BEFORE = ("那个 mul_vjp_self", "the mul_vjp_self you plugged in before that")
BOTH = ("那个 mul_vjp_self, mul_vjp_other", "the mul_vjp_self, mul_vjp_other you plugged in before that")
ELSEWHERE = ("用到了别的格子里的 one。", "uses one from another cell")
RENAMED = (
    "里写着 other，而第一行的参数是 grad, factor",
    "says other, but the arguments in its first line are grad, factor",
)
CAPITALS = ("里写的是 Other，参数却叫 grad, other", "says Other, but its arguments are grad, other")
MISSING = ("用到了 torch。", "uses torch. During grading")
# A cell with the part; how the next check begins; what it says of the cell in either language; the error it names.
STORY = [
    (GOOD.replace(":", ""), "○ mul_backward · 0/2", ("没有接上", "nothing from it is plugged in"), "SyntaxError: expected ':'"),
    ("def mul_vjp_self(grad, other):\n    raise NotImplementedError\n", "○ mul_backward · 1/2", (), ""),
    (GOOD.replace("return", "retrun"), "○ mul_backward · 1/2", BEFORE, "SyntaxError: invalid syntax"),
    (GOOD, "✓ mul_backward · 2/2", (), ""),
    (GOOD.replace("    ", ""), "○ mul_backward · 2/2", BEFORE, "under a def, for or if are four spaces further in"),
    (GOOD.replace("other)", "other=nowhere)", 1), "○ mul_backward · 2/2", BEFORE, "NameError: name 'nowhere' is not defined"),
    (GOOD.replace(", other)", ")"), "○ mul_backward · 2/2", BEFORE, "The engine cannot call a function declared with (grad)"),
    (GOOD + "1 / 0\n", "✓ mul_backward · 2/2", (), ""),  # it did get as far as the engine
    (GOOD.replace("grad *", "grad +"), "✗ mul_backward · ", (), ""),
    (GOOD.replace(")", "", 1), "✗ mul_backward · ", BEFORE, "SyntaxError: '(' was never closed"),
    (GOOD.replace("return", "if grad =! 1:\n        pass\n    return"), "✗ mul_backward · ", BEFORE, 'written !=, not =!'),
    (GOOD.replace("(grad", "（grad"), "✗ mul_backward · ", BEFORE, "This line has full-width (Chinese) punctuation"),
    (GOOD.replace("return ", "return ("), "✗ mul_backward · ", BEFORE, "most likely a closing bracket or quote is missing"),
    (GOOD, "✓ mul_backward · 2/2", (), ""),
    (GOOD.replace(")", "", 1) + OTHER, "○ mul_backward · 2/2", BOTH, "SyntaxError: '(' was never closed"),
    (GOOD + OTHER, "✓ mul_backward · 2/2", (), ""),
    (GOOD.replace("other\n", "other * one\n"), "○ mul_backward · 2/2", ELSEWHERE, ""),
    (GOOD.replace("other\n", "other * one\n") + "one = 1\n", "✓ mul_backward · 2/2", (), ""),
    (GOOD.replace("other\n", "Other\n"), "✗ mul_backward · ", CAPITALS, ""),
    (GOOD.replace("other)", "factor)", 1), "✗ mul_backward · ", RENAMED, ""),
    (GOOD.replace("other\n", "other if torch else 0\n"), "○ mul_backward · 2/2", MISSING, ""),
]  # fmt: skip


@pytest.mark.slow
def test_a_check_says_when_it_judges_the_function_of_before() -> None:
    cells = ["from autograder import check, implements\n" + OTHER, "import torch\none = other = Other = 1"]
    for source, *_ in STORY:
        cells += [HEAD + source, 'check("mul_backward")']
    book = new_notebook(cells=[new_code_cell(each) for each in cells])
    NotebookClient(book, kernel_name="python3", allow_errors=True, timeout=60).execute()
    checks = [cell.outputs[0]["data"]["text/plain"] for cell in book.cells if cell.source.startswith("check")]
    for (source, begins, says, error), said in zip(STORY, checks, strict=True):
        assert said.startswith(begins), (source, said)
        assert all(words in said for words in says) and error in said, (source, said)
        assert says is not BEFORE or "提示：" not in said.partition(BEFORE[0])[0], said  # the hint is that function's
        assert says or ("上次运行" not in said and "last ran" not in said), (source, said)


@pytest.mark.parametrize(("line", "blamed"), [("x = （1)", True), ("x = = 1  # （乘）", False), ("x = = '，'", False)])
def test_full_width_signs_in_texts_and_comments_are_not_blamed(line: str, blamed: bool) -> None:
    with pytest.raises(SyntaxError) as caught:
        compile(line, "cell", "exec")
    assert ("full-width" in last_run._words(caught.value).en) == blamed


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("x = 2X", "A product needs its sign, as in 2 * X"),
        ("    return x²", "A square is written ** 2"),
        ("    return a = 2 * x", "After return comes the value itself"),
        ("    retrun x", "Did you mean: return"),
        ("    Return x", "Did you mean: return"),
        ("if x", "A line that begins with def, if, for"),
        ("x =\u3000 1 + 1", "This line has a full-width space"),
        ("x = 'it doesn't work'", "An apostrophe inside single quotes"),
        ("x = 'it does", ""),
        ("x = 1 y", ""),
        ("x = f(a=1 b=2)", ""),
    ],
)
def test_a_line_that_is_no_python_is_told_what_to_do_about_it(line: str, says: str) -> None:
    with pytest.raises(SyntaxError) as caught:
        compile("def f(x):\n" + line if line.startswith(" ") else line, "cell", "exec")
    said = last_run._words(caught.value)
    assert says in said.en if says else said.en.endswith(")")


def test_what_is_said_of_a_line_begins_after_a_full_stop() -> None:
    with pytest.raises(SyntaxError) as caught:
        compile("x = （1)", "cell", "exec")
    assert "：x = （1)）。这一行里有中文（全角）标点" in last_run._words(caught.value).zh


# A cell's id, its text ("" for one that is deleted), what the check then begins with, and which run it says it judges.
CELLS = [
    ("a", HEAD + GOOD.replace("other\n", "other * 2\n"), "✗ mul_backward · ", "mul_vjp_self [2]"),
    ("b", HEAD + GOOD, "✓ mul_backward · 2/2", "mul_vjp_self [4]"),
    ("b", HEAD + GOOD.replace("return", "retrun"), "○ mul_backward · 2/2", "mul_vjp_self [4]"),
    ("b", "# " + HEAD + GOOD, "✗ mul_backward · ", "mul_vjp_self [2]"),  # the other cell's again
    ("b", HEAD + GOOD, "✓ mul_backward · 2/2", "mul_vjp_self [10]"),
    ("a", "", "✓ mul_backward · 2/2", "mul_vjp_self [10]"),
    ("b", HEAD.replace("_self", "_other") + GOOD, "○ mul_backward · 0/2", '@implements("minigrad.ops.pointwise.mul_vjp_self")'),
    ("b", HEAD + GOOD, "✓ mul_backward · 2/2", "mul_vjp_self [15], mul_vjp_other [1]"),
    ("o", "", "○ mul_backward · 0/2", '@implements("minigrad.ops.pointwise.mul_vjp_other")'),
]  # fmt: skip


@pytest.mark.slow
def test_a_part_goes_with_its_cell_and_a_check_names_the_run_it_judges() -> None:
    """As JupyterLab tells of its cells: by their ids, and by those deleted since it last asked for anything to be run."""
    manager, client = start_new_kernel(kernel_name="python3")

    def run(source: str, cell: str, deleted: Sequence[str] = ()) -> str:
        asked = {"code": source, "silent": False, "store_history": True, "stop_on_error": False}
        message = client.session.msg("execute_request", asked, metadata={"cellId": cell, "deletedCells": list(deleted)})
        client.shell_channel.send(message)
        said = ""
        while (heard := client.get_iopub_msg(timeout=60))["content"].get("execution_state") != "idle" or (
            heard["parent_header"].get("msg_id") != message["header"]["msg_id"]
        ):
            said = heard["content"].get("data", {}).get("text/plain", said)  # the last: progress is written over
        return said

    try:
        run("from autograder import check, implements\n" + OTHER, "o")
        for cell, source, begins, names in CELLS:
            if source:
                run(source, cell)
            said = run('check("mul_backward")', "check", () if source else [cell])
            assert said.startswith(begins) and names in said, (cell, source, said)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
