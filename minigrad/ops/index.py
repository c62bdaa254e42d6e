"""Reading and writing parts of a tensor, and joining tensors: indexing, cat, stack, where."""

from __future__ import annotations

from typing import Any

from .. import rules
from ..autograd.graph import Constant
from ..backend import array_module, ndarray, numpy
from ..tensor import Tensor, from_array
from .define import Op
from .inplace import check_writable, write
from .reduce import one_dim


def index_vjp(grad: Any, self_shape: tuple[int, ...], index: Any) -> Any:
    """z = self[index]: zeros, with the gradient added at the places that were read (twice where read twice)."""
    return rules.scatter_index(grad, self_shape, index)


def put_vjp_self(grad: Any, index: Any) -> Any:
    """self[index] = values: what was overwritten has no part in the result."""
    return rules.without(grad, index)


def put_vjp_values(grad: Any, index: Any) -> Any:
    """self[index] = values: the written part's gradient; the walk un-broadcasts it."""
    return grad[index]


def where_vjp_self(grad: Any, condition: Any) -> Any:
    """z = self where the condition holds."""
    return grad * condition


def where_vjp_other(grad: Any, condition: Any) -> Any:
    """z = other where the condition does not hold."""
    return grad * (condition == 0)


def _put(x: Any, values: Any, index: Any) -> Any:
    x = x.copy()
    x[index] = values
    return x


def _scatter(x: Any, shape: tuple[int, ...], index: Any) -> Any:
    return rules.scatter_index(x, shape, index)


select_op = Op("SelectBackward0", lambda x, index: x[index], view=True, self=index_vjp)
slice_op = Op("SliceBackward0", lambda x, index: x[index], view=True, self=index_vjp)
alias_op = Op("AliasBackward0", lambda x: x[...], view=True, self=lambda grad: grad)
index_op = Op("IndexBackward0", lambda x, index: x[index], self=index_vjp)
put_op = Op("IndexPutBackward0", _put, stretches=True, self=put_vjp_self, values=put_vjp_values)
scatter_op = Op("IndexPutBackward0", _scatter, self=put_vjp_values)
where_op = Op(
    "WhereBackward0",
    lambda x, y, condition: array_module(condition).where(condition, x, y),
    stretches=True,
    self=where_vjp_self,
    other=where_vjp_other,
)


def plain_index(index: Any) -> Any:
    """An index with its tensors turned into arrays and its lists into what NumPy makes of them."""
    if isinstance(index, tuple):
        return tuple(plain_index(i) for i in index)
    if isinstance(index, Tensor):
        return index._data if index._data.ndim or index._data.dtype.kind == "b" else int(index._data)
    if isinstance(index, slice):
        return slice(*(None if b is None else int(b) for b in (index.start, index.stop, index.step)))
    return numpy.asarray(index) if isinstance(index, list) else index


def getitem(self: Tensor, index: Any) -> Tensor:
    """self[index]: ints, slices, None and … give views; lists, tensors and masks give copies (torch indexing)."""
    wanted = plain_index(index)
    parts = wanted if isinstance(wanted, tuple) else (wanted,)
    check_index(self, parts)
    if any(is_advanced(p) for p in parts):
        return index_op(self, index=wanted)
    return basic(self, parts)


def is_advanced(part: Any) -> bool:
    """Whether an index part gathers elements (a copy) instead of describing a view."""
    return isinstance(part, ndarray | bool) or hasattr(part, "get")


def basic(self: Tensor, parts: tuple[Any, ...]) -> Tensor:
    """A view, one dimension after the other, as torch takes it: select, slice or unsqueeze; whole slices do nothing."""
    out, dim = self, 0
    for part in parts:
        if part is Ellipsis:
            dim = out._data.ndim - sum(p is not None for p in parts[parts.index(Ellipsis) + 1 :])
        elif part is None:
            out, dim = out.unsqueeze(dim), dim + 1
        elif isinstance(part, slice):
            if part != slice(None):
                out = slice_op(out, index=(slice(None),) * dim + (part, ...))
            dim += 1
        else:
            out = select_op(out, index=(slice(None),) * dim + (part, ...))
    return out if out is not self else alias_op(self)


