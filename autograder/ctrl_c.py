"""Ctrl-C that is not lost.

Python raises KeyboardInterrupt wherever the program happens to be. Where that is a finalizer or a callback of the garbage
collector (Dask has one), the exception is printed and forgotten, and the program goes on as if nothing had been pressed.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def heard() -> Iterator[Callable[[], None]]:
    """Within: Ctrl-C is noted as well as raised. What is given is called now and then, and raises it if it was noted.

    Nothing is changed in other threads than the main one, or where Ctrl-C does something else than raise.
    """
    pressed = threading.Event()

    def note(number: int, frame: Any) -> None:
        pressed.set()
        signal.default_int_handler(number, frame)

    def ask() -> None:
        if pressed.is_set():
            raise KeyboardInterrupt

    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield ask
        return
    tell = sys.unraisablehook

    def tell_others(lost: Any) -> None:
        if not isinstance(lost.exc_value, KeyboardInterrupt):
            tell(lost)

    sys.unraisablehook = tell_others
    signal.signal(signal.SIGINT, note)
    try:
        yield ask
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.unraisablehook = tell
