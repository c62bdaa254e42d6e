"""Arrays by the steps between their elements in memory: views with given steps, and the order in which torch lays out a result.

The order is that of reorder_dimensions in ATen/TensorIterator.cpp. NumPy has a rule of its own, which gives way to the order
of the indices where operands disagree; in torch the first operand that makes a difference decides.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from .backend import address, array_module, back, dims_in_memory, in_order, ndarray


def restrided(x: Any, shape: tuple[int, ...], strides: list[int]) -> Any:
    """A view of x with other sizes and strides (in bytes), which may be written to; the caller answers for its bounds.

    Where the owner of the memory is known it stays the view's `base`; as_strided puts another object there, and takes longer.
    """
    owner = x if x.base is None or x.flags.c_contiguous else x.base
    if type(owner) is ndarray and (flags := owner.flags).forc and x.size:
        whole = owner if flags.c_contiguous else owner.T
        return ndarray(shape, x.dtype, whole, 0 if owner is x else address(x) - address(owner), strides)
    return array_module(x).lib.stride_tricks.as_strided(x, shape, strides)


def expanded(x: Any, shape: tuple[int, ...]) -> Any:
    """x stretched to `shape`: a view as broadcast_to makes it, in a tenth of the time, and one that may be written to."""
    new = len(shape) - x.ndim
    strides = [0] * new
    if x.ndim:
        if math.prod(shape) == x.size:  # torch gives a lone number strides of 0
            return x.reshape(shape)
        strides += [s if n == wanted else 0 for s, n, wanted in zip(x.strides, x.shape, shape[new:], strict=True)]
    elif type(x) is ndarray:  # as restrided, which has to look at what a number is part of
        return ndarray(shape, x.dtype, x, 0, strides)
    return restrided(x, shape, strides)


def filling_order(x: Any, values: Any) -> Any:
    """Flat values in the shape of x, one after the other as the elements of x lie in memory."""
    if x.flags.c_contiguous:
        return values.reshape(x.shape)
    dims = dims_in_memory(x)
    return values.reshape([x.shape[d] for d in dims]).transpose(back(dims))


def iteration_order(shape: Sequence[int], operands: Sequence[Sequence[int]]) -> list[int]:
    """The dimensions of a result, from the one whose neighbours lie closest in memory.

    operands: the strides of each operand in the dimensions of the result, 0 where it is stretched. Sorted by insertion, since
    where all operands are stretched in one of two dimensions, these have no order.
    Example: shape (2, 3), strides [(1, 2)] → [0, 1]; strides [(0, 2), (3, 1)] → [1, 0]
    """

    def later(one: int, other: int) -> int:
        """1 if `one` comes after `other`, -1 if it comes before, 0 if no operand tells."""
        for strides in operands:
            step, other_step = strides[one], strides[other]
            if step and other_step and (step, shape[one]) > (other_step, shape[other]):
                return 1
            if step and other_step and step < other_step:
                return -1
        return 0

    dims = list(range(len(shape)))[::-1]
    for i in range(1, len(dims)):
        at = i
        for before in range(i - 1, -1, -1):
            found = later(dims[before], dims[at])
            if found < 0:
                break
            if found:
                dims[before], dims[at] = dims[at], dims[before]
                at = before
    return dims


def in_first_order(found: Any, *operands: Any) -> Any:
    """What an elementwise operation has made of its operands, arrays or numbers, in the order in memory that torch gives it.

    Of one order NumPy makes the same; CuPy does not.
    """
    first, shape = operands[0], found.shape
    if getattr(first, "shape", None) == shape and first.flags.c_contiguous:
        return in_order(found)  # which decides on all dimensions
    arrays = [x for x in operands if getattr(x, "ndim", 0)]
    steps = list(dict.fromkeys([x.strides if x.shape == shape else stretched(x, shape) for x in arrays]))
    return found if len(steps) < 2 and type(found) is ndarray else laid_out(found, steps)


def stretched(x: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of x in the dimensions of a result of that shape, 0 where it is stretched."""
    ahead = len(shape) - x.ndim
    sizes = zip(x.shape, x.strides, shape[ahead:], strict=True)
    return (0,) * ahead + tuple([0 if n == 1 != wanted else step for n, step, wanted in sizes])


def laid_out(values: Any, operands: Sequence[Sequence[int]]) -> Any:
    """An array with its elements in that order in memory, without gaps. operands: as above."""
    if not values.size:
        return in_order(values)
    shape = values.shape
    dims, strides = _order_and_strides(shape, tuple([tuple(steps) for steps in operands]), values.itemsize)
    if values.strides == strides:
        return values
    return restrided(in_order(values.transpose(dims)), shape, list(strides))


@functools.lru_cache(256)  # the same few shapes come at every step
def _order_and_strides(
    shape: tuple[int, ...], operands: tuple[tuple[int, ...], ...], step: int
) -> tuple[list[int], tuple[int, ...]]:
    """The dimensions from the one whose neighbours lie farthest apart, and the strides of a result without gaps."""
    dims, strides = iteration_order(shape, operands), [0] * len(shape)
    for d in dims:
        strides[d], step = step, step * shape[d]
    return dims[::-1], tuple(strides)


def turned(matrix: Any) -> bool:
    """Whether an array lies column by column, as torch asks in FunctionsManual.cpp; a single row or column does not tell."""
    step, next_column = matrix.strides
    return bool(step == matrix.itemsize and next_column == step * len(matrix))
