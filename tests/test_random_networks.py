"""Random networks, trained for three steps on torch and on minigrad from the same seed, are the same after every line.

Every statement is held against torch's as in random programs (programs.py): weights, buffers, gradients, outputs, graphs,
learning rates, names, warnings, errors. `--programs` and `--seed` lead further here, too.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from random import Random
from typing import Any

import pytest
import torch
from networks import BETWEEN, BY_DIMENSIONS, INPUTS, LOSSES, OPTIMIZERS, SCHEDULES
from programs import EndOfProgram, Pair

PROGRAMS_FOR_ONE = 20  # a network takes as long as so many random programs
STEPS = 3
LEARNS = ("T.nn.Linear", "T.nn.Conv", "T.nn.Sequential")


def network(shape: tuple[int, ...], random: Random) -> str:
    """The expression of a network for an input of this shape: most can read it, some cannot, and say why."""
    x, layers = torch.zeros(shape), []
    for _ in range(random.randint(1, 5)):
        layer = "T.nn." + random.choice(BY_DIMENSIONS[x.ndim])
        layers.append(layer.format(c=x.shape[1], f=x.shape[-1], o=random.randint(2, 4)))
        with contextlib.suppress(RuntimeError, ValueError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            x = eval(layers[-1], {"T": torch})(x)
    if not any(layer.startswith(LEARNS) for layer in layers):
        layers.append(f"T.nn.Linear({x.shape[-1]}, 3)")
    return f"T.nn.Sequential({', '.join(layers)})"


def statements(random: Random) -> list[str]:
    """A network, what it is trained on and how, and three steps."""
    shape = random.choice(INPUTS)
    dtype = (
        "T.float64"  # in float32, gradients that are 0 but for rounding, as of a bias before a norm, differ too much
    )
    step = (
        "globals().update({f'p{i}': t for i, t in enumerate((*net.parameters(), *net.buffers()))})",  # to be compared
        "y0 = net(x0)", f"z0 = T.nn.functional.{random.choice(LOSSES)}", "z0.backward()",
    )  # fmt: skip
    lines = [
        f"T.manual_seed({random.randrange(999)})", f"net = {network(shape, random)}; print(net)",
        "[layer.reset_parameters() for layer in net.modules() if hasattr(layer, 'reset_parameters')]", f"net.to({dtype})",
        f"x0 = T.randn({shape}, dtype={dtype}, requires_grad={random.random() < 0.3})", "y0 = net(x0)", "t0 = T.randn_like(y0)",
        f"optimizer = T.optim.{random.choice(OPTIMIZERS)}; print(optimizer)",
        f"schedule = T.optim.lr_scheduler.{random.choice(SCHEDULES)}",
    ]  # fmt: skip
    for _ in range(STEPS):
        lines += step
        lines += [random.choice(BETWEEN), "optimizer.step(); schedule.step(); print(schedule.get_last_lr())"]
        lines += ["optimizer.zero_grad()"]
    return [*lines, "print(list(net.state_dict()), optimizer.state_dict()['param_groups'])"]


NUDGES = 8
NUDGE = "x0.data.mul_(1 + {} * 2**-50 * T.linspace(-1, 1, x0.numel(), dtype=x0.dtype).view(x0.shape))"


def gradients(lines: list[str], nudge: int) -> list[torch.Tensor]:
    """What torch finds for a program whose input differs in its last digits."""
    names: dict[str, Any] = {"T": torch}
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for line in lines:
            with contextlib.suppress(RuntimeError, ValueError, IndexError):  # which some lines are about
                exec(line, names)
            if line.startswith("x0 = "):
                exec(NUDGE.format(nudge), names)
    return [p.grad for p in names["net"].parameters() if p.grad is not None]


def at_a_kink(lines: list[str]) -> bool:
    """Whether torch itself finds other gradients once the input differs in its last digits: a channel that dropout has emptied
    is 1e-17 or -1e-17 after a norm, and relu takes the one and not the other. What another rounding gives is no fault then."""
    first = gradients(lines, 0)
    return any(
        not torch.allclose(a, b, rtol=1e-6, atol=1e-9)
        for nudge in range(1, NUDGES)
        for a, b in zip(first, gradients(lines, nudge), strict=True)
    )


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_random_networks(request: pytest.FixtureRequest) -> None:
    count, seed = request.config.getoption("--programs") // PROGRAMS_FOR_ONE, request.config.getoption("--seed")
    for number in range(count):
        pair, lines = Pair(), statements(Random(f"{seed} {number}"))
        with contextlib.suppress(EndOfProgram):
            for ran, line in enumerate(lines, 1):
                if fault := pair.run(line):
                    assert at_a_kink(lines[:ran]), f"\n{pair.program()}\n\n{fault}"
                    break


def test_a_network_is_at_a_kink_or_is_not() -> None:
    emptied, full = "T.zeros(2, 1, 4, dtype=T.float64)", "T.arange(1.0, 9, dtype=T.float64).view(2, 1, 4) / 3"
    for first, kink in ((emptied, True), (full, False)):
        lines = [
            "T.manual_seed(1); net = T.nn.Sequential(T.nn.GroupNorm(1, 2), T.nn.ReLU(), T.nn.Linear(4, 3)).double()",
            f"x0 = T.cat(({first}, T.randn(2, 1, 4, dtype=T.float64)), 1)",
            "net(T.nn.functional.instance_norm(x0)).square().sum().backward()",
        ]
        assert at_a_kink(lines) is kink
