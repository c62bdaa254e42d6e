"""The text of a tensor, character for character as torch prints it.

What it is for: `Tensor.__repr__`, parameters' `repr`, the public `set_printoptions`, and what types are called in messages.
What it is not: a formatter of single numbers (`format(t, spec)` is the tensor's own business), nor a
door to numpy: it reads an array through `dtype.kind`, `shape`, `size`, slicing and `tolist()` only, so that
arrays of NumPy and of CuPy print the same. Like torch it formats the Python numbers that the entries turn
into: a float32 0.1 is laid out as the double 0.10000000149….

The rules were read from torch 2.13.0, `torch/_tensor_str.py`, and are tested against it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from math import ceil, inf, isfinite
from typing import Any

__all__ = ["format_parameter", "format_tensor", "get_printoptions", "printoptions", "set_printoptions", "typename"]


def typename(obj: Any, /) -> str:
    """What a thing is called in messages: a class by its full name, anything else by its class's; a tensor by its dtype, as
    torch.FloatTensor (torch.typename)."""
    if hasattr(type(obj), "_edge"):
        return str(obj.type())
    named = obj if hasattr(obj, "__qualname__") else type(obj)
    home = getattr(named, "__module__", None) or ""
    return named.__qualname__ if home in ("", "builtins") else f"{home}.{named.__qualname__}"


@dataclass
class PrintOptions:
    """Digits after the point, elements before summarising, elements at each end, characters a line."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


OPTIONS = PrintOptions()

PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": inf, "edgeitems": 3, "linewidth": 80},
}

# Dtypes that torch leaves unnamed beside the default one: a reader can tell them from the entries.
SELF_EVIDENT_DTYPES = ("int64", "bool")


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Change how tensors print from now on; None keeps a setting, except for `sci_mode`, which is always set.

    profile: "default", "short" or "full", applied before the other arguments; torch ignores unknown names.
    sci_mode: True or False forces scientific notation on or off, None lets the values decide.
    """
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    chosen = PROFILES.get(profile or "", {}) | {k: v for k, v in given.items() if v is not None}
    for name, value in (chosen | {"sci_mode": sci_mode}).items():
        setattr(OPTIONS, name, value)


def get_printoptions() -> dict[str, Any]:
    """The current options, as keywords for `set_printoptions`."""
    return asdict(OPTIONS)


@contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """Other print options inside a `with` block; the arguments are those of `set_printoptions`."""
    before = get_printoptions()
    set_printoptions(**options)
    try:
        yield
    finally:
        set_printoptions(**before)


def format_tensor(
    data: Any,
    *,
    dtype_name: str,
    default_dtype: str = "float32",
    requires_grad: bool = False,
    grad_fn_name: str | None = None,
    device: str = "cpu",
    class_name: str = "tensor",
) -> str:
    """`tensor(…)` as torch writes it, with the suffixes that tell what the numbers alone do not.

    data: an array of floats, integers or booleans, of any shape, 0-d and empty included.
    dtype_name, default_dtype: bare names such as "float32"; the dtype is shown unless it goes without saying.
    grad_fn_name: "AddBackward0" gives `grad_fn=<AddBackward0>`; without it `requires_grad=True` may appear.
    class_name: "tensor" for tensors and parameters; torch opens with the class's name for a subclass.
    """
    opening = class_name + "("
    empty = data.size == 0
    unnamed = (default_dtype,) if empty else (default_dtype, *SELF_EVIDENT_DTYPES)
    suffixes = [
        text
        for wanted, text in (
            (not device.startswith("cpu"), f"device='{device}'"),
            (data.ndim != 1 if empty else not OPTIONS.edgeitems, f"size={tuple(data.shape)}"),
            (dtype_name not in unnamed, f"dtype=torch.{dtype_name}"),
            (grad_fn_name is not None, f"grad_fn=<{grad_fn_name}>"),
            (requires_grad and grad_fn_name is None, "requires_grad=True"),
        )
        if wanted
    ]
    contents = "[]" if empty else _contents(data, len(opening))
    return _append_suffixes(opening + contents, suffixes, len(opening))


def format_parameter(text: str) -> str:
    """A parameter's `repr`, given the text of its tensor."""
    return "Parameter containing:\n" + text


