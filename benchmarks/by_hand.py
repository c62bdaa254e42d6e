"""The workloads in plain NumPy with derivatives worked out by hand: what no engine on NumPy can beat.

Every forward operation is done as it is written; temporaries are reused in place where they are ours, and axis sums of
matrices go through BLAS. Nothing is simplified across operations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.workloads import RATE, Workload

Arrays = dict[str, Any]


def showing(run: Callable[[], list[Any]]) -> Any:
    """A step from a function that returns what it computed."""
    found: list[Any] = []

    def step() -> None:
        found[:] = run()

    return step, lambda: [np.array(each) for each in found]


def chain(workload: Workload, d: Arrays) -> Any:
    x, a, b = d["x"], d["a"], d["b"]
    everything = len(workload.wants) > 1

    def run() -> list[Any]:
        y, inputs = x, []
        for _ in range(500):
            inputs.append(y)
            y = y * a
            y = y + b
        y.sum()
        g, ga, gb = np.ones_like(x), np.zeros_like(a), np.zeros_like(b)
        for y in reversed(inputs):
            if everything:
                gb = gb + g  # on one element a new array is faster than adding in place
                ga = ga + g * y
            g = g * a
        return [g, ga, gb] if everything else [g]

    return showing(run)


def braid(workload: Workload, d: Arrays) -> Any:
    x0, a, b = d["x"], d["a"], d["b"]

    def run() -> list[Any]:
        x, inputs = x0, []
        for _ in range(200):
            inputs.append(x)
            x = x * a + x * b
        x.sum()
        g, ga, gb = np.ones_like(x0), np.zeros_like(a), np.zeros_like(b)
        for x in reversed(inputs):
            product = g * x
            ga += product
            gb += product
            g = g * a + g * b
        return [g, ga, gb]

    return showing(run)


def pointwise(workload: Workload, d: Arrays) -> Any:
    x, y = d["x"], d["y"]

    def run() -> list[Any]:
        u = x * y
        t, e = np.tanh(u), np.exp(x)
        z = t * e
        (z + u).sum()
        np.multiply(t, t, out=t)  # dz/du = (1 - t²) e + 1
        np.subtract(1, t, out=t)
        t *= e
        t += 1
        gx = np.multiply(t, y, out=e)
        gx += z
        return [gx, np.multiply(t, x, out=t)]

    return showing(run)


def broadcast(workload: Workload, d: Arrays) -> Any:
    a, b = d["a"], d["b"]
    row, column = np.ones((1, a.size), a.dtype), np.ones((b.size, 1), b.dtype)

    def run() -> list[Any]:
        s = a + b
        p = s * a
        q = p * b
        rows = q @ column
        (rows * rows).sum()
        gq = 2 * rows
        gp = np.multiply(gq, b, out=q)
        gb = row @ np.multiply(gq, p, out=p)
        ga = np.multiply(gp, s, out=s) @ column
        gs = np.multiply(gp, a, out=gp)
        ga += gs @ column
        gb += row @ gs
        return [ga, gb]

    return showing(run)


def network(head: Callable[[Any, Arrays], Any]) -> Callable[[Workload, Arrays], Any]:
    """Three layers with relu between them; head(z, data) gives dL/dz of the last one's output."""

    def make(workload: Workload, d: Arrays) -> Any:
        x, row = d["x"], np.ones(len(d["x"]), np.float32)
        w1, b1, w2, b2, w3, b3 = parameters = [d[name].copy() for name in workload.wants]

        def layer(h: Any, w: Any, b: Any) -> Any:
            z = h @ w
            z += b
            return z

        def run() -> list[Any]:
            h1 = layer(x, w1, b1)
            np.maximum(h1, 0, out=h1)
            h2 = layer(h1, w2, b2)
            np.maximum(h2, 0, out=h2)
            g3 = head(layer(h2, w3, b3), d)
            g2 = g3 @ w3.T
            g2 *= h2 > 0
            g1 = g2 @ w2.T
            g1 *= h1 > 0
            gradients = [x.T @ g1, row @ g1, h1.T @ g2, row @ g2, h2.T @ g3, row @ g3]
            for p, g in zip(parameters, gradients, strict=True):
                p -= RATE * g
            return gradients + parameters

        return showing(run)

    return make


def cross_entropy(z: Any, d: Arrays) -> Any:
    scale = np.float32(1 / len(z))
    z -= z.max(axis=1, keepdims=True)
    e = np.exp(z)
    total = e.sum(axis=1, keepdims=True)
    ((z - np.log(total)) * d["hot"]).sum() * -scale
    e /= total
    e -= d["hot"]
    e *= scale
    return e


def hinge(z: Any, d: Arrays) -> Any:
    scale = np.float32(1 / len(z))
    margin = 1 - d["y"] * z
    np.maximum(margin, 0).sum() * scale
    return -d["y"] * scale * (margin > 0)


def hessian(workload: Workload, d: Arrays) -> Any:
    x, w, v = d["x"], d["w"], d["v"]

    def run() -> list[Any]:
        t = np.tanh(w @ x)
        s = 1 - t * t  # the gradient is Wᵀ(3 t² s); its derivative along v, with dt = s · Wv
        return [w.T @ ((6 * t * s - 6 * t * t * t) * s * (w @ v))]

    return showing(run)


STEPS: dict[str, Callable[[Workload, Arrays], Any]] = {
    "chain": chain, "chain_x": chain, "braid": braid, "pointwise": pointwise, "broadcast": broadcast,
    "classifier": network(cross_entropy), "tiny": network(hinge), "hessian": hessian,
}  # fmt: skip
