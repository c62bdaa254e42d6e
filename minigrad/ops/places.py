"""An index that is recorded: arrays for the rules, with the tensors that they were made of, to which no one may write until
backward has run. Pack hooks have these tensors, and a node shows them.

How an index is taken apart is in `index.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..autograd.graph import INFERENCE, NO_EDGE, Constant
from ..autograd.recording import observers
from ..backend import numpy
from ..errors import INFERENCE_SAVED
from ..tensor import Tensor, from_array


class Places(tuple[Any, ...]):
    """An index as arrays (None: a whole dimension), and the tensors that these are of."""

    tensors: tuple[Tensor, ...] = ()

    def to_save(self) -> SavedPlaces:
        """What a node keeps of it."""
        return SavedPlaces(self)

    def as_given(self) -> tuple[Tensor | None, ...]:
        """The tensors, a mask as one; None for the dimensions before and between them that are whole."""
        if len(arrays_of(self.tensors)) != sum(array is not None for array in self):  # lists are among them
            return tuple([None if array is None else self.tensor_of(array) for array in self])
        tensors, rest = iter(self.tensors), 0
        found: list[Tensor | None] = []
        for array in self:
            if array is None:
                found.append(None)
            elif rest:
                rest -= 1
            else:
                found.append(tensor := next(tensors))
                rest = len(arrays_of([tensor])) - 1
        return tuple(found)

    def tensor_of(self, array: Any) -> Tensor:
        """The tensor that an array is of, or else a new one."""
        return next((t for t in self.tensors if t._data is array), from_array(array))


def watched(arrays: tuple[Any, ...], parts: Sequence[Any], *inputs: Tensor) -> tuple[Any, ...]:
    """An index with the tensors among its parts, to which no one may write until backward has run; as arrays alone where none
    of the inputs wants a gradient."""
    if all(t._edge is NO_EDGE for t in inputs):
        return arrays
    places = Places(arrays)
    places.tensors = tuple([part for part in parts if isinstance(part, Tensor) and part._data.ndim])
    if observers:  # which see the tensors that lists become, too
        each = [array for array in arrays if array is not None]
        if len(arrays_of(places.tensors)) != len(each):
            places.tensors = tuple(map(from_array, each))
    return places


def arrays_of(tensors: Sequence[Tensor]) -> list[Any]:
    """What tensors index by: whole numbers as they are, a mask by an array for each of its dimensions."""
    found: list[Any] = []
    for array in [t._data for t in tensors]:
        mask = array.dtype.kind == "b" or array.dtype == numpy.uint8
        found += array.nonzero() if mask else (array,)
    return found


def copied(arrays: tuple[Any, ...]) -> tuple[Any, ...]:
    """An index that keeps its values, whatever is written to the tensors that it was made of."""
    return tuple([None if array is None else array.copy() for array in arrays])


class SavedPlaces(Constant):
    """An index that a node has saved: arrays for its rule, and their tensors, for it is their own counter of the writes to
    them since."""

    __slots__ = ("seen",)
    detached = False

    def __init__(self, places: Places) -> None:
        super().__init__(places)
        self.seen = [(t, t.counter().version) for t in places.tensors]
        if any(version == INFERENCE.version for _, version in self.seen):
            raise RuntimeError(INFERENCE_SAVED)

    @property
    def _counter(self) -> Any:  # type: ignore[override]  # as an attribute it would be a cycle
        return self

    @property
    def version(self) -> int:
        """How many of the tensors have been written."""
        return sum(tensor._version != before for tensor, before in self.seen)

    _version = version

    def written(self) -> tuple[Any, int, int]:
        """The first of the tensors that has been written, its version, and that at saving."""
        return next((tensor, tensor._version, before) for tensor, before in self.seen if tensor._version != before)

    def packed_by(self, pack: Callable[[Tensor], Any]) -> PackedPlaces:
        """These places with their tensors packed."""
        return PackedPlaces(self._data, [pack(tensor) for tensor, _ in self.seen])


class PackedPlaces(Constant):
    """An index whose tensors a pack hook has taken: each read has them unpacked."""

    __slots__ = ("places", "packs")

    def __init__(self, places: Places, packs: list[Any]) -> None:
        self.places, self.packs = places, packs

    @property
    def _data(self) -> Any:
        arrays = iter(arrays_of([pack.tensor for pack in self.packs]))
        return tuple([None if place is None else next(arrays) for place in self.places])
