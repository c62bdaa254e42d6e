"""self[index] = value where nothing is recorded, which is written in one step: every index with every value, on both engines.

What is recorded, and what lists and tensors of numbers pick, is in twin_programs/assignments.txt.
"""

from __future__ import annotations

import pytest
from twin import same

INDICES = [
    "0, -1, 2, 5, -4, True, (1,), (1, 2), (-1, -4), (1, 4), (1, 2, 0), (), slice(None), slice(1, 3), slice(2, 1), slice(-9, 9)",
    "slice(0, 3, 2), slice(None, None, -1), (slice(1, 3), 2), (0, slice(1, None)), (slice(None), slice(0, 2)), (slice(1, 1), 0)",
    "slice(0.5, 2), slice(T.tensor(1), 3), None, Ellipsis, (1, None), (..., 1), T.tensor(1), T.tensor([1, 0]), [0, 2], 1.0",
    "np.int64(1), x > 0, (x > 0)[0], (x > 0)[:, :2], T.zeros(3, 4, dtype=T.bool), (x > 0, 1), (0, (x > 0)[0])",
]
VALUES = {
    "numbers": "[2, 2.5, -0.0, np.inf, np.nan, True, 300, -1, 2**40, 2**63, 2**64, 1e300, np.float32(1.5), np.int64(3)]",
    "tensors": "[T.tensor(2.0), T.tensor(2), T.tensor(True), T.ones(4), T.ones(1, 1, 4), T.ones(2, 4), T.ones(3, 4), T.ones(2), "
    "T.ones(0), T.ones(1, 2, 1, 4), T.ones(4, dtype=T.float64), T.arange(4), T.ones(3, 1), T.zeros(4, 2).t(), 'a', None, [1, 2]]",
    "parts of itself": "[x[0], x[1], x[:, 1], x[1:], x[:2], x[0, 1], x[1, 2], x, x.t()[0], x[1:3, 2], x[0, 1:]]",
}
KINDS = ("float32", "float64", "float16", "int64", "uint8", "bool")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("values", VALUES)
def test_every_index_with_every_value(values: str, kind: str) -> None:
    same(f"""
        def fresh():
            return (T.arange(12.).reshape(3, 4) - 5).abs().to(T.{kind})
        x = fresh()
        for i in range(len([{", ".join(INDICES)}])):
            for j in range(len({VALUES[values]})):
                x = fresh()
                index, value, view = [{", ".join(INDICES)}][i], {VALUES[values]}[j], x[1:]
                try:
                    x[index] = value
                    print(i, j, x.tolist(), x._version, view._version)
                except Exception as error:
                    print(i, j, type(error).__name__, str(error).splitlines()[0][:60], x._version)
    """)


@pytest.mark.parametrize("index", ["0", "1, 2", "1:", "x > 0"])
def test_histories_and_versions_are_torchs(index: str) -> None:
    same(f"""
        x = T.arange(-4.0, 8.0).reshape(3, 4)
        w = T.ones(3, 4, requires_grad=True)
        saved, view = x * w, x[1]
        x[{index}] = 7.0
        saved.sum().backward()
        print(x._version, view, x.grad_fn)
        w[w > 0] = 1.0
        w[{index.replace("x", "w")}] = 1.0
        with T.no_grad(): w[{index.replace("x", "w")}] = 3.0
        print(w, w._version, w.is_leaf)
        y = w * 2
        part = y[1]
        with T.no_grad(): y[{index.replace("x", "y")}] = 5.0
        print(y, part.grad_fn, part)
        y[{index.replace("x", "y")}] = 6.0
        print(y.grad_fn, part.grad_fn)
        x[{index}] = w.sum()
        print(x.grad_fn, x.requires_grad)
        z = T.zeros(4).expand(3, 4)
        z[{index.replace("x", "z")}] = 1.0
        u = T.tensor(2.0)
        u[{index.replace("x", "u")}] = 1.0
        u[()] = 3.0
        print(u)
        with T.inference_mode():
            i = T.ones(3, 4)
            i[{index.replace("x", "i")}] = 2.0
        i[{index.replace("x", "i")}] = 2.0
        n = T.zeros(3, 4, dtype=T.int32)
        n[1, 2] += 1
        n[1, 2] += 1
        n[0] -= 2
        print(n, n._version)
        for value in (2, True, 1e300, T.tensor(2.0), T.ones(2), "a", None):
            for t in (T.ones(2), T.ones(2, dtype=T.uint8), T.tensor(1.0).half(), T.ones(1).expand(3)):
                try: print(t.fill_(value), t._version)
                except Exception as error: print(type(error).__name__, str(error).splitlines()[0][:60])
    """)
