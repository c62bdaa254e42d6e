"""Functions of a user's (torch.autograd.Function) that checks put in the way of a walk.

Not here: the checks themselves, which say what is to come of them (lessonNN.py).
"""

from __future__ import annotations

from typing import Any


def first_of(T: Any) -> Any:
    """A function of two inputs that passes on the first, and has no gradient to send to the second."""

    class First(T.autograd.Function):
        @staticmethod
        def forward(ctx: Any, one: Any, other: Any) -> Any:
            return one * 1.0

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return grads[0], None

    return First


def nothing_on_the_way(T: Any, x: Any) -> list[Any]:
    """What a node receives behind one that has no gradient to send, and what comes of it at the leaf x."""
    received: list[Any] = []

    class Behind(T.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1.0

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            received.append(grads[0].clone())
            return grads[0]

    class Nothing(Behind):
        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return None

    Nothing.apply(Behind.apply(x)).sum().backward()
    return [*received, x.grad]
