"""A custom autograd.Function with a rule of its own: softplus, computed so that nothing overflows.

It shows how an operation is added from outside the engine, and what to hold it against: `central_difference`, which
gradcheck is made of, can be had from here as well. Nothing else in the engine uses this module; the engine's own
softplus, with torch's options, is `nn.functional.softplus`.
"""

from __future__ import annotations

from typing import Any

from .autograd.function import Function
from .autograd.gradcheck import central_difference

__all__ = ["Softplus", "central_difference", "softplus"]


class Softplus(Function):
    """z = ln(1 + eˣ), element by element: a relu without the kink."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        """max(x, 0) + ln(1 + e^-|x|), whose exponent is never positive. Saves x.

        x: a float tensor, of any shape, which the result shares; nothing is recorded here.
        Example: x = [-1000., 0., 1000.] → [0., 0.6931, 1000.]
        """
        ctx.save_for_backward(x)
        return x.clamp(min=0) + (-x.abs()).exp().log1p()

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """∂z/∂x = 1 / (1 + e^-x), the sigmoid. Tensors throughout, so that it can be differentiated again.

        grad: of the shape of x, which the result shares.
        Example: grad = [1., 10., 1.], x = [-1000., 0., 1000.] → [0., 5., 1.]
        """
        (x,) = ctx.saved_tensors
        return grad * x.sigmoid()


def softplus(x: Any) -> Any:
    """ln(1 + eˣ) by the Function above."""
    return Softplus.apply(x)
