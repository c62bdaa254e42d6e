"""Markdown on pages that may run nothing (CSP): the lesson's own prose with its formulas, a student's text made harmless.

Such pages have no MathJax. So TeX in a lesson's prose is turned into MathML when the page is written; a formula that
cannot be turned stays TeX. What a student wrote is cleaned (pages.py), and its formulas stay as typed.
"""

from __future__ import annotations

import contextlib
import functools
import re
from html import escape
from typing import Any

from nbconvert.filters.markdown_mistune import (
    InvalidNotebook,
    IPythonRenderer,
    MarkdownWithMath,
    markdown2html_mistune,
)
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.lessons import kind
from autograder.pages import clean_html, visible

Resources = dict[str, Any]
_MARK = "formula-mark-{}-"  # the placeholder of a formula while the rest is cleaned
_LONGEST = 20_000  # characters of Markdown: at worst rendering takes the square of the length, here seconds


class _Prose(IPythonRenderer):
    """Markdown to HTML, with a mark where each formula goes."""

    def __init__(self) -> None:
        super().__init__(escape=False)
        self.formulas: dict[str, str] = {}

    def _keep(self, tex: str, display: str, as_typed: str) -> str:
        mark = _MARK.format(len(self.formulas))
        self.formulas[mark] = mathml(tex, display) or self.escape_html(as_typed)
        return mark

    def inline_math(self, body: str) -> str:
        return self._keep(body, "inline", f"${body}$")

    def block_math(self, body: str) -> str:
        return self._keep(body, "block", f"$${body}$$")

    def block_html(self, html: str) -> str:
        """Text inside HTML tags (<details>) is not parsed as Markdown, but may contain formulas."""
        return str(super().block_html(re.sub(r"\$([^$\n]+)\$", lambda found: self.inline_math(found[1]), html)))

    def latex_environment(self, name: str, body: str) -> str:
        tex = f"\\begin{{{name}}}{body}\\end{{{name}}}"
        return self._keep(tex, "block", tex)


def mathml(tex: str, display: str = "inline") -> str | None:
    """A formula as MathML; None if it cannot be turned, which is known from what is left of TeX in it."""
    from latex2mathml.converter import convert

    try:
        made = convert(tex, display=display)
    except Exception:  # the converter's exceptions have no base of their own
        return None
    return None if "\\" in made else made


@functools.lru_cache(4096)  # every page of a class has the same prose in it
def prose_to_html(source: str) -> str:
    """A lesson's Markdown as HTML in which nothing can run, its formulas as MathML."""
    prose = _Prose()
    cleaned = clean_html(MarkdownWithMath(renderer=prose).render(source))
    # A mark inside of a tag (the anchor of a heading) is only a name.
    return re.sub(r"<[^>]*>|formula-mark-\d+-", lambda found: prose.formulas.get(found[0], found[0]), cleaned)


def harmless_markdown(source: str) -> str:
    """Render Markdown to HTML in which nothing can run: a student's text is shown in the grader's browser.

    What cannot be rendered (a picture that was attached stays behind), or is far too long, is shown as it was typed.
    """
    if len(source) <= _LONGEST:
        with contextlib.suppress(InvalidNotebook, RecursionError):
            return clean_html(str(markdown2html_mistune(source)))
    return f"<pre>{escape(source)}</pre>"


class OwnFormulas(NbGraderPreprocessor):
    """Let a page show the formulas of the lesson's own prose as MathML: in formgrader's pages as well as in feedback."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Change only how the exporter renders Markdown, and let nothing in a text or program be unseen."""
        for cell in nb.cells:
            cell.source = visible(cell.source)
        prose = {c.source for c in nb.cells if c.cell_type == "markdown" and kind(c) not in ("solution", "reflection")}
        self.parent.register_filter(
            "markdown2html", lambda text: (prose_to_html if text in prose else harmless_markdown)(text)
        )
        return nb, resources
