"""Modules that hold parameters, and whatever else is put among them: ParameterList, ParameterDict."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..tensor import Tensor
from .containers import pairs, place
from .module import Module
from .parameter import Parameter


class ParameterList(Module):
    """A list of parameters registered with its owner, and of other values (torch.nn.ParameterList)."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")

    def append(self, value: Any) -> ParameterList:
        """Add one; a plain tensor becomes a Parameter."""
        setattr(self, str(len(self)), as_parameter(value))
        self._size += 1
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Add several."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    __iadd__ = extend

    def __setitem__(self, index: Any, value: Any) -> None:
        setattr(self, str(place(self, index)), as_parameter(value))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, str(i)) for i in range(self._size))

    def __getitem__(self, index: Any) -> Any:
        values = list(self)
        return ParameterList(values[index]) if isinstance(index, slice) else values[place(self, index)]

    def extra_repr(self) -> str:
        """One line for each entry."""
        return listed(enumerate(self), lambda p: str(p.dtype))


class ParameterDict(Module):
    """Parameters by name, registered with their owner, and other values (torch.nn.ParameterDict)."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        self.update({} if parameters is None else parameters)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")

    def update(self, parameters: Any) -> None:
        """Add all of a mapping, or of (name, tensor) pairs; those of a plain dict in the names' order, as torch does."""
        if isinstance(parameters, Mapping | ParameterDict):
            in_order = isinstance(parameters, OrderedDict | ParameterDict)
            parameters = parameters.items() if in_order else sorted(parameters.items())
        else:
            parameters = pairs(parameters, "ParameterDict")
        for name, p in parameters:
            self[name] = p

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, named(name), as_parameter(value))
        self._keys[name] = None

    def __getitem__(self, name: str) -> Any:
        return getattr(self, named(name))

    def __delitem__(self, name: str) -> None:
        del self._keys[name]
        delattr(self, name)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __contains__(self, name: str) -> bool:
        return name in self._keys

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self))

    def __or__(self, other: Any) -> ParameterDict:
        both = self.copy()
        both.update(other)
        return both

    def __ror__(self, other: Any) -> Any:
        both = other.copy()
        both.update(self)
        return both

    def __ior__(self, other: Any) -> ParameterDict:
        self.update(other)
        return self

    def copy(self) -> ParameterDict:
        """Another dict of the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """Another dict, of these names, with one thing under all of them."""
        return ParameterDict((key, default) for key in keys)

    def get(self, key: str, default: Any = None) -> Any:
        """The parameter of this name, or what there is instead."""
        return self[key] if key in self else default

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The parameter of this name, which is added where there is none."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: str) -> Any:
        """Take a parameter out."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Take out the last one; its name and itself."""
        key = next(reversed(self))
        return key, self.pop(key)

    def clear(self) -> None:
        """Take all out."""
        for key in list(self):
            del self[key]

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._keys.keys()

    def values(self) -> Iterable[Any]:
        """The parameters."""
        return [self[name] for name in self]

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names and parameters."""
        return [(name, self[name]) for name in self]

    def extra_repr(self) -> str:
        """One line for each entry."""
        return listed(self.items(), lambda p: p.type())


def as_parameter(value: Any) -> Any:
    """What becomes of a value that is put among parameters: of a plain tensor a Parameter."""
    return Parameter(value) if type(value) is Tensor else value


def named(key: Any) -> str:
    """The name of an entry of a ParameterDict; TypeError for what is no string."""
    if not isinstance(key, str):
        raise TypeError(
            "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
            f"'{type(key).__name__}'). Open an issue on github if you need non-string keys."
        )
    return key


def listed(entries: Iterable[tuple[Any, Any]], kind: Callable[[Tensor], str]) -> str:
    """A line for each entry, as torch prints it; lists give a tensor's dtype, dicts its type's old name."""
    lines = []
    for key, value in entries:
        told = f"Object of type: {type(value).__name__}"
        if isinstance(value, Tensor):
            place = f" ({value.device})" if value.is_cuda else ""
            told = f"Parameter containing: [{kind(value)} of size {'x'.join(map(str, value.shape))}{place}]"
        lines.append(f"  ({key}): {told}")
    return "\n".join(lines)
