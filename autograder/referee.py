"""The referee: trusted, outside of the sandbox, the only one who makes a score.

    with Referee(course_secret) as referee:
        records = referee.grade("10_weight_update", "ada", cells, ["sgd_step"], learner_edition=folder)

It draws each check's seed from the course's secret, has the learner's cells and the check run in a sandbox,
runs the same check on torch (oracle.py), compares (compare.py), looks for a known mistake, and gives a
record for each check. Labels, weights and scores are its own; from the sandbox it takes values, at most one
a label. A check that lost points where it met parts for which it does not ask runs again with the engine's own in their
places, as it did in the notebook: a part that is missing or wrong costs only what the checks that ask for it are worth.

"Could not be graded" (a sandbox that does not start or dies twice) is a status of its own, never a score of
0. Not here: notebooks (transplant.py), gradebooks (gradebook.py, nbgrader_plugin.py), how results look.
"""

from __future__ import annotations

import functools
import hmac
import json
import platform
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Any

from autograder import checks as registry
from autograder import compare, mistakes, oracle
from autograder.checks import Check, Outcome, others
from autograder.editions import learners_edition
from autograder.errors import AutograderError, SandboxFailed
from autograder.kit import Kit
from autograder.messages import Text, followed_by, text
from autograder.probe import probe
from autograder.records import Record
from autograder.runner.limits import DEFAULT, Limits
from autograder.sandbox import Running, Sandbox, Unsafe, warn_unsafe
from autograder.testimony import Testimony, hear

__all__ = ["Referee", "seed_for", "seed_of"]

_TRIES = 2  # sandboxes for one job before it counts as ungradable
_JOBS = 100  # that one sandbox serves, as long as each leaves it as it was
_EDITIONS = 12  # whose files lie ready: a lesson's own, and those with the parts of one check
_WAITING = 4  # of them, those asked for last, for which a sandbox may wait
_RAN_OUT = {"TimeLimit", "MemoryError"}  # how a cell ended that would end so again


def seed_for(secret: bytes, student: str, lesson: str, check: str, seeds: str = "1") -> int:
    """63 bits that only who has the secret can draw: HMAC-SHA256 of who, what and which drawing."""
    message = json.dumps([student, lesson, check, seeds]).encode()
    return int.from_bytes(hmac.digest(secret, message, "sha256")[:8], "big") >> 1


def seed_of(secret: bytes, student: str, lesson: str, seeds: str = "1") -> str:
    """One word for all the seeds that a student gets in a lesson; it gives none of them away."""
    return f"{seed_for(secret, student, lesson, '', seeds):016x}"


