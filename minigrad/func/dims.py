"""Along which dimensions vmap slices and stacks: one for each leaf of the arguments and outputs, or torch's words for why not."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..tensor import Tensor
from .pytree import Spec, flatten, spread


def dims_of_inputs(func: Callable[..., Any], in_dims: Any, leaves: list[Any], spec: Spec) -> list[int | None]:
    """Along which dimension each tensor is sliced; ValueError, in torch's words, for what does not fit."""
    name = name_of(func)
    said = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, int | tuple):
        raise ValueError(
            f"{said}expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, got: "
            f"{type(in_dims)}."
        )
    if not spec.children:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a "
            "function with no inputs. The latter is unsupported."
        )
    dims = spread(in_dims, spec)
    if dims is None:
        raise ValueError(
            f"{said}in_dims is not compatible with the structure of `inputs`. in_dims has structure {flatten(in_dims)[1]} "
            f"but inputs has structure {spec}."
        )
    for x, dim in zip(leaves, dims, strict=True):
        if dim is None:
            continue
        if not isinstance(dim, int):
            raise ValueError(
                f"{said}Got in_dim={dim} for an input but in_dim must be either an integer dimension or None."
            )
        if not isinstance(x, Tensor):
            raise ValueError(
                f"{said}Got in_dim={dim} for an input but the input is of type {type(x)}. We cannot vmap over non-Tensor "
                "arguments, please use None as the respective in_dim"
            )
        if not -x.ndim <= dim < x.ndim:
            raise ValueError(
                f"{said}Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {x.ndim} so expected "
                f"in_dim to satisfy -{x.ndim} <= in_dim < {x.ndim}."
            )
    return dims


def batch_size(dims: list[int | None], leaves: list[Any]) -> int:
    """How many slices there are; ValueError unless all tensors agree."""
    sizes = [x.shape[dim] for x, dim in zip(leaves, dims, strict=True) if dim is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(size != sizes[0] for size in sizes):
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    return sizes[0]


def check_out_dims(func: Callable[..., Any], out_dims: Any) -> None:
    """ValueError for anything but whole numbers and None."""
    if not all(dim is None or isinstance(dim, int) for dim in flatten(out_dims)[0]):
        raise ValueError(
            f"vmap({name_of(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of ints "
            "representing where in the outputs the vmapped dimension should appear."
        )


def dims_of_outputs(func: Callable[..., Any], out_dims: Any, spec: Spec) -> list[int | None]:
    """Where each output is stacked; ValueError for another structure."""
    one = spec.kind is None and isinstance(out_dims, tuple) and len(out_dims) == 1
    dims = list(out_dims) if one else spread(out_dims, spec)
    if dims is None:
        raise ValueError(
            f"vmap({name_of(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of "
            f"`outputs`. out_dims has structure {flatten(out_dims)[1]} but outputs has structure {spec}."
        )
    return dims


def name_of(func: Callable[..., Any]) -> str:
    """What a function is called."""
    if hasattr(func, "__name__"):
        return str(func.__name__)
    return f"functools.partial({name_of(func.func)}, ...)" if isinstance(func, functools.partial) else repr(func)
