"""More functions of one tensor, element by element: a rule and an entry each, as in pointwise.py.

The formulas are torch's own (tools/autograd/derivatives.yaml); a step function such as floor has the gradient 0.
"""

from __future__ import annotations

import math
from typing import Any

from .. import rules
from ..backend import array_module, in_order, in_single, laid_out_as, ndarray, numpy
from ..tensor import Tensor, from_array
from .arguments import Float, Int, as_int
from .define import Op, unary
from .promotion import unsupported
from .underivable import no_vjp
from .validate import ABSENT, number_or_none

# ------------------------------------------------------------------ exponentials and logarithms


def exp2_vjp(grad: Any, result: Any) -> Any:
    """z = 2^self: ∂z/∂self = z · ln 2."""
    return grad * result * math.log(2)


def expm1_vjp(grad: Any, result: Any) -> Any:
    """z = e^self - 1: ∂z/∂self = z + 1."""
    return grad * (result + 1)


def log1p_vjp(grad: Any, self: Any) -> Any:
    """z = ln(1 + self)."""
    return grad / (self + 1)


def log2_vjp(grad: Any, self: Any) -> Any:
    """z = log₂ self."""
    return grad / (self * math.log(2))


def log10_vjp(grad: Any, self: Any) -> Any:
    """z = log₁₀ self."""
    return grad / (self * math.log(10))


def rsqrt_vjp(grad: Any, result: Any) -> Any:
    """z = 1 / √self: ∂z/∂self = -z³ / 2."""
    return grad * -0.5 * result**3


def logit_vjp(grad: Any, self: Any, eps: float | None) -> Any:
    """z = ln(self / (1 - self)): 1 / (self (1 - self)); 0 where eps clamped, nan outside of [0, 1] without eps."""
    slope = grad / (self * (1 - self))
    if eps is None:
        return rules.where((self >= 0) & (self <= 1), slope, rules.zeros(slope, slope.shape) + math.nan)
    return rules.where((self >= eps) & (self <= 1 - eps), slope, rules.zeros(slope, slope.shape))


# ------------------------------------------------------------------ trigonometry


def tan_vjp(grad: Any, result: Any) -> Any:
    """z = tan self: 1 + z²."""
    return grad * (1 + result * result)


def asin_vjp(grad: Any, self: Any) -> Any:
    """z = arcsin self: 1 / √(1 - self²)."""
    return grad * (1 / rules.sqrt(1 - self * self))


def acos_vjp(grad: Any, self: Any) -> Any:
    """z = arccos self: -1 / √(1 - self²)."""
    return grad * (-1 / rules.sqrt(1 - self * self))


def atan_vjp(grad: Any, self: Any) -> Any:
    """z = arctan self: 1 / (1 + self²)."""
    return grad / (self * self + 1)


def sinh_vjp(grad: Any, self: Any) -> Any:
    """z = sinh self."""
    return grad * rules.cosh(self)


def cosh_vjp(grad: Any, self: Any) -> Any:
    """z = cosh self."""
    return grad * rules.sinh(self)


def asinh_vjp(grad: Any, self: Any) -> Any:
    """z = arsinh self: 1 / √(self² + 1)."""
    return grad * (1 / rules.sqrt(self * self + 1))


def acosh_vjp(grad: Any, self: Any) -> Any:
    """z = arcosh self: 1 / √(self² - 1)."""
    return grad * (1 / rules.sqrt(self * self - 1))


def atanh_vjp(grad: Any, self: Any) -> Any:
    """z = artanh self: 1 / (1 - self²)."""
    return grad / (1 - self * self)


def sinc_vjp(grad: Any, self: Any) -> Any:
    """z = sin(π self) / (π self): 0 at 0."""
    t, square = self * math.pi, self * self * math.pi
    slope = grad * ((t * rules.cos(t) - rules.sin(t)) / square)
    return rules.where(square == 0, rules.zeros(slope, slope.shape), slope)


def deg2rad_vjp(grad: Any) -> Any:
    """z = self · π / 180."""
    return grad * (math.pi / 180)


def rad2deg_vjp(grad: Any) -> Any:
    """z = self · 180 / π."""
    return grad * (180 / math.pi)


# ------------------------------------------------------------------ steps


