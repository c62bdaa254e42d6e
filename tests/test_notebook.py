"""check() and hint() as a learner sees them: in a terminal, in a notebook, under the Validate button."""

import json
import re
import time
from html.parser import HTMLParser

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.validator import Validator

import autograder
from autograder import checks, compare, hints, messages, notebook, own_folder, parts
from autograder.errors import AutograderError, CheckFailed, UnknownName
from autograder.show import View
from minigrad.autograd.grad_mode import Decorating

MUL = "minigrad.ops.pointwise.mul_vjp_self"
OTHER = "minigrad.ops.pointwise.mul_vjp_other"
RIGHT = {MUL: lambda grad, other: grad * other, OTHER: lambda grad, self: grad * self}


@pytest.fixture(autouse=True)
def as_at_first():
    yield
    parts.unplug()
    messages.language("both")
    notebook._seeds.clear()
    hints._asked.clear()


def seen(capsys, written, name="mul_backward", seed=4711):
    """What check(name) prints with these parts plugged in."""
    with parts.plugged_in(RIGHT | written):
        autograder.check(name, seed)
    return capsys.readouterr().out


def test_a_pass_says_what_agreed(capsys):
    said = seen(capsys, {})
    assert said.startswith("✓ mul_backward · 2/2\n")
    assert (
        "✓ a * b 里的 a · a in a * b" in said and "12 项全部与 torch 一致 · 12 of 12 entries agree with torch" in said
    )
    assert "练习数据，评分时会换新的 · practice inputs; grading draws new ones · seed 4711" in said


def test_a_failure_says_what_was_expected_what_came_and_the_hint(capsys):
    said = seen(capsys, {MUL: lambda grad, other: other})
    assert said.startswith("✗ mul_backward · 1/2\n")
    assert re.search(
        r"✗ a \* b 里的 a · a in a \* b +12 项中有 12 项不同；第一处在 \[0, 0\]：应为 -?[\d.]+，得到", said
    )
    assert re.search(r"12 of 12 entries differ; first at \[0, 0\]: expected -?[\d.]+, got -?[\d.]+; worst error", said)
    assert "mul_vjp_self 的提示：导数 other 没错" in said
    assert "Hint for mul_vjp_self: The derivative, other, is right" in said


def test_a_failure_begins_with_the_hint_and_folds_what_passes(capsys):
    forgot = {MUL: lambda grad, other: other}
    said = seen(capsys, forgot).splitlines()
    assert said[0].startswith("✗") and "mul_vjp_self 的提示" in said[1] and "Hint for mul_vjp_self" in said[2]
    assert [line.strip() for line in said if "✓" in line] == ["✓ 另外 3 项都对 · 3 others pass"]
    assert sum(line.startswith("  ✗") for line in said) == 5
    with parts.plugged_in(RIGHT | forgot):
        html, _ = html_of(notebook.look(checks.get("mul_backward"), 4711))
    hint, failed, folded = (html.index(each) for each in ("Hint for", "a in a * b", "<details>"))
    assert hint < failed < folded < html.index("b in a * b") and html.count("<details>") == 1
    assert html.index("12 of 12 entries differ") < folded < html.index("12 of 12 entries agree")


def test_what_passes_or_is_skipped_is_folded_where_that_saves_lines():
    words = messages.Text("话", "words")
    passed, skipped, failed = (compare.Finding("x.grad", state, words) for state in ("pass", "skip", "fail"))
    for found, lines, folds in [
        ([passed], 1, 0),
        ([failed, passed, skipped], 3, 0),
        ([failed, passed, passed], 2, 1),
        ([failed, skipped, passed, skipped, passed, skipped], 3, 2),
        ([passed, passed], 2, 0),
    ]:
        view = View("a_check", "fail", properties=found)
        assert len(view.text().splitlines()) == 1 + lines
        assert view.text().count(" others ") == view.html().count("<details>") == folds
    assert "– 另外 3 项跳过 · 3 others skipped" in View("a", "fail", properties=[failed, *[skipped] * 3]).text()


