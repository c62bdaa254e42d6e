"""The one truth of a solution: a lesson's solution cell holds the engine's own source.

Finds the definition behind a part's dotted name by reading the engine's files (nothing is imported), proves
that a solution cell says the same (as a syntax tree without docstrings, comments, decorators and
annotations), and copies the engine's bodies into the regions of a lesson source. It knows how a region is
written, but does not hide anything: see release.py and editions.py.

A region is released as a stub. Where learners are to repair a program instead of writing one, the broken program
is in the region, too, commented out:

    ### BEGIN SOLUTION
    return 2 * x
    ### RELEASED AS
    # return x
    ### END SOLUTION
"""

from __future__ import annotations

import ast
import difflib
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.errors import AutograderError, UnknownName
from autograder.lessons import PROJECT, Lesson, kind, parts_of, source_path
from autograder.messages import Text, command

BEGIN, GIVEN, END = "### BEGIN SOLUTION", "### RELEASED AS", "### END SOLUTION"
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_PRAGMA = re.compile(r"\s*#\s*(type:\s*ignore|noqa|pragma|fmt:|pyright:|mypy:).*$")


@dataclass(frozen=True)
class Found:
    """Where the engine defines a part.

    Its file (relative to the project), that file's text, the node in it.
    """

    path: Path
    text: str
    inside: tuple[str, ...]  # the names that lead from the module to the node
    node: Definition


def find(part: str, root: Path = PROJECT) -> Found:
    """The definition of a dotted name such as `minigrad.optim.SGD.step`."""
    steps = part.split(".")
    for cut in range(len(steps) - 1, 0, -1):
        base = root.joinpath(*steps[:cut])
        for path in (base.with_suffix(".py"), base / "__init__.py"):
            if path.is_file():
                text = path.read_text(encoding="utf-8")
                tree = ast.parse(text)
                node = descend(tree, steps[cut:])
                if node:
                    return Found(path.relative_to(root), text, tuple(steps[cut:]), node)
                if home := _offered_from(tree, steps[cut]):
                    return find(".".join([*steps[:cut], home, *steps[cut:]]), root)
                raise UnknownName(Text("部件", "part"), part, [".".join(steps[:cut]) + "." + n for n in _named(text)])
    raise UnknownName(Text("部件", "part"), part, [])


def _offered_from(tree: ast.Module, name: str) -> str | None:
    """The module of its own from which a package takes a name, to offer it itself: `from .sgd import SGD`."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and name in [each.name for each in node.names]:
            return node.module
    return None


def descend(tree: ast.Module, inside: Iterable[str]) -> Definition | None:
    """The definition that a path of names leads to; of a property, the getter."""
    node: ast.AST = tree
    for step in inside:
        same = [n for n in ast.iter_child_nodes(node) if isinstance(n, Definition) and n.name == step]
        same = [n for n in same if not _is_variant(n)]
        if not same:
            return None
        node = same[-1]
    return node if isinstance(node, Definition) else None


def _is_variant(node: Definition) -> bool:
    """Whether this is a property's setter or deleter, or one of typing's overloads."""
    names = (getattr(d, "attr", getattr(d, "id", "")) for d in node.decorator_list)
    return any(name in ("setter", "deleter", "overload") for name in names)


def _named(text: str) -> Iterator[str]:
    for node in ast.parse(text).body:
        if isinstance(node, Definition):
            yield node.name
        if isinstance(node, ast.ClassDef):
            yield from (f"{node.name}.{n.name}" for n in node.body if isinstance(n, Definition))


# ── the two faces of a region ────────────────────────────────────────────────────────────────────


def as_given(source: str, stub: str) -> str:
    """A solution cell as learners get it: in each region's place the program given there, or else the stub."""
    return _without_regions(source, lambda indent, _, given: given or [indent + line for line in stub.splitlines()])


def as_solved(source: str) -> str:
    """A solution cell with the engine's bodies in it, as a learner would have written it."""
    return _without_regions(source, lambda indent, solution, _: solution)


def given_lines(source: str) -> list[str]:
    """The lines of the programs that a cell gives to be repaired."""
    found: list[str] = []

    def note(indent: str, solution: list[str], given: list[str]) -> list[str]:
        found.extend(given)
        return []

    _without_regions(source, note)
    return found


def _without_regions(source: str, instead: Callable[[str, list[str], list[str]], list[str]]) -> str:
    """The source with instead(indent, solution's lines, given lines) in each region's place."""
    kept: list[str] = []
    halves: tuple[list[str], list[str]] | None = None
    indent, given = "", False
    for line in source.split("\n"):
        if BEGIN in line:
            indent, given, halves = line[: len(line) - len(line.lstrip())], False, ([], [])
        elif halves is None:
            kept.append(line)
        elif END in line:
            kept += instead(indent, *halves)
            halves = None
        elif GIVEN in line:
            given = True
        else:
            halves[given].append(indent + line.strip(" ")[2:] if given else line)
    return "\n".join(line.rstrip() for line in kept)


# ── comparing ────────────────────────────────────────────────────────────────────────────────────


class _Bare(ast.NodeTransformer):
    """Take away what may differ between a lesson and the engine: docstrings, decorators, annotations."""

    def _definition(self, node: Definition) -> Definition:
        self.generic_visit(node)
        node.decorator_list = []
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        if not isinstance(node, ast.ClassDef):
            node.returns = None
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _definition  # noqa: N815

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        return ast.Assign(targets=[node.target], value=node.value) if node.value else ast.Pass()


