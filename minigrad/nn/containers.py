"""Modules that hold modules: Sequential, ModuleList, ModuleDict. Those that hold parameters are in parameters.py."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .module import Module, indented


class Numbered(Module):
    """Submodules under the names "0", "1", …; what Sequential and ModuleList share."""

    def _refill_modules(self, modules: Iterable[Module]) -> None:
        self.__dict__["_modules"] = {str(i): module for i, module in enumerate(modules)}

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(list(self._modules.values()))  # type: ignore[arg-type]

    def __getitem__(self, index: Any) -> Any:
        modules = list(self._modules.items())
        if isinstance(index, slice):
            return self._numbered_part(OrderedDict(modules[index]))
        return modules[place(self, index)][1]

    def _numbered_part(self, modules: Mapping[str, Any]) -> Any:
        return type(self)(list(modules.values()))

    def __setitem__(self, index: Any, module: Module) -> None:
        setattr(self, list(self._modules)[place(self, index)], module)

    def __delitem__(self, index: Any) -> None:
        modules = list(self)
        del modules[index if isinstance(index, slice) else place(self, index)]
        self._refill_modules(modules)

    def append(self, module: Module) -> Any:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Any:
        """Add several modules at the end."""
        for module in modules:
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        """Add a module in front of number `index`. Returns None, as a list's, for a ModuleList; a Sequential returns itself."""
        modules = list(self)
        modules.insert(index, module)
        self._refill_modules(modules)

    def pop(self, key: Any) -> Module:
        """Take a module out."""
        module = self[key]
        del self[key]
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

    def _numbered_part(self, modules: Mapping[str, Any]) -> Any:
        return type(self)(modules)

    def insert(self, index: int, module: Module) -> Any:
        """Add a module in front of number `index`."""
        assert isinstance(module, Module), f"module should be of type: {Module}"
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        super().insert(index, module)
        return self

    def __add__(self, other: Sequential) -> Sequential:
        return Sequential(*self, *sequence(other))

    def __iadd__(self, other: Sequential) -> Sequential:
        return self.extend(sequence(other))

    def __mul__(self, times: int) -> Sequential:
        return Sequential(*list(self) * factor(self, times))

    __rmul__ = __mul__

    def __imul__(self, times: int) -> Sequential:
        return self.extend(list(self) * (factor(self, times) - 1))


def sequence(other: Any) -> Sequential:
    """What may be added to a Sequential; ValueError for anything else."""
    if not isinstance(other, Sequential):
        raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
    return other


def factor(modules: Sequential, times: Any) -> int:
    """What it may be multiplied by."""
    if not isinstance(times, int):
        raise TypeError(f"unsupported operand type(s) for *: {type(modules)} and {type(times)}")
    if times <= 0:
        raise ValueError(f"Non-positive multiplication factor {times} for {type(modules)}")
    return times


class ModuleList(Numbered):
    """A list of modules that are registered with its owner (torch.nn.ModuleList)."""

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        super().__init__()
        self.extend(modules)

    def extend(self, modules: Iterable[Module]) -> ModuleList:
        """Add several modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        return super().extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def __iadd__(self, other: Iterable[Module]) -> ModuleList:
        return self.extend(other)

    def __repr__(self) -> str:
        groups: list[list[Any]] = []  # [first, last, repr] of neighbours that print the same
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
        mapped = isinstance(modules, Mapping | ModuleDict)
        for name, module in modules.items() if mapped else pairs(modules, "ModuleDict"):
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

    def pop(self, key: str) -> Module:
        """Take a module out."""
        module = self[key]
        del self[key]
        return module

    def clear(self) -> None:
        """Take all modules out."""
        self._modules.clear()

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def values(self) -> Iterable[Any]:
        """The modules."""
        return self._modules.values()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names and modules."""
        return self._modules.items()


def place(modules: Any, index: Any) -> int:
    """The place that an index names in a list, counted from the front; IndexError where there is none."""
    index, n = operator.index(index), len(modules)
    if not -n <= index < n:
        raise IndexError(f"index {index} is out of range")
    return index % n


def pairs(values: Any, kind: str) -> Iterator[tuple[Any, Any]]:
    """The (name, value) pairs that a dict of that kind is updated with; TypeError or ValueError for anything else."""
    if not isinstance(values, Iterable):
        told = {"ParameterDict": "ParametersDict"}.get(kind, kind)  # so torch spells it
        raise TypeError(
            f"{told}.update should be called with an iterable of key/value pairs, but got {type(values).__name__}"
        )
    for i, pair in enumerate(values):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{kind} update sequence element #{i} should be Iterable; is{type(pair).__name__}")
        if len(pair := tuple(pair)) != 2:
            raise ValueError(f"{kind} update sequence element #{i} has length {len(pair)}; 2 is required")
        yield pair
