"""Random networks, trained for three steps on torch and on minigrad from the same seed, are the same after every line.

Every statement is held against torch's as in random programs (programs.py): weights, buffers, gradients, outputs, graphs,
learning rates, names, warnings, errors. `--programs` and `--seed` lead further here, too.
"""

from __future__ import annotations

import contextlib
import warnings
from random import Random

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


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_random_networks(request: pytest.FixtureRequest) -> None:
    count, seed = request.config.getoption("--programs") // PROGRAMS_FOR_ONE, request.config.getoption("--seed")
    for number in range(count):
        pair = Pair()
        with contextlib.suppress(EndOfProgram):
            for line in statements(Random(f"{seed} {number}")):
                fault = pair.run(line)
                assert fault is None, f"\n{pair.program()}\n\n{fault}"
