"""Lesson 11, higher-order derivatives: rules that can be differentiated again, the Hessian's product, Newton's step.

A rule is asked for its first derivative on arrays and for the second to fourth on tensors, so one that leaves the
graph shows at once. The product meets Hessians that are not diagonal, tensors of several shapes, and float32, where a
difference quotient has no digits left. Newton's step meets a valley, a hilltop and the loss of a small regression.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.checks import check
from autograder.checks.tensors import leaf

LESSON = "11_higher_order"
SIN, COS = "minigrad.ops.pointwise.sin_vjp", "minigrad.ops.pointwise.cos_vjp"
PRODUCT, NEWTON = "minigrad.curvature.hessian_product", "minigrad.curvature.newton_step"

Properties = Iterator[tuple[Any, ...]]
Maker = Callable[[Any], Any]


def nth(T: Any, f: Maker, values: Any, order: int) -> Callable[[], Any]:
    """When called: the elementwise derivative of f of that order at `values`."""

    def compute() -> Any:
        x = leaf(T, values)
        found = f(x)
        for _ in range(order):
            (found,) = T.autograd.grad(found.sum(), x, create_graph=True)
        return found

    return compute


# ── Rules ────────────────────────────────────────────────────────────────────────────────────────


@check("sin_cos_slope", lesson=LESSON, points=2, parts=[SIN, COS])
def sin_cos_slope(T: Any, rng: np.random.Generator) -> Properties:
    """First order: the rules see arrays."""

    def pulled(f: Maker) -> Callable[[], Any]:
        values, upstream = rng.uniform(-3, 3, (2, 3)), rng.normal(size=(2, 3))

        def compute() -> Any:
            x = leaf(T, values)
            f(x).backward(T.tensor(upstream))
            return x.grad

        return compute

    yield "sin", pulled(lambda x: x.sin())
    yield "cos", pulled(lambda x: x.cos())
    yield "sin of cos", pulled(lambda x: x.cos().sin())
    yield "sin twice over", pulled(lambda x: (x * 2.0).sin() * x.sin())
    yield "cos twice over", pulled(lambda x: (x * x).cos() + x.cos())


@check("sin_cos_higher", lesson=LESSON, points=3, parts=[SIN, COS])
def sin_cos_higher(T: Any, rng: np.random.Generator) -> Properties:
    """Second order and up: the same rules see tensors, and what they do is recorded."""
    values = rng.uniform(-3, 3, 3)

    def history(f: Maker, **options: bool) -> Callable[[], list[bool]]:
        def ask() -> list[bool]:
            x = leaf(T, values)
            (slope,) = T.autograd.grad(f(x).sum(), x, **options)
            return [slope.requires_grad, slope.grad_fn is not None]

        return ask

    yield "the slope of sin has a history", history(lambda x: x.sin(), create_graph=True)
    yield "the slope of cos has a history", history(lambda x: x.cos(), create_graph=True)
    yield "with retain_graph alone it has none", history(lambda x: x.sin(), retain_graph=True)
    for order in (2, 3, 4):
        yield f"sin, derivative {order}", nth(T, lambda x: x.sin(), rng.uniform(-3, 3, 4), order)
        yield f"cos, derivative {order}", nth(T, lambda x: x.cos(), rng.uniform(-3, 3, 4), order)
    yield "x sin(x cos x), derivative 3", nth(T, lambda x: x * (x * x.cos()).sin(), rng.uniform(-2, 2, 3), 3)


# ── The Hessian's product ────────────────────────────────────────────────────────────────────────


def product(T: Any, f: Maker, x: Any, v: Any, dtype: str = "float64") -> Callable[[], Any]:
    """When called: the learner's H·v for f at x."""
    at, along = np.asarray(x, dtype), np.asarray(v, dtype)
    return lambda: T.curvature.hessian_product(f, T.tensor(at), T.tensor(along))


