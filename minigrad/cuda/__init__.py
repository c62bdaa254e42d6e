"""torch.cuda: is there a GPU, and wait for it. Arrays on a GPU are CuPy's; without CuPy or a GPU there is none."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from .. import backend
from ..errors import opening

__getattr__, __dir__ = opening(__name__, {"amp": ""})

NO_GPU = "Torch not compiled with CUDA enabled"


def is_available() -> bool:
    """Whether tensors can be moved to a GPU here."""
    return backend.cupy() is not None


def device_count() -> int:
    """How many GPUs there are."""
    module = backend.cupy()
    return 0 if module is None else module.cuda.runtime.getDeviceCount()


def synchronize(device: Any = None) -> None:
    """Wait until the GPU has done all that was asked of it: kernels run on while Python goes on, so a clock that is
    read without waiting measures nothing."""
    _cupy().cuda.Device(_index(device)).synchronize()


def current_device() -> int:
    """The number of the GPU that `cuda` means."""
    return _cupy().cuda.Device().id


def get_device_name(device: Any = None) -> str:
    """What the GPU is called."""
    name = _cupy().cuda.runtime.getDeviceProperties(_index(device))["name"]
    return name.decode() if isinstance(name, bytes) else name


def manual_seed(seed: int) -> None:
    """Nothing: random numbers are drawn on the host, for GPUs too, and torch.manual_seed seeds them."""


def manual_seed_all(seed: int) -> None:
    """Nothing, as manual_seed."""


def empty_cache() -> None:
    """Give memory that no tensor uses back to the GPU."""
    if is_available():
        _cupy().get_default_memory_pool().free_all_blocks()


def memory_allocated(device: Any = None) -> int:
    """Bytes of GPU memory that tensors use."""
    return _cupy().get_default_memory_pool().used_bytes() if is_available() else 0


def _cupy() -> ModuleType:
    module = backend.cupy()
    if module is None:
        raise AssertionError(NO_GPU)
    return module


def _index(device: Any) -> int:
    if device is None:
        return current_device()
    return device if isinstance(device, int) else getattr(device, "index", None) or 0
