"""Reductions: sum, mean, max and min. The gradient of a reduced dimension is stretched back over it."""

from __future__ import annotations

import functools
import math
from typing import Any

from .. import rules
from ..backend import array_module, in_order, mean_array, sum_array
from ..dtypes import BY_NUMPY, as_numpy
from ..return_types import return_type
from ..tensor import Tensor, from_array
from .arguments import Bool, Dtype, Int, IntOrTensor, Ints, as_int, is_int
from .define import Op
from .validate import flag


def sum_vjp(grad: Any, self_shape: tuple[int, ...], dim: tuple[int, ...] | None, keepdim: bool) -> Any:
    """z = self.sum(dim): every summed element moves z one for one, so each gets the gradient of its sum.

    grad: of the reduced shape. dim: the summed dimensions, counted from the front; None for all. keepdim: whether they
    stayed, with size 1. Returns a view of grad, no copy. torch: SumBackward0 (no dim given), SumBackward1.
    Example: grad = [10., 20.], self_shape = (2, 3), dim = (1,), keepdim = False → [[10., 10., 10.], [20., 20., 20.]]
    """
    if dim is not None and not keepdim:
        for d in sorted(dim):
            grad = rules.unsqueeze(grad, d)
    return rules.expand(grad, self_shape)


def mean_vjp(grad: Any, self_shape: tuple[int, ...], dim: tuple[int, ...] | None, keepdim: bool) -> Any:
    """z = self.mean(dim): the sum's gradient over the number of elements averaged.

    Example: grad = [6.], self_shape = (3,), dim = (0,), keepdim = True → [2., 2., 2.]. torch: MeanBackward0 / 1.
    """
    averaged = math.prod(self_shape if dim is None else [self_shape[d] for d in dim])
    return sum_vjp(grad, self_shape, dim, keepdim) / averaged


def extremum_all_vjp(grad: Any, self: Any, result: Any) -> Any:
    """z = self.max() or self.min(): the elements that reach it share the gradient evenly."""
    reached = (self == result) | ((self != self) & (result != result))
    return rules.masked_fill(rules.zeros(grad, self.shape), reached, grad / int(rules.raw(reached).sum()))


def extremum_dim_vjp(grads: Any, self_shape: tuple[int, ...], indices: Any, dim: int, keepdim: bool) -> Any:
    """values, indices = self.max(dim): the gradient goes to the element that was picked, the first of a tie."""
    grad = grads[0]
    if not self_shape:
        return grad
    if not keepdim:
        grad, indices = rules.unsqueeze(grad, dim), rules.unsqueeze(indices, dim)
    return rules.put_along(rules.zeros(grad, self_shape), dim, indices, grad)


def _sum(x: Any, dim: Any, keepdim: bool) -> Any:
    return in_order(sum_array(x, dim, keepdim))


def _mean(x: Any, dim: Any, keepdim: bool) -> Any:
    return in_order(mean_array(x, dim, keepdim))


def _extremum_dim(pick: str, best: str) -> Any:
    def forward(x: Any, dim: int, keepdim: bool) -> tuple[Any, Any]:
        axis = dim if x.ndim else None  # a number has a dimension 0 for torch and for NumPy, not for CuPy
        values = in_order(getattr(x, best)(axis=axis, keepdims=keepdim))
        return values, array_module(x).asarray(getattr(x, pick)(axis=axis, keepdims=keepdim))

    return forward


sum_all = Op("SumBackward0", sum_array, self=sum_vjp)
sum_dim = Op("SumBackward1", _sum, self=sum_vjp)
mean_all = Op("MeanBackward0", mean_array, self=mean_vjp)
mean_dim = Op("MeanBackward1", _mean, self=mean_vjp)
max_all = Op("MaxBackward1", lambda x: x.max(), self=extremum_all_vjp)
min_all = Op("MinBackward1", lambda x: x.min(), self=extremum_all_vjp)
max_dim = Op("MaxBackward0", _extremum_dim("argmax", "max"), outputs=("values", "indices"), self=extremum_dim_vjp)
min_dim = Op("MinBackward0", _extremum_dim("argmin", "min"), outputs=("values", "indices"), self=extremum_dim_vjp)


