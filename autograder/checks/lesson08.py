"""Lesson 08, saved tensors: what a node keeps of its own output, how it reads what it kept, when it lets go.

Whether memory is freed is found out with weak references, the garbage collector switched off: what only a cycle holds
would then stay. torch gives the same answer: a tensor that its graph has released is gone from Python, too.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.checks import check, raises, uncollected
from autograder.checks.draws import each_at_least_once
from autograder.checks.tensors import leaf

LESSON = "08_saved_tensors"
SAVE = "minigrad.autograd.graph.save_result"
UNPACK = "minigrad.autograd.graph.Node.unpack_arrays"
RELEASE = "minigrad.autograd.engine.release"

Properties = Iterator[tuple[Any, ...]]
Operation = Callable[[Any], Any]


def twice(operation: Operation, x: Any) -> Any:
    """Two walks through the graph of one operation: the second one's error, or the summed gradient."""
    y = operation(x).sum()
    y.backward()
    return raises(y.backward) or x.grad


def walks_again(T: Any, values: Any, keep: bool) -> bool:
    """Whether a graph can be walked a second time after a first one that was, or was not, to keep it."""
    loss = leaf(T, values).exp().sum()
    loss.backward(retain_graph=keep)
    return raises(loss.backward) is None


# ── save_result ──────────────────────────────────────────────────────────────────────────────────


@check("saved_result", lesson=LESSON, points=2, parts=[SAVE])
def saved_result(T: Any, rng: np.random.Generator) -> Properties:
    x = leaf(T, rng.normal(size=3))
    dropped = each_at_least_once(rng, 2, 6)

    def gone() -> list[Any]:
        """Of six results, those whose names are dropped; and the value that the node of one of them still has."""
        with uncollected():
            results = [(x * 2.0).sigmoid() for _ in dropped]
            seen, node = [weakref.ref(each) for each in results], results[dropped.index(1)].grad_fn
            results = [None if drop else each for drop, each in zip(dropped, results, strict=True)]
            return [*(each() is None for each in seen), node._saved_result]

    y = x.exp()
    other, free = "not the tensor itself", "with its last name it is gone"
    yield other, lambda: y.grad_fn._saved_result is y
    yield free, gone
    yield "the value", y.grad_fn._saved_result, free
    yield "it knows its node", lambda: y.grad_fn._saved_result.grad_fn is y.grad_fn, other
    y.data[0] = 7.0
    yield "no copy: it shows what is written through .data", y.grad_fn._saved_result, free
    z = x.tanh()
    z.add_(1.0)
    yield "a write in place is noticed", raises(z.sum().backward)

    def curvature() -> Any:
        u = leaf(T, rng.normal(size=3))
        (slope,) = T.autograd.grad(u.tanh().sum(), u, create_graph=True)
        return T.autograd.grad(slope.sum(), u)[0]

    yield "a gradient of the gradient", curvature, free

    class Two(T.autograd.Function):
        """Two outputs, and both are kept."""

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            outputs = x * 2.0, x * 3.0
            ctx.save_for_backward(*outputs)
            return outputs

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            one, other = ctx.saved_tensors
            return grads[0] * one + grads[1] * other

    first, second = Two.apply(x)
    yield "of two outputs, the second one's number", lambda: [t.output_nr for t in first.grad_fn.saved_tensors], other
    with T.no_grad():
        second.mul_(2.0)
    yield "a write to the second output is noticed, by its number", raises((first + second).sum().backward)


# ── unpack_arrays ────────────────────────────────────────────────────────────────────────────────


