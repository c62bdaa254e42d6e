"""The order in which torch's selection algorithms leave equal elements: which of several equal ones topk, kthvalue and
mode name.

On a CPU torch selects with the C++ library's nth_element, sort and partial_sort, and with a quickselect of its own. All
of them move equal elements about, so to name the same index one has to make the same moves. These are written out here
over lists of positions, for rows that hold equal elements; without ties every algorithm gives the same, and NumPy's is
faster. (Left out: what introsort does when its recursion goes too deep, which takes a row made for the purpose.)

Sources: bits/stl_algo.h and bits/stl_heap.h of libstdc++; aten/src/ATen/native/{TopKImpl.h,Sorting.cpp}.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..backend import array_module, numpy, to_host

Before = Callable[[int, int], bool]  # whether one position's element comes before another's

SMALL = 16  # std::sort leaves pieces of this size to one last insertion sort
HEAP_FROM = 64  # topk uses a heap where k times this is at most the number of elements


def ascending(row: list[Any]) -> Before:
    """Smaller elements first, nan last."""
    return lambda i, j: row[i] < row[j] or (row[j] != row[j] and row[i] == row[i])


def descending(row: list[Any]) -> Before:
    """Larger elements first, and nan before all."""
    return lambda i, j: row[i] > row[j] or (row[i] != row[i] and row[j] == row[j])


def insertion_sort(places: list[int], first: int, last: int, before: Before) -> None:
    """places[first:last] in order; equal ones keep their order."""
    for i in range(first + 1, last):
        place, j = places[i], i
        if before(place, places[first]):  # asked first: among nan, before which nothing comes, that makes a difference
            places[first : i + 1] = [place, *places[first:i]]
            continue
        while j > first and before(place, places[j - 1]):
            places[j] = places[j - 1]
            j -= 1
        places[j] = place


def partition(places: list[int], first: int, last: int, before: Before) -> int:
    """Part places[first:last] by the median of three of them; where the second part begins."""
    a, b, c = first + 1, first + (last - first) // 2, last - 1
    if before(places[a], places[b]):
        middle = b if before(places[b], places[c]) else c if before(places[a], places[c]) else a
    else:
        middle = a if before(places[a], places[c]) else c if before(places[b], places[c]) else b
    places[first], places[middle] = places[middle], places[first]
    pivot, first = places[first], first + 1
    while True:
        while before(places[first], pivot):
            first += 1
        last -= 1
        while before(pivot, places[last]):
            last -= 1
        if first >= last:
            return first
        places[first], places[last] = places[last], places[first]
        first += 1


def nth_element(places: list[int], nth: int, before: Before) -> None:
    """std::nth_element: places[nth] is what a sort would put there."""
    first, last = 0, len(places)
    while last - first > 3:
        cut = partition(places, first, last, before)
        first, last = (cut, last) if cut <= nth else (first, cut)
    insertion_sort(places, first, last, before)


def sort(places: list[int], last: int, before: Before) -> None:
    """std::sort of places[:last]."""
    pieces = [(0, last)]
    while pieces:
        start, end = pieces.pop()
        while end - start > SMALL:
            cut = partition(places, start, end, before)
            pieces.append((cut, end))
            end = cut
    insertion_sort(places, 0, last, before)


def sink(heap: list[int], hole: int, size: int, place: int, before: Before) -> None:
    """Put `place` into a heap of places[:size] whose element at `hole` is gone (std::__adjust_heap)."""
    top, child = hole, hole
    while child < (size - 1) // 2:
        child = 2 * (child + 1)
        if before(heap[child], heap[child - 1]):
            child -= 1
        heap[hole] = heap[child]
        hole = child
    if size % 2 == 0 and child == (size - 2) // 2:
        child = 2 * (child + 1)
        heap[hole] = heap[child - 1]
        hole = child - 1
    while hole > top and before(heap[(hole - 1) // 2], place):
        heap[hole] = heap[(hole - 1) // 2]
        hole = (hole - 1) // 2
    heap[hole] = place


def partial_sort(places: list[int], k: int, before: Before) -> None:
    """std::partial_sort: the first k in order."""
    for hole in range((k - 2) // 2, -1, -1) if k > 1 else ():
        sink(places, hole, k, places[hole], before)
    for i in range(k, len(places)):
        if before(places[i], places[0]):
            place, places[i] = places[i], places[0]
            sink(places, 0, k, place, before)
    for size in range(k - 1, 0, -1):
        place, places[size] = places[size], places[0]
        sink(places, 0, size, place, before)


def quick_select(places: list[int], k: int, after: Before) -> None:
    """torch's own quickselect: places[k] is what a sort would put there. after: whether an element belongs behind."""
    left, right = 0, len(places) - 1

    def swap(i: int, j: int) -> None:
        places[i], places[j] = places[j], places[i]

    while right > left + 1:
        swap(left + (right - left) // 2, left + 1)
        for i, j in ((left + 1, right), (left, right), (left + 1, left)):
            if after(places[i], places[j]):
                swap(i, j)
        i, j, pivot = left + 1, right, places[left]
        while True:
            i += 1
            while after(pivot, places[i]):
                i += 1
            j -= 1
            while after(places[j], pivot):
                j -= 1
            if j < i:
                break
            swap(i, j)
        swap(left, j)
        left, right = (i if j <= k else left), (j - 1 if j >= k else right)
    if right == left + 1 and after(places[left], places[right]):
        swap(left, right)


# ------------------------------------------------------------------ what torch's operations do with them


def topk_places(row: list[Any], k: int, largest: bool, in_order: bool = True) -> list[int]:
    """The indices of the k largest, or smallest, elements of a row."""
    places, before = list(range(len(row))), descending(row) if largest else ascending(row)
    if not k:
        return []
    if k * HEAP_FROM <= len(row):
        partial_sort(places, k, before)
    else:
        nth_element(places, k - 1, before)
        if in_order:
            sort(places, k - 1, before)
    return places[:k]


def kth_place(row: list[Any], k: int) -> int:
    """The index of the element of rank k (from 0)."""
    places = list(range(len(row)))
    quick_select(places, k, descending(row))
    return places[k]


def mode_place(row: list[Any]) -> int:
    """The index of the most frequent element, the smallest of several; of equal ones, the one that sorting leaves last."""
    places = list(range(len(row)))
    sort(places, len(places), lambda i, j: row[i] < row[j])
    best = most = run = 0
    for i, place in enumerate(places):
        run += 1
        if i == len(places) - 1 or row[place] != row[places[i + 1]]:
            if run > most:
                best, most = place, run
            run = 0
    return best


def tied(ordered: Any, dim: int) -> Any:
    """Which rows along dim have equal neighbours, or several nan: an array without that dimension."""
    before = (slice(None),) * dim
    one, next_one = ordered[(*before, slice(1, None))], ordered[(*before, slice(-1))]
    equal = one == next_one
    if ordered.dtype.kind == "f":
        equal |= (one != one) & (next_one != next_one)
    return equal.any(axis=dim)


def settle(order: Any, x: Any, dim: int, place: Any, rows: Any) -> Any:
    """`order` (indices along dim) with what place(row) says in those of the rows of x that are named (see tied)."""
    lists, places = numpy.moveaxis(to_host(x), dim, -1), numpy.moveaxis(to_host(order), dim, -1)
    for row in map(tuple, numpy.argwhere(to_host(rows))):
        places[row] = place(lists[row].tolist())
    return array_module(x).asarray(numpy.moveaxis(places, -1, dim))
