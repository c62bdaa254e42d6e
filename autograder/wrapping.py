"""Lines broken as both languages break them, on a console of rich's.

rich breaks at spaces, and Chinese has none: a sentence would move to a new line as one long word, and leave the rest of the
line before it empty. Here a line may also end before or after a Chinese character; no line begins with the mark that
closes a clause, and none ends with one that opens it. Lines that go on keep the indentation of the first.
What is shown is none of this module's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.segment import Segment
from rich.text import Lines, Text

OPENS = "（「『《【“‘([{💡✗✓"  # what follows stays beside it
CLOSES = "）」』》】”’，。；：、！？…)]},.;:!?%"  # stays beside what comes before
WIDE = "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6"  # East Asian, of two cells

# What is not broken: one wide character or a run of others, with what opens and closes it, and the spaces behind.
_PIECE = re.compile(
    rf"(?:[{re.escape(OPENS)}]+\s*)*(?:[{WIDE}]|[^\s{WIDE}{re.escape(OPENS)}]+)?[{re.escape(CLOSES)}]*\s*"
)


def pieces(line: str) -> Iterator[str]:
    """A line in pieces, between which it may be broken."""
    at = 0
    while at < len(line):
        found = _PIECE.match(line, at)
        end = found.end() if found and found.end() > at else at + 1
        yield line[at:end]
        at = end


def breaks(line: str, width: int, indent: int) -> list[int]:
    """Where to break a line so that its parts fit into `width` cells, all of them after `indent` spaces."""
    places: list[int] = []
    at, used, room = indent, 0, width - indent
    for piece in pieces(line[indent:]):
        for part in chop_cells(piece, room) if cell_len(piece.rstrip()) > room else (piece,):
            if used and used + cell_len(part.rstrip()) > room:
                places.append(at)
                used = 0
            used += cell_len(part)
            at += len(part)
    return places


class Line(Text):
    """rich's Text, broken in this way."""

    def wrap(self, console: Console, width: int, *, no_wrap: bool | None = None, **how: Any) -> Lines:
        """The lines it takes on a console of `width` cells; how: rich's other arguments."""
        if no_wrap or self.no_wrap:
            return super().wrap(console, width, no_wrap=no_wrap, **how)
        broken = Lines()
        for line in self.split(allow_blank=True):
            line.expand_tabs()
            spaces = len(line.plain) - len(line.plain.lstrip(" "))
            indent = spaces if spaces < width // 2 else 0
            first, *others = line.divide(breaks(line.plain, width, indent))
            for part in (first, *[Text(" " * indent, end="").append_text(other) for other in others]):
                part.rstrip()
                broken.extend(part.wrap(console, width, **how))
        return broken


class Screen(Console):
    """rich's Console, on which all text is broken in this way."""

    def render(self, renderable: Any, options: Any = None) -> Iterable[Segment]:
        """The pieces of the screen that something takes."""
        if type(renderable) is Text:
            renderable = as_line(renderable)
        return super().render(renderable, options)

    def render_str(self, *args: Any, **kwargs: Any) -> Line:
        """A string as text."""
        return as_line(super().render_str(*args, **kwargs))


def as_line(text: Text) -> Line:
    """A Text that is broken in this way."""
    line = Line(style=text.style, justify=text.justify, overflow=text.overflow, no_wrap=text.no_wrap, end=text.end)
    line.append_text(text)
    return line
