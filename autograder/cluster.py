"""Hands on other cores and other machines: Dask workers that start and kill sandboxes and compare with torch.

On one machine a worker a core is started (`LocalCluster`); with `--scheduler tcp://…` the same command uses the
workers of a cluster, each of which needs this project installed, the same version, and bubblewrap. A worker gets
jobs (work.py) and sends records back; it never sees the course, its secret, the ledger or the gradebook. A job whose
worker dies is given to another one.

Not here: which jobs there are, and what becomes of the records (grade.py).
"""

from __future__ import annotations

import functools
import os
import queue
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from autograder.errors import Unreachable
from autograder.messages import Text
from autograder.terminal import errors
from autograder.work import Done, Job, do

if TYPE_CHECKING:
    from autograder.ledger import Key

AHEAD = 2  # jobs a worker thread has at hand: one that runs, one that waits
ANSWER = 15.0  # seconds for a scheduler to answer
PATIENCE = 60.0  # seconds without any worker before the run stops
MEMORY = "2GiB"  # of one local worker: the referee, with torch, takes about 0.4; sandboxes are not counted


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """Does jobs on Dask workers. Same three questions as grade.Here: `free`, `start`, `wait`."""

    def __init__(self, scheduler: str | None = None, workers: int | None = None):
        self._address, self._wanted = scheduler, workers
        self._cluster: Any = None
        self._back: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._out: dict[Any, Key] = {}

    @functools.cached_property
    def _client(self) -> Any:
        """The connection, made (and workers started) when there is a first job."""
        import dask
        from distributed import Client, LocalCluster
        from distributed.comm import get_address_host_port

        # A worker that dies takes one job along, not the other that waits for it; grade.py counts the tries.
        dask.config.set({"distributed.scheduler.allowed-failures": 1})
        try:
            if self._address is not None:
                get_address_host_port(self._address)  # ValueError; a Client made in vain takes half a minute to go
            else:
                with _without_ctrl_c():
                    self._cluster = LocalCluster(
                        n_workers=self._wanted or cores(),
                        threads_per_worker=1,  # a sandbox ends with the thread that started it
                        processes=True,
                        memory_limit=MEMORY,
                        dashboard_address=None,
                        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # or it takes port 8787 all the same
                        silence_logs=50,
                    )
            return Client(self._cluster or self._address, timeout=ANSWER, set_as_default=False)
        except (OSError, ValueError) as error:
            raise Unreachable(
                Text("连不上 Dask 调度器。", "The Dask scheduler does not answer."),
                where=f"{self._address or 'LocalCluster'}: {error}",
                remedy=Text(
                    "去掉 --scheduler，或在那台机器上运行：dask scheduler",
                    "Leave out --scheduler, or run on that machine: dask scheduler",
                ),
            ) from None

    @property
    def free(self) -> int:
        """How many jobs can be taken now."""
        started = "_client" in vars(self)
        threads = sum(self._client.nthreads().values()) if started else self._wanted or cores()
        return max(1, AHEAD * threads) - len(self._out)

    def start(self, key: Key, job: Job) -> None:
        """Hand a job to some worker."""
        future = self._client.submit(do, job, pure=False)
        self._out[future] = key
        future.add_done_callback(self._back.put)

    def wait(self) -> list[tuple[Key, Done | Exception]]:
        """What has come back, at least one job if any is out."""
        if not self._out:
            return []
        back = [self._first()]
        while not self._back.empty():
            back.append(self._back.get())
        return [(self._out.pop(future), _result(future)) for future in back]

    def _first(self) -> Any:
        end, told = time.monotonic() + PATIENCE, False
        while True:
            try:
                return self._back.get(timeout=1.0)
            except queue.Empty:
                if self._client.nthreads():
                    end = time.monotonic() + PATIENCE
                elif not told:
                    told = True
                    errors.print(f"还没有工作进程，等 {PATIENCE:g} 秒 · no worker yet, waiting {PATIENCE:g} seconds")
                elif time.monotonic() > end:
                    raise Unreachable(
                        Text(f"{PATIENCE:g} 秒没有任何工作进程。", f"No worker showed up for {PATIENCE:g} seconds."),
                        remedy=Text(
                            "启动工作进程，再运行同样的命令，评好的不会重评：dask worker 地址",
                            "Start workers and run the same command again, nothing is graded twice: dask worker ADDRESS",
                        ),
                    ) from None

    def close(self) -> None:
        """Let go of what is out; end the workers that were started here."""
        if "_client" in vars(self):
            self._client.close(timeout=5)
        if self._cluster is not None:
            self._cluster.close(timeout=5)


@contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """What is started here never hears Ctrl-C, which a terminal sends to every process: this one ends the others.

    (A blocked signal would not do: multiprocessing unblocks it.)
    """
    if threading.current_thread() is not threading.main_thread():  # only the main thread may say so
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _result(future: Any) -> Done | Exception:
    if future.status == "finished":
        done: Done = future.result()
        return done
    error = future.exception() if future.status == "error" else RuntimeError(f"the job was {future.status}")
    return error if isinstance(error, Exception) else RuntimeError(repr(error))
