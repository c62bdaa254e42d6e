"""Lesson 07, accumulation: what the first gradient, later ones and recorded ones do to `.grad`, and how to clear it.

Whether memory is shared is found out by writing: what is written into one `.grad` must not show up anywhere else.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.checks import check
from autograder.checks.tensors import leaf

LESSON = "07_accumulate"
ACCUMULATE = "minigrad.autograd.accumulate.accumulate"
RECORDED = "minigrad.autograd.accumulate.accumulate_graph"
ZERO_GRAD = "minigrad.optim.Optimizer.zero_grad"

Properties = Iterator[tuple[Any, ...]]


def backward_recorded(loss: Any) -> None:
    """backward(create_graph=True) without torch's warning that such a gradient and its leaf hold each other."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loss.backward(create_graph=True)


# ── accumulate ───────────────────────────────────────────────────────────────────────────────────


@check("first_gradient", lesson=LESSON, points=2, parts=[ACCUMULATE])
def first_gradient(T: Any, rng: np.random.Generator) -> Properties:
    w, c = leaf(T, rng.normal(size=(2, 3))), T.tensor(rng.normal(size=(2, 3)))
    (w * c).sum().backward()
    yield "its value", w.grad
    yield "it has no history", lambda: [w.grad.requires_grad, w.grad.is_leaf, w.grad.grad_fn is None]
    small = leaf(T, rng.normal(size=2), "float32")
    (small * 3.0).sum().backward()
    yield "it is of the leaf's dtype", small.grad
    number = leaf(T, rng.normal())
    (number * number).backward()
    yield "of a leaf without dimensions", number.grad

    def two_leaves() -> list[Any]:
        a, b, v = leaf(T, [1.0, 2.0]), leaf(T, [3.0, 4.0]), T.tensor(rng.normal(size=2))
        (a + b).backward(v)
        a.grad.mul_(10.0)
        return [a.grad, b.grad, v]

    def given_by_hand() -> list[Any]:
        a, v = leaf(T, [1.0, 2.0]), T.tensor(rng.normal(size=2))
        a.backward(v)
        a.grad.mul_(10.0)
        return [a.grad, v]

    def stretched() -> Any:
        a = leaf(T, rng.normal(size=3))
        a.sum().backward()
        a.grad[0] = 7.0
        return a.grad

    def brand_new() -> bool:
        """Whether the array that a rule has just made, and nobody else holds, is the one that `.grad` shows."""
        made = []

        class Doubled(T.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                return x * 2.0

            @staticmethod
            def backward(ctx: Any, *grads: Any) -> Any:
                found = grads[0] * 2.0
                made.append(found.data_ptr())
                return found

        a = leaf(T, rng.normal(size=3))
        Doubled.apply(a).sum().backward()
        return [a.grad.data_ptr()] == made

    yield "two leaves of one sum share nothing", two_leaves
    yield "the gradient given to backward stays as it was", given_by_hand
    yield "written to in one place only", stretched
    yield "a brand-new gradient is taken over, not copied", brand_new


@check("gradients_add_up", lesson=LESSON, points=2, parts=[ACCUMULATE])
def gradients_add_up(T: Any, rng: np.random.Generator) -> Properties:
    x = leaf(T, rng.normal(size=(2, 2)))
    y = x.sum()
    seen = []
    for _ in range(3):
        y.backward()
        seen.append(x.grad.clone())
    yield "three times through one sum", seen
    held, before = x.grad, x.grad._version
    (x * x).sum().backward()
    yield "another graph on top", x.grad
    yield "the same tensor as before", x.grad is held
    yield "whoever holds it sees the sum", held
    yield "one write more on the version counter", held._version - before
    yield "the leaf itself stays as it was", x
    number = leaf(T, rng.normal())
    for factor in rng.normal(size=3):
        (number * float(factor)).backward()
    yield "of a leaf without dimensions", number.grad
    own, w = T.tensor(rng.normal(size=2)), leaf(T, rng.normal(size=2))
    w.grad = own
    (w * w).sum().backward()
    yield "added to what was put there by hand", [w.grad, own]
    w.grad = None
    (w * 2.0).sum().backward()
    yield "after None it begins anew", [w.grad, own]
    a, b = leaf(T, rng.normal(size=2)), leaf(T, rng.normal(size=2))
    for _ in range(2):
        (a + b).backward(T.tensor(rng.normal(size=2)))
    yield "of two leaves that get one and the same gradient", [a.grad, b.grad]


@check("micro_batches", lesson=LESSON, points=2, parts=[ACCUMULATE])
def micro_batches(T: Any, rng: np.random.Generator) -> Properties:
    """One batch in one piece, in pieces of a mean each, and in pieces that are weighted by their share."""
    X, Y = T.tensor(rng.normal(size=(10, 3))), T.tensor(rng.normal(size=(10, 1)))
    W, b = leaf(T, rng.normal(size=(3, 1))), leaf(T, rng.normal(size=1))

    def loss(start: int, end: int) -> Any:
        error = (X[start:end] @ W + b).tanh() - Y[start:end]
        return (error * error).mean()

    def gradients(pieces: list[tuple[int, int]], share: bool) -> list[Any]:
        W.grad = b.grad = None
        for start, end in pieces:
            (loss(start, end) * ((end - start) / 10 if share else 1.0)).backward()
        return [W.grad, b.grad]

    equal, ragged = [(0, 5), (5, 10)], [(0, 4), (4, 8), (8, 10)]
    yield "in one piece", gradients([(0, 10)], share=False)
    yield "two halves, unscaled", gradients(equal, share=False)
    yield "two halves, each by its share", gradients(equal, share=True)
    yield "three unequal pieces, unscaled", gradients(ragged, share=False)
    yield "three unequal pieces, each by its share", gradients(ragged, share=True)


# ── accumulate_graph ─────────────────────────────────────────────────────────────────────────────


@check("gradients_with_history", lesson=LESSON, points=2, parts=[RECORDED])
def gradients_with_history(T: Any, rng: np.random.Generator) -> Properties:
    w = leaf(T, rng.uniform(0.5, 2, 3))
    backward_recorded((w * w * w).sum())
    first = w.grad
    yield "the first one", first
    yield "it has a history", lambda: [first.requires_grad, first.grad_fn is not None]
    backward_recorded((w * w).sum())
    yield "the sum", w.grad
    yield "a new tensor, also with a history", lambda: [w.grad is first, w.grad.requires_grad]
    yield "whoever holds the first one reads what it was", first
    w.grad = None
    a, b = leaf(T, rng.normal(size=2)), leaf(T, rng.normal(size=2))
    backward_recorded((a + b).sum())
    yield "two leaves of one sum share nothing", a.grad is b.grad
    a.grad = b.grad = None

    def once_more() -> Any:
        """The gradient of the gradients' squares: what the history is for."""
        u = leaf(T, [1.5, -0.5])
        backward_recorded((u * u * u).sum())
        backward_recorded((u * u).sum())
        grad, u.grad = u.grad, None
        (grad * grad).sum().backward()
        return u.grad

    yield "a gradient of the sum", once_more


# ── zero_grad ────────────────────────────────────────────────────────────────────────────────────


def optimizer(T: Any, draw: Callable[..., Any]) -> tuple[Any, list[Any]]:
    """Three parameters, of which the middle one has no gradient."""
    params = [leaf(T, draw(size=shape)) for shape in ((2, 3), (2,), ())]
    ((params[0] ** 2).sum() + params[2] * 3.0).backward()
    return T.optim.SGD(params, lr=0.1), params


@check("zero_grad_none", lesson=LESSON, points=2, parts=[ZERO_GRAD])
def zero_grad_none(T: Any, rng: np.random.Generator) -> Properties:
    opt, params = optimizer(T, rng.normal)
    held = params[0].grad
    opt.zero_grad()
    yield "None is the default", [p.grad is None for p in params]
    weights = T.tensor(rng.normal(size=(2, 3)))
    ((params[0] * weights).sum() + params[1].sum()).backward()
    yield "the next gradients", [params[0].grad, params[1].grad]
    yield "whoever held the gradient keeps it", held, "the next gradients"
    yield "the parameters stay", params, "the next gradients"
    opt.zero_grad(set_to_none=True)
    yield "None when asked for", [p.grad is None for p in params]
    opt.zero_grad()
    yield "twice does no harm", [p.grad is None for p in params]


@check("zero_grad_zeros", lesson=LESSON, points=2, parts=[ZERO_GRAD])
def zero_grad_zeros(T: Any, rng: np.random.Generator) -> Properties:
    opt, params = optimizer(T, rng.normal)
    first, _, last = (p.grad for p in params)
    opt.zero_grad(set_to_none=False)
    yield "zeros", [params[0].grad, params[2].grad]
    yield "where there was none there is none", params[1].grad is None, "zeros"
    yield "in the same tensors", [params[0].grad is first, params[2].grad is last], "zeros"
    weights = T.tensor(rng.normal(size=(2, 3)))
    ((params[0] * weights).sum() + params[2] * weights[0, 0]).backward()
    added = "the next gradients are added to the zeros"
    yield added, [params[0].grad, params[2].grad]
    yield "the parameters stay", params, added
    w = leaf(T, [0.0, 1.0])
    w.log().sum().backward()  # inf at 0
    T.optim.SGD([w], lr=0.1).zero_grad(set_to_none=False)
    yield "zeros where it was infinite", w.grad
    u = leaf(T, rng.uniform(0.5, 2, 3))
    backward_recorded((u * u * u).sum())
    T.optim.SGD([u], lr=0.1).zero_grad(set_to_none=False)
    yield "zeros in a gradient with a history", u.grad
    yield "and without it now", lambda: [u.grad.requires_grad, u.grad.grad_fn is None]


@check("accumulation_in_training", lesson=LESSON, points=3, parts=[ACCUMULATE, RECORDED, ZERO_GRAD])
def accumulation_in_training(T: Any, rng: np.random.Generator) -> Properties:
    """A small network, each step in two micro-batches, cleared in either way; now and then a recorded gradient."""
    X, Y = T.tensor(rng.normal(size=(8, 2))), T.tensor(rng.normal(size=(8, 1)))
    values = [rng.normal(size=shape) for shape in ((2, 5), (5,), (5, 1), (1,))]
    side = rng.normal(size=3)

    def train(to_none: bool) -> tuple[list[Any], list[Any], float]:
        params, extra = [leaf(T, v) for v in values], leaf(T, side)
        opt = T.optim.SGD([*params, extra], lr=0.05, momentum=0.9)
        gradients = []
        for step in range(4):
            opt.zero_grad(set_to_none=to_none)
            for half in (X[:4], Y[:4]), (X[4:], Y[4:]):
                error = (half[0] @ params[0] + params[1]).tanh() @ params[2] + params[3] - half[1]
                loss = (error * error).mean() / 2.0
                if step == 0:
                    loss = loss + (extra * extra).sum()
                backward_recorded(loss) if step == 2 else loss.backward()
            gradients.append([p.grad.detach().clone() for p in params])
            opt.step()
        opt.zero_grad()
        return gradients, [*params, extra], loss.item()

    for to_none in (True, False):
        how = "cleared to None" if to_none else "cleared to zeros"
        gradients, params, loss = train(to_none)
        for i, step in enumerate(gradients):
            yield f"{how}: gradients of step {i + 1}", step
        yield f"{how}: parameters after four steps", params[:-1]
        yield f"{how}: a parameter used in the first step only", params[-1]
        yield f"{how}: the last loss", loss
