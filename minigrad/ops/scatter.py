"""scatter_reduce: where an index sends several elements to one place, they are reduced to one.

Its gradient is torch's (scatter_reduce_backward in FunctionsManual.cpp): a mean is shared by all that went into it, an
extreme by those that reach it, and a product is divided by each factor, zeros apart.
"""

from __future__ import annotations

from typing import Any

from .. import rules
from ..autograd.accumulate import unbroadcast
from ..autograd.function_node import delayed_error
from ..backend import array_module, numpy, to_host
from ..tensor import Tensor
from .arguments import Bool, Int, Str
from .define import Op
from .gather import along, gather_op, of_whole_source, scatter_add_op, scatter_value_op, targets
from .pick import check_index, check_source
from .promotion import common_shape, no_kernel
from .underivable import Underivable
from .validate import flag

# reduce → (the ufunc that joins two elements, what leaves an element alone)
REDUCTIONS: dict[str, tuple[str, float]] = {
    "sum": ("add", 0), "mean": ("add", 0), "add": ("add", 0), "prod": ("multiply", 1), "multiply": ("multiply", 1),
    "amax": ("maximum", -numpy.inf), "max": ("maximum", -numpy.inf), "amin": ("minimum", numpy.inf),
    "min": ("minimum", numpy.inf),
}  # fmt: skip


TWO_ZEROS = (
    "scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are scattered to the same position "
    "in self"
)


def identity(reduce: str, dtype: Any) -> Any:
    """What leaves an element of a dtype alone."""
    neutral = REDUCTIONS[reduce][1]
    if not numpy.isfinite(neutral) and dtype.kind != "f":
        limits = (False, True) if dtype.kind == "b" else (numpy.iinfo(dtype).min, numpy.iinfo(dtype).max)
        return limits[neutral > 0]
    return neutral


def _scatter_reduce(x: Any, src: Any, dim: int, index: Any, reduce: str, include_self: bool) -> Any:
    if not index.size:  # of any shape, and so is the source
        return x.copy()
    out, places, src = targets(x, src, dim, index)
    if not include_self:
        out[places] = identity(reduce, out.dtype)
    join_at(out, places.reshape(-1), src.reshape(-1), REDUCTIONS[reduce][0])
    if reduce == "mean":
        counts = number_of(x, dim, index, include_self).reshape(-1)
        out = out // counts if out.dtype.kind in "iu" else out / counts
    return out.reshape(x.shape)


def join_at(out: Any, places: Any, src: Any, ufunc: str) -> None:
    """Each element of src joined by the ufunc to the one at its place of out. On a GPU that is done for sums alone: CuPy has
    no products, and of extremes it rounds double precision to single and loses nan; these go by way of the host."""
    if ufunc != "add" and array_module(out) is not numpy:
        host = to_host(out)
        getattr(numpy, ufunc).at(host, to_host(places), to_host(src))
        out[...] = array_module(out).asarray(host)
    else:
        getattr(array_module(out), ufunc).at(out, places, src)


def number_of(like: Any, dim: int, index: Any, include_self: bool) -> Any:
    """How many elements are reduced to the one at each place; at least 1."""
    shape = like.shape or (1,)
    index = index.reshape(index.shape or (1,))
    counts = array_module(like).full(shape, int(include_self), like.dtype)
    array_module(like).add.at(counts.reshape(-1), along(shape, dim, index).reshape(-1), 1)
    counts[counts == 0] = 1
    return counts.reshape(like.shape)


def picked(x: Any, dim: int, index: Any) -> Any:
    """The elements of x that index points at."""
    return gather_op.of(x, dim=dim, index=index, sparse_grad=False)


def without_ones(grad: Any, dim: int, index: Any, include_self: bool) -> Any:
    """The gradient of self: none where it was not among what is reduced."""
    return grad if include_self else scatter_value_op.of(grad, value=0, dim=dim, index=index)


def shared_extreme(grad: Any, self: Any, src: Any, result: Any, dim: int, index: Any) -> Any:
    """An extreme's gradient over the number of those that reach it."""
    reach = (rules.raw(src) == rules.raw(picked(result, dim, index))).astype(rules.raw_dtype(grad))
    own = (rules.raw(self) == rules.raw(result)).astype(rules.raw_dtype(grad))
    return grad / scatter_add_op.of(own, reach, dim=dim, index=rules.raw(index))


