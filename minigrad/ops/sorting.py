"""Sorting and what follows from it: topk, median, mode, unique, counting. A value's gradient goes to its original position.

Ties: sort is stable; topk, kthvalue and mode name the element that torch's selection algorithms happen to name, which
selection.py knows; median(dim) the one that a stable sort finds, as torch does up to 16 elements.
"""

from __future__ import annotations

import math
from typing import Any

from .. import rules
from ..backend import anywhere, array_module, in_order, laid_out_as, numpy
from ..tensor import Tensor, from_array
from .arguments import Bool, Int, as_int
from .define import Op
from .gather import picked, scatter_op
from .promotion import no_kernel
from .reduce import EVERY, RETURN_TYPES, extremum_all_vjp, one_dim, real_dim, reducible_dim
from .selection import kth_place, mode_place, settle, tied, topk_places
from .underivable import Underivable, no_vjp
from .validate import flag

# ------------------------------------------------------------------ rules


def picked_vjp(grads: Any, self_shape: tuple[int, ...], indices: Any, dim: int) -> Any:
    """values, indices = elements picked along dim, which stayed: the gradient goes to their original positions."""
    return scatter_op.of(rules.zeros(grads[0], self_shape), grads[0], dim=dim, index=indices)


def picked_one_vjp(grads: Any, self_shape: tuple[int, ...], indices: Any, dim: int, keepdim: bool) -> Any:
    """values, indices = one element picked along dim: the gradient goes to its original position."""
    grad = grads[0]
    if not keepdim and self_shape:
        grad, indices = rules.unsqueeze(grad, dim), rules.unsqueeze(rules.raw(indices), dim)
    return scatter_op.of(rules.zeros(grad, self_shape), grad, dim=dim, index=rules.raw(indices))


unique_vjp, unique_dim_vjp = no_vjp("_unique2"), no_vjp("unique_dim")
unique_consecutive_vjp = no_vjp("unique_consecutive")


# ------------------------------------------------------------------ forwards

SHORT = 64  # elements in a row up to which sorting them all is faster than parting off the first k


def order_of(x: Any, dim: int, descending: bool) -> Any:
    """The stable order along dim; nan counts as largest."""
    if not descending:
        return x.argsort(axis=dim, kind="stable")
    back = (slice(None),) * dim + (slice(None, None, -1),)
    return x.shape[dim] - 1 - x[back].argsort(axis=dim, kind="stable")[back]


def _at_least_1d(forward: Any) -> Any:
    """A 0-d array sorted as one of a single element."""

    def call(x: Any, dim: int, **attributes: Any) -> Any:
        if x.ndim:
            return forward(x, dim, **attributes)
        return tuple(out.reshape(()) for out in forward(x.reshape(1), 0, **attributes))

    return call


def _sort(x: Any, dim: int, descending: bool) -> tuple[Any, Any]:
    order = order_of(x, dim, descending)
    return laid_out_as(x, picked(x, order, dim)), laid_out_as(x, order)


def _topk(x: Any, dim: int, k: int, largest: bool, sorted: bool) -> tuple[Any, Any]:
    n, before = x.shape[dim], (slice(None),) * dim
    first, chosen = x, None
    if n > SHORT and k + 1 < n:
        start, end = (n - k - 1, n) if largest else (0, k + 1)
        chosen = x.argpartition(start if largest else k, axis=dim)[(*before, slice(start, end))]
        first = picked(x, chosen, dim)
    order = first.argsort(axis=dim)  # of the first k and the next: equal ones among the others do not matter
    order = order[(*before, slice(None, -k - 2, -1) if largest else slice(k + 1))]
    order = order if chosen is None else picked(chosen, order, dim)
    values, kept = picked(x, order, dim), (*before, slice(k))
    rows = tied(values, dim)
    order = order[kept].copy()
    if not anywhere(rows):
        return values[kept].copy(), order
    order = settle(order, x, dim, lambda row: topk_places(row, k, largest, sorted), rows)
    return picked(x, order, dim), order


def pick(x: Any, order: Any, rank: Any, dim: int, keepdim: bool) -> tuple[Any, Any]:
    """The elements at one position of an order along dim, and their indices."""
    return at_place(x, picked(order, rank, dim), dim, keepdim)


def only_place(x: Any, dim: int, k: int) -> Any:
    """The index of the element that has k smaller ones along dim, which stays with size 1; None where there are equals to
    it, or it is nan. It takes no sorting."""
    module = array_module(x)
    equal = x == module.partition(x, k, axis=dim)[(slice(None),) * dim + (slice(k, k + 1),)]
    return equal.argmax(axis=dim, keepdims=True) if (equal.sum(axis=dim) == 1).all() else None


