"""torch's own table of optimizers gives on minigrad what it gives on torch.

torch tests its optimizers on optim_db: what each is constructed with, the schedules that go with it, and what it must
refuse. Here every optimizer that minigrad has, too, takes steps with all that on both engines: where the parameters go,
what is remembered, printed and warned of, how one engine goes on with what the other remembers, and refusals.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy
import pytest
import torch
from torch_tables import difference, for_minigrad, heard, ours, told

import minigrad

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_optimizers import OptimizerErrorEnum, optim_db

INFOS = {info.name: info for info in optim_db if info.name in minigrad.optim.__all__}
# Settings that torch's own tests try with every row of the table
FLAGS: list[dict[str, Any]] = [
    {}, {"maximize": True}, {"foreach": True}, {"foreach": False}, {"capturable": True}, {"capturable": False},
    {"fused": True}, {"fused": False}, {"differentiable": False}, {"foreach": True, "fused": True},
    {"fused": True, "differentiable": True}, {"lr": torch.tensor(0.01)}, {"lr": torch.tensor([0.01])},
    {"lr": torch.tensor(0.01), "fused": True}, {"betas": (0.9, 0)},
]  # fmt: skip
# and those that only Adam and AdamW know of
ADAMS_FLAGS: list[dict[str, Any]] = [
    {"lr": torch.tensor(0.01), "foreach": True}, {"betas": (torch.tensor(0.9), torch.tensor(0.99))},
    {"betas": (torch.tensor([0.9]), torch.tensor([0.99]))}, {"betas": (torch.tensor([0.9, 0.8]), torch.tensor(0.99))},
]  # fmt: skip
SHAPES = [(3, 5), (5,), (2, 2, 3), ()]


class Way(NamedTuple):
    """How an optimizer is used: how its parameters are given, with which schedules, for how many steps."""

    given: Callable[[list[Any]], Any] = list
    plans: tuple[Callable[[Any], Any], ...] = ()
    steps: int = 5
    closure: bool = False
    untouched: int | None = None  # a parameter that gets no gradient in the first two steps


WAYS = {
    "groups": Way(lambda p: [{"params": p[:2], "lr": 0.005}, {"params": p[2:], "weight_decay": 0.3}]),
    "a group that is a tensor, one that is an iterator": Way(lambda p: [{"params": p[0]}, {"params": iter(p[1:])}]),
    "names": Way(lambda p: [(f"p{i}", each) for i, each in enumerate(p)]),
    "a closure": Way(closure=True),
    "no gradient at first": Way(untouched=1),
}


class Run:
    """An optimizer at work on one engine. `seen`: the loss and the parameters after every step, and the rates."""

    def __init__(self, engine: Any, name: str, settings: dict[str, Any], way: Way, begin: Any = None) -> None:
        rng = numpy.random.default_rng(0)
        goals, drawn = ([rng.standard_normal(shape) for shape in SHAPES] for _ in range(2))
        self.way, self.seen, self.count = way, list[Any](), 0
        self.params = [engine.nn.Parameter(engine.tensor(each)) for each in begin or drawn]
        self.goals = list(map(engine.tensor, goals))
        self.opt = getattr(engine.optim, name)(way.given(self.params), **settings)
        self.plans = [plan(self.opt) if engine is torch else for_minigrad(plan)(self.opt) for plan in way.plans]

    def loss(self) -> Any:
        """The closure: a loss with its minimum at the goals, and its gradients."""
        self.opt.zero_grad()
        loss = sum(((p - goal) ** 4).sum() for p, goal in zip(self.params, self.goals, strict=True))
        loss.backward()
        if self.way.untouched is not None and self.count < 2:
            self.params[self.way.untouched].grad = None
        return loss

    def go(self, steps: int) -> Run:
        """So many steps."""
        for _ in range(steps):
            loss = self.opt.step(self.loss) if self.way.closure else (self.loss(), self.opt.step())[1]
            self.count += 1
            for plan in self.plans:
                plan.step(1.0) if type(plan).__name__ == "ReduceLROnPlateau" else plan.step()
            self.seen.append(
                [loss, [p.detach().clone() for p in self.params], [plan.get_last_lr() for plan in self.plans]]
            )
        return self

    def values(self) -> list[Any]:
        return [p.detach().numpy().copy() for p in self.params]

    def remembered(self) -> list[Any]:
        """All that is kept, and how it prints."""
        return [self.opt.state_dict(), self.opt.defaults, [plan.state_dict() for plan in self.plans], repr(self.opt)]


def run(engine: Any, name: str, settings: dict[str, Any], way: Way, state: Any = None, begin: Any = None) -> Any:
    """A run that is through, or the words of an error; and what was warned of. state: where another one was, to go on from."""

    def all_of_it() -> Run:
        made = Run(engine, name, settings, way, begin)
        if state is not None:
            made.opt.load_state_dict(state)
        return made.go(way.steps)

    return heard(all_of_it, (), {})


def unlike_runs(name: str, settings: dict[str, Any], way: Way) -> str:
    """How both engines differ in a run, and in one that begins on one of them and goes on on the other."""
    given = {torch: copy.deepcopy(settings), minigrad: ours(copy.deepcopy(settings), {})}
    (theirs, said), (mine, also) = (run(engine, name, kwargs, way) for engine, kwargs in given.items())
    if said != also:
        return f"torch warns: {said}\nminigrad: {also}"
    if isinstance(theirs, str) or isinstance(mine, str):
        return difference(theirs, mine)
    for one, other in ((theirs.seen, mine.seen), (theirs.remembered(), mine.remembered())):
        if bad := unlike(one, other):
            return bad
    if way.plans:
        return ""
    for begun, engine in ((theirs, minigrad), (mine, torch)):
        state, begin = copy.deepcopy(begun.opt.state_dict()), begun.values()
        begun.go(3)
        state = state if engine is minigrad else for_torch(state)  # minigrad takes torch's state as it is
        more, _ = run(engine, name, given[engine], way._replace(steps=3, untouched=None), state, begin)
        wanted, found = ([each[1] for each in r.seen[-3:]] if isinstance(r, Run) else r for r in (begun, more))
        if bad := unlike(*((wanted, found) if engine is minigrad else (found, wanted))):
            return f"goes on on {engine.__name__}: {bad}"
    return ""


def for_torch(value: Any) -> Any:
    """A state with torch's tensors."""
    if isinstance(value, minigrad.Tensor):
        return torch.tensor(value.numpy())
    if isinstance(value, list | tuple):
        return type(value)(map(for_torch, value))
    return {key: for_torch(each) for key, each in value.items()} if isinstance(value, dict) else value


