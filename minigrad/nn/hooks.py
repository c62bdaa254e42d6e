"""Hooks of modules: where they are kept, those of one module and those of all (torch.nn.modules.module). When they are
called is in calling.py for a call and its gradients, in state.py for the state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd.hooks import HookDict, RemovableHandle

MIXED = "Cannot use both regular backward hooks and full backward hooks {}. Please use only one of them."


class Hooks(dict[str, HookDict]):
    """Hooks by kind. A kind that nobody has asked for is not there: without any, it is false.

    full: whether the backward hooks are full ones; None where there have been none. What holds for single hooks, as that
    one wants keywords, stands beside them under their ids: "_forward_hooks_with_kwargs".
    """

    full: bool | None = None

    def __missing__(self, kind: str) -> HookDict:
        self[kind] = found = HookDict()
        return found

    def add(self, kind: str, hook: Any, prepend: bool = False, **marks: bool) -> RemovableHandle:
        """Register one more hook, as the last or as the first of its kind."""
        handle = self[kind].add(hook, prepend)
        for mark, wanted in marks.items():
            if wanted:
                self[f"{kind}_{mark}"][handle.id] = True
        return handle

    def add_backward(self, hook: Any, full: bool, where: str, prepend: bool = False) -> RemovableHandle:
        """Register a backward hook; RuntimeError where there have been some of the other sort."""
        if self.full is (not full):
            raise RuntimeError(MIXED.format(where))
        self.full = full
        return self.add("_backward_hooks", hook, prepend)

    def any(self) -> bool:
        """Whether there is a hook. What holds for single hooks stays when they are removed."""
        return any(hooks and kind.endswith("_hooks") for kind, hooks in self.items())

    def named(self, kind: str) -> list[tuple[int, Callable[..., Any], bool]]:
        """Of each hook of a kind: its id, itself, and whether it wants keywords."""
        if kind not in self:
            return []
        with_kwargs = self.get(f"{kind}_with_kwargs", ())
        return [(key, hook, key in with_kwargs) for key, hook in self[kind].items()]


EVERYWHERE = Hooks()  # those of all modules


class Kept:
    """An attribute of a module for one kind of its hooks: {id: hook}."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.kind = name

    def __get__(self, module: Any, owner: type | None = None) -> Any:
        return self if module is None else module._kept_hooks[self.kind]

    def __set__(self, module: Any, hooks: dict[int, Any]) -> None:
        module._kept_hooks[self.kind] = HookDict(hooks)


def filed(kind: str, module: Any, name: str, value: Any) -> Any:
    """What is to be filed in a module, after the hooks for it have seen it, and perhaps replaced it."""
    if kind in EVERYWHERE:
        for hook in list(EVERYWHERE[kind].values()):
            replaced = hook(module, name, value)
            value = value if replaced is None else replaced
    return value


# ------------------------------------------------------------------ for all modules


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """hook(module, args) before every forward(); what it returns, if anything, replaces the arguments."""
    return EVERYWHERE.add("_forward_pre_hooks", hook)


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """hook(module, args, output) after every forward(); what it returns, if anything, replaces the output."""
    return EVERYWHERE.add("_forward_hooks", hook, with_kwargs=with_kwargs, always_called=always_call)


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """hook(module, grad_output) when the gradient arrives at any module; may replace it."""
    return EVERYWHERE.add("_backward_pre_hooks", hook)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """hook(module, grad_input, grad_output) when the gradient has passed any module; may replace grad_input."""
    return EVERYWHERE.add_backward(hook, True, "as a global Module hook")


def register_module_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """The older form of the full backward hook: it sees the gradients of a module's last operation alone."""
    return EVERYWHERE.add_backward(hook, False, "as a global Module hook")


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """hook(module, name, parameter) before one is filed; what it returns, if anything, takes its place."""
    return EVERYWHERE.add("_parameters", hook)


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """hook(module, name, buffer) before one is filed; what it returns, if anything, takes its place."""
    return EVERYWHERE.add("_buffers", hook)


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """hook(module, name, submodule) before one is filed; what it returns, if anything, takes its place."""
    return EVERYWHERE.add("_modules", hook)
