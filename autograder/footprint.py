"""How much memory a sandbox uses in all, seen from outside, and its end where that is too much.

The kernel bounds each process inside (runner/limits.py), and how many there are; nothing but a control group bounds
their sum, and setting one up needs rights that a grader does not always have. So whoever waits for a sandbox looks at
it every GLANCE seconds: private and shared memory of all its processes, as /proc tells. Above the bound, the learner's
processes are killed; the supervisor inside puts that down to the cell or check that ran, as it does any crash.

What is swapped counts, too; pages that a fork shares count for each (it is a bound, not an account). Between two looks
a sandbox can take more: as much as the machine can hand out in that time. Not here: limits of one process.
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

GLANCE = 0.05  # seconds between looks
_USED = re.compile(r"^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$", re.MULTILINE)
_FIRST_INSIDE = re.compile(r"^NSpid:.*\s1$", re.MULTILINE)  # process 1 of its own namespace


def bound(started: int, most: int) -> bool:
    """Kill what a learner runs in the sandbox whose first process is `started`, if it uses more than `most` bytes.

    Whether it did. Where there is no /proc, nothing is known, and nothing is done.
    """
    supervisor, learners = _inside(started)
    if used(supervisor) + sum(map(used, learners)) <= most:
        return False
    held: dict[int, int] = {}
    try:
        for pid in learners:
            try:
                held[pid] = os.pidfd_open(pid)
            except (OSError, AttributeError):
                continue
        still = set(_inside(started)[1])  # what is held and still there is the same process: no number is used twice
        for pid in held.keys() & still:
            try:
                signal.pidfd_send_signal(held[pid], signal.SIGKILL)
            except OSError:
                continue
    finally:
        for each in held.values():
            os.close(each)
    return True


def used(pid: int) -> int:
    """Bytes of memory that a process holds for itself or shares with its like; 0 if it is gone."""
    return 1024 * sum(map(int, _USED.findall(_status(pid))))


def _inside(started: int) -> tuple[int, list[int]]:
    """The supervisor, and all that it and its children have started. Without a sandbox `started` is the supervisor."""
    below = list(_descendants(started))
    supervisor = next((pid for pid in below if _FIRST_INSIDE.search(_status(pid))), started)
    return supervisor, below if supervisor == started else list(_descendants(supervisor))


def _descendants(pid: int) -> Iterator[int]:
    """Processes that died meanwhile are left out; what they leave behind belongs to the supervisor by then."""
    tasks = Path(f"/proc/{pid}/task")
    try:
        children = [int(each) for task in os.listdir(tasks) for each in _read(tasks / task / "children").split()]
    except OSError:
        return
    for child in children:
        yield child
        yield from _descendants(child)


def _status(pid: int) -> str:
    return _read(Path(f"/proc/{pid}/status"))


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
