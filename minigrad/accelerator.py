"""torch.accelerator: what programs of today ask to find their device. The only kind there is here is cuda.

Settings and counts that belong to one kind of device are in minigrad.cuda.
"""

from __future__ import annotations

from typing import Any

from . import cuda, size
from .cuda import device_count, is_available
from .errors import refusing

__all__ = ["current_accelerator", "current_device_index", "device_count", "empty_cache", "is_available", "synchronize"]

__getattr__ = refusing(__name__)


def current_accelerator(check_available: bool = False) -> size.device | None:
    """The device that is not the host's processor, without a number; None where there is none."""
    return size.device("cuda") if is_available() else None


def current_device_index() -> int:
    """The number of the device that is used where none is named."""
    size.accelerator()
    return cuda.current_device()


def synchronize(device: Any = None) -> None:
    """Wait until the device has done all that was asked of it."""
    size.accelerator()
    cuda.synchronize(device)


def empty_cache() -> None:
    """Give memory that no tensor uses back to the device."""
    size.accelerator()
    cuda.empty_cache()
