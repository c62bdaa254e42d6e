"""torch.autocast where it is off: a block or a function in which every operation keeps the dtypes it is given.

Without CUDA torch switches it off for "cuda" itself, with a warning, and for dtypes in which it cannot compute; so it does here.
Where torch would cast, entering the block raises NotImplementedError.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .. import cuda
from ..dtypes import dtype as Dtype
from ..dtypes import float16
from ..errors import warn
from ..size import device as Device

UNAVAILABLE = "minigrad 没有混合精度，请写 enabled=False · minigrad has no mixed precision; say enabled=False"
NO_CUDA = "CUDA is not available or torch_xla is imported. Disabling autocast."
OTHER_DTYPE = (
    "In {0} autocast, but the target dtype is not supported. Disabling autocast.\n{0} Autocast only supports dtypes of "
    "torch.bfloat16, torch.float16 currently."
)
NOT_CALLABLE = (
    "autocast()(func) requires a callable, but got {}. Did you mean to use autocast as a context manager? For example:\n"
    "    with torch.autocast(device_type=...):\n        output = model(input)"
)


def check_name(device_type: Any) -> None:
    """ValueError, in torch's words, for a kind of device that is not named by a string."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


class autocast:  # noqa: N801 (as torch has it)
    """Mixed precision that is off, as a block or a decorator: `with torch.autocast("cuda", enabled=False):` (torch.autocast).

    device_type: "cpu" or "cuda". dtype, cache_enabled: taken and without effect. enabled: NotImplementedError on entering
    where torch would cast, which is on "cpu" with float16 or no dtype, and on "cuda" where there is a GPU.
    """

    def __init__(
        self, device_type: str, dtype: Dtype | None = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        check_name(device_type)
        self._kind = Device(device_type).type
        self.device, self.fast_dtype = device_type, dtype
        self._cache_enabled = True if cache_enabled is None else cache_enabled
        if enabled and device_type == "cuda":
            if not cuda.is_available():
                warn(NO_CUDA)
                enabled = False
        elif enabled and not (dtype is None or dtype is float16):
            warn(OTHER_DTYPE.format(device_type.upper()))
            enabled = False
        self._enabled = enabled

    def __enter__(self) -> autocast:
        if self._enabled and (self._kind == "cpu" or cuda.is_available()):
            raise NotImplementedError(UNAVAILABLE)
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def __call__(self, func: Any) -> Any:
        if not callable(func):
            raise TypeError(NOT_CALLABLE.format(type(func).__name__))

        @functools.wraps(func)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return call


def is_autocast_available(device_type: str) -> bool:
    """True for "cpu" and "cuda", as in torch; RuntimeError for what is no device."""
    return _is_device("_is_autocast_available", device_type)


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """False: operations keep their dtypes here. RuntimeError for what is no device."""
    return not _is_device("is_autocast_enabled", device_type)


def _is_device(function: str, device_type: Any) -> bool:
    """True; in torch's words TypeError for anything but a string, RuntimeError for one that names no device."""
    if not isinstance(device_type, str):
        name = "torch.device" if isinstance(device_type, Device) else type(device_type).__name__
        raise TypeError(f"{function}(): argument 'device_type' (position 1) must be str, not {name}")
    Device(device_type)
    return True


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: Any = None) -> Callable[..., Any]:
    """A decorator for the forward of a Function: it runs as it is, for autocast is off (torch.amp.custom_fwd).

    cast_inputs: taken and without effect.
    """
    check_name(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def call(*args: Any, **kwargs: Any) -> Any:
        args[0]._fwd_used_autocast = False
        return fwd(*args, **kwargs)

    return call


def custom_bwd(bwd: Any = None, *, device_type: str) -> Callable[..., Any]:
    """A decorator for the backward of a Function: it runs as it is, as the forward did (torch.amp.custom_bwd)."""
    check_name(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def call(*args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, enabled=args[0]._fwd_used_autocast):
            return bwd(*args, **kwargs)

    return call
