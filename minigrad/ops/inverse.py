"""Square matrices: the inverse, linear equations, the determinant. Their own linear algebra is LAPACK's, by way of NumPy.

Everything works on batches: A is (…, n, n). As in torch, inverses and solutions lie in memory column by column.
"""

from __future__ import annotations

import math
from typing import Any

from .. import rules
from ..backend import array_module, in_single, numpy, to_host
from ..return_types import return_type
from ..size import contiguous_format
from ..tensor import Tensor, from_array
from .arguments import Bool, Int, as_int
from .define import Op
from .linalg import matmul
from .masks import where
from .promotion import common_shape, unsupported
from .reduce import RETURN_TYPES
from .shape import clone
from .validate import flag

SIGN = ("sign", "logabsdet")
RETURN_TYPES |= {name: return_type(name, SIGN) for name in ("slogdet", "linalg_slogdet")}


class _LinAlgError(RuntimeError):
    """A matrix without an inverse (torch.linalg.LinAlgError)."""


# ------------------------------------------------------------------ rules


def inverse_vjp(grads: Any, inverse: Any) -> Any:
    """Z = A⁻¹, dZ = -A⁻¹ dA A⁻¹: ∂L/∂A = -A⁻ᵀ grad A⁻ᵀ, with the inverse that is there already."""
    turned = rules.mT(inverse)
    return -(turned @ (grads[0] @ turned))


def det_vjp(grad: Any, A: Any, result: Any) -> Any:
    """z = det A, dz = det A · tr(A⁻¹ dA): ∂L/∂A = grad · det A · A⁻ᵀ.

    A singular one gets 0, as in torch, although the minors are its derivatives: these it gets, as there, where the rule is
    recorded, and inside of torch.func.
    """
    if not math.prod(A.shape):
        return rules.zeros(A, tuple(A.shape))
    if A.shape[-1] == 1:
        return rules.expand(rules.unsqueeze(rules.unsqueeze(grad, -1), -1), tuple(A.shape))  # det A = A
    value = rules.raw(result)
    singular = value == 0
    if rules.is_tensor(A) or (singular.any() and inside_func()):
        near = abs(value) < 100 * numpy.finfo(value.dtype).eps
        if near.all():
            return minors(grad, A)
        if near.any():  # in a batch, one by one
            return rules.stack([det_vjp(grad[i], A[i], result[i]) for i in range(len(A))], 0)
    elif singular.any():
        A = rules.where(singular[..., None, None], identity(A), A)
    return turned_inverse(A, grad * result)


def minors(grad: Any, A: Any) -> Any:
    """∂ det A/∂A where A has no inverse: with A = U diag(S) Vᵀ, det A = det(U Vᵀ) ∏S, so det(U Vᵀ) · U diag(∏ other S) Vᵀ.

    torch: linalg_det_backward. Example: A = [[1., 1.], [1., 1.]] → [[1., -1.], [-1., 1.]]
    """
    from .decompositions import svd_op  # which builds on this module

    U, S, Vh = svd_op.of(A, full_matrices=False)
    scales = [det_op.of(U) * det_op.of(Vh) * grad] * S.shape[-1]
    for i in range(len(scales)):
        for j in range(len(scales)):
            scales[i] = scales[i] * S[..., j] if j != i else scales[i]
    return (U * rules.unsqueeze(rules.stack(scales, -1), -2)) @ Vh


def inside_func() -> bool:
    """Whether a function transformation runs, which torch records even where nobody asks for it."""
    from ..autograd.function import transforms  # needed by few programs

    return bool(transforms.get())


def identity(A: Any) -> Any:
    """The identity matrix of A's size, as an array of its dtype."""
    return array_module(rules.raw(A)).eye(A.shape[-1], dtype=rules.raw_dtype(A))


def turned_inverse(A: Any, factor: Any) -> Any:
    """factor · A⁻ᵀ, as the solution G of Aᵀ G = factor · I, which is how torch finds it. factor: (…)."""
    diagonal = rules.where(identity(A) == 1, rules.unsqueeze(rules.unsqueeze(factor, -1), -1), 0.0)
    return solve_op.of(rules.mT(A), diagonal, left=True, vector=False)


def slogdet_vjp(grads: Any, A: Any) -> Any:
    """logabsdet = ln |det A|: ∂L/∂A = grad · A⁻ᵀ; the sign is the same nearby.

    A singular A gets infinities and nan, as in torch; where the rule is recorded, both raise.
    """
    if grads[1] is None:
        return None
    try:
        return turned_inverse(A, grads[1])
    except _LinAlgError:
        if rules.is_tensor(A):
            raise
        return array_module(A).asarray(turned_by_elimination(to_host(A), to_host(grads[1])))


