"""One differentiation: its inputs are fresh leaves, and what it gives belongs to the program around it again.

A fresh input shares its tensor's values, and nothing is known inside of how that was computed. It has an `Inlet` where
other leaves have their AccumulateGrad. Once the differentiation is over, gradients that arrive there go on to the tensor
outside: so derivatives can be differentiated, by another one around it or by backward().
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .. import autograd
from ..autograd.accumulate import AccumulateGrad, gradient_edge
from ..autograd.function import transforming
from ..autograd.grad_mode import enable_grad, is_grad_enabled
from ..autograd.graph import NO_EDGE, Node
from ..autograd.recording import next_order
from ..autograd.saved import disable_saved_tensors_hooks
from ..errors import BACKWARD_INSIDE
from ..ranges import zeros_like
from ..tensor import Tensor
from .pytree import flatten, mapped

NO_HOOKS = "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your use case."
ARGNUMS = int | tuple[int, ...]


class Inlet(Node):
    """Where the gradient of a fresh input arrives. While its level lasts it is the end of the graph; afterwards what
    arrives goes on to the tensor outside, if that requires grad."""

    __slots__ = ("level",)
    releases = False
    plain = False
    watched = ends = True

    def __init__(self, tensor: Tensor, level: Level) -> None:
        self.level = level
        self.parents, self.numbers = (), None
        self.order = next_order()
        self.saved, self.stretched, self.extras = (), None, None
        self.shape = tensor._data.shape

    def is_urgent(self) -> bool:
        """Whoever asks for a gradient with respect to a fresh input watches."""
        return True

    def name(self) -> str:
        """What it is afterwards: the tensor under another name."""
        return "AliasBackward0"

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """Hand the gradient on; RuntimeError for a backward() inside."""
        if self.level.lasts:
            raise RuntimeError(BACKWARD_INSIDE)
        return (grad,)

    apply_graph = apply


class Level:
    """What belongs to one differentiation. kind: "grad" or "jvp". recording: whether the program around it records what is
    done.

    lasts: while the function runs. inlets: until then, of its fresh inputs, each with the tensor outside.
    """

    def __init__(self, kind: str = "grad") -> None:
        self.kind = kind
        self.recording = is_grad_enabled()
        self.lasts = False
        self.inlets: dict[Node, Tensor] = {}

    @contextmanager
    def entered(self) -> Iterator[Level]:
        """While the function runs."""
        with disable_saved_tensors_hooks(NO_HOOKS), enable_grad(), transforming(self.kind):
            self.lasts = True
            try:
                yield self
            finally:
                self.lasts = False
                for inlet, outside in self.inlets.items():
                    inlet.next_functions = (gradient_edge(outside) if self.recording else NO_EDGE,)
                self.inlets.clear()  # each knows its level: nothing is to be a cycle

    def fresh(self, value: Any) -> Tensor:
        """A leaf with a tensor's values; ValueError for what is no tensor."""
        if not isinstance(value, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(value)}")
        leaf = value.detach().requires_grad_()
        inlet = Inlet(leaf, self)
        leaf._accumulator = weakref.ref(inlet)
        self.inlets[inlet] = value
        return leaf

    def belongs_outside(self, tensors: Sequence[Tensor | None]) -> bool:
        """Whether the program around has anything that these depend on and that requires grad."""
        if not self.recording:
            return False
        stack: list[Node] = [node for t in tensors if t is not None and (node := gradient_edge(t)[0]) is not None]
        seen = set(stack)
        while stack:
            node = stack.pop()
            if isinstance(node, AccumulateGrad):
                return True
            if (
                isinstance(node, Inlet)
                and node.level.lasts
                and (node.level is not self or self.inlets[node].requires_grad)
            ):
                return True
            for parent in node.parents:
                if parent is not None and parent not in seen:
                    seen.add(parent)
                    stack.append(parent)
        return False

    def handed_out(self, value: Any) -> Any:
        """A tensor as the program around sees it; of a tuple each."""
        if isinstance(value, tuple):  # one that is no tree, such as a Size, or an output of several
            return tuple([self.handed_out(each) for each in value])
        if not isinstance(value, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(value)}")
        inlet = gradient_edge(value)[0] if value.is_leaf and value.requires_grad else None
        if inlet in self.inlets:
            return self.inlets[inlet]
        return value if self.belongs_outside([value]) else value.detach()

    def all_handed_out(self, tree: Any) -> Any:
        """A tree of tensors as the program around sees it."""
        return mapped(self.handed_out, tree)


def differentiated(
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    weights: Sequence[Any] | None,
    retain_graph: bool | None,
    create_graph: bool,
) -> list[Tensor]:
    """autograd.grad of those outputs that have a history; zeros where nothing arrives."""
    pairs = [(o, w) for o, w in zip(outputs, weights or [None] * len(outputs), strict=False) if o.requires_grad]
    found: Sequence[Tensor | None] = [None] * len(inputs)
    if pairs and inputs:
        with transforming("grad"):
            found = autograd.grad(
                [o for o, _ in pairs], inputs, [w for _, w in pairs], retain_graph, create_graph, allow_unused=True
            )
    return [zeros_like(x) if g is None else g for g, x in zip(found, inputs, strict=True)]


def chosen(args: tuple[Any, ...], argnums: Any) -> tuple[int, ...]:
    """The places among the arguments that argnums names; RuntimeError in torch's words for others."""
    if not isinstance(argnums, int | tuple):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    places = []
    for number in argnums if isinstance(argnums, tuple) else (argnums,):
        if not isinstance(number, int):
            raise RuntimeError(f"argnum must be int, got: {type(number)}")
        if not -len(args) <= number < len(args):
            raise RuntimeError(f"Got argnum={number}, but only {len(args)} positional inputs")
        places.append(number % len(args))
    if not places:
        raise RuntimeError("argnums must be non-empty")
    if len(set(places)) != len(places):
        raise RuntimeError(f"argnums elements must be unique, got {tuple(places)}")
    return tuple(places)


def with_fresh(level: Level, args: tuple[Any, ...], argnums: Any) -> tuple[tuple[Any, ...], Any]:
    """The arguments, those to differentiate by fresh (all, where argnums is None); and these alone."""
    places = tuple(range(len(args))) if argnums is None else chosen(args, argnums)
    new = list(args)
    for place in places:
        new[place] = mapped(level.fresh, args[place])
    picked = tuple([new[place] for place in places])
    return tuple(new), picked[0] if isinstance(argnums, int) else picked


def with_aux(result: Any, has_aux: bool, api: str) -> tuple[Any, Any]:
    """A function's output, and what it gives besides."""
    if not has_aux:
        return result, None
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(f"{api}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return result


def tensors_only(tree: Any, api: str) -> tuple[list[Tensor], Any]:
    """A function's output, taken to pieces; RuntimeError if there is anything but tensors, or nothing."""
    leaves, spec = flatten(tree)
    if not leaves or (len(leaves) == 1 and leaves[0] is None):
        raise RuntimeError(f"{api}: Expected f to be a function that has non-empty output (got output = {leaves})")
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(f"{api}: expected f(*primals) to return only tensors, got unsupported type {type(leaf)}")
    return leaves, spec
