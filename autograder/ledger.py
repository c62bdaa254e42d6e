"""The ledger of grading: what was graded, what came of it, how often it was tried, what was given up.

One row per (hash of the submitted bytes, lesson, grader version, seed), in SQLite (write-ahead log) beside the
gradebook, out of any student's reach. The same bytes under the same grader are graded once, however often a
run is stopped and started; another grader version makes a row of its own, so what was recorded before stays.

    begun      handed out and not yet back: counted, so that what ends the grader again and again is given up
    graded     the records are here, the gradebook may not have them yet
    settled    the gradebook and the autograded folder show them, too
    dead       given up, with the reason; `retry` gives it another chance

Which row of a student counts is decided by the order of writing (`turn`), never by the clock. Not here:
nbgrader's gradebook, which stays the system of record for scores (gradebook.py writes it).
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from autograder.errors import AutograderError
from autograder.messages import Text, text
from autograder.records import Entry
from autograder.terminal import said_if_long

__all__ = ["MOST_TRIES", "Dead", "Key", "Ledger"]

MOST_TRIES = 3  # of one row, before it is given up
WAIT = 10.0  # seconds for another process to end its transaction
_SCHEMA = """
CREATE TABLE IF NOT EXISTS grading (
    submission TEXT NOT NULL, lesson TEXT NOT NULL, grader TEXT NOT NULL, seed TEXT NOT NULL,
    student TEXT NOT NULL, turn INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('begun', 'graded', 'settled', 'dead')),
    tries INTEGER NOT NULL DEFAULT 0, reason TEXT, entry TEXT, time REAL NOT NULL,
    PRIMARY KEY (submission, lesson, grader, seed));
