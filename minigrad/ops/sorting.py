"""Sorting and what follows from it: topk, median, mode, unique, counting. A value's gradient goes to where it stood.

Ties: sort is stable, mode names the last of its kind. topk, kthvalue and median(dim) name the first that sorting finds,
where torch leaves the choice to its selection algorithm.
"""

from __future__ import annotations

import math
from typing import Any

from .. import rules
from ..backend import array_module, numpy
from ..dtypes import int32, int64
from ..tensor import Tensor, from_array
from .arguments import Bool, Int, Operand, Str
from .define import Op
from .gather import scatter_add_op
from .promotion import operand, unsupported
from .reduce import RETURN_TYPES, extremum_all_vjp, one_dim, reducible_dim, return_type

# ------------------------------------------------------------------ rules


def picked_vjp(grads: Any, self_shape: tuple[int, ...], indices: Any, dim: int) -> Any:
    """values, indices = elements picked along dim, which stayed: the gradient goes to where they stood."""
    return scatter_add_op.of(rules.zeros(grads[0], self_shape), grads[0], dim=dim, index=indices)


def picked_one_vjp(grads: Any, self_shape: tuple[int, ...], indices: Any, dim: int, keepdim: bool) -> Any:
    """values, indices = one element picked along dim: the gradient goes to where it stood."""
    grad = grads[0]
    if not keepdim and self_shape:
        grad, indices = rules.unsqueeze(grad, dim), rules.unsqueeze(rules.raw(indices), dim)
    return scatter_add_op.of(rules.zeros(grad, self_shape), grad, dim=dim, index=rules.raw(indices))


def unique_vjp(grad: Any) -> Any:
    """The values that occur: torch has no derivative."""
    raise NotImplementedError("the derivative for '_unique2' is not implemented.")


# ------------------------------------------------------------------ forwards


def order_of(x: Any, dim: int, descending: bool) -> Any:
    """The stable order along dim; nan counts as largest."""
    module = array_module(x)
    if not descending:
        return x.argsort(axis=dim, kind="stable")
    n = x.shape[dim]
    return n - 1 - module.flip(module.flip(x, dim).argsort(axis=dim, kind="stable"), dim)


def _at_least_1d(forward: Any) -> Any:
    """A 0-d array sorted as one of a single element."""

    def call(x: Any, dim: int, **attributes: Any) -> Any:
        if x.ndim:
            return forward(x, dim, **attributes)
        return tuple(out.reshape(()) for out in forward(x.reshape(1), 0, **attributes))

    return call


def _sort(x: Any, dim: int, descending: bool) -> tuple[Any, Any]:
    order = order_of(x, dim, descending)
    return array_module(x).take_along_axis(x, order, dim), order


def _topk(x: Any, dim: int, k: int, largest: bool) -> tuple[Any, Any]:
    order = order_of(x, dim, largest)[(slice(None),) * dim + (slice(k),)]
    return array_module(x).take_along_axis(x, order, dim), order


def pick(x: Any, order: Any, rank: Any, dim: int, keepdim: bool) -> tuple[Any, Any]:
    """The elements at one place of an order along dim, and where they stood."""
    module = array_module(x)
    place = module.take_along_axis(order, rank, dim)
    values = module.take_along_axis(x, place, dim)
    return (values, place) if keepdim else (values.squeeze(dim), place.squeeze(dim))


def _kth(x: Any, dim: int, k: int, keepdim: bool) -> tuple[Any, Any]:
    shape = (*x.shape[:dim], 1, *x.shape[dim + 1 :])
    return pick(x, order_of(x, dim, False), array_module(x).full(shape, k - 1), dim, keepdim)


