"""Operations that torch records although it has no derivative for them: floor division, bincount, unique, scatter(reduce=…)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ..autograd.graph import LAST, NO_EDGE
from ..autograd.recording import underivable
from ..tensor import Tensor
from .define import Op


def no_vjp(name: str) -> Any:
    """The rule of an operation for which torch's derivatives.yaml says `not_implemented`, under the name given there."""

    def rule(grad: Any) -> Any:
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    return rule


class Underivable(Op):
    """An operation whose node, called NotImplemented, refuses the gradient that arrives at it.

    name: what torch calls the operation in that error. inputs: the names of its tensors. The node has an edge only for
    those that require grad. As in torch its sequence number is the highest, so that a walk fails as early as it can.
    """

    def __init__(self, name: str, forward: Callable[..., Any], *inputs: str, **properties: Any) -> None:
        def refuse(*_: Any) -> NoReturn:
            raise RuntimeError(f"derivative for aten::{name} is not implemented")

        rules: dict[str, Any] = dict.fromkeys(inputs, lambda grad: refuse())
        super().__init__("NotImplemented", forward, **properties, **rules)
        node: Any = self.rules.node
        node.apply = node.apply_graph = node.apply_missing = refuse
        node.narrows = node.plain = False  # so that a walk looks at it when a gradient arrives
        node.watched = node.ends = True
        node.is_urgent = lambda node: True

    def record(self, inputs: tuple[Tensor, ...], edges: tuple[Any, ...], data: Any, attributes: dict[str, Any]) -> Any:
        """As any operation, and then without the edges that lead nowhere; as urgent in a walk as a leaf."""
        out = super().record(inputs, edges, data, attributes)
        if (node := out._edge[0]) is not None:
            node.next_functions = tuple([edge for edge in edges if edge is not NO_EDGE])
            node.order = -LAST
            underivable.add(node)
        return out
