"""What the tests of the project itself look at: its files and their imports. It judges nothing."""

import ast
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
NOT_OURS = {".git", ".venv", "__pycache__", "my_lessons", "out", "build", "dist", ".ipynb_checkpoints"}


class Import(NamedTuple):
    """One imported module: whether it is imported at run time (not only for types), and if so, when."""

    module: str
    line: int
    runs: bool
    lazy: bool


def committed() -> list[Path]:
    """The files under version control; without git (a downloaded archive), all files there are."""
    try:
        listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        paths = [ROOT / os.fsdecode(name) for name in listing.split(b"\0") if name]
    except (OSError, subprocess.CalledProcessError):
        paths = [path for path in ROOT.rglob("*") if not NOT_OURS & set(path.relative_to(ROOT).parts)]
    return [path for path in paths if path.is_file()]


def python_files(*folders: str) -> list[Path]:
    """Every .py file under the folders, in order."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def module_name(path: Path) -> str:
    """The dotted name by which a file is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> list[Import]:
    """Every import statement of a file, names in full; of `from a import b`, both a and a.b."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inner = module_name(path).split(".")
    package = inner if path.name == "__init__.py" else inner[:-1]
    return list(_walk(tree, package, runs=True, lazy=False))


def _walk(node: ast.AST, package: list[str], runs: bool, lazy: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (Import(alias.name, child.lineno, runs, lazy) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            base = package[: len(package) + 1 - child.level] if child.level else []
            origin = ".".join([*base, *([child.module] if child.module else [])])
            yield Import(origin, child.lineno, runs, lazy)
            yield from (Import(f"{origin}.{a.name}", child.lineno, runs, lazy) for a in child.names)
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            yield from _walk(child, package, False, lazy)
        else:
            function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _walk(child, package, runs, lazy or function)
