"""What torch says to wrong arguments, read off the annotations of our functions.

Nothing here runs before a call has failed: `parsed` below and `guarded` of guard.py ask for the words then.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

from ..backend import ALARMS, in_silence, numpy
from ..dtypes import dtype
from ..random import Generator
from ..size import Size, memory_format
from ..size import device as Device
from ..tensor import Tensor
from .signatures import ranges

# What the annotations of operations may say; `wanted` below gives their names in torch's messages.
Number: TypeAlias = bool | int | float
Int: TypeAlias = int
Float: TypeAlias = float
Bool: TypeAlias = bool
Ints: TypeAlias = int | Sequence[int]  # one or several
IntList: TypeAlias = Sequence[int]
IntsOrBool: TypeAlias = bool | int | Sequence[int]  # where two signatures differ in their second argument
IntOrTensor: TypeAlias = int | Tensor
Dtype: TypeAlias = dtype
Str: TypeAlias = str
Tensors: TypeAlias = Sequence[Tensor]
Operand: TypeAlias = Any  # a tensor or a number
Place: TypeAlias = Any  # a device, or a name or number of one
Format: TypeAlias = memory_format

Function = TypeVar("Function", bound=Callable[..., Any])

SIZES = {"size", "shape", "dims", "repeats"}  # what is given as ints one by one, or as one tuple


def parsed(name: str = "", *order: str) -> Callable[[Function], Function]:
    """A function that torch, too, has in Python, with the TypeErrors of the operation it hands its arguments to.

    name: of that operation, if another. order: the arguments that it takes, `theirs=ours` where names differ, "" for one
    that it gets otherwise; all, by default. The number of arguments is Python's own business.
    """

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except ALARMS:
                return in_silence(function, *args, **kwargs)
            except (TypeError, AttributeError, ValueError, IndexError, RuntimeError):
                fault = misfit(function, name or function.__name__, order, args, kwargs)
                if fault is None and (plain := plain_numbers(function, args, kwargs)):
                    return call(*plain[0], **plain[1])
                if fault is None:
                    raise
            raise TypeError(fault)

        return call  # type: ignore[return-value]

    return decorate


def misfit(
    function: Any, name: str, order: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> str | None:
    """What torch's parser says about the first argument handed to `name` that does not fit; None if all do."""
    signature = inspect.signature(function)
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError:
        return None
    for place, entry in enumerate(order or tuple(signature.parameters), 1):
        theirs, _, ours = entry.rpartition("=")
        if ours in given and not fits(parameter := signature.parameters[ours], given[ours]):
            if ranges(name, False):
                return combination(name, args, kwargs)
            return f"{name}(): argument '{theirs or ours}' (position {place}) must be {wanted(parameter, given[ours])}"
    return None


# ------------------------------------------------------------------ what is wrong, in torch's words


def complaint(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], method: bool) -> str | None:
    """What torch's parser says about these arguments; None if they are what the annotations ask for."""
    name = function.__name__
    parameters = list(inspect.signature(function).parameters.values())
    if method and len(parameters) == 1 and len(args) + len(kwargs) > 1:
        extra = len(args) - 1
        return f"TensorBase.{name}() takes no " + (f"arguments ({extra} given)" if extra else "keyword arguments")
    fault = first_fault(name, parameters, args, kwargs, int(method))
    return fault and told(name, fault, parameters[int(method) :], args[int(method) :], kwargs, method)


def told(
    name: str,
    fault: str,
    parameters: list[inspect.Parameter],
    given: tuple[Any, ...],
    kwargs: dict[str, Any],
    method: bool,
) -> str:
    """A fault, if torch can tell which signature was meant by the number of arguments; else what it says instead."""
    several = ranges(name.removesuffix("_"), method) or ranges(name, method)
    meant = sum(low <= len(given) + len(kwargs) <= high for low, high in several)
    if not several or meant == 1 or NOT_UNPACKED in fault:
        return fault
    return (
        combination(name, given, kwargs) if len(several) > 1 else beside_hidden(name, parameters, given, kwargs, method)
    )


