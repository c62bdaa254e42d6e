"""The names that torch has and minigrad has not: the tables in minigrad/torch_only.py and minigrad/ops/absent.py.

Asked of the installed torch, in a process that has imported nothing more of it: its modules have more names once something
has. With --check it only compares. The table of whole modules, MODULES, is written by hand.
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

import minigrad
from minigrad.torch_only import TORCH_ONLY

ENGINE = Path(minigrad.__file__).parent
WIDTH = 120


def modules_of_both(ours: ModuleType, theirs: ModuleType, path: str = "minigrad") -> Iterator[tuple[str, Any, Any]]:
    """minigrad's modules and torch's of the same names, with where they are found."""
    yield path, ours, theirs
    for name in dir(ours):
        own, other = getattr(ours, name, None), getattr(theirs, name, None)
        if inspect.ismodule(own) and inspect.ismodule(other) and own.__name__ == f"{ours.__name__}.{name}":
            yield from modules_of_both(own, other, f"{path}.{name}")


def torchs_own(module: Any, name: str) -> bool:
    """Whether torch's module makes this name itself: what it exports, its modules, and where that is not said what it defines."""
    value, listed = getattr(module, name), getattr(module, "__all__", None)
    if inspect.ismodule(value):
        return value.__name__.startswith("torch.")
    return name in listed if listed is not None else callable(value) and (value.__module__ or "").startswith("torch")


def of_modules() -> dict[str, list[str]]:
    """By module, the names that torch has there and minigrad has not; of the modules in the table."""
    missing = {}
    for path, ours, theirs in modules_of_both(minigrad, torch):
        if (module := path.partition(".")[2]) in TORCH_ONLY:
            own = [n for n in dir(theirs) if n[0] != "_" and torchs_own(theirs, n)]
            loaded_when_asked = torch._lazy_modules if theirs is torch else ()
            names = {*own, *(n for n in loaded_when_asked if n[0] != "_")}
            missing[module] = sorted(n for n in names if not hasattr(ours, n))
    return {module: missing[module] for module in sorted(missing)}


def of_tensors() -> list[str]:
    """The names that torch.Tensor has and minigrad's has not."""
    return sorted(n for n in dir(torch.Tensor) if not n.startswith("_") and not hasattr(minigrad.Tensor, n))


def wrapped(names: list[str], indent: int) -> str:
    """Names over several lines."""
    space = " " * indent
    return textwrap.fill(" ".join(names), WIDTH, initial_indent=space, subsequent_indent=space, break_on_hyphens=False)


def row(module: str, names: list[str]) -> str:
    """One module's names: on a line, if they fit."""
    line = f'    "{module}": "{" ".join(names)}",\n'
    return line if len(line) <= WIDTH else f'    "{module}": """\n{wrapped(names, 8)}\n    """,\n'


def table_of_modules() -> str:
    """TORCH_ONLY, written out."""
    return "".join(["TORCH_ONLY = {\n", *(row(*each) for each in of_modules().items()), "}\n"])


def table_of_tensors() -> str:
    """ABSENT, written out."""
    return f'ABSENT = set(\n    """\n{wrapped(of_tensors(), 4)}\n""".split()\n)\n'


TABLES: dict[str, tuple[str, Callable[[], str]]] = {  # by file: what the table looks like there, and what it should be
    "torch_only.py": (r"^TORCH_ONLY = \{\n.*?^\}\n", table_of_modules),
    "ops/absent.py": (r"^ABSENT = set\(\n.*?^\)\n", table_of_tensors),
}


def main() -> int:
    """Write the tables, or compare them."""
    stale = False
    for name, (pattern, table) in TABLES.items():
        path = ENGINE / name
        before = path.read_text(encoding="utf-8")
        found = re.search(pattern, before, re.DOTALL | re.MULTILINE)
        assert found, f"{name} has no such table"
        after = before[: found.start()] + table() + before[found.end() :]
        if "--check" not in sys.argv[1:]:
            path.write_text(after, encoding="utf-8")
        stale = stale or before != after
    return stale and "--check" in sys.argv[1:]


if __name__ == "__main__":
    sys.exit(main())
