"""Files that appear whole or not at all, and files of strangers, read without following where they lead.

Knows nothing of grading.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from autograder.messages import Text, text

_PLAIN = re.compile(r"[^\s/\\+.*?\[\],][^/\\+*?\[\],]*")
_MOST = 120  # bytes: of a name, to which others will be added


def put(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Write a file beside its place and move it there: nobody ever sees half of it.

    An OSError names the file itself: that of a full disk would name none.
    """
    scratch = None
    try:
        descriptor, scratch = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(scratch, mode)
        os.replace(scratch, path)
    except BaseException as error:
        if scratch:
            os.unlink(scratch)
        if isinstance(error, OSError):
            error.filename = str(path)
        raise


def lock(file: IO[Any]) -> None:
    """Hold an open file alone until it is closed, at the latest when the process ends, however it ends.

    BlockingIOError where another process holds it. On Windows, where there is no sandbox either, nothing is held.
    """
    with contextlib.suppress(ModuleNotFoundError):
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def put_folder(path: Path, files: dict[str, bytes]) -> None:
    """Make a folder with these files in one step. FileExistsError if there is one already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=path.parent, prefix=".new-"))
    try:
        for name, data in files.items():
            put(scratch / name, data)
        scratch.chmod(0o755)
        if path.exists():
            raise FileExistsError(path)
        scratch.rename(path)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def replace_folder(path: Path, files: dict[str, bytes]) -> None:
    """Let a folder hold just these files; what was there is deleted only once the new one is written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".old-") as scratch:
        put_folder(Path(scratch) / "new", files)
        if path.is_symlink():
            path.unlink()
        elif path.exists():
            path.rename(Path(scratch) / "old")
        (Path(scratch) / "new").rename(path)


class Refused(Exception):
    """A file that is not read: `why` in both languages."""

    def __init__(self, why: Text):
        self.why = why
        super().__init__(why)


def read_plain(root: Path, names: tuple[str, ...], most: int) -> bytes:
    """The bytes of a file below `root`. Refused if any step on the way is a link, or it is no plain file, or too large.

    Each step is opened relative to the one before, so nobody can put a link there between looking and reading.
    """
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for number, name in enumerate(names):
            way = os.O_NONBLOCK if number == len(names) - 1 else os.O_DIRECTORY
            below = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | way, dir_fd=here)
            os.close(here)
            here = below
        about = os.fstat(here)
        if not stat.S_ISREG(about.st_mode):
            raise Refused(text("file_not_plain"))
        if about.st_size > most:
            raise Refused(text("file_too_large", size=f"{about.st_size:,}", most=f"{most:,}"))
        return b"".join(_blocks(here))[:most]
    except OSError as error:
        link = error.errno in (errno.ELOOP, errno.ENOTDIR)
        raise Refused(text("file_is_link") if link else Text(str(error.strerror), str(error.strerror))) from None
    finally:
        os.close(here)


def _blocks(descriptor: int) -> Iterator[bytes]:
    while block := os.read(descriptor, 1 << 20):
        yield block


def plain_name(name: str) -> bool:
    """Whether a name is one component of a path and nothing else: no separator, no leading dot, no `+`, nothing unseen.

    Nor wildcards: nbgrader's command lines take `*` and lists with commas.
    """
    seen = name.isprintable() and name == name.strip()
    return seen and _PLAIN.fullmatch(name) is not None and len(name.encode()) <= _MOST
