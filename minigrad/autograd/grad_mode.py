"""Whether operations are recorded: no_grad, enable_grad, set_grad_enabled, inference_mode.

The state belongs to the thread, as in torch. Nothing here touches a graph; operations ask `mode.enabled`.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from typing import Any


class _Mode(threading.local):
    enabled = True
    inference = False


mode = _Mode()


def is_grad_enabled() -> bool:
    """True where operations are recorded."""
    return mode.enabled


def is_inference_mode_enabled() -> bool:
    """True inside inference_mode()."""
    return mode.inference


class _Decorating:
    """Lets a context manager decorate functions, generators and coroutines, entering afresh on every call."""

    def clone(self) -> Any:
        """A manager of the same kind for one more call."""
        return type(self)()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isgeneratorfunction(function):
            return _in_generator(self.clone, function)
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def coroutine(*args: Any, **kwargs: Any) -> Any:
                with self.clone():
                    return await function(*args, **kwargs)

            return coroutine

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


class no_grad(_Decorating):
    """Operations inside are not recorded. A context manager and a decorator; nests; restores after an exception.

    Example: with no_grad(): y = w * 2  → y.requires_grad is False, and recording is as it was afterwards.
    """

    def __init__(self) -> None:
        self.before: list[bool] = []

    def __enter__(self) -> None:
        self.before.append(mode.enabled)
        mode.enabled = False

    def __exit__(self, *exception: object) -> None:
        mode.enabled = self.before.pop()


class enable_grad(_Decorating):
    """Operations inside are recorded, also within no_grad."""

    def __init__(self) -> None:
        self.before: list[bool] = []

    def __enter__(self) -> None:
        self.before.append(mode.enabled)
        mode.enabled = True

    def __exit__(self, *exception: object) -> None:
        mode.enabled = self.before.pop()


class set_grad_enabled(_Decorating):
    """Recording on or off: at once when called as a function, until the end of the block in a `with`."""

    def __init__(self, mode: bool) -> None:
        self.wanted = bool(mode)
        self.before = is_grad_enabled()
        _set(self.wanted)

    def __enter__(self) -> None:
        _set(self.wanted)

    def __exit__(self, *exception: object) -> None:
        _set(self.before)

    def clone(self) -> set_grad_enabled:
        return set_grad_enabled(self.wanted)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        _set(self.before)  # used as a decorator: nothing is switched until the function runs
        return super().__call__(function)


def _set(enabled: bool) -> None:
    mode.enabled = enabled


class inference_mode(_Decorating):
    """no_grad for good: the tensors made inside can never take part in a graph."""

    def __init__(self, mode: bool = True) -> None:
        self.wanted = mode
        self.before: list[tuple[bool, bool]] = []

    def __new__(cls, mode: Any = True) -> Any:
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __enter__(self) -> None:
        self.before.append((mode.enabled, mode.inference))
        mode.enabled, mode.inference = not self.wanted, self.wanted

    def __exit__(self, *exception: object) -> None:
        mode.enabled, mode.inference = self.before.pop()

    def clone(self) -> inference_mode:
        return inference_mode(self.wanted)
