"""The same elements in another shape: reshape, permute, expand, squeeze, unbind; their copies: clone, contiguous, cast.

None computes anything. self[index] is in index.py, cat and stack in join.py.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from typing import Any

from .. import rules
from ..autograd.accumulate import unbroadcast
from ..autograd.graph import NO_EDGE
from ..backend import array_module, memory_order, numpy
from ..dtypes import as_dtype
from ..dtypes import dtype as Dtype
from ..size import contiguous_format
from ..strides import expanded, restrided
from ..tensor import Tensor, from_array
from .arguments import Int, Ints, is_int
from .define import Op
from .reduce import EVERY, dims, one_dim, real_dim


def view_vjp(grad: Any, self_shape: tuple[int, ...]) -> Any:
    """z = self in another shape: the gradient goes back into the old one."""
    return rules.reshape(grad, self_shape)


def permute_vjp(grad: Any, dims: tuple[int, ...]) -> Any:
    """z = self with its dimensions reordered: the inverse order restores them."""
    inverse = [0] * len(dims)
    for i, d in enumerate(dims):
        inverse[d] = i
    return rules.permute(grad, tuple(inverse))


def transpose_vjp(grad: Any, dim0: int, dim1: int) -> Any:
    """z = self with two dimensions swapped: swap them again."""
    return rules.swapaxes(grad, dim0, dim1) if grad.shape or rules.is_tensor(grad) else grad


def t_vjp(grad: Any) -> Any:
    """z = selfᵀ, of a matrix: transpose again."""
    return grad.t() if rules.is_tensor(grad) else grad.T


def expand_vjp(grad: Any, self_shape: tuple[int, ...]) -> Any:
    """z = self stretched: the gradients of all the places an element was stretched to, added up."""
    return unbroadcast(grad, self_shape)


def same_vjp(grad: Any) -> Any:
    """z = a copy of self: the gradient as it is; the walk brings it back to self's dtype."""
    return grad


def unsqueeze_vjp(grad: Any, dim: int) -> Any:
    """z = self with a new dimension of size 1: drop it."""
    return rules.squeeze(grad, dim)


def squeeze_vjp(grad: Any, self_shape: tuple[int, ...], dim: Any) -> Any:
    """z = self without dimensions of size 1: they come back."""
    dims = (dim,) if isinstance(dim, int) else dim
    for d in sorted(dims) if rules.is_tensor(grad) and self_shape else ():
        grad = grad.unsqueeze(d) if self_shape[d] == 1 else grad
    return rules.reshape(grad, self_shape) if grad.shape != self_shape else grad


def squeeze_all_vjp(grad: Any, self_shape: tuple[int, ...]) -> Any:
    """z = self without any dimension of size 1: they come back."""
    return squeeze_vjp(grad, self_shape, tuple(range(len(self_shape))))


def unbind_vjp(grads: list[Any], self_shape: tuple[int, ...], dim: int) -> Any:
    """z0, z1, … = self taken apart along dim: the gradients put together again, zeros where none came."""
    like = next(g for g in grads if g is not None)
    part = (*self_shape[:dim], *self_shape[dim + 1 :])
    return rules.stack([rules.zeros(like, part) if g is None else g for g in grads], dim)


# ------------------------------------------------------------------ entries


def _unsqueeze(x: Any, dim: int) -> Any:
    """As of a rule, but where x has an order in memory of its own, NumPy would give dimensions of size 1 other strides."""
    if x.flags.c_contiguous:
        return rules.unsqueeze(x, dim)
    shape, steps = list(x.shape), list(x.strides)
    step = shape[dim] * steps[dim] if dim < x.ndim else x.itemsize
    return restrided(x, (*shape[:dim], 1, *shape[dim:]), [*steps[:dim], step, *steps[dim:]])


def _squeeze(x: Any, dim: Any) -> Any:
    drop = (dim,) if isinstance(dim, int) else dim
    return x.squeeze(tuple([i for i in drop if x.shape[i] == 1])) if x.ndim else x[...]


def _cast(x: Any, dtype: Any) -> Any:
    return x.astype(dtype, memory_order(x))


view_op = Op("ViewBackward0", lambda x, shape: x.reshape(shape), view=True, self=view_vjp)
reshape_op = Op("ReshapeAliasBackward0", lambda x, shape: x.reshape(shape), view=True, self=view_vjp)
copy_op = Op("UnsafeViewBackward0", lambda x, shape: x.reshape(shape), self=view_vjp)


def _swap(x: Any, dim0: int, dim1: int) -> Any:
    return x.swapaxes(dim0, dim1) if x.ndim else x[...]