CREATE INDEX IF NOT EXISTS by_student ON grading (lesson, student, turn);
CREATE INDEX IF NOT EXISTS by_turn ON grading (turn);
"""
_KEY = "submission = ? AND lesson = ? AND grader = ? AND seed = ?"
_NEXT = "(SELECT coalesce(max(turn), 0) + 1 FROM grading)"
# What SQLite says, and the message for it.
_SAID = {
    sqlite3.SQLITE_FULL: "ledger_full",
    sqlite3.SQLITE_BUSY: "ledger_locked",
    sqlite3.SQLITE_LOCKED: "ledger_locked",
    sqlite3.SQLITE_CORRUPT: "ledger_corrupt",
    sqlite3.SQLITE_NOTADB: "ledger_corrupt",
}


class Key(NamedTuple):
    """What a grading is of. `seed` stands for secret, student and lesson; with `submission` it determines the
    inputs (work.job_of)."""

    submission: str
    lesson: str
    grader: str
    seed: str


class Dead(NamedTuple):
    """A grading that was given up."""

    student: str
    key: Key
    tries: int
    reason: dict[str, str]


class Ledger:
    """One course's ledger. Opening is free: the file is opened, and made, when it is first needed."""

    def __init__(self, path: Path):
        self.path = path
        self._opened: tuple[int, sqlite3.Connection] | None = None

    # ── reading ──────────────────────────────────────────────────────────────────────────────────

    def find(self, key: Key) -> Entry | None:
        """What came of this grading, if it has come to an end."""
        rows = self._read(f"SELECT entry FROM grading WHERE {_KEY} AND entry IS NOT NULL", key)
        return _entry(rows[0][0]) if rows else None

    def state(self, key: Key) -> str | None:
        """The state of this grading; None if it was never begun."""
        rows = self._read(f"SELECT state FROM grading WHERE {_KEY}", key)
        return rows[0][0] if rows else None

    def latest(self, lesson: str, student: str) -> Entry | None:
        """The grading of a student's lesson that was written last: the one that counts."""
        words = "SELECT entry FROM grading WHERE lesson = ? AND student = ? AND entry IS NOT NULL"
        rows = self._read(f"{words} ORDER BY turn DESC LIMIT 1", (lesson, student))
        return _entry(rows[0][0]) if rows else None

    def of_lesson(self, lesson: str) -> list[Entry]:
        """The grading that counts of every student of a lesson, by student."""
        words = "SELECT entry, max(turn) FROM grading WHERE lesson = ? AND entry IS NOT NULL GROUP BY student"
        return [_entry(row[0]) for row in self._read(f"{words} ORDER BY student", (lesson,))]

    def history(self, lesson: str, student: str) -> list[Entry]:
        """Every grading of a student's lesson that there ever was, in the order of writing."""
        words = "SELECT entry FROM grading WHERE lesson = ? AND student = ? AND entry IS NOT NULL ORDER BY turn"
        return [_entry(row[0]) for row in self._read(words, (lesson, student))]

    def counts(self, lesson: str) -> dict[str, int]:
        """How many rows of a lesson are in each state."""
        return dict(self._read("SELECT state, count(*) FROM grading WHERE lesson = ? GROUP BY state", (lesson,)))

    def settled(self, lesson: str, grader: str) -> int:
        """How many gradings by this grader version have reached the gradebook."""
        words = "SELECT count(*) FROM grading WHERE lesson = ? AND grader = ? AND state = 'settled'"
        rows = self._read(words, (lesson, grader))
        return rows[0][0] if rows else 0

    def dead(self, lesson: str) -> list[Dead]:
        """The dead letters of a lesson, by student."""
        words = "SELECT student, submission, lesson, grader, seed, tries, reason FROM grading"
        rows = self._read(f"{words} WHERE lesson = ? AND state = 'dead' ORDER BY student, turn", (lesson,))
        return [Dead(row[0], Key(*row[1:5]), row[5], json.loads(row[6])) for row in rows]

    def tries(self, key: Key) -> int:
        """How often this grading has been begun since it last ended."""
        rows = self._read(f"SELECT tries FROM grading WHERE {_KEY}", key)
        return rows[0][0] if rows else 0

    def verify(self) -> None:
        """Raise AutograderError if the file is damaged, before anything is built on it."""
        if self.path.exists():
            found = self._read("PRAGMA quick_check(1)")
            if found != [("ok",)]:
                raise self._error("ledger_corrupt", found[0][0])

    # ── writing ──────────────────────────────────────────────────────────────────────────────────

    def begin(self, work: Iterable[tuple[Key, str]]) -> None:
        """Count a try for each (key, student), before it is handed out."""
        words = f"""INSERT INTO grading (submission, lesson, grader, seed, student, turn, state, tries, time)
            VALUES (?, ?, ?, ?, ?, {_NEXT}, 'begun', 1, ?)
            ON CONFLICT DO UPDATE SET tries = tries + 1, state = 'begun', time = excluded.time"""
        self._write(words, [(*key, student, time.time()) for key, student in work])

    def take_back(self, keys: Iterable[Key]) -> None:
        """Uncount the try of what was handed out when a run was stopped in an orderly way."""
        self._write(f"UPDATE grading SET tries = tries - 1 WHERE {_KEY} AND state = 'begun'", list(keys))

    def put(self, entries: Iterable[Entry]) -> None:
        """Record what was graded, in one transaction. From here on each is the one of its student that counts."""
        words = f"""INSERT INTO grading (submission, lesson, grader, seed, student, turn, state, entry, time)
            VALUES (?, ?, ?, ?, ?, {_NEXT}, 'graded', ?, ?)
            ON CONFLICT DO UPDATE SET state = 'graded', tries = 0, reason = NULL, entry = excluded.entry,
                turn = excluded.turn, time = excluded.time"""
        self._write(
            words, [(*key_of(e), e.student, json.dumps(asdict(e), ensure_ascii=False), e.time) for e in entries]
        )

    def settle(self, keys: Iterable[Key]) -> None:
        """Note that the gradebook shows these."""
        self._write(f"UPDATE grading SET state = 'settled' WHERE {_KEY} AND state = 'graded'", list(keys))

    def give_up(self, key: Key, reason: Text) -> None:
        """Put a grading on the dead-letter list."""
        said = json.dumps(reason._asdict(), ensure_ascii=False)
        self._write(f"UPDATE grading SET state = 'dead', reason = ? WHERE {_KEY}", [(said, *key)])

    def retry(self, lesson: str) -> int:
        """Give the dead letters of a lesson another chance; how many there were."""
        dead = self.dead(lesson)
        words = f"UPDATE grading SET state = 'begun', tries = 0, reason = NULL WHERE {_KEY}"
        self._write(words, [each.key for each in dead])
        return len(dead)

    # ── the file ─────────────────────────────────────────────────────────────────────────────────

    def _read(self, words: str, values: tuple[Any, ...] = ()) -> list[Any]:
        if not self.path.exists():
            return []
        with self._errors():
            return self._connection().execute(words, values).fetchall()

    def _write(self, words: str, rows: list[tuple[Any, ...]]) -> None:
        """All rows or none of them."""
        if not rows:
            return
        with said_if_long(text("ledger_waited_for", path=self.path)), self._errors():
            connection = self._connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.executemany(words, rows)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def _connection(self) -> sqlite3.Connection:
        """This process's own connection: none may cross a fork."""
        if self._opened is None or self._opened[0] != os.getpid():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))  # nobody else's eyes: seeds are in it
            made = sqlite3.connect(self.path, timeout=WAIT, isolation_level=None, check_same_thread=False)
            try:
                made.execute("PRAGMA journal_mode = WAL")
                made.execute("PRAGMA synchronous = FULL")
                made.executescript(_SCHEMA)
            except BaseException:
                made.close()  # or a file that is no database would stay open
                raise
            self._opened = (os.getpid(), made)
        return self._opened[1]

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        if self._opened and self._opened[0] == os.getpid():
            self._opened[1].close()
        self._opened = None

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # extended codes keep the plain one below
            raise self._error(_SAID.get(code, "ledger_unusable"), error) from None
        except OSError as error:
            raise self._error("ledger_unusable", error.strerror or error) from None

    def _error(self, key: str, why: object) -> AutograderError:
        return AutograderError(text(key), where=f"{self.path}: {why}", remedy=text(f"remedy_{key}", path=self.path))


def key_of(entry: Entry) -> Key:
    """The row that an entry belongs to."""
    return Key(entry.submission, entry.lesson, entry.grader, entry.seed)


def _entry(data: str) -> Entry:
    return Entry(**json.loads(data))
