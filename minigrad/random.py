"""Random numbers: after manual_seed(n) the same ones that torch draws on a CPU (normal ones but for their last bit).

torch's generator is the Mersenne Twister, which NumPy has too; what is written here is how torch turns its 32-bit words
into uniform, normal and whole numbers (ATen/core/DistributionsHelper.h, ATen/native/cpu/DistributionTemplates.h).
Numbers are drawn in host memory and moved to the device that was asked for.
"""

from __future__ import annotations

import math
import os
from typing import Any

from .backend import numpy
from .creation import finish
from .dtypes import as_numpy, get_default_dtype
from .dtypes import dtype as Dtype
from .ops.inplace import check_writable
from .tensor import Tensor

DEFAULT_SEED = 67280421310721  # of a Generator that was given none (c10::detail::default_rng_seed_val)


class Generator:
    """A stream of random numbers of its own (torch.Generator)."""

    def __init__(self, device: Any = "cpu") -> None:
        self.manual_seed(DEFAULT_SEED)

    def manual_seed(self, seed: int) -> Generator:
        """Start the stream that belongs to `seed`; the generator itself is returned."""
        self._seed = int(seed) % 2**64
        self._bits = bits = numpy.random.MT19937()
        bits.state = numpy.random.RandomState(self._seed % 2**32).get_state(legacy=False)  # type: ignore[assignment]
        self._spare: float | None = None  # normal numbers come in pairs
        return self

    def seed(self) -> int:
        """Start a stream nobody can foretell; its seed."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little"))
        return self._seed

    def initial_seed(self) -> int:
        """The seed of the current stream."""
        return self._seed

    def words(self, n: int) -> Any:
        """The next n 32-bit words, as uint64."""
        return self._bits.random_raw(n)

    def long_words(self, n: int) -> Any:
        """The next n 64-bit words, each made of two, the higher half first."""
        high, low = self.words(2 * n).reshape(n, 2).T
        return (high << numpy.uint64(32)) | low

    def doubles(self, n: int) -> Any:
        """n float64 numbers in [0, 1), of 53 random bits."""
        return (self.long_words(n) & numpy.uint64(2**53 - 1)) * 2.0**-53

    def floats(self, n: int) -> Any:
        """n float32 numbers in [0, 1), of 24 random bits."""
        return ((self.words(n) & numpy.uint64(2**24 - 1)) * 2.0**-24).astype(numpy.float32)

    def uniform(self, n: int, kind: Any) -> Any:
        """n numbers in [0, 1) as torch draws them for the NumPy dtype `kind`."""
        return self.doubles(n) if kind == numpy.float64 else self.floats(n).astype(kind, copy=False)

    def normal(self, n: int, kind: Any) -> Any:
        """n standard normal numbers, by Box and Muller: few of them in pairs of doubles, many in blocks of 16."""
        if n < 16:
            return numpy.array([self._one_normal() for _ in range(n)], numpy.float64).astype(kind)
        out = self.uniform(n, kind)
        tail = None if n % 16 == 0 else self.uniform(16, kind)
        whole = n - n % 16
        out[:whole] = _blocks(out[:whole])
        if tail is not None:
            out[-16:] = _blocks(tail)  # the last block is drawn anew and laid over the end
        return out

    def _one_normal(self) -> float:
        if self._spare is not None:
            value, self._spare = self._spare, None
            return value
        angle, radius = self.doubles(2).tolist()
        radius, angle = math.sqrt(-2 * math.log1p(-radius)), 2 * math.pi * angle
        self._spare = radius * math.sin(angle)
        return radius * math.cos(angle)

    def integers(self, low: int, high: int, n: int) -> Any:
        """n whole numbers from low to high - 1, int64."""
        span = high - low
        words = self.words(n) if span < 2**32 else self.long_words(n)
        return (words % numpy.uint64(span)).astype(numpy.int64) + low

    def permutation(self, n: int) -> Any:
        """0 … n - 1 in random order, by Fisher and Yates."""
        order = list(range(n))
        for i, word in enumerate(self.words(max(n - 1, 0)).tolist()):
            j = i + word % (n - i)
            order[i], order[j] = order[j], order[i]
        return numpy.array(order, numpy.int64)


def _blocks(uniform: Any) -> Any:
    """Uniform numbers to normal ones: in each block of 16 the first 8 give radii, the other 8 angles."""
    first, second = uniform.reshape(-1, 2, 8).swapaxes(0, 1)
    radius = numpy.sqrt(-2 * numpy.log(1 - first))
    angle = second * uniform.dtype.type(2 * math.pi)
    return numpy.stack([radius * numpy.cos(angle), radius * numpy.sin(angle)], 1).reshape(-1)


_default: list[Generator] = []


def default_generator() -> Generator:
    """The generator of whoever brings none; unforeseeable until manual_seed()."""
    if not _default:
        _default.append(Generator())
        _default[0].seed()
    return _default[0]


def manual_seed(seed: int) -> Generator:
    """Start the default generator's stream that belongs to `seed` (torch.manual_seed)."""
    return default_generator().manual_seed(seed)