@check("unpack_values", lesson=LESSON, points=2, parts=[UNPACK])
def unpack_values(T: Any, rng: np.random.Generator) -> Properties:
    x, c = rng.uniform(0.5, 2, 3), T.tensor(rng.uniform(0.5, 2, 3))

    def gradient(operation: Operation) -> Callable[[], Any]:
        def compute() -> Any:
            w = leaf(T, x)
            operation(w).sum().backward()
            return w.grad

        return compute

    yield "one value: exp", gradient(lambda w: w.exp())
    yield "one value: log", gradient(lambda w: w.log())
    yield "both inputs: w to the power w", gradient(lambda w: w**w)
    yield "only the base wants a gradient", gradient(lambda w: w**c)
    yield "only the exponent wants one", gradient(lambda w: c**w)
    yield "only the numerator wants one", gradient(lambda w: w / c)
    yield "only the denominator wants one", gradient(lambda w: c / w)
    yield "only the last of three wants one", gradient(lambda w: T.addcmul(c, c, w, value=2.0))
    yield "a condition and a shape", gradient(lambda w: T.where(w > 1.0, w, c).sum(0))
    w = leaf(T, x)
    with T.no_grad():
        w.mul_(2.0)
    (w**3).sum().backward()
    yield "written before it was saved: no matter", w.grad

    def second_was_written() -> list[Any]:
        u, w = leaf(T, x), leaf(T, x)
        with T.no_grad():
            u.mul_(2.0)  # versions 1 and 2: the first one's place is not the second's
            w.mul_(2.0).mul_(0.5)
        (u**w).sum().backward()
        return [u.grad, w.grad]

    yield "of two, the second was written before it was saved", second_was_written

    def the_one_behind_was_written() -> Any:
        u, behind = leaf(T, x), T.tensor(x)
        behind.mul_(2.0)
        T.addcmul(c, u, behind).sum().backward()
        return u.grad

    yield "behind one that nobody wants, a value written before it was saved", the_one_behind_was_written


@check("unpack_refuses", lesson=LESSON, points=2, parts=[UNPACK])
def unpack_refuses(T: Any, rng: np.random.Generator) -> Properties:
    x, w = leaf(T, rng.uniform(0.5, 2, 3)), leaf(T, rng.uniform(0.5, 2, 3))
    y = x.exp()
    y.sum().backward()
    kept, values = each_at_least_once(rng, 2, 5), rng.normal(size=3)
    asked = "a second walk, refused unless the graph was kept"
    yield asked, lambda: [walks_again(T, values, bool(keep)) for keep in kept]
    yield "exp, a second time", raises(y.sum().backward)
    yield "a power, a second time", lambda: twice(lambda x: x**3, leaf(T, rng.normal(size=2)))
    yield "a product, a second time", lambda: twice(lambda x: x * w, leaf(T, rng.normal(size=3)))
    yield "a sum never refuses", lambda: twice(lambda x: x + w, leaf(T, rng.normal(size=3))), asked
    yield "a minus sign never does, either", lambda: twice(lambda x: -x, leaf(T, rng.normal(size=3))), asked
    u, before = leaf(T, rng.uniform(0.5, 2, 3)), x.grad
    z = u**w + x
    with T.no_grad():
        u.mul_(2.0)
    yield "a saved value that was written in place", raises(z.sum().backward)
    yield "nothing is added to the leaf before it", u.grad is None
    v = leaf(T, rng.normal(size=2))
    loss = v.tanh().sum()
    for _ in range(2):
        loss.backward(retain_graph=True)
    yield "reading does not use it up", v.grad, asked
    yield "the gradients of before are untouched", before, asked


# ── release ──────────────────────────────────────────────────────────────────────────────────────

OPERATIONS: dict[str, Callable[[Any, Any], Operation]] = {
    "add": lambda T, c: lambda x: x + c,
    "times a tensor": lambda T, c: lambda x: x * c,
    "divided by a number": lambda T, c: lambda x: x / 2.0,
    "square": lambda T, c: lambda x: x * x,
    "power": lambda T, c: lambda x: x**3,
    "minus": lambda T, c: lambda x: -x,
    "mean": lambda T, c: lambda x: x.mean(),
    "view": lambda T, c: lambda x: x.reshape(3, 1)[0],
    "tanh": lambda T, c: lambda x: x.tanh(),
    "join": lambda T, c: lambda x: T.cat([x, c, x]),
    "matrix product": lambda T, c: lambda x: x.reshape(1, 3) @ c,
}


