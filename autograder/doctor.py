"""`autograder doctor`: what this machine has, what it lacks, and the command that mends it.

Every line is found out on this machine, most by trying; the packages' versions are those that are tested. Nothing is
changed.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text as Line

from autograder.errors import AutograderError
from autograder.lessons import COURSE, PROJECT
from autograder.messages import Text, command
from autograder.waiting import waiting

NEEDED_SPACE = 500 * 2**20
AGAIN = "make distclean && make demo"
# Programs that something does without: what for, and the Debian package.
WELCOME = {
    "dot": ("计算图画成 SVG · graphs as SVG", "graphviz"),
    "chromium": ("浏览器测试要它 · browser tests want it", "chromium"),
}
KERNEL, EXTENSIONS = "Python 3 (ipykernel)", "nbgrader (JupyterLab)"
SERVER_EXTENSIONS = ("formgrader", "validate_assignment", "assignment_list")


class Finding(NamedTuple):
    """One thing looked at. `ok` None: works without it, but less well."""

    what: str
    ok: bool | None
    found: str
    remedy: str = ""


def run(screen: Console, course: Path = COURSE) -> int:
    """Print the findings; return 1 if something that grading needs is missing."""
    table = Table("", "检查项 · Checked", "结果 · Found", "怎么办 · Remedy", show_lines=True)
    bad = False
    with waiting("still_working"):
        found = list(findings(course))
    for finding in found:
        mark = {True: Line("✓", "green"), False: Line("✗", "red"), None: Line("!", "yellow")}[finding.ok]
        table.add_row(mark, finding.what, finding.found, finding.remedy)
        bad |= finding.ok is False
    screen.print(table)
    return int(bad)


def findings(course: Path = COURSE, only: Collection[str] = ()) -> Iterator[Finding]:
    """Look at everything (or only at what is named), one after another; a look that fails is a finding, too."""
    for title, look in _looks().items():
        if only and title not in only:
            continue
        try:
            yield from look(course)
        except ImportError as error:
            yield Finding(title, False, str(error), AGAIN)
        except AutograderError as error:
            remedy = error.remedy.lines() if isinstance(error.remedy, Text) else [error.remedy or ""]
            found = error.what.lines() if isinstance(error.what, Text) else [error.what]
            yield Finding(title, False, "\n".join(found), "\n".join(remedy))


def _looks() -> dict[str, Callable[[Path], Iterator[Finding]]]:
    """What is looked at, by the name that a look which fails goes by."""
    return {
        "Python": _python,
        "pip": _packages,
        "bubblewrap": _sandbox,
        "apt-get": _programs,
        KERNEL: _kernel,
        EXTENSIONS: _extensions,
        "PostgreSQL": _postgresql,
        "release/": _release,
        "exchange": _exchange,
        "course/": _course,
        "disk": _space,
    }


def _python(_: Path) -> Iterator[Finding]:
    yield Finding("Python ≥ 3.11", sys.version_info >= (3, 11), sys.version.split()[0])


def _packages(_: Path) -> Iterator[Finding]:
    wanted = {"torch": "2.13.0", "nbgrader": "0.9.6", "jupyterlab": "4.", "numpy": "2."}
    for name, start in wanted.items():
        try:
            found = version(name)
        except PackageNotFoundError:
            found = "–"
        ok = found.startswith(start)
        yield Finding(name, ok, found, "" if ok else AGAIN)


def _sandbox(_: Path) -> Iterator[Finding]:
    from autograder import probe

    probe.probe()
    yield Finding("bubblewrap", True, "沙箱能用 · the sandbox works")


def _programs(_: Path) -> Iterator[Finding]:
    for program, (use, package) in WELCOME.items():
        path = shutil.which(program)
        remedy = "" if path else f"sudo apt-get install {package}"
        yield Finding(f"{package} ({program})", True if path else None, path or f"– {use}", remedy)


def _kernel(_: Path) -> Iterator[Finding]:
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    remedy = ".venv/bin/python -m ipykernel install --sys-prefix"
    try:
        starts = KernelSpecManager().get_kernel_spec("python3").argv[0]
    except NoSuchKernel:
        yield Finding(KERNEL, False, "–", remedy)
        return
    starts = sys.executable if starts in ("python", "python3") else starts  # as Jupyter reads it
    there = shutil.which(starts) is not None
    yield Finding(KERNEL, there, starts if there else f"– {starts}", "" if there else remedy)


def _extensions(_: Path) -> Iterator[Finding]:
    from jupyter_core.paths import jupyter_config_path, jupyter_path
    from jupyter_server.extension.config import ExtensionConfigManager

    manager = ExtensionConfigManager(read_config_path=jupyter_config_path())
    enabled = {name.rpartition(".")[2] for name, on in manager.get_jpserver_extensions().items() if on}
    off = [name for name in SERVER_EXTENSIONS if name not in enabled]
    in_lab = any(Path(each, "@jupyter/nbgrader/package.json").is_file() for each in jupyter_path("labextensions"))
    remedy = AGAIN if not in_lab else ".venv/bin/jupyter server extension enable --sys-prefix --py nbgrader"
    missing = ", ".join([*off, *([] if in_lab else ["@jupyter/nbgrader"])])
    found = f"没有启用 · not enabled: {missing}" if missing else "formgrader, Validate, Assignment List"
    yield Finding(EXTENSIONS, not missing, found, remedy if missing else "")


def _postgresql(_: Path) -> Iterator[Finding]:
    if find_spec("psycopg"):
        yield Finding("PostgreSQL", True, "psycopg")
    else:
        install = ".venv/bin/pip install -c constraints.txt -e '.[postgresql]'"
        yield Finding("PostgreSQL", None, "– 成绩册用 SQLite · the gradebook is SQLite", install)


def _exchange(root: Path) -> Iterator[Finding]:
    from autograder.course import Course

    folder = Path(Course(root).config.Exchange.root)
    if folder.is_dir() and os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        yield Finding("exchange", True, str(folder))
    else:
        yield Finding(
            "exchange", None, f"不能写 · not writable: {folder}", f"mkdir -p '{folder}' && chmod 777 '{folder}'"
        )


def _release(_: Path) -> Iterator[Finding]:
    from autograder import release

    names = release.check()
    yield Finding("release/", True, f"{len(names)} 课都是最新的 · lessons are current")


def _course(root: Path) -> Iterator[Finding]:
    from autograder.course import Course

    course = Course(root)
    if not (root / "gradebook.db").is_file():
        yield Finding("course/", None, "还没有成绩册 · no gradebook yet", command("release"))
        return
    with course.gradebook() as gradebook:
        found = f"{len(gradebook.assignments)} 课 · lessons, {len(gradebook.students)} 学生 · students"
    yield Finding("course/", True, found)


def _space(_: Path) -> Iterator[Finding]:
    free = shutil.disk_usage(PROJECT).free
    remedy = "" if free > NEEDED_SPACE else "腾出磁盘空间 · free some disk space"
    yield Finding("磁盘 · disk", free > NEEDED_SPACE, f"{free / 2**30:.1f} GiB", remedy)
