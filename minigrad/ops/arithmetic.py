"""Division with a remainder, arithmetic with a factor, and powers: the operations of //, %, add(alpha=…) and **.

The plain +, -, * and / are in pointwise.py, on the fast path.
"""

from __future__ import annotations

from typing import Any

from .. import rules
from ..backend import array_module, check_64_bits, constant, in_order, in_single, ndarray, numpy
from ..dtypes import BY_NUMPY, element, float64, result_type
from ..strides import in_first_order
from ..tensor import Tensor, from_array
from .arguments import Number, Operand
from .define import Op
from .pointwise import add_op, div_op, mul_op, pow_vjp, pow_vjp_exponent, pow_vjp_self, power, sub_op
from .promotion import (
    BOOL_SUBTRAHEND,
    PLAIN,
    as_0d_array,
    as_element,
    common_shape,
    mismatch,
    operand,
    refuse_bools,
    unsupported,
)
from .promotion import Number as Numbers
from .underivable import Underivable
from .validate import number

# ------------------------------------------------------------------ rules


def whole_vjp_self(grad: Any, other: Any, rounding_mode: str) -> Any:
    """z = self / other made whole: a step function of both. (torch's rule serves exact division too, and saves for it.)"""
    return rules.zeros(grad, grad.shape)


def whole_vjp_other(grad: Any, self: Any, other: Any, rounding_mode: str) -> Any:
    """z = self / other made whole: a step function of both."""
    return rules.zeros(grad, grad.shape)


def remainder_vjp_other(grad: Any, self: Any, other: Any) -> Any:
    """z = self - q · other with q = ⌊self / other⌋: -q."""
    return -grad * div_mode_op.of(self, other, rounding_mode="floor")


def fmod_vjp_other(grad: Any, self: Any, other: Any) -> Any:
    """z = self - q · other with q = self / other cut off: -q."""
    return -grad * div_mode_op.of(self, other, rounding_mode="trunc")


def add_alpha_vjp(grad: Any, alpha: float) -> Any:
    """z = self + alpha · other: other gets alpha times the gradient."""
    return grad * alpha


def sub_alpha_vjp(grad: Any, alpha: float) -> Any:
    """z = self - alpha · other."""
    return -grad if alpha == 1 else -grad * alpha


def same_vjp(grad: Any) -> Any:
    """z = self ± …: the gradient as it is."""
    return grad


def rpow_vjp(grad: Any, self: float, exponent: Any, result: Any) -> Any:
    """z = self ** exponent, a number to a tensor's power: z · ln self; for the base 0, 0 where the exponent is ≥ 0."""
    slope = result * float(numpy.log(self))
    return grad * (slope if self else rules.where(exponent >= 0, rules.zeros(slope, slope.shape), slope))


# ------------------------------------------------------------------ forwards


def _whole(x: Any, y: Any, kernel: str) -> bool:
    """Whether whole numbers are divided, which cannot be done by 0, nor with bools."""
    if "f" in (x.dtype.kind, y.dtype.kind):
        return False
    if x.dtype.kind == "b":
        raise unsupported(kernel, x, y)
    if x.size and not array_module(y).all(y):
        raise mismatch(x.shape, y.shape) or RuntimeError("ZeroDivisionError")
    return True


def _floor_divide(x: Any, y: Any) -> Any:
    module = array_module(x)
    if _whole(x, y, "div_floor_cpu"):
        return module.floor_divide(x, y)
    whole = module.floor_divide(x, y)
    if module is not numpy:  # CuPy's takes an infinite x for one that can be divided
        whole = module.where(module.isinf(x), numpy.nan, whole)
    return module.where(y == 0, x / y, whole).astype(module.result_type(x, y))


def _remainder(x: Any, y: Any) -> Any:
    module = array_module(x)
    if _whole(x, y, "remainder_cpu"):
        return module.remainder(x, y)
    rest = module.fmod(x, y)
    return module.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest).astype(x.dtype)