def unlike(theirs: Any, mine: Any, path: str = "") -> str:
    """Where and how two values differ, with all that is in them."""
    if isinstance(theirs, dict) and isinstance(mine, dict):
        if set(theirs) != set(mine):
            return f"{path}: torch has {list(theirs)}\nminigrad has {list(mine)}"
        pairs = [(key, theirs[key], mine[key]) for key in theirs]
    elif isinstance(theirs, list | tuple) and type(theirs) is type(mine) and len(theirs) == len(mine):
        pairs = list(zip(range(len(theirs)), theirs, mine, strict=True))
    elif isinstance(theirs, float) and isinstance(mine, float):
        return "" if numpy.isclose(theirs, mine, rtol=1e-9, atol=0) else f"{path}: torch: {theirs}\nminigrad: {mine}"
    else:
        bad = difference(theirs, mine)
        return f"{path}: {bad}" if bad else ""
    return next((bad for key, a, b in pairs if (bad := unlike(a, b, f"{path}[{key!r}]"))), "")


def rows(info: Any) -> Iterator[tuple[str, dict[str, Any], Way]]:
    """What the table has for one optimizer, with the flags and ways that go with it."""
    closure = info.step_requires_closure
    fewer = {"max_iter": 3} if closure else {}  # LBFGS goes 20 steps in one
    table = info.optim_inputs_func(device="cpu")
    all_flags = FLAGS + (ADAMS_FLAGS if issubclass(info.optim_cls, torch.optim.Adam) else [])
    for each in table:
        settings = fewer | each.kwargs
        for flags in all_flags if each is table[0] else [{}]:
            yield f"{each.desc} {shown(flags)}", settings | flags, Way(closure=closure)
        for text, way in WAYS.items():
            yield f"{each.desc}, {text}", settings, way._replace(closure=closure or way.closure)
        for number, plans in enumerate(info.scheduler_inputs):
            yield f"{each.desc}, schedules {number}", settings, Way(plans=tuple(plans), steps=11, closure=closure)


def shown(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name}={told(value)}" for name, value in settings.items())


