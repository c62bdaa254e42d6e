"""Tensors made from a range or like another tensor: arange, linspace, eye, zeros_like, new_ones, …

Data becomes tensors in creation.py, random numbers in draws.py.
"""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

from .backend import array_module, memory_order, numpy
from .creation import finish, full, leaf, listed, plain, shape_of
from .dtypes import as_numpy, element, filling, get_default_dtype, result_type
from .dtypes import dtype as Dtype
from .size import contiguous_format
from .tensor import Tensor

if TYPE_CHECKING:
    from .ops.arguments import Float, Int, IntList, Number, Operand


def arange(
    start: Any = None,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: Dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """start, start + step, … up to but without end; whole numbers if all three are (torch.arange)."""
    if start is None and end is None:
        raise TypeError("arange() received an invalid combination of arguments - got (), but expected one of:\n")
    try:
        start, end, step = plain(*((0, start, step) if end is None else (0 if start is None else start, end, step)))
    except TypeError:
        if end is not None:
            return NotImplemented
        raise TypeError(f"arange(): argument 'end' (position 1) must be Number, not {type(start).__name__}") from None
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    whole = not any(isinstance(n, float | numpy.floating) for n in (start, end, step))
    kind = as_numpy(dtype) or (numpy.dtype("int64") if whole else get_default_dtype().np)
    if kind.kind == "b":
        raise NotImplementedError("\"arange_cpu\" not implemented for 'Bool'")
    if kind.name == "int64":  # whose length torch reckons in whole numbers; that of the shorter ones it does not
        start, end, step = int(start), int(end), int(step)
        if step == 0:
            raise ValueError("step must be nonzero")
    length = max(0, math.ceil((end - start) / step))
    if kind.kind != "f":
        values = int(start) + int(step) * numpy.arange(length)
    else:
        values = numpy.arange(float(length)) * step + start
    return finish(values.astype(kind, copy=False), device, requires_grad)


def linspace(
    start: Operand,
    end: Operand,
    steps: Int,
    *,
    dtype: Dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """`steps` numbers at equal distances from start to end, both included (torch.linspace)."""
    return finish(
        spaced(start, end, steps, dtype).astype(as_numpy(dtype) or get_default_dtype().np, copy=False),
        device,
        requires_grad,
    )


def spaced(start: Any, end: Any, steps: int, dtype: Dtype | None, name: str = "linspace") -> Any:
    """The numbers of linspace, not yet cut to whole ones; reckoned from both ends, as torch does: they are symmetric."""
    given = {"start": start, "end": end}
    dims = {which: x._data.ndim for which, x in given.items() if isinstance(x, Tensor)}
    if any(dims.values()):
        found = " and ".join(f"{which} with {n} dimension(s)" for which, n in dims.items())
        raise RuntimeError(f"{name} only supports 0-dimensional start and end tensors, but got {found}.")
    start, end = plain(start, end)
    if operator.index(steps) < 0:
        raise RuntimeError("number of steps must be non-negative")
    kind = as_numpy(dtype) or get_default_dtype().np
    if kind.kind == "b" and steps > 1:
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for 'Bool'")
    low, high = element(start, kind), element(end, kind)
    if kind.kind != "f":  # from whole numbers to whole numbers, but in steps that need not be whole
        low, high = float(low), float(high)
    step = (high - low) / type(low)(max(steps - 1, 1))
    index = numpy.arange(steps)
    along = fused if name == "linspace" and kind.itemsize == 8 else scaled
    values = numpy.where(index < steps // 2, along(low, step, index), along(high, -step, steps - 1 - index))
    values = values if steps != 1 else numpy.array([low])
    return values.astype(kind) if kind.kind == "f" else values


def scaled(start: Any, step: Any, index: Any) -> Any:
    """start + step · index in float64, where a product of float32 is exact: torch rounds product and sum at once."""
    return start + numpy.float64(step) * index


def fused(start: Any, step: Any, index: Any) -> Any:
    """start + step · index in float64, as if rounded once: step is cut in two, so that both products are exact, and what the
    sum loses is added at the end.

    Source: Dekker (1971), A floating-point technique for extending the available precision; Knuth's two-sum.
    """
    step = numpy.float64(step)
    upper = (step.view(numpy.int64) & -(1 << 27)).view(numpy.float64)  # half of the digits
    product = upper * index
    total = start + product
    lost = (start - (total - (total - start))) + (product - (total - start))
    found = total + (lost + (step - upper) * index)
    return numpy.where(numpy.isfinite(found), found, scaled(start, step, index))


def logspace(
    start: Operand, end: Operand, steps: Int, base: Float = 10.0, *, dtype: Dtype | None = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """base to the powers of linspace(start, end, steps) (torch.logspace)."""
    return finish(
        (base ** spaced(start, end, steps, dtype, "logspace")).astype(as_numpy(dtype) or get_default_dtype().np),
        device,
        requires_grad,
    )


def eye(
    n: int, m: int | None = None, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A matrix with ones on its diagonal (torch.eye)."""
    for name, value in (("n", n), ("m", m)):
        if value is not None and value < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {value}")
    return finish(numpy.eye(n, m, dtype=as_numpy(dtype) or get_default_dtype().np), device, requires_grad)


def empty(*size: Any, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """An uninitialized tensor of a size (torch.empty)."""
    return finish(
        numpy.empty(shape_of(size, "empty"), as_numpy(dtype) or get_default_dtype().np), device, requires_grad
    )


def scalar_tensor(s: Number, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A number as a 0-d tensor of the default floating dtype (torch.scalar_tensor)."""
    (s,) = plain(s)
    return full(
        (),
        float(s) if dtype is None else s,
        dtype=dtype or get_default_dtype(),
        device=device,
        requires_grad=requires_grad,
    )


# ------------------------------------------------------------------ like another tensor


def order_of(data: Any, memory_format: Any) -> Any:
    """The order in memory, as NumPy names it, of what is made like `data`: its own unless told otherwise."""
    return "C" if memory_format is contiguous_format else memory_order(data)


def _like(name: str, words: str) -> Any:
    def call(
        input: Tensor,
        *,
        dtype: Dtype | None = None,
        layout: Any = None,
        device: Any = None,
        pin_memory: bool = False,
        requires_grad: bool = False,
        memory_format: Any = None,
    ) -> Tensor:
        data = input._data
        order = order_of(data, memory_format)
        made = getattr(array_module(data), f"{name}_like")(data, as_numpy(dtype) or data.dtype, order)
        return leaf(made, requires_grad) if device is None else finish(made, device, requires_grad)

    call.__name__ = call.__qualname__ = f"{name}_like"
    call.__doc__ = f"{words} of another tensor's size, dtype and device (torch.{name}_like)."
    return call


zeros_like, ones_like, empty_like = _like("zeros", "Zeros"), _like("ones", "Ones"), _like("empty", "A tensor")


def full_like(
    input: Tensor,
    fill_value: Number,
    *,
    dtype: Dtype | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """One value in another tensor's size, dtype and on its device (torch.full_like)."""
    data = input._data
    (value,) = plain(fill_value)
    element = filling(value, as_numpy(dtype) or data.dtype, data.size)
    made = array_module(data).full_like(data, element, element.dtype, order_of(data, memory_format))
    return leaf(made, requires_grad) if device is None else finish(made, device, requires_grad)


def _new(name: str, words: str) -> Any:
    def call(
        self: Tensor, *size: Any, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False
    ) -> Tensor:
        made = getattr(array_module(self._data), name)(shape_of(size), as_numpy(dtype) or self._data.dtype)
        return leaf(made, requires_grad) if device is None else finish(made, device, requires_grad)

    call.__name__ = call.__qualname__ = f"new_{name}"
    call.__doc__ = f"{words} of a size, with this tensor's dtype and device (torch.Tensor.new_{name})."
    return call


new_zeros, new_ones, new_empty = _new("zeros", "Zeros"), _new("ones", "Ones"), _new("empty", "A tensor")


def new(self: Tensor, *data: Any, device: Any = None) -> Tensor:
    """A tensor of this one's dtype and device, made as torch.Tensor makes one: of a size, of values, or a view of a tensor
    (torch.Tensor.new, from before there were new_zeros and its like)."""
    from .legacy import TYPES

    made = TYPES[f"{self.dtype.type_name}Tensor"](*data)
    return made.to(device=self.device if device is None else device)


def new_full(
    self: Tensor,
    size: IntList,
    fill_value: Number,
    *,
    dtype: Dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """One value in a size, with this tensor's dtype and device (torch.Tensor.new_full)."""
    (value,) = plain(fill_value)
    shape = shape_of(listed(size))
    element = filling(value, as_numpy(dtype) or self._data.dtype, math.prod(shape))
    made = array_module(self._data).full(shape, element)
    return finish(made, device, requires_grad)


# ------------------------------------------------------------------ dtypes of results


def torch_result_type(tensor1: Operand, tensor2: Operand) -> Dtype:
    """The dtype of an operation on two tensors or numbers (torch.result_type)."""
    plain(*[x for x in (tensor1, tensor2) if not isinstance(x, Tensor)])
    return result_type(tensor1, tensor2)


torch_result_type.__name__ = "result_type"


def is_nonzero(input: Tensor) -> bool:
    """Whether the only element is not 0 (torch.is_nonzero)."""
    return bool(input)
