"""Saved-tensor hooks: what a node saves for backward may be kept in another form, in another place, or not at all.

Inside `saved_tensors_hooks(pack, unpack)` every tensor that a node saves is handed to `pack`; the node keeps what
comes back, and hands that to `unpack` when backward needs the values. Numbers and shapes are kept as they are. The
hooks belong to the thread; of nested ones only the innermost run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import get_ident
from typing import Any

from ..tensor import Tensor, from_array
from .accumulate import gradient_edge
from .grad_mode import no_grad
from .graph import Node, Packed, SavedResult
from .hooks import extras_of
from .recording import observers, writing
from .walk import running_walk

Pair = tuple[Callable[[Tensor], Any], Callable[[Any], Any]]

MODIFYING = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
    "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to "
    "perform in-place operations on the input to a pack hook."
)


class _OfThread(threading.local):
    def __init__(self) -> None:
        self.pairs: list[Pair] = []
        self.refusal: str | None = None


_mine = _OfThread()


class saved_tensors_hooks:
    """Context manager: pack_hook(tensor) → anything, when a node saves; unpack_hook(that) → tensor, when it needs it.

    Example: with saved_tensors_hooks(lambda t: t.numpy(force=True), torch.from_numpy): y = x * x
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        if _mine.refusal is not None:
            raise RuntimeError(_mine.refusal)
        if not (callable(self.pack_hook) and callable(self.unpack_hook)):
            raise TypeError(
                "_push_saved_tensors_default_hooks(): incompatible function arguments. Both hooks must be callable."
            )
        put_back_later()
        _mine.pairs.append((self.pack_hook, self.unpack_hook))
        observers.append(pack_saved)

    def __exit__(self, *exception: object) -> None:
        put_back_later()
        _mine.pairs.pop()
        observers.remove(pack_saved)


def hooks_in_use() -> tuple[Pair, ...]:
    """This thread's hooks, the outermost first."""
    return tuple(_mine.pairs)


def put_back_later() -> None:
    """Inside a walk: what a hook of the user's switches on or off is, when the walk ends, as it was before."""
    walk = running_walk()
    if walk is not None and walk.undo is None:
        walk.undo = partial(put_back, hooks_in_use())


def put_back(pairs: tuple[Pair, ...]) -> None:
    """Make these the thread's hooks."""
    for _ in _mine.pairs:
        observers.remove(pack_saved)
    _mine.pairs[:] = pairs
    observers.extend([pack_saved] * len(pairs))


class save_on_cpu(saved_tensors_hooks):  # noqa: N801 (torch's name)
    """Context manager: saved tensors wait in host memory, and go back to their device for backward."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(
            lambda t: (t.device, t.cpu().clone() if pin_memory else t.cpu()), lambda kept: kept[1].to(kept[0])
        )


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Inside, saved_tensors_hooks raises RuntimeError with this message."""
    if _mine.pairs:
        raise RuntimeError(error_message)
    before, _mine.refusal = _mine.refusal, error_message
    try:
        yield
    finally:
        _mine.refusal = before


def pack_saved(node: Node) -> None:
    """Let this thread's innermost pack hook have every tensor that a new node has saved, by name as torch does.

    Of what the operation will write into it gets a copy, as it is before; of the result, what has been written: so that
    waits until `inplace.adopt` calls once more.
    """
    if _mine.pairs and node.saved:
        pack, unpack = _mine.pairs[-1]
        written = writing.get(get_ident())
        saved = list(node.saved)
        for place in packing_order(node, saved):
            value = saved[place]
            if written is not None and isinstance(value, SavedResult):
                continue
            if value is written and isinstance(value, Tensor) and node.saves[place] in ("self", "input"):
                value = from_array(value._data.copy(), value._edge)
            saved[place] = packed(node, value, pack, unpack)
        node.saved = tuple(saved)
        extras_of(node).packed = True  # unpacking them is code of the user's


def packing_order(node: Node, saved: list[Any]) -> list[int]:
    """The places of a node's saved values in the order in which torch packs them: a Function's as its ctx was given them; of
    other nodes the results last, and each kind by name."""
    by_name = node.saves
    return sorted(
        range(len(saved)), key=lambda i: (isinstance(saved[i], SavedResult), by_name[i : i + 1]) if by_name else i
    )


def packed(node: Node, value: Any, pack: Callable[[Tensor], Any], unpack: Callable[[Any], Any]) -> Any:
    """A saved tensor, packed; any other saved value as it is."""
    if not isinstance(value, Tensor | SavedResult):
        if not hasattr(value, "packed_by"):
            return value
        return value.packed_by(lambda tensor: packed(node, tensor, pack, unpack))  # the tensors of an index
    tensor = node.saved_tensor(value)
    version = tensor._version
    with no_grad():
        kept = pack(tensor)
    if tensor._version != version:
        raise RuntimeError(MODIFYING)
    if isinstance(value, SavedResult):
        return Packed(kept, unpack, None, value.output)
    return Packed(kept, unpack, gradient_edge(value))
