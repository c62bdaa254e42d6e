"""Module: something with parameters and a forward(), made of other modules.

How parameters and submodules are stored is in registry.py, how the state is written and read in state.py, when
hooks are called in calling.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ..autograd.hooks import RemovableHandle
from ..creation import zeros
from ..errors import warn
from ..ops.convert import destination
from ..ranges import empty_like
from ..tensor import Tensor
from .calling import call
from .hooks import (
    EVERYWHERE,
    Hooks,
    Kept,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from .registry import Registry
from .state import NEVER_CALLED, POSITIONAL, IncompatibleKeys, load_own, load_state, save_own, state_of

__all__ = [  # what users look for in torch.nn.modules.module
    "Module", "register_module_backward_hook", "register_module_buffer_registration_hook", "register_module_forward_hook",
    "register_module_forward_pre_hook", "register_module_full_backward_hook", "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook", "register_module_parameter_registration_hook",
]  # fmt: skip

Self = TypeVar("Self", bound="Module")


class Module(Registry):
    """Base of all layers and networks (torch.nn.Module). Subclasses define forward() and assign parameters, buffers
    and submodules as attributes, after calling `super().__init__()`."""

    training: bool
    _kept_hooks: Hooks
    _version = 1

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        where = f"{type(self).__name__}.__init__()"
        if kwargs:
            raise TypeError(f"{where} got an unexpected keyword argument '{next(iter(kwargs))}'")
        if args:
            raise TypeError(f"{where} takes 1 positional argument but {len(args) + 1} were given")
        super().__init__()
        self.__dict__.update(training=True, _kept_hooks=Hooks())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._kept_hooks or EVERYWHERE:
            return call(self, args, kwargs)
        return self.forward(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes; every subclass has its own."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    # ------------------------------------------------------------------ what is done to all of it

    def apply(self: Self, fn: Callable[[Module], Any]) -> Self:
        """fn(module) for every module, children first; for initialising weights."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self: Self, mode: bool = True) -> Self:
        """Training or evaluation, here and below: it makes a difference to dropout and the like."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self: Self) -> Self:
        """train(False)."""
        return self.train(False)

    def requires_grad_(self: Self, requires_grad: bool = True) -> Self:
        """Switch all parameters at once."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget all gradients, or set them to zeros in place."""
        for p in self.parameters():
            if p.grad is None:
                continue
            if set_to_none:
                p.grad = None
            else:
                if p.grad.grad_fn is not None:
                    p.grad.detach_()
                p.grad.zero_()

    def _apply(self: Self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replace the data of all parameters (and their gradients) and all buffers; the parameters stay the same."""
        for module in self.children() if recurse else ():
            module._apply(fn)
        for p in self._parameters.values():
            if p is not None:
                p.data = fn(p.data)
                if p._grad is not None:
                    p._grad.data = fn(p._grad.data)
        for name, b in self._buffers.items():
            if b is not None:
                self._buffers[name] = fn(b)
        return self

    def to(self: Self, *args: Any, **kwargs: Any) -> Self:
        """To a device or a floating-point dtype, as Tensor.to; integer buffers keep their dtype."""
        probe = zeros(()).to(*args, **kwargs)  # which says what is wrong with them
        dtype, device, copy = destination(args, *[kwargs.get(name) for name in ("dtype", "device", "tensor")])
        if copy or kwargs.get("copy"):
            raise RuntimeError(".to() does not accept copy argument")
        if not probe.is_floating_point():
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={probe.dtype}"
            )
        return self._apply(lambda t: t.to(device, dtype if t.is_floating_point() else None))

    def float(self: Self) -> Self:
        """All floating-point parameters and buffers in float32."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self: Self) -> Self:
        """All floating-point parameters and buffers in float64."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self: Self) -> Self:
        """All floating-point parameters and buffers in float16."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def type(self: Self, dst_type: Any) -> Self:
        """All parameters and buffers in one type, those of whole numbers among them."""
        return self._apply(lambda t: t.type(dst_type))

    def cuda(self: Self, device: Any = None) -> Self:
        """All parameters and buffers on a GPU."""
        return self._apply(lambda t: t.cuda() if device is None else t.cuda(device))

    def cpu(self: Self) -> Self:
        """All parameters and buffers in host memory."""
        return self._apply(lambda t: t.cpu())

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: a compiled module computes what it computes as it is (torch.compile)."""

    def to_empty(self: Self, *, device: Any, recurse: bool = True) -> Self:
        """New memory for all parameters and buffers, uninitialized."""
        return self._apply(lambda t: empty_like(t, device=device), recurse)

    # ------------------------------------------------------------------ state

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """All parameters and buffers by dotted name, detached but sharing storage (torch.nn.Module.state_dict)."""
        if args:
            warn(POSITIONAL, FutureWarning)
            given = dict(zip(("destination", "prefix", "keep_vars"), args, strict=False))
            destination = given.get("destination") if destination is None else destination
            prefix, keep_vars = prefix or given.get("prefix", ""), keep_vars or given.get("keep_vars", False)
        return state_of(self, destination, prefix, keep_vars)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Take over a state_dict, this engine's or torch's. RuntimeError where names (strict) or shapes differ."""
        return load_state(self, state_dict, strict, assign)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Write down what is the module's own; a subclass may write more."""
        save_own(self, destination, prefix, keep_vars)

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Take over what is the module's own; a subclass may rewrite the state of older versions first."""
        load_own(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)

    def get_extra_state(self) -> Any:
        """What a subclass wants to be saved besides its tensors; such a one also has set_extra_state."""
        raise RuntimeError(NEVER_CALLED.format("get"))

    def set_extra_state(self, state: Any) -> None:
        """Take over what get_extra_state gave."""
        raise RuntimeError(NEVER_CALLED.format("set"))

    # ------------------------------------------------------------------ hooks

    _forward_pre_hooks, _forward_hooks, _backward_pre_hooks, _backward_hooks = Kept(), Kept(), Kept(), Kept()
    _state_dict_pre_hooks, _state_dict_hooks = Kept(), Kept()
    _load_state_dict_pre_hooks, _load_state_dict_post_hooks = Kept(), Kept()

    @property
    def _is_full_backward_hook(self) -> bool | None:
        return self._kept_hooks.full

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """hook(module, args) before forward(); what it returns, if anything, replaces the arguments."""
        return self._kept_hooks.add("_forward_pre_hooks", hook, prepend, with_kwargs=with_kwargs)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """hook(module, args, output) after forward(); what it returns, if anything, replaces the output.

        always_call: also where an error has come first.
        """
        return self._kept_hooks.add("_forward_hooks", hook, prepend, with_kwargs=with_kwargs, always_called=always_call)

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """hook(module, grad_output) when the gradient arrives at the module; may replace it."""
        return self._kept_hooks.add("_backward_pre_hooks", hook, prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """hook(module, grad_input, grad_output) when the gradient has passed the module; may replace grad_input."""
        return self._kept_hooks.add_backward(hook, True, "on a single Module", prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """The older form of the full backward hook: it sees the gradients of the module's last operation alone."""
        return self._kept_hooks.add_backward(hook, False, "on a single Module")

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """hook(module, prefix, keep_vars) before the module's state is written down."""
        return self._kept_hooks.add("_state_dict_pre_hooks", hook)

    def register_state_dict_post_hook(self, hook: Any) -> RemovableHandle:
        """hook(module, state_dict, prefix, local_metadata) when the state is written down; may change it, returns nothing."""
        hook._from_public_api = True
        return self._kept_hooks.add("_state_dict_hooks", hook)

    def _register_state_dict_hook(self, hook: Any) -> RemovableHandle:
        """The older form of register_state_dict_post_hook, whose hook may return another dict."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously registered via "
                "register_state_dict_post_hook"
            )
        return self._kept_hooks.add("_state_dict_hooks", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs) before the
        module takes over its part of a state; it may change the dict and the lists."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(self, hook: Any, with_module: bool = False) -> RemovableHandle:
        """The older form of register_load_state_dict_pre_hook, whose hook is not told the module."""
        return self._kept_hooks.add("_load_state_dict_pre_hooks", hook, with_module=with_module)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """hook(module, incompatible_keys) when the module and all below it have been loaded; it may change the lists."""
        return self._kept_hooks.add("_load_state_dict_post_hooks", hook)

    # ------------------------------------------------------------------ printing

    def extra_repr(self) -> str:
        """The text between the parentheses, besides the submodules."""
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        extra = self.extra_repr().split("\n") if self.extra_repr() else []
        children = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        if len(extra) == 1 and not children:
            return f"{self._get_name()}({extra[0]})"
        lines = extra + children
        return f"{self._get_name()}(" + ("\n  " + "\n  ".join(lines) + "\n" if lines else "") + ")"


def indented(text: str) -> str:
    """All lines but the first moved to the right."""
    return text.replace("\n", "\n  ")
