"""Whether wrong numbers are the right ones times one factor: a sign, a 2 or a count that is missing or too much.

Not here: whether numbers agree (compare.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

LEAST = 3  # different numbers, fewer of which may be in proportion by chance


def factor(expected: np.ndarray, got: np.ndarray, allowed: Any) -> float | None:
    """The k for which `got` is k times `expected`, each within k times what is `allowed`; None if there is none."""
    a, b = np.ravel(expected), np.ravel(got)
    if a.size < LEAST or not (np.isfinite(a).all() and np.isfinite(b).all()) or np.unique(np.abs(a)).size < LEAST:
        return None
    largest = np.argmax(np.abs(a))
    k = float(b[largest] / a[largest])
    return k if k and (np.abs(b - k * a) <= abs(k) * np.ravel(allowed)).all() else None
