"""All operations: the table of what becomes a method of Tensor and what a function of the package."""

from __future__ import annotations

from ..tensor import Tensor
from . import linalg, pointwise, reduce, shape
from ..tensor import from_array

METHODS = {}
FUNCTIONS = {}
for m in (pointwise, reduce, linalg, shape):
    for name in "add sub mul div neg abs relu exp log tanh sigmoid sqrt sin cos pow sum mean max min argmax argmin matmul view reshape permute transpose t expand unsqueeze squeeze clone".split():
        if hasattr(m, name) and callable(getattr(m, name)) and getattr(m, name).__module__.startswith("minigrad"):
            FUNCTIONS[name] = getattr(m, name)
for name, f in FUNCTIONS.items():
    setattr(Tensor, name, f)
_reflect = lambda f: lambda a, b: f(b, a)
for n, f in dict(add="add", sub="sub", mul="mul", truediv="div").items():
    setattr(Tensor, f"__{n}__", FUNCTIONS[f]); setattr(Tensor, f"__r{n}__", _reflect(FUNCTIONS[f]))
Tensor.__neg__ = FUNCTIONS["neg"]
Tensor.__pow__ = FUNCTIONS["pow"]
Tensor.__matmul__ = FUNCTIONS["matmul"]
Tensor.to_numpy_dtype = shape.cast
for n, f in pointwise.COMPARISONS.items():
    setattr(Tensor, f"__{n}__", (lambda f: lambda a, b: from_array(f(a._data, getattr(b, "_data", b))))(f))
