"""Hints for those who ask: for each part three of them, a question, a direction, almost the answer.

The data are in `lessonNN.py` beside this, part by part, each stage in Chinese and in English. A hint is given only
on request (`hint("mul_vjp_self")` in a lesson); what a check says on its own about a recognised mistake is in
mistakes/.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable

from autograder.errors import UnknownName
from autograder.messages import Text, text

Stages = tuple[tuple[str, str], tuple[str, str], tuple[str, str]]

EACH = 3  # hints for a part

_asked: dict[str, int] = {}  # part -> how often its hints have been asked for


def all_hints() -> dict[str, Stages]:
    """part -> its three stages, over all lessons."""
    found: dict[str, Stages] = {}
    for each in pkgutil.iter_modules(__path__):
        found.update(importlib.import_module(f"{__name__}.{each.name}").HINTS)
    return found


def next_hint(given: object, here: Iterable[str] = ()) -> tuple[str, int, Text]:
    """(part, stage counted from 1, the hint): the next one for the part called `given`, in full or by its last name, or
    written by the function `given`. here: the parts to offer where there is none.

    After the third, the third again; `left` tells.
    """
    hints = all_hints()
    part = find(getattr(given, "__name__", given), list(hints), here)
    stage = min(_asked.get(part, 0) + 1, EACH)
    _asked[part] = _asked.get(part, 0) + 1
    return part, stage, Text(*hints[part][stage - 1])


def left(part: str) -> int:
    """How many hints for this part have not been given; below 0 once the last was given again."""
    return EACH - _asked.get(part, 0)


def find(given: object, parts: list[str], here: Iterable[str] = ()) -> str:
    """The one part whose dotted name is `given` or ends in it."""
    found = [part for part in parts if part == given or part.endswith(f".{given}")]
    if len(found) != 1:
        raise UnknownName("hint_which" if given == "" else text("kind_part"), given, parts, here)
    return found[0]
