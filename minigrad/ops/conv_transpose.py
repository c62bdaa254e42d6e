"""Transposed convolution: what convolution's gradient does to its input, as an operation of its own.

Every element of the input is multiplied with the whole kernel and added to the output where the kernel lies. Its
gradients are therefore convolution itself and convolution's gradient for the weight, with input and output swapped.
"""

from __future__ import annotations

from typing import Any

from .. import rules
from ..tensor import Tensor
from .arguments import Int, Ints
from .conv import (
    Sizes,
    check_groups,
    check_numbers,
    convolution_op,
    convolution_vjp_bias,
    convolution_vjp_input,
    convolution_vjp_weight,
    per_dimension,
    refuse_empty,
    refuse_no_kernel,
)
from .define import Op
from .layer_norm import stand_in
from .lazy import plain_function
from .linalg import ctype
from .pad import pad_op
from .promotion import no_kernel


def output_size(
    size: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, output_padding: Sizes
) -> Sizes:
    """The size from which a convolution with this kernel comes to `size`; output_padding picks one of several."""
    each = zip(size, kernel, stride, padding, dilation, output_padding, strict=True)
    return tuple((n - 1) * s - 2 * p + d * (k - 1) + o + 1 for n, k, s, p, d, o in each)


def within(grad: Any, stride: Sizes, padding: Sizes, output_padding: Sizes) -> tuple[Any, Sizes]:
    """The gradient of a spread and the padding with which it has as many windows as the input has elements.

    output_padding of a stride or more, which a wide dilation allows, would make for more windows: so much is cut off.
    """
    if all(o < s for o, s in zip(output_padding, stride, strict=True)):
        return grad, padding
    ends = zip(reversed(padding), reversed(output_padding), strict=True)
    pad = tuple(n for p, o in ends for n in (p, p - o))
    return pad_op.of(grad, pad=pad, value=0), (0,) * len(padding)


def transposed_vjp_input(
    grad: Any, weight: Any, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int, output_padding: Sizes
) -> Any:
    """z = the input spread by weight: the gradient convolved with it. torch: ConvolutionBackward0."""
    grad, padding = within(grad, stride, padding, output_padding)
    moves = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    return convolution_op.of(grad, weight, rules.zeros(grad, ()), **moves, transposed=False, output_padding=())


def transposed_vjp_weight(
    grad: Any,
    input: Any,
    weight_shape: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    groups: int,
    output_padding: Sizes,
) -> Any:
    """z = the input spread by weight: convolution's gradient for the weight, input and gradient having swapped places."""
    grad, padding = within(grad, stride, padding, output_padding)
    return convolution_vjp_weight(input, grad, weight_shape, stride, padding, dilation, groups)


def _transposed(
    x: Any,
    weight: Any,
    bias: Any,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    groups: int,
    transposed: bool,
    output_padding: Sizes,
) -> Any:
    size = output_size(x.shape[2:], weight.shape[2:], stride, padding, dilation, output_padding)
    channels = weight.shape[1] * groups
    z = convolution_vjp_input(x, (x.shape[0], channels, *size), weight, stride, padding, dilation, groups)
    return z + bias.reshape((-1, *[1] * len(size))) if bias.ndim else z


transposed_op = Op(
    "ConvolutionBackward0",
    _transposed,
    second="ConvolutionBackwardBackward0",
    input=transposed_vjp_input,
    weight=transposed_vjp_weight,
    bias=convolution_vjp_bias,
)


# ------------------------------------------------------------------ functions


def spread(
    ndim: int,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: int,
    dilation: Any,
) -> Tensor:
    """conv_transpose1d and conv_transpose2d: arguments brought to one form, a missing batch dimension added for the while."""
    if input._data.ndim not in (ndim + 1, ndim + 2):
        raise RuntimeError(
            f"Expected {ndim + 1}D (unbatched) or {ndim + 2}D (batched) input to conv_transpose{ndim}d, but got input of "
            f"size: {list(input._data.shape)}"
        )
    if input._data.ndim == ndim + 1:
        batch = input.unsqueeze(0)
        return spread(ndim, batch, weight, bias, stride, padding, output_padding, groups, dilation).squeeze(0)
    dims = weight._data.ndim - 2
    if dims < 1:
        raise RuntimeError("weight should have at least three dimensions")
    moves = {
        name: per_dimension(value, ndim, dims, name)
        for name, value in (
            ("stride", stride), ("padding", padding), ("dilation", dilation), ("output_padding", output_padding),
        )
    }  # fmt: skip
    if min(moves["dilation"]) < 0:
        raise RuntimeError("dilation should be greater than zero")
    check(input, weight, bias, groups, **moves)
    absent = stand_in(input, 0) if bias is None else bias if bias.is_floating_point() else bias.to(input.dtype)
    return transposed_op(input, weight, absent, groups=groups, transposed=True, **moves)


