"""What distributions are made with: parameters of one shape, probabilities and their logarithms, what is computed when it is
asked for (torch.distributions.utils)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..autograd.grad_mode import enable_grad
from ..creation import tensor
from ..dtypes import finfo, get_default_dtype
from ..errors import refusing
from ..ops.layout import broadcast_tensors
from ..tensor import Tensor

__all__ = ["broadcast_all", "clamp_probs", "lazy_property", "logits_to_probs", "probs_to_logits"]

__getattr__ = refusing(__name__)


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Tensors and numbers as tensors of one shape; numbers get the dtype and device of the first tensor, or the default ones.

    ValueError for anything else, RuntimeError for shapes that do not broadcast (torch.distributions.utils.broadcast_all).
    """
    if not all(isinstance(each, Tensor | int | float) for each in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    first = next((each for each in values if isinstance(each, Tensor)), None)
    like: dict[str, Any] = (
        {"dtype": get_default_dtype()} if first is None else {"dtype": first.dtype, "device": first.device}
    )
    return broadcast_tensors(*[each if isinstance(each, Tensor) else tensor(each, **like) for each in values])


def sum_rightmost(value: Tensor, dims: int) -> Tensor:
    """The sum over the last `dims` dimensions: shape (…, *last) → (…)."""
    return value.reshape(value.shape[:-dims] + (-1,)).sum(-1) if dims else value


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities kept from 0 and 1 by their dtype's eps, the distance from 1 to the next number
    (torch.distributions.utils.clamp_probs)."""
    eps = finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """ln p, of probabilities kept from 0 and 1; is_binary: ln p - ln(1 - p), the logarithm of the odds. Shape and dtype stay
    (torch.distributions.utils.probs_to_logits)."""
    inside = clamp_probs(probs)
    return inside.log() - (-inside).log1p() if is_binary else inside.log()


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """e^logits over their sum along the last dimension, so that they sum to 1; is_binary: of each its own 1 / (1 + e^-logit).
    Shape and dtype stay (torch.distributions.utils.logits_to_probs)."""
    return logits.sigmoid() if is_binary else logits.softmax(-1)


class lazy_property(functools.cached_property):  # noqa: N801 (torch's name)
    """An attribute that is computed, and recorded even under no_grad, when it is first asked for
    (torch.distributions.utils.lazy_property)."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        super().__init__(enable_grad()(wrapped))
