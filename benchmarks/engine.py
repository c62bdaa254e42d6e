"""How fast the engine is: side by side with torch, MyGrad, HIPS autograd and NumPy by hand, in one run on one thread.

    python -m benchmarks.engine [--quick] [--only chain,tiny] [--seconds 1] [--sample-ms 10] [--json FILE] [--cuda]

Times are noisy on a busy machine and ratios much less so: the engines take turns, sample by sample, and only ratios are
promised. The first step of a sample finds the caches full of another engine's data; in longer samples it counts for less.
A time counts only when the results agree with torch's. `deep`, `memory` and `import` run in processes of their own. --cuda
compares with torch on a GPU instead (cuda.py).
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.engines import ENGINES
from benchmarks.workloads import WORKLOADS, Workload

Results = dict[str, Any]
Goal = tuple[str, float] | None
SAMPLE = 0.01  # seconds: steps are repeated until a sample is about as long
# The rows that need a process each: key, names, what is measured and its unit, the goal.
APART: list[tuple[str, str, str, str, Goal]] = [
    ("deep", "100,000 次加法的链，前向、反向、释放", "100,000 additions in a row: forward, backward, freed", "s", ("torch", 0.5)),
    ("memory", "20 层 1024×1024 的内存增量", "memory grown by 20 layers of 1024×1024", "MB", ("numpy", 1.25)),
    ("import", "冷启动导入，已编译；目标：NumPy + 15 ms", "cold import, compiled; the goal is NumPy + 15 ms", "ms", None),
]  # fmt: skip


def main(argv: list[str] | None = None) -> int:
    """The command line; 0 when every result agreed with torch's."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engine", description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--quick", action="store_true", help="很小，只看结果是否一致 · tiny: only whether results agree"
    )
    parser.add_argument("--only", default="", help="只跑这些 · these rows only: chain,tiny,deep,…")
    parser.add_argument("--seconds", type=float, default=1.0, help="每个引擎每行的计时 · timed for each engine and row")
    parser.add_argument(
        "--sample-ms", type=float, default=SAMPLE * 1e3, help="轮到一个引擎时连续跑多久 · how long a turn lasts"
    )
    parser.add_argument("--json", type=Path, help="结果也写进这个文件 · write the figures here as well")
    parser.add_argument("--cuda", action="store_true", help="在 GPU 上与 torch 比 · compare with torch on a GPU")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.child:
        print(json.dumps(CHILDREN[options.child[0]](options.child[1], options.quick)))
        return 0
    if options.cuda:
        from benchmarks.cuda import compare

        return compare(options.quick, options.json)
    rows = set(filter(None, options.only.split(",")))
    engines = available()
    print(f"Python {platform.python_version()} · NumPy {np.__version__} · load {os.getloadavg()[0]:.1f}\n")
    print(heading(engines))
    figures: Results = {"python": platform.python_version(), "load": os.getloadavg(), "rows": {}}
    for workload in WORKLOADS:
        if not rows or workload.key in rows:
            found = figures["rows"][workload.key] = timed(
                workload, engines, 0.0 if options.quick else options.seconds, options.sample_ms / 1e3
            )
            print(
                line(
                    workload.zh, workload.en, found, engines, unit(workload), None if options.quick else workload.goal
                ),
                flush=True,
            )
    for key, zh, en, what, goal in APART:
        if not rows or key in rows:
            found = figures["rows"][key] = apart(key, engines, options.quick)
            print(line(zh, en, found, engines, (1, what), None if options.quick else goal), flush=True)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    rows_found = figures["rows"].items()
    wrong = [
        f"{row}, {name}: {one['wrong']}" for row, found in rows_found for name, one in found.items() if "wrong" in one
    ]
    print(*(f"\n✗ {each}" for each in wrong), sep="")
    return len(wrong)


def available() -> Results:
    """The engines that can be loaded; the others are named, with the reason."""
    found: Results = {}
    for name, load in ENGINES.items():
        try:
            found[name] = load()
        except ImportError as error:
            print(f"{name}: 未安装，跳过 · not installed, skipped ({error})")
    return found


# ------------------------------------------------------------------ timing


