"""What the engine says about names it does not have, torch's longer words about the saved values of a graph, and what is said
once in a process."""

from __future__ import annotations

import functools
import importlib
import sys
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

SECOND_BACKWARD = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
    "saved tensors after calling backward."
)
OVERLAPPING = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation."
)
INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation "
    "tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or use "
    "`torch.no_grad()` instead of `torch.inference_mode()`."
)
DETACHED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, please use "
    "out-of-place `.detach()` instead"
)
FLOAT_ONLY = "only Tensors of floating point dtype can require gradients"
LEAVES_ONLY = (
    "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph "
    "that doesn't require differentiation use var_no_grad = var.detach()."
)
NOT_A_LEAF = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access "
    "the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)
OTHER_DEVICE = (
    "attempting to assign a gradient with device type '{}' to a tensor with device type '{}'. Please ensure that the gradient "
    "and the tensor are on the same device"
)
OTHER_SIZE = (
    "attempting to assign a gradient of size '{}' to a tensor of size '{}'. Please ensure that the gradient and the tensor are "
    "the same size"
)
INFERENCE_WRITTEN = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal tensor "
    "before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
)
FLOATS_ONLY = "Only Tensors of floating point and complex dtype can require gradients"
MODIFIED = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: [{kind} "
    "{shape}]{source} is at version {actual}; expected version {expected} instead. Hint: {hint}"
)
BACKWARD_INSIDE = (
    "backward() called inside a functorch transform. This is not supported, please use functorch.grad or functorch.vjp "
    "instead or call backward() outside of functorch transforms."
)
ENABLE_ANOMALY = (
    "enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
ANOMALY_ENABLED = (
    "the backtrace further above shows the operation that failed to compute its gradient. The variable in question was "
    "changed in there or anywhere later. Good luck!"
)


PACKAGE = __name__.partition(".")[0]
said: set[str] = set()  # what torch warns of once in a process


def warn(words: str, category: type[Warning] = UserWarning) -> None:
    """A warning at the user's line: the innermost one that is not in this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
        frame, level = frame.f_back, level + 1
    warnings.warn(words, category, level)


def warn_once(words: str, about: str = "") -> None:
    """A warning that comes once in a process. about: its key, if its text varies."""
    if (about or words) not in said:
        said.add(about or words)
        warn(words)


def check_bool(function: str, name: str, place: int, value: Any) -> None:
    """TypeError, in torch's words, for an argument that is no bool."""
    if not isinstance(value, bool):
        kind = f"{'numpy.' * (type(value).__module__ == 'numpy')}{type(value).__name__}"
        raise TypeError(f"{function}(): argument '{name}' (position {place}) must be bool, not {kind}")


ALL_NAMES = "All names: docs/api.md"
ONLY_TORCH = f"torch has it, minigrad does not. {ALL_NAMES}"


def suggestion(name: str, known: list[str]) -> str:
    """'Did you mean: 'tanh'? ' for a near miss, else ''."""
    import difflib  # only when a name was wrong

    close = difflib.get_close_matches(name, known, 1)
    return f"Did you mean: '{close[0]}'? " if close else ""


def in_torch_only(module: str, name: str) -> bool:
    """Whether torch's module of this name has it: known of the modules of torch_only.py, where it is taken for granted of
    those that there are not here."""
    from .torch_only import TORCH_ONLY, only_torch_has  # only when a name was wrong

    path = module.partition(".")[2]
    return only_torch_has(path) or name in TORCH_ONLY.get(path, "").split()


@functools.cache
def about_name(module: ModuleType, name: str) -> str:
    """What is known of a name that a module does not have: that torch has it, or else what comes closest; and where the
    list is.

    Cached, for some programs ask with hasattr again and again.
    """
    if in_torch_only(module.__name__, name):
        return ONLY_TORCH
    return suggestion(name, [each for each in dir(module) if not each.startswith("_")]) + ALL_NAMES


def unknown_name_words(module: ModuleType, name: str) -> str:
    """What to say of a name that a module does not have."""
    words = f"module '{module.__name__}' has no attribute '{name}'"
    return words if name.startswith("_") else f"{words}. {about_name(module, name)}"


def unknown_name(module: str, name: str) -> AttributeError:
    """The error for a name that the module called `module` does not have."""
    found = sys.modules[module]
    # Told the module and not the name, Python adds no suggestion of its own.
    return AttributeError(unknown_name_words(found, name), obj=found)


def refusing(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module that has no further names (PEP 562)."""

    def __getattr__(name: str) -> Any:  # noqa: N807 (what Python calls it)
        raise unknown_name(module, name)

    return __getattr__


def opening(module: str, homes: dict[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a module of which some names are loaded when they are asked for (PEP 562).

    homes: for each such name the module of the same package that has it; "" for a name that is itself a module.
    """
    known = sys.modules[module]

    def __getattr__(name: str) -> Any:  # noqa: N807 (what Python calls it)
        if name not in homes:
            raise unknown_name(module, name)
        home = importlib.import_module(f".{homes[name] or name}", known.__package__)
        found = vars(known)[name] = getattr(home, name) if homes[name] else home
        return found

    def __dir__() -> list[str]:  # noqa: N807
        return sorted({*vars(known), *homes})

    return __getattr__, __dir__
