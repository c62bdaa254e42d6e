"""The one process inside a sandbox that never executes a learner's line: it reads jobs, watches, and reports.

For each job it forks a learner's process, passes on the frames that this one writes, and enforces time.
When that process dies, hangs or writes nonsense, the cell or check it was at is blamed, everything is
killed, and a fresh process goes on with the rest: an endless loop, a crash or a memory hog costs what it
happened in, not more.

It never reads the cells, either: they go from the pipe into pages of their own, which the learner's process inherits and
the system takes back after the job. A process has all the memory of the one that it was forked from, what was freed
there, too, and one learner's must not hold what another has written.

In a sandbox it is process 1 of its own process namespace: no signal from inside reaches it, `kill(-1)` is
sure to end every other process there, and all of them die with it. `{"type": "done", "clean": true}` says
that nothing unusual happened and nothing is left (no process, no file), so that the next job may be given
to the same sandbox; after anything else the supervisor ends, and with it the sandbox.
"""

from __future__ import annotations

import contextlib
import gc
import mmap
import os
import resource
import select
import shutil
import signal
import time
from collections.abc import Callable
from typing import Any, NoReturn

from autograder import parts
from autograder.protocol import FrameReader, ProtocolError, pack, read_apart, unpack, write
from autograder.runner.checking import CANNOT_FORK, LOST_LINE, become_learner
from autograder.runner.limits import GRACE, Limits

__all__ = ["Supervisor"]

_GLANCE = 0.25  # seconds between looks at a process that says nothing
_MOST_PROPERTIES = 1000  # of one check
_TOO_MANY = "it made too many files"
_FULL = "it started too many processes or threads"


class Supervisor:
    """Serves jobs from one descriptor and replies on another until the first of them closes."""

    def __init__(self, jobs: int, replies: int, isolated: bool):
        self.jobs, self.replies, self.isolated = jobs, replies, isolated

    def serve(self) -> None:
        """Answer jobs until there are no more, or until one has left something behind."""
        parts.get_ready()
        gc.collect()
        gc.freeze()  # what is loaded stays: forked processes need not walk it, nor copy its pages
        fresh = _state(".")
        self.reply({"type": "ready"})
        while (about := read_apart(self.jobs)) and (cells := read_apart(self.jobs)):
            with about, cells:
                clean = _Job(self, unpack(about[:], max_text=None), cells).run() and _state(".") == fresh
            self.reply({"type": "done", "clean": clean})
            if not clean:
                return

    def reply(self, message: dict[str, Any]) -> None:
        write(self.replies, pack(message))

    def abandoned(self) -> bool:
        """Whether whoever sends the jobs has gone: then nobody waits for an answer."""
        poll = select.poll()
        poll.register(self.jobs, 0)
        return bool(poll.poll(0))

    def kill(self, learner: int) -> bool:
        """End the learner's process and everything it has started; whether it had started anything."""
        if not self.isolated:  # only its own group, then: -1 would mean every process of this user
            _signal(os.killpg, learner)
            _signal(os.kill, learner)
            return not _reap(learner)
        _signal(os.kill, -1)
        ended = 0
        while _reap(-1):  # they are this process's children by now
            ended += 1
        return ended > 1


def _state(folder: str) -> object:
    """All that can be told from a folder: what lies there, who may do what, what is attached to it. Its times are now's.

    None, where a learner has closed it: as an ordinary user's it is the learner's own.
    """
    try:
        os.utime(folder)
        attached = os.listxattr(folder) if hasattr(os, "listxattr") else []
        return os.listdir(folder), os.stat(folder).st_mode, attached
    except OSError:
        return None


def _entries() -> int:
    """How many files, folders and links the scratch holds: the kernel keeps each in memory that is no process's."""
    try:
        found = os.statvfs(".")
    except OSError:
        return 0
    return found.f_files - found.f_ffree


def _full(limits: Limits) -> bool:
    """Whether there are more processes and threads than may be: whoever has so many and says nothing only tries for more.

    There is no /proc to count them in. The kernel does, and refuses this process one more where it would the learner's.
    """
    resource.setrlimit(resource.RLIMIT_NPROC, (limits.processes + 1, resource.getrlimit(resource.RLIMIT_NPROC)[1]))
    try:
        one_more = os.fork()
    except OSError:
        return True
    if one_more == 0:
        os._exit(0)
    _signal(os.kill, one_more)  # a learner's process may have stopped it
    _reap(one_more)
    return False


