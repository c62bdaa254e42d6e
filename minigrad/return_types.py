"""torch.return_types: what max(dim), sort, svd and their like return, tuples with a name for each entry.

The operations are not here. Each says by `return_type` what its result is called, and finds it here from then on; so does
pickle.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any, ClassVar

from .errors import refusing

_refuse = refusing(__name__)


class ReturnType(tuple[Any, ...]):
    """A tuple with a name for each entry; prints as torch.return_types.NAME."""

    __slots__ = ()
    fields: ClassVar[tuple[str, ...]] = ()

    def __repr__(self) -> str:
        entries = [f"{field}={entry!r}" for field, entry in zip(self.fields, self, strict=True)]
        return f"torch.return_types.{type(self).__name__}(\n" + ",\n".join(entries) + ")"


def return_type(name: str, fields: tuple[str, ...]) -> type[ReturnType]:
    """The named tuple of one operation."""
    entries = {field: property(itemgetter(i)) for i, field in enumerate(fields)}
    made = type(name, (ReturnType,), {"__slots__": (), "__module__": __name__, "fields": fields} | entries)
    found: type[ReturnType] = globals().setdefault(name, made)
    return found


def __getattr__(name: str) -> Any:
    """One that is not defined until its operation is loaded."""
    if not name.startswith("_"):  # as what Python asks every module for does
        from .ops import load_all

        load_all()
    return globals()[name] if name in globals() else _refuse(name)
