"""A finished drawing: DOT text that shows itself in a notebook, laid out by Graphviz's program `dot`.

What it is not: it does not know what the drawing is of.
"""

from __future__ import annotations

import base64
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class GraphvizError(RuntimeError):
    """The program `dot` is missing, or could not lay the picture out; says in both languages what to do."""


HOW_TO_GET_GRAPHVIZ = (
    "没有找到 Graphviz 的 dot 程序，先以 DOT 文本显示。安装：apt install graphviz，brew install graphviz，"
    "或 conda install -c conda-forge graphviz；也可把文本贴到 https://edotor.net 查看。\n"
    "Graphviz's program `dot` was not found, so here is the DOT text. To install it: apt install graphviz, "
    "brew install graphviz, or conda install -c conda-forge graphviz; or paste the text into https://edotor.net."
)


# Seconds for a layout with the finest curves; and for one with straight lines, where that takes too long: an edge
# past many nodes, as from a recurrent network's weight, is what `dot` spends minutes on.
FINE, COARSE = 10, 60
STRAIGHT = ("-Gsplines=line", "-Gnslimit=0.1", "-Gmclimit=0.1")
TOO_LARGE = (
    "这张图太大，dot 排不下来。画小一点的：步数少些，层数少些。\n"
    "This graph is too large for dot to lay out. Draw a smaller one: fewer steps, or fewer layers."
)


GRAPH = "计算图 computation graph"  # for those who cannot see it


def run_dot(text: str, form: str = "svg") -> bytes:
    """What `dot -T<form>` makes of one or more graphs. GraphvizError if it is missing or fails."""
    program = shutil.which("dot")
    if program is None:
        raise GraphvizError(HOW_TO_GET_GRAPHVIZ)
    command = [program, f"-T{form}"]
    try:
        done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=FINE)
    except subprocess.TimeoutExpired:
        try:
            done = subprocess.run([*command, *STRAIGHT], input=text.encode(), capture_output=True, timeout=COARSE)
        except subprocess.TimeoutExpired:
            raise GraphvizError(TOO_LARGE) from None
    if done.returncode:
        raise GraphvizError(f"dot 未能画出这张图 · dot could not draw this graph: {done.stderr.decode()[:500]}")
    return done.stdout


@dataclass(frozen=True)
class Drawing:
    """A picture of a graph. A notebook shows it by itself; elsewhere use `.save("graph.svg")` or `.dot`."""

    dot: str

    def svg(self) -> str:
        """The picture as an `<svg>` element. Raises GraphvizError if `dot` is not installed."""
        return svg_elements(run_dot(self.dot))[0]

    def save(self, path: str | Path) -> Path:
        """Write it to a file in the form its name ends in: .svg, .png, .pdf, or .dot for the text."""
        path = Path(path)
        form = path.suffix[1:] or "svg"
        path.write_bytes(self.dot.encode() if form in ("dot", "gv") else run_dot(self.dot, form))
        return path

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        try:
            svg = self.svg()
            return {"text/html": shrinking(svg, GRAPH), "image/svg+xml": svg, "text/plain": repr(self)}
        except GraphvizError as missing:
            return {"text/plain": f"{missing}\n\n{self.dot}"}

    def __repr__(self) -> str:
        count = self.dot.count(" [label=<")
        return f"<Drawing, {count} {'box' if count == 1 else 'boxes'}>"


def shrinking(svg: str, words: str) -> str:
    """An SVG picture as HTML that is never wider than the page. JupyterLab cuts off what it is given as SVG alone.

    words: what it is, for those who cannot see it.
    """
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="{words}" style="max-width:100%;height:auto" src="data:image/svg+xml;base64,{data}">'


def svg_elements(output: bytes) -> list[str]:
    """The `<svg>` elements that dot printed, one for each graph, made to shrink with the page."""
    text = re.sub(r"<title>.*?</title>\n", "", output.decode())  # else "n3" pops up under the mouse
    opening = f'<svg role="img" aria-label="{GRAPH}" style="max-width:100%;height:auto" '
    return [opening + piece.split("</svg>")[0] + "</svg>" for piece in text.split("<svg ")[1:]]
