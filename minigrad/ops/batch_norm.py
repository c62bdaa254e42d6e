"""batch_norm: every channel with mean 0 and variance 1, over the batch in training, by running averages otherwise."""

from __future__ import annotations

import math
from typing import Any

from .. import rules
from ..tensor import Tensor
from .define import Op
from .nn import constant, floats_only, standardized


def other_dims(ndim: int) -> tuple[int, ...]:
    """All dimensions but the channels', which is number 1."""
    return tuple([d for d in range(ndim) if d != 1])


def per_channel(values: Any, ndim: int) -> Any:
    """One value a channel, shaped to be broadcast over (N, C, …); a 0-d value as it is."""
    return rules.reshape(values, (1, -1) + (1,) * (ndim - 2)) if values.ndim else values


def normalized(input: Any, mean: Any, var: Any, eps: float) -> tuple[Any, Any]:
    """input minus the mean, times the factor 1 / √(var + eps); and the factor. mean None: the batch's own."""
    if mean is None:
        return standardized(input, other_dims(input.ndim), eps)
    factor = 1 / rules.sqrt(per_channel(var, input.ndim) + eps)
    return (input - per_channel(mean, input.ndim)) * factor, factor


def batch_norm_vjp_input(grad: Any, input: Any, weight: Any, mean: Any, var: Any, eps: float) -> Any:
    """z = x̂ · weight + bias. By running averages x̂ is linear in x. In training mean and scale of the batch do not reach
    z, so the gradient loses its mean and its part along x̂.

    Source: Ioffe, Szegedy (2015), Batch Normalization, section 3. torch: NativeBatchNormBackward0.
    """
    x, factor = normalized(input, mean, var, eps)
    slope = grad * per_channel(weight, input.ndim)
    if mean is not None:
        return factor * slope
    dims = other_dims(input.ndim)
    n = math.prod([input.shape[d] for d in dims])
    return factor * (slope - rules.sum(slope, dims, True) / n - x * (rules.sum(slope * x, dims, True) / n))


def batch_norm_vjp_weight(grad: Any, input: Any, mean: Any, var: Any, eps: float) -> Any:
    """z = x̂ · weight + bias: x̂, summed over all but the channels."""
    return rules.sum(grad * normalized(input, mean, var, eps)[0], other_dims(input.ndim), False)


def batch_norm_vjp_bias(grad: Any) -> Any:
    """z = x̂ · weight + bias: the gradient, summed over all but the channels."""
    return rules.sum(grad, other_dims(grad.ndim), False)


def _batch_norm(x: Any, weight: Any, bias: Any, mean: Any, var: Any, eps: float) -> Any:
    return normalized(x, mean, var, eps)[0] * per_channel(weight, x.ndim) + per_channel(bias, x.ndim)


batch_norm_op = Op(
    "NativeBatchNormBackward0",
    _batch_norm,
    tensors=("mean", "var"),
    input=batch_norm_vjp_input,
    weight=batch_norm_vjp_weight,
    bias=batch_norm_vjp_bias,
)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Every channel with mean 0 and variance 1, then · weight + bias (torch.nn.functional.batch_norm).

    input: (N, C, …). All others: (C,) or None. training: by the batch's own mean and variance, which the running ones
    then approach by the part `momentum`; otherwise by the running ones.
    """
    shape = input._data.shape
    count = math.prod(shape) // shape[1] if shape[1] else 0
    if training and count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    for name, value in (
        ("running_mean", running_mean),
        ("running_var", running_var),
        ("weight", weight),
        ("bias", bias),
    ):
        if value is not None and value.numel() != shape[1]:
            raise RuntimeError(f"{name} should contain {shape[1]} elements not {value.numel()}")
        if value is None and name.startswith("running") and not training:
            raise RuntimeError(f"{name} must be defined in evaluation mode")
    floats_only(input, "batch_norm")
    if training and running_mean is not None and running_var is not None:
        follow(running_mean, running_var, input._data, momentum)
    return batch_norm_op(
        input,
        constant(input, 1) if weight is None else weight,
        constant(input, 0) if bias is None else bias,
        mean=None if training else running_mean,
        var=None if training else running_var,
        eps=eps,
    )


def follow(running_mean: Tensor, running_var: Tensor, x: Any, momentum: float) -> None:
    """Move the running averages towards this batch's mean and unbiased variance, in place and unseen by autograd."""
    dims = other_dims(x.ndim)
    for running, now in ((running_mean, x.mean(axis=dims)), (running_var, x.var(axis=dims, ddof=1))):
        data = running.storage()
        data[...] = momentum * now + (1 - momentum) * data
        running.bump_version()
