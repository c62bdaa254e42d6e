"""minigrad: torch's autograd in readable Python. `import minigrad as torch` and go on as you know it."""

from __future__ import annotations

import importlib
import math
from typing import TYPE_CHECKING, Any

# NumPy first, and from here: imported from within other imports, its calls lie across the edge of a block of CPython's
# stack, which is then mapped and unmapped 800 times; that takes 15 ms.
from . import backend as _backend

# isort: split
from . import autograd, ops
from .autograd.anomaly import is_anomaly_check_nan_enabled, is_anomaly_enabled, set_anomaly_enabled
from .autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .dtypes import bool_ as bool
from .dtypes import (
    can_cast,
    dtype,
    finfo,
    float16,
    float32,
    float64,
    get_default_dtype,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    set_default_dtype,
    uint8,
)
from .dtypes import float16 as half
from .dtypes import float32 as float
from .dtypes import float64 as double
from .dtypes import int16 as short
from .dtypes import int32 as int
from .dtypes import int64 as long
from .errors import unknown_name as _unknown_name
from .size import (
    Size,
    channels_last,
    contiguous_format,
    device,
    get_default_device,
    memory_format,
    preserve_format,
    set_default_device,
)
from .tensor import Tensor

AcceleratorError = _backend.AcceleratorError
Tensor.__module__ = Size.__module__ = device.__module__ = (
    __name__  # by which their classes are shown, as torch's are by "torch"
)

# What is loaded only when it is asked for (PEP 562), so that `import minigrad` costs little more than NumPy does: these,
# and the operations, of which ops/ has the table.
SUBMODULES = (
    "accelerator", "amp", "backends", "clinic", "compiler", "cpu", "creation", "cuda", "curvature", "custom", "distributions",
    "draws", "func", "legacy", "linalg", "nn", "optim", "printing", "random", "ranges", "return_types", "serialization",
    "testing", "timing", "training", "utils", "viz", "warmup",
)  # fmt: skip
ELSEWHERE = {
    name: module
    for module, names in {
        "amp": "GradScaler autocast",
        "amp.autocast_mode": "is_autocast_enabled",
        "compiler": "compile",
        "func": "vmap",
        "backends": "are_deterministic_algorithms_enabled get_float32_matmul_precision get_num_threads "
        "set_float32_matmul_precision set_num_threads use_deterministic_algorithms",
        "legacy": "BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor ShortTensor",
        "printing": "get_printoptions set_printoptions typename",
        "random": "Generator default_generator get_rng_state initial_seed manual_seed seed set_rng_state",
        "serialization": "load save",
    }.items()
    for name in names.split()
}
__version__ = "0.1.0"  # as in pyproject.toml
e, inf, nan, pi, newaxis = math.e, math.inf, math.nan, math.pi, None

if TYPE_CHECKING:
    from .creation import as_tensor, from_numpy, full, ones, tensor, zeros
    from .draws import rand, randint, randn, randperm
    from .random import Generator, initial_seed, manual_seed, seed
else:
    del tensor  # the module, which Python has put here: the name is the function's

__all__ = [
    "AcceleratorError", "Size", "Tensor", "autograd", "bool", "can_cast", "channels_last", "contiguous_format",
    "device", "double", "dtype", "e", "enable_grad", "finfo", "float", "float16", "float32", "float64",
    "get_default_device", "get_default_dtype", "half", "iinfo", "inf", "inference_mode", "int", "int8", "int16",
    "int32", "int64", "is_anomaly_check_nan_enabled", "is_anomaly_enabled", "is_grad_enabled",
    "is_inference_mode_enabled", "long", "memory_format", "nan", "newaxis", "no_grad", "pi", "preserve_format",
    "promote_types", "set_anomaly_enabled", "set_default_device", "set_default_dtype", "set_grad_enabled", "short",
    "uint8",
    *ELSEWHERE, *ops.FUNCTIONS,
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """What is loaded only when it is asked for; what the package does not have is refused with what comes closest."""
    if name in SUBMODULES:
        return importlib.import_module(f".{name}", __name__)
    if name in ELSEWHERE:
        found = globals()[name] = getattr(importlib.import_module(f".{ELSEWHERE[name]}", __name__), name)
        return found
    if name in ops.FUNCTIONS:
        for each, function in ops.load(ops.FUNCTIONS[name][0]).items():
            globals().setdefault(each, function)
        return globals()[name]
    raise _unknown_name(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *SUBMODULES, *__all__})
