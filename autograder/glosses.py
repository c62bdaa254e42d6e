"""What to do about errors in which Python's own words do not help a beginner: a name that is not defined, an array in
an `if`, a sign of multiplication left out, a list's method taken for the list, ^ taken for a power.

Not here: names that are defined in the notebook and will be missing at grading (reach.py).
"""

from __future__ import annotations

import contextlib
import difflib
import inspect
import re
import sys
from collections.abc import Iterator
from typing import Any

import minigrad
from autograder import own_source, parts
from autograder.by_name import functions
from autograder.checks import Check, Outcome, first_sentence, for_lesson
from autograder.errors import AutograderError
from autograder.messages import Text, text
from autograder.reach import arguments

LEAST = 3  # letters of a name that is looked for in the engine, which has an e and a pi
ALIKE = 0.7  # of two names: one letter too many or too few, or two exchanged
# Modules that grading has, as lessons and books call them.
IMPORTS = {"np": "import numpy as np", **{each: f"import {each}" for each in ("numpy", "math", "minigrad")}}
_FUNCTION = "(?:function|method|builtin_function_or_method)"
_OF_TENSORS = (
    "exp|log|sigmoid|tanh|sqrt|abs|relu|matmul|mm|t|unsqueeze|permute|clone|detach|numel|dim|expand|sum_to_size"
)
# Words of an error, and what is said about it.
SAID = {
    r"truth value of an array .* is ambiguous|Boolean value of Tensor .* is ambiguous": "array_in_an_if",
    r"'(numpy\.ndarray|Tensor|float|int|tuple|list)' object is not callable": "not_callable",
    r"'module' object is not callable": "module_called",
    r"'bool' object is not callable": "read_without_brackets",
    r"'NoneType' object is not callable": "none_called",
    rf"'{_FUNCTION}' object has no attribute|unsupported operand type\(s\) for .*'{_FUNCTION}'": "not_called",
    r"bitwise_xor|unsupported operand type\(s\) for \^": "no_power",
    r"only (0-dimensional|length-1|size-1) arrays can be converted": "array_is_no_number",
    r"'numpy\.ndarray' and 'Tensor'|'Tensor' and 'numpy\.ndarray'": "array_and_tensor",
    r"'tuple' object does not support item assignment": "tuple_is_fixed",
    r"'(int|float|numpy\.\w+)' object is not iterable": "number_is_no_row",
    r"'(zip|map|filter|generator)' object is not (reversible|subscriptable)|'(zip|map|filter|generator)' has no len": "one_pass",
    r"'list' object cannot be interpreted as an integer": "list_for_a_tuple",
    r"can only concatenate str \(not": "string_and_number",
    r"pop expected at least 1 argument, got 0": "pop_of_a_dict",
    r"can only concatenate (list|tuple) \(not \"(list|tuple)\"\)": "lists_and_tuples",
    rf"'numpy\.ndarray' object has no attribute '({_OF_TENSORS})'": "array_is_no_tensor",
    r"^_?(sum|mean|prod|amax|amin|max|min|var|std)\(\) got an unexpected keyword argument '(dim|keepdim)'": "numpy_keepdims",
    r"exceptions must derive from BaseException": "not_an_error",
    r"dictionary changed size during iteration": "grows_in_its_loop",
    r"len\(\) of a 0-d tensor": "no_length",
    r"'Tensor' object has no attribute 'copy'": "tensor_is_no_array",
    r"unexpected keyword argument '(axis|out)'": "numpy_of_a_tensor",
    r"has been called \d+ times: there is no end": "called_without_end",
    r"'(function|type)' object does not support the context manager protocol": "with_uncalled",
}
# Said instead where the line goes through a range (not where a range is made into a list, which is then the list).
BESIDE_RANGE = {"list_for_a_tuple": "range_of_a_list", "number_is_no_row": None}
# What a None is, by the line that took it for a value.
OF_NONE = {
    r"run_node\(": "node_ran_without",
    r"\b(\w+) = \1 [-+] .*\b\1\.grad\b": "leaf_replaced",
    r"(?<!autograd)\.grad\b(?!\()": "grad_is_none",
}
_IN_PLACE = "append|extend|insert|remove|sort|reverse|add|update|clear"
_SET_ANEW = rf"\b(\w+) = \1\.({_IN_PLACE})\("
WORDS = {"return", "None", "True", "False"}  # Python's own, when misspelled they look like names
_NO_ATTRIBUTE = re.compile(r"' object has no attribute '(\w+)'")
_PAIR = re.compile(r"\((<.*>|None), \d+\)")
_OF_NONE = re.compile(r"'NoneType' object has no attribute '(\w+)'")
_NO_ROW = re.compile(r"'NoneType' object is not (iterable|subscriptable)|'NoneType' has no len")
_UNBOUND = re.compile(r"local variable '(\w+)'")
_UNDEFINED = re.compile(r"name '(\w+)' is not defined")


