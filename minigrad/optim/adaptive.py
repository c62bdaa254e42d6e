"""Optimizers that scale every entry of a gradient by what its past gradients were: Adam, AdamW, RMSprop, Adagrad.

They say only what happens to one parameter (`update`); groups, closures and state are Optimizer's business.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..backend import array_module
from ..creation import tensor
from ..ops.arithmetic import whole_factor
from ..ops.binary import addcdiv_op, addcmul_op, lerp_scalar_op
from ..ops.inplace import check_memory, check_writable, put
from ..ops.promotion import PLAIN
from ..ranges import zeros_like
from ..tensor import Tensor
from .optimizer import Optimizer, alike, check, implementation, not_from_0_on, scalar, unwritten, wants_grad
from .own_names import unhidden


def check_moments(lr: Any, betas: tuple[Any, Any], eps: float, weight_decay: float) -> None:
    """ValueError, in torch's order, for a setting of Adam and its relatives."""
    check(not_from_0_on, lr=lr, eps=eps)
    for i in range(2):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")
    check(not_from_0_on, weight_decay=weight_decay)


def check_tensor_betas(betas: tuple[Any, ...], refused: bool) -> None:
    """ValueError for a number beside a tensor, and for tensors where they are refused or have several elements."""
    if not any(all(isinstance(beta, kind) for beta in betas) for kind in (float, Tensor)):
        raise ValueError("betas must be either both floats or both Tensors")
    for i, beta in enumerate(betas if isinstance(betas[0], Tensor) else ()):
        if refused:
            raise ValueError(f"betas[{i}] as a Tensor is not supported for capturable=False and foreach=True")
        if beta.numel() != 1:
            raise ValueError(f"Tensor betas[{i}] must be 1-element")


def decayed(p: Tensor, grad: Tensor, group: dict[str, Any]) -> Tensor:
    """The gradient with weight decay; where that is decoupled the parameter shrinks instead."""
    decay = group["weight_decay"]
    if decay and group.get("decoupled_weight_decay"):
        p.mul_(1 - group["lr"] * decay)
    elif decay:
        whole_factor("alpha", decay, p, grad)
        grad = grad + decay * unwritten(p, decay)
    return grad