def _kth(x: Any, dim: int, k: int, keepdim: bool) -> tuple[Any, Any]:
    place = only_place(x, dim, k - 1)
    if place is None:
        place = order_of(x, dim, False)[(slice(None),) * dim + (slice(k - 1, k),)].copy()
        rows = tied(array_module(x).sort(x, axis=dim), dim)
        place = settle(place, x, dim, lambda row: kth_place(row, k - 1), rows)
    return at_place(x, place, dim, keepdim)


def at_place(x: Any, place: Any, dim: int, keepdim: bool) -> tuple[Any, Any]:
    """The elements at one place along dim, and the places."""
    values = picked(x, place, dim)
    values, place = in_order(values), in_order(place)
    return (values, place) if keepdim else (values.squeeze(dim), place.squeeze(dim))


def _median(x: Any, dim: int, keepdim: bool) -> tuple[Any, Any]:
    """The lower middle; the first nan where there is one."""
    nan = x != x
    place = None if anywhere(nan) else only_place(x, dim, (x.shape[dim] - 1) // 2)
    if place is not None:
        return at_place(x, place, dim, keepdim)
    order, count = order_of(x, dim, False), nan.sum(axis=dim, keepdims=True)
    rank = array_module(x).where(count > 0, x.shape[dim] - count, (x.shape[dim] - 1) // 2)
    return pick(x, order, rank, dim, keepdim)


def _nanmedian(x: Any, dim: int, keepdim: bool) -> tuple[Any, Any]:
    """The lower middle of what is not nan."""
    valid = (x == x).sum(axis=dim, keepdims=True)
    return pick(x, order_of(x, dim, False), array_module(x).maximum((valid - 1) // 2, 0), dim, keepdim)


def _mode(x: Any, dim: int, keepdim: bool) -> tuple[Any, Any]:
    """The most frequent element, the smallest of several, and the index of one of them."""
    module = array_module(x)
    rows = module.moveaxis(x, dim, -1)
    found = module.zeros(rows.shape[:-1], "int64")
    for place in numpy.ndindex(found.shape):
        found[place] = mode_place(rows[place].tolist())
    return at_place(x, module.expand_dims(found, dim), dim, keepdim)


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
unique_op = Op("Unique2Backward0", lambda x: array_module(x).unique(x, equal_nan=False), self=unique_vjp)


def nothing_like(dtype: Any) -> Any:
    """What torch calls the median of nothing: nan, made an element of the dtype."""
    if dtype.kind in "fb":
        return dtype.type(numpy.nan)
    return dtype.type(numpy.iinfo(dtype).min if dtype.itemsize > 2 else 0)


def _all_of(forward: Any, x: Any) -> Any:
    return forward(x.reshape(-1), 0, keepdim=False)[0] if x.size else array_module(x).asarray(nothing_like(x.dtype))


# ------------------------------------------------------------------ sort, topk


def sort(input: Tensor, dim: Int = -1, descending: Bool = False, *, stable: Bool | None = None) -> Any:
    """The elements in order along dim, and their indices; equal ones keep their order (torch.sort)."""
    op = sort_op if stable is None else stable_sort_op
    flag(stable is None or stable)
    return RETURN_TYPES["sort"](op(input, dim=one_dim(dim, input._data.ndim), descending=flag(descending)))


def argsort(input: Tensor, dim: Int = -1, descending: Bool = False, *, stable: Bool = False) -> Tensor:
    """The indices of the elements in order along dim (torch.argsort)."""
    flag(stable)
    return sort(input, dim, descending)[1]


def msort(input: Tensor) -> Tensor:
    """The elements in order along the first dimension (torch.msort)."""
    return sort(input, 0)[0]


def topk(input: Tensor, k: Int, dim: Int = -1, largest: Bool = True, sorted: Bool = True) -> Any:
    """The k largest, or smallest, elements along dim, and their indices (torch.topk)."""
    dim = one_dim(dim, input._data.ndim)
    if not 0 <= (k := as_int(k)) <= (input._data.shape[dim] if input._data.ndim else 1):
        raise RuntimeError("selected index k out of range")
    if input._data.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    k = k if input._data.ndim else 1  # of a single number torch finds one, even when asked for none
    return RETURN_TYPES["topk"](topk_op(input, dim=dim, k=k, largest=flag(largest), sorted=flag(sorted)))


def kthvalue(input: Tensor, k: Int, dim: Int = -1, keepdim: Bool = False) -> Any:
    """The k-th smallest element along dim, and its index (torch.kthvalue)."""
    dim = reducible_dim(input, dim, "kthvalue")
    if not 1 <= as_int(k) <= (input._data.shape[dim] if input._data.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {dim}")
    if input._data.ndim:  # a single number goes without a kernel
        no_kernel("kthvalue_cpu", input)
    return RETURN_TYPES["kthvalue"](kthvalue_op(input, dim=dim, k=k, keepdim=flag(keepdim)))


def _middle(every: Op, along: Op, name: str, words: str) -> Any:
    def call(input: Tensor, dim: Int = EVERY, keepdim: Bool = False) -> Any:
        if dim is EVERY:
            if flag(keepdim):
                raise TypeError(f'{name}() missing 1 required positional arguments: "dim"')
            if input._data.size:
                no_kernel("median_cpu", input)
            return every(input)
        dim = reducible_dim(input, dim, "median")
        no_kernel("median_out", input)
        return RETURN_TYPES[name](along(input, dim=dim, keepdim=flag(keepdim)))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The middle element{words}, the lower one of two; with dim also its index (torch.{name})."
    return call


median = _middle(median_all_op, median_op, "median", "")
nanmedian = _middle(nanmedian_all_op, nanmedian_op, "nanmedian", " of those that are not nan")


def mode(input: Tensor, dim: Int = -1, keepdim: Bool = False) -> Any:
    """The most frequent element along dim, and its last index (torch.mode)."""
    return RETURN_TYPES["mode"](mode_op(input, dim=reducible_dim(input, dim, "mode"), keepdim=flag(keepdim)))


# ------------------------------------------------------------------ sets and counts


def unique(
    input: Tensor,
    sorted: Bool = True,
    return_inverse: Bool = False,
    return_counts: Bool = False,
    dim: Int | None = None,
) -> Any:
    """The distinct values, or rows along dim; if wanted also the index of each element's value, and the counts."""
    flag(sorted), flag(return_inverse), flag(return_counts)
    if dim is None and not return_inverse and not return_counts:
        return unique_op(input)
    check_rows(input, dim)
    op = unique_all_op if dim is None else unique_dim_op
    return chosen(op(input, dim=dim), return_inverse, return_counts)


def check_rows(input: Tensor, dim: int | None) -> None:
    """The error, in torch's words, where there are no rows along dim to be compared."""
    if dim is None:
        return
    dim, shape = real_dim(dim, input._data.ndim), input._data.shape
    if shape[dim] and 0 in shape:
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")


def _unique(x: Any, dim: int | None) -> tuple[Any, Any, Any]:
    values, inverse, counts = array_module(x).unique(
        x, return_inverse=True, return_counts=True, axis=dim, equal_nan=False
    )
    return in_order(values), inverse.reshape(x.shape if dim is None else -1), counts


def chosen(found: tuple[Any, Any, Any], return_inverse: bool, return_counts: bool) -> Any:
    """The values alone, or with what else is wanted."""
    values, inverse, counts = found
    wanted = (values, *([inverse] if return_inverse else []), *([counts] if return_counts else []))
    return wanted if len(wanted) > 1 else values


def unique_consecutive(
    input: Tensor, return_inverse: Bool = False, return_counts: Bool = False, dim: Int | None = None
) -> Any:
    """As unique, but only neighbouring equal elements count as one (torch.unique_consecutive)."""
    flag(return_inverse), flag(return_counts)
    check_rows(input, dim)
    return chosen(unique_consecutive_op(input, dim=dim), return_inverse, return_counts)


def _unique_consecutive(x: Any, dim: int | None) -> tuple[Any, Any, Any]:
    module = array_module(x)
    data = x.reshape(-1) if dim is None else module.moveaxis(x, dim, 0)
    flat = data.reshape(data.shape[0], math.prod(data.shape[1:]))
    starts = module.concatenate([module.ones(min(len(flat), 1), bool), (flat[1:] != flat[:-1]).any(1)])
    values = data[starts] if dim is None else module.moveaxis(data[starts], 0, dim)
    counts = module.diff(module.append(module.flatnonzero(starts), len(flat)))
    inverse = starts.cumsum() - 1
    return values, inverse.reshape(x.shape) if dim is None else inverse, counts


unique_all_op = Op("Unique2Backward0", _unique, outputs=3, self=unique_vjp)
unique_dim_op = Op("UniqueDimBackward0", _unique, outputs=3, self=unique_dim_vjp)
unique_consecutive_op = Op("UniqueConsecutiveBackward0", _unique_consecutive, outputs=3, self=unique_consecutive_vjp)
bincount_op = Underivable(
    "bincount",
    lambda w, data, minlength: (
        array_module(w).bincount(data, w, minlength).astype(w.dtype if w.dtype == "float32" else "float64")
    ),
    "weights",
)


def bincount(input: Tensor, weights: Tensor | None = None, minlength: Int = 0) -> Tensor:
    """How often each whole number occurs, or the sum of the weights where it does (torch.bincount)."""
    data = input._data
    no_kernel("bincount_cpu", input, "fb")
    if data.ndim != 1 or (data.size and data.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is not None and weights._data.shape != data.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    if weights is None or not data.size:
        return from_array(array_module(data).bincount(data, None, minlength))
    return bincount_op(weights, data=data, minlength=minlength)
