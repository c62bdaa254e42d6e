"""Other right ways to write lesson 04's parts."""

import numpy as np

from alternatives import alternative
from minigrad import rules

STRETCHES, UNBROADCAST = "minigrad.autograd.accumulate.broadcasts_to", "minigrad.autograd.accumulate.unbroadcast"
EXPAND = "minigrad.ops.shape.expand_vjp"


@alternative(STRETCHES)
def padded_with_ones(shape, target):
    """Fills up on the left, then looks column by column."""
    if len(shape) > len(target):
        return False
    padded = (1,) * (len(target) - len(shape)) + tuple(shape)
    for n, m in zip(padded, target, strict=True):
        if n not in (1, m):
            return False
    return True


@alternative(STRETCHES)
def from_the_right(shape, target):
    """Walks both shapes backwards."""
    pairs = zip(reversed(shape), reversed(target), strict=False)
    return not len(shape) > len(target) and all(n == 1 or n == m for n, m in pairs)


@alternative(UNBROADCAST)
def one_dimension_at_a_time(grad, shape):
    """A loop for the surplus, a loop for the ones."""
    while len(grad.shape) > len(shape):
        grad = grad.sum(0)
    for dim, n in enumerate(shape):
        if n == 1:
            grad = rules.sum(grad, (dim,), True)
    return grad


@alternative(UNBROADCAST)
def at_once_and_reshaped(grad, shape):
    """Sums all that was stretched in one go, then puts the ones back by reshaping."""
    padded = (1,) * (len(grad.shape) - len(shape)) + tuple(shape)
    dims = tuple(d for d, n in enumerate(padded) if n == 1)
    return rules.reshape(rules.sum(grad, dims, True) if dims else grad, tuple(shape))


@alternative(EXPAND)
def by_hand(grad, self_shape):
    """Does without unbroadcast."""
    return one_dimension_at_a_time(grad, self_shape)


@alternative(EXPAND)
def padded_and_summed(grad, self_shape):
    """Another way around."""
    return at_once_and_reshaped(grad, self_shape)


@alternative(UNBROADCAST)
def sums_whether_or_not_there_is_anything_to_sum(grad, shape):
    """Both sums are taken every time, over no dimension at all where there is none to take."""
    grad = rules.sum(grad, tuple(range(grad.ndim - len(shape))), False)
    return rules.sum(grad, tuple(dim for dim, n in enumerate(shape) if n == 1), True)


@alternative(STRETCHES)
def by_numpys_own_rule(shape, target):
    """Asks NumPy, whose refusal is an error."""
    try:
        return np.broadcast_shapes(shape, target) == target
    except ValueError:
        return False


@alternative(STRETCHES)
def all_at_once(shape, target):
    """An answer of NumPy's, which is no Python bool."""
    missing = len(target) - len(shape)
    sizes, wanted = np.array((1,) * missing + shape), np.array(target)
    return missing >= 0 and np.all((sizes == 1) | (sizes == wanted))
