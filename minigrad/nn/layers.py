"""Layers with parameters, and those that shape or thin out their input."""

from __future__ import annotations

import math
from typing import Any

from ..autograd.grad_mode import no_grad
from ..ops.guard import guarded
from ..ops.nn import padding_row
from ..ranges import empty
from ..tensor import Tensor
from . import functional as F
from . import init
from .constructors import constructed_as
from .module import Module
from .parameter import Parameter

allocated = guarded(empty, method=False)


def unset(*shape: int, dtype: Any, device: Any) -> Parameter:
    """A parameter still to be initialised."""
    return Parameter(allocated(shape, dtype=dtype, device=device))


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


class Embedding(Module):
    """A table of vectors, looked up by number: (…) → (…, embedding_dim) (torch.nn.Embedding). Normal at first.

    The settings are those of functional.embedding.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if padding_idx is not None:
            padding_idx = padding_row(padding_idx, num_embeddings)
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        self.sparse = sparse
        if _weight is None:
            self.weight = unset(num_embeddings, embedding_dim, dtype=dtype, device=device)
            self.weight.requires_grad_(not _freeze)
            self.reset_parameters()
        else:
            if _weight.shape != (num_embeddings, embedding_dim):
                raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(_weight, requires_grad=not _freeze)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """An Embedding of given vectors, (num_embeddings, embedding_dim)."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        settings = (padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
        return cls(rows, columns, *settings, embeddings, freeze)

    def reset_parameters(self) -> None:
        """Draw the vectors anew; the padding vector is 0."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    def forward(self, input: Tensor) -> Tensor:
        """(…) whole numbers → (…, embedding_dim)."""
        settings = (self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse)
        return F.embedding(input, self.weight, *settings)

    def extra_repr(self) -> str:
        """As torch prints it."""
        usual = {"padding_idx": None, "max_norm": None, "norm_type": 2, "scale_grad_by_freq": False, "sparse": False}
        changed = [name for name, value in usual.items() if getattr(self, name) != value]
        settings = [f"{name}={getattr(self, name)}" for name in changed]
        return ", ".join([str(self.num_embeddings), str(self.embedding_dim), *settings])


@constructed_as("_DropoutNd")
class DropoutNd(Module):
    """What Dropout, Dropout1d and Dropout2d share."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        """As torch prints it."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(DropoutNd):
    """In training each element 0 with probability p, else over 1 - p; in evaluation nothing (torch.nn.Dropout)."""

    def forward(self, input: Tensor) -> Tensor:
        """The input, thinned out."""
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(DropoutNd):
    """Dropout of whole channels of (N, C, L) or (C, L) (torch.nn.Dropout1d)."""

    def forward(self, input: Tensor) -> Tensor:
        """The input, without some of its channels."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(DropoutNd):
    """Dropout of whole channels of (N, C, H, W) (torch.nn.Dropout2d)."""

    def forward(self, input: Tensor) -> Tensor:
        """The input, without some of its channels."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class PReLU(Module):
    """x where positive, else weight · x with one learned weight, or one for each channel (torch.nn.PReLU)."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = unset(num_parameters, dtype=dtype, device=device)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """The weight as it was at first."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, …) → the same shape."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """As torch prints it."""
        return f"num_parameters={self.num_parameters}"


class Flatten(Module):
    """The dimensions from start_dim to end_dim merged into one (torch.nn.Flatten)."""

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


class Unflatten(Module):
    """One dimension taken apart into several (torch.nn.Unflatten)."""

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        if not isinstance(unflattened_size, tuple | list):
            found = type(unflattened_size).__name__
            raise TypeError(f"unflattened_size must be a tuple of ints, but found type {found}")
        for at, size in enumerate(unflattened_size):
            if not isinstance(size, int):
                found = type(size).__name__
                raise TypeError(
                    f"unflattened_size must be tuple of ints, but found element of type {found} at pos {at}"
                )
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        """(N, n · m, …) → (N, n, m, …) for dim 1."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """As torch prints it."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
