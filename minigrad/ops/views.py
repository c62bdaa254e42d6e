"""Views of a part of a tensor: select, slice, split, diagonal, unfold.

They move no element. Every view operation can be replayed from its attributes, which is how an in-place write through
a view finds its base.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .. import rules
from ..backend import array_module
from ..strides import restrided
from ..tensor import Tensor
from .arguments import Int, IntList, as_int, is_int, is_ints
from .define import Op
from .guard import guarded
from .reduce import one_dim

# ------------------------------------------------------------------ rules


def select_vjp(grad: Any, self_shape: tuple[int, ...], dim: int, index: int) -> Any:
    """z = self with dimension dim fixed at index: zeros, with the gradient there."""
    return rules.scatter_index(grad, self_shape, (slice(None),) * dim + (index,))


def slice_vjp(grad: Any, self_shape: tuple[int, ...], dim: int, start: int, end: int, step: int) -> Any:
    """z = self[start:end:step] in dimension dim: zeros, with the gradient there."""
    return rules.scatter_index(grad, self_shape, (slice(None),) * dim + (slice(start, end, step),))


def split_vjp(grads: list[Any], self_shape: tuple[int, ...], dim: int, split_size: Any) -> Any:
    """z0, z1, … = self cut along dim: the gradients joined again, zeros where none came."""
    like = next(g for g in grads if g is not None)
    lengths = lengths_of(self_shape[dim], split_size)
    parts = [
        rules.zeros(like, (*self_shape[:dim], n, *self_shape[dim + 1 :])) if g is None else g
        for g, n in zip(grads, lengths, strict=True)
    ]
    return rules.concatenate(parts, dim)


def split_sizes_vjp(grads: list[Any], self_shape: tuple[int, ...], dim: int, split_sizes: Any) -> Any:
    """As split_vjp, with a length for each part."""
    return split_vjp(grads, self_shape, dim, split_sizes)


def diagonal_vjp(grad: Any, self_shape: tuple[int, ...], offset: int, dim1: int, dim2: int) -> Any:
    """z = a diagonal of self: zeros, with the gradient on that diagonal."""
    return diagonal_fill_op.of(grad, shape=self_shape, offset=offset, dim1=dim1, dim2=dim2)


def diagonal_fill_vjp(grad: Any, offset: int, dim1: int, dim2: int) -> Any:
    """z = zeros with self on a diagonal: that diagonal of the gradient."""
    return grad.diagonal(offset, dim1, dim2)


def unfold_vjp(grad: Any, self_shape: tuple[int, ...], dimension: int, size: int, step: int) -> Any:
    """z = windows of self: every element collects the gradients of all windows it is in."""
    return fold_op.of(grad, shape=self_shape, dimension=dimension, size=size, step=step)


def fold_vjp(grad: Any, dimension: int, size: int, step: int) -> Any:
    """z = windows added up: the windows of the gradient."""
    return grad.unfold(dimension, size, step) if rules.is_tensor(grad) else _unfold(grad, dimension, size, step)


# ------------------------------------------------------------------ entries


def lengths_of(size: int, split_size: Any) -> list[int]:
    """The lengths of the parts that a dimension of `size` is split into."""
    if not isinstance(split_size, int):
        return list(split_size)
    if split_size == 0:
        return [0]
    return [min(split_size, size - at) for at in range(0, size, split_size)] or [0]


def _split(x: Any, dim: int, split_size: Any) -> Any:
    parts, at = [], 0
    for n in lengths_of(x.shape[dim], split_size):
        parts.append(x[(slice(None),) * dim + (slice(at, at + n),)])
        at += n
    return tuple(parts)


def _split_sizes(x: Any, dim: int, split_sizes: Any) -> Any:
    return _split(x, dim, split_sizes)


def _diagonal(x: Any, offset: int, dim1: int, dim2: int) -> Any:
    out = x.diagonal(offset, dim1, dim2)
    if hasattr(out, "setflags"):
        out.setflags(write=x.flags.writeable)
    return out


def _diagonal_fill(x: Any, shape: tuple[int, ...], offset: int, dim1: int, dim2: int) -> Any:
    out = array_module(x).zeros(shape, x.dtype)
    _diagonal(out, offset, dim1, dim2)[...] = x
    return out


def _unfold(x: Any, dimension: int, size: int, step: int) -> Any:
    if not x.ndim:
        return x.reshape(1)[:size]
    before, (n, *after) = x.shape[:dimension], x.shape[dimension:]
    strides = [*x.strides, x.strides[dimension]]
    strides[dimension] *= step
    return restrided(x, (*before, (n - size) // step + 1, *after, size), strides)


def _fold(x: Any, shape: tuple[int, ...], dimension: int, size: int, step: int) -> Any:
    out = array_module(x).zeros(shape, x.dtype)
    if not shape:
        return out + x.sum()
    for i in range(x.shape[dimension]):
        window = (slice(None),) * dimension + (slice(i * step, i * step + size),)
        out[window] += array_module(x).moveaxis(x[(slice(None),) * dimension + (i,)], -1, dimension)
    return out


select_op = Op(
    "SelectBackward0",
    lambda x, dim, index: x[(slice(None),) * dim + (index, ...)],
    view=True,
    self=select_vjp,
    second="SelectBackwardBackward0",
)
slice_op = Op(
    "SliceBackward0",
    lambda x, dim, start, end, step: x[(slice(None),) * dim + (slice(start, end, step),)],
    view=True,
    self=slice_vjp,
    second="SliceBackwardBackward0",
)
diagonal_op = Op("DiagonalBackward0", _diagonal, view=True, self=diagonal_vjp, second="DiagonalBackwardBackward0")
diagonal_fill_op = Op("DiagonalBackward0_copy", _diagonal_fill, self=diagonal_fill_vjp)
alias_op = Op("AliasBackward0", lambda x: x[...], view=True, self=lambda grad: grad)
unfold_op = Op("UnfoldBackward0", _unfold, view=True, self=unfold_vjp)
fold_op = Op("UnfoldBackwardBackward0", _fold, self=fold_vjp)


@functools.cache
def split_op(parts: int) -> Op:
    """split into so many parts."""
    return Op("SplitBackward0", _split, outputs=parts, view=True, self=split_vjp)


@functools.cache
def unsafe_split_op(parts: int) -> Op:
    """split into parts that autograd does not know to share memory: who writes to one of them answers for it."""
    return Op("UnsafeSplitBackward0", _split, outputs=parts, self=split_vjp)


@functools.cache
def split_sizes_op(parts: int) -> Op:
    """split into so many parts of given lengths."""
    return Op("SplitWithSizesBackward0", _split_sizes, outputs=parts, view=True, self=split_sizes_vjp)


@functools.cache
def unsafe_split_sizes_op(parts: int) -> Op:
    """As unsafe_split_op."""
    return Op("UnsafeSplitWithSizesBackward0", _split_sizes, outputs=parts, self=split_sizes_vjp)


# ------------------------------------------------------------------ parts


def select(input: Tensor, dim: Int, index: Int) -> Tensor:
    """input with dimension dim fixed at index; a view (torch.select)."""
    if not input._data.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = one_dim(dim, input._data.ndim)
    size = input._data.shape[dim]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input._data.shape)} at dimension {dim}"
        )
    return select_op(input, dim=dim, index=index % size)


def narrow(input: Tensor, dim: Int, start: Any, length: Int) -> Tensor:
    """`length` elements of dimension dim from `start` on; a view (torch.narrow)."""
    if not is_int(length) or not (isinstance(start, Tensor) or is_int(start)):
        return NotImplemented
    if not input._data.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    dim = one_dim(dim, input._data.ndim)
    if isinstance(start, Tensor) and (start._data.ndim or start._data.dtype.kind not in "iu"):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    size, start = input._data.shape[dim], int(start)
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    start = start + size if start < 0 else start
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return slice_op(input, dim=dim, start=start, end=start + length, step=1)


def split(input: Tensor, split_size_or_sections: Any, dim: Int = 0) -> tuple[Tensor, ...]:
    """Parts of one length, or of the given lengths, along dim; views (torch.split)."""
    if not is_int(split_size_or_sections):
        return _by_sizes(input, split_size_or_sections, dim)
    return _equal_parts(split_op, input, int(split_size_or_sections), dim)


def unsafe_split(input: Tensor, split_size: Int, dim: Int = 0) -> tuple[Tensor, ...]:
    """split whose parts are no views: they share memory, and autograd does not know it (torch.unsafe_split)."""
    return _equal_parts(unsafe_split_op, input, as_int(split_size), dim)


def _equal_parts(op: Callable[[int], Op], input: Tensor, size: int, dim: Int) -> tuple[Tensor, ...]:
    if not input._data.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    dim = one_dim(dim, input._data.ndim)
    if size == 0 and input._data.shape[dim]:
        raise RuntimeError(
            f"split_size can only be 0 if dimension size is 0, but got dimension size of {input._data.shape[dim]}"
        )
    parts = len(lengths_of(input._data.shape[dim], size))
    return op(parts)(input, dim=dim, split_size=size)


def split_with_sizes(input: Tensor, split_sizes: IntList, dim: Int = 0) -> tuple[Tensor, ...]:
    """Parts of the given lengths along dim; views (torch.split_with_sizes)."""
    return _parts_of(split_sizes_op, input, split_sizes, dim)


def unsafe_split_with_sizes(input: Tensor, split_sizes: IntList, dim: Int = 0) -> tuple[Tensor, ...]:
    """split_with_sizes whose parts are no views, as unsafe_split's (torch.unsafe_split_with_sizes)."""
    return _parts_of(unsafe_split_sizes_op, input, split_sizes, dim)


