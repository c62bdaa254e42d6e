"""torch.nn.modules: where users look for the hooks of all modules, as torch.nn.modules.module."""

from ..errors import refusing
from . import module

__all__ = ["module"]

__getattr__ = refusing(__name__)
