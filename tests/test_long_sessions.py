"""What a session that runs for hours must not gather, and what two threads must not do to each other."""

from __future__ import annotations

import inspect
import os
import signal
import threading
import time

import pytest

import minigrad
from minigrad.autograd import accumulate
from minigrad.autograd.graph import register_multi_grad_hook
from minigrad.random import Generator


def kept(tensor, name):
    """What a tensor's hook keeps under a name."""
    inside = [inspect.getclosurevars(each).nonlocals for each in tensor._hooks.tensor[0].values()]
    (found,) = [variables[name] for variables in inside if name in variables]
    return found


def test_joins_of_any_length_are_of_one_class():
    x = minigrad.ones(2, requires_grad=True)
    for join in (minigrad.cat, minigrad.stack):
        assert len({type(join([x] * n).grad_fn) for n in range(1, 30)}) == 1


def test_a_hook_of_several_tensors_forgets_the_walks_that_are_over():
    x, y = (minigrad.ones(2, requires_grad=True) for _ in range(2))
    for mode in ("any", "all"):
        register_multi_grad_hook([x, y], lambda grads: None, mode=mode)

    def stop(grad):
        raise ValueError

    for _ in range(5):
        z = y * 1
        z.register_hook(stop)
        with pytest.raises(ValueError):
            (z.sum() + x.sum()).backward()
    assert len(kept(x, "seen")) == 1 and len(kept(x, "arrived")) <= 1


def test_one_more_view_costs_the_same_however_many_are_alive():
    """Dead views are looked for when their number has doubled, and not at every view just short of a power of two."""
    base = minigrad.ones(300)
    alive = [base[i] for i in range(255)]
    looked = []
    for _ in range(400):
        before = list(base._counter.views)
        base[0]
        looked.append(len(base._counter.views) <= len(before))
    assert sum(looked) < 10 and len(alive) == 255


def test_two_first_draws_at_once_are_from_one_stream():
    """functools.cached_property has no lock from Python 3.12 on: both threads may make the stream."""
    generator = Generator()
    make = vars(Generator)["_bits"].func
    assert make(generator) is make(generator) is generator._bits


def test_an_interrupt_that_waits_for_another_threads_lock_is_an_interrupt():
    w, held, done = minigrad.ones(2, requires_grad=True), threading.Event(), threading.Event()

    def hold():
        accumulate.begin_creating()
        held.set()
        time.sleep(0.3)  # until the other waits
        os.kill(os.getpid(), signal.SIGINT)
        done.wait(10)
        accumulate.end_creating()

    thread = threading.Thread(target=hold)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # xdist's workers ignore it
    try:
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            held.wait(10)
            w * 2
    finally:
        done.set()
        thread.join()
        signal.signal(signal.SIGINT, before)
    assert (w * 2).requires_grad
