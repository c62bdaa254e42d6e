"""What torch shows of a graph beyond names and edges, held against torch for every row of the case tables.

`_saved_*` of every node, and what the first gradient is recorded as under create_graph (TanhBackwardBackward0). What is
known to differ stands in data/graph_differences.txt, which may only shrink.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from op_twin import Call, World, error_text, run, weights
from test_ops import calls

import minigrad

KNOWN = frozenset((Path(__file__).parent / "data" / "graph_differences.txt").read_text(encoding="utf-8").splitlines())
COUNTED_BACK = 2**64  # torch shows a negative number as it stands in an unsigned field, and a dim as it was given


ONCE = {"scatter_reduce": "torch's backward refuses 'max', which its forward takes"}


def nodes(outputs: list[Any]) -> list[Any]:
    """Every node behind the outputs, depth first."""
    found: list[Any] = []
    stack = [o.grad_fn for o in reversed(outputs) if getattr(o, "grad_fn", None) is not None]
    while stack:
        node = stack.pop()
        if node not in found:
            found.append(node)
            stack += [to for to, _ in reversed(node.next_functions) if to is not None]
    return found


def shown(value: Any) -> Any:
    """A saved value as plain data."""
    if isinstance(value, torch.Tensor | minigrad.Tensor):
        array = value.detach().numpy()
        entries = np.round(array.astype("float64"), 6).tolist()
        return str(value.dtype), tuple(value.shape), value.is_leaf, value.requires_grad, str(entries)
    if isinstance(value, tuple | list):
        return [shown(each) for each in value]
    return round(value, 9) if isinstance(value, float) else str(value).removeprefix("minigrad.")


def saved(node: Any) -> dict[str, Any]:
    """What a node shows under `_saved_…`."""
    found = {}
    for name in (each for each in dir(node) if each.startswith("_saved_")):
        try:
            found[name] = shown(getattr(node, name))
        except RuntimeError as error:
            found[name] = error_text(error)
    return found


def saved_differences(call: Call) -> Iterator[str]:
    """The saved values that differ, as `NODE._saved_NAME`."""
    expected, got = run(torch, call, World()), run(minigrad, call, World())
    if expected.error or got.error:
        return
    theirs, ours = nodes(expected.outputs), nodes(got.outputs)
    if [node.name() for node in theirs] != [node.name() for node in ours]:
        return  # which test_ops.py judges
    for their, our in zip(theirs, ours, strict=True):
        before, after = saved(their), saved(our)
        for name in sorted(before.keys() | after.keys()):
            if before.get(name) != after.get(name) and not wraps(before.get(name)):
                yield f"{their.name().rpartition(':')[2]}.{name}"


def wraps(value: Any) -> bool:
    """Whether torch shows a negative number counted back from 2⁶⁴."""
    return str(COUNTED_BACK)[:12] in str(value)


def again(engine: Any, call: Call) -> list[str | None] | str | None:
    """The nodes of the first gradients under create_graph; None where there are none."""
    outcome = run(engine, call, World())
    outputs = [o for o in outcome.outputs if isinstance(o, engine.Tensor) and o.requires_grad]
    if outcome.error or not outputs:
        return None
    grads = [engine.from_numpy(weights(o.shape, str(o.dtype).rpartition(".")[2])).requires_grad_() for o in outputs]
    try:
        found = engine.autograd.grad(outputs, outcome.samples.leaves, grads, create_graph=True, allow_unused=True)
    except (RuntimeError, NotImplementedError) as error:
        return type(error).__name__
    return [None if g is None or g.grad_fn is None else g.grad_fn.name().rpartition(":")[2] for g in found]


def differences(name: str) -> set[str]:
    """All differences of an operation, one a line."""
    found = set()
    chosen = [call for call in calls()[name] if call.form == calls()[name][0].form]
    for call in chosen:
        found |= {f"saved {each}" for each in saved_differences(call)}
        if (expected := again(torch, call)) is not None and again(minigrad, call) != expected:
            found.add(f"again {call}")
    return found


@pytest.mark.parametrize("name", list(calls()))
def test_what_a_graph_shows_is_torchs(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        new = differences(name) - KNOWN
    assert not new, "\n".join(sorted(new))


def walks(engine: Any, call: Call, only: int) -> tuple[list[str | None], int]:
    """What each of two walks through an operation's graph says, where only one input wants a gradient; and how many could."""
    outcome = run(engine, call, World(only=only))
    outputs = [o for o in outcome.outputs if isinstance(o, engine.Tensor) and o.requires_grad]
    said: list[str | None] = []
    if outputs:
        total = sum(o.sum() for o in outputs)
        for _ in range(2):
            try:
                total.backward()
                said.append(None)
            except RuntimeError as error:
                said.append(error_text(error))
    return said, outcome.samples.floats


@pytest.mark.parametrize("name", sorted(calls().keys() - ONCE.keys()))
def test_a_second_walk_is_refused_where_torch_refuses_it(name: str) -> None:
    """A node that saved no tensor for the gradients that are wanted can be walked again; any other only once."""
    for call in [call for call in calls()[name] if call.form == calls()[name][0].form]:
        wanted, inputs = 0, 1
        while wanted < inputs:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected, inputs = walks(torch, call, wanted)
                got, _ = walks(minigrad, call, wanted)
            assert got == expected, f"{call}, gradient {wanted}"
            wanted += 1


@pytest.mark.slow
def test_known_differences_are_still_there() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = set().union(*[differences(name) for name in calls()])
    assert not KNOWN - found, "no longer different, to be taken out of graph_differences.txt:\n" + "\n".join(
        KNOWN - found
    )


@pytest.mark.parametrize("name", ["conv1d", "batch_norm", "layer_norm"])
def test_what_is_shown_does_not_hang_on_whose_gradient_is_wanted(name: str) -> None:
    """What is kept to be shown is there where only the bias wants a gradient; the rest is None, and nothing fails."""
    shows = []
    for engine in (torch, minigrad):
        call = getattr(engine.nn.functional, name)
        bias, x = engine.ones(3, requires_grad=True), engine.ones(2, 3)
        given = {
            "conv1d": (x[..., None], engine.ones(3, 3, 1), bias),
            "batch_norm": (x, None, None, None, bias, True),
            "layer_norm": (x, (3,), None, bias),
        }
        shows.append(saved(call(*given[name]).grad_fn))
    theirs, ours = shows
    assert {key for key, value in ours.items() if value != theirs[key]} <= {"_saved_input", "_saved_weight"}
