"""batch_norm: every channel with mean 0 and variance 1, over the batch in training, by running averages otherwise;
instance_norm: the same for every element of the batch by itself."""

from __future__ import annotations

import math
from typing import Any

from .. import rules
from ..backend import array_module, in_order
from ..dtypes import as_numpy, float64
from ..tensor import Tensor
from .arguments import Bool, Float
from .define import Op
from .guard import guarded
from .layer_norm import check_dtypes, found_again, products, single, stand_in
from .loss import not_differentiable
from .nn import floats_only
from .validate import asked_shape, flag, number


def places(x: Any) -> Any:
    """(N, C, …) → (N, C, places)."""
    return rules.reshape(x, (*x.shape[:2], math.prod(x.shape[2:])))


def per_channel(values: Any) -> Any:
    """One value a channel, shaped to be broadcast over (N, C, places); a 0-d value as it is."""
    return rules.reshape(values, (1, -1, 1)) if values.ndim else values


def total(x: Any) -> Any:
    """(N, C, places) → (1, C, 1): the sum over all but the channels."""
    return rules.sum(x if x.shape[2] == 1 else rules.sum(x, (2,), True), (0,), True)


def total_product(x: Any, y: Any) -> Any:
    """(N, C, places) twice → (1, C, 1): Σ x · y over all but the channels."""
    return rules.sum(x * y if x.shape[2] == 1 else products(x, y, (2,)), (0,), True)


def scaling(
    x: Any, running_mean: Any, running_var: Any, mean: Any, rstd: Any, training: bool, eps: float
) -> tuple[Any, Any]:
    """The mean of every channel and the factor 1 / √(var + eps), (1, C, 1): in training the batch's own, else by the
    running averages. x: (N, C, places)."""
    if not training:
        mean, rstd = running_mean, 1 / rules.sqrt(running_var + eps)
        return per_channel(mean), per_channel(rstd)
    return found_again(x, per_channel(mean), per_channel(rstd), (0, 2), eps)


def batch_norm_vjp_input(
    grad: Any,
    input: Any,
    weight: Any,
    running_mean: Any,
    running_var: Any,
    mean: Any,
    rstd: Any,
    training: bool,
    eps: float,
) -> Any:
    """z = x̂ · weight + bias. By running averages x̂ is linear in x. In training mean and scale of the batch do not reach
    z, so the gradient loses its mean and its part along x̂. Each element takes three numbers of its channel: what grad and
    input are multiplied by, and what is added.

    Source: Ioffe, Szegedy (2015), Batch Normalization, section 3. torch: NativeBatchNormBackward0.
    """
    g, x = single(places(grad), places(input))
    mean, factor = single(*scaling(x, running_mean, running_var, mean, rstd, training, eps))
    scale = factor * per_channel(weight)
    if not training:
        return rules.reshape(g * scale, input.shape)
    n = x.shape[0] * x.shape[2]
    middle = total(g) / n
    along = (total_product(g, x) / n - middle * mean) * (factor * factor)
    found = rules.isub(g * scale, x * (along * scale))
    return rules.reshape(rules.iadd(found, (along * mean - middle) * scale), input.shape)


def batch_norm_vjp_weight(
    grad: Any, input: Any, running_mean: Any, running_var: Any, mean: Any, rstd: Any, training: bool, eps: float
) -> Any:
    """z = x̂ · weight + bias: grad · x̂, summed over all but the channels."""
    g, x = single(places(grad), places(input))
    mean, factor = single(*scaling(x, running_mean, running_var, mean, rstd, training, eps))
    return rules.reshape(total_product(g, x - mean) * factor, (-1,))


def batch_norm_vjp_bias(grad: Any) -> Any:
    """z = x̂ · weight + bias: the gradient, summed over all but the channels."""
    return rules.reshape(total(places(grad)), (-1,))


def _batch_norm(x: Any, weight: Any, bias: Any, moved: Any, factor: Any, **saved: Any) -> Any:
    z = moved  # nobody else has it
    z *= factor * per_channel(weight)
    z += per_channel(bias)
    return z.reshape(x.shape).astype(x.dtype, copy=False)


