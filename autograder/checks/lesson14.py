"""Lesson 14, the GPU: does code follow its arrays, and is a time the time until the work is done?

No GPU is needed. Arrays that live elsewhere are those of a stand-in for CuPy that refuses NumPy's functions; a device
that works on while Python goes on is a queue with a clock of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from autograder.checks import check, plain
from autograder.checks.draws import each_at_least_once
from autograder.standin import Array, machine

LESSON = "14_gpu"
HOME, MOVE = "minigrad.backend.array_module", "minigrad.ops.convert.move_vjp"
BEST, CROSS = "minigrad.timing.best_seconds", "minigrad.timing.crossover"

Properties = Iterator[tuple[Any, ...]]


# ── Arrays that live elsewhere ───────────────────────────────────────────────────────────────────


def on(T: Any, program: Callable[[], Any], devices: int | None = 1) -> Callable[[], Any]:
    """When called: what the program gives on a machine with so many GPUs (None: without CuPy)."""

    def compute() -> Any:
        with machine(T, devices):
            return program()

    return compute


@check("where_arrays_live", lesson=LESSON, points=2, parts=[HOME])
def where_arrays_live(T: Any, rng: np.random.Generator) -> Properties:
    home = rng.normal(size=3)
    elsewhere = Array(home)

    def name(array: Any, devices: int | None = 1) -> Callable[[], str]:
        return on(T, lambda: str(T.backend.array_module(array).__name__), devices)

    yield "an array that lives elsewhere", on(T, lambda: T.backend.array_module(elsewhere).ndarray is Array)
    yield "an array at home, with a GPU beside it", name(home)
    yield "NumPy's own number, as a sum gives", name(home.astype(np.float32).sum())  # one of float64 is a float, too
    yield "CuPy is not installed", name(home, None)
    yield "CuPy is installed, but sees no GPU", name(home, 0)
    yield "a plain float", name(1.5)
    yield "a plain float, without CuPy", name(1.5, None)
    drawn = [name(elsewhere if far else home) for far in each_at_least_once(rng, 2, 9)]
    yield "drawn at random", lambda: [each() for each in drawn]


def softplus(T: Any, x: Any) -> Any:
    """ln(1 + e^x), written once for arrays of any home."""
    module = T.backend.array_module(x)
    return module.maximum(x, 0.0) + module.log1p(module.exp(-module.abs(x)))


def standardised(T: Any, x: Any) -> Any:
    """x less its mean, over its root mean square, written once for arrays of any home."""
    module = T.backend.array_module(x)
    centred = x - module.mean(x)
    return centred / module.sqrt(module.mean(centred * centred))


def elsewhere(T: Any, f: Callable[[Any, Any], Any], values: Any) -> Any:
    """What f makes of an array that lives elsewhere, brought home."""
    return f(T, Array(values)).get()


@check("one_code_two_homes", lesson=LESSON, points=2, parts=[HOME])
def one_code_two_homes(T: Any, rng: np.random.Generator) -> Properties:
    values = rng.normal(size=(2, 3))
    for name, f in {"softplus": softplus, "standardised": standardised}.items():
        yield f"{name} at home", on(T, partial(f, T, values))
        yield f"{name} elsewhere", on(T, partial(elsewhere, T, f, values))


# ── Tensors that move ────────────────────────────────────────────────────────────────────────────


def gpu(T: Any) -> str:
    """The device to move to: a GPU where torch has one, else the CPU; the numbers are the same."""
    return "cuda" if T.cuda.is_available() else "cpu"


@check("transfer_gradient", lesson=LESSON, points=3, parts=[MOVE])
def transfer_gradient(T: Any, rng: np.random.Generator) -> Properties:
    values, weights = rng.normal(size=(2, 3)), rng.normal(size=(2, 3))

    def gone(x: Any) -> Any:
        return (x.to(gpu(T)) ** 2 * T.tensor(weights, device=gpu(T))).sum()

    def come(x: Any) -> Any:
        return (x.to("cpu") ** 3 * T.tensor(weights)).sum()

    def both(x: Any) -> Any:
        return (x * 2).sum() + gone(x).to("cpu") + come(x.to(gpu(T)))

    def gradient(device: Callable[[Any], str], program: Callable[[Any], Any]) -> Any:
        x = T.tensor(values, device=device(T), requires_grad=True)
        program(x).backward()
        return x

    def second() -> Any:
        x = T.tensor(values, requires_grad=True)
        (first,) = T.autograd.grad(gone(x) + come(x.to(gpu(T))).to(gpu(T)), x, create_graph=True)
        (first**2).sum().backward()
        return x.grad

    here: Callable[[Any], str] = lambda T: "cpu"  # noqa: E731
    for label, device, program in (
        ("a leaf here, used there", here, gone),
        ("a leaf there, used here", gpu, come),
        ("a leaf used here and there", here, both),
    ):
        leaf = partial(gradient, device, program)
        yield f"{label}: its gradient is where it is", on(T, partial(at_home, leaf))
        yield label, on(T, partial(grad_of, leaf)), f"{label}: its gradient is where it is"
    yield "the second derivative", on(T, second)


def grad_of(leaf: Callable[[], Any]) -> list[Any]:
    """Whether the gradient of the leaf that a program trained is where the leaf is, and the gradient."""
    found = leaf()
    return [bool(found.grad.device == found.device), found.grad]


def at_home(leaf: Callable[[], Any]) -> bool:
    """Whether the leaf that a program trained and its gradient are on one device."""
    found = leaf()
    return bool(found.grad.device == found.device)


@check("network_elsewhere", lesson=LESSON, points=3, parts=[HOME, MOVE])
def network_elsewhere(T: Any, rng: np.random.Generator) -> Properties:
    """A network whose first layer is at home and whose second is elsewhere, trained for three steps."""
    w1, w2 = rng.normal(size=(4, 5)), rng.normal(size=(5, 2))
    X, Y = rng.normal(size=(6, 4)), rng.normal(size=(6, 2))

    def train() -> Any:
        first = T.tensor(w1, requires_grad=True)
        second = T.tensor(w2, device=gpu(T), requires_grad=True)
        optimizer = T.optim.SGD([first, second], lr=0.05)
        losses = []
        for _ in range(3):
            optimizer.zero_grad()
            hidden = T.tanh(T.tensor(X) @ first).to(gpu(T))
            loss = ((T.exp(-(hidden * hidden)) @ second).to("cpu") - T.tensor(Y)).pow(2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses, [first, second]

    trained: list[Any] = []

    def losses() -> Any:
        found, weights = train()
        trained[:] = [(w.detach().to("cpu"), w.grad.to("cpu"), bool(w.grad.device == w.device)) for w in weights]
        return found

    yield "the losses of three steps", on(T, losses)
    for at, name in enumerate(("at home", "elsewhere")):
        for which, what in enumerate(("weights", "last gradient", "gradient beside its weights")):
            yield f"{what}, {name}", lambda at=at, which=which: trained[at][which], "the losses of three steps"


# ── A device that works on ───────────────────────────────────────────────────────────────────────


class Queue:
    """A device with a clock of its own: a call costs `launch`, the work itself goes on behind Python's back."""

    def __init__(self, launch: float, work: list[float]) -> None:
        self.launch, self.work = launch, work
        self.now = self.busy_until = 0.0
        self.calls = self.waits = self.readings = 0

    def action(self) -> None:
        """Ask for some work; the first time takes longest."""
        self.now += self.launch
        self.busy_until = max(self.busy_until, self.now) + self.work[min(self.calls, len(self.work) - 1)]
        self.calls += 1

    def wait(self) -> None:
        """Until all work is done."""
        self.now = max(self.now, self.busy_until)
        self.waits += 1

    def clock(self) -> float:
        """The time."""
        self.readings += 1
        return self.now


