"""Where gradients arrive: brought back to the shape of their input, and accumulated at the leaves."""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable, Iterable
from sys import getrefcount
from typing import Any, NamedTuple

from .. import rules
from ..backend import in_order, laid_out_as, ndarray, numpy, stretching, sum_array, sum_products
from ..dtypes import get_default_dtype
from ..tensor import Tensor, from_array
from .graph import LAST, Edge, Node, SeveralOutputs


def unbroadcast(grad: Any, shape: tuple[int, ...]) -> Any:
    """Sum a gradient back to the shape of an input that was broadcast in the forward pass.

    Every element of the input was used many times, once for each position it was stretched over; its gradient is
    the sum over those positions. grad: array or Tensor, of a shape that `shape` broadcasts to.
    Example: grad of shape (3, 2), shape (2,) → grad.sum(0); shape (3, 1) → grad.sum(1, keepdim=True)
    """
    extra = grad.ndim - len(shape)
    if extra and not shape:
        return grad.sum()
    stretched = [extra + dim for dim, n in enumerate(shape) if n == 1 and grad.shape[extra + dim] != 1]
    if extra or stretched:
        grad = rules.sum(grad, (*range(extra), *stretched), True)
    return grad.reshape(shape) if extra else grad


OWN = id(unbroadcast)  # by number, as in engine.py: a reference would be replaced along with the function
ROWS = (0,)  # the dimension along which the rows of a matrix follow each other
Origin = tuple[tuple[int, ...], Any] | None  # the shape and dtype of an input; None: those of the output


def fit(grad: Any, origin: Origin) -> Any:
    """A gradient brought back to the shape and dtype its input had before it was broadcast or converted."""
    if origin is None or grad is None:
        return grad
    shape, dtype = origin
    given = grad.shape
    if given != shape:
        if type(grad) is ndarray and given[1:] == shape and len(shape) == 1 and id(unbroadcast) == OWN:
            grad = sum_array(grad, ROWS, False)  # of a bias: as unbroadcast would, with half the calls
        else:
            try:
                grad = unbroadcast(grad, shape)
            except Exception as error:
                if stretches(shape, given):
                    raise
                raise shape_error(given, shape) from error
            if grad.shape != shape and not stretches(shape, given):
                raise shape_error(given, shape)
    if grad.dtype is dtype or rules.raw_dtype(grad) is dtype:
        return grad
    return rules.cast(grad, dtype)


LARGE = 4096  # elements
ONE_PASS = {unbroadcast.__code__}  # with the code of mul's rules: of what `apply_product` may do in one pass


def apply_product(rule: Callable[..., Any], grad: Any, factor: Any, origin: Origin) -> Any:
    """rule(grad, factor), the gradient of an input that was stretched; of a large matrix brought back to the input at once.

    mul's rule makes a product, and `unbroadcast` sums it: together they are one sum of products, with no array in between.
    If either has been replaced (by a learner's part, say), the replacements run. What remains two steps is stretched as in
    the forward pass.
    """
    if type(grad) is not ndarray or grad.size < LARGE:
        return rule(grad, factor)
    if origin is not None:
        (shape, dtype), given = origin, grad.shape
        if len(given) == 2 and factor.shape == given and grad.dtype is factor.dtype is dtype and is_product(rule):
            dim = 1 if shape == (given[0], 1) else 0 if shape in ((1, given[1]), given[1:]) else None
            if dim is not None and (found := sum_products(grad, factor, dim)) is not None:
                return found.reshape(shape)
    return stretching(rule, grad, factor)


def is_product(rule: Callable[..., Any]) -> bool:
    """Whether a rule is mul's own, and `unbroadcast` the one above."""
    return {getattr(each, "__code__", None) for each in (rule, unbroadcast)} <= ONE_PASS


def shape_error(given: tuple[int, ...], shape: tuple[int, ...]) -> RuntimeError:
    """The error for a gradient of a shape to which its input cannot have been broadcast."""
    return RuntimeError(
        f"A gradient of shape {list(given)} arrives at an input of shape {list(shape)}, which was broadcast: "
        "a derivative rule returned the wrong shape"
    )


