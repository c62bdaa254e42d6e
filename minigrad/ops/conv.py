"""Convolution in any number of dimensions, as one matrix product over the windows of the input.

`unfold` copies every window of the input into a column; `fold` adds columns back to where they came from. Each is the
other's derivative, and convolution is a matrix product between them, so its rules hold for every order.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any, TypeAlias

from .. import rules
from ..backend import array_module, in_order
from ..errors import warn_once
from ..strides import restrided
from ..tensor import Tensor
from .arguments import Int, Ints, as_int
from .define import Op
from .layer_norm import stand_in
from .lazy import plain_function
from .linalg import ctype
from .pad import pad_op
from .promotion import no_kernel, unsupported

Sizes = tuple[int, ...]
IntsOrStr: TypeAlias = int | Sequence[int] | str  # a padding, which may have a name


def windows(size: Sizes, kernel: Sizes, stride: Sizes, dilation: Sizes) -> Sizes:
    """How often a kernel fits into each dimension of (padded) `size`."""
    return tuple((n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(size, kernel, stride, dilation, strict=True))


@functools.lru_cache(maxsize=64)
def places(out: Sizes, kernel: Sizes, stride: Sizes, dilation: Sizes) -> tuple[tuple[Any, Any], ...]:
    """For each element of the kernel: its index, and the slice of the input that it meets as it moves.

    Kept for the next call: a layer asks for the same ones at every step, and making them costs more than using them.
    """
    found = []
    for index in itertools.product(*map(range, kernel)):
        starts = [i * d for i, d in zip(index, dilation, strict=True)]
        met = [slice(i, i + s * (n - 1) + 1, s) for i, s, n in zip(starts, stride, out, strict=True)]
        found.append(((slice(None), slice(None), *index), (slice(None), slice(None), *met)))
    return tuple(found)


def _unfold(x: Any, kernel: Sizes, stride: Sizes, dilation: Sizes) -> Any:
    """(N, C, *size, …) → (N, C, *kernel, *out, …)."""
    images, channels, *steps = x.strides
    dims = len(kernel)
    steps, rest = steps[:dims], steps[dims:]
    within = [step * d for step, d in zip(steps, dilation, strict=True)]  # from one element of a window to the next
    between = [step * s for step, s in zip(steps, stride, strict=True)]  # from one window to the next
    out = windows(x.shape[2 : 2 + dims], kernel, stride, dilation)
    shape = (*x.shape[:2], *kernel, *out, *x.shape[2 + dims :])
    return restrided(x, shape, [images, channels, *within, *between, *rest]).copy()


def _fold(columns: Any, size: Sizes, kernel: Sizes, stride: Sizes, dilation: Sizes) -> Any:
    """(N, C, *kernel, *out, …) → (N, C, *size, …), overlapping windows added up."""
    out, rest = 2 + len(kernel), 2 + 2 * len(kernel)
    x = array_module(columns).zeros((*columns.shape[:2], *size, *columns.shape[rest:]), columns.dtype)
    for index, place in places(columns.shape[out:rest], kernel, stride, dilation):
        x[place] += columns[index]
    return x


def unfold_vjp(grad: Any, self_shape: Sizes, kernel: Sizes, stride: Sizes, dilation: Sizes) -> Any:
    """z = the windows of self: what each window got goes back to where the window was."""
    return fold_op.of(grad, size=self_shape[2 : 2 + len(kernel)], kernel=kernel, stride=stride, dilation=dilation)


def fold_vjp(grad: Any, kernel: Sizes, stride: Sizes, dilation: Sizes) -> Any:
    """z = self's windows added up: each window gets the gradient of the place it was added to."""
    return unfold_op.of(grad, kernel=kernel, stride=stride, dilation=dilation)


unfold_op = Op("Im2ColBackward0", _unfold, self=unfold_vjp)
fold_op = Op("Col2ImBackward0", _fold, self=fold_vjp)


# ------------------------------------------------------------------ convolution


