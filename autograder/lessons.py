"""A lesson as it is written: `source_notebooks/NN_topic/NN_topic.py` read into the instructor's notebook.

This module knows the kinds of cells and what follows from them (a lesson's titles, parts, checks and
points), and it can run a lesson from top to bottom in a real kernel. It does not release (release.py),
compare solutions with the engine (solutions.py), or grade.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import jupytext
import nbformat
from nbformat import NotebookNode
from nbformat.warnings import DuplicateCellId

from autograder.errors import AutograderError, UnknownName
from autograder.messages import Text, text

PROJECT = Path(__file__).resolve().parent.parent
SOURCES = PROJECT / "source_notebooks"
RELEASE = PROJECT / "release"
COURSE = PROJECT / "course"

TAGS = ("lang-zh", "lang-en", "setup", "demo", "proof", "picture")
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
_GRADE_ID = re.compile(r"[a-z0-9_]{1,64}")
_TITLE = re.compile(r"^#\s+(?P<number>\d\d)\s*[·:.]\s*(?P<title>.+?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Lesson:
    """One lesson: `notebook` is the instructor's, with stable ids and complete nbgrader metadata."""

    name: str
    title_zh: str
    title_en: str
    notebook: NotebookNode = field(repr=False, compare=False)
    parts: tuple[str, ...]
    checks: dict[str, str]  # grade_id of the check cell → name of the check
    points: dict[str, int]  # grade_id → points, reflection included

    @property
    def max_score(self) -> int:
        """All points of the lesson."""
        return sum(self.points.values())


def kind(cell: NotebookNode) -> str:
    """What a cell is: solution, check, reflection, one of TAGS, "plain" code or untagged "prose"."""
    meta = cell.metadata.get("nbgrader", {})
    if meta.get("solution"):
        return "reflection" if meta.get("grade") else "solution"
    if meta.get("grade"):
        return "check"
    for tag in TAGS:
        if tag in cell.metadata.get("tags", ()):
            return tag
    return "plain" if cell.cell_type == "code" else "prose"


def names(sources: Path = SOURCES) -> list[str]:
    """The names of all lessons, in order."""
    return sorted(p.parent.name for p in sources.glob("[0-9][0-9]_*/*.py") if p.stem == p.parent.name)


def pages(sources: Path = SOURCES) -> list[str]:
    """The names of the pages that come with the lessons and are no assignments: nothing in them is graded."""
    return sorted(p.stem for p in sources.glob("[a-z]*/*.py") if p.stem == p.parent.name)


def source_path(name: str, sources: Path = SOURCES) -> Path:
    """The path of a lesson's hand-written source; unknown names get a "did you mean"."""
    path = sources / name / f"{name}.py"
    if not path.is_file():
        raise UnknownName(Text("课", "lesson"), name, names(sources))
    return path


def load(name: str, sources: Path = SOURCES) -> Lesson:
    """Read a lesson's source. Raises AutograderError, naming the cell, where it breaks a convention."""
    return describe(name, read(name, sources))


def read(name: str, sources: Path = SOURCES) -> NotebookNode:
    """The notebook that a source makes, a lesson's or a page's, with its ids and metadata."""
    path = source_path(name, sources)
    with warnings.catch_warnings():  # its cells have random ids, of which once in a million readings two are the same
        warnings.simplefilter("ignore", DuplicateCellId)
        notebook = jupytext.reads(path.read_text(encoding="utf-8"), fmt="py:percent")
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNEL, "language_info": {"name": "python"}})
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for number, cell in enumerate(notebook.cells):
        _complete(cell, number, name)
    return notebook


def describe(name: str, notebook: NotebookNode) -> Lesson:
    """The Lesson that a notebook (the instructor's or the released one) holds."""
    titles = {"lang-zh": name, "lang-en": name}
    parts: list[str] = []
    checks: dict[str, str] = {}
    points: dict[str, int] = {}
    seen: set[str] = set()
    for cell in notebook.cells:
        what = kind(cell)
        if what in titles and titles[what] == name and (match := _TITLE.search(cell.source)):
            titles[what] = match["title"]
        if what not in ("solution", "check", "reflection"):
            continue
        grade_id = cell.metadata.nbgrader.grade_id
        if grade_id in seen:
            raise _broken(name, grade_id, "grade_id 用了两次", "this grade_id is used twice")
        seen.add(grade_id)
        if what == "solution":
            parts += [part for part in parts_of(cell.source) if part not in parts]
        else:
            points[grade_id] = int(cell.metadata.nbgrader.points)
        if what == "check":
            checks[grade_id] = check_name(cell.source) or ""
            if not checks[grade_id]:
                raise _broken(
                    name,
                    grade_id,
                    '检查格里只能写 check("名字")',
                    'a check cell holds check("name") and nothing else',
                )
    return Lesson(name, titles["lang-zh"], titles["lang-en"], notebook, tuple(parts), checks, points)


