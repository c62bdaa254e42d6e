"""The distribution of yes and no (torch.distributions.bernoulli)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ..autograd.grad_mode import no_grad
from ..ops.binary_cross_entropy import binary_cross_entropy_with_logits
from ..tensor import Tensor
from . import constraints
from .discrete import Discrete, check_one_given
from .distribution import NO_DIMS
from .utils import broadcast_all

__all__ = ["Bernoulli"]


class Bernoulli(Discrete):
    """1 with probability p, else 0, as numbers of the parameter's dtype (torch.distributions.Bernoulli).

    probs: p, a number or a tensor; or logits: ln(p / (1 - p)). The logarithm of x's probability is x ln p + (1 - x) ln(1 - p);
    entropy is minus that with p for x. ValueError for both or none.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    _binary = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        check_one_given(probs, logits)
        if probs is not None:
            (self.probs,) = broadcast_all(probs)
        else:
            (self.logits,) = broadcast_all(logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    def expand(self, batch_shape: Iterable[int], _instance: Any = None) -> Any:
        return self._expanded_by(Bernoulli, _instance, batch_shape)

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        mode = (self.probs >= 0.5).to(self.probs)
        mode[self.probs == 0.5] = math.nan
        return mode

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Iterable[int] = NO_DIMS) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return self.probs.expand(shape).bernoulli()

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self._enumerated(2, self._param.dtype, expand)
