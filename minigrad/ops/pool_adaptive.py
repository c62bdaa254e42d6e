"""Pooling to a given size: the average, or the largest element, of as many even parts as are asked for."""

from __future__ import annotations

from typing import Any

from ..backend import anywhere, array_module, in_order, mean_array
from ..creation import check_sizes
from ..tensor import Tensor
from .arguments import Bool, Ints, is_int, parsed, type_name
from .define import Op
from .lazy import plain_function
from .pool import in_whole, no_vjp, put_back, put_back_vjp
from .pool_sizes import Sizes, check_dims, singles
from .promotion import no_kernel
from .validate import asked_shape


def evenly(n: int, parts: int) -> list[tuple[int, int]]:
    """Beginning and end of so many parts of n elements, as equal in length as can be; they may share an element."""
    return [(i * n // parts, -(-(i + 1) * n // parts)) for i in range(parts)]


def adaptive_vjp(grad: Any, self: Any) -> Any:
    """z = the averages of even parts: each of a part's elements has its share. torch: AdaptiveAvgPool2DBackward0."""
    not_empty("adaptive_avg_pool2d_backward", "grad_output", tuple(grad.shape), 1 - len(grad.shape))
    return spread_op.of(grad, self)


def spread_vjp(grad: Any, grad_output_shape: Sizes) -> Any:
    """z = averages spread over their parts of something like self: the averages of the gradient."""
    return adaptive_op.of(grad, size=grad_output_shape[-2:])


def _adaptive(x: Any, size: Sizes) -> Any:
    """One dimension after the other: the average over a rectangle is that of its rows' averages."""
    for dim, parts in zip((-2, -1), size, strict=True):
        whole = x.swapaxes(dim, -1)
        out = array_module(x).empty((*whole.shape[:-1], parts), x.dtype)
        for i, (start, end) in enumerate(evenly(whole.shape[-1], parts)):
            out[..., i] = mean_array(whole[..., start:end], (whole.ndim - 1,), False)
        x = out.swapaxes(dim, -1)
    return in_order(x)


def _spread(x: Any, self: Any) -> Any:
    for dim, n in zip((-2, -1), self.shape[-2:], strict=True):
        parts = x.swapaxes(dim, -1)
        out = array_module(x).zeros((*parts.shape[:-1], n), x.dtype)
        for i, (start, end) in enumerate(evenly(n, parts.shape[-1])):
            out[..., start:end] += parts[..., i : i + 1] / (end - start)
        x = out.swapaxes(dim, -1)
    return x


adaptive_op = Op("AdaptiveAvgPool2DBackward0", _adaptive, self=adaptive_vjp)
spread_op = Op("AdaptiveAvgPool2DBackwardBackward0", _spread, grad_output=spread_vjp, self=no_vjp)


def not_empty(name: str, what: str, shape: Sizes, first: int) -> None:
    """RuntimeError, in torch's words, where a dimension from `first` (counted from the end) on is empty."""
    for d in range(first, 0):
        if not shape[d]:
            raise RuntimeError(
                f"{name}(): Expected {what} to have non-zero size for non-batch dimensions, but {what} has sizes "
                f"{list(shape)} with dimension {len(shape) + d} being empty"
            )


def largest_vjp(grads: Any, self: Any, result1: Any) -> Any:
    """values, indices = the largest of every part: its gradient goes to the element it was. torch:
    AdaptiveMaxPool2DBackward0."""
    not_empty("adaptive_max_pool2d_backward", "grad_output", tuple(grads[0].shape), 1 - len(grads[0].shape))
    return back_op.of(grads[0], self, index=in_whole(result1, self.shape))


def _largest(x: Any, size: Sizes) -> tuple[Any, Any]:
    """The largest of every part, and its number in its plane; the first of a tie, but before all the last nan."""
    module, (h, w) = array_module(x), x.shape[-2:]
    has_nan = x.dtype.kind == "f" and anywhere(x != x)
    values, indices = (module.empty((*x.shape[:-2], *size), dtype) for dtype in (x.dtype, "int64"))
    for i, (top, bottom) in enumerate(evenly(h, size[0])):
        for j, (left, right) in enumerate(evenly(w, size[1])):
            part = x[..., top:bottom, left:right]
            part = part.reshape((*x.shape[:-2], (bottom - top) * (right - left)))
            at = part.argmax(-1)
            if has_nan:
                nan = module.isnan(part)
                at = module.where(nan.any(-1), part.shape[-1] - 1 - nan[..., ::-1].argmax(-1), at)
            values[..., i, j] = module.take_along_axis(part, at[..., None], -1)[..., 0]
            indices[..., i, j] = (top + at // (right - left)) * w + left + at % (right - left)
    return values, indices


largest_op = Op("AdaptiveMaxPool2DBackward0", _largest, outputs=("output", "indices"), self=largest_vjp)
back_op = Op("AdaptiveMaxPool2DBackwardBackward0", put_back, grad_output=put_back_vjp, self=no_vjp)


# ------------------------------------------------------------------ functions


def size_of(name: str, input: Tensor, output_size: Any, not_two: str) -> Sizes:
    """Height and width; what is wrong with them in torch's words."""
    shape = asked_shape(input)
    if isinstance(output_size, int):
        return output_size, output_size
    if len(shape) <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    for i, size in enumerate(output_size):
        if not (size is None or is_int(size)):
            raise TypeError(
                f"{name}(): argument 'output_size' (position 2) must be tuple of ints, but found element of type "
                f"{type_name(size)} at pos {i}"
            )
    if len(output_size) != 2:
        raise RuntimeError(not_two)
    h, w = (n if size is None else size for size, n in zip(output_size, shape[-2:], strict=True))
    return h, w


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The average over as many even parts as output_size says (torch.nn.functional.adaptive_avg_pool2d).

    input: (N, C, h, w) or (C, h, w). output_size: one int, or two; None keeps the size there is.
    """
    name = "adaptive_avg_pool2d"
    h, w = size_of(name, input, output_size, f"{name}: output_size must be 2")
    data = input._data
    if min(h, w) < 0:
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received {{{h}, {w}}}"
        )
    if (h, w) == (1, 1):
        return input.mean((-1, -2), keepdim=True)
    if data.ndim not in (3, 4):
        raise RuntimeError(f"{name}(): Expected 3D or 4D tensor, but got {list(data.shape)}")
    not_empty(name, "input", data.shape, -2)
    if data.size and h and w:
        no_kernel(name, input, "bui")
    return adaptive_op(input, size=(h, w))


@plain_function
def adaptive_avg_pool1d(input: Tensor, output_size: Ints) -> Tensor:
    """adaptive_avg_pool2d over one dimension (torch.nn.functional.adaptive_avg_pool1d)."""
    check_dims("adaptive_avg_pool1d", input)
    n = singles("adaptive_avg_pool1d", False, output_size=output_size)["output_size"]
    return adaptive_avg_pool2d(input.unsqueeze(-2), (1, n)).squeeze(-2)


def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: Bool = False) -> Any:
    """The largest element of as many even parts as output_size says (torch.nn.functional.adaptive_max_pool2d).

    input: (N, C, h, w) or (C, h, w). output_size: one int, or two; None keeps the size there is. return_indices: also
    the index of each one in its plane.
    """
    name = "adaptive_max_pool2d"
    h, w = size_of(name, input, output_size, f"{name}(): internal error: output_size.size() must be 2")
    data = input._data
    if data.ndim not in (3, 4):
        raise RuntimeError(f"{name}(): Expected 3D or 4D tensor, but got: {list(data.shape)}")
    not_empty(name, "input", data.shape, 1 - data.ndim)
    check_sizes((*data.shape[:-2], h, w))
    no_kernel(name, input, "bui")
    values, indices = largest_op(input, size=(h, w))
    return (values, indices) if return_indices else values


@parsed()
def adaptive_max_pool1d(input: Tensor, output_size: Ints, return_indices: Bool = False) -> Any:
    """adaptive_max_pool2d over one dimension (torch.nn.functional.adaptive_max_pool1d)."""
    name = "adaptive_max_pool1d"
    check_dims(name, input)
    n = singles(name, False, output_size=output_size)["output_size"]
    not_empty(name, "input", input._data.shape, 1 - input._data.ndim)
    check_sizes((*input.shape[:-1], 1, n))
    values, indices = adaptive_max_pool2d(input.unsqueeze(-2), (1, n), True)
    return (values.squeeze(-2), indices.squeeze(-2)) if return_indices else values.squeeze(-2)
