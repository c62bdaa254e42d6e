"""autograd.Function: operations whose backward the user writes."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from ..backend import array_module
from ..tensor import Tensor, from_array
from .accumulate import broadcasts_to, fit, gradient_edge
from .grad_mode import no_grad, records
from .graph import NO_EDGE, SECOND_BACKWARD, SeveralOutputs, save_result
from .hooks import extras_of
from .recording import next_order, observed, observers


class BackwardNode(SeveralOutputs):
    """The node of one call of a custom Function; at once the `ctx` that forward and backward receive.

    save_for_backward(*tensors) keeps tensors, to be read as `saved_tensors`; anything else may be set as an attribute.
    needs_input_grad: for each input of forward, whether its gradient is wanted.
    """

    __slots__ = ("__dict__",)
    function: type[Function]
    metas: list[Meta]

    def __init__(self) -> None:
        self.saved = ()
        self.stretched = self.extras = None
        self.materialize = True
        self.dirty: tuple[Any, ...] = ()
        self.constant: tuple[Any, ...] = ()
        self.inputs: list[Any] = []

    def save_for_backward(self, *tensors: Any) -> None:
        """Note which tensors backward will need; when forward has returned, the engine keeps them (`keep`, below).

        tensors: any number of Tensors, or None in their place; their order is that of saved_tensors. A second call
        replaces the first. TypeError for anything else.
        Example: save_for_backward(x, None) → in backward, saved_tensors is (x, None)
        """
        for index, tensor in enumerate(tensors):
            if tensor is not None and not isinstance(tensor, Tensor):
                kind = type(tensor).__name__
                raise TypeError(f"save_for_backward can only save variables, but argument {index} is of type {kind}")
        self.to_save = tensors

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What save_for_backward kept; RuntimeError once released or if written in place since."""
        if self.saved is None:
            raise RuntimeError(SECOND_BACKWARD)
        for index, value in enumerate(self.saved):
            if value is not None and value._counter is not None:
                self.check_saved(index, value)
        return tuple([None if v is None else self.saved_tensor(v) for v in self.saved])

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which inputs forward has changed in place."""
        self.dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say which outputs have no gradient."""
        self.constant = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether missing gradients reach backward as zeros (the default) or as None."""
        self.materialize = value

    # ------------------------------------------------------------------ the node's side

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """Run the user's backward on constants."""
        shown = [None if g is None else from_array(g) for g in grad]
        with no_grad():
            results = self.call_backward(shown)
        return tuple([None if r is None else r._data for r in results])

    def apply_graph(self, grad: Any) -> tuple[Any, ...]:
        """Run the user's backward and record what it does."""
        return tuple(self.call_backward(list(grad)))

    def apply_missing(self) -> tuple[Any, ...]:
        """No gradient at all: zeros for every output, if they are wanted."""
        return self.apply([None] * self.outputs)

    def call_backward(self, grads: list[Any]) -> list[Any]:
        """The user's backward; its results counted and held against the inputs, one for each differentiable input."""
        if self.materialize:
            grads = [
                from_array(meta.zeros()) if g is None and meta else g for g, meta in zip(grads, self.metas, strict=True)
            ]
        function = self.function
        results = (function.backward if function.vjp is Function.vjp else function.vjp)(self, *grads)
        results = results if isinstance(results, tuple) else (results,)
        if len(results) < len(self.inputs) or any(r is not None for r in results[len(self.inputs) :]):
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {len(self.inputs)}, got "
                f"{len(results)})"
            )
        return [
            self.checked(r, given, i) for i, (r, given) in enumerate(zip(results, self.inputs, strict=False)) if given
        ]

    def checked(self, result: Any, given: Meta, index: int) -> Any:
        """One returned gradient, fitted to its input's shape where it may be."""
        if result is None:
            return None
        if not isinstance(result, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(result).__name__})")
        if not broadcasts_to(given.shape, result._data.shape):
            raise RuntimeError(
                f"Function {self.name()} returned an invalid gradient at index {index} - got {list(result._data.shape)} "
                f"but expected shape compatible with {list(given.shape)}"
            )
        return fit(result, (given.shape, given.dtype))


class Meta:
    """Shape, dtype and array module of a tensor, without its memory."""

    __slots__ = ("shape", "dtype", "module")

    def __init__(self, tensor: Tensor) -> None:
        self.shape = tensor._data.shape
        self.dtype = tensor._data.dtype
        self.module = array_module(tensor._data)

    def zeros(self) -> Any:
        """Zeros of this shape and dtype."""
        return self.module.zeros(self.shape, self.dtype)


