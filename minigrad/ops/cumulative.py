"""Running sums, products and extrema along a dimension; the product, whose rule needs them; differences, which undo sums."""

from __future__ import annotations

from typing import Any

from .. import rules
from ..backend import array_module, in_order, ndarray, numpy, sum_array
from ..dtypes import as_dtype, as_numpy
from ..ranges import zeros_like
from ..tensor import Tensor
from .arguments import Bool, Dtype, Int, as_int
from .define import Op
from .gather import scatter_add_op
from .join import cat
from .promotion import no_kernel
from .reduce import EVERY, RETURN_TYPES, converting, one_dim
from .validate import flag
from .views import narrow

# ------------------------------------------------------------------ rules


def backwards(x: Any, dim: int) -> Any:
    """x back to front along dim: a view of an array, a recorded flip of a Tensor."""
    return x.flip(dim) if rules.is_tensor(x) else array_module(x).flip(x, dim)


def sum_from_end(x: Any, dim: int) -> Any:
    """The sum of each element and all that follow."""
    return rules.in_order(backwards(cumsum_op.of(backwards(x, dim), dim=dim), dim))


def cumsum_vjp(grad: Any, dim: int) -> Any:
    """z_i = Σ_{k≤i} self_k: element k is in all sums from k on.

    Example: grad = [1., 1., 1.], dim = 0 → [3., 2., 1.]
    """
    return sum_from_end(grad, dim) if grad.shape else grad


def cumprod_vjp(grad: Any, self: Any, result: Any, dim: int) -> Any:
    """z_i = Π_{k≤i} self_k: Σ_{i≥k} grad_i · z_i / self_k, or, where an element is 0, the products without element k."""
    if not self.shape or self.shape[dim] == 1:
        return grad
    if (rules.raw(self) != 0).all():
        return sum_from_end(result * grad, dim) / self
    if not rules.is_tensor(grad) and not rules.is_tensor(self):
        return past_first_zero(grad, self, result, dim)
    columns = [without_one(grad, self, dim, k) for k in range(self.shape[dim])]
    return rules.stack(columns, dim)


def past_first_zero(grad: Any, self: Any, result: Any, dim: int) -> Any:
    """cumprod_vjp where elements are 0: as ever ahead of the first 0 in a row; for that one the products without it, up
    to the second; nothing behind it, as all products there contain it."""
    module = array_module(self)
    zeros = (self == 0).cumsum(axis=dim)
    first = (self == 0) & (zeros == 1)
    since = module.where((zeros == 1) & ~first, self, 1).cumprod(axis=dim)
    ahead = module.where(zeros == 0, self, 1)
    of_first = sum_array(rules.keep_where(grad, zeros == 1) * since, (dim,), True) * _prod(ahead, dim, True)
    of_earlier = sum_from_end(rules.keep_where(grad, zeros == 0) * result, dim) / self
    return module.where(zeros == 0, of_earlier, module.where(first, of_first, 0))


def without_one(grad: Any, self: Any, dim: int, k: int) -> Any:
    """Σ_{i≥k} grad_i · Π_{j≤i, j≠k} self_j."""

    def part(x: Any, start: int | None, stop: int | None) -> Any:
        return x[(slice(None),) * dim + (slice(start, stop),)]

    others = rules.concatenate([part(self, None, k), part(self, k + 1, None)], dim)
    one = rules.zeros(self, part(rules.raw(self), 0, 1).shape) + 1
    products = cumprod_op.of(rules.concatenate([one, others], dim), dim=dim)
    return rules.sum(part(grad, k, None) * part(products, k, None), (dim,), False)


def running_extreme_vjp(grads: Any, self: Any, indices: Any, dim: int) -> Any:
    """z_i = the extreme element up to i: its gradient goes to its position."""
    return scatter_add_op.of(rules.zeros(grads[0], self.shape), grads[0], dim=dim, index=indices)


