"""The node classes of operations, built from their derivative rules, and what a call has to save for them.

The parameter names of a rule say what it needs; they determine the node's saved values and how its `apply` reads them.
How a call computes and records is in `define.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from operator import itemgetter
from typing import Any

from ..autograd.accumulate import apply_product, fit
from ..autograd.graph import INFERENCE, Constant, Node, SeveralOutputs, save_result
from ..autograd.recording import as_rule
from ..errors import INFERENCE_SAVED
from ..strides import turned
from ..tensor import Tensor
from .saved_attributes import ARRAYS, SHOWN_ONLY, shown

ONE_WANTED = (True,)  # which inputs want a gradient, if there is only one input
Rule = Callable[..., Any]
Getter = Callable[[Any, Any, dict[str, Any]], Any]


def with_own_code(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """`function` with another name and a code object of its own."""
    # All functions that one `def` creates share one code object, and CPython specialises that to the types it has seen
    # (PEP 659). Operations that shared it would see each other's node classes, and every training step would be slower.
    function.__code__ = function.__code__.replace(co_name=name, co_qualname=name)
    function.__name__ = function.__qualname__ = name
    return function


def names_of(rule: Rule) -> tuple[str, ...]:
    """What a rule needs: the names of its parameters after the gradient."""
    return rule.__code__.co_varnames[1 : rule.__code__.co_argcount]


def node_type(
    name: str, vjps: tuple[Rule, ...], saves: tuple[str, ...], base: type[Node] = Node, members: Any = (),
    tensors: Any = ("self", "result"),
) -> type[Node]:  # fmt: skip
    """The node class of an operation, named as torch names it. members: further members of the class. tensors: which of
    the saved values are tensors. builtins: torch shows its classes, made in C++, without a module."""
    takes = tuple([taker([saves.index(n) for n in names_of(vjp)]) for vjp in vjps])
    own: dict[str, Any] = {"__slots__": (), "__module__": "builtins", "vjps": vjps, "saves": saves, "takes": takes}
    own["turns"] = range(len(vjps))
    if hasattr(base, "applies"):
        own["apply"] = with_own_code(base.applies(*vjps), "apply")
    return type(name, (base,), own | shown(name, saves, tensors) | dict(members))


def taker(places: list[int]) -> Callable[[Any], Any]:
    """A function that takes the values at these places out of a list."""
    first, beyond = (places[0], places[-1] + 1) if places else (0, 0)
    return itemgetter(*places) if places != list(range(first, beyond)) else itemgetter(slice(first, beyond))


def keeper(places: list[int], optional: bool) -> Callable[[Any], Any] | None:
    """What takes the plain values out of those saved; optional: where some may be tensors, which stay out."""
    take = taker(places)
    if optional:
        return lambda saved: [value if type(value) is Constant else None for value in take(saved)]
    return take if places else None


def keep_versions(node: Node) -> None:
    """Record the versions of saved values that were written to before; backward compares them with the current ones."""
    assert node.saved is not None
    for value in node.saved:
        if value is not None and (counter := value._counter) is not None and counter.version:
            break
    else:
        return
    versions = [0 if value is None or (c := value._counter) is None else c.version for value in node.saved]
    if INFERENCE.version in versions:
        raise RuntimeError(INFERENCE_SAVED)
    node.versions = tuple(versions)


def origins(*inputs: Any) -> tuple[tuple[Any, Any], ...]:
    """The shape and dtype of each input, to which its gradient has to be brought back."""
    return tuple([(t._data.shape, t._data.dtype) if hasattr(t._data, "shape") else ((), None) for t in inputs])


def stretch(a: Any, b: Any, fits: bool | None, shape: Any) -> tuple[Any, ...]:
    """The origins of two operands that were broadcast to `shape`, None for one that has it; of both where the dtypes differ
    (fits: False)."""
    if fits is False:
        return origins(a, b)
    x, y = a._data, b._data
    shape_x, shape_y = x.shape, y.shape
    return None if shape_x == shape else (shape_x, x.dtype), None if shape_y == shape else (shape_y, y.dtype)


class OneInputNode(Node):
    """One input, whose rule needs all that is saved: functions of one tensor, reductions, views."""

    __slots__ = ()

    @staticmethod
    def applies(rule: Rule) -> Callable[..., Any]:
        """`apply` with the rule at hand."""
        return lambda node, grad: (rule(grad, *node.unpack_arrays()),)

    def apply_graph(self, grad: Any) -> tuple[Any, ...]:
        """As Node's, with fewer calls."""
        return (as_rule(self.vjps[0], grad, *self.unpack_tensors()),)


