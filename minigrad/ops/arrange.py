"""The same elements in other places: repeated, flipped, rolled, turned, cut to triangles, put on diagonals."""

from __future__ import annotations

from typing import Any

from .. import rules
from ..backend import array_module, in_order, memory_order, numpy, to_host
from ..creation import check_sizes, finish
from ..dtypes import as_dtype, as_numpy, element
from ..tensor import Tensor, from_array
from .arguments import Bool, Dtype, Int, IntList, Ints, Number, as_int, is_int
from .define import Op
from .gather import index_fill_tensor_op
from .layout import flatten
from .pick import INTEGERS, index_select
from .promotion import no_kernel, operand, unsupported
from .reduce import dims, one_dim, real_dim
from .shape import sizes, unsqueeze, view
from .validate import ABSENT, flag, number
from .views import _diagonal, _diagonal_fill, diagonal_fill_vjp, diagonal_vjp

# ------------------------------------------------------------------ rules


def repeat_vjp(grad: Any, self_shape: tuple[int, ...], repeats: tuple[int, ...]) -> Any:
    """z = copies of self side by side: the gradients of all copies added up."""
    if 0 in repeats:
        return rules.zeros(grad, self_shape)
    extra = len(repeats) - len(self_shape)
    if extra:
        grad = rules.sum(grad, tuple(range(extra)), False)
    if not self_shape:
        return grad
    blocks = rules.reshape(grad, tuple(n for pair in zip(repeats[extra:], self_shape, strict=True) for n in pair))
    return rules.sum(blocks, tuple(range(0, 2 * len(self_shape), 2)), False)


def flip_vjp(grad: Any, dims: tuple[int, ...]) -> Any:
    """z = self back to front: so is the gradient."""
    return flip_op.of(grad, dims=dims)


def roll_vjp(grad: Any, shifts: tuple[int, ...], dims: tuple[int, ...]) -> Any:
    """z = self rolled: the gradient rolled back."""
    return roll_op.of(grad, shifts=tuple(-s for s in shifts), dims=dims)


def rot90_vjp(grad: Any, k: int, dims: tuple[int, ...]) -> Any:
    """z = self turned by quarters: the gradient turned back."""
    return rot90_op.of(grad, k=-k, dims=dims)


def tril_vjp(grad: Any, diagonal: int) -> Any:
    """z = self without what lies above a diagonal: so is the gradient."""
    return tril_op.of(grad, diagonal=diagonal)


def triu_vjp(grad: Any, diagonal: int) -> Any:
    """z = self without what lies below a diagonal: so is the gradient."""
    return triu_op.of(grad, diagonal=diagonal)


def diagonal_copy_vjp(grad: Any, self_shape: tuple[int, ...], offset: int, dim1: int, dim2: int) -> Any:
    """z = the diagonal of a matrix: zeros, with the gradient on the diagonal."""
    return diag_embed_sized_op.of(grad, shape=self_shape, offset=offset, dim1=dim1, dim2=dim2)


def trace_vjp(grad: Any, self_shape: tuple[int, ...]) -> Any:
    """z = the sum of the diagonal: zeros, with the gradient on it."""
    n, m = self_shape
    on_diagonal = array_module(rules.raw(grad)).arange(min(n, m)) * (m + 1)
    flat = rules.zeros(grad, (n * m,))
    return rules.reshape(index_fill_tensor_op.of(flat, grad, dim=0, index=on_diagonal), self_shape)


# ------------------------------------------------------------------ entries


def _roll(x: Any, shifts: Any, dims: Any) -> Any:
    return in_order(array_module(x).roll(x, shifts, dims) if dims else array_module(x).roll(x, shifts[0]))


def _diag_embed(x: Any, offset: int, dim1: int, dim2: int) -> Any:
    n = x.shape[-1] + abs(offset)
    shape = list(x.shape[:-1])
    for d in sorted((dim1, dim2)):
        shape.insert(d, n)
    return _diagonal_fill(x, tuple(shape), offset, dim1, dim2)


def _trace(x: Any) -> Any:
    return x.trace() if x.dtype.kind == "f" else x.trace(dtype=numpy.int64)


repeat_op = Op("RepeatBackward0", lambda x, repeats: array_module(x).tile(x, repeats), self=repeat_vjp)


def _rot90(x: Any, k: int, dims: tuple[int, ...]) -> Any:
    x = in_order(x) if 0 in x.strides else x
    return array_module(x).rot90(x, k, dims).copy("K" if k % 4 else "C")


