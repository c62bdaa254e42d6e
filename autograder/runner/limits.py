"""What one learner's process may use: time, memory, processes, files. Set once, just after the fork.

A limit that the kernel enforces cannot be raised again without privileges. The soft time limit is a
courtesy: it interrupts an endless loop with an exception, so that what was found before it counts. A
program that swallows the exception meets the supervisor's hard limit, a second later.
"""

from __future__ import annotations

import resource
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

__all__ = ["DEFAULT", "GRACE", "Limits", "TimeLimit", "apply", "stop_clock", "time_limit"]

GRACE = 1.0  # seconds between the soft and the hard time limit
OPEN_FILES = 128


class Limits(NamedTuple):
    """One submission's allowance. Times are wall-clock seconds, sizes are bytes."""

    cell_seconds: float = 4.0
    check_seconds: float = 4.0
    job_seconds: float = 40.0
    again_seconds: float = 80.0  # after which no other hearing of one submission begins (referee.py)
    memory: int = 1 << 30  # address space of one process
    total: int = 3 << 29  # memory of the whole sandbox; looked after from outside (footprint.py)
    processes: int = 8  # and threads, of the whole sandbox
    file: int = 16 << 20  # one file
    scratch: int = 32 << 20  # the only directory that can be written
    entries: int = 10_000  # files, folders and links in it
    replies: int = 2 << 20  # what one check may answer in all; each byte can cost the referee twenty


DEFAULT = Limits()


class TimeLimit(BaseException):
    """The soft time limit. Not an Exception, so that a learner's `except Exception` lets it pass."""


def apply(limits: Limits, isolated: bool) -> None:
    """Bind this process and all it forks. Without a sandbox the user's other processes would be counted too."""
    seconds = int(limits.job_seconds) + 1
    bounds = {
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_AS: limits.memory,
        resource.RLIMIT_FSIZE: limits.file,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    if isolated:
        bounds[resource.RLIMIT_NPROC] = limits.processes + 1  # who takes that one is ended (supervisor.py)
    for which, most in bounds.items():
        hard = resource.getrlimit(which)[1]
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(which, (value, value))


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeLimit in the block after `seconds`, and again every half second in case it was swallowed.

    A clock that ran before goes on afterwards.
    """

    def interrupt(*_: Any) -> None:
        raise TimeLimit

    handler, began = signal.signal(signal.SIGALRM, interrupt), time.monotonic()
    left, _ = signal.setitimer(signal.ITIMER_REAL, seconds, 0.5)
    try:
        yield
    finally:
        try:
            stop_clock()
        finally:  # should it strike just here
            stop_clock()
            signal.signal(signal.SIGALRM, handler)
            if left:
                signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - began), 0.001))


def stop_clock() -> None:
    """No more TimeLimit. Whoever catches one calls this: it may have struck while its own block was ending."""
    signal.setitimer(signal.ITIMER_REAL, 0)
