"""Similarity of vectors: directions, distances and cosines, and a loss made of distances.

All but cdist are plain operations, composed as torch composes them.
"""

from __future__ import annotations

import math
from typing import Any

from .. import rules
from ..autograd.grad_mode import no_grad
from ..backend import array_module, in_order, in_single, ordered
from ..dtypes import result_type
from ..tensor import Tensor
from .arguments import Bool, Float, Int, Str, as_int, parsed
from .arithmetic import div
from .define import Op
from .extrema import clamp_min, minimum
from .lazy import plain_function
from .loss import apply_reduction, reduction_number
from .margin_loss import plus
from .norms import refuse_nothing, vector_norm_array, vector_norm_vjp
from .promotion import unsupported
from .statistics import where_zero
from .underivable import no_vjp
from .validate import flag

# ------------------------------------------------------------------ rules


def norm_vjp(grad: Any, self: Any, result: Any, p: float, dim: tuple[int, ...], keepdim: bool) -> Any:
    """z = (Σ |self|^p)^(1/p) over dim. torch: NormBackward1."""
    return vector_norm_vjp(grad, self, result, p, dim, keepdim)


def cdist_vjp_x1(grad: Any, x1: Any, x2: Any, p: float, result: Any) -> Any:
    """z[i, j] = |x1[i] - x2[j]|: from x2[j] towards x1[i], for every j. torch: CdistBackward0."""
    return cdist_slope_op.of(grad, x1, x2, result, p=p)


def cdist_vjp_x2(grad: Any, x1: Any, x2: Any, p: float, result: Any) -> Any:
    """z[i, j] = |x1[i] - x2[j]|: the other way round."""
    return cdist_slope_op.of(rules.swapaxes(grad, -1, -2), x2, x1, rules.swapaxes(result, -1, -2), p=p)


cdist_slope_vjp = no_vjp("_cdist_backward")


def euclidean_dist_vjp_x1(grad: Any, x1: Any, x2: Any, result: Any) -> Any:
    """z[i, j] = |x1[i] - x2[j]|: Σⱼ (x1[i] - x2[j]) · grad / z, by a matrix product. torch: EuclideanDistBackward0."""
    ratio = where_zero(result == 0, grad / result)
    return x1 * rules.sum(ratio, (len(ratio.shape) - 1,), True) - ratio @ x2


def euclidean_dist_vjp_x2(grad: Any, x1: Any, x2: Any, result: Any) -> Any:
    """z[i, j] = |x1[i] - x2[j]|: the other way round."""
    return euclidean_dist_vjp_x1(rules.swapaxes(grad, -1, -2), x2, x1, rules.swapaxes(result, -1, -2))


# ------------------------------------------------------------------ entries


def _cdist(x1: Any, x2: Any, p: float) -> Any:
    difference = in_order(x1)[..., :, None, :] - in_order(x2)[..., None, :, :]
    if not difference.shape[-1]:
        return array_module(x1).zeros(difference.shape[:-1], x1.dtype)
    return vector_norm_array(difference, p, (-1,), False)


def _cdist_slope(grad: Any, x1: Any, x2: Any, result: Any, p: float) -> Any:
    """Σⱼ grad[i, j] · ∂|x1[i] - x2[j]| / ∂x1[i]; 0 where there is no distance."""
    module, difference = array_module(grad), x1[..., :, None, :] - x2[..., None, :, :]
    grad, far, sign = grad[..., None], result[..., None], module.sign(difference)
    if p == 0:
        return module.zeros(difference.shape[:-2] + difference.shape[-1:], grad.dtype)
    if p == 1:
        slope = grad * sign
    elif math.isinf(p):
        slope = grad * sign * (abs(difference) == far)
    else:
        nowhere = (far == 0) | (difference == 0) if p < 1 else far == 0
        slope = where_zero(nowhere, grad * (sign * abs(difference) ** (p - 1) / far ** (p - 1)))
    return in_order(slope.sum(-2))


def _euclidean_dist(x1: Any, x2: Any) -> Any:
    """|a|² + |b|² - 2 a·b, as one matrix product: faster than all the differences, and less exact near 0."""
    module = array_module(x1)
    squares = [(x * x).sum(-1, keepdims=True) for x in (x1, x2)]
    ones = [module.ones_like(square) for square in squares]
    left = module.concatenate([-2 * x1, squares[0], ones[0]], -1)
    right = module.concatenate([x2, ones[1], squares[1]], -1)
    return module.sqrt(module.maximum(left @ right.swapaxes(-1, -2), 0))


norm_op = Op(
    "NormBackward1",
    ordered(in_single(lambda x, p, dim, keepdim: vector_norm_array(in_order(x), p, dim, keepdim))),
    self=norm_vjp,
)
cdist_op = Op("CdistBackward0", _cdist, stretches=True, x1=cdist_vjp_x1, x2=cdist_vjp_x2)
cdist_slope_op = Op(
    "CdistBackwardBackward0",
    _cdist_slope,
    grad=cdist_slope_vjp,
    x1=cdist_slope_vjp,
    x2=cdist_slope_vjp,
    result=cdist_slope_vjp,
)
euclidean_dist_op = Op("EuclideanDistBackward0", _euclidean_dist, x1=euclidean_dist_vjp_x1, x2=euclidean_dist_vjp_x2)

