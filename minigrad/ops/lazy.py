"""Modules of operations that are loaded when something of theirs is first asked for, so that importing costs little.

Until then a `Lazy` stands on Tensor in each of their places, and the package asks `load` for its functions. Loading a
module puts all its methods into their places; from then on nothing of this stands in the way of a call. (A
`__getattr__` on Tensor would do the same, and slow down every access to every tensor for good.) What the names are is
no business of this module: the table in `__init__.py` says that.
"""

from __future__ import annotations

import functools
import importlib
import types
from collections.abc import Callable
from typing import Any

from ..tensor import Tensor

Finish = Callable[[Any], Any]
Place = tuple[str, str, Finish]  # a module, its function, and what is made of that

METHODS: dict[str, Place] = {}  # whatever hangs on Tensor, properties and operators, too
FUNCTIONS: dict[str, Place] = {}  # of the package
_waiting: dict[str, Any] = {}  # what stands on Tensor for them until then
_loaded: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}  # by module: what was made for METHODS and FUNCTIONS


class Lazy:
    """Stands on Tensor for what a module will put there: whoever asks for it loads the module, and gets that."""

    __slots__ = ("name", "module")

    def __init__(self, name: str, module: str) -> None:
        self.name = name
        self.module = module

    def __get__(self, tensor: Any, kind: type) -> Any:
        load(self.module)
        return vars(Tensor)[self.name].__get__(tensor, kind)


def hang(names: list[str], place: Place) -> None:
    """Keep places on Tensor for one thing and its aliases."""
    for name in names:
        METHODS[name] = place if name == names[0] else known_as(name, place)
        _waiting[name] = stand_in = Lazy(name, place[0])
        if place[2] is property:  # which, unlike a method, cannot be assigned to
            _waiting[name] = property(lambda tensor, stand_in=stand_in: stand_in.__get__(tensor, Tensor))  # type: ignore[misc]
        setattr(Tensor, name, _waiting[name])


def offer(names: list[str], place: Place) -> None:
    """Note where a function of the package is, and its aliases."""
    for name in names:
        FUNCTIONS[name] = place if name == names[0] else known_as(name, place)


def known_as(alias: str, place: Place) -> Place:
    """The place of an alias: the same function under a name of its own, which its errors say."""
    module, function, finish = place
    return module, function, lambda found: finish(renamed(found, alias.removesuffix("_")))


def renamed(function: Any, name: str) -> Any:
    """A function that differs in its name alone."""
    twin = types.FunctionType(
        function.__code__, function.__globals__, name, function.__defaults__, function.__closure__
    )
    twin.__kwdefaults__ = function.__kwdefaults__
    for own in ("__module__", "__doc__", "__annotations__"):
        setattr(twin, own, getattr(function, own))
    vars(twin).update(vars(function))
    return twin


def load(module: str) -> dict[str, Any]:
    """Import a module and put its methods on Tensor; its functions of the package, by name.

    Of threads that come at once the first one's methods are taken by all. What a user has put on Tensor stays.
    """
    if module not in _loaded:
        _loaded.setdefault(module, _made(module))
    methods, functions = _loaded[module]
    for name, method in methods.items():
        if vars(Tensor).get(name) is _waiting[name]:
            setattr(Tensor, name, method)
    return functions


def load_all() -> None:
    """Load every operation at once: for whoever looks through the whole engine, or forks, or closes the door behind it."""
    for module in dict.fromkeys(place[0] for place in (*METHODS.values(), *FUNCTIONS.values())):
        load(module)


def _made(module: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What hangs on Tensor, and what is a function of the package."""
    found = importlib.import_module(f".{module}", __package__)
    made: dict[Place, Any] = {}
    for place in (*METHODS.values(), *FUNCTIONS.values()):
        if place[0] == module and place not in made:
            made[place] = place[2](getattr(found, place[1]))
    methods, functions = (
        {name: made[place] for name, place in places.items() if place in made} for places in (METHODS, FUNCTIONS)
    )
    return methods, functions


# ------------------------------------------------------------------ what is made of a module's function


def as_it_is(function: Any) -> Any:
    """The function itself."""
    return function


def method(function: Any) -> Any:
    """A method that explains wrong arguments in torch's words."""
    from .guard import guarded

    return spelled(guarded(function, method=True), method=True)


def plain_function(function: Any) -> Any:
    """A function of the package that does."""
    from .guard import guarded

    return spelled(guarded(function, method=False), method=False)


def spelled(call: Any, method: bool) -> Any:
    """`call` with the names that torch's other signatures have for its arguments; itself, where there are none."""
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
    """The operation with its operands the other way round, as Python's __radd__ and the like want it."""
    return lambda self, other: function(other, self)
