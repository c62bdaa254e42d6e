"""One check of one student, run again exactly as it was graded, with both sides shown.

`autograder replay STUDENT LESSON CHECK` takes the submitted bytes and the check's seed (which follows from the course's
secret, student, lesson, check and those bytes), runs the learner's code in a sandbox and the same program on torch, and
puts the two answers side by side. It writes nothing: no score, no record.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rich.table import Table
from rich.text import Text as Line

from autograder import checks, compare, oracle, pages
from autograder.checks import Property
from autograder.course import Course, secret_of
from autograder.editions import learners_edition
from autograder.errors import AutograderError, UnknownName
from autograder.grade import released_lesson, require_sandbox
from autograder.messages import Text, text
from autograder.nbgrader_plugin import transplanted
from autograder.records import Record, submission_hash
from autograder.submitted import handed_in, require
from autograder.work import job_of, referee

MOST = 400  # characters shown of one value


@dataclass(frozen=True)
class Replay:
    """What came of running a check again: the record of this run, the one that counts, and both sides by label."""

    record: Record
    graded: Record | None
    torch: list[Property]
    learner: dict[str, Any]
    notes: list[Text] = field(default_factory=list)

    @property
    def same(self) -> bool:
        """Whether this run came to what was graded."""
        told = ("score", "status", "properties", "reason")
        return self.graded is not None and all(self.record[key] == self.graded.get(key) for key in told)


def replay(course: Course, student: str, lesson: str, check: str, *, unsafe: bool = False) -> Replay:
    """Run one check again. UnknownName for a student, lesson or check that there is not, AutograderError for a student who
    has handed in nothing."""
    released = released_lesson(course, lesson)
    require(course, lesson, student)
    if check not in released.checks.values():
        raise UnknownName(text("kind_check"), check, released.checks.values())
    require_sandbox(unsafe)
    path = course.path("submitted", student, lesson) / f"{lesson}.ipynb"
    data, refused = handed_in(course, student, lesson)
    if data is None or refused:
        what = Text(refused["zh"], refused["en"]) if refused else text("an_empty_folder")
        raise AutograderError(what, str(path), text("replay_no_file_remedy", lesson=lesson))
    notebook = transplanted(released.notebook, data)
    if problem := notebook.metadata.autograder["problem"]:
        raise AutograderError(Text(problem["zh"], problem["en"]), where=str(path))
    job = job_of(released, notebook, student, secret_of(course.root), unsafe=unsafe)
    entry = course.ledger.latest(lesson, student)
    graded = next((r for r in entry.records.values() if r["check"] == check), None) if entry else None
    alone = bool((graded or {}).get("stood_in"))
    edition = learners_edition(checks.get(check).parts if alone else job["parts"])
    record, heard = referee(unsafe).hear_one(lesson, student, job["cells"], check, job["seeds"][check], edition, alone)
    notes = [text("replay_changed")] if entry and entry.submission != submission_hash(data) else []
    expected = oracle.expected(check, job["seeds"][check])
    values = {each.label: each.value for each in heard.values} if heard else {}
    return Replay(record, graded, expected, values, notes)


# ── how it looks ─────────────────────────────────────────────────────────────────────────────────


def table(found: Replay) -> Table:
    """Both sides, property by property."""
    states = {each["label"]: each["state"] for each in found.record["properties"]}
    drawn = Table(title=_title(found), title_justify="left", show_lines=True)
    for name in ("", "性质 · Property", "torch", "学生 · Student"):
        drawn.add_column(name, overflow="fold")
    for label, value, *_ in found.torch:
        state = states.get(label, "skip")
        got = found.learner.get(label, _NOTHING)
        drawn.add_row(
            pages.MARKS[state], Line(pages.plain(pages.label_of(label))), Line(_shown(value)), Line(_shown(got))
        )
    return drawn


_NOTHING = object()


def _title(found: Replay) -> Line:
    record = found.record
    score = "?" if record["score"] is None else f"{record['score']}/{record['points']}"
    lines = [f"{record['check']} · {score} · seed {record['seed']}", *pages.both(record["reason"])]
    same = text("replay_same") if found.same else text("replay_differs") if found.graded else text("replay_new")
    return Line("\n".join([*lines, *same.lines(), *(line for note in found.notes for line in note.lines())]))


def _shown(value: Any) -> str:
    if value is _NOTHING:
        return "–"
    words = _words(value)
    return words if len(words) <= MOST else words[:MOST] + " …"


def _words(value: Any) -> str:
    """A value with all its numbers, once: an array by its dtype and shape, a list that holds more than names line by line."""
    if isinstance(value, dict) and "data" in value:
        numbers = ", ".join(f"{n:.6g}" if isinstance(n, float) else str(n) for n in value["data"])
        return f"{value['dtype']} {tuple(value['shape'])}: {numbers}"
    if isinstance(value, list) and any(isinstance(each, dict | list) for each in value):
        return "\n".join(_words(each) if isinstance(each, dict) else _in_short(each) for each in value)
    return _in_short(value)


def _in_short(value: Any) -> str:
    said = compare.describe(value)
    return " · ".join(said.lines()) if isinstance(said, Text) else said