def with_the_checks_points(lesson: Lesson) -> Lesson:
    """The lesson, once its points are proved to be those of its checks: nbgrader adds up the ones, the referee gives the
    others. UnknownName for a check that there is not."""
    from autograder.checks import get

    for grade_id, check in lesson.checks.items():
        given, earned = lesson.points[grade_id], get(check).points
        if given != earned:
            where = f"{lesson.name}: {grade_id} {given:g}, @check({check!r}) {earned:g}"
            raise AutograderError(text("points_differ"), where, text("points_differ_remedy"))
    return lesson


def parts_of(source: str) -> list[str]:
    """The dotted names that `@implements("…")` names in a cell's source, in order."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []
    calls = (d for node in ast.walk(tree) for d in getattr(node, "decorator_list", ()) if isinstance(d, ast.Call))
    return [arg for call in calls if (arg := _only_string(call, "implements"))]


def check_name(source: str) -> str | None:
    """The name in a cell that is exactly `check("name")`, else None."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return None
    if len(body) == 1 and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Call):
        return _only_string(body[0].value, "check")
    return None


def execute(notebook: NotebookNode, folder: Path = PROJECT, *, timeout: int = 300) -> NotebookNode:
    """Run a notebook from top to bottom in a real kernel whose working directory is `folder`; return it with outputs.

    Raises nbclient's CellExecutionError at the first cell that fails.
    """
    from nbclient import NotebookClient

    notebook = nbformat.from_dict(notebook)
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=timeout, kernel_name=KERNEL["name"], resources=resources).execute()
    return notebook


def _complete(cell: NotebookNode, number: int, lesson: str) -> None:
    """Give a cell its stable id and nbgrader's full metadata; jupytext's own notes are dropped."""
    cell.metadata = nbformat.from_dict({k: v for k, v in cell.metadata.items() if k in ("tags", "nbgrader")})
    meta = cell.metadata.get("nbgrader")
    tags = cell.metadata.get("tags", [])
    if len(tags) > 1 or (tags and meta) or any(tag not in TAGS for tag in tags):
        raise _broken(
            lesson,
            f"cell-{number:03d} {tags}",
            "一格只能有一个标签，且要在列表里",
            f"a cell has one tag at most, out of {', '.join(TAGS)}, and none beside nbgrader metadata",
        )
    if tags in (["setup"], ["proof"]):
        cell.metadata.editable = cell.metadata.deletable = False
    if not meta:
        cell.id = f"cell-{number:03d}"
        return
    grade_id = str(meta.get("grade_id", ""))
    if not _GRADE_ID.fullmatch(grade_id):
        raise _broken(lesson, grade_id, "grade_id 只能用小写字母、数字和下划线", "a grade_id is [a-z0-9_]+")
    grade, solution = bool(meta.get("grade")), bool(meta.get("solution"))
    if not (grade or solution) or (grade and "points" not in meta):
        raise _broken(lesson, grade_id, "缺少 solution、grade 或 points", "solution, grade or points is missing")
    full = {"grade": grade, "grade_id": grade_id, "locked": grade and not solution, "schema_version": 3}
    full |= {"solution": solution, "task": False} | ({"points": meta["points"]} if grade else {})
    cell.metadata.nbgrader = nbformat.from_dict(full)
    cell.id = grade_id


def _only_string(call: ast.Call, function: str) -> str | None:
    """The single string argument of `function("…")`."""
    if isinstance(call.func, ast.Name) and call.func.id == function and len(call.args) == 1 and not call.keywords:
        arg = call.args[0]
        if isinstance(arg, ast.Constant) and isinstance(arg.value, str):
            return arg.value
    return None


def _broken(lesson: str, where: str, zh: str, en: str) -> AutograderError:
    return AutograderError(Text(f"{zh}。", f"{en[0].upper()}{en[1:]}."), where=f"{lesson}: {where}")
