"""Lesson 15, the error clinic: does the repaired program train as the reference does?

Each program runs on fresh data, small and float64. What it returns is compared, and what a wrong repair would leave
behind: weights that do not change, leaves that are none, gradients kept, graphs that stay alive.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.checks import check, plain
from autograder.checks.draws import both_signs
from autograder.checks.tensors import leaf

LESSON = "15_error_clinic"
CLINIC = "minigrad.clinic."

Properties = Iterator[tuple[Any, ...]]


def is_trainable_leaf(w: Any) -> list[bool]:
    """What an optimizer wants of a weight."""
    return [w.is_leaf, w.requires_grad]


def is_fresh_leaf(w: Any) -> list[bool]:
    """is_trainable_leaf, and no gradient left over: where the program says so."""
    return [*is_trainable_leaf(w), w.grad is None]


def network(rng: np.random.Generator, T: Any) -> tuple[Any, ...]:
    """Data and two layers of weights: X (6, 3), Y (6, 1), W1 (3, 4), W2 (4, 1)."""
    X, Y = T.tensor(rng.normal(size=(6, 3))), T.tensor(rng.normal(size=(6, 1)))
    return X, Y, leaf(T, rng.normal(size=(3, 4))), leaf(T, rng.normal(size=(4, 1)))


@check("clinic_scalar", lesson=LESSON, points=1, parts=[CLINIC + "fit_slope"])
def clinic_scalar(T: Any, rng: np.random.Generator) -> Properties:
    X, Y = T.tensor(rng.normal(size=7)), T.tensor(rng.normal(size=7))
    for steps in (1, 6):
        w = T.clinic.fit_slope(X, Y, steps, 0.1)
        yield f"the slope after {steps}", w.detach()
    yield "a leaf that wants a gradient", is_trainable_leaf(w)
    yield "a single point", T.clinic.fit_slope(X[:1], Y[:1], 3, 0.05).detach()


@check("clinic_second_backward", lesson=LESSON, points=1, parts=[CLINIC + "two_layers"])
def clinic_second_backward(T: Any, rng: np.random.Generator) -> Properties:
    X, Y, W1, W2 = network(rng, T)
    yield "the losses", plain(T.clinic.two_layers(X, Y, W1, W2, 5, 0.1))
    yield "both layers have learnt", [W1.detach(), W2.detach()]
    yield "leaves without gradients left", [is_fresh_leaf(W1), is_fresh_leaf(W2)]


@check("clinic_leaf", lesson=LESSON, points=1, parts=[CLINIC + "scaled_start"])
def clinic_leaf(T: Any, rng: np.random.Generator) -> Properties:
    values = T.tensor(rng.normal(size=(2, 3)))
    w = T.clinic.scaled_start(values, 0.5)
    yield "the start", w.detach()
    yield "a leaf that wants a gradient", is_fresh_leaf(w)
    yield "the values given are untouched", values.detach()
    yield "and want no gradient", values.requires_grad
    (w * w * w).sum().backward()
    yield "it collects its gradient", w.grad
    T.optim.SGD([w], lr=0.1).step()
    yield "an optimizer moves it", w.detach()


@check("clinic_saved", lesson=LESSON, points=1, parts=[CLINIC + "softmax_rows"])
def clinic_saved(T: Any, rng: np.random.Generator) -> Properties:
    X, W = T.tensor(rng.normal(size=(5, 3))), leaf(T, rng.normal(size=(3, 4)))
    target = T.tensor(np.eye(4)[rng.integers(0, 4, 5)])
    p = T.clinic.softmax_rows(X @ W)
    yield "the probabilities", p.detach()
    losses = []
    for _ in range(4):
        W.grad = None
        loss = ((T.clinic.softmax_rows(X @ W) - target) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with T.no_grad():
            W -= 0.5 * W.grad
    yield "training with it, step by step", losses
    yield "the last gradient", W.grad


@check("clinic_double", lesson=LESSON, points=1, parts=[CLINIC + "double_fit"])
def clinic_double(T: Any, rng: np.random.Generator) -> Properties:
    X, Y = T.tensor(rng.normal(size=(8, 3))), T.tensor(rng.normal(size=8))
    w = T.clinic.double_fit(X, Y, 6, 0.1)
    yield "the weights", w.detach()
    yield "double precision", str(w.dtype).rpartition(".")[2]
    yield "a leaf that wants a gradient", is_trainable_leaf(w)


@check("clinic_accumulated", lesson=LESSON, points=1, parts=[CLINIC + "descend"])
def clinic_accumulated(T: Any, rng: np.random.Generator) -> Properties:
    X, Y, W1, W2 = network(rng, T)
    net = T.nn.Linear(3, 1, dtype=T.float64)
    with T.no_grad():
        net.weight.copy_(W2[:3].t())
        net.bias.copy_(W2[3])
    (net(X) ** 2).sum().backward()  # gradients left over from something else: of some, not of all
    net.bias.grad = None
    yield "the losses", plain(T.clinic.descend(net, X, Y, 5, 0.1))
    yield "weight and bias", [each.detach() for each in net.parameters()]


def counted(T: Any, f: Callable[[Any], Any]) -> tuple[Callable[[Any], Any], Callable[[], int]]:
    """f, and how many of the graphs that calls of it have built are still alive."""
    graphs: list[weakref.ref[Any]] = []

    class Token:
        """Lives as long as the node that holds it."""

    class Counted(T.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.token = Token()
            graphs.append(weakref.ref(ctx.token))
            return x * 1.0

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad

    return lambda w: f(Counted.apply(w)), lambda: sum(each() is not None for each in graphs)


@check("clinic_memory", lesson=LESSON, points=1, parts=[CLINIC + "mean_loss"])
def clinic_memory(T: Any, rng: np.random.Generator) -> Properties:
    X, w = T.tensor(rng.normal(size=(6, 3))), leaf(T, rng.normal(size=3))
    most: list[int] = []

    def loss_of(w: Any) -> Any:
        most.append(alive())
        return ((X @ w) ** 2).mean()

    watched, alive = counted(T, loss_of)
    result = T.clinic.mean_loss(w, watched, 6, 0.1)
    number = float(result) if isinstance(result, float) else type(result).__name__  # NumPy's is a float, too
    yield "the mean of the losses, a plain number", number
    yield "the weights", w.detach()
    yield "graphs kept alive while it runs", max(most) > 2
    yield "graphs kept alive behind it", alive()
    yield "one forward pass a step", len(most)


@check("clinic_numpy", lesson=LESSON, points=1, parts=[CLINIC + "absolute_loss"])
def clinic_numpy(T: Any, rng: np.random.Generator) -> Properties:
    inputs, start = rng.normal(size=(6, 3)), rng.normal(size=3)
    # Too high here, too low there from the first step on: errors of one sign have the same mean in either order.
    X, Y, w = T.tensor(inputs), T.tensor(inputs @ start + both_signs(rng, 0.5, 2, 6)), leaf(T, start)
    losses = []
    for _ in range(4):
        w.grad = None
        loss = T.clinic.absolute_loss(X @ w, Y)
        loss.backward()
        losses.append(loss.item())
        with T.no_grad():
            w -= 0.1 * w.grad
    yield "the losses", losses
    yield "the last gradient", w.grad
    turned = leaf(T, Y.numpy())
    yield "prediction and target exchanged", T.clinic.absolute_loss(turned, X @ T.tensor(start)).item()
    table, wanted = leaf(T, rng.normal(size=(4, 3))), T.tensor(rng.normal(size=(4, 3)))
    yield "a table of errors: one number", T.clinic.absolute_loss(table, wanted).detach()
    exact = leaf(T, Y.numpy())
    T.clinic.absolute_loss(exact, Y).backward()
    yield "a finite gradient where nothing is off", np.isfinite(exact.grad.numpy()).all()


@check("clinic_hook", lesson=LESSON, points=1, parts=[CLINIC + "watch_hidden"])
def clinic_hook(T: Any, rng: np.random.Generator) -> Properties:
    X, Y, W1, W2 = network(rng, T)
    yield "the norms, one a step", plain(T.clinic.watch_hidden(X, Y, W1, W2, 5, 0.1))
    yield "watching changes nothing", [W1.detach(), W2.detach()]


@check("clinic_detach", lesson=LESSON, points=1, parts=[CLINIC + "learn_values"])
def clinic_detach(T: Any, rng: np.random.Generator) -> Properties:
    X, X_next = T.tensor(rng.normal(size=(6, 3))), T.tensor(rng.normal(size=(6, 3)))
    w, reward = leaf(T, rng.normal(size=3)), T.tensor(rng.normal(size=6))
    yield "the losses", plain(T.clinic.learn_values(X, X_next, reward, w, 5, 0.1))
    yield "the weights", w.detach()
    yield "a leaf that wants a gradient", is_trainable_leaf(w)
