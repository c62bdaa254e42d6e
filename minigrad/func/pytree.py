"""Trees of tensors: dicts, lists and tuples, and what is in them, taken to pieces and put together again (torch's pytrees).

Whatever is none of these is a leaf, None too.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..return_types import ReturnType


@dataclass(frozen=True)
class Spec:
    """The shape of a tree. kind: of the container, None for a leaf. keys: of a dict, else None."""

    kind: type | None
    keys: list[Any] | None
    children: tuple[Spec, ...]

    def __repr__(self, indent: int = 0) -> str:
        """As torch shows it in some messages: TreeSpec(tuple, None, [*])."""
        if self.kind is None:
            return "*"
        inner = indent + 2
        children = f",\n{' ' * inner}".join([child.__repr__(inner) for child in self.children])
        named = hasattr(self.kind, "_fields")
        kind, inside = ("namedtuple", self.kind) if named else (self.kind.__name__, self.keys)
        return f"TreeSpec({kind}, {inside}, [{children}])"

    def drawn(self) -> str:
        """As torch shows it in others: ({'a': *}, *)."""
        return "*" if self.kind is None else repr(unflatten([_Star()] * self.leaves(), self))

    def leaves(self) -> int:
        """How many leaves there are."""
        return 1 if self.kind is None else sum([child.leaves() for child in self.children])


LEAF = Spec(None, None, ())


class _Star:
    def __repr__(self) -> str:
        return "*"


def opened(tree: Any) -> tuple[type | None, list[Any] | None, list[Any]]:
    """The container's kind, its keys if it is a dict, and what is in it; (None, None, []) for a leaf."""
    kind = type(tree)
    if kind in (dict, OrderedDict):
        return kind, list(tree), list(tree.values())
    if kind in (list, tuple) or (
        isinstance(tree, tuple) and (hasattr(kind, "_fields") or issubclass(kind, ReturnType))
    ):
        return kind, None, list(tree)
    return None, None, []


def flatten(tree: Any) -> tuple[list[Any], Spec]:
    """The leaves from left to right, and the shape."""
    kind, keys, parts = opened(tree)
    if kind is None:
        return [tree], LEAF
    leaves: list[Any] = []
    children = []
    for part in parts:
        found, spec = flatten(part)
        leaves += found
        children.append(spec)
    return leaves, Spec(kind, keys, tuple(children))


def spread(tree: Any, spec: Spec) -> list[Any] | None:
    """A value for each leaf of a shape, from a tree that may stop earlier: one value for all below; None if the two differ.

    Of a dict they come in the tree's own order, as in torch, which so hands them to others where the orders differ.
    """
    kind, keys, parts = opened(tree)
    if kind is None:
        return [tree] * spec.leaves()
    if kind is not spec.kind or len(parts) != len(spec.children):
        return None
    below = dict(zip(spec.keys or range(len(parts)), spec.children, strict=True))
    found: list[Any] = []
    for key, part in zip(keys or range(len(parts)), parts, strict=True):
        values = spread(part, below[key]) if key in below else None
        if values is None:
            return None
        found += values
    return found


def unflatten(leaves: Any, spec: Spec) -> Any:
    """A tree of that shape with these leaves."""
    return _built(iter(leaves), spec)


def _built(leaves: Iterator[Any], spec: Spec) -> Any:
    if spec.kind is None:
        return next(leaves)
    parts = [_built(leaves, child) for child in spec.children]
    if spec.keys is not None:
        return spec.kind(zip(spec.keys, parts, strict=True))
    return spec.kind(*parts) if hasattr(spec.kind, "_fields") else spec.kind(parts)


def mapped(function: Callable[[Any], Any], tree: Any) -> Any:
    """The tree with every leaf replaced by function(leaf)."""
    leaves, spec = flatten(tree)
    return unflatten([function(leaf) for leaf in leaves], spec)
