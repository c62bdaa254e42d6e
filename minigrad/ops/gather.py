"""Picking elements by index tensors and masks, and writing them: gather, scatter, index_select, masked_fill, where, …

Index tensors and masks are saved and version-checked like any tensor, and never differentiated.
"""

from __future__ import annotations

import math
from typing import Any

from .. import rules
from ..autograd.accumulate import broadcasts_to, unbroadcast
from ..backend import array_module, in_order, laid_out_as, numpy
from ..dtypes import element
from ..strides import in_first_order
from ..tensor import from_array
from .define import Op

# ------------------------------------------------------------------ forwards


def along(shape: tuple[int, ...], dim: int, index: Any) -> Any:
    """The flat positions, in an x of `shape`, of the elements that out[i][j][k] = x[i][index[i][j][k]][k] reads: NumPy picks
    them, and adds to them, many times as fast as by one index for each dimension."""
    module, step, found = array_module(index), math.prod(shape[dim + 1 :]), index
    if step != 1:
        found = index * step
    step = 1
    for d in reversed(range(index.ndim)):
        if d != dim and index.shape[d] > 1:
            place = module.arange(index.shape[d])
            found = found + (place if step == 1 else place * step).reshape((-1,) + (1,) * (index.ndim - 1 - d))
        step *= shape[d]
    return found


def picked(x: Any, index: Any, dim: int) -> Any:
    """The elements of x that `index`, of as many dimensions, names along one of them; it names none out of range."""
    return x.reshape(-1).take(along(x.shape, dim, index))


def _gather(x: Any, dim: int, index: Any, sparse_grad: bool = False) -> Any:
    if not index.size:
        return array_module(x).zeros(index.shape, x.dtype)
    if not x.ndim:
        return array_module(x).broadcast_to(x, index.shape).copy()
    return picked(x, index, dim) if index.ndim else x.reshape(-1)[index]


def targets(x: Any, src: Any, dim: int, index: Any) -> tuple[Any, Any, Any]:
    """For writing src to where `index` says: a copy of x laid flat, the places in it, and what of src goes there."""
    index = index.reshape(index.shape or (1,))
    src = src[tuple(slice(n) for n in index.shape)] if src.ndim == index.ndim else src
    return x.copy().reshape(-1), along(x.shape or (1,), dim, index), src


def _scatter(x: Any, src: Any, dim: int, index: Any) -> Any:
    if not index.size:  # of any shape
        return x.copy()
    out, places, src = targets(x, src, dim, index)
    out[places] = src
    return out.reshape(x.shape)


def _scatter_add(x: Any, src: Any, dim: int, index: Any) -> Any:
    if not index.size:
        return x.copy()
    out, places, src = targets(x, src, dim, index)
    array_module(out).add.at(out, places.reshape(-1), src.reshape(-1))
    return out.reshape(x.shape)


def _take_rows(x: Any, dim: int, index: Any) -> Any:
    if not x.ndim:
        return x.copy()
    return x.take(index.reshape(-1), dim)


def at(dim: int, index: Any) -> tuple[Any, ...]:
    """NumPy's index for the given positions in dimension `dim`."""
    return (slice(None),) * dim + (index.reshape(-1),)


def _index_add(x: Any, source: Any, dim: int, index: Any, alpha: Any) -> Any:
    out = x.copy().reshape(x.shape or (1,))
    rules.add_at(out, at(dim, index), source.reshape(source.shape or (1,)) * out.dtype.type(alpha))
    return out.reshape(x.shape)


def _index_copy(x: Any, source: Any, dim: int, index: Any) -> Any:
    out = x.copy().reshape(x.shape or (1,))
    out[at(dim, index)] = source
    return out.reshape(x.shape)


def _index_fill(x: Any, *value: Any, dim: int, index: Any, number: Any = None) -> Any:
    filling = value[0] if value else array_module(x).asarray(element(number, x.dtype))
    return laid_out_as(x, _index_copy(x, filling, dim, index))


def _masked_fill(x: Any, *value: Any, mask: Any, number: Any = None) -> Any:
    filling = element(value[0].item() if value else number, x.dtype)
    return in_order(array_module(x).where(mask, filling, x))


def _masked_select(x: Any, mask: Any) -> Any:
    x, mask = array_module(x).broadcast_arrays(x, mask) if x.shape != mask.shape else (x, mask)
    return x[mask] if mask.ndim else x.reshape(1)[mask.reshape(1)]


def _masked_put(x: Any, shape: tuple[int, ...], mask: Any) -> Any:
    """Zeros of `shape` with x where the mask holds, summed where the mask was stretched over them."""
    whole = array_module(x).zeros(numpy.broadcast_shapes(shape, mask.shape), x.dtype)
    whole[array_module(mask).broadcast_to(mask, whole.shape)] = x
    return whole


