"""Whether the cell that holds a part came through when it last ran, so that a check can say what it is judging.

A cell that does not compile, or that stops before its function is plugged in, leaves the function of before in the
engine, and the next check would judge that one without a word. IPython tells of every cell when it begins and when it
has ended; what is kept is, for each part, the error that its cell ended in, until a run of that cell comes through.

Not here: errors that a part raises while a check runs (checks/), and cells at grading (runner/cells.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from autograder import parts
from autograder.errors import AutograderError
from autograder.messages import Text, text

# The text may be one that does not compile: it is read by its lines.
_NAMED = re.compile(r"""^\s*@implements\(\s*["']([\w.]+)["']""", re.MULTILINE)
_before: dict[str, Any] = {}  # what was plugged in when the cell that runs now began
_failed: dict[str, tuple[Text, Any]] = {}  # part -> the error its cell ended in, what stayed plugged in


def listen(shell: Any) -> None:
    """Have an IPython shell tell of its cells."""
    shell.events.register("pre_run_cell", _begins)
    shell.events.register("post_run_cell", _ended)


def notes(asked: Iterable[str]) -> list[Text]:
    """What there is to say of those parts whose cell last ended in an error, if nothing else was plugged in since."""
    found = []
    for part in asked:
        error, stayed = _failed.get(part, (None, None))
        if error and parts.plugged().get(part) is stayed:
            key = "last_run_failed" if stayed is None else "last_run_before"
            found.append(text(key, short=part.rpartition(".")[2], error=error))
    return found


def _begins(_: Any) -> None:
    _before.clear()
    _before.update(parts.plugged())


def _ended(result: Any) -> None:
    error, now = result.error_before_exec or result.error_in_exec, parts.plugged()
    for part in _NAMED.findall(result.info.raw_cell):
        _failed.pop(part, None)
        if error is not None and now.get(part) is _before.get(part):
            _failed[part] = _words(error), now.get(part)


def _words(error: BaseException) -> Text:
    if isinstance(error, AutograderError):
        return error.what if isinstance(error.what, Text) else Text(error.what, error.what)
    kind = type(error).__name__
    if isinstance(error, SyntaxError) and error.text:
        return text("error_at", error=f"{kind}: {error.msg}", line=error.lineno, code=error.text.strip())
    said = " ".join([f"{kind}:", *str(error).splitlines()[:1]])
    return Text(said, said)
