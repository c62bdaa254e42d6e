"""What nbgrader runs in place of its own grading steps, plugged in through course/nbgrader_config.py only.

    ReadAnything     reads a submission's bytes, so that a broken file is a result and not a crash
    Transplant       the released notebook with the student's answers in it, whatever was submitted
    RefereeExecute   the referee's records instead of a kernel's outputs
    SaveScores       the referee's scores into the gradebook; "could not be graded" is never a silent zero

So `autograder grade`, `nbgrader autograde` and formgrader's button are one and the same thing. Scores are
made by the referee (referee.py); this module carries them to where nbgrader looks for them. Not here: releasing
(release.py), the exchange (exchange.py), how pages show Markdown (markdown.py), the feedback page (feedback_page.py).
"""

from __future__ import annotations

import functools
import importlib
import shutil
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor, SaveAutoGrades
from nbgrader.utils import determine_grade, is_grade, is_solution
from traitlets import Bool, Unicode

from autograder import pages, transplant
from autograder.course import NOTES, ledger_of, secret_of
from autograder.errors import AutograderError
from autograder.ledger import Key, Ledger, key_of
from autograder.lessons import Lesson, describe, kind
from autograder.messages import text
from autograder.records import Entry, Record, grader_version, submission_hash
from autograder.referee import seed_of
from autograder.sources import MOST_KEPT
from autograder.work import Done, do, job_of

Resources = dict[str, Any]

# Names from older configurations, and what they are called now.
_MOVED = {
    **dict.fromkeys(("DropProofs", "HandIn", "ClearSolutions"), "release"),
    **dict.fromkeys(("Collect", "ReleaseFeedback"), "exchange"),
    **dict.fromkeys(("OwnFormulas", "harmless_markdown"), "markdown"),
    **dict.fromkeys(("FeedbackPage", "Grades"), "feedback_page"),
}


@functools.cache  # one word is enough
def __getattr__(name: str) -> Any:
    """What has moved, and a word to whoever still looks for it here: nbgrader would go on without the whole configuration
    if this were an error, and grade by itself.
    """
    if name not in _MOVED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    print("\n".join(text("moved", name=name, home=_MOVED[name])), file=sys.stderr)
    return getattr(importlib.import_module(f"autograder.{_MOVED[name]}"), name)


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
        path = Path(file_stream.name)
        link = any(each.is_symlink() for each in (path, *path.parents[:2]))  # the file, the lesson, the student
        resources["autograder_submission"] = b"" if link else file_stream.buffer.read(MOST_KEPT + 1)
        return self.from_notebook_node(nbformat.v4.new_notebook(), resources=resources, **kw)


