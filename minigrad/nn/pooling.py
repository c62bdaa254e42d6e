"""Modules that pool, and Upsample, which does the opposite. Each is one function of nn.functional with its settings."""

from __future__ import annotations

from typing import Any

from . import functional as F
from .simple import REQUIRED, Simple


class Pool(Simple):
    """Pooling: the stride is the kernel's size unless told otherwise."""

    kernel_size: Any
    stride: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.stride is None:
            self.stride = self.kernel_size


LARGEST = {
    "kernel_size": REQUIRED,
    "stride": None,
    "padding": 0,
    "dilation": 1,
    "return_indices": False,
    "ceil_mode": False,
}
AVERAGE = {"kernel_size": REQUIRED, "stride": None, "padding": 0, "ceil_mode": False, "count_include_pad": True}


class MaxPool1d(Pool):
    """The largest element of every window of the last dimension (torch.nn.MaxPool1d)."""

    _constructor_named = "_MaxPoolNd"
    _functional = F.max_pool1d
    _constructor_settings = LARGEST
    _settings_shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")


class MaxPool2d(Pool):
    """The largest element of every window of the last two dimensions (torch.nn.MaxPool2d)."""

    _constructor_named = "_MaxPoolNd"
    _functional = F.max_pool2d
    _constructor_settings = LARGEST
    _settings_shown = MaxPool1d._settings_shown


class AvgPool1d(Pool):
    """The average of every window of the last dimension (torch.nn.AvgPool1d)."""

    _functional = F.avg_pool1d
    _constructor_settings = AVERAGE
    _settings_shown = ("kernel_size", "stride", "padding")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("kernel_size", "stride", "padding"):
            value = getattr(self, name)
            setattr(self, name, (value,) if isinstance(value, int) else tuple(value))


class AvgPool2d(Pool):
    """The average of every window of the last two dimensions (torch.nn.AvgPool2d)."""

    _functional = F.avg_pool2d
    _constructor_settings = AVERAGE | {"divisor_override": None}
    _settings_shown = AvgPool1d._settings_shown


class AdaptiveAvgPool1d(Simple):
    """The average over as many even parts as output_size says (torch.nn.AdaptiveAvgPool1d)."""

    _constructor_named = "_AdaptiveAvgPoolNd"
    _functional = F.adaptive_avg_pool1d
    _constructor_settings = {"output_size": REQUIRED}


class AdaptiveAvgPool2d(Simple):
    """The average over as many even parts of an image as output_size says (torch.nn.AdaptiveAvgPool2d)."""

    _constructor_named = "_AdaptiveAvgPoolNd"
    _functional = F.adaptive_avg_pool2d
    _constructor_settings = {"output_size": REQUIRED}


class AdaptiveMaxPool1d(Simple):
    """The largest element of as many even parts as output_size says (torch.nn.AdaptiveMaxPool1d)."""

    _constructor_named = "_AdaptiveMaxPoolNd"
    _functional = F.adaptive_max_pool1d
    _constructor_settings = {"output_size": REQUIRED, "return_indices": False}
    _settings_shown = ("output_size",)


class AdaptiveMaxPool2d(Simple):
    """The largest element of as many even parts of an image as output_size says (torch.nn.AdaptiveMaxPool2d)."""

    _constructor_named = "_AdaptiveMaxPoolNd"
    _functional = F.adaptive_max_pool2d
    _constructor_settings = AdaptiveMaxPool1d._constructor_settings
    _settings_shown = AdaptiveMaxPool1d._settings_shown


class Upsample(Simple):
    """Images made larger or smaller, to a size or by a factor (torch.nn.Upsample)."""

    _functional = F.interpolate
    _constructor_settings = {
        "size": None,
        "scale_factor": None,
        "mode": "nearest",
        "align_corners": None,
        "recompute_scale_factor": None,
    }

    scale_factor: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        factor = self.scale_factor
        if factor is not None:
            self.scale_factor = tuple(map(float, factor)) if isinstance(factor, tuple) else float(factor)

    def extra_repr(self) -> str:
        """As torch prints it."""
        given = "scale_factor" if self.scale_factor is not None else "size"
        return f"{given}={getattr(self, given)!r}, mode={self.mode!r}"
