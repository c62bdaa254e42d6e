"""What is no tensor, in the place of one, is refused as in torch: with its class of error and its words.

The calls are torch's own samples (test_torch_samples.py), the first of each operation, with one tensor after another
replaced. Functions that torch has in Python say what Python says of the first thing they ask of it.
"""

from __future__ import annotations

import contextlib
import re
from typing import Any

import numpy
import pytest
import torch
from test_torch_samples import BOTH, Foreign, answer, ours, variants

import minigrad

NONE_OF_THEM: dict[str, Any] = {
    "list": [1.0], "int": 3, "float": 2.5, "None": None, "str": "a", "dict": {}, "array": numpy.ones(2),
}  # fmt: skip
BEYOND = {
    r"^nn\.functional\.max_pool[12]d 0 ": "with return_indices torch says max_pool1d_with_indices()",
    r"^polygamma/": "the table's function takes its arguments the other way round than torch's",
    r"^unique 0 ": "torch says _unique2()",
    r"^nn\.functional\.(multilabel_soft_margin|gaussian_nll)_loss . array": "made of operators; and",
}
FOUND = [name for name, op in BOTH.items() if not op.name.startswith("__")]


def first_sample(op: Any) -> Any:
    """The first one that begins with a tensor of float64: its arguments for torch, and for minigrad."""
    if torch.float64 not in op.dtypes:
        return None
    for sample in op.sample_inputs("cpu", torch.float64, requires_grad=op.supports_autograd):
        args, known = (sample.input, *sample.args), {}
        if isinstance(sample.input, torch.Tensor) and sample.input.dtype is torch.float64:
            with contextlib.suppress(Foreign):
                return (args, sample.kwargs), (ours(args, known), ours(sample.kwargs, known))
    return None


def replaced(args: tuple[Any, ...], kwargs: dict[str, Any], place: int | str, value: Any) -> Any:
    """The arguments with another one in a place."""
    if isinstance(place, str):
        return args, {**kwargs, place: value}
    return (*args[:place], value, *args[place + 1 :]), kwargs


@pytest.mark.slow
@pytest.mark.parametrize("name", FOUND)
def test_what_is_no_tensor_is_refused_as_in_torch(name: str) -> None:
    sample, found = first_sample(BOTH[name]), []
    if sample is None:
        return
    (args, kwargs), (own, rest) = sample
    places = [i for i, x in enumerate(args) if isinstance(x, torch.Tensor)]
    places += [n for n, x in kwargs.items() if isinstance(x, torch.Tensor)]
    for theirs, mine, writes in variants(BOTH[name]):
        method = theirs is not BOTH[name].op
        for place in places:
            for what, value in NONE_OF_THEM.items():
                text = f"{'.' * method}{name} {place} {what}"
                if writes or (method and place == 0) or any(re.search(pattern, text) for pattern in BEYOND):
                    continue
                one = answer(theirs, *replaced(args, kwargs, place, value))
                other = answer(mine, *replaced(own, rest, place, value))
                if (isinstance(one, str) or isinstance(other, str)) and not (str(one) == str(other)):
                    found.append(f"{text}\ntorch: {one}\nminigrad: {other}")
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", [n for n in minigrad.nn.functional.__all__ if hasattr(torch.nn.functional, n)])
def test_no_function_speaks_of_what_is_inside(name: str) -> None:
    function = getattr(minigrad.nn.functional, name)
    for value in NONE_OF_THEM.values():
        for count in (1, 2, 3):
            said = answer(function, (value,) * count, {})
            assert "_data" not in str(said) and "NotImplementedType" not in str(said), said
