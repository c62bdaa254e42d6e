"""A device that is none: arrays in host memory that behave as a GPU's do towards the rest of the program.

    with machine(minigrad):
        x = minigrad.ones(3, device="cuda")

`Array` is no NumPy array, never turns into one by itself and refuses NumPy's functions and NumPy arrays as operands;
only its own module's functions work on it, and `.get()` brings it to the host. What CuPy 14 lacks of NumPy is missing
here too. So whatever calls NumPy behind backend.py's back, or asks for what no GPU offers, fails here as it would there.
It computes with NumPy inside, so it shows where computations are sent, not how fast or exact a GPU is. It enters the
sandbox: NumPy and the standard library only.
"""

from __future__ import annotations

import operator
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

# What CuPy 14 has not: functions, methods of arrays, arguments of reductions; and which functions have the methods of
# NumPy's ufuncs (cupy.ufunc; None: all). From its documentation (Comparison Table, cupy.ufunc), its source, and
# CuPy 14.2.0 itself, which can be imported without a GPU.
NO_FUNCTIONS = frozenset(
    """
    array_utils block einsum_path errstate frompyfunc geomspace geterr histogram_bin_edges insert matrix_norm matvec
    multi_dot nanpercentile nanquantile ndenumerate nditer nested_iters polyder polydiv polyint seterr spacing
    svdvals unstack vecdot vecmat vector_norm
    """.split()
)
NO_MEMBERS = frozenset("ctypes getfield resize setfield setflags to_device".split())
NO_KEYWORDS = frozenset(("initial", "where"))
UFUNC_METHODS: dict[str, frozenset[str] | None] = {
    # `at` of maximum and minimum is left out: of double precision it keeps what single does (atomics.cuh), and loses nan.
    "at": frozenset("add subtract bitwise_and bitwise_or bitwise_xor".split()),
    "accumulate": frozenset(("add", "multiply")),
    "reduce": frozenset(("add", "multiply")),
    "reduceat": frozenset(("add",)),
    "outer": None,
}


class Refused(TypeError):
    """NumPy met an array of the device."""


class Device:
    """What array.device tells."""

    def __init__(self, id: int = 0) -> None:
        self.id = id

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *exception: object) -> None:
        pass

    def synchronize(self) -> None:
        pass


class Flags:
    """The flags the engine reads."""

    def __init__(self, array: np.ndarray) -> None:
        self.c_contiguous = array.flags.c_contiguous
        self.f_contiguous = array.flags.f_contiguous
        self.owndata = array.flags.owndata


def sent(function: Any, args: Any, kwargs: Any) -> Any:
    """What a function of the device's gives."""
    for name in kwargs:
        if name in NO_KEYWORDS or (name == "order" and isinstance(function, np.ufunc)):
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument '{name}'")
    given, named = unwrap(args), unwrap(kwargs)
    owner = getattr(function, "__self__", None)
    refuse_here([owner, *given] if isinstance(owner, np.ndarray) else given, named, function.__name__)
    try:
        return wrap(function(*given, **named))
    except np.linalg.LinAlgError:  # CuPy gives what it found
        return Array(np.full(given[-1].shape, np.nan, given[0].dtype))


def refuse_here(arrays: Any, kwargs: dict[str, Any], name: str) -> None:
    """What NumPy does and CuPy does not: a dimension of a number, and one matrix beside a batch of them."""
    if isinstance(kwargs.get("axis"), int) and arrays and isinstance(arrays[0], np.ndarray) and not arrays[0].ndim:
        raise np.exceptions.AxisError(kwargs["axis"], 0)
    if name == "solve" and arrays[1].ndim > 1 and arrays[0].shape[:-2] != arrays[1].shape[:-2]:
        raise ValueError("a must have (..., M, M) shape and b must have (..., M, K) for multidimensional b")