@check("second_pass", lesson=LESSON, points=2, parts=[UNPACK, RELEASE])
def second_pass(T: Any, rng: np.random.Generator) -> Properties:
    """Which graphs can be walked twice: those whose operations save nothing."""
    values, c = rng.normal(size=3), T.tensor(rng.normal(size=3))
    for label, make in OPERATIONS.items():
        yield label, lambda make=make: twice(make(T, c), leaf(T, values))
    order = rng.permutation(len(OPERATIONS))

    def which() -> list[bool]:
        made = [list(OPERATIONS.values())[at](T, c) for at in order]
        return [isinstance(twice(each, leaf(T, values)), T.Tensor) for each in made]

    yield "which of all of them, in random order", which
    x = leaf(T, values)
    y = x + 1.0
    (y * y).sum().backward()
    (3.0 * y).sum().backward()
    yield "two ends on a trunk that saves nothing", x.grad, "which of all of them, in random order"
    x = leaf(T, values)
    y = x * x
    (2.0 * y).sum().backward()
    yield "two ends on a trunk that saves", raises((y + 1.0).sum().backward)
    yield "what the first end gave stays", x.grad


@check("retain_graph", lesson=LESSON, points=2, parts=[RELEASE])
def retain_graph(T: Any, rng: np.random.Generator) -> Properties:
    x, c = leaf(T, rng.normal(size=3)), T.tensor(rng.normal(size=3))
    kept, values = each_at_least_once(rng, 2, 5), rng.normal(size=3)
    asked = "of five graphs, those that are kept can be walked again"
    yield asked, lambda: [walks_again(T, values, bool(keep)) for keep in kept]
    y = (x * x * c).exp()
    loss = y.sum()
    seen = []
    for _ in range(3):
        loss.backward(retain_graph=True)
        seen.append(x.grad.clone())
    yield "three walks", seen, asked
    loss.backward()
    yield "a fourth, which keeps nothing", x.grad, asked
    yield "the fifth is refused", raises(loss.backward)
    yield "nor can what was saved be looked at", raises(lambda: y.grad_fn._saved_result)
    yield (
        "the edges are still there",
        lambda: [node.name() for node, _ in y.grad_fn.next_functions if node is not None],
        "the fifth is refused",
    )
    a, b = leaf(T, rng.normal(size=2)), leaf(T, rng.normal(size=2))
    trunk = a * b
    both = trunk.exp().sum() + (b * b).sum()
    first = T.autograd.grad(both, b, retain_graph=True)[0]
    yield "autograd.grad keeps it when asked to", [first, T.autograd.grad(both, b)[0]], asked
    yield "and not otherwise", raises(lambda: T.autograd.grad(both, b))
    p, q = leaf(T, rng.normal(size=2)), leaf(T, rng.normal(size=2))
    left, right = p * p, q * q
    T.autograd.grad((left + right).sum(), p)
    yield "a branch that was not walked keeps what it saved", lambda: right.grad_fn._saved_self, asked
    yield "the branch that was walked does not", raises(lambda: left.grad_fn._saved_self)


@check("memory_freed", lesson=LESSON, points=2, parts=[SAVE, RELEASE])
def memory_freed(T: Any, rng: np.random.Generator) -> Properties:
    """Which tensors that only the graph holds are still there, before, during and after the walk."""
    values = rng.normal(size=3)

    def build() -> tuple[Any, Any, list[Any]]:
        x = leaf(T, values)
        first = x * 2.0
        second = first * first
        third = second.tanh() * second
        return x, (third * third).sum(), [weakref.ref(t) for t in (first, second, third)]

    def alive(seen: list[Any]) -> list[bool]:
        return [each() is not None for each in seen]

    kept = each_at_least_once(rng, 2, 4)

    def as_asked() -> list[bool]:
        found = []
        for keep in kept:
            _, loss, seen = build()
            loss.backward(retain_graph=bool(keep))
            found += alive(seen)
        return found

    with uncollected():
        asked = "of four graphs, those that are kept hold their tensors"
        yield asked, as_asked
        x, loss, seen = build()
        before = alive(seen)
        loss.backward()
        let_go = "after backward, though the loss is still held"
        yield let_go, alive(seen)
        yield "after the forward pass", before, let_go
        x, loss, seen = build()
        loss.backward(retain_graph=True)
        yield "after backward with retain_graph", alive(seen), let_go
        yield "the gradient", x.grad, asked
        del loss
        yield "once the loss is dropped, too", alive(seen)
        x, loss, seen = build()
        during: list[bool] = []
        x.register_hook(lambda grad: during.extend(alive(seen)))
        loss.backward()
        yield "when the gradient reaches the leaf", during
        x, loss, seen = build()
        del loss
        yield "without any backward, the loss dropped", alive(seen)


