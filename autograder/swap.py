"""Replace objects by others, by identity, in everything a package holds.

Modules' names, classes' attributes, the function inside a property, staticmethod or classmethod, dicts, lists
and tuples in any of these, default arguments and closures of the package's functions, attributes of the objects
its modules keep. `parts.py` uses it to plug a learner's function into the engine. It knows nothing of parts.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any


def engine_modules(package: str) -> list[types.ModuleType]:
    """The package and its submodules, as far as they are imported."""
    return [
        module
        for name, module in sys.modules.copy().items()
        if module is not None and (name == package or name.startswith(package + "."))
    ]


def replace_everywhere(package: str, pairs: Iterable[tuple[Any, Any]]) -> None:
    """For each (old, new): let every reference to old that `package` holds refer to new. One walk for all."""
    walk = _Swap(package, pairs)
    for module in engine_modules(package):
        walk.attributes(module)


class _Swap:
    """One walk over the package. `of` gives what should stand in a value's place; holders are changed in place."""

    def __init__(self, package: str, pairs: Iterable[tuple[Any, Any]]):
        self.package = package
        self.new = {id(old): new for old, new in pairs}
        self.seen = {id(new) for new in self.new.values()}  # what is put in is not looked into

    def of(self, value: Any) -> Any:
        if id(value) in self.new:
            return self.new[id(value)]
        rebuild = self._rebuild.get(type(value)) or (_Swap._tuple if isinstance(value, tuple) else None)
        if rebuild:
            return rebuild(self, value)
        if id(value) not in self.seen:
            self.seen.add(id(value))
            self._inside(value)
        return value

    def _inside(self, value: Any) -> None:
        if isinstance(value, dict):
            self.items(value, list(value.items()))
        elif isinstance(value, list):
            self.items(value, list(enumerate(value)))
        elif isinstance(value, types.FunctionType):
            if self._ours(value):
                self._function(value)
        elif self._ours(value if isinstance(value, type) else type(value)):
            self.attributes(value)

    def _ours(self, value: Any) -> bool:
        module = str(getattr(value, "__module__", ""))
        return module == self.package or module.startswith(self.package + ".")

    def attributes(self, holder: Any) -> None:
        """Those of a module, a class, or an object of one of the package's classes."""
        own = dict(getattr(holder, "__dict__", {}))
        for kind in type(holder).__mro__:
            slots = vars(kind).get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                if name not in ("__dict__", "__weakref__") and hasattr(holder, name):
                    own[name] = getattr(holder, name)
        for name, value in own.items():
            fresh = self.of(value)
            if fresh is not value:
                setattr(holder, name, fresh)

    def items(self, holder: Any, pairs: list[tuple[Any, Any]]) -> None:
        for key, value in pairs:
            fresh = self.of(value)
            if fresh is not value:
                holder[key] = fresh

    def _function(self, function: types.FunctionType) -> None:
        function.__defaults__ = self.of(function.__defaults__)
        self.of(function.__kwdefaults__)
        self.of(function.__dict__)
        self.of(function.__globals__)  # code made by exec has a dict of its own
        for cell in function.__closure__ or ():
            try:
                value = cell.cell_contents
            except ValueError:
                continue  # a name not yet bound
            fresh = self.of(value)
            if fresh is not value:
                cell.cell_contents = fresh

    # Values that cannot be changed are made anew, and only when something inside them is replaced.

    def _tuple(self, value: tuple[Any, ...]) -> tuple[Any, ...]:
        fresh = [self.of(each) for each in value]
        if all(a is b for a, b in zip(fresh, value, strict=True)):
            return value
        return type(value)(*fresh) if hasattr(value, "_fields") else tuple(fresh)

    def _property(self, value: property) -> property:
        fget, fset = self.of(value.fget), self.of(value.fset)
        if fget is value.fget and fset is value.fset:
            return value
        return property(fget, fset, value.fdel, value.__doc__)

    def _wrapped(self, value: Any) -> Any:
        fresh = self.of(value.__func__)
        return value if fresh is value.__func__ else type(value)(fresh)

    def _bound(self, value: types.MethodType) -> types.MethodType:
        fresh = self.of(value.__func__)
        return value if fresh is value.__func__ else types.MethodType(fresh, value.__self__)

    def _partial(self, value: functools.partial[Any]) -> functools.partial[Any]:
        fresh = self.of(value.func)
        return value if fresh is value.func else functools.partial(fresh, *value.args, **value.keywords)

    _rebuild: dict[type, Callable[[_Swap, Any], Any]] = {
        property: _property,
        staticmethod: _wrapped,
        classmethod: _wrapped,
        types.MethodType: _bound,
        functools.partial: _partial,
    }