def dims(dim: Any, ndim: int) -> tuple[int, ...] | None:
    """`dim` as torch accepts it, an int or a sequence, as a tuple of non-negative ints; None for all.

    IndexError for one out of range, RuntimeError for one that appears twice.
    """
    if dim is None:
        return None
    given = dim if isinstance(dim, list | tuple) else (dim,)
    if not given:
        return None
    wanted: list[int] = []
    for d in given:
        d = one_dim(d, ndim)
        if d in wanted:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
        wanted.append(d)
    return tuple(wanted) if ndim else None


def one_dim(dim: int, ndim: int) -> int:
    """One dimension number, counted from the front; IndexError in torch's words when out of range."""
    if type(dim) is int and -ndim <= dim < ndim:
        return dim % ndim
    dim = as_int(dim)
    low, high = -(ndim or 1), (ndim or 1) - 1
    if not low <= dim <= high:
        raise IndexError(f"Dimension out of range (expected to be in range of [{low}, {high}], but got {dim})")
    return dim % ndim if ndim else 0


def real_dim(dim: int, ndim: int) -> int:
    """As one_dim, where torch does not let a 0-d tensor pass for one of a single element."""
    if not ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return one_dim(dim, ndim)


class Converting(Op):
    """An operation on its input in another dtype: one operation all the same, and the walk brings its gradient back."""

    def __init__(self, op: Op, dtype: Any) -> None:
        vars(self).update(vars(op))
        self.dtype, self.stretches = dtype, True
        self.forward = lambda x, **attributes: in_dtype(op.forward(x.astype(dtype), **attributes), dtype)

    def record(self, inputs: tuple[Tensor, ...], edges: tuple[Any, ...], data: Any, attributes: dict[str, Any]) -> Any:
        """As any operation; RuntimeError, in torch's words, for whole numbers, from which no gradient comes back."""
        if self.dtype.kind != "f":
            raise RuntimeError(f"Autograd not support dtype: {BY_NUMPY[self.dtype].type_name}")
        return super().record(inputs, edges, data, attributes)


converting = functools.cache(Converting)


def in_dtype(found: Any, dtype: Any) -> Any:
    """A result in the dtype asked for; NumPy multiplies and adds small integers up in larger ones."""
    return found if found.dtype is dtype else found.astype(dtype)


EVERY: Any = object()  # no dim was named; dim=None means all of them as well, and torch records it differently


def sum(self: Tensor, dim: Ints | None = EVERY, keepdim: Bool = False, *, dtype: Dtype | None = None) -> Tensor:
    """The sum over `dim` (an int, several, or None for all); integers add up in int64 (torch.sum)."""
    if dim is EVERY and keepdim:  # of which dimension is not said
        return NotImplemented
    if dtype is not None:
        if dim is EVERY:
            return converting(sum_all, as_numpy(dtype))(self, dim=None, keepdim=False)
        return converting(sum_dim, as_numpy(dtype))(self, dim=dims(dim, self._data.ndim), keepdim=flag(keepdim))
    if self._data.dtype.kind != "f":
        self = self.to_numpy_dtype("int64")
    if dim is EVERY:
        return sum_all.on(self, {"dim": None, "keepdim": False})
    return sum_dim.on(self, {"dim": dims(dim, self._data.ndim), "keepdim": flag(keepdim)})


