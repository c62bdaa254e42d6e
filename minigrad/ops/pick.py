"""What users call to pick and write elements by index tensors: arguments checked, then gather.py's operations."""

from __future__ import annotations

import math
from typing import Any

from ..backend import array_module, numpy, outside
from ..errors import warn_once
from ..tensor import Tensor, from_array
from . import gather as ops
from .arguments import Bool, Int, Number, Operand, Str
from .arithmetic import remainder
from .promotion import common_shape, differentiable, differentiable_inplace, operand
from .reduce import one_dim, real_dim
from .shape import view
from .validate import ABSENT, flag, number

INTEGERS = (numpy.dtype("int64"), numpy.dtype("int32"))


def check_index(input: Tensor, dim: int, index: Tensor, name: str, src: Any = None) -> int:
    """`dim` counted from the front, once the index tensor is fit for gather and scatter."""
    dim = one_dim(dim, input._data.ndim)
    data, shape = index._data, input._data.shape
    if data.size and data.dtype not in INTEGERS:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    if isinstance(src, Tensor) and input._data.dtype is not src._data.dtype:
        raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype")
    if not data.size:
        return dim
    whose = "input" if name == "gather" else "self"
    if max(data.ndim, 1) != max(len(shape), 1):
        raise RuntimeError(f"Index tensor must have the same number of dimensions as {whose} tensor")
    return dim


def check_range(index: Any, size: int, dim: int) -> None:
    """RuntimeError, in torch's words, for an index out of range."""
    if outside(index, size):
        wrong = index[(index < 0) | (index >= size)].flat[0] if index.ndim else index
        raise RuntimeError(f"index {wrong} is out of bounds for dimension {dim} with size {size}")


def length(input: Tensor, dim: int) -> int:
    """The size of a dimension; a 0-d tensor counts as one element."""
    return input._data.shape[dim] if input._data.ndim else 1


# ------------------------------------------------------------------ gather and scatter


def gather(input: Tensor, dim: Int, index: Tensor, *, sparse_grad: Bool = False) -> Tensor:
    """out[i][j] = input[index[i][j]][j] for dim 0, and so on (torch.gather)."""
    dim = check_index(input, dim, index, "gather")
    shape, wanted = input._data.shape, index._data.shape
    for d, (n, m) in enumerate(zip(wanted, shape, strict=False)):
        if d != dim and n > m and index._data.size:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(wanted)} to be no larger than self {list(shape)} apart "
                f"from dimension {dim}"
            )
    check_range(index._data, length(input, dim), dim)
    index = index if index._data.size else index.long()
    return ops.gather_op(input, dim=dim, index=index, sparse_grad=flag(sparse_grad))


def scatter(
    input: Tensor, dim: Int, index: Tensor, src: Operand = ABSENT, *, value: Operand = ABSENT, reduce: Str | None = None
) -> Tensor:
    """A copy of input with the elements of src, or one number, written where index points (torch.scatter).

    reduce: "add" or "multiply" them onto what is there instead; torch has no derivative for that.
    """
    src = value if src is ABSENT else src
    if src is ABSENT:
        return NotImplemented
    if reduce is not None:
        return scatter_with(input, dim, index, src, reduce)
    dim = check_index(input, dim, index, "scatter", src)
    if not isinstance(src, Tensor):
        check_source(input, dim, index, None)
        return ops.scatter_value_op(input, value=operand(src)._data, dim=dim, index=index)
    check_source(input, dim, index, src)
    return ops.scatter_op(input, src, dim=dim, index=index)


def scatter_inplace(
    input: Tensor, dim: Int, index: Tensor, src: Operand = ABSENT, *, value: Operand = ABSENT, reduce: Str | None = None
) -> Tensor:
    """scatter for scatter_, whose name appears in the error of its missing derivative."""
    if reduce is None:
        return scatter(input, dim, index, src, value=value)
    return scatter_with(input, dim, index, value if src is ABSENT else src, reduce, "scatter_")


scatter_inplace.__name__ = "scatter"


REDUCING = (
    "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch release. Use "
    "torch.scatter_reduce instead for more reduction options."
)


