"""Activation functions beside relu, tanh and sigmoid (which are in pointwise.py) and those made of straight pieces
(piecewise.py)."""

from __future__ import annotations

import math
from typing import Any

from .. import rules
from ..autograd.recording import with_target
from ..backend import array_module, in_order, in_single, numpy
from ..tensor import Tensor
from .arguments import Float, Number, Str, parsed
from .arithmetic import sub
from .bounded import at_least, at_most
from .define import Op
from .double_backward import no_slope
from .erf import erf_array, erf_op
from .inplace import check_memory, check_writable, write
from .lazy import plain_function
from .nn import floats_only
from .pointwise import sigmoid_array
from .validate import number

# ------------------------------------------------------------------ rules


def sigmoid(x: Any) -> Any:
    """1 / (1 + e^-x) of an array or a Tensor."""
    return x.sigmoid() if rules.is_tensor(x) else sigmoid_array(x)


def tanh_softplus(x: Any) -> Any:
    """tanh(ln(1 + eˣ)) of an array or a Tensor."""
    return softplus_op(x, beta=1, threshold=math.inf).tanh() if rules.is_tensor(x) else tanh_softplus_array(x)


def leaky_relu_vjp(grad: Any, self: Any, negative_slope: float) -> Any:
    """z = self where positive, else negative_slope · self; at the kink torch takes the negative side."""
    return rules.where(self > 0, grad, grad * negative_slope)


def refuse_negative(name: str, slope: float) -> None:
    """RuntimeError for a negative slope where only z is left: it does not tell on which side of 0 the input was."""
    if slope < 0:
        raise RuntimeError(
            f"In-place {name} backward calculation is triggered with a negative slope which is not supported. This is "
            "caused by calling in-place forward function with a negative slope, please call out-of-place version instead."
        )


def leaky_relu_in_place_vjp(grad: Any, result: Any, negative_slope: float) -> Any:
    """leaky_relu_vjp where only z is left, whose sign is that of self."""
    refuse_negative("leakyReLu", negative_slope)
    return leaky_relu_vjp(grad, result, negative_slope)


def negative_part(x: Any) -> Any:
    """x where it is negative, else 0, of an array or a Tensor: so that no inf spreads from where it is not wanted."""
    return rules.where(x < 0, x, rules.zeros(x, x.shape)) if rules.is_tensor(x) else at_most(0, x)


def elu_vjp(grad: Any, self: Any, alpha: float, scale: float, input_scale: float) -> Any:
    """z = scale · self where positive, else scale · α (e^(input_scale · self) - 1)."""
    slope = rules.exp(negative_part(self) * input_scale) * (alpha * scale * input_scale)
    return rules.where(self <= 0, grad * slope, grad * scale)


def elu_in_place_vjp(grad: Any, result: Any, alpha: float, scale: float, input_scale: float) -> Any:
    """elu_vjp where only z is left: the slope is scale where it is positive, else input_scale · (z + scale · α)."""
    refuse_negative("elu", alpha)
    return rules.where(result <= 0, grad * ((negative_part(result) + alpha * scale) * input_scale), grad * scale)


def celu_vjp(grad: Any, self: Any, alpha: float) -> Any:
    """z = self where positive, else α (e^(self / α) - 1); for 1 / α torch rounds α to single precision."""
    return elu_vjp(grad, self, alpha, 1, 1 / float(numpy.float32(alpha)))


def celu_in_place_vjp(grad: Any, result: Any, alpha: float) -> Any:
    """celu_vjp where only z is left."""
    return elu_in_place_vjp(grad, result, alpha, 1, 1 / float(numpy.float32(alpha)))


def hardtanh_vjp(grad: Any, self: Any, min_val: float, max_val: float) -> Any:
    """z = self held between min_val and max_val: the gradient passes strictly between them."""
    return rules.keep_where(grad, ((self <= min_val) | (self >= max_val)) == 0)


ROOT = math.sqrt(2 / math.pi)  # gelu's approximation: Φ(x) ≈ ½ (1 + tanh(ROOT (x + CUBIC x³)))
CUBIC = 0.044715


