"""The walk: from the roots of a graph to its leaves, every node once, after all gradients it waits for are in.

It knows nodes, edges and gradients, and no operation. Gradients are raw arrays; under create_graph they are Tensors
and the very same rules record what they compute. There is no recursion: the graph may be a million nodes deep.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from typing import Any

from .accumulate import fit_all
from .graph import Edge, Node
from .hooks import run_post_hooks, run_pre_hooks
from .ready import pop, push

Buffers = dict[Node, Any]
SKIPPED = repeat(None)  # what a node that need not run gives to each of its parents


def count_dependencies(roots: Iterable[Node]) -> dict[Node, int]:
    """For every node that the roots can reach: how many edges lead to it.

    A node may run only when as many gradients (or refusals) have arrived.
    Example: y = x * x; y.grad_fn → {MulBackward0: 0, AccumulateGrad of x: 2}
    """
    counts = dict.fromkeys(roots, 0)
    stack = list(counts)
    while stack:
        for parent, _ in stack.pop().next_functions:
            if parent is not None:
                if parent in counts:
                    counts[parent] += 1
                else:
                    counts[parent] = 1
                    stack.append(parent)
    return counts


def run_backward(buffers: Buffers, retain_graph: bool, create_graph: bool, task: Task | None = None) -> None:
    """Walk the graph from its roots to its leaves.

    Ready is a node that waits for no more gradients. Among the ready, the latest recorded runs first, so that hooks
    fire in torch's order; a leaf's AccumulateGrad outranks all other nodes.

    buffers: the gradient of each root, {node: array, or Tensor under create_graph}; consumed.
    retain_graph: keep the saved values, so that the graph can be walked again.
    task: what to capture and what to skip when only some inputs are wanted; None: run everything.
    """
    waiting = count_dependencies(buffers)
    ready: list[Node] = []
    for root in buffers:
        if not waiting[root]:
            push(ready, root)
    while ready:
        node = ready.pop() if len(ready) == 1 else pop(ready)
        grad = buffers.pop(node, None)
        if grad is None or task is not None or node.extras is not None:
            results = run_node(node, grad, create_graph, task)
        else:
            results = node.apply_graph(grad) if create_graph else node.apply(grad)
        if node.stretched is not None:
            results = fit_all(results, node.stretched)
        for (parent, output), result in zip(node.next_functions, results):  # noqa: B905 (counted where rules are made)
            if parent is None:
                continue
            if result is not None:
                held = buffers.get(parent)
                if held is None:
                    buffers[parent] = result if parent.plain else parent.receive(result, output, result is grad)
                else:
                    buffers[parent] = merge(parent, held, result, output) if type(held) is list else held + result
            left = waiting[parent]
            if left > 1:
                waiting[parent] = left - 1
            elif ready:
                push(ready, parent)
            else:
                ready.append(parent)
        if node.releases and not retain_graph and results is not SKIPPED:
            node.saved = None


def merge(node: Node, held: Any, grad: Any, output: int) -> Any:
    """Two gradients that meet at one node."""
    return node.add(held, grad, output) if type(held) is list else held + grad


def run_node(node: Node, grad: Any, create_graph: bool, task: Task | None) -> Any:
    """One node with all that is rare: hooks before and after, inputs to capture, no gradient at all."""
    if node.extras is not None:
        grad = run_pre_hooks(node, grad, create_graph)
    if task is not None and not task.wants(node, grad):
        return SKIPPED
    if grad is None:
        results = node.apply_missing()
    else:
        results = node.apply_graph(grad) if create_graph else node.apply(grad)
    return results if node.extras is None else run_post_hooks(node, results, grad, create_graph)


def _sequence(node: Node) -> int:
    return node._sequence_nr() if node.next_functions else -1


class Task:
    """What a walk for some inputs only (autograd.grad, backward(inputs=…)) captures, and which nodes it may skip.

    edges: the gradient edges of the inputs, (node, output number). keep: leaves accumulate instead of being captured.
    """

    def __init__(self, roots: Iterable[Node], edges: list[Edge], accumulate: bool) -> None:
        self.captured: dict[Edge, Any] = {} if accumulate else dict.fromkeys(edges)
        self.targets = {node for node, _ in edges}
        self.run = self.leading_to(roots) | (self.targets if accumulate else set())
        self.accumulate = accumulate

    def leading_to(self, roots: Iterable[Node]) -> set[Node]:
        """The nodes with a target below them: only these must run. Latest last, so parents are decided first."""
        run: set[Node] = set()
        for node in sorted(count_dependencies(roots), key=_sequence):
            if any(parent in self.targets or parent in run for parent, _ in node.next_functions):
                run.add(node)
        return run

    def wants(self, node: Node, grad: Any) -> bool:
        """Capture what is asked of this node; whether the node has to run as well."""
        if node in self.targets and not self.accumulate:
            grads = grad if node.outputs != 1 else [grad]
            for output, g in enumerate(grads or ()):
                if (node, output) in self.captured:
                    self.captured[node, output] = g
        return node in self.run
