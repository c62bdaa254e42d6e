"""Hooks that note that they were called, and with what.

Not here: what a check asks of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Hook = Callable[[Any], Any]


def noting(log: list[Any], name: str, action: Hook = lambda grad: None) -> Hook:
    """A hook that notes that it was called, then does something."""

    def hook(grad: Any) -> Any:
        log.append(name)
        return action(grad)

    return hook


def watched(seen: list[Any], hook: Hook) -> Hook:
    """The same hook, with what it sees noted."""

    def both(grad: Any) -> Any:
        seen.append(grad.clone())
        return hook(grad)

    return both
