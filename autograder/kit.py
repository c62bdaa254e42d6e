"""What a sandbox can see: a Python interpreter, NumPy, the learner's edition of the engine, and the runner.

A `Kit` is a staged copy of the few files of ours that go in (compiled, readable by anyone, unchanging while
a class is graded), together with the list of the host's files that are shown beside it, read-only. Nothing
else of the host exists inside: no torch, no solutions, no known mistakes, no referee, no home, no /etc.

Not here: how they are shown (sandbox.py) and what runs there (runner/).
"""

from __future__ import annotations

import compileall
import contextlib
import functools
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import weakref
from pathlib import Path
from typing import IO, NamedTuple

import numpy

from autograder.files import lock

__all__ = ["INSIDE", "Kit", "Mount"]

_PACKAGE = Path(__file__).parent
# All of autograder that enters a sandbox. The directories are taken whole.
SHOWN = (
    "__init__.py",
    "errors.py",
    "kinds.py",
    "messages.py",
    "parts.py",
    "by_name.py",
    "signatures.py",
    "swap.py",
    "protocol.py",
    "standin.py",
    "checks",
    "locale",
    "runner",
)
# Extension modules that no lesson needs and that would bring a dozen libraries each.
_NOT_NEEDED = re.compile(r"_tkinter|_curses|readline|_ssl|_sqlite3|_dbm|_gdbm|nis|_crypt|ossaudiodev|_test|xx")

# Staged files lie in the system's directory for temporary files, each kit's with a lock that its process holds.
_PREFIX, _LOCK = "autograder-kit-", "in-use"

# Where things are inside.
INSIDE = "/opt/kit"
_PYTHON, _LIBRARIES, _SITE, _TOOLS = "/opt/python", "/opt/lib", "/opt/site", "/opt/bin"


class Mount(NamedTuple):
    """A file or directory of the host, and the path under which it is seen inside (None: an empty directory)."""

    source: Path | None
    target: str


class Kit:
    """The files of one lesson's sandboxes: `mounts`, and how to start Python on them.

    `edition` is a directory that holds the learner's edition of the package `minigrad`, or that package
    itself; None means the whole engine, for tests and for lessons that take no part away.
    """

    def __init__(self, edition: Path | str | None = None):
        remove_abandoned()
        self.root = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._in_use = _locked(self.root)  # until it is closed
        self._cleanup = weakref.finalize(self, _remove, self.root, self._in_use)
        self.code = self.root / "kit"
        self.site = self.root / "site"
        _stage(_PACKAGE, self.code / "autograder", SHOWN)
        engine = _engine(Path(edition) if edition else _PACKAGE.parent)
        _stage(engine, self.code / "minigrad", tuple(each.name for each in engine.iterdir()))
        _settle(self.code)
        self.site.mkdir()
        for each in _numpy():
            (self.site / each.name).symlink_to(each)

    def close(self) -> None:
        """Remove the staged files; sandboxes that still use them keep what they have open."""
        self._cleanup()

    def mounts(self, *tools: str) -> list[Mount]:
        """Everything to show, with these programs of the host (and their libraries) beside Python."""
        return [
            *_python(),
            *(Mount(each, f"{_SITE}/{each.name}") for each in _numpy()),
            *(Mount(Path(tool), inside(tool)) for tool in tools),
            *_libraries(tools),
            Mount(self.code, INSIDE),
        ]

    def command(self, host: bool = False) -> list[str]:
        """Python with nothing of the user's: no site, no start-up files, no current directory on its path."""
        python = sys._base_executable if host else f"{_PYTHON}/bin/python"  # type: ignore[attr-defined]
        return [python, "-s", "-S", "-P", "-B"]

    def environment(self, host: bool = False) -> dict[str, str]:
        """All the environment there is. One thread: a sandbox is one core's work."""
        paths = [str(self.code), str(self.site)] if host else [INSIDE, _SITE]
        return {
            "PYTHONPATH": ":".join(paths),
            "PYTHONHASHSEED": "0",  # the same seeds give the same run
            "PYTHONIOENCODING": "utf-8",
            "LANG": "C.UTF-8",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            **({} if host else {"LD_LIBRARY_PATH": _LIBRARIES, "HOME": "/tmp", "TMPDIR": "/tmp"}),
        }


def inside(tool: str) -> str:
    """Where a program of the host is found inside."""
    return f"{_TOOLS}/{Path(tool).name}"


# ── What a killed process has left ───────────────────────────────────────────────────────────────


