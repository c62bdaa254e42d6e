"""Times that may be compared, between a processor and a device that works on while Python goes on.

The caller says what is timed, how to wait for the device, and which clock to read; nothing here knows a GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


def best_seconds(action: Callable[[], Any], wait: Callable[[], Any], clock: Callable[[], float], repeats: int) -> float:
    """The seconds that one run of `action` takes to be done: the best of `repeats`, after one run to warm up.

    wait: returns when the device has done all that was asked of it. clock: the time in seconds.
    """
    action()
    wait()
    times = []
    for _ in range(repeats):
        start = clock()
        action()
        wait()
        times.append(clock() - start)
    return min(times)


def crossover(sizes: Sequence[int], here: Sequence[float], there: Sequence[float]) -> int | None:
    """The smallest size such that `there` takes less time than `here` at it and at every larger one; None if there is none.

    sizes: growing. here, there: the seconds at each size.
    """
    found = None
    for size, slow, fast in zip(reversed(sizes), reversed(here), reversed(there), strict=True):
        if fast >= slow:
            break
        found = size
    return found
