"""A walk that nobody watches: quicker than `engine.run_backward`, and to the same effect.

`run_backward` first counts how many gradients each node waits for, so that a leaf gets its gradient as soon as that is
complete, and hooks fire in torch's order. Where there are no hooks only sums matter, and they need no counting: an
operation is always recorded later than those it uses, so of the nodes that a gradient has reached, the latest recorded
waits for no other. Leaves get theirs at the end. What is saved is mostly calls: a small operation costs no more than a few.

At the first node that somebody could watch, one with a hook or with code of the user's, `run_backward` takes over. It does
everything where one of the walk's functions has been replaced. What runs when is said there and only there.
"""

from __future__ import annotations

import functools
import operator
from contextlib import suppress
from heapq import heappop, heappush, heappushpop
from typing import Any

from ..backend import ndarray, numpy
from .accumulate import LARGE, adding, fit_all
from .engine import OWN, Buffers, count_dependencies, merge, walked_by
from .grad_mode import is_grad_enabled
from .graph import Edge, Node
from .recording import observers

FEW = 256  # elements of a leaf up to which adding its gradients one by one would be mostly calls
MOST = 256  # gradients that wait to be added up
SHAPE = operator.attrgetter("shape")


class Summands(list[Any]):
    """The gradients of a small leaf that is used many times, in the order in which they have arrived."""

    __slots__ = ()


def added_up(summands: Summands, leaf: Node) -> Any:
    """Their sum, as if each had been added to those before it, to the last digit: all in one piece of memory, which takes a
    third of the time."""
    first, count = summands[0], len(summands)
    with suppress(TypeError, ValueError, AttributeError):  # of what lies in another order, or is no array
        if first.size and [*map(SHAPE, summands)].count(leaf.shape) == count:
            together = numpy.frombuffer(b"".join(summands), first.dtype)
            if together.size == count * first.size:  # they are of one dtype
                if first.size == 1:  # NumPy does not add up a single column from top to bottom
                    return numpy.add.accumulate(together)[-1:].reshape(leaf.shape).copy()
                return numpy.add.reduce(together.reshape(count, *leaf.shape), 0, initial=-0.0)
    return functools.reduce(operator.add, summands)


def add_up(buffers: Buffers) -> None:
    """Each leaf's gradients to one."""
    for leaf, held in buffers.items():
        if type(held) is Summands:
            buffers[leaf] = added_up(held, leaf)


def run_unwatched(buffers: Buffers, retain_graph: bool) -> bool:
    """Walk with the gradients in `buffers`, {node: array}, until somebody could watch; whether that was the whole walk. If
    not, `buffers` holds what `run_backward` needs to finish it.

    After an error in a rule, as in torch, the leaves whose gradients were complete have got them.
    """
    if walked_by() != OWN or not buffers:
        return False
    for root in buffers:
        if root.ends:
            return False
    try:
        walked = walk(buffers, retain_graph, False, True)
    except Exception:
        add_to_leaves(completed(buffers))
        raise
    if walked:
        add_to_leaves(buffers)
    else:
        add_up(buffers)
    return walked


def run_towards(
    edges: list[tuple[Any, int]], buffers: Buffers, retain_graph: bool, create_graph: bool
) -> dict[Edge, Any] | None:
    """Walk until the gradients of some leaves have arrived, or somebody could watch: these gradients, or None.

    edges: where they arrive. Only where no path ends elsewhere, so that every node leads to one of them. After None, `buffers`
    holds what `run_backward` needs to finish the walk.
    """
    if walked_by() != OWN or not buffers or (create_graph and (observers or not is_grad_enabled())):
        return None
    for leaf, _ in edges:
        if leaf is None or leaf.parents or leaf.extras is not None:
            return None
    if not only_leads_to(edges, buffers):
        return None
    walked = walk(buffers, retain_graph, create_graph, False)
    add_up(buffers)
    if not walked:
        return None
    found = {}
    for edge in edges:  # a comprehension would take longer, as most calls ask for one gradient or a few
        found[edge] = buffers.get(edge[0])
    return found


def only_leads_to(edges: list[Edge], roots: Buffers) -> bool:
    """Whether all paths from the roots end in these leaves, without a root that is one of them, and without NotImplemented."""
    nodes: list[Any] = list(roots)
    known = {None, *nodes}
    for leaf, _ in edges:
        known.add(leaf)
    for node in nodes:  # the list grows on the way
        parents = node.parents
        if node.ends or not parents or (parents[0] is None and not any(parents)):
            return False
        for parent in parents:
            if parent not in known:
                known.add(parent)
                nodes.append(parent)
    return True


