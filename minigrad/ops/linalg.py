"""Matrix products. One rule serves every combination of vectors, matrices and batches."""

from __future__ import annotations

import math
from threading import get_ident
from typing import Any

from .. import rules
from ..autograd.recording import recording_rules
from ..strides import turned
from ..tensor import Tensor
from .define import Op, binary
from .promotion import BOOL, common_shape, unsupported
from .shape import contiguous, copy_op, expand_op, reshaped, squeeze, squeeze_inplace_op, t, transpose, unsqueeze


def matmul_vjp_self(grad: Any, mat2: Any) -> Any:
    """z = self @ mat2: ∂L/∂self = grad @ mat2ᵀ, whose shape is self's.

    grad: (…, n, m), mat2: (…, k, m) → (…, n, k). torch: MmBackward0.
    Example: grad = [[1., 0.]], mat2 = [[1., 2.], [3., 4.]] → [[1., 3.]]
    """
    return rules.matmul(grad, rules.mT(mat2))


def matmul_vjp_mat2(grad: Any, self: Any) -> Any:
    """z = self @ mat2: ∂L/∂mat2 = selfᵀ @ grad, whose shape is mat2's.

    self: (…, n, k), grad: (…, n, m) → (…, k, m). torch: MmBackward0.
    Example: self = [[1., 2.]], grad = [[1., 10.]] → [[1., 10.], [2., 20.]]
    """
    return rules.matmul(rules.mT(self), grad)


def turned_vjp_self(grad: Any, mat2: Any) -> Any:
    """matmul_vjp_self for a matrix that lies column by column, (grad @ mat2ᵀ)ᵀ = mat2 @ gradᵀ, so that the gradient lies as it."""
    return rules.mT(matmul_vjp_self(mat2, grad))


def turned_vjp_mat2(grad: Any, self: Any) -> Any:
    """matmul_vjp_mat2 for a matrix that lies column by column, such as wᵀ: the gradient lies as it, and w's is contiguous."""
    return rules.mT(matmul_vjp_mat2(self, grad))


def mv_vjp_self(grad: Any, vec: Any) -> Any:
    """z = matrix @ vec: each row's gradient is vec, scaled by that row's gradient. torch: MvBackward0."""
    return rules.reshape(grad, (-1, 1)) * vec


def mv_vjp_vec(grad: Any, self: Any) -> Any:
    """z = matrix @ vec: the transposed matrix carries the gradient back."""
    return rules.matmul(rules.mT(self), grad)


def numbers_only(kernel: str, always: bool = False) -> Any:
    """The product of numbers; torch has none of bools, unless there is nothing to multiply (always: even then)."""

    def forward(x: Any, y: Any) -> Any:
        if x.dtype.kind == "b" and (always or (x.size and y.size)):
            raise unsupported(kernel, x)
        return x @ y

    return forward


def product(vjp_self: Any, vjp_mat2: Any) -> Any:
    """The operation of two matrices with these rules."""
    return binary("mm", "MmBackward0", rules.matmul, fitting=True, self=vjp_self, mat2=vjp_mat2)


mm_op = product(matmul_vjp_self, matmul_vjp_mat2)
MM_TURNED = {  # by whether each of the matrices is `turned`
    (False, False): mm_op,
    (False, True): product(matmul_vjp_self, turned_vjp_mat2),
    (True, False): product(turned_vjp_self, matmul_vjp_mat2),
    (True, True): product(turned_vjp_self, turned_vjp_mat2),
}
bmm_op = Op("BmmBackward0", numbers_only("bmm"), self=matmul_vjp_self, mat2=matmul_vjp_mat2)
mv_op = binary("mv", "MvBackward0", rules.matmul, fitting=True, self=mv_vjp_self, vec=mv_vjp_vec)
dot_op = binary(
    "dot",
    "DotBackward0",
    numbers_only("dot", True),
    fitting=True,
    self=lambda grad, tensor: grad * tensor,
    tensor=lambda grad, self: grad * self,
)


