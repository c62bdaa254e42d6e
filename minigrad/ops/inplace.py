"""In-place operations, all derived in the same way from the operation that allocates.

The result is computed and recorded as usual, then written into the tensor's storage; the version counter goes up, and
the tensor takes over the new history. As in torch, a leaf that requires grad cannot be written to: its old value would
have no place in the graph.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable
from typing import Any

from .. import rules
from ..autograd.accumulate import gradient_edge
from ..autograd.grad_mode import is_inference_mode_enabled, records
from ..autograd.graph import NO_EDGE, UNRECORDED, SavedResult, save_result
from ..autograd.hooks import extras_of, in_use
from ..autograd.recording import before_write, observers, with_target
from ..autograd.views import VIEW_OF_LEAF, CopySlices, InvalidEdge, View, refused
from ..backend import ALARMS, address, array_module, constant, dims_in_memory, ndarray, numpy, repeats, stretching
from ..dtypes import BY_NUMPY, element, result_type
from ..errors import INFERENCE_WRITTEN, OVERLAPPING, warn
from ..tensor import Tensor, from_array
from .define import Op
from .promotion import PLAIN, check_castable


def as_strided_vjp(grad: Any, self_shape: tuple[int, ...], view: View) -> Any:
    """z = the viewed part of self: zeros, with the gradient in that part."""
    if rules.is_tensor(grad):
        return part_of_zeros(grad, self_shape=self_shape, view=view)
    whole = rules.zeros(grad, self_shape)
    array_module(whole).add.at(view.array(whole), ..., grad)  # which adds twice where the view names a place twice
    return whole


as_strided_op = Op("AsStridedBackward0", lambda x, view: view.array(x), self=as_strided_vjp)
part_of_zeros = Op("AsStridedScatterBackward0", as_strided_vjp, grad=lambda grad, view: take_part(grad, view))


def take_part(grad: Any, view: View) -> Any:
    """The viewed part of a gradient."""
    return as_strided_op(grad, view=view) if rules.is_tensor(grad) else view.array(grad)


def as_strided(tensor: Tensor, edge: Any) -> Tensor:
    """A view whose history is its base, of which the edge is given."""
    view = tensor._view
    return as_strided_op.record((view.base,), (edge,), tensor._data, {"view": view.part()})


def view_into(base: Tensor, view: View) -> Tensor:
    """The same part of another base, as a view through which it can be written."""
    part = from_array(view.array(base.storage()), NO_EDGE, base.counter())
    part._view = View(base, view.path, version=base._version)
    if base.requires_grad:
        part._edge = as_strided(part, gradient_edge(base))._edge
    base.counter().add_view(part)
    return part


LEAF = "a leaf Variable that requires grad is being used in an in-place operation."

PARTLY_THE_SAME = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. "
    "Please clone() the tensor before performing the operation."
)


STRETCHED = (
    "Use of {name}_ on expanded tensors is deprecated. Please clone() the tensor before performing this operation. This also "
    "applies to advanced indexing e.g. {example}"
)
# Elementwise writes must not read an operand from the memory they write to: torch checks that before or after the rest.
BEFORE, AFTER = ("index_copy",), ("scatter", "scatter_add", "scatter_reduce", "index_add")
LAST = (*AFTER, "cumsum", "cumprod")  # here an expanded target is refused last, too
UNSEEN = ("tril", "triu")  # torch does not check the target of these
PRODUCTS = {"addmm": (2, 2), "addmv": (2, 1), "baddbmm": (3, 3)}  # with the numbers of dimensions of their factors
INDEXED = {
    "masked_fill": "tensor[mask] = scalar", "index_fill": "tensor[mask] = scalar", "index_put": "tensor[indices] = tensor",
}  # fmt: skip


def inplace(operation: Callable[..., Any]) -> Callable[..., Tensor]:
    """`operation` with its result written into its first argument."""

    name = operation.__name__
    at_once = AT_ONCE.get(name)
    product = name in PRODUCTS  # for these torch has other messages
    logical = name in ("logical_not", "logical_and", "logical_or", "logical_xor")
    apart, late, last = name in BEFORE, name in AFTER, name in LAST

    def call(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if not logical:  # which torch writes even into leaves
            check_writable(self, (*args, *kwargs.values()) if kwargs else args)
        if not last and name not in UNSEEN:
            check_memory(self, name)
        for operand in () if product or late or name == "index_put" else (*args, *kwargs.values()) if kwargs else args:
            if isinstance(operand, Tensor) and (apart or operand is not self):
                check_overlap(self, operand, apart)
        if at_once and done_at_once(at_once, self, args, kwargs):
            return self
        try:
            result = with_target(self, operation, *args, **kwargs) if observers else operation(self, *args, **kwargs)
        except RuntimeError as error:
            unable = isinstance(error, NotImplementedError)
            if name == "addmm" or (product and unable):
                refuse_product(self, PRODUCTS[name], *args[:2])
            if (unable and not product) or str(error) == "ZeroDivisionError":
                refuse_write(self, *args)  # which torch reports first
            raise
        if last:
            check_memory(self, name)
        for operand in (*args, *kwargs.values()) if late else ():
            check_overlap(self, operand, True)
        if result is NotImplemented:
            return result
        if product and result._data.shape != self._data.shape:
            raise RuntimeError(BAD_PRODUCT.format(list(self._data.shape), list(result._data.shape)))
        write(self, result)
        return self

    call.__name__ = call.__qualname__ = name + "_"
    call.__wrapped__ = operation  # type: ignore[attr-defined]  # whose signature it has
    call.__doc__ = f"{name}, in place."
    return call


BAD_PRODUCT = "Bad in-place call: input tensor size {} and output tensor size {} should match"


def refuse_product(written: Tensor, dims: tuple[int, int], *factors: Any) -> None:
    """RuntimeError for a product whose shape differs from that of the tensor to be written. Wrong dtypes or numbers of
    dimensions are left to the operation, which checks them first."""
    with contextlib.suppress(ValueError, TypeError, AttributeError):
        a, b = (factor._data for factor in factors)
        shape = (a @ b).shape
        alike = a.dtype is b.dtype is written._data.dtype
        if alike and (a.ndim, b.ndim) == dims and shape != written._data.shape:
            raise RuntimeError(BAD_PRODUCT.format(list(written._data.shape), list(shape)))


def refuse_write(written: Tensor, *operands: Any) -> None:
    """RuntimeError for operands whose result would have another shape than the tensor to be written, or a dtype of a
    higher category."""
    given = [t for t in (written, *operands) if isinstance(t, Tensor)]
    with contextlib.suppress(ValueError):
        refuse(written, numpy.broadcast_shapes(*[t._data.shape for t in given]), result_type(*given))


def refuse(tensor: Tensor, shape: tuple[int, ...], dtype: Any) -> None:
    """RuntimeError, in torch's words, for a result of this shape and dtype that cannot be written into the tensor."""
    if shape != tensor._data.shape:
        raise RuntimeError(
            f"output with shape {list(tensor._data.shape)} doesn't match the broadcast shape {list(shape)}"
        )
    check_castable(dtype, tensor.dtype)