permute_op = Op("PermuteBackward0", lambda x, dims: x.transpose(dims), view=True, self=permute_vjp)
transpose_op = Op("TransposeBackward0", _swap, view=True, self=transpose_vjp)
t_op = Op("TBackward0", _swap, view=True, self=t_vjp)
expand_op = Op("ExpandBackward0", expanded, view=True, self=expand_vjp)
unsqueeze_op = Op("UnsqueezeBackward0", _unsqueeze, view=True, self=unsqueeze_vjp)
squeeze_all_op = Op("SqueezeBackward0", lambda x: x.squeeze(), view=True, self=squeeze_all_vjp)
squeeze_dim_op = Op("SqueezeBackward1", _squeeze, view=True, self=squeeze_vjp)
squeeze_dims_op = Op("SqueezeBackward2", _squeeze, view=True, self=squeeze_vjp)
squeeze_inplace_op = Op("SqueezeBackward4", _squeeze, self=squeeze_vjp)  # inside of matmul
clone_op = Op("CloneBackward0", lambda x, order: x.copy(order) if x.ndim else x.copy(), self=same_vjp)
cast_op = Op("ToCopyBackward0", _cast, stretches=True, self=same_vjp)


def view(self: Tensor, *size: Any, dtype: Dtype | None = None) -> Any:
    """The same elements in another shape, sharing storage; RuntimeError where strides do not allow it (torch.Tensor.view).

    Or the same bytes read as another dtype.
    """
    if dtype is not None or (len(size) == 1 and isinstance(size[0], Dtype | type)):
        if dtype is not None and size:
            return NotImplemented
        return retyped(self, as_dtype(dtype or size[0]))
    array = self.storage()
    out = view_op.make_view(self, {"shape": infer(sizes(size), array.size)})
    if not (array.flags.c_contiguous or _overlap(array, out._data)) and array.size:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        )
    return out


def retyped(self: Tensor, wanted: Dtype) -> Tensor:
    """The same memory read as another dtype; no gradient goes that way."""
    array, size = self.storage(), wanted.np.itemsize
    if size != array.itemsize:
        change = f"to view {self.dtype.type_name} as {wanted.type_name} (different element sizes)"
        if not array.ndim:
            raise RuntimeError(f"self.dim() cannot be 0 {change}")
        if array.strides[-1] != array.itemsize:
            raise RuntimeError(f"self.stride(-1) must be 1 {change}, but got {array.strides[-1] // array.itemsize}")
        if array.shape[-1] * array.itemsize % size:
            ratio = size // array.itemsize
            raise RuntimeError(f"self.size(-1) must be divisible by {ratio} {change}, but got {array.shape[-1]}")
    return from_array(array.view(wanted.np), NO_EDGE, self.counter())


def reshape(self: Tensor, *shape: Any) -> Tensor:
    """The same elements in another shape; shares storage where strides allow, else copies (torch.reshape)."""
    return reshaped(self, infer(sizes(shape), self._data.size))


def reshaped(self: Tensor, shape: tuple[int, ...]) -> Tensor:
    """reshape to sizes that are known to fit."""
    array = self.storage()
    if array.flags.c_contiguous or not array.size:
        return view_op.make_view(self, {"shape": shape})
    if _overlap(array, array.reshape(shape)):
        return reshape_op(self, shape=shape)
    return copy_op(clone_op(self, order="C"), shape=shape)


def _overlap(array: Any, reshaped: Any) -> bool:
    return array_module(array).may_share_memory(array, reshaped)  # a copy lies elsewhere


def sizes(shape: tuple[Any, ...]) -> tuple[int, ...]:
    """view(2, 3) and view((2, 3)) mean the same."""
    if not shape:
        raise TypeError('missing 1 required positional arguments: "shape"')
    if len(shape) == 1 and (type(shape[0]) is tuple or not is_int(shape[0])):
        return tuple(map(operator.index, shape[0]))
    return tuple(map(operator.index, shape))


def infer(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """`shape` with its -1 worked out; RuntimeError, in torch's words, where the elements do not fit."""
    product = math.prod(shape)
    if shape and min(shape) < -1:
        place = next(i for i, n in enumerate(shape) if n < -1)
        raise RuntimeError(f"invalid shape dimension {shape[place]} at index {place} of shape {list(shape)}")
    if -1 not in shape:
        if product == size:
            return shape
    elif shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    elif not product and not size:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size -1 can be any "
            "value and is ambiguous"
        )
    elif product and size % -product == 0:
        return tuple([size // -product if n == -1 else n for n in shape])
    raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {size}")


def permute(self: Tensor, *dims: Any) -> Tensor:
    """The dimensions in another order; a view (torch.permute)."""
    wanted = sizes(dims)
    if len(wanted) != self._data.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {self._data.ndim} is not equal to len(dims) = {len(wanted)}"
        )
    wanted = tuple([one_dim(d, self._data.ndim) for d in wanted])
    if len(set(wanted)) != len(wanted):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return permute_op.make_view(self, {"dims": wanted})


def transpose(self: Tensor, dim0: Int, dim1: Int) -> Tensor:
    """Two dimensions swapped; a view (torch.transpose)."""
    ndim = self._data.ndim
    return transpose_op.make_view(self, {"dim0": one_dim(dim0, ndim), "dim1": one_dim(dim1, ndim)})


def t(self: Tensor) -> Tensor:
    """A matrix transposed; vectors and numbers as they are (torch.t)."""
    if self._data.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self._data.ndim}D")
    return t_op.make_view(self, {"dim0": 0, "dim1": 1 if self._data.ndim == 2 else 0})


