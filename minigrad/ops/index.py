"""self[index] and self[index] = value, taken apart as torch takes them apart.

Ints, slices, None and … are views, one after the other; tensors, lists and masks are gathered in one copy at the end.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from .. import rules
from ..backend import array_module, in_order, laid_out_as, ndarray, numpy, outside
from ..creation import tensor
from ..errors import warn
from ..strides import expanded, laid_out
from ..tensor import Tensor
from .arguments import type_name
from .define import Op
from .places import copied, watched
from .views import alias_op, select_op, slice_op

Masks = list[tuple[int, Any]]
Index = tuple[Any, ...]  # one array or None (the whole dimension) for each indexed dimension

NOT_AN_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {})"
)
NO_DIMENSIONS = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim "
    "tensor to a number"
)
NON_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
    "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], which "
    "will result either in an error or a different result"
)

OPEN = 2**63 - 1  # where torch has a slice end that has no end

# ------------------------------------------------------------------ rules


def index_vjp(grad: Any, self_shape: tuple[int, ...], indices: Index) -> Any:
    """z = self[indices]: zeros, with the gradient added at the places that were read (twice where read twice)."""
    return rules.scatter_index(grad, self_shape, places(copied(indices) if rules.is_tensor(grad) else indices))


def put_vjp_self(grad: Any, indices: Index, accumulate: bool) -> Any:
    """self[indices] = values: what was overwritten has no part in the result."""
    if accumulate:
        return grad
    if rules.is_tensor(grad):
        return put_op(grad, rules.zeros(grad, ()), indices=indices, accumulate=False)
    return rules.zeroed_at(grad, places(indices))


def put_vjp_values(grad: Any, indices: Index) -> Any:
    """self[indices] = values: the written part's gradient; the walk un-broadcasts it."""
    return in_order(grad[places(indices)]) if not rules.is_tensor(grad) else index_op(grad, indices=indices)


def gather_vjp(grad: Any, self_shape: tuple[int, ...], index: Any) -> Any:
    """z = self[index]: zeros, with the gradient added at index."""
    return rules.scatter_index(grad, self_shape, index)


def spread_vjp(grad: Any, index: Any) -> Any:
    """z = zeros with self added at index: the gradient at index."""
    return in_order(grad[index]) if not rules.is_tensor(grad) else gather_op(grad, index=index)


# ------------------------------------------------------------------ entries


def places(indices: Index) -> Any:
    """NumPy's form of an index: a whole slice where torch has None."""
    return tuple([slice(None) if i is None else i for i in indices])


def _index(x: Any, indices: Index) -> Any:
    found, arrays = x[places(indices)], [i for i in indices if i is not None]
    if x.flags.c_contiguous and all(i.ndim < 2 or i.flags.c_contiguous for i in arrays):
        return in_order(found)
    return laid_out(found, steps(x, indices, arrays, found.shape))


def steps(x: Any, indices: Index, arrays: list[Any], shape: tuple[int, ...]) -> list[list[int]]:
    """The strides of x and of each array that indexes it, in the dimensions of the result, which has that shape; 0 where
    the operand is stretched, and for x where it is indexed."""
    dims = [dim for dim, array in enumerate(indices) if array is not None]
    rest = [step for dim, step in enumerate(x.strides) if dim not in dims]
    first = dims[0] if dims[-1] - dims[0] < len(dims) else 0  # in front where the arrays are apart from each other
    last = first + len(shape) - len(rest)
    found = [[*rest[:first], *[0] * (last - first), *rest[first:]]]
    for array in arrays:
        picking = array_module(array).broadcast_to(array, shape[first:last]).strides
        own = [*[0] * first, *picking, *[0] * (len(shape) - last)]
        step = picking[-1] if picking else 0
        for dim in reversed(range(len(shape))):
            if shape[dim] == 1:
                own[dim] = step  # what a view gives to a new dimension
            elif first <= dim < last:
                step = own[dim] * shape[dim]
        found.append(own)
    return found


def _put(x: Any, values: Any, indices: Index, accumulate: bool) -> Any:
    out = x.copy()
    if accumulate:
        rules.add_at(out, places(indices), values)
    else:
        out[places(indices)] = values
    return laid_out_as(x, out)


