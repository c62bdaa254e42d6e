"""torch.nn.utils.convert_parameters: all parameters as one vector."""

from __future__ import annotations

from collections.abc import Iterable

from ...errors import refusing
from ...ops.join import cat
from ...tensor import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]

__getattr__ = refusing(__name__)


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters, flattened, one after the other."""
    return cat([p.view(-1) for p in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Give the parameters the values that parameters_to_vector would have put in these places."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    start = 0
    for p in parameters:
        end = start + p._data.size
        p.data = vec[start:end].view_as(p).data
        start = end