class Function:
    """Subclass it, write static `forward(ctx, …)` and `backward(ctx, *grads)`, and call `.apply(…)`.

    backward returns one gradient for each argument of forward (None for what needs none), as torch.autograd.Function.
    """

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the result; with a separate setup_context it receives no ctx."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Fill ctx, if forward does not."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The vector-Jacobian product."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    vjp = backward  # the same by its other name; a class writes one of the two

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should invoke "
            "them on the class itself. Instantiating an autograd function will raise an error in a future version of "
            "PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
            "with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run forward without recording and hang one node on its outputs."""
        node = type(cls.__name__ + "Backward", (BackwardNode,), {"__slots__": (), "function": cls})()
        tensors = [a for a in args if isinstance(a, Tensor)]
        recorded = records() and any(t.requires_grad for t in tensors)
        node.needs_input_grad = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
        node.next_functions = tuple(gradient_edge(t) if recorded else NO_EDGE for t in tensors)
        node.order = next_order()
        node.inputs = [Meta(a) if isinstance(a, Tensor) else None for a in args]
        with no_grad():
            if cls.setup_context is Function.setup_context:
                result = cls.forward(node, *args)
            else:
                result = cls.forward(*args)
                cls.setup_context(node, args, result)
        return attach(node, args, result, recorded)


def attach(node: Any, args: tuple[Any, ...], result: Any, recorded: bool) -> Any:
    """The outputs of a custom Function with `node` as their history; what is no tensor is handed through."""
    outs = result if isinstance(result, tuple) else (result,)
    type(node).outputs = len(outs)
    node.metas = [Meta(o) if isinstance(o, Tensor) else None for o in outs]
    shapes = tuple([meta and meta.shape for meta in node.metas])
    node.shape = shapes if len(outs) != 1 else shapes[0]
    fresh = [output(node, i, out, args, recorded) if isinstance(out, Tensor) else out for i, out in enumerate(outs)]
    if recorded:
        keep(node, [out for out in fresh if isinstance(out, Tensor)])
    else:
        node.saved = ()
    return tuple(fresh) if isinstance(result, tuple) else fresh[0]


def output(node: Any, index: int, out: Tensor, args: tuple[Any, ...], recorded: bool) -> Tensor:
    """One output tensor with `node` as its history: itself where forward made it or changed it in place, a tensor on
    the same storage where forward handed an input through."""
    if any(out is d for d in node.dirty):
        if recorded and out._edge is None:
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
        out.bump_version()
    elif any(out is a for a in args):
        out = from_array(out.storage(), NO_EDGE, out.counter())
    if recorded and out._data.dtype.kind == "f" and not any(out is c for c in node.constant):
        out._edge = (node, index)
    return out


def keep(node: Any, outs: list[Tensor]) -> None:
    """Turn what save_for_backward was given into saved values: outputs without the cycle back to the node."""
    node.saved = tuple([save_result(t) if any(t is o for o in outs) else t for t in node.__dict__.pop("to_save", ())])
    versions = tuple([0 if v is None or v._counter is None else v._counter.version for v in node.saved])
    if any(versions):
        extras_of(node).versions = versions
    if observers:
        observed(node)


class Error(SeveralOutputs):
    """The history of what must not be differentiated again: running it raises."""

    __slots__ = ("message", "outputs")
    releases = False

    def __init__(self, message: str, outs: list[Tensor]) -> None:
        self.message = message
        self.outputs = len(outs)  # type: ignore[misc]  # one of each call's own
        self.next_functions = ()
        self.saved = ()
        self.order = next_order()
        self.shape = tuple([o._data.shape for o in outs])
        self.stretched = self.extras = None

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """RuntimeError."""
        raise RuntimeError(self.message)

    apply_graph = apply


ONCE = "trying to differentiate twice a function that was marked with @once_differentiable"


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a Function's backward whose own gradient is not to be had: it runs without recording, and a second
    derivative through it raises RuntimeError instead of being silently wrong."""

    @functools.wraps(backward)
    def wrapper(ctx: Any, *grads: Any) -> Any:
        with no_grad():
            results = backward(ctx, *grads)
        if not records() or not any(isinstance(g, Tensor) and g.requires_grad for g in grads):
            return results
        outs = list(results) if isinstance(results, tuple) else [results]
        node = Error(ONCE, [o for o in outs if o is not None])
        places = iter(range(len(outs)))
        return tuple([None if o is None else from_array(o._data, (node, next(places))) for o in outs])

    return wrapper
