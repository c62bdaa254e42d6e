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
import random
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

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
from autograder.by_name import functions
from autograder.checks import Check, Outcome
from autograder.errors import AutograderError, CheckFailed, UnknownName
from autograder.kinds import ARRAYS
from autograder.messages import Text, text
from autograder.mistakes import Mistake
from autograder.mistakes.twofold import Twofold, twofold
from autograder.printed import Printed
from autograder.remarks import remarks
from autograder.runner.limits import TimeLimit, time_limit
from autograder.show import View, show
from autograder.waiting import over, validating, waiting

LONGEST = 20  # seconds that a check may run; the slowest of ours takes one
AGAIN = 5  # and once more, to see whose fault it was that it had no end
EXPLAINED = 10  # seconds for which is looked for what to say; it takes half a second, and runs other checks, too
WRONG_SHAPE = "returned the wrong shape"  # what the engine says where a gradient does not fit
_PROJECT = Path(__file__).resolve().parent.parent
_STOPPED: blame.Grade = (0, -1)  # a run that did not come to its end does worse than any other
_seeds: dict[str, int] = {}  # check -> the inputs it has failed on


def check(name: str = "", seed: int | None = None) -> None:
    """Show how the learner's parts do in check `name`. `seed` repeats one particular draw of the inputs."""
    if not isinstance(name, str) or name not in checks.REGISTRY:
        kind, those = "check_which" if name == "" else text("kind_check"), checks.of_part(name)
        known, here = ([], those) if those else (list(checks.REGISTRY), [each.name for each in _checks_here()])
        raise UnknownName(kind, getattr(name, "__name__", name), known, here)
    if not isinstance(seed, int | None):
        raise AutograderError(text("one_check_each"))
    this = checks.get(name)
    workspace.note_first_check(this.lesson)
    view = look(this, seed or _seeds.get(name) or random.SystemRandom().randrange(1000, 10000))
    if before := last_run.notes(this.parts):
        view.notes[:0] = [*before, *([view.hint] if view.hint else [])]  # first which function it is, then its hint
        view.hint, view.state = None, "todo" if view.state == "pass" else view.state  # not what is there now
    show(view)
    if view.state != "pass" and validating():
        raise CheckFailed(view.text())


def hint(part: Any = "") -> None:
    """Show the next of the three hints for `part`; after the last, what else there is to do."""
    here = dict.fromkeys([each.rpartition(".")[2] for this in _checks_here() for each in this.parts])
    name, stage, words = hints.next_hint(part, here)
    notes = [words] if hints.left(name) >= 0 else [words, _no_hint_left(name)]
    show(View(name.rpartition(".")[2], "todo", f"{stage}/{hints.EACH}", notes=notes))


def submit(student: str = "", to: str = "") -> None:
    """Hand in the lesson whose notebook lies here; without an id, say how to, and what was handed in last.

    A process of its own does it: the parts that are plugged in here are not those of the file.
    """
    here, name = _notebooks_here(), f"{Path.cwd().name}.ipynb"
    if student and len(here) != 1:
        name = name if checks.for_lesson(Path.cwd().name) else "01_tensor.ipynb, …"
        raise AutograderError(text("submit_where", name=name), where=str(Path.cwd()))
    if student and not validating():
        command = [sys.executable, "-m", "autograder", "submit", str(here[0]), "--id", student]
        command += ["--to", str(Path(to).expanduser().resolve())] if to else []
        done = subprocess.run(command, capture_output=True, text=True, cwd=_PROJECT)
        over()  # on a terminal, the line has to go before anything takes its place
        otherwise = handed_in.otherwise_here(here[0]) if done.stdout else ()  # on which a receipt is, sent or not
        return print("\n".join([*otherwise, (done.stdout + done.stderr).rstrip()]))
    last = handed_in.latest(handed_in.home_of(here[0])) if len(here) == 1 else None
    said = [*text("submit_last").lines(), *last.lines()] if last else []
    print("\n".join([*text("submit_how").lines(), *said]))


def _notebooks_here() -> list[Path]:
    """The lessons' notebooks in this folder: nearly always one, the learner's."""
    names = {each.lesson for each in checks.REGISTRY.values()}
    return [path for path in Path.cwd().glob("*.ipynb") if path.stem in names]


