"""torch.backends, and settings of torch itself: what programs set before they begin, and ask about this machine.

Nothing here changes what is computed: the same program gives the same numbers each time as it is.
"""

from __future__ import annotations

import os
from typing import Any

from ..errors import refusing, warn
from . import cuda, cudnn, mps

__all__ = [
    "are_deterministic_algorithms_enabled", "cuda", "cudnn", "get_float32_matmul_precision", "get_num_threads", "mps",
    "set_float32_matmul_precision", "set_num_threads", "use_deterministic_algorithms",
]  # fmt: skip

__getattr__ = refusing(__name__)

PRECISIONS = ("highest", "high", "medium")
_set: dict[str, Any] = {
    "threads": int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1),
    "deterministic": False,
    "precision": PRECISIONS[0],
}


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """No effect: all algorithms here are deterministic."""
    if not isinstance(mode, bool):
        raise TypeError(
            f"_set_deterministic_algorithms(): argument 'mode' (position 1) must be bool, not {type(mode).__name__}"
        )
    _set["deterministic"] = mode


def are_deterministic_algorithms_enabled() -> bool:
    """The current setting."""
    return _set["deterministic"]


def set_num_threads(count: int) -> None:
    """No effect: NumPy's number of threads is fixed when it is loaded (OMP_NUM_THREADS)."""
    if not isinstance(count, int) or isinstance(count, bool):
        raise RuntimeError(f"set_num_threads expects an int, but got {type(count).__name__}")
    if count <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")
    _set["threads"] = count


def get_num_threads() -> int:
    """The current setting."""
    return _set["threads"]


def set_float32_matmul_precision(precision: str) -> None:
    """No effect: float32 is always multiplied as float32."""
    if not isinstance(precision, str):
        raise RuntimeError(f"set_float32_matmul_precision expects a str, but got {type(precision).__name__}")
    if precision not in PRECISIONS:
        warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the currentsetFloat32MatmulPrecision call has no "
            "effect."
        )
        return
    _set["precision"] = precision


def get_float32_matmul_precision() -> str:
    """The current setting."""
    return _set["precision"]
