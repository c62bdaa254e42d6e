"""Draws that leave nothing to luck: random, and yet the input on which a mistake shows is always among them.

A score says how much of a part is right, not what came up. A rule that is wrong for negative numbers must not earn
more where all that was drawn is positive; nor may one that is wrong in one case of four, where that case is missing.

Not here: draws in which every input tells as much as any other. They come from `rng` itself.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def each_at_least_once(rng: np.random.Generator, kinds: int, size: int) -> list[int]:
    """`size` numbers below `kinds`, in random order, each of them at least once."""
    chosen: list[int] = rng.permutation(np.r_[np.arange(kinds), rng.integers(kinds, size=size - kinds)]).tolist()
    return chosen


def both_signs(rng: np.random.Generator, low: float, high: float, *shape: int) -> Any:
    """Numbers of a size between `low` and `high`, at least one of them negative and one positive."""
    signs = 2.0 * np.array(each_at_least_once(rng, 2, math.prod(shape))) - 1.0
    return rng.uniform(low, high, shape) * signs.reshape(shape)
