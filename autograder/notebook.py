"""check("name"), hint("part") and submit("id") as a learner calls them in a notebook.

check runs one of the lesson's checks on the engine with the learner's parts in it, runs the same program on torch,
and shows how the two compare, property by property, with the hint of a recognised mistake. The inputs are practice:
grading draws others. They stay the same until the check passes, so that a learner can follow what changes.

A failing check shows its result and lets the notebook go on; under nbgrader's Validate button it raises CheckFailed.
No score is made here: that is the referee's business. How results look is in show.py.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import random
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autograder import (
    blame,
    checks,
    compare,
    glosses,
    handed_in,
    hints,
    last_run,
    mistakes,
    one_call,
    oracle,
    parts,
    reach,
    returns,
    workspace,
)
from autograder.checks import Check, Outcome
from autograder.errors import AutograderError, CheckFailed
from autograder.messages import Text, text
from autograder.mistakes import Mistake
from autograder.mistakes.twofold import Twofold, twofold
from autograder.remarks import remarks
from autograder.runner.limits import TimeLimit, time_limit
from autograder.show import View, show
from autograder.waiting import over, waiting

MOST_PRINTED, MOST_LINES = 2000, 8  # characters and lines that are kept of what a learner's part prints
LONGEST = 20  # seconds that a check may run; the slowest of ours takes one
AGAIN = 5  # and once more, to see whose fault it was that it had no end
WRONG_SHAPE = "returned the wrong shape"  # what the engine says where a gradient does not fit
_PROJECT = Path(__file__).resolve().parent.parent
_STOPPED: blame.Grade = (False, -1)  # a check that ran into the limit does worse than any other
_seeds: dict[str, int] = {}  # check -> the inputs it has failed on


def check(name: str, seed: int | None = None) -> None:
    """Show how the learner's parts do in check `name`. `seed` repeats one particular draw of the inputs."""
    this = checks.get(name)
    workspace.note_first_check(this.lesson)
    view = look(this, seed or _seeds.get(name) or random.SystemRandom().randrange(1000, 10000))
    if before := last_run.notes(this.parts):
        view.notes[:0] = before
        view.state = "todo" if view.state == "pass" else view.state  # what passed is not what now stands there
    show(view)
    if view.state != "pass" and os.environ.get("NBGRADER_VALIDATING"):
        raise CheckFailed(view.text())


def hint(part: str) -> None:
    """Show the next of the three hints for `part`."""
    name, stage, words = hints.next_hint(part)
    show(View(name.rpartition(".")[2], "todo", f"{stage}/3", notes=[words]))


def submit(student: str = "") -> None:
    """Hand in the lesson whose notebook lies here; without an id, say how to, and what was handed in last.

    A process of its own does it: the parts that are plugged in here are not those of the file.
    """
    names = {each.lesson for each in checks.REGISTRY.values()}
    here = [path for path in Path.cwd().glob("*.ipynb") if path.stem in names]
    if student and len(here) != 1:
        raise AutograderError(text("submit_where"), where=str(Path.cwd()))
    if student and not os.environ.get("NBGRADER_VALIDATING"):
        command = [sys.executable, "-m", "autograder", "submit", str(here[0]), "--id", student]
        done = subprocess.run(command, capture_output=True, text=True, cwd=_PROJECT)
        over()  # on a terminal, the line has to go before anything takes its place
        print(done.stdout + done.stderr)
        return
    last = handed_in.latest(handed_in.home_of(here[0])) if len(here) == 1 else None
    said = [*text("submit_last").lines(), *last.lines()] if last else []
    print("\n".join([*text("submit_how").lines(), *said]))


def look(this: Check, seed: int) -> View:
    """Run a check and turn what came of it into something to show."""
    if missing := [part for part in this.parts if part not in parts.plugged()]:
        return _to_do(this, [text("not_plugged", part=part) for part in missing])
    others = [part for part in parts.plugged() if part not in this.parts]
    stubs = [part for part in others if parts.is_stub(parts.plugged()[part])]
    for part in (*this.parts, *stubs):
        parts.reset(part)
    before = {part: parts.calls(part) for part in others}
    printed = _Capped()
    try:
        outcome = _run(this, seed, printed, LONGEST)
    except TimeLimit as stopped:
        remedy = _without_end(this, seed, [part for part in others if _near(this, part, before)])
        raise _ended(stopped, text("took_too_long", seconds=LONGEST), remedy) from None
    if compare.unwritten(outcome):
        return _unwritten(this, outcome, seed, stubs)
    verdict = compare.judge(this, oracle.expected(this.name, seed), outcome)
    view = View(this.name, "pass" if verdict.passed else "fail", f"{verdict.score}/{verdict.points}")
    view.properties, view.footer, view.printed = verdict.properties, _footer(this, seed), printed.shown()
    used = [part for part in others if parts.calls(part) > before[part]]
    lacking = reach.notes(this)
    if verdict.passed and lacking:
        view.state = "todo"
    elif verdict.passed:
        _seeds.pop(this.name, None)
        view.notes = list(_kept(this))
    else:
        _seeds[this.name] = seed
        near = [part for part in others if _near(this, part, before)]
        view.notes, theirs_alone = _others_in_the_way(this, seed, _grade(verdict), near)
        if not theirs_alone:
            _explain(view, this, outcome, verdict, seed, printed)
    view.notes[:0] = lacking
    if used_stubs := [part.rpartition(".")[2] for part in stubs if part in used]:
        view.notes.append(text("stub_used", parts=", ".join(used_stubs)))
    return view


