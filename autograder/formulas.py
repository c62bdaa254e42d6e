"""The formulas of a lesson's own prose as MathML, which a browser shows without any script.

Pages that may run nothing (CSP) have no MathJax. So TeX is turned into MathML when the page is written; a formula that
cannot be turned stays TeX. Only for prose of ours: what a student wrote is cleaned (pages.py) and stays as typed.
"""

from __future__ import annotations

import functools
import re

from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from autograder.pages import clean_html

_MARK = "formula-mark-{}-"  # stands for a formula while the rest is cleaned


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
        """What stands in tags of its own (<details>) is no Markdown any more, yet may hold formulas."""
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
