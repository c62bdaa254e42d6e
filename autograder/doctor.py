"""`autograder doctor`: what this machine has, what it lacks, and the command that mends it.

Every line is found out by trying, never by reading a version from a list. Nothing is changed.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from autograder.errors import AutograderError
from autograder.lessons import COURSE, PROJECT
from autograder.messages import Text

NEEDED_SPACE = 500 * 2**20


class Finding(NamedTuple):
    """One thing looked at. `ok` None: works without it, but less well."""

    what: str
    ok: bool | None
    found: str
    remedy: str = ""


def run(screen: Console) -> int:
    """Print the findings; return 1 if something that grading needs is missing."""
    table = Table("", "检查项 · Checked", "结果 · Found", "怎么办 · Remedy", show_lines=True)
    bad = False
    for finding in findings():
        mark = {True: "[green]✓[/]", False: "[red]✗[/]", None: "[yellow]![/]"}[finding.ok]
        table.add_row(mark, finding.what, finding.found, finding.remedy)
        bad |= finding.ok is False
    screen.print(table)
    return int(bad)


def findings() -> Iterator[Finding]:
    """Look at everything, one after another; a look that fails is a finding, too."""
    for look in (_python, _packages, _sandbox, _dot, _release, _course, _space):
        try:
            yield from look()
        except AutograderError as error:
            remedy = error.remedy.lines() if isinstance(error.remedy, Text) else [error.remedy or ""]
            found = error.what.lines() if isinstance(error.what, Text) else [error.what]
            yield Finding(_TITLES.get(look, look.__name__), False, "\n".join(found), "\n".join(remedy))


def _python() -> Iterator[Finding]:
    yield Finding("Python ≥ 3.11", sys.version_info >= (3, 11), sys.version.split()[0])


def _packages() -> Iterator[Finding]:
    wanted = {"torch": "2.13.0", "nbgrader": "0.9.6", "jupyterlab": "4.", "numpy": "2."}
    for name, start in wanted.items():
        try:
            found = version(name)
        except PackageNotFoundError:
            found = "–"
        ok = found.startswith(start)
        yield Finding(name, ok, found, "" if ok else "make distclean && make demo")


def _sandbox() -> Iterator[Finding]:
    from autograder import probe

    probe.probe()
    yield Finding("bubblewrap", True, "沙箱能用 · the sandbox works")


def _dot() -> Iterator[Finding]:
    path = shutil.which("dot")
    yield Finding("graphviz (dot)", True if path else None, path or "–", "" if path else "sudo apt install graphviz")


def _release() -> Iterator[Finding]:
    from autograder import release

    names = release.check()
    yield Finding("release/", True, f"{len(names)} 课都是最新的 · lessons are current")


def _course() -> Iterator[Finding]:
    from autograder.course import Course

    course = Course(COURSE)
    if not (COURSE / "gradebook.db").is_file():
        yield Finding("course/", None, "还没有成绩册 · no gradebook yet", "autograder release")
        return
    with course.gradebook() as gradebook:
        found = f"{len(gradebook.assignments)} 课 · lessons, {len(gradebook.students)} 学生 · students"
    yield Finding("course/", True, found)


def _space() -> Iterator[Finding]:
    free = shutil.disk_usage(PROJECT).free
    remedy = "" if free > NEEDED_SPACE else "腾出磁盘空间 · free some disk space"
    yield Finding("磁盘 · disk", free > NEEDED_SPACE, f"{free / 2**30:.1f} GiB", remedy)


_TITLES: dict[Callable[[], Iterator[Finding]], str] = {
    _sandbox: "bubblewrap",
    _release: "release/",
    _course: "course/",
}
