"""What hostile cells can use up, and what a job can leave behind, in a real sandbox.

The controls at the end show that the sandbox does it, and that the probe would notice a hole.
"""

import contextlib
import mmap
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sandbox_tools import ANSWER, HOGS, QUICK, ask, job, run_cells

from autograder import footprint
from autograder.errors import SandboxFailed
from autograder.kit import remove_abandoned
from autograder.probe import look_around
from autograder.sandbox import Sandbox, Unsafe

pytestmark = pytest.mark.sandbox


# ── Exhausting ───────────────────────────────────────────────────────────────────────────────────


FULL = ("Crash", "it started too many processes or threads")
PATIENT = QUICK._replace(cell_seconds=20.0)


@pytest.mark.parametrize(
    "one_more", ["os.fork()", "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"]
)
def test_a_bomb_of_processes_or_threads_is_ended_before_its_time_is_up(running, one_more):
    bomb = f"""
import os, threading, time
while True:
    try:
        {one_more}
    except (OSError, RuntimeError):
        pass
"""
    start = time.monotonic()
    outcomes = run_cells(running, bomb, "answer('next')", limits=PATIENT)
    assert outcomes == [FULL, "next"]
    assert time.monotonic() - start < 10
    assert not running.alive  # something unusual happened: nobody else is put in here


@pytest.mark.parametrize(("more", "outcome"), [(QUICK.processes - 2, "went on"), (QUICK.processes - 1, FULL)])
def test_as_many_processes_as_there_may_be_are_left_alone(running, more, outcome):
    """Two are there already: the supervisor, and the one that runs the cell."""
    source = f"""
import os, time
for _ in range({more}):
    if os.fork() == 0:
        time.sleep(60)
time.sleep(1)
answer("went on")
"""
    assert run_cells(running, source, limits=PATIENT) == [outcome]


def test_processes_are_few(running):
    source = """
import os, time
made = 0
try:
    while made < 100:
        if os.fork() == 0:
            time.sleep(30)
        made += 1
except OSError:
    answer(made)
"""
    assert ask(running, source) <= QUICK.processes


@pytest.mark.parametrize("total, outcome", [(150 << 20, ("Crash", "it was ended by SIGKILL")), (1 << 30, "had it all")])
def test_memory_is_bounded_for_all_processes_together(kit, total, outcome):
    limits = QUICK._replace(total=total, cell_seconds=20.0)
    with Sandbox(kit, limits).start() as running:
        found = run_cells(running, HOGS, "answer('next')", limits=limits)
        assert found == [outcome, "next"]
        assert not running.alive


def test_orphans_are_counted_too(kit):
    """Processes whose parent has ended are the supervisor's, and still within the sum."""
    source = """
import os, time
for _ in range(3):
    if below := os.fork():
        os.waitpid(below, 0)  # the dead count among the few processes too, until they are waited for
        continue
    os.setsid()
    if os.fork():
        os._exit(0)
    kept = b"x" * (60 << 20)
    time.sleep(20)
    os._exit(0)
time.sleep(3)
answer("survived")
"""
    limits = QUICK._replace(total=150 << 20, cell_seconds=20.0)
    with Sandbox(kit, limits).start() as running:
        assert run_cells(running, source, limits=limits) == [("Crash", "it was ended by SIGKILL")]


def test_what_a_process_uses_is_read_from_the_kernel():
    before = footprint.used(os.getpid())
    kept = mmap.mmap(-1, 50 << 20)  # of the system, and not of what malloc has left from earlier
    for _ in range(50):
        kept.write(b"x" * (1 << 20))
    assert before + (45 << 20) < footprint.used(os.getpid()) < before + (80 << 20)
    assert footprint.used(2**22 + 1) == 0  # no such process
    assert not footprint.bound(os.getpid(), 1 << 40)


def test_files_without_content_are_bounded(running):
    """Each takes memory of the kernel's, which is no process's."""
    source = "import os\nfor number in range(10**6): os.symlink('x' * 100, f'/tmp/{number}')"
    assert run_cells(running, source, "answer('next')") == [("Crash", "it made too many files"), "next"]
    assert not running.alive


