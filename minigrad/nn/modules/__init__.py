"""torch.nn.modules: where users look for the hooks of all modules, as torch.nn.modules.module, for the modules themselves,
which are those of torch.nn, and for the bases that some of them share (`nn.modules.batchnorm._BatchNorm`).

torch spreads its modules over many files. Each of these names has all modules here, whichever file torch has them in.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

from ...errors import unknown_name
from .. import module

__all__ = ["module"]

NN = __name__.rpartition(".")[0]
# torch's files but for module.py, each with the names that are not in torch.nn, and which of our modules has them.
INNER: dict[str, dict[str, str]] = {
    **dict.fromkeys(
        "activation adaptive container distance dropout flatten fold linear normalization padding pixelshuffle pooling sparse "
        "transformer upsampling".split(),
        {},
    ),
    "batchnorm": {"_BatchNorm": "norm", "_NormBase": "norm"},
    "conv": {"_ConvNd": "convolution"},
    "instancenorm": {"_InstanceNorm": "norm"},
    "loss": {"_Loss": "losses", "_WeightedLoss": "losses"},
    "rnn": {"RNNBase": "rnn"},
    "utils": dict.fromkeys("_ntuple _single _pair _triple _quadruple _reverse_repeat_tuple".split(), "tuples"),
}


def _classes() -> dict[str, type[module.Module]]:
    """The modules of torch.nn by name, once it has them: this file is read before they are."""
    nn = vars(sys.modules[NN])
    return {name: found for name, found in nn.items() if isinstance(found, type) and issubclass(found, module.Module)}


class Inner(ModuleType):
    """One of torch's files of modules: all of torch.nn, and what else that file is known for."""

    def __getattr__(self, name: str) -> Any:
        home = INNER[self.__name__.rpartition(".")[2]].get(name)
        if home is not None:
            return getattr(importlib.import_module(f".{home}", NN), name)
        if name not in (classes := _classes()):
            raise unknown_name(self.__name__, name)
        return classes[name]

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *_classes(), *INNER[self.__name__.rpartition(".")[2]]})


for _name in INNER:
    globals()[_name] = sys.modules[f"{__name__}.{_name}"] = Inner(f"{__name__}.{_name}", "The modules of torch.nn.")


def __getattr__(name: str) -> Any:
    if name not in (classes := _classes()):
        raise unknown_name(__name__, name)
    return classes[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *_classes()})
