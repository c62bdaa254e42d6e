"""Schedules made of others: one after the other, or several at once (torch.optim.lr_scheduler has them all in one file)."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from .lr_scheduler import LRScheduler, last
from .optimizer import set_rate
from .plateau import ReduceLROnPlateau


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
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        """One epoch is over; where a milestone is reached the next schedule begins."""
        self.last_epoch += 1
        at = bisect_right(self._milestones, self.last_epoch)
        current = self._schedulers[at]
        if at and self._milestones[at - 1] == self.last_epoch:
            current._begin_again()
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
        self._last_lr = self._present_rates()

    def step(self) -> None:  # type: ignore[override]
        """One epoch is over, for all of them."""
        for each in self._schedulers:
            each.step()
        self._last_lr = self._present_rates()