def _put_through(x: Any, values: Any, indices: Index, accumulate: bool) -> Any:
    """_put in the memory of a stretched x: what is written under one index is there under the others, the last counts."""
    out = expanded(x[tuple([slice(1) if step == 0 else slice(None) for step in x.strides])].copy(), x.shape)
    if accumulate:
        array_module(x).add.at(out, places(indices), values)
    else:
        out[places(indices)] = values
    return out.copy()


index_op = Op("IndexBackward0", _index, tensors=("indices",), self=index_vjp)
put_op, put_through_op = [
    Op("IndexPutBackward0", forward, tensors=("indices",), stretches=True, self=put_vjp_self, values=put_vjp_values)
    for forward in (_put, _put_through)
]
gather_op = Op("IndexBackward0", lambda x, index: in_order(x[index]), self=gather_vjp)
scatter_op = Op("IndexPutImplBackward0", rules.scatter_index, self=spread_vjp)


def scatter_index(self: Tensor, shape: tuple[int, ...], index: Any) -> Tensor:
    """Zeros of `shape` with this tensor added at `index`: the gradient of getitem, itself differentiable."""
    return scatter_op(self, shape=shape, index=index)


# ------------------------------------------------------------------ reading


def getitem(self: Tensor, index: Any) -> Tensor:
    """self[index]: ints, slices, None and … give views; lists, tensors and masks give copies (torch indexing)."""
    if isinstance(index, int) and not isinstance(index, bool):
        return select(self, 0, index, 0)
    if isinstance(index, Tensor) and not (array := index._data).ndim and array.dtype.kind == "i" and self._data.ndim:
        return select(self, 0, as_part(index), 0)
    if isinstance(index, slice):
        return sliced(self, 0, index, whole=True)
    if type(index) is tuple and {*map(type, index)} == ONLY_INTS and len(index) <= self._data.ndim:
        for named, number in enumerate(index):  # as `take_apart` would, in half the time
            self = select(self, 0, number, named)
        return self
    parts = index if type(index) is tuple else (index,)
    if (arrays := numbered(self._data, parts)) is not None:
        return index_op(self, indices=watched(arrays, parts, self))
    view, indices, masks = take_apart(self, as_parts(index))
    if indices:
        return index_op(view, indices=watched(checked(view, indices, masks), parts, view))
    return view if view is not self else alias_op(self)


ONLY_INTS = {int}
LONG = numpy.dtype("int64")


def numbered(x: Any, parts: Index) -> Index | None:
    """What `checked` would find, for the index that programs have most: tensors of one shape, all of whose numbers are positions
    in x, in host memory. None for any other."""
    if type(x) is not ndarray or not 0 < len(parts) <= x.ndim:
        return None
    arrays: list[Any] = []
    for part, size in zip(parts, x.shape):  # noqa: B905 (what lies beyond is taken whole)
        array = part._data if type(part) is Tensor else None
        if type(array) is not ndarray or array.dtype is not LONG or array.shape != (arrays or [array])[0].shape:
            return None
        if not array.ndim or not array.size or outside(array, size):
            return None
        arrays.append(array)
    return tuple(arrays)


def take_apart(self: Tensor, parts: Index) -> tuple[Tensor, list[Any], Masks]:
    """The view that the plain parts of an index describe, the arrays that index its dimensions (none: []), and the masks
    among them, with the dimensions at which they begin."""
    given = sum(consumed(p) for p in parts)
    if given > self._data.ndim:
        raise IndexError(f"too many indices for tensor of dimension {self._data.ndim}")
    arrays: list[Any] = []
    out, dim = self, 0  # dim: of the view
    masks: Masks = []
    for named, part in enumerate(parts):  # named: what torch's messages call the dimension
        if part is Ellipsis:
            dim += self._data.ndim - given
        elif part is None:
            out, dim = out.unsqueeze(dim), dim + 1
        elif isinstance(part, bool):
            out = out.unsqueeze(dim)
            place(arrays, dim, numpy.zeros(int(part), numpy.int64))
            dim += 1
        elif isinstance(part, slice):
            out = sliced(out, dim, part)
            dim, named = dim + 1, named + 1
        elif isinstance(part, ndarray) or hasattr(part, "get"):
            if part.dtype.kind == "b":
                masks.append((dim, part))
            for one in part.nonzero() if part.dtype.kind == "b" else (part,):
                place(arrays, dim, one)
                dim += 1
        else:
            out = select(out, dim, part, named)
    return out, arrays, masks


