"""torch.cpu.amp: the older names of torch.amp for "cpu", which warn of that and do no more than those of torch.amp."""

from __future__ import annotations

from .. import amp
from ..dtypes import dtype as Dtype
from ..errors import refusing, warn

__all__ = ["GradScaler", "autocast"]

__getattr__ = refusing(__name__)

DEPRECATED = "`torch.cpu.amp.{0}(args...)` is deprecated. Please use `torch.amp.{0}('cpu', args...)` instead."


class autocast(amp.autocast):  # noqa: N801 (as torch has it)
    """torch.amp.autocast("cpu", …) under its older name; a FutureWarning says so. dtype: None stands for torch's bfloat16."""

    def __init__(self, enabled: bool = True, dtype: Dtype | None = None, cache_enabled: bool = True) -> None:
        warn(DEPRECATED.format("autocast"), FutureWarning)
        super().__init__("cpu", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """torch.amp.GradScaler("cpu", …) under its older name; a FutureWarning says so."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        warn(DEPRECATED.format("GradScaler"), FutureWarning)
        super().__init__("cpu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)
