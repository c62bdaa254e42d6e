"""Random numbers: after manual_seed(n) the same ones that torch draws on a CPU (normal ones but for their last bit).

torch's generator is the Mersenne Twister, which NumPy has too; what is written here is how torch turns its 32-bit words
into uniform, normal and whole numbers (ATen/core/DistributionsHelper.h, ATen/native/cpu/DistributionTemplates.h).
Tensors of them are made in draws.py.
"""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import TYPE_CHECKING, Any

from .backend import constant, numpy, to_host
from .errors import refusing
from .size import device as Device
from .size import get_default_device

if TYPE_CHECKING:
    from .tensor import Tensor

__all__ = ["fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]

__getattr__ = refusing(__name__)

DEFAULT_SEED = 67280421310721  # of a Generator that was given none (c10::detail::default_rng_seed_val)
# A generator's state as torch shows it (CPUGeneratorImplState in ATen/CPUGeneratorImpl.cpp). left: words until the next
# `WORDS` are made; next: the place of the next one.
WORDS = 624
LOW_24 = numpy.array(2**24 - 1, numpy.uint64)  # the bits of a word that a float32 number is made of
UNIT = numpy.array(2.0**-24, numpy.float32)  # what the lowest of them counts
STATE = numpy.dtype(
    [("seed", "<u8"), ("left", "<i4"), ("seeded", "<i4"), ("next", "<u8"), ("words", "<u8", WORDS), ("normal_x", "<f8"),
     ("normal_y", "<f8"), ("normal_rho", "<f8"), ("normal_is_valid", "<i8"), ("float_normal", "<f4"),
     ("float_normal_is_valid", "<i4")]
)  # fmt: skip


class Generator:
    """An independent stream of random numbers (torch.Generator)."""

    def __init__(self, device: Any = "cpu") -> None:
        place = Device("cpu" if device is None else device)
        if place.type == "cuda":
            from .cuda import is_available

            if not is_available():
                raise RuntimeError("Cannot get CUDA generator without ATen_cuda library.")
            place = Device("cuda", place.index or 0)
        self.device = place  # of the tensors that it is for: the numbers are drawn on the host, for GPUs too
        self.manual_seed(DEFAULT_SEED)

    def manual_seed(self, seed: int) -> Generator:
        """Start the stream that belongs to `seed`; the generator itself is returned."""
        if not isinstance(seed, int) or isinstance(seed, bool):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._seed = seed % 2**64
        vars(self).pop("_bits", None)
        self._spare: float | None = None  # normal numbers come in pairs
        return self

    @functools.cached_property
    def _bits(self) -> Any:
        """NumPy's stream, made when something is first drawn: to load numpy.random takes time."""
        bits = numpy.random.MT19937()
        bits.state = first_state(self._seed)
        return vars(self).setdefault("_bits", bits)  # of several threads that are first at once, all draw from one's

    def seed(self) -> int:
        """Start a stream nobody can foretell; its seed."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little"))
        return self._seed

    def initial_seed(self) -> int:
        """The seed of the current stream."""
        return self._seed

    def get_state(self) -> Tensor:
        """Where the stream is, as torch shows it: 5056 bytes."""
        from .tensor import from_array

        inner: Any = self._bits.state["state"]
        words, place = inner["key"], inner["pos"]
        state = numpy.zeros((), STATE)
        state["seed"], state["left"], state["seeded"], state["words"] = self._seed, WORDS + 1 - place, 1, words
        unused = place == WORDS and bool((words == first_state(self._seed)["state"]["key"]).all())
        state["next"] = 0 if unused else place
        if self._spare is not None:
            state["normal_y"], state["normal_is_valid"] = self._spare, 1
        return from_array(numpy.frombuffer(state.tobytes(), numpy.uint8).copy())

    def set_state(self, new_state: Tensor) -> Generator:
        """Go on where the stream was when get_state() gave this; the generator itself is returned."""
        data = getattr(new_state, "_data", None)
        if data is None:
            raise TypeError(f"expected a torch.ByteTensor, but got {type(new_state).__name__}")
        if data.dtype != numpy.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if not data.flags.c_contiguous:
            raise RuntimeError("RNG state must be contiguous")
        if data.size != STATE.itemsize:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {STATE.itemsize} but found the input RNG state size to be {data.size}"
            )
        state = numpy.frombuffer(to_host(data).tobytes(), STATE)[0]
        if not (state["seeded"] == 1 and 0 < state["left"] <= WORDS and state["next"] <= WORDS):
            raise RuntimeError("Invalid mt19937 state")
        self._seed = int(state["seed"])
        place = WORDS + 1 - int(state["left"])
        self._bits.state = {
            "bit_generator": "MT19937", "state": {"key": state["words"].astype(numpy.uint32), "pos": place},
        }  # fmt: skip
        self._spare = float(state["normal_y"]) if state["normal_is_valid"] else None
        return self

    def clone_state(self) -> Generator:
        """A generator of its own, whose stream is where this one's is."""
        return Generator(self.device).set_state(self.get_state())

    def words(self, n: int) -> Any:
        """The next n 32-bit words, as uint64."""
        check_draws()
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
        drawn = (self.words(n) & LOW_24).astype(numpy.float32)
        drawn *= UNIT  # both steps are exact
        return drawn

    def uniform(self, n: int, kind: Any) -> Any:
        """n numbers in [0, 1) as torch draws them for the NumPy dtype `kind`."""
        drawn = self.doubles(n) if kind == numpy.float64 else self.floats(n).astype(kind, copy=False)
        if kind == numpy.float16:
            drawn[drawn == 1] = 0  # which rounding comes to
        return drawn

    def normal(self, n: int, kind: Any, blocks: bool = True) -> Any:
        """n standard normal numbers, by Box and Muller: few of them in pairs of doubles, many in blocks of 16.

        They come as exact as they were computed, in float64 or float32, to be rounded to `kind` when they are done with.
        """
        if n < 16:
            return numpy.array([self._one_normal() for _ in range(n)], numpy.float64)
        if not blocks:
            return self._normal_pairs(n)
        whole, half = n - n % 16, kind == numpy.float16
        kind = numpy.dtype(numpy.float32) if half else kind
        drawn = self.uniform(whole if half else n, kind)  # torch leaves out what the last block will cover in float16
        if whole == n:
            return _blocks(drawn)
        tail, out = self.uniform(16, kind), numpy.empty(n, kind)
        out[:whole] = _blocks(drawn[:whole])
        out[-16:] = _blocks(tail)  # the last block is drawn anew and laid over the end
        return out

    def _one_normal(self) -> float:
        check_draws()
        if self._spare is not None:
            value, self._spare = self._spare, None
            return value
        angle, radius = self.doubles(2).tolist()
        radius, angle = math.sqrt(-2 * math.log1p(-radius)), 2 * math.pi * angle
        self._spare = radius * math.sin(angle)
        return radius * math.cos(angle)

    def _normal_pairs(self, n: int) -> Any:
        """What n calls of _one_normal give, all at once, float64."""
        kept = [] if self._spare is None else [self._one_normal()]
        rest = n - len(kept)
        angle, radius = self.doubles(rest + rest % 2).reshape(-1, 2).T
        radius, angle = numpy.sqrt(-2 * numpy.log1p(-radius)), 2 * math.pi * angle
        drawn = numpy.stack([radius * numpy.cos(angle), radius * numpy.sin(angle)], 1).reshape(-1)
        if rest % 2:
            self._spare = float(drawn[-1])
        return numpy.concatenate([kept, drawn[:rest]])

    def exponential(self, n: int, kind: Any, rate: float = 1.0) -> Any:
        """n waiting times of so many events a unit of time."""
        return (-1 / rate * numpy.log1p(-self.doubles(n))).astype(kind, copy=False)

    def integers(self, low: int, high: int, n: int, long: int = 2**28) -> Any:
        """n whole numbers from low to high - 1, int64. `long` of them and more are drawn with long words: as remainders of
        short ones some would come up noticeably more often than others."""
        span = high - low
        words = self.words(n) if span < long else self.long_words(n)
        return (words % numpy.uint64(span)).astype(numpy.int64) + low

    def permutation(self, n: int) -> Any:
        """0 … n - 1 in random order, by Fisher and Yates."""
        order, words = list(range(n)), self.words(max(n - 1, 0))
        for i, step in enumerate((words % numpy.arange(n, 1, -1, dtype=numpy.uint64)).tolist()):
            order[i], order[i + step] = order[i + step], order[i]
        return numpy.array(order, numpy.int64)


def fused(x: Any, factor: float, summand: float) -> Any:
    """x · factor + summand in a wider dtype: the caller rounds it, once, as torch's fused instruction does."""
    kind, wide = x.dtype.type, numpy.float64 if x.dtype == numpy.float32 else numpy.longdouble
    return x.astype(wide) * wide(kind(factor)) + wide(kind(summand))


def _blocks(uniform: Any) -> Any:
    """Uniform numbers to normal ones: in each block of 16 the first 8 give radii, the other 8 angles."""
    kind = uniform.dtype
    first, second = uniform.reshape(-1, 2, 8).swapaxes(0, 1).copy()  # each in one piece
    radius = numpy.sqrt(constant(-2, kind) * numpy.log(constant(1, kind) - first))
    second *= 2 * math.pi
    out = numpy.empty((len(first), 2, 8), kind)
    numpy.multiply(radius, numpy.cos(second), out=out[:, 0])
    numpy.multiply(radius, numpy.sin(second), out=out[:, 1])
    return out.reshape(-1)


def first_state(seed: int) -> Any:
    """The state of NumPy's Mersenne Twister at the start of a seed's stream."""
    return numpy.random.RandomState(seed % 2**32).get_state(legacy=False)


NO_DRAWS = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' randomness "
    "flags on vmap or perform the randomness operation out of vmap"
)
_no_draws: set[int] = set()  # the threads in which nothing may be drawn


