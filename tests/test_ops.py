"""Every operation held against torch: what it gives, its graph, its gradients and theirs, what it refuses and how.

The rows are in cases.py and cases_nn.py; op_twin.py runs them. Here stands what is derived from a row, and that no
operation is without one.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import pkgutil
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from cases import OPS, SAMPLES, SIZES, UNARY
from cases_nn import FUNCTIONAL, FUNCTIONAL_UNARY, LINALG, OPERATORS
from op_twin import Call, World, argument_faults, differences, run

import minigrad
from minigrad import ops
from minigrad.nn import functional
from minigrad.ops import define


def table(text: str, unary: str = "") -> dict[str, list[str]]:
    """The rows of each name; a line that begins deeper continues the one above."""
    rows: dict[str, list[str]] = {name: ["x", "kink", "odd", "wide", "ints", "mask"] for name in unary.split()}
    for line in re.sub(r"\n {8,}", " ", text).strip().splitlines():
        if line.strip():
            name, _, calls = line.strip().partition(":")
            rows.setdefault(name, []).extend(row.strip() for row in calls.split(";"))
    return rows


OP_ROWS = table(OPS, UNARY)
OP_ROWS |= {alias: OP_ROWS[name][:1] for alias, name in ops.ALIASES.items()}  # the same function under another name
F_ROWS = table(FUNCTIONAL, FUNCTIONAL_UNARY)
LINALG_ROWS = table(LINALG)
OPERATOR_ROWS = table(OPERATORS)

DATA = Path(__file__).parent / "data"
# Differences that are known and still there, one a line; the list may only shrink.
KNOWN = frozenset((DATA / "op_differences.txt").read_text(encoding="utf-8").splitlines())
# Where torch gives one thing on one processor and another on the next: what it does with nan and infinity depends there
# on the vector instructions, or the last digit on how many numbers they take.
SOMETIMES = frozenset((DATA / "op_differences_by_processor.txt").read_text(encoding="utf-8").splitlines())

# What rules call on Tensors among themselves; no name of torch's.
OWN = {"copied", "stack_all", "concatenate_all", "scatter_index", "to_numpy_dtype"}
# addresses; NumPy's own arrays; random numbers (twin_programs/random.txt): other tests have them
SPECIAL = {"data_ptr", "from_numpy", "cuda", "is_tensor", "untyped_storage"}  # the last: twin_programs/as_strided.txt
SPECIAL |= {name for module, name, _, _, _ in ops.entries() if module == ".draws"}


def forms(name: str, row: str) -> Iterator[str]:
    """The ways in which torch lets a row be written."""
    if name in ops.FUNCTIONS:
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
    found |= {f"linalg.{name}": [Call(name, "linalg", row) for row in rows] for name, rows in LINALG_ROWS.items()}
    return found | {f"op.{name}": [Call(name, "operator", row) for row in rows] for name, rows in OPERATOR_ROWS.items()}


def judge(name: str, aspect: str, found: dict[str, str]) -> None:
    """Fail with the differences found, those of KNOWN and SOMETIMES apart; and with known ones that are gone."""
    known = {line for line in KNOWN if line.startswith(f"{aspect} {name}: ")}
    keys = {f"{aspect} {name}: {key}" for key in found}
    new = [f"{key}: {fault}" for key, fault in found.items() if f"{aspect} {name}: {key}" not in known | SOMETIMES]
    assert not new, f"{len(new)} differences\n" + "\n".join(new)
    assert not known - keys, "no longer different, to be taken out of op_differences.txt: " + "\n".join(known - keys)


def survey(name: str, aspect: str) -> dict[str, str]:
    """Every difference of an operation in an aspect's worlds, by call and world.

    Values are held in every form, to the first sentence of errors; in the derived worlds one form is enough, and that
    both engines refuse with the same class of error.
    """
    given = aspect == "values"
    chosen = [call for call in calls()[name] if given or call.form == calls()[name][0].form]
    found = {}
    for what, world in ASPECTS[aspect].items():
        for call in chosen:
            for fault in differences(call, world, second=given, words=given):
                found[f"{call} [{what}]"] = fault
    return found


def test_every_operation_has_a_row() -> None:
    listed = {name for _, name, _, kind, _ in ops.entries() if kind != "@"} | set(ops.ALIASES)
    assert listed - OWN - SPECIAL - set(OP_ROWS) == set()
    assert set(functional.__all__) - set(F_ROWS) == set()
    assert set(minigrad.linalg.__all__) - set(LINALG_ROWS) == {"LinAlgError"}


def test_every_entry_that_bears_its_own_name_is_in_the_table() -> None:
    """Else nobody can call it; what is only a piece of another operation is called something_op."""
    reached = {each for _, _, function, _, written in ops.entries() for each in (function, written)}
    modules = [each.name for each in pkgutil.iter_modules(ops.__path__) if each.name != "define"]
    names = [pair for each in modules for pair in vars(importlib.import_module(f"minigrad.ops.{each}")).items()]
    entries = [(name, made) for name, made in names if getattr(made, "__module__", "") == define.__name__]
    own = {name for name, made in entries if getattr(made, "__name__", "") == name}
    assert len(own) > 40
    assert own - reached - set(functional.__all__) - set(vars(define)) == set()


def test_every_operation_says_what_it_is() -> None:
    """For help(), a notebook's `?` and docs/api.md."""
    ops.load_all()
    names = [name for _, name, _, kind, _ in ops.entries() if kind != "@"]
    found = [getattr(minigrad.Tensor, name, None) or getattr(minigrad, name) for name in names]
    assert [name for name, made in zip(names, found, strict=True) if len(inspect.getdoc(made) or "") < 10] == []


