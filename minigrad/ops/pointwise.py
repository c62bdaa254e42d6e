"""Elementwise operations: first the rules, then an entry for each operation, with its forward, its rules and a node name.

Formulas are the textbook derivatives; where torch had to choose (a kink, a tie, 0⁰), the docstring says what it chose.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from .. import rules
from ..autograd.accumulate import ONE_PASS
from ..backend import array_module, check_64_bits, constant, converted, in_single, ndarray, numpy
from ..dtypes import element, get_default_dtype
from .bounded import FEW, at_least, filled
from .define import BY_NUMBER, Op, binary, unary
from .double_backward import no_slope
from .promotion import BOOL, BOOL_SUBTRAHEND, FLOATING, NO_BOOLS, SCALING, unsupported

maximum = numpy.maximum

# ------------------------------------------------------------------ arithmetic


def add_vjp(grad: Any) -> Any:
    """z = self + other: both inputs get the gradient as it is."""
    return grad


def sub_vjp_other(grad: Any) -> Any:
    """z = self - other: the subtracted input gets the gradient with its sign turned."""
    return -grad


def mul_vjp_self(grad: Any, other: Any) -> Any:
    """z = self * other: ∂z/∂self = other.

    grad, other: of the shape of the output or broadcastable to it. torch: MulBackward0.
    Example: grad = [1., 10.], other = [3., 4.] → [3., 40.]
    """
    return grad * other


def mul_vjp_other(grad: Any, self: Any) -> Any:
    """z = self * other: ∂z/∂other = self.

    grad, self: of the shape of the output or broadcastable to it. torch: MulBackward0.
    Example: grad = [1., 10.], self = [5., 6.] → [5., 60.]
    """
    return grad * self


def div_vjp_self(grad: Any, other: Any) -> Any:
    """z = self / other: ∂z/∂self = 1 / other.

    Example: grad = [1., 10.], other = [2., 4.] → [0.5, 2.5]. torch: DivBackward0.
    """
    return grad / other


def div_vjp_other(grad: Any, self: Any, other: Any) -> Any:
    """z = self / other: ∂z/∂other = -self / other².

    Example: grad = [1., 10.], self = [3., 4.], other = [2., 4.] → [-0.75, -2.5]. torch: DivBackward0.
    """
    return -grad * (self / other / other)


def neg_vjp(grad: Any) -> Any:
    """z = -self."""
    return -grad


def pow_vjp(grad: Any, self: Any, exponent: float) -> Any:
    """z = self ** exponent, a number: ∂z/∂self = exponent · self^(exponent-1), and 0 everywhere when exponent is 0.

    grad, self: one shape. torch: PowBackward0.
    Example: grad = [1., 10.], self = [2., 3.], exponent = 3 → [12., 270.]
    """
    if exponent == 0:
        return rules.zeros(grad, grad.shape)  # also where grad is infinite
    return grad * (exponent * self ** (exponent - 1))


def pow_vjp_self(grad: Any, self: Any, exponent: Any) -> Any:
    """z = self ** exponent, both tensors: as pow_vjp, and 0 where the exponent is 0. torch: PowBackward1."""
    if rules.raw_dtype(exponent).kind == "b":
        raise RuntimeError(BOOL_SUBTRAHEND)  # from which torch cannot take 1
    slope = grad * (exponent * self ** (exponent - 1))
    return rules.where(exponent == 0, rules.zeros(slope, slope.shape), slope)


def pow_vjp_exponent(grad: Any, self: Any, exponent: Any, result: Any) -> Any:
    """z = self ** exponent: ∂z/∂exponent = z · ln self, and 0 where self is 0 and the exponent ≥ 0."""
    slope = result * rules.log(rules.cast(self, rules.raw_dtype(result)))
    return grad * rules.where((self == 0) & (exponent >= 0), rules.zeros(slope, slope.shape), slope)


# ------------------------------------------------------------------ functions of one tensor


def exp_vjp(grad: Any, result: Any) -> Any:
    """z = exp(self) is its own derivative.

    grad, result: one shape. torch: ExpBackward0 saves its result, not its input.
    Example: grad = [2., 1.], result = exp([0., 1.]) = [1., 2.7183] → [2., 2.7183]
    """
    return grad * result


def log_vjp(grad: Any, self: Any) -> Any:
    """z = ln(self): ∂z/∂self = 1 / self.

    Example: grad = [1., 1.], self = [2., 4.] → [0.5, 0.25]. torch: LogBackward0.
    """
    return grad / self


def tanh_vjp(grad: Any, result: Any) -> Any:
    """z = tanh(self): ∂z/∂self = 1 - z².

    grad, result: one shape. torch: TanhBackward0 saves its result.
    Example: grad = [1., 2.], result = [0., 0.5] → [1., 1.5]
    """
    return grad * (1 - result * result)


def sigmoid_vjp(grad: Any, result: Any) -> Any:
    """z = 1 / (1 + e^-self): ∂z/∂self = z (1 - z).

    grad, result: one shape. torch: SigmoidBackward0 saves its result.
    Example: grad = [1., 2.], result = [0.5, 0.25] → [0.25, 0.375]
    """
    return grad * (result * (1 - result))


def relu_vjp(grad: Any, result: Any) -> Any:
    """z = max(self, 0): the gradient passes where the result is positive; at the kink torch chose 0.

    It is chosen, not multiplied: 0 times an infinite gradient would be nan. grad, result: one shape. torch:
    ReluBackward0 saves its result.
    Example: grad = [5., inf, 5.], result = [0., 0., 2.] → [0., 0., 5.]
    """
    return rules.masked_fill(grad, result <= 0, 0)


def abs_vjp(grad: Any, self: Any) -> Any:
    """z = |self|: the gradient with the sign of self; at the kink torch chose 0."""
    return grad * rules.sign(self)


def sqrt_vjp(grad: Any, result: Any) -> Any:
    """z = √self: ∂z/∂self = 1 / (2 z)."""
    return grad / (2 * result)


def reciprocal_vjp(grad: Any, result: Any) -> Any:
    """z = 1 / self: ∂z/∂self = -z²."""
    return -grad * (result * result)


def sin_vjp(grad: Any, self: Any) -> Any:
    """z = sin(self)."""
    return grad * rules.cos(self)


def cos_vjp(grad: Any, self: Any) -> Any:
    """z = cos(self)."""
    return grad * -rules.sin(self)


# ------------------------------------------------------------------ derivatives of rules with respect to saved values


def tanh_slope(grad: Any, grad_output: Any, result: Any) -> Any:
    """tanh_vjp = grad_output (1 - z²), with respect to z. torch: TanhBackwardBackward0."""
    return grad * grad_output * (-2 * result)


def sigmoid_slope(grad: Any, grad_output: Any, result: Any) -> Any:
    """sigmoid_vjp = grad_output · z (1 - z), with respect to z. torch: SigmoidBackwardBackward0."""
    return grad * grad_output * (1 - 2 * result)


# ------------------------------------------------------------------ entries


def _numpy(name: str) -> Any:
    """The array module's function of that name."""
    here = getattr(numpy, name)
    return lambda x: here(x) if type(x) is ndarray else getattr(array_module(x), name)(x)