def drawn(rng: np.random.Generator, n: int, best: int) -> Queue:
    """A device whose first run takes long, and whose next n each take some other time, number `best` the least."""
    work = rng.uniform(1e-3, 2e-3, n)
    work[best] = rng.uniform(0.5e-3, 0.9e-3)
    return Queue(rng.uniform(1e-5, 2e-5), [1.0, *work.tolist()])


@check("honest_timing", lesson=LESSON, points=3, parts=[BEST])
def honest_timing(T: Any, rng: np.random.Generator) -> Properties:
    # Who leaves out the first run, or the last, leaves out the best one there.
    for repeats, best in ((1, 0), (4, 0), (5, 2), (6, 5)):
        device = drawn(rng, repeats, best)
        seconds = T.timing.best_seconds(device.action, device.wait, device.clock, repeats)
        yield f"the best of {repeats}", plain(seconds)
        yield f"runs of the action for {repeats}", device.calls
        yield f"nothing left to do after {repeats}", device.busy_until <= device.now
    alike = Queue(2e-5, [1e9])  # slow, for whoever begins with a best time of 1 second, or of 1000
    yield "a device without a first time", plain(T.timing.best_seconds(alike.action, alike.wait, alike.clock, 3))
    yield "the clock that was given is read", alike.readings > 0
    work = rng.uniform(1e-3, 2e-3, 4)
    quick = Queue(2e-5, [work.min() / 2, *work.tolist()])
    seconds = T.timing.best_seconds(quick.action, quick.wait, quick.clock, 4)
    yield "a device whose first run is the fastest", plain(seconds)


