"""What the engine's benchmark runs: each workload is data and one loss, written once for every engine.

A loss takes an engine's vocabulary `E` (see engines.py) and its own tensors, and uses nothing but operators and that
vocabulary, so all engines run literally the same lines. This module measures nothing and knows no engine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Arrays = dict[str, Any]
RATE = 1e-3  # of the steps that update their parameters


@dataclass(frozen=True)
class Workload:
    """One row of the table.

    data: arrays by name, drawn from a generator; `quick` makes them small. loss(E, **tensors) → a scalar. wants: which
    of them get a gradient. trains: the step also moves them against it. ops: recorded operations in one step, to give
    the time of one. second: v, whose product with the Hessian in x is wanted instead of the gradient.
    net(nn) → modules, instead of wants and trains: loss(E, net, **tensors), and optimizer(optim, parameters) steps. Their
    parameters are the data with a dot in the name.
    goal: (what is compared with, the largest ratio promised).
    """

    key: str
    zh: str
    en: str
    data: Callable[[np.random.Generator, bool], Arrays]
    loss: Callable[..., Any]
    wants: tuple[str, ...]
    goal: tuple[str, float] | None
    trains: bool = False
    second: str | None = None
    ops: int = 1
    only: frozenset[str] = field(default_factory=frozenset)  # engines that have what it takes; empty: all
    net: Callable[[Any], Any] | None = None
    optimizer: Callable[[Any, Any], Any] | None = None


def normal(rng: np.random.Generator, *shape: int, scale: float = 1.0) -> Any:
    """Normally distributed float32."""
    return (rng.standard_normal(shape) * scale).astype(np.float32)


def layers(rng: np.random.Generator, *sizes: int) -> Arrays:
    """Weights and biases w1, b1, w2, … of a network with these widths (He's scale)."""
    found: Arrays = {}
    for i, (inputs, outputs) in enumerate(zip(sizes, sizes[1:], strict=False), 1):
        found[f"w{i}"] = normal(rng, inputs, outputs, scale=(2 / inputs) ** 0.5)
        found[f"b{i}"] = normal(rng, outputs, scale=0.01)
    return found


PARAMETERS = ("w1", "b1", "w2", "b2", "w3", "b3")

# ------------------------------------------------------------------ one operation after another


def chain_data(rng: np.random.Generator, quick: bool) -> Arrays:
    return {"x": np.full(1, 0.7, np.float32), "a": np.full(1, 0.999, np.float32), "b": np.full(1, 0.002, np.float32)}


def chain(E: Any, x: Any, a: Any, b: Any) -> Any:
    y = x
    for _ in range(500):
        y = y * a
        y = y + b
    return E.sum(y)


def braid_data(rng: np.random.Generator, quick: bool) -> Arrays:
    return {
        "x": normal(rng, 8),
        "a": 0.45 + normal(rng, 8, scale=0.01),
        "b": 0.55 + normal(rng, 8, scale=0.01),
    }


def braid(E: Any, x: Any, a: Any, b: Any) -> Any:
    for _ in range(200):
        x = x * a + x * b
    return E.sum(x)


# ------------------------------------------------------------------ large arrays


def pointwise_data(rng: np.random.Generator, quick: bool) -> Arrays:
    n = 20 if quick else 1000
    return {"x": normal(rng, n, n, scale=0.5), "y": normal(rng, n, n, scale=0.5)}


def pointwise(E: Any, x: Any, y: Any) -> Any:
    u = x * y
    return E.sum(E.tanh(u) * E.exp(x) + u)


def broadcast_data(rng: np.random.Generator, quick: bool) -> Arrays:
    n = 16 if quick else 512
    return {"a": normal(rng, n, 1), "b": normal(rng, 1, n)}


def broadcast(E: Any, a: Any, b: Any) -> Any:
    rows = E.sum((a + b) * a * b, 1)
    return E.sum(rows * rows)


# ------------------------------------------------------------------ networks


def classifier_data(rng: np.random.Generator, quick: bool) -> Arrays:
    batch, inputs = (8, 20) if quick else (128, 784)
    hot = np.eye(10, dtype=np.float32)[rng.integers(0, 10, batch)]
    return {
        "x": normal(rng, batch, inputs),
        "hot": hot,
        **layers(rng, inputs, *((16, 12) if quick else (256, 128)), 10),
    }


def classifier(E: Any, x: Any, hot: Any, w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any) -> Any:
    h = E.relu(x @ w1 + b1)
    h = E.relu(h @ w2 + b2)
    return E.sum(E.log_softmax(h @ w3 + b3) * hot) * (-1.0 / len(hot))


def tiny_data(rng: np.random.Generator, quick: bool) -> Arrays:
    x = normal(rng, 32, 2)
    y = np.where(x[:, :1] * x[:, 1:] > 0, 1, -1).astype(np.float32)
    return {"x": x, "y": y, **layers(rng, 2, 16, 16, 1)}


def tiny(E: Any, x: Any, y: Any, w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any) -> Any:
    h = E.relu(x @ w1 + b1)
    h = E.relu(h @ w2 + b2)
    return E.sum(E.relu(1.0 - y * (h @ w3 + b3))) * (1.0 / len(x))


def images_data(rng: np.random.Generator, quick: bool) -> Arrays:
    batch = 2 if quick else 16
    return {
        "x": normal(rng, batch, 1, 12, 12),
        "hot": np.eye(10, dtype=np.float32)[rng.integers(0, 10, batch)],
        "kernel": normal(rng, 8, 1, 3, 3, scale=0.3),
        "bias": normal(rng, 8, scale=0.01),
        "w": normal(rng, 200, 10, scale=0.1),
    }


def images(E: Any, x: Any, hot: Any, kernel: Any, bias: Any, w: Any) -> Any:
    h = E.max_pool2d(E.relu(E.conv2d(x, kernel, bias)), 2)
    return E.sum(E.log_softmax(h.reshape(len(x), 200) @ w) * hot) * (-1.0 / len(x))


def words_data(rng: np.random.Generator, quick: bool) -> Arrays:
    batch, width = (2, 8) if quick else (8, 64)
    square = {name: normal(rng, width, width, scale=width**-0.5) for name in ("q", "k", "v", "o")}
    wide = {"up": normal(rng, width, 2 * width, scale=0.1), "down": normal(rng, 2 * width, width, scale=0.1)}
    return {"x": normal(rng, batch, 16, width), "target": normal(rng, batch, 16, width), **square, **wide}


def words(E: Any, x: Any, target: Any, q: Any, k: Any, v: Any, o: Any, up: Any, down: Any) -> Any:
    width = x.shape[-1]
    h = x + E.attention(x @ q, x @ k, x @ v) @ o
    h = E.layer_norm(h, width)
    h = E.layer_norm(h + E.relu(h @ up) @ down, width)
    return E.sum((h - target) ** 2) * (1.0 / width)


# ------------------------------------------------------------------ as most programs train


def digits_data(rng: np.random.Generator, quick: bool) -> Arrays:
    found: Arrays = {"x": normal(rng, 32, 64), "y": rng.integers(0, 10, 32)}
    for i, (inputs, outputs) in {0: (64, 32), 2: (32, 32), 4: (32, 10)}.items():
        found[f"{i}.weight"] = normal(rng, outputs, inputs, scale=inputs**-0.5)
        found[f"{i}.bias"] = normal(rng, outputs, scale=0.01)
    return found


def digits_net(nn: Any) -> Any:
    return nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 10))


