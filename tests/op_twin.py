"""Runs one call of one operation on torch and on minigrad and says in what they differ.

A call is a row of the case tables in one form (function, method, in place, operator) on one world (sizes, dtypes and
layout of the samples). It knows nothing of which rows there are.
"""

from __future__ import annotations

import functools
import math
import operator
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from cases import SAMPLES, SIZES, Sample
from twin import first_sentence

import minigrad

# As exact as the dtype; half precision is rounded at other places in torch's kernels.
CLOSE = {"float64": (1e-9, 1e-10), "float32": (2e-5, 2e-6), "float16": (8e-3, 4e-3)}


class World(NamedTuple):
    """What the samples are like."""

    dtype: str = "float64"  # of the float samples
    first: str | None = None  # of the first one, if it is to differ
    sizes: Mapping[str, int] = SIZES
    dims: tuple[str | None, ...] = ()  # of the first, second, … sample named, instead of its own
    layout: str = "plain"
    grad: bool = True
    only: int | None = None  # which one of the float samples wants a gradient, counted as the row names them; None: all
    steep: bool = False  # whether every second element of the gradients that are sent back is infinite
    device: str = "cpu"


FORMS = ("function", "method", "in place", "functional", "linalg", "operator")
# Where the functions of a form are.
HOMES: dict[str, Any] = {
    "function": getattr,
    "functional": lambda engine, name: getattr(engine.nn.functional, name),
    "linalg": lambda engine, name: getattr(engine.linalg, name),
}


class Call(NamedTuple):
    """A row of a table in one form."""

    name: str
    form: str
    arguments: str

    def __str__(self) -> str:
        if self.form == "operator":
            return f"operator.{self.name}({self.arguments})"
        if self.form == "functional":
            return f"F.{self.name}({self.arguments})"
        if self.form == "linalg":
            return f"linalg.{self.name}({self.arguments})"
        if self.form == "function":
            return f"T.{self.name}({self.arguments})"
        first, _, rest = self.arguments.partition(", ")
        return f"({first}).{self.name}{'_' * (self.form == 'in place')}({rest})"


# ------------------------------------------------------------------ samples


def array_of(sample: Sample, dims: str, dtype: str, world: World) -> np.ndarray:
    """The values of a sample in one world."""
    shape = [world.sizes[d] for d in dims]
    values = np.resize(np.array(sample.values), math.prod(shape)).reshape(shape)
    if dtype != "bool" and sample.kind == "float" and not dtype.startswith("float"):
        values = np.nan_to_num(values, nan=3, posinf=7, neginf=-7).astype("int64")
    array = np.asarray(values.astype(dtype))
    if world.layout == "transposed":
        return np.asfortranarray(array)
    if world.layout == "strided":
        room = np.zeros([2 * n for n in shape], dtype)
        room[tuple(slice(None, None, 2) for _ in shape)] = array
        return room[(*(slice(None, None, 2) for _ in shape), ...)]
    return array


class Samples(dict[str, Any]):
    """The samples as one engine's tensors, made when a row names them."""

    def __init__(self, engine: Any, world: World) -> None:
        super().__init__(T=engine, N=np, _=lambda *args, **kwargs: (args, kwargs))
        self.engine, self.world = engine, world
        self.leaves: list[Any] = []
        self.arrays: list[np.ndarray] = []
        self.floats = self.named = 0

    def __missing__(self, name: str) -> Any:
        sample = SAMPLES[name]
        world, dtype = self.world, {"int": "int64", "bool": "bool"}.get(sample.kind, self.world.dtype)
        if sample.kind == "float":
            dtype = world.first if world.first and not self.floats else dtype
            self.floats += 1
        dims = sample.dims
        if self.named < len(world.dims) and world.dims[self.named] is not None:
            dims = world.dims[self.named] or ""
        self.named += 1
        array = array_of(sample, dims, dtype, world)
        self.arrays.append(array)
        tensor = self[name] = self.engine.from_numpy(array).to(world.device)
        if world.grad and dtype.startswith("float") and world.only in (None, self.floats - 1):
            tensor.requires_grad_()
            self.leaves.append(tensor)
        return tensor


