"""Batches of a data set, one after the other."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ... import cuda
from ...errors import warn
from .collate import default_collate, default_convert
from .dataset import IterableDataset
from .sampler import BatchSampler, RandomSampler, SequentialSampler, drawn_seed

FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class DataLoader:
    """Batches of a data set (torch.utils.data.DataLoader), read in this process.

    batch_size: samples in a batch; None for samples one by one. shuffle: in another order each time. sampler: what gives
    the order; batch_sampler: what gives the numbers of each batch. collate_fn: what makes a batch of a list of samples.
    drop_last: without the last batch, where it is smaller. generator: for the order; None for the default one.
    The rest has to do with worker processes, which are not there, and with memory that a GPU reads sooner; it is checked
    as in torch.
    """

    __initialized = False

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[list[Any]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        for wrong, words in [
            (num_workers < 0, NO_WORKERS),
            (timeout < 0, "timeout option should be non-negative"),
            (num_workers == 0 and prefetch_factor is not None, NO_PREFETCH),
            ((prefetch_factor or 0) < 0, "prefetch_factor option should be non-negative"),
            (persistent_workers and num_workers == 0, "persistent_workers option needs num_workers > 0"),
            (multiprocessing_context is not None and num_workers == 0, f"{NO_CONTEXT}{num_workers}"),
        ]:
            if wrong:
                raise ValueError(words)
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.pin_memory, self.pin_memory_device = pin_memory, pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        self._set_order(batch_size, shuffle, sampler, batch_sampler, drop_last, generator)
        self.collate_fn = collate_fn or (default_convert if self.batch_sampler is None else default_collate)
        self.persistent_workers = persistent_workers
        self._promised: int | None = None  # samples of an iterable data set, once its length was asked for
        self.__initialized = True

    def _set_order(
        self, batch_size: int | None, shuffle: Any, sampler: Any, batch_sampler: Any, drop_last: bool, generator: Any
    ) -> None:
        """The samplers; ValueError, in torch's words, for options that exclude each other."""
        self._iterable = isinstance(self.dataset, IterableDataset)
        if self._iterable:
            for option, given in {
                "shuffle": shuffle or None,
                "sampler": sampler,
                "batch_sampler": batch_sampler,
            }.items():
                if given is not None:
                    told = f"expected unspecified {option} option, but got {option}={given}"
                    raise ValueError(f"DataLoader with IterableDataset: {told}")
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None:
            if self._iterable:
                sampler = itertools.repeat(None)  # an iterable data set is asked for no numbers
            else:
                sampler = (
                    RandomSampler(self.dataset, generator=generator) if shuffle else SequentialSampler(self.dataset)
                )
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size, self.drop_last = batch_size, drop_last
        self.sampler, self.batch_sampler, self.generator = sampler, batch_sampler, generator

    def __setattr__(self, name: str, value: Any) -> None:
        if self.__initialized and name in FIXED:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[Any]:
        return Batches(self)

    def __len__(self) -> int:
        """Batches in one pass; TypeError where the data set, or the sampler, has no length."""
        if not self._iterable:
            numbers: Any = self.sampler if self.batch_sampler is None else self.batch_sampler
            return len(numbers)
        self._promised = length = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)


NO_WORKERS = "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
NO_PREFETCH = (
    "prefetch_factor option could only be specified in multiprocessing."
    "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
)
NO_CONTEXT = (
    "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got num_workers="
)
NOT_PINNED = (
    "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used."
)


class Batches:
    """One pass over a DataLoader's data set."""

    def __init__(self, loader: DataLoader) -> None:
        if loader.pin_memory and not cuda.is_available():
            warn(NOT_PINNED)
        self._loader = loader
        numbers: Any = loader.sampler if loader.batch_sampler is None else loader.batch_sampler
        self._numbers = numbers
        order = iter(numbers)
        drawn_seed(loader.generator)  # torch draws one for its workers at the start of every pass, without any as well
        self._batches = iterated(loader, iter(loader.dataset)) if loader._iterable else numbered(loader, order)
        self._yielded = 0

    def __iter__(self) -> Batches:
        return self

    def __len__(self) -> int:
        return len(self._numbers)

    def __next__(self) -> Any:
        batch = next(self._batches)
        self._yielded += 1
        promised = self._loader._promised
        if promised is not None and self._yielded > promised:
            warn(
                f"Length of IterableDataset {self._loader.dataset} was reported to be {promised}(when accessing "
                f"len(dataloader)), but {self._yielded} samples have been fetched. "
            )
        return batch


def numbered(loader: DataLoader, numbers: Iterator[Any]) -> Iterator[Any]:
    """The batches with these numbers; where there are no batches, the samples."""
    dataset = loader.dataset
    several = getattr(dataset, "__getitems__", None)
    for number in numbers:
        if loader.batch_sampler is None:
            yield loader.collate_fn(dataset[number])
        else:
            yield loader.collate_fn(several(number) if several else [dataset[each] for each in number])


def iterated(loader: DataLoader, samples: Iterator[Any]) -> Iterator[Any]:
    """Batches of these samples; where there are no batches, the samples."""
    if loader.batch_size is None:
        yield from map(loader.collate_fn, samples)
        return
    while batch := list(itertools.islice(samples, loader.batch_size)):
        if len(batch) < loader.batch_size and loader.drop_last:
            return
        yield loader.collate_fn(batch)


def get_worker_info() -> None:
    """None: nothing is read in a worker process (torch.utils.data.get_worker_info)."""
    return None
