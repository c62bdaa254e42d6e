"""minigrad.utils.data against torch's: the same samples in the same order, the same batches, errors and warnings."""

from __future__ import annotations

import warnings
from collections import OrderedDict, UserList, namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import minigrad
from minigrad.utils.data import collate

ENGINES = {"torch": torch, "minigrad": minigrad}
Point = namedtuple("Point", "x y")
Numbers = range(10)


def rows(T: Any) -> Any:
    return T.utils.data.TensorDataset(T.arange(14.0).reshape(7, 2), T.arange(7))


def stream(D: Any, n: int, length: int | None = None) -> Any:
    """An iterable data set, 0 to n; length: what it says of itself."""
    members: dict[str, Any] = {"__iter__": lambda self: iter(range(n)), "__repr__": lambda self: "a stream"}
    if length is not None:
        members["__len__"] = lambda self: length
    return type("Stream", (D.IterableDataset,), members)()


def squares(D: Any, **more: Any) -> Any:
    """A data set of Python's numbers."""
    members = {"__getitem__": lambda self, i: (i, float(i * i)), "__len__": lambda self: 6}
    return type("Squares", (D.Dataset,), members | more)()


def twice(loader: Any) -> Any:
    return [list(loader), list(loader)]


LOADERS = """
DataLoader(rows)
DataLoader(rows, 3)
DataLoader(rows, 3, shuffle=True)
DataLoader(rows, 3, True, drop_last=True)
DataLoader(rows, batch_size=3, shuffle=True, generator=T.Generator().manual_seed(5))
DataLoader(rows, batch_size=None)
DataLoader(rows, batch_size=None, shuffle=True)
DataLoader(rows, 2, sampler=[4, 2, 2])
DataLoader(rows, 2, sampler=D.SubsetRandomSampler([1, 3, 5, 6]))
DataLoader(rows, 2, sampler=D.RandomSampler(rows, num_samples=10))
DataLoader(rows, 3, sampler=D.RandomSampler(rows, replacement=True, num_samples=70))
DataLoader(rows, 2, sampler=D.WeightedRandomSampler([0.1, 1.0, 3.0], 5))
DataLoader(rows, 2, sampler=D.WeightedRandomSampler([0.1, 1.0, 3.0], 2, replacement=False))
DataLoader(rows, batch_sampler=[[0, 6], [1], [2, 3, 4]])
DataLoader(rows, batch_sampler=D.BatchSampler(D.RandomSampler(rows), 4, True))
DataLoader(range(5), 2)
DataLoader(squares, 4)
DataLoader(squares, 4, collate_fn=list)
DataLoader(D.Subset(rows, [6, 0, 3]), 2)
DataLoader(D.Subset(squares, [1, 0]), 2)
DataLoader(rows + rows, 5, shuffle=True)
DataLoader(D.ConcatDataset([range(3), range(5)]), 4)
DataLoader(stream(7), 3)
DataLoader(stream(7), 3, drop_last=True)
DataLoader(stream(2), batch_size=None)
DataLoader(stream(2) + stream(3), 2)
DataLoader(rows, 3, num_workers=0, pin_memory=True, timeout=0, worker_init_fn=print, in_order=False)
DataLoader(["a", "b", "c"], 2)
""".strip().splitlines()

PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "the same after training has drawn": lambda T, D: [T.randn(2), twice(D.DataLoader(rows(T), 4, True)), T.randn(2)],
    "an iterator draws its seed at once": lambda T, D: [iter(D.DataLoader(rows(T), 4)) and T.rand(1), T.rand(1)],
    "lengths": lambda T, D: [
        len(each) for each in (
            rows(T), D.DataLoader(rows(T), 3), D.DataLoader(rows(T), 3, drop_last=True), iter(D.DataLoader(rows(T), 2)),
            D.DataLoader(rows(T), None), D.DataLoader(stream(D, 9, 9), 4), D.DataLoader(stream(D, 9, 9), 4, drop_last=True),
            D.DataLoader(stream(D, 9, 9), None), rows(T) + rows(T), stream(D, 2, 2) + stream(D, 3, 3),
            D.RandomSampler(Numbers), D.RandomSampler(Numbers, num_samples=3), D.SequentialSampler(Numbers),
            D.SubsetRandomSampler([1, 2]), D.WeightedRandomSampler([1.0], 4), D.BatchSampler(Numbers, 4, True),
        )
    ],
    "a stream that is longer than it says": lambda T, D: (
        lambda loader: [len(loader), list(loader)]
    )(D.DataLoader(stream(D, 5, 2))),
    "a next batch": lambda T, D: next(iter(D.DataLoader(rows(T), 2, True))),
    "a batch more": lambda T, D: [next(each) for each in [iter(D.DataLoader(rows(T), 7))] * 2],
    "many at once": lambda T, D: list(
        D.DataLoader(squares(D, __getitems__=lambda self, numbers: [n + 0.5 for n in numbers]), 4)
    ),
    "a subset of many at once": lambda T, D: list(
        D.DataLoader(D.Subset(squares(D, __getitems__=lambda self, numbers: [sum(numbers)]), [3, 4, 5]), 2)
    ),
    "a subset by a list": lambda T, D: D.Subset(T.arange(5) * 2, [4, 3, 2])[[0, 2]],
    "from the end": lambda T, D: [(rows(T) + rows(T))[i] for i in (-1, -8, 7, 13)],
    "before the beginning": lambda T, D: (rows(T) + rows(T))[-15],
    "a split": lambda T, D: [each.indices for each in D.random_split(Numbers, [3, 7])],
    "a split by a generator": lambda T, D: [
        each.indices for each in D.random_split(Numbers, [3, 7], T.Generator().manual_seed(42))
    ],
    "a split in shares": lambda T, D: [each.indices for each in D.random_split(range(11), [0.3, 0.3, 0.4])],
    "a split in one": lambda T, D: [each.indices for each in D.random_split(range(3), [1.0])],
    "a split with nothing in it": lambda T, D: [each.indices for each in D.random_split(range(3), [0.01, 0.0, 0.99])],
    "a split of too many": lambda T, D: D.random_split(Numbers, [3, 8]),
    "a split of less than nothing": lambda T, D: D.random_split(Numbers, [1.5, -0.5]),
    "rows that do not match": lambda T, D: D.TensorDataset(T.ones(2), T.ones(3)),
    "nothing to join": lambda T, D: D.ConcatDataset([]),
    "a stream to join": lambda T, D: D.ConcatDataset([stream(D, 2)]),
    "no stream to chain": lambda T, D: list(D.ChainDataset([Numbers])),
    "no samples of its own": lambda T, D: D.Dataset()[0],
    "half a subset": lambda T, D: type("Half", (D.Subset,), {"__getitem__": lambda self, i: i})(Numbers, [1]),
    "nothing to read at random": lambda T, D: D.DataLoader([], 2, shuffle=True),
    "set too late": lambda T, D: setattr(D.DataLoader(rows(T)), "batch_size", 3),
    "no length": lambda T, D: len(D.DataLoader(stream(D, 3))),
    "no workers": lambda T, D: [D.get_worker_info(), D.DataLoader(rows(T)).num_workers, D.DataLoader(rows(T)).batch_size],
}  # fmt: skip

WRONG = """
DataLoader(rows, 0)
DataLoader(rows, 2.0)
DataLoader(rows, True)
DataLoader(rows, 2, drop_last=1)
DataLoader(rows, 2, shuffle=True, sampler=[1])
DataLoader(rows, 2, batch_sampler=[[1]])
DataLoader(rows, batch_sampler=[[1]], shuffle=True)
DataLoader(rows, batch_sampler=[[1]], drop_last=True)
DataLoader(rows, None, drop_last=True)
DataLoader(rows, num_workers=-1)
DataLoader(rows, timeout=-1)
DataLoader(rows, prefetch_factor=2)
DataLoader(rows, num_workers=1, prefetch_factor=-2)
DataLoader(rows, persistent_workers=True)
DataLoader(rows, multiprocessing_context="fork")
DataLoader(stream(3), shuffle=True)
DataLoader(stream(3), sampler=[1])
DataLoader(stream(3), batch_sampler=[[1]])
RandomSampler(rows, replacement=1)
RandomSampler(rows, num_samples=0)
RandomSampler(rows, num_samples=1.5)
WeightedRandomSampler([1.0], 0)
WeightedRandomSampler([1.0], True)
WeightedRandomSampler([1.0], 1, 1)
WeightedRandomSampler([[1.0]], 1)
BatchSampler([1], -1, True)
BatchSampler([1], 1, None)
""".strip().splitlines()

