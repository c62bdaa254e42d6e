"""Lesson 01, the tensor: what item gives and refuses, who may ask for a gradient, what detach shares and what it cuts.

Values are looked at with their types, since a learner's 0-d array prints like a number; sharing is looked at by
writing on one side and reading on the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.checks import check, raises
from autograder.checks.draws import each_at_least_once
from autograder.checks.tensors import leaf

LESSON = "01_tensor"
TENSOR = "minigrad.tensor.Tensor."
ITEM, REQUIRES_GRAD, DETACH = TENSOR + "item", TENSOR + "requires_grad_", TENSOR + "detach"

Properties = Iterator[tuple[Any, ...]]


def typed(value: Any) -> list[Any]:
    """A value with the name of its type: True, 1 and 1.0 look the same otherwise."""
    return [type(value).__name__, value]


# ── item ─────────────────────────────────────────────────────────────────────────────────────────


@check("item_value", lesson=LESSON, points=2, parts=[ITEM])
def item_value(T: Any, rng: np.random.Generator) -> Properties:
    number = rng.normal()
    yield "a float", lambda: typed(T.tensor(number, dtype=T.float64).item())
    yield "a float32, rounded as it was stored", lambda: typed(T.tensor(number).item())
    yield "an int", lambda: typed(T.tensor(int(rng.integers(-99, 99))).item())
    yield "a bool", lambda: typed(T.tensor(bool(number > 0)).item())
    yield "one number in brackets", lambda: typed(T.tensor([number]).item())
    yield "in three brackets", lambda: typed(T.tensor([[[number]]]).item())
    yield "not finite", lambda: [T.tensor(each).item() for each in (np.inf, -np.inf, np.nan)]
    w = leaf(T, rng.normal(size=3))
    yield "a computed tensor", lambda: typed((w * w).sum().item())
    yield "arithmetic with it leaves no graph", lambda: type((w * w).sum().item() * 2 + 1).__name__


@check("item_refuses", lesson=LESSON, points=1, parts=[ITEM])
def item_refuses(T: Any, rng: np.random.Generator) -> Properties:
    yield "two numbers", raises(lambda: T.tensor(rng.normal(size=2)).item())
    yield "twelve numbers", raises(lambda: T.tensor(rng.normal(size=(3, 4))).item())
    yield "a row of equal ones", raises(lambda: T.ones(1, 5).item())
    yield "none at all", raises(lambda: T.tensor([]).item())
    yield "but one is welcome", lambda: T.tensor([rng.normal()]).item()


# ── requires_grad_ ───────────────────────────────────────────────────────────────────────────────


@check("requires_grad_switch", lesson=LESSON, points=2, parts=[REQUIRES_GRAD])
def requires_grad_switch(T: Any, rng: np.random.Generator) -> Properties:
    values = rng.normal(size=3)

    def gradient() -> Any:
        x = T.tensor(values).requires_grad_()
        (x * x).sum().backward()
        return x.grad

    def switched_off() -> list[Any]:
        x, w = T.tensor(values).requires_grad_(), leaf(T, values)
        x.requires_grad_(False)
        (x * w).sum().backward()
        return [x.requires_grad, x.grad, w.grad]

    switches = each_at_least_once(rng, 2, 5)

    def frozen_and_thawed() -> list[Any]:
        x, seen = leaf(T, values), []
        for wanted in switches:
            x.requires_grad_(bool(wanted))
            seen.append((x * 2.0).requires_grad)
        return seen

    def twice() -> Any:
        x = leaf(T, values)
        y = x * x
        x.requires_grad_()
        (y + x).sum().backward()
        return x.grad

    x, computed = T.tensor(values), leaf(T, values) * 2.0
    yield "on", lambda: T.tensor(values).requires_grad_().requires_grad
    yield "a gradient arrives", gradient
    yield "frozen, then thawed", frozen_and_thawed
    yield "off again", switched_off, "frozen, then thawed"
    yield "it returns the very tensor", lambda: x.requires_grad_() is x, "frozen, then thawed"
    yield "asked for twice, collected once", twice, "frozen, then thawed"
    yield "a computed tensor keeps its history", lambda: computed.requires_grad_().grad_fn.name(), "on"
    yield "float16, too", lambda: T.tensor(values, dtype=T.float16).requires_grad_().requires_grad


@check("requires_grad_refuses", lesson=LESSON, points=2, parts=[REQUIRES_GRAD])
def requires_grad_refuses(T: Any, rng: np.random.Generator) -> Properties:
    whole = T.tensor(rng.integers(-9, 9, size=4))
    computed = leaf(T, rng.normal(size=3)) * 2.0
    yield "integers", raises(whole.requires_grad_)
    yield "bools", raises(T.tensor([True, False]).requires_grad_)
    yield "integers stay as they were", [whole.requires_grad, whole.is_leaf]
    yield "off is no trouble for integers", lambda: whole.requires_grad_(False).requires_grad
    yield "off, for a computed tensor", raises(lambda: computed.requires_grad_(False))
    yield "which keeps its history", [computed.requires_grad, computed.is_leaf]
    yield "on, for a computed tensor", raises(computed.requires_grad_)
    yield "integers made floats are welcome", lambda: whole.double().requires_grad_().requires_grad

    def switched(make: Callable[[], Any]) -> list[Any]:
        """What comes of each switch, on or off at random: the refusal, or how the tensor is now."""

        def throw(on: int) -> Any:
            x = make()
            return raises(lambda: x.requires_grad_(bool(on))) or x.requires_grad

        return [throw(on) for on in each_at_least_once(rng, 2, 12)]

    yield "integers, on or off at random", switched(lambda: T.tensor([1, 2]))
    yield "leaves, on or off at random", switched(lambda: leaf(T, [1.0, 2.0]))
    yield "computed tensors, on or off at random", switched(lambda: leaf(T, [1.0]) * 2.0)


# ── detach ───────────────────────────────────────────────────────────────────────────────────────


@check("detach_cuts", lesson=LESSON, points=2, parts=[DETACH])
def detach_cuts(T: Any, rng: np.random.Generator) -> Properties:
    values = rng.normal(size=(2, 3))

    def gradient(f: Callable[[Any], Any]) -> Callable[[], Any]:
        def compute() -> Any:
            x = leaf(T, values)
            f(x).sum().backward()
            return x.grad

        return compute

    x = leaf(T, values)
    y = x * x
    d = y.detach()
    cut = "x * x.detach()"
    yield cut, gradient(lambda x: x * x.detach())
    yield "the same numbers", d, cut
    yield "no history", [d.requires_grad, d.is_leaf, d.grad_fn is None]
    yield "the original keeps its own", [y.requires_grad, y.grad_fn.name()]
    yield "of a leaf, too", lambda: [x.detach().requires_grad, x.requires_grad, x.detach() is x]
    yield "x - x.detach() is 0, its slope is not", gradient(lambda x: x - x.detach())
    yield "cut in the middle", gradient(lambda x: x + (x * x).detach() * 3.0)
    fresh = d.requires_grad_()
    (fresh * fresh).sum().backward()
    yield "a new start: its own gradient", fresh.grad
    yield "and none for x", x.grad


@check("detach_shares", lesson=LESSON, points=2, parts=[DETACH])
def detach_shares(T: Any, rng: np.random.Generator) -> Properties:
    values = rng.uniform(0.5, 2, 4)

    def late(f: Callable[[Any], Any], write: Callable[[Any, Any], Any]) -> Callable[[], Any]:
        def compute() -> Any:
            x = leaf(T, values)
            y = f(x)
            write(x, y)
            return raises(lambda: y.sum().backward()) or x.grad

        return compute

    def apart() -> Any:
        x, weight = leaf(T, values), T.tensor(values[::-1].copy())
        (x * weight + x.detach() * x).sum().backward()
        return x.grad

    x = T.tensor(values)
    d, another = x.detach(), "another tensor"
    yield another, apart  # or sharing is no art
    d[0] = 7.0
    yield "written here, read there", x, another
    x[1] = -7.0
    yield "and the other way round", d, another
    yield "one place in memory", d.data_ptr() == x.data_ptr(), another
    yield "both count the writes", [x._version, d._version], another
    yield "detached twice, still shared", lambda: [x.detach().detach().zero_().sum().item(), x], another
    yield "a saved value was written", late(lambda x: x * x, lambda x, y: x.detach().mul_(2.0)), another
    yield "a saved result was written", late(lambda x: x.exp(), lambda x, y: y.detach().mul_(2.0)), another
    yield "nothing was saved, nothing is amiss", late(lambda x: x + x, lambda x, y: x.detach().mul_(2.0))


# ── All three ────────────────────────────────────────────────────────────────────────────────────


@check("tensor_training", lesson=LESSON, points=3, parts=[ITEM, REQUIRES_GRAD, DETACH])
def tensor_training(T: Any, rng: np.random.Generator) -> Properties:
    """A line follows a slowly moving copy of itself; one of its weights is frozen for a while."""
    X = T.tensor(rng.normal(size=(12, 3)))
    w = T.tensor(rng.normal(size=(3, 1))).requires_grad_()
    b = T.tensor(rng.normal(size=1)).requires_grad_()
    shadow = T.tensor(rng.normal(size=(3, 1)))
    log, gradients = [], []
    for step in range(8):
        b.requires_grad_(step < 3 or step > 5)
        guess = X @ w + b
        target = X @ shadow + guess.detach() * 0.5
        loss = ((guess - target) ** 2).mean()
        w.grad = b.grad = None
        loss.backward()
        log.append(typed(loss.item()))
        gradients.append([w.grad.detach().clone(), None if b.grad is None else b.grad.detach().clone()])
        w.detach().sub_(w.grad * 0.1)
        if b.grad is not None:
            b.detach().sub_(b.grad * 0.1)
        shadow = shadow * 0.9 + w.detach() * 0.1
    yield "the loss, step by step", log
    yield "gradients of w and b", gradients
    yield "no gradient for b while frozen", [each[1] is None for each in gradients]
    yield "w and b", [w, b]
    yield "what follows has no history", [shadow.requires_grad, shadow.grad_fn is None]
