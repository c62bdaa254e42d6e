"""How fast single operations are on small tensors, beside torch: `python -m benchmarks.operations [--only topk,views]`.

Each row is one expression, evaluated as it stands on both engines: forward, which is recorded, and forward and backward
together. The engines take turns, one thread, as in engine.py. It shows where Python costs most; no ratio is promised.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import statistics
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.engine import difference, take_turns, undisturbed

NAMES = ("torch", "minigrad")
# What the expressions may use: m, the engine; F, its nn.functional; and tensors drawn from one generator:
# x, y, z: (8, 16), want a gradient; row: (16,) and w: (16, 16), want one too; p: x made positive.
# b: (4, 8, 16) and c: (4, 16, 8); image: (2, 3, 8, 8), kernel: (4, 3, 3, 3); all want a gradient.
# i: (8, 4) integers below 16, j: (8,) integers below 8, labels: (8,) integers below 16, mask: (8, 16) bools.
TABLE: dict[str, tuple[str, ...]] = {
    "逐元素 · pointwise": (
        "x + y", "x * y", "x / y", "x - row", "2 * x + 1", "x ** 2", "x ** 3", "-x", "m.exp(x)", "m.log(p)", "m.sqrt(p)",
        "m.tanh(x)", "m.sigmoid(x)", "m.relu(x)", "x.abs()", "m.sin(x)", "x.clamp(-1, 1)", "x.clamp(min=0)",
        "m.maximum(x, y)", "m.where(mask, x, y)", "m.where(x > 0, x, 0.0)", "x.masked_fill(mask, 0.0)", "m.lerp(x, y, 0.3)",
        "m.addcmul(x, y, z)",
    ),
    "归约 · reductions": (
        "x.sum()", "x.sum(1)", "x.mean()", "x.mean(0, keepdim=True)", "x.max()", "x.max(1)[0]", "x.amax(1)", "x.var(1)",
        "x.std()", "x.norm()", "x.prod(1)", "m.logsumexp(x, 1)", "x.cumsum(1)",
    ),
    "矩阵 · matrices": (
        "x @ w", "w @ row", "row @ row", "b @ c", "b @ w", "m.einsum('ij,jk->ik', x, w)", "m.einsum('bij,bjk->bik', b, c)",
        "F.linear(x, w, row)", "m.addmm(row, x, w)", "m.outer(row, row)",
    ),
    "形状 · shapes": (
        "x.reshape(16, 8)", "x.view(-1)", "x.t()", "x.transpose(0, 1)", "b.permute(2, 0, 1)", "x.unsqueeze(0)",
        "x[None].squeeze(0)", "x.flatten()", "row.expand(8, 16)", "m.cat([x, y])", "m.stack([x, y])", "x.chunk(2)[0]",
        "x.split(4, 1)[1]", "m.flip(x, [0])", "x.repeat(2, 1)", "m.roll(x, 1, 0)", "x.contiguous()", "x.clone()", "x.detach()",
    ),
    "索引 · indexing": (
        "x[0]", "x[:, 1:5]", "x[..., 0]", "x[j]", "x[mask]", "x[j, labels]", "x.gather(1, i)", "x.index_select(0, j)",
        "m.zeros(8, 16).scatter_add(1, i, x[:, :4])", "x.topk(3, 1)[0]", "x.sort(1)[0]", "m.tril(w)", "m.diagonal(w)",
    ),
    "网络 · networks": (
        "F.softmax(x, 1)", "F.log_softmax(x, 1)", "F.cross_entropy(x, labels)", "F.mse_loss(x, y)", "F.gelu(x)", "F.silu(x)",
        "F.leaky_relu(x)", "F.softplus(x)", "F.layer_norm(x, (16,), row, row)", "F.embedding(labels, w)",
        "F.dropout(x, 0.5, False)", "F.one_hot(labels, 16)", "F.pad(x, (1, 1))", "F.conv2d(image, kernel)",
        "F.max_pool2d(image, 2)", "F.avg_pool2d(image, 2)", "F.scaled_dot_product_attention(b, b, b)",
        "F.binary_cross_entropy_with_logits(x, y)",
    ),
    "没有梯度 · without gradients": (
        "m.zeros(8, 16)", "m.arange(16)", "m.tensor([1.0, 2.0, 3.0])", "m.randn(8, 16)", "m.rand(8, 16)", "m.randint(0, 9, (8,))",
        "m.zeros_like(x)", "x > 0", "x.argmax(1)", "x.data", "x.shape", "x.sum().item()", "x.detach().numpy()", "x.tolist()",
    ),
}  # fmt: skip


def main(argv: list[str] | None = None) -> int:
    """The command line; 0 when every result agreed with torch's."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.operations", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="只看结果是否一致 · only whether results agree")
    parser.add_argument("--only", default="", help="只跑含有这些字的行 · rows that contain one of these: topk,x @,…")
    parser.add_argument("--seconds", type=float, default=0.1, help="每行每次的计时 · timed for each engine and column")
    parser.add_argument("--json", type=Path, help="结果也写进这个文件 · write the figures here as well")
    options = parser.parse_args(argv)
    spaces = {name: namespace(name) for name in NAMES}
    print(f"Python {platform.python_version()} · NumPy {np.__version__} · load {os.getloadavg()[0]:.1f}")
    figures: dict[str, Any] = {}
    wrong: list[str] = []
    with undisturbed():
        for title, expressions in TABLE.items():
            rows = [row for row in expressions if any(word in row for word in options.only.split(","))]
            if not rows:
                continue
            print(
                f"\n| {title} | torch (µs) | minigrad (µs) | ÷ torch | torch, + backward | minigrad, + backward | ÷ torch |"
            )
            print("|---|--:|--:|--:|--:|--:|--:|")
            for row in rows:
                bad = compared(row, spaces)
                if bad:
                    wrong.append(f"{row}: {bad}")
                    continue
                figures[row] = measured(row, spaces, 0.0 if options.quick else options.seconds)
                print(line(row, figures[row]), flush=True)
    print(*summary(figures), sep="\n")
    print(*(f"\n✗ {each}" for each in wrong), sep="")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    return len(wrong)


