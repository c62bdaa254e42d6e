"""torch.utils, of which there is here what autograd is used with: checkpoint."""

from ..errors import refusing
from . import checkpoint

__all__ = ["checkpoint"]

__getattr__ = refusing(__name__)
