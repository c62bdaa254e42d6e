"""Loads modules of operations when one of their names is first used, so that `import minigrad` is quick.

Until then, a `Lazy` placeholder is set on Tensor for each of their methods, and the package asks `load` for functions.
Loading a module replaces the placeholders of all its methods; from then on, calls cost nothing extra. (A `__getattr__`
on Tensor would do the same, but slow down every attribute of every tensor for good.) This module does not know the
names: the table in `__init__.py` lists them.
"""

from __future__ import annotations

import functools
import importlib
import sys
import types
from collections.abc import Callable
from typing import Any

from ..tensor import Tensor

Finish = Callable[[Any], Any]
Place = tuple[str, str, Finish]  # a module, the name of its function, and what turns that into the method or function

METHODS: dict[str, Place] = {}  # of Tensor, with properties and operators
FUNCTIONS: dict[str, Place] = {}  # of the package
_waiting: dict[str, Any] = {}  # the placeholders on Tensor, by name
_loaded: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}  # by module: its methods and functions


class Lazy:
    """A placeholder on Tensor for a method of a module: reading it loads the module and gives the real method."""

    __slots__ = ("name", "module")

    def __init__(self, name: str, module: str) -> None:
        self.name = name
        self.module = module

    def __get__(self, tensor: Any, kind: type) -> Any:
        load(self.module)
        return vars(Tensor)[self.name].__get__(tensor, kind)


def add_methods(names: list[str], place: Place) -> None:
    """Set placeholders on Tensor for one method, property or operator and its aliases."""
    for name in names:
        METHODS[name] = place if name == names[0] else alias_place(name, place)
        _waiting[name] = placeholder = Lazy(name, place[0])
        if place[2] is property:  # which, unlike a method, cannot be assigned to
            _waiting[name] = property(lambda tensor, placeholder=placeholder: placeholder.__get__(tensor, Tensor))  # type: ignore[misc]
        setattr(Tensor, name, _waiting[name])


def add_functions(names: list[str], place: Place) -> None:
    """Record where a function of the package and its aliases are defined."""
    for name in names:
        FUNCTIONS[name] = place if name == names[0] else alias_place(name, place)


def alias_place(alias: str, place: Place) -> Place:
    """The place of an alias: the same function with the alias as its name, which appears in error messages."""
    module, function, finish = place
    return module, function, lambda found: finish(renamed(found, alias.removesuffix("_")))


def renamed(function: Any, name: str) -> Any:
    """A copy of a function with another name."""
    # Copied rather than wrapped: a wrapper would add a call to every use of an alias. functools has no way to copy.
    twin = types.FunctionType(
        function.__code__, function.__globals__, name, function.__defaults__, function.__closure__
    )
    twin.__kwdefaults__ = function.__kwdefaults__
    for own in ("__module__", "__doc__", "__annotations__"):
        setattr(twin, own, getattr(function, own))
    vars(twin).update(vars(function))
    return twin


def load(module: str) -> dict[str, Any]:
    """Import a module and set its methods on Tensor; returns its functions of the package, by name.

    If several threads load it at once, all use the first one's methods. What a user has set on Tensor stays.
    """
    if module not in _loaded:
        _loaded.setdefault(module, _build(module))
    methods, functions = _loaded[module]
    for name, method in methods.items():
        if vars(Tensor).get(name) is _waiting[name]:
            setattr(Tensor, name, method)
    return functions


def load_all() -> None:
    """Load every operation now: for tools that inspect the whole engine, before a fork, or before imports are blocked."""
    for module in dict.fromkeys(place[0] for place in (*METHODS.values(), *FUNCTIONS.values())):
        load(module)


def _build(module: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The methods that a module has for Tensor, and its functions of the package."""
    found = importlib.import_module(f".{module}", __package__)
    made: dict[Place, Any] = {}
    for place in (*METHODS.values(), *FUNCTIONS.values()):
        if place[0] == module and place not in made:
            made[place] = place[2](getattr(found, place[1]))
    methods, functions = (
        {name: made[place] for name, place in places.items() if place in made} for places in (METHODS, FUNCTIONS)
    )
    for name, method_made in reversed(methods.items()):  # so that, of several names of one, the first stays
        at_home(method_made, Tensor.__module__, f"{Tensor.__name__}.{name}")
    for name, function_made in functions.items():
        at_home(function_made, __name__.partition(".")[0], name)
    return methods, functions


def at_home(function: Any, module: str, name: str) -> None:
    """Tell a function that wraps another, and so is not found where it says, where it is: pickle asks for that."""
    if hasattr(function, "__wrapped__"):
        if getattr(sys.modules.get(function.__module__), function.__qualname__, None) is not function:
            function.__module__, function.__qualname__ = module, name


# ------------------------------------------------------------------ from a module's function to a method or function


def unchanged(function: Any) -> Any:
    """The function itself."""
    return function


def method(function: Any) -> Any:
    """A method that explains wrong arguments in torch's words."""
    from .guard import guarded

    return with_torch_names(guarded(function, method=True), method=True)


def plain_function(function: Any) -> Any:
    """A function of the package that explains wrong arguments in torch's words."""
    from .guard import guarded

    return with_torch_names(guarded(function, method=False), method=False)


def with_torch_names(call: Any, method: bool) -> Any:
    """`call`, which also takes the argument names of torch's other signatures; unchanged if there are none."""
    from .signatures import spellings

    names = spellings(call.__name__, method)
    if not names:
        return call

    @functools.wraps(call)
    def renaming(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            kwargs = {names.get(name, name): value for name, value in kwargs.items()}
        return call(*args, **kwargs)

    return renaming


def written(function: Any) -> Any:
    """The operation with its result written into its first argument."""
    from .inplace import inplace

    return inplace(function)


def written_method(function: Any) -> Any:
    """The method that writes the operation's result into its tensor."""
    return method(written(function))


def written_function(function: Any) -> Any:
    """The package's function that writes the operation's result into its first argument."""
    return plain_function(written(function))


def reflected(function: Any) -> Any:
    """The operation with its operands swapped, for __radd__ and the like."""
    return lambda self, other: function(other, self)
