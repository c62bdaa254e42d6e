"""layer_norm: every row with mean 0 and variance 1. What brings an array or a Tensor there serves batch_norm as well."""

from __future__ import annotations

import math
import operator
from typing import Any

from .. import rules
from ..backend import array_module, in_order, ndarray, numpy, stretching
from ..dtypes import as_numpy, float16, float32
from ..tensor import Tensor, from_array
from .arguments import Float, IntList, parsed
from .define import Op
from .nn import floats_only
from .statistics import EPS, ROUNDED, anywhere

LONG = 8  # elements to a row from which on NumPy's products of rows pay


def products(x: Any, y: Any, dims: tuple[int, ...]) -> Any:
    """Σ x · y over the last of the dimensions, `dims`, which stay with size 1. x, y: arrays or Tensors of one shape."""
    if type(x) is type(y) is ndarray and x.itemsize > 2 and x.flags.c_contiguous:
        if len(dims) == 1 and x.shape[-1] >= LONG:
            return numpy.vecdot(x, y)[..., None]
        kept = x.shape[: dims[0]]
        if x.size >= LONG * math.prod(kept) > 0:  # without an array of all the products
            return numpy.vecdot(x.reshape(*kept, -1), y.reshape(*kept, -1)).reshape(kept + (1,) * len(dims))
    return rules.sum(x * y, dims, True)


def centred(input: Any, dims: tuple[int, ...], eps: float) -> tuple[Any, Any, Any]:
    """input with mean 0 over `dims`, the factor 1 / √(variance + eps) that would give it variance 1, and the mean."""
    n = math.prod([input.shape[d] for d in dims])
    mean = rules.sum(input, dims, True) / n
    if rules.is_tensor(input):
        moved = input - mean
        return moved, 1 / rules.sqrt(products(moved, moved, dims) / n + eps), mean
    moved = stretching(operator.sub, input, mean)
    variance = products(moved, moved, dims) / n
    rounding = mean * (ROUNDED * EPS[mean.itemsize])
    if anywhere(close := variance <= rounding * rounding):
        moved, variance, mean = of_equal_rows(input, dims, close, moved, variance, mean)
    variance = variance + eps
    return moved, rules.sqrt(variance) / variance, mean  # nan where it is infinite, as in torch, and not 0


def of_equal_rows(input: Any, dims: tuple[int, ...], close: Any, *found: Any) -> tuple[Any, Any, Any]:
    """What was found of rows, but of those that hold one number only what is true of them: no spread, and that number as mean.
    A sum divided by n is not always it. close: the rows that may be such."""
    first = input[tuple([slice(1) if d in dims else slice(None) for d in range(input.ndim)])]
    equal = close & (found[1] < math.inf) & (input == first).all(axis=dims, keepdims=True)
    moved, variance, mean = [rules.where(equal, x, y) for x, y in zip((0, 0, first), found, strict=True)]
    return moved, variance, mean


def last_dims(input: Any, normalized_shape: tuple[int, ...]) -> tuple[int, ...]:
    """The dimensions of that shape, at the end of input's."""
    return tuple(range(len(input.shape) - len(normalized_shape), len(input.shape)))


def found_again(input: Any, mean: Any, rstd: Any, dims: tuple[int, ...], eps: float) -> tuple[Any, Any]:
    """Mean and factor, as the forward pass has found them. Where a rule is itself recorded they are worked out anew, for
    both depend on the input."""
    if not rules.is_tensor(input):
        return mean, rstd
    _, factor, middle = centred(input, dims, eps)
    return middle, factor


def single(*values: Any) -> list[Any]:
    """Half precision as float32, in which torch computes the sums; all else as it is."""
    return [rules.cast(x, numpy.float32) if rules.raw_dtype(x) == numpy.float16 else x for x in values]


def layer_norm_vjp_input(
    grad: Any, input: Any, weight: Any, mean: Any, rstd: Any, normalized_shape: tuple[int, ...], eps: float
) -> Any:
    """z = x̂ · weight + bias with x̂ the input of mean 0 and variance 1: the gradient of x̂ without its mean and its part along x̂.

    grad, input: one shape. The mean and the scale of the input do not reach z, so neither may the gradient's. Written,
    as in torch, so that each row takes three numbers: what grad and input are multiplied by, and what is added.
    Source: Ba, Kiros, Hinton (2016), Layer Normalization, supplement. torch: NativeLayerNormBackward0.
    """
    dims, n = last_dims(input, normalized_shape), math.prod(normalized_shape)
    mean, factor = single(*found_again(input, mean, rstd, dims, eps))  # its square may be too large for half precision
    grad, x = single(grad, input)
    slope = rules.imul(grad * weight, factor) if weight.ndim else grad * factor
    total = rules.sum(slope, dims, True) / n
    along = (products(slope, x, dims) / n - total * mean) * (factor * factor)
    return rules.iadd(rules.isub(slope, x * along), along * mean - total)


