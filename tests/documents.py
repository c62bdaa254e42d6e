"""Documents as scripts: the files they show, the commands they give, their examples. It judges nothing.

In a document, a block after a line that is only a file's name in backquotes is that file. Blocks marked `sh` are
typed by the reader, from top to bottom; those marked `console` need something that a test has no place for (a window,
a second machine), and are only compared with what the commands accept. A page that many people read is two files,
`NAME.md` and `NAME.zh-CN.md`, one for each language.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from project_files import ROOT, committed

_BLOCK = re.compile(
    r"(?ms)^(?:(?:<!-- (?P<quoted>\S+) -->|`(?P<file>[\w./-]+)`)\n)?```(?P<kind>\w+)\n(?P<text>.*?)^```$"
)


class Block(NamedTuple):
    """A fenced block: what it is marked as, its text, and the file that it is, or that it quotes."""

    kind: str
    text: str
    file: str | None
    quoted: str | None


def blocks(document: Path) -> list[Block]:
    """The fenced blocks of a document, in order."""
    found = _BLOCK.finditer(document.read_text(encoding="utf-8"))
    return [Block(each["kind"], each["text"], each["file"], each["quoted"]) for each in found]


def commands(document: Path, kind: str) -> list[str]:
    """The command lines of all blocks of a kind, comments left out, continued lines joined."""
    lines = [line for each in blocks(document) if each.kind == kind for line in _joined(each.text).splitlines()]
    return [line.partition("  #")[0].strip() for line in lines if line.strip() and not line.startswith("#")]


def _joined(text: str) -> str:
    return re.sub(r"\\\n\s*", "", text)


def both(name: str) -> list[Path]:
    """The two files of a page: English, Chinese."""
    return [ROOT / f"{name}.md", ROOT / f"{name}.zh-CN.md"]


def differences(document: Path, engine: str, internals: bool = True) -> tuple[int, str]:
    """Run a document's examples (`>>>`) with `engine` imported as torch: how many there are, and what printed otherwise.

    internals: also those that look inside minigrad, which say `import minigrad`.
    """
    shown = [each.text for each in blocks(document) if each.kind == "python" and ">>>" in each.text]
    text = "".join(each for each in shown if internals or ">>> import minigrad\n" not in each)
    found = doctest.DocTestParser().get_examples(text.replace("import minigrad as torch", f"import {engine} as torch"))
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False)
    runner.run(doctest.DocTest(found, {}, document.name, str(document), 0, None), out=said.append)
    return len(found), "".join(said)


def copy_of_project(folder: Path) -> Path:
    """The committed files, and this project's environment, somewhere else."""
    for path in committed():
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    (folder / ".venv").symlink_to(ROOT / ".venv")
    return folder


def type_in(folder: Path, text: str) -> str:
    """Type a block into a shell in that folder; what it printed. AssertionError, with that, if a command fails."""
    here = {"PYTHONPATH": str(folder), "MINIGRAD_MY_PARTS": str(folder / "my_lessons" / "my_parts"), "COLUMNS": "160"}
    # fmt: off
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", text], cwd=folder, env={**os.environ, **here},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL,
    )
    # fmt: on
    assert done.returncode == 0, f"{text}\n{done.stdout}"
    return done.stdout


def give(folder: Path, lines: list[str]) -> str:
    """Give command lines of `autograder` to its own main, one after the other in one process: starting takes longer."""
    program = f"""
import shlex, sys
from autograder import cli
for line in {lines!r}:
    name, *arguments = shlex.split(line)
    assert name == ".venv/bin/autograder", line
    print("$", line, flush=True)
    if cli.main(arguments):
        sys.exit(f"failed: {{line}}")
"""
    (folder / "typed.py").write_text(program, encoding="utf-8")
    return type_in(folder, ".venv/bin/python typed.py")
