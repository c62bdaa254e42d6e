"""Bringing two operands together: numbers, tensors of different dtypes, tensors on different devices."""

from __future__ import annotations

import functools
from threading import get_ident
from typing import Any

from ..autograd.graph import Constant
from ..autograd.recording import recording_rules
from ..backend import ALARMS, InSingle, array_module, check_64_bits, constant, converted, in_silence, ndarray, numpy
from ..dtypes import BY_NUMPY, get_default_dtype, python_number, result_type
from ..dtypes import dtype as Dtype
from ..tensor import Tensor, from_array

asarray = numpy.asarray
new = object.__new__
PLAIN = {int, float}  # numbers that leave a floating-point tensor's dtype alone: by far the most frequent case
Number = (bool, int, float, numpy.number, numpy.bool_)
HALF, BOOL = numpy.dtype("float16"), numpy.dtype("bool")
EXACT = 2048  # up to which half precision holds every whole number

# What an operation makes of tensors beside numbers: nothing special; refuses bools; meets a number in single where the
# tensor is of half precision; so, too, and turns integers into floats first.
AS_THEY_ARE, NO_BOOLS, SCALING, FLOATING = range(4)
QUICK = "efd", "efd", "fd", "fd"  # dtypes for which a plain number is just one of that dtype


def operands(a: Any, b: Any, mixing: int = AS_THEY_ARE) -> tuple[Any, Any, Any, Any, bool | None] | None:
    """(a, b, array of a, array of b, fits) ready for NumPy: both arrays of one dtype, or an array and a number that
    NumPy will not let widen it. Numbers come back as Constants; None when an operand is neither tensor nor number: a NumPy
    array is a constant in derivative rules only.

    fits: whether each gradient will have its operand's shape and dtype: True beside a number, False if the dtypes differ,
    None if that depends on the shapes.
    """
    if type(b) in PLAIN:
        if isinstance(a, Tensor) and (dtype := (x := a._data).dtype).char in QUICK[mixing]:
            number = new(Constant)  # as Constant(b), with one call less
            number._data = b
            return a, number, x, (constant if b else asarray)(b, dtype) if type(x) is ndarray else in_64_bits(b), True
    elif type(a) in PLAIN:
        if isinstance(b, Tensor) and (dtype := (y := b._data).dtype).char in QUICK[mixing]:
            number = new(Constant)
            number._data = a
            return number, b, (constant if a else asarray)(a, dtype) if type(y) is ndarray else in_64_bits(a), y, True
    elif isinstance(a, Tensor) and isinstance(b, Tensor) and (x := a._data).dtype is (y := b._data).dtype:
        return a, b, x, y, None  # a Parameter and a Tensor, say
    if get_ident() in recording_rules:
        a, b = wrapped(a), wrapped(b)
    if mixing == NO_BOOLS:
        refuse_bools(a, b)
    if not isinstance(a, Tensor):
        if not isinstance(b, Tensor) or not isinstance(a, Number):
            return None
        b, a, y, x, fits = operands(b, a, mixing)  # type: ignore[misc]
        return a, b, x, y, fits
    x = a._data
    if isinstance(b, Tensor):
        y = b._data
        common = result_type(a, b)
        if mixing == FLOATING and common.category < 2:
            common = get_default_dtype()
        same_device(a, b)
        if mixing >= SCALING and common.np == HALF and not y.ndim and y.dtype != HALF:
            return a, b, x, InSingle(y.item()), False  # torch takes the second operand, and only that, for a number
        return a, b, converted(x, common.np), converted(y, common.np), False
    if not isinstance(b, Number):
        return None
    b = python_number(b)
    wanted = result_type(a, b)
    if mixing == FLOATING and wanted.category < 2:
        wanted = get_default_dtype()
    if x.dtype is not wanted.np:
        x = converted(x, wanted.np)
    if wanted.category == 1:
        b = as_element(b, wanted.np)
    elif mixing >= SCALING and wanted.np == HALF and (isinstance(b, float) or abs(b) > EXACT):
        b = InSingle(b)
    return a, Constant(b), x, b, True


