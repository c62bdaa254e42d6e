"""Pooling: the largest element of every window, or the average."""

from __future__ import annotations

import math
from typing import Any

from .. import rules
from ..backend import array_module
from ..tensor import Tensor
from .conv import fold_op, places
from .define import Op
from .pad import pad_op
from .promotion import no_kernel

Sizes = tuple[int, ...]
Moves = tuple[Sizes, Sizes, Sizes, Sizes]  # kernel, stride, padding, dilation


def pooled_size(n: int, k: int, s: int, p: int, d: int, ceil_mode: bool) -> int:
    """How many windows a dimension of n elements gives; in ceil_mode the last may hang over, if it starts inside."""
    room = n + 2 * p - d * (k - 1) - 1
    out = -(-room // s) + 1 if ceil_mode else room // s + 1
    return out - 1 if ceil_mode and (out - 1) * s >= n + p else out


def overhang(size: Sizes, out: Sizes, moves: Moves) -> Sizes:
    """The padding, as `pad` takes it, with which every window lies inside."""
    ends = []
    for n, o, k, s, p, d in zip(size, out, *moves, strict=True):
        ends.append((p, max(p, (o - 1) * s + d * (k - 1) + 1 - n - p)))
    return tuple(p for end in reversed(ends) for p in end)


def planes(x: Any) -> Any:
    """(…, h, w) → (1, all the rest, h, w), as arrays or Tensors."""
    return rules.reshape(x, (1, math.prod(x.shape[:-2]), *x.shape[-2:]))


# ------------------------------------------------------------------ the largest


def max_pool_vjp(grads: Any, self_shape: Sizes, result1: Any) -> Any:
    """values, indices = the largest of every window: its gradient goes to the element it was, which may have been the
    largest of several windows. torch: MaxPool2DWithIndicesBackward0."""
    grad, index = grads[0], rules.raw(result1)
    plane = math.prod(self_shape[-2:])
    offsets = array_module(index).arange(math.prod(self_shape[:-2])).reshape((*self_shape[:-2], 1, 1)) * plane
    flat = rules.scatter_index(rules.reshape(grad, (-1,)), (math.prod(self_shape),), (index + offsets).reshape(-1))
    return rules.reshape(flat, self_shape)


def _max_pool(x: Any, out: Sizes, moves: Moves) -> tuple[Any, Any]:
    """The largest of every window, and its number in its (unpadded) plane; the first of a tie, nan before all."""
    kernel, stride, padding, dilation = moves
    module = array_module(x)
    lowest = -math.inf if x.dtype.kind == "f" else module.iinfo(x.dtype).min
    padded = pad_op.of(planes(x), pad=overhang(x.shape[-2:], out, moves), value=lowest)
    rows, columns = (module.arange(o) * s - p for o, s, p in zip(out, stride, padding, strict=True))
    corner = rows[:, None] * x.shape[-1] + columns
    best: Any = None
    at: Any = None
    for (*_, i, j), place in places(out, kernel, stride, dilation):
        candidate, number = padded[place], corner + (i * dilation[0] * x.shape[-1] + j * dilation[1])
        if best is None:
            best, at = candidate.copy(), module.broadcast_to(number, candidate.shape).copy()
            continue
        better = (candidate > best) | (candidate != candidate)
        module.copyto(best, candidate, where=better)
        module.copyto(at, number, where=better)
    shape = (*x.shape[:-2], *out)
    return best.reshape(shape), at.reshape(shape)


max_pool_op = Op("MaxPool2DWithIndicesBackward0", _max_pool, outputs=2, self=max_pool_vjp)


# ------------------------------------------------------------------ the average


def avg_pool_vjp(grad: Any, self_shape: Sizes, out: Sizes, moves: Moves, divisor: Any) -> Any:
    """z = the average of every window: each of its elements has its share. torch: AvgPool2DBackward0."""
    kernel, stride, _, dilation = moves
    share = planes(grad / divisor)
    windows = rules.expand(rules.reshape(share, (1, share.shape[1], 1, 1, *out)), (1, share.shape[1], *kernel, *out))
    ends = overhang(self_shape[-2:], out, moves)
    size = tuple(n + sum(ends[2 * i : 2 * i + 2]) for n, i in zip(self_shape[-2:], (1, 0), strict=True))
    whole = fold_op.of(windows, size=size, kernel=kernel, stride=stride, dilation=dilation)
    return rules.reshape(pad_op.of(whole, pad=tuple(-p for p in ends), value=0), self_shape)


def _avg_pool(x: Any, out: Sizes, moves: Moves, divisor: Any) -> Any:
    kernel, stride, _, dilation = moves
    padded = pad_op.of(planes(x), pad=overhang(x.shape[-2:], out, moves), value=0)
    total = sum(padded[place] for _, place in places(out, kernel, stride, dilation))
    return (total.reshape((*x.shape[:-2], *out)) / divisor).astype(x.dtype, copy=False)


avg_pool_op = Op("AvgPool2DBackward0", _avg_pool, self=avg_pool_vjp, again="AvgPool2DBackwardBackward0")


def elements(like: Any, out: Sizes, moves: Moves, count_include_pad: bool) -> Any:
    """How many elements each window averages: those of the input, and of its padding where that counts."""
    module, counts = array_module(like), []
    for n, o, k, s, p in zip(like.shape[-2:], out, *moves[:3], strict=True):
        start = module.arange(o) * s - p
        end = module.minimum(start + k, n + p)
        counts.append(end - start if count_include_pad else module.minimum(end, n) - module.maximum(start, 0))
    return (counts[0][:, None] * counts[1]).astype(like.dtype)


# ------------------------------------------------------------------ functions


def pair(value: Any, default: Any = None) -> Sizes:
    """One int for both dimensions, or two; None stands for the default."""
    value = default if value is None else value
    sizes = (value, value) if isinstance(value, int) else tuple(value)
    return sizes * 2 if len(sizes) == 1 else sizes


def arguments(
    input: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> tuple[Sizes, Moves]:
    """The output's size and the moves of the window, checked; RuntimeError in torch's words."""
    kernel = pair(kernel_size)
    moves = (kernel, pair(stride if stride != () else None, kernel), pair(padding), pair(dilation))
    if input._data.ndim not in (3, 4):
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    if 0 in moves[1]:
        raise RuntimeError("stride should not be zero")
    for k, p, d in zip(kernel, moves[2], moves[3], strict=True):
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > (d * (k - 1) + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and "
                f"dilation={d}"
            )
    size = input._data.shape
    out = tuple(pooled_size(*numbers, ceil_mode) for numbers in zip(size[-2:], *moves, strict=True))
    if min(out) < 1:
        c = size[-3]
        raise RuntimeError(
            f"Given input size: ({c}x{size[-2]}x{size[-1]}). Calculated output size: "
            f"({c}x{max(out[0], 0)}x{max(out[1], 0)}). Output size is too small"
        )
    return out, moves


def max_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of every window (torch.nn.functional.max_pool2d). input: (N, C, h, w) or (C, h, w).

    stride: the kernel's size by default. return_indices: also where in its plane each one stood.
    """
    out, moves = arguments(input, kernel_size, stride, padding, dilation, ceil_mode)
    no_kernel("max_pool2d", input)
    values, indices = max_pool_op(input, out=out, moves=moves)
    return (values, indices) if return_indices else values


def avg_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The average of every window (torch.nn.functional.avg_pool2d). input: (N, C, h, w) or (C, h, w)."""
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    out, moves = arguments(input, kernel_size, stride, padding, 1, ceil_mode)
    no_kernel("avg_pool2d", input, "bu")
    divisor = divisor_override or elements(input._data, out, moves, count_include_pad)
    return avg_pool_op(input, out=out, moves=moves, divisor=divisor)


def _one(value: Any) -> Any:
    return value if isinstance(value, int) or value is None else value[0]


def max_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """max_pool2d over one dimension, with a second of size 1 in between (torch.nn.functional.max_pool1d)."""
    kernel = (1, _one(kernel_size))
    stride, padding, dilation = (1, _one(stride) or kernel[1]), (0, _one(padding)), (1, _one(dilation))
    out = pooled_size(input._data.shape[-1], kernel[1], stride[1], padding[1], dilation[1], ceil_mode)
    if out < 1:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {out}")
    if not return_indices:
        no_kernel("max_pool1d_impl", input, "bui")
    values, indices = max_pool2d(input.unsqueeze(-2), kernel, stride, padding, dilation, ceil_mode, True)
    return (values.squeeze(-2), indices.squeeze(-2)) if return_indices else values.squeeze(-2)


def avg_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """avg_pool2d over one dimension (torch.nn.functional.avg_pool1d)."""
    kernel = (1, _one(kernel_size))
    stride, padding = (1, _one(stride) or kernel[1]), (0, _one(padding))
    return avg_pool2d(input.unsqueeze(-2), kernel, stride, padding, ceil_mode, count_include_pad).squeeze(-2)


# ------------------------------------------------------------------ to a given size


def adaptive_vjp(grad: Any, rows: Any, columns: Any) -> Any:
    """z = rows · self · columns, averaging matrices: their transposes carry the gradient back."""
    return adaptive_op.of(grad, rows=rows.T, columns=columns.T)


adaptive_op = Op(
    "AdaptiveAvgPool2DBackward0",
    lambda x, rows, columns: rows @ x @ columns,
    self=adaptive_vjp,
    again="AdaptiveAvgPool2DBackwardBackward0",
)


def averages(like: Any, n: int, out: int) -> Any:
    """The (out, n) matrix that averages n elements in `out` parts of as equal a length as can be."""
    matrix = array_module(like).zeros((out, n), like.dtype)
    for i in range(out):
        start, end = i * n // out, -(-(i + 1) * n // out)
        matrix[i, start:end] = 1 / (end - start)
    return matrix


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The average over as many even parts as output_size says (torch.nn.functional.adaptive_avg_pool2d)."""
    h, w = (size if size is not None else n for size, n in zip(pair(output_size), input._data.shape[-2:], strict=True))
    if (h, w) == (1, 1):
        return input.mean((-1, -2), keepdim=True)
    no_kernel("adaptive_avg_pool2d", input, "bui")
    data = input._data
    return adaptive_op(input, rows=averages(data, data.shape[-2], h), columns=averages(data, data.shape[-1], w).T)
