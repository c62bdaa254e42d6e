"""Where no known mistake is recognised: the smallest call of a part that went wrong, beside what is right."""

import re

import numpy as np
import pytest

from minigrad import rules

TANH, MEAN, SUM = (f"minigrad.ops.{each}_vjp" for each in ("pointwise.tanh", "reduce.mean", "reduce.sum"))
STRETCHES, UNBROADCAST = (f"minigrad.autograd.accumulate.{each}" for each in ("broadcasts_to", "unbroadcast"))
SWITCH = "minigrad.tensor.Tensor.requires_grad_"
SIGMOID, HOME = "minigrad.ops.pointwise.sigmoid_vjp", "minigrad.backend.array_module"


def of(out, name):
    (line,) = [each for each in out.splitlines() if f"The smallest call of {name} that went wrong: " in each]
    return line.partition("went wrong: ")[2]


def test_a_rule_that_works_entry_by_entry_is_shown_one_entry(said):
    out = said("tanh_backward", {TANH: lambda grad, result: 1 + result * result})
    grad, result, got, right = map(float, re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", of(out, "tanh_vjp"))[:4])
    assert got == pytest.approx(1 + result**2, rel=1e-4)
    assert right == pytest.approx(grad * (1 - result**2), rel=1e-4, abs=1e-5)
    assert "Hint" not in out


def test_a_rule_that_does_not_is_shown_shapes_and_the_first_wrong_entry(said):
    def both_wrong(grad, self_shape, dim, keepdim):
        return rules.expand(grad if keepdim or dim is None else rules.unsqueeze(grad, dim[0]), self_shape) / 7

    line = of(said("mean_backward", {MEAN: both_wrong}), "mean_vjp")
    assert re.search(r"grad = .*self_shape = \(.*\), dim = .*, keepdim = (True|False) → yours \S+ \[0, 0", line)


@pytest.mark.parametrize(
    "part, name, written, words",
    [
        (SUM, "sum_backward", lambda grad, self_shape, dim, keepdim: grad * 3, "right would be array(2, 3, 4)"),
        (UNBROADCAST, "unbroadcast_ones", lambda grad, shape: np.cumsum(grad), "shape = (3, 1) → yours ["),
        (UNBROADCAST, "unbroadcast_rows", lambda grad, shape: grad.no_such, "→ yours AttributeError: "),
        (STRETCHES, "broadcast_rule", lambda shape, target: len(shape) == 2, "→ yours False, right would be True"),
    ],
)
def test_what_came_in_what_came_out_and_what_should_have(said, part, name, written, words):
    assert words in of(said(name, {part: written}), part.rpartition(".")[2])


def test_where_the_part_raised_there_is_nothing_to_work_out(said):
    raises, is_wrong = (
        said("broadcast_rule", {STRETCHES: each}) for each in (lambda *shapes: 1 + None, lambda *shapes: False)
    )
    assert "yours TypeError: " in of(raises, "broadcasts_to") and "by hand" not in raises
    assert "right would be True. Work it out by hand" in of(is_wrong, "broadcasts_to")


def test_nothing_is_shown_where_both_look_the_same(said):
    out = said("tanh_backward", {TANH: lambda grad, result: (grad * (1 - result * result)).astype("float32")})
    assert out.startswith("✗") and "smallest call" not in out


def test_nothing_is_shown_beside_a_hint_nor_of_parts_that_are_handed_more_than_data(said):
    assert "smallest call" not in said("tanh_backward", {TANH: lambda grad, result: 1 - result * result})
    assert "smallest call" not in said("requires_grad_switch", {SWITCH: lambda self, requires_grad=True: None})


def test_nothing_is_shown_that_cannot_be_worked_out_by_hand(said):
    def turned(grad, result, dim):
        return rules.exp(result) * rules.sum(grad, (dim,), True) - grad

    out = said("digits_in_small", {"minigrad.ops.nn.log_softmax_vjp": turned})
    assert out.startswith("✗") and "smallest call" not in out


def test_tuples_are_shown_in_short_also_where_the_next_call_is_given_one(said):
    line = of(said("sigmoid_backward", {SIGMOID: lambda grad, z: (grad * z * (1 - z), None)}), "sigmoid_vjp")
    assert re.search(r"→ yours \(\S.*, None\), right would be ", line)


def test_a_part_that_returns_no_data_is_not_shown_where_it_is_right(said):
    out = said("where_arrays_live", {HOME: lambda array: np if isinstance(array, np.ndarray | np.generic) else None})
    assert out.startswith("✗") and "smallest call" not in out


def test_a_part_that_was_handed_nonsense_by_another_is_not_shown(said):
    """Where the engine's own breaks as well, and in the same way, what came in is to blame."""
    names = [f"minigrad.ops.pointwise.mul_vjp_{each}" for each in ("self", "other")]
    mine = lambda grad, other: (grad * other, grad), lambda grad, self: grad * self
    out = said("mul_backward", dict(zip(names, mine, strict=True)))
    assert "call of mul_vjp_self" in out and "call of mul_vjp_other" not in out


def test_what_should_have_come_is_the_engines_where_another_part_is_wrong_too(said):
    """The engine's own mean_vjp calls sum_vjp, of which the learner's forgets to stretch."""
    short = {
        SUM: lambda grad, self_shape, dim, keepdim: grad,
        MEAN: lambda grad, self_shape, dim, keepdim: grad / len(self_shape),
    }
    assert "right would be array(2, 3, 4)" in of(said("mean_backward", short), "mean_vjp")


@pytest.mark.parametrize("odd", [{"a": 1}, (1, None), [], "words", np, print, object(), np.array([None]), b"bytes"])
def test_whatever_a_part_returns_the_check_has_an_answer(said, odd):
    assert said("sigmoid_backward", {SIGMOID: lambda grad, result: odd}).startswith("✗")
    assert said("crossover_size", {"minigrad.timing.crossover": lambda sizes, here, there: odd}).startswith("✗")


def test_a_call_on_what_an_earlier_wrong_answer_has_left_is_not_the_one_that_is_shown(said):
    """There the engine's own raises; of the first call, which is larger, it can be told what is right."""

    def unbroadcast(grad, shape):
        extra = grad.ndim - len(shape)
        less = rules.sum(grad, tuple(range(extra)), False) if extra else grad
        dims = tuple(i for i, n in enumerate(shape) if n == 1 and less.shape[i] != 1)
        return rules.sum(grad, dims, True) if dims else less

    line = of(said("unbroadcast_both", {UNBROADCAST: unbroadcast}), "unbroadcast")
    assert "right would be" in line and "Error" not in line


@pytest.mark.parametrize("nothing", [lambda grad, z: None, lambda grad, z: (grad, z), lambda grad, z: grad.sigmoid()])
def test_where_nothing_comes_out_and_an_array_too_large_to_be_shown_should_there_is_nothing_to_compare(said, nothing):
    out = said("digits_in_small", {SIGMOID: nothing})
    assert out.startswith("✗") and "smallest call" not in out


def test_the_word_none_is_told_from_none_and_long_lists_are_not_worked_out_by_hand(said):
    def crossover(sizes, here, there):
        return next((size for size, a, b in zip(sizes, here, there, strict=True) if b < a), "None")

    part = "minigrad.timing.crossover"
    assert "→ yours 'None', right would be None" in said("crossover_size", {part: lambda *given: "None"}) + said(
        "crossover_size", {part: crossover}
    )
    out = said("when_it_pays", {part: crossover})
    assert out.startswith("✗") and "smallest call" not in out