def _sweep() -> None:
    """Empty the scratch, as far as that goes: where more is left than may be, nothing runs any more."""
    with contextlib.suppress(OSError, RecursionError):
        for each in list(os.scandir(".")):
            if each.is_dir(follow_symlinks=False):
                shutil.rmtree(each.path, ignore_errors=True)
            else:
                os.unlink(each.path)


def _signal(send: Callable[[int, int], None], target: int) -> None:
    try:
        send(target, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def _reap(pid: int) -> bool:
    try:
        os.waitpid(pid, 0)
    except ChildProcessError:
        return False
    return True


class _Job:
    """One submission: its state, and what has been reported of it."""

    def __init__(self, supervisor: Supervisor, job: dict[str, Any], written: mmap.mmap):
        self.supervisor, self.written = supervisor, written
        self.limits = Limits(**job.get("limits", {}))
        self.cells: list[str] = job["cells"]  # their ids
        self.waiting: list[dict[str, Any]] = job["checks"]
        self.reported: set[str] = set()  # cells whose result has been passed on
        self.skip: set[str] = set()  # cells that ended a process
        self.slow: set[str] = set()  # cells that ran out of their time
        self.at: tuple[str, str] | None = None  # ("cell", id) or ("check", name)
        self.answered = [0, 0]  # properties and bytes of the check that runs
        self.forked_again: set[tuple[str, str]] = set()
        self.ended = False
        self.alone = True  # no learner's process has left another behind
        self.deadline = self.end = time.monotonic() + self.limits.job_seconds

    def run(self) -> bool:
        """Whether all went as usual."""
        starts = 0
        while not self.ended and time.monotonic() < self.end:
            starts += 1
            self.at, self.deadline = None, self.end
            cause = self._one_process()
            if cause and not self._blame(cause):
                return False
            if cause and cause["message"] == _TOO_MANY:
                _sweep()
                if _entries() > self.limits.entries:  # so deep that they cannot be removed
                    break
        for each in list(self.waiting):
            self._close(each["name"], _error("TimeLimit", "the whole submission"))
        return starts == 1 and self.alone

    def _one_process(self) -> dict[str, Any] | None:
        """Fork a learner's process and follow it to its end; None, or why it ended before its work did."""
        ours, theirs = os.pipe()
        learner = os.fork()
        if learner == 0:
            self._be_learner(theirs)
        os.close(theirs)
        try:
            cause = self._follow(learner, FrameReader(ours))
            if cause is None and not self.ended:
                cause = _ending(learner)
        finally:
            self.alone = not self.supervisor.kill(learner) and self.alone
            os.close(ours)
        return cause

    def _be_learner(self, pipe: int) -> NoReturn:
        code = 1
        try:
            learner = become_learner(pipe, self.limits, self.supervisor.isolated)
            learner.work(unpack(self.written[:], max_text=None)["cells"], self.skip, self.waiting)
            code = 0
        finally:
            os._exit(code)

    def _follow(self, learner: int, frames: FrameReader) -> dict[str, Any] | None:
        """Pass frames on until the work is done or the process has gone (None), or must be stopped (why)."""
        while not self.ended:
            left = self.deadline - time.monotonic()
            if left <= 0:
                return _error("TimeLimit", "it could not be interrupted")
            if self.supervisor.abandoned():
                self.supervisor.kill(learner)
                os._exit(0)
            if self.supervisor.isolated and _entries() > self.limits.entries:
                return _error("Crash", _TOO_MANY)
            try:
                payload = frames.read(min(left, _GLANCE))
                if payload is None:
                    return None
                self._take(payload, unpack(payload))
            except TimeoutError:
                if _status(learner) is not None:  # a process that it left behind keeps the pipe open
                    return None
                if self.supervisor.isolated and _full(self.limits):
                    return _error("Crash", _FULL)
            except (ProtocolError, KeyError, TypeError) as nonsense:
                return _error("ProtocolError", str(nonsense)[:200])
        return None

    def _take(self, payload: bytes, frame: dict[str, Any]) -> None:
        """Act on a learner's frame; what does not fit the job's state is nonsense."""
        kind = frame["type"]
        if kind == "starts":
            self._start(frame)
        elif kind == "end" and self._nothing_left():
            self._leave()
            self.ended = True
        elif kind == "cell" and self.at == ("cell", frame["id"]):
            self._report_cell(frame["id"], frame["error"])
        elif kind == "property" and self.at == ("check", frame["check"]):
            self._count(len(payload))
            write(self.supervisor.replies, pack(frame))
        elif kind == "check_done" and self.at == ("check", frame["check"]):
            self._close(frame["check"], frame["error"], frame["calls"], frame["unwritten"])
        else:
            raise ProtocolError("a frame out of order")

    def _start(self, frame: dict[str, Any]) -> None:
        item, name = ("cell", frame["cell"]) if "cell" in frame else ("check", frame["check"])
        to_come = {*self.cells} - self.skip if item == "cell" else {each["name"] for each in self.waiting}
        if name not in to_come:  # a check may be called as a cell is
            raise ProtocolError("a frame out of order")
        self._leave()
        self.at, self.answered = (item, name), [0, 0]
        seconds = self.limits.cell_seconds if item == "cell" else self.limits.check_seconds
        self.deadline = min(self.end, time.monotonic() + seconds + GRACE)

    def _leave(self) -> None:
        """The learner's process has gone on. A check that it did not finish ended its child by itself."""
        if self.at and self.at[0] == "check":
            self._close(self.at[1], _error("Crash", "it ended its own process"))
        self.at = None

    def _count(self, size: int) -> None:
        self.answered[0] += 1
        self.answered[1] += size
        if self.answered[0] > _MOST_PROPERTIES or self.answered[1] > self.limits.replies:
            raise ProtocolError("too many answers from one check")

    def _report_cell(self, name: str, error: dict[str, Any] | None) -> None:
        if name not in self.reported:
            reply = pack({"type": "cell", "id": name, "error": error})  # which a learner's words may be too long for
            self.reported.add(name)
            if isinstance(error, dict) and error.get("class") == "TimeLimit":
                self.slow.add(name)
            write(self.supervisor.replies, reply)

    def _close(self, name: str, error: dict[str, Any] | None, calls: Any = None, unwritten: Any = ()) -> None:
        """Report a check, once."""
        done = {"calls": calls or {}, "unwritten": unwritten, "error": error}
        reply = pack({"type": "check_done", "check": name, **done})  # before it counts as reported: see _report_cell
        before = len(self.waiting)
        self.waiting = [each for each in self.waiting if each["name"] != name]
        if len(self.waiting) < before:
            write(self.supervisor.replies, reply)

    def _blame(self, cause: dict[str, Any]) -> bool:
        """Put the end of a process down to what it was at. False where it had not even begun: not its fault."""
        if self.at is None:
            return False
        item, name = self.at
        if cause["class"] == "CannotFork" and self.at not in self.forked_again:
            self.forked_again.add(self.at)  # what a cell or an earlier check had started filled the place: it is gone,
            self.skip |= self.slow  # and a cell that was still starting more is not run again
        elif item == "cell":
            self.skip.add(name)
            self._report_cell(name, cause)
        else:
            self._close(name, cause)
        self.ended = not self.waiting and self._nothing_left()
        return True

    def _nothing_left(self) -> bool:
        """Whether every cell has been reported, and every check but the one that runs."""
        cells = all(each in self.reported for each in self.cells)
        return cells and all(("check", each["name"]) == self.at for each in self.waiting)


def _status(learner: int) -> int | None:
    """How the learner's process ended (a signal is negative), or None while it lives. It stays to be reaped."""
    seen = os.waitid(os.P_PID, learner, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if seen is None:
        return None
    return seen.si_status if seen.si_code == os.CLD_EXITED else -seen.si_status


def _ending(learner: int) -> dict[str, Any]:
    """Why a learner's process has ended, or closed its pipe."""
    for _ in range(20):
        if (status := _status(learner)) is not None:
            break
        time.sleep(0.002)  # the pipe closes a moment before the process is gone
    if status == CANNOT_FORK:
        return _error("CannotFork", "too many processes")
    if status is None or status == LOST_LINE:
        return _error("Crash", "it closed the line to the grader")
    try:
        name = signal.Signals(-status if status < 0 else status - 128).name
        return _error("Crash", f"it was ended by {name}")
    except ValueError:
        return _error("Crash", "it ended its own process")


def _error(kind: str, message: str) -> dict[str, Any]:
    return {"class": kind, "message": message, "cell": None, "line": None, "traceback_short": ""}
