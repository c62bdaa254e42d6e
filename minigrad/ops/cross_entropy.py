"""Losses between classes: nll_loss, and cross_entropy, which is log_softmax followed by it."""

from __future__ import annotations

import math
from typing import Any

from .. import rules
from ..backend import array_module, numpy, outside, sum_array
from ..tensor import Tensor, from_array
from .arguments import Float, Int, as_int, parsed
from .define import Op
from .layer_norm import stand_in
from .loss import MEAN, NONE, not_differentiable, reduction_number
from .nn import log_softmax
from .pointwise import over_number, plus_number, times_number
from .promotion import no_kernel
from .reduce import real_dim

INT64 = numpy.dtype("int64")


def nll_loss_vjp(grad: Any, self_shape: tuple[int, ...], target: Any, shares: Any) -> Any:
    """z = -Σ shares · self[target]: at each row's target its share of the gradient, negative; elsewhere 0.

    self_shape: (N, C, …), log-probabilities. target: (N, …), class numbers. shares: (N, …), what each row counts in z:
    1/N each under a mean. Without a batch, (C,) and two 0-d tensors. torch: NllLossBackward0.
    Example: grad = 1., self_shape = (2, 3), target = [2, 0], shares = [0.5, 0.5] → [[0., 0., -0.5], [-0.5, 0., 0.]]
    """
    dim = min(1, len(self_shape) - 1)
    target, value = rules.unsqueeze(target, dim), rules.unsqueeze(-grad * shares, dim)
    return rules.put_along(rules.zeros(grad, self_shape), dim, target, value)


def nll_loss_of_scores(grad: Any, self: Any, target: Any, shares: Any, ignored: Any) -> Any:
    """nll_loss_vjp, given the scores as torch's kernel is: under create_graph theirs is an edge, by which zeros go back.

    ignored: (N, …), rows that get 0 even of a gradient that is not finite; None if there is none.
    """
    found = nll_loss_vjp(grad, self.shape, target, shares)
    if ignored is None:
        return found
    mask = from_array(ignored) if isinstance(found, Tensor) else ignored
    return rules.masked_fill(found, rules.unsqueeze(mask, min(1, self.ndim - 1)), 0)


def _nll(
    x: Any, target: Any, shares: Any, ignored: Any, weight: Any, total_weight: Any, reduction: int, ignore_index: int
) -> Any:
    module, dim = array_module(x), min(1, x.ndim - 1)
    if x.ndim == 2:
        picked = x[module.arange(len(x)), target]  # the same, in a third of the time
    else:
        picked = module.take_along_axis(x, module.expand_dims(target, dim), dim).squeeze(dim)
    values = -picked * shares
    if ignored is not None:
        values = module.where(ignored, 0, values)  # even nan does not count
    if reduction == NONE:
        return values
    return sum_array(values, None, False) if total_weight or reduction != MEAN else module.asarray(math.nan, x.dtype)


nll_op, nll_2d_op = [
    Op(
        f"{name}Backward0",
        _nll,
        tensors=("target", "weight", "total_weight"),
        self=nll_loss_of_scores,
        second=f"{name}BackwardBackward0",
    )
    for name in ("NllLoss", "NllLoss2D")
]


def nll_loss_vjp_refused(grad: Any, self_shape: tuple[int, ...], target: Any) -> Any:
    """RuntimeError: of scores (C,) against one target, (1,), torch computes the loss, and then refuses its gradient."""
    raise RuntimeError(f"size mismatch (got input: {list(self_shape)}, target: [1])")


nll_of_one_op = Op("NllLossBackward0", _nll, tensors=("target", "weight", "total_weight"), self=nll_loss_vjp_refused)


def shares_of(
    input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: int
) -> tuple[Any, Any, Tensor, Tensor]:
    """What each row counts in the loss; which are ignored, None if it is none; targets that all name a class (an ignored
    row counts 0, for class 0); and what all rows count together, before a mean divides by it."""
    wanted = target._data
    module = array_module(wanted)
    classes = input._data.shape[min(1, input._data.ndim - 1)]
    if wanted.dtype is not INT64:
        target = from_array(wanted := wanted.astype(INT64))
    ignored = None
    if 0 <= ignore_index < classes or outside(wanted, classes):  # nearly always all count
        ignored = wanted == ignore_index
        target = from_array(wanted := module.where(ignored, 0, wanted))
        if outside(wanted, classes):
            raise IndexError(f"Target {wanted[(wanted < 0) | (wanted >= classes)].flat[0]} is out of bounds.")
    if weight is None and ignored is None:
        count = stand_in(input, wanted.size if reduction != NONE else 0)
        shares = module.empty(wanted.shape, input._data.dtype)
        shares.fill(1 / count._data if reduction == MEAN and wanted.size else 1)
        return shares, None, target, count
    shares = module.ones(wanted.shape, input._data.dtype) if weight is None else weight._data[wanted]
    if ignored is not None:
        shares = shares * ~ignored
    total = sum_array(shares, None, False) if reduction != NONE else shares.dtype.type(0)
    if reduction == MEAN:
        shares = shares / total  # nan for rows that count 0 together
    if ignored is not None:  # the gradient is -grad · shares: 0 for these, and not -0, as in torch
        shares = module.where(ignored, -0.0, shares).astype(total.dtype)
    return shares, ignored, target, from_array(total)


