"""Derivative rules that torch records as one operation when they are themselves differentiated (create_graph).

torch has kernels such as tanh_backward, so under create_graph the gradient of tanh is one node, TanhBackwardBackward0.
An entry that says `second="TanhBackwardBackward0"` does the same: its rule runs on arrays, and one node stores the rule
and its arguments. The rule's own derivative is found by walking the rule, or by its formula if an entry gives one
(`slopes`). Rules of other entries are recorded step by step, as the operations they consist of.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ClassVar

from .. import autograd, rules
from ..autograd.accumulate import gradient_edge
from ..autograd.grad_mode import enable_grad, records
from ..autograd.graph import NO_EDGE, Constant, Node
from ..autograd.recording import as_rule, next_order, observers, show_observers
from ..tensor import Tensor, from_array
from .nodes import Rule, keep_versions, names_of, node_type

Members = dict[str, Any]
WITHOUT_ZEROS = {"NativeBatchNormBackwardBackward0"}  # torch's kernels that give nothing for what they do not depend on


class DoubleBackwardNode(Node):
    """rule(grad, *values) as one recorded operation; an edge for `grad` and for each value that is a tensor.

    rule: the derivative rule that ran. places: which of the saved values the edges belong to.
    """

    __slots__ = ("rule", "places")

    rule: Rule
    places: tuple[int, ...]

    @classmethod
    def of(cls, rule: Rule, grad: Tensor, values: list[Any]) -> Tensor:
        """What the rule makes of arrays, with this node as its history."""
        arrays: list[Any] = []
        saved: list[Any] = []
        places, parents, numbers = [], [], []
        wanted = written = False
        for one in (grad, *values):
            if not isinstance(one, Tensor):
                arrays.append(one)
                saved.append(Constant(one))
                continue
            data = one._data
            if data.dtype.kind == "f":
                parent, number = gradient_edge(one) if one._edge is None else one._edge
                wanted = wanted or parent is not None
                places.append(len(saved))
                parents.append(parent)
                numbers.append(number)
            if (counter := one._counter) is not None and counter.version:
                written = True
            arrays.append(data)
            saved.append(one)
        data = rule(*arrays)
        if not wanted or not records():
            return from_array(data)
        node = cls()
        node.rule, node.places = rule, tuple(places)
        node.parents, node.numbers = tuple(parents), tuple(numbers) if any(numbers) else None
        node.order = next_order()
        node.saved = tuple(saved)
        node.shape = data.shape
        node.stretched = node.extras = None
        if written:
            keep_versions(node)
        out = from_array(data, (node, 0))
        return out if not observers else show_observers(node, out)

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """The rule's derivatives, found by recording and walking it."""
        found = self.walk_rule(from_array(grad), [t.detach() for t in self.unpack_tensors_only()], False)
        return tuple([None if g is None else g._data for g in found])

    def apply_graph(self, grad: Any) -> tuple[Any, ...]:
        """The rule's derivatives, recorded once more."""
        return self.walk_rule(grad, [t.view_as(t) for t in self.unpack_tensors_only()], True)

    def unpack_tensors_only(self) -> list[Tensor]:
        """The saved values that have an edge."""
        values = self.unpack_tensors()
        return [values[place] for place in self.places]

    def walk_rule(self, grad: Tensor, given: list[Tensor], create_graph: bool) -> tuple[Any, ...]:
        """Run the rule on tensors of its own and walk back through it; zeros where it does not depend on one, as a rule."""
        values = self.unpack_tensors()
        wanted = []
        for place, parent, tensor in zip(self.places, self.parents, given, strict=True):
            values[place] = tensor
            if parent is not None:
                wanted.append(tensor if tensor.requires_grad else tensor.requires_grad_())
        with enable_grad():
            result = as_rule(self.rule, *values)
        found: Any = (None,) * len(wanted)
        if result.requires_grad:
            found = autograd.grad(result, wanted, grad, create_graph=create_graph, allow_unused=True)
        if type(self).__name__ not in WITHOUT_ZEROS:
            found = [t.new_zeros(t.shape) if g is None else g for t, g in zip(wanted, found, strict=True)]
        answers = iter(found)
        return tuple([None if parent is None else next(answers) for parent in self.parents])


class SymmetricNode(DoubleBackwardNode):
    """A DoubleBackwardNode of a rule that multiplies each element by a number: its derivative for `grad` is the rule itself."""

    __slots__ = ()

    slopes: ClassVar[tuple[Callable[..., Any], ...]] = ()  # of the values, from (grad, grad_output, *values)

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """The derivatives by their formulas."""
        given = self.unpack_arrays()
        return (self.rule(grad, *given[1:]), *[slope(grad, *given) for slope in self.slopes])

    def apply_graph(self, grad: Any) -> tuple[Any, ...]:
        """The derivatives by their formulas, recorded once more: the rule as the one operation it is."""
        given = self.unpack_tensors()
        return (self.of(self.rule, grad, given[1:]), *[as_rule(slope, grad, *given) for slope in self.slopes])


def no_slope(grad: Any, grad_output: Any, *values: Any) -> Any:
    """The derivative by self or z of a rule made of straight pieces, such as relu's: 0."""
    return rules.zeros(grad, grad.shape)


class NothingNode(Node):
    """The history of a gradient that depends on nothing that requires grad, although its kernel was given something that
    does: in torch it requires grad then. Nothing goes back."""

    __slots__ = ()

    def __init__(self, node: Node, data: Any) -> None:
        self.parents, self.numbers = node.parents, node.numbers
        self.order = next_order()
        self.saved = ()
        self.shape = data.shape
        self.stretched = self.extras = None

    @staticmethod
    @functools.cache
    def named(name: str) -> type[NothingNode]:
        """The class for a kernel whose node is called `name`."""
        return type(name, (NothingNode,), {"__slots__": (), "__module__": "builtins"})

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """None for each."""
        return (None,) * len(self.parents)

    apply_graph = apply


def members(second: str | dict[str, str], vjps: dict[str, Rule], slopes: tuple[Rule, ...] = ()) -> Members:
    """The members of a node class whose rules, by input name, are recorded as the nodes `second`: all rules or the named."""
    if not second:
        return {}
    names = dict.fromkeys(vjps, second) if isinstance(second, str) else second
    base, more = (SymmetricNode, {"slopes": slopes}) if slopes else (DoubleBackwardNode, {})
    kinds = {key: node_type(name, (), ("grad_output", *names_of(vjps[key])), base, more) for key, name in names.items()}
    return {
        "second": tuple([kinds.get(key) for key in vjps]), "inputs": tuple(vjps), "apply_graph": apply_as_one,
    }  # fmt: skip


def apply_as_one(self: Any, grad: Tensor) -> tuple[Any, ...]:
    """Node.apply_graph, with each rule as one operation."""
    values = self.unpack_tensors()
    results: list[Any] = [None] * len(self.parents)
    for i in self.turns:
        if self.parents[i] is None:
            continue
        kind, vjp, given = self.second[i], self.vjps[i], list(self.takes[i](values))
        found = kind.of(vjp, grad, given) if kind else as_rule(vjp, grad, *given)
        if kind and found is not None and found._edge is NO_EDGE and records() and is_asked(self):
            found = from_array(found._data, (NothingNode.named(kind.__name__)(self, found._data), 0))
        results[i] = found
    return tuple(results)


def is_asked(node: Any) -> bool:
    """Whether one of the inputs that the kernel of a node's gradients is given, those that are saved, requires grad."""
    return any(key in node.saves and parent is not None for key, parent in zip(node.inputs, node.parents, strict=True))
