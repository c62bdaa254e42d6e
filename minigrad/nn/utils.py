"""torch.nn.utils: what is done to gradients between backward and step, and all parameters as one vector."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import rules
from ..autograd.grad_mode import no_grad
from ..errors import refusing
from ..tensor import Tensor

__all__ = [
    "clip_grad_norm_", "clip_grad_value_", "get_total_norm", "parameters_to_vector", "vector_to_parameters",
]  # fmt: skip

__getattr__ = refusing(__name__)


def get_total_norm(tensors: Any, norm_type: float = 2.0, error_if_nonfinite: bool = False) -> Any:
    """The norm of all tensors taken together, as if they were one vector."""
    norm_type = float(norm_type)
    norms = [t.detach().norm(norm_type) for t in ([tensors] if isinstance(tensors, Tensor) else tensors)]
    if not norms:
        from ..creation import tensor

        return tensor(0.0)
    total = rules.stack(norms, 0).norm(norm_type)
    if error_if_nonfinite and not bool(total.isfinite()):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be clipped. "
            "To disable this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
        )
    return total


def clip_grad_norm_(
    parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: Any = None
) -> Any:
    """Scale all gradients in place so that their common norm is at most max_norm; the norm there was before."""
    grads = _grads(parameters)
    with no_grad():
        total = get_total_norm(grads, norm_type, error_if_nonfinite)
        factor = (float(max_norm) / (total + 1e-6)).clamp(max=1.0)
        for grad in grads:
            grad.mul_(factor)
    return total


def clip_grad_value_(parameters: Any, clip_value: float, foreach: Any = None) -> None:
    """Clamp every entry of every gradient to ±clip_value, in place."""
    clip_value = float(clip_value)
    with no_grad():
        for grad in _grads(parameters):
            grad.clamp_min_(-clip_value).clamp_max_(clip_value)  # two writes, as in torch


def _grads(parameters: Any) -> list[Tensor]:
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [p.grad for p in given if p.grad is not None]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters, flattened, one after the other."""
    return rules.concatenate([p.view(-1) for p in parameters], 0)


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Give the parameters the values that parameters_to_vector would have put in these places."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    start = 0
    for p in parameters:
        end = start + p._data.size
        p.data = vec[start:end].view_as(p).data
        start = end
