"""What was handed in before: receipts as they lie beside the lessons' folders.

    my_submissions/LESSON/001_<sha256>/receipt.json

A receipt says where the version went. One that went nowhere is saved here and nothing more, and says that, too.

It is loaded in every notebook whose last cell runs, and needs no notebook format, no grader and no page for that; only
who has handed in waits for a look at the file (`otherwise_here`).
Handing in, which writes them, is receipts.py's.
"""

from __future__ import annotations

import ast
import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.errors import AutograderError
from autograder.messages import Text, text

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "my_submissions"


@dataclass(frozen=True)
class Receipt:
    """What was handed in, when, and what it earned on practice inputs."""

    lesson: str
    student: str
    version: int
    sha256: str
    bytes: int
    time: str
    score: float
    points: float
    checks: list[dict[str, Any]]
    problem: dict[str, str] | None
    folder: str
    saved: str = ""  # when the file was last written
    first_check: str = ""  # when a check of this lesson first ran on the learner's machine, if it is known
    sent: str = ""  # where the teacher collects, once it is there

    def lines(self) -> list[str]:
        """The receipt in the learner's languages."""
        said = [
            *self._where(),
            f"  SHA-256 {self.sha256}",
            f"  {self.time}   {self.bytes:,} bytes   {_beside(text('receipt_saved'))} {self.saved}",
            f"  {self.folder}",
            *([f"  {_beside(text('receipt_first_check'))} {self.first_check}"] if self.first_check else []),
        ]
        if self.problem:
            return [*said, f"  ! {_beside(Text(self.problem['zh'], self.problem['en']))}"]
        said.append(f"  {_beside(text('receipt_practice'))}: {self.score:g}/{self.points:g}")
        return [*said, *(f"    {each['headline']}" for each in self.checks)]

    def _where(self) -> list[str]:
        """Whether the teacher can have it, and what to do if not."""
        what = {"lesson": self.lesson, "version": self.version}
        if self.sent:
            return [f"✓ {line}" for line in text("handed_in_to", **what, to=self.sent).lines()]
        file = f"{self.folder}/{self.lesson}.ipynb"
        remedies = [
            text("only_saved_upload", file=file),
            text("only_saved_folder", id=self.student),
        ]
        return [
            *(f"! {line}" for line in text("only_saved", **what).lines()),
            *(f"  → {line}" for each in remedies for line in each.lines()),
        ]


def _beside(words: Text) -> str:
    return " · ".join(words.lines())


def home_of(path: Path) -> Path:
    """Where a notebook's versions are kept: beside the lessons' folders."""
    folder = path.resolve().parent
    return (folder.parent if folder.name == path.stem else folder) / FOLDER / path.stem


def versions(home: Path) -> list[Path]:
    """The receipts that lie there, in their order."""
    return sorted(home.glob("[0-9][0-9][0-9]*_*/receipt.json"), key=lambda p: int(p.parent.name.partition("_")[0]))


def next_number(home: Path) -> int:
    """The number after the last one: the order of versions does not depend on the clock."""
    found = versions(home)
    return int(found[-1].parent.name.partition("_")[0]) + 1 if found else 1


def latest(home: Path) -> Receipt | None:
    """The last receipt that was given, if there is one."""
    found = versions(home)
    return Receipt(**json.loads(found[-1].read_text(encoding="utf-8"))) if found else None


def otherwise_here(book: Path) -> Iterator[str]:
    """What to say if parts of a notebook's file are not those that run in it: it was not saved, or holds two of one."""
    import nbformat
    from IPython.core.inputtransformer2 import TransformerManager

    from autograder import own_source, parts  # the notebook's own, and so loaded already
    from autograder.solutions import bare, definitions

    try:
        cells = nbformat.read(book, as_version=4).cells
    except (ValueError, KeyError, AttributeError, nbformat.ValidationError):  # what nbformat raises has no base
        return  # the receipt says so
    in_file: dict[str, str] = {}
    for cell in cells:
        with suppress(SyntaxError, ValueError):  # a cell with a slip plugs in nothing
            as_run = TransformerManager().transform_cell(cell.source)  # magics among its lines are no Python
            found = definitions(as_run) if cell.cell_type == "code" else {}
            in_file |= {part: bare(node) for part, node in found.items()}
    differ = []
    for part, written in parts.plugged().items():
        if getattr(written, "__module__", "") == "__main__":
            with suppress(AutograderError):
                node: Any = ast.parse(own_source.of(written)).body[0]
                differ += [part.rpartition(".")[2]] * (bare(node) != in_file.get(part))
    if differ:
        yield from (f"! {line}" for line in text("otherwise_here", parts=", ".join(differ)).lines())
