"""Other shapes for the same elements: flatten, movedim, broadcasting, meshgrid, and the properties T and mT.

All are made of the views of shape.py, so they record what torch records.
"""

from __future__ import annotations

import math
from typing import Any

from ..errors import warn_once
from ..size import Size
from ..tensor import Tensor
from .arguments import Int, IntList, Ints, as_tensors
from .promotion import common_shape
from .reduce import one_dim
from .shape import infer, permute, reshape, sizes, transpose, unsqueeze, view
from .views import alias_op


def flatten(input: Tensor, start_dim: Int = 0, end_dim: Int = -1) -> Tensor:
    """The dimensions from start_dim to end_dim joined into one (torch.flatten)."""
    shape = input._data.shape
    first, last = one_dim(start_dim, len(shape)), one_dim(end_dim, len(shape))
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not shape:
        return reshape(input, (1,))
    if first == last:
        return input
    return reshape(input, (*shape[:first], math.prod(shape[first : last + 1]), *shape[last + 1 :]))


def unflatten(input: Tensor, dim: Int, sizes: IntList) -> Tensor:
    """One dimension taken apart into several (torch.unflatten)."""
    dim = one_dim(dim, input._data.ndim)
    if not input._data.ndim:
        raise RuntimeError(
            f"unflatten got an unexpected error:\nDimension specified as {dim} but tensor has no dimensions"
        )
    wanted, size = tuple(sizes), input._data.shape[dim]
    if not wanted:
        raise RuntimeError("unflatten: sizes must be non-empty")
    known = math.prod(n for n in wanted if n != -1)
    if wanted.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if known != size if -1 not in wanted else not known or size % known:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(wanted)} don't multiply up to the size of dim {dim} ({size}) in the input tensor"
        )
    return view(input, (*input._data.shape[:dim], *infer(wanted, size), *input._data.shape[dim + 1 :]))


def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension (torch.ravel)."""
    return reshape(input.contiguous(), (-1,))


def movedim(input: Tensor, source: Ints, destination: Ints) -> Tensor:
    """Some dimensions moved to other places, the rest in their order; a view (torch.movedim)."""
    ndim = input._data.ndim
    if isinstance(source, int) != isinstance(destination, int):
        return NotImplemented
    src, dst = ((d,) if isinstance(d, int) else tuple(d) for d in (source, destination))
    if len(src) != len(dst):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(src)} dims) should contain the same number of dims as "
            f"destination ({list(dst)} dims)"
        )
    given = {"source": src, "destination": dst}
    src, dst = (tuple(one_dim(d, ndim) for d in dims) for dims in (src, dst))
    for name, dims in (("source", src), ("destination", dst)):
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({list(given[name])})")
    if not ndim:
        return alias_op(input)
    places, rest = dict(zip(dst, src, strict=True)), iter(d for d in range(ndim) if d not in src)
    return permute(input, tuple(places[d] if d in places else next(rest) for d in range(ndim)))


def adjoint(input: Tensor) -> Tensor:
    """The last two dimensions swapped; there is nothing to conjugate (torch.adjoint)."""
    return turned(input, "adjoint()", "adjoint()", CONJUGATE)


def turned(x: Tensor, name: str, full_name: str, remedy: str) -> Tensor:
    """The last two dimensions swapped, for what torch calls by these names in an error and in a warning."""
    if not x._data.ndim:
        warn_of_zero_dim(full_name, remedy)
        return x
    if x._data.ndim < 2:
        raise RuntimeError(
            f"tensor.{name} is only supported on matrices or batches of matrices. Got {x._data.ndim}-D tensor."
        )
    return transpose(x, -2, -1)


def warn_of_zero_dim(name: str, remedy: str) -> None:
    """torch's warning, once, for turning round a tensor that has no dimensions."""
    warn_once(f"{name} is deprecated on 0-D tensors. {remedy}")


IDENTITY, CONJUGATE = "This function is the identity in these cases.", "Consider using x.conj()."


def t_property(self: Tensor) -> Tensor:
    """Tensor.T: the dimensions in reverse; a warning, once, unless there are two."""
    if not self._data.ndim:
        warn_of_zero_dim("Tensor.T", IDENTITY)
    elif self._data.ndim != 2:
        warn_once(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
            "error in a future release. Consider `x.mT` to transpose batches of matrices or `x.permute(*torch.arange(x.ndim - "
            "1, -1, -1))` to reverse the dimensions of a tensor."
        )
    return permute(self, tuple(range(self._data.ndim))[::-1])