@functools.cache
def compiled(arguments: str) -> Any:
    """The arguments of a row, ready to be evaluated over samples."""
    return compile(f"_({arguments})", arguments, "eval")


# ------------------------------------------------------------------ running


class Outcome(NamedTuple):
    """What one engine did."""

    error: str | None
    outputs: list[Any]  # tensors and plain values, in order
    samples: Samples
    kept: bool = True  # in place: the tensor itself came back


def error_text(error: Exception) -> str:
    """Class and first sentence."""
    return f"{type(error).__name__}: {first_sentence(str(error))}"


def flat(value: Any) -> list[Any]:
    """The leaves of nested tuples and lists."""
    return [leaf for one in value for leaf in flat(one)] if isinstance(value, tuple | list) else [value]


def run(engine: Any, call: Call, world: World) -> Outcome:
    """Call the operation on one engine."""
    samples = Samples(engine, world)
    engine.default_generator.manual_seed(0)  # torch.manual_seed seeds GPUs too, and is a hundred times slower
    try:
        args, kwargs = eval(compiled(call.arguments), {}, samples)
        return perform(engine, call, args, kwargs, samples)
    except Exception as error:  # whatever it is, the other engine has to raise the same
        return Outcome(error_text(error), [], samples)


def perform(engine: Any, call: Call, args: tuple[Any, ...], kwargs: dict[str, Any], samples: Samples) -> Outcome:
    """The call itself, in its form."""
    if call.form == "operator":
        result = getattr(operator, call.name)(*args)
        return Outcome(None, flat(args[0] if call.name == "setitem" else result), samples)
    if call.form in HOMES:
        return Outcome(None, flat(HOMES[call.form](engine, call.name)(*args, **kwargs)), samples)
    if call.form == "method":
        return Outcome(None, flat(getattr(args[0], call.name)(*args[1:], **kwargs)), samples)
    target = args[0] * 1 if args[0].requires_grad else args[0].clone()
    result = getattr(target, call.name + "_")(*args[1:], **kwargs)
    return Outcome(None, [result, target._version], samples, result is target)


# ------------------------------------------------------------------ comparing


def differences(call: Call, world: World, second: bool = False, words: bool = True) -> Iterator[str]:
    """In what the two engines differ on a call: at most one sentence, the first that shows.

    second: with second gradients. words: errors agree to their first sentence; else only in their class.
    """
    expected, got = run(torch, call, world), run(minigrad, call, world)
    yield from compare(expected, got, second, words)


def kind(error: str | None) -> str | None:
    """The class of an error."""
    return error and error.partition(":")[0]


def compare(expected: Outcome, got: Outcome, second: bool, words: bool = True) -> Iterator[str]:
    """In what two outcomes differ."""
    if expected.error != got.error and (words or kind(expected.error) != kind(got.error)):
        yield f"error: torch {expected.error}, minigrad {got.error}"
        return
    if expected.error:
        return
    if expected.kept != got.kept or len(expected.outputs) != len(got.outputs):
        yield f"outputs: torch {len(expected.outputs)}, minigrad {len(got.outputs)}"
        return
    for ours, theirs in zip(got.outputs, expected.outputs, strict=True):
        fault = output_fault(ours, theirs, got.samples.arrays, expected.samples.arrays)
        if fault:
            yield fault
            return
    yield from gradient_faults(expected, got, second, words)


