"""Variable: what torch before 0.4 needed around a tensor. Today a tensor is one, so this makes tensors and knows them."""

from __future__ import annotations

from typing import Any

from ..errors import FLOATS_ONLY
from ..tensor import Tensor


class _Variables(type):
    """Any tensor is an instance, as in torch."""

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, Tensor)


class Variable(metaclass=_Variables):
    """Variable(tensor, requires_grad) is a tensor on the same storage, without history."""

    def __new__(cls, data: Tensor, requires_grad: bool = False) -> Any:
        """The tensor; TypeError for anything else, RuntimeError where whole numbers should require grad."""
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        if requires_grad and not data.is_floating_point():
            raise RuntimeError(FLOATS_ONLY)
        return data.detach().requires_grad_(requires_grad)
