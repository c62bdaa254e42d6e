"""What to do about errors in which Python's own words do not help a beginner: a name that is not defined, an array in
an `if`, a sign of multiplication left out.

Not here: names that are defined in the notebook and will be missing at grading (reach.py).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Any

from autograder import parts
from autograder.by_name import functions
from autograder.checks import Check, for_lesson
from autograder.messages import Text, text

ALIKE = 0.7  # of two names: one letter too many or too few, or two exchanged
# Modules that grading has, as lessons and books call them.
IMPORTS = {"np": "import numpy as np", **{each: f"import {each}" for each in ("numpy", "math", "minigrad")}}
# Words of an error, and what is said about it.
SAID = {
    r"truth value of an array .* is ambiguous|Boolean value of Tensor .* is ambiguous": "array_in_an_if",
    r"'(numpy\.ndarray|Tensor|float|int|bool|tuple)' object is not callable": "not_callable",
    r"'list' object cannot be interpreted as an integer": "list_for_a_tuple",
    r"can only concatenate (list|tuple) \(not \"(list|tuple)\"\)": "lists_and_tuples",
    r"'numpy\.ndarray' object has no attribute '(exp|log|sigmoid|tanh|sqrt|abs|relu|matmul|mm|t|unsqueeze|permute)'": (
        "array_is_no_tensor"
    ),
    r"exceptions must derive from BaseException": "not_an_error",
    r"unexpected keyword argument '(axis|out)'": "numpy_of_a_tensor",
    r"'(function|type)' object does not support the context manager protocol": "with_uncalled",
}
_UNDEFINED = re.compile(r"name '(\w+)' is not defined")


def notes(check: Check, fault: dict[str, Any]) -> Iterator[Text]:
    """What there is to say of an error, if it is such a one."""
    yield from (text(key) for words, key in SAID.items() if re.search(words, fault["message"]))
    if fault["class"] == "KeyError" and not fault["message"].endswith("'"):  # of a dict, and not of a misspelled string
        yield text("key_missing")
    match = _UNDEFINED.search(fault["message"])
    name = match[1] if match and fault["class"] == "NameError" else ""
    if name in IMPORTS:
        yield text("not_imported", line=IMPORTS[name])
    elif name == "torch":
        yield text("without_torch")
    elif name in {part.rpartition(".")[2] for each in for_lesson(check.lesson) for part in each.parts}:
        yield text("run_its_cell", part=name)
    elif near := difflib.get_close_matches(name, sorted(_names(check) - {name}), n=1, cutoff=ALIKE):
        yield text("did_you_mean", names=near[0])


def of_none(fault: dict[str, Any] | None) -> Iterator[Text]:
    """What there is to say where None was taken for a value, and no hint says which: for errors in the learner's line."""
    if fault and fault["line"] and "'NoneType'" in fault["message"]:
        yield text("none_in_the_way")


def _names(check: Check) -> set[str]:
    """The arguments and variables of the check's parts, and what else they can name."""
    mine = [function for part in check.parts for function in functions(parts.plugged()[part])]
    inside = {name for function in mine for name in function.__code__.co_varnames}
    around = {name for function in mine for name in function.__globals__}
    return {name for name in inside | around if not name.startswith("_")}