def test_folders_too_deep_to_be_removed_end_the_job(running):
    source = "import os\nfor number in range(10**6): os.mkdir('d'); os.chdir('d')"
    assert run_cells(running, source, "answer('next')") == [("Crash", "it made too many files"), ("?", "?")]
    assert not running.alive


def test_ten_gigabytes_are_refused(running):
    large = ["x = bytearray(10 << 30)", "import numpy\nx = numpy.ones((10 << 30) // 8)"]
    outcomes = run_cells(running, *large, "answer('next')")
    assert [each[0] for each in outcomes[:2]] == ["MemoryError", "MemoryError"]
    assert outcomes[2] == "next"


def test_memory_eaten_bit_by_bit_is_refused(running):
    hog = "x = []\nwhile True: x.append(bytearray(1 << 24))"
    outcomes = run_cells(
        running, hog, "x = None", "answer('next')", limits=QUICK._replace(memory=300 << 20, cell_seconds=10.0)
    )
    assert outcomes[0][0] == "MemoryError"
    assert outcomes[2] == "next"


def test_a_gigabyte_of_print_goes_nowhere(running):
    loud = """
import sys
line = "x" * (1 << 20)
for _ in range(512):
    print(line)
    sys.stderr.write(line)
answer("printed")
"""
    outcomes = run_cells(running, loud, "answer('next')", limits=QUICK._replace(cell_seconds=10.0))
    assert outcomes == ["printed", "next"]


def test_a_recursion_without_end_is_an_error(running):
    outcomes = run_cells(running, "def f(): return f()\nf()", "answer('next')")
    assert outcomes[0][0] == "RecursionError"
    assert outcomes[1] == "next"


def test_a_recursion_with_its_limit_lifted_costs_its_cell(running):
    deep = "import sys\nsys.setrecursionlimit(10**9)\nclass A:\n    def __repr__(self): return repr(self)\nrepr(A())"
    outcomes = run_cells(running, deep, "answer('next')")
    assert outcomes[0][0] in ("Crash", "MemoryError", "TimeLimit", "RecursionError")
    assert outcomes[1] == "next"


# ── Shared sandboxes ─────────────────────────────────────────────────────────────────────────────


def test_the_next_student_finds_no_trace(running):
    vandal = """
import builtins, sys, os, numpy, minigrad, autograder.checks
builtins.hash = lambda x: 42
numpy.dot = autograder.checks.get = None
minigrad.tensor = None
sys.modules["numpy"] = None
sys.setrecursionlimit(50)
os.environ["MARK"] = "x"
os.chdir("/")
"""
    assert run_cells(running, vandal)[0] is None
    assert running.alive
    source = """
import os, sys, numpy, minigrad, autograder.checks
answer((hash(1), int(numpy.dot(2, 3)), minigrad.tensor([1.0]).item(), autograder.checks.get.__name__,
        sys.getrecursionlimit() > 100, "MARK" in os.environ, os.getcwd()))
"""
    assert ask(running, source) == (1, 6, 1.0, "get", True, False, "/tmp")


def test_a_process_left_behind_dies_with_its_job_and_ends_the_sandbox(running):
    lingering = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(60)
    os._exit(0)
"""
    assert run_cells(running, lingering)[0] is None
    assert not running.alive


def test_a_file_left_behind_ends_the_sandbox(running):
    assert run_cells(running, "open('/tmp/.message', 'w').write('for the next one')")[0] is None
    assert not running.alive
    with pytest.raises(SandboxFailed):
        list(running.frames(job(["1"]), 5))


def test_the_sandbox_ends_with_the_referee(tmp_path, monkeypatch):
    """kill -9 of the grader leaves nothing running, and what it had staged is removed by the next one."""
    program = f"""
