"""Calling a module that has hooks: before and after forward(), and when gradients pass through it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..autograd.function import Function
from ..autograd.grad_mode import is_grad_enabled
from ..autograd.hooks import HookDict, RemovableHandle
from ..tensor import Tensor

if TYPE_CHECKING:
    from .module import Module


NO_INPUT = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require "
    "gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
    "#torch.nn.Module.register_full_backward_hook for more details."
)
NO_TENSORS = "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received {}"


class Hooks:
    """The hooks of one module, in the order in which they are called; of each: (hook, whether it wants keywords)."""

    __slots__ = ("pre", "forward", "backward_pre", "backward")

    def __init__(self) -> None:
        self.pre, self.forward, self.backward_pre, self.backward = (
            HookDict(),
            HookDict(),
            HookDict(),
            HookDict(),
        )

    def __bool__(self) -> bool:
        return bool(self.pre or self.forward or self.backward_pre or self.backward)

    def add(self, kind: str, hook: Callable[..., Any], with_kwargs: bool, prepend: bool) -> RemovableHandle:
        """Register one more hook, as the last or as the first of its kind."""
        hooks: HookDict = getattr(self, kind)
        earlier = dict(hooks)
        handle = hooks.add((hook, with_kwargs))
        if prepend:
            for key in earlier:
                hooks[key] = hooks.pop(key)
        return handle


def call(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """module(*args, **kwargs) with its hooks."""
    hooks = module._hooks
    for hook, with_kwargs in list(hooks.pre.values()):
        if with_kwargs:
            replaced = hook(module, args, kwargs)
            if replaced is not None and not (isinstance(replaced, tuple) and len(replaced) == 2):
                raise RuntimeError(
                    f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {replaced}."
                )
            args, kwargs = replaced or (args, kwargs)
        elif (replaced := hook(module, args)) is not None:
            args = replaced if isinstance(replaced, tuple) else (replaced,)
    watch = Watch(module) if hooks.backward or hooks.backward_pre else None
    if watch:
        args = watch.inputs(args)
    result = module.forward(*args, **kwargs)
    for hook, with_kwargs in list(hooks.forward.values()):
        replaced = hook(module, args, kwargs, result) if with_kwargs else hook(module, args, result)
        result = result if replaced is None else replaced
    return watch.outputs(result) if watch else result


# ------------------------------------------------------------------ gradients that pass through


class BackwardHookFunction(Function):
    """Tensors passed on as they are, as the outputs of one node: a place to see all their gradients at once."""

    @staticmethod
    def forward(ctx: Any, *tensors: Any) -> Any:
        """The tensors themselves."""
        ctx.mark_non_differentiable(*[t for t in tensors if not t.requires_grad])
        return tensors

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """And their gradients."""
        return grads


Places = list[int] | None  # which of several values are tensors; None where no gradient is wanted for any of them


def passed(values: tuple[Any, ...], hook: Callable[..., Any]) -> tuple[tuple[Any, ...], Places]:
    """The tensors among the values led through one node, on which the hook hangs, and where they are."""
    places = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
    if not (any(values[i].requires_grad for i in places) and is_grad_enabled()):
        return values, None
    led = BackwardHookFunction.apply(*[values[i] for i in places])
    next(t.grad_fn for t in led if t.grad_fn is not None).register_hook(hook)
    found = dict(zip(places, led, strict=True))
    whole = [found.get(i, value) for i, value in enumerate(values)]
    return tuple(whole) if type(values) is tuple else type(values)(*whole), places


class Watch:
    """One call of a module with backward hooks: remembers the gradients of its outputs until those of its inputs are
    there, and then calls the hooks with both (torch.utils.hooks.BackwardHook)."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.hooks = [hook for hook, _ in module._hooks.backward.values()]
        self.pre_hooks = [hook for hook, _ in module._hooks.backward_pre.values()]
        self.grad_outputs: Any = None
        self.given = self.returned = 0  # how many inputs and outputs there are
        self.of_inputs: Places = None
        self.of_outputs: Places = None

    def inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, with a place behind them where their gradients are seen."""
        self.given = len(args)
        args, self.of_inputs = passed(args, self.passed_through)
        return args

    def outputs(self, result: Any) -> Any:
        """The result, with a place in front of it."""
        if not isinstance(result, Tensor | tuple):
            warnings.warn(NO_TENSORS.format(type(result)), stacklevel=3)
        several = result if isinstance(result, tuple) else (result,)
        self.returned = len(several)
        led, self.of_outputs = passed(several, self.arrived)
        return led if isinstance(result, tuple) else led[0]

    def arrived(self, _: Any, grads: tuple[Any, ...]) -> Any:
        """The gradients of the outputs are there."""
        self.grad_outputs = spread(self.of_outputs, grads, self.returned)
        for hook in self.pre_hooks:
            replaced = hook(self.module, self.grad_outputs)
            if replaced is not None:
                check_count("Backward pre hook", "grad_output", len(replaced), len(self.grad_outputs))
                self.grad_outputs = replaced
        shown = self.grad_outputs
        if self.of_inputs is None:  # nothing behind this module wants a gradient: all is known already
            warnings.warn(NO_INPUT, stacklevel=5)
            for hook in self.hooks:
                replaced = hook(self.module, (None,) * self.given, shown)
                if replaced is not None and not (isinstance(replaced, tuple) and all(g is None for g in replaced)):
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always return None or None "
                        "for all gradients."
                    )
            self.grad_outputs = None
        return tuple([shown[i] for i in self.of_outputs or ()])

    def passed_through(self, grads: tuple[Any, ...], _: Any) -> Any:
        """The gradients of the inputs are there. Without those of the outputs the gradient has come another way."""
        if self.grad_outputs is None:
            return None
        shown: Any = spread(self.of_inputs, grads, self.given)
        for hook in self.hooks:
            replaced = hook(self.module, shown, self.grad_outputs)
            if replaced is not None:
                check_count("Backward hook", "grad_input", len(replaced), len(shown))
                shown = replaced
        self.grad_outputs = None
        return tuple([shown[i] for i in self.of_inputs or ()])


def spread(places: Places, grads: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    """The gradients in their places among so many; None elsewhere."""
    found = dict(zip(places or (), grads, strict=True))
    return tuple([found.get(i) for i in range(count)])


def check_count(hook: str, what: str, got: int, expected: int) -> None:
    """RuntimeError where a hook returned another number of gradients than it was given."""
    if got != expected:
        raise RuntimeError(f"{hook} returned an invalid number of {what}, got {got}, but expected {expected}")
