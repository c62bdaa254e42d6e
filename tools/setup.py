"""Makes .venv and installs everything into it; called by tools/setup.sh with a Python >= 3.11.

Standard library only, since nothing is installed yet. It can be stopped at any moment and run again. What pip
and apt print goes to .venv/setup.log; the screen shows one line a step. It starts no lesson, grades nothing.
"""

import fcntl
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))  # -I leaves the script's own folder out
from progress import PipLines, Progress, watch  # noqa: E402

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOG = VENV / "setup.log"
EARLY_LOG = ROOT / ".venv-setup.log"  # until there is a .venv to put it in
READY = VENV / ".ready"  # the stamp that the Makefile looks at; holds the folder it was made in
BROKEN = VENV / ".incomplete"  # there while pip writes: found at the start, it says that pip was cut off
CONSTRAINTS = ROOT / "constraints.txt"
INPUTS = (ROOT / "pyproject.toml", CONSTRAINTS, Path(__file__))

TORCH = "torch==2.13.0"
# On Linux, PyPI's torch brings gigabytes of CUDA libraries that nothing here uses; this is the small build.
TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu"
SYSTEM_PACKAGES = {"dot": "graphviz", "bwrap": "bubblewrap"}  # the program to look for: its Debian package
INSTALLERS = {
    "apt-get": "apt-get install -y",
    "dnf": "dnf install",
    "zypper": "zypper install",
    "pacman": "pacman -S",
}

# What would make pip install somewhere other than .venv, or something other than what we pin.
NOT_OURS = (
    "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_REQUIREMENT",
    "PIP_CONSTRAINT", "PIP_NO_DEPS", "PIP_PRE",
)  # fmt: skip
OURS = {
    "PIP_USER": "0",
    "PIP_NO_INPUT": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_ROOT_USER_ACTION": "ignore",
    "PYTHONNOUSERSITE": "1",
    "DEBIAN_FRONTEND": "noninteractive",
    "LC_ALL": "C.UTF-8",
}
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in NOT_OURS} | OURS


class SetupError(Exception):
    """A step that cannot go on: what happened and what to do, in both languages."""


def log_tail() -> str:
    """The last lines of the log that say something."""
    log = LOG if LOG.exists() else EARLY_LOG
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
    told = [line for line in lines if line.strip() and not line.startswith("Progress ")]
    return "\n".join(f"    {line}" for line in told[-8:])


def pip_install(progress: Progress, total: int, *arguments: str) -> bool:
    """`pip install` under the constraints; about `total` packages to show progress by."""
    command: list[str | Path] = [PYTHON, "-m", "pip", "install", "--constraint", CONSTRAINTS, *arguments]
    return watch(command, PipLines(progress, total, VENV), LOG, ENVIRONMENT)


def pip_failed(what: str) -> SetupError:
    """The error for a pip that did not succeed."""
    log = LOG.relative_to(ROOT)
    return SetupError(
        f"✗ 没能装上 {what}。完整记录：{log}\n"
        f"✗ Could not install {what}. Full log: {log}\n"
        f"{log_tail()}\n"
        "  多半是网络不通、代理没设好，或磁盘满了。解决之后再运行同样的命令，已下载的不会重来。\n"
        "  Most often: no network, a proxy that is not set, or a full disk. Put that right and run the same\n"
        "  command again; what is downloaded is not downloaded twice."
    )


# ── the steps ────────────────────────────────────────────────────────────────────────────────────


def venv_is_sound() -> bool:
    """Whether .venv can be built on: it has pip, a new enough Python, and no install was cut off."""
    if BROKEN.exists() or not PYTHON.exists():
        return False
    probe = "import sys, pip; sys.exit(sys.version_info < (3, 11) or sys.prefix == sys.base_prefix)"
    return subprocess.run([PYTHON, "-I", "-c", probe], capture_output=True).returncode == 0


def make_venv(progress: Progress) -> None:
    """Step 1: the virtual environment. Debian keeps a part of `venv` in a package of its own."""
    progress.start("虚拟环境 · virtual environment (.venv)")
    if not venv_is_sound():
        shutil.rmtree(VENV, ignore_errors=True)
        EARLY_LOG.unlink(missing_ok=True)
        ensure_venv_module(progress)
        command: list[str | Path] = [sys.executable, "-I", "-m", "venv", "--clear", VENV]
        if not watch(command, progress.update, EARLY_LOG, ENVIRONMENT):
            raise SetupError(f"✗ 建不了 .venv\n✗ Could not make .venv\n{log_tail()}")
        EARLY_LOG.rename(LOG)
    progress.end()


def ensure_venv_module(progress: Progress) -> None:
    """Install what this Python lacks to make a virtual environment."""
    if subprocess.run([sys.executable, "-I", "-c", "import ensurepip, venv"], capture_output=True).returncode:
        package = f"python3.{sys.version_info.minor}-venv"
        if not apt_install(progress, [package]):
            raise SetupError(
                f"✗ 这个 Python（{sys.executable}）不带 venv，也没能自动装上 {package}。请运行：\n"
                f"✗ This Python ({sys.executable}) lacks venv, and {package} could not be installed. Run:\n"
                f"    {by_hand([package])}\n{log_tail()}"
            )


