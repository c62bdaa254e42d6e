"""The walk: from the roots of a graph to its leaves, each node once, after all gradients for it have arrived.

It knows nodes, edges and gradients, but no operation. Gradients are raw arrays; under create_graph they are Tensors
and the very same rules record what they compute. There is no recursion: the graph may be a million nodes deep.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from threading import get_ident
from typing import Any

from .. import rules
from . import anomaly
from .accumulate import fit, fit_all
from .graph import Edge, Node, Packed, SavedResult, SeveralOutputs
from .hooks import run_post_hooks, run_pre_hooks
from .ready import pop, push
from .recording import underivable

Buffers = dict[Node, Any]


def count_dependencies(roots: Iterable[Node]) -> dict[Node, int]:
    """For every node that the roots can reach: how many edges lead to it.

    A node may run only when as many gradients (or refusals) have arrived.
    Example: y = x * x; y.grad_fn → {MulBackward0: 0, AccumulateGrad of x: 2}
    """
    counts = dict.fromkeys(roots, 0)
    stack = list(counts)
    while stack:
        for parent in stack.pop().parents:
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
    if task is not None:
        task.plan(waiting)
    ready: list[Node] = []
    for root in buffers:
        if not waiting[root]:
            push(ready, root)
    while ready:
        node = ready.pop() if len(ready) == 1 else pop(ready)
        grad = buffers.pop(node, None)
        results = run_node(node, grad, retain_graph, create_graph, task)
        i = -1  # counted by hand: zip would cost as much as the rest of the loop
        for parent in node.parents:
            i += 1
            if parent is None:
                continue
            result = results[i]
            if result is not None:
                held = buffers.get(parent)
                if held is None:
                    buffers[parent] = result if parent.plain else parent.receive(result, node.number(i), result is grad)
                elif type(held) is list:
                    buffers[parent] = merge(parent, held, result, node.number(i))
                else:
                    buffers[parent] = held + result
            left = waiting[parent]
            if left > 1:
                waiting[parent] = left - 1
            elif ready:
                push(ready, parent)
            else:
                ready.append(parent)


def release(node: Node, retain_graph: bool) -> None:
    """Let go of what a node has saved, once it has run; under retain_graph keep it for the next walk.

    Whatever nobody else holds is freed at once, while the walk goes on, so memory falls as the gradients travel.
    Example: y = x * x; y.backward() → y.grad_fn.saved is None; with retain_graph=True it is (x, x) as before
    """
    if not retain_graph:
        node.saved = None


def merge(parent: Node, held: Any, result: Any, output: int) -> Any:
    """The sum of what a node holds and one more gradient; with several outputs, the sum at that output."""
    return parent.add(held, result, output) if isinstance(parent, SeveralOutputs) else held + result


def run_node(node: Node, grad: Any, retain_graph: bool, create_graph: bool, task: Task | None) -> Any:
    """Run one node: turn the gradient that has arrived into one for each edge, of the shape of that input.

    grad: None if all nodes before it gave None. Saved values are released unless retain_graph.
    """
    if grad is None or node.extras is not None or (task is not None and node not in task.plain):
        return run_rare(node, grad, retain_graph, create_graph, task)
    results = node.apply_graph(grad) if create_graph else node.apply(grad)
    if node.releases:
        release(node, retain_graph)
    return results if node.stretched is None else fit_all(results, node.stretched)


def run_rare(node: Node, grad: Any, retain_graph: bool, create_graph: bool, task: Task | None) -> Any:
    """Run one node in the rare cases: hooks, inputs to capture, no gradient at all, anomaly mode."""
    if anomaly.mode.enabled:
        anomaly.running[get_ident()] = node
    try:
        runs = task is None or node in task.run
        if task is not None and not runs and node not in task.targets and node is not task.sole_root:
            return (None,) * len(node.parents)
        arrived = grad
        if node.extras is not None:
            grad = run_pre_hooks(node, grad, create_graph, runs)
        if task is not None:
            if node in task.targets:
                task.capture(node, arrived if runs else grad)  # before the hooks, where the node runs: as in torch
            if not runs:
                return (None,) * len(node.parents)
        if grad is None:
            results = node.apply_missing(create_graph)
        else:
            running = node if task is None else task.narrowed(node)
            if running is not node and not any(running.parents):
                results = running.parents  # all None: no gradient is wanted
            else:
                results = running.apply_graph(grad) if create_graph else running.apply(grad)
            if running is not node:
                results = tuple([None if p is None else r for r, p in zip(results, running.parents, strict=True)])
        if node.extras is not None:
            if node.extras.packed and node.saves:  # a custom Function sees to it itself
                results = as_arrived(node, results, grad)
            if node.stretched is not None:
                results = fit_all(results, node.stretched)  # hooks see the gradients that are passed on
            results = run_post_hooks(node, results, grad, create_graph)
        if node.releases:
            release(node, retain_graph)
        if anomaly.mode.enabled and anomaly.mode.check_nan:
            anomaly.refuse_nan(node, results)
        return results if node.stretched is None else fit_all(results, node.stretched)
    except Exception:
        if anomaly.mode.enabled:
            anomaly.tell_forward(node)
        raise


def as_arrived(node: Node, results: Iterable[Any], grad: Any) -> tuple[Any, ...]:
    """The gradients of a node in the dtype in which its own arrived, and each in its input's shape, if it was stretched from
    that: an unpack hook may have returned values of other ones."""
    arrived = grad if type(grad) is not list else next((each for each in grad if each is not None), None)
    if arrived is None:
        return tuple(results)
    found, dtype = [], rules.raw_dtype(arrived)
    for i, (parent, each) in enumerate(zip(node.parents, results, strict=True)):
        if parent is not None and each is not None and node.stretched is None:
            shape = parent.shape[node.number(i)] if isinstance(parent, SeveralOutputs) else parent.shape
            found.append(fit(each, (shape, dtype)))
        else:
            found.append(each if each is None or rules.raw_dtype(each) is dtype else rules.cast(each, dtype))
    return tuple(found)


def nodes_to_run(reachable: Iterable[Node], targets: set[Node | None]) -> set[Node]:
    """The nodes that lead to a target: only these run when the gradients of some inputs alone are wanted.

    A target itself need not run, for its gradient has arrived then; unless another target lies below it.
    Example: u = 2 * a; w = u * (3 * b), target u's node → {w's node}; target a's AccumulateGrad → {w's node, u's node}
    """
    needed: set[Node] = set()
    for node in sorted(reachable, key=lambda node: node.order, reverse=True):  # the first recorded first
        for parent in node.parents:
            if parent in targets or parent in needed:
                needed.add(node)
                break
    return needed


@functools.cache
def slots_of(kind: Any) -> tuple[str, ...]:
    """The slots of a node class, inherited ones included."""
    return tuple([name for base in kind.__mro__ for name in getattr(base, "__slots__", ()) if name != "__weakref__"])


def narrowed(node: Node, wanted: set[Node | None]) -> Node:
    """A copy of this node that computes only the gradients for `wanted` nodes.

    As in torch, all saved values are unpacked and version-checked, each once, needed or not.
    """
    kind: Any = type(node)
    twin: Node = object.__new__(kind)
    for name in slots_of(kind):
        if hasattr(node, name):
            setattr(twin, name, getattr(node, name))
    twin.parents = tuple([parent if parent in wanted else None for parent in node.parents])
    owner = getattr(node, "write", node)  # the saved values of CopySlices belong to the write
    if node.saved is not None:
        twin.saved = tuple([opened(value, owner) if type(value) is Packed else value for value in node.saved])
    twin.unpack_arrays()
    twin.saved = tuple([saved_for_copy(value, owner) for value in twin.saved_for(twin.parents) or ()])
    return twin


def opened(value: Packed, node: Node) -> Packed:
    """What `node` saved and hooks have packed, unpacked once for however many reads."""
    return Packed(value.tensor, lambda tensor: tensor, value.edge or (node, value.output), value.output)


def saved_for_copy(value: Any, node: Node) -> Any:
    """A saved value of `node` for a copy of it. The node's own result keeps `node` as its history."""
    return node.saved_tensor(value) if isinstance(value, SavedResult) else value