def walk(buffers: Buffers, retain_graph: bool, create_graph: bool, adds: bool) -> bool:
    """Run node after node, the latest recorded first, until only the ends of paths are left in `buffers`, or somebody could
    watch; whether that was the whole walk. adds: whether the gradients of leaves will be added to their `.grad`.
    """
    others, wary = queued(buffers)
    node: Any = heappop(others)[1]
    watched: Node | None = None  # the node that has reached a leaf somebody could watch
    while node is not None and watched is None:
        grad = buffers[node]
        if grad is None or node.extras is not None or (wary and node.watched):
            return False
        results: Any = node.apply_graph(grad) if create_graph else node.apply(grad)
        if not retain_graph and node.releases:
            node.saved = None
        if node.stretched is not None:
            results = fit_all(results, node.stretched)
        latest, i = None, -1  # latest: recorded of what is reached from here, perhaps; all else waits in `others`
        for parent in node.parents:
            i += 1
            if parent is None:
                continue
            result = results[i]
            if parent in buffers:
                if result is not None:
                    held = buffers[parent]
                    kind = type(held)
                    if kind is Summands and len(held) < MOST:
                        held.append(result)
                    elif held is None or kind is list or kind is Summands:
                        buffers[parent] = joined(node, i, parent, held, result, grad)
                    elif create_graph or (size := held.size) < LARGE:
                        few = parent.ends and kind is ndarray and size <= FEW
                        buffers[parent] = Summands((held, result)) if few else held + result
                    else:  # NumPy overwrites either of the two that nothing else holds
                        held, result, results = None, None, [*results]
                        buffers[parent] = buffers.pop(parent) + results.pop(i)
                        results.insert(i, None)
                continue
            if parent.plain:
                buffers[parent] = result
            elif not parent.ends:
                buffers[parent] = joined(node, i, parent, None, result, grad)
                wary = wary or parent.watched
            else:  # the end of a path, or NotImplemented, which refuses as early as it can
                buffers[parent] = parent.receive(result, 0, True) if adds and result is grad else result
                if adds and parent.is_urgent():
                    watched = node
                continue
            if latest is None:
                latest = parent
            else:
                heappush(others, (parent.order, parent))
        del buffers[node]
        if others:
            node = heappop(others)[1] if latest is None else heappushpop(others, (latest.order, latest))[1]
        else:
            node = latest
    if watched is not None:
        add_to_leaves(seen(buffers, watched))
    return watched is None


def queued(buffers: Buffers) -> tuple[list[Any], bool]:
    """The nodes to run as a heap, the latest recorded first; and whether one of them runs the user's code, none of which is
    `plain`."""
    others: list[Any] = []
    wary = False
    for root in buffers:
        heappush(others, (root.order, root))  # orders differ, so nodes are never compared
        wary = wary or root.watched
    return others, wary


def completed(buffers: Buffers) -> Buffers:
    """The leaves in `buffers` that wait for nothing from the nodes there, which have still to run."""
    waiting = count_dependencies([each for each in buffers if each.parents])
    return {leaf: grad for leaf, grad in buffers.items() if leaf not in waiting}


def seen(buffers: Buffers, node: Node) -> Buffers:
    """Take from `buffers` the leaves that were completed before `node` ran, if it has reached one that looks at them.

    The leaves that it has completed stay, at the end, in the order in which `run_backward` would find them complete.
    """
    leaves = [parent for parent in node.parents if parent is not None and not parent.parents]
    if not any(leaf.extras is not None for leaf in leaves):
        return {}
    for parent in node.parents:
        if parent in buffers:
            buffers[parent] = buffers.pop(parent)
    return {leaf: buffers.pop(leaf) for leaf in completed(buffers) if leaf not in leaves}


def joined(node: Node, i: int, parent: Node, held: Any, result: Any, grad: Any) -> Any:
    """What `parent` holds after the result of `node` for its input i; held: what it held before, grad: what `node` got."""
    if result is None:
        return held
    if type(held) is Summands:
        return Summands((added_up(held, parent), result))
    if held is not None:
        return merge(parent, held, result, node.number(i))
    if parent.plain:
        return result
    return parent.receive(result, node.number(i), result is grad)


def add_to_leaves(buffers: Buffers) -> None:
    """Add their gradients to the leaves in `buffers`."""
    if not buffers:
        return
    leaf: Any
    with adding:
        for leaf, grad in buffers.items():
            if grad is not None:
                leaf.add(grad if type(grad) is not Summands else added_up(grad, leaf))