def scatter_with(input: Tensor, dim: int, index: Tensor, src: Any, reduce: str, name: str = "scatter") -> Tensor:
    """scatter with `reduce`."""
    from .scatter import SCATTER_WITH  # it checks its arguments with the functions above

    dim = check_index(input, dim, index, "scatter", src)
    if isinstance(src, Tensor):
        warn_once(REDUCING)
    if reduce not in ("add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.")
    check_range(index._data, length(input, dim), dim)
    if not isinstance(src, Tensor):
        src = from_array(array_module(input._data).full(index._data.shape, operand(src)._data, input._data.dtype))
    check_source(input, dim, index, src)
    return SCATTER_WITH[name](input, src, dim=dim, index=index, reduce=reduce, include_self=True)


def scatter_add(input: Tensor, dim: Int, index: Tensor, src: Tensor) -> Tensor:
    """A copy of input with the elements of src added where index points (torch.scatter_add)."""
    dim = check_index(input, dim, index, "scatter", src)
    check_source(input, dim, index, src)
    return ops.scatter_add_op(input, src, dim=dim, index=index)


def check_source(input: Tensor, dim: int, index: Tensor, src: Tensor | None) -> None:
    """RuntimeError or IndexError, in torch's words, where a source (None: one number) does not fit its index."""
    if not index._data.size:
        return
    shape, wanted = input._data.shape, index._data.shape
    given = wanted if src is None else src._data.shape
    fits = all(n <= m for d, (n, m) in enumerate(zip(wanted, shape, strict=False)) if d != dim)
    for d, n in enumerate(wanted or (1,)):  # a source of fewer dimensions is noticed only here, and called out of range
        fits = fits and n <= (given[one_dim(d, len(given))] if given else 1)
    if max(len(wanted), 1) != max(len(given), 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    if not fits:
        raise RuntimeError(
            f"Expected index {list(wanted)} to be no larger than self {list(shape)} apart from dimension {dim}"
            + ("" if src is None else f" and to be no larger size than src {list(given)}")
        )
    check_range(index._data, length(input, dim), dim)


def take_along_dim(input: Tensor, indices: Tensor, dim: Int | None = None) -> Tensor:
    """Elements picked along dim, the other dimensions broadcast; without dim from the flattened input.

    Along dim an index counts round and round, so that -1 is the last.
    """
    if dim is None:
        return gather(view(input, (-1,)), 0, view(indices, (-1,)))
    if input._data.ndim != indices._data.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input._data.ndim} dimensions for input, and {indices._data.ndim} dimensions for indices"
        )
    if (found := indices.dtype.type_name) != "Long":
        raise RuntimeError(f"torch.take_along_dim(): dtype of indices should be Long but got {found}")
    dim = real_dim(dim, input._data.ndim)
    shapes = [list(t._data.shape) for t in (input, indices)]
    n, m = shapes[0][dim], shapes[1][dim]
    shapes[0][dim] = shapes[1][dim] = 1
    common = list(common_shape([tuple(shape) for shape in shapes]))
    wide = [t.expand(tuple(common[:dim] + [k] + common[dim + 1 :])) for t, k in ((input, n), (indices, m))]
    return gather(wide[0], dim, remainder(wide[1], n))


# ------------------------------------------------------------------ whole rows


def index_select(input: Tensor, dim: Int, index: Tensor) -> Tensor:
    """The rows of a dimension that a vector of numbers names (torch.index_select)."""
    dim = one_dim(dim, input._data.ndim)
    data = index._data
    if data.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if data.dtype not in INTEGERS:
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if not input._data.ndim and data.size != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {data.size} value(s)")
    if data.size and input._data.ndim > 1 and not length(input, dim):
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    size = length(input, dim)
    if outside(data, size):
        if dim != 1 and (input._data.size or input._data.ndim < 2):
            raise IndexError("index out of range in self")
        wrong = data[(data < 0) | (data >= size)].flat[0] if data.ndim else data
        raise RuntimeError(f"INDICES element is out of DATA bounds, id={wrong} axis_dim={size}")
    return ops.index_select_op(input, dim=dim, index=index)


