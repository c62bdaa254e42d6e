"""Comparisons, logic and bits: results without gradients."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from .. import rules
from ..autograd.grad_mode import is_grad_enabled
from ..backend import array_module, ndarray
from ..dtypes import BY_NUMPY, result_type
from ..strides import in_first_order
from ..tensor import Tensor, from_array
from .arguments import Bool, Float, Operand
from .define import Op
from .promotion import (
    REFUSALS,
    Number,
    as_element,
    check_castable,
    common,
    operand,
    operands,
    refusal,
    retry,
    unsupported,
)
from .shape import view
from .validate import flag, number


def result(found: Any, x: Any, y: Any) -> Tensor:
    """The tensor of what was found of arrays, element by element, in the order in memory of the first one."""
    if found.ndim > 1 and not x.flags.c_contiguous and x.strides != getattr(y, "strides", ()):
        found = in_first_order(found, x, y)
    return from_array(found)


def _comparison(compare: Callable[[Any, Any], Any], name: str) -> Callable[..., Any]:
    def call(input: Tensor, other: Operand) -> Any:
        ready = operands(input, other)
        if ready is None:
            return NotImplemented
        try:
            return result(compare(ready[2], ready[3]), ready[2], ready[3])
        except REFUSALS as error:
            return retry(call, error, *ready[:4])

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Elementwise {name}, as bools (torch.{name})."
    return call


eq = _comparison(operator.eq, "eq")
ne = _comparison(operator.ne, "ne")
lt = _comparison(operator.lt, "lt")
le = _comparison(operator.le, "le")
gt = _comparison(operator.gt, "gt")
ge = _comparison(operator.ge, "ge")


def equals(input: Tensor, other: Any) -> Any:
    """input == other: the one operator for which torch itself takes a NumPy array. The others leave it to NumPy, which
    makes an array of the tensor, if it may, and of the result a tensor again."""
    known = isinstance(other, ndarray) and other.dtype in BY_NUMPY
    return eq(input, from_array(other) if known else other)


def _written(compare: Callable[[Any, Any], Any], name: str) -> Callable[..., Any]:
    """A comparison to be written into its first operand: recorded, unlike the plain one, with zeros for gradients."""

    def forward(x: Any, y: Any) -> Any:
        return compare(x, y).astype(x.dtype)

    def zero_vjp(grad: Any) -> Any:
        """z = a step function: the gradient is 0."""
        return rules.zeros(grad, grad.shape)

    node = f"{name.capitalize()}Backward"
    of_tensor = Op(f"{node}1", forward, stretches=True, self=zero_vjp, other=zero_vjp)
    of_number = Op(f"{node}0", lambda x, number: forward(x, number), self=zero_vjp)

    def call(input: Tensor, other: Operand) -> Any:
        if isinstance(other, Number):
            number = operand(other)._data
            whole = isinstance(number, int) and input._data.dtype.kind in "iu"
            return of_number(input, number=as_element(number, input._data.dtype) if whole else number)
        if not isinstance(other, Tensor):
            return NotImplemented
        if input._data.dtype.kind in "iu" and other._data.dtype.kind in "iu":
            other = other.to(result_type(input, other))  # where -1 among bytes is 255
        try:
            return of_tensor(input, other)
        except ValueError as error:
            raise refusal(error, input._data, other._data) from error

    call.__name__ = call.__qualname__ = name
    return call


eq_written, ne_written = _written(operator.eq, "eq"), _written(operator.ne, "ne")
lt_written, le_written = _written(operator.lt, "lt"), _written(operator.le, "le")
gt_written, ge_written = _written(operator.gt, "gt"), _written(operator.ge, "ge")


def _logical(name: str) -> Callable[..., Any]:
    def call(input: Tensor, other: Tensor) -> Tensor:
        x, y = common((input, other))
        try:
            return result(getattr(array_module(x), name)(x, y), x, y)
        except (ValueError, TypeError) as error:
            return retry(call, error, input, other, x, y)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{name} of the truth of two tensors, element by element (torch.{name})."
    return call


logical_and, logical_or, logical_xor = _logical("logical_and"), _logical("logical_or"), _logical("logical_xor")


def logical_not(input: Tensor) -> Tensor:
    """Where the elements are 0 (torch.logical_not)."""
    return from_array(array_module(input._data).logical_not(input._data))


def _bits(combine: Callable[[Any, Any], Any], name: str, kernel: str, refused: str = "f") -> list[Callable[..., Any]]:
    """The operation, and the same to be written into its first operand, which torch looks at first."""

    def call(input: Operand, other: Operand) -> Any:
        if not isinstance(input, Tensor) and not isinstance(other, Tensor):
            return NotImplemented
        if not isinstance(input, (Tensor, *Number)) or not isinstance(other, (Tensor, *Number)):
            return NotImplemented
        x, y = common((operand(input), operand(other)))
        try:
            if x.dtype.kind in refused:
                raise unsupported(kernel, x, y)
            return result(combine(x, y), x, y)
        except ValueError as error:
            raise refusal(error, x, y) from error

    def written(input: Tensor, other: Operand) -> Any:
        from .inplace import refuse_write  # which builds on operations

        if isinstance(other, Tensor):
            refuse_write(input, other)
        elif isinstance(other, Number):
            check_castable(result_type(input, other), input.dtype)
        return call(input, other)

    for function in (call, written):
        function.__name__ = function.__qualname__ = name
        function.__doc__ = f"torch.{name}, for whole numbers and bools."
    return [call, written]


bitwise_and, bitwise_and_written = _bits(operator.and_, "bitwise_and", "bitwise_and_cpu")
bitwise_or, bitwise_or_written = _bits(operator.or_, "bitwise_or", "bitwise_or_cpu")
bitwise_xor, bitwise_xor_written = _bits(operator.xor, "bitwise_xor", "bitwise_xor_cpu")
bitwise_left_shift, bitwise_left_shift_written = _bits(
    operator.lshift, "bitwise_left_shift", "lshift_cpu", refused="fb"
)
bitwise_right_shift, bitwise_right_shift_written = _bits(
    operator.rshift, "bitwise_right_shift", "rshift_cpu", refused="fb"
)


def bitwise_not(input: Tensor) -> Tensor:
    """Every bit flipped (torch.bitwise_not)."""
    if input._data.dtype.kind == "f":
        raise unsupported("bitwise_not_cpu", input._data)
    return from_array(~input._data)


def invert(input: Tensor) -> Tensor:
    """~input, for whole numbers and bools."""
    if input._data.dtype.kind == "f":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return from_array(~input._data)


def look(*inputs: Tensor) -> None:
    """RuntimeError for a view that may not be read any more, where torch's own is composed of what asks for grad_fn."""
    if is_grad_enabled():
        for each in inputs:
            each.grad_fn


