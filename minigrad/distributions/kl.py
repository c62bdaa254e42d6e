"""How far one distribution is from another: Kullback and Leibler's divergence, by formulas for pairs of classes
(torch.distributions.kl).

Only for distributions of one kind, Normal beside Uniform, and pairs that programs register; nothing is estimated from samples.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, TypeVar

from ..errors import refusing, warn
from ..ops.activation import softplus
from ..ranges import full_like
from ..tensor import Tensor
from .bernoulli import Bernoulli
from .categorical import Categorical
from .distribution import Distribution
from .independent import Independent
from .normal import Normal
from .uniform import Uniform
from .utils import sum_rightmost

__all__ = ["kl_divergence", "register_kl"]

__getattr__ = refusing(__name__)

Formula = TypeVar("Formula", bound=Callable[..., Any])
FORMULAS: dict[tuple[type, type], Callable[..., Any]] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Formula], Formula]:
    """Decorates the function of (p, q) that kl_divergence is to use for these classes and what is derived from them.

    TypeError for what is no class (torch.distributions.register_kl).
    """
    for each in (type_p, type_q):
        issubclass(each, Distribution)  # of others torch does not complain either

    def decorator(function: Formula) -> Formula:
        FORMULAS[type_p, type_q] = function
        formula.cache_clear()
        return function

    return decorator


@functools.cache
def formula(p: type, q: type) -> Callable[..., Any] | None:
    """The function for the nearest ancestors of two classes; None where there is none.

    RuntimeWarning where it is another one if q's ancestors come first: p's do.
    """
    pairs = [(a, b) for a, b in FORMULAS if a in p.__mro__ and b in q.__mro__]
    if not pairs:
        return None
    distances = {(a, b): (p.__mro__.index(a), q.__mro__.index(b)) for a, b in pairs}
    by_p = min(pairs, key=lambda pair: distances[pair])
    by_q = min(pairs, key=lambda pair: distances[pair][::-1])
    if FORMULAS[by_p] is not FORMULAS[by_q]:
        warn(
            f"Ambiguous kl_divergence({p.__name__}, {q.__name__}). Please register_kl({by_p[0].__name__}, {by_q[1].__name__})",
            RuntimeWarning,
        )
    return FORMULAS[by_p]


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """KL(p ‖ q), the mean of ln p(x) - ln q(x) over what p draws, of shape batch_shape.

    NotImplementedError for classes without a formula (torch.distributions.kl_divergence).
    """
    kinds: tuple[Any, ...] = (type(p), type(q))
    found = formula(*kinds)
    if found is None:
        names = "p type {} and q type {}".format(*[kind.__name__ for kind in kinds])
        raise NotImplementedError(f"No KL(p || q) is implemented for {names}")
    return found(p, q)


@register_kl(Normal, Normal)
def normal_normal(p: Normal, q: Normal) -> Tensor:
    """½ (σₚ² / σ² + (μₚ - μ)² / σ² - 1 - ln(σₚ² / σ²)), μ and σ being q's."""
    ratio = (p.scale / q.scale).pow(2)
    distance = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + distance - 1 - ratio.log())


@register_kl(Uniform, Uniform)
def uniform_uniform(p: Uniform, q: Uniform) -> Tensor:
    """ln of how much wider q is; ∞ where p reaches beyond it."""
    result = ((q.high - q.low) / (p.high - p.low)).log()
    result[q.low.gt(p.low) | q.high.lt(p.high)] = math.inf
    return result


@register_kl(Normal, Uniform)
def normal_uniform(p: Normal, q: Uniform) -> Tensor:
    """∞: what p draws is beyond any interval at times."""
    return full_like(p.loc, math.inf)


@register_kl(Uniform, Normal)
def uniform_normal(p: Uniform, q: Normal) -> Tensor:
    """½ ln 2πσ² - entropy(p) + ½ (p's variance + (its mean - μ)²) / σ², μ and σ being q's."""
    width = p.high - p.low
    entropies = (math.sqrt(2 * math.pi) * q.scale / width).log()
    distance = ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return entropies + 0.5 * (width.pow(2) / 12 + distance) / q.scale.pow(2)


@register_kl(Bernoulli, Bernoulli)
def bernoulli_bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    """Σ p ln(p / q) over both outcomes, with ln(1 - p) = -softplus(logit); 0 ln 0 is 0, and what q never draws costs ∞."""
    ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    ones[q.probs == 0] = math.inf
    ones[p.probs == 0] = 0
    zeros = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    zeros[q.probs == 1] = math.inf
    zeros[p.probs == 1] = 0
    return ones + zeros


@register_kl(Categorical, Categorical)
def categorical_categorical(p: Categorical, q: Categorical) -> Tensor:
    """Σ p ln(p / q) over the categories; 0 ln 0 is 0, and what q never draws costs ∞."""
    terms = p.probs * (p.logits - q.logits)
    terms[(q.probs == 0).expand_as(terms)] = math.inf
    terms[(p.probs == 0).expand_as(terms)] = 0
    return terms.sum(-1)


@register_kl(Independent, Independent)
def independent_independent(p: Independent[Any], q: Independent[Any]) -> Tensor:
    """The sum over what is drawn together; NotImplementedError where that is not as much in both."""
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)
