"""Elementwise operations of two or three operands beyond arithmetic: angles, logarithms, mixtures.

Numbers are welcome where torch has a signature for them.
"""

from __future__ import annotations

import math
from typing import Any

from .. import rules
from ..backend import array_module, in_single, numpy
from ..dtypes import element, get_default_dtype
from ..tensor import Tensor
from .arguments import Number, Operand
from .arithmetic import same_vjp
from .define import Op, of_two_tensors
from .pointwise import negated
from .promotion import as_0d_array, operand, refuse_bools, unsupported, wrapped
from .validate import number

# ------------------------------------------------------------------ angles and logarithms


def atan2_vjp_self(grad: Any, self: Any, other: Any) -> Any:
    """z = the angle of (other, self): other / (self² + other²)."""
    return grad * other * inverse_square(self, other)


def atan2_vjp_other(grad: Any, self: Any, other: Any) -> Any:
    """z = the angle of (other, self): -self / (self² + other²)."""
    return grad * (-self if rules.is_tensor(self) else negated(self)) * inverse_square(self, other)


def inverse_square(self: Any, other: Any) -> Any:
    """1 / (self² + other²), and 0 for the angle of nothing."""
    square = self * self + other * other
    inverse = 1 / square
    return rules.where(square == 0, rules.zeros(inverse, inverse.shape), inverse)


def hypot_vjp_self(grad: Any, self: Any, result: Any) -> Any:
    """z = √(self² + other²): self / z."""
    return grad * self / result


def hypot_vjp_other(grad: Any, other: Any, result: Any) -> Any:
    """z = √(self² + other²): other / z."""
    return grad * other / result


def difference(x: Any, y: Any) -> Any:
    """x - y; RuntimeError, in torch's words, for bools, which NumPy subtracts from numbers."""
    refuse_bools(wrapped(x), wrapped(y))
    return x - y


def logaddexp_vjp_self(grad: Any, self: Any, other: Any) -> Any:
    """z = ln(e^self + e^other): e^self's share."""
    return grad / (1 + rules.exp(difference(other, self)))


def logaddexp_vjp_other(grad: Any, self: Any, other: Any) -> Any:
    """z = ln(e^self + e^other): e^other's share."""
    return grad / (1 + rules.exp(difference(self, other)))


def logaddexp2_vjp_self(grad: Any, self: Any, other: Any) -> Any:
    """z = log₂(2^self + 2^other): 2^self's share."""
    return grad / (1 + rules.exp(difference(other, self) * math.log(2)))


def logaddexp2_vjp_other(grad: Any, self: Any, other: Any) -> Any:
    """z = log₂(2^self + 2^other): 2^other's share."""
    return grad / (1 + rules.exp(difference(self, other) * math.log(2)))


def copysign_vjp_self(grad: Any, self: Any, result: Any) -> Any:
    """z = |self| with the sign of other: ±1, and 0 at 0."""
    ratio = result / self
    return grad * rules.where(self == 0, rules.zeros(ratio, ratio.shape), ratio)


def copysign_vjp_other(grad: Any) -> Any:
    """z = |self| with the sign of other: a step function of other."""
    return rules.zeros(grad, grad.shape)


def xlogy_vjp_self(grad: Any, self: Any, other: Any) -> Any:
    """z = self · ln other: ln other, and 0 where self is 0 and other is not positive."""
    if hasattr(other, "shape"):
        return rules.masked_fill(xlogy_op.of(grad, other), (self == 0) & (other <= 0), 0)
    slope = xlogy_number_op.of(grad, other=other)
    return slope if other > 0 else rules.masked_fill(slope, self == 0, 0)


def xlogy_vjp_other(grad: Any, self: Any, other: Any) -> Any:
    """z = self · ln other: self / other."""
    return grad * self / other


# ------------------------------------------------------------------ mixtures


def lerp_vjp_self(grad: Any, weight: Any) -> Any:
    """z = self + weight · (end - self): 1 - weight."""
    return grad * (1 - weight)


def lerp_vjp_end(grad: Any, weight: Any) -> Any:
    """z = self + weight · (end - self): weight."""
    return grad * weight


