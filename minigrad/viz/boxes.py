"""Boxes and arrows, and how they look: the picture of a graph in Graphviz's DOT language.

Arrows are `next_functions`: they point the way a gradient travels, from the outputs at the top to the leaves.
What a box is can be read from its shape, its border and its words; colour only repeats it. The background is
white on purpose: a picture without one is unreadable on a dark page.
What it is not: it knows no tensors and no nodes, and it does not run Graphviz.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from math import fsum  # exact: sum's last digit, and with it a width, changed in Python 3.12
from typing import Any, NamedTuple

# Colours of Okabe and Ito, which stay apart for colour-blind readers: as borders, and paled as fills.
KINDS = {
    "output": {"shape": "box", "peripheries": "2", "fillcolor": "#e3f4ee", "color": "#009e73"},
    "op": {"shape": "box", "style": "rounded,filled", "fillcolor": "#f7f7f5", "color": "#57534e"},
    "accumulate": {"shape": "hexagon", "margin": "0,0", "fillcolor": "#fdf0d5", "color": "#b86e00"},
    "leaf": {"shape": "box", "penwidth": "2.4", "fillcolor": "#e1eefa", "color": "#0072b2"},
    "fold": {"shape": "box3d", "style": "dashed,filled", "fillcolor": "#f7f7f5", "color": "#57534e"},
}
FONT = 'fontname="Helvetica,Arial,sans-serif"'
DEFAULTS = (
    'graph [bgcolor="white", pad="0.2", nodesep="0.35", ranksep="0.42", ordering="out"]',
    f'node [{FONT}, fontsize="10", fontcolor="#1c1917", style="filled", margin="0.09,0.06"]',
    f'edge [{FONT}, fontsize="9", fontcolor="#57534e", color="#57534e", arrowsize="0.7"]',
)
ACTIVE_ARROW = ', color="#d55e00", penwidth="2.4"'
LINE_END = '<BR ALIGN="LEFT"/>'


class Role(NamedTuple):
    """How one row of a box is set: points, colour of the letters, colour behind them."""

    size: int
    color: str
    fill: str = ""
    bold: bool = False


ROLES = {
    "tag": Role(9, "#57534e"),
    "title": Role(13, "#1c1917", bold=True),
    "name": Role(11, "#1c1917", bold=True),
    "shape": Role(10, "#44403c"),
    "value": Role(10, "#1c1917"),
    "saved": Role(10, "#7a2f5d", "#f6e7f0"),
    "grad": Role(10, "#8a3b00", "#ffe8d6"),
    "state": Role(9, "#1c1917"),
}


class Row(NamedTuple):
    """One row of a box. `room` is the largest text it will ever hold: a film's boxes keep their size."""

    role: str
    text: str
    room: str = ""

    def dot(self) -> str:
        """The table row in Graphviz's HTML; nothing for an empty one."""
        if not (self.text or self.room):
            return ""
        style = ROLES[self.role]
        words = escape(self.text).replace("\n ", "\n&#160;")  # Graphviz drops the blank that aligns a matrix
        if "\n" in self.text:
            words = words.replace("\n", LINE_END) + LINE_END
        if style.bold and words:
            words = f"<B>{words}</B>"
        if words:  # Graphviz refuses an empty <FONT>
            words = f'<FONT POINT-SIZE="{style.size}" COLOR="{style.color}">{words}</FONT>'
        background = f' BGCOLOR="{style.fill}"' if style.fill and words else ""
        return f"<TR><TD{background}{self._extent()}>{words}</TD></TR>"

    def _extent(self) -> str:
        """A cell size, in points, that `room` will not exceed: generous guesses at the width of letters.

        A tinted cell is as wide as its own text may be: Graphviz guesses by one font, the page may have a wider one.
        """
        style = ROLES[self.role]
        lines = (self.room or (self.text if style.fill else "")).split("\n")
        if lines == [""]:
            return ""
        ems = max(fsum(0.6 if letter.isascii() else 1.05 for letter in line) for line in lines)
        height = f' HEIGHT="{round(len(lines) * style.size * 1.3) + 4}"' if self.room else ""
        return f' WIDTH="{round(ems * style.size) + 4}"{height}'


@dataclass
class Box:
    """One box: what kind of thing it shows and, row by row, what it says.

    look: Graphviz attributes that differ from the kind's, as in a film.
    """

    kind: str
    rows: list[Row]
    look: dict[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """What the box is called, or ""."""
        return next((row.text for row in self.rows if row.role in ("title", "name")), "")

    def dot(self, key: str) -> str:
        """The DOT statement that draws this box."""
        rows = "".join(row.dot() for row in self.rows)
        table = f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="2">{rows}</TABLE>'
        look = {"id": key} | KINDS[self.kind] | self.look
        attributes = ", ".join(f'{name}="{value}"' for name, value in look.items())
        return f"{key} [label=<{table}>, {attributes}]"


class Arrow(NamedTuple):
    """One arrow between the boxes of these keys; it represents several `edges` where nodes are folded."""

    source: str
    target: str
    words: str = ""
    edges: int = 1


@dataclass
class Picture:
    """Boxes by key, and the arrows between them. `box_of` says which box a node of the graph is in.

    active: the key of the box from which gradients are just being sent; its arrows stand out.
    """

    boxes: dict[str, Box] = field(default_factory=dict)
    arrows: list[Arrow] = field(default_factory=list)
    box_of: dict[Any, str] = field(default_factory=dict)
    active: str = ""

    def dot(self) -> str:
        """The whole picture in DOT."""
        boxes = [box.dot(key) for key, box in self.boxes.items()]
        arrows = [self._arrow_dot(number, arrow) for number, arrow in enumerate(self.arrows)]
        return "\n  ".join(["digraph {", *DEFAULTS, *boxes, *arrows]) + "\n}\n"

    def _arrow_dot(self, number: int, arrow: Arrow) -> str:
        words = f" {arrow.words} " if arrow.words else ""
        active = ACTIVE_ARROW if arrow.source == self.active else ""
        return f'{arrow.source} -> {arrow.target} [id="e{number}", label="{words}"{active}]'
