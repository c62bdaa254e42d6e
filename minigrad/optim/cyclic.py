"""Schedules that go up and down: again and again, or once (torch.optim.lr_scheduler has them all in one file)."""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from typing import Any

from .lr_scheduler import LRScheduler, last, only_within_a_step
from .optimizer import check_optimizer, set_rate


def one_each(what: str, value: Any, groups: int) -> list[Any]:
    """A setting for every group: a list of them, or one for all."""
    if not isinstance(value, list | tuple):
        return [value] * groups
    if len(value) != groups:
        raise ValueError(
            f"{what} must have the same length as optimizer.param_groups. {what} has {len(value)} values, "
            f"param_groups has {groups}."
        )
    return list(value)


def set_momentum(group: dict[str, Any], value: float) -> None:
    """SGD's momentum, or what is like it in Adam: the first beta."""
    if "betas" in group:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value


def check_momentum(optimizer: Any) -> None:
    """ValueError for an optimizer without any."""
    if not {"momentum", "betas"} & set(optimizer.defaults):
        raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")


class CosineAnnealingWarmRestarts(LRScheduler):
    """Down to eta_min along half a cosine in T_0 epochs, then from the start again, each time in T_mult times as many
    epochs (Loshchilov, Hutter 2017; torch.optim.lr_scheduler.CosineAnnealingWarmRestarts)."""

    def __init__(self, optimizer: Any, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, float | int):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0, self.T_i, self.T_mult, self.eta_min = T_0, T_0, T_mult, eta_min
        self.T_cur: float = last_epoch  # how far into the present period, which takes T_i
        super().__init__(optimizer, last_epoch)

    @only_within_a_step
    def get_lr(self) -> list[float]:
        """Half a cosine, by how much of the present period is over."""
        wave = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [self.eta_min + (base - self.eta_min) * wave / 2 for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """One epoch is over. epoch: which one begins; with a fraction, how far it has come."""
        if epoch is None and self.last_epoch >= 0:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            epoch = epoch or 0
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self._place_in_cycle(epoch)
        self.last_epoch = math.floor(epoch)
        self._set_rates(self._ask_rates(self.get_lr))

    def _place_in_cycle(self, epoch: float) -> None:
        """Which period an epoch is in, and where."""
        first, times = self.T_0, self.T_mult
        if epoch < first:
            self.T_i, self.T_cur = first, epoch
        elif times == 1:
            self.T_cur = epoch % first
        else:
            full = int(math.log(epoch / first * (times - 1) + 1, times))
            self.T_cur = epoch - first * (times**full - 1) / (times - 1)
            self.T_i = first * times**full


# how high the top of a cycle is, for the number of the cycle ("cycle") or of the step ("iterations")
SCALES: dict[str, tuple[str, Callable[[float, float], float]]] = {
    "triangular": ("cycle", lambda gamma, cycle: 1.0),
    "triangular2": ("cycle", lambda gamma, cycle: 1 / 2.0 ** (cycle - 1)),
    "exp_range": ("iterations", lambda gamma, step: gamma**step),
}


class CyclicLR(LRScheduler):
    """From base_lr up to max_lr and down again in straight lines, again and again, the momentum the other way round
    (Smith 2017; torch.optim.lr_scheduler.CyclicLR). A step here is one of the optimizer's, not an epoch.

    mode: "triangular", all cycles the same; "triangular2", each half as high as the one before; "exp_range", lower by gamma
    with every step. scale_fn: takes the place of mode, of the number that scale_mode names.
    """

    def __init__(
        self,
        optimizer: Any,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.8,
        max_momentum: Any = 0.9,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        groups = optimizer.param_groups
        lowest = one_each("base_lr", base_lr, len(groups))
        for group, lr in zip(groups if last_epoch == -1 else (), lowest, strict=False):
            set_rate(group, lr)
        self.max_lrs = one_each("max_lr", max_lr, len(groups))
        down = step_size_up if step_size_down is None else step_size_down
        self.total_size = float(step_size_up) + float(down)
        self.step_ratio = float(step_size_up) / self.total_size
        if mode not in SCALES and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma, self._scale_fn_custom = mode, gamma, scale_fn
        self.scale_mode = scale_mode if scale_fn is not None else SCALES[mode][0]
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            check_momentum(optimizer)
            self.use_beta1 = "betas" in optimizer.defaults
            self.base_momentums = one_each("base_momentum", base_momentum, len(groups))
            self.max_momentums = one_each("max_momentum", max_momentum, len(groups))
            if last_epoch == -1:
                for group, most, least in zip(groups, self.max_momentums, self.base_momentums, strict=True):
                    set_momentum(group, most)
                    group.update(max_momentum=most, base_momentum=least)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = lowest

    def scale_fn(self, x: float) -> float:
        """How high the top is, as a share of the way from base_lr to max_lr."""
        return SCALES[self.mode][1](self.gamma, x) if self._scale_fn_custom is None else self._scale_fn_custom(x)

    @only_within_a_step
    def get_lr(self) -> list[float]:
        """Where this step is in its cycle; the momentum is set at once."""
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            momentums = zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True)
            for group, least, most in momentums:
                set_momentum(group, most - (most - least) * height * scale)
        return [base + (top - base) * height * scale for base, top in zip(self.base_lrs, self.max_lrs, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer; of scale_fn what an object keeps, since a lambda has no name."""
        custom = self._scale_fn_custom
        kept = None if custom is None or isinstance(custom, types.FunctionType) else dict(vars(custom))
        return last(super().state_dict(), _scale_fn_custom=kept)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a state_dict."""
        super().load_state_dict({key: value for key, value in state_dict.items() if key != "_scale_fn_custom"})
        if state_dict["_scale_fn_custom"] is not None:
            vars(self._scale_fn_custom).update(state_dict["_scale_fn_custom"])


def phase(end: float, start_lr: str, end_lr: str, start_momentum: str, end_momentum: str) -> dict[str, Any]:
    """A phase of OneCycleLR: up to which step, and between which of a group's settings."""
    return {"end_step": end, "start_lr": start_lr, "end_lr": end_lr, "start_momentum": start_momentum,
            "end_momentum": end_momentum}  # fmt: skip


def whole_and_positive(**given: Any) -> None:
    """ValueError for what is no number of steps."""
    for name, value in given.items():
        if not isinstance(value, int) or value <= 0:
            raise ValueError(f"Expected positive integer {name}, but got {value}")


class OneCycleLR(LRScheduler):
    """Up to max_lr and down to almost nothing, once, the momentum the other way round (Smith, Topin 2019;
    torch.optim.lr_scheduler.OneCycleLR). A step here is one of the optimizer's, not an epoch."""

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
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        if total_steps is not None:
            whole_and_positive(total_steps=total_steps)
        elif epochs is not None and steps_per_epoch is not None:
            whole_and_positive(epochs=epochs, steps_per_epoch=steps_per_epoch)
            total_steps = epochs * steps_per_epoch
        else:
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        self.total_steps = total_steps
        rise, end = float(pct_start * total_steps) - 1, total_steps - 1
        self._schedule_phases = [phase(rise, "initial_lr", "max_lr", "max_momentum", "base_momentum")]
        if three_phase:  # down as fast as it went up, and then on to almost nothing
            fall = float(2 * pct_start * total_steps) - 2
            self._schedule_phases += [phase(fall, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
                                      phase(end, "initial_lr", "min_lr", "max_momentum", "max_momentum")]  # fmt: skip
        else:
            self._schedule_phases += [phase(end, "max_lr", "min_lr", "base_momentum", "max_momentum")]
        if not 0 <= pct_start <= 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type, self.cycle_momentum = anneal_strategy, cycle_momentum
        groups = optimizer.param_groups
        highest = one_each("max_lr", max_lr, len(groups))
        for group, top in zip(groups if last_epoch == -1 else (), highest, strict=False):
            start = top / div_factor
            group.update(initial_lr=start, max_lr=top, min_lr=start / final_div_factor)
        if cycle_momentum:
            check_momentum(optimizer)
            self.use_beta1 = "betas" in optimizer.defaults
            most = one_each("max_momentum", max_momentum, len(groups))
            least = one_each("base_momentum", base_momentum, len(groups))
            for group, top, base in zip(groups if last_epoch == -1 else (), most, least, strict=False):
                set_momentum(group, top)
                group.update(max_momentum=top, base_momentum=base)
        super().__init__(optimizer, last_epoch)

    def _anneal_between(self, start: float, end: float, share: float) -> float:
        """So much of the way, along half a cosine or straight."""
        if self._anneal_func_type == "linear":
            return (end - start) * share + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)

    @only_within_a_step
    def get_lr(self) -> list[float]:
        """Where this step is on its phase's way; the momentum is set at once."""
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        begins, (now, *later) = 0.0, self._schedule_phases
        while later and step > now["end_step"]:
            begins, (now, *later) = now["end_step"], later
        share = (step - begins) / (now["end_step"] - begins)
        for group in self.optimizer.param_groups:
            if self.cycle_momentum:
                set_momentum(
                    group, self._anneal_between(group[now["start_momentum"]], group[now["end_momentum"]], share)
                )
        return [
            self._anneal_between(group[now["start_lr"]], group[now["end_lr"]], share)
            for group in self.optimizer.param_groups
        ]
