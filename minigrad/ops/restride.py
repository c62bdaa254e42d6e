"""View operations in place: the tensor itself takes on the other shape. Its elements stay where they are."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..autograd.grad_mode import records
from ..tensor import Tensor
from .inplace import check_writable
from .shape import squeeze, t, transpose, unsqueeze

NUMBERED = {"UnsqueezeBackward0": 1, "SqueezeBackward0": 3, "SqueezeBackward1": 4, "SqueezeBackward2": 5, "TBackward0": 1,
            "TransposeBackward0": 1}  # fmt: skip


@functools.cache
def numbered(node: type) -> type:
    """The node class under the number that torch gives the in-place signature."""
    name = node.__name__
    return type(name[:-1] + str(NUMBERED[name]), (node,), {"__slots__": ()})


def in_place(operation: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`operation`, a view, with the tensor itself as its result."""

    def call(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        check_writable(self)
        out = operation(self, *args, **kwargs)
        self._data = out._data
        if getattr(self, "_view", None) is not None:
            self._view = out._view
        if records() and out.grad_fn is not None:
            out.grad_fn.__class__ = numbered(type(out.grad_fn))  # type: ignore[arg-type]
            self._edge = out._edge
        self.bump_version()
        return self

    call.__name__ = call.__qualname__ = operation.__name__ + "_"
    call.__doc__ = f"{operation.__name__}, in place."
    return call


squeeze_, t_, transpose_, unsqueeze_ = in_place(squeeze), in_place(t), in_place(transpose), in_place(unsqueeze)