def lerp_vjp_weight(grad: Any, self: Any, end: Any) -> Any:
    """z = self + weight · (end - self): end - self."""
    return grad * (end - self)


def addcmul_vjp_tensor1(grad: Any, tensor2: Any, value: float) -> Any:
    """z = self + value · tensor1 · tensor2."""
    return grad * (tensor2 * value)


def addcmul_vjp_tensor2(grad: Any, tensor1: Any, value: float) -> Any:
    """z = self + value · tensor1 · tensor2."""
    return grad * (tensor1 * value)


def addcdiv_vjp_tensor1(grad: Any, tensor2: Any, value: float) -> Any:
    """z = self + value · tensor1 / tensor2."""
    return grad * (value / tensor2)


def addcdiv_vjp_tensor2(grad: Any, tensor1: Any, tensor2: Any, value: float) -> Any:
    """z = self + value · tensor1 / tensor2."""
    return -grad * (value * tensor1 / (tensor2 * tensor2))


# ------------------------------------------------------------------ entries


def _numpy(name: str) -> Any:
    return lambda x, y: getattr(array_module(x), name)(x, y)


def _floats(name: str, kernel: str) -> Any:
    def forward(x: Any, y: Any) -> Any:
        if x.dtype.kind != "f":
            raise unsupported(kernel, x, y)
        return getattr(array_module(x), name)(x, y)

    return forward


def _xlogy(x: Any, y: Any) -> Any:
    module = array_module(x)
    product = x * module.log(module.asarray(y, dtype=x.dtype))  # of bytes NumPy's would be rounded to half precision
    return module.where((x == 0) & (y == y), module.zeros_like(product), product)


def _lerp(x: Any, end: Any, weight: Any) -> Any:
    near = abs(weight) < 0.5  # from the nearer of the two, as torch does it
    if getattr(near, "ndim", 0):
        z = array_module(x).where(near, x + weight * (end - x), end - (end - x) * (1 - weight))
    else:
        z = x + weight * (end - x) if near else end - (end - x) * (1 - weight)
    return z.astype(x.dtype, copy=False)


SINGLE = numpy.dtype(numpy.float32)
FAR = 2**63  # numbers nearer to 0 fit into single precision, and need no `element` to say so


def _lerp_by_number(x: Any, end: Any, weight: float) -> Any:
    """Half precision is mixed in single, as torch's kernel does it."""
    half = x.dtype.itemsize == 2
    if half or not -FAR < weight < FAR:
        weight = element(weight, SINGLE if half else x.dtype)
    return _lerp(x, end, weight)


def times(value: bool | int | float, x: Any) -> Any:
    """value · x, the value being a number that x's dtype holds; of half precision what is too large is inf."""
    fits = x.dtype.kind == "f" and (-FAR < value < FAR or x.dtype.itemsize == 2)
    return (x.dtype.type(value) if fits else element(value, x.dtype)) * x


atan2_op = Op("Atan2Backward0", _numpy("arctan2"), floating=True, self=atan2_vjp_self, other=atan2_vjp_other)
hypot_op = Op(
    "HypotBackward0", _floats("hypot", "hypot_cpu"), promotes=True, self=hypot_vjp_self, other=hypot_vjp_other
)
logaddexp_op = Op(
    "LogaddexpBackward0",
    _floats("logaddexp", "logaddexp_cpu"),
    promotes=True,
    self=logaddexp_vjp_self,
    other=logaddexp_vjp_other,
)
logaddexp2_op = Op(
    "Logaddexp2Backward0", _floats("logaddexp2", "logaddexp2_cpu"), promotes=True, self=logaddexp2_vjp_self,
    other=logaddexp2_vjp_other,
)  # fmt: skip
copysign_op = Op(
    "CopysignBackward0", _numpy("copysign"), floating=True, self=copysign_vjp_self, other=copysign_vjp_other
)
copysign_scalar_op = Op(
    "CopysignBackward1", lambda x, other: array_module(x).copysign(x, other), self=copysign_vjp_self
)
xlogy_op = Op("XlogyBackward0", _xlogy, floating=True, self=xlogy_vjp_self, other=xlogy_vjp_other)
xlogy_number_op = Op(
    "XlogyBackward2", lambda x, other: _xlogy(x, x.dtype.type(other)), floating=True, self=xlogy_vjp_self
)
number_xlogy_op = Op(
    "XlogyBackward1", lambda x, self: _xlogy(as_0d_array(self, x), x), floating=True, other=xlogy_vjp_other
)
lerp_scalar_op = Op("LerpBackward0", _lerp_by_number, promotes=True, self=lerp_vjp_self, end=lerp_vjp_end)
lerp_op = Op("LerpBackward1", _lerp, promotes=True, self=lerp_vjp_self, end=lerp_vjp_end, weight=lerp_vjp_weight)
addcmul_op = Op(
    "AddcmulBackward0", in_single(lambda x, y, z, value: x + times(value, y) * z), promotes=True, self=same_vjp,
    tensor1=addcmul_vjp_tensor1, tensor2=addcmul_vjp_tensor2,
)  # fmt: skip
addcdiv_op = Op(
    "AddcdivBackward0", in_single(lambda x, y, z, value: x + times(value, y) / z), promotes=True, self=same_vjp,
    tensor1=addcdiv_vjp_tensor1, tensor2=addcdiv_vjp_tensor2,
)  # fmt: skip


