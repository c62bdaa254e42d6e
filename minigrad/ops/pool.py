"""Pooling: the largest element of every window, or the average."""

from __future__ import annotations

import functools
import math
from typing import Any

from .. import rules
from ..backend import array_module, in_order, in_single, mean_array, numpy
from ..tensor import Tensor
from .arguments import Bool, Int, Ints, is_int, parsed, type_name
from .conv import fold_op, places
from .define import Op
from .pad import pad_op
from .pool_sizes import Moves, Sizes, check_dims, check_max_pool1d, check_windows, pairs, singles, sizes_of
from .promotion import no_kernel


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


def max_pool_vjp(grads: Any, self_shape: Sizes, result1: Any) -> Any:
    """values, indices = the largest of every window: its gradient goes to the element it was, which may have been the
    largest of several windows. torch: MaxPool2DWithIndicesBackward0."""
    index, plane = rules.raw(result1), math.prod(self_shape[-2:])
    offsets = array_module(index).arange(math.prod(self_shape[:-2])).reshape((*self_shape[:-2], 1, 1)) * plane
    return put_back_op.of(grads[0], shape=self_shape, index=index + offsets)


def put_back_vjp(grad: Any, index: Any) -> Any:
    """z = zeros with self added at index: the gradient at index."""
    return rules.reshape(rules.reshape(grad, (-1,))[index.reshape(-1)], index.shape)


def _put_back(x: Any, shape: Sizes, index: Any) -> Any:
    return rules.scatter_index(x.reshape(-1), (math.prod(shape),), index.reshape(-1)).reshape(shape)


put_back_op = Op("MaxPool2DWithIndicesBackwardBackward0", _put_back, self=put_back_vjp)


def _max_pool(
    x: Any, kernel_size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool
) -> tuple[Any, Any]:
    """The largest of every window, and its number in its (unpadded) plane; the first of a tie, nan before all."""
    module, moves = array_module(x), (kernel_size, stride, padding, dilation)
    out = sizes_of(x.shape, moves, ceil_mode)
    lowest = -math.inf if x.dtype.kind == "f" else module.iinfo(x.dtype).min
    padded, ends = planes(x), overhang(x.shape[-2:], out, moves)
    if any(ends):
        padded = pad_op.of(padded, pad=ends, value=lowest)
    has_nan = x.dtype.kind == "f" and module.isnan(x).any()
    best: Any = None
    at: Any = None
    for (*_, i, j), place in places(out, kernel_size, stride, dilation):
        candidate = padded[place].copy()  # compared, and taken, several times: in one piece that is faster
        if best is None:
            best, at = candidate, module.zeros(candidate.shape, module.int64)
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


max_pool_op = Op("MaxPool2DWithIndicesBackward0", _max_pool, outputs=2, self=max_pool_vjp)


# ------------------------------------------------------------------ the average


