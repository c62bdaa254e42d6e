"""What check says about slips of every learner's pen: loops without an end, stubs left for later, torch's tensors."""

import signal

import pytest
import torch

import autograder
from autograder import checks, notebook, parts
from autograder.errors import CheckFailed
from minigrad.autograd.accumulate import gradient_edge
from minigrad.autograd.grad_mode import Decorating, set_recording
from minigrad.autograd.graph import NO_EDGE
from minigrad.autograd.hooks import check_replacement, extras_of
from minigrad.tensor import LEAVES_ONLY, from_array

MUL, OTHER = "minigrad.ops.pointwise.mul_vjp_self", "minigrad.ops.pointwise.mul_vjp_other"
RULE, HOME = "minigrad.autograd.accumulate.broadcasts_to", "minigrad.autograd.accumulate.unbroadcast"


@pytest.fixture(autouse=True)
def as_at_first():
    yield
    notebook._seeds.clear()


def seen(capsys, written, name):
    """What check(name) prints with these parts plugged in."""
    with parts.plugged_in(written):
        autograder.check(name, 4711)
    return capsys.readouterr().out


def fits(shape, target):
    return len(shape) <= len(target) and all(n in (1, m) for n, m in zip(shape[::-1], target[::-1], strict=False))


def test_a_stub_that_the_check_does_not_ask_for_leaves_the_engine_its_own_and_is_named(capsys):
    def unbroadcast(grad, shape):
        raise NotImplementedError

    said = seen(capsys, {RULE: fits, HOME: unbroadcast}, "broadcast_rule")
    assert said.startswith("✓ broadcast_rule · 2/2")
    assert "用到了 unbroadcast" in said and "used unbroadcast, which you have not written" in said
    said = seen(capsys, {RULE: lambda shape, target: shape == target, HOME: unbroadcast}, "broadcast_rule")
    assert said.startswith("✗ broadcast_rule · 1/2")


def test_a_loop_without_an_end_is_stopped_and_shown_as_any_wrong_answer_is(capsys, monkeypatch):
    def endless(grad, other):
        print("round and round")
        while grad.ndim:
            grad * other

    monkeypatch.setattr(notebook, "LONGEST", 0.3)
    clock = signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)[0] > 0
    written = {MUL: endless, OTHER: lambda grad, self: grad * self}
    said = seen(capsys, written, "mul_backward")
    assert said.startswith("✗ mul_backward · 0/2\n  提示：很可能有一个循环停不下来")
    assert "运行了 0.3 秒还没完，已经停下（你的 endless，第" in said or "（你的代码第" in said
    assert "grad * other）" in said or "while grad.ndim:）" in said
    assert "the mistake is in your mul_vjp_self." in said and "│ round and round" in said and "seed 4711" in said
    monkeypatch.setenv("NBGRADER_VALIDATING", "1")
    with pytest.raises(CheckFailed, match="Hint: most likely a loop never ends"):
        seen(capsys, written, "mul_backward")
    assert clock == (signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)[0] > 0)  # pytest's own


def test_parts_that_are_not_written_are_no_mistakes_beside_one(capsys):
    def stub(*inputs):
        raise NotImplementedError

    network = dict.fromkeys(checks.get("derivatives_in_a_network").parts, stub)
    said = seen(capsys, network | {MUL: lambda grad, other: grad.nothing}, "derivatives_in_a_network")
    assert said.startswith("✗") and "not written yet: mul_vjp_other, div_vjp_self, div_vjp_other, and 9 more." in said
    assert "the mistake is in your" not in said
    assert said.count("✗") == 2 and "\n  – 后面的 20 项 · the other 20" in said  # what was not reached is not wrong


def test_a_part_with_nothing_in_it_gets_no_hint_of_a_mistake_that_comes_to_the_same(capsys):
    def run_backward(buffers, retain_graph, create_graph, task=None):
        """Walk the graph."""

    written = {each: parts.original(each) for each in checks.get("gradients_meet").parts}
    said = seen(capsys, written | {"minigrad.autograd.engine.run_backward": run_backward}, "gradients_meet")
    assert said.startswith("✗ gradients_meet · 0/") and "Nothing happens in your run_backward yet" in said
    assert 'hint("run_backward")' in said and "Hint: " not in said
    assert not any(map(parts.is_empty, (lambda: 0, lambda: False, lambda: said, lambda: print(), type)))