def output_fault(ours: Any, theirs: Any, our_arrays: list[Any], their_arrays: list[Any]) -> str | None:
    """In what one output differs: kind, dtype, shape, values, history, layout, whose memory it shares."""
    if not isinstance(theirs, torch.Tensor):
        return None if str(ours).removeprefix("minigrad.") == str(theirs) else f"torch {theirs!r}, minigrad {ours!r}"
    if not isinstance(ours, minigrad.Tensor):
        return f"torch a tensor, minigrad {ours!r}"
    if fault := value_fault(ours, theirs):
        return fault
    if ours.requires_grad != theirs.requires_grad:
        return f"requires_grad: torch {theirs.requires_grad}"
    if (a := graph(theirs.grad_fn)) != (b := graph(ours.grad_fn)):
        return f"graph: torch {a}, minigrad {b}"
    if fault := layout_fault(ours, theirs):
        return fault
    mine, its = ours.detach().numpy(force=True), theirs.detach().numpy(force=True)
    shared = (
        [np.may_share_memory(mine, array) for array in our_arrays],
        [np.may_share_memory(its, array) for array in their_arrays],
    )
    return None if shared[0] == shared[1] else f"memory shared with the arguments: torch {shared[1]}"


def layout_fault(ours: Any, theirs: Any) -> str | None:
    """Whether view() would be refused here and not in torch."""
    differ = theirs.is_contiguous() and not ours.is_contiguous()
    return f"strides: torch {theirs.stride()}, minigrad {ours.stride()}" if differ else None


ALIKE: dict[
    int, tuple[Any, Any]
] = {}  # the tuples by which tensors know that they are of one shape and dtype, and that


def alike_fault(ours: Any) -> str | None:
    """Whether a tensor is taken for one of another shape or dtype than it has (Tensor._alike)."""
    if ours._alike is None:
        return None
    shape, dtype = ALIKE.setdefault(id(ours._alike), (ours._alike, ours.dtype))
    fits = shape == ours.shape and dtype is ours.dtype
    return None if fits else f"taken for {shape} {dtype}, which it is not: {tuple(ours.shape)} {ours.dtype}"


def value_fault(ours: Any, theirs: Any) -> str | None:
    """In what the dtype, the shape, the device or the values differ."""
    if fault := alike_fault(ours):
        return fault
    if str(ours.dtype) != str(theirs.dtype):
        return f"dtype: torch {theirs.dtype}, minigrad {ours.dtype}"
    if tuple(ours.shape) != tuple(theirs.shape):
        return f"shape: torch {tuple(theirs.shape)}, minigrad {tuple(ours.shape)}"
    if str(ours.device) != str(theirs.device):
        return f"device: torch {theirs.device}, minigrad {ours.device}"
    mine, its = ours.detach().numpy(force=True), theirs.detach().numpy(force=True)
    if mine.dtype.kind != "f":
        same = np.array_equal(mine, its)
    else:
        rtol, atol = CLOSE[mine.dtype.name]
        same = np.allclose(mine, its, rtol, atol, equal_nan=True)
    return None if same else f"values: torch {its.tolist()}, minigrad {mine.tolist()}"


def graph(node: Any, depth: int = 6) -> str:
    """A node with its next functions, written out."""
    if node is None:
        return "-"
    name = node.name().removeprefix("torch::autograd::")
    inner = [graph(to, depth - 1) + f":{number}" * bool(number) for to, number in node.next_functions] if depth else []
    return f"{name}({', '.join(inner)})" if inner else name


def weights(shape: Any, dtype: Any, steep: bool = False) -> np.ndarray:
    """A gradient to send back: no two elements alike; if steep, every second one infinite."""
    values = np.cos(np.arange(math.prod(shape)) * 1.3 + 0.4)
    values[1::2] = np.inf if steep else values[1::2]
    return np.asarray(values.reshape(tuple(shape)), dtype)