def seed() -> int:
    """Start the default generator anew, unforeseeably; the seed (torch.seed)."""
    return default_generator().seed()


def initial_seed() -> int:
    """The seed of the default generator's stream (torch.initial_seed)."""
    return default_generator().initial_seed()


# ------------------------------------------------------------------ new tensors


def _drawn(draw: str, size: tuple[Any, ...], generator: Any, dtype: Dtype | None, rest: dict[str, Any]) -> Tensor:
    shape = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else tuple(size)
    kind = as_numpy(dtype) or get_default_dtype().np
    if kind.kind != "f":
        kernel = {"uniform": "check_uniform_bounds", "normal": "normal_kernel_cpu"}[draw]
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtype.type_name if dtype else kind}'")
    values = getattr(generator or default_generator(), draw)(math.prod(shape), kind)
    return finish(values.reshape(shape), **rest)


def rand(
    *size: Any,
    generator: Generator | None = None,
    dtype: Dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Uniform numbers in [0, 1) (torch.rand)."""
    return _drawn("uniform", size, generator, dtype, {"device": device, "requires_grad": requires_grad})


def randn(
    *size: Any,
    generator: Generator | None = None,
    dtype: Dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Standard normal numbers (torch.randn)."""
    return _drawn("normal", size, generator, dtype, {"device": device, "requires_grad": requires_grad})


def rand_like(input: Tensor, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """rand of another tensor's size, dtype and device (torch.rand_like)."""
    return rand(*input.shape, dtype=dtype or input.dtype, device=device or input.device, requires_grad=requires_grad)


def randn_like(input: Tensor, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """randn of another tensor's size, dtype and device (torch.randn_like)."""
    return randn(*input.shape, dtype=dtype or input.dtype, device=device or input.device, requires_grad=requires_grad)


def randint(
    low: int,
    high: Any = None,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: Dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Whole numbers from low (0 if left out) to high - 1, int64 unless told otherwise (torch.randint)."""
    if size is None:
        low, high, size = 0, low, high
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    values = (generator or default_generator()).integers(low, high, math.prod(size)).reshape(tuple(size))
    return finish(values.astype(as_numpy(dtype) or values.dtype), device, requires_grad)


def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    dtype: Dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """0 … n - 1 in random order, int64 unless told otherwise (torch.randperm)."""
    values = (generator or default_generator()).permutation(n)
    return finish(values.astype(as_numpy(dtype) or values.dtype), device, requires_grad)


def normal(mean: Any, std: Any = 1.0, size: Any = None, *, generator: Generator | None = None) -> Tensor:
    """Normal numbers of the given means and deviations, tensors or numbers (torch.normal)."""
    like = mean if isinstance(mean, Tensor) else std
    noise = randn(size if size is not None else tuple(like.shape), generator=generator)
    return noise * std + mean


def bernoulli(input: Tensor, *, generator: Generator | None = None) -> Tensor:
    """1 with the probability that stands in `input`, else 0; no gradient passes (torch.bernoulli)."""
    kind = input._data.dtype
    drawn = (generator or default_generator()).uniform(input._data.size, kind).reshape(input._data.shape)
    return finish((drawn < input._data).astype(kind), input.device)


# ------------------------------------------------------------------ in place


def overwrite(tensor: Tensor, values: Any) -> Tensor:
    """Put drawn values, as many as there are elements, into a tensor."""
    data = tensor.storage()
    values = values.astype(data.dtype, copy=False).reshape(data.shape)
    data[...] = finish(values, tensor.device)._data
    tensor.bump_version()
    return tensor


def uniform_(self: Tensor, a: float = 0, b: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Every element drawn uniformly from [a, b), in place (torch.Tensor.uniform_)."""
    check_writable(self)
    kind = self._data.dtype
    if a > b:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={a} > to={b}")
    drawn = (generator or default_generator()).uniform(self._data.size, kind)
    low, high = kind.type(a), kind.type(b)
    return overwrite(self, drawn.astype(numpy.float64) * float(high - low) + float(low))  # torch rounds once


def normal_(self: Tensor, mean: float = 0, std: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Every element drawn from a normal distribution, in place (torch.Tensor.normal_)."""
    check_writable(self)
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
    drawn = (generator or default_generator()).normal(self._data.size, self._data.dtype)
    return overwrite(self, drawn * std + mean)


def bernoulli_(self: Tensor, p: float = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Every element 1 with probability p, else 0, in place (torch.Tensor.bernoulli_)."""
    check_writable(self)
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
    return overwrite(self, (generator or default_generator()).doubles(self._data.size) < p)