def test_what_a_helper_leaves_unwritten_is_shown(capsys):
    def helper(shape):
        raise NotImplementedError("todo")

    said = seen(capsys, {RULE: lambda shape, target: helper(shape)}, "broadcast_rule")
    assert said.startswith("○ broadcast_rule · 0/2\n") and "NotImplementedError: todo (line" in said


def test_an_error_without_words_is_its_name_alone(capsys):
    def fails(*inputs):
        raise AssertionError

    said = seen(capsys, {RULE: fails}, "broadcast_rule")
    assert "yours AssertionError, right would be True" in said and "AssertionError:" not in said
    said = seen(capsys, {MUL: fails, OTHER: lambda grad, self: grad * self}, "mul_backward")
    assert "\n  AssertionError (line" in said and "AssertionError:" not in said


def test_where_a_slip_happened_is_said_also_when_the_program_has_caught_it(capsys):
    def broadcasts_to(shape, target):
        return (1) + shape == target

    said = seen(capsys, {RULE: broadcasts_to}, "broadcast_rule")
    assert "return (1) + shape == target" in said and "TypeError: unsupported operand" in said


def test_a_refusal_that_is_right_is_no_slip(capsys):
    def last_first(hooks, grad):
        for hook in reversed(list(hooks.values())):
            replacement = hook(grad)
            if replacement is not None:
                check_replacement(hook, replacement, grad)
                grad = replacement
        return grad

    said = seen(capsys, {"minigrad.autograd.hooks.run_tensor_hooks": last_first}, "hook_replacement")
    assert said.startswith("✗") and "check_replacement(hook" not in said


def test_a_slip_is_not_taken_for_a_mistake_that_raises_the_same_class(capsys):
    def register_post_accumulate_hook(tensor, hook):
        node, _ = gradient_edge(tensor)
        return extras_of(node).accumulated.register(hook)

    part = "minigrad.autograd.hooks.register_post_accumulate_hook"
    said = seen(capsys, {part: register_post_accumulate_hook}, "post_accumulate")
    assert "'HookDict' object has no attribute 'register'" in said and "Hint" not in said


def test_another_kind_of_value_than_the_engines_own_is_named(capsys):
    def nodes_to_run(reachable, targets):
        return list(reachable)

    said = seen(capsys, {"minigrad.autograd.engine.nodes_to_run": nodes_to_run}, "gradients_of_some")
    assert "Your nodes_to_run returned a list; it should return a set." in said


def test_an_error_that_is_returned_should_be_raised(capsys):
    def item(self):
        return self._data.item() if self._data.size == 1 else RuntimeError("no")

    said = seen(capsys, {"minigrad.tensor.Tensor.item": item}, "item_refuses")
    assert "returned a RuntimeError as if it were a value" in said and "raise instead of return" in said


def test_so_is_one_that_is_returned_where_nothing_is_wanted(capsys):
    def check_version(saved, expected, source=""):
        return RuntimeError("modified") if saved._version != expected else None

    said = seen(capsys, {"minigrad.autograd.graph.check_version": check_version}, "version_check")
    assert "returned a RuntimeError as if it were a value" in said and "raise instead of return" in said


def test_with_and_its_three_arguments(capsys):
    """The words of Python's error have the learner's class in them, which is called as it is in the lesson."""

    class no_grad(Decorating):
        def __enter__(self):
            self.before = set_recording(False)

        def __exit__(self):
            set_recording(self.before)

    no_grad.__exit__.__qualname__ = "no_grad.__exit__"  # as at the top of a notebook
    said = seen(capsys, {"minigrad.autograd.grad_mode.no_grad": no_grad}, "no_grad_block")
    assert "def __exit__(self, *exception)" in said


def test_a_number_where_an_array_is_wanted_is_named(capsys):
    def fit_slope(X, Y, steps, lr):
        return 1.0

    said = seen(capsys, {"minigrad.clinic.fit_slope": fit_slope}, "clinic_scalar")
    assert "Your fit_slope returned a number; it should return an array or a minigrad tensor" in said


def test_a_number_that_the_engine_gave_is_no_odd_answer(capsys):
    right = {OTHER: lambda grad, self: grad * self}
    said = seen(capsys, right | {MUL: lambda grad, other: other}, "mul_backward")
    assert "the arriving grad is not multiplied in" in said and "returned a" not in said


