"""Quantiles: what lies at a fraction q of the way through the sorted elements, between two neighbours if need be.

Made of sort, gather and lerp, as torch makes it (ATen/native/Sorting.cpp), so the graph shows these and q has a gradient.
"""

from __future__ import annotations

from typing import Any

from ..backend import array_module
from ..tensor import Tensor, from_array
from .arguments import Bool, Int, Operand, Str
from .layout import broadcast_tensors
from .pointwise import times_number
from .reduce import one_dim
from .validate import flag, number

MODES = ("linear", "lower", "higher", "midpoint", "nearest")
MOST = 2**24  # elements up to which torch counts them exactly in single precision


def quantile(
    input: Tensor,
    q: Operand,
    dim: Int | None = None,
    keepdim: Bool = False,
    *,
    interpolation: Str = "linear",
) -> Tensor:
    """The elements at the fractions q of the order along dim, or of all; nan where there is one (torch.quantile).

    q: a number or a float tensor of input's dtype, () or (k,), from 0 to 1. interpolation: what is taken between two
    neighbours, "linear", "lower", "higher", "midpoint" or "nearest". → the shape reduced; for (k,) behind a new first
    dimension of size k.
    """
    return quantile_of(input, q, dim, keepdim, interpolation, False)


def nanquantile(
    input: Tensor,
    q: Operand,
    dim: Int | None = None,
    keepdim: Bool = False,
    *,
    interpolation: Str = "linear",
) -> Tensor:
    """quantile of the elements that are not nan (torch.nanquantile)."""
    return quantile_of(input, q, dim, keepdim, interpolation, True)


def quantile_of(input: Tensor, q: Any, dim: int | None, keepdim: bool, mode: str, skip_nan: bool) -> Tensor:
    """quantile, or nanquantile with skip_nan."""
    flag(keepdim)
    if not isinstance(q, Tensor):
        if not 0 <= number(q) <= 1:
            raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}")
        q = from_array(array_module(input._data).asarray(q, input._data.dtype))
    check(input, q, mode)
    axis = 0 if dim is None else one_dim(dim, input._data.ndim)
    if not ((q._data >= 0) & (q._data <= 1)).all():
        raise RuntimeError("quantile() q values must be in the range [0, 1]")
    ordered = in_rows(input, dim, axis, keepdim)
    ranks = ranks_of(ordered, q, skip_nan)
    if rounding := {"lower": "floor_", "higher": "ceil_", "nearest": "round_"}.get(mode):
        getattr(ranks, rounding)()
    below = ranks.long()
    values = ordered.gather(-1, below)
    if not rounding:
        share = ranks.detach() * 0 + 0.5 if mode == "midpoint" else ranks - below
        values.lerp_(ordered.gather(-1, ranks.ceil_().long()), share)
    if q._data.ndim:
        values.unsqueeze_(0).transpose_(0, -1)
    return values.squeeze_(-1)


def check(input: Tensor, q: Tensor, mode: str) -> None:
    """RuntimeError, in torch's words, for what has no quantiles."""
    if not input._data.size:
        raise RuntimeError("quantile() input tensor must be non-empty")
    if q._data.ndim > 1:
        raise RuntimeError("quantile() q must be a scalar or 1D tensor")
    if input._data.dtype.char not in "fd":
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if q._data.dtype is not input._data.dtype:
        raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")
    if q.device != input.device:
        raise RuntimeError("quantile() q tensor must be on the same device as the input tensor")
    if mode not in MODES:
        raise RuntimeError(
            f"quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {mode}"
        )


def in_rows(input: Tensor, dim: int | None, axis: int, keepdim: bool) -> Tensor:
    """The elements sorted along the last dimension, which is what gets reduced; before it the other dimensions, that of
    the elements themselves with size 1 if it is to be kept."""
    ndim = input._data.ndim
    if dim is None:
        ordered = input.flatten().sort()[0]
        rest = [1] * ndim * keepdim
    elif axis == ndim - 1:
        ordered = input.sort()[0]
        rest = [*input._data.shape[:-1], *[1] * keepdim]
    else:
        ordered = input.unsqueeze(-1).transpose(axis, -1).sort()[0]
        rest = [*input._data.shape[:axis], *[1] * (keepdim and ndim > 0), *input._data.shape[axis + 1 :]]
    size = ordered._data.shape[-1]
    if size > MOST:
        raise RuntimeError("quantile() input tensor is too large")
    return ordered.view(*rest, size)


def ranks_of(ordered: Tensor, q: Tensor, skip_nan: bool) -> Tensor:
    """Where the fractions q lie in each row, counted from 0: whole numbers at the elements, between two else.

    A nan is sorted last. skip_nan: only the elements before it count, and 0 is where there is none.
    """
    nan = ordered.isnan()
    if skip_nan:
        ranks = q * (nan.logical_not().sum(-1, True) - 1)
        return ranks.masked_fill_(ranks < 0, 0)
    last = ordered._data.shape[-1] - 1
    ranks, spoiled = broadcast_tensors(times_number(q, number=last), nan.any(-1, True))
    return ranks.masked_fill(spoiled, last)
