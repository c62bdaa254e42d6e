"""State while operations are recorded: the sequence number, derivative rules being recorded, modes that watch new nodes.

For what a node holds, see `graph.py`; for whether operations are recorded at all, `grad_mode.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from threading import get_ident
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

if TYPE_CHECKING:
    from .graph import Node

next_order = count(0, -1).__next__  # minus the sequence number of the next node
recording_rules: set[int] = set()  # the threads in which a derivative rule is being recorded
observers: list[Callable[[Node], None]] = []  # modes that are called with every new node; empty while none is on

writing: dict[int, Any] = {}  # by thread: the tensor that the operation being recorded will write into, for observers
before_write: list[Callable[[Any], None]] = []  # modes that are called with a tensor before it is written into

# Nodes without a derivative, whose `order` does not tell when they were recorded.
underivable: WeakSet[Node] = WeakSet()


def show_observers(node: Node, out: Any = None) -> Any:
    """Show a new node to the modes that are on: detect_anomaly, saved_tensors_hooks. Returns `out`, the operation's result or
    results."""
    for each in out if type(out) is tuple else (out,):
        if each is not None:
            each.storage()  # what a pack hook keeps of a number shares memory with it, as of anything else
    for look in observers:
        look(node)
    return out


def with_target(tensor: Any, operation: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call an operation whose result will be written into `tensor`, which observers can look up in `writing`."""
    me = get_ident()
    outer = writing.get(me)
    writing[me] = tensor
    try:
        return operation(tensor, *args, **kwargs)
    finally:
        if outer is None:
            del writing[me]
        else:
            writing[me] = outer


def as_rule(call: Callable[..., Any], *args: Any) -> Any:
    """Call a function that records a derivative rule. Numbers in it are recorded as in torch's own C++ code: MulBackward1."""
    me = get_ident()
    inner = me in recording_rules
    try:
        recording_rules.add(me)
        return call(*args)
    finally:
        if not inner:
            recording_rules.discard(me)
