"""As little as we could make of reverse mode in Python on NumPy: everything that makes an engine is left out.

It adds and multiplies arrays of one shape. There are no versions, hooks, modes, dtypes, names or errors, no order among
the ready, no derivative of a derivative, and nothing can be plugged in. It proves no limit; it shows
about what minigrad's behaviour costs. Not for use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.workloads import Workload


class Tensor:
    """An array, and the node that computed it, or the leaf it is; None where no gradient is wanted."""

    __slots__ = ("data", "node")

    def __init__(self, data: Any, node: Any) -> None:
        self.data = data
        self.node = node

    def __add__(self, other: Tensor) -> Tensor:
        out, one, two = Tensor(self.data + other.data, None), self.node, other.node
        if one is not None or two is not None:
            out.node = node = Add()
            node.parents = (one, two)
        return out

    def __mul__(self, other: Tensor) -> Tensor:
        out, one, two = Tensor(self.data * other.data, None), self.node, other.node
        if one is not None or two is not None:
            out.node = node = Mul()
            node.parents = (one, two)
            node.saved = (self if two is not None else None, other if one is not None else None)
        return out


class Leaf:
    """Where a gradient ends."""

    __slots__ = ("grad",)

    grad: Any
    parents = ()

    def apply(self, grad: Any) -> tuple[()]:
        self.grad = grad
        return ()


class Add:
    """z = x + y."""

    __slots__ = ("parents",)

    parents: tuple[Any, Any]

    def apply(self, grad: Any) -> tuple[Any, Any]:
        return grad, grad


class Mul:
    """z = x · y."""

    __slots__ = ("parents", "saved")

    parents: tuple[Any, Any]
    saved: tuple[Any, Any]

    def apply(self, grad: Any) -> tuple[Any, Any]:
        one, two = self.saved
        del self.saved
        return None if two is None else grad * two.data, None if one is None else grad * one.data


class Sum:
    """z = Σ x."""

    __slots__ = ("parents", "shape")

    parents: tuple[Any]
    shape: tuple[int, ...]

    def apply(self, grad: Any) -> tuple[Any]:
        return (np.broadcast_to(grad, self.shape),)


def backward(root: Any, grad: Any) -> None:
    """Every node once, after all its gradients are in."""
    waiting, stack = {root: 0}, [root]
    while stack:
        for parent in stack.pop().parents:
            if parent is not None:
                if parent in waiting:
                    waiting[parent] += 1
                else:
                    waiting[parent] = 1
                    stack.append(parent)
    held, ready = {root: grad}, [root]
    while ready:
        node = ready.pop()
        for parent, result in zip(node.parents, node.apply(held.pop(node)), strict=False):
            if parent is not None:
                before = held.get(parent)
                held[parent] = result if before is None else before + result
                waiting[parent] -= 1
                if not waiting[parent]:
                    ready.append(parent)


class Bare:
    """This tape under the names that the benchmark uses (engines.py)."""

    rows = frozenset({"chain", "chain_x", "braid", "deep"})

    def sum(self, x: Tensor) -> Tensor:
        node = Sum()
        node.parents, node.shape = (x.node,), x.data.shape
        return Tensor(x.data.sum(), node)

    def step(self, workload: Workload, data: dict[str, Any]) -> tuple[Callable[[], None], Callable[[], list[Any]]]:
        tensors = {name: Tensor(array, Leaf() if name in workload.wants else None) for name, array in data.items()}

        def run() -> None:
            loss = workload.loss(self, **tensors)
            backward(loss.node, np.float32(1))

        return run, lambda: [np.array(tensors[name].node.grad) for name in workload.wants]

    def deep(self, n: int) -> float:
        leaf = Leaf()
        y = x = Tensor(np.float32(1), leaf)
        for _ in range(n):
            y = y + x
        backward(y.node, np.float32(1))
        return float(leaf.grad)
