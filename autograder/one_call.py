"""One call of a learner's part beside the engine's own, where nothing better is known of what is wrong.

The rows of a failing check show what came of a whole program, on inputs of which the learner sees little. Here is the
smallest call in it that went wrong: what came in, what came out, what should have; for a rule that works entry by entry,
one entry of it. Only for parts that are handed plain data, and return it: arrays, numbers, shapes.

Not here: why it is wrong (mistakes/), nor what holds for all calls (returns.py).
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import numpy as np

from autograder import checks, parts
from autograder.checks import Check, encode
from autograder.compare import compare
from autograder.messages import Text, followed_by, text

MOST = 200  # calls that are looked at
_NUMBERS = (np.ndarray, np.generic, int, float)
FEW = 9  # entries of an array that are shown


class Raised(NamedTuple):
    """An error, where a value was to come out."""

    words: str


class Call(NamedTuple):
    """What came in, what came out and what should have; either of these may be Raised."""

    given: tuple[Any, ...]
    got: Any
    right: Any

    @property
    def wrong(self) -> bool:
        return _differ(self.right, self.got) and not _break_alike(self.right, self.got)

    @property
    def size(self) -> int:
        return sum(map(_size, self.given))

    @property
    def tells(self) -> bool:
        """Whether it can be worked out by hand: of two arrays of one shape, made of ones too large to be shown, it cannot,
        nor a large one where none came out, nor from long lists; and where a name is not known, there is nothing to work out."""
        arrays = [each for each in (self.got, self.right) if isinstance(each, np.ndarray)]
        same = len(arrays) == 2 and self.got.shape == self.right.shape
        hidden = isinstance(self.right, np.ndarray) and self.right.size > FEW and not isinstance(self.got, _NUMBERS)
        unknown = isinstance(self.got, Raised) and self.got.words.startswith("NameError")
        long = any(isinstance(each, tuple | list) and _size(each) > FEW for each in self.given)
        return not unknown and not hidden and not long and (not same or all(_size(each) <= FEW for each in self.given))


def notes(check: Check, seed: int) -> Iterator[Text]:
    """For each of the check's parts that gave a wrong answer: the smallest call in which it did."""
    for part in check.parts:
        written, own = parts.plugged()[part], parts.original(part)
        if isinstance(written, type) or isinstance(own, type):
            continue
        if wrong := [each for each in _calls(check, part, seed) if each.wrong]:
            call = min(wrong, key=lambda each: (isinstance(each.right, Raised), each.size))
            call = _one_entry(call, own, written) or call
            if not call.tells:
                continue
            names = inspect.signature(own).parameters
            given = ", ".join(f"{name} = {_shown(each)}" for name, each in zip(names, call.given, strict=False))
            got, right = _side_by_side(call)
            if got == right:
                continue  # the difference is none that is seen, such as a dtype
            said = text("one_call", part=part.rpartition(".")[2], given=given, got=got, right=right)
            yield said if isinstance(call.got, Raised) else followed_by(said, text("work_it_out"))


def _calls(check: Check, part: str, seed: int) -> list[Call]:
    """The part's calls on plain data in a run of the check."""
    written, own = parts.plugged()[part], parts.original(part)
    found: list[tuple[tuple[Any, ...], Any]] = []

    @functools.wraps(written)
    def watched(*args: Any, **kwargs: Any) -> Any:
        if kwargs or len(found) == MOST or not all(map(_plain, args)):
            return written(*args, **kwargs)
        given = _copies(args)
        try:
            got = written(*args)
        except Exception as error:
            found.append((given, _raised(error)))
            raise
        found.append((given, *_copies([got])))
        return got

    with parts.plugged_in({part: watched}):
        checks.attempt(check, importlib.import_module(parts.ENGINE), seed)
    with np.errstate(all="ignore"), _engines_own():
        calls = [Call(given, got, _tried(own, given)) for given, got in found]
    return [each for each in calls if isinstance(each.right, Raised) or _plain(each.right)]


def _engines_own() -> AbstractContextManager[None]:
    """The engine's own parts for the length of a `with` block: one of them may call another, which may be wrong here."""
    return parts.plugged_in({each: parts.original(each) for each in parts.plugged()})


def _one_entry(call: Call, own: Callable[..., Any], written: Callable[..., Any]) -> Call | None:
    """The first wrong entry alone, if the part works entry by entry: for that one it gives what it gave among others."""
    arrays = [each for each in (*call.given, call.right, call.got) if isinstance(each, np.ndarray)]
    both = isinstance(call.got, np.ndarray) and isinstance(call.right, np.ndarray)
    if not both or len({each.shape for each in arrays}) > 1 or (at := _first_wrong(call)) is None:
        return None
    given = tuple(each[at] if isinstance(each, np.ndarray) else each for each in call.given)
    alone = tuple(np.array([each]) if isinstance(each, np.generic) else each for each in given)
    with np.errstate(all="ignore"):
        with _engines_own():
            right = _tried(own, alone)
        got = _tried(written, alone)
    same = not any(_differ(np.array([a[at]]), b) for a, b in ((call.right, right), (call.got, got)))
    return Call(given, call.got[at], call.right[at]) if same else None


def _first_wrong(call: Call) -> tuple[int, ...] | None:
    """Where two arrays of one shape first differ."""
    return next((at for at in np.ndindex(call.right.shape) if _differ(call.right[at], call.got[at])), None)


def _differ(right: Any, got: Any) -> bool:
    a, b = ({"error": each.words} if isinstance(each, Raised) else encode(each) for each in (right, got))
    return compare(a, b) is not None


def _break_alike(right: Any, got: Any) -> bool:
    """Whether both are errors of one class: then what came in is to blame, and Python's words say on which line."""
    errors = [each.words.partition(":")[0] for each in (right, got) if isinstance(each, Raised)]
    return len(errors) == 2 and errors[0] == errors[1]


def _tried(part: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    try:
        return part(*_copies(given))
    except Exception as error:
        return _raised(error)


def _raised(error: Exception) -> Raised:
    return Raised(checks.in_words(error))


def _plain(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return all(map(_plain, value))
    return value is None or isinstance(value, bool | int | float | np.generic | np.ndarray)


def _size(value: Any) -> int:
    return sum(map(_size, value)) if isinstance(value, tuple | list) else int(np.size(value))


def _copies(values: Any) -> tuple[Any, ...]:
    return tuple(each.copy() if isinstance(each, np.ndarray) else each for each in values)


def _side_by_side(call: Call) -> tuple[str, str]:
    """What came out and what should have; of two large arrays the first entry that is wrong."""
    got, right = call.got, call.right
    if all(isinstance(each, np.ndarray) and each.size > FEW for each in (got, right)) and got.shape == right.shape:
        if at := _first_wrong(call):
            return f"{_shown(got[at])} {list(at)}", f"{_shown(right[at])} {list(at)}"
    return _shown(got), _shown(right)


def _shown(value: Any) -> str:
    """A small array as a list, a large one by its shape; an error in its own words."""
    if isinstance(value, Raised):
        return value.words
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, tuple | list):
        inside = ", ".join(map(_shown, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' * (len(value) == 1)})"
    if isinstance(value, np.ndarray) and value.size > FEW:
        return f"array{value.shape}"
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=4, separator=", ").replace("\n", "")
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)
