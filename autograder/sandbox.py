"""Where learners' code runs: a process that sees almost nothing, may do almost nothing, and ends when told.

    Sandbox(kit)    bubblewrap: its own process, network, IPC, mount and host-name spaces, an unprivileged
                    uid, no capabilities, a filter on system calls (seccomp.py), read-only files (kit.py), one
                    small scratch
    Unsafe(kit)     the same runner as a plain process with the same limits: for machines without bubblewrap,
                    on the instructor's word only; it keeps accidents apart, not attacks

Both start `python -m autograder.runner` and hand over a `Running`, which gives it jobs and takes its
frames. As root, bubblewrap makes no user namespace (it would still be root's) and `setpriv` inside changes
to a uid that no account has, another for every sandbox, so that no two share a process limit. As a user, a
user namespace takes its place.

Not here: whether this machine can do it (probe.py), what a job's frames mean (testimony.py).
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar

from autograder import footprint, seccomp
from autograder.errors import SandboxFailed
from autograder.kit import Kit, Mount, inside, search_path
from autograder.messages import text
from autograder.protocol import FrameReader, ProtocolError, pack_job, unpack, write
from autograder.runner.limits import DEFAULT, Limits

__all__ = ["Running", "Sandbox", "Unsafe", "program", "warn_unsafe"]

START_SECONDS = 30.0  # for Python and NumPy to load, on a machine that is very busy
SLACK = 5.0  # seconds that the supervisor inside may be late before the referee ends it all
_UIDS = range(1_800_000_000, 1_900_000_000)  # far from accounts and from containers' sub-uids
_COMPLAINT = 4000  # characters kept of what a failed start printed


class Running:
    """A sandbox that is up: `frames(job)` runs one job. `alive` says whether it can take another."""

    def __init__(self, process: subprocess.Popen[bytes], complaints: Any, total: int, patience: float = 0.0):
        self._process, self._complaints, self._total, self._patience = process, complaints, total, patience
        self._look = 0.0  # when to look at its memory again
        assert process.stdin and process.stdout
        self._jobs, self._reader = process.stdin.fileno(), FrameReader(process.stdout.fileno())
        self._open = True
        self._await_ready()

    @property
    def alive(self) -> bool:
        """Whether it can take a job. (It may have died waiting: it ends with the thread that started it.)"""
        return self._open and self._process.poll() is None

    def _await_ready(self) -> None:
        try:
            if self._read(time.monotonic() + START_SECONDS).get("type") == "ready":
                return
            raise SandboxFailed(text("sandbox_not_ready"))
        except SandboxFailed:
            self.close()
            raise

    def frames(self, job: dict[str, Any], seconds: float) -> Iterator[dict[str, Any]]:
        """Send a job and give its frames as they come, up to and without "done".

        SandboxFailed if the sandbox dies, is late or does not keep to the protocol: then nothing can be said
        about the job, and the sandbox is closed.
        """
        deadline = time.monotonic() + seconds + SLACK
        if not self.alive:
            raise SandboxFailed(text("sandbox_died", said="closed"))
        try:
            self._write(job)
            while (frame := self._read(deadline)).get("type") != "done":
                yield frame
        except BaseException:
            self.close()
            raise
        if frame.get("clean") is not True:
            self.close()

    def _write(self, job: dict[str, Any]) -> None:
        try:
            write(self._jobs, pack_job(job))
        except (OSError, ProtocolError) as error:
            raise SandboxFailed(text("sandbox_died", said=self._said() or str(error))) from None

    def _read(self, deadline: float) -> dict[str, Any]:
        try:
            while (left := deadline - time.monotonic()) > 0:
                self._bound_memory()
                with contextlib.suppress(TimeoutError):
                    payload = self._reader.read(min(left, footprint.GLANCE))
                    if payload is None:
                        raise SandboxFailed(text("sandbox_died", said=self._said()))
                    return unpack(payload)
        except ProtocolError as error:
            raise SandboxFailed(text("sandbox_died", said=str(error))) from None
        raise SandboxFailed(text("sandbox_late"))

    def _bound_memory(self) -> None:
        if time.monotonic() >= self._look:
            footprint.bound(self._process.pid, self._total)
            self._look = time.monotonic() + footprint.GLANCE

    def _said(self) -> str:
        """What bubblewrap or Python complained of. Learners' code has no way to write there."""
        try:
            self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            pass
        self._complaints.seek(0)
        return str(self._complaints.read(_COMPLAINT).decode(errors="replace").strip())

    def close(self) -> None:
        """End it, with all that runs inside. Safe to call again."""
        self._open = False
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()
        try:
            self._process.wait(self._patience)  # it sees the pipe close, and ends what it has started
        except subprocess.TimeoutExpired:
            try:  # a session of its own: in a sandbox that is bubblewrap alone, which takes the rest along
                os.killpg(self._process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self._process.wait()
        self._complaints.close()

    def __enter__(self) -> Running:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Sandbox:
    """Starts sandboxes on one kit."""

    sandboxed: ClassVar[bool] = True

    def __init__(self, kit: Kit, limits: Limits = DEFAULT):
        self.kit, self.limits = kit, limits
        self.as_root = os.geteuid() == 0
        self._setpriv = _program("setpriv") if self.as_root else None
        self._bwrap = _program("bwrap")
        self._mounts = _arguments(kit.mounts(*filter(None, [self._setpriv])), limits)

    def start(self) -> Running:
        """A sandbox that is ready for a job. SandboxFailed if it does not come up."""
        return self.start_program("autograder.runner", "--isolated")

    def start_program(self, module: str, *arguments: str) -> Running:
        """A sandbox that runs one of the kit's modules, which must say "ready"."""
        try:
            instructions = seccomp.program()
        except KeyError as machine:
            raise SandboxFailed(text("sandbox_died", said=f"unknown machine {machine}")) from None
        read_end, write_end = os.pipe()  # bubblewrap reads the filter from a descriptor; it fits into a pipe
        try:
            with open(write_end, "wb") as filter_file:
                filter_file.write(instructions)
            command = self.command(read_end, "-m", module, *arguments)
            return _start(command, {}, self.limits.total, pass_fds=(read_end,))
        finally:
            os.close(read_end)

    def command(self, filter_fd: int, *python: str) -> list[str]:
        """The whole command line: bubblewrap's spaces, environment and mounts, then what runs inside."""
        environment = [word for pair in self.kit.environment().items() for word in ("--setenv", *pair)]
        inner, spaces = (self._drop_root(), _AS_ROOT) if self.as_root else ([], _AS_USER)
        return [
            *(self._bwrap, *spaces, *_ALWAYS, "--clearenv", *environment, *self._mounts),
            *("--seccomp", str(filter_fd), "--", *inner, *self.kit.command(), *python),
        ]

    def _drop_root(self) -> list[str]:
        assert self._setpriv
        uid = str(secrets.choice(_UIDS))
        drop = [
            "--clear-groups",
            "--no-new-privs",
            "--inh-caps=-all",
            "--ambient-caps=-all",
            "--bounding-set=-all",
        ]
        return [inside(self._setpriv), "--reuid", uid, "--regid", uid, *drop, "--pdeathsig", "KILL"]


_ALWAYS = ("--die-with-parent", "--new-session", "--as-pid-1", "--hostname", "sandbox", "--chdir", "/tmp")
_AS_ROOT = (
    *(
        "--unshare-pid",
        "--unshare-net",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
        "--cap-drop",
        "ALL",
    ),
    # For setpriv, which gives up these too.
    *("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP"),
)
_AS_USER = (
    *(
        "--unshare-all",
        "--unshare-user",
        "--disable-userns",
        "--cap-drop",
        "ALL",
        "--uid",
        "65534",
        "--gid",
        "65534",
    ),
)


def _arguments(mounts: list[Mount], limits: Limits) -> list[str]:
    """bubblewrap's words for these mounts: parents first and readable, then everything read-only but the scratch."""
    words: list[str] = []
    made = {Path("/"), *(Path(each.target) for each in mounts)}
    for mount in mounts:
        for parent in reversed(Path(mount.target).parents):
            if parent not in made:
                words += ["--perms", "0755", "--dir", str(parent)]
                made.add(parent)
        words += ["--ro-bind", str(mount.source), mount.target] if mount.source else _empty(mount.target)
    words += ["--perms", "0755", "--dir", "/dev"]
    for device in ("/dev/null", "/dev/urandom"):
        words += ["--dev-bind", device, device]
    words += ["--size", str(limits.scratch), "--perms", "1777", "--tmpfs", "/tmp"]
    return [*words, "--remount-ro", "/"]


def _empty(target: str) -> list[str]:
    return ["--perms", "0755", "--tmpfs", target, "--remount-ro", target]


def program(name: str) -> str | None:
    """Where a program is."""
    found = shutil.which(name, path=search_path())
    return str(Path(found).resolve()) if found else None


def _program(name: str) -> str:
    found = program(name)
    if not found:
        raise SandboxFailed(text("program_missing", program=name))
    return found


class Unsafe:
    """Starts the runner without a sandbox: in a scratch directory, with limits, with nothing on Python's
    path but the kit. A learner's program that means harm can do all that the user can."""

    sandboxed: ClassVar[bool] = False

    def __init__(self, kit: Kit, limits: Limits = DEFAULT):
        self.kit, self.limits = kit, limits
        self._scratches = kit.root / "scratch"
        self._scratches.mkdir(exist_ok=True)

    def start(self) -> Running:
        """A process that is ready for a job."""
        scratch = tempfile.mkdtemp(dir=self._scratches)
        environment = {**self.kit.environment(host=True), "HOME": scratch, "TMPDIR": scratch}
        command = [*self.kit.command(host=True), "-m", "autograder.runner"]
        return _start(command, environment, self.limits.total, patience=1.0, cwd=scratch)


def _start(command: list[str], environment: dict[str, str], total: int, patience: float = 0.0, **more: Any) -> Running:
    """Start `command` in a session of its own, with pipes for jobs and frames and nothing else open."""
    complaints = tempfile.TemporaryFile()  # a file, not a pipe: nobody has to read along
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env=environment,
            start_new_session=True,
            bufsize=0,
            **more,
        )
    except OSError as error:
        complaints.close()
        raise SandboxFailed(text("sandbox_died", said=str(error))) from None
    return Running(process, complaints, total, patience)


def warn_unsafe() -> None:
    """Say loudly that learners' code is about to run with the user's own rights."""
    bar = "!" * 78
    print(bar, *text("unsafe_warning").lines(), bar, sep="\n", file=sys.stderr, flush=True)
