"""The examples in torch's own documentation give on minigrad what they give on torch.

They are read from the docstrings of the installed torch: of every name that minigrad has, too. Each is run as if typed
in, one statement after the other, and what each shows or raises must be equal. Known differences stand in BEYOND: an
example ends at such a statement.
"""

from __future__ import annotations

import contextlib
import doctest
import functools
import inspect
import io
import re
import types
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from programs import equal_but_for_rounding

import minigrad

pytestmark = pytest.mark.slow

# Statements that cannot be the same, by pattern, or by (docstring, pattern)
LARGE = {f"torch.nn.{name}" for name in ("ReplicationPad3d", "CircularPad3d", "Transformer", "TransformerDecoder")}
BEYOND: dict[str | tuple[str, str], str] = {
    r"complex|cfloat|cdouble|\dj\b": "minigrad has no complex numbers",
    r"num_workers=[1-9]": "minigrad starts no workers",
    r"cuda": "what devices there are is not the engine's",
    r"^(torch|tensor)\.(new_)?empty\(": "what memory held before",
    r"\.seed\(\)": "drawn from the clock",
    r"\.view\(torch\.(int32|uint8)\)": "the bits of a random number's last digit",
    r"resize_\(": "minigrad has no resize_",
    r"torch\.Event\(": "minigrad records no events",
    r"[mM]ultivariate_?[nN]ormal": "minigrad has few distributions",
    ("torch.sort", r"^x\.sort\(\)"): "which of equal elements comes first is left open",
    ("torch.linalg.inv", r"^torch\.dist\("): "what rounding leaves of a difference that is 0",
    ("torch.linalg.pinv", r"^torch\.dist\("): "and this, as of what a decomposition multiplies back to",
    ("torch.linalg.qr", r"^torch\.dist\("): "and this",
    ("torch.linalg.svd", r"^torch\.dist\("): "and this",
    ("torch.svd", r"^torch\.dist\("): "and this",
    ("torch.cholesky", r"^torch\.dist\("): "and this",
    ("torch.linalg.solve_triangular", r"^torch\.allclose\("): "whether rounding leaves too much hangs on the processor",
    ("torch.linalg.norm", r"^LA\.norm\(B, -?2"): "minigrad has no norms made of singular values",
    ("torch.linalg.norm", r"'nuc'"): "and this is one",
    ("torch.nn.Unfold", r"conv2d\(inp, w\) - out"): "what rounding leaves of a float32 difference that is 0",
    ("torch.nn.CrossEntropyLoss", r"target_new\.sum"): "a sum of float64 that is 1 but for the last digit",
}
START = "from torch import nn, optim; from torch.nn import functional as F; import math, numpy, numpy as np"


def examples(path: str, theirs: Any, ours: Any, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Names and docstrings with examples, of what both have."""
    for name in sorted(dir(theirs)):
        if name.startswith("_") or not hasattr(ours, name):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of names that are going out of use
            each = getattr(theirs, name)
        if callable(each) and ">>> " in (each.__doc__ or ""):
            yield f"{path}.{name}", each.__doc__
        module = isinstance(each, types.ModuleType) and each.__name__.startswith("torch")
        if depth < 3 and (module or (inspect.isclass(each) and each.__module__.startswith("torch"))):
            yield from examples(f"{path}.{name}", each, getattr(ours, name), depth + 1)


@functools.cache
def all_examples() -> dict[str, str]:
    """By the first name under which each docstring is found."""
    found: dict[str, str] = {}
    for name, text in examples("torch", torch, minigrad):
        found.setdefault(text, name)
    return {name: text for text, name in found.items()}


def beyond(name: str, source: str) -> bool:
    return any(
        re.search(each if isinstance(each, str) else each[1], source)
        for each in BEYOND
        if isinstance(each, str) or each[0] == name
    )


class Session:
    """One engine under the name torch, and what was typed so far."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine
        self.space: dict[str, Any] = {"torch": engine}
        self.type_in(START)

    def type_in(self, source: str) -> str:
        """What a statement shows, or its error."""
        if self.engine is minigrad:
            source = re.sub(r"\bimport torch$", "import minigrad as torch", source, flags=re.MULTILINE)
            source = re.sub(r"\b(from|import) torch\b", r"\1 minigrad", source)
        shown = io.StringIO()
        try:
            with contextlib.redirect_stdout(shown), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile(source, "<example>", "single"), self.space)
        except Exception as error:
            print(f"{type(error).__name__}: {error}", file=shown)
        text = re.sub(r"<[\w.]*?(\w+) object at 0x[0-9a-f]+>", r"<\1 object>", shown.getvalue())
        text = re.sub(
            r"<(?:built-in method|function) (\w+) (?:of type object )?at 0x[0-9a-f]+>", r"<function \1>", text
        )
        return text.replace("minigrad", "torch")

    @contextlib.contextmanager
    def afresh(self) -> Iterator[None]:
        """The settings that an example may change as they are at the start; and so again afterwards."""
        self.engine.manual_seed(0)
        try:
            yield
        finally:
            self.engine.set_default_dtype(self.engine.float32)
            self.engine.set_printoptions(profile="default")
            self.engine.set_grad_enabled(True)
            self.engine.use_deterministic_algorithms(False)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in LARGE else []) for name in all_examples()]
)
def test_an_example_shows_what_it_shows_in_torch(name: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # some of them write files
    theirs, ours = Session(torch), Session(minigrad)
    with theirs.afresh(), ours.afresh():
        for example in doctest.DocTestParser().get_examples(all_examples()[name]):
            if beyond(name, example.source):
                break
            expected, got = theirs.type_in(example.source), ours.type_in(example.source)
            assert equal_but_for_rounding(expected, got), f"{example.source}\ntorch:\n{expected}\nminigrad:\n{got}"
