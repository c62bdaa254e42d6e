"""Take a student's answers, and nothing else, out of a submitted notebook and set them into the released one.

Only the text of solution cells and of the reflection crosses over, by `grade_id`. Whatever else a
submission holds (other cells, tags, points, outputs, attachments, forged checks, duplicated ids) stays
behind, so it can neither hurt nor help. Pure functions on bytes and notebooks; nbgrader's side is
nbgrader_plugin.py.
"""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode

from autograder.errors import AutograderError
from autograder.lessons import kind
from autograder.messages import Text

MAX_BYTES = 16 * 2**20
MAX_CELLS = 10_000
MAX_NESTS = 1_000_000  # brackets and braces: an empty one takes two bytes in the file, and a hundred in memory
MAX_ANSWER = 50_000  # characters; a longer answer is a mistake or an attack, and slows every page that shows it

MISSING = Text("提交里没有这一格。", "This cell is missing from the submission.")


@dataclass(frozen=True)
class Answer:
    """A cell of the submission that may hold an answer."""

    ids: frozenset[str]
    cell_type: str
    source: str


@dataclass
class Notes:
    """What grader and student should know about how the submission was read, by grade_id ("" for all)."""

    by_cell: dict[str, Text] = field(default_factory=dict)

    def as_data(self) -> dict[str, dict[str, str]]:
        """The notes as plain data for the notebook's metadata."""
        return {grade_id: {"zh": note.zh, "en": note.en} for grade_id, note in self.by_cell.items()}


def read(data: bytes) -> list[Answer]:
    """The cells of a submitted notebook. Raises AutograderError if it is no notebook at all."""
    if not data.strip():
        raise _unreadable("文件是空的", "the file is empty")
    if len(data) > MAX_BYTES:
        most = f"{MAX_BYTES >> 20} MiB"
        why = (
            f"文件太大：超过 {most}，多半是输出太多",
            f"the file is too large: more than {most}, most likely of outputs",
        )
        raise _unreadable(*why, remedy=_CLEAR)
    if (nests := data.count(b"[") + data.count(b"{")) > MAX_NESTS:
        raise _unreadable(f"里面有 {nests:,} 个括号", f"it holds {nests:,} brackets")
    try:
        notebook = json.loads(data)  # in UTF-8, -16 or -32, with or without a byte order mark
    except (ValueError, RecursionError) as error:
        known = next((said for sign, said in _TELLTALES.items() if sign in data), (_not_json(error), _START))
        raise _unreadable(*known[0], remedy=known[1]) from None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if isinstance(notebook, dict) and isinstance(notebook.get("worksheets"), list):
        raise _unreadable("它是旧格式（nbformat 3）", "it is in an old format (nbformat 3)", remedy=_SAVE)
    if not isinstance(cells, list):
        raise _unreadable("里面没有 cells 列表", "it has no list of cells")
    if len(cells) > MAX_CELLS:
        raise _unreadable(f"里面有 {len(cells):,} 个格子", f"it has {len(cells):,} cells")
    return [answer for cell in cells if (answer := _answer(cell))]


def _not_json(error: ValueError | RecursionError) -> Text:
    """What is wrong with the file, in words that somebody who never saw a notebook's inside can use."""
    if isinstance(error, UnicodeDecodeError):
        return Text(f"第 {error.start + 1} 字节起不是 UTF-8 编码", f"from byte {error.start + 1} on it is not UTF-8")
    if isinstance(error, json.JSONDecodeError):
        where = error.lineno
        return Text(
            f"第 {where} 行起不是 JSON：没有存完，或是别的文件",
            f"from line {where} on it is not JSON: incomplete, or another kind of file",
        )
    return Text("它不是 JSON，或者嵌套太深", "it is not JSON, or is nested too deeply")


def _answer(cell: Any) -> Answer | None:
    """Read one cell leniently: whatever is malformed counts as absent."""
    if not isinstance(cell, dict):
        return None
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    if not isinstance(source, str):
        return None
    meta = cell.get("metadata")
    nbgrader = meta.get("nbgrader") if isinstance(meta, dict) else None
    grade_id = nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None
    ids = frozenset(i for i in (grade_id, cell.get("id")) if isinstance(i, str))
    return Answer(ids, str(cell.get("cell_type")), source.encode("utf-8", "replace").decode())


