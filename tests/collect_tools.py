"""A course with a scratch lesson, and what lies about to be collected: files, folders and zips."""

from __future__ import annotations

import shutil
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import nbformat
import pytest
from scratch_lesson import scratch_course, with_configuration, write

from autograder import release
from autograder.course import Course

LESSON = "90_scratch"
BOOK = f"{LESSON}.ipynb"
ROSTER = """id,first_name,last_name,email
ada,Ada,Lovelace,ada@example.org
emil,Emil,Post,e.post@example.org
lina,娜,李,
post2,Emil,Post,
"""
ONE, TWO, THREE = ("2026-03-02 20:00:00 UTC", "2026-03-02 21:00:00 UTC", "2026-03-03 09:00:00 UTC")


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A course with the scratch lesson released."""
    folder = tmp_path_factory.mktemp("released")
    course = with_configuration(scratch_course(folder / "course"))
    release.release(course, LESSON, write(folder))
    (course.root / "roster.csv").write_text(ROSTER, encoding="utf-8")
    (course.root / "nbgrader_config.py").unlink()
    return course.root


@pytest.fixture
def course(released, tmp_path):
    shutil.copytree(released, tmp_path / "course")
    yield (made := with_configuration(Course(tmp_path / "course")))
    made.ledger.close()


@pytest.fixture
def book(released):
    """Makes a notebook with this said in it, as bytes."""
    data = (released / "release" / LESSON / BOOK).read_text()

    def made(words: str) -> bytes:
        notebook = nbformat.reads(data, as_version=4)
        notebook.cells.append(nbformat.v4.new_markdown_cell(words, id="mine"))
        return nbformat.writes(notebook).encode()

    return made


def lay(root: Path, files: dict[str, bytes | str]) -> Path:
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return root


def zipped(path: Path, files: dict[str | zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def submitted(course: Course) -> dict[str, bytes]:
    folder = course.root / "submitted"
    found = {p.relative_to(folder).parts[0]: p.read_bytes() for p in folder.glob(f"*/{LESSON}/{BOOK}")}
    assert not list(folder.rglob(".*")), "something half-made was left"
    return found


def said(found) -> dict[str, str]:
    return {n.who: n.what.en for n in found.notices}


def ago(seconds: float) -> str:
    """A time stamp as nbgrader writes it."""
    return (datetime.now(UTC) - timedelta(seconds=seconds)).strftime("%Y-%m-%d %H:%M:%S.%f UTC")
