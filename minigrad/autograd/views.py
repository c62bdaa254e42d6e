"""Views: tensors that share another's storage, and what an in-place write through one of them does to the history.

A write through a view changes its base as well, so the base's history has to say so. torch gives the base a new
grad_fn, CopySlices: outside the written part, the gradient goes to the old history; for the written part, the write's
own rule is applied. The view's history then leads through the new history of its base.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..backend import copied_by_dims, dims_in_memory, repeats
from ..errors import OVERLAPPING
from .grad_mode import is_inference_mode_enabled
from .graph import NO_EDGE, SECOND_BACKWARD, UNRECORDED, Node, SavedResult, operation_of
from .recording import next_order

if TYPE_CHECKING:
    from ..tensor import Tensor


Path = tuple[tuple[Any, dict[str, Any], int | None], ...]

# Why some views may not be written to while operations are recorded, nor read once their base has been written:
AMBIGUOUS = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view "
    "and the inplace either both inside the {mode} block (if you don't want the inplace to be tracked) or both outside (if you "
    "want the inplace to be tracked)."
)
NO_GRAD, INFERENCE_MODE = AMBIGUOUS.format(mode="no_grad"), AMBIGUOUS.format(mode="inference_mode")
SEVERAL = (
    " This view is the output of a function that returns multiple views. Such functions do not allow the output views to be "
    "modified inplace. You should replace the inplace operation by an out-of-place one."
)
CUSTOM = (
    " This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to "
    "handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect "
    "gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
)
VIEW_OF_LEAF = "a view of a leaf Variable that requires grad is being used in an in-place operation."


class View:
    """How a view came from its base: the base, and the view operations with their attributes, in order.

    refusal: why writing to it while operations are recorded would be ambiguous; "" if it would not.
    version: how often the storage had been written to when the view was made.
    """

    __slots__ = ("base", "path", "refusal", "version")

    def __init__(self, base: Any, path: Path, refusal: str = "", version: int = 0) -> None:
        self.base = base
        self.path = path
        self.refusal = refusal
        self.version = version

    def part(self) -> View:
        """The path of this view without its base: what a node may hold, since the base holds the node."""
        return View(None, self.path)

    def refusing(self, refusal: str) -> View:
        """This view, with another reason to refuse writes."""
        return View(self.base, self.path, refusal, self.version)

    def after(self, op: Any, attributes: dict[str, Any]) -> View:
        """This view of a base that `op` first has to turn back into what it was."""
        return View(self.base, ((op, attributes, None), *self.path), self.refusal, self.version)

    def array(self, base: Any) -> Any:
        """The viewed part of an array that has the base's shape, sharing its memory."""
        for op, attributes, output in self.path:
            base = op.forward(base, **attributes)
            base = base if output is None else base[output]
        return base


def refusal_of(tracked: bool) -> str:
    """Why a view that is one of several outputs, or was made while nothing was recorded, may not be written to."""
    return SEVERAL if tracked else INFERENCE_MODE if is_inference_mode_enabled() else NO_GRAD


def refused(tensor: Tensor, how: str = "is being") -> RuntimeError:
    """The error for a view that may not be written to, or (how: its base has been) read, in torch's words."""
    refusal = tensor._view.refusal
    edge: Any = tensor._edge
    edge = edge.before if type(edge) is InvalidEdge else edge
    of = "" if edge is None or edge[0] is None else f"Output {edge[1]} of {operation_of(edge[0])} is a view"
    if of and refusal not in (NO_GRAD, INFERENCE_MODE):
        return RuntimeError(f"{of} and {how} modified inplace.{refusal}")
    mode, back = ("inference", "in normal mode") if refusal is INFERENCE_MODE else ("no_grad", "with grad mode enabled")
    made = f"{of} of a view which was created in" if of else "A view was created in"
    return RuntimeError(f"{made} {mode} mode and {how} modified inplace {back}.{refusal}")


BASE_WRITTEN = "its base or another view of its base has been"


class InvalidEdge(tuple[Any, int]):
    """The edge of a view that may not be used any more, since its base was written to: reading where it leads raises the
    error. (Operations read it; so do grad_fn and is_leaf.)"""

    error: RuntimeError
    before: Any  # where it led
    hooks: Any = None  # the view's own, once one was to be registered

    @staticmethod
    def of(view: Tensor) -> InvalidEdge:
        """The edge for this view."""
        edge = InvalidEdge(NO_EDGE)
        edge.before = view._edge
        edge.hooks = getattr(view._edge, "hooks", None)
        edge.error = refused(view, BASE_WRITTEN)
        return edge

    def __getitem__(self, index: Any) -> Any:
        """The output number; an error for the node."""
        return self.before[1] if index == 1 and self.before else self.refuse()

    def refuse(self, *_: Any) -> Any:
        """Raise a copy of the error: one that was raised before carries its old traceback."""
        raise RuntimeError(str(self.error))

    __iter__ = refuse


