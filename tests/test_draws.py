"""What is drawn for a check: nobody loses or gains points by luck."""

import warnings

import numpy as np
import pytest

import minigrad
from autograder import checks, oracle, parts
from autograder.checks.draws import both_signs, each_at_least_once
from autograder.compare import judge
from autograder.mistakes import MISTAKES, of_part

# With these three, 24 of the 33 scores that once depended on luck differed. Checks of a lesson's parts all together,
# which take longest, are looked at with two.
SEEDS = (3, 11, 6)


def score(check, written, seed):
    """What the check gives for `written`, with the engine's own for its other parts."""
    with parts.plugged_in({part: parts.original(part) for part in check.parts} | written), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return judge(check, oracle.expected(check.name, seed), checks.attempt(check, minigrad, seed)).score


@pytest.mark.slow
@pytest.mark.parametrize("check", checks.REGISTRY.values(), ids=lambda check: check.name)
def test_what_a_known_mistake_costs_does_not_depend_on_the_draw(check):
    by_luck, seeds = {}, SEEDS[: 3 if len(check.parts) < 3 else 2]
    for known in (each for part in check.parts for each in of_part(part)):
        scores = {seed: score(check, {known.part: known.written}, seed) for seed in seeds}
        if len(set(scores.values())) > 1:
            by_luck[known.name] = scores
    assert not by_luck, f"{check.name}, of {check.points}, mistake -> seed -> score: {by_luck}"


# A check, a mistake, and draws that once hid it, or showed it where others did not: some came up once in a hundred.
RARE = [
    ("clinic_numpy", "minigrad.clinic.absolute_loss:absolute_loss_averages_first", (1002, 1008)),
    ("custom_network", "minigrad.custom.Softplus.forward:without_the_absolute_value", (5003,)),
    ("custom_network", "minigrad.custom.Softplus.forward:clamps_in_place", (5003,)),
    ("hooks_in_training", "minigrad.autograd.hooks.RemovableHandle.remove:removes_nothing", (5012, 5031)),
    ("order_of_hooks", "minigrad.autograd.engine.count_dependencies:counts_neighbours", (2, 17)),
]


@pytest.mark.parametrize("name, mistake, seeds", RARE)
def test_a_rare_draw_costs_what_any_other_does(name, mistake, seeds):
    known, check = MISTAKES[mistake], checks.get(name)
    assert len({score(check, {known.part: known.written}, seed) for seed in (*SEEDS, *seeds)}) == 1


@pytest.mark.parametrize("seed", range(20))
def test_each_kind_is_drawn_and_both_signs_are(seed):
    rng = np.random.default_rng(seed)
    assert set(each_at_least_once(rng, 4, 4)) == set(each_at_least_once(rng, 4, 9)) == set(range(4))
    drawn = both_signs(rng, 0.5, 2, 1, 2)
    assert drawn.shape == (1, 2) and drawn.min() < 0 < drawn.max()
    assert (np.abs(drawn) >= 0.5).all() and (np.abs(drawn) < 2).all()


def test_the_order_of_what_is_drawn_is_random():
    orders = {tuple(each_at_least_once(np.random.default_rng(seed), 4, 9)) for seed in range(20)}
    assert len(orders) == 20
