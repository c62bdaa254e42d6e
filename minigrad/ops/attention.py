"""Scaled dot-product attention: softmax(query · keyᵀ · scale) · value."""

from __future__ import annotations

import math
from typing import Any

from .. import rules
from ..backend import array_module, in_silence, laid_out_as
from ..dtypes import get_default_dtype
from ..tensor import Tensor, from_array
from .arrange import repeat_interleave
from .define import Op
from .linalg import ctype, matmul
from .nn import _safe_softmax, safe_softmax_op, softmax_vjp
from .pointwise import times_number
from .promotion import common_shape
from .reduce import one_dim, real_dim
from .shape import transpose
from .underivable import Underivable


def scores_slope(grad: Any, value: Any, weights: Any) -> Any:
    """The gradient of query · keyᵀ · scale: back through · value, then through softmax."""
    return softmax_vjp(grad @ rules.swapaxes(value, -1, -2), weights, -1)


def per_query(x: Any, query: Any) -> Any:
    """Keys or values with a head for each of the query's, where several of those share one."""
    return x if x.shape[1] == query.shape[1] else x.repeat(query.shape[1] // x.shape[1], 1)


def per_key(grad: Any, x: Any) -> Any:
    """The gradient of `per_query`: each head's is the sum over those that shared it."""
    if grad.shape == x.shape:
        return grad
    batch, heads = x.shape[:2]
    return grad.reshape(batch, heads, grad.shape[1] // heads, *x.shape[2:]).sum(2)


def no_second(forward: Any) -> Any:
    """A derivative of the fused kernel, of arrays, which torch cannot derive again."""
    name = "_scaled_dot_product_flash_attention_for_cpu_backward"
    return Underivable(name, forward, "grad", "query", "key", "value")


def query_gradient(grad: Any, query: Any, key: Any, value: Any, weights: Any, factor: float) -> Any:
    """z = softmax(query · keyᵀ · factor) · value: the scores' gradient · key · factor."""
    return scores_slope(grad, per_query(value, query), weights) @ per_query(key, query) * factor


def key_gradient(grad: Any, query: Any, key: Any, value: Any, weights: Any, factor: float) -> Any:
    """z = softmax(query · keyᵀ · factor) · value: the scores' gradient, transposed, · query · factor."""
    return per_key(scores_slope(grad, per_query(value, query), weights).swapaxes(-1, -2) @ query * factor, key)


def value_gradient(grad: Any, query: Any, key: Any, value: Any, weights: Any) -> Any:
    """z = weights · value: weightsᵀ · grad."""
    return per_key(weights.swapaxes(-1, -2) @ grad, value)


query_slope, key_slope, value_slope = no_second(query_gradient), no_second(key_gradient), no_second(value_gradient)


def attention_vjp_query(grad: Any, query: Any, key: Any, value: Any, weights: Any, factor: float) -> Any:
    """`query_gradient`, recorded."""
    return query_slope.of(grad, query, key, value, weights=weights, factor=factor)


def attention_vjp_key(grad: Any, query: Any, key: Any, value: Any, weights: Any, factor: float) -> Any:
    """`key_gradient`, recorded."""
    return key_slope.of(grad, query, key, value, weights=weights, factor=factor)


def attention_vjp_value(grad: Any, query: Any, key: Any, value: Any, weights: Any) -> Any:
    """`value_gradient`, recorded."""
    return value_slope.of(grad, query, key, value, weights=weights)


def attention(query: Any, key: Any, value: Any, mask: Any, factor: float) -> tuple[Any, Any]:
    """What the fused kernel gives, and its weights: of arrays."""
    scores = query @ per_query(key, query).swapaxes(-1, -2) * factor
    if mask is not None:
        if mask.ndim < 2:
            real_dim(-2, mask.ndim)  # IndexError
        if (shape := common_shape([scores.shape, mask.shape])) != scores.shape:
            raise RuntimeError(
                f"output with shape {list(scores.shape)} doesn't match the broadcast shape {list(shape)}"
            )
        scores = scores + mask
    weights = _safe_softmax(scores, -1)
    out = weights @ per_query(value, query)
    if out.shape == query.shape and query.strides[-1] == query.itemsize:  # as the kernel leaves it: so heads that were
        out = laid_out_as(query, out)  # side by side do so again
    return out, weights


# Heads of one size in four dimensions: torch's fused kernel, one node. Its weights stay inside.
fused = Op(
    "ScaledDotProductFlashAttentionForCpuBackward0",
    lambda query, key, value, found, weights, factor, attn_mask, is_causal, scale: found,
    tensors=("attn_mask",),
    query=attention_vjp_query,
    key=attention_vjp_key,
    value=attention_vjp_value,
)


def added_mask(attn_mask: Tensor | None, is_causal: bool, like: Tensor, keys: int) -> Any:
    """What is added to the scores: 0 where a query may look at a key, -inf where not; a float mask as it is where it may."""
    module, dtype = array_module(like._data), like._data.dtype
    causal = module.tri(like._data.shape[-2], keys, dtype=bool) if is_causal else None
    if attn_mask is None:
        allowed = causal
    elif attn_mask._data.dtype.kind == "f":
        return attn_mask if causal is None else from_array(module.where(causal, attn_mask._data, -math.inf))
    else:
        allowed = attn_mask._data if causal is None else attn_mask._data & causal
    return None if allowed is None else from_array(module.where(allowed, 0.0, -math.inf).astype(dtype))


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


def empty(query: Tensor, value: Tensor) -> bool:
    """Whether there are no queries or no values."""
    return not query._data.shape[-2] or not value._data.size


def fits_kernel(query: Tensor, key: Tensor, value: Tensor, grouped: bool) -> bool:
    """Whether torch's fused kernel takes them: heads of one size, whose numbers lie side by side. grouped: several of the
    query's may share one of the keys'."""
    shape, wanted = query._data.shape, key._data.shape
    if len(shape) != 4 or len(wanted) != 4 or not query.is_floating_point():
        return False
    heads = wanted[1] if grouped and wanted[1] and shape[1] % wanted[1] == 0 else shape[1]
    alike = wanted == value._data.shape == (shape[0], heads, wanted[-2], shape[3])
    # Of a single number the stride is NumPy's choice.
    return alike and (shape[3] == 1 or all(t._data.strides[-1] == t._data.itemsize for t in (query, key, value)))


def repeated(key: Tensor, query: Tensor) -> Tensor:
    """Keys or values whose heads are repeated for the query's heads that share them."""
    many, few = (t._data.shape[one_dim(-3, t._data.ndim)] for t in (query, key))
    if not few or many % few:
        raise RuntimeError("Number of heads in key and value must divide the number of heads in ")
    return key if many == few else repeat_interleave(key, many // few, -3)


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
    grouped: bool = False,
    dropout: Any = None,
) -> Tensor:
    """softmax(query · keyᵀ · scale + mask) · value (torch.nn.functional.scaled_dot_product_attention).

    query: (…, queries, d), key: (…, keys, d), value: (…, keys, e) → (…, queries, e). attn_mask: True where a query may
    look, or numbers to add. scale: 1/√d by default. grouped: several heads of the query share one of key and value (…, heads,
    keys, d). A query that may look nowhere gets zeros.
    """
    check(query, key, value, attn_mask)
    dtype = query._data.dtype
    if empty(query, value):
        query, key, value = widened(query, key, value)
        return of_nothing(query, key, value, dtype)
    takes = dropout_p <= 0 and (attn_mask is None or not attn_mask.requires_grad)
    takes = takes and fits_kernel(query, key, value, grouped)
    if attn_mask is not None and is_causal and not takes:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    size = query._data.shape[-1]
    factor = scale if scale is not None else 1 / math.sqrt(size) if size else math.inf
    mask = added_mask(attn_mask, is_causal, query, key._data.shape[-2])
    if takes:
        if dropout_p:
            raise RuntimeError("scaled_dot_product_attention_flash_attention: Currently do not support dropout > 0")
        arrays = (query._data, key._data, value._data, None if mask is None else mask._data)
        found, weights = in_silence(attention, *arrays, factor)
        settings = {"attn_mask": None if attn_mask is None else mask, "is_causal": is_causal, "scale": scale}
        return fused(query, key, value, found=found, weights=weights, factor=factor, **settings)
    if grouped:
        key, value = repeated(key, query), repeated(value, query)
    query, key, value = widened(query, key, value)
    if dtype.kind != "f":  # which scaling makes floats of: they no longer go with the values, and torch refuses them
        query, key = (t.to(get_default_dtype()) for t in (query, key))
    root = math.sqrt(abs(factor))
    scaled = times_number(query, number=math.copysign(root, factor))
    scores = matmul(scaled, times_number(transpose(key, -2, -1), number=root))
    if mask is not None:
        scores = scores.add_(mask)
    weights = safe_softmax_op(scores, dim=scores._data.ndim - 1)
    if dropout_p > 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p:g}")
    out = matmul(dropout(weights, dropout_p) if dropout_p > 0 else weights, value)
    return out if out._data.dtype is dtype else out.to_numpy_dtype(dtype)
