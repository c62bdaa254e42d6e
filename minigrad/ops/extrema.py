"""The larger and the smaller of two, and clamping between bounds. Where operands tie, torch's choice is given with the
rule.
"""

from __future__ import annotations

import functools
from typing import Any

from .. import rules
from ..autograd.graph import Constant
from ..backend import array_module, ndarray
from ..dtypes import element, result_type
from ..tensor import Tensor
from .arguments import Operand
from .bounded import at_least, at_most
from .define import Op, binary, of_two_tensors
from .promotion import operand, unsupported

# ------------------------------------------------------------------ the larger, the smaller


def chosen(grad: Any, loses: Any, ties: Any) -> Any:
    """0 where an operand loses, half of the gradient where both are equal, else (nan wins and loses nowhere) all of it."""
    return rules.masked_fill(rules.where(ties, grad / 2, grad), loses, 0)


def maximum_vjp_self(grad: Any, self: Any, other: Any) -> Any:
    """z = max(self, other): to the larger one; a tie is shared evenly."""
    return chosen(grad, self < other, self == other)


def maximum_vjp_other(grad: Any, self: Any, other: Any) -> Any:
    """z = max(self, other), as for self."""
    return chosen(grad, other < self, self == other)


def minimum_vjp_self(grad: Any, self: Any, other: Any) -> Any:
    """z = min(self, other): to the smaller one; a tie is shared evenly."""
    return chosen(grad, self > other, self == other)


def minimum_vjp_other(grad: Any, self: Any, other: Any) -> Any:
    """z = min(self, other), as for self."""
    return chosen(grad, other > self, self == other)


def fmax_vjp_self(grad: Any, self: Any, other: Any) -> Any:
    """z = the larger one that is a number: a tie goes to self."""
    return rules.masked_fill(grad, ((self >= other) | (other != other)) == 0, 0)


def fmax_vjp_other(grad: Any, self: Any, other: Any) -> Any:
    """z = the larger one that is a number: other gets what self does not."""
    return rules.masked_fill(grad, (self >= other) | (other != other), 0)


def fmin_vjp_self(grad: Any, self: Any, other: Any) -> Any:
    """z = the smaller one that is a number: a tie goes to self."""
    return rules.masked_fill(grad, ((self <= other) | (other != other)) == 0, 0)


def fmin_vjp_other(grad: Any, self: Any, other: Any) -> Any:
    """z = the smaller one that is a number: other gets what self does not."""
    return rules.masked_fill(grad, (self <= other) | (other != other), 0)


# ------------------------------------------------------------------ clamping


def clamp_vjp(grad: Any, self: Any, min: Any, max: Any) -> Any:
    """z = self held between min and max: the gradient where self is inside, the borders included."""
    above, below = min is None or self >= min, max is None or self <= max  # nan is neither
    return rules.keep_where(grad, below if min is None else above if max is None else above & below)


def clamp_vjp_min(grad: Any, self: Any, min: Any, max: Any) -> Any:
    """z = self held between min and max: to min where self lies below it, unless max is lower still."""
    return rules.keep_where(grad, self < min if max is None else (min < max) & (self < min))


def clamp_vjp_max(grad: Any, self: Any, min: Any, max: Any) -> Any:
    """z = self held between min and max: to max where self lies above it, or where min does."""
    return rules.keep_where(grad, self > max if min is None else (self > max) | (max < min))


def clamp_min_vjp_self(grad: Any, self: Any, min: Any) -> Any:
    """z = self, at least min."""
    return rules.keep_where(grad, self >= min)


def clamp_min_vjp_min(grad: Any, self: Any, min: Any) -> Any:
    """z = self, at least min: to min where self lies below."""
    return rules.keep_where(grad, self < min)


def clamp_max_vjp_self(grad: Any, self: Any, max: Any) -> Any:
    """z = self, at most max."""
    return rules.keep_where(grad, self <= max)


def clamp_max_vjp_max(grad: Any, self: Any, max: Any) -> Any:
    """z = self, at most max: to max where self lies above."""
    return rules.keep_where(grad, self > max)


# ------------------------------------------------------------------ entries


def _numpy(name: str) -> Any:
    """NumPy's function, the operands swapped: of 0.0 and -0.0 it takes the second, torch the first. Where the layouts
    differ, the first operand's is the result's all the same."""

    def forward(x: Any, y: Any) -> Any:
        function = getattr(array_module(x), name)
        if x.strides == y.strides or not isinstance(x, ndarray):
            return function(y, x)
        return function(y, x, order="F" if x.flags.fnc else "K")

    return forward


def _clamp(x: Any, low: Any = None, high: Any = None) -> Any:
    if low and high and type(x) is ndarray and x.flags.forc:
        return x.clip(low, high)  # in one step; a 0 would win over -0.0, unlike torch's
    x = x if low is None else at_least(low, x)
    return x.copy() if high is None and low is None else x if high is None else at_most(high, x)


def _clamp_between(x: Any, low: Any, high: Any) -> Any:
    """_clamp by arrays, either of which may be None."""
    x = x if low is None else _numpy("maximum")(x, low)
    return x if high is None else _numpy("minimum")(x, high)


