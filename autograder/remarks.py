"""What a failing check's values say, taken together, where no known mistake is recognised.

Some wrong answers cannot be listed one by one, since a learner may choose a number or a sentence in them: a difference
quotient has any step, an error any words. They show in how the values differ from torch's.

Not here: how one value differs from another (compare.py), and mistakes that give definite values (mistakes/).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder import parts
from autograder.by_name import functions
from autograder.checks import Check, Outcome, Property
from autograder.compare import compare
from autograder.messages import Text, text
from autograder.reach import codes

NEAR = 1e-3  # of the largest number: wider than any sensible difference quotient, narrower than another formula
LEAST = 4  # letters of what counts as words
_AN_ERROR = re.compile(r"(\w+): .")
_BRACES = re.compile(r"\{[A-Za-z_].*?\}")  # of an f-string without its f


def remarks(check: Check, expected: list[Property], outcome: Outcome) -> Iterator[Text]:
    """What there is to say of what the run gave beside what torch gave; the parts it ran on are still plugged in."""
    got = {each.label: each.value for each in reversed(outcome.values)}
    wrong = [(each.value, got[each.label]) for each in expected if each.label in got]
    wrong = [(right, value) for right, value in wrong if compare(right, value)]
    all_right = [each.value for each in expected]
    if own := _in_own_words(_strings(check), all_right, wrong):
        yield text("forgot_the_f") if _BRACES.search(own[1]) else text("own_words", kind=own[0])
    elif kinds := _of_ones_own(_strings(check), all_right, wrong):
        yield text("own_error", kind=kinds[0], mine=kinds[1])
    if _only_tensors(wrong):
        yield text("plain_numbers")
    if not outcome.error and _only_dtypes([pair for each in wrong for pair in _arrays(*each)]):
        yield text("another_dtype")
    if kinds := _of_another_class(wrong):
        yield text("another_class", kind=kinds[0], mine=kinds[1])
    if not outcome.error and _all_near([pair for each in wrong for pair in _arrays(*each)]):
        yield text("near")


def _in_own_words(written: set[str], all_right: list[Any], wrong: list[tuple[Any, Any]]) -> tuple[str, str] | None:
    """An error that was rightly raised, but in words that are the learner's, and nowhere in this check torch's: its class,
    and the error as it was raised.

    Where only numbers differ, it is they that are wrong.
    """
    for right, value in wrong:
        if isinstance(right, str) and isinstance(value, str) and value not in all_right:
            kinds = [match and match[1] for match in map(_AN_ERROR.match, (right, value))]
            words = [re.sub(r"\d+", "", each) for each in (right, value)]
            own = kinds[0] and kinds[0] == kinds[1] and words[0] != words[1]
            if own and any(each in value for each in written):
                return str(kinds[0]), value
    return None


def _of_another_class(wrong: list[tuple[Any, Any]]) -> tuple[str, str] | None:
    """The class of an error that was to be raised, and that of the learner's, which says the very same."""
    for right, value in wrong:
        if isinstance(right, str) and isinstance(value, str):
            (kind, colon, words), (mine, _, others) = right.partition(": "), value.partition(": ")
            if colon and words == others and kind != mine and kind.isidentifier() and mine.isidentifier():
                return kind, mine
    return None


def _of_ones_own(written: set[str], all_right: list[Any], wrong: list[tuple[Any, Any]]) -> tuple[str, str] | None:
    """The class of an error that was to be raised, and that of the learner's, if its words are the learner's as well."""
    torchs = {each.partition(": ")[2] for each in all_right if isinstance(each, str)}
    for right, value in wrong:
        if isinstance(right, str) and isinstance(value, str) and value.partition(": ")[2] not in torchs:
            kind, mine = (match and match[1] for match in map(_AN_ERROR.match, (right, value)))
            if kind and mine and kind != mine and any(each in value for each in written):
                return kind, mine
    return None


def _strings(check: Check) -> set[str]:
    """The strings in the code of the check's parts, and the pieces of f-strings, if they are words at all."""
    mine = [function for part in check.parts for function in functions(parts.plugged()[part])]
    inside = [each for function in mine for code in codes(function.__code__) for each in code.co_consts]
    return {each for each in inside if isinstance(each, str) and len(each) >= LEAST}


def _arrays(right: Any, value: Any) -> list[tuple[Any, Any]]:
    """The arrays in two values that differ, side by side; anything else that differs is a pair that is never near."""
    if isinstance(right, list) and isinstance(value, list) and len(right) == len(value):
        return [pair for each in zip(right, value, strict=True) if compare(*each) for pair in _arrays(*each)]
    return [] if isinstance(right, bool) and isinstance(value, bool) else [(right, value)]


def _only_tensors(wrong: list[tuple[Any, Any]]) -> bool:
    """Whether all that is wrong is right in its numbers, which are tensors where they should be plain."""
    pairs = [pair for each in wrong for pair in _arrays(*each)]
    return bool(pairs) and all(
        isinstance(right, float) and isinstance(value, dict) and not compare([right], value.get("data"))
        for right, value in pairs
    )


def _all_near(pairs: list[tuple[Any, Any]]) -> bool:
    numbers = [each for each in pairs if all(map(_plain_number, each))]
    others = [each for each in pairs if each not in numbers]
    return bool(pairs) and all(_near(*each) for each in others) and (not numbers or _close(*np.array(numbers, float).T))


def _plain_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _only_dtypes(pairs: list[tuple[Any, Any]]) -> bool:
    """Whether nothing is wrong but what kind of floats these are."""
    return bool(pairs) and all(_near(*each, "shape") and each[0]["dtype"] != each[1]["dtype"] for each in pairs)


def _near(right: Any, value: Any, *same: str) -> bool:
    """Whether two encoded arrays of floats nearly agree, of which these things are the same: shape and dtype, if not told."""
    arrays = all(isinstance(each, dict) and str(each.get("dtype")).startswith("float") for each in (right, value))
    if not arrays or any(right[key] != value[key] for key in same or ("shape", "dtype")):
        return False
    a, b = (np.array([float(number) for number in each["data"]]) for each in (right, value))
    return _close(a, b)


def _close(a: Any, b: Any) -> bool:
    return bool(not a.size or (np.isfinite(a).all() and np.abs(a - b).max() <= NEAR * np.abs(a).max()))