def mt_property(self: Tensor) -> Tensor:
    """Tensor.mT: the last two dimensions swapped."""
    return turned(self, "mT", "Tensor.mT", IDENTITY)


def mh_property(self: Tensor) -> Tensor:
    """Tensor.mH: the last two dimensions swapped; there is nothing to conjugate."""
    return turned(self, "mH", "Tensor.mH", CONJUGATE)


def h_property(self: Tensor) -> Tensor:
    """Tensor.H: a matrix transposed."""
    if self._data.ndim not in (0, 2):
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {self._data.ndim}-D tensor. For batches of matrices, "
            "consider using tensor.mH"
        )
    if not self._data.ndim:
        warn_of_zero_dim("Tensor.H", CONJUGATE)
        return self
    return transpose(self, -2, -1)


def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """input expanded to the shape of other (torch.Tensor.expand_as)."""
    return input.expand(other._data.shape)


def view_as(input: Tensor, other: Tensor) -> Tensor:
    """input viewed in the shape of other (torch.Tensor.view_as)."""
    return view(input, other._data.shape)


def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """input in the shape of other (torch.Tensor.reshape_as)."""
    return reshape(input, other._data.shape)


def broadcast_to(input: Tensor, *size: Any) -> Tensor:
    """input expanded to a shape (torch.broadcast_to)."""
    return input.expand(sizes(size))


def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that tensors of these shapes have in common; RuntimeError if there is none (torch.broadcast_shapes)."""
    common: list[int] = []  # from the last dimension to the first
    for index, given in enumerate(shapes):
        if not isinstance(given, int | list | tuple):
            raise RuntimeError(f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {given}")
        shape = (given,) if isinstance(given, int) else tuple(given)
        common += [1] * (len(shape) - len(common))
        for i, n in enumerate(reversed(shape)):
            if n not in (1, common[i]) and common[i] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {n} at -{i + 1}! Mismatching argument at index {index} had "
                    f"{(given,) if isinstance(given, int) else given}; but expected shape should be broadcastable to {common[::-1]}"
                )
            if common[i] == 1 and n < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            common[i] = n if common[i] == 1 else common[i]
    return Size(common[::-1])


def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Tensors expanded to their common shape; views (torch.broadcast_tensors)."""
    given = as_tensors(tensors)
    shape = common_shape([t._data.shape for t in given])
    return tuple([t if t._data.shape == shape else t.expand(shape) for t in given])


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Vectors expanded over a common grid, with a dimension for each (torch.meshgrid)."""
    given = as_tensors(tensors[0] if len(tensors) == 1 and isinstance(tensors[0], list | tuple) else tensors)
    if indexing is None:
        warn_once("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
    if not given:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    if any(t._data.dtype is not given[0]._data.dtype for t in given):
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    swapped = indexing == "xy" and len(given) > 1
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    if swapped:
        given[0], given[1] = given[1], given[0]
    for t in given:
        if t._data.ndim > 1:
            raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {listed(t)}")
    shape = tuple(t._data.size for t in given)
    grids = [view(t, (1,) * i + (-1,) + (1,) * (len(given) - i - 1)).expand(shape) for i, t in enumerate(given)]
    if swapped:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


def listed(t: Tensor) -> str:
    """How torch's C++ side prints the first line of a matrix."""
    row = t._data.reshape(-1, t._data.shape[-1])[0].tolist() if t._data.size else []
    return "".join(f"{x: .4f} " if isinstance(x, float) else f"{int(x):2d} " for x in row)


def _atleast(ndim: int) -> Any:
    def one(t: Tensor) -> Tensor:
        have = t._data.ndim
        if have >= ndim:
            return t
        if have == 0:
            return reshape(t, (1,) * ndim)
        if ndim == 2:
            return unsqueeze(t, 0)
        return unsqueeze(unsqueeze(t, 0), -1) if have == 1 else unsqueeze(t, -1)

    def call(*tensors: Any) -> Any:
        if len(tensors) == 1 and isinstance(tensors[0], Tensor):
            return one(tensors[0])
        if len(tensors) == 1 and not isinstance(tensors[0], list | tuple):
            return NotImplemented
        return tuple([one(t) for t in as_tensors(tensors[0] if len(tensors) == 1 else tensors)])

    call.__name__ = call.__qualname__ = f"atleast_{ndim}d"
    call.__doc__ = f"Tensors of at least {ndim} dimension{'s' if ndim > 1 else ''} (torch.atleast_{ndim}d)."
    return call


atleast_1d, atleast_2d, atleast_3d = _atleast(1), _atleast(2), _atleast(3)
