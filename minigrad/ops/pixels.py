"""Channels made into pixels, and back: pixel_shuffle and pixel_unshuffle (Shi et al. 2016)."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor
from .arguments import Int, as_int
from .define import Op


def pixel_shuffle_vjp(grad: Any, upscale_factor: int) -> Any:
    """z = self with every r² channels as r x r pixels: the way back."""
    return unshuffle_op.of(grad, downscale_factor=upscale_factor)


def pixel_unshuffle_vjp(grad: Any, downscale_factor: int) -> Any:
    """z = self with every r x r pixels as r² channels: the way back."""
    return shuffle_op.of(grad, upscale_factor=downscale_factor)


def _shuffle(x: Any, upscale_factor: int) -> Any:
    r, (*batch, channels, height, width) = upscale_factor, x.shape
    n = len(batch)
    apart = x.reshape(*batch, channels // r**2, r, r, height, width)
    apart = apart.transpose(*range(n), n, n + 3, n + 1, n + 4, n + 2).copy()
    return apart.reshape(*batch, channels // r**2, height * r, width * r)


def _unshuffle(x: Any, downscale_factor: int) -> Any:
    if not x.size:  # torch leaves it as it is
        return x.copy()
    r, (*batch, channels, height, width) = downscale_factor, x.shape
    n = len(batch)
    apart = x.reshape(*batch, channels, height // r, r, width // r, r)
    apart = apart.transpose(*range(n), n, n + 2, n + 4, n + 1, n + 3).copy()
    return apart.reshape(*batch, channels * r**2, height // r, width // r)


shuffle_op = Op("PixelShuffleBackward0", _shuffle, self=pixel_shuffle_vjp)
unshuffle_op = Op("PixelUnshuffleBackward0", _unshuffle, self=pixel_unshuffle_vjp)


def check(name: str, input: Tensor, argument: str, factor: int) -> None:
    """RuntimeError for too few dimensions, and for a factor below 1."""
    if input.dim() < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {input.dim()} dimension(s)"
        )
    if factor <= 0:
        raise RuntimeError(f"{name} expects a positive {argument}, but got {factor}")


def pixel_shuffle(input: Tensor, upscale_factor: Int) -> Tensor:
    """(…, C · r², H, W) → (…, C, H · r, W · r) (torch.pixel_shuffle)."""
    r = as_int(upscale_factor)
    check("pixel_shuffle", input, "upscale_factor", r)
    if input.shape[-3] % r**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but "
            f"input.size(-3)={input.shape[-3]} is not divisible by {r**2}"
        )
    return shuffle_op(input, upscale_factor=r)


def pixel_unshuffle(input: Tensor, downscale_factor: Int) -> Tensor:
    """(…, C, H · r, W · r) → (…, C · r², H, W) (torch.pixel_unshuffle)."""
    r = as_int(downscale_factor)
    check("pixel_unshuffle", input, "downscale_factor", r)
    for name, dim in (("height", -2), ("width", -1)):
        if input.shape[dim] % r:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but "
                f"input.size({dim})={input.shape[dim]} is not divisible by {r}"
            )
    return unshuffle_op(input, downscale_factor=r)
