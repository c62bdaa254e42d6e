"""Functions of an array and a number for which NumPy has vector instructions for two arrays alone: the larger and the
smaller of the two, and arrays of a number to compute with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..backend import array_module, constant, ndarray, numpy

FEW = 512  # elements up to which NumPy takes a number as fast as an array of it


def filled(number: Any, x: Any) -> Any:
    """An array like x of a number, for functions that have vector instructions for two arrays alone: maximum, minimum and
    power take two to five times as long with a number. None where x is small or no array of floats in one piece."""
    if type(x) is not ndarray or x.size <= FEW or x.dtype.kind != "f" or not x.flags.c_contiguous:
        return None
    found = numpy.zeros(x.shape, x.dtype)
    if number or type(number) is not int:  # -0.0 is another number than 0
        found.fill(number)
    return found


def _bounded(name: str, words: str) -> Callable[[Any, Any], Any]:
    function = getattr(numpy, name)

    def call(bound: Any, x: Any) -> Any:
        if type(x) is not ndarray:
            return getattr(array_module(x), name)(bound, x)
        if x.size <= FEW or (bounds := filled(bound, x)) is None:
            return function(constant(bound, x.dtype) if type(bound) is int else bound, x)
        return function(bounds, x, out=bounds)

    call.__name__ = call.__qualname__ = words.partition("(")[0]
    call.__doc__ = f"{words} of an array; nan stays nan, and of 0.0 and -0.0 it is x's that stays."
    return call


at_least = _bounded("maximum", "at_least(bound, x): the larger of a number and each element")
at_most = _bounded("minimum", "at_most(bound, x): the smaller of a number and each element")
