"""What must never be in a released notebook, searched for.

No solution line, no proof cell, no rubric, nothing of the known mistakes, no output, no metadata that
nbgrader and Jupyter do not need. The names of what is found are said, so that the author can mend the
lesson.
"""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator

from nbformat import NotebookNode

from autograder.errors import AutograderError
from autograder.lessons import Lesson, kind
from autograder.messages import Text
from autograder.solutions import BEGIN, END, GIVEN, given_lines

MARKERS = ("BEGIN SOLUTION", "END SOLUTION", "RELEASED AS", "MARK SCHEME", "HIDDEN TESTS", "AUTOTEST")
CELL_METADATA = {"nbgrader", "tags", "editable", "deletable"}
NOTEBOOK_METADATA = {"kernelspec", "language_info"}
# A header says where a block begins, not what the answer is; demonstrations may well need the same one.
_HEADERS = (
    "if ",
    "elif ",
    "else",
    "for ",
    "while ",
    "with ",
    "try",
    "except",
    "finally",
    "def ",
    "class ",
    "@",
    "import ",
    "from ",
)
_SHORT = 8  # characters: prose lines shorter than this say nothing


def prove_none(lesson: Lesson, released: NotebookNode) -> None:
    """Raise AutograderError if the released notebook holds anything that it must not."""
    found = list(find(lesson, released))
    if found:
        raise AutograderError(
            Text("发布的笔记本泄露了不该有的内容。", "The release contains something it must not."),
            where=lesson.name + "".join(f"\n    {line}" for line in found[:20]),
            remedy=Text(
                "改写课文，别照抄答案的行。", "Reword the lesson so that it does not repeat a line of a solution."
            ),
        )


def find(lesson: Lesson, released: NotebookNode) -> Iterator[str]:
    """Every leak, as `what: text`."""
    text = "\n".join(cell.source for cell in released.cells)
    lines = {_normal(line) for line in text.splitlines()}
    yield from (f"marker: {marker}" for marker in MARKERS if marker in text)
    yield from (f"solution line: {line}" for line in solution_lines(lesson.notebook) if line in lines)
    yield from (f"rubric line: {line}" for line in _rubric_lines(lesson.notebook) if line in lines)
    for cell in lesson.notebook.cells:
        if kind(cell) == "proof" and cell.source.strip() in text:
            yield f"proof cell: {cell.source.strip()[:60]}"
    yield from (f"known mistake: {words}" for words in _mistake_words() if words in text)
    yield from _needless(released)


def solution_lines(notebook: NotebookNode) -> set[str]:
    """The lines of all solution regions that say something, free of indentation and comments.

    What the program to be repaired says as well is given away already.
    """
    found = set()
    for cell in notebook.cells:
        if kind(cell) == "solution":
            given = {_normal(line) for line in given_lines(cell.source)}
            for line in _regions(cell.source):
                bare = _normal(line)
                if bare and not bare.startswith(_HEADERS) and _tokens(bare) >= 3 and bare not in given:
                    found.add(bare)
    return found


def _regions(source: str) -> Iterator[str]:
    inside = False
    for line in source.splitlines():
        if BEGIN in line or END in line or GIVEN in line:
            inside = BEGIN in line
        elif inside:
            yield line


def _normal(line: str) -> str:
    """A line of code without indentation, trailing comment and needless space.

    Prose without its mark-up's edges.
    """
    code = line.split("  #")[0].strip().lstrip("#`> ").rstrip("` ")
    return " ".join(code.split())


def _tokens(line: str) -> int:
    try:
        kinds = [t.type for t in tokenize.generate_tokens(io.StringIO(line).readline)]
    except (tokenize.TokenError, IndentationError):
        return len(line.split())
    return sum(k in (tokenize.NAME, tokenize.NUMBER, tokenize.OP, tokenize.STRING) for k in kinds)


def _rubric_lines(notebook: NotebookNode) -> set[str]:
    cells = (cell for cell in notebook.cells if kind(cell) == "reflection")
    lines = {_normal(line) for cell in cells for line in cell.source.splitlines()}
    return {line for line in lines if len(line) > _SHORT}


def _mistake_words() -> Iterator[str]:
    from autograder.mistakes import MISTAKES

    for mistake in MISTAKES.values():
        yield from (mistake.hint.zh, mistake.hint.en, f"def {mistake.written.__name__}(")


def _needless(released: NotebookNode) -> Iterator[str]:
    yield from (f"metadata: {key}" for key in released.metadata.keys() - NOTEBOOK_METADATA)
    for cell in released.cells:
        yield from (f"cell metadata: {key}" for key in cell.metadata.keys() - CELL_METADATA)
        if cell.get("outputs") or cell.get("execution_count"):
            yield f"output of {cell.id}"
        if cell.get("attachments"):
            yield f"attachment of {cell.id}"