def check_moves(size: Sizes, kernel: Sizes, stride: Sizes, dilation: Sizes, output_padding: Sizes) -> None:
    """RuntimeError for a dilation of 0, and for an output_padding that would be a step further."""
    if 0 in dilation and 0 not in (*size, *kernel):
        height, width = (1, *dilation)[-2:]
        raise RuntimeError(
            f"dilation should be greater than zero, but got dilation_height: {height}, dilation_width: {width}"
        )
    if size[0] and any(o >= s and o >= d for o, s, d in zip(output_padding, stride, dilation, strict=True)):
        words = [
            f"{name}_height: {height} {name}_width: {width}"
            for name, first, values in (
                ("output_padding", 0, output_padding), ("stride", 1, stride), ("dilation", 1, dilation),
            )
            for height, width in [(first, *values)[-2:]]
        ]  # fmt: skip
        raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got {' '.join(words)}")


def check(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    groups: int,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    output_padding: Sizes,
) -> None:
    """Errors, in torch's words, for sizes and dtypes that do not go together."""
    size, shape = input._data.shape, weight._data.shape
    check_numbers(stride, padding, groups, output_padding)
    if len(shape) != len(size):
        raise RuntimeError(
            f"Expected {len(shape)}-dimensional input for {len(shape)}-dimensional weight {list(shape)}, but got "
            f"{len(size)}-dimensional input of size {list(size)} instead"
        )
    check_groups(shape, groups)
    if size[1] != shape[0]:
        raise RuntimeError(
            f"Given transposed=1, weight of size {list(shape)}, expected input{list(size)} to have {shape[0]} channels, but "
            f"got {size[1]} channels instead"
        )
    if bias is not None and bias._data.shape != (shape[1] * groups,):
        raise RuntimeError(
            f"Given transposed=1, weight of size {list(shape)}, expected bias to be 1-dimensional with {shape[1] * groups} "
            f"elements, but got bias of size {list(bias._data.shape)} instead"
        )
    check_moves(size, shape[2:], stride, dilation, output_padding)
    refuse_empty(size)
    if not shape[1]:
        in_plane = [*shape[:2], *[1] * (4 - len(shape)), *shape[2:]]
        raise RuntimeError(f"non-empty 2D or 4D weight tensor expected, but got: {in_plane}")
    refuse_no_kernel(shape[2:])
    no_kernel("slow_conv_transpose2d_out_cpu", input, "b" if input._data.dtype == "int64" else "biu")
    if weight._data.dtype is not input._data.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.type_name} but found {weight.dtype.type_name}")
    if bias is not None and bias._data.dtype is not input._data.dtype and bias.is_floating_point():
        raise RuntimeError(f"Input type ({ctype(input)}) and bias type ({ctype(bias)}) should be the same")
    out = output_size(size[2:], shape[2:], stride, padding, dilation, output_padding)
    if min(out) < (1 if size[0] else 0):
        given, found = (f"({' x '.join(map(str, (1, *sizes)[-2:]))})" for sizes in (size[2:], out))
        raise RuntimeError(
            f"Given input size per channel: {given}. Calculated output size per channel: {found}. Output size is too small"
        )


@plain_function
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Ints = 0,
    output_padding: Ints = 0,
    groups: Int = 1,
    dilation: Ints = 1,
) -> Tensor:
    """(N, in, length) → (N, out, length'), by a kernel of shape (in, out / groups, k)
    (torch.nn.functional.conv_transpose1d)."""
    return spread(1, input, weight, bias, stride, padding, output_padding, groups, dilation)


@plain_function
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Ints = 0,
    output_padding: Ints = 0,
    groups: Int = 1,
    dilation: Ints = 1,
) -> Tensor:
    """(N, in, h, w) → (N, out, h', w'), by a kernel of shape (in, out / groups, kh, kw)
    (torch.nn.functional.conv_transpose2d): the way back of a conv2d with these settings."""
    return spread(2, input, weight, bias, stride, padding, output_padding, groups, dilation)
