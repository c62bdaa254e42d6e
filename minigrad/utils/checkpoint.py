"""Checkpoints: what a piece of a program saves for backward is thrown away, and computed once more when backward asks for it
(torch.utils.checkpoint).

use_reentrant=False: the graph is recorded as always, but each saved tensor is replaced by an empty holder, and the first
one that backward unpacks runs the function again, which fills them all. use_reentrant=True, the older way: the function
runs unrecorded, as one node, whose backward runs it once more, recorded, and goes back through that.

Not here: debug=True, and torch's choice of what to save all the same (create_selective_checkpoint_contexts).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from .. import autograd
from ..autograd.function import Function
from ..autograd.grad_mode import enable_grad, is_grad_enabled, no_grad
from ..autograd.graph import Node
from ..autograd.recording import show_observers
from ..autograd.saved import saved_tensors_hooks
from ..autograd.walk import Walk, running_walk, running_walks
from ..errors import refusing, warn
from ..nn.containers import Sequential
from ..random import fork_rng, get_rng_state, set_rng_state
from ..tensor import Tensor

__all__ = [
    "CheckpointError", "CheckpointFunction", "check_backward_validity", "checkpoint", "checkpoint_sequential",
    "detach_variable", "noop_context_fn", "set_checkpoint_early_stop",
]  # fmt: skip

__getattr__ = refusing(__name__)

Contexts = tuple[AbstractContextManager[Any], AbstractContextManager[Any]]

PASS_USE_REENTRANT = (
    "torch.utils.checkpoint{}: the use_reentrant parameter should be passed explicitly. {} is recommended, but if you need "
    "to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on the "
    "differences between the two variants."
)
CALLED_WITHOUT = (
    "Starting in PyTorch 2.9, calling checkpoint without use_reentrant will raise an exception. use_reentrant=False"
)
IN_2_9 = "In version 2.9 we will raise an exception if use_reentrant is not passed. use_reentrant=False"
ONLY_BACKWARD = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to "
    ".backward(). To resolve this error, you can either set use_reentrant=False, or call .backward() without passing the "
    "`inputs` argument."
)
SUPPRESSED = (
    "torch.utils.checkpoint: the forward context provided by context_fn suppressed an exception raised during the "
    "checkpointed forward. This is not supported because checkpoint cannot return a value for a failed forward."
)
MORE_SAVED = (
    "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original forward pass.\n"
)
OTHER_NUMBER = (
    "torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation.\n"
    "Number of tensors saved during forward: {}\nNumber of tensors saved during recomputation: {}.\n"
)
OTHER_METADATA = (
    "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during the forward "
    "pass.\n{}.\n"
)
TWICE = (
    "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. If you are calling "
    "ctx.saved_tensors in backward, make sure to do so only once. Otherwise please open an issue with details on your use "
    "case."
)
DETERMINISM = ("default", "none")
_early_stop: list[bool] = []  # of set_checkpoint_early_stop, the innermost last


class CheckpointError(RuntimeError):
    """The function computed something else the second time."""


class _Enough(Exception):
    """Ends a recomputation once everything that was saved is there."""


def noop_context_fn() -> Contexts:
    """Two contexts that do nothing."""
    return nullcontext(), nullcontext()


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Whether checkpoints inside stop recomputing as soon as all tensors are there, whatever their own setting."""
    _early_stop.append(enable)
    try:
        yield
    finally:
        _early_stop.pop()


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], Contexts] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """function(*args, **kwargs), whose saved tensors are recomputed in backward instead of being stored.

    preserve_rng_state (default True): the second time draws the random numbers of the first. context_fn: gives the contexts
    for the first and the second time. determinism_check: "default" holds the shapes and dtypes of both times against each
    other, "none" does not. early_stop: the second time ends with the last tensor that was saved.
    """
    if use_reentrant is None:
        warn(PASS_USE_REENTRANT.format("", CALLED_WITHOUT))
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        refuse_more(kwargs)
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve, *args)
    if debug:
        raise NotImplementedError(
            "minigrad 的 checkpoint 不支持 debug=True · minigrad's checkpoint does not offer debug=True"
        )
    if determinism_check not in DETERMINISM:
        raise ValueError(f"determinism_check should be one of {list(DETERMINISM)}, but got {determinism_check}")
    first, second = context_fn()
    rng_state = get_rng_state() if preserve else None

    def again(*inputs: Any) -> None:
        with fork_rng(enabled=preserve):
            if rng_state is not None:
                set_rng_state(rng_state)
            with second:
                function(*inputs, **kwargs)

    if not is_grad_enabled():
        return function(*args, **kwargs)
    frame = Frame(again, args, _early_stop[-1] if _early_stop else early_stop, determinism_check == "default")
    with saved_tensors_hooks(frame.hold, frame.fetch), first:
        result = function(*args, **kwargs)
        frame.complete = True
    if not frame.complete:
        raise RuntimeError(SUPPRESSED)
    return result


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """One function after the other, in so many segments, each but the last under a checkpoint.

    functions: a Sequential or a list. Of all that the earlier segments compute only what goes from one to the next is kept.
    """
    if use_reentrant is None:
        warn(PASS_USE_REENTRANT.format(".checkpoint_sequential", IN_2_9))
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    refuse_more(kwargs)
    steps = list(functions.children()) if isinstance(functions, Sequential) else functions

    def run(start: int, end: int) -> Callable[[Any], Any]:
        def forward(x: Any) -> Any:
            for number in range(start, end):
                x = steps[number](x)
            return x

        return forward

    size, end = len(steps) // segments, 0
    for start in range(0, size * (segments - 1), size):
        end = start + size
        input = checkpoint(run(start, end), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return run(end, len(steps))(input)


def refuse_more(kwargs: dict[str, Any]) -> None:
    """ValueError for keywords that nobody takes."""
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))


