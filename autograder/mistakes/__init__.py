"""Known mistakes: the wrong versions of a part that learners really write, each with a hint in both languages.

    @mistake("minigrad.optim.SGD.step", zh="…", en="…")
    def rebinds_the_name(self): ...

They serve twice. The tests prove that every one of them loses points, so that the grader is tested as a product
is; and `recognise` finds the learner's mistake by its effect: each known one is plugged in the part's place and
run on the same inputs, and the one whose results equal the learner's gives the hint.

Not here: anything that a sandbox or a learner's edition may hold; a release carries none of these files.
"""

from __future__ import annotations

import ctypes
import importlib
import pkgutil
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from autograder import checks, parts
from autograder.checks import Check, Outcome, Property
from autograder.compare import compare
from autograder.messages import Text

BUDGET = 0.8  # seconds for all mistakes of a check: a learner is waiting for an answer
PATIENCE = 0.25  # seconds for one: a mistake may be an endless loop


@dataclass(frozen=True)
class Mistake:
    """A wrong version of `part`, and what to tell whoever wrote it."""

    name: str
    part: str
    written: Callable[..., Any]
    hint: Text


MISTAKES: dict[str, Mistake] = {}


def mistake(part: str, *, zh: str, en: str) -> Callable[[Any], Any]:
    """Register the decorated function or class as a known wrong version of `part`."""

    def register(written: Any) -> Any:
        name = f"{part}:{written.__name__}"
        MISTAKES[name] = Mistake(name, part, written, Text(zh, en))
        return written

    return register


def of_part(part: str) -> list[Mistake]:
    """The known mistakes of one part."""
    return [each for each in MISTAKES.values() if each.part == part]


def recognise(check: Check, outcome: Outcome, seed: int, T: Any = None) -> Mistake | None:
    """The known mistake that gives what the learner's run of `check` gave on the same inputs, if it is the only one.

    The check's other parts stay as they are plugged now: the learner's in a notebook, the engine's own at the
    referee. A part that makes no difference when the engine's own takes its place is not the culprit. Where errors
    are concerned, their words decide between mistakes that raise the same class.
    """
    T = T or importlib.import_module(parts.ENGINE)
    now = parts.plugged()
    with parts.plugged_in({part: now.get(part, parts.original(part)) for part in check.parts}):
        found = _like(check, outcome, seed, T, theirs_at_hand=bool(now))
    to_the_word = [(each, run) for each, run in found if same(run, outcome, words=True)]
    candidates = to_the_word or found
    return candidates[0][0] if len(candidates) == 1 else None


def _like(check: Check, outcome: Outcome, seed: int, T: Any, theirs_at_hand: bool) -> list[tuple[Mistake, Outcome]]:
    """Every mistake that gives the learner's outcome, with the run that does."""
    end = time.monotonic() + BUDGET
    found: list[tuple[Mistake, Outcome]] = []
    for part in check.parts:
        if _with(check, part, parts.original(part), outcome, seed, T):
            continue
        for each in of_part(part):
            if time.monotonic() < end and (run := _with(check, part, each.written, outcome, seed, T)):
                found.append((each, run))
    if not found and len(check.parts) == 2 and not theirs_at_hand:
        return _in_both(check, outcome, seed, T, end)
    return found


def _in_both(check: Check, outcome: Outcome, seed: int, T: Any, end: float) -> list[tuple[Mistake, Outcome]]:
    """A mistake in each of two parts, where the learner's own are not at hand: the first one's hint will do."""
    one, two = check.parts
    for each in of_part(one):
        with parts.plugged_in({one: each.written}):
            for other in of_part(two):
                if time.monotonic() < end and (run := _with(check, two, other.written, outcome, seed, T)):
                    return [(each, run)]
    return []


def _with(check: Check, part: str, written: Any, like: Outcome, seed: int, T: Any) -> Outcome | None:
    """A run with `written` in the part's place, if it is like the learner's; given up at the first difference."""

    def still_alike(run: Outcome) -> bool:
        at = len(run.values)
        return at <= len(like.values) and _equal(run.values[-1], like.values[at - 1])

    try:
        with parts.plugged_in({part: written}), warnings.catch_warnings(), deadline(PATIENCE):
            warnings.simplefilter("ignore")
            run = checks.attempt(check, T, seed, still_alike)
    except _TooLong:
        return None
    return run if same(run, like) else None


def same(one: Outcome, other: Outcome, words: bool = False) -> bool:
    """Whether two runs cannot be told apart: equal properties, errors of one class (and in one wording)."""
    return (
        len(one.values) == len(other.values)
        and _same_error(_error(one), _error(other), words)
        and all(_equal(a, b, words) for a, b in zip(one.values, other.values, strict=True))
    )


def _equal(one: Property, other: Property, words: bool = False) -> bool:
    a, b = one.value, other.value
    if one.label != other.label:
        return False
    if isinstance(a, dict) and isinstance(b, dict) and "error" in a and "error" in b:
        return _same_error(a["error"], b["error"], words)
    return (isinstance(a, dict) and a == b) or compare(a, b) is None


def _error(outcome: Outcome) -> str:
    return "{class}: {message}".format(**outcome.error) if outcome.error else ""


def _same_error(a: str, b: str, words: bool) -> bool:
    return a == b if words else a.partition(":")[0] == b.partition(":")[0]


# ── A guard against mistakes that never end ──────────────────────────────────────────────────────


class _TooLong(BaseException):
    """Raised in a run that has used up its time; no `except Exception` of a check may swallow it."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise _TooLong in this thread if the block takes longer. Works in any thread and on every system."""
    thread, lock, over = threading.get_ident(), threading.Lock(), False
    send = ctypes.pythonapi.PyThreadState_SetAsyncExc

    def interrupt() -> None:
        with lock:
            if not over:
                send(ctypes.c_ulong(thread), ctypes.py_object(_TooLong))

    timer = threading.Timer(seconds, interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        with lock:
            over = True
            send(ctypes.c_ulong(thread), None)  # one that is under way must not strike outside the block
        timer.cancel()


def _load() -> None:
    for each in pkgutil.iter_modules(__path__):
        if each.name.startswith("lesson"):
            importlib.import_module(f"{__name__}.{each.name}")


_load()
