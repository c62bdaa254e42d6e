"""Checkpoints save memory: what the function computes on its way is not kept, and nothing of the second time stays behind."""

from __future__ import annotations

import gc
import weakref

import pytest
import torch

import minigrad

ENGINES = [torch, minigrad]
WAYS = [None, False, True]


def run(engine, way, function, x):
    """The function, under a checkpoint or (None) not."""
    if way is None:
        return function(x)
    return engine.utils.checkpoint.checkpoint(function, x, use_reentrant=way)


def deep(x):
    for _ in range(10):
        x = x.tanh().exp()
    return x


@pytest.mark.parametrize("way, expected", [(None, 20), (False, 1), (True, 1)])
@pytest.mark.parametrize("engine", ENGINES)
def test_only_the_inputs_are_saved(engine, way, expected):
    saved = []
    x = engine.ones(3, requires_grad=True)
    with engine.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t) or t, lambda t: t):
        y = run(engine, way, deep, x)
    assert len(saved) == expected
    y.sum().backward()
    assert x.grad is not None


@pytest.mark.parametrize("way", WAYS)
def test_what_is_computed_on_the_way_is_freed(way):
    arrays = []

    def watched(x):
        for _ in range(5):
            x = x.tanh().exp()
            arrays.append(weakref.ref(x._data))
        return x

    x = minigrad.ones(3, requires_grad=True)
    gc.disable()
    try:
        y = run(minigrad, way, watched, x)
        alive = sum(each() is not None for each in arrays)
        assert alive == (5 if way is None else 1)  # y itself
        y.sum().backward()
        del y
        assert all(each() is None for each in arrays)
    finally:
        gc.enable()


def test_a_graph_that_is_walked_many_times_keeps_the_last_recomputation_only():
    arrays = []

    def watched(x):
        y = x.exp()
        arrays.append(weakref.ref(y._data))
        return y.sin()

    x = minigrad.ones(3, requires_grad=True)
    y = run(minigrad, False, watched, x).sum()
    for _ in range(5):
        minigrad.autograd.grad(y, x, retain_graph=True)
    gc.collect()
    assert len(arrays) == 6
    assert sum(each() is not None for each in arrays) <= 1


@pytest.mark.parametrize("engine", ENGINES)
def test_a_failed_recomputation_leaves_nothing_switched_on(engine):
    broken = []

    def function(x):
        if broken:
            raise KeyError("the second time")
        return x.exp()

    x = engine.ones(2, requires_grad=True)
    y = run(engine, False, function, x).sum()
    broken.append(True)
    with pytest.raises(KeyError):
        y.backward()
    assert engine.is_grad_enabled()
    (g,) = engine.autograd.grad((x * x).sum(), x)
    assert g.tolist() == [2, 2]
    broken.clear()
    y.backward()
    assert x.grad is not None
