"""Second derivatives put to use: the Hessian times a vector, and Newton's step.

Both differentiate a gradient once more, with nothing but `autograd.grad(…, create_graph=True)`. Nothing else in the
engine uses this module. It never holds more than a small Hessian; for large models only the product is of use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .autograd import grad
from .backend import array_module
from .ops.join import stack
from .ranges import eye
from .tensor import Tensor, from_array

Function = Callable[[Any], Any]


def hessian_product(f: Function, x: Any, v: Any) -> Any:
    """H·v, where H is the Hessian of f at x; H itself is never built. torch.autograd.functional.hvp.

    f: takes a tensor of x's shape and returns one number; not linear, so its slope depends on x.
    x, v: one shape and dtype, which the result shares.
    x is left alone; the result has no history. Source: Pearlmutter (1994), Fast exact multiplication by the Hessian.
    Example: f(x) = x₀² x₁, x = [1., 2.], so H = [[4., 2.], [2., 0.]]; v = [1., 10.] → [24., 2.]
    """
    x = x.detach().requires_grad_()
    (slope,) = grad(f(x), x, create_graph=True)
    (product,) = grad(slope, x, v)
    return product


def solve(matrix: Tensor, vector: Any) -> Tensor:
    """The s for which matrix · s = vector; shapes (n, n) and (n,). Not recorded (torch.linalg.solve records it)."""
    return from_array(array_module(matrix._data).linalg.solve(matrix._data, vector._data))


def newton_step(f: Function, x: Any) -> Any:
    """Where the slope of f would be 0 if f were a parabola: x - H⁻¹ · slope.

    f: takes a tensor of shape (n,) and returns one number. x: shape (n,), left alone. The result has no history.
    Example: f(x) = x₀² + 5 x₁², x = [3., 1.]: slope = [6., 10.], H = [[2., 0.], [0., 10.]] → [0., 0.]
    """
    x = x.detach().requires_grad_()
    (slope,) = grad(f(x), x)
    rows = [hessian_product(f, x, direction) for direction in eye(len(x), dtype=x.dtype)]  # type: ignore[attr-defined]
    return x.detach() - solve(stack(rows), slope)
