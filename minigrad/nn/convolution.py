"""Convolutions as modules, and their transposes."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

from ..ops.conv import same_padding
from ..tensor import Tensor
from . import functional as F
from .constructors import OwnForward, own_constructor
from .layers import reset, unset
from .module import Module
from .parameter import Parameter
from .tuples import _reverse_repeat_tuple


class _ConvNd(OwnForward, Module):
    """A kernel and its settings, each given for every dimension it moves over; base of all convolutions, and of ones that
    write their own `forward`. transposed: the way back of a convolution with these settings."""

    bias: Parameter | None
    _padding_modes: tuple[str, ...] = ("zeros", "reflect", "replicate", "circular")

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: Any,
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.dilation = kernel_size, stride, dilation
        self.padding, self.padding_mode = padding, padding_mode
        self.transposed, self.output_padding = transposed, output_padding
        self._check_arguments()
        self._reversed_padding_repeated_twice = self._padding_around()
        inner = (out_channels, in_channels // groups) if not transposed else (in_channels, out_channels // groups)
        self.weight = unset(*inner, *kernel_size, dtype=dtype, device=device)
        if bias:
            self.bias = unset(out_channels, dtype=dtype, device=device)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _check_arguments(self) -> None:
        if self.groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name in ("in_channels", "out_channels"):
            if getattr(self, name) % self.groups:
                raise ValueError(f"{name} must be divisible by groups")
        if isinstance(self.padding, str):
            if self.padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {self.padding!r}, should be one of {{'same', 'valid'}}")
            if self.padding == "same" and any(s != 1 for s in self.stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if self.padding_mode not in self._padding_modes:
            raise ValueError(
                "padding_mode must be one of {'circular', 'zeros', 'replicate', 'reflect'}, but got "
                f"padding_mode={self.padding_mode!r}"
            )

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        reset(self.weight, self.bias)

    def _padding_around(self) -> Sequence[int]:
        """The padding as F.pad takes it: the last dimension first, both ends of each."""
        if not isinstance(self.padding, str):
            return _reverse_repeat_tuple(self.padding, 2)
        even = more = (0,) * len(self.kernel_size)
        if self.padding == "same":
            even, more = same_padding(self.kernel_size, self.stride, self.dilation)
        return [end for p, m in zip(reversed(even), reversed(more), strict=True) for end in (p, p + m)]

    def extra_repr(self) -> str:
        """As torch prints it: what differs from the defaults."""
        ones_, text = (1,) * len(self.kernel_size), f"{self.in_channels}, {self.out_channels}"
        text += f", kernel_size={self.kernel_size}, stride={self.stride}"
        none = (0,) * len(self.kernel_size)
        for name, default in (("padding", none), ("dilation", ones_), ("output_padding", none), ("groups", 1)):
            if getattr(self, name) != default:
                text += f", {name}={getattr(self, name)}"
        if self.bias is None:
            text += ", bias=False"
        return text if self.padding_mode == "zeros" else f"{text}, padding_mode={self.padding_mode}"


class Convolution(_ConvNd):
    """What Conv1d, Conv2d and Conv3d share. The kernel moves over `_spatial_dims` dimensions."""

    _spatial_dims = 0
    _is_transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        kernel_size, stride = self._of_each_dim(kernel_size), self._of_each_dim(stride)
        padding = padding if isinstance(padding, str) else self._of_each_dim(padding)
        dilation, none = self._of_each_dim(dilation), (0,) * self._spatial_dims
        settings = (kernel_size, stride, padding, dilation, self._is_transposed, none, groups, bias, padding_mode)
        super().__init__(in_channels, out_channels, *settings, device, dtype)

    def _of_each_dim(self, value: Any) -> tuple[Any, ...]:
        return (value,) * self._spatial_dims if isinstance(value, Integral) else tuple(value)

    def forward(self, input: Tensor) -> Tensor:
        """(N, in, *size) → (N, out, *size'), or the same without N."""
        return self._conv_forward(input, self.weight, self.bias)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """forward with another weight and bias: for subclasses that compute them."""
        convolve = getattr(F, f"conv{self._spatial_dims}d")
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode), 0
        return convolve(input, weight, bias, self.stride, padding, self.dilation, self.groups)


@own_constructor
class Conv1d(Convolution):
    """A kernel that moves along the last dimension (torch.nn.Conv1d)."""

    _spatial_dims = 1


@own_constructor
class Conv2d(Convolution):
    """A kernel that moves over the last two dimensions (torch.nn.Conv2d)."""

    _spatial_dims = 2


@own_constructor
class Conv3d(Convolution):
    """A kernel that moves over the last three dimensions (torch.nn.Conv3d)."""

    _spatial_dims = 3


class TransposedConvolution(Convolution):
    """What ConvTranspose1d and ConvTranspose2d share: the way back of a convolution with these settings."""

    _padding_modes = ("zeros",)
    _is_transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode not in self._padding_modes:
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )
        self.output_padding = self._of_each_dim(output_padding)

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """(N, in, *size) → (N, out, *size'), or the same without N. output_size: size' (or all of the output's shape), of
        the several that a convolution with this stride would have shrunk to `size`."""
        spread = getattr(F, f"conv_transpose{self._spatial_dims}d")
        more = self.output_padding if output_size is None else self._padding_for(input, output_size)
        return spread(input, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation)

    def _padding_for(self, input: Tensor, wanted: Sequence[int]) -> tuple[int, ...]:
        """How much is to be added to the least output of this input for one of the wanted size; ValueError if none is."""
        before = 2 if input.dim() == self._spatial_dims + 2 else 1  # dimensions in front of the size
        size = wanted[before:] if len(wanted) == before + self._spatial_dims else wanted
        if len(size) != self._spatial_dims:
            raise ValueError(
                f"ConvTranspose{self._spatial_dims}D: for {input.dim()}D input, output_size must have {self._spatial_dims} or "
                f"{before + self._spatial_dims} elements (got {len(wanted)})"
            )
        moves = zip(input.shape[before:], self.stride, self.padding, self.dilation, self.kernel_size, strict=False)
        least = [(n - 1) * step - 2 * pad + spread * (kernel - 1) + 1 for n, step, pad, spread, kernel in moves]
        most = [n + step - 1 for n, step in zip(least, self.stride, strict=False)]
        if not all(low <= n <= high for low, n, high in zip(least, size, most, strict=False)):
            raise ValueError(
                f"requested an output size of {size}, but valid sizes range from {least} to {most} (for an input of "
                f"{input.shape[2:]})"
            )
        return tuple([n - low for n, low in zip(size, least, strict=False)])


@own_constructor
class ConvTranspose1d(TransposedConvolution):
    """Every element of the last dimension spread by a kernel (torch.nn.ConvTranspose1d)."""

    _spatial_dims = 1


@own_constructor
class ConvTranspose2d(TransposedConvolution):
    """Every element of the last two dimensions spread by a kernel (torch.nn.ConvTranspose2d)."""

    _spatial_dims = 2
