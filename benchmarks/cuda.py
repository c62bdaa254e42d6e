"""minigrad on CuPy against torch on CUDA: elementwise 10⁷, matmul 4096, a training step of an MLP, a chain of small steps.

Without a GPU, or without CuPy, it says so in words and measures nothing. Every sample ends with a synchronisation, and
a time counts only when the results agree with torch's on the same device. Behind the table comes what lesson 14 records:
additions and products of growing size on the host, on the GPU, and with the transfers there and back.
"""

from __future__ import annotations

import json
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.engines import Step, TorchLike
from benchmarks.workloads import Workload, chain, chain_data, classifier, classifier_data, normal, pointwise
from minigrad.timing import best_seconds

PARAMETERS = ("w1", "b1", "w2", "b2", "w3", "b3")


def large_data(rng: np.random.Generator, quick: bool) -> dict[str, Any]:
    n = 1000 if quick else 10_000_000
    return {"x": normal(rng, n, scale=0.5), "y": normal(rng, n, scale=0.5)}


def squares_data(rng: np.random.Generator, quick: bool) -> dict[str, Any]:
    n = 64 if quick else 4096
    return {"x": normal(rng, n, n, scale=n**-0.5), "y": normal(rng, n, n, scale=n**-0.5)}


def product(E: Any, x: Any, y: Any) -> Any:
    z = x @ y
    return E.sum(z * z)


WORKLOADS = [
    Workload("pointwise", "逐元素，10⁷ 个", "elementwise, 10⁷ elements", large_data, pointwise, ("x", "y"), None),
    Workload("product", "矩阵乘法，4096×4096", "matmul, 4096×4096", squares_data, product, ("x", "y"), None),
    Workload("classifier", "MLP 784-256-128-10 一步，批量 128", "MLP 784-256-128-10, one step, batch 128",
             classifier_data, classifier, PARAMETERS, None, trains=True),
    Workload("chain", "1000 次乘、加，1 个元素", "1,000 mul and add on 1 element", chain_data, chain, ("x", "a", "b"), None),
]  # fmt: skip


def missing() -> str:
    """Why nothing can be compared here; '' where it can."""
    import torch

    from minigrad.backend import cupy

    if not torch.cuda.is_available():
        return "没有 torch 能用的 GPU，什么也没有测 · no GPU that torch can use: nothing was measured"
    if cupy() is None:
        return "没有 CuPy，minigrad 用不了 GPU · no CuPy, so minigrad cannot use the GPU"
    return ""


def compare(quick: bool, file: Path | None) -> int:
    """Print the table, and write it as JSON; 0 where every result agreed, and where there is no GPU."""
    if reason := missing():
        print(reason)
        return 0
    import torch

    name, wrong = torch.cuda.get_device_name(), 0
    print(f"{name}\n\n| | torch CUDA (ms) | minigrad CuPy (ms) | ÷ torch |\n|---|--:|--:|--:|")
    figures: dict[str, Any] = {"device": name, "versions": versions(), "rows": {}}
    for workload in WORKLOADS:
        data = workload.data(np.random.default_rng(7), quick)
        engines = {module: TorchLike(module, "cuda") for module in ("torch", "minigrad")}
        steps = {module: engine.step(workload, data) for module, engine in engines.items()}
        agree = same(steps)
        wrong += not agree
        times = {module: milliseconds(steps[module], engines[module]) for module in engines}
        figures["rows"][workload.key] = {"agree": agree, **times}
        ours, theirs = times["minigrad"], times["torch"]
        shown = f"{ours:.3g} | {ours / theirs:.2f}" if agree else "✗ | ✗"
        print(f"| {workload.zh} · {workload.en} | {theirs:.3g} | {shown} |", flush=True)
    figures["sweep"] = sweep(quick)
    if file:
        file.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    return wrong


def same(steps: dict[str, Step]) -> bool:
    """Whether one step gives the same on both (float32 on a GPU: 1 in 1000 of the largest entry)."""
    found = []
    for run, results in steps.values():
        run()
        found.append(results())
    return all(np.allclose(a, b, rtol=1e-3, atol=1e-3 * float(np.abs(b).max())) for a, b in zip(*found, strict=True))


def milliseconds(step: Step, engine: TorchLike) -> float:
    """The median of 30 steps, each synchronised."""
    samples = []
    for _ in range(30):
        engine.synchronize()
        start = time.perf_counter()
        step[0]()
        engine.synchronize()
        samples.append(time.perf_counter() - start)
    return statistics.median(samples) * 1e3


# ------------------------------------------------------------------ what lesson 14 records

SWEPT: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "add": (lambda T, x, y, z: T.add(x, y, out=z), [(10**k,) for k in range(2, 9)] + [(50_000, 10_000)]),
    "product": (lambda T, x, y, z: T.matmul(x, y, out=z), [(2**k, 2**k) for k in range(4, 13)]),
}


def sweep(quick: bool) -> dict[str, dict[str, list[Any]]]:
    """Seconds of an addition and a product by shape: NumPy's on the host, torch's on the GPU, and those with transfers, from
    ordinary memory and from pinned memory."""
    found: dict[str, dict[str, list[Any]]] = {}
    for name, (action, shapes) in SWEPT.items():
        kept = shapes[:2] if quick else shapes
        found[name] = {"shape": [list(shape) for shape in kept]}
        print(
            f"\n| {name} | NumPy (µs) | GPU (µs) | + 传输 · transfers (µs) | 锁页 · pinned (µs) |\n|---|--:|--:|--:|--:|"
        )
        for shape in kept:
            seconds = four_ways(action, shape)
            for key, one in seconds.items():
                found[name].setdefault(key, []).append(float(f"{one:.3g}"))
            shown = " | ".join(f"{one * 1e6:.3g}" for one in seconds.values())
            print(f"| {'×'.join(map(str, shape))} | {shown} |", flush=True)
    return found


def four_ways(action: Callable[..., Any], shape: tuple[int, ...]) -> dict[str, float]:
    """The shortest of several runs, as best_seconds has it, in each of the four ways."""
    import torch

    arrays = [np.ones(shape, np.float32) for _ in range(3)]
    here = [torch.from_numpy(array) for array in arrays]
    there = [t.cuda() for t in here]
    repeats = 100 if arrays[0].size < 10**6 else 5

    def moving(here: list[Any]) -> None:
        for to, of in zip(there[:2], here[:2], strict=True):
            to.copy_(of)
        action(torch, *there)
        here[2].copy_(there[2])

    pinned = [t.pin_memory() for t in here]

    def best(run: Callable[[], Any]) -> float:
        return best_seconds(run, torch.cuda.synchronize, time.perf_counter, repeats)

    return {
        "host": best(lambda: action(np, *arrays)),
        "gpu": best(lambda: action(torch, *there)),
        "moving": best(lambda: moving(here)),
        "pinned": best(lambda: moving(pinned)),
    }


def versions() -> dict[str, str]:
    """Of what took part."""
    import torch

    from minigrad.backend import cupy

    modules = {"torch": torch, "numpy": np, "cupy": cupy()}
    return {"python": platform.python_version(), **{name: str(m.__version__) for name, m in modules.items() if m}}
