"""Optimizers: they move parameters against their gradients, in place and unrecorded (torch.optim).

sgd.py has the whole idea in four lines, adaptive.py those that scale every entry by its own past gradients, lbfgs.py the one
that goes several steps at once; what all of them share is in optimizer.py. Learning-rate schedules stand in
lr_scheduler.py, plans.py and cycles.py.
"""

from ..errors import refusing
from . import lr_scheduler
from .adaptive import Adagrad, Adam, AdamW, RMSprop
from .lbfgs import LBFGS
from .optimizer import Optimizer
from .sgd import SGD

__all__ = ["LBFGS", "SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]

__getattr__ = refusing(__name__)
