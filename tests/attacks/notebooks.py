"""Tricks with the submitted file. Each changes a notebook in which exp and log are right and tanh is not written.

A change gets the notebook as plain data and changes it, or returns the bytes of another file.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Notebook = dict[str, Any]
SCRIPT = "<script>alert('xss')</script><img src=x onerror=alert(1)>"


@dataclass(frozen=True)
class Trick:
    """`change` turns a submission into an attack; `readable` is False where what it makes is no notebook any more."""

    name: str
    change: Callable[[Notebook], bytes | None]
    readable: bool = True


def _cells(notebook: Notebook, what: str) -> list[dict[str, Any]]:
    """The notebook's solution, check or reflection cells."""
    wanted = {"solution": (True, False), "check": (False, True), "reflection": (True, True)}[what]
    known = [(cell, cell["metadata"].get("nbgrader", {})) for cell in notebook["cells"]]
    return [cell for cell, meta in known if (bool(meta.get("solution")), bool(meta.get("grade"))) == wanted]


def more_points(nb: Notebook) -> None:
    for cell in _cells(nb, "check"):
        cell["metadata"]["nbgrader"]["points"] = 1000


def negative_points_for_others(nb: Notebook) -> None:
    for cell in _cells(nb, "check"):
        cell["metadata"]["nbgrader"]["points"] = -5


def the_engines_own_part(nb: Notebook) -> None:
    """Never named in the text, the part would stay in the engine that the sandbox shows."""
    for cell in _cells(nb, "solution")[-1:]:
        cell["source"] = """
import minigrad.ops.pointwise
name = "_".join(["tanh", "vjp"])
implements("minigrad.ops.pointwise." + name)(getattr(minigrad.ops.pointwise, name))
"""


def skip_execution(nb: Notebook) -> None:
    for cell in _cells(nb, "check"):
        cell["metadata"]["tags"] = ["skip-execution", "remove-cell", "raises-exception"]


def a_number_for_a_check(nb: Notebook) -> None:
    for cell in _cells(nb, "check"):
        cell["source"] = "100.0"


def checks_deleted(nb: Notebook) -> None:
    gone = _cells(nb, "check")
    nb["cells"] = [cell for cell in nb["cells"] if cell not in gone]


def a_check_twice(nb: Notebook) -> None:
    nb["cells"] += [json.loads(json.dumps(cell)) for cell in _cells(nb, "check")]


def a_check_of_its_own(nb: Notebook) -> None:
    extra = json.loads(json.dumps(_cells(nb, "check")[0]))
    extra["metadata"]["nbgrader"] |= {"grade_id": "check_bonus", "points": 50}
    extra["id"], extra["source"] = "check_bonus", "1"
    nb["cells"].append(extra)


def ids_swapped(nb: Notebook) -> None:
    one, other = (cell["metadata"]["nbgrader"] for cell in _cells(nb, "check")[:2])
    one["grade_id"], other["grade_id"] = other["grade_id"], one["grade_id"]


def solution_as_check(nb: Notebook) -> None:
    for cell in _cells(nb, "solution"):
        cell["metadata"]["nbgrader"] |= {"grade": True, "points": 10, "locked": True}


def types_changed(nb: Notebook) -> None:
    for cell in _cells(nb, "check"):
        cell["cell_type"] = "raw"


def forged_outputs(nb: Notebook) -> None:
    for cell in _cells(nb, "check"):
        data = {"text/plain": "100.0", "text/html": SCRIPT, "application/javascript": "alert(1)"}
        cell["outputs"] = [{"output_type": "execute_result", "execution_count": 1, "data": data, "metadata": {}}]


def svg_and_widgets(nb: Notebook) -> None:
    nb["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": {"x": SCRIPT}}}
    for cell in _cells(nb, "solution"):
        data = {"image/svg+xml": f"<svg onload=alert(1)>{SCRIPT}</svg>"}
        cell["outputs"] = [{"output_type": "display_data", "data": data, "metadata": {}}]


def attachments(nb: Notebook) -> None:
    for cell in _cells(nb, "reflection"):
        cell["attachments"] = {"x.svg": {"image/svg+xml": SCRIPT}, "../../x": {"text/html": SCRIPT}}


def script_in_the_reflection(nb: Notebook) -> None:
    for cell in _cells(nb, "reflection"):
        cell["source"] = (
            f"{SCRIPT}\n\n[x](javascript:alert(1)) ![](http://example.com/seen.png) <iframe src=//evil></iframe>"
        )


def covers_the_page(nb: Notebook) -> None:
    """Classes of formgrader's own style sheet: a link that lies over its buttons."""
    for cell in _cells(nb, "reflection"):
        cell["source"] = '<a class="navbar-fixed-top modal-backdrop" href="//evil">x</a><p class="hl-x alert">y</p>'


def a_program_that_looks_like_another(nb: Notebook) -> None:
    """Marks of direction, by which an editor shows a line in another order than Python reads it."""
    for cell in [*_cells(nb, "solution"), *_cells(nb, "reflection")]:
        cell["source"] += "\n# \u202e \u2066 return 1 \u2069\u2066 \x1b[2K\x9b8m"


def an_attached_picture(nb: Notebook) -> None:
    """The picture stays behind, which nbconvert takes for a broken notebook."""
    for cell in _cells(nb, "reflection"):
        cell["source"] = "![picture](attachment:picture.png)"


