"""torch.linalg: products, norms and decompositions of matrices, the inverse, linear equations, the determinant.

What is here is what programs ask for most; of eigenvalues those of symmetric matrices, as others are complex.
"""

from __future__ import annotations

import functools
import math
from typing import Any

from .dtypes import BY_NUMPY, as_numpy
from .errors import refusing
from .ops import decompositions, inverse, norms, products, triangular, views
from .ops import linalg as plain
from .ops import pinv as singular
from .ops.arguments import Bool, Dtype, Int, IntList, Ints, Number, Tensors, as_int, as_tensors, is_number
from .ops.inverse import RETURN_TYPES, _LinAlgError, check_floats
from .ops.lazy import at_home, plain_function
from .ops.reduce import one_dim
from .tensor import Tensor

__all__ = [
    "LinAlgError", "cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "matmul", "matrix_norm", "matrix_power",
    "matrix_rank", "multi_dot", "norm", "pinv", "qr", "slogdet", "solve", "solve_triangular", "svd", "svdvals", "vecdot",
    "vector_norm",
]  # fmt: skip

__getattr__ = refusing(__name__)
LinAlgError = _LinAlgError


def linalg_inv(A: Tensor) -> Tensor:
    """The inverse of a matrix, or of each of a batch; LinAlgError where it has none (torch.linalg.inv)."""
    return inverse.inverse(A)


def linalg_det(A: Tensor) -> Tensor:
    """The determinant of a square matrix, or of each of a batch (torch.linalg.det)."""
    return inverse.det(A)


def linalg_slogdet(A: Tensor) -> Any:
    """The sign of the determinant, and the logarithm of its size (torch.linalg.slogdet)."""
    return RETURN_TYPES["linalg_slogdet"](inverse.slogdet(A))


def linalg_solve(A: Tensor, B: Tensor, *, left: Bool = True) -> Tensor:
    """The X for which A X = B, or X A = B if not `left`; B may be a vector (torch.linalg.solve)."""
    return inverse.solve(A, B, left=left)


def linalg_matrix_power(input: Tensor, n: Int) -> Tensor:
    """A matrix times itself, n times over; for negative n the inverse is taken (torch.linalg.matrix_power)."""
    return inverse.matrix_power(input, n)


def linalg_matmul(input: Tensor, other: Tensor) -> Tensor:
    """The matrix product, as `@` (torch.linalg.matmul)."""
    return plain.matmul(input, other)


def linalg_diagonal(A: Tensor, *, offset: Int = 0, dim1: Int = -2, dim2: Int = -1) -> Tensor:
    """The diagonals of the last two dimensions, a view (torch.linalg.diagonal)."""
    return views.diagonal(A, offset, dim1, dim2)


def linalg_vecdot(x: Tensor, y: Tensor, *, dim: Int = -1) -> Tensor:
    """The inner products of vectors along dim, broadcast (torch.linalg.vecdot)."""
    check_floats("linalg.vecdot", x, low=True)
    if x._data.dtype is not y._data.dtype:
        raise RuntimeError(
            f"linalg.vecdot: Expected x and y to have the same dtype, but found x of type {x.dtype.type_name} and y of type "
            f"{y.dtype.type_name} instead"
        )
    return products.vdot(x, y) if x._data.ndim == y._data.ndim == 1 else (x * y).sum(as_int(dim))


# ------------------------------------------------------------------ norms


def check_wider(name: str, x: Tensor, dtype: Any) -> None:
    """RuntimeError for a dtype that would lose some of x's digits."""
    if dtype is None or x._data.dtype.kind != "f":
        return
    wide = BY_NUMPY[as_numpy(dtype)]
    if not wide.is_floating_point:
        raise RuntimeError(f"{name}: dtype should be floating point or complex, but got {wide.type_name}")
    if wide.np.itemsize < x._data.dtype.itemsize:
        raise RuntimeError(
            f"{name}: the dtype of the input ({x.dtype.type_name}) should be convertible without narrowing to the specified "
            f"dtype ({wide.type_name})"
        )


