"""Optimizers and schedules against torch, step for step from the same starting weights."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from twin import same

import minigrad
from autograder import parts

ENGINES = {"torch": torch, "minigrad": minigrad}
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(16, 3)).astype("float32"), RNG.normal(size=(16, 2)).astype("float32")

OPTIMIZERS = """
SGD(net.parameters(), lr=0.1)
SGD(net.parameters(), 0.1, 0.9)
SGD(net.parameters(), lr=0.1, weight_decay=0.1)
SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01)
SGD(net.parameters(), lr=0.1, momentum=0.9, dampening=0.5)
SGD(net.parameters(), lr=0.1, maximize=True)
SGD([{'params': net[0].parameters(), 'lr': 0.01}, {'params': net[2].parameters(), 'momentum': 0.5}], lr=0.1)
Adam(net.parameters(), lr=0.1)
Adam(net.parameters(), lr=0.1, weight_decay=0.1, betas=(0.8, 0.9), eps=1e-3)
Adam(net.parameters(), lr=0.1, amsgrad=True)
Adam([{'params': net[0].weight}, {'params': [net[2].bias], 'lr': 0.5}], maximize=True)
AdamW(net.parameters(), lr=0.1)
AdamW(net.parameters(), weight_decay=0.5)
RMSprop(net.parameters())
RMSprop(net.parameters(), lr=1e-3, maximize=True)
RMSprop(net.parameters(), lr=0.05, alpha=0.9, momentum=0.5, centered=True, weight_decay=0.1)
RMSprop([{'params': net[0].parameters(), 'lr': 0.02, 'eps': 1e-3}, {'params': net[2].parameters()}])
Adagrad(net.parameters(), lr=0.1, foreach=False, fused=False)
SGD(net.parameters(), 0.1, 0.5, foreach=True, fused=False)
AdamW(net.parameters(), 0.1, foreach=False, capturable=False, differentiable=False, fused=None)
Adagrad(net.parameters(), lr_decay=0.1, weight_decay=0.1, initial_accumulator_value=0.5, maximize=True)
Adadelta(net.parameters())
Adadelta(net.parameters(), 0.5, rho=0.8, eps=1e-3, weight_decay=0.1, maximize=True)
Adamax(net.parameters(), lr=0.1)
Adamax(net.parameters(), betas=(0.8, 0.9), eps=1e-3, weight_decay=0.1, foreach=False)
NAdam(net.parameters(), lr=0.1)
NAdam(net.parameters(), betas=(0.8, 0.9), weight_decay=0.1, momentum_decay=0.1, decoupled_weight_decay=True)
NAdam(net.parameters(), weight_decay=0.1, maximize=True)
Rprop(net.parameters())
Rprop(net.parameters(), 0.1, (0.4, 1.5), step_sizes=(1e-3, 0.2), maximize=True)
ASGD(net.parameters(), lr=0.1)
ASGD(net.parameters(), 0.05, lambd=0.1, alpha=0.5, t0=2, weight_decay=0.1)
RAdam(net.parameters(), lr=0.1)
RAdam(net.parameters(), lr=0.1, betas=(0.8, 0.9), eps=1e-3, weight_decay=0.1)
RAdam(net.parameters(), betas=(0.5, 0.5), weight_decay=0.1, decoupled_weight_decay=True, maximize=True)
""".strip().splitlines()
SCHEDULES = [
    "", "StepLR(opt, 3, 0.5)", "CosineAnnealingLR(opt, 5, 0.01)", "MultiStepLR(opt, [2, 5, 5], 0.5)",
    "ExponentialLR(opt, 0.9)",
    "LambdaLR(opt, lambda epoch: 1 / (1 + epoch))", "LinearLR(opt, 0.1, total_iters=4)",
    "OneCycleLR(opt, 0.02, 15, cycle_momentum=False)",
    "SequentialLR(opt, [S.LinearLR(opt, 0.1, total_iters=3), S.CosineAnnealingLR(opt, 5)], [3])",
    "ConstantLR(opt, 0.5, 4)", "ConstantLR(opt)", "PolynomialLR(opt, 6, 2.0)", "PolynomialLR(opt, 20)",
    "MultiplicativeLR(opt, lambda epoch: 0.9 if epoch % 2 else 1.05)",
    "CosineAnnealingWarmRestarts(opt, 3, 2, 0.01)", "CosineAnnealingWarmRestarts(opt, 4)",
    "CyclicLR(opt, 0.001, 0.02, 3, cycle_momentum=False)",
    "ChainedScheduler([S.ConstantLR(opt, 0.5, 4), S.ExponentialLR(opt, 0.9)])",
    "SequentialLR(opt, [S.ConstantLR(opt), S.ChainedScheduler([S.StepLR(opt, 2), S.PolynomialLR(opt)])], [20])",
    "SequentialLR(opt, [S.LinearLR(opt), S.CosineAnnealingWarmRestarts(opt, 3), S.PolynomialLR(opt)], [3, 8])",
    "SequentialLR(opt, [S.ExponentialLR(opt, 0.5), S.StepLR(opt, 2), S.MultiStepLR(opt, [1]), S.LinearLR(opt)], [2, 5, 8])",
]  # fmt: skip
# for optimizers that have a momentum, or betas
CYCLES = [
    "OneCycleLR(opt, 0.02, 15)",
    "OneCycleLR(opt, 0.02, 15, pct_start=0.25, three_phase=True)",
    "OneCycleLR(opt, 0.02, epochs=4, steps_per_epoch=4, anneal_strategy='linear', base_momentum=0.5, div_factor=5.0)",
    "CyclicLR(opt, 0.001, 0.02, 3)",
    "CyclicLR(opt, 0.001, 0.02, 2, 4, 'triangular2', base_momentum=0.7)",
    "CyclicLR(opt, 0.001, 0.02, 3, mode='exp_range', gamma=0.9)",
    "CyclicLR(opt, 0.001, 0.02, 3, scale_fn=lambda step: 0.5**step, scale_mode='iterations')",
]
OFTEN = {*OPTIMIZERS[6:8], OPTIMIZERS[1]}  # with groups, with betas, with a momentum: what schedules ask about
PAIRS = [
    pytest.param(o, s, marks=[] if o in OFTEN or s in SCHEDULES[:2] else pytest.mark.slow)  # all of them: a minute
    for o in OPTIMIZERS
    for s in SCHEDULES + CYCLES * (not o.startswith(("Adagrad", "Adadelta", "ASGD", "Rprop")))
]


def network(T: Any) -> Any:
    """The same network with the same weights on both engines."""
    T.manual_seed(1)
    return T.nn.Sequential(T.nn.Linear(3, 5), T.nn.Tanh(), T.nn.Linear(5, 2))


def step(T: Any, net: Any, opt: Any) -> None:
    opt.zero_grad()
    T.nn.functional.mse_loss(net(T.tensor(X)), T.tensor(Y)).backward()
    opt.step()


def made(T: Any, optimizer: str, net: Any) -> Any:
    return eval("T.optim." + optimizer, {"T": T, "net": net})


def weights(net: Any) -> list[np.ndarray]:
    return [p.detach().numpy().copy() for p in net.parameters()]


def trained(engine: str, optimizer: str, schedule: str, steps: int = 12) -> tuple[Any, list[Any], list[Any]]:
    """The optimizer, the weights after every step, the learning rates after every step."""
    T = ENGINES[engine]
    net = network(T)
    opt = made(T, optimizer, net)
    plan = eval("S." + schedule, {"S": T.optim.lr_scheduler, "opt": opt}) if schedule else None
    path, rates = [], []
    for _ in range(steps):
        step(T, net, opt)
        if plan is not None:
            plan.step()
            rates.append(plan.get_last_lr())
        path.append(weights(net))
    return opt, path, rates


def close(got: Any, expected: Any) -> None:
    np.testing.assert_allclose(got, expected, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize(("optimizer", "schedule"), PAIRS)
def test_every_step_is_torchs(optimizer: str, schedule: str) -> None:
    opt, path, rates = trained("minigrad", optimizer, schedule)
    other, expected, expected_rates = trained("torch", optimizer, schedule)
    for ours, theirs in zip(path, expected, strict=True):
        for a, b in zip(ours, theirs, strict=True):
            close(a, b)
    assert rates == expected_rates
    assert repr(opt) == repr(other)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_state_goes_over_from_torch(optimizer: str) -> None:
    """Six steps on torch, the state handed over, six more here: as twelve on torch."""
    theirs, ours = network(torch), network(minigrad)
    other, opt = made(torch, optimizer, theirs), made(minigrad, optimizer, ours)
    for _ in range(6):
        step(torch, theirs, other)
    ours.load_state_dict(theirs.state_dict())
    opt.load_state_dict(copy.deepcopy(other.state_dict()))
    assert opt.state_dict()["param_groups"] == other.state_dict()["param_groups"]
    assert opt.state_dict()["state"].keys() == other.state_dict()["state"].keys()
    for _ in range(6):
        step(torch, theirs, other)
        step(minigrad, ours, opt)
    for a, b in zip(weights(ours), weights(theirs), strict=True):
        close(a, b)


@pytest.mark.parametrize(
    "settings",
    ["patience=1", "patience=0, factor=0.5, cooldown=2, min_lr=[0.02]", "mode='max', threshold_mode='abs', patience=0",
     "patience=0, threshold=0.3", "mode='max', patience=1, threshold=0.3", "threshold_mode='abs', patience=1, threshold=0.3"],
)  # fmt: skip
def test_rates_go_down_on_the_same_plateaus(settings: str) -> None:
    rates = {}
    for engine, T in ENGINES.items():
        opt = T.optim.SGD([T.nn.Parameter(T.ones(2))], lr=0.1)
        plan = eval(f"S.ReduceLROnPlateau(opt, {settings})", {"S": T.optim.lr_scheduler, "opt": opt})
        rates[engine] = []
        for loss in (1.0, 1.0, 0.9, 0.85, 0.85, 0.9, 0.9, T.tensor(0.2), 0.2, 0.19, 0.19, -1.0, -1.0, -1.1, -1.2, -1.2):
            plan.step(loss)
            rates[engine].append((plan.get_last_lr(), plan.num_bad_epochs))
    assert rates["minigrad"] == rates["torch"]


@pytest.mark.parametrize("least", ["0.01", "[0.01]"])
def test_a_plateau_lowers_the_rates_of_groups_added_later(least: str) -> None:
    same(f"""
        p, q = (T.nn.Parameter(T.ones(2)) for _ in range(2))
        opt = T.optim.SGD([p], lr=0.1)
        plan = T.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=0, cooldown=1, min_lr={least})
        opt.add_param_group({{"params": q, "lr": 1.0}})
        for _ in range(6):
            plan.step(1.0)
            print(plan.in_cooldown, plan.get_last_lr())
    """)


def test_a_schedule_goes_on_from_its_state() -> None:
    """Half of the way, the state into a new one, the other half: as torch without a break."""
    plan = "SequentialLR(opt, [S.LambdaLR(opt, lambda e: 0.9**e), S.LinearLR(opt), S.StepLR(opt, 2)], [2, 6])"
    expected = trained("torch", "Adam(net.parameters(), lr=0.1)", plan)[2]
    opt = minigrad.optim.Adam(network(minigrad).parameters(), lr=0.1)
    rates, names = [], {"S": minigrad.optim.lr_scheduler, "opt": opt}
    first, second = eval("S." + plan, names), eval("S." + plan, names)
    for i in range(12):
        current = first if i < 6 else second
        if i == 6:
            second.load_state_dict(copy.deepcopy(first.state_dict()))
            opt.param_groups[0]["lr"] = first.get_last_lr()[0]
        opt.step()
        current.step()
        rates.append(current.get_last_lr())
    assert rates == expected


def test_what_builds_on_sgd_has_all_its_settings() -> None:
    """A subclass with a step of its own keeps it, also with groups; super().step() knows momentum; so does loading it."""
    path: dict[str, list[Any]] = {}
    for engine, T in ENGINES.items():

        class Counting(T.optim.SGD):  # type: ignore[misc, name-defined]
            calls = 0

            def step(self, closure: Any = None) -> Any:
                self.calls += 1
                return super().step(closure)

        net = network(T)
        opt = Counting(
            [{"params": net[0].parameters()}, {"params": net[2].parameters(), "lr": 0.01}], lr=0.1, momentum=0.9
        )
        loaded = T.optim.SGD(net.parameters(), lr=0.1)
        kept = T.optim.SGD(network(T).parameters(), lr=0.2, momentum=0.5).state_dict()
        loaded.load_state_dict(kept)
        for _ in range(3):
            step(T, net, opt)
            step(T, net, loaded)
        assert opt.calls == 3
        path[engine] = weights(net)
    for ours, theirs in zip(path["minigrad"], path["torch"], strict=True):
        close(ours, theirs)


def test_the_part_is_what_runs_where_nothing_but_a_rate_is_asked_for() -> None:
    """The part of lesson 10, also where the optimizer and its schedule were made before it was plugged in."""
    calls = []
    net = network(minigrad)
    opt = minigrad.optim.SGD(net.parameters(), lr=0.1)
    minigrad.optim.lr_scheduler.StepLR(opt, 1)
    before = net[0].weight.clone()
    with parts.plugged_in({"minigrad.optim.SGD.step": lambda self: calls.append((len(self.params), self.lr))}):
        step(minigrad, net, opt)
        assert opt.step(lambda: 7) == 7
        assert (net[0].weight == before).all()
        opt.param_groups[0]["momentum"] = 0.5
        step(minigrad, net, opt)
        assert (net[0].weight != before).any()
    assert calls == [(4, 0.1), (4, 0.1)]


def test_closure_and_zero_grad() -> None:
    p = minigrad.nn.Parameter(minigrad.ones(2))
    opt = minigrad.optim.Adam([p])

    def closure() -> Any:
        opt.zero_grad(set_to_none=False)
        loss = (p * p).sum()
        loss.backward()
        return loss

    assert opt.step(closure).item() == 2.0
    held = p.grad
    opt.zero_grad(set_to_none=False)
    assert p.grad is held and p.grad.tolist() == [0.0, 0.0]
    opt.zero_grad()
    assert p.grad is None and p.is_leaf


P = "T.nn.Parameter(T.ones(2))"
WRONG = [
    "T.optim.SGD([])", "T.optim.SGD(T.ones(2))",
    "T.optim.SGD([3])", f"T.optim.SGD([{P} * 2])", f"T.optim.SGD([{P}], lr=-1)",
    f"T.optim.SGD([{P}], lr=1, momentum=-1)", f"T.optim.SGD([{P}], weight_decay=-1)", f"T.optim.SGD([{P}], nesterov=True)",
    f"T.optim.Adam([{P}], betas=(1, 2))", f"T.optim.Adam([{P}], betas=(0.9, 1))", f"T.optim.Adam([{P}], eps=-1)",
    "T.optim.SGD([{'params': [p]}, {'params': [p]}])", "T.optim.SGD([p, p])", "T.optim.SGD([{'lr': 1}])",
    "T.optim.Adam([p]).load_state_dict({'state': {}, 'param_groups': []})", "T.optim.lr_scheduler.StepLR(3, 1)",
    "T.optim.lr_scheduler.StepLR(T.optim.Adam([p]), 1).step()", "T.optim.RMSprop([p], alpha=-1)",
    "T.optim.SGD([p], bogus=1)", "T.optim.Adam([p], bogus=1)",
    "T.optim.RMSprop([p], fused=True)",
    "T.optim.RMSprop([p], momentum=-1)", "T.optim.Adagrad([p], lr_decay=-1)",
    "T.optim.Adagrad([p], initial_accumulator_value=-1)",
    "S.LinearLR(T.optim.Adam([p]), 0)", "S.LinearLR(T.optim.Adam([p]), end_factor=2)",
    "S.LambdaLR(T.optim.Adam([p]), [abs, abs])",
    "S.SequentialLR(T.optim.Adam([p]), [], [])", "S.SequentialLR(opt, [S.StepLR(opt, 1)], [1])",
    "S.SequentialLR(opt, [S.StepLR(T.optim.Adam([p]), 1)], [])", "S.SequentialLR(opt, [S.ReduceLROnPlateau(opt)], [])",
    "S.ReduceLROnPlateau(opt, factor=1.0)", "S.ReduceLROnPlateau(opt, 'least')",
    "S.ReduceLROnPlateau(opt, min_lr=[0, 0])",
    "S.ReduceLROnPlateau(opt, threshold_mode='x')", "S.OneCycleLR(opt, 0.1)", "S.OneCycleLR(opt, 0.1, 0)",
    "S.OneCycleLR(opt, 0.1, 5, pct_start=2)", "S.OneCycleLR(opt, 0.1, 5, anneal_strategy='x')",
    "T.optim.Adadelta([p], rho=2)", "T.optim.Adadelta([p], -1)", "T.optim.Adamax([p], betas=(0, 1))",
    "T.optim.NAdam([p], momentum_decay=-1)", "T.optim.RAdam([p], eps=-1)", "T.optim.RAdam([p], weight_decay=-1)",
    "T.optim.Rprop([p], etas=(0.5, 0.9))", "T.optim.Rprop([p], lr=-1)", "T.optim.Rprop([p], fused=True)",
    "T.optim.ASGD([p], weight_decay=-1)", "T.optim.ASGD([p], lr=-1)", "T.optim.ASGD([p], fused=True)",
    "T.optim.Adadelta([p], fused=True)", "T.optim.LBFGS([p], lr=-1)", "T.optim.LBFGS([p]).step()",
    "T.optim.LBFGS([{'params': [p]}, {'params': [T.ones(1)]}])",
    "T.optim.LBFGS([p], line_search_fn='x').step(lambda: ((p**2).sum().backward(), 2.0)[1])",
    "S.OneCycleLR(T.optim.Adagrad([p]), 0.1, 5)", "S.ConstantLR(opt, 2)", "S.MultiplicativeLR(opt, [abs, abs])",
    "S.MultiplicativeLR(opt, 0.9)", "S.PolynomialLR(opt, 0).step()",
    "S.CosineAnnealingWarmRestarts(opt, 0)", "S.CosineAnnealingWarmRestarts(opt, 2.5)",
    "S.CosineAnnealingWarmRestarts(opt, 2, 0)", "S.CosineAnnealingWarmRestarts(opt, 2, eta_min='low')",
    "S.CosineAnnealingWarmRestarts(opt, 2).step(-1)", "S.CyclicLR(opt, 0.1, 0.2, mode='round')", "S.CyclicLR(3, 0.1, 0.2)",
    "S.CyclicLR(opt, [0.1, 0.1], 0.2)", "S.CyclicLR(opt, 0.1, 0.2, base_momentum=[0.1, 0.2])",
    "S.CyclicLR(T.optim.Adagrad([p]), 0.1, 0.2)", "S.ChainedScheduler([])", "S.ChainedScheduler([opt])",
    "S.ChainedScheduler([S.StepLR(opt, 1), S.StepLR(T.optim.Adam([p]), 1)])", "S.SequentialLR(opt, [opt], [])",
    "S.ChainedScheduler([S.StepLR(opt, 1), S.ReduceLROnPlateau(opt)])",
]  # fmt: skip


def outcome(engine: str, program: Callable[[], Any] | str) -> str:
    T = ENGINES[engine]
    try:
        p = T.nn.Parameter(T.ones(2))
        eval(program, {"T": T, "S": T.optim.lr_scheduler, "p": p, "opt": T.optim.SGD([p], lr=0.1)})
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0].split('. ')[0]}"
    return "no error"


@pytest.mark.parametrize("program", WRONG)
def test_wrong_arguments_get_torchs_words(program: str) -> None:
    expected = outcome("torch", program)
    assert expected != "no error"  # a warning is an error here
    assert outcome("minigrad", program) == expected


RECORDED = [
    "SGD(weights, 0.1)", "SGD(weights, 0.1, momentum=0.9)", "SGD(weights, 0.1, momentum=0.9, nesterov=True, weight_decay=0.1)",
    "SGD(weights, 0.1, maximize=True)", "Adam(weights, 0.1)", "Adam(weights, 0.1, weight_decay=0.1)", "AdamW(weights, 0.1)",
    "RMSprop(weights, 0.1)", "Adagrad(weights, 0.1)", "Adadelta(weights, 0.1)", "NAdam(weights, 0.1)", "RAdam(weights, 0.1)",
]  # fmt: skip


@pytest.mark.parametrize("optimizer", RECORDED)
def test_steps_are_recorded_where_they_are_to_be(optimizer: str) -> None:
    """What comes of three steps, differentiated for the weights before them."""
    found = {}
    for engine in (torch, minigrad):
        start = engine.tensor([1.0, -2.0, 3.0], dtype=engine.float64, requires_grad=True)
        weights = [start.clone()]
        made = eval(f"engine.optim.{optimizer[:-1]}, differentiable=True)", {"engine": engine, "weights": weights})
        for _ in range(3):
            loss = (weights[0] * engine.arange(1.0, 4.0, dtype=engine.float64)).sum() ** 2 * 0.1
            (weights[0].grad,) = engine.autograd.grad(loss, weights, create_graph=True)
            made.step()
        (grad,) = engine.autograd.grad((weights[0] ** 2).sum(), start)
        found[engine] = np.stack([weights[0].detach().numpy(), grad.numpy()])
    # of a recorded step torch's Adam and its kin compute the corrections in float32, the step's number being a tensor
    np.testing.assert_allclose(found[minigrad], found[torch], rtol=1e-5 if "Adam" in optimizer else 1e-9)


# Losses for LBFGS, in float64: its steps build on each other, and single precision drifts apart within a few.
VALLEY = ("(1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2", [-1.5, 2.0])
BOWL = ("(p**2 * T.tensor([1.0, 2, 3, 4], dtype=T.float64)).sum() - p.sum()", [1.0, -2, 3, 0.5])
WAVES = ("(3 * p.sin() * p.cos() + p**2 / 10).sum()", [2.0, -3, 1, 4])
SEARCHES = [
    "lr=0.1", "lr=1e-3", "line_search_fn='strong_wolfe'", "lr=0.5, history_size=2, max_iter=4",
    "line_search_fn='strong_wolfe', history_size=2, max_iter=5", "line_search_fn='strong_wolfe', max_eval=7",
    "line_search_fn='strong_wolfe', lr=10, max_iter=12",
    "line_search_fn='strong_wolfe', tolerance_grad=0.1", "lr=0.1, tolerance_change=1e-2",
]  # fmt: skip


class Descent:
    """LBFGS on one engine, step by step; `seen`: the loss that step() returned, where it is, how often it was computed."""

    def __init__(self, engine: str, loss: str, start: list[float], settings: str) -> None:
        self.T, self.loss, self.calls = ENGINES[engine], loss, 0
        self.p = self.T.tensor(start, dtype=self.T.float64, requires_grad=True)
        self.opt = eval(f"T.optim.LBFGS([p], {settings})", {"T": self.T, "p": self.p})

    def closure(self) -> Any:
        self.opt.zero_grad()
        loss = eval(self.loss, {"T": self.T, "p": self.p})
        loss.backward()
        self.calls += 1
        return loss

    def seen(self, steps: int) -> list[Any]:
        return [[self.opt.step(self.closure).item(), *self.p.tolist(), self.calls] for _ in range(steps)]


@pytest.mark.slow
@pytest.mark.parametrize(("loss", "start"), [VALLEY, BOWL, WAVES], ids=["valley", "bowl", "waves"])
@pytest.mark.parametrize("settings", SEARCHES)
def test_lbfgs_goes_torchs_way(loss: str, start: list[float], settings: str) -> None:
    ours, theirs = (Descent(engine, loss, start, settings) for engine in ("minigrad", "torch"))
    np.testing.assert_allclose(ours.seen(3), theirs.seen(3), rtol=1e-8, atol=1e-10)
    assert repr(ours.opt) == repr(theirs.opt)
    ours.opt.load_state_dict(copy.deepcopy(theirs.opt.state_dict()))  # and goes on with what torch remembers
    np.testing.assert_allclose(ours.seen(2), theirs.seen(2), rtol=1e-8, atol=1e-10)
