"""A class of sample students, whose submissions are made from the released notebooks, so that they follow the
lessons.

Full marks, partial work, known mistakes, an untouched release, a deleted check cell, a syntax error, an
endless loop, a memory hog, a file that is no notebook, and cheats. `make demo` grades them; the tests know
what each must earn.
"""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import json
import textwrap
from collections.abc import Callable, Collection
from dataclasses import dataclass

import nbformat
from nbformat import NotebookNode

from autograder import cheats
from autograder.course import STAMP, Course
from autograder.lessons import Lesson, kind
from autograder.mistakes import MISTAKES, Mistake
from autograder.solutions import as_solved, bare, definitions

Make = Callable[["Material"], bytes]
MISTAKES_MADE = 4  # by as many students of the class
TIME = "2026-03-02 20:00:00 UTC"
REFLECTION = "梯度沿着图反向流动，每个节点只需要知道自己的局部导数。<script>alert('xss')</script>"


@dataclass(frozen=True)
class Material:
    """What a submission is made from: the released notebook and, per solution cell, the engine's answer."""

    lesson: Lesson
    released: NotebookNode
    answers: dict[str, str]

    def notebook(self, answered: dict[str, str] | None = None) -> NotebookNode:
        """A copy of the release with the reflection written and some solution cells answered."""
        notebook = copy.deepcopy(self.released)
        for cell in notebook.cells:
            if kind(cell) == "solution":
                cell.source = (answered or {}).get(cell.metadata.nbgrader.grade_id, cell.source)
            elif kind(cell) == "reflection":
                cell.source = REFLECTION
        return notebook

    def mistakes(self) -> list[Mistake]:
        """The known mistakes of this lesson's parts that a student could have written with the names at hand.

        The parts take turns, so that the first mistakes differ in part.
        """
        at_hand = self._names()
        per_part = [
            [m for m in MISTAKES.values() if m.part == part and _free_names(_source(m)) <= at_hand]
            for part in self.lesson.parts
        ]
        rounds = range(max(map(len, per_part), default=0))
        return [mistakes[i] for i in rounds for mistakes in per_part if i < len(mistakes)]

    def _names(self) -> set[str]:
        """What the setup cells and the solution cells define, and Python's own names."""
        names = set(dir(builtins))
        for cell in self.lesson.notebook.cells:
            if kind(cell) in ("setup", "solution"):
                tree = ast.parse(cell.source)
                names |= {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
                names |= {(n.asname or n.name).split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.alias)}
        return names


@dataclass(frozen=True)
class Submission:
    """One sample submission; `expects` says what it must earn: "full", "less" than that, "none" or "ungradable"."""

    name: str
    zh: str
    en: str
    expects: str
    make: Make


def submissions() -> list[Submission]:
    """The sample submissions; the students of the roster hand them in, in this order."""
    made = Submission
    return [
        made("full_marks", "全对", "all right", "full", _solved),
        made("own_cells", "全对，另加了自己的格", "all right, and cells of their own", "full", _with_own_cells),
        made("partial", "只写了一半", "half written", "less", _partial),
        *(
            made(f"mistake_{n + 1}", f"已知错误 {n + 1}", f"known mistake {n + 1}", "less", _mistaken(n))
            for n in range(MISTAKES_MADE)
        ),
        made("untouched", "没有动过", "untouched", "none", lambda m: _bytes(m.released)),
        made("deleted_check", "全对，删了检查格", "all right, check cells deleted", "full", _deleted_checks),
        made("syntax_error", "语法错误", "syntax error", "less", _syntax_error),
        made("never_ends", "死循环", "endless loop", "none", _in_cell(cheats.NEVER_ENDS)),
        made("eats_memory", "吃光内存", "memory hog", "none", _in_cell(cheats.EATS_MEMORY)),
        *(made(c.name, f"作弊：{c.zh}", f"cheat: {c.en}", "none", _cheating(c)) for c in cheats.CHEATS),
        made("no_notebook", "不是笔记本的文件", "not a notebook", "ungradable", lambda m: b"\x89PNG\r\n homework"),
    ]


def hand_in(
    course: Course, lesson: Lesson, released: bytes, only: Collection[str] | None = None
) -> dict[str, Submission]:
    """Write the sample class's submissions of a lesson into the course; unchanged files are left alone.

    `lesson` is the instructor's (it holds the answers); `only` names the submissions, if not all are wanted.
    Returns what each student handed in.
    """
    material = Material(lesson, nbformat.reads(released.decode(), as_version=4), answers_of(lesson))
    students = list(course.roster())
    made = [each for each in submissions() if only is None or each.name in only]
    if len(students) < len(made):
        raise ValueError(f"the roster has {len(students)} students, the sample class needs {len(made)}")
    for student, submission in zip(students, made, strict=False):
        folder = course.path("submitted", student, lesson.name)
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in (
            (STAMP, TIME.encode()),
            (f"{lesson.name}.ipynb", submission.make(material)),
        ):
            path = folder / name
            if not path.is_file() or path.read_bytes() != data:
                path.write_bytes(data)
    return dict(zip(students, made, strict=False))


