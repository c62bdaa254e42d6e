"""torch's own tables of modules give on minigrad what they give on torch.

torch tests its modules on two tables (module_db, and the older one of common_nn): what each is constructed with, called
with, and must refuse. Here every module that minigrad has, too, is built and called on both engines: what it draws,
prints, keeps and puts out, its state, gradients, second gradients, warnings and refusals. optim_db, of the optimizers, is
test_torch_optimizers.py's.
"""

from __future__ import annotations

import contextlib
import inspect
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy
import pytest
import torch
from programs import let_once_said_be_said
from torch_tables import (
    DTYPES,
    Foreign,
    answer,
    apart,
    copied,
    difference,
    for_minigrad,
    gradients,
    heard,
    ours,
    tensors,
    told,
    unlike,
)

import minigrad

pytestmark = pytest.mark.slow

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_modules import module_db
    from torch.testing._internal.common_nn import (
        CriterionTest,
        NewModuleTest,
        criterion_tests,
        get_new_module_tests,
        module_tests,
    )

MOST = 10  # samples of one module in one dtype, training or not, spread over all that there are
# Warnings that tell how torch computes something
INTERNAL = re.compile(r"not supported with oneDNN")
# Of these no second gradient can be compared
UNDERIVED = re.compile(r"derivative for aten::_scaled_dot_product_flash_attention_for_cpu_backward is not implemented")
# float32 rounds the long sums of their gradients, which the engines add up in orders of their own; float64 compares them
LONG_SUMS = {
    "MultiheadAttention", "Transformer", "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer",
}  # fmt: skip
# Rows that cannot be compared, by name
APART = {"Embedding_sparse": "minigrad's gradients are dense"}

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


@pytest.fixture(autouse=True, scope="module")
def once_said() -> None:
    """What is warned of once in a process has been said, by both engines, whichever tests run."""
    let_once_said_be_said()


class Case(NamedTuple):
    """A module on both engines: how it is made, what it is called with, and the leaves among that, in one order."""

    text: str
    made: tuple[Callable[[], Any], Callable[[], Any]]
    called: tuple[Arguments, Arguments]
    leaves: tuple[list[Any], list[Any]]
    writes: bool = False  # to its input, which has to be a copy


def case(name: str, constructors: Any, given: tuple[Arguments, Arguments], call: Arguments, **rest: Any) -> Case:
    """A case of two constructors with the arguments for each, and what torch's module is called with."""
    known: dict[int, Any] = {}
    called = (call, (ours(call[0], known), ours(call[1], known)))
    leaves = [t for t in tensors(call[0]) + tensors(call[1]) if t.requires_grad]
    makers = [
        (lambda engine=engine, cls=cls, arguments=arguments: built(engine, cls, *arguments))
        for engine, cls, arguments in zip((torch, minigrad), constructors, given, strict=True)
    ]
    text = f"{name}: {shown(given[0])} called with {shown(call)}"
    return Case(text, (makers[0], makers[1]), called, (leaves, [known[id(leaf)] for leaf in leaves]), **rest)


def shown(arguments: Arguments) -> str:
    return ", ".join([*map(told, arguments[0]), *(f"{name}={told(value)}" for name, value in arguments[1].items())])