def _test(name: str, composed: bool = False) -> Callable[[Tensor], Tensor]:
    def call(input: Tensor) -> Tensor:
        if composed:
            look(input)
        return from_array(getattr(array_module(input._data), name)(input._data))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"torch.{name}, element by element."
    return call


isnan, isinf, isfinite = _test("isnan"), _test("isinf"), _test("isfinite", composed=True)


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and elements (torch.equal)."""
    return input._data.shape == other._data.shape and bool((input._data == other._data).all())


def isclose(input: Tensor, other: Tensor, rtol: Float = 1e-5, atol: Float = 1e-8, equal_nan: Bool = False) -> Tensor:
    """Which elements agree within atol + rtol · |other| (torch.isclose); RuntimeError for different dtypes."""
    close = _close(input, other, rtol, atol, equal_nan)
    look(input, other)
    return result(array_module(close).asarray(close), input._data, other._data)


def _close(input: Tensor, other: Tensor, rtol: float, atol: float, equal_nan: bool) -> Any:
    x, y = input._data, other._data
    if x.dtype is not y.dtype:
        raise RuntimeError(f"{input.dtype.type_name} did not match {other.dtype.type_name}")
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if not number(tolerance) >= 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {tolerance:g}")
    try:
        return array_module(x).isclose(x, y, rtol, atol, flag(equal_nan))
    except ValueError as error:
        raise refusal(error, x, y) from error


def allclose(input: Tensor, other: Tensor, rtol: Float = 1e-5, atol: Float = 1e-8, equal_nan: Bool = False) -> bool:
    """Whether all elements agree within atol + rtol · |other| (torch.allclose)."""
    return bool(_close(input, other, rtol, atol, equal_nan).all())


def isin(elements: Operand, test_elements: Operand, *, assume_unique: Bool = False, invert: Bool = False) -> Tensor:
    """Which elements are among the others, or are not (torch.isin). assume_unique is a promise that is not needed here."""
    flag(assume_unique)
    if not isinstance(elements, Tensor) and not isinstance(test_elements, Tensor):
        return NotImplemented
    x, y = (operand(t)._data for t in (elements, test_elements))
    for t in (elements, test_elements):
        if isinstance(t, Tensor) and t._data.dtype.kind == "b":
            raise RuntimeError(f"Unsupported input type encountered for isin(): {t.dtype.type_name}")
    module = array_module(x if isinstance(elements, Tensor) else y)
    x, y = module.asarray(x), module.asarray(y)
    if isinstance(test_elements, Tensor) and y.size < int(10 * x.size**0.145):
        common = result_type(elements, test_elements)  # few are compared one by one, and torch refuses some layouts
        y = view(from_array(y).to(common), (-1,))._data
    return from_array(module.asarray(module.isin(x, y, invert=flag(invert))))
