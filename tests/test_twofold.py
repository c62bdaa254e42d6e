"""Two slips in one part: what is said of them, and that nothing is where it would be a guess."""

from __future__ import annotations

import numpy as np
import pytest

from autograder import checks, oracle, parts
from autograder.checks import encode
from autograder.compare import compare
from autograder.mistakes import MISTAKES, of_part
from autograder.mistakes.twofold import twofold
from autograder.proportion import factor
from minigrad import ones_like

TANH, ROOT = "minigrad.ops.pointwise.tanh_vjp", "minigrad.autograd.roots.root_gradient"
SEED = 7


def neither_refuses_nor_compares_shapes(output, given, index):
    return ones_like(output) if given is None else given


def test_two_slips_that_show_in_different_properties_have_both_hints(said):
    out = said("what_does_not_fit", {ROOT: neither_refuses_nor_compares_shapes})
    assert "two slips at once, which together give exactly your results:" in out
    assert "1. With nothing given, you let outputs of several elements pass" in out
    assert "2. A gradient of the wrong shape is let through." in out


def test_a_mistake_with_a_sign_on_top_has_its_hint_and_says_so(said):
    out = said("tanh_backward", {TANH: lambda grad, result: result * result - 1})
    assert "exactly -1 times those of the following mistake" in out and "grad is not multiplied in" in out
    assert "is not multiplied" not in said("tanh_backward", {TANH: lambda grad, result: grad * result})


def test_where_nothing_is_wrong_but_a_factor_the_rows_say_so_and_no_mistake_is_named(said):
    out = said("tanh_backward", {TANH: lambda grad, result: 2 * grad * (1 - result * result)})
    assert "12 of 12 entries differ: yours are exactly 2 times what they should be; first at [0, 0]" in out
    assert "two slips" not in out


def test_one_slip_is_not_called_two(said):
    out = said("tanh_backward", {TANH: lambda grad, result: 1 - result * result})
    assert "Hint: The derivative, 1 - result², is right" in out and "two slips" not in out


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["what_does_not_fit", "sum_backward", "tanh_backward", "gradients_with_history", "micro_batches"]
)
def test_a_mistake_on_no_list_is_taken_for_two_others_only_where_it_is_both(monkeypatch, name):
    """Each known mistake in turn, as if no list had it."""
    check, engine = checks.get(name), __import__("minigrad")
    expected = oracle.expected(name, SEED)
    taken = {}
    for known in [each for part in check.parts for each in of_part(part)]:
        right = {part: parts.original(part) for part in check.parts}
        with parts.plugged_in(right | {known.part: known.written}), monkeypatch.context() as without:
            outcome = checks.attempt(check, engine, SEED)
            without.delitem(MISTAKES, known.name)
            if two := twofold(check, expected, outcome, SEED):
                taken[known.written.__name__] = {each.written.__name__ for each in two.mistakes}
    assert taken == {
        "sum_backward": {"sum_turns_keepdim_round": {"sum_forgot_dim", "sum_ignores_keepdim"}},
        "gradients_with_history": {
            "treats_it_as_plain": {"adds_in_place", "shares_the_first"},
            "drops_the_history": {"detaches_the_first", "forgets_how_it_added"},
        },
    }.get(name, {})


def test_where_another_part_is_wrong_as_well_nothing_is_guessed(said):
    exp, log = (f"minigrad.ops.pointwise.{each}_vjp" for each in ("exp", "log"))
    out = said("exp_log_backward", {log: lambda grad, self: grad + 17 * self, exp: lambda grad, result: -result})
    assert out.startswith("✗") and "two slips" not in out


@pytest.mark.parametrize(
    "right, got, k",
    [
        ([1.0, 2.0, 3.0], [2.0, 4.0, 6.0], 2.0),
        ([1.0, -2.0, 0.0], [-1.0, 2.0, 0.0], -1.0),
        ([1.0, 2.0, 3.0], [2.0, 4.0, 6.001], None),
        ([1.0, 2.0, 0.0], [2.0, 4.0, 1.0], None),
        ([1.0, 2.0], [2.0, 4.0], None),  # by chance
        ([1.0, -1.0, 1.0], [2.0, -2.0, 2.0], None),
        ([1.0, 2.0, 3.0], [0.0, 0.0, 0.0], None),
        ([1.0, 2.0, np.inf], [2.0, 4.0, np.inf], None),
    ],
)
def test_a_factor_is_named_where_there_is_one(right, got, k):
    assert factor(np.array(right), np.array(got), 1e-8) == k
    found = compare(encode(np.array(right)), encode(np.array(got)))
    assert ("times what they should be" in found.en) == ("倍" in found.zh) == (k is not None)
