"""Known mistakes: the wrong versions of a part that learners really write, each with a hint in both languages.

    @mistake("minigrad.optim.SGD.step", zh="…", en="…")
    def rebinds_the_name(self): ...

They serve twice. The tests prove that every one of them loses points, so that the grader is tested as a product
is; and `recognise` finds the learner's mistake by its effect: each known one is plugged in the part's place and
run on the same inputs, and the one whose results equal the learner's gives the hint.

Not here: anything that a sandbox or a learner's edition may hold; a release carries none of these files.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from autograder import checks, parts
from autograder.checks import Check, Outcome, Property
from autograder.compare import compare
from autograder.kinds import ARRAYS, PLAIN, Kind
from autograder.messages import Text

# Counted in steps (`Steps`), not in seconds: whether a hint is found must not depend on how busy the machine is.
BUDGET = 500_000  # for all mistakes of a check, a third of a second: a learner is waiting for an answer
PATIENCE = 250_000  # for one: a mistake may be an endless loop


@dataclass(frozen=True)
class Mistake:
    """A wrong version of `part`, and what to tell whoever wrote it."""

    name: str
    part: str
    written: Callable[..., Any]
    hint: Text


MISTAKES: dict[str, Mistake] = {}
_ENGINE = str(Path(__file__).parent.parent.with_name(parts.ENGINE))
_FILES = [str(path) for path in Path(__file__).parent.glob("lesson*.py")]


def mistake(part: str, *, zh: str, en: str) -> Callable[[Any], Any]:
    """Register the decorated function or class as a known wrong version of `part`."""

    def register(written: Any) -> Any:
        name = f"{part}:{written.__name__}"
        if name in MISTAKES and MISTAKES[name].written.__module__ != written.__module__:
            raise ValueError(f"two known mistakes are called {name!r}: in {written.__module__}, and in another module")
        MISTAKES[name] = Mistake(name, part, written, Text(zh, en))
        return written

    return register


def of_part(part: str) -> list[Mistake]:
    """The known mistakes of one part."""
    return [each for each in MISTAKES.values() if each.part == part]


def recognise(check: Check, outcome: Outcome, seed: int, T: Any = None) -> Mistake | None:
    """The known mistake that gives what the learner's run of `check` gave on the same inputs: the first part's, if each
    of several has its own.
    """
    found = recognise_each(check, outcome, seed, T)
    return found[0] if found else None


def recognise_each(check: Check, outcome: Outcome, seed: int, T: Any = None) -> list[Mistake]:
    """For each part of the check the known mistake that gives what the learner's run gave, if it is the only one.

    The check's other parts stay as they are plugged now: the learner's in a notebook, the engine's own at the
    referee. So in a notebook one slip in two parts is two mistakes; at the referee two that look alike are none.
    A part that makes no difference when the engine's own takes its place is not the culprit. Where errors
    are concerned, their words decide, the numbers in them last of all; where the learner's parts are at hand,
    the lesson's other checks decide between mistakes that look alike in this one, and against one that they belie.
    """
    now, T = parts.plugged(), T or importlib.import_module(parts.ENGINE)
    search = Search(check, outcome, seed, T, {part: _family(part) for part in now})
    with parts.plugged_in({part: now.get(part, parts.original(part)) for part in check.parts}):
        found = search.in_one()
        if not found and len(check.parts) == 2 and not now:
            found = search.in_both()
    groups = [[pair for pair in found if pair[0].part == part] for part in check.parts] if now else [found]
    alike = [
        [each for each, run in some if same(run, outcome, words=True)] or [each for each, _ in some] for some in groups
    ]
    if now:
        alike = [_told_apart(some, check, seed, T) if len(some) > 1 else some for some in alike]
    sure = [some[0] for some in alike if len(some) == 1]
    return [each for each in sure if not now or len(check.parts) == 1 or not _belied(each, check, seed, T)]


def _told_apart(alike: list[Mistake], check: Check, seed: int, T: Any) -> list[Mistake]:
    """Of mistakes that look alike in one check, those that also give what the learner's parts give in the others."""
    now = parts.plugged()
    for other in checks.for_lesson(check.lesson):
        if other is not check and len(alike) > 1 and alike[0].part in other.parts and now.keys() >= set(other.parts):
            with parts.plugged_in({part: now[part] for part in other.parts}), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                search = Search(other, checks.attempt(other, T, seed), seed, T)
                alike = [each for each in alike if search.run(each.part, each.written)]
    return alike