def matmul(self: Tensor, other: Tensor) -> Tensor:
    """The matrix product as `@` means it: vectors, matrices, and batches of matrices, broadcast (torch.matmul).

    Like torch it is made of the plain products, so the node is DotBackward0, MvBackward0, MmBackward0 or what a batch
    leads to.
    """
    if not isinstance(self, Tensor) or not isinstance(other, Tensor):
        return NotImplemented
    a, b = self._data.ndim, other._data.ndim
    if a == b == 2:
        return matrices(self, other)
    if a == 0 or b == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D")
    if a == 1 and b == 1:
        return vectors(self, other)
    if a == 2 and b == 1:
        return matrix_vector(self, other)
    if a == 1 and b == 2:
        out = squeeze_inplace_op(matrices(unsqueeze(self, 0), other), dim=0)
        out.bump_version()
        return out
    return batched(self, other)


def matrices(self: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices; errors, in torch's words, where their sizes or dtypes do not fit."""
    x, y = self._data, mat2._data
    if (dtype := x.dtype) is not y.dtype or dtype is BOOL:
        check_inner(self, mat2)
        dtypes_of_addmm(self, mat2)
    try:
        # The flags are a quick no for most matrices.
        if (x.flags.f_contiguous and turned(x)) or (y.flags.f_contiguous and turned(y)):
            return MM_TURNED[turned(x), turned(y)](self, mat2)
        return mm_op(self, mat2)
    except RuntimeError:  # NumPy has refused, and who multiplies what fits need not wait for a look at it
        check_inner(self, mat2)
        raise


def matrix_vector(self: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix and a vector; errors as above."""
    if (dtype := self._data.dtype) is not vec._data.dtype or dtype is BOOL:
        check_inner(self, vec)
        dtypes_of_addmv(vec, self, vec)
    try:
        return mv_op(self, vec)
    except RuntimeError:
        check_inner(self, vec)
        raise


def dtypes_of_addmm(self: Tensor, mat2: Tensor) -> None:
    """The error, in torch's words, for matrices of different dtypes, or of bools."""
    if self._data.dtype is not mat2._data.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {ctype(self)} != {ctype(mat2)}")
    if self._data.size and mat2._data.size:
        raise unsupported("addmm_impl_cpu_", self._data)


def dtypes_of_addmv(input: Tensor, mat: Tensor, vec: Tensor) -> None:
    """The error, in torch's words, for input + mat @ vec of different dtypes, or of bools."""
    if not input._data.dtype is mat._data.dtype is vec._data.dtype:
        names = [t.dtype.type_name for t in (input, mat, vec)]
        raise RuntimeError("addmv input tensors must have the same dtype, but got {}, {}, and {}".format(*names))
    if input._data.dtype.kind == "b" and mat._data.size:
        raise unsupported("addmv_impl_cpu", input._data)


def vectors(self: Tensor, tensor: Tensor) -> Tensor:
    """The inner product of two vectors, once their dtypes and sizes fit."""
    if self._data.dtype is not tensor._data.dtype:
        one, other = self.dtype.type_name, tensor.dtype.type_name
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {one} and {other}")
    check_inner(self, tensor)
    return dot_op(self, tensor)


def batched(self: Tensor, other: Tensor) -> Tensor:
    """matmul where an operand has three or more dimensions.

    Where torch would fold the larger operand into one matrix, so do we; else both become batches of matrices for bmm.
    """
    if folds(self, other):
        return folded(self, other)
    x, y = self._data.shape, other._data.shape
    if len(x) == len(y) == 3 and x[0] == y[0] and get_ident() in recording_rules:
        return bmm(self, other)  # as torch's rules of batches are written
    if len(x) == len(y) == 3 and x[0] != y[0]:
        if x[0] == 1 and self.requires_grad:
            return matmul(squeeze(self, 0), other)
        if y[0] == 1 and other.requires_grad:
            return matmul(self, squeeze(other, 0))
    return as_batches(self, other)


def as_batches(self: Tensor, other: Tensor) -> Tensor:
    """matmul by way of bmm, whatever the dimensions."""
    x, y = self._data.shape, other._data.shape
    batch = x[:-2] if x[:-2] == y[:-2] else common_shape([x[:-2], y[:-2]])
    left = stacked(self, batch, (1, *x) if len(x) == 1 else x[-2:])
    if len(y) == 1:
        right = unsqueeze(stacked(other, batch, y), 2)
        return copy_op(squeeze(bmm(left, right), -1), shape=(*batch, *x[-2:-1]))
    right = stacked(other, batch, y[-2:])
    return copy_op(bmm(left, right), shape=(*batch, *x[-2:-1], y[-1]) if len(x) > 1 else (*batch, y[-1]))


def stacked(operand: Tensor, batch: tuple[int, ...], shape: tuple[int, ...]) -> Tensor:
    """An operand stretched over the common batch, whose dimensions become one: the b of bmm."""
    return reshaped(expand_op(operand, shape=(*batch, *shape)), (math.prod(batch), *shape))


def folds(self: Tensor, other: Tensor) -> bool:
    """Whether torch multiplies the larger operand as one matrix (should_fold in ATen/native/LinearAlgebra.cpp)."""
    larger, smaller = (self, other) if self._data.ndim >= other._data.ndim else (other, self)
    if larger._data.ndim < 3 or smaller._data.ndim > 2:
        return False
    if smaller.requires_grad:
        return True  # else the backward pass would expand it
    if self._data.ndim == 2:
        return False
    array = larger.storage() if larger is self else larger.storage().swapaxes(-1, -2)
    steps, sizes = array.strides, array.shape
    loose = array.base is None  # in a new array the stride of a dimension of size 1 is NumPy's own choice
    return not array.size or all(
        (loose and sizes[i] == 1) or steps[i] == steps[i + 1] * sizes[i + 1] for i in range(array.ndim - 2)
    )


def folded(self: Tensor, other: Tensor) -> Tensor:
    """matmul of a stack of matrices and a matrix or vector, the stack as one tall matrix."""
    turned = other._data.ndim > self._data.ndim
    tall = transpose(other, -1, -2) if turned else self
    flat = (t(self) if self._data.ndim == 2 else self) if turned else other
    shape = tall._data.shape
    rows = reshaped(tall, (math.prod(shape[:-1]), shape[-1]))
    if flat._data.ndim == 1:
        return copy_op(matrix_vector(rows, flat), shape=shape[:-1])
    out = copy_op(matrices(rows, flat), shape=(*shape[:-1], flat._data.shape[1]))
    return contiguous(transpose(out, -1, -2)) if turned else out


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The products of two batches of matrices (torch.bmm). input: (b, n, k), mat2: (b, k, m) → (b, n, m)."""
    for name, batch in (("batch1", input), ("batch2", mat2)):
        if batch._data.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    x, y = input._data.shape, mat2._data.shape
    if y[:2] != (x[0], x[2]):
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{x[0]}, {x[2]}] but got: {list(y[:2])}."
        )
    if input._data.dtype is not mat2._data.dtype:
        # small ones torch computes itself; else BLAS does, or, of whole numbers, one product after the other
        small = math.prod(x[1:]) * y[2] < 400
        if not small and mat2._data.dtype.char not in "fd":
            dtypes_of_addmm(input, mat2)
        if input._data.dtype.kind != "b":
            expected, found = (input.dtype, mat2.dtype) if small else (mat2.dtype, input.dtype)
            raise RuntimeError(f"expected scalar type {expected.type_name} but found {found.type_name}")
    return bmm_op(input, mat2)


def check_inner(a: Tensor, b: Tensor) -> None:
    """RuntimeError, in torch's words, when the inner sizes differ."""
    x, y = a._data.shape, b._data.shape
    if x[-1] == y[-2:][0]:
        return
    if len(x) == 1:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{x[0]}] and src [{y[0]}] to have the same number of elements, "
            f"but got {x[0]} and {y[0]} elements respectively"
        )
    if len(y) == 1:
        raise RuntimeError(f"size mismatch, got input ({x[0]}), mat ({x[0]}x{x[1]}), vec ({y[0]})") from None
    raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({x[-2]}x{x[-1]} and {y[-2]}x{y[-1]})") from None


def ctype(tensor: Tensor) -> str:
    """The C++ name of a dtype that torch uses in some errors."""
    return tensor.dtype.c_name
