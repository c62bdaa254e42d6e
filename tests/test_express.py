"""The walk that nobody watches (autograd/express.py): to the same effect as `run_backward`, and never where it can be seen."""

import math
import random
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
import torch

import minigrad
from minigrad.autograd import engine, express
from minigrad.autograd.accumulate import gradient_edge
from minigrad.autograd.graph import LAST

BOTH = pytest.mark.parametrize("T", [torch, minigrad], ids=["torch", "minigrad"])


def program(T, seed):
    """Leaves and a loss of them, by way of sums, products, views, splits and writes in place."""
    rng = random.Random(seed)
    leaves = [
        T.tensor([[rng.uniform(-1, 1) for _ in range(4)] for _ in range(2)], requires_grad=True) for _ in range(3)
    ]
    known = [*leaves, *(leaf * 1 for leaf in leaves)]

    def some():
        return rng.choice(known)

    kinds = rng.choice((8, 9))  # the last kind, which is not walked unwatched, in every other program
    for _ in range(rng.randrange(5, 30)):
        match rng.randrange(kinds):
            case 0:
                known.append(some() + some())
            case 1:
                known.append(some() * some())
            case 2:
                known.extend(some().clone().chunk(2)[0].repeat(2, 1) for _ in range(2))
            case 3:
                first, second = some().split(2, 1)
                known.append(T.cat([second.tanh(), first], 1))
            case 4:
                known.append(some() - some().sum(0))
            case 5:
                known.append(some().t().reshape(2, 4))
            case 6:
                known.append(some().max(1, keepdim=True)[0] + some().detach())
            case 7:
                known.append((some() * 2).add_(some()))
            case 8:
                written = some() * 1
                written[0].mul_(some()[1])
                known.append(written)
    return leaves, sum(each.sum() for each in known[6:])


def gradients(leaves):
    return [None if leaf.grad is None else leaf.grad.numpy().tobytes() for leaf in leaves]


@pytest.mark.parametrize("seed", range(60))
def test_both_walks_find_the_same_to_the_last_bit(seed, monkeypatch):
    leaves, loss = program(minigrad, seed)
    loss.backward(retain_graph=True)
    once = gradients(leaves)
    for leaf in leaves:
        leaf.grad = None
    monkeypatch.setattr(express, "OWN", ())
    loss.backward()
    assert gradients(leaves) == once


def used_often(shape, dtype, times, turned=False, hook_at=None):
    """A leaf that is used many times, and the sum of what it is used for; perhaps a node on the way has a hook."""
    rng = np.random.default_rng(times)
    leaf = minigrad.tensor(rng.normal(size=shape).astype(dtype), requires_grad=True)
    total = minigrad.zeros(shape, dtype=leaf.dtype)
    for i in range(times):
        factor = np.asarray(rng.normal(size=shape) * 10.0 ** rng.integers(-3, 3)).astype(dtype)
        factor.flat[-1:] = -0.0
        total = total + leaf * minigrad.from_numpy(
            np.asfortranarray(factor) if turned and i % 3 else np.asarray(factor)
        )
        if i == hook_at:
            total.register_hook(lambda grad: None)
    return leaf, total.sum()


@pytest.mark.parametrize("times", [1, 2, 3, 100, 256, 257, 258, 520])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(1,), (2,), (7,), (), (0,), (1, 1), (2, 3), (4, 1, 5), (256,), (257,)], ids=str)
def test_a_leaf_used_often_gets_its_gradients_added_one_after_the_other(shape, dtype, times, monkeypatch):
    leaf, total = used_often(shape, dtype, times)
    total.backward(retain_graph=True)
    (alone,) = minigrad.autograd.grad(total, leaf, retain_graph=True)
    assert (leaf.grad.dtype, leaf.grad.shape) == (leaf.dtype, leaf.shape)
    once = gradients([leaf])
    assert (leaf.grad.mul_(1) == alone).all()  # it is the leaf's own and can be written to
    leaf.grad = None
    monkeypatch.setattr(express, "OWN", ())
    total.backward()
    assert gradients([leaf]) == once == [alone.numpy().tobytes()]