class ConstantsNode(OneInputNode):
    """One input, whose rule needs shapes and attributes but no tensor: views, sums. Nothing to version-check or release."""

    __slots__ = ()
    releases = False

    @staticmethod
    def applies(rule: Rule) -> Callable[..., Any]:
        """`apply` with the rule at hand."""
        return lambda node, grad: (rule(grad, *node.saved),)

    def unpack_arrays(self) -> list[Any]:
        """The saved values, which are plain Python values."""
        return list(self.saved or ())

    unpack_tensors = unpack_arrays

    def show_saved(self, index: int) -> Any:
        """A saved value, as torch shows it."""
        return self.unpack_arrays()[index]


def apply_operands(self: Node, grad: Any) -> tuple[Any, ...]:
    """Node.apply_graph for rules whose numbers are operands (tensors, to torch), not numbers of the rule itself."""
    return self._apply(grad, self.unpack_tensors())


class PlainNode(Node):
    """Two inputs whose rules need nothing but the gradient: add, sub."""

    __slots__ = ()
    releases = False

    @staticmethod
    def applies(rule_self: Rule, rule_other: Rule) -> Callable[..., Any]:
        """`apply` with the rules at hand."""

        def apply(node: Node, grad: Any) -> tuple[Any, Any]:
            parent_self, parent_other = node.parents
            return (
                rule_self(grad) if parent_self is not None else None,
                rule_other(grad) if parent_other is not None else None,
            )

        return apply


class CrosswiseNode(Node):
    """Two inputs, where the rule of each needs only the other input: mul, matrix products.

    So an input is saved only if the other one's gradient is wanted.
    """

    __slots__ = ()

    def saved_for(self, parents: tuple[Node | None, ...]) -> Any:
        """For each parent that wants a gradient, the other input."""
        return tuple([None if p is None else value for p, value in zip(parents, self.saved or (), strict=True)])

    @staticmethod
    def applies(rule_self: Rule, rule_other: Rule) -> Callable[..., Any]:
        """`apply` with the rules at hand."""

        def apply(node: Node, grad: Any) -> tuple[Any, Any]:
            other, self = node.saved or node.unpack_arrays()  # which raises, once they are released
            if other is not None:
                if (counter := other._counter) is not None and (counter.version or counter.detached):
                    node.check_saved(0, other)
                other = other._data
            if self is not None:
                if (counter := self._counter) is not None and (counter.version or counter.detached):
                    node.check_saved(1, self)
                self = self._data
            if node.stretched is None:
                grad_other = None if self is None else rule_other(grad, self)
                return None if other is None else rule_self(grad, other), grad_other
            origin_self, origin_other = node.stretched
            grad_other = None
            if self is not None:  # brought back at once, it leaves its memory, still warm, to the other gradient
                grad_other = fit(apply_product(rule_other, grad, self, origin_other), origin_other)
            return None if other is None else apply_product(rule_self, grad, other, origin_self), grad_other

        return apply


def base_of(names: list[tuple[str, ...]], inputs: tuple[str, ...], releases: bool) -> type[Node]:
    """The fastest node class whose `apply` can serve these rules; Node itself serves all of them."""
    if len(names) == 1:
        return OneInputNode if releases or not names[0] else ConstantsNode
    if names == [(), ()]:
        return PlainNode
    return CrosswiseNode if len(inputs) == 2 and names == [(inputs[1],), (inputs[0],)] else Node


def picker(names: tuple[str, ...]) -> Callable[[dict[str, Any]], tuple[Any, ...]]:
    """A function that takes these values out of a dict, as a tuple."""
    if len(names) > 1:
        return itemgetter(*names)
    return (lambda attributes: (attributes[names[0]],)) if names else (lambda attributes: ())