def test_what_outlives_the_release_of_a_graph_holds_no_array() -> None:
    """Numbers and shapes stay to be seen; an array would stay in memory (ARRAYS in ops/saved_attributes.py)."""
    found, looked_at = set(), 0
    for every in calls().values():
        for call in every:
            known = [getattr(each, "grad_fn", None) for each in run(minigrad, call, World()).outputs]
            for node in known:  # the list grows on the way
                if node is not None:
                    kept = dict(zip(node.plain_values, getattr(node, "settings", ()), strict=False))
                    looked_at += len(kept)
                    found |= {
                        f"{node.name()} {n}"
                        for n, value in kept.items()
                        if hasattr(getattr(value, "_data", 0), "strides")
                    }
                    known += node.parents
    assert looked_at > 100 and found == set()


def test_what_torch_has_as_a_function_in_place_is_one_here() -> None:
    in_place = {f"{name}_" for _, name, _, _, written in ops.entries() if written}
    in_place |= {f"{alias}_" for alias, name in ops.ALIASES.items() if f"{name}_" in in_place}
    assert {name for name in in_place if hasattr(torch, name)} == ops.IN_PLACE_FUNCTIONS


def test_every_row_is_of_an_operation() -> None:
    assert [name for name in OP_ROWS if not hasattr(minigrad, name) and not hasattr(minigrad.Tensor, name)] == []
    assert [name for name in OP_ROWS if not hasattr(torch, name) and not hasattr(torch.Tensor, name)] == []


DTYPES = {dtype: World(dtype=dtype) for dtype in ("float32", "float16", "int64", "bool")}
MIXED = {
    f"{first} with {rest}": World(dtype=rest, first=first)
    for first, rest in (
        ("float32", "float64"), ("float16", "int64"), ("int64", "float32"), ("bool", "float32"), ("uint8", "int32"),
    )
}  # fmt: skip
SHAPES = {
    "m = 0": World(sizes={**SIZES, "m": 0}),
    "n = 0": World(sizes={**SIZES, "n": 0}),
    "0-d": World(dims=("",) * 4),
    "first 0-d": World(dims=("",)),
}
LAYOUTS = {layout: World(layout=layout) for layout in ("transposed", "strided")}
BROADCAST = {f"{a} {b}": World(dims=(a, b)) for a, b in (("1n", None), (None, "m1"), ("m1", "n"), ("nmn", "1n"))}

# What is derived from every row: an aspect's worlds. Values are held in float64, with gradients and theirs.
ASPECTS = {
    "values": {"float64": World()}, "dtypes": DTYPES | MIXED, "shapes": SHAPES, "layouts": LAYOUTS, "broadcast": BROADCAST,
    "gradients": {"infinite": World(steep=True)},
}  # fmt: skip


# Sizes from which on arrays are handled in other ways: as bits, in groups, by BLAS.
LARGE = World(sizes={"m": 70, "n": 66, "k": 3, "1": 1})
# What torch leaves open among equal elements, which are many then; what is promised unique or sorted elements, which they
# are not; and distances that torch finds by a product then.
LEFT_OPEN = {"sort", "argsort", "msort", "quantile", "nanquantile", "isin", "bucketize", "searchsorted", "cdist"}
# The factors of large samples, whose values repeat, so that their rank is low; full ones: twin_programs/decompositions.txt.
LEFT_OPEN |= {"qr", "svd", "pinverse", "linalg.eigh", "linalg.qr", "linalg.svd", "linalg.svdvals"}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in calls() if name not in LEFT_OPEN])
def test_large_arrays_agree_with_torch(name: str) -> None:
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls()[name]:
            if call.form == calls()[name][0].form and "kernel" not in call.arguments:  # which would be huge
                found |= {f"{call}": fault for fault in differences(call, LARGE, words=False)}
    judge(name, "large", found)


def wrong_arguments(name: str) -> dict[str, str]:
    """In what the engines differ on wrong arguments, tried on the first row of each form."""
    first = {call.form: call for call in reversed(calls()[name])}
    return {f"{call} {what}": fault for call in first.values() for what, fault in argument_faults(call)}


@pytest.mark.parametrize("aspect", [*ASPECTS, "arguments"])
@pytest.mark.parametrize("name", list(calls()))
def test_agrees_with_torch(name: str, aspect: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if aspect == "arguments":
            found = wrong_arguments(name)
        else:
            found = survey(name, aspect)
    judge(name, aspect, found)


LARGEST = ([3e38, -3e38, 3e38, 3e38], [1e-45, -0.0, 3e38, 1.0])
METHODS = sorted(name for name in dir(minigrad.Tensor) if name[0] != "_" and name[-1] != "_")


@pytest.mark.parametrize("values", LARGEST, ids=str)
def test_what_overflows_does_so_in_silence(values: list[float]) -> None:
    """As in torch: NumPy's warnings are not heard, whether an array's own method gives them or a function of NumPy's."""
    heard = set()
    for name in METHODS:
        for args in ((), (0,), (2.5,), (minigrad.tensor(values).reshape(2, 2),)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                # As the engine itself does for what is raised from inside of it (backend.py).
                warnings.filterwarnings("ignore", ".* encountered in .*", RuntimeWarning, r"minigrad\.")
                with contextlib.suppress(Exception):  # wrong arguments, integers, no tensor: other tests ask for these
                    found = getattr(minigrad.tensor(values, requires_grad=True).reshape(2, 2), name)(*args)
                    if isinstance(found, minigrad.Tensor):
                        found.sum().backward()
                heard |= {f"{name}: {warning.message}" for warning in caught if warning.category is RuntimeWarning}
    assert not heard
