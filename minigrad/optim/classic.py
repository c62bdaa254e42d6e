"""Two optimizers from before deep learning: Rprop, which looks at the signs of gradients alone, and averaged SGD.

Like adaptive.py they say only what happens to one parameter (`update`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..creation import as_tensor, tensor
from ..ranges import full_like, zeros_like
from ..tensor import Tensor
from .optimizer import CAPTURING, Optimizer, check, implementation, not_from_0_on


def as_number(setting: Any) -> float:
    """A setting that may be a tensor as a number."""
    return setting.item() if isinstance(setting, Tensor) else setting


class Rprop(Optimizer):
    """Every entry has a step size of its own, which grows while the gradient's sign stays and shrinks when it turns
    (Riedmiller, Braun 1993; torch.optim.Rprop).

    s ← s · η⁺ where g · g' > 0, s · η⁻ where g · g' < 0 (and g ← 0 there), within step_sizes; p ← p - s · sign(g).
    """

    _numbers = ("step",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        maximize: bool = False,
        **unused: Any,
    ) -> None:
        check(not_from_0_on, lr=lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        settings: dict[str, Any] = {"lr": lr, "etas": etas, "step_sizes": step_sizes}
        known = {"foreach": None, "maximize": maximize, "differentiable": False, "capturable": False}
        super().__init__(params, settings | implementation(type(self), unused, known))

    def _move_parameter(self, p: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
        """One step of one parameter."""
        shrink, grow = group["etas"]
        if not state:
            state.update(step=tensor(0.0), prev=zeros_like(p), step_size=full_like(grad, as_number(group["lr"])))
        state["step"] += 1
        before = state["prev"].clone() if group["differentiable"] else state["prev"]
        factor = grad.mul(before).sign()
        turned = factor < 0
        factor[factor > 0] = grow
        factor[turned] = shrink
        factor[factor == 0] = 1
        size = state["step_size"].mul_(factor).clamp_(*group["step_sizes"])
        grad = grad.clone()
        grad[turned] = 0
        p.addcmul_(grad.sign(), size, value=-1)
        state["prev"].copy_(grad)


class ASGD(Optimizer):
    """SGD with slowly falling steps, which also keeps the average of where it has been, `ax` in its state (Polyak, Juditsky
    1992; torch.optim.ASGD).

    p ← (1 - λη) p - η g,  ā ← ā + μ (p - ā),  η ← lr / (1 + λ lr t)^α,  μ ← 1 / max(1, t - t₀).
    """

    _capturable_words = ("params, mus, etas, and state_steps", CAPTURING)
    _numbers = ("step", "eta", "mu")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check(not_from_0_on, lr=lr, weight_decay=weight_decay)
        settings: dict[str, Any] = {"lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay}
        settings |= {"foreach": foreach, "maximize": maximize, "differentiable": differentiable}
        super().__init__(params, settings | {"capturable": capturable})

    def _move_parameter(self, p: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
        """One step of one parameter."""
        lr, decay = group["lr"], group["lambd"]
        if not state:
            state.update(step=tensor(0.0), eta=tensor(float(as_number(lr))), mu=tensor(1.0), ax=zeros_like(p))
        state["step"] += 1
        if group["weight_decay"]:
            grad = grad.add(p, alpha=group["weight_decay"])
        eta, mean, step = state["eta"].item(), state["ax"], state["step"].item()
        count = state["step"] if group["foreach"] else step  # as torch has it: in single precision where it is a tensor
        p.mul_(1 - decay * eta)
        p.add_(grad, alpha=-eta)
        if state["mu"].item() == 1:
            mean.copy_(p)
        else:
            mean.add_(p.sub(mean).mul_(state["mu"]))
        # By way of a tensor, which rounds them to the default dtype even where loaded states are in another.
        state["eta"].copy_(as_tensor(lr / (1 + decay * lr * count) ** group["alpha"]))
        state["mu"].copy_(tensor(1 / max(1, step - group["t0"])))
