"""Equations with a triangular matrix, and those with a matrix of which the Cholesky factor is known.

They are solved row by row, as on paper; NumPy has no LAPACK routine for them. How a matrix is brought into such a form is
in decompositions.py, equations with any square matrix are in inverse.py. As there, solutions lie in memory column by column.
"""

from __future__ import annotations

from typing import Any

from .. import rules
from ..backend import array_module, numpy
from ..tensor import Tensor, from_array
from .arguments import Bool
from .define import Op
from .inverse import by_columns, check_square
from .promotion import common_shape, unsupported
from .validate import flag


def triangle(x: Any, upper: bool, beside: int = 0) -> Any:
    """The upper or lower triangle of matrices (…, m, n), zeros elsewhere; without the `beside` diagonals next to the others.

    Example: [[1., 2.], [3., 4.]], upper = True → [[1., 2.], [0., 4.]]; beside = 1 → [[0., 2.], [0., 0.]]
    """
    if rules.is_tensor(x):
        return x.triu(beside) if upper else x.tril(-beside)
    return array_module(x).triu(x, beside) if upper else array_module(x).tril(x, -beside)


# ------------------------------------------------------------------ rules


def solve_triangular_vjp_B(grad: Any, self: Any, upper: bool, left: bool, unitriangular: bool) -> Any:
    """A X = B, so that dX = A⁻¹ dB: ∂L/∂B solves Aᵀ Y = grad; for X A = B it solves Y Aᵀ = grad.

    grad: (…, n, k). self: A, (…, n, n), whose other triangle is not looked at. torch: linalg_solve_triangular_backward.
    Example: grad = [[1.], [1.]], self = [[2., 4.], [0., 1.]], upper, left → [[0.5], [-1.]]
    """
    return solve_triangular_op.of(rules.mT(self), grad, upper=not upper, left=left, unitriangular=unitriangular)


def solve_triangular_vjp_A(grad: Any, self: Any, result: Any, upper: bool, left: bool, unitriangular: bool) -> Any:
    """A X = B, dA X + A dX = 0: ∂L/∂A = -Y Xᵀ in A's triangle, where Y is B's gradient; for X A = B it is -Xᵀ Y.

    result: X. unitriangular: the diagonal was taken for ones, and gets no gradient.
    Example: grad = [[1.], [1.]], self = [[2., 4.], [0., 1.]], result = [[1.], [2.]], upper, left → [[-0.5, -1.], [0., 2.]]
    """
    other, turned = solve_triangular_vjp_B(grad, self, upper, left, unitriangular), rules.mT(result)
    return triangle(-(other @ turned) if left else -(turned @ other), upper, int(unitriangular))


def cholesky_solve_vjp_B(grad: Any, input2: Any, upper: bool) -> Any:
    """L Lᵀ X = B, where L Lᵀ is symmetric: ∂L/∂B is the solution for grad. Shapes as B's, (…, n, k).

    Example: grad = [[4.]], input2 = L = [[2.]] → [[1.]]
    """
    return cholesky_solve_op.of(grad, input2, upper=upper)


def cholesky_solve_vjp_L(grad: Any, input2: Any, result: Any, upper: bool) -> Any:
    """A = L Lᵀ, dA = dL Lᵀ + L dLᵀ: ∂L/∂L = -(Y Xᵀ + X Yᵀ) L, where Y is B's gradient; with U = Lᵀ it is -U (Y Xᵀ + X Yᵀ).

    torch: cholesky_solve_backward, which leaves the other triangle as it comes.
    Example: grad = [[4.]], input2 = L = [[2.]], result = X = [[3.]] → [[-12.]]
    """
    product = cholesky_solve_vjp_B(grad, input2, upper) @ rules.mT(result)
    both = product + rules.mT(product)
    return -(input2 @ both) if upper else -(both @ input2)


# ------------------------------------------------------------------ entries


def _solve_triangular(a: Any, b: Any, upper: bool, left: bool, unitriangular: bool) -> Any:
    check_square("linalg.solve_triangular", from_array(a))  # in rules as well, which have no other place for it
    check_kernel("triangular_solve_cpu", a)
    if left:
        return solved(a, b, upper, unitriangular)
    return by_columns(solved(a.mT, b.mT, not upper, unitriangular).mT)  # X A = B is Aᵀ Xᵀ = Bᵀ


