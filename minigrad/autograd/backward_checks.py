"""What gradcheck asks besides values: inputs fit to be checked, and backward rules that behave.

A rule must give the same twice, must scale with the gradient that arrives, and must take one that never arrived.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .. import autograd
from ..errors import warn
from ..tensor import Tensor


class GradcheckError(RuntimeError):
    """The gradients are not those of the function."""


def check_inputs(given: tuple[Any, ...]) -> None:
    """Complain of inputs that finite differences cannot serve: none to check, overlapping memory, low precision."""
    checked = checked_places(given)
    for index in checked:
        x = given[index]
        if x.dtype.itemsize < 8:
            warn(
                f"Input #{index} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex. "
            )
        if x.numel() and not all(step > 0 or n <= 1 for step, n in zip(x.stride(), x.shape, strict=True)):
            raise RuntimeError(
                f"The {index}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous "
                "on the input before passing it to gradcheck."
            )
    if not checked:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )


def checked_places(given: tuple[Any, ...]) -> list[int]:
    """Which inputs are checked."""
    return [i for i, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad]


def as_tuple(x: Any) -> tuple[Any, ...]:
    """One or several, as a tuple."""
    return tuple(x) if isinstance(x, tuple | list) else (x,)


def some_nonzero(x: Tensor) -> bool:
    """Whether any entry is not 0."""
    return bool(x.ne(0).any())


def check_alike(behind: Tensor, ahead: Tensor, where: str) -> None:
    """AssertionError for a result whose shape or dtype changes as an input is moved. where: how it was moved."""
    for what in ("shape", "dtype"):
        before, after = getattr(behind, what), getattr(ahead, what)
        if before != after:
            raise AssertionError(
                f"Expected `func` to return outputs with the same {what} when inputs are perturbed {where}, but got: "
                f"{what}s {before} and {after}."
            )


def reentrant(compute: Callable[[], Tensor], tolerance: float) -> Tensor:
    """What `compute` gives, twice the same."""
    first, second = compute(), compute()
    if first.numel() and (first - second).abs().max().item() > tolerance:
        raise GradcheckError(
            "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
            f"different values, although analytical gradient matches numerical gradient.The tolerance for "
            f"nondeterminism was {tolerance}."
        )
    return first


def check_scales_with_gradient(outputs: list[Tensor], given: tuple[Any, ...]) -> None:
    """A rule multiplies by the gradient that arrives: zeros must give zeros."""
    if outputs:
        sources = [given[k] for k in checked_places(given)]
        found = autograd.grad(outputs, sources, [o.new_zeros(o.shape) for o in outputs], allow_unused=True)
        if any(g is not None and some_nonzero(g) for g in found):
            raise GradcheckError("backward not multiplied by grad_output")


@functools.cache
def undefined() -> Callable[[Tensor], Tensor]:
    """A function that hands a tensor on, and no gradient back."""
    from .function import Function  # only when gradients are checked

    class Undefined(Function):
        """The identity without a derivative."""

        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            """x itself, as a view."""
            return x.view_as(x)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> None:
            """Nothing."""

    return Undefined.apply


UNDEFINED_WARNING = (
    "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may break "
    'existing callers of this function. If this is true for you, you can call this function with "check_undefined_grad='
    'False" to disable the feature'
)
UNDEFINED_NOTE = 'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'


def check_undefined(func: Callable[..., Any], given: tuple[Any, ...]) -> None:
    """No gradient for an output, or for any, must reach the inputs as none or zeros."""
    sources = [given[k] for k in checked_places(given)]
    count = len([o for o in as_tuple(func(*given)) if o.requires_grad])
    for missing in [set(range(count)), *([{i} for i in range(count)] if count > 1 else [])]:
        outputs = [o for o in as_tuple(func(*given)) if o.requires_grad]
        if not outputs:
            return
        outputs = [undefined()(o) if i in missing else o for i, o in enumerate(outputs)]
        try:
            found = autograd.grad(outputs, sources, [o.new_zeros(o.shape) for o in outputs], allow_unused=True)
        except RuntimeError as error:
            warn(UNDEFINED_WARNING)
            raise GradcheckError(
                f"Expected backward function to handle undefined output grads. {UNDEFINED_NOTE}"
            ) from error
        if any(g is not None and some_nonzero(g) for g in found):
            warn(UNDEFINED_WARNING)
            raise GradcheckError(
                "Expected all input grads to be undefined or zero when all output grads are undefined or zero. "
                + UNDEFINED_NOTE
            )
