"""A coverage-guided fuzzer (atheris) on what reads a stranger's bytes: frames, testimony, notebooks.

    python tests/fuzz.py protocol|notebook|transplant [-runs=N] [-seed=N] [further options of libFuzzer]

Whatever comes in, each target either gives a result or raises the one error that is meant for it; anything else is a
find, which libFuzzer writes to a file and prints. tests/test_fuzz.py runs each for a while with a fixed seed.
"""

from __future__ import annotations

import copy
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import atheris

with atheris.instrument_imports(include=["autograder"]):
    from autograder import compare, protocol, testimony, transplant
    from autograder.checks import Check, Property
    from autograder.errors import AutograderError, SandboxFailed
    from autograder.runner.limits import DEFAULT

import nbformat

CHECK = Check("one", "test", 2, ("minigrad.ops.pointwise.relu_vjp",), lambda T, rng: iter(()))
EXPECTED = [Property("x", {"shape": [2], "dtype": "float64", "data": [1.0, "nan"]}), Property("y", [1, "a", True])]
CELLS = [
    ("code", {"tags": ["setup"]}, "import minigrad"),
    ("code", {"nbgrader": {"grade_id": "a", "solution": True, "grade": False}}, "stub"),
    ("code", {"nbgrader": {"grade_id": "check_a", "solution": False, "grade": True, "points": 2}}, 'check("a")'),
    ("markdown", {"nbgrader": {"grade_id": "words", "solution": True, "grade": True, "points": 1}}, "here"),
]
RELEASED = nbformat.from_dict(
    {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [
            {"cell_type": kind, "id": f"c{at}", "metadata": meta, "source": source}
            | ({"outputs": [], "execution_count": None} if kind == "code" else {})
            for at, (kind, meta, source) in enumerate(CELLS)
        ],
    }
)


def fuzz_protocol(data: bytes) -> None:
    """A frame's payload, through the protocol, the testimony and the comparison."""
    read, write = os.pipe()
    try:
        os.write(write, data[:60_000])
        os.close(write)
        reader, frames = protocol.FrameReader(read), []
        try:
            while (payload := reader.read(1.0)) is not None:
                frames.append(protocol.unpack(payload))
        except protocol.ProtocolError:
            pass
    finally:
        os.close(read)
    done = {"type": "check_done", "check": "one", "calls": {}, "unwritten": [], "error": None}
    try:
        outcome = testimony.hear([*frames, done], [CHECK], DEFAULT).outcomes["one"]
    except SandboxFailed:
        return
    verdict = compare.judge(CHECK, EXPECTED, outcome)
    assert 0 <= verdict.score <= 2
    json.dumps(verdict.record(), allow_nan=False)


def fuzz_notebook(data: bytes) -> None:
    """A submitted file, read leniently."""
    try:
        answers = transplant.read(data)
    except AutograderError:
        return
    assert all(isinstance(answer.source, str) for answer in answers)


def fuzz_transplant(data: bytes) -> None:
    """A submitted file, set into the release: the result is a valid notebook that differs in answers only."""
    try:
        notebook, _ = transplant.transplant(copy.deepcopy(RELEASED), transplant.read(data))
    except AutograderError:
        return
    nbformat.validate(notebook)
    for before, after in zip(RELEASED.cells, notebook.cells, strict=True):
        assert before.metadata == after.metadata and before.cell_type == after.cell_type
        if not before.metadata.get("nbgrader", {}).get("solution"):
            assert before.source == after.source


TARGETS: dict[str, Callable[[bytes], None]] = {
    "protocol": fuzz_protocol,
    "notebook": fuzz_notebook,
    "transplant": fuzz_transplant,
}


def _frame(message: object) -> bytes:
    payload = json.dumps(message).encode()
    return len(payload).to_bytes(4, "big") + payload


# What fuzzing starts from, so that it need not find out the formats by itself.
SEEDS = {
    "protocol": [
        _frame({"type": "property", "check": "one", "label": "x", "value": EXPECTED[0].value}),
        _frame({"type": "check_done", "check": "one", "calls": {"p": 1}, "unwritten": ["p"], "error": {"class": "E"}}),
        _frame({"type": "cell", "id": "a", "error": {"class": "E", "message": "m", "line": 3, "cell": "a"}}),
    ],
    "notebook": [json.dumps(RELEASED).encode()],
    "transplant": [json.dumps(RELEASED).encode(), json.dumps({"cells": [None, {"id": "a", "source": ["x"]}]}).encode()],
}


def main() -> None:
    """Run one target from its seeds. It ends the process, as libFuzzer does."""
    target, *options = sys.argv[1:] or ["?"]
    if target not in TARGETS:
        sys.exit(__doc__)
    corpus = Path(os.environ.get("FUZZ_CORPUS") or f"out/fuzz/{target}")
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS[target]):
        (corpus / f"seed{number}").write_bytes(seed)
    atheris.Setup([sys.argv[0], *options, "-max_len=20000", str(corpus)], TARGETS[target])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
