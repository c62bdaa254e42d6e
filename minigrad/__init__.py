"""minigrad: torch's autograd in readable Python. `import minigrad as torch` and go on as you know it."""

from __future__ import annotations

from . import autograd, ops
from .autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .creation import as_tensor, from_numpy, full, ones, tensor, zeros
from .tensor import Tensor

for _name, _function in ops.FUNCTIONS.items():
    globals()[_name] = _function