def test_what_failed_in_the_words_of_another_is_folded_and_addresses_are_no_words():
    at = [messages.Text(f"报错 KeyError: <Node at 0x{n}f>", f"it raised KeyError: <Node at 0x{n}f>") for n in range(4)]
    found = [
        compare.Finding(f"case {n}", "fail", words) for n, words in enumerate([*at, messages.Text("别的", "another")])
    ]
    view = View("a_check", "fail", properties=found)
    rows = view.text().splitlines()[1:]
    assert len(rows) == 3 and "case 0" in rows[0] and "another" in rows[1]
    assert rows[2].endswith("3 others fail as the first one does")
    assert view.html().count("<details>") == 1 and "case 3" in view.html()


def test_the_same_slip_in_two_parts_has_a_hint_for_each(capsys):
    said = seen(capsys, {MUL: lambda grad, other: other, OTHER: lambda grad, self: self})
    assert "Hint for mul_vjp_self: The derivative, other, is right" in said
    assert "Hint for mul_vjp_other: The derivative, self, is right" in said
    assert said.index("mul_vjp_other 的提示") < said.index("Hint for mul_vjp_self")  # a language at a time


def test_where_nothing_is_recognised_the_next_step_is_named(capsys):
    with parts.plugged_in({"minigrad.autograd.ready.pop": lambda heap: max(heap, key=lambda node: node.order)}):
        autograder.check("who_goes_next", 1)
    said = capsys.readouterr().out
    assert 'Stuck? Run hint("pop") for hints' in said and "提示：" not in said
    with parts.plugged_in(
        {"minigrad.autograd.ready.pop": lambda heap: heap.order}
    ):  # an error says what, not what to do
        autograder.check("who_goes_next", 1)
    said = capsys.readouterr().out
    assert "'list' object has no attribute 'order'" in said and 'Stuck? Run hint("pop") for hints' in said
    assert "Stuck?" not in seen(capsys, {MUL: lambda grad, other: other})


def test_what_the_run_did_not_reach_is_said_once(capsys):
    def stops(self):
        raise ValueError

    autograder.use_parts("reference")
    with parts.plugged_in({"minigrad.tensor.Tensor.grad_fn": stops}):
        autograder.check("grad_fn_names", 1)
    said = capsys.readouterr().out
    assert said.count("not reached") == 1 and re.search("the other 11 .*没有运行到这里：.* · not reached: ", said)


def test_a_skipped_property_says_what_it_needs(capsys):
    step = "minigrad.optim.SGD.step"

    def rebinds(self):
        for p in self.params:
            if p.grad is not None:
                p.requires_grad_(False)
                p -= self.lr * p.grad

    with parts.plugged_in({step: rebinds}):
        autograder.check("sgd_step", 1)
    said = capsys.readouterr().out
    assert "– 保存的值察觉到更新" in said and "\n    saved values notice the update" in said
    assert "跳过：要先通过“仍然是叶子”" in said and 'skipped: needs "still a leaf"' in said


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda grad, other: None, "Your mul_vjp_self returned None: is a return missing?"),
        (lambda grad, other: [1.0], "Your mul_vjp_self returned a list"),
        (lambda grad, other: "grad", "Your mul_vjp_self returned a str"),
        (lambda grad, other: grad * float("nan"), "got nan"),
        (lambda grad, other: (grad * other).sum(), "differ"),
        (lambda grad, other: (grad * other)[:1], "shape"),
        (lambda grad, other: grad.nosuch, "AttributeError"),
        (lambda grad, other: grad / 0, "got "),
        (lambda grad, other: grad + undefined_name, "NameError: name 'undefined_name' is not defined (line "),  # noqa: F821
        (lambda grad, other: RIGHT[MUL](grad), "TypeError"),
    ],
)
def test_what_a_part_does_wrong_is_said_in_words(capsys, wrong, says):
    said = seen(capsys, {MUL: wrong})
    assert said.startswith("✗") and says in said and "Traceback" not in said


def test_a_part_without_end_of_recursion_is_said_in_words(capsys):
    def again(grad, other):
        return again(grad, other)

    assert "RecursionError" in seen(capsys, {MUL: again})


def test_a_part_that_prints_a_gigabyte_is_cut_short(capsys):
    def prints(grad, other):
        print("x" * 1_000_000)
        return grad * other

    said = seen(capsys, {MUL: prints})
    assert said.startswith("✓") and len(said) < 10_000
    assert re.search(r"还有 \d{8} 个字符没有显示", said) and "more characters" in said


def test_what_a_part_prints_is_shown(capsys):
    def prints(grad, other):
        print("grad is here", end="!\n")
        return grad * other

    assert "│ grad is here!" in seen(capsys, {MUL: prints})