def _checks_here() -> list[Check]:
    """The checks of the lesson in hand."""
    return [each for path in _notebooks_here() for each in checks.for_lesson(path.stem)]


def look(this: Check, seed: int) -> View:
    """Run a check and turn what came of it into something to show.

    Where other parts of the learner's spoil it, they are all replaced by the engine's own, as in grading.
    """
    if missing := [part for part in this.parts if part not in parts.plugged()]:
        several = text("several_not_plugged", parts=compare.named(missing))
        return _to_do(this, [several if len(missing) > 1 else text("not_plugged", part=missing[0])])
    others = {part: written for part, written in parts.plugged().items() if part not in this.parts}
    stubs = {part for part, written in others.items() if parts.is_stub(written)}
    for part in stubs:
        parts.reset(part)
    endless = blame.no_end() & others.keys()
    with parts.engines_own(endless):
        run = _run(this, seed, LONGEST)
        stood_in = {part for part in stubs if parts.calls(part)}
        met = run.outcome.met(others.keys() - endless) if run.outcome else list(others.keys() - endless)
        now = _grade(this, run.outcome, seed)
        culprits, _ = blame.in_the_way(met if now[0] < this.points else [], now, lambda: _again(this, seed))
        with parts.engines_own(met if culprits else ()):
            view = _view(this, _run(this, seed, AGAIN) if culprits else run, seed)
    stood_in |= blame.used(this, run.outcome, endless)
    if not run.outcome:
        blame.no_end(culprits)
    circle = blame.in_a_circle(this, run.outcome, culprits)
    view.notes += blame.stood_in(stood_in.union(culprits) - circle)
    if circle:
        view.notes.append(text("in_a_circle", parts=", ".join(sorted(part.rpartition(".")[2] for part in circle))))
    return view


def _view(this: Check, run: _Run, seed: int) -> View:
    """One run of a check, shown, and what there is to say about the check's own parts."""
    if not run.outcome:
        return _without_end(this, run, seed)
    if compare.unwritten(run.outcome):
        return _unwritten(this, run.outcome, seed)
    verdict = compare.judge(this, oracle.expected(this.name, seed), run.outcome)
    view = View(this.name, "pass" if verdict.passed else "fail", f"{verdict.score}/{verdict.points}")
    view.properties, view.footer, view.printed = verdict.properties, _footer(this, seed), run.printed.shown()
    lacking = reach.notes(this)
    if verdict.passed and lacking:
        view.state = "todo"
    elif verdict.passed:
        _seeds.pop(this.name, None)
        view.notes = list(_kept(this))
    elif empty := [part for part in this.parts if parts.is_empty(parts.plugged()[part])]:
        _seeds[this.name] = seed
        names = ", ".join(part.rpartition(".")[2] for part in empty)
        view.notes = [text("nothing_in_it", parts=names), *_more_help(empty)]
    else:
        _seeds[this.name] = seed
        _explain_in_time(view, this, run.outcome, verdict, seed, run.printed)
    view.notes[:0] = lacking
    return view


def _without_end(this: Check, run: _Run, seed: int) -> View:
    """What to say of a run that was stopped."""
    assert run.stopped
    _seeds[this.name] = seed
    what, only = text("took_too_long", seconds=LONGEST), _only_some(this, seed, _STOPPED)
    notes = [glosses.at(this, checks.fault(run.stopped), what) or what, *([only] if only else [])]
    view = View(this.name, "fail", f"0/{this.points}", notes=notes, hint=text("hint", hint=text("never_ends")))
    view.footer, view.printed = _footer(this, seed), run.printed.shown()
    return view


def _unwritten(this: Check, outcome: Outcome, seed: int) -> View:
    """What to say where some of the check's own parts are not written."""
    stubs = _stubs(this)
    notes = [compare.none_written(stubs)] if stubs else [*filter(None, [glosses.error_at(this, outcome)])]
    view = _to_do(this, [*notes, *(parts.write_it(part) for part in stubs[:1])])
    if set(this.parts) - set(outcome.unwritten):  # what the others have earned
        verdict = compare.judge(this, oracle.expected(this.name, seed), outcome)
        view.score = f"{verdict.score}/{verdict.points}"
        view.properties = verdict.properties if verdict.score else []
    return view