def mean(self: Tensor, dim: Ints | None = EVERY, keepdim: Bool = False, *, dtype: Dtype | None = None) -> Tensor:
    """The mean over `dim`; RuntimeError for integers (torch.mean)."""
    every, along = mean_all, mean_dim
    if dtype is not None:
        every, along = converting(mean_all, as_numpy(dtype)), converting(mean_dim, as_numpy(dtype))
    if (as_numpy(dtype) or self._data.dtype).kind != "f":
        raise RuntimeError(
            f"mean(): could not infer output dtype. {'Input' if dtype is None else 'Optional'} dtype must be either a floating "
            "point or complex dtype. "
            f"Got: {BY_NUMPY[as_numpy(dtype) or self._data.dtype].type_name}"
        )
    if dim is EVERY:
        if keepdim:  # of which dimension is not said
            return NotImplemented
        return every(self, dim=None, keepdim=False)
    return along(self, dim=dims(dim, self._data.ndim), keepdim=flag(keepdim))


def _extremum(every: Op, along: Op, pairwise: str, kind: str, doc: str) -> Any:
    def call(self: Tensor, dim: IntOrTensor = EVERY, keepdim: Bool = False, *, other: Tensor | None = None) -> Any:
        if keepdim and dim is EVERY:
            return NotImplemented
        if other is not None or isinstance(dim, Tensor):
            return getattr(self, pairwise)(dim if other is None else other)
        if dim is EVERY:
            if self._data.size == 0:
                raise no_extreme(kind)
            return every(self)
        return RETURN_TYPES[kind](along(self, dim=reducible_dim(self, dim, kind), keepdim=flag(keepdim)))

    @functools.wraps(call)
    def told_apart(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        """A tensor alone is the other operand; where it is called dim, or keepdim beside it, it says which dimension."""
        beside = len(args) == 2 or (args and "keepdim" in kwargs)
        dim = kwargs["dim"] if "dim" in kwargs else args[0] if beside else None
        if not isinstance(dim, Tensor):
            return call(self, *args, **kwargs)
        if not is_int(dim):
            return NotImplemented
        if "dim" in kwargs:
            kwargs["dim"] = as_int(dim)
        else:
            args = (as_int(dim), *args[1:])
        return call(self, *args, **kwargs)

    told_apart.__name__ = told_apart.__qualname__ = kind
    told_apart.__doc__ = f"{doc} (torch.{kind})."
    return told_apart


def no_extreme(name: str) -> RuntimeError:
    """The error for the extreme one of no elements."""
    return RuntimeError(
        f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' "
        "argument."
    )


def reducible_dim(input: Tensor, dim: int, name: str) -> int:
    """`dim` counted from the front; IndexError where it has no elements to choose from."""
    dim = one_dim(dim, input._data.ndim)
    if input._data.ndim and not input._data.shape[dim]:
        raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")
    return dim


PAIRS = ("max", "min", "sort", "topk", "median", "nanmedian", "mode", "cummax", "cummin", "kthvalue")
RETURN_TYPES = {name: return_type(name, ("values", "indices")) for name in PAIRS}
RETURN_TYPES["aminmax"] = return_type("aminmax", ("min", "max"))
LARGEST = "The largest element; with dim the largest along it and their indices; with another tensor the larger of two"
SMALLEST = (
    "The smallest element; with dim the smallest along it and their indices; with another tensor the smaller of two"
)
max = _extremum(max_all, max_dim, "maximum", "max", LARGEST)
min = _extremum(min_all, min_dim, "minimum", "min", SMALLEST)


def _place(pick: str, words: str) -> Any:
    def call(self: Tensor, dim: Int | None = None, keepdim: Bool = False) -> Tensor:
        data, name = self._data, pick
        if data.dtype.kind == "b":
            raise RuntimeError(f"{name}(): does not support bool input")
        if dim is None and not data.size:
            raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
        axis = None if dim is None or not data.ndim else reducible_dim(self, dim, name)
        if dim is not None:
            one_dim(dim, data.ndim)
        module = array_module(data)
        return from_array(module.asarray(getattr(module, name)(data, axis=axis, keepdims=flag(keepdim))))

    call.__name__ = call.__qualname__ = pick
    call.__doc__ = f"The index of the {words} element, along `dim` or in the flattened tensor; the first of a tie."
    return call


argmax, argmin = _place("argmax", "largest"), _place("argmin", "smallest")