def step_vjp(grad: Any) -> Any:
    """z = a step function of self: the gradient is 0, at the steps as well."""
    return rules.zeros(grad, grad.shape)


def sgn_vjp(grad: Any, self: Any, result: Any) -> Any:
    """z = the sign of self: 0. (torch's rule serves complex numbers as well, and so asks for both values.)"""
    return rules.zeros(grad, grad.shape)


def frac_vjp(grad: Any) -> Any:
    """z = self without its whole part."""
    return grad


def nan_to_num_vjp(grad: Any, self: Any) -> Any:
    """z = self with nan and infinities replaced: those get no gradient."""
    return grad * rules.isfinite(self)


# torch has acosh_, asinh_ and atanh_ and no derivative for them.
no_acosh_vjp, no_asinh_vjp, no_atanh_vjp = (
    no_vjp(f"inplace version of {name}") for name in ("acosh", "asinh", "atanh")
)

# ------------------------------------------------------------------ entries


def _numpy(name: str) -> Any:
    return lambda x: getattr(array_module(x), name)(x)


def _whole(name: str) -> Any:
    """floor, ceil, …: whole numbers stay what they are."""

    def forward(x: Any) -> Any:
        if x.dtype.kind == "b":
            raise unsupported(f"{name}_vml_cpu", x)
        return getattr(array_module(x), name)(x) if x.dtype.kind == "f" else laid_out_as(x, x.copy())

    return forward


def _sign(x: Any) -> Any:
    return laid_out_as(x, x.copy()) if x.dtype.kind == "b" else rules.sign(x)


def _frac(x: Any) -> Any:
    if x.dtype.kind != "f":
        raise unsupported("frac_cpu", x)
    return x - array_module(x).trunc(x)


def _round(x: Any) -> Any:
    if x.dtype.kind == "b":
        raise unsupported("round_vml_cpu", x)
    return x.round() if x.dtype.kind == "f" else laid_out_as(x, x.copy())


@in_single
def _decimals(x: Any, decimals: int) -> Any:
    if x.dtype.kind != "f":
        raise unsupported("round_vml_cpu" if not decimals else "round_cpu", x)
    return laid_out_as(x, x.round(decimals))


def _logit(x: Any, eps: float | None) -> Any:
    module = array_module(x)
    x = x if eps is None else module.where(x < eps, x.dtype.type(eps), module.minimum(x, x.dtype.type(1 - eps)))
    return module.log(x / (1 - x))


def _sinc(x: Any) -> Any:
    module, angle = array_module(x), x * math.pi
    return module.where(x == 0, x.dtype.type(1), module.sin(angle) / angle)


def _nan_to_num(x: Any, nan: float | None, posinf: float | None, neginf: float | None) -> Any:
    if x.dtype.kind != "f":
        return laid_out_as(x, x.copy())
    x = in_order(x) if 0 in x.strides else x
    if type(x) is ndarray and numpy.isfinite(x).all():
        return x.copy("K")  # which takes a quarter of the time
    return array_module(x).nan_to_num(x, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)


