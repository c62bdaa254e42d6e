"""Averages of a model's weights over training: equal weights (SWA, Izmailov et al. 2018) or falling ones (EMA).

torch.optim.swa_utils.
"""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any

from ..autograd.grad_mode import no_grad
from ..creation import tensor
from ..dtypes import int64
from ..errors import refusing
from ..nn.module import Module
from ..nn.norm import _BatchNorm
from ..tensor import Tensor
from .cyclic import one_each
from .lr_scheduler import LRScheduler, only_within_a_step

__all__ = [
    "AveragedModel", "SWALR", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn", "update_bn",
]  # fmt: skip

__getattr__ = refusing(__name__)


def check_decay(decay: float) -> None:
    """ValueError for what is not from 0 to 1."""
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_avg_fn(decay: float = 0.999) -> Callable[[Tensor, Tensor, Any], Tensor]:
    """A function for AveragedModel: decay · average + (1 - decay) · current (torch.optim.swa_utils.get_ema_avg_fn)."""
    check_decay(decay)

    @no_grad()
    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Callable[[Tensor, Tensor, Any], Tensor]:
    """A function for AveragedModel: every model counts the same (torch.optim.swa_utils.get_swa_avg_fn)."""

    @no_grad()
    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[[list[Tensor], list[Tensor], Any], None]:
    """get_ema_avg_fn for lists of tensors, in place (torch.optim.swa_utils.get_ema_multi_avg_fn)."""
    check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list: list[Tensor], current_param_list: list[Tensor], _: Any) -> None:
        for average, current in zip(ema_param_list, current_param_list, strict=True):
            if average.is_floating_point():
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(average * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Callable[[list[Tensor], list[Tensor], Any], None]:
    """get_swa_avg_fn for lists of tensors, in place (torch.optim.swa_utils.get_swa_multi_avg_fn)."""

    @no_grad()
    def swa_update(averaged_param_list: list[Tensor], current_param_list: list[Tensor], num_averaged: Any) -> None:
        share = 1 / (num_averaged + 1)
        for average, current in zip(averaged_param_list, current_param_list, strict=True):
            if average.is_floating_point():
                average.lerp_(current, float(share))
            else:
                average.addcdiv_(current - average, num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """A copy of a model whose parameters are the averages of the model's so far (torch.optim.swa_utils.AveragedModel).

    avg_fn(average, current, count) → the new average; multi_avg_fn does so for lists, in place; without both, all count the
    same. use_buffers: buffers are averaged, too, instead of copied.
    """

    n_averaged: Tensor
    module: Any

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Callable[[Tensor, Tensor, Any], Tensor] | None = None,
        multi_avg_fn: Callable[[list[Tensor], list[Tensor], Any], None] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=int64, device=device))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the averaged model gives."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Take the present parameters of the model into the average; the first ones are the average."""
        averages = [each.detach() for each in self._learnt_tensors(self.module)]
        current = [p.detach().to(a.device) for a, p in zip(averages, self._learnt_tensors(model), strict=False)]
        if self.n_averaged.item() == 0:
            for average, present in zip(averages, current, strict=False):
                average.copy_(present)
        elif self.multi_avg_fn is not None or self.avg_fn is None:
            for kind in dict.fromkeys((a.device, a.dtype) for a in averages):
                pairs = [(a, p) for a, p in zip(averages, current, strict=True) if (a.device, a.dtype) == kind]
                update = self.multi_avg_fn or get_swa_multi_avg_fn()
                update([a for a, _ in pairs], [p for _, p in pairs], self.n_averaged.to(kind[0]))
        else:
            for average, present in zip(averages, current, strict=True):
                average.copy_(self.avg_fn(average, present, self.n_averaged.to(average.device)))
        if not self.use_buffers:
            for own, theirs in zip(self.module.buffers(), model.buffers(), strict=True):
                own.detach().copy_(theirs.detach().to(own.device))
        self.n_averaged += 1

    def _learnt_tensors(self, model: Module) -> Iterable[Tensor]:
        """What of a model is averaged."""
        return itertools.chain(model.parameters(), model.buffers()) if self.use_buffers else model.parameters()


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """The running statistics of BatchNorm modules computed anew, over all of a loader (torch.optim.swa_utils.update_bn).

    loader: of batches, or of lists whose first element is one.
    """
    momenta: dict[Any, Any] = {}
    for module in model.modules():
        if isinstance(module, _BatchNorm):
            module.reset_running_stats()
            momenta[module] = module.momentum
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.momentum = None
    with no_grad():  # no decorator: it would be called on import, and no_grad may be a learner's and not written yet
        for batch in loader:
            given = batch[0] if isinstance(batch, list | tuple) else batch
            model(given if device is None else given.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


ANNEALING: dict[str, Callable[[float], float]] = {
    "cos": lambda t: (1 - math.cos(math.pi * t)) / 2,
    "linear": lambda t: t,
}


class SWALR(LRScheduler):
    """From the present learning rates to swa_lr in anneal_epochs epochs, then constant (torch.optim.swa_utils.SWALR)."""

    def __init__(
        self,
        optimizer: Any,
        swa_lr: Any,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        rates = one_each("swa_lr", swa_lr, len(optimizer.param_groups))
        for rate, group in zip(rates, optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ANNEALING:
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    @only_within_a_step
    def get_lr(self) -> list[Any]:
        """The way from where the annealing began, which is worked out from the present rates."""
        anneal, epochs = ANNEALING[self._anneal_strategy], max(1, self.anneal_epochs)
        step = self._step_count - 1 if self.anneal_epochs else max(1, self._step_count - 1)
        before = anneal(max(0, min(1, (step - 1) / epochs)))
        now = anneal(max(0, min(1, step / epochs)))
        rates = []
        for group in self.optimizer.param_groups:
            lr, goal = group["lr"], group["swa_lr"]
            start = goal if before == 1 else (lr - before * goal) / (1 - before)
            rates.append(goal * now + start * (1 - now))
        return rates