def beside_hidden(
    name: str, parameters: list[inspect.Parameter], given: tuple[Any, ...], kwargs: dict[str, Any], method: bool
) -> str:
    """What torch says to the wrong number of arguments where it has one signature, and others that it no longer shows."""
    required = {p.name for p in parameters if p.default is p.empty}
    unknown = [key for key in reversed(kwargs) if key not in required]
    if unknown:
        return (
            f"{name}() received an invalid combination of arguments - got unrecognized keyword arguments: "
            + ", ".join(unknown)
        )
    entries = []
    for p in parameters:
        kind = kind_of(p)[0]
        assert kind is not None
        entries += ["*"] * (p.kind is p.KEYWORD_ONLY and "*" not in entries)
        entries.append(f"{kind[0]} {shown(p)}" + f" = {p.default}" * (p.default is not p.empty))
    option = ", ".join(entries + ["Tensor out = None"] * (not method))
    return (
        f"{name}() received an invalid combination of arguments - got {types(given, kwargs)}, but expected ({option})"
    )


def combination(name: str, given: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """What torch says when it cannot tell which signature was meant."""
    return f"{name}() received an invalid combination of arguments - got {types(given, kwargs)}, but expected one of:\n"


def first_fault(
    name: str, parameters: list[inspect.Parameter], args: tuple[Any, ...], kwargs: dict[str, Any], implied: int
) -> str | None:
    """The first argument that does not fit; `implied` arguments (the tensor of a method) are not counted."""
    positional = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    if len(args) > len(positional) and not variadic:
        return too_many(name, positional[implied:], len(args) - implied)
    for index, parameter in enumerate(positional):
        if index >= len(args) and parameter.name not in kwargs:
            if parameter.default is parameter.empty:
                return missing(name, positional[index:])
            continue
        if index >= implied and (fault := misfit_of(name, parameter, args, kwargs, index, implied)):
            return fault
    known = {p.name: p for p in parameters}
    for key in kwargs:
        if key not in known:
            return f"{name}() got an unexpected keyword argument '{key}'"
        if known[key] in positional[: len(args)]:
            return f"{name}() got multiple values for argument '{key}'"
        if known[key] not in positional and (fault := misfit_of(name, known[key], (), kwargs, 0, 0)):
            return fault
    ints = [p.name for p in parameters if p.kind is p.VAR_POSITIONAL and p.name in SIZES]
    if ints and implied and len(args) == implied and not kwargs:
        return f'{name}() missing 1 required positional arguments: "{ints[0]}"'
    return first_bad_size(name, parameters, args[len(positional) :])


def too_many(name: str, positional: list[inspect.Parameter], given: int) -> str:
    """What torch says to more arguments than there are places."""
    most, least = len(positional), sum(p.default is p.empty for p in positional)
    takes = f"{most} positional argument" + "s" * (most != 1)
    if least != most:
        takes = f"from {least} to {most} positional arguments"
    return f"{name}() takes {takes} but {given} {'was' if given == 1 and least == most else 'were'} given"


def missing(name: str, rest: list[inspect.Parameter]) -> str:
    """What torch says where an argument is missing: that one and all required ones behind it."""
    names = [f'"{shown(p)}"' for p in rest if p.default is p.empty]
    return f"{name}() missing {len(names)} required positional argument{'s' * (len(names) == 1)}: " + ", ".join(names)


def misfit_of(
    name: str, parameter: inspect.Parameter, args: tuple[Any, ...], kwargs: dict[str, Any], index: int, implied: int
) -> str | None:
    """What is wrong with the argument given for a parameter, the `index`-th or by name; None if nothing is."""
    by_name = index >= len(args)
    value = kwargs[parameter.name] if by_name else args[index]
    if fits(parameter, value):
        return None
    kind, several = kind_of(parameter)[0], isinstance(value, list | tuple)
    if kind and kind[0] == INTS and several and is_int(value[0]):
        return not_unpacked(name, shown(parameter), value)
    place = "" if by_name else f" (position {index + 1 - implied})"
    if kind and kind[0] == INTS and several and by_name:
        return f"{name}(): argument '{shown(parameter)}' must be {INTS}, not {type_name(value)}"
    return f"{name}(): argument '{shown(parameter)}'{place} must be {wanted(parameter, value)}"


NOT_UNPACKED = (
    "failed to unpack the object at pos"  # the signature was found by then: torch looks at the first one only
)


def not_unpacked(name: str, parameter: str, ints: Sequence[Any]) -> str:
    """What torch says to a list whose first element is an int and a later one is not."""
    at = next(i for i, x in enumerate(ints) if not is_int(x))
    return (
        f"{name}(): argument '{parameter}' {NOT_UNPACKED} {at + 1} with error \"type must be {INTS},"
        f'but got {type_name(ints[at])}"'
    )


def first_bad_size(name: str, parameters: list[inspect.Parameter], rest: tuple[Any, ...]) -> str | None:
    """What is wrong with sizes given one by one, as in zeros(2, 3)."""
    variadic = next((p for p in parameters if p.kind is p.VAR_POSITIONAL), None)
    if (
        variadic is None
        or variadic.name not in SIZES
        or not rest
        or is_ints(rest)
        or (len(rest) == 1 and (is_ints(rest[0]) or KINDS["Dtype"][1](rest[0])))  # as view takes it
    ):
        return None
    name_of_it, ints = variadic.name, rest[0] if len(rest) == 1 else rest
    if isinstance(ints, list | tuple) and ints and is_int(ints[0]):
        return not_unpacked(name, name_of_it, ints)
    kind = f"not {type_name(rest[0])}"
    if isinstance(rest[0], list | tuple):
        kind = f"but found element of type {type_name(rest[0][0])} at pos 0" if rest[0] else ""
    return f"{name}(): argument '{name_of_it}' (position 1) must be {INTS}, {kind}"


INTEGERS, NUMBERS = (int, numpy.integer), (int, float, numpy.number, numpy.bool_)


def is_int(x: Any) -> bool:
    """Whether torch takes x for an int."""
    if isinstance(x, Tensor):
        return x._data.ndim == 0 and x._data.dtype.kind in "iu"
    return isinstance(x, INTEGERS) and not isinstance(x, bool)


def is_place(x: Any) -> bool:
    """Whether torch takes x for a device."""
    return isinstance(x, str | Device | int) and not isinstance(x, bool)


def is_format(x: Any) -> bool:
    """Whether x is an order of elements in memory."""
    return isinstance(x, memory_format)


def is_ints(x: Any) -> bool:
    """Whether torch takes x for a tuple of ints."""
    return isinstance(x, list | tuple) and all(is_int(n) for n in x)


def is_number(x: Any) -> bool:
    """Whether torch takes x for a number."""
    return isinstance(x, NUMBERS) or (isinstance(x, Tensor) and x._data.ndim == 0 and not x.requires_grad)


INTS = "tuple of ints"
KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "Tensor": ("Tensor", lambda x: isinstance(x, Tensor)),
    "Number": ("Number", is_number),
    "Operand": ("Tensor", lambda x: isinstance(x, Tensor) or is_number(x)),
    "Int": ("int", is_int),
    "Float": ("float", is_number),
    "Bool": ("bool", lambda x: isinstance(x, bool)),
    "Ints": (INTS, lambda x: is_int(x) or is_ints(x)),
    "IntList": (INTS, is_ints),
    "IntsOrStr": (INTS, lambda x: isinstance(x, str) or is_int(x) or is_ints(x)),
    "IntsOrBool": (INTS, lambda x: isinstance(x, bool) or is_int(x) or is_ints(x)),
    "IntOrTensor": ("int", lambda x: isinstance(x, Tensor) or is_int(x)),
    "Dtype": ("torch.dtype", lambda x: isinstance(x, dtype) or any(x is kind for kind in (bool, int, float))),
    "Place": ("torch.device", is_place),
    "Format": ("torch.memory_format", is_format),
    "Str": ("str", lambda x: isinstance(x, str)),
    "Generator": ("torch.Generator", lambda x: isinstance(x, Generator)),
    "Tensors": ("tuple of Tensors", lambda x: isinstance(x, list | tuple)),
}
KINDS |= {name.lower(): KINDS[name] for name in ("Int", "Float", "Bool", "Str")}


