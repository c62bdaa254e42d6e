"""as_strided: a view by steps in memory, over whatever the storage holds. And the storage itself, as torch shows it.

The only view whose elements need not be its base's: they are found by their places in the storage, and so are those that
their gradients go back to.
"""

from __future__ import annotations

import math
from typing import Any

from .. import rules
from ..backend import address, array_module, numpy, to_host
from ..strides import restrided
from ..tensor import Tensor, from_array
from .arguments import Int, IntList, as_int
from .define import Op
from .protocols import storage_of

Geometry = tuple[tuple[int, ...], tuple[int, ...], int]  # a shape, and steps and offset in elements


def geometry(x: Any) -> Geometry:
    """Where in its storage an array lies."""
    return x.shape, tuple([s // x.itemsize for s in x.strides]), (address(x) - address(storage_of(x))) // x.itemsize


def flat(whole: Any) -> Any:
    """The elements of an array that owns its memory, as they lie there: a view, for there are no gaps."""
    return whole.transpose(sorted(range(whole.ndim), key=lambda d: -whole.strides[d])).reshape(-1)


def places(shape: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Any:
    """The place in the storage of every element, int64 of that shape."""
    found = numpy.asarray(offset)
    for n, step in zip(shape, stride, strict=True):
        found = found[..., None] + numpy.arange(n) * step
    return found


def as_strided_vjp(
    grad: Any, within: Geometry, size: tuple[int, ...], stride: tuple[int, ...], storage_offset: int | None
) -> Any:
    """z = elements of self's storage: each gradient is added at its place in a storage of zeros, of which self's own places
    are then taken; where several elements of self are one place they share what is there.

    within: where self lies. torch: as_strided_backward (FunctionsManual.cpp).
    """
    shape, steps, begin = within
    mine = places(*within)
    theirs = places(size, stride, begin if storage_offset is None else storage_offset)
    if not mine.size or not theirs.size:
        return rules.zeros(grad, shape)
    first = min(mine.min(), theirs.min())
    count = int(max(mine.max(), theirs.max()) - first) + 1
    module = array_module(rules.raw(grad))
    index = module.asarray(theirs.reshape(-1) - first)
    storage = rules.scatter_index(rules.reshape(grad, (-1,)), (count,), (index,))
    sharing = numpy.bincount(mine.reshape(-1) - first, minlength=count)
    if (sharing > 1).any():
        storage = storage / module.asarray(sharing.clip(1).astype(rules.raw_dtype(grad)))
    whole: Geometry = ((count,), (1,), 0)
    return as_strided_op.of(storage, within=whole, size=shape, stride=steps, storage_offset=int(begin - first))


def _as_strided(
    x: Any, within: Geometry, size: tuple[int, ...], stride: tuple[int, ...], storage_offset: int | None
) -> Any:
    if geometry(x) != within:  # a gradient, say, of a base that lies in memory otherwise
        raise NotImplementedError(
            "minigrad 里没有：原地改写一个 as_strided 视图，而它的本体在内存里不是按下标的次序放的 · "
            "minigrad has no writes in place to an as_strided view of a tensor that does not lie in the order of its indices"
        )
    begin = within[2] if storage_offset is None else storage_offset
    return restrided(flat(storage_of(x))[begin:], size, [step * x.itemsize for step in stride])


as_strided_op = Op("AsStridedBackward0", _as_strided, view=True, self=as_strided_vjp)


def as_strided(input: Tensor, size: IntList, stride: IntList, storage_offset: Int | None = None) -> Tensor:
    """A view with any sizes and steps, in elements, into the tensor's storage (torch.as_strided).

    storage_offset: the place of its first element; the tensor's own by default. RuntimeError outside of the storage.
    """
    x = input.storage()
    shape, steps, within = tuple(map(as_int, size)), tuple(map(as_int, stride)), geometry(x)
    begin = within[2] if storage_offset is None else as_int(storage_offset)
    if len(shape) != len(steps):
        raise RuntimeError("mismatch in length of strides and shape")
    if min(steps, default=0) < 0:
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(steps)}")
    if min(shape, default=0) < 0:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)} and strides={list(steps)}")
    if begin < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {begin}")
    needed = (1 + begin + sum((n - 1) * step for n, step in zip(shape, steps, strict=True))) * x.itemsize
    if math.prod(shape) and needed > (whole := storage_of(x).nbytes):
        raise RuntimeError(
            f"setStorage: sizes {list(shape)}, strides {list(steps)}, storage offset {begin}, and itemsize {x.itemsize} "
            f"requiring a storage size of {needed} are out of bounds for storage of size {whole}"
        )
    given = None if storage_offset is None else begin
    return as_strided_op(input, within=within, size=shape, stride=steps, storage_offset=given)


class UntypedStorage:
    """The bytes that a tensor and its views share (torch.UntypedStorage)."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def data_ptr(self) -> int:
        """The address of the first byte; 0 if there is none."""
        return address(self._array) if self._array.size else 0

    def nbytes(self) -> int:
        """How many bytes there are."""
        return int(self._array.nbytes)

    size = __len__ = nbytes

    @property
    def device(self) -> Any:
        """Where they are."""
        return from_array(self._array).device

    def tolist(self) -> list[int]:
        """The bytes, as ints."""
        return list(flat(to_host(self._array)).tobytes())

    def __getitem__(self, index: int) -> int:
        return self.tolist()[index]

    def __repr__(self) -> str:
        rows = "\n ".join(map(str, self.tolist()))
        return f" {rows}\n[torch.storage.UntypedStorage(device={self.device}) of size {len(self)}]"


def untyped_storage(self: Tensor) -> UntypedStorage:
    """The bytes that hold the tensor's elements, and those of its views."""
    return UntypedStorage(storage_of(self.storage()))
