"""Joining tensors: cat, stack and their shorthands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from .. import rules
from ..autograd.graph import Node
from ..backend import array_module
from ..tensor import Tensor
from .arguments import Int, Tensors, as_tensors
from .define import Op
from .layout import atleast_2d, atleast_3d, flatten, meshgrid
from .nodes import node_type, picker
from .reduce import one_dim
from .shape import reshape


class JoinNode(Node):
    """cat and stack of however many tensors: `part` takes each one's own out of the gradient. All are computed, wanted or
    not, as torch's are."""

    __slots__ = ()
    narrows = False
    releases = False

    part: ClassVar[Callable[..., Any]]  # of the gradient, an input's position and the saved values

    def unpack_arrays(self) -> list[Any]:
        """The saved values, which are plain Python values."""
        return list(self.saved or ())

    unpack_tensors = unpack_arrays

    def _apply(self, grad: Any, values: list[Any]) -> tuple[Any, ...]:
        return tuple([self.part(grad, i, *values) for i in range(len(self.parents))])

    def show_saved(self, index: int) -> Any:
        """A saved value, as torch shows it."""
        return self.unpack_arrays()[index]


def joining(node: str, forward: Callable[..., Any], part: Callable[..., Any], *saves: str) -> Op:
    """An operation of any number of tensors. saves: which of its attributes `part` takes, after the gradient and the position."""
    op = Op(node, forward, promotes=True, elementwise=False)
    op.rules.node = node_type(node, (), saves, JoinNode, {"part": staticmethod(part)}, ())
    op.rules.with_shape, op.rules.pick = False, picker(saves)
    return op


def cat_part(grad: Any, position: int, dim: int, bounds: tuple[int, ...], passed: tuple[bool, ...]) -> Any:
    """What cat's input number `position` gets: its own part of the gradient, nothing of it if cat passed over it."""
    if passed[position]:
        return rules.zeros(grad, (0,))
    return grad[(slice(None),) * dim + (slice(bounds[position], bounds[position + 1]),)]


def _cat(*xs: Any, dim: int, bounds: tuple[int, ...], passed: tuple[bool, ...]) -> Any:
    kept = [x for x, skip in zip(xs, passed, strict=True) if not skip] or list(xs[:1])
    module = array_module(xs[0])
    return module.ascontiguousarray(module.concatenate(kept, dim))


def stack_part(grad: Any, position: int, dim: int) -> Any:
    """What stack's input number `position` gets."""
    return grad[(slice(None),) * dim + (position,)]


def _stack(*xs: Any, dim: int) -> Any:
    module, new = array_module(xs[0]), (slice(None),) * dim + (None,)
    return module.ascontiguousarray(module.concatenate([x[new] for x in xs], dim))


cat_op = joining("CatBackward0", _cat, cat_part, "dim", "bounds", "passed")
stack_op = joining("StackBackward0", _stack, stack_part, "dim")


def cat(tensors: Tensors, dim: Int = 0) -> Tensor:
    """Tensors joined along an existing dimension; empty vectors are passed over (torch.cat)."""
    if isinstance(tensors, Tensor):
        raise TypeError("cat: tensors must be a tuple of Tensors")
    given = as_tensors(tensors)
    if not given:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    shapes = [t._data.shape for t in given]
    if () in shapes:
        raise RuntimeError(f"zero-dimensional tensor (at position {shapes.index(())}) cannot be concatenated")
    passed = tuple([shape == (0,) for shape in shapes])
    first = shapes[passed.index(False)] if False in passed else (0,)
    dim = one_dim(dim, len(first)) if False in passed else 0
    bounds = [0]
    for i, shape in enumerate(shapes):
        if shape != first and not passed[i]:
            check_fit(first, shape, dim, i)
        bounds.append(bounds[-1] + (0 if passed[i] else shape[dim]))
    return cat_op(*given, dim=dim, bounds=tuple(bounds), passed=passed)


def check_fit(first: tuple[int, ...], shape: tuple[int, ...], dim: int, number: int) -> None:
    """RuntimeError, in torch's words, where a tensor cannot be joined to the first one."""
    if len(shape) != len(first):
        raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}")
    for d, (n, m) in enumerate(zip(shape, first, strict=True)):
        if d != dim and n != m:
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {dim}. Expected size {m} but got size {n} for tensor number "
                f"{number} in the list."
            )


def some(tensors: Any, name: str) -> list[Tensor]:
    """The tensors to be joined; an error for none, and for one by itself, which is no list of its rows."""
    if isinstance(tensors, Tensor):
        raise TypeError(f"{name}: tensors must be a tuple of Tensors")
    given = list(as_tensors(tensors))
    if not given:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return given


def stack(tensors: Tensors, dim: Int = 0) -> Tensor:
    """Tensors of one shape joined along a new dimension (torch.stack)."""
    given = some(tensors, "stack")
    dim = one_dim(dim, given[0]._data.ndim + 1)
    for i, t in enumerate(given):
        if t._data.shape != given[0]._data.shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(given[0]._data.shape)} at entry 0 and "
                f"{list(t._data.shape)} at entry {i}"
            )
    return stack_op(*given, dim=dim)


def stack_all(self: Tensor, parts: list[Any], dim: int) -> Tensor:
    """stack for derivative rules."""
    return stack(parts, dim)


def concatenate_all(self: Tensor, parts: list[Any], dim: int) -> Tensor:
    """cat for derivative rules."""
    return cat(parts, dim)


def hstack(tensors: Tensors) -> Tensor:
    """Joined side by side: along dimension 1, vectors along 0 (torch.hstack)."""
    given = [reshape(t, (1,)) if not t._data.ndim else t for t in some(tensors, "hstack")]
    return cat(given, 0 if given[0]._data.ndim == 1 else 1)


def vstack(tensors: Tensors) -> Tensor:
    """Joined one below the other: along dimension 0, vectors as rows (torch.vstack)."""
    given = some(tensors, "vstack")
    return cat([atleast_2d(t) for t in given], 0)


def dstack(tensors: Tensors) -> Tensor:
    """Joined along dimension 2 (torch.dstack)."""
    given = some(tensors, "dstack")
    return cat([atleast_3d(t) for t in given], 2)


def column_stack(tensors: Tensors) -> Tensor:
    """Joined side by side, vectors as columns (torch.column_stack)."""
    given = some(tensors, "column_stack")
    return hstack([reshape(t, (t._data.size, 1)) if t._data.ndim <= 1 else t for t in given])


def cartesian_prod(*tensors: Any) -> Tensor:
    """Every way to take one element of each vector, the last one's changing fastest: a row for each
    (torch.cartesian_prod)."""
    given = as_tensors(tensors)
    for t in given:
        if t._data.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(t._data.shape)}")
    grids = [flatten(grid) for grid in meshgrid(given, indexing="ij")]
    return given[0] if len(given) == 1 else stack(grids, 1)