def _bound(number: Any, x: Any) -> Any:
    """A number as an element of x, whose dtype may turn it round: among bytes -1 is 255, as in torch."""
    return None if number is None else element(number, x.dtype)


maximum_op = binary("maximum", "MaximumBackward0", _numpy("maximum"), self=maximum_vjp_self, other=maximum_vjp_other)
minimum_op = binary("minimum", "MinimumBackward0", _numpy("minimum"), self=minimum_vjp_self, other=minimum_vjp_other)
fmax_op = binary("fmax", "FmaxBackward0", _numpy("fmax"), self=fmax_vjp_self, other=fmax_vjp_other)
fmin_op = binary("fmin", "FminBackward0", _numpy("fmin"), self=fmin_vjp_self, other=fmin_vjp_other)
clamp_op = Op("ClampBackward1", lambda x, min, max: _clamp(x, _bound(min, x), _bound(max, x)), self=clamp_vjp)
clamp_min_op = Op("ClampMinBackward0", lambda x, min: _clamp(x, _bound(min, x)), self=clamp_min_vjp_self)
clamp_max_op = Op("ClampMaxBackward0", lambda x, max: _clamp(x, None, _bound(max, x)), self=clamp_max_vjp_self)
clamp_tensor_op = Op(
    "ClampBackward0", _clamp_between, promotes=True, self=clamp_vjp, min=clamp_vjp_min, max=clamp_vjp_max
)
clamp_min_tensor_op = Op(
    "ClampMinBackward1", _numpy("maximum"), promotes=True, self=clamp_min_vjp_self, min=clamp_min_vjp_min
)
clamp_max_tensor_op = Op(
    "ClampMaxBackward1", _numpy("minimum"), promotes=True, self=clamp_max_vjp_self, max=clamp_max_vjp_max
)


maximum = of_two_tensors(maximum_op, "maximum", "The larger of two, element by element; nan wins")
minimum = of_two_tensors(minimum_op, "minimum", "The smaller of two, element by element; nan wins")
fmax = of_two_tensors(fmax_op, "fmax", "The larger of two, element by element; a number wins over nan")
fmin = of_two_tensors(fmin_op, "fmin", "The smaller of two, element by element; a number wins over nan")


def clamp(input: Tensor, min: Operand | None = None, max: Operand | None = None) -> Tensor:
    """input clamped between min and max, numbers or tensors, either of which may be left out (torch.clamp)."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    ends = [end for end in (min, max) if end is not None]
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        if not all(isinstance(end, Tensor) for end in ends):  # one is a number, and so is a 0-d tensor beside it
            if any(isinstance(end, Tensor) and (end._data.ndim or end.requires_grad) for end in ends):
                return NotImplemented
            return clamp(input, *[end.item() if isinstance(end, Tensor) else end for end in (min, max)])
        if len(ends) == 2 and all(t._data.dtype.kind == "b" for t in (input, *ends)):
            raise unsupported("clamp_cpu", *[t._data for t in (input, *ends)])
        return clamp_tensor_op(input, *[Constant(None) if end is None else end for end in (min, max)])
    kernel = "clamp" if len(ends) == 2 else "clamp_max" if min is None else "clamp_min"
    return clamp_op(_widened(input, kernel, *ends), min=min, max=max)


def _widened(input: Tensor, kernel: str, *numbers: Any) -> Tensor:
    """Integers and bools in the dtype that the bounds ask for; there is no history to keep."""
    numbers = tuple([operand(number)._data for number in numbers])
    if input._data.dtype.kind == "f":
        return input
    wanted = result_type(input, *numbers).np
    if wanted.kind == "b":
        raise unsupported(f"{kernel}_scalar_cpu", input._data)
    return input if input._data.dtype is wanted else input.to_numpy_dtype(wanted)


def clamp_min(input: Tensor, min: Operand) -> Tensor:
    """input, at least min (torch.clamp_min)."""
    if isinstance(min, Tensor):
        return clamp_min_tensor_op(input, min)
    return clamp_min_op(_widened(input, "clamp_min", min), min=min)


def clamp_max(input: Tensor, max: Operand) -> Tensor:
    """input, at most max (torch.clamp_max)."""
    if isinstance(max, Tensor):
        return clamp_max_tensor_op(input, max)
    return clamp_max_op(_widened(input, "clamp_max", max), max=max)


def _inplace(operation: Any) -> Any:
    """`operation` for its in-place form, which has words of its own for numbers that would change the dtype."""

    @functools.wraps(operation)
    def call(input: Tensor, *args: Any, **kwargs: Any) -> Any:
        result = operation(input, *args, **kwargs)
        plain = not any(isinstance(end, Tensor) for end in (*args, *kwargs.values()))
        if plain and isinstance(result, Tensor) and result.dtype.category > input.dtype.category:
            raise RuntimeError(
                f"result type {result.dtype.type_name} can't be cast to the desired output type {input.dtype.c_name}"
            )
        return result

    return call


clamp_inplace, clamp_max_inplace, clamp_min_inplace = _inplace(clamp), _inplace(clamp_max), _inplace(clamp_min)
