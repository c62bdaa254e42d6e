"""Pooling: the largest element of every window, or the average."""

from __future__ import annotations

import functools
import math
from typing import Any

from .. import rules
from ..backend import anywhere, array_module, in_order, in_single, numpy
from ..tensor import Tensor
from .arguments import Bool, Int, Ints, parsed
from .conv import fold_op, places
from .define import Op
from .lazy import plain_function
from .pad import pad_op
from .pool_sizes import Moves, Sizes, check_dims, check_max_pool1d, check_windows, pairs, singles, sizes_of
from .promotion import no_kernel
from .validate import flag


@functools.lru_cache(64)  # a layer asks for the same ones at every step
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


def max_pool_vjp(grads: Any, self: Any, result1: Any) -> Any:
    """values, indices = the largest of every window: its gradient goes to the element it was, which may have been the
    largest of several windows. torch: MaxPool2DWithIndicesBackward0."""
    return put_back_op.of(grads[0], self, index=in_whole(result1, self.shape))


def in_whole(result1: Any, shape: Any) -> Any:
    """Numbers of elements in their planes as numbers in the whole tensor."""
    index, plane = rules.raw(result1), math.prod(shape[-2:])
    return index + array_module(index).arange(math.prod(shape[:-2])).reshape((*shape[:-2], 1, 1)) * plane


def put_back_vjp(grad: Any, index: Any) -> Any:
    """z = zeros like self with grad_output added at index: the gradient at index."""
    return rules.reshape(rules.reshape(grad, (-1,))[index.reshape(-1)], index.shape)


def no_vjp(grad: Any) -> Any:
    """z has self's shape and none of its values: 0, and a history all the same, for torch's kernels are given self."""
    return rules.zeros(grad, grad.shape)


def put_back(x: Any, self: Any, index: Any) -> Any:
    """Zeros like self, with x added at index."""
    return rules.scatter_index(x.reshape(-1), (self.size,), index.reshape(-1)).reshape(self.shape)


put_back_op = Op("MaxPool2DWithIndicesBackwardBackward0", put_back, grad_output=put_back_vjp, self=no_vjp)


def _max_pool(
    x: Any, kernel_size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool
) -> tuple[Any, Any]:
    """The largest of every window, and its number in its (unpadded) plane; the first of a tie, nan before all. Nothing is
    larger than -∞, and there the first element that is no padding counts."""
    module, moves = array_module(x), (kernel_size, stride, padding, dilation)
    out = sizes_of(x.shape, moves, ceil_mode)
    lowest = -math.inf if x.dtype.kind == "f" else module.iinfo(x.dtype).min
    padded, ends = planes(x), overhang(x.shape[-2:], out, moves)
    if any(ends):
        padded = pad_op.of(padded, pad=ends, value=lowest)
    has_nan = x.dtype.kind == "f" and anywhere(x != x)
    best: Any = None
    at: Any = None
    for (*_, i, j), place in places(out, kernel_size, stride, dilation):
        candidate = padded[place].copy()  # compared, and taken, several times: in one piece that is faster
        if best is None:
            best, at = candidate, module.empty(candidate.shape, module.int64)
            at[...] = beyond_padding(module, out, stride, padding, dilation, x.shape[-1])
            continue
        better = candidate > best
        if has_nan:
            better |= candidate != candidate
        module.maximum(best, candidate, out=best)
        module.putmask(at, better, i * dilation[0] * x.shape[-1] + j * dilation[1])
    at += corners(module, out, stride, padding, x.shape[-1])  # counted from the window's first element until here
    shape = (*x.shape[:-2], *out)
    return best.reshape(shape), at.reshape(shape)


@functools.lru_cache(64)
def corners(module: Any, out: Sizes, stride: Sizes, padding: Sizes, width: int) -> Any:
    """The number, in its plane, of each window's first element."""
    rows, columns = (module.arange(o) * s - p for o, s, p in zip(out, stride, padding, strict=True))
    return rows[:, None] * width + columns