class Referee:
    """Grades submissions one at a time.

    `sandbox` is `Sandbox` (proved on this machine first: SandboxUnavailable if it does not hold) or
    `Unsafe`, which says so loudly and marks the records. `seeds` names the drawing: another one gives
    everybody new inputs. A sandbox is used again only after a job that left no trace in it; `jobs=1` starts
    a fresh one for each.

    A referee on another machine has no secret (None): it is given the seeds.

    Use it from one thread: a sandbox ends with the thread that started it.
    """

    def __init__(
        self,
        course_secret: bytes | None,
        sandbox: type[Sandbox] | type[Unsafe] = Sandbox,
        *,
        limits: Limits = DEFAULT,
        seeds: str = "1",
        jobs: int = _JOBS,
    ):
        if course_secret == b"":
            raise AutograderError(text("no_secret"))
        if sandbox.sandboxed:
            probe()
        else:
            warn_unsafe()
        self._secret, self._limits, self._seeds = course_secret, limits, seeds
        self._sandbox, self._most = sandbox, jobs
        self._benches: dict[str, _Bench] = {}

    def grade(
        self,
        lesson: str,
        student: str,
        cells: Sequence[Mapping[str, str]],
        checks: Sequence[str] | None = None,
        learner_edition: Path | str | None = None,
        drawn: Mapping[str, int] | None = None,
    ) -> list[Record]:
        """The records of one submission, one a check, in the order of `checks` (by default all of the
        lesson).

        `cells` are what is run, in order: {"id": grade_id, "source": text}. `learner_edition` is the folder
        with the engine's edition for this lesson. `drawn` are the seeds, drawn beforehand by who has the secret.
        Whatever a learner's code does ends in a record;
        UnknownName for a check that there is not, AutograderError where torch is missing.
        """
        names = [each.name for each in registry.for_lesson(lesson)] if checks is None else checks
        wanted = [registry.get(name) for name in names]
        if drawn is None and self._secret is None:
            raise AutograderError(text("no_secret"))
        seeds = drawn or {n: seed_for(self._secret or b"", student, lesson, n, self._seeds) for n in names}
        about: Record = {"lesson": lesson, "student": student, "sandboxed": self._sandbox.sandboxed}
        about["versions"] = {**_installed(), "seeds": self._seeds}
        job = self._job(lesson, cells, {name: seeds[name] for name in names})
        try:
            heard = self._hear(job, wanted, learner_edition)
            records = {each.name: _judged(each, seeds[each.name], heard, job["cells"]) | about for each in wanted}
            if learner_edition:
                self._hear_alone(job, wanted, records, heard)
        except SandboxFailed as failed:
            return [_ungradable(each, seeds[each.name], _could_not(failed)) | about for each in wanted]
        for name, known in _recognised(wanted, records, heard).items():
            records[name]["hint"] = known.name
        return list(records.values())

    def _hear_alone(
        self, job: dict[str, Any], wanted: list[Check], records: dict[str, Record], heard: Testimony
    ) -> None:
        """Hear again what lost points where it met parts for which it does not ask, the engine's own in their places.

        What is better stays, and its record says which parts were replaced. Where no sandbox can be had for that, or no
        time is left, the first result stays, and says so.
        """
        until = time.monotonic() + self._limits.again_seconds
        lost = [each for each in wanted if _others_may_have_cost(each, records[each.name], heard.outcomes[each.name])]
        for asked in sorted({each.parts for each in lost}):
            these = [each for each in lost if each.parts == asked]
            names = {each.name for each in these}
            if time.monotonic() >= until:
                for name in names:
                    _add(records[name], text("no_time_to_hear_again", seconds=self._limits.again_seconds))
                continue
            less = job | {
                "cells": _worth_running(job["cells"], heard, asked),
                "checks": [each | {"alone": True} for each in job["checks"] if each["name"] in names],
            }
            try:
                alone = self._hear(less, these, learners_edition(asked))
            except SandboxFailed as failed:
                for name in names:
                    _add(records[name], text("not_heard_again", why=failed.on_one_line()))
                    records[name]["unheard"] = True
                continue
            for each in these:
                record = _judged(each, records[each.name]["seed"], alone, job["cells"])
                if record["status"] == "graded" and _grade(record) > _grade(records[each.name]):
                    records[each.name] |= record | {"stood_in": heard.outcomes[each.name].met(others(each))}
                    heard.outcomes[each.name] = alone.outcomes[each.name]

    def hear_one(
        self,
        lesson: str,
        student: str,
        cells: Sequence[Mapping[str, str]],
        name: str,
        seed: int,
        edition: Path | str | None = None,
        alone: bool = False,
    ) -> tuple[Record, Outcome | None]:
        """One check's record, without a hint, and what came out of the sandbox (None if it could not be run).

        `alone`: on the parts that it asks for, the engine's own in all other places; `edition` then has these.
        """
        check, job = registry.get(name), self._job(lesson, cells, {name: seed})
        job["checks"][0]["alone"] = alone
        about: Record = {"lesson": lesson, "student": student, "sandboxed": self._sandbox.sandboxed}
        try:
            heard = self._hear(job, [check], edition)
        except SandboxFailed as failed:
            return _ungradable(check, seed, _could_not(failed)) | about, None
        return _judged(check, seed, heard, job["cells"]) | about, heard.outcomes[name]

    def _job(self, lesson: str, cells: Sequence[Mapping[str, str]], seeds: Mapping[str, int]) -> dict[str, Any]:
        """What a sandbox is told: these cells, these checks on these seeds, and how much of everything they may use."""
        return {
            "lesson": lesson,
            "cells": [{"id": each["id"], "source": each["source"]} for each in cells],
            "checks": [{"name": name, "seed": seed} for name, seed in seeds.items()],
            "limits": self._limits._asdict(),
        }

    def _hear(self, job: dict[str, Any], wanted: list[Check], edition: Path | str | None) -> Testimony:
        """Run a job; once more in a fresh sandbox if the first one failed."""
        bench = self._bench(edition)
        for attempt in range(_TRIES):
            try:
                return hear(bench.running().frames(job, self._limits.job_seconds), wanted, self._limits)
            except SandboxFailed:
                bench.clear()
                if attempt + 1 == _TRIES:
                    raise
        raise AssertionError("unreachable")

    def _bench(self, edition: Path | str | None) -> _Bench:
        key = str(edition or "")
        if key in self._benches:
            self._benches[key] = self._benches.pop(key)  # the one asked for last is the last to go
        else:
            while len(self._benches) >= _EDITIONS:
                self._benches.pop(next(iter(self._benches))).close()
            kit = Kit(edition)
            self._benches[key] = _Bench(kit, self._sandbox(kit, self._limits), self._most)
        for each in list(self._benches.values())[:-_WAITING]:
            each.clear()
        return self._benches[key]

    def close(self) -> None:
        """End the sandbox that waits and remove the staged files. The referee can still be used."""
        for bench in self._benches.values():
            bench.close()
        self._benches.clear()

    def __enter__(self) -> Referee:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Bench:
    """A kit, and the sandbox on it that waits for the next job, if one does."""

    def __init__(self, kit: Kit, starter: Sandbox | Unsafe, jobs: int):
        self.kit, self.starter, self.most = kit, starter, jobs
        self._running: Running | None = None
        self._served = 0

    def running(self) -> Running:
        """A sandbox for one more job: the one that waits, or a fresh one."""
        if self._running is None or not self._running.alive or self._served >= self.most:
            self.clear()
            self._running, self._served = self.starter.start(), 0
        self._served += 1
        return self._running

    def clear(self) -> None:
        if self._running is not None:
            self._running.close()
            self._running = None

    def close(self) -> None:
        self.clear()
        self.kit.close()


