"""What a check says of answers that no list of mistakes can hold: an error in one's own words, an approximation."""

import numpy as np
import pytest

import minigrad
from autograder import checks, oracle, parts
from autograder.remarks import remarks
from minigrad import eye, rules, stack
from minigrad.autograd import grad
from minigrad.curvature import solve

ROOT = "minigrad.autograd.roots.root_gradient"
NEWTON, EXP = "minigrad.curvature.newton_step", "minigrad.ops.pointwise.exp_vjp"


def said_of(name, **written):
    """The keys' words, in English, that a run of the check with these parts calls for."""
    this = checks.get(name)
    mine = {part: written.get(part.rpartition(".")[2], parts.original(part)) for part in this.parts}
    with parts.plugged_in(mine):
        found = remarks(this, oracle.expected(name, 7), checks.attempt(this, minigrad, 7))
        return " ".join(each.en for each in found)


def in_my_words(output, given, index):
    if given is None and output.numel() != 1:
        raise RuntimeError("one number only, please")
    return minigrad.ones_like(output) if given is None else given


def of_another_class(output, given, index):
    if given is None and output.numel() != 1:
        raise ValueError("one number only, please")
    return minigrad.ones_like(output) if given is None else given


def test_right_numbers_of_another_dtype_are_told_from_wrong_ones_and_from_nearly_right_ones():
    def relu(change):
        return said_of("relu_backward", relu_vjp=lambda grad, result: change(rules.masked_fill(grad, result <= 0, 0)))

    keep = "keep that of what comes in"
    assert keep in relu(lambda right: right.astype("float32"))
    assert keep not in relu(lambda right: (2 * right).astype("float32"))
    assert keep not in relu(lambda right: right * (1 + 1e-6))


def test_an_error_in_ones_own_words_is_told_from_one_of_another_class():
    assert "of the right class, RuntimeError, but its message" in said_of(
        "what_does_not_fit", root_gradient=in_my_words
    )
    other = said_of("what_does_not_fit", root_gradient=of_another_class)
    assert other.startswith(
        "You raise an error where you should, but its class and its message are your own: ValueError."
    )


def test_an_error_in_torchs_words_of_another_class_is_named():
    def as_a_value_error(output, given, index):
        if given is None and output.numel() != 1:
            raise ValueError("grad can be implicitly created only for scalar outputs")
        return minigrad.ones_like(output) if given is None else given

    found = said_of("what_does_not_fit", root_gradient=as_a_value_error)
    assert found.startswith(
        "The message is right, but the error is of the wrong class: it should be RuntimeError, and yours is V"
    )


def test_a_refusal_that_is_not_written_and_comes_from_the_engine_is_not_in_ones_own_words():
    def takes_any_shape(output, given, index):
        if given is None and output.numel() != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        return minigrad.ones_like(output) if given is None else given

    assert said_of("what_does_not_fit", root_gradient=takes_any_shape) == ""


def test_half_of_torchs_words_are_not_torchs_and_a_wrong_number_is_no_matter_of_words():
    def half(self, *tensors):
        if not all(each is None or isinstance(each, minigrad.Tensor) for each in tensors):
            raise TypeError("save_for_backward can only save variables")
        self.to_save = tensors

    def off_by_one(self, *tensors):
        for at, each in enumerate(tensors, 1):
            if each is not None and not isinstance(each, minigrad.Tensor):
                kind = type(each).__name__
                raise TypeError(f"save_for_backward can only save variables, but argument {at} is of type {kind}")
        self.to_save = tensors

    assert "of the right class, TypeError, but its message" in said_of("function_guards", save_for_backward=half)
    assert said_of("function_guards", save_for_backward=off_by_one) == ""


def test_torchs_words_in_the_wrong_place_are_no_words_of_ones_own():
    def always_the_same(output, given, index):
        if output.numel() != 1 or (given is not None and given.shape != output.shape):
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        return minigrad.ones_like(output) if given is None else given

    assert said_of("what_does_not_fit", root_gradient=always_the_same) == ""


@pytest.mark.parametrize("h", [1e-3, 3e-5, 1e-6])
def test_newton_by_differences_of_any_width_is_called_near(h):
    def newton_step(f, x):
        def slope(at):
            at = at.detach().requires_grad_()
            return grad(f(at), at)[0]

        rows = [(slope(x.detach() + h * e) - slope(x.detach() - h * e)) / (2 * h) for e in eye(len(x), dtype=x.dtype)]
        return x.detach() - solve(stack(rows), slope(x))

    assert "come close to torch's" in said_of("newton_step_once", newton_step=newton_step)


def test_arithmetic_in_float32_on_the_way_is_near_and_another_formula_is_not():
    def through_float32(grad, result):
        return (grad * result.astype("float32")).astype(grad.dtype)

    assert "float32 somewhere on the way" in said_of("exp_log_backward", exp_vjp=through_float32)
    assert said_of("exp_log_backward", exp_vjp=lambda grad, result: grad * result * 1.01) == ""
    assert said_of("exp_log_backward", exp_vjp=lambda grad, result: grad * np.float64(np.nan)) == ""
    assert said_of("exp_log_backward", exp_vjp=lambda grad, result: rules.raw(grad)[:1]) == ""
    assert said_of("exp_log_backward") == ""


def test_braces_that_came_out_as_they_stand_lack_an_f():
    def save(self, *tensors):
        for each in tensors:
            if each is not None and not isinstance(each, minigrad.Tensor):
                raise TypeError("save_for_backward can only save variables, but argument {index} is of type {kind}")
        self.to_save = tensors

    words = said_of("function_guards", save_for_backward=save)
    assert "the string needs an f in front" in words and "message is your own" not in words


def test_numbers_that_should_be_plain_and_are_tensors():
    def layers(X, Y, W1, W2, steps, lr, number=lambda loss: loss.detach()):
        losses = []
        for _ in range(steps):
            loss = (((X @ W1).tanh() @ W2 - Y) ** 2).mean()
            loss.backward()
            losses.append(number(loss))
            with minigrad.no_grad():
                for w in (W1, W2):
                    w -= lr * w.grad
                    w.grad = None
        return losses

    assert "each is a tensor" in said_of("clinic_second_backward", two_layers=layers)

    def twice_as_large(*given):
        return layers(*given, number=lambda loss: loss.detach() * 2)

    assert "each is a tensor" not in said_of("clinic_second_backward", two_layers=twice_as_large)


@pytest.mark.parametrize("h", [1e-3, 3e-4, -1e-4])
def test_a_slope_by_nudging_is_near_as_a_plain_number_too_and_another_formula_is_not(h):
    def squared_loss_grad(w, X, Y):
        return float(((Y - (w + h) * X) ** 2).sum() - ((Y - w * X) ** 2).sum()) / h

    assert "come close to torch's" in said_of("warmup_by_hand", squared_loss_grad=squared_loss_grad)
    for wrong in (
        lambda w, X, Y: 1.1 * float((-2 * X * (Y - w * X)).sum()),
        lambda w, X, Y: -39.0,
        lambda w, X, Y: None,
    ):
        assert "come close" not in said_of("warmup_by_hand", squared_loss_grad=wrong)
