"""Where gradients meet: fitted to the shape of what they belong to, summed at a fan-out, collected at a leaf."""

from __future__ import annotations

import weakref
from typing import Any

from .. import rules
from ..tensor import Tensor, from_array
from .graph import LAST, Edge, Node


def unbroadcast(grad: Any, shape: tuple[int, ...]) -> Any:
    """Sum a gradient back to the shape of an input that was broadcast in the forward pass.

    Every element of the input was used many times, once for each position it was stretched over; its gradient is
    the sum over those positions. grad: array or Tensor, of a shape that `shape` broadcasts to.
    Example: grad of shape (3, 2), shape (2,) → grad.sum(0); shape (3, 1) → grad.sum(1, keepdim=True)
    """
    extra = len(grad.shape) - len(shape)
    stretched = [i + extra for i, n in enumerate(shape) if n == 1 and grad.shape[i + extra] != 1]
    if stretched:
        grad = rules.sum(grad, tuple(stretched), True)
    if extra:
        grad = rules.sum(grad, tuple(range(extra)), False)
    return grad


def fit(grad: Any, edge: Edge, giver: Node) -> Any:
    """`grad` in the shape and dtype that the node at `edge` expects.

    For a node with several outputs: a list with `grad` at its place, None elsewhere.
    Raises RuntimeError, as torch, where the shapes cannot belong together.
    """
    node, output = edge
    assert node is not None
    several = node.outputs != 1
    shape, dtype = (node.shape[output], node.dtype[output]) if several else (node.shape, node.dtype)
    if grad.shape != shape:
        if not broadcasts_to(shape, grad.shape):
            index = giver.next_functions.index(edge)
            raise RuntimeError(
                f"Function {giver.name()} returned an invalid gradient at index {index} - got {list(grad.shape)} "
                f"but expected shape compatible with {list(shape)}"
            )
        grad = unbroadcast(grad, shape)
    if rules.raw_dtype(grad) is not dtype:
        grad = rules.cast(grad, dtype)
    if several:
        grads: list[Any] = [None] * node.outputs
        grads[output] = grad
        return grads
    return grad


def broadcasts_to(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether an array of `shape` can be stretched to `target`."""
    offset = len(target) - len(shape)
    return offset >= 0 and all(n in (1, target[i + offset]) for i, n in enumerate(shape))


def merge(held: Any, grad: Any) -> Any:
    """The sum of two gradients that meet at one node (lists, for nodes with several outputs, place by place)."""
    if type(held) is list:
        return [b if a is None else a if b is None else a + b for a, b in zip(held, grad, strict=True)]
    return held + grad


def owns_its_memory(grad: Any) -> bool:
    """True for an array that is no view of another."""
    return getattr(grad, "base", None) is None


class AccumulateGrad(Node):
    """The end of every path: adds the arriving gradient to its leaf's `.grad`."""

    __slots__ = ("variable", "shared")
    leaf = True

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable
        self.shared = False
        self.next_functions = ()
        self.saved = ()
        self.versions = None
        self.seq = LAST
        self.shape = variable._data.shape
        self.dtype = variable._data.dtype
        self.hooks = variable._hooks
        self.extra = None

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """Add `grad`, an array, to the leaf's gradient; a hook may have kept it."""
        accumulate(self.variable, grad, self.shared or self.hooks is not None)
        return ()

    def apply_graph(self, grad: Any) -> tuple[Any, ...]:
        """Add `grad`, a Tensor with a history, out of place: the old gradient may be part of another graph."""
        variable = self.variable
        variable._grad = grad.clone() if variable._grad is None else variable._grad + grad
        return ()


def accumulate(variable: Tensor, grad: Any, shared: bool) -> None:
    """variable.grad += grad.

    grad: an array of the variable's shape and dtype. shared: True when somebody else may hold the same array (add
    hands one gradient to both its inputs); then the first gradient has to be copied.
    Later gradients are added in place, so `.grad` stays the same object.
    Example: variable.grad = [1.], grad = [2.] → variable.grad = [3.]
    """
    held = variable._grad
    if held is None:
        variable._grad = from_array(grad.copy() if shared else grad)
    elif held.requires_grad:
        variable._grad = held + from_array(grad)
    else:
        held.add_array_(grad)


def gradient_edge(tensor: Tensor) -> Edge:
    """Where a tensor's gradient goes: (its grad_fn, output number), or for a leaf its one AccumulateGrad.

    The leaf knows its AccumulateGrad weakly and is held by it, so dropping the graph and the name frees both.
    """
    if tensor._edge is not None:
        return tensor._edge
    reference = tensor._accumulator
    node = None if reference is None else reference()
    if node is None:
        node = AccumulateGrad(tensor)
        tensor._accumulator = weakref.ref(node)
    return (node, 0)
