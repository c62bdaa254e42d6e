"""Lesson 05, the backward engine: counting edges, choosing who goes next, and the walk itself.

The first two parts are asked directly, about graphs that both engines record in the same way. The walk shows in what it does:
which gradients arrive, how often and in what order hooks fire, what is kept, and that no graph is too deep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.checks import check, raises, with_room_for
from autograder.checks.functions import first_of, nothing_on_the_way
from autograder.checks.tensors import leaf

LESSON = "05_engine"
COUNT = "minigrad.autograd.engine.count_dependencies"
POP = "minigrad.autograd.ready.pop"
WALK = "minigrad.autograd.engine.run_backward"

Properties = Iterator[tuple[Any, ...]]


def weigh(T: Any, rng: np.random.Generator, y: Any) -> Any:
    """One number made of y, in which each element counts differently."""
    return (y * T.tensor(rng.normal(size=tuple(y.shape)))).sum()


# ── count_dependencies ───────────────────────────────────────────────────────────────────────────


def counted(T: Any, *tensors: Any) -> Callable[[], Any]:
    """When called: every node behind these tensors, [name, how many edges lead to it], in one order on both engines; how many
    nodes were counted; and whether the roots, which hold the gradients to start with, were left alone."""

    def compute() -> Any:
        roots = {each.grad_fn: None for each in tensors}
        counts = T.autograd.engine.count_dependencies(roots)
        nodes, left_alone = [each.grad_fn for each in tensors], roots == dict.fromkeys(each.grad_fn for each in tensors)
        for node in nodes:  # which grows meanwhile
            nodes += [target for target, _ in node.next_functions if target is not None and target not in nodes]
        return [[node.name().rsplit("::", 1)[-1], counts.get(node, "missing")] for node in nodes] + [
            len(counts),
            left_alone,
        ]

    return compute


@check("edges_to_a_node", lesson=LESSON, points=2, parts=[COUNT])
def edges_to_a_node(T: Any, rng: np.random.Generator) -> Properties:
    x, data = leaf(T, rng.normal(size=3)), T.tensor(rng.normal(size=3))
    y = x * 2.0
    yield "a chain", counted(T, y.exp().sum())
    yield "y * y: two edges from one node", counted(T, y * y)
    yield "two paths that meet again", counted(T, y.exp() + y.tanh())
    yield "a long path and a short one", counted(T, ((y.exp() * 3.0).tanh() + y) * x)
    yield "a leaf used five times", counted(T, x * x + x.exp() * x + x)
    yield "where no gradient is wanted", counted(T, data * y, (data + data) * x)
    first, second, third = y.unbind(0)
    yield "two outputs of one node", counted(T, first * third)
    yield "two roots with nothing in common", counted(T, y.exp(), leaf(T, [1.0]) * 2.0)
    yield "a root that leads to the other", counted(T, y.exp(), y)
    yield "a root that the other leads to", counted(T, y, y.exp() * y)
    made = [x * 2.0]
    for first, second in rng.random((8, 2)):
        made.append(made[int(first * len(made))] * made[int(second * len(made))])
    made.append(made[-1] * made[int(rng.integers(8))])  # the last root leads to the one before it
    yield "drawn at random", counted(T, *made[-3:])


@check("edges_of_deep_graphs", lesson=LESSON, points=1, parts=[COUNT])
def edges_of_deep_graphs(T: Any, rng: np.random.Generator) -> Properties:
    one, more = leaf(T, 1.0), int(rng.integers(2, 300))

    def deep() -> Any:
        y = leaf(T, rng.normal())
        for _ in range(500):
            y = y * 1.0
        for _ in range(more):
            y = y + one
        found = list(T.autograd.engine.count_dependencies({y.grad_fn: None}).values())
        return [len(found), sum(found)]

    def many_ways() -> Any:
        y = leaf(T, rng.normal())
        for _ in range(10):
            y = y + y
        found = list(T.autograd.engine.count_dependencies({y.grad_fn: None}).values())
        return [len(found), sum(found), max(found)]

    yield "500 nodes in a chain, with room for 200 calls", with_room_for(200, deep)
    yield "1024 paths through 11 nodes", many_ways


# ── pop ──────────────────────────────────────────────────────────────────────────────────────────


def taken(T: Any, tensors: list[Any], arrive: Any, at_once: int) -> Callable[[], Any]:
    """When called: the nodes of tensors go into a queue in the order `arrive`; which come out, one after the other.

    After each node that is taken out another goes in, as long as there are any; `at_once` begin.
    """

    def compute() -> Any:
        nodes = [each.grad_fn or (each * 1.0).grad_fn.next_functions[0][0] for each in tensors]
        ready: list[Any] = []
        coming = [nodes[int(i)] for i in arrive]
        for node in coming[:at_once]:
            T.autograd.ready.push(ready, node)
        out: list[Any] = []
        for node in [*coming[at_once:], *[None] * at_once]:
            if not ready:
                return [*out, "empty too soon"]
            out.append(nodes.index(T.autograd.ready.pop(ready)))
            if node is not None:
                T.autograd.ready.push(ready, node)
        return [*out, len(ready)]

    return compute


@check("who_goes_next", lesson=LESSON, points=2, parts=[POP])
def who_goes_next(T: Any, rng: np.random.Generator) -> Properties:
    x = leaf(T, rng.normal())
    results = [x * float(i) for i in range(12)]
    late = [y.exp() for y in reversed(results)]
    yield "of two, the one recorded last", taken(T, results[:2], [0, 1], 2)
    yield "whatever the order they came in", taken(T, results[:2], [1, 0], 2)
    yield "twelve, one after the other", taken(T, results, rng.permutation(12), 12)
    yield "recorded last, though its input was first", taken(T, late, rng.permutation(12), 12)
    yield "some come while others go", taken(T, results + late, rng.permutation(24), 6)
    yield "the only one", taken(T, results, rng.permutation(12), 1)
    yield "a leaf's end before all others", taken(T, [x, *late], rng.permutation(13), 13)
    yield "and when it comes last", taken(T, [x, *late], [*rng.permutation(12) + 1, 0], 12)


# ── run_backward ─────────────────────────────────────────────────────────────────────────────────


@check("gradients_meet", lesson=LESSON, points=2, parts=[WALK])
def gradients_meet(T: Any, rng: np.random.Generator) -> Properties:
    def gradient(program: Callable[[Any], Any]) -> Callable[[], Any]:
        values = rng.uniform(0.5, 1.5, (2, 3))

        def compute() -> Any:
            x = leaf(T, values)
            weigh(T, rng, program(x)).backward()
            return x.grad

        return compute

    def parted(x: Any) -> Any:
        first, second = x.exp().unbind(0)
        return first * second + first

    def two_leaves() -> Any:
        a, b = leaf(T, rng.normal(size=3)), leaf(T, rng.normal(size=3))
        (a + b).exp().sum().backward()
        with T.no_grad():
            a.grad.mul_(10.0)
        return [a.grad, b.grad]

    def twice() -> Any:
        x = leaf(T, rng.normal(size=3))
        for _ in range(2):
            (x * x).sum().backward()
        return x.grad

    yield "one operation", gradient(lambda x: x * 2.0)
    yield "a chain of five", gradient(lambda x: (x.exp().tanh() * 3.0).log().reshape(6))
    yield "y * y", gradient(lambda x: 2.0 * (x + 1.0) * (x + 1.0))
    yield "two paths that meet again", gradient(lambda x: (x * 2.0).exp() * (x * 3.0).tanh())
    yield "one value used four times", gradient(lambda x: _four_times(x.exp()))
    yield "a long path and a short one", gradient(lambda x: (((x * 2.0).exp() * 0.1).tanh() + x * 2.0) * x)
    yield "two outputs of one node", gradient(parted)
    yield "one array handed to two, and one of them gets more", gradient(_handed_to_two)
    yield "two leaves do not share one gradient", two_leaves
    yield "a second backward adds up", twice


def _handed_to_two(x: Any) -> Any:
    a, b = x * 2.0, x.exp()
    more = a * 5.0
    return (a + b) + more


def _four_times(y: Any) -> Any:
    return y * y + y.tanh() * y


@check("each_node_once", lesson=LESSON, points=2, parts=[WALK])
def each_node_once(T: Any, rng: np.random.Generator) -> Properties:
    """What hooks see: a node runs once, when all of its gradient is there."""

    First = first_of(T)

    def seen(program: Callable[[Any], Any]) -> Callable[[], Any]:
        values = rng.uniform(0.5, 1.5, 3)

        def compute() -> Any:
            x, arrived = leaf(T, values), []
            y = x * 2.0
            y.register_hook(lambda grad: arrived.append(grad.clone()))
            x.register_hook(lambda grad: arrived.append(grad.clone()))
            program(y).sum().backward()
            return arrived

        return compute

    def several_roots() -> Any:
        x, arrived = leaf(T, rng.normal(size=3)), []
        y = x * 2.0
        z = y.exp()
        y.register_hook(lambda grad: arrived.append(grad.clone()))
        T.autograd.backward([y.sum(), z, y], [None, z.detach() * 3.0, y.detach()])
        return [*arrived, x.grad]

    def a_leaf_among_the_roots() -> Any:
        x = leaf(T, rng.normal(size=3))
        T.autograd.backward([x, (x * 2.0).exp()], [x.detach(), x.detach() * 3.0])
        return x.grad

    yield "in a chain", seen(lambda y: y.exp())
    yield "y * y", seen(lambda y: y * y)
    yield "two paths that meet again", seen(lambda y: y.exp() + y.tanh())
    yield "a long path and a short one", seen(lambda y: (y.exp() * 0.1).tanh() + y)  # not where tanh is flat
    yield "one path carries nothing", seen(lambda y: First.apply(y.exp(), y.tanh()) * 2.0)
    yield "nothing, then something", seen(lambda y: First.apply(y.tanh(), y) + y.exp())
    yield "the only path carries nothing", lambda: nothing_on_the_way(T, leaf(T, [1.0, 2.0]))
    yield "several roots, one behind the other", several_roots
    yield "several roots, one of them a leaf", a_leaf_among_the_roots


@check("order_of_hooks", lesson=LESSON, points=2, parts=[WALK])
def order_of_hooks(T: Any, rng: np.random.Generator) -> Properties:
    def order(program: Callable[[Any, Callable[[Any, str], Any]], Any]) -> Callable[[], Any]:
        def compute() -> Any:
            fired: list[str] = []

            def named(tensor: Any, name: str) -> Any:
                tensor.register_hook(lambda grad: fired.append(name))
                return tensor

            x = named(leaf(T, rng.uniform(0.5, 1.5, 3)), "leaf")
            program(x, named).sum().backward()
            return fired

        return compute

    def two(x: Any, named: Any) -> Any:
        b, c = named(x * 2.0, "b"), named(x * 3.0, "c")
        return named(b + c, "d")

    def other_way_round(x: Any, named: Any) -> Any:
        c, b = named(x * 3.0, "c"), named(x * 2.0, "b")
        return named(b + c, "d")

    def long_and_short(x: Any, named: Any) -> Any:
        q = named(named(x * 2.0, "p").exp(), "q")
        r = named(x * 5.0, "r")
        return named(r + q, "s")

    def early_recorded(x: Any, named: Any) -> Any:
        r = named(x * 5.0, "r")
        q = named(named(x * 2.0, "p").exp(), "q")
        return named(q + r, "s")

    def wide(x: Any, named: Any) -> Any:
        results, turns = [named(x * float(i), f"y{i}") for i in range(9)], rng.permutation(9)
        total = results[int(turns[-1])]  # joined with another first: two edges to one node are not asked here
        for i in turns:
            total = named(total * results[int(i)], f"t{int(i)}")
        return total

    def leaf_early(x: Any, named: Any) -> Any:
        first = named(leaf(T, [1.0, 2.0, 3.0]) * 2.0, "first")
        return named(named(first.exp(), "second") * x, "product")

    yield "two branches", order(two)
    yield "recorded the other way round", order(other_way_round)
    yield "a long branch and a short one, recorded last", order(long_and_short)
    yield "a long branch and a short one, recorded first", order(early_recorded)
    yield "nine branches, joined in any order", order(wide)
    yield "a leaf's hook comes before what was recorded first", order(leaf_early)


@check("deep_and_many_ways", lesson=LESSON, points=2, parts=[WALK])
def deep_and_many_ways(T: Any, rng: np.random.Generator) -> Properties:
    def deep() -> Any:
        x, factor = leaf(T, rng.normal()), rng.uniform(0.999, 1.001)
        y = x
        for _ in range(500):
            y = y * factor
        y.backward()
        return x.grad

    def many_ways() -> Any:
        x, runs = leaf(T, rng.normal()), []
        y = x
        for _ in range(8):
            y = y + y * 2.0 + y * 3.0
            y.register_hook(lambda grad: runs.append(grad.item()))
        y.backward()
        return [x.grad, len(runs), *runs[:8]]

    def recurrent() -> Any:
        x, factor = leaf(T, rng.normal()), rng.uniform(0.9, 0.99)
        y = x
        for _ in range(300):
            y = y * factor + x
        y.backward()
        return x.grad

    yield "500 nodes in a chain, with room for 200 calls", with_room_for(200, deep)
    yield "6561 paths through eight steps", many_ways
    yield "300 steps that all use one leaf", recurrent


@check("what_the_walk_keeps", lesson=LESSON, points=1, parts=[WALK])
def what_the_walk_keeps(T: Any, rng: np.random.Generator) -> Properties:
    def again(**first: bool) -> Callable[[], Any]:
        def compute() -> Any:
            x = leaf(T, rng.normal(size=3))
            y = (x * x).sum()
            y.backward(**first)
            return [raises(y.backward), x.grad]

        return compute

    def some_inputs() -> Any:
        x, w = leaf(T, rng.normal(size=3)), leaf(T, rng.normal(size=3))
        y = x * w
        (for_y,) = T.autograd.grad((y * y + w.exp()).sum(), [y])
        return [for_y, x.grad is None, w.grad is None]

    def twice() -> Any:
        x = leaf(T, rng.normal(size=3))
        (first,) = T.autograd.grad((x * x * x).sum(), [x], create_graph=True)
        return T.autograd.grad(first.sum(), [x])[0]

    def left_over() -> Any:
        x = leaf(T, rng.normal(size=3))
        buffers = {((x.exp() * x).tanh() * x).grad_fn: rng.normal(size=3)}
        T.autograd.engine.run_backward(buffers, False, False)
        return [len(buffers), x.grad]

    yield "a second walk through freed values", again()
    yield "retain_graph", again(retain_graph=True)
    yield "the gradient of one inner value", some_inputs
    yield "the gradient of a gradient", twice
    yield "nothing is left in buffers", left_over


# ── All together ─────────────────────────────────────────────────────────────────────────────────


@check("engine_trains_a_network", lesson=LESSON, points=3, parts=[COUNT, POP, WALK])
def engine_trains_a_network(T: Any, rng: np.random.Generator) -> Properties:
    """Two layers with one matrix used in both, a short cut around them, and three steps of training."""
    X, target = T.tensor(rng.normal(size=(8, 3))), T.tensor(rng.normal(size=(8, 3)))
    shapes = {"W": (3, 3), "b": (3,), "c": (3,)}
    params = {name: leaf(T, rng.normal(size=shape) * 0.5) for name, shape in shapes.items()}

    def forward() -> dict[str, Any]:
        first = (X @ params["W"] + params["b"]).tanh()
        second = (first @ params["W"] + params["c"]).tanh()
        short = first * params["c"]
        out = second + short
        return {"first": first, "second": second, "short": short, "out": out, "loss": ((out - target) ** 2).mean()}

    made = forward()
    yield "edges to each node", counted(T, made["loss"])
    orders = [rng.permutation(5), range(5)]  # recorded last, queued last: no queue has these in order by itself
    yield "who goes next", lambda: [taken(T, list(made.values()), each, 5)() for each in orders]
    losses, gradients, fired = [], [], []
    for _ in range(3):
        made = forward()
        for name, tensor in made.items():
            tensor.register_hook(lambda grad, name=name: fired.append(name))
        for each in params.values():
            each.grad = None
        made["loss"].backward()
        losses.append(made["loss"].item())
        gradients.append([each.grad.clone() for each in params.values()])
        with T.no_grad():
            for each in params.values():
                each -= 0.2 * each.grad
    yield "the loss, step by step", losses
    for name, column in zip(shapes, zip(*gradients, strict=True), strict=True):
        yield f"three gradients of {name}", list(column)
    yield "who was reached, in which order", fired
