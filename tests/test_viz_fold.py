"""The order in which `minigrad.viz` reads a graph, and how it folds large ones."""

import re

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from viz_tools import BOTH, chain, layout, random_graph, titles, words

from minigrad import viz
from minigrad.viz import fold, graph


@BOTH
@pytest.mark.parametrize("seed", range(8))
def test_walk_order_is_the_engines(T, seed):
    loss = random_graph(T, seed)
    expected = graph.walk_order([loss.grad_fn])
    ran = []
    for node in expected:
        node.register_hook(lambda *_, node=node: ran.append(node))
    loss.backward()
    ops = [[node for node in order if not graph.accumulates(node)] for order in (ran, expected)]
    assert ops[0] == ops[1] and set(ran) == set(expected)


def nested(T, length):
    w = T.tensor([0.5], requires_grad=True)
    y = w
    for _ in range(length):
        for _ in range(7):
            y = y * w
        y = y.exp()
        for _ in range(5):
            y = y + w
    return y.sum()


def many_leaves(T, length):
    return T.stack([T.tensor([1.0], requires_grad=True) for _ in range(length)]).sum()


@BOTH
@pytest.mark.parametrize("program", [chain, nested])
def test_large_graphs_fold(T, program):
    loss = program(T, 400)
    picture = viz.draw(loss)
    check_folded(picture, len(graph.walk_order([loss.grad_fn])))
    assert "AccumulateGrad" in titles(picture) and len(layout(picture)[0]) < 60


@BOTH
def test_many_leaves_fold(T):
    picture = viz.draw(many_leaves(T, 500))
    check_folded(picture, 502)
    assert "498 × AccumulateGrad" in picture.dot and len(layout(picture)[0]) < 10


def check_folded(picture, nodes):
    """All nodes are accounted for, and no arrows run in a circle."""
    labels, arrows = layout(picture)
    hidden = sum(int(count) for count in re.findall(r"(\d+) nodes folded", picture.dot))
    standing = sum("Backward" in words(label).split("\n")[0] for label in labels.values())
    standing += titles(picture).count("AccumulateGrad")
    assert hidden and hidden + standing == nodes
    assert len(labels) <= viz.survey.FOLD_ABOVE * 2 + 1  # each AccumulateGrad that stands has its leaf
    targets = {key: {b for a, b, _ in arrows if a == key} for key in labels}
    while free := [key for key in targets if not any(key in others for others in targets.values())]:
        for key in free:
            del targets[key]
    assert not targets


def test_graphs_that_are_not_large_stay_whole():
    loss = chain(torch, 40)
    assert "folded" not in viz.draw(loss).dot
    assert "folded" in viz.draw(loss, fold_above=20).dot


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from("abc"), max_size=300), st.integers(4, 60))
def test_folding_accounts_for_every_name(names, most):
    stretches = fold.fold(names, most)
    assert sum(stretch.length for stretch in stretches) == len(names)
    assert len(stretches) <= max(most, 1)
    at = 0
    for stretch in stretches:
        if not stretch.text:
            assert stretch.length == 1 and stretch.kind == names[at]
        at += stretch.length


def test_folding_finds_the_rounds_of_a_loop():
    texts = [stretch.text for stretch in fold.fold(list("x" + "ab" * 50 + "y"), 20)]
    assert texts == ["", "", "", "48 × (a → b)", "", "", ""]
    inner = [stretch.text for stretch in fold.fold((["a"] * 9 + ["b"]) * 30, 20) if stretch.text]
    assert inner == ["7 × a", "28 × (a → 7 × a → a → b)", "7 × a"]


def test_what_repeats_nothing_folds_in_the_middle():
    stretches = fold.fold([str(number) for number in range(1000)], 50)
    assert len(stretches) == 50
    assert [stretch.text for stretch in stretches if stretch.text] == ["951 种 kinds of nodes"]
