"""One gradient by hand: the derivative that the rest of this package finds by itself.

A line through the origin, y = w·x, is fitted to points by the sum of squared errors. Nothing else in the engine uses
this module; it is here so that a hand-made derivative can be run, checked and replaced like any other part.
"""

from __future__ import annotations

from typing import Any

from .autograd.function import Function
from .tensor import Tensor


def squared_loss_grad(w: Any, X: Any, Y: Any) -> Any:
    """dL/dw of L = Σ (Y - w·X)²: by the chain rule, Σ 2 (Y - w·X) · (-X).

    w: one number or a tensor of shape (1,). X, Y: tensors of one shape. Returns one number, in a 0-d tensor.
    Example: w = 1, X = [1., 2., 3.], Y = [3., 5., 7.] → -40.
    """
    return (-2 * X * (Y - w * X)).sum()


class SquaredLoss(Function):
    """L = Σ (Y - w·X)², with the derivative above as its backward."""

    @staticmethod
    def forward(ctx: Any, w: Tensor, X: Tensor, Y: Tensor) -> Tensor:
        """The loss; w, X and Y are kept for backward."""
        ctx.save_for_backward(w, X, Y)
        return ((Y - w * X) ** 2).sum()

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> Any:
        """The gradient for w; the data get none."""
        w, X, Y = ctx.saved_tensors
        return (grad_outputs[0] * squared_loss_grad(w, X, Y)).reshape(w.shape), None, None


def squared_loss(w: Tensor, X: Tensor, Y: Tensor) -> Tensor:
    """Σ (Y - w·X)², differentiated by hand."""
    return SquaredLoss.apply(w, X, Y)
