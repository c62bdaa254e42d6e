"""A real browser and real JupyterLab servers for tests: Debian's Chromium, driven by Playwright. It judges nothing."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from project_files import ROOT

from tools import lab

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync""".split()
TOKEN = "let-me-in"


@contextmanager
def browser() -> Iterator:
    """Chromium with a fresh profile of its own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS)
        try:
            yield started
        finally:
            started.close()


@contextmanager
def labs(course: Path, student: Path) -> Iterator[list[str]]:
    """The teacher's JupyterLab and the student's, started side by side, with homes of their own; their addresses."""
    folders = (course, student)
    with ExitStack() as stack:
        addresses = [stack.enter_context(_lab(course)), stack.enter_context(_lab(student, lab.LEARNERS))]
        for folder, address in zip(folders, addresses, strict=True):
            _wait(address, _log(folder))
        yield addresses


@contextmanager
def _lab(folder: Path, *settings: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = folder.with_name(f"{folder.name}_home")
    own = {f"JUPYTER_{kind}_DIR": str(home / kind) for kind in ("CONFIG", "DATA", "RUNTIME")}
    own |= {"JUPYTER_PREFER_ENV_PATH": "1", "IPYTHONDIR": str(home / "IPYTHON"), "HOME": str(home)}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    home.mkdir()
    # fmt: off
    command = [
        sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={folder}", *lab.QUIET, "--allow-root", "--no-browser",
        "--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0",
        f"--IdentityProvider.token={TOKEN}",
    ]
    # fmt: on
    environment = {**lab.environment(folder, *settings), **own, "PATH": path, "PYTHONPATH": str(ROOT)}
    with _log(folder).open("w") as log:
        server = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(20)


def _log(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.log")


def _wait(address: str, log: Path, seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            urllib.request.urlopen(f"{address}/api/status?token={TOKEN}", timeout=5).close()
            return
        except OSError as error:
            assert time.monotonic() < end, f"{error}: {log.read_text()[-2000:]}"
            time.sleep(0.1)
