"""What one grading of one submission came to, and what it depends on.

An entry is (lesson, student, hash of the submitted bytes, grader version, seed, notes, records). Where entries
are kept is ledger.py; nbgrader's gradebook stays the system of record for scores.
"""

from __future__ import annotations

import functools
import hashlib
import time
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

Record = dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """One grading of one submission. `records` holds one record per check, by grade_id of its cell."""

    lesson: str
    student: str
    submission: str  # SHA-256 of the submitted bytes, "" if there was no file
    grader: str
    records: dict[str, Record]
    notes: dict[str, dict[str, str]] = field(default_factory=dict)
    problem: dict[str, str] | None = None  # why these bytes can never be graded, in both languages
    seconds: float = 0.0
    seed: str = ""  # with `submission`, determines the inputs that this student got in this lesson
    time: float = field(default_factory=time.time)

    @property
    def ungradable(self) -> bool:
        """Whether any check of it could not be graded."""
        return any(record["status"] == "ungradable" for record in self.records.values())

    @property
    def sandbox_failed(self) -> bool:
        """Whether a sandbox failed, so that another try may give more: none was heard, or not all that was to be."""
        unheard = any(record.get("unheard") for record in self.records.values())
        return unheard or (self.ungradable and self.problem is None)


def submission_hash(data: bytes) -> str:
    """The SHA-256 of the submitted bytes."""
    return hashlib.sha256(data).hexdigest()


def grader_version(released: bytes) -> str:
    """What a result depends on besides the submission: the code, the released lesson, NumPy and torch."""
    return hashlib.sha256(code_version() + released).hexdigest()[:16]


# Modules and packages that no result depends on: what shows, releases, collects, or makes sample submissions.
NOT_GRADING = frozenset(
    """__main__ blame cheats cli cluster collect ctrl_c demo doctor engine_map exchange export feedback feedback_page
    glosses gradebook handed_in hints last_run leaks ledger markdown marks notebook notices one_call own_folder own_source pages
    plots reach receipts regrade release remarks replay report returns roster sample_class show sources summary terminal usage
    waiting workspace""".split()
)


@functools.cache
def code_version() -> bytes:
    """A hash of all the code that results depend on, and of the versions of NumPy and torch."""
    project = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for package in ("autograder", "minigrad"):
        for path in sorted((project / package).rglob("*.py")):
            _, inside, *_ = path.relative_to(project).parts
            if package == "autograder" and inside.removesuffix(".py") in NOT_GRADING:
                continue
            digest.update(str(path.relative_to(project)).encode() + b"\0" + path.read_bytes())
    for name in ("numpy", "torch"):
        try:
            digest.update(f"{name} {version(name)}".encode())
        except PackageNotFoundError:
            continue
    return digest.digest()