def moments(p: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> tuple[float, Tensor, Tensor]:
    """The number of this step, and the running means of the gradient and of its square, brought up to it."""
    beta1, beta2 = group["betas"]
    if "exp_avg" not in state:
        state.update(exp_avg=zeros_like(p), exp_avg_sq=zeros_like(p))
    state["step"] += 1
    mean = state["exp_avg"].lerp_(grad, 1 - beta1)
    square = state["exp_avg_sq"]
    if wants_grad(beta2):
        square.lerp_(grad.square(), 1 - beta2)
    else:
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    if group["differentiable"]:  # the graph keeps the mean, and the next step writes to it
        mean = mean.clone()
    return state["step"].item(), mean, square


def update_arrays(
    p: Tensor, grad: Tensor, state: dict[str, Any], decoupled: bool, lr: float, eps: float, decay: float, beta1: float,
    beta2: float,
) -> None:  # fmt: skip
    """Adam.update where nothing is recorded and all settings are numbers, by far the most frequent case: the same
    operations in the same order, straight on the arrays, in less than half of the time."""
    mean, square, g = state["exp_avg"], state["exp_avg_sq"], grad._data
    check_writable(p)
    check_memory(p)
    state["step"].add_array_(1)
    step = state["step"].item()
    if decay and decoupled:
        put(p, p._data * (1 - lr * decay))
    elif decay:
        g = g + decay * p._data
    put(mean, lerp_scalar_op.forward(mean._data, g, 1 - beta1))
    put(square, square._data * beta2)
    put(square, addcmul_op.forward(square._data, g, g, 1 - beta2))
    scale = array_module(g).sqrt(square._data) / (1 - beta2**step) ** 0.5 + eps
    put(p, addcdiv_op.forward(p._data, mean._data, scale, -lr / (1 - beta1**step)))


class Adam(Optimizer):
    """Steps scaled by running means of the gradient and of its square (Kingma, Ba 2015; torch.optim.Adam).

    m ← β₁ m + (1 - β₁) g,  v ← β₂ v + (1 - β₂) g²,  p ← p - lr · m̂ / (√v̂ + ε), with m̂ and v̂ freed from their start
    at 0. weight_decay is added to the gradient; decoupled, it shrinks the parameter instead (AdamW).
    """

    _numbers = ("step",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        decoupled_weight_decay: bool = False,
        **unused: Any,
    ) -> None:
        numbers_alone = bool(unused.get("foreach")) and not unused.get("capturable")
        if isinstance(lr, Tensor) and numbers_alone:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        check_moments(lr, betas, eps, weight_decay)
        check_tensor_betas(betas, numbers_alone)
        settings = {"lr": lr, "betas": tuple(map(scalar, betas)), "eps": eps, "weight_decay": weight_decay}
        settings |= {"amsgrad": amsgrad}
        known = {"foreach": None, "capturable": False, "differentiable": False, "fused": None}
        settings |= {"maximize": maximize} | implementation(type(self), unused, known)
        super().__init__(params, settings | {"decoupled_weight_decay": decoupled_weight_decay})

    def _move_parameter(self, p: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
        """One step of one parameter."""
        beta1, beta2 = group["betas"]
        if not state:
            state.update(step=tensor(0.0), exp_avg=zeros_like(p), exp_avg_sq=zeros_like(p))
        numbers = (group["lr"], group["eps"], group["weight_decay"], beta1, beta2)
        plain = PLAIN.issuperset(map(type, numbers)) and grad._data.dtype.kind == "f"
        plain = plain and not (group["amsgrad"] or group["differentiable"])
        if plain and alike(p, grad, state.get("exp_avg"), state.get("exp_avg_sq")):
            return update_arrays(p, grad, state, group["decoupled_weight_decay"], *numbers)
        step, mean, square = moments(p, decayed(p, grad, group), group, state)
        if group["amsgrad"]:
            if "max_exp_avg_sq" not in state:
                state["max_exp_avg_sq"] = zeros_like(p)
            square = state["max_exp_avg_sq"]
            square.copy_(square.maximum(state["exp_avg_sq"]))
        scale = square.sqrt() / (1 - beta2**step) ** 0.5 + group["eps"]
        factor = -group["lr"] / (1 - beta1**step)
        if wants_grad(factor):
            p.addcdiv_(mean, scale / factor)
        else:
            p.addcdiv_(mean, scale, value=factor)


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameters directly (Loshchilov, Hutter 2019; torch.optim.AdamW)."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        **unused: Any,
    ) -> None:
        fixed = {"maximize": maximize, "decoupled_weight_decay": True}
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **fixed, **unused)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over a state, Adam's too, with the decay that is AdamW's own."""
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True


class RMSprop(Optimizer):
    """Steps scaled by a running mean of the squared gradient (Hinton 2012; torch.optim.RMSprop).

    v ← α v + (1 - α) g²,  p ← p - lr · g / (√v + ε). centered: v without the square of the running mean of g, so that it
    is the variance. With momentum the quotients are gathered, b ← μ b + g / (√v + ε), and p ← p - lr · b.
    """

    _numbers = ("step",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        *,
        maximize: bool = False,
        **unused: Any,
    ) -> None:
        check(not_from_0_on, lr=lr, eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        settings: dict[str, Any] = {"lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered}
        known = {"capturable": False, "foreach": None, "maximize": maximize, "differentiable": False}
        settings |= {"weight_decay": weight_decay}
        super().__init__(params, settings | implementation(type(self), unused, known))

    def _move_parameter(self, p: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
        """One step of one parameter."""
        alpha, momentum = group["alpha"], group["momentum"]
        if not state:
            state.update(step=tensor(0.0), square_avg=zeros_like(p))
            if momentum:
                state["momentum_buffer"] = zeros_like(p)
            if group["centered"]:
                state["grad_avg"] = zeros_like(p)
        state["step"] += 1
        grad = decayed(p, grad, group)
        square = state["square_avg"].mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        if group["centered"]:
            mean = state["grad_avg"].lerp_(grad, 1 - alpha)
            square = square.addcmul(mean, mean, value=-1)
        scale = square.sqrt() + group["eps"]
        if momentum:
            p.add_(state["momentum_buffer"].mul_(momentum).addcdiv_(grad, scale), alpha=-group["lr"])
        else:
            p.addcdiv_(grad, scale, value=-group["lr"])


class Adagrad(Optimizer):
    """Steps scaled by the sum of all squared gradients so far (Duchi, Hazan, Singer 2011; torch.optim.Adagrad).

    s ← s + g²,  p ← p - lr / (1 + (t - 1) · lr_decay) · g / (√s + ε) at step t.
    """

    _numbers = ("step",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
        **unused: Any,
    ) -> None:
        start = {"initial_accumulator_value": initial_accumulator_value}
        check(not_from_0_on, lr=lr, lr_decay=lr_decay, weight_decay=weight_decay, **start, eps=eps)
        settings = {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay} | start
        known = {"foreach": None, "maximize": maximize, "differentiable": False, "fused": None}
        super().__init__(params, settings | implementation(type(self), unused, known))
        for p in unhidden(self).params:
            self.state[p].update(step=tensor(0.0), sum=zeros_like(p) + initial_accumulator_value)

    def _move_parameter(self, p: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
        """One step of one parameter."""
        state["step"] += 1
        grad = decayed(p, grad, group)
        total = state["sum"].addcmul_(grad, grad)
        lr = group["lr"] / (1 + (state["step"].item() - 1) * group["lr_decay"])
        p.addcdiv_(grad, total.sqrt() + group["eps"], value=-lr)