def built(engine: Any, cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A module whose parameters are drawn from the seed 0."""
    engine.manual_seed(0)
    return cls(
        *[layer_like(engine, a) if isinstance(a, torch.nn.TransformerEncoderLayer) else a for a in args], **kwargs
    )


def layer_like(engine: Any, layer: Any) -> Any:
    """A layer with these settings, for the stack of them that TransformerEncoder is."""
    return engine.nn.TransformerEncoderLayer(
        layer.self_attn.embed_dim,
        layer.self_attn.num_heads,
        layer.linear1.out_features,
        layer.dropout.p,
        layer.activation if engine is torch else ours(layer.activation, {}),
        batch_first=layer.self_attn.batch_first,
        norm_first=layer.norm_first,
        bias=layer.linear1.bias is not None,
    )


# ------------------------------------------------------------------ module_db


def spread(rows: list[Any], most: int = MOST) -> list[Any]:
    """At most so many of them, from the first to the last."""
    step = max(1, len(rows) / most)
    return [rows[int(i * step)] for i in range(min(most, len(rows)))]


def of_table(info: Any, dtype: Any, training: bool) -> Iterator[Case]:
    """The table's cases of one module, those that it must refuse, and those with inplace=True."""
    settings = {"device": "cpu", "dtype": dtype, "requires_grad": True, "training": training}
    name, theirs = info.module_cls.__name__, info.module_cls
    both = theirs, getattr(minigrad.nn, name)
    torch.manual_seed(3)
    found = answer(info.module_inputs_func, (info,), settings)
    found = spread([each for each in found if each.forward_input is not None])
    if info.module_error_inputs_func is not None:
        found += [each.module_error_input for each in info.module_error_inputs_func(info, **settings)]
    for each in found:
        given, call = each.constructor_input, each.forward_input
        call = ((), {}) if call is None else (call.args, call.kwargs)
        variants = [given.kwargs]
        if "inplace" in inspect.signature(theirs).parameters:
            variants.append(given.kwargs | {"inplace": True})
        for kwargs in variants:
            with contextlib.suppress(Foreign):
                arguments = (given.args, kwargs), (ours(given.args, {}), ours(kwargs, {}))
                yield case(name, both, arguments, call, writes=kwargs is not given.kwargs)


INFOS = {
    info.name.removeprefix("nn."): info
    for info in module_db
    if info.name.startswith("nn.") and isinstance(vars(minigrad.nn).get(info.name[3:]), type)
}


@pytest.mark.slow
@pytest.mark.parametrize("name", INFOS)
def test_a_module_of_torchs_table_does_what_it_does_in_torch(name: str) -> None:
    info = INFOS[name]
    assert compared(
        (each, dtype, training)
        for dtype in (torch.float64, torch.float32)
        for training in (True, False)
        for each in of_table(info, dtype, training)
    )


def test_modules_are_of_the_kinds_that_they_are_of_in_torch() -> None:
    """isinstance(module, nn.Dropout) and the like, by which programs find modules."""
    names = [name for name in minigrad.nn.__all__ if isinstance(getattr(minigrad.nn, name), type)]
    kinds = {
        engine: {(a, b) for a in names for b in names if issubclass(getattr(engine.nn, a), getattr(engine.nn, b))}
        for engine in (torch, minigrad)
    }
    assert kinds[minigrad] == kinds[torch]


# ------------------------------------------------------------------ the older table


def gaps(value: Any) -> Any:
    """A tensor with gaps between its elements."""
    if not isinstance(value, torch.Tensor) or not value.dim():
        return value
    wide = torch.stack([torch.zeros_like(value), value.detach()], -1)
    return wide.select(-1, 1).requires_grad_(value.requires_grad)


def of_older_table(row: dict[str, Any], criterion: bool) -> Iterator[Case]:
    """The cases of a row: its input as it is and with gaps. None of a function: op_db has those."""
    row = dict(row)
    name = row.pop("module_name", None)
    row["constructor"] = getattr(torch.nn, name) if name else row["constructor"]
    torch.manual_seed(3)
    test = (CriterionTest if criterion else NewModuleTest)(**row)
    module = type(answer(row["constructor"], test.constructor_args, {})).__name__
    if not isinstance(vars(minigrad.nn).get(module), type) or test.fullname in APART:
        return
    mine = getattr(minigrad.nn, name) if name else for_minigrad(row["constructor"])
    given = (test.constructor_args, {}), (ours(test.constructor_args, {}), {})
    args = listed(test._get_input())
    args = [t.detach().clone().requires_grad_() if t.is_floating_point() else t for t in args]
    args += [*listed(test._get_target()), *test.extra_args] if criterion else []
    for call in (args, list(map(gaps, args))):
        with contextlib.suppress(Foreign):
            yield case(name or test.fullname, (row["constructor"], mine), given, (tuple(call), {}))


def listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


OLDER = [(row, False) for row in [*module_tests, *get_new_module_tests()]] + [(row, True) for row in criterion_tests]


@pytest.mark.parametrize("part", range(4))
def test_modules_of_torchs_older_table_do_what_they_do_in_torch(part: int) -> None:
    torch.set_default_dtype(torch.float64)
    minigrad.set_default_dtype(minigrad.float64)
    try:
        assert compared(
            (each, torch.float64, True) for row, criterion in OLDER[part::4] for each in of_older_table(row, criterion)
        )
    finally:
        torch.set_default_dtype(torch.float32)
        minigrad.set_default_dtype(minigrad.float32)


# ------------------------------------------------------------------ what is compared


def compared(cases: Iterator[tuple[Case, Any, bool]]) -> int:
    """How many cases there are; AssertionError for those that differ."""
    found, count = [], 0
    for each, dtype, training in cases:
        count += 1
        if bad := unlike_modules(each, dtype, training):
            found.append(f"{each.text} {dtype} {'training' if training else 'evaluation'}\n{bad}")
    assert not found, "\n\n".join(found)
    return count


def unlike_modules(case: Case, dtype: Any, training: bool) -> str:
    """What differs first of a case, from construction to second gradients; '' where nothing does."""
    (theirs, said), (mine, also) = (heard(make, (), {}) for make in case.made)
    if bad := unlike_words(said, also) or difference(theirs, mine):  # of modules how they print
        return bad
    if isinstance(theirs, str):
        return ""
    if bad := unlike_insides(theirs, mine):
        return bad
    mine.to(DTYPES[dtype]).train(training).load_state_dict(theirs.to(dtype).train(training).state_dict())
    results = []
    for engine, module, (args, kwargs) in zip((torch, minigrad), (theirs, mine), case.called, strict=True):
        engine.manual_seed(1)
        results.append(heard(module, tuple(map(copied, args)) if case.writes else args, kwargs))
    (out, said), (out_too, also) = results
    if bad := unlike_words(said, also) or difference(out, out_too) or unlike_tensors(theirs, mine):
        return bad
    if not any(t.requires_grad for t in tensors(out)):
        return ""
    leaves = [leaves + list(module.parameters()) for leaves, module in zip(case.leaves, (theirs, mine), strict=True)]
    asked = list(zip((torch, minigrad), (out, out_too), leaves, strict=True))
    if dtype is torch.float32 and type(theirs).__name__ in LONG_SUMS:
        return ""
    if bad := unlike(*[gradients(*each, retain_graph=True) for each in asked]):
        return bad
    recorded = [gradients(*each, create_graph=True) for each in asked] if dtype is torch.float64 else []
    return unlike_seconds(recorded, leaves) if recorded else ""


def unlike_words(theirs: list[str], mine: list[str]) -> str:
    """How warnings differ."""
    theirs = [words for words in theirs if not INTERNAL.search(words)]
    return "" if theirs == mine else f"torch warns: {theirs}\nminigrad: {mine}"


def unlike_insides(theirs: Any, mine: Any) -> str:
    """How new modules differ in their attributes, in their parts' names, in what their state says and in what was drawn."""
    for what in (
        lambda module: {name: plain(value) for name, value in vars(module).items() if not name.startswith("_")},
        lambda module: [name for name, _ in module.named_parameters()],
        lambda module: [name for name, _ in module.named_modules()],
        lambda module: list(module.state_dict()),
        lambda module: dict(module.state_dict()._metadata),
    ):
        if what(theirs) != what(mine):
            return f"torch's module has {what(theirs)}\nminigrad's: {what(mine)}"
    return unlike_tensors(theirs, mine)


def plain(value: Any) -> str:
    """An attribute that is a number, a word or several; of others only that it is there."""
    return repr(value) if isinstance(value, int | float | str | tuple | None) else "…"


def unlike_tensors(theirs: Any, mine: Any) -> str:
    """How the values of two states differ."""
    state = mine.state_dict()
    each = ((name, difference(tensor, state[name])) for name, tensor in theirs.state_dict().items())
    return next((f"{name}: {bad}" for name, bad in each if bad), "")


def unlike_seconds(first: list[Any], leaves: list[list[Any]]) -> str:
    """How the gradients of gradients differ."""
    theirs, mine = (seconds(*each) for each in zip((torch, minigrad), first, leaves, strict=True))
    if isinstance(theirs, str) or isinstance(mine, str):
        return "" if UNDERIVED.search(str(theirs)) else difference(theirs, mine)
    bad = next((bad for a, b in zip(theirs, mine, strict=True) if (bad := apart(a, b))), "")
    return f"second gradient: {bad}" if bad else ""


def seconds(engine: Any, first: Any, leaves: list[Any]) -> Any:
    """The gradients of gradients, weighed with numbers drawn once; zeros where the leaves have no part in those."""
    if isinstance(first, str):
        return first
    rng = numpy.random.default_rng(8)
    there = [grad for grad in first if grad is not None]
    total = sum((grad * engine.tensor(rng.standard_normal(tuple(grad.shape))).to(grad.dtype)).sum() for grad in there)
    nothing = [None] * len(leaves)
    found = answer(engine.autograd.grad, (total, leaves), {"allow_unused": True}) if total.requires_grad else nothing
    if isinstance(found, str):
        return found
    return [engine.zeros_like(leaf) if grad is None else grad for leaf, grad in zip(leaves, found, strict=True)]
