"""How a record is shown on a page: the pieces that feedback, formgrader and the class report share.

Everything that comes from a submission is escaped here, and a page allows nothing to run or load (CSP).
What the learner sees in a live notebook is show.py's; the class report as a whole is report.py's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import escape
from math import isnan
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder.errors import AutograderError
from autograder.messages import Text, label_text, sentences, text
from autograder.records import Record

CSP = (
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
    "style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'\">"
)
MARKS = {"pass": "✓", "fail": "✗", "skip": "–", "unreached": "–"}
_CELL = "text-align:left;vertical-align:top;padding:.2em .9em .2em 0"  # nbgrader's page has cells without any room
_COLOURS = {"pass": "#1a7f37", "fail": "#b42318", "skip": "#666", "unreached": "#666"}

Pair = dict[str, str]  # {"zh": …, "en": …}


def pair(said: Text | Pair | str | None) -> Pair | None:
    """Something said, in both languages, as plain data."""
    if said is None:
        return None
    if isinstance(said, Text):
        return {"zh": said.zh, "en": said.en}
    return dict(said) if isinstance(said, dict) else {"zh": said, "en": said}


def pair_of(error: AutograderError) -> Pair:
    """An error and its remedy as a pair."""
    said = [p for p in (pair(error.what), pair(error.remedy)) if p]
    return {"zh": sentences(p["zh"] for p in said), "en": " ".join(p["en"] for p in said)}


def plain(said: Pair | None, between: str = " · ") -> str:
    """A pair on one line, said once where both languages are the same."""
    return between.join(both(said))


def both(said: Pair | None) -> list[str]:
    """A pair as a list, Chinese first; one entry where both languages are the same."""
    return list(dict.fromkeys(said[language] for language in ("zh", "en") if said[language])) if said else []


def label_of(label: str) -> Pair:
    """A property's label in both languages."""
    words = label_text(label)
    return {"zh": words.zh, "en": words.en}


def lost(record: Record) -> bool:
    """Whether a record is not full marks."""
    return record["status"] != "graded" or record["score"] < record["points"]


def headline(record: Record) -> str:
    """Return `✗ name · 1/2` (or that it was not graded)."""
    if record["status"] != "graded":
        return f"? {record['check']} · 未能评分 · not graded"
    return f"{'✗' if lost(record) else '✓'} {record['check']} · {record['score']}/{record['points']}"


def lost_in(record: Record, by_hand: Mapping[str, float]) -> str:
    """Return `name 1/2`, and what a person gave instead, if anyone did."""
    earned = "?" if record["score"] is None else record["score"]
    return f"{record['check']} {earned}/{record['points']}{corrected(record, by_hand)}"


def corrected(record: Record, by_hand: Mapping[str, float]) -> str:
    """What a person gave for a check instead of the referee's points: those count."""
    given = by_hand.get(record["check"])
    return "" if given is None else f"（人工 · by hand: {given:g}）"


def hint_of(record: Record) -> Pair | None:
    """The hint of the known mistake that a record names, with the part it is in: "caused by" it, if the check does not
    ask for that part.
    """
    from autograder.checks import REGISTRY
    from autograder.mistakes import MISTAKES

    known = MISTAKES.get(record["hint"] or "")
    if not known:
        return None
    check = REGISTRY.get(record["check"])
    asked = check is None or known.part in check.parts
    return pair(text("hint_in" if asked else "hint_caused", part=known.part.rpartition(".")[2], hint=known.hint))


def remarks(notes: Mapping[str, Pair]) -> list[Pair]:
    """What was unusual about how a submission was read, each with the name of the cell it is about."""
    return [
        {"zh": f"{cell}：{note['zh']}", "en": f"{cell}: {note['en']}"} if cell else note for cell, note in notes.items()
    ]


def stood_in(record: Record) -> Pair | None:
    """Which of the engine's own parts this check ran on, because the student had not written them."""
    parts = [part.rpartition(".")[2] for part in record.get("stood_in", ())]
    return pair(text("stood_in", parts=", ".join(parts))) if parts else None


def as_text(record: Record, note: Pair | None = None) -> str:
    """A record as plain text, both languages."""
    lines = [headline(record)]
    for each in record["properties"]:
        details = plain({"zh": each["detail_zh"], "en": each["detail_en"]})
        lines.append(f"  {MARKS[each['state']]} {plain(label_of(each['label']))}   {details}")
    for words, said in (
        ("原因 · Reason: ", record["reason"]),
        ("提示 · Hint: ", hint_of(record)),
        ("", stood_in(record)),
        ("", note),
    ):
        if said:
            lines.append(f"  {words}{plain(said)}")
    if not record["sandboxed"]:
        lines.append("  没有沙箱的评分 · graded without a sandbox")
    return "\n".join(lines)


def as_html(record: Record, note: Pair | None = None) -> str:
    """A record as HTML. State is told by sign and word, never by colour alone."""
    rows = "".join(_property(each) for each in record["properties"])
    said = [("原因 · Reason", record["reason"]), ("提示 · Hint", hint_of(record))]
    said += [("注意 · Note", words) for words in (stood_in(record), note)]
    notes = "".join(_said(label, words) for label, words in said if words)
    if not record["sandboxed"]:
        notes += "<p><b>⚠ 没有沙箱的评分 · graded without a sandbox</b></p>"
    seed = "" if record["seed"] is None else f"<p style='color:#666'>种子 · seed {escape(str(record['seed']))}</p>"
    state = "pass" if not lost(record) else "fail"
    return (
        f"<div lang='zh'><p><b style='color:{_COLOURS[state]}'>{escape(headline(record))}</b></p>"
        f"<table>{rows}</table>{notes}{seed}</div>"
    )