def notes(check: Check, fault: dict[str, Any]) -> Iterator[Text]:
    """What there is to say of an error, if it is such a one."""
    instead = BESIDE_RANGE if re.search(r"\bin range\(", fault["code"] or "") else {}
    keys = [key for words, key in SAID.items() if re.search(words, fault["message"])]
    yield from (text(said) for key in keys if (said := instead.get(key, key)))
    if "run_node(" in (fault["code"] or "") and "the graph a second time" in fault["message"]:
        yield text("node_ran_twice")
    if "indices must be integers" in fault["message"] and "[dim]" in (fault["code"] or ""):
        yield text("dim_is_a_tuple")
    if _made_by_a_list(check, fault):
        yield text("list_methods")
    absent = _NO_ATTRIBUTE.search(fault["message"]) if not keys else None
    if absent and (near := _alike(absent[1], {each for part in check.parts for each in _attributes(part)})):
        yield text("did_you_mean", names=f".{near}")
    unbound = _UNBOUND.search(fault["message"]) if fault["class"] == "UnboundLocalError" else None
    if unbound and (part := where(check, fault)) and unbound[1] in part[2].__globals__:
        yield text("hides_a_global", name=unbound[1])
    if fault["class"] == "KeyError" and fault["message"].isdigit():
        yield text("key_by_place", place=fault["message"])
    elif fault["class"] == "KeyError" and _PAIR.fullmatch(fault["message"]):
        yield text("pair_for_a_node")
    elif fault["class"] == "KeyError" and not (fault["message"].endswith("'") or ".pop(" in (fault["code"] or "")):
        yield text("key_missing")
    match = _UNDEFINED.search(fault["message"])
    name = match[1] if match and fault["class"] == "NameError" else ""
    if name in IMPORTS:
        yield text("not_imported", line=IMPORTS[name])
    elif name == "torch":
        yield text("without_torch")
    elif name in {part.rpartition(".")[2] for each in for_lesson(check.lesson) for part in each.parts}:
        yield text("run_its_cell", part=name)
    elif name and _of_self(check, here := where(check, fault), name):
        yield text("self_missing", name=name)
    elif name in _used_by_the_engine(check):
        yield text("run_cells_above", name=name)
    elif name and _local_elsewhere(check, name):
        yield text("local_elsewhere", name=name)
    elif name and re.match(rf"{name} ==", fault["code"] or ""):
        yield text("one_equals", name=name)
    elif name and here and name in _arguments_elsewhere(check):
        yield text("not_given", part=here[0], name=name, given=", ".join(arguments(here[2])))
    elif len(name) >= LEAST and _in_minigrad(check, name):
        yield text("in_minigrad", name=name)
    elif near := _alike(name, _names(check) | WORDS):
        yield text("did_you_mean", names=near)


def without_a_hint(check: Check, faults: list[dict[str, Any]]) -> Iterator[Text]:
    """What there is to say where a hint would say more, and there is none: of a None taken for a value, of a recursion.
    For errors in the learner's line."""
    fault = faults[0] if faults else None
    if not fault or not fault["line"]:
        return
    none = "'NoneType'" in fault["message"] and "not callable" not in fault["message"]
    if none and not _made_by_a_list(check, fault):
        yield text(next((key for words, key in OF_NONE.items() if re.search(words, fault["code"])), "none_in_the_way"))
    elif fault["class"] == "RecursionError":
        yield text("recursion")


def _made_by_a_list(check: Check, fault: dict[str, Any]) -> bool:
    """Whether a None is what list.append, sort and the like return, which change the list itself: in the line where the
    error arose, or in one of the same function, under a name that this line uses."""
    here = where(check, fault) if "'NoneType'" in fault["message"] else None
    with contextlib.suppress(AutograderError):
        lines = own_source.of(here[2]) if here else ""
        if any(re.search(rf"\b{name}\b", fault["code"]) for name, _ in re.findall(_SET_ANEW, lines)):
            return True
    if _NO_ROW.search(fault["message"]):
        return bool(re.search(rf"(\bin |[(,])\s*[\w.]+\.({_IN_PLACE})\(", fault["code"]))
    of_none = _OF_NONE.search(fault["message"])
    again = rf"{_SET_ANEW}|\.({_IN_PLACE})\(.*\)\.{of_none[1] if of_none else ''}\b"
    return bool(of_none) and bool(re.search(again, fault["code"]))