def install_tools(progress: Progress) -> None:
    """Step 2: the pinned pip, which can tell how far it is, and setuptools, which builds this project."""
    progress.start("pip")
    if not pip_install(progress, 2, "pip", "setuptools"):
        raise pip_failed("pip")
    progress.end()


def mirrored() -> bool:
    """Whether this machine's pip was told where packages come from: then we ask nobody else."""
    answer = subprocess.run([PYTHON, "-m", "pip", "config", "list"], capture_output=True, env=ENVIRONMENT)
    return bool(re.search(rb"(?m)\.(index-url|extra-index-url|find.links|no-index)=", answer.stdout))


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
    # compat: a plain path file, no import hook; Python starts faster, and every tool can follow it.
    editable = ["--no-build-isolation", "--config-settings", "editable_mode=compat", "--editable"]
    # The very torch that is there: should anything not resolve, pip is not to go looking for another build of it.
    probe = "from importlib.metadata import version; print(version('torch'))"
    torch = subprocess.run([PYTHON, "-I", "-c", probe], capture_output=True, text=True, check=True).stdout
    wanted = [*editable, f"{ROOT}[dev]", f"torch=={torch.strip()}"]
    if not pip_install(progress, total, "--progress-bar", "raw", *wanted):
        raise pip_failed("pyproject.toml")
    # pip compiles what it copies into .venv; an editable project stays where it is, and is left out.
    subprocess.run([PYTHON, "-m", "compileall", "-q", "minigrad", "autograder"], cwd=ROOT, env=ENVIRONMENT)
    progress.end()


def install_system(progress: Progress) -> None:
    """Step 5: two programs that pip does not have. The lessons open without them, so we only warn."""
    progress.start("系统软件 · system packages (graphviz, bubblewrap)")
    wanted = [package for program, package in SYSTEM_PACKAGES.items() if not shutil.which(program)]
    if not wanted or apt_install(progress, wanted):
        return progress.end()
    progress.end("!")
    print(
        f"! 还缺 {' '.join(wanted)}。没有 graphviz 只能看 DOT 文本，没有 bubblewrap 不能评分。请运行：\n"
        f"! Missing: {' '.join(wanted)}. Without graphviz, graphs show as DOT text; without bubblewrap\n"
        f"  nothing is graded. Run:\n    {by_hand(wanted)}"
    )


def by_hand(packages: list[str]) -> str:
    """What a person types to get system packages on this machine."""
    found = [command for program, command in INSTALLERS.items() if shutil.which(program)]
    return " ".join(["sudo", *(found or ["apt-get install"])[:1], *packages])


def apt_install(progress: Progress, packages: list[str]) -> bool:
    """Install Debian packages, as root or through sudo. False if there is no way, or it failed."""
    if not shutil.which("apt-get"):
        return False
    prefix: list[str] = []
    if os.geteuid() != 0:
        if not shutil.which("sudo"):
            return False
        print(
            f"\n  需要管理员权限来安装 · administrator rights are needed for: {' '.join(packages)}",
            flush=True,
        )
        ask = [] if sys.stdin.isatty() else ["-n"]  # with nobody there to type a password, do not wait
        if subprocess.run(["sudo", *ask, "-v"]).returncode:
            return False
        prefix = ["sudo", "-n", "--preserve-env=DEBIAN_FRONTEND"]
    get = [*prefix, "apt-get", "-o", "DPkg::Lock::Timeout=120"]

    def run(*words: str) -> bool:
        log = LOG if VENV.exists() else EARLY_LOG
        return watch([*get, *words], lambda line: progress.update(line[:60]), log, ENVIRONMENT)

    install = ("install", "-y", "--no-install-recommends", *packages)
    # The package lists may be old or not there at all: then the first try fails and the second does not.
    return run(*install) or (run("update") and run(*install))


def is_current() -> bool:
    """Whether another run finished while this one waited for it."""
    return (
        READY.exists()
        and READY.read_text(encoding="utf-8") == str(ROOT)
        and all(READY.stat().st_mtime >= path.stat().st_mtime for path in INPUTS)
    )


def set_up() -> None:
    """All steps in order; the stamp is written last."""
    print("准备环境，只在第一次需要 · setting up, needed only the first time", flush=True)
    progress = Progress(steps=5)
    make_venv(progress)
    READY.unlink(missing_ok=True)
    BROKEN.touch()
    for step in (install_tools, install_torch, install_rest):
        step(progress)
    BROKEN.unlink()
    install_system(progress)
    READY.write_text(str(ROOT), encoding="utf-8")


def main() -> int:
    """Set up once, whatever else runs beside; errors in words, not as a traceback."""
    sys.stdout.reconfigure(encoding="utf-8", errors="replace", line_buffering=True)  # type: ignore[union-attr]
    sys.stderr.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    folder = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)  # two terminals, one .venv
        if not is_current():
            set_up()
    except SetupError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except OSError as error:  # a full disk, a folder without write permission
        print(f"\n✗ 准备环境时出错 · setting up failed: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\n中断了，再运行一次会接着做 · interrupted; run it again to go on", file=sys.stderr)
        return 130
    finally:
        os.close(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
