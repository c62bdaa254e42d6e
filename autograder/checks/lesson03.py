"""Lesson 03, local derivatives: is each rule the vector-Jacobian product that torch computes?

Every gradient arrives through a random upstream vector, so that a forgotten `grad` shows; shapes broadcast,
matrices are square only once, inputs hold zeros, ties and negatives. Gradients of intermediate results and of a
product of many leaves are asked for too: there a difference quotient in the rule's place is wrong or slow.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.checks import check
from autograder.checks.draws import both_signs
from autograder.checks.tensors import leaf, pull

LESSON = "03_local_derivatives"
POINTWISE, REDUCE, LINALG = "minigrad.ops.pointwise.", "minigrad.ops.reduce.", "minigrad.ops.linalg."

MUL = [POINTWISE + "mul_vjp_self", POINTWISE + "mul_vjp_other"]
DIV = [POINTWISE + "div_vjp_self", POINTWISE + "div_vjp_other"]
POW = [POINTWISE + "pow_vjp"]
EXP_LOG = [POINTWISE + "exp_vjp", POINTWISE + "log_vjp"]
TANH = [POINTWISE + "tanh_vjp"]
RELU = [POINTWISE + "relu_vjp"]
SUM = [REDUCE + "sum_vjp"]
MEAN = [REDUCE + "mean_vjp"]
MATMUL = [LINALG + "matmul_vjp_self", LINALG + "matmul_vjp_mat2"]

Properties = Iterator[tuple[Any, ...]]


# ── What every check here does ───────────────────────────────────────────────────────────────────


def gradient(
    T: Any, rng: np.random.Generator, f: Callable[[Any], Any], values: Any, dtype: str = "float64"
) -> Callable[[], Any]:
    """When called: the gradient of f at `values`, pulled back from a random upstream gradient."""

    def compute() -> Any:
        x = leaf(T, values, dtype)
        pull(T, rng, f(x))
        return x.grad

    return compute


def output(T: Any, rng: np.random.Generator, f: Callable[[Any], Any], values: Any) -> Callable[[], Any]:
    """When called: f(x), as backward has left it."""

    def compute() -> Any:
        y = f(leaf(T, values))
        pull(T, rng, y)
        return y.detach()

    return compute


def in_the_middle(T: Any, rng: np.random.Generator, f: Any, g: Any, values: Any) -> Callable[[], Any]:
    """When called: the gradients that reach m = f(x) and x from g(m)."""

    def compute() -> Any:
        x = leaf(T, values)
        middle = f(x)
        middle.retain_grad()
        pull(T, rng, g(middle))
        return [middle.grad, x.grad]

    return compute


def sibling(T: Any, rng: np.random.Generator, f: Callable[[Any], Any], values: Any) -> Callable[[], Any]:
    """When called: what the other branch of a sum receives, after f's rule has had the same gradient in hand."""

    def compute() -> Any:
        w, x = leaf(T, np.ones_like(values)), leaf(T, values)
        pull(T, rng, -w + f(x))  # f is recorded last, so its rule runs first
        return w.grad

    return compute


def away_from_zero(rng: np.random.Generator, *shape: int) -> Any:
    """Numbers of both signs and of a size between 0.5 and 2.5."""
    return both_signs(rng, 0.5, 2.5, *shape)


# ── One operation at a time ──────────────────────────────────────────────────────────────────────


@check("mul_backward", lesson=LESSON, points=2, parts=MUL)
def mul_backward(T: Any, rng: np.random.Generator) -> Properties:
    a, b = rng.normal(size=(2, 3, 4))
    row, column = rng.normal(size=4), rng.normal(size=(3, 1))
    yield "a in a * b", gradient(T, rng, lambda x: x * T.tensor(b), a)
    yield "b in a * b", gradient(T, rng, lambda x: T.tensor(a) * x, b)
    yield "a row, stretched over a column", gradient(T, rng, lambda x: x * T.tensor(column), row)
    yield "a column, stretched over a row", gradient(T, rng, lambda x: T.tensor(row) * x, column)
    yield (
        "x * x, both sides the same, float32",
        gradient(T, rng, lambda x: x * x, rng.normal(size=5), "float32"),
    )
    yield (
        "zeros among the factors, float32",
        gradient(T, rng, lambda x: x * x * 3.0, np.r_[0.0, rng.normal(size=3), -0.0], "float32"),
    )
    yield "the other branch of a sum", sibling(T, rng, lambda x: x * x * x, away_from_zero(rng, 4))
    factors = [leaf(T, value) for value in away_from_zero(rng, 60) / 1.4]
    product = factors[0]
    for each in factors[1:]:
        product = product * each
    pull(T, rng, product)
    yield "a product of 60 leaves", [each.grad for each in factors]


