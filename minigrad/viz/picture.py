"""A graph as boxes and arrows, in Graphviz's DOT language and as SVG.

Arrows are `next_functions`: they point the way a gradient travels, from the outputs at the top to the leaves. What a
box is can be read from its shape, its border and its words; colour only repeats it. The background is white on
purpose: a picture without one is unreadable on a dark page.
"""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from . import graph
from .fold import Stretch, fold

FOLD_ABOVE = 200
SHOWABLE = ("shapes", "saved", "grads", "values")

# The eight colours of Okabe and Ito, which stay apart for colour-blind readers: as borders, and paled as fills.
KINDS = {
    "output": {"shape": "box", "peripheries": "2", "fillcolor": "#e3f4ee", "color": "#009e73"},
    "op": {"shape": "box", "style": "rounded,filled", "fillcolor": "#f7f7f5", "color": "#57534e"},
    "accumulate": {"shape": "hexagon", "margin": "0.02,0", "fillcolor": "#fdf0d5", "color": "#b86e00"},
    "leaf": {"shape": "box", "penwidth": "2.4", "fillcolor": "#e1eefa", "color": "#0072b2"},
    "fold": {"shape": "box3d", "style": "dashed,filled", "fillcolor": "#f7f7f5", "color": "#57534e"},
}
GRAPH = (
    'graph [bgcolor="white", pad="0.2", nodesep="0.35", ranksep="0.42", ordering="out"]',
    'node [style="filled", fontname="Helvetica,Arial,sans-serif", fontsize="10", fontcolor="#1c1917", margin="0.08,0.03"]',
    'edge [fontname="Helvetica,Arial,sans-serif", fontsize="9", color="#57534e", fontcolor="#57534e", arrowsize="0.7"]',
)


class Role(NamedTuple):
    """How one row of a box is set: points, colour of the letters, colour behind them."""

    size: int
    color: str
    fill: str = ""


ROLES = {
    "tag": Role(9, "#57534e"),
    "title": Role(13, "#1c1917"),
    "shape": Role(10, "#44403c"),
    "value": Role(10, "#1c1917"),
    "saved": Role(10, "#7a2f5d", "#f6e7f0"),
    "grad": Role(10, "#8a3b00", "#ffe8d6"),
}


@dataclass
class Box:
    """One box: its rows are (role, text), and a text may run over several lines."""

    kind: str
    rows: list[tuple[str, str]]
    look: dict[str, str] = field(default_factory=dict)  # differs from its kind's, as while a walk is shown

    def dot(self, key: str) -> str:
        """The DOT statement that draws this box."""
        rows = "".join(_row(role, text) for role, text in self.rows if text)
        table = f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="2">{rows}</TABLE>'
        title = next((text for role, text in self.rows if role == "title"), key)
        look = {"id": key, "tooltip": title} | KINDS[self.kind] | self.look
        return f"{key} [label=<{table}>, {', '.join(f'{k}={_quoted(v)}' for k, v in look.items())}]"


def _row(role: str, text: str) -> str:
    size, color, fill = ROLES[role]
    words = '<BR ALIGN="LEFT"/>'.join(escape(line) for line in text.split("\n"))
    if "\n" in text:
        words += '<BR ALIGN="LEFT"/>'
    if role == "title":
        words = f"<B>{words}</B>"
    background = f' BGCOLOR="{fill}"' if fill else ""
    return f'<TR><TD{background}><FONT POINT-SIZE="{size}" COLOR="{color}">{words}</FONT></TD></TR>'


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@dataclass
class Picture:
    """Boxes by key, and arrows (from, to, words on it). `box_of` says which box a node of the graph is in."""

    boxes: dict[str, Box] = field(default_factory=dict)
    arrows: list[tuple[str, str, str]] = field(default_factory=list)
    box_of: dict[Any, str] = field(default_factory=dict)

    def dot(self) -> str:
        """The whole picture in DOT."""
        boxes = [box.dot(key) for key, box in self.boxes.items()]
        arrows = [
            f"{source} -> {target}" + (f" [label={_quoted(f' {words} ')}]" if words else "")
            for source, target, words in self.arrows
        ]
        return "\n  ".join(["digraph {", *GRAPH, *boxes, *arrows]) + "\n}\n"


class GraphvizMissing(RuntimeError):
    """The program `dot` is not there, or could not lay the picture out; says what to do, in both languages."""