def _parts_of(op: Callable[[int], Op], input: Tensor, split_sizes: IntList, dim: Int) -> Any:
    if not is_ints(split_sizes):
        return NotImplemented
    if not input._data.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    dim = one_dim(dim, input._data.ndim)
    lengths, size = tuple(split_sizes), input._data.shape[dim]
    for n in lengths:
        if n < 0:
            raise RuntimeError(
                f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={list(lengths)}"
            )
    if sum(lengths) != size:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's size at dimension {dim}), but got "
            f"split_sizes={list(lengths)}"
        )
    return op(len(lengths))(input, dim=dim, split_sizes=lengths)


_by_sizes = guarded(split_with_sizes, method=False)  # to which split hands its arguments on, wrong ones too


def chunk(input: Tensor, chunks: Int, dim: Int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` parts of equal length, the last one shorter if need be; views (torch.chunk)."""
    return _chunks(split, split_with_sizes, input, chunks, dim)


def unsafe_chunk(input: Tensor, chunks: Int, dim: Int = 0) -> tuple[Tensor, ...]:
    """chunk whose parts are no views, as unsafe_split's (torch.unsafe_chunk)."""
    return _chunks(unsafe_split, unsafe_split_with_sizes, input, chunks, dim)


def _chunks(by_size: Any, by_sizes: Any, input: Tensor, chunks: Int, dim: Int) -> tuple[Tensor, ...]:
    if not input._data.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    chunks = as_int(chunks)
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    size = input._data.shape[one_dim(dim, input._data.ndim)]
    if size == 0:
        return by_sizes(input, (0,) * chunks, dim)
    return by_size(input, -(-size // chunks), dim)


def tensor_split(input: Tensor, indices_or_sections: Any, dim: Int = 0) -> tuple[Tensor, ...]:
    """A given number of parts of nearly equal length, or cut at given positions; views (torch.tensor_split)."""
    if not input._data.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    dim = one_dim(dim, input._data.ndim)
    size, cuts = input._data.shape[dim], indices_or_sections
    if isinstance(cuts, Tensor):
        whose = "tensor_split expected tensor_indices_or_sections to"
        if cuts._data.dtype != "int64":
            raise RuntimeError(f"{whose} have dtype of long, but got {cuts.dtype.type_name}")
        if cuts._data.ndim > 1:
            raise RuntimeError(
                f"{whose} be a zero-dimensional or one-dimensional tensor, but got a tensor with {cuts._data.ndim} dims"
            )
        cuts = cuts.tolist()
    if is_int(cuts):
        cuts = int(cuts)
        if cuts <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {cuts}")
        longer, rest = divmod(size, cuts)
        lengths = [longer + (i < rest) for i in range(cuts)]
        bounds = [sum(lengths[:i]) for i in range(cuts + 1)]
    elif is_ints(cuts):
        bounds = [0, *cuts, size]
    else:
        return NotImplemented
    pairs = zip(bounds, bounds[1:], strict=False)
    return tuple([slice_op(input, dim=dim, start=a, end=b, step=1) for a, b in pairs])


def _splitter(name: str, least: int, letter: str) -> Any:
    def call(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
        if input._data.ndim < least:
            raise RuntimeError(
                f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor "
                f"with {input._data.ndim} dimensions!"
            )
        if isinstance(indices_or_sections, Tensor) and (
            indices_or_sections._data.size != 1 or indices_or_sections._data.dtype.kind not in "iu"
        ):
            return NotImplemented
        dim = {"h": 0 if input._data.ndim == 1 else 1, "v": 0, "d": 2}[letter]
        size = input._data.shape[dim]
        if isinstance(indices_or_sections, int) and (indices_or_sections == 0 or size % indices_or_sections):
            raise RuntimeError(
                f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension {size} is not divisible "
                f"by the split_size {indices_or_sections}!"
            )
        return tensor_split(input, indices_or_sections, dim)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"torch.{name}: tensor_split along the {name[0]} axis; views."
    return call


hsplit, vsplit, dsplit = _splitter("hsplit", 1, "h"), _splitter("vsplit", 2, "v"), _splitter("dsplit", 3, "d")


def diagonal(input: Tensor, offset: Int = 0, dim1: Int = 0, dim2: Int = 1) -> Tensor:
    """The diagonal of two dimensions, as the last one of a view (torch.diagonal)."""
    first, second = (one_dim(d, input._data.ndim) for d in (dim1, dim2))
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return diagonal_op(input, offset=as_int(offset), dim1=first, dim2=second)


def unfold(input: Tensor, dimension: Int, size: Int, step: Int) -> Tensor:
    """Windows of `size` elements, every `step`, along a dimension; they become the last one (torch.Tensor.unfold)."""
    dimension = one_dim(dimension, input._data.ndim)
    length = input._data.shape[dimension] if input._data.ndim else 1
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {dimension} is {length} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return unfold_op(input, dimension=dimension, size=size, step=step)
