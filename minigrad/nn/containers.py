"""Modules that hold modules: Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..tensor import Tensor
from .module import Module, indented
from .parameter import Parameter


class Numbered(Module):
    """Submodules under the names "0", "1", …; what Sequential and ModuleList share."""

    def _index(self, index: Any) -> int:
        index, n = operator.index(index), len(self)
        if not -n <= index < n:
            raise IndexError(f"index {index} is out of range")
        return index % n

    def _refill(self, modules: Iterable[Module]) -> None:
        self.__dict__["_modules"] = {str(i): module for i, module in enumerate(modules)}

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(list(self._modules.values()))  # type: ignore[arg-type]

    def __getitem__(self, index: Any) -> Any:
        modules = list(self._modules.items())
        if isinstance(index, slice):
            return self._part(OrderedDict(modules[index]))
        return modules[self._index(index)][1]

    def _part(self, modules: Mapping[str, Any]) -> Any:
        return type(self)(list(modules.values()))  # type: ignore[call-arg]

    def __setitem__(self, index: Any, module: Module) -> None:
        setattr(self, list(self._modules)[self._index(index)], module)

    def __delitem__(self, index: Any) -> None:
        modules = list(self)
        del modules[index if isinstance(index, slice) else self._index(index)]
        self._refill(modules)

    def append(self, module: Module) -> Any:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Any:
        """Add several modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        for module in modules:
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        """Add a module in front of number `index`."""
        modules = list(self)
        modules.insert(index, module)
        self._refill(modules)
        return self

    def pop(self, index: Any) -> Module:
        """Take a module out."""
        module = self[index]
        del self[index]
        return module


class Sequential(Numbered):
    """Modules one after the other, each on the output of the one before (torch.nn.Sequential).

    Sequential(a, b, …) or Sequential(OrderedDict(name=a, …)).
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else enumerate(args)
        for name, module in named:
            self.add_module(str(name), module)

    def forward(self, input: Any) -> Any:
        """The output of the last module."""
        for module in self._modules.values():
            input = module(input)  # type: ignore[misc]
        return input

    def _part(self, modules: Mapping[str, Any]) -> Any:
        return type(self)(modules)

    def __add__(self, other: Sequential) -> Sequential:
        return Sequential(*self, *other)


class ModuleList(Numbered):
    """A list of modules that its owner knows of (torch.nn.ModuleList)."""

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        super().__init__()
        self.extend(modules)

    def __repr__(self) -> str:
        groups: list[list[Any]] = []  # [first, last, repr] of neighbours that print alike
        for i, text in enumerate(map(repr, self)):
            if groups and groups[-1][2] == text:
                groups[-1][1] = i
            else:
                groups.append([i, i, text])
        lines = [
            f"({first}): {indented(text)}"
            if first == last
            else f"({first}-{last}): {last - first + 1} x {indented(text)}"
            for first, last, text in groups
        ]
        return f"{self._get_name()}(" + ("\n  " + "\n  ".join(lines) + "\n" if lines else "") + ")"


class ModuleDict(Module):
    """Modules by name (torch.nn.ModuleDict)."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        self.update(modules or {})

    def update(self, modules: Any) -> None:
        """Add all of a mapping, or of (name, module) pairs."""
        for name, module in modules.items() if isinstance(modules, Mapping | ModuleDict) else modules:
            self.add_module(name, module)

    def __getitem__(self, name: str) -> Any:
        return self._modules[name]

    def __setitem__(self, name: str, module: Module) -> None:
        self.add_module(name, module)

    def __delitem__(self, name: str) -> None:
        del self._modules[name]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, name: str) -> bool:
        return name in self._modules

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def values(self) -> Iterable[Any]:
        """The modules."""
        return self._modules.values()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names and modules."""
        return self._modules.items()


class ParameterList(Module):
    """A list of parameters that its owner knows of (torch.nn.ParameterList)."""

    def __init__(self, values: Iterable[Any] = ()) -> None:
        super().__init__()
        self.extend(values)

    def append(self, value: Any) -> ParameterList:
        """Add one; a plain tensor becomes a Parameter."""
        setattr(self, str(len(self)), Parameter(value) if type(value) is Tensor else value)
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Add several."""
        for value in values:
            self.append(value)
        return self

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parameters.values())

    def __getitem__(self, index: Any) -> Any:
        values = list(self)
        if isinstance(index, slice):
            return ParameterList(values[index])
        if not -len(values) <= operator.index(index) < len(values):
            raise IndexError(f"index {index} is out of range")
        return values[index]

    def extra_repr(self) -> str:
        """One line for each parameter."""
        return listed((i, str(p.dtype), p) for i, p in enumerate(self))


class ParameterDict(Module):
    """Parameters by name that their owner knows of (torch.nn.ParameterDict)."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self.update(parameters or {})

    def update(self, parameters: Any) -> None:
        """Add all of a mapping, or of (name, tensor) pairs."""
        for name, p in parameters.items() if isinstance(parameters, Mapping | ParameterDict) else parameters:
            self[name] = p

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, str(name), Parameter(value) if type(value) is Tensor else value)

    def __getitem__(self, name: str) -> Any:
        return self._parameters[str(name)]

    def __delitem__(self, name: str) -> None:
        delattr(self, str(name))

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __contains__(self, name: str) -> bool:
        return name in self._parameters

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._parameters.keys()

    def values(self) -> Iterable[Any]:
        """The parameters."""
        return self._parameters.values()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names and parameters."""
        return self._parameters.items()

    def extra_repr(self) -> str:
        """One line for each parameter."""
        return listed((name, p.type(), p) for name, p in self.items())


def listed(parameters: Iterable[tuple[Any, str, Any]]) -> str:
    """A line for each parameter, as torch prints it; for lists it has the dtype, for dicts the type's old name."""
    return "\n".join(
        f"  ({key}): Parameter containing: [{kind} of size {'x'.join(map(str, p.shape))}]"
        for key, kind, p in parameters
    )