@check("crossover_size", lesson=LESSON, points=2, parts=[CROSS])
def crossover_size(T: Any, rng: np.random.Generator) -> Properties:
    sizes = np.cumsum(rng.integers(1, 50, 6)).tolist()
    there = rng.uniform(1, 2, 6)
    wins = {
        "from the fourth on": [0, 0, 0, 1, 1, 1],
        "everywhere": [1, 1, 1, 1, 1, 1],
        "nowhere": [0, 0, 0, 0, 0, 0],
        "once by chance, then from the fifth on": [0, 1, 0, 0, 1, 1],
        "only in the middle": [0, 0, 1, 1, 0, 0],
        "only at the last": [0, 0, 0, 0, 0, 1],
    }
    for label, won in wins.items():
        here = there + np.where(won, 0.5, -0.5)
        yield label, plain(T.timing.crossover(sizes, here.tolist(), there.tolist()))
    yield "a tie is no win", plain(T.timing.crossover(sizes, there.tolist(), there.tolist()))
    tied = there + np.array([0.5, 0.5, 0.0, 0.5, 0.5, 0.5])
    yield "wins with a tie in between", plain(T.timing.crossover(sizes, tied.tolist(), there.tolist()))
    tied = there + np.array([0.0, 0.5, 0.5, 0.5, 0.5, 0.5])
    yield "a tie first, then wins", plain(T.timing.crossover(sizes, tied.tolist(), there.tolist()))
    yield "wins from a size of 0 on", plain(T.timing.crossover([0, *sizes[1:]], (there + 0.5).tolist(), there.tolist()))


@check("when_it_pays", lesson=LESSON, points=2, parts=[BEST, CROSS])
def when_it_pays(T: Any, rng: np.random.Generator) -> Properties:
    """A slow processor without a queue against a fast device behind one, timed and compared.

    No run takes as long as another, and at one small size another program was in the processor's way.
    """
    smallest, repeats, hiccup = int(rng.integers(16, 32)), 3, int(rng.integers(1, 3))
    sizes = [smallest * 2**k for k in range(12)]
    per_element, launch = rng.uniform(2e-9, 4e-9), rng.uniform(1e-5, 3e-5)
    here: list[float] = []
    there: list[float] = []
    for k, best in enumerate(each_at_least_once(rng, repeats, len(sizes))):
        slower = rng.uniform(1.2, 2.0, repeats + 1)  # the one behind the last is nobody's
        slower[best] = 1.0
        work, delay = sizes[k] * per_element * slower, 1e-4 if k == hiccup else 0.0
        for device, found in (
            (Queue(1e-6, [0.1, *(work + delay).tolist()]), here),
            (Queue(launch, [0.5, *(work / 20).tolist()]), there),
        ):
            found.append(plain(T.timing.best_seconds(device.action, device.wait, device.clock, repeats)))
    yield "seconds at home", here
    yield "seconds on the device", there
    yield "it pays from this size on", lambda: plain(T.timing.crossover(sizes, here, there)), "seconds at home"
    alone = per_element * np.array(sizes)
    shared = launch + alone / 20.0
    others = 1e-3, alone[-2:].sum() / shared[-2:].sum(), 1e3  # how many times as long the other device takes
    yield (
        "a device that always wins, one at the largest size only, one never",
        lambda: plain([T.timing.crossover(sizes, alone.tolist(), (shared * times).tolist()) for times in others]),
    )
