"""torch.cpu: the answers of the CPU to what a program asks of any device. Streams and events it has none."""

from __future__ import annotations

from typing import Any

from ..errors import opening

__all__ = ["current_device", "device_count", "is_available", "is_initialized", "set_device", "synchronize"]

__getattr__, __dir__ = opening(__name__, {"amp": ""})


def is_available() -> bool:
    """True."""
    return True


def is_initialized() -> bool:
    """True."""
    return True


def device_count() -> int:
    """1."""
    return 1


def current_device() -> str:
    """'cpu'."""
    return "cpu"


def set_device(device: Any) -> None:
    """Nothing: there is only one."""


def synchronize(device: Any = None) -> None:
    """Nothing: whatever was asked of it is done."""
