"""What all optimizers share: parameters in groups, each with its settings; state; closures (torch.optim.Optimizer).

How a parameter is moved is the business of sgd.py, adaptive.py and the like.
"""

from __future__ import annotations

import copy
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from ..autograd.grad_mode import enable_grad, set_grad_enabled
from ..autograd.hooks import HookDict, RemovableHandle
from ..backend import in_silence
from ..creation import tensor
from ..errors import warn
from ..printing import typename
from ..tensor import Tensor
from .own_names import Computed, by_params

# Settings of torch that choose among its implementations; kept so that groups and repr are the same.
UNUSED = {"foreach": None, "differentiable": False, "fused": None}
# Settings that states of older versions lack.
YOUNGER = UNUSED | {"maximize": False, "capturable": False, "amsgrad": False, "decoupled_weight_decay": False,
                    "nesterov": False, "centered": False}  # fmt: skip

# Devices whose steps torch can record and replay.
CAPTURING = ["cuda", "xpu", "hpu", "privateuseone", "xla"]


def implementation(optimizer: type, given: dict[str, Any], known: dict[str, Any] = UNUSED) -> dict[str, Any]:
    """Settings that choose among torch's implementations, with what was given; TypeError for an unknown one."""
    for name in given:
        if name not in known:
            raise TypeError(f"{optimizer.__name__}.__init__() got an unexpected keyword argument '{name}'")
    if given.get("fused") and given.get("differentiable"):
        raise RuntimeError("`fused` does not support `differentiable`")
    chosen = known | given
    if chosen.get("fused") and chosen.get("foreach"):
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
    return chosen


