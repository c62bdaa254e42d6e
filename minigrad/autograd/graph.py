"""The graph that a forward pass leaves behind: nodes, edges, leaves and the values saved for backward.

A node is one recorded operation. Its `next_functions` point towards the leaves, as in torch: a gradient that arrives at
a node is turned into one gradient for each edge. This module says what a node holds and how it computes. The order in
which nodes run is in `engine.py`, and the derivative of each operation is with the operation in `ops/`.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

from ..dtypes import kind_of
from ..errors import DETACHED, MODIFIED, SECOND_BACKWARD, opening
from .recording import as_rule

if TYPE_CHECKING:
    from ..tensor import Tensor

Edge = tuple["Node | None", int]
NO_EDGE: Edge = (None, 0)
# Of a view made under no_grad: it requires grad if its base does, but its gradient goes nowhere. A second (None, 0), so
# that it unpacks like any edge; edges are compared by identity (`is`), which tells it from NO_EDGE.
UNRECORDED: Edge = (*NO_EDGE,)

CPP_NODES = ("AccumulateGrad", "CopySlices", "CopyBackwards", "NotImplemented")  # named with their namespace in torch
LAST = 2**64 - 1  # AccumulateGrad's number in torch: nothing outranks it in the ready queue


class VersionCounter:
    """How often one piece of storage has been written in place; shared by a tensor, its views and its detach().

    views: the views among them, held weakly, whose history changes when their base's does; None while there are none.
    detached: whether detach_() was called on one of them, which nodes that saved it have to check as well.
    """

    version = 0
    views: list[weakref.ref[Tensor]] | None = None
    most = 32  # views from which on dead ones are looked for
    detached = False

    def add_view(self, view: Tensor) -> None:
        """Add a view; dead ones are removed each time the list has doubled."""
        if (views := self.views) is None:
            self.views = None if self is INFERENCE else [weakref.ref(view)]
            return
        if len(views) >= self.most:
            views[:] = [known for known in views if known() is not None]
            self.most = max(32, 2 * len(views))
        views.append(weakref.ref(view))

    def living_views(self, base: Tensor) -> list[Tensor]:
        """The views of `base`."""
        found = [known() for known in self.views or ()]
        return [view for view in found if view is not None and view._view.base is base]

    def views_want(self, base: Tensor, wanted: bool) -> None:
        """Views without a history require grad when their base does."""
        for view in self.living_views(base):
            if view._edge is NO_EDGE or view._edge is UNRECORDED:
                view._edge = UNRECORDED if wanted else NO_EDGE


# The one counter of all tensors made inside inference_mode: their writes are not counted, so nothing may rely on their
# values in backward.
INFERENCE = VersionCounter()
INFERENCE.version = -1


class Constant:
    """A saved value that is not a tensor of the graph: a Python number, or an array that cannot need a gradient."""

    __slots__ = ("_data",)
    _counter = None
    _version = 0
    _edge = NO_EDGE

    def __init__(self, data: Any) -> None:
        self._data = data


class SavedResult:
    """A node's own output, kept for its rule. It holds the array, not the tensor: tensor → node → tensor would be a
    cycle, and the graph could then be freed only by the garbage collector."""

    __slots__ = ("_data", "_counter", "output")

    def __init__(self, data: Any, counter: VersionCounter, output: int = 0) -> None:
        self._data = data
        self._counter = counter
        self.output = output

    @property
    def _version(self) -> int:
        return self._counter.version


def save_result(result: Tensor, output: int = 0) -> SavedResult:
    """What a node keeps of its own output: the array and its counter of in-place writes, never the tensor.

    result: the tensor that the operation returns. output: which of the node's outputs it is.
    Example: y = x.exp() → ExpBackward0 keeps y's array; `del y` then frees the graph at once, as nothing is a cycle.
    """
    return SavedResult(result._data, result.counter(), output)


class Packed:
    """What a user's pack hook returned for a saved tensor; each read calls the unpack hook, which returns a tensor.

    Versions are not checked: the hooks are responsible for the values.
    """

    __slots__ = ("packed", "unpack", "edge", "output")
    _counter = None
    _version = 0
    _edge = NO_EDGE

    def __init__(self, packed: Any, unpack: Callable[[Any], Any], edge: Edge | None, output: int = 0) -> None:
        self.packed = packed
        self.unpack = unpack
        self.edge = edge  # where the saved tensor's gradient goes; None: to the node that saved it, its own result
        self.output = output

    _data = property(lambda self: self.tensor._data)

    @property
    def tensor(self) -> Any:
        """The tensor that the unpack hook returns."""
        found = self.unpack(self.packed)
        if not hasattr(found, "_edge"):
            kind = type(found).__name__
            raise TypeError(f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {kind}")
        return found


@functools.cache
def unpack() -> Callable[[Node, Any], Any]:
    """saved_tensor.py's `unpacked`, which builds on this module: to import it at each call takes longer than to call it."""
    from .saved_tensor import unpacked

    return unpacked