def in_64_bits(number: Any) -> Any:
    """The number itself; OverflowError, in torch's words, for a whole number that 64 bits do not hold."""
    if type(number) is int:
        check_64_bits(number)
    return number


def as_element(number: Any, dtype: Any) -> Any:
    """A number for an array of that dtype: an int that does not fit is wrapped, as in torch; NumPy would refuse it."""
    return numpy.asarray(number).astype(dtype)[()] if dtype.kind in "iu" else dtype.type(number)


def as_0d_array(number: Any, x: Any) -> Any:
    """A number as a 0-d array of the dtype of x, where x is."""
    return array_module(x).asarray(as_element(number, x.dtype))


def common(inputs: Any, floating: bool = False) -> list[Any]:
    """The arrays of several tensors and numbers (as Constants), all of the dtype that torch gives the operation on
    them (None for what was left out); floating: of the default floating dtype where that would be an integer one."""
    arrays = [t._data for t in inputs]
    first: Any = getattr(arrays[0], "dtype", None)
    if all(getattr(x, "dtype", None) is first for x in arrays) and not (floating and first.kind != "f"):
        return arrays
    given = [t if isinstance(t, Tensor) else t._data for t in inputs]
    result = result_type(*[t for t in given if t is not None])
    wanted = get_default_dtype().np if floating and result.category < 2 else result.np
    for t in inputs[1:]:
        if isinstance(t, Tensor) and isinstance(inputs[0], Tensor):
            same_device(inputs[0], t)
    return [converted(x, wanted) if hasattr(x, "astype") else x if x is None else as_element(x, wanted) for x in arrays]


def on_one_device(inputs: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The inputs of an operation with what is a single number of the host's brought to the GPU on which the others are,
    as by to(), so that its gradient finds the way back. None where all may stay where they are."""
    away = [isinstance(t, Tensor) and hasattr(t._data, "get") for t in inputs]
    numbers = [isinstance(t, Tensor) and not (there or t._data.ndim) for t, there in zip(inputs, away, strict=True)]
    if not (any(away) and any(numbers)):
        return None
    device = inputs[away.index(True)].device
    return tuple([t.to(device) if number else t for t, number in zip(inputs, numbers, strict=True)])


REFUSALS = (ValueError, TypeError, *ALARMS)  # with which NumPy answers


def retry(operation: Any, error: Exception, a: Any, b: Any, x: Any, y: Any) -> Any:
    """What an operation gives in silence where NumPy has raised an alarm, or once its operands a and b are together on one
    device; where they are, torch's error for what NumPy has refused about their arrays x and y."""
    if isinstance(error, ALARMS):
        return in_silence(operation, *[each._data if type(each) is Constant else each for each in (a, b)])
    if moved := on_one_device((a, b)):
        return operation(*moved)
    raise refusal(error, x, y) from error


def in_torchs_words(error: Exception, arrays: list[Any]) -> Exception:
    """torch's error where NumPy could not broadcast some arrays, or where they are on two devices; any other error as it
    is."""
    arrays = [x for x in arrays if x is not None]
    if isinstance(error, TypeError):
        for x in arrays[1:]:
            same_device(from_array(arrays[0]), from_array(x))
    if "broadcast" not in str(error):
        return error
    try:
        common_shape([getattr(x, "shape", ()) for x in arrays])
    except RuntimeError as told:
        return told
    return error


def operand(x: Any) -> Any:
    """A tensor as it is, a number as a Constant: what an operation takes as input. TypeError for anything else."""
    if isinstance(x, Tensor):
        return x
    if not isinstance(x, Number):
        raise TypeError(f"expected a Tensor or a number, got {type(x).__name__}")
    return Constant(python_number(x))


def unsupported(kernel: str, data: Any, *others: Any) -> RuntimeError:
    """The error for a dtype that one of torch's kernels does not know; torch looks first at whether the shapes of all its
    operands broadcast."""
    try:
        common_shape([x.shape for x in (data, *others)])
    except RuntimeError as told:
        return told
    return NotImplementedError(f"\"{kernel}\" not implemented for '{BY_NUMPY[data.dtype].type_name}'")


def no_kernel(name: str, tensor: Tensor, kinds: str = "b") -> None:
    """NotImplementedError, in torch's words, for a tensor of the kinds (b, u, i) that its kernel `name` does not know."""
    if tensor._data.dtype.kind in kinds:
        raise unsupported(name, tensor._data)


def check_castable(found: Dtype, wanted: Dtype) -> None:
    """RuntimeError, in torch's words, for a result that its kernel cannot write where it has to."""
    if found.category > wanted.category:
        raise RuntimeError(f"result type {found.type_name} can't be cast to the desired output type {wanted.type_name}")


def wrapped(x: Any) -> Any:
    """A raw array as a constant tensor; anything else as it is."""
    return from_array(x) if isinstance(x, ndarray) or hasattr(x, "__cuda_array_interface__") else x


def same_device(a: Tensor, b: Tensor) -> None:
    """RuntimeError, in torch's words, for tensors on two devices (a 0-d tensor may come from the CPU, and only from there)."""
    if a.device != b.device and not any(t.device.type == "cpu" and not t._data.ndim for t in (a, b)):
        first, second = (a, b) if a.device.type == "cuda" else (b, a)
        raise RuntimeError(
            f"Expected all tensors to be on the same device, but found at least two devices, {first.device} and {second.device}!"
        )


def differentiable(input: Tensor, value: Tensor) -> None:
    """RuntimeError, in torch's words, for a value that requires grad among whole numbers or bools."""
    if input._data.dtype.kind != "f" and value.requires_grad:
        raise RuntimeError(f"Autograd not support dtype: {input.dtype.type_name}")


def differentiable_inplace(operation: Any) -> Any:
    """`operation` for its in-place form, which among whole numbers and bools takes such a value as a constant."""

    @functools.wraps(operation)
    def call(input: Tensor, *args: Any, **kwargs: Any) -> Any:
        if input._data.dtype.kind != "f":
            args = tuple([a.detach() if isinstance(a, Tensor) else a for a in args])
        return operation(input, *args, **kwargs)

    return call


BOOL_DIFFERENCE = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. "
    "Use the `^` or `logical_xor()` operator instead."
)