def turned_by_elimination(A: numpy.ndarray, factor: numpy.ndarray) -> numpy.ndarray:
    """factor · A⁻ᵀ of matrices some of which are singular: there it is divided by the zeros on the diagonal of U, as in torch,
    which solves with the LU factors of Aᵀ (linalg_lu_solve)."""
    out = numpy.empty_like(A)
    for place in numpy.ndindex(A.shape[:-2]):
        U, G = eliminated(A[place].T, numpy.diag(numpy.full(A.shape[-1], factor[place])))
        for row in reversed(range(len(U))):
            G[row] /= U[row, row]
            G[:row] -= U[:row, row, None] * G[row]
        out[place] = G
    return out


def solve_vjp_B(grad: Any, A: Any, left: bool, vector: bool) -> Any:
    """A X = B, so that dX = A⁻¹ dB: ∂L/∂B solves Aᵀ Y = grad; for X A = B it solves Y Aᵀ = grad."""
    turned = rules.swapaxes(A, -1, -2)
    if not vector:
        return solve_op.of(turned, grad, left=left, vector=False)
    return rules.squeeze(solve_op.of(turned, rules.unsqueeze(grad, -1), left=left, vector=False), -1)


def solve_vjp_A(grad: Any, A: Any, result: Any, left: bool, vector: bool) -> Any:
    """A X = B, dA X + A dX = 0: ∂L/∂A = -Y Xᵀ, where Y is B's gradient; for X A = B it is -Xᵀ Y."""
    other = solve_vjp_B(grad, A, left, vector)
    if vector:
        other, result = rules.unsqueeze(other, -1), rules.unsqueeze(result, -1)
    return -(other @ rules.mT(result) if left else rules.mT(result) @ other)


# ------------------------------------------------------------------ entries


def by_columns(x: Any) -> Any:
    """Matrices that lie in memory column by column."""
    return x.mT.copy().mT


def lapack(name: str, *arrays: Any) -> Any:
    """A function of linear algebra. NumPy computes in double precision and warns where the result overflows its dtype."""
    module = array_module(arrays[0])
    if module is not numpy and name in ("inv", "solve") and (module.linalg.slogdet(arrays[0])[0] == 0).any():
        raise numpy.linalg.LinAlgError  # which CuPy does not
    with numpy.errstate(over="ignore"):
        return getattr(module.linalg, name)(*arrays)


def _inverse(x: Any) -> tuple[Any]:
    try:
        return (by_columns(lapack("inv", x)),)
    except numpy.linalg.LinAlgError as error:
        element, place = singular_place(x)
        raise _LinAlgError(
            f"linalg.inv: {element}The diagonal element {place} is zero, the inversion could not be completed because the "
            "input matrix is singular."
        ) from error


def _solve(a: Any, b: Any, left: bool, vector: bool) -> Any:
    if a.dtype.itemsize == 2:  # which has come here only where there is nothing to compute
        return _solve(a.astype(numpy.float32), b, left, vector).astype(a.dtype)
    b = b[..., None] if vector else b
    if not left:
        a, b = a.mT, b.mT
    if array_module(a) is not numpy:  # CuPy's takes no matrix beside a batch
        batch = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a, b = (array_module(m).broadcast_to(m, (*batch, *m.shape[-2:])) for m in (a, b))
    try:
        x = lapack("solve", a, b.astype(a.dtype, copy=False))
    except numpy.linalg.LinAlgError as error:
        raise _LinAlgError(
            f"torch.linalg.solve: {singular_place(a)[0]}The solver failed because the input matrix is singular."
        ) from error
    x = by_columns(x) if left else x.mT.copy()
    return x[..., 0].copy() if vector else x


def singular_place(x: Any) -> tuple[str, int]:
    """Which of some matrices, not all of them invertible, is the first that is singular, in torch's words for an error;
    and the place, counted from 1, of the first zero that elimination leaves on its diagonal."""
    for number, matrix in enumerate(to_host(x).reshape(-1, *x.shape[-2:])):
        zeros = numpy.flatnonzero(eliminated(matrix, matrix[:, :0])[0].diagonal() == 0)
        if zeros.size:
            return f"(Batch element {number}): " if x.ndim > 2 else "", int(zeros[0]) + 1
    return "", x.shape[-1]


