"""The learner's edition of the engine: minigrad with the bodies of some parts taken out.

Grading mounts it in the sandbox, so that a part works only if the learner wrote it. It is written from the
engine's own source: signatures and docstrings stay, bodies become `raise NotImplementedError`. An edition
is built once per content and kept in a cache for as long as it is used; nothing here decides which parts a
lesson has (lessons.py does).
"""

from __future__ import annotations

import ast
import compileall
import contextlib
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterable
from importlib.util import cache_from_source
from pathlib import Path

from autograder.lessons import PROJECT
from autograder.solutions import Definition, body_span, descend, find

UNUSED = 30 * 24 * 3600  # seconds after which an edition is removed: by then the engine has most likely changed


def cache_dir() -> Path:
    """The folder that holds everything that can be built again ($AUTOGRADER_CACHE, else the user's cache)."""
    home = os.environ.get("AUTOGRADER_CACHE") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "autograder"


def learners_edition(parts: Iterable[str], root: Path = PROJECT, cache: Path | None = None) -> Path:
    """A folder that holds `minigrad/` with the bodies of `parts` replaced by NotImplementedError.

    Raises UnknownName for a part that the engine does not define.
    """
    parts = sorted(set(parts))
    files = _engine_files(root)
    digest = hashlib.sha256(f"compiled {parts!r}".encode())  # editions of before, which were not, have other names
    for relative, data in files.items():
        digest.update(b"%s\0%d\0" % (relative.encode(), len(data)) + data)
    home = (cache or cache_dir()) / "editions"
    edition = home / digest.hexdigest()[:24]
    if not edition.is_dir():
        home.mkdir(parents=True, exist_ok=True)
        _remove_unused(home)
        whole = learners_edition((), root, cache) if parts else None
        _build(edition, files, _by_file(parts, root), whole)
    with contextlib.suppress(OSError):  # it is another user's, or just being removed by hand
        os.utime(edition)
    return edition


def _remove_unused(home: Path) -> None:
    """Remove the editions that nobody has asked for in `UNUSED` seconds, and what builders that were killed have left."""
    for edition in home.iterdir():
        with contextlib.suppress(OSError):
            if edition.stat().st_mtime < time.time() - UNUSED:
                shutil.rmtree(edition)


def _build(
    edition: Path, files: dict[str, bytes], owned: dict[str, dict[str, tuple[str, ...]]], whole: Path | None
) -> None:
    """Write an edition beside its final place and move it there in one step. Two builders cannot disturb each other.

    owned: by file, what loses its body. The other files, and their bytecode, are those of `whole`, the edition that has all
    bodies: a hundred editions take little more room than one. None: this is that edition.
    """
    scratch = Path(tempfile.mkdtemp(dir=edition.parent, prefix=".new-"))
    try:
        for relative, data in files.items():
            target = scratch / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            if relative in owned:
                target.write_bytes(without_bodies(data.decode(), owned[relative]).encode())
            elif whole:
                _link(whole / relative, target)
            else:
                target.write_bytes(data)
        compileall.compile_dir(scratch, quiet=2)  # once, and not for every sandbox that shows it
        for path in (scratch, *scratch.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)  # the sandbox reads it as another user
        scratch.rename(edition)
    except OSError:
        if not edition.is_dir():  # anything but another builder having been faster
            raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _link(source: Path, target: Path) -> None:
    """The same file under a second name, and its bytecode if there is; copies, times included, where a disk has no links."""
    pairs = [(source, target)]
    if source.suffix == ".py" and (bytecode := Path(cache_from_source(str(source)))).is_file():
        pairs.append((bytecode, Path(cache_from_source(str(target)))))
    for old, new in pairs:
        new.parent.mkdir(exist_ok=True)
        try:
            new.hardlink_to(old)
        except OSError:
            shutil.copy2(old, new)


def _engine_files(root: Path) -> dict[str, bytes]:
    """The engine's source files by relative path; none of its bytecode, which would hold the bodies."""
    paths = sorted(p for p in (root / "minigrad").rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return {str(p.relative_to(root)): p.read_bytes() for p in paths if p.suffix != ".pyc"}


def _by_file(parts: list[str], root: Path) -> dict[str, dict[str, tuple[str, ...]]]:
    owned: dict[str, dict[str, tuple[str, ...]]] = {}
    for part in parts:
        found = find(part, root)
        owned.setdefault(str(found.path), {})[part] = found.inside
    return owned


def without_bodies(text: str, parts: dict[str, tuple[str, ...]]) -> str:
    """A module's source with the bodies of parts (functions, or all methods of classes) taken out.

    `parts` gives for each dotted name the names that lead to it within this module.
    """
    lines = text.splitlines(keepends=True)
    tree = ast.parse(text)
    bodies = [(node, part) for part, inside in parts.items() for node in _functions(descend(tree, inside))]
    for node, part in sorted(bodies, key=lambda b: b[0].lineno, reverse=True):
        start, end = body_span(text, node)
        message = f'raise NotImplementedError("{part} is yours to write · 这一部分由你来写")\n'
        if node.body[0].lineno == node.lineno:  # def f(x): return x
            lines[start:end] = [lines[start][: node.body[0].col_offset] + message]
        else:
            lines[start:end] = [" " * node.body[0].col_offset + message]
    return "".join(lines)


def _functions(node: Definition | None) -> list[Definition]:
    if isinstance(node, ast.ClassDef):
        return [n for n in node.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [node] if node else []
