"""What goes on while operations are recorded: the sequence number, derivative rules being recorded, modes that look on.

What a node holds stands in `graph.py`; whether operations are recorded at all, in `grad_mode.py`.
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
ruling: set[int] = set()  # the threads in which a derivative rule is being recorded
observers: list[Callable[[Node], None]] = []  # the modes that look at every new node; empty while none is on

writing: dict[int, Any] = {}  # by thread: the tensor that the operation being recorded will write into, if one looks on
before_write: list[Callable[[Any], None]] = []  # the modes that are told of a tensor before it is written into

refusing: WeakSet[Node] = WeakSet()  # nodes without a derivative, whose `order` does not tell when they were recorded


def observed(node: Node, out: Any = None) -> Any:
    """Show a new node to the modes that are on: detect_anomaly, saved_tensors_hooks. Gives `out` back."""
    for look in observers:
        look(node)
    return out


def announced(tensor: Any, operation: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call an operation whose result will be written into `tensor`; the modes that look on can ask for that."""
    me = get_ident()
    outer = writing.get(me)
    writing[me] = tensor
    try:
        return operation(tensor, *args, **kwargs)
    finally:
        writing[me] = outer


def as_rule(call: Callable[..., Any], *args: Any) -> Any:
    """Call what records a derivative rule. Numbers in it are recorded as in torch's own C++ code: MulBackward1."""
    me = get_ident()
    inner = me in ruling
    ruling.add(me)
    try:
        return call(*args)
    finally:
        if not inner:
            ruling.discard(me)
