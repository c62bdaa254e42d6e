"""torch.nn.functional: layers, activations and losses as functions, without parameters of their own.

The operations are in minigrad/ops; here they are gathered under torch's names, and the few that are made of others
are written.
"""

from __future__ import annotations

from ..backend import array_module, in_order
from ..dtypes import dtype as Dtype
from ..errors import refusing, warn
from ..ops import aten, piecewise, pixels
from ..ops import bilinear as _bilinear
from ..ops import nn as layers
from ..ops import rms_norm as _rms_norm
from ..ops.activation import (
    celu,
    elu,
    gelu,
    hardtanh,
    leaky_relu,
    logsigmoid,
    mish,
    relu6,
    selu,
    silu,
    softplus,
    softsign,
    tanhshrink,
)
from ..ops.arguments import Bool, Float, Int, as_int, parsed
from ..ops.attention import scaled_dot_product_attention as _attention
from ..ops.batch_norm import batch_norm, instance_norm
from ..ops.binary_cross_entropy import binary_cross_entropy, binary_cross_entropy_with_logits
from ..ops.conv import conv1d, conv2d, conv3d
from ..ops.conv_transpose import conv_transpose1d, conv_transpose2d
from ..ops.cross_entropy import cross_entropy, nll_loss
from ..ops.dropout import dropout, dropout1d, dropout2d
from ..ops.glu import glu
from ..ops.group_norm import group_norm
from ..ops.layer_norm import layer_norm
from ..ops.lazy import at_home, plain_function
from ..ops.likelihood import gaussian_nll_loss, poisson_nll_loss
from ..ops.loss import huber_loss, kl_div, l1_loss, mse_loss, smooth_l1_loss
from ..ops.margin_loss import (
    cosine_embedding_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    multi_margin_loss,
    multilabel_soft_margin_loss,
    soft_margin_loss,
)
from ..ops.multi_head import multi_head_attention_forward
from ..ops.nn import linear
from ..ops.pad import pad
from ..ops.piecewise import hardsigmoid, hardswish, softshrink, threshold
from ..ops.pool import avg_pool1d, avg_pool2d, max_pool1d, max_pool2d
from ..ops.pool_adaptive import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_max_pool1d, adaptive_max_pool2d
from ..ops.similarity import cosine_similarity, normalize, pairwise_distance, triplet_margin_loss
from ..ops.sliding import fold, unfold
from ..ops.upsample import interpolate
from ..ops.validate import asked_shape, flag, number
from ..tensor import Tensor, from_array

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_max_pool1d", "adaptive_max_pool2d", "avg_pool1d",
    "avg_pool2d", "batch_norm", "bilinear", "binary_cross_entropy", "binary_cross_entropy_with_logits", "celu", "celu_", "conv1d",
    "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "cosine_embedding_loss", "cosine_similarity", "cross_entropy",
    "dropout", "dropout1d", "dropout2d", "elu", "elu_", "embedding", "fold", "gaussian_nll_loss", "gelu", "glu", "group_norm",
    "gumbel_softmax", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "hardtanh_", "hinge_embedding_loss", "huber_loss",
    "instance_norm", "interpolate", "kl_div", "l1_loss", "layer_norm", "leaky_relu", "leaky_relu_", "linear",
    "log_softmax", "logsigmoid", "margin_ranking_loss", "max_pool1d", "max_pool2d", "mish", "mse_loss",
    "multi_head_attention_forward", "multi_margin_loss", "multilabel_soft_margin_loss", "nll_loss", "normalize",
    "one_hot", "pad", "pairwise_distance", "pixel_shuffle", "pixel_unshuffle", "poisson_nll_loss", "prelu", "relu",
    "relu6", "relu_", "rms_norm", "scaled_dot_product_attention", "selu", "selu_", "sigmoid", "silu",
    "smooth_l1_loss", "soft_margin_loss", "softmax", "softmin", "softplus", "softshrink", "softsign", "tanh",
    "tanhshrink", "threshold", "threshold_", "triplet_margin_loss", "unfold",
]  # fmt: skip

__getattr__ = refusing(__name__)

# Operations of torch itself.
hardshrink, prelu = plain_function(piecewise.hardshrink), plain_function(piecewise.prelu)
pixel_shuffle, pixel_unshuffle = plain_function(pixels.pixel_shuffle), plain_function(pixels.pixel_unshuffle)
celu_, elu_ = plain_function(aten.celu_), plain_function(aten.elu_)
hardtanh_, leaky_relu_ = plain_function(aten.hardtanh_), plain_function(aten.leaky_relu_)
selu_, threshold_ = plain_function(aten.selu_), plain_function(aten.threshold_)
bilinear = plain_function(_bilinear.bilinear)
rms_norm = parsed()(_rms_norm.rms_norm)


