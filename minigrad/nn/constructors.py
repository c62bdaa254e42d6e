"""Constructors and `forward` under the names that they have in torch, which Python's own errors tell:
`LSTMCell.__init__() missing …`, `MSELoss.forward() takes …`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..ops.lazy import renamed

Class = TypeVar("Class", bound=type[Any])


def constructed_as(name: str) -> Callable[[Class], Class]:
    """A class with a constructor of its own, that of `name` in errors, even where its base has written it."""

    return lambda cls: named(cls, "__init__", name)


def forward_as(name: str) -> Callable[[Class], Class]:
    """A class with a `forward` of its own, that of `name` in errors."""
    return lambda cls: named(cls, "forward", name)


def named(cls: Class, method: str, name: str) -> Class:
    """The class with a copy of a method as its own, in errors that of `name`."""
    own = renamed(getattr(cls, method), method)
    own.__qualname__ = f"{name}.{method}"
    setattr(cls, method, own)
    return cls


def own_constructor(cls: Class) -> Class:
    """A class with a constructor of its own, that of the class's own name in errors: constructed_as(its name)."""
    return constructed_as(cls.__name__)(cls)


class OwnForward:
    """Base of modules whose base class has written `forward`: each of ours has it under its own name."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "forward" not in vars(cls) and hasattr(cls, "forward") and cls.__module__.startswith(str(__package__)):
            named(cls, "forward", cls.__name__)
