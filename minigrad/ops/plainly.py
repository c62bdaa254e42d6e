"""Functions of torch.nn.functional as torch has them once more: under their own names with an underscore, in place, and in
`torch` itself, with the arguments of its operations."""

from __future__ import annotations

from ..tensor import Tensor
from . import activation, piecewise
from .arguments import Number


def celu(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """x where positive, else α (e^(x/α) - 1) (torch.celu)."""
    return activation.celu(input, alpha)


def celu_(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """celu, in place."""
    return activation.celu(input, alpha, True)


def elu_(input: Tensor, alpha: Number = 1) -> Tensor:
    """elu, in place."""
    return activation.elu(input, alpha, True)


def hardtanh_(input: Tensor, min_val: Number = -1, max_val: Number = 1) -> Tensor:
    """hardtanh, in place."""
    return activation.held(input, min_val, max_val, True)


def leaky_relu_(input: Tensor, negative_slope: Number = 0.01) -> Tensor:
    """leaky_relu, in place."""
    return activation.leaky_relu(input, negative_slope, True)


def selu(input: Tensor) -> Tensor:
    """elu, scaled so that activations keep mean 0 and variance 1 (torch.selu)."""
    return activation.selu(input)


def selu_(input: Tensor) -> Tensor:
    """selu, in place."""
    return activation.selu(input, True)


def threshold(input: Tensor, threshold: Number, value: Number) -> Tensor:
    """x above the threshold, else the value (torch.threshold)."""
    return piecewise.threshold(input, threshold, value)


def threshold_(input: Tensor, threshold: Number, value: Number) -> Tensor:
    """threshold, in place."""
    return piecewise.threshold(input, threshold, value, True)
