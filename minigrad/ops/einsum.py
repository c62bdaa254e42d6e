"""einsum: an equation over named dimensions, worked out pair by pair as torch does (ATen/native/Linear.cpp).

Every operand is permuted so that its dimensions are in one common order: those of the result first, then those that
are summed; what an operand lacks gets size 1. Two operands become one by a batched matrix product.
"""

from __future__ import annotations

import math
from typing import Any

from ..tensor import Tensor
from .layout import movedim
from .linalg import bmm
from .pointwise import mul_op
from .shape import permute_op, reshaped, unsqueeze_op, view, view_op
from .views import diagonal

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def einsum(*args: Any) -> Tensor:
    """Products summed over the dimensions that the result does not name (torch.einsum).

    einsum("ij,jk->ik", a, b), or einsum(a, [0, 1], b, [1, 2], [0, 2]).
    Example: "ij,jk->ik" is the matrix product, "ii" the trace, "ij->ji" the transpose.
    """
    if len(args) < 2 or (type(args[1]) in (list, tuple) and not args[1]):
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts "
            "list"
        )
    equation, operands = lettered(args) if isinstance(args[0], Tensor) else (args[0], args[1:])
    if not isinstance(equation, str):
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type(equation).__name__}")
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = tuple(operands[0])
    for i, t in enumerate(operands):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 1, but got {type(t).__name__}")
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = [labels(term, i, equation) for i, term in enumerate(left.split(","))]
    if len(terms) != len(operands):
        few = len(operands) < len(terms)
        raise RuntimeError(
            f"einsum(): {'fewer' if few else 'more'} operands were provided than specified in the equation"
        )
    order = Order(terms, list(operands), labels(right, None, equation) if arrow else None)
    return contract([order.aligned(t, term, i) for i, (t, term) in enumerate(zip(operands, terms, strict=True))], order)


def lettered(args: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """The form with lists of numbers as an equation and its operands."""

    def text(numbers: Any) -> str:
        if any(n is not Ellipsis and not 0 <= n < len(LETTERS) for n in numbers):
            raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
        return "".join("..." if n is Ellipsis else LETTERS[n] for n in numbers)

    equation = ",".join(text(numbers) for numbers in args[1::2])
    if len(args) % 2:
        equation = ",".join(text(numbers) for numbers in args[1:-1:2]) + "->" + text(args[-1])
    return equation, args[: len(args) - len(args) % 2 : 2]


def labels(term: str, operand: int | None, equation: str) -> list[str]:
    """The labels of one operand, '...' for an ellipsis; RuntimeError, in torch's words, for anything else."""
    found, rest = [], term
    whose = "for output" if operand is None else f"for operand {operand}"
    while rest:
        if rest.startswith("..."):
            if "..." in found:
                already = "but an ellipsis (...) was" if operand is None else "for which an ellipsis was"
                raise RuntimeError(f"einsum(): found '.' {whose} {already} already found")
            found.append("...")
            rest = rest[3:]
            continue
        if rest[0] == ".":
            raise RuntimeError(
                f"einsum(): found '.' {whose} that is not part of any ellipsis{' (...)' * (operand is None)}"
            )
        if rest[0] not in LETTERS:
            at = equation.replace("->", "").index(rest[0]) if operand is not None else equation.index(rest[0])
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {at} in the equation string, subscripts must be in [a-zA-Z]"
            )
        found.append(rest[0])
        rest = rest[1:]
    return found


