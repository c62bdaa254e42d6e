"""Names of our own in classes that users derive theirs from: none that torch does not have, unless it begins with "_".

A user's attribute of such a name would quietly take the place of ours: a module's `self.settings = …`, a schedule's `begin`.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator

import pytest
import torch
import torch.optim.lr_scheduler
import torch.optim.swa_utils
import torch.utils.data

import minigrad

HOMES = ("nn", "optim", "optim.lr_scheduler", "optim.swa_utils", "utils.data", "autograd", "distributions")
FREE = {"params", "lr"}  # of an optimizer: a user's own hide them (minigrad/optim/own_names.py)
ARGUMENTS = ((), (3,), (4, 2), (4, 2, 1), (2, 2, 2, 2))  # some of which make most modules


def classes() -> Iterator[tuple[str, type, type]]:
    """Every public class of ours that torch has as well."""
    for home in HOMES:
        ours, theirs = minigrad, torch
        for name in home.split("."):
            ours, theirs = getattr(ours, name), getattr(theirs, name)
        for name in dir(ours):
            one, other = getattr(ours, name), getattr(theirs, name, None)
            if name[0] == "_" or not (inspect.isclass(one) and inspect.isclass(other)):
                continue
            if not issubclass(one, minigrad.Tensor) and not hasattr(one, "__enter__"):  # modes are not derived from
                yield f"{home}.{name}", one, other


def made(cls: type) -> object:
    """A module or an optimizer, with the attributes of an instance; the class itself where it takes other arguments."""
    parameter = (minigrad if cls.__module__.startswith("minigrad") else torch).zeros(2, requires_grad=True)
    for args in ARGUMENTS if hasattr(cls, "forward") else [([parameter],)]:
        with contextlib.suppress(Exception):
            return cls(*args)
    return cls


ALL = {name: pair for name, *pair in classes()}


@pytest.mark.parametrize("name", ALL)
def test_a_class_has_no_public_name_that_torch_lacks(name: str) -> None:
    ours, theirs = map(made, ALL[name])
    assert {word for word in {*dir(ours)} - {*dir(theirs)} if word[0] != "_"} - FREE == set()


def test_most_of_them_are_made() -> None:
    assert sum(made(ours) is not ours for ours, _ in ALL.values()) > 120