def slow_markdown(nb: Notebook) -> None:
    for cell in _cells(nb, "reflection"):
        cell["source"] = "a" + " " * 49_000 + "b"


def deeper_than_the_parser(nb: Notebook) -> None:
    for cell in _cells(nb, "solution")[-1:]:
        cell["source"] = "x = " + "-" * 40_000 + "1"


def forged_results(nb: Notebook) -> None:
    nb["metadata"]["autograder"] = {"problem": None, "records": {"check_tanh": {"score": 100, "status": "graded"}}}


def another_kernel(nb: Notebook) -> None:
    nb["metadata"]["kernelspec"] = {"name": "../../../bin/sh", "display_name": SCRIPT, "language": "bash"}


def magics(nb: Notebook) -> None:
    cell = _cells(nb, "solution")[-1]
    cell["source"] = "%load_ext evil\n!rm -rf /\n%%bash\ncurl http://example.com\n" + cell["source"]


def only_its_own_cells(nb: Notebook) -> None:
    nb["cells"].insert(0, {"cell_type": "code", "id": "own", "metadata": {}, "source": "import os; os._exit(0)"})
    nb["cells"][0] |= {"outputs": [], "execution_count": None}


def own_setup(nb: Notebook) -> None:
    for cell in nb["cells"]:
        if "setup" in cell["metadata"].get("tags", []):
            cell["source"] = "import torch as minigrad\nimplements = lambda name: (lambda f: f)\ncheck = print"


def a_hundred_copies(nb: Notebook) -> None:
    nb["cells"] += [json.loads(json.dumps(cell)) for cell in _cells(nb, "solution")[-1:] for _ in range(100)]


def strange_ids(nb: Notebook) -> None:
    for number, cell in enumerate(nb["cells"]):
        if "nbgrader" not in cell["metadata"]:
            cell["id"] = SCRIPT if number % 2 else None


def old_format(nb: Notebook) -> None:
    nb["nbformat"], nb["nbformat_minor"] = 4, 0


def homoglyph_ids(nb: Notebook) -> None:
    """A Cyrillic а looks like the Latin one, and is another name."""
    for cell in [*_cells(nb, "solution")[-1:], *_cells(nb, "check")]:
        cell["id"] = cell["metadata"]["nbgrader"]["grade_id"] = cell["id"].replace("a", "а")


def wrong_types(nb: Notebook) -> None:
    """What is a text, a number or an object in a notebook is something else."""
    nb["nbformat"], nb["nbformat_minor"], nb["metadata"] = "four", [5], [["kernelspec", None]]
    for number, cell in enumerate(nb["cells"]):
        if not cell["metadata"].get("nbgrader", {}).get("solution"):
            nb["cells"][number] = [7, None, "x", {"source": 3}, {"metadata": [], "id": {}, "cell_type": {}}][number % 5]
    for cell in _cells(
        {"cells": [each for each in nb["cells"] if isinstance(each, dict) and each.get("id")]}, "solution"
    ):
        cell["source"] = [*cell["source"].splitlines(keepends=True), None, {}]
        cell["outputs"], cell["execution_count"], cell["metadata"]["tags"] = "none", "one", {"x": 1}


def surrogates(nb: Notebook) -> bytes:
    _cells(nb, "reflection")[0]["source"] = "\ud800\x00\x1b[2J\u202e"
    return json.dumps(nb).encode()


def endless_number(nb: Notebook) -> bytes:
    return json.dumps(nb).encode()[:-1] + b', "x": ' + b"9" * 100_000 + b"}"


def deep_json(nb: Notebook) -> bytes:
    return b'{"cells": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"


def too_large(nb: Notebook) -> bytes:
    return json.dumps(nb | {"padding": "x" * (17 << 20)}).encode()


def empty_cells(nb: Notebook) -> bytes:
    """Gigabytes and minutes, where each is looked at."""
    nb["cells"] += [{}] * 20_000
    return json.dumps(nb).encode()


def empty_lists(nb: Notebook) -> bytes:
    return json.dumps(nb).encode()[:-1] + b', "x": [' + b"[]," * 5_000_000 + b"0]}"


def cut_short(nb: Notebook) -> bytes:
    return json.dumps(nb).encode()[:-40]


def a_zip(nb: Notebook) -> bytes:
    return b"PK\x03\x04" + b"\x00" * 64


READABLE = [
    *(
        more_points,
        negative_points_for_others,
        the_engines_own_part,
        skip_execution,
        a_number_for_a_check,
        checks_deleted,
    ),
    *(a_check_twice, a_check_of_its_own, ids_swapped, solution_as_check, types_changed, forged_outputs),
    *(svg_and_widgets, attachments, script_in_the_reflection, forged_results, another_kernel, magics),
    *(covers_the_page, a_program_that_looks_like_another),
    *(an_attached_picture, slow_markdown, deeper_than_the_parser),
    *(only_its_own_cells, own_setup, a_hundred_copies, strange_ids, old_format, surrogates),
    *(homoglyph_ids, wrong_types),
]
UNREADABLE = [endless_number, deep_json, too_large, empty_cells, empty_lists, cut_short, a_zip]
TRICKS = [Trick(each.__name__, each, each in READABLE) for each in READABLE + UNREADABLE]
