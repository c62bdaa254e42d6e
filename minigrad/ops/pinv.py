"""What is made of singular values: the pseudo-inverse and the rank of matrices.

The decompositions themselves are in decompositions.py. Not here: norms of singular values, and the condition.
"""

from __future__ import annotations

from typing import Any

from .. import rules
from ..backend import array_module, numpy
from ..tensor import Tensor, from_array
from .arguments import Bool, Float, is_number
from .decompositions import _eigh, _svd, linalg_eigvalsh, linalg_svdvals
from .define import Op
from .inverse import by_columns, check_square
from .promotion import common_shape
from .reduce import real_dim
from .validate import ABSENT, flag, number


def pinv_vjp(grad: Any, self: Any, result: Any) -> Any:
    """P = A⁺, dP = -P dA P + P Pᵀ dAᵀ (I - A P) + (I - P A) dAᵀ Pᵀ P: ∂L/∂A is its adjoint, as torch's pinv_backward has it.

    grad and result: (…, n, m), self: A, (…, m, n). Golub & Pereyra, The differentiation of pseudo-inverses (1973), eq. 4.12.
    Example: grad = [[1.]], self = [[2.]], result = [[0.5]] → [[-0.25]]
    """
    m, n = self.shape[-2:]
    P, Ph, gh = result, rules.mT(result), rules.mT(grad)
    if m <= n:  # so that the products are of the smallest matrices
        K = gh @ P
        KPh = K @ Ph
        found = -rules.mT(P @ K) + KPh - (self @ P) @ KPh + (Ph @ P) @ (gh - K @ self)
    else:
        K = P @ gh
        PhK = Ph @ K
        found = -rules.mT(K @ P) + (gh - self @ K) @ P @ Ph + PhK - PhK @ P @ self
    return found if rules.is_tensor(found) else by_columns(found)  # as the first of the sum lies


def limit(atol: Any, rtol: Any, largest: Any) -> Any:
    """Up to where singular values count as 0: the larger one of atol and rtol · the largest of them, which is (…, 1). atol,
    rtol: arrays, () or (…), which may give a single matrix a batch of limits."""
    common_shape([(*rtol.shape, 1), largest.shape])
    relative = rtol[..., None] * largest
    common_shape([(*atol.shape, 1), relative.shape])
    return array_module(largest).maximum(atol[..., None], relative)


def tolerances(x: Any, atol: Any, rtol: Any) -> tuple[Any, Any]:
    """atol and rtol, numbers, tensors or None, as arrays. Without rtol it is max(m, n) · ε, and 0 where atol is positive."""
    absolute = as_array(x, 0.0 if atol is None else atol)
    if rtol is not None:
        return absolute, as_array(x, rtol)
    if x.dtype.name not in ("float32", "float64"):
        raise RuntimeError("This function doesn't handle types other than float and double")
    default = float(numpy.finfo(x.dtype).eps) * max(x.shape[-2:])
    return absolute, array_module(x).where(absolute > 0, 0.0, default)


def as_array(x: Any, value: Any) -> Any:
    """A tolerance as an array beside x; a single number may come from another device."""
    if isinstance(value, Tensor):
        if value._data.ndim:
            return value._data
        value = value.item()
    return array_module(x).asarray(value, dtype=float)


def are_tolerances(older: Any, atol: Any, rtol: Any) -> bool:
    """Whether these are tolerances, or None; the older one stands alone, if it is given."""
    given = [value for value in (atol, rtol) if value is not None]
    if older is not ABSENT:
        given = [older, *given] if not given else [None]
    return all(isinstance(value, Tensor) or is_number(value) for value in given)


# ------------------------------------------------------------------ entries


def _pinv(x: Any, atol: Any, rtol: Any, hermitian: bool) -> Any:
    module = array_module(x)
    if not x.size:
        return module.zeros(x.mT.shape, x.dtype)
    if hermitian:
        values, V = _eigh(x, "L")
        sizes, Uh = abs(values), V.mT
        largest = sizes.max(-1, keepdims=True)
    else:
        U, values, Vh = _svd(x, False)
        sizes, V, Uh = values, Vh.mT, U.mT
        largest = values[..., :1]
    counts = sizes > limit(atol, rtol, largest)
    inverted = module.where(counts, 1 / module.where(counts, values, 1), 0)
    return (V * inverted[..., None, :].astype(x.dtype, copy=False)) @ Uh


pinv_op = Op("LinalgPinvBackward0", _pinv, stretches=True, self=pinv_vjp)


# ------------------------------------------------------------------ functions


def linalg_pinv(
    input: Tensor,
    rcond: Any = ABSENT,
    hermitian: Bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
) -> Tensor:
    """The pseudo-inverse: what solves equations with A best in least squares (torch.linalg.pinv). (…, m, n) → (…, n, m).

    Singular values up to the larger one of atol and rtol · the largest of them count as 0. rcond: an older name of rtol.
    hermitian: A is symmetric, and its eigenvalues are taken.
    """
    if not are_tolerances(rcond, atol, rtol):
        return NotImplemented
    flag(hermitian)
    x = input._data
    if is_number(atol) and not isinstance(atol, Tensor) and rtol is None:
        real_dim(-2, x.ndim)
    if x.ndim < 2 or x.dtype.kind != "f" or x.dtype.itemsize == 2:
        raise RuntimeError(
            f"linalg.pinv({input.dtype.type_name}{{{list(x.shape)}}}): expected a tensor with 2 or more dimensions of float, "
            "double, cfloat or cdouble types"
        )
    absolute, relative = tolerances(x, atol, rtol if rcond is ABSENT else rcond)
    if hermitian and x.size:
        check_square("linalg.eigh", input)
    return pinv_op(input, atol=absolute, rtol=relative, hermitian=hermitian)


def pinverse(input: Tensor, rcond: Float = 1e-15) -> Tensor:
    """The pseudo-inverse, with the older default for rcond (torch.pinverse). (…, m, n) → (…, n, m)."""
    return linalg_pinv(input, number(rcond))


def linalg_matrix_rank(
    input: Tensor, tol: Any = ABSENT, hermitian: Bool = False, *, atol: Any = None, rtol: Any = None
) -> Tensor:
    """How many singular values are not 0, as pinv counts them (torch.linalg.matrix_rank). (…, m, n) → (…), whole numbers.

    tol: an older name of atol. hermitian: the matrix is symmetric, and its eigenvalues are taken.
    """
    if not are_tolerances(tol, atol, rtol):
        return NotImplemented
    flag(hermitian)
    x = input._data
    if x.ndim < 2:
        raise RuntimeError("torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions.")
    absolute, relative = tolerances(x, *((atol, rtol) if tol is ABSENT else (tol, 0.0)))
    if not x.size:
        return from_array(array_module(x).zeros(x.shape[:-2], numpy.int64))
    sizes = abs(linalg_eigvalsh(input)._data) if hermitian else linalg_svdvals(input)._data
    return from_array(
        array_module(x).asarray((sizes > limit(absolute, relative, sizes.max(-1, keepdims=True))).sum(-1))
    )