def _unwritten(this: Check, outcome: Outcome, seed: int, others: list[str]) -> View:
    """What to say where a part is not written: one of the check's own, or one of `others` that they call by name."""
    stubs = [part for part in this.parts if parts.unwritten(part) or parts.is_stub(parts.plugged()[part])]
    if not stubs and others:
        stubs = blame.in_the_way(others, (False, 0), lambda: (_is_written(this, seed), 0))[0]
    key = "parts_not_written" if len(stubs) > 1 else "part_not_written"
    notes = [text(key, part=", ".join(stubs))] if stubs else []
    view = _to_do(this, [*notes, *(parts.write_it(part) for part in stubs[:1])])
    if set(this.parts) - set(outcome.unwritten):  # what the others have earned
        verdict = compare.judge(this, oracle.expected(this.name, seed), outcome)
        view.score = f"{verdict.score}/{verdict.points}"
        view.properties = verdict.properties if verdict.score else []
    return view


def _explain(view: View, this: Check, outcome: Outcome, verdict: compare.Verdict, seed: int, printed: _Capped) -> None:
    """Say what the check's own parts do wrong, as far as that can be told."""
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        right = {str(each.value) for each in outcome.values} - _wrong(verdict, outcome)
        outcome.faults = [each for each in outcome.faults if each.get("caught") not in right]
        view.notes += _notes(this, outcome, seed, bool(printed.kept))
        found = mistakes.recognise_each(this, outcome, seed)
        if not found:  # beside a hint these would lead astray
            expected = oracle.expected(this.name, seed)
            said = [*_misshapen(this, outcome, seed), *remarks(this, expected, outcome)]
            two = None if said else twofold(this, expected, outcome, seed)
            view.notes += said or (() if two else returns.habits(this, outcome, seed))
            view.notes += () if two else one_call.notes(this, seed)
            view.hint = _two_hints(two) if two else None
    view.notes += [text("same_for_all")] if verdict.only_known else []
    if found:
        view.hint = _each_below([_hint(this, each) for each in found])
    elif len(this.parts) > 1:
        only = _only_some(this, seed, _grade(verdict))
        view.notes += [only] if only else []
    if not view.notes and not view.hint and len(this.parts) <= returns.FEW:
        view.notes = [text("stuck", hints=", ".join(f'hint("{each.rpartition(".")[2]}")' for each in this.parts))]


def _hint(this: Check, known: Mistake) -> Text:
    if len(this.parts) == 1:
        return text("hint", hint=known.hint)
    return text("hint_for", part=known.part.rpartition(".")[2], hint=known.hint)


def _two_hints(two: Twofold) -> Text:
    if len(two.mistakes) == 1:
        return text("hint_times", times=f"{two.times:.6g}", hint=two.mistakes[0].hint)
    hints = [Text(*(f"{n}. {words}" for words in each.hint)) for n, each in enumerate(two.mistakes, 1)]
    return _each_below([text("hint_two"), *hints])


def _each_below(said: list[Text]) -> Text:
    """Several sentences as one, a language at a time."""
    return Text(*map("\n".join, zip(*said, strict=True)))


def _run(this: Check, seed: int, printed: _Capped, longest: float) -> Outcome:
    engine = importlib.import_module(parts.ENGINE)
    try:
        with (
            waiting("still_running", limit=longest),
            time_limit(longest),
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
            warnings.catch_warnings(),
        ):
            warnings.filterwarnings("ignore", module=r"autograder\.")  # of the check's own lines, not the learner's
            return checks.attempt(this, engine, seed)
    except KeyboardInterrupt as stopped:
        raise _ended(stopped, text("interrupted"), text("interrupted_remedy")) from None


def _ended(stopped: BaseException, what: Text, remedy: Text) -> AutograderError:
    line = checks.fault(stopped)
    where = text("at_line", line=line["line"], code=line["code"]) if line["line"] else None
    return AutograderError(what, where=where, remedy=remedy)


def _without_end(this: Check, seed: int, near: list[str]) -> Text:
    """What to do about a check that ran into the limit: another part of the learner's may be the one that never ends."""
    if notes := _others_in_the_way(this, seed, _STOPPED, near)[0]:
        return notes[0]
    if only := _only_some(this, seed, _STOPPED):
        return _each_below([only, text("interrupted_remedy")])
    return text("interrupted_remedy")