atan2 = of_two_tensors(atan2_op, "atan2", "The angle of the point (other, input), from -π to π")
hypot = of_two_tensors(hypot_op, "hypot", "The length of the vector (input, other)")
logaddexp = of_two_tensors(logaddexp_op, "logaddexp", "ln(e^input + e^other) without overflow")
logaddexp2 = of_two_tensors(logaddexp2_op, "logaddexp2", "log₂(2^input + 2^other) without overflow")


def copysign(input: Tensor, other: Operand) -> Tensor:
    """|input| with the sign of other, a tensor or a number (torch.copysign)."""
    if isinstance(other, Tensor):
        return copysign_op(input, other)
    return copysign_scalar_op(
        input if input._data.dtype.kind == "f" else input.to(get_default_dtype()), other=float(operand(other)._data)
    )


def xlogy(input: Operand, other: Operand) -> Tensor:
    """input · ln other, and 0 where input is 0 (torch.xlogy)."""
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        return NotImplemented
    if not isinstance(other, Tensor):
        return xlogy_number_op(input, other=operand(other)._data)
    return xlogy_op(input, other) if isinstance(input, Tensor) else number_xlogy_op(other, self=operand(input)._data)


def lerp(input: Tensor, end: Tensor, weight: Operand) -> Tensor:
    """input + weight · (end - input); weight is a number or a tensor (torch.lerp)."""
    if input._data.dtype is not end._data.dtype:
        raise RuntimeError(f"expected dtype {input.dtype.c_name} for `end` but got dtype {end.dtype.c_name}")
    if isinstance(weight, Tensor) and weight._data.ndim and weight.dtype is not input.dtype:
        raise RuntimeError(f"expected dtype {input.dtype.c_name} for `weight` but got dtype {weight.dtype.c_name}")
    if input._data.dtype.kind != "f":
        given = [t._data for t in (input, end, weight) if isinstance(t, Tensor)]
        raise unsupported(f"lerp_kernel_{'tensor' if isinstance(weight, Tensor) else 'scalar'}", *given)
    if isinstance(weight, Tensor):
        return lerp_op(input, end, weight)
    return lerp_scalar_op(input, end, weight=operand(weight)._data)


def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """input + value · tensor1 · tensor2 (torch.addcmul)."""
    if all(t._data.dtype.kind == "b" for t in (input, tensor1, tensor2)):
        raise unsupported("addcmul_cpu_out", *[t._data for t in (input, tensor1, tensor2)])
    return addcmul_op(input, tensor1, tensor2, value=number(value))


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """input + value · tensor1 / tensor2; RuntimeError for whole numbers (torch.addcdiv)."""
    if tensor1._data.dtype.kind != "f" and tensor2._data.dtype.kind != "f":
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
            "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
            "torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) "
            "for float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / "
            "tensor2), for all dtypes."
        )
    return addcdiv_op(input, tensor1, tensor2, value=number(value))