def as_parts(index: Any) -> tuple[Any, ...]:
    """An index as a tuple of ints, slices, None, …, bools and arrays."""
    if isinstance(index, list) and len(index) < 32 and any(p is None or isinstance(p, TELLING) for p in index):
        warn(NON_TUPLE)
        index = tuple(index)
    return tuple([as_part(p) for p in index]) if isinstance(index, tuple) else (as_part(index),)


TELLING = (Sequence, ndarray, Tensor, slice, type(Ellipsis))  # with one of these in it, torch takes a list for a tuple


def as_part(part: Any) -> Any:
    """One part of an index: tensors, lists and arrays become arrays, 0-d integers ints and 0-d bools bools."""
    if isinstance(part, Tensor):
        array = part._data
    elif part is None or part is Ellipsis or isinstance(part, bool | int | slice):
        return part
    elif isinstance(part, ndarray):
        array = part
    elif isinstance(part, numpy.integer) or (hasattr(type(part), "__index__") and not isinstance(part, Sequence)):
        return operator.index(part)
    elif isinstance(part, Sequence):
        array = tensor(part if isinstance(part, list | str) else list(part), device="cpu")._data
        array = array.astype(numpy.int64) if array.dtype.kind == "f" else array
    else:
        raise IndexError(NOT_AN_INDEX.format(type_name(part)))
    if not array.ndim and array.dtype.kind != "f":
        return bool(array) if array.dtype.kind == "b" or array.dtype == numpy.uint8 else int(array)
    return as_array(array)


def as_array(array: Any) -> Any:
    """An array to index with: whole numbers or a mask; IndexError for others."""
    if array.dtype.kind == "f" or array.dtype.itemsize == 2 or array.dtype == numpy.int8:
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    if array.dtype == numpy.uint8:
        warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.")
        array = array.astype(bool)
    return array


def consumed(part: Any) -> int:
    """How many dimensions a part of an index stands for."""
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    return part.ndim if getattr(part, "dtype", None) == numpy.bool_ else 1


def place(arrays: list[Any], dim: int, array: Any) -> None:
    """arrays[dim] = array, with None for the dimensions before it that are taken whole."""
    arrays += [None] * (dim - len(arrays))
    arrays.append(array)


def check_mask(view: Tensor, dim: int, mask: Any) -> None:
    """IndexError for a mask of another shape than the dimensions it stands for, from `dim` on."""
    shape = view._data.shape
    for i, n in enumerate(mask.shape):
        if n != shape[dim + i]:
            raise IndexError(
                f"The shape of the mask {list(mask.shape)} at index {i} does not match the shape of the indexed tensor "
                f"{list(shape)} at index {dim + i}"
            )


def is_mask(arrays: list[Any], masks: Masks) -> bool:
    """Whether one mask is all there is."""
    return len(masks) == 1 and masks[0][1].ndim == sum(a is not None for a in arrays)


