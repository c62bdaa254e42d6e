"""The autograder's errors: one small tree, each said in both languages.

    AutograderError          bad input: what happened, where, and what to do about it
    ├── UnknownName          a check, part or lesson that does not exist ("did you mean …?")
    ├── PartError            a learner's part that cannot be plugged in
    │   └── NotWritten       … or is not written yet (a NotImplementedError, too)
    ├── Unreachable          the cluster that is to grade does not answer
    ├── CheckFailed          a check that did not pass, under nbgrader's Validate button
    └── SandboxFailed        a sandbox that did not start or died: what it ran "could not be graded"
        └── SandboxUnavailable   this machine cannot make one that holds: the cause, and how to put it right

In a notebook they show their sentences instead of a traceback: the reader's mistake is in what they say, not in
the frames of this package. Not here: errors of the engine, which are torch's own (minigrad/errors.py).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from autograder.messages import Text, sentences, text


def _lines(part: Text | str | None) -> list[str]:
    if part is None:
        return []
    return part.lines() if isinstance(part, Text) else [part]


class AutograderError(Exception):
    """Something the reader can put right. `what` happened, `where` (a file, a cell, a name), and the `remedy`."""

    def __init__(self, what: Text | str, where: Text | str | None = None, remedy: Text | str | None = None):
        self.what, self.where, self.remedy = what, where, remedy
        super().__init__(what, where, remedy)

    def __str__(self) -> str:
        lines = _lines(self.what)
        lines += [f"  @ {line}" for line in _lines(self.where)]
        lines += [f"  → {line}" for line in _lines(self.remedy)]
        return "\n".join(lines)

    def on_one_line(self) -> Text:
        """All of the error on one line in each language, to stand within another sentence."""
        parts = [
            each if isinstance(each, Text) else Text(each, each)
            for each in (self.what, self.where, self.remedy)
            if each
        ]
        zh, en = zip(*parts, strict=True)
        return Text(sentences(zh), " ".join(en))

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in a traceback's place."""
        return [str(self)]


class UnknownName(AutograderError):
    """`given` is none of `known`; the nearest ones are offered, or those that are meant `here`, in this lesson. `kind` is
    what it should name, or the key of a sentence."""

    def __init__(self, kind: Text | str, given: object, known: Iterable[str], here: Iterable[str] = ()):
        said = text(kind, given=given) if isinstance(kind, str) else text("unknown_name", kind=kind, given=given)
        super().__init__(said, remedy=_offer(str(given), sorted(known), list(here)))


def _offer(given: str, names: list[str], here: list[str]) -> Text:
    tails = {name.rpartition(".")[2]: name for name in names}
    last = given.rpartition(".")[2]
    found = [name for name in names if last and name.endswith("." + last)]
    found += [name for name in names if given and name.startswith(given)]
    found += difflib.get_close_matches(given, names, n=3, cutoff=0.5)
    found += [tails[near] for near in difflib.get_close_matches(last, tails, n=3, cutoff=0.6)]
    near = list(dict.fromkeys(found))[:3]
    if near:
        return text("did_you_mean", names=" · ".join(near))
    if here:
        return text("names_here", names=" · ".join(here))
    shown = " · ".join(names[:12]) + (" …" if len(names) > 12 else "")
    return text("names_known", names=shown or text("none_yet"))


class PartError(AutograderError):
    """The learner's function or class cannot replace the engine's."""


class NotWritten(PartError, NotImplementedError):
    """A part whose body still is `raise NotImplementedError` has been called."""


class CheckFailed(AutograderError):
    """A check did not pass while nbgrader validated the notebook."""


class Unreachable(AutograderError):
    """Those who are to do the work do not answer. Says nothing about any submission: none has been tried."""


class SandboxFailed(AutograderError):
    """A sandbox did not start, or died. Says nothing about the submission: it is ungradable, not wrong."""


class SandboxUnavailable(SandboxFailed):
    """This machine cannot make a sandbox that holds. Nothing is graded until it can, or `--unsafe` is given."""
