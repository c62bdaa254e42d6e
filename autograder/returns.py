"""What a learner's part returned in a failing check, beside what the engine's own returns there.

A beginner forgets `return`, hands back the argument or a number, or a list where a tuple is wanted; and what the check
then says is what broke further on. So what came out is named, and what should have: the kind of value, and whether it
was the same whatever came in.

Not here: whether the values are right (compare.py), nor mistakes in a formula (mistakes/).
"""

from __future__ import annotations

import ast
import contextlib
import dis
import functools
import importlib
import inspect
import itertools
from collections.abc import Iterator
from typing import Any

from autograder import checks, mistakes, own_source, parts
from autograder.by_name import functions
from autograder.checks import Check, Outcome
from autograder.errors import AutograderError
from autograder.kinds import ARRAYS, PLAIN, Kind, Returned
from autograder.messages import Text, text
from autograder.reach import codes

FEW = 3  # parts of a check; with more it would take long to see what the engine's own return in place of each
_UNCALLED = {"builtin_function_or_method", "function", "method"}
_NAMES = {
    "array": "an_array",
    "bool": "a_bool",
    "class": "a_class",
    "module": "a_module",
    "node": "a_node",
    "number": "a_number",
    "scalar": "a_scalar",
    "tensor": "a_made_tensor",
    "NoneType": "a_none",
}


def notes(check: Check, seed: int, printed: bool) -> Iterator[Text]:
    """Kinds of values that are not what the part should return. `printed`: something was printed in the run."""
    for part, mine in _mine(check).items():
        asked = mine.kinds - ARRAYS or mine.only_handed_on or len(check.parts) <= FEW
        own = _engines_own(check, part, seed) if asked else mine
        odd = mine.kinds - own.kinds - (ARRAYS if own.kinds & {*ARRAYS, "tensor"} else set())
        if "scalar" in own.kinds and "array" not in own.kinds:
            odd -= {"number"}  # which of the two it is depends on what came in
        if own.kinds <= {"NoneType"}:  # nobody reads what it returns: then only an error that was to be raised
            odd = {kind for kind in odd if str(kind).endswith("Error")}
        one_number = bool(odd) and bool(own.kinds & ARRAYS) and _a_number_will_do(check, part, seed)
        odd -= {"number"} if one_number else set()
        wanted = text("one_number") if one_number else _wanted(own)
        for kind in sorted(_in_short(odd, own), key=str):
            said = printed and _prints(part), _gives_something(part)
            yield _odd(part.rpartition(".")[2], kind, own, wanted, *said)


def _in_short(odd: set[Kind], own: Returned) -> set[Kind]:
    """Where no tuple is wanted, tuples with tuples in them, or of several kinds, are simply tuples."""
    tuples = {kind for kind in odd if isinstance(kind, tuple)}
    nested = any(isinstance(item, tuple) for kind in tuples for item in kind)
    if any(isinstance(kind, tuple) for kind in own.kinds) or not (nested or len(tuples) > 1):
        return odd
    return (odd - tuples) | {"tuple"}


def habits(check: Check, outcome: Outcome, seed: int) -> Iterator[Text]:
    """What is the same at every call, where the engine's own is not: for parts of which nothing better is known."""
    for part, mine in _mine(check).items():
        short, calls = part.rpartition(".")[2], outcome.calls.get(part, 0)
        place, always = mine.only_handed_on, _always(mine)
        if calls < 2 or not (place or always or mine.kinds - {"NoneType"}):
            continue
        own = _engines_own(check, part, seed)
        if not own.kinds and not place:
            if not _engines_own(check, part, seed, others=False).kinds:  # else one of the learner's others breaks it
                yield text("returned_for_an_error", part=short)
        elif own.kinds == {"NoneType"}:
            if mine.kinds != own.kinds:
                yield text("nobody_reads", part=short)
        elif place and place != own.only_handed_on:
            if mine.times >= calls:  # else the calls that raised may be all that is wrong
                yield text("handed_back", part=short, name=_argument(part, *place))
        elif always and mine.plain[always] >= calls and mine.kinds <= own.kinds and _says_more(own, mine):
            yield text("always_the_same", part=short, value=always, calls=calls)
            if always == "None" and _prints(part):
                yield text("printed_instead", part=short)


def unused(check: Check, outcome: Outcome) -> Iterator[Text]:
    """Arguments that the engine's own part uses and the learner's, of the same name, does not: of a part alone, which has
    come to its end each time."""
    for part in check.parts if len(check.parts) == 1 and not outcome.faults else ():
        written = parts.plugged()[part]
        with contextlib.suppress(AutograderError):
            mine, own = _read(own_source.of(written)), _read(parts.source(part))
            if names := [name for name in inspect.signature(written).parameters if name in own - mine]:
                yield text("never_used", part=part.rpartition(".")[2], names=", ".join(names))