class Order:
    """The position of every label once the operands are aligned, and how many operands have it with a size other than 1."""

    def __init__(self, terms: list[list[str]], operands: list[Tensor], output: list[str] | None) -> None:
        self.covered = 0  # dimensions behind the ellipsis
        for i, (term, t) in enumerate(zip(terms, operands, strict=True)):
            named, ndim = len([one for one in term if one != "..."]), t._data.ndim
            if "..." in term and named <= ndim:
                self.covered = max(self.covered, ndim - named)
            elif named != ndim:
                how, note = ("is more than", "") if "..." in term else ("does not match", " and no ellipsis was given")
                raise RuntimeError(
                    f"einsum(): the number of subscripts in the equation ({named}) {how} the number of dimensions ({ndim}) for "
                    f"operand {i}{note}"
                )
        counts = {one: sum(term.count(one) for term in terms) for term in terms for one in term}
        if output is None:
            output = ["..."] + sorted(one for one, n in counts.items() if n == 1 and one != "...")
        self.place: dict[str, int] = {}
        self.size = 0
        for one in output:
            self.check_output(one, counts)
            self.add(one)
        self.kept = self.size  # the dimensions of the result
        for one in ["...", *sorted(counts)]:
            if one not in self.place:
                self.add(one)
        self.sizes: dict[int, int] = {}
        self.users = [0] * self.size

    def check_output(self, one: str, counts: dict[str, int]) -> None:
        """RuntimeError for a label that the result cannot have."""
        if one in self.place:
            what = "found '.' for output but an ellipsis (...) was already found" if one == "..." else None
            raise RuntimeError(f"einsum(): {what or f'output subscript {one} appears more than once in the output'}")
        if one != "..." and one not in counts:
            raise RuntimeError(
                f"einsum(): output subscript {one} does not appear in the equation for any input operand"
            )

    def add(self, one: str) -> None:
        """Give a label the next place, or the ellipsis as many as it covers."""
        self.place[one] = self.size
        self.size += self.covered if one == "..." else 1

    def see(self, place: int, size: int, what: str, operand: int) -> None:
        """Note that an operand has this size at a place; RuntimeError where it does not broadcast."""
        if size == 1:
            return
        if self.sizes.setdefault(place, size) != size:
            seen = self.sizes[place]
            raise RuntimeError(
                f"einsum(): {what} in operand {operand}has size {size} which does not broadcast with previously seen ellipsis "
                f"with size {seen} for the respective dimension"
                if what.endswith("ellipsis")
                else f"einsum(): {what} has size {size} for operand {operand} which does not broadcast with previously seen size "
                f"{seen}"
            )
        self.users[place] += 1

    def aligned(self, t: Tensor, term: list[str], operand: int) -> Tensor:
        """An operand with its dimensions in the common order; a label that it has twice becomes its diagonal."""
        order, dim = [-1] * self.size, 0
        for one in term:
            place = self.place[one]
            if one == "...":
                count = t._data.ndim - dim - len(term[term.index("...") + 1 :])  # labels behind it are not merged yet
                for k in range(self.covered - count, self.covered):
                    self.see(place + k, t._data.shape[dim], f"dimension {dim} covered by ellipsis", operand)
                    order[place + k], dim = dim, dim + 1
            elif order[place] == -1:
                self.see(place, t._data.shape[dim], f"subscript {one}", operand)
                order[place], dim = dim, dim + 1
            else:
                n, m = t._data.shape[dim], t._data.shape[order[place]]
                if n != m:
                    raise RuntimeError(
                        f"einsum(): subscript {one} is repeated for operand {operand} but the sizes don't match, {n} != {m}"
                    )
                t = movedim(diagonal(t, 0, order[place], dim), -1, order[place])
        for place in range(self.size):
            if order[place] == -1:
                t, order[place], dim = unsqueeze_op(t, dim=dim), dim, dim + 1
        return permute_op(t, dims=tuple(order))


def contract(operands: list[Tensor], order: Order) -> Tensor:
    """Aligned operands multiplied from left to right, every label summed as soon as no other operand has it."""
    several, users = len(operands) > 1, order.users
    while len(operands) > 1:
        a, b = operands[:2]
        summed, only = [], ([], [])  # type: tuple[list[int], tuple[list[int], list[int]]]
        for dim in range(order.kept, order.size):
            in_a, in_b = a._data.shape[dim] != 1, b._data.shape[dim] != 1
            if in_a and in_b:
                users[dim] -= 1
                if users[dim] == 1:
                    summed.append(dim)
                    users[dim] = 0
            elif users[dim] == 1 and (in_a or in_b):
                only[0 if in_a else 1].append(dim)
                users[dim] = 0
        a = a.sum(tuple(only[0]), True) if only[0] else a
        b = b.sum(tuple(only[1]), True) if only[1] else b
        operands = [pair(a, b, summed), *operands[2:]]
    (out,) = operands
    if order.size == order.kept:
        return out
    if several:
        return view(out, out._data.shape[: order.kept])
    return out.sum(tuple(range(order.kept, order.size)))


def pair(a: Tensor, b: Tensor, summed: list[int]) -> Tensor:
    """The product of two aligned operands, summed over some dimensions, which stay with size 1: one batched product."""
    if not summed:
        return mul_op(a, b)
    x, y = a._data.shape, b._data.shape
    rest = [d for d in range(len(x)) if d not in summed]
    both = [d for d in rest if x[d] != 1 and y[d] != 1]
    left = [d for d in rest if x[d] != 1 and y[d] == 1]
    right = [d for d in rest if x[d] == 1]
    batch, n, k, m = (math.prod(s[d] for d in dims) for s, dims in ((x, both), (x, left), (x, summed), (y, right)))
    rows = reshaped(permute_op(a, dims=(*both, *left, *summed, *right)), (batch, n, k))
    columns = reshaped(permute_op(b, dims=(*both, *summed, *right, *left)), (batch, k, m))
    shape = (*[x[d] for d in (*both, *left)], *[1] * len(summed), *[y[d] for d in right])
    places = (*both, *left, *summed, *right)
    product = view_op(bmm(rows, columns), shape=shape)
    return permute_op(product, dims=tuple([places.index(d) for d in range(len(x))]))
