"""Honest but messy: a class whose notebooks other editors saved, whose cells moved, whose answers hold what only a notebook runs.

Who wrote the right functions where they belong gets the points, whatever stands around them; where points are lost, the
reason says what to do. The tricks of those who mean it are in tests/attacks.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any, NamedTuple

import nbformat
import pytest
from scratch_lesson import EXP_LOG, TANH, scratch_course, with_configuration, write

from autograder import release
from autograder.grade import grade

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]

LESSON = "90_scratch"
Notebook = dict[str, Any]


class Mess(NamedTuple):
    """A submission: its tanh cell, what became of the file, and what it must earn, or why not."""

    tanh: str = TANH
    change: Callable[[Notebook], bytes | None] = lambda nb: None
    score: int | None = 3  # None: not graded, a person must look
    why: str = ""


def _cell(nb: Notebook, name: str) -> dict[str, Any]:
    return next(cell for cell in nb["cells"] if cell.get("id") == name)


def _code(source: str) -> dict[str, Any]:
    return dict(nbformat.v4.new_code_cell(source))


# ── what other programs do to the file ───────────────────────────────────────────────────────────


def vs_code(nb: Notebook) -> None:
    nb["metadata"] = {"language_info": {"name": "python"}, "orig_nbformat": 4, "vscode": {"interpreter": {"hash": "x"}}}
    for cell in nb["cells"]:
        cell["metadata"]["vscode"] = {"languageId": "python"}
        cell["source"] = cell["source"].splitlines(keepends=True)


def colab(nb: Notebook) -> None:
    nb["nbformat_minor"], nb["metadata"]["colab"] = 0, {"provenance": []}
    for number, cell in enumerate(nb["cells"]):
        cell["metadata"] |= {"id": f"Xy{number}", "colab": {"base_uri": "x"}}
        del cell["id"]


def an_older_jupyter(nb: Notebook) -> None:
    nb["nbformat_minor"] = 2
    for cell in nb["cells"]:
        cell["metadata"] |= {"collapsed": False, "trusted": True}
        del cell["id"]


def without_nbgraders_metadata(nb: Notebook) -> None:
    for cell in nb["cells"]:
        cell["metadata"].pop("nbgrader", None)


def without_any_names(nb: Notebook) -> None:
    for cell in nb["cells"]:
        cell["metadata"] = {}
        del cell["id"]


def carriage_returns(nb: Notebook) -> bytes:
    return json.dumps(nb, indent=1).replace("\n", "\r\n").encode()


def by_powershell(nb: Notebook) -> bytes:
    return json.dumps(nb, ensure_ascii=False).encode("utf-16")


def a_byte_order_mark(nb: Notebook) -> bytes:
    return json.dumps(nb).encode("utf-8-sig")


def a_merge_conflict(nb: Notebook) -> bytes:
    return json.dumps(nb, indent=1).replace('"cells"', '<<<<<<< HEAD\n "cells"').encode()


# ── what becomes of cells ────────────────────────────────────────────────────────────────────────


def split(nb: Notebook) -> None:
    """As JupyterLab splits: the second half is a cell with the same metadata."""
    cell = _cell(nb, "exp_log")
    cell["source"], _, rest = cell["source"].partition("\n\n")
    nb["cells"].insert(nb["cells"].index(cell) + 1, copy.deepcopy(cell) | {"id": "new", "source": rest})


def merged(nb: Notebook) -> None:
    """As JupyterLab merges: all in the first cell, and the other is gone."""
    one, other = _cell(nb, "exp_log"), _cell(nb, "tanh")
    one["source"] += "\n\n" + other["source"]
    nb["cells"].remove(other)


def moved_to_the_end(nb: Notebook) -> None:
    nb["cells"].append(nb["cells"].pop(nb["cells"].index(_cell(nb, "exp_log"))))


def answered_in_a_cell_of_its_own(nb: Notebook) -> None:
    cell = _cell(nb, "tanh")
    nb["cells"].append(_code(cell["source"]))
    cell["source"] = "# see below"


def a_helper_in_a_cell_of_its_own(nb: Notebook) -> None:
    nb["cells"].insert(3, _code("def slope(result):\n    return 1 - result * result"))


def tried_and_copied(nb: Notebook) -> None:
    cell = _cell(nb, "tanh")
    nb["cells"].insert(nb["cells"].index(cell) + 1, copy.deepcopy(cell))
    cell["source"] = cell["source"].replace("result * result", "result")


def turned_into_text(nb: Notebook) -> None:
    _cell(nb, "tanh")["cell_type"] = "markdown"


MESSES = {
    **{
        change.__name__: Mess(change=change)
        for change in (
            *(vs_code, colab, an_older_jupyter, without_nbgraders_metadata, carriage_returns, by_powershell),
            *(a_byte_order_mark, split, merged, moved_to_the_end, tried_and_copied, turned_into_text),
        )
    },
    "without_any_names": Mess(change=without_any_names, score=None, why="dropped the names of its cells"),
    "a_merge_conflict": Mess(change=a_merge_conflict, score=None, why="merge conflict"),
    "zipped": Mess(change=lambda nb: b"PK\x03\x04" + bytes(99), score=None, why="unpack it"),
    "answered_in_a_cell_of_its_own": Mess(
        change=answered_in_a_cell_of_its_own, score=2, why="no cell with its @implements"
    ),
    "a_helper_in_a_cell_of_its_own": Mess(
        TANH.replace("(1 - result * result)", "slope(result)"),
        a_helper_in_a_cell_of_its_own,
        2,
        "'slope' is not defined",
    ),
    # What stands in the cell beside the function.
    "tabs": Mess(TANH.replace("    ", "\t")),
    "carriage_returns_in_the_code": Mess(TANH.replace("\n", "\r\n")),
    "a_plot_magic": Mess("%matplotlib inline\n" + TANH),
    "a_timing_magic": Mess(f"%%time\n{TANH}%timeit tanh_vjp(1.0, 0.5)"),
    "an_installation": Mess("!pip install -q torch\n" + TANH),
    "a_question": Mess(TANH + "\ntanh_vjp?"),
    "a_plot_below": Mess(TANH + "import matplotlib.pyplot as plt\nplt.show()"),
    "asks_below": Mess(TANH + "name = input('your name? ')"),
    "asks_above": Mess("name = input('your name? ')\n" + TANH, score=2, why="Nobody is there to answer input()"),
    "a_flood": Mess(TANH + "for number in range(100_000): print(number)"),
    "prints_in_the_part": Mess(TANH.replace("    return", "    print(grad, result)\n    return")),
    "an_assertion_that_fails_below": Mess(TANH + "assert tanh_vjp(1.0, 0.5) == 0.7"),
    "another_name": Mess(TANH.replace("def tanh_vjp", "def my_rule")),
    "the_first_try_above": Mess(TANH.replace("result * result", "result") + TANH),
    "the_first_try_below": Mess(TANH + TANH.replace("result * result", "result"), score=2, why="entries differ"),
    "numpy_by_another_name": Mess("import numpy\n" + TANH.replace("result * result", "numpy.square(result)")),
    "unknown_annotations": Mess(TANH.replace("(grad,", "(grad: Tensor,"), score=2, why="'Tensor' is not defined"),
    "without_the_decorator": Mess(TANH.partition("\n")[2], score=2, why="no cell with its @implements"),
    "a_bracket_of_chinese_print": Mess(TANH.replace("(1", "（1"), score=2, why="invalid character '（'"),
    "a_bare_return": Mess(TANH + "return", score=2, why="'return' outside function"),
    "a_conflict_in_the_code": Mess("<<<<<<< HEAD\n" + TANH, score=2, why="invalid syntax (cell tanh, line 1)"),
    "what_is_not_there": Mess("import torch\n" + TANH, score=2, why="only the Python standard library, NumPy"),
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("messy")
    course = with_configuration(scratch_course(folder / "course"))
    release.release(course, LESSON, write(folder))
    released = (course.path("release", ".", LESSON) / f"{LESSON}.ipynb").read_text(encoding="utf-8")
    for name, mess in MESSES.items():
        notebook = json.loads(released)
        for cell in notebook["cells"]:
            cell["source"] = "".join(cell["source"])
        _cell(notebook, "exp_log")["source"], _cell(notebook, "tanh")["source"] = EXP_LOG, mess.tanh
        changed = mess.change(notebook)
        path = course.path("submitted", name, LESSON) / f"{LESSON}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(changed if changed is not None else json.dumps(notebook).encode())
    return {result.student: result for result in grade(LESSON, course=course)}


@pytest.mark.parametrize("name", MESSES)
def test_it_earns_what_is_right_in_it_and_what_is_lost_has_a_reason(name, results):
    mess, result = MESSES[name], results[name]
    said = [result.problem or {"en": ""}, *(r["reason"] or {"en": ""} for r in result.entry.records.values())]
    if mess.score is None:
        assert result.status == "ungradable"
    else:
        assert (result.status, result.score) == ("graded", mess.score), said
    assert mess.why in " ".join(each["en"] for each in said)