def kind_of(parameter: inspect.Parameter) -> tuple[tuple[str, Callable[[Any], bool]] | None, bool]:
    """What a parameter's annotation asks for, and whether None will do."""
    text, _, optional = str(parameter.annotation).partition(" | ")
    return KINDS.get(text), optional == "None"


NUMERIC = {"Number", "Int", "Float", "Ints", "IntList", "IntsOrBool", "float", "int"}


def plain_numbers(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]] | None:
    """The arguments with numbers for the 0-d tensors that stand for them, which torch takes; None if there are none."""
    parameters = list(inspect.signature(function).parameters.values())
    numeric = {p.name: str(p.annotation).partition(" | ")[0] in NUMERIC for p in parameters}
    names = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]

    def plain(name: str, value: Any) -> Any:
        if isinstance(value, list | tuple):
            found = tuple([plain(name, each) for each in value])
            return value if all(map(operator.is_, value, found)) else found
        return value.item() if numeric.get(name) and isinstance(value, Tensor) and not value._data.ndim else value

    ours = [plain(name, value) for name, value in zip(names, args, strict=False)] + list(args[len(names) :])
    named = {name: plain(name, value) for name, value in kwargs.items()}
    return None if all(map(operator.is_, (*args, *kwargs.values()), (*ours, *named.values()))) else (ours, named)