def index_add(input: Tensor, dim: Int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
    """A copy of input with alpha times the rows of source added to the rows that index names (torch.index_add)."""
    dim, count = one_dim(dim, input._data.ndim), index._data.size
    kind = index.dtype.type_name
    if index._data.ndim > 1:
        raise IndexError(
            f"index_add_(): Index is supposed to be a vector, but got dim: {index._data.ndim} with type: {kind} and size: "
            f"{list(index._data.shape)}"
        )
    if index._data.dtype not in INTEGERS:
        raise RuntimeError(f"index_add_(): Expected dtype int32/int64 for index but got: {kind}")
    if input._data.dtype is not source._data.dtype:
        raise RuntimeError(
            f"index_add_(): self ({input.dtype.type_name}) and source ({source.dtype.type_name}) must have the same scalar type"
        )
    if dim and dim >= source._data.ndim:
        raise RuntimeError(
            f"index_add_(): Indexing dim {dim} is out of bounds of the source tensor with dim {source._data.ndim}"
        )
    if count != length(source, dim):
        raise RuntimeError(
            f"index_add_(): Number of indices ({count}) should be equal to source.size(dim): ({length(source, dim)}), for dim: "
            f"{dim}"
        )
    x, y = list(input._data.shape), list(source._data.shape)
    if len(x) != len(y) or x[:dim] + x[dim + 1 :] != y[:dim] + y[dim + 1 :]:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{x} source.shape = {y}"
        )
    try:
        check_range(index._data, length(input, dim), dim)
    except RuntimeError as error:
        if input._data.ndim > 1 and dim in (0, input._data.ndim - 1):
            raise
        if source._data.size:
            raise IndexError("index out of range in self") from error
        index = from_array(index._data * 0)  # of nothing, any row will do
    return ops.index_add_op(input, source, dim=dim, index=index, alpha=number(alpha))


def index_copy(input: Tensor, dim: Int, index: Tensor, source: Tensor) -> Tensor:
    """A copy of input with the rows that index names replaced by those of source (torch.index_copy)."""
    dim, count = one_dim(dim, input._data.ndim), index._data.size
    if index._data.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {index._data.ndim})")
    if input._data.ndim != source._data.ndim and input._data.ndim and source._data.ndim:
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({source._data.ndim}), destination dimensionality ({input._data.ndim})"
        )
    if input._data.dtype is not source._data.dtype:
        raise RuntimeError(
            "index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{input.dtype.type_name} and (source) {source.dtype.type_name}"
        )
    x, y = list(input._data.shape), list(source._data.shape)
    if x[:dim] + x[dim + 1 :] != y[:dim] + y[dim + 1 :]:
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{x[:dim] + x[dim + 1 :]} at dimension {dim} and source slice shape: {y[:dim] + y[dim + 1 :]} at dimension 0."
        )
    if count != length(source, dim):
        raise IndexError(
            f"index_copy_(): Number of indices ({count}) should be equal to source.size(dim) ({length(source, dim)})"
        )
    try:
        check_range(index._data, length(input, dim), dim)
    except RuntimeError as error:
        raise IndexError(f"index_copy_(): {error}") from error
    return ops.index_copy_op(input, source, dim=dim, index=index)


def index_fill(input: Tensor, dim: Int, index: Tensor, value: Operand) -> Tensor:
    """A copy of input with the rows that index names set to one value (torch.index_fill)."""
    data = index._data
    if isinstance(value, Tensor) and value._data.ndim:
        raise RuntimeError(
            f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value._data.ndim} dimension(s)."
        )
    if data.dtype != "int64":
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    dim, size = one_dim(dim, input._data.ndim), length(input, dim)
    if data.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    if not math.prod([n for d, n in enumerate(input._data.shape) if d != dim]):
        index = from_array(data[..., :0])  # in rows of nothing, any will do
    elif outside(data + size, 2 * size):
        wrong = data[(data < -size) | (data >= size)].flat[0]
        raise IndexError(f"index {wrong} is out of bounds for dimension {dim} with size {size}")
    if isinstance(value, Tensor):
        differentiable(input, value)
        return ops.index_fill_tensor_op(input, value, dim=dim, index=index)
    return ops.index_fill_op(input, dim=dim, index=index, number=operand(value)._data)


index_fill_inplace = differentiable_inplace(index_fill)


def take(input: Tensor, index: Tensor) -> Tensor:
    """Elements by their number in the flattened input (torch.take)."""
    data, size = index._data, input._data.size
    if data.dtype.char not in "lq":
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {index.dtype.type_name}")
    if data.size and not size:
        raise IndexError("take(): tried to take from an empty tensor")
    if data.size and (data.min() < -size or data.max() >= size):
        wrong = data[(data < -size) | (data >= size)].flat[0]
        raise IndexError(f"out of range: tried to access index {wrong} on a tensor of {size} elements.")
    return ops.take_op(input, index=index)
