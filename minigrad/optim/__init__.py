"""Optimisers: they move parameters against their gradients, in place and unrecorded (torch.optim).

`SGD.step` is the whole idea in four lines. Whatever else is asked for (momentum, weight decay, groups of parameters
with settings of their own) is the business of the classes around it. Those that scale every entry by its own past
gradients stand in adaptive.py, learning-rate schedules in lr_scheduler.py.
"""

from __future__ import annotations

import copy
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from ..autograd.grad_mode import enable_grad, no_grad
from ..errors import refusing
from ..tensor import Tensor

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]

# Settings of torch that choose among its implementations; kept so that groups and repr are the same.
UNUSED = {"foreach": None, "differentiable": False, "fused": None}


def implementation(optimizer: type, given: dict[str, Any], known: dict[str, Any] = UNUSED) -> dict[str, Any]:
    """Settings that choose among torch's implementations, with what was given; TypeError for an unknown one."""
    for name in given:
        if name not in known:
            raise TypeError(f"{optimizer.__name__}.__init__() got an unexpected keyword argument '{name}'")
    return known | given


class Optimizer:
    """The parameters to move, in groups; subclasses say how in `update`.

    params: tensors, or dicts {"params": tensors, setting: value, …}. defaults: the settings of groups that have none.
    """

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"{params.type()}"
            )
        self.defaults = defaults
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    @property
    def params(self) -> list[Tensor]:
        """All parameters."""
        groups = self.param_groups
        return groups[0]["params"] if len(groups) == 1 else [p for group in groups for p in group["params"]]

    @property
    def lr(self) -> float:
        """The learning rate of the first group; setting it sets all."""
        return self.param_groups[0]["lr"]

    @lr.setter
    def lr(self, value: float) -> None:
        for group in self.param_groups:
            group["lr"] = value

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """One more group: {"params": a tensor or several, and settings that differ from the defaults}."""
        group = dict(param_group)
        given = group["params"]
        group["params"] = params = [given] if isinstance(given, Tensor) else list(given)
        for p in params:
            if not isinstance(p, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(p).__name__}")
            if not p.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
        if len(set(params)) != len(params):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        if not set(params).isdisjoint(p for other in self.param_groups for p in other["params"]):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append({"params": params} | self.defaults | group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients: None by default, or zeros written into the tensors that are there, without a history.

        Example: p.grad = [3.] → None; with set_to_none=False [0.], in the same tensor; where it was None it stays so.
        """
        for p in self.params:
            if p.grad is None:
                continue
            if set_to_none:
                p.grad = None
            else:
                if p.grad.grad_fn is not None:
                    p.grad.detach_()
                p.grad.zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Move every parameter that has a gradient. closure: computes the loss anew first; the loss is returned."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        self.update(p, -p.grad if group["maximize"] else p.grad, group, self.state[p])
        return loss

    def update(self, p: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
        """Move one parameter. group: its settings. state: what is remembered of it from step to step."""
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """What is remembered, by the parameters' numbers, and the settings (torch.optim.Optimizer.state_dict)."""
        numbers = {p: i for i, p in enumerate(self.params)}
        groups = [
            {key: value for key, value in group.items() if key != "params"}
            | {"params": [numbers[p] for p in group["params"]]}
            for group in self.param_groups
        ]
        return {
            "state": {numbers[p]: state for p, state in self.state.items() if state},
            "param_groups": groups,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a state_dict, this engine's or torch's."""
        from ..nn.state import as_tensor

        saved = state_dict["param_groups"]
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        for group, other in zip(self.param_groups, saved, strict=True):
            if len(group["params"]) != len(other["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
                )
        own = {
            n: p
            for g, s in zip(self.param_groups, saved, strict=True)
            for n, p in zip(s["params"], g["params"], strict=True)
        }
        self.state.clear()
        for number, remembered in state_dict["state"].items():
            held = {key: (as_tensor(value), value) for key, value in remembered.items()}
            self.state[own[number]] = {k: copy.copy(v) if t is None else t.clone() for k, (t, v) in held.items()}
        for group, other in zip(self.param_groups, saved, strict=True):
            group.update({key: copy.copy(value) for key, value in other.items() if key != "params"})

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            settings = "".join(f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params")
            text += f"\nParameter Group {i}\n{settings}"
        return text + ")"


def check(**settings: tuple[str, float]) -> None:
    """ValueError for a negative setting: NAME=(what torch calls it, the value)."""
    for what, value in settings.values():
        if value < 0:
            raise ValueError(f"Invalid {what}: {value}")


# ------------------------------------------------------------------ SGD


class SGD(Optimizer):
    """Stochastic gradient descent: p ← p - lr · p.grad (torch.optim.SGD).

    With momentum, weight decay, maximize or groups, what is made is a GeneralSGD, which is an SGD too; so is whatever is
    built on SGD.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        general = globals().get("GeneralSGD", SGD)
        cls.__bases__ = tuple(general if base is SGD else base for base in cls.__bases__)

    def __new__(cls, *args: Any, **kwargs: Any) -> SGD:
        plain = cls is not SGD or _is_plain(*args, **kwargs)
        return super().__new__(cls if plain else GeneralSGD)

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
        check(
            lr=("learning rate", lr),
            momentum=("momentum value", momentum),
            decay=("weight_decay value", weight_decay),
        )
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        settings = {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
        super().__init__(
            params, settings | {"nesterov": nesterov, "maximize": maximize} | implementation(type(self), unused)
        )

    def step(self) -> None:  # type: ignore[override]
        """Move every parameter one step against its gradient, leaving it the leaf it was.

        p ← p - lr · p.grad for each p in self.params whose grad is not None; no graph is recorded.
        Example: p = [1.0], p.grad = [4.0], lr = 0.1 → p = [0.6], p.is_leaf stays True.
        """
        with no_grad():
            for p in self.params:
                if p.grad is not None:
                    p -= self.lr * p.grad

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """One more group; from the second on, or with settings of its own, this is a GeneralSGD."""
        super().add_param_group(param_group)
        if len(self.param_groups) > 1:
            self.use_all_settings()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a state_dict, and with it settings that this may not have had."""
        super().load_state_dict(state_dict)
        self.use_all_settings()

    def use_all_settings(self) -> None:
        """From here on look at every setting of every group, at each step."""
        if type(self) is SGD:
            self.__class__ = GeneralSGD


class GeneralSGD(SGD):
    """SGD with all its settings: each group its own, momentum v ← μ v + (1 - τ) g, weight decay g + λ p.

    Source: Sutskever et al. (2013), in the form torch gives it: lr multiplies the momentum, not the gradient alone.
    """

    step = Optimizer.step

    def update(self, p: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
        """p ← p - lr · direction."""
        if group["weight_decay"]:
            grad = grad + group["weight_decay"] * p
        momentum = group["momentum"]
        if momentum:
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = grad.detach().clone()
            else:
                buffer.mul_(momentum).add_(grad * (1 - group["dampening"]))
            grad = grad + momentum * buffer if group["nesterov"] else buffer
        p -= group["lr"] * grad


GeneralSGD.__name__ = "SGD"  # as users see it; pickle goes by __qualname__


def _is_plain(params: Any = (), lr: float = 0, *settings: Any, **named: Any) -> bool:
    """Whether nothing is asked for but one learning rate for one list of parameters."""
    groups = isinstance(params, list | tuple) and any(isinstance(p, dict) for p in params)
    return not (groups or any(settings) or any(named.get(k) for k in ("momentum", "weight_decay", "maximize")))


from . import lr_scheduler  # noqa: E402 (as the next one: they build on what stands above)
from .adaptive import Adagrad, Adam, AdamW, RMSprop  # noqa: E402

__getattr__ = refusing(__name__)