class Rules:
    """The rules of one operation, by input name: their node class, and what a call has to save for them."""

    def __init__(
        self,
        node: str,
        rules: dict[str, Rule],
        outputs: int | tuple[str, ...] | None = None,
        tensors: tuple[str, ...] = (),
        members: Any = (),
    ) -> None:
        self.results: tuple[str, ...] = outputs if isinstance(outputs, tuple) else ()
        with_gradients = len(self.results) - ("indices" in self.results)
        count = 1 if outputs is None else with_gradients if isinstance(outputs, tuple) else outputs
        self.inputs = tuple(rules)
        wanted = [names_of(rule) for rule in rules.values()]
        self.shown_only = SHOWN_ONLY.get(node, "").split()
        saves = tuple(dict.fromkeys([*[name for names in wanted for name in names], *self.shown_only]))
        self.needs = [frozenset(names) for names in wanted]
        in_graph = [n for n in saves if n in rules or n in tensors or n in self.results or n.startswith("result")]
        releases = bool(in_graph)
        plain = Node if self.shown_only else base_of(wanted, self.inputs, releases)
        base = SeveralOutputs if outputs is not None else plain
        if len(rules) > 1 and plain is Node:  # the order in which they are checked: inputs before results
            saves = tuple(sorted(saves, key=lambda name: (name in self.results or name.startswith("result"), name)))
        self.node = node_type(node, tuple(rules.values()), saves, base, members, in_graph)
        self.node.turns = sorted(range(len(rules)), key=self.inputs.__getitem__)
        self.node.outputs = count  # indices come last: they get no gradient, and hooks do not see them
        self.node.releases = releases
        no_tensors = issubclass(self.node, ConstantsNode) or not saves
        self.with_shape = saves[:1] == tuple([f"{name}_shape" for name in self.inputs[:1]])  # it comes first
        self.pick = picker(saves[1:] if self.with_shape else saves) if no_tensors else None
        self.tensors = {*in_graph}
        self.node.needs = tuple([tuple([n for n in names if n not in self.shown_only]) for names in wanted])
        optional = [name for name in tensors if name in saves]  # an attribute that may be a tensor may be None as well
        plain_values = [n for n in saves if n not in self.tensors and n not in ARRAYS] if not self.pick else []
        self.node.plain_values = (*plain_values, *optional)
        self.keep = keeper([saves.index(name) for name in self.node.plain_values], bool(optional))
        self.getters: dict[tuple[bool, ...], tuple[list[Getter], bool]] = {}

    def save(self, node: Node, inputs: Any, outs: Any, attributes: dict[str, Any]) -> None:
        """Save in `node` what the rules of the inputs that want a gradient need, and what every rule needs, as torch does even
        where no gradient is wanted; None for everything else."""
        if self.pick is not None:
            picked = self.pick(attributes)
            node.saved = (inputs[0]._data.shape, *picked) if self.with_shape else picked
            return
        wanted = ONE_WANTED if len(inputs) == 1 else tuple([parent is not None for parent in node.parents])
        known = self.getters.get(wanted)
        if known is None:
            known = self.getters[wanted] = self.getters_for(wanted)
        getters, releases = known
        node.saved = saved = tuple([take(inputs, outs, attributes) for take in getters])
        if self.keep is not None:
            node.settings = self.keep(saved)
        if releases:
            keep_versions(node)
        elif node.releases:
            node.__class__ = self.without_release  # no tensor is saved this time: as in torch, walks may repeat freely

    @functools.cached_property
    def without_release(self) -> type[Node]:
        """The operation's class for nodes that have no tensor to release."""
        return type(self.node.__name__, (self.node,), {"__slots__": (), "__module__": "builtins", "releases": False})

    def getters_for(self, wanted: tuple[bool, ...]) -> tuple[list[Getter], bool]:
        """A getter for each saved value, given which inputs want a gradient; and whether any saved value is a tensor."""
        needed = {
            *self.shown_only,
            *(name for names, yes in zip(self.needs, wanted, strict=True) if yes for name in names),
        }
        needed |= {*self.node.saves} - self.tensors  # shapes and numbers are always shown
        needed |= frozenset.intersection(*self.needs)
        getters = [self.getter(name) if name in needed else lambda *_: None for name in self.node.saves]
        return getters, not self.tensors.isdisjoint(needed)

    def getter(self, name: str) -> Getter:
        """The function that gets the value of this name: an input, its shape, a result or an attribute."""
        if name in self.inputs:
            i = self.inputs.index(name)
            return lambda inputs, outs, attributes: inputs[i]
        if name.startswith("result") or name in self.results:
            k = self.results.index(name) if name in self.results else int(name[6:] or 0)
            return lambda inputs, outs, attributes: save_result(outs[k], k)
        if name.endswith("_shape") and name[:-6] in self.inputs:
            j = self.inputs.index(name[:-6])
            return lambda inputs, outs, attributes: Constant(inputs[j]._data.shape)
        if name.endswith("_turned") and name[:-7] in self.inputs:
            matrix = self.inputs.index(name[:-7])
            return lambda inputs, outs, attributes: Constant(turned(inputs[matrix]._data))
        if name not in self.tensors:
            return lambda inputs, outs, attributes: Constant(attributes[name])

        def attribute(inputs: Any, outs: Any, attributes: dict[str, Any]) -> Any:
            value = attributes[name]  # tensors are version-checked, anything else is constant
            if isinstance(value, Tensor):
                return value
            return value.to_save() if hasattr(value, "to_save") else Constant(value)

        return attribute
