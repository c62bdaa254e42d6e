"""What torch warns of once in a process, minigrad warns of once: each call in a process of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest
from project_files import ROOT

CALLS = {
    "cross": "T.cross(a, a)",
    "meshgrid": "T.meshgrid(a, a)",
    "where": "T.where(T.ones(3, dtype=T.uint8), a, a)",
    "scatter": "a.scatter(0, T.tensor([0]), a, reduce='add')",
    "tensor": "T.tensor([(a[0] * T.ones((), requires_grad=True)), 2.0])",
    "from_numpy": "T.from_numpy(numpy.broadcast_to(numpy.ones(1), (3,)))",
}
PROGRAM = """
import warnings
import numpy
import {engine} as T
warnings.simplefilter("always")
with warnings.catch_warnings(record=True) as caught:
    a = T.ones(3)
    for call in {calls}:
        for _ in range(2):
            eval(call)
print(*[str(each.message).partition(" (Triggered")[0] for each in caught], sep="\\n")
"""


def said(engine: str) -> list[str]:
    program = PROGRAM.format(engine=engine, calls=list(CALLS.values()))
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_what_torch_says_once_is_said_once_in_the_same_words():
    theirs = said("torch")
    assert said("minigrad") == theirs and len(theirs) >= len(CALLS)