def unwrap(value: Any) -> Any:
    """The host values inside; refuses arrays that live on the host already, as a kernel must."""
    if isinstance(value, Array):
        return value._host
    if isinstance(value, tuple | list):
        return type(value)(map(unwrap, value))
    if isinstance(value, slice):
        return slice(*map(unwrap, (value.start, value.stop, value.step)))
    if isinstance(value, dict):
        return {k: unwrap(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        raise Refused("Unsupported type <class 'numpy.ndarray'>: a host array met an array of the device")
    return value


def wrap(value: Any) -> Any:
    """Arrays, and NumPy's scalars, as arrays of the device: there a 0-d result is an array as well."""
    if isinstance(value, np.ndarray | np.generic):
        return Array(np.asarray(value))
    if type(value) is tuple or type(value) is list or hasattr(value, "_fields"):
        return tuple(map(wrap, value))
    return value


class Array:
    """An array of the device."""

    __array_ufunc__ = None

    def __init__(self, host: np.ndarray) -> None:
        self._host = host

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise Refused("Implicit conversion to a NumPy array is not allowed. Please use `.get()`")

    def __array_function__(self, function: Any, *rest: Any) -> Any:
        raise Refused(f"numpy.{function.__name__} was called on an array of the device")

    def get(self) -> np.ndarray:
        """A copy in host memory."""
        return self._host.copy()

    device = Device()

    @property
    def data(self) -> types.SimpleNamespace:
        """Where the array is."""
        return types.SimpleNamespace(ptr=self._host.__array_interface__["data"][0])

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {**self._host.__array_interface__, "version": 3}

    @property
    def flags(self) -> Flags:
        return Flags(self._host)

    @property
    def base(self) -> Any:
        return wrap(self._host.base)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._host.shape

    def diagonal(self, *args: Any) -> Array:
        """A view, which may be written to, unlike NumPy's."""
        found = self._host.diagonal(*args)
        found.setflags(write=True)
        return wrap(found)

    def __len__(self) -> int:
        return len(self._host)

    def __getitem__(self, index: Any) -> Array:
        found = self._host[unwrap(index)]
        return wrap(found)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._host[unwrap(index)] = unwrap(value)

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        return bool(self._host)

    def __int__(self) -> int:
        return int(self._host)

    def __float__(self) -> float:
        return float(self._host)

    def __index__(self) -> int:
        return operator.index(self._host)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in NO_MEMBERS:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        found = getattr(self._host, name)
        if callable(found):
            return lambda *args, **kwargs: sent(found, args, kwargs)
        return wrap(found) if isinstance(found, np.ndarray) else found


def _operator(name: str) -> Any:
    def apply(self: Array, *others: Any) -> Any:
        if others and getattr(others[0], "__array_priority__", 0) > 0:
            return NotImplemented  # what is more than an array takes over
        return wrap(getattr(self._host, name)(*unwrap(others)))

    return apply


def _in_place(name: str) -> Any:
    def apply(self: Array, other: Any) -> Array:
        host = getattr(self._host, name)(unwrap(other))
        assert host is self._host
        return self

    return apply


BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
for _name in BINARY:
    setattr(Array, f"__{_name}__", _operator(f"__{_name}__"))
    setattr(Array, f"__r{_name}__", _operator(f"__r{_name}__"))
    setattr(Array, f"__i{_name}__", _in_place(f"__i{_name}__"))
for _name in "neg pos abs invert eq ne lt le gt ge".split():
    setattr(Array, f"__{_name}__", _operator(f"__{_name}__"))
Array.__hash__ = object.__hash__  # type: ignore[method-assign]


class Function:
    """A function of the device's module, with those methods (`at`, `accumulate`, …) of NumPy's ufuncs that it has there."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return sent(self.function, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        there = UFUNC_METHODS.get(name, frozenset())
        if there is not None and self.function.__name__ not in there:
            raise NotImplementedError(f"`{self.function.__name__}.{name}` is not supported yet")
        return Function(getattr(self.function, name))


class Module(types.ModuleType):
    """The device's array module: NumPy's functions, for the device's arrays."""

    ndarray = Array

    def __init__(self, name: str, source: Any) -> None:
        super().__init__(name)
        self._source = source

    def __getattr__(self, name: str) -> Any:
        if name in NO_FUNCTIONS:
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        found = getattr(self._source, name)
        if isinstance(found, types.ModuleType):
            return Module(f"{self.__name__}.{name}", found)
        if isinstance(found, type) or not callable(found):
            return found
        return Function(found)

    def asarray(self, value: Any, dtype: Any = None) -> Array:
        """The one way onto the device."""
        return Array(np.array(value._host if isinstance(value, Array) else value, dtype=dtype))


def module(devices: int = 1) -> Module:
    """The stand-in for the module `cupy` on a machine with so many GPUs."""

    def count() -> int:
        if not devices:
            raise RuntimeError("cudaErrorNoDevice: no CUDA-capable device is detected")
        return devices

    runtime = types.SimpleNamespace(getDeviceCount=count, getDeviceProperties=lambda index: {"name": b"stand-in"})
    made = Module("standin", np)
    vars(made)["cuda"] = types.SimpleNamespace(Device=Device, runtime=runtime)
    pool = types.SimpleNamespace(free_all_blocks=lambda: None, used_bytes=lambda: 1)
    vars(made)["get_default_memory_pool"] = lambda: pool
    return made


@contextmanager
def machine(T: Any, devices: int | None = 1) -> Iterator[None]:
    """While it lasts, T.backend is on a machine with so many stand-ins for a GPU (None: CuPy is not installed)."""
    none: Any = object()
    before = sys.modules.get("cupy", none)
    sys.modules["cupy"] = None if devices is None else module(devices)  # type: ignore[assignment]
    T.backend.cupy.cache_clear()
    try:
        yield
    finally:
        del sys.modules["cupy"]
        if before is not none:
            sys.modules["cupy"] = before
        T.backend.cupy.cache_clear()