def check_batch(input: Tensor, target: Tensor) -> None:
    """ValueError, in torch's words, where there are not as many targets as rows."""
    shape, wanted = input._data.shape, target._data.shape
    if not shape:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    given = wanted[0] if wanted else 0
    if len(shape) != 1 and shape[0] != given:
        raise ValueError(f"Expected input batch_size ({shape[0]}) to match target batch_size ({given}).")


def check_target(input: Tensor, target: Tensor) -> None:
    """Errors, in torch's words, for targets of a dtype or shape that does not go with (C,), (N, C) or (N, C, h, w)."""
    shape, wanted = input._data.shape, target._data.shape
    if len(shape) < 3 and len(wanted) > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if target.dtype.name not in ("int64", "uint8"):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {target.dtype.type_name}")
    if len(shape) == 2:
        real_dim(0, len(wanted))  # a number is no row, not even among none
    if len(shape) == 1 and wanted not in ((), (1,)):
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {wanted[0]}")
    if len(shape) == 4 and len(wanted) != 3:
        raise RuntimeError(
            f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {len(wanted)}"
        )


def check_weight(input: Tensor, target: Tensor, weight: Tensor | None) -> None:
    """Errors, in torch's words, for weights that are not one a class, or of another dtype; for integers as input; and, which
    torch looks at in between, for images and targets of two sizes."""
    shape, wanted = input._data.shape, target._data.shape
    flat, classes = len(shape) < 3, shape[min(1, len(shape) - 1)]
    if weight is not None and weight._data.shape != (classes,):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of "
            f"shape: {list(weight._data.shape)}"
            if flat
            else "weight tensor should be defined either for all or no classes"
        )
    if len(shape) == 4 and wanted != (shape[0], *shape[2:]):
        raise RuntimeError(f"size mismatch (got input: {list(shape)} , target: {list(wanted)}")
    if len(shape) == 4 and target.dtype.name != "int64":
        raise RuntimeError(f"expected scalar type Long but found {target.dtype.type_name}")
    no_kernel("nll_loss_out_frame" if flat else "nll_loss2d_forward_out_frame", input, "bui")
    if weight is not None and weight.dtype is not input.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.type_name} but found {weight.dtype.type_name}")


