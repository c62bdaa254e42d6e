"""The distribution of one choice out of several (torch.distributions.categorical)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ..creation import full
from ..draws import multinomial
from ..dtypes import finfo, int64
from ..ops.layout import broadcast_tensors
from ..size import Size
from ..tensor import Tensor
from . import constraints
from .discrete import Discrete, check_one_given
from .distribution import NO_DIMS

__all__ = ["Categorical"]


class Categorical(Discrete):
    """One of the numbers 0 … K - 1, with a probability for each; int64 (torch.distributions.Categorical).

    probs: (…, K), not negative, made to sum to 1; or logits: (…, K), of which the logarithm of Σ e^logits is taken off, so
    that they are the logarithms of probabilities. batch_shape is (…). Entropy -Σ p ln p. ValueError for both or none, or for
    a single number.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    _binary = False

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        check_one_given(probs, logits)
        for name, given in (("probs", probs), ("logits", logits)):
            if given is not None and given.dim() < 1:
                raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is not None:
            self.probs = probs / probs.sum(-1, keepdim=True)
        elif logits is not None:
            self.logits = logits - logits.logsumexp(dim=-1, keepdim=True)
        super().__init__(self.param_shape[:-1], validate_args=validate_args)

    @property
    def _num_events(self) -> int:
        return self.param_shape[-1]

    def expand(self, batch_shape: Iterable[int], _instance: Any = None) -> Any:
        return self._expanded_by(Categorical, _instance, batch_shape, Size([self._num_events]))

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def mean(self) -> Tensor:
        return full(self._extended_shape(), math.nan, dtype=self.probs.dtype, device=self.probs.device)

    @property
    def mode(self) -> Tensor:
        return self.probs.argmax(dim=-1)

    @property
    def variance(self) -> Tensor:
        return self.mean

    def sample(self, sample_shape: Iterable[int] = NO_DIMS) -> Tensor:
        rows, count = self.probs.reshape(-1, self._num_events), Size(sample_shape).numel()
        return multinomial(rows, count, True).T.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        chosen, logits = broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, chosen[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        logits = self.logits.clamp(min=finfo(self.logits.dtype).min)  # -∞ · 0 would be nan
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self._enumerated(self._num_events, int64, expand)
