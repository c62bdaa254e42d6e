"""torch.func: that its derivatives are right through everything around them, and that nothing of them stays behind."""

from __future__ import annotations

import gc
import weakref

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
}


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
