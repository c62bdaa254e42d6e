"""Where a learner's functions call each other by name: one value in another's place among their globals, for a while.

The engine meets a part through its wrapper (parts.py), but functions of one notebook meet each other as they were
written. Here is what a check needs in order to count those calls, too, and blame.py in order to try the engine's own.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any


def functions(written: Any) -> Iterator[types.FunctionType]:
    """The function itself, or a class's own methods, out of their properties and decorators."""
    for each in vars(written).values() if isinstance(written, type) else [written]:
        bare = inspect.unwrap(getattr(each, "__func__", getattr(each, "fget", each) or each))
        if isinstance(bare, types.FunctionType):
            yield bare


@contextmanager
def instead(others: Mapping[int, Any], callers: Iterable[Any]) -> Iterator[None]:
    """In the globals of these functions and classes, others[id(value)] in the place of each such value."""
    around: dict[int, dict[str, Any]] = {}
    for each in callers if others else ():
        around |= {id(function.__globals__): function.__globals__ for function in functions(each)}
    found = [(space, key, value) for space in around.values() for key, value in space.items() if id(value) in others]
    for space, key, value in found:
        space[key] = others[id(value)]
    try:
        yield
    finally:
        for space, key, value in found:
            space[key] = value