def checked(view: Tensor, arrays: list[Any], masks: Masks, value: Tensor | None = None) -> Index:
    """The arrays, once they fit each other, the value to be written there and the sizes they index; an error otherwise."""
    for dim, mask in masks:
        check_mask(view, dim, mask)
    shapes = [a.shape for a in arrays if a is not None]
    try:
        common = shapes[0] if shapes.count(shapes[0]) == len(shapes) else numpy.broadcast_shapes(*shapes)
    except ValueError as error:
        raise IndexError(
            "shape mismatch: indexing tensors could not be broadcast together with shapes "
            + ", ".join(str(list(shape)) for shape in shapes)
        ) from error
    if 0 not in common:
        check_not_nothing(view, arrays)
    if value is not None:
        check_value(value, part_shape(view._data.shape, arrays, common))
        same_dtype(value, view, is_mask(arrays, masks))
    if not view._data.size or 0 in common:  # nothing can be picked: torch does not look where
        arrays = [None if a is None else array_module(a).zeros(common if 0 in common else a.shape, int) for a in arrays]
    number = 0  # torch counts only the dimensions that are indexed
    # where a mask has been, nothing is out of bounds
    within = {dim + i for dim, mask in masks for i in range(mask.ndim)}
    for dim, array in enumerate(arrays):
        if array is None:
            continue
        size = view._data.shape[dim]
        if dim not in within and outside(array, size) and outside(array + size, 2 * size):
            first = array[(array < -size) | (array >= size)].reshape(-1)[0] if array.ndim else array
            raise IndexError(f"index {int(first)} is out of bounds for dimension {number} with size {size}")
        number += 1
    return tuple([None if a is None else beside(view._data, a) for a in arrays])


def same_dtype(value: Tensor, view: Tensor, masked: bool = False) -> None:
    """RuntimeError, in torch's words, for values of another dtype; under a mask a single number is converted."""
    if value._data.dtype is not view._data.dtype and (value._data.ndim or not masked):
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{view.dtype.type_name} for the destination and {value.dtype.type_name} for the source."
        )


def check_not_nothing(view: Tensor, arrays: list[Any]) -> None:
    """IndexError where an array would pick elements of an empty dimension."""
    if 0 in view._data.shape and any(
        a is not None and a.size and not n for a, n in zip(arrays, view._data.shape, strict=False)
    ):
        raise IndexError("index is out of bounds for dimension with size 0")


def beside(data: Any, index: Any) -> Any:
    """An index array on the device of the data; RuntimeError for one that lives on a GPU while the data does not."""
    module = array_module(data)
    if module is not numpy:
        return module.asarray(index)
    if hasattr(index, "get"):
        raise RuntimeError("indices should be either on cpu or on the same device as the indexed tensor (cpu)")
    return index


def select(self: Tensor, dim: int, index: Any, named: int) -> Tensor:
    """self with dimension `dim` fixed at one position; `named`: what messages call the dimension."""
    if not self._data.ndim and not index:
        raise IndexError(NO_DIMENSIONS)
    size = self._data.shape[dim] if self._data.ndim else 0
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for dimension {named} with size {size}")
    return select_op.make_view(self, {"dim": dim, "index": index % size})


def as_index(x: Any) -> int:
    """The beginning, end or step of a slice as an int; TypeError, in Python's words, for what is none."""
    try:
        return operator.index(x)
    except TypeError:
        raise TypeError("slice indices must be integers or None or have an __index__ method") from None


def sliced(self: Tensor, dim: int, part: slice, whole: bool = False) -> Tensor:
    """self with dimension `dim` cut to a slice; a slice of everything is no operation, unless it is the whole index."""
    step = 1 if part.step is None else as_index(part.step)
    if step <= 0:
        raise ValueError("step must be greater than zero" if step else "slice step cannot be zero")
    start = 0 if part.start is None else as_index(part.start)
    end = OPEN if part.stop is None else as_index(part.stop)
    if not self._data.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    size = self._data.shape[dim]
    if not whole and not start and slice(start, end, step).indices(size) == (0, size, 1):
        return self
    return slice_op(self, dim=dim, start=start, end=end, step=step)


def part_shape(shape: tuple[int, ...], arrays: list[Any], common: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of what arrays (None: a whole dimension) pick: their common shape in their place, or first if they are
    apart."""
    indexed = [d for d, a in enumerate(arrays) if a is not None]
    whole = [n for d, n in enumerate(shape) if d not in indexed]
    before = indexed[0] if indexed[-1] - indexed[0] < len(indexed) else 0
    return (*whole[:before], *common, *whole[before:])


def check_value(value: Tensor, part: tuple[int, ...]) -> None:
    """RuntimeError, in torch's words, for a value that does not broadcast to the part that is written."""
    try:
        fits = numpy.broadcast_shapes(value._data.shape, part) == part
    except ValueError:
        fits = False
    if not fits:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(value._data.shape)} cannot be broadcast to indexing result of "
            f"shape {list(part)}"
        )
