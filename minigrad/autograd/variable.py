"""Variable: what torch before 0.4 needed around a tensor. Today a tensor is one, so this makes tensors and knows them."""

from __future__ import annotations

from typing import Any

from ..errors import FLOATS_ONLY, warn
from ..tensor import Tensor

VOLATILE = "volatile was removed and now has no effect. Use `with torch.no_grad():` instead."


class _Variables(type):
    """Any tensor is an instance, as in torch."""

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, Tensor)


class Variable(metaclass=_Variables):
    """Variable(tensor, requires_grad) is a tensor on the same storage, without history."""

    def __new__(
        cls, data: Any = None, requires_grad: bool = False, volatile: bool = False, name: str | None = None
    ) -> Any:
        """The tensor; TypeError for anything else, RuntimeError where whole numbers should require grad. volatile: what
        no_grad has replaced, and name: are of no effect."""
        if volatile:
            warn(VOLATILE)
            if requires_grad:
                raise ValueError("Variable can't be volatile and require_grad at the same time!")
        if data is None:
            data = Tensor()
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        if requires_grad and not data.is_floating_point():
            raise RuntimeError(FLOATS_ONLY)
        return data.detach().requires_grad_(bool(requires_grad))