def stretches(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether `shape` broadcasts to `target`, asked of NumPy once something has gone wrong (perhaps in `broadcasts_to`)."""
    try:
        return bool(numpy.broadcast_shapes(shape, target) == target)
    except ValueError:
        return False


def broadcasts_to(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether an array of `shape` can be stretched to `target`: counted from the right, each dimension fits or is 1.

    Example: (3,) to (2, 3) → True; (2, 1) to (2, 3) → True; (2,) to (2, 3) → False; (1, 3) to (3,) → False
    """
    offset = len(target) - len(shape)
    return offset >= 0 and all(n in (1, target[i + offset]) for i, n in enumerate(shape))


def fit_all(grads: tuple[Any, ...], origins: tuple[Origin, ...]) -> tuple[Any, ...]:
    """Each of a node's gradients brought back to its input."""
    if len(origins) == 2:  # nearly always, and often one of them fits
        (one, two), (origin_one, origin_two) = grads, origins
        return one if origin_one is None else fit(one, origin_one), two if origin_two is None else fit(two, origin_two)
    return tuple(map(fit, grads, origins))


def holders(values: list[Any]) -> list[int]:
    """How many references there are to each value of a list, as this function sees it: ALONE if only the list holds it.
    torch decides by the same count whether a leaf may keep a gradient that it is given."""
    return [getrefcount(value) for value in values]


ALONE = holders([object()])[0]


adding = threading.RLock()  # of two threads that add to one leaf at once, one would lose its gradient


def refuse_shape(tensor: Tensor, grad: Any, into: bool = False) -> None:
    """RuntimeError, in torch's words, where a gradient cannot be added to a tensor, a leaf or what it holds, whose `.data` has
    got another shape since it was used. into: the sum has to have the tensor's shape."""
    from ..ops.promotion import common_shape  # the operations build on this module

    shape = tensor._data.shape
    if (both := common_shape([shape, grad.shape])) != shape and into:
        raise RuntimeError(f"output with shape {list(shape)} doesn't match the broadcast shape {list(both)}")


class AccumulateGrad(Node):
    """The end of every path: adds the arriving gradient to its leaf's `.grad`."""

    __slots__ = ("variable",)
    plain = False
    ends = True
    releases = False
    parents = ()
    numbers = None
    saved = ()
    order = -LAST
    stretched = None

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable
        self.shape = variable._data.shape
        self.extras = None if (hooks := variable._hooks) is None else type(hooks)(hooks)
        if len(self.shape) > 1 and not variable._data.flags.c_contiguous:  # one dimension has but one order
            self.__class__ = StridedAccumulateGrad  # chosen here, so that gradient_edge can just say AccumulateGrad

    def receive(self, grad: Any, output: int, shared: bool) -> Any:
        """An array that others hold too as a view of it: `add` copies what is not an array's own memory (a sum's always is)."""
        return grad.view() if shared and not rules.is_tensor(grad) else grad

    def is_urgent(self) -> bool:
        """Whether its gradient should not wait until the end of a walk that nobody watches: where somebody does from here on,
        and where the leaf has a large gradient already."""
        held = self.variable._grad
        return self.extras is not None or (held is not None and held._data.size >= LARGE)

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """Add `grad`, an array, to the leaf's gradient."""
        with adding:
            return self.add(grad)

    def add(self, grad: Any) -> tuple[Any, ...]:
        """`apply` for who has `adding` already: the leaf may want no gradient any more; a hook may hold on to `grad`."""
        variable, shape = self.variable, self.shape
        if variable._edge is not None:
            return self.interior()
        if grad.shape != shape:
            raise RuntimeError(
                f"The gradient that arrives at a leaf of shape {list(shape)} has shape {list(grad.shape)}: "
                "a derivative rule returned the wrong shape"
            )
        # a copy lies in the order of the indices; it is made where somebody else may hold the array, or where that lies otherwise
        own = getattr(grad, "base", None) is None
        shared = not own or self.extras is not None or (len(shape) > 1 and not grad.flags.c_contiguous)
        held = variable._grad
        if (shared or held is not None) and shape != variable._data.shape:
            refuse_shape(variable, grad)  # as its copy or its sum is refused in torch
        if held is not None and getattr(held, "_data", grad).shape != shape:
            refuse_shape(held, grad, into=True)
        accumulate(variable, grad, shared)
        return ()

    def apply_graph(self, grad: Any) -> tuple[Any, ...]:
        """Add `grad`, a Tensor with a history."""
        if self.variable._edge is not None:
            return self.interior()
        first = self.variable._grad is None
        with adding:
            accumulate_graph(self.variable, grad)
        held: Any = self.variable._grad
        if first and hasattr(held, "_data"):  # a learner's accumulate_graph may have put anything there
            held._data = in_order(held._data)
        return ()

    def interior(self) -> tuple[Any, ...]:
        """Nothing to do if the tensor wants no gradient any more; RuntimeError if a write has made it part of a graph."""
        if self.variable.grad_fn is not None:
            raise RuntimeError("leaf variable has been moved into the graph interior")
        return ()

    def _sequence_nr(self) -> int:
        return LAST


class StridedAccumulateGrad(AccumulateGrad):
    """AccumulateGrad of a leaf that is not contiguous: as torch promises, its first gradient gets the leaf's memory order."""

    __slots__ = ()

    def add(self, grad: Any) -> tuple[Any, ...]:
        """Add `grad`, an array."""
        first = self.variable._grad is None
        return self.lay_out(first, super().add(grad))

    def apply_graph(self, grad: Any) -> tuple[Any, ...]:
        """Add `grad`, a Tensor with a history."""
        first = self.variable._grad is None
        return self.lay_out(first, super().apply_graph(grad))

    def lay_out(self, first: bool, results: tuple[Any, ...]) -> tuple[Any, ...]:
        """Copy the leaf's first gradient into the leaf's memory order; that of the indices if the leaf has gaps or overlaps."""
        from ..ops.inplace import dense  # the operations build on this module

        data, held = self.variable._data, self.variable._grad
        if first and held is not None and dense(data):
            held._data = laid_out_as(data, held._data)
        return results


StridedAccumulateGrad.__name__ = StridedAccumulateGrad.__qualname__ = "AccumulateGrad"


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
    else:
        held.add_array_(grad)


def accumulate_graph(variable: Tensor, grad: Tensor) -> None:
    """variable.grad += grad for gradients that have a history themselves (create_graph=True).

    The sum is a new tensor, recorded as any other: the old gradient may be part of a graph, which a write would spoil.
    Example: variable.grad = [1.], grad = [2.] → variable.grad = [3.], and who held the old one still reads [1.]
    """
    held = variable._grad
    variable._grad = grad.copied() if held is None else held + grad


_creating = threading.RLock()
begin_creating, end_creating = _creating.acquire, _creating.release
REF = weakref.ref


def one_at_a_time(edge_of: Callable[[Tensor], Edge]) -> Callable[[Tensor], Edge]:
    """Let one thread at a time create a leaf's AccumulateGrad; two at once would each create one and lose a gradient.

    The lock is needed only while there is none yet: a leaf that has one is answered here.
    """

    @functools.wraps(edge_of)
    def ask(tensor: Tensor) -> Edge:
        if tensor._edge is None:
            known = tensor._accumulator
            if type(known) is REF and (node := known()) is not None:
                return node, 0
            try:
                begin_creating()  # a third of what `with` takes; inside of `try`, so that no interrupt finds it unreleased
                return edge_of(tensor)
            finally:
                try:
                    end_creating()
                except RuntimeError:  # an interrupt while it waited for the lock, which it then does not hold
                    pass
        return edge_of(tensor)

    return ask


@one_at_a_time
def gradient_edge(tensor: Tensor) -> Edge:
    """Where a tensor's gradient goes: (its grad_fn, output number), or for a leaf its one AccumulateGrad.

    The leaf knows its AccumulateGrad weakly and is held by it, so dropping the graph and the name frees both.
    Example: a leaf w → (AccumulateGrad of w, 0), the same one every time; w * 2 → (MulBackward0, 0); data → (None, 0)
    """
    if tensor._edge is not None:
        return tensor._edge
    node = tensor._accumulator() if tensor._accumulator is not None else None
    if node is None:
        node = AccumulateGrad(tensor)
        tensor._accumulator = weakref.ref(node)
    return node, 0


class GradientEdge(NamedTuple):
    """A place in the graph where a gradient arrives, which can be passed to autograd.grad."""

    node: Node
    output_nr: int
    ownership_token: Node | None = None

    def tensor(self, grad: Tensor | None) -> Tensor:
        """A tensor whose gradient arrives here: the leaf, or zeros of the right shape and of the gradient's dtype."""
        if isinstance(self.node, AccumulateGrad):
            return self.node.variable
        shape = self.node.shape[self.output_nr] if isinstance(self.node, SeveralOutputs) else self.node.shape
        like = numpy.empty(0, get_default_dtype().name) if grad is None else grad._data
        return from_array(rules.zeros(like, shape), (self.node, self.output_nr))


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Where a tensor's gradient arrives (torch.autograd.graph.get_gradient_edge)."""
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node, output = gradient_edge(tensor)
    assert node is not None, "Expected gradient function to be set"
    return GradientEdge(node, output)


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Count a write that autograd could not see (torch.autograd.graph.increment_version)."""
    if not isinstance(tensor, Iterable):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    written: Iterable[Any] = (tensor,) if isinstance(tensor, Tensor) else tensor
    for one in written:
        one.bump_version()
        if one._counter is not None and one._counter.views:
            from ..ops.inplace import refresh_views  # the operations build on this module

            refresh_views(one._counter.views, None)