# ------------------------------------------------------------------ what users call

MANY = 25  # rows, from which on torch takes a matrix product
MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")


@parsed()
def cdist(x1: Tensor, x2: Tensor, p: Float = 2.0, compute_mode: Str = MODES[0]) -> Tensor:
    """The distance from every row of x1 to every row of x2 (torch.cdist).

    x1: (…, n, d), x2: (…, m, d) → (…, n, m). p: of the norm.
    """
    if compute_mode not in MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    for i, x in enumerate((x1, x2), 1):
        if x._data.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, X{i} got: {x._data.ndim}D")
    if x1._data.shape[-1] != x2._data.shape[-1]:
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: {x1._data.shape[-1]} X2: {x2._data.shape[-1]}"
        )
    for i, x in enumerate((x1, x2), 1):
        if x._data.dtype.kind != "f":
            raise RuntimeError(f"cdist only supports floating-point dtypes, X{i} got: {x.dtype.type_name}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    rows = x1._data.shape[-2], x2._data.shape[-2]
    batch = array_module(x1._data).broadcast_shapes(x1._data.shape[:-2], x2._data.shape[:-2])
    by_product = p == 2 and (compute_mode == MODES[1] or (compute_mode == MODES[0] and max(rows) > MANY))
    if by_product and math.prod((*batch, *rows, x1._data.shape[-1])):
        if x1._data.dtype is not x2._data.dtype:
            kinds = f"{x1.dtype.c_name} != {x2.dtype.c_name}"
            raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {kinds}")
        if math.prod(batch) != 1:
            x1, x2 = (
                x.expand(*batch, *x._data.shape[-2:]).contiguous().view(-1, *x._data.shape[-2:]) for x in (x1, x2)
            )
        return euclidean_dist_op(x1, x2).view(*batch, *rows)
    if x1._data.dtype.itemsize < 4 and x1._data.size and x2._data.size:
        raise unsupported("cdist", x1._data)
    if x1._data.dtype is not x2._data.dtype:
        raise RuntimeError(f"expected scalar type {x1.dtype.type_name} but found {x2.dtype.type_name}")
    return cdist_op(x1, x2, p=float(p))


def normalize(input: Tensor, p: Float = 2.0, dim: Int = 1, eps: Float = 1e-12, out: Tensor | None = None) -> Tensor:
    """input / max(its p-norm over dim, eps): vectors of length 1 (torch.nn.functional.normalize)."""
    length = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return input / length if out is None else plain_function(div)(input, length, out=out)


@plain_function
def cosine_similarity(x1: Tensor, x2: Tensor, dim: Int = 1, eps: Float = 1e-8) -> Tensor:
    """x1·x2 / (|x1| |x2|) along dim, each norm at least eps (torch.nn.functional.cosine_similarity)."""
    wanted = result_type(x1, x2)
    if not wanted.is_floating_point:
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {wanted.type_name}")
    if eps < 0:
        raise RuntimeError(f"eps must be non-negative, got: {eps:g}")
    x1, x2 = (x if x.is_floating_point() else x.to(wanted) for x in (x1, x2))
    if x1._data.shape != x2._data.shape:
        shape = (x1.detach() + x2.detach())._data.shape  # raises in torch's words where they do not fit
        x1, x2 = (x.expand(shape) for x in (x1, x2))
    norms = [x.norm(2, dim, keepdim=True).clone() for x in (x1, x2)]
    with no_grad():  # so that the gradient does not stop at a norm below eps
        for norm in norms:
            norm.clamp_min_(eps)
    return ((x1 / norms[0]) * (x2 / norms[1])).sum(as_int(dim))


@plain_function
def pairwise_distance(x1: Tensor, x2: Tensor, p: Float = 2.0, eps: Float = 1e-6, keepdim: Bool = False) -> Tensor:
    """The p-norm of x1 - x2 + eps over the last dimension (torch.nn.functional.pairwise_distance)."""
    if not isinstance(x1, Tensor) or not isinstance(x2, Tensor):
        raise TypeError
    difference = plus(x1 - x2, eps)
    last = (difference._data.ndim - 1,) if difference._data.ndim else ()
    refuse_nothing(difference, p, last, last)
    return norm_op(difference, p=float(p), dim=last, keepdim=flag(keepdim))


@parsed("triplet_margin_loss", "anchor", "positive", "negative", "margin", "p", "eps", "swap")
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: Float = 1.0,
    p: Float = 2,
    eps: Float = 1e-6,
    swap: Bool = False,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, margin + |anchor - positive| - |anchor - negative|), reduced (torch.nn.functional.triplet_margin_loss).

    swap: negative may be nearer to positive than to anchor; the smaller distance counts (Balntas et al. 2016).
    """
    number = reduction_number(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    dims = [x._data.ndim for x in (anchor, positive, negative)]
    if len(set(dims)) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {dims[0]}D, positive {dims[1]}D, and negative {dims[2]}D inputs"
        )
    near, far = (pairwise_distance(anchor, other, p, eps) for other in (positive, negative))
    if flag(swap):
        far = minimum(far, pairwise_distance(positive, negative, p, eps))
    return apply_reduction(clamp_min(plus(near, margin) - far, 0), number)