def check_index(self: Tensor, parts: tuple[Any, ...]) -> None:
    """IndexError, in torch's words, for an int out of range or too many indices."""
    shape = self._data.shape
    if not shape and any(isinstance(p, int) and not isinstance(p, bool) for p in parts):
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
            "0-dim tensor to a number"
        )
    used = [p for p in parts if p is not None and p is not Ellipsis]
    taken = sum(p.ndim if getattr(p, "dtype", None) == bool else 1 for p in used)
    if taken > len(shape):
        raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
    dim = 0
    for part in parts:
        if part is Ellipsis:
            dim = len(shape) - (taken - dim)
        elif isinstance(part, int) and not -shape[dim] <= part < shape[dim]:
            raise IndexError(f"index {part} is out of bounds for dimension {dim} with size {shape[dim]}")
        if part is not None and part is not Ellipsis:
            dim += 1


def setitem(self: Tensor, index: Any, value: Any) -> None:
    """self[index] = value, in place and recorded: the written part belongs to `value` from now on."""
    wanted = plain_index(index)
    parts = wanted if isinstance(wanted, tuple) else (wanted,)
    check_index(self, parts)
    if not any(is_advanced(p) for p in parts):
        basic(self, parts).copy_(value)
        return
    check_writable(self)
    values = value if isinstance(value, Tensor) else from_array(numpy.asarray(value, self._data.dtype))
    write(self, put_op(self, values, index=wanted))


def scatter_index(self: Tensor, shape: tuple[int, ...], index: Any) -> Tensor:
    """Zeros of `shape` with this tensor added at `index`: the gradient of getitem, itself differentiable."""
    return scatter_op(self, shape=shape, index=index)


def _join(tensors: Any, node: str, forward: Any, rule: Any) -> Op:
    made = _JOINS.get((node, len(tensors)))
    if made is None:
        made = _JOINS[node, len(tensors)] = Op(node, forward, **{f"t{i}": rule(i) for i in range(len(tensors))})
    return made


_JOINS: dict[tuple[str, int], Op] = {}


def cat_vjp(position: int) -> Any:
    """The rule of cat's input number `position`: its own part of the gradient."""

    def rule(grad: Any, dim: int, bounds: tuple[int, ...]) -> Any:
        return grad[(slice(None),) * dim + (slice(bounds[position], bounds[position + 1]),)]

    return rule


def stack_vjp(position: int) -> Any:
    """The rule of stack's input number `position`."""
    return lambda grad, dim: grad[(slice(None),) * dim + (position,)]


def cat(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors joined along an existing dimension (torch.cat)."""
    tensors = list(tensors)
    if not tensors:
        raise ValueError("expected a non-empty list of Tensors")
    dim = one_dim(dim, tensors[0]._data.ndim)
    sizes = [t._data.shape[dim] for t in tensors]
    for i, t in enumerate(tensors):
        for d, (n, m) in enumerate(zip(t._data.shape, tensors[0]._data.shape, strict=True)):
            if d != dim and n != m:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {m} but got size {n} for "
                    f"tensor number {i} in the list."
                )
    bounds = tuple(sum(sizes[:i]) for i in range(len(sizes) + 1))
    op = _join(tensors, "CatBackward0", lambda *xs, dim, bounds: array_module(xs[0]).concatenate(xs, dim), cat_vjp)
    return op(*tensors, dim=dim, bounds=bounds)


def stack(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors of one shape joined along a new dimension (torch.stack)."""
    tensors = list(tensors)
    if not tensors:
        raise ValueError("stack expects a non-empty TensorList")
    for i, t in enumerate(tensors):
        if t._data.shape != tensors[0]._data.shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(tensors[0]._data.shape)} at entry 0 and "
                f"{list(t._data.shape)} at entry {i}"
            )
    op = _join(tensors, "StackBackward0", lambda *xs, dim: array_module(xs[0]).stack(xs, dim), stack_vjp)
    return op(*tensors, dim=one_dim(dim, tensors[0]._data.ndim + 1))


def stack_all(self: Tensor, parts: list[Any], dim: int) -> Tensor:
    """stack for derivative rules."""
    return stack(parts, dim)


def where(condition: Tensor, self: Any, other: Any) -> Tensor:
    """self where the condition holds, other elsewhere; numbers are welcome (torch.where)."""
    a = self if isinstance(self, Tensor) else Constant(self)
    b = other if isinstance(other, Tensor) else Constant(other)
    tensors = [t for t in (a, b) if isinstance(t, Tensor)]
    like = tensors[0] if tensors else from_array(numpy.asarray(float(self), "float32"))
    a, b = (t if isinstance(t, Tensor) else from_array(array_module(like._data).asarray(t._data, like._data.dtype)) for t in (a, b))
    return where_op(a, b, condition=condition._data)
