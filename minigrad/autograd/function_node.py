"""The node of one call of a custom Function: it runs the user's backward and checks its results.

The user sees it as `ctx` (function.py); `function_outputs.py` turns what forward returned into its outputs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..backend import array_module, in_use
from ..tensor import Tensor, from_array
from .accumulate import ALONE, broadcasts_to, fit, gradient_edge, holders
from .grad_mode import no_grad
from .graph import NO_EDGE, SECOND_BACKWARD, SeveralOutputs
from .recording import next_order
from .saved_tensor import SavedTensor

if TYPE_CHECKING:
    from .function import Function

ONLY_ONCE = (
    "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the autograd.Function. Either "
    "access saved_tensors only once, or set clear_saved_tensors_on_access=False."
)
MODULE = "torch.autograd.function"  # where the nodes of custom Functions say they come from


def raw_saved_tensors(node: SeveralOutputs) -> tuple[SavedTensor, ...]:
    """The saved values of a node, as handles that take hooks; RuntimeError once released."""
    if node.saved is None:
        raise RuntimeError(SECOND_BACKWARD)
    return tuple([SavedTensor(node, index) for index in range(len(node.saved))])


class BackwardNode(SeveralOutputs):
    """The node of one call of a custom Function.

    function: the Function.  attributes: what the user set on ctx.  inputs, metas: shape and dtype of each input and
    output, None for what is no tensor.  materialize: whether missing gradients are to be zeros.  given_away: whether the
    saved tensors have been read, and may be only once.  What the user sets on `y.grad_fn` goes to __dict__.
    """

    __slots__ = (
        "attributes",
        "inputs",
        "metas",
        "materialize",
        "outputs",
        "needs_input_grad",
        "read_once",
        "__dict__",
    )
    narrows = False
    watched = True
    function: type[Function]
    needs_input_grad: tuple[bool, ...]

    def __call__(self, *grads: Any) -> Any:
        raise TypeError(f"'{type(self).__name__}' object is not callable")

    def __init__(self) -> None:
        self.attributes: dict[str, Any] = {}
        self.saved = ()
        self.stretched = self.extras = None
        self.materialize = True
        self.read_once = False
        self.inputs: list[Meta | None] = []
        self.metas: list[Meta | None] = []
        self.outputs = 0  # type: ignore[misc]  # each call has as many as forward returned

    def __getattr__(self, name: str) -> Any:
        """What the user has set on ctx, read off `y.grad_fn`."""
        try:
            return self.attributes[name]
        except KeyError:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'") from None

    def __repr__(self) -> str:
        return f"<{MODULE}.{type(self).__name__} object at {id(self):#x}>"

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What save_for_backward kept; RuntimeError once released or if written in place since."""
        if self.saved is None:
            raise RuntimeError(ONLY_ONCE if self.read_once else SECOND_BACKWARD)
        for index, value in enumerate(self.saved):
            if value is not None and value._counter is not None:
                self.check_saved(index, value, shown=True)
        tensors = tuple([None if v is None else self.saved_tensor(v) for v in self.saved])
        if self.function.clear_saved_tensors_on_access:
            self.saved, self.read_once = None, True
        return tensors

    _raw_saved_tensors = property(raw_saved_tensors)
    _forward_cls = property(lambda self: self.function)

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """Run the user's backward on constants."""
        shown = [None if g is None else from_array(g) for g in self.listed(grad)]
        with no_grad():
            results = self.call_backward(shown)
        # The user's code may hold a result, or return it for two inputs. Then it is handed on as a view, which a leaf copies.
        alone = [held == ALONE for held in holders(results)]
        return tuple(
            [None if r is None else r._data if own else r._data[...] for r, own in zip(results, alone, strict=True)]
        )

    def apply_graph(self, grad: Any) -> tuple[Any, ...]:
        """Run the user's backward and record what it does."""
        return tuple(self.call_backward(list(self.listed(grad))))

    def apply_missing(self, create_graph: bool) -> tuple[Any, ...]:
        """No gradient at all: zeros for every output, if they are wanted."""
        return (self.apply_graph if create_graph else self.apply)([None] * self.outputs)

    @staticmethod
    def listed(grad: Any) -> list[Any]:
        """The gradients of the outputs; CopySlices passes on the only one unchanged."""
        return grad if type(grad) is list else [grad]

    def call_backward(self, grads: list[Any]) -> list[Any]:
        """Run the user's backward and check its results against the inputs: one for each differentiable input."""
        if self.materialize:
            grads = [
                from_array(meta.zeros()) if g is None and meta else g for g, meta in zip(grads, self.metas, strict=True)
            ]
        results = self.function._backward(self, grads)
        results = results if isinstance(results, tuple) else (results,)
        wanted = len(self.inputs)
        if len(results) < wanted or any(r is not None for r in results[wanted:]):
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {wanted}, got "
                f"{len(results)})"
            )
        for place, given in enumerate(self.inputs):
            if given is None and results[place] is not None:
                raise RuntimeError(
                    f"function {self.name()} returned a gradient different than None at position {place + 1}, but the "
                    "corresponding forward input was not a Variable"
                )
        parents = iter(self.parents)  # of the tensors among the inputs
        return [
            self.checked(r, given, i, next(parents) is not None)
            for i, (r, given) in enumerate(zip(results, self.inputs, strict=False))
            if given
        ]

    def checked(self, result: Any, given: Meta, index: int, wanted: bool) -> Any:
        """One returned gradient, reduced to its input's shape if it was broadcast; as it is if the input wants none."""
        if result is None:
            return None
        if not isinstance(result, Tensor):
            from ..ops.arguments import type_name  # the operations build on this module

            raise RuntimeError(f"expected Variable or None (got {type_name(result)})")
        if not wanted:
            return result
        if not broadcasts_to(given.shape, result._data.shape):
            raise RuntimeError(
                f"Function {self.name()} returned an invalid gradient at index {index} - got {list(result._data.shape)} "
                f"but expected shape compatible with {list(given.shape)}"
            )
        if in_use and result.device != given.device:
            if result._data.ndim:
                raise RuntimeError(
                    f"Function {self.name()} returned an invalid gradient at index {index} - expected device {given.device} "
                    f"but got {result.device}"
                )
            result = result.to(given.device)
        return fit(result, (given.shape, given.dtype))


