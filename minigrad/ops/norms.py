"""Norms of tensors, over some dimensions or all.

The helpers that broadcast a reduced gradient back are in statistics.py.
"""

from __future__ import annotations

import math
from typing import Any

from .. import rules
from ..backend import array_module, in_single, ordered, sum_array
from ..dtypes import BY_NUMPY, as_numpy
from ..tensor import Tensor
from .arguments import Bool, Dtype, Ints, Number, parsed
from .define import Op
from .reduce import dims
from .statistics import Dims, count, restored, where_zero
from .validate import flag


def vector_norm_vjp(grad: Any, self: Any, result: Any, ord: float, dim: Dims, keepdim: bool) -> Any:
    """z = (Σ |self|^ord)^(1/ord): the direction of self for ord 2; the signs for ord 1; the largest share it for ∞."""
    grad, norm = restored(grad, dim, keepdim), restored(result, dim, keepdim)
    if ord == 0:
        return None
    if ord == 1:
        return grad * rules.sign(self)
    if ord == 2:
        return grad * where_zero(norm == 0, self / norm)
    size = rules.abs(self)
    if math.isinf(ord):
        largest = (size == norm) | ((self != self) & (norm != norm))
        ties = rules.raw(largest).sum(axis=dim, keepdims=True).astype(rules.raw_dtype(grad))
        return rules.sign(self) * (grad / ties * largest)
    if ord > 2:
        slope = self * size ** (ord - 2)  # whose own slope at 0 torch has as nan below 3
    else:
        slope = where_zero(self == 0, rules.sign(self) * size ** (ord - 1))
    return slope * (grad * norm ** (1 - ord) if ord < 1 else where_zero(norm == 0, grad / norm ** (ord - 1)))


def vector_norm_array(x: Any, ord: float, dim: Dims, keepdim: bool) -> Any:
    """(Σ |x|^ord)^(1 / ord) over dim."""
    size = abs(x)
    if ord and count(x.shape, dim) == 1:
        return sum_array(size, dim, keepdim)  # of one number itself, which no power can overflow
    if ord == 2:
        return array_module(x).sqrt(sum_array(x * x, dim, keepdim))
    if math.isinf(ord):
        return size.max(axis=dim, keepdims=keepdim) if ord > 0 else size.min(axis=dim, keepdims=keepdim)
    if ord == 0:
        return (x != 0).sum(axis=dim, keepdims=keepdim).astype(x.dtype)
    return sum_array(size, dim, keepdim) if ord == 1 else sum_array(size**ord, dim, keepdim) ** (1 / ord)


@ordered
def _norm(x: Any, ord: float, dim: Dims, keepdim: bool, dtype: Any) -> Any:
    """dtype: which x is converted to first, if to another."""
    return in_single(vector_norm_array)(x if dtype is None else x.astype(dtype), ord, dim, keepdim)


vector_norm_op = Op("LinalgVectorNormBackward0", _norm, stretches=True, self=vector_norm_vjp)


@parsed("linalg_vector_norm", "x", "ord", "dim", "keepdim")
def vector_norm(
    x: Tensor, ord: Number = 2, dim: Ints | None = None, keepdim: Bool = False, *, dtype: Dtype | None = None
) -> Tensor:
    """(Σ |x|^ord)^(1/ord) over dim; the largest |x| for inf (torch.linalg.vector_norm)."""
    if x._data.dtype.kind != "f":
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {x.dtype.type_name}"
        )
    axes = dims(dim, x._data.ndim)
    refuse_nothing(x, ord, axes, dim)
    wide = None
    if dtype is not None:
        wide = BY_NUMPY[as_numpy(dtype)]
        if not wide.is_floating_point:
            raise RuntimeError(
                f"linalg.vector_norm: dtype should be floating point or complex, but got {wide.type_name}"
            )
        if wide.np.itemsize < x._data.dtype.itemsize:
            raise RuntimeError(
                f"linalg.vector_norm: the dtype of the input ({x.dtype.type_name}) should be convertible without narrowing to the "
                f"specified dtype ({wide.type_name})"
            )
    order = ord if type(ord) is int else float(ord)
    return vector_norm_op(x, ord=order, dim=axes, keepdim=flag(keepdim), dtype=wide and wide.np)


def refuse_nothing(x: Tensor, ord: float, axes: Dims, named: Any) -> None:
    """RuntimeError for a norm that would be the size of one of no elements. named: the dimensions as they were given."""
    if not x._data.size and (ord < 0 or math.isinf(ord)) and not count(x._data.shape, axes):
        if axes is None:
            raise no_norm_of_nothing(ord)
        each = named if isinstance(named, list | tuple) else [named]
        empty = next(d for d in each if not x._data.shape[d])
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {ord:g} norm on the dimension {empty}because this dimension is empty and "
            "the operation does not have an identity"
        )


def no_norm_of_nothing(ord: float) -> RuntimeError:
    """The error for a norm of an empty tensor that would be the size of one of its elements."""
    return RuntimeError(
        f"linalg.vector_norm cannot compute the {ord:g} norm on an empty tensor because the operation does not have an "
        "identity"
    )


def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: Any = False, dtype: Any = None) -> Tensor:
    """The p-norm over dim, "fro" being 2 (torch.norm)."""
    if isinstance(p, str):
        if p not in ("fro", "nuc"):
            raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
        over = input._data.ndim if dim is None else len(dim) if isinstance(dim, list | tuple) else 1
        if over != 2 if p == "nuc" else dim is not None and over > 2:
            raise RuntimeError("linalg.matrix_norm: dim must be a 2-tuple.")
        if p == "nuc":
            raise NotImplementedError("minigrad has no nuclear norm")
    return vector_norm(input, 2 if p is None or isinstance(p, str) else p, dim, keepdim, dtype=dtype)