def check_memory(written: Tensor, name: str = "copy") -> None:
    """RuntimeError for a tensor with two elements in one memory location (a warning where torch still allows it)."""
    x = written.storage()
    if 0 in x.strides and repeats(x):
        if name not in INDEXED:
            raise RuntimeError(OVERLAPPING)
        warn(STRETCHED.format(name=name, example=INDEXED[name]))


def dense(x: Any) -> bool:
    """Whether an array fills a block of memory without gaps or overlaps, in whatever order."""
    flags = x.flags
    if not (flags.c_contiguous or flags.f_contiguous):
        flags = x.transpose(dims_in_memory(x)).flags
    return bool(flags.c_contiguous or flags.f_contiguous)


def same_place(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors are the same elements of the same memory, in the same order."""
    return is_same_place(a.storage(), b.storage())


def is_same_place(x: Any, y: Any) -> bool:
    """`same_place`, of arrays."""
    return (x.shape, x.strides) == (y.shape, y.strides) and address(x) == address(y)


def owner(x: Any) -> Any:
    """The array to which the memory of an array belongs."""
    return x if x.base is None else x.base


def check_overlap(written: Tensor, operand: Any, apart: bool = False) -> None:
    """RuntimeError for an operand that shares memory with the written tensor, unless it is that tensor itself (apart: even
    then)."""
    if operand is written and apart:
        raise RuntimeError(PARTLY_THE_SAME)
    if not isinstance(operand, Tensor) or operand is written:
        return
    x, y = written._data, operand._data
    if type(x) is ndarray and owner(x) is not owner(y):
        return  # other memory, by far the commonest case
    if type(x) is not type(y) or not array_module(x).may_share_memory(x, y):
        return
    if dense(x) and dense(y) and (apart or not same_place(written, operand)):
        raise RuntimeError(PARTLY_THE_SAME)


def check_writable(tensor: Tensor, operands: Any = ()) -> None:
    """RuntimeError if autograd could not record a write of a result of these operands to this tensor."""
    if tensor.is_inference() and not is_inference_mode_enabled():
        raise RuntimeError(INFERENCE_WRITTEN)
    if not records():
        return
    view = getattr(tensor, "_view", None)
    if view is None:
        if tensor._edge is None:
            raise RuntimeError(LEAF)
        return
    wanted = tensor.requires_grad
    if view.refusal and (wanted or any(isinstance(x, Tensor) and x.requires_grad for x in operands)):
        raise refused(tensor)
    if wanted and view.base.is_leaf:
        raise RuntimeError(VIEW_OF_LEAF)


AT_ONCE = {"add": operator.iadd, "sub": operator.isub, "mul": operator.imul, "div": operator.itruediv}
SCALED = {operator.iadd, operator.isub}  # which take alpha, a factor for the operand


def done_at_once(function: Callable[[Any, Any], Any], tensor: Tensor, args: Any, kwargs: Any) -> bool:
    """Compute into the tensor's own storage, with no array of results in between: where nothing is recorded and the
    operand is a number, or a tensor of that dtype that fits. Whether it was done."""
    data, alpha = tensor.storage(), kwargs.get("alpha", 1)
    if len(args) != 1 or type(alpha) not in PLAIN or len(kwargs) > (function in SCALED and "alpha" in kwargs):
        return False
    if type(data) is not ndarray or data.dtype.char not in "fd" or (tensor._edge is not NO_EDGE and records()):
        return False
    if observers or before_write:
        return False
    other = args[0]
    if isinstance(other, Tensor):
        value = other._data
        if type(value) is not ndarray or value.dtype is not data.dtype or (other._edge is not NO_EDGE and records()):
            return False
        value = value if alpha == 1 else element(alpha, data.dtype) * value
    elif type(other) in PLAIN and alpha == 1:
        value = (constant if other else numpy.asarray)(other, data.dtype)
    else:
        return False
    try:
        stretching(function, data, value)
    except ValueError:  # it does not fit; nothing has been written, and the operation itself says so in torch's words
        return False
    except ALARMS:  # by now all of it has been written
        pass
    tensor.bump_version()
    refresh(tensor)
    return True


def put(tensor: Tensor, value: Any) -> None:
    """Put an array into `tensor`, where nothing is recorded."""
    fill(tensor, fitting(tensor, value))


def fill(tensor: Tensor, value: Any) -> None:
    """Put a number, or an array that fits, into `tensor`, where nothing is recorded."""
    overwrite(tensor, value)
    refresh(tensor)


def refresh(tensor: Tensor, done: Tensor | None = None) -> None:
    """Give the views of a tensor that was written to, except `done`, the history that they have now."""
    if tensor._counter is not None and tensor._counter.views:
        refresh_views(tensor._counter.views, done)


def fitting(tensor: Tensor, value: Any) -> Any:
    """The array itself; RuntimeError, in torch's words, if it cannot be written into the tensor."""
    data = tensor._data
    if value.shape != data.shape or value.dtype is not data.dtype:
        refuse(tensor, value.shape, BY_NUMPY[value.dtype])
    return value


def overwrite(tensor: Tensor, value: Any) -> None:
    """Write an array into the tensor's storage and count the write; nobody's history changes."""
    data = tensor.storage()
    for tell in before_write:
        tell(tensor)
    if 0 in data.strides and getattr(value, "shape", None) == data.shape and repeats(data):
        # What was not written under one index is not to win over what was under another; nan stays nan, and -0. is not 0.
        changed = (value != data) & ((value == value) | (data == data))
        if data.dtype.kind == "f":
            changed |= array_module(data).signbit(value) != array_module(data).signbit(data)
        data[changed] = value[changed]
    else:
        data[...] = value
    tensor.bump_version()


def write(tensor: Tensor, result: Tensor) -> None:
    """Put the values and the history of `result` into `tensor`."""
    value = fitting(tensor, result._data)
    recorded = result._edge is not NO_EDGE and records()
    view = getattr(tensor, "_view", None) if recorded else None
    if recorded:
        if view is not None and view.refusal:  # it wants no gradient itself, but the written value does
            raise refused(tensor)
        save_old_value(tensor, result.grad_fn)
    overwrite(tensor, value)
    if recorded:
        adopt(tensor, result)
        if view is not None:
            rewrite_base(tensor, view)
    refresh(tensor, tensor if recorded else None)


def refresh_views(views: list[Any], done: Tensor | None) -> None:
    """After a write, give the views of what was written (except `done`) the new history of their base.

    views: those of a version counter, as weak references; dead ones are removed.
    """
    views[:] = [known for known in views if known() is not None]
    for reference in tuple(views):
        tensor = reference()
        if tensor is None or tensor is done or type(tensor._edge) is InvalidEdge:
            continue
        base = tensor._view.base
        edge = base._edge or gradient_edge(base)
        if edge is NO_EDGE and tensor.grad_fn is None:
            continue
        if tensor._view.refusal:
            tensor._edge = InvalidEdge.of(tensor)
        else:
            set_history(tensor, as_strided(tensor, UNRECORDED if edge is NO_EDGE else edge)._edge, stays=True)


def follow_base(base: Tensor) -> None:
    """Once a base requires grad, give it as history to the views that were written to before."""
    counter, edge = base.counter(), gradient_edge(base)
    for view in counter.living_views(base):
        if view._view.version != counter.version and type(view._edge) is not InvalidEdge and view.grad_fn is None:
            view._edge = InvalidEdge.of(view) if view._view.refusal else as_strided(view, edge)._edge


def save_old_value(tensor: Tensor, node: Any) -> None:
    """If a node saved the tensor that its own result will be written into, let it save a copy of the old value instead."""
    saved = zip(node.saves, node.saved, strict=True)
    written = [value is tensor and name in ("self", "input") for name, value in saved]
    if any(written):
        old = from_array(tensor._data.copy(), tensor._edge)
        node.saved = tuple([old if yes else value for yes, value in zip(written, node.saved, strict=True)])
        if hasattr(node, "versions"):
            node.versions = tuple([0 if v is old else n for v, n in zip(node.saved, node.versions, strict=True)])


def adopt(tensor: Tensor, result: Tensor) -> None:
    """Give the tensor the result's history; a result that the node saved is now the tensor's own storage."""
    set_history(tensor, result._edge)
    node = result.grad_fn
    for index, value in enumerate(node.saved or ()):
        if isinstance(value, SavedResult):
            saved = list(node.saved)
            saved[index] = save_result(tensor)
            node.saved = tuple(saved)
            versions = list(getattr(node, "versions", [0] * len(saved)))
            versions[index] = tensor._version
            node.versions = tuple(versions)
    if observers:
        from ..autograd.saved import pack_saved  # needed by few programs

        pack_saved(node)


def set_history(tensor: Tensor, edge: Any, stays: bool = False) -> None:
    """Give a tensor another history, and move its retain_grad there (stays: let the old node have it as well, until the new
    one is used). Hooks stay on the old node."""
    used = type(tensor._edge) is tuple and in_use(tensor._edge)
    node, output = tensor._edge or NO_EDGE
    tensor._edge = edge
    if node is None or node.extras is None or output not in node.extras.retain:
        return
    retained, place = node.extras.retain[output]
    if retained.tensor() is tensor:
        extras_of(edge[0]).retain[edge[1]] = retained, place + 1
        if not stays:
            retained.at = place + 1
        elif used:
            retained.at = place


def rewrite_base(tensor: Tensor, view: View) -> None:
    """After a write through a view: the base's history leads through the write, and the view's through the base."""
    base = view.base
    node = CopySlices(base, view, tensor.grad_fn, gradient_edge(base))
    set_history(base, (node, 0))
    set_history(tensor, as_strided(tensor, base._edge)._edge)
