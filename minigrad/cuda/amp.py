"""torch.cuda.amp: the older names of torch.amp for "cuda", which warn of that and do no more than those of torch.amp."""

from __future__ import annotations

from typing import Any

from .. import amp
from ..dtypes import dtype as Dtype
from ..dtypes import float16
from ..errors import refusing, warn
from . import is_available

__all__ = ["GradScaler", "amp_definitely_not_available", "autocast", "custom_bwd", "custom_fwd"]

__getattr__ = refusing(__name__)

DEPRECATED = "`torch.cuda.amp.{0}(args...)` is deprecated. Please use `torch.amp.{0}({1})` instead."
FIRST = "'cuda', args..."
LAST = "args..., device_type='cuda'"


class autocast(amp.autocast):  # noqa: N801 (as torch has it)
    """torch.amp.autocast("cuda", …) under its older name; a FutureWarning says so."""

    def __init__(self, enabled: bool = True, dtype: Dtype = float16, cache_enabled: bool = True) -> None:
        warn(DEPRECATED.format("autocast", FIRST), FutureWarning)
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """torch.amp.GradScaler("cuda", …) under its older name; a FutureWarning says so."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        warn(DEPRECATED.format("GradScaler", FIRST), FutureWarning)
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def custom_fwd(fwd: Any = None, *, cast_inputs: Any = None) -> Any:
    """torch.amp.custom_fwd for "cuda" under its older name; a FutureWarning says so."""
    warn(DEPRECATED.format("custom_fwd", LAST), FutureWarning)
    return amp.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd: Any) -> Any:
    """torch.amp.custom_bwd for "cuda" under its older name; a FutureWarning says so."""
    warn(DEPRECATED.format("custom_bwd", LAST), FutureWarning)
    return amp.custom_bwd(bwd, device_type="cuda")


def amp_definitely_not_available() -> bool:
    """Whether there is no GPU to compute on in mixed precision."""
    return not is_available()
