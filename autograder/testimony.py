"""What came out of a sandbox, taken with suspicion: the frames of one job as checks' outcomes.

Whoever wrote the frames may be a learner's program. So: only the checks that were asked for, only values of
the forms that `checks.encode` makes (anything else becomes a value that agrees with nothing), only text
that a terminal or a page can show, the counts of the parts that the check names. What is left can be wrong,
but not harmful; whether it is right is compare.py's question.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from autograder.checks import Check, Outcome, Property, others
from autograder.compare import NOT_FINITE
from autograder.errors import SandboxFailed
from autograder.messages import Text, text
from autograder.protocol import MAX_TEXT
from autograder.runner.limits import Limits

__all__ = ["Testimony", "hear", "words"]

_NO_VALUE = {"unencodable": "malformed"}
_MOST_DIMENSIONS = 32
# Causes that deserve more than "Class: message": a sentence of their own, so that "it raised" does not go before it.
_WORDS = {
    name: f"why_{name}"
    for name in (
        *("TimeLimit", "MemoryError", "Crash", "CannotFork", "ProtocolError"),
        *("MagicNotRun", "InputNotThere", "ModuleNotFoundError", "RecursionError"),
    )
}

# How the sandbox says that a process has ended (runner/supervisor.py); by a signal it says which.
CRASHES = {
    "it ended its own process": "crash_left",
    "it closed the line to the grader": "crash_closed",
    "it made too many files": "crash_files",
    "it started too many processes or threads": "crash_processes",
}
_BY = "it was ended by "

_OURS = ("UnknownName", "PartError", "AutograderError")  # said in both languages already, a line in each


@dataclass
class Testimony:
    """One job's: an outcome for every check, and the errors of cells by cell."""

    __test__ = False  # pytest takes a class of this name for tests

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    cells: dict[str, dict[str, Any]] = field(default_factory=dict)


def hear(frames: Iterable[dict[str, Any]], wanted: list[Check], limits: Limits) -> Testimony:
    """Read a job's frames to their end. SandboxFailed if a check was not even said to be over."""
    checks = {each.name: each for each in wanted}
    values: dict[str, list[Property]] = {name: [] for name in checks}
    heard = Testimony()
    for frame in frames:
        kind, name = frame.get("type"), frame.get("check")
        if kind == "cell" and isinstance(frame.get("id"), str) and (error := _error(frame.get("error"), limits)):
            heard.cells.setdefault(printable(frame["id"]), error)
        if not isinstance(name, str) or name not in checks or name in heard.outcomes:
            continue
        if kind == "property" and isinstance(frame.get("label"), str):
            values[name].append(Property(frame["label"], value(frame.get("value"))))
        elif kind == "check_done":
            calls = _calls(frame.get("calls"), checks[name])
            unwritten = _named(frame.get("unwritten"), checks[name])
            error = _error(frame.get("error"), limits)
            heard.outcomes[name] = Outcome(values[name], calls, error, unwritten)
    if len(heard.outcomes) < len(checks):
        raise SandboxFailed(text("sandbox_silent", checks=", ".join(sorted(checks.keys() - heard.outcomes.keys()))))
    return heard


def _calls(given: Any, check: Check) -> dict[str, int]:
    given = given if isinstance(given, dict) else {}
    known = (*check.parts, *others(check))
    return {part: n for part in known if isinstance(n := given.get(part), int) and n >= 0}


def _named(given: Any, check: Check) -> list[str]:
    return [part for part in check.parts if isinstance(given, list) and part in given]


def _error(given: Any, limits: Limits) -> dict[str, Any] | None:
    """An error frame with known fields of known types, and what happened in both languages: `says` the error, `ended` the
    whole clause.
    """
    if not isinstance(given, dict):
        return None
    error: dict[str, Any] = {
        each: printable(given.get(each, "")) for each in ("class", "message", "traceback_short") if each in given
    }
    error["cell"] = printable(given["cell"]) if isinstance(given.get("cell"), str) else None
    error["line"] = line if isinstance(line := given.get("line"), int) else None
    error = {"class": "?", "message": "", **error}
    says = words(error, limits)
    return {**error, "says": says, "ended": says if error["class"] in _WORDS else text("raised", error=says)}


def words(error: dict[str, Any], limits: Limits) -> Text:
    """An error in both languages, and where it happened if that is known."""
    message: Any = error["message"]
    if error["class"] in _OURS:
        message = _in_each_language(message)
    elif error["class"] == "Crash":
        message = _crash(message)
    said = text(
        _WORDS.get(error["class"], "why_error"),
        kind=error["class"],
        message=message,
        seconds=f"{limits.check_seconds:g}",
        memory=f"{limits.memory / (1 << 20):g}",
    )
    if error.get("cell") and error.get("line"):
        return text("why_where", said=said, cell=error["cell"], line=error["line"])
    return said


def _crash(message: str) -> Text | str:
    """Why a process has ended, in both languages; as it is said, if the sandbox says it otherwise."""
    if message.startswith(_BY):
        return text("crash_signal", name=message.removeprefix(_BY))
    return text(CRASHES[message]) if message in CRASHES else message


def _in_each_language(message: str) -> Text:
    """The lines of a message in the language they are in; those of a message in one language, in both."""
    lines = [line.strip() for line in message.splitlines()]
    chinese = [line for line in lines if re.search("[\u4e00-\u9fff]", line)]
    other = [line for line in lines if line not in chinese]
    return Text(" ".join(chinese or lines), " ".join(other or lines))


# ── Values ───────────────────────────────────────────────────────────────────────────────────────


def printable(words: object) -> str:
    """Text, at most MAX_TEXT of it, without the characters that steer a terminal, or the direction of a line."""
    shown = (c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in str(words)[:MAX_TEXT])
    return "".join(shown)


def value(given: Any) -> Any:
    """An encoded value if it has one of the forms that checks.encode makes; else one that agrees with nothing."""
    if isinstance(given, str):
        return printable(given)
    if isinstance(given, list):
        return [value(each) for each in given]
    if isinstance(given, dict):
        if len(given) == 1 and (name := next(iter(given))) in ("error", "unencodable"):
            return {name: printable(given[name])}
        return given if _is_array(given) else _NO_VALUE
    return given


def _is_array(given: dict[str, Any]) -> bool:
    shape, data = given.get("shape"), given.get("data")
    return (
        given.keys() == {"shape", "dtype", "data"}
        and isinstance(shape, list)
        and len(shape) <= _MOST_DIMENSIONS
        and all(type(size) is int and size >= 0 for size in shape)
        and isinstance(given["dtype"], str)
        and given["dtype"].isalnum()
        and isinstance(data, list)
        and len(data) == math.prod(shape)
        and all(isinstance(each, int | float) or each in NOT_FINITE for each in data)
    )
