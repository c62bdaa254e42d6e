"""self[index] = value and index_put: what an index names is written in place, and recorded.

How an index is taken apart is in `index.py`.
"""

from __future__ import annotations

import functools
import warnings
from contextlib import nullcontext
from typing import Any

from ..autograd.grad_mode import records
from ..autograd.graph import INFERENCE, NO_EDGE
from ..autograd.recording import before_write
from ..backend import array_module, ndarray, numpy, putmask, repeats
from ..dtypes import element, filling
from ..tensor import Tensor, from_array
from .arguments import Bool, Tensors, as_tensors, type_name
from .index import (
    as_array,
    as_part,
    as_parts,
    checked,
    getitem,
    is_mask,
    put_op,
    put_through_op,
    same_dtype,
    take_apart,
)
from .inplace import check_memory, check_overlap, check_writable, is_same_place, owner, refresh, write
from .places import watched
from .promotion import PLAIN, differentiable, differentiable_inplace, same_device
from .validate import flag


def setitem(self: Tensor, index: Any, value: Any) -> None:
    """self[index] = value, in place and recorded: the written part belongs to `value` from now on."""
    if set_at_once(self, index, value):
        return
    value = as_value(self, value)
    if index is False:
        return
    if index is True:
        put(self.unsqueeze(0), value)
        return
    nothing = type(index) is tuple and not index
    if nothing or index is Ellipsis or (isinstance(index, slice) and index == slice(None) and self._data.ndim):
        put(self, value)
        return
    if not self._data.ndim and isinstance(index, int | slice) and not isinstance(index, bool):
        getitem(self, index)  # refuses with torch's words
    of_bytes = value._data.size == 1 and byte_mask(index)
    with warnings.catch_warnings() if of_bytes else nullcontext():
        if of_bytes:
            warnings.simplefilter("ignore", UserWarning)  # that it is deprecated; it will be refused
        parts = as_parts(index)
    view, indices, masks = take_apart(self, parts)
    if not indices:
        put(view, value)
        return
    check_writable(view, (value,))
    if ones := leading_ones(value._data.shape):
        value = value.view(value._data.shape[ones:])
    fills = is_mask(indices, masks) and not value._data.ndim
    check_memory(view, "index_put")
    if not fills:
        check_overlap(view, value, True)
    places = checked(view, indices, masks, value)
    if fills:
        check_memory(view, "masked_fill")
    if of_bytes:  # several numbers may be written under one
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype unsigned char")
    places = watched(places, index if type(index) is tuple else (index,), view, value)
    write(view, put_op_into(view)(view, value, indices=places, accumulate=False))


def put_op_into(tensor: Tensor) -> Any:
    """The operation whose result is to be written into the tensor itself."""
    data = tensor.storage()
    return put_through_op if 0 in data.strides and repeats(data) else put_op


def byte_mask(index: Any) -> bool:
    """Whether an index picks by a mask of bytes, and by nothing else."""
    parts = index if isinstance(index, tuple) else (index,)
    picking = [part for part in parts if isinstance(part, Tensor | ndarray | list | bool)]
    mask = picking[0]._data if len(picking) == 1 and isinstance(picking[0], Tensor) else None
    return mask is not None and mask.ndim > 0 and mask.dtype == numpy.uint8


SAFE = 2**53  # up to which every whole number is a float


def set_at_once(self: Tensor, index: Any, value: Any) -> bool:
    """Write a number, or a tensor of that dtype, where nothing is recorded and the index is made of whole numbers and slices,
    for which no views need be made; or a number where a mask says so. Whether it was done: what does not fit is left to be
    refused in torch's words."""
    data, recording = self._data, records()
    if (
        type(data) is not ndarray
        or before_write
        or self._counter is INFERENCE
        or (self._edge is not NO_EDGE and recording)
    ):
        return False
    mask = index._data if type(index) is Tensor else None
    try:
        place = place_of(index, data) if mask is None else data
        if place is None or 0 in place.strides:
            return False
        if type(value) in PLAIN and abs(value) < SAFE and data.dtype.char in "fdilhbB":
            found = element(value, data.dtype)
        elif mask is None and isinstance(value, Tensor) and (value._edge is NO_EDGE or not recording):
            found = value._data
            if found.dtype is not data.dtype or (owner(found) is owner(data) and not is_same_place(place, found)):
                return False
        else:
            return False
        if mask is None:
            place[...] = found
        elif type(mask) is ndarray and mask.dtype.kind == "b" and mask.shape == data.shape:
            putmask(place, mask, found)
        else:
            return False
    except (IndexError, ValueError, TypeError):
        return False
    self.bump_version()
    refresh(self)
    return True


