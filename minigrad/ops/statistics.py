"""Reductions beyond sum, mean, max and min: variance, logsumexp, amax, any and all.

A rule first stretches the reduced gradient back over the dimensions that went (`restored`).
"""

from __future__ import annotations

import math
from typing import Any

from .. import rules
from ..backend import (
    anywhere,
    array_module,
    in_order,
    in_single,
    largest,
    mean_array,
    numpy,
    ordered,
    sum_array,
)
from ..dtypes import as_numpy, get_default_dtype
from ..errors import warn
from ..tensor import Tensor, from_array
from .arguments import Bool, Dtype, Int, Ints, IntsOrBool, Number
from .define import Op
from .reduce import EVERY, RETURN_TYPES, converting, dims, no_extreme, one_dim
from .validate import flag

Dims = tuple[int, ...] | None
ROUNDED = 8  # so many last digits of the mean may be what rounding left
EPS = {2: 2.0**-10, 4: 2.0**-23, 8: 2.0**-52}  # the last digit of 1, by the size of a number

# ------------------------------------------------------------------ helpers of the rules


def restored(x: Any, dim: Dims, keepdim: bool) -> Any:
    """A reduced array with the dimensions that were reduced, of size 1; reduced over all (None) it broadcasts as it is."""
    if dim is None or keepdim:
        return x
    for d in sorted(dim):
        x = rules.unsqueeze(x, d)
    return x


def count(shape: tuple[int, ...], dim: Dims) -> int:
    """How many elements are reduced to one."""
    return math.prod(shape if dim is None else [shape[d] for d in dim])


def where_zero(condition: Any, x: Any) -> Any:
    """x with zeros where the condition holds."""
    return rules.where(condition, rules.zeros(x, ()), x)


def given(correction: float | Tensor | None) -> float:
    """What is taken off the number of elements: 1 unless told otherwise. It may be a number of NumPy's, which would wrap."""
    number: Any = 1 if correction is None else correction
    return number.item() if hasattr(number, "item") else number


# ------------------------------------------------------------------ rules


def var_vjp(grad: Any, self: Any, dim: Dims, correction: float | None, keepdim: bool) -> Any:
    """z = Σ (self - mean)² / (n - correction): 2 (self - mean) / (n - correction).

    Over all, and with n ≤ correction: inf, and nan at the mean itself. Along dim the formula holds even then, as in torch.
    """
    n = count(self.shape, dim)
    grad, freedom = restored(grad, dim, keepdim), n - given(correction)
    mean = rules.sum(self, dim, True) / n if n else rules.zeros(self, ())
    if dim is None and freedom <= 0:
        return grad * rules.where(rules.raw(self) == rules.raw(mean), grad * 0 + math.nan, math.inf)
    centred = self - mean
    return grad * (2 / freedom if freedom else math.inf) * centred


def std_vjp(grad: Any, self: Any, result: Any, dim: Dims, correction: float | None, keepdim: bool) -> Any:
    """z = √variance: the variance's gradient over 2 z, and 0 where z is 0."""
    return var_vjp(where_zero(result == 0, grad / (result * 2)), self, dim, correction, keepdim)


def mean_part(grad: Any, shape: tuple[int, ...], dim: Dims, keepdim: bool) -> Any:
    """The gradient that a mean sends back."""
    return rules.expand(restored(grad, dim, keepdim) / count(shape, dim), shape)


def var_mean_vjp(grads: Any, self: Any, dim: Dims, correction: float | None, keepdim: bool) -> Any:
    """var and mean together: both gradients added."""
    parts = [] if grads[0] is None else [var_vjp(grads[0], self, dim, correction, keepdim)]
    return sum_of(parts + ([] if grads[1] is None else [mean_part(grads[1], self.shape, dim, keepdim)]))


def std_mean_vjp(grads: Any, self: Any, result0: Any, dim: Dims, correction: float | None, keepdim: bool) -> Any:
    """std and mean together: both gradients added."""
    parts = [] if grads[0] is None else [std_vjp(grads[0], self, result0, dim, correction, keepdim)]
    return sum_of(parts + ([] if grads[1] is None else [mean_part(grads[1], self.shape, dim, keepdim)]))


def sum_of(parts: list[Any]) -> Any:
    """One or two gradients added."""
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


def logsumexp_vjp(grad: Any, self: Any, result: Any, dim: Dims, keepdim: bool) -> Any:
    """z = ln Σ e^self: each element's share of the sum."""
    return restored(grad, dim, keepdim) * rules.exp(self - restored(result, dim, keepdim))


def amax_vjp(grad: Any, self: Any, result: Any, dim: Dims, keepdim: bool) -> Any:
    """z = the extreme element: those that reach it share the gradient evenly."""
    reached = rules.raw(restored(result, dim, keepdim) == self)
    ties = reached.sum(axis=dim, keepdims=True).astype(rules.raw_dtype(grad))
    return restored(grad, dim, keepdim) / ties * reached


