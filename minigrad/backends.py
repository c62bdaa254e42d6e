"""torch.backends: switches that programs set before they begin, and what they ask about this machine.

Nothing here changes what is computed: the same program gives the same numbers each time as it is.
"""

from __future__ import annotations

from .errors import refusing

__getattr__ = refusing(__name__)


class Switches:
    """A backend that is not here; its switches can be set, and say what was set."""

    enabled = False
    benchmark = False
    deterministic = False
    allow_tf32 = False

    def is_available(self) -> bool:
        """False: there is no such backend here."""
        return False

    def is_built(self) -> bool:
        """False, likewise."""
        return False


cudnn, mps = Switches(), Switches()
