"""The numbers of a pooling: kernel, stride, padding and dilation brought to one form and checked in torch's words, and
how many windows they give. Nothing is pooled here."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ..tensor import Tensor
from .arguments import as_int

Sizes = tuple[int, ...]
Moves = tuple[Sizes, Sizes, Sizes, Sizes]  # kernel, stride, padding, dilation

PAIR = {  # what max_pool2d and avg_pool2d say of anything but one number or two
    "kernel_size": "must either be a single int",
    "stride": "must either be omitted, a single int",
    "padding": "must either be a single int",
    "dilation": "must be either a single int",
}
SINGLE = {  # what max_pool1d says of anything but one number
    "kernel_size": "an int, list of ints or tuple of ints",
    "stride": "None, an int, list of ints, or tuple of ints",
    "padding": "an int, list of ints, or tuple of ints",
    "dilation": "an int, list of ints or tuple of ints",
}


def pooled_size(n: int, k: int, s: int, p: int, d: int, ceil_mode: bool) -> int:
    """How many windows a dimension of n elements gives; in ceil_mode the last may hang over, if it starts inside."""
    room = n + 2 * p - d * (k - 1) - 1
    out = -(-room // s) + 1 if ceil_mode else room // s + 1
    return out - 1 if ceil_mode and (out - 1) * s >= n + p else out


def listed(value: int | Sequence[int] | None) -> Sizes:
    """One int or several as a tuple; () for None."""
    return () if value is None else tuple(value) if isinstance(value, list | tuple) else (as_int(value),)


def pairs(name: str, **given: Any) -> Moves:
    """kernel_size, stride, padding and dilation, two numbers each; a stride left out is the kernel's size."""
    found: dict[str, Sizes] = {}
    for argument, value in given.items():
        sizes = (value, value) if type(value) is int else listed(value)
        if not sizes and argument == "stride":
            sizes = found["kernel_size"]
        if len(sizes) not in (1, 2):
            raise RuntimeError(f"{name}: {argument} {PAIR[argument]}, or a tuple of two ints")
        found[argument] = sizes * 2 if len(sizes) == 1 else sizes
    return found["kernel_size"], found["stride"], found["padding"], found["dilation"]


def singles(name: str, words: bool, **given: Any) -> dict[str, int]:
    """kernel_size, stride and so on of one dimension, by name. words: whether what is wrong is said as in SINGLE."""
    found: dict[str, int] = {}
    for argument, value in given.items():
        sizes = listed(value)
        if not sizes and argument == "stride":
            sizes = (found["kernel_size"],)
        if len(sizes) != 1:
            raise RuntimeError(
                f"{name}() {argument} must be {SINGLE[argument]} of size 1 but got size {len(sizes)}"
                if words
                else f"{name}() argument '{argument}' should contain one int (got {len(sizes)})"
            )
        found[argument] = sizes[0]
    return found


def check_spread(size: Sizes, moves: Moves) -> None:
    """RuntimeError for moves that give no number of windows."""
    for _, k, s, p, d in zip(size, *moves, strict=True):
        if s == 0:
            raise RuntimeError("stride should not be zero")
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > (d * (k - 1) + 1) // 2 and k > 0:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and "
                f"dilation={d}"
            )


@functools.lru_cache(64)  # a layer asks for the same ones at every step
def sizes_of(shape: Sizes, moves: Moves, ceil_mode: bool) -> Sizes:
    """How many windows each of the last two dimensions gives."""
    return tuple(pooled_size(*numbers, ceil_mode) for numbers in zip(shape[-2:], *moves, strict=True))


@functools.lru_cache(64)  # what has passed once need not be looked at again; an error is not kept
def check_windows(shape: Sizes, moves: Moves, ceil_mode: bool) -> None:
    """RuntimeError, in torch's words, where an input of `shape` has no windows."""
    check_spread(shape[-2:], moves)
    named = (("kernel size", "k", moves[0]), ("stride", "d", moves[1]), ("dilation", "dilation", moves[3]))
    for what, letter, (h, w) in named:
        if min(h, w) <= 0:
            raise RuntimeError(f"{what} should be greater than zero, but got {letter}H: {h} {letter}W: {w}")
    if len(shape) not in (3, 4) or 0 in shape[-3:]:
        raise RuntimeError(
            f"Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:{list(shape)}"
        )
    (kernel_h, kernel_w), (pad_h, pad_w) = moves[0], moves[2]
    if pad_h > kernel_h // 2 or pad_w > kernel_w // 2:
        raise RuntimeError(
            f"pad should be smaller than or equal to half of kernel size, but got padW = {pad_w}, padH = {pad_h}, "
            f"kW = {kernel_w}, kH = {kernel_h}"
        )
    out = sizes_of(shape, moves, ceil_mode)
    if min(out) < 1:
        c = shape[-3]
        raise RuntimeError(
            f"Given input size: ({c}x{shape[-2]}x{shape[-1]}). Calculated output size: "
            f"({c}x{out[0]}x{out[1]}). Output size is too small"
        )


def check_dims(name: str, input: Tensor) -> None:
    """RuntimeError for pooling over one dimension in anything but (N, C, length) or (C, length)."""
    if input._data.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input._data.ndim}-dimensional tensor for argument #1 'self' (while "
            f"checking arguments for {name})"
        )


def check_max_pool1d(
    input: Tensor, kernel_size: int, stride: int, padding: int, dilation: int, ceil_mode: bool
) -> None:
    """What torch's max_pool1d checks where no indices are asked for."""
    shape = input._data.shape
    if len(shape) not in (2, 3) or 0 in shape[-2:]:
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{list(shape)}"
        )
    for name, value in (("kernel_size", kernel_size), ("stride", stride)):
        if value <= 0:
            raise RuntimeError(f"max_pool1d() {name} must be greater than zero, but got {value}")
    if padding < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {padding}")
    if padding > kernel_size // 2:
        raise RuntimeError(
            f"max_pool1d() padding should be at most half of kernel size, but got padding={padding} and "
            f"kernel_size={kernel_size}"
        )
    if dilation <= 0:
        raise RuntimeError(f"max_pool1d() dilation must be greater than zero, but got {dilation}")
    out = pooled_size(shape[-1], kernel_size, stride, padding, dilation, ceil_mode)
    if out <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {out}")
