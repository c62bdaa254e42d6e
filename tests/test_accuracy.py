"""How exact results are beside torch's: sums of very many numbers, functions over the range of their dtype.

A running sum in single precision loses four digits of a million numbers; in half precision it stops at 2048. Both
engines are held against the same in double precision. What an operation is on few numbers stands in test_ops.py.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import minigrad

MANY = 200_000


def bias_gradient(T: Any, x: Any) -> Any:
    """Of a row that is added to every row of x, which is what weighs the sum."""
    b = T.zeros(x.shape[1], dtype=x.dtype, requires_grad=True)
    ((b + x) * x).sum().backward()
    return b.grad


def scale_gradient(T: Any, x: Any) -> Any:
    """Of a row that multiplies every row of a large matrix; and of a number for each row of it, turned."""
    w = T.ones(1, 100, dtype=x.dtype, requires_grad=True)
    (w * x.reshape(-1, 100) * x.reshape(-1, 100)).sum().backward()
    v = T.ones(100, 1, dtype=x.dtype, requires_grad=True)
    (v * x.reshape(100, -1) * x.reshape(100, -1)).sum().backward()
    return T.cat([w.grad[0], v.grad[:, 0]])


PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "all": lambda T, x: x.sum(),
    "the rows": lambda T, x: x.sum(0),
    "the rows of what is turned": lambda T, x: x.t().sum(1),
    "the columns": lambda T, x: x.t().contiguous().sum(1),
    "every other row": lambda T, x: x[::2].sum(0),
    "the middle of three": lambda T, x: x.reshape(2, -1, 5).sum(1),
    "the middle of three, turned": lambda T, x: x.reshape(2, -1, 5).permute(2, 0, 1).sum(2),
    "first and last": lambda T, x: x.reshape(-1, 5, 4).sum((0, 2), keepdim=True),
    "first and last, turned": lambda T, x: x.reshape(-1, 4, 5).transpose(1, 2).sum((0, 2)),
    "the two first": lambda T, x: x.reshape(100, -1, 5).sum((0, 1)),
    "stretched": lambda T, x: x[:, :1].expand(-1, 3).sum(0),
    "all of what is stretched": lambda T, x: x[:, :1].expand(-1, 3).sum(),
    "all, turned and cut": lambda T, x: x.t()[1:4, ::3].sum(),
    "mean": lambda T, x: x.mean(0),
    "var": lambda T, x: x.var(0),
    "std": lambda T, x: x.t().std(1),
    "var_mean": lambda T, x: T.stack(T.var_mean(x, 0)),
    "nansum": lambda T, x: x.nansum(0),
    "nanmean": lambda T, x: x.nanmean(0),
    "logsumexp": lambda T, x: x.logsumexp(0),
    "cumsum": lambda T, x: x.cumsum(0)[-1],
    "cumprod": lambda T, x: (1 + x / 65536).cumprod(0)[-1],
    "einsum": lambda T, x: T.einsum("ij->j", x),
    "the mean of losses": lambda T, x: T.nn.functional.mse_loss(x, x * 0),
    "a bias": bias_gradient,
    "a scale": scale_gradient,
    "average of a window": lambda T, x: T.nn.functional.avg_pool1d(x.t().contiguous()[None], len(x)),
}
INPUTS: dict[str, Callable[[np.random.Generator], Any]] = {
    "alike": lambda rng: np.full((MANY, 5), 0.1),
    "random": lambda rng: rng.random((MANY, 5)),
    "far from 0": lambda rng: 10 + rng.standard_normal((MANY, 5)),
}


def error(T: Any, name: str, x: Any, exact: Any) -> float:
    """How far from the exact result, compared with the largest of it."""
    found = np.asarray(PROGRAMS[name](T, T.tensor(x)).detach().numpy(), np.float64)
    return float(np.abs(found - exact).max() / (np.abs(exact).max() or 1))


@pytest.mark.slow
@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_many_numbers_are_added_as_exactly_as_in_torch(name: str, kind: str) -> None:
    x = INPUTS[kind](np.random.default_rng(7)).astype(np.float32)
    exact = PROGRAMS[name](torch, torch.tensor(x.astype(np.float64))).detach().numpy()
    assert error(minigrad, name, x, exact) <= 2 * error(torch, name, x, exact) + 2e-6


@pytest.mark.parametrize("name", sorted(set(PROGRAMS) - {"cumprod"}))
def test_half_precision_is_added_up_in_single(name: str) -> None:
    x = INPUTS["random"](np.random.default_rng(7))[:6000].astype(np.float16)
    exact = PROGRAMS[name](torch, torch.tensor(x.astype(np.float64))).detach().numpy()
    half = float(np.finfo(np.float16).eps)
    assert error(minigrad, name, x, exact) <= error(torch, name, x, exact) + half


# Functions of one number, each over all that its dtype holds (up to 80, from where e^x comes near the end of float32).
FUNCTIONS = """
    abs acos acosh asin asinh atan atanh cos cosh erf exp exp2 expm1 log log10 log1p log2 reciprocal rsqrt sigmoid sin sinc
    sinh sqrt square tan tanh F.elu F.gelu F.logsigmoid F.mish F.relu6 F.selu F.silu F.softplus F.softsign F.tanhshrink