import sys, time
sys.path[:0] = {sys.path!r}
from autograder.kit import Kit
from autograder.sandbox import Sandbox
from sandbox_tools import job
kit = Kit()
running = Sandbox(kit).start()
print(running._process.pid, flush=True)
list(running.frames(job(["while True: pass"]), 60))
"""
    grader = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )

    def staged():
        return len(list(tmp_path.glob("autograder-kit-*")))

    with grader:
        bwrap = int(grader.stdout.readline())
        inside = _children(bwrap)
        time.sleep(0.3)
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        remove_abandoned(age=0)
        assert staged() == 1  # the grader is still at work
        grader.kill()
    assert inside
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and any(Path(f"/proc/{pid}/cwd").exists() for pid in [bwrap, *inside]):
        time.sleep(0.05)
    assert [pid for pid in [bwrap, *inside] if Path(f"/proc/{pid}/exe").exists()] == []
    remove_abandoned()
    assert staged() == 1  # too young to be told from one that is just being made
    remove_abandoned(age=0)
    assert staged() == 0


def _children(pid: int) -> list[int]:
    """From /proc, since a small machine has no `ps`. A process that ends meanwhile is nobody's child."""
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError):
            if f"\nPPid:\t{pid}\n" in status.read_text():
                found.append(int(status.parent.name))
    return found


# ── The controls ─────────────────────────────────────────────────────────────────────────────────


def test_a_sandbox_that_cannot_start_says_so(kit):
    sandbox = Sandbox(kit, QUICK)
    sandbox._mounts = [*sandbox._mounts, "--ro-bind", "/nowhere/at/all", "/x"]
    with pytest.raises(SandboxFailed, match="/nowhere/at/all"):
        sandbox.start()


def test_without_a_sandbox_the_same_cell_sees_the_host(kit):
    """What the tests above prove is the sandbox's doing: the same runner without it reads the machine's files."""
    with Unsafe(kit, QUICK).start() as running:
        assert ask(running, "import os; answer(os.path.exists('/etc/passwd'))") is True
        assert ask(running, "import os; answer(os.getuid())") == os.getuid()
        assert ask(running, "import torch")[0] == "ModuleNotFoundError"  # an accident is kept out all the same


def without_filter(words):
    at = words.index("--seccomp")
    return words[:at] + words[at + 2 :]


def still_root(words):
    return words[: words.index("--") + 1] + words[words.index("--pdeathsig") + 2 :]


def no_process_space(words):
    return [word for word in words if word not in ("--unshare-pid", "--unshare-all", "--as-pid-1", "--disable-userns")]


def shows_etc(words):
    at = words.index("--size")
    return [*words[:at], "--ro-bind", "/etc", "/etc", *words[at:]]


@pytest.mark.parametrize(
    ("hole", "doors"),
    [
        (without_filter, {"system_calls", "namespaces", "network"}),
        (still_root, {"user", "capabilities"}),
        (no_process_space, {"processes"}),
        (shows_etc, {"files"}),
    ],
)
def test_the_probe_sees_an_open_door(kit, hole, doors):
    """The probe is worth something only if it fails where there is a hole."""
    if hole is still_root and os.geteuid() != 0:
        pytest.skip("only root has rights to keep")
    leaky = Sandbox(kit, QUICK)
    leaky.command = lambda *words: hole(Sandbox.command(leaky, *words))
    assert doors <= look_around(leaky)["open"].keys()


def test_the_probe_finds_every_door_shut(sandbox):
    assert look_around(sandbox)["open"] == {}


def test_without_a_sandbox_a_learners_process_still_ends_with_its_job(kit):
    """No process space takes it along there: the supervisor has to see that nobody waits any more."""
    with Unsafe(kit, QUICK).start() as running:
        cells = [ANSWER, "import os; answer(os.getpid())", "while True: pass"]
        frames = running.frames(job(cells, limits=QUICK._replace(cell_seconds=60.0)), 20)
        pid = int(next(frame for frame in frames if frame["error"])["error"]["message"].removeprefix("answer: "))
        assert Path(f"/proc/{pid}").exists()
        frames.close()
    assert not Path(f"/proc/{pid}").exists()