BOOL_SUBTRAHEND = (
    "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
    "`logical_not()` operator instead."
)


def refuse_bools(a: Any, b: Any) -> None:
    """RuntimeError for a difference that has to do with a bool tensor."""
    bools = [isinstance(x, bool) or (isinstance(x, Tensor) and x._data.dtype.kind == "b") for x in (a, b)]
    if any(bools) and all(isinstance(x, (Tensor, *Number)) for x in (a, b)):
        raise RuntimeError(BOOL_DIFFERENCE if all(bools) else BOOL_SUBTRAHEND)


def refusal(error: Exception, x: Any, y: Any) -> RuntimeError:
    """torch's error for what NumPy refuses: operands on two devices, a difference of bools, or shapes that do not
    broadcast, by the last dimension in which they disagree."""
    if isinstance(error, TypeError):
        same_device(from_array(x), from_array(y))
        return RuntimeError(BOOL_DIFFERENCE)
    return mismatch(x.shape, y.shape) or RuntimeError("the shapes do not broadcast")


def mismatch(one: tuple[int, ...], other: tuple[int, ...]) -> RuntimeError | None:
    """torch's error for two shapes that do not broadcast, which names the last dimension that is to blame; None if they do."""
    for back, (n, m) in enumerate(zip(one[::-1], other[::-1], strict=False), 1):
        if n != m and 1 not in (n, m):
            dim = max(len(one), len(other)) - back
            return RuntimeError(
                f"The size of tensor a ({n}) must match the size of tensor b ({m}) at non-singleton dimension {dim}"
            )
    return None


def common_shape(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape to which all of these broadcast; the error above where there is none."""
    shape: tuple[int, ...] = shapes[0] if shapes else ()
    for one in shapes[1:]:
        if one == shape:  # as nearly always: to ask NumPy takes as long as adding two small arrays up
            continue
        if fault := mismatch(shape, one):
            raise fault
        shape = tuple(numpy.broadcast_shapes(shape, one))
    return shape