def digits(E: Any, net: Any, x: Any, y: Any) -> Any:
    return E.m.nn.functional.cross_entropy(net(x), y)


# ------------------------------------------------------------------ second derivatives


def bowl_data(rng: np.random.Generator, quick: bool) -> Arrays:
    n = 8 if quick else 256
    return {"x": normal(rng, n), "w": normal(rng, n, n, scale=n**-0.5), "v": normal(rng, n)}


def bowl(E: Any, x: Any, w: Any, v: Any) -> Any:
    return E.sum(E.tanh(w @ x) ** 3)


MODERN = frozenset({"torch", "minigrad"})
WORKLOADS = [
    Workload("chain", "1000 次乘、加，1 个元素，都要梯度", "1,000 mul and add on 1 element, all want gradients",
             chain_data, chain, ("x", "a", "b"), ("torch", 0.5), ops=1000),
    Workload("chain_x", "同一条链，只有 x 要梯度", "the same chain, only x wants one",
             chain_data, chain, ("x",), ("torch", 0.5), ops=1000),
    Workload("braid", "200 层 x = x·a + x·b，8 个元素", "200 layers x = x·a + x·b, 8 elements",
             braid_data, braid, ("x", "a", "b"), ("torch", 0.5), ops=600),
    Workload("pointwise", "exp、tanh、乘、加，1000×1000", "exp, tanh, mul, add, 1000×1000",
             pointwise_data, pointwise, ("x", "y"), ("numpy", 1.3)),
    Workload("broadcast", "(512,1) 与 (1,512) 广播，按行求和", "(512,1) against (1,512), sums by row",
             broadcast_data, broadcast, ("a", "b"), ("numpy", 1.2)),
    Workload("classifier", "MLP 784-256-128-10 一步，批量 128", "MLP 784-256-128-10, one step, batch 128",
             classifier_data, classifier, PARAMETERS, ("numpy", 1.12), trains=True),
    Workload("tiny", "MLP 2-16-16-1 一步，批量 32", "MLP 2-16-16-1, one step, batch 32",
             tiny_data, tiny, PARAMETERS, ("torch", 0.5), trains=True),
    Workload("hessian", "Hessian 乘向量，Σ tanh(Wx)³，256", "Hessian times vector, Σ tanh(Wx)³, 256",
             bowl_data, bowl, ("x",), ("torch", 0.6), second="v", only=MODERN | {"autograd", "numpy"}),
    Workload("images", "卷积网络一步，批量 16，12×12", "CNN, one step, batch 16, 12×12",
             images_data, images, ("kernel", "bias", "w"), None, trains=True, only=MODERN),
    Workload("words", "Transformer 一层一步，8×16×64", "Transformer block, one step, 8×16×64",
             words_data, words, ("q", "k", "v", "o", "up", "down"), None, trains=True, only=MODERN),
    Workload("sgd", "nn.Linear 64-32-32-10 一步，cross_entropy，带动量的 SGD，批量 32",
             "nn.Linear 64-32-32-10, one step, cross_entropy, SGD with momentum, batch 32",
             digits_data, digits, (), None, only=MODERN, net=digits_net,
             optimizer=lambda optim, parameters: optim.SGD(parameters, lr=RATE, momentum=0.9)),
    Workload("adam", "同一个网络，Adam", "the same network, Adam", digits_data, digits, (), None, only=MODERN,
             net=digits_net, optimizer=lambda optim, parameters: optim.Adam(parameters, lr=RATE)),
]  # fmt: skip
