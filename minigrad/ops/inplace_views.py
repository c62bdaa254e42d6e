"""View operations in place: the tensor itself takes on the other shape. Its elements stay where they are."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..autograd.grad_mode import records
from ..autograd.views import View
from ..tensor import Tensor
from .inplace import check_writable, refresh_views, set_history
from .shape import squeeze, t, t_op, transpose, transpose_op, unsqueeze, view_op

NUMBERED = {"UnsqueezeBackward0": 1, "SqueezeBackward0": 3, "SqueezeBackward1": 4, "SqueezeBackward2": 5, "TBackward0": 1,
            "TransposeBackward0": 1}  # fmt: skip


@functools.cache
def numbered(node: type) -> type:
    """The node class under the number that torch gives the in-place signature."""
    name = node.__name__
    return type(name[:-1] + str(NUMBERED[name]), (node,), {"__slots__": (), "__module__": "builtins"})


def inverse(step: tuple[Any, dict[str, Any], Any], shape: tuple[int, ...]) -> tuple[Any, dict[str, Any]]:
    """The view operation, with its attributes, that undoes a step; `shape`: what it started from."""
    op, attributes, _ = step
    return (op, attributes) if op in (t_op, transpose_op) else (view_op, {"shape": shape})


def in_place(operation: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`operation`, a view, with the tensor itself as its result."""

    def call(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        check_writable(self)
        try:
            out = operation(self, *args, **kwargs)
        except RuntimeError as error:
            raise RuntimeError(str(error).replace("t() expects", "t_() expects")) from error
        undo = inverse(out._view.path[-1], self._data.shape)
        self._data, self._alike = out._data, None
        if getattr(self, "_view", None) is not None:
            self._view = View(out._view.base, out._view.path, self._view.refusal)
        if records() and out.grad_fn is not None:
            out.grad_fn.__class__ = numbered(type(out.grad_fn))  # type: ignore[arg-type]
            set_history(self, out._edge)
            done: Tensor | None = self
        else:
            done = None
        del out
        self.bump_version()
        for view in self.counter().living_views(self):
            view._view = view._view.after(*undo)
        refresh_views(self.counter().views or [], done)
        return self

    call.__name__ = call.__qualname__ = operation.__name__ + "_"
    call.__wrapped__ = operation  # type: ignore[attr-defined]  # whose signature it has
    call.__doc__ = f"{operation.__name__}, in place."
    return call


squeeze_, t_, transpose_, unsqueeze_ = in_place(squeeze), in_place(t), in_place(transpose), in_place(unsqueeze)
