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
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from operator import attrgetter
from typing import Any, NamedTuple

import pytest
import torch
from torch_tables import Foreign, answer, copied, difference, gradients, op_db, ours, tensors, told, unlike

import minigrad

MOST = {torch.float64: 25, torch.int64: 8, torch.bool: 8, torch.float16: 8}  # samples of one operation

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
        "minigrad is given copies of parts, which have a storage of their own": "as_strided/partial_views",
        "the table calls it in a way of its own": "einsum bool double float half int long short zero_ "
        "nn.functional.embedding where linalg.pinv/singular",
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
    r"^nn\.functional\.conv3d: bool": "both refuse; torch's kernels for volumes have other names",
    r"^aminmax: float32\[5, 0, 5\] dim=1": "both refuse; torch's words lack two brackets here, elsewhere they do not",
    r"^masked_scatter: float64\[5\] bool\[5, 5\]": "both refuse; torch says so of expand",
    r"^(rand_like|randn_like|bernoulli): int64\[0": "torch refuses whole numbers where there is something to draw",
    r"^linalg\.(matrix_)?norm: float64.* ('nuc'|-?2(\.0)?) ": "minigrad has no norms made of singular values",
    r"^linalg\.eigh: .* UPLO='U'": "the signs of eigenvectors are left open; here LAPACK's implementations choose other ones",
    r"^nn\.functional\.bilinear: bool": "both refuse bools; torch has one word for products of batches, one for others",
    r"^polygamma: ": "the table's function takes its arguments the other way round than torch's",
    r"^dist: .*(int64|bool)": "both refuse; torch says so of the norm that it calls",
}


class Sample(NamedTuple):
    """A call on both engines: the arguments for each, and the leaves among them, in one order."""

    text: str
    theirs: tuple[Any, dict[str, Any]]
    ours: tuple[Any, dict[str, Any]]
    leaves: tuple[list[Any], list[Any]]


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