def error_at(check: Check, outcome: Outcome) -> Text | None:
    """The first error of a run, if it arose in a line of the learner's; of several parts it is said which one's."""
    if not outcome.faults:
        return None
    fault = outcome.faults[0]
    name = "NotImplementedError" if fault["class"] == parts.NOT_WRITTEN else fault["class"]
    return at(check, fault, f"{name}: {first_sentence(fault['message'])}".removesuffix(": "))


def at(check: Check, fault: dict[str, Any], what: Text | str) -> Text | None:
    """What happened in a line of the learner's, if in one."""
    if not fault["line"]:
        return None
    here = where(check, fault) if len(check.parts) > 1 else None
    key, named = ("error_in", here[0]) if here else ("error_at", None)
    return text(key, error=what, line=fault["line"], code=fault["code"], part=named)


def where(check: Check, fault: dict[str, Any]) -> tuple[str, str, Any] | None:
    """The part in which the error arose, by its short name and its whole one, and its function."""
    inside = fault["traceback_short"].rpartition("\n")[2].partition(",")[0]
    found = [(inside, part, parts.plugged()[part]) for part in check.parts if part.rpartition(".")[2] == inside]
    return found[0] if found and inspect.isfunction(found[0][2]) else None


def _of_self(check: Check, here: tuple[str, str, Any] | None, name: str) -> bool:
    """Whether `self.` belongs before the name: the part where the error arose is given a self, and the engine's own writes
    self.name; or a part of the check is a method of what has something of that name."""
    if here and arguments(here[2])[:1] == ["self"] and re.search(rf"\bself\.{name}\b", parts.source(here[1])):
        return True
    for part in check.parts:
        module, _, owner = part.rpartition(".")[0].rpartition(".")
        found = getattr(sys.modules.get(module), owner, None)
        if isinstance(found, type) and hasattr(found, name):
            return True
    return False


def _used_by_the_engine(check: Check) -> set[str]:
    """What the engine's own parts, which the lesson's cells hold word for word, take from outside: the lesson provides it."""
    own = [function for part in check.parts for function in functions(parts.original(part))]
    return {name for function in own for name in function.__code__.co_names if name in function.__globals__}


def _local_elsewhere(check: Check, name: str) -> bool:
    """Whether a method of one of the check's classes has a local variable of that name."""
    classes = [parts.plugged()[part] for part in check.parts if isinstance(parts.plugged()[part], type)]
    return any(name in method.__code__.co_varnames for each in classes for method in functions(each))


def _attributes(part: str) -> list[str]:
    """What the engine's own part asks of objects."""
    return re.findall(r"\.([A-Za-z_]\w*)", parts.source(part))


def _alike(name: str, others: set[str]) -> str | None:
    return next(iter(difflib.get_close_matches(name, sorted(others - {name}), n=1, cutoff=ALIKE)), None)


def _arguments_elsewhere(check: Check) -> set[str]:
    """What the lesson's parts are given, by name, and `self`, as it is called in most."""
    own = [parts.original(part) for each in for_lesson(check.lesson) for part in each.parts]
    return {"self"} | {name for each in own if inspect.isfunction(each) for name in arguments(each)}


def _in_minigrad(check: Check, name: str) -> bool:
    """Whether the engine has it by that name, where parts are handed tensors: for arrays as well there are rules."""
    around = {
        each for part in check.parts for function in functions(parts.plugged()[part]) for each in function.__globals__
    }
    found = getattr(minigrad, name, None)
    own = getattr(found, "__module__", type(found).__module__)  # and nothing that the engine has itself imported
    return "minigrad" in around and "rules" not in around and str(own).startswith("minigrad")


def _names(check: Check) -> set[str]:
    """The arguments and variables of the check's parts, and what else they can name."""
    mine = [function for part in check.parts for function in functions(parts.plugged()[part])]
    inside = {name for function in mine for name in function.__code__.co_varnames}
    around = {name for function in mine for name in function.__globals__}
    own = {part.rpartition(".")[2] for part in check.parts}
    return {name for name in inside | (around - own) if not name.startswith("_")}