exp2 = unary("exp2", "Exp2Backward0", _numpy("exp2"), exp2_vjp, doc="2 to the x")
expm1 = unary("expm1", "Expm1Backward0", _numpy("expm1"), expm1_vjp, doc="e to the x, minus 1, exact for small x")
log1p = unary("log1p", "Log1PBackward0", _numpy("log1p"), log1p_vjp, doc="ln(1 + x), exact for small x")
log2 = unary("log2", "Log2Backward0", _numpy("log2"), log2_vjp, doc="log₂ x")
log10 = unary("log10", "Log10Backward0", _numpy("log10"), log10_vjp, doc="log₁₀ x")
rsqrt = unary("rsqrt", "RsqrtBackward0", in_single(lambda x: 1 / array_module(x).sqrt(x)), rsqrt_vjp, doc="1 / √x")
tan = unary("tan", "TanBackward0", _numpy("tan"), tan_vjp, doc="tan x")
asin = unary("asin", "AsinBackward0", _numpy("arcsin"), asin_vjp, doc="arcsin x")
acos = unary("acos", "AcosBackward0", _numpy("arccos"), acos_vjp, doc="arccos x")
atan = unary("atan", "AtanBackward0", _numpy("arctan"), atan_vjp, doc="arctan x")
sinh = unary("sinh", "SinhBackward0", _numpy("sinh"), sinh_vjp, doc="sinh x")
cosh = unary("cosh", "CoshBackward0", _numpy("cosh"), cosh_vjp, doc="cosh x")
asinh = unary("asinh", "AsinhBackward0", _numpy("arcsinh"), asinh_vjp, doc="arsinh x")
acosh = unary("acosh", "AcoshBackward0", _numpy("arccosh"), acosh_vjp, doc="arcosh x")
atanh = unary("atanh", "AtanhBackward0", _numpy("arctanh"), atanh_vjp, doc="artanh x")
# torch numbers acosh_ and the like apart.
acosh_inplace = unary("acosh", "AcoshBackward1", _numpy("arccosh"), no_acosh_vjp)
asinh_inplace = unary("asinh", "AsinhBackward1", _numpy("arcsinh"), no_asinh_vjp)
atanh_inplace = unary("atanh", "AtanhBackward1", _numpy("arctanh"), no_atanh_vjp)
sinc = unary("sinc", "SincBackward0", in_single(_sinc), sinc_vjp, doc="sin(πx) / (πx)")
deg2rad = unary("deg2rad", "Deg2RadBackward0", in_single(lambda x: x * (math.pi / 180)), deg2rad_vjp, doc="x · π / 180")
rad2deg = unary("rad2deg", "Rad2DegBackward0", in_single(lambda x: x * (180 / math.pi)), rad2deg_vjp, doc="x · 180 / π")
floor = unary("floor", "FloorBackward0", _whole("floor"), step_vjp, floating=False, doc="The greatest whole number ≤ x")
ceil = unary("ceil", "CeilBackward0", _whole("ceil"), step_vjp, floating=False, doc="The least whole number ≥ x")
trunc = unary("trunc", "TruncBackward0", _whole("trunc"), step_vjp, floating=False, doc="x without its fraction")
sign = unary("sign", "SignBackward0", _sign, step_vjp, floating=False, doc="The sign of x")
sgn = unary("sgn", "SgnBackward0", _sign, sgn_vjp, floating=False, doc="The sign of x")
frac = unary("frac", "FracBackward0", _frac, frac_vjp, floating=False, doc="x without its whole part")

round_op = unary("round", "RoundBackward0", _round, step_vjp, floating=False)
round_decimals_op = Op("RoundBackward1", _decimals, self=step_vjp)
logit_op = Op("LogitBackward0", _logit, floating=True, self=logit_vjp)
nan_to_num_op = Op("NanToNumBackward0", _nan_to_num, self=nan_to_num_vjp)


def round(input: Tensor, *, decimals: Int = ABSENT) -> Tensor:
    """The nearest whole number, or the nearest with so many decimals; halves go to the even one (torch.round)."""
    return round_op(input) if decimals is ABSENT else round_decimals_op(input, decimals=as_int(decimals))


def logit(input: Tensor, eps: Float | None = None) -> Tensor:
    """ln(x / (1 - x)), with x clamped to [eps, 1 - eps] if eps is given (torch.logit)."""
    return logit_op(input, eps=number_or_none(eps))


def nan_to_num(
    input: Tensor, nan: Float | None = None, posinf: Float | None = None, neginf: Float | None = None
) -> Tensor:
    """nan and infinities replaced: by default by 0, the largest and the smallest finite number."""
    nan, posinf, neginf = (number_or_none(x) for x in (nan, posinf, neginf))
    return nan_to_num_op(input, nan=nan, posinf=posinf, neginf=neginf)


def positive(input: Tensor) -> Tensor:
    """+input: the tensor itself."""
    if input._data.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


def _truth(test: Any, name: str) -> Any:
    def call(input: Tensor) -> Tensor:
        return from_array(test(input._data))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"torch.{name}: a bool for each element; no gradient passes."
    return call


isposinf = _truth(lambda x: x == math.inf, "isposinf")
isneginf = _truth(lambda x: x == -math.inf, "isneginf")
signbit = _truth(lambda x: array_module(x).signbit(x) if x.dtype.kind == "f" else x < 0, "signbit")
isreal = _truth(lambda x: array_module(x).ones(x.shape, bool), "isreal")
