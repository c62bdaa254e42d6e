"""Every operation held against torch: what it gives, its graph, its gradients and theirs, what it refuses and how.

The rows are in cases.py and cases_nn.py; op_twin.py runs them. Here stands what is derived from a row, and that no
operation is without one.
"""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Iterator

import pytest
import torch
from cases import OPS, SAMPLES, SIZES, UNARY
from cases_nn import FUNCTIONAL, FUNCTIONAL_UNARY, OPERATORS
from op_twin import Call, World, argument_faults, differences

import minigrad
from minigrad import ops
from minigrad.nn import functional


def table(text: str, unary: str = "") -> dict[str, list[str]]:
    """The rows of each name; a line that begins deeper continues the one above."""
    rows: dict[str, list[str]] = {name: ["x", "kink", "odd", "wide", "ints", "mask"] for name in unary.split()}
    for line in re.sub(r"\n {8,}", " ", text).strip().splitlines():
        if line.strip():
            name, _, calls = line.strip().partition(":")
            rows.setdefault(name, []).extend(row.strip() for row in calls.split(";"))
    return rows


OP_ROWS = table(OPS, UNARY)
OP_ROWS |= {alias: OP_ROWS[name] for alias, name in ops.ALIASES.items()}
F_ROWS = table(FUNCTIONAL, FUNCTIONAL_UNARY)
OPERATOR_ROWS = table(OPERATORS)

# What rules call on Tensors among themselves; no name of torch's.
OWN = {"copied", "stack_all", "concatenate_all", "scatter_index", "to_numpy_dtype"}
SPECIAL = {"data_ptr", "from_numpy", "cuda", "is_tensor"}  # addresses; NumPy's own arrays; other tests have them


def forms(name: str, row: str) -> Iterator[str]:
    """The ways in which torch lets a row be written."""
    if name in ops.NAMES:
        yield "function"
    first = row.partition(",")[0]
    if re.match(r"\w+", first) and re.match(r"\w+", first)[0] in SAMPLES:
        if hasattr(minigrad.Tensor, name):
            yield "method"
        if hasattr(minigrad.Tensor, name + "_") and not name.endswith("_"):
            yield "in place"


@functools.cache
def calls() -> dict[str, list[Call]]:
    """All calls by test name."""
    found = {
        name: [Call(name, form, row) for row in rows for form in forms(name, row)] for name, rows in OP_ROWS.items()
    }
    found |= {f"F.{name}": [Call(name, "functional", row) for row in rows] for name, rows in F_ROWS.items()}
    return found | {f"op.{name}": [Call(name, "operator", row) for row in rows] for name, rows in OPERATOR_ROWS.items()}


every_op = pytest.mark.parametrize("name", list(calls()))


def check(name: str, worlds: dict[str, World], second: bool = False) -> None:
    """Fail with every difference of an operation in these worlds."""
    faults = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for what, world in worlds.items():
            for call in calls()[name]:
                faults += [f"{call} [{what}]: {fault}" for fault in differences(call, world, second)]
    assert not faults, f"{len(faults)} differences\n" + "\n".join(faults)


def test_every_operation_has_a_row() -> None:
    listed = {entry.partition("=")[0] for entry in (*ops.BOTH, *ops.METHODS, *ops.FUNCTIONS)} | set(ops.ALIASES)
    assert listed - OWN - SPECIAL - set(OP_ROWS) == set()
    assert set(functional.__all__) - set(F_ROWS) == set()


def test_every_row_is_of_an_operation() -> None:
    assert [name for name in OP_ROWS if not hasattr(minigrad, name) and not hasattr(minigrad.Tensor, name)] == []
    assert [name for name in OP_ROWS if not hasattr(torch, name) and not hasattr(torch.Tensor, name)] == []


@every_op
def test_values_graph_and_gradients(name: str) -> None:
    check(name, {"float64": World()}, second=True)


DTYPES = {dtype: World(dtype=dtype) for dtype in ("float32", "float16", "int64", "int32", "uint8", "bool")}
MIXED = {
    f"{first} with {rest}": World(dtype=rest, first=first)
    for first, rest in (
        ("float32", "float64"), ("float16", "float32"), ("int64", "float32"), ("float32", "int64"),
        ("bool", "float32"), ("uint8", "int16"), ("int8", "uint8"), ("float16", "bool"),
    )
}  # fmt: skip


@every_op
def test_dtypes(name: str) -> None:
    check(name, DTYPES | MIXED)


SHAPES = {
    "m = 0": World(sizes={**SIZES, "m": 0}),
    "n = 0": World(sizes={**SIZES, "n": 0}),
    "all 1": World(sizes=dict.fromkeys(SIZES, 1)),
    "0-d": World(dims=("",) * 4),
    "first 0-d": World(dims=("",)),
}


@every_op
def test_empty_and_zero_dimensional(name: str) -> None:
    check(name, SHAPES)


@every_op
def test_layouts(name: str) -> None:
    check(name, {layout: World(layout=layout) for layout in ("transposed", "strided")})


BROADCAST = {
    f"{a} {b}": World(dims=(a, b)) for a, b in (("1n", None), (None, "1n"), (None, "m1"), ("m1", "n"), ("nmn", "1n"))
}


@every_op
def test_broadcasting(name: str) -> None:
    check(name, BROADCAST)


@every_op
def test_wrong_arguments(name: str) -> None:
    faults = []
    seen = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls()[name]:
            if call.form in seen:
                continue
            seen.add(call.form)
            faults += [f"{call} {fault}" for fault in argument_faults(call)]
    assert not faults, f"{len(faults)} differences\n" + "\n".join(faults)
