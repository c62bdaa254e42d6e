"""Scaled dot-product attention: softmax(query · keyᵀ · scale) · value."""

from __future__ import annotations

import math
from typing import Any

from .. import rules
from ..backend import array_module, laid_out_as
from ..tensor import Tensor, from_array
from .define import Op
from .linalg import ctype, matmul
from .nn import _safe_softmax, safe_softmax_op, softmax_vjp
from .pointwise import times_number
from .shape import transpose


def scores_vjp(grads: Any, value: Any, result1: Any) -> Any:
    """The gradient of query · keyᵀ · scale: back through · value, then through softmax.

    result1: the weights, softmax of the scores; their own gradient (grads[1]) is there only in a second backward.
    """
    grad, of_weights = grads
    carried = 0 if grad is None else grad @ rules.swapaxes(value, -1, -2)
    return softmax_vjp(carried if of_weights is None else carried + of_weights, result1, -1)


def attention_vjp_query(grads: Any, key: Any, value: Any, result1: Any, scale: float) -> Any:
    """z = softmax(query · keyᵀ · scale) · value: the scores' gradient · key · scale."""
    return scores_vjp(grads, value, result1) @ key * scale


def attention_vjp_key(grads: Any, query: Any, value: Any, result1: Any, scale: float) -> Any:
    """z = softmax(query · keyᵀ · scale) · value: the scores' gradient, transposed, · query · scale."""
    return rules.swapaxes(scores_vjp(grads, value, result1), -1, -2) @ query * scale


def attention_vjp_value(grads: Any, value: Any, result1: Any) -> Any:
    """z = weights · value: weightsᵀ · grad."""
    if grads[0] is None:
        return rules.zeros(value, value.shape)
    return rules.swapaxes(result1, -1, -2) @ grads[0]


def _attention(query: Any, key: Any, value: Any, mask: Any, scale: float) -> tuple[Any, Any]:
    weights = _safe_softmax(query @ key.swapaxes(-1, -2) * scale + mask, -1)
    out = weights @ value
    if out.shape == query.shape and query.strides[-1] == query.itemsize:  # as the kernel leaves it: so heads that stood
        out = laid_out_as(query, out)  # side by side do so again
    return out, weights


# Heads of one size in four dimensions: torch's fused kernel, one node. Its weights stay inside.
fused = Op(
    "ScaledDotProductFlashAttentionForCpuBackward0",
    _attention,
    outputs=2,
    query=attention_vjp_query,
    key=attention_vjp_key,
    value=attention_vjp_value,
)


def added_mask(attn_mask: Tensor | None, is_causal: bool, like: Tensor, keys: int) -> Any:
    """What is added to the scores: 0 where a query may look at a key, -inf where not, or a float mask as it is."""
    module, dtype = array_module(like._data), like._data.dtype
    if attn_mask is not None and attn_mask._data.dtype.kind == "f":
        return attn_mask
    if is_causal:
        allowed = module.tri(like._data.shape[-2], keys, dtype=bool)
    elif attn_mask is not None:
        allowed = attn_mask._data
    else:
        return None
    return from_array(module.where(allowed, 0.0, -math.inf).astype(dtype))


def check(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None) -> None:
    """RuntimeError, in torch's words, for arguments that do not go together."""
    if not query.dtype is key.dtype is value.dtype:
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{ctype(query)} key.dtype: {ctype(key)} and value.dtype: {ctype(value)} instead."
        )
    dims = [t._data.ndim for t in (query, key, value)]
    if min(dims) < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            "{} key.dim: {} and value.dim: {} instead.".format(*dims)
        )
    if attn_mask is not None and attn_mask.dtype.name not in ("bool", "float32", query.dtype.name):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{ctype(attn_mask)} and  query.dtype: {ctype(query)} instead."
        )


def empty(query: Tensor, key: Tensor, value: Tensor) -> bool:
    """Whether there is not a single pair of a query and a key, or nothing to be had from one."""
    batch = query._data.shape[:-2]
    alike = batch == key._data.shape[:-2] == value._data.shape[:-2]
    return alike and not math.prod((*batch, query._data.shape[-2], key._data.shape[-2], value._data.shape[-1]))


def widened(*given: Tensor) -> list[Tensor]:
    """Tensors in half precision as float32, in which torch then computes; others as they are."""
    return [t.float() if t._data.dtype == "float16" else t for t in given]


def of_nothing(query: Tensor, key: Tensor, value: Tensor, dtype: Any) -> Tensor:
    """Zeros of the shape that the attention would have, connected to all inputs, as in torch."""
    shape = (*query._data.shape[:-1], value._data.shape[-1])
    nothing = times_number(query.sum() + key.sum() + value.sum(), number=0)
    return from_array(array_module(query._data).zeros(shape, dtype)) + nothing


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    dropout: Any = None,
) -> Tensor:
    """softmax(query · keyᵀ · scale + mask) · value (torch.nn.functional.scaled_dot_product_attention).

    query: (…, queries, d), key: (…, keys, d), value: (…, keys, e) → (…, queries, e). attn_mask: True where a query may
    look, or numbers to add. scale: 1/√d by default. A query that may look nowhere gets zeros.
    """
    check(query, key, value, attn_mask)
    dtype = query._data.dtype
    if not (query._data.size and key._data.size and value._data.size) and empty(query, key, value):
        query, key, value = widened(query, key, value)
        return of_nothing(query, key, value, dtype)
    if attn_mask is not None and is_causal:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    size = query._data.shape[-1]
    if scale is None:
        scale = 1 / math.sqrt(size) if size else math.inf
    mask = added_mask(attn_mask, is_causal, query, key._data.shape[-2])
    alike = query._data.ndim == key._data.ndim == value._data.ndim == 4 and value._data.shape[-1] == size
    if alike and not dropout_p and (mask is None or not mask.requires_grad):
        return fused(query, key, value, mask=0 if mask is None else mask._data, scale=scale)[0]
    query, key, value = widened(query, key, value)
    root = math.sqrt(scale)
    scores = matmul(times_number(query, number=root), times_number(transpose(key, -2, -1), number=root))
    if mask is not None:
        scores = scores.add_(mask)
    weights = safe_softmax_op(scores, dim=scores._data.ndim - 1)
    out = matmul(dropout(weights, dropout_p) if dropout_p else weights, value)
    return out if out._data.dtype is dtype else out.to_numpy_dtype(dtype)