@pytest.mark.parametrize(
    ("turned", "hook_at"), [(True, None), (False, 3), (False, 50), (False, 148), (False, 290), (True, 70)]
)
def test_a_leaf_used_often_whose_gradients_lie_in_two_orders_or_meet_a_hook(turned, hook_at, monkeypatch):
    leaf, total = used_often((2, 3), "float32", 300, turned, hook_at)
    total.backward(retain_graph=True)
    once, leaf.grad = gradients([leaf]), None
    monkeypatch.setattr(express, "OWN", ())
    total.backward()
    assert gradients([leaf]) == once


def test_a_leaf_that_is_watched_sees_all_its_gradients_in_one():
    leaf, total = used_often((2,), "float32", 100)
    seen = []
    leaf.register_hook(lambda grad: seen.append(grad.clone()))
    total.backward()
    assert len(seen) == 1
    assert (seen[0] == leaf.grad).all()


def test_gradients_of_a_wrong_shape_are_refused_however_many_there_are():
    """As if each had been added to those before it; put together in one piece of memory these would have fitted."""
    for times in (2, 3, 255):
        leaf = minigrad.ones(2, 3, requires_grad=True)
        wrong = express.Summands([minigrad.ones(2, 3)._data, *[minigrad.ones(3, 2)._data] * times])
        with pytest.raises(ValueError, match="broadcast"):
            express.added_up(wrong, gradient_edge(leaf)[0])
        one_of_another_dtype = express.Summands([*[np.ones((2, 3), "f")] * times, np.ones((2, 3), "d")])
        found = express.added_up(one_of_another_dtype, gradient_edge(leaf)[0])
        assert found.dtype == "d"
        assert (found == times + 1).all()


def test_half_of_these_programs_are_walked_unwatched_to_their_end():
    through = 0
    for seed in range(60):
        _, loss = program(minigrad, seed)
        through += express.run_unwatched({loss.grad_fn: minigrad.ones(())._data}, False)
    assert 30 <= through < 60  # where a view was written to, run_backward goes on


def towards(some, loss, create_graph):
    """Gradients for some leaves, and with create_graph those of their squares, as bytes."""
    grads = minigrad.autograd.grad(loss, some, retain_graph=True, create_graph=create_graph, allow_unused=True)
    if create_graph:
        penalty = sum((g * g).sum() for g in grads if g is not None)
        names = [type(node).__name__ for node in engine.count_dependencies([penalty.grad_fn])]
        grads += minigrad.autograd.grad(penalty, some, retain_graph=True, allow_unused=True)
        return [None if g is None else g.detach().numpy().tobytes() for g in grads], names
    return [None if g is None else g.numpy().tobytes() for g in grads]


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("chosen", [slice(None), slice(1, None)], ids=["all leaves", "some leaves"])
@pytest.mark.parametrize("seed", range(60))
def test_both_walks_find_the_same_for_inputs(seed, chosen, create_graph, monkeypatch):
    leaves, loss = program(minigrad, seed)
    loss = (loss * loss).sum()
    once = towards(leaves[chosen], loss, create_graph)
    monkeypatch.setattr(express, "OWN", ())
    assert towards(leaves[chosen], loss, create_graph) == once


def test_many_of_these_programs_are_walked_unwatched_towards_all_their_leaves():
    through = 0
    for seed in range(60):
        leaves, loss = program(minigrad, seed)
        edges = [gradient_edge(leaf) for leaf in leaves]
        found = express.run_towards(edges, {loss.grad_fn: minigrad.ones(())._data}, True, False)
        through += found is not None
        assert express.run_towards(edges[-1:], {loss.grad_fn: minigrad.ones(())._data}, True, False) is None
    assert 30 <= through < 60  # where a view was written to, run_backward goes on


@BOTH
def test_what_leads_elsewhere_does_not_run(T):
    x, y = (T.tensor([each], requires_grad=True) for each in (1.0, 2.0))
    elsewhere = y.exp()
    loss = (x.exp() + elsewhere).sum()
    T.autograd.grad(loss, x)
    assert T.autograd.grad(elsewhere, y)[0].item() == pytest.approx(math.exp(2))  # its graph has not been released
    with pytest.raises(RuntimeError, match="a second time"):
        T.autograd.grad(loss, x)


@BOTH
def test_towards_an_input_on_both_sides_of_what_is_watched(T):
    seen = []
    x = T.tensor([2.0], requires_grad=True)
    inner = x * x
    inner.register_hook(lambda g: seen.append(g.item()) or g * 10)
    loss = (inner * x).sum()
    assert T.autograd.grad(loss, x)[0].item() == 84  # x² + 10 · x · 2x
    assert seen == [2]


