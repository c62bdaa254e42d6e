"""From the hand-written lesson to what students receive, through nbgrader's own generate_assignment.

    source_notebooks/NN/NN.py → course/source/NN/NN.ipynb (ignored by git) → release/NN/NN.ipynb (committed)

`release` writes, `check` proves that everything generated is current and that nothing leaks. What a lesson
is: lessons.py. What must not be in a release: leaks.py. The steps of ours among nbgrader's (DropProofs, HandIn,
ClearSolutions) are plugged in through course/nbgrader_config.py.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearSolutions as StockClearSolutions
from nbgrader.preprocessors import NbGraderPreprocessor, SaveCells

from autograder import leaks, lessons, solutions
from autograder.course import Course
from autograder.errors import AutograderError
from autograder.lessons import RELEASE, SOURCES, Lesson, kind
from autograder.messages import Text, command
from autograder.solutions import GIVEN, as_given

Resources = dict[str, Any]


@dataclass(frozen=True)
class Released:
    """What was done for one lesson: whether its files changed."""

    lesson: Lesson
    changed: bool


def release(course: Course, name: str, sources: Path = SOURCES) -> Released:
    """Build a lesson's instructor's notebook and release it; files that are current are left alone.

    Raises AutograderError where a solution is not the engine's own, or where the release would leak.
    """
    lesson = verified(name, sources)
    changed = _write(course.path("source", ".", name) / f"{name}.ipynb", to_bytes(lesson.notebook))
    target = course.path("release", ".", name) / f"{name}.ipynb"
    fresh = build(lesson)
    changed |= not target.is_file() or target.read_bytes() != fresh
    if changed or not course.knows(lesson):
        _register(course, name, target)
    if target.read_bytes() != fresh:  # nbgrader in the real course and in the scratch course must agree
        raise AutograderError(Text("发布的笔记本不确定。", "The release is not deterministic."), where=str(target))
    return Released(lesson, changed)


def _register(course: Course, name: str, target: Path) -> None:
    """Let nbgrader release the lesson; where it refuses, the earlier release stays as it was."""
    before = target.read_bytes() if target.is_file() else None
    try:
        course.nbgrader("generate_assignment", name)
    except AutograderError as error:
        if before is not None:
            _write(target, before)
        if "there are submissions associated with it" in str(error):
            raise AutograderError(
                Text(
                    "这一课已经有评过分的提交，评分格不能再增减。",
                    "This lesson already has graded submissions: graded cells cannot be added or removed.",
                ),
                where=name,
                remedy=Text(
                    "把新的题目放进另一课，或换一个课程目录。",
                    "Put new questions into another lesson, or use another course folder.",
                ),
            ) from error
        raise


def verified(name: str, sources: Path = SOURCES) -> Lesson:
    """Load a lesson and prove its solutions equal to the engine's source, and its points to those of its checks."""
    lesson = lessons.with_the_checks_points(lessons.load(name, sources))
    for error in solutions.differences(lesson):
        raise error
    return lesson


def build(lesson: Lesson) -> bytes:
    """The bytes of the released notebook, made in a scratch course; nothing of the real course is touched."""
    with tempfile.TemporaryDirectory(prefix="autograder-") as folder:
        course = Course.scratch(Path(folder))
        steps = course.config.GenerateAssignment.preprocessors
        course.config.GenerateAssignment.preprocessors = [step for step in steps if step is not SaveCells]
        course.config.GenerateAssignment.no_database = True
        _write(course.path("source", ".", lesson.name) / f"{lesson.name}.ipynb", to_bytes(lesson.notebook))
        course.nbgrader("generate_assignment", lesson.name)
        data = (course.path("release", ".", lesson.name) / f"{lesson.name}.ipynb").read_bytes()
    leaks.prove_none(lesson, nbformat.reads(data.decode(), as_version=4))
    return data


def check(names: Iterable[str] | None = None, sources: Path = SOURCES, released: Path = RELEASE) -> list[str]:
    """Prove the committed release current.

    Returns the lessons checked; raises AutograderError for the first stale one.
    """
    wanted = list(names or lessons.names(sources))
    for name in wanted:
        path = released / name / f"{name}.ipynb"
        if not path.is_file() or path.read_bytes() != build(verified(name, sources)):
            raise _stale(path, name)
    if names is None:
        for name in lessons.pages(sources):
            path = released / name / f"{name}.ipynb"
            if not path.is_file() or path.read_bytes() != page(name, sources):
                raise _stale(path, "")
        known = [*wanted, *lessons.pages(sources)]
        for folder in sorted(p.name for p in released.glob("*") if p.is_dir() and p.name not in known):
            raise _stale(released / folder, folder)
    return wanted


def release_pages(course: Course) -> list[Path]:
    """Write the pages that are no assignments beside the released lessons; those that changed."""
    targets = {name: course.path("release", ".", name) / f"{name}.ipynb" for name in lessons.pages(SOURCES)}
    return [target for name, target in targets.items() if _write(target, page(name, SOURCES))]


def page(name: str, sources: Path = SOURCES) -> bytes:
    """The bytes of a released page: what its source says, without the proof cells."""
    return to_bytes(without_proofs(lessons.read(name, sources)))


def without_proofs(notebook: NotebookNode) -> NotebookNode:
    """The notebook with its proof cells taken out: they are for CI."""
    notebook.cells = [cell for cell in notebook.cells if kind(cell) != "proof"]
    return notebook


def to_bytes(notebook: NotebookNode) -> bytes:
    """Write a notebook the one way we write notebooks."""
    return (nbformat.writes(notebook, version=nbformat.NO_CONVERT) + "\n").encode()


def _write(path: Path, data: bytes) -> bool:
    """Write a file if its bytes differ, in one step; return whether it did."""
    if path.is_file() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f".{path.name}.new")
    scratch.write_bytes(data)
    shutil.move(scratch, path)
    return True


def _stale(path: Path, name: str) -> AutograderError:
    return AutograderError(
        Text("生成的文件不是最新的。", "A generated file is out of date."),
        str(path),
        command("release", name),
    )


# ── our steps among nbgrader's ───────────────────────────────────────────────────────────────────


class DropProofs(NbGraderPreprocessor):
    """Leave the proof cells out of the release: they are for CI."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Drop every cell tagged `proof`."""
        return without_proofs(nb), resources


class HandIn(NbGraderPreprocessor):
    """Put the cell that hands the lesson in at its end."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Append the cell."""
        source = "from autograder import submit\n\nsubmit()"
        nb.cells.append(nbformat.v4.new_code_cell(source, id="submit", metadata={"tags": ["demo"]}))
        return nb, resources


class ClearSolutions(StockClearSolutions):
    """Take solutions out of the release; where a lesson gives a program to be repaired, that program stays."""

    def _replace_solution_region(self, cell: NotebookNode, language: str) -> bool:
        if cell.cell_type != "code" or GIVEN not in cell.source:
            return bool(super()._replace_solution_region(cell, language))
        cell.source = as_given(cell.source, self.code_stub[language])
        return True