def aminmax_vjp(grads: Any, self: Any, min: Any, max: Any, dim: Dims, keepdim: bool) -> Any:
    """amin and amax together: both gradients added."""
    found = [(g, r) for g, r in ((grads[0], min), (grads[1], max)) if g is not None]
    return sum_of([amax_vjp(g, self, r, dim, keepdim) for g, r in found])


def nansum_vjp(grad: Any, self: Any, dim: Dims, keepdim: bool) -> Any:
    """z = the sum without nan: as sum's, and 0 at nan."""
    return restored(grad, dim, keepdim) * (rules.raw(self) == rules.raw(self))


# ------------------------------------------------------------------ forwards


@in_single
def _var(x: Any, dim: Dims, correction: float | None, keepdim: bool) -> Any:
    n, correction = count(x.shape, dim), given(correction)
    mean = sum_array(x, dim, True) / n if n else x
    centred = x - mean if n else x
    total = sum_array(centred * centred, dim, keepdim)
    if n > 1:
        total = total - sum_array(centred, dim, keepdim) ** 2 / n  # what the mean is off by
        rounding = mean.reshape(total.shape) * (math.sqrt(n) * ROUNDED * EPS[x.itemsize])
        if anywhere(total <= rounding * rounding):
            centred -= sum_array(centred, dim, True) / n  # of equal numbers the mean is one of them, but for rounding
            total = sum_array(centred * centred, dim, keepdim)
    return total / total.dtype.type(max(n - correction, 0))


def _running_mean(x: Any, dim: Dims, keepdim: bool) -> Any:
    """The mean, as torch comes by it on the way to a variance: moved on by each number's distance from it, so that there is
    none behind an infinite one (Welford 1962)."""
    mean, module = mean_array(x, dim, keepdim), array_module(x)
    if module.isfinite(mean).all():
        return mean
    axes = range(x.ndim) if dim is None else dim
    rows = module.moveaxis(x, tuple(axes), tuple(range(-len(axes), 0)))
    early = module.isinf(rows.reshape(*rows.shape[: x.ndim - len(axes)], -1))[..., :-1].any(axis=-1)
    return module.where(early.reshape(mean.shape), module.nan, mean).astype(mean.dtype)


@in_single
def _std(x: Any, dim: Dims, correction: float | None, keepdim: bool) -> Any:
    return array_module(x).sqrt(_var(x, dim, correction, keepdim))


def _logsumexp(x: Any, dim: Dims, keepdim: bool) -> Any:
    module = array_module(x)
    if not x.ndim:
        return x.copy()
    top = largest(x, dim)
    top = module.where(module.isinf(top), 0, top).astype(x.dtype)
    total = module.log(sum_array(module.exp(x - top), dim, keepdim))
    return total + (top if keepdim else top.reshape(total.shape))


def _aminmax(x: Any, dim: Dims, keepdim: bool) -> Any:
    return x.min(axis=dim, keepdims=keepdim), x.max(axis=dim, keepdims=keepdim)


var_op = Op("VarBackward0", ordered(_var), self=var_vjp)
std_op = Op("StdBackward0", ordered(_std), self=std_vjp)
var_mean_op = Op(
    "VarMeanBackward0",
    ordered(lambda x, dim, correction, keepdim: (_var(x, dim, correction, keepdim), _running_mean(x, dim, keepdim))),
    outputs=2,
    self=var_mean_vjp,
)
std_mean_op = Op(
    "StdMeanBackward0",
    ordered(lambda x, dim, correction, keepdim: (_std(x, dim, correction, keepdim), _running_mean(x, dim, keepdim))),
    outputs=2,
    self=std_mean_vjp,
)
logsumexp_op = Op("LogsumexpBackward0", ordered(_logsumexp), self=logsumexp_vjp)
amax_op = Op("AmaxBackward0", ordered(lambda x, dim, keepdim: x.max(axis=dim, keepdims=keepdim)), self=amax_vjp)
amin_op = Op("AminBackward0", ordered(lambda x, dim, keepdim: x.min(axis=dim, keepdims=keepdim)), self=amax_vjp)
aminmax_op = Op("AminmaxBackward0", ordered(_aminmax), outputs=("min", "max"), self=aminmax_vjp)
nansum_op = Op(
    "NansumBackward0",
    ordered(lambda x, dim, keepdim: sum_array(rules.keep_where(x, x == x), dim, keepdim)),
    self=nansum_vjp,
)

# ------------------------------------------------------------------ what users call


