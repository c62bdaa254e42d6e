"""Makes .venv and installs everything into it; called by tools/setup.sh with a Python >= 3.11 and nothing else.

Standard library only, since nothing is installed yet. It can be stopped at any moment and run again. What pip and apt
print goes to .venv/setup.log; the screen shows one line a step. It starts no lesson and grades nothing.
"""

import fcntl
import os
import re
import select
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOG = VENV / "setup.log"
READY = VENV / ".ready"  # the stamp that the Makefile looks at; holds the folder it was made in
BROKEN = VENV / ".incomplete"  # there while pip writes: if it is found at the start, pip was killed half-way
CONSTRAINTS = ROOT / "constraints.txt"
INPUTS = (ROOT / "pyproject.toml", CONSTRAINTS, Path(__file__))

TORCH = "torch==2.13.0"
# On Linux the build of torch on PyPI brings gigabytes of CUDA libraries that nothing here uses; this is the small one.
TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu"
SYSTEM_PACKAGES = {"dot": "graphviz", "bwrap": "bubblewrap"}  # the program it is known by: its Debian package
STEPS = 5


class SetupError(Exception):
    """A step that cannot go on: what happened and what to do, in both languages."""


class Progress:
    """One line a step. On a terminal it moves; elsewhere it says something every ten seconds."""

    def __init__(self) -> None:
        self.live = sys.stdout.isatty()
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
        """The step is done."""
        self._write(f"✓ {time.monotonic() - self.began:.1f} s {note}".rstrip())
        if self.live:
            print()

    def _write(self, text: str) -> None:
        line = f"[{self.step}/{STEPS}] {self.title}  {text}"
        if self.live:
            columns = shutil.get_terminal_size().columns
            print(f"\r\033[2K{clip(line, columns - 1)}", end="", flush=True)
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


def clean_environment() -> dict[str, str]:
    """The environment for pip: the user's, less what would install somewhere other than .venv."""
    dropped = (
        "PYTHONPATH",
        "PYTHONHOME",
        "VIRTUAL_ENV",
        "PIP_TARGET",
        "PIP_PREFIX",
        "PIP_REQUIREMENT",
        "PIP_CONSTRAINT",
    )
    environment = {name: value for name, value in os.environ.items() if name not in dropped}
    return environment | {
        "PIP_USER": "0", "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONNOUSERSITE": "1",
        "PIP_ROOT_USER_ACTION": "ignore", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8",
    }  # fmt: skip


def lines_of(process: subprocess.Popen[bytes], log: Path) -> Iterator[str]:
    """The process's output line by line, with an empty one whenever a fifth of a second brought none."""
    stream, buffer = process.stdout, b""
    assert stream is not None
    with log.open("ab") as copy:
        while True:
            if not select.select([stream], [], [], 0.2)[0]:
                yield ""
                continue
            block = os.read(stream.fileno(), 65536)
            if not block:
                return
            copy.write(block)
            *whole, buffer = (buffer + block).split(b"\n")
            yield from (line.decode("utf-8", "replace").strip() for line in whole)