def test_a_stub_is_told_what_to_do_next(capsys):
    def stub(grad, other):
        raise NotImplementedError

    def other_stub(grad, self):
        raise NotImplementedError

    said = seen(capsys, {MUL: stub})
    assert said.startswith("○ mul_backward · 1/2\n")  # what the other part has earned
    assert "还没有写" in said and "is not written yet" in said and 'hint("mul_vjp_self")' in said
    assert "写着 def mul_vjp_self 的单元格" in said and "the cell with def mul_vjp_self, replace" in said
    assert OTHER not in said
    assert "✓ 另外 2 项都对 · 2 others pass" in said
    assert "报错 NotImplementedError · it raised NotImplementedError" in said
    both = seen(capsys, {MUL: stub, OTHER: other_stub})
    assert both.startswith("○ mul_backward · 0/2\n  这些部件还没有写") and f"not written yet: {MUL}, {OTHER}." in both


def test_a_class_with_a_method_to_write_is_told_apart_from_parts_that_are_written(capsys):
    class NoGrad(Decorating):
        def __init__(self):
            self.before = []

        def __enter__(self):
            raise NotImplementedError

        def __exit__(self, *error):
            raise NotImplementedError

    training = checks.get("weight_update_training").parts
    with parts.plugged_in({part: parts.original(part) for part in training} | {training[0]: NoGrad}):
        autograder.check("weight_update_training")
    said = capsys.readouterr().out
    assert f"部件 {training[0]} 还没有写" in said and 'hint("no_grad")' in said
    assert "写着 class no_grad 的单元格" in said and "the cell with class no_grad, replace" in said
    assert training[1] not in said and training[2] not in said


def test_a_part_that_is_not_plugged_in_is_named(capsys):
    with parts.plugged_in({MUL: RIGHT[MUL]}):
        autograder.check("mul_backward")
    said = capsys.readouterr().out
    assert f'@implements("{OTHER}")' in said and f'@implements("{MUL}")' not in said


def test_a_part_the_check_never_uses_is_named(capsys):
    with parts.plugged_in({"minigrad.warmup.squared_loss_grad": lambda w, X, Y: 1.0}):
        unused = checks.Check("unused", "x", 1, ("minigrad.warmup.squared_loss_grad",), lambda T, rng: iter([("a", 1)]))
        checks.REGISTRY["unused"] = unused
        try:
            autograder.check("unused", 1)
        finally:
            del checks.REGISTRY["unused"]
    assert "it was not called even once" in capsys.readouterr().out


def test_the_inputs_stay_until_the_check_passes(capsys, monkeypatch):
    def seed():
        return re.search(r"seed (\d+)", capsys.readouterr().out)[1]

    with parts.plugged_in(RIGHT | {MUL: lambda grad, other: other}):
        autograder.check("mul_backward")
        first = seed()
        autograder.check("mul_backward")
        assert seed() == first
    with parts.plugged_in(RIGHT):
        autograder.check("mul_backward")
        assert seed() == first
        others = set()
        for _ in range(5):
            autograder.check("mul_backward")
            others.add(seed())
        assert len(others) > 1


def test_an_unknown_check_offers_the_nearest():
    with pytest.raises(UnknownName, match="mul_backward"):
        autograder.check("mul_backwards")


def test_an_interrupted_check_says_where(capsys):
    def slow(grad, other):
        raise KeyboardInterrupt

    with parts.plugged_in(RIGHT | {MUL: slow}), pytest.raises(AutograderError) as caught:
        autograder.check("mul_backward")
    assert "被中断" in str(caught.value) and "raise KeyboardInterrupt" in str(caught.value)


def test_under_the_validate_button_a_failing_check_raises(capsys, monkeypatch):
    monkeypatch.setenv("NBGRADER_VALIDATING", "1")
    with parts.plugged_in(RIGHT):
        autograder.check("mul_backward", 4711)
    with (
        parts.plugged_in(RIGHT | {MUL: lambda grad, other: other}),
        pytest.raises(CheckFailed, match="12 of 12"),
    ):
        autograder.check("mul_backward", 4711)
    with pytest.raises(CheckFailed, match="@implements"):
        autograder.check("mul_backward", 4711)


