"""Lesson 10, the weight-update pitfall: no_grad, the version check on saved values, and SGD.step.

What is looked at is behaviour: whether operations are recorded, and where; which backward passes raise, in which
words, and which must not; what a step does to a weight, its gradient and its place in the graph.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from autograder.checks import check, raises
from autograder.checks.draws import each_at_least_once
from autograder.checks.tensors import leaf

LESSON = "10_weight_update"
NO_GRAD = "minigrad.autograd.grad_mode.no_grad"
CHECK_VERSION = "minigrad.autograd.graph.check_version"
STEP = "minigrad.optim.SGD.step"

Properties = Iterator[tuple[Any, ...]]


# ── no_grad ──────────────────────────────────────────────────────────────────────────────────────


@check("no_grad_block", lesson=LESSON, points=2, parts=[NO_GRAD])
def no_grad_block(T: Any, rng: np.random.Generator) -> Properties:
    w = leaf(T, rng.normal(size=3))
    manager = T.no_grad()
    yield "merely made, it changes nothing", T.is_grad_enabled()
    with manager as given:
        inside = T.is_grad_enabled()
        constant = w * w
    yield "recording is off inside", inside
    yield "what is made inside has no history", [constant.requires_grad, constant.grad_fn is None, constant.is_leaf]
    yield "recording is on again behind it", T.is_grad_enabled()
    yield "`as` gives nothing", given is None
    (w * constant).sum().backward()
    yield "a constant to the graph outside", w.grad, "recording is on again behind it"
    with manager:
        again = T.is_grad_enabled()
    yield "the same object once more", [again, T.is_grad_enabled()]
    with T.set_grad_enabled(False):
        with manager:
            pass
        behind = T.is_grad_enabled()
    yield "and once more where recording is off", [behind, T.is_grad_enabled()]


@check("no_grad_nested", lesson=LESSON, points=2, parts=[NO_GRAD])
def no_grad_nested(T: Any, rng: np.random.Generator) -> Properties:
    def deep() -> list[bool]:
        seen = []
        with T.no_grad():
            with T.no_grad():
                with T.no_grad():
                    seen.append(T.is_grad_enabled())
                seen.append(T.is_grad_enabled())
            seen.append(T.is_grad_enabled())
        return [*seen, T.is_grad_enabled()]

    def mixed() -> list[bool]:
        seen = []
        with T.no_grad():
            with T.enable_grad():
                with T.no_grad():
                    seen.append(T.is_grad_enabled())
                seen.append(T.is_grad_enabled())
            seen.append(T.is_grad_enabled())
        return [*seen, T.is_grad_enabled()]

    def made_early() -> list[bool]:
        manager, seen = T.no_grad(), []
        with T.no_grad():
            with manager:
                seen.append(T.is_grad_enabled())
            seen.append(T.is_grad_enabled())
        return [*seen, T.is_grad_enabled()]

    def where_it_was_off() -> list[bool]:
        with T.set_grad_enabled(False):
            with T.no_grad():
                pass
            behind = T.is_grad_enabled()
        return [behind, T.is_grad_enabled()]

    def product_of_both() -> Any:
        w = leaf(T, rng.normal(size=3))
        with T.no_grad():
            with T.no_grad():
                constant = w * 2.0
            other = w * w  # still inside the outer block
        (w * constant * other).sum().backward()
        return w.grad

    for label, run in {
        "three deep": deep,
        "with enable_grad between": mixed,
        "made outside, entered inside": made_early,
        "where recording was off before": where_it_was_off,
        "a gradient around two blocks": product_of_both,
    }.items():
        with T.set_grad_enabled(True):
            yield label, run


@check("no_grad_exception", lesson=LESSON, points=2, parts=[NO_GRAD])
def no_grad_exception(T: Any, rng: np.random.Generator) -> Properties:
    def fails() -> None:
        with T.no_grad():
            raise ValueError("the data ran out")

    def fails_deep() -> None:
        with T.no_grad():
            try:
                fails()
            finally:
                seen.append(T.is_grad_enabled())

    def leaves_early() -> bool:
        for _ in range(2):
            with T.no_grad():
                break
        with T.no_grad():
            return T.is_grad_enabled()

    def fails_while_recording() -> None:
        with T.no_grad():
            T.set_grad_enabled(True)
            fails()

    seen: list[bool] = []
    yield "the error comes through", raises(fails)
    yield "recording is on again after an error", T.is_grad_enabled()
    T.set_grad_enabled(True)
    yield "the error comes through two blocks", raises(fails_deep)
    yield "off between the blocks, on behind them", [*seen, T.is_grad_enabled()]
    T.set_grad_enabled(True)
    yield "nor is it kept back where recording was switched on inside", raises(fails_while_recording)
    T.set_grad_enabled(True)
    yield "break and return leave it as well", [leaves_early(), T.is_grad_enabled()]
    T.set_grad_enabled(True)
    w = leaf(T, rng.normal(size=3))
    raises(fails)
    yield "and so the next operation is recorded", (w * 2.0).requires_grad
    yield "drawn at random", lambda: _blocks_that_may_fail(T, each_at_least_once(rng, 4, 10))
    T.set_grad_enabled(True)


def _blocks_that_may_fail(T: Any, drawn: list[int]) -> list[bool]:
    """Whether recording is on in each block, and behind it; before it, it is as drawn, and so is whether it fails."""
    seen = []
    for before, fails in (divmod(each, 2) for each in drawn):
        T.set_grad_enabled(bool(before))
        try:
            with T.no_grad():
                seen.append(T.is_grad_enabled())
                if fails:
                    raise ValueError
        except ValueError:
            pass
        seen.append(T.is_grad_enabled())
    return seen


@check("no_grad_decorator", lesson=LESSON, points=2, parts=[NO_GRAD])
def no_grad_decorator(T: Any, rng: np.random.Generator) -> Properties:
    @T.no_grad()
    def evaluate(x: Any, times: float = 2.0) -> Any:
        return x * times

    @T.no_grad()
    def countdown(n: int) -> list[bool]:
        return [T.is_grad_enabled(), *(countdown(n - 1) if n else [])]

    @T.no_grad()
    def breaks() -> None:
        raise ValueError("no such file")

    @T.no_grad()
    def batches() -> Iterator[bool]:
        yield T.is_grad_enabled()
        yield T.is_grad_enabled()

    def around_a_generator() -> list[bool]:
        seen = []
        for inside in islice(batches(), 5):  # one that swallows StopIteration would go on for ever
            seen += [inside, T.is_grad_enabled()]
        return [*seen, T.is_grad_enabled()]

    w = leaf(T, rng.normal(size=3))
    yield "decorating changes nothing yet", T.is_grad_enabled()
    T.set_grad_enabled(True)
    yield "unrecorded", lambda: T.autograd.grad((evaluate(w) * w).sum(), w)[0]
    yield "arguments go in, the result comes out", lambda: evaluate(w, times=3.0), "unrecorded"
    yield "its name stays", evaluate.__name__, "unrecorded"
    yield "recording is on again behind it", T.is_grad_enabled(), "unrecorded"
    T.set_grad_enabled(True)
    yield "a function that calls itself", lambda: [*countdown(3), T.is_grad_enabled()]
    T.set_grad_enabled(True)
    yield "a function that fails", [raises(breaks), T.is_grad_enabled()], "unrecorded"
    T.set_grad_enabled(True)
    yield "a generator: off inside, on at each yield", around_a_generator


# ── The version check ────────────────────────────────────────────────────────────────────────────

Case = Callable[[Any, Any], Any]


def late(T: Any, values: Any, graph: Case, write: Callable[[Any, Any], None]) -> Callable[[], Any]:
    """When called: build a graph on a leaf, write in place, walk back. The error's words, or the gradient."""

    def compute() -> Any:
        w = leaf(T, values)
        result = graph(T, w)
        with T.set_grad_enabled(False):
            write(w, result)
        return raises(lambda: result.sum().backward()) or w.grad

    return compute


