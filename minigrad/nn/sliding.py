"""Unfold and Fold: every window of an image as a column, and columns added back to images."""

from __future__ import annotations

from . import functional as F
from .simple import REQUIRED, Simple


class Unfold(Simple):
    """Every window of an image as a column (torch.nn.Unfold)."""

    _functional = F.unfold
    _constructor_settings = {"kernel_size": REQUIRED, "dilation": 1, "padding": 0, "stride": 1}


class Fold(Simple):
    """Columns added back to the windows they stand for (torch.nn.Fold)."""

    _functional = F.fold
    _constructor_settings = {"output_size": REQUIRED, **Unfold._constructor_settings}