def folded(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """(N, C, …) and (N, …) as torch folds them: (N, C, 1, all the rest) and (N, 1, all the rest)."""
    shape, wanted = input._data.shape, target._data.shape
    if wanted[1:] != shape[2:]:
        raise RuntimeError(f"Expected target size {[shape[0], *shape[2:]]}, got {list(wanted)}")
    rest = (1, math.prod(shape[2:]))
    input = input.contiguous().reshape((*shape[:2], *(rest if input._data.size else (0, 0))))
    return input, target.reshape((shape[0], *(rest if target._data.size else (0, 0))))


def checked(input: Tensor, target: Tensor, weight: Tensor | None) -> tuple[Tensor, Tensor, tuple[int, ...]]:
    """Scores and targets of any shape as nll_op takes them, and the shape of the losses; torch's errors for what does not fit."""
    check_batch(input, target)
    not_differentiable("nll_loss_forward", weight=weight)
    size = target._data.shape
    if input._data.ndim not in (1, 2, 4):
        input, target = folded(input, target)
    check_target(input, target)
    check_weight(input, target, weight)
    return (input, target.reshape(()), ()) if input._data.ndim == 1 and size else (input, target, size)


@parsed("nll_loss_nd", "input", "target", "weight", "", "ignore_index")
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: Int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Minus the log-probability of the target class (torch.nn.functional.nll_loss).

    input: (N, C, …) log-probabilities, or (C,). target: (N, …) class numbers, int64. weight: (C,), by class; a mean is
    then weighted. ignore_index: targets of this number do not count.
    """
    return nll(input, target, weight, ignore_index, reduction_number(reduction, size_average, reduce))


def nll(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, number: int) -> Tensor:
    """nll_loss with the number of a reduction."""
    ignore_index = as_int(ignore_index)
    x, wanted = input._data, target._data
    size, flat = wanted.shape, x.ndim <= 2
    if not (x.ndim == 2 and size == x.shape[:1] and wanted.dtype is INT64 and weight is None and x.dtype.kind == "f"):
        input, target, size = checked(input, target, weight)  # nearly all losses have nothing to be checked
    shares, ignored, target, total = shares_of(input, target, weight, ignore_index, number)
    of_one = x.ndim == wanted.ndim == 1 and x.size > 1
    loss = (nll_of_one_op if of_one else nll_op if flat else nll_2d_op)(
        input,
        target=target,
        shares=shares,
        ignored=ignored,
        weight=weight,
        total_weight=total,
        reduction=number,
        ignore_index=ignore_index,
    )
    return loss.reshape(size) if number == NONE and loss._data.shape != size else loss


@parsed("cross_entropy_loss", "input", "target", "weight", "", "ignore_index", "label_smoothing")
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: Int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: Float = 0.0,
) -> Tensor:
    """-log softmax(input)[target], or -Σ target · log softmax(input) for probabilities as target
    (torch.nn.functional.cross_entropy).

    input: (N, C, …) scores, or (C,). target: class numbers as in nll_loss, or probabilities of input's shape.
    """
    number = reduction_number(reduction, size_average, reduce)
    soft = input._data.shape == target._data.shape
    if soft and ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    if soft and target._data.dtype.kind != "f":
        raise RuntimeError(
            f"Expected floating point type for target with class probabilities, got {target.dtype.type_name}"
        )
    if label_smoothing > 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    if soft and weight is not None:
        check_soft_weight(input, weight)
    if soft and label_smoothing > 0 and not input._data.ndim:
        raise IndexError("Dimension specified as 1 but tensor has no dimensions")
    label_smoothing = float(label_smoothing)  # one of NumPy's would make the loss float64
    logs = log_softmax(input, 0 if input._data.ndim == 1 else 1)
    if soft:
        return soft_cross_entropy(logs, target, weight, number, label_smoothing)
    hard = nll(logs, target, weight, ignore_index, number)
    if label_smoothing <= 0:
        return hard
    smooth = uniform_loss(logs, target, weight, ignore_index, number)
    classes = logs._data.shape[min(1, logs._data.ndim - 1)]
    share = label_smoothing / classes if classes else math.inf
    return times_number(hard, number=1 - label_smoothing) + times_number(smooth, number=share)


def uniform_loss(logs: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, number: int) -> Tensor:
    """The sum of the losses of all classes, which label smoothing mixes in."""
    dim = min(1, logs._data.ndim - 1)
    weighted = logs if weight is None else logs * along(weight, logs, dim)
    loss = (-weighted.sum(dim)).masked_fill_(target.eq(ignore_index), 0.0)
    if number == NONE:
        return loss
    if number != MEAN:
        return loss.sum()
    if weight is None:
        return loss.sum() / target.ne(ignore_index).sum()
    return loss.sum() / shares_of(logs, target, weight, ignore_index, number)[3]


def check_soft_weight(input: Tensor, weight: Tensor) -> None:
    """RuntimeError, in torch's words, for weights that are not one a class."""
    classes = input._data.shape[min(1, input._data.ndim - 1)]
    if weight._data.shape != (classes,):
        raise RuntimeError(
            f"cross_entropy: weight tensor should be defined either for all {classes} classes or no classes but got "
            f"weight tensor of shape: {list(weight._data.shape)}"
        )


def soft_cross_entropy(
    logs: Tensor, target: Tensor, weight: Tensor | None, number: int, label_smoothing: float
) -> Tensor:
    """cross_entropy against probabilities, in plain operations, as torch records it."""
    dim = min(1, logs._data.ndim - 1)
    shape = logs._data.shape
    classes = shape[dim]
    if label_smoothing > 0:
        share = label_smoothing / classes if classes else math.inf
        target = plus_number(times_number(target, number=1 - label_smoothing), number=share)
    product = logs * target if weight is None else logs * target * along(weight, logs, dim)
    if number == NONE:
        return -product.sum(dim)
    if number == MEAN and not logs._data.size:
        return -product.sum().fill_(math.nan)
    total = -product.sum()
    return over_number(total, number=math.prod(shape[:dim] + shape[dim + 1 :])) if number == MEAN else total


def along(weight: Tensor, like: Tensor, dim: int) -> Tensor:
    """A vector by class, shaped to be multiplied along dimension `dim`."""
    return weight.reshape([-1 if d == dim else 1 for d in range(like._data.ndim)])
