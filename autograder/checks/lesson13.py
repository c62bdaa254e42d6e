"""Lesson 13, from engine to network: the rules behind a classifier's loss, and the loop that trains on it.

The 2-2-2 network starts from the published weights once and from random ones after that; scores are large, tied and
shifted; the training loop is looked at from outside: what moved, in which batch, and what it returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.checks import check
from autograder.checks.tensors import leaf

LESSON = "13_network"
SIGMOID = "minigrad.ops.pointwise.sigmoid_vjp"
LOG_SOFTMAX = "minigrad.ops.nn.log_softmax_vjp"
NLL = "minigrad.ops.cross_entropy.nll_loss_vjp"
EPOCH = "minigrad.training.train_epoch"

Properties = Iterator[tuple[Any, ...]]


def gradient(T: Any, rng: np.random.Generator, f: Callable[[Any], Any], values: Any, dtype: str = "float64") -> Any:
    """When called: the gradient of f at `values`, pulled back from a random upstream gradient."""
    x = leaf(T, values, dtype)
    z = f(x)
    upstream = T.tensor(rng.normal(size=tuple(z.shape)), dtype=z.dtype)

    def compute() -> Any:
        z.backward(upstream)
        return x.grad

    return compute


# ── The 2-2-2 network ────────────────────────────────────────────────────────────────────────────


@check("sigmoid_backward", lesson=LESSON, points=1, parts=[SIGMOID])
def sigmoid_backward(T: Any, rng: np.random.Generator) -> Properties:
    yield "sigmoid", gradient(T, rng, lambda x: x.sigmoid(), rng.normal(size=(3, 4)))
    yield "where it is almost flat, float32", gradient(T, rng, lambda x: x.sigmoid(), [-20, -4, 0, 4], "float32")
    yield "three in a row", gradient(T, rng, lambda x: x.sigmoid().sigmoid().sigmoid(), rng.normal(size=6))
    w = leaf(T, np.ones(4))
    (-w + leaf(T, rng.normal(size=4)).sigmoid()).backward(T.tensor(rng.normal(size=4)))
    yield "the other branch of a sum", w.grad
    z = leaf(T, rng.normal(size=4)).sigmoid()
    z.backward(T.tensor(rng.normal(size=4)))
    yield "the output is left as it was", z.detach()


def two_layers(T: Any, W1: Any, W2: Any, x: Any, target: Any, biases: Any) -> tuple[Any, Any]:
    """The output and the error of the 2-2-2 network, E = ½ Σ (target - out)²."""
    hidden = (W1 @ x + float(biases[0])).sigmoid()
    out = (W2 @ hidden + float(biases[1])).sigmoid()
    return out, ((target - out) ** 2).sum() / 2


@check("two_two_two", lesson=LESSON, points=3, parts=[SIGMOID])
def two_two_two(T: Any, rng: np.random.Generator) -> Properties:
    published = [[0.15, 0.20], [0.25, 0.30]], [[0.40, 0.45], [0.50, 0.55]], [0.05, 0.10], [0.01, 0.99], [0.35, 0.60]
    drawn = [rng.normal(size=(2, 2)) for _ in range(2)] + [rng.uniform(0.05, 0.95, 2) for _ in range(3)]
    for name, (w1, w2, x, target, biases) in {"published": published, "random": drawn}.items():
        W1, W2, x, target = leaf(T, w1), leaf(T, w2), T.tensor(x, dtype=T.float64), T.tensor(target, dtype=T.float64)
        errors = []
        for step in range(4):
            out, error = two_layers(T, W1, W2, x, target, biases)
            errors.append(error.item())
            W1.grad = W2.grad = None
            error.backward()
            with T.no_grad():
                W1 -= 0.5 * W1.grad
                W2 -= 0.5 * W2.grad
            if step == 0:
                yield f"{name}: w5 to w8 after one step", W2.detach().clone()
                yield f"{name}: w1 to w4 after one step", W1.detach().clone()
        yield f"{name}: the error, step by step", errors
        yield f"{name}: the output", out.detach()


# ── Cross entropy ────────────────────────────────────────────────────────────────────────────────


@check("log_softmax_backward", lesson=LESSON, points=2, parts=[LOG_SOFTMAX])
def log_softmax_backward(T: Any, rng: np.random.Generator) -> Properties:
    yield "rows of scores", gradient(T, rng, lambda x: x.log_softmax(1), rng.normal(size=(4, 3)))
    yield "columns, float32", gradient(T, rng, lambda x: x.log_softmax(0), rng.normal(size=(3, 5)), "float32")
    yield "a square, along dim 0", gradient(T, rng, lambda x: x.log_softmax(0), rng.normal(size=(3, 3)))
    yield "one row alone", gradient(T, rng, lambda x: x.log_softmax(0), rng.normal(size=4))
    yield "the middle of three dims", gradient(T, rng, lambda x: x.log_softmax(1), rng.normal(size=(2, 3, 4)))
    huge = rng.permutation([1000.0, 999.0, -1000.0, 0.0])
    yield "very large scores", gradient(T, rng, lambda x: x.log_softmax(-1), huge)
    w = leaf(T, np.ones((2, 3)))
    (-w + leaf(T, rng.normal(size=(2, 3))).log_softmax(1)).backward(T.tensor(rng.normal(size=(2, 3))))
    yield "the other branch of a sum", w.grad


def classes(T: Any, rng: np.random.Generator, n: int, c: int) -> Any:
    """n class numbers below c; the first c of them are all different, so that no class goes unseen."""
    return T.tensor(np.r_[rng.permutation(c), rng.integers(0, c, n - c)])


@check("nll_backward", lesson=LESSON, points=2, parts=[NLL])
def nll_backward(T: Any, rng: np.random.Generator) -> Properties:
    nll = T.nn.functional.nll_loss
    logs = np.log(rng.dirichlet(np.ones(3), 6))
    target = classes(T, rng, 6, 3)
    yield "mean over six rows", gradient(T, rng, lambda x: nll(x, target), logs)
    yield "sum", gradient(T, rng, lambda x: nll(x, target, reduction="sum"), logs)
    yield (
        "each row its own gradient, float32",
        gradient(T, rng, lambda x: nll(x, target, reduction="none"), logs, "float32"),
    )
    weight = T.tensor(rng.uniform(0.5, 2, 3))
    yield "classes that weigh differently", gradient(T, rng, lambda x: nll(x, target, weight=weight), logs)
    around = T.tensor(np.roll(np.arange(3), rng.integers(1, 3)))  # not the same when rows and classes are exchanged
    yield "a square", gradient(T, rng, lambda x: nll(x, around), logs[:3])
    one = T.tensor(int(rng.integers(1, 3)))  # not 0, the number of the only row
    yield "one row, no batch", gradient(T, rng, lambda x: nll(x, one), logs[0])


@check("cross_entropy_backward", lesson=LESSON, points=2, parts=[LOG_SOFTMAX, NLL])
def cross_entropy_backward(T: Any, rng: np.random.Generator) -> Properties:
    cross_entropy = T.nn.functional.cross_entropy
    target = classes(T, rng, 8, 4)
    scores = rng.normal(size=(8, 4)) * 3
    yield "the loss", cross_entropy(T.tensor(scores), target)
    yield "its gradient", gradient(T, rng, lambda x: cross_entropy(x, target), scores)
    surely_wrong = np.where(np.arange(4) == target.numpy()[:, None], -50.0, 50.0)
    yield "sure of itself, and wrong", gradient(T, rng, lambda x: cross_entropy(x, target), surely_wrong)
    yield "sure of itself, and right", gradient(T, rng, lambda x: cross_entropy(x, target), -surely_wrong)
    X, W = T.tensor(rng.normal(size=(8, 5))), rng.normal(size=(5, 4))
    yield "weights behind it", gradient(T, rng, lambda x: cross_entropy((X @ x).tanh() * 2.0, target), W)


# ── The training loop ────────────────────────────────────────────────────────────────────────────


def layers(T: Any, rng: np.random.Generator, *sizes: int) -> Any:
    """Linear layers with ReLU between them, float64, with weights from rng."""
    made: list[Any] = []
    for before, after in zip(sizes, sizes[1:], strict=False):
        made += [T.nn.Linear(before, after, dtype=T.float64), T.nn.ReLU()]
    net = T.nn.Sequential(*made[:-1])
    with T.no_grad():
        for each in net.parameters():
            each.copy_(T.tensor(rng.normal(size=tuple(each.shape)) * 0.5))
    return net


def cut(T: Any, rng: np.random.Generator, n: int, size: int) -> list[Any]:
    """The numbers below n in random order, in batches; the last one is smaller."""
    order = rng.permutation(n)
    return [T.tensor(order[first : first + size]) for first in range(0, n, size)]


def plain(mean: Any) -> Any:
    """What an epoch returned, where that is a float, as NumPy's is too; else the name of its type."""
    return float(mean) if isinstance(mean, float) else type(mean).__name__


