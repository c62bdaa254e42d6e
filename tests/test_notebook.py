"""What check() and hint() say to a learner. How it looks, and in a real kernel: test_view.py."""

import re
import time

import pytest

import autograder
from autograder import checks, hints, messages, notebook, parts
from autograder.errors import AutograderError, CheckFailed, UnknownName
from minigrad.autograd.grad_mode import Decorating

MUL = "minigrad.ops.pointwise.mul_vjp_self"
OTHER = "minigrad.ops.pointwise.mul_vjp_other"
POP = "minigrad.autograd.ready.pop"
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


def without_return(grad, other):
    grad * other


@pytest.mark.parametrize(
    "wrong, says",
    [
        (without_return, "Your mul_vjp_self returned None: is a return missing?"),
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

    assert "  运行时打印的内容 · Printed while it ran\n  │ grad is here!\n" in seen(capsys, {MUL: prints})


def test_a_stub_is_told_what_to_do_next(capsys):
    def stub(grad, other):
        raise NotImplementedError

    def other_stub(grad, self):
        raise NotImplementedError

    said = seen(capsys, {MUL: stub})
    assert said.startswith("○ mul_backward · 1/2\n")  # what the other part has earned
    assert "  部件 mul_vjp_self 还没有写。\n  The part mul_vjp_self is not written yet.\n" in said
    assert 'hint("mul_vjp_self")' in said
    assert "写着 def mul_vjp_self 的单元格" in said and "the cell with def mul_vjp_self, replace" in said
    assert "✓ 另外 2 项都对 · 2 others pass" in said
    assert "报错 NotImplementedError · it raised NotImplementedError" in said
    both = seen(capsys, {MUL: stub, OTHER: other_stub})
    assert both.startswith("○ mul_backward · 0/2\n  这些部件还没有写")
    assert "not written yet: mul_vjp_self, mul_vjp_other." in both


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
    assert "  部件 no_grad 还没有写。\n  The part no_grad is not written yet.\n" in said and 'hint("no_grad")' in said
    assert "写着 class no_grad 的单元格" in said and "the cell with class no_grad, replace" in said


def test_a_part_that_is_not_plugged_in_is_named(capsys):
    with parts.plugged_in({MUL: RIGHT[MUL]}):
        autograder.check("mul_backward")
    said = capsys.readouterr().out
    assert f'@implements("{OTHER}")' in said and f'@implements("{MUL}")' not in said


def test_several_that_are_not_plugged_in_take_one_sentence(capsys):
    autograder.check("derivatives_in_a_network")
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("○ derivatives_in_a_network · 0/3") and len(said) == 3
    assert "没有接上：mul_vjp_self, mul_vjp_other, div_vjp_self，还有 10 个。" in said[1]
    assert "not plugged in: mul_vjp_self, mul_vjp_other, div_vjp_self, and 10 more. Run the cells" in said[2]


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


def test_a_part_or_its_function_is_answered_with_its_checks():
    def mul_vjp_self(grad, other): ...

    for given in ("mul_vjp_self", mul_vjp_self):
        with pytest.raises(
            UnknownName, match="no check called 'mul_vjp_self'.*\n.*\n.*This lesson has: mul_backward · d"
        ):
            autograder.check(given)


@pytest.mark.parametrize("name", ["", "nosuch", None, [3]])
def test_what_is_no_check_or_part_is_answered_with_those_of_this_lesson(name, tmp_path, monkeypatch):
    (tmp_path / "03_local_derivatives.ipynb").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownName, match="This lesson has: mul_backward · .*relu_backward"):
        autograder.check(name)
    with pytest.raises(UnknownName, match="This lesson has: mul_vjp_self · .*relu_vjp"):
        autograder.hint(name)


def test_without_a_name_check_and_hint_say_what_is_missing():
    asks = {
        autograder.check: (
            '把它的名字写在括号里：check("名字")',
            'Which check is to run? Put its name in the brackets: check("name")',
        ),
        autograder.hint: (
            '把它的名字写在括号里：hint("名字")',
            'A hint for which part? Put its name in the brackets: hint("name")',
        ),
    }
    for call, (zh, en) in asks.items():
        with pytest.raises(UnknownName) as caught:
            call()
        said = str(caught.value)
        assert zh in said and en in said and "''" not in said and "called" not in said


def test_a_hint_for_the_function_itself(capsys):
    def relu_vjp(grad, result):
        raise NotImplementedError

    autograder.hint(relu_vjp)
    assert "relu_vjp · " in capsys.readouterr().out


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
    monkeypatch.setenv("JPY_SESSION_NAME", "a kernel that JupyterLab started after Validate had failed")
    autograder.check("mul_backward", 4711)


def test_one_check_at_a_time(capsys):
    with pytest.raises(AutograderError, match="one name"):
        autograder.check("mul_backward", "div_backward")


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


def test_where_parts_meet_a_mistake_that_the_parts_own_check_belies_gives_no_hint(capsys):
    """All but the last are looked at, which in the network comes to the same as taking the first."""

    def pop(heap):
        best = 0
        for i in range(1, len(heap) - 1):
            best = i if heap[i].order < heap[best].order else best
        return heap.pop(best)

    training = checks.get("engine_trains_a_network")
    with parts.plugged_in({part: parts.original(part) for part in training.parts} | {POP: pop}):
        autograder.check("engine_trains_a_network", 4711)
    said = capsys.readouterr().out
    assert "With the engine's own pop this check passes" in said and "Hint for pop" not in said
    first = {POP: lambda heap: heap.pop(0)}
    with parts.plugged_in({part: parts.original(part) for part in training.parts} | first):
        autograder.check("engine_trains_a_network", 4711)
    assert "Hint for pop: This takes the first entry" in capsys.readouterr().out
