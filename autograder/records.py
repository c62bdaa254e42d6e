"""The book of results: one JSON line for every time a submission was graded, outside of any student's reach.

A line is (lesson, student, hash of the submitted bytes, grader version, notes, records). Lines are only
ever appended; the latest line of a (lesson, student) is what counts. The same bytes under the same grader
are not graded twice. Not here: nbgrader's gradebook, which stays the system of record for scores.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
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
    time: float = field(default_factory=time.time)

    @property
    def ungradable(self) -> bool:
        """Whether any check of it could not be graded."""
        return any(record["status"] == "ungradable" for record in self.records.values())


class RecordBook:
    """An append-only file of entries.

    Opening is cheap; it is read when first asked and after it has grown.
    """

    def __init__(self, path: Path):
        self.path = path
        self._read_to = 0
        self._latest: dict[tuple[str, str], Entry] = {}

    def append(self, entry: Entry) -> None:
        """Write an entry: one write, flushed to disk before the gradebook is touched."""
        line = json.dumps(asdict(entry), ensure_ascii=False) + "\n"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            size = os.fstat(descriptor).st_size
            whole = not size or os.pread(descriptor, 1, size - 1) == b"\n"  # else a crash cut the last line short
            os.write(descriptor, (line if whole else "\n" + line).encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def latest(self, lesson: str, student: str) -> Entry | None:
        """The last entry of a student's lesson, if there is one."""
        self._refresh()
        return self._latest.get((lesson, student))

    def of_lesson(self, lesson: str) -> list[Entry]:
        """The last entry of every student of a lesson, by student."""
        self._refresh()
        return sorted((e for (name, _), e in self._latest.items() if name == lesson), key=lambda e: e.student)

    def _refresh(self) -> None:
        if not self.path.exists() or self.path.stat().st_size == self._read_to:
            return
        with self.path.open("rb") as file:
            file.seek(self._read_to)
            for entry in _entries(file.read()):
                self._latest[entry.lesson, entry.student] = entry
            self._read_to = file.tell()


def _entries(data: bytes) -> Iterator[Entry]:
    """Read whole lines.

    One that a crash cut short is passed over, for its submission will be graded again.
    """
    for line in data.splitlines():
        try:
            yield Entry(**json.loads(line))
        except (ValueError, TypeError):
            continue


def submission_hash(data: bytes) -> str:
    """The SHA-256 of the submitted bytes."""
    return hashlib.sha256(data).hexdigest()


def grader_version(released: bytes) -> str:
    """What a result depends on besides the submission: the code, the released lesson, NumPy and torch."""
    return hashlib.sha256(_code_version() + released).hexdigest()[:16]


# Modules that no result depends on: what shows, releases, or makes sample submissions.
_NOT_GRADING = {
    "cheats",
    "cli",
    "demo",
    "doctor",
    "feedback",
    "hints",
    "leaks",
    "notebook",
    "pages",
    "release",
}
_NOT_GRADING |= {"__main__", "report", "sample_class", "solutions", "terminal"}


@functools.cache
def _code_version() -> bytes:
    project = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for package in ("autograder", "minigrad"):
        for path in sorted((project / package).rglob("*.py")):
            if path.parent.name == "autograder" and path.stem in _NOT_GRADING:
                continue
            digest.update(str(path.relative_to(project)).encode() + b"\0" + path.read_bytes())
    for name in ("numpy", "torch"):
        try:
            digest.update(f"{name} {version(name)}".encode())
        except PackageNotFoundError:
            continue
    return digest.digest()
