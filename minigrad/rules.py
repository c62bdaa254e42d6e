"""Functions for derivative rules that work on both arrays and Tensors.

A rule is written once. On raw arrays it is plain NumPy or CuPy (the fast, first-order walk); on Tensors, under
create_graph, the same lines are recorded and can be differentiated again. Operators (`+ * @ **`, comparisons) and the
methods that arrays and Tensors share can be used as they are; the rest is here.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from .backend import array_module, constant, converted, memory_order, ndarray, numpy, putmask, stretching, sum_array
from .backend import in_order as ordered

SAME_SIZE = {size: numpy.dtype(f"int{8 * size}") for size in (2, 4, 8)}  # by itemsize: integers of that size
FEW = 512  # elements up to which putmask is faster than masking the bits
SPREAD = 8  # add.at uses flat indices if the array has at most this many times as many elements as are added
LONG_ROW = 256  # elements in a row from which adding whole rows is faster
DOT_UP_TO = 2**16  # elements of a matrix up to which NumPy's `dot` is faster than its `@`
SMALL = 4096  # elements up to which numpy.where is faster than masking the bits


def is_tensor(x: Any) -> bool:
    """True for a Tensor, False for a raw array or a number."""
    return hasattr(x, "_edge")


def _both(method: str, function: str | None = None) -> Callable[..., Any]:
    """x.method(...) for a Tensor, numpy.function(x, ...) for an array."""
    function = function or method

    def call(x: Any, *args: Any) -> Any:
        if is_tensor(x):
            return getattr(x, method)(*args)
        return getattr(array_module(x), function)(x, *args)

    call.__name__ = call.__qualname__ = method
    call.__doc__ = f"Tensor.{method} or numpy.{function}, as `x` is a Tensor or an array."
    return call


exp = _both("exp")
log = _both("log")
log1p = _both("log1p")
sqrt = _both("sqrt")
sin = _both("sin")
cos = _both("cos")
sinh = _both("sinh")
cosh = _both("cosh")
tanh = _both("tanh")
abs = _both("abs")
isfinite = _both("isfinite")
permute = _both("permute", "transpose")
swapaxes = _both("transpose", "swapaxes")
squeeze = _both("squeeze")


def sum(x: Any, dim: Any, keepdim: bool) -> Any:
    """x summed over the dimensions `dim`: a tuple, where () is none of them, or None for all."""
    if type(x) is ndarray or not is_tensor(x):
        return ordered(sum_array(x, dim, keepdim))
    if dim == ():
        return x  # as of an array; Tensor.sum is torch's, which takes () for all
    return x.sum(dim, keepdim) if keepdim or dim is not None else x.sum()


def _overwriting(function: Callable[..., Any], in_place: Callable[..., Any]) -> Callable[..., Any]:
    """`function` of two operands, which overwrites the first if it is an array. That has to belong to the rule, and to have
    the result's shape and dtype."""
    return lambda x, y: function(x, y) if is_tensor(x) else stretching(in_place, x, y)


iadd = _overwriting(operator.add, operator.iadd)
isub = _overwriting(operator.sub, operator.isub)
imul = _overwriting(operator.mul, operator.imul)


def mT(x: Any) -> Any:
    """xᵀ: the last two dimensions swapped. torch's rules write t() for a single matrix, and so its graphs name it."""
    if type(x) is ndarray:
        return x.mT
    if is_tensor(x):
        return x.t() if x._data.ndim == 2 else x.transpose(-1, -2)
    return x.swapaxes(-1, -2)


def matmul(x: Any, y: Any) -> Any:
    """x @ y: a matrix and a matrix or a vector, or batches of matrices. On small ones NumPy's `dot` takes half the time of
    `@`; but it fills its result with zeros first, and with a single number it gives 0 for 0 times nan."""
    return x.dot(y) if type(x) is ndarray and x.ndim == 2 and 1 < x.size <= DOT_UP_TO and y.size != 1 else x @ y


def unsqueeze(x: Any, dim: int) -> Any:
    """x with a new dimension of size 1 at `dim`: a view."""
    if is_tensor(x):
        return x.unsqueeze(dim)
    shape = x.shape
    at = dim if dim >= 0 else len(shape) + 1 + dim
    return x.reshape(shape[:at] + (1,) + shape[at:])