def expand(self: Tensor, *size: Any) -> Tensor:
    """Dimensions of size 1 expanded without copying; -1 keeps a size (torch.Tensor.expand)."""
    wanted, have = sizes(size), self._data.shape
    offset = len(wanted) - len(have)
    full = wanted
    if -1 in wanted and offset >= 0:
        full = wanted[:offset] + tuple([m if n == -1 else n for n, m in zip(wanted[offset:], have, strict=True)])
    misfit = offset < 0 or (full and min(full) < 0)
    if misfit or (have and any(m not in (1, n) for n, m in zip(full[offset:], have, strict=True))):
        raise RuntimeError(not_expanded(self, wanted, full))
    return expand_op.make_view(self, {"shape": full})


def not_expanded(self: Tensor, wanted: tuple[int, ...], full: tuple[int, ...]) -> str:
    """torch's words for sizes that a tensor cannot be stretched to; full: `wanted` with each -1 filled in."""
    have = self._data.shape
    offset = len(wanted) - len(have)
    if offset < 0:
        kind = self.type().replace("torch.BoolTensor", "CPUBoolType")
        return (
            f"expand({kind}{{{list(have)}}}, size={list(wanted)}): the number of sizes provided ({len(wanted)}) "
            f"must be greater or equal to the number of dimensions in the tensor ({len(have)})"
        )
    for i, n in enumerate(wanted[:offset]):
        if n < 0:
            if not have or n < -1:
                return "numel: integer multiplication overflow"
            return f"The expanded size of the tensor ({n}) isn't allowed in a leading, non-existing dimension {i}"
    misfits = [(i, n) for i, n in enumerate(have) if n not in (1, full[i + offset])]
    if not misfits:
        return "numel: integer multiplication overflow"
    i, n = misfits[-1]
    return (
        f"The expanded size of the tensor ({full[i + offset]}) must match the existing size ({n}) at non-singleton "
        f"dimension {i + offset}.  Target sizes: {list(wanted)}.  Tensor sizes: {list(have)}"
    )


def unsqueeze(self: Tensor, dim: int) -> Tensor:
    """A new dimension of size 1 at `dim` (torch.unsqueeze)."""
    return unsqueeze_op.make_view(self, {"dim": one_dim(dim, self._data.ndim + 1)})


def squeeze(self: Tensor, dim: Ints = EVERY) -> Tensor:
    """Without its dimensions of size 1, or without `dim` if that has size 1 (torch.squeeze)."""
    if dim is EVERY:
        return squeeze_all_op(self)
    if isinstance(dim, Sequence):
        return squeeze_dims_op(self, dim=dims(dim, self._data.ndim) or ())
    return squeeze_dim_op(self, dim=one_dim(dim, self._data.ndim))


def unbind(self: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The tensors along one dimension, as views (torch.unbind)."""
    dim = real_dim(one_dim(dim, self._data.ndim), self._data.ndim)
    return unbind_op(self._data.shape[dim])(self, dim=dim)


@functools.cache
def unbind_op(parts: int) -> Op:
    """unbind into so many tensors."""
    return Op("UnbindBackward0", _unbind, outputs=parts, view=True, self=unbind_vjp)


def _unbind(x: Any, dim: int) -> Any:
    return tuple([x[(slice(None),) * dim + (i, ...)] for i in range(x.shape[dim])])


def clone(self: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy with the same order in memory, still part of the graph (torch.clone). memory_format:
    contiguous_format for the order of the indices."""
    return clone_op(self, order="C" if memory_format is contiguous_format else memory_order(self.storage()))


def contiguous(self: Tensor, *, memory_format: Any = None) -> Tensor:
    """The tensor itself if its elements lie in memory in the order of the indices, else a copy (torch.Tensor.contiguous)."""
    return self if self.storage().flags.c_contiguous else clone_op(self, order="C")


def cast(self: Tensor, dtype: Any) -> Tensor:
    """The tensor with another NumPy dtype; itself if it has that already. Of what are no floats there is no gradient."""
    if self._data.dtype == dtype:
        return self
    wanted = numpy.dtype(dtype)
    return cast_op(self, dtype=wanted) if wanted.kind == "f" else from_array(_cast(self._data, wanted))
