"""Formulas on pages that may run no script: every one of the lessons' becomes MathML, a student's text stays text."""

from __future__ import annotations

import re

import nbformat
import pytest
from nbconvert.exporters import HTMLExporter
from nbformat.v4 import new_markdown_cell, new_notebook

from autograder import lessons, markdown
from autograder.course import Course
from autograder.feedback_page import FeedbackPage
from autograder.markdown import harmless_markdown

LESSONS = [*lessons.names(), *lessons.pages()]


@pytest.mark.parametrize("name", LESSONS)
def test_every_formula_of_the_lessons_is_shown_without_a_script(name):
    notebook = nbformat.read(lessons.RELEASE / name / f"{name}.ipynb", as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and lessons.kind(cell) != "reflection":
            without_code = re.sub(r"(?s)<(pre|code).*?</\1>", "", markdown.prose_to_html(cell.source))
            assert not re.search(r"\$[^$]+\$|formula-mark", without_code), cell.source


@pytest.mark.parametrize(
    ("tex", "has"),
    [
        (r"e^2", "<msup><mi>e</mi><mn>2</mn></msup>"),
        (r"\frac{d(e^2)}{dw}", "<mfrac>"),
        (r"\sum (Y - wX)^2", "&#x02211;"),
        (r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}", "<mtable>"),
    ],
)
def test_tex_becomes_mathml(tex, has):
    made = markdown.mathml(tex)
    assert made.startswith("<math ") and has in made


@pytest.mark.parametrize("tex", [r"\frac", r"x_1_2", r"\nosuchcommand{x}"])
def test_what_cannot_be_turned_stays_as_typed(tex):
    assert markdown.mathml(tex) is None
    assert f"${tex}$" in markdown.prose_to_html(f"so ${tex}$ it is")


def test_formulas_stand_where_they_stood_and_code_is_left_alone():
    html = markdown.prose_to_html("## Why $x$?\n\nwith `$y$` and\n\n$$z$$\n\n- $a < b$ & c")
    assert html.count("<math ") == 3 and "<code>$y$</code>" in html
    assert 'display="block"' in html and "formula-mark" not in re.sub("<[^>]*>", "", html)


EVIL = r"$\text{<script>alert(1)</script>}$ $\href{javascript:alert(1)}{x}$"


def test_what_a_student_wrote_stays_text():
    for text in (EVIL, f"$${EVIL}$$"):
        assert "<math" not in harmless_markdown(text) and "<script" not in harmless_markdown(text)
    reflection = {"grade_id": "reflection", "grade": True, "solution": True, "points": 1}
    notebook = new_notebook(cells=[new_markdown_cell("$w = 3$"), new_markdown_cell(EVIL)])
    notebook.cells[1].metadata["nbgrader"] = reflection
    for exporter in (HTMLExporter, FeedbackPage):  # formgrader's and ours, as the course configures them
        page, _ = exporter(config=Course().config, template_name="basic").from_notebook_node(notebook)
        assert page.count("<math") == 1 and "<mi>w</mi>" in page
        assert "<script" not in page and 'href="' not in page
