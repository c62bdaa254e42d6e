"""The source of a function written in a notebook, made whole: with the imports and helpers that it names.

`whole(written)` gives the text of a module that defines `written` and nothing it does not need, so that what a
learner wrote in one lesson can be read, and run, without that lesson. It saves and loads nothing (workspace.py).
"""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import linecache
import symtable
import types
from collections.abc import Iterator
from typing import Any

from autograder.by_name import functions
from autograder.errors import AutograderError
from autograder.messages import text
from autograder.parts import ENGINE
from autograder.swap import engine_modules

_DECORATOR = "implements"  # what plugs a part in; a saved part is plugged by whoever loads it


def whole(written: Any) -> str:
    """The text of a module whose last definition is `written`. AutograderError if that cannot be made."""
    return _Collected(written).text()


def of(written: Any) -> str:
    """The text of one function or class as written in its cell, without the decorator that plugs it in."""
    code = _a_code(written)
    lines = linecache.getlines(code.co_filename)
    for node in ast.walk(ast.parse("".join(lines))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == written.__name__:
            if _first(node) <= code.co_firstlineno <= (node.end_lineno or 0):
                return _text(node, lines)
    raise AutograderError(text("source_unknown", name=written.__name__))


def _text(node: ast.FunctionDef | ast.ClassDef, lines: list[str]) -> str:
    plugs = [each for each in node.decorator_list if isinstance(each, ast.Call) and _named(each.func) == _DECORATOR]
    left_out = {line for each in plugs for line in range(each.lineno, (each.end_lineno or each.lineno) + 1)}
    kept = [line for at, line in enumerate(lines, 1) if _first(node) <= at <= (node.end_lineno or 0)]
    numbered = zip(range(_first(node), (node.end_lineno or 0) + 1), kept, strict=True)
    return inspect.cleandoc("\n" + "".join(line for at, line in numbered if at not in left_out)) + "\n"


def _first(node: ast.FunctionDef | ast.ClassDef) -> int:
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def _named(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _a_code(written: Any) -> types.CodeType:
    """A code object that was compiled from the definition: the function's own, or a method's."""
    for function in functions(written):
        return function.__code__
    raise AutograderError(text("source_unknown", name=getattr(written, "__name__", str(written))))


class _Collected:
    """Imports, constants and definitions, each once, in the order that they need."""

    def __init__(self, written: Any):
        self.imports: list[str] = []
        self.constants: list[str] = []
        self.definitions: list[str] = []
        self.met: set[str] = set()
        self._define(written)

    def text(self) -> str:
        blocks = ["\n".join(sorted(self.imports)), "\n".join(self.constants), *self.definitions]
        return "\n\n".join(block for block in blocks if block)

    def _define(self, written: Any) -> None:
        self.met.add(written.__name__)
        source, around = of(written), _globals(written)
        for name in sorted(global_names(source)):
            if name not in self.met and name in around and around[name] is not getattr(builtins, name, None):
                self._bring(name, around[name])
        self.definitions.append("\n" + source)

    def _bring(self, name: str, value: Any) -> None:
        """Have `name` mean `value` in the module, too."""
        self.met.add(name)
        module, own_name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
        if isinstance(value, types.ModuleType):
            self.imports.append(_import(value.__name__, name))
        elif module not in (None, "__main__") and own_name and _is_there(module, own_name, value):
            self.imports.append(f"from {module} import {own_name}{'' if own_name == name else f' as {name}'}")
        elif isinstance(value, types.FunctionType | type):
            self._define(value)
            if value.__name__ != name:
                self.definitions.append(f"\n{name} = {value.__name__}\n")
        elif home := next((each for each in engine_modules(ENGINE) if vars(each).get(name) is value), None):
            self.imports.append(f"from {home.__name__} import {name}")
        elif _is_literal(value):
            self.constants.append(f"{name} = {value!r}")
        else:
            raise AutograderError(text("source_needs", name=name))


def _globals(written: Any) -> dict[str, Any]:
    for function in functions(written):
        return function.__globals__
    return vars(importlib.import_module(written.__module__))


def global_names(source: str) -> set[str]:
    """The names that a piece of source takes from the module around it, annotations and defaults included."""

    def walk(table: symtable.SymbolTable) -> Iterator[str]:
        for symbol in table.get_symbols():
            outermost = table.get_type() == "module"
            if symbol.is_referenced() and (symbol.is_global() or outermost) and not symbol.is_assigned():
                yield symbol.get_name()
        for child in table.get_children():
            yield from walk(child)

    return set(walk(symtable.symtable(source, "<cell>", "exec")))


def _import(module: str, name: str) -> str:
    if module == name:
        return f"import {module}"
    package, _, last = module.rpartition(".")
    return f"from {package} import {last}" if package and last == name else f"import {module} as {name}"


def _is_there(module: str, name: str, value: Any) -> bool:
    """Whether a module has a value under that name, as it is or inside a wrapper."""
    try:
        found: Any = getattr(importlib.import_module(module), name, None)
    except ImportError:
        return False
    return found is value or inspect.unwrap(found) is value


def _is_literal(value: Any) -> bool:
    try:
        return bool(ast.literal_eval(repr(value)) == value)
    except (ValueError, SyntaxError, TypeError):
        return False
