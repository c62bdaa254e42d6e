"""torch.compiler and torch.compile: nothing is compiled here, and a compiled program has the values of one that is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import refusing

__all__ = ["compile", "disable", "is_compiling", "is_dynamo_compiling", "is_exporting", "reset"]

__getattr__ = refusing(__name__)


def compile(
    model: Callable[..., Any] | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Any = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    name: str | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    isolate_recompiles: bool = False,
    shapes_spec: Any = None,
) -> Any:
    """The module or function itself, as torch.compile(…, disable=True) gives it: the values are those of the program as it is.

    Without a model, a decorator. The settings have no effect; RuntimeError for both mode and options, AssertionError for what
    cannot be called.
    """
    if model is None:
        return lambda model: _as_given(model, mode, options)
    return _as_given(model, mode, options)


def _as_given(model: Any, mode: Any, options: Any) -> Any:
    if model is None:
        raise RuntimeError("Model can't be None")
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    return model


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """The function itself, which is not compiled anyway; without one, a decorator."""
    return (lambda fn: fn) if fn is None else fn


def is_compiling() -> bool:
    """False: nothing is compiled here."""
    return False


is_dynamo_compiling = is_exporting = is_compiling


def reset() -> None:
    """Nothing: there are no compiled programs to forget."""
