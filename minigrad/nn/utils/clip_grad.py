"""torch.nn.utils.clip_grad: what is done to gradients between backward and step."""

from __future__ import annotations

import types
from typing import Any

from ... import rules
from ...autograd.grad_mode import no_grad
from ...errors import refusing, warn
from ...tensor import Tensor

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]

RENAMED = "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`."

__getattr__ = refusing(__name__)


def get_total_norm(tensors: Any, norm_type: float = 2.0, error_if_nonfinite: bool = False) -> Any:
    """The norm of all tensors taken together, as if they were one vector."""
    norm_type = float(norm_type)
    norms = [t.detach().norm(norm_type) for t in ([tensors] if isinstance(tensors, Tensor) else tensors)]
    if not norms:
        from ...creation import tensor

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
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    if not given and isinstance(parameters, types.GeneratorType):
        warn("`parameters` is an empty generator, no gradient clipping will occur.")
    with no_grad():
        total = get_total_norm(_grads(given), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(given, max_norm, total)
    return total


def clip_grads_with_norm_(parameters: Any, max_norm: float, total_norm: Any, foreach: Any = None) -> None:
    """Scale all gradients in place by what brings total_norm down to max_norm, where it is larger."""
    grads, max_norm = _grads(parameters), float(max_norm)
    with no_grad():
        factor = (max_norm / (total_norm + 1e-6)).clamp(max=1.0) if grads else None
        for grad in grads:
            grad.mul_(factor)


def clip_grad_norm(
    parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: Any = None
) -> Any:
    """What clip_grad_norm_ was called once."""
    warn(RENAMED, FutureWarning)
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters: Any, clip_value: float, foreach: Any = None) -> None:
    """Clamp every entry of every gradient to ±clip_value, in place."""
    clip_value = float(clip_value)
    with no_grad():
        for grad in _grads(parameters):
            grad.clamp_min_(-clip_value).clamp_max_(clip_value)  # two writes, as in torch


def _grads(parameters: Any) -> list[Tensor]:
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [p.grad for p in given if p.grad is not None]
