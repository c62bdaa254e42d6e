"""Every lesson runs from top to bottom: with the reference, all checks pass; untouched, nothing frightens."""

import time

import nbformat
import pytest
from nbclient import NotebookClient

from autograder import lessons
from autograder.lessons import PROJECT, kind
from autograder.nbgrader_plugin import DropProofs
from autograder.solutions import GIVEN, as_given

NAMES = lessons.names()
STUB = "raise NotImplementedError()"
MOST_SECONDS = 60


def run(notebook):
    """The notebook, executed as JupyterLab's Run All does it, and the seconds it took."""
    start = time.monotonic()
    NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(PROJECT)}}
    ).execute()
    return notebook, time.monotonic() - start


def said(cell):
    """What a cell showed, as text."""
    return "".join(out.get("text") or out.get("data", {}).get("text/plain", "") for out in cell.get("outputs", ()))


def untouched(name):
    """The lesson as a learner first opens it: stubs for solutions, no proof cells."""
    notebook, _ = DropProofs().preprocess(nbformat.from_dict(lessons.load(name).notebook), {})
    for cell in notebook.cells:
        if kind(cell) == "solution":
            cell.source = as_given(cell.source, STUB)
    return notebook


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_with_the_reference_every_check_passes(name):
    notebook, seconds = run(nbformat.from_dict(lessons.load(name).notebook))
    shown = {cell.id: said(cell) for cell in notebook.cells if kind(cell) == "check"}
    assert shown and all(text.startswith("✓") for text in shown.values()), shown
    assert seconds < MOST_SECONDS


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_untouched_it_says_what_to_do(name):
    notebook, seconds = run(untouched(name))  # a traceback anywhere raises here
    shown = {cell.id: said(cell) for cell in notebook.cells if kind(cell) == "check"}
    repairs = any(GIVEN in cell.source for cell in lessons.load(name).notebook.cells)  # broken programs do run
    assert shown and all(text.startswith("✗" if repairs else "○") for text in shown.values()), shown
    assert seconds < MOST_SECONDS
