"""What grading again would change, before anything is written: `autograder regrade LESSON --dry-run`.

Every submission goes the way of a real run, in a ledger that is only read and with a writer that writes nothing.
A change is a check whose score differs from the one that counts now, and why: other bytes were handed in, or the
grader (the checks, the engine, the course's secret, NumPy, torch) is another one; what the new record says, and which
of the check's properties pass or fail otherwise than before.

A real run is grade.py's: it leaves manual grades and comments as they are, and the old records in the ledger.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from rich.table import Table

from autograder import pages
from autograder.course import Course
from autograder.grade import Progress, Result, Run, grade
from autograder.gradebook import Item, Writer
from autograder.ledger import Key, Ledger
from autograder.messages import Text, followed_by
from autograder.records import Entry, Record

MOST_NAMED = 4  # properties of one check that change alike


@dataclass(frozen=True)
class Change:
    """One check of one student whose score would change. `manual`: points given by a person remain, whatever this gives.

    `properties` are those whose state would change: the label, the state now and then; None where there is none.
    """

    student: str
    check: str
    before: float | None
    after: float | None
    points: float
    why: Text
    manual: float | None
    properties: tuple[tuple[str, str | None, str | None], ...] = ()


LATE = "迟交扣分 · late penalty"  # in a check's place: what the course's rule takes off, by today's scores


class Reading(Ledger):
    """A ledger that is read and never written; tries are counted in memory."""

    def __init__(self, ledger: Ledger):
        super().__init__(ledger.path)
        self._tries: Counter[Key] = Counter()

    def begin(self, work: Iterable[tuple[Key, str]]) -> None:
        """Count, and write nothing."""
        self._tries.update(key for key, _ in work)

    def tries(self, key: Key) -> int:
        """How often this dry run has begun the grading."""
        return self._tries[key]

    def _write(self, words: str, rows: list[tuple[Any, ...]]) -> None:
        pass


class _Nothing(Writer):
    def write(self, items: list[Item]) -> dict[str, Any]:
        """Write nothing, and say that all went well."""
        return {}


class _DryRun(Run):
    """A run whose results stay in memory."""

    def prepare(self) -> None:
        """Read from the course, write to nowhere."""
        self.ledger, self.writer = Reading(self.course.ledger), _Nothing(self.course, self.lesson)
        self.found: dict[str, Entry | None] = {}

    def all(self, hands: Any) -> list[Result]:
        """The whole run, and then close the file that it read."""
        try:
            return super().all(hands)
        finally:
            self.ledger.close()

    def _finish(
        self, student: str, key: Any, status: str, problem: Any, began: float = 0.0, entry: Any = None, **more: Any
    ) -> None:
        self.found[student] = entry
        super()._finish(student, key, status, problem, began, entry, **more)


def changes(
    course: Course,
    lesson: str,
    students: Iterable[str] | None = None,
    *,
    unsafe: bool = False,
    progress: Progress | None = None,
    **how: Any,
) -> list[Change]:
    """Every score that grading the lesson again would change, by student. Nothing is written anywhere."""
    runs: list[_DryRun] = []

    def dry(*each: Any) -> _DryRun:
        runs.append(_DryRun(*each))
        return runs[0]

    grade(lesson, students, unsafe=unsafe, course=course, progress=progress, run=dry, **how)
    (run,) = runs
    found: list[Change] = []
    for student, now in sorted(run.found.items()):
        before = course.ledger.latest(lesson, student)
        cells = run.given[student].cells if student in run.given else {}
        for grade_id, record in (now.records if now else {}).items():
            mark = cells.get(grade_id)
            was = mark.auto if mark else None
            if was != record["score"] or mark is None:
                why, manual = _why(before, now, record), mark.manual if mark else None
                scores = (was, record["score"], record["points"])
                moved = _moved(before.records.get(grade_id) if before else None, record)
                found.append(Change(student, record["check"], *scores, why, manual, moved))
    rule = Text("按课程的迟交规则", "by the course's rule for late work")
    late = [Change(who, LATE, -now, -then, 0.0, rule, None) for who, (now, then) in run.penalties.items()]
    return found + [each for each in late if each.student in run.found]


def _moved(before: Record | None, now: Record) -> tuple[tuple[str, str | None, str | None], ...]:
    """The properties whose state differs; none where there is nothing to compare with."""
    old, new = ({each["label"]: each["state"] for each in record["properties"]} for record in (before or now, now))
    labels = dict.fromkeys([*new, *old]) if old else ()
    return tuple((label, old.get(label), new.get(label)) for label in labels if old.get(label) != new.get(label))


def _why(before: Entry | None, now: Entry | None, record: Record) -> Text:
    assert now
    if before is None:
        cause = Text("还没有评过", "not graded before")
    elif before.submission != now.submission:
        cause = Text("交了新的版本", "another version was handed in")
    elif before.grader != now.grader:
        cause = Text(
            f"评分器变了（{before.grader} → {now.grader}）", f"the grader has changed ({before.grader} → {now.grader})"
        )
    else:
        cause = Text("成绩册里的分数不是记录里的", "the gradebook does not show what was recorded")
    said = record["reason"] if pages.lost(record) else None
    return followed_by(cause, Text(**said)) if said else cause


def table(found: list[Change]) -> Table:
    """The changes, for a terminal."""
    drawn = Table(
        title="会改变的分数（还什么都没有写）· Scores that would change (nothing is written)", title_justify="left"
    )
    for name in ("学生 · Student", "检查 · Check", "现在 · Now", "重评 · Then", "为什么 · Why"):
        drawn.add_column(name, overflow="fold")
    for (student, why), same in groupby(found, key=lambda each: (each.student, each.why)):
        changed = list(same)
        kept = [
            f"{each.check}：人工给的 {each.manual:g} 分不变 · the {each.manual:g} given by hand stay"
            for each in changed
            if each.manual is not None
        ]
        now, then = ([_points(s, c.points) for s, c in _scores(changed, side)] for side in ("before", "after"))
        moved = [line for each in changed for line in _moves(each)]
        columns = [[each.check for each in changed], now, then, [*why.lines(), *moved, *kept]]
        drawn.add_row(student, *("\n".join(column) for column in columns))
    return drawn


def _moves(change: Change) -> Iterator[str]:
    """`check ✗ → ✓: the properties`; – for one that is skipped or not reached, ∅ for one that there is not."""
    labels: dict[tuple[str | None, str | None], list[str]] = {}
    for label, now, then in change.properties:
        labels.setdefault((now, then), []).append(pages.plain(pages.label_of(label)))
    for states, named in labels.items():
        before, after = (pages.MARKS.get(each or "", "∅") for each in states)
        more = f"; … +{len(named) - MOST_NAMED}" if len(named) > MOST_NAMED else ""
        yield f"{change.check} {before} → {after}: {'; '.join(named[:MOST_NAMED])}{more}"


def _scores(changed: list[Change], side: str) -> Iterator[tuple[float | None, Change]]:
    return ((getattr(each, side), each) for each in changed)


def _points(score: float | None, of: float) -> str:
    earned = "?" if score is None else f"{score + 0:g}"
    return f"{earned}/{of:g}" if of else earned
