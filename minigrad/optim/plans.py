"""Schedules of several phases, and the one that watches the loss (torch.optim.lr_scheduler has them all in one file)."""

from __future__ import annotations

import math
import warnings
from bisect import bisect_right
from typing import Any

from .lr_scheduler import EPOCH_GIVEN, LRScheduler, only_within_a_step


class SequentialLR(LRScheduler):
    """One schedule after the other, each from its milestone on, as a warm-up and what follows
    (torch.optim.lr_scheduler.SequentialLR)."""

    def __init__(self, optimizer: Any, schedulers: list[Any], milestones: list[int], last_epoch: int = -1) -> None:
        if not schedulers:
            raise ValueError("SequentialLR expects at least one scheduler, but got no scheduler.")
        for at, each in enumerate(schedulers):
            if isinstance(each, ReduceLROnPlateau):
                raise ValueError(
                    "SequentialLR does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be "
                    f"specified when calling `step`, but got one at index {at} in the given schedulers sequence."
                )
            if each.optimizer is not optimizer:
                raise ValueError(
                    "SequentialLR expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(each).__name__} at index {at} has {each.optimizer}, which is different from "
                    f"{type(optimizer).__name__}."
                )
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
            group["lr"] = group["initial_lr"]
        self.undo()
        first = schedulers[bisect_right(milestones, 0)]
        first.first_step()
        self._last_lr = first.get_last_lr()

    def undo(self) -> None:
        """Take back the epoch that setting up each of them has counted."""
        for each in self._schedulers:
            if isinstance(each, SequentialLR):
                each.undo()
            else:
                each.last_epoch -= 1

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

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimiser, the schedules by their own state_dict."""
        return super().state_dict() | {"_schedulers": [each.state_dict() for each in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a state_dict."""
        super().load_state_dict({key: value for key, value in state_dict.items() if key != "_schedulers"})
        for each, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            each.load_state_dict(state)


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
        if not hasattr(optimizer, "param_groups"):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
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
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            for group, lowest in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
                lr = max(group["lr"] * self.factor, lowest)
                if group["lr"] - lr > self.eps:
                    group["lr"] = lr
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = self._present()


# The phases of OneCycleLR: up to which share of all steps, and between which of a group's settings.
Phase = tuple[float, str, str, str, str]


class OneCycleLR(LRScheduler):
    """Up to max_lr and down to almost nothing, once, the momentum the other way round (Smith, Topin 2019;
    torch.optim.lr_scheduler.OneCycleLR). A step here is one of the optimiser's, not an epoch."""

    def __init__(
        self,
        optimizer: Any,
        max_lr: Any,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.85,
        max_momentum: Any = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        last_epoch: int = -1,
    ) -> None:
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        self.total_steps = total_steps if total_steps is not None else epochs * steps_per_epoch  # type: ignore[operator]
        if self.total_steps <= 0:
            raise ValueError(f"Expected positive integer total_steps, but got {self.total_steps}")
        if not 0 <= pct_start <= 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self.optimizer, self.anneal_strategy, self.cycle_momentum = optimizer, anneal_strategy, cycle_momentum
        self.phases: list[Phase] = [
            (pct_start * self.total_steps - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum"),
            (self.total_steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum"),
        ]
        if cycle_momentum and not {"momentum", "betas"} & set(optimizer.defaults):
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        for i, group in enumerate(optimizer.param_groups if last_epoch == -1 else ()):
            highest, most, least = (
                given[i] if isinstance(given, list | tuple) else given
                for given in (max_lr, max_momentum, base_momentum)
            )
            start = highest / div_factor
            group.update(initial_lr=start, max_lr=highest, min_lr=start / final_div_factor)
            if cycle_momentum:
                self._set_momentum(group, most)
                group.update(max_momentum=most, base_momentum=least)
        super().__init__(optimizer, last_epoch)

    def _set_momentum(self, group: dict[str, Any], value: float) -> None:
        """SGD's momentum, or what is like it in Adam: the first beta."""
        if "betas" in group:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value

    def between(self, start: float, end: float, share: float) -> float:
        """So much of the way, along half a cosine or straight."""
        if self.anneal_strategy == "linear":
            return (end - start) * share + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)

    @only_within_a_step
    def get_lr(self) -> list[float]:
        """Where this step is on its phase's way; the momentum is set at once."""
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        begins, phase = 0.0, self.phases[0]
        if step > phase[0]:
            begins, phase = phase[0], self.phases[1]
        end, from_lr, to_lr, from_momentum, to_momentum = phase
        share = (step - begins) / (end - begins)
        for group in self.optimizer.param_groups:
            if self.cycle_momentum:
                self._set_momentum(group, self.between(group[from_momentum], group[to_momentum], share))
        return [self.between(group[from_lr], group[to_lr], share) for group in self.optimizer.param_groups]