class Meta:
    """Shape, dtype, array module and (once a GPU is in use) device of a tensor, without its memory."""

    __slots__ = ("shape", "dtype", "module", "device")

    def __init__(self, tensor: Tensor) -> None:
        self.shape = tensor._data.shape
        self.dtype = tensor._data.dtype
        self.module = array_module(tensor._data)
        self.device = tensor.device if in_use else None

    def zeros(self) -> Any:
        """Zeros of this shape and dtype."""
        return self.module.zeros(self.shape, self.dtype)


class Error(SeveralOutputs):
    """The history of tensors that must not be differentiated again: running it raises an error."""

    __slots__ = ("message", "outputs")
    releases = False

    def __init__(self, message: str, outs: list[Tensor | None]) -> None:
        self.message = message
        self.outputs = len(outs)  # type: ignore[misc]  # one of each call's own
        self.next_functions = tuple([NO_EDGE if o is None else gradient_edge(o) for o in outs])
        self.saved = ()
        self.order = next_order()
        self.shape = tuple([None if o is None else o._data.shape for o in outs])
        self.stretched = self.extras = None

    _raw_saved_tensors = property(raw_saved_tensors)

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """RuntimeError."""
        raise RuntimeError(self.message)

    apply_graph = apply


def delayed_error(message: str, tensors: list[Tensor | None]) -> tuple[Tensor | None, ...]:
    """Copies of the tensors that share their arrays; differentiating them raises RuntimeError(message)."""
    node = Error(message, tensors)
    return tuple([None if t is None else from_array(t._data, (node, i)) for i, t in enumerate(tensors)])


def meta_of(value: Any) -> Meta | None:
    """What a node stores of an input or output; None if it is not a tensor."""
    return Meta(value) if isinstance(value, Tensor) else None


def differentiable(value: Any) -> bool:
    """Whether a value is a tensor whose gradient is wanted."""
    return isinstance(value, Tensor) and value._edge is not NO_EDGE
