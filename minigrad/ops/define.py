"""How an operation is made: a forward on arrays, one derivative rule for each input, a node name.

This is torch's derivatives.yaml in Python. A rule is a pure function whose first parameter is the arriving gradient
and whose other parameters name what it needs: an input, `result`, or an attribute of the call. From these names
follows what the node saves, so nothing is kept that no wanted gradient needs. Un-broadcasting, version checks, hooks
and the graph are the walk's business.

`unary` and `binary` are the fast paths of the two commonest shapes, written out because every layer of calls costs
more than NumPy does; `op` makes everything else.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..autograd.accumulate import gradient_edge
from ..autograd.grad_mode import mode
from ..autograd.graph import (
    NO_EDGE,
    SECOND_BACKWARD,
    Constant,
    Node,
    SavedResult,
    VersionCounter,
    next_sequence_number,
)
from ..dtypes import as_numpy, get_default_dtype
from ..autograd.views import View
from ..tensor import Tensor, from_array
from .promotion import operands

Rule = Callable[..., Any]
new = object.__new__
NOTHING: tuple[Any, ...] = ()  # what a node saves when its rules need nothing: it can be walked again and again


def names_of(rule: Rule) -> tuple[str, ...]:
    """What a rule needs: its parameters after the gradient."""
    return tuple(inspect.signature(rule).parameters)[1:]


def node_type(name: str, vjps: tuple[Rule, ...], saves: tuple[str, ...], base: type[Node] = Node) -> type[Node]:
    """The node class of an operation, named as torch names it."""
    takes = tuple(tuple(saves.index(n) for n in names_of(vjp)) for vjp in vjps)
    return type(name, (base,), {"__slots__": (), "vjps": vjps, "saves": saves, "takes": takes, "__module__": __name__})


def versions_of(saved: tuple[Any, ...]) -> tuple[int, ...] | None:
    """The versions to hold saved values against; None where nothing was ever written in place."""
    counters = [None if value is None else value._counter for value in saved]
    if not any(counters):
        return None
    return tuple([0 if counter is None else counter.version for counter in counters])


# Calling a rule of a two-input operation with just the saved values it names: self, other, result.
CALLS: dict[tuple[str, ...], Callable[..., Any]] = {
    (): lambda rule, grad, s, o, r: rule(grad),
    ("self",): lambda rule, grad, s, o, r: rule(grad, s),
    ("other",): lambda rule, grad, s, o, r: rule(grad, o),
    ("result",): lambda rule, grad, s, o, r: rule(grad, r),
    ("self", "other"): lambda rule, grad, s, o, r: rule(grad, s, o),
    ("self", "result"): lambda rule, grad, s, o, r: rule(grad, s, r),
    ("other", "result"): lambda rule, grad, s, o, r: rule(grad, o, r),
    ("self", "other", "result"): lambda rule, grad, s, o, r: rule(grad, s, o, r),
}


class BinaryNode(Node):
    """A node with two inputs whose rules are called without any search for their arguments."""

    __slots__ = ()
    calls: tuple[Callable[..., Any], Callable[..., Any]]

    def apply(self, grad: Any) -> tuple[Any, Any]:
        """One gradient for each of the two inputs."""
        saved = self.saved
        if saved is NOTHING:
            s = o = r = None
        elif saved is None:
            raise RuntimeError(SECOND_BACKWARD)
        else:
            s, o, r = saved
            if s is not None:
                if s._counter is not None:
                    self.check_saved(0, s)
                s = s._data
            if o is not None:
                if o._counter is not None:
                    self.check_saved(1, o)
                o = o._data
            if r is not None:
                self.check_saved(2, r)
                r = r._data
        edge_self, edge_other = self.next_functions
        rule_self, rule_other = self.vjps
        call_self, call_other = self.calls
        return (
            call_self(rule_self, grad, s, o, r) if edge_self[0] is not None else None,
            call_other(rule_other, grad, s, o, r) if edge_other[0] is not None else None,
        )

    def _apply(self, grad: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
        return super()._apply(grad, values or (None, None, None))


def binary(name: str, node: str, forward: Callable[[Any, Any], Any], self: Rule, other: Rule) -> Callable[..., Tensor]:
    """An elementwise operation of two operands, tensors or numbers.

    forward: on arrays of one dtype, or an array and a number. self, other: the rules.
    """
    names_self, names_other = names_of(self), names_of(other)
    made = node_type(node, (self, other), ("self", "other", "result"), BinaryNode)
    made.calls = (CALLS[names_self], CALLS[names_other])  # type: ignore[attr-defined]
    self_needs_self, self_needs_other, self_needs_result = (n in names_self for n in made.saves)
    other_needs_self, other_needs_other, other_needs_result = (n in names_other for n in made.saves)
    saves_nothing = not (names_self or names_other)
    saves_result = self_needs_result or other_needs_result

    def call(a: Any, b: Any) -> Tensor:
        try:
            x = a._data
            y = b._data
            if x.dtype is not y.dtype:
                a, b, x, y = operands(a, b)
            edge_a = a._edge
            edge_b = b._edge
        except AttributeError:
            a, b, a, b, x, y = operands(a, b)
            edge_a = a._edge
            edge_b = b._edge
        data = forward(x, y)
        out = new(Tensor)
        out._data = data
        out._counter = None
        if (edge_a is NO_EDGE and edge_b is NO_EDGE) or not mode.enabled:
            out._edge = NO_EDGE
            return out
        if edge_a is None:
            edge_a = gradient_edge(a)
        if edge_b is None:
            edge_b = gradient_edge(b)
        grad_fn = made()
        grad_fn.next_functions = (edge_a, edge_b)
        grad_fn.seq = next_sequence_number()
        grad_fn.shape = data.shape
        grad_fn.dtype = data.dtype
        grad_fn.hooks = None
        grad_fn.extra = None
        grad_fn.versions = None
        out._edge = (grad_fn, 0)
        if saves_nothing:
            grad_fn.saved = NOTHING
            return out
        wanted_a = edge_a is not NO_EDGE
        wanted_b = edge_b is not NO_EDGE
        result = None
        if saves_result and ((wanted_a and self_needs_result) or (wanted_b and other_needs_result)):
            out._counter = VersionCounter()
            result = SavedResult(data, out._counter)
        saved = (
            a if (wanted_a and self_needs_self) or (wanted_b and other_needs_self) else None,
            b if (wanted_a and self_needs_other) or (wanted_b and other_needs_other) else None,
            result,
        )
        grad_fn.saved = saved
        if (saved[0] is not None and a._counter is not None) or (saved[1] is not None and b._counter is not None):
            grad_fn.versions = versions_of(saved)
        return out

    call.__name__ = call.__qualname__ = name
    return call


def unary(name: str, node: str, forward: Callable[[Any], Any], self: Rule, floating: bool = True) -> Callable[..., Tensor]:
    """An elementwise operation of one tensor.

    forward: on an array. self: the rule, which may name `self` and `result`. floating: integers become the default
    floating type first, as torch does for exp, log, tanh, …
    """
    names = names_of(self)
    made = node_type(node, (self,), names)
    saves_self, saves_result = "self" in names, "result" in names

    def call(input: Tensor) -> Tensor:
        x = input._data
        if floating and x.dtype.kind != "f":
            x = x.astype(as_numpy(get_default_dtype()))
        data = forward(x)
        out = new(Tensor)
        out._data = data
        out._counter = None
        edge = input._edge
        if edge is NO_EDGE or not mode.enabled:
            out._edge = NO_EDGE
            return out
        grad_fn = made()
        grad_fn.next_functions = (gradient_edge(input) if edge is None else edge,)
        grad_fn.seq = next_sequence_number()
        grad_fn.shape = data.shape
        grad_fn.dtype = data.dtype
        grad_fn.hooks = None
        grad_fn.extra = None
        grad_fn.versions = None
        out._edge = (grad_fn, 0)
        saved: tuple[Any, ...] = NOTHING
        if saves_result:
            out._counter = VersionCounter()
            result = SavedResult(data, out._counter)
            saved = (input, result) if saves_self else (result,)
        elif saves_self:
            saved = (input,)
        grad_fn.saved = saved
        if saves_self and input._counter is not None:
            grad_fn.versions = versions_of(saved)
        return out

    call.__name__ = call.__qualname__ = name
    return call


class Op:
    """An operation of any shape: some tensors, some plain attributes, one or several outputs.

    forward(*arrays, **attributes) → array, or tuple of arrays. rules: by input name; an input without one gets no
    gradient. A rule may name inputs, attributes, `result` (or `result0`, … of several), and `NAME_shape` for the shape
    of input NAME, which costs no memory.
    """

    def __init__(
        self, node: str, forward: Callable[..., Any], /, outputs: int = 1, view: bool = False, **rules: Rule
    ) -> None:
        self.forward = forward
        self.view = view
        self.inputs = tuple(rules)
        wanted = [names_of(rule) for rule in rules.values()]
        saves = tuple(dict.fromkeys(name for names in wanted for name in names))
        self.node = node_type(node, tuple(rules.values()), saves)
        self.node.outputs = outputs
        self.needs = [frozenset(names) for names in wanted]

    def __call__(self, *inputs: Tensor, **attributes: Any) -> Any:
        """Compute, and record what the rules of the inputs that require grad will need."""
        if self.view:
            return self.make_view(inputs[0], attributes)
        data = self.forward(*[t._data for t in inputs], **attributes)
        edges = tuple([gradient_edge(t) for t in inputs])
        if not mode.enabled or not any(edge[0] for edge in edges):
            return from_array(data) if type(data) is not tuple else tuple(from_array(d) for d in data)
        return self.record(inputs, edges, data, attributes)

    def make_view(self, base: Tensor, attributes: dict[str, Any]) -> Tensor:
        """An output that shares the input's storage, and therefore its version counter."""
        data = self.forward(base.storage(), **attributes)
        edge = gradient_edge(base)
        recorded = mode.enabled and edge is not NO_EDGE
        out = self.record((base,), (edge,), data, attributes) if recorded else from_array(data)
        out._counter = base.counter()
        out._view = View.of(base, self, attributes)
        return out

    def record(self, inputs: tuple[Tensor, ...], edges: tuple[Any, ...], data: Any, attributes: dict[str, Any]) -> Any:
        """The output tensors, with a new node as their history."""
        grad_fn = self.node()
        grad_fn.next_functions = edges
        grad_fn.seq = next_sequence_number()
        grad_fn.hooks = grad_fn.extra = None
        if type(data) is tuple:
            grad_fn.shape = tuple(d.shape for d in data)
            grad_fn.dtype = tuple(d.dtype for d in data)
            outs = tuple([from_array(d, (grad_fn, i)) if d.dtype.kind == "f" else from_array(d) for i, d in enumerate(data)])
        else:
            grad_fn.shape = data.shape
            grad_fn.dtype = data.dtype
            outs = (from_array(data, (grad_fn, 0)),)
        grad_fn.saved = tuple([self.saved(name, inputs, edges, outs, attributes) for name in grad_fn.saves])
        grad_fn.versions = versions_of(grad_fn.saved)
        return outs if type(data) is tuple else outs[0]

    def saved(self, name: str, inputs: Any, edges: Any, outs: Any, attributes: dict[str, Any]) -> Any:
        """What to keep under one of the names that rules ask for; None where no wanted gradient needs it."""
        if not any(name in needs for needs, edge in zip(self.needs, edges, strict=True) if edge[0] is not None):
            return None
        if name in attributes:
            return Constant(attributes[name])
        if name.startswith("result"):
            out = outs[int(name[6:] or 0)]
            if out._counter is None:
                out._counter = VersionCounter()
            return SavedResult(out._data, out._counter)
        if name.endswith("_shape"):
            return Constant(inputs[self.inputs.index(name[:-6])]._data.shape)
        return inputs[self.inputs.index(name)]
