"""Calling a module that has hooks: before and after forward(), and when gradients pass through it."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..autograd.hooks import HookDict, RemovableHandle, extras_of
from ..ops.define import Op
from ..tensor import Tensor

if TYPE_CHECKING:
    from .module import Module


NO_INPUT = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require "
    "gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
    "#torch.nn.Module.register_full_backward_hook for more details."
)


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


def nth(i: int) -> Callable[[Any], Any]:
    """The rule of input number i: its own output's gradient."""
    return lambda grads: grads[i]


@functools.cache
def through(n: int) -> Op:
    """n tensors passed on as they are, as outputs of one node: a place to see all their gradients at once."""
    rules: dict[str, Any] = {f"t{i}": nth(i) for i in range(n)}
    forward = lambda *arrays: tuple([x[...] for x in arrays])  # noqa: E731
    return Op("BackwardHookFunctionBackward", forward, outputs=n, **rules)


def passed(tensors: tuple[Any, ...], add: Callable[[Any, list[int]], None]) -> tuple[Any, ...]:
    """The tensors that require grad led through one node; add(node, places) hangs a hook on it."""
    places = [i for i, t in enumerate(tensors) if isinstance(t, Tensor) and t.requires_grad]
    if not places:
        return tensors
    led = dict(zip(places, through(len(places))(*[tensors[i] for i in places]), strict=True))
    node = next(iter(led.values())).grad_fn
    if node is not None:  # under no_grad there is none
        add(node, places)
    return tuple([led.get(i, t) for i, t in enumerate(tensors)])


class Watch:
    """One call of a module with backward hooks: remembers the gradients of its outputs until those of its inputs are
    there, and then calls the hooks with both (torch.utils.hooks.BackwardHook)."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.hooks = [hook for hook, _ in module._hooks.backward.values()]
        self.pre_hooks = [hook for hook, _ in module._hooks.backward_pre.values()]
        self.grad_outputs: tuple[Any, ...] | None = None
        self.given = 0  # how many inputs there are
        self.watched = False  # whether any of them requires grad

    def inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, with a place behind those that require grad."""
        self.given = len(args)
        return passed(args, self._watch_inputs)

    def outputs(self, result: Any) -> Any:
        """The result, with a place in front of what of it requires grad."""
        several = result if isinstance(result, tuple) else (result,)
        led = passed(several, functools.partial(self._watch_outputs, len(several)))
        return led if isinstance(result, tuple) else led[0]

    def _watch_inputs(self, node: Any, places: list[int]) -> None:
        self.watched = True

        def hook(grad_inputs: tuple[Any, ...], grad_outputs: tuple[Any, ...]) -> Any:
            if self.grad_outputs is None:
                return None
            found = dict(zip(places, grad_inputs, strict=True))
            shown = tuple([found.get(i) for i in range(self.given)])
            for user in self.hooks:
                replaced = user(self.module, shown, self.grad_outputs)
                if replaced is not None:
                    shown = replaced if isinstance(replaced, tuple) else (replaced,)
                    check_count(len(shown), self.given)
            self.grad_outputs = None
            return tuple([shown[i] for i in places])

        extras_of(node).post.add(hook)

    def _watch_outputs(self, count: int, node: Any, places: list[int]) -> None:
        def hook(grads: tuple[Any, ...]) -> Any:
            found = dict(zip(places, grads, strict=True))
            shown = tuple([found.get(i) for i in range(count)])
            for user in self.pre_hooks:
                replaced = user(self.module, shown)
                if replaced is not None:
                    shown = replaced if isinstance(replaced, tuple) else (replaced,)
                    check_count(len(shown), count)
            self.grad_outputs = shown
            if not self.watched and self.hooks:  # nothing behind this module wants a gradient: all is known already
                warnings.warn(NO_INPUT, stacklevel=5)
                for user in self.hooks:
                    if user(self.module, (None,) * self.given, shown) is not None:
                        raise RuntimeError(
                            "Backward hook for Modules where no input requires gradient should always return None or "
                            "None for all gradients."
                        )
            return tuple([shown[i] for i in places])

        extras_of(node).pre.add(hook)


def check_count(got: int, expected: int) -> None:
    """RuntimeError where a hook returned another number of gradients than it was given."""
    if got != expected:
        raise RuntimeError(
            f"Backward hook returned an invalid number of grad_input, got {got}, but expected {expected}"
        )
