"""Losses of yes-or-no probabilities, given as they are or as what sigmoid makes them of."""

from __future__ import annotations

from typing import Any

from .. import rules
from ..backend import array_module
from ..strides import in_first_order
from ..tensor import Tensor
from .activation import log_sigmoid_op, sigmoid
from .arguments import parsed
from .bounded import at_least, at_most
from .define import Op
from .loss import not_differentiable, reduced, reduction_number, shared
from .promotion import BOOL_DIFFERENCE, check_castable, common_shape, no_kernel
from .validate import asked_shape

LEAST = 1e-12  # what torch keeps probabilities from 0 by


def weighted(values: Any, weight: Any) -> Any:
    """values · weight; None for no weights."""
    return values if weight is None else values * weight


def bce_vjp_self(grad: Any, self: Any, target: Any, weight: Any, reduction: int) -> Any:
    """z = -(t ln p + (1 - t) ln(1 - p)), p = self: ∂/∂p = (p - t) / (p (1 - p)). torch: BinaryCrossEntropyBackward0.

    Like torch, the divisor is kept from 0.
    """
    return weighted(bce_slope_op.of(self, target), weight) * shared(grad, self, reduction)


def kept_from_0(divisor: Any) -> Any:
    """divisor, at least 10⁻¹²: an array or a Tensor."""
    return rules.where(divisor > LEAST, divisor, divisor * 0 + LEAST)


def bce_slope_vjp_self(grad: Any, self: Any, target: Any) -> Any:
    """z = (p - t) / (p (1 - p)): (p² - 2pt + t) / (p (1 - p))², with torch's guards against 0."""
    return grad * (self * self - 2 * self * target + target) / ((self + LEAST) * (1 - self + LEAST)) ** 2


def bce_slope_vjp_target(grad: Any, self: Any) -> Any:
    """z = (p - t) / (p (1 - p)): -1 / (p (1 - p))."""
    return -grad / kept_from_0(self * (1 - self))


def bce_vjp_target(grad: Any, self: Any, target: Any, weight: Any, reduction: int) -> Any:
    """z = -(t ln p + (1 - t) ln(1 - p)): ∂/∂t = ln(1 - p) - ln p."""
    return weighted(rules.log(1 - self) - rules.log(self), weight) * shared(grad, self, reduction)


def bce_logits_vjp_self(grad: Any, self: Any, target: Any, weight: Any, pos_weight: Any, reduction: int) -> Any:
    """z = -(w t ln σ + (1 - t) ln(1 - σ)), σ = σ(self): ∂/∂self = (w t + 1 - t) σ - w t. Without weights: σ - t.

    torch: BinaryCrossEntropyWithLogitsBackward0.
    """
    t = weighted(target, pos_weight)
    slope = weighted(((t + 1 - target) * sigmoid(self) - t) * grad, weight)
    return shared(slope, slope, reduction)


def bce_logits_vjp_target(grad: Any, self: Any, target: Any, weight: Any, pos_weight: Any, reduction: int) -> Any:
    """z = -(w t ln σ + (1 - t) ln(1 - σ)): ∂/∂t = ln(1 - σ) - w ln σ, which is -self without weights."""
    slope = -self if pos_weight is None else log_sigmoid_op.of(-self) - log_sigmoid_op.of(self) * pos_weight
    slope = weighted(slope, weight) * rules.cast(grad, rules.raw_dtype(self))
    return shared(slope, slope, reduction)


def _bce(p: Any, t: Any, weight: Any, reduction: int) -> Any:
    module = array_module(p)
    log_p, log_q = (at_least(-100, module.log(q)) for q in (p, 1 - p))  # -100: torch's guard against ln 0
    return reduced(weighted(-(t * log_p + (1 - t) * log_q), weight).astype(p.dtype, copy=False), reduction)


def _bce_logits(x: Any, t: Any, weight: Any, pos_weight: Any, reduction: int) -> Any:
    module = array_module(x)
    log_s = at_most(0, x) - module.log1p(module.exp(-abs(x)))  # ln σ(x); ln(1 - σ(x)) = ln σ(x) - x
    if pos_weight is not None:
        log_s = log_s * ((pos_weight - 1) * t + 1)
    absent = 1 - t
    values = weighted(absent * x - log_s, weight)
    found = reduced(values.astype(t.dtype, copy=False), reduction)
    return found if found.ndim < 2 else in_first_order(found, absent, x)


bce_slope_op = Op(
    "BinaryCrossEntropyBackwardBackward0",
    lambda p, t: (p - t) / kept_from_0(p * (1 - p)),
    self=bce_slope_vjp_self,
    target=bce_slope_vjp_target,
)
bce_op = Op(
    "BinaryCrossEntropyBackward0",
    _bce,
    promotes=True,
    tensors=("weight",),
    second={"self": "BinaryCrossEntropyBackwardBackward0"},
    self=bce_vjp_self,
    target=bce_vjp_target,
)
bce_logits_op = Op(
    "BinaryCrossEntropyWithLogitsBackward0",
    _bce_logits,
    stretches=True,
    tensors=("weight", "pos_weight"),
    self=bce_logits_vjp_self,
    target=bce_logits_vjp_target,
)


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """-(t ln p + (1 - t) ln(1 - p)) of probabilities p (torch.nn.functional.binary_cross_entropy)."""
    number = reduction_number(reduction, size_average, reduce)
    if asked_shape(target) != asked_shape(input):
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. "
            "Please ensure they have the same size."
        )
    not_differentiable("binary_cross_entropy", weight=weight)
    if target._data.dtype is not input._data.dtype:
        raise RuntimeError(f"Found dtype {target.dtype.type_name} but expected {input.dtype.type_name}")
    no_kernel("binary_cross_entropy", input, "bui")
    if not ((input._data >= 0) & (input._data <= 1)).all():
        raise RuntimeError("all elements of input should be between 0 and 1")
    if not ((target._data >= 0) & (target._data <= 1)).all():
        raise RuntimeError("all elements of target should be between 0 and 1")
    return bce_op(input, target, weight=weight, reduction=number)


@parsed("", "", "", "weight", "pos_weight")
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """binary_cross_entropy of σ(input), computed without overflow (torch.nn.functional)."""
    number = reduction_number(reduction, size_average, reduce)
    if asked_shape(target) != asked_shape(input):
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    not_differentiable("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    no_kernel("log_sigmoid_cpu", input, "bui")
    if target._data.dtype.kind == "b":  # torch's first step is 1 - target
        raise RuntimeError(BOOL_DIFFERENCE)
    check_castable(input.dtype, target.dtype)
    for factor in (pos_weight, weight):
        if factor is not None:
            common_shape([target._data.shape, factor._data.shape])
    return bce_logits_op(input, target, weight=weight, pos_weight=pos_weight, reduction=number)