def gelu_vjp(grad: Any, self: Any, approximate: str) -> Any:
    """z = self · Φ(self) with the normal distribution Φ: ∂z/∂self = Φ(self) + self · φ(self).

    Source: Hendrycks, Gimpel (2016), Gaussian Error Linear Units. torch: GeluBackward0.
    """
    if approximate == "tanh":
        square = self * self
        t = rules.tanh(ROOT * self * (1 + CUBIC * square))
        return grad * (0.5 * (1 + t) + 0.5 * self * (1 - t * t) * (ROOT * (1 + 3 * CUBIC * square)))
    cdf = 0.5 * (1 + erf_op.of(self * math.sqrt(0.5)))
    return grad * (cdf + self * rules.exp(self * self * -0.5) * (1 / math.sqrt(2 * math.pi)))


def silu_vjp(grad: Any, self: Any) -> Any:
    """z = self · σ(self): ∂z/∂self = σ (1 + self (1 - σ))."""
    s = sigmoid(self)
    return grad * (s * (1 + self * (1 - s)))


def mish_vjp(grad: Any, self: Any) -> Any:
    """z = self · t with t = tanh(softplus(self)): ∂z/∂self = t + self (1 - t²) σ(self)."""
    t = tanh_softplus(self)
    return grad * (t + self * (1 - t * t) * sigmoid(self))


def softplus_vjp(grad: Any, self: Any, beta: float, threshold: float) -> Any:
    """z = ln(1 + e^(β self)) / β: ∂z/∂self = σ(β self), and 1 beyond the threshold."""
    z = self * beta
    return rules.where(z > threshold, grad, grad * sigmoid(z))


def log_sigmoid_vjp(grad: Any, self: Any) -> Any:
    """z = ln σ(self): ∂z/∂self = σ(-self)."""
    return grad * sigmoid(-self)


# ------------------------------------------------------------------ slopes: of a rule by self, or by z where only that is left


def elu_slope(grad: Any, grad_output: Any, self: Any, alpha: float, scale: float, input_scale: float) -> Any:
    """elu_vjp bends below 0 only, and there its slope is input_scale times itself."""
    return elu_vjp(grad * grad_output * input_scale, self, alpha, scale, input_scale) * (self < 0)


def elu_in_place_slope(grad: Any, grad_output: Any, result: Any, alpha: float, scale: float, input_scale: float) -> Any:
    """elu_in_place_vjp = grad_output · input_scale · (z + scale · α) where z is negative, else without z."""
    return grad * grad_output * input_scale * (result < 0)


def celu_slope(grad: Any, grad_output: Any, self: Any, alpha: float) -> Any:
    """elu_slope for celu."""
    return elu_slope(grad, grad_output, self, alpha, 1, 1 / float(numpy.float32(alpha)))


def celu_in_place_slope(grad: Any, grad_output: Any, result: Any, alpha: float) -> Any:
    """elu_in_place_slope for celu."""
    return elu_in_place_slope(grad, grad_output, result, alpha, 1, 1 / float(numpy.float32(alpha)))


def gelu_slope(grad: Any, grad_output: Any, self: Any, approximate: str) -> Any:
    """(self · Φ(self))'' = (2 - self²) φ(self); by tanh, with its inner function u: (1 - t²)(u' + self (u''/2 - t u'²))."""
    square = self * self
    if approximate == "tanh":
        t, first, second = (
            rules.tanh(ROOT * self * (1 + CUBIC * square)),
            ROOT * (1 + 3 * CUBIC * square),
            3 * CUBIC * ROOT,
        )
        return grad * grad_output * ((1 - t * t) * (first + self * (second * self - t * first * first)))
    density = rules.exp(square * -0.5) * (1 / math.sqrt(2 * math.pi))
    return grad * grad_output * (2 * density - square * density)


def softplus_slope(grad: Any, grad_output: Any, self: Any, beta: float, threshold: float) -> Any:
    """σ(β self)' = β σ (1 - σ), and 0 from the threshold on: at the threshold itself the rule is not straight yet."""
    z = self * beta
    s = sigmoid(z)
    return grad * grad_output * ((1 - s) * s) * (z < threshold) * beta


def log_sigmoid_slope(grad: Any, grad_output: Any, self: Any) -> Any:
    """σ(-self)' = σ (σ - 1)."""
    s = sigmoid(self)
    return grad * grad_output * (s - 1) * s


# ------------------------------------------------------------------ forwards


MANY = 256  # elements up to which NumPy's own function takes less time than several operations