def _touch(w: Any, result: Any) -> None:
    w.add_(1.0)


def _touch_twice(w: Any, result: Any) -> None:
    w.add_(1.0).mul_(2.0)


def _undo(w: Any, result: Any) -> None:
    w.add_(1.0)
    w.add_(-1.0)


def _touch_detached(w: Any, result: Any) -> None:
    w.detach().mul_(10.0)


def _touch_data(w: Any, result: Any) -> None:
    w.data.mul_(10.0)


def _touch_result(w: Any, result: Any) -> None:
    result.detach().add_(1.0)


def _nothing(w: Any, result: Any) -> None:
    pass


def written_before(T: Any, w: Any) -> Any:
    """A graph on a weight that has already been written once."""
    with T.set_grad_enabled(False):
        w.add_(1.0)
    return w * w


@check("version_check", lesson=LESSON, points=3, parts=[CHECK_VERSION])
def version_check(T: Any, rng: np.random.Generator) -> Properties:
    x = rng.uniform(0.5, 2, 3)
    yield "w * w, then w is written", late(T, x, lambda T, w: w * w, _touch)
    yield "written twice", late(T, x, lambda T, w: w * w, _touch_twice)
    yield "written and undone again", late(T, x, lambda T, w: w**3, _undo)
    yield "written through detach()", late(T, x, lambda T, w: w.log(), _touch_detached)
    yield "a saved result is written", late(T, x, lambda T, w: w.exp(), _touch_result)
    yield "written before and after", late(T, x, written_before, _touch_twice)
    w, b = leaf(T, rng.normal(size=(2, 3))), leaf(T, rng.normal(size=3))
    with T.set_grad_enabled(False):
        w *= 2.0
    late_loss = ((w @ b) ** 2).sum()
    with T.set_grad_enabled(False):
        b -= 0.1
    yield "one saved matrix among others", raises(late_loss.backward)
    yield "the check only looks", [w._version, b._version]
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        late(T, x, lambda T, w: w * w, _touch)()
    yield "it does not merely warn", len(heard)
    yield "drawn at random", _written_again_and_again(T, rng)


