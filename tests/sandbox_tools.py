"""For tests with a real sandbox: run cells in it, and have them tell what they found.

A cell says `answer(x)`; what it answered comes back in place of its error. Nothing here stands in for anything: the
sandbox, the runner and the protocol are the ones that grade.
"""

import ast
from collections.abc import Iterable
from typing import Any

from autograder.runner.limits import Limits
from autograder.sandbox import Running

# Short, so that a test of an endless loop is short; long enough for a busy machine.
QUICK = Limits(cell_seconds=0.6, check_seconds=0.6, job_seconds=20.0)
ANSWER = """
def answer(found):
    raise SystemExit("answer: " + repr(found))
"""

HOGS = """
import os, time
below = [os.fork() for _ in range(2)]  # four processes, each within its own limit
kept = b"x" * (60 << 20)
time.sleep(2)
if all(below):
    answer("had it all")
"""


def job(sources: Iterable[str], checks: Iterable[dict[str, Any]] = (), limits: Limits = QUICK) -> dict[str, Any]:
    """A job with cells c0, c1, …"""
    cells = [{"id": f"c{number}", "source": source} for number, source in enumerate(sources)]
    return {"lesson": "test", "cells": cells, "checks": list(checks), "limits": limits._asdict()}


def run_cells(running: Running, *sources: str, limits: Limits = QUICK) -> list[Any]:
    """What each cell came to: None, its answer, or its error as (class, message)."""
    frames = running.frames(job([ANSWER, *sources], limits=limits), limits.job_seconds)
    errors = {frame["id"]: frame["error"] for frame in frames if frame["type"] == "cell"}
    return [_outcome(errors.get(f"c{number}", {"class": "?", "message": "?"})) for number in range(1, len(sources) + 1)]


def ask(running: Running, source: str) -> Any:
    """What one cell came to."""
    return run_cells(running, source)[0]


def _outcome(error: dict[str, Any] | None) -> Any:
    if error is None:
        return None
    if error["message"].startswith("answer: "):
        return ast.literal_eval(error["message"].removeprefix("answer: "))
    return error["class"], error["message"]
