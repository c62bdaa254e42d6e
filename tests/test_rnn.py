"""Recurrent layers against the installed torch, with torch's own weights: outputs, states, gradients, graphs.

What they print, draw and refuse, and how they learn, stands in twin_programs/recurrent.txt.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from op_twin import graph

import minigrad

LENGTH, BATCH, INPUT, HIDDEN = 5, 3, 4, 6
SETTINGS: tuple[dict[str, Any], ...] = (
    {}, {"bias": False}, {"num_layers": 2}, {"bidirectional": True}, {"batch_first": True},
    {"num_layers": 3, "bidirectional": True, "batch_first": True},
)  # fmt: skip
LAYERS = [
    *[(kind, settings) for kind in ("RNN", "LSTM", "GRU") for settings in SETTINGS],
    ("RNN", {"nonlinearity": "relu"}),
    ("LSTM", {"proj_size": 2}),
    ("LSTM", {"proj_size": 2, "num_layers": 2, "bidirectional": True}),
]


@pytest.mark.parametrize(("kind", "settings"), LAYERS)
@pytest.mark.parametrize("states_given", [False, True])
def test_same_as_torch(kind: str, settings: dict[str, Any], states_given: bool) -> None:
    rng = np.random.default_rng(0)
    theirs = getattr(torch.nn, kind)(INPUT, HIDDEN, dtype=torch.float64, **settings)
    ours = getattr(minigrad.nn, kind)(INPUT, HIDDEN, dtype=minigrad.float64, **settings)
    assert str(ours.load_state_dict(theirs.state_dict())) == "<All keys matched successfully>"
    assert repr(ours) == repr(theirs)
    first = (BATCH, LENGTH) if settings.get("batch_first") else (LENGTH, BATCH)
    arrays = [rng.normal(size=(*first, INPUT))]
    if states_given:
        rows = settings.get("num_layers", 1) * (2 if settings.get("bidirectional") else 1)
        sizes = [settings.get("proj_size", HIDDEN), HIDDEN] if kind == "LSTM" else [HIDDEN]
        arrays += [rng.normal(size=(rows, BATCH, size)) for size in sizes]
    found = {}
    for engine, layer in ((torch, theirs), (minigrad, ours)):
        x, *states = leaves = [engine.tensor(array, requires_grad=True) for array in arrays]
        output, last = layer(x, (tuple(states) if kind == "LSTM" else states[0]) if states else None)
        outputs = [output, *(last if kind == "LSTM" else [last])]
        loss = sum((o * engine.arange(o.numel(), dtype=engine.float64).view(o.shape).cos()).sum() for o in outputs)
        loss.backward()
        values = [*outputs, *[leaf.grad for leaf in (*leaves, *layer.parameters())]]
        found[engine] = [graph(o.grad_fn, 12) for o in outputs], [value.detach().numpy() for value in values]
    assert found[minigrad][0] == found[torch][0]
    for mine, its in zip(found[minigrad][1], found[torch][1], strict=True):
        np.testing.assert_allclose(mine, its, rtol=1e-10, atol=1e-12)
