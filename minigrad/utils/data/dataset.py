"""What can be read: by number, or one after the other; and data sets made of others."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from ...draws import randperm
from ...errors import warn
from ...tensor import Tensor

Sample = TypeVar("Sample", covariant=True)


class Dataset(Generic[Sample]):
    """A sample for each number: subclasses have __getitem__, and usually __len__ (torch.utils.data.Dataset).

    One that can read many samples at once has __getitems__(numbers) as well.
    """

    def __getitem__(self, index: Any) -> Sample:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Any) -> Dataset[Sample]:
        """One after the other."""
        return ConcatDataset([self, other])


class IterableDataset(Dataset[Sample], Iterable[Sample]):
    """Samples that can only be read from the beginning: a subclass has __iter__ (torch.utils.data.IterableDataset)."""

    def __add__(self, other: Any) -> Dataset[Sample]:
        """One after the other."""
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """The rows of some tensors with the same number of rows (torch.utils.data.TensorDataset).

    Example: TensorDataset(x, y)[3] → (x[3], y[3])
    """

    def __init__(self, *tensors: Tensor) -> None:
        if any(each.size(0) != tensors[0].size(0) for each in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple([each[index] for each in self.tensors])

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class ConcatDataset(Dataset[Sample]):
    """Data sets one after the other (torch.utils.data.ConcatDataset). cumulative_sizes: where each of them ends."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(each, IterableDataset) for each in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = list(itertools.accumulate(map(len, self.datasets)))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> Sample:
        if index < 0:
            if index < -len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            index += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, index)
        return self.datasets[which][index - (self.cumulative_sizes[which - 1] if which else 0)]


class ChainDataset(IterableDataset[Sample]):
    """Iterable data sets one after the other (torch.utils.data.ChainDataset)."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def _each_dataset(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield dataset

    def __iter__(self) -> Iterator[Sample]:
        for dataset in self._each_dataset():
            yield from dataset

    def __len__(self) -> int:
        return sum(map(len, self._each_dataset()))


class Subset(Dataset[Sample]):
    """The samples of a data set with some numbers (torch.utils.data.Subset).

    NotImplementedError for a subclass with a __getitem__ of its own and not __getitems__, which a DataLoader asks.
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        kind = type(self)
        if kind.__getitem__ is not Subset.__getitem__ and kind.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(OVERRIDDEN.format(kind.__name__))
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __getitems__(self, indices: list[int]) -> list[Any]:
        numbers = [self.indices[i] for i in indices]
        many = getattr(self.dataset, "__getitems__", None)
        return many(numbers) if callable(many) else [self.dataset[number] for number in numbers]

    def __len__(self) -> int:
        return len(self.indices)


OVERRIDDEN = (
    "{} overrides __getitem__ but not __getitems__. When subclassing Subset and overriding __getitem__, you must also "
    "override __getitems__ to ensure DataLoader works correctly with your custom logic. A simple implementation:\n\n"
    "def __getitems__(self, indices):\n    return [self.__getitem__(idx) for idx in indices]"
)


def shares(lengths: Sequence[float], whole: int) -> list[int]:
    """Fractions of 1 as numbers of samples: rounded down, and what is left dealt out one by one from the first on."""
    for i, share in enumerate(lengths):
        if share < 0 or share > 1:
            raise ValueError(f"Fraction at index {i} is not between 0 and 1")
    counts = [math.floor(whole * share) for share in lengths]
    for i in range(whole - sum(counts)):
        counts[i % len(counts)] += 1
    for i, count in enumerate(counts):
        if count == 0:
            warn(f"Length of split at index {i} is 0. This might result in an empty dataset.")
    return counts


def random_split(dataset: Any, lengths: Sequence[float], generator: Any = None) -> list[Subset[Any]]:
    """A data set split at random into several (torch.utils.data.random_split).

    lengths: how many samples each gets; or fractions that sum to 1. ValueError where they do not sum to the whole.
    Example: random_split(range(10), [0.7, 0.3]) → two subsets, of 7 and of 3
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = shares(lengths, len(dataset))
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = iter(randperm(len(dataset), generator=generator).tolist())
    return [Subset(dataset, list(itertools.islice(order, int(length)))) for length in lengths]
