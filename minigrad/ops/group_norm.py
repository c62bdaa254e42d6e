"""group_norm: every group of channels of every image with mean 0 and variance 1."""

from __future__ import annotations

import math
from typing import Any

from .. import rules
from ..tensor import Tensor
from .arguments import Float, Int, parsed
from .define import Op
from .layer_norm import centred, check_dtypes, found_again, products, single, stand_in
from .nn import floats_only
from .validate import asked_shape


def groups(x: Any, group: int) -> Any:
    """(N, C, …) → (N, group, channels of each, places)."""
    n, c = x.shape[:2]
    return rules.reshape(x, (n, group, c // group, math.prod(x.shape[2:])))


def each_channel(weight: Any, group: int) -> Any:
    """(C,) → (group, channels of each, 1); a 0-d value as it is."""
    return rules.reshape(weight, (group, -1, 1)) if weight.ndim else weight


def group_norm_vjp_input(grad: Any, input: Any, weight: Any, mean: Any, rstd: Any, group: int, eps: float) -> Any:
    """z = x̂ · weight + bias: as of layer_norm, by groups: the gradient of x̂ without its mean and its part along x̂.

    Written, as in torch, so that each element takes three numbers: what grad and input are multiplied by, and what is added.
    Source: Wu, He (2018), Group Normalization. torch: NativeGroupNormBackward0.
    """
    g, x = single(groups(grad, group), groups(input, group))
    weight = each_channel(weight, group)
    mean, factor = single(*found_again(x, mean[..., None, None], rstd[..., None, None], (2, 3), eps))
    n = x.shape[2] * x.shape[3]
    total = rules.sum(rules.sum(g, (3,), True) * weight, (2,), True)
    along = rules.sum(products(g, x, (3,)) * weight, (2,), True) - total * mean
    slope = along * (factor * factor * factor) / n
    found = rules.isub(g * (factor * weight), x * slope)
    return rules.reshape(rules.iadd(found, slope * mean - factor * total / n), input.shape)


def group_norm_vjp_weight(grad: Any, input: Any, mean: Any, rstd: Any, group: int, eps: float) -> Any:
    """z = x̂ · weight + bias: grad · x̂, summed over all but the channels."""
    g, x = single(groups(grad, group), groups(input, group))
    mean, factor = single(*found_again(x, mean[..., None, None], rstd[..., None, None], (2, 3), eps))
    each = (products(g, x, (3,)) - rules.sum(g, (3,), True) * mean) * factor
    return rules.reshape(rules.sum(each, (0,), False), (input.shape[1],))


def group_norm_vjp_bias(grad: Any) -> Any:
    """z = x̂ · weight + bias: the gradient, summed over all but the channels."""
    each = rules.reshape(grad, (*grad.shape[:2], math.prod(grad.shape[2:])))
    return rules.reshape(rules.sum(rules.sum(each, (2,), True), (0,), False), grad.shape[1:2])


def _group_norm(x: Any, weight: Any, bias: Any, moved: Any, factor: Any, group: int, **saved: Any) -> Any:
    z = moved  # nobody else has it
    z *= factor * each_channel(weight, group)
    z += each_channel(bias, group)
    return z.reshape(x.shape).astype(x.dtype, copy=False)


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
    shape = asked_shape(input, "dim")
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}")
    if num_groups < 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    sizes = [shape[0] * shape[1] // num_groups, num_groups, *shape[2:]]
    if sizes[0] * math.prod(shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {sizes}")
    return aten_group_norm(input, num_groups, weight, bias, eps)


def aten_group_norm(input: Tensor, num_groups: int, weight: Tensor | None, bias: Tensor | None, eps: float) -> Tensor:
    """What torch.nn.functional.group_norm calls."""
    shape = input._data.shape
    if len(shape) < 2:
        input.size(0)  # refuses a 0-d tensor in its own words
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}")
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
    input = input.contiguous()
    moved, factor, mean = centred(single(groups(input._data, num_groups))[0], (2, 3), eps)
    kept = (input if weight is None else weight)._data.dtype
    return group_norm_op(
        input,
        stand_in(input, 1) if weight is None else weight.contiguous(),
        stand_in(input, 0) if bias is None else bias.contiguous(),
        moved=moved,
        factor=factor,
        mean=mean[..., 0, 0].astype(kept, copy=False),
        rstd=factor[..., 0, 0].astype(kept, copy=False),
        group=num_groups,
        eps=eps,
        N=shape[0],
        C=shape[1],
        HxW=math.prod(shape[2:]),
    )
