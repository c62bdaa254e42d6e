"""The order in which samples are read: their numbers, one by one or in batches."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

from ...creation import as_tensor
from ...draws import randint, randperm
from ...dtypes import float64, int64
from ...random import Generator
from ...ranges import empty

Number = TypeVar("Number", covariant=True)
AT_ONCE = 32  # numbers that torch draws at a time, with replacement


class Sampler(Generic[Number]):
    """It yields the numbers of samples: subclasses have __iter__, and usually __len__ (torch.utils.data.Sampler)."""

    def __iter__(self) -> Iterator[Number]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """All numbers in order (torch.utils.data.SequentialSampler)."""

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


def drawn_seed(generator: Any = None) -> int:
    """A seed drawn from a generator, or from the default one."""
    return int(empty((), dtype=int64).random_(generator=generator).item())


class RandomSampler(Sampler[int]):
    """All numbers in a random order, or num_samples of them (torch.utils.data.RandomSampler).

    Without replacement each number comes once before any comes again. generator: None for a new one each time, with a
    seed from the default one.
    """

    def __init__(
        self, data_source: Sized, replacement: bool = False, num_samples: int | None = None, generator: Any = None
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={self.num_samples}")

    @property
    def num_samples(self) -> int:
        """How many numbers there will be."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        count, whole = self.num_samples, len(self.data_source)
        generator = self.generator or Generator().manual_seed(drawn_seed())
        if self.replacement:
            for size in [AT_ONCE] * (count // AT_ONCE) + [count % AT_ONCE]:
                yield from randint(whole, (size,), generator=generator).tolist()
        else:
            for size in [whole] * (count // whole) + [count % whole]:
                yield from randperm(whole, generator=generator).tolist()[:size]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Some numbers, in a random order (torch.utils.data.SubsetRandomSampler)."""

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


def checked(num_samples: Any, name: str) -> int:
    """ValueError for what is no positive number of samples."""
    if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={num_samples}")
    return num_samples


class WeightedRandomSampler(Sampler[int]):
    """Numbers drawn as often as their weights say (torch.utils.data.WeightedRandomSampler)."""

    def __init__(
        self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator: Any = None
    ) -> None:
        self.num_samples = checked(num_samples, "num_samples")
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = as_tensor(weights, dtype=float64)
        if self.weights.dim() != 1:
            shape = tuple(self.weights.shape)
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {shape}")
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        yield from self.weights.multinomial(self.num_samples, self.replacement, generator=self.generator).tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """The numbers of another sampler, batch_size at a time (torch.utils.data.BatchSampler).

    drop_last: without the last few, where they do not fill a batch.
    Example: list(BatchSampler(range(5), 2, False)) → [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[Any], batch_size: int, drop_last: bool) -> None:
        self.batch_size = checked(batch_size, "batch_size")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch

    def __len__(self) -> int:
        whole: Any = self.sampler
        return len(whole) // self.batch_size if self.drop_last else -(-len(whole) // self.batch_size)