def test_one_language_alone(capsys):
    messages.language("zh")
    assert "agree" not in seen(capsys, {}) and "practice" not in seen(capsys, {})
    messages.language("en")
    assert not re.search(r"[\u4e00-\u9fff]", seen(capsys, {MUL: lambda grad, other: other}))


def test_three_hints_one_after_the_other(capsys):
    given = []
    for _ in range(4):
        autograder.hint("mul_vjp_self")
        given.append(capsys.readouterr().out)
    assert [each.splitlines()[0] for each in given] == [f"○ mul_vjp_self · {n}/3" for n in (1, 2, 3, 3)]
    assert "z = self * other" in given[0] and given[3].startswith(given[2].rstrip("\n"))
    assert "last hint" not in given[2] and "就这三句" in given[3] and 'run check("mul_backward") and' in given[3]
    autograder.hint(OTHER)
    assert "1/3" in capsys.readouterr().out
    with pytest.raises(UnknownName, match="mul_vjp_self"):
        autograder.hint("mul_vjp")


def test_a_check_sends_nobody_to_hints_that_have_all_been_given(capsys):
    pop = {"minigrad.autograd.ready.pop": lambda heap: max(heap, key=lambda node: node.order)}
    for _ in range(3):
        autograder.hint("pop")
    with parts.plugged_in(pop):
        capsys.readouterr()
        autograder.check("who_goes_next", 1)
    said = capsys.readouterr().out
    assert "Stuck?" not in said and "That was the last hint for pop" in said and 'run check("who_goes_next")' in said


@pytest.mark.alone
def test_an_answer_comes_at_once(capsys):
    """With torch loaded, well under the promised time for a passing check, and within a second for a failing one."""
    seen(capsys, {})
    started = time.perf_counter()
    seen(capsys, {})
    passing = time.perf_counter() - started
    seen(capsys, {MUL: lambda grad, other: other})
    assert passing < 0.5 and time.perf_counter() - started - passing < 1.5


# ── How it looks ─────────────────────────────────────────────────────────────────────────────────


class Balanced(HTMLParser):
    """Notes every tag, and that each one is closed in its turn."""

    def __init__(self):
        super().__init__()
        self.open, self.tags = [], set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.open += [tag] if tag != "br" else []

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def html_of(view):
    parser = Balanced()
    parser.feed(view.html())
    assert parser.open == []
    return view.html(), parser.tags


def test_the_html_is_whole_and_says_states_by_sign():
    with parts.plugged_in(RIGHT | {MUL: lambda grad, other: other}):
        view = notebook.look(checks.get("mul_backward"), 4711)
    html, tags = html_of(view)
    assert tags <= {"div", "span", "strong", "details", "summary", "pre"}
    assert "✗" in html and "✓" in html and "lang='zh'" in html and "lang='en'" in html
    assert "1/2" in html and "seed 4711" in html


def test_nothing_of_a_learners_reaches_the_page_as_html():
    evil = "<img src=x onerror=alert(1)>\"'&"

    def prints(grad, other):
        print(evil)
        raise ValueError(evil)

    with parts.plugged_in(RIGHT | {MUL: prints}):
        html, tags = html_of(notebook.look(checks.get("mul_backward"), 4711))
    assert "<img" not in html and "&lt;img" in html and "img" not in tags


def test_colours_follow_the_theme_and_only_a_terminal_gets_codes():
    view = View("a_check", "fail", "1/2")
    assert "var(--jp-error-color1" in view.html()
    assert "\033[31m" in view.text(colours=True) and "\033" not in view.text()
    assert view._repr_mimebundle_() == {"text/plain": view.text(), "text/html": view.html()}


SETUP = """
from autograder import check, hint, implements

@implements("minigrad.ops.pointwise.mul_vjp_other")
def mul_vjp_other(grad, self):
    return grad * self
"""
SOLVED = f'@implements("{MUL}")\ndef mul_vjp_self(grad, other):\n    return grad * other\n'
STUB = f'@implements("{MUL}")\ndef mul_vjp_self(grad, other):\n    raise NotImplementedError\n'


CHOOSES = "from autograder import check, hint, language\n"