def expm1_below_0(x: Any) -> Any:
    """eˣ - 1 of an array of numbers ≤ 0. Of many in float32 as 2t / (1 - t) with t = tanh(x / 2), which loses no digits
    near 0 and takes NumPy a quarter of the time where it has no vector instructions for expm1."""
    if x.dtype.char != "f" or x.size <= MANY:
        return array_module(x).expm1(x)
    t = array_module(x).tanh(x * 0.5)
    return (t + t) / (1 - t)


def log1p_up_to_1(u: Any) -> Any:
    """ln(1 + u) of an array of numbers from 0 to 1. Of many in float32 as ln w plus what rounding took from w = 1 + u, over
    w, which takes NumPy a third of the time where it has no vector instructions for log1p."""
    module = array_module(u)
    if u.dtype.char != "f" or u.size <= MANY:
        return module.log1p(u)
    w = 1 + u
    return module.log(w) + (u - (w - 1)) / w


@in_single
def _leaky_relu(x: Any, negative_slope: float) -> Any:
    if 0 < negative_slope <= 1:
        return array_module(x).maximum(x, x * negative_slope)
    return rules.where(x > 0, x, x * negative_slope)


def _elu(x: Any, alpha: float, scale: float, input_scale: float) -> Any:
    module = array_module(x)
    below = negative_part(x) * input_scale
    below = expm1_below_0(below) if input_scale > 0 else module.expm1(below)
    return rules.where(x > 0, x * scale, below * (alpha * scale))


def _celu(x: Any, alpha: float) -> Any:
    return _elu(x, alpha, 1, 1 / alpha)


def _hardtanh(x: Any, min_val: float, max_val: float) -> Any:
    return array_module(x).clip(x, min_val, max_val).astype(x.dtype, copy=False)


def _gelu(x: Any, approximate: str) -> Any:
    if approximate == "tanh":
        return 0.5 * x * (1 + array_module(x).tanh(ROOT * x * (1 + CUBIC * x * x)))
    return 0.5 * x * (1 + erf_array(x * math.sqrt(0.5)))


def _softplus(x: Any, beta: float, threshold: float) -> Any:
    module = array_module(x)
    z = x if beta == 1 else x * beta
    smooth = at_least(0, z) + log1p_up_to_1(module.exp(-abs(z)))
    smooth = smooth if beta == 1 else smooth / beta
    return rules.where(z > threshold, x, smooth)


def _log_sigmoid(x: Any) -> Any:
    module = array_module(x)
    x = in_order(x)
    return at_most(0, x) - log1p_up_to_1(module.exp(-abs(x)))


@in_single
def tanh_softplus_array(x: Any) -> Any:
    """tanh(ln(1 + eˣ)) of an array. With u = eˣ it is u (u + 2) / (u (u + 2) + 2), which takes no logarithm and no tanh."""
    u = array_module(x).exp(at_most(40, x))  # from there on it is 1, and u² not yet infinite in float32
    u *= u + 2
    return u / (u + 2)


leaky_relu_op, leaky_relu_in_place = [
    Op(f"LeakyReluBackward{n}", _leaky_relu, self=rule, second="LeakyReluBackwardBackward0", slopes=(no_slope,))
    for n, rule in enumerate((leaky_relu_vjp, leaky_relu_in_place_vjp))
]
elu_op, elu_in_place = [
    Op(f"EluBackward{n}", in_single(_elu), self=rule, second="EluBackwardBackward0", slopes=(slope,))
    for n, (rule, slope) in enumerate(((elu_vjp, elu_slope), (elu_in_place_vjp, elu_in_place_slope)))
]
celu_op, celu_in_place = [
    Op(f"CeluBackward{n}", in_single(_celu), self=rule, second="EluBackwardBackward0", slopes=(slope,))
    for n, (rule, slope) in enumerate(((celu_vjp, celu_slope), (celu_in_place_vjp, celu_in_place_slope)))
]
hardtanh_op, gelu_op, softplus_op, log_sigmoid_op = [
    Op(f"{name}Backward0", forward, self=rule, second=f"{name}BackwardBackward0", slopes=(slope,))
    for name, forward, rule, slope in (
        ("Hardtanh", _hardtanh, hardtanh_vjp, no_slope),
        ("Gelu", in_single(_gelu), gelu_vjp, gelu_slope),
        ("Softplus", in_single(_softplus), softplus_vjp, softplus_slope),
        ("LogSigmoid", in_single(_log_sigmoid), log_sigmoid_vjp, log_sigmoid_slope),
    )
]
silu_op = Op("SiluBackward0", in_single(lambda x: x * sigmoid_array(x)), self=silu_vjp)
mish_op = Op("MishBackward0", in_single(lambda x: x * tanh_softplus_array(x)), self=mish_vjp)


