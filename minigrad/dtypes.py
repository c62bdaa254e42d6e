"""Element types under torch's names, and torch's rules for mixing them.

A `dtype` here is a name and the NumPy dtype behind it. The promotion rule is torch's, not NumPy's: the higher
category (bool < integer < floating) decides, and inside one category a tensor with dimensions outranks a 0-d
tensor, which outranks a Python number (torch docs, "Tensor Attributes": type promotion).
"""

from __future__ import annotations

from typing import Any

from .backend import numpy

_default: list[dtype] = []


class dtype:
    """One element type; compared by identity, printed as torch prints it."""

    __slots__ = ("name", "np", "category", "type_name")

    def __init__(self, name: str, category: int, type_name: str) -> None:
        self.name = name
        self.np = numpy.dtype(name)
        self.category = category  # 0 bool, 1 integer, 2 floating
        self.type_name = type_name  # as in "torch.FloatTensor"

    def __repr__(self) -> str:
        return "torch." + self.name

    def __reduce__(self) -> str:
        return {"bool": "bool_", "float": "float32"}.get(self.name, self.name)

    @property
    def c_name(self) -> str:
        """The C++ name, which some of torch's messages use."""
        return _C_NAMES.get(self.name, self.name)

    @property
    def is_floating_point(self) -> bool:
        return self.category == 2

    @property
    def ctype(self) -> str:
        """The C++ name that some of torch's messages use."""
        return C_NAMES.get(self.name, self.name)

    @property
    def is_complex(self) -> bool:
        return False

    @property
    def is_signed(self) -> bool:
        return self.name not in ("uint8", "bool")

    @property
    def itemsize(self) -> int:
        return self.np.itemsize


C_NAMES = {"float32": "float", "float64": "double", "float16": "c10::Half", "int64": "long int", "int32": "int",
           "uint8": "unsigned char", "int8": "signed char", "int16": "short int"}  # fmt: skip

bool_ = dtype("bool", 0, "Bool")
uint8 = dtype("uint8", 1, "Byte")
int8 = dtype("int8", 1, "Char")
int16 = dtype("int16", 1, "Short")
int32 = dtype("int32", 1, "Int")
int64 = dtype("int64", 1, "Long")
float16 = dtype("float16", 2, "Half")
float32 = dtype("float32", 2, "Float")
float64 = dtype("float64", 2, "Double")

ALL = (bool_, uint8, int8, int16, int32, int64, float16, float32, float64)
ALIASES = {"short": int16, "int": int32, "long": int64, "half": float16, "float": float32, "double": float64}
BY_NUMPY = {d.np: d for d in ALL}
BY_NAME = {d.name: d for d in ALL}
_C_NAMES = {"float32": "float", "float64": "double", "float16": "c10::Half", "int64": "long int", "int32": "int"}
_PYTHON = {bool: bool_, int: int64}
_default.append(float32)


def get_default_dtype() -> dtype:
    """The type of a tensor made from Python floats (torch.get_default_dtype)."""
    return _default[0]


def set_default_dtype(d: dtype) -> None:
    """Choose the type of tensors made from Python floats; TypeError unless `d` is floating."""
    if not isinstance(d, dtype) or not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _default[0] = d


def as_numpy(d: dtype | None) -> Any:
    """The NumPy dtype of `d`; None stays None."""
    return None if d is None else _PYTHON.get(d, _default[0]).np if isinstance(d, type) else d.np


def of_number(value: bool | int | float) -> dtype:
    """The dtype torch gives a lone Python number."""
    return _PYTHON.get(type(value)) or _default[0]


def promote(a: dtype, b: dtype) -> dtype:
    """The smallest dtype both fit in, for operands of equal rank."""
    if a is b:
        return a
    if a.category != b.category:
        return a if a.category > b.category else b
    return BY_NUMPY[numpy.promote_types(a.np, b.np)]


def result_type(*operands: Any) -> dtype:
    """torch.result_type for tensors, numbers and dtypes.

    Each operand belongs to a rank (dimensioned tensor, 0-d tensor, number); a lower rank changes the result only
    when its category is higher.
    """
    ranks: list[dtype | None] = [None, None, None]
    for x in operands:
        if isinstance(x, bool | int | float):
            rank, d = 2, of_number(x)
        else:
            rank, d = (0 if x._data.ndim else 1), BY_NUMPY[x._data.dtype]
        ranks[rank] = d if ranks[rank] is None else promote(ranks[rank], d)  # type: ignore[arg-type]
    best: dtype | None = None
    for d in ranks:  # type: ignore[assignment]
        if d is not None and (best is None or d.category > best.category):
            best = d
    assert best is not None
    return best
