"""torch.nn.utils.stateless: torch.func.functional_call under its older name, which warns of that."""

from __future__ import annotations

from typing import Any

from ...errors import refusing, warn
from ...func import functional_call as _functional_call
from ...tensor import Tensor
from ..module import Module

__all__ = ["functional_call"]

__getattr__ = refusing(__name__)

DEPRECATED = (
    "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future version of "
    "PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement."
)


def functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Tensor],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """module(*args, **kwargs), with these tensors in the places of its own; a FutureWarning says the newer name.

    parameters_and_buffers: tensors by dotted name. args: a tuple, or the only argument. tie_weights, strict, and what is
    raised: as torch.func.functional_call.
    """
    warn(DEPRECATED, FutureWarning)
    return _functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)