@functools.cache
def _expanded() -> Callable[[Any, tuple[int, ...]], Any]:
    """strides.py's `expanded`, which nobody needs before the first backward."""
    from .strides import expanded

    return expanded


def expand(x: Any, shape: tuple[int, ...]) -> Any:
    """x stretched to `shape`: a view, in which several elements are one number, as in torch. ValueError if it does not fit."""
    if is_tensor(x):
        return x.expand(shape)
    if isinstance(x, numpy.generic):
        x = numpy.asarray(x)
    elif x.ndim > len(shape) or any(
        n not in (1, wanted) for n, wanted in zip(x.shape[::-1], shape[::-1], strict=False)
    ):
        raise ValueError(f"could not broadcast input array from shape {x.shape} into shape {shape}")
    return _expanded()(x, shape)


def reshape(x: Any, shape: tuple[int, ...]) -> Any:
    """x in another shape with the same number of elements."""
    return x.reshape(shape)


def where(condition: Any, x: Any, y: Any) -> Any:
    """x where the condition holds, y elsewhere; any of them may be a Tensor, an array or a number."""
    for value in (condition, x, y):
        if is_tensor(value):
            return type(value).where(_tensor_like(x, value), condition, y)
    module = array_module(condition)
    y = module.asarray(y, dtype=x.dtype) if hasattr(x, "dtype") and not hasattr(y, "dtype") else y
    if type(x) is ndarray and x.size >= SMALL and x.dtype.kind == "f" and condition.shape == x.shape:
        if type(y) is ndarray and y.dtype is x.dtype and y.shape in (x.shape, ()):
            return where_bits(condition, x, y)
    return module.where(condition, x, y)


def where_bits(mask: Any, x: Any, y: Any) -> Any:
    """x where the mask, of its shape, holds and y elsewhere: arrays of one floating dtype, taken as bits.

    numpy.where takes several times as long for a mask without a pattern, which defeats branch prediction.
    """
    kind = SAME_SIZE[x.itemsize]
    other = y.view(kind)
    chosen = mask.astype(kind)
    numpy.negative(chosen, out=chosen)  # -1, which is all ones, where x is taken
    chosen &= x.view(kind) ^ other
    chosen ^= other
    return chosen.view(x.dtype)


def keep_where(x: Any, mask: Any) -> Any:
    """x where the mask holds and 0 elsewhere; a product with the mask would leave nan where x is infinite."""
    if is_tensor(x) or is_tensor(mask) or type(x) is not ndarray or x.size < SMALL or mask.shape != x.shape:
        return where(mask, x, 0)
    return zero_where_bits(x, mask == 0)


def zero_where_bits(x: Any, mask: Any) -> Any:
    """A copy of an array with all bits 0 where the mask, of its shape, holds.

    numpy.where takes up to ten times as long for a mask without a pattern.
    """
    kind = SAME_SIZE[x.itemsize]
    bits = (mask.view(numpy.int8) - constant(1, numpy.int8)).astype(kind)  # -1, which is all ones, where x stays
    bits &= x.view(kind)
    return bits.view(x.dtype)


def _tensor_like(x: Any, tensor: Any) -> Any:
    return x if is_tensor(x) else tensor.new_tensor(x)


def in_order(x: Any) -> Any:
    """An array with its elements in the order of the indices, as torch's kernels of derivatives lay them out; a Tensor as it is."""
    return x if is_tensor(x) else ordered(x)


def bmm(x: Any, y: Any) -> Any:
    """The products of two batches of matrices."""
    return x.bmm(y) if is_tensor(x) else x @ y


def masked_fill(x: Any, mask: Any, value: Any) -> Any:
    """x with a value where the mask, of the same kind as x, holds."""
    if type(x) is ndarray and type(value) is int:
        if x.shape != mask.shape:
            return numpy.where(mask, constant(value, x.dtype), x)
        if value == 0 and x.size > FEW:
            return zero_where_bits(x, mask)
        out = x.copy() if x.flags.c_contiguous else x.copy(memory_order(x))
        putmask(out, mask, constant(value, x.dtype))
        return out
    return x.masked_fill(mask, value) if is_tensor(x) else array_module(x).where(mask, value, x)


