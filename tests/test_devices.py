"""The same programs on every device: host memory, the strict stand-in, and a GPU where there is one.

What a device gives must be what host memory gives, and results must stay on the device: for every row of the case
tables, so that no new operation forgets it. On the stand-in it shows that nothing calls NumPy behind backend.py's back, or
asks CuPy for what it has not.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from cases import SAMPLES
from device_tools import REAL_GPU
from op_twin import Call, World, gradients, kind, run, value_fault
from test_ops import BROADCAST, DTYPES, LAYOUTS, SHAPES, calls
from twin import difference, transcript

import minigrad as mg
from autograder import standin
from minigrad import backend, nn
from minigrad.nn import functional as F

pytest_plugins = ["device_tools"]  # the fixture `gpu`

TWO_GPU_ENGINES = REAL_GPU and torch.cuda.is_available()
# Several numbers for one place, of which a GPU keeps any, torch's too; and where a view of nothing begins.
ON_A_GPU = {
    "T.scatter(x, 0, ind, y)", "(x).scatter(0, ind, y)", "(x).scatter_(0, ind, y)", "T.scatter(x, 1, ind, y)",
    "(x).scatter(1, ind, y)", "(x).scatter_(1, ind, y)", "T.index_put(x, (ind, ind), y)", "(x).index_put((ind, ind), y)",
    "(x).index_put_((ind, ind), y)", "operator.setitem(x * 1, (ind, ind), y)", "operator.setitem(x * 1, iv2[:2], x)",
    "(x[:).storage_offset(1:])",
}  # fmt: skip
# What a device changes by its nature: what says or chooses where a tensor lies, NumPy's arrays as operands, random numbers.
MEANT = {
    "(x).type()", "(ints).type()", "(x).to('cpu')", "(x).to('cpu', T.float32)", "(x).cpu()", "(ints).cpu()",
    "(x).get_device()", "(x).to(3)", "F.dropout2d(v)", "operator.mod(x.detach(), N.ones(3))", "operator.mod(x, N.ones(3))",
}  # fmt: skip
# What torch 2.11, the one that was beside a GPU, does otherwise than 2.13 on any device.
OLDER = {"linalg.det(s[:0, :0])", "linalg.det(mnn[:0])", "T.det(s[:0, :0])", "(s[:0, :0]).det()"}
OLDER = OLDER | set(map(str, calls()["aminmax"])) if torch.__version__.startswith("2.11.") else set()
# Besides the samples as they are: kinds of arrays that go other ways through the operations.
WORLDS = SHAPES | {
    "transposed": LAYOUTS["transposed"], "float16": DTYPES["float16"], "m1 n": BROADCAST["m1 n"], "plain": World()
}  # fmt: skip
DRAWS: dict[str, Callable[[Any], Any]] = {
    "made": lambda x: mg.rand(2, 3, device=x.device) + mg.randn(2, 3, device=x.device),
    "whole numbers": lambda x: mg.randint(9, (5,), device=x.device) + mg.randperm(5, device=x.device),
    "alike": lambda x: mg.rand_like(x) + mg.randn_like(x) + mg.randint_like(x, 5),
    "normal": lambda x: mg.normal(x.detach(), 2.0) + mg.normal(0.0, x.detach().abs()),
    "bernoulli": lambda x: mg.bernoulli(x.detach().sigmoid()),
    "multinomial": lambda x: mg.multinomial(x.detach().exp(), 2) + mg.multinomial(x.detach().exp(), 2, True),
    "in place": lambda x: (
        x.detach().normal_() + x.detach().uniform_() + x.detach().exponential_() + x.detach().bernoulli_()
    ),
    "dropout": lambda x: F.dropout(x),
    "init": lambda x: nn.init.xavier_uniform_(x.detach()) + nn.init.trunc_normal_(x.detach()),
    "orthogonal": lambda x: nn.init.orthogonal_(x.detach()),
}


# Operations of two that take a single number of the host's beside a device's tensors, on either side, as torch's do.
BESIDE: dict[str, Callable[[Any, Any], Any]] = {
    **{name: getattr(operator, name) for name in "add sub mul truediv mod pow lt eq ne ge".split()},
    **{
        name: getattr(mg, name)
        for name in """maximum minimum fmax fmin pow float_power atan2 hypot logaddexp copysign xlogy fmod remainder
        logical_and""".split()
    },
    "where": lambda a, b: mg.where(a + b > 0, a, b),
    "where of a number": lambda a, b: mg.where((a if a.ndim == 0 else b) > 0, a, b),
    "lerp": lambda a, b: mg.lerp(a + b, b.float(), a.float()),
    "addcmul": lambda a, b: mg.addcmul(a + b, a, b),
    "clamp": lambda a, b: mg.clamp(a, b - 0.25, b + 0.25),
    "alpha": lambda a, b: mg.add(a, b, alpha=2),
    "in place": lambda a, b: (a + b).mul_(b).sub_(b).pow_(2),
    "masked_fill": lambda a, b: (a + b).masked_fill(a + b > 3.75, b if b.ndim == 0 else 0.5),
}


def numbers() -> list[np.ndarray]:
    rng = np.random.default_rng(7)
    return [rng.normal(size=(3, 4)).astype(np.float32) for _ in range(2)]


def leaves(device: str) -> list[Any]:
    return [mg.tensor(n, device=device, requires_grad=True) for n in numbers()]


def on_device(tensor: Any) -> None:
    """The tensor lies on the device, and so does its array."""
    assert tensor.device.type == "cuda"
    assert hasattr(tensor._data, "get")


class Results(NamedTuple):
    """The kind of error of a call; or what it gives; with its gradients, and theirs where they are recorded."""

    error: str | None = None
    outputs: tuple[Any, ...] = ()
    gradients: tuple[Any, ...] = ()


def results(engine: Any, call: Call, world: World, second: bool) -> Results:
    """What one engine does."""
    outcome = run(engine, call, world)
    if outcome.error:
        return Results(kind(outcome.error))
    error, grads = gradients(engine, outcome.outputs, outcome.samples.leaves, second)
    found = Results(None, tuple(outcome.outputs), (kind(error), *grads))
    if engine is mg and world.device != "cpu" and set(outcome.samples) & set(SAMPLES):
        for one in found.outputs + found.gradients:
            if isinstance(one, mg.Tensor):
                on_device(one)
    return found


def fault(expected: Results, got: Results, strides: bool = True) -> str | None:
    """In what two results differ; with `strides`, also in that an output does not lie in memory in the order of its indices."""
    if expected.error != got.error or list(map(len, expected[1:])) != list(map(len, got[1:])):
        return f"errors: {expected.error or expected.gradients[0]}, {got.error or got.gradients[0]}"
    for one, other in zip(expected.outputs, got.outputs, strict=True):
        if strides and hasattr(one, "device") and one.is_contiguous() and not other.is_contiguous():
            return f"strides: {one.stride()}, {other.stride()}"
    for one, other in zip(expected.outputs + expected.gradients, got.outputs + got.gradients, strict=True):
        if not hasattr(one, "device"):
            if str(one) != str(other):
                return f"{one}, {other}"
        elif other is None or (wrong := value_fault(other.cpu(), one.cpu())):
            return str(other if other is None else wrong).replace("torch", "expected").replace("minigrad", "got")
    return None


def away(engine: Any, call: Call, world: World, second: bool) -> Results:
    """What it gives on the device."""
    return results(engine, call, world._replace(device="cuda"), second)


@pytest.mark.slow  # all together
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", list(calls()))
def test_every_operation_gives_there_what_it_gives_here(gpu: str, name: str) -> None:
    meant = MEANT | ON_A_GPU if gpu == "gpu" else MEANT
    chosen = [call for call in calls()[name] if str(call) not in meant]
    one_form = [call for call in chosen if call.form == calls()[name][0].form]
    todo = [(call, "second gradients", World(), True) for call in chosen]
    todo += [(call, what, world, False) for what, world in WORLDS.items() for call in one_form]
    found = [
        f"{call} [{what}]: {wrong}"
        for call, what, *how in todo
        if (wrong := fault(results(mg, call, *how), away(mg, call, *how), what != "transposed"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.slow  # all together
@pytest.mark.gpu
@pytest.mark.skipif(not TWO_GPU_ENGINES, reason="no GPU that torch and CuPy can use")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", list(calls()) if TWO_GPU_ENGINES else ["every one of them"])
def test_every_operation_gives_there_what_torch_gives_there(name: str) -> None:
    """Where torch gives there what it gives here: of equal elements its kernels for GPUs pick others, and they know fewer
    dtypes. What it refuses here is left out, for an index out of range stops its GPU for good."""
    found = []
    for call in [call for call in calls()[name] if str(call) not in MEANT | ON_A_GPU | OLDER]:
        here = results(torch, call, World(), True)
        if here.error is None and not fault(here, there := away(torch, call, World(), True)):
            found += [f"{call}: {wrong}"] if (wrong := fault(there, away(mg, call, World(), True))) else []
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", DRAWS)
def test_the_same_numbers_are_drawn_there_as_here(gpu: str, name: str) -> None:
    found = []
    for device in ("cpu", "cuda"):
        mg.manual_seed(3)
        found.append(DRAWS[name](leaves(device)[0]))
    on_device(found[1])
    np.testing.assert_allclose(found[1].detach().cpu().numpy(), found[0].detach().numpy(), rtol=1e-5, atol=1e-6)


def test_a_gradient_crosses_with_the_transfer(gpu: str) -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    y = (x.cuda() * 3).sum()
    on_device(y)
    y.backward()
    assert x.grad.device.type == "cpu" and x.grad.tolist() == [3.0, 3.0]


@pytest.mark.slow  # all together
@pytest.mark.parametrize("number_first", (False, True), ids=("number second", "number first"))
@pytest.mark.parametrize("dtype", (mg.float32, mg.float64), ids=str)
@pytest.mark.parametrize("name", BESIDE)
def test_a_number_of_the_hosts_stands_beside_a_devices_tensors(
    gpu: str, name: str, dtype: Any, number_first: bool
) -> None:
    found = []
    for device in ("cpu", "cuda"):
        x = mg.tensor([1.5, 2.0], device=device, requires_grad=True)
        number = mg.tensor([0.0, 2.0], dtype=dtype, requires_grad=True)
        pair = (number[1], x) if number_first else (x, number[1])
        y = BESIDE[name](*pair)
        grads = mg.autograd.grad(y.sum(), (x, number), create_graph=True, allow_unused=True) if y.requires_grad else ()
        if second := sum([(g * g).sum().cpu() for g in grads if g is not None and g.requires_grad]):
            second.backward()
        assert [t.device.type for t in (y, *grads) if t is not None] == [device, device, "cpu"][: 1 + len(grads)]
        assert number.grad is None or number.grad.device.type == "cpu"
        found.append([None if t is None else t.cpu() for t in (y, *grads, x.grad, number.grad)])
    for here, there in zip(*found, strict=True):
        assert (here is None) == (there is None)
        assert here is None or (
            here.dtype is there.dtype and np.allclose(here.tolist(), there.tolist(), equal_nan=True)
        )


@pytest.mark.parametrize("number_first", [False, True])
def test_a_number_of_the_hosts_beside_a_devices_number_gets_its_gradient_back(gpu: str, number_first: bool) -> None:
    x, number = mg.tensor(3.0, device="cuda", requires_grad=True), mg.tensor(2.0, requires_grad=True)
    y = number * x if number_first else x * number
    y.backward()
    assert (y.device.type, x.grad.device.type, number.grad.device.type) == ("cuda", "cuda", "cpu")
    assert (y.item(), x.grad.item(), number.grad.item()) == (6.0, 2.0, 3.0)


def test_a_network_trains_there_as_here(gpu: str) -> None:
    losses: dict[str, list[float]] = {}
    for device in ("cpu", "cuda"):
        mg.manual_seed(0)
        net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 3)).to(device)
        opt = mg.optim.Adam(net.parameters(), lr=0.05)
        x = mg.tensor(numbers()[0], device=device)
        target = mg.tensor([0, 2, 1], device=device)
        losses[device] = []
        for _ in range(5):
            opt.zero_grad()
            loss = F.cross_entropy(net(x), target)
            loss.backward()
            opt.step()
            losses[device].append(loss.item())
    np.testing.assert_allclose(losses["cuda"], losses["cpu"], rtol=1e-3)


@pytest.mark.skipif(REAL_GPU, reason="a GPU is here")
def test_a_real_gpu_is_not_here_and_this_says_so() -> None:
    pytest.skip("no CuPy or no GPU on this machine: these programs ran on the stand-in, none on a real GPU")


@pytest.mark.parametrize("fast_mode", (False, True))
def test_gradients_are_checked_there_as_here(gpu: str, fast_mode: bool) -> None:
    x = mg.tensor([0.5, -1.0], dtype=mg.float64, device="cuda", requires_grad=True)
    assert mg.autograd.gradcheck(lambda x: x.sin() * x, x, fast_mode=fast_mode)
    assert mg.autograd.gradgradcheck(lambda x: x.sin() * x, x, fast_mode=fast_mode)
    assert mg.autograd.gradgradcheck(lambda x: x.exp(), x, gen_non_contig_grad_outputs=True)


GPU_PROGRAMS = Path(__file__).parent / "gpu_programs"
# Programs, and what torch prints. devices: recorded where torch had a GPU, an H100, with torch 2.11. kinds: in the words of
# torch's sources (ATen/core/Generator.h, torch/csrc/autograd/python_hook.cpp), some of which it has said there of others.
EXPECTED = {"devices": "devices_on_torch", "kinds": "kinds_as_in_the_sources"}


def difference_on(engine: Any, program: str) -> list[str]:
    expected = (GPU_PROGRAMS / f"{EXPECTED[program]}.txt").read_text(encoding="utf-8").splitlines()
    got = transcript(engine, (GPU_PROGRAMS / f"{program}.txt").read_text(encoding="utf-8"))
    return difference(expected, got) if got != expected else []


@pytest.mark.parametrize("program", EXPECTED)
def test_a_program_about_devices_prints_what_torch_prints_on_a_gpu(gpu: str, program: str) -> None:
    assert not (found := difference_on(mg, program)), "\n".join(found)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU that torch can use")
@pytest.mark.parametrize("program", EXPECTED)
def test_torch_still_prints_that(program: str) -> None:
    assert not (found := difference_on(torch, program)), "\n".join(found)


def test_devices_do_not_mix(gpu: str) -> None:
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        mg.ones(2) + mg.ones(2, device="cuda")
    with pytest.raises(RuntimeError, match="indices should be either on cpu or on the same device"):
        mg.ones(2)[mg.tensor([0], device="cuda")]
    for mix in (mg.atan2, mg.maximum, mg.pow, mg.logical_and):
        with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
            mix(mg.ones(2), mg.ones(2, device="cuda"))
    for dtype in (mg.float32, mg.float64):  # a single number comes along from the CPU, not from a GPU
        for one, other in itertools.permutations((mg.ones(2), mg.tensor(3.0, device="cuda", dtype=dtype))):
            with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
                one * other
    with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy"):
        mg.ones(2, device="cuda").numpy()


def test_a_tensor_says_where_it_is(gpu: str) -> None:
    x = mg.tensor([1.5, 2.0], device="cuda", requires_grad=True)
    assert repr(x) == "tensor([1.5000, 2.0000], device='cuda:0', requires_grad=True)"
    assert x.is_cuda and str(x.device) == "cuda:0" and x.tolist() == [1.5, 2.0] and x[0].item() == 1.5
    assert mg.cuda.is_available() and mg.cuda.device_count() >= 1
    mg.cuda.synchronize()
    assert mg.accelerator.is_available() and mg.accelerator.device_count() == mg.cuda.device_count()
    assert mg.accelerator.current_accelerator() == mg.device("cuda")
    assert x.to(mg.accelerator.current_accelerator()) is x and mg.accelerator.current_device_index() == 0
    mg.accelerator.synchronize()


def test_without_a_gpu_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "cupy", lambda: None)
    assert not mg.cuda.is_available() and mg.cuda.device_count() == 0
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        mg.ones(1).cuda()
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        mg.cuda.synchronize()
    assert not mg.accelerator.is_available() and mg.accelerator.current_accelerator() is None
    for asked in (mg.accelerator.current_device_index, mg.accelerator.synchronize, mg.accelerator.empty_cache):
        with pytest.raises(RuntimeError, match=r"^Cannot access accelerator device when none is available\.$"):
            asked()


def test_the_stand_in_refuses_what_a_gpu_refuses() -> None:
    array = standin.module().asarray([1.0, 2.0])
    for wrong in (lambda: np.exp(array), lambda: np.asarray(array), lambda: array + np.ones(2), lambda: np.sum(array)):
        with pytest.raises(TypeError):
            wrong()
