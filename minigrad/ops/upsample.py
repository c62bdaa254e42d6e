"""Images made larger or smaller: each element of the result is a few elements of the input, weighted.

Nearest takes one, linear two, bilinear two in each dimension, one dimension after the other. Which, and with what weights,
is worked out once for each size; the gradients go the same way back.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

from ..backend import array_module, numpy
from ..tensor import Tensor
from .define import Op
from .promotion import unsupported
from .validate import asked_shape


class Tap(NamedTuple):
    """One element of a dimension for each of the result, or for some of them.

    places: which it is. weights: by what it is multiplied, shaped for its dimension; None: by 1. targets: to which of the
    result it is added, where not to each.
    """

    places: Any
    weights: Any = None
    targets: Any = None


Axis = tuple[int, int, tuple[Tap, ...]]  # a dimension, counted from the end, its size in the result, and what is summed


def mixed(x: Any, axes: tuple[Axis, ...]) -> Any:
    """Each dimension in turn: sums of the elements that its taps name."""
    asarray = array_module(x).asarray
    for axis, size, taps in axes:
        out = None
        for places, weights, targets in taps:
            part = x.take(asarray(places), axis)
            if weights is not None:
                part = part * asarray(weights)
            if out is None and targets is None:
                out = part
                continue
            if out is None:
                out = array_module(x).zeros((*part.shape[:axis], size, *part.shape[part.ndim + axis + 1 :]), part.dtype)
            if targets is None:
                out += part
            else:
                out[(..., asarray(targets), *(slice(None),) * (-1 - axis))] += part
        x = out
    return x


def upsample_vjp(grad: Any, back: tuple[Axis, ...], axes: tuple[Axis, ...]) -> Any:
    """z = sums of weighted elements of self: each element gets the gradients of all it went into, with the same weights."""
    return mix_op.of(grad, axes=back, back=axes)


mix_op = Op("UpsampleBackward0", lambda x, axes, back: mixed(x, axes), self=upsample_vjp)


def _upsample(x: Any, axes: tuple[Axis, ...], back: tuple[Axis, ...], **shown: Any) -> Any:
    z = mixed(x, axes)
    return z if z.dtype == x.dtype else (z + 0.5).astype(x.dtype)  # bytes, rounded


def _op(kind: str) -> Op:
    return Op(f"Upsample{kind}Backward0", _upsample, second=f"Upsample{kind}BackwardBackward0", self=upsample_vjp)


OPS = {("nearest", n): _op(f"Nearest{n}D") for n in (1, 2)} | {
    ("linear", 1): _op("Linear1D"),
    ("bilinear", 2): _op("Bilinear2D"),
}


SCALES = {1: ("scales",), 2: ("scales_h", "scales_w")}  # what torch's nodes call them
KINDS = ("float16", "float32", "float64", "uint8")  # the dtypes that torch interpolates


def nearest(size: int, out: int, scale: float | None, plainly: bool) -> list[tuple[Any, Any]]:
    """Which element of `size` each of `out` is. plainly: as many or twice as many are counted off, whatever the scale."""
    if plainly and out in (size, 2 * size):
        return [(numpy.arange(out) // (out // size), None)]
    step = numpy.float32(1 / scale) if scale else numpy.float32(size) / numpy.float32(out)
    return [(numpy.minimum((numpy.arange(out, dtype=numpy.float32) * step).astype(numpy.int64), size - 1), None)]


def linear(size: int, out: int, scale: float | None, align_corners: bool) -> list[tuple[Any, Any]]:
    """Between which two elements of `size` each of `out` lies, and the weight of each; as many are copied, whatever the scale."""
    if out == size:
        return [(numpy.arange(size), None)]
    places = numpy.arange(out, dtype=numpy.float64)
    if align_corners:
        at = places * ((size - 1) / (out - 1) if out > 1 else 0.0)
    else:
        at = numpy.maximum((places + 0.5) * (1 / scale if scale else size / out) - 0.5, 0.0)
    low = numpy.minimum(at.astype(numpy.int64), size - 1)
    share = at - low
    return [(low, 1 - share), (numpy.minimum(low + 1, size - 1), share)]


def transposed(taps: tuple[Tap, ...], size: int) -> tuple[Tap, ...]:
    """The taps that bring the gradients back to `size` elements: for each the first it went into, the second, …"""
    places = numpy.concatenate([tap.places for tap in taps])
    order = places.argsort(kind="stable")
    places = places[order]
    into = numpy.tile(numpy.arange(len(taps[0].places)), len(taps))[order]
    weights = None if taps[0].weights is None else numpy.concatenate([tap.weights for tap in taps])[order]
    rank = numpy.arange(len(places)) - numpy.searchsorted(places, places)
    found = []
    for k in range(rank.max() + 1):
        chosen = rank == k
        targets = places[chosen] if chosen.sum() < size else None
        found.append(Tap(into[chosen], None if weights is None else weights[chosen], targets))
    return tuple(found)


@functools.lru_cache(maxsize=256)
def axis_of(
    mode: str, axis: int, size: int, out: int, scale: float | None, align_corners: bool, dtype: Any, lone: bool
) -> tuple[Axis, Axis]:
    """A dimension of `size` elements brought to `out`, and back. lone: there is no other one."""

    def taps(plainly: bool) -> tuple[Tap, ...]:
        found = nearest(size, out, scale, plainly) if mode == "nearest" else linear(size, out, scale, align_corners)
        shape = (-1,) + (1,) * (-1 - axis)
        return tuple(Tap(places, None if w is None else w.reshape(shape).astype(dtype)) for places, w in found)

    return (axis, out, taps(not lone)), (axis, size, transposed(taps(True), size))  # as torch does it, on both ways


def sizes_of(
    spatial: tuple[int, ...], size: Any, scale_factor: Any, mode: str
) -> tuple[tuple[int, ...], tuple[float, ...] | None]:
    """The sizes to come to, and the factors if they were given."""
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    given, what = (size, "output size of") if size is not None else (scale_factor, "scale_factor of shape")
    each = tuple(given) if isinstance(given, list | tuple) else (given,) * len(spatial)
    if len(each) != len(spatial):
        raise ValueError(
            f"Input and {'output' if size is not None else 'scale_factor'} must have the same number of spatial dimensions, "
            f"but got input with spatial dimensions of {list(spatial)} and {what} {given}."
        )
    if size is not None:
        return each, None
    if not all(isinstance(s, int | float) for s in each):
        raise TypeError(f"upsample_{mode}{len(spatial)}d() received an invalid combination of arguments")
    scales = tuple(map(float, each))
    return tuple(math.floor(n * s) for n, s in zip(spatial, scales, strict=True)), scales


# torch's; of these nearest, linear and bilinear are offered.
MODES = ("nearest", "linear", "bilinear", "bicubic", "trilinear", "lanczos", "area", "nearest-exact")


def check(input: Tensor, mode: str, antialias: bool, each: tuple[int, ...]) -> None:
    """What is not offered, and what torch refuses, in its words."""
    spatial = input._data.shape[2:]
    if not 3 <= input._data.ndim <= 5 or mode not in MODES:
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input._data.ndim}D) for the modes: "
            f"{' | '.join(MODES)} (got {mode})"
        )
    wanted = {"linear": 1, "bilinear": 2}.get(mode, len(spatial))
    if len(spatial) != wanted:
        raise NotImplementedError(f"Got {len(spatial) + 2}D input, but {mode} mode needs {wanted + 2}D input")
    if (mode, len(spatial)) not in OPS or antialias:
        raise NotImplementedError(
            "minigrad 的 interpolate 只有 nearest、linear（三维输入）和 bilinear（四维输入），不支持 antialias · "
            "minigrad's interpolate offers nearest, linear (3-D input) and bilinear (4-D input), without antialias"
        )
    if min((*spatial, *each)) < 1:
        shown = [
            ", ".join(map("{}: {}".format, "HW"[-len(sizes) :] if len(sizes) > 1 else "W", sizes))
            for sizes in (spatial, each)
        ]
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({shown[0]})"
            f"{' and' if len(spatial) == 1 else ''} output ({shown[1]})"
        )
    if not input._data.shape[1]:
        raise RuntimeError(
            f"Non-empty {input._data.ndim}D data tensor expected but got a tensor with sizes {list(input._data.shape)}"
        )
    if input._data.dtype not in KINDS or (mode == "linear" and input._data.dtype.kind != "f"):
        n = len(spatial)
        kernel = f"upsample_{mode}{n}d_channels_last" if n == 2 else f"compute_indices_weights_{mode}"
        raise unsupported(kernel, input._data)


def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """input made larger or smaller, to a size or by a factor (torch.nn.functional.interpolate).

    input: (N, C, length) or (N, C, h, w). mode: "nearest", "linear" (3-D), "bilinear" (4-D). Other modes and antialias are
    not offered: NotImplementedError.
    """
    if mode == "nearest" and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    spatial = asked_shape(input, "dim")[2:]
    each, scales = sizes_of(spatial, size, scale_factor, mode)
    check(input, mode, antialias, each)
    scales = None if recompute_scale_factor else scales
    factors = scales or (None,) * len(each)
    kind = input._data.dtype if input._data.dtype.kind == "f" else numpy.dtype("f4")
    found = [
        axis_of(mode, d - len(spatial), spatial[d], each[d], factors[d], bool(align_corners), kind, len(spatial) == 1)
        for d in reversed(range(len(spatial)))
    ]
    return OPS[(mode, len(spatial))](
        input,
        axes=tuple([there for there, _ in found]),
        back=tuple([home for _, home in reversed(found)]),
        output_size=each,
        align_corners=bool(align_corners),
        **dict(zip(SCALES[len(spatial)], factors, strict=True)),
    )
