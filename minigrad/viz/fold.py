"""Folding: a graph of thousands of nodes as a picture of at most a couple of hundred.

A loop in a program leaves the same names again and again in the order in which the engine walks. So each
stretch of the walk that repeats keeps its first and its last round, and the rounds between become one box;
then again, for loops inside loops. In this order all edges point forward, so stretches never make a cycle.

What it is not: it knows no tensors and no nodes, only a list of names.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

MOST_NAMES_A_ROUND = 4
LONGEST_ROUND = 256
FEWEST_ROUNDS = 4  # of three rounds only the middle one would vanish


@dataclass(frozen=True)
class Stretch:
    """`length` nodes of the walk shown as one box; `text` is empty for a single node."""

    length: int
    kind: Hashable  # stretches of the same kind look the same
    text: str = ""


def fold(names: Sequence[str], most: int) -> list[Stretch]:
    """Cut the walk into at most `most` stretches (one for each name if that is few enough)."""
    stretches = [Stretch(1, name) for name in names]
    longest = 1  # short rounds first, so that a loop inside a loop is one box in every round of the outer one
    while len(stretches) > most:
        shorter = _fold_rounds(stretches, longest)
        if len(shorter) == len(stretches):
            longest *= 2
        if longest > LONGEST_ROUND:
            return _fold_middle(stretches, most)
        stretches = shorter
    return stretches


def _fold_rounds(stretches: list[Stretch], longest: int) -> list[Stretch]:
    """Replace the middle rounds of every repetition by one stretch; a round has at most `longest` stretches."""
    numbers: dict[Hashable, int] = {}
    kinds = [numbers.setdefault(stretch.kind, len(numbers)) for stretch in stretches]
    folded: list[Stretch] = []
    at = 0
    while at < len(kinds):
        period, rounds = _repetition(kinds, at, longest)
        stop = at + period * rounds
        if rounds:
            first = stretches[at : at + period]
            middle = stretches[at + period : stop - period]
            folded += [*first, _box(first, middle, rounds - 2), *stretches[stop - period : stop]]
        else:
            stop = at + 1
            folded.append(stretches[at])
        at = stop
    return folded


def _repetition(kinds: list[int], at: int, longest: int) -> tuple[int, int]:
    """(length of a round, rounds) of the repetition with the shortest rounds that starts here, or (0, 0)."""
    for period in range(1, min(longest, (len(kinds) - at) // FEWEST_ROUNDS) + 1):
        same = at + period
        while same < len(kinds) and kinds[same] == kinds[same - period]:
            same += 1
        rounds = (same - at) // period
        if rounds >= FEWEST_ROUNDS:
            return period, rounds
    return 0, 0


def _box(first: list[Stretch], middle: list[Stretch], rounds: int) -> Stretch:
    names = [stretch.text or str(stretch.kind) for stretch in first]
    if len(names) > MOST_NAMES_A_ROUND:
        names[MOST_NAMES_A_ROUND - 1 : -1] = ["…"]
    length = sum(stretch.length for stretch in middle)
    text = f"{rounds} × ({' → '.join(names)})" if len(names) > 1 else f"{rounds} × {names[0]}"
    return Stretch(length, (tuple(stretch.kind for stretch in first), rounds), text)


def _fold_middle(stretches: list[Stretch], most: int) -> list[Stretch]:
    """Where nothing repeats: the beginning and the end of the walk, and one box between them."""
    head, tail = stretches[: most // 2], stretches[len(stretches) - (most - 1) // 2 :]
    middle = stretches[len(head) : len(stretches) - len(tail)]
    length = sum(stretch.length for stretch in middle)
    kinds = len({stretch.kind for stretch in middle})
    return [*head, Stretch(length, "…", f"{kinds} 种 kinds of nodes"), *tail]
