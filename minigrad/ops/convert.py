"""Changing dtype and device, asking for sizes, and filling: methods of Tensor besides arithmetic."""

from __future__ import annotations

import builtins
import math
from builtins import bool as _truth  # `bool` is a conversion below
from collections.abc import Callable
from typing import Any

from .. import rules
from ..autograd.grad_mode import is_grad_enabled, records
from ..autograd.graph import NO_EDGE
from ..backend import address, array_module, in_use, numpy, to_device, to_host
from ..creation import COPIED, ONE_ELEMENT, tensor
from ..dtypes import (
    BY_NUMPY,
    as_numpy,
    bool_,
    filling,
    float16,
    float32,
    float64,
    get_default_dtype,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from ..dtypes import dtype as Dtype
from ..errors import said, warn, warn_once
from ..size import channels_last, contiguous_format, preserve_format
from ..size import device as Device
from ..tensor import Tensor, from_array
from .arguments import Bool, Format, Operand, Place, is_format, is_place
from .define import Op
from .inplace import check_memory, check_overlap, check_writable, fill, same_place, write
from .promotion import operand, refusal
from .shape import cast as to_numpy_dtype
from .shape import cast_op


def moved(x: Any, device: Device) -> Any:
    """An array on a device; a Tensor likewise, with its history."""
    if isinstance(x, Tensor):
        return to(x, device=device)
    return to_device(x, device.index or 0) if device.type == "cuda" else to_host(x)


def move_vjp(grad: Any, home: Device) -> Any:
    """The gradient of a transfer: the same numbers, brought back to `home`, the device the tensor came from."""
    return moved(grad, home)


def elsewhere(wanted: Device, home: Device) -> _truth:
    """Whether an array would have to be moved; `cuda` without a number is any GPU."""
    return wanted.type != home.type or (wanted.type == "cuda" and wanted.index not in (None, home.index))


move_op = Op("ToCopyBackward0", lambda x, wanted, home: moved(x, wanted), self=move_vjp)


def is_dtype(x: Any) -> _truth:
    """Whether x is a dtype, or a Python type that means one."""
    return isinstance(x, Dtype) or x in (_truth, builtins.int, builtins.float)


def destination(args: tuple[Any, ...], dtype: Any = None, device: Any = None, tensor: Any = None) -> Any:
    """What the arguments of `to` say: a dtype and a device, None for as it is, and whether to copy. NotImplemented for
    arguments that it does not take. As in torch a fractional number counts as a tensor of it."""
    args = args if tensor is None else (tensor, *args)
    first, rest = args[0] if args else None, args[1:]
    if isinstance(first, Tensor):
        dtype, device = first.dtype, first.device
    elif is_dtype(first):
        dtype = first
    elif isinstance(first, builtins.float | _truth):
        dtype, device = bool_ if isinstance(first, _truth) else float64, "cpu"
    elif isinstance(first, str | Device | builtins.int | None):
        device = device if first is None else first
        if rest and (rest[0] is None or not isinstance(rest[0], _truth)):
            dtype, rest = rest[0], rest[1:]
    else:
        return NotImplemented
    if len(rest) > 2 or not all(isinstance(arg, _truth) for arg in rest) or not (dtype is None or is_dtype(dtype)):
        return NotImplemented
    return dtype, device, rest[1:] == (True,)  # the one before is non_blocking


def to(
    self: Tensor,
    *args: Any,
    dtype: Dtype | None = None,
    device: Any = None,
    non_blocking: Bool = False,
    copy: Bool = False,
    memory_format: Any = None,
    tensor: Tensor | None = None,
) -> Tensor:
    """The tensor with another dtype, on another device, or like another tensor; itself if nothing changes."""
    found = destination(args, dtype, device, tensor)
    if found is NotImplemented:
        return NotImplemented
    dtype, device, copied = found
    copy = copy or copied
    out = self if dtype is None else to_numpy_dtype(self, as_numpy(dtype))
    if device is not None and elsewhere(wanted := Device(device), home := out.device):
        out = move_op(out, wanted=wanted, home=home)
    return cast_op(self, dtype=self._data.dtype) if copy and out is self else out


def _converter(name: str, wanted: Dtype) -> Callable[..., Tensor]:
    def call(self: Tensor, *, memory_format: Any = None) -> Tensor:
        return to_numpy_dtype(self, wanted.np)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The tensor as torch.{wanted.name}."
    return call


double, float, half = _converter("double", float64), _converter("float", float32), _converter("half", float16)
long, int, short = _converter("long", int64), _converter("int", int32), _converter("short", int16)
char, byte, bool = _converter("char", int8), _converter("byte", uint8), _converter("bool", bool_)


def detach(input: Tensor) -> Tensor:
    """The same elements, outside of the graph (torch.detach)."""
    return input.detach()


def cpu(self: Tensor) -> Tensor:
    """The tensor in host memory."""
    return to(self, "cpu")


def cuda(
    self: Tensor, device: Place | None = None, non_blocking: Bool = False, *, memory_format: Format = preserve_format
) -> Tensor:
    """The tensor on a GPU, on the one that `device` says or else the current one; RuntimeError for a device that is none.
    non_blocking, memory_format: taken and without effect."""
    if not (isinstance(non_blocking, _truth) and is_format(memory_format) and (device is None or is_place(device))):
        return NotImplemented
    if (wanted := Device("cuda" if device is None else device)).type != "cuda":
        raise RuntimeError("Invalid device, must be cuda device")
    return to(self, device=wanted)


def type(self: Tensor, dtype: Any = None, non_blocking: Bool = False) -> Any:
    """The name of the tensor's type, as 'torch.FloatTensor'; or the tensor converted to `dtype`."""
    if dtype is None:
        return f"torch.{'cuda.' if self.device.type == 'cuda' else ''}{self.dtype.type_name}Tensor"
    if isinstance(dtype, str):
        named = next((d for d in BY_NUMPY.values() if dtype == f"torch.{d.type_name}Tensor"), None)
        if named is None:
            raise ValueError(f"invalid type: '{dtype}'")
        dtype = named
    if not isinstance(dtype, Dtype):
        from ..legacy import TensorType

        if isinstance(dtype, builtins.type) and dtype is not Tensor:
            raise ValueError(f"invalid type: '{dtype.__name__}'")
        if dtype is not Tensor and not isinstance(dtype, TensorType):
            raise TypeError("dtype must be a type, str, or dtype object")
        dtype = get_default_dtype() if dtype is Tensor else dtype.dtype
    return to(self, dtype)


def type_as(self: Tensor, other: Tensor) -> Tensor:
    """The tensor with the dtype of another."""
    return to(self, other.dtype)


def numel(self: Tensor) -> Any:
    """The number of elements."""
    return self._data.size


def dim(self: Tensor) -> Any:
    """The number of dimensions."""
    return self._data.ndim


def element_size(self: Tensor) -> Any:
    """Bytes per element."""
    return self._data.itemsize


def data_ptr(self: Tensor) -> Any:
    """The address of the first element; 0 if there is none."""
    data = self.storage()
    return address(data) if data.size else 0


def is_contiguous(self: Tensor, *, memory_format: Format = contiguous_format) -> Any:
    """Whether the elements lie in memory in the order of the indices, or with memory_format=channels_last, which only 4-D
    tensors can do, those of one place side by side."""
    if not is_format(memory_format):
        return NotImplemented
    data = self.storage()
    if memory_format is not channels_last:
        return data.flags.c_contiguous
    return data.ndim == 4 and all(
        size == 1 or stride == data.itemsize * math.prod([data.shape[at] for at in inside])
        for size, stride, inside in zip(data.shape, data.strides, INSIDE_OF_CHANNELS_LAST, strict=True)
    )


INSIDE_OF_CHANNELS_LAST = (1, 2, 3), (), (1, 3), (1,)  # of N, C, H, W: which dimensions one step passes over


def is_floating_point(self: Tensor) -> Any:
    """Whether the elements are floating-point numbers."""
    return self._data.dtype.kind == "f"


def is_tensor(x: Any) -> Any:
    """Whether x is a Tensor."""
    return isinstance(x, Tensor)


def new_tensor(
    self: Tensor, data: Any, *, dtype: Dtype | None = None, device: Any = None, requires_grad: Bool = False
) -> Tensor:
    """`data` as a tensor of this tensor's dtype and on its device by default."""
    if isinstance(data, Tensor):
        warn(COPIED.format("tensor.new_tensor"))
        data = data.detach().cpu().numpy()
    return tensor(data, dtype=dtype or self.dtype, device=device or self.device, requires_grad=requires_grad)


def fill_(self: Tensor, value: Operand) -> Tensor:
    """Every element set to one value, in place; what was there before gets no gradient."""
    check_writable(self, (value,))
    if not isinstance(value, Tensor):
        number = operand(value)._data
        if self._edge is not NO_EDGE and records():
            write(self, fill_op(self, value=number))
        else:
            fill(self, filling(number, self._data.dtype, self._data.size))
        return self
    if value._data.ndim:
        raise RuntimeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {value._data.ndim} dimensions."
        )
    check_memory(self)
    write(self, fill_tensor_op(self, value))
    return self


