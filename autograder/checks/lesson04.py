"""Lesson 04, broadcasting: which shapes may be stretched, and how a gradient gets back to the shape it belongs to.

Every gradient that arrives is random, so that a sum cannot be mistaken for a mean, a first row or a count. The rule
of stretching shows where a custom Function returns a gradient of some shape: too large is summed, the rest refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.checks import check, raises
from autograder.checks.tensors import leaf, pull

LESSON = "04_broadcast"
STRETCHES, UNBROADCAST = "minigrad.autograd.accumulate.broadcasts_to", "minigrad.autograd.accumulate.unbroadcast"
EXPAND = "minigrad.ops.shape.expand_vjp"

REFUSED = "refused"

Properties = Iterator[tuple[Any, ...]]
Shape = tuple[int, ...]


def pair(T: Any, rng: np.random.Generator, left: Shape, right: Shape, f: Callable[..., Any]) -> Callable[[], Any]:
    """When called: the gradients of both operands of f(left, right)."""
    a, b = rng.uniform(0.5, 2, left), rng.uniform(0.5, 2, right)

    def compute() -> Any:
        x, y = leaf(T, a), leaf(T, b)
        pull(T, rng, f(x, y))
        return [x.grad, y.grad]

    return compute


# ── broadcasts_to ────────────────────────────────────────────────────────────────────────────────


def returning(T: Any, rng: np.random.Generator, given: Shape, wanted: Shape) -> Callable[[], Any]:
    """When called: the gradient that an input of shape `wanted` gets out of one of shape `given`; or that it is refused.

    Refused, not by which words: these name shapes, but not the two functions that a learner compares.
    """
    values = rng.normal(size=given)

    def compute() -> Any:
        class F(T.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                return x * 1.0

            @staticmethod
            def backward(ctx: Any, *grads: Any) -> Any:
                return T.tensor(values)

        x = leaf(T, np.ones(wanted))
        said = raises(lambda: F.apply(x).sum().backward())
        return REFUSED if said and "returned an invalid gradient" in said else said or x.grad

    return compute


@check("broadcast_rule", lesson=LESSON, points=2, parts=[STRETCHES])
def broadcast_rule(T: Any, rng: np.random.Generator) -> Properties:
    """Each refusal needs a right acceptance, and the other way round: one answer to everything is half right by chance."""
    fits: list[tuple[Shape, Shape]] = [
        ((3,), (3,)),
        ((3,), (2, 3)),
        ((2, 1), (2, 3)),
        ((1, 3), (2, 3)),
        ((), (2, 3)),
        ((4, 1, 5), (4, 3, 5)),
        ((1, 1), (5, 2, 3)),
    ]
    misfits: list[tuple[Shape, Shape]] = [
        ((4,), (3,)),
        ((2,), (2, 3)),
        ((2, 3), (2, 1)),
        ((1, 3), (3,)),
        ((2, 3), (3, 2)),
        ((2, 3), (4, 3)),
        ((3, 2), (3, 4)),
    ]

    def asked(shape: Shape, target: Shape) -> tuple[str, Callable[[], Any]]:
        return f"{shape} to {target}", returning(T, rng, target, shape)

    yield asked(*fits[0])
    yield asked(*misfits[0])
    for each in fits[1:]:
        yield *asked(*each), "(4,) to (3,)"
    for each in misfits[1:]:
        yield *asked(*each), "(3,) to (3,)"
    pairs = list(shapes_at_random(rng, 6))  # no list of shapes will do
    yield "drawn at random", lambda: [returning(T, rng, target, shape)() for shape, target in pairs]


def shapes_at_random(rng: np.random.Generator, count: int) -> Iterator[tuple[Shape, Shape]]:
    """Pairs of a shape and a target: in turn one that fits, and the same with one size too many."""
    for _ in range(count):
        target = tuple(rng.integers(2, 6, size=rng.integers(1, 4)).tolist())
        kept = target[rng.integers(len(target)) :]
        wrong = rng.integers(len(kept))
        yield tuple(1 if rng.random() < 0.4 else n for n in kept), target
        yield tuple(n + (at == wrong) for at, n in enumerate(kept)), target


# ── unbroadcast ──────────────────────────────────────────────────────────────────────────────────


@check("unbroadcast_rows", lesson=LESSON, points=2, parts=[UNBROADCAST])
def unbroadcast_rows(T: Any, rng: np.random.Generator) -> Properties:
    """Operands with fewer dimensions than the result."""
    yield "a row under a matrix", pair(T, rng, (4, 3), (3,), lambda a, b: a + b)
    yield "a row under a square matrix", pair(T, rng, (3, 3), (3,), lambda a, b: a * b)
    yield "a row above a matrix", pair(T, rng, (3,), (2, 3), lambda a, b: a / b)
    yield "a matrix in a batch", pair(T, rng, (2, 4, 3), (4, 3), lambda a, b: a * b)
    yield "a row in a batch of batches", pair(T, rng, (2, 2, 4, 3), (3,), lambda a, b: a - b)
    yield "one number without dimensions", pair(T, rng, (2, 3), (), lambda a, b: a * b)
    yield "the same shapes stay", pair(T, rng, (2, 3), (2, 3), lambda a, b: a * b)


@check("unbroadcast_ones", lesson=LESSON, points=2, parts=[UNBROADCAST])
def unbroadcast_ones(T: Any, rng: np.random.Generator) -> Properties:
    """Operands with dimensions of size 1 that were stretched."""
    yield "a column beside a matrix", pair(T, rng, (4, 3), (4, 1), lambda a, b: a + b)
    yield "a column beside a square matrix", pair(T, rng, (3, 3), (3, 1), lambda a, b: a * b)
    yield "a flat row under a matrix", pair(T, rng, (4, 3), (1, 3), lambda a, b: a / b)
    yield "a column against a row: both are stretched", pair(T, rng, (4, 1), (1, 3), lambda a, b: a * b)
    yield "a one in the middle", pair(T, rng, (2, 4, 3), (2, 1, 3), lambda a, b: a * b)
    yield "ones at both ends", pair(T, rng, (2, 4, 3), (1, 4, 1), lambda a, b: a * b)
    yield "three ones at once", pair(T, rng, (2, 4, 3), (1, 1, 1), lambda a, b: a * b)
    yield "ones on both sides stay", pair(T, rng, (1, 3), (1, 3), lambda a, b: a * b)


@check("unbroadcast_both", lesson=LESSON, points=2, parts=[UNBROADCAST])
def unbroadcast_both(T: Any, rng: np.random.Generator) -> Properties:
    """Fewer dimensions and ones at once, and the same operand in several places."""
    yield "a column in a batch", pair(T, rng, (2, 4, 3), (4, 1), lambda a, b: a * b)
    yield "a single one, stretched to all", pair(T, rng, (2, 4, 3), (1,), lambda a, b: a * b)
    yield "a flat row in a batch", pair(T, rng, (2, 4, 3), (1, 3), lambda a, b: a / b)
    yield "outer product of a row and a column", pair(T, rng, (3,), (4, 1), lambda a, b: a * b)
    yield "a one on the longer side", pair(T, rng, (1, 4, 3), (4, 3), lambda a, b: a * b)
    yield "a power with a row of exponents", pair(T, rng, (4, 3), (3,), lambda a, b: a**b)
    yield "x stretched over its own columns", pair(T, rng, (3, 3), (3, 1), lambda a, b: (a + b) * b)
    x = leaf(T, rng.normal(size=3))
    matrix = T.tensor(rng.normal(size=(4, 3)))
    pull(T, rng, matrix * x + x * T.tensor(rng.normal(size=(2, 1, 3))))
    yield "one leaf, stretched in two ways", x.grad


# ── expand_vjp, and everything together ──────────────────────────────────────────────────────────


@check("expand_backward", lesson=LESSON, points=2, parts=[EXPAND])
def expand_backward(T: Any, rng: np.random.Generator) -> Properties:
    def expanded(shape: Shape, *size: int) -> Callable[[], Any]:
        values = rng.normal(size=shape)

        def compute() -> Any:
            x = leaf(T, values)
            pull(T, rng, x.expand(*size))
            return x.grad

        return compute

    yield "a row to two rows", expanded((3,), 2, 3)
    yield "a column to three columns", expanded((2, 1), 2, 3)
    yield "one number to a matrix", expanded((1, 1), 4, 3)
    yield "a number without dimensions", expanded((), 5)
    yield "a one in the middle, and a new dimension", expanded((2, 1, 3), 4, 2, 5, 3)
    yield "-1 leaves a size as it is", expanded((3, 1), -1, 4)
    yield "nothing to stretch", expanded((2, 3), 2, 3)
    x = leaf(T, rng.normal(size=(3, 1)))
    wide = x.expand(3, 4)
    pull(T, rng, wide * wide + x)
    yield "used twice, and unstretched besides", x.grad


# A gradient's shape, and that of an input which cannot be stretched to it.
MISFITS: list[tuple[Shape, Shape]] = [
    ((4, 1), (4, 2)),
    ((4, 3), (4, 2)),
    ((8, 2), (4, 2)),
    ((4,), (1, 4)),
    ((4,), (2,)),
]


@check("broadcast_in_a_network", lesson=LESSON, points=3, parts=[STRETCHES, UNBROADCAST, EXPAND])
def broadcast_in_a_network(T: Any, rng: np.random.Generator) -> Properties:
    """Biases, scales and a temperature, all smaller than what they meet, trained for three steps on two groups."""
    rows, inputs, width, outputs = (rng.permutation(5) + 2)[:4].tolist()
    X = T.tensor(rng.normal(size=(2, rows, inputs)))
    target = T.tensor(rng.normal(size=(2, rows, outputs)))
    shapes: dict[str, Shape] = {"W": (inputs, width), "b": (width,), "scale": (1, width)}
    shapes |= {"V": (width, outputs), "c": (outputs,), "temperature": ()}
    params = {name: leaf(T, rng.uniform(0.5, 1.5, shape)) for name, shape in shapes.items()}
    pieces = rng.uniform(0.5, 1.5, (2, 3, 1))
    pieces *= 2.0 / pieces.sum()

    class Doubled(T.autograd.Function):
        """x * 2, whose backward returns the gradient in six pieces, side by side in more dimensions."""

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2.0

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return grads[0] * T.tensor(pieces)

    losses = []
    for _ in range(3):
        hidden = X @ params["W"] + Doubled.apply(params["b"])
        centred = hidden - hidden.mean(-1, keepdim=True)
        scaled = (centred * Doubled.apply(params["scale"])).tanh()
        out = (scaled @ params["V"] + params["c"].expand(2, rows, outputs)) / params["temperature"]
        loss = ((out - target) ** 2).mean()
        for each in params.values():
            each.grad = None
        loss.backward()
        losses.append(loss.item())
        with T.no_grad():
            for each in params.values():
                each -= 0.02 * each.grad  # small: a temperature near zero makes rounding of it all
    yield "the loss, step by step", losses
    for name, each in params.items():
        yield f"third gradient of {name}", each.grad
    yield "the parameters after training", list(params.values())
    misfits = [returning(T, rng, *each) for each in MISFITS]
    yield "gradients that do not fit are refused", lambda: [each() for each in misfits], "the loss, step by step"
