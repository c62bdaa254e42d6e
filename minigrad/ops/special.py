"""Functions that NumPy does not have: erfc, erfinv, lgamma and its derivatives, logcumsumexp. erf is in erf.py; sums and
products one after the other are in cumulative.py."""

from __future__ import annotations

import math
from typing import Any

from .. import rules
from ..backend import array_module, in_single, numpy, on_device, ordered, to_host
from ..tensor import Tensor
from .arguments import Int, as_int
from .cumulative import backwards
from .define import Op, unary
from .erf import erf_array
from .nn import floats_only
from .reduce import one_dim

# ------------------------------------------------------------------ rules


def erfc_vjp(grad: Any, self: Any) -> Any:
    """z = 1 - erf(self): ∂z/∂self = -2/√π · e^(-self²)."""
    return rules.exp(-(self**2)) * (-2 / math.sqrt(math.pi)) * grad


def erfinv_vjp(grad: Any, self: Any) -> Any:
    """erf(z) = self: ∂z/∂self = 1 / erf'(z) = √π/2 · e^(z²)."""
    return rules.exp(erfinv_op.of(self) ** 2) * (0.5 * math.sqrt(math.pi)) * grad


def lgamma_vjp(grad: Any, self: Any) -> Any:
    """z = ln |Γ(self)|: ∂z/∂self = ψ(self), by the definition of ψ."""
    return grad * digamma_op.of(self)


def digamma_vjp(grad: Any, self: Any) -> Any:
    """z = ψ(self): ∂z/∂self = ψ'(self), the polygamma function of order 1."""
    return grad * polygamma_op.of(self, n=1)


def polygamma_vjp(grad: Any, self: Any, n: int) -> Any:
    """z = ψ with n derivatives taken: ∂z/∂self is ψ with one more."""
    return grad * polygamma_op.of(self, n=n + 1)


def logcumsumexp_vjp(grad: Any, self: Any, result: Any, dim: int) -> Any:
    """z_i = ln Σ_{j ≤ i} e^self_j: ∂L/∂self_j = e^self_j · Σ_{i ≥ j} grad_i · e^-z_i, each sign of grad by itself, so that it
    has a logarithm and nothing overflows. Source: torch's logcumsumexp_backward (FunctionsManual.cpp)."""
    if not grad.ndim or not rules.raw(grad).size:
        return grad
    size = rules.log(rules.where(rules.raw(grad) < 0, -grad, grad))
    nothing = float(numpy.finfo(rules.raw_dtype(grad)).min)  # not -inf, which less -inf is nan

    def part(sign: Any) -> Any:
        back = backwards(rules.where(sign, size, nothing) - result, dim)
        return rules.exp(backwards(logcumsumexp_op.of(back, dim=dim), dim) + self)

    return part(rules.raw(grad) > 0) - part(rules.raw(grad) < 0)


# ------------------------------------------------------------------ forwards


def _one_by_one(name: str, function: Any) -> Any:
    """A function of Python's math module, of each number by itself: there is no quicker one that is as exact."""
    each = numpy.frompyfunc(function, 1, 1)

    def forward(x: Any) -> Any:
        found = on_device(name, x) if array_module(x) is not numpy else numpy.asarray(each(x))
        return found.astype(x.dtype)

    return forward


def _ln_gamma(x: float) -> float:
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):  # at a pole, or beyond the largest number
        return math.inf


_lgamma = _one_by_one("gammaln", _ln_gamma)
_erfc = _one_by_one("erfc", math.erfc)


def lgamma_array(x: Any) -> Any:
    """ln |Γ(x)|, inf at both infinities, where libraries differ."""
    module = array_module(x)
    return module.where(module.isinf(x), abs(x), _lgamma(x)).astype(x.dtype, copy=False)


# The coefficients of torch's rational functions for erfinv (ATen/native/Math.h), from the lowest power up.
NEAR = (0.886226899, -1.645349621, 0.914624893, -0.140543331), (1, -2.118377725, 1.442710462, -0.329097515, 0.012229801)
FAR = (-1.970840454, -1.624906493, 3.429567803, 1.641345311), (1, 3.543889200, 1.637067800)


def _fraction(z: Any, coefficients: Any) -> Any:
    over, under = coefficients
    return _polynomial(z, over) / _polynomial(z, under)


def _polynomial(z: Any, coefficients: Any) -> Any:
    """Σ cᵢ zⁱ."""
    found = z * 0
    for c in reversed(coefficients):
        found = found * z + c
    return found


@in_single
def _erfinv(y: Any) -> Any:
    """A rational function, near 0 and far from it, and two of Newton's steps (as torch)."""
    module = array_module(y)
    far = module.sqrt(-module.log((1 - abs(y)) / 2))
    x = module.where(abs(y) <= 0.7, y * _fraction(y * y, NEAR), module.copysign(_fraction(far, FAR), y))
    slope, outer = 2 / math.sqrt(math.pi), abs(y) > 0.7
    rest = module.asarray(1 - abs(y))[outer]  # there erf is nearly 1, and what it lacks has the digits
    for _ in range(2):
        over = module.asarray(erf_array(module.asarray(x)) - y)
        over[outer] = (rest - _erfc(module.asarray(abs(x))[outer])) * module.sign(module.asarray(y)[outer])
        x = x - over / (slope * module.exp(-x * x))
    return module.where(abs(y) == 1, module.copysign(y.dtype.type(math.inf), y), x).astype(y.dtype, copy=False)


# B₂ₖ / 2k of Stirling's series for ψ, from the lowest power of 1/x² up; from PUSHED on it is exact.
PUSHED = 10
STIRLING = 1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12


