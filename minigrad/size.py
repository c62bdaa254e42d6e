"""Two small values that a tensor shows of itself, its Size and its device, printed as torch prints them; and the device of
what is made without one."""

from __future__ import annotations

import math
import threading
from operator import index
from typing import Any

unchecked = tuple.__new__  # unchecked(Size, shape), of ints that are lengths already: shapes are asked for often


class Size(tuple[int, ...]):
    """A shape; a tuple that prints as torch.Size([2, 3])."""

    __slots__ = ()

    def __new__(cls, *given: Any, **named: Any) -> Size:
        """Size([2, 3]); TypeError for what is no int, and what `tuple` says to other arguments."""
        return unchecked(cls, [as_length(n, i) for i, n in enumerate(tuple(*given, **named))])

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def numel(self) -> int:
        """The number of elements."""
        return math.prod(self)

    def __getitem__(self, index: Any) -> Any:
        got = super().__getitem__(index)
        return Size(got) if isinstance(index, slice) else got

    def __add__(self, other: Any) -> Size:
        if not isinstance(other, tuple):
            raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to torch.Size")
        return Size(super().__add__(other))

    def __radd__(self, other: Any) -> Size:
        return Size(other + tuple(self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, count: Any) -> Size:
        if not hasattr(count, "__index__"):
            raise TypeError(f"can't multiply sequence by non-int of type '{type(count).__name__}'")
        return Size(super().__mul__(count))

    __rmul__ = __mul__


def as_length(n: Any, i: int) -> int:
    """Item i of a Size as an int: whatever Python takes for an index, in 64 bits."""
    try:
        length = index(n)
    except TypeError:
        kind = type(n)
        name = f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {i} is '{name}')") from None
    if not -(2**63) <= length < 2**63:
        raise ValueError("Overflow when unpacking long long")
    return length


def accelerator() -> str:
    """The kind of device that a bare number means; RuntimeError in torch's words where there is none."""
    from .cuda import is_available

    if not is_available():
        raise RuntimeError("Cannot access accelerator device when none is available.")
    return "cuda"


class Chosen(threading.local):
    """The device, in this thread, of what is made without one: that of the innermost `with device(…)`, or else the one that
    was set; None for the host."""

    device: device | None = None

    def __init__(self) -> None:
        self.before: list[device | None] = []  # what the `with` blocks that are open will put back


chosen = Chosen()


class device:
    """Where an array is stored: device("cpu"), device("cuda", 0), device("cuda:0"). `with device("cuda"):` is a block in
    which tensors that are given no device are made there."""

    __slots__ = ("type", "index")

    def __init__(self, type: Any, index: int | None = None) -> None:
        if isinstance(type, device):
            type, index = type.type, type.index
        if isinstance(type, int):
            type, index = accelerator(), type
        kind, colon, number = str(type).partition(":")
        if not kind.replace("_", "a").isalpha() or (colon and not (number.isdigit() and number == str(int(number)))):
            raise RuntimeError(f"Invalid device string: '{type}'")
        if kind not in ("cpu", "cuda"):
            raise RuntimeError(f"Expected one of cpu, cuda device type at start of device string: {kind}")
        if index is not None and (not isinstance(index, int) or isinstance(index, bool)):
            raise TypeError(f"device(): argument 'index' (position 2) must be int, not {index.__class__.__name__}")
        if index is not None and index < 0:
            raise RuntimeError("Device index must not be negative")
        self.type: str = kind
        self.index: int | None = int(number) if number else index

    def __enter__(self) -> device:
        chosen.before.append(chosen.device)
        chosen.device = self
        return self

    def __exit__(self, *error: object) -> None:
        chosen.device = chosen.before.pop()

    def __repr__(self) -> str:
        return f"device(type='{self.type}'{'' if self.index is None else f', index={self.index}'})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))


Device = device  # for functions of which an argument has that name


def set_default_device(device: Any) -> None:
    """Where tensors are made that are given no device, in this thread; None for the CPU (torch.set_default_device)."""
    chosen.device = None if device is None else Device(device)


def get_default_device() -> device:
    """Where tensors are made that are given no device (torch.get_default_device)."""
    from .cuda import current_device

    found = chosen.device or device("cpu")
    return device("cuda", current_device()) if str(found) == "cuda" else found


class memory_format:  # noqa: N801 (as torch has it)
    """The order of elements in memory: always that of the indices here, whichever is requested."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return "torch." + self.name

    def __reduce__(self) -> str:
        return self.name


contiguous_format, preserve_format = memory_format("contiguous_format"), memory_format("preserve_format")
channels_last = memory_format("channels_last")
