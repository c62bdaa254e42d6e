"""Whether operations are recorded: no_grad, enable_grad, set_grad_enabled, inference_mode.

As in torch, each thread has its own state. Nothing here touches a graph; operations ask whether their thread is in
`paused`.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from threading import get_ident
from typing import Any

from ..errors import check_bool, warn

NOT_FOR_CLASSES = (
    "Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions or "
    "methods. To preserve the current behavior of class decoration, you can directly decorate the `__init__` method and "
    "nothing else."
)
off: set[int] = set()  # the threads that have recording switched off
inferring: set[int] = set()  # the threads that are inside inference_mode
paused: set[int] = set()  # the union of both: the threads that do not record; nearly always empty, so cheap to ask


class _Mark:
    """Dies with the thread that has made it, and forgets that thread: a later one with the same id starts out recording."""

    def __init__(self) -> None:
        self.thread = get_ident()

    def __del__(self, states: tuple[set[int], ...] = (off, inferring, paused)) -> None:
        for threads in states:
            threads.discard(self.thread)


class _Leaver(threading.local):
    """What each thread has of its own, and what is dropped as it ends; the Thread object may live on."""

    def __init__(self) -> None:
        self.mark = _Mark()


_leaver = _Leaver()


def is_grad_enabled() -> bool:
    """True where recording is switched on, although inside inference_mode nothing is recorded."""
    return get_ident() not in off


def records() -> bool:
    """True where operations are recorded."""
    return get_ident() not in paused


def is_inference_mode_enabled() -> bool:
    """True inside inference_mode()."""
    return get_ident() in inferring


def set_inferring(member: bool) -> None:
    """Let this thread enter or leave inference_mode."""
    me = get_ident()
    if member:
        inferring.add(me)
        paused.add(me)
        _leaver.mark
    else:
        inferring.discard(me)
        if me not in off:
            paused.discard(me)


def set_recording(enabled: bool) -> bool:
    """Switch this thread's recording; what it was before."""
    before = (me := get_ident()) not in off
    if before and not enabled:
        off.add(me)
        paused.add(me)
        _leaver.mark
    elif enabled:  # in this order, and in any case: an interrupt in between is made good by whoever asks next
        if me not in inferring:
            paused.discard(me)
        off.discard(me)
    return before


class Decorating:
    """Lets a context manager decorate functions and generators, entering afresh on every call.

    As in torch, a coroutine function only creates its coroutine inside: a mode held across `await` would affect every task.
    `@no_grad` means the same as `@no_grad()`.
    """

    def __new__(cls, function: Any = None, /, *args: Any, **kwargs: Any) -> Any:
        manager = object.__new__(cls)
        if function is None or not callable(function):
            return manager
        manager.__init__()  # type: ignore[misc]
        return manager(function)

    def clone(self) -> Any:
        """A manager of the same kind for one more call."""
        return type(self)()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isclass(function):
            warn(NOT_FOR_CLASSES, FutureWarning)
        if inspect.isgeneratorfunction(function):
            return _in_generator(self.clone, function)

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return wrapper


def _in_generator(manager: Callable[[], Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """The mode holds only while the generator's own body runs, never while it is suspended at a yield."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        generator = function(*args, **kwargs)
        resume: Callable[[], Any] = functools.partial(next, generator)
        while True:
            try:
                with manager():
                    value = resume()
            except StopIteration as stop:
                return stop.value
            try:
                sent = yield value
            except GeneratorExit:
                with manager():
                    generator.close()
                raise
            except BaseException as error:
                resume = functools.partial(generator.throw, error)
            else:
                resume = functools.partial(generator.send, sent)

    return wrapper


class no_grad(Decorating):
    """Operations inside are not recorded. A context manager and a decorator; nests; restores after an exception.

    As in torch one object remembers one entry: nest two objects, not one object twice.
    Example: with no_grad(): y = w * 2  → y.requires_grad is False, and recording is as it was afterwards.
    """

    def __init__(self) -> None:
        self.prev = False

    def __enter__(self) -> None:
        self.prev = set_recording(False)

    def __exit__(self, *exception: object) -> None:
        set_recording(self.prev)


class enable_grad(Decorating):
    """Operations inside are recorded, also within no_grad."""

    def __enter__(self) -> None:
        self.prev = set_recording(True)

    def __exit__(self, *exception: object) -> None:
        set_recording(self.prev)


class set_grad_enabled(Decorating):
    """Recording on or off: at once when called as a function, until the end of the block in a `with`."""

    def __init__(self, mode: bool) -> None:
        check_bool("set_grad_enabled", "enabled", 1, mode)
        self.mode = mode
        self.prev = set_recording(self.mode)

    def __enter__(self) -> None:
        set_recording(self.mode)

    def __exit__(self, *exception: object) -> None:
        set_recording(self.prev)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"

    def clone(self) -> set_grad_enabled:
        return set_grad_enabled(self.mode)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        set_recording(self.prev)  # used as a decorator: nothing is switched until the function runs
        return super().__call__(function)


class inference_mode(Decorating):
    """no_grad for good: the tensors made inside can never take part in a graph."""

    def __new__(cls, mode: Any = True) -> Any:
        return super().__new__(cls, mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        self.prev = set_recording(not self.mode), is_inference_mode_enabled()
        set_inferring(self.mode)

    def __exit__(self, *exception: object) -> None:
        recording, inference = self.prev
        set_recording(recording)
        set_inferring(inference)

    def clone(self) -> inference_mode:
        return inference_mode(self.mode)


_requested = threading.local()


def is_multithreading_enabled() -> bool:
    """Whether backward may use threads of its own, as set_multithreading_enabled was told."""
    return getattr(_requested, "multithreading", True)


class set_multithreading_enabled(Decorating):  # noqa: N801 (torch's name)
    """Whether backward may use threads of its own: from now on, or in a `with` until its end. Here every walk runs in the
    thread that calls backward; the setting is only stored, so that programs which set it run unchanged."""

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        self.prev = is_multithreading_enabled()
        _requested.multithreading = mode

    def __enter__(self) -> None:
        """Switched already."""

    def __exit__(self, *exception: object) -> None:
        _requested.multithreading = self.prev

    def clone(self) -> set_multithreading_enabled:
        return set_multithreading_enabled(self.mode)
