"""Other right ways to write lesson 11's parts."""

import math

from alternatives import alternative
from minigrad import eye, no_grad, rules, stack, zeros_like
from minigrad.autograd import grad as slopes
from minigrad.curvature import solve

SIN, COS = "minigrad.ops.pointwise.sin_vjp", "minigrad.ops.pointwise.cos_vjp"
PRODUCT, NEWTON = "minigrad.curvature.hessian_product", "minigrad.curvature.newton_step"


@alternative(SIN)
def sin_factors_exchanged(grad, self):
    return rules.cos(self) * grad


@alternative(SIN)
def sin_by_a_shift(grad, self):
    """cos(x) = sin(x + π/2)."""
    return grad * rules.sin(self + math.pi / 2)


@alternative(COS)
def cos_minus_in_front(grad, self):
    return -(grad * rules.sin(self))


@alternative(COS)
def cos_by_a_shift(grad, self):
    """-sin(x) = cos(x + π/2)."""
    return grad * rules.cos(self + math.pi / 2)


@alternative(PRODUCT)
def by_pairing(f, x, v):
    """Pairs slope and v to one number, then differentiates that."""
    x = x.detach().requires_grad_(True)
    slope = slopes(f(x), [x], create_graph=True)[0]
    return slopes((slope * v).sum(), [x])[0]


@alternative(PRODUCT)
def by_backward(f, x, v):
    """Lets the second walk fill .grad of a leaf of its own."""
    leaf = x.detach().clone().requires_grad_()
    (slope,) = slopes(f(leaf), leaf, create_graph=True)
    slope.backward(v)
    return leaf.grad


@alternative(PRODUCT)
def with_a_zeroed_grad(f, x, v):
    """Two calls of backward, with .grad cleared in between."""
    leaf = x.clone().detach()
    leaf.requires_grad = True
    (slope,) = slopes(f(leaf).sum(), leaf, create_graph=True)
    leaf.grad = zeros_like(leaf)
    (v * slope).sum().backward()
    return leaf.grad.clone()


@alternative(NEWTON)
def row_by_row(f, x):
    """Differentiates each component of the slope; does without hessian_product."""
    at = x.detach().requires_grad_()
    (slope,) = slopes(f(at), at, create_graph=True)
    rows = [slopes(each, at, retain_graph=True)[0] for each in slope]
    with no_grad():
        return at - solve(stack(rows), slope)


@alternative(NEWTON)
def columns_by_pairing(f, x):
    """H's columns by by_pairing, which for a symmetric H are the rows."""
    columns = []
    for direction in eye(len(x), dtype=x.dtype):
        columns.append(by_pairing(f, x, direction))
    at = x.detach().requires_grad_()
    step = solve(stack(columns, 1), slopes(f(at), at)[0])
    return (at - step).detach()


@alternative(PRODUCT)
def by_two_transposes(f, x, v):
    """Hᵀu is linear in u; its own slope along v is Hv, whatever u is."""
    leaf = x.detach().requires_grad_()
    (slope,) = slopes(f(leaf), leaf, create_graph=True)
    u = zeros_like(slope).requires_grad_()
    (turned,) = slopes(slope, leaf, u, create_graph=True)
    return slopes(turned, u, v)[0]
