"""Every window of an image as a column, and columns added back to images: unfold and fold (im2col, col2im).

Each is the other's derivative. How windows are copied and added is in conv.py, which works with the same two; here they
take a batch or a single image, padding, and torch's arguments.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ..tensor import Tensor
from .arguments import IntList, Ints, as_int, parsed
from .conv import Sizes, _fold, _unfold, surrounded
from .define import Op
from .promotion import no_kernel


def im2col_vjp(grad: Any, self_shape: Sizes, kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> Any:
    """z = the windows of self: what each window got goes back to where the window was."""
    sizes = {"kernel_size": kernel_size, "dilation": dilation, "padding": padding, "stride": stride}
    return col2im_op.of(grad, output_size=self_shape[-2:], **sizes)


def col2im_vjp(grad: Any, kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> Any:
    """z = self's windows added up: each window gets the gradient of the place it was added to."""
    return im2col_op.of(grad, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)


def _im2col(x: Any, kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> Any:
    """(…, C, h, w) → (…, C · kh · kw, windows)."""
    batch, (channels, *size) = x.shape[:-3], x.shape[-3:]
    images = x.reshape(math.prod(batch), channels, *size)
    columns = _unfold(surrounded(images, padding), kernel_size, stride, dilation)
    return columns.reshape(*batch, channels * math.prod(kernel_size), math.prod(columns.shape[4:]))


def _col2im(x: Any, output_size: Sizes, kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> Any:
    """(…, C · kh · kw, windows) → (…, C, *output_size)."""
    batch, rows = x.shape[:-2], x.shape[-2]
    channels = rows // math.prod(kernel_size)
    out = counted(output_size, kernel_size, dilation, padding, stride)
    columns = x.reshape(math.prod(batch), channels, *kernel_size, *out)
    padded = tuple(n + 2 * p for n, p in zip(output_size, padding, strict=True))
    whole = _fold(columns, padded, kernel_size, stride, dilation)
    return surrounded(whole, tuple(-p for p in padding)).reshape(*batch, channels, *output_size)


im2col_op = Op("Im2ColBackward0", _im2col, self=im2col_vjp)
col2im_op = Op("Col2ImBackward0", _col2im, self=col2im_vjp)


# ------------------------------------------------------------------ functions


def counted(size: Sizes, kernel: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> Sizes:
    """How many windows there are in each dimension."""
    moves = zip(size, kernel, dilation, padding, stride, strict=True)
    return tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, d, p, s in moves)


def pair(value: Any) -> tuple[Any, ...]:
    """One value for both dimensions, or what is given for each."""
    return tuple(value) if isinstance(value, Iterable) else (value, value)


def checked(order: str, **given: Any) -> dict[str, Sizes]:
    """The numbers, two of each. RuntimeError, in torch's words, for another count, and for one that is too small.

    order: in which torch looks at whether they are too small.
    """
    found = {name: tuple(map(as_int, sizes)) for name, sizes in given.items()}
    for name, sizes in found.items():
        if len(sizes) != 2:
            raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(sizes)}")
    for name in order.split():
        height, width = found[name]
        if min(height, width) < (name != "padding"):
            short, wanted = (
                ("pad", "non-negative") if name == "padding" else (name.removesuffix("_size"), "greater than zero")
            )
            what = "kernel size" if name == "kernel_size" else name
            raise RuntimeError(f"{what} should be {wanted}, but got {short}_height: {height} {short}_width: {width}")
    return found


@parsed()
def im2col(input: Tensor, kernel_size: IntList, dilation: IntList, padding: IntList, stride: IntList) -> Tensor:
    """unfold, of numbers that come in pairs."""
    if input.requires_grad:
        input.size(-1), input.size(-2)  # which torch saves before it looks at anything
    moves = checked(
        "kernel_size dilation padding stride",
        kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride,
    )  # fmt: skip
    shape = input._data.shape
    whole = input.size(1) != 0 and input.size(2) != 0
    if not (whole and ((len(shape) == 3 and shape[0]) or (len(shape) == 4 and shape[3]))):
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: "
            f"{list(shape)}"
        )
    out = counted(shape[-2:], **{name.removesuffix("_size"): sizes for name, sizes in moves.items()})
    if min(out) < 1:
        raise RuntimeError(
            f"Given input with spatial size {shape[-2:]}, kernel_size={moves['kernel_size']}, dilation={moves['dilation']}, "
            f"padding={moves['padding']}, calculated shape of the array of sliding blocks as {out}, but its components "
            "must be at least one."
        )
    no_kernel("im2col_out_cpu", input, "iu")
    return im2col_op(input, **moves)


@parsed()
def col2im(
    input: Tensor, output_size: IntList, kernel_size: IntList, dilation: IntList, padding: IntList, stride: IntList
) -> Tensor:
    """fold, of numbers that come in pairs."""
    moves = checked(
        "kernel_size stride dilation padding",
        output_size=output_size, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride,
    )  # fmt: skip
    shape = input._data.shape
    if not ((len(shape) == 2 and all(shape)) or (len(shape) == 3 and all(shape[1:]))):
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for input, but "
            f"got: {list(shape)}"
        )
    if shape[-2] % math.prod(moves["kernel_size"]):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={shape[-2]} and kernel_size={moves['kernel_size']}."
        )
    out = counted(*[moves[name] for name in ("output_size", "kernel_size", "dilation", "padding", "stride")])
    if shape[-1] != math.prod(out):
        given = ", ".join(f"{name}={sizes}" for name, sizes in moves.items())
        raise RuntimeError(
            f"Given {given}, expected size of input's dimension 2 to match the calculated number of sliding blocks "
            f"{out[0]} * {out[1]} = {math.prod(out)}, but got input.size(2)={shape[-1]}."
        )
    no_kernel("col2im_out_cpu", input, "iu")
    return col2im_op(input, **moves)


def unfold(input: Tensor, kernel_size: Ints, dilation: Ints = 1, padding: Ints = 0, stride: Ints = 1) -> Tensor:
    """Every window of kernel_size as a column (torch.nn.functional.unfold).

    input: (N, C, h, w) or (C, h, w) → (N, C · kh · kw, windows), or without N.
    """
    return im2col(input, pair(kernel_size), pair(dilation), pair(padding), pair(stride))


def fold(
    input: Tensor, output_size: Ints, kernel_size: Ints, dilation: Ints = 1, padding: Ints = 0, stride: Ints = 1
) -> Tensor:
    """Columns added back to the windows they stand for, in images of output_size (torch.nn.functional.fold).

    input: (N, C · kh · kw, windows) or without N → (N, C, *output_size), or without N.
    """
    return col2im(input, pair(output_size), pair(kernel_size), pair(dilation), pair(padding), pair(stride))
