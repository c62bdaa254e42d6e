"""Which other part of the learner's makes a check lose points.

The engine runs on every part that is plugged in, and one part may call another by its name. So a wrong part spoils
checks that are not about it, whose own parts may be right. It is found as one would find it by hand: put the engine's
own in its place, and see whether the check does better. Here, too, is what the learner is told of it.

Not here: what is wrong inside a part (mistakes/), nor the run without the others, which is the one that counts
(notebook.py, referee.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from autograder import parts, workspace
from autograder.checks import Check, Outcome
from autograder.messages import Text, text

Grade = tuple[int, int]  # what a check scores, and how many of its properties agree
_endless: dict[str, Any] = {}  # part -> what was plugged there when a check of another part found no end because of it


def no_end(culprits: Sequence[str] = ()) -> set[str]:
    """The plugged parts for which a check of another has waited in vain; from now on these as well."""
    now = parts.plugged()
    _endless.update({part: now[part] for part in culprits})
    return {part for part, written in _endless.items() if now.get(part) is written}


def in_the_way(suspects: Sequence[str], now: Grade, again: Callable[[], Grade]) -> tuple[list[str], Grade]:
    """The fewest of the plugged parts `suspects` without which the check does as well as without any of them, and how
    well that is; none where that is no better than `now`. `again` runs the check once more.
    """

    def without(some: Sequence[str]) -> Grade:
        with parts.engines_own(some):
            return again()

    best = without(suspects) if suspects else now
    return (_fewest(list(suspects), lambda some: without(some) >= best), best) if best > now else ([], now)


def stood_in(others: set[str]) -> Iterator[Text]:
    """If the engine's own replaced other parts: which, why, and where the learner finds out more."""
    stubs = {part for part in others if parts.is_stub(parts.plugged()[part])}
    foreign = others - workspace.every_part().keys()
    earlier = others.intersection(workspace.carried()) - stubs
    mine = others - stubs - earlier - foreign
    endless = mine & no_end()
    kinds = {"stub_used": stubs, "no_lessons_part": foreign, "earlier_part": earlier, "no_end_earlier": endless}
    for key, which in (kinds | {"mend_too": mine - endless}).items():
        tests = sorted({each for part in which for each in workspace.deciding(part)})
        said = {"parts": [part.rpartition(".")[2] for part in which], "checks": [f'check("{each}")' for each in tests]}
        if which:
            yield text(key, **{name: ", ".join(sorted(words)) for name, words in said.items()})


def in_a_circle(check: Check, outcome: Outcome | None, others: Sequence[str]) -> set[str]:
    """Which of the other parts ask a part of the check for what that asks them: right alone, together without end."""
    if outcome is None or not any(fault["class"] == "RecursionError" for fault in outcome.faults):
        return set()
    return {one for one in others if any(_asks(one, own) and _asks(own, one) for own in check.parts)}


def used(check: Check, outcome: Outcome | None, others: set[str]) -> set[str]:
    """Which of the other parts the run has met, or the check's own parts call by name."""
    met = set(outcome.met(others) if outcome else ())
    return met | {one for one in others if any(_asks(own, one) for own in check.parts)}


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