HOW_TO_GET_GRAPHVIZ = (
    "没有找到 Graphviz 的 dot 程序，先以 DOT 文本显示。安装：apt install graphviz，brew install graphviz，"
    "或 conda install -c conda-forge graphviz；也可把文本贴到 https://edotor.net 查看。\n"
    "Graphviz's program `dot` was not found, so here is the DOT text. To install it: apt install graphviz, "
    "brew install graphviz, or conda install -c conda-forge graphviz; or paste the text into https://edotor.net."
)


def run_dot(text: str, form: str = "svg") -> bytes:
    """What `dot -T<form>` makes of one or more graphs. GraphvizMissing if there is no such program or it fails."""
    program = shutil.which("dot")
    if program is None:
        raise GraphvizMissing(HOW_TO_GET_GRAPHVIZ)
    done = subprocess.run([program, f"-T{form}"], input=text.encode(), capture_output=True, timeout=120)
    if done.returncode:
        raise GraphvizMissing(f"dot 未能画出这张图 · dot could not draw this graph: {done.stderr.decode()[:500]}")
    return done.stdout


@dataclass(frozen=True)
class Drawing:
    """A picture of a graph. A notebook shows it by itself; elsewhere use `.save("graph.svg")` or `.dot`."""

    dot: str

    def svg(self) -> str:
        """The picture as an `<svg>` element. Raises GraphvizMissing if `dot` is not installed."""
        return svg_elements(run_dot(self.dot))[0]

    def save(self, path: str | Path) -> Path:
        """Write it to a file in the form its name ends in: .svg, .png, .pdf, or .dot for the text."""
        path = Path(path)
        form = path.suffix[1:] or "svg"
        path.write_bytes(self.dot.encode() if form in ("dot", "gv") else run_dot(self.dot, form))
        return path

    def _repr_svg_(self) -> str | None:
        return self.svg() if shutil.which("dot") else None

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        try:
            return {"image/svg+xml": self.svg(), "text/plain": repr(self)}
        except GraphvizMissing as missing:
            return {"text/plain": f"{missing}\n\n{self.dot}"}

    def __repr__(self) -> str:
        return f"<Drawing, {self.dot.count(' [label=<')} boxes>"


def svg_elements(output: bytes) -> list[str]:
    """The `<svg>` elements that dot printed, one for each graph, made to shrink with the page."""
    pieces = output.decode().split("<svg ")[1:]
    return ['<svg style="max-width:100%;height:auto" ' + piece.split("</svg>")[0] + "</svg>" for piece in pieces]


def draw(
    tensor_or_tensors: Any,
    params: Any = None,
    show: Sequence[str] = ("shapes", "saved", "grads"),
    *,
    fold_above: int = FOLD_ABOVE,
) -> Drawing:
    """Draw the graph that led to one or more tensors of minigrad or of torch.

    params: names for tensors, as a dict (`{"w": w}`, or simply `globals()`), a module, or (name, tensor) pairs.
    show: any of "shapes", "saved" (values kept for backward), "grads" (`.grad`) and "values" (a tensor's entries);
        entries are written out for tensors of up to 12, larger ones are named by their shape.
    fold_above: with more nodes than this, rounds of a loop that look alike become one box.
    Raises TypeError for what is no tensor and ValueError for an unknown word in `show`.
    """
    return Drawing(survey(tensor_or_tensors, params, show, fold_above).dot())


def survey(outputs: Any, params: Any, show: Iterable[str], fold_above: int) -> Picture:
    """Read the graph behind `outputs` into boxes and arrows; the arguments are those of `draw`."""
    return _Survey(graph.tensors_in(outputs), params, _checked(show)).picture(fold_above)


def _checked(show: Iterable[str]) -> frozenset[str]:
    wanted = frozenset([show] if isinstance(show, str) else show)
    for word in sorted(wanted.difference(SHOWABLE)):
        words = ", ".join(repr(each) for each in SHOWABLE)
        raise ValueError(
            f"show 里没有 {word!r} 这一项，可选：{words}。 · show knows no {word!r}; there are: {words}."
        )
    return wanted