def _kept(this: Check) -> Iterator[Text]:
    """Save the parts that have now passed; what there is to say about it."""
    try:
        for path in workspace.keep(this):
            yield text("part_kept", file=f"{path.parent.name}/{path.name}")
    except (AutograderError, OSError) as error:
        yield text("part_not_kept", error=error.what if isinstance(error, AutograderError) else str(error))


def _near(this: Check, part: str, before: dict[str, int]) -> bool:
    """Whether the check ran on another part. One of the same lesson may be called by its name, and that is not counted."""
    return parts.calls(part) > before[part] or workspace.every_part()[part] == this.lesson


def _others_in_the_way(this: Check, seed: int, now: blame.Grade, used: list[str]) -> tuple[list[Text], bool]:
    """What to say where other parts of the learner's spoil this check, and whether they alone do."""
    culprits, (passes, _) = blame.in_the_way(used, now, lambda: _again(this, seed))
    names = ", ".join(each.rpartition(".")[2] for each in culprits)
    here = [each for each in culprits if each not in workspace.carried()]
    if not culprits:
        return [], False
    if not here:
        return [text("earlier_part", parts=names)] if passes else [], passes
    tests = ", ".join(f'check("{each}")' for part in here for each in sorted(workspace.deciding(part)))
    return [text("mend_first" if passes else "mend_first_too", parts=names, checks=tests)], passes


def _only_some(this: Check, seed: int, now: blame.Grade) -> Text | None:
    """Which of the check's own parts are wrong, if the others are not."""
    culprits, (passes, _) = blame.in_the_way(this.parts, now, lambda: _again(this, seed))
    if not passes or len(culprits) == len(this.parts):
        return None
    return text("only_these", parts=", ".join(each.rpartition(".")[2] for each in culprits))


def _attempt(this: Check, seed: int) -> Outcome | None:
    """Another run of the check; None if it has no end."""
    try:
        return _run(this, seed, _Capped(), AGAIN)
    except TimeLimit:
        return None


def _is_written(this: Check, seed: int) -> bool:
    outcome = _attempt(this, seed)
    return outcome is not None and not compare.unwritten(outcome)


def _again(this: Check, seed: int) -> blame.Grade:
    outcome = _attempt(this, seed)
    return _grade(compare.judge(this, oracle.expected(this.name, seed), outcome)) if outcome else _STOPPED


def _grade(verdict: compare.Verdict) -> blame.Grade:
    return verdict.passed, sum(each.state == "pass" for each in verdict.properties)


def _to_do(this: Check, notes: list[Text]) -> View:
    return View(this.name, "todo", f"0/{this.points}", notes=notes)


def _notes(this: Check, outcome: Outcome, seed: int, printed: bool) -> Iterator[Text]:
    """What a failing run says beyond its properties: parts never used, odd returns, where errors arose."""
    for part in this.parts:
        if not outcome.calls.get(part) and (len(this.parts) == 1 or not outcome.faults):  # else its turn did not come
            yield text("never_called", parts=part)
    yield from returns.notes(this, seed, printed)
    for fault in outcome.faults[:1]:
        if fault["line"]:
            error = f"{fault['class']}: {checks.first_sentence(fault['message'])}"
            yield text("error_at", error=error, line=fault["line"], code=fault["code"])
            yield from glosses.notes(this, fault)


def _misshapen(this: Check, outcome: Outcome, seed: int) -> Iterator[Text]:
    """Whose gradient it was that the engine refused for its shape: the part without which it refuses none."""
    if any(WRONG_SHAPE in fault["message"] for fault in outcome.faults):
        for part in this.parts:
            with parts.plugged_in({part: parts.original(part)}):
                again = checks.attempt(this, importlib.import_module(parts.ENGINE), seed)
            if not any(WRONG_SHAPE in fault["message"] for fault in again.faults):
                yield text("wrong_shape", part=part.rpartition(".")[2])


def _wrong(verdict: compare.Verdict, outcome: Outcome) -> set[str]:
    failed = {each.label for each in verdict.properties if each.state == "fail"}
    return {str(each.value) for each in outcome.values if each.label in failed}


def _footer(this: Check, seed: int) -> list[str]:
    came = last_run.origins(this.parts)
    cells = [f"{' · '.join(text('from_cells').lines())}: {came}"] if came else []
    return [" · ".join([*text("practice").lines(), f"seed {seed}"]), *cells]


class _Capped(io.TextIOBase):
    """Keeps the beginning of what is printed and counts the rest: a part may print a gigabyte."""

    def __init__(self) -> None:
        self.kept, self.written = "", 0

    def writable(self) -> bool:
        return True

    def write(self, words: Any) -> int:
        if len(self.kept) < MOST_PRINTED:
            self.kept += str(words)[: MOST_PRINTED - len(self.kept)]
        self.written += len(words)
        return len(words)

    def shown(self) -> str:
        """The first lines, and how much more there was."""
        lines = "\n".join(self.kept.splitlines()[:MOST_LINES])
        more = self.written - len(lines) - (1 if self.kept.endswith("\n") else 0)
        return lines + (f"\n{text('printed_more', more=more)}" if more > 0 else "")