def heads(T: Any, x: Any) -> Any:
    """e^x and e^-x, two outputs of one node, of which their own slopes are made."""

    class Heads(T.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            outputs = x.exp(), (-x).exp()
            ctx.save_for_backward(*outputs)
            return outputs

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            up, down = ctx.saved_tensors
            return grads[0] * up - grads[1] * down

    return Heads.apply(x)


@check("saved_in_training", lesson=LESSON, points=3, parts=[SAVE, UNPACK, RELEASE])
def saved_in_training(T: Any, rng: np.random.Generator) -> Properties:
    """A trunk with two heads, both outputs of one node, each with a loss of its own; trained for four steps.

    The first loss asks for gentle slopes as well, so that what was saved is read with its history; the data was written
    to before it was saved.
    """
    X, age = T.tensor(rng.uniform(-1, 1, (8, 3))), T.tensor(rng.uniform(10, 90, size=(8, 1)))
    Y, Z = T.tensor(rng.uniform(-1, 1, (8, 1))), T.tensor(rng.uniform(0.1, 0.9, size=(8, 1)))
    age.div_(100.0)
    # Bounded: where training explodes, tanh is at its end, and what is left of a gradient is rounding.
    params = [leaf(T, rng.uniform(-0.5, 0.5, shape)) for shape in ((3, 4), (4,), (4, 1))]
    params += [leaf(T, rng.uniform(0.8, 1.2, 1)) for _ in range(2)]
    opt = T.optim.SGD(params, lr=0.01)

    def forward() -> tuple[Any, ...]:
        hidden = (X @ params[0] + params[1]).tanh()
        up, down = heads(T, T.addcmul(hidden @ params[2], params[3], age) / params[4])
        chance = 1.0 / (1.0 + down)
        one = ((up - Y) ** 2).mean()
        (slope,) = T.autograd.grad(one, hidden, create_graph=True)
        two = -(Z * chance.log() + (1.0 - Z) * (1.0 - chance).log()).mean() + 0.1 * (params[4] ** 3).sum()
        return one + 0.5 * (slope * slope).sum(), two, hidden, down

    history = []
    for step in range(4):
        opt.zero_grad()
        one, two, *_ = forward()
        one.backward(retain_graph=True)
        two.backward()
        if step == 0:
            yield "each loss is used up", [raises(one.backward), raises(two.backward)]
        yield f"gradients of step {step + 1}", [p.grad.clone() for p in params]
        opt.step()
        history.append(one.item() + two.item())
    yield "the losses", history
    one, two, *_ = forward()
    one.backward()
    yield "without retain_graph the other head is cut off", raises(two.backward)
    one, two, hidden, down = forward()
    yield "what is saved is no copy", hidden.grad_fn._saved_result.data_ptr() == hidden.data_ptr(), "the losses"
    with T.no_grad():
        down.mul_(2.0)
    yield "a write to the second head is noticed", raises(two.backward), "the losses"
    one, two, *_ = forward()
    one.backward(retain_graph=True)
    opt.step()
    yield "so is a step between the two walks", raises(two.backward), "the losses"
    one, two, hidden, down = forward()
    with uncollected():
        seen = [weakref.ref(each) for each in (one, two, hidden, down)]
        del one, two, hidden, down
        yield "losses and layers that nobody holds are gone", [each() is None for each in seen], "the losses"
    yield "the parameters", params