@plain_function
def relu_(input: Tensor) -> Tensor:
    """relu, in place (torch.nn.functional.relu_)."""
    return input.relu_()


@parsed()
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """The positive part (torch.nn.functional.relu)."""
    return input.relu_() if inplace else input.relu()


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent (torch.nn.functional.tanh)."""
    return input.tanh()


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + e^-x) (torch.nn.functional.sigmoid)."""
    return input.sigmoid()


@parsed("softmax", "dim", "dtype")
def softmax(input: Tensor, dim: Int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None) -> Tensor:
    """e^x / Σ e^x along `dim`; torch guesses one, with a warning, if it is left out (torch.nn.functional.softmax)."""
    dim = layers.implicit_dim("softmax", len(asked_shape(input, "dim"))) if dim is None else dim
    asked_shape(input, "softmax")
    return layers.softmax(input, dim, dtype)


@parsed("softmax", "dim", "dtype")
def softmin(input: Tensor, dim: Int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None) -> Tensor:
    """softmax of -x (torch.nn.functional.softmin)."""
    dim = layers.implicit_dim("softmin", len(asked_shape(input, "dim"))) if dim is None else dim
    asked_shape(negated := -input, "softmax")
    return layers.softmax(negated, dim, dtype)


@parsed("log_softmax", "dim", "dtype")
def log_softmax(input: Tensor, dim: Int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None) -> Tensor:
    """ln softmax(x) along `dim`, without overflow (torch.nn.functional.log_softmax)."""
    dim = layers.implicit_dim("log_softmax", len(asked_shape(input, "dim"))) if dim is None else dim
    asked_shape(input, "log_softmax")
    return layers.log_softmax(input, dim, dtype)


@parsed("empty_like", "input=logits")
def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """Softmax of logits with noise: nearly a draw of one class, with a gradient (torch.nn.functional.gumbel_softmax).

    tau: the smaller, the nearer. hard: 1 at the class drawn and 0 elsewhere, with the gradient of what it came from.
    """
    if eps != 1e-10:
        warn("`eps` parameter is deprecated and has no effect.")
    noise = -logits.new_empty(logits.shape).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    drawn = soft.detach().max(dim, keepdim=True)[1]
    return (soft.detach() * 0).scatter_(dim, drawn, 1.0) - soft.detach() + soft


@parsed("embedding", "weight", "indices=input", "padding_idx", "scale_grad_by_freq", "sparse")
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: Int | None = None,
    max_norm: Float | None = None,
    norm_type: Float = 2.0,
    scale_grad_by_freq: Bool = False,
    sparse: Bool = False,
) -> Tensor:
    """Rows of `weight` by number (torch.nn.functional.embedding).

    max_norm: rows that are looked up and longer are shortened to it first, in `weight` itself. scale_grad_by_freq: a
    row's gradient is divided by how often it was looked up. sparse is not offered: NotImplementedError.
    """
    layers.refuse_sparse(sparse)
    return layers.embedding(input, weight, padding_idx, max_norm, norm_type, flag(scale_grad_by_freq))


@plain_function
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: Float = 0.0,
    is_causal: Bool = False,
    *,
    scale: Float | None = None,
    enable_gqa: Bool = False,
) -> Tensor:
    """softmax(query · keyᵀ · scale + mask) · value (torch.nn.functional.scaled_dot_product_attention).

    query: (…, queries, d), key: (…, keys, d), value: (…, keys, e) → (…, queries, e). scale: 1/√d by default. enable_gqa:
    several of the query's heads may share one of key and value, (…, heads, keys, d).
    """
    settings = (number(dropout_p), flag(is_causal), scale, flag(enable_gqa))
    return _attention(query, key, value, attn_mask, *settings, dropout)


@plain_function
def one_hot(input: Tensor, num_classes: Int = -1) -> Tensor:
    """1 at the place each number names, 0 elsewhere (torch.nn.functional.one_hot).

    input: int64 of any shape → int64 (*input.shape, num_classes); -1: as many classes as the largest number needs.
    """
    data, num_classes = input._data, as_int(num_classes)
    if data.dtype != "int64":
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not data.size:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
    elif data.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    elif num_classes == -1:
        num_classes = int(data.max()) + 1
    elif num_classes < 1:
        raise RuntimeError("num_classes should be positive")
    elif data.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    module = array_module(data)
    return from_array((in_order(data)[..., None] == module.arange(num_classes)).astype(data.dtype))


for _name in __all__:
    at_home(globals()[_name], __name__, _name)