@check("div_backward", lesson=LESSON, points=2, parts=DIV)
def div_backward(T: Any, rng: np.random.Generator) -> Properties:
    a, b = rng.normal(size=(3, 4)), away_from_zero(rng, 3, 4)
    row, column = away_from_zero(rng, 4), away_from_zero(rng, 3, 1)
    yield "a in a / b", gradient(T, rng, lambda x: x / T.tensor(b), a)
    yield "b in a / b", gradient(T, rng, lambda x: T.tensor(a) / x, b)
    yield "a row above a column", gradient(T, rng, lambda x: x / T.tensor(column), row)
    yield "a column below a row", gradient(T, rng, lambda x: T.tensor(row) / x, column)
    yield "one over x, float32", gradient(T, rng, lambda x: 1.0 / x, away_from_zero(rng, 5), "float32")
    yield "a quarter of x, float32", gradient(T, rng, lambda x: x / 4.0, rng.normal(size=4), "float32")
    yield "the other branch of a sum", sibling(T, rng, lambda x: x / 4.0, away_from_zero(rng, 4)), "a in a / b"
    yield (
        "x / y where both depend on x",
        in_the_middle(T, rng, lambda x: x / 4.0, lambda m: m / (m + 8.0), row),
    )


@check("pow_backward", lesson=LESSON, points=2, parts=POW)
def pow_backward(T: Any, rng: np.random.Generator) -> Properties:
    def power(exponent: float, values: Any, dtype: str = "float64") -> Callable[[], Any]:
        return gradient(T, rng, lambda x: x**exponent, values, dtype)

    yield "x ** 2", power(2, rng.normal(size=(2, 3)))
    yield "x ** 3, negative x, float32", power(3, -rng.uniform(0.5, 2, 4), "float32")
    yield "x ** 2.5", power(2.5, rng.uniform(0.5, 2, 4))
    yield "x ** -2", power(-2, away_from_zero(rng, 5))
    with_zero = np.r_[0.0, away_from_zero(rng, 2), -0.0]
    steady = "x ** 1, also where x is 0"
    yield steady, power(1, with_zero), "x ** 2"
    yield "x ** 0, also where x is 0", power(0, with_zero), steady
    yield "x ** 0 of a matrix, float32", power(0, rng.normal(size=(2, 3)), "float32"), steady
    yield "x ** 2, also where x is 0", power(2, with_zero)
    yield "x ** 2.5 has no slope below 0", power(2.5, np.r_[-rng.uniform(0.5, 2, 2), rng.uniform(0.5, 2, 2)])
    yield "x ** 0.5 at 0 is infinitely steep", power(0.5, np.r_[np.zeros(8), rng.uniform(0.5, 2, 2)])
    yield "the other branch of a sum", sibling(T, rng, lambda x: x**3, away_from_zero(rng, 4)), "x ** 2"
    yield "x ** 0.0, also where x is 0", power(0.0, with_zero), steady
    steep = gradient(T, rng, lambda x: (x**0 - 1.0).sqrt(), away_from_zero(rng, 4))
    yield "x ** 0 stops an infinite gradient", steep, steady


@check("exp_log_backward", lesson=LESSON, points=2, parts=EXP_LOG)
def exp_log_backward(T: Any, rng: np.random.Generator) -> Properties:
    small = rng.uniform(-30, -5, 4)
    yield "exp", gradient(T, rng, lambda x: x.exp(), rng.normal(size=(3, 4)))
    yield "exp far below zero, float32", gradient(T, rng, lambda x: x.exp(), small, "float32")
    yield "log", gradient(T, rng, lambda x: x.log(), rng.uniform(0.1, 5, (3, 4)))
    yield "log near and at zero", gradient(T, rng, lambda x: x.log(), [0.0, 1e-12, 0.25, 1e6])
    yield "the other branch of a sum: exp", sibling(T, rng, lambda x: x.exp(), rng.normal(size=4)), "exp"
    yield "the other branch of a sum: log", sibling(T, rng, lambda x: x.log(), rng.uniform(2, 3, 4)), "log"
    twice = in_the_middle(T, rng, lambda x: (x + x).log(), lambda m: m.exp().log(), rng.uniform(0.5, 2, (2, 3)))
    yield "log, then exp, then log", twice
    yield "the output is left as it was", output(T, rng, lambda x: x.exp(), rng.normal(size=4)), "exp"
    below = -rng.uniform(0.5, 2, 3)  # beside the slopes near zero theirs would be too small to count
    yield "log below zero is nan, its slope 1 / x", gradient(T, rng, lambda x: x.log(), below), "log"


