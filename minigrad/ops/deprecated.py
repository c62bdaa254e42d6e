"""Calls in the order of torch before 1.5, with the factor in front of what it multiplies: p.add_(-lr, grad), as old tutorials
have it.

torch still takes them, and says once that it should not have to. Nothing here runs unless a call has failed; what the
other wrong calls are reported is in arguments.py.
"""

from __future__ import annotations

from typing import Any

from ..errors import warn_once
from ..tensor import Tensor
from .arguments import is_number

FACTORS = ("beta", "alpha", "value")
# NAMES: the orders as a function; as a method they are the same without `self`
TABLE = """
    add sub: self alpha other
    addcdiv addcmul: self value tensor1 tensor2
    addmm: beta self alpha mat1 mat2, beta self mat1 mat2
    addmv: beta self alpha mat vec, beta self mat vec
    addr: beta self alpha vec1 vec2, beta self vec1 vec2
    baddbmm: beta self alpha batch1 batch2, beta self batch1 batch2
"""
ORDERS = {
    name: [order.split() for order in orders.split(",")]
    for names, _, orders in (line.partition(": ") for line in TABLE.strip().splitlines())
    for name in names.split()
}


def as_today(
    name: str, args: tuple[Any, ...], kwargs: dict[str, Any], method: bool
) -> tuple[list[Any], dict[str, Any]] | None:
    """The arguments of a call in the old order as they are given today, the factors by name; None for any other call.

    Example: add_, (p, -0.1, grad) → [p, grad], {"alpha": -0.1}
    """
    for order in ORDERS.get(name.removesuffix("_"), ()):
        names = ["self", *(n for n in order if n != "self")] if method else order
        given = dict(zip(names, args, strict=False))
        if len(args) > len(names) or not given.keys().isdisjoint(kwargs) or {*given, *kwargs} != {*names}:
            continue
        given |= kwargs
        if all(is_number(given[n]) if n in FACTORS else is_operand(n, given[n]) for n in names):
            warn_once(deprecation(name, names, method), about="the order of arguments")
            return [given[n] for n in names if n not in FACTORS], {n: given[n] for n in names if n in FACTORS}
    return None


def is_operand(name: str, value: Any) -> bool:
    """Whether a value is what the old order takes by that name: a tensor, or for `other` a number, too."""
    return isinstance(value, Tensor) or (name == "other" and is_number(value))


def deprecation(name: str, names: list[str], method: bool) -> str:
    """Which order was meant, and which is today's."""
    shown = [n for n in names if n != "self" or not method]
    kinds = ["Number " + n if n in FACTORS else "Tensor " + n.replace("self", "input") for n in shown]
    every = dict.fromkeys(n for order in ORDERS[name.removesuffix("_")] for n in order if n in FACTORS)
    tensors = [kind for kind in kinds if kind.startswith("Tensor")]
    end = [] if method else ["Tensor out = None"]
    old = [*kinds, "*", *end] if end else kinds
    new = [*tensors, "*", *(f"Number {n} = 1" for n in every), *end]
    return (
        f"This overload of {name} is deprecated:\n\t{name}({', '.join(old)})\n"
        f"Consider using one of the following signatures instead:\n\t{name}({', '.join(new)})"
    )
