"""The sandbox on other machines: as an ordinary user, on the system's Python, and where it cannot be made.

Each case is real: another uid, another interpreter, a bubblewrap that is hidden or forbidden to make namespaces.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

from autograder.errors import SandboxFailed, SandboxUnavailable
from autograder.kit import Kit
from autograder.messages import catalogue
from autograder.probe import diagnose
from autograder.sandbox import Sandbox

pytestmark = pytest.mark.sandbox

ROOT = Path(__file__).parent.parent
SITE = Path(numpy.__file__).parent.parent
OUTCOMES = """
import os
FORKS = '''
import os, time
made = 0
try:
    while made < 100:
        if os.fork() == 0:
            time.sleep(30)
        made += 1
except OSError:
    answer(made < 8)
'''
BOMB = '''
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
'''
from autograder.kit import Kit
from autograder.probe import look_around, probe
from autograder.sandbox import Sandbox
from sandbox_tools import HOGS, QUICK, run_cells
print("python", probe())
kit = Kit()
print("doors", look_around(Sandbox(kit))["open"])
with Sandbox(kit, QUICK).start() as running:
    print("cells", run_cells(running, "import os; answer(os.getuid())", "while True: pass", "import os; os._exit(3)",
                             "import minigrad; answer(minigrad.tensor([1.0, 2.0]).sum().item())", FORKS))
small = QUICK._replace(total=150 << 20, cell_seconds=20.0)
with Sandbox(kit, small).start() as running:
    print("memory", run_cells(running, HOGS, limits=small))
patient = QUICK._replace(cell_seconds=20.0)
with Sandbox(kit, patient).start() as running:
    print("processes", run_cells(running, BOMB, limits=patient))
"""
EXPECTED = "cells [{uid}, ('TimeLimit', ''), ('Crash', 'it ended its own process'), 3.0, True]"
BOUNDED = [
    "memory [('Crash', 'it was ended by SIGKILL')]",
    "processes [('Crash', 'it started too many processes or threads')]",
]
only_root = pytest.mark.skipif(os.geteuid() != 0, reason="as an ordinary user, every other test shows this already")


def outside(*options: str, hidden: str | None = None) -> list[str]:
    """Words that start a program on another view of this machine, made by root with bubblewrap."""
    words = ["bwrap", "--dev-bind", "/", "/", "--proc", "/proc", *options]
    return [*words, "--bind", "/dev/null", hidden] if hidden else words


def elsewhere(words: list[str], program: str, python: str = sys.executable, **environment: str):
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": "/nonexistent",
        "PYTHONDONTWRITEBYTECODE": "1",
        **environment,
    }
    return subprocess.run([*words, python, "-c", program], capture_output=True, text=True, env=environment, timeout=120)


def as_an_ordinary_user(program: str) -> subprocess.CompletedProcess[str]:
    """Another uid, a user namespace instead of setpriv. Python is shown where that uid may read it."""
    shown = {sys.base_prefix: "/mnt/python", str(ROOT): "/mnt/repo", str(SITE / "numpy"): "/mnt/site/numpy"}
    if (SITE / "numpy.libs").is_dir():
        shown[str(SITE / "numpy.libs")] = "/mnt/site/numpy.libs"
    mounts = ["--tmpfs", "/mnt", "--perms", "0755", "--dir", "/mnt/site"]
    mounts += [word for at, there in shown.items() for word in ("--ro-bind", at, there)]
    user = [
        "setpriv",
        "--reuid",
        "54321",
        "--regid",
        "54321",
        "--clear-groups",
        "--inh-caps=-all",
        "--bounding-set=-all",
    ]
    return elsewhere(
        [*outside(*mounts, "--perms", "1777", "--tmpfs", "/tmp"), *user],
        program,
        python=f"/mnt/python/bin/python{sys.version_info[0]}.{sys.version_info[1]}",
        PYTHONPATH="/mnt/repo:/mnt/repo/tests:/mnt/site",
        LD_LIBRARY_PATH="/mnt/python/lib",
    )


@only_root
def test_as_an_ordinary_user():
    done = as_an_ordinary_user(OUTCOMES)
    assert done.stdout.splitlines()[1:] == ["doors {}", EXPECTED.format(uid=65534), *BOUNDED], done.stderr


MARKS = """
import os
from autograder.kit import Kit
from autograder.sandbox import Sandbox
from sandbox_tools import QUICK, ask
kit = Kit()
for mark in ("chmod('/tmp', 0o555)", "chmod('/tmp', 0)", "setxattr('/tmp', 'user.answer', b'42')"):
    with Sandbox(kit, QUICK).start() as running:
        print(ask(running, "import os; os." + mark), running.alive)