def bare(node: Definition) -> str:
    """A definition's source with nothing left but what it does; equal text means equal syntax tree."""
    copy = ast.parse(ast.unparse(node)).body[0]
    return ast.unparse(ast.fix_missing_locations(_Bare().visit(copy)))


def definitions(source: str) -> dict[str, Definition]:
    """The definitions of a solution cell by the part that their `@implements` names."""
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, Definition):
            for part in parts_of(ast.unparse(node)):
                found[part] = node
    return found


def differences(lesson: Lesson) -> list[AutograderError]:
    """One error for every part whose solution in the lesson is not the engine's own source."""
    errors = []
    for cell in lesson.notebook.cells:
        if kind(cell) == "solution":
            for part, node in definitions(cell.source).items():
                mine, engine = bare(node).splitlines(), bare(find(part).node).splitlines()
                if mine != engine:
                    diff = "\n".join(difflib.unified_diff(mine, engine, "lesson", "engine", lineterm=""))
                    errors.append(_differs(lesson.name, part, diff))
    return errors


def _differs(lesson: str, part: str, diff: str) -> AutograderError:
    return AutograderError(
        Text(
            f"{part} 的答案和引擎自己的源码不一样。",
            f"The solution for {part} does not match the engine's own source.",
        ),
        where=f"{lesson}\n{diff}",
        remedy=command("release", lesson, "--sync-solutions"),
    )


# ── copying the engine's bodies into the lesson ──────────────────────────────────────────────────


def sync(name: str, sources: Path) -> bool:
    """Rewrite the solution regions of a lesson source from the engine. Returns whether the file changed."""
    path = source_path(name, sources)
    old = path.read_text(encoding="utf-8")
    new = synced(old)
    if new != old:
        path.write_text(new, encoding="utf-8")
    return new != old


def synced(source: str, root: Path = PROJECT) -> str:
    """A lesson source whose solution regions hold the engine's bodies."""
    chunks = re.split(r"(?m)^(?=# %%)", source)
    return "".join(_synced_cell(chunk, root) if BEGIN in chunk else chunk for chunk in chunks)


def _synced_cell(chunk: str, root: Path) -> str:
    lines = chunk.splitlines(keepends=True)
    targets = []
    for part, node in definitions(_parsable(chunk)).items():
        targets += list(_pairs(node, find(part, root)))
    for node, body in sorted(targets, key=lambda t: t[0].lineno, reverse=True):
        span = range(node.lineno - 1, node.end_lineno or node.lineno)
        begin = next((i for i in span if BEGIN in lines[i]), None)
        end = next((i for i in range(span.start, len(lines)) if END in lines[i] or GIVEN in lines[i]), None)
        if begin is not None and end is not None:
            indent = lines[begin][: len(lines[begin]) - len(lines[begin].lstrip())]
            lines[begin + 1 : end] = textwrap.indent(body, indent).splitlines(keepends=True)
    return "".join(lines)


def _parsable(chunk: str) -> str:
    """An empty region leaves a body without a statement: put one on the BEGIN line, so line numbers stay."""
    return "\n".join(line.replace(BEGIN, "pass; " + BEGIN) for line in chunk.split("\n"))


def _pairs(node: Definition, found: Found) -> Iterator[tuple[Definition, str]]:
    """Yield (definition in the lesson, the engine's body) for a function, or for each method of a class."""
    if isinstance(node, ast.ClassDef):
        engine = {n.name: n for n in found.node.body if isinstance(n, Definition)}
        for method in node.body:
            if isinstance(method, Definition) and method.name in engine:
                yield method, body_text(found.text, engine[method.name])
    else:
        yield node, body_text(found.text, found.node)


def body_text(text: str, node: Definition) -> str:
    """The dedented source of a body without its docstring, comments kept, checkers' pragmas dropped."""
    start, end = body_span(text, node)
    lines = text.splitlines()[start:end]
    if len(lines) == 1 and node.lineno == node.body[0].lineno:  # def f(x): return x
        lines = [lines[0][node.body[0].col_offset :]]
    kept = [_PRAGMA.sub("", line).rstrip() for line in lines]
    return textwrap.dedent("\n".join(kept)).strip("\n") + "\n"


def body_span(text: str, node: Definition) -> tuple[int, int]:
    """The lines [start, end) of a body.

    After the docstring, comments before and after statements included.
    """
    lines = text.splitlines()
    first, last = node.body[0], node.body[-1]
    if ast.get_docstring(node, clean=False) is not None:
        start = first.end_lineno or first.lineno
    else:
        start = first.lineno - 1
        while start > node.lineno and _is_comment(lines[start - 1]):
            start -= 1
    end = last.end_lineno or last.lineno
    inside = node.col_offset + 1
    tail = end
    while tail < len(lines) and _is_comment(lines[tail], inside):
        tail += 1
        if lines[tail - 1].strip():
            end = tail
    return start, max(end, start)


def _is_comment(line: str, indent: int = 0) -> bool:
    """Whether a line is blank, or a comment indented at least so far."""
    bare_line = line.lstrip()
    return not bare_line or (bare_line.startswith("#") and len(line) - len(bare_line) >= indent)
