"""Modes that look at every new node: what they say in full, and that nothing of them stays behind."""

from __future__ import annotations

import subprocess
import sys
import warnings
from threading import get_ident

import pytest
import torch

import minigrad
from minigrad.autograd import grad_mode
from minigrad.autograd.graph import saved_tensors_hooks
from minigrad.autograd.recording import before_write, observers

ENGINES = [torch, minigrad]


def root_of(engine, x):
    return x.sqrt()


def forward_lines(engine) -> list[str]:
    """The lines of the forward traceback that anomaly mode prints for the root of 0, times 0."""
    x = engine.tensor(0.0, requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with engine.autograd.detect_anomaly():
            y = root_of(engine, x) * 0
            with pytest.raises(RuntimeError, match="Function 'SqrtBackward0' returned nan values in its 0th output"):
                y.backward()
    said, _, _ = str(caught[-1].message).partition(" (Triggered internally")
    assert said.startswith("Error detected in SqrtBackward0. Traceback of forward call that caused the error:\n")
    return [
        line for line in said.splitlines() if not line.startswith("Error detected") and set(line.strip()) - {"^", "~"}
    ]


def test_the_forward_traceback_ends_in_the_users_line_as_torchs_does():
    ours, theirs = forward_lines(minigrad), forward_lines(torch)
    assert ours[-4:] == theirs[-4:]
    assert ours[-1].strip() == "return x.sqrt()"


def test_modes_leave_nothing_behind():
    with pytest.raises(ZeroDivisionError), saved_tensors_hooks(lambda t: 1 / 0, lambda t: t):
        minigrad.ones(1, requires_grad=True).exp()
    with pytest.warns(UserWarning, match="Anomaly Detection"), minigrad.autograd.detect_anomaly():
        assert observers
    assert not observers


@pytest.mark.parametrize("engine", ENGINES)
def test_hooks_on_saved_tensors_let_the_values_go(engine):
    kept = []
    with engine.autograd.graph.saved_tensors_hooks(
        lambda t: kept.append(t.tolist()) or len(kept) - 1, lambda i: engine.tensor(kept[i])
    ):
        x = engine.tensor([1.0, 2.0], requires_grad=True)
        y = (x * x).exp()
    kept[-1] = [1.0, 1.0]  # the result of exp, on its way back
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


ONE_NUMBER = """
import importlib, sys, warnings
T = importlib.import_module(sys.argv[1])
t = T.ones(1, requires_grad=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with T.no_grad():
        float(t)
    with T.inference_mode():
        int(t)
    print(len(caught))
    float(t), int(t)
    print(len(caught), str(caught[0].message).splitlines()[0])
"""


@pytest.mark.slow
def test_one_number_taken_out_of_a_graph_is_warned_of_once_and_only_while_it_is_recorded():
    """Once in a process: so each engine gets a new one."""
    said = [
        subprocess.run([sys.executable, "-c", ONE_NUMBER, engine.__name__], capture_output=True, text=True, check=True)
        for engine in ENGINES
    ]
    assert said[0].stdout == said[1].stdout != ""


@pytest.mark.parametrize("saved, written", [(slice(None), slice(1, None)), (slice(1, None), slice(None))])
def test_a_write_through_any_view_leaves_what_is_saved_as_it_was(saved, written):
    # torch notices only views that begin where the saved tensor does
    a = minigrad.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with minigrad.autograd.graph.allow_mutation_on_saved_tensors() as kept:
        b = a.clone()
        squares = (b[saved] ** 2).sum()
        b[written].mul_(10)
        assert len(kept.cloned) == 1
        squares.backward()
    assert a.grad.tolist()[1:] == [4.0, 6.0]
    assert not before_write


def test_recording_can_be_switched_on_where_an_interrupt_has_left_it_off():
    """Ctrl-C may strike between the two marks of a thread, of which one says that it does not record."""
    grad_mode.paused.add(get_ident())
    try:
        minigrad.set_grad_enabled(True)
        assert (minigrad.ones(1, requires_grad=True) * 2).requires_grad
    finally:
        grad_mode.paused.discard(get_ident())
