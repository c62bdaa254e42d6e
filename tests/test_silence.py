"""torch computes with infinities and nan in silence, and so does the engine: whatever a program has NumPy do about them."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from twin import difference, transcript

import minigrad as mg

pytestmark = pytest.mark.slow

PROGRAMS = sorted((Path(__file__).parent / "twin_programs").glob("*.txt"))


def said(program: str) -> list[str]:
    """What it prints but for warnings, some of which come once in a process."""
    return [line for line in transcript(mg, program) if "Warning: " not in line]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_for_which_numpy_raises_prints_the_same(path: Path) -> None:
    program = path.read_text(encoding="utf-8")
    with np.errstate(all="raise"):
        loud = said(program)
    assert loud == (quiet := said(program)), "\n".join(difference(quiet, loud))


def test_numpys_warnings_do_not_come_as_errors_and_what_is_written_is_counted() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = mg.tensor([0.0, 3e38], requires_grad=True)
        (x.log() * 3e38).sum().backward()
        x.grad += 3e38
        assert x.grad.tolist() == [np.inf, np.float32(3e38) + 1] and x.grad._version == 1
        y = mg.tensor([3e38])
        y += y
        y.mul_(0)
        assert np.isnan(y.item()) and y._version == 2 and (1 / mg.zeros(1)).item() == np.inf
        assert mg.tensor([1e5]).half().item() == np.inf and (mg.tensor([1.0]).half() * 1e5).item() == np.inf


def test_a_programs_own_setting_stays_as_it_was() -> None:
    with np.errstate(divide="raise"):
        mg.zeros(1, requires_grad=True).log().sum().backward()
        with pytest.raises(FloatingPointError):
            np.ones(1) / np.zeros(1)
