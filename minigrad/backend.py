"""The only door to NumPy and CuPy.

Everything else in the engine gets its array functions from here: `numpy` itself for what lives in host memory,
`array_module(array)` for what must follow the array to its device. It knows nothing of tensors or gradients.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy

# torch computes 1/0, log(0) or an overflow in silence; NumPy warns. The filter is narrow: only NumPy's own
# floating-point warnings, and only those raised from inside this package.
warnings.filterwarnings("ignore", r".* encountered in .*", RuntimeWarning, r"minigrad\.")

# Where a program turns warnings into errors, or has told NumPy to raise, they come as exceptions: after the numbers are there.
ALARMS = (RuntimeWarning, FloatingPointError)
# What NumPy asks before it warns; setting it takes a tenth of the time that numpy.errstate takes.
_errors: Any = getattr(getattr(numpy, "_core", None), "umath", None)
_errors = getattr(_errors, "_extobj_contextvar", None)

ndarray = numpy.ndarray
# Without the question, which takes a fifth of the time, whether an argument is of a kind that overrides NumPy's functions.
putmask = getattr(numpy.putmask, "_implementation", numpy.putmask)

# glibc gives the memory of a large array back to the system as soon as it is freed, and fetches it anew, page by page, for
# the next one; until an array of nearly 32 MiB was freed once. From then on it keeps up to 64 MiB (mallopt(3),
# M_MMAP_THRESHOLD). The second such array comes out of what is kept. NumPy asks for large pages where it has 4 MiB or more,
# and the place stays known for them, so that smaller arrays have them as well. No page of the two is ever touched.
for _ in range(2):
    numpy.empty(31 << 20, numpy.uint8)


def in_silence(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """function(…), with not a word of NumPy's about its floating-point numbers."""
    if _errors is None:
        with numpy.errstate(all="ignore"):
            return function(*args, **kwargs)
    before = _errors.set(_silent())
    try:
        return function(*args, **kwargs)
    finally:
        _errors.reset(before)


@functools.cache
def _silent() -> Any:
    with numpy.errstate(all="ignore"):
        return _errors.get()


@functools.cache
def cupy() -> ModuleType | None:
    """CuPy, where it is installed and sees a device; else None. Asked once."""
    try:
        import cupy as module

        module.cuda.runtime.getDeviceCount()
    except Exception:  # not installed, no driver, no device: each means "no GPU here"
        return None
    return module


def array_module(array: Any) -> ModuleType:
    """The module whose functions work on `array`: numpy, or cupy for an array on a GPU."""
    if isinstance(array, (numpy.ndarray, numpy.generic)):
        return numpy
    module = cupy()
    return module if module is not None and isinstance(array, module.ndarray) else numpy


def to_host(array: Any) -> numpy.ndarray:
    """A NumPy array with the values of `array`; copies only from a device."""
    return numpy.asarray(in_its_order(lambda x: x.get(), array) if hasattr(array, "get") else array)


def in_its_order(copied: Callable[[Any], Any], x: Any) -> Any:
    """copied(x), which is in C order, with its elements in the order in memory in which those of x are, unless x was
    stretched."""
    if x.flags.c_contiguous or 0 in x.strides:
        return copied(x)
    dims = dims_in_memory(x)
    return copied(x.transpose(dims)).transpose(back(dims))


class AcceleratorError(RuntimeError):
    """What a GPU refuses (torch.AcceleratorError)."""


# The GPUs that arrays have been brought to; empty in most programs, which need not look further.
in_use: set[int] = set()


def to_device(array: Any, index: int) -> Any:
    """`array` on GPU number `index`.

    In torch's words, AssertionError where there is no CuPy or no GPU, and AcceleratorError where none has this number.
    """
    module = cupy()
    if module is None:
        raise AssertionError("Torch not compiled with CUDA enabled")
    if index >= module.cuda.runtime.getDeviceCount():
        raise AcceleratorError(
            "CUDA error: invalid device ordinal\nGPU device may be out of range, do you have enough GPUs?"
        )
    in_use.add(index)
    with module.cuda.Device(index):
        return in_its_order(module.asarray, array)


def on_device(name: str, array: Any) -> Any:
    """A special function that NumPy does not have, of an array on a GPU (cupyx.scipy.special)."""
    from cupyx.scipy import special

    return getattr(special, name)(array)


