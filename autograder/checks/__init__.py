"""Checks: programs that run once on the learner's engine and once on torch, and must give the same.

    @check("sgd_step", lesson="10_weight_update", points=2, parts=["minigrad.optim.SGD.step"])
    def sgd_step(T, rng):            # T: minigrad or torch; rng: numpy.random.Generator
        ...
        yield "w", w                 # a label and a value: one property
        yield "w after two", w2, "w" # … and the property without which this one says nothing

A check draws its inputs from `rng`, so one seed gives both engines the same; no expected value is written by
hand. A value is a tensor, an array, a number, a bool, a string, None, a list of these, or a function without
arguments that gives one (if that raises, this property alone fails). Importing this package registers the
checks of every lesson found beside it. It runs inside the sandbox: NumPy and the standard library only.

Not here: what torch answers (oracle.py), whether two values agree and what that scores (compare.py).
"""

from __future__ import annotations

import gc
import importlib
import itertools
import pkgutil
import re
import sys
import traceback
import types
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from autograder import parts
from autograder.errors import UnknownName
from autograder.messages import text
from autograder.protocol import MAX_TEXT

MAX_ENTRIES = 50_000  # of an array or list: a check is an experiment, not a training run
MAX_DEPTH = 8  # of lists in lists

Program = Callable[[Any, np.random.Generator], Iterator[tuple[Any, ...]]]


@dataclass(frozen=True)
class Check:
    """One graded experiment: `program(T, rng)` yields properties, worth `points` together."""

    name: str
    lesson: str
    points: int
    parts: tuple[str, ...]
    program: Program


class Property(NamedTuple):
    """What a check found out: a label, the value as plain data, and the label it depends on.

    `drawn`: not the same on all inputs, so that nobody can know it beforehand. The oracle tells (oracle.expected).
    """

    label: str
    value: Any
    needs: str | None = None
    drawn: bool = True


@dataclass
class Outcome:
    """All that one run of a check gave; the same four things that the sandbox reports."""

    values: list[Property]
    calls: dict[str, int]  # of the check's own parts, and of all others that were counted
    error: dict[str, Any] | None = None  # {"class", "message", "line", "traceback_short"}
    unwritten: list[str] = field(default_factory=list)  # the parts that raised NotImplementedError
    faults: list[dict[str, Any]] = field(default_factory=list)  # every error on the way, where it is known

    def met(self, others: Iterable[str]) -> list[str]:
        """Which of these parts the run has met, or may have met without having been counted."""
        return [part for part in others if self.calls.get(part) != 0]


REGISTRY: dict[str, Check] = {}


def check(name: str, *, lesson: str, points: int, parts: Sequence[str]) -> Callable[[Program], Program]:
    """Register the decorated program as check `name`."""
    if name in REGISTRY and REGISTRY[name].lesson != lesson:
        raise ValueError(f"two checks are called {name!r}: in {REGISTRY[name].lesson} and in {lesson}")

    def register(program: Program) -> Program:
        REGISTRY[name] = Check(name, lesson, points, tuple(parts), program)
        return program

    return register


def get(name: str) -> Check:
    """The check of that name, or an error that offers the nearest names."""
    if name not in REGISTRY:
        raise UnknownName(text("kind_check"), name, REGISTRY)
    return REGISTRY[name]


def others(check: Check) -> list[str]:
    """The parts of its lesson that the check does not ask for."""
    return sorted({part for each in for_lesson(check.lesson) for part in each.parts} - {*check.parts})


def for_lesson(lesson: str) -> list[Check]:
    """A lesson's checks, in the order in which they are written."""
    return [each for each in REGISTRY.values() if each.lesson == lesson]


def of_part(given: object) -> list[str]:
    """The names of the checks of the parts whose last name is `given`, or that of the function `given`."""
    name = getattr(given, "__name__", given)
    return [each.name for each in REGISTRY.values() if name in [part.rpartition(".")[2] for part in each.parts]]


