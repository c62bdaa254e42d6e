"""Losses that ask for a margin, or tell near from far: ranking, hinge and cosine embedding, soft margin, multi margin.

As in torch most of them are recorded as the plain operations that they consist of.
"""

from __future__ import annotations

from typing import Any

from .. import rules
from ..backend import array_module, in_order, outside
from ..dtypes import get_default_dtype, python_number
from ..ranges import scalar_tensor, zeros_like
from ..strides import in_first_order
from ..tensor import Tensor
from .activation import logsigmoid
from .arguments import Float, Number, parsed
from .arithmetic import sub
from .define import Op
from .inplace import refuse_write
from .loss import (
    MEAN,
    apply_reduction,
    check_reduction,
    not_differentiable,
    reduced,
    reduction_number,
    shared,
)
from .masks import where
from .pointwise import minus_number, plus_number
from .promotion import check_castable, unsupported
from .underivable import Underivable
from .validate import number

# ------------------------------------------------------------------ made of plain operations


def number_minus(value: float, x: Tensor) -> Tensor:
    """value - x, recorded as the difference of two tensors."""
    return sub(scalar_tensor(value, dtype=x.dtype, device=x.device), x)


def plus(x: Tensor, value: float) -> Tensor:
    """x + value, recorded as the sum of a tensor and a number."""
    return plus_number(x, number=python_number(value)) if x.is_floating_point() else x + value


def above_0(x: Tensor) -> Tensor:
    """x where it is positive, else 0; written into x."""
    return x.clamp_min_(0)


@parsed("margin_ranking_loss", "", "", "", "margin")
def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: Float = 0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, -target (input1 - input2) + margin): target 1 where input1 should be the greater, -1 where input2
    (torch.nn.functional.margin_ranking_loss)."""
    reduction_no = reduction_number(reduction, size_average, reduce)
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    difference = input1 - input2
    losses = above_0(plus(-target * difference, float(number(margin))))
    return apply_reduction(losses, reduction_no)


@parsed("hinge_embedding_loss", "input", "target", "margin")
def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: Float = 1.0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """The input itself, a distance, where target is 1, and max(0, margin - input) where it is -1
    (torch.nn.functional.hinge_embedding_loss)."""
    reduction_no = reduction_number(reduction, size_average, reduce)
    nothing = zeros_like(input)
    far = where(target.ne(1), above_0(number_minus(number(margin), input)), nothing)
    return apply_reduction(far + where(target.ne(-1), input, nothing), reduction_no)


@parsed("cosine_embedding_loss", "input1", "input2", "target", "margin")
def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: Float = 0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """1 - cos of the angle where target is 1, and max(0, cos - margin) where it is -1
    (torch.nn.functional.cosine_embedding_loss). input1, input2: (N, D), target: (N,), or all without N."""
    reduction_no = reduction_number(reduction, size_average, reduce)
    dim = target.dim()
    if dim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if not input1.dim() == input2.dim() == dim + 1:
        raise RuntimeError(
            f"{dim}D target tensor expects {dim + 1}D input tensors, but found inputs with sizes {list(input1.shape)} and "
            f"{list(input2.shape)}."
        )
    product = (input1 * input2).sum(dim)
    squares = [plus((x * x).sum(dim), 1e-12) for x in (input1, input2)]
    cos = product / (squares[0] * squares[1]).sqrt_()
    nothing = zeros_like(cos)
    near, far = number_minus(1, cos), above_0(minus_number(cos, number=number(margin)))
    near, far = where(target.eq(1), near, nothing), where(target.eq(-1), far, nothing)
    return apply_reduction(near + far, reduction_no)


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Any,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """-(t ln σ + (1 - t) ln(1 - σ)), averaged over the classes, which come last
    (torch.nn.functional.multilabel_soft_margin_loss). weight: of each class."""
    if size_average is not None or reduce is not None:
        reduction_no = reduction_number("mean", size_average, reduce)
    losses = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        losses = losses * weight
    classes = input.dim() - 1
    losses = losses.sum(dim=classes) / input.size(classes)
    if size_average is None and reduce is None:
        check_reduction(reduction, " is not valid")
        reduction_no = reduction_number(reduction)
    return apply_reduction(losses, reduction_no)


# ------------------------------------------------------------------ soft margin


def soft_margin_loss_vjp_self(grad: Any, self: Any, target: Any, reduction: int) -> Any:
    """z = ln(1 + e^(-t · self)), reduced: ∂/∂self = -t u / (1 + u) with u = e^(-t · self)."""
    u = rules.exp(-(target * self))
    return -(target * u) / (1 + u) * shared(grad, self, reduction)


def _soft_margin(x: Any, target: Any, reduction: int) -> Any:
    module, negative = array_module(x), -x
    found = reduced(module.log1p(module.exp(negative * target)).astype(x.dtype, copy=False), reduction)
    return found if found.ndim < 2 else in_first_order(found, negative, target)


soft_margin_op = Op(
    "SoftMarginLossBackward0",
    _soft_margin,
    stretches=True,
    tensors=("target",),
    self=soft_margin_loss_vjp_self,
    second="SoftMarginLossBackwardBackward0",
)


@parsed("soft_margin_loss", "input", "target")
def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Tensor:
    """ln(1 + e^(-target · input)), target being 1 or -1 (torch.nn.functional.soft_margin_loss)."""
    reduction_no = reduction_number(reduction, size_average, reduce)
    not_differentiable("soft_margin_loss", target=target)
    refuse_write(input, -input, target)
    if input.shape != target.shape:
        input.detach() + target.detach()  # refuses what does not broadcast
    check_castable(input.dtype if input.is_floating_point() else get_default_dtype(), input.dtype)
    return soft_margin_op(input, target=target, reduction=reduction_no)


# ------------------------------------------------------------------ multi margin


def _excess(x: Any, target: Any, weight: Any, margin: float) -> tuple[Any, Any]:
    """(N, C): what each class exceeds the target's score less the margin by, 0 for the target itself, and its weight."""
    module = array_module(x)
    rows = module.arange(len(x))
    excess = module.fmax(margin - x[rows, target][:, None] + x, 0)  # what is not above 0 counts nothing, nor does nan
    excess[rows, target] = 0
    share = (1 if weight is None else weight[target][:, None]) / x.shape[1]
    return excess, module.asarray(share, dtype=x.dtype)


