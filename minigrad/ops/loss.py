"""Losses between numbers: regression. Every one ends in a mean, a sum, or nothing (`reduction`), as do the losses
between classes (cross_entropy.py) and of yes-or-no probabilities (binary_cross_entropy.py)."""

from __future__ import annotations

import math
from typing import Any

from .. import rules
from ..autograd.grad_mode import records
from ..backend import array_module, laid_out_as, mean_array, sum_array
from ..dtypes import BY_NUMPY, result_type
from ..errors import warn
from ..tensor import Tensor
from .arguments import Bool, Float, parsed
from .bounded import at_most
from .define import Op
from .promotion import check_castable
from .validate import asked_shape, flag

REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}  # the numbers that torch's nodes save
NONE, MEAN = 0, 1


def reduced(values: Any, reduction: int) -> Any:
    """An array of losses, or its mean or sum. The mean of nothing is nan, as in torch."""
    if reduction == NONE:
        return values
    return (mean_array if reduction == MEAN else sum_array)(values, None, False)


def shared(grad: Any, like: Any, reduction: int) -> Any:
    """The gradient of each loss before the reduction: under a mean, each has its share."""
    return grad / math.prod(like.shape) if reduction == MEAN else grad


def not_differentiable(name: str, **given: Tensor | None) -> None:
    """RuntimeError, in torch's words, for a weight whose gradient is wanted: there is none."""
    for argument, tensor in given.items():
        if tensor is not None and tensor.requires_grad and records():
            raise RuntimeError(f"The function '{name}' is not differentiable with respect to argument '{argument}'.")


# ------------------------------------------------------------------ regression


def mse_loss_vjp_self(grad: Any, self: Any, target: Any, reduction: int) -> Any:
    """z = (self - target)², reduced: ∂/∂self = 2 (self - target). torch: MseLossBackward0."""
    return rules.in_order((self - target) * (2 * shared(grad, self, reduction)))


def mse_loss_vjp_target(grad: Any, self: Any, target: Any, reduction: int) -> Any:
    """z = (self - target)², reduced: ∂/∂target = -2 (self - target)."""
    return rules.in_order((target - self) * (2 * shared(grad, self, reduction)))


def one_dtype(self: Any, target: Any) -> None:
    """RuntimeError, in torch's words, for the backward of two dtypes, which its kernel does not know."""
    a, b = rules.raw(self).dtype, rules.raw(target).dtype
    if a != b:
        raise RuntimeError(f"Found dtype {BY_NUMPY[b].type_name} but expected {BY_NUMPY[a].type_name}")


def huber_slope(difference: Any, delta: float) -> Any:
    """The slope of ½d² near 0 and of δ(|d| - ½δ) from |d| = δ on: d held between -δ and δ."""
    if not rules.is_tensor(difference):
        return array_module(difference).clip(difference, -delta, delta)
    near = rules.abs(difference) < delta
    return rules.where(near, difference, rules.sign(difference) * delta)


def huber_loss_vjp_self(grad: Any, self: Any, target: Any, reduction: int, delta: float) -> Any:
    """z = ½d² where |d| < δ, else δ(|d| - ½δ), with d = self - target. torch: HuberLossBackward0."""
    one_dtype(self, target)
    return rules.in_order(huber_slope(self - target, delta) * shared(grad, self, reduction))


def huber_loss_vjp_target(grad: Any, self: Any, target: Any, reduction: int, delta: float) -> Any:
    """As for self, with the sign turned."""
    one_dtype(target, self)
    return rules.in_order(huber_slope(target - self, delta) * shared(grad, self, reduction))


def smooth_l1_loss_vjp_self(grad: Any, self: Any, target: Any, reduction: int, beta: float) -> Any:
    """The Huber loss divided by δ = β. torch: SmoothL1LossBackward0."""
    return rules.in_order(huber_slope(self - target, beta) * (shared(grad, self, reduction) / beta))


def smooth_l1_loss_vjp_target(grad: Any, self: Any, target: Any, reduction: int, beta: float) -> Any:
    """As for self, with the sign turned."""
    return rules.in_order(huber_slope(target - self, beta) * (shared(grad, self, reduction) / beta))


def _mse(x: Any, y: Any, reduction: int) -> Any:
    d = x - y
    return reduced(d * d, reduction)


def huber_values(x: Any, y: Any, delta: float) -> Any:
    """½d² near 0, straight from |d| = δ on."""
    d = abs(x - y)
    near = at_most(delta, d)
    return near * (d - 0.5 * near)


def _huber(x: Any, y: Any, reduction: int, delta: float) -> Any:
    found = reduced(huber_values(x, y, delta).astype(x.dtype, copy=False), reduction)
    return found if found.shape != x.shape else laid_out_as(x, found)


def _smooth_l1(x: Any, y: Any, reduction: int, beta: float) -> Any:
    return reduced(huber_values(x, y, beta) / beta, reduction)


mse_op = Op(
    "MseLossBackward0",
    _mse,
    promotes=True,
    self=mse_loss_vjp_self,
    target=mse_loss_vjp_target,
    second="MseLossBackwardBackward0",
)
huber_op = Op(
    "HuberLossBackward0",
    _huber,
    self=huber_loss_vjp_self,
    target=huber_loss_vjp_target,
    second="HuberLossBackwardBackward0",
)
smooth_l1_op = Op(
    "SmoothL1LossBackward0",
    _smooth_l1,
    promotes=True,
    second="SmoothL1LossBackwardBackward0",
    self=smooth_l1_loss_vjp_self,
    target=smooth_l1_loss_vjp_target,
)


