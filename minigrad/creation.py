"""Making tensors from data: tensor(), Tensor(), as_tensor(), from_numpy(), zeros(), ones(), arange(), rand(), …"""

from __future__ import annotations

from typing import Any

from .autograd.graph import NO_EDGE
from .backend import ndarray, numpy, to_device, to_host
from .dtypes import BY_NUMPY, as_numpy, dtype as Dtype, get_default_dtype
from .size import device as Device
from .tensor import Tensor, from_array


def tensor(data: Any, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A new tensor with a copy of `data`: a number, nested lists, an array or a tensor (torch.tensor).

    Python floats become the default dtype, ints int64, arrays keep theirs. A leaf.
    """
    array = _array(data, as_numpy(dtype))
    return finish(array, device, requires_grad)


def finish(array: Any, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A leaf around a fresh array, on its device."""
    if device is not None and (wanted := Device(device)).type == "cuda":
        array = to_device(array, wanted.index or 0)
    out = from_array(array)
    out._grad = None
    if requires_grad:
        if array.dtype.kind != "f":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        out.requires_grad = True
    return out


def _array(data: Any, dtype: Any) -> Any:
    """A fresh array of `data`, in the dtype torch would infer."""
    if isinstance(data, Tensor):
        return to_host(data._data).astype(dtype or data._data.dtype)
    if isinstance(data, ndarray | numpy.generic):
        if data.dtype not in BY_NUMPY:
            raise TypeError(
                f"can't convert np.ndarray of type {data.dtype.type.__module__}.{data.dtype.type.__name__}. The only "
                "supported types are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, "
                "uint64, uint32, uint16, uint8, and bool."
            )
        return numpy.array(data, dtype=dtype)
    if isinstance(data, str):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    try:
        array = numpy.array(_plain(data))
    except ValueError as error:
        raise ValueError(_ragged(data)) from error
    if array.dtype.kind == "f" and not _holds_arrays(data):
        return array.astype(dtype or get_default_dtype().np)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"new(): invalid data type '{_first(data)}'")
    return array.astype(dtype) if dtype is not None else array if array.size else array.astype(get_default_dtype().np)


def _plain(data: Any) -> Any:
    """Nested sequences with the tensors in them turned into arrays."""
    if isinstance(data, Tensor):
        return to_host(data._data)
    if isinstance(data, list | tuple):
        return [_plain(x) for x in data]
    return data


def _holds_arrays(data: Any) -> bool:
    if isinstance(data, list | tuple):
        return bool(data) and _holds_arrays(data[0])
    return isinstance(data, ndarray | Tensor)


def _first(data: Any) -> str:
    while isinstance(data, list | tuple) and data:
        data = data[0]
    return type(data).__name__


def _ragged(data: Any, dim: int = 0) -> str:
    """torch's words for lists of uneven length."""
    lengths = [len(x) if isinstance(x, list | tuple) else None for x in data]
    for x, n in zip(data, lengths, strict=True):
        if n != lengths[0]:
            if lengths[0] is None or n is None:
                return f"expected sequence of length {lengths[0] or n} at dim {dim + 1} (got {n or 0})"
            return f"expected sequence of length {lengths[0]} at dim {dim + 1} (got {n})"
        del x
    return _ragged([y for x in data for y in x], dim + 1) if lengths[0] is not None else "ragged"


def legacy_tensor(data: tuple[Any, ...]) -> Any:
    """The array behind torch.Tensor(2, 3) (sizes) or torch.Tensor([1.0]) (values), always of the default dtype."""
    default = get_default_dtype().np
    if not data:
        return numpy.empty((0,), default)
    if all(isinstance(n, int) for n in data):
        return numpy.zeros(data, default)
    if len(data) > 1:
        raise TypeError("new() received an invalid combination of arguments")
    if isinstance(data[0], tuple) and type(data[0]).__name__ == "Size":
        return numpy.zeros(data[0], default)
    return _array(data[0], default)


def as_tensor(data: Any, dtype: Dtype | None = None, device: Any = None) -> Tensor:
    """`data` as a tensor, sharing storage where dtype and device allow (torch.as_tensor)."""
    if isinstance(data, Tensor):
        return data if dtype in (None, data.dtype) else data.to(dtype)
    if isinstance(data, ndarray) and dtype in (None, BY_NUMPY.get(data.dtype)):
        return from_numpy(data)
    return tensor(data, dtype=dtype, device=device)


def from_numpy(array: Any) -> Tensor:
    """A tensor that shares the array's memory (torch.from_numpy)."""
    if not isinstance(array, ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    out = from_array(array)
    out._grad = None
    return out


def _shape(size: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else tuple(size)


def zeros(*size: Any, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Zeros of a size (torch.zeros)."""
    return finish(numpy.zeros(_shape(size), as_numpy(dtype) or get_default_dtype().np), device, requires_grad)


def ones(*size: Any, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Ones of a size (torch.ones)."""
    return finish(numpy.ones(_shape(size), as_numpy(dtype) or get_default_dtype().np), device, requires_grad)


def full(
    size: Any, fill_value: Any, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A size filled with one value, whose type decides the dtype (torch.full)."""
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    kind = as_numpy(dtype) or _array(value, None).dtype
    return finish(numpy.full(tuple(size), value, kind), device, requires_grad)
