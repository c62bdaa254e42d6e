"""One submission's work, as plain data that can travel to another process or machine, and the doing of it.

A job holds what the sandbox needs (cells), what the referee needs (seeds, no secret) and which parts the
learner's edition lacks: nothing of the course, no solution, no other student. `do` starts a sandbox, lets the
referee compare, and gives the records by check. Not here: notebooks, ledger, gradebook: their one writer is the
process that hands out jobs (grade.py).
"""

from __future__ import annotations

import atexit
import functools
import os
import threading
import time
import warnings
from typing import Any, TypedDict

from nbformat import NotebookNode

from autograder.editions import learners_edition
from autograder.errors import AutograderError
from autograder.lessons import Lesson, kind
from autograder.messages import Text
from autograder.records import Record, code_version
from autograder.transplant import MISSING


class Job(TypedDict):
    """What is to be graded."""

    lesson: str
    student: str
    cells: list[dict[str, str]]
    seeds: dict[str, int]
    parts: list[str]
    unsafe: bool
    code: str


class Done(TypedDict):
    """What came of a job."""

    records: dict[str, Record]  # by check
    seconds: float


def job_of(lesson: Lesson, notebook: NotebookNode, student: str, secret: bytes, *, unsafe: bool) -> Job:
    """The job of a transplanted notebook: the released setup cells and the student's solution cells, in order.

    A solution cell that the submission lacks is not run.

    `lesson` is the released one: which parts the learner's edition lacks must not depend on what a student wrote. Other
    bytes get other inputs: feedback tells a seed and what was expected, and may be back before the last hand-in.
    """
    from autograder.referee import seed_for

    about = notebook.metadata.get("autograder", {})
    # Two cells merged into one: the other's stub, run after it, would take the answer's place.
    gone = {each for each, note in about.get("notes", {}).items() if note["en"] == MISSING.en}
    run = [cell for cell in notebook.cells if kind(cell) in ("setup", "solution") and cell.id not in gone]
    cells = [{"id": cell.id, "source": cell.source} for cell in run]
    drawing = str(about.get("submission", ""))
    seeds = {check: seed_for(secret, student, lesson.name, check, drawing) for check in lesson.checks.values()}
    return Job(
        lesson=lesson.name,
        student=student,
        cells=cells,
        seeds=seeds,
        parts=list(lesson.parts),
        unsafe=unsafe,
        code=code_version().hex(),
    )


def do(job: Job) -> Done:
    """Grade one submission here. AutograderError if this machine's grader is not the one that asks."""
    if job["code"] != code_version().hex():
        raise AutograderError(
            Text(
                "这台机器上的评分器和发出任务的不是同一个版本。",
                "The grader on this machine is not the version that sent the task.",
            ),
            where=f"{os.uname().nodename} · {os.getpid()}",
            remedy=Text("把同一份项目装到每台机器上。", "Install the same project on every machine."),
        )
    start = time.monotonic()
    edition = _edition(tuple(job["parts"]))
    with warnings.catch_warnings():  # what torch and known mistakes warn of while they run is nobody's concern
        warnings.simplefilter("ignore")
        records = referee(job["unsafe"]).grade(
            job["lesson"], job["student"], job["cells"], list(job["seeds"]), edition, drawn=job["seeds"]
        )
    by_check = {record["check"]: record for record in records}
    return Done(records=by_check, seconds=round(time.monotonic() - start, 3))


def referee(unsafe: bool) -> Any:
    """This thread's referee; its sandbox waits for the next submission."""
    return _referee(unsafe, os.getpid(), threading.get_ident())


@functools.cache
def _referee(unsafe: bool, process: int, thread: int) -> Any:
    from autograder.referee import Referee
    from autograder.sandbox import Sandbox, Unsafe

    made = Referee(None, Unsafe if unsafe else Sandbox)
    atexit.register(made.close)
    return made


@functools.cache
def _edition(parts: tuple[str, ...]) -> Any:
    """The engine's files are read and hashed once a process: what is loaded does not change, either."""
    return learners_edition(parts)
