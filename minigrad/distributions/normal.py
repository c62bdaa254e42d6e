"""The normal distribution (torch.distributions.normal)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ..autograd.grad_mode import no_grad
from ..draws import normal
from ..ranges import empty
from ..size import Size
from ..tensor import Tensor
from . import constraints
from .distribution import NO_DIMS, Distribution
from .utils import broadcast_all

__all__ = ["Normal"]


class Normal(Distribution):
    """The normal distribution of mean loc, μ, and deviation scale, σ (torch.distributions.Normal).

    loc, scale: numbers or tensors, which broadcast to batch_shape. Density e^(-(x - μ)² / 2σ²) / (σ √2π), entropy
    ½ + ½ ln 2π + ln σ. rsample: μ + ε σ with ε from the standard normal distribution (Kingma and Welling, 2014).
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    def expand(self, batch_shape: Iterable[int], _instance: Any = None) -> Any:
        shape = Size(batch_shape)
        return self._expanded(Normal, _instance, shape, loc=self.loc.expand(shape), scale=self.scale.expand(shape))

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)

    def sample(self, sample_shape: Iterable[int] = NO_DIMS) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Iterable[int] = NO_DIMS) -> Tensor:
        shape = self._extended_shape(sample_shape)
        noise = empty(shape, dtype=self.loc.dtype, device=self.loc.device).normal_()
        return self.loc + noise * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        variance = self.scale**2
        return -((value - self.loc) ** 2) / (2 * variance) - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return 0.5 * (1 + ((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)).erf())

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc + self.scale * (2 * value - 1).erfinv() * math.sqrt(2)

    def entropy(self) -> Tensor:
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()