def test_a_number_in_quotes_is_a_string(capsys):
    said = seen(capsys, {"minigrad.warmup.squared_loss_grad": lambda w, X, Y: "-40"}, "warmup_by_hand")
    assert "returned a str" in said and 'expected -40, got "-40"' in said and "✓" not in said


def test_brackets_that_are_missing_are_asked_for(capsys):
    said = seen(capsys, {"minigrad.warmup.squared_loss_grad": lambda w, X, Y: (X * Y).sum}, "warmup_by_hand")
    assert "returned a method, not what it produces: are the brackets () missing" in said


def test_what_the_engine_has_not_is_no_part_that_is_not_written(capsys):
    said = seen(capsys, {"minigrad.warmup.squared_loss_grad": lambda w, X, Y: (X ^ Y).sum()}, "warmup_by_hand")
    assert said.startswith("✗") and "NotImplementedError: \"bitwise_xor_cpu\" not implemented for 'Double'" in said


def test_that_holds_also_where_it_ends_the_whole_check(capsys):
    """cross_entropy of class numbers, in place of scores, is what no engine computes."""

    def train_epoch(net, criterion, optimizer, images, numbers, batches):
        for batch in batches:
            criterion(numbers[batch], net(images[batch])).backward()

    check = checks.get("digits_in_small")
    written = {part: parts.original(part) for part in check.parts} | {"minigrad.training.train_epoch": train_epoch}
    said = seen(capsys, written, "digits_in_small")
    assert (
        said.startswith("✗")
        and "not implemented for 'Long'（你的 train_epoch" in said
        and "criterion(numbers[batch]," in said
    )


def helper(x):
    import hypothesis

    return hypothesis, x


class Deep:
    @staticmethod
    def into_torch(grad):
        return [torch.tensor(each) for each in grad]


using = None


@pytest.mark.parametrize("beyond", [helper, Deep, lambda grad: torch.tensor(grad)])
def test_a_part_that_uses_what_grading_has_not_does_not_pass(capsys, monkeypatch, beyond):
    def mul_vjp_self(grad, other):
        return grad * other if grad is not None else using(beyond)

    right = {MUL: mul_vjp_self, OTHER: lambda grad, self: grad * self}
    assert seen(capsys, right, "mul_backward").startswith("✓")
    monkeypatch.setitem(globals(), "using", beyond)
    said = seen(capsys, right, "mul_backward")
    assert said.startswith("○ mul_backward · 2/2")
    assert ("uses hypothesis." if beyond is helper else "uses torch.") in said


def test_a_module_is_no_array(capsys):
    said = seen(capsys, {"minigrad.backend.array_module": lambda array: "numpy"}, "where_arrays_live")
    assert "Your array_module returned a str; it should return a module." in said


def test_a_tensor_of_nonsense_is_a_tensor_still(capsys):
    def detach(self):
        return from_array(self.storage, NO_EDGE, self.counter())

    said = seen(capsys, {"minigrad.tensor.Tensor.detach": detach}, "detach_cuts")
    assert said.startswith("✗") and "returned a" not in said


def test_a_tensor_of_torch_is_no_answer(capsys):
    right = {OTHER: lambda grad, self: grad * self}
    said = seen(capsys, right | {MUL: lambda grad, other: torch.tensor(grad * other)}, "mul_backward")
    assert "Your mul_vjp_self returned a torch.Tensor; it should return an array or a minigrad tensor" in said


def test_the_line_of_an_error_is_in_the_part_that_is_checked_not_in_an_earlier_one_that_rightly_raises(capsys):
    root, slope = "minigrad.autograd.roots.root_gradient", "minigrad.clinic.fit_slope"

    def root_gradient(output, given, index):
        if given is None and output.numel() != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        return output.new_ones(output.shape) if given is None else given

    def fit_slope(X, Y, steps, lr):
        w = X.new_zeros(1).requires_grad_()
        loss = (Y - w * X) ** 2
        loss.backward()

    said = seen(capsys, {root: root_gradient, slope: fit_slope}, "clinic_scalar")
    assert "of your code: loss.backward())" in said and "raise RuntimeError" not in said