def check_draws() -> None:
    """RuntimeError inside no_draws(), in vmap's words."""
    if _no_draws and get_ident() in _no_draws:
        raise RuntimeError(NO_DRAWS)


@contextmanager
def no_draws() -> Iterator[None]:
    """Inside, drawing a number in this thread raises an error."""
    me = get_ident()
    inside = me in _no_draws
    _no_draws.add(me)
    try:
        yield
    finally:
        if not inside:
            _no_draws.discard(me)


default_generator = Generator()  # used where none is given; unpredictable until manual_seed()
default_generator.seed()


def source(generator: Generator | None, device: Any) -> Generator:
    """Where numbers for a tensor on `device` (None: where tensors are made) come from: the generator that was given, or the
    default one.

    RuntimeError, in torch's words, for a generator of another kind of device.
    """
    if generator is None:
        return default_generator
    wanted = Device(get_default_device() if device is None else device).type
    found = generator.device.type
    if wanted != found:
        raise RuntimeError(f"Expected a '{wanted}' device type for generator but found '{found}'")
    return generator


def manual_seed(seed: int) -> Generator:
    """Seed the default generator (torch.manual_seed)."""
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Restart the default generator with an unpredictable seed, which is returned (torch.seed)."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed of the default generator's stream (torch.initial_seed)."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The default generator's state, a tensor of bytes (torch.get_rng_state)."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Restore the default generator's state from get_rng_state() (torch.set_rng_state)."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(
    devices: Any = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str | None = None,
) -> Iterator[None]:
    """What is drawn inside does not move the default generator's stream (torch.random.fork_rng).

    devices, device_type: nothing to be chosen here, for the numbers on GPUs are drawn on the host. enabled: False to draw
    as if this were not there.
    """
    before = default_generator.get_state() if enabled and device_type != "meta" else None
    try:
        yield
    finally:
        if before is not None:
            default_generator.set_state(before)
