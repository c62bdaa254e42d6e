"""What Bernoulli and Categorical share: probabilities or their logarithms, of which one is given and the other computed when
it is asked for. The base of those two, and not of every discrete distribution."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..ranges import arange
from ..size import Size
from ..tensor import Tensor
from .distribution import NO_DIMS, Distribution
from .utils import lazy_property, logits_to_probs, probs_to_logits


class Discrete(Distribution):
    """A distribution on the whole numbers below a bound, given by `probs` or by `logits`."""

    has_enumerate_support = True
    _binary: bool  # whether one probability, that of 1, is the whole distribution

    @lazy_property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities, or of their odds."""
        return probs_to_logits(self.probs, is_binary=self._binary)

    @lazy_property
    def probs(self) -> Tensor:
        """The probabilities."""
        return logits_to_probs(self.logits, is_binary=self._binary)

    @property
    def _param(self) -> Tensor:
        """One of both that is known already."""
        return vars(self)["logits" if "logits" in vars(self) else "probs"]

    @property
    def param_shape(self) -> Size:
        """The shape of probs and logits."""
        return self._param.size()

    def _expanded_by(self, home: type, instance: Any, batch_shape: Iterable[int], event: Size = NO_DIMS) -> Any:
        """What `home.expand` gives; event: what follows batch_shape in the shape of probs and logits."""
        shape = Size(batch_shape)
        known = {name: value.expand(shape + event) for name, value in vars(self).items() if name in ("probs", "logits")}
        return self._expanded(home, instance, shape, **known)

    def _enumerated(self, count: int, dtype: Any, expand: bool) -> Tensor:
        """0 … count - 1 along a first dimension, as enumerate_support gives them."""
        values = arange(count, dtype=dtype, device=self._param.device).view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values


def check_one_given(probs: Any, logits: Any) -> None:
    """ValueError unless exactly one of the two is given."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
