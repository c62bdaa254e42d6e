"""autograd.Function: operations whose backward the user writes.

This is what the user subclasses and decorates. The node is in `function_node.py`; how forward's results become its
outputs is in `function_outputs.py`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ..errors import warn
from ..tensor import Tensor, from_array
from .accumulate import gradient_edge
from .function_node import MODULE, BackwardNode, delayed_error, differentiable, meta_of
from .function_outputs import attach
from .grad_mode import no_grad, records
from .graph import NO_EDGE
from .recording import next_order

BackwardCFunction = BackwardNode  # torch's name


class FunctionCtx:
    """What forward, setup_context and backward of a custom Function receive as `ctx`.

    save_for_backward(*tensors) saves tensors, to be read as `saved_tensors`; anything else may be set as an attribute.
    needs_input_grad: for each input of forward, whether its gradient is wanted.
    It refers to its node, and the node holds its attributes, so there is no cycle. The two are separate objects because
    the engine's own attributes of a node have plain names, such as `shape`, which the user may want as well.
    """

    __slots__ = ("_node", "__dict__")

    def __init__(self, node: BackwardNode) -> None:
        self._node = node
        if set_later := vars(node):  # on `y.grad_fn`, which in torch is ctx itself
            node.attributes |= set_later
            set_later.clear()
        self.__dict__ = node.attributes

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The node's class: in torch ctx is the node, and isinstance finds it among autograd.graph.Node."""
        return type(self._node)

    def save_for_backward(self, *tensors: Any) -> None:
        """Note which tensors backward will need; when forward has returned, the engine keeps them.

        tensors: any number of Tensors, or None in their place; their order is that of saved_tensors. A second call
        replaces the first. TypeError for anything else.
        Example: save_for_backward(x, None) → in backward, saved_tensors is (x, None)
        """
        for index, tensor in enumerate(tensors):
            if tensor is not None and not isinstance(tensor, Tensor):
                kind = type(tensor).__name__
                raise TypeError(f"save_for_backward can only save variables, but argument {index} is of type {kind}")
        self.to_save = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Declare which inputs forward has changed in place."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Declare which outputs have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether missing gradients reach backward as zeros (the default) or as None."""
        if value is not True and value is not False:
            raise TypeError(
                "set_materialize_grads received an invalid combination of arguments - got (), but expected (bool)"
            )
        self._node.materialize = value

    def save_for_forward(self, *tensors: Any) -> None:
        """Stored for forward mode, which minigrad does not have; backward ignores them, as in torch."""
        self.saved_for_forward = tensors

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What save_for_backward saved; RuntimeError once released or if written in place since."""
        return self._node.saved_tensors

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        """saved_tensors by its old name."""
        warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning)
        return self.saved_tensors

    @property
    def needs_input_grad(self) -> Any:
        """For each input of forward, whether its gradient is wanted; the user may set something else."""
        return self._node.needs_input_grad

    @needs_input_grad.setter
    def needs_input_grad(self, value: Any) -> None:
        self._node.needs_input_grad = value

    def __repr__(self) -> str:
        return repr(self._node)

    def __getattr__(self, name: str) -> Any:
        """What was set on `y.grad_fn`, and what a node offers besides: name(), next_functions, metadata, register_hook."""
        if name in self._node.__dict__:
            return self._node.__dict__[name]
        if name in ("name", "next_functions", "metadata", "register_hook", "register_prehook", "_sequence_nr"):
            return getattr(self._node, name)
        raise AttributeError(f"'{type(self._node).__name__}' object has no attribute '{name}'")


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
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """How torch's vmap computes a whole batch; never called here, where vmap is a loop, but vmap requires it."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The derivative in one direction; never called here, where backward computes it, but func.jvp requires it."""
        raise NotImplementedError(NO_JVP)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The vector-Jacobian product."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    vjp = backward  # its other name; a subclass writes one of the two
    generate_vmap_rule = False  # whether vmap works without a vmap method
    boxed_grads_call = False  # whether backward takes one list of gradients, from which it may drop what it has used
    clear_saved_tensors_on_access = False  # whether saved_tensors can be read only once

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should invoke "
            "them on the class itself. Instantiating an autograd function will raise an error in a future version of "
            "PyTorch.",
            DeprecationWarning,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
            "with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    _node_class: type[BackwardNode] = BackwardNode
    _ctx_class: type[FunctionCtx] = FunctionCtx

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        name, members = cls.__name__ + "Backward", {"__slots__": (), "__module__": MODULE}
        cls._node_class = type(name, (BackwardNode,), members | {"function": cls})
        cls._ctx_class = type(name, (FunctionCtx,), members)

    @classmethod
    def _backward(cls, node: BackwardNode, grads: list[Any]) -> Any:
        """Call whichever of backward and vjp was written."""
        by_vjp = cls.vjp is not Function.vjp
        if by_vjp and cls.backward is not Function.backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement one "
                "of them."
            )
        given = (grads,) if cls.boxed_grads_call else grads
        return (cls.vjp if by_vjp else cls.backward)(cls._ctx_class(node), *given)

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward without recording, and give its outputs one node as their history."""
        separate = cls.setup_context is not Function.setup_context
        if kinds := transforms.get():
            check_transformable(cls, separate, kinds)
        if separate or kwargs:
            args = arguments(cls.forward, args, kwargs, separate)
        node = cls._node_class()
        tensors = [a for a in args if isinstance(a, Tensor)]
        recorded = records() and any(t.requires_grad for t in tensors)
        node.needs_input_grad = tuple([differentiable(a) for a in args])
        node.next_functions = tuple([gradient_edge(t) if recorded else NO_EDGE for t in tensors])
        node.order = next_order()
        node.inputs = [meta_of(a) for a in args]
        ctx = cls._ctx_class(node)
        with no_grad():
            if separate:
                result = cls.forward(*args)
                cls.setup_context(ctx, args, result)
            else:
                result = cls.forward(ctx, *args)
            return attach(node, args, result, recorded, separate)


NO_SETUP = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override the "
    "setup_context staticmethod. For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
)
NO_VMAP = (
    "You tried to vmap over {}, but it does not have vmap support. Please override and implement the vmap staticmethod or set "
    "generate_vmap_rule=True. For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
)
TWO_RULES = (
    "You tried to vmap over {}, but it has both generate_vmap_rule=True and an overridden vmap staticmethod. Please set "
    "generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid ambiguity. For more details, please see "
    "https://pytorch.org/docs/main/notes/extending.func.html"
)
NO_JVP = "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."

# The function transformations that are running, outermost first: "grad", "vmap", "jvp".
transforms: ContextVar[tuple[str, ...]] = ContextVar("transforms", default=())


@contextmanager
def transforming(*kinds: str) -> Iterator[None]:
    """Declare the transformations of a function while it runs."""
    before = transforms.set(transforms.get() + kinds)
    try:
        yield
    finally:
        transforms.reset(before)


def check_transformable(cls: type[Function], separate: bool, kinds: tuple[str, ...]) -> None:
    """RuntimeError or NotImplementedError, in torch's words, for a Function that lacks what the transformations ask for.

    torch would call its vmap and its jvp; here each slice is a separate call, and backward gives what jvp would.
    """
    if not separate:
        raise RuntimeError(NO_SETUP)
    if "vmap" in kinds:
        overrides = cls.vmap is not Function.vmap
        if overrides == cls.generate_vmap_rule:
            raise RuntimeError((TWO_RULES if overrides else NO_VMAP).format(cls.__name__))
    if "jvp" in kinds and cls.jvp is Function.jvp:
        raise NotImplementedError(NO_JVP)


class InplaceFunction(Function):
    """An older name, kept by torch for programs that use it."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


