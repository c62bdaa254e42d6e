"""torch.amp, as far as it changes nothing: mixed precision that is off, so that programs that can do without it run.

Nothing here casts or scales. What would do so (enabled on the CPU, or where there is a GPU) raises NotImplementedError.
"""

from ..errors import refusing
from .autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from .grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

__getattr__ = refusing(__name__)
