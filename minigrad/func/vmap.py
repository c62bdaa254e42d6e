"""A function of one sample made one of a batch (torch.func.vmap): a loop over the slices, and a stack of what it gives.

torch gives every operation a rule for batches, and runs the function once. Here it runs once for each slice: autograd
follows by itself, through slices, captured tensors and other derivatives, and what torch refuses for its rules' sake is done
(`if` and .item() inside). What a function does besides is therefore done once for each slice: what it prints,
what it writes into tensors from outside.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import get_ident
from typing import Any

from ..autograd import slicing
from ..autograd.function import transforming
from ..ops.compare import allclose
from ..ops.join import stack
from ..random import default_generator, no_draws
from ..tensor import Tensor
from .dims import batch_size, check_out_dims, dims_of_inputs, dims_of_outputs, name_of
from .pytree import flatten, unflatten


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """The function that calls func on each slice of its arguments, and gives the outputs stacked: a loop, no batching rules.

    in_dims: along which dimension arguments are sliced; a tuple with one for each, trees where these are trees; None for
    what every call gets whole, as keyword arguments are. out_dims: where the outputs are stacked, likewise; None for what is
    the same in every call. randomness: whether calls draw "different" numbers, the "same", or none ("error"). chunk_size
    changes nothing here. A batch of size 0 is one call on zeros, which tells the outputs' shapes.

    Example: vmap(torch.dot)(x, y) multiplies row by row; vmap(grad(loss), in_dims=(None, 0, 0)) gives per-sample gradients.
    """
    check_randomness(randomness)
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        check_out_dims(func, out_dims)
        leaves, spec = flatten(args)
        dims = dims_of_inputs(func, in_dims, leaves, spec)
        size = batch_size(dims, leaves)
        columns = [slices(x, dim) for x, dim in zip(leaves, dims, strict=True)]
        with drawing(randomness), transforming("vmap"):
            runs = []
            start = default_generator.get_state() if randomness == "same" else None
            for number, row in enumerate(zip(*columns, strict=False)):
                if start is not None:
                    default_generator.set_state(start)
                with on_slice(number + 1 < size):
                    runs.append(flatten(func(*unflatten(row, spec), **kwargs)))
        spec = runs[0][1]
        dims = dims_of_outputs(func, out_dims, spec)
        if any(other != spec for _, other in runs):
            raise ValueError(f"vmap({name_of(func)}, ...): outputs differ in structure from slice to slice")
        parts = zip(*[found for found, _ in runs], strict=True)
        return unflatten([joined(func, p, dim, size) for p, dim in zip(parts, dims, strict=True)], spec)

    return wrapped


def check_randomness(randomness: str) -> None:
    """RuntimeError for what vmap does not know."""
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")


def drawing(randomness: str) -> AbstractContextManager[None]:
    """While a function runs: whether it may draw random numbers."""
    return no_draws() if randomness == "error" else nullcontext()


@contextmanager
def on_slice(more: bool) -> Iterator[None]:
    """While a slice is worked on: backward() is refused, as in torch, and graphs are kept if there is more to come."""
    me = get_ident()
    before = slicing.get(me)
    slicing[me] = more or bool(before)  # around it there may be slices, too
    try:
        yield
    finally:
        if before is None:
            del slicing[me]
        else:
            slicing[me] = before


def slices(x: Any, dim: int | None) -> Iterable[Any]:
    """An argument of each call."""
    if dim is None:
        return itertools.repeat(x)
    return x.unbind(dim) if x.shape[dim] else [x.sum(dim, dtype=x.dtype)]


def joined(func: Callable[..., Any], parts: tuple[Any, ...], dim: int | None, size: int) -> Any:
    """One output of all calls as one tensor."""
    first = parts[0]
    if dim is None:
        if isinstance(first, Tensor) and not all(alike(first, other) for other in parts[1:]):
            name = name_of(func)
            raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
        return first
    for part in parts:
        if not isinstance(part, Tensor):
            name = name_of(func)
            raise ValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(part)}. Did you mean to set out_dims= "
                "to None for output?"
            )
    found = stack(parts, dim)
    return found if size else found.narrow(dim, 0, 0)


def alike(a: Tensor, b: Any) -> bool:
    """Whether two tensors are equal in every element, nan and nan too."""
    return a is b or (isinstance(b, Tensor) and a.shape == b.shape and allclose(a, b, 0.0, 0.0, True))
