"""Keeps the source that a document shows current: line links and quoted code. With --check it only compares.

A document points at the engine by name: `[words][autograd.engine.run_backward]` is a link, and
`<!-- code: autograd.engine.run_backward -->` has that symbol's source below it. Where the symbol is, and what it
says today, is looked up here, so whoever edits the engine runs `make generate` and edits no document.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "minigrad"
PAGES = (ROOT / "docs" / "engine.md", ROOT / "docs" / "engine.zh-CN.md")
BELOW = "<!-- 以下由 tools/source_links.py 写出 · written by tools/source_links.py; make generate -->"
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
LABEL = re.compile(r"\]\[([\w.]+)\]")
QUOTE = re.compile(r"(<!-- code: ([\w.]+) -->\n```python\n)(.*?)(```\n)", re.DOTALL)


class UnknownName(LookupError):
    """A document names what the engine does not have; says so in both languages."""

    def __init__(self, label: str) -> None:
        super().__init__(
            f"引擎里没有 {label}，改一下文档里的名字。 · The engine has no {label}: mend the name in the page."
        )


class Place(NamedTuple):
    """Where a symbol is defined, and how its source reads without the docstring."""

    path: Path
    line: int
    source: str


@cache
def parsed(path: Path) -> ast.Module:
    """A module as a syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"))


def find(label: str) -> Place:
    """Where `package.module.Class.name`, counted from minigrad, is defined. UnknownName if nowhere."""
    words = label.split(".")
    for count in range(len(words), -1, -1):
        stem = PACKAGE.joinpath(*words[:count])
        for path in (stem.with_suffix(".py"), stem / "__init__.py"):
            if path.is_file():
                return within(path, words[count:], label)
    raise UnknownName(label)


def within(path: Path, names: list[str], label: str) -> Place:
    """The symbol that `names` lead to inside a module; the module itself for none."""
    tree: ast.AST = parsed(path)
    for name in names:
        inside = [node for node in getattr(tree, "body", []) if name in defined(node)]
        if not inside:
            raise UnknownName(label)
        tree = inside[0]  # of a property the getter
    return Place(path, getattr(tree, "lineno", 1), unparsed(path, tree))


def defined(node: ast.AST) -> list[str]:
    """The names that a statement defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def unparsed(path: Path, node: ast.AST) -> str:
    """A statement's own lines, comments and all, without its docstring."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = set(range(getattr(node, "lineno", 1), (getattr(node, "end_lineno", None) or len(lines)) + 1))
    if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
        told = node.body[0]
        kept -= set(range(told.lineno, (told.end_lineno or told.lineno) + 1))
    return "".join(lines[number - 1] for number in sorted(kept))


def current(text: str, folder: Path) -> str:
    """A document's text with today's lines and today's code."""
    text = QUOTE.sub(lambda match: match[1] + find(match[2]).source + match[4], text)
    prose = text.partition(BELOW)[0]
    if not (labels := sorted(set(LABEL.findall(FENCED.sub("", prose))))):
        return text
    links = [f"[{label}]: {os.path.relpath(find(label).path, folder)}#L{find(label).line}\n" for label in labels]
    return f"{prose.rstrip()}\n\n{BELOW}\n\n{''.join(links)}"


def main() -> int:
    """Write the pages, or compare them."""
    stale = False
    for page in PAGES:
        before = page.read_text(encoding="utf-8")
        try:
            after = current(before, page.parent)
        except UnknownName as unknown:
            print(f"{page.relative_to(ROOT)}: {unknown}", file=sys.stderr)
            return 1
        stale |= before != after
        if before != after and "--check" not in sys.argv[1:]:
            page.write_text(after, encoding="utf-8")
    return int(stale and "--check" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
