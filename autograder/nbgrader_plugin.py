"""What nbgrader runs in place of its own steps, plugged in through course/nbgrader_config.py only.

    Transplant       the released notebook with the student's answers in it, whatever was submitted
    RefereeExecute   the referee's records instead of a kernel's outputs
    SaveScores       the referee's scores into the gradebook; "could not be graded" is never a silent zero
    ReadAnything     reads a submission's bytes, so that a broken file is a result and not a crash
    FeedbackPage     nbgrader's feedback page with a strict content security policy

So `autograder grade`, `nbgrader autograde` and formgrader's button are one and the same thing. Scores are
made by the referee (referee.py); this module carries them to where nbgrader looks for them.
"""

from __future__ import annotations

import atexit
import functools
import re
import time
import warnings
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import HTMLExporter, NotebookExporter
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor, SaveAutoGrades
from nbgrader.utils import determine_grade, is_grade, is_solution
from traitlets import Bool, Unicode

from autograder import pages, transplant
from autograder.course import records_of, secret_of
from autograder.editions import learners_edition
from autograder.errors import AutograderError
from autograder.lessons import Lesson, describe, kind
from autograder.records import Entry, Record, grader_version, submission_hash

Resources = dict[str, Any]


def _coursedir(step: Any) -> Any:
    """The CourseDirectory of the converter that a preprocessor works for."""
    return step.parent.parent.coursedir


def _released(step: Any, resources: Resources) -> Path:
    directory, lesson = _coursedir(step), resources["nbgrader"]["assignment"]
    folder = directory.format_path(directory.release_directory, ".", lesson)
    return Path(folder) / f"{resources['nbgrader']['notebook']}.ipynb"


class ReadAnything(NotebookExporter):
    """Hands the raw bytes of a submission to Transplant; every other file is read as usual."""

    def from_file(self, file_stream: Any, resources: Any = None, **kw: Any) -> tuple[Any, Any]:
        """Read a notebook, or the bytes of a submission while nbgrader sanitizes."""
        if not any(isinstance(step, Transplant) for step in self._preprocessors):
            return super().from_file(file_stream, resources=resources, **kw)
        resources["autograder_submission"] = file_stream.buffer.read()
        return self.from_notebook_node(nbformat.v4.new_notebook(), resources=resources, **kw)