def address(array: Any) -> int:
    """The address of the first element in its device's memory."""
    return array.__array_interface__["data"][0] if type(array) is ndarray else array.data.ptr


SHORT, ROWS = 32, 32  # where the last dimension is no longer, and the rows are as many, NumPy finds the largest of each
# in a copy turned on its side in half the time or less


def largest(x: Any, dim: Any) -> Any:
    """The largest element along `dim`, which stays with size 1; -inf where there is none."""
    if type(x) is ndarray:
        if dim == x.ndim - 1 and 0 < (n := x.shape[dim]) <= SHORT and x.size >= n * ROWS:
            return numpy.maximum.reduce(x.reshape(-1, n).T.copy()).reshape((*x.shape[:-1], 1))
        return x.max(axis=dim, keepdims=True, initial=-math.inf)
    if x.size:  # CuPy's takes no `initial`, and no dimension of a number
        return x.max(axis=dim if x.ndim else None, keepdims=True)
    return array_module(x).full(x.sum(axis=dim, keepdims=True).shape, -math.inf, x.dtype)


def in_single(forward: Callable[..., Any]) -> Callable[..., Any]:
    """`forward`, whose first argument is an array, with half precision computed in single and rounded once, as in torch."""

    @functools.wraps(forward)
    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        if x.dtype.kind != "f" or x.dtype.itemsize != 2:
            return forward(x, *args, **kwargs)
        arrays = [a.astype(numpy.float32) if getattr(a, "dtype", None) == x.dtype else a for a in (x, *args)]
        found = forward(*arrays, **kwargs)
        return tuple([one.astype(x.dtype) for one in found]) if type(found) is tuple else found.astype(x.dtype)

    return call


MANY = 256  # elements up to which other sums than of rows or of all are NumPy's, which rounds as torch does
LONG = 128  # numbers that are added one by one
LANES = 8  # such sums in one row that BLAS has under way at a time


@functools.lru_cache(maxsize=256)
def _ones(shape: int | tuple[int, ...], dtype: Any) -> Any:
    return numpy.ones(shape, dtype)


def check_64_bits(number: Any) -> None:
    """OverflowError, in torch's words, for a whole number that 64 bits do not hold."""
    if isinstance(number, int) and not -(2**63) <= number < 2**64:
        raise OverflowError("can't convert negative int to unsigned" if number < 0 else "int too big to convert")


@functools.lru_cache(maxsize=256, typed=True)
def constant(value: float, dtype: Any) -> Any:
    """A number as a 0-d array that is not to be written: to make one anew takes a third of the time that a small array times
    a number does. Not for -0.0, for which this would answer with 0.0."""
    check_64_bits(value)
    return in_silence(numpy.asarray, value, dtype)


class InSingle(float):
    """A number by which half precision is multiplied or divided in single, as in torch, and then rounded: 0.001 · 1e5 is 100.
    NumPy would round the number first, here to infinity; without __array_ufunc__ it leaves product and quotient to this."""

    __array_ufunc__ = None

    def __mul__(self, x: Any) -> Any:
        return in_single(lambda x: x * numpy.float32(self))(x)

    __rmul__ = __mul__

    def __rtruediv__(self, x: Any) -> Any:
        return in_single(lambda x: x / numpy.float32(self))(x)


def repeats(x: Any) -> bool:
    """Whether an array names one place in memory several times, as what has been stretched does."""
    return bool(x.size) and any(step == 0 and n > 1 for step, n in zip(x.strides, x.shape, strict=True))


def anywhere(mask: Any) -> bool:
    """Whether a mask holds anywhere. To count is, of a small one, a fifth of the time that NumPy's `any` takes."""
    return bool(numpy.count_nonzero(mask) if type(mask) is ndarray else mask.any())


UNSIGNED = {size: numpy.dtype(f"uint{8 * size}") for size in (1, 2, 4, 8)}  # where a negative number is a huge one


def outside(index: Any, size: int) -> bool:
    """Whether whole numbers, some, are negative or not below `size`: read without a sign, negative ones are huge."""
    kind = UNSIGNED[index.itemsize]
    return anywhere(index.view(kind) >= (constant(size, kind) if type(index) is ndarray else size))


def in_order(x: Any) -> Any:
    """An array whose elements lie in memory in the order of the indices: x itself, or a copy."""
    return x if x.flags.c_contiguous else x.copy()