def all_others(x: Any, dim: int) -> Any:
    """For each element the product of all others along dim: of those before it times of those behind it."""

    def before(x: Any) -> Any:
        one = rules.zeros(x, rules.raw(x)[(slice(None),) * dim + (slice(0, 1),)].shape) + 1
        return cumprod_op.of(rules.concatenate([one, x[(slice(None),) * dim + (slice(None, -1),)]], dim), dim=dim)

    return before(x) * backwards(before(backwards(x, dim)), dim)


def times_others(grad: Any, x: Any, dim: int) -> Any:
    """grad · the product of all others along dim; where there are none, grad, from which no path leads to x, as in torch."""
    return grad if x.shape[dim] == 1 else grad * all_others(x, dim)


def prod_vjp(grad: Any, self: Any, result: Any) -> Any:
    """z = Π self: z / self, or, where an element is 0, the product of all others."""
    if not self.shape:
        return grad
    zeros = int((rules.raw(self) == 0).sum())
    if not zeros:
        return grad * (result / self)
    # One of two zeros is among the others, whichever element is left out: 0, even beside an infinity. Under create_graph the
    # products have to be recorded, for their own derivatives need not be 0.
    if zeros > 1 and not rules.is_tensor(self):
        return rules.zeros(grad, self.shape)
    return rules.reshape(times_others(grad, rules.reshape(self, (-1,)), 0), tuple(self.shape))


def prod_dim_vjp(grad: Any, self: Any, result: Any, dim: int, keepdim: bool) -> Any:
    """z = Π self along dim, as prod_vjp."""
    if not self.shape:
        return grad
    if not keepdim:
        grad, result = rules.unsqueeze(grad, dim), rules.unsqueeze(result, dim)
    if (rules.raw(self) != 0).all():
        return grad * (result / self)
    return times_others(grad, self, dim)


# ------------------------------------------------------------------ forwards


def _prod(x: Any, dim: int | None, keepdim: bool) -> Any:
    if type(x) is ndarray:
        multiply: Any = numpy.multiply.reduce
        return multiply(x, dim, keepdims=keepdim)
    return x.prod(axis=dim, keepdims=keepdim)


WIDER = {"e": "float32", "f": "float64"}  # in what torch carries such numbers on


def _running(name: str) -> Any:
    """NumPy's cumsum or cumprod, in the dtype of its argument; carried on in a wider one and rounded at each place."""

    def forward(x: Any, dim: int) -> Any:
        if not x.ndim:
            return x.copy()
        found = getattr(x, name)(axis=dim, dtype=WIDER.get(x.dtype.char, x.dtype))
        if name == "cumsum":
            found += 0  # torch begins with 0, to which -0.0 is added
        return in_order(found.astype(x.dtype, copy=False))

    return forward


def running(name: str, x: Any, dim: int) -> Any:
    """The running maximum or minimum along dim. CuPy has none: there, each element meets those 1, 2, 4, … before it."""
    ufunc = getattr(array_module(x), name)
    if type(x) is ndarray:
        return ufunc.accumulate(x, axis=dim)
    out, step, before = x.copy(), 1, (slice(None),) * dim
    while step < x.shape[dim]:
        out[(*before, slice(step, None))] = ufunc(out[(*before, slice(step, None))], out[(*before, slice(-step))])
        step *= 2
    return out


def _running_extreme(name: str) -> Any:
    def forward(x: Any, dim: int) -> tuple[Any, Any]:
        module = array_module(x)
        if not x.ndim or not x.size:
            return x.copy(), module.zeros(x.shape, "int64")
        values = in_order(running(name, x, dim))
        place = module.arange(x.shape[dim]).reshape((-1,) + (1,) * (x.ndim - 1 - dim))
        # Where an element equals the extreme so far, nan among them; the latest counts.
        fresh = (x == values) | ((x != x) & (values != values))
        return values, in_order(running("maximum", module.where(fresh, place, 0), dim))

    return forward


cumsum_op = Op("CumsumBackward0", _running("cumsum"), self=cumsum_vjp)
cumprod_op = Op("CumprodBackward0", _running("cumprod"), self=cumprod_vjp)
prod_op = Op("ProdBackward0", lambda x: _prod(x, None, False), self=prod_vjp)
prod_dim_op = Op(
    "ProdBackward1", lambda x, dim, keepdim: in_order(_prod(x, dim if x.ndim else None, keepdim)), self=prod_dim_vjp
)
cummax_op = Op("CummaxBackward0", _running_extreme("maximum"), outputs=("values", "indices"), self=running_extreme_vjp)
cummin_op = Op("CumminBackward0", _running_extreme("minimum"), outputs=("values", "indices"), self=running_extreme_vjp)