class Optimizer:
    """The parameters to move, in groups; subclasses say how in `_move_parameter`.

    params: tensors, or dicts {"params": tensors, setting: value, …}. defaults: the settings of groups that have none.
    """

    _capturable_words: ClassVar[tuple[str, list[str]]] = ("params and state_steps", CAPTURING)
    _numbers: ClassVar[tuple[str, ...]] = ()  # what is remembered of a parameter in tensors of one number

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

    @Computed
    def params(self) -> list[Tensor]:
        """The parameters of all groups; of a single one its own list. torch has nothing of this name."""
        groups = self.param_groups
        return groups[0]["params"] if len(groups) == 1 else [p for group in groups for p in group["params"]]

    @Computed
    def lr(self) -> float:
        """The learning rate of the first group. torch has nothing of this name."""
        return self.param_groups[0]["lr"]

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """One more group: {"params": a tensor or several, perhaps with names, and settings that differ from the defaults}.

        The group is this dict itself, completed.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        given = param_group["params"]
        if isinstance(given, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        given = [given] if isinstance(given, Tensor) else list(given)
        param_group["params"] = params = [p[1] if isinstance(p, tuple) else p for p in given]
        if names := [p[0] for p in given if isinstance(p, tuple)]:
            if len(names) != len(params):
                raise ValueError("all optimizer params should be with/without names. Some param names are missing")
            param_group["param_names"] = names
        for p in params:
            if not isinstance(p, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {typename(p)}")
            if not (p.is_leaf or p.retains_grad or self.defaults.get("differentiable")):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            param_group.setdefault(name, default)
        if len(set(params)) != len(params):
            warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information"
            )
        for other in self.param_groups:
            if ("param_names" in other) != bool(names):
                raise ValueError(
                    "all optimizer param groups should be with/without names. cannot add param group "
                    f"with{'' if names else 'out'} names to the optimizer"
                )
        if not set(params).isdisjoint(p for other in self.param_groups for p in other["params"]):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    @by_params
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
        """Move every parameter that has a gradient, unrecorded unless the optimizer is to be differentiable.

        closure: computes the loss anew first; the loss is returned.
        """
        # A subclass that writes neither step nor _move_parameter.
        if type(self)._move_parameter is Optimizer._move_parameter:
            raise NotImplementedError
        loss = evaluated(closure)
        in_silence(self._move)
        return loss

    def _move(self) -> None:
        with set_grad_enabled(self.defaults.get("differentiable", False)):
            for group in self.param_groups:
                settings = self._settings_of_group(group)
                for p in group["params"]:
                    if p.grad is not None:
                        self._move_parameter(p, -p.grad if group["maximize"] else p.grad, settings, self.state[p])

    def _settings_of_group(self, group: dict[str, Any]) -> dict[str, Any]:
        """A group's settings as `_move_parameter` takes them: lr is a number or a tensor without dimensions.

        AssertionError where steps are to be captured on a GPU and a parameter that moves is not there.
        """
        if group.get("capturable") and not group.get("fused"):
            if any(p.grad is not None and p.device.type != "cuda" for p in group["params"]):
                what, devices = self._capturable_words
                raise AssertionError(f"If capturable=True, {what} must be on supported devices: {devices}.")
        given = group.get("lr")
        lr = given.item() if group.get("fused") and isinstance(given, Tensor) else scalar(given)
        return group if lr is given else group | {"lr": lr}

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call hook(optimizer, args, kwargs) before every step; (args, kwargs), if it returns them, replace those."""
        return step_hooks(self)[0].add(hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call hook(optimizer, args, kwargs) after every step."""
        return step_hooks(self)[1].add(hook)

    def _move_parameter(self, p: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
        """Move one parameter. group: its settings. state: what is remembered of it from step to step."""
        raise NotImplementedError

    def _state_hooks(self, when: str) -> HookDict:
        """The hooks around state_dict() and load_state_dict(), made on first use."""
        return self.__dict__.setdefault("_kept_hooks", {}).setdefault(when, HookDict())

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call hook(optimizer) before every state_dict()."""
        return self._state_hooks("before saving").add(hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call hook(optimizer, state_dict) after every state_dict(); what it returns, if anything, is taken instead."""
        return self._state_hooks("after saving").add(hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call hook(optimizer, state_dict) before it is taken over; what it returns, if anything, is taken instead."""
        return self._state_hooks("before loading").add(hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call hook(optimizer) when a state_dict has been taken over."""
        return self._state_hooks("after loading").add(hook, prepend)

    def state_dict(self) -> dict[str, Any]:
        """What is remembered, by the parameters' numbers, and the settings (torch.optim.Optimizer.state_dict)."""
        for hook in list(self._state_hooks("before saving").values()):
            hook(self)
        numbers = {p: i for i, p in enumerate([p for group in self.param_groups for p in group["params"]])}
        groups = [
            {key: value for key, value in group.items() if key != "params"}
            | {"params": [numbers[p] for p in group["params"]]}
            for group in self.param_groups
        ]
        state = {numbers[p]: state for p, state in self.state.items() if state}
        return replaced(self, self._state_hooks("after saving"), {"state": state, "param_groups": groups})

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a state_dict, this engine's or torch's."""
        state_dict = replaced(self, self._state_hooks("before loading"), state_dict.copy())
        saved = [own_tensors(group) for group in copy.deepcopy(state_dict["param_groups"])]
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        own: dict[Any, Tensor] = {}
        for group, other in zip(self.param_groups, saved, strict=True):
            if len(group["params"]) != len(other["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
                )
            own |= zip(other["params"], group["params"], strict=True)
        self.state = defaultdict(dict)
        for number, remembered in state_dict["state"].items():
            p = own[number]
            self.state[p] = {key: taken(value, p, as_it_is=key == "step") for key, value in remembered.items()}
        for group, other in zip(self.param_groups, saved, strict=True):
            other["params"] = group["params"]
            if "param_names" in group:
                other.setdefault("param_names", group["param_names"])
        self.__setstate__({"param_groups": saved})
        for hook in list(self._state_hooks("after loading").values()):
            hook(self)

    def __getstate__(self) -> dict[str, Any]:
        """What a copy or a pickle takes along: not the hooks around step()."""
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over a state, an older version's too: with the settings that it lacks, and with tensors where it has numbers.

        KeyError where an optimizer of another kind remembered it.
        """
        vars(self).update(state)
        for group in self.param_groups:
            for name in self.defaults.keys() & YOUNGER:
                group.setdefault(name, YOUNGER[name])
            for remembered in filter(None, map(self.state.get, group["params"])):
                for name in self._numbers:
                    if not isinstance(remembered[name], Tensor):
                        remembered[name] = tensor(float(remembered[name]))

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            settings = "".join(f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params")
            text += f"\nParameter Group {i}\n{settings}"
        return text + ")"


def replaced(optimizer: Any, hooks: HookDict, state_dict: Any) -> Any:
    """A state after hooks that may return another one."""
    for hook in list(hooks.values()):
        found = hook(optimizer, state_dict)
        state_dict = state_dict if found is None else found
    return state_dict


def taken(value: Any, p: Tensor, as_it_is: bool = False) -> Any:
    """Something remembered of a parameter: tensors of this engine as they are, those of others as copies, all in its
    dtype, unless that is to stay."""
    from ..nn.state import as_tensor

    if isinstance(value, list):
        return [taken(each, p) for each in value]
    tensor = as_tensor(value)
    if tensor is None:
        return copy.copy(value)
    tensor = tensor if tensor is value else tensor.clone()
    return tensor if as_it_is else tensor.to(p.device, p.dtype)


def own_tensors(value: Any) -> Any:
    """A group, or one of its settings, with the tensors of another engine as tensors of this one."""
    from ..nn.state import as_tensor

    if isinstance(value, dict):
        return {key: own_tensors(each) for key, each in value.items()}
    if isinstance(value, tuple):  # betas
        return tuple(map(own_tensors, value))
    tensor = as_tensor(value)
    return value if tensor is None else tensor


def step_hooks(optimizer: Any) -> tuple[HookDict, HookDict]:
    """The hooks before and after an optimizer's step(), whichever step its class has by then.

    Only an optimizer that is asked for them gets a step of its own, which calls them.
    """
    if "step" in vars(optimizer):
        return optimizer.step.hooks
    before, after = HookDict(), HookDict()
    reference = weakref.ref(optimizer)

    def step(*args: Any, **kwargs: Any) -> Any:
        owner: Any = reference()
        args = (owner, *args)
        for hook in list(before.values()):
            replaced = hook(owner, args, kwargs)
            if replaced is None:
                continue
            if not (isinstance(replaced, tuple) and len(replaced) == 2):
                words = f"must return None or a tuple of (new_args, new_kwargs), but got {replaced}."
                raise RuntimeError(f"{type(owner).step} {words}")
            args, kwargs = replaced
        result = type(owner).step(*args, **kwargs)
        for hook in list(after.values()):
            hook(owner, args, kwargs)
        return result

    step.hooks = before, after  # type: ignore[attr-defined]
    optimizer.step = step
    return before, after


def evaluated(closure: Callable[[], Any] | None) -> Any:
    """The loss that a closure computes, recorded also where the step is not; None where there is no closure."""
    if closure is None:
        return None
    with enable_grad():
        return closure()


def scalar(value: Any) -> Any:
    """A setting that is a tensor of one element as one without dimensions; any other as it is."""
    return value.squeeze() if isinstance(value, Tensor) and value.ndim else value


def unshared(value: Any) -> Any:
    """A setting to be kept: of a tensor, whose value may change, a copy."""
    return value.clone() if isinstance(value, Tensor) else value


def wants_grad(setting: Any) -> bool:
    """Whether a setting is itself to be learnt, by differentiating the steps."""
    return isinstance(setting, Tensor) and setting.requires_grad


def unwritten(p: Tensor, setting: Any) -> Tensor:
    """A parameter to be multiplied with a setting: a copy where the graph keeps it, since the step writes to it."""
    return p.clone() if wants_grad(setting) else p


def alike(p: Tensor, *others: Tensor | None) -> bool:
    """Whether all that is there has p's shape and dtype. A parameter may have been given other data since its last step."""
    shape, dtype = p._data.shape, p._data.dtype
    return all(t is None or (t._data.shape == shape and t._data.dtype == dtype) for t in others)


def check_optimizer(optimizer: Any) -> None:
    """TypeError for what has no groups of parameters."""
    if not hasattr(optimizer, "param_groups"):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def set_rate(group: dict[str, Any], lr: Any) -> None:
    """Give a group its learning rate. Where that is a tensor it stays the same one, with another value."""
    if isinstance(group["lr"], Tensor):
        group["lr"].fill_(scalar(lr))
    else:
        group["lr"] = lr


def negative(value: Any) -> Any:
    """Whether a setting is below 0: SGD refuses it, and takes nan."""
    return value < 0.0


def not_from_0_on(value: Any) -> Any:
    """Whether a setting is below 0 or nan: the other optimizers refuse it."""
    return not 0.0 <= value


CALLED = {"lr": "learning rate", "eps": "epsilon value"}  # in errors; the others NAME value


def check(refuses: Callable[[Any], Any], **settings: Any) -> None:
    """ValueError for a setting that is refused."""
    for name, value in settings.items():
        if isinstance(value, Tensor) and value.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if refuses(value):
            raise ValueError(f"Invalid {CALLED.get(name, f'{name} value')}: {value}")
