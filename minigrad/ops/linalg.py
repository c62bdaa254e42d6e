"""Matrix products. One rule serves every combination of vectors, matrices and batches."""

from __future__ import annotations

import operator
from typing import Any

from .. import rules
from ..tensor import Tensor
from .define import Op, binary


def matmul_vjp_self(grad: Any, mat2: Any) -> Any:
    """z = self @ mat2: ∂L/∂self = grad @ mat2ᵀ, whose shape is self's.

    grad: (…, n, m), mat2: (…, k, m) → (…, n, k). torch: MmBackward0.
    Example: grad = [[1., 0.]], mat2 = [[1., 2.], [3., 4.]] → [[1., 3.]]
    """
    return grad @ mat2.swapaxes(-1, -2)


def matmul_vjp_mat2(grad: Any, self: Any) -> Any:
    """z = self @ mat2: ∂L/∂mat2 = selfᵀ @ grad, whose shape is mat2's.

    self: (…, n, k), grad: (…, n, m) → (…, k, m). torch: MmBackward0.
    Example: self = [[1., 2.]], grad = [[1., 10.]] → [[1., 10.], [2., 20.]]
    """
    return self.swapaxes(-1, -2) @ grad


def mv_vjp_self(grad: Any, vec: Any) -> Any:
    """z = matrix @ vec: each row's gradient is vec, scaled by that row's gradient. torch: MvBackward0."""
    return rules.unsqueeze(grad, -1) * vec


def mv_vjp_vec(grad: Any, self: Any) -> Any:
    """z = matrix @ vec: the transposed matrix carries the gradient back."""
    return self.swapaxes(-1, -2) @ grad


def _matmul(x: Any, y: Any) -> Any:
    return x @ y


mm_op = binary("mm", "MmBackward0", operator.matmul, stretches=False, self=matmul_vjp_self, mat2=matmul_vjp_mat2)
bmm_op = Op("BmmBackward0", _matmul, self=matmul_vjp_self, mat2=matmul_vjp_mat2)
mv_op = binary("mv", "MvBackward0", operator.matmul, stretches=False, self=mv_vjp_self, vec=mv_vjp_vec)
dot_op = Op("DotBackward0", _matmul, self=lambda grad, tensor: grad * tensor, tensor=lambda grad, self: grad * self)


def matmul(self: Tensor, other: Tensor) -> Tensor:
    """The matrix product as `@` means it: vectors, matrices, and batches of matrices, broadcast (torch.matmul).

    Like torch it is made of the plain products, so the node is DotBackward0, MvBackward0, MmBackward0 or what a batch
    leads to.
    """
    if not isinstance(self, Tensor) or not isinstance(other, Tensor):
        return NotImplemented
    a, b = self._data.ndim, other._data.ndim
    if a == 0 or b == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D")
    if self._data.dtype is not other._data.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {ctype(self)} != {ctype(other)}")
    if a == 1 and b == 1:
        check_inner(self, other, self._data.shape[0] == other._data.shape[0])
        return dot_op(self, other)
    if a == 2 and b == 1:
        check_inner(self, other, self._data.shape[1] == other._data.shape[0])
        return mv_op(self, other)
    if a == 1 and b == 2:
        return matmul(self.unsqueeze(0), other).squeeze(0)
    if a == 2 and b == 2:
        check_inner(self, other, self._data.shape[1] == other._data.shape[0])
        return mm_op(self, other)
    return batched(self, other)


def batched(self: Tensor, other: Tensor) -> Tensor:
    """matmul where an operand has three or more dimensions; torch folds both to three and uses bmm."""
    from ..backend import numpy

    if other._data.ndim <= 2:
        if other._data.ndim == 1:
            return batched(self, other.unsqueeze(1)).squeeze(-1)
        folded = self.reshape((-1, self._data.shape[-1]))
        return matmul(folded, other).reshape((*self._data.shape[:-1], other._data.shape[-1]))
    if self._data.ndim == 1:
        return batched(self.unsqueeze(0), other).squeeze(-2)
    batch = numpy.broadcast_shapes(self._data.shape[:-2], other._data.shape[:-2])
    (n, k), (k2, m) = self._data.shape[-2:], other._data.shape[-2:]
    check_inner(self, other, k == k2)
    left = self.expand((*batch, n, k)).reshape((-1, n, k))
    right = other.expand((*batch, k, m)).reshape((-1, k, m))
    return bmm_op(left, right).reshape((*batch, n, m))


def check_inner(a: Tensor, b: Tensor, fits: bool) -> None:
    """RuntimeError, in torch's words, when the inner sizes differ."""
    if fits:
        return
    x, y = a._data.shape, b._data.shape
    if len(x) == 1:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{x[0]}] and src [{y[0]}] to have the same number of elements, "
            f"but got {x[0]} and {y[0]} elements respectively"
        )
    if len(y) == 1:
        raise RuntimeError(f"size mismatch, got input ({x[0]}), mat ({x[0]}x{x[1]}), vec ({y[0]})")
    raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({x[-2]}x{x[-1]} and {y[-2]}x{y[-1]})")


def ctype(tensor: Tensor) -> str:
    """The C++ name of a dtype that torch uses in this error."""
    return tensor.dtype.c_name
