"""Replace objects by others, by identity, in everything a package holds.

Modules' names, classes' attributes, the function inside a property, staticmethod or classmethod, dicts, lists
and tuples in any of these, default arguments and closures of the package's functions, attributes of the objects
its modules keep. `parts.py` uses it to plug a learner's function into the engine. It knows nothing of parts.
"""

from __future__ import annotations

import functools
import inspect
import operator
import sys
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any


def engine_modules(package: str) -> list[types.ModuleType]:
    """The package and its submodules, as far as they are imported."""
    inside = f"{package}."
    near = [name for name in sys.modules.copy() if name.startswith(package)]  # few of thousands, by one call each
    names = [name for name in near if name == package or name.startswith(inside)]
    return [module for name in names if (module := sys.modules.get(name)) is not None]


def replace_everywhere(package: str, pairs: Iterable[tuple[Any, Any]]) -> None:
    """For each (old, new): let every reference to old that `package` holds refer to new."""
    index(package).replace(list(pairs))


def index(package: str) -> Index:
    """Where the package holds what, found by one walk; what has been added since is looked at each time.

    Made before a process forks, it serves every process that is forked.
    """
    if package not in _indexes:
        _indexes[package] = Index(package)
    _indexes[package].look_again()
    return _indexes[package]


_indexes: dict[str, Index] = {}
# How a place is read and written: holder and key → value; holder, key and value.
_Read = Callable[[Any, Any], Any]
_Write = Callable[[Any, Any, Any], None]
_ATTRIBUTE: tuple[_Read, _Write] = (inspect.getattr_static, setattr)
_SLOT: tuple[_Read, _Write] = (getattr, setattr)
_ITEM: tuple[_Read, _Write] = (operator.getitem, operator.setitem)


@dataclass(slots=True)
class _Place:
    """Something that can be changed and holds a function or class."""

    holder: Any
    key: Any
    how: tuple[_Read, _Write]


