"""Arithmetic in place where nothing is recorded, which writes with no array of results in between: small and large tensors.

What is recorded, and other operations in place, are in twin_programs/inplace.txt.
"""

from __future__ import annotations

import pytest
from twin import same

WRITES = ("add_", "sub_", "mul_", "div_")
OPERANDS = {
    "of its shape": "T.linspace(-2, 3, n * n).reshape(n, n)",
    "turned": "T.linspace(-2, 3, n * n).reshape(n, n).t()",
    "a row": "T.linspace(1, 2, n)",
    "a column": "T.linspace(1, 2, n)[:, None]",
    "a number in a tensor": "T.tensor(0.3)",
    "a float": "0.3",
    "an int": "3",
    "zero": "0.0",
    "minus zero": "-0.0",
    "a float that is too large": "1e300",
    "an int that is too large": "2**64",
    "a bool": "True",
    "in double": "T.linspace(1, 3, n * n, dtype=T.float64).reshape(n, n)",
    "whole numbers": "T.arange(1, n + 1)",
    "one row too few": "T.ones(n - 1, n)",
    "one dimension too many": "T.ones(1, n, n)",
    "text": "'a'",
    "wanting a gradient": "T.ones(n, n, requires_grad=True)",
    "wanting a gradient, of no use": "T.ones(n, requires_grad=True).detach()",
}
SIZES = (3, 80)


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("operand", OPERANDS)
@pytest.mark.parametrize("n", SIZES)
def test_what_is_written_is_what_torch_writes(n: int, operand: str, write: str) -> None:
    same(f"""
        n = {n}
        x = T.linspace(-1, 2, n * n).reshape(n, n)
        view, other = x[1], {OPERANDS[operand]}
        y = x.{write}(other)
        print(y is x, x._version, x.requires_grad, x.grad_fn, view._version)
        print(x[:2, :3], view[:3], x.isfinite().all(), x.isnan().any())
        print(x.{write}(other, alpha=0.5)[::40, ::40])
        print(x.{write}(other, alpha=2)[::40, ::40])
    """)


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("n", SIZES)
def test_histories_hooks_and_versions_are_torchs(n: int, write: str) -> None:
    same(f"""
        n = {n}
        w = T.linspace(1, 2, n * n).reshape(n, n).requires_grad_()
        w.{write}(2.0)
        with T.no_grad(): print(w.{write}(2.0)[0, :3], w._version, w.is_leaf, w.grad_fn)
        y = w * w
        print(y.{write}(w).grad_fn, y._version)
        y.sum().backward()
        print(w.grad[0, :3])
        z = w.exp()
        with T.no_grad(): print(z.{write}(w)._version, z.grad_fn)
        z.sum().backward()
        x = T.ones(n, n)
        v = x[:, 1]
        (x * w).sum().backward()
        saved = x * w
        x.{write}(3.0)
        saved.sum().backward()
        print(v.{write}(T.ones(n)), v._base is x, x._version)
        print(x[:-1].{write}(x[1:]))
        print(x.{write}(x)[0, :3], x.{write}(x.t())._version)
        print(x[0].expand(n, n).{write}(1.0))
        with T.inference_mode(): i = T.ones(n, n)
        i.{write}(1.0)
    """)


@pytest.mark.parametrize("n", SIZES)
def test_zero_leaves_the_history_that_torch_leaves(n: int) -> None:
    same(f"""
        n = {n}
        for x in (T.ones(n, n), T.ones(2), T.ones(2, dtype=T.bool), T.ones(3, dtype=T.int64), T.tensor(2.0)):
            v = x.view(-1)
            print(x.zero_() is x, x._version, v._version, x.grad_fn, v.sum(), x.dtype)
        w = T.ones(3, requires_grad=True)
        w.zero_()
        with T.no_grad(): print(w.zero_(), w._version)
        y = w * 2
        print(y[0].zero_(), y.zero_())
        y.sum().backward()
        print(w.grad, w.grad.zero_(), w.grad._version)
        saved = w * w
        with T.no_grad(): w.zero_()
        saved.sum().backward()
        print(T.ones(1).expand(3).zero_())
        T.ones(3).expand(2, 3).zero_()
        with T.inference_mode(): i = T.ones(2)
        i.zero_()
    """)
