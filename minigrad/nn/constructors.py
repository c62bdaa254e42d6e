"""Constructors under the names that they have in torch, which Python's own errors tell: `LSTMCell.__init__() missing …`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..ops.lazy import renamed

Class = TypeVar("Class", bound=type[Any])


def constructed_as(name: str) -> Callable[[Class], Class]:
    """A class with a constructor of its own, that of `name` in errors, even where its base has written it."""

    def decorate(cls: Class) -> Class:
        constructor = renamed(cls.__init__, "__init__")
        constructor.__qualname__ = f"{name}.__init__"
        cls.__init__ = constructor
        return cls

    return decorate


def own_constructor(cls: Class) -> Class:
    """A class with a constructor of its own, that of the class's own name in errors: constructed_as(its name)."""
    return constructed_as(cls.__name__)(cls)
