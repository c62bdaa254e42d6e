"""Writes graded submissions as `nbgrader autograde` does, many at a time: notebooks, grades, comments, penalties.

nbgrader's converter opens the gradebook a dozen times for one submission and commits after most of its steps. Here a
batch is one transaction. The rows and files are the same (tests compare them); the rules for a score and a comment
are nbgrader_plugin.py's, whichever way they are written. Where a course's configuration has other steps than ours,
nbgrader itself writes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder import nbgrader_plugin as ours
from autograder.course import NOTES, Course
from autograder.errors import AutograderError
from autograder.files import put
from autograder.lessons import Lesson
from autograder.messages import Text
from autograder.records import Entry
from autograder.sources import stamp

READ_ONLY = 0o444  # as nbgrader leaves its files
_STEPS = {
    "sanitize_preprocessors": "Transplant ClearOutput DeduplicateIds OverwriteKernelspec OverwriteCells CheckCellMetadata",
    "autograde_preprocessors": "RefereeExecute IgnorePattern ClearMetadataPreprocessor LimitOutput SaveScores "
    "AssignLatePenalties CheckCellMetadata",
}


@dataclass(frozen=True)
class Item:
    """One graded submission to be written: `notebook` has the answers in it. `file` is False where none came in:
    then it is as released, and its feedback page says why."""

    student: str
    entry: Entry
    notebook: NotebookNode
    file: bool = True


class Writer:
    """The one writer of a lesson's gradebook rows and autograded folders."""

    def __init__(self, course: Course, lesson: Lesson):
        self.course, self.lesson = course, lesson
        self.no_response = str(ours.SaveScores(config=course.config).no_response)

    def write(self, items: list[Item]) -> dict[str, AutograderError]:
        """Write a batch, the files first; give, by student, why an item's files could not be written.

        AutograderError for the whole batch if the disk is full or the gradebook does not take it: then nothing of it
        is in the gradebook.
        """
        if not self._usual_steps():
            return self._by_nbgrader(items)
        failed: dict[str, AutograderError] = {}
        for item in items:
            try:
                self._write_files(item)
            except OSError as error:
                failed[item.student] = _not_written(error)
        self._write_rows([item for item in items if item.student not in failed])
        return failed

    def _usual_steps(self) -> bool:
        """Whether this course's configuration asks for just the steps that are taken here."""
        given = self.course.config.Autograde
        return all([step.__name__ for step in given[name]] == words.split() for name, words in _STEPS.items())

    def _by_nbgrader(self, items: list[Item]) -> dict[str, AutograderError]:
        failed: dict[str, AutograderError] = {}
        for item in items:
            try:
                if item.file:
                    self.course.nbgrader("autograde", self.lesson.name, item.student)
                else:
                    self._write_files(item)
                    self._write_rows([item])
            except (AutograderError, OSError) as error:
                failed[item.student] = error if isinstance(error, AutograderError) else _not_written(error)
        return failed

    # ── files ────────────────────────────────────────────────────────────────────────────────────

    def _write_files(self, item: Item) -> None:
        """The graded notebook and what nbgrader's exchange needs to give feedback back; nothing else is taken along."""
        folder = self.course.path("autograded", item.student, self.lesson.name)
        folder.mkdir(parents=True, exist_ok=True)
        ours.show(item.notebook, item.entry)
        put(folder / f"{self.lesson.name}.ipynb", nbformat.v4.writes(item.notebook).encode() + b"\n", READ_ONLY)
        submitted = self.course.path("submitted", item.student, self.lesson.name)
        for note in (submitted / name for name in NOTES):
            if note.is_file() and not note.is_symlink():
                put(folder / note.name, note.read_bytes(), READ_ONLY)
        ours.only_ours(folder, self.lesson.name)

    # ── rows ─────────────────────────────────────────────────────────────────────────────────────

    def _write_rows(self, items: list[Item]) -> None:
        if not items:
            return
        with self.course.gradebook() as gradebook:
            rows = _Rows(gradebook, self.lesson.name)
            for item, time in [(item, self._time(item.student)) for item in items]:
                rows.add(item, time, self.no_response)
            rows.save()
            late = rows.late([item.student for item in items])
        for student in late:
            self._penalise(student)

    def _time(self, student: str) -> Any:
        said = stamp(self.course.path("submitted", student, self.lesson.name))
        return said and said.replace(tzinfo=None)  # nbgrader's times are all in UTC and do not say so

    def penalties_to_change(self) -> dict[str, tuple[float, float]]:
        """The students whose penalty for being late is not what the course's rule gives now, with both: the due date has
        moved, an extension was granted, a person has given points.
        """
        from nbgrader.api import SubmittedAssignment, SubmittedNotebook
        from nbgrader.preprocessors import AssignLatePenalties

        rule = AssignLatePenalties(config=self.course.config)
        rule.init_plugin()
        found = {}
        with self.course.gradebook() as gradebook:
            assignment = gradebook.find_assignment(self.lesson.name)
            concerned = SubmittedNotebook.late_submission_penalty.isnot(None)
            if due := assignment.duedate:
                concerned |= SubmittedAssignment.timestamp > due
            books = (
                gradebook.db.query(SubmittedNotebook)
                .join(SubmittedAssignment)
                .filter(SubmittedAssignment.assignment_id == assignment.id, concerned)
            )
            for book in books:
                student, seconds = book.assignment.student_id, book.assignment.total_seconds_late if due else 0
                penalty = seconds and rule.plugin_inst.late_submission_penalty(student, book.score, seconds)
                now, then = book.late_submission_penalty or 0, rule._check_late_penalty(book, penalty) if penalty else 0
                if then != now:
                    found[student] = (now, then)
        return found

    def _penalise(self, student: str) -> None:
        """Let the course's own rule for late submissions decide, as nbgrader does."""
        from nbgrader.preprocessors import AssignLatePenalties

        name = self.lesson.name
        where = {"notebook": name, "assignment": name, "student": student, "db_url": self.course.db}
        step = AssignLatePenalties(config=self.course.config)
        step.preprocess(nbformat.v4.new_notebook(), {"nbgrader": where})


