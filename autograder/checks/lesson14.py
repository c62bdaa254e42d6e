"""Lesson 14, the GPU: does code follow its arrays, and is a time the time until the work is done?

No GPU is needed. Arrays that live elsewhere are those of a small module that pretends to be CuPy and refuses NumPy's
functions; a device that works on while Python goes on is a queue with a clock of its own.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autograder.checks import check

LESSON = "14_gpu"
HOME, BEST, CROSS = "minigrad.backend.array_module", "minigrad.timing.best_seconds", "minigrad.timing.crossover"

Properties = Iterator[tuple[Any, ...]]


# ── Arrays that live elsewhere ───────────────────────────────────────────────────────────────────


class Elsewhere:
    """An array that NumPy must not touch: only its own module computes with it, and get() brings it home."""

    __array_ufunc__ = None

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`")

    def __array_function__(self, function: Any, *rest: Any) -> Any:
        raise TypeError(f"numpy.{function.__name__} was called on an array that lives elsewhere")

    def __add__(self, other: Any) -> Elsewhere:
        return Elsewhere(self.values + inside(other))

    def __sub__(self, other: Any) -> Elsewhere:
        return Elsewhere(self.values - inside(other))

    def __mul__(self, other: Any) -> Elsewhere:
        return Elsewhere(self.values * inside(other))

    def __neg__(self) -> Elsewhere:
        return Elsewhere(-self.values)

    def __truediv__(self, other: Any) -> Elsewhere:
        return Elsewhere(self.values / inside(other))

    def get(self) -> np.ndarray:
        """The values, at home."""
        return self.values


def inside(value: Any) -> Any:
    """What computes inside: refuses arrays that live at home."""
    if isinstance(value, np.ndarray) and value.ndim:
        raise TypeError("an array that lives at home met one that lives elsewhere")
    return value.values if isinstance(value, Elsewhere) else value


def pretended(devices: int = 1) -> types.ModuleType:
    """A module that pretends to be CuPy on a machine with so many GPUs."""

    def count() -> int:
        if not devices:
            raise RuntimeError("no device")
        return devices

    module = types.ModuleType("cupy")
    names = {name: getattr(np, name) for name in ("exp", "log1p", "abs", "maximum", "mean", "sqrt")}
    for name, function in names.items():
        setattr(module, name, lambda *args, f=function, **kw: Elsewhere(f(*map(inside, args), **kw)))
    vars(module).update(ndarray=Elsewhere, asarray=Elsewhere)
    vars(module)["cuda"] = types.SimpleNamespace(runtime=types.SimpleNamespace(getDeviceCount=count))
    return module


@contextmanager
def machine(T: Any, module: types.ModuleType | None) -> Iterator[None]:
    """While it lasts, `import cupy` finds this module (None: nothing is installed)."""
    before = sys.modules.get("cupy", machine)
    sys.modules["cupy"] = module  # type: ignore[assignment]
    T.backend.cupy.cache_clear()
    try:
        yield
    finally:
        if before is machine:
            del sys.modules["cupy"]
        else:
            sys.modules["cupy"] = before  # type: ignore[assignment]
        T.backend.cupy.cache_clear()


def named(T: Any, module: types.ModuleType | None, array: Any) -> Callable[[], str]:
    """When called: the name of the module that array_module gives on such a machine."""

    def compute() -> str:
        with machine(T, module):
            return str(T.backend.array_module(array).__name__)

    return compute


@check("where_arrays_live", lesson=LESSON, points=2, parts=[HOME])
def where_arrays_live(T: Any, rng: np.random.Generator) -> Properties:
    gpu, home = pretended(), rng.normal(size=3)
    yield "an array that lives elsewhere", named(T, gpu, Elsewhere(home))
    yield "an array at home, with a GPU beside it", named(T, gpu, home)
    yield "NumPy's own number, as a sum gives", named(T, gpu, home.sum())
    yield "CuPy is not installed", named(T, None, home)
    yield "CuPy is installed, but sees no GPU", named(T, pretended(0), home)
    yield "a plain float", named(T, gpu, 1.5)


def softplus(T: Any, x: Any) -> Any:
    """ln(1 + e^x), written once for arrays of any home."""
    module = T.backend.array_module(x)
    return module.maximum(x, 0.0) + module.log1p(module.exp(-module.abs(x)))


def standardised(T: Any, x: Any) -> Any:
    """x less its mean, over its root mean square, written once for arrays of any home."""
    module = T.backend.array_module(x)
    centred = x - module.mean(x)
    return centred / module.sqrt(module.mean(centred * centred))


@check("one_code_two_homes", lesson=LESSON, points=2, parts=[HOME])
def one_code_two_homes(T: Any, rng: np.random.Generator) -> Properties:
    values = rng.normal(size=(2, 3))

    def there(f: Callable[[Any, Any], Any]) -> Callable[[], Any]:
        def compute() -> Any:
            with machine(T, pretended()):
                return f(T, Elsewhere(values)).get()

        return compute

    def here(f: Callable[[Any, Any], Any]) -> Callable[[], Any]:
        def compute() -> Any:
            with machine(T, pretended()):
                return f(T, values)

        return compute

    for name, f in {"softplus": softplus, "standardised": standardised}.items():
        yield f"{name} at home", here(f)
        yield f"{name} elsewhere", there(f)


# ── A device that works on ───────────────────────────────────────────────────────────────────────


class Queue:
    """A device with a clock of its own: a call costs `launch`, the work itself goes on behind Python's back."""

    def __init__(self, launch: float, work: list[float]) -> None:
        self.launch, self.work = launch, work
        self.now = self.busy_until = 0.0
        self.calls = self.waits = 0

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
        return self.now


def drawn(rng: np.random.Generator, n: int) -> Queue:
    """A device whose first run takes long, and whose next n each take some other time."""
    return Queue(rng.uniform(1e-5, 2e-5), [1.0, *rng.uniform(1e-3, 2e-3, n).tolist()])


@check("honest_timing", lesson=LESSON, points=3, parts=[BEST])
def honest_timing(T: Any, rng: np.random.Generator) -> Properties:
    for repeats in (1, 5):
        device = drawn(rng, repeats)
        seconds = T.timing.best_seconds(device.action, device.wait, device.clock, repeats)
        yield f"the best of {repeats}", seconds
        yield f"runs of the action for {repeats}", device.calls
        yield f"nothing left to do after {repeats}", device.busy_until <= device.now
    alike = Queue(2e-5, [3e-3])
    yield "a device without a first time", T.timing.best_seconds(alike.action, alike.wait, alike.clock, 3)


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
        yield label, T.timing.crossover(sizes, here.tolist(), there.tolist())
    yield "a tie is no win", T.timing.crossover(sizes, there.tolist(), there.tolist())


@check("when_it_pays", lesson=LESSON, points=2, parts=[BEST, CROSS])
def when_it_pays(T: Any, rng: np.random.Generator) -> Properties:
    """A slow processor without a queue against a fast device behind one, timed and compared."""
    sizes = [2**k for k in range(4, 16)]
    per_element, launch = rng.uniform(2e-9, 4e-9), rng.uniform(1e-5, 3e-5)
    here: list[float] = []
    there: list[float] = []
    for n in sizes:
        for device, found in (
            (Queue(1e-6, [n * per_element]), here),
            (Queue(launch, [0.5, n * per_element / 20]), there),
        ):
            found.append(T.timing.best_seconds(device.action, device.wait, device.clock, 3))
    yield "seconds at home", here
    yield "seconds on the device", there
    yield "it pays from this size on", T.timing.crossover(sizes, here, there)
