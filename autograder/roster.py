"""The roster: who is in the class, read from roster.csv as spreadsheets write it.

    id,first_name,last_name,email

Columns are parted by commas, semicolons or tabs. The text is UTF-8 or, with its mark, UTF-16; else it is taken for GB 18030
(GBK), as Excel in China writes a CSV, if it can be: other encodings are refused, and not read as Chinese characters.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from pathlib import Path

from autograder.errors import AutograderError
from autograder.files import plain_name
from autograder.messages import text

EMPTY = "id,first_name,last_name,email\n"
_COLUMNS = ("first_name", "last_name", "email")
# What hardly any name holds (王伟A and 王伟B do not), but Müller read as GBK does: Chinese right beside a small letter.
_MIXED = re.compile(r"[a-z][^\x00-\x7f]|[^\x00-\x7f][a-z]")


def read(path: Path) -> dict[str, tuple[str, str, str]]:
    """(first name, last name, e-mail) by id; nothing where there is no file."""
    if not path.is_file():
        return {}
    try:
        words, sure = _decoded(path.read_bytes())
        # newline="": a name may hold what Python takes for the end of a line, csv knows better
        table = csv.DictReader(io.StringIO(words, newline=""), strict=True, delimiter=_delimiter(words))
        heads = table.fieldnames = [re.sub(r"[\s-]+", "_", each.strip().lower()) for each in table.fieldnames or ()]
        rows = [(table.line_num, row) for row in table if any(value for key, value in row.items() if key)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise AutograderError(text("roster_unreadable", error=error), str(path), text("roster_remedy")) from None
    if "id" not in heads:
        raise AutograderError(text("roster_without_id"), str(path), text("roster_remedy"))
    found: dict[str, tuple[str, str, str]] = {}
    for line, row in rows:
        student = (row["id"] or "").strip()
        if student in found or not plain_name(student):
            twice, bad = ("roster_twice", "roster_twice_remedy"), ("roster_bad_id", "roster_bad_id_remedy")
            why, remedy = twice if student in found else bad
            raise AutograderError(text(why, id=student), f"{path}:{line}", text(remedy))
        first, last, email = (" ".join((row.get(c) or "").split()) for c in _COLUMNS)
        if not sure and any(map(_MIXED.search, (student, first, last, email))):
            raise AutograderError(text("roster_encoding"), f"{path}:{line}", text("roster_remedy"))
        found[student] = (first, last, email)
    return found


def full_name(first: str, last: str) -> str:
    """A name as its owner writes it: 李娜, Emma Clarke."""
    return last + first if last and ord(last[0]) > 0x2E80 else f"{first} {last}".strip()


def _decoded(data: bytes) -> tuple[str, bool]:
    """The text, and whether its encoding is sure."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16"), True
    try:
        return data.decode("utf-8-sig"), True
    except UnicodeDecodeError as utf8:
        try:
            return data.decode("gb18030"), False
        except UnicodeDecodeError:
            raise utf8 from None


def _delimiter(words: str) -> str:
    """What parts the first line's columns."""
    head = words.partition("\n")[0]
    return max(",;\t", key=head.count)
