"""The fixture with which tests run on every device that is there: the strict stand-in for a GPU, and a GPU."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator

import pytest

from autograder import standin
from minigrad import backend

REAL_GPU = backend.cupy() is not None
DEVICES = ["stand-in", "gpu"] if REAL_GPU else ["stand-in"]


@pytest.fixture(params=DEVICES)
def gpu(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """`cuda` means this device while the test runs."""
    if request.param == "stand-in":
        module = standin.module()
        monkeypatch.setattr(backend, "cupy", lambda: module)
        special = standin.Module("special", pytest.importorskip("scipy.special"))
        scipy = types.SimpleNamespace(special=special)
        for name, found in (("cupyx", types.SimpleNamespace(scipy=scipy)), ("cupyx.scipy", scipy)):
            monkeypatch.setitem(sys.modules, name, found)  # type: ignore[arg-type]
    before = set(backend.in_use)
    yield request.param
    if request.param == "stand-in":  # later tests are not to look for a device that is gone
        backend.in_use.intersection_update(before)