class Index:
    """One walk over the package: for every function and class in it, the places that refer to it.

    A place is something that can be changed (an attribute, an item, default arguments, a closure's cell) and whose
    value is the function, or holds it within values that cannot be changed themselves (a property, a tuple).
    """

    def __init__(self, package: str):
        self.package = package
        self.places: dict[int, list[_Place]] = {}
        self.containers: list[Any] = []
        self.sizes: list[int] = []  # how many each of them holds
        self.owners: list[Any] = []  # whose attributes those are (or None)
        self.seen: set[int] = set()
        self.kept: dict[int, Any] = {}  # what is looked at stays alive, or another object could get its id
        self.modules: set[int] = set()

    def look_again(self) -> None:
        """Look at modules that are new, and at containers that hold more or less than they did."""
        for module in engine_modules(self.package):
            if id(module) not in self.modules:
                self.modules.add(id(module))
                self._attributes(module)
        before, self.sizes = self.sizes, list(map(len, self.containers))  # plugging asks at every turn: no loop of ours
        changed = [] if before == self.sizes else [at for at, size in enumerate(before) if size != self.sizes[at]]
        for container, owner in [(self.containers[at], self.owners[at]) for at in changed]:
            pairs = list(enumerate(container)) if isinstance(container, list) else list(container.items())
            for key, value in pairs:
                self._note(*((container, key, _ITEM) if owner is None else (owner, key, _ATTRIBUTE)), value)

    def replace(self, pairs: list[tuple[Any, Any]]) -> None:
        """Put each new value in the old one's places."""
        new = {id(old): fresh for old, fresh in pairs}
        for old, fresh in pairs:
            places = self.places.pop(id(old), [])
            for place in places:
                read, write = place.how
                try:
                    value = read(place.holder, place.key)
                except (AttributeError, KeyError, IndexError):
                    continue  # it is gone
                changed = _rebuilt(value, new)
                if changed is not value:
                    write(place.holder, place.key, changed)
            self.places.setdefault(id(fresh), []).extend(places)
            self.kept |= {id(old): old, id(fresh): fresh}

    def _note(self, holder: Any, key: Any, how: tuple[_Read, _Write], value: Any) -> None:
        if key == "__wrapped__":
            return  # what a function was made of: nobody calls it there, and a replacement would lead to itself
        for leaf in _leaves(value):
            if isinstance(leaf, types.FunctionType | type):
                self.places.setdefault(id(leaf), []).append(_Place(holder, key, how))
            if id(leaf) not in self.seen:
                self.seen.add(id(leaf))
                self.kept[id(leaf)] = leaf
                self._inside(leaf)

    def _inside(self, value: Any) -> None:
        if isinstance(value, dict):
            self._items(value, list(value.items()))
        elif isinstance(value, list):
            self._items(value, list(enumerate(value)))
        elif isinstance(value, types.FunctionType):
            if self._ours(value):
                self._function(value)
        elif self._ours(value if isinstance(value, type) else type(value)):
            self._attributes(value)

    def _ours(self, value: Any) -> bool:
        """Whether the package made it, or a class that it derives from: nodes' classes bear no module's name, as torch's."""
        made = [
            str(getattr(each, "__module__", "")) for each in (value.__mro__ if isinstance(value, type) else (value,))
        ]
        return any(module == self.package or module.startswith(self.package + ".") for module in made)

    def _attributes(self, holder: Any) -> None:
        """The attributes of a module, a class, or an object of one of the package's classes."""
        own = getattr(holder, "__dict__", {})
        self._remember(own, holder)
        for name, value in list(own.items()):
            self._note(holder, name, _ATTRIBUTE, value)
        for kind in type(holder).__mro__:
            slots = vars(kind).get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                if name not in ("__dict__", "__weakref__") and hasattr(holder, name):
                    self._note(holder, name, _SLOT, getattr(holder, name))

    def _remember(self, container: Any, owner: Any) -> None:
        self.containers.append(container)
        self.sizes.append(len(container))
        self.owners.append(owner)

    def _items(self, holder: Any, pairs: list[tuple[Any, Any]]) -> None:
        self._remember(holder, None)
        for key, value in pairs:
            self._note(holder, key, _ITEM, value)

    def _function(self, function: types.FunctionType) -> None:
        self._note(function, "__defaults__", _SLOT, function.__defaults__)
        for inside in (function.__kwdefaults__, function.__dict__, function.__globals__):
            if inside and id(inside) not in self.seen:  # code made by exec has globals of its own
                self.seen.add(id(inside))
                self._items(inside, list(inside.items()))
        for cell in function.__closure__ or ():
            try:
                value = cell.cell_contents
            except ValueError:
                continue  # a name not yet bound
            self._note(cell, "cell_contents", _SLOT, value)


# ── values that cannot be changed: made anew, and only when something inside them is replaced ────


def _parts_of(value: Any) -> tuple[Any, ...]:
    """What an unchangeable value holds; nothing for any other."""
    if isinstance(value, tuple):
        return tuple(value)
    if isinstance(value, property):
        return (value.fget, value.fset)
    if isinstance(value, staticmethod | classmethod | types.MethodType):
        return (value.__func__,)
    return (value.func,) if isinstance(value, functools.partial) else ()


def _leaves(value: Any) -> list[Any]:
    """The value itself, or the values in it that can be changed or replaced."""
    inside = _parts_of(value)
    return [leaf for each in inside for leaf in _leaves(each)] if inside else [value]


def _rebuilt(value: Any, new: dict[int, Any]) -> Any:
    """The value with what is to be replaced replaced; the same object if there is nothing of the kind in it."""
    if id(value) in new:
        return new[id(value)]
    inside = _parts_of(value)
    fresh = [_rebuilt(each, new) for each in inside]
    if all(a is b for a, b in zip(fresh, inside, strict=True)):
        return value
    if isinstance(value, tuple):
        return type(value)(*fresh) if hasattr(value, "_fields") else tuple(fresh)
    if isinstance(value, property):
        return property(fresh[0], fresh[1], value.fdel, value.__doc__)
    if isinstance(value, types.MethodType):
        return types.MethodType(fresh[0], value.__self__)
    if isinstance(value, functools.partial):
        return functools.partial(fresh[0], *value.args, **value.keywords)
    return type(value)(fresh[0])