class Transplant(NbGraderPreprocessor):
    """Start from the released notebook and take only the student's answers (see transplant.py)."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """The released notebook with the answers, what was unusual noted in its metadata."""
        directory, about = _coursedir(self), resources["nbgrader"]
        folder = directory.format_path(directory.autograded_directory, about["student"], about["assignment"])
        only_ours(Path(folder), about["notebook"])  # nbgrader has copied whatever lay beside the notebook
        released = nbformat.read(_released(self, resources), as_version=4)
        return transplanted(released, resources["autograder_submission"]), resources


class RefereeExecute(NbGraderPreprocessor):
    """Let the referee grade the answers, and show its records where a kernel's outputs would be."""

    unsafe = Bool(False, help="Grade without a sandbox. Every record is marked.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Grade (the same bytes under the same grader only once); each check's record becomes its output."""
        root = Path(_coursedir(self).root)
        lesson, student = resources["nbgrader"]["assignment"], resources["nbgrader"]["student"]
        about = nb.metadata.get("autograder", {})
        version = grader_version(_released(self, resources).read_bytes() + secret_of(root))
        ledger, secret = ledger_of(root), secret_of(root)
        key = Key(about.get("submission", ""), lesson, version, seed_of(secret, student, lesson))
        entry = standing(ledger, key, unsafe=self.unsafe)
        if entry is None:
            lesson = describe(key.lesson, nbformat.read(_released(self, resources), as_version=4))
            entry = self._grade(nb, lesson, key, student, secret)
        ledger.put([entry])  # an earlier one, too: it counts again
        show(nb, entry)
        resources["autograder_entry"] = entry
        return nb, resources

    def _grade(self, nb: NotebookNode, lesson: Lesson, key: Key, student: str, secret: bytes) -> Entry:
        about = nb.metadata.get("autograder", {})
        if about.get("problem"):
            return entry_of(lesson, student, key, about)
        return entry_of(lesson, student, key, about, do(job_of(lesson, nb, student, secret, unsafe=self.unsafe)))


def only_ours(folder: Path, lesson: str) -> None:
    """Remove what lies in an autograded folder beside the notebook and its notes: feedback would be made from it."""
    for other in folder.iterdir() if folder.is_dir() else ():
        if other.is_dir() and not other.is_symlink():
            shutil.rmtree(other)
        elif other.is_symlink() or other.name not in (f"{lesson}.ipynb", *NOTES):
            other.unlink()


def transplanted(released: NotebookNode, data: bytes) -> NotebookNode:
    """The released notebook with a submission's answers in it, what was unusual noted in its metadata."""
    about: dict[str, Any] = {"submission": submission_hash(data), "problem": None}
    notes = transplant.Notes()
    try:
        released, notes = transplant.transplant(released, transplant.read(data))
    except AutograderError as error:
        about["problem"] = pages.pair_of(error)
    released.metadata["autograder"] = about | {"notes": notes.as_data()}
    return released


def entry_of(lesson: Lesson, student: str, key: Key, about: Resources, done: Done | None = None) -> Entry:
    """What a grading came to, by grade_id; without `done`, that these bytes cannot be graded."""
    problem, notes = about.get("problem"), about.get("notes", {})
    if done is None:
        records = unreadable_records(lesson, student, about["problem"])
    else:
        records = {grade_id: done["records"][check] for grade_id, check in lesson.checks.items()}
    seconds = done["seconds"] if done else 0.0
    return Entry(key.lesson, student, key.submission, key.grader, records, notes, problem, seconds, key.seed)


def show(nb: NotebookNode, entry: Entry) -> None:
    """Put each check's record where a kernel's output would be."""
    for cell in nb.cells:
        if kind(cell) == "check" and (record := entry.records.get(cell.metadata.nbgrader.grade_id)):
            note = entry.notes.get("") if pages.lost(record) else None
            cell.outputs = [pages.record_output(record, note)]
    about = nb.metadata.get("autograder", {})
    nb.metadata["autograder"] = about | {"grader": entry.grader, "records": entry.records}


def standing(ledger: Ledger, key: Key, *, unsafe: bool) -> Entry | None:
    """An earlier grading that is still valid: these bytes, this grader, as sandboxed as wanted, no sandbox that failed."""
    entry = ledger.find(key)
    if entry is None or entry.sandbox_failed:
        return None
    sandboxed = all(record.get("sandboxed", True) for record in entry.records.values())
    return entry if sandboxed or unsafe else None


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
        if self._entry:
            ledger_of(Path(_coursedir(self).root)).settle([key_of(self._entry)])
            if self._entry.ungradable:  # formgrader says "Success" all the same, and shows this below it
                why = "\n".join(dict.fromkeys(_why_not_graded(self._entry)))
                self.log.warning("%s: 没能评分，不是零分 · could not be graded, not a zero:\n%s", where["student"], why)
        return nb, resources

    def _add_score(self, cell: NotebookNode, resources: Resources) -> None:
        grade = self._grades[cell.metadata.nbgrader.grade_id]
        grade.auto_score = auto_score(cell, self._entry)
        grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None

    def _add_comment(self, cell: NotebookNode, resources: Resources) -> None:
        comment = self._comments[cell.metadata.nbgrader.grade_id]
        comment.auto_comment = auto_comment(cell, self._entry, self.no_response)


def auto_score(cell: NotebookNode, entry: Entry | None) -> float | None:
    """The points that a graded cell earns without a person; None where a person has to give them."""
    if kind(cell) != "check":
        return None if _unreadable(entry) else determine_grade(cell)[0]
    record = entry.records.get(cell.metadata.nbgrader.grade_id) if entry else None
    return record["score"] if record and record["status"] == "graded" else None


def auto_comment(cell: NotebookNode, entry: Entry | None, no_response: str) -> str | None:
    """What is said of an answer: why it could not be read, what was unusual about it, that it was left as it was."""
    untouched = cell.metadata.nbgrader.get("checksum") == _checksum(cell)
    note = entry.notes.get(cell.metadata.nbgrader.grade_id) if entry else None
    reason = _unreadable(entry)
    parts = [reason, pages.plain(note), no_response if untouched and not reason else ""]
    return "\n\n".join(part for part in parts if part) or None


def _unreadable(entry: Entry | None) -> str:
    """Why nothing of a submission was graded, or "" if something was."""
    if not entry:
        return "没有评分记录 · There is no record of its grading"
    reasons = _why_not_graded(entry)
    return "\n\n".join(dict.fromkeys(reasons)) if len(reasons) == len(entry.records) else ""


def _why_not_graded(entry: Entry) -> list[str]:
    return [pages.plain(record["reason"]) for record in entry.records.values() if record["status"] != "graded"]


def _checksum(cell: NotebookNode) -> str:
    from nbgrader.utils import compute_checksum

    return str(compute_checksum(cell))
