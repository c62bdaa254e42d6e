"""torch's own sample inputs give on minigrad what they give on torch.

torch tests its operations on a table of sample inputs, made by those who wrote them (op_db). It comes with the installed
torch; here every operation that minigrad has, too, runs on its samples on both engines: values, shapes, dtypes, graph
nodes, gradients and refusals. Known differences stand in BEYOND, of single samples or of whole operations.
"""

from __future__ import annotations

import contextlib
import itertools
import re
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from operator import attrgetter
from typing import Any, NamedTuple

import numpy
import pytest
import torch

import minigrad

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_methods_invocations import op_db
# It has switched off what other tests of torch's own loading of states need.
torch.backends.disable_global_flags.__globals__["__allow_nonbracketed_mutation_flag"] = True

MOST = {torch.float64: 25, torch.int64: 8, torch.bool: 8, torch.float16: 8}  # samples of one operation
DTYPES = {getattr(torch, d.name): d for d in minigrad.dtypes.ALL}
CLOSE = {"float64": 1e-9, "float32": 1e-5, "float16": 1e-2}

# Operations (by name, or name/variant) with samples that cannot be compared
APART = {
    name: why
    for why, names in {
        "torch's table draws its random numbers from a seed of its own": "normal normal/in_place normal/number_mean "
        "rand_like randn randn_like randint randint_like bernoulli multinomial nn.functional.dropout nn.functional.dropout2d "
        "uniform exponential",
        "what memory held before": "empty empty_like new_empty",
        "minigrad's interpolate has three modes": "nn.functional.interpolate/nearest nn.functional.interpolate/area "
        "nn.functional.interpolate/nearest-exact nn.functional.interpolate/bicubic nn.functional.interpolate/trilinear",
        "minigrad has no nuclear norm": "norm/nuc",
        "the table calls it in a way of its own": "einsum bool double float half int long short zero_ "
        "nn.functional.embedding where",
    }.items()
    for name in names.split()
}
# Other samples, by a pattern of "name: arguments"
BEYOND = {
    r"dropout_p=0\.5": "drawn from a seed of the table's own",
    r"^nn\.functional\.multi_head_attention_forward: .* False 0\.5 ": "and this",
    r"out=": "how a result is written elsewhere is tested for all operations alike",
    r"^(sort|argsort): .*\[8000\]": "which of equal elements comes first is left open",
    r"^(bucketize|searchsorted|matmul|mm|nn\.functional\.linear): bool": "torch refuses bools where there is something",
    r"^nn\.functional\.adaptive_avg_pool1d: (int64|bool)\[0": "and whole numbers",
    r"^nn\.functional\.scaled_dot_product_attention: (int64|bool)": "both refuse, or minigrad lets whole numbers attend",
    r"^__rmatmul__: bool\[0": "as matmul",
    r"^nn\.functional\.conv2d: .* padding='same'": "both refuse; torch looks at the dimensions first",
    r"^aminmax: float32\[5, 0, 5\] dim=1": "both refuse; torch's words lack two brackets here, elsewhere they do not",
    r"^masked_scatter: float64\[5\] bool\[5, 5\]": "both refuse; torch says so of expand",
    r"^(rand_like|randn_like|bernoulli): int64\[0": "torch refuses whole numbers where there is something to draw",
    r"^dist: .*(int64|bool)": "both refuse; torch says so of the norm that it calls",
}


class Sample(NamedTuple):
    """A call on both engines: the arguments for each, and the leaves among them, in one order."""

    text: str
    theirs: tuple[Any, dict[str, Any]]
    ours: tuple[Any, dict[str, Any]]
    leaves: tuple[list[Any], list[Any]]


class Foreign(Exception):
    """An argument that minigrad has no word for: complex numbers, sparse tensors, memory formats."""


def ours(value: Any, known: dict[int, Any]) -> Any:
    """The same argument for minigrad, on the same memory; what is one tensor in two places stays one."""
    if isinstance(value, torch.Tensor):
        if value.dtype not in DTYPES or value.layout is not torch.strided or value.is_conj() or value.is_neg():
            raise Foreign
        if id(value) not in known:
            known[id(value)] = minigrad.from_numpy(value.numpy(force=True))
            known[id(value)].requires_grad_(value.requires_grad)
        return known[id(value)]
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