def _multi_margin_backward(
    grad: Any, self: Any, target: Any, weight: Any, p: int, margin: float, reduction: int
) -> Any:
    """The gradient of each class above 0, and minus their sum for the target."""
    x = self.reshape(-1, self.shape[-1]) if self.ndim else self.reshape(1, 1)
    excess, share = _excess(x, target.reshape(-1), weight, margin)
    slope = ((excess > 0) if p == 1 else 2 * excess) * share
    slope[array_module(x).arange(len(x)), target.reshape(-1)] = 0 - slope.sum(1)
    each = grad.reshape(-1, 1) / (len(x) if reduction == MEAN else 1)
    return in_order((slope * each).astype(x.dtype, copy=False).reshape(self.shape))


multi_margin_backward = Underivable(
    "multi_margin_loss_backward", _multi_margin_backward, "grad_output", "self", tensors=("target", "weight")
)


def multi_margin_loss_vjp_self(
    grad: Any, self: Any, target: Any, weight: Any, p: int, margin: float, reduction: int
) -> Any:
    """z = Σ max(0, margin - self[target] + self[j])^p / C over all j but the target. torch has no second derivative."""
    settings = {"p": p, "margin": margin, "reduction": reduction}
    return multi_margin_backward.of(grad, self, target=target, weight=weight, **settings)


def _multi_margin(x: Any, target: Any, weight: Any, p: int, margin: float, reduction: int) -> Any:
    rows = x.reshape(-1, x.shape[-1]) if x.ndim else x.reshape(1, 1)
    excess, share = _excess(rows, target.reshape(-1), weight, margin)
    losses = (excess**p * share).sum(1)
    return reduced(losses if target.ndim else losses[0], reduction)


multi_margin_op = Op(
    "MultiMarginLossBackward0", _multi_margin, tensors=("target", "weight"), self=multi_margin_loss_vjp_self
)


@parsed("multi_margin_loss", "input", "target", "p", "margin", "weight")
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: Number = 1,
    margin: Number = 1.0,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Σ max(0, margin - input[target] + input[j])^p / C over all classes j but the target
    (torch.nn.functional.multi_margin_loss). input: (N, C), target: (N,), or both without N. weight: of each class."""
    reduction_no = reduction_number(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    size, count = list(input.shape), input.shape[0] if input.dim() == 2 else 1
    classes = size[-1] if size else 1
    if input.dim() > 2 or not classes:
        raise RuntimeError(f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {size}")
    if target.dim() > 1 or target.numel() != count:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). "
            f"Expected target size [{count}], but got {list(target.shape)}. Input has shape {size}."
        )
    not_differentiable("multi_margin_loss", weight=weight)
    if weight is not None and weight.numel() != classes:
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    if input._data.dtype.kind != "f" or input._data.dtype.itemsize == 2:
        raise unsupported("multi_margin_loss_cpu_kernel", input._data)
    for given, wanted in ((target, "Long"), (weight, input.dtype.type_name)):
        if given is not None and given.dtype.type_name != wanted:
            raise RuntimeError(f"expected scalar type {wanted} but found {given.dtype.type_name}")
    if outside(target._data, classes):
        raise RuntimeError("target out of range")
    margin = number(margin)
    return multi_margin_op(input, target=target, weight=weight, p=p, margin=margin, reduction=reduction_no)
