"""What a module is made of: three dicts, of parameters, buffers and submodules, that assignment fills, and the ways to
walk them. What a module does is in module.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..printing import typename
from ..tensor import Tensor
from .hooks import filed
from .parameter import Buffer, Parameter

if TYPE_CHECKING:
    from .module import Module

KINDS = {"_parameters": "parameter", "_buffers": "buffer", "_modules": "module"}


def join(prefix: str, name: str) -> str:
    """A dotted name."""
    return f"{prefix}.{name}" if prefix else name


class Registry:
    """The three dicts and their names; the part of Module that only looks and files."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _non_persistent_buffers_set: set[str]

    def __init__(self) -> None:
        self.__dict__.update(_parameters={}, _buffers={}, _modules={}, _non_persistent_buffers_set=set())

    # ------------------------------------------------------------------ attributes

    def __setattr__(self, name: str, value: Any) -> None:
        place = next((p for p in KINDS if name in self.__dict__.get(p, ())), None)
        if isinstance(value, Parameter):
            self._make_room("_parameters", "parameters", name)
            self.register_parameter(name, value)
        elif isinstance(value, Registry) and place != "_parameters":
            self._make_room("_modules", "module", name)
            self._modules[name] = filed("_modules", self, name, value)
        elif place == "_buffers" and (value is None or isinstance(value, Tensor)):
            self.register_buffer(
                name, value, getattr(value, "persistent", name not in self._non_persistent_buffers_set)
            )
        elif place is None and isinstance(value, Buffer):
            self.register_buffer(name, value, value.persistent)
        elif place is None:
            object.__setattr__(self, name, value)
        elif value is None:
            self.__dict__[place][name] = filed(place, self, name, None) if place == "_modules" else None
        else:
            wanted = {"_parameters": "torch.nn.Parameter", "_buffers": "torch.nn.Buffer, torch.Tensor",
                      "_modules": "torch.nn.Module"}[place]  # fmt: skip
            what = {"_modules": "child module"}.get(place, KINDS[place])
            raise TypeError(f"cannot assign '{typename(value)}' as {what} '{name}' ({wanted} or None expected)")

    def _make_room(self, place: str, what: str, name: str) -> None:
        """Remove a name from all dicts but the one it belongs to."""
        if place not in self.__dict__:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        for other in (self.__dict__, *(self.__dict__[p] for p in KINDS if p != place)):
            other.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def __getattr__(self, name: str) -> Any:
        for place in KINDS:
            found = self.__dict__.get(place, {})
            if name in found:
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        for place in KINDS:
            if name in self.__dict__[place]:
                del self.__dict__[place][name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        own = [*super().__dir__(), *self._parameters, *self._buffers, *self._modules]
        return sorted(name for name in own if not name[:1].isdigit())

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under a name, or None to say that there might be one."""
        self._check_name("_parameters", name)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        self._parameters[name] = None if param is None else filed("_parameters", self, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is state but not learnt; persistent=False leaves it out of state_dict()."""
        self._check_name("_buffers", name)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = filed("_buffers", self, name, tensor)
        (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a submodule under a name."""
        if module is not None and not isinstance(module, Registry):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self._check_name("_modules", name)
        self._modules[name] = filed("_modules", self, name, module)

    register_module = add_module

    def _check_name(self, place: str, name: str) -> None:
        if place not in self.__dict__:
            raise AttributeError(f"cannot assign {KINDS[place]} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{KINDS[place]} name should be a string. Got {typename(name)}")
        if hasattr(self, name) and name not in self.__dict__[place]:
            raise KeyError(f"attribute '{name}' already exists")
        dot = 'contain "."' + (f", got: {name}" if place == "_modules" else "")
        for wrong, why in (("." in name, dot), (not name, 'be empty string ""')):
            if wrong:
                raise KeyError(f"{KINDS[place]} name can't {why}")

    # ------------------------------------------------------------------ what there is

    def named_modules(
        self: Any, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module and all below it, each once, with their dotted names."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, join(prefix, name), remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """This module and all below it."""
        return (module for _, module in self.named_modules(remove_duplicate=remove_duplicate))

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules directly below this one, each once."""
        seen: set[Module] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules directly below this one."""
        return (module for _, module in self.named_children())

    def _named_entries(
        self, place: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        owners = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        seen: set[int] = set()
        for owner, module in owners:
            for name, value in getattr(module, place).items():
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield join(owner, name), value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """All parameters with their dotted names, each once."""
        return self._named_entries("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters, each once: what an optimizer takes."""
        return (value for _, value in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """All buffers with their dotted names, each once."""
        return self._named_entries("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers, each once."""
        return (value for _, value in self.named_buffers(recurse=recurse))

    def get_submodule(self, target: str) -> Module:
        """The module of a dotted name; '' is this one."""
        module: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Registry):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put a module under a dotted name. strict: only where there is one already."""
        if not target:
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Registry):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        if strict or hasattr(owner, name):
            owner.get_submodule(name)
        setattr(owner, name, module)

    def _get_registered(self, target: str, place: str, what: str) -> Any:
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        if not hasattr(owner, name):
            raise AttributeError(f"{type(owner).__name__} has no attribute `{name}`")
        if name not in owner.__dict__[place]:
            raise AttributeError(f"`{name}` is not {what}")
        return getattr(owner, name)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter of a dotted name; AttributeError for one that is None."""
        found = self._get_registered(target, "_parameters", "an nn.Parameter")
        if found is None:
            raise AttributeError(f"`{target.rpartition('.')[2]}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer of a dotted name."""
        return self._get_registered(target, "_buffers", "a buffer")
