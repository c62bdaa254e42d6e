"""Losses between numbers: regression, and yes-or-no probabilities. Every one ends in a mean, a sum, or nothing
(`reduction`). Losses between classes stand in cross_entropy.py."""

from __future__ import annotations

import math
import warnings
from typing import Any

from .. import rules
from ..autograd.grad_mode import records
from ..backend import array_module
from ..dtypes import BY_NUMPY, result_type
from ..dtypes import dtype as Dtype
from ..tensor import Tensor
from .activation import log_sigmoid_op, sigmoid
from .arguments import parsed
from .define import Op
from .promotion import no_kernel

REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}  # the numbers that torch's nodes save
NONE, MEAN = 0, 1


def reduced(values: Any, reduction: int) -> Any:
    """An array of losses, or its mean or sum. The mean of nothing is nan, as in torch."""
    if reduction == NONE:
        return values
    total = values.sum()
    return total / values.size if reduction == MEAN else total


def shared(grad: Any, like: Any, reduction: int) -> Any:
    """The gradient of each loss before the reduction: under a mean, each has its share."""
    return grad / math.prod(like.shape) if reduction == MEAN else grad


# ------------------------------------------------------------------ regression


def mse_loss_vjp_self(grad: Any, self: Any, target: Any, reduction: int) -> Any:
    """z = (self - target)², reduced: ∂/∂self = 2 (self - target). torch: MseLossBackward0."""
    return (self - target) * (2 * shared(grad, self, reduction))


def mse_loss_vjp_target(grad: Any, self: Any, target: Any, reduction: int) -> Any:
    """z = (self - target)², reduced: ∂/∂target = -2 (self - target)."""
    return (target - self) * (2 * shared(grad, self, reduction))


def one_dtype(self: Any, target: Any) -> None:
    """RuntimeError, in torch's words, for the backward of two dtypes, which its kernel does not know."""
    a, b = rules.raw(self).dtype, rules.raw(target).dtype
    if a != b:
        raise RuntimeError(f"Found dtype {BY_NUMPY[b].type_name} but expected {BY_NUMPY[a].type_name}")


def huber_slope(difference: Any, delta: float) -> Any:
    """The slope of ½d² near 0 and of δ(|d| - ½δ) from |d| = δ on: d held between -δ and δ."""
    near = rules.abs(difference) < delta
    return rules.where(near, difference, rules.sign(difference) * delta)


def huber_loss_vjp_self(grad: Any, self: Any, target: Any, reduction: int, delta: float) -> Any:
    """z = ½d² where |d| < δ, else δ(|d| - ½δ), with d = self - target. torch: HuberLossBackward0."""
    one_dtype(self, target)
    return huber_slope(self - target, delta) * shared(grad, self, reduction)


def huber_loss_vjp_target(grad: Any, self: Any, target: Any, reduction: int, delta: float) -> Any:
    """As for self, with the sign turned."""
    one_dtype(target, self)
    return huber_slope(target - self, delta) * shared(grad, self, reduction)


def smooth_l1_loss_vjp_self(grad: Any, self: Any, target: Any, reduction: int, beta: float) -> Any:
    """The Huber loss divided by δ = β. torch: SmoothL1LossBackward0."""
    return huber_slope(self - target, beta) * shared(grad, self, reduction) / beta


def smooth_l1_loss_vjp_target(grad: Any, self: Any, target: Any, reduction: int, beta: float) -> Any:
    """As for self, with the sign turned."""
    return huber_slope(target - self, beta) * shared(grad, self, reduction) / beta


def _mse(x: Any, y: Any, reduction: int) -> Any:
    d = x - y
    return reduced(d * d, reduction)


def huber_values(x: Any, y: Any, delta: float) -> Any:
    """½d² near 0, straight from |d| = δ on."""
    d = abs(x - y)
    return array_module(x).where(d < delta, 0.5 * d * d, delta * (d - 0.5 * delta))