# ------------------------------------------------------------------ functions


def activated(op: Op, kernel: str, input: Tensor, inplace: bool, **attributes: Any) -> Tensor:
    """One operation on floating numbers (or on all, without a kernel's name), perhaps written into its input."""
    if inplace:
        check_writable(input)
        check_memory(input)
    if kernel:
        floats_only(input, kernel)
    if not inplace:
        return op(input, **attributes)
    write(input, with_target(input, op, **attributes))
    return input


@parsed()
def leaky_relu(input: Tensor, negative_slope: Number = 0.01, inplace: bool = False) -> Tensor:
    """x where positive, else negative_slope · x (torch.nn.functional.leaky_relu)."""
    return activated(
        leaky_relu_in_place if inplace else leaky_relu_op,
        "leaky_relu_cpu",
        input,
        inplace,
        negative_slope=number(negative_slope),
    )


@parsed()
def elu(input: Tensor, alpha: Number = 1.0, inplace: bool = False) -> Tensor:
    """x where positive, else α (eˣ - 1) (torch.nn.functional.elu)."""
    return activated(
        elu_in_place if inplace else elu_op, "elu_cpu", input, inplace, alpha=number(alpha), scale=1, input_scale=1
    )


@parsed()
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """elu, scaled so that activations keep mean 0 and variance 1 (Klambauer et al. 2017)."""
    alpha, scale = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
    return activated(
        elu_in_place if inplace else elu_op, "elu_cpu", input, inplace, alpha=alpha, scale=scale, input_scale=1
    )


@parsed()
def celu(input: Tensor, alpha: Number = 1.0, inplace: bool = False) -> Tensor:
    """x where positive, else α (e^(x/α) - 1) (torch.nn.functional.celu)."""
    alpha = number(alpha)
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return activated(celu_in_place if inplace else celu_op, "elu_cpu", input, inplace, alpha=alpha)


@parsed()
def hardtanh(input: Tensor, min_val: Float = -1.0, max_val: Float = 1.0, inplace: bool = False) -> Tensor:
    """x clamped between min_val and max_val (torch.nn.functional.hardtanh)."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return held(input, min_val, max_val, inplace)


def held(input: Tensor, min_val: float, max_val: float, inplace: bool) -> Tensor:
    """hardtanh, whichever of the two is the greater."""
    if input._data.dtype.kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if input._data.dtype.kind == "u" and min(int(min_val), int(max_val)) < 0:
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    return activated(hardtanh_op, "", input, inplace, min_val=min_val, max_val=max_val)


@parsed()
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """x clamped between 0 and 6 (torch.nn.functional.relu6)."""
    return hardtanh(input, 0, 6, inplace)


@plain_function
def gelu(input: Tensor, *, approximate: Str = "none") -> Tensor:
    """x · Φ(x), with Φ exact ("none") or by tanh ("tanh") (torch.nn.functional.gelu)."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return activated(gelu_op, "GeluKernelImpl", input, False, approximate=approximate)


@parsed()
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x · σ(x), also called swish (torch.nn.functional.silu)."""
    return activated(silu_op, "silu_cpu", input, inplace)


@parsed()
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x · tanh(softplus(x)) (torch.nn.functional.mish)."""
    return activated(mish_op, "mish_cpu", input, inplace)


@plain_function
def softplus(input: Tensor, beta: Number = 1, threshold: Number = 20) -> Tensor:
    """ln(1 + e^(βx)) / β, and x itself where βx is beyond the threshold (torch.nn.functional.softplus)."""
    return activated(softplus_op, "softplus_cpu", input, False, beta=number(beta), threshold=number(threshold))


@parsed("log_sigmoid")
def logsigmoid(input: Tensor) -> Tensor:
    """ln σ(x) (torch.nn.functional.logsigmoid)."""
    return activated(log_sigmoid_op, "log_sigmoid_cpu", input, False)


def softsign(input: Tensor) -> Tensor:
    """x / (1 + |x|) (torch.nn.functional.softsign)."""
    return input / (input.abs() + 1)


def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh x (torch.nn.functional.tanhshrink)."""
    return sub(input, input.tanh())
