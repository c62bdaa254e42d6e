"""A module's state as a dict of tensors by dotted name, and back."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..autograd.grad_mode import no_grad
from ..backend import ndarray
from ..creation import from_numpy
from ..tensor import Tensor
from .parameter import Parameter

if TYPE_CHECKING:
    from .module import Module


EXTRA = "_extra_state"  # the name under which a module saves what is no tensor
NEVER_CALLED = (
    "Reached a code path in Module.{}_extra_state() that should never be called. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
)
POSITIONAL = (
    "Positional args are being deprecated, use kwargs instead. Refer to "
    "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details."
)
RETURNED = (
    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, if "
    "incompatible_keys need to be modified, it should be done inplace."
)


class IncompatibleKeys(NamedTuple):
    """What load_state_dict() found missing and what it could not place."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


def own_state(module: Module) -> dict[str, Tensor]:
    """A module's own parameters and saved buffers, without those of its submodules."""
    buffers = {name: b for name, b in module._buffers.items() if name not in module._non_persistent_buffers_set}
    return {name: value for name, value in (module._parameters | buffers).items() if value is not None}


def has_its_own(module: Module, method: str) -> bool:
    """Whether a module's class has written this method anew."""
    from .module import Module

    return getattr(type(module), method) is not getattr(Module, method)


# ------------------------------------------------------------------ writing it down


def state_of(module: Module, destination: Any, prefix: str, keep_vars: bool) -> Any:
    """Module.state_dict."""
    if destination is None:
        destination = OrderedDict()
        destination._metadata = OrderedDict()  # the version of every module's layout
    layout = {"version": module._version}
    if "_kept_hooks" not in vars(module):  # its __init__ has not called Module's
        module.__getattr__("_state_dict_pre_hooks")  # refuses: of all that is missing, torch looks for this first
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = layout
    for _, hook, _ in module._kept_hooks.named("_state_dict_pre_hooks"):
        hook(module, prefix, keep_vars)
    module._save_to_state_dict(destination, prefix, keep_vars)
    for name, child in module._modules.items():
        if child is not None:
            child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
    for _, hook, _ in module._kept_hooks.named("_state_dict_hooks"):
        replaced = hook(module, destination, prefix, layout)
        if replaced is not None and getattr(hook, "_from_public_api", False):
            raise RuntimeError("state_dict post-hook must return None")
        destination = destination if replaced is None else replaced
    return destination


def save_own(module: Module, destination: Any, prefix: str, keep_vars: bool) -> None:
    """The entries of the state of a module itself."""
    for name, value in own_state(module).items():
        destination[prefix + name] = value if keep_vars else value.detach()
    if has_its_own(module, "get_extra_state"):
        destination[prefix + EXTRA] = module.get_extra_state()


# ------------------------------------------------------------------ taking it over


def load_state(module: Module, state: Mapping[str, Any], strict: bool, assign: bool) -> IncompatibleKeys:
    """Module.load_state_dict: every tensor copied into its place, or put there (assign).

    Tensors of torch are taken too, as are arrays. RuntimeError, naming all that is wrong, in torch's words.
    """
    if not isinstance(state, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state)}.")
    layouts = getattr(state, "_metadata", None)
    copied: Any = OrderedDict(state)  # modules may rewrite it
    if layouts is not None:
        copied._metadata = layouts
    errors: list[str] = []
    keys = IncompatibleKeys([], [])

    def load(part: Module, state: Any, prefix: str) -> None:
        layout = {} if layouts is None else layouts.get(prefix[:-1], {})
        if assign:
            layout["assign_to_params_buffers"] = True
        part._load_from_state_dict(state, prefix, layout, True, keys.missing_keys, keys.unexpected_keys, errors)
        for name, child in part._modules.items():
            if child is not None:
                below = f"{prefix}{name}."
                load(child, OrderedDict((k, v) for k, v in state.items() if k.startswith(below)), below)
        for _, hook, _ in part._kept_hooks.named("_load_state_dict_post_hooks"):
            if hook(part, keys) is not None:
                raise AssertionError(RETURNED)

    load(module, copied, "")
    if strict:
        for what, wrong in (("Unexpected", keys.unexpected_keys), ("Missing", keys.missing_keys)):
            if wrong:
                errors.insert(0, f"{what} key(s) in state_dict: {', '.join(map(quoted, wrong))}. ")
    if errors:
        raise RuntimeError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t" + "\n\t".join(errors))
    return keys


def load_own(
    module: Module,
    state: dict[str, Any],
    prefix: str,
    layout: dict[str, Any],
    strict: bool,
    missing: list[str],
    unexpected: list[str],
    errors: list[str],
) -> None:
    """Load a module's own entries of a state; everything wrong is added to the lists."""
    for number, hook, _ in module._kept_hooks.named("_load_state_dict_pre_hooks"):
        told = (module,) if number in module._kept_hooks.get("_load_state_dict_pre_hooks_with_module", ()) else ()
        hook(*told, state, prefix, layout, strict, missing, unexpected, errors)
    own = own_state(module)
    for name, target in own.items():
        if prefix + name in state:
            errors += _load(module, name, prefix + name, target, state[prefix + name], layout)
        elif strict:
            missing.append(prefix + name)
    extra = prefix + EXTRA
    if has_its_own(module, "set_extra_state"):
        if extra in state:
            module.set_extra_state(state[extra])
        elif strict:
            missing.append(extra)
    elif strict and extra in state:
        unexpected.append(extra)
    for key in state if strict else ():
        if key.startswith(prefix) and key != extra:
            name, _, rest = key[len(prefix) :].partition(".")
            if name not in (module._modules if rest else own):
                unexpected.append(key)


def quoted(key: str) -> str:
    """A key as messages show it."""
    return f'"{key}"'


def _load(part: Module, name: str, key: str, target: Tensor, value: Any, layout: dict[str, Any]) -> list[str]:
    """One tensor into its place; what is wrong with it."""
    given = as_tensor(value)
    if given is None:
        return [
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint '
            f"but received {type(value)}"
        ]
    if not target.ndim and given.shape == (1,):  # so torch wrote single numbers once
        given = given[0]
    if given._data.shape != target._data.shape:
        return [
            f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in current "
            f"model is {target.shape}."
        ]
    try:
        with no_grad():
            if layout.get("assign_to_params_buffers", False):
                setattr(part, name, to_be_assigned(given, target))
            else:
                target.copy_(given)
    except Exception as error:
        return [
            f'While copying the parameter named "{key}", whose dimensions in the model are {target.size()} and whose '
            f"dimensions in the checkpoint are {given.size()}, an exception occurred : {error.args}."
        ]
    return []


def to_be_assigned(given: Tensor, target: Tensor) -> Tensor:
    """The tensor that takes another's place: of a parameter a parameter, that wants a gradient where the other did."""
    if not isinstance(target, Parameter):
        return given
    if isinstance(given, Parameter):
        return given.requires_grad_(target.requires_grad)
    return Parameter(given, target.requires_grad)


def as_tensor(value: Any) -> Tensor | None:
    """A tensor of ours, of torch or an array, as a tensor of ours; None for anything else."""
    if isinstance(value, Tensor):
        return value
    if not isinstance(value, ndarray) and hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    return from_numpy(value) if isinstance(value, ndarray) else None