def linalg_vector_norm(
    input: Tensor, ord: Number = 2, dim: Ints | None = None, keepdim: Bool = False, *, dtype: Dtype | None = None
) -> Tensor:
    """(Σ |input|^ord)^(1/ord) over dim, or over all; the largest |input| for inf (torch.linalg.vector_norm)."""
    return norms.vector_norm(input, ord, dim, keepdim, dtype=dtype)


def linalg_matrix_norm(
    input: Tensor, ord: Any = "fro", dim: IntList = (-2, -1), keepdim: Bool = False, *, dtype: Dtype | None = None
) -> Tensor:
    """A norm of matrices, of two dimensions (torch.linalg.matrix_norm).

    ord: "fro", the root of the sum of squares; 1 or inf, the largest sum of a column or row of |input|, -1 or -inf the
    smallest. 2, -2 and "nuc", which take singular values, are not offered: NotImplementedError.
    """
    if not isinstance(ord, str) and not is_number(ord):
        return NotImplemented
    check_ord(ord)
    if input._data.ndim < 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    check_floats("linalg.matrix_norm", input, low=True)
    if len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
    rows, columns = (one_dim(d, input._data.ndim) for d in dim)
    if rows == columns:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({rows}, {columns})")
    check_wider("linalg.matrix_norm", input, dtype)
    refuse_singular_values(ord)
    if ord == "fro":
        return norms.vector_norm(input, 2, (rows, columns), keepdim, dtype=dtype)
    if math.isinf(ord):
        rows, columns = columns, rows
    if not keepdim and rows < columns:
        columns -= 1
    sums = norms.vector_norm(input, 1.0, (rows,), keepdim, dtype=dtype)
    if ord > 0 and not sums._data.shape[columns]:
        return sums.detach().sum(columns, keepdim)  # of no columns 0, and without a history
    return (sums.amax if ord > 0 else sums.amin)(columns, keepdim)


def check_ord(ord: Any) -> None:
    """RuntimeError for what is no matrix norm."""
    if ord not in ("fro", "nuc") if isinstance(ord, str) else abs(ord) not in (1, 2, math.inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")


def refuse_singular_values(ord: Any) -> None:
    """NotImplementedError for the norms that are not offered."""
    if ord == "nuc" or (not isinstance(ord, str) and abs(ord) == 2):
        raise NotImplementedError(
            "minigrad 没有由奇异值算出的范数（2、-2、nuc）· minigrad has no norms made of singular values (2, -2, nuc)"
        )


def linalg_norm(
    input: Tensor, ord: Any = None, dim: Ints | None = None, keepdim: Bool = False, *, dtype: Dtype | None = None
) -> Tensor:
    """A norm of vectors, or of matrices where ord is given and there are two dimensions (torch.linalg.norm).

    ord: as in vector_norm or matrix_norm; None for the root of the sum of squares.
    """
    if ord is not None and not isinstance(ord, str) and not is_number(ord):
        return NotImplemented
    axes = None if dim is None else [dim] if isinstance(dim, int) else list(dim)
    over = input._data.ndim if axes is None else len(axes)
    if axes is not None and over not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {axes}")
    if axes is None and ord is not None and over not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {over}D.")
    if isinstance(ord, str) or (ord is not None and over == 2):
        return linalg_matrix_norm(input, ord, (0, 1) if axes is None else axes, keepdim, dtype=dtype)
    return linalg_vector_norm(input, 2.0 if ord is None else ord, axes, keepdim, dtype=dtype)


# ------------------------------------------------------------------ products of many


def linalg_multi_dot(tensors: Tensors) -> Tensor:
    """The product of two or more matrices, multiplied in the order that takes least work (torch.linalg.multi_dot).

    The first and the last may be vectors: a row and a column.
    """
    if not isinstance(tensors, list | tuple):
        raise TypeError("tensors")
    matrices = as_tensors(tensors)
    if len(matrices) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(matrices)}")
    first, last = matrices[0], matrices[-1]
    for name, tensor in (("first", first), ("last", last)):
        if tensor._data.ndim not in (1, 2):
            raise RuntimeError(f"multi_dot(): the {name} tensor must be 1D or 2D but got {tensor._data.ndim}D")
    shape = [*first._data.shape[: first._data.ndim - 1], *last._data.shape[1:]]
    shapes = [list(tensor._data.shape) for tensor in matrices]
    if first._data.ndim == 1:
        matrices[0] = first.unsqueeze(0)
    if last._data.ndim == 1:
        matrices[-1] = last.unsqueeze(-1)
    for number, matrix in enumerate(matrices):
        if matrix._data.ndim != 2:
            raise RuntimeError(f"multi_dot(): tensor {number} must be 2D but got {matrix._data.ndim}D")
        if matrix._data.dtype is not first._data.dtype:
            raise RuntimeError(
                f"multi_dot(): all tensors must have be the same dtype but tensor 0 is {first.dtype.c_name} and tensor {number} "
                f"{matrix.dtype.c_name}"
            )
        if number and matrices[number - 1]._data.shape[1] != matrix._data.shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {number - 1} and {number} with shapes {shapes[number - 1]} and {shapes[number]} cannot be "
                "multiplied"
            )
    return multiplied(matrices, last_first=len(matrices) == 3).view(shape)


