"""The wrapper of every operation that users call: it lets a call through and looks at the arguments only when that has
failed, so good calls cost nothing.

It also handles the keywords that few calls have: `out=`, and the names that NumPy users bring along, such as `axis=`. What
is said of wrong arguments is in arguments.py.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ..backend import ALARMS, in_silence
from ..tensor import Tensor
from .arguments import SIZES, combination, complaint, plain_numbers, shown, type_name
from .deprecated import as_today
from .signatures import IN_PYTHON, takes_out

# Names of NumPy's, and what torch's parser takes each for, unless that is given.
ALIASES = {
    "input": "input",
    "axis": "dim",
    "keepdims": "keepdim",
    "a": "input",
    "x": "input",
    "x1": "input",
    "x2": "other",
}
SPECIAL: set[str | None] = {*ALIASES, "out"}
# Functions that torch has in Python: how many tensors they begin with, and what each of these is asked for.
ASKED: dict[str, tuple[int, Callable[..., Any]]] = {
    "norm": (1, lambda x, *rest: x.layout),
    "split": (1, lambda x, *rest: x.split(*rest)),
    "tensordot": (2, lambda x, *rest: x.dim()),
}


def guarded(function: Callable[..., Any], method: bool) -> Callable[..., Any]:
    """`function` with torch's TypeErrors; as a method its first argument goes without saying."""

    code = function.__code__  # asked directly: at import, inspect.signature would cost 30 µs for each of 600 functions
    named = code.co_argcount + code.co_kwonlyargcount
    variadic = code.co_varnames[named] if code.co_flags & inspect.CO_VARARGS else None
    first = code.co_varnames[0] if code.co_argcount else variadic or ""
    tensor_first = not method and function.__annotations__.get(first) == "Tensor"
    sizes = variadic if variadic in SIZES else None
    inner = inspect.unwrap(function).__code__
    own = SPECIAL.intersection(inner.co_varnames[: inner.co_argcount + inner.co_kwonlyargcount])
    uncommon = SPECIAL - (own if inner is code and not method else own - {"input"}) | {sizes}
    if tensor_first and sizes is not None:
        function = one_tuple(function, sizes)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs and not uncommon.isdisjoint(kwargs):
            if sizes in kwargs and (args or not tensor_first):
                if not isinstance(given := kwargs.pop(sizes), list | tuple):
                    raise TypeError(
                        f"{function.__name__}(): argument '{sizes}' must be tuple of ints, not {type_name(given)}"
                    )
                return call(*args, given, **kwargs)
            return special(call, function, args, kwargs, method)
        result: Any = NotImplemented
        if not tensor_first or not args or isinstance(args[0], Tensor):
            try:
                result = function(*args, **kwargs) if kwargs else function(*args)
            except ALARMS:
                result = in_silence(function, *args, **kwargs)
            except (TypeError, AttributeError, ValueError, IndexError, RuntimeError):
                if complaint(function, args, kwargs, method) is None:
                    if plain := plain_numbers(function, args, kwargs):
                        return call(*plain[0], **plain[1])
                    raise
        if result is not NotImplemented:
            return result
        told = complaint(function, args, kwargs, method)
        if told is None and (plain := plain_numbers(function, args, kwargs)):
            return call(*plain[0], **plain[1])
        if today := as_today(function.__name__, args, kwargs, method):
            return call(*today[0], **today[1])
        if not method and function.__name__ in ASKED:
            ask(function.__name__, args)
        given = args[1:] if method else args
        raise TypeError(told or combination(function.__name__, given, kwargs))

    return call


def ask(name: str, args: tuple[Any, ...]) -> None:
    """Raise what Python does where torch asks no tensor for what only tensors have."""
    number, asked = ASKED[name]
    for value in args[:number]:
        if not isinstance(value, Tensor):
            asked(value, *args[1:])


def one_tuple(function: Callable[..., Any], sizes: str) -> Callable[..., Any]:
    """A function of a tensor and sizes, which methods take one by one as well, and functions only as one tuple."""

    def call(input: Any, sizes: Any) -> Any:
        if not isinstance(sizes, list | tuple):
            raise TypeError
        return function(input, sizes)

    names = ((next(iter(inspect.signature(function).parameters)), "Tensor"), (sizes, "IntList"))
    parameters = [
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=kind) for name, kind in names
    ]
    functools.update_wrapper(call, function)
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


def special(call: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], method: bool) -> Any:
    """A call with a name of NumPy's, `input` or `out` among its keywords."""
    name, parameters = function.__name__, list(inspect.signature(function).parameters.values())
    names = [p.name for p in parameters]
    free = {shown(p): p.name for p in parameters[len(args) :] if p.name not in kwargs and name not in IN_PYTHON}
    ours = dict(kwargs)
    for theirs, meant in ALIASES.items():
        if theirs in ours and theirs not in names and meant in free:
            ours[free.pop(meant)] = ours.pop(theirs)
    if not args and names[:1] in (["input"], ["self"]) and names[0] in ours:
        args = (ours.pop(names[0]),)
    if ours.keys() != kwargs.keys():
        return call(*args, **ours)
    if "out" not in kwargs or method or not takes_out(name, {*names[: len(args)], *kwargs}):
        given = args[1:] if method else args
        raise TypeError(complaint(function, args, kwargs, method) or combination(name, given, kwargs))
    out = ours.pop("out")
    if out is None:
        return call(*args, **ours)
    from .out import into  # which builds on operations, as this module must not

    return into(out, call, name, parameters, args, ours, method)