def _median(x: Any, dim: int, keepdim: bool) -> tuple[Any, Any]:
    """The lower middle; the first nan where there is one."""
    order, nan = order_of(x, dim, False), x != x
    count = nan.sum(axis=dim, keepdims=True)
    rank = array_module(x).where(count > 0, x.shape[dim] - count, (x.shape[dim] - 1) // 2)
    return pick(x, order, rank, dim, keepdim)


def _nanmedian(x: Any, dim: int, keepdim: bool) -> tuple[Any, Any]:
    """The lower middle of what is not nan."""
    valid = (x == x).sum(axis=dim, keepdims=True)
    return pick(x, order_of(x, dim, False), array_module(x).maximum((valid - 1) // 2, 0), dim, keepdim)


def _mode(x: Any, dim: int, keepdim: bool) -> tuple[Any, Any]:
    """The most frequent element, the smallest of several, and its last place."""
    rows = numpy.moveaxis(x, dim, -1)
    found = numpy.zeros(rows.shape[:-1], "int64")
    for place in numpy.ndindex(found.shape):
        values, counts = numpy.unique(rows[place], return_counts=True)
        found[place] = numpy.flatnonzero(rows[place] == values[counts.argmax()])[-1]
    index = numpy.expand_dims(found, dim)
    values = numpy.take_along_axis(x, index, dim)
    return (values, index) if keepdim else (values.squeeze(dim), found)


PAIR = ("values", "indices")
sort_op = Op("SortBackward0", _at_least_1d(_sort), outputs=PAIR, self=picked_vjp)
stable_sort_op = Op("SortBackward1", _at_least_1d(_sort), outputs=PAIR, self=picked_vjp)
topk_op = Op("TopkBackward0", _at_least_1d(_topk), outputs=PAIR, self=picked_vjp)
kthvalue_op = Op("KthvalueBackward0", _at_least_1d(_kth), outputs=PAIR, self=picked_one_vjp)
median_op = Op("MedianBackward1", _at_least_1d(_median), outputs=PAIR, self=picked_one_vjp)
nanmedian_op = Op("NanmedianBackward1", _at_least_1d(_nanmedian), outputs=PAIR, self=picked_one_vjp)
mode_op = Op("ModeBackward0", _at_least_1d(_mode), outputs=PAIR, self=picked_one_vjp)
median_all_op = Op("MedianBackward0", lambda x: _all_of(_median, x), self=extremum_all_vjp)
nanmedian_all_op = Op("NanmedianBackward0", lambda x: _all_of(_nanmedian, x), self=extremum_all_vjp)
unique_op = Op("Unique2Backward0", lambda x: array_module(x).unique(x), self=unique_vjp)


def _all_of(forward: Any, x: Any) -> Any:
    return (
        forward(x.reshape(-1), 0, keepdim=False)[0] if x.size else x.dtype.type(numpy.nan if x.dtype.kind == "f" else 0)
    )


# ------------------------------------------------------------------ sort, topk


def sort(input: Tensor, dim: Int = -1, descending: Bool = False, *, stable: Bool | None = None) -> Any:
    """The elements in order along dim, and where they stood; equal ones keep their order (torch.sort)."""
    op = sort_op if stable is None else stable_sort_op
    return RETURN_TYPES["sort"](op(input, dim=one_dim(dim, input._data.ndim), descending=descending))


def argsort(input: Tensor, dim: Int = -1, descending: Bool = False, *, stable: Bool = False) -> Tensor:
    """Where the elements in order along dim stood (torch.argsort)."""
    return sort(input, dim, descending)[1]


def msort(input: Tensor) -> Tensor:
    """The elements in order along the first dimension (torch.msort)."""
    return sort(input, 0)[0]


def topk(input: Tensor, k: Int, dim: Int = -1, largest: Bool = True, sorted: Bool = True) -> Any:
    """The k largest, or smallest, elements along dim, and where they stood (torch.topk)."""
    dim = one_dim(dim, input._data.ndim)
    if input._data.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    if not 0 <= k <= (input._data.shape[dim] if input._data.ndim else 1):
        raise RuntimeError("selected index k out of range")
    return RETURN_TYPES["topk"](topk_op(input, dim=dim, k=k, largest=largest))


def kthvalue(input: Tensor, k: Int, dim: Int = -1, keepdim: Bool = False) -> Any:
    """The k-th smallest element along dim, and where it stood (torch.kthvalue)."""
    dim = reducible_dim(input, dim, "kthvalue")
    if not 1 <= k <= (input._data.shape[dim] if input._data.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {dim}")
    return RETURN_TYPES["kthvalue"](kthvalue_op(input, dim=dim, k=k, keepdim=keepdim))


def _middle(every: Op, along: Op, name: str, words: str) -> Any:
    pair = return_type(name)

    def call(input: Tensor, dim: Int | None = None, keepdim: Bool = False) -> Any:
        if input._data.dtype.kind == "b":
            raise unsupported("median_cpu", input._data)
        if dim is None:
            return every(input)
        return pair(along(input, dim=reducible_dim(input, dim, name), keepdim=keepdim))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The middle element{words}, the lower one of two; with dim also where it stood (torch.{name})."
    return call


median = _middle(median_all_op, median_op, "median", "")
nanmedian = _middle(nanmedian_all_op, nanmedian_op, "nanmedian", " of those that are not nan")


def mode(input: Tensor, dim: Int = -1, keepdim: Bool = False) -> Any:
    """The most frequent element along dim, and where it stood last (torch.mode)."""
    return RETURN_TYPES["mode"](mode_op(input, dim=reducible_dim(input, dim, "mode"), keepdim=keepdim))


# ------------------------------------------------------------------ sets and counts


def unique(
    input: Tensor,
    sorted: Bool = True,
    return_inverse: Bool = False,
    return_counts: Bool = False,
    dim: Int | None = None,
) -> Any:
    """The values, or rows along dim, that occur; if wanted also which one each element is, and how often each occurs."""
    if dim is None and not return_inverse and not return_counts:
        return unique_op(input)
    found = numpy.unique(input._data, return_inverse=True, return_counts=True, axis=dim)
    inverse = found[1].reshape(input._data.shape) if dim is None else found[1].reshape(-1)
    return chosen(found[0], inverse, found[2], return_inverse, return_counts)


def chosen(values: Any, inverse: Any, counts: Any, return_inverse: bool, return_counts: bool) -> Any:
    """The values alone, or with what else is wanted."""
    wanted = [values, *([inverse] if return_inverse else []), *([counts] if return_counts else [])]
    tensors = tuple([from_array(x) for x in wanted])
    return tensors if len(tensors) > 1 else tensors[0]


def unique_consecutive(
    input: Tensor, return_inverse: Bool = False, return_counts: Bool = False, dim: Int | None = None
) -> Any:
    """As unique, but equal elements count as one only where they are neighbours (torch.unique_consecutive)."""
    data = input._data.reshape(-1) if dim is None else numpy.moveaxis(input._data, dim, 0)
    flat = data.reshape(data.shape[0], math.prod(data.shape[1:]))
    starts = numpy.concatenate([numpy.ones(min(len(flat), 1), bool), (flat[1:] != flat[:-1]).any(1)])
    values = data[starts] if dim is None else numpy.moveaxis(data[starts], 0, dim)
    counts = numpy.diff(numpy.append(numpy.flatnonzero(starts), len(flat)))
    inverse = starts.cumsum() - 1
    return chosen(
        values, inverse.reshape(input._data.shape) if dim is None else inverse, counts, return_inverse, return_counts
    )


def bincount(input: Tensor, weights: Tensor | None = None, minlength: Int = 0) -> Tensor:
    """How often each whole number occurs, or the sum of the weights where it does (torch.bincount)."""
    data = input._data
    if data.dtype.kind == "f":
        raise unsupported("bincount_cpu", data)
    if data.ndim != 1 or (data.size and data.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    found = numpy.bincount(data, None if weights is None else weights._data, minlength)
    return from_array(
        found.astype(numpy.float32) if weights is not None and weights._data.dtype == numpy.float32 else found
    )


def searchsorted(
    sorted_sequence: Tensor,
    input: Operand,
    *,
    out_int32: Bool = False,
    right: Bool = False,
    side: Str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Where elements belong in sorted sequences, the last dimension of which counts (torch.searchsorted)."""
    values = operand(input)._data
    if side not in (None, "left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    data = sorted_sequence._data
    if sorter is not None:
        data = numpy.take_along_axis(data, sorter._data, -1)
    where: Any = "right" if right or side == "right" else "left"
    if data.ndim == 1:
        found = numpy.asarray(numpy.searchsorted(data, values, where))
    else:
        count = math.prod(data.shape[:-1])
        rows, wanted = data.reshape(count, data.shape[-1]), values.reshape(count, values.shape[-1])
        found = numpy.stack([numpy.searchsorted(a, v, where) for a, v in zip(rows, wanted, strict=True)]).reshape(
            values.shape
        )
    return from_array(found.astype((int32 if out_int32 else int64).np))


def bucketize(input: Operand, boundaries: Tensor, *, out_int32: Bool = False, right: Bool = False) -> Tensor:
    """Which bucket each element falls into (torch.bucketize)."""
    if boundaries._data.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries._data.ndim})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)
