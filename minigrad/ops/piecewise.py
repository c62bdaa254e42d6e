"""Activation functions made of straight pieces, or nearly: hardsigmoid, hardswish, the shrinking ones, threshold, prelu."""

from __future__ import annotations

import math
from typing import Any

from .. import rules
from ..backend import array_module, in_single, numpy
from ..dtypes import element, limits
from ..tensor import Tensor
from .activation import activated
from .arguments import Number, parsed
from .define import Op
from .double_backward import no_slope
from .lazy import plain_function
from .promotion import no_kernel
from .underivable import Underivable
from .validate import number

# ------------------------------------------------------------------ rules


SIXTH = float(numpy.float32(1 / 6))  # in single precision, whatever the dtype, as in torch


def _hardsigmoid_backward(grad: Any, self: Any) -> Any:
    return rules.keep_where(grad * SIXTH, (self > -3) & (self < 3))


hardsigmoid_backward = Underivable("hardsigmoid_backward", _hardsigmoid_backward, "grad_output", "self")


def hardsigmoid_vjp(grad: Any, self: Any) -> Any:
    """z = (self + 3) / 6 held between 0 and 1: ∂z/∂self = 1/6 strictly between. torch has no second derivative."""
    return hardsigmoid_backward.of(grad, self)


def hardswish_vjp(grad: Any, self: Any) -> Any:
    """z = self · hardsigmoid(self): ∂z/∂self = self / 3 + 1/2 between -3 and 3, else 0 or 1."""
    slope = rules.keep_where(self, (self > -3) & (self < 3)) * (1 / 3) + 0.5
    return rules.keep_where(rules.where(self < 3, grad * slope, grad), (self <= -3) == 0)


def hardswish_slope(grad: Any, grad_output: Any, self: Any) -> Any:
    """The derivative of hardswish_vjp by self: grad_output / 3 between -3 and 3, else 0."""
    return rules.keep_where(grad * grad_output / 3, (self > -3) & (self < 3))


def shrink_vjp(grad: Any, self: Any, lambd: float) -> Any:
    """z = 0 for self from -lambd to lambd, else self, or self moved by lambd towards 0: the gradient passes outside."""
    return rules.keep_where(grad, ((self >= -lambd) & (self <= lambd)) == 0)


def threshold_vjp(grad: Any, self: Any, threshold: float) -> Any:
    """z = self above the threshold, else a value: the gradient passes above it."""
    return rules.keep_where(grad, (self <= threshold) == 0)


def prelu_vjp_self(grad: Any, self: Any, weight: Any) -> Any:
    """z = self where positive, else weight · self. Second derivatives take the positive side at 0, as in torch."""
    if rules.is_tensor(self):
        return grad * rules.where(self < 0, weight, rules.zeros(weight, ()) + 1)
    return rules.where(self > 0, grad, grad * weight)


def prelu_vjp_weight(grad: Any, self: Any, weight: Any) -> Any:
    """z = weight · self where self is not positive: the walk sums it over what the weight was stretched to. torch's kernel is
    given the weight as well: the second derivative for it is zeros, not nothing."""
    if rules.is_tensor(self):
        return grad * rules.keep_where(self, self < 0)
    return rules.keep_where(grad * self, (self > 0) == 0)


# ------------------------------------------------------------------ forwards


def _hardsigmoid(x: Any) -> Any:
    return array_module(x).clip(x + 3, 0, 6) * (1 / 6)


def _hardswish(x: Any) -> Any:
    return x * array_module(x).clip(x + 3, 0, 6) * (1 / 6)


def _hardshrink(x: Any, lambd: float) -> Any:
    return rules.keep_where(x, ((x >= -lambd) & (x <= lambd)) == 0)


def _softshrink(x: Any, lambd: float) -> Any:
    return rules.where(x > lambd, x - lambd, rules.where(x < -lambd, x + lambd, x * 0))