def unwanted(leaf: Tensor) -> Any:
    """The edge of a leaf whose own gradient is not wanted. A view still requires grad if its base does, and an invalidated
    view stays invalid. A tensor that was no leaf until now (detach_) must not be read by nodes that saved it before.
    """
    if leaf._computed:
        leaf.counter().detached = True  # so that a walk looks at it where it is saved
        leaf._detached = next_order()
    base = leaf._base
    if base is None or type(leaf._edge) is InvalidEdge:
        return NO_EDGE if base is None else leaf._edge
    return NO_EDGE if base._edge is NO_EDGE else UNRECORDED


def thaw(leaf: Tensor) -> None:
    """Let a leaf want its gradient, perhaps again: then it has the hooks and, while a graph lives, the node that it had."""
    leaf._edge = None
    leaf._accumulator, leaf._hooks = getattr(leaf, "_accumulator", None), getattr(leaf, "_hooks", None)


def share_saved(tensor: Tensor, array: Any) -> Any:
    """Replace a tensor's NumPy scalar by an array, also in the node that saved it as its own result, so that the node sees
    later writes that autograd does not. Returns the array."""
    node = None if type(tensor._edge) is InvalidEdge else tensor.grad_fn
    for value in (node.saved or ()) if node is not None else ():
        if type(value) is SavedResult and value._data is tensor._data:
            value._data = array
    return array


def refuse_repeats(part: Any) -> None:
    """RuntimeError, in torch's words, for a part that names a place several times: fill_ and zero_ write to one all the
    same, and only the way back has to ask what each place is worth."""
    if repeats(part):
        raise RuntimeError(OVERLAPPING)


class CopySlices(Node):
    """The history of a base that was written through a view: the old history, and the write's node for the part."""

    __slots__ = ("write", "view", "dims")
    watched, plain = True, False  # the write may be a Function's

    def __init__(self, base: Tensor, view: View, write: Node, base_edge: Any) -> None:
        self.write = write
        self.view = view.part()
        self.dims = dims_in_memory(base._data)  # the base's gradient lies as the base
        self.next_functions = (base_edge, *write.next_functions[1:])
        self.order = next_order()
        self.saved = write.saved
        # The walk releases this node's; a saved result has a history, which leads to the write's node.
        if not any(type(value) is SavedResult for value in write.saved or ()):
            write.saved = None
        self.shape = base._data.shape
        self.stretched = self.extras = None

    def fitted(self, grads: Any) -> Any:
        """The gradients from the write's rules, each brought back to the shape and dtype of its input."""
        from .accumulate import fit_all  # which builds on tensors, and they on this module

        return grads if self.write.stretched is None else fit_all(grads, self.write.stretched)

    @contextmanager
    def lending(self) -> Iterator[None]:
        """Let the write's node have the saved values; RuntimeError once they are released, even if there were none."""
        if self.saved is None:
            raise RuntimeError(SECOND_BACKWARD)
        before, self.write.saved = self.write.saved, self.saved
        try:
            yield
        finally:
            self.write.saved = before

    def unpack_arrays(self) -> list[Any]:
        """The saved values of the write, which knows their versions."""
        with self.lending():
            return self.write.unpack_arrays()

    def apply_graph(self, grad: Any) -> tuple[Any, ...]:
        """As apply, recorded as torch does it: with writes in place, in a copy of the gradient."""
        from ..ops.inplace import view_into  # the operations build on this module, as do tensors
        from ..tensor import from_array

        with self.lending():
            whole = from_array(copied_by_dims(grad._data, self.dims)).copy_(grad)
            part = view_into(whole, self.view)
            first, *others = self.fitted(self.write.apply_graph(part.clone()))
        refuse_repeats(part.storage())
        if self.has_none(first):
            return (None, *others)
        part.zero_() if first is None else part.copy_(first)
        return (whole, *others)

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """The gradient of the base, in which the written part is replaced by the result of the write's rule."""
        grad = copied_by_dims(grad, self.dims)
        part = self.view.array(grad)
        with self.lending():
            first, *others = self.fitted(self.write.apply(part.copy()))
        refuse_repeats(part)
        if self.has_none(first):
            return (None, *others)
        part[...] = 0 if first is None else first
        return (grad, *others)

    def has_none(self, first: Any) -> bool:
        """Whether there is no gradient for the base, not even of what was not written: a Function has given none, which in
        torch is another thing than zeros. None of a rule of the engine's own is zeros."""
        return first is None and hasattr(self.write, "function")