def _belied(known: Mistake, check: Check, seed: int, T: Any) -> bool:
    """Whether the learner's part has something right that this mistake gets wrong, in a check that is of the part alone.

    Where parts meet, one that is right can look wrong: the engine's own may not fit in its place, as a heap's pop does
    not fit a learner's plain list, while a mistake that does not show here does. And one that is wrong can look like
    another, of which less shows there.
    """
    now, own = parts.plugged()[known.part], parts.original(known.part)
    for other in checks.for_lesson(check.lesson):
        if other is not check and set(other.parts) == {known.part}:
            with parts.plugged_in({known.part: now}), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                mine = checks.attempt(other, T, seed)
            search = Search(other, mine, seed, T)
            right, its = search.attempt(known.part, own), search.attempt(known.part, known.written)
            if right and its and _wrong(its, right) - _wrong(mine, right):
                return True
    return False


def _wrong(run: Outcome, right: Outcome) -> set[str]:
    """The labels under which a run gives something else than the right one, or nothing."""
    given = {each.label: each for each in run.values}
    return {each.label for each in right.values if each.label not in given or not equal(each, given[each.label])}


def recognise_all(runs: Sequence[Run]) -> dict[str, Mistake]:
    """check -> the mistake behind it, for what one submission lost, all of its checks taken together.

    A mistake that is recognised in one check is tried on the others, too: on those where several mistakes look alike,
    and on those that are not about its part. Where more than one would do, it is the one that explains most.
    """
    alone = {each.check.name: known for each in runs if (known := recognise(*each))}
    explained = {known: {name for name in alone if alone[name] is known} for known in alone.values()}
    for each in runs:
        search = Search(*each, importlib.import_module(parts.ENGINE))
        with parts.plugged_in({part: parts.original(part) for part in each.check.parts}):
            for known, names in explained.items():
                if each.check.name not in names and search.run(known.part, known.written):
                    names.add(each.check.name)
    most = sorted(explained, key=lambda known: -len(explained[known]))
    behind = {each.check.name: [known for known in most if each.check.name in explained[known]] for each in runs}
    return {name: known[0] for name, known in behind.items() if known}


class Run(NamedTuple):
    """A run of a check that lost points, and on which inputs."""

    check: Check
    outcome: Outcome
    seed: int


@dataclass
class Search:
    """For the mistakes with which a check gives `like`."""

    check: Check
    like: Outcome
    seed: int
    T: Any
    returned: dict[str, set[Kind]] = field(default_factory=dict)  # by the learner's parts, where they are at hand
    left: int = BUDGET

    def in_one(self) -> list[tuple[Mistake, Outcome]]:
        """Every mistake that, alone, gives the learner's outcome, with the run that did."""
        found = []
        for part in self.check.parts:
            if self.run(part, parts.original(part)):
                continue
            for each in of_part(part):
                if run := self.run(part, each.written):
                    found.append((each, run))
        return found

    def in_both(self) -> list[tuple[Mistake, Outcome]]:
        """A mistake in each of two parts, where the learner's own are not at hand: the first one's hint will do."""
        one, two = self.check.parts
        for each in of_part(one):
            with parts.plugged_in({one: each.written}):
                for other in of_part(two):
                    if run := self.run(two, other.written):
                        return [(each, run)]
        return []

    def run(self, part: str, written: Any) -> Outcome | None:
        """A run with `written` in the part's place, if it is like the learner's; given up at the first difference."""
        run = self.attempt(part, written, self._still_alike)
        return run if run and same(run, self.like) else None

    def attempt(self, part: str, written: Any, go_on: Callable[[Outcome], bool] | None = None) -> Outcome | None:
        """A run with `written` in the part's place, as far as `go_on` lets it go; None if that takes too long, or if
        what the part returns is of another kind than what the learner's returned.
        """
        if self.left <= 0:
            return None
        steps = Steps(min(PATIENCE, self.left), written.__module__)
        try:
            with parts.plugged_in({part: written}), warnings.catch_warnings(), steps:
                warnings.simplefilter("ignore")
                run = checks.attempt(self.check, self.T, self.seed, go_on)
                return None if _strangers(self.returned.get(part), _family(part)) else run
        except TooLong:
            return None
        finally:
            self.left -= steps.taken

    def _still_alike(self, run: Outcome) -> bool:
        at = len(run.values)
        return at <= len(self.like.values) and equal(run.values[-1], self.like.values[at - 1])


