"""Run by test_ledger.py in a process of its own: grading runs that are killed at many moments, then resumed.

    python tests/killed_runs.py TEMPLATE SCRATCH KILLS

Everything is loaded once, then each run is a forked process that grades a copy of the course TEMPLATE and gets
SIGKILL: after a random time, or at a random one of the moments at which it changes a file. It prints what an
undisturbed run gave and, for every course that was killed, what it gave in the end, as JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

LESSON = "90_scratch"
WRITES = ("os.rename", "os.chmod", "os.mkdir", "tempfile.mkstemp", "sqlite3.connect", "subprocess.Popen")


def run(root: Path, moment: int | None = None) -> None:
    """Grade the course; at the `moment`-th change of a file, SIGKILL oneself."""
    from autograder import grade as module
    from autograder.course import Course

    module.BATCH = 2
    seen = 0

    def watch(event: str, _: object) -> None:
        nonlocal seen
        if event in WRITES:
            seen += 1
            if seen == moment:
                os.kill(os.getpid(), signal.SIGKILL)

    if moment:
        sys.addaudithook(watch)
    module.grade(LESSON, course=Course(root))


def started(root: Path, moment: int | None = None) -> int:
    child = os.fork()
    if child == 0:
        try:
            run(root, moment)
            os._exit(0)
        finally:
            os._exit(1)
    return child


def outcome(root: Path) -> dict[str, object]:
    """All that a run leaves behind, but for times: the gradebook's rows, the graded notebooks, the ledger."""
    from autograder.course import Course

    course = Course(root)
    rows = {}
    with course.gradebook() as gradebook:
        for each in gradebook.assignment_submissions(LESSON):
            (book,) = each.notebooks
            grades = sorted((g.name, g.auto_score, g.manual_score, g.needs_manual_grade) for g in book.grades)
            comments = sorted((c.name, c.auto_comment, c.manual_comment) for c in book.comments)
            rows[each.student_id] = [str(each.timestamp), book.late_submission_penalty, grades, comments]
    files = {str(p.relative_to(root)): p.read_text() for p in root.glob("autograded/*/*/*") if p.is_file()}
    ledger = [
        {k: v for k, v in asdict(e).items() if k not in ("time", "seconds")} for e in course.ledger.of_lesson(LESSON)
    ]
    counts = course.ledger.counts(LESSON)
    course.ledger.close()
    return {"rows": rows, "files": files, "ledger": ledger, "counts": counts}


def main(template: Path, scratch: Path, kills: int) -> None:
    tempfile.tempdir = str(scratch)  # what a killed run leaves behind goes with the rest
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    from autograder import grade, kit, oracle, probe, records, sandbox  # noqa: F401

    oracle.T.ones(1)  # torch is loaded before the first fork, and has one thread
    probe.probe()
    records.code_version()
    with contextlib.closing(kit.Kit()) as files:
        sandbox.Sandbox(files)  # which libraries Python needs is found out once
    draw = random.Random(1)
    shutil.copytree(template, scratch / "undisturbed")
    start = time.monotonic()
    assert os.waitpid(started(scratch / "undisturbed"), 0)[1] == 0
    whole = time.monotonic() - start
    found, done, number = {"undisturbed": outcome(scratch / "undisturbed")}, 0, 0
    while done < kills:
        number += 1
        root = scratch / f"killed{number}"
        shutil.copytree(template, root)
        for _ in range(2):  # a third time, and a submission might be given up
            by_time = draw.random() < 0.5
            child = started(root, None if by_time else draw.randrange(1, 40))
            if by_time:
                time.sleep(draw.uniform(0.0, whole))
                os.kill(child, signal.SIGKILL)
            status = os.waitpid(child, 0)[1]
            done += os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        assert os.waitpid(started(root), 0)[1] == 0
        found[root.name] = outcome(root)
    print(json.dumps({"kills": done, "seconds": whole, "found": found}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
