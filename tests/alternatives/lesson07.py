"""Other right ways to write lesson 07's parts."""

import numpy as np

from alternatives import alternative
from minigrad.tensor import from_array

ACCUMULATE = "minigrad.autograd.accumulate.accumulate"
RECORDED = "minigrad.autograd.accumulate.accumulate_graph"
ZERO_GRAD = "minigrad.optim.Optimizer.zero_grad"


@alternative(ACCUMULATE)
def from_zeros(variable, grad, shared):
    """Begins at nought when the array is shared."""
    if variable._grad is None and not shared:
        variable._grad = from_array(grad)
    elif variable._grad is None:
        variable._grad = from_array(grad + 0)
    else:
        variable._grad += from_array(grad)


@alternative(ACCUMULATE)
def by_another_copy(variable, grad, shared):
    """Copies with NumPy, and leaves early."""
    held = variable._grad
    if held is not None:
        return held.add_array_(grad)
    mine = np.array(grad) if shared else grad
    variable._grad = from_array(mine)


@alternative(RECORDED)
def by_if(variable, grad):
    if variable._grad is None:
        variable._grad = grad.clone()
    else:
        variable._grad = grad + variable._grad


@alternative(RECORDED)
def through_the_property(variable, grad):
    """Uses the public `.grad`."""
    old = variable.grad
    variable.grad = grad * 1.0 if old is None else old + grad


@alternative(ZERO_GRAD)
def as_torch_has_it(self, set_to_none=True):
    for group in self.param_groups:
        for p in group["params"]:
            if p.grad is not None:
                if set_to_none:
                    p.grad = None
                else:
                    if p.grad.grad_fn is not None:
                        p.grad.detach_()
                    else:
                        p.grad.requires_grad_(False)
                    p.grad.zero_()


@alternative(ZERO_GRAD)
def by_filling(self, set_to_none=True):
    for p in [p for p in self.params if p.grad is not None]:
        if set_to_none:
            del p.grad
            continue
        p.grad.detach_()
        p.grad.fill_(0)