@check("hessian_product_values", lesson=LESSON, points=3, parts=[PRODUCT])
def hessian_product_values(T: Any, rng: np.random.Generator) -> Properties:
    A = rng.normal(size=(3, 3))
    matrix = T.tensor(A + A.T)
    yield "½ xᵀAx: the product is A v", product(T, lambda x: 0.5 * (x * (matrix @ x)).sum(), *rng.normal(size=(2, 3)))
    yield "x₀² x₁", product(T, lambda x: x[0] ** 2 * x[1], *rng.normal(size=(2, 2)))
    yield "a sum of cubes: H is diagonal", product(T, lambda x: (x**3).sum(), *rng.normal(size=(2, 4)))
    yield "everything times everything", product(T, lambda x: x.sum().exp(), *rng.uniform(-1, 1, (2, 4)))
    yield "x without dimensions", product(T, lambda x: x**4, *rng.uniform(1, 2, 2))
    yield "x is a matrix", product(T, lambda x: (x @ x.t()).tanh().sum(), *rng.uniform(-0.5, 0.5, (2, 2, 3)))
    yield (
        "in float32",
        product(T, lambda x: (x.exp() * x.sum()).sum(), rng.uniform(1, 2, 12), rng.uniform(1, 2, 12), "float32"),
    )


@check("hessian_product_manners", lesson=LESSON, points=2, parts=[PRODUCT])
def hessian_product_manners(T: Any, rng: np.random.Generator) -> Properties:
    """What it does beside computing: nothing."""
    x, v = leaf(T, rng.normal(size=3)), T.tensor(rng.normal(size=3))

    def f(x: Any) -> Any:
        return (x**3).sum() * x[0]

    yield "x may be a leaf that requires grad", lambda: T.curvature.hessian_product(f, x, v)
    yield (
        "no gradient is left in x",
        lambda: (T.curvature.hessian_product(f, x, v), x.grad)[1],
        "x may be a leaf that requires grad",
    )
    yield "x and v are as they were", [x, v], "x may be a leaf that requires grad"
    yield (
        "x does not come to require grad",
        lambda: (T.curvature.hessian_product(f, v, v), v.requires_grad)[1],
        "x may be a leaf that requires grad",
    )
    v = v.detach()
    yield "the product has no history", lambda: T.curvature.hessian_product(f, x, v).requires_grad
    y = leaf(T, rng.normal(size=3)) * 2.0
    yield "x may have a history", lambda: T.curvature.hessian_product(f, y, v)
    yield "twice v, twice the product", lambda: T.curvature.hessian_product(f, x, v * 2.0)
    yield "v = 0", lambda: T.curvature.hessian_product(f, x, v * 0.0)
    walks: list[int] = []

    def watched(x: Any) -> Any:
        y = x * 1.0
        if y.requires_grad:
            y.register_hook(lambda grad: walks.append(len(grad)))
        return f(y)

    many, along = T.tensor(rng.normal(size=30)), T.tensor(rng.normal(size=30))
    yield "thirty variables", lambda: T.curvature.hessian_product(watched, many, along)
    yield "a few walks did for them: H was not built", lambda: len(walks) < 10, "thirty variables"


@check("hessian_product_network", lesson=LESSON, points=2, parts=[PRODUCT, SIN, COS])
def hessian_product_network(T: Any, rng: np.random.Generator) -> Properties:
    """The curvature of a network's loss in each of its weights, and along the slope."""
    X, target = T.tensor(rng.normal(size=(6, 3))), T.tensor(rng.normal(size=(6, 2)))
    shapes = {"W": (3, 4), "b": (4,), "V": (4, 2)}
    params = {name: T.tensor(rng.normal(size=shape)) for name, shape in shapes.items()}

    def loss_of(name: str) -> Maker:
        def loss(value: Any) -> Any:
            p = params | {name: value}
            hidden = (X @ p["W"] + p["b"]).sin()
            return ((hidden @ p["V"]).cos() - target).pow(2).mean()

        return loss

    for name, shape in shapes.items():
        v = T.tensor(rng.normal(size=shape))
        yield f"along a direction in {name}", lambda n=name, v=v: T.curvature.hessian_product(loss_of(n), params[n], v)


# ── Newton's step ────────────────────────────────────────────────────────────────────────────────


