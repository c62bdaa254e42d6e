"""Optimisers: they move parameters against their gradients, in place and unrecorded (torch.optim)."""

from __future__ import annotations

from collections.abc import Iterable

from .autograd.grad_mode import no_grad
from .tensor import Tensor


class Optimizer:
    """The parameters to move; subclasses say how."""

    def __init__(self, params: Iterable[Tensor], lr: float) -> None:
        self.params = list(params)
        self.lr = lr
        if not self.params:
            raise ValueError("optimizer got an empty parameter list")

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients: None by default, or zeros in the tensors that are there."""
        for p in self.params:
            if p.grad is None:
                continue
            if set_to_none:
                p.grad = None
            else:
                p.grad.zero_()


class SGD(Optimizer):
    """Stochastic gradient descent: p ← p - lr · p.grad."""

    def step(self) -> None:
        """Move every parameter one step against its gradient, leaving it the leaf it was.

        p ← p - lr · p.grad for each p in self.params whose grad is not None; no graph is recorded.
        Example: p = [1.0], p.grad = [4.0], lr = 0.1 → p = [0.6], p.is_leaf stays True.
        """
        with no_grad():
            for p in self.params:
                if p.grad is not None:
                    p -= self.lr * p.grad