def _fmod(x: Any, y: Any) -> Any:
    _whole(x, y, "fmod_cpu")  # which refuses what cannot be done
    return array_module(x).fmod(x, y)


def _trunc_divide(x: Any, y: Any) -> Any:
    module = array_module(x)
    if _whole(x, y, "div_trunc_cpu"):
        return ((x - module.fmod(x, y)) // y).astype(x.dtype)
    return module.trunc(x / y)


def _divide_mode(x: Any, y: Any, rounding_mode: str) -> Any:
    return _floor_divide(x, y) if rounding_mode == "floor" else _trunc_divide(x, y)


@in_single
def _sum(x: Any, factor: Any, y: Any) -> Any:
    return x + factor * y


def _scaled_sum(x: Any, y: Any, alpha: Any) -> Any:
    return _sum(x, element(alpha, y.dtype), y)


def _scaled_difference(x: Any, y: Any, alpha: Any) -> Any:
    return _sum(x, -element(alpha, y.dtype), y)


def _difference_from(x: Any, y: Any, alpha: Any) -> Any:
    found = y - x.dtype.type(alpha) * x
    return found if found.ndim < 2 else in_first_order(found, y, x)


def _difference_from_number(x: Any, other: Any, alpha: Any) -> Any:
    if other and type(x) is ndarray:
        other = constant(other, x.dtype)
    return other - (x if alpha == 1 else x * alpha)


def _int_power(x: Any, y: Any) -> Any:
    """Powers of whole numbers, where NumPy refuses negative exponents: torch cuts 1 / x^|y| off."""
    module = array_module(y)
    if x.dtype.kind == "b":
        raise unsupported("pow", x, y)
    if x.dtype.kind != "i" or not (y < 0).any():
        return module.power(x, y)
    ones = module.where(x == 1, 1, module.where(x == -1, 1 - 2 * (abs(y) % 2), 0))
    return module.where(y < 0, ones, module.power(x, module.where(y < 0, 0, y))).astype(x.dtype)


add_alpha_op = Op("AddBackward0", _scaled_sum, promotes=True, self=same_vjp, other=add_alpha_vjp)
sub_alpha_op = Op("SubBackward0", _scaled_difference, promotes=True, self=same_vjp, other=sub_alpha_vjp)
rsub_tensor_op = Op(
    "RsubBackward0", _difference_from, promotes=True, elementwise=False, self=sub_alpha_vjp, other=same_vjp
)
rsub_op = Op("RsubBackward1", _difference_from_number, self=sub_alpha_vjp)
div_mode_op = Op("DivBackward2", _divide_mode, promotes=True, self=whole_vjp_self, other=whole_vjp_other)
remainder_scalar_op = Op(
    "RemainderBackward0", lambda x, other: _remainder(x, as_element(other, x.dtype)), self=same_vjp
)
remainder_op = Op("RemainderBackward1", _remainder, promotes=True, self=same_vjp, other=remainder_vjp_other)
rremainder_op = Underivable("remainder", lambda x, input: _remainder(as_0d_array(input, x), x), "other")
fmod_scalar_op = Op("FmodBackward0", lambda x, other: _fmod(x, as_element(other, x.dtype)), self=same_vjp)
fmod_op = Op("FmodBackward1", _fmod, promotes=True, self=same_vjp, other=fmod_vjp_other)
pow_scalar_op = Op("PowBackward0", power, self=pow_vjp)
pow_tensor_op = Op("PowBackward1", _int_power, promotes=True, self=pow_vjp_self, exponent=pow_vjp_exponent)
rpow_op = Op("PowBackward2", lambda x, self: in_order(_int_power(as_element(self, x.dtype), x)), exponent=rpow_vjp)

# ------------------------------------------------------------------ what users call


def add(input: Operand, other: Operand, *, alpha: Number = 1) -> Tensor:
    """input + alpha · other (torch.add)."""
    return _with_factor(input, other, alpha, add_op, add_alpha_op)


def sub(input: Operand, other: Operand, *, alpha: Number = 1) -> Tensor:
    """input - alpha · other (torch.sub)."""
    refuse_bools(input, other)
    return _with_factor(input, other, alpha, sub_op, sub_alpha_op)


def _with_factor(input: Any, other: Any, alpha: Any, plain: Any, scaled: Op) -> Tensor:
    if not isinstance(other, Tensor):
        input, other = in_front(input, other), operand(other)._data
    if alpha == 1 and type(alpha) is int:
        return plain(input, other)
    alpha = number(alpha)
    if isinstance(alpha, bool) and result_type(input, other).category:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    common_shape([x._data.shape for x in (input, other) if isinstance(x, Tensor)])
    whole_factor("alpha", alpha, input, other)
    return scaled(operand(input), operand(other), alpha=alpha)


def whole_factor(name: str, factor: Any, *operands: Any) -> None:
    """RuntimeError, in torch's words, for a fraction of whole numbers."""
    floating = isinstance(operands[0], Tensor) and operands[0]._data.dtype.kind == "f"
    if isinstance(factor, float) and not floating and result_type(*operands).category < 2:
        raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number.")


def rsub(input: Tensor, other: Operand, *, alpha: Number = 1) -> Tensor:
    """other - alpha · input (torch.rsub)."""
    if type(alpha) is not int:
        number(alpha)
    if type(other) in PLAIN and input._data.dtype.kind == "f":
        if type(other) is int:
            check_64_bits(other)
        return rsub_op.on(input, {"other": other, "alpha": alpha})
    if "b" in (input._data.dtype.kind, getattr(getattr(other, "_data", None), "dtype", input._data.dtype).kind):
        if isinstance(other, Numbers) and not isinstance(other, bool):
            raise RuntimeError(BOOL_SUBTRAHEND)
        return sub(other, input) if isinstance(other, Tensor) else sub_op(other, input)
    if isinstance(other, Tensor):
        common_shape([other._data.shape, input._data.shape])  # for the error, which names them in this order
        return rsub_tensor_op(input, other, alpha=alpha)
    if not isinstance(other, Numbers):
        return NotImplemented
    other = operand(other)._data
    refuse_bools(input, other)
    wide = _as_result(input, other)
    return rsub_op(wide, other=as_element(other, wide._data.dtype), alpha=alpha)


def in_front(number: Any, other: Any) -> Any:
    """A number before a tensor, or another number, as the 0-d tensor that torch makes of it, and saves."""
    if isinstance(number, Tensor):
        return number
    data, wanted = numpy.asarray(operand(number)._data), result_type(number, other)
    if BY_NUMPY[data.dtype].category == wanted.category:
        data = data.astype(wanted.np)
    return from_array(array_module(getattr(other, "_data", data)).asarray(data))


def mul(input: Operand, other: Operand) -> Tensor:
    """input · other (torch.mul)."""
    return mul_op(in_front(input, other), other if isinstance(other, Tensor) else operand(other)._data)


def div(input: Operand, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
    """input / other; rounding_mode "floor" or "trunc" rounds it (torch.div)."""
    other = other if isinstance(other, Tensor) else operand(other)._data
    if rounding_mode is None:
        if isinstance(input, int) and isinstance(other, Tensor) and other.dtype.category < 2:
            input = float(input)  # it need not fit the whole numbers, as the quotient is none
        return div_op(in_front(input, other), other)
    if not isinstance(rounding_mode, str):
        raise TypeError("div: rounding_mode must be a str")
    if rounding_mode not in ("floor", "trunc"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    return div_mode_op(operand(in_front(input, other)), operand(other), rounding_mode=rounding_mode)


def true_divide(input: Operand, other: Operand) -> Tensor:
    """input / other, never rounded (torch.true_divide)."""
    return div(input, other)


def _floor_division(name: str) -> Any:
    of_tensors = Underivable(name, _floor_divide, "self", "other", promotes=True)
    by_number = Underivable(name, lambda x, other: _floor_divide(x, as_element(other, x.dtype)), "self")
    of_number = Underivable(name, lambda x, input: _floor_divide(as_0d_array(input, x), x), "other")

    def call(input: Operand, other: Operand) -> Tensor:
        if not isinstance(input, (Tensor, *Numbers)) or not isinstance(other, (Tensor, *Numbers)):
            return NotImplemented
        input = in_front(input, other) if not isinstance(other, Tensor) else input
        if isinstance(input, Tensor) and isinstance(other, Tensor):
            return of_tensors(input, other)
        if isinstance(input, Tensor):
            return by_number(_as_result(input, other), other=operand(other)._data)
        return of_number(_as_result(other, input), input=operand(input)._data)

    call.__name__ = call.__qualname__ = name.rstrip("_")
    call.__doc__ = "⌊input / other⌋ (torch.floor_divide, //)."
    return call


# torch has no derivative for either, and says of which
floor_divide, floor_divide_inplace = _floor_division("floor_divide"), _floor_division("floor_divide_")


def remainder(input: Operand, other: Operand) -> Tensor:
    """input - ⌊input / other⌋ · other, with the sign of other (torch.remainder, %)."""
    return _rest(input, other, remainder_op, remainder_scalar_op)


def fmod(input: Tensor, other: Operand) -> Tensor:
    """The remainder of input / other, with the sign of input (torch.fmod)."""
    return _rest(input, other, fmod_op, fmod_scalar_op)


def _rest(input: Any, other: Any, of_tensor: Op, of_number: Op) -> Tensor:
    if isinstance(input, Tensor) and isinstance(other, Tensor):
        return of_tensor(input, other)
    if isinstance(input, Tensor) and isinstance(other, Numbers):
        return of_number(_as_result(input, other), other=operand(other)._data)
    if isinstance(input, Numbers) and isinstance(other, Tensor):
        return rremainder_op(_as_result(other, input), input=operand(input)._data)
    return NotImplemented


def _as_result(input: Any, number: Any) -> Tensor:
    """Integers in the dtype that a number makes of them; floating-point tensors as they are."""
    if input._data.dtype.kind == "f":
        return input
    return input.to_numpy_dtype(result_type(input, number).np)


def pow(input: Operand, exponent: Operand) -> Tensor:
    """input ** exponent; one of the two may be a number (torch.pow)."""
    if type(exponent) in PLAIN and isinstance(input, Tensor) and input._data.dtype.kind == "f":
        return pow_scalar_op.on(input, {"exponent": exponent})
    if not isinstance(input, Tensor):
        return rpow(exponent, input) if isinstance(exponent, Tensor) else NotImplemented
    if isinstance(exponent, Tensor):
        return pow_tensor_op(input, exponent)
    if not isinstance(exponent, Numbers):
        return NotImplemented
    exponent = operand(exponent)._data
    if input._data.dtype.kind in "biu" and isinstance(exponent, int) and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return pow_scalar_op(_as_result(input, exponent), exponent=exponent)


def rpow(exponent: Tensor, base: Any) -> Tensor:
    """base ** exponent, as Python asks for it where base cannot: of a number in front."""
    if isinstance(base, Tensor):
        return pow(base, exponent)
    if not isinstance(base, Numbers):
        return NotImplemented
    return rpow_op(_as_result(exponent, base), self=operand(base)._data)


def float_power(input: Operand, exponent: Operand) -> Tensor:
    """input ** exponent in float64 (torch.float_power)."""
    if not isinstance(input, Tensor) and not isinstance(exponent, Tensor):
        return NotImplemented
    wide = [x.to(float64) if isinstance(x, Tensor) else operand(x)._data for x in (input, exponent)]
    return pow(*[float(x) if not isinstance(x, Tensor) else x for x in wide])


def square(input: Tensor) -> Tensor:
    """input², which torch records as a power."""
    return pow(input, 2)


def rdiv(input: Tensor, other: Any) -> Tensor:
    """other / input for a number or a NumPy array in front, which torch computes as (1 / input) · other."""
    try:
        return input.reciprocal() * other
    except TypeError:  # as what NumPy says of an array of words: whoever else is asked may know better
        return NotImplemented
