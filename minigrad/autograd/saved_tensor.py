"""A node's saved values as tensors, and a handle on one, as torch shows it under `_raw_saved_…`, which takes hooks.

Hooks on all that is saved inside a block are in `saved.py`.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from ..errors import SECOND_BACKWARD
from ..tensor import from_array
from .graph import LAST, NO_EDGE, Node, Packed, SavedResult

FREED = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are freed when "
    "you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second "
    "time or if you need to access saved variables after calling backward."
)
NONE = "Calling register_hooks on a saved tensor with value None is forbidden"
TWICE = (
    "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks is allowed at "
    "a time."
)


def unpacked(node: Node, value: SavedResult | Packed) -> Any:
    """A node's own result, or what hooks have packed, as a tensor with its history."""
    if type(value) is Packed and value.edge is NO_EDGE:
        return value.tensor
    data = value._data
    edge = value.edge if isinstance(value, Packed) and value.edge else (node, value.output)
    edge = edge if data.dtype.kind == "f" else NO_EDGE
    if edge[0] is None or edge[0].order != -LAST or edge[0].parents:
        return from_array(data, edge, value._counter)
    leaf = from_array(data, None)
    leaf._accumulator = weakref.ref(edge[0])
    return leaf


def show_saved(node: Node, index: int) -> Any:
    """A saved value, as torch shows it; RuntimeError if it is a tensor that is released or was overwritten."""
    if node.saved is None:
        return show_released(node, node.saves[index])
    value = node.saved[index]
    if value is not None and value._counter is not None:
        node.check_saved(index, value, shown=True)
    return None if value is None else node.saved_tensor(value)


def show_released(node: Node, name: str) -> Any:
    """A saved value after the release, which leaves what is no tensor; None where none was saved."""
    if name in node.plain_values and (kept := node.settings[node.plain_values.index(name)]) is not None:
        return kept._data
    takers = [parent for names, parent in zip(node.needs, node.parents, strict=False) if name in names]
    if 0 < len(takers) < len(node.needs) and not any(takers):  # no rule that takes it was wanted
        return None
    raise RuntimeError(SECOND_BACKWARD)


class SavedTensor:
    """The saved value of `node` in place `index`."""

    __slots__ = ("node", "index")

    def __init__(self, node: Node, index: int) -> None:
        self.node = node
        self.index = index

    def __repr__(self) -> str:
        return f"<torch._C._autograd.SavedTensor object at {id(self):#x}>"

    @property
    def data(self) -> Any:
        """The tensor, as the node shows it."""
        return self.node.show_saved(self.index)

    def register_hooks(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        """Keep pack_hook(tensor) instead of the tensor, from now on; unpack_hook(that) gives it back when it is needed.

        RuntimeError where nothing is saved, no longer, or under hooks already.
        """
        from .hooks import extras_of  # which builds on tensors, as does saved.py
        from .saved import packed

        if not (callable(pack_hook) and callable(unpack_hook)):
            raise TypeError("register_hooks(): incompatible function arguments. Both hooks must be callable.")
        saved = self.node.saved
        if saved is None:
            raise RuntimeError(FREED)
        value = saved[self.index]
        if value is None:
            raise RuntimeError(NONE)
        if isinstance(value, Packed):
            raise RuntimeError(TWICE)
        own = isinstance(value, SavedResult)  # torch shows the node's own output without its history
        kept = packed(self.node, value, (lambda t: pack_hook(t.detach())) if own else pack_hook, unpack_hook)
        self.node.saved = (*saved[: self.index], kept, *saved[self.index + 1 :])
        extras_of(self.node)  # unpacking it is code of the user's