def valley(x: Any) -> Any:
    """Rosenbrock's: a curved valley, lowest (0) at (1, 1)."""
    return (1 - x[0]) ** 2 + 10 * (x[1] - x[0] ** 2) ** 2


@check("newton_step_once", lesson=LESSON, points=2, parts=[NEWTON])
def newton_step_once(T: Any, rng: np.random.Generator) -> Properties:
    A = rng.normal(size=(3, 3))
    bowl, centre = T.tensor(A @ A.T + np.eye(3)), T.tensor(rng.normal(size=3))

    def f(x: Any) -> Any:
        return ((x - centre) * (bowl @ (x - centre))).sum()

    far = T.tensor(rng.normal(size=3) * 10)
    yield "a bowl: at its bottom in one step", lambda: T.curvature.newton_step(f, far)
    yield "a bowl with one side only", lambda: T.curvature.newton_step(lambda x: (x - 3).pow(2).sum(), far[:1])
    yield "in the valley", lambda: T.curvature.newton_step(valley, T.tensor(rng.uniform(-1, 0, 2)))
    start = leaf(T, rng.normal(size=3))
    yield "x may be a leaf that requires grad", lambda: T.curvature.newton_step(f, start)
    yield (
        "no gradient is left in x",
        lambda: (T.curvature.newton_step(f, start), start.grad)[1],
        "x may be a leaf that requires grad",
    )
    yield "x is as it was", [far, start], "x may be a leaf that requires grad"
    yield (
        "x does not come to require grad",
        lambda: (T.curvature.newton_step(f, far), far.requires_grad)[1],
        "x may be a leaf that requires grad",
    )
    yield "the new place has no history", lambda: T.curvature.newton_step(f, start).requires_grad


@check("newton_step_descent", lesson=LESSON, points=2, parts=[NEWTON])
def newton_step_descent(T: Any, rng: np.random.Generator) -> Properties:
    def path(f: Maker, start: Any, steps: int) -> Callable[[], list[Any]]:
        def walk() -> list[Any]:
            places = [T.tensor(start)]
            for _ in range(steps):
                places.append(T.curvature.newton_step(f, places[-1]))
            return places

        return walk

    yield "down the valley, step by step", path(valley, rng.uniform(-1, -0.5, 2), 4)
    yield "the bottom is reached", lambda: bool(valley(path(valley, [-1.0, 1.0], 12)()[-1]) < 1e-12)
    yield "a hilltop attracts it, too", path(lambda x: -(x**2).sum() + (x**4).sum(), rng.uniform(0.1, 0.2, 2), 2)


@check("newton_fits_a_wheel", lesson=LESSON, points=3, parts=[SIN, COS, PRODUCT, NEWTON])
def newton_fits_a_wheel(T: Any, rng: np.random.Generator) -> Properties:
    """Frequency and phase of a wheel, found from noisy heights and widths by Newton's method: every part at once."""
    t = (np.arange(20) + rng.uniform(size=20)) * 0.15
    truth = rng.uniform(1.0, 1.5, 2)
    angle, noise = truth[0] * t + truth[1], 0.1 * rng.normal(size=(2, 20))
    times, heights, widths = T.tensor(t), T.tensor(np.sin(angle) + noise[0]), T.tensor(np.cos(angle) + noise[1])

    def misfit(p: Any) -> Any:
        turned = p[0] * times + p[1]
        return ((turned.sin() - heights) ** 2 + (turned.cos() - widths) ** 2).mean()

    # So far off that a wrong curvature has not brought it to the bottom in three steps, and the right one has.
    place = T.tensor(truth + rng.uniform(0.15, 0.18, 2) * rng.choice([-1.0, 1.0]))
    push = T.tensor(rng.normal(size=2))
    yield "the curvature at the start", lambda: T.curvature.hessian_product(misfit, place, push)
    for step in (1, 2, 3):
        place = T.curvature.newton_step(misfit, place)
        yield f"after step {step}", place
    yield "flat there", lambda: bool(nth(T, misfit, place.detach(), 1)().abs().max() < 1e-6)