def namespace(engine: str) -> dict[str, Any]:
    """What the expressions see on this engine."""
    m: Any = importlib.import_module(engine)
    if engine == "torch":
        m.set_num_threads(1)
    rng = np.random.default_rng(7)

    def leaf(*shape: int) -> Any:
        return m.tensor(rng.standard_normal(shape).astype(np.float32), requires_grad=True)

    names: dict[str, Any] = {"m": m, "F": m.nn.functional}
    names |= {name: leaf(8, 16) for name in "xyz"} | {"row": leaf(16), "w": leaf(16, 16), "b": leaf(4, 8, 16)}
    names |= {"c": leaf(4, 16, 8), "image": leaf(2, 3, 8, 8), "kernel": leaf(4, 3, 3, 3)}
    names["p"] = (names["x"].detach().abs() + 0.1).requires_grad_()
    names["i"] = m.tensor(rng.integers(0, 16, (8, 4)))
    names["j"], names["labels"] = m.tensor(rng.integers(0, 8, 8)), m.tensor(rng.integers(0, 16, 8))
    names["mask"] = m.tensor(rng.random((8, 16)) < 0.5)
    return names


def step(row: str, names: dict[str, Any], backward: bool) -> Callable[[], Any]:
    """What is timed: the expression, its result let go; or with its backward pass from a gradient drawn once."""
    forward: Callable[[], Any] = eval(f"lambda: {row}", names)
    if not backward:
        return forward
    drawn = np.random.default_rng(8).standard_normal(tuple(forward().shape)).astype(np.float32)
    grad = names["m"].tensor(drawn)
    leaves = [value for value in names.values() if getattr(value, "requires_grad", False)]

    def both() -> None:
        for leaf in leaves:
            leaf.grad = None
        forward().backward(grad)

    return both


def differentiable(row: str, names: dict[str, Any]) -> bool:
    """Whether an expression has a gradient."""
    return bool(getattr(eval(row, names), "requires_grad", False))


def compared(row: str, spaces: dict[str, dict[str, Any]]) -> str:
    """How minigrad's value and gradients differ from torch's; "" where they agree."""
    found = []
    for names in spaces.values():
        names["m"].manual_seed(7)
        value = eval(row, names)
        arrays = [np.asarray(value.detach() if hasattr(value, "detach") else value)]
        if differentiable(row, names):
            step(row, names, True)()
            leaves = [v for v in names.values() if getattr(v, "requires_grad", False) and v.grad is not None]
            arrays += [leaf.grad.numpy() for leaf in leaves]
        found.append(arrays)
    if len(found[0]) != len(found[1]):
        return f"{len(found[1]) - 1} gradients, torch has {len(found[0]) - 1}"
    return difference(found[1], found[0])


def measured(row: str, spaces: dict[str, dict[str, Any]], seconds: float) -> dict[str, dict[str, float]]:
    """{"forward": {engine: seconds}, "both": …}, the least of several samples each."""
    found = {}
    kinds = {"forward": False, "both": True} if differentiable(row, spaces["torch"]) else {"forward": False}
    for kind, backward in kinds.items():
        best = dict.fromkeys(NAMES, float("inf"))
        steps = {name: step(row, names, backward) for name, names in spaces.items()}
        for name, sample in take_turns(steps, seconds):
            best[name] = min(best[name], sample)
        found[kind] = best
    return found


def line(row: str, found: dict[str, dict[str, float]]) -> str:
    """One row of the table."""
    cells = []
    for kind in ("forward", "both"):
        one = found.get(kind)
        cells += [f"{one[name] * 1e6:.1f}" for name in NAMES] + [f"{ratio(one):.2f}"] if one else ["–"] * 3
    return f"| `{row}` | {' | '.join(cells)} |"


def ratio(one: dict[str, float]) -> float:
    """minigrad's time in torch's."""
    return one["minigrad"] / one["torch"]


def summary(figures: dict[str, dict[str, dict[str, float]]]) -> Iterator[str]:
    """A line for each group and one for all: the geometric mean of the ratios, and the operations that are slowest."""
    yield "\n| | 行 · rows | 前向 · forward ÷ torch | 前向和反向 · forward and backward ÷ torch | 最慢的前向 · slowest forward |"
    yield "|---|--:|--:|--:|---|"
    groups = {title: [row for row in rows if row in figures] for title, rows in TABLE.items()}
    for title, rows in (groups | {"合计 · all": list(figures)}).items():
        if rows:
            slowest = sorted(rows, key=lambda row: -ratio(figures[row]["forward"]))[:3]
            named = ", ".join(f"`{row}` {ratio(figures[row]['forward']):.1f}" for row in slowest)
            means = [mean([figures[row][kind] for row in rows if kind in figures[row]]) for kind in ("forward", "both")]
            yield f"| {title} | {len(rows)} | {' | '.join(means)} | {named} |"


def mean(found: list[dict[str, float]]) -> str:
    """The geometric mean of the ratios; a dash where there are none."""
    return f"{statistics.geometric_mean(map(ratio, found)):.2f}" if found else "–"


if __name__ == "__main__":
    sys.exit(main())