@pytest.mark.slow
def test_the_language_chosen_in_one_notebook_holds_in_the_next(tmp_path, monkeypatch):
    monkeypatch.delenv("MINIGRAD_MY_PARTS")
    said = []
    for lesson, chosen in (
        ("00_warmup", 'language("en")'),
        ("03_local_derivatives", ""),
        ("04_broadcast", "language()"),
        ("05_engine", 'language("both")'),
    ):
        (tmp_path / lesson).mkdir()
        book = new_notebook(cells=[new_code_cell(CHOOSES + chosen), new_code_cell('hint("mul_vjp_self")')])
        NotebookClient(book, kernel_name="python3", resources={"metadata": {"path": tmp_path / lesson}}).execute()
        said.append([str(cell.outputs) for cell in book.cells])
    (kept, first), (silent, second), (asked, still), (back, third) = said
    assert "check and hint speak English only" in kept and silent == back == "[]"
    assert 'check and hint speak English only; language("both")' in asked.replace("\\", "")
    assert "z = self * other" in first == second == still and not re.search(r"[\u4e00-\u9fff]", first)
    assert re.search(r"[\u4e00-\u9fff]", third) and (tmp_path / "my_parts" / "language").read_text() == "both"


def test_where_no_choice_of_language_can_be_kept_or_read_nothing_fails(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MINIGRAD_MY_PARTS", str(tmp_path / "file" / "my_parts"))
    (tmp_path / "file").write_text("")
    own_folder.remember_language("en")
    own_folder.restore_language()
    monkeypatch.setenv("MINIGRAD_MY_PARTS", str(tmp_path))
    for broken in (b"klingon", b"\xff\xfe"):
        (tmp_path / "language").write_bytes(broken)
        own_folder.restore_language()
    assert capsys.readouterr().out == "" and len(messages.text("hint", hint="").lines()) == 2


def checking_cell(name):
    cell = new_code_cell(f'check("{name}")')
    cell.metadata["nbgrader"] = {
        "grade": True,
        "grade_id": f"check_{name}",
        "points": 2,
        "solution": False,
        "locked": True,
        "schema_version": 3,
        "task": False,
        "cell_type": "code",
    }
    return cell


@pytest.mark.slow
def test_in_a_real_kernel():
    """Results as HTML and text, bad input in words, and no frame of ours in any output."""
    cells = [SETUP + STUB, 'check("mul_backward")', SOLVED, 'check("mul_backward")', 'check("mul_bakward")']
    cells += ['@implements("minigrad.ops.pointwise.mul_vjp_self")\ndef f(grad): pass', 'hint("mul_vjp_self")']
    cells += [STUB + "import minigrad\nw = minigrad.ones(1, requires_grad=True)\n(w * w).backward()"]
    book = new_notebook(cells=[new_code_cell(each) for each in cells])
    NotebookClient(book, kernel_name="python3", allow_errors=True, timeout=60).execute()
    outputs = [[dict(each) for each in cell.outputs] for cell in book.cells]
    shown = [each[0].get("data", {}).get("text/plain", "") if each else "" for each in outputs]
    assert "还没有写" in shown[1] and shown[3].startswith("✓ mul_backward · 2/2")
    assert outputs[3][0]["output_type"] == "display_data" and "✓" in outputs[3][0]["data"]["text/html"]
    for at in (4, 5):
        assert outputs[at][0]["output_type"] == "error", outputs[at]
        told = "\n".join(outputs[at][0]["traceback"])
        assert "Traceback" not in told and "autograder" not in told and re.search(r"[\u4e00-\u9fff]", told)
    assert "1/3" in shown[6]
    assert [each["output_type"] for each in outputs[7]] == ["stream"]  # the engine goes on with its own rule
    assert "还没有写" in outputs[7][0]["text"] and "not written yet" in outputs[7][0]["text"]
    json.dumps(outputs)


@pytest.mark.slow
@pytest.mark.parametrize("solution, passes", [(SOLVED, True), (STUB, False)], ids=["solved", "stub"])
def test_nbgraders_validate_button(tmp_path, solution, passes):
    book = new_notebook(cells=[new_code_cell(SETUP + solution), checking_cell("mul_backward")])
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path = tmp_path / "lesson.ipynb"
    nbformat.write(book, path)
    validator = Validator()
    validator.ignore_checksums = True
    found = validator.validate(str(path))
    assert (found == {}) == passes
    if not passes:
        assert "还没有写" in found["failed"][0]["raw_error"]
        assert "Traceback" not in found["failed"][0]["raw_error"]
