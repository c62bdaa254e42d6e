"""Element types under torch's names, and torch's rules for mixing them.

A `dtype` here is a name and the NumPy dtype behind it. The promotion rule is torch's, not NumPy's: the higher
category (bool < integer < floating) decides, and inside one category a tensor with dimensions outranks a 0-d
tensor, which outranks a Python number (torch docs, "Tensor Attributes": type promotion).
"""

from __future__ import annotations

import functools
from typing import Any

from .backend import check_64_bits, numpy


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
        return C_NAMES.get(self.name, self.name)

    @property
    def is_floating_point(self) -> bool:
        return self.category == 2

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


def with_our_dtype(array: Any) -> Any:
    """The array under the one NumPy dtype that all of its kind have here, so that `is` compares them: an unpickled one
    comes with a dtype of its own."""
    ours = BY_NUMPY[array.dtype].np
    return array if array.dtype is ours else array.view(ours)


def kind_of(array: Any) -> str:
    """What torch's older messages call a tensor of such an array: torch.FloatTensor, torch.cuda.LongTensor, CPUBoolType."""
    on_gpu, name = hasattr(array, "get"), BY_NUMPY[array.dtype].type_name
    if name == "Bool":
        return f"{'CUDA' if on_gpu else 'CPU'}BoolType"
    return f"torch.{'cuda.' if on_gpu else ''}{name}Tensor"


BY_NAME = {d.name: d for d in ALL}
_PYTHON = {bool: bool_, int: int64}  # of a lone number; a float's is the default dtype
_default = [float32]


def get_default_dtype() -> dtype:
    """The dtype of tensors made from Python floats (torch.get_default_dtype)."""
    return _default[0]


def set_default_dtype(d: dtype) -> None:
    """Set the dtype of tensors made from Python floats; TypeError unless `d` is floating."""
    if not isinstance(d, dtype) or not d.is_floating_point:
        what = "" if isinstance(d, dtype) else "invalid dtype object: "
        raise TypeError(f"{what}only floating-point types are supported as the default type")
    _default[0] = d


def as_numpy(d: Any) -> Any:
    """The NumPy dtype of `d`, a dtype or Python's bool, int or float; None stays None."""
    return None if d is None else {**_PYTHON, float: float64}[d].np if d in (bool, int, float) else d.np


def as_dtype(d: Any) -> dtype:
    """`d`, a dtype or Python's bool, int or float, as a dtype."""
    return d if isinstance(d, dtype) else BY_NUMPY[as_numpy(d)]


def of_number(value: bool | int | float) -> dtype:
    """The dtype torch gives a lone Python number."""
    return _PYTHON.get(type(value)) or _default[0]


SCALAR_NAMES = {"int32": "int", "float32": "float", "float16": "c10::Half"}


@functools.cache
def limits(d: Any) -> tuple[Any, Any]:
    """The least and the greatest number of a NumPy dtype, as Python numbers."""
    info: Any = numpy.finfo(d) if d.kind == "f" else numpy.iinfo(d)
    return (float(info.min), float(info.max)) if d.kind == "f" else (int(info.min), int(info.max))


def element(number: bool | int | float, d: Any) -> Any:
    """A number as an element of an array of the NumPy dtype `d`, as torch converts one (c10::Scalar::to).

    RuntimeError where it does not fit: nan among whole numbers, 1e40 among float32, 300 among bytes. Whole negative
    numbers among bytes are counted from 256 down.
    """
    whole = d.kind != "f"
    check_64_bits(number)
    if d.kind == "b" or (d.itemsize == 8 and not whole):
        return d.type(number)
    low, high = limits(d)
    if d.kind == "u" and isinstance(number, int):
        low = -high
    if not low <= number <= high and (whole or number - number == 0):
        name = SCALAR_NAMES.get(d.name, d.name + "_t")
        raise RuntimeError(f"value cannot be converted to type {name} without overflow")
    return numpy.asarray(int(number)).astype(d)[()] if whole else d.type(number)