def _masked_scatter(x: Any, source: Any, mask: Any) -> Any:
    x, mask = array_module(x).broadcast_arrays(x, mask)
    out = x.copy()
    count = int(mask.sum())
    if source.size < count:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    out[mask] = source.reshape(-1)[:count]
    return out


def _put_flat(x: Any, shape: tuple[int, ...], index: Any) -> Any:
    out = array_module(x).zeros(shape, x.dtype)
    array_module(x).add.at(out.reshape(-1), index, x)
    return out


# ------------------------------------------------------------------ rules


def gather_vjp(grad: Any, self: Any, dim: int, index: Any, sparse_grad: bool) -> Any:
    """z = the picked elements: zeros, with the gradient added where it was picked."""
    return scatter_add_op.of(rules.zeros(grad, self.shape), grad, dim=dim, index=index)


def scatter_vjp_self(grad: Any, dim: int, index: Any) -> Any:
    """z = self with elements overwritten: those get no gradient."""
    return scatter_value_op.of(grad, value=0, dim=dim, index=index)


def scatter_vjp_src(grad: Any, src_shape: tuple[int, ...], dim: int, index: Any) -> Any:
    """z = self with elements of src written: the gradient where they went."""
    return of_whole_source(gather_op.of(grad, dim=dim, index=index, sparse_grad=False), src_shape, "ScatterBackward0")


def scatter_add_vjp_src(grad: Any, src_shape: tuple[int, ...], dim: int, index: Any) -> Any:
    """z = self with elements of src added: the gradient where they went."""
    return of_whole_source(
        gather_op.of(grad, dim=dim, index=index, sparse_grad=False), src_shape, "ScatterAddBackward0"
    )


def of_whole_source(grad: Any, shape: tuple[int, ...], node: str) -> Any:
    """The gradient of a source, all of which was used; for a part of it torch's rule makes one that does not fit, unless
    the source might have been broadcast to that."""
    if not broadcasts_to(tuple(shape), tuple(grad.shape)):
        raise RuntimeError(
            f"Function {node} returned an invalid gradient at index 1 - got {list(grad.shape)} but expected shape compatible "
            f"with {list(shape)}"
        )
    return unbroadcast(grad, shape)


def scatter_add_vjp_self(grad: Any) -> Any:
    """z = self + …: the gradient as it is."""
    return grad


def index_select_vjp(grad: Any, self_shape: tuple[int, ...], dim: int, index: Any) -> Any:
    """z = the picked rows: zeros, with the gradient added to the rows it came from."""
    if self_shape and not rules.is_tensor(grad):
        return rules.scatter_index(grad, self_shape, at(dim, index))
    return index_add_op.of(rules.zeros(grad, self_shape), grad, dim=dim, index=index, alpha=1)


def index_add_vjp_source(grad: Any, source: Any, dim: int, index: Any, alpha: Any) -> Any:
    """z = self with alpha · source added to some rows: alpha times the gradient of those rows."""
    rows = rules.expand(index_select_op.of(grad, dim=dim, index=index), source.shape)
    return rows if alpha == 1 else rows * alpha


def index_copy_vjp_self(grad: Any, dim: int, index: Any) -> Any:
    """z = self with some rows overwritten: those get no gradient."""
    return index_fill_op.of(grad, dim=dim, index=index, number=0)


def index_copy_vjp_source(grad: Any, source: Any, dim: int, index: Any) -> Any:
    """z = self with rows of source: the gradient of those rows."""
    rows = index_select_op.of(grad, dim=dim, index=index)
    return rules.expand(rows, source.shape) if source.shape else rules.reshape(rows, ())


def index_fill_vjp_value(grad: Any, dim: int, index: Any) -> Any:
    """z = self with some rows set to value: the sum of the gradient over them, each row once."""
    once = array_module(rules.raw(index)).unique(rules.raw(index))
    rows = index_select_op.of(grad, dim=dim, index=from_array(once) if rules.is_tensor(grad) else once)
    return rules.sum(rows, None, False)


def masked_fill_vjp_self(grad: Any, mask: Any) -> Any:
    """z = self with elements overwritten: those get no gradient."""
    return rules.masked_fill(grad, mask, 0)


def masked_fill_vjp_value(grad: Any, mask: Any) -> Any:
    """z = self with value where the mask holds: the sum of the gradient there."""
    return rules.sum(rules.keep_where(grad, rules.raw(mask)), None, False)


def masked_select_vjp(grad: Any, self: Any, mask: Any) -> Any:
    """z = the elements under the mask: zeros, with the gradient under the mask."""
    return masked_put_op.of(grad, shape=self.shape, mask=mask)


