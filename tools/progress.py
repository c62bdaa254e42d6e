"""Runs a slow command and shows on one line how far it is; what the command prints goes to a log.

Standard library only: tools/setup.py uses it before anything is installed. What to run is not its business.
"""

import os
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path


class Progress:
    """One line a step. On a terminal it moves; elsewhere it says something every ten seconds."""

    def __init__(self, steps: int) -> None:
        self.steps, self.live = steps, sys.stdout.isatty()
        self.step, self.title, self.began, self.said = 0, "", 0.0, 0.0

    def start(self, title: str) -> None:
        """Begin the next step."""
        self.step, self.title = self.step + 1, title
        self.began = self.said = time.monotonic()
        self._write("…")

    def update(self, detail: str, done: float | None = None) -> None:
        """Show where the step is; `done` from 0 to 1 adds a bar."""
        now = time.monotonic()
        if now - self.said < (0.1 if self.live else 10):
            return
        self.said = now
        bar = "" if done is None else "█" * round(20 * done) + "░" * (20 - round(20 * done)) + " "
        self._write(f"{bar}{detail} · {now - self.began:.0f} s")

    def end(self, note: str = "") -> None:
        """The step is over."""
        self._write(note or f"✓ {time.monotonic() - self.began:.1f} s")
        if self.live:
            print()

    def _write(self, text: str) -> None:
        line = f"[{self.step}/{self.steps}] {self.title}  {text}"
        if self.live:
            print(f"\r\033[2K{clip(line, shutil.get_terminal_size().columns - 1)}", end="", flush=True)
        else:
            print(line, flush=True)


def clip(text: str, columns: int) -> str:
    """`text` cut to `columns` cells of a terminal, where a Chinese character takes two."""
    used = 0
    for place, character in enumerate(text):
        used += 2 if ord(character) > 0x2E80 else 1
        if used > columns:
            return text[:place]
    return text


class PipLines:
    """Reads pip's output: which package it is at, and how far its download is.

    While pip writes to disk it says nothing, so the packages in `site` are counted instead.
    """

    def __init__(self, progress: Progress, total: int, site: Path) -> None:
        self.progress, self.total, self.site = progress, total, site
        self.seen, self.detail, self.done = 0, "", 0.0
        self.writing, self.before = 0, 0

    def __call__(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word in ("Collecting", "Processing", "Obtaining") or line.startswith("Requirement already"):
            self.seen += 1
            self.detail = rest.removeprefix("already satisfied: ").split(" ")[0].rpartition("/")[2][:48]
            self.done = min(self.seen / self.total, 0.9)
        elif match := re.fullmatch(r"Progress (\d+) of (\d+)", line):
            done, size = int(match[1]), max(int(match[2]), 1)
            if size > 20e6:  # a large download gets the bar to itself
                self.progress.update(f"{self.detail} {done / 1e6:.0f}/{size / 1e6:.0f} MB", done / size)
                return
        elif line.startswith("Installing collected packages"):
            self.writing, self.before = line.count(",") + 1, self._present()
        if self.writing:
            count = min(max(self._present() - self.before, 0), self.writing)
            self.detail, self.done = f"写入磁盘 · writing {count}/{self.writing}", count / self.writing
        self.progress.update(self.detail, self.done)

    def _present(self) -> int:
        return sum(1 for _ in self.site.glob("lib/python3*/site-packages/*.dist-info"))


def watch(command: Sequence[str | Path], show: Callable[[str], None], log: Path, env: dict[str, str]) -> bool:
    """Run a command and log it; `show` gets each line ("" while it is silent). True if it worked."""
    nothing, pipe, same = subprocess.DEVNULL, subprocess.PIPE, subprocess.STDOUT
    with log.open("ab") as copy:
        copy.write(f"\n$ {' '.join(map(str, command))}\n".encode())
        copy.flush()
        with subprocess.Popen(command, env=env, stdin=nothing, stdout=pipe, stderr=same) as process:
            try:
                for line in _lines(process, copy.write):
                    show(line)
                return process.wait() == 0
            finally:
                if process.poll() is None:
                    process.terminate()


def _lines(process: subprocess.Popen[bytes], keep: Callable[[bytes], int]) -> Iterator[str]:
    """The process's output line by line, with an empty one whenever a fifth of a second brought none."""
    stream, rest = process.stdout, b""
    assert stream is not None
    while True:
        if not select.select([stream], [], [], 0.2)[0]:
            yield ""
            continue
        block = os.read(stream.fileno(), 65536)
        if not block:
            return
        keep(block)
        *whole, rest = (rest + block).split(b"\n")
        yield from (line.decode("utf-8", "replace").strip() for line in whole)