def _read(source: str) -> set[str]:
    """The names whose values a piece of source takes."""
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)]
    return {node.id for node in found if isinstance(node.ctx, ast.Load)}


def _mine(check: Check) -> dict[str, Returned]:
    return {part: parts.returned(part) for part in check.parts}


def _engines_own(check: Check, part: str, seed: int, others: bool = True) -> Returned:
    """What the engine's own part returns on these inputs, beside the learner's others, whose own returns stay as noted;
    without them, beside the engine's."""
    own = {each: _as_a_learners(parts.original(each)) for each in check.parts if not others or each == part}
    with parts.plugged_in(_plugged(check) | own):
        checks.attempt(check, importlib.import_module(parts.ENGINE), seed)
        return parts.returned(part)


def _as_a_learners(own: Any) -> Any:
    """The engine's own function as another one, so that its calls by name, from a learner's part, are noted as well."""
    if not inspect.isfunction(own):
        return own

    @functools.wraps(own)
    def again(*args: Any, **kwargs: Any) -> Any:
        return own(*args, **kwargs)

    return again


def _plugged(check: Check) -> dict[str, Any]:
    now = parts.plugged()
    return {part: now[part] for part in check.parts}


def _a_number_will_do(check: Check, part: str, seed: int) -> bool:
    """Whether the check is as content with numbers in place of the engine's own answers, each of which is one."""
    engine, own = importlib.import_module(parts.ENGINE), parts.original(part)
    if not callable(own) or isinstance(own, type):
        return False

    def as_a_number(*args: Any, **kwargs: Any) -> float:
        return float(own(*args, **kwargs))

    def run(written: Any) -> Outcome:
        with parts.plugged_in({**_plugged(check), part: written}):
            return checks.attempt(check, engine, seed)

    return mistakes.same(run(own), run(as_a_number))


def _prints(part: str) -> bool:
    """Whether the part itself names `print`: what else appeared may be a warning."""
    written = functions(parts.plugged()[part])
    return any("print" in code.co_names for function in written for code in codes(function.__code__))


def _gives_something(part: str) -> bool:
    """Whether a `return` of the part's own has something behind it: then a None is no return forgotten."""
    for function in functions(parts.plugged()[part]):
        for before, step in itertools.pairwise(dis.get_instructions(function)):
            given = step if step.opname == "RETURN_CONST" else before  # a constant's own step, from Python 3.12 on
            if step.opname in ("RETURN_VALUE", "RETURN_CONST") and (
                given.argval is not None or "CONST" not in given.opname
            ):
                return True
    return False


def _says_more(own: Returned, mine: Returned) -> bool:
    return own.kinds != mine.kinds or set(own.plain) != set(mine.plain)


def _wanted(own: Returned) -> Text:
    """What the engine's own part returns, in words."""
    scalars = {"scalar"} & own.kinds
    kinds = own.kinds - scalars | ({"number"} if scalars and "array" not in own.kinds else set())
    words = [_words(each) for each in sorted(kinds, key=lambda each: (each == "NoneType", str(each)))]
    return Text("或".join(each.zh for each in words), " or ".join(each.en for each in words))


def _odd(part: str, kind: Kind, own: Returned, wanted: Text, printed: bool, gives: bool) -> Text:
    if kind == "NoneType":
        key = "printed_instead" if printed else "returned_none_at_times" if gives else "returned_none"
        return text(key, part=part, wanted=wanted)
    if str(kind).endswith("Error"):
        return text("returned_error", part=part, kind=kind)
    if kind == "tensor" and own.kinds & ARRAYS:
        return text("returned_tensor", part=part)
    if kind in _UNCALLED:
        return text("returned_uncalled", part=part, kind=kind)
    comma = isinstance(kind, tuple) and len(kind) == 1 and kind[0] in own.kinds
    return text("returned_comma" if comma else "returned", part=part, kind=_words(kind), wanted=wanted)


def _words(kind: Kind) -> Text:
    """A kind of value as a sentence names it."""
    if isinstance(kind, tuple):
        inside = [_words(each) for each in kind]
        zh, en = ("，".join(each.zh for each in inside), ", ".join(each.en for each in inside))
        return text("a_tuple", items=Text(zh, en)) if kind else text("an_empty_tuple")
    if kind in _NAMES:
        return text(_NAMES[kind])
    return text("of_class", kind=Text(kind, f"{'an' if kind[0] in 'AEIOUaeiou' else 'a'} {kind}"))


def _always(mine: Returned) -> str | None:
    """The one plain value that it returned, whatever came in."""
    return next(iter(mine.plain)) if len(mine.plain) == 1 and mine.kinds <= PLAIN else None


def _argument(part: str, place: int | str) -> str:
    """The name that the learner's own first line gives to an argument."""
    if isinstance(place, str):
        return place
    names = list(inspect.signature(parts.plugged()[part]).parameters)
    return names[min(place, len(names) - 1)]  # beyond the last there is none but *rest