def solved(a: Any, b: Any, upper: bool, unitriangular: bool = False) -> Any:
    """The solution of A X = B, row by row: the last one first for an upper triangle."""
    batch = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    x = by_columns(array_module(b).broadcast_to(b, (*batch, *b.shape[-2:])).astype(a.dtype, copy=False))
    n = a.shape[-1]
    for i in reversed(range(n)) if upper else range(n):
        known = slice(i + 1, n) if upper else slice(0, i)
        if known.start < known.stop:
            x[..., i, :] -= (a[..., i : i + 1, known] @ x[..., known, :])[..., 0, :]
        if not unitriangular:
            x[..., i, :] /= a[..., i, i, None]
    return x


def check_kernel(name: str, x: Any) -> None:
    """NotImplementedError, in torch's words, for arrays of other dtypes than single and double precision."""
    if x.dtype.kind != "f" or x.dtype.itemsize == 2:
        raise unsupported(name, x)


def _cholesky_solve(b: Any, factor: Any, upper: bool) -> Any:
    check_kernel("cholesky_solve_cpu", b)
    lower = factor.mT if upper else factor
    return solved(lower.mT, solved(lower, b, upper=False), upper=True)


solve_triangular_op = Op(
    "LinalgSolveTriangularBackward0",
    _solve_triangular,
    stretches=True,
    self=solve_triangular_vjp_A,
    B=solve_triangular_vjp_B,
)
cholesky_solve_op = Op(
    "CholeskySolveBackward0", _cholesky_solve, stretches=True, self=cholesky_solve_vjp_B, input2=cholesky_solve_vjp_L
)


# ------------------------------------------------------------------ functions


def linalg_solve_triangular(
    input: Tensor, B: Tensor, *, upper: Bool, left: Bool = True, unitriangular: Bool = False
) -> Tensor:
    """The X for which A X = B, or X A = B if not `left`, where A is triangular (torch.linalg.solve_triangular).

    input: A, (…, n, n), of which only one triangle is looked at, without its diagonal if `unitriangular`. B: (…, n, k).
    """
    flag(upper), flag(left), flag(unitriangular)
    shape, other = input._data.shape, B._data.shape
    check_square("linalg.solve_triangular", input)
    if len(other) < 2:
        raise RuntimeError("linalg.solve_triangular: The input tensor B must have at least 2 dimensions.")
    if shape[-2 if left else -1] != other[-2 if left else -1]:
        raise RuntimeError(
            f"linalg.solve_triangular: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B "
            f"({shape[-2]}x{shape[-1]} and {other[-2]}x{other[-1]})"
        )
    common_shape([other[:-2], shape[:-2]])
    return solve_triangular_op(input, B, upper=upper, left=left, unitriangular=unitriangular)


def cholesky_solve(input: Tensor, input2: Tensor, upper: Bool = False) -> Tensor:
    """The X for which A X = B, from the Cholesky factor of A (torch.cholesky_solve).

    input: B, (…, n, k). input2: L with A = L Lᵀ, (…, n, n), or if `upper` U with A = Uᵀ U.
    """
    flag(upper)
    other, shape = input._data.shape, input2._data.shape
    for name, sizes in (("b", other), ("u", shape)):
        if len(sizes) < 2:
            raise RuntimeError(f"{name} should have at least 2 dimensions, but has {len(sizes)} dimensions instead")
    if input._data.dtype is not input2._data.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {input.dtype.type_name} and A of type "
            f"{input2.dtype.type_name} instead."
        )
    if shape[-2] != shape[-1]:
        raise RuntimeError(f"A must be batches of square matrices, but they are {shape[-2]} by {shape[-1]} matrices")
    if shape[-1] != other[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for cholesky_solve: each A matrix is {shape[-1]} by {shape[-1]} but each b matrix is "
            f"{other[-2]} by {other[-1]}"
        )
    common_shape([other[:-2], shape[:-2]])
    return cholesky_solve_op(input, input2, upper=upper)