Source = tuple["Node", Any]  # the node that saved a value, and the value


def operation_of(node: Node) -> str:
    """What torch's messages call the operation that a node recorded: Mul for MulBackward0."""
    name = node.name()
    return name if name.endswith("Backwards") else "".join(name.removesuffix("0").rpartition("Backward")[::2])


def origin_of(source: Source | str) -> str:
    """Which node's output a saved value is: ', which is output 0 of Mul,'; "" for a leaf."""
    if isinstance(source, str):
        return source
    node, value = source
    edge = (node, value.output) if isinstance(value, SavedResult) else value._edge
    return "" if not edge or edge[0] is None else f", which is output {edge[1]} of {operation_of(edge[0])},"


def check_version(saved: Any, expected: int, source: Source | str = "") -> None:
    """Raise RuntimeError if a saved value has been written in place since it was saved.

    saved: what a node kept; `_version` tells how often its storage has been written until now.
    expected: the version at saving. source: which output this is, for the message.
    Example: x saved at version 0, then x.add_(1) → x._version is 1 → RuntimeError.
    """
    if saved._version != expected:
        raise RuntimeError(modified_message(saved, saved._version, expected, source))


def modified_message(saved: Any, actual: int, expected: int, source: Source | str) -> str:
    """torch's words for a saved value that was written in place."""
    from .anomaly import hint

    if hasattr(saved, "written"):
        saved, actual, expected = saved.written()  # of several tensors that are saved as one value, such as an index
    kind, shape, source = kind_of(saved._data), list(saved._data.shape), origin_of(source)
    return MODIFIED.format(kind=kind, shape=shape, source=source, actual=actual, expected=expected, hint=hint())


