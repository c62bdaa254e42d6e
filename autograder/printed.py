"""What a learner's part prints while a check runs: the beginning is kept and shown, with how much more there was."""

from __future__ import annotations

import io
from typing import Any

from autograder.messages import text

MOST, LINES = 2000, 8  # characters that are kept, and lines that are shown


class Printed(io.TextIOBase):
    """Keeps the beginning of what is printed and counts the rest: a part may print a gigabyte."""

    def __init__(self) -> None:
        self.kept, self.written = "", 0

    def writable(self) -> bool:
        return True

    def write(self, words: Any) -> int:
        if len(self.kept) < MOST:
            self.kept += str(words)[: MOST - len(self.kept)]
        self.written += len(words)
        return len(words)

    def shown(self) -> str:
        """The first lines, and how much more there was."""
        lines = "\n".join(self.kept.splitlines()[:LINES])
        more = self.written - len(lines) - (1 if self.kept.endswith("\n") else 0)
        return lines + (f"\n{text('printed_more', more=more)}" if more > 0 else "")
