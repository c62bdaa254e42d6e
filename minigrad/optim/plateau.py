"""The schedule that watches the loss: ReduceLROnPlateau (torch.optim.lr_scheduler has them all in one file)."""

from __future__ import annotations

import math
from typing import Any

from ..errors import warn
from .lr_scheduler import EPOCH_GIVEN, LRScheduler
from .optimizer import check_optimizer, set_rate


class ReduceLROnPlateau(LRScheduler):
    """lr · factor when a number, mostly the loss on held-out data, has not become better for more than `patience` epochs
    (torch.optim.lr_scheduler.ReduceLROnPlateau).

    mode: "min" or "max", what better means. threshold: by how much at least, as a share ("rel") or outright ("abs").
    """

    def __init__(
        self,
        optimizer: Any,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: Any = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        check_optimizer(optimizer)
        groups = len(optimizer.param_groups)
        one_each = isinstance(min_lr, list | tuple)
        given = list(min_lr) if one_each else [min_lr] * groups
        if len(given) != groups:
            raise ValueError(f"expected {groups} min_lrs, got {len(given)}")
        for what, value, known in (("mode", mode, ("min", "max")), ("threshold mode", threshold_mode, ("rel", "abs"))):
            if value not in known:
                raise ValueError(f"{what} {value} is unknown!")
        self.factor, self.optimizer, self.default_min_lr = factor, optimizer, None if one_each else min_lr
        self.min_lrs, self.patience, self.cooldown, self.eps = given, patience, cooldown, eps
        self.last_epoch = 0
        self._last_lr = self._present_rates()
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self.best = self.mode_worse
        self.cooldown_counter = self.num_bad_epochs = 0

    @property
    def in_cooldown(self) -> bool:
        """Whether it rests after having lowered the rate."""
        return self.cooldown_counter > 0

    def _is_better(self, value: float) -> bool:
        """Whether a number is better than the best one so far, by the threshold at least."""
        sign = -1 if self.mode == "min" else 1
        relative = self.threshold_mode == "rel"
        limit = self.best * (1 + sign * self.threshold) if relative else self.best + sign * self.threshold
        return sign * value > sign * limit

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """One epoch is over, and gave this number. epoch: which one, which need not be said."""
        current = float(metrics)
        if epoch is not None:
            warn(EPOCH_GIVEN)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(current):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = self._present_rates()

    def _reduce_lr(self) -> None:
        """Lower the learning rate of every group, those that were added since among them."""
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from when `ReduceLROnPlateau` "
                    f"was initialized ({len(self.min_lrs)}), usually due to a new param group being added to the "
                    "optimizer. Please modify the `min_lrs` field to match the length of the `optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, lowest in zip(groups, self.min_lrs, strict=True):
            before = float(group["lr"])
            lr = max(before * self.factor, lowest)
            if before - lr > self.eps:
                set_rate(group, lr)
