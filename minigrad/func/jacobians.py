"""Jacobians and Hessians as functions (torch.func.jacrev, jacfwd, hessian): one product for each entry."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from ..autograd.function import transforming
from ..ops.join import stack
from ..ranges import zeros_like
from ..tensor import Tensor
from .level import ARGNUMS
from .products import JVP, VJP, Ran
from .pytree import unflatten
from .vmap import check_randomness, drawing


def jacrev(
    func: Callable[..., Any],
    argnums: ARGNUMS = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """The function that gives func's Jacobian with respect to the arguments argnums, row by row.

    Of the output's structure, and in each of its places that of the arguments, each of shape (*output's, *input's).
    chunk_size changes nothing here: there is one backward for each entry of the output.
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def wrapper(*args: Any) -> Any:
        ran = Ran(func, args, argnums, has_aux, VJP)
        table = []
        for place, output in enumerate(ran.outputs):
            zeros = [zeros_like(o) for o in ran.outputs]
            rows = [ran.pulled([*zeros[:place], one, *zeros[place + 1 :]]) for one in units(output)]
            table.append([joined(column, output.shape + x.shape, x)
                          for column, x in zip(columns(rows, ran.inputs), ran.inputs, strict=True)])  # fmt: skip
        found = unflatten([unflatten(row, ran.input_spec) for row in table], ran.spec)
        return (found, ran.aux) if has_aux else found

    return wrapper


def jacfwd(
    func: Callable[..., Any], argnums: ARGNUMS = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """The function that gives func's Jacobian, as jacrev does, but column by column: one product for each entry of the
    arguments.

    randomness: "error" refuses random operations. func runs once, so that what it draws is the "same" for all columns, also
    where torch draws "different" numbers.
    """

    @functools.wraps(func)
    def wrapper(*args: Any) -> Any:
        check_randomness(randomness)
        with drawing(randomness), transforming("vmap"):
            ran = Ran(func, args, argnums, has_aux, JVP, linear=True)
        table: list[list[Any]] = [[] for _ in ran.outputs]
        for place, x in enumerate(ran.inputs):
            zeros = [zeros_like(other) for other in ran.inputs]
            found = [ran.pushed([*zeros[:place], one, *zeros[place + 1 :]]) for one in units(x)]
            for row, column, out in zip(table, columns(found, ran.outputs), ran.outputs, strict=True):
                flat = joined(column, (x.numel(), *out.shape), out).movedim(0, -1)
                row.append(flat.view(out.shape + x.shape))
        result = unflatten([unflatten(row, ran.input_spec) for row in table], ran.spec)
        return (result, ran.aux) if has_aux else result

    return wrapper


def hessian(func: Callable[..., Any], argnums: ARGNUMS = 0) -> Callable[..., Any]:
    """The function that gives func's second derivatives, the Jacobian of its Jacobian; of one that draws no random numbers."""
    return jacfwd(jacrev(func, argnums), argnums)


def units(tensor: Tensor) -> Iterator[Tensor]:
    """For each entry a tensor of the same shape that is 1 there, and 0 elsewhere."""
    for number in range(tensor.numel()):
        one = zeros_like(tensor).reshape(-1)
        one[number] = 1.0
        yield one.reshape(tensor.shape)


def columns(rows: list[list[Tensor]], like: list[Tensor]) -> list[list[Tensor]]:
    """Rows the other way round; empty ones where there are none."""
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in like]


def joined(parts: list[Tensor], shape: tuple[int, ...], like: Tensor) -> Tensor:
    """All of them in one tensor of this shape."""
    return stack(parts).view(shape) if parts else like.detach().new_zeros(shape)