def multiplied(matrices: list[Tensor], last_first: bool = False) -> Tensor:
    """The product of matrices in the cheapest order. last_first: of equally cheap ones, that which splits off the last."""
    if len(matrices) == 1:
        return matrices[0]
    sizes = (matrices[0]._data.shape[0], *[matrix._data.shape[1] for matrix in matrices])
    at = cheapest(sizes, last_first)[1]
    return plain.matmul(multiplied(matrices[:at]), multiplied(matrices[at:]))


@functools.lru_cache(maxsize=1024)
def cheapest(sizes: tuple[int, ...], last_first: bool = False) -> tuple[int, int]:
    """The multiplications that the product of matrices of sizes[0] x sizes[1], sizes[1] x sizes[2], … takes, and how many
    factors belong to its left half (the matrix chain problem: Cormen et al., Introduction to Algorithms, 15.2)."""
    count = len(sizes) - 1
    if count == 1:
        return 0, 0
    splits = [
        (cheapest(sizes[: k + 1])[0] + cheapest(sizes[k:])[0] + sizes[0] * sizes[k] * sizes[-1], k)
        for k in (range(count - 1, 0, -1) if last_first else range(1, count))
    ]
    return min(splits, key=lambda split: split[0])


cross, det, diagonal = map(plain_function, (products.linalg_cross, linalg_det, linalg_diagonal))
inv, matmul, matrix_norm = map(plain_function, (linalg_inv, linalg_matmul, linalg_matrix_norm))
matrix_power, multi_dot, norm = map(plain_function, (linalg_matrix_power, linalg_multi_dot, linalg_norm))
slogdet, solve, vecdot = map(plain_function, (linalg_slogdet, linalg_solve, linalg_vecdot))
vector_norm = plain_function(linalg_vector_norm)
cholesky, eigh = map(plain_function, (decompositions.linalg_cholesky, decompositions.linalg_eigh))
eigvalsh, qr = map(plain_function, (decompositions.linalg_eigvalsh, decompositions.linalg_qr))
svd, svdvals = map(plain_function, (decompositions.linalg_svd, decompositions.linalg_svdvals))
pinv, matrix_rank = map(plain_function, (singular.linalg_pinv, singular.linalg_matrix_rank))
solve_triangular = plain_function(triangular.linalg_solve_triangular)

for _name in __all__:
    at_home(globals()[_name], __name__, _name)
