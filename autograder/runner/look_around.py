"""`python -m autograder.runner.look_around`: try every door of the sandbox from inside and say which gave
way.

Used by probe.py before any learner's code runs on a machine. It tries to do what must be impossible; the
answers are plain facts, and the referee's side decides what they mean.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import socket
import sys
from collections.abc import Callable

from autograder.protocol import FrameReader, pack, unpack, write

_PR_CAPBSET_READ, _PR_GET_NO_NEW_PRIVS, _PR_GET_SECCOMP = 23, 39, 21


def main() -> None:
    """Answer one job {"files": [paths of the host]} with one frame of doors found open."""
    write(1, pack({"type": "ready"}))
    payload = FrameReader(0).read()
    files = unpack(payload or b"{}", max_text=None)["files"]
    doors = {
        "user": lambda: os.geteuid() == 0 or os.getgroups() or bool(_try(lambda: os.setuid(0))),
        "capabilities": lambda: any(_prctl(_PR_CAPBSET_READ, number) == 1 for number in range(41)),
        "new_privileges": lambda: _prctl(_PR_GET_NO_NEW_PRIVS) != 1,
        "system_calls": lambda: _prctl(_PR_GET_SECCOMP) != 2,
        "namespaces": lambda: ctypes.CDLL(None).unshare(0x1000_0000) == 0,
        "mounts": lambda: ctypes.CDLL(None).mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0,
        "network": lambda: (
            _try(lambda: socket.create_connection(("127.0.0.1", 9), 0.2)) or _try(lambda: socket.socket(socket.AF_UNIX))
        ),
        "torch": lambda: _try(lambda: importlib.import_module("torch")),
        "files": lambda: next((path for path in files if os.path.lexists(path)), False),
        "writing": lambda: _try(lambda: open("/opt/door", "w")) or _try(lambda: open("/door", "w")),
        "processes": lambda: os.getpid() != 1 or os.path.exists("/proc/1"),
        "descriptors": lambda: [n for n in range(3, 1024) if _try(lambda n=n: os.fstat(n))],  # type: ignore[misc]
    }
    found = {name: str(answer) for name, door in doors.items() if (answer := door())}
    write(1, pack({"type": "property", "open": found, "python": sys.version.split()[0]}))
    write(1, pack({"type": "done", "clean": False}))


def _try(action: Callable[[], object]) -> bool:
    """Whether it can be done."""
    try:
        action()
    except (OSError, ImportError):
        return False
    return True


def _prctl(option: int, argument: int = 0) -> int:
    return int(ctypes.CDLL(None).prctl(option, argument, 0, 0, 0))


if __name__ == "__main__":
    main()
