"""The only door to NumPy and CuPy.

Everything else in the engine gets its array functions from here: `numpy` itself for what lives in host memory,
`array_module(array)` for what must follow the array to its device. It knows nothing of tensors or gradients.
"""

from __future__ import annotations

import functools
import warnings
from types import ModuleType
from typing import Any

import numpy

# torch computes 1/0, log(0) or an overflow in silence; NumPy warns. The filter is narrow: only NumPy's own
# floating-point warnings, and only those raised from inside this package.
warnings.filterwarnings("ignore", r".* encountered in .*", RuntimeWarning, r"minigrad\.")

ndarray = numpy.ndarray


@functools.cache
def cupy() -> ModuleType | None:
    """CuPy, where it is installed and sees a device; else None. Asked once."""
    try:
        import cupy as module

        module.cuda.runtime.getDeviceCount()
    except Exception:  # not installed, no driver, no device: each means "no GPU here"
        return None
    return module


def array_module(array: Any) -> ModuleType:
    """The module whose functions work on `array`: numpy, or cupy for an array on a GPU."""
    if isinstance(array, numpy.ndarray | numpy.generic):
        return numpy
    module = cupy()
    return module if module is not None and isinstance(array, module.ndarray) else numpy


def to_host(array: Any) -> numpy.ndarray:
    """A NumPy array with the values of `array`; copies only from a device."""
    return numpy.asarray(array.get() if hasattr(array, "get") else array)


def to_device(array: Any, index: int) -> Any:
    """`array` on GPU number `index`.

    Raises RuntimeError when there is no CuPy or no device, in torch's words.
    """
    module = cupy()
    if module is None:
        raise AssertionError("Torch not compiled with CUDA enabled")
    with module.cuda.Device(index):
        return module.asarray(array)


def on_device(name: str, array: Any) -> Any:
    """A special function that NumPy does not have, of an array on a GPU (cupyx.scipy.special)."""
    from cupyx.scipy import special

    return getattr(special, name)(array)