class Task:
    """What a walk for some inputs only (autograd.grad, backward(inputs=…)) captures, and which nodes it must run.

    edges: where the inputs' gradients arrive, (node, output number); None: run everything (anomaly mode watches each
    node). accumulate: they go to `.grad` instead of being captured. sole_root: the root, if there is only one: a gradient
    arrives there in any case, and its tensors' hooks see it, even if no wanted input lies below.
    """

    def __init__(self, edges: list[Edge] | None, accumulate: bool, sole_root: Node | None = None) -> None:
        self.everything = edges is None
        edges = edges or []
        self.captured: dict[Edge, Any] = dict.fromkeys(edges)
        self.targets: set[Node | None] = {node for node, _ in edges if node is not None}
        self.run: set[Node] = set()
        self.wanted: set[Node | None] = set()  # where gradients have to go
        self.plain: set[Node] = set()  # nodes to run that are no targets, and all of whose gradients are wanted
        self.accumulate = accumulate
        self.sole_root = sole_root

    def plan(self, reachable: Iterable[Node]) -> None:
        """Choose the nodes that run."""
        self.run = set(reachable) if self.everything else nodes_to_run(reachable, self.targets)
        if underivable:
            self.run_underivable(reachable)
        if self.accumulate:
            self.run |= {node for node in self.targets if node is not None}
        if not self.everything:
            self.wanted = {None, *self.run, *self.targets}
            self.plain = self.run.difference(self.targets)
            leads_there = self.wanted.issuperset
            if not leads_there(reachable):
                self.plain = {node for node in self.plain if leads_there(node.parents)}

    def run_underivable(self, reachable: Iterable[Node]) -> None:
        """Add the nodes that lead to a node without a derivative that has to run: its order does not say when it was recorded."""
        known: set[Node] = set()
        while (found := self.run.intersection(underivable)) != known:
            known = found
            self.run |= nodes_to_run(reachable, self.targets | known)

    def narrowed(self, node: Node) -> Node:
        """The node; or, if some of its gradients are not wanted, a copy that computes only the others."""
        whole = self.everything or not node.narrows or self.wanted.issuperset(node.parents)
        return node if whole else narrowed(node, self.wanted)

    def capture(self, node: Node, grad: Any) -> None:
        """Store the gradient that has arrived for an input."""
        for output, g in enumerate(grad if type(grad) is list else (grad,)):
            if (node, output) in self.captured:
                self.captured[node, output] = g


def walked_by() -> int:
    """The functions of the walk, as a number: of references, whoever replaces a function would replace these as well."""
    return hash((count_dependencies, run_backward, run_node, release, push, pop, nodes_to_run))  # of their identities


OWN = walked_by()  # before anybody can have replaced one; express.py does without them