@BOTH
def test_towards_inputs_that_are_outputs_or_not_there(T):
    x, y = (T.tensor([each], requires_grad=True) for each in (1.0, 2.0))
    assert T.autograd.grad(x, x)[0].item() == 1
    assert T.autograd.grad([x, x * y], [x, y, x], [T.ones(1), T.ones(1)])[0].item() == 3
    assert T.autograd.grad(x * 2, [y, x], allow_unused=True)[0] is None
    with pytest.raises(RuntimeError, match="appears to not have been used"):
        T.autograd.grad(x, y)


@pytest.mark.parametrize("seed", range(60))
def test_an_operation_is_recorded_later_than_those_it_uses(seed):
    _, loss = program(minigrad, seed)
    for node in engine.count_dependencies([loss.grad_fn]):
        for parent in node.parents:
            assert parent is None or parent.order == -LAST or parent.order > node.order


@pytest.mark.parametrize("name", ["count_dependencies", "run_backward", "run_node", "release", "push", "pop"])
def test_a_function_of_the_walk_that_is_replaced_does_the_work(name, monkeypatch):
    called = []

    def instead(*args):
        called.append(name)
        return original(*args)

    original = getattr(engine, name)
    monkeypatch.setattr(engine, name, instead)
    x = minigrad.tensor([2.0], requires_grad=True)
    y = minigrad.tensor([3.0], requires_grad=True)
    (x * y + x.exp() * y.exp()).sum().backward()
    assert called


def test_the_choice_of_nodes_that_is_replaced_does_the_work(monkeypatch):
    monkeypatch.setattr(engine, "nodes_to_run", lambda reachable, targets: set())
    x = minigrad.tensor([2.0], requires_grad=True)
    assert minigrad.autograd.grad((x * x).sum(), x, allow_unused=True) == (None,)


def test_new_gradients_do_not_wait_beside_large_ones():
    def peak():
        x = minigrad.zeros(100_000)
        leaves = [minigrad.zeros(100_000, requires_grad=True) for _ in range(20)]
        for _ in range(2):
            for leaf in leaves:
                x = (x.detach() if leaf is leaves[0] else x) * 0.5 + leaf * 0.5
            tracemalloc.start()
            x.sum().backward()
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        return most

    assert peak() < 10 * 400_000  # some of the 20 gradients at a time


def peak_of(call):
    """The most memory in bytes that was taken at one time during a call."""
    tracemalloc.start()
    call()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


@pytest.mark.parametrize(
    ("uses", "arrays", "expected"),
    [
        (lambda x: x * 2 + x * 3, 2, 5),  # the two gradients, and no third array for their sum
        (lambda x: x + x.exp(), 1, 1 + math.e),  # the first is the view of a number, which nothing can be added to
    ],
)
def test_a_large_gradient_that_nobody_else_has_is_added_to_in_place(uses, arrays, expected):
    ones = minigrad.ones(1 << 20)._data
    if peak_of(lambda: (ones * 1) + ones) > 1.5 * ones.nbytes:
        pytest.skip("this build of NumPy always makes a new array")
    x = minigrad.ones(1 << 20, requires_grad=True)
    loss = uses(x).sum()
    assert peak_of(loss.backward) < (arrays + 0.9) * ones.nbytes
    assert np.allclose(x.grad.numpy(), expected)


@BOTH
def test_one_node_adds_to_two_large_gradients(T):
    x, y = T.full((1 << 18,), 2.0, requires_grad=True), T.full((1 << 18,), 3.0, requires_grad=True)
    product = x * y  # recorded first, so it runs last
    (product + x.exp() + y.square()).sum().backward()
    assert x.grad.allclose(T.full((1 << 18,), 3 + math.exp(2)))
    assert y.grad.eq(2 + 6).all()


@BOTH
def test_a_large_gradient_that_somebody_has_is_left_alone(T):
    given = T.full((1 << 18,), 2.0)
    a, b, c = [T.ones(1 << 18, requires_grad=True) for _ in range(3)]
    total = a + b  # hands on what it got itself
    (total + a + c * 3 + total.exp().log() + c).backward(given)
    assert given.eq(2).all()
    assert [round(leaf.grad.sum().item() / (1 << 18), 2) for leaf in (a, b, c)] == [6, 4, 8]
    assert a.grad.data_ptr() != b.grad.data_ptr()


