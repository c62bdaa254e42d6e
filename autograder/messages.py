"""Every sentence the autograder says, in Chinese and in English, looked up by a short key.

The words live in gettext catalogues, `locale/{zh,en}/LC_MESSAGES/autograder.po`, made with Babel; the code
holds only keys, so that neither language is the other's translation. The .po files are read directly:
there is no compiled copy that could be stale, and nothing but the standard library is needed. The labels under which
checks yield their properties are English and stay as they are, being identifiers too; `labels.po` has the Chinese.

This module is not the place where words are shown (see show.py and errors.py), and the prose of lessons,
hints and mistakes is not here either: those are pairs kept beside what they speak of.
"""

from __future__ import annotations

import ast
import functools
import itertools
import os
import re
import shlex
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

LANGUAGES = ("zh", "en")
_LOCALE = Path(__file__).parent / "locale"
_shown: list[str] = list(LANGUAGES)
LONG = 30  # characters that are not said twice
_called = ["autograder"]  # how the command was called, with the options that say which class


class Text(NamedTuple):
    """One thing said in both languages."""

    zh: str
    en: str

    def lines(self) -> list[str]:
        """The sentence in the learner's languages, Chinese first; said once where both are the same, and once what is the
        same in long ones, such as an error's own words: at the end, or at the beginning with a remark in brackets."""
        found = list(dict.fromkeys(getattr(self, each) for each in _shown if getattr(self, each)))
        if len(found) == 2 and len(end := common_end(*found)) >= LONG:
            return [f"{found[0].removesuffix(end)} · {found[1]}"]
        if (
            len(found) == 2
            and len(begin := os.path.commonprefix(found)) >= LONG
            and found[0].startswith("（", len(begin))
        ):
            return [f"{found[0]} · {found[1].removeprefix(begin).strip()}"]
        return found

    def __str__(self) -> str:
        return "\n".join(self.lines())


def common_end(one: str, other: str) -> str:
    """The whole words that two sentences end in, with the space before them; "" where one is nothing but the other's end,
    or where a word before them is shared, too: there something goes together, such as a command.

    Numbers are no words: cut off before them, a sentence says less than the other.
    Example: "报错 ValueError: no", "it raised ValueError: no" → " ValueError: no"
    """
    backwards = zip(reversed(one), reversed(other), strict=False)
    at = len(one) - sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], backwards))
    end = one[at:]
    return end if 0 < len(end) < min(len(one), len(other)) and end[0] == " " and end[1:2].isalpha() else ""


def followed_by(one: Text, other: Text) -> Text:
    """Two sentences as one text; the first gets the full stop that a sentence quoting a value does without."""
    ends = (".", "!", "?", "。", "！", "？", "。）", "！）", "？）", "…")
    zh, en = (said if said.endswith(ends) else said + stop for said, stop in zip(one, "。.", strict=True))
    return Text(zh + other.zh, f"{en} {other.en}")


def sentences(said: Iterable[str]) -> str:
    """Chinese sentences one after the other: a full stop of theirs brings its own space."""
    return re.sub(r"(?<=[。！？；：]) ", "", " ".join(said))


def command(*words: str) -> str:
    """A command of ours, ready to be copied: called as this one was, for the same course and gradebook."""
    return " ".join([*_called, *words])


@contextmanager
def called_with(program: str, options: Sequence[str]) -> Iterator[None]:
    """Commands that are told of while this one runs begin as it did: with the options that say which class."""
    before, _called[:] = _called[:], map(shlex.quote, [program, *options])
    try:
        yield
    finally:
        _called[:] = before


def text(key: str, **values: Any) -> Text:
    """The sentence stored under `key`, with `values` filled in (a `Text` among them fills in each its own); {autograder}
    is how a command begins.
    """

    def fill(language: str) -> str:
        words = {"autograder": command()} | {name: _in(language, value) for name, value in values.items()}
        return catalogue(language)[key].format(**words)

    return Text(fill("zh"), fill("en"))


def _in(language: str, value: Any) -> Any:
    return getattr(value, language) if isinstance(value, Text) else value


def language(choice: str = "both") -> None:
    """Choose the languages of all that follows: "zh", "en" or "both" (the default)."""
    if choice not in (*LANGUAGES, "both"):
        from autograder.errors import AutograderError

        raise AutograderError(text("language_unknown", given=choice), remedy=text("language_choices"))
    _shown[:] = LANGUAGES if choice == "both" else [choice]


def languages_now() -> Text:
    """Which languages are shown, and how to choose others."""
    return text("language_both" if len(_shown) > 1 else "language_one")


def duration(span: timedelta) -> Text:
    """A length of time: days if there are any, then hours:minutes:seconds."""
    days, clock = span.days, str(timedelta(seconds=span.seconds))
    return Text(f"{days} 天 {clock}", f"{days} day{'s' if days > 1 else ''}, {clock}") if days else Text(clock, clock)


def label_text(label: str) -> Text:
    """A property's label in both languages; one that the catalogue does not have (a forged one) stays as it is."""
    return Text(catalogue("zh", "labels").get(label, label), label)


def width(words: str) -> int:
    """Columns in a terminal: Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in words)


@functools.cache
def catalogue(language: str, name: str = "autograder") -> dict[str, str]:
    """key -> sentence, of one language's .po file."""
    return read_po((_LOCALE / language / "LC_MESSAGES" / f"{name}.po").read_text(encoding="utf-8"))


def read_po(source: str) -> dict[str, str]:
    """The msgid -> msgstr pairs of a .po file as Babel writes it (no plurals, no contexts: we use neither)."""
    pairs: dict[str, str] = {}
    field, parts = "", {"msgid": "", "msgstr": ""}
    for line in [*source.splitlines(), "msgid"]:
        word, _, quoted = line.partition(" ")
        if word == "msgid" and parts["msgid"]:
            pairs[parts["msgid"]] = parts["msgstr"]
        if word in parts:
            field, parts[word] = word, ast.literal_eval(quoted) if quoted else ""
        elif line.startswith('"'):
            parts[field] += ast.literal_eval(line)
    return pairs