def _huber(x: Any, y: Any, reduction: int, delta: float) -> Any:
    return reduced(huber_values(x, y, delta).astype(x.dtype, copy=False), reduction)


def _smooth_l1(x: Any, y: Any, reduction: int, beta: float) -> Any:
    return reduced(huber_values(x, y, beta) / beta, reduction)


mse_op = Op(
    "MseLossBackward0",
    _mse,
    promotes=True,
    self=mse_loss_vjp_self,
    target=mse_loss_vjp_target,
    again="MseLossBackwardBackward0",
)
huber_op = Op(
    "HuberLossBackward0",
    _huber,
    self=huber_loss_vjp_self,
    target=huber_loss_vjp_target,
    again="HuberLossBackwardBackward0",
)
smooth_l1_op = Op(
    "SmoothL1LossBackward0",
    _smooth_l1,
    promotes=True,
    again="SmoothL1LossBackwardBackward0",
    self=smooth_l1_loss_vjp_self,
    target=smooth_l1_loss_vjp_target,
)


def reduction_number(reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> int:
    """The number of a reduction; ValueError for an unknown one. The two old flags still work, with torch's warning."""
    if size_average is not None or reduce is not None:
        size_average, reduce = size_average is not False, reduce is not False
        reduction = "none" if not reduce else "mean" if size_average else "sum"
        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
            UserWarning,
            stacklevel=4,
        )
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return REDUCTIONS[reduction]


