"""A warning names the user's line, however deep in the engine it is given: in the forward pass, a hook, a walk, a module."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.utils.checkpoint

import minigrad

USER = "user_program.py"
# Programs that warn, each in another part of the engine.
PROGRAMS = {
    "a gradient that is not kept": "x = m.ones(2, requires_grad=True)\ny = x * 2\ny.grad",
    "in a hook": (
        "x = m.ones(2, requires_grad=True)\ny = x * 2\ndef hook(g):\n    y.grad\nx.register_hook(hook)\ny.sum().backward()"
    ),
    "create_graph": "x = m.ones(2, requires_grad=True)\nx.sum().backward(create_graph=True)",
    "anomaly mode": "with m.autograd.detect_anomaly():\n    pass",
    "a nan that anomaly mode finds": (
        "x = m.tensor([-1.0], requires_grad=True)\nm.autograd.set_detect_anomaly(True)\n"
        "try:\n    y = x.sqrt().sum()\n    y.backward()\nexcept RuntimeError:\n    m.autograd.set_detect_anomaly(False)"
    ),
    "a tensor copied": "x = m.ones(2)\nm.tensor(x)",
    "a loss of two shapes": "loss = m.nn.functional.mse_loss\nloss(m.ones(2), m.ones(3, 2))",
    "a module's loss of two shapes": "loss = m.nn.MSELoss()\nloss(m.ones(2), m.ones(3, 2))",
    "an old flag": "loss = m.nn.functional.l1_loss\nloss(m.ones(2), m.ones(2), size_average=True)",
    "softmax along what": "x = m.ones(2, 2)\nm.nn.functional.softmax(x)",
    "a module's softmax": "layer = m.nn.Softmax()\nlayer(m.ones(2, 2))",
    "a full backward hook": (
        "layer = m.nn.Linear(2, 2)\nlayer.register_full_backward_hook(lambda *args: None)\nlayer(m.ones(2)).sum().backward()"
    ),
    "T of three dimensions": "x = m.ones(2, 2, 2)\nx.T",
    "a schedule that starts too early": (
        "o = m.optim.SGD([m.ones(1, requires_grad=True)], lr=0.1)\ns = m.optim.lr_scheduler.StepLR(o, 1)\ns.step()"
    ),
    "nothing to clip": "clip = m.nn.utils.clip_grad_norm_\nclip((p for p in ()), 1.0)",
    "a checkpoint": "f = lambda x: x * 2\nm.utils.checkpoint.checkpoint(f, m.ones(2), use_reentrant=True)",
}


def warned(engine: Any, program: str) -> list[tuple[str, int, str]]:
    """(file, line, first words) of what a program warns of, run under the name of a file of the user's."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", ".*encountered in", RuntimeWarning)  # NumPy's
        exec(compile(program, USER, "exec"), {"m": engine, "__name__": "user_program"})
    return [(Path(each.filename).name, each.lineno, str(each.message)[:40]) for each in caught]


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_warning_names_the_users_line(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minigrad.autograd, "_warned", [])  # what is said once in a process, has perhaps been said
    monkeypatch.setattr(minigrad.errors, "said", set())
    ours, theirs = warned(minigrad, program), warned(torch, program)
    assert ours and {file for file, _, _ in ours} == {USER}
    at_theirs = [each for each in theirs if each[0] == USER]  # torch's own Python warns at lines of torch's
    assert {*ours} >= {*at_theirs}


def test_only_one_function_warns() -> None:
    """Whoever counts frames counts wrong one day: errors.py's `warn` looks for the user's line."""
    for path in Path(minigrad.__file__).parent.rglob("*.py"):
        assert path.name == "errors.py" or "warnings.warn(" not in path.read_text(encoding="utf-8"), path
