"""How an operation is defined: a forward on arrays, one derivative rule for each input, a node name.

This is torch's derivatives.yaml in Python. A rule is a pure function. Its first parameter is the arriving gradient,
its other parameters name what it needs: an input, `result`, or an attribute of the call. These names determine what the
node saves, so nothing is saved that no wanted gradient needs. Un-broadcasting, version checks, hooks and the order of
nodes belong to the walk (autograd/).

How a result is recorded is written out four times, because every layer of calls costs more than NumPy does: in `unary`
and `binary` for elementwise operations and products, in `OneInputOp` for other operations of one tensor, and in
`Op.record` for everything else.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from typing import Any

from ..autograd.accumulate import gradient_edge
from ..autograd.grad_mode import inferring, paused
from ..autograd.graph import (
    NO_EDGE,
    UNRECORDED,
    Constant,
    Edge,
    save_result,
)
from ..autograd.recording import next_order, observers, recording_rules, show_observers
from ..autograd.views import View, refusal_of
from ..backend import ALARMS, FEWEST, converted, in_silence, in_use, ndarray, stretching
from ..dtypes import as_numpy, get_default_dtype
from ..strides import in_first_order
from ..tensor import Tensor, from_array
from .double_backward import members
from .nodes import (
    ONE_WANTED,
    CrosswiseNode,
    OneInputNode,
    Rule,
    Rules,
    apply_operands,
    keep_versions,
    names_of,
    node_type,
    origins,
    stretch,
    with_own_code,
)
from .promotion import AS_THEY_ARE, REFUSALS, common, in_torchs_words, on_one_device, operands, retry

new, TENSOR = object.__new__, (Tensor,)
Forward = Callable[..., Any]
BY_NUMBER: dict[str, Op] = {}  # by node name: the operation with a number, for use inside rules
BY_OPERANDS = {"apply_graph": apply_operands}
NOTHING: tuple[Any, ...] = ()  # the saved values of a node whose rules need none


def strides_of(array: Any) -> tuple[int, ...]:
    """The strides of an array, none of a number."""
    return getattr(array, "strides", ())


def binary(
    name: str, node: str, forward: Forward, /, fitting: bool | None = None, mixing: int = AS_THEY_ARE, **rules: Rule
) -> Callable[..., Tensor]:
    """An operation of two operands, tensors or numbers, with a rule for each. forward: on arrays of one dtype, or an array and a
    number. They are broadcast, and the result is laid out as in strides.py; fitting: not so for matrix products, whose
    gradients always have their inputs' shapes. mixing: see promotion.py."""
    entry = Rules(node, rules, members=BY_OPERANDS)
    node_class, saves, crosswise = entry.node, bool(entry.node.saves), issubclass(entry.node, CrosswiseNode)

    def call(a: Any, b: Any) -> Tensor:
        fits, shape, alike = fitting, None, None  # fits: gradients have their inputs' shapes; None: as shapes tell
        if same := type(a) is type(b):
            x, y = a._data, b._data
            if (alike := a._alike) is not None and alike is b._alike and fits is None:
                fits, shape = True, alike
            else:
                alike, same = None, x.dtype is y.dtype
        if not same:
            if (ready := operands(a, b, mixing)) is None:
                return NotImplemented
            a, b, x, y, known = ready
            if (fits := fits or known) and recording_rules and get_ident() in recording_rules and node in BY_NUMBER:
                return BY_NUMBER[node].on(*((b, {"number": x}) if type(a) is Constant else (a, {"number": y})))
        try:
            if fits is not None or (fits := (shape := x.shape) == y.shape or None):
                data = forward(x, y)
            else:
                shape = (data := forward(x, y) if x.size + y.size < FEWEST else stretching(forward, x, y)).shape
        except REFUSALS as error:
            return retry(call, error, a, b, x, y)
        if (shape and len(shape) > 1 or fits is False) and not x.flags.c_contiguous and x.strides != strides_of(y):
            data = in_first_order(data, x, y)
        out = new(*TENSOR)
        out._data, out._alike = data, alike
        out._counter = out._grad = None
        if ((edge_a := a._edge) is NO_EDGE and b._edge is NO_EDGE) or (paused and get_ident() in paused):
            out._edge = NO_EDGE
            return out if not inferring else from_array(data)
        if in_use and (not fits or shape == ()) and (moved := on_one_device((a, b))):
            return call(*moved)
        grad_fn = node_class()
        parent_a, number_a = gradient_edge(a) if edge_a is None else edge_a
        parent_b, number_b = gradient_edge(b) if (edge_b := b._edge) is None else edge_b
        grad_fn.parents, grad_fn.order = (parent_a, parent_b), next_order()
        grad_fn.numbers = (number_a, number_b) if number_a or number_b else None
        grad_fn.shape, grad_fn.extras, grad_fn.saved = shape or data.shape, None, NOTHING
        out._edge, grad_fn.stretched = (grad_fn, 0), None if fits else stretch(a, b, fits, shape)
        if alike is None and shape and fits and same:
            out._alike = a._alike = b._alike = a._alike or b._alike or shape
        if crosswise:
            grad_fn.saved = (b if parent_a is not None else None, a if parent_b is not None else None)
            if ((c := a._counter) and c.version) or ((c := b._counter) and c.version):
                keep_versions(grad_fn)
            if parent_a is parent_b is None:  # views made under no_grad, which require grad all the same
                grad_fn.__class__ = entry.without_release
        elif saves:
            entry.save(grad_fn, (a, b), (out,), {})
        return out if not observers else show_observers(grad_fn, out)

    return with_own_code(call, name)


