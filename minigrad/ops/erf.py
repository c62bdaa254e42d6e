"""The error function, for gelu and for its own sake, from a table: NumPy has none."""

from __future__ import annotations

import functools
import math
from typing import Any

from .. import rules
from ..backend import array_module, numpy, on_device
from ..dtypes import get_default_dtype
from ..tensor import Tensor
from .define import Op

# Points of the table to a unit: four terms of Taylor's series between them are then exact in float64, three in float32.
STEP = 512
# From where on erf is ±1.
END = {"f": 4, "d": 6}


@functools.cache
def _table(dtype: Any) -> tuple[Any, Any]:
    """erf and its derivative at the multiples of 1/STEP from -END to END."""
    last = END[dtype.char] * STEP
    points = [i / STEP for i in range(-last, last + 1)]
    slope = 2 / math.sqrt(math.pi)
    slopes = [slope * math.exp(-c * c) for c in points]
    return numpy.array([*map(math.erf, points)], dtype), numpy.array(slopes, dtype)


def erf_array(x: Any) -> Any:
    """erf of an array: Taylor's series about the nearest point of a table. NumPy has no erf, and math.erf takes one
    number at a time."""
    if x.dtype == numpy.float16:
        return erf_array(x.astype(numpy.float32)).astype(x.dtype)
    if array_module(x) is not numpy:
        return on_device("erf", x)
    end = END[x.dtype.char]
    d = x.clip(-end, end)
    c = numpy.rint(numpy.fmax(d, -end) * STEP)  # for nan some point or other: d stays nan
    index = c.astype(numpy.intp)
    index += end * STEP
    c *= 1 / STEP
    d -= c
    values, slopes = _table(x.dtype)
    series = _series(d, c)
    series *= slopes.take(index, mode="clip")
    series += values.take(index, mode="clip")
    return series


def _series(d: Any, c: Any) -> Any:
    """(erf(c + d) - erf(c)) / erf'(c), from the highest term down."""
    if d.dtype == numpy.float32:
        return d * (1 - d * (d * (1 / 3) + c))
    square = c * c
    return d * (d * (d * (d * c * (0.5 - square / 3) + (2 * square - 1) / 3) - c) + 1)


def erf_vjp(grad: Any, self: Any) -> Any:
    """z = erf(self): ∂z/∂self = 2/√π · e^(-self²)."""
    return grad * (2 / math.sqrt(math.pi) * rules.exp(-(self * self)))


erf_op = Op("ErfBackward0", erf_array, self=erf_vjp)


def erf(input: Tensor) -> Tensor:
    """2/√π ∫₀ˣ e^(-t²) dt, elementwise (torch.erf)."""
    return erf_op(input if input._data.dtype.kind == "f" else input.to(get_default_dtype()))