def timed(workload: Workload, engines: Results, seconds: float, turn: float) -> Results:
    """{engine: {best, median}} in seconds; {wrong: …} for one whose results are not torch's."""
    found: Results = {}
    steps: dict[str, Callable[[], None]] = {}
    reference: list[Any] = []
    for name, engine in engines.items():
        if (workload.only and name not in workload.only) or not runs(engine, workload.key):
            continue
        data = workload.data(np.random.default_rng(7), not seconds)
        step, results = engine.step(workload, data)
        step()
        reference = reference or results()
        bad = difference(results(), reference)
        if bad:
            found[name] = {"wrong": bad}
        else:
            steps[name], found[name] = step, {"checked": True, "samples": []}
    with undisturbed():
        for name, sample in take_turns(steps, seconds, turn):
            found[name]["samples"].append(sample)
    for one in found.values():
        if one.get("samples"):
            samples = one.pop("samples")
            one.update(best=min(samples), median=statistics.median(samples), n=len(samples))
    return found


def runs(engine: Any, row: str) -> bool:
    """Whether an engine has what a row takes."""
    rows = getattr(engine, "rows", None)
    return rows is None or row in rows


def take_turns(
    steps: dict[str, Callable[[], None]], seconds: float, turn: float = SAMPLE
) -> Iterator[tuple[str, float]]:
    """(engine, seconds a step), one sample of each in turn, at least three; the first of a round changes."""
    repeats: dict[str, int] = {}
    for name, step in steps.items():
        step()
        start = time.perf_counter()
        step()
        repeats[name] = max(1, int(turn / (time.perf_counter() - start))) if seconds else 1
    names, spent, rounds = list(steps), dict.fromkeys(steps, 0.0), 0
    while names and (rounds < 3 or min(spent[name] for name in names) < seconds):
        for name in names:
            if seconds:  # otherwise no time is looked at
                gc.collect()
            start = time.perf_counter()
            for _ in range(repeats[name]):
                steps[name]()
            elapsed = time.perf_counter() - start
            spent[name] += elapsed
            yield name, elapsed / repeats[name]
        names, rounds = [*names[1:], names[0]], rounds + 1


@contextmanager
def undisturbed() -> Iterator[None]:
    """The collector stays on, as for users, and leaves alone what was there before."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def difference(got: list[Any], wanted: list[Any]) -> str:
    """How results differ from torch's, '' where they agree (float32)."""
    for i, (g, w) in enumerate(zip(got, wanted, strict=True)):
        if np.shape(g) != np.shape(w):
            return f"result {i} has shape {np.shape(g)}, torch's {np.shape(w)}"
        if not np.allclose(g, w, rtol=1e-4, atol=1e-5 * max(1e-30, float(np.abs(w).max()))):
            return f"result {i} differs from torch's by up to {float(np.abs(g - w).max()):.3g}"
    return ""


# ------------------------------------------------------------------ rows in processes of their own


def apart(key: str, engines: Results, quick: bool) -> Results:
    """{engine: {best, median}} of fresh processes, which take turns."""
    found: Results = {name: {"samples": []} for name, engine in engines.items() if runs(engine, key)}
    for _ in range(1 if quick else 3 if key != "import" else 9):
        for name, one in found.items():
            command = [sys.executable, "-m", "benchmarks.engine", "--child", key, name, *["--quick"] * quick]
            done = subprocess.run(command, cwd=Path(__file__).parent.parent, capture_output=True, text=True)
            if done.returncode:
                one["wrong"] = (done.stderr.strip().splitlines() or ["?"])[-1]
            else:
                one["samples"].append(json.loads(done.stdout.splitlines()[-1]))
    for one in found.values():
        samples = one.pop("samples")
        if samples:
            one.update(best=min(samples), median=statistics.median(samples), n=len(samples))
    return found


def deep(name: str, quick: bool) -> float:
    """Seconds for the chain, from the first addition until nothing of it is left."""
    engine, n = ENGINES[name](), 1000 if quick else 100_000
    start = time.perf_counter()
    gradient = engine.deep(n)
    elapsed = time.perf_counter() - start
    if gradient != n + 1:
        raise ValueError(f"gradient {gradient}, should be {n + 1}")
    return elapsed


def memory(name: str, quick: bool) -> float:
    """Megabytes that one step of a deep network adds to the process at its peak."""
    width = 32 if quick else 1024
    rng = np.random.default_rng(7)
    arrays = [(rng.standard_normal((width, width)) * (2 / width) ** 0.5).astype(np.float32) for _ in range(21)]
    step = DEPTHS[name](ENGINES[name](), arrays[0], arrays[1:])
    gc.collect()
    gc.disable()  # memory must be given back as the walk goes on, without the collector
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    base = status("VmRSS")
    step()
    return status("VmHWM") - base


