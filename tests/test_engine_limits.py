"""The walk at its limits: a million nodes deep, memory given back at once, many threads, walks inside walks."""

from __future__ import annotations

import functools
import gc
import os
import platform
import subprocess
import sys
import threading
import time
import weakref
from typing import Any

import pytest

import minigrad as T
from minigrad.autograd import accumulate
from minigrad.autograd.accumulate import AccumulateGrad, fit, one_at_a_time
from minigrad.autograd.graph import Edge


def chain(n: int) -> tuple[T.Tensor, T.Tensor]:
    x = T.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(n):
        y = y + x
    return x, y


@pytest.mark.slow
def test_a_million_nodes_need_no_recursion_forward_backward_or_to_be_freed() -> None:
    x, y = chain(1_000_000)
    y.backward()
    del y
    assert x.grad is not None and x.grad.item() == 1_000_001


def test_a_graph_never_walked_is_freed_without_recursion() -> None:
    _, y = chain(200_000)
    del y


def test_dropping_the_root_frees_the_whole_graph_without_the_garbage_collector() -> None:
    gc.disable()
    try:
        x = T.tensor([1.0, 2.0], requires_grad=True)
        y = (x.exp() * x).tanh().sum()
        alive = [weakref.ref(y), weakref.ref(y.grad_fn), weakref.ref(x)]
        y.backward()
        del x, y
        assert [reference() for reference in alive] == [None, None, None]
    finally:
        gc.enable()


def test_saved_values_go_during_backward() -> None:
    x = T.tensor([1.0, 2.0], requires_grad=True)
    middle = x.exp()
    saved = weakref.ref(middle._data)
    y = (middle * middle).sum()
    del middle
    assert saved() is not None
    y.backward()
    assert saved() is None


def test_a_leaf_has_one_accumulator_for_all_its_graphs() -> None:
    x = T.tensor(1.0, requires_grad=True)
    first, second = x * 2, x * 3
    assert first.grad_fn.next_functions[0][0] is second.grad_fn.next_functions[0][0]


def test_recording_is_switched_per_thread() -> None:
    x = T.tensor(1.0, requires_grad=True)
    seen: list[bool] = []
    with T.no_grad():
        thread = threading.Thread(target=lambda: seen.append((x * 2).requires_grad))
        thread.start()
        thread.join()
        seen.append((x * 2).requires_grad)
    assert seen == [True, False]


def test_a_thread_that_ends_while_paused_leaves_no_mark_behind() -> None:
    seen: list[bool] = []
    for _ in range(20):  # thread numbers are soon used again
        thread = threading.Thread(target=lambda: (seen.append(T.is_grad_enabled()), T.set_grad_enabled(False)))
        thread.start()
        thread.join()
    assert all(seen)


def test_threads_may_walk_graphs_that_share_a_leaf() -> None:
    x = T.tensor(1.0, requires_grad=True)
    threads = [threading.Thread(target=lambda: [T.autograd.grad(x * x, x) for _ in range(200)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert T.autograd.grad(x * x, x)[0].item() == 2.0


def test_threads_that_ask_for_a_leafs_edge_at_once_get_one_node() -> None:
    """gradient_edge, with enough time between looking and making for all threads to look first."""
    x = T.tensor(1.0, requires_grad=True)
    made: list[AccumulateGrad] = []

    @one_at_a_time
    def slowly(tensor: T.Tensor) -> Edge:
        node = tensor._accumulator() if tensor._accumulator is not None else None
        if node is None:
            time.sleep(0.01)
            node = AccumulateGrad(tensor)
            made.append(node)
            tensor._accumulator = weakref.ref(node)
        return node, 0

    threads = [threading.Thread(target=slowly, args=(x,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("create_graph", (False, True))
def test_threads_that_add_to_one_leaf_at_once_lose_nothing(create_graph: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sum, with enough time between reading and writing for all threads to read first."""

    def slowly(variable: T.Tensor, grad: Any, *shared: bool) -> None:
        held = 0 if variable._grad is None else variable._grad.item()
        time.sleep(0.005)
        variable._grad = T.tensor(held + getattr(grad, "_data", grad).item())

    x = T.tensor(1.0, requires_grad=True)
    monkeypatch.setattr(accumulate, "accumulate_graph" if create_graph else "accumulate", slowly)
    walk = functools.partial(x.clone().backward, create_graph=create_graph, retain_graph=True)
    threads = [threading.Thread(target=walk) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert x.grad is not None and x.grad.item() == 4.0


def test_a_hook_may_start_a_walk_of_its_own() -> None:
    x = T.tensor(3.0, requires_grad=True)
    w = T.tensor(2.0, requires_grad=True)
    y = x * w

    def walk(grad: T.Tensor) -> None:
        with T.enable_grad():  # a walk without create_graph records nothing by itself
            (w * w).backward()

    y.register_hook(walk)
    (y * y).backward()
    assert (x.grad.item(), w.grad.item()) == (24.0, 2 * 6 * 3 + 4)


def test_an_error_in_a_hook_leaves_recording_as_it_was() -> None:
    x = T.tensor(3.0, requires_grad=True)
    x.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        (x * x).backward()
    assert T.is_grad_enabled() and (x * 2).requires_grad


FRESH_PAGES = """
import resource
import minigrad as T
a, b = T.ones(512, 1).requires_grad_(), T.ones(1, 512).requires_grad_()
def step():
    a.grad = b.grad = None
    ((a + b) * a * b).sum().backward()
step(), step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    step()
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / 20)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have other habits")
def test_a_step_reuses_the_memory_of_the_last_one() -> None:
    # Dask's workers leave a setting of glibc's behind, with which it would keep no memory at all
    own = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_"))}
    done = subprocess.run([sys.executable, "-c", FRESH_PAGES], env=own, capture_output=True, text=True, check=True)
    assert float(done.stdout) < 50  # the step's seven arrays of a megabyte have 1,800 pages


HEAP = """
import minigrad
areas = open("/proc/self/smaps").read().split("[heap]")[1:]
print([area.partition("VmFlags:")[2].split("\\n")[0].split().count("hg") for area in areas].count(1))
"""


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc" or not os.path.exists("/sys/kernel/mm/transparent_hugepage"),
    reason="another C library, or a system without large pages",
)
def test_arrays_lie_where_the_system_may_give_large_pages() -> None:
    own = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_"))}
    done = subprocess.run([sys.executable, "-c", HEAP], env=own, capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


def test_a_gradient_that_fits_no_broadcast_input_is_refused_with_both_shapes() -> None:
    for one in (T.ones(()), T.ones((), requires_grad=True)):  # an array and a Tensor with a history reach `fit` alike
        with pytest.raises(RuntimeError, match=r"shape \[\] arrives at an input of shape \[4\].*wrong shape"):
            fit(one if one.requires_grad else one._data, ((4,), one._data.dtype))