def gradients(
    engine: Any, outputs: list[Any], leaves: list[Any], second: bool, steep: bool = False
) -> tuple[str | None, list[Any]]:
    """The gradients of all outputs for all leaves, and with `second` the gradients of those."""
    outputs = [o for o in outputs if isinstance(o, engine.Tensor) and o.requires_grad]
    if not outputs:
        return None, []
    kinds = [str(o.dtype)[str(o.dtype).index(".") + 1 :] for o in outputs]
    made = [engine.from_numpy(weights(o.shape, kind, steep)) for o, kind in zip(outputs, kinds, strict=True)]
    grads = [grad.to(o.device) for grad, o in zip(made, outputs, strict=True)]
    try:
        if not second:
            return None, list(engine.autograd.grad(outputs, leaves, grads, allow_unused=True))
        grads = [g.requires_grad_() for g in grads]
        first = engine.autograd.grad(outputs, leaves, grads, create_graph=True, allow_unused=True)
        wanted = [*leaves, *grads]
        error, again = gradients(engine, [g for g in first if g is not None], wanted, False)
        return error, [*first, *(again or [None] * len(wanted))]
    except Exception as error:
        return error_text(error), []


def gradient_faults(expected: Outcome, got: Outcome, second: bool, words: bool) -> Iterator[str]:
    """In what the gradients differ."""
    steep = expected.samples.world.steep
    their_error, theirs = gradients(torch, expected.outputs, expected.samples.leaves, second, steep)
    our_error, ours = gradients(minigrad, got.outputs, got.samples.leaves, second, steep)
    if their_error != our_error and (words or kind(their_error) != kind(our_error)):
        yield f"backward: torch {their_error}, minigrad {our_error}"
    if their_error or our_error:
        return
    for index, (mine, its) in enumerate(zip(ours, theirs, strict=True)):
        which = "gradient" if index < len(expected.samples.leaves) else "second gradient"
        if (mine is None) != (its is None):
            yield f"{which} {index}: torch {its}, minigrad {mine}"
            return
        if its is not None and (fault := value_fault(mine, its) or layout_fault(mine, its)):
            yield f"{which} {index}: {fault}"
            return


# ------------------------------------------------------------------ wrong arguments

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def spoiled(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[str, Arguments]]:
    """Good arguments made wrong in the ways learners make them wrong."""
    yield "no arguments", ((), {})
    yield "the first only", (args[:1], {})
    yield "an unknown keyword", (args, {**kwargs, "nonsense": 1})
    yield "one too many", ((*args, 1), kwargs)
    for i in range(len(args)):
        for what in ("a", None, 1.5):
            yield f"{what!r} in place {i}", ((*args[:i], what, *args[i + 1 :]), kwargs)
    for key in kwargs:
        yield f"'a' as {key}", (args, {**kwargs, key: "a"})


def spoiled_with_out(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[str, Arguments]]:
    """The spoiled calls, and some with `out`, which not every function takes and no method."""
    yield from spoiled(args, kwargs)
    for out in (None, "a"):
        yield f"out={out!r}", (args, {**kwargs, "out": out})


def argument_faults(call: Call) -> Iterator[tuple[str, str]]:
    """What was made wrong, and in what the two engines differ on arguments of the wrong kind or number."""
    world = World(grad=False)
    good: list[tuple[Samples, Arguments]] = []
    for engine in (torch, minigrad):
        samples = Samples(engine, world)
        good.append((samples, eval(compiled(call.arguments), {}, samples)))
    (theirs, their_good), (ours, our_good) = good
    choices = spoiled if call.form == "functional" else spoiled_with_out
    for (what, bad), (_, our_bad) in zip(choices(*their_good), choices(*our_good), strict=True):
        if call.form not in HOMES and not isinstance(bad[0][:1], tuple):
            continue
        if call.form in ("method", "in place") and (not bad[0] or not isinstance(bad[0][0], torch.Tensor)):
            continue
        expected, got = attempt(torch, call, bad, theirs), attempt(minigrad, call, our_bad, ours)
        yield from ((what, fault) for fault in compare(expected, got, False, words=False))


def attempt(engine: Any, call: Call, arguments: Arguments, samples: Samples) -> Outcome:
    """A call with arguments that are likely to be wrong; what it draws, both engines draw."""
    engine.default_generator.manual_seed(0)
    try:
        return perform(engine, call, *arguments, samples)
    except Exception as error:
        return Outcome(re.sub(r"minigrad\.", "torch.", error_text(error)), [], samples)