@check("training_loop", lesson=LESSON, points=3, parts=[EPOCH])
def training_loop(T: Any, rng: np.random.Generator) -> Properties:
    images, numbers = T.tensor(rng.normal(size=(14, 3))), classes(T, rng, 14, 4)
    net = layers(T, rng, 3, 4)
    optimizer = T.optim.SGD(net.parameters(), lr=0.4)

    walked: list[int] = []

    def criterion(scores: Any, numbers: Any) -> Any:  # no cross entropy: this check is about the loop alone
        if scores.requires_grad:  # else backward will say so
            scores.register_hook(lambda grad: walked.append(len(grad)))
        return ((scores - T.eye(4, dtype=T.float64)[numbers]) ** 2).sum(1).mean()

    stepped, own_step = [], optimizer.step

    def step() -> None:
        stepped.append(all(each.grad is not None for each in net.parameters()))
        own_step()

    optimizer.step = step
    (net(images) ** 2).sum().backward()  # gradients left over from something else
    mean = T.training.train_epoch(net, criterion, optimizer, images, numbers, cut(T, rng, 14, 14))
    yield "one batch: the weights", [each.detach().clone() for each in net.parameters()]
    yield "one batch: the loss, a plain number", plain(mean)
    seen: list[int] = []
    net.register_forward_hook(lambda module, given, result: seen.append(len(given[0])))
    mean = T.training.train_epoch(net, criterion, optimizer, images, numbers, cut(T, rng, 14, 4))
    yield "four batches: their sizes", seen
    yield "five batches: backward was called on each", walked
    yield "five batches: step found gradients each time", stepped
    yield "four batches: the mean of their losses", plain(mean)
    yield "four batches: the weights", [each.detach().clone() for each in net.parameters()]
    means = [
        T.training.train_epoch(net, criterion, optimizer, images, numbers, iter(cut(T, rng, 14, 5))) for _ in range(3)
    ]
    yield "three more passes", [plain(each) for each in means]
    yield "and where they led", [each.detach() for each in net.parameters()]


