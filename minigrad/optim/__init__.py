"""Optimizers: they move parameters against their gradients, in place and unrecorded (torch.optim).

sgd.py has the whole idea in four lines; adaptive.py and adam_variants.py those that scale every entry by its own past
gradients; classic.py two older ones; lbfgs.py the one that goes several steps at once. What all of them share is in
optimizer.py. Learning-rate schedules are in lr_scheduler.py, cyclic.py, composite.py and plateau.py,
averages of weights in swa_utils.py.
"""

from ..errors import opening
from . import lr_scheduler
from .adam_variants import Adadelta, Adamax, NAdam, RAdam
from .adaptive import Adagrad, Adam, AdamW, RMSprop
from .classic import ASGD, Rprop
from .lbfgs import LBFGS
from .optimizer import Optimizer
from .sgd import SGD

__all__ = [
    "ASGD", "LBFGS", "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "Optimizer", "RAdam", "RMSprop", "Rprop",
    "lr_scheduler",
]  # fmt: skip

__getattr__, __dir__ = opening(__name__, {"swa_utils": ""})  # which needs modules, as optimizers do not
