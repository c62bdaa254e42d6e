"""Where a walk begins: the gradient each root starts with, which is the v in vᵀJ.

This is the rule for `backward()` with and without a gradient, and torch's errors for wrong ones. The walk itself is in
`engine.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from .. import rules
from ..backend import array_module, in_use, numpy
from ..tensor import Tensor, from_array
from .graph import NO_EDGE

ONLY_SCALARS = "grad can be implicitly created only for scalar outputs"


def root_gradient(output: Any, given: Any, index: int) -> Any:
    """The gradient that an output starts the walk with: what was given, or 1 where the output has one element.

    given: None, or a tensor, whose shape must be the output's. index: which of several outputs this is, for the message.
    RuntimeError where nothing was given and there is more than one element to weigh, or where the shapes differ.
    Example: output of shape (), given None → tensor(1.); shape (3,), given None → RuntimeError
    """
    if given is None:
        if output.numel() != 1:
            raise RuntimeError(ONLY_SCALARS)
        return ones_for(output)
    if given.shape != output.shape:
        raise RuntimeError(mismatch(output, given, index))
    return given


def ones_for(output: Tensor) -> Tensor:
    """A tensor of ones, of the output's shape and dtype, without history."""
    data = output._data
    if isinstance(data, numpy.generic):
        return from_array(one(data.dtype))  # NumPy adds and multiplies scalars ten times as fast as 0-d arrays
    return from_array(array_module(data).ones(data.shape, data.dtype))


@functools.cache
def one(dtype: Any) -> Any:
    """The number 1 as a NumPy scalar, which cannot be written to."""
    return dtype.type(1)


def mismatch(output: Tensor, given: Tensor, index: int) -> str:
    """torch's words for a gradient of another shape than its output."""
    return (
        f"Mismatch in shape: grad_output[{index}] has a shape of {given.shape} and output[{index}] has a shape of "
        f"{output.shape}."
    )


BATCHED = (
    "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The sizes of the "
    "remaining dimensions are expected to match the shape of corresponding output, but a mismatch was detected: "
    "grad_output[{0}] has a shape of {1} and output[{0}] has a shape of {2}. If you only want some tensors in `grad_output` to "
    "be considered batched, consider using vmap."
)

UNBATCHED = (
    "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor of dimensionality 0 so expected "
    "in_dim to satisfy 0 <= in_dim < 0."
)


def check_batched(outputs: Sequence[Any], given: Sequence[Any]) -> int:
    """How many gradients are given for each output, along the first dimension.

    RuntimeError where they are not of their output's shape, ValueError where they are not as many for each, or only one. The
    words are torch's, which names the shape without its first two.
    """
    from ..func.dims import batch_size  # which builds on this package

    for i, (output, gradient) in enumerate(zip(outputs, given, strict=False)):
        if isinstance(output, Tensor) and isinstance(gradient, Tensor):
            first = gradient[0]
            if first.shape != output.shape:
                raise RuntimeError(BATCHED.format(i, first.shape, output.shape))
    checked = root_gradients(outputs, [g[0] if isinstance(g, Tensor) else g for g in given], True)
    if None in given[: len(checked)]:
        raise ValueError(UNBATCHED)
    return batch_size([0] * len(given), list(given))


def root_gradients(outputs: Sequence[Tensor], given: Sequence[Any] | None, create_graph: bool) -> list[Any]:
    """One gradient for each output: raw arrays, or Tensors under create_graph. With several outputs, one
    that is not a single number is reported before one that needs no gradient."""
    for i, output in enumerate(outputs if len(outputs) > 1 else ()):
        implicit = given is None or (i < len(given) and given[i] is None)
        if implicit and output._edge is not NO_EDGE and output.numel() != 1:
            raise RuntimeError(ONLY_SCALARS)
    if given is None:
        given = (None,) * len(outputs)
    for gradient in given:
        if gradient is not None and not isinstance(gradient, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
    given = given[: len(outputs)]  # torch ignores further ones
    if len(given) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(given)} gradients")
    return [start(output, each, i, create_graph) for i, (output, each) in enumerate(zip(outputs, given, strict=True))]


def start(output: Tensor, given: Any, index: int, create_graph: bool) -> Any:
    """The gradient of one output, in the output's dtype. What needs no gradient is refused, a wrong shape first."""
    edge = output._edge
    if given is not None or edge is not NO_EDGE:
        given = root_gradient(output, given, index)
    if edge is not None and edge[0] is None:
        raise RuntimeError(f"element {index} of tensors does not require grad and does not have a grad_fn")
    if given._data.dtype is not output._data.dtype:
        given = rules.cast(given, output._data.dtype)
    if in_use and given.device != output.device:
        if given._data.ndim:
            raise RuntimeError(
                f"invalid gradient at index {index} - expected device {output.device} but got {given.device}"
            )
        given = given.to(output.device)
    return given if create_graph else given._data