def _spread(op: Op, name: str, noun: str) -> Any:
    def call(
        input: Tensor,
        dim: IntsOrBool | None = EVERY,
        unbiased: Bool | None = None,
        keepdim: Bool = False,
        *,
        correction: Number | None = None,
    ) -> Any:
        if isinstance(dim, bool):
            dim, unbiased = EVERY, bool(dim)
        flag(unbiased is None or unbiased), flag(keepdim)
        if input._data.dtype.kind != "f":
            named = name if "mean" in name else "std and var"
            raise RuntimeError(f"{named} only support floating point and complex dtypes")
        if correction is None and (unbiased is not None or dim is not EVERY):
            correction = int(unbiased is not False)
        axes = None if dim is EVERY else dims(dim, input._data.ndim)
        if min(count(input._data.shape, axes), input._data.size) <= given(correction):
            warn(
                f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel "
                "divided by output numel)."
            )
        return op(input, dim=axes, correction=correction, keepdim=keepdim)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{noun} over dim, the squares divided by n - correction (1 by default) (torch.{name})."
    return call


var = _spread(var_op, "var", "The variance")
std = _spread(std_op, "std", "The standard deviation")
var_mean = _spread(var_mean_op, "var_mean", "The variance and the mean")
std_mean = _spread(std_mean_op, "std_mean", "The standard deviation and the mean")


def logsumexp(input: Tensor, dim: Ints, keepdim: Bool = False) -> Tensor:
    """ln Σ e^input over dim, without overflow (torch.logsumexp)."""
    if dim is None or not isinstance(keepdim, bool):
        raise TypeError
    if input._data.dtype.kind != "f":
        input = input.to_numpy_dtype(get_default_dtype().np)
    axes = dims(dim, ndim := input._data.ndim)
    # Over no dimension is over all; but then torch cannot write the result.
    if axes is None and ndim and not keepdim and input._data.size:
        raise RuntimeError(f"output with shape [] doesn't match the broadcast shape {[1] * ndim}")
    return logsumexp_op(input, dim=axes, keepdim=flag(keepdim))


def _extreme(op: Op, name: str, noun: str) -> Any:
    def call(input: Tensor, dim: Ints = (), keepdim: Bool = False) -> Tensor:
        check_not_empty(input, dim, name)
        return op(input, dim=dims(dim, input._data.ndim), keepdim=flag(keepdim))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The {noun} element over dim; a tie shares the gradient (torch.{name})."
    return call


def check_not_empty(input: Tensor, dim: Any, name: str, called: str = "") -> None:
    """RuntimeError or IndexError, in torch's words, where there is no extreme element; called: how it names itself."""
    if input._data.size:
        return
    listed = () if dim is None else numpy.atleast_1d(dim).tolist()
    if not listed:
        raise no_extreme(name)
    for given in listed:  # one after the other, before they are looked at together
        if not input._data.shape[one_dim(given, input._data.ndim)]:
            raise IndexError(f"{called or f'{name}()'}: Expected reduction dim {given} to have non-zero size.")


amax, amin = _extreme(amax_op, "amax", "largest"), _extreme(amin_op, "amin", "smallest")


def aminmax(input: Tensor, *, dim: Int | None = None, keepdim: Bool = False) -> Any:
    """The smallest and the largest element, in all or along dim (torch.aminmax)."""
    axes = None if dim is None else (one_dim(dim, input._data.ndim),)
    if axes is None and not input._data.size:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
        )
    check_not_empty(input, axes, "aminmax", "aminmax")
    found = aminmax_op(input, dim=axes if input._data.ndim else None, keepdim=flag(keepdim))
    return RETURN_TYPES["aminmax"](found)


def _truth(name: str, words: str) -> Any:
    def call(input: Tensor, dim: Ints | None = None, keepdim: Bool = False) -> Tensor:
        each = isinstance(dim, list | tuple) and not dim  # no dimension: every element for itself
        axes = () if each else dims(dim, input._data.ndim)
        found = in_order(getattr(array_module(input._data), name)(input._data, axis=axes, keepdims=flag(keepdim)))
        return from_array(found.astype(input._data.dtype) if input._data.dtype == numpy.uint8 else found)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Whether {words} over dim (torch.{name})."
    return call


all = _truth("all", "all elements are true")
any = _truth("any", "one element is true")


def nansum(input: Tensor, dim: Ints | None = None, keepdim: Bool = False, *, dtype: Dtype | None = None) -> Tensor:
    """The sum without nan (torch.nansum)."""
    op = nansum_op if dtype is None else converting(nansum_op, as_numpy(dtype))
    if dtype is None and input._data.dtype.kind in "biu":
        input = input.to_numpy_dtype("int64")
    return op(input, dim=dims(dim, input._data.ndim), keepdim=flag(keepdim))


def nanmean(input: Tensor, dim: Ints | None = None, keepdim: Bool = False, *, dtype: Dtype | None = None) -> Tensor:
    """The mean without nan (torch.nanmean)."""
    if input._data.dtype.kind != "f":
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {input.dtype.type_name}"
        )
    if dtype is not None and as_numpy(dtype).kind != "f":
        raise RuntimeError("nanmean(): could not infer output dtype.")
    axes = dims(dim, input._data.ndim)
    return nansum(input, dim, keepdim, dtype=dtype) / (~input.isnan()).sum(axes if axes is not None else (), keepdim)
