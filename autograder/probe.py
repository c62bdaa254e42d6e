"""Can this machine make a sandbox that holds? A real run, once a process, before any learner's code.

Inside, `runner.look_around` tries the doors: being root, capabilities, namespaces, mounts, the network,
host files, torch, writing outside the scratch. If one gives way, or bubblewrap does not start, `probe`
raises SandboxUnavailable with the cause it recognises and what to do about it. Each cause is one row of a
table.
"""

from __future__ import annotations

import functools
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from autograder.errors import SandboxFailed, SandboxUnavailable
from autograder.kit import INSIDE, Kit
from autograder.messages import Text, text
from autograder.sandbox import Sandbox, program

__all__ = ["diagnose", "look_around", "probe"]

_SECONDS = 30.0


class _Cause(NamedTuple):
    """A complaint (of bubblewrap, setpriv or ours), and the key of its explanation and remedy in the catalogues."""

    complaint: str
    key: str
    applies: bool = True


def _apparmor() -> bool:
    """Ubuntu 23.10 and later let no unprivileged program make a user namespace without a profile."""
    try:
        switch = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").read_text()
    except OSError:
        return False
    return switch.strip() == "1"


def _container() -> bool:
    return any(Path(mark).exists() for mark in ("/.dockerenv", "/run/.containerenv"))


def _causes() -> list[_Cause]:
    """The first that fits is told."""
    refused = r"(?i)not permitted|permission denied|no permissions|namespace|EPERM|loopback"
    return [
        _Cause(r"", "not_linux", sys.platform != "linux"),
        _Cause(r"bwrap", "no_bwrap", program("bwrap") is None),
        _Cause(r"setpriv", "no_setpriv", program("setpriv") is None),
        _Cause(r"KeyError|unknown machine", "unknown_machine"),
        _Cause(refused, "container", _container()),
        _Cause(refused, "apparmor", _apparmor()),
        _Cause(refused, "namespaces_off"),
        _Cause(r"(?i)unknown option|unrecognized option", "old_bwrap"),
        _Cause(r"", "sandbox_other"),
    ]


def diagnose(complaint: str) -> SandboxUnavailable:
    """The error for a sandbox that did not start and said this."""
    key = next(c.key for c in _causes() if c.applies and re.search(c.complaint, complaint))
    return SandboxUnavailable(
        text("no_sandbox", cause=text(f"cause_{key}")),
        where=complaint.strip()[:500] or None,
        remedy=Text(*(f"{a}\n{b}" for a, b in zip(text(f"remedy_{key}"), text("remedy_unsafe"), strict=True))),
    )


@functools.cache
def probe() -> str:
    """The version of Python inside a sandbox that holds. Raises SandboxUnavailable; a success is remembered."""
    kit = Kit()
    try:
        found = look_around(Sandbox(kit))
    except SandboxFailed as failed:
        raise diagnose(str(failed)) from None
    finally:
        kit.close()
    if doors := found["open"]:
        opened = ", ".join(f"{name} ({what})" for name, what in doors.items())
        raise SandboxUnavailable(text("sandbox_leaks", doors=opened), remedy=text("remedy_unsafe"))
    return str(found["python"])


def look_around(sandbox: Sandbox) -> dict[str, Any]:
    """What a program inside `sandbox` could reach: {"open": {door: what}, "python": version}."""
    with tempfile.NamedTemporaryFile(prefix="autograder-canary-") as canary:
        files = [canary.name, *_HOST_FILES, str(Path(__file__).resolve())]
        with sandbox.start_program("autograder.runner.look_around") as running:
            return next(iter(running.frames({"files": files}, _SECONDS)))


# What must not be seen: the host's, and those files of ours that hold answers.
_HOST_FILES = [
    *(
        "/etc/passwd",
        "/etc/shadow",
        "/proc/self",
        "/proc/1/environ",
        "/sys/kernel",
        "/run",
        "/home",
        "/root",
        "/bin/sh",
    ),
    *(f"{INSIDE}/autograder/{name}" for name in ("referee.py", "oracle.py", "compare.py", "mistakes")),
]