def reduction_number(reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> int:
    """The number of a reduction; ValueError for an unknown one. The two old flags still work, with torch's warning."""
    if size_average is not None or reduce is not None:
        mean, every = (True if each is None else bool(each) for each in (size_average, reduce))
        reduction = "none" if not every else "mean" if mean else "sum"
        warn(f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.")
    if not isinstance(reduction, str) or reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return REDUCTIONS[reduction]


def check_reduction(reduction: str, words: str) -> None:
    """ValueError, in words of its own, for an unknown reduction."""
    if reduction not in tuple(REDUCTIONS):
        raise ValueError(reduction + words)


def broadcast(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Both stretched to one shape, with torch's warning where they do not have it already."""
    b, a = asked_shape(target), asked_shape(input)
    if a == b:
        return input, target
    warn(
        f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will likely "
        "lead to incorrect results due to broadcasting. Please ensure they have the same size."
    )
    shape = (input.detach() + target.detach())._data.shape  # raises in torch's words where they do not fit
    return tuple([x if x._data.shape == shape else x.expand(shape) for x in (input, target)])  # type: ignore[return-value]


def check_weight(input: Tensor, weight: Tensor) -> None:
    """ValueError for weights that are not one for each number."""
    if weight._data.shape != input._data.shape:
        raise ValueError("Weights and input must have the same size.")


def weighted_mean(losses: Tensor, weight: Tensor, number: int) -> Tensor:
    """Losses times their weights, reduced; a mean divides by the sum of the weights."""
    losses = losses * weight
    return losses if number == NONE else losses.sum() / weight.sum() if number == MEAN else losses.sum()


def apply_reduction(losses: Tensor, number: int) -> Tensor:
    """Losses as they are, their mean or their sum, in plain operations."""
    return losses if number == NONE else losses.mean() if number == MEAN else losses.sum()


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """(input - target)², averaged, summed or one by one (torch.nn.functional.mse_loss). weight: of input's shape."""
    given = input
    input, target = broadcast(input, target)
    number = reduction_number(reduction, size_average, reduce)
    if weight is not None:
        check_weight(given, weight)
        return weighted_mean((input - target) ** 2, weight, number)
    floats_among("mse_cpu", input, target)
    return mse_op(input, target, reduction=number)


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """|input - target|, averaged, summed or one by one (torch.nn.functional.l1_loss); plain operations, as in torch.
    weight: of input's shape."""
    given = input
    input, target = broadcast(input, target)
    number = reduction_number(reduction, size_average, reduce)
    if weight is not None:
        check_weight(given, weight)
        return weighted_mean((input - target).abs(), weight, number)
    return apply_reduction((input - target).abs(), number)


@parsed("huber_loss", "", "", "", "delta")
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: Float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """½d² near 0, straight from |d| = δ on (torch.nn.functional.huber_loss). weight: of input's shape; torch's mean
    does not divide by it here."""
    number = reduction_number(reduction)
    if weight is not None:
        check_weight(input, weight)
        return apply_reduction(huber_loss(input, target, "none", delta) * weight, number)
    input, target = broadcast(input, target)
    if not delta > 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    floats_among("huber_cpu", input, target)
    check_castable(result_type(input, target), input.dtype)
    return huber_op(input, target, reduction=number, delta=delta)


def floats_among(kernel: str, input: Tensor, target: Tensor) -> None:
    """NotImplementedError, in torch's words, where neither is a floating-point tensor."""
    wanted = result_type(input, target)
    if wanted.category < 2:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{wanted.type_name}'")


@parsed("smooth_l1_loss", "", "", "", "beta")
def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    beta: Float = 1.0,
) -> Tensor:
    """The Huber loss over β; β = 0 is l1_loss (torch.nn.functional.smooth_l1_loss)."""
    input, target = broadcast(input, target)
    number = reduction_number(reduction, size_average, reduce)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    floats_among("smooth_l1_cpu", input, target)
    return smooth_l1_op(input, target, reduction=number, beta=float(beta))


@parsed("kl_div", "input", "target", "log_target")
def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    log_target: Bool = False,
) -> Tensor:
    """target · (ln target - input), input being ln of a probability: the Kullback-Leibler divergence
    (torch.nn.functional.kl_div). reduction="batchmean": the sum over the number of rows, as the formula has it."""
    if size_average is None and reduce is None and reduction == "mean":
        warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides only "
            "by the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the same as "
            "'batchmean' in the next major release."
        )
    number = reduction_number("sum" if reduction == "batchmean" else reduction, size_average, reduce)
    if not isinstance(input, Tensor) or not isinstance(target, Tensor):
        raise TypeError
    if any(x._data.dtype.kind != "f" for x in (input, target)):
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if flag(log_target):  # nodes are made from right to left, as torch's compiler has it
        difference = target - input
        losses = target.exp() * difference
    else:
        product = target * input
        losses = target.xlogy(target) - product
    total = apply_reduction(losses, number)
    return total / input._data.shape[0] if reduction == "batchmean" and input._data.ndim else total
