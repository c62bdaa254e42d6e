"""Where values belong among sorted ones: searchsorted and bucketize. Sorting itself is in sorting.py."""

from __future__ import annotations

import math
from typing import Any

from ..backend import anywhere, array_module
from ..dtypes import int32, int64
from ..errors import warn_once
from ..tensor import Tensor, from_array
from .arguments import Bool, Operand, Str
from .promotion import as_element, no_kernel, operand
from .validate import flag

NOT_CONTIGUOUS = (
    "torch.searchsorted(): {0} tensor is non-contiguous, this will lower the performance due to extra data copy when converting "
    "non-contiguous tensor to contiguous, please use contiguous {0} tensor if possible. This message will only appear once per "
    "program."
)


def searchsorted(
    sorted_sequence: Tensor,
    self: Operand,
    *,
    out_int32: Bool = False,
    right: Bool = False,
    side: Str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """The positions of elements in sequences that are sorted along their last dimension (torch.searchsorted)."""
    data = sorted_sequence._data
    module = array_module(data)
    values = operand(self)._data
    if isinstance(self, int) and data.dtype.kind in "iu":
        values = as_element(values, data.dtype)
    values = module.asarray(values)
    if side not in (None, "left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    check_boundaries(data, values, sorter)
    for name, tensor in (("input value", self), ("boundary", sorted_sequence), ("sorter", sorter)):
        if isinstance(tensor, Tensor) and not tensor._data.flags.c_contiguous:
            warn_once(NOT_CONTIGUOUS.format(name))
    if values.dtype.kind == "b":
        no_kernel("searchsorted_out_cpu", sorted_sequence)
    if sorter is not None:
        data = module.take_along_axis(data, sorter._data, -1)
    where: Any = "right" if flag(right) or side == "right" else "left"
    if data.dtype.kind == "f" and anywhere(data != data):
        found = halved(data, values, where)
    elif data.ndim == 1 or not values.size:
        found = module.asarray(module.searchsorted(data.reshape(-1), values, where))
    else:
        count = math.prod(data.shape[:-1])
        rows, wanted = data.reshape(count, data.shape[-1]), values.reshape(count, values.shape[-1])
        found = module.stack([module.searchsorted(a, v, where) for a, v in zip(rows, wanted, strict=True)])
        found = found.reshape(values.shape)
    return from_array(found.astype((int32 if flag(out_int32) else int64).np))


def halved(data: Any, values: Any, side: str) -> Any:
    """Positions by halving, step by step as torch does: among nan the answer depends on which elements are looked at."""
    module, n = array_module(data), data.shape[-1]
    low, high = module.zeros(values.shape, "int64"), module.full(values.shape, n, "int64")
    for _ in range(n.bit_length()):
        middle = low + (high - low) // 2
        at = module.minimum(middle, n - 1)
        seen = data[at] if data.ndim == 1 else module.take_along_axis(data, at, -1)
        beyond = ~(seen >= values) if side == "left" else ~(seen > values)
        open_ = low < high
        low, high = module.where(open_ & beyond, middle + 1, low), module.where(open_ & ~beyond, middle, high)
    return low


def check_boundaries(data: Any, values: Any, sorter: Tensor | None) -> None:
    """RuntimeError, in torch's words, where sorted sequences, the values and a sorter do not fit each other."""
    if not values.ndim and data.ndim != 1:
        raise RuntimeError(
            "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries "
            f"tensor dim({data.ndim}) and input value's dim(0) numel(1)"
        )
    if not data.ndim:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension"
        )
    if data.ndim != 1 and data.shape[:-1] != values.shape[:-1]:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and "
            f"input value tensor must match, but we got boundaries tensor {list(data.shape)} and input value tensor "
            f"{list(values.shape)}"
        )
    if sorter is not None and sorter._data.shape != data.shape:
        raise RuntimeError(
            f"torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor {list(data.shape)}and got "
            f"sorter tensor {list(sorter._data.shape)}"
        )


def bucketize(input: Operand, boundaries: Tensor, *, out_int32: Bool = False, right: Bool = False) -> Tensor:
    """The index of the bucket of each element (torch.bucketize)."""
    if boundaries._data.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries._data.ndim})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)