def memory_order(x: Any) -> Any:
    """The order in memory, as NumPy names it, of what is made like x: x's own, or the indices' where x was stretched."""
    return "C" if 0 in x.strides else "K"


def converted(x: Any, dtype: Any) -> Any:
    """An array of another dtype, with its elements in the same order in memory; x itself where it has that dtype."""
    try:
        return x if x.dtype is dtype else x.astype(dtype, memory_order(x))
    except ALARMS:
        return in_silence(x.astype, dtype, memory_order(x))


def laid_out_as(x: Any, values: Any) -> Any:
    """An array of x's shape with its elements in the same order in memory as x's: `values` itself, or a copy."""
    if x.flags.c_contiguous:
        return in_order(values)  # CuPy's functions do not all give that
    out = array_module(x).empty_like(x, values.dtype, memory_order(x))
    out[...] = values
    return out


def copied_by_dims(x: Any, dims: Sequence[int]) -> Any:
    """A copy of x in which the dimensions follow each other in this order in memory, from the one whose elements lie farthest
    apart; always an array, of a number too."""
    return array_module(x).array(x.transpose(dims), order="C").transpose(back(dims))


def dims_in_memory(x: Any) -> list[int]:
    """The dimensions of x, from the one whose elements lie farthest apart."""
    return sorted(range(x.ndim), key=lambda d: -x.strides[d])


def back(dims: Sequence[int]) -> list[int]:
    """The permutation that undoes a permutation."""
    return sorted(range(len(dims)), key=dims.__getitem__)


def ordered(forward: Callable[..., Any]) -> Callable[..., Any]:
    """`forward`, with what it returns laid out in memory in the order of the indices, as torch's reductions do."""

    @functools.wraps(forward)
    def call(*args: Any, **kwargs: Any) -> Any:
        found = forward(*args, **kwargs)
        return tuple(map(in_order, found)) if type(found) is tuple else in_order(found)

    return call


def sum_array(x: Any, dim: tuple[int, ...] | None, keepdim: bool) -> Any:
    """x summed over the dimensions `dim`, counted from the front (None: all).

    The leading or the trailing dimensions of a float array that lies in one piece are summed by a product with ones, which
    takes BLAS half to a tenth of the time that NumPy's additions take. As in torch, half precision is added up in single,
    and many numbers in groups: a running sum of a million loses four digits or more. Integers add up in their own dtype.
    """
    shape = x.shape
    if not shape:
        dim = None  # a number has a dimension 0 for torch, not for NumPy
    if type(x) is not ndarray:
        return x.sum(axis=dim, dtype=x.dtype, keepdims=keepdim)  # integers would be widened
    kind = x.dtype.char
    if kind == "e":
        return sum_array(x.astype(numpy.float32), dim, keepdim).astype(x.dtype)
    if kind in "fd":
        if dim == (0,) and len(shape) == 2 and 1 < shape[0] <= LONG:  # a single row of -0.0 has to be added to 0
            return _ones((1, shape[0]) if keepdim else shape[0], x.dtype).dot(x)
        if x.flags.c_contiguous:
            if dim is not None:
                if (out := _sum_by_product(x, shape, dim, keepdim)) is not None:
                    return out
            elif 1 < (n := x.size) <= LANES * LONG:  # one is not added to 0, as it must be if it is -0.0
                out = (x if len(shape) == 1 else x.reshape(n)).dot(_ones(n, x.dtype))
                return out.reshape((1,) * len(shape)) if keepdim else out
        if dim and x.size > LANES * LONG < math.prod([shape[d] for d in dim if x.strides[d] != x.itemsize]):
            return _sum_one_by_one(x, dim, keepdim)
    reduce: Any = numpy.add.reduce  # what x.sum() comes to, with no Python in between
    return reduce(x, dim, x.dtype, None, keepdim)