def status(entry: str) -> float:
    """A figure from /proc/self/status, in megabytes."""
    for text in Path("/proc/self/status").read_text().splitlines():
        if text.startswith(entry + ":"):
            return int(text.split()[1]) / 1024
    raise LookupError(entry)


def deep_network(engine: Any, x: Any, weights: list[Any]) -> Callable[[], Any]:
    """relu(… relu(x w1) … w20), squared and summed, and all gradients."""
    from benchmarks.workloads import Workload

    names = [f"w{i}" for i in range(len(weights))]

    def loss(E: Any, x: Any, **ws: Any) -> Any:
        h = x
        for name in names:
            h = E.relu(h @ ws[name])
        return E.sum(h * h) * (1.0 / h.shape[0] ** 2)

    workload = Workload("memory", "", "", lambda *_: {}, loss, tuple(names), None)
    return engine.step(workload, {"x": x, **dict(zip(names, weights, strict=True))})[0]


def deep_by_hand(engine: Any, x: Any, weights: list[Any]) -> Callable[[], Any]:
    """The deep network's step in NumPy, letting go of each layer's output as soon as it has been used."""

    def step() -> list[Any]:
        kept, gradients = [x], []
        for w in weights:
            h = kept[-1] @ w
            kept.append(np.maximum(h, 0, out=h))
        h = kept.pop()
        (h * h).sum()
        g = 2 * h / h.shape[0] ** 2
        for w in reversed(weights):
            g *= h > 0
            h = kept.pop()
            gradients.append(h.T @ g)
            g = g @ w.T
        return gradients

    return step


def importing(name: str, quick: bool) -> float:
    """Milliseconds for `import NAME` in a fresh process, its .pyc files in place."""
    module = "autograd.numpy" if name == "autograd" else name
    program = f"import time; start = time.perf_counter(); import {module}; print((time.perf_counter() - start) * 1e3)"
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", program]
    runs = [subprocess.run(command, env=environment, capture_output=True, text=True, check=True) for _ in range(2)]
    return float(runs[-1].stdout)  # the first one compiled


CHILDREN: dict[str, Callable[[str, bool], float]] = {"deep": deep, "memory": memory, "import": importing}
DEPTHS: dict[str, Any] = dict.fromkeys(ENGINES, deep_network) | {"numpy": deep_by_hand}

# ------------------------------------------------------------------ the table


def unit(workload: Workload) -> tuple[float, str]:
    """What to multiply seconds by, and what that gives."""
    return (1e6 / workload.ops, "µs/op") if workload.ops > 1 else (1e3, "ms")


def heading(engines: Results) -> str:
    """The first two lines of the table (Markdown)."""
    names = [*engines, "÷ torch", "÷ numpy", "目标 · goal"]
    return "| | " + " | ".join(names) + " |\n|---|" + "--:|" * len(names)


def line(zh: str, en: str, found: Results, engines: Results, scale: tuple[float, str], goal: Goal) -> str:
    """One row: the best time of each engine (the median in brackets), ratios of the best ones, and the goal."""
    factor, what = scale
    cells = []
    for name in engines:
        one = found.get(name, {})
        times = f"{one['best'] * factor:.3g} ({one['median'] * factor:.3g})" if "best" in one else "–"
        cells.append("✗" if "wrong" in one else times)
    ratios = {name: ratio(found, name) for name in ("torch", "numpy")}
    cells += ["–" if r is None else f"{r:.2f}" for r in ratios.values()]
    reached = goal and ratios[goal[0]]
    verdict = "" if reached is None or goal is None else " ✓" if reached <= goal[1] else " ✗"
    cells.append("–" if goal is None else f"≤ {goal[1]} × {goal[0]}{verdict}")
    return f"| {zh} · {en} ({what}) | " + " | ".join(cells) + " |"


def ratio(found: Results, name: str) -> float | None:
    """minigrad's best time over another's."""
    ours, theirs = found.get("minigrad", {}).get("best"), found.get(name, {}).get("best")
    return ours / theirs if ours and theirs else None


if __name__ == "__main__":
    sys.exit(main())