# ------------------------------------------------------------------ use_reentrant=False


class Holder:
    """What a node keeps in a saved tensor's place: for each walk a key to what was recomputed for it."""

    __slots__ = ("keys", "__weakref__")

    def __init__(self) -> None:
        self.keys: dict[Any, Key | None] = {}


class Key:
    """Dies with its holder, and with it what it is the key to."""

    __slots__ = ("__weakref__",)


class Frame:
    """One call of checkpoint: the function, its inputs, and the holders of what it has saved.

    again: runs the function on its inputs. check: whether metadata is to be compared. found: by walk, what was recomputed.
    """

    def __init__(self, again: Callable[..., None], args: tuple[Any, ...], early_stop: bool, check: bool) -> None:
        self.again = again
        self.inputs = Inputs(args)
        self.early_stop = early_stop
        self.check = check
        self.complete = False  # whether the function has come to its end the first time
        self.partly = False  # backward came before that: nothing to compare
        self.holders: list[weakref.ref[Holder]] = []
        self.metadata: list[Any] = []
        self.found: dict[Any, weakref.WeakKeyDictionary[Key, Tensor]] = {}

    def hold(self, tensor: Tensor) -> Holder:
        """Save nothing but a holder."""
        holder = Holder()
        self.holders.append(weakref.ref(holder))
        self.metadata.append(metadata(tensor) if self.check else None)
        return holder

    def fetch(self, holder: Holder) -> Tensor:
        """The tensor that was saved, recomputed if this is the first that a walk asks for."""
        walk = running_walk()
        number = object() if walk is None else walk.id
        if number not in self.found:
            self.recompute(number)
        key = holder.keys[number]
        if key is None:
            raise CheckpointError(TWICE)
        tensor = self.found[number][key]
        if goes_everywhere(walk):  # a walk for some inputs may ask twice
            holder.keys[number] = None
        return tensor

    def recompute(self, number: Any) -> None:
        """Run the function once more, and fill the holders for one walk."""
        alive = {walk.id for walk in running_walks()}
        for past in [each for each in self.found if each not in alive]:
            self.forget(past)
        self.found[number] = weakref.WeakKeyDictionary()
        count = 0

        def fill(tensor: Tensor) -> Tensor:
            nonlocal count
            tensor = tensor.detach() if tensor.requires_grad else tensor  # a node must not hold what has it as history
            place, count = count, count + 1
            if place >= len(self.holders):
                if self.complete:
                    raise CheckpointError(MORE_SAVED)
                self.partly = True
                return tensor
            holder = self.holders[place]()
            if holder is not None:
                key = holder.keys[number] = Key()
                self.found[number][key] = tensor
            if self.early_stop and count == len(self.holders):
                raise _Enough
            return tensor

        try:
            with saved_tensors_hooks(fill, lambda tensor: tensor), enable_grad():
                self.again(*self.inputs.get())
        except _Enough:
            pass
        except BaseException:
            self.forget(number)
            raise
        if not self.partly:
            self.compare(number, count)

    def forget(self, number: Any) -> None:
        """Let go of what was recomputed for a walk."""
        del self.found[number]
        for reference in self.holders:
            holder = reference()
            if holder is not None:
                holder.keys.pop(number, None)

    def compare(self, number: Any, count: int) -> None:
        """CheckpointError where the second time differs from the first."""
        if count != len(self.holders):
            raise CheckpointError(OTHER_NUMBER.format(len(self.holders), count))
        different = ""
        for place, reference in enumerate(self.holders):
            holder = reference()
            if not self.check or holder is None:
                continue
            key = holder.keys[number]
            assert key is not None
            now = metadata(self.found[number][key])
            if now != self.metadata[place]:
                different += (
                    f"tensor at position {place}:\nsaved metadata: {self.metadata[place]}\nrecomputed metadata: {now}\n"
                )
        if different:
            raise CheckpointError(OTHER_METADATA.format(different))


