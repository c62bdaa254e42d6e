"""Relatives of Adam: Adadelta before it, Adamax, NAdam and RAdam after it.

Like adaptive.py they say only what happens to one parameter (`update`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..creation import tensor
from ..ranges import zeros_like
from ..tensor import Tensor
from .adaptive import check_moments, decayed, moments
from .optimizer import CAPTURING, Optimizer, check, implementation, not_from_0_on


class Adadelta(Optimizer):
    """Steps scaled by the ratio of past steps to past gradients (Zeiler 2012; torch.optim.Adadelta).

    v ← ρ v + (1 - ρ) g²,  Δ = g · √(u + ε) / √(v + ε),  u ← ρ u + (1 - ρ) Δ²,  p ← p - lr · Δ.
    """

    _capturable_words = ("params and state_steps", CAPTURING[:-1])
    _numbers = ("step",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        **unused: Any,
    ) -> None:
        check(not_from_0_on, lr=lr)
        check(lambda value: not 0.0 <= value <= 1.0, rho=rho)
        check(not_from_0_on, eps=eps, weight_decay=weight_decay)
        settings = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        chosen = implementation(type(self), unused, {"capturable": False, "foreach": foreach, "differentiable": False})
        super().__init__(params, settings | chosen)

    def _move_parameter(self, p: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
        """One step of one parameter."""
        rho, eps = group["rho"], group["eps"]
        if not state:
            state.update(step=tensor(0.0), square_avg=zeros_like(p), acc_delta=zeros_like(p))
        state["step"] += 1
        grad = decayed(p, grad, group)
        square = state["square_avg"].mul_(rho).addcmul_(grad, grad, value=1 - rho)
        step = (state["acc_delta"] + eps).sqrt() / (square + eps).sqrt() * grad
        state["acc_delta"].mul_(rho).addcmul_(step, step, value=1 - rho)
        p.add_(step, alpha=-group["lr"])


class Adamax(Optimizer):
    """Adam with the largest past gradient in place of the root of their mean square (Kingma, Ba 2015;
    torch.optim.Adamax).

    m ← β₁ m + (1 - β₁) g,  u ← max(β₂ u, |g| + ε),  p ← p - lr · m̂ / u.
    """

    _numbers = ("step",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        **unused: Any,
    ) -> None:
        check_moments(lr, betas, eps, weight_decay)
        settings = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        known = {"foreach": foreach, "maximize": maximize, "differentiable": False, "capturable": False}
        super().__init__(params, settings | implementation(type(self), unused, known))

    def _move_parameter(self, p: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
        """One step of one parameter."""
        beta1, beta2 = group["betas"]
        if not state:
            state.update(step=tensor(0.0), exp_avg=zeros_like(p), exp_inf=zeros_like(p))
        state["step"] += 1
        grad = decayed(p, grad, group)
        mean = state["exp_avg"].lerp_(grad, 1 - beta1)
        largest = state["exp_inf"].mul_(beta2)
        largest.copy_(largest.maximum(grad.abs() + group["eps"]))
        p.addcdiv_(mean, largest, value=-group["lr"] / (1 - beta1 ** state["step"].item()))


class NAdam(Optimizer):
    """Adam that looks one step ahead, as Nesterov's momentum does (Dozat 2016; torch.optim.NAdam).

    μ_t = β₁ (1 - 0.96^(t · momentum_decay) / 2) is the momentum of step t; the step joins the gradient, with 1 - μ_t, and
    the mean of the gradients, with μ_{t+1}, each freed from its start at 0.
    """

    _capturable_words = ("params, mu_products and state_steps", CAPTURING)
    _numbers = ("step", "mu_product")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
        **unused: Any,
    ) -> None:
        check_moments(lr, betas, eps, weight_decay)
        check(not_from_0_on, momentum_decay=momentum_decay)
        settings = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        settings |= {"momentum_decay": momentum_decay, "decoupled_weight_decay": decoupled_weight_decay}
        known = {"maximize": maximize, "foreach": None, "capturable": False, "differentiable": False}
        super().__init__(params, settings | implementation(type(self), unused, known))

    def _move_parameter(self, p: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
        """One step of one parameter."""
        lr, (beta1, beta2) = group["lr"], group["betas"]
        if not state:
            state.update(step=tensor(0.0), mu_product=tensor(1.0))
        grad = decayed(p, grad, group)
        step, mean, square = moments(p, grad, group, state)
        mu, ahead = (beta1 * (1.0 - 0.5 * 0.96 ** (t * group["momentum_decay"])) for t in (step, step + 1))
        state["mu_product"] *= mu
        product = state["mu_product"].item()
        scale = (square / (1 - beta2**step)).sqrt() + group["eps"]
        p.addcdiv_(grad, scale, value=-lr * (1.0 - mu) / (1.0 - product))
        p.addcdiv_(mean, scale, value=-lr * ahead / (1.0 - product * ahead))


class RAdam(Optimizer):
    """Adam whose first steps are not scaled, while too few squares are known (Liu et al. 2020; torch.optim.RAdam).

    ρ_t, how many of them the mean of squares represents, grows towards ρ_∞ = 2 / (1 - β₂) - 1; above 5 the step is Adam's
    times a factor that grows to 1.
    """

    _numbers = ("step",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
        **unused: Any,
    ) -> None:
        check_moments(lr, betas, eps, weight_decay)
        settings = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        known = {"foreach": None, "capturable": False, "decoupled_weight_decay": decoupled_weight_decay}
        super().__init__(params, settings | implementation(type(self), unused, known | {"differentiable": False}))

    def _move_parameter(self, p: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
        """One step of one parameter."""
        beta1, beta2 = group["betas"]
        if not state:
            state.update(step=tensor(0.0))
        step, mean, square = moments(p, decayed(p, grad, group), group, state)
        known = 1 - beta2**step
        move = mean / (1 - beta1**step) * group["lr"]
        most = 2 / (1 - beta2) - 1
        rho = most - 2 * step * beta2**step / known
        if rho > 5.0:
            factor = ((rho - 4) * (rho - 2) * most / ((most - 4) * (most - 2) * rho)) ** 0.5
            move = move * (known**0.5 / (square.sqrt() + group["eps"])) * factor
        p.sub_(move)
