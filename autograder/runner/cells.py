"""A learner's cells: executed one after the other in one namespace, as a notebook would, without a notebook.

An error in a cell is reported (class, message, line) and the next cell runs all the same. Of what only a
notebook has, magics, shell lines and lone questions (`?name`) are left out, `display` and `get_ipython()` are there and
do nothing; a magic that the rest needs, and `input()`, are clear errors. Checks are not cells: see checking.py.
"""

from __future__ import annotations

import builtins
import linecache
import re
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

from autograder.checks import line_of
from autograder.parts import NOT_WRITTEN, not_written
from autograder.protocol import clip
from autograder.runner.limits import TimeLimit, stop_clock, time_limit

__all__ = ["InputNotThere", "MagicNotRun", "Notebook", "fault", "settle_names"]

_FRAMES = 4  # of a traceback, in a report
_FILE = re.compile(r"<cell (.*)>", re.DOTALL)
# What IPython would take: `%time f()`, `%%bash`, `!pip`, `x = !ls`, `x = %sql …`, `?name`, `name?`.
_MAGIC = re.compile(r"^\s*(?:[%!?]|[\w ,.]+=\s*[%!]\s*\w)|^\s*[\w.]+\?{1,2}\s*$")
# Of these, what gives nothing to the rest: `%matplotlib inline`, `%%time`, `!pip install x`, `name?`.
# (After `%%bash` the rest is no Python.)
_LEFT_OUT = re.compile(r"^(\s*)(?:%(?!%)|%%(?:time|timeit|capture|prun)\b|[!?]|[\w.]+\?{1,2}[ \t]*$).*")


class MagicNotRun(SyntaxError):
    """A line that only IPython understands."""


class InputNotThere(RuntimeError):
    """`input()` was called: nobody is there to answer."""


class Notebook:
    """One namespace, `__name__ == "__main__"`, in which cells are executed."""

    def __init__(self) -> None:
        self.module = types.ModuleType("__main__")
        sys.modules["__main__"] = self.module
        vars(self.module)["__builtins__"] = builtins

    def execute(self, name: str, source: str, seconds: float) -> dict[str, Any] | None:
        """Run one cell: None, or its error as plain data. Nothing that a cell raises gets out of here."""
        filename = f"<cell {name}>"
        # So that tracebacks and inspect.getsource find the learner's lines.
        linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
        try:
            with time_limit(seconds):
                exec(_compiled(source, filename), vars(self.module))
        except BaseException as error:
            stop_clock()
            return fault(error, name)
        return None


def _compiled(source: str, filename: str) -> types.CodeType:
    try:
        # dont_inherit: the learner's cell has not asked for this module's `from __future__`.
        return compile(source, filename, "exec", dont_inherit=True)
    except SyntaxError as error:
        lines = source.splitlines(keepends=True)
        at = (error.lineno or 0) - 1
        if 0 <= at < len(lines) and _LEFT_OUT.match(lines[at]):
            lines[at] = _LEFT_OUT.sub(r"\1pass", lines[at])
            return _compiled("".join(lines), filename)
        for number, line in enumerate(lines, 1):
            if _MAGIC.match(line) and not _LEFT_OUT.match(line):
                raise MagicNotRun(line.strip(), (filename, number, 1, line)) from None
        raise


def settle_names() -> None:
    """Give a notebook's own names a meaning that fits a place without a screen and without a learner."""

    def no_input(prompt: object = "", /) -> str:
        raise InputNotThere(f"input({clip(prompt, 100)!r})")

    builtins.input = no_input
    vars(builtins)["display"] = lambda *_, **__: None
    vars(builtins)["get_ipython"] = NoIPython


class NoIPython:
    """What get_ipython() gives where there is no IPython: every method does nothing, as lines of magic alone do nothing."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: None


# ── Errors as plain data ─────────────────────────────────────────────────────────────────────────


def fault(error: BaseException, cell: str | None = None) -> dict[str, Any]:
    """{"class", "message", "cell", "line", "traceback_short"}; the line is the learner's own, the innermost
    one.

    The exception may be the learner's own class, so nothing it does here may raise or be believed.
    """
    where, lines = _where(error)
    if isinstance(error, SyntaxError) and _FILE.match(error.filename or ""):
        where = (cell, error.lineno)
    message = error.msg if isinstance(error, SyntaxError) else _words(error)
    return {
        "class": _class(error),
        "message": clip(message),
        "cell": where[0] or cell,
        "line": where[1] if isinstance(where[1], int) else None,
        "traceback_short": clip("\n".join(lines[-_FRAMES:])),
    }


def _class(error: BaseException) -> str:
    for known in (TimeLimit, MemoryError):  # NumPy's MemoryError has a name of its own
        if isinstance(error, known):
            return known.__name__
    if not_written(error):
        return NOT_WRITTEN
    return clip(type(error).__name__, 100)


def _words(error: BaseException) -> str:
    try:
        return str.__str__(str(error))
    except BaseException as another:
        return f"(its message cannot be read: {type(another).__name__})"


def _where(error: BaseException) -> tuple[tuple[str | None, int | None], list[str]]:
    """The innermost place in a learner's cell, and every frame from the first cell on, outermost first."""
    place: tuple[str | None, int | None] = (None, None)
    lines: list[str] = []
    for filename, function, number in _frames(error):
        match = _FILE.match(filename)
        if match:
            place = (match[1], number)
        if match or lines:
            shown = match[1] if match else filename.rpartition("/")[2]
            lines.append(f"{shown}:{number} {function}")
            del lines[:-50]  # a recursion's thousand frames say the same
    return place, lines


def _frames(error: BaseException) -> Iterable[tuple[str, str, int]]:
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        yield code.co_filename, code.co_name, line_of(trace) or 0
        trace = trace.tb_next