class Transplant(NbGraderPreprocessor):
    """Start from the released notebook and take only the student's answers (see transplant.py)."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """The released notebook with the answers, what was unusual noted in its metadata."""
        data: bytes = resources["autograder_submission"]
        released = nbformat.read(_released(self, resources), as_version=4)
        about: dict[str, Any] = {"submission": submission_hash(data), "problem": None}
        notes = transplant.Notes()
        try:
            released, notes = transplant.transplant(released, transplant.read(data))
        except AutograderError as error:
            about["problem"] = pages.pair_of(error)
        released.metadata["autograder"] = about | {"notes": notes.as_data()}
        return released, resources


class RefereeExecute(NbGraderPreprocessor):
    """Let the referee grade the answers, and show its records where a kernel's outputs would stand."""

    unsafe = Bool(False, help="Grade without a sandbox. Every record is marked.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Grade (the same bytes under the same grader only once); each check's record becomes its output."""
        root = Path(_coursedir(self).root)
        lesson, student = resources["nbgrader"]["assignment"], resources["nbgrader"]["student"]
        about = nb.metadata.get("autograder", {})
        version = grader_version(_released(self, resources).read_bytes() + secret_of(root))
        book = records_of(root)
        entry = book.latest(lesson, student)
        if not (entry and reusable(entry, about.get("submission", ""), version, unsafe=self.unsafe)):
            entry = self._grade(nb, lesson, student, version, root)
            book.append(entry)
        for cell in nb.cells:
            if kind(cell) == "check" and (record := entry.records.get(cell.metadata.nbgrader.grade_id)):
                note = entry.notes.get("") if pages.lost(record) else None
                cell.outputs = [pages.record_output(record, note)]
        nb.metadata["autograder"] = about | {"grader": version, "records": entry.records}
        resources["autograder_entry"] = entry
        return nb, resources

    def _grade(self, nb: NotebookNode, lesson: str, student: str, version: str, root: Path) -> Entry:
        about, start = nb.metadata.get("autograder", {}), time.monotonic()
        problem = about.get("problem")
        if problem:
            records = unreadable_records(describe(lesson, nb), student, problem)
        else:
            records = grade(describe(lesson, nb), student, root, unsafe=self.unsafe)
        seconds = round(time.monotonic() - start, 3)
        digest, notes = about.get("submission", ""), about.get("notes", {})
        return Entry(lesson, student, digest, version, records, notes, problem, seconds)


def grade(lesson: Lesson, student: str, root: Path, *, unsafe: bool) -> dict[str, Record]:
    """The referee's records of a transplanted notebook, by the grade_id of the check's cell.

    What runs is the released setup cells and the student's solution cells, in order, on the engine
    without this lesson's parts.
    """
    cells = [
        {"id": cell.id, "source": cell.source} for cell in lesson.notebook.cells if kind(cell) in ("setup", "solution")
    ]
    edition = learners_edition(lesson.parts)
    wanted = list(lesson.checks.values())
    with warnings.catch_warnings():  # what torch and known mistakes warn of while they run is nobody's concern
        warnings.simplefilter("ignore")
        records = referee(root, unsafe).grade(lesson.name, student, cells, wanted, edition)
    by_check = {record["check"]: record for record in records}
    return {grade_id: by_check[check] for grade_id, check in lesson.checks.items()}


@functools.cache
def referee(root: Path, unsafe: bool) -> Any:
    """The referee of a course in this process; its sandbox waits for the next submission."""
    from autograder.referee import Referee
    from autograder.sandbox import Sandbox, Unsafe

    made = Referee(secret_of(root), Unsafe if unsafe else Sandbox)
    atexit.register(made.close)
    return made


def reusable(entry: Entry, submission: str, version: str, *, unsafe: bool) -> bool:
    """Whether an earlier grading still stands.

    Same bytes, same grader, as sandboxed as wanted, and no sandbox that failed.
    """
    sandboxed = all(record.get("sandboxed", True) for record in entry.records.values())
    same = (entry.submission, entry.grader) == (submission, version)
    return same and (sandboxed or unsafe) and (entry.problem is not None or not entry.ungradable)


def unreadable_records(lesson: Lesson, student: str, problem: pages.Pair) -> dict[str, Record]:
    """The records of a submission that nobody can grade: no score, and the reason."""
    return {
        grade_id: {
            "check": check,
            "lesson": lesson.name,
            "student": student,
            "score": None,
            "points": lesson.points[grade_id],
            "status": "ungradable",
            "properties": [],
            "reason": problem,
            "hint": None,
            "seed": None,
            "versions": {},
            "sandboxed": True,
        }
        for grade_id, check in lesson.checks.items()
    }


class SaveScores(SaveAutoGrades):
    """Write the referee's scores into the gradebook. What was not graded asks for a person."""

    no_response = Unicode("没有作答 · No response").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Save all scores and comments of a notebook in one transaction."""
        where = resources["nbgrader"]
        self._entry: Entry | None = resources.get("autograder_entry")
        with Gradebook(where["db_url"]) as self.gradebook:
            submission = self.gradebook.find_submission_notebook(
                where["notebook"], where["assignment"], where["student"]
            )
            self._grades = {grade.name: grade for grade in submission.grades}
            self._comments = {comment.name: comment for comment in submission.comments}
            for cell in nb.cells:
                if is_grade(cell):
                    self._add_score(cell, resources)
                if is_solution(cell):
                    self._add_comment(cell, resources)
            self.gradebook.db.commit()
        return nb, resources

    def _add_score(self, cell: NotebookNode, resources: Resources) -> None:
        grade = self._grades[cell.metadata.nbgrader.grade_id]
        if kind(cell) == "check":
            record = self._entry.records.get(grade.name) if self._entry else None
            grade.auto_score = record["score"] if record and record["status"] == "graded" else None
        else:
            grade.auto_score = None if self._unreadable() else determine_grade(cell, self.log)[0]
        grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None

    def _add_comment(self, cell: NotebookNode, resources: Resources) -> None:
        comment = self._comments[cell.metadata.nbgrader.grade_id]
        untouched = cell.metadata.nbgrader.get("checksum") == _checksum(cell)
        note = self._entry.notes.get(comment.name) if self._entry else None
        reason = self._unreadable()
        parts = [reason, pages.plain(note), self.no_response if untouched and not reason else ""]
        comment.auto_comment = "\n\n".join(part for part in parts if part) or None

    def _unreadable(self) -> str:
        """Why nothing of this submission was graded, or "" if something was."""
        if not self._entry:
            return "没有评分记录 · There is no record of its grading"
        reasons = [r["reason"] for r in self._entry.records.values() if r["status"] != "graded"]
        if not reasons or len(reasons) < len(self._entry.records):
            return ""
        return "\n\n".join(dict.fromkeys(map(pages.plain, reasons)))


def _checksum(cell: NotebookNode) -> str:
    from nbgrader.utils import compute_checksum

    return str(compute_checksum(cell))


class DropProofs(NbGraderPreprocessor):
    """Leave the proof cells out of the release: they are for CI."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Drop every cell tagged `proof`."""
        nb.cells = [cell for cell in nb.cells if kind(cell) != "proof"]
        return nb, resources


def harmless_markdown(source: str) -> str:
    """Render Markdown to HTML in which nothing can run: a student's text is shown in the grader's browser."""
    from nbconvert.filters.markdown_mistune import markdown2html_mistune

    return pages.clean_html(str(markdown2html_mistune(source)))


class FeedbackPage(HTMLExporter):
    """nbgrader's feedback page, with a policy under which nothing in it can run or load."""

    def from_notebook_node(self, nb: NotebookNode, resources: Any = None, **kw: Any) -> Any:
        """Render a notebook and put the policy first in its head."""
        html, resources = super().from_notebook_node(nb, resources, **kw)
        html = re.sub(r"(?s)<script\b.*?</script>", "", html)
        return html.replace("<head>", f"<head>{pages.CSP}", 1), resources