# ── Records ──────────────────────────────────────────────────────────────────────────────────────


def _judged(check: Check, seed: int, heard: Testimony, cells: list[dict[str, str]]) -> Record:
    """One check's record, but for what all records of a submission share."""
    outcome = heard.outcomes[check.name]
    try:
        expected = oracle.expected(check.name, seed)
    except AutograderError:
        raise
    except Exception as error:  # the check is at fault, or torch is: nobody loses a point for that
        return _ungradable(check, seed, text("oracle_failed", error=f"{type(error).__name__}: {error}"))
    verdict = compare.judge(check, expected, outcome)
    record = verdict.record() | {"status": "graded", "seed": seed, "hint": None}
    if not verdict.passed and (never := _never_called(check, outcome)):
        reason = _failed_cell(never, heard, cells) or verdict.reason
        record["reason"] = _pair(reason) if reason else None
    return record


def _lost(record: Record) -> bool:
    return bool(record["status"] == "graded" and record["score"] < record["points"])


def _grade(record: Record) -> tuple[int, int]:
    """As Verdict.grade."""
    return record["score"], sum(each["state"] == "pass" for each in record["properties"])


def _others_may_have_cost(check: Check, record: Record, outcome: Outcome) -> bool:
    """Whether a check lost points that parts may have cost for which it does not ask."""
    return _lost(record) and {*outcome.unwritten} != {*check.parts} and bool(outcome.met(others(check)))


def _worth_running(cells: list[dict[str, str]], heard: Testimony, asked: Sequence[str]) -> list[dict[str, str]]:
    """The cells without those that ran out of time or memory, unless a part is in them that is asked for: they would again,
    and each would be waited for as long as the first time."""
    out = {name for name, error in heard.cells.items() if error["class"] in _RAN_OUT}
    return [each for each in cells if each["id"] not in out or any(part in each["source"] for part in asked)]


def _never_called(check: Check, outcome: Outcome) -> list[str]:
    return [part for part in check.parts if not outcome.calls.get(part)]


def _failed_cell(never: list[str], heard: Testimony, cells: list[dict[str, str]]) -> Text | None:
    """Why a part was never plugged in, if its cell (or else some cell) ended in an error."""
    own = [c["id"] for c in cells if any(part in c["source"] for part in never)]
    failed = next((name for name in [*own, *heard.cells] if name in heard.cells), None)
    return text("cell_failed", cell=failed, why=heard.cells[failed]["says"]) if failed else None


def _recognised(wanted: list[Check], records: dict[str, Record], heard: Testimony) -> dict[str, mistakes.Mistake]:
    """check -> the known mistake by which it lost points; where a part is not written, or not plugged in, none is looked for.

    That a part was never called is no reason against one: a mistake in another may have kept the engine from it.
    """
    lost = []
    for each in wanted:
        record, outcome = records[each.name], heard.outcomes[each.name]
        not_plugged = heard.cells and _never_called(each, outcome)
        if _lost(record) and not not_plugged and not compare.unwritten(outcome):
            lost.append(mistakes.Run(each, outcome, record["seed"]))
    return mistakes.recognise_all(lost)


def _ungradable(check: Check, seed: int, why: Text) -> Record:
    record: Record = {"check": check.name, "score": None, "points": check.points, "status": "ungradable"}
    return record | {"properties": [], "reason": _pair(why), "hint": None, "seed": seed}


def _could_not(failed: SandboxFailed) -> Text:
    return text("could_not_grade", why=failed.on_one_line())


def _add(record: Record, words: Text) -> None:
    """Say one thing more about why points are missing."""
    record["reason"] = _pair(followed_by(Text(**record["reason"]), words))


def _pair(words: Text) -> dict[str, str]:
    return {"zh": words.zh, "en": words.en}


@functools.cache
def _installed() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in ("minigrad-lessons", "numpy", "torch"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
