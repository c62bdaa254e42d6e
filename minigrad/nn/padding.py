"""Modules that make their input larger at its ends: with zeros or another value, or with what it holds itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from ..tensor import Tensor
from . import functional as F
from .constructors import forward_as, own_constructor
from .module import Module


class Padding(Module):
    """The last `_spatial_dims` dimensions made longer by `padding`: one number, or as functional.pad takes it."""

    _spatial_dims: ClassVar[int] = 0
    _padding_mode: ClassVar[str] = "constant"

    def __init__(self, padding: Any) -> None:
        super().__init__()
        several = isinstance(padding, Iterable)
        self.padding = tuple(padding) if several else (padding,) * (2 * self._spatial_dims)

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, *size) or (C, *size) → the same with larger sizes."""
        return F.pad(input, self.padding, self._padding_mode)

    def extra_repr(self) -> str:
        """As torch prints it."""
        return f"{self.padding}"


@forward_as("_ConstantPadNd")
class ConstantPadding(Padding):
    """Padding by a value."""

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """The input with the value around it."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """As torch prints it."""
        return f"padding={self.padding}, value={self.value}"


@forward_as("_CircularPadNd")
class CircularPadding(Padding):
    """Padding with the values from the other end."""

    _padding_mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        """The input with its other end at each end."""
        least = self._spatial_dims + 1
        if input.dim() not in (least, least + 1):
            raise ValueError(f"expected {least}D or {least + 1}D input (got {input.dim()}D input)")
        return super().forward(input)


@own_constructor
class ConstantPad1d(ConstantPadding):
    """The last dimension padded with a value (torch.nn.ConstantPad1d)."""

    _spatial_dims = 1


class ZeroPad1d(ConstantPad1d):
    """The last dimension padded with zeros (torch.nn.ZeroPad1d)."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    extra_repr = Padding.extra_repr


@forward_as("_ReflectionPadNd")
@own_constructor
class ReflectionPad1d(Padding):
    """The last dimension padded with the values before the ends, in reverse (torch.nn.ReflectionPad1d)."""

    _spatial_dims, _padding_mode = 1, "reflect"


@forward_as("_ReplicationPadNd")
@own_constructor
class ReplicationPad1d(Padding):
    """The last dimension padded with the values at the ends (torch.nn.ReplicationPad1d)."""

    _spatial_dims, _padding_mode = 1, "replicate"


@own_constructor
class CircularPad1d(CircularPadding):
    """The last dimension padded with the values from the other end (torch.nn.CircularPad1d)."""

    _spatial_dims = 1


@own_constructor
class ConstantPad2d(ConstantPadding):
    """The last two dimensions padded with a value (torch.nn.ConstantPad2d)."""

    _spatial_dims = 2


class ZeroPad2d(ConstantPad2d):
    """The last two dimensions padded with zeros (torch.nn.ZeroPad2d)."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    extra_repr = Padding.extra_repr


@forward_as("_ReflectionPadNd")
@own_constructor
class ReflectionPad2d(Padding):
    """The last two dimensions padded with the values before the ends, in reverse (torch.nn.ReflectionPad2d)."""

    _spatial_dims, _padding_mode = 2, "reflect"


@forward_as("_ReplicationPadNd")
@own_constructor
class ReplicationPad2d(Padding):
    """The last two dimensions padded with the values at the ends (torch.nn.ReplicationPad2d)."""

    _spatial_dims, _padding_mode = 2, "replicate"


@own_constructor
class CircularPad2d(CircularPadding):
    """The last two dimensions padded with the values from the other end (torch.nn.CircularPad2d)."""

    _spatial_dims = 2


@own_constructor
class ConstantPad3d(ConstantPadding):
    """The last three dimensions padded with a value (torch.nn.ConstantPad3d)."""

    _spatial_dims = 3


class ZeroPad3d(ConstantPad3d):
    """The last three dimensions padded with zeros (torch.nn.ZeroPad3d)."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    extra_repr = Padding.extra_repr


@forward_as("_ReflectionPadNd")
@own_constructor
class ReflectionPad3d(Padding):
    """The last three dimensions padded with the values before the ends, in reverse (torch.nn.ReflectionPad3d)."""

    _spatial_dims, _padding_mode = 3, "reflect"


@forward_as("_ReplicationPadNd")
@own_constructor
class ReplicationPad3d(Padding):
    """The last three dimensions padded with the values at the ends (torch.nn.ReplicationPad3d)."""

    _spatial_dims, _padding_mode = 3, "replicate"


@own_constructor
class CircularPad3d(CircularPadding):
    """The last three dimensions padded with the values from the other end (torch.nn.CircularPad3d)."""

    _spatial_dims = 3