def test_a_function_that_was_replaced_before_the_first_walk_does_the_work():
    program = (
        "import minigrad; from minigrad.autograd import engine; own = engine.count_dependencies\n"
        "engine.count_dependencies = lambda roots: print('counted') or own(roots)\n"
        "x = minigrad.ones(2, requires_grad=True); (x * x).sum().backward()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("counted")


@BOTH
def test_after_an_error_leaves_whose_gradients_were_complete_have_them(T):
    a, b, c, d = (T.tensor([each], requires_grad=True) for each in (1.0, 2.0, 3.0, 4.0))
    inner = a * b
    loss = (inner * c + d).sum() + d.sum()
    with T.no_grad():
        inner.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()
    assert [each.grad is None for each in (a, b, c, d)] == [True, True, True, False]
    assert d.grad.item() == 2


@BOTH
def test_a_second_walk_fails_where_something_is_missing_and_not_before(T):
    a, b = (T.tensor([each], requires_grad=True) for each in (1.0, 2.0))
    loss = (a * a + b).sum()
    loss.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        loss.backward()
    assert (a.grad.item(), b.grad.item()) == (2, 2)


def looks(T, seen):
    """What may see how far a walk is: name → a tensor made of w that looks at u's gradient once it is its turn."""
    w, u = T.tensor([2.0], requires_grad=True), T.tensor([3.0], requires_grad=True)

    def look(*_):
        seen.append(None if u.grad is None else u.grad.item())

    class Looking(T.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            look()
            return grad * 2

    def hooked(x):
        x.register_hook(look)
        return x

    def unpacked(x):
        def unpack(kept):
            look()
            return kept

        with T.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
            return x * x

    def packed(x):
        y = x * x
        y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda kept: look() or kept)
        return y

    def of_node(x):
        x.grad_fn.register_prehook(look)
        return x

    def written(x):
        x[0].copy_(Looking.apply(x[0].clone()))
        return x

    return w, u, {"a tensor's hook": hooked, "a Function": Looking.apply, "unpacking": unpacked, "unpacking one": packed,
                  "a node's hook": of_node, "a Function, and a view": written}  # fmt: skip


@pytest.mark.parametrize("how", looks(minigrad, [])[2])
@pytest.mark.parametrize("early", [False, True])
def test_who_looks_sees_the_gradients_that_torch_would_show(how, early):
    def run(T):
        seen = []
        w, u, ways = looks(T, seen)
        before = w * 3 if early else None
        part = u * u.exp()
        watched = ways[how](w * 3 if before is None else before)
        (watched + part).sum().backward()
        return [*seen, w.grad.item(), u.grad.item()]

    assert run(minigrad) == pytest.approx(run(torch))


@pytest.mark.parametrize("leaf", [0, 1, 2])
def test_the_hooks_of_leaves_fire_in_torchs_order(leaf):
    def run(T):
        seen = []
        leaves = [T.tensor([float(i)], requires_grad=True) for i in range(3)]
        a, b, c = leaves
        inner = a * b
        inner.register_hook(lambda g: seen.append(["inner", *[x.grad is None for x in leaves]]))
        leaves[leaf].register_post_accumulate_grad_hook(lambda t: seen.append([*[x.grad is None for x in leaves]]))
        ((inner * c).exp() + b * c + a).sum().backward()
        return seen

    assert run(minigrad) == run(torch)


@pytest.mark.parametrize("leaf", range(9))
def test_a_leafs_hook_sees_the_gradients_of_the_leaves_before_it(leaf):
    def run(T):
        seen = []
        leaves = [T.tensor([float(i)], requires_grad=True) for i in range(9)]
        leaves[leaf].register_hook(lambda g: seen.append([x.grad is None for x in leaves]))
        parts = [leaves[:3], leaves[3:6], leaves[6:], leaves[2:7]]
        sum(T.cat(part).sum() for part in parts).backward()
        return seen

    assert run(minigrad) == run(torch)


@BOTH
def test_two_operations_without_a_derivative_at_once(T):
    a, b = (T.tensor([each], requires_grad=True) for each in (5.0, 7.0))
    loss = ((a // 2) * (b // 2) + (a * b)).sum()
    with pytest.raises(RuntimeError, match="derivative for aten::floor_divide is not implemented"):
        loss.backward()
    assert (a.grad, b.grad) == (None, None)
