"""rms_norm: every row with mean square 1. Made of plain operations, as torch records it."""

from __future__ import annotations

from ..backend import array_module
from ..tensor import Tensor
from .arguments import Float, IntList
from .layer_norm import check_parameters
from .nn import floats_only
from .pointwise import plus_number
from .validate import number_or_none


def check_shapes(input: Tensor, shape: tuple[int, ...], weight: Tensor | None) -> None:
    """RuntimeError for shapes that do not go together."""
    check_parameters(shape, weight=weight)
    if input.dim() < len(shape):
        raise ValueError(f"Input tensor must have at least {len(shape)} dimensions, but got {input.dim()}")
    size = list(input.shape)
    if size[len(size) - len(shape) :] != list(shape):
        wanted = "*" + ", ".join(map(str, shape))
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [{wanted}], but got input of size{size}"
        )


def rms_norm(
    input: Tensor, normalized_shape: IntList, weight: Tensor | None = None, eps: Float | None = None
) -> Tensor:
    """input over √(mean of input² + eps) over the last dimensions, then · weight (Zhang, Sennrich 2019; torch.rms_norm).

    input: (…, *normalized_shape), weight: of normalized_shape. eps: the least step from 1 on, if it is not given.
    """
    shape, eps = tuple(normalized_shape), number_or_none(eps)
    check_shapes(input, shape, weight)
    floats_only(input, "rms_norm")
    x = input.float() if input._data.dtype == "float16" else input
    if eps is None:
        eps = float(array_module(x._data).finfo(x._data.dtype).eps)
    dims = tuple(range(x.dim() - 1, x.dim() - 1 - len(shape), -1))  # in torch's order, which the graph shows
    out = x * plus_number(x.pow(2).mean(dims, keepdim=True), number=eps).rsqrt()
    out = out if weight is None else out * weight
    return (out if out.dtype is input.dtype else out.to(input.dtype)).contiguous()