def eliminated(matrix: numpy.ndarray, beside: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """U and L⁻¹ P beside, where P matrix = L U, with the largest number of each column on the diagonal: Gaussian elimination."""
    rows = numpy.concatenate([matrix, beside], 1)
    for place in range(len(rows)):
        largest = place + int(abs(rows[place:, place]).argmax())
        rows[[place, largest]] = rows[[largest, place]]
        if rows[place, place] != 0:
            below = rows[place + 1 :]
            below -= (below[:, place] / rows[place, place])[:, None] * rows[place]
    return rows[:, : len(rows)], rows[:, len(rows) :]


@in_single
def _det(x: Any) -> Any:
    return array_module(x).asarray(lapack("det", x))


inverse_op = Op("LinalgInvExBackward0", _inverse, outputs=("inverse",), A=inverse_vjp)
det_op = Op("LinalgDetBackward0", _det, A=det_vjp)
slogdet_op = Op(
    "LinalgSlogdetBackward0", lambda x: tuple(map(array_module(x).asarray, lapack("slogdet", x))),
    outputs=SIGN, A=slogdet_vjp,
)  # fmt: skip
solve_op = Op("LinalgSolveExBackward0", _solve, stretches=True, A=solve_vjp_A, B=solve_vjp_B)


# ------------------------------------------------------------------ functions


def check_square(name: str, A: Tensor) -> None:
    """RuntimeError, in torch's words, for what is no square matrix, or batch of them."""
    shape = A._data.shape
    if len(shape) < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if shape[-1] != shape[-2]:
        raise RuntimeError(
            f"{name}: A must be batches of square matrices, but they are {shape[-2]} by {shape[-1]} matrices"
        )


def check_floats(name: str, A: Tensor, low: bool = False) -> None:
    """RuntimeError, in torch's words, for whole numbers, and for half precision unless `low` ones are taken."""
    if A._data.dtype.kind != "f":
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {A.dtype.type_name}")
    if A._data.dtype.itemsize == 2 and not low:
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {A.dtype.type_name}")


def no_half(kernel: str, A: Tensor) -> None:
    """NotImplementedError, in torch's words, for half precision, where there is something to compute."""
    if A._data.dtype.itemsize == 2 and A._data.size:
        raise unsupported(kernel, A._data)


def inverse(input: Tensor) -> Tensor:
    """The inverse of a matrix, or of each of a batch; LinAlgError where it has none (torch.inverse)."""
    check_square("linalg.inv", input)
    check_floats("linalg.inv", input)
    return inverse_op(input)[0]


def det(input: Tensor) -> Tensor:
    """The determinant of a square matrix, or of each of a batch (torch.det). (…, n, n) → (…)."""
    check_square("linalg.det", input)
    check_floats("linalg.det", input, low=True)
    no_half("lu_cpu", input)
    return det_op(input)


def slogdet(input: Tensor) -> Any:
    """The sign of the determinant, and the logarithm of its size (torch.slogdet). (…, n, n) → (…) and (…)."""
    check_square("linalg.slogdet", input)
    check_floats("linalg.slogdet", input)
    return RETURN_TYPES["slogdet"](slogdet_op(input))


def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant; nan where that is negative (torch.logdet)."""
    check_square("logdet", input)
    check_floats("logdet", input)
    sign, size = slogdet_op(input)
    return where(sign == -1, numpy.nan, size)


def matrix_power(input: Tensor, n: Int) -> Tensor:
    """A matrix times itself, n times over; for negative n the inverse is taken (torch.matrix_power)."""
    check_square("linalg.matrix_power", input)
    if (n := as_int(n)) == 0:
        return clone(input, memory_format=contiguous_format).copy_(from_array(identity(input)))
    base = inverse(input) if n < 0 else input
    if abs(n) == 1:
        return base if n < 0 else clone(base, memory_format=contiguous_format)
    if abs(n) == 3:
        return matmul(matmul(base, base), base)
    found, left = None, abs(n)
    while left:
        if left % 2:
            found = base if found is None else matmul(found, base)
        left //= 2
        base = matmul(base, base) if left else base
    assert found is not None
    return found


def solve(A: Tensor, B: Tensor, *, left: Bool = True) -> Tensor:
    """The X for which A X = B, or X A = B if not `left` (torch.linalg.solve).

    A: (…, n, n), B: (…, n, k), or (…, n) for a vector, which is (n,) or has A's batch dimensions.
    """
    flag(left)
    shape, other = A._data.shape, B._data.shape
    check_floats("linalg.solve", A, low=True)
    check_square("linalg.solve", A)
    if A._data.dtype is not B._data.dtype:
        raise RuntimeError(
            f"linalg.solve: Expected A and B to have the same dtype, but found A of type {A.dtype.type_name} and B of type "
            f"{B.dtype.type_name} instead"
        )
    vector = len(other) == 1 or (len(shape) - 1 == len(other) and other == shape[:-1])
    if not other:
        raise RuntimeError("linalg.solve: The input tensor B must have at least 2 dimensions.")
    columns = (*other, 1) if vector else other
    if shape[-2 if left else -1] != columns[-2 if left else -1]:
        raise RuntimeError(
            f"linalg.solve: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B ({shape[-2]}x{shape[-1]} "
            f"and {columns[-2]}x{columns[-1]})"
        )
    if vector and not left:
        raise RuntimeError(
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case linalg.solve is "
            "equivalent to B / A.squeeze(-1)"
        )
    common_shape([columns[:-2], shape[:-2]])
    no_half("lu_cpu", A)
    return solve_op(A, B, left=left, vector=vector)