def grad_fn_name(tensor: Any) -> str | None:
    """The text after `grad_fn=`; "Invalid" for a view that may not be read any more."""
    try:
        return None if tensor.grad_fn is None else type(tensor.grad_fn).__name__
    except RuntimeError:
        return "Invalid"


def _append_suffixes(text: str, suffixes: list[str], indent: int) -> str:
    """Put the suffixes behind the entries, each on the same line if it still fits, else on a new one."""
    used = len(text) - text.rfind("\n") + 1  # two more than the last line holds: torch's own count
    for suffix in suffixes:
        if used + len(suffix) + 2 > OPTIONS.linewidth:
            text += ",\n" + " " * indent + suffix
            used = indent + len(suffix)
        else:
            text += ", " + suffix
            used += len(suffix) + 2
    return text + ")"


def _contents(data: Any, indent: int) -> str:
    """The bracketed entries of a non-empty array whose first bracket is in column `indent`."""
    if data.ndim == 0:
        value = data.tolist()
        return _number_format([value], data.dtype.kind)[0](value)
    summarised = data.size > OPTIONS.threshold
    values = _corners(data, OPTIONS.edgeitems) if summarised else data.tolist()
    show, width = _number_format(list(_flatten(values, data.ndim)), data.dtype.kind)
    row_indent = indent + data.ndim - 1
    per_line = max(1, (OPTIONS.linewidth - row_indent) // (width + 2))
    return _nested(values, data.ndim, indent, show, per_line)


def _corners(data: Any, edge: int) -> Any:
    """Nested lists of the entries that a summary shows, with `...` for what it leaves out."""
    cut = data.shape[0] > 2 * edge
    if cut and not edge:
        return [...]
    parts = (data[:edge], data[-edge:]) if cut else (data,)
    lists = [part.tolist() if data.ndim == 1 else [_corners(row, edge) for row in part] for part in parts]
    return [*lists[0], ..., *lists[1]] if cut else lists[0]


def _flatten(values: list[Any], ndim: int) -> Iterable[Any]:
    """The numbers of nested lists, in order, without the `...` marks."""
    for _ in range(ndim - 1):
        values = [entry for row in values if row is not ... for entry in row]
    return (value for value in values if value is not ...)


def _number_format(values: list[Any], kind: str) -> tuple[Callable[[Any], str], int]:
    """How every entry is written, and how wide, decided by all of them together.

    kind: numpy's letter for the dtype; "f" is floating, all others print with `str`.
    """
    if kind != "f":
        width = max((len(str(value)) for value in values), default=1)
        return lambda value: str(value).rjust(width), width
    values = [value for value in values if value and isfinite(value)]
    whole = all(value == ceil(value) for value in values)
    scientific = bool(values) and _is_scientific(values)
    spec = f".{OPTIONS.precision}{'e' if scientific else 'f'}"
    if whole and not scientific:
        width = max((len(f"{value:.0f}.") for value in values), default=1)
        return lambda value: f"{value:.0f}{'.' if isfinite(value) else ''}".rjust(width), width
    width = max(len(format(value, spec)) for value in values)
    return f"{{:{width}{spec}}}".format, width


def _is_scientific(values: list[float]) -> bool:
    """Whether magnitudes are too large, too small or too far apart for plain decimals."""
    if OPTIONS.sci_mode is not None:
        return OPTIONS.sci_mode
    sizes = [abs(value) for value in values]
    least, most = min(sizes), max(sizes)
    return most / least > 1000 or most > 1e8 or least < 1e-4


def _nested(values: list[Any], ndim: int, indent: int, show: Callable[[Any], str], per_line: int) -> str:
    """Brackets in brackets: a row breaks after `per_line` entries, blank lines keep the matrices apart."""
    if ndim == 1:
        gap = " ..." if len(values) > 1 else "..."
        cells = [gap if value is ... else show(value) for value in values]
        lines = [", ".join(cells[i : i + per_line]) for i in range(0, len(cells), per_line)]
    else:
        lines = ["..." if row is ... else _nested(row, ndim - 1, indent + 1, show, per_line) for row in values]
    return "[" + (",\n" + "\n" * max(ndim - 2, 0) + " " * (indent + 1)).join(lines) + "]"