def samples(op: Any) -> Iterator[Sample]:
    """The table's inputs for one operation, and those that it must refuse."""
    found = []
    for dtype, most in MOST.items():
        differentiable = dtype is torch.float64 and op.supports_autograd
        if dtype in op.dtypes or dtype in (torch.int64, torch.bool):
            with warnings.catch_warnings(), contextlib.suppress(Exception):  # not every entry can make every dtype
                warnings.simplefilter("ignore")
                found += list(itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=differentiable), most))
    if op.error_inputs_func is not None:
        found += [each.sample_input for each in op.error_inputs("cpu")]
    for sample in found:
        args, known = (sample.input, *sample.args), {}
        with contextlib.suppress(Foreign, TypeError, ValueError):  # ValueError: more dimensions than NumPy has
            theirs, mine = (args, sample.kwargs), (ours(args, known), ours(sample.kwargs, known))
            leaves = [t for t in tensors(args) + tensors(sample.kwargs) if t.requires_grad]
            text = " ".join([*map(told, args), *(f"{name}={told(value)}" for name, value in sample.kwargs.items())])
            if op.name.startswith("__r") and not isinstance(sample.input, torch.Tensor):
                continue  # what Python asks of a tensor it asks of no number
            yield Sample(f"{op.name}: {text}", theirs, mine, (leaves, [known[id(leaf)] for leaf in leaves]))


def answer(call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a call gives; of an error its class and the first line of its words."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call(*args, **kwargs)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}".replace("minigrad", "torch")


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


def gradients(engine: Any, result: Any, leaves: list[Any]) -> Any:
    """Of all results, weighed with numbers drawn once, for all leaves."""
    rng = numpy.random.default_rng(7)
    wanted = [t for t in tensors(result) if t.requires_grad]
    weights = [engine.tensor(rng.standard_normal(tuple(t.shape))).to(t.dtype) for t in wanted]
    return answer(engine.autograd.grad, (wanted, leaves, weights), {"allow_unused": True})


def place(path: str) -> Any:
    """The function of that name, or None."""
    with contextlib.suppress(AttributeError):
        return attrgetter(path)(minigrad)
    return None


def variants(op: Any) -> list[tuple[Any, Any, bool]]:
    """(torch's, minigrad's, in place?): as a function, as a method, and as the method that writes."""
    method, written = (getattr(minigrad.Tensor, op.name + end, None) for end in ("", "_"))
    rows = [(op.op, place(op.name), False), (op.method_variant, method, False), (op.inplace_variant, written, True)]
    return [row for row in rows if None not in row]


def named(op: Any) -> str:
    return op.name + (f"/{op.variant_test_name}" if op.variant_test_name else "")


BOTH = {named(op): op for op in op_db if variants(op) and named(op) not in APART}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOTH)
def test_torchs_samples_give_what_they_give_in_torch(name: str) -> None:
    op, found = BOTH[name], []
    with ThreadPoolExecutor(1) as thread:  # torch writes the stack down again and again, and pytest's is deep
        drawn = thread.submit(lambda: list(samples(op))).result()
    for sample in drawn:
        if any(re.search(pattern, sample.text) for pattern in BEYOND):
            continue
        (a, more), (b, rest) = sample.theirs, sample.ours
        method = isinstance(a[0], torch.Tensor) and a[0].dtype is torch.float64
        for theirs, mine, writes in variants(op) if method else variants(op)[:1]:
            if writes:  # to a copy, for a leaf cannot be written to
                a, b = (*map(copied, a[:1]), *a[1:]), (*map(copied, b[:1]), *b[1:])
            one, other = answer(theirs, a, more), answer(mine, b, rest)
            bad = difference(one, other)
            if not bad and any(t.requires_grad for t in tensors(one)):
                bad = unlike(
                    *[gradients(*each) for each in zip((torch, minigrad), (one, other), sample.leaves, strict=True)]
                )
            if bad:
                found.append(f"{sample.text}{' (in place)' if writes else ''}\n{bad}")
    assert not found, "\n\n".join(found)


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
