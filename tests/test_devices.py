"""The same programs on every device: host memory, the strict stand-in, and a GPU where there is one.

What a device gives must be what host memory gives, and results must stay on the device: for every row of the case
tables, so that no new operation forgets it. On the stand-in it shows that nothing calls NumPy behind backend.py's back, or
asks CuPy for what it has not.
"""

from __future__ import annotations

import operator
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from cases import SAMPLES
from op_twin import Call, World, gradients, kind, run, value_fault
from test_ops import BROADCAST, DTYPES, LAYOUTS, SHAPES, calls

import minigrad as mg
from autograder import standin
from minigrad import backend, nn
from minigrad.nn import functional as F

REAL_GPU = backend.cupy() is not None
DEVICES = ["stand-in", "gpu"] if REAL_GPU else ["stand-in"]


@pytest.fixture(params=DEVICES)
def gpu(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """`cuda` means this device while the test runs."""
    if request.param == "stand-in":
        module = standin.module()
        monkeypatch.setattr(backend, "cupy", lambda: module)
        special = standin.Module("special", pytest.importorskip("scipy.special"))
        scipy = types.SimpleNamespace(special=special)
        for name, found in (("cupyx", types.SimpleNamespace(scipy=scipy)), ("cupyx.scipy", scipy)):
            monkeypatch.setitem(sys.modules, name, found)  # type: ignore[arg-type]
    yield request.param


# What a device changes by its nature: what says or chooses where a tensor lies, NumPy's arrays as operands, random numbers.
MEANT = {
    "(x).type()", "(ints).type()", "(x).to('cpu')", "(x).to('cpu', T.float32)", "(x).cpu()", "(ints).cpu()",
    "(x).get_device()", "F.dropout2d(v)", "operator.mod(x.detach(), N.ones(3))", "operator.mod(x, N.ones(3))",
}  # fmt: skip
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


def results(call: Call, world: World, second: bool) -> tuple[str | None, list[Any]]:
    """The error of a call; or what it gives, with its gradients, and theirs where they are recorded."""
    outcome = run(mg, call, world)
    if outcome.error:
        return kind(outcome.error), []
    error, grads = gradients(mg, outcome.outputs, outcome.samples.leaves, second)
    found = [*outcome.outputs, kind(error), *grads]
    if world.device != "cpu" and set(outcome.samples) & set(SAMPLES):
        for one in found:
            if isinstance(one, mg.Tensor):
                on_device(one)
    return None, found


def fault(call: Call, world: World, second: bool) -> str | None:
    """In what the device differs from the host on a call."""
    error_here, here = results(call, world, second)
    error_there, there = results(call, world._replace(device="cuda"), second)
    if error_here != error_there or len(here) != len(there):
        return f"error: host {error_here}, device {error_there}"
    for expected, got in zip(here, there, strict=True):
        if not isinstance(expected, mg.Tensor):
            if str(expected) != str(got):
                return f"host {expected}, device {got}"
        elif got is None or (wrong := value_fault(got.cpu(), expected)):
            return f"device {got if got is None else wrong}".replace("torch", "host")
    return None


@pytest.mark.slow  # all together
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", list(calls()))
def test_every_operation_gives_there_what_it_gives_here(gpu: str, name: str) -> None:
    chosen = [call for call in calls()[name] if str(call) not in MEANT]
    one_form = [call for call in chosen if call.form == calls()[name][0].form]
    todo = [(call, "second gradients", World(), True) for call in chosen]
    todo += [(call, what, world, False) for what, world in WORLDS.items() for call in one_form]
    found = [f"{call} [{what}]: {wrong}" for call, what, *how in todo if (wrong := fault(call, *how))]
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


def test_devices_do_not_mix(gpu: str) -> None:
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        mg.ones(2) + mg.ones(2, device="cuda")
    with pytest.raises(RuntimeError, match="indices should be either on cpu or on the same device"):
        mg.ones(2)[mg.tensor([0], device="cuda")]
    for mix in (mg.atan2, mg.maximum, mg.pow, mg.logical_and):
        with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
            mix(mg.ones(2), mg.ones(2, device="cuda"))
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