@functools.lru_cache(64)
def beyond_padding(module: Any, out: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, width: int) -> Any:
    """The distance from each window's first element to its first one that is not front padding."""
    rows, columns = (-module.minimum(module.arange(o) * s - p, 0) for o, s, p in zip(out, stride, padding, strict=True))
    rows, columns = (-(-n // d) * d for n, d in zip((rows, columns), dilation, strict=True))
    return rows[:, None] * width + columns


max_pool_op = Op("MaxPool2DWithIndicesBackward0", _max_pool, outputs=("output", "indices"), self=max_pool_vjp)


# ------------------------------------------------------------------ the average


def avg_pool_vjp(
    grad: Any,
    self: Any,
    kernel_size: Sizes,
    stride: Sizes,
    padding: Sizes,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Any:
    """z = the average of every window: each of its elements has its share. torch: AvgPool2DBackward0.

    Only the shape of self is used, but torch's kernel is given all of it, and so its own derivative for it is 0, not None.
    """
    self_shape = tuple(self.shape)
    moves, out, channels = (kernel_size, stride, padding, (1, 1)), grad.shape[-2:], math.prod(grad.shape[:-2])
    share = planes(grad / (divisor_override or elements(rules.raw(grad), self_shape, out, moves, count_include_pad)))
    windows = rules.expand(rules.reshape(share, (1, channels, 1, 1, *out)), (1, channels, *kernel_size, *out))
    ends = overhang(self_shape[-2:], out, moves)
    size = tuple(n + sum(ends[2 * i : 2 * i + 2]) for n, i in zip(self_shape[-2:], (1, 0), strict=True))
    whole = fold_op.of(windows, size=size, kernel=kernel_size, stride=stride, dilation=(1, 1))
    inner = pad_op.of(whole, pad=tuple(-p for p in ends), value=0) if any(ends) else whole
    return rules.reshape(inner, self_shape)


def _avg_pool(
    x: Any,
    kernel_size: Sizes,
    stride: Sizes,
    padding: Sizes,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Any:
    moves = (kernel_size, stride, padding, (1, 1))
    out = sizes_of(x.shape, moves, ceil_mode)
    padded, ends = planes(x), overhang(x.shape[-2:], out, moves)
    if any(ends):
        padded = pad_op.of(padded, pad=ends, value=0)
    first, *others = [padded[place] for _, place in places(out, kernel_size, stride, (1, 1))]
    total = sum(others, first)
    divisor = divisor_override or elements(x, x.shape, out, moves, count_include_pad)
    return in_order((total.reshape((*x.shape[:-2], *out)) / divisor).astype(x.dtype, copy=False))


avg_pool_op = Op("AvgPool2DBackward0", in_single(_avg_pool), self=avg_pool_vjp, second="AvgPool2DBackwardBackward0")


def elements(like: Any, shape: Sizes, out: Sizes, moves: Moves, count_include_pad: bool) -> Any:
    """How many elements of an input of `shape` each window averages, and of its padding where that counts: an array
    like `like`, or one number where no window reaches beyond the input."""
    if not any(overhang(shape[-2:], out, moves)):
        return math.prod(moves[0])
    module, counts = array_module(like), []
    for n, o, k, s, p in zip(shape[-2:], out, *moves[:3], strict=True):
        start = module.arange(o) * s - p
        end = module.minimum(start + k, n + p)
        counts.append(end - start if count_include_pad else module.minimum(end, n) - module.maximum(start, 0))
    return (counts[0][:, None] * counts[1]).astype(like.dtype)


# ------------------------------------------------------------------ functions


@parsed()
def max_pool2d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: Bool = False,
    return_indices: Bool = False,
) -> Any:
    """The largest element of every window (torch.nn.functional.max_pool2d). input: (N, C, h, w) or (C, h, w).

    stride: the kernel's size by default. return_indices: also the index of each one in its plane.
    """
    moves = pairs("max_pool2d", kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation)
    if input._data.ndim not in (3, 4):
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    check_windows(input._data.shape, moves, flag(ceil_mode))
    no_kernel("max_pool2d", input)
    values, indices = max_pool_op(
        input, kernel_size=moves[0], stride=moves[1], padding=moves[2], dilation=moves[3], ceil_mode=ceil_mode
    )
    return (values, indices) if return_indices else values


@plain_function
def avg_pool2d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    ceil_mode: Bool = False,
    count_include_pad: Bool = True,
    divisor_override: Int | None = None,
) -> Tensor:
    """The average of every window (torch.nn.functional.avg_pool2d). input: (N, C, h, w) or (C, h, w)."""
    moves = pairs("avg_pool2d", kernel_size=kernel_size, stride=stride, padding=padding, dilation=1)
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    input.size(-3)  # an IndexError where there are fewer dimensions
    check_windows(input._data.shape, moves, flag(ceil_mode))
    if input._data.dtype != numpy.int64:
        no_kernel("avg_pool2d", input, "bui")
    return avg_pool_op(
        input,
        kernel_size=moves[0],
        stride=moves[1],
        padding=moves[2],
        ceil_mode=ceil_mode,
        count_include_pad=flag(count_include_pad),
        divisor_override=divisor_override,
    )


@parsed()
def max_pool1d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: Bool = False,
    return_indices: Bool = False,
) -> Any:
    """max_pool2d over one dimension, with a second of size 1 in between (torch.nn.functional.max_pool1d)."""
    if return_indices:
        check_dims("max_pool1d", input)
    given = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
    moves = singles("max_pool1d", not return_indices, **given)
    if not return_indices:
        check_max_pool1d(input, **moves, ceil_mode=flag(ceil_mode))
        no_kernel("max_pool1d_impl", input, "bui")
    kernel, step, ends, spread = moves.values()
    values, indices = max_pool2d(
        input.unsqueeze(-2), (1, kernel), (1, step), (0, ends), (1, spread), ceil_mode, return_indices=True
    )
    return (values.squeeze(-2), indices.squeeze(-2)) if return_indices else values.squeeze(-2)


@plain_function
def avg_pool1d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    ceil_mode: Bool = False,
    count_include_pad: Bool = True,
) -> Tensor:
    """avg_pool2d over one dimension (torch.nn.functional.avg_pool1d)."""
    check_dims("avg_pool1d", input)
    moves = singles("avg_pool1d", False, kernel_size=kernel_size, stride=stride, padding=padding)
    kernel, step, ends = moves.values()
    return avg_pool2d(input.unsqueeze(-2), (1, kernel), (1, step), (0, ends), ceil_mode, count_include_pad).squeeze(-2)