@pytest.mark.slow
@pytest.mark.parametrize("name", INFOS)
def test_an_optimizer_of_torchs_table_goes_the_way_it_goes_in_torch(name: str) -> None:
    found = [f"{text}\n{bad}" for text, *row in rows(INFOS[name]) if (bad := unlike_runs(name, *row))]
    assert not found, "\n\n".join(found)


@pytest.mark.parametrize("name", INFOS)
def test_an_optimizer_refuses_what_torchs_table_has_it_refuse(name: str) -> None:
    found = []
    for each in INFOS[name].optim_error_inputs_func("cpu", torch.float64):
        given, at_step = each.optimizer_error_input, each.error_on is OptimizerErrorEnum.STEP_ERROR
        known: dict[int, Any] = {}
        both = (torch, given.params, given.kwargs), (minigrad, ours(given.params, known), ours(given.kwargs, known))
        theirs, mine = (heard(refused, (name, at_step, *arguments), {}) for arguments in both)
        if theirs != mine or theirs == ("made", []):
            found.append(f"{given.desc} {shown(given.kwargs)}\ntorch: {theirs}\nminigrad: {mine}")
    assert not found, "\n\n".join(found)


def refused(name: str, at_step: bool, engine: Any, params: Any, kwargs: dict[str, Any]) -> str:
    """'made', unless making the optimizer, or a step of it, is an error."""
    params = [engine.nn.Parameter(engine.ones(1, 1))] if params is None else params
    opt = getattr(engine.optim, name)(params, **kwargs)
    if at_step:
        opt.step()
    return "made"


# torch's tests try `differentiable`, too, and settings that want a gradient
LEARNT = [
    "SGD(weights, lr=s)", "SGD(weights, lr=s, weight_decay=0.1)", "SGD(weights, 0.1, weight_decay=s)",
    "SGD(weights, lr=s, maximize=True)", "Adam(weights, lr=s, betas=(0.5, 0.6))", "AdamW(weights, lr=s, betas=(0.5, 0.6))",
    "Adam(weights, 0.1, betas=(0.5, 0.6), weight_decay=s)", "Adam(weights, 0.1, betas=(s, s))",
]  # fmt: skip


@pytest.mark.parametrize("optimizer", LEARNT)
def test_settings_can_be_learnt_through_the_steps(optimizer: str) -> None:
    """The gradient of what comes of three steps for a setting of the optimizer."""
    found = {}
    for engine in (torch, minigrad):
        s = engine.tensor(0.3, dtype=engine.float64, requires_grad=True)
        weights = [engine.tensor([1.0, -2.0, 3.0], dtype=engine.float64, requires_grad=True).clone()]
        made = eval(
            f"engine.optim.{optimizer[:-1]}, differentiable=True)", {"engine": engine, "weights": weights, "s": s}
        )
        for _ in range(3):
            loss = (weights[0] * engine.arange(1.0, 4.0, dtype=engine.float64)).sum() ** 2 * 0.1
            (weights[0].grad,) = engine.autograd.grad(loss, weights, create_graph=True)
            made.step()
        found[engine] = engine.autograd.grad((weights[0] ** 2).sum(), s)[0].numpy()
    # of a recorded step torch's Adam computes the corrections in float32, the step's number being a tensor
    numpy.testing.assert_allclose(found[minigrad], found[torch], rtol=1e-5 if "Adam" in optimizer else 1e-9)


WHOLE = [
    ("SGD", {}), ("SGD", {"momentum": 0.9}), ("SGD", {"weight_decay": 0.1}), ("SGD", {"maximize": True}),
    ("SGD", {"lr": 1}), ("SGD", {"lr": 0.0}), ("Adam", {}), ("Adam", {"weight_decay": 0.1}), ("Adam", {"amsgrad": True}),
    ("AdamW", {}), ("AdamW", {"weight_decay": 0}),
    *[(name, {}) for name in "ASGD Adadelta Adagrad Adamax NAdam RAdam RMSprop Rprop".split()],
]  # fmt: skip


@pytest.mark.parametrize("name, settings", WHOLE)
def test_whole_numbers_take_whole_steps_or_torchs_words(name: str, settings: dict[str, Any]) -> None:
    def run(T: Any) -> str:
        p = T.tensor([1, 2])
        p.grad = T.ones_like(p)
        try:
            getattr(T.optim, name)([p], **({"lr": 0.1} | settings)).step()
        except RuntimeError as error:
            return f"{type(error).__name__}: {error}"
        return str(p)

    assert run(minigrad) == run(torch)
