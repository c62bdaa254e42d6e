"""Schedules made of others, and the one that watches the loss (torch.optim.lr_scheduler has them all in one file)."""

from __future__ import annotations

import math
import warnings
from bisect import bisect_right
from typing import Any

from .lr_scheduler import EPOCH_GIVEN, LRScheduler, last
from .optimizer import check_optimizer, set_rate


def check_each(name: str, schedulers: Any, optimizer: Any) -> None:
    """ValueError for a schedule of another optimizer, and for one that wants to know more than that an epoch is over."""
    for at, each in enumerate(schedulers):
        if not hasattr(each, "optimizer"):
            raise TypeError(f"{name} at index {at} should have `optimizer` as its attribute.")
        if isinstance(each, ReduceLROnPlateau):
            raise ValueError(
                f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be "
                f"specified when calling `step`, but got one at index {at} in the given schedulers sequence."
            )
        if each.optimizer is not optimizer:
            raise ValueError(
                f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                f"{type(each).__name__} at index {at} has {each.optimizer}, which is different from "
                f"{type(optimizer).__name__}."
            )


def undo(schedule: Any) -> None:
    """Take back the epoch that setting up a schedule has counted, or each of those that it is made of."""
    if hasattr(schedule, "_schedulers"):
        for each in schedule._schedulers:
            undo(each)
    else:
        schedule.last_epoch -= 1


class Composite(LRScheduler):
    """A schedule made of others; base of SequentialLR and ChainedScheduler."""

    _schedulers: Any

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer, the schedules by their own state_dict."""
        return last(super().state_dict(), _schedulers=[each.state_dict() for each in self._schedulers])

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a state_dict."""
        for each, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            each.load_state_dict(state)
        super().load_state_dict({key: value for key, value in state_dict.items() if key != "_schedulers"})


class SequentialLR(Composite):
    """One schedule after the other, each from its milestone on, as a warm-up and what follows
    (torch.optim.lr_scheduler.SequentialLR)."""

    def __init__(self, optimizer: Any, schedulers: list[Any], milestones: list[int], last_epoch: int = -1) -> None:
        if not schedulers:
            raise ValueError("SequentialLR expects at least one scheduler, but got no scheduler.")
        check_each("SequentialLR", schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone "
                f"points, but got number of schedulers {len(schedulers)} and the number of milestones to be equal to "
                f"{len(milestones)}"
            )
        self.optimizer = optimizer
        self._schedulers, self._milestones = schedulers, milestones
        self.last_epoch = last_epoch + 1
        for group in optimizer.param_groups:
            set_rate(group, group["initial_lr"])
        undo(self)
        first = schedulers[bisect_right(milestones, 0)]
        first.first_step()
        self._last_lr = first.get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        """One epoch is over; where a milestone is reached the next schedule begins."""
        self.last_epoch += 1
        at = bisect_right(self._milestones, self.last_epoch)
        current = self._schedulers[at]
        if at and self._milestones[at - 1] == self.last_epoch:
            current.begin()
        else:
            current.step()
        self._last_lr = current.get_last_lr()


class ChainedScheduler(Composite):
    """Several schedules at once, each going on from the rate that the one before it has set
    (torch.optim.lr_scheduler.ChainedScheduler)."""

    def __init__(self, schedulers: Any, optimizer: Any = None) -> None:
        if not schedulers:
            raise ValueError("ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.")
        self.optimizer = optimizer = optimizer or schedulers[0].optimizer
        check_each("ChainedScheduler", schedulers, optimizer)
        self._schedulers = schedulers
        self._last_lr = self._present()

    def step(self) -> None:  # type: ignore[override]
        """One epoch is over, for all of them."""
        for each in self._schedulers:
            each.step()
        self._last_lr = self._present()


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
        self._last_lr = self._present()
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self.best = self.mode_worse
        self.cooldown_counter = self.num_bad_epochs = 0

    @property
    def in_cooldown(self) -> bool:
        """Whether it rests after having lowered the rate."""
        return self.cooldown_counter > 0

    def better(self, value: float) -> bool:
        """Whether a number is better than the best one so far, by the threshold at least."""
        sign = -1 if self.mode == "min" else 1
        relative = self.threshold_mode == "rel"
        limit = self.best * (1 + sign * self.threshold) if relative else self.best + sign * self.threshold
        return sign * value > sign * limit

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """One epoch is over, and gave this number. epoch: which one, which need not be said."""
        current = float(metrics)
        if epoch is not None:
            warnings.warn(EPOCH_GIVEN, UserWarning, stacklevel=2)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self.better(current):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self.reduce()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = self._present()

    def reduce(self) -> None:
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