@check("tanh_backward", lesson=LESSON, points=1, parts=TANH)
def tanh_backward(T: Any, rng: np.random.Generator) -> Properties:
    yield "tanh", gradient(T, rng, lambda x: x.tanh(), rng.normal(size=(3, 4)))
    flat = [-20.0, -3.0, 0.0, 3.0]
    yield "where it is almost flat, float32", gradient(T, rng, lambda x: x.tanh(), flat, "float32")
    yield "the other branch of a sum", sibling(T, rng, lambda x: x.tanh(), rng.normal(size=4))
    five = in_the_middle(T, rng, lambda x: x.tanh().tanh(), lambda m: m.tanh().tanh().tanh(), rng.normal(size=6))
    yield "five times in a row", five
    yield "the output is left as it was", output(T, rng, lambda x: x.tanh(), rng.normal(size=4))


@check("relu_backward", lesson=LESSON, points=1, parts=RELU)
def relu_backward(T: Any, rng: np.random.Generator) -> Properties:
    kink = np.r_[0.0, away_from_zero(rng, 4), -0.0, 0.0]
    yield "relu", gradient(T, rng, lambda x: x.relu(), away_from_zero(rng, 3, 4))
    yield "at the kink", gradient(T, rng, lambda x: x.relu(), kink)
    yield (
        "large values, float32",
        gradient(T, rng, lambda x: x.relu(), 50 * away_from_zero(rng, 6), "float32"),
    )
    yield "an infinite gradient is stopped", gradient(T, rng, lambda x: x.relu().sqrt(), away_from_zero(rng, 6))
    yield "the other branch of a sum", sibling(T, rng, lambda x: x.relu(), away_from_zero(rng, 8))
    deep = in_the_middle(T, rng, lambda x: x.relu(), lambda m: (m - 1.0).relu(), 2 * away_from_zero(rng, 8))
    yield "relu of a relu", deep


def reduced(T: Any, rng: np.random.Generator, name: str) -> Properties:
    """sum or mean over every choice of dimensions; each result meets an upstream gradient of its shape."""
    cases: dict[str, dict[str, Any]] = {
        "all": {},
        "dim 0": {"dim": 0},
        "dim 1, float32": {"dim": 1},
        "the last dim": {"dim": -1},
        "dim 1, kept": {"dim": 1, "keepdim": True},
        "dims 0 and 2": {"dim": (0, 2)},
        "dims 1 and 0": {"dim": (1, 0)},
        "dims 0 and 1": {"dim": (0, 1)},
        "dims -1 and 0, kept": {"dim": (-1, 0), "keepdim": True},
    }
    for label, where in cases.items():
        dtype = "float32" if "float32" in label else "float64"
        along = functools.partial(lambda where, x: getattr(x, name)(**where), where)
        yield label, gradient(T, rng, along, rng.normal(size=(2, 3, 4)), dtype)
    yield "rows of a square matrix", gradient(T, rng, lambda x: getattr(x, name)(1), rng.normal(size=(3, 3)))

    def centred(x: Any) -> Any:
        return x - getattr(x, name)(1, keepdim=True)

    def beside() -> Any:
        w, x = leaf(T, rng.normal(size=3)), leaf(T, rng.normal(size=(3, 4)))
        pull(T, rng, -w + getattr(x, name)(1))  # recorded last, so its rule runs first
        return w.grad

    yield "the other branch of a sum", beside
    yield "a hundred rows", gradient(T, rng, lambda x: getattr(x, name)(0), rng.normal(size=(100, 50)))
    yield "each row less its own", in_the_middle(T, rng, lambda x: x + 1.0, centred, rng.normal(size=(3, 4)))


