"""Lesson 06, non-scalar outputs: the gradient a root starts with, its errors, and the Jacobian row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.checks import check, raises
from autograder.checks.tensors import leaf

LESSON = "06_non_scalar"
ROOT = "minigrad.autograd.roots.root_gradient"
ROWS = "minigrad.autograd.functional.jacobian_rows"

Properties = Iterator[tuple[Any, ...]]


# ── root_gradient ────────────────────────────────────────────────────────────────────────────────


@check("nothing_given", lesson=LESSON, points=2, parts=[ROOT])
def nothing_given(T: Any, rng: np.random.Generator) -> Properties:
    def gradient(program: Callable[[Any], Any], dtype: str = "float64") -> Callable[[], Any]:
        values = rng.uniform(0.5, 1.5, (2, 3))

        def compute() -> Any:
            x, seen = leaf(T, values, dtype), []
            y = program(x)
            y.register_hook(lambda grad: seen.append(grad.clone()))
            y.backward()
            return [x.grad, seen]

        return compute

    yield "a sum", gradient(lambda x: (x * x).sum())
    yield "one element, without dimensions", gradient(lambda x: x.exp()[1, 2])
    yield "one element in a vector", gradient(lambda x: x.exp().reshape(6)[2:3])
    yield "one element in a matrix", gradient(lambda x: (x * 3.0)[:1, :1])
    yield "in float32", gradient(lambda x: x.exp().mean(), "float32")
    x = leaf(T, rng.normal(size=3))
    T.autograd.backward([(x * x).sum(), (x * 5.0).sum()])
    yield "two outputs, nothing given for either", x.grad
    yield "autograd.grad", lambda: T.autograd.grad((x * x).sum(), x)[0]


@check("a_gradient_given", lesson=LESSON, points=2, parts=[ROOT])
def a_gradient_given(T: Any, rng: np.random.Generator) -> Properties:
    def weighed(program: Callable[[Any], Any], shape: tuple[int, ...]) -> Callable[[], Any]:
        values, weights = rng.uniform(0.5, 1.5, (2, 3)), rng.normal(size=shape)

        def compute() -> Any:
            x = leaf(T, values)
            program(x).backward(T.tensor(weights))
            return x.grad

        return compute

    yield "a vector", weighed(lambda x: x.exp().reshape(6), (6,))
    yield "a matrix", weighed(lambda x: x * x, (2, 3))
    yield "three dimensions", weighed(lambda x: x.reshape(2, 3, 1).exp() * x.reshape(2, 3, 1), (2, 3, 1))
    yield "one number, with a weight", weighed(lambda x: (x * x).sum(), ())
    yield "one element in a vector, with a weight", weighed(lambda x: x.exp().reshape(6)[:1], (1,))
    x = leaf(T, rng.normal(size=3))
    weights = T.tensor(rng.normal(size=3))
    before = weights.clone()
    T.autograd.backward([(x * x).sum(), x.exp(), x * 2.0], [None, weights, T.tensor([1.0, 0.0, 0.0], dtype=T.float64)])
    yield "three outputs, each with its own", x.grad
    yield "the weights are left as they were", [weights, before]
    yield "nor do they come to require grad", weights.requires_grad
    yield "autograd.grad with grad_outputs", lambda: T.autograd.grad(x.exp(), x, weights)[0]

    def for_the_weights() -> Any:
        u, v = leaf(T, rng.normal(size=3)), leaf(T, rng.normal(size=3))
        (product,) = T.autograd.grad(u.exp(), u, v, create_graph=True)
        return T.autograd.grad(product.sum(), v)[0]

    yield "weights that have a history keep it", for_the_weights
    y = leaf(T, rng.normal(size=2), "float32")
    (y * y).backward(T.tensor(rng.normal(size=2)))
    yield "float64 weights for a float32 output", y.grad


@check("what_does_not_fit", lesson=LESSON, points=2, parts=[ROOT])
def what_does_not_fit(T: Any, rng: np.random.Generator) -> Properties:
    x = leaf(T, rng.normal(size=3))

    def says(*shape: int) -> Callable[[], Any]:
        weights = T.tensor(rng.normal(size=shape))
        return lambda: raises(lambda: (x * x).backward(weights))

    yield "three elements, nothing given", lambda: raises((x * x).backward)
    yield "no elements, nothing given", lambda: raises((x * x)[:0].backward)
    yield "a row of three, nothing given", lambda: raises((x * x).reshape(1, 3).backward)
    yield "one element, nothing given", lambda: raises(leaf(T, [2.0]).exp().backward)
    yield "one number for three", says()
    yield "a vector of one for three", says(1)
    yield "a row for a vector", says(1, 3)
    yield "a column for a vector", says(3, 1)
    yield "two for three", says(2)
    two = [T.tensor(2.0), T.tensor(3.0)]
    yield "in the second place", lambda: raises(lambda: T.autograd.backward([x.sum(), x[:1] * 7.0], two))
    yield "nothing in the second place", lambda: raises(lambda: T.autograd.backward([x.sum(), x * x]))
    yield "a vector of one for a number", lambda: raises(lambda: x.sum().backward(T.ones(1)))
    yield "after all this no gradient has arrived", lambda: x.grad is None
    drawn = [says(*shape) for shape in rng.integers(4, 9, (3, 2)).tolist()]
    yield "drawn at random", lambda: [each() for each in drawn]


# ── jacobian_rows ────────────────────────────────────────────────────────────────────────────────


@check("row_by_row", lesson=LESSON, points=3, parts=[ROWS])
def row_by_row(T: Any, rng: np.random.Generator) -> Properties:
    W = T.tensor(rng.normal(size=(2, 3)))
    x, u = T.tensor(rng.uniform(0.5, 1.5, 3)), T.tensor(rng.normal(size=3))

    def jacobian(function: Callable[..., Any], *inputs: Any, **how: bool) -> Callable[[], Any]:
        return lambda: T.autograd.functional.jacobian(function, inputs if len(inputs) > 1 else inputs[0], **how)

    yield "elementwise: a diagonal", jacobian(lambda x: x * x, x)
    yield "a matrix times x: the matrix", jacobian(lambda x: W @ x, x)
    yield "each entry sees the others", jacobian(lambda x: x.exp() / x.exp().sum(), x)
    yield "one number: one row", jacobian(lambda x: (x * x).sum(), x)
    yield "a matrix of outputs", jacobian(lambda x: x.reshape(3, 1) * x.reshape(1, 3), x)
    yield "a matrix of inputs", jacobian(lambda M: M @ x, W)
    yield "two inputs", jacobian(lambda x, u: x * u + u, x, u)
    yield "an input that is not used", jacobian(lambda x, u: x.exp(), x, u)

    def twice() -> Any:
        x_again = leaf(T, x.numpy())
        found = T.autograd.functional.jacobian(lambda x: x * x * x, x_again, create_graph=True)
        found.sum().backward()
        return [found, x_again.grad]

    yield "with a history of its own", twice

    def recorded() -> list[list[bool]]:
        seen: list[list[bool]] = []
        for create_graph in (False, True):
            seen.append([])

            def function(x: Any) -> Any:
                y = x * x
                y.register_hook(lambda grad: seen[-1].append(T.is_grad_enabled()))
                return y

            jacobian(function, x, create_graph=create_graph)()
        return seen

    yield "is the walk recorded, without create_graph and with", recorded, "elementwise: a diagonal"
    yield "an input that is not used, strictly", raises(jacobian(lambda x, u: x.exp(), x, u, strict=True)), "two inputs"


@check("weights_and_rows", lesson=LESSON, points=3, parts=[ROOT, ROWS])
def weights_and_rows(T: Any, rng: np.random.Generator) -> Properties:
    """Three losses of one small network, weighed; each against the sum of weighted rows, and two steps of training."""
    X, target = T.tensor(rng.normal(size=(6, 3))), T.tensor(rng.normal(size=(6, 3)))
    values, weights = rng.normal(size=(3, 3)), T.tensor(rng.uniform(0.1, 10, 3))

    def losses(W: Any) -> Any:
        error = (X @ W).tanh() - target
        return (error * error).mean(0)

    W = leaf(T, values)
    found = T.autograd.functional.jacobian(losses, W.detach())
    yield "the rows", found
    losses(W).backward(weights)
    yield "one backward with weights", W.grad
    yield "the same rows, weighed and added", lambda: (found * weights.reshape(3, 1, 1)).sum(0)
    yield "not all at once without weights", lambda: raises(losses(W).backward)
    steps = []
    for _ in range(2):
        W.grad = None
        losses(W).backward(weights)
        steps.append(losses(W))
        with T.no_grad():
            W -= 0.02 * W.grad
    yield "three losses, step by step", steps
    yield "the matrix after training", W
