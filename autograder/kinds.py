"""What kind of value a learner's part has returned: an array, a number, nothing at all, the argument itself.

parts.py has every call of a check noted here, and returns.py says what is odd about it. It enters the sandbox: NumPy
and the engine only. Not here: whether a value is right (compare.py).
"""

from __future__ import annotations

import itertools
import types
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minigrad.autograd.graph import Node

Kind = str | tuple["Kind", ...]  # of a value: "array", "number", the name of another type; of a tuple, of what is in it
PLAIN: frozenset[Kind] = frozenset({"bool", "number", "str", "NoneType"})
ARRAYS: frozenset[Kind] = frozenset({"array", "scalar"})  # NumPy makes numbers of arrays without dimensions
_CONTAINERS = (dict, list, set)  # a Counter is a dict, and as good as one
_LONGEST = 4  # items of a tuple that are looked at


@dataclass
class Returned:
    """What a part has returned since the last reset."""

    kinds: set[Kind] = field(default_factory=set)
    handed_on: set[int | str | None] = field(default_factory=set)  # arguments as they came in; None: another thing
    plain: Counter[str] = field(default_factory=Counter)  # numbers, strings and the like, until two have been seen
    times: int = 0  # calls that returned, and did not raise

    @property
    def only_handed_on(self) -> tuple[int | str, ...]:
        """The one argument that came out of every call, if there is one."""
        places = tuple(each for each in self.handed_on if each is not None)
        return places if len(places) == len(self.handed_on) == 1 else ()

    def note(self, result: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Remember what a call has returned."""
        self.times += 1
        kind = kind_of(result)
        if kind == "array" and _is_tensor(result) and _arrays_alone(args):
            kind = "tensor"
        place = None
        if isinstance(result, float) or kind not in PLAIN:  # small numbers and the like are the same objects everywhere
            given: Iterator[tuple[int | str, Any]] = itertools.chain(enumerate(args), kwargs.items())
            place = next((each for each, value in given if value is result and kind), None)
        self.handed_on.add(place)
        # A number of the engine's own, handed on, is nothing odd.
        self.kinds.add("array" if isinstance(result, float) and place is not None else kind)
        if kind in PLAIN and len(self.plain) < 2:
            self.plain[repr(result)] += 1


def _is_tensor(value: Any) -> bool:
    return type(value).__module__ == "minigrad" and type(value).__name__ == "Tensor"


def _arrays_alone(args: tuple[Any, ...]) -> bool:
    """Whether arrays are among the arguments and, beside them, plain data only: nothing that a tensor could come from."""
    arrays = [isinstance(each, np.ndarray | np.generic) for each in args]
    plain = (int, float, str, tuple, list, type(None))
    return any(arrays) and all(array or isinstance(each, plain) for array, each in zip(arrays, args, strict=True))


def kind_of(result: Any) -> Kind:
    """In a word what a value is; of a tuple, what is in it."""
    if type(result) is tuple:
        return tuple(map(kind_of, result)) if len(result) <= _LONGEST else "tuple"
    if type(result).__module__.partition(".")[0] == "torch":
        return "torch.Tensor"
    if isinstance(result, types.ModuleType):  # numpy has a shape, too
        return "module"
    if isinstance(result, type):  # a node's class has one, too
        return "class"
    if type(result).__name__ == "_lru_cache_wrapper":
        return "function"
    if isinstance(result, Node):  # which has one, too: of what it computed
        return "node"
    if isinstance(result, np.generic):
        return "bool" if isinstance(result, np.bool_) else "scalar"
    if hasattr(result, "shape") or _is_tensor(result):  # its array may be nonsense
        return "array"
    if isinstance(result, int | float) and type(result) is not bool:
        return "number"
    return next((each.__name__ for each in _CONTAINERS if isinstance(result, each)), type(result).__name__)
