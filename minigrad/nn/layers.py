"""Layers with parameters, and those that shape or thin out their input."""

from __future__ import annotations

import math
from typing import Any

from ..creation import ones, zeros
from ..ops.conv import same_padding
from ..tensor import Tensor
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter


def unset(*shape: int, dtype: Any, device: Any) -> Parameter:
    """A parameter still to be initialised."""
    return Parameter(zeros(*shape, dtype=dtype, device=device))


class Identity(Module):
    """Its input, whatever it is constructed with (torch.nn.Identity)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """The input."""
        return input


class Linear(Module):
    """input @ weightᵀ + bias: (…, in_features) → (…, out_features) (torch.nn.Linear).

    weight: (out_features, in_features), bias: (out_features,), both uniform in ± 1/√in_features at first.
    """

    bias: Parameter | None

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = unset(out_features, in_features, dtype=dtype, device=device)
        if bias:
            self.bias = unset(out_features, dtype=dtype, device=device)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        reset(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """(…, in_features) → (…, out_features)."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """As torch prints it."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


def reset(weight: Tensor, bias: Tensor | None) -> None:
    """torch's default for linear and convolution: uniform, so that the variance is 1 / (3 fan_in)."""
    init.kaiming_uniform_(weight, a=math.sqrt(5))
    if bias is not None:
        fan_in, _ = init.fans(weight)
        bound = 1 / math.sqrt(fan_in) if fan_in else 0
        init.uniform_(bias, -bound, bound)


class Convolution(Module):
    """What Conv1d and Conv2d share. The kernel moves over `ndim` dimensions."""

    bias: Parameter | None
    ndim = 0
    modes = ("zeros", "reflect", "replicate", "circular")

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
        super().__init__()
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride = self._each(kernel_size), self._each(stride)
        self.padding: Any = padding if isinstance(padding, str) else self._each(padding)
        self.dilation = self._each(dilation)
        self.padding_mode = padding_mode
        self._check()
        self.weight = unset(out_channels, in_channels // groups, *self.kernel_size, dtype=dtype, device=device)
        if bias:
            self.bias = unset(out_channels, dtype=dtype, device=device)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _each(self, value: Any) -> tuple[int, ...]:
        return (value,) * self.ndim if isinstance(value, int) else tuple(value)

    def _check(self) -> None:
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
        if self.padding_mode not in self.modes:
            raise ValueError(
                "padding_mode must be one of {'circular', 'zeros', 'replicate', 'reflect'}, but got "
                f"padding_mode={self.padding_mode!r}"
            )

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        reset(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """(N, in, *size) → (N, out, *size'), or the same without N."""
        convolve = getattr(F, f"conv{self.ndim}d")
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._around(), mode=self.padding_mode), 0
        return convolve(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def _around(self) -> list[int]:
        """The padding as F.pad takes it: the last dimension first, both ends of each."""
        none = (0,) * self.ndim
        even, more = none if self.padding == "valid" else self.padding, none
        if self.padding == "same":
            even, more = same_padding(self.kernel_size, self.stride, self.dilation)
        return [end for p, m in zip(reversed(even), reversed(more), strict=True) for end in (p, p + m)]

    def extra_repr(self) -> str:
        """As torch prints it: what differs from the defaults."""
        ones_, text = (1,) * self.ndim, f"{self.in_channels}, {self.out_channels}"
        text += f", kernel_size={self.kernel_size}, stride={self.stride}"
        for name, default in (("padding", (0,) * self.ndim), ("dilation", ones_), ("groups", 1)):
            if getattr(self, name) != default:
                text += f", {name}={getattr(self, name)}"
        if self.bias is None:
            text += ", bias=False"
        return text if self.padding_mode == "zeros" else f"{text}, padding_mode={self.padding_mode}"


class Conv1d(Convolution):
    """A kernel that moves along the last dimension (torch.nn.Conv1d)."""

    ndim = 1


class Conv2d(Convolution):
    """A kernel that moves over the last two dimensions (torch.nn.Conv2d)."""

    ndim = 2


class LayerNorm(Module):
    """Mean 0 and variance 1 over the last dimensions, then · weight + bias (torch.nn.LayerNorm)."""

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape = shape
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        for name, wanted in (("weight", elementwise_affine), ("bias", elementwise_affine and bias)):
            start = (ones if name == "weight" else zeros)(*shape, dtype=dtype, device=device)
            self.register_parameter(name, Parameter(start) if wanted else None)

    def reset_parameters(self) -> None:
        """weight 1, bias 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """(…, *normalized_shape) → the same shape."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """As torch prints it."""
        affine = f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        return f"{self.normalized_shape}, eps={self.eps}, {affine}"


class Embedding(Module):
    """A table of vectors, looked up by number: (…) → (…, embedding_dim) (torch.nn.Embedding). Normal at first."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        if _weight is None:
            self.weight = unset(num_embeddings, embedding_dim, dtype=dtype, device=device)
            self.weight.requires_grad_(not _freeze)
            self.reset_parameters()
        else:
            self.weight = Parameter(_weight, requires_grad=not _freeze)

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None) -> Embedding:
        """An Embedding of given vectors, (num_embeddings, embedding_dim)."""
        rows, columns = embeddings.shape
        return cls(rows, columns, padding_idx, _weight=embeddings, _freeze=freeze)

    def reset_parameters(self) -> None:
        """Draw the vectors anew; the padding vector is 0."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight.data[self.padding_idx] = 0

    def forward(self, input: Tensor) -> Tensor:
        """(…) whole numbers → (…, embedding_dim)."""
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        """As torch prints it."""
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        return text if self.padding_idx is None else f"{text}, padding_idx={self.padding_idx}"


class Dropout(Module):
    """In training each element 0 with probability p, else over 1 - p; in evaluation nothing (torch.nn.Dropout)."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input, thinned out."""
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        """As torch prints it."""
        return f"p={self.p}, inplace={self.inplace}"


class Flatten(Module):
    """The dimensions from start_dim to end_dim made one (torch.nn.Flatten)."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """(N, …) → (N, all the rest) by default."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """As torch prints it."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"
