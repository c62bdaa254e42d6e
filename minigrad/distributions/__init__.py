"""torch.distributions, of which there is here what policies, variational models and small Bayesian programs are made of.

normal.py, uniform.py, bernoulli.py and categorical.py have the formulas, independent.py counts dimensions anew, and kl.py
compares two distributions. What all share, validation above all, is in distribution.py; what is valid, in constraints.py.
All of it is written with tensors' own operations: nothing here differentiates, and no numbers are drawn here but by draws.py.
Not for transformed distributions, nor those whose gradients by rsample need more than a formula, such as Gamma.
"""

from ..errors import refusing
from . import constraints
from .bernoulli import Bernoulli
from .categorical import Categorical
from .distribution import Distribution
from .independent import Independent
from .kl import kl_divergence, register_kl
from .normal import Normal
from .uniform import Uniform

__all__ = [
    "Bernoulli", "Categorical", "Distribution", "Independent", "Normal", "Uniform", "constraints", "kl_divergence",
    "register_kl",
]  # fmt: skip

__getattr__ = refusing(__name__)