def fitting(src: Any, x: Any) -> Any:
    """src, broadcast to the shape of x; RuntimeError in torch's words where it cannot be."""
    if src.shape == x.shape:
        return src
    try:
        common = numpy.broadcast_shapes(src.shape, x.shape)
    except ValueError as error:
        raise refusal(error, x, src) from error
    if common != x.shape:
        raise RuntimeError(f"output with shape {list(x.shape)} doesn't match the broadcast shape {list(common)}")
    return array_module(x).broadcast_to(src, x.shape)


def no_part_vjp(grad: Any) -> Any:
    """z = something else in self's place: no gradient."""
    return rules.zeros(grad, grad.shape)


def cast_back_vjp(grad: Any, home: Any) -> Any:
    """z = src in another dtype: the gradient in src's own, `home`, before the walk sums over what was stretched."""
    return rules.cast(grad, home)


fill_op = Op(
    "FillBackward2", lambda x, value: array_module(x).full_like(x, filling(value, x.dtype, x.size)), self=no_part_vjp
)
fill_tensor_op = Op(
    "FillBackward3",
    lambda x, value: array_module(x).full_like(x, value),
    stretches=True,
    self=no_part_vjp,
    value=lambda grad: grad,
)
zero_op = Op("ZeroBackward0", lambda x: array_module(x).zeros_like(x), self=no_part_vjp)
copy_op = Op(
    "CopyBackwards",
    lambda x, src, home: fitting(src, x).astype(x.dtype),
    stretches=True,
    self=no_part_vjp,
    src=cast_back_vjp,
)


