"""Arguments that NumPy would take for what they are not: a list for True, None for 1, True for the 1st place.

Operations hand theirs through here where nothing else would refuse them. What is raised says little: `guarded` of
guard.py and `parsed` of arguments.py say in torch's words what was wrong. Whole numbers: `as_int`, there.
"""

from __future__ import annotations

from typing import Any

from ..backend import check_64_bits, numpy
from ..tensor import Tensor
from .arguments import is_number

ABSENT: Any = object()  # marks an argument that is not given, where None is a valid value


def asked_shape(x: Any, asked: str = "size") -> tuple[int, ...]:
    """A tensor's shape. Of anything else the error that Python has where torch, itself in Python there, asks it for
    x.size(), or for what else is `asked`."""
    try:
        return x._data.shape
    except AttributeError:
        getattr(x, asked)()
        raise


def flag(x: Any) -> bool:
    """True and False as they are; TypeError for what is only true or false in Python's eyes."""
    if x is not True and x is not False:
        raise TypeError("expected a bool")
    return x


def number(x: Any) -> Any:
    """A number of Python's as it is, one of NumPy's or a 0-d tensor as the number of Python's that it holds; TypeError for
    anything else, None among it, and OverflowError for a whole number that 64 bits do not hold."""
    if not is_number(x):
        raise TypeError("expected a number")
    check_64_bits(x)
    return x.item() if isinstance(x, Tensor | numpy.generic) else x


def number_or_none(x: Any) -> Any:
    """A number as `number` has it, or None for no number."""
    return None if x is None else number(x)