with Sandbox(kit, QUICK).start() as running:
    print(ask(running, "import os; os.utime('/tmp', (42, 42))"), ask(running, "import os; answer(os.stat('/tmp').st_mtime)"))
"""


@only_root
def test_a_scratch_that_is_the_learners_own_carries_nothing_to_the_next():
    done = as_an_ordinary_user(MARKS)
    *marks, times = done.stdout.splitlines()
    assert marks[:2] == ["None False"] * 2, done.stderr
    assert marks[2] == "None False" or "not supported" in marks[2]  # tmpfs keeps such a mark from Linux 6.6 on
    assert times.startswith("None ") and float(times.split()[1]) > 42


def test_on_the_systems_python():
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    system = f"/usr/bin/python{version}"
    if not os.path.exists(system) or os.path.realpath(system) == os.path.realpath(sys.executable):
        pytest.skip(f"there is no {system} besides this Python, for NumPy as it is installed here")
    done = elsewhere([], OUTCOMES.replace("os.getuid()", "os.getuid() > 0"), python=system, PYTHONPATH=_paths())
    assert done.stdout.splitlines()[1:] == ["doors {}", EXPECTED.format(uid=True), *BOUNDED], done.stderr


def _paths() -> str:
    return f"{ROOT}:{ROOT}/tests:{SITE}"


ASKS = "from autograder.probe import probe\ntry: probe()\nexcept Exception as e: print(type(e).__name__, e)"


@only_root
def test_where_bubblewrap_is_missing():
    bwrap = shutil.which("bwrap")
    done = elsewhere(outside(hidden=bwrap), ASKS, PYTHONPATH=_paths())
    assert done.stdout.startswith("SandboxUnavailable"), done.stderr
    for word in (
        "没有装 bubblewrap",
        "bubblewrap is not installed",
        "apt-get install bubblewrap",
        "--unsafe",
    ):
        assert word in done.stdout


@only_root
def test_where_namespaces_are_forbidden():
    words = outside("--unshare-user", "--uid", "1000", "--gid", "1000", "--disable-userns")
    done = elsewhere(words, ASKS, PYTHONPATH=_paths())
    assert done.stdout.startswith("SandboxUnavailable"), done.stderr
    for word in ("命名空间", "namespaces", "bwrap: ", "--unsafe"):
        assert word in done.stdout


def test_an_engine_that_cannot_be_imported_is_named(tmp_path):
    """A start that fails for a reason nobody foresaw still says what was said."""
    edition = tmp_path / "minigrad"
    edition.mkdir()
    (edition / "__init__.py").write_text("raise ImportError('half of it is missing')")
    with pytest.raises(SandboxFailed, match="half of it is missing"):
        Sandbox(Kit(tmp_path)).start()


@pytest.mark.parametrize(
    ("complaint", "words"),
    [
        ("bwrap: setting up uid map: Permission denied", "namespaces"),
        ("bwrap: No permissions to create new namespace", "namespaces"),
        ("setpriv: unrecognized option '--pdeathsig'", "too old"),
        ("unknown machine 'riscv64'", "x86-64"),
        ("Segmentation fault", "below"),
    ],
)
def test_a_complaint_is_explained(complaint, words):
    error = diagnose(complaint)
    assert isinstance(error, SandboxUnavailable)
    assert words in error.what.en
    assert error.where == complaint
    assert len(error.remedy.lines()) == 2


def test_every_cause_has_its_words():
    from autograder.probe import _causes

    for language in ("zh", "en"):
        for cause in _causes():
            assert {f"cause_{cause.key}", f"remedy_{cause.key}"} <= catalogue(language).keys()
