"""torch.nn.init: fill tensors with starting values, in place and unrecorded; from one seed the same as torch's."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from ..autograd.grad_mode import no_grad
from ..backend import numpy, to_host
from ..draws import overwrite, randperm
from ..errors import refusing, warn
from ..ops.masks import where
from ..random import Generator, source
from ..ranges import empty_like
from ..tensor import Tensor

__getattr__ = refusing(__name__)

GAINS = {
    "sigmoid": 1,
    "linear": 1,
    "conv1d": 1,
    "conv2d": 1,
    "conv3d": 1,
    "tanh": 5 / 3,
    "relu": math.sqrt(2),
    "selu": 3 / 4,
}


def unrecorded(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`function`, run under no_grad. Not `@no_grad()`: that would run no_grad, which a learner writes, at import."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Tensor:
        with no_grad():
            return function(*args, **kwargs)

    return call


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor for the standard deviation before this nonlinearity (He et al. 2015)."""
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, int | float):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2 / (1 + slope**2))
    if nonlinearity not in GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return GAINS[nonlinearity]


def fans(tensor: Tensor) -> tuple[int, int]:
    """How many inputs one output of this weight sees, and how many outputs one input reaches."""
    shape = tensor._data.shape
    if len(shape) < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


_calculate_fan_in_and_fan_out = fans  # under this name user code reaches for it in torch


@unrecorded
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Uniform in [a, b)."""
    return tensor.uniform_(a, b, generator=generator)


@unrecorded
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Normal."""
    return tensor.normal_(mean, std, generator=generator)


@unrecorded
def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Normal, held within [a, b]: what falls outside is drawn again, or where that would be most, what is drawn evenly
    from [a, b] is kept as often as the curve is high there."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect."
        )
    if math.erf((b - mean) / std / math.sqrt(2)) - math.erf((a - mean) / std / math.sqrt(2)) > 0.6:
        low, high = tensor.new_tensor([a, b]).tolist()
        result = tensor.normal_(mean, std, generator=generator)
        while (outside := (result < low) | (result > high)).any():
            result = where(outside, empty_like(result).normal_(mean, std, generator=generator), result)
        return result if result is tensor else tensor.copy_(result)
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2

    def refused(candidates: Tensor) -> Tensor:
        height = ((candidates - mean) / std) ** 2 * -0.5 - peak
        return empty_like(tensor).uniform_(generator=generator).log_() > height

    result = tensor.uniform_(a, b, generator=generator)
    pending = refused(result)
    while pending.any():
        candidates = empty_like(tensor).uniform_(a, b, generator=generator)
        result, pending = where(pending, candidates, result), refused(candidates).logical_and(pending)
    return result if result is tensor else tensor.copy_(result)


@unrecorded
def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one value."""
    return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Zeros."""
    return constant_(tensor, 0.0)


@unrecorded
def eye_(tensor: Tensor) -> Tensor:
    """Ones on the diagonal of a matrix."""
    if tensor._data.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return overwrite(tensor, numpy.eye(*tensor._data.shape))


@unrecorded
def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """The weight of a convolution that passes its input on, as many channels as there are; in each group anew."""
    shape = tensor._data.shape
    if len(shape) not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    tensor.zero_()
    each, middle = shape[0] // groups, tuple(size // 2 for size in shape[2:])
    for group in range(groups):
        for channel in range(min(each, shape[1])):
            tensor[(group * each + channel, channel, *middle)] = 1
    return tensor


@unrecorded
def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Normal, but in every column of a matrix a share of 0s (Martens 2010)."""
    if tensor._data.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor._data.shape
    tensor.normal_(0, std, generator=generator)
    for column in range(columns):
        tensor[randperm(rows)[: math.ceil(sparsity * rows)], column] = 0
    return tensor


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Uniform, of variance gain² · 2 / (fan_in + fan_out) (Glorot, Bengio 2010)."""
    bound = math.sqrt(3) * (gain * math.sqrt(2 / float(sum(fans(tensor)))))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Normal, of variance gain² · 2 / (fan_in + fan_out)."""
    return normal_(tensor, 0.0, gain * math.sqrt(2 / float(sum(fans(tensor)))), generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {modes}")
    return calculate_gain(nonlinearity, a) / math.sqrt(fans(tensor)[modes.index(mode.lower())])


def _nothing_to_do(tensor: Tensor) -> bool:
    if 0 in tensor._data.shape:
        warn("Initializing zero-element tensors is a no-op")
        return True
    return False


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Uniform, of variance gain² / fan (He et al. 2015). a: the slope of leaky_relu."""
    if _nothing_to_do(tensor):
        return tensor
    bound = math.sqrt(3) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Normal, of variance gain² / fan."""
    if _nothing_to_do(tensor):
        return tensor
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


@unrecorded
def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Orthogonal rows (or columns, if they are fewer) (Saxe et al. 2013)."""
    if tensor._data.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    rows = tensor._data.shape[0]
    n = tensor._data.size
    if not n:
        return tensor
    drawn = source(generator, tensor.device).normal(n, tensor._data.dtype)
    drawn = drawn.astype(tensor._data.dtype, copy=False).reshape(rows, n // rows)
    tall: Any = drawn.T if rows < n // rows else drawn
    q, r = numpy.linalg.qr(to_host(tall))
    q = q * numpy.sign(numpy.diag(r))
    return overwrite(tensor, (q.T if rows < n // rows else q).reshape(tensor._data.shape)).mul_(gain)


# ------------------------------------------------------------------ names from before there was an underscore


def _deprecated(old: str) -> Callable[..., Tensor]:
    """The function `old`_ under the name it had before; a FutureWarning says so."""
    today: Callable[..., Tensor] = globals()[f"{old}_"]

    @functools.wraps(today)
    def call(*args: Any, **kwargs: Any) -> Tensor:
        warn(f"`nn.init.{old}` is now deprecated in favor of `nn.init.{old}_`.", FutureWarning)
        return today(*args, **kwargs)

    call.__name__ = call.__qualname__ = old
    call.__doc__ = f"The older name of {old}_; a FutureWarning says so."
    return call


OLD_NAMES = (
    "uniform normal constant eye dirac sparse xavier_uniform xavier_normal kaiming_uniform kaiming_normal orthogonal"
)
globals().update({old: _deprecated(old) for old in OLD_NAMES.split()})