def _written_again_and_again(T: Any, rng: np.random.Generator) -> Callable[[], Any]:
    """The error's words tell the shape and how often it was written."""
    times, size = int(rng.integers(3, 30)), int(rng.integers(2, 30))

    def write(w: Any, result: Any) -> None:
        for _ in range(times):
            w.add_(1.0)

    return late(T, rng.normal(size=size), written_before, write)


@check("version_check_silent", lesson=LESSON, points=2, parts=[CHECK_VERSION])
def version_check_silent(T: Any, rng: np.random.Generator) -> Properties:
    x, speaks = rng.uniform(0.5, 2, 3), "drawn at random"
    yield speaks, _written_again_and_again(T, rng)  # who never speaks is not silent where it is due
    yield "written before it was saved", late(T, x, written_before, _nothing), speaks
    yield "w + w saves nothing", late(T, x, lambda T, w: w + w, _touch), speaks
    yield "w * 3 saves only the 3", late(T, x, lambda T, w: w * 3.0, _touch), speaks
    yield "exp saves its result, not w", late(T, x, lambda T, w: w.exp(), _touch), speaks
    yield "through .data nobody notices", late(T, x, lambda T, w: w * w, _touch_data), speaks
    yield "a graph a step, written between", lambda: _stepwise(T, x), speaks


def _stepwise(T: Any, x: Any) -> list[Any]:
    w, seen = leaf(T, x), []
    for _ in range(4):
        w.grad = None
        (w * w * w).sum().backward()
        seen.append(w.grad)
        with T.set_grad_enabled(False):
            w.sub_(w.grad * 0.01)
    return seen


# ── SGD.step, and everything together ────────────────────────────────────────────────────────────


@check("sgd_step", lesson=LESSON, points=2, parts=[STEP])
def sgd_step(T: Any, rng: np.random.Generator) -> Properties:
    w = leaf(T, rng.normal(size=(3, 2)))
    unused = leaf(T, rng.normal(size=2))
    b = leaf(T, rng.normal(size=2), "float32")
    opt = T.optim.SGD([w, unused, b], lr=0.1)
    late_loss = (w * w * w).sum() + (b * b).sum()
    late_loss.backward(retain_graph=True)
    arrived, alone = w.grad, leaf(T, rng.normal(size=3))
    (alone * alone).sum().backward()
    T.optim.SGD([alone], lr=0.25).step()
    yield "a weight alone", alone
    opt.step()
    yield "w after one step", w
    yield "a parameter without a gradient stays", unused, "w after one step"
    yield "and has none afterwards", unused.grad is None, "w after one step"
    yield "the one behind it moves", b
    yield "still a leaf", [w.is_leaf and w.grad_fn is None, w.requires_grad], "w after one step"
    yield "the gradient is left as it was", [w.grad is arrived, arrived], "w after one step"
    yield "recording is on afterwards", T.is_grad_enabled(), "w after one step"
    T.set_grad_enabled(True)
    yield "saved values notice the update", raises(late_loss.backward), "still a leaf"
    for _ in range(3):
        opt.zero_grad()
        (w * w * w).sum().backward()
        opt.step()
    yield "w after four steps", w
    opt.zero_grad()
    for piece in rng.normal(size=(2, 3, 2)):
        (w * T.tensor(piece)).sum().backward()
    T.optim.SGD([w], lr=2.5).step()
    yield "one step on two summed gradients, another lr", w


@check("weight_update_training", lesson=LESSON, points=3, parts=[NO_GRAD, CHECK_VERSION, STEP])
def weight_update_training(T: Any, rng: np.random.Generator) -> Properties:
    """A small network trained for six steps, with an evaluation that must not leave a trace in the graph."""
    X, Y = T.tensor(rng.normal(size=(12, 2))), T.tensor(rng.normal(size=(12, 1)))
    shapes = {"W1": (2, 6), "b1": (6,), "W2": (6, 1), "b2": (1,)}
    params = {name: leaf(T, rng.normal(size=shape)) for name, shape in shapes.items()}
    opt = T.optim.SGD(list(params.values()), lr=0.05)

    def loss() -> Any:
        error = (X @ params["W1"] + params["b1"]).tanh() @ params["W2"] + params["b2"] - Y
        return (error * error).mean()

    @T.no_grad()
    def evaluate() -> float:
        return loss().item()

    def interrupted() -> None:
        with T.no_grad():
            params["b2"].mul_(0.5)
            raise ValueError("stopped by hand")

    judged, gradients = [], []
    for step in range(6):
        opt.zero_grad()
        loss().backward()
        gradients.append([each.grad.detach().clone() for each in params.values()])
        opt.step()
        judged.append(evaluate())
        if step == 2:
            raises(interrupted)
    for name, column in zip(shapes, zip(*gradients, strict=True), strict=True):
        yield f"six gradients of {name}", list(column)
    yield "the loss after each step", judged
    yield "weights that stay leaves", [each.is_leaf and each.requires_grad for each in params.values()]
    stale = loss()
    opt.step()
    yield "a graph from before the step is refused", raises(stale.backward)
