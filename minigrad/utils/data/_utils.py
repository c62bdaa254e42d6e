"""torch.utils.data._utils: where programs look for `collate.default_collate`. What else torch keeps there is not here."""

from ...errors import refusing
from . import collate

__all__ = ["collate"]

__getattr__ = refusing(__name__)
