"""Losses that are minus the logarithm of a likelihood: of counts under Poisson's distribution, of numbers under the normal one.

Recorded as the plain operations that they consist of, as in torch.
"""

from __future__ import annotations

import math
from typing import Any

from ..autograd.grad_mode import no_grad
from ..tensor import Tensor
from .arguments import Bool, Float, parsed
from .lazy import load
from .loss import apply_reduction, check_reduction, reduction_number
from .margin_loss import plus
from .pointwise import times_number
from .validate import flag, number


@parsed("poisson_nll_loss", "input", "target", "log_input", "full", "eps")
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: Bool = True,
    full: Bool = False,
    size_average: Any = None,
    eps: Float = 1e-8,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """e^input - target · input, input being ln λ of Poisson's distribution (torch.nn.functional.poisson_nll_loss).

    log_input=False: input is λ itself, and eps keeps it from 0. full: with Stirling's approximation of ln target!.
    """
    if size_average is None and reduce is None:
        check_reduction(reduction, " is not a valid value for reduction")
    if not isinstance(target, Tensor):
        raise TypeError
    reduction_no, eps = reduction_number(reduction, size_average, reduce), number(eps)
    if flag(log_input):
        product = target * input  # nodes are made from right to left, as torch's compiler has it
        losses = input.exp() - product
    else:
        losses = input - target * plus(input, eps).log()
    if flag(full):
        factor = times_number(target, number=2 * math.pi) if target.is_floating_point() else target * (2 * math.pi)
        half = times_number(factor.log(), number=0.5)
        stirling = target * target.log() - target + half
        losses = losses.add_(stirling.masked_fill(target.le(1), 0))
    return apply_reduction(losses, reduction_no)


def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """½ (ln var + (input - target)² / var), input and var being mean and variance of a normal distribution
    (torch.nn.functional.gaussian_nll_loss).

    var: of input's shape, or one for each row, or for all; at least eps. full: with the constant ½ ln 2π.
    """
    if var < 0 if isinstance(var, float) else load("statistics")["any"](var < 0):
        raise ValueError("var has negative entry/entries")
    if isinstance(var, float):
        var = var * load(".ranges")["ones_like"](input)
    if var.size() != input.size():
        differing = [m for n, m in zip(input.shape, var.shape, strict=False) if n != m]
        if input.shape[:-1] == var.shape:
            var = var.unsqueeze(-1)
        elif input.dim() != var.dim() or sum(differing) != 1:
            raise ValueError("var is of incorrect size")
    check_reduction(reduction, " is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    losses = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        losses += 0.5 * math.log(2 * math.pi)
    return apply_reduction(losses, reduction_number(reduction))
