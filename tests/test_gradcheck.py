"""gradcheck: its numerical side by itself, and as a part that a learner writes. What it prints: twin_programs/gradcheck."""

from __future__ import annotations

import numpy as np
import pytest

import minigrad as mg
from autograder import parts
from minigrad.autograd.gradcheck import GradcheckError, central_difference, numerical_jacobian

OPS = [
    lambda x: x.exp(),
    lambda x: (x @ x).tanh(),
    lambda x: x.softmax(1),
    lambda x: (x * x[0]).sum(0),
    lambda x: x.cumsum(1).sigmoid(),
    lambda x: mg.nn.functional.gelu(x),
    lambda x: mg.nn.functional.layer_norm(x, (2,)),
]


def square() -> mg.Tensor:
    return mg.tensor([[0.3, -1.2], [2.0, 0.7]], dtype=mg.float64, requires_grad=True)


@pytest.mark.parametrize("op", OPS)
def test_rules_of_every_kind_pass_twice(op):
    assert mg.autograd.gradcheck(op, square())
    assert mg.autograd.gradgradcheck(op, square())


def test_the_error_of_a_central_difference_shrinks_with_the_square_of_the_step():
    x, d = mg.tensor([1.0], dtype=mg.float64), mg.tensor([1.0], dtype=mg.float64)
    errors = [abs(central_difference(lambda x: x**3, x, d, eps).item() - 3) for eps in (1e-2, 1e-3)]
    np.testing.assert_allclose(errors, [1e-4, 1e-6], rtol=1e-3)


def test_float32_cannot_carry_so_small_a_step():
    x = mg.tensor([1.0, 2.0])
    coarse = numerical_jacobian(lambda x: x * x, x, 1e-6).numpy()
    assert np.abs(coarse - np.diag([2.0, 4.0])).max() > 1e-2


def test_the_input_is_put_back_even_when_the_function_fails():
    x = square()
    with pytest.raises(ZeroDivisionError):
        numerical_jacobian(lambda x: x / (1 // 0), x, 1e-6)
    assert x.tolist() == square().tolist()
    assert x._version == 0


def test_the_plugged_jacobian_is_the_one_that_decides():
    name = "minigrad.autograd.gradcheck.numerical_jacobian"

    def doubled(fn, x, eps):
        return 2 * numerical_jacobian(fn, x, eps)

    with parts.plugged_in({name: doubled}):
        with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"):
            mg.autograd.gradcheck(lambda x: x.exp(), square())
        assert parts.calls(name) == 1


def test_what_minigrad_cannot_check_it_says():
    with pytest.raises(NotImplementedError, match="check_forward_ad=True"):
        mg.autograd.gradcheck(lambda x: x, square(), check_forward_ad=True)
