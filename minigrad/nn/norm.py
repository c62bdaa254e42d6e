"""Normalisation of batches, elements of the batch, groups, rows and mean squares as modules: parameters, and the running
averages that evaluation uses."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

from ..creation import ones, tensor, zeros
from ..dtypes import int64
from ..errors import warn
from ..tensor import Tensor
from . import functional as F
from . import init
from .constructors import constructed_as
from .layers import unset
from .module import Module


class Affine(Module):
    """What scales and moves what it has normalised, by a weight and a bias of one shape; each may be None."""

    def _add_affine(self, shape: tuple[int, ...], affine: bool, bias: bool, device: Any, dtype: Any) -> None:
        """Weight and bias, or None in place of what is not wanted."""
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(name, unset(*shape, dtype=dtype, device=device) if wanted else None)

    def reset_parameters(self) -> None:
        """weight 1, bias 0."""
        for parameter, start in ((self.weight, init.ones_), (self.bias, init.zeros_)):
            if parameter is not None:
                start(parameter)


class _NormBase(Affine):
    """What normalises channels, and in training keeps running averages for evaluation; base of _BatchNorm and _InstanceNorm.

    momentum: how far one batch moves the running averages; None: they are plain averages of all batches so far.
    """

    _version = 2
    _input_dims: ClassVar[tuple[int, ...]] = ()

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self._add_affine((num_features,), affine, bias, device, dtype)
        track, made = track_running_stats, {"device": device, "dtype": dtype}
        self.register_buffer("running_mean", zeros(num_features, **made) if track else None)
        self.register_buffer("running_var", ones(num_features, **made) if track else None)
        self.register_buffer("num_batches_tracked", tensor(0, dtype=int64, device=device) if track else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget what was seen: mean 0, variance 1."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """weight 1, bias 0, running averages forgotten."""
        self.reset_running_stats()
        super().reset_parameters()

    def _check_input_dim(self, input: Tensor) -> None:
        """ValueError for an input of another number of dimensions; NotImplementedError where a subclass has not said of which."""
        if not self._input_dims:
            raise NotImplementedError
        if input.ndim not in self._input_dims:
            wanted = " or ".join(f"{n}D" for n in self._input_dims)
            raise ValueError(f"expected {wanted} input (got {input.ndim}D input)")

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any) -> None:
        """The number of batches came with version 2: what was saved before lacks it."""
        if (local_metadata.get("version") or 1) < 2 and self.track_running_stats:
            state_dict.setdefault(prefix + "num_batches_tracked", self.num_batches_tracked)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def extra_repr(self) -> str:
        """As torch prints it."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


@constructed_as("_BatchNorm")
class _BatchNorm(_NormBase):
    """Every channel with mean 0 and variance 1, then · weight + bias; base of BatchNorm1d and BatchNorm2d.

    momentum: how far one batch moves the running averages; None: they are plain averages of all batches so far.
    """

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, …) → the same shape."""
        self._check_input_dim(input)
        share = self.momentum
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            if share is None:
                share = 1 / self.num_batches_tracked.item()
        followed = self.track_running_stats or not self.training
        return F.batch_norm(
            input,
            self.running_mean if followed else None,
            self.running_var if followed else None,
            self.weight,
            self.bias,
            self.training or self.running_mean is None,
            share or 0.0,
            self.eps,
        )


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of (N, C) or (N, C, L) (torch.nn.BatchNorm1d)."""

    _input_dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of (N, C, H, W) (torch.nn.BatchNorm2d)."""

    _input_dims = (4,)


class _InstanceNorm(_NormBase):
    """Every channel of every element of the batch with mean 0 and variance 1, then · weight + bias; base of InstanceNorm1d
    and InstanceNorm2d. momentum: how far one batch moves the running averages."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, …) or (C, …) → the same shape."""
        self._check_input_dim(input)
        alone = input.dim() == self._input_dims[0]
        place = input.dim() - self._input_dims[0]
        if input.size(place) != self.num_features:
            size = input.size(place)
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={place} to match num_features ({self.num_features}), but got: {size}."
                )
            warn(
                f"input's size at dim={place} does not match num_features. You can silence this warning by not passing in "
                "num_features, which is not used because affine=False"
            )
        out = F.instance_norm(
            input.unsqueeze(0) if alone else input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            self.momentum or 0.0,
            self.eps,
        )
        return out.squeeze(0) if alone else out


class InstanceNorm1d(_InstanceNorm):
    """Instance normalisation of (N, C, L) or (C, L) (torch.nn.InstanceNorm1d)."""

    _input_dims = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Instance normalisation of (N, C, H, W) or (C, H, W) (torch.nn.InstanceNorm2d)."""

    _input_dims = (3, 4)


class GroupNorm(Affine):
    """Every group of channels of every image with mean 0 and variance 1, then · weight + bias (torch.nn.GroupNorm)."""

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self._add_affine((num_channels,), affine, bias, device, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, …) → the same shape."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """As torch prints it."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class LayerNorm(Affine):
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
        shape = (normalized_shape,) if isinstance(normalized_shape, Integral) else tuple(normalized_shape)
        self.normalized_shape = shape
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._add_affine(shape, elementwise_affine, bias, device, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """(…, *normalized_shape) → the same shape."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """As torch prints it."""
        affine = f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        return f"{self.normalized_shape}, eps={self.eps}, {affine}"


class RMSNorm(Module):
    """Mean square 1 over the last dimensions, then · weight (torch.nn.RMSNorm)."""

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, Integral) else tuple(normalized_shape)
        self.normalized_shape, self.eps, self.elementwise_affine = shape, eps, elementwise_affine
        made = unset(*shape, dtype=dtype, device=device) if elementwise_affine else None
        self.register_parameter("weight", made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """weight 1."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        """(…, *normalized_shape) → the same shape."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """As torch prints it."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
