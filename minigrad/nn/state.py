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
    buffers = {name: b for name, b in module._buffers.items() if name not in module._not_saved}
    return {name: value for name, value in (module._parameters | buffers).items() if value is not None}


def state_of(module: Module, destination: Any, prefix: str, keep_vars: bool) -> Any:
    """Module.state_dict."""
    if destination is None:
        destination = OrderedDict()
        destination._metadata = OrderedDict()  # the version of every module's layout
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = {"version": module._version}
    for name, value in own_state(module).items():
        destination[prefix + name] = value if keep_vars else value.detach()
    for name, child in module._modules.items():
        if child is not None:
            child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
    return destination


def load_state(module: Module, state: Mapping[str, Any], strict: bool, assign: bool) -> IncompatibleKeys:
    """Module.load_state_dict: every tensor copied into its place, or put there (assign).

    Tensors of torch are taken too, as are arrays. RuntimeError, naming all that is wrong, in torch's words.
    """
    if not isinstance(state, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state)}.")
    errors: list[str] = []
    known: list[str] = []
    layouts = getattr(state, "_metadata", {})
    for prefix, part in module.named_modules(remove_duplicate=False):
        for name, target in own_state(part).items():
            key = f"{prefix}.{name}" if prefix else name
            if key not in state and part._younger.get(name, 0) > layouts.get(prefix, {}).get("version", 1):
                continue
            known.append(key)
            if key in state:
                errors += _load(part, name, key, target, state[key], assign)
    missing = [key for key in known if key not in state]
    unexpected = [key for key in state if key not in known]
    if strict:
        for what, keys in (("Unexpected", unexpected), ("Missing", missing)):
            if keys:
                errors.insert(0, f"{what} key(s) in state_dict: {', '.join(map(quoted, keys))}. ")
    if errors:
        raise RuntimeError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t" + "\n\t".join(errors))
    return IncompatibleKeys(missing, unexpected)


def quoted(key: str) -> str:
    """A key as it stands in messages."""
    return f'"{key}"'


def _load(part: Module, name: str, key: str, target: Tensor, value: Any, assign: bool) -> list[str]:
    """One tensor into its place; what is wrong with it."""
    given = as_tensor(value)
    if given is None:
        return [
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint '
            f"but received {type(value)}"
        ]
    if given._data.shape != target._data.shape:
        return [
            f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in current "
            f"model is {target.shape}."
        ]
    if assign:
        replaced = Parameter(given, target.requires_grad) if isinstance(target, Parameter) else given
        setattr(part, name, replaced)
        return []
    with no_grad():
        target.copy_(given)
    return []


def as_tensor(value: Any) -> Tensor | None:
    """A tensor of ours, of torch or an array, as a tensor of ours; None for anything else."""
    if isinstance(value, Tensor):
        return value
    if not isinstance(value, ndarray) and hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    return from_numpy(value) if isinstance(value, ndarray) else None