def _property(each: dict[str, Any]) -> str:
    details = "<br>".join(escape(d) for d in dict.fromkeys((each["detail_zh"], each["detail_en"])))
    return (
        f"<tr><td style='{_CELL};color:{_COLOURS[each['state']]}'>{MARKS[each['state']]}</td>"
        f"<td style='{_CELL}'>{escape(plain(label_of(each['label'])))}</td>"
        f"<td style='{_CELL}'>{details}</td></tr>"
    )


def _said(label: str, said: Pair) -> str:
    return f"<p><b>{label}</b> {'<br>'.join(map(escape, both(said)))}</p>"


# nbgrader's words on a feedback page, and ours for them. A score that is not a number waits for a person.
FEEDBACK_WORDS = {
    "Score: nan": "得分 · Score: –",
    "(Score: ": "(得分 · Score: ",
    "      Score: ": "      得分 · Score: ",
    "<b>Comments:</b>": "<b>评语 · Comments:</b>",
    ">(Top)</a>": ">（回到顶端 · top）</a>",
    '<span class="nbgrader-label">Student\'s answer</span>': '<span class="nbgrader-label">回答 · Answer</span>',
    '<span class="nbgrader-label">Grade cell: ': '<span class="nbgrader-label">检查 · Check: ',
}


def contents(nb: NotebookNode, penalty: float) -> str:
    """A feedback page's table of contents: why it could not be graded, or each graded cell and what it lost points for."""
    about = nb.metadata.get("autograder", {})
    records, problem = about.get("records", {}), about.get("problem")
    said = "<p><b>? 没能评分，不是零分。· Not graded; this is no zero.</b></p>" if problem else ""
    cells = [c.metadata.nbgrader for c in nb.cells if "nbgrader" in c.metadata]
    rows = [] if problem and waiting(cells) else _lines(cells, records)
    rows += [f"<li>迟交扣分 · Late penalty: −{penalty:g}</li>"] if penalty else []
    reason = f"<p>{'<br>'.join(map(escape, both(problem)))}</p>" if problem else ""
    return f'<div id="toc">{said}{reason}<ul style="list-style:none;padding:0">{"".join(rows)}</ul></div>'


def waiting(cells: Iterable[Any]) -> bool:
    """Whether one of the cells with points still has none: neither the referee's nor a person's."""
    return any(cell.get("grade") and isnan(cell.score) for cell in cells)


def _lines(cells: list[Any], records: dict[str, Record]) -> list[str]:
    """The cells that have points or a comment; a reason that the next one with points repeats is said there."""
    lines: list[str] = []
    said: list[str] = []
    for cell in reversed([cell for cell in cells if cell.get("grade") or cell.get("comment")]):
        why = _why(cell, records)
        lines.insert(0, _line(cell, records, [] if why == said else why))
        said = why if cell.get("grade") else said
    return lines


def _why(cell: Any, records: dict[str, Record]) -> list[str]:
    """What a cell lost points for, in both languages."""
    record = records.get(cell.grade_id)
    return both(hint_of(record) or record["reason"]) if record and cell.get("grade") and _mark(cell) == "✗" else []


_OUTDATED = (
    " 老师给过分，之后又评过，还没有再看 · marked before the last grading; your teacher has not looked again yet"
)


def _mark(cell: Any) -> str:
    return "?" if isnan(cell.score) else "✓" if cell.score >= cell.points else "✗"


def _line(cell: Any, records: dict[str, Record], why: list[str]) -> str:
    """One cell in the table of contents. why: what it lost points for, if that is said here."""
    name, record = escape(str(cell.grade_id)), records.get(cell.grade_id)
    lines = []
    if cell.get("grade"):
        mark = _mark(cell)
        points = f"{'–' if mark == '?' else f'{cell.score:g}'} / {cell.points:g}"
        words = f"<code>{escape(record['check'])}</code>" if record else "反思 · Reflection"
        note = " 等老师来评 · waits for your teacher" if mark == "?" else _OUTDATED if cell.get("outdated") else ""
        lines.append(f'{mark} <a href="#{name}">{words}</a> {points}{note}')
    lines += [f"<small>{escape(each)}</small>" for each in why]
    if cell.get("comment"):
        lines.append(f'<a href="#comment-{name}">评语 · Comment: <code>{name}</code></a>')
    return f"<li>{'<br>'.join(lines)}</li>"


def record_output(record: Record, note: Pair | None = None) -> NotebookNode:
    """A record as a notebook output, in HTML and in text."""
    data = {"text/html": as_html(record, note), "text/plain": as_text(record, note)}
    return nbformat.v4.new_output("display_data", data)


# ── the student's own Markdown ───────────────────────────────────────────────────────────────────

_TAGS = """a abbr b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i kbd li ol p pre
s span strong sub summary sup table tbody td th thead tr ul""".split()
_ATTRIBUTES = {("a", "href"), ("td", "align"), *((tag, name) for tag in _TAGS for name in ("id", "lang", "title"))}
# What Markdown's own code boxes and headings need. A page's other classes would let a text cover the page.
_CLASS = re.compile(r"highlight|hl-\w+|anchor-link|[a-z][a-z0-9]{0,2}")
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def clean_html(html: str) -> str:
    """HTML with every tag and attribute that could run, load or restyle anything taken out."""
    from nbconvert.preprocessors.sanitize import SanitizeHTML

    return str(SanitizeHTML(tags=_TAGS, attributes=_allowed, styles=[]).sanitize_html_tags(html))


def _allowed(tag: str, name: str, value: str) -> bool:
    if name == "class":
        return all(map(_CLASS.fullmatch, value.split()))
    return (tag, name) in _ATTRIBUTES


def visible(source: str) -> str:
    """A student's code or text in which what would turn a line around, or hide it, shows as �: it has to look as it runs."""
    return _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", source)