@check("sum_backward", lesson=LESSON, points=2, parts=SUM)
def sum_backward(T: Any, rng: np.random.Generator) -> Properties:
    yield from reduced(T, rng, "sum")


@check("mean_backward", lesson=LESSON, points=2, parts=MEAN)
def mean_backward(T: Any, rng: np.random.Generator) -> Properties:
    yield from reduced(T, rng, "mean")


@check("matmul_backward", lesson=LESSON, points=3, parts=MATMUL)
def matmul_backward(T: Any, rng: np.random.Generator) -> Properties:
    shapes = {
        "": ((3, 4), (4, 2)),
        "square, float32: ": ((3, 3), (3, 3)),
        "a batch: ": ((2, 3, 4), (2, 4, 5)),
    }
    for case, (left, right) in shapes.items():
        dtype = "float32" if "float32" in case else "float64"
        a, b = rng.normal(size=left).astype(dtype), rng.normal(size=right).astype(dtype)
        yield case + "left", gradient(T, rng, functools.partial(lambda b, x: x @ T.tensor(b), b), a, dtype)
        yield case + "right", gradient(T, rng, functools.partial(lambda a, x: T.tensor(a) @ x, a), b, dtype)
    yield "x @ x", gradient(T, rng, lambda x: x @ x, rng.normal(size=(3, 3)))
    first, last = T.tensor(rng.normal(size=(2, 3))), T.tensor(rng.normal(size=(5, 1)))
    chain = in_the_middle(T, rng, lambda x: first @ x, lambda m: m @ last, rng.normal(size=(3, 5)))
    yield "a chain of three", chain


# ── All rules together ───────────────────────────────────────────────────────────────────────────


EVERY = MUL + DIV + POW + EXP_LOG + TANH + RELU + SUM + MEAN + MATMUL


@check("derivatives_in_a_network", lesson=LESSON, points=3, parts=EVERY)
def derivatives_in_a_network(T: Any, rng: np.random.Generator) -> Properties:
    """Two hidden layers, a gate, shares of a whole and a penalty, in the lesson's operations, trained for three steps.

    Three groups of five, each group with a second matrix of its own; dimensions are summed in several ways; biases
    begin at zero, where powers are delicate; and four times a rule's gradient is needed once more, by a neighbour.
    """
    X, weight = T.tensor(rng.normal(size=(3, 5, 2))), T.tensor(rng.uniform(0.5, 1.5, 4))
    target = T.tensor(np.eye(4)[rng.integers(0, 4, (3, 5))])
    shapes = {"W1": (2, 8), "b1": (8,), "gate": (8,), "W2": (3, 8, 6), "b2": (6,), "W3": (6, 4), "b3": (4,)}
    params = {
        name: leaf(T, np.zeros(shape) if name[0] == "b" else rng.normal(size=shape) * 0.6)
        for name, shape in shapes.items()
    }
    for step in ("first", "second", "third"):
        line = X @ params["W1"] + params["b1"]
        bent = line.tanh()
        both = line + bent
        hidden = both + both * params["gate"]
        inner = hidden @ params["W2"] + params["b2"]
        again = inner + inner.relu()
        for each in (hidden, again):
            each.retain_grad()
        marks = (again @ params["W3"]).sum(1, keepdim=True) / 5.0 + again.mean(-1, keepdim=True) + params["b3"]
        square, steep = marks * marks, marks.exp()
        scores = square + steep
        chance = scores / scores.sum(2, keepdim=True)
        powers = sum((params["b1"] ** k).sum() + (params["b3"] ** k).mean() for k in range(4))
        penalty = (params["W2"] ** 2).mean((2, 0)).sum() + 0.3 * powers
        loss = -((chance.log() * target).sum((1, 0)) * weight).mean() / 4.0 + 0.1 * penalty
        for each in params.values():
            each.grad = None
        loss.backward()
        yield f"{step} step: the loss", loss.item()
        yield f"{step} step: gradients of both hidden layers", [hidden.grad, again.grad]
        for name, each in params.items() if step != "second" else ():
            yield f"{step} step: gradient of {name}", each.grad.clone()
        with T.no_grad():
            for each in params.values():
                each -= 0.2 * each.grad
    yield "what tanh and exp gave is left as it was", [bent.detach(), steep.detach()], "third step: the loss"
    yield "the weights after training", list(params.values())