def filling(number: bool | int | float, d: Any, size: int = 1) -> Any:
    """A number as `element` has it, to fill a tensor of `size` elements: of a single one in half precision torch turns what is
    too large into inf."""
    if size != 1 or d != float16.np:
        return element(number, d)
    with numpy.errstate(over="ignore"):
        return numpy.float64(number).astype(d)


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype that holds both, for operands of equal rank (torch.promote_types)."""
    if type1 is type2:
        return as_argument("promote_types", 1, "type1", type1)
    try:
        first, second = type1.category, type2.category
    except AttributeError:  # one of Python's types, or no type at all
        type1, type2 = (as_argument("promote_types", i, f"type{i}", t) for i, t in ((1, type1), (2, type2)))
        return promote_types(type1, type2)
    if first != second:
        return type1 if first > second else type2
    return BY_NUMPY[numpy.promote_types(type1.np, type2.np)]


def as_argument(function: str, position: int, name: str, given: Any) -> dtype:
    """An argument as a dtype; TypeError, in torch's words, where it is none."""
    if isinstance(given, dtype) or given in (bool, int, float):
        return as_dtype(given)
    kind = type(given).__name__
    raise TypeError(f"{function}(): argument '{name}' (position {position}) must be torch.dtype, not {kind}")


def python_number(x: Any) -> Any:
    """A number of NumPy's as one of Python's, and NumPy's bool as a float: torch takes it for one. OverflowError for a whole
    number that 64 bits do not hold."""
    if isinstance(x, numpy.bool_):
        return float(x)
    check_64_bits(x)
    return x.item() if isinstance(x, numpy.generic) else x


def result_type(*operands: Any) -> dtype:
    """torch.result_type for tensors, numbers and dtypes.

    Each operand belongs to a rank (dimensioned tensor, 0-d tensor, number); a lower rank changes the result only
    when its category is higher.
    """
    ranks: list[dtype | None] = [None, None, None]
    for x in operands:
        if isinstance(x, bool | int | float | numpy.generic):
            rank, d = 2, of_number(python_number(x))
        else:
            rank, d = (0 if x._data.ndim else 1), BY_NUMPY[x._data.dtype]
        ranks[rank] = d if ranks[rank] is None else promote_types(ranks[rank], d)  # type: ignore[arg-type]
    best: dtype | None = None
    for d in ranks:  # type: ignore[assignment]
        if d is not None and (best is None or d.category > best.category):
            best = d
    assert best is not None
    return best


def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether torch converts implicitly: never from floats to integers, or from anything to bool."""
    first, second = as_argument("can_cast", 1, "from_", from_), as_argument("can_cast", 2, "to", to)
    return first.category <= second.category


def check_kind(name: str, given: Any) -> None:
    """TypeError for what is no dtype, nor one of Python's types that stand for one."""
    if not (given is None or isinstance(given, dtype) or any(given is kind for kind in (bool, int, float))):
        raise TypeError(f"{name}(): argument 'type' (position 1) must be torch.dtype, not {type(given).__name__}")


class finfo:
    """The limits of a floating-point dtype (torch.finfo)."""

    def __init__(self, type: dtype | None = None) -> None:
        check_kind("finfo", type)
        wanted = get_default_dtype() if type is None else as_dtype(type)
        if not wanted.is_floating_point:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        info = numpy.finfo(wanted.np)
        self.dtype, self.bits = wanted.name, wanted.itemsize * 8
        self.eps, self.max, self.min = float(info.eps), float(info.max), float(info.min)
        self.tiny = self.smallest_normal = float(info.tiny)
        self.resolution = float(info.resolution)

    def __repr__(self) -> str:
        numbers = ", ".join(
            f"{n}={getattr(self, n):g}" for n in ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        )
        return f"finfo({numbers}, dtype={self.dtype})"


class iinfo:
    """The limits of an integer dtype (torch.iinfo)."""

    def __init__(self, type: dtype) -> None:
        check_kind("iinfo", type)
        type = as_dtype(type)
        if type.category != 1:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        info = numpy.iinfo(type.np)
        self.dtype, self.bits, self.min, self.max = type.name, type.itemsize * 8, int(info.min), int(info.max)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"
