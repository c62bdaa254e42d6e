"""Run one program on torch and on minigrad and hold what they print, warn and raise against each other.

A program is text that calls the engine `T`. Its statements run one by one; an error is printed as class and first
sentence and the next statement runs. Addresses in reprs are blanked; nothing else is forgiven.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import io
import re
import textwrap
import warnings
from types import ModuleType
from typing import Any

import numpy as np
import torch

import minigrad

ENGINES = {"torch": torch, "minigrad": minigrad}
# NumPy's own, which users' filters never show, and what torch says to itself: when it first loads a part of its own, and
# from Python 3.12 on of a call of its own.
UNSAID = ("encountered in", "`torch.jit.script` is deprecated", "signature of throw() is deprecated")
# What a torch that was built with CUDA says where there is no GPU, in the words of one that was not.
BUILT_WITH_CUDA = {
    "Found no NVIDIA driver on your system.": "Cannot access accelerator device when none is available.",
}


def transcript(engine: ModuleType, program: str) -> list[str]:
    """What a program prints on one engine, line by line, with warnings and errors in their places."""
    out = io.StringIO()
    names: dict[str, Any] = {"T": engine, "np": np}
    with contextlib.redirect_stdout(out), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for statement in ast.parse(textwrap.dedent(program)).body:
            code = compile(ast.Module([statement], []), "<program>", "exec")
            try:
                exec(code, names)
            except Exception as error:
                print(f"{type(error).__name__}: {first_sentence(str(error))}")
            for warning in caught:
                if not any(words in str(warning.message) for words in UNSAID):
                    print(f"{warning.category.__name__}: {first_sentence(str(warning.message))}")
            caught.clear()
    return re.sub(r"0x[0-9a-f]+", "0x…", out.getvalue()).splitlines()


def first_sentence(text: str) -> str:
    """Up to the first full stop that ends a sentence, or the end of the line; without what Python 3.13 guesses was meant."""
    sentence = re.split(r"(?<=\.)\s|\n|\. Did you mean", text.strip())[0]
    return BUILT_WITH_CUDA.get(sentence, sentence)


def same(program: str) -> None:
    """Assert that both engines print the same."""
    expected, got = transcript(torch, program), transcript(minigrad, program)
    assert got == expected, "\n".join(difference(expected, got))


def difference(expected: list[str], got: list[str]) -> list[str]:
    """The lines that differ, torch's marked -, minigrad's marked +."""
    return list(difflib.unified_diff(expected, got, "torch", "minigrad", lineterm="", n=1))
