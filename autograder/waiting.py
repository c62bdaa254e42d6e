"""A sign of life for a learner who waits: one quiet line that says what goes on, and is gone when it is over.

    with waiting("still_comparing"):             # says nothing for the first two seconds
        with waiting("still_running", limit=20): # the innermost block's words are shown
            ...

In a notebook the line is a display of its own, and what `show` displays next takes its place; on a terminal it moves
on one line. Elsewhere (a file, a pipe, nbgrader's Validate button) nobody looks at it: nothing is written.

Not here: what stops a check that goes on for too long (runner/limits.py), nor the bars of the commands (terminal.py).
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from typing import Any, NamedTuple

from autograder.messages import text, width

PATIENCE, EVERY = 2.0, 1.0  # seconds until something is said, and between one saying and the next


class _Block(NamedTuple):
    """A `with` block that is being waited for: what to say of it, and when it began."""

    key: str
    values: dict[str, Any]
    began: float

    def words(self) -> str:
        said = text(self.key, seconds=round(time.monotonic() - self.began), **self.values)
        return " · ".join(said.lines())


_TORCH = re.compile(r"^\s*(import|from) torch\b", re.MULTILINE)
_PICTURE = re.compile(r"^[^#\n]*(\b(draw|trace_backward|axes|row|your_engine)\(|\bplt\.)", re.MULTILINE)
_blocks: list[_Block] = []  # from the outermost to the innermost
_line: list[Line] = []  # the one that is shown now, if any
_cell = contextlib.ExitStack()  # the block around the cell that runs now, if it has one


@contextlib.contextmanager
def waiting(key: str, **values: Any) -> Iterator[None]:
    """While the block lasts, say `text(key, seconds=…, **values)` once a second, if anybody looks."""
    _blocks.append(_Block(key, values, time.monotonic()))
    mine = here() if len(_blocks) == 1 else None
    try:
        if mine:
            _line.append(mine)
            mine.start()
        yield
    finally:
        _blocks.pop()
        if mine:
            _line.clear()
            mine.end()


def listen(shell: Any) -> None:
    """Have an IPython shell wait aloud for the cell that loads torch, on a slow disk that is half a minute, and for
    those that draw, which mostly happens after their last line.
    """

    def begins(info: Any) -> None:
        if "torch" not in sys.modules and _TORCH.search(info.raw_cell or ""):
            _cell.enter_context(waiting("still_loading"))
        elif _PICTURE.search(info.raw_cell or ""):
            _cell.enter_context(waiting("still_a_picture"))

    shell.events.register("pre_run_cell", begins)
    shell.events.register("post_run_cell", lambda result: _cell.close())


def over() -> str | None:
    """End the line; the name of the notebook's display that it leaves behind for what comes now, if there is one."""
    return _line[0].end() if _line else None


def validating() -> bool:
    """Whether nbgrader's Validate button runs this kernel. After an error in Validate its variable stays set in the server,
    and so in the kernels that it starts later; these belong to a session, Validate's own does not."""
    return bool(os.environ.get("NBGRADER_VALIDATING")) and "JPY_SESSION_NAME" not in os.environ


def here() -> Line | None:
    """The line that this place can show."""
    if validating():
        return None
    ipython = sys.modules.get("IPython")
    if ipython and hasattr(ipython.get_ipython(), "kernel"):
        return InNotebook()
    return Line() if sys.stdout.isatty() else None


class Line:
    """A line on a terminal, written by a thread of its own, since what is waited for has the main one."""

    def __init__(self) -> None:
        self.stream, self.said = sys.stdout, False  # as it is now: a check catches what parts print
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._speak, name="waiting", daemon=True)

    def start(self) -> None:
        """Begin to wait."""
        self._thread.start()

    def end(self) -> str | None:
        """No word more, and none left."""
        self._over.set()
        self._thread.join()
        if self.said:
            self.said = False
            return self.clear()
        return None

    def _speak(self) -> None:
        pause = PATIENCE
        while not self._over.wait(pause):
            with contextlib.suppress(IndexError, RecursionError):  # a block that just ended; a check on a full stack
                self.write(_blocks[-1].words())
                self.said = True
            pause = EVERY

    def write(self, words: str) -> None:
        """Put these words in place of those before."""
        while width(words) >= shutil.get_terminal_size().columns:  # a line that wraps could not be taken back
            words = words[:-1]
        print(f"\r\033[2K{words}", end="", file=self.stream, flush=True)

    def clear(self) -> str | None:
        """Take the words away; in a notebook, what is left of them."""
        print("\r\033[2K", end="", file=self.stream, flush=True)
        return None


class InNotebook(Line):
    """The words as a display, which a later one replaces."""

    def __init__(self) -> None:
        super().__init__()
        self._name = uuid.uuid4().hex
        self._publish = sys.modules["IPython"].get_ipython().display_pub.publish

    def write(self, words: str) -> None:
        self._publish({"text/plain": words}, transient={"display_id": self._name}, update=self.said)

    def clear(self) -> str:
        self._publish({"text/plain": ""}, transient={"display_id": self._name}, update=True)
        return self._name
