"""Calling a module that has hooks: before and after forward(), and when gradients pass through it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..autograd.function import Function
from ..autograd.grad_mode import is_grad_enabled
from ..errors import warn
from ..tensor import Tensor
from .hooks import EVERYWHERE

if TYPE_CHECKING:
    from .module import Module


NO_INPUT = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require "
    "gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
    "#torch.nn.Module.register_full_backward_hook for more details."
)
NO_TENSORS = "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received {}"


SILENCED = (
    "module forward hook with ``always_call=True`` raised an exception that was silenced as another error was raised in "
    "forward: {}"
)


def call(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """module(*args, **kwargs) with its hooks; some are called even where an error comes first."""
    if not (module._kept_hooks.any() or EVERYWHERE.any()):  # there have been some, or somebody has looked for some
        return module.forward(*args, **kwargs)
    made = Call(module, args, kwargs)
    try:
        return made.run()
    except Exception:
        made.after_an_error()
        raise


class Call:
    """One call of a module that has hooks: its arguments and its result, as the hooks have left them so far."""

    def __init__(self, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.module, self.args, self.kwargs = module, args, kwargs
        self.result: Any = None
        self.called: set[int] = set()  # the forward hooks whose turn has come

    def run(self) -> Any:
        """The hooks before forward(), forward() itself, and the hooks after it."""
        module, both = self.module, (EVERYWHERE, self.module._kept_hooks)
        for _, hook, with_kwargs in [found for hooks in both for found in hooks.named("_forward_pre_hooks")]:
            self.before(hook, with_kwargs)
        backward_pre = [hook for hooks in both for _, hook, _ in hooks.named("_backward_pre_hooks")]
        backward = {sort: [h for hooks in both if hooks.full is sort for _, h, _ in hooks.named("_backward_hooks")]
                    for sort in (True, False)}  # fmt: skip
        watch = Watch(module, backward[True], backward_pre) if backward[True] or backward_pre else None
        if watch:
            self.args = watch.inputs(self.args)
        self.result = module.forward(*self.args, **self.kwargs)
        for key, hook, with_kwargs in [found for hooks in both for found in hooks.named("_forward_hooks")]:
            self.called.add(key)
            self.after(hook, with_kwargs)
        if watch:
            self.result = watch.outputs(self.result)
        if backward[False]:
            watch_last_node(module, self.args, self.result, backward[False])
        return self.result

    def before(self, hook: Callable[..., Any], with_kwargs: bool) -> None:
        """Call a hook before forward(); it may replace the arguments."""
        if with_kwargs:
            replaced = hook(self.module, self.args, self.kwargs)
            if replaced is not None and not (isinstance(replaced, tuple) and len(replaced) == 2):
                raise RuntimeError(
                    f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {replaced}."
                )
            self.args, self.kwargs = replaced or (self.args, self.kwargs)
        elif (replaced := hook(self.module, self.args)) is not None:
            self.args = replaced if isinstance(replaced, tuple) else (replaced,)

    def after(self, hook: Callable[..., Any], with_kwargs: bool) -> None:
        """Call a hook after forward(); it may replace the result."""
        keywords = (self.kwargs,) if with_kwargs else ()
        replaced = hook(self.module, self.args, *keywords, self.result)
        self.result = self.result if replaced is None else replaced

    def after_an_error(self) -> None:
        """Call those of the forward hooks that are to be called always, and have not been."""
        for hooks, whose in ((EVERYWHERE, "global "), (self.module._kept_hooks, "")):
            always = hooks.get("_forward_hooks_always_called", ())
            for key, hook, with_kwargs in hooks.named("_forward_hooks"):
                if key in always and key not in self.called:
                    try:
                        self.after(hook, with_kwargs)
                    except Exception as error:
                        warn(whose + SILENCED.format(error))


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
        """The gradients themselves, as they are."""
        return grads


Places = list[int] | None  # which of several values are tensors; None where no gradient is wanted for any of them


def passed(values: tuple[Any, ...], seen: Callable[..., Any]) -> tuple[tuple[Any, ...], Places]:
    """The tensors among the values led through one node, whose gradients are shown to `seen`, and where they are."""
    places = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
    if not (any(values[i].requires_grad for i in places) and is_grad_enabled()):
        return values, None
    led = BackwardHookFunction.apply(*[values[i] for i in places])

    def hook(grad_inputs: Any, grad_outputs: Any) -> Any:  # the name that messages show
        return seen(grad_inputs, grad_outputs)

    next(t.grad_fn for t in led if t.grad_fn is not None).register_hook(hook)
    found = dict(zip(places, led, strict=True))
    whole = [found.get(i, value) for i, value in enumerate(values)]
    return tuple(whole) if type(values) is tuple else type(values)(*whole), places


class Watch:
    """One call of a module with backward hooks: remembers the gradients of its outputs until those of its inputs are
    there, and then calls the hooks with both (torch.utils.hooks.BackwardHook)."""

    def __init__(self, module: Module, hooks: list[Callable[..., Any]], pre_hooks: list[Callable[..., Any]]) -> None:
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
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
            warn(NO_TENSORS.format(type(result)))
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
            warn(NO_INPUT)
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


# ------------------------------------------------------------------ the older backward hooks

DEPRECATED = "is deprecated and will be removed in future versions."
MISSING = "This hook will be missing some{} {}.{}"
INSTEAD = " Please use register_full_backward_hook to get the documented behavior."


def watch_last_node(module: Module, args: tuple[Any, ...], result: Any, hooks: list[Callable[..., Any]]) -> None:
    """Hang backward hooks of the older sort on the node that made the result, with a warning where that is not the whole
    module: they see the gradients of this one node."""
    made = result
    while not isinstance(made, Tensor):
        made = next(v for v in made.values() if isinstance(v, Tensor)) if isinstance(made, dict) else made[0]
    node = made.grad_fn
    if node is None:
        return
    for hook in hooks:
        node.register_hook(functools.wraps(hook)(functools.partial(hook, module)))
    words = what_is_missing(args, result, node)
    if words:
        warn(words, FutureWarning)


def what_is_missing(args: tuple[Any, ...], result: Any, node: Any) -> str | None:
    """What backward hooks of the older sort do not see of a call, in torch's words; None where they see all."""
    several = (result,) if isinstance(result, Tensor) else result
    takes = "does not {} a single Tensor or a tuple of Tensors"
    for values, does, what in ((several, "return", "grad_output"), (args, "take as input", "grad_input")):
        if not (isinstance(values, tuple) and all(isinstance(value, Tensor) for value in values)):
            using = f"Using non-full backward hooks on a Module that {takes.format(does)}"
            return f"{using} {DEPRECATED} {MISSING.format(' of the', what, INSTEAD)}"
    made = {t.grad_fn for t in several if t.grad_fn is not None}
    if len(made) > 1:
        when, missing = "outputs are generated by different autograd Nodes", MISSING.format("", "grad_output", INSTEAD)
    elif node not in made:
        when, missing = "outputs are nested in python data structure", MISSING.format("", "grad_output", "")
    elif {t.grad_fn for t in args if t.grad_fn is not None} != {following for following, _ in node.next_functions}:
        when, missing = "the forward contains multiple autograd Nodes", MISSING.format("", "grad_input", INSTEAD)
    else:
        return None
    return f"Using a non-full backward hook when {when} {DEPRECATED} {missing}"
