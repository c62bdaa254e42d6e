"""allow_mutation_on_saved_tensors: what is saved for backward may be written in place, and is copied just before.

Nothing is copied as long as nothing is written. Whether a write may hit a saved tensor is asked of the memory they lie in.
(torch asks where the two begin, and so misses a write through a view that begins elsewhere.)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary, WeakSet

from ..backend import address
from ..tensor import Tensor
from .grad_mode import no_grad
from .recording import before_write
from .saved import saved_tensors_hooks

OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
    "in which the graph was originally recorded."
)
NESTED = "allow_mutation_on_saved_tensors contexts cannot be nested"
_entered: list[bool] = []


class _Handle:
    """What a node keeps in a saved tensor's place."""

    __slots__ = ("__weakref__",)


class _AllowMutationOnSavedContext:
    """The saved tensors, by their handles: as they are (original), or the copies made before a write (cloned)."""

    def __init__(self) -> None:
        self.cloned: WeakKeyDictionary[_Handle, Tensor] = WeakKeyDictionary()
        self.original: WeakKeyDictionary[_Handle, Tensor] = WeakKeyDictionary()
        self._in_memory: dict[int, WeakSet[_Handle]] = {}  # by its place

    def pack(self, tensor: Tensor) -> _Handle:
        """Keep a saved tensor; one that is saved already has its handle."""
        handles = self._in_memory.setdefault(place(tensor), WeakSet())
        for known in handles:
            if self.original.get(known) is tensor:
                return known
        handle = _Handle()
        handles.add(handle)
        self.original[handle] = tensor
        return handle

    def unpack(self, handle: _Handle) -> Tensor:
        """The values as they were saved."""
        found = self.cloned.get(handle, self.original.get(handle)) if _entered else None
        if found is None:
            raise AssertionError(OUTSIDE)
        return found

    def keep(self, written: Tensor) -> None:
        """Copy what is saved in the memory that is about to be written."""
        for handle in tuple(self._in_memory.pop(place(written), ())):
            saved = self.original.pop(handle)
            with no_grad():
                self.cloned[handle] = saved.clone()

    def clear(self) -> None:
        """Forget everything."""
        self.cloned.clear()
        self.original.clear()
        self._in_memory.clear()


def place(tensor: Tensor) -> int:
    """What tells the memory a tensor lies in from all other: on the host the object that owns it, on a GPU its address."""
    array = tensor.storage()
    while getattr(array, "base", None) is not None:
        array = array.base
    return address(array) if hasattr(array, "__cuda_array_interface__") else id(array)


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_AllowMutationOnSavedContext]:
    """Inside, forward and backward, tensors that are saved for backward may be written in place: backward has the values
    that were saved. Gives the context that keeps them, for looking at; it is cleared at the end.

    Example: with allow_mutation_on_saved_tensors(): y = (b**2).sum(); b.sin_(); y.backward()  → the gradient is 2b as it was
    """
    context = _AllowMutationOnSavedContext()
    with saved_tensors_hooks(context.pack, context.unpack):
        if _entered:
            raise RuntimeError(NESTED)
        _entered.append(True)
        before_write.append(context.keep)
        try:
            yield context
        finally:
            before_write.remove(context.keep)
            _entered.clear()
            context.clear()
