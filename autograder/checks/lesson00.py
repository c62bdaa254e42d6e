"""Lesson 00, the warm-up: the derivative of a sum of squared errors, worked out by hand.

One formula, asked for on ever new data, part by part, inside a descent and through the engine. A number typed in for
the example on the page, or a derivative of the mean, meets data on which it is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.checks import check
from autograder.checks.draws import both_signs

LESSON = "00_warmup"
PARTS = ["minigrad.warmup.squared_loss_grad"]

Properties = Iterator[tuple[Any, ...]]


def slope(T: Any, w: float, X: Any, Y: Any) -> Callable[[], Any]:
    """When called: the learner's derivative at w, as a number; what is no single number comes as it is, to be shown."""

    def compute() -> Any:
        found = T.warmup.squared_loss_grad(w, T.tensor(X), T.tensor(Y))
        several = found is None or isinstance(found, str | list | tuple) or math.prod(getattr(found, "shape", ())) != 1
        return found if several else float(found)

    return compute


def line(rng: np.random.Generator, points: int) -> tuple[Any, Any]:
    """Points near a line through the origin, on both sides of it; none of them so near 0 that its share is lost."""
    X = rng.uniform(0.5, 2, points) * rng.choice([-1.0, 1.0], points)
    return X, rng.uniform(-3, 3) * X + rng.normal(size=points)


def best_w(X: Any, Y: Any) -> float:
    """Where the slope is 0."""
    return float(X @ Y / (X @ X))


def off_the_bottom(rng: np.random.Generator) -> float:
    """How far to go from the best w: the slope there is not 0, nor what a single nudge gives."""
    return float(rng.uniform(0.5, 3))


def balanced(rng: np.random.Generator) -> tuple[float, Any, Any]:
    """The best w and its points, all of them in so few digits that the slope there is exactly 0."""
    left, right = rng.integers(1, 5, 10), rng.integers(5, 9, 10)
    best = int(rng.integers(1, 24)) / 8 * float(rng.choice([-1.0, 1.0]))
    X = np.r_[left, right].astype(float)
    return best, X, best * X + np.r_[right, -left]  # the errors, each times its X, add up to nothing


@check("warmup_by_hand", lesson=LESSON, points=1, parts=PARTS)
def warmup_by_hand(T: Any, rng: np.random.Generator) -> Properties:
    X, Y = np.array([1.0, 2.0, 3.0]), np.array([3.0, 5.0, 7.0])
    yield "the example: w = 1", slope(T, 1.0, X, Y)
    yield "one step to the right: w = 2", slope(T, 2.0, X, Y)
    yield "another w, drawn at random", slope(T, rng.uniform(3, 5), X, Y)  # beyond the bottom: uphill


@check("warmup_any_data", lesson=LESSON, points=2, parts=PARTS)
def warmup_any_data(T: Any, rng: np.random.Generator) -> Properties:
    for points, side in ((1, -1), (5, 1), (1000, -1)):  # slopes of both signs
        X, Y = line(rng, points)
        w = best_w(X, Y) + side * off_the_bottom(rng)
        yield "one point" if points == 1 else f"{points} points", slope(T, w, X, Y)
    best, X, Y = balanced(rng)
    yield "flat at the best w", lambda: abs(slope(T, best, X, Y)()) < 1e-6

    def untouched() -> list[Any]:
        data = [T.tensor(X), T.tensor(Y)]
        T.warmup.squared_loss_grad(best, *data)
        return data

    yield "the data stay as they were", untouched, "5 points"
    yield "downhill from either side", lambda: [slope(T, best + side, X, Y)() for side in (-1.0, 1.0)]


@check("warmup_batches", lesson=LESSON, points=1, parts=PARTS)
def warmup_batches(T: Any, rng: np.random.Generator) -> Properties:
    X, Y = line(rng, 12)
    cuts = slice(0, 3), slice(3, 5), slice(5, 12)
    # to the left of every bottom, where no slope is positive
    w = min(best_w(X[at], Y[at]) for at in cuts) - off_the_bottom(rng)
    pieces = [slope(T, w, X[at], Y[at]) for at in cuts]
    yield "three pieces of the data", lambda: [piece() for piece in pieces]
    yield "together, the whole", lambda: sum(piece() for piece in pieces)


@check("warmup_descent", lesson=LESSON, points=2, parts=PARTS)
def warmup_descent(T: Any, rng: np.random.Generator) -> Properties:
    best, X, Y = balanced(rng)
    best, Y = -abs(best), -Y if best > 0 else Y  # so that the slope is negative all the way
    start, rate = best * rng.uniform(2, 4), 0.3 / float(X @ X)  # on the way no w comes near 0, where few digits count

    def path() -> list[float]:
        visited = [start]
        for _ in range(15):
            visited.append(visited[-1] - rate * slope(T, visited[-1], X, Y)())
        return visited

    far = both_signs(rng, 64, 128, 3).tolist()

    def by_the_engine() -> Any:
        """In float32 and far out, where a nudge is of the size of the rounding."""
        found = []
        for each in far:
            w = T.tensor([each], requires_grad=True)
            (T.warmup.squared_loss(w, T.tensor(X), T.tensor(Y)) * 0.5 + w.sum()).backward()
            found.append(w.grad)
        return found

    yield "fifteen steps downhill", path
    yield "inside the engine's own backward", by_the_engine
