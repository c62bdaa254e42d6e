"""Dropout: elements, or whole channels, set to 0 at random, and the rest made larger so that the mean stays."""

from __future__ import annotations

from ..autograd.grad_mode import no_grad
from ..errors import warn
from ..ranges import zeros_like
from ..tensor import Tensor
from .arguments import Bool, Float, parsed


def thinned(input: Tensor, p: float, training: bool, inplace: bool, channels: bool) -> Tensor:
    """Each element, or each channel of (N, C, …), 0 with probability p, else over 1 - p; as it is when not training.

    The same numbers as torch's after the same manual_seed.
    """
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not isinstance(input, Tensor) or not isinstance(training, bool):
        raise TypeError
    x = input._data
    if p == 0 or not training or not x.size:
        return input
    if channels and x.ndim < 2 and p < 1:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    with no_grad():
        if p == 1:
            noise = input.new_zeros(())
        else:
            noise = input.new_zeros((*x.shape[:2], *[1] * (x.ndim - 2))) if channels else zeros_like(input)
            noise.bernoulli_(1 - p).div_(1 - p)
    return input.mul_(noise) if inplace else input * noise


@parsed("dropout", "input", "p", "train=training")
def dropout(input: Tensor, p: Float = 0.5, training: Bool = True, inplace: bool = False) -> Tensor:
    """Each element 0 with probability p, else over 1 - p, so that the mean stays (torch.nn.functional.dropout).

    The same numbers as torch's after the same manual_seed.
    """
    return thinned(input, p, training, inplace, channels=False)


@parsed("feature_dropout", "", "p", "train=training")
def dropout1d(input: Tensor, p: Float = 0.5, training: Bool = True, inplace: bool = False) -> Tensor:
    """Each channel of (N, C, L) or (C, L) 0 with probability p, else over 1 - p (torch.nn.functional.dropout1d)."""
    if 0 <= p <= 1 and input.dim() not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input. Note that dropout1d exists to "
            "provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch "
            "dimension (i.e. 2D or 3D inputs)."
        )
    if not 0 <= p <= 1 or input.dim() == 3:
        return thinned(input, p, training, inplace, channels=True)
    if inplace:
        return thinned(input.unsqueeze_(0), p, training, inplace, channels=True).squeeze_(0)
    return thinned(input.unsqueeze(0), p, training, inplace, channels=True).squeeze(0)


@parsed("feature_dropout", "", "p", "train=training")
def dropout2d(input: Tensor, p: Float = 0.5, training: Bool = True, inplace: bool = False) -> Tensor:
    """Each channel of (N, C, H, W) 0 with probability p, else over 1 - p (torch.nn.functional.dropout2d)."""
    said = "dropout2d: Received a "
    if 0 <= p <= 1 and input.dim() not in (3, 4):
        warn(
            f"{said}{input.dim()}-D input to dropout2d, which is deprecated and will result in an error in a future "
            "release. To retain the behavior and silence this warning, please use dropout instead. Note that dropout2d "
            "exists to provide channel-wise dropout on inputs with 2 spatial dimensions, a channel dimension, and an "
            "optional batch dimension (i.e. 3D or 4D inputs)."
        )
    if 0 <= p <= 1 and input.dim() == 3:
        warn(
            f"{said}3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - input is "
            "interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a future release to "
            "interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise "
            "dropout behavior, please switch to using dropout1d instead."
        )
    return thinned(input, p, training, inplace, channels=True)