def stack(parts: list[Any], dim: int) -> Any:
    """Arrays or Tensors of one shape joined along a new dimension."""
    first = next((p for p in parts if is_tensor(p)), None)
    return first.stack_all(parts, dim) if first is not None else array_module(parts[0]).stack(parts, dim)


def concatenate(parts: list[Any], dim: int) -> Any:
    """Arrays or Tensors joined along an existing dimension."""
    first = next((p for p in parts if is_tensor(p)), None)
    return first.concatenate_all(parts, dim) if first is not None else array_module(parts[0]).concatenate(parts, dim)


def zeros(like: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of `shape` with the dtype and device of `like`."""
    return like.new_zeros(shape) if is_tensor(like) else array_module(like).zeros(shape, like.dtype)


def raw(x: Any) -> Any:
    """The array of a Tensor; anything else unchanged."""
    return x._data if is_tensor(x) else x


def raw_dtype(x: Any) -> Any:
    """The NumPy dtype of an array or a Tensor."""
    return raw(x).dtype


def cast(x: Any, dtype: Any) -> Any:
    """x with another NumPy dtype."""
    return x.to_numpy_dtype(dtype) if is_tensor(x) else converted(x, dtype)


def sign(x: Any) -> Any:
    """-1, 0 or 1; 0 for nan, as in torch."""
    return x.sgn() if is_tensor(x) else (x > 0).astype(x.dtype) - (x < 0)


def scatter_index(grad: Any, shape: tuple[int, ...], index: Any) -> Any:
    """Zeros of `shape` with `grad` added at `index`; repeated positions add up."""
    if is_tensor(grad):
        return grad.scatter_index(shape, index)
    out = zeros(grad, shape)
    if _is_basic(index):
        out[index] += grad
    else:
        add_at(out, index, grad)
    return out


def add_at(out: Any, index: Any, values: Any) -> None:
    """out[index] += values for arrays, where repeated positions add up; out is contiguous."""
    module = array_module(out)
    rows = index[0] if type(index) is tuple and len(index) == 1 else index
    if out.ndim > 1 and type(rows) is ndarray and rows.dtype.kind in "iu" and rows.size and out.size:
        if values.shape != (wanted := rows.shape + out.shape[1:]):
            values = numpy.broadcast_to(values, wanted)
        values = values.reshape(rows.size, -1)
        add_rows(out.reshape(len(out), -1), rows.reshape(-1), values)
        return
    if out.ndim > 1 and out.size <= SPREAD * values.size:  # NumPy adds to a flat array several times as fast
        numbers = module.arange(out.size).reshape(out.shape)[index]
        values = module.broadcast_to(values, numbers.shape)
        out, index, values = out.reshape(-1), numbers.reshape(-1), values.reshape(-1)
    module.add.at(out, index, values)


def add_rows(out: Any, rows: Any, values: Any) -> None:
    """out[rows] += values for matrices in host memory: long rows one by one, short ones element by element.

    Both are several times as fast as numpy.add.at with rows.
    """
    width = out.shape[1]
    if width >= LONG_ROW:
        for row, value in zip(rows.tolist(), values, strict=True):
            numpy.add(out[row], value, out=out[row])
    else:
        numbers = rows[:, None].astype(numpy.int64, copy=False) * width + numpy.arange(width)
        numpy.add.at(out.reshape(-1), numbers.reshape(-1), values.reshape(-1))


def zeroed_at(grad: Any, index: Any) -> Any:
    """`grad` with zeros at `index`."""
    if not is_tensor(grad):
        rest = grad.copy()
        rest[index] = 0
        return rest
    mask = array_module(grad._data).ones(grad._data.shape, bool)
    mask[index] = False
    return keep_where(grad, mask)


def _is_basic(index: Any) -> bool:
    """True for an index of ints, slices, None and … only, which names no position twice."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(i is None or i is Ellipsis or isinstance(i, int | slice) for i in parts)


def put_along(table: Any, dim: int, places: Any, values: Any) -> Any:
    """`table` (zeros) with `values` written along `dim` where `places` points."""
    if is_tensor(table):
        return table.scatter(dim, places if is_tensor(places) else table.new_tensor(places), values)
    places = raw(places)
    if type(table) is ndarray and table.ndim == 2 and dim == 1:
        table[numpy.arange(len(table))[:, None], places] = values  # as NumPy does it, in half the time
    else:
        array_module(table).put_along_axis(table, places, values, dim)
    return table
