"""Programs written for torch, run with this engine under torch's name: `python -m minigrad program.py`.

Every `import torch…` in the process then finds the part of minigrad that torch has under the same name, whether torch is
installed or not. Not for packages that are built on torch's own code, such as torchvision.
"""

from __future__ import annotations

import importlib
import re
import runpy
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from .errors import PACKAGE, about_name, refusing
from .torch_only import only_torch_has

# The files whose frames stand above the program's own in a traceback.
ABOVE = (__file__, str(Path(__file__).with_name("__main__.py")), "<frozen runpy>")
# Modules inside of torch's packages, from which programs import what the packages offer as well: there it is found.
INNER = {
    "optim": "adadelta adagrad adam adamax adamw asgd nadam radam rmsprop rprop",
    "autograd": "anomaly_mode",
}
OUTER = {f"torch.{home}.{name}": f"minigrad.{home}" for home, names in INNER.items() for name in names.split()}
OUTER |= {
    "torch.cpu.amp.autocast_mode": "minigrad.cpu.amp",
    "torch.cpu.amp.grad_scaler": "minigrad.cpu.amp",
    "torch.cuda.amp.autocast_mode": "minigrad.cuda.amp",
    "torch.cuda.amp.common": "minigrad.cuda.amp",
    "torch.cuda.amp.grad_scaler": "minigrad.cuda.amp",
    "torch.nn.modules.module": "minigrad.nn.module",
    "torch.utils.data._utils.collate": "minigrad.utils.data.collate",
    "torch.utils.hooks": "minigrad.autograd.hooks",
}
MISSING = re.compile(r"cannot import name '(\w+)' from 'minigrad[\w.]*'")  # as CPython says it


class NamedTorch(MetaPathFinder, Loader):
    """Finds minigrad's modules under torch's names."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        """How the module `fullname` is loaded, if it is torch or one of its modules."""
        return ModuleSpec(fullname, self, is_package=True) if fullname.partition(".")[0] == "torch" else None

    def exec_module(self, module: ModuleType) -> None:
        """Replace the new module by minigrad's. ModuleNotFoundError where minigrad has none."""
        name = module.__name__
        ours = OUTER.get(name) or "minigrad" + name.removeprefix("torch")
        try:
            found = sys.modules[name] = importlib.import_module(ours)
        except ModuleNotFoundError as error:
            if error.name is None or not ours.startswith(error.name):
                raise
            words = f"minigrad 没有 {name} 这个模块；有什么见 · minigrad has no module {name}; see what there is: docs/api.md"
            raise ModuleNotFoundError(words, name=name) from None
        # A file of ours may be a folder of torch's: Python asks for what is in it only where there is a path.
        vars(found).setdefault("__path__", [])


class StandIns(MetaPathFinder, Loader):
    """Finds an empty module for each that torch has and minigrad has not, so that importing it ends no program that makes
    no use of it: every name asked of it is refused. To be asked last."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        """How the module `fullname` is made, if it is one of these."""
        package, _, name = fullname.partition(".")
        return ModuleSpec(fullname, self, is_package=True) if package == PACKAGE and only_torch_has(name) else None

    def exec_module(self, module: ModuleType) -> None:
        """Have the module refuse every name."""
        vars(module)["__getattr__"] = refusing(module.__name__)


def complain(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """sys.excepthook: the traceback begins at the program's own file, and a name that could not be imported is said
    to be missing in the words that an attribute gets."""
    while trace is not None and trace.tb_frame.f_code.co_filename in ABOVE:
        trace = trace.tb_next
    if isinstance(error, ImportError) and error.name in sys.modules and (found := MISSING.match(error.msg)):
        error.msg = f"{found[0]}. {about_name(sys.modules[error.name], found[1])}"
    sys.__excepthook__(kind, error.with_traceback(trace), trace)


def run(program: Path, arguments: Sequence[str] = ()) -> None:
    """Run a Python file with minigrad for torch and these command-line arguments, as `python program arguments` would.

    It is meant for a process of its own, whose imports it changes for good. RuntimeError if torch is loaded already.
    """
    if "torch" in sys.modules:
        raise RuntimeError("torch 已经载入，不能再换 · torch is loaded already and cannot be replaced")
    sys.meta_path.insert(0, NamedTorch())
    sys.meta_path.append(StandIns())
    sys.excepthook = complain
    sys.argv = [str(program), *arguments]
    sys.path.insert(0, str(program.parent.resolve()))
    runpy.run_path(str(program.absolute()), run_name="__main__")
