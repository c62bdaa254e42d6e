"""Images made larger or smaller: each element of the result is a few elements of the input, weighted.

Nearest takes one, linear two, bilinear four. Which, and with what weights, is worked out once for each dimension.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

from .. import rules
from ..backend import array_module, in_order, numpy
from ..tensor import Tensor
from .define import Op
from .promotion import unsupported

Corner = tuple[tuple[Any, ...], Any]  # an index into the input, one entry a dimension, and the weights (None: 1)


def upsample_vjp(grad: Any, self_shape: tuple[int, ...], corners: tuple[Corner, ...]) -> Any:
    """z = Σ weight · self[index]: each element of self gets the gradients of all it went into."""
    found = [put_back(grad if w is None else grad * w, self_shape, index) for index, w in corners]
    return found[0] if len(found) == 1 else sum(found[1:], found[0])


def put_back(grad: Any, shape: tuple[int, ...], index: tuple[Any, ...]) -> Any:
    """Zeros of `shape` with grad added at index. The places of a dimension rise, so those that are the same stand side by
    side and are summed at once, which is several times as fast as one by one."""
    if rules.is_tensor(grad) or not grad.size:
        return rules.scatter_index(grad, shape, index)
    places = []
    for axis, each in enumerate(index[2:], 2):
        named, first = numpy.unique(each, return_index=True)
        grad = array_module(grad).add.reduceat(grad, first, axis=axis)
        places.append(named)
    out = rules.zeros(grad, shape)
    out[(..., *numpy.ix_(*places))] = grad
    return out


def _upsample(x: Any, corners: tuple[Corner, ...], **shown: Any) -> Any:
    parts = [x[index] if w is None else x[index] * w for index, w in corners]
    z = parts[0] if len(parts) == 1 else sum(parts[1:], parts[0])
    return in_order((z if x.dtype.kind == "f" or len(parts) == 1 else z + 0.5).astype(x.dtype, copy=False))


def _op(kind: str) -> Op:
    return Op(f"Upsample{kind}Backward0", _upsample, again=f"Upsample{kind}BackwardBackward0", self=upsample_vjp)


OPS = {("nearest", n): _op(f"Nearest{n}D") for n in (1, 2)} | {
    ("linear", 1): _op("Linear1D"),
    ("bilinear", 2): _op("Bilinear2D"),
}


SCALES = {1: ("scales",), 2: ("scales_h", "scales_w")}  # what torch's nodes call them
KINDS = ("float16", "float32", "float64", "uint8")  # the dtypes that torch interpolates


def nearest(size: int, out: int, scale: float | None) -> list[tuple[Any, Any]]:
    """Which element of `size` each of `out` is."""
    step = numpy.float32(1 / scale) if scale else numpy.float32(size) / numpy.float32(out)
    return [(numpy.minimum((numpy.arange(out, dtype=numpy.float32) * step).astype(numpy.int64), size - 1), None)]


def linear(size: int, out: int, scale: float | None, align_corners: bool) -> list[tuple[Any, Any]]:
    """Between which two elements of `size` each of `out` lies, and the weight of each."""
    places = numpy.arange(out, dtype=numpy.float64)
    if align_corners:
        at = places * ((size - 1) / (out - 1) if out > 1 else 0.0)
    else:
        at = numpy.maximum((places + 0.5) * (1 / scale if scale else size / out) - 0.5, 0.0)
    low = numpy.minimum(at.astype(numpy.int64), size - 1)
    share = at - low
    return [(low, 1 - share), (numpy.minimum(low + 1, size - 1), share)]


def corners_of(size: tuple[int, ...], choices: list[list[tuple[Any, Any]]], dtype: Any) -> tuple[Corner, ...]:
    """The choices of all dimensions, each with each."""
    found = []
    for chosen in itertools.product(*choices):
        index: list[Any] = [slice(None), slice(None)]
        weight: Any = None
        for d, (places, w) in enumerate(chosen):
            shape = (-1,) + (1,) * (len(chosen) - 1 - d)
            index.append(places.reshape(shape))
            if w is not None:
                weight = w.reshape(shape) if weight is None else weight * w.reshape(shape)
        found.append((tuple(index), None if weight is None else weight.astype(dtype if dtype.kind == "f" else "f4")))
    return tuple(found)


def sizes_of(
    spatial: tuple[int, ...], size: Any, scale_factor: Any, mode: str
) -> tuple[tuple[int, ...], tuple[float, ...] | None]:
    """The sizes to come to, and the factors if they were given."""
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    given, what = (size, "output size") if size is not None else (scale_factor, "scale_factor")
    each = tuple(given) if isinstance(given, list | tuple) else (given,) * len(spatial)
    if len(each) != len(spatial):
        raise ValueError(
            f"Input and {'output' if size is not None else 'scale_factor'} must have the same number of spatial dimensions, "
            f"but got input with spatial dimensions of {list(spatial)} and {what} of {given}."
        )
    if size is not None:
        return each, None
    if not all(isinstance(s, int | float) for s in each):
        raise TypeError(f"upsample_{mode}{len(spatial)}d() received an invalid combination of arguments")
    scales = tuple(map(float, each))
    return tuple(math.floor(n * s) for n, s in zip(spatial, scales, strict=True)), scales


def check(input: Tensor, mode: str, antialias: bool, each: tuple[int, ...]) -> None:
    """What is not offered, and what torch refuses, in its words."""
    spatial = input._data.shape[2:]
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
            f"Input and output sizes should be greater than 0, but got input ({shown[0]}) output ({shown[1]})"
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
    spatial = input._data.shape[2:]
    each, scales = sizes_of(spatial, size, scale_factor, mode)
    check(input, mode, antialias, each)
    scales = None if recompute_scale_factor else scales
    choices = [
        nearest(n, out, s) if mode == "nearest" else linear(n, out, s, bool(align_corners))
        for n, out, s in zip(spatial, each, scales or (None,) * len(each), strict=True)
    ]
    return OPS[(mode, len(spatial))](
        input,
        corners=corners_of(spatial, choices, input._data.dtype),
        output_size=each,
        align_corners=bool(align_corners),
        **dict(zip(SCALES[len(spatial)], scales or (None,) * len(each), strict=True)),
    )