def broadcast(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Both stretched to one shape, with torch's warning where they do not have it already."""
    a, b = input._data.shape, target._data.shape
    if a == b:
        return input, target
    warnings.warn(
        f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will likely "
        "lead to incorrect results due to broadcasting. Please ensure they have the same size.",
        UserWarning,
        stacklevel=4,
    )
    shape = (input.detach() + target.detach())._data.shape  # raises in torch's words where they do not fit
    return tuple([x if x._data.shape == shape else x.expand(shape) for x in (input, target)])  # type: ignore[return-value]


def mse_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Tensor:
    """(input - target)², averaged, summed or one by one (torch.nn.functional.mse_loss)."""
    number = reduction_number(reduction, size_average, reduce)
    input, target = broadcast(input, target)
    floats_among("mse_cpu", input, target)
    return mse_op(input, target, reduction=number)


def l1_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Tensor:
    """|input - target|, averaged, summed or one by one (torch.nn.functional.l1_loss); plain operations, as in torch."""
    number = reduction_number(reduction, size_average, reduce)
    input, target = broadcast(input, target)
    distance = (input - target).abs()
    return distance if number == NONE else distance.mean() if number == MEAN else distance.sum()


def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    """½d² near 0, straight from |d| = δ on (torch.nn.functional.huber_loss)."""
    number = reduction_number(reduction)
    input, target = broadcast(input, target)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    floats_among("huber_cpu", input, target)
    castable(result_type(input, target), input.dtype)
    return huber_op(input, target, reduction=number, delta=delta)


def castable(found: Dtype, wanted: Dtype) -> None:
    """RuntimeError, in torch's words, for a result that its kernel cannot write where it has to."""
    if found.category > wanted.category:
        raise RuntimeError(f"result type {found.type_name} can't be cast to the desired output type {wanted.type_name}")


def floats_among(kernel: str, input: Tensor, target: Tensor) -> None:
    """NotImplementedError, in torch's words, where neither is a floating-point tensor."""
    wanted = result_type(input, target)
    if wanted.category < 2:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{wanted.type_name}'")


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """The Huber loss over β; β = 0 is l1_loss (torch.nn.functional.smooth_l1_loss)."""
    number = reduction_number(reduction, size_average, reduce)
    input, target = broadcast(input, target)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    floats_among("smooth_l1_cpu", input, target)
    return smooth_l1_op(input, target, reduction=number, beta=beta)


# ------------------------------------------------------------------ yes or no


def averaged(grads: Any, reduction: int) -> Any:
    """The same for gradients that are there already, one for each loss."""
    return grads / math.prod(grads.shape) if reduction == MEAN else grads


def weighted(values: Any, weight: Any) -> Any:
    """values · weight; None stands for no weights."""
    return values if weight is None else values * weight


def bce_vjp_self(grad: Any, self: Any, target: Any, weight: Any, reduction: int) -> Any:
    """z = -(t ln p + (1 - t) ln(1 - p)), p = self: ∂/∂p = (p - t) / (p (1 - p)). torch: BinaryCrossEntropyBackward0.

    Like torch, the divisor is kept from 0.
    """
    divisor = self * (1 - self)
    slope = (self - target) / rules.where(divisor > 1e-12, divisor, divisor * 0 + 1e-12)
    return weighted(slope, weight) * shared(grad, self, reduction)


def bce_vjp_target(grad: Any, self: Any, target: Any, weight: Any, reduction: int) -> Any:
    """z = -(t ln p + (1 - t) ln(1 - p)): ∂/∂t = ln(1 - p) - ln p."""
    return weighted(rules.log(1 - self) - rules.log(self), weight) * shared(grad, self, reduction)


def bce_logits_vjp_self(grad: Any, self: Any, target: Any, weight: Any, pos_weight: Any, reduction: int) -> Any:
    """z = -(w t ln σ + (1 - t) ln(1 - σ)), σ = σ(self): ∂/∂self = (w t + 1 - t) σ - w t. Without weights: σ - t.

    torch: BinaryCrossEntropyWithLogitsBackward0.
    """
    t = weighted(target, pos_weight)
    return averaged(weighted(((t + 1 - target) * sigmoid(self) - t) * grad, weight), reduction)


def bce_logits_vjp_target(grad: Any, self: Any, target: Any, weight: Any, pos_weight: Any, reduction: int) -> Any:
    """z = -(w t ln σ + (1 - t) ln(1 - σ)): ∂/∂t = ln(1 - σ) - w ln σ."""
    log_s = log_sigmoid_op.of(self)
    return averaged(weighted((log_s - self - weighted(log_s, pos_weight)) * grad, weight), reduction)


def _bce(p: Any, t: Any, weight: Any, reduction: int) -> Any:
    module = array_module(p)
    logs = (
        module.maximum(module.log(p), -100),
        module.maximum(module.log(1 - p), -100),
    )  # torch's guard against ln 0
    return reduced(weighted(-(t * logs[0] + (1 - t) * logs[1]), weight).astype(p.dtype, copy=False), reduction)


def _bce_logits(x: Any, t: Any, weight: Any, pos_weight: Any, reduction: int) -> Any:
    module = array_module(x)
    log_s = module.minimum(x, 0) - module.log1p(module.exp(-abs(x)))  # ln σ(x); ln(1 - σ(x)) = ln σ(x) - x
    if pos_weight is not None:
        log_s = log_s * ((pos_weight - 1) * t + 1)
    values = weighted((1 - t) * x - log_s, weight)
    return reduced(values.astype(t.dtype, copy=False), reduction)


bce_op = Op(
    "BinaryCrossEntropyBackward0",
    _bce,
    promotes=True,
    tensors=("weight",),
    again={"self": "BinaryCrossEntropyBackwardBackward0"},
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


def not_differentiable(name: str, **given: Tensor | None) -> None:
    """RuntimeError, in torch's words, for a weight whose gradient is wanted: there is none."""
    for argument, tensor in given.items():
        if tensor is not None and tensor.requires_grad and records():
            raise RuntimeError(f"The function '{name}' is not differentiable with respect to argument '{argument}'.")


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
    if input._data.shape != target._data.shape:
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


@parsed("", "", "", "weight")
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
    if input._data.shape != target._data.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    not_differentiable("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    no_kernel("log_sigmoid_cpu", input, "bui")
    castable(input.dtype, target.dtype)
    return bce_logits_op(
        input,
        target,
        weight=weight,
        pos_weight=pos_weight,
        reduction=number,
    )