def negated(x: Any) -> Any:
    try:
        return -x
    except TypeError as error:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the "
            "`~` or `logical_not()` operator instead."
        ) from error


def _abs(x: Any) -> Any:
    if x.dtype.kind == "b":
        raise unsupported("abs_cpu", x)
    return operator.abs(x)


def _relu(x: Any) -> Any:
    if (dtype := x.dtype) is BOOL:
        raise RuntimeError("Boolean inputs not supported for relu")
    if type(x) is ndarray and x.size <= FEW:
        return maximum(constant(0, dtype), x)  # as at_least, with one call less
    return at_least(0, x)


def _divide(x: Any, y: Any) -> Any:
    if x.dtype.kind != "f":
        x, y = converted(x, get_default_dtype().np), converted(y, get_default_dtype().np)
    return x / y


@in_single
def sigmoid_array(x: Any) -> Any:
    """1 / (1 + e^-x); where e^-x overflows, the result is the 0 it should be."""
    return 1 / (1 + array_module(x).exp(-x))


PRODUCTS: dict[float, Callable[[Any], Any]] = {2: lambda x: x * x, 3: in_single(lambda x: x * x * x)}
ROOTS: dict[float, Callable[[Any], Any]] = {
    -1: lambda x: 1 / x,
    -2: lambda x: 1 / (x * x),
    0.5: lambda x: array_module(x).sqrt(x),
    -0.5: lambda x: 1 / array_module(x).sqrt(x),
}