@in_single
def mean_array(x: Any, dim: tuple[int, ...] | None, keepdim: bool) -> Any:
    """x averaged over the dimensions `dim`, counted from the front (None: all); nan where there is nothing."""
    total = sum_array(x, dim, keepdim)
    return total / (x.size // (total.size or 1))


def _sum_by_product(x: Any, shape: tuple[int, ...], dim: tuple[int, ...], keepdim: bool) -> Any:
    """The sums over the first or the last dimensions; None where `dim` names others, or these are long."""
    if x.size < MANY:
        return None
    k, rest = len(dim), len(shape) - len(dim)
    kept = (1,) * k * keepdim
    if rest and dim == tuple(range(k)):
        return _sum_of_rows(x.reshape(math.prod(shape[:k]), -1)).reshape(kept + shape[k:])
    if rest and dim == tuple(range(rest, len(shape))) and (n := math.prod(shape[rest:])) <= LANES * LONG:
        return x.reshape(-1, n).dot(_ones(n, x.dtype)).reshape(shape[:rest] + kept)
    return None


def _sum_of_rows(x: Any) -> Any:
    """The sum of the rows of a matrix. Many rows are first added in groups of LONG, as one product with wide rows."""
    n = len(x)
    if n <= LONG:
        return _ones(n, x.dtype).dot(x)
    groups = n // LONG
    whole = groups * LONG
    found = _sum_of_rows(_ones(LONG, x.dtype).dot(x[:whole].reshape(LONG, -1)).reshape(groups, -1))
    return found + _sum_of_rows(x[whole:]) if whole < n else found


STRETCHED_ROW = 512  # numbers in a row from which on NumPy should stretch it without a buffer,
GREAT = 2**16  # if there are so many numbers in all,
FEWEST = STRETCHED_ROW + GREAT // STRETCHED_ROW  # which a row and a column of together so many are stretched to
BUFFER = 256  # numbers: too few for such a row


def stretching(function: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """function(x, y), elementwise, of two arrays that may have to be stretched.

    NumPy stretches rows and columns in its buffer, so that its loops run over 8192 numbers. For rows that are long enough for
    a loop of their own, that is a copy too many and takes up to half of the time. It does without where the buffer holds less
    than a row.
    """
    if x.size + y.size >= FEWEST and type(x) is ndarray and type(y) is ndarray:
        found = numpy.broadcast(x, y)
        if found.size >= GREAT and found.shape[-1] >= STRETCHED_ROW:
            before = numpy.setbufsize(BUFFER)
            try:
                return function(x, y)
            finally:
                numpy.setbufsize(before)
    return function(x, y)


WIDE = 64  # numbers in a row from which on NumPy's products of rows pay
MUCH = 2**19  # bytes of a matrix from which on one pass over two of them is faster than their product and its sum


def sum_products(x: Any, y: Any, dim: int) -> Any:
    """(x · y) summed over dimension 0 or 1, which stays with size 1, without an array of all the products.

    x, y: matrices of one shape and dtype. None where the product and its sum are as fast. Groups as in `sum_array`.
    """
    rows, width = x.shape
    if width < WIDE or y.strides[1] != y.itemsize or x.dtype.char not in "fd":
        return None
    if dim:
        return numpy.vecdot(x, y)[:, None] if x.strides[1] == x.itemsize else None
    if x.nbytes < MUCH or x.strides[1] not in (x.itemsize, 0):
        return None
    whole = rows - rows % LONG
    groups = (whole // LONG, LONG, width)
    found = _sum_of_rows(numpy.einsum("gij,gij->gj", x[:whole].reshape(groups), y[:whole].reshape(groups)))
    rest = numpy.einsum("ij,ij->j", x[whole:], y[whole:]) if whole < rows else 0
    return (found + rest)[None]


def _sum_one_by_one(x: Any, dim: tuple[int, ...], keepdim: bool) -> Any:
    """The sum over one dimension after the other, from the one whose neighbours lie farthest apart in memory."""
    for d in sorted(dim, key=lambda d: -abs(x.strides[d])):
        x = _sum_in_groups(x.swapaxes(0, d)).swapaxes(0, d)
    return x if keepdim else x.squeeze(dim)


def _sum_in_groups(x: Any) -> Any:
    """The sum over the first dimension, which stays with size 1. What lies side by side in memory NumPy adds in pairs."""
    n = len(x)
    if n <= LONG or x.strides[0] == x.itemsize:
        return numpy.add.reduce(x, 0, keepdims=True)
    groups = n // LONG
    whole = groups * LONG
    found = _sum_in_groups(numpy.add.reduce(x[:whole].reshape(LONG, groups, *x.shape[1:]), 0))
    return found + _sum_in_groups(x[whole:]) if whole < n else found