""".split()


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_as_exact_as_torchs_wherever_it_is_asked(name: str, dtype: str) -> None:
    sizes = np.concatenate([10.0 ** np.arange(-30, 1.9, 0.25), np.linspace(0.01, 80, 500)])
    x = np.concatenate([sizes, -sizes]).astype(dtype)
    module, _, short = name.rpartition(".")
    with np.errstate(all="ignore"):  # what is beyond a function's range, or the dtype's
        exact, theirs, ours = (
            np.asarray(getattr(T.nn.functional if module else T, short)(T.tensor(values)).numpy(), np.float64)
            for T, values in ((torch, x.astype(np.float64)), (torch, x), (minigrad, x))
        )
    assert (np.isnan(ours) == np.isnan(exact)).all()
    limits = np.finfo(dtype)
    near = np.abs(exact) < limits.max  # what becomes inf is seen in test_ops.py
    exact, theirs, ours = exact[near], theirs[near], ours[near]
    room = 10 * np.abs(theirs - exact) + 20 * limits.eps * np.abs(exact) + 20 * limits.smallest_subnormal
    assert (np.abs(ours - exact) <= room).all()


def test_a_long_sum_leaves_nothing_behind_in_memory() -> None:
    x = minigrad.ones(2, 2_000_000)
    x.sum(1), x.t().contiguous().sum(0)  # what is loaded and made once
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for n in (1_500_000, 1_600_000, 1_700_000):
            x[:, :n].contiguous().sum(1), x.t()[:n].contiguous().sum(0)
        assert tracemalloc.get_traced_memory()[0] - before < 100_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("T", [torch, minigrad], ids=["torch", "minigrad"])
@pytest.mark.parametrize(
    "shape", [(1,), (2,), (300,), (3000,), (1, 1), (1, 5), (5, 1), (3, 5), (30, 50), (300, 2), (2, 3, 4)]
)
def test_a_sum_begins_with_0(T: Any, shape: tuple[int, ...]) -> None:  # so of nothing but -0.0 it is 0.0
    for dtype in (T.float16, T.float32, T.float64):
        x = T.full(shape, -0.0, dtype=dtype)
        for found in (x.sum(), x.sum(0), x.sum(-1, keepdim=True), x.t().sum(0) if len(shape) == 2 else x.mean()):
            assert not np.signbit(found.numpy()).any()


@pytest.mark.parametrize("T", [torch, minigrad], ids=["torch", "minigrad"])
def test_a_running_sum_begins_with_0(T: Any) -> None:
    for dtype in (T.float16, T.float32, T.float64):
        x = T.tensor([[-0.0, -0.0, 1.0], [-0.0, 2.0, -2.0]], dtype=dtype)
        for found in (x.cumsum(0), x.cumsum(1), x.t().cumsum(0), x.cumsum_(1)):
            assert not np.signbit(found.numpy()[found.numpy() == 0]).any()
    assert np.signbit(T.tensor(-0.0).cumsum(0).numpy())  # a lone number is only copied


@pytest.mark.parametrize(("T", "twice"), [(torch, 3.0), (minigrad, 2.0)], ids=["torch", "minigrad"])
def test_the_gradients_of_stacked_leaves_share_no_memory(T, twice):  # torch's do (docs/api.md), and sum up wrongly
    a, b = [T.zeros(3, requires_grad=True) for _ in range(2)]
    for _ in range(2):
        (T.stack([a, b]).sum(0) * T.ones(3)).sum().backward()
    assert (a.grad.data_ptr() == b.grad.data_ptr()) is (T is torch)
    assert a.grad.tolist() == b.grad.tolist() == [twice] * 3


@pytest.mark.parametrize("ends", [(-2, 3), (0, 1), (0.1, 0.7), (-1e6, 3.3), (7, 7), (1e9, -3)], ids=str)
@pytest.mark.parametrize("kind", ["float64", "float32", "int64"])
def test_equal_distances_are_torchs_to_the_last_digit(kind: str, ends: tuple[float, float]) -> None:
    for n in (1, 2, 3, 16, 100, 4097):
        found = [T.linspace(*ends, n, dtype=getattr(T, kind)).numpy() for T in (torch, minigrad)]
        np.testing.assert_array_equal(*found)