def avg_pool_vjp(
    grad: Any,
    self_shape: Sizes,
    kernel_size: Sizes,
    stride: Sizes,
    padding: Sizes,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Any:
    """z = the average of every window: each of its elements has its share. torch: AvgPool2DBackward0."""
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


avg_pool_op = Op("AvgPool2DBackward0", in_single(_avg_pool), self=avg_pool_vjp, again="AvgPool2DBackwardBackward0")


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

    stride: the kernel's size by default. return_indices: also where in its plane each one stood.
    """
    moves = pairs("max_pool2d", kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation)
    if input._data.ndim not in (3, 4):
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    check_windows(input._data.shape, moves, ceil_mode)
    no_kernel("max_pool2d", input)
    values, indices = max_pool_op(
        input, kernel_size=moves[0], stride=moves[1], padding=moves[2], dilation=moves[3], ceil_mode=ceil_mode
    )
    return (values, indices) if return_indices else values


@parsed()
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
    check_windows(input._data.shape, moves, ceil_mode)
    if input._data.dtype != numpy.int64:
        no_kernel("avg_pool2d", input, "bui")
    return avg_pool_op(
        input,
        kernel_size=moves[0],
        stride=moves[1],
        padding=moves[2],
        ceil_mode=ceil_mode,
        count_include_pad=count_include_pad,
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
        check_max_pool1d(input, **moves, ceil_mode=ceil_mode)
        no_kernel("max_pool1d_impl", input, "bui")
    kernel, step, ends, spread = moves.values()
    values, indices = max_pool2d(
        input.unsqueeze(-2), (1, kernel), (1, step), (0, ends), (1, spread), ceil_mode, return_indices=True
    )
    return (values.squeeze(-2), indices.squeeze(-2)) if return_indices else values.squeeze(-2)


@parsed()
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


# ------------------------------------------------------------------ to a given size


def evenly(n: int, parts: int) -> list[tuple[int, int]]:
    """Beginning and end of so many parts of n elements, as equal in length as can be; they may share an element."""
    return [(i * n // parts, -(-(i + 1) * n // parts)) for i in range(parts)]


def adaptive_vjp(grad: Any, self_shape: Sizes) -> Any:
    """z = the averages of even parts: each of a part's elements has its share. torch: AdaptiveAvgPool2DBackward0."""
    not_empty("adaptive_avg_pool2d_backward", "grad_output", tuple(grad.shape), 1 - len(grad.shape))
    return spread_op.of(grad, size=self_shape[-2:])


def spread_vjp(grad: Any, self_shape: Sizes) -> Any:
    """z = self's averages spread over their parts: the averages of the gradient."""
    return adaptive_op.of(grad, size=self_shape[-2:])


def _adaptive(x: Any, size: Sizes) -> Any:
    """One dimension after the other: the average over a rectangle is that of its rows' averages."""
    for dim, parts in zip((-2, -1), size, strict=True):
        whole = x.swapaxes(dim, -1)
        out = array_module(x).empty((*whole.shape[:-1], parts), x.dtype)
        for i, (start, end) in enumerate(evenly(whole.shape[-1], parts)):
            out[..., i] = mean_array(whole[..., start:end], (whole.ndim - 1,), False)
        x = out.swapaxes(dim, -1)
    return in_order(x)


def _spread(x: Any, size: Sizes) -> Any:
    for dim, n in zip((-2, -1), size, strict=True):
        parts = x.swapaxes(dim, -1)
        out = array_module(x).zeros((*parts.shape[:-1], n), x.dtype)
        for i, (start, end) in enumerate(evenly(n, parts.shape[-1])):
            out[..., start:end] += parts[..., i : i + 1] / (end - start)
        x = out.swapaxes(dim, -1)
    return x


adaptive_op = Op("AdaptiveAvgPool2DBackward0", _adaptive, self=adaptive_vjp)
spread_op = Op("AdaptiveAvgPool2DBackwardBackward0", _spread, self=spread_vjp)


def not_empty(name: str, what: str, shape: Sizes, first: int) -> None:
    """RuntimeError, in torch's words, where a dimension from `first` (counted from the end) on is empty."""
    for d in range(first, 0):
        if not shape[d]:
            raise RuntimeError(
                f"{name}(): Expected {what} to have non-zero size for non-batch dimensions, but {what} has sizes "
                f"{list(shape)} with dimension {len(shape) + d} being empty"
            )


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The average over as many even parts as output_size says (torch.nn.functional.adaptive_avg_pool2d).

    input: (N, C, h, w) or (C, h, w). output_size: one int, or two; None keeps the size there is.
    """
    data, name = input._data, "adaptive_avg_pool2d"
    if isinstance(output_size, int):
        h = w = output_size
    elif data.ndim <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    elif wrong := [i for i, size in enumerate(output_size) if not (size is None or is_int(size))]:
        raise TypeError(
            f"{name}(): argument 'output_size' (position 2) must be tuple of ints, but found element of type "
            f"{type_name(output_size[wrong[0]])} at pos {wrong[0]}"
        )
    elif len(output_size) != 2:
        raise RuntimeError(f"{name}: output_size must be 2")
    else:
        h, w = (n if size is None else size for size, n in zip(output_size, data.shape[-2:], strict=True))
    if min(h, w) < 0:
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received {{{h}, {w}}}"
        )
    if (h, w) == (1, 1):
        return input.mean((-1, -2), keepdim=True)
    if data.ndim not in (3, 4):
        raise RuntimeError(f"{name}(): Expected 3D or 4D tensor, but got {list(data.shape)}")
    not_empty(name, "input", data.shape, -2)
    no_kernel(name, input, "bui")
    return adaptive_op(input, size=(h, w))
