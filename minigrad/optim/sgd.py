"""Stochastic gradient descent: `SGD.step` is the whole idea in four lines; `_move_parameter` adds momentum and weight decay."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from ..autograd.grad_mode import no_grad
from ..backend import in_silence
from ..ops.arithmetic import whole_factor
from ..ops.inplace import check_memory, check_writable, put
from ..ops.promotion import PLAIN
from ..tensor import Tensor, from_array
from .optimizer import Optimizer, alike, check, evaluated, implementation, negative, unwritten, wants_grad
from .own_names import unhidden


def for_one_plain_group(step: Callable[[Any], None]) -> Callable[..., Any]:
    """`step` where the optimizer has one group, which asks for a learning rate alone; all else is Optimizer.step's.

    It is asked at every step: settings may be changed by hand, by a schedule or by a state_dict.
    """

    @functools.wraps(step)
    def call(self: Any, closure: Callable[[], Any] | None = None) -> Any:
        group, *others = self.param_groups
        if (
            others
            or group["momentum"]
            or group["weight_decay"]
            or group["maximize"]
            or self.defaults.get("differentiable")
            or isinstance(group["lr"], Tensor)
            or any(p._data.dtype.kind != "f" for p in group["params"])
        ):
            return Optimizer.step(self, closure)
        loss = evaluated(closure)
        in_silence(step, unhidden(self))
        return loss

    return call


def update_arrays(
    p: Tensor,
    grad: Any,
    state: dict[str, Any],
    nesterov: bool,
    lr: float,
    momentum: float,
    dampening: float,
    decay: float,
) -> None:
    """SGD._move_parameter where nothing is recorded and all settings are numbers: the same operations straight on the arrays."""
    check_writable(p)
    check_memory(p)
    if decay:
        grad = grad + decay * p._data
    if momentum:
        buffer = state.get("momentum_buffer")
        if buffer is None:
            buffer = state["momentum_buffer"] = from_array(grad).clone()
        else:
            put(buffer, buffer._data * momentum + (grad if dampening == 0 else grad * (1 - dampening)))
        grad = grad + momentum * buffer._data if nesterov else buffer._data
    put(p, p._data - lr * grad)


class SGD(Optimizer):
    """Stochastic gradient descent: p ← p - lr · p.grad (torch.optim.SGD).

    With momentum μ and dampening τ, v ← μ v + (1 - τ) g takes the gradient's place (nesterov: g + μ v); weight decay λ
    makes the gradient g + λ p. Source: Sutskever et al. (2013), in the form torch gives it: lr multiplies the momentum,
    not the gradient alone.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        **unused: Any,
    ) -> None:
        check(negative, lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        settings = {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
        super().__init__(
            params, settings | {"nesterov": nesterov, "maximize": maximize} | implementation(type(self), unused)
        )

    @for_one_plain_group
    def step(self) -> None:
        """Move every parameter one step against its gradient, leaving it the leaf it was.

        p ← p - lr · p.grad for each p in self.params whose grad is not None; no graph is recorded.
        Example: p = [1.0], p.grad = [4.0], lr = 0.1 → p = [0.6], p.is_leaf stays True.
        """
        with no_grad():
            for p in self.params:
                if p.grad is not None:
                    p -= self.lr * p.grad

    def _move_parameter(self, p: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
        """p ← p - lr · direction."""
        lr, momentum = group["lr"], group["momentum"]
        numbers = (lr, momentum, group["dampening"], group["weight_decay"])
        plain = PLAIN.issuperset(map(type, numbers)) and grad._data.dtype.char in "fd" and not group["differentiable"]
        if plain and alike(p, grad, state.get("momentum_buffer")):
            return update_arrays(p, grad._data, state, group["nesterov"], *numbers)
        if p._data.dtype.kind != "f":
            for factor in (group["weight_decay"] or 0, lr.item() if isinstance(lr, Tensor) else lr):
                whole_factor("alpha", factor, p, grad)
        if group["weight_decay"]:
            grad = grad + group["weight_decay"] * unwritten(p, group["weight_decay"])
        if momentum:
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = grad.detach().clone()
            else:
                buffer.mul_(momentum).add_(grad if group["dampening"] == 0 else grad * (1 - group["dampening"]))
            grad = grad + momentum * buffer if group["nesterov"] else buffer
        if wants_grad(group["lr"]):
            p.addcmul_(grad, -group["lr"])
        elif group["differentiable"]:
            p.add_(grad, alpha=-group["lr"])  # one node, as torch records it
        else:
            p -= group["lr"] * grad