SAMPLES: dict[str, Callable[[Any], Any]] = {
    "numbers": lambda T: [1, 2],
    "bools": lambda T: [True, False],
    "fractions": lambda T: [1.5, 2],
    "both kinds": lambda T: [1, 2.5],
    "words": lambda T: ["a", b"b"],
    "tensors": lambda T: [T.ones(2), T.zeros(2)],
    "tensors of several sizes": lambda T: [T.ones(2), T.zeros(3)],
    "parameters": lambda T: [T.nn.Parameter(T.ones(2)), T.zeros(2)],
    "arrays": lambda T: [np.ones((2, 1)), np.zeros((2, 1))],
    "NumPy's numbers": lambda T: [np.float32(1.5), np.float32(2)],
    "NumPy's whole numbers": lambda T: [np.int8(1), np.int8(2)],
    "NumPy's bools": lambda T: [np.bool_(True), np.bool_(False)],
    "arrays of words": lambda T: [np.array(["a"])],
    "arrays of objects": lambda T: [np.array([None])],
    "tuples": lambda T: [(1, "a", T.ones(1)), (2, "b", T.zeros(1))],
    "lists": lambda T: [[1, 2.0], [3, 4.0]],
    "lists of several lengths": lambda T: [[1], [1, 2]],
    "named tuples": lambda T: [Point(1, 2.0), Point(3, 4.0)],
    "dicts": lambda T: [{"x": 1, "y": [1, 2]}, {"x": 2, "y": [3, 4]}],
    "a dict without a key": lambda T: [{"x": 1}, {"y": 1}],
    "ordered dicts": lambda T: [OrderedDict(x=1), OrderedDict(x=2)],
    "ranges": lambda T: [range(2), range(2)],
    "lists of one's own": lambda T: [UserList([1, 2]), UserList([3, 4])],
    "nothing in the dicts": lambda T: [{}, {}],
    "None": lambda T: [None, None],
    "objects": lambda T: [Ellipsis, Ellipsis],
    "a set": lambda T: [{1}, {2}],
}


def shown(T: Any, program: Callable[[], Any]) -> str:
    """What a program gives, warns of and raises, in words."""
    T.manual_seed(3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = repr(program())
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
    return "\n".join([result, *(f"{each.category.__name__}: {each.message}" for each in caught)])


def same(program: Callable[[Any], Callable[[], Any]]) -> None:
    theirs, ours = (shown(T, program(T)) for T in ENGINES.values())
    assert ours.replace("minigrad", "torch") == theirs


def names(T: Any) -> dict[str, Any]:
    D = T.utils.data
    return {"T": T, "D": D, "rows": rows(T), "squares": squares(D), "stream": lambda *given: stream(D, *given)}


@pytest.mark.parametrize("loader", LOADERS)
def test_the_same_batches_in_every_pass(loader: str) -> None:
    same(lambda T: lambda: twice(eval("D." + loader, names(T))))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_programs(name: str) -> None:
    same(lambda T: lambda: PROGRAMS[name](T, T.utils.data))


@pytest.mark.parametrize("call", WRONG)
def test_what_does_not_go_together_is_refused_in_the_same_words(call: str) -> None:
    same(lambda T: lambda: type(eval("D." + call, names(T))).__name__)


@pytest.mark.parametrize("function", ["default_collate", "default_convert"])
@pytest.mark.parametrize("name", SAMPLES)
def test_samples_become_the_same_batch(name: str, function: str) -> None:
    same(lambda T: lambda: getattr(T.utils.data, function)(SAMPLES[name](T)))


def test_a_type_of_ones_own_can_be_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    for D in (torch.utils.data._utils.collate, collate):
        monkeypatch.setitem(D.default_collate_fn_map, complex, lambda batch, *, collate_fn_map: sum(batch))
        assert D.default_collate([1j, 2j, 1.0]) == 1 + 3j
        assert D.collate([3, 4], collate_fn_map={int: lambda batch, *, collate_fn_map: max(batch)}) == 4


def test_workers_are_asked_for_and_nobody_comes() -> None:
    """In the order that torch's workers give."""
    expected = list(minigrad.utils.data.DataLoader(rows(minigrad), 3))
    found = list(minigrad.utils.data.DataLoader(rows(minigrad), 3, num_workers=2, persistent_workers=True))
    assert repr(found) == repr(expected)