def transplant(released: NotebookNode, answers: list[Answer]) -> tuple[NotebookNode, Notes]:
    """The released notebook with the student's answers in it, and notes on what was unusual.

    Raises AutograderError if none of the lesson's code to be written is there, nor any check of it: another lesson's
    notebook, or one whose cells lost their names, says nothing of what its student can do.
    """
    notebook, notes = copy.deepcopy(released), Notes()
    taken: set[int] = set()
    for cell in notebook.cells:
        if kind(cell) not in ("solution", "reflection"):
            continue
        grade_id = cell.metadata.nbgrader.grade_id
        found = _find(answers, cell, taken)
        taken |= {id(answer) for answer in found}
        if not found:
            notes.by_cell[grade_id] = MISSING
            continue
        # A copy that nobody has written in would undo the answer that is joined to it.
        found = [answer for answer in found if answer.source.strip() != cell.source.strip()] or found[:1]
        if len(found) > 1:
            notes.by_cell[grade_id] = Text(
                f"这一格在提交里出现了 {len(found)} 次，按顺序接在一起。",
                f"This cell occurs {len(found)} times in the submission; the copies were joined in order.",
            )
        cell.source = "\n".join(answer.source for answer in found)
        if len(cell.source) > MAX_ANSWER:
            notes.by_cell[grade_id] = Text(
                f"这一格超过 {MAX_ANSWER:,} 个字，没有采用，所以没有运行。",
                f"This cell has more than {MAX_ANSWER:,} characters. It was not taken, and so it was not run.",
            )
            cell.source = ""
    named = {
        cell.metadata.nbgrader.grade_id: kind(cell) for cell in notebook.cells if kind(cell) in ("solution", "check")
    }
    there = frozenset().union(*(answer.ids for answer in answers)) & named.keys()
    if "solution" in named.values() and not there:
        raise AutograderError(
            Text(
                "这份笔记本里没有这一课的任何一个答案格。",
                "This notebook contains none of this lesson's answer cells.",
            ),
            remedy=Text(
                "多半是交成了别的课，或者别的程序存盘时丢了格子的名字：请从发布的笔记本做起，再交一次；原文件没有改动。",
                "Most likely it belongs to another lesson, or another program dropped the names of its cells when saving it: start "
                "from the released notebook and submit again; the original file is untouched.",
            ),
        )
    if strays := _strays(released, answers, taken):
        notes.by_cell[""] = Text(
            f"评分只运行答案格；你另写的 {strays} 个代码格不会运行。答案要用的函数请写在答案格里。",
            f"Grading runs only the solution cells; the {strays} other code cells you wrote are not run. "
            "Put any function an answer needs into its solution cell.",
        )
    return notebook, notes


def _find(answers: list[Answer], cell: NotebookNode, taken: set[int]) -> list[Answer]:
    """A cell's answers by grade_id or cell id (they are the same), of its own type, else (retyped) of any."""
    named = [a for a in answers if cell.metadata.nbgrader.grade_id in a.ids and id(a) not in taken]
    return [a for a in named if a.cell_type == cell.cell_type] or named


def _strays(released: NotebookNode, answers: list[Answer], taken: set[int]) -> int:
    """Count the student's own code cells: those that no released cell accounts for."""
    known = {cell.source.strip() for cell in released.cells}
    ids = {cell.get("id") for cell in released.cells}
    own = (a for a in answers if a.cell_type == "code" and id(a) not in taken and not a.ids & ids)
    return sum(bool(a.source.strip()) and a.source.strip() not in known for a in own)


_START = Text(
    "请确认交的是 JupyterLab 存的 .ipynb 笔记本；打不开，就从发布的笔记本做起，再交一次；原文件没有改动。",
    "Please make sure that you submit the .ipynb notebook as JupyterLab saved it. If it does not open, start from the released one "
    "and submit that; the original file is untouched.",
)
_SAVE = Text(
    "请在 JupyterLab 里重新保存后再交一次；原文件没有改动。",
    "Please save it again in JupyterLab and submit it again; the original file is untouched.",
)
_CLEAR = Text(
    "请在 JupyterLab 里清除输出，保存，再交一次；原文件没有改动。",
    "Please clear its outputs in JupyterLab, save it and submit it again; the original file is untouched.",
)


# What a file that cannot be read may hold: what that says of it, and what to do.
_TELLTALES = {
    b"<<<<<<< ": (
        Text("里面有 git 合并冲突的记号（<<<<<<<）", "it holds the marks of a git merge conflict (<<<<<<<)"),
        Text(
            "请删去 <<<<<<<、=======、>>>>>>> 这几行，两边只留一边，存好再交一次；原文件没有改动。",
            "Please remove the lines with <<<<<<<, ======= and >>>>>>>, keep one of the two sides, save and submit it again; the "
            "original file is untouched.",
        ),
    ),
    b"PK\x03\x04": (
        Text("它是压缩包", "it is an archive"),
        Text(
            "请解开它，交里面的 .ipynb；原文件没有改动。",
            "Please unpack it and submit the .ipynb inside; the original file is untouched.",
        ),
    ),
}


def _unreadable(zh: str, en: str, remedy: Text = _START) -> AutograderError:
    return AutograderError(Text(f"这份提交读不出来：{zh}。", f"This submission cannot be read: {en}."), remedy=remedy)
