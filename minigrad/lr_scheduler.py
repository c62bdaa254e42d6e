"""Learning-rate schedules: after every epoch they set the `lr` of an optimiser's groups (torch.optim.lr_scheduler).

They know an optimiser only by its `param_groups` and its `step`.
"""

from __future__ import annotations

import math
import warnings
import weakref
from typing import Any


class LRScheduler:
    """Base: step() counts an epoch and sets every group's lr to what get_lr() says."""

    def __init__(self, optimizer: Any, last_epoch: int = -1) -> None:
        if not hasattr(optimizer, "param_groups"):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with "
                    "last_epoch >= 0."
                )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._step_count = 0
        self._is_initial = True
        _notice_steps(optimizer)
        self.step()
        self._is_initial = False

    def get_lr(self) -> list[float]:
        """The learning rates of the epoch that begins, one for each group; they may build on the present ones."""
        raise NotImplementedError

    def get_last_lr(self) -> list[float]:
        """The learning rates set last."""
        return self._last_lr

    def step(self) -> None:
        """One epoch is over: set the next learning rates. To be called after the optimiser's step()."""
        if self._step_count == 1 and not getattr(self.optimizer, "_opt_called", False):
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
                "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure "
                "to do this will result in PyTorch skipping the first value of the learning rate schedule. See more "
                "details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate",
                UserWarning,
                stacklevel=2,
            )
        self._step_count += 1
        self.last_epoch += 1
        for group, lr in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            group["lr"] = lr
        self._last_lr = self._present()

    def _present(self) -> list[float]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimiser."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a state_dict."""
        self.__dict__.update(state_dict)


def _notice_steps(optimizer: Any) -> None:
    """Let an optimiser remember that step() was called, whichever step its class has by then."""
    if "step" in vars(optimizer):
        return
    reference = weakref.ref(optimizer)

    def step(*args: Any, **kwargs: Any) -> Any:
        owner = reference()
        assert owner is not None
        owner._opt_called = True
        return type(owner).step(owner, *args, **kwargs)

    optimizer.step = step


class StepLR(LRScheduler):
    """lr · gamma every step_size epochs (torch.optim.lr_scheduler.StepLR)."""

    def __init__(self, optimizer: Any, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The present ones, times gamma when a period is full."""
        full = self.last_epoch and self.last_epoch % self.step_size == 0
        return [lr * self.gamma for lr in self._present()] if full else self._present()


class CosineAnnealingLR(LRScheduler):
    """Down to eta_min in T_max epochs along half a cosine, and up again (Loshchilov, Hutter 2017;
    torch.optim.lr_scheduler.CosineAnnealingLR)."""

    def __init__(self, optimizer: Any, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """From the present ones, so that other changes to lr keep their effect, as in torch."""
        lowest, epoch, period = self.eta_min, self.last_epoch, self.T_max
        if self._is_initial:
            return self._present()
        if self._step_count == 1 and epoch > 0:
            return [lowest + (base - lowest) * (1 + math.cos(epoch * math.pi / period)) / 2 for base in self.base_lrs]
        if (epoch - 1 - period) % (2 * period) == 0:  # the step up from the lowest point, where the quotient is 0 / 0
            rise = (1 - math.cos(math.pi / period)) / 2
            return [lr + (base - lowest) * rise for lr, base in zip(self._present(), self.base_lrs, strict=True)]
        quotient = (1 + math.cos(math.pi * epoch / period)) / (1 + math.cos(math.pi * (epoch - 1) / period))
        return [quotient * (lr - lowest) + lowest for lr in self._present()]
