"""Every committed file that a program writes: writes them, or with --check only compares.

Each generator is a command with a mode that writes and a mode that compares; this is the list of them. It
knows nothing of what they write. `make generate` and `make generated` call it; so does CI.
"""

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Generator(NamedTuple):
    """What is written, the command's words that write it, and those that check it."""

    what: str
    write: list[str]
    check: list[str]


GENERATORS = [
    Generator("environment.yml", ["tools/environment.py"], ["tools/environment.py", "--check"]),
    Generator("release/", ["-m", "autograder", "release"], ["-m", "autograder", "release", "--check"]),
    Generator("minigrad: what only torch has", ["tools/torch_only.py"], ["tools/torch_only.py", "--check"]),
    Generator("docs/api.md", ["tools/api_list.py"], ["tools/api_list.py", "--check"]),
    Generator("docs/engine*.md", ["tools/source_links.py"], ["tools/source_links.py", "--check"]),
    Generator("docs/images/*.svg", ["tools/pictures.py"], ["tools/pictures.py", "--check"]),
    Generator("README: lessons", ["tools/lesson_table.py"], ["tools/lesson_table.py", "--check"]),
    Generator("lesson pairs", ["tools/lesson_pairs.py"], ["tools/lesson_pairs.py", "--check"]),
]


def main() -> int:
    """Run them all, even after one fails, so that one look shows everything that is stale."""
    check = "--check" in sys.argv[1:]
    stale = []
    for generator in GENERATORS:
        command = generator.check if check else generator.write
        failed = subprocess.run([sys.executable, *command], cwd=ROOT).returncode != 0
        print(f"{'✗' if failed else '✓'} {generator.what}", flush=True)
        stale += [generator.what] if failed else []
    if stale and check:
        print("✗ 有文件不是最新的，请运行 · not current, run: make generate", file=sys.stderr)
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
