"""Which other part of the learner's makes a check lose points.

The engine runs on every part that is plugged in, and one part may call another by its name. So a wrong part spoils
checks that are not about it, whose own parts may be right. It is found as one would find it by hand: put the engine's
own in its place, and see whether the check does better.

Not here: what is wrong inside a part (mistakes/), nor the run without the others, which is the one that counts
(notebook.py, referee.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from autograder import parts
from autograder.checks import Check, Outcome

Grade = tuple[int, int]  # what a check scores, and how many of its properties agree


def in_the_way(suspects: Sequence[str], now: Grade, again: Callable[[], Grade]) -> tuple[list[str], Grade]:
    """The fewest of the plugged parts `suspects` without which the check does as well as without any of them, and how
    well that is; none where that is no better than `now`. `again` runs the check once more.
    """

    def without(some: Sequence[str]) -> Grade:
        with parts.engines_own(some):
            return again()

    best = without(suspects) if suspects else now
    return (_fewest(list(suspects), lambda some: without(some) >= best), best) if best > now else ([], now)


def in_a_circle(check: Check, outcome: Outcome | None, others: Sequence[str]) -> set[str]:
    """Which of the other parts ask a part of the check for what that asks them: right alone, together without end."""
    if outcome is None or not any(fault["class"] == "RecursionError" for fault in outcome.faults):
        return set()
    return {one for one in others if any(_asks(one, own) and _asks(own, one) for own in check.parts)}


def _asks(one: str, other: str) -> bool:
    """Whether the code of a plugged part has the name of another in it."""
    code = getattr(parts.plugged()[one], "__code__", None)  # a part may be any callable
    return code is not None and other.rpartition(".")[2] in code.co_names


def _fewest(suspects: list[str], enough: Callable[[Sequence[str]], bool]) -> list[str]:
    """The fewest of the suspects that are `enough`: halved while one half is, then each is left out that can be."""
    middle = len(suspects) // 2
    for half in (suspects[:middle], suspects[middle:]) if middle else ():
        if enough(half):
            return _fewest(half, enough)
    for each in suspects if middle else ():
        rest = [other for other in suspects if other != each]
        suspects = rest if enough(rest) else suspects
    return suspects
