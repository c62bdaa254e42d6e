"""State of a whole walk: which walk this thread is in, and hooks on several tensors that fire once per walk."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import get_ident
from typing import Any

from ..tensor import Tensor
from . import anomaly, engine
from .accumulate import gradient_edge
from .graph import Node
from .hooks import RemovableHandle

CAPTURED_LEAF = (
    "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is currently "
    "not supported."
)
_ids = itertools.count().__next__


class Walk:
    """One running backward: its number, its roots (single_root: it was given one only) and its task. Inside `with`, it is this
    thread's; a walk that a hook starts comes on top of it, one step deeper. undo: what to call at its end, if a hook
    has left a mode on."""

    __slots__ = ("id", "roots", "single_root", "task", "outer", "depth", "running", "undo", "_reachable")

    def __init__(self, roots: tuple[Node, ...], task: engine.Task | None, single_root: bool) -> None:
        self.id = _ids()
        self.roots = roots
        self.single_root = single_root
        self.task = task
        self.outer: Walk | None = None
        self.depth: int
        self.running: Node | None
        self.undo: Callable[[], None] | None = None
        self._reachable: Any = None

    def __enter__(self) -> None:
        thread = get_ident()
        self.outer = walks.get(thread)
        self.depth = 0 if self.outer is None else self.outer.depth + 1
        self.running = anomaly.running.get(thread)  # the node of the outer walk in which this one was started
        walks[thread] = self

    def __exit__(self, *exception: object) -> None:
        if self.outer is None:
            del walks[get_ident()]
        else:
            walks[get_ident()] = self.outer
        if self.running is None:
            anomaly.running.pop(get_ident(), None)
        else:
            anomaly.running[get_ident()] = self.running
        if self.undo is not None:
            self.undo()

    def will_run(self, node: Node) -> bool:
        """Whether a gradient for this node is part of the walk; RuntimeError, as in torch, for a leaf whose gradient
        autograd.grad captures."""
        if self._reachable is None:
            self._reachable = engine.count_dependencies(self.roots)
            if self.single_root:  # torch does not count it among what the walk reaches
                del self._reachable[self.roots[0]]
        if node not in self._reachable or self.task is None or self.task.everything:
            return node in self._reachable
        if not self.task.accumulate and node in self.task.targets and not node.parents:
            raise RuntimeError(CAPTURED_LEAF)
        return node in self.task.run or node in self.task.targets


walks: dict[int, Walk] = {}  # by thread; nearly always empty: cheap to ask


def current_walk() -> Walk:
    """The innermost backward that this thread is in."""
    return walks[get_ident()]


def running_walk() -> Walk | None:
    """The innermost backward that this thread is in, if it is in one."""
    return walks.get(get_ident())


DEEPEST = 25  # nested walks per thread: each may take twenty stack frames, and Python allows a thousand


def too_deep() -> bool:
    """Whether this thread is inside so many walks that the next one should have a thread of its own (`reentrant.py`)."""
    walk = running_walk()
    return walk is not None and walk.depth >= DEEPEST


def running_walks() -> Iterator[Walk]:
    """All running walks, in any thread, with the walks they are nested in."""
    for walk in tuple(walks.values()):
        each: Walk | None = walk
        while each is not None:
            yield each
            each = each.outer


def over(ids: Iterable[int]) -> set[int]:
    """Which of these walks, by number, have ended."""
    return set(ids) - {each.id for each in running_walks()}


class _MultiHandle:
    """A handle that removes several hooks."""

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        """Take all the hooks out."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> _MultiHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


def register_multi_grad_hook(tensors: Sequence[Tensor], fn: Callable[..., None], *, mode: str = "all") -> Any:
    """A hook on several tensors that fires once in every backward.

    mode "all": fn(grads) when the gradients of all tensors that the walk reaches are there; None for the others.
    mode "any": fn(grad) with whichever comes first. Returns a handle with remove().
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    if mode == "any":
        return _MultiHandle([t.register_hook(hook) for hook in [_first_only(fn)] for t in tensors if t.requires_grad])
    nodes = [gradient_edge(t)[0] for t in tensors]
    if None in nodes:
        raise AssertionError("Expected gradient function to be set")
    arrived: dict[int, dict[int, Any]] = {}  # by walk, then by place among the tensors

    def get_inner_hook(place: int) -> Callable[[Any], None]:  # warnings show these names
        def inner_hook(grad: Any) -> None:
            walk = current_walk()
            if walk.id not in arrived:
                for past in over(arrived):  # a hook broke them off before all gradients were there
                    arrived.pop(past, None)
            grads = arrived.setdefault(walk.id, {})
            grads[place] = grad
            if len(grads) == sum(walk.will_run(node) for node in nodes if node is not None):
                fn([grads.get(i) for i in range(len(nodes))])
                del arrived[walk.id]

        return inner_hook

    return _MultiHandle([t.register_hook(get_inner_hook(i)) for i, t in enumerate(tensors)])


def _first_only(fn: Callable[[Any], None]) -> Callable[[Any], None]:
    """fn, called once in each walk."""
    seen: set[int] = set()

    @functools.wraps(fn)
    def hook(grad: Any) -> None:
        walk = current_walk()
        if walk.id not in seen:
            seen.difference_update(over(seen))
            seen.add(walk.id)
            fn(grad)

    return hook
