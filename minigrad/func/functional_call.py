"""Modules called with tensors from elsewhere (torch.func.functional_call), and the tensors of many, stacked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..nn.module import Module
from ..ops.join import stack
from ..tensor import Tensor

MISSING: Any = object()


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """module(*args, **kwargs), with these tensors instead of its own; those that are not named stay.

    parameter_and_buffer_dicts: tensors by dotted name, or several such dicts. args: a tuple, or the only argument.
    tie_weights: a tensor that the module has under several names is replaced under all of them. strict: RuntimeError
    unless exactly the module's tensors are named.
    """
    given = merged(parameter_and_buffer_dicts)
    arguments = () if args is None else args if isinstance(args, tuple) else (args,)
    with replaced(module, given, tie_weights, strict):
        return module(*arguments, **(kwargs or {}))


def merged(dicts: Any) -> dict[str, Tensor]:
    """One dict of several; ValueError for a name that is in two."""
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, Sequence):
        raise ValueError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(dicts)}"
        )
    if not all(isinstance(each, dict) for each in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    names = [name for each in dicts for name in each]
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return {name: tensor for each in dicts for name, tensor in each.items()}


@contextmanager
def replaced(module: Module, given: dict[str, Tensor], tie_weights: bool, strict: bool) -> Iterator[None]:
    """Inside, the module has the given tensors; what it wrote into buffers' places is in `given` afterwards."""
    tensors = tied(module, given) if tie_weights else given
    if strict:
        check_names(module, tensors)
    before: dict[str, Any] = {}
    try:
        for name, tensor in tensors.items():
            before[name] = swapped(module, name, tensor)
        yield
    finally:
        for name, tensor in before.items():
            left = swapped(module, name, tensor)
            if name in given:
                given[name] = left


def tied(module: Module, given: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The given tensors, also under the other names of what they replace."""
    names: dict[int, list[str]] = {}
    for name, tensor in all_tensors(module).items():
        names.setdefault(id(tensor), []).append(name)
    result = dict(given)
    for same in names.values():
        values = {id(given[name]): given[name] for name in same if name in given}
        if len(values) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(same)}, which are tied. Consider using "
                "tie_weights=False"
            )
        for value in values.values():
            result.update(dict.fromkeys(same, value))
    return result


def all_tensors(module: Module) -> dict[str, Tensor]:
    """Parameters and buffers under all their names."""
    return {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }


def check_names(module: Module, given: Mapping[str, Tensor]) -> None:
    """RuntimeError unless these are the names of all the module's tensors."""
    own = all_tensors(module)
    said = []
    for what, names in (("Unexpected", given.keys() - own.keys()), ("Missing", own.keys() - given.keys())):
        if names:
            said.append(f"{what} key(s): {', '.join(map(repr, sorted(names)))}.")
    if said:
        raise RuntimeError("Error(s) in reparametrizing for {}:\n\t{}".format(type(module).__name__, "\n\t".join(said)))


def swapped(module: Module, path: str, tensor: Any) -> Any:
    """Put a tensor into a module's place; returns the old value (MISSING: none)."""
    where, _, name = path.rpartition(".")
    owner: Any = module
    for step in where.split(".") if where else ():
        if not hasattr(owner, step):
            raise AttributeError(f"{type(owner).__name__} has no attribute `{step}`")
        owner = getattr(owner, step)
    if tensor is not MISSING and tensor is not None and not isinstance(tensor, Tensor):
        raise TypeError(f"{tensor} is not an instance of torch.Tensor")
    if not name:
        raise KeyError('tensor name can\'t be empty string ""')
    for place in (owner._parameters, owner._buffers):
        if name in place:
            found = place[name]
            if tensor is MISSING:
                del place[name]
            else:
                place[name] = tensor
            return found
    found = getattr(owner, name, MISSING)
    if found is not MISSING and found is not None and not isinstance(found, Tensor):
        raise TypeError(f"attribute `{name}`: {found} is not an instance of torch.Tensor")
    if tensor is not MISSING:
        setattr(owner, name, tensor)
    elif found is not MISSING:
        delattr(owner, name)
    return found


def stack_module_state(models: Sequence[Module]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The parameters and the buffers of modules of one class, stacked by name: new leaves, for vmap over functional_call.

    Example: vmap(lambda p, b, x: functional_call(models[0], (p, b), x), (0, 0, None))(*stack_module_state(models), x)
    """
    if not len(models):
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(model) for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    return (
        stacked([dict(model.named_parameters()) for model in models]),
        stacked([dict(model.named_buffers()) for model in models]),
    )


def stacked(states: list[dict[str, Tensor]]) -> dict[str, Tensor]:
    """The tensors of each name as one; RuntimeError where some require grad and some do not."""
    found = {}
    for name, first in states[0].items():
        tensors = [state[name] for state in states]
        if any(t.requires_grad != first.requires_grad for t in tensors):
            raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
        found[name] = stack(tensors)
        if first.requires_grad:
            found[name] = found[name].detach().requires_grad_()
    return found