def arguments(forward: Callable[..., Any], args: tuple[Any, ...], named: Any, separate: bool) -> tuple[Any, ...]:
    """All arguments of forward by position: with setup_context the defaults too, since it sees them as inputs."""
    signature = inspect.signature(forward)
    if separate:
        bound = signature.bind(*args, **named)
        bound.apply_defaults()
        args, named = bound.args, bound.kwargs
    by_place = [n for n, p in signature.parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD][not separate :]
    for name in named:
        if name not in by_place:
            raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
        if by_place.index(name) < len(args):
            raise TypeError(f"forward() got multiple values for argument '{name}'")
    left = dict(named)
    found = list(args)
    while left:
        name = by_place[len(found)]
        if name not in left:
            raise TypeError(f"forward() missing required argument: '{name}' (position {len(found)})")
        found.append(left.pop(name))
    return tuple(found)


ONCE = "trying to differentiate twice a function that was marked with @once_differentiable"


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator for a backward that cannot be differentiated: it runs without recording, and a second derivative through
    it raises RuntimeError instead of being silently wrong."""

    @functools.wraps(backward)
    def wrapper(ctx: Any, *grads: Any) -> Any:
        with no_grad():
            results = backward(ctx, *grads)
        if not records() or not any(isinstance(g, Tensor) and g.requires_grad for g in grads):
            return results
        outs = list(results) if isinstance(results, tuple) else [results]
        return delayed_error(ONCE, [None if o is None else from_array(o._data, None) for o in outs])

    return wrapper
