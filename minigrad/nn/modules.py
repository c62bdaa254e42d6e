"""torch.nn.modules: where users look for the hooks of all modules, as torch.nn.modules.module, and for the modules
themselves, which are those of torch.nn."""

import sys
from typing import Any

from ..errors import unknown_name
from . import module

__all__ = ["module"]


def _classes() -> dict[str, type[module.Module]]:
    """The modules of torch.nn by name, once it has them: this file is read before they are."""
    nn = vars(sys.modules[__name__.rpartition(".")[0]])
    return {name: found for name, found in nn.items() if isinstance(found, type) and issubclass(found, module.Module)}


def __getattr__(name: str) -> Any:
    if name not in (classes := _classes()):
        raise unknown_name(__name__, name)
    return classes[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *_classes()})