def power(x: Any, exponent: float) -> Any:
    """x ** exponent on arrays; as in torch some exponents are products, quotients and roots, also where the power of an
    infinite or negative base would be another: (-inf) ** 0.5 is nan."""
    if (known := PRODUCTS.get(exponent)) is not None:
        return known(x)
    check_64_bits(exponent)
    if x.dtype.kind != "f":
        return array_module(x).power(x, element(exponent, x.dtype)).astype(x.dtype)
    if exponent in ROOTS and x.dtype.itemsize != 2:
        return ROOTS[exponent](x)
    if not x.ndim and x.dtype.itemsize == 4:
        # torch's power of a single number is rounded once; the last bit of NumPy's depends on the CPU
        return array_module(x).power(x, float(exponent), dtype="float64").astype(x.dtype)
    exponents = filled(exponent, x) if exponent else None
    return array_module(x).power(x, exponent if exponents is None else exponents)


# torch records arithmetic with a plain number under these names in its own C++ code, such as derivative rules.
plus_number = Op("AddBackward1", lambda x, number: x + number, self=lambda grad: grad)
minus_number = Op("SubBackward1", lambda x, number: x - number, self=lambda grad: grad)
times_number = Op("MulBackward1", lambda x, number: x * number, self=lambda grad, number: grad * number)
over_number = Op("DivBackward1", lambda x, number: x / number, self=lambda grad, number: grad / number)

BY_NUMBER |= {
    "AddBackward0": plus_number, "SubBackward0": minus_number, "MulBackward0": times_number, "DivBackward0": over_number,
}  # fmt: skip

add_op = binary("add", "AddBackward0", operator.add, self=add_vjp, other=add_vjp)
sub_op = binary("sub", "SubBackward0", operator.sub, mixing=NO_BOOLS, self=add_vjp, other=sub_vjp_other)
ONE_PASS.update((mul_vjp_self.__code__, mul_vjp_other.__code__))
mul_op = binary("mul", "MulBackward0", operator.mul, mixing=SCALING, self=mul_vjp_self, other=mul_vjp_other)
div_op = binary("div", "DivBackward0", _divide, mixing=FLOATING, self=div_vjp_self, other=div_vjp_other)

neg = unary("neg", "NegBackward0", negated, neg_vjp, floating=False, doc="-x")
abs = unary("abs", "AbsBackward0", _abs, abs_vjp, floating=False, doc="|x|")
relu = unary(
    "relu", "ReluBackward0", _relu, relu_vjp, floating=False, second="ThresholdBackwardBackward0", slopes=(no_slope,),
    doc="max(x, 0)",
)  # fmt: skip
exp = unary("exp", "ExpBackward0", _numpy("exp"), exp_vjp, doc="e to the x")
log = unary("log", "LogBackward0", _numpy("log"), log_vjp, doc="ln x")
tanh = unary(
    "tanh", "TanhBackward0", _numpy("tanh"), tanh_vjp, second="TanhBackwardBackward0", slopes=(tanh_slope,),
    doc="tanh x",
)  # fmt: skip
sigmoid = unary(
    "sigmoid", "SigmoidBackward0", sigmoid_array, sigmoid_vjp, second="SigmoidBackwardBackward0",
    slopes=(sigmoid_slope,), doc="1 / (1 + e to the -x)",
)  # fmt: skip
reciprocal = unary("reciprocal", "ReciprocalBackward0", lambda x: 1 / x, reciprocal_vjp, doc="1 / x")
sqrt = unary("sqrt", "SqrtBackward0", _numpy("sqrt"), sqrt_vjp, doc="√x")
sin = unary("sin", "SinBackward0", _numpy("sin"), sin_vjp, doc="sin x")
cos = unary("cos", "CosBackward0", _numpy("cos"), cos_vjp, doc="cos x")