def _stubs(this: Check) -> list[str]:
    """The check's own parts that are not written yet."""
    return [part for part in this.parts if parts.unwritten(part) or parts.is_stub(parts.plugged()[part])]


def _explain_in_time(
    view: View, this: Check, outcome: Outcome, verdict: compare.Verdict, seed: int, printed: Printed
) -> None:
    """`_explain`, which runs the lesson's other checks as well: the check's own parts may have no end in one of these."""
    try:
        with waiting("still_running", limit=EXPLAINED), time_limit(EXPLAINED):
            _explain(view, this, outcome, verdict, seed, printed)
    except TimeLimit:
        others = [each.name for each in checks.for_lesson(this.lesson) if set(each.parts).intersection(this.parts)]
        told = ", ".join(f'check("{name}")' for name in others if name != this.name)
        view.notes.append(text("no_end_elsewhere", seconds=EXPLAINED, checks=told))
    except KeyboardInterrupt as stopped:
        raise _ended(stopped, text("interrupted"), text("interrupted_remedy")) from None


def _explain(view: View, this: Check, outcome: Outcome, verdict: compare.Verdict, seed: int, printed: Printed) -> None:
    """Say what the check's own parts do wrong, as far as that can be told."""
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        right = {str(each.value) for each in outcome.values} - _wrong(verdict, outcome)
        outcome.faults = [each for each in outcome.faults if each.get("caught") not in right]
        odd = list(returns.notes(this, seed, bool(printed.kept)))
        view.notes += _notes(this, outcome, odd)
        found = mistakes.recognise_each(this, outcome, seed)
        if not found:  # beside a hint these would lead astray
            expected = oracle.expected(this.name, seed)
            said = [*(() if odd else _misshapen(this, outcome, seed)), *remarks(this, expected, outcome)]
            two = None if said else twofold(this, expected, outcome, seed)
            view.notes += () if two or odd else glosses.without_a_hint(this, outcome.faults)
            habits = () if two or said else returns.habits(this, outcome, seed)
            view.notes += said or [*habits] or (() if two else returns.unused(this, outcome))
            view.notes += () if two else one_call.notes(this, seed)
            view.hint = _two_hints(two) if two else None
    view.notes += [text("same_for_all")] if verdict.only_known else []
    if found:
        view.hint = _each_below([_hint(this, each) for each in found])
    elif len(this.parts) > 1:
        only = _only_some(this, seed, verdict.grade)
        view.notes += [only] if only else []
    bare = {text("same_for_all"), glosses.error_at(this, outcome)}  # what is wrong, and not what to do about it
    if not view.hint and bare.issuperset(view.notes) and len(this.parts) <= returns.FEW:
        view.notes += _more_help(this.parts)


def _more_help(names: Sequence[str]) -> list[Text]:
    """Where there is more help with these parts."""
    more = [f'hint("{part.rpartition(".")[2]}")' for part in names if hints.left(part) > 0]
    return [text("stuck", hints=", ".join(more))] if more else list(map(_no_hint_left, names))


def _no_hint_left(part: str) -> Text:
    tests = [f'check("{each}")' for each in checks.REGISTRY if each in workspace.deciding(part)]
    return text("no_hint_left", part=part.rpartition(".")[2], checks=Text("、".join(tests), ", ".join(tests)))


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


class _Run(NamedTuple):
    """One run of a check; no outcome where it was stopped."""

    outcome: Outcome | None
    printed: Printed
    stopped: TimeLimit | None = None


def _run(this: Check, seed: int, longest: float) -> _Run:
    engine, printed = importlib.import_module(parts.ENGINE), Printed()
    for part in this.parts:
        parts.reset(part)
    try:
        with (
            waiting("still_running", limit=longest),
            time_limit(longest),
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
            warnings.catch_warnings(),
        ):
            warnings.filterwarnings("ignore", module=r"autograder\.")  # of the check's own lines, not the learner's
            return _Run(checks.attempt(this, engine, seed), printed)
    except TimeLimit as stopped:
        return _Run(None, printed, stopped)
    except KeyboardInterrupt as stopped:
        raise _ended(stopped, text("interrupted"), text("interrupted_remedy")) from None


