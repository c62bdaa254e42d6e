"""Views: tensors that share another's storage, and what an in-place write through one of them does to the history.

A write through a view changes its base as well, so the base's history has to say so. torch gives the base a new
grad_fn, CopySlices: outside of the written part the gradient goes to the old history, and the write's own rule is
applied to the written part. The view then hangs on the new history of its base.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..backend import array_module
from .graph import SECOND_BACKWARD, Node
from .recording import next_order

if TYPE_CHECKING:
    from ..tensor import Tensor


Path = tuple[tuple[Any, dict[str, Any], int | None], ...]


class View:
    """How a view came from its base: the base, and the view operations with their attributes, in order.

    tracked: whether it was made while operations were recorded; otherwise writing to it later would be ambiguous.
    """

    __slots__ = ("base", "path", "tracked")

    def __init__(self, base: Tensor, path: Path, tracked: bool = True) -> None:
        self.base = base
        self.path = path
        self.tracked = tracked

    @staticmethod
    def of(source: Tensor, op: Any, attributes: dict[str, Any], output: int | None, tracked: bool) -> View:
        """The view that `op` makes of `source`, itself perhaps a view; `output` picks one of several."""
        before = getattr(source, "_view", None)
        if before is None:
            return View(source, ((op, attributes, output),), tracked)
        return View(before.base, (*before.path, (op, attributes, output)), before.tracked and tracked)

    def after(self, op: Any, attributes: dict[str, Any]) -> View:
        """The same part of a base that `op` has to turn back into what it was."""
        return View(self.base, ((op, attributes, None), *self.path), self.tracked)

    def array(self, base: Any) -> Any:
        """The viewed part of an array that is shaped like the base, sharing its memory."""
        for op, attributes, output in self.path:
            base = op.forward(base, **attributes)
            base = base if output is None else base[output]
        return base


class CopySlices(Node):
    """The history of a base that was written through a view: the old history, and the write's node for the part."""

    __slots__ = ("write", "view")

    def __init__(self, base: Tensor, view: View, write: Node, base_edge: Any) -> None:
        self.write = write
        self.view = view
        self.next_functions = (base_edge, *write.next_functions[1:])
        self.order = next_order()
        self.saved = write.saved
        self.shape = base._data.shape
        self.stretched = self.extras = None

    def fitted(self, grads: Any) -> Any:
        """What the write's rules gave, each brought back to the shape and dtype of its input."""
        from .accumulate import fit_all  # which builds on tensors, and they on this module

        return grads if self.write.stretched is None else fit_all(grads, self.write.stretched)

    def hand_over(self) -> None:
        """Give the write's node what is saved; RuntimeError once it is released, even if there was nothing to save."""
        if self.saved is None:
            raise RuntimeError(SECOND_BACKWARD)
        self.write.saved = self.saved

    def apply_graph(self, grad: Any) -> tuple[Any, ...]:
        """As apply, recorded: what lies outside of the written part, plus what the write's rule makes of the part."""
        from ..ops.inplace import part_of_zeros, take_part  # the operations build on this module

        self.hand_over()
        first, *others = self.fitted(self.write.apply_graph(take_part(grad, self.view).clone()))
        outside = array_module(grad._data).ones(self.shape, grad._data.dtype)
        self.view.array(outside)[...] = 0
        grad = grad * outside
        if first is not None:
            grad = grad + part_of_zeros(first, self_shape=self.shape, view=self.view)
        return (grad, *others)

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """The gradient of the base with the written part's replaced by what the write's rule makes of it."""
        self.hand_over()  # the walk releases this node's
        grad = grad.copy()
        part = self.view.array(grad)
        first, *others = self.fitted(self.write.apply(part.copy()))
        part[...] = 0 if first is None else first
        return (grad, *others)
