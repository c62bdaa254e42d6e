"""As little as we could make of reverse mode in Python on NumPy: everything that makes an engine is left out.

It adds and multiplies arrays of one shape, and knows what the layers of a small network do (Layer). There are no
versions, hooks, modes, dtypes, names or errors, no order among the ready, no derivative of a derivative, and nothing can
be plugged in. It proves no limit; it shows about what minigrad's behaviour costs. Not for use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.workloads import RATE, Workload

ZERO = np.zeros((), np.float32)


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


class Layer(Tensor):
    """A matrix: its products with others and with numbers, its sum with a row, and what is left to a number of it."""

    __slots__ = ()

    def __len__(self) -> int:
        return len(self.data)

    def __add__(self, row: Tensor) -> Layer:
        out = Layer(self.data + row.data, AddRow())
        out.node.parents = (self.node, row.node)
        return out

    def __matmul__(self, other: Tensor) -> Layer:
        out = Layer(self.data.dot(other.data), Matmul())
        out.node.parents, out.node.saved = (self.node, other.node), (self.data, other.data)
        return out

    def __mul__(self, other: Any) -> Layer:
        number = type(other) is float
        data = other if number else other.data
        out = Layer(self.data * data, Mul())
        out.node.parents = (self.node, None if number else other.node)
        out.node.saved = (self if out.node.parents[1] is not None else None, Tensor(data, None))
        return out

    def __rsub__(self, number: float) -> Layer:
        out = Layer(number - self.data, Negative())
        out.node.parents = (self.node,)
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


class AddRow:
    """z = x + y, a row added to each row."""

    __slots__ = ("parents",)

    parents: tuple[Any, Any]

    def apply(self, grad: Any) -> tuple[Any, Any]:
        return grad, np.add.reduce(grad, 0)


class Matmul:
    """z = x @ y."""

    __slots__ = ("parents", "saved")

    parents: tuple[Any, Any]
    saved: tuple[Any, Any]

    def apply(self, grad: Any) -> tuple[Any, Any]:
        one, two = self.saved
        del self.saved
        wanted = self.parents[0] is not None
        return grad.dot(two.T) if wanted else None, one.T.dot(grad)


class Negative:
    """z = c - x."""

    __slots__ = ("parents",)

    parents: tuple[Any]

    def apply(self, grad: Any) -> tuple[Any]:
        return (-grad,)


class Relu:
    """z = max(x, 0)."""

    __slots__ = ("parents", "saved")

    parents: tuple[Any]
    saved: Any

    def apply(self, grad: Any) -> tuple[Any]:
        return (np.where(self.saved > ZERO, grad, ZERO),)


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

    rows = frozenset({"chain", "chain_x", "braid", "tiny", "deep"})

    def sum(self, x: Any) -> Any:
        node = Sum()
        node.parents, node.shape = (x.node,), x.data.shape
        return type(x)(np.add.reduce(x.data, None), node)

    def relu(self, x: Layer) -> Layer:
        node = Relu()
        node.parents, node.saved = (x.node,), np.maximum(x.data, ZERO)
        return Layer(node.saved, node)

    def step(self, workload: Workload, data: dict[str, Any]) -> tuple[Callable[[], None], Callable[[], list[Any]]]:
        kind = Layer if workload.trains else Tensor
        tensors = {name: kind(array, Leaf() if name in workload.wants else None) for name, array in data.items()}
        wanted = [tensors[name] for name in workload.wants]

        def run() -> None:
            loss = workload.loss(self, **tensors)
            backward(loss.node, np.float32(1))
            if workload.trains:
                for p in wanted:
                    p.data = p.data - RATE * p.node.grad

        return run, lambda: [np.array(p.node.grad) for p in wanted] + [p.data for p in wanted if workload.trains]

    def deep(self, n: int) -> float:
        leaf = Leaf()
        y = x = Tensor(np.float32(1), leaf)
        for _ in range(n):
            y = y + x
        backward(y.node, np.float32(1))
        return float(leaf.grad)