def scatter_reduce_vjp_self(
    grad: Any, self: Any, src: Any, result: Any, dim: int, index: Any, reduce: str, include_self: bool
) -> Any:
    """z = self with the elements of src reduced into it: what is left for self."""
    if reduce in ("max", "min"):  # which the forward pass takes
        raise RuntimeError(f"Expected 'reduce' to be one of 'sum', 'prod', 'mean', 'amax', 'amin' but got {reduce}.")
    if reduce in ("prod", "amax", "amin"):
        common_shape([tuple(src.shape), index.shape])  # torch compares all of the source with what went in
    if reduce == "prod":
        ones = rules.where(self == 0, rules.zeros(self, self.shape) + 1, self)
        attributes = {"dim": dim, "index": index, "reduce": reduce, "include_self": include_self}
        grad = grad * scatter_reduce_op.of(ones, src, **attributes) / ones
    elif reduce == "mean":
        grad = grad / number_of(rules.raw(self), dim, rules.raw(index), include_self)
    elif reduce != "sum":
        grad = shared_extreme(grad, self, src, result, dim, index) * (rules.raw(self) == rules.raw(result))
    return without_ones(grad, dim, index, include_self)


def scatter_reduce_vjp_src(
    grad: Any, self: Any, src: Any, result: Any, dim: int, index: Any, reduce: str, include_self: bool
) -> Any:
    """z = self with the elements of src reduced into it: each element's share."""
    if reduce == "mean":
        grad = grad / number_of(rules.raw(self), dim, rules.raw(index), include_self)
    if reduce in ("sum", "mean"):
        return of_whole_source(picked(grad, dim, index), src.shape, "ScatterReduceBackward0")
    common_shape([tuple(src.shape), index.shape])
    if reduce != "prod":
        reach = rules.raw(src) == rules.raw(picked(result, dim, index))
        share = picked(shared_extreme(grad, self, src, result, dim, index), dim, index) * reach
        return share if src.shape else unbroadcast(share, ())
    zero = rules.raw(src) == 0
    plain_index = rules.raw(index)
    none = rules.zeros(rules.raw(self), rules.raw(self).shape)
    zeros = picked(scatter_add_op.of(none, zero.astype(none.dtype), dim=dim, index=plain_index), dim, plain_index)
    alone = zero & (zeros == 1)
    one = rules.zeros(src, src.shape) + 1
    attributes = {"dim": dim, "index": index, "reduce": reduce, "include_self": include_self}
    others = scatter_reduce_op.of(self, rules.where(alone, one, src), **attributes)
    rest = picked(grad * result, dim, index) / rules.where(zero, one, src)
    share = rules.where(alone, picked(grad * others, dim, index), rest)
    if rules.is_tensor(share) and (zeros > 1).any():
        (share,) = delayed_error(TWO_ZEROS, [share])
    return share if src.shape else unbroadcast(share, ())


scatter_reduce_op = Op(
    "ScatterReduceBackward0",
    _scatter_reduce,
    tensors=("index",),
    self=scatter_reduce_vjp_self,
    src=scatter_reduce_vjp_src,
)
SCATTER_WITH = {
    name: Underivable(name, _scatter_reduce, "self", "src", tensors=("index",)) for name in ("scatter", "scatter_")
}


def scatter_reduce(
    input: Tensor, dim: Int, index: Tensor, src: Tensor, reduce: Str, *, include_self: Bool = True
) -> Tensor:
    """A copy of input where the elements of src that index sends to one place are reduced to one (torch.scatter_reduce).

    reduce: "sum", "prod", "mean", "amax", "amin". include_self: with the element that was there among them.
    """
    if reduce not in REDUCTIONS or reduce in ("add", "multiply"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    dim = check_index(input, dim, index, "scatter", src)
    check_source(input, dim, index, src)
    if reduce == "mean":
        no_kernel("scatter_gather_tensor_cpu_reduce_mean", input)
    return scatter_reduce_op(input, src, dim=dim, index=index, reduce=reduce, include_self=flag(include_self))