@in_single
def _digamma(x: Any) -> Any:
    """ψ(x) = ψ(x + 1) - 1/x until Stirling's series is exact; below 0 by reflection, ψ(1 - x) - π / tan πx."""
    module = array_module(x)
    below = x < 0
    y = module.where(below, 1 - x, x).astype(module.float64)
    found = module.zeros_like(y)
    for _ in range(PUSHED):
        small = y < PUSHED
        found -= module.where(small, 1 / module.where(small, y, 1), 0)
        y += small
    z = 1 / (y * y)
    found += module.log(y) - 0.5 / y - z * _polynomial(z, STIRLING)
    whole = module.trunc(x)
    found -= module.where(below, math.pi / module.tan(math.pi * (x - whole).astype(module.float64)), 0)
    found = module.where(x == 0, module.copysign(math.inf, -x), module.where(below & (x == whole), math.nan, found))
    return found.astype(x.dtype)


@in_single
def _trigamma(x: Any) -> Any:
    """ψ'(x) = ψ'(x + 1) + 1/x², six times, and Stirling's series; below 1/2 by reflection, (π / sin πx)² - ψ'(1 - x)."""
    module = array_module(x)
    mirrored = x < 0.5
    y = module.where(mirrored, 1 - x, x)
    found = 0
    for _ in range(6):
        found = found + 1 / (y * y)
        y = y + 1
    z = 1 / (y * y)
    found = found + (1 + 1 / (2 * y) + z * (1 / 6 - z * (1 / 30 - z / 42))) / y
    return module.where(mirrored, (math.pi / module.sin(math.pi * x)) ** 2 - found, found).astype(x.dtype, copy=False)


# (2k)! / B₂ₖ of the sum of Euler and Maclaurin for Hurwitz's ζ.
EULER = (
    12.0, -720.0, 30240.0, -1209600.0, 47900160.0, -1.8924375803183791606e9, 7.47242496e10, -2.950130727918164224e12,
    1.1646782814350067249e14, -4.5979787224074726105e15, 1.8152105401943546773e17, -7.1661652561756670113e18,
)  # fmt: skip


def _zeta(s: int, q: Any) -> Any:
    """Hurwitz's ζ(s, q) = Σ 1 / (q + k)^s, for a whole s > 1: a few terms, and Euler's and Maclaurin's sum for the others."""
    module = array_module(q)
    poles = (q <= 0) & (q == module.floor(q))
    q = module.where(poles, 1.0, q)  # a number far below 0 is whole, and no larger for a 1 added to it
    a, found = q, q ** -float(s)
    while True:
        a = a + (more := a <= 9)
        if not more.any():
            break
        found = found + module.where(more, module.where(more, a, 1) ** -float(s), 0)
    b = a ** -float(s)
    found = found + b * a / (s - 1) - b / 2
    factor = 1.0
    for i, divisor in enumerate(EULER):
        factor *= s + 2 * i
        b = b / a
        found = found + factor * b / divisor
        factor *= s + 2 * i + 1
        b = b / a
    return module.where(poles, math.inf, found)


@in_single
def _polygamma(x: Any, n: int) -> Any:
    """ψ with n derivatives taken: (-1)^(n+1) · n! · ζ(n + 1, x)."""
    if n < 2:
        return _trigamma(x) if n else _digamma(x)
    wide = _zeta(n + 1, x.astype("float64"))
    return ((-1) ** (n + 1) * math.factorial(n) * wide).astype(x.dtype)


@in_single
def _logcumsumexp(x: Any, dim: int) -> Any:
    module = array_module(x)  # CuPy's logaddexp cannot accumulate
    if not x.ndim:
        return x.copy()
    return module.asarray(numpy.logaddexp.accumulate(to_host(x), dim, "float64").astype(x.dtype))  # as torch adds up


erfc = unary("erfc", "ErfcBackward0", _erfc, self=erfc_vjp, doc="1 - erf x")
lgamma = unary("lgamma", "LgammaBackward0", lgamma_array, self=lgamma_vjp, doc="ln |Γ(x)|")
erfinv_op = Op("ErfinvBackward0", _erfinv, floating=True, self=erfinv_vjp)
digamma_op = Op("DigammaBackward0", _digamma, floating=True, self=digamma_vjp)
polygamma_op = Op("PolygammaBackward0", _polygamma, floating=True, self=polygamma_vjp)
logcumsumexp_op = Op("LogcumsumexpBackward0", ordered(_logcumsumexp), self=logcumsumexp_vjp)


def erfinv(input: Tensor) -> Tensor:
    """The x of which erf is the input, elementwise (torch.erfinv)."""
    return erfinv_op(input)


def digamma(input: Tensor) -> Tensor:
    """ψ, the derivative of ln Γ, elementwise (torch.digamma)."""
    return digamma_op(input)


def polygamma(n: Int, input: Tensor) -> Tensor:
    """ψ with n derivatives taken, elementwise (torch.polygamma)."""
    if (n := as_int(n)) < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return polygamma_op(input, n=n)


def polygamma_method(self: Tensor, n: Int) -> Tensor:
    """polygamma() as a method (torch.Tensor.polygamma)."""
    return polygamma(n, self)


def logcumsumexp(input: Tensor, dim: Int) -> Tensor:
    """ln of the running sum of e^input along dim, without overflow (torch.logcumsumexp)."""
    dim = one_dim(dim, input._data.ndim)
    floats_only(input, "logcumsumexp_out_cpu")
    return logcumsumexp_op(input, dim=dim)
