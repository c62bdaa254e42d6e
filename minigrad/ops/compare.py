"""Comparisons and logic: results are bool tensors, and no gradient passes."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ..backend import array_module
from ..tensor import Tensor, from_array
from .promotion import operands


def _comparison(compare: Callable[[Any, Any], Any], name: str) -> Callable[..., Any]:
    def call(self: Any, other: Any) -> Any:
        ready = operands(self, other)
        return NotImplemented if ready is None else from_array(compare(ready[2], ready[3]))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Elementwise {name}, as bools (torch.{name})."
    return call


def _logical(combine: Callable[..., Any], name: str) -> Callable[..., Any]:
    def call(*tensors: Any) -> Any:
        return from_array(combine(*[getattr(t, "_data", t) for t in tensors]))

    call.__name__ = call.__qualname__ = name
    return call


eq = _comparison(operator.eq, "eq")
ne = _comparison(operator.ne, "ne")
lt = _comparison(operator.lt, "lt")
le = _comparison(operator.le, "le")
gt = _comparison(operator.gt, "gt")
ge = _comparison(operator.ge, "ge")
logical_and = _logical(operator.and_, "logical_and")
logical_or = _logical(operator.or_, "logical_or")
logical_xor = _logical(operator.xor, "logical_xor")
logical_not = _logical(operator.invert, "logical_not")


def _test(name: str) -> Callable[[Tensor], Tensor]:
    def call(self: Tensor) -> Tensor:
        return from_array(getattr(array_module(self._data), name)(self._data))

    call.__name__ = call.__qualname__ = name
    return call


isnan, isinf, isfinite = _test("isnan"), _test("isinf"), _test("isfinite")


def sign(self: Tensor) -> Tensor:
    """-1, 0 or 1 (torch.sign, whose gradient is 0)."""
    return from_array(array_module(self._data).sign(self._data))


def equal(self: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and elements (torch.equal)."""
    return self._data.shape == other._data.shape and bool((self._data == other._data).all())


def allclose(self: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether all elements agree within atol + rtol · |other| (torch.allclose)."""
    return bool(array_module(self._data).allclose(self._data, other._data, rtol, atol, equal_nan))
