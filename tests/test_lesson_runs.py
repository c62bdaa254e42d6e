"""Every lesson runs from top to bottom in both editions: with the reference all proofs hold and all checks pass; as it
is released, untouched, nothing frightens."""

import resource

import nbformat
import pytest

from autograder import lessons
from autograder.lessons import RELEASE, kind
from autograder.solutions import GIVEN

NAMES = lessons.names()
MOST_SECONDS = 60
either_edition = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(autouse=True)
def nothing_saved_from_earlier_lessons(tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGRAD_MY_PARTS", str(tmp_path / "my_parts"))


def run(notebook, folder):
    """The notebook, executed as JupyterLab's Run All does it in the lesson's own folder: a traceback raises here."""
    folder.mkdir()
    before = kernels_seconds()
    ran = lessons.execute(notebook, folder, timeout=120)
    assert kernels_seconds() - before < MOST_SECONDS
    return ran


def kernels_seconds():
    """Processor time of the kernels so far: what a lesson takes on an idle machine, whatever else runs on this one."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def said(cell):
    """What a cell showed, as text."""
    return "".join(out.get("text") or out.get("data", {}).get("text/plain", "") for out in cell.get("outputs", ()))


def shown_by_checks(notebook):
    """The answer of every check, by its cell; no other cell may print a traceback on its way."""
    assert not any("Traceback (most recent call last)" in said(cell) for cell in notebook.cells)
    return {cell.metadata.nbgrader.grade_id: said(cell) for cell in notebook.cells if kind(cell) == "check"}


def released(name):
    """The file that learners open."""
    return nbformat.read(RELEASE / name / f"{name}.ipynb", as_version=4)


@pytest.mark.slow
@either_edition
def test_with_the_reference_every_proof_holds_and_every_check_passes(name, tmp_path):
    lesson = lessons.load(name)
    shown = shown_by_checks(run(lesson.notebook, tmp_path / name))
    assert shown.keys() == lesson.checks.keys()
    assert not {check: text for check, text in shown.items() if not text.startswith("✓")}


@pytest.mark.slow
@either_edition
def test_as_released_and_untouched_it_says_what_to_do(name, tmp_path):
    lesson = lessons.load(name)
    shown = shown_by_checks(run(released(name), tmp_path / name))
    sign = "✗" if any(GIVEN in cell.source for cell in lesson.notebook.cells) else "○"  # broken programs do run
    assert shown.keys() == lesson.checks.keys()
    assert not {check: text for check, text in shown.items() if not text.startswith(sign)}


def test_every_lesson_is_released_and_nothing_else():
    files = {path.stem for path in RELEASE.glob("*/*.ipynb") if path.stem[0].isdigit()}
    assert files == set(NAMES) and all(path.is_dir() for path in RELEASE.iterdir())
    assert not any(kind(cell) == "proof" for name in NAMES for cell in released(name).cells)
