"""What users call to pick and write elements by masks, and to ask where elements are not 0: arguments checked, then
gather.py's operations. Picking by index tensors is in pick.py.
"""

from __future__ import annotations

from typing import Any

from ..backend import array_module, in_order, in_use, numpy
from ..dtypes import filling, get_default_dtype, result_type
from ..errors import warn_once
from ..tensor import Tensor, from_array
from . import gather as ops
from .arguments import Bool, Ints, Operand
from .inplace import refuse
from .promotion import Number as Numbers
from .promotion import common_shape, differentiable, differentiable_inplace, mismatch, on_one_device, operand
from .reduce import dims
from .validate import ABSENT, flag


def check_broadcast(mask: Any, operand: Any) -> None:
    """RuntimeError, in torch's words, for an operand (a number fits) that a mask does not broadcast with."""
    x, y = getattr(mask, "_data", mask), operand._data
    if isinstance(operand, Tensor) and y.ndim and x.shape != y.shape and (fault := mismatch(x.shape, y.shape)):
        raise fault


def masked_fill(input: Tensor, mask: Tensor, value: Operand) -> Tensor:
    """A copy of input with one value where the mask holds (torch.masked_fill)."""
    if mask._data.dtype.kind != "b":
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype.c_name}")
    if isinstance(value, Tensor):
        if value._data.ndim:
            raise RuntimeError(
                f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value._data.ndim} dimension(s)."
            )
        differentiable(input, value)
        check_broadcast(mask, input)
        return ops.masked_fill_tensor_op(input, value, mask=mask)
    check_broadcast(mask, input)
    return ops.masked_fill_op(input, mask=mask, number=operand(value)._data)


def masked_fill_inplace(input: Tensor, mask: Tensor, value: Operand) -> Tensor:
    """masked_fill for masked_fill_, of which torch names the tensor's size first, and looks at the value last."""
    if mask._data.dtype.kind == "b" and not (isinstance(value, Tensor) and value._data.ndim):
        common = common_shape([input._data.shape, mask._data.shape])
        refuse(input, common, input.dtype)
    return differentiable_inplace(masked_fill)(input, mask, value)


masked_fill_inplace.__name__ = "masked_fill"


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where the mask holds, one after the other (torch.masked_select)."""
    if mask._data.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    check_broadcast(mask, input)
    return ops.masked_select_op(input, mask=mask)


def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """A copy of input with the elements of source, one after the other, where the mask holds (torch.masked_scatter)."""
    if mask._data.dtype.kind != "b":
        raise RuntimeError(
            f"masked_scatter_ only supports boolean masks, but got mask with dtype {mask.dtype.type_name}"
        )
    if input._data.dtype is not source._data.dtype:
        raise RuntimeError(
            f"masked_scatter: expected self and source to have same dtypes but got{input.dtype.type_name} and "
            f"{source.dtype.type_name}"
        )
    check_broadcast(mask, input)
    return ops.masked_scatter_op(input, source, mask=mask)


def masked_scatter_inplace(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """masked_scatter for masked_scatter_, where the mask is what has to be expanded."""
    if mask._data.dtype.kind == "b" and input._data.dtype is source._data.dtype:
        mask.expand(input._data.shape)  # which refuses, in torch's words, what does not fit
    return masked_scatter(input, mask, source)


masked_scatter_inplace.__name__ = "masked_scatter"


def where(condition: Tensor, self: Operand = ABSENT, other: Operand = ABSENT) -> Any:
    """The one (`input`) where the condition holds, the other elsewhere; without them where it holds (torch.where)."""
    if self is ABSENT and other is ABSENT:
        return nonzero(condition, as_tuple=True)
    if self is ABSENT or other is ABSENT:
        return NotImplemented
    data: Any = getattr(condition, "_data", condition)
    if data.dtype.kind != "b":
        if data.dtype != numpy.uint8:
            raise RuntimeError(
                f"where expected condition to be a boolean tensor, but got a tensor with dtype {from_array(data).dtype.type_name}"
            )
        warn_once(
            "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of "
            "PyTorch. Use a boolean condition instead."
        )
        condition = from_array(data := data.astype(bool))
    a, b = operand(self), operand(other)
    if in_use:
        condition, a, b = on_one_device((condition, a, b)) or (condition, a, b)
    if not isinstance(a, Tensor) and not isinstance(b, Tensor):
        kind = get_default_dtype() if isinstance(self, float) or isinstance(other, float) else result_type(self, other)
        a, b = (from_array(array_module(data).asarray(x._data, kind.np)) for x in (a, b))
    for plain in [each for each in (a, b) if not isinstance(each, Tensor)]:
        filling(plain._data, result_type(self, other).np)  # which may refuse it
    shapes = [x._data.shape for x in (condition, a, b) if isinstance(x, Tensor)]
    if shapes.count(shapes[0]) < len(shapes):
        common_shape(shapes)  # for the error, which names them in this order
    return ops.where_op(a, b, condition=condition)


def where_method(self: Tensor, condition: Any, other: Any) -> Tensor:
    """self where the condition holds, other elsewhere (torch.Tensor.where)."""
    if not isinstance(other, (Tensor, *Numbers)) or not hasattr(condition, "dtype"):
        return NotImplemented
    return where(condition, self, other)


where_method.__name__ = where_method.__qualname__ = "where"


# ------------------------------------------------------------------ positions


def nonzero(input: Tensor, *, as_tuple: Bool = False) -> Any:
    """Where the elements are not 0: one row for each, or one vector for each dimension (torch.nonzero)."""
    data = input._data
    if not flag(as_tuple) and not data.ndim:
        return from_array(array_module(data).zeros((int(bool(data)), 0), "int64"))
    found = array_module(data).stack((data if data.ndim else data.reshape(1)).nonzero())
    return tuple([from_array(places) for places in found]) if as_tuple else from_array(found.T)


def argwhere(input: Tensor) -> Tensor:
    """Where the elements are not 0, one row for each (torch.argwhere)."""
    return nonzero(input)


def count_nonzero(input: Tensor, dim: Ints | None = None) -> Tensor:
    """How many elements are not 0, in all or along dim (torch.count_nonzero)."""
    data = input._data
    module = array_module(data)
    return from_array(in_order(module.asarray(module.count_nonzero(data, axis=dims(dim, data.ndim)), dtype="int64")))
