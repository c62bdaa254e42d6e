"""torch.utils, of which there is here what autograd is used with: checkpoint, and batches of data."""

from ..errors import opening
from . import checkpoint

__all__ = ["checkpoint", "data"]

__getattr__, __dir__ = opening(__name__, {"data": ""})