class Node:
    """One recorded operation, named as torch names it; `repr` reads `<MulBackward0 object at 0x…>`.

    parents: the node that each input's gradient goes to; None where no gradient is wanted.
    numbers: which output of its parent each input is; None while all are the first, as they nearly always are.
    order: minus the sequence number; what sorts the ready queue.
    saved: what the rules need, in the order of `saves`; None once released.
    shape: of the output (of each, when there are several): what a gradient arriving here must have.
    stretched: None, or where inputs were broadcast or converted, the (shape, dtype) of each (None: as the output's).
    extras: hooks and the like, or None. settings: the saved values named in `plain_values`, if any are.
    versions: of the saved values; set only where one had been written to before.
    """

    __slots__ = ("parents", "numbers", "order", "saved", "shape", "stretched", "extras", "versions",
                 "settings", "__weakref__")  # fmt: skip

    vjps: ClassVar[tuple[Callable[..., Any], ...]] = ()
    saves: ClassVar[tuple[str, ...]] = ()  # names of the saved values
    takes: ClassVar[tuple[Callable[[list[Any]], Any], ...]] = ()  # for each rule, what picks the saved values it takes
    needs: ClassVar[tuple[tuple[str, ...], ...]] = ()  # for each rule, the names of these
    plain_values: ClassVar[tuple[str, ...]] = ()  # no tensors, beside some: a release leaves them to be seen
    turns: ClassVar[Sequence[int]] = ()  # the order of the rules, torch's: a graph of them shows it
    outputs: ClassVar[int] = 1  # to which gradients come back
    requires_grad: ClassVar[bool] = True  # as torch says of every node
    releases: ClassVar[bool] = True  # whether it saves tensors, which a walk releases; shapes and numbers may stay
    watched: ClassVar[bool] = False  # running it runs the user's code, which sees how far the walk is
    plain: ClassVar[bool] = True  # one output and not a leaf: arriving gradients are simply summed
    ends: ClassVar[bool] = False  # whether a path ends here, as it does at leaves and where no derivative is known
    narrows: ClassVar[bool] = True  # it can compute only some of its gradients; cat, stack and Functions compute all

    parents: tuple[Node | None, ...]
    numbers: tuple[int, ...] | None
    order: int
    saved: tuple[Any, ...] | None
    shape: tuple[Any, ...]
    stretched: tuple[tuple[Any, Any] | None, ...] | None
    extras: Any
    versions: tuple[int, ...]
    settings: Sequence[Any]

    def name(self) -> str:
        """The node's name; torch gives some of its own nodes with their C++ namespace."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if name in CPP_NODES else name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")

    # ------------------------------------------------------------------ edges

    @property
    def next_functions(self) -> tuple[Edge, ...]:
        """The edges as torch shows them: (node, output number) for each input; (None, 0) where no gradient is wanted."""
        return tuple(zip(self.parents, self.numbers or (0,) * len(self.parents), strict=True))

    @next_functions.setter
    def next_functions(self, edges: tuple[Edge, ...]) -> None:
        numbers = tuple([number for _, number in edges])
        self.parents = tuple([node for node, _ in edges])
        self.numbers = numbers if any(numbers) else None

    def number(self, index: int) -> int:
        """Which output of its parent an input is."""
        return 0 if self.numbers is None else self.numbers[index]

    # ------------------------------------------------------------------ computing

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """Turn the output's gradient (an array) into one for each input; None where none is wanted."""
        return self._apply(grad, self.unpack_arrays())

    def apply_graph(self, grad: Any) -> tuple[Any, ...]:
        """apply() on Tensors, so that the computation is itself recorded (create_graph)."""
        return as_rule(self._apply, grad, self.unpack_tensors())

    def _apply(self, grad: Any, values: list[Any]) -> tuple[Any, ...]:
        results: list[Any] = [None] * len(self.parents)
        for i in self.turns:
            if self.parents[i] is not None:
                results[i] = self.vjps[i](grad, *self.takes[i](values))
        return tuple(results)

    def saved_for(self, parents: tuple[Node | None, ...]) -> Any:
        """What the rules need of the saved values where only these parents want a gradient."""
        return self.saved

    def apply_missing(self, create_graph: bool) -> tuple[Any, ...]:
        """The result if no gradient arrived: None for every input; RuntimeError if the saved values are released or changed."""
        self.unpack_arrays()
        return (None,) * len(self.parents)

    def __call__(self, *grads: Any) -> Any:
        """Apply the node to Tensors by hand, as torch allows: `y.grad_fn(g)`; one result for each input."""
        from .hooks import run_by_hand

        return run_by_hand(self, grads)

    # ------------------------------------------------------------------ saved values

    def unpack_arrays(self) -> list[Any]:
        """The saved values as raw arrays; RuntimeError if released or overwritten since."""
        saved = self.saved
        if saved is None:
            raise RuntimeError(SECOND_BACKWARD)
        values: list[Any] = []
        for value in saved:
            if value is None:
                values.append(None)
                continue
            if value._counter is not None:
                self.check_saved(len(values), value)
            values.append(value._data)
        return values

    def unpack_tensors(self) -> list[Any]:
        """The saved values as Tensors that remember where they came from."""
        if self.saved is None:
            raise RuntimeError(SECOND_BACKWARD)
        values: list[Any] = []
        for value in self.saved:
            if value is not None and (counter := value._counter) is not None and (counter.version or counter.detached):
                self.check_saved(len(values), value)
            values.append(None if value is None else self.saved_tensor(value))
        return values

    def saved_tensor(self, value: Any) -> Any:
        """One saved value as the user sees it: a tensor with its history, or the plain value."""
        if isinstance(value, Constant):
            return value._data
        return unpack()(self, value) if isinstance(value, SavedResult | Packed) else value

    def check_saved(self, index: int, value: Any, shown: bool = False) -> None:
        """RuntimeError if a saved value was written to since or, unless it is only `shown`, detached by detach_()."""
        counter = value._counter
        if counter is None or not (counter.version or counter.detached):
            return  # neither has happened to nearly all values
        if counter.detached and not shown and self.order > getattr(value, "_detached", LAST) and value.grad_fn is None:
            raise RuntimeError(DETACHED)
        versions = getattr(self, "versions", None)
        check_version(value, versions[index] if versions else 0, (self, value))

    def receive(self, grad: Any, output: int, shared: bool) -> Any:
        """The first gradient to arrive. shared: whether the sending node received the same array."""
        return grad

    # ------------------------------------------------------------------ what torch also offers

    @property
    def metadata(self) -> dict[str, Any]:
        """A dict for the user's own notes on this node."""
        from .hooks import extras_of

        return extras_of(self).metadata

    @property
    def _input_metadata(self) -> tuple[SimpleNamespace, ...]:
        """The shape of the gradient for each output, as torch tells it."""
        shapes = self.shape if isinstance(self, SeveralOutputs) else (self.shape,)
        return tuple([SimpleNamespace(shape=list(shape or ())) for shape in shapes[: self.outputs]])

    def register_hook(self, hook: Any) -> Any:
        """Call hook(grad_inputs, grad_outputs) after the node has run; what it returns replaces grad_inputs."""
        from .hooks import extras_of

        return extras_of(self).post.add(hook)

    def register_prehook(self, hook: Any) -> Any:
        """Call hook(grad_outputs) before the node runs; what it returns replaces grad_outputs."""
        from .hooks import extras_of

        return extras_of(self).pre.add(hook)

    def _sequence_nr(self) -> int:
        return -self.order

    def show_saved(self, index: int) -> Any:
        """A saved value, as torch shows it under `_saved_self`, `_saved_result`, …"""
        from .saved_tensor import show_saved

        return show_saved(self, index)


class SeveralOutputs(Node):
    """A node with several outputs: its gradient is a list, with a place for each."""

    __slots__ = ()
    plain = False

    def receive(self, grad: Any, output: int, shared: bool) -> Any:
        """A list with the gradient in its place."""
        grads: list[Any] = [None] * self.outputs
        grads[output] = grad
        return grads

    def add(self, held: Any, grad: Any, output: int) -> Any:
        """The list with one more gradient in it."""
        before = held[output]
        held[output] = grad if before is None else before + grad
        return held


ELSEWHERE = {  # what torch offers under autograd.graph and builds on more than this module
    name: module
    for module, names in {
        "saved": "saved_tensors_hooks save_on_cpu disable_saved_tensors_hooks",
        "mutation": "allow_mutation_on_saved_tensors",
        "walk": "register_multi_grad_hook",
        "accumulate": "GradientEdge get_gradient_edge increment_version",
    }.items()
    for name in names.split()
}
__getattr__, __dir__ = opening(__name__, ELSEWHERE)
