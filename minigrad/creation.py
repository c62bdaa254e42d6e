"""Making tensors from data: tensor(), Tensor(), as_tensor(), from_numpy(); and from a size: zeros(), ones(), full().

Those made from a range are in ranges.py, random ones in draws.py.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import MutableSequence, Sequence
from typing import TYPE_CHECKING, Any

from .backend import array_module, check_64_bits, ndarray, numpy, to_device, to_host
from .dtypes import (
    BY_NUMPY,
    as_numpy,
    filling,
    get_default_dtype,
    of_number,
    promote_types,
    python_number,
    with_our_dtype,
)
from .dtypes import dtype as Dtype
from .errors import FLOATS_ONLY, warn, warn_once
from .printing import typename
from .size import chosen
from .size import device as Device
from .tensor import Tensor, from_array

if TYPE_CHECKING:
    from .ops.arguments import IntList, Number


COPIED = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than {}(sourceTensor)."
)


def tensor(data: Any, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A new tensor with a copy of `data`: a number, nested lists, an array or a tensor (torch.tensor).

    Python floats become the default dtype, ints int64, arrays keep theirs. A leaf.
    """
    if isinstance(data, Tensor):
        warn(COPIED.format("torch.tensor"))
    array = _array(data, as_numpy(dtype))
    if device is None and chosen.device is None and hasattr(getattr(data, "_data", data), "__cuda_array_interface__"):
        device = home_of(data)
    return finish(array, device, requires_grad)


def home_of(data: Any) -> Device | None:
    """The GPU on which a tensor is, or an array of CuPy's; None for all else."""
    array = data._data if isinstance(data, Tensor) else data
    return Device("cuda", array.device.id) if array_module(array) is not numpy else None


