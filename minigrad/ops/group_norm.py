"""group_norm: every group of channels of every image with mean 0 and variance 1."""

from __future__ import annotations

import math
from typing import Any

from .. import rules
from ..tensor import Tensor
from .arguments import Float, Int, parsed
from .batch_norm import other_dims, per_channel
from .define import Op
from .layer_norm import check_dtypes, stand_in, standardized
from .nn import floats_only


def groups(x: Any, group: int) -> Any:
    """(N, C, …) → (N, group, the rest)."""
    return rules.reshape(x, (x.shape[0], group, math.prod(x.shape[1:]) // group))


def group_norm_vjp_input(grad: Any, input: Any, weight: Any, group: int, eps: float) -> Any:
    """z = x̂ · weight + bias: as of batch_norm, by groups: the gradient of x̂ without its mean and its part along x̂.

    Source: Wu, He (2018), Group Normalization. torch: NativeGroupNormBackward0.
    """
    x, factor = standardized(groups(input, group), (2,), eps)
    slope = groups(grad * per_channel(weight, len(input.shape)), group)
    n = x.shape[2]
    found = factor * (slope - rules.sum(slope, (2,), True) / n - x * (rules.sum(slope * x, (2,), True) / n))
    return rules.reshape(found, input.shape)


def group_norm_vjp_weight(grad: Any, input: Any, group: int, eps: float) -> Any:
    """z = x̂ · weight + bias: x̂, summed over all but the channels."""
    x = rules.reshape(standardized(groups(input, group), (2,), eps)[0], input.shape)
    return rules.reshape(rules.sum(grad * x, other_dims(len(input.shape)), True), (input.shape[1],))


def group_norm_vjp_bias(grad: Any) -> Any:
    """z = x̂ · weight + bias: the gradient, summed over all but the channels."""
    return rules.reshape(rules.sum(grad, other_dims(len(grad.shape)), True), (grad.shape[1],))


def _group_norm(x: Any, weight: Any, bias: Any, group: int, eps: float, **shown: int) -> Any:
    z = standardized(groups(x, group), (2,), eps)[0].reshape(x.shape)
    return (z * per_channel(weight, x.ndim) + per_channel(bias, x.ndim)).astype(x.dtype, copy=False)


group_norm_op = Op(
    "NativeGroupNormBackward0",
    _group_norm,
    stretches=True,
    input=group_norm_vjp_input,
    weight=group_norm_vjp_weight,
    bias=group_norm_vjp_bias,
)


@parsed("group_norm", "", "num_groups", "weight", "bias", "eps")
def group_norm(
    input: Tensor, num_groups: Int, weight: Tensor | None = None, bias: Tensor | None = None, eps: Float = 1e-5
) -> Tensor:
    """Mean 0 and variance 1 over the channels of each group and all places, then · weight + bias
    (torch.nn.functional.group_norm).

    input: (N, C, …), C divisible by num_groups. weight, bias: (C,).
    """
    shape = input._data.shape
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}")
    sizes = [shape[0] * shape[1] // num_groups, num_groups, *shape[2:]]
    if sizes[0] * math.prod(shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {sizes}")
    if shape[1] % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(shape)} and num_groups={num_groups}"
        )
    for name, value in (("weight", weight), ("bias", bias)):
        if value is not None and value._data.shape != shape[1:2]:
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {list(value._data.shape)} and input of shape {list(shape)}"
            )
    check_dtypes(input._data.dtype, [t._data.dtype for t in (weight, bias) if t is not None])
    floats_only(input, "GroupNormKernelImpl")
    return group_norm_op(
        input.contiguous(),
        stand_in(input, 1) if weight is None else weight.contiguous(),
        stand_in(input, 0) if bias is None else bias.contiguous(),
        group=num_groups,
        eps=eps,
        N=shape[0],
        C=shape[1],
        HxW=math.prod(shape[2:]),
    )
