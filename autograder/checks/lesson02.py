"""Lesson 02, the graph: which tensors are leaves, what grad_fn names, and where each edge leads.

Nodes are told by their names and, where one and the same is meant, by identity. Edges are looked at through
`next_functions` and by what arrives in `.grad` at their ends.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.checks import check, uncollected
from autograder.checks.draws import each_at_least_once

LESSON = "02_graph"
IS_LEAF, GRAD_FN = "minigrad.tensor.Tensor.is_leaf", "minigrad.tensor.Tensor.grad_fn"
EDGE = "minigrad.autograd.accumulate.gradient_edge"

Properties = Iterator[tuple[Any, ...]]


def leaf(T: Any, values: Any, dtype: str = "float64") -> Any:
    """A leaf that wants a gradient, asked for in the way that does not depend on what a leaf is taken for."""
    return T.tensor(np.asarray(values, dtype)).requires_grad_()


def name(node: Any) -> str | None:
    """A node's name without torch's C++ namespaces."""
    return None if node is None else str(node.name()).rsplit("::", 1)[-1]


def edges(tensor: Any) -> list[Any]:
    """Where the node of `tensor` leads: [name, output number] for each of its inputs."""
    return [[name(node), number] for node, number in tensor.grad_fn.next_functions]


def ends(tensor: Any) -> list[Any]:
    """The nodes that the node of `tensor` leads to."""
    return [node for node, _ in tensor.grad_fn.next_functions]


class Reference(weakref.ref):
    """A weak reference of a class of its own."""


def ask_the_part(tensor: Any) -> None:
    """Let minigrad ask `gradient_edge` for the leaf's AccumulateGrad even while there is one.

    Of a plain weak reference the engine looks up the node itself, which is quicker, and of a learner's `gradient_edge`
    the lines for a node that is there would never run.
    """
    known = getattr(tensor, "_accumulator", None)
    if type(known) is weakref.ref and (node := known()) is not None:
        tensor._accumulator = Reference(node)


@check("leaf_or_not", lesson=LESSON, points=2, parts=[IS_LEAF])
def leaf_or_not(T: Any, rng: np.random.Generator) -> Properties:
    data, w = T.tensor(rng.normal(size=3)), leaf(T, rng.normal(size=3))
    yield "made by hand, wants a gradient", w.is_leaf
    yield "made by hand, wants none", [data.is_leaf, T.tensor([1, 2]).is_leaf]
    yield "computed from one that wants a gradient", [(w * 2.0).is_leaf, w.exp().is_leaf, (data + w).is_leaf]
    yield "computed, but nobody wants a gradient", [(data * 2.0).is_leaf, (data + data).exp().is_leaf]
    yield "made with requires_grad, then converted", leaf(T, [1.0], "float32").double().is_leaf
    yield "converted to what it was", leaf(T, [1.0]).double().is_leaf
    yield "detached", (w * 2.0).detach().is_leaf
    with T.no_grad():
        unrecorded = w * 2.0
    yield "computed without recording", unrecorded.is_leaf
    yield "a comparison", (w > 0).is_leaf
    yield "a view of a leaf", [w.reshape(3, 1).is_leaf, w[0].is_leaf]
    total = T.zeros(3, dtype=T.float64)
    before = total.is_leaf
    total += w
    yield "added to in place", [before, total.is_leaf]
    products = [(data, data), (data, w), (w, data), (w, w)]
    yield "drawn at random", [(a * b).is_leaf for a, b in (products[i] for i in each_at_least_once(rng, 4, 12))]


@check("grad_fn_names", lesson=LESSON, points=2, parts=[GRAD_FN])
def grad_fn_names(T: Any, rng: np.random.Generator) -> Properties:
    data, w = T.tensor(rng.normal(size=(2, 3))), leaf(T, rng.normal(size=(2, 3)))
    yield "leaves have none", [w.grad_fn is None, data.grad_fn is None, (data * 2.0).grad_fn is None]
    yield "arithmetic", lambda: [name(each.grad_fn) for each in (w + 1.0, w - data, w * w, w / 2.0, -w)]
    yield "a number on the left", lambda: [name((1.0 - w).grad_fn), name((1.0 / w).grad_fn)]
    yield "three overloads of pow", lambda: [name(each.grad_fn) for each in (w**2, w.exp() ** w, 2.0**w)]
    yield "two overloads of sum", lambda: [name(w.sum().grad_fn), name(w.sum(0).grad_fn)]
    yield "two additions, one name", lambda: [name((w + 1.0).grad_fn), name((w + 1.0 + 2.0).grad_fn)]
    y = w * 2.0
    yield "asked twice, the same node", lambda: y.grad_fn is y.grad_fn
    yield "two products, two nodes", lambda: y.grad_fn is (w * 2.0).grad_fn
    first, second = w.unbind(0)
    yield "two outputs, one node", lambda: first.grad_fn is second.grad_fn
    y += 1.0
    yield "after an in-place addition", lambda: name(y.grad_fn)
    yield "detached", lambda: y.detach().grad_fn is None
    actions = [w.exp, w.log, w.tanh, w.sin, w.cos, w.sum, w.mean, w.relu, w.sqrt, w.abs]
    drawn = [actions[i] for i in rng.permutation(len(actions))]
    yield "drawn at random", lambda: [name(action().grad_fn) for action in drawn]


@check("edges_of_an_expression", lesson=LESSON, points=2, parts=[EDGE])
def edges_of_an_expression(T: Any, rng: np.random.Generator) -> Properties:
    x, w, b = T.tensor(rng.normal(size=3)), leaf(T, rng.normal(size=3)), leaf(T, rng.normal(size=3))
    y = w * x
    z = y + b
    yield "of z = y + b", lambda: edges(z)
    yield "of y = w * x, where x wants none", lambda: edges(y)
    yield "y's node is where z leads", lambda: ends(z)[0] is y.grad_fn
    yield "a leaf's end knows its leaf", lambda: ends(z)[1].variable is b
    yield "of a sum", lambda: edges(z.sum())
    yield "of three joined", lambda: edges(T.cat([z, x, b]))
    yield "of a view", lambda: [edges(w.reshape(3, 1)), edges(y.reshape(3, 1))]
    column = x.reshape(3, 1)
    yield "a view of data is data", [column.requires_grad, column.grad_fn is None, edges(column * b)]
    (z.sum() + T.cat([y, b]).sum()).backward()
    yield "what arrives", [w.grad, b.grad, x.grad]


@check("one_accumulator", lesson=LESSON, points=2, parts=[EDGE])
def one_accumulator(T: Any, rng: np.random.Generator) -> Properties:
    w, v = leaf(T, rng.normal(size=3)), leaf(T, rng.normal(size=3))
    product, total = w * 2.0, w + v
    yield "two operations, one end", lambda: ends(product)[0] is ends(total)[0]
    yield "x * x leads there twice", lambda: ends(w * w)[0] is ends(w * w)[1]
    yield "another leaf, another end", lambda: ends(total)[0] is ends(total)[1]
    (product * total * w).sum().backward()
    yield "all that arrives is added up", [w.grad, v.grad]

    def afresh() -> Any:
        u = leaf(T, [1.0, 2.0])
        for factor in (2.0, 3.0, 4.0):
            y = u * factor  # each graph is gone before the next one is made
            y.sum().backward()
            del y
        return u.grad

    yield "graph after graph", afresh
    other = leaf(T, rng.normal(size=2))
    (other * 2.0).sum().backward()

    def let_go() -> bool:
        u = leaf(T, [1.0, 2.0])
        y, seen = u * 2.0, weakref.ref(u)
        with uncollected():  # or a ring might be cleared away just in time
            del y, u
            return seen() is None

    yield "and nobody keeps the leaf alive", let_go
    yield "and once more, through a view", lambda: [edges(other.reshape(2, 1)), ends(other + 1.0)[0].variable is other]
    sought = leaf(T, rng.normal(size=2))
    held = sought * 2.0
    ask_the_part(sought)
    yield "asked again while it lives", lambda: ends(sought + 1.0)[0] is ends(held)[0], "two operations, one end"


@check("output_numbers", lesson=LESSON, points=1, parts=[EDGE])
def output_numbers(T: Any, rng: np.random.Generator) -> Properties:
    w = leaf(T, rng.normal(size=(3, 2)))
    first, second, third = w.unbind(0)
    yield "first, second, third", [each.output_nr for each in (first, second, third)]
    yield "where they lead", lambda: edges(T.cat([first, third, second]))
    yield "third * first", lambda: edges(third * first)
    values, _ = w.max(0)
    yield "of max's two results", lambda: edges(values.reshape(2, 1))
    (first * T.tensor(rng.normal(size=2)) + third.reshape(2) * rng.normal()).sum().backward()
    yield "each output's own gradient", w.grad


@check("graph_of_a_network", lesson=LESSON, points=3, parts=[IS_LEAF, GRAD_FN, EDGE])
def graph_of_a_network(T: Any, rng: np.random.Generator) -> Properties:
    """Two layers with shared weights, some frozen: every node, every edge, and what arrives at the leaves."""
    X = T.tensor(rng.normal(size=(6, 3)))
    W, b = leaf(T, rng.normal(size=(3, 3))), leaf(T, rng.normal(size=3))
    frozen = T.tensor(rng.normal(size=3))
    hidden = ((X @ W + b) * frozen).tanh()
    out = (hidden @ W + b).relu()
    loss = (T.cat([out, hidden.detach()], 1) ** 2).mean() + (b * b).sum()
    order, seen = [], set()
    waiting = [loss.grad_fn]
    while waiting:
        node = waiting.pop(0)
        if node not in seen:
            seen.add(node)
            order.append([name(node), [[name(after), number] for after, number in node.next_functions]])
            waiting += [after for after, _ in node.next_functions if after is not None]
    yield "every node with its edges", order
    yield "how many nodes", len(order)
    collectors = [node for node in seen if name(node) == "AccumulateGrad"]
    yield "one end for each leaf", [len(collectors), {id(node.variable) for node in collectors} == {id(W), id(b)}]
    tensors = [X, W, b, frozen, hidden, out, loss]
    yield "leaves", [each.is_leaf for each in tensors]
    yield "names", [name(each.grad_fn) for each in tensors]
    loss.backward()
    yield "gradients", [W.grad, b.grad]
    yield "and none for data", [X.grad, frozen.grad]
