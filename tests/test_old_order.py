"""Calls in torch's order of before 1.5, p.add_(-lr, grad): both engines compute the same and warn once, in the same words."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import pytest
import torch

import minigrad

CALLS = """
    add(x, 2, x)
    add(x, 2, other=x)
    add(x, 0.5, x, out=zeros(2))
    sub(x, 2, x)
    x.add(2, x)
    x.clone().add_(-0.1, x)
    x.clone().sub_(2, x)
    addcmul(x, 2, x, x)
    x.clone().addcmul_(-2, x, x)
    x.clone().addcdiv_(2, x, x)
    addmm(2, m, 3, m, m)
    addmm(2, m, m, m)
    m.addmm(2, 3, m, m)
    m.clone().addmm_(2, m, m)
    addmv(2, x, 3, m, x)
    x.addmv(2, m, x)
    addr(2, m, 3, x, x)
    m.clone().addr_(2, x, x)
    baddbmm(2, b, 3, b, b)
    b.baddbmm(2, b, b)
    add(x, x, 2)
    add(x, 2, x, alpha=3)
    x.add(2, 2, x)
    x.add(1, 2)
    x.clone().sub_(3, 2)
    sub(x, 1, 2)
    x.add(1, [2])
    addcmul(2, x, x, x)
    x.addcmul(x, 2, x)
    addmm(m, 2, m, m)
"""


def outcome(engine: Any, call: str) -> Any:
    """The values that a call gives, or the kind of its error."""
    names = {name: getattr(engine, name) for name in "add addcmul addmm addmv addr baddbmm sub zeros".split()}
    x = engine.tensor([1.0, 3.0])
    m = engine.tensor([[1.0, 2.0], [3.0, 5.0]])
    try:
        return eval(call, names | {"x": x, "m": m, "b": m[None]}).tolist()
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("call", [line.strip() for line in CALLS.strip().splitlines()])
def test_the_same_values_as_in_torch(call: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert outcome(minigrad, call) == outcome(torch, call)


WARNED = """
import importlib, warnings
for name in ("torch", "minigrad"):
    engine = importlib.import_module(name)
    x = engine.ones(2)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        CALL
        engine.add(x, 2, x)
    print(len(caught), caught[0].category.__name__, caught[0].filename, str(caught[0].message).partition(" (Triggered")[0])
    print("---")
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "call", ["x.add_(-0.1, x)", "engine.addcmul(x, 2, x, x)", "engine.addmv(2, x, engine.eye(2), x)"]
)
def test_one_warning_in_torch_s_words(call: str) -> None:
    found = subprocess.run(
        [sys.executable, "-c", WARNED.replace("CALL", call)], capture_output=True, text=True, check=True
    )
    of_torch, of_minigrad, _ = found.stdout.split("---\n")
    assert of_torch.startswith("1 UserWarning <string> ")
    assert of_minigrad == of_torch
