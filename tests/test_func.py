"""torch.func: that its derivatives are right through everything around them, and that nothing of them stays behind."""

from __future__ import annotations

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

import minigrad
from minigrad import func
from minigrad.autograd.graph import saved_tensors_hooks


def energy(x, w):
    return ((x * w).tanh().exp() * x).sum()


CALLS = {
    "grad": lambda x, w: func.grad(energy)(x, w),
    "grad_and_value": lambda x, w: func.grad_and_value(energy, argnums=(0, 1))(x, w),
    "nested": lambda x, w: func.grad(lambda a: func.grad(energy)(a, w).sum())(x),
    "vjp": lambda x, w: func.vjp(energy, x, w)[1](minigrad.tensor(1.0)),
    "jvp": lambda x, w: func.jvp(energy, (x, w), (x, w)),
    "linearize": lambda x, w: func.linearize(energy, x, w)[1](x, w),
    "jacrev": lambda x, w: func.jacrev(energy, argnums=1)(x, w),
    "jacfwd": lambda x, w: func.jacfwd(energy)(x, w),
    "hessian": lambda x, w: func.hessian(energy)(x, w),
    "vmap": lambda x, w: func.vmap(func.grad(energy), (0, None))(x.expand(2, 3), w),
    "grad of vmap": lambda x, w: func.grad(lambda a: func.vmap(energy, (0, None))(a, w).sum())(x),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_no_graph_needs_the_garbage_collector(name):
    x = minigrad.tensor([0.1, 0.2, 0.3])
    w = minigrad.tensor(0.7, requires_grad=True)
    CALLS[name](x, w)
    gc.collect()
    gc.freeze()  # it has to look at nothing older
    gc.disable()
    try:
        CALLS[name](x, w)
        assert gc.collect() == 0
    finally:
        gc.enable()
        gc.unfreeze()


def test_what_is_not_asked_for_is_freed():
    kept = []

    def watched(x):
        y = x.exp()
        kept.append(weakref.ref(y._data))
        return y.sin().sum()

    slope, value = func.grad_and_value(watched)(minigrad.ones(3))
    assert kept[0]() is None and not slope.requires_grad and not value.requires_grad


def test_a_failing_function_leaves_nothing_switched_on():
    x = minigrad.ones(2)
    with minigrad.no_grad():
        with pytest.raises(ZeroDivisionError):
            func.grad(lambda a: 1 / 0)(x)
        assert not minigrad.is_grad_enabled()
    with pytest.raises(ZeroDivisionError):
        func.vmap(lambda a: 1 / 0)(x)
    assert minigrad.rand(2).shape == (2,)
    y = x.requires_grad_().exp()
    y.sum().backward()
    with pytest.raises(RuntimeError, match="a second time"):
        y.sum().backward()
    x = x.detach()
    with saved_tensors_hooks(lambda t: t, lambda t: t):
        assert (x * x.requires_grad_()).requires_grad


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_derivatives_of_any_order(order):
    def function(x):
        return x**5

    factor = 1.0
    for n in range(order):
        function = func.grad(function)
        factor *= 5 - n
    found = function(minigrad.tensor(2.0, dtype=minigrad.float64))
    assert found.item() == pytest.approx(factor * 2.0 ** (5 - order))


def test_gradients_go_on_to_what_the_inputs_were_made_of():
    w = minigrad.tensor([0.5, -0.2], dtype=minigrad.float64, requires_grad=True)

    def outer(w):
        return func.grad(lambda a: (a**3).sum())(w.sin()).sum()

    outer(w).backward()
    expected = 6 * w.detach().sin() * w.detach().cos()
    assert minigrad.allclose(w.grad, expected)
    assert minigrad.autograd.gradcheck(outer, (w.detach().requires_grad_(),))


def test_a_slice_is_a_tensor_with_values():
    x = minigrad.tensor([[1.0, -2.0], [3.0, 4.0]], requires_grad=True)
    seen = []

    def size(row):
        seen.append(row.tolist())
        return row.sum() if row.sum() > 0 else row.sum() * -row[0].item()

    found = func.vmap(size)(x)
    found.sum().backward()
    assert seen == x.tolist() and found.tolist() == [1.0, 7.0] and x.grad.tolist() == [[-1.0, -1.0], [1.0, 1.0]]


def test_slices_that_give_different_things_cannot_be_stacked():
    x = minigrad.tensor([1.0, 2.0])
    with pytest.raises(ValueError, match="differ in structure"):
        func.vmap(lambda a: (a,) if a < 2 else [a])(x)
    with pytest.raises(ValueError, match="can not return a BatchedTensor when out_dim is None"):
        func.vmap(lambda a: a, out_dims=None)(x)


def test_a_graph_is_kept_for_the_next_slice_and_no_longer():
    x = minigrad.ones(3, requires_grad=True)
    kept = []

    def watched():
        y = x.exp()
        kept.append(weakref.ref(y._data))
        return y.sin()

    y = watched()
    jacobian = func.vmap(lambda v: minigrad.autograd.grad(y, x, v)[0])(minigrad.eye(3))
    assert minigrad.allclose(jacobian, minigrad.diag(x.exp().cos() * x.exp())) and kept[0]() is None


def test_what_vmap_refuses_it_refuses_in_its_own_thread():
    x = minigrad.ones(2, requires_grad=True)

    def elsewhere(a):
        (x * 2).sum().backward()
        return minigrad.rand(3).shape

    with ThreadPoolExecutor(1) as other:
        shapes = func.vmap(lambda a: (a, other.submit(elsewhere, a).result()), out_dims=(0, None))(minigrad.ones(2))[1]
    assert shapes == (3,) and x.grad.tolist() == [4.0, 4.0]
