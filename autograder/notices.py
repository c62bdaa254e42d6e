"""What a collection has to say: shown on the terminal, and kept in collected/LESSON.json for the class report.

What is said, and why, is decided in collect.py.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from rich.table import Table

from autograder.course import Course
from autograder.files import put
from autograder.messages import Text, text

FOLDER = "collected"
MOST_NAMED = 20  # students from whom nothing came


class Notice(NamedTuple):
    """Something to know about a submission. `grave`: nothing was taken, a person has to look."""

    who: str
    what: Text
    grave: bool = False


@dataclass
class Collected:
    """What a collection came to: the students whose newest version is new, and those who had it already."""

    lesson: str
    fresh: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # on the roster, and nothing has ever come from them

    def headline(self) -> Text:
        """How many came in."""
        return text("collected", lesson=self.lesson, fresh=len(self.fresh), known=len(self.known))

    def in_order(self) -> list[Notice]:
        """What a person has to look at first."""
        return sorted(self.notices, key=lambda notice: not notice.grave)

    def table(self) -> Table:
        """What there is to know about them, for a terminal: nothing, if all is well."""
        drawn = Table(show_header=False)
        for _ in range(3):
            drawn.add_column(overflow="fold")  # a name that is cut off finds nothing
        for each in self.in_order():
            drawn.add_row("✗" if each.grave else "!", each.who, "\n".join(each.what.lines()))
        if self.missing:
            named = ", ".join(self.missing[:MOST_NAMED]) + (" …" if len(self.missing) > MOST_NAMED else "")
            drawn.add_row("–", named, "\n".join(text("nothing_from", count=len(self.missing)).lines()))
        return drawn


def noted(course: Course, lesson: str) -> dict[str, dict[str, Any]]:
    """Where from -> what the last collection from there had to say: "when", and "notices" as the terminal showed them."""
    try:
        said = json.loads((course.root / FOLDER / f"{lesson}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def remember(course: Course, said: Collected, source: str) -> None:
    """Keep what a collection from `source` had to say, in place of what the one before it said."""
    notices = [{"who": n.who, "zh": n.what.zh, "en": n.what.en, "grave": n.grave} for n in said.in_order()]
    now = {source: {"when": f"{datetime.now(UTC):%Y-%m-%d %H:%M UTC}", "notices": notices}}
    path = course.root / FOLDER / f"{said.lesson}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    put(path, json.dumps(noted(course, said.lesson) | now, ensure_ascii=False, indent=1).encode())
