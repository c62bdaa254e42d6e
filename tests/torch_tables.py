"""What the tests on torch's own tables share: an argument for the other engine, and what two results differ in.

The tables are those by which torch tests itself; they come with it (torch.testing._internal). Which of their rows are run,
and what is left out, is said where they are.
"""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import torch

import minigrad

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch.testing._internal import common_methods_invocations
# It has switched off what other tests of torch's own loading of states need.
torch.backends.disable_global_flags.__globals__["__allow_nonbracketed_mutation_flag"] = True

op_db = common_methods_invocations.op_db
DTYPES = {getattr(torch, d.name): d for d in minigrad.dtypes.ALL}
CLOSE = {"float64": 1e-9, "float32": 1e-5, "float16": 1e-2}


class Foreign(Exception):
    """An argument that minigrad has no word for: complex numbers, sparse tensors, memory formats."""


def ours(value: Any, known: dict[int, Any]) -> Any:
    """The same argument for minigrad, on the same memory; what is one tensor in two places stays one."""
    if isinstance(value, torch.Tensor):
        if value.dtype not in DTYPES or value.layout is not torch.strided or value.is_conj() or value.is_neg():
            raise Foreign
        if id(value) not in known:
            mine = minigrad.from_numpy(value.numpy(force=True))
            mine = minigrad.nn.Parameter(mine) if isinstance(value, torch.nn.Parameter) else mine
            known[id(value)] = mine.requires_grad_(value.requires_grad)
        return known[id(value)]
    if callable(value) and getattr(torch.nn.functional, getattr(value, "__name__", ""), None) is value:
        return getattr(minigrad.nn.functional, value.__name__)
    if isinstance(value, torch.dtype):
        if value not in DTYPES:
            raise Foreign
        return DTYPES[value]
    if isinstance(value, complex | torch.layout | torch.memory_format | torch.Generator):
        raise Foreign
    if isinstance(value, torch.device):
        return minigrad.device(str(value))
    if isinstance(value, list | tuple):
        return type(value)([ours(each, known) for each in value])
    return {name: ours(each, known) for name, each in value.items()} if isinstance(value, dict) else value


def for_minigrad(function: Any) -> Any:
    """A function of a table that builds a module or a schedule, to build minigrad's."""
    plans = {name: getattr(minigrad.optim.lr_scheduler, name) for name in minigrad.optim.lr_scheduler.__all__}
    names = function.__globals__ | plans | {"torch": minigrad, "nn": minigrad.nn, "F": minigrad.nn.functional}
    mine = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    mine.__kwdefaults__ = function.__kwdefaults__
    return mine


def tensors(value: Any) -> list[Any]:
    """All tensors of an argument or a result, in order."""
    if isinstance(value, torch.Tensor | minigrad.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [tensor for each in value for tensor in tensors(each)] if isinstance(value, list | tuple) else []


def told(value: Any) -> str:
    """An argument in few words."""
    if isinstance(value, torch.Tensor):
        return f"{value.dtype}{list(value.shape)}".removeprefix("torch.")
    return f"({' '.join(map(told, value))})" if isinstance(value, list | tuple) else repr(value)[:40]


def heard(call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, list[str]]:
    """What a call gives, of an error its class and the first line of its words; and what it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = call(*args, **kwargs)
        except Exception as error:
            result = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}".replace("minigrad", "torch")
    said = [f"{each.category.__name__}: {each.message}".replace("minigrad", "torch") for each in caught]
    return result, [words for words in said if "encountered in" not in words]  # NumPy's own, which filters never show


def answer(call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a call gives, whatever it warns of."""
    return heard(call, args, kwargs)[0]


def difference(theirs: Any, ours: Any) -> str:
    """What two results differ in, '' where they are the same."""
    if isinstance(theirs, str) or isinstance(ours, str) or not tensors(theirs):
        return "" if str(theirs) == str(ours).replace("minigrad", "torch") else f"torch: {theirs}\nminigrad: {ours}"
    if len(tensors(theirs)) != len(tensors(ours)):
        return f"{len(tensors(ours))} results instead of {len(tensors(theirs))}"
    for a, b in zip(tensors(theirs), tensors(ours), strict=True):
        for what in ("dtype", "shape", "requires_grad", "grad_fn"):
            one, other = (getattr(each, what) for each in (a, b))
            one, other = (each.name() if hasattr(each, "next_functions") else str(each) for each in (one, other))
            if one != other.replace("minigrad", "torch"):
                return f"{what} {other} instead of {one}"
        if bad := apart(a, b):
            return bad
    return ""


def apart(theirs: Any, ours: Any) -> str:
    """How values differ by more than their dtype's rounding."""
    one, other = (each.numpy(force=True) for each in (theirs, ours))
    close = CLOSE.get(one.dtype.name, 0)
    with numpy.errstate(all="ignore"):
        same = numpy.allclose(one.astype("f8"), other.astype("f8"), rtol=close, atol=close, equal_nan=True)
    return "" if same else f"torch: {theirs}\nminigrad: {ours}"


def gradients(engine: Any, result: Any, leaves: list[Any], **how: Any) -> Any:
    """Of all results, weighed with numbers drawn once, for all leaves."""
    rng = numpy.random.default_rng(7)
    wanted = [t for t in tensors(result) if t.requires_grad]
    weights = [engine.tensor(rng.standard_normal(tuple(t.shape))).to(t.dtype) for t in wanted]
    return answer(engine.autograd.grad, (wanted, leaves, weights), {"allow_unused": True} | how)


def copied(value: Any) -> Any:
    """A copy with the history of what it was made of; what is no tensor as it is."""
    return value.clone() if isinstance(value, torch.Tensor | minigrad.Tensor) else value


def unlike(theirs: Any, ours: Any) -> str:
    """How gradients differ: as results do, but for None where there is none."""
    if isinstance(theirs, str) or isinstance(ours, str):
        return difference(theirs, ours)
    for a, b in zip(theirs, ours, strict=True):
        if (a is None) != (b is None):
            return f"gradient of torch: {a}\nminigrad: {b}"
        if a is not None and (bad := difference(a, b)):
            return f"gradient: {bad}"
    return ""