def _locked(root: Path) -> IO[bytes]:
    """The lock of the kit in `root`, held."""
    file = (root / _LOCK).open("wb")
    lock(file)
    return file


def _remove(root: Path, held: IO[bytes]) -> None:
    held.close()
    shutil.rmtree(root, ignore_errors=True)


def remove_abandoned(age: float = 60.0) -> None:
    """Remove this user's kits whose process was killed, so that nobody holds their lock.

    age: seconds; a younger one may be about to be locked.
    """
    if not hasattr(os, "getuid"):
        return  # Windows, where nothing is locked
    for root in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # in use, or gone already
            about = root.lstat()
            if about.st_uid == os.getuid() and time.time() - about.st_mtime > age:
                with (root / _LOCK).open("rb") as file:
                    lock(file)
                    shutil.rmtree(root, ignore_errors=True)


# ── Our own files ────────────────────────────────────────────────────────────────────────────────


def _engine(given: Path) -> Path:
    """The package minigrad in or at `given`."""
    return next((p for p in (given / "minigrad", given) if (p / "__init__.py").is_file()), given)


def _stage(source: Path, target: Path, names: tuple[str, ...]) -> None:
    """Copy files and trees, compiled modules and times included, so that little is left to compile."""
    target.mkdir(parents=True)
    for name in names:
        if (source / name).is_dir():
            shutil.copytree(source / name, target / name)
        elif (source / name).exists():
            shutil.copy2(source / name, target / name)


def _settle(tree: Path) -> None:
    """Compile every module, and let any uid read the result whatever the umask was."""
    compileall.compile_dir(tree, quiet=2)
    for folder, _, files in os.walk(tree):
        os.chmod(folder, 0o755)
        for file in files:
            os.chmod(os.path.join(folder, file), 0o644)


# ── The host's files ─────────────────────────────────────────────────────────────────────────────


def _numpy() -> list[Path]:
    """NumPy's package and the libraries that its wheel keeps beside it."""
    package = Path(numpy.__file__).resolve().parent
    return [package, *(each for each in package.parent.glob("numpy*.libs") if each.is_dir())]


def _stdlib() -> dict[str, Path]:
    """The standard library's two directories (often one), each under the path it has below Python's prefix."""
    base = {"base": sys.base_prefix, "installed_base": sys.base_prefix, "platbase": sys.base_exec_prefix}
    places = {name: Path(sysconfig.get_path(name, vars=base)) for name in ("stdlib", "platstdlib")}
    return {str(p.relative_to(sys.base_prefix)): p for p in places.values() if p.is_dir()}


@functools.cache
def _python() -> tuple[Mount, ...]:
    """The interpreter and its standard library, without what others have installed into it."""
    found = [Mount(Path(sys._base_executable).resolve(), f"{_PYTHON}/bin/python")]  # type: ignore[attr-defined]
    for relative, path in _stdlib().items():
        found.append(Mount(path, f"{_PYTHON}/{relative}"))
        for extra in ("site-packages", "dist-packages"):
            if (path / extra).is_dir():
                found.append(Mount(None, f"{_PYTHON}/{relative}/{extra}"))
    return tuple(found)


def search_path() -> str:
    """Where programs are looked for: the usual places, too, as root's PATH may be short."""
    return os.environ.get("PATH", "") + ":/usr/local/bin:/usr/bin:/bin"


@functools.cache
def _libraries(tools: tuple[str, ...]) -> tuple[Mount, ...]:
    """Every shared library that Python, its extension modules, NumPy and `tools` load, as `ldd` tells.

    They lie in one directory, by the name they are asked for; only the loader itself must be where it
    always is.
    """
    files = [sys._base_executable, *tools]  # type: ignore[attr-defined]
    for path in _stdlib().values():
        files += [str(f) for f in path.glob("lib-dynload/*.so") if not _NOT_NEEDED.match(f.name)]
    for path in _numpy():
        files += [str(f) for f in path.rglob("*.so") if "test" not in f.name]
    environment = {**os.environ, "LC_ALL": "C", "PATH": search_path()}
    told = subprocess.run(["ldd", *files], capture_output=True, text=True, check=False, env=environment).stdout
    found = {f"{_LIBRARIES}/{name}": Path(path) for name, path in re.findall(r"(\S+) => (/.+) \(0x", told)}
    found |= {path: Path(path) for path in re.findall(r"^\t(/[^=>\n]+) \(0x", told, re.MULTILINE)}
    return tuple(Mount(path.resolve(), target) for target, path in found.items())