def answers_of(lesson: Lesson) -> dict[str, str]:
    """The text of each solution cell with the engine's body in it, as a student would have written it."""
    cells = (cell for cell in lesson.notebook.cells if kind(cell) == "solution")
    return {cell.metadata.nbgrader.grade_id: as_solved(cell.source) for cell in cells}


def with_mistake(answer: str, mistake: Mistake) -> str:
    """A solution cell in which one part is written the wrong way."""
    right = definitions(answer)[mistake.part]
    wrong = _source(mistake)
    wrong.name, wrong.decorator_list = right.name, right.decorator_list
    lines = answer.splitlines()
    start = min([right.lineno, *(d.lineno for d in right.decorator_list)]) - 1
    lines[start : right.end_lineno] = ast.unparse(wrong).splitlines()
    return "\n".join(lines)


def _source(mistake: Mistake) -> ast.FunctionDef | ast.ClassDef:
    """A mistake as a student writes it: without annotations and words about it."""
    wrong = ast.parse(textwrap.dedent(inspect.getsource(mistake.written))).body[0]
    assert isinstance(wrong, ast.FunctionDef | ast.ClassDef)
    plain = ast.parse(bare(wrong)).body[0]
    assert isinstance(plain, ast.FunctionDef | ast.ClassDef)
    return plain


def _free_names(tree: ast.AST) -> set[str]:
    """The names that a definition reads and does not bind itself."""
    names = [n for n in ast.walk(tree) if isinstance(n, ast.Name)]
    bound = {n.id for n in names if not isinstance(n.ctx, ast.Load)}
    bound |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    bound |= {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    return {n.id for n in names} - bound


# ── how each submission is made ──────────────────────────────────────────────────────────────────


def _solved(material: Material) -> bytes:
    return _bytes(material.notebook(material.answers))


def _with_own_cells(material: Material) -> bytes:
    notebook = material.notebook(material.answers)
    output = nbformat.v4.new_output("execute_result", {"text/plain": "4"}, execution_count=7)
    own = nbformat.v4.new_code_cell("2 + 2", id="mine", execution_count=7, outputs=[output])
    notebook.cells.insert(3, own)
    return _bytes(notebook)


def _partial(material: Material) -> bytes:
    """The first half of the solution cells.

    A lesson with one cell is written half-way: it returns nothing.
    """
    ids = list(material.answers)
    if len(ids) > 1:
        return _bytes(material.notebook({i: material.answers[i] for i in ids[: len(ids) // 2]}))
    return _mistaken(MISTAKES_MADE)(material)


def _mistaken(number: int) -> Make:
    def make(material: Material) -> bytes:
        known = material.mistakes()
        answers = dict(material.answers)
        if known:
            mistake = known[number % len(known)]
            for grade_id, answer in answers.items():
                if mistake.part in definitions(answer):
                    answers[grade_id] = with_mistake(answer, mistake)
        return _bytes(material.notebook(answers))

    return make


def _deleted_checks(material: Material) -> bytes:
    notebook = material.notebook(material.answers)
    notebook.cells = [cell for cell in notebook.cells if kind(cell) != "check"]
    return _bytes(notebook)


def _syntax_error(material: Material) -> bytes:
    answers = dict(material.answers)
    first = next(iter(answers))
    answers[first] = answers[first].replace("):", ")", 1)
    return _bytes(material.notebook(answers))


def _in_cell(code: str) -> Make:
    """The code is put before the first part, and no part is written."""

    def make(material: Material) -> bytes:
        first = next(cell for cell in material.released.cells if kind(cell) == "solution")
        answer = f"{code.strip()}\n\n{first.source}"
        return _bytes(material.notebook({first.metadata.nbgrader.grade_id: answer}))

    return make


def _cheating(cheat: cheats.Cheat) -> Make:
    if cheat.code:
        return _in_cell(cheat.code)

    def make(material: Material) -> bytes:
        notebook = material.notebook()
        cheat.change(notebook)
        return _bytes(notebook)

    return make


def _bytes(notebook: NotebookNode) -> bytes:
    return (json.dumps(notebook, ensure_ascii=False, indent=1) + "\n").encode()
