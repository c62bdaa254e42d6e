"""minigrad on CuPy against torch on CUDA: elementwise 10⁷, matmul 4096, a training step of an MLP.

Without a GPU, or without CuPy, it says so in words and measures nothing. Every sample ends with a synchronisation, and
a time counts only when the results agree with torch's on the same device.
"""

from __future__ import annotations

import json
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.engines import Step, TorchLike
from benchmarks.workloads import Workload, classifier, classifier_data, normal, pointwise

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
    figures: dict[str, Any] = {"device": name, "rows": {}}
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
