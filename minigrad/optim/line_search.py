"""How far to go in one direction: a search for a step that satisfies the strong Wolfe conditions, for LBFGS.

It knows nothing of parameters: it is given a direction's slope and a function that evaluates a step. Source: Nocedal,
Wright, Numerical Optimization, algorithms 3.5 (a bracket) and 3.6 (narrowed down); its numbers are torch's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

ENOUGH, FLAT = 1e-4, 0.9  # the two conditions' constants, c₁ and c₂
TINY = 1e-9  # how far apart the ends of a bracket move some element at least


class Point(NamedTuple):
    """A step of size t: the loss and the gradient there, and the slope along the direction."""

    t: Any
    loss: float
    grad: Any
    slope: Any


def strong_wolfe(evaluate: Callable[[Any], Point], start: Point, t: Any, span: Any, most: int) -> tuple[Point, int]:
    """A point where the loss has fallen enough and the slope is flat enough, and how often the loss was computed.

    evaluate: the point of a step. start: where it begins, t being 0 there. t: the step to try first. span: the largest
    element of the direction. most: how many further steps may be tried.
    """
    before, here, tries = start, evaluate(t), 0
    while tries < most:
        if too_high(here, start) or (tries > 1 and here.loss >= before.loss):
            return narrowed(evaluate, start, [before, here], tries, span, most)
        if abs(here.slope) <= -FLAT * start.slope:
            return here, tries + 1
        if here.slope >= 0:
            return narrowed(evaluate, start, [before, here], tries, span, most)
        bounds = (here.t + 0.01 * (here.t - before.t), here.t * 10)
        before, here = here, evaluate(lowest_of_cubic(before, here, bounds))
        tries += 1
    ends = [start, here]
    return ends[lower(ends)], tries + 1


def too_high(point: Point, start: Point) -> bool:
    """Whether the loss has not fallen enough for a step of this size."""
    return bool(point.loss > start.loss + ENOUGH * point.t * start.slope)


def lower(bracket: list[Point]) -> int:
    """Which of two points has the smaller loss; the first, where both are equal."""
    return 0 if bracket[0].loss <= bracket[1].loss else 1


def narrowed(
    evaluate: Callable[[Any], Point],
    start: Point,
    bracket: list[Point],
    tries: int,
    span: Any,
    most: int,
) -> tuple[Point, int]:
    """What strong_wolfe gives, from two steps between which such a point lies."""
    stalled = False
    low = lower(bracket)
    while tries < most and abs(bracket[1].t - bracket[0].t) * span >= TINY:
        t, stalled = kept_inside(lowest_of_cubic(bracket[0], bracket[1]), bracket[0].t, bracket[1].t, stalled)
        here = evaluate(t)
        tries += 1
        if too_high(here, start) or here.loss >= bracket[low].loss:
            bracket[1 - low] = here
            low = lower(bracket)
            continue
        found = abs(here.slope) <= -FLAT * start.slope
        if not found and here.slope * (bracket[1 - low].t - bracket[low].t) >= 0:
            bracket[1 - low] = bracket[low]
        bracket[low] = here
        if found:
            break
    return bracket[low], tries + 1


def kept_inside(t: Any, one_end: Any, other_end: Any, stalled: bool) -> tuple[Any, bool]:
    """t, moved away from an end of the bracket if it comes too close to one for the second time; whether it is close."""
    first, last = min(one_end, other_end), max(one_end, other_end)
    margin = 0.1 * (last - first)
    if min(last - t, t - first) >= margin:
        return t, False
    if not (stalled or t >= last or t <= first):
        return t, True
    return (last - margin if abs(t - last) < abs(t - first) else first + margin), False


def lowest_of_cubic(a: Point, b: Point, bounds: tuple[Any, Any] | None = None) -> Any:
    """Where the cubic through two points with their slopes is lowest, within bounds: between the two, by default."""
    first, last = bounds or (min(a.t, b.t), max(a.t, b.t))
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = d1**2 - a.slope * b.slope
    if square < 0:
        return (first + last) / 2.0
    left, right = (a, b) if a.t <= b.t else (b, a)
    d2 = square.sqrt()
    at = right.t - (right.t - left.t) * ((right.slope + d2 - d1) / (right.slope - left.slope + 2 * d2))
    return min(max(at, first), last)