def finish(array: Any, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A leaf around a fresh array, on its device."""
    if device is None:
        device = chosen.device
    if device is not None:
        wanted = Device(device)
        array = to_device(array, wanted.index or 0) if wanted.type == "cuda" else to_host(array)
    return leaf(array, requires_grad)


def leaf(array: Any, requires_grad: bool) -> Tensor:
    """A leaf around a fresh array, where that is."""
    out = from_array(array if array.ndim else array[()])  # of 0-d a scalar, as a computed one is
    if requires_grad is not False and requires_grad is not None:
        if requires_grad is not True:
            raise TypeError("requires_grad must be a bool")
        if array.dtype.kind != "f":
            raise RuntimeError(FLOATS_ONLY)
        out.requires_grad = True
    return out


def _array(data: Any, dtype: Any) -> Any:
    """A fresh array of `data`, in the dtype torch would infer."""
    if isinstance(data, Tensor):
        return to_host(data._data).astype(dtype or data._data.dtype)
    if hasattr(data, "__cuda_array_interface__"):
        data = to_host(data)
    if isinstance(data, ndarray | numpy.generic):
        check_known(data.dtype)
        return with_our_dtype(numpy.array(data, dtype=dtype))
    if type(data) is not list and isinstance(data, MutableSequence | bytearray | memoryview):
        data = list(data)  # the standard library's arrays are rows of numbers
    kinds = {*map(type, leaves := _leaves(data))}
    if not kinds <= NUMBERS and any(isinstance(x, Tensor) and x.requires_grad for x in leaves):
        from .ops.convert import TO_SCALAR

        warn_once(TO_SCALAR)
    if ndarray in kinds and any(type(x) is ndarray and x.ndim for x in leaves):
        warn_once(ROW_BY_ROW)
    try:
        array = numpy.array(data if kinds <= NUMBERS else _plain(data))
    except ValueError as error:
        if str(error) == ONE_ELEMENT:
            raise (TypeError(NO_INDEX) if is_whole(data, dtype) else error) from None
        array = numpy.zeros(_shape_of(data))  # unless this raises, every row is as empty as the first one
    if array.dtype.kind not in "biuf" or array.dtype == numpy.uint64:
        if not kinds <= NUMBERS or (float not in kinds if dtype is None else dtype.kind not in "fb"):
            raise _not_a_number(data)
        array = numpy.array(data, "float64")  # whole numbers that only a floating-point one is as large as
    if not array.size:
        return array.astype(dtype or get_default_dtype().np)
    if dtype is not None:
        if array.dtype.kind == "f" != dtype.kind and any(isinstance(x, Tensor) and is_float(x) for x in _leaves(data)):
            raise TypeError(NO_INDEX)
        return fitting_dtype(array, dtype)
    if array.dtype.kind != "f":
        return array
    return array.astype(get_default_dtype().np if kinds <= NUMBERS else _float_of(data), copy=False)


def is_float(x: Any) -> bool:
    """Whether a number, or a tensor or array of them, is a floating-point one."""
    return isinstance(x, float) or getattr(getattr(x, "_data", x), "dtype", INT64).kind == "f"


def is_whole(data: Any, dtype: Any) -> bool:
    """Whether a tensor of `data` would hold whole numbers or bools."""
    return dtype.kind != "f" if dtype is not None else not any(map(is_float, _leaves(data)))


def check_known(dtype: Any) -> None:
    """TypeError for a dtype of NumPy that there is not here; torch also has complex numbers and wider ones without a sign."""
    if dtype not in BY_NUMPY:
        raise TypeError(
            f"can't convert np.ndarray of type {dtype.type.__module__}.{dtype.type.__name__}. The only supported types are: "
            "float64, float32, float16, int64, int32, int16, int8, uint8, and bool."
        )


INT64 = numpy.dtype("int64")
NUMBERS = {float, int, bool}  # Python's own
MOST_DIMS = 64  # that an array has
ROW_BY_ROW = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a single "
    "numpy.ndarray with numpy.array() before converting to a tensor."
)
ONE_ELEMENT = "only one element tensors can be converted to Python scalars"
NO_INDEX = "only integer tensors of a single element can be converted to an index"


def _plain(data: Any) -> Any:
    """Nested sequences with the tensors in them turned into numbers."""
    if isinstance(data, Tensor):
        from .ops.convert import one_value

        return data._data.dtype.type(one_value(data))
    if isinstance(data, list | tuple | range):
        return [_plain(x) for x in data]
    return data


def _leaves(data: Any) -> list[Any]:
    """The elements of nested sequences, one after the other."""
    level = [data]
    for _ in range(MOST_DIMS):  # all lists of one depth at once
        lists = [issubclass(kind, list | tuple) for kind in {*map(type, level)}]
        if not any(lists):
            return level
        if not all(lists):
            break
        level = [*itertools.chain.from_iterable(level)]
    else:
        raise ValueError("too many dimensions 'list'")
    return [leaf for each in level for leaf in (_leaves(each) if isinstance(each, list | tuple) else [each])]


def _float_of(data: Any) -> Any:
    """The dtype of nested sequences with floating-point numbers among them: arrays, tensors and NumPy's numbers bring
    their own, Python's floats the default one."""
    kinds: set[Any] = {getattr(getattr(x, "_data", x), "dtype", type(x)) for x in _leaves(data)} - {int, bool}
    return functools.reduce(promote_types, [BY_NUMPY.get(kind) or get_default_dtype() for kind in kinds]).np


def _not_a_number(data: Any) -> Exception:
    """torch's error for something among the data that is no number, or too large a one."""
    first = data
    while isinstance(first, list | tuple) and first:
        first = first[0]
    if isinstance(first, str) and first is not data:  # whose elements torch looks for, too, and they are words again
        return ValueError("too many dimensions 'str'")
    for x in _leaves(data):
        if isinstance(x, str | bytes):
            return TypeError(f"new(): invalid data type '{type(x).__name__}'")
        if isinstance(x, int) and not -(2**63) <= x < 2**63:
            return ValueError("Overflow when unpacking long long")
        if not isinstance(x, bool | int | float | numpy.generic | ndarray | Tensor):
            return RuntimeError(f"Could not infer dtype of {type(x).__name__}")
    return TypeError(f"new(): invalid data type '{type(data).__name__}'")


def fitting_dtype(array: Any, dtype: Any) -> Any:
    """array as `dtype`; RuntimeError for a number that an integer dtype cannot hold."""
    if dtype.kind in "iu":
        info = numpy.iinfo(dtype)
        low = -info.max if dtype.kind == "u" and array.dtype.kind != "f" else info.min
        if not ((array >= low) & (array <= info.max)).all():
            raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
    return array.astype(dtype)


def _is_row(x: Any) -> bool:
    """Whether a tensor of `x` would have dimensions."""
    return isinstance(x, list | tuple | range) or (isinstance(x, ndarray) and x.ndim > 0)


def _shape_of(data: Any) -> tuple[int, ...]:
    """The shape that the first element of each row promises; an error, in torch's words, where another breaks it."""
    shape: list[int] = []
    first = data
    while _is_row(first):
        shape.append(len(first))
        if not len(first):
            break
        first = first[0]
    _keep_to(data, shape, 0)
    return tuple(shape)


def _keep_to(data: Any, shape: list[int], dim: int) -> None:
    if dim == len(shape):
        if _is_row(data) and shape[-1]:
            if isinstance(data, ndarray):
                raise TypeError("only integer scalar arrays can be converted to a scalar index")
            raise TypeError(f"'{type(data).__name__}' object cannot be interpreted as an integer")
        return
    if not _is_row(data):
        if 0 in shape:
            return  # torch looks for no more numbers
        raise TypeError("not a sequence")
    if len(data) != shape[dim] and 0 not in shape:
        raise ValueError(f"expected sequence of length {shape[dim]} at dim {dim} (got {len(data)})")
    for x in data:
        _keep_to(x, shape, dim + 1)


def legacy_tensor(data: tuple[Any, ...], dtype: Dtype | None = None, device: Any = None) -> Tensor:
    """What torch.Tensor(2, 3) (sizes), torch.Tensor([1.0]) (values) or torch.Tensor(x) (a view of a tensor) makes; sizes and
    values of the default dtype unless told. RuntimeError for a device other than the host."""
    if device is not None and (kind := Device(device).type) != "cpu":
        raise RuntimeError(f"legacy constructor expects device type: cpu but device type: {kind} was passed")
    if len(data) == 1 and isinstance(data[0], Tensor):
        if device is not None:
            raise RuntimeError(
                "Legacy tensor constructor of the form torch.Tensor(tensor, device=device) is not supported.  Use "
                "torch.tensor(...) or torch.as_tensor(...) instead."
            )
        from .ops.views import alias_op  # the operations build on this module

        return alias_op(data[0])
    return from_array(_legacy_array(data, as_numpy(dtype) or get_default_dtype().np))


def _legacy_array(data: tuple[Any, ...], kind: Any) -> Any:
    if not data:
        return numpy.empty((0,), kind)
    if not isinstance(data[0], bool) and all(isinstance(n, int) for n in data):
        check_sizes(data)
        return numpy.zeros(tuple(map(int, data)), kind)
    if len(data) > 1:
        raise TypeError("new() received an invalid combination of arguments")
    if isinstance(data[0], tuple) and type(data[0]).__name__ == "Size":
        return numpy.zeros(data[0], kind)
    if data[0] is None or isinstance(data[0], bool | float | numpy.generic | dict):
        raise TypeError(f"new(): data must be a sequence (got {typename(data[0])})")
    return _array(data[0], kind)


def as_tensor(data: Any, *, dtype: Dtype | None = None, device: Any = None) -> Tensor:
    """`data` as a tensor, sharing storage where dtype and device allow (torch.as_tensor)."""
    device = chosen.device if device is None else device
    if isinstance(data, Tensor):
        return data.to(dtype=dtype, device=device)
    if isinstance(data, ndarray) and dtype in (None, BY_NUMPY.get(data.dtype)):
        return from_numpy(data).to(device=device)
    return tensor(data, dtype=dtype, device=device)


NOT_WRITABLE = (
    "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means writing to this tensor "
    "will result in undefined behavior. You may want to copy the array to protect its data or make it writable before converting "
    "it to a tensor. This type of warning will be suppressed for the rest of this program."
)


def from_numpy(array: Any) -> Tensor:
    """A tensor that shares the array's memory (torch.from_numpy)."""
    if not isinstance(array, ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    check_known(array.dtype)
    if any(step % array.itemsize for step in array.strides):
        raise ValueError(
            "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the memory."
        )
    if any(step < 0 for step in array.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not currently "
            "supported. (You can probably work around this by making a copy of your array  with array.copy().) "
        )
    if not array.flags.writeable:
        warn_once(NOT_WRITABLE)
    # an array of its own, to which nobody else gives another shape
    return from_array(array.view(BY_NUMPY[array.dtype].np, ndarray))


def shape_of(size: tuple[Any, ...], name: str = "new_zeros") -> tuple[int, ...]:
    """zeros(2, 3) and zeros((2, 3)) mean the same; RuntimeError for a negative size."""
    if not size:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    wanted = tuple(size[0]) if len(size) == 1 and isinstance(size[0], list | tuple) else size
    if wanted and isinstance(wanted[0], bool):  # where sizes are several, torch looks at the first
        raise TypeError(f"{name}(): argument 'size' (position 1) must be tuple of ints, not bool")
    shape = tuple([n if isinstance(n, int) and not isinstance(n, bool) else n.__index__() for n in wanted])
    for n in shape:
        if n < 0 and name == "zeros":
            raise RuntimeError("zeros: Dimension size must be non-negative.")
        if n < 0:
            check_sizes(shape)
    return shape


def check_sizes(shape: Sequence[int]) -> None:
    """RuntimeError, in torch's words, for a negative size."""
    for n in shape:
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(shape)}")


def plain(*values: Any) -> list[Any]:
    """0-d tensors as the numbers they hold; TypeError for what is no number, OverflowError for what 64 bits do not hold."""
    numbers = [v.item() if isinstance(v, Tensor) and not v._data.ndim else v for v in values]
    for v in numbers:
        check_64_bits(v)
        if not isinstance(v, bool | int | float | numpy.generic):
            raise TypeError(f"expected a number, got {type(v).__name__}")
    return numbers


def listed(size: Any) -> tuple[Any, ...]:
    """A size given as one tuple; TypeError for anything else, such as a lone int."""
    if not isinstance(size, tuple | list):
        raise TypeError(f"size must be a tuple of ints, not {type(size).__name__}")
    return (size,)


def zeros(*size: Any, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Zeros of a size (torch.zeros)."""
    return finish(
        numpy.zeros(shape_of(size, "zeros"), as_numpy(dtype) or get_default_dtype().np), device, requires_grad
    )


def ones(*size: Any, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Ones of a size (torch.ones)."""
    return finish(numpy.ones(shape_of(size, "ones"), as_numpy(dtype) or get_default_dtype().np), device, requires_grad)


def full(
    size: IntList, fill_value: Number, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A size filled with one value, whose type decides the dtype (torch.full)."""
    (value,) = plain(fill_value)
    kind = as_numpy(dtype) or of_number(python_number(value)).np
    shape = shape_of(listed(size))
    return finish(numpy.full(shape, filling(value, kind, math.prod(shape))), device, requires_grad)
