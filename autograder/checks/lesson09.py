"""Lesson 09, hooks and gradients of tensors that are no leaves: who is called when, with what, and what it changes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.checks import check, raises, with_room_for
from autograder.checks.noting import Hook, noting, watched
from autograder.checks.tensors import leaf

LESSON = "09_hooks"
RUN = "minigrad.autograd.hooks.run_tensor_hooks"
REMOVE = "minigrad.autograd.hooks.RemovableHandle.remove"
KEEP = "minigrad.autograd.hooks.keep_grad"
POST = "minigrad.autograd.hooks.register_post_accumulate_hook"
CHOOSE = "minigrad.autograd.engine.nodes_to_run"

Properties = Iterator[tuple[Any, ...]]


def silent_grad(tensor: Any) -> Any:
    """`.grad` of a tensor that may be no leaf, without the warning."""
    with warnings.catch_warnings(action="ignore"):
        return tensor.grad


# ── run_tensor_hooks ─────────────────────────────────────────────────────────────────────────────


@check("hook_order", lesson=LESSON, points=2, parts=[RUN])
def hook_order(T: Any, rng: np.random.Generator) -> Properties:
    x = leaf(T, rng.normal(size=3))
    log: list[Any] = []
    first, second = x * 2.0, x * 3.0
    total = (first + second) * first
    for name, tensor in {"x": x, "first": first, "second": second, "total": total}.items():
        tensor.register_hook(noting(log, name))
    total.sum().backward()
    yield "along the graph", log

    def of_one_tensor() -> list[Any]:
        seen: list[Any] = []
        y = leaf(T, rng.normal(size=2))
        for name in ("one", "two", "three"):
            y.register_hook(noting(seen, name))
        for _ in range(2):
            (y * y).sum().backward()
        return seen

    def what_they_see() -> list[Any]:
        seen: list[Any] = []
        u = leaf(T, rng.normal(size=2))
        v = u * u
        v.register_hook(seen.append)
        u.register_hook(seen.append)
        (v * v + v).sum().backward()
        return seen

    def before_the_leaf_has_it() -> bool:
        seen: list[Any] = []
        u = leaf(T, rng.normal(size=2))
        u.register_hook(lambda grad: seen.append(u.grad is None))
        (u * 2.0).sum().backward()
        return seen[0]

    def removes(which: int) -> list[Any]:
        seen: list[Any] = []
        u = leaf(T, rng.normal(size=2))

        def once(grad: Any) -> None:
            seen.append("once")
            handles[which].remove()

        handles = [u.register_hook(once), u.register_hook(noting(seen, "next"))]
        for _ in range(2):
            (u * 2.0).sum().backward()
        return seen

    yield "three hooks, two walks", of_one_tensor
    yield "each sees the summed gradient", what_they_see
    yield "on a leaf: before .grad is written", before_the_leaf_has_it
    yield "one that removes itself while it runs", lambda: removes(0)
    yield "one that removes the next, which still runs this time", lambda: removes(1)


def slope_of_slope(x: Any) -> Any:
    """The second derivative through a hook that squares a gradient. autograd.grad would need another part."""
    y = x * x
    y.register_hook(lambda grad: grad * grad)
    with warnings.catch_warnings(action="ignore"):  # that x.grad then has a graph, which has x
        (y * y).sum().backward(create_graph=True)
    slope, x.grad = x.grad, None
    slope.sum().backward()
    return x.grad


@check("hook_replacement", lesson=LESSON, points=2, parts=[RUN])
def hook_replacement(T: Any, rng: np.random.Generator) -> Properties:
    values = rng.normal(size=3)

    def through(*hooks: Hook) -> Callable[[], list[Any]]:
        """What each hook sees, and what arrives at the leaf, with these hooks on the tensor between."""

        def compute() -> list[Any]:
            seen: list[Any] = []
            x = leaf(T, values)
            y = x * 3.0
            for hook in hooks:
                y.register_hook(watched(seen, hook))
            (y * y).sum().backward()
            return [*seen, x.grad]

        return compute

    nothing: Hook = lambda grad: None  # noqa: E731
    double: Hook = lambda grad: grad * 2.0  # noqa: E731
    yield "None changes nothing", through(nothing)
    yield "doubled", through(double)
    yield "doubled, then 1 added", through(double, lambda grad: grad + 1.0)
    yield "the other way round", through(lambda grad: grad + 1.0, double)
    yield "doubled, then only looked at", through(double, nothing)
    yield "clipped", through(lambda grad: grad.clamp(-0.5, 0.5))
    yield "stopped", through(lambda grad: grad * 0.0)

    def on_a_leaf() -> Any:
        x = leaf(T, values)
        x.register_hook(lambda grad: grad.clamp(-0.1, 0.1))
        for _ in range(2):
            (x * x).sum().backward()
        return x.grad

    def on_one_output() -> Any:
        x = leaf(T, rng.normal(size=(2, 3)))
        a, b = x.unbind(0)
        b.register_hook(lambda grad: grad * 10.0)
        (a * b).sum().backward()
        return x.grad

    def refused(hook: Hook) -> str | None:
        x = leaf(T, values)
        x.register_hook(hook)
        return raises(lambda: (x * x).sum().backward())

    yield "a leaf's, twice: each clipped, then added", on_a_leaf
    yield "one of several outputs", on_one_output
    yield from nobody_else_is_touched(T, values, rng.normal(size=3))
    yield "under create_graph it can be differentiated again", lambda: slope_of_slope(leaf(T, values))
    yield "another shape is refused", refused(lambda grad: grad.sum())
    yield "a number is refused", refused(lambda grad: 0.5)


def nobody_else_is_touched(T: Any, values: Any, arriving: Any) -> Properties:
    """A replacement takes the place of what came, which others may hold."""

    def kept_by_the_first() -> list[Any]:
        y, kept = leaf(T, values) * 3.0, list[Any]()
        y.register_hook(kept.append)
        y.register_hook(lambda grad: grad * 2.0)
        (y * y).sum().backward()
        return kept

    def on_one_side_of_a_sum() -> list[Any]:
        a, b, upstream = leaf(T, values), leaf(T, values), T.tensor(arriving)
        a.register_hook(lambda grad: grad * 2.0)
        (b + a).backward(upstream)
        return [a.grad, b.grad, upstream]

    yield "what an earlier hook has kept stays as it was", kept_by_the_first
    yield "the other side of a sum gets what it got", on_one_side_of_a_sum


# ── RemovableHandle.remove ───────────────────────────────────────────────────────────────────────


@check("hook_removal", lesson=LESSON, points=2, parts=[REMOVE])
def hook_removal(T: Any, rng: np.random.Generator) -> Properties:
    x = leaf(T, rng.normal(size=2))
    log: list[Any] = []

    def walk() -> list[Any]:
        log.clear()
        x.grad = None
        (x * x).sum().backward()
        return list(log)

    first, second, third = (x.register_hook(noting(log, name)) for name in ("first", "second", "third"))
    yield "all three", walk()
    second.remove()
    yield "without the second", walk()
    yield "removed once more, without an error", (raises(second.remove) or "").partition(":")[0], "without the second"
    yield "which changes nothing", walk()
    again = noting(log, "same function", lambda grad: grad * 2.0)
    handles = [x.register_hook(again) for _ in range(2)]
    yield "one function registered twice", walk()
    twice = x.grad
    handles[0].remove()
    yield "one of the two removed", walk()
    yield "the other does its work", x.grad
    yield "does its work twice", twice, "the other does its work"
    with x.register_hook(noting(log, "inside")):
        inside = walk()
    yield "in a with block", [inside, walk()]
    counted = x.register_post_accumulate_grad_hook(noting(log, "afterwards"))
    with_it = walk()
    counted.remove()
    yield "a post-accumulate hook", [with_it, walk()]
    y = x * 2.0
    orphan = y.register_hook(noting(log, "gone"))
    del y
    yield "of a tensor that is gone", raises(orphan.remove), "without the second"
    for handle in (first, third, handles[1]):
        handle.remove()
    yield "none is left", walk()
    yield "the bare gradient", x.grad


# ── keep_grad ────────────────────────────────────────────────────────────────────────────────────


@check("retained_gradients", lesson=LESSON, points=2, parts=[KEEP])
def retained_gradients(T: Any, rng: np.random.Generator) -> Properties:
    x, b, v = leaf(T, rng.normal(size=3)), leaf(T, rng.normal(size=3)), T.tensor(rng.normal(size=3))
    y, other = x * 2.0, x * 5.0
    y.retain_grad()
    z = y + b + other
    z.backward(v, retain_graph=True)
    yield "of the one that asked", y.grad
    yield "of one that did not ask", silent_grad(other) is None
    first = y.grad
    z.backward(v, retain_graph=True)
    yield "twice: the sum", y.grad
    yield "in a new tensor", y.grad is first
    yield "the old one reads what it was", first
    y.grad.mul_(0.0)
    first.mul_(0.0)
    yield "a copy: writing to it changes nothing else", [x.grad, b.grad, v]
    z.backward(v)
    yield "and once more", y.grad
    u = leaf(T, rng.normal(size=2))
    w = u * u
    w.retain_grad()
    w.register_hook(lambda grad: grad * 3.0)  # registered later, yet it comes first
    (w * w).sum().backward()
    yield "what the hooks have left", [w.grad, u.grad]
    m = leaf(T, rng.normal(size=(2, 3)))
    a, c = m.unbind(0)
    c.retain_grad()
    (a * c).sum().backward()
    yield "one of several outputs", c.grad
    k = u * 3.0
    k.retain_grad()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Using backward.* with create_graph=True", UserWarning)  # torch's own
        (k * k).sum().backward(create_graph=True)
    yield "under create_graph it can be differentiated again", lambda: T.autograd.grad(k.grad.sum(), u)[0]
    u.grad = None


# ── register_post_accumulate_hook ────────────────────────────────────────────────────────────────


@check("post_accumulate", lesson=LESSON, points=2, parts=[POST])
def post_accumulate(T: Any, rng: np.random.Generator) -> Properties:
    w = leaf(T, rng.normal(size=3))
    given: list[Any] = []
    seen: list[Any] = []

    def look(p: Any) -> None:
        given.append(p)
        seen.append(p.grad if p.grad is None else p.grad.clone())

    handle = w.register_post_accumulate_grad_hook(look)
    (w * w + w).sum().backward()
    yield "called once, with the leaf", [each is w for each in given]
    yield "when .grad is there", seen
    (w * 2.0).sum().backward()
    yield "the next time with the sum", seen
    handle.remove()
    (w * 2.0).sum().backward()
    yield "removed, it is silent", len(seen)

    def order() -> list[Any]:
        log: list[Any] = []
        u = leaf(T, rng.normal(size=2))
        u.register_post_accumulate_grad_hook(noting(log, "after"))
        u.register_hook(noting(log, "before"))
        u.register_post_accumulate_grad_hook(noting(log, "after, too"))
        (u * 2.0).sum().backward()
        return log

    def freed() -> list[Any]:
        amounts: list[Any] = []
        params = [leaf(T, rng.normal(size=2)) for _ in range(3)]

        def use_up(p: Any) -> None:
            amounts.append(p.grad.sum().item())
            p.grad = None

        for p in params:
            p.register_post_accumulate_grad_hook(use_up)
        (params[0] * params[1] * params[2]).sum().backward()
        return [sorted(amounts), [p.grad is None for p in params]]

    yield "after the tensor hooks, as registered", order
    yield "it may use .grad up: what it saw", lambda: freed()[0]
    yield "what is left of it", lambda: freed()[1]
    y = w * 2.0
    yield "refused for a tensor that is no leaf", raises(lambda: y.register_post_accumulate_grad_hook(look))
    data = T.tensor(rng.normal(size=2))
    yield "refused for one that wants no gradient", raises(lambda: data.register_post_accumulate_grad_hook(print))
    yield "and no trace of them is left", [raises(y.sum().backward), len(seen)], "removed, it is silent"


# ── nodes_to_run ─────────────────────────────────────────────────────────────────────────────────


@check("gradients_of_some", lesson=LESSON, points=2, parts=[CHOOSE])
def gradients_of_some(T: Any, rng: np.random.Generator) -> Properties:
    a, b = leaf(T, rng.normal(size=3)), leaf(T, rng.normal(size=3))
    log: list[Any] = []

    def build() -> tuple[Any, Any, Any, Any]:
        left, right = a * a, b * b
        left.register_hook(noting(log, "left"))
        right.register_hook(noting(log, "right"))
        top = (left * right).exp()
        return left, right, top, top.sum()

    left, right, top, out = build()

    def gradients(*inputs: Any) -> Callable[[], list[Any]]:
        return lambda: list(T.autograd.grad(out, inputs, retain_graph=True))

    yield "right before the end", gradients(top)
    yield "in the middle", gradients(left)
    yield "hooks on the other branch stay silent", list(log), "in the middle"
    yield "no leaf gets anything", [a.grad is None, b.grad is None], "in the middle"
    yield "of a leaf far away", gradients(a)
    yield "of a leaf and what lies above it", gradients(a, left)
    yield "of both leaves", gradients(b, a)
    yield "no leaf gets anything still", [a.grad is None, b.grad is None], "in the middle"
    two, ones = a * 2.0 * b, T.tensor(np.ones(3))
    yield "of two leaves, one joining later", lambda: list(T.autograd.grad(two, (a, b), ones)), "of both leaves"
    log.clear()
    out.backward(inputs=[b], retain_graph=True)
    yield "backward(inputs=...) fills that leaf", lambda: b.grad
    yield "and no other", a.grad is None
    yield "and runs one branch only", list(log)
    raises(lambda: T.autograd.grad(out, left))
    yield "the target's own saved values stay", lambda: left.grad_fn._saved_self
    yield "so do those of the other branch", lambda: right.grad_fn._saved_self, "in the middle"
    yield "what was walked is used up", raises(lambda: T.autograd.grad(out, left))
    deep = a
    for _ in range(500):
        deep = deep * 1.0
    yield "through 500 nodes, with room for 200 calls", with_room_for(200, lambda: T.autograd.grad(deep.sum(), a)[0])
    yield "an input that was not used", raises(lambda: T.autograd.grad(build()[3], leaf(T, [1.0])))


@check("hooks_in_training", lesson=LESSON, points=3, parts=[RUN, REMOVE, KEEP, POST, CHOOSE])
def hooks_in_training(T: Any, rng: np.random.Generator) -> Properties:
    """A network whose gradients are clipped, watched and half of the time asked for in the middle; five steps."""
    X, Y = T.tensor(rng.normal(size=(8, 3))), T.tensor(rng.normal(size=(8, 1)))
    W, b, V = leaf(T, rng.normal(size=(3, 4))), leaf(T, rng.normal(size=4)), leaf(T, rng.normal(size=(4, 1)))
    opt = T.optim.SGD([W, b, V], lr=0.1)
    norms: list[Any] = []
    clip = W.register_hook(lambda grad: grad.clamp(-0.01, 0.01))
    watch = [p.register_post_accumulate_grad_hook(lambda p: norms.append((p.grad**2).sum().item())) for p in (W, b, V)]
    middle: list[Any] = []
    for step in range(5):
        opt.zero_grad()
        hidden = (X @ W + b).tanh()
        hidden.retain_grad()
        hidden.register_hook(lambda grad: grad / 2.0)
        loss = ((hidden @ V - Y) ** 2).mean()
        if step % 2:
            middle.append(T.autograd.grad(loss, hidden, retain_graph=True)[0])
            hidden.grad = None
        loss.backward()
        middle.append(hidden.grad)
        yield f"gradients of step {step + 1}", [p.grad.clone() for p in (W, b, V)]
        opt.step()
        if step == 2:
            clip.remove()
            watch[0].remove()
    yield "gradients of the hidden layer", middle
    yield "how many were watched", len(norms)
    yield "what was watched", sorted(norms)
    yield "the parameters", [W, b, V]