def _threshold(x: Any, threshold: float, value: float) -> Any:
    return array_module(x).where(x <= threshold, element(value, x.dtype), x)


def _prelu(x: Any, weight: Any) -> Any:
    return rules.where(x > 0, x, x * weight)


hardsigmoid_op = Op("HardsigmoidBackward0", in_single(_hardsigmoid), self=hardsigmoid_vjp)
hardswish_op, hardshrink_op, softshrink_op = [
    Op(f"{name}Backward0", forward, self=rule, second=f"{name}BackwardBackward0", slopes=(slope,))
    for name, forward, rule, slope in (
        ("Hardswish", in_single(_hardswish), hardswish_vjp, hardswish_slope),
        ("Hardshrink", _hardshrink, shrink_vjp, no_slope),
        ("Softshrink", in_single(_softshrink), shrink_vjp, no_slope),
    )
]
threshold_op, threshold_in_place = [
    Op(f"ThresholdBackward{n}", _threshold, self=threshold_vjp, second="ThresholdBackwardBackward0", slopes=(no_slope,))
    for n in (0, 1)
]
prelu_op = Op(
    "PreluKernelBackward0",
    _prelu,
    stretches=True,
    self=prelu_vjp_self,
    weight=prelu_vjp_weight,
    second="PreluKernelBackwardBackward0",
)


# ------------------------------------------------------------------ functions


@parsed()
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """(x + 3) / 6 clamped between 0 and 1 (torch.nn.functional.hardsigmoid)."""
    return activated(hardsigmoid_op, "hardsigmoid_cpu", input, inplace)


@parsed()
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """x · hardsigmoid(x) (torch.nn.functional.hardswish)."""
    return activated(hardswish_op, "hardswish_cpu", input, inplace)


def hardshrink(input: Tensor, lambd: Number = 0.5) -> Tensor:
    """x, but 0 from -lambd to lambd (torch.hardshrink)."""
    return activated(hardshrink_op, "hardshrink_cpu", input, False, lambd=number(lambd))


@plain_function
def softshrink(input: Tensor, lambd: Number = 0.5) -> Tensor:
    """x moved towards 0 by lambd, and 0 where it gets there (torch.nn.functional.softshrink)."""
    lambd = number(lambd)
    most = limits(input._data.dtype)[1] if input._data.dtype.kind == "f" else math.inf
    if not 0 <= lambd <= most:
        no_kernel("softshrink_check", input, "bui")
        kind = input.dtype.type_name
        raise RuntimeError(f"lambda must be in range [0, {most:g}] for input dtype {kind}, but found {lambd:g}")
    return activated(softshrink_op, "softshrink_check", input, False, lambd=lambd)


@parsed()
def threshold(input: Tensor, threshold: Number, value: Number, inplace: bool = False) -> Tensor:
    """x above the threshold, else the value (torch.nn.functional.threshold)."""
    no_kernel("threshold_cpu", input)
    op = threshold_in_place if inplace else threshold_op
    return activated(op, "", input, inplace, threshold=number(threshold), value=number(value))


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where positive, else weight · x, with one weight or one for each channel (torch.prelu).

    input: (N, C, …), weight: (1,) or (C,).
    """
    if input.dtype is not weight.dtype:
        given = f"{input.dtype.type_name} and {weight.dtype.type_name}"
        raise RuntimeError(f"prelu: Type promoting not supported. Got {given}")
    ndim, count = input.dim(), weight.numel()
    if count != 1:
        if not ndim:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = input.shape[1] if ndim > 1 else 1
        if channels != count:
            raise RuntimeError(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{count} and channel size = {channels}."
            )
    if weight.dim() > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.dim()}")
    if ndim != weight.dim():
        weight = weight.reshape((1, count, *[1] * (ndim - 2)) if ndim > 1 else (1,) * ndim)
    no_kernel("prelu_cpu", input, "bui")
    return prelu_op(input, weight)
