"""Folders that somebody may find in submitted/ who unpacks an archive there by hand: links, and names that are more than a name.

Each is made beside an honest student's folder, `before`; none may be graded, and none may keep the others from it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def _named(name: bytes) -> Callable[[Path, Path], None]:
    """The student's folder has this name."""

    def make(submitted: Path, honest: Path) -> None:
        folder = submitted / os.fsdecode(name) / honest.parent.name
        folder.mkdir(parents=True)
        (folder / honest.name).write_bytes(honest.read_bytes())

    return make


def _links_to_the_students(submitted: Path, honest: Path) -> None:
    (submitted / "links_to_the_students").symlink_to(honest.parent.parent)


def _links_to_the_lessons(submitted: Path, honest: Path) -> None:
    (submitted / "links_to_the_lessons").mkdir()
    (submitted / "links_to_the_lessons" / honest.parent.name).symlink_to(honest.parent)


def _links_elsewhere(submitted: Path, honest: Path) -> None:
    """To a folder without a notebook, whose files the reason must not name."""
    private = submitted.parent / "private"
    private.mkdir()
    (private / "grades_of_bob.csv").write_text("100")
    (submitted / "links_elsewhere").mkdir()
    (submitted / "links_elsewhere" / honest.parent.name).symlink_to(private)


def _links_to_the_notebook(submitted: Path, honest: Path) -> None:
    folder = submitted / "links_to_the_notebook" / honest.parent.name
    folder.mkdir(parents=True)
    (folder / honest.name).symlink_to(honest)


def _a_pipe(submitted: Path, honest: Path) -> None:
    folder = submitted / "a_pipe" / honest.parent.name
    folder.mkdir(parents=True)
    os.mkfifo(folder / honest.name)


def _four_terabytes(submitted: Path, honest: Path) -> None:
    """A hole, which takes no room on the disk and all there is in memory."""
    folder = submitted / "four_terabytes" / honest.parent.name
    folder.mkdir(parents=True)
    with (folder / honest.name).open("wb") as file:
        file.truncate(1 << 42)


# By the student's name, as it is shown.
FOLDERS: dict[str, Callable[[Path, Path], None]] = {
    "links_to_the_students": _links_to_the_students,
    "links_to_the_lessons": _links_to_the_lessons,
    "links_elsewhere": _links_elsewhere,
    "links_to_the_notebook": _links_to_the_notebook,
    "a_pipe": _a_pipe,
    "four_terabytes": _four_terabytes,
    "no text �": _named(b"no text \xff"),
    "clears the screen �[2J": _named(b"clears the screen \x1b[2J"),
    "turns the line �": _named("turns the line \u202e".encode()),
    "two\nlines": _named(b"two\nlines"),
    "*": _named(b"*"),
    "[conceal]": _named(b"[conceal]"),
    " blank ": _named(b" blank "),
}