def place_of(index: Any, data: Any) -> Any:
    """The part of an array that whole numbers and slices name, as a view; None for an index of anything else."""
    parts = index if type(index) is tuple else (index,)
    for part in parts:
        if type(part) is not int and not (type(part) is slice and part.step is None):
            return None
    return data[(*parts, ...)]


def delitem(self: Tensor, index: Any) -> None:
    """TypeError: a tensor has as many elements as it has."""
    raise TypeError("Tensor does not support deleting items")


def as_value(self: Tensor, value: Any) -> Tensor:
    """What is to be written, as a tensor; TypeError for what is no number."""
    if isinstance(value, Tensor):
        return value
    if not isinstance(value, bool | int | float | numpy.integer):
        raise TypeError(f"can't assign a {type_name(value)} to a {self.type()}")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ValueError("Overflow when unpacking long long")
    number = value if isinstance(value, float) else int(value)
    return from_array(array_module(self._data).asarray(filling(number, self._data.dtype)))


def put(view: Tensor, value: Tensor) -> None:
    """Write value over a whole view: one number fills it; else, without leading dimensions of size 1, it is stretched."""
    shape, wanted = value._data.shape, view._data.shape
    if shape != wanted:
        if not shape:
            check_writable(view, (value,))
            check_memory(view)  # which fill_ by itself does not mind
            view.fill_(value)
            return
        value = value.view(shape[leading_ones(shape) :])
        value = value if value._data.shape == wanted else value.expand(wanted)
    view.copy_(value)


def leading_ones(shape: tuple[int, ...]) -> int:
    """How many dimensions of size 1 there are before the first of another size."""
    return next((i for i, n in enumerate(shape) if n != 1), len(shape))


def not_too_many(input: Tensor, indices: Any) -> tuple[Any, ...]:
    """The indices as a tuple; IndexError for more than the tensor has dimensions."""
    given, ndim = tuple(as_tensors(indices)), input._data.ndim
    if len(given) > ndim:
        raise IndexError(f"too many indices for tensor of dimension {ndim} (got {len(given)})")
    return given


def zero_d(index: Tensor) -> Any:
    """A 0-d index of index_put: a number stands for its dimension like any other array, and is no view of it."""
    return numpy.asarray(as_array(index._data)) if index._data.dtype.kind == "i" else as_part(index)


def index_put(input: Tensor, indices: Tensors, values: Tensor, accumulate: Bool = False) -> Tensor:
    """A copy of input with values written, or added, where indices (a tuple of tensors) point (torch.index_put)."""
    return put_by(put_op, input, indices, values, accumulate)


def put_by(op: Any, input: Tensor, indices: Tensors, values: Tensor, accumulate: Bool) -> Tensor:
    """index_put by this operation."""
    flag(accumulate)
    given = not_too_many(input, indices)
    view, arrays, masks = take_apart(input, tuple([as_array(t._data) if t._data.ndim else zero_d(t) for t in given]))
    places = checked(view, arrays, masks, values)
    if accumulate:  # a single number under a mask is converted only where it is written
        same_dtype(values, view)
    if values._data.ndim:  # a single number is brought along from anywhere
        same_device(input, values)
    differentiable(input, values)
    return op(input, values, indices=watched(places, given, input, values), accumulate=accumulate)


def index_put_inplace(input: Tensor, indices: Tensors, values: Tensor, accumulate: Bool = False) -> Tensor:
    """index_put for index_put_, which reads no value from the tensor it writes."""
    indices = not_too_many(input, indices)
    check_overlap(input, values, True)
    by = functools.partial(put_by, put_op_into(input))
    return differentiable_inplace(by)(input, indices, values, accumulate)


index_put_inplace.__name__ = "index_put"
