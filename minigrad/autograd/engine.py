"""The walk: from the roots of a graph to its leaves, every node once, after all gradients it waits for are in.

It knows nodes, edges and gradients, and no operation. Gradients are raw arrays; under create_graph they are Tensors
and the very same rules record what they compute. There is no recursion: the graph may be a million nodes deep.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import Any

from .accumulate import fit, merge, owns_its_memory
from .graph import Edge, Node
from .hooks import run_post_hooks, run_pre_hooks

Buffers = dict[Node, Any]


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


class ReadyQueue:
    """The nodes that wait for nothing more; the latest recorded comes first, as in torch.

    AccumulateGrad's number outranks all others, so a leaf is served as soon as it is complete.
    """

    __slots__ = ("heap", "pushed")

    def __init__(self, nodes: Iterable[Node] = ()) -> None:
        self.heap: list[tuple[int, int, Node]] = []
        self.pushed = 0
        for node in nodes:
            self.push(node)

    def push(self, node: Node) -> None:
        """Add a node; among equal numbers the first pushed comes first."""
        self.pushed += 1
        heapq.heappush(self.heap, (-node.seq, self.pushed, node))

    def pop(self) -> Node | None:
        """The node recorded latest, or None when all are done."""
        return heapq.heappop(self.heap)[2] if self.heap else None


def run_backward(buffers: Buffers, retain_graph: bool, create_graph: bool, task: Task | None = None) -> None:
    """Walk the graph from its roots to its leaves, latest recorded node first.

    buffers: the gradient of each root, {node: array, or Tensor under create_graph}; consumed.
    retain_graph: keep the saved values, so that the graph can be walked again.
    task: what to capture and what to skip when only some inputs are wanted; None: run everything.
    """
    waiting = count_dependencies(buffers)
    ready = ReadyQueue([node for node in buffers if not waiting[node]])
    while (node := ready.pop()) is not None:
        grad = buffers.pop(node, None)
        if node.hooks is not None:
            grad = run_pre_hooks(node, grad, create_graph)
        if task is not None and not task.wants(node, grad):
            results: Any = (None,) * len(node.next_functions)
        elif grad is None:
            results = node.apply_missing()
        else:
            results = node.apply_graph(grad) if create_graph else node.apply(grad)
        if node.hooks is not None:
            results = run_post_hooks(node, results, grad, create_graph)
        for edge, result in zip(node.next_functions, results):  # noqa: B905 (checked where learners and users plug in)
            parent = edge[0]
            if parent is None:
                continue
            if result is not None:
                if result.shape != parent.shape or result.dtype is not parent.dtype:
                    result = fit(result, edge, node)
                held = buffers.get(parent)
                if held is not None:
                    result = merge(held, result)
                elif parent.leaf:
                    parent.shared = result is grad or not owns_its_memory(result)
                buffers[parent] = result
            waiting[parent] -= 1
            if not waiting[parent]:
                ready.push(parent)
        if not retain_graph:
            node.release()


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
        for node in sorted(count_dependencies(roots), key=lambda n: -1 if n.leaf else n.seq):
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
