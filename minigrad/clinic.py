"""Ten short programs around autograd that are easily written in a way that raises, or silently trains wrong.

These are the correct versions. Nothing in them belongs to one engine: with `torch` instead of this package they run on
torch. No other module of the engine uses them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import float64, no_grad, zeros


def fit_slope(X: Any, Y: Any, steps: int, lr: float) -> Any:
    """The slope w of y = w·x, by gradient descent on the mean squared error.

    X, Y: (n,). Returns w, (1,), a leaf that started at 0.
    """
    w = zeros(1, dtype=X.dtype, requires_grad=True)
    for _ in range(steps):
        loss = ((Y - w * X) ** 2).mean()
        loss.backward()
        with no_grad():
            w -= lr * w.grad  # type: ignore[operator]
        w.grad = None
    return w


def two_layers(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> list[float]:
    """Train both layers of tanh(X @ W1) @ W2 in place; the mean squared errors before each step."""
    losses = []
    for _ in range(steps):
        hidden = (X @ W1).tanh()
        loss = ((hidden @ W2 - Y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            for w in (W1, W2):
                w -= lr * w.grad
                w.grad = None
    return losses


def scaled_start(values: Any, scale: float) -> Any:
    """A leaf that wants a gradient and holds values · scale. values is left as it was."""
    w = values.clone()
    w *= scale
    return w.requires_grad_()


def softmax_rows(scores: Any) -> Any:
    """Each row of scores, (n, c), as probabilities."""
    p = scores.exp()
    total = p.sum(1, keepdim=True)
    return p / total


def double_fit(X: Any, Y: Any, steps: int, lr: float) -> Any:
    """Weights w of y = X @ w, in double precision. X: (n, k), Y: (n,), float64. Returns w, (k,), a leaf."""
    w = zeros(X.shape[1], dtype=float64, requires_grad=True)
    for _ in range(steps):
        loss = ((X @ w - Y) ** 2).mean()
        loss.backward()
        with no_grad():
            w -= lr * w.grad  # type: ignore[operator]
        w.grad = None
    return w


def descend(net: Any, X: Any, Y: Any, steps: int, lr: float) -> list[float]:
    """Train a module in place; the mean squared errors before each step."""
    losses = []
    for _ in range(steps):
        for p in net.parameters():
            p.grad = None
        loss = ((net(X) - Y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            for p in net.parameters():
                p -= lr * p.grad
    return losses


def mean_loss(w: Any, loss_of: Callable[[Any], Any], steps: int, lr: float) -> float:
    """Train w on loss_of(w) in place; the mean of the losses, a number with no graph behind it."""
    total = 0.0
    for _ in range(steps):
        loss = loss_of(w)
        loss.backward()
        total += loss.item()
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return total / steps


def absolute_loss(prediction: Any, target: Any) -> Any:
    """The mean absolute error, differentiable by prediction."""
    return (prediction - target).abs().mean()


def watch_hidden(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> list[float]:
    """Train as two_layers does; the norms of the gradient that arrives at the hidden layer, one a step."""
    norms: list[float] = []
    for _ in range(steps):
        hidden = (X @ W1).tanh()
        hidden.register_hook(lambda grad: norms.append(grad.norm().item()))
        loss = ((hidden @ W2 - Y) ** 2).mean()
        loss.backward()
        with no_grad():
            for w in (W1, W2):
                w -= lr * w.grad
                w.grad = None
    return norms


def learn_values(X: Any, X_next: Any, reward: Any, w: Any, steps: int, lr: float) -> list[float]:
    """Train values X @ w towards reward + 0.9 · values of what comes next, which count as given; the losses."""
    losses = []
    for _ in range(steps):
        value = X @ w
        target = (reward + 0.9 * (X_next @ w)).detach()
        loss = ((value - target) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return losses