@pytest.mark.parametrize(
    "rule, shapes",
    [
        (lambda grad, other: (grad * other).sum(), "shape [] arrives at an input of shape [4], which was broadcast"),
        (
            lambda grad, other: (grad * other)[:1, :1].sum(0),
            "shape [1] arrives at an input of shape [4], which was broadcast",
        ),
        (lambda grad, other: (grad * other)[:, :1], "arrives at a leaf of shape [3, 4] has shape [3, 1]"),
    ],
)
def test_a_rule_that_returns_the_wrong_shape_is_told_so_and_not_what_numpy_says(capsys, rule, shapes):
    said = seen(capsys, {MUL: rule, OTHER: lambda grad, self: grad * self}, "mul_backward")
    assert said.startswith("✗ mul_backward · ") and f"{shapes}: a derivative rule returned the wrong shape" in said
    assert "The gradient from your mul_vjp_self has the wrong shape." in said
    assert "你的 mul_vjp_self 返回的梯度形状不对" in said and "reshape" not in said and "mul_vjp_other" not in said


def test_where_a_hint_says_what_is_wrong_the_shape_is_not_named_as_well(capsys):
    said = seen(capsys, {MUL: lambda grad, other: other, OTHER: lambda grad, self: grad * self}, "mul_backward")
    assert (
        "a derivative rule returned the wrong shape" in said
        and "Hint for mul" in said
        and "The gradient from" not in said
    )


@pytest.mark.parametrize("raises", [True, False])
def test_a_line_is_given_of_the_part_asked_for_and_of_no_earlier_one_that_runs_it(capsys, raises):
    """Here the walk is a learner's, of an earlier lesson: it runs `release`, and meets what that has left behind."""
    walk = "minigrad.autograd.engine.run_backward"
    engines_own = parts.original(walk)

    def run_backward(buffers, retain_graph, create_graph, task=None):
        engines_own(buffers, retain_graph, create_graph, task)

    def release(node, retain_graph):
        if raises:
            raise AttributeError("here")
        del node.saved

    others = {each: parts.original(each) for each in checks.get("second_pass").parts}
    with parts.plugged_in({**others, walk: run_backward, "minigrad.autograd.engine.release": release}):
        autograder.check("second_pass", 1)
    said = capsys.readouterr().out
    assert "AttributeError" in said and ('of your release: raise AttributeError("here")' in said) is raises
    assert raises or ("of your release" not in said and "of your code" not in said)


def test_torch_in_one_part_is_not_held_against_another_that_calls_it(capsys):
    space = {"__name__": "here", "torch": torch}
    exec(
        "def unbroadcast(grad, shape):\n    return torch.as_tensor(grad).sum_to_size(shape).numpy()\n"
        "def expand_vjp(grad, self_shape):\n    return unbroadcast(grad, self_shape)\n",
        space,
    )
    mine = {RULE: fits, HOME: space["unbroadcast"], "minigrad.ops.shape.expand_vjp": space["expand_vjp"]}
    said = seen(capsys, mine, "broadcast_in_a_network")
    assert "Your unbroadcast uses torch" in said and "Your expand_vjp uses torch" not in said


def test_a_part_that_no_other_should_have_called_is_not_said_to_be_unused(capsys):
    """check_version is asked only about values that were written to: with a step that writes nothing there are none."""
    training = checks.get("weight_update_training").parts
    still = {part: parts.original(part) for part in training} | {"minigrad.optim.SGD.step": lambda self: self.lr}
    said = seen(capsys, still, "weight_update_training")
    assert "With the engine's own step this check passes" in said and "never used your check_version" not in said
    asked = checks.get("weight_update_training"), checks.get("engine_trains_a_network")
    assert not notebook._another_calls(asked[0], "minigrad.autograd.graph.check_version")
    assert notebook._another_calls(asked[1], "minigrad.autograd.ready.pop")  # run_backward should


def test_of_several_parts_the_one_with_the_line_is_named(capsys):
    """Here the line is right: what another part returned is refused in it."""

    def detach(self):
        return self.clone().requires_grad_(False)

    def requires_grad_(self, requires_grad=True):
        if not requires_grad and not self.is_leaf:
            raise RuntimeError(LEAVES_ONLY)
        self.want_gradient(requires_grad)
        return self

    tensor = "minigrad.tensor.Tensor."
    others = {each: parts.original(each) for each in checks.get("tensor_training").parts}
    said = seen(
        capsys, {**others, tensor + "detach": detach, tensor + "requires_grad_": requires_grad_}, "tensor_training"
    )
    assert "of your requires_grad_: raise RuntimeError(LEAVES_ONLY)" in said and "of your code" not in said