@check("digits_in_small", lesson=LESSON, points=3, parts=[SIGMOID, LOG_SOFTMAX, NLL, EPOCH])
def digits_in_small(T: Any, rng: np.random.Generator) -> Properties:
    """Ten patterns of 8×8 pixels, drawn at random and blurred by noise, learnt in six passes by a hidden layer."""
    patterns = rng.choice([-1.0, 1.0], (10, 64))
    which = rng.permutation(np.repeat(np.arange(10), 12))
    images = T.tensor(patterns[which] + rng.normal(size=(120, 64)))
    numbers = T.tensor(which)
    net = T.nn.Sequential(*layers(T, rng, 64, 12), T.nn.Sigmoid(), *layers(T, rng, 12, 10))
    optimizer, criterion = T.optim.SGD(net.parameters(), lr=1.0), T.nn.CrossEntropyLoss()

    def right() -> int:
        with T.no_grad():
            return int((net(images).argmax(1) == numbers).sum().item())

    before = right()

    def passes(count: int) -> list[Any]:
        batches = (cut(T, rng, 120, 20) for _ in range(count))
        return [plain(T.training.train_epoch(net, criterion, optimizer, images, numbers, each)) for each in batches]

    yield "the loss of the first pass", passes(1)  # a value of its own: what is wrong here need not run the others
    yield "the loss, pass by pass", passes(5)
    yield "patterns known before and after", [before, right()]
    for name, each in zip(("W1", "b1", "W2", "b2"), net.parameters(), strict=True):
        yield f"{name} after training", each.detach()