def _ended(stopped: BaseException, what: Text, remedy: Text) -> AutograderError:
    line = checks.fault(stopped)
    where = text("at_line", line=line["line"], code=line["code"]) if line["line"] else None
    return AutograderError(what, where=where, remedy=remedy)


def _kept(this: Check) -> Iterator[Text]:
    """Save the parts that have now passed; what there is to say about it."""
    try:
        for path in workspace.keep(this):
            last = this.lesson == max(each.lesson for each in checks.REGISTRY.values())  # no lesson comes later
            yield text("part_kept_last" if last else "part_kept", file=f"{path.parent.name}/{path.name}")
    except (AutograderError, OSError) as error:
        yield text("part_not_kept", error=error.what if isinstance(error, AutograderError) else str(error))


def _only_some(this: Check, seed: int, now: blame.Grade) -> Text | None:
    """Which of the check's own parts are wrong, if the others are not; those that are not written are no mistakes."""
    if stubs := _stubs(this):
        return compare.none_written(stubs)
    culprits, best = blame.in_the_way(this.parts, now, lambda: _again(this, seed))
    if best[0] < this.points or len(culprits) == len(this.parts):
        return None
    return text("only_these", parts=", ".join(each.rpartition(".")[2] for each in culprits))


def _again(this: Check, seed: int) -> blame.Grade:
    """How well another run does; what the first has noted of the check's own parts stays."""
    with parts.plugged_in({part: parts.plugged()[part] for part in this.parts}):
        return _grade(this, _run(this, seed, AGAIN).outcome, seed)


def _grade(this: Check, outcome: Outcome | None, seed: int) -> blame.Grade:
    if not outcome or (compare.unwritten(outcome) and not outcome.unwritten):
        return _STOPPED  # by a part of another check, in the second case
    return compare.judge(this, oracle.expected(this.name, seed), outcome).grade


def _to_do(this: Check, notes: list[Text]) -> View:
    return View(this.name, "todo", f"0/{this.points}", notes=notes)


def _notes(this: Check, outcome: Outcome, odd: list[Text]) -> Iterator[Text]:
    """What a failing run says beyond its properties: parts never used, odd returns, where errors arose."""
    for part in this.parts:
        if not outcome.calls.get(part) and (
            len(this.parts) == 1 or (not outcome.faults and _another_calls(this, part))
        ):
            yield text("never_called", parts=part.rpartition(".")[2])
    yield from odd
    if error := glosses.error_at(this, outcome):
        yield error
        yield from glosses.notes(this, outcome.faults[0])


def _another_calls(this: Check, part: str) -> bool:
    """Whether another part of the check should have called it: else its turn may not have come, and no one is to blame."""
    others = [function for each in this.parts if each != part for function in functions(parts.original(each))]
    return any(part.rpartition(".")[2] in code.co_names for each in others for code in reach.codes(each.__code__))


def _misshapen(this: Check, outcome: Outcome, seed: int) -> Iterator[Text]:
    """Whose gradient it was that the engine refused for its shape: the part without which it refuses none."""
    if any(WRONG_SHAPE in fault["message"] for fault in outcome.faults):
        for part in this.parts:
            with parts.plugged_in({part: parts.original(part)}):
                again = checks.attempt(this, importlib.import_module(parts.ENGINE), seed)
                gives = parts.returned(part).kinds
            if gives & ARRAYS and not any(WRONG_SHAPE in fault["message"] for fault in again.faults):
                yield text("wrong_shape", part=part.rpartition(".")[2])


def _wrong(verdict: compare.Verdict, outcome: Outcome) -> set[str]:
    failed = {each.label for each in verdict.properties if each.state == "fail"}
    return {str(each.value) for each in outcome.values if each.label in failed}


def _footer(this: Check, seed: int) -> list[str]:
    came = last_run.origins(this.parts)
    cells = [f"{' · '.join(text('from_cells').lines())}: {came}"] if came else []
    return [" · ".join([*text("practice").lines(), f"seed {seed}"]), *cells]
