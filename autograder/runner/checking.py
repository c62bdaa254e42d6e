"""One learner's process: it executes the cells, then runs each check in a forked child of its own.

So checks see one and the same namespace and engine, and cannot disturb each other. Everything is told to the
supervisor over one pipe, as it happens: what was found before a crash counts.

What is guaranteed, and what is not. The learner's code runs in these processes and may forge every frame
they write. That gains nothing for values: the referee compares them with torch's answers, which are not
here. It can forge the counts of calls: they tell an honest learner that a part was never plugged in or
never reached, and they cost somebody who computes the right values by another way one more trick. They
prove nothing; what makes "another way" fail are the checks themselves (order of hooks, graphs, repeated
backward, time).
"""

from __future__ import annotations

import os
import sys
from typing import Any

import autograder
import minigrad
from autograder import checks, parts
from autograder.protocol import ProtocolError, clip, pack, write
from autograder.runner.cells import Notebook, fault, settle_names
from autograder.runner.limits import OPEN_FILES, Limits, apply, stop_clock, time_limit

__all__ = ["CANNOT_FORK", "LOST_LINE", "Learner", "become_learner"]

# Exit statuses of a learner's process.
LOST_LINE = 71  # the pipe to the supervisor is gone
CANNOT_FORK = 72  # too many processes


class Learner:
    """The work of one learner's process, from the cells to the last check. It ends by `os._exit`, never
    returns.

    `skip` names the cells that ended an earlier process of the same job: they are left out.
    """

    def __init__(self, pipe: int, limits: Limits):
        self.pipe, self.limits = pipe, limits
        self.me = os.getpid()

    def work(self, cells: list[dict[str, str]], skip: set[str], wanted: list[dict[str, Any]]) -> None:
        settle_names()
        _no_checks_inside_cells()
        notebook = Notebook()
        for cell in cells:
            if cell["id"] in skip:
                continue
            self.tell({"type": "starts", "cell": cell["id"]})
            error = notebook.execute(cell["id"], cell["source"], self.limits.cell_seconds)
            self.tell({"type": "cell", "id": cell["id"], "error": error})
        for each in wanted:
            self.tell({"type": "starts", "check": each["name"]})
            self._in_a_child(each["name"], each["seed"], each.get("alone", False))
        self.tell({"type": "end"})

    def tell(self, message: dict[str, Any]) -> None:
        """Write a frame, unless this is a copy of the process that the learner's code has forked."""
        if os.getpid() != self.me:
            os._exit(0)
        try:
            write(self.pipe, pack(message))
        except OSError:
            os._exit(LOST_LINE)

    def _in_a_child(self, name: str, seed: int, alone: bool) -> None:
        try:
            child = os.fork()
        except OSError:
            os._exit(CANNOT_FORK)
        if child == 0:
            self.me = os.getpid()
            try:
                self._check(name, seed, alone)
            finally:
                os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status < 0:  # killed, perhaps in the middle of a frame: this stream is not to be trusted any more
            os._exit(128 - status)

    def _check(self, name: str, seed: int, alone: bool) -> None:
        """Run a check; `alone`: on the parts that it asks for, and the engine's own in all other places.

        Other parts whose cells did not run are counted all the same, as they stand in the engine: what a check did not
        meet has cost it nothing, and it need not be heard again.
        """
        check, error = checks.get(name), None
        there = parts.plugged()  # a part whose cell did not run is as unwritten as one that says so
        missing = [part for part in checks.others(check) if part not in there]
        others = [part for part in there if alone and part not in check.parts]
        parts.reset()
        with parts.engines_own(missing):
            try:
                with time_limit(self.limits.check_seconds), parts.engines_own(others), parts.counting():
                    for each in checks.properties(check, minigrad, seed):
                        self._property(name, each.label, each.value)
                        parts.count_anew()
            except BaseException as raised:
                stop_clock()
                error = fault(raised)
            calls = {part: parts.calls(part) for part in {*check.parts, *parts.counted(), *missing}}
        unwritten = [part for part in check.parts if parts.unwritten(part) or part not in there]
        self.tell({"type": "check_done", "check": name, "calls": calls, "unwritten": unwritten, "error": error})

    def _property(self, name: str, label: str, value: Any) -> None:
        frame = {"type": "property", "check": name, "label": label}
        try:
            self.tell(frame | {"value": _clipped(value)})
        except ProtocolError as refused:  # a value that no frame can carry is a wrong value, not a broken line
            self.tell(frame | {"value": {"unencodable": clip(refused, 200)}})


def _clipped(value: Any) -> Any:
    """An encoded value whose strings a frame may carry. Arrays hold none but "nan" and its like."""
    if isinstance(value, str):
        return clip(value)
    if isinstance(value, list):
        return [_clipped(each) for each in value]
    if isinstance(value, dict) and "data" not in value:
        return {key: _clipped(each) for key, each in value.items()}
    return value


def _no_checks_inside_cells() -> None:
    """`check(…)` and its like in a cell do nothing here: grading runs the checks itself, on this lesson's parts only."""
    for name in ("check", "hint", "use_parts", "your_engine"):
        setattr(autograder, name, lambda *_, **__: None)


def become_learner(pipe: int, limits: Limits, isolated: bool) -> Learner:
    """Turn a freshly forked process into a learner's: no descriptor but `pipe`, bounded, its own group."""
    null = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(null, standard)
    moved = os.dup2(pipe, OPEN_FILES - 1, inheritable=False)
    os.closerange(3, moved)
    os.closerange(moved + 1, 4096)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")
    if not isolated:
        os.setpgid(0, 0)
    apply(limits, isolated)
    return Learner(moved, limits)