def watch(command: list[str | Path], show: Callable[[str], None], log: Path = LOG) -> bool:
    """Run a command, hand each line it prints to `show`, keep all of them in the log. True if it succeeded."""
    log.parent.mkdir(exist_ok=True)
    with log.open("a", encoding="utf-8") as copy:
        copy.write(f"\n$ {' '.join(map(str, command))}\n")
    process = subprocess.Popen(
        command, cwd=ROOT, env=clean_environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        for line in lines_of(process, log):
            show(line)
        return process.wait() == 0
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()


class PipLines:
    """Reads pip's output: which package it is at, and how far the download is."""

    def __init__(self, progress: Progress, total: int) -> None:
        self.progress, self.total = progress, total
        self.seen, self.detail, self.done = 0, "", 0.0

    def __call__(self, line: str) -> None:
        if match := re.match(
            r"(?:Collecting|Requirement already satisfied:|Processing|Obtaining) (\S+)", line
        ):
            self.seen += 1
            self.detail, self.done = match[1].rpartition("/")[2][:48], min(self.seen / self.total, 0.9)
        elif match := re.match(r"Progress (\d+) of (\d+)", line):
            done, size = int(match[1]), max(int(match[2]), 1)
            if size > 20e6:  # a large download gets the bar to itself
                self.progress.update(f"{self.detail} {done / 1e6:.0f}/{size / 1e6:.0f} MB", done / size)
                return
        elif line.startswith("Installing collected packages"):
            self.detail, self.done = "写入磁盘 · writing to disk", 0.95
        self.progress.update(self.detail, self.done)


def pip_install(progress: Progress, total: int, *arguments: str | Path) -> bool:
    """`pip install` under the constraints, with its progress shown."""
    # Only pip 25 and later knows the raw bar; the first step brings it.
    command = [PYTHON, "-m", "pip", "install", "--constraint", CONSTRAINTS, *arguments]
    return watch(command, PipLines(progress, total))


def log_tail() -> str:
    """The last lines of the log that say something."""
    lines = LOG.read_text(encoding="utf-8", errors="replace").splitlines() if LOG.exists() else []
    told = [line for line in lines if line.strip() and not line.startswith("Progress ")]
    return "\n".join(f"    {line}" for line in told[-8:])


def pip_failed(what: str) -> SetupError:
    """The error for a pip that did not succeed."""
    return SetupError(
        f"✗ 没能装上 {what}。再运行一次会从这里接着做。完整记录：{LOG.relative_to(ROOT)}\n"
        f"✗ Could not install {what}. Running the same command again goes on from here. Full log: {LOG.relative_to(ROOT)}\n"
        f"{log_tail()}\n"
        "  多半是网络不通、代理没设好，或磁盘满了。\n"
        "  Most often: no network, a proxy that is not set, or a full disk."
    )


# ── the steps ──────────────────────────────────────────────────────────────────────────────────────


def venv_is_sound() -> bool:
    """Whether .venv can be built on: its Python starts, is new enough, has pip, and no install was cut off in it."""
    if BROKEN.exists() or not PYTHON.exists():
        return False
    probe = "import sys, pip; sys.exit(sys.version_info < (3, 11) or sys.prefix == sys.base_prefix)"
    return subprocess.run([PYTHON, "-I", "-c", probe], capture_output=True).returncode == 0


def make_venv(progress: Progress) -> None:
    """Step 1: the virtual environment. Debian keeps a part of `venv` in a package of its own."""
    progress.start("虚拟环境 · virtual environment")
    if venv_is_sound():
        return progress.end("(.venv)")
    if subprocess.run([sys.executable, "-I", "-c", "import ensurepip, venv"], capture_output=True).returncode:
        package = f"python3.{sys.version_info.minor}-venv"
        if not apt_install(progress, [package]):
            raise SetupError(
                f"✗ 这个 Python（{sys.executable}）不带 venv，自动安装 {package} 也没成功。请运行：\n"
                f"✗ This Python ({sys.executable}) comes without venv, and installing {package} did not succeed. Run:\n"
                f"    {by_hand([package])}"
            )
    shutil.rmtree(VENV, ignore_errors=True)
    scratch = ROOT / ".venv-setup.log"  # `venv --clear` would take the log with it
    made = watch([sys.executable, "-I", "-m", "venv", "--clear", VENV], progress.update, scratch)
    if not made:
        tail = scratch.read_text(encoding="utf-8", errors="replace")[-600:]
        raise SetupError(f"✗ 建不了 .venv：\n✗ Could not make .venv:\n{tail}")
    scratch.unlink()
    progress.end("(.venv)")


def install_tools(progress: Progress) -> None:
    """Step 2: the pinned pip and setuptools, which the next steps count on."""
    progress.start("pip")
    if not pip_install(progress, 2, "pip", "setuptools"):
        raise pip_failed("pip")
    progress.end()


def mirrored() -> bool:
    """Whether this machine's pip was told where its packages come from: then we ask nobody else."""
    answer = subprocess.run(
        [PYTHON, "-m", "pip", "config", "list"], capture_output=True, env=clean_environment()
    )
    return bool(re.search(rb"(?m)\.(index-url|extra-index-url|find-links|no-index)=", answer.stdout))


def torch_indexes() -> Iterator[str | None]:
    """Where to look for torch, best first. None: wherever pip looks anyway.

    TORCH_INDEX_URL decides if it is set (empty: plain pip). If it is not, a Linux machine whose pip uses
    PyPI takes the small CPU build from torch's own index, when that answers.
    """
    chosen = os.environ.get("TORCH_INDEX_URL")
    if chosen is not None:
        yield chosen or None
        return
    if sys.platform == "linux" and not mirrored():
        try:
            with urllib.request.urlopen(f"{TORCH_CPU_INDEX}/torch/", timeout=8):
                yield TORCH_CPU_INDEX
        except OSError:
            pass  # not reachable from here: PyPI's build does as well, it is only larger
    yield None


def install_torch(progress: Progress) -> None:
    """Step 3: torch, by itself, since it alone may come from another index."""
    progress.start(TORCH)
    for index in torch_indexes():
        where = ["--index-url", index] if index else []
        if pip_install(progress, 1, "--progress-bar", "raw", "--no-deps", *where, TORCH):
            return progress.end()
    raise pip_failed(TORCH)


def install_rest(progress: Progress) -> None:
    """Step 4: everything else, and this project itself, editable."""
    progress.start("其余的包 · the other packages")
    total = sum("==" in line for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines())
    # A plain path file (compat) instead of an import hook: Python starts faster, and every tool can follow it.
    editable = ["--no-build-isolation", "--config-settings", "editable_mode=compat", "--editable", ".[dev]"]
    if not pip_install(progress, total, "--progress-bar", "raw", *editable):
        raise pip_failed("pyproject.toml")
    progress.end()


def install_system(progress: Progress) -> None:
    """Step 5: the two programs that are no Python packages. Without them the lessons still open, so we only warn."""
    progress.start("系统软件 · system packages")
    wanted = [package for program, package in SYSTEM_PACKAGES.items() if not shutil.which(program)]
    if not wanted or apt_install(progress, wanted):
        return progress.end(" ".join(SYSTEM_PACKAGES.values()))
    progress.end("!")
    print(
        f"! 还缺 {'、'.join(wanted)}：没有 graphviz 只能看到图的 DOT 文本，没有 bubblewrap 不能评分。请运行：\n"
        f"! Still missing: {', '.join(wanted)}. Without graphviz, graphs show as DOT text; without bubblewrap,"
        f" grading refuses to run. Run:\n    {by_hand(wanted)}"
    )


def by_hand(packages: list[str]) -> str:
    """What a person types to get system packages on this machine."""
    managers = {
        "apt-get": "apt-get install -y",
        "dnf": "dnf install",
        "zypper": "zypper install",
        "pacman": "pacman -S",
    }
    found = next(
        (command for program, command in managers.items() if shutil.which(program)), "apt-get install"
    )
    return " ".join(["sudo", found, *packages])


def apt_install(progress: Progress, packages: list[str]) -> bool:
    """Install Debian packages, as root or through sudo. False if there is no way, or it failed."""
    if not shutil.which("apt-get"):
        return False
    prefix: list[str] = []
    if os.geteuid() != 0:
        if not shutil.which("sudo"):
            return False
        print(
            f"\n  需要管理员权限来安装：{' '.join(packages)}\n  Administrator rights are needed to install: {' '.join(packages)}"
        )
        ask = (
            [] if sys.stdin.isatty() else ["-n"]
        )  # with nobody there to type a password, do not wait for one
        if subprocess.run(["sudo", *ask, "-v"]).returncode:
            return False
        prefix = ["sudo", "-n", "--preserve-env=DEBIAN_FRONTEND"]
    log = LOG if VENV.exists() else ROOT / ".venv-setup.log"
    get = [*prefix, "apt-get", "-o", "DPkg::Lock::Timeout=120"]
    install = [*get, "install", "-y", "--no-install-recommends", *packages]

    def show(line: str) -> None:
        progress.update(line[:60])

    # The package lists may be old or not there at all: only then does the first try fail.
    return watch(install, show, log) or (watch([*get, "update"], show, log) and watch(install, show, log))


def is_current() -> bool:
    """Whether another run finished while this one waited for it."""
    return (
        READY.exists()
        and READY.read_text(encoding="utf-8") == str(ROOT)
        and all(READY.stat().st_mtime >= path.stat().st_mtime for path in INPUTS)
    )


def main() -> int:
    """All steps in order; the stamp is written last."""
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    folder = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)  # two terminals, one .venv
        if is_current():
            return 0
        print("准备环境，只在第一次需要 · setting up, needed only the first time", flush=True)
        progress = Progress()
        make_venv(progress)
        BROKEN.touch()
        for step in (install_tools, install_torch, install_rest):
            step(progress)
        BROKEN.unlink()
        install_system(progress)
        READY.write_text(str(ROOT), encoding="utf-8")
        return 0
    except SetupError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(
            "\n中断了；再运行一次会接着做 · interrupted; running it again goes on from here", file=sys.stderr
        )
        return 130
    finally:
        os.close(folder)


if __name__ == "__main__":
    sys.exit(main())
