"""Large arrays of long rows, stretched against each other: NumPy's buffer is set aside for them, and put back.

What small arrays do is in test_ops.py; that this is faster shows in `python -m benchmarks.engine --only broadcast`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import minigrad
from minigrad.backend import BUFFER, GREAT, STRETCHED_ROW, stretching

ROWS = GREAT // STRETCHED_ROW
PAIRS = {
    "a matrix and a row": ((ROWS, STRETCHED_ROW), (STRETCHED_ROW,)),
    "a row and a matrix": ((1, STRETCHED_ROW), (ROWS, STRETCHED_ROW)),
    "a matrix and a column": ((ROWS, STRETCHED_ROW), (ROWS, 1)),
    "a column and a row": ((ROWS, 1), (1, STRETCHED_ROW)),
    "a batch and a matrix of columns": ((2, ROWS // 2, STRETCHED_ROW), (ROWS // 2, 1)),
}
USES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add": lambda T, x, y: x + y,
    "sub": lambda T, x, y: x - y,
    "mul": lambda T, x, y: x * y,
    "div": lambda T, x, y: x / (y * y + 1),
    "turned": lambda T, x, y: x.transpose(-1, -2).contiguous().transpose(-1, -2) * y,
    "every other": lambda T, x, y: (x * y)[::2] + (x + y)[::2],
    "softmax": lambda T, x, y: (x + y).softmax(-1) * y,
    "log_softmax": lambda T, x, y: (x + y).log_softmax(-1) * y,
    "layer_norm": lambda T, x, y: T.nn.functional.layer_norm(
        x + y,
        (STRETCHED_ROW,),
        T.linspace(-1, 1, STRETCHED_ROW, dtype=T.float64),
        T.linspace(0, 1, STRETCHED_ROW, dtype=T.float64),
    ),
}


@pytest.fixture(autouse=True)
def buffer_as_before() -> Iterator[None]:
    before = np.getbufsize()
    yield
    assert np.getbufsize() == before


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("pair", PAIRS)
def test_stretched_arrays_agree_with_torch(pair: str, use: str) -> None:
    rng = np.random.default_rng(7)
    arrays = [rng.standard_normal(shape) for shape in PAIRS[pair]]
    found = {}
    for T in (torch, minigrad):
        x, y = (T.tensor(array, requires_grad=True) for array in arrays)
        z = USES[use](T, x, y)
        (z * z).sum().backward()
        found[T] = [t.detach().numpy() for t in (z, x.grad, y.grad)]
    for ours, theirs in zip(found[minigrad], found[torch], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-10)


def buffer_during(shape: tuple[int, ...], other: tuple[int, ...]) -> Any:
    return stretching(lambda x, y: np.getbufsize(), np.zeros(shape, np.float32), np.zeros(other, np.float32))


@pytest.mark.parametrize("pair", PAIRS)
def test_the_buffer_is_smaller_than_a_row_while_long_rows_are_stretched(pair: str) -> None:
    assert buffer_during(*PAIRS[pair]) == BUFFER < STRETCHED_ROW


@pytest.mark.parametrize(
    "shapes",
    [
        ((ROWS - 1, STRETCHED_ROW), (STRETCHED_ROW,)),
        ((STRETCHED_ROW, ROWS), (ROWS,)),
        ((1, STRETCHED_ROW), (STRETCHED_ROW,)),
    ],
    ids=str,
)
def test_for_few_numbers_and_for_short_rows_the_buffer_stays(shapes: Any) -> None:
    assert buffer_during(*shapes) == np.getbufsize()


def test_after_an_error_and_for_a_size_of_the_users_the_buffer_is_as_it_was() -> None:
    def refuse(x: Any, y: Any) -> None:
        raise ZeroDivisionError

    before = np.setbufsize(4096)
    try:
        with pytest.raises(ZeroDivisionError):
            stretching(refuse, np.zeros((ROWS, STRETCHED_ROW)), np.zeros(STRETCHED_ROW))
        assert np.getbufsize() == 4096
    finally:
        np.setbufsize(before)


def test_shapes_that_do_not_fit_are_refused_in_torchs_words() -> None:
    said = []
    for T in (torch, minigrad):
        with pytest.raises(RuntimeError) as refused:
            T.zeros(ROWS, STRETCHED_ROW) + T.zeros(STRETCHED_ROW + 1)
        said.append(str(refused.value))
    assert said[0] == said[1]
