"""Which run of which cell plugged a part in, so that a check can say what it is judging, and a part goes with its cell.

A cell that does not compile, or that stops before its function is plugged in, leaves the function of before in the
engine, and the next check would judge that one without a word. IPython tells of every cell when it begins and when it
has ended; what is kept is, for each part, the error that its cell ended in, until a run of that cell comes through.
A cell that comes through without a part it once held, or that JupyterLab says is deleted, takes its function along:
the part is then replaced by what Restart & Run All would plug in, another cell's, a saved one, the engine's own.

Not here: errors that a part raises while a check runs (checks/), and cells at grading (runner/cells.py).
"""

from __future__ import annotations

import difflib
import keyword
import re
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from autograder import parts
from autograder.errors import AutograderError
from autograder.messages import Text, followed_by, text

# The text may be one that does not compile: it is read by its lines.
_NAMED = re.compile(r"""^[^#\n]*\bimplements\(\s*["']([\w.]+)["']""", re.MULTILINE)
# What an input method for Chinese types where code has its own signs; in texts and comments it may stand.
_FULL_WIDTH = "[（），：；。“”‘’【】｛｝×＝＋－]"
# A syntax error's words and, below them, its line, where each text is "": what is said about it.
SAID = {
    r"U\+3000": "wide_space",
    r"\(U\+00B[239]\)": "superscript",
    rf"\n.*{_FULL_WIDTH}": "full_width",
    "incomplete input": "left_open",  # IPython's word for what Python itself calls "'(' was never closed"
    r"expected ':'": "colon_missing",
    r"invalid decimal literal": "times_left_out",
    r'unterminated string literal.*\n.*""\w': "apostrophe",
    r"\nreturn [^=]*[^=!<>:]=[^=]": "return_with_equals",
}
_FIRST = re.compile(r"^invalid syntax\n(\w+) +[\w(\[{\"-]")
ALIKE = 0.8  # of a line's first word and the one that was meant: two letters exchanged, or a capital
_TEXTS = re.compile(r"""\"[^"]*\"|'[^']*'|\#.*""")


class Run(NamedTuple):
    """A function as a cell plugged it in, and the number that the cell shows in brackets."""

    function: Any
    number: int | None


_runs: dict[str, dict[str, Run]] = {}  # part -> cell -> its run, the latest last; "": what was there before any cell
_before: dict[str, Any] = {}  # what was plugged in when the cell that runs now began
_failed: dict[str, tuple[Text, Any]] = {}  # part -> the error its cell ended in, what stayed plugged in


def listen(shell: Any) -> None:
    """Have an IPython shell tell of its cells, and its front end of those that are deleted."""

    def begins(_: Any) -> None:
        message = shell.get_parent() if hasattr(shell, "get_parent") else None  # a terminal has none
        for cell in ((message or {}).get("metadata") or {}).get("deletedCells") or ():
            _taken_out(cell)
        _before.clear()
        _before.update(parts.plugged())

    shell.events.register("pre_run_cell", begins)
    shell.events.register("post_run_cell", _ended)


def origins(asked: Iterable[str]) -> str:
    """These parts with the number of the cell's run that plugged each in, as in "mul_vjp_self [12]"; "" if none is known."""
    found = []
    for part in asked:
        stands = parts.plugged().get(part)
        number = next((run.number for run in _runs.get(part, {}).values() if run.function is stands), None)
        found += [f"{part.rpartition('.')[2]} [{number}]"] if number else []
    return ", ".join(found)


def notes(asked: Iterable[str]) -> list[Text]:
    """What there is to say of those parts whose cell last ended in an error, if nothing else was plugged in since."""
    found: dict[tuple[str, Text], list[str]] = {}  # a cell may hold several parts, and its error is said once
    for part in asked:
        error, stayed = _failed.get(part, (None, None))
        if error and parts.plugged().get(part) is stayed:
            key = "last_run_failed" if stayed is None else "last_run_before"
            found.setdefault((key, error), []).append(part.rpartition(".")[2])
    return [text(key, short=", ".join(names), error=error) for (key, error), names in found.items()]


def _ended(result: Any) -> None:
    error, now = result.error_before_exec or result.error_in_exec, parts.plugged()
    named, cell = set(_NAMED.findall(result.info.raw_cell)), getattr(result.info, "cell_id", None)
    for part in named:
        _failed.pop(part, None)
        if error is not None and now.get(part) is _before.get(part):
            _failed[part] = _words(error), now.get(part)
    fresh = {part for part in now if now[part] is not _before.get(part)}
    if cell and error is None:
        _taken_out(cell, keep=fresh | named)
    for part in fresh:
        runs = _runs.setdefault(part, {"": Run(_before.get(part), None)})
        runs.pop(key := cell or "?", None)
        runs[key] = Run(now[part], result.execution_count)


def _taken_out(cell: str, keep: Collection[str] = ()) -> None:
    """Unplug what this cell had plugged in, but for `keep`: what was there before is back."""
    for part, runs in _runs.items():
        if part in keep or cell not in runs:
            continue
        gone = runs.pop(cell)
        if parts.plugged().get(part) is gone.function:
            *_, last = runs.values()
            if last.function is None:
                parts.unplug(part)
            else:
                parts.plug(part, last.function)


def _words(error: BaseException) -> Text:
    if isinstance(error, AutograderError):
        return error.what if isinstance(error.what, Text) else Text(error.what, error.what)
    kind = type(error).__name__
    if isinstance(error, SyntaxError) and error.text:
        said = text("error_at", error=f"{kind}: {error.msg}", line=error.lineno, code=error.text.strip())
        if isinstance(error, IndentationError):
            return followed_by(said, text("indented_wrong"))
        if "=get_ipython().getoutput(" in error.text.replace(" ", ""):  # IPython takes what follows the ! for a command
            return text("not_equal")
        more = _of_a_line(f"{error.msg}\n" + _TEXTS.sub('""', error.text.strip()))
        return followed_by(said, more) if more else said
    line = " ".join([f"{kind}:", *str(error).splitlines()[:1]])
    return Text(line, line)


def _of_a_line(words: str) -> Text | None:
    """What there is to say of a syntax error's words and line."""
    if key := next((key for wrong, key in SAID.items() if re.search(wrong, words)), None):
        return text(key)
    first = _FIRST.search(words)
    near = difflib.get_close_matches(first[1].lower(), keyword.kwlist, n=1, cutoff=ALIKE) if first else []
    return text("did_you_mean", names=near[0]) if first and near and near[0] != first[1] else None
