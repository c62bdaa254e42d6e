"""Operators between tensors and NumPy's arrays and numbers: what comes of them, in torch and here.

One difference is left: numpy.bool_ is a bool here, and 1.0 or 0.0 in torch.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import minigrad

ARRAYS = {
    "float32": np.ones(2, "float32") * 3, "float64": np.ones(2) * 3, "int64": np.array([1, 2]), "bool": np.array([True, False]),
    "0-d": np.array(3.0), "0-d float32": np.array(3.0, "float32"), "words": np.array(["a", "b"]), "2-d": np.ones((2, 2)),
    "a float64": np.float64(3), "a float32": np.float32(3), "an int64": np.int64(3),
}  # fmt: skip
OPERATORS = """add sub mul truediv floordiv mod pow matmul eq ne lt le gt ge and_ or_ xor
    iadd isub imul itruediv""".split()


def shown(program: Callable[[], Any]) -> str:
    try:
        result = program()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return f"{type(result).__name__} {result}"


@pytest.mark.filterwarnings("ignore")  # what NumPy says of a division by False, it says for both
@pytest.mark.parametrize("array", ARRAYS)
@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_makes_of_an_array_what_it_makes_in_torch(name: str, array: str) -> None:
    apply = getattr(operator, name)
    for dtype, wanted in (("float32", False), ("float32", True), ("int64", False), ("bool", False)):
        if wanted and name.startswith("i"):
            continue  # refused for a leaf in any case
        for turned in (False, True):
            found = []
            for T in (torch, minigrad):
                tensor = T.tensor(
                    [1, 2] if dtype != "bool" else [True, False], dtype=getattr(T, dtype), requires_grad=wanted
                )
                pair = (tensor, ARRAYS[array].copy())
                found.append(shown(lambda: apply(*(pair[::-1] if turned else pair))).replace("minigrad", "torch"))  # noqa: B023
            assert found[1] == found[0], (dtype, wanted, turned)


def test_a_rule_may_compute_with_arrays() -> None:
    """Under create_graph as without it: in the rule of a Function they are constants."""

    class Half(minigrad.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 0.5

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return grads[0] * minigrad.tensor(0.5)

    x = minigrad.tensor([1.0, 2.0], requires_grad=True)
    (grad,) = minigrad.autograd.grad((Half.apply(x) ** 2).sum(), x, create_graph=True)
    assert minigrad.autograd.grad(grad.sum(), x)[0].tolist() == [0.5, 0.5]
