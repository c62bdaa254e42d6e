"""What a part reaches for that grading does not have: modules that are not there, names from cells that are not run.

A notebook has more than grading has: torch, and whatever any cell has defined. Grading runs the setup cells and those
with @implements, on Python's own library, NumPy and minigrad. A part that uses more passes in the notebook, and would
fail there; `notes` says so. It reads the compiled code and runs nothing.

Not here: what really happens at grading (runner/), and how a part is made whole to be saved (own_source.py).
"""

from __future__ import annotations

import dis
import functools
import json
import symtable
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autograder import parts
from autograder.by_name import functions
from autograder.checks import Check
from autograder.messages import Text, text

_THERE = {*sys.stdlib_module_names, "numpy", "minigrad", "autograder", "__main__", "display", "get_ipython"}
_RELEASE = Path(__file__).resolve().parent.parent / "release"
_LOADS = ("LOAD_GLOBAL", "LOAD_NAME")


def notes(check: Check) -> list[Text]:
    """What there is to say of the check's parts, as they are plugged in now; nothing where grading has all they use."""
    found = []
    for part in check.parts:
        others = {id(written) for other, written in parts.plugged().items() if other != part}  # each is told its own
        used, short = _Used(parts.plugged()[part], others), part.rpartition(".")[2]
        if used.modules:
            found.append(text("not_at_grading", part=short, names=", ".join(sorted(used.modules))))
        elsewhere = used.names - _made_in_graded_cells(check.lesson) if used.names and _inputs() else set()
        if renamed := elsewhere & _renamed(part):
            mine = ", ".join(arguments(parts.plugged()[part]))
            found.append(text("named_otherwise", part=short, names=", ".join(sorted(renamed)), mine=mine))
        elsewhere -= renamed
        own = arguments(parts.plugged()[part])
        if cased := {name for name in elsewhere if name.lower() in map(str.lower, own)}:
            found.append(text("in_other_case", part=short, names=", ".join(sorted(cased)), mine=", ".join(own)))
        elsewhere -= cased
        if elsewhere:
            found.append(text("from_another_cell", part=short, names=", ".join(sorted(elsewhere))))
    return found


def _renamed(part: str) -> set[str]:
    """The arguments of the engine's own part that the learner's first line calls otherwise."""
    return set(arguments(parts.original(part))) - set(arguments(parts.plugged()[part]))


def arguments(written: Any) -> list[str]:
    """The names of a function's arguments; of a class there are none."""
    code = next((each.__code__ for each in functions(written)), None) if not isinstance(written, type) else None
    return list(code.co_varnames[: code.co_argcount]) if code else []


class _Used:
    """What the code of a part names, its own helpers included: packages that grading lacks, names of the notebook's."""

    def __init__(self, written: Any, others: set[int]):
        self.modules: set[str] = set()
        self.names: set[str] = set()
        self._met: set[int] = set()
        self._others = others  # parts that it calls, which are no helpers of its own
        self._look(written)

    def _look(self, written: Any) -> None:
        for function in functions(written):
            if id(function) not in self._met and _home(function) != parts.ENGINE:
                self._met.add(id(function))
                for code in codes(function.__code__):
                    self._read(code, function)

    def _read(self, code: types.CodeType, function: types.FunctionType) -> None:
        for step in dis.get_instructions(code):
            name = str(step.argval)
            if step.opname == "IMPORT_NAME":
                self._needs(name)
            elif step.opname in _LOADS and name in function.__globals__:
                value = function.__globals__[name]
                beside = getattr(value, "__module__", None) == function.__module__
                if not beside:
                    self._needs(_home(value))
                if function.__module__ == "__main__" and _home(value) not in self.modules:
                    self.names.add(name)
                if beside and id(value) not in self._others:
                    self._look(value)

    def _needs(self, module: str) -> None:
        package = module.partition(".")[0]
        if package and package not in _THERE:
            self.modules.add(package)


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """A function's code, and that of the functions inside it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield from codes(each)


def _home(value: Any) -> str:
    """The package that a value comes from; "" where it says nothing."""
    if isinstance(value, types.ModuleType):
        home: Any = value.__name__
    else:
        home = getattr(value, "__module__", None) or type(value).__module__
    return home.partition(".")[0] if isinstance(home, str) else ""


# ── Which cells grading runs ─────────────────────────────────────────────────────────────────────


def _inputs() -> list[str]:
    """The text of every cell that has run in this notebook; none where there is no notebook."""
    return [str(each) for each in getattr(sys.modules["__main__"], "In", ())]


def _made_in_graded_cells(lesson: str) -> set[str]:
    """Names that the lesson's setup cells, or cells with a part in them, define."""
    graded = [each for each in _inputs() if "@implements(" in each]
    return {name for source in (*_setup_cells(lesson), *graded) for name in _defined(source)}


@functools.cache
def _setup_cells(lesson: str) -> tuple[str, ...]:
    path = _RELEASE / lesson / f"{lesson}.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"] if path.is_file() else []
    return tuple("".join(each["source"]) for each in cells if "setup" in each["metadata"].get("tags", ()))


@functools.cache
def _defined(source: str) -> frozenset[str]:
    """The names that a cell's own lines bind; none if it does not compile."""
    try:
        table = symtable.symtable(source, "<cell>", "exec")
    except SyntaxError:
        return frozenset()
    return frozenset(each.get_name() for each in table.get_symbols() if each.is_assigned() or each.is_imported())