class _Rows:
    """A batch of rows of nbgrader's tables, loaded together and saved together."""

    def __init__(self, gradebook: Any, lesson: str):
        from nbgrader import api

        self.api, self.db, self.course_id = api, gradebook.db, gradebook.course_id
        self.assignment = gradebook.find_assignment(lesson)
        self.notebook = gradebook.find_notebook(lesson, lesson)
        grades, solutions = self.notebook.grade_cells, self.notebook.solution_cells
        self.cells = {"grade": {c.name: c.id for c in grades}, "comment": {c.name: c.id for c in solutions}}
        self.values: list[tuple[Item, Any, str]] = []

    def add(self, item: Item, time: Any, no_response: str) -> None:
        self.values.append((item, time, no_response))

    def save(self) -> None:
        """Add what is missing, change what is there, in one transaction."""
        from sqlalchemy import update

        students = [item.student for item, _, _ in self.values]
        self._students(students)
        times = {item.student: time for item, time, _ in self.values}
        books = self._books(students, times)
        marks = self._existing(self.api.Grade, books.values())
        notes = self._existing(self.api.Comment, books.values())
        grades: list[dict[str, Any]] = []
        comments: list[dict[str, Any]] = []
        for item, _, no_response in self.values:
            book = books[item.student]
            cells = {c.metadata.nbgrader.grade_id: c for c in item.notebook.cells if "nbgrader" in c.metadata}
            for name, cell_id in self.cells["grade"].items():
                id, manual = marks[book, cell_id]
                score = ours.auto_score(cells[name], item.entry)
                grades.append(
                    {"id": id, "auto_score": score, "needs_manual_grade": manual is not None or score is None}
                )
            for name, cell_id in self.cells["comment"].items():
                id, _ = notes[book, cell_id]
                comments.append({"id": id, "auto_comment": ours.auto_comment(cells[name], item.entry, no_response)})
        if grades:
            self.db.execute(update(self.api.Grade), grades)
        if comments:
            self.db.execute(update(self.api.Comment), comments)
        penalty = [{"id": book, "late_submission_penalty": None} for book in books.values()]
        self.db.execute(update(self.api.SubmittedNotebook), penalty)
        self.db.commit()

    def late(self, students: list[str]) -> list[str]:
        """The students, among these, who submitted after the due date and their own extension."""
        if self.assignment.duedate is None:
            return []
        kind = self.api.SubmittedAssignment
        found = self.db.query(kind).filter(kind.assignment_id == self.assignment.id, kind.student_id.in_(students))
        return sorted(each.student_id for each in found if each.total_seconds_late > 0)

    def _students(self, students: list[str]) -> None:
        from sqlalchemy import insert

        kind = self.api.Student
        there = {id for (id,) in self.db.query(kind.id).filter(kind.id.in_(students))}
        missing = [{"id": each, "course_id": self.course_id} for each in students if each not in there]
        if missing:
            self.db.execute(insert(kind), missing)

    def _books(self, students: list[str], times: dict[str, Any]) -> dict[str, str]:
        """The id of each student's submitted notebook; a new submission mirrors the lesson's cells."""
        from sqlalchemy import insert, update

        api, new = self.api, self.api.new_uuid
        kind = api.SubmittedAssignment
        query = self.db.query(kind.student_id, kind.id, api.SubmittedNotebook.id)
        query = query.join(api.SubmittedNotebook, api.SubmittedNotebook.assignment_id == kind.id)
        found = query.filter(kind.assignment_id == self.assignment.id, kind.student_id.in_(students)).all()
        timed = [{"id": id, "timestamp": times[s]} for s, id, _ in found if times[s] is not None]
        if timed:
            self.db.execute(update(kind), timed)
        books = {student: book for student, _, book in found}
        fresh = [(student, new(), new()) for student in students if student not in books]
        if not fresh:
            return books
        own = {"assignment_id": self.assignment.id}
        self.db.execute(insert(kind), [own | {"id": id, "student_id": s, "timestamp": times[s]} for s, id, _ in fresh])
        self.db.execute(
            insert(api.SubmittedNotebook),
            [{"id": book, "assignment_id": id, "notebook_id": self.notebook.id} for _, id, book in fresh],
        )
        for table, ids in ((api.Grade, self.cells["grade"]), (api.Comment, self.cells["comment"])):
            rows = [{"id": new(), "cell_id": c, "notebook_id": book} for _, _, book in fresh for c in ids.values()]
            if rows:
                self.db.execute(insert(table), rows)
        return books | {student: book for student, _, book in fresh}

    def _existing(self, kind: Any, books: Iterable[str]) -> dict[tuple[str, str], tuple[str, Any]]:
        """(notebook, cell) → (id, what a person gave)."""
        own = kind.manual_score if kind is self.api.Grade else kind.manual_comment
        query = self.db.query(kind.notebook_id, kind.cell_id, kind.id, own)
        return {(book, cell): (id, v) for book, cell, id, v in query.filter(kind.notebook_id.in_(list(books)))}


def _not_written(error: OSError) -> AutograderError:
    return AutograderError(
        Text(f"写不了评过的笔记本：{error.strerror}。", f"The graded notebook cannot be written: {error.strerror}."),
        where=str(error.filename or ""),
        remedy=Text("排除原因后再运行同样的命令。", "Fix that and run the same command again."),
    )
