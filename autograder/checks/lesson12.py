"""Lesson 12, custom Functions: what ctx keeps, a softplus that does not overflow, and the difference that judges rules.

What is kept is asked for in backward, after writes in place, and a second time. Softplus is looked at near 0 and so far
out that the textbook formula gives inf, nan or no digits. The central difference is taken with steps so large that a
one-sided one, or one divided by the wrong width, cannot pass for it; then gradcheck runs on it and must tell right rules
from wrong ones.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.checks import check, raises
from autograder.checks.draws import both_signs, each_at_least_once
from autograder.checks.tensors import leaf

LESSON = "12_function"
SAVE = "minigrad.autograd.function.FunctionCtx.save_for_backward"
FORWARD, BACKWARD = "minigrad.custom.Softplus.forward", "minigrad.custom.Softplus.backward"
DIFFERENCE = "minigrad.autograd.gradcheck.central_difference"

Properties = Iterator[tuple[Any, ...]]
Maker = Callable[..., Any]


def function(T: Any, forward: Maker, backward: Maker) -> Any:
    """A custom Function of these two; its apply."""
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    custom: Any = type("Custom", (T.autograd.Function,), body)
    return custom.apply


# ── ctx.save_for_backward ────────────────────────────────────────────────────────────────────────


@check("function_saves", lesson=LESSON, points=2, parts=[SAVE])
def function_saves(T: Any, rng: np.random.Generator) -> Properties:
    """What forward saved is there in backward: all of it, in order (an empty tensor in place of None)."""
    a, b, upstream = rng.normal(size=(3, 3))

    def kept(save: Callable[[Any, Any, Any, Any], None]) -> Callable[[], list[Any]]:
        def compute() -> list[Any]:
            found: list[Any] = []

            def forward(ctx: Any, x: Any, y: Any) -> Any:
                z = x * y
                save(ctx, x, y, z)
                return z

            def backward(ctx: Any, grad: Any) -> Any:
                found.extend(T.zeros(0) if each is None else each.detach() for each in ctx.saved_tensors)
                return grad, grad

            x, y = leaf(T, a), leaf(T, b)
            function(T, forward, backward)(x, y).backward(T.tensor(upstream))
            return found

        return compute

    yield "one input", kept(lambda ctx, x, y, z: ctx.save_for_backward(x))
    yield "both inputs, in their order", kept(lambda ctx, x, y, z: ctx.save_for_backward(y, x))
    yield "the output", kept(lambda ctx, x, y, z: ctx.save_for_backward(z))
    yield "something in between", kept(lambda ctx, x, y, z: ctx.save_for_backward(x + y, z))
    yield "None keeps its place", kept(lambda ctx, x, y, z: ctx.save_for_backward(None, x, None))
    yield "the same one twice", kept(lambda ctx, x, y, z: ctx.save_for_backward(x, x))
    yield "nothing", kept(lambda ctx, x, y, z: ctx.save_for_backward())
    yield "nothing, after something", kept(lambda ctx, x, y, z: [ctx.save_for_backward(*each) for each in ([x], [])][0])
    yield (
        "a second call replaces the first",
        kept(lambda ctx, x, y, z: (ctx.save_for_backward(x, y), ctx.save_for_backward(z))[1]),
    )


def cube(T: Any) -> Any:
    """x³ with its rule, from the saved x."""

    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x * x

    def backward(ctx: Any, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad * x * x * 3.0

    return function(T, forward, backward)


@check("function_guards", lesson=LESSON, points=2, parts=[SAVE])
def function_guards(T: Any, rng: np.random.Generator) -> Properties:
    """What is saved is watched: writes in place are noticed, a released graph is not walked, history is kept."""
    values = rng.normal(size=3)

    def refuses(*wrong: Any) -> Callable[[], str | None]:
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(*[x if each is Ellipsis else each for each in wrong])
            return x * 1.0

        return lambda: raises(lambda: function(T, forward, lambda ctx, grad: grad)(leaf(T, values)))

    yield "a number is refused", refuses(3)
    yield "and named by its place", refuses(..., None, 2.5)
    yield "a list is refused", refuses(..., [1, 2])
    yield "a parameter of a module is not", refuses(T.nn.Parameter(T.tensor(values)))

    def late(write: Callable[[Any], None]) -> Callable[[], Any]:
        def compute() -> Any:
            x = leaf(T, values)
            y = cube(T)(x)
            with T.no_grad():
                write(x)
            return raises(lambda: y.sum().backward()) or x.grad

        return compute

    yield "a write in place after forward is noticed", late(lambda x: x.mul_(10.0))
    yield "without one, nothing is said", late(lambda x: None)

    def twice(**options: bool) -> Callable[[], Any]:
        def compute() -> Any:
            x = leaf(T, values)
            y = cube(T)(x).sum()
            y.backward(**options)
            return raises(y.backward) or x.grad

        return compute

    yield "a second backward is refused", twice()
    yield "unless the graph is retained", twice(retain_graph=True)
    x = leaf(T, values)
    (slope,) = T.autograd.grad(cube(T)(x).sum(), x, create_graph=True)
    yield "the slope of x³ by what was saved", slope
    yield "and its slope", lambda: T.autograd.grad(slope.sum(), x)[0]


# ── Softplus ─────────────────────────────────────────────────────────────────────────────────────


def at_places(rng: np.random.Generator) -> dict[str, tuple[Any, str]]:
    """Where softplus is looked at: label -> values, dtype."""
    return {
        "near 0": (both_signs(rng, 0.2, 2, 5), "float64"),
        "far right": (rng.uniform(800, 2000, 4), "float64"),
        "far left": (-rng.uniform(30, 40, 4), "float64"),
        "farther left": (-rng.uniform(800, 2000, 4), "float64"),
        "at 0, exactly": (np.zeros(2), "float64"),
        "a matrix": (both_signs(rng, 0.2, 5, 2, 3), "float64"),
        "no dimension": (-rng.uniform(0.2, 2, ()), "float64"),
        "in float32, far left": (-rng.uniform(10, 20, 2), "float32"),
        "in float32, far right": (rng.uniform(90, 120, 2), "float32"),
    }


def needed(label: str) -> str | None:
    """What a property needs in order to say anything: far to the right, passing on what came in would do as well."""
    return "near 0" if "far right" in label else None


@check("softplus_forward", lesson=LESSON, points=2, parts=[FORWARD])
def softplus_forward(T: Any, rng: np.random.Generator) -> Properties:
    for label, (values, dtype) in at_places(rng).items():
        yield label, lambda v=values, d=dtype: T.custom.softplus(T.tensor(np.asarray(v, d))), needed(label)
    x = leaf(T, both_signs(rng, 0.2, 2, 3))
    yield "it is recorded, if x wants a gradient", lambda: T.custom.softplus(x).requires_grad, "near 0"
    yield "x is as it was", x, "near 0"

    def written_to() -> str | None:
        y = T.custom.softplus(x)
        with T.no_grad():
            x.mul_(10.0)
        return raises(lambda: y.sum().backward())

    yield "a write in place after forward is noticed", written_to, "near 0"


@check("softplus_backward", lesson=LESSON, points=2, parts=[BACKWARD])
def softplus_backward(T: Any, rng: np.random.Generator) -> Properties:
    def pulled(values: Any, dtype: str) -> Callable[[], Any]:
        upstream = np.asarray(rng.normal(size=np.shape(values)), dtype)

        def compute() -> Any:
            x = leaf(T, values, dtype)
            T.custom.softplus(x).backward(T.tensor(upstream))
            return x.grad

        return compute

    for label, (values, dtype) in at_places(rng).items():
        yield label, pulled(values, dtype), needed(label)

    def chained(values: Any) -> Any:
        x = leaf(T, values)
        (T.custom.softplus(T.custom.softplus(x) - x * 2.0) * x).sum().backward()
        return x.grad

    beside = rng.normal(size=4)
    yield "through itself, and beside", lambda: chained(beside)


@check("softplus_higher", lesson=LESSON, points=1, parts=[FORWARD, BACKWARD])
def softplus_higher(T: Any, rng: np.random.Generator) -> Properties:
    def nth(order: int) -> Callable[[], Any]:
        values = both_signs(rng, 0.2, 3, 4)

        def compute() -> Any:
            x = leaf(T, values)
            found = T.custom.softplus(x)
            for _ in range(order):
                (found,) = T.autograd.grad(found.sum(), x, create_graph=True)
            return found

        return compute

    yield "second derivative", nth(2)
    yield "third derivative", nth(3)
    here, there = both_signs(rng, 0.2, 2, 3), both_signs(rng, 0.2, 2, 3)
    yield "gradcheck agrees", lambda: T.autograd.gradcheck(T.custom.softplus, leaf(T, here))
    yield "gradgradcheck agrees", lambda: T.autograd.gradgradcheck(T.custom.softplus, leaf(T, there))


# ── The central difference ───────────────────────────────────────────────────────────────────────


@check("central_difference_values", lesson=LESSON, points=2, parts=[DIFFERENCE])
def central_difference_values(T: Any, rng: np.random.Generator) -> Properties:
    def slope(f: Maker, shape: tuple[int, ...], eps: float) -> Callable[[], Any]:
        at, along = rng.uniform(0.5, 2, shape), rng.normal(size=shape)
        return lambda: T.custom.central_difference(f, leaf(T, at), T.tensor(along), eps)

    yield "x², exact with any step", slope(lambda x: x * x, (3,), 0.5)
    yield "x³, with the error of its step", slope(lambda x: x**3, (3,), 0.1)
    yield "x³, with another step", slope(lambda x: x**3, (3,), 0.02)
    yield "a sum: one number", slope(lambda x: (x * x * x).sum(), (4,), 0.1)
    yield "a matrix", slope(lambda x: (0.1 * (x @ x.t())).tanh(), (2, 3), 0.01)  # not where tanh is flat
    yield "no dimension", slope(lambda x: x.exp(), (), 0.05)
    yield "the result of another shape", slope(lambda x: x.reshape(1, 3) * x.reshape(3, 1), (3,), 0.1)
    x = leaf(T, rng.normal(size=3))
    unit = T.tensor(np.array([0.0, 1.0, 0.0]))
    yield "one entry moves, the others stay", lambda: T.custom.central_difference(lambda x: x.cos(), x, unit, 0.1)
    own = leaf(T, rng.uniform(0.5, 2, 3))
    yield (
        "a function that looks at x, not at its argument",
        lambda: T.custom.central_difference(lambda _: own * own, own, unit, 0.1),
    )
    yield "no history", lambda: T.custom.central_difference(lambda x: x.cos(), x, unit, 0.1).requires_grad
    yield "x and the direction are as they were", [x, unit], "one entry moves, the others stay"
    yield "and x has no gradient", x.grad, "one entry moves, the others stay"
    yield "of x itself", slope(lambda x: x, (3,), 0.1)
    many = rng.normal(size=40)
    moved = leaf(T, many)
    T.custom.central_difference(lambda x: x * x, moved, T.tensor(rng.normal(size=40)), 0.1)
    yield (
        "x is back to the last digit",
        np.array_equal(moved.detach().numpy(), many),
        "one entry moves, the others stay",
    )

    def fails(x: Any) -> Any:
        raise ValueError("no value there")

    yield "a function that fails", raises(lambda: T.custom.central_difference(fails, moved, moved.detach(), 0.1))
    yield "x is back all the same", np.allclose(moved.detach().numpy(), many), "x is back to the last digit"


@check("central_difference_judges", lesson=LESSON, points=2, parts=[DIFFERENCE])
def central_difference_judges(T: Any, rng: np.random.Generator) -> Properties:
    """gradcheck, which builds on it, tells right rules from wrong ones."""

    def verdict(f: Maker, *shapes: tuple[int, ...], dtype: str = "float64") -> Callable[[], bool]:
        inputs = [rng.uniform(0.5, 2, shape) for shape in shapes]

        def judge() -> bool:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that float32 will not do, in as many words
                found = T.autograd.gradcheck(f, [leaf(T, v, dtype) for v in inputs], raise_exception=False)
            return bool(found)

        return judge

    def square_with(backward: Maker) -> Any:
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        return function(T, forward, lambda ctx, grad: backward(grad, *ctx.saved_tensors))

    yield "the engine's own rules", verdict(lambda x, y: (x * y).tanh() / y, (3,), (3,))
    yield "a matrix product", verdict(lambda x, y: x @ y, (2, 3), (3, 2))
    yield "a right rule", verdict(square_with(lambda grad, x: grad * x * 2.0), (3,))
    yield "a rule that forgot the 2", verdict(square_with(lambda grad, x: grad * x), (3,))
    yield "a rule twice too large", verdict(square_with(lambda grad, x: grad * x * 4.0), (3,))
    yield "a rule with its sign turned", verdict(square_with(lambda grad, x: grad * x * -2.0), (3,))
    yield "a rule that forgot grad", verdict(lambda x: square_with(lambda grad, x: x * 2.0)(x) * 3.0, (3,))
    yield "in float32 even a right rule is refused", verdict(lambda x: (x**3).exp().sum(), (4,), dtype="float32")
    drawn = [
        verdict(square_with(lambda grad, x, factor=factor: grad * x * factor), (2,))
        for factor in ((2.0, 2.5)[i] for i in each_at_least_once(rng, 2, 8))
    ]
    yield "drawn at random", lambda: [each() for each in drawn]


# ── Everything together ──────────────────────────────────────────────────────────────────────────


@check("custom_network", lesson=LESSON, points=3, parts=[SAVE, FORWARD, BACKWARD, DIFFERENCE])
def custom_network(T: Any, rng: np.random.Generator) -> Properties:
    """A network with the custom softplus: trained for three steps, then its loss judged by gradcheck (slow, so last)."""
    X, target = T.tensor(rng.uniform(-1.5, 1.5, (8, 2))), T.tensor(rng.normal(size=(8, 1)))
    W = rng.uniform(-1.5, 1.5, (2, 2))
    params = {  # so small that every softplus is looked at where it bends, and centred, so that it is on both sides
        "W": leaf(T, W),
        "b": leaf(T, -3.0 * (X.numpy() @ W).mean(0)),
        "V": leaf(T, rng.normal(size=(2, 1))),
    }

    def loss_of(W: Any, b: Any, V: Any) -> Any:
        return ((T.custom.softplus(X @ W * 3.0 + b) @ V - target) ** 2).mean()

    push = T.tensor(rng.normal(size=(2, 2)))
    yield (
        "how the loss changes along a direction",
        lambda: T.custom.central_difference(lambda W: loss_of(W, params["b"], params["V"]), params["W"], push, 0.05),
    )
    losses = []
    for _ in range(3):
        loss = loss_of(**params)
        for each in params.values():
            each.grad = None
        loss.backward()
        losses.append(loss.item())
        with T.no_grad():
            for each in params.values():
                each -= 0.01 * each.grad
    yield "the loss, step by step", losses
    for name, each in params.items():
        yield f"third gradient of {name}", each.grad
    yield "gradcheck of the whole loss", lambda: T.autograd.gradcheck(loss_of, list(params.values()))