def unary(
    name: str,
    node: str,
    forward: Callable[[Any], Any],
    self: Rule,
    floating: bool = True,
    second: str = "",
    slopes: tuple[Rule, ...] = (),
    doc: str = "",
) -> Callable[..., Tensor]:
    """An elementwise operation of one tensor.

    forward: on an array. self: the rule, which may name `self` and `result`. floating: integers become the default
    floating type first, as torch does for exp, log, tanh, … second, slopes: the node that records the rule
    under create_graph, and its formulas (double_backward.py). doc: what it makes of x, for its docstring.
    """
    names = names_of(self)
    node_class = node_type(node, (self,), names, OneInputNode, members(second, {"self": self}, slopes))
    node_class.releases = bool(names)
    saves_self, saves_result = "self" in names, "result" in names

    def call(input: Tensor) -> Tensor:
        x = input._data
        if floating and x.dtype.kind != "f":
            x = converted(x, as_numpy(get_default_dtype()))
        data = forward(x)
        out = new(*TENSOR)
        out._data = data
        out._alike = out._counter = out._grad = None
        edge = input._edge
        if edge is NO_EDGE or (paused and get_ident() in paused):
            out._edge = NO_EDGE
            return out if not inferring else from_array(data)
        grad_fn = node_class()
        parent, number = gradient_edge(input) if edge is None else edge
        grad_fn.parents = (parent,)
        grad_fn.numbers = (number,) if number else None
        grad_fn.order = next_order()
        grad_fn.shape = data.shape
        grad_fn.stretched = None
        grad_fn.extras = None
        out._edge = (grad_fn, 0)
        saved: tuple[Any, ...] = NOTHING
        if saves_result:
            result = save_result(out)
            saved = (input, result) if saves_self else (result,)
        elif saves_self:
            saved = (input,)
        grad_fn.saved = saved
        if saves_self and (counter := input._counter) is not None and counter.version:
            keep_versions(grad_fn)
        return out if not observers else show_observers(grad_fn, out)

    call.__doc__ = f"{doc}, element by element (torch.{name})." if doc else None
    return with_own_code(call, name)


def edges_of(inputs: tuple[Any, ...]) -> tuple[Edge, ...] | None:
    """Where the gradients of an operation's inputs go; None where it is not to be recorded."""
    if paused and get_ident() in paused:
        return None
    if len(inputs) == 1:
        edge = inputs[0]._edge
        return None if edge is NO_EDGE else (gradient_edge(inputs[0]) if edge is None else edge,)
    edges, wanted = [], False
    for t in inputs:
        edge = t._edge
        if edge is not NO_EDGE:
            wanted = True
            if edge is None:
                edge = gradient_edge(t)
        edges.append(edge)
    return tuple(edges) if wanted else None


def unrecorded(root: Tensor, data: Any) -> Edge:
    """The edge of a view of `root` that is not recorded: it requires grad if that does and its own dtype can."""
    return NO_EDGE if root._edge is NO_EDGE or data.dtype.kind != "f" else UNRECORDED


