"""Functions of torch.nn.functional as `torch` itself has them, with the arguments of ATen's operations; and some of them in
place, under their names with an underscore. Where the arguments are the same the table in `__init__.py` names the function.
"""

from __future__ import annotations

from ..tensor import Tensor
from . import activation, nn, piecewise, pool, pool_adaptive
from .arguments import Bool, Float, Int, IntList, Ints, Number, as_int
from .dropout import thinned
from .group_norm import aten_group_norm
from .layer_norm import layer_norm as _layer_norm
from .validate import flag, number


def adaptive_max_pool1d(input: Tensor, output_size: Ints) -> tuple[Tensor, Tensor]:
    """The largest element of as many even parts, and its index (torch.adaptive_max_pool1d)."""
    return pool_adaptive.adaptive_max_pool1d(input, output_size, True)


def celu(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """x where positive, else α (e^(x/α) - 1) (torch.celu)."""
    return activation.celu(input, alpha)


def celu_(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """celu, in place."""
    return activation.celu(input, alpha, True)


def dropout(input: Tensor, p: Float, train: Bool) -> Tensor:
    """Each element 0 with probability p, else over 1 - p (torch.dropout)."""
    return dropped(input, p, train, False)


def dropout_(input: Tensor, p: Float, train: Bool) -> Tensor:
    """dropout, in place."""
    return dropped(input, p, train, True)


def dropped(input: Tensor, p: Float, train: Bool, inplace: bool) -> Tensor:
    """dropout, perhaps written into its input."""
    p, train = number(p), flag(train)
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
    return thinned(input, p, train, inplace, channels=False)


def elu_(input: Tensor, alpha: Number = 1) -> Tensor:
    """elu, in place."""
    return activation.elu(input, alpha, True)


def embedding(
    weight: Tensor, indices: Tensor, padding_idx: Int = -1, scale_grad_by_freq: Bool = False, sparse: Bool = False
) -> Tensor:
    """Rows of `weight` by number (torch.embedding). sparse is not offered: NotImplementedError."""
    nn.refuse_sparse(sparse)
    row = as_int(padding_idx)
    known = weight.dim() and 0 <= row < len(weight)
    return nn.embedding(indices, weight, row if known else None, None, 2.0, flag(scale_grad_by_freq))


def group_norm(
    input: Tensor,
    num_groups: Int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: Float = 1e-5,
    cudnn_enabled: Bool = True,
) -> Tensor:
    """Mean 0 and variance 1 over the channels of each group, then · weight + bias (torch.group_norm)."""
    flag(cudnn_enabled)
    return aten_group_norm(input, as_int(num_groups), weight, bias, number(eps))


def hardtanh_(input: Tensor, min_val: Number = -1, max_val: Number = 1) -> Tensor:
    """hardtanh, in place."""
    return activation.held(input, min_val, max_val, True)


def layer_norm(
    input: Tensor,
    normalized_shape: IntList,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: Float = 1e-5,
    cudnn_enable: Bool = True,
) -> Tensor:
    """Mean 0 and variance 1 over the last dimensions, then · weight + bias (torch.layer_norm)."""
    flag(cudnn_enable)
    return _layer_norm(input, normalized_shape, weight, bias, eps)


def leaky_relu_(input: Tensor, negative_slope: Number = 0.01) -> Tensor:
    """leaky_relu, in place."""
    return activation.leaky_relu(input, negative_slope, True)


def max_pool1d(
    input: Tensor, kernel_size: Ints, stride: Ints = (), padding: Ints = 0, dilation: Ints = 1, ceil_mode: Bool = False
) -> Tensor:
    """The largest element of every window of the last dimension (torch.max_pool1d)."""
    return pool.max_pool1d(input, kernel_size, stride, padding, dilation, flag(ceil_mode))


def max_pool2d(
    input: Tensor, kernel_size: Ints, stride: Ints = (), padding: Ints = 0, dilation: Ints = 1, ceil_mode: Bool = False
) -> Tensor:
    """The largest element of every window of the last two dimensions (torch.max_pool2d)."""
    return pool.max_pool2d(input, kernel_size, stride, padding, dilation, flag(ceil_mode))


def selu(input: Tensor) -> Tensor:
    """elu, scaled so that activations keep mean 0 and variance 1 (torch.selu)."""
    return activation.selu(input)


def selu_(input: Tensor) -> Tensor:
    """selu, in place."""
    return activation.selu(input, True)


def threshold(input: Tensor, threshold: Number, value: Number) -> Tensor:
    """x above the threshold, else the value (torch.threshold)."""
    return piecewise.threshold(input, threshold, value)


def threshold_(input: Tensor, threshold: Number, value: Number) -> Tensor:
    """threshold, in place."""
    return piecewise.threshold(input, threshold, value, True)
