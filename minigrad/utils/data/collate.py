"""Samples put together into a batch: numbers and arrays become tensors, containers keep their form."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

from ...backend import numpy
from ...creation import as_tensor, tensor
from ...dtypes import float64
from ...ops.join import stack
from ...tensor import Tensor

NOT_THESE = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def of_tensors(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """Stacked."""
    return stack(batch, 0)


def of_arrays(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """As tensors, stacked. TypeError for arrays of words or objects."""
    if batch[0].dtype.kind in "SUO":
        raise TypeError(NOT_THESE.format(batch[0].dtype))
    return collate([as_tensor(each) for each in batch], collate_fn_map=collate_fn_map)


def of_array_numbers(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """NumPy's numbers, of their own dtype."""
    return as_tensor(batch)


def of_floats(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """Python's floating-point numbers are double."""
    return tensor(batch, dtype=float64)


def of_integers(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """Whole numbers, or bools."""
    return tensor(batch)


def of_words(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """Left as they are."""
    return batch


default_collate_fn_map: dict[Any, Callable[..., Any]] = {
    Tensor: of_tensors,
    numpy.ndarray: of_arrays,
    (numpy.bool_, numpy.number, numpy.object_): of_array_numbers,
    float: of_floats,
    int: of_integers,
    str: of_words,
    bytes: of_words,
}


def for_type(first: Any, functions: Mapping[Any, Callable[..., Any]]) -> Callable[..., Any] | None:
    """The function for samples like the first one: for its type itself, or else for one that it is an instance of."""
    found = functions.get(type(first))
    return found or next((function for kind, function in functions.items() if isinstance(first, kind)), None)


def like(container: Any, items: dict[Any, Any] | list[Any]) -> Any:
    """A container like another one with these items; the items themselves where it cannot be copied or made of them."""
    try:
        if not isinstance(container, MutableMapping | MutableSequence):
            return type(container)(items)
        clone = copy.copy(container)
        for key, value in items.items() if isinstance(items, dict) else enumerate(items):
            clone[key] = value
        return clone
    except TypeError:
        return items


def collate(batch: Any, *, collate_fn_map: Mapping[Any, Callable[..., Any]] | None = None) -> Any:
    """One batch of several samples (torch.utils.data._utils.collate.collate).

    collate_fn_map: for a type, or several, what puts its samples together. Anything else is a container: the batch is
    one like the first sample, of batches; a tuple becomes a list.
    Example: [(x0, 3), (x1, 5)] → [stack of x0 and x1, tensor([3, 5])]
    """
    first = batch[0]
    if function := for_type(first, collate_fn_map or {}):
        return function(batch, collate_fn_map=collate_fn_map)

    def merged(samples: Any) -> Any:
        return collate(samples, collate_fn_map=collate_fn_map)

    kind = type(first)
    if isinstance(first, Mapping):
        return like(first, {key: merged([each[key] for each in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return kind(*map(merged, zip(*batch, strict=False)))
    if isinstance(first, Sequence):
        if any(len(each) != len(first) for each in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [merged(samples) for samples in zip(*batch, strict=True)]
        return columns if isinstance(first, tuple) else like(first, columns)
    raise TypeError(NOT_THESE.format(kind))


def default_collate(batch: Any) -> Any:
    """The default function by which a DataLoader combines samples into a batch (torch.utils.data.default_collate)."""
    return collate(batch, collate_fn_map=default_collate_fn_map)


def default_convert(data: Any) -> Any:
    """A single sample with tensors for NumPy's arrays and numbers (torch.utils.data.default_convert)."""
    kind = type(data)
    if isinstance(data, numpy.ndarray | numpy.generic):
        return data if data.dtype.kind in "SUO" else as_tensor(data)
    if isinstance(data, Mapping):
        return like(data, {key: default_convert(each) for key, each in data.items()})
    if isinstance(data, tuple):
        return kind(*map(default_convert, data)) if hasattr(data, "_fields") else [default_convert(d) for d in data]
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return like(data, [default_convert(each) for each in data])
    return data