def zero_(self: Tensor) -> Tensor:
    """Every element set to 0, in place."""
    check_writable(self)
    if self._edge is not NO_EDGE and records():
        write(self, zero_op(self))
    else:
        fill(self, 0)
    return self


def copied(self: Tensor) -> Tensor:
    """A copy whose history says so, as torch's AccumulateGrad makes it under create_graph."""
    return copy_op(from_array(self._data * 0), self, home=self._data.dtype)


def copy_(self: Tensor, other: Operand, non_blocking: Bool = False) -> Tensor:
    """The elements of `other`, broadcast and converted as needed, written into this tensor; by then they are there."""
    if non_blocking is not True and non_blocking is not False:
        raise TypeError("copy_: non_blocking must be a bool")
    check_writable(self, (other,) if self.is_floating_point() else ())
    if not (isinstance(other, Tensor) and same_place(self, other)):
        check_memory(self)
        check_overlap(self, other)
    if not isinstance(other, Tensor):
        other = tensor(operand(other)._data, device=self.device)
    elif in_use:
        other = to(other, self.device)
    write(self, copy_op(self, other, home=other._data.dtype))
    return self


TO_SCALAR = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\nConsider using "
    "tensor.detach() first."
)


def one_value(self: Tensor) -> Any:
    """The one element."""
    if self._data.size != 1:
        raise ValueError(ONE_ELEMENT)
    return self._data.item()


def as_float(self: Tensor) -> Any:
    """float(self); a warning, once, if a gradient is wanted for it, which ends here unless nothing is recorded."""
    if self.requires_grad and TO_SCALAR not in said and is_grad_enabled():
        warn_once(TO_SCALAR)
    return builtins.float(one_value(self))


def as_int(self: Tensor) -> Any:
    """int(self): no warning, as in torch; a whole number never had a gradient."""
    return builtins.int(one_value(self))
