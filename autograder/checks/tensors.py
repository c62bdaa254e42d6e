"""What most checks begin and end with: a leaf, and a gradient pulled back to it.

Not here: lesson 02's own leaf, which must not depend on what a leaf is taken for.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def leaf(T: Any, values: Any, dtype: str = "float64") -> Any:
    """A leaf that wants a gradient."""
    return T.tensor(np.asarray(values, dtype), requires_grad=True)


def pull(T: Any, rng: np.random.Generator, result: Any) -> None:
    """backward from `result` with a random upstream gradient of its shape and dtype."""
    result.backward(T.tensor(rng.normal(size=tuple(result.shape)), dtype=result.dtype))
