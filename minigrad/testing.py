"""torch.testing, of which there is here what notebooks use: assert_close."""

from __future__ import annotations

import cmath
import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .autograd.grad_mode import no_grad
from .backend import numpy
from .creation import as_tensor
from .dtypes import int64, promote_types
from .tensor import Tensor

__all__ = ["assert_close"]

# By dtype: rtol and atol where none are given. Whole numbers and bools have to be equal.
TOLERANCES = {"float16": (1e-3, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7), "complex128": (1e-7, 1e-7)}
BOOLS, NUMBERS = (bool, numpy.bool_), (int, float, complex, numpy.number)
DTYPES = {float: "float64", complex: "complex128"}  # of Python's numbers


class Options(NamedTuple):
    """What assert_close was asked for."""

    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_stride: bool
    allow_subclasses: bool

    def tolerances(self, *dtypes: str) -> tuple[float, float]:
        """rtol and atol: those given, or the loosest of the dtypes'."""
        if self.rtol is not None and self.atol is not None:
            return self.rtol, self.atol
        known = [TOLERANCES.get(name, (0.0, 0.0)) for name in dtypes]
        return max(rtol for rtol, _ in known), max(atol for _, atol in known)


class Pair(NamedTuple):
    """Two things that should be alike, where they are in what was given, and what says how they differ."""

    fault: Callable[[Any, Any, Options], str | None]
    actual: Any
    expected: Any
    place: str


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """AssertionError unless |actual - expected| ≤ atol + rtol · |expected| everywhere (torch.testing.assert_close).

    actual, expected: tensors, arrays, numbers or None, or sequences and mappings of them, of one structure. rtol, atol:
    both or neither; by default 1.3e-6 and 1e-5 for float32, 1e-7 each for float64, 1e-3 and 1e-5 for float16, else 0.
    msg: what to say instead, or a function of what would be said. check_layout: there is one layout here.
    TypeError for two things that cannot be compared, ValueError for one tolerance without the other.
    """
    options = Options(rtol, atol, equal_nan, check_device, check_dtype, check_stride, allow_subclasses)
    for fault, mine, its, place in list(pairs(actual, expected, options, "")):  # all of them, before one is compared
        if said := fault(mine, its, options):
            said += at(place)
            raise AssertionError(msg if isinstance(msg, str) else msg(said) if msg else said)


def at(place: str) -> str:
    """Where in sequences and mappings."""
    return f"\n\nThe failure occurred for item {place}" if place else ""


# ------------------------------------------------------------------ what is compared with what


def pairs(actual: Any, expected: Any, options: Options, place: str) -> Iterator[Pair]:
    """The pairs of what may be nested; AssertionError where the two do not have one structure."""
    if all(isinstance(x, Sequence) and not isinstance(x, str) for x in (actual, expected)):
        if len(actual) != len(expected):
            raise AssertionError(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}{at(place)}")
        for i in range(len(actual)):
            yield from pairs(actual[i], expected[i], options, f"{place}[{i}]")
    elif isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if missing_or_more := set(actual) ^ set(expected):
            raise AssertionError(
                "The keys of the mappings do not match:\n"
                f"Missing keys in the actual mapping: {sorted(missing_or_more & set(expected))}\n"
                f"Additional keys in the actual mapping: {sorted(missing_or_more & set(actual))}{at(place)}"
            )
        keys = list(actual)
        with contextlib.suppress(TypeError):  # of several kinds
            keys = sorted(keys)
        for key in keys:
            yield from pairs(actual[key], expected[key], options, f"{place}[{key!r}]")
    else:
        yield pair(actual, expected, options, place)


def pair(actual: Any, expected: Any, options: Options, place: str) -> Pair:
    """The two, by what they are."""
    if actual is None or expected is None:
        return Pair(none_fault, actual, expected, place)
    if isinstance(actual, BOOLS) and isinstance(expected, BOOLS):
        return Pair(bool_fault, bool(actual), bool(expected), place)
    if isinstance(actual, NUMBERS) and isinstance(expected, NUMBERS):
        mine, its = [x.item() if isinstance(x, numpy.number) else x for x in (actual, expected)]
        found = Pair(number_fault, mine, its, place)
    elif (tensors := as_tensors(actual, expected, options)) is not None:
        found = Pair(tensor_fault, tensors[0], tensors[1], place)
    else:
        kinds = f"{type(actual)} and {type(expected)}"
        raise TypeError(f"No comparison pair was able to handle inputs of type {kinds}.{at(place)}")
    if (options.rtol is None) != (options.atol is None):
        lacking = "rtol" if options.rtol is None else "atol"
        raise ValueError(
            f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {lacking}.{at(place)}"
        )
    return found


