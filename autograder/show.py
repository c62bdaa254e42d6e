"""How a check's result looks: as plain text, in a terminal with colours, and as HTML in JupyterLab, light or dark.

A `View` is what there is to show; nothing here runs or judges anything. States are said by a sign (✓ ✗ –) and a
word, colours only repeat them. Everything that comes from a learner is escaped.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from html import escape
from itertools import zip_longest

from autograder.compare import Finding
from autograder.messages import Text, label_text, text, width
from autograder.waiting import over

SIGNS = {"pass": "✓", "fail": "✗", "skip": "–", "unreached": "–", "todo": "○"}
_ANSI = {"pass": "32", "fail": "31", "skip": "90", "unreached": "90", "todo": "33"}
# JupyterLab's own colours where it is JupyterLab, readable on black and on white elsewhere.
_COLOURS = {
    "pass": "var(--jp-success-color1, #2e8540)",
    "fail": "var(--jp-error-color1, #d0342c)",
    "skip": "var(--jp-ui-font-color2, #808080)",
    "unreached": "var(--jp-ui-font-color2, #808080)",
    "todo": "var(--jp-warn-color1, #b26a00)",
}
_FOLDED = {"skip": "others_skipped", "pass": "others_pass"}  # beside what failed
_ADDRESS = re.compile(r"0x[0-9a-f]+")
_WIDEST_LABEL = 48
_WIDEST_LINE = 110

Row = tuple[str, Text, Text]  # a property's state, label and detail


@dataclass
class View:
    """One result: a headline, what was found property by property, and what to say about it."""

    name: str
    state: str
    score: str = ""
    properties: list[Finding] = field(default_factory=list)
    notes: list[Text] = field(default_factory=list)
    hint: Text | None = None
    printed: str = ""
    footer: list[str] = field(default_factory=list)

    # ── as text ──────────────────────────────────────────────────────────────────────────────────

    def text(self, colours: bool = False) -> str:
        """What a student sees where there is no HTML."""

        def paint(state: str, words: str) -> str:
            return f"\033[{_ANSI[state]}m{words}\033[0m" if colours else words

        lines = [paint(self.state, f"{SIGNS[self.state]} {self.name}") + (f" · {self.score}" if self.score else "")]
        for words in [*([self.hint] if self.hint else []), *self.notes]:
            lines += [f"  {line}" for sentence in words.lines() for line in sentence.splitlines()]
        rows, folded = self._rows()
        labels = [_joined(label, _WIDEST_LABEL) for _, label, _ in rows]
        column = 2 + min(max((width(line) for label in labels for line in label), default=0), _WIDEST_LABEL)
        for (state, _, detail), label in zip(rows, labels, strict=True):
            sign = paint(state, SIGNS[state])
            for left, right in zip_longest(label, _joined(detail, _WIDEST_LINE - column - 4), fillvalue=""):
                lines.append(f"  {sign} {left}{' ' * max(column - width(left), 2)}{right}".rstrip())
                sign = " "
        for (state, key), some in folded.items():
            said = text(key, count=len(some))
            lines.append(f"  {paint(state, SIGNS[state])} {' · '.join(said.lines())}")
        lines += [f"  {' · '.join(text('printed').lines())}"] if self.printed else []
        lines += [f"  │ {line}" for line in self.printed.splitlines()]
        return "\n".join([*lines, *(f"  {line}" for line in self.footer)])

    # ── as HTML ──────────────────────────────────────────────────────────────────────────────────

    def html(self) -> str:
        """The result for JupyterLab: no script, no outside resource, legible in either theme."""
        rows, folded = self._rows()
        grid = _grid(rows)
        if self.state == "pass" and rows:
            grid = _fold("pass", text("all_agree", total=len(self.properties)), rows)
        for (state, key), some in folded.items():
            grid += _fold(state, text(key, count=len(some)), some)
        hint = _box(_both(self.hint)) if self.hint else ""
        notes = "".join(f'<div style="margin:.4em 0">{_both(each)}</div>' for each in self.notes)
        printed = _printed(self.printed) if self.printed else ""
        footer = "".join(f"<div>{escape(line)}</div>" for line in self.footer)
        return (
            f'<div role="group" aria-label="{escape(self.name)}" style="border-left:4px solid {_COLOURS[self.state]};'
            f'padding:.3em .9em;line-height:1.5;overflow-wrap:anywhere">{self._headline()}{hint}{notes}{grid}{printed}'
            f'<div style="margin-top:.4em;opacity:.7;font-size:90%">{footer}</div></div>'
        )

    def _rows(self) -> tuple[list[Row], dict[tuple[str, str], list[Row]]]:
        """The properties to be shown; and, by state and key of a text, those beside them that one line stands for, if
        that saves any: what passed, what was skipped, and what failed in the words in which another did before it.
        """
        rows = _rows(self.properties)
        alike = {(state, key): [each for each in rows if each[0] == state] for state, key in _FOLDED.items()}
        alike = {("fail", "others_the_same"): _repeated(rows), **alike}
        folded = {key: some for key, some in alike.items() if 1 < len(some) < len(rows)}
        hidden = [each for some in folded.values() for each in some]
        return [each for each in rows if each not in hidden], folded

    def _headline(self) -> str:
        score = f" · {escape(self.score)}" if self.score else ""
        return (
            f'<div style="margin-bottom:.3em"><strong style="color:{_COLOURS[self.state]}">'
            f"{SIGNS[self.state]}</strong> <strong>{escape(self.name)}</strong>{score}</div>"
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": self.text(), "text/html": self.html()}


def show(view: View) -> None:
    """Display it in a notebook, in place of the sign of life if there was one; print it elsewhere."""
    place = over()
    if (ipython := sys.modules.get("IPython")) and ipython.get_ipython():
        ipython.display.display(view, display_id=place, update=place is not None)
    else:
        print(view.text(colours=sys.stdout.isatty()))


def _rows(found: list[Finding]) -> list[Row]:
    """The properties in order; all that the run did not reach share a row."""
    missed = [each for each in found if each.state == "unreached"]
    rows = [(each.state, label_text(each.label), each.detail) for each in found if each not in missed[1:]]
    if len(missed) < 2:
        return rows
    together = text("so_many_more", count=len(missed))
    return [(state, together if state == "unreached" else label, detail) for state, label, detail in rows]


def _repeated(rows: list[Row]) -> list[Row]:
    """The failed ones that say no more than the first of them: mostly one error, raised in every case."""
    failed = [each for each in rows if each[0] == "fail"]
    return [each for each in failed[1:] if _without_addresses(each[2]) == _without_addresses(failed[0][2])]


def _without_addresses(words: Text) -> Text:
    return Text(*(_ADDRESS.sub("", each) for each in words))


def _row(state: str, label: Text, detail: Text) -> str:
    whole = state in ("fail", "unreached")  # each language in one piece, side by side if they fit
    said = (
        f'<div style="display:flex;flex-wrap:wrap;gap:0 1.2em">{_both(detail)}</div>'
        if whole
        else f"<span>{_beside(detail)}</span>"
    )
    return f"{_sign(state)}<span>{_beside(label)}</span>{said}"


def _sign(state: str) -> str:
    return f'<span style="color:{_COLOURS[state]}" role="img" aria-label="{state}">{SIGNS[state]}</span>'


def _grid(rows: list[Row]) -> str:
    inside = "".join(_row(*each) for each in rows)
    style = "display:grid;grid-template-columns:auto fit-content(40%) 1fr;gap:.15em .8em"
    return f'<div style="{style}">{inside}</div>' if rows else ""


def _fold(state: str, summary: Text, rows: list[Row]) -> str:
    return f"<details><summary>{_sign(state)} {_beside(summary)}</summary>{_grid(rows)}</details>"


def _box(inside: str) -> str:
    frame = f"border:1px solid {_COLOURS['todo']};border-radius:4px;padding:.4em .7em;margin:.5em 0"
    return f'<div style="{frame}">{inside}</div>'


def _printed(words: str) -> str:
    heading = f'<div style="margin-top:.6em">{_beside(text("printed"))}</div>'
    return f'{heading}<pre style="white-space:pre-wrap">{escape(words)}</pre>'


def _both(words: Text) -> str:
    """Each language in a line of its own."""
    return "".join(f"<div{tag}>{line}</div>" for tag, line in _marked(words))


def _beside(words: Text) -> str:
    """The languages one after the other."""
    return " · ".join(f"<span{tag}>{line}</span>" for tag, line in _marked(words))


def _marked(words: Text) -> list[tuple[str, str]]:
    """(attribute that names the language, escaped line); said once, and unmarked, where both are the same."""
    tags = {words.zh: " lang='zh'", words.en: " lang='en'"} if words.zh != words.en else {}
    return [(tags.get(line, ""), escape(line).replace("\n", "<br>")) for line in words.lines()]


def _joined(words: Text, room: int) -> list[str]:
    """The languages side by side if they fit, else one below the other."""
    lines = words.lines() or [""]
    beside = " · ".join(lines)
    return [beside] if width(beside) <= room else lines