class Op:
    """An operation of any shape: some tensors, some plain attributes, one or several outputs.

    forward(*arrays, **attributes) → array, or tuple of arrays. rules: by input name; an input without one gets no
    gradient. A rule may name inputs, attributes, `result` (or `result0`, … of several), and, which costs no memory,
    `NAME_shape` for the shape of input NAME and `NAME_turned` for whether that matrix lies column by column.
    outputs: how many there are, or their names, which rules may use as well.
    tensors: the attributes that may be tensors, such as an index: saved and version-checked, and never differentiated.
    view: the output shares the input's storage. promotes: the inputs are brought to one dtype first; floating: to a
    floating-point one. elementwise: the order in memory is that of the first input, see strides.py; by default where they
    are brought to one dtype. stretches: a rule may return a gradient of the output's shape or dtype, and the walk fits it to
    the input. second, slopes: the node that records the rules under create_graph, and its formulas (double_backward.py).
    """

    def __init__(
        self,
        node: str,
        forward: Callable[..., Any],
        /,
        outputs: int | tuple[str, ...] | None = None,
        view: bool = False,
        stretches: bool = False,
        promotes: bool = False,
        floating: bool = False,
        elementwise: bool | None = None,
        tensors: tuple[str, ...] = (),
        second: str | dict[str, str] = "",
        slopes: tuple[Rule, ...] = (),
        **rules: Rule,
    ) -> None:
        self.forward = forward
        self.stretches = stretches or promotes or floating
        self.promotes = promotes or floating
        self.floating = floating
        self.elementwise = self.promotes if elementwise is None else elementwise
        self.view = view
        self.tensors = tensors
        self.rules = Rules(node, rules, outputs, tensors, members(second, rules, slopes))
        if type(self) is Op and len(rules) == 1 and outputs is None and not (view or tensors or self.promotes):
            # OneInputOp computes the same with fewer calls. Which of the two runs follows from the arguments, so it is
            # decided here and not by whoever defines an operation.
            self.__class__ = OneInputOp
            self.getters = self.rules.getters_for(ONE_WANTED)[0]

    def __call__(self, /, *inputs: Any, **attributes: Any) -> Any:
        """Compute, and record what the rules of the inputs that require grad will need."""
        if self.view:
            return self.make_view(inputs[0], attributes)
        if in_use and self.stretches:
            inputs = on_one_device(inputs) or inputs
        arrays = common(inputs, self.floating) if self.promotes else [t._data for t in inputs]
        try:
            data = self.forward(*arrays, **(self.plain(attributes) if self.tensors else attributes))
        except ALARMS:
            return in_silence(self, *inputs, **attributes)
        except (ValueError, TypeError) as error:
            raise in_torchs_words(error, [*arrays, *self.pointers(attributes)]) from error
        if self.elementwise and data.ndim > 1:
            data = in_first_order(data, *arrays)
        edges = edges_of(inputs)
        if edges is None:
            return from_array(data) if type(data) is not tuple else tuple(from_array(d) for d in data)
        return self.record(inputs, edges, data, attributes)

    def on(self, input: Tensor, attributes: dict[str, Any]) -> Any:
        """The operation of one tensor, called as a method, for which Python takes less time than for calling an object."""
        return self(input, **attributes)

    def plain(self, attributes: dict[str, Any]) -> dict[str, Any]:
        """The attributes, with tensors replaced by their arrays."""
        plain = attributes.copy()
        for name in self.tensors:
            if isinstance(value := plain.get(name), Tensor):
                plain[name] = value._data
        return plain

    def pointers(self, attributes: dict[str, Any]) -> list[Any]:
        """The arrays among the attributes, such as an index."""
        return [value._data for name in self.tensors if isinstance(value := attributes.get(name), Tensor)]

    def of(self, /, *inputs: Any, **attributes: Any) -> Any:
        """This operation inside a derivative rule: recorded on Tensors, plain on arrays."""
        if not any(isinstance(x, Tensor) for x in inputs):
            return self.forward(*inputs, **self.plain(attributes))
        return self(*[x if isinstance(x, Tensor) else from_array(x) for x in inputs], **attributes)

    def make_view(self, base: Tensor, attributes: dict[str, Any]) -> Any:
        """An output that shares the input's storage, and therefore its version counter."""
        array = base._data
        data = self.forward(array if type(array) is ndarray else base.storage(), **attributes)
        edge = gradient_edge(base)  # asked of every base, as nowhere else: a learner's own is seen where it is wrong
        enabled, several = not (paused and get_ident() in paused), type(data) is tuple
        root, path, refusal = base, (), "" if enabled and not several else refusal_of(enabled)
        if (counter := base._counter) is None:  # so it is no view itself; asking for `_view` would take far longer
            counter = base.counter()
        elif (before := getattr(base, "_view", None)) is not None:
            root, path, refusal = before.base, before.path, refusal or before.refusal
        out: Any
        if enabled and (edge[0] is not None or edge is UNRECORDED):
            out = self.record((base,), (edge,), data, attributes)
        elif several:
            out = tuple([from_array(d, unrecorded(root, d)) for d in data])
        else:
            out = from_array(data, NO_EDGE if root._edge is NO_EDGE else unrecorded(root, data))
        for index, one in enumerate(out) if several else ((None, out),):
            one._view = View(root, path + ((self, attributes, index),), refusal, counter.version)
            one._counter = counter
            counter.add_view(one)
        return out

    def record(self, inputs: tuple[Tensor, ...], edges: tuple[Any, ...], data: Any, attributes: dict[str, Any]) -> Any:
        """The output tensors, with a new node as their history."""
        grad_fn = self.rules.node()
        if len(edges) == 1:
            ((parent, number),) = edges
            grad_fn.parents, grad_fn.numbers = (parent,), (number,) if number else None
        else:
            grad_fn.parents, numbers = zip(*edges, strict=True)
            grad_fn.numbers = numbers if any(numbers) else None
        grad_fn.order = next_order()
        grad_fn.extras = None
        grad_fn.stretched = origins(*inputs) if self.stretches else None
        out: Any
        if type(data) is tuple:
            grad_fn.shape = tuple([d.shape for d in data])
            out = tuple([from_array(d, (grad_fn, i) if d.dtype.kind == "f" else NO_EDGE) for i, d in enumerate(data)])
            self.rules.save(grad_fn, inputs, out, attributes)
        else:
            grad_fn.shape = data.shape
            out = new(*TENSOR)  # as from_array, which asks about inference mode as well: nothing is recorded there
            out._data = data
            out._edge = (grad_fn, 0) if data.dtype.kind == "f" else NO_EDGE
            out._alike = out._counter = out._grad = None
            self.rules.save(grad_fn, inputs, (out,), attributes)
        return out if not observers else show_observers(grad_fn, out)


