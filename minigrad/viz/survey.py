"""From tensors to a picture: which boxes a graph gives, what is written in them, and how they are connected.

What it is for: `draw`, and the picture that `trace_backward` sets in motion. What it is not: how boxes look
is boxes.py's business, and how a node is asked for its parts is graph.py's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from . import graph
from .boxes import Arrow, Box, Picture, Row
from .drawing import Drawing
from .fold import Stretch, fold

FOLD_ABOVE = 200
SHOWABLE = ("shapes", "saved", "grads", "values")
TAGS = {"leaf": "叶子 leaf", "output": "输出 output"}


def draw(
    tensor_or_tensors: Any,
    params: Any = None,
    show: Sequence[str] = ("shapes", "saved", "grads"),
    *,
    fold_above: int = FOLD_ABOVE,
) -> Drawing:
    """Draw the graph that led to one or more tensors of minigrad or of torch.

    params: names for tensors: a dict (`{"w": w}`, or simply `globals()`), a module, or (name, tensor) pairs.
    show: any of "shapes", "saved" (values kept for backward), "grads" (`.grad`) and "values" (entries);
        a tensor's entries are written out if it has up to 12, else its shape is shown.
    fold_above: with more nodes than this, identical rounds of a loop become one box.
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
            f"show 里没有 {word!r} 这一项，可选：{words}。 · show has no option {word!r}; its options are: {words}."
        )
    return wanted


class _Survey:
    """The reading of one graph: what its tensors are called, and which box each of its nodes is in."""

    def __init__(self, outputs: list[Any], params: Any, show: frozenset[str]) -> None:
        self.outputs = outputs
        self.boxed = {id(output) for output in outputs}
        self.show = show
        self.named = graph.named_tensors(params)
        self.names: dict[int, str] = {}  # by id; `self.named` and the graph keep the tensors alive
        for name, tensor in self.named:
            self.names.setdefault(id(tensor), name)
        self.order = graph.walk_order(t.grad_fn for t in outputs if t.grad_fn is not None)
        leaves = [node.variable for node in self.order if graph.accumulates(node)]
        nameless = [leaf for leaf in leaves if id(leaf) not in self.names]
        self.names |= {id(leaf): f"#{number}" for number, leaf in enumerate(nameless, 1)}

    def picture(self, fold_above: int) -> Picture:
        picture = Picture()
        stretches = self._stretches(fold_above)
        for number, output in enumerate(self.outputs):
            self._add_output(picture, f"out{number}", output)
        for stretch, nodes in stretches:
            self._add_stretch(picture, stretch, nodes)
        picture.arrows += self._arrows(picture)
        return picture

    def _stretches(self, fold_above: int) -> list[tuple[Stretch, list[Any]]]:
        """What becomes a box, and the nodes in it."""
        stretches = fold([graph.short_name(node) for node in self.order], fold_above)
        ends = list(accumulate(stretch.length for stretch in stretches))
        return [(s, self.order[end - s.length : end]) for s, end in zip(stretches, ends, strict=True)]

    def _add_output(self, picture: Picture, key: str, tensor: Any) -> None:
        kind = "leaf" if tensor.grad_fn is None else "output"
        tag = TAGS[kind] if tensor.requires_grad else "不求梯度 requires_grad=False"
        picture.boxes[key] = Box(kind, [Row("tag", tag), *self._tensor_rows(tensor)])

    def _add_stretch(self, picture: Picture, stretch: Stretch, nodes: list[Any]) -> None:
        key = f"n{len(picture.box_of)}"
        picture.box_of |= dict.fromkeys(nodes, key)
        if stretch.text:
            tag = f"折叠了 {stretch.length} 个节点 · {stretch.length} nodes folded"
            picture.boxes[key] = Box("fold", [Row("tag", tag), Row("shape", stretch.text)])
        elif graph.accumulates(nodes[0]):
            picture.boxes[key] = Box("accumulate", [Row("name", "AccumulateGrad")])
            rows = self._tensor_rows(nodes[0].variable)
            picture.boxes[f"{key}leaf"] = Box("leaf", [Row("tag", TAGS["leaf"]), *rows])
        else:
            picture.boxes[key] = Box("op", self._node_rows(nodes[0]))

    def _tensor_rows(self, tensor: Any) -> list[Row]:
        rows = [Row("title", self.names.get(id(tensor), ""))]
        if "shapes" in self.show:
            rows.append(Row("shape", graph.size_text(tensor.shape, tensor.dtype)))
        if "values" in self.show:
            rows.append(Row("value", graph.numbers(tensor) or ""))
        return rows + self._grad_rows(tensor)

    def _grad_rows(self, tensor: Any) -> list[Row]:
        # torch warns when .grad is read of a tensor that can't have one.
        has_one = tensor.requires_grad and (tensor.is_leaf or tensor.retains_grad)
        if not has_one or "grads" not in self.show:
            return []
        return [Row("grad", graph.equation("grad", graph.contents(tensor.grad)))]

    def _node_rows(self, node: Any) -> list[Row]:
        named = [(name, t) for name, t in self.named if t.grad_fn is node and id(t) not in self.boxed]
        rows = [Row("title", graph.short_name(node))]
        if "shapes" in self.show:
            names = ", ".join(name for name, _ in named)
            rows.append(Row("shape", (f"{names}: " if names else "") + graph.output_sizes(node)))
        if "saved" in self.show:
            lines = graph.saved_lines(node, self.names)
            rows.append(Row("saved", "\n".join(["保存 saved", *lines]) if lines else ""))
        return rows + [Row("grad", f"{name}.{row.text}") for name, t in named for row in self._grad_rows(t)]

    def _arrows(self, picture: Picture) -> Iterator[Arrow]:
        box_of, boxes = picture.box_of, picture.boxes
        for number, output in enumerate(self.outputs):
            if output.grad_fn is not None:
                yield Arrow(f"out{number}", box_of[output.grad_fn], "grad_fn")
        several = {target for node in self.order for target, number in graph.next_nodes(node) if number}
        folded: Counter[tuple[str, str]] = Counter()
        for node in self.order:
            for target, number in graph.next_nodes(node):
                ends = box_of[node], box_of[target]
                if "fold" not in (boxes[ends[0]].kind, boxes[ends[1]].kind):
                    yield Arrow(*ends, f"out {number}" if target in several else "")
                elif ends[0] != ends[1]:
                    folded[ends] += 1
        for ends, edges in folded.items():
            yield Arrow(*ends, f"× {edges}" if edges > 1 else "", edges)
        for key, box in boxes.items():
            if box.kind == "accumulate":
                yield Arrow(key, f"{key}leaf", ".grad +=")
