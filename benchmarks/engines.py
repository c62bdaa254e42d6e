"""The engines that are compared: the same small vocabulary for each, and one step of a workload on each.

`step(workload, data)` gives a function to time and one that shows what it computed: the wanted gradients (or the
Hessian-vector product), and after training steps the parameters. `rows`, where an engine has it, names the only rows it
can run. torch and minigrad are one class, given the module.
What an engine is not able to do, or is not installed, is said in words and skipped.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.bare import Bare
from benchmarks.by_hand import STEPS
from benchmarks.workloads import RATE, Workload

Step = tuple[Callable[[], None], Callable[[], list[Any]]]


class TorchLike:
    """torch, and minigrad, which answers to the same names."""

    def __init__(self, name: str, device: str = "cpu") -> None:
        self.m = importlib.import_module(name)
        self.device = device
        self.exp, self.tanh, self.relu = self.m.exp, self.m.tanh, self.m.relu
        if name == "torch":
            self.m.set_num_threads(1)
        self.synchronize: Callable[[], None] = self.m.cuda.synchronize if device == "cuda" else lambda: None

    def sum(self, x: Any, dim: int | None = None) -> Any:
        return x.sum() if dim is None else x.sum(dim)

    def log_softmax(self, x: Any) -> Any:
        return x.log_softmax(1)

    def conv2d(self, x: Any, kernel: Any, bias: Any) -> Any:
        return self.m.nn.functional.conv2d(x, kernel, bias)

    def max_pool2d(self, x: Any, size: int) -> Any:
        return self.m.nn.functional.max_pool2d(x, size)

    def attention(self, q: Any, k: Any, v: Any) -> Any:
        return self.m.nn.functional.scaled_dot_product_attention(q, k, v)

    def layer_norm(self, x: Any, width: int) -> Any:
        return self.m.nn.functional.layer_norm(x, (width,))

    def tensors(self, workload: Workload, data: dict[str, Any]) -> dict[str, Any]:
        tensors = {name: self.m.tensor(array, device=self.device) for name, array in data.items()}
        for name in workload.wants:
            tensors[name].requires_grad_()
        return tensors

    def step(self, workload: Workload, data: dict[str, Any]) -> Step:
        if workload.net:
            return self.training(workload, data)
        tensors = self.tensors(workload, data)
        wanted = [tensors[name] for name in workload.wants]
        if workload.second:
            return self.product(workload, tensors)

        def run() -> None:
            for p in wanted:
                p.grad = None
            workload.loss(self, **tensors).backward()
            if workload.trains:
                with self.m.no_grad():
                    for p in wanted:
                        p.data = p.data - RATE * p.grad

        return run, lambda: [to_numpy(p.grad) for p in wanted] + [to_numpy(p) for p in wanted if workload.trains]

    def training(self, workload: Workload, data: dict[str, Any]) -> Step:
        """A step of modules and an optimizer; what it shows are the parameters."""
        assert workload.net and workload.optimizer
        tensors = {name: self.m.tensor(array, device=self.device) for name, array in data.items()}
        net = workload.net(self.m.nn).to(self.device)
        net.load_state_dict({name: tensors.pop(name) for name in data if "." in name})
        optimizer = workload.optimizer(self.m.optim, net.parameters())

        def run() -> None:
            optimizer.zero_grad()
            workload.loss(self, net, **tensors).backward()
            optimizer.step()

        return run, lambda: [to_numpy(p) for p in net.parameters()]

    def product(self, workload: Workload, tensors: dict[str, Any]) -> Step:
        """The Hessian times a vector: the gradient of (gradient · v)."""
        (name,) = workload.wants
        x, v = tensors[name], tensors[workload.second or ""]
        found: list[Any] = []
        grad = self.m.autograd.grad

        def run() -> None:
            (g,) = grad(workload.loss(self, **tensors), [x], create_graph=True)
            found[:] = grad((g * v).sum(), [x])

        return run, lambda: [to_numpy(g) for g in found]

    def deep(self, n: int) -> float:
        """A chain of n additions of one number, backwards; the gradient, which is n + 1."""
        x = self.m.tensor(1.0, requires_grad=True)
        y = x
        for _ in range(n):
            y = y + x
        y.backward()
        return float(x.grad)


def to_numpy(tensor: Any) -> Any:
    """The values on the host."""
    return np.array(tensor.detach().cpu().numpy())


class MyGrad:
    """MyGrad in its documented fast setting, memory guarding off. It has no second derivatives."""

    def __init__(self) -> None:
        self.m: Any = importlib.import_module("mygrad")
        self.m.turn_memory_guarding_off()
        self.relu = importlib.import_module("mygrad.nnet.activations").relu
        self.log_softmax = importlib.import_module("mygrad.nnet.activations").logsoftmax
        self.exp, self.tanh = self.m.exp, self.m.tanh

    def sum(self, x: Any, dim: int | None = None) -> Any:
        return x.sum(axis=dim)

    def step(self, workload: Workload, data: dict[str, Any]) -> Step:
        tensors = {name: self.m.tensor(array) if name in workload.wants else array for name, array in data.items()}
        wanted = [tensors[name] for name in workload.wants]

        def run() -> None:
            workload.loss(self, **tensors).backward()
            if workload.trains:
                for p in wanted:
                    p.data -= RATE * p.grad

        return run, lambda: [np.array(p.grad) for p in wanted] + [p.data.copy() for p in wanted if workload.trains]

    def deep(self, n: int) -> float:
        x = self.m.tensor(np.float32(1))
        y = x
        for _ in range(n):
            y = y + x
        y.backward()
        return float(x.grad)


class HipsAutograd:
    """HIPS autograd: functions of arrays, and grad() of them."""

    def __init__(self) -> None:
        self.grad: Any = importlib.import_module("autograd").grad
        self.np: Any = importlib.import_module("autograd.numpy")
        self.exp, self.tanh = self.np.exp, self.np.tanh

    def sum(self, x: Any, dim: int | None = None) -> Any:
        return self.np.sum(x, axis=dim)

    def relu(self, x: Any) -> Any:
        return self.np.maximum(x, 0.0)

    def log_softmax(self, x: Any) -> Any:
        x = x - self.np.max(x, axis=1, keepdims=True)
        return x - self.np.log(self.np.sum(self.np.exp(x), axis=1, keepdims=True))

    def step(self, workload: Workload, data: dict[str, Any]) -> Step:
        fixed = {name: array for name, array in data.items() if name not in workload.wants}
        wanted = [data[name].copy() for name in workload.wants]
        found: list[Any] = []

        def loss(*values: Any) -> Any:
            return workload.loss(self, **fixed, **dict(zip(workload.wants, values, strict=True)))

        gradient = self.grad(loss, tuple(range(len(wanted))))
        if workload.second:
            v = data[workload.second]
            gradient = self.grad(lambda x: self.np.sum(self.grad(loss)(x) * v), (0,))

        def run() -> None:
            found[:] = gradient(*wanted)
            if workload.trains:
                for p, g in zip(wanted, found, strict=True):
                    p -= RATE * g

        return run, lambda: [np.array(g) for g in found] + [p.copy() for p in wanted if workload.trains]

    def deep(self, n: int) -> float:
        def chain(x: Any) -> Any:
            y = x
            for _ in range(n):
                y = y + x
            return y

        return float(self.grad(chain)(np.array(1.0, np.float32)))


class ByHand:
    """No engine: NumPy and a derivative worked out on paper (by_hand.py). The floor for any engine on NumPy."""

    rows = frozenset({*STEPS, "memory", "import"})

    def step(self, workload: Workload, data: dict[str, Any]) -> Step:
        return STEPS[workload.key](workload, data)


ENGINES: dict[str, Callable[[], Any]] = {
    "torch": lambda: TorchLike("torch"),
    "minigrad": lambda: TorchLike("minigrad"),
    "mygrad": MyGrad,
    "autograd": HipsAutograd,
    "bare": Bare,
    "numpy": ByHand,
}