class OneInputOp(Op):
    """Op for the most frequent kind, with every call written out: one tensor, plain attributes, one output that is no view."""

    def __call__(self, input: Tensor, /, **attributes: Any) -> Tensor:
        """As Op's."""
        return self.on(input, attributes)

    def on(self, input: Tensor, attributes: dict[str, Any]) -> Tensor:
        """Compute, and record what the rule will need."""
        x = input._data
        try:
            data = self.forward(x, **attributes)
        except ALARMS:
            return in_silence(self.on, input, attributes)
        except (ValueError, TypeError) as error:
            raise in_torchs_words(error, [x]) from error
        edge = input._edge
        if edge is NO_EDGE or (paused and get_ident() in paused):
            return from_array(data)
        rules = self.rules
        grad_fn = rules.node()
        parent, number = gradient_edge(input) if edge is None else edge
        grad_fn.parents = (parent,)
        grad_fn.numbers = (number,) if number else None
        grad_fn.order = next_order()
        grad_fn.shape = data.shape
        grad_fn.stretched = origins(input) if self.stretches else None
        grad_fn.extras = None
        out = new(*TENSOR)
        out._data = data
        out._alike = out._counter = out._grad = None
        out._edge = (grad_fn, 0) if data.dtype.kind == "f" else NO_EDGE
        if (pick := rules.pick) is None:
            saved, inputs, outs = [], (input,), (out,)
            for take in self.getters:
                saved.append(take(inputs, outs, attributes))
            grad_fn.saved = tuple(saved)
            if rules.keep is not None:
                grad_fn.settings = rules.keep(saved)
            if (counter := input._counter) is not None and counter.version:
                keep_versions(grad_fn)
        else:
            grad_fn.saved = (x.shape, *pick(attributes)) if rules.with_shape else pick(attributes)
        return out if not observers else show_observers(grad_fn, out)


def of_two_tensors(op: Any, name: str, words: str) -> Any:
    """The function `name` for an operation that takes no numbers: a TypeError for anything but two tensors."""

    def call(input: Tensor, other: Tensor) -> Tensor:
        if not isinstance(other, Tensor):
            raise TypeError(f"{name}: other must be a Tensor")
        return op(input, other)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{words} (torch.{name})."
    return call