def surrounded(x: Any, padding: Sizes) -> Any:
    """An array or Tensor with `padding` more zeros at both ends of its last dimensions (negative: less)."""
    both = tuple(p for n in reversed(padding) for p in (n, n))  # as `pad` takes it, the last dimension first
    return pad_op.of(x, pad=both, value=0) if any(both) else x


def as_matrices(x: Any, groups: int, rows: int) -> Any:
    """(N, groups · rows, …) → (N, groups, rows, the rest)."""
    return rules.reshape(x, (x.shape[0], groups, rows, -1 if x.shape[0] and rows else 0))


def images_last(x: Any) -> Any:
    """(N, C, …) → (C, …, N): what is added up window by window then lies in long rows."""
    return rules.permute(x, (*range(1, len(x.shape)), 0))


def images_first(x: Any) -> Any:
    """(C, …, N) → (N, C, …), in order."""
    x = rules.permute(x, (len(x.shape) - 1, *range(len(x.shape) - 1)))
    return x.contiguous() if rules.is_tensor(x) else in_order(x)


def convolution_vjp_input(
    grad: Any, input_shape: Sizes, weight: Any, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Any:
    """z = weight · windows(input) + bias: weightᵀ · grad is the windows' gradient, folded back to the input.

    grad: (N, out, *out_size), weight: (out, in / groups, *kernel) → input_shape, (N, in, *size).
    """
    if not input_shape[1]:
        return rules.zeros(grad, input_shape)
    out, per_group, *kernel = weight.shape
    matrix = rules.reshape(weight, (groups, out // groups, per_group * math.prod(kernel)))
    grad = images_last(grad)
    grad_matrix = rules.reshape(grad, (groups, out // groups, math.prod(grad.shape[1:])))
    columns = rules.swapaxes(matrix, -1, -2) @ grad_matrix
    columns = rules.reshape(columns, (1, input_shape[1], *kernel, *grad.shape[1:]))
    padded = tuple(n + 2 * p for n, p in zip(input_shape[2:], padding, strict=True))
    whole = fold_op.of(columns, size=padded, kernel=tuple(kernel), stride=stride, dilation=dilation)
    whole = images_first(rules.reshape(whole, (input_shape[1], *padded, input_shape[0])))
    return surrounded(whole, tuple(-p for p in padding))


def convolution_vjp_weight(
    grad: Any, input: Any, weight_shape: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Any:
    """z = weight · windows(input) + bias: grad · windows(input)ᵀ, summed over the batch.

    grad: (N, out, *out_size), input: (N, in, *size) → weight_shape, (out, in / groups, *kernel).
    """
    if not weight_shape[1]:
        return rules.zeros(grad, weight_shape)
    out, per_group, *kernel = weight_shape
    columns = unfold_op.of(surrounded(input, padding), kernel=tuple(kernel), stride=stride, dilation=dilation)
    columns = as_matrices(columns, groups, per_group * math.prod(kernel))
    product = as_matrices(grad, groups, out // groups) @ rules.swapaxes(columns, -1, -2)
    return rules.reshape(rules.sum(product, (0,), False), weight_shape)


def convolution_vjp_bias(grad: Any, bias_shape: Sizes) -> Any:
    """z = weight · windows(input) + bias: the sum over the batch and all places."""
    if not grad.shape[1]:
        return rules.zeros(grad, bias_shape)
    return rules.sum(grad, (0, *range(2, len(grad.shape))), False)


def _convolution(
    x: Any,
    weight: Any,
    bias: Any,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    groups: int,
    transposed: bool = False,
    output_padding: Sizes = (),
) -> Any:
    out, per_group, *kernel = weight.shape
    columns = _unfold(surrounded(x, padding), tuple(kernel), stride, dilation)
    size = columns.shape[2 + len(kernel) :]
    if not x.shape[1]:  # torch makes nothing of no channels, whatever the weight is
        return array_module(x).zeros((x.shape[0], 0, *size), x.dtype)
    matrix = weight.reshape((groups, out // groups, -1))
    z = (matrix @ as_matrices(columns, groups, per_group * math.prod(kernel))).reshape((x.shape[0], out, *size))
    if bias.ndim:
        z += bias.reshape((-1, *[1] * len(size)))
    return z


convolution_op = Op(
    "ConvolutionBackward0",
    _convolution,
    second="ConvolutionBackwardBackward0",
    input=convolution_vjp_input,
    weight=convolution_vjp_weight,
    bias=convolution_vjp_bias,
)


# ------------------------------------------------------------------ functions


def per_dimension(value: Any, ndim: int, dims: int, name: str) -> Sizes:
    """One int for every dimension of a function over `ndim`, or as many as the weight has `dims`; RuntimeError for
    another number."""
    sizes = tuple(value) if isinstance(value, list | tuple) else (as_int(value),) * ndim
    if len(sizes) == 1:
        return sizes * dims
    if len(sizes) != dims:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {dims} values to match the convolution "
            f"dimensions, but got {name}={list(sizes)}"
        )
    return sizes


PADDED_COPY = (
    "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input be "
    "created"
)


def same_padding(kernel: Sizes, stride: Sizes, dilation: Sizes) -> tuple[Sizes, Sizes]:
    """padding='same': what goes around the input, and what is padded at its far end besides (even kernels)."""
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    totals = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
    if any(total % 2 for total in totals):
        warn_once(PADDED_COPY)
    return tuple(t // 2 for t in totals), tuple(t % 2 for t in totals)


def convolve(
    ndim: int, input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: int
) -> Tensor:
    """conv1d, conv2d, …: arguments brought to one form and checked, a missing batch dimension added for the while."""
    if bias is not None and bias._data.dtype is not input._data.dtype:
        raise RuntimeError(f"Input type ({ctype(input)}) and bias type ({ctype(bias)}) should be the same")
    if input._data.ndim not in (ndim + 1, ndim + 2):
        raise RuntimeError(
            f"Expected {ndim + 1}D (unbatched) or {ndim + 2}D (batched) input to conv{ndim}d, but got input of size: "
            f"{list(input._data.shape)}"
        )
    if weight._data.ndim < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if input._data.ndim == ndim + 1:
        return convolve(ndim, input.unsqueeze(0), weight, bias, stride, padding, dilation, groups).squeeze(0)
    dims = weight._data.ndim - 2
    named = isinstance(padding, str)
    if not named or ndim == dims:  # else torch looks at the dimensions first
        stride, dilation = per_dimension(stride, ndim, dims, "stride"), per_dimension(dilation, ndim, dims, "dilation")
        padding = padding if named else per_dimension(padding, ndim, dims, "padding")
    if ndim != dims:
        gap = "" if named else " "
        raise RuntimeError(
            f"Expected {dims + 2}-dimensional input for {dims + 2}-dimensional weight{gap}{list(weight._data.shape)}, but "
            f"got {ndim + 2}-dimensional input of size {list(input._data.shape)} instead"
        )
    if min(dilation) < 0:
        raise RuntimeError("dilation should be greater than zero")
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise RuntimeError(f"Invalid padding string: '{padding}'")
        padding, more = (
            ((0,) * ndim, ()) if padding == "valid" else same_padding(weight._data.shape[2:], stride, dilation)
        )
        if any(more):
            input = pad_op(input, pad=tuple(p for n in reversed(more) for p in (0, n)), value=0)
    check(input, weight, bias, stride, padding, dilation, groups)
    absent = stand_in(input, 0) if bias is None else bias
    return convolution_op(
        input,
        weight,
        absent,
        stride=stride,
        padding=padding,
        dilation=dilation,
        groups=groups,
        transposed=False,
        output_padding=(0,) * ndim,
    )


def check_numbers(stride: Sizes, padding: Sizes, groups: int, output_padding: Sizes = (0,)) -> None:
    """RuntimeError for less than no padding, and for a stride or number of groups that is not positive."""
    for what, values, least in (
        ("negative padding", padding, 0), ("negative output_padding", output_padding, 0),
        ("non-positive stride", stride, 1), ("non-positive groups", (groups,), 1),
    ):  # fmt: skip
        if min(values) < least:
            raise RuntimeError(f"{what} is not supported")


def check_groups(weight_shape: Sizes, groups: int) -> None:
    """RuntimeError for groups that the channels which come first in the weight cannot be divided into."""
    if weight_shape[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size "
            f"{list(weight_shape)} instead"
        )
    if weight_shape[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size [{list(weight_shape)}] instead"
        )


def refuse_no_kernel(kernel: Sizes, dilation: Sizes = (1,)) -> None:
    """RuntimeError for a kernel without a place in it."""
    if 0 in kernel:
        height, width = (1, *kernel)[-2:]
        got = f"kernel_height: {height} kernel_width: {width}" if {*dilation} == {1} else [height, width]
        raise RuntimeError(f"kernel size should be greater than zero, but got {got}")


def refuse_empty(size: Sizes) -> None:
    """RuntimeError for an input without elements, unless it has no batch or no channels."""
    if size[0] and size[1] and 0 in size:
        raise RuntimeError(
            "Only zero batch or zero channel inputs are supported, but got input shape: "
            f"{[*size[:2], *[1] * (4 - len(size)), *size[2:]]}"
        )


def check(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> None:
    """Errors, in torch's words, for sizes and dtypes that do not go together."""
    size, shape = input._data.shape, weight._data.shape
    check_numbers(stride, padding, groups)
    check_groups(shape, groups)
    if size[1] != shape[1] * groups:
        raise RuntimeError(
            f"Given groups={groups}, weight of size {list(shape)}, expected input{list(size)} to have "
            f"{shape[1] * groups} channels, but got {size[1]} channels instead"
        )
    if bias is not None and bias._data.shape != shape[:1]:
        raise RuntimeError(
            f"Given weight of size {list(shape)}, expected bias to be 1-dimensional with {shape[0]} elements, but got "
            f"bias of size {list(bias._data.shape)} instead"
        )
    padded = [n + 2 * p for n, p in zip(size[2:], padding, strict=True)]
    if 0 in dilation and 0 not in shape[2:]:
        raise RuntimeError(f"dilation should be greater than zero, but got {[1, *dilation][-max(2, len(dilation)) :]}")
    if min(windows(tuple(padded), shape[2:], stride, dilation)) < 1:
        reach = [d * (k - 1) + 1 for d, k in zip(dilation, shape[2:], strict=True)]
        raise RuntimeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, padded))}). Kernel size: "
            f"({' x '.join(map(str, reach))}). Kernel size can't be greater than actual input size"
        )
    refuse_empty(size)
    if input._data.size:
        refuse_no_kernel(shape[2:], dilation)
    if max(dilation) > 1 and input._data.dtype.kind in "ui" and input._data.dtype.itemsize < 8:
        raise unsupported("slow_conv_dilated<>", input._data)
    no_kernel("slow_conv_dilated<>" if max(dilation) > 1 else "slow_conv2d_cpu", input)
    if input._data.dtype is not weight._data.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.type_name} but found {weight.dtype.type_name}")


@plain_function
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: IntsOrStr = 0,
    dilation: Ints = 1,
    groups: Int = 1,
) -> Tensor:
    """(N, in, length) → (N, out, length'), by a kernel of shape (out, in / groups, k) (torch.nn.functional.conv1d)."""
    return convolve(1, input, weight, bias, stride, padding, dilation, groups)


@plain_function
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: IntsOrStr = 0,
    dilation: Ints = 1,
    groups: Int = 1,
) -> Tensor:
    """(N, in, h, w) → (N, out, h', w'), by a kernel of shape (out, in / groups, kh, kw) (torch.nn.functional.conv2d).

    padding: zeros around the input, ints or "same" or "valid".
    """
    return convolve(2, input, weight, bias, stride, padding, dilation, groups)


@plain_function
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: IntsOrStr = 0,
    dilation: Ints = 1,
    groups: Int = 1,
) -> Tensor:
    """(N, in, d, h, w) → (N, out, d', h', w'), by a kernel of shape (out, in / groups, kd, kh, kw)
    (torch.nn.functional.conv3d)."""
    return convolve(3, input, weight, bias, stride, padding, dilation, groups)
