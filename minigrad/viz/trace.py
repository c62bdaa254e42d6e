"""The walk of `backward()`, step by step: what each node received, what it sent on, and to whom.

What it is for: `trace_backward`, whose result plays in a notebook. The order and the numbers are the engine's
own: a hook on every node writes down what really happened. What it is not: it computes no gradient itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from . import graph
from .animation import Film, Frame, Step
from .drawing import GraphvizError, run_dot, svg_elements
from .survey import survey

FOLD_ABOVE = 60  # a film of more boxes is no fun to watch


class Trace(list[Frame]):
    """The frames of one walk. A notebook shows a player; `print` shows the captions."""

    def html(self) -> str:
        """A self-contained player; where Graphviz is missing, the captions and how to get it."""
        captions = [f'<p lang="zh">{escape(f.zh)}</p><p lang="en">{escape(f.en)}</p>' for f in self]
        steps = "".join(f"<li>{caption}</li>" for caption in captions)
        try:
            pictures = svg_elements(run_dot("".join(frame.drawing.dot for frame in self)))
        except GraphvizError as error:
            return f'<pre>{escape(str(error))}</pre><ol start="0">{steps}</ol>'
        film = {"changes": changes(pictures), "captions": [[frame.zh, frame.en] for frame in self]}
        data = json.dumps(film, ensure_ascii=False)
        data = data.replace("</", "<\\/").replace("<!--", "\\u003c!--")  # neither is allowed in a <script>
        key = "walk-" + sha256(data.encode()).hexdigest()[:12]
        page = Template(files(__package__).joinpath("player.html").read_text("utf-8"))
        return page.substitute(key=key, picture=pictures[0], steps=steps, last=len(self) - 1, data=data)

    def _repr_html_(self) -> str:
        return self.html()

    def __repr__(self) -> str:
        return "\n".join(f"{number:>3}  {f.zh}\n     {f.en}" for number, f in enumerate(self))


def changes(pictures: Sequence[str]) -> list[dict[str, str]]:
    """For each picture, the markup of the boxes and arrows (by id) that differ from the picture before it."""
    found: list[dict[str, str]] = []
    before: dict[str, str] = {}
    for picture in pictures:
        groups = re.finditer(r'<g id="(\w+)" class="(?:node|edge)">.*?</g>', picture, re.DOTALL)
        parts = {match[1]: match[0] for match in groups}
        found.append({key: part for key, part in parts.items() if before.get(key) != part})
        before = parts
    return found


def trace_backward(
    tensor: Any,
    gradient: Any = None,
    *,
    params: Any = None,
    show: Sequence[str] = ("shapes", "grads"),
    retain_graph: bool | None = None,
    fold_above: int = FOLD_ABOVE,
) -> Trace:
    """Run `tensor.backward(gradient, retain_graph)` and return what happened, frame by frame.

    It is a real backward: gradients are accumulated, saved values freed, errors raised as `backward` does.
    params, show and fold_above are as in `draw`; nodes folded into one box run in one frame.
    """
    picture = survey(tensor, params, show, fold_above)
    steps = record(tensor, gradient, retain_graph, list(picture.box_of))
    return Trace(Film(picture, steps).frames())


def record(tensor: Any, gradient: Any, retain_graph: bool | None, nodes: list[Any]) -> list[Step]:
    """The steps of one backward in the order in which the engine took them."""
    steps: list[Step] = []
    leaves = {node: graph.contents(node.variable.grad) for node in nodes if graph.accumulates(node)}

    def note(node: Any, grad_inputs: Any, grad_outputs: Any) -> None:
        # Texts, not tensors: what a hook is shown may be overwritten later in the walk.
        received = ", ".join(graph.contents(grad) for grad in grad_outputs)
        if node in leaves:
            after = graph.contents(node.variable.grad)
            steps.append(Step(node, received, [], leaves[node], after))
            return
        pairs = zip(node.next_functions, grad_inputs, strict=True)
        sent = [(target, graph.contents(grad)) for (target, _), grad in pairs if target is not None]
        steps.append(Step(node, received, sent))

    handles = [node.register_hook(partial(note, node)) for node in nodes]
    try:
        tensor.backward(gradient, retain_graph=retain_graph)
    finally:
        for handle in handles:
            handle.remove()
    return steps