def masked_put_vjp(grad: Any, mask: Any) -> Any:
    """z = zeros with self under the mask: the gradient under the mask."""
    return masked_select_op.of(grad, mask=mask)


def masked_scatter_vjp_source(grad: Any, source_shape: tuple[int, ...], mask: Any) -> Any:
    """z = self with the elements of source, one after the other, under the mask: the gradient under the mask."""
    chosen = masked_select_op.of(grad, mask=mask)
    size = int(numpy.prod(source_shape))
    padding = rules.zeros(grad, (size - chosen.shape[0],))
    return rules.reshape(rules.concatenate([chosen, padding], 0), source_shape)


def take_vjp(grad: Any, self: Any, index: Any) -> Any:
    """z = elements by their number: zeros, with the gradient added at those numbers."""
    return put_flat_op.of(grad, shape=self.shape, index=index)


def put_flat_vjp(grad: Any, index: Any) -> Any:
    """z = zeros with self added at numbers: the gradient at those numbers."""
    return take_op.of(grad, index=index)


def _where(x: Any, y: Any, condition: Any) -> Any:
    found = array_module(condition).where(condition, x, y)
    return found if found.ndim < 2 else in_first_order(found, condition, x, y)


def where_vjp_self(grad: Any, condition: Any) -> Any:
    """z = self where the condition holds."""
    return rules.keep_where(grad, rules.raw(condition))


def where_vjp_other(grad: Any, condition: Any) -> Any:
    """z = other where the condition does not hold."""
    return (
        rules.where(rules.raw(condition), rules.zeros(grad, ()), grad)
        if rules.is_tensor(grad)
        else rules.keep_where(grad, condition == 0)
    )


# ------------------------------------------------------------------ entries

INDEX = ("index",)
gather_op = Op("GatherBackward0", _gather, tensors=INDEX, self=gather_vjp)
scatter_op = Op("ScatterBackward0", _scatter, tensors=INDEX, self=scatter_vjp_self, src=scatter_vjp_src)
scatter_value_op = Op(
    "ScatterBackward1",
    lambda x, value, dim, index: _scatter(x, array_module(x).asarray(element(value, x.dtype)), dim, index),
    tensors=INDEX,
    self=scatter_vjp_self,
)
scatter_add_op = Op(
    "ScatterAddBackward0", _scatter_add, tensors=INDEX, self=scatter_add_vjp_self, src=scatter_add_vjp_src
)
index_select_op = Op("IndexSelectBackward0", _take_rows, tensors=INDEX, self=index_select_vjp)
index_add_op = Op(
    "IndexAddBackward0", _index_add, tensors=INDEX, self=scatter_add_vjp_self, source=index_add_vjp_source
)
index_copy_op = Op(
    "IndexCopyBackward0", _index_copy, tensors=INDEX, self=index_copy_vjp_self, source=index_copy_vjp_source
)
index_fill_op = Op("IndexFillBackward0", _index_fill, tensors=INDEX, self=index_copy_vjp_self)
index_fill_tensor_op = Op(
    "IndexFillBackward1",
    _index_fill,
    tensors=INDEX,
    stretches=True,
    self=index_copy_vjp_self,
    value=index_fill_vjp_value,
)
masked_fill_op = Op("MaskedFillBackward0", _masked_fill, tensors=("mask",), stretches=True, self=masked_fill_vjp_self)
masked_fill_tensor_op = Op(
    "MaskedFillBackward1",
    _masked_fill,
    tensors=("mask",),
    stretches=True,
    self=masked_fill_vjp_self,
    value=masked_fill_vjp_value,
)
masked_select_op = Op(
    "MaskedSelectBackward0", _masked_select, tensors=("mask",), stretches=True, self=masked_select_vjp
)
masked_put_op = Op("MaskedScatterBackward0", _masked_put, tensors=("mask",), self=masked_put_vjp)
masked_scatter_op = Op(
    "MaskedScatterBackward0", _masked_scatter, tensors=("mask",), stretches=True, self=masked_fill_vjp_self,
    source=masked_scatter_vjp_source, second={"source": "MaskedScatterBackwardBackward0"},
)  # fmt: skip
take_op = Op("TakeBackward0", lambda x, index: in_order(x.reshape(-1)[index]), tensors=INDEX, self=take_vjp)
put_flat_op = Op("PutBackward0", _put_flat, tensors=INDEX, self=put_flat_vjp)
where_op = Op(
    "WhereBackward0", _where, tensors=("condition",), promotes=True, elementwise=False, self=where_vjp_self,
    other=where_vjp_other,
)  # fmt: skip