def _family(part: str) -> set[Kind]:
    """Kinds of what a part returned, where that tells; all that counts as true or false is one kind."""
    if isinstance(parts.original(part), type):  # what a class gives is named by whoever wrote it
        return set()
    families = {"plain": PLAIN - {"NoneType"}, "array": ARRAYS}
    return {
        next((name for name, kinds in families.items() if kind in kinds), kind) for kind in parts.returned(part).kinds
    }


def _strangers(mine: set[Kind] | None, its: set[Kind]) -> bool:
    """Whether two parts returned things so different that none can be the other, though all broke in the same words."""
    return bool(mine and its and mine.isdisjoint(its))


def same(one: Outcome, other: Outcome, words: bool = False) -> bool:
    """Whether two runs cannot be told apart: equal properties, errors in one wording (to the last number)."""
    return (
        len(one.values) == len(other.values)
        and _same_error(_error(one), _error(other), words)
        and all(equal(a, b, words) for a, b in zip(one.values, other.values, strict=True))
    )


def equal(one: Property, other: Property, words: bool = False) -> bool:
    a, b = one.value, other.value
    if one.label != other.label:
        return False
    if isinstance(a, dict) and isinstance(b, dict) and "error" in a and "error" in b:
        return _same_error(a["error"], b["error"], words)
    return (isinstance(a, dict) and a == b) or compare(a, b) is None


# What two runs of one mistake may say differently: addresses, fractions, where a recursion was cut off. Sizes and places
# are the same on the same inputs, and tell mistakes apart.
_NUMBERS = re.compile(
    r"(?<=recursion depth exceeded) .*|0x[0-9a-f]+|-?\d+\.\d*(e[-+]\d+)?|-?\d+e[-+]\d+|\b(nan|inf)\b|[-\s,()]+"
)
_ADDRESS = re.compile(r"0x[0-9a-f]+")
_SLIPS = {each.__name__ for each in checks.SLIPS} | {"UnboundLocalError"}


def _error(outcome: Outcome) -> str:
    return "{class}: {message}".format(**outcome.error) if outcome.error else ""


def _same_error(a: str, b: str, words: bool) -> bool:
    """One in their words, fractions left out: a class alone is no mark of any mistake.

    A slip of the pen is one in its words as they stand, addresses left out.
    """
    passing = _ADDRESS if words or a.partition(":")[0] in _SLIPS else _NUMBERS
    return passing.sub("", a) == passing.sub("", b)


# ── A guard against mistakes that never end ──────────────────────────────────────────────────────


class TooLong(BaseException):
    """Raised in a run that has used up its steps; no `except Exception` of a check may swallow it."""


class Steps:
    """A bound on what a block does, in steps: calls of Python functions, and lines in a module or a known mistake.

        with Steps(most, module):
            ...                     # raises TooLong after `most` of them

    A loop without end is in the mistake, and counted by lines, or in the engine, and counted by what it calls. The
    error is raised by a trace function, at such a line or call: never in a callback of the garbage collector, where
    one sent from another thread may strike. Another tracer (a debugger, coverage) has the thread again after the
    block. Not bounded: one call of NumPy's, however long.
    """

    def __init__(self, most: int, module: str):
        self.most, self.taken = most, 0
        self._own = {sys.modules[module].__file__, *_FILES}
        self._before: Any = None

    def __enter__(self) -> Steps:
        self._before = sys.gettrace()
        sys.settrace(self._step)
        return self

    def __exit__(self, *raised: object) -> None:
        sys.settrace(self._before)

    def _step(self, frame: FrameType, event: str, arg: object) -> Any:
        """Called by Python for every call, and for every line where the call was answered with a tracer."""
        self.taken += 1
        file = frame.f_code.co_filename
        own = file in self._own
        if self.taken > self.most and (own or file.startswith(_ENGINE)):
            raise TooLong
        return self._step if own else None


def _load() -> None:
    """In a notebook the first check does this, when parts are plugged already: mistakes are made of the engine's own."""
    with parts.engine_of_its_own():
        for each in pkgutil.iter_modules(__path__):
            if each.name.startswith("lesson"):
                importlib.import_module(f"{__name__}.{each.name}")


_load()
