"""Grading on Dask workers: a real scheduler, workers in processes and network namespaces, one of them killed."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from scratch_lesson import scratch_class

from autograder import cluster
from autograder import grade as grading
from autograder.course import Course
from autograder.errors import Unreachable
from autograder.grade import grade
from autograder.ledger import MOST_TRIES
from autograder.lessons import PROJECT

pytestmark = [pytest.mark.sandbox, pytest.mark.slow, pytest.mark.filterwarnings("ignore::ResourceWarning")]
LESSON = "90_scratch"
NAMES = {"full_marks", "own_cells", "partial", "untouched", "deleted_check", "syntax_error", "no_notebook"}
IN_NAMESPACES = os.geteuid() == 0 and shutil.which("ip") is not None


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A released lesson, a class of submissions, and what each earns when graded in this process."""
    folder = tmp_path_factory.mktemp("class")
    course = scratch_class(folder, NAMES)
    first = course.path("submitted", "sample-li-na", LESSON)
    for number in range(8):
        shutil.copytree(first, course.path("submitted", f"student{number:02}", LESSON))
    graded = copy_of(course.root, folder / "graded")
    results = grade(LESSON, course=graded, workers=1)
    return course.root, {r.student: (r.status, r.score, r.entry.records) for r in results}


def copy_of(root: Path, folder: Path) -> Course:
    shutil.copytree(root, folder)
    return Course(folder)


def outcome(results):
    return {r.student: (r.status, r.score, r.entry.records) for r in results}


def test_workers_on_this_machine_give_the_same_records(template, tmp_path):
    root, wanted = template
    seen = []
    course = copy_of(root, tmp_path / "course")
    results = grade(LESSON, course=course, workers=2, progress=lambda *each: seen.append(each))
    assert outcome(results) == wanted
    assert [done for done, _, news in seen if not isinstance(news, str)] == list(range(1, len(wanted) + 1))
    assert {news for _, _, news in seen if isinstance(news, str)} <= wanted.keys()
    assert not any(r.fresh for r in grade(LESSON, course=course, workers=2))


def command(program: str, *words: str) -> list[str]:
    return [sys.executable, "-m", f"distributed.cli.dask_{program}", "--no-dashboard", *words]


@contextmanager
def process(words: list[str]):
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(PROJECT)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = subprocess.Popen(words, cwd=PROJECT, env=environment, start_new_session=True, **quiet)
    try:
        yield started
    finally:
        try:
            os.killpg(started.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        started.wait()


@contextmanager
def network(number: int):
    """A network namespace with one link to this machine: what to put before a command, and this machine's address."""
    if not IN_NAMESPACES:
        yield [], "127.0.0.1"
        return
    name, here, there = f"grading{os.getpid()}-{number}", f"gr{number}h{os.getpid() % 10000}", f"gr{number}t"
    net = f"10.{190 + os.getpid() % 50}.{number}"

    def ip(words: str) -> None:
        subprocess.run(["ip", *words.split()], check=True)

    ip(f"netns add {name}")
    try:
        ip(f"link add {here} type veth peer name {there} netns {name}")
        ip(f"addr add {net}.1/24 dev {here}")
        ip(f"link set {here} up")
        ip(f"-n {name} addr add {net}.2/24 dev {there}")
        ip(f"-n {name} link set {there} up")
        ip(f"-n {name} link set lo up")
        yield ["ip", "netns", "exec", name], f"{net}.1"
    finally:
        ip(f"netns del {name}")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("", 0))
        return one.getsockname()[1]


@pytest.mark.timeout(180)
def test_a_scheduler_with_workers_elsewhere_one_of_which_is_killed(template, tmp_path):
    root, wanted = template
    port = free_port()
    with ExitStack() as stack:
        stack.enter_context(process(command("scheduler", "--host", "0.0.0.0", "--port", str(port))))
        workers = []
        for number in (1, 2):
            inside, address = stack.enter_context(network(number))
            words = ("--nthreads", "1", "--no-nanny", "--local-directory", str(tmp_path / f"worker{number}"))
            words = command("worker", f"tcp://{address}:{port}", *words)
            workers.append(stack.enter_context(process([*inside, *words])))
        course, seen, killed = copy_of(root, tmp_path / "course"), [], threading.Event()

        def progress(done, total, news):
            if not isinstance(news, str):
                seen.append(news.student)
            if done >= 3 and not killed.is_set():
                os.killpg(workers[0].pid, signal.SIGKILL)
                killed.set()

        wait_for(port, 2)
        results = grade(LESSON, course=course, scheduler=f"tcp://127.0.0.1:{port}", progress=progress)
        assert killed.is_set() and workers[0].wait() == -signal.SIGKILL
        assert sorted(seen) == sorted(wanted)
        assert outcome(results) == wanted
        assert course.ledger.counts(LESSON) == {"settled": len(wanted)}
    if not IN_NAMESPACES:
        pytest.skip("网络隔离没有试：要 root 和 ip · network namespaces not tried: they need root and ip")


def wait_for(port: int, workers: int) -> None:
    """Until the scheduler has that many workers."""
    from distributed import Client

    end = time.monotonic() + 60
    while True:
        try:
            with Client(f"tcp://127.0.0.1:{port}", timeout=2) as client:
                client.wait_for_workers(workers, timeout=60)
                return
        except OSError:
            if time.monotonic() > end:
                raise


@pytest.mark.parametrize("address", ["nonsense", "http://127.0.0.1:8786", "", None])
def test_no_scheduler_there(template, tmp_path, monkeypatch, capfd, address):
    """However often one tries, no submission is given up for it."""
    root, _ = template
    monkeypatch.setattr(cluster, "ANSWER", 1)
    course, began = copy_of(root, tmp_path / "course"), time.monotonic()
    for _ in range(MOST_TRIES + 1):
        with pytest.raises(Unreachable, match="Dask scheduler does not answer"):
            scheduler = f"tcp://127.0.0.1:{free_port()}" if address is None else address
            grade(LESSON, ["student00"], course=course, scheduler=scheduler)
    assert time.monotonic() - began < 20 and "Traceback" not in capfd.readouterr().err
    (result,) = grade(LESSON, ["student00"], course=course, workers=1)
    assert result.status == "graded"


def test_another_version_of_the_grader_on_a_worker_is_refused(template, tmp_path, monkeypatch):
    root, _ = template
    job_of = grading.job_of
    monkeypatch.setattr(grading, "job_of", lambda *given, **named: job_of(*given, **named) | {"code": "another"})
    (result,) = grade(LESSON, ["student00"], course=copy_of(root, tmp_path / "course"), workers=1)
    assert result.status == "failed" and "not the version" in result.problem["en"]
