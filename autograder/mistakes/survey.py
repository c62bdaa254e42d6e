"""What each known mistake costs, check by check, and whether it is recognised: the proof that the grader grades.

    python -m autograder.mistakes.survey        prints the table

The tests hold every row to it: a mistake that loses no point, or is taken for another, is a fault of ours.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograder import compare, oracle, parts
from autograder.checks import REGISTRY, Check, Outcome, attempt
from autograder.mistakes import MISTAKES, Mistake, recognise


@dataclass
class Row:
    """One mistake: check -> its score, and check -> the mistake it is taken for, where any."""

    mistake: Mistake
    scores: dict[str, int] = field(default_factory=dict)
    taken_for: dict[str, str] = field(default_factory=dict)

    @property
    def costly(self) -> list[str]:
        """The checks in which it loses points."""
        return [name for name, score in self.scores.items() if score < REGISTRY[name].points]


def survey(mistake: Mistake, seed: int) -> Row:
    """Run every check of the mistake's part with the mistake plugged in and all else as the engine has it."""
    row = Row(mistake)
    for check in REGISTRY.values():
        if mistake.part in check.parts:
            own = {part: parts.original(part) for part in check.parts}
            with parts.plugged_in({**own, mistake.part: mistake.written}):
                outcome = _quietly(check, seed)
                verdict = compare.judge(check, oracle.expected(check.name, seed), outcome)
                found = None if verdict.passed else recognise(check, outcome, seed)
            row.scores[check.name] = verdict.score
            if found:
                row.taken_for[check.name] = found.name
    return row


def _quietly(check: Check, seed: int) -> Outcome:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return attempt(check, importlib.import_module(parts.ENGINE), seed)


def table(rows: list[Row]) -> Iterator[str]:
    """A line for each mistake: the points left in each check that it costs, * where it is recognised."""
    for row in rows:
        cells = [
            f"{name} {row.scores[name]}/{REGISTRY[name].points}{'*' * (name in row.taken_for)}" for name in row.costly
        ]
        yield f"{row.mistake.name.removeprefix('minigrad.'):64} {', '.join(cells)}"


if __name__ == "__main__":
    print("\n".join(table([survey(each, seed=1) for each in MISTAKES.values()])))
