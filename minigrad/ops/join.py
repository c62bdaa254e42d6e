"""Joining tensors: cat, stack and their shorthands.

An operation of n inputs needs n rules; they are made once for each n.
"""

from __future__ import annotations

import functools
from typing import Any

from .. import rules
from ..backend import array_module
from ..tensor import Tensor
from .arguments import Int, Tensors, as_tensors
from .define import Op
from .layout import atleast_2d, atleast_3d, flatten, meshgrid
from .reduce import one_dim
from .shape import reshape


def cat_vjp(position: int) -> Any:
    """The rule of cat's input number `position`: its own part of the gradient."""

    def rule(grad: Any, dim: int, bounds: tuple[int, ...]) -> Any:
        return grad[(slice(None),) * dim + (slice(bounds[position], bounds[position + 1]),)]

    return rule


def stack_vjp(position: int) -> Any:
    """The rule of stack's input number `position`."""
    return lambda grad, dim: grad[(slice(None),) * dim + (position,)]


def nothing_vjp(grad: Any) -> Any:
    """An empty vector, which cat passes over, gets an empty gradient."""
    return rules.zeros(grad, (0,))


def all_or_none(op: Op) -> Op:
    """`op`, whose node computes the gradients of all its inputs even if a walk wants one alone, as torch's do."""
    op.rules.node.narrows = False
    return op


@functools.cache
def cat_op(passed: tuple[bool, ...]) -> Op:
    """cat of so many tensors; `passed` marks the empty vectors that it passes over."""

    def forward(*xs: Any, dim: int, bounds: tuple[int, ...]) -> Any:
        kept = [x for x, skip in zip(xs, passed, strict=True) if not skip] or list(xs[:1])
        module = array_module(xs[0])
        return module.ascontiguousarray(module.concatenate(kept, dim))

    rules: dict[str, Any] = {f"t{i}": nothing_vjp if skip else cat_vjp(i) for i, skip in enumerate(passed)}
    return all_or_none(Op("CatBackward0", forward, promotes=True, elementwise=False, **rules))


@functools.cache
def stack_op(count: int) -> Op:
    """stack of so many tensors."""
    rules: dict[str, Any] = {f"t{i}": stack_vjp(i) for i in range(count)}

    def forward(*xs: Any, dim: int) -> Any:
        module, new = array_module(xs[0]), (slice(None),) * dim + (None,)
        return module.ascontiguousarray(module.concatenate([x[new] for x in xs], dim))

    return all_or_none(Op("StackBackward0", forward, promotes=True, elementwise=False, **rules))


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
    return cat_op(passed)(*given, dim=dim, bounds=tuple(bounds))


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
    return stack_op(len(given))(*given, dim=dim)


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
