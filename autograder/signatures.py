"""Whether the engine could call what a learner wrote: a part has the engine's own arguments, each in its place.

Not here: whether it does what it should (checks/).
"""

from __future__ import annotations

import inspect
from typing import Any

from autograder.errors import PartError
from autograder.messages import text


def check_signature(name: str, own: Any, written: Any) -> None:
    """Refuse at once what the engine could not call: no function at all, or other arguments in other places."""
    if not callable(written):
        raise PartError(text("part_not_callable", given=type(written).__name__), where=name)
    if isinstance(own, type):
        return  # any callable that gives such an object will do: a class, or a @contextmanager
    its = [each.replace(annotation=each.empty) for each in inspect.signature(own).parameters.values()]
    wanted = [each.name for each in its]
    given = inspect.signature(written)
    fixed = [each.name for each in its if each.kind is not each.VAR_POSITIONAL]
    many = [fixed, [*wanted, *"another"]] if len(fixed) < len(wanted) else []
    if not all(_takes(given, each) for each in (wanted, *many)):
        head = f"def {own.__name__}({', '.join(map(str, its))}):"
        raise PartError(text("part_signature", given=str(given)), where=name, remedy=text("part_head", head=head))


def _takes(given: inspect.Signature, wanted: list[str]) -> bool:
    """Whether a function so declared can be called with `wanted`, each in its place (other names are fine)."""
    try:
        bound = given.bind(*wanted).arguments
    except TypeError:
        return False
    moved = [place for place, value in bound.items() if place in wanted and value in wanted and place != value]
    return not moved
