"""`params` and `lr` of an optimizer, which lessons read and torch does not have: a user's own attributes hide them.

How parameters are moved is the business of optimizer.py and of the optimizers themselves.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


class Computed:
    """A property whose name users may take for something of their own, which hides it, as in torch, which has none."""

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        self.compute = compute
        self.__doc__ = compute.__doc__

    def __get__(self, optimizer: Any, owner: type) -> Any:
        return self if optimizer is None else self.compute(optimizer)


def unhidden(optimizer: Any) -> Any:
    """The optimizer, or, where its user has hidden `params` or `lr`, one of the same groups that has them."""
    if "params" not in (own := vars(optimizer)) and "lr" not in own:
        return optimizer
    bare = object.__new__(type(optimizer))
    bare.param_groups = optimizer.param_groups
    return bare


def by_params(zero_grad: Callable[..., None]) -> Callable[..., None]:
    """`zero_grad`, which goes through self.params, whatever a user has called so."""

    @functools.wraps(zero_grad)
    def call(self: Any, *args: Any, **kwargs: Any) -> None:
        zero_grad(unhidden(self), *args, **kwargs)

    return call