# ------------------------------------------------------------------ what users call


def prod(input: Tensor, dim: Int = EVERY, keepdim: Bool = False, *, dtype: Dtype | None = None) -> Tensor:
    """The product of all elements, or along dim; integers multiply in int64 (torch.prod)."""
    if dim is EVERY:
        if keepdim:  # of which dimension is not said
            return NotImplemented
        return widening(prod_op, input, dtype)
    return widening(prod_dim_op, input, dtype, dim=one_dim(dim, input._data.ndim), keepdim=flag(keepdim))


def widening(op: Op, input: Tensor, dtype: Any, **attributes: Any) -> Tensor:
    """`op` of input in `dtype`, or of integers in int64."""
    if dtype is not None:
        return converting(op, as_numpy(dtype))(input, **attributes)
    whole = input._data.dtype.kind in "biu"
    return op(input.to_numpy_dtype(numpy.dtype("int64")) if whole else input, **attributes)


def _total(op: Op, name: str, words: str) -> Any:
    def call(input: Tensor, dim: Int, *, dtype: Dtype | None = None) -> Tensor:
        if dtype is not None and as_numpy(dtype).kind == "b":
            raise NotImplementedError(f"\"{name}_out_cpu\" not implemented for 'Bool'")
        return widening(op, input, dtype, dim=one_dim(dim, input._data.ndim))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The {words} along dim; integers become int64 (torch.{name})."
    return call


cumsum, cumprod = _total(cumsum_op, "cumsum", "running sum"), _total(cumprod_op, "cumprod", "running product")


def _total_inplace(total: Any) -> Any:
    def call(input: Tensor, dim: Int, *, dtype: Dtype | None = None) -> Tensor:
        wanted = input.dtype if dtype is None else as_dtype(dtype)
        if wanted is not input.dtype:
            raise RuntimeError(
                f"Bad in-place call: input tensor dtype {input.dtype.c_name} and output tensor dtype {wanted.c_name} should match"
            )
        dim = one_dim(dim, input._data.ndim)
        if input._data.ndim and input._data.size:
            no_kernel(f"{total.__name__}_out_cpu", input)
        elif input._data.dtype.kind == "b":
            return input.clone()
        return total(input, dim, dtype=dtype)

    call.__name__ = call.__qualname__ = total.__name__
    call.__doc__ = f"{total.__name__} for {total.__name__}_, which does not widen integers."
    return call


cumsum_inplace, cumprod_inplace = _total_inplace(cumsum), _total_inplace(cumprod)


def _record(op: Op, name: str, words: str) -> Any:
    def call(input: Tensor, dim: Int) -> Any:
        return RETURN_TYPES[name](op(input, dim=one_dim(dim, input._data.ndim)))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The {words} element so far along dim, and its index, the latest of a tie (torch.{name})."
    return call


cummax, cummin = _record(cummax_op, "cummax", "largest"), _record(cummin_op, "cummin", "smallest")


def diff(
    input: Tensor, n: Int = 1, dim: Int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """The differences of neighbours along dim, n times over (torch.diff)."""
    if not input._data.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if as_int(n) < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    dim = one_dim(dim, input._data.ndim)
    if any(t is not None and t._data.ndim != input._data.ndim for t in (prepend, append)):
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    if not n:
        return zeros_like(input).copy_(input)
    if prepend is not None or append is not None:
        input = cat([t for t in (prepend, input, append) if t is not None], dim)
    for _ in range(min(n, input._data.shape[dim])):
        size = input._data.shape[dim]
        later, earlier = narrow(input, dim, 1, size - 1), narrow(input, dim, 0, size - 1)
        input = later.logical_xor(earlier) if input._data.dtype.kind == "b" else later - earlier
    return input
