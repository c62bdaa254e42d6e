"""Learning-rate schedules: after every epoch they set the `lr` of an optimizer's groups (torch.optim.lr_scheduler).

They know an optimizer only by its `param_groups` and the hooks of its `step`.
"""

from __future__ import annotations

import functools
import math
import types
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from ..errors import refusing, warn
from .optimizer import check_optimizer, set_rate, step_hooks, unshared

__all__ = [
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR",
    "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "OneCycleLR", "PolynomialLR",
    "ReduceLROnPlateau", "SequentialLR", "StepLR",
]  # fmt: skip


__getattr__ = refusing(__name__)


EPOCH_GIVEN = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed form is "
    "used instead of the new chainable form, where available. Please open an issue if you are unable to replicate your use "
    "case: https://github.com/pytorch/pytorch/issues/new/choose."
)
STEP_TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call them in "
    "the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in PyTorch "
    "skipping the first value of the learning rate schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
STEP_OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, make sure to "
    "call `optimizer.step()` before `lr_scheduler.step()`. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)


class LRScheduler:
    """Base: step() counts an epoch and sets every group's lr to what get_lr() says."""

    _get_lr_called_within_step = False

    def __init__(self, optimizer: Any, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", unshared(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with "
                    "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a checkpoint "
                    "but haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 for a fresh training "
                    "run (not recommended)"
                )
        self.base_lrs = [unshared(group["initial_lr"]) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        before, _ = step_hooks(optimizer)
        if note_step not in before.values():
            before.add(note_step)
        self._initial_step()

    def _initial_step(self) -> None:
        """The step that setting up is, before any of the optimizer's."""
        self._step_count = 0
        self._is_initial = True
        self.step()
        self._is_initial = False

    def get_lr(self) -> list[float]:
        """The learning rates of the epoch that begins, one for each group; they may build on the present ones."""
        raise NotImplementedError

    def _get_closed_form_lr(self) -> list[float]:
        """The learning rates of the epoch from the starting rates alone, where there is a formula for it."""
        return self.get_lr()

    def get_last_lr(self) -> list[float]:
        """The learning rates set last."""
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """One epoch is over: set the next learning rates. To be called after the optimizer's step().

        epoch: the number of the one that begins, which need not be said; with it the rates follow the formula, if any.
        """
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "hooks"):
                warn(STEP_OVERRIDDEN)
            elif not getattr(self.optimizer, "_opt_called", False):
                warn(STEP_TOO_EARLY)
        self._step_count += 1
        if epoch is not None:
            warn(EPOCH_GIVEN)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self._set_rates(self._ask_rates(self.get_lr if epoch is None else self._get_closed_form_lr))

    def _ask_rates(self, question: Callable[[], list[float]]) -> list[float]:
        """What get_lr, or _get_closed_form_lr, says, asked as a step asks."""
        self._get_lr_called_within_step = True
        try:
            return question()
        finally:
            self._get_lr_called_within_step = False

    def _set_rates(self, rates: list[float]) -> None:
        """Give the groups their learning rates."""
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            set_rate(group, lr)
        self._last_lr = self._present_rates()

    def _begin_again(self) -> None:
        """Start at epoch 0, whatever the groups' learning rates are by now."""
        self.last_epoch = 0
        self._set_rates(self._ask_rates(self._get_closed_form_lr))

    def _present_rates(self) -> list[float]:
        return [unshared(group["lr"]) for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a state_dict."""
        self.__dict__.update(state_dict)


class _LRScheduler(LRScheduler):
    """What LRScheduler was called once; older programs derive theirs from it."""


def last(state: dict[str, Any], **entries: Any) -> dict[str, Any]:
    """A state with other values for some entries, which come last, as torch writes it."""
    return {key: value for key, value in state.items() if key not in entries} | entries


def only_within_a_step(get_lr: Callable[[Any], list[float]]) -> Callable[[Any], list[float]]:
    """`get_lr`, with a warning to those who call it themselves: they mean get_last_lr."""

    @functools.wraps(get_lr)
    def call(self: Any) -> list[float]:
        if not self._get_lr_called_within_step:
            warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.")
        return get_lr(self)

    return call


def note_step(optimizer: Any, args: Any, kwargs: Any) -> None:
    """Let an optimizer remember that step() was called: the hook of its schedules."""
    optimizer._opt_called = True


class StepLR(LRScheduler):
    """lr · gamma every step_size epochs (torch.optim.lr_scheduler.StepLR)."""

    def __init__(self, optimizer: Any, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    @only_within_a_step
    def get_lr(self) -> list[float]:
        """The present ones, times gamma when a period is full."""
        full = self.last_epoch and self.last_epoch % self.step_size == 0
        return [lr * self.gamma for lr in self._present_rates()] if full else self._present_rates()

    def _get_closed_form_lr(self) -> list[float]:
        """base · gamma to the number of full periods."""
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """lr · gamma at every milestone (torch.optim.lr_scheduler.MultiStepLR)."""

    def __init__(self, optimizer: Any, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    @only_within_a_step
    def get_lr(self) -> list[float]:
        """The present ones, times gamma for every milestone that is this epoch."""
        if self.last_epoch not in self.milestones:
            return self._present_rates()
        return [lr * self.gamma ** self.milestones[self.last_epoch] for lr in self._present_rates()]

    def _get_closed_form_lr(self) -> list[float]:
        """base · gamma to the number of milestones passed."""
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """lr · gamma every epoch (torch.optim.lr_scheduler.ExponentialLR)."""

    def __init__(self, optimizer: Any, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    @only_within_a_step
    def get_lr(self) -> list[float]:
        """The present ones, times gamma."""
        return self._present_rates() if self._is_initial else [lr * self.gamma for lr in self._present_rates()]

    def _get_closed_form_lr(self) -> list[float]:
        """base · gamma to the number of epochs."""
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class LambdaLR(LRScheduler):
    """The starting rate times a function of the epoch, one for all groups or one for each
    (torch.optim.lr_scheduler.LambdaLR)."""

    def __init__(
        self, optimizer: Any, lr_lambda: Callable[[int], float] | list[Callable[[int], float]], last_epoch: int = -1
    ) -> None:
        groups = len(optimizer.param_groups)
        given = list(lr_lambda) if isinstance(lr_lambda, list | tuple) else [lr_lambda] * groups
        if len(given) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(given)}")
        self.lr_lambdas = given
        super().__init__(optimizer, last_epoch)

    @only_within_a_step
    def get_lr(self) -> list[float]:
        """base · f(epoch)."""
        return [base * f(self.last_epoch) for f, base in zip(self.lr_lambdas, self.base_lrs, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer; of the functions only what objects among them keep, since lambdas have no name
        by which they could be found again."""
        kept = [None if isinstance(f, types.FunctionType) else dict(vars(f)) for f in self.lr_lambdas]
        return last(super().state_dict(), lr_lambdas=kept)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a state_dict."""
        super().load_state_dict({key: value for key, value in state_dict.items() if key != "lr_lambdas"})
        for f, kept in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=True):
            if kept is not None:
                vars(f).update(kept)


class MultiplicativeLR(LambdaLR):
    """The present rate times a function of the epoch (torch.optim.lr_scheduler.MultiplicativeLR)."""

    def __init__(self, optimizer: Any, lr_lambda: Any, last_epoch: int = -1) -> None:
        for f in lr_lambda if isinstance(lr_lambda, list | tuple) else [lr_lambda]:
            if not callable(f):
                raise TypeError(f"lr_lambda should be a function, but got {type(f).__name__}")
        super().__init__(optimizer, lr_lambda, last_epoch)

    @only_within_a_step
    def get_lr(self) -> list[float]:
        """lr · f(epoch), from the first epoch on."""
        if self._is_initial:
            return self._present_rates()
        return [lr * f(self.last_epoch) for f, lr in zip(self.lr_lambdas, self._present_rates(), strict=True)]


class ConstantLR(LRScheduler):
    """The starting rate times a factor, until total_iters epochs are over (torch.optim.lr_scheduler.ConstantLR)."""

    def __init__(self, optimizer: Any, factor: float = 1 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:
        if not 0 <= factor <= 1:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    @only_within_a_step
    def get_lr(self) -> list[float]:
        """The present ones, but at the first epoch with the factor and at the last without it again."""
        factor = 1.0
        if self.last_epoch == 0:
            factor = self.factor
        elif self.last_epoch == self.total_iters:
            factor = 1.0 / self.factor
        return [lr * factor for lr in self._present_rates()]

    def _get_closed_form_lr(self) -> list[float]:
        """base · factor, and base itself once the epochs are over."""
        factor = self.factor + (self.last_epoch >= self.total_iters) * (1 - self.factor)
        return [base * factor for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """Down to 0 in total_iters epochs, along a power of the share that is left
    (torch.optim.lr_scheduler.PolynomialLR)."""

    def __init__(self, optimizer: Any, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    @only_within_a_step
    def get_lr(self) -> list[float]:
        """From the present ones, so that other changes to lr keep their effect, as in torch."""
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._present_rates()
        left, before = (1.0 - epoch / self.total_iters for epoch in (self.last_epoch, self.last_epoch - 1))
        return [lr * (left / before) ** self.power for lr in self._present_rates()]

    def _get_closed_form_lr(self) -> list[float]:
        """base · what is left of the epochs, to the power."""
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * left**self.power for base in self.base_lrs]


class LinearLR(LRScheduler):
    """From start_factor to end_factor times the starting rate, in equal steps: to warm up
    (torch.optim.lr_scheduler.LinearLR)."""

    def __init__(
        self,
        optimizer: Any,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if not 0 <= end_factor <= 1:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    @only_within_a_step
    def get_lr(self) -> list[float]:
        """From the present ones, so that other changes to lr keep their effect, as in torch."""
        start, rise, epoch, total = (
            self.start_factor,
            self.end_factor - self.start_factor,
            self.last_epoch,
            self.total_iters,
        )
        if epoch == 0:
            return [lr * start for lr in self._present_rates()]
        if self._is_initial or epoch > total:
            return self._present_rates()
        return [lr * (1.0 + rise / (total * start + (epoch - 1) * rise)) for lr in self._present_rates()]

    def _get_closed_form_lr(self) -> list[float]:
        """base · the factor of this epoch."""
        done = min(self.total_iters, self.last_epoch)
        factor = self.start_factor + (self.end_factor - self.start_factor) * done / self.total_iters
        return [base * factor for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """Down to eta_min in T_max epochs along half a cosine, and up again (Loshchilov, Hutter 2017;
    torch.optim.lr_scheduler.CosineAnnealingLR)."""

    def __init__(self, optimizer: Any, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    @only_within_a_step
    def get_lr(self) -> list[float]:
        """From the present ones, so that other changes to lr keep their effect, as in torch."""
        lowest, epoch, period = self.eta_min, self.last_epoch, self.T_max
        if self._is_initial:
            return self._present_rates()
        if self._step_count == 1 and epoch > 0:
            return [lowest + (base - lowest) * (1 + math.cos(epoch * math.pi / period)) / 2 for base in self.base_lrs]
        if (epoch - 1 - period) % (2 * period) == 0:  # the step up from the lowest point, where the quotient is 0 / 0
            rise = (1 - math.cos(math.pi / period)) / 2
            return [lr + (base - lowest) * rise for lr, base in zip(self._present_rates(), self.base_lrs, strict=True)]
        quotient = (1 + math.cos(math.pi * epoch / period)) / (1 + math.cos(math.pi * (epoch - 1) / period))
        return [quotient * (lr - lowest) + lowest for lr in self._present_rates()]

    def _get_closed_form_lr(self) -> list[float]:
        """The half cosine itself."""
        wave = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        return [self.eta_min + (base - self.eta_min) * wave / 2 for base in self.base_lrs]


# What builds on LRScheduler.
from .composite import ChainedScheduler, SequentialLR  # noqa: E402
from .cyclic import CosineAnnealingWarmRestarts, CyclicLR, OneCycleLR  # noqa: E402
from .plateau import ReduceLROnPlateau  # noqa: E402