class Inputs:
    """The arguments of a call, the tensors among them saved as a node saves tensors: writes in place are noticed, and outer
    saved-tensor hooks see them."""

    def __init__(self, args: tuple[Any, ...]) -> None:
        self.args = tuple([None if isinstance(a, Tensor) else a for a in args])
        self.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        tensors = [args[i] for i in self.places]
        self.node = node = SavedInputs()
        node.saved, node.extras, node.order, node.parents = tuple(tensors), None, 0, ()
        if any(t._counter is not None and t._version for t in tensors):
            node.versions = tuple([t._version for t in tensors])
        show_observers(node)

    def get(self) -> list[Any]:
        """The arguments; RuntimeError where one was written in place."""
        args = list(self.args)
        for place, tensor in zip(self.places, self.node.unpack_tensors(), strict=True):
            args[place] = tensor
        return args


class SavedInputs(Node):
    """What saves the inputs. No part of any graph."""

    __slots__ = ()


def metadata(tensor: Tensor) -> dict[str, Any]:
    """What both times are compared by."""
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


def goes_everywhere(walk: Walk | None) -> bool:
    """Whether a walk is for all leaves, and not for some inputs."""
    return walk is None or walk.task is None or walk.task.everything


# ------------------------------------------------------------------ use_reentrant=True


class CheckpointFunction(Function):
    """A function as one node, whose backward runs it once more, recorded, and then that graph's backward."""

    @staticmethod
    def forward(ctx: Any, run_function: Any, preserve_rng_state: Any, *args: Any) -> Any:
        """Run it unrecorded."""
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.rng_state = get_rng_state() if preserve_rng_state else None
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.inputs = [None if isinstance(a, Tensor) else a for a in args]
        ctx.save_for_backward(*[args[i] for i in ctx.places])
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        """Run it recorded, and go back through that."""
        if not goes_everywhere(running_walk()):
            raise RuntimeError(ONLY_BACKWARD)
        inputs = list(ctx.inputs)
        for place, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
            inputs[place] = tensor
        with fork_rng(enabled=ctx.rng_state is not None):
            if ctx.rng_state is not None:
                set_rng_state(ctx.rng_state)
            detached = detach_variable(tuple(inputs))
            with enable_grad():
                outputs = ctx.run_function(*detached)
        if isinstance(outputs, Tensor):
            outputs = (outputs,)
        recorded = [i for i, out in enumerate(outputs) if isinstance(out, Tensor) and out.requires_grad]
        if not recorded:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        autograd.backward([outputs[i] for i in recorded], [args[i] for i in recorded])
        return (None, None, *[x.grad if isinstance(x, Tensor) else None for x in detached])


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The inputs, the tensors among them without history; those that required grad are leaves that do."""
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}")
    return tuple([x.detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x for x in inputs])


def check_backward_validity(inputs: Any) -> None:
    """Warns if no input requires grad."""
    if not any(x.requires_grad for x in inputs if isinstance(x, Tensor)):
        warn("None of the inputs have requires_grad=True. Gradients will be None")