batch_norm_op = Op(
    "NativeBatchNormBackward0",
    _batch_norm,
    stretches=True,
    second="NativeBatchNormBackwardBackward0",
    tensors=("running_mean", "running_var"),
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
    shape = asked_shape(input) if training else ()
    if training and math.prod((shape[0], *shape[2:])) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    if eps < 0.0 or (training and not eps):
        asked = "positive during training" if training else "non-negative"
        raise ValueError(f"batch_norm eps must be {asked}, but got {eps}")
    return aten(input, weight, bias, running_mean, running_var, training, momentum, eps, True)


def aten_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: Bool,
    momentum: Float,
    eps: Float,
    cudnn_enabled: Bool,
) -> Tensor:
    """Every channel with mean 0 and variance 1, then · weight + bias (torch.batch_norm)."""
    flag(training), flag(cudnn_enabled)
    momentum, eps = number(momentum), number(eps)
    x = input._data
    if not x.size:
        return of_nothing(input, weight, bias)
    given = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    check_per_channel(x.shape[1] if x.ndim > 1 else 0, training, given)
    if x.ndim < 2:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-x.ndim}, 0], but got 1)")
    floats_only(input, "batch_norm")
    check_dtypes(x.dtype, [t._data.dtype for t in given.values() if t is not None])
    mean = rstd = x[:0].reshape(-1)
    flat = single(places(in_order(x)))[0]
    if training:
        n = x.size // x.shape[1]
        mean = (total(flat) / n).reshape(-1)
        moved = flat - per_channel(mean)
        var = (total_product(moved, moved) / n).reshape(-1)
        rstd = (1 / array_module(x).sqrt(var.astype(as_numpy(float64)) + eps)).astype(flat.dtype)
        if not eps:  # torch: 0 for a channel of one number
            rstd[var == 0] = 0
        if running_mean is not None and running_var is not None:
            follow(running_mean, running_var, mean, var * (n / (n - 1) if n > 1 else math.nan), momentum)
        factor = per_channel(rstd)
        kept = (input if weight is None else weight)._data.dtype
        mean, rstd = mean.astype(kept, copy=False), rstd.astype(kept, copy=False)
    else:
        middle, var = single(running_mean._data, running_var._data)  # type: ignore[union-attr]
        middle, factor = scaling(flat, middle, var, mean, rstd, False, eps)
        moved = flat - middle
    return batch_norm_op(
        input,
        stand_in(input, 1) if weight is None else weight,
        stand_in(input, 0) if bias is None else bias,
        moved=moved,
        factor=factor,
        running_mean=running_mean,
        running_var=running_var,
        mean=mean,
        rstd=rstd,
        training=training,
        eps=eps,
    )


aten_batch_norm.__name__ = "batch_norm"
aten = guarded(aten_batch_norm, method=False)  # in whose order torch counts the arguments in TypeErrors


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Every channel of every element of the batch with mean 0 and variance 1, then · weight + bias (Ulyanov et al. 2016;
    torch.nn.functional.instance_norm): batch_norm, with all the channels of the batch side by side.

    input: (N, C, …). All others: (C,) or None.
    """
    if use_input_stats and math.prod(asked_shape(input)[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
    return aten_instance(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, True)


def aten_instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: Bool,
    momentum: Float,
    eps: Float,
    cudnn_enabled: Bool,
) -> Tensor:
    """Every channel of every element of the batch with mean 0 and variance 1 (torch.instance_norm)."""
    flag(cudnn_enabled)
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    batch, channels = input.size(0), input.size(1)
    weight, bias, mean, var = (x if x is None else x.repeat(batch) for x in (weight, bias, running_mean, running_var))
    flat = input.contiguous().view(1, batch * channels, *input.shape[2:])
    out = aten(flat, weight, bias, mean, var, use_input_stats, momentum, eps, cudnn_enabled)
    for running, followed in ((running_mean, mean), (running_var, var)):
        if use_input_stats and running is not None and followed is not None:
            running.detach().copy_(followed.detach().view(batch, channels).mean(0))
    return out.view(input.shape)


aten_instance_norm.__name__ = "instance_norm"
aten_instance = guarded(aten_instance_norm, method=False)


def of_nothing(input: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    """The batch norm of no elements, connected to its inputs as in torch."""
    out = input.clone()
    if weight is not None:
        out = out * weight[0]
    return out if bias is None else out + bias[0]


def check_per_channel(channels: int, training: bool, given: dict[str, Tensor | None]) -> None:
    """RuntimeError for running averages or factors that are not one value a channel, are missing, or want a
    gradient; ValueError for one running average without the other."""
    for name, value in given.items():
        if value is not None and value.numel() != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {value.numel()}")
        if value is None and name.startswith("running") and not training:
            raise RuntimeError(f"{name} must be defined in evaluation mode")
    not_differentiable("native_batch_norm", running_mean=given["running_mean"], running_var=given["running_var"])
    if (given["running_mean"] is None) != (given["running_var"] is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")


def follow(running_mean: Tensor, running_var: Tensor, mean: Any, var: Any, momentum: float) -> None:
    """Move the running averages towards a batch's mean and unbiased variance, in place and unseen by autograd."""
    for running, now in ((running_mean, mean), (running_var, var)):
        data = running.storage()
        data[...] = momentum * now + (1 - momentum) * data
