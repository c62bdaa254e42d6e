"""The gated linear unit: one half of a tensor lets the other through."""

from __future__ import annotations

from typing import Any

from .. import rules
from ..backend import in_order, in_single
from ..tensor import Tensor
from .activation import activated, sigmoid
from .arguments import Int, parsed
from .define import Op
from .pointwise import sigmoid_array
from .reduce import one_dim


def halves(x: Any, dim: int) -> tuple[Any, Any]:
    """The two halves of an array or a Tensor along a dimension."""
    half, before = x.shape[dim] // 2, (slice(None),) * dim
    return x[(*before, slice(None, half))], x[(*before, slice(half, None))]


def glu_vjp(grad: Any, self: Any, dim: int) -> Any:
    """z = a · σ(b) with a and b the halves of self along dim: grad · σ(b) for a, grad · a · σ(b) (1 - σ(b)) for b."""
    a, b = halves(self, dim)
    gate = sigmoid(b)
    passed = grad * gate
    return rules.concatenate([passed, passed * (1 - gate) * a], dim)


def _glu(x: Any, dim: int) -> Any:
    a, b = halves(x, dim)
    return in_order(a * sigmoid_array(b))


glu_op = Op("GluBackward0", in_single(_glu), self=glu_vjp, second="GluBackwardBackward0")


@parsed("glu", "", "dim")
def glu(input: Tensor, dim: Int = -1) -> Tensor:
    """a · σ(b) with a and b the halves of x along dim (Dauphin et al. 2016; torch.nn.functional.glu)."""
    if not input.dim():
        raise RuntimeError("glu does not support scalars because halving size must be even")
    dim = one_dim(dim, input.dim())
    if input.shape[dim] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {input.shape[dim]}")
    return activated(glu_op, "glu_cpu", input, False, dim=dim)