def as_tensors(actual: Any, expected: Any, options: Options) -> list[Tensor] | None:
    """Both as tensors; None of what is none, or where neither's class is derived from the other's."""
    related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    if not related or not (options.allow_subclasses or type(actual) is type(expected)):
        return None
    try:
        return [x.detach() if isinstance(x, Tensor) else as_tensor(x) for x in (actual, expected)]
    except (TypeError, ValueError, RuntimeError):
        return None


# ------------------------------------------------------------------ in what they differ


def none_fault(actual: Any, expected: Any, options: Options) -> str | None:
    """In what two differ of which one is None."""
    return None if actual is expected else f"None mismatch: {actual} is not {expected}"


def bool_fault(actual: bool, expected: bool, options: Options) -> str | None:
    """In what two bools differ."""
    return None if actual is expected else f"Booleans mismatch: {actual} is not {expected}"


def number_fault(actual: Any, expected: Any, options: Options) -> str | None:
    """In what two numbers differ."""
    if options.check_dtype and type(actual) is not type(expected):
        return f"The (d)types do not match: {type(actual)} != {type(expected)}."
    rtol, atol = options.tolerances(*[DTYPES.get(type(x), "int64") for x in (actual, expected)])
    if actual == expected or (options.equal_nan and cmath.isnan(actual) and cmath.isnan(expected)):
        return None
    difference = abs(actual - expected)
    if cmath.isfinite(difference) and difference <= atol + rtol * abs(expected):
        return None
    return scalars_differ(actual, expected, rtol, atol)


def tensor_fault(actual: Tensor, expected: Tensor, options: Options) -> str | None:
    """In what two tensors differ."""
    for name, asked in (("shape", True), ("stride()", options.check_stride), ("device", options.check_device),
                        ("dtype", options.check_dtype)):  # fmt: skip
        mine, its = [getattr(x, name.rstrip("()")) for x in (actual, expected)]
        mine, its = (mine(), its()) if name == "stride()" else (mine, its)
        if asked and mine != its:
            return f"The values for attribute '{name}' do not match: {mine} != {its}."
    rtol, atol = options.tolerances(*[str(x.dtype).partition(".")[2] for x in (actual, expected)])
    if actual.device != expected.device:
        actual, expected = actual.cpu(), expected.cpu()
    if actual.dtype != expected.dtype:
        common = promote_types(actual.dtype, expected.dtype)
        actual, expected = actual.to(common), expected.to(common)
    with no_grad():
        close = actual.isclose(expected, rtol=rtol, atol=atol, equal_nan=options.equal_nan)
        if close.all():
            return None
        if not actual.dim():
            return scalars_differ(actual.item(), expected.item(), rtol, atol)
        return tensors_differ(actual, expected, close, rtol, atol)


def scalars_differ(actual: Any, expected: Any, rtol: float, atol: float) -> str:
    """The report on two numbers."""
    absolute = abs(actual - expected)
    relative = float("inf") if expected == 0 else absolute / abs(expected)
    found = f"Absolute difference: {absolute}", f"Relative difference: {relative}"
    return report("Scalars", f"Expected {expected} but got {actual}.", found, rtol, atol)


def tensors_differ(actual: Tensor, expected: Tensor, close: Tensor, rtol: float, atol: float) -> str:
    """The report on two tensors: how many elements differ, and by how much at most."""
    many, wrong = close.numel(), close.numel() - int(close.sum())
    if not actual.dtype.is_floating_point:
        actual, expected = actual.to(int64), expected.to(int64)
    absolute = (actual - expected).abs()
    absolute[close] = 0
    relative = absolute / expected.abs()
    relative[close] = 0
    found = []
    for name, differences in (("absolute", absolute), ("relative", relative)):
        most, place = differences.flatten().max(0)
        index = tuple(map(int, numpy.unravel_index(int(place), tuple(close.shape))))
        found.append(f"Greatest {name} difference: {most.item()} at index {index}")
    return report("Tensor-likes", f"Mismatched elements: {wrong} / {many} ({wrong / many:.1%})", found, rtol, atol)


def report(what: str, first: str, found: Sequence[str], rtol: float, atol: float) -> str:
    """What is said of two that are not close, or not equal where nothing is allowed."""
    exact = rtol == atol == 0
    allowed = ("", "") if exact else (f" (up to {atol} allowed)", f" (up to {rtol} allowed)")
    lines = [line + limit for line, limit in zip(found, allowed, strict=True)]
    return "\n".join([f"{what} are not {'equal' if exact else 'close'}!", "", first, *lines])