def layer_norm_vjp_weight(
    grad: Any, input: Any, mean: Any, rstd: Any, normalized_shape: tuple[int, ...], eps: float
) -> Any:
    """z = x̂ · weight + bias: grad · x̂, summed over the rows."""
    mean, factor = found_again(input, mean, rstd, last_dims(input, normalized_shape), eps)
    grad, x = single(grad, input)
    n, rows = math.prod(normalized_shape), math.prod(factor.shape)
    g, x, factor = (rules.reshape(each, (rows, size)) for each, size in ((grad, n), (x, n), (factor, 1)))
    scale = rules.swapaxes(factor, 0, 1)
    each = scale @ (g * x) - (scale * rules.reshape(mean, (1, -1))) @ g
    return rules.reshape(each, normalized_shape)


def layer_norm_vjp_bias(grad: Any, normalized_shape: tuple[int, ...]) -> Any:
    """z = x̂ · weight + bias: the gradient, summed over the rows."""
    rows = tuple(range(len(grad.shape) - len(normalized_shape)))
    return rules.sum(grad, rows, False) if rows else grad


def _layer_norm(x: Any, weight: Any, bias: Any, moved: Any, factor: Any, **saved: Any) -> Any:
    z = stretching(operator.imul, moved, factor)  # nobody else has `moved`
    if weight.ndim:
        z = stretching(operator.imul, z, weight)
    return stretching(operator.iadd, z, bias).astype(
        x.dtype, copy=False
    )  # as in torch a bias of 0 is added, to -0 as well


layer_norm_op = Op(
    "NativeLayerNormBackward0",
    _layer_norm,
    stretches=True,
    second="NativeLayerNormBackwardBackward0",
    input=layer_norm_vjp_input,
    weight=layer_norm_vjp_weight,
    bias=layer_norm_vjp_bias,
)


def stand_in(like: Tensor, value: float) -> Tensor:
    """A number as a 0-d tensor of another's dtype and device: the default for a weight or a bias not given."""
    number = like._data.dtype.type(value)
    return from_array(number if type(like._data) is ndarray else array_module(like._data).asarray(number))


def check_dtypes(dtype: Any, given: list[Any]) -> None:
    """RuntimeError for parameters of another dtype; only beside half precision they may, and have to, be float32."""
    if any(one != dtype for one in given):
        if any(one != as_numpy(float32) for one in given):
            raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
        if dtype != as_numpy(float16):
            raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")


def check_parameters(normalized_shape: tuple[int, ...], **given: Tensor | None) -> None:
    """RuntimeError for an empty shape, and for parameters of another."""
    if not normalized_shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    for name, value in given.items():
        if value is not None and value._data.shape != normalized_shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(value._data.shape)} and normalized_shape = {list(normalized_shape)}"
            )


@parsed()
def layer_norm(
    input: Tensor,
    normalized_shape: IntList,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: Float = 1e-5,
) -> Tensor:
    """Mean 0 and variance 1 over the last dimensions, then · weight + bias (torch.nn.functional.layer_norm).

    input: (…, *normalized_shape). weight, bias: of normalized_shape.
    """
    shape = tuple(map(operator.index, normalized_shape))  # tensors with one whole number are taken, too
    size = input._data.shape
    check_dtypes(input._data.dtype, [t._data.dtype for t in (weight, bias) if t is not None])
    check_parameters(shape, weight=weight, bias=bias)
    if size[len(size) - len(shape) :] != shape or len(size) < len(shape):
        wanted = ", ".join(map(str, ("*", *shape)))
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [{wanted}], but got input of "
            f"size{list(size)}"
        )
    floats_only(input, "LayerNormKernelImpl")
    x = in_order(input._data)
    moved, factor, mean = centred(single(x)[0], last_dims(x, shape), eps)
    kept = (input if weight is None else weight)._data.dtype
    return layer_norm_op(
        input,
        stand_in(input, 1) if weight is None else weight,
        stand_in(input, 0) if bias is None else bias,
        moved=moved,
        factor=factor,
        rstd=factor.astype(kept, copy=False),
        mean=mean.astype(kept, copy=False),
        normalized_shape=shape,
        eps=eps,
    )