flip_op = Op("FlipBackward0", lambda x, dims: array_module(x).flip(x, dims).copy(memory_order(x)), self=flip_vjp)
roll_op = Op("RollBackward0", _roll, self=roll_vjp)
rot90_op = Op("Rot90Backward0", _rot90, self=rot90_vjp)
tril_op = Op("TrilBackward0", lambda x, diagonal: in_order(array_module(x).tril(x, diagonal)), self=tril_vjp)
triu_op = Op("TriuBackward0", lambda x, diagonal: in_order(array_module(x).triu(x, diagonal)), self=triu_vjp)
diagonal_copy_op = Op(
    "DiagonalBackward0_copy",
    lambda x, offset, dim1, dim2: x.diagonal(offset, dim1, dim2).copy(),
    self=diagonal_copy_vjp,
)
diag_embed_op = Op("DiagEmbedBackward0", _diag_embed, self=diagonal_fill_vjp)
diag_embed_sized_op = Op("DiagonalBackwardBackward0", _diagonal_fill, self=diagonal_fill_vjp)
trace_op = Op("TraceBackward0", _trace, self=trace_vjp)

# ------------------------------------------------------------------ copies


def counted(given: tuple[Any, ...]) -> tuple[int, ...]:
    """repeat(2, 3) and repeat((2, 3)) mean the same; TypeError for what torch takes for no ints, bools among it."""
    for n in given[0] if len(given) == 1 and isinstance(given[0], list | tuple) else given:
        if not isinstance(n, Tensor):
            as_int(n)
    return sizes(given)


def repeat(input: Tensor, *repeats: Any) -> Tensor:
    """Copies side by side, as many in each dimension as given (torch.Tensor.repeat)."""
    if not repeats:
        raise TypeError('repeat() missing 1 required positional arguments: "repeats"')
    wanted, shape = counted(repeats), input._data.shape
    if len(wanted) < len(shape):
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    padded = (1,) * (len(wanted) - len(shape)) + shape
    size = [n * r for n, r in zip(padded, wanted, strict=True)]
    check_sizes(size)
    return repeat_op(input, repeats=wanted)


def tile(input: Tensor, *dims: Any) -> Tensor:
    """As repeat, the missing leading counts being 1 (torch.tile)."""
    wanted = counted(dims)
    return repeat(input, (1,) * (input._data.ndim - len(wanted)) + wanted)


def repeat_interleave(input: Tensor, repeats: Any, dim: Int | None = None, *, output_size: Int | None = None) -> Tensor:
    """Every element repeated in its place; `repeats` is a number or one for each element (torch.repeat_interleave)."""
    if dim is None:
        input, dim = flatten(input), 0
    if isinstance(repeats, Tensor):
        return _repeat_each(input, repeats, real_dim(dim, input._data.ndim), output_size)
    if not is_int(repeats):
        return NotImplemented
    repeats = int(repeats)
    dim = one_dim(dim, input._data.ndim)
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    shape = input._data.shape
    wide = unsqueeze(input, dim + 1).expand((*shape[: dim + 1], repeats, *shape[dim + 1 :]))
    found = shape[dim] * repeats
    if output_size is not None and as_int(output_size) != found:
        raise RuntimeError(f"repeat_interleave: Invalid output_size, expected {found} but got {output_size}")
    return view(wide.clone(), (*shape[:dim], found, *shape[dim + 1 :]))


def _repeat_each(input: Tensor, repeats: Tensor, dim: int, output_size: int | None) -> Tensor:
    size, counts = input._data.shape[dim], repeats._data
    if counts.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    if counts.ndim == 1 and counts.size not in (1, size):
        raise RuntimeError(
            f"repeats must have the same size as input along dim, but got repeats.size(0) = {counts.size} and input.size({dim}) "
            f"= {size}"
        )
    return index_select(input, dim, numbers_repeated(repeats.expand((size,)), output_size))


def numbers_repeated(repeats: Tensor, output_size: int | None = None) -> Tensor:
    """0, 1, 2, … each as often as `repeats` says at its place."""
    data = repeats._data
    if data.dtype not in INTEGERS:
        raise unsupported("repeat_interleave_cpu", data)
    if data.ndim != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if data.size and data.min() < 0:
        raise RuntimeError("repeats can not be negative")
    numbers = numpy.repeat(numpy.arange(data.size, dtype=data.dtype), to_host(data))
    if output_size is not None and as_int(output_size) != numbers.size:
        raise RuntimeError("allocated size does not match required size")
    return from_array(array_module(data).asarray(numbers))


def repeat_interleave_function(
    input: Tensor, repeats: Any = ABSENT, dim: Int | None = None, *, output_size: Int | None = None
) -> Tensor:
    """torch.repeat_interleave, which unlike the method takes `repeats` alone as well."""
    if repeats is ABSENT:
        return numbers_repeated(input, output_size)
    return repeat_interleave(input, repeats, dim, output_size=output_size)


repeat_interleave_function.__name__ = "repeat_interleave"


# ------------------------------------------------------------------ orders


def flip(input: Tensor, *dims: Any) -> Tensor:
    """Some dimensions back to front; a copy (torch.flip)."""
    if not dims:
        raise TypeError('flip() missing 1 required positional arguments: "dims"')
    return flip_op(input, dims=_dims(counted(dims), input._data.ndim))


def _dims(wanted: tuple[int, ...], ndim: int) -> tuple[int, ...]:
    return dims(wanted, ndim) or ()


def fliplr(input: Tensor) -> Tensor:
    """Left and right swapped (torch.fliplr)."""
    if input._data.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, 1)


