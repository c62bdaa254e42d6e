"""The same programs on every device: host memory, the strict stand-in, and a GPU where there is one.

What a device gives must be what host memory gives, and results must stay on the device. On the stand-in it shows that
nothing calls NumPy behind backend.py's back.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

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


OPS: dict[str, Callable[..., Any]] = {
    "arithmetic": lambda x, y: x + y - x * y / (y * y + 2) + 2 * x - 1 / (x * x + 1) - (-x) + (3 - y) + x**2 + x**3.0,
    "exponentials": lambda x, y: (
        x.exp() + (x * x + 1).log() + x.sigmoid() + x.tanh() + x.sin() * y.cos() + (x * x).sqrt()
    ),
    "powers": lambda x, y: (x * x + 1) ** y + 2**x + (x.abs() + 1).rsqrt() + x.square() + (x * x + 1).reciprocal(),
    "activations": lambda x, y: F.relu(x) + F.gelu(y) + F.silu(x) + F.softplus(y) + F.elu(x) + F.leaky_relu(y),
    "kinks": lambda x, y: x.clamp(-0.5, 0.5) + x.abs() + mg.maximum(x, y) + mg.minimum(x, y) + x.clamp(min=0),
    "where": lambda x, y: mg.where(x > 0, x, y) + x.masked_fill(x > 0.5, 0) + mg.where(x > y, x, 0.0),
    "broadcast": lambda x, y: x * y[0] + y.sum(0) + x[:, :1],
    "sums": lambda x, y: x.sum() + y.mean() + (x * y).sum(1, keepdim=True) + x.mean(0) + x.sum((0, 1)),
    "statistics": lambda x, y: x.var(0) + x.std() + y.norm() + x.logsumexp(1).sum() + x.prod(1).sum(),
    "extrema": lambda x, y: x.max() + y.min() + x.max(1)[0].sum() + y.amax(0).sum() + x.amin(),
    "cumulative": lambda x, y: x.cumsum(0) + (y * y + 1).cumprod(1),
    "sorting": lambda x, y: x.sort(1)[0] + y.topk(2, 1)[0].sum(),
    "products": lambda x, y: x @ y.t() + mg.einsum("ij,kj->ik", x, y) + mg.matmul(x, y[0])[:, None],
    "batches": lambda x, y: mg.bmm(x[None], y.t()[None]) + mg.outer(x[0], y[0]).sum(),
    "shapes": lambda x, y: x.t().reshape(-1) + y.view(-1) + x.flatten() + y.permute(1, 0).contiguous().view(12),
    "restride": lambda x, y: x.unsqueeze(0).expand(2, 3, 4) + y.repeat(2, 1, 1) + x.squeeze() + x.flip(0),
    "joining": lambda x, y: mg.cat([x, y], 1).sum(1) + mg.stack([x, y]).sum((0, 2)) + sum(x.unbind(1)),
    "indexing": lambda x, y: x[1:, ::2].sum() + x[0] + y[-1, 1] + x[..., None].sum() + x[[0, 2]].sum(0),
    "gathering": lambda x, y: (
        x.gather(1, (y > 0).long()).sum() + x.index_select(0, (x[:, 0] > 9).long()).sum() + x[x > 0].sum()
    ),
    "scattering": lambda x, y: x.scatter(1, (y > 0).long(), 2.0) + x.scatter_add(1, (y > 0).long(), y),
    "masks": lambda x, y: x.masked_select(y > 0).sum() + x.index_fill(0, mg.tensor([0], device=x.device), 1.0),
    "rows": lambda x, y: x.index_add(0, (y[:, 0] > 9).long(), y),
    "repetition": lambda x, y: x.repeat_interleave(2, 0).sum() + x.mode(1)[0] + y.median(1)[0],
    "tril": lambda x, y: x.tril() + y.triu() + mg.diag(x[:3, :3]).sum(),
    "softmax": lambda x, y: x.softmax(1) + y.log_softmax(0),
    "losses": lambda x, y: (
        F.mse_loss(x, y) + F.l1_loss(x, y) + F.smooth_l1_loss(x, y) + F.cross_entropy(x, (y > 0).long()[:, 0])
    ),
    "binary losses": lambda x, y: (
        F.binary_cross_entropy_with_logits(x, y.sigmoid()) + F.binary_cross_entropy(x.sigmoid(), y.sigmoid())
    ),
    "layers": lambda x, y: (
        F.linear(x, y, y[:, 0]) + F.layer_norm(x, (4,)).sum() + F.batch_norm(x, None, None, training=True).sum()
    ),
    "embedding": lambda x, y: F.embedding((x > 0).long(), y) * 2,
    "convolution": lambda x, y: F.conv2d(x[None, None], y[None, None, :2, :2], padding=1),
    "pooling": lambda x, y: F.max_pool2d(x[None, None], 2) + F.avg_pool2d(y[None, None], 2),
    "attention": lambda x, y: F.scaled_dot_product_attention(x[None], y[None], y[None], is_causal=True),
    "padding": lambda x, y: F.pad(x, (1, 2)) + F.pad(y, (0, 3), value=1.0),
    "casting": lambda x, y: x.double() * y.float() + x.type_as(y.double()),
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


def weighted(out: Any) -> Any:
    """A sum in which every entry counts differently, made without leaving the device."""
    return (out * out).sum() + out.sum()


@pytest.mark.parametrize("name", OPS)
def test_values_and_gradients_are_those_of_the_host(gpu: str, name: str) -> None:
    here, there = leaves("cpu"), leaves("cuda")
    expected, got = OPS[name](*here), OPS[name](*there)
    on_device(got)
    np.testing.assert_allclose(got.cpu().detach().numpy(), expected.detach().numpy(), rtol=1e-4, atol=1e-5)
    weighted(expected).backward()
    weighted(got).backward()
    for a, b in zip(here, there, strict=True):
        if a.grad is not None:
            on_device(b.grad)
            np.testing.assert_allclose(b.grad.cpu().numpy(), a.grad.numpy(), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", ["arithmetic", "exponentials", "products", "softmax", "broadcast", "indexing"])
def test_second_derivatives_are_those_of_the_host(gpu: str, name: str) -> None:
    found = []
    for device in ("cpu", "cuda"):
        inputs = leaves(device)
        first = mg.autograd.grad(weighted(OPS[name](*inputs)), inputs, create_graph=True)
        found.append(mg.autograd.grad(sum(weighted(g) for g in first), inputs))
    for a, b in zip(*found, strict=True):
        on_device(b)
        np.testing.assert_allclose(b.cpu().numpy(), a.numpy(), rtol=1e-3, atol=1e-3)


def test_a_gradient_crosses_with_the_transfer(gpu: str) -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    y = (x.cuda() * 3).sum()
    on_device(y)
    y.backward()
    assert x.grad.device.type == "cpu" and x.grad.tolist() == [3.0, 3.0]


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


def test_devices_do_not_mix(gpu: str) -> None:
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        mg.ones(2) + mg.ones(2, device="cuda")
    with pytest.raises(RuntimeError, match="indices should be either on cpu or on the same device"):
        mg.ones(2)[mg.tensor([0], device="cuda")]
    with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy"):
        mg.ones(2, device="cuda").numpy()


def test_a_tensor_says_where_it_is(gpu: str) -> None:
    x = mg.tensor([1.5, 2.0], device="cuda", requires_grad=True)
    assert repr(x) == "tensor([1.5000, 2.0000], device='cuda:0', requires_grad=True)"
    assert x.is_cuda and str(x.device) == "cuda:0" and x.tolist() == [1.5, 2.0] and x[0].item() == 1.5
    assert mg.cuda.is_available() and mg.cuda.device_count() >= 1
    mg.cuda.synchronize()


def test_without_a_gpu_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "cupy", lambda: None)
    assert not mg.cuda.is_available() and mg.cuda.device_count() == 0
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        mg.ones(1).cuda()
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        mg.cuda.synchronize()


def test_the_stand_in_refuses_what_a_gpu_refuses() -> None:
    array = standin.module().asarray([1.0, 2.0])
    for wrong in (lambda: np.exp(array), lambda: np.asarray(array), lambda: array + np.ones(2), lambda: np.sum(array)):
        with pytest.raises(TypeError):
            wrong()