class _Survey:
    """The reading of one graph: what its tensors are called, and which box each of its nodes is in."""

    def __init__(self, outputs: list[Any], params: Any, show: frozenset[str]) -> None:
        self.outputs = outputs
        self.show = show
        self.named = graph.named_tensors(params)
        self.names: dict[int, str] = {}  # by id; `self.named` and the graph keep the tensors alive
        for name, tensor in self.named:
            self.names.setdefault(id(tensor), name)
        self.order = graph.walk_order(t.grad_fn for t in outputs if t.grad_fn is not None)
        for node in filter(graph.accumulates, self.order):
            self.names.setdefault(id(node.variable), f"#{len(self.names) + 1}")

    def picture(self, fold_above: int) -> Picture:
        picture = Picture()
        for number, output in enumerate(self.outputs):
            self._add_output(picture, f"out{number}", output)
        at = 0
        for stretch in fold([graph.short_name(node) for node in self.order], fold_above):
            self._add_stretch(picture, stretch, self.order[at : at + stretch.length])
            at += stretch.length
        picture.arrows += self._arrows(picture)
        return picture

    def _add_output(self, picture: Picture, key: str, tensor: Any) -> None:
        kind, tag = ("leaf", "叶子 leaf") if tensor.grad_fn is None else ("output", "输出 output")
        picture.boxes[key] = Box(kind, [("tag", tag), *self._tensor_rows(tensor)])

    def _add_stretch(self, picture: Picture, stretch: Stretch, nodes: list[Any]) -> None:
        key = f"n{len(picture.box_of)}"
        picture.box_of |= dict.fromkeys(nodes, key)
        if stretch.text:
            tag = f"折叠了 {stretch.length} 个节点 · {stretch.length} nodes folded"
            picture.boxes[key] = Box("fold", [("tag", tag), ("shape", stretch.text)])
        elif graph.accumulates(nodes[0]):
            picture.boxes[key] = Box("accumulate", [("title", "AccumulateGrad")])
            variable = nodes[0].variable
            picture.boxes[f"{key}leaf"] = Box("leaf", [("tag", "叶子 leaf"), *self._tensor_rows(variable)])
        else:
            picture.boxes[key] = Box("op", self._node_rows(nodes[0]))

    def _tensor_rows(self, tensor: Any) -> list[tuple[str, str]]:
        rows = [("title", self.names.get(id(tensor), ""))]
        if "shapes" in self.show:
            rows.append(("shape", graph.size_text(tensor.shape, tensor.dtype)))
        if "values" in self.show:
            rows.append(("value", graph.numbers(tensor) or ""))
        return rows + self._grad_rows(tensor)

    def _grad_rows(self, tensor: Any) -> list[tuple[str, str]]:
        # torch warns when .grad is read of a tensor that can't have one.
        has_one = tensor.requires_grad and (tensor.is_leaf or tensor.retains_grad)
        return [("grad", f"grad = {graph.contents(tensor.grad)}")] if has_one and "grads" in self.show else []

    def _node_rows(self, node: Any) -> list[tuple[str, str]]:
        outputs = [t for t in self.outputs if t.grad_fn is node]
        named = [(name, t) for name, t in self.named if t.grad_fn is node and not any(t is o for o in outputs)]
        rows = [("title", graph.short_name(node))]
        if "shapes" in self.show:
            names = ", ".join(name for name, _ in named)
            rows.append(("shape", (f"{names}: " if names else "") + graph.output_sizes(node)))
        if "saved" in self.show:
            lines = list(graph.saved_values(node, self.names))
            rows.append(("saved", "\n".join(["保存 saved", *lines]) if lines else ""))
        return rows + [
            (role, f"{name}.{text}") for name, t in named for role, text in self._grad_rows(t)
        ]

    def _arrows(self, picture: Picture) -> list[tuple[str, str, str]]:
        box_of, boxes = picture.box_of, picture.boxes
        arrows = [
            (f"out{number}", box_of[output.grad_fn], "grad_fn")
            for number, output in enumerate(self.outputs)
            if output.grad_fn is not None
        ]
        several = {target for node in self.order for target, number in graph.next_nodes(node) if number}
        folded: Counter[tuple[str, str]] = Counter()
        for node in self.order:
            source = box_of[node]
            for target, number in graph.next_nodes(node):
                ends = source, box_of[target]
                if "fold" not in (boxes[ends[0]].kind, boxes[ends[1]].kind):
                    arrows.append((*ends, f"out {number}" if target in several else ""))
                elif ends[0] != ends[1]:
                    folded[ends] += 1
        arrows += [(*ends, f"× {count}" if count > 1 else "") for ends, count in folded.items()]
        leaves = [key for key, box in boxes.items() if box.kind == "accumulate"]
        return arrows + [(key, f"{key}leaf", ".grad +=") for key in leaves]


def shown_names(params: Any) -> Mapping[int, str]:
    """What tensors are called, by id."""
    return {id(tensor): name for name, tensor in reversed(graph.named_tensors(params))}