def score(points: int, passed: int, total: int) -> int:
    """Whole points for `passed` of `total` properties: rounded half up, and never all unless all pass.

    A check of 0 points, as one has that was dropped in the middle of a term, gives none.
    """
    if total and passed == total:
        return points
    return max(0, min(points - 1, (2 * points * passed + total) // (2 * total))) if total else 0


# ── Running a check ──────────────────────────────────────────────────────────────────────────────


def properties(check: Check, T: Any, seed: int, faults: list[dict[str, Any]] | None = None) -> Iterator[Property]:
    """Run the check's program on engine `T` and give each property as it comes, encoded.

    An error that costs one property alone is noted in `faults`, too.
    """
    run = iter(check.program(T, np.random.default_rng(seed)))
    while True:
        with np.errstate(all="ignore"):  # torch divides by zero in silence; a learner's rule may do the same
            found = next(run, None)
            if found is None:
                return
            label, value, *needs = found
            try:
                encoded = encode(value, faults)
            except NotImplementedError:
                if not any(parts.unwritten(part) or part not in parts.plugged() for part in check.parts):
                    raise
                encoded = {"error": "NotImplementedError"}  # of this property alone: others may need other parts
        yield Property(label, encoded, *needs)


@contextmanager
def as_new(T: Any) -> Iterator[None]:
    """An engine as a fresh process has it, whatever the notebook has set. Recording is on afterwards, too: a learner's
    no_grad may have left it off."""
    dtype = T.get_default_dtype()
    T.set_default_dtype(T.float32)
    T.set_grad_enabled(True)
    try:
        yield
    finally:
        T.set_default_dtype(dtype)
        T.set_grad_enabled(True)


def attempt(check: Check, T: Any, seed: int, go_on: Callable[[Outcome], bool] | None = None) -> Outcome:
    """Run the check on the parts plugged in now; whatever they raise is part of the outcome.

    `go_on`, asked after each property, may end the run: for those who only look for one like another.

    The garbage collector is off while it lasts: a part without end fills the stack, and on a full stack nobody's
    finalizer can run.
    """
    before = {name: parts.calls(name) for name in {*check.parts, *parts.counted()}}
    outcome = Outcome([], {})
    _slips.clear()
    with as_new(T), parts.checking(check.parts), parts.counting(), uncollected():
        try:
            for each in properties(check, T, seed, outcome.faults):
                outcome.values.append(each)
                parts.count_anew()
                if go_on and not go_on(outcome):
                    break
        except Exception as error:
            outcome.error = fault(error)
            outcome.faults.append(outcome.error)
    outcome.faults += _slips
    outcome.calls = {name: parts.calls(name) - count for name, count in before.items()}
    outcome.unwritten = [name for name in check.parts if parts.unwritten(name)]
    return outcome


# What a slip of the pen raises; where it happened is worth telling also when a program has caught it.
SLIPS = (AttributeError, IndexError, KeyError, NameError, TypeError)
_slips: list[dict[str, Any]] = []


def raises(action: Callable[[], Any]) -> str | None:
    """What `action` raises, in words; None when it raises nothing."""
    try:
        action()
    except Exception as error:
        if parts.not_written(error):
            raise  # a part not yet written is no answer to any question
        said = in_words(error)
        if isinstance(error, SLIPS) and (slip := fault(error))["line"]:
            _slips.append(slip | {"caught": said})
        return said
    return None


def plain(value: Any) -> Any:
    """A number of NumPy's, alone or in a list, as Python's own: where a plain number is asked for, either will do."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value.item() if isinstance(value, np.generic) else value


def with_room_for(calls: int, program: Callable[[], Any]) -> Callable[[], Any]:
    """The program on a call stack that is all but full: a recursion shows itself on a graph so small that an honest slow
    answer has the time for it."""

    def run() -> Any:
        depth, frame = 0, sys._getframe().f_back
        while frame:
            depth, frame = depth + 1, frame.f_back
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(depth + calls)
        try:
            return program()
        finally:
            sys.setrecursionlimit(before)

    return run


@contextmanager
def uncollected() -> Iterator[None]:
    """No garbage collector inside: what is in a cycle stays, and no finalizer of others runs on this stack."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def first_sentence(message: str) -> str:
    """A message up to the end of its first sentence, on one line."""
    line = " ".join(message.split())
    return re.split(r"(?<=[.!?])\s", line, maxsplit=1)[0].rstrip(".")[:MAX_TEXT]


def in_words(error: BaseException) -> str:
    """An error's class and the first sentence of what it says, if anything."""
    return f"{type(error).__name__}: {first_sentence(str(error))}".removesuffix(": ")


def fault(error: BaseException) -> dict[str, Any]:
    """An exception as plain data: class, message, the learner's line and its text, and the last frames.

    The line is in the part that is checked, not in an earlier part that the engine runs on and that rightly raises;
    of a function that calls itself without end, it is the line with the call;
    None where only such parts were running.
    """
    frames = _frames(error)
    own = [frame for frame in frames if not _installed(frame.filename)]
    others = parts.not_asked_for()
    inside = itertools.dropwhile(lambda frame: frame.name in others, own)  # an earlier part's walk runs the later ones
    own = list(itertools.takewhile(lambda frame: frame.name not in others, inside))
    where = own[-1] if own else None
    if isinstance(error, RecursionError) and own:  # the line that calls again, not the one where there was an end of it
        again = Counter((frame.filename, frame.lineno) for frame in own).most_common(1)[0][0]
        where = next(frame for frame in own if (frame.filename, frame.lineno) == again)
    return {
        "class": parts.NOT_WRITTEN if parts.not_written(error) else type(error).__name__,
        "message": str(error)[:MAX_TEXT],
        "line": where.lineno if where else None,
        "code": where.line if where else None,
        "traceback_short": "\n".join(f"{f.name}, {f.lineno}: {f.line}" for f in (own or frames)[-3:])[:MAX_TEXT],
    }


def _frames(error: BaseException) -> list[traceback.FrameSummary]:
    """The frames of an error, each with a line."""
    found = list(traceback.extract_tb(error.__traceback__))
    trace = error.__traceback__
    for at, frame in enumerate(found):
        assert trace is not None
        if trace.tb_lineno is None or trace.tb_lineno < 1:
            found[at] = traceback.FrameSummary(frame.filename, line_of(trace), frame.name)
        trace = trace.tb_next
    return found


def line_of(trace: types.TracebackType) -> int | None:
    """The line of a traceback's frame. A loop that is interrupted as it jumps back has none in Python 3.11: the one before."""
    if trace.tb_lineno is not None and trace.tb_lineno > 0:
        return trace.tb_lineno
    code = trace.tb_frame.f_code
    lines = [start for start, *_ in itertools.islice(code.co_positions(), trace.tb_lasti // 2 + 1) if start]
    return lines[-1] if lines else code.co_firstlineno


_OURS = str(Path(__file__).resolve().parent.parent)  # autograder/
_ENGINE = str(Path(_OURS).parent / parts.ENGINE)


def _installed(filename: str) -> bool:
    """Whether a frame belongs to the engine, to this package or to a library, not to the learner."""
    return filename.startswith((_OURS, _ENGINE, "<frozen")) or "site-packages" in filename or "/lib/python3" in filename


# ── Encoding: values as plain data that JSON carries ─────────────────────────────────────────────


def encode(value: Any, faults: list[dict[str, Any]] | None = None, depth: int = 0) -> Any:
    """`value` as JSON-able data: an array as {"shape", "dtype", "data"}, a float that is not finite as its name."""
    if depth > MAX_DEPTH:
        return {"unencodable": "too deep"}
    if value is None or isinstance(value, bool | np.bool_):
        return None if value is None else bool(value)
    if isinstance(value, str):
        return str(value)[:MAX_TEXT]
    if isinstance(value, int | float) and not isinstance(value, np.generic):
        return _number(value)
    if isinstance(value, list | tuple):
        if len(value) > MAX_ENTRIES:
            return {"unencodable": f"{type(value).__name__} of {len(value)}"}
        return [encode(each, faults, depth + 1) for each in value]
    if callable(value) and not hasattr(value, "shape") and not isinstance(value, type):
        return _called(value, faults, depth)
    return _array(value)


def _called(value: Callable[[], Any], faults: list[dict[str, Any]] | None, depth: int) -> Any:
    try:
        result = value()
    except Exception as error:
        if parts.not_written(error):
            raise
        if faults is not None:
            faults.append(fault(error))
        return {"error": in_words(error)}
    return encode(result, faults, depth + 1)


def _number(value: float) -> Any:
    if isinstance(value, int):
        return value if abs(value) < 2**63 else {"unencodable": "int"}
    return float(value) if np.isfinite(value) else str(float(value))


def _array(value: Any) -> Any:
    """A tensor or an array; of anything else only the name of its type."""
    try:
        array = np.asarray(value.numpy(force=True) if hasattr(value, "detach") else value)
    except Exception as error:
        return {"unencodable": f"{type(value).__name__} ({in_words(error)})"}
    if array.dtype.kind not in "fiub" or not hasattr(value, "shape"):
        return {"unencodable": type(value).__name__}
    if array.size > MAX_ENTRIES:
        return {"unencodable": f"{type(value).__name__} {array.shape}"}
    data = [_number(each) for each in array.ravel().tolist()]
    return {"shape": list(array.shape), "dtype": array.dtype.name, "data": data}


# ── Every lesson's checks ────────────────────────────────────────────────────────────────────────


def _load() -> list[ModuleType]:
    found = sorted(each.name for each in pkgutil.iter_modules(__path__) if each.name.startswith("lesson"))
    return [importlib.import_module(f"{__name__}.{name}") for name in found]


_load()