def fits(parameter: inspect.Parameter, value: Any) -> bool:
    """Whether a value is what the annotation asks for."""
    kind, optional = kind_of(parameter)
    return kind is None or (value is None and optional) or kind[1](value)


def wanted(parameter: inspect.Parameter, value: Any) -> str:
    """'int, not str'."""
    kind, _ = kind_of(parameter)
    assert kind is not None
    if kind[0] == INTS and isinstance(value, list | tuple):
        at = next(i for i, x in enumerate(value) if not is_int(x))
        return f"{INTS}, but found element of type {type_name(value[at])} at pos {at}"
    return f"{kind[0]}, not {type_name(value)}"


def shown(parameter: inspect.Parameter) -> str:
    """The name torch gives a parameter."""
    return "input" if parameter.name == "self" else parameter.name


def type_name(value: Any) -> str:
    """The name of a value's type in messages: with its module, where that is torch or NumPy."""
    kind = type(value)
    if isinstance(value, dtype | Size | Device):
        return f"torch.{kind.__name__}"
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


def types(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """'(Tensor, str, dim=int)', as torch lists what it got."""
    positional = ", ".join(map(type_name, args))
    named = [f"{k}={type_name(v)}" for k, v in reversed(kwargs.items())]
    if not named:
        return f"({positional})"
    return f"({positional}, {', '.join(named)})" if args else f"({', '.join(named)}, )"


def as_tensors(tensors: Any, place: int = 0) -> list[Tensor]:
    """The tensors of a list or tuple, the argument in a place; TypeError, in torch's words, for anything else among them."""
    if not isinstance(tensors, list | tuple):
        raise TypeError(f"expected a tuple of Tensors, got {type_name(tensors)}")
    found = list(tensors)
    for i, t in enumerate(found):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument {place}, but got {type_name(t)}")
    return found


def as_int(x: Any) -> int:
    """What torch takes for an int, as an int; TypeError for anything else, bools among it."""
    if not is_int(x):
        raise TypeError(f"expected an int, got {type_name(x)}")
    return int(x)
