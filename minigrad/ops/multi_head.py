"""Attention with several heads: input projections, scaled dot-product attention in each head, and an output projection.

Source: Vaswani et al. (2017), Attention Is All You Need, section 3.2. Recorded step by step as torch records it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..creation import zeros
from ..dtypes import bool_
from ..dtypes import dtype as Dtype
from ..errors import warn
from ..ranges import zeros_like
from ..tensor import Tensor
from .attention import scaled_dot_product_attention
from .dropout import dropout
from .join import cat
from .nn import linear, softmax
from .pad import pad

Projected = tuple[Tensor, Tensor, Tensor]  # of query, key and value
Pair = tuple[Tensor | None, Tensor | None]
NAMES = ("query", "key", "value")


def additive(
    mask: Tensor | None, name: str, dtype: Dtype, other: Tensor | None = None, other_name: str = ""
) -> Tensor | None:
    """A mask as numbers to be added to the scores: -inf where a mask of bools is True. other: a mask that should be of the
    same dtype."""
    if mask is None:
        return None
    if mask.dtype is not bool_ and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if other is not None and mask.dtype is not other.dtype:
        warn(f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.")
    return zeros_like(mask, dtype=dtype).masked_fill_(mask, -math.inf) if mask.dtype is bool_ else mask


# ------------------------------------------------------------------ what goes together


def check_dims(
    query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None, attn_mask: Tensor | None, num_heads: int
) -> bool:
    """Whether there is a batch; AssertionError for numbers of dimensions that do not go together."""
    if query.dim() not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query tensor"
        )
    batched = query.dim() == 3
    given = "For batched (3-D) `query`" if batched else "For unbatched (2-D) `query`"
    n = query.dim()
    if key.dim() != n or value.dim() != n:
        raise AssertionError(
            f"{given}, expected `key` and `value` to be {n}-D but found {key.dim()}-D and {value.dim()}-D tensors "
            "respectively"
        )
    if key_padding_mask is not None and key_padding_mask.dim() != n - 1:
        raise AssertionError(
            f"{given}, expected `key_padding_mask` to be `None` or {n - 1}-D but found {key_padding_mask.dim()}-D tensor "
            "instead"
        )
    if attn_mask is None:
        return batched
    if attn_mask.dim() not in (2, 3):
        raise AssertionError(
            f"{given}, expected `attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.dim()}-D tensor instead"
        )
    if not batched and attn_mask.dim() == 3 and attn_mask.shape != (num_heads, query.shape[0], key.shape[0]):
        wanted = (num_heads, query.shape[0], key.shape[0])
        raise AssertionError(f"Expected `attn_mask` shape to be {wanted} but got {attn_mask.shape}")
    return batched


def check_sizes(
    query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int, separate: bool
) -> None:
    """AssertionError for sizes that do not go together."""
    embed_dim = query.shape[-1]
    if embed_dim != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {embed_dim}")
    if embed_dim // num_heads * num_heads != embed_dim:
        raise AssertionError(f"embed_dim {embed_dim} not divisible by num_heads {num_heads}")
    if separate and key.shape[:2] != value.shape[:2]:
        raise AssertionError(f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}")
    if not separate and key.shape != value.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")


def in_three(attn_mask: Tensor | None, targets: int, sources: int, rows: int) -> Tensor | None:
    """A mask as (1, targets, sources) or (rows, targets, sources), rows being all heads of the batch."""
    if attn_mask is None:
        return None
    wanted = (targets, sources) if attn_mask.dim() == 2 else (rows, targets, sources)
    if attn_mask.shape != wanted:
        raise RuntimeError(
            f"The shape of the {attn_mask.dim()}D attn_mask is {attn_mask.shape}, but should be {wanted}."
        )
    return attn_mask.unsqueeze(0) if attn_mask.dim() == 2 else attn_mask


def relies_on_hint(
    is_causal: bool, attn_mask: Tensor | None, key_padding_mask: Tensor | None, need_weights: bool
) -> bool:
    """Whether the promise that a mask is causal replaces the mask; RuntimeError if there is no mask."""
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    return is_causal and key_padding_mask is None and not need_weights


def check_static(name: str, static: Tensor, rows: int, head_dim: int) -> None:
    """AssertionError for keys or values given for each head that are not (rows, sources, head_dim)."""
    for dim, wanted in ((0, rows), (2, head_dim)):
        if static.size(dim) != wanted:
            raise AssertionError(f"expecting {name}.size({dim}) of {wanted}, but got {static.size(dim)}")


# ------------------------------------------------------------------ projections


def together(x: Tensor, weight: Tensor, bias: Tensor | None, count: int, size: int) -> Tensor:
    """Several projections of one input as one product: (count, …, size)."""
    return linear(x, weight, bias).unflatten(-1, (count, size)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()


def packed(query: Tensor, key: Tensor, value: Tensor, weight: Tensor, bias: Tensor | None) -> Projected:
    """The three projections by one weight, (3 · size, size); inputs that are the same tensor in one product."""
    size = query.shape[-1]
    if key is value and query is key:
        projected = together(query, weight, bias, 3, size)
        return projected[0], projected[1], projected[2]
    if key is value:
        of_query, of_both = weight.split([size, 2 * size])
        first, both = (None, None) if bias is None else bias.split([size, 2 * size])
        q = linear(query, of_query, first)
        projected = together(key, of_both, both, 2, size)
        return q, projected[0], projected[1]
    return each((query, key, value), weight.chunk(3), bias)


def each(inputs: Projected, weights: tuple[Tensor, ...], bias: Tensor | None) -> Projected:
    """The three projections by a weight each."""
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    q, k, v = (linear(*given) for given in zip(inputs, weights, biases, strict=True))
    return q, k, v


def projected(
    inputs: Projected, packed_weight: Tensor | None, own: Sequence[Tensor | None] | None, bias: Tensor | None
) -> Projected:
    """Query, key and value by one weight, or by weights of their own, for keys and values of other sizes."""
    if own is None:
        if packed_weight is None:
            raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
        return packed(*inputs, packed_weight, bias)
    size, weights = inputs[0].shape[-1], []
    for letter, weight in zip("qkv", own, strict=True):
        if weight is None:
            raise AssertionError(f"use_separate_proj_weight is True but {letter}_proj_weight is None")
        weights.append(weight)
    for name, x, weight in zip(NAMES, inputs, weights, strict=True):
        if weight.shape != (size, x.shape[-1]):
            raise AssertionError(f"expecting {name} weights shape of {(size, x.shape[-1])}, but got {weight.shape}")
    for name, part in zip(NAMES, () if bias is None else bias.chunk(3), strict=False):
        if part.shape != (size,):
            raise AssertionError(f"expecting {name} bias shape of {(size,)}, but got {part.shape}")
    return each(inputs, tuple(weights), bias)


# ------------------------------------------------------------------ heads


def with_biases(
    k: Tensor, v: Tensor, bias_k: Tensor | None, bias_v: Tensor | None, static: Pair, masks: list[Tensor | None]
) -> tuple[Tensor, Tensor, list[Tensor | None]]:
    """Keys and values with a learnt one behind them, and the masks for them; all as they are, if there is none."""
    if bias_k is None and bias_v is None:
        return k, v, masks
    if bias_k is None or bias_v is None:
        there, missing = ("bias_k", "bias_v") if bias_v is None else ("bias_v", "bias_k")
        raise AssertionError(f"{there} is set but {missing} is None")
    for name, given in zip(("key", "value"), static, strict=True):
        if given is not None:
            raise AssertionError(f"bias cannot be added to static {name}.")
    batch = k.shape[1]
    return cat([k, bias_k.repeat(1, batch, 1)]), cat([v, bias_v.repeat(1, batch, 1)]), one_more(masks)


def in_heads(x: Tensor, num_heads: int, name: str = "", static: Tensor | None = None) -> Tensor:
    """(places, N, size) as (rows, places, head_dim), rows being all heads of the batch; what is given for each head as it
    is."""
    places, batch, size = x.shape
    rows, head_dim = batch * num_heads, size // num_heads
    if static is None:
        return x.view(places, rows, head_dim).transpose(0, 1)
    check_static(name, static, rows, head_dim)
    return static


def with_zeros(x: Tensor) -> Tensor:
    """Keys or values in heads with zeros behind them."""
    return cat([x, zeros((x.shape[0], 1, x.shape[2]), dtype=x.dtype, device=x.device)], 1)


def one_more(masks: list[Tensor | None]) -> list[Tensor | None]:
    """Masks for one more source, at which everybody may look."""
    return [None if mask is None else pad(mask, (0, 1)) for mask in masks]


def merged(masks: list[Tensor | None], batch: int, num_heads: int, sources: int) -> Tensor | None:
    """The sum of both masks, (rows, targets or 1, sources) or, without padding, as attn_mask is."""
    attn_mask, key_padding_mask = masks
    if key_padding_mask is None:
        return attn_mask
    for dim, wanted in enumerate((batch, sources)):
        if key_padding_mask.shape[dim] != wanted:
            raise AssertionError(
                f"Expected key_padded_mask.shape[{dim}] to be {wanted}, but got {key_padding_mask.shape[dim]}"
            )
    padding = key_padding_mask.view(batch, 1, 1, sources).expand(-1, num_heads, -1, -1)
    padding = padding.reshape(batch * num_heads, 1, sources)
    return padding if attn_mask is None else attn_mask + padding


def weighed(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout_p: float, num_heads: int, average: bool
) -> tuple[Tensor, Tensor]:
    """Attention in (rows, …) → (targets, rows, head_dim), and its weights: (N, targets, sources) on the average of all
    heads, or (N, num_heads, targets, sources)."""
    q, k = q * math.sqrt(1 / q.shape[2]), k.transpose(-2, -1)
    weights = softmax(q.bmm(k) if mask is None else mask.baddbmm(q, k), -1)
    if dropout_p > 0:
        weights = dropout(weights, dropout_p)
    found = weights.bmm(v).transpose(0, 1)
    weights = weights.view(len(weights) // num_heads, num_heads, *weights.shape[1:])
    return found, weights.mean(dim=1) if average else weights


def unweighed(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout_p: float, num_heads: int, is_causal: bool
) -> Tensor:
    """Attention by the one operation that has no weights to show → (targets, N, num_heads, head_dim)."""
    batch = len(q) // num_heads
    if mask is not None:
        mask = mask.unsqueeze(0) if mask.size(0) == 1 else mask.view(batch, num_heads, -1, k.size(1))
    q, k, v = (x.view(batch, num_heads, *x.shape[1:]) for x in (q, k, v))
    return scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal, dropout=dropout).permute(2, 0, 1, 3)


# ------------------------------------------------------------------ the whole


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Attention in several heads, and its weights if need_weights (torch.nn.functional.multi_head_attention_forward).

    query: (targets, N, size), key and value: (sources, N, size), or all without N. attn_mask, key_padding_mask: True where
    nobody may look, or numbers to add. is_causal: a promise that attn_mask is the causal one. static_k, static_v: keys and
    values for each head, taken as they are.
    """
    batched = check_dims(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    targets, batch, size = query.shape
    key_padding_mask = additive(key_padding_mask, "key_padding_mask", query.dtype, attn_mask, "attn_mask")
    is_causal = relies_on_hint(is_causal, attn_mask, key_padding_mask, need_weights)
    attn_mask = None if is_causal else additive(attn_mask, "attn_mask", query.dtype)
    check_sizes(query, key, value, embed_dim_to_check, num_heads, use_separate_proj_weight)
    own = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None
    q, k, v = projected((query, key, value), in_proj_weight, own, in_proj_bias)
    masks = [in_three(attn_mask, targets, key.shape[0], batch * num_heads), key_padding_mask]
    k, v, masks = with_biases(k, v, bias_k, bias_v, (static_k, static_v), masks)
    q = in_heads(q, num_heads)
    k, v = in_heads(k, num_heads, "static_k", static_k), in_heads(v, num_heads, "static_v", static_v)
    if add_zero_attn:
        k, v, masks = with_zeros(k), with_zeros(v), one_more(masks)
    mask, dropout_p = merged(masks, batch, num_heads, k.size(1)), dropout_p if training else 0.0
    if need_weights:
        found, weights = weighed(q, k, v, mask, dropout_p, num_heads, average_attn_weights)
    else:
        found, weights = unweighed(q, k, v, mask, dropout_p, num_heads, is_causal), None
    out = linear(found.reshape(targets * batch, size), out_proj_weight, out_proj_bias)
    out = out.view(targets, batch, out.size(1))
    return (out, weights) if batched else (out.squeeze(1), weights if weights is None else weights.squeeze(0))
