"""Two slips in one part: known mistakes that only together give what the learner's run gave.

A learner who has made two mistakes at once made neither of those that `recognise` looks for. Yet each often shows by
itself, in properties that the other leaves as they are; or the second is but a factor, a sign or a 2 forgotten on top.
Nothing is guessed: a pair must account for every property, right or wrong, and be the only one that does.

Not here: two slips of which one hides the other (nothing is said), nor one slip in each of two parts (`recognise_each`).
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from autograder import parts
from autograder.checks import Check, Outcome, Property
from autograder.compare import compare
from autograder.mistakes import Mistake, Search, equal, of_part
from autograder.proportion import factor

CLOSE = 1e-4  # relative; single precision comes closer
MOST_PARTS = 2  # of a check: where many parts meet, too much of what they do is the same


class Twofold(NamedTuple):
    """Two known mistakes; or one, whose results times `times` are the learner's."""

    mistakes: tuple[Mistake, ...]
    times: float = 1.0


def twofold(check: Check, expected: list[Property], outcome: Outcome, seed: int) -> Twofold | None:
    """What two slips together give the learner's outcome, if only these do. The learner's parts are plugged in."""
    if outcome.error or len(check.parts) > MOST_PARTS or len(outcome.values) != len(expected):
        return None
    search = Search(check, outcome, seed, importlib.import_module(parts.ENGINE))
    found = [each for part in check.parts for each in _in_one(part, search, expected)]
    return found[0] if len(found) == 1 else None


def _in_one(part: str, search: Search, expected: list[Property]) -> Iterator[Twofold]:
    mine = search.like.values
    wrong = _wrong(expected, mine)
    rest = search.attempt(part, parts.original(part))
    if not rest or rest.error or _wrong(expected, rest.values) or _times(expected, mine, wrong):
        return  # another part is wrong, too; or nothing is but a factor, and compare.py says so

    def within(run: Outcome) -> bool:
        """Nothing is wrong that the learner has right."""
        at = len(run.values) - 1
        return at < len(mine) and (at in wrong or not compare(expected[at].value, run.values[at].value))

    runs: list[tuple[Mistake, list[Property], set[int]]] = []
    for each in of_part(part):
        run = search.attempt(part, each.written, within)
        if run and not run.error and len(run.values) == len(mine) and (its := _wrong(expected, run.values)) <= wrong:
            runs.append((each, run.values, its))
    for known, values, its in runs:
        if its == wrong and (times := _times(values, mine, wrong)) and abs(times - 1) > CLOSE:
            yield Twofold((known,), times)
    for (one, a, its), (other, b, others) in itertools.combinations(runs, 2):
        alone = its - others, others - its
        alike = all(equal(a[at], mine[at]) for at in alone[0]) and all(equal(b[at], mine[at]) for at in alone[1])
        if alike and all(alone) and its | others == wrong:
            if all(equal(a[at], mine[at]) or equal(b[at], mine[at]) for at in its & others):
                yield Twofold((one, other))


def _times(some: list[Property], mine: list[Property], places: set[int]) -> float | None:
    """By what number all that is in these places must be multiplied to give the learner's."""
    try:
        a, b = ([number for at in sorted(places) for number in _floats(values[at].value)] for values in (some, mine))
    except ValueError:
        return None
    return factor(np.array(a), np.array(b), CLOSE * np.abs(a) + CLOSE**2) if len(a) == len(b) else None


def _floats(value: Any) -> list[float]:
    """The numbers in an encoded value. ValueError if there is anything else in it, or one that is not finite."""
    if isinstance(value, list):
        return [number for each in value for number in _floats(each)]
    if isinstance(value, dict) and str(value.get("dtype")).startswith("float"):
        return _floats(value["data"])
    if isinstance(value, float):
        return [value]
    raise ValueError(value)


def _wrong(expected: list[Property], values: list[Property]) -> set[int]:
    """The places of the properties that are not as expected."""
    pairs = enumerate(zip(expected, values, strict=False))
    return {at for at, (right, it) in pairs if right.label != it.label or compare(right.value, it.value)}
