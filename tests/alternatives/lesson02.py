"""Other right ways to write lesson 02's parts."""

import weakref

from alternatives import alternative
from minigrad.autograd.accumulate import AccumulateGrad
from minigrad.autograd.graph import NO_EDGE

IS_LEAF, GRAD_FN = "minigrad.tensor.Tensor.is_leaf", "minigrad.tensor.Tensor.grad_fn"
EDGE = "minigrad.autograd.accumulate.gradient_edge"


@alternative(IS_LEAF)
def without_a_node(self):
    """Asks grad_fn."""
    return self.grad_fn is None


@alternative(IS_LEAF)
def by_kinds(self):
    """The three kinds one after the other."""
    if self._edge is None or self._edge is NO_EDGE:
        return True
    node, _ = self._edge
    return not node


@alternative(GRAD_FN)
def by_unpacking(self):
    """Puts an edge without a node in None's place."""
    node, _ = self._edge or NO_EDGE
    return node


@alternative(GRAD_FN)
def unless_leaf(self):
    """The early way out for both kinds of leaves."""
    if self._edge is None or self._edge == (None, 0):
        return None
    return self._edge[0]


@alternative(EDGE)
def by_unpacking_the_edge(tensor):
    """Builds its own pair from grad_fn and output number."""
    if not tensor.requires_grad:
        return NO_EDGE
    if tensor.grad_fn is not None:
        return tensor.grad_fn, tensor.output_nr
    old = tensor._accumulator
    node = old() if old else None
    if not node:
        node = AccumulateGrad(tensor)
        tensor._accumulator = weakref.ref(node)
    return node, 0


@alternative(EDGE)
def by_trying(tensor):
    """Calls what may be None."""
    if tensor._edge is not None:
        return tensor._edge
    try:
        node = tensor._accumulator()
    except TypeError:
        node = None
    if node is None:
        node = AccumulateGrad(tensor)
        tensor._accumulator = weakref.ref(node)
    return (node, 0)


@alternative(IS_LEAF)
def by_matching(self):
    """Names the kinds of edges."""
    match self._edge:
        case None | (None, _):
            return True
        case _:
            return False


@alternative(GRAD_FN)
def the_first_of_the_edge(self):
    """Takes a leaf's edge for a list of nothing."""
    return next(iter(self._edge or [None]))


@alternative(EDGE)
def by_naming_it_in_the_condition(tensor):
    """A walrus in its brackets."""
    if tensor._edge is not None:
        return tensor._edge
    if not (tensor._accumulator and (node := tensor._accumulator())):
        node = AccumulateGrad(tensor)
        tensor._accumulator = weakref.ref(node)
    return node, 0
