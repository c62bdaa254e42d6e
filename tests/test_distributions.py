"""Distributions beside torch's: what is drawn, every formula with its gradients, and that no name was forgotten.

What they print and refuse stands in twin_programs/distributions.txt.
"""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from project_files import ROOT
from torch_tables import difference, gradients

import minigrad
import minigrad.distributions as ours

ENGINES = torch, minigrad
RNG = np.random.default_rng(0)
LOC, SCALE, ODDS = RNG.standard_normal((2, 3, 40)), RNG.uniform(0.1, 2, (3, 1)), RNG.standard_normal((5, 1))
WEIGHTS = RNG.uniform(size=(2, 3, 7))
# By name: the distribution of these parameters, on an engine D that makes them tensors of a dtype.
MADE = {
    "Normal": lambda D, t: D.Normal(t(LOC), t(SCALE)),
    "Normal of numbers": lambda D, t: D.Normal(0.5, t(SCALE)),
    "Uniform": lambda D, t: D.Uniform(t(LOC), t(LOC) + t(SCALE)),
    "Bernoulli by probs": lambda D, t: D.Bernoulli(t(SCALE) / 2),
    "Bernoulli by logits": lambda D, t: D.Bernoulli(logits=t(ODDS)),
    "Categorical by probs": lambda D, t: D.Categorical(t(WEIGHTS)),
    "Categorical by logits": lambda D, t: D.Categorical(logits=t(WEIGHTS)),
    "Independent Normal": lambda D, t: D.Independent(D.Normal(t(LOC), t(SCALE)), 1),
    "Independent Bernoulli": lambda D, t: D.Independent(D.Bernoulli(logits=t(ODDS)), 2),
}
ASKED = ("entropy", "perplexity", "log_prob", "cdf", "icdf", "mean", "mode", "stddev", "variance", "rsample")
NUMBERS = {"mean", "mode", "stddev", "variance"}
SHAPES = (), (1,), (3,), (4, 2)


class Case:
    """One distribution on one engine, and its parameters."""

    def __init__(self, engine: Any, name: str, dtype: str) -> None:
        self.engine, self.leaves = engine, []
        self.dtype = getattr(engine, dtype)
        self.made = MADE[name](engine.distributions, self.leaf)

    def leaf(self, values: Any) -> Any:
        self.leaves.append(self.engine.tensor(values.tolist(), dtype=self.dtype, requires_grad=True))
        return self.leaves[-1]

    def answer(self, asked: str) -> Any:
        """What it says, asked for one of its numbers or functions; of an error the class."""
        self.engine.manual_seed(3)
        value = [self.made.sample((2,))] if asked in ("log_prob", "cdf") else []
        if asked == "icdf":
            value = [self.engine.full(self.made.batch_shape, 0.7, dtype=self.dtype)]
        try:
            found = getattr(self.made, asked)
            return found if asked in NUMBERS else found(*value)
        except NotImplementedError as error:
            return type(error).__name__


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", MADE)
def test_what_it_says_is_what_torchs_says_and_so_are_the_gradients(name: str, dtype: str) -> None:
    for asked in ASKED:
        theirs, mine = (Case(engine, name, dtype) for engine in ENGINES)
        one, other = theirs.answer(asked), mine.answer(asked)
        assert difference(one, other) == "", asked
        if getattr(one, "requires_grad", False):
            wanted, got = (gradients(case.engine, each, case.leaves) for case, each in ((theirs, one), (mine, other)))
            assert [g is None for g in wanted] == [g is None for g in got], asked
            for a, b in zip(wanted, got, strict=True):
                assert a is None or difference(a, b) == "", asked


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", MADE)
def test_what_is_drawn_is_the_same_and_so_is_what_comes_next(name: str, dtype: str) -> None:
    """To the last bit, but for normal numbers, whose last bits are the processor's."""
    for shape in SHAPES:
        drawn = []
        for engine in ENGINES:
            made = Case(engine, name, dtype).made
            engine.manual_seed(7)
            drawn.append((made.sample(shape).numpy(), engine.rand(2).numpy()))
        (one, after), (other, then) = drawn
        assert one.dtype == other.dtype and one.shape == other.shape
        few = 4 * np.finfo(dtype).eps if "Normal" in name else 0
        np.testing.assert_allclose(one, other, rtol=few, atol=few)
        assert np.array_equal(after, then), shape


@pytest.mark.parametrize("home", ["", ".kl", ".constraints", ".utils"])
def test_every_name_of_theirs_is_there_or_known_to_be_torchs_alone(home: str) -> None:
    from minigrad.torch_only import TORCH_ONLY

    theirs, mine = (sys.modules[f"{engine.__name__}.distributions{home}"] for engine in ENGINES)
    known = TORCH_ONLY.get(f"distributions{home}", "").split()
    assert [n for n in theirs.__all__ if not hasattr(mine, n) and n not in known] == []
    assert [n for n in theirs.__all__ if hasattr(mine, n) and n in known] == []
    assert set(mine.__all__) <= {*vars(theirs)}


@pytest.mark.parametrize("name", [name for name in ours.__all__ if inspect.isclass(getattr(ours, name))])
def test_every_method_of_theirs_is_there(name: str) -> None:
    theirs, mine = ({n for n in dir(getattr(engine.distributions, name)) if n[0] != "_"} for engine in ENGINES)
    assert mine == theirs


PROGRAM = """
from torch.distributions import Normal, kl_divergence
from torch.distributions.normal import Normal as inner
from torch.distributions.categorical import Categorical
from torch.distributions.independent import Independent
from torch.distributions.kl import register_kl
import torch.distributions as D, torch.distributions.constraints as constraints
print(Normal is inner, Categorical is D.Categorical, Independent(Normal(0.0, 1.0), 0), constraints.positive)
"""


@pytest.mark.slow
def test_programs_find_them_by_torchs_names_and_are_told_what_is_torchs_alone(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"{PROGRAM}from torch.distributions import Beta\n", encoding="utf-8")
    command = [sys.executable, "-m", "minigrad", str(program)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert found.stdout == "True True Independent(Normal(loc: 0.0, scale: 1.0), 0) GreaterThan(lower_bound=0.0)\n"
    assert "cannot import name 'Beta'" in found.stderr and "torch has it, minigrad does not" in found.stderr


def test_names_that_are_wrong_are_told() -> None:
    with pytest.raises(AttributeError, match=r"Did you mean: 'Normal'\?"):
        ours.Nornal
    with pytest.raises(AttributeError, match="torch has it, minigrad does not"):
        ours.MultivariateNormal
