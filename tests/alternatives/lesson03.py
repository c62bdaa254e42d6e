"""Other right ways to write lesson 03's rules, mostly in NumPy's own words."""

import functools
import math

import numpy as np

from alternatives import alternative
from minigrad import rules

POINTWISE, REDUCE, LINALG = "minigrad.ops.pointwise.", "minigrad.ops.reduce.", "minigrad.ops.linalg."


@alternative(POINTWISE + "mul_vjp_self")
@alternative(POINTWISE + "mul_vjp_other")
def mul_by_numpy(grad, factor):
    return np.multiply(grad, factor)


@alternative(POINTWISE + "mul_vjp_self")
@alternative(POINTWISE + "mul_vjp_other")
def mul_turned_round(upstream, x):
    return x * upstream


@alternative(POINTWISE + "div_vjp_self")
def div_self_by_reciprocal(grad, other):
    return grad * (1.0 / other)


@alternative(POINTWISE + "div_vjp_self")
def div_self_by_numpy(grad, other):
    return np.divide(grad, other)


@alternative(POINTWISE + "div_vjp_other")
def div_other_squared(grad, self, other):
    return -grad * self / other**2


@alternative(POINTWISE + "div_vjp_other")
def div_other_in_two_steps(grad, self, other):
    quotient = self / other
    return (grad * quotient) / -other


@alternative(POINTWISE + "pow_vjp")
def pow_by_numpy(grad, self, exponent):
    if exponent == 0:
        return np.zeros_like(grad)
    return exponent * np.power(self, exponent - 1) * grad


@alternative(POINTWISE + "pow_vjp")
def pow_by_where(grad, self, exponent):
    slope = exponent * self ** (exponent - 1)
    return np.where(exponent == 0, 0, slope * grad)


@alternative(POINTWISE + "exp_vjp")
def exp_by_numpy(grad, result):
    return np.multiply(result, grad)


@alternative(POINTWISE + "exp_vjp")
def exp_turned_round(g, y):
    return y * g


@alternative(POINTWISE + "log_vjp")
def log_by_reciprocal(grad, self):
    return grad * (1 / self)


@alternative(POINTWISE + "log_vjp")
def log_by_power(grad, self):
    return np.multiply(self**-1.0, grad)


@alternative(POINTWISE + "tanh_vjp")
def tanh_factored(grad, result):
    return grad * (1 + result) * (1 - result)


@alternative(POINTWISE + "tanh_vjp")
def tanh_spread_out(grad, result):
    return grad - grad * result**2


@alternative(POINTWISE + "relu_vjp")
def relu_by_where(grad, result):
    return np.where(result > 0, grad, 0)


@alternative(POINTWISE + "relu_vjp")
def relu_by_copy(grad, result):
    passed = np.array(grad)
    passed[result <= 0] = 0
    return passed


def kept_shape(shape, dim):
    return [1 if dim is None or at in dim else size for at, size in enumerate(shape)]


@alternative(REDUCE + "sum_vjp")
def sum_by_reshape(grad, self_shape, dim, keepdim):
    return np.broadcast_to(np.reshape(grad, kept_shape(self_shape, dim)), self_shape)


@alternative(REDUCE + "sum_vjp")
def sum_by_addition(grad, self_shape, dim, keepdim):
    if dim is not None and not keepdim:
        grad = np.expand_dims(grad, dim)
    return grad + np.zeros(self_shape, np.asarray(grad).dtype)


@alternative(REDUCE + "sum_vjp")
def sum_by_index(grad, self_shape, dim, keepdim):
    if dim is not None and not keepdim:
        grad = grad[tuple(None if at in dim else slice(None) for at in range(len(self_shape)))]
    return rules.expand(grad, self_shape)


@alternative(REDUCE + "sum_vjp")
def sum_by_reduce(grad, self_shape, dim, keepdim):
    missing = () if keepdim else sorted(dim or ())
    return rules.expand(functools.reduce(rules.unsqueeze, missing, grad), self_shape)


@alternative(REDUCE + "mean_vjp")
def mean_by_reshape(grad, self_shape, dim, keepdim):
    share = np.reshape(grad, kept_shape(self_shape, dim)) * (np.size(grad) / math.prod(self_shape))
    return np.broadcast_to(share, self_shape)


@alternative(REDUCE + "mean_vjp")
def mean_by_loop(grad, self_shape, dim, keepdim):
    count = 1
    for at in range(len(self_shape)) if dim is None else dim:
        count *= self_shape[at]
    return sum_by_reshape(grad, self_shape, dim, keepdim) / count


@alternative(LINALG + "matmul_vjp_self")
def left_by_einsum(grad, mat2):
    return np.einsum("...nm,...km->...nk", grad, mat2)


@alternative(LINALG + "matmul_vjp_self")
def left_by_matmul(grad, mat2):
    return np.matmul(grad, np.swapaxes(mat2, -1, -2))


@alternative(LINALG + "matmul_vjp_mat2")
def right_by_einsum(grad, self):
    return np.einsum("...nk,...nm->...km", self, grad)


@alternative(LINALG + "matmul_vjp_mat2")
def right_by_moveaxis(grad, self):
    return np.matmul(np.moveaxis(self, -1, -2), grad)


@alternative(POINTWISE + "pow_vjp")
def pow_hands_grad_on(grad, self, exponent):
    """The easy exponents on their own; for 1 the very array that came in, which others may hold."""
    if exponent == 0:
        return rules.zeros(grad, grad.shape)
    if exponent == 1:
        return grad
    return (2 * self if exponent == 2 else exponent * self ** (exponent - 1)) * grad


@alternative(POINTWISE + "tanh_vjp")
def tanh_by_cosh(grad, result):
    """1 / cosh², back by way of the input: where tanh is flat, that is infinite."""
    return grad / np.cosh(np.arctanh(result)) ** 2


@alternative(REDUCE + "mean_vjp")
def mean_one_dimension_at_a_time(grad, self_shape, dim, keepdim):
    """Real copies in place of a view, and a division for each dimension."""
    share = np.reshape(grad, kept_shape(self_shape, dim))
    for d in range(len(self_shape)) if dim is None else dim:
        share = np.repeat(share, self_shape[d], axis=d) / self_shape[d]
    return share


@alternative(LINALG + "matmul_vjp_self")
def left_by_outer_products(grad, mat2):
    """A column times a row for each column of grad, added up in place."""
    out = np.zeros(grad.shape[:-1] + mat2.shape[-2:-1], grad.dtype)
    for j in range(mat2.shape[-1]):
        out += grad[..., :, j, None] * mat2[..., None, :, j]
    return out