def flipud(input: Tensor) -> Tensor:
    """Top and bottom swapped (torch.flipud)."""
    if input._data.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, 0)


def roll(input: Tensor, shifts: Ints, dims: Ints | None = None) -> Tensor:
    """Elements shifted; those shifted off the end come back at the start (torch.roll)."""
    steps, along = (
        () if given is None else tuple(given) if isinstance(given, list | tuple) else (as_int(given),)
        for given in (shifts, dims)
    )
    if not steps:
        raise RuntimeError("`shifts` required")
    if len(steps) != len(along) and not (len(steps) == 1 and not along):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(steps)}, dims:{len(along)}")
    if not input._data.size:
        steps, along = (0,), ()
    for d in along:
        real_dim(d, input._data.ndim)
    return roll_op(input, shifts=steps, dims=along)


def rot90(input: Tensor, k: Int = 1, dims: IntList = (0, 1)) -> Tensor:
    """Rotated by k quarter turns in the plane of two dimensions (torch.rot90)."""
    ndim = input._data.ndim
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {ndim}")
    first, second = (one_dim(d, ndim) for d in dims)
    if first == second:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    return rot90_op(input, k=as_int(k), dims=(first, second))


# ------------------------------------------------------------------ triangles and diagonals


def tril(input: Tensor, diagonal: Int = 0) -> Tensor:
    """A matrix with zeros above a diagonal (torch.tril)."""
    if input._data.ndim < 2:
        raise RuntimeError("tril: input tensor must have at least 2 dimensions")
    return tril_op(input, diagonal=as_int(diagonal))


def triu(input: Tensor, diagonal: Int = 0) -> Tensor:
    """A matrix with zeros below a diagonal (torch.triu)."""
    if input._data.ndim < 2:
        raise RuntimeError("triu: input tensor must have at least 2 dimensions")
    return triu_op(input, diagonal=as_int(diagonal))


def diag(input: Tensor, diagonal: Int = 0) -> Tensor:
    """A vector as the diagonal of a matrix, or the diagonal of a matrix as a vector (torch.diag)."""
    diagonal = as_int(diagonal)
    if input._data.ndim == 1:
        return diag_embed_op(input, offset=diagonal, dim1=0, dim2=1)
    if input._data.ndim == 2:
        return diagonal_copy_op(input, offset=diagonal, dim1=0, dim2=1)
    raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input._data.ndim}D")


def diag_embed(input: Tensor, offset: Int = 0, dim1: Int = -2, dim2: Int = -1) -> Tensor:
    """The last dimension on the diagonals of matrices (torch.diag_embed)."""
    first, second = (one_dim(d, input._data.ndim + 1) for d in (dim1, dim2))
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return diag_embed_op(input, offset=as_int(offset), dim1=first, dim2=second)


def diagflat(input: Tensor, offset: Int = 0) -> Tensor:
    """All elements on the diagonal of a matrix (torch.diagflat)."""
    return diag(view(input.contiguous(), (-1,)), offset)


def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix (torch.trace)."""
    no_kernel("trace", input)
    if input._data.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input._data.ndim}")
    return trace_op(input)


def _indices(name: str, triangle: Any) -> Any:
    def call(row: Int, col: Int, offset: Int = 0, *, dtype: Dtype | None = None, device: Any = None) -> Tensor:
        for which, n in (("row", row), ("col", col)):
            if as_int(n) < 0:
                raise RuntimeError(f"{which} must be non-negative, got{n}")
        if dtype is not None and as_dtype(dtype).name not in ("int32", "int64"):
            raise NotImplementedError(f"\"{name}\" not implemented for '{as_dtype(dtype).type_name}'")
        return finish(numpy.stack(triangle(row, as_int(offset), col)).astype(as_numpy(dtype) or numpy.int64), device)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The positions in a triangle of a (row, col) matrix, rows first (torch.{name})."
    return call


tril_indices, triu_indices = _indices("tril_indices", numpy.tril_indices), _indices("triu_indices", numpy.triu_indices)


strided_op = Op("AsStridedBackward0", _diagonal, view=True, self=diagonal_vjp)  # as torch cuts out what it fills


def fill_diagonal_(self: Tensor, fill_value: Number, wrap: Bool = False) -> Tensor:
    """The main diagonal set to one value, in place (torch.Tensor.fill_diagonal_).

    wrap: in a matrix with more rows than columns, the diagonal begins anew below its end, a row further down.
    """
    shape = self._data.shape
    flag(wrap)
    if len(shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    value, line = number_for(fill_value, self), self
    for _ in shape[1:]:
        line = strided_op(line, offset=0, dim1=0, dim2=line._data.ndim - 1)
    line.fill_(value)
    if wrap and len(shape) == 2 and shape[0] > shape[1] + 1:
        self.view(-1)[shape[1] * (shape[1] + 1) :: shape[1] + 1].fill_(value)
    return self


def number_for(value: Any, tensor: Tensor) -> Any:
    """A number as an element of a tensor."""
    return element(operand(number(value))._data, tensor._data.dtype)
