"""Operators between tensors and NumPy's arrays and numbers: what comes of them, in torch and here."""

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
    "a float64": np.float64(3), "a float32": np.float32(3), "an int64": np.int64(3), "a bool": np.bool_(True),
}  # fmt: skip
# what NumPy says of a division by False, it says for both; and it wants more of torch's __array_wrap__ in future
pytestmark = pytest.mark.filterwarnings("ignore")
OPERATORS = """add sub mul truediv floordiv mod pow matmul eq ne lt le gt ge and_ or_ xor
    iadd isub imul itruediv""".split()


def shown(program: Callable[..., Any], *given: Any) -> str:
    try:
        result = program(*given)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return f"{type(result).__name__} {result}"


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
                found.append(shown(apply, *(pair[::-1] if turned else pair)).replace("minigrad", "torch"))
            assert found[1] == found[0], (dtype, wanted, turned)


@pytest.mark.parametrize("create_graph", [False, True])
def test_so_it_does_in_the_backward_of_a_function(create_graph: bool) -> None:
    """The gradient that arrives there requires grad under create_graph, and is then refused."""
    found = []
    for T in (torch, minigrad):

        class Half(T.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                return x * 0.5

            @staticmethod
            def backward(ctx: Any, grad: Any) -> Any:
                return grad * np.full(2, 0.5, "float32")

        x = T.tensor([1.0, 2.0], requires_grad=True)
        y = (Half.apply(x) ** 2).sum()
        found.append(shown(T.autograd.grad, y, x, None, None, create_graph))
    assert found[1] == found[0]


def test_numpy_copies_where_it_is_to_copy_and_shares_where_it_may_share():
    def seen(engine):
        t = engine.tensor([1.0, 1.0])
        copied, shared, wider = np.array(t), np.asarray(t), np.asarray(t, dtype=np.float64)
        copied[0], shared[1], wider[1] = 5, 7, 9
        return t.tolist(), copied.tolist(), wider.dtype, np.array(t, copy=True).base is None

    assert seen(minigrad) == seen(torch) == ([1.0, 7.0], [5.0, 1.0], np.float64, True)
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        np.array(minigrad.ones(2), dtype=np.float64, copy=False)
