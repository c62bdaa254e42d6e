"""Decompositions of matrices, with gradients: Cholesky, QR, singular values, eigenvalues of symmetric matrices.

The decompositions themselves are LAPACK's, by way of NumPy, as torch's are; where a factor's sign is open, both take
LAPACK's. Everything works on batches, (…, m, n), and factors lie in memory column by column. Not here: eigenvalues of
other matrices, which are complex, and what is made of singular values (pinv.py). The rules are torch's, as its
FunctionsManual.cpp has them, for real numbers.
"""

from __future__ import annotations

from typing import Any

from .. import rules
from ..autograd.grad_mode import records
from ..backend import array_module, in_single, numpy, to_host
from ..errors import warn_once
from ..return_types import return_type
from ..tensor import Tensor, from_array
from .arguments import Bool, Str
from .define import Op
from .inverse import _LinAlgError, by_columns, check_floats, check_square, identity, lapack, no_half
from .linalg import as_batches
from .reduce import RETURN_TYPES
from .shape import transpose
from .triangular import check_kernel, solve_triangular_op, triangle
from .validate import flag

RETURN_TYPES |= {name: return_type(name, ("Q", "R")) for name in ("qr", "linalg_qr")}
RETURN_TYPES |= {"svd": return_type("svd", ("U", "S", "V")), "linalg_svd": return_type("linalg_svd", ("U", "S", "Vh"))}
RETURN_TYPES["linalg_eigh"] = return_type("linalg_eigh", ("eigenvalues", "eigenvectors"))


# ------------------------------------------------------------------ rules


def product(x: Any, y: Any) -> Any:
    """x @ y; of batches recorded as torch.matmul is, which torch's rules of decompositions call, and not as torch.bmm."""
    batches = rules.is_tensor(x) and x._data.ndim == 3
    return as_batches(x, y) if batches else x @ y


def on_diagonal(values: Any, elsewhere: Any) -> Any:
    """The matrices `elsewhere`, (…, n, n), with these values on their diagonals: (…, n), or one number."""
    values = rules.unsqueeze(values, -2) if hasattr(values, "shape") else values
    return rules.where(identity(elsewhere) == 1, values, elsewhere)


def gaps(values: Any) -> Any:
    """values[j] - values[i] at (i, j), and ones on the diagonal, where something that is 0 is to be divided: (…, n) → (…, n, n).

    Example: [1., 3.] → [[1., 2.], [-2., 1.]]
    """
    return on_diagonal(1.0, rules.unsqueeze(values, -2) - rules.unsqueeze(values, -1))


def cholesky_vjp(grad: Any, result: Any, upper: bool) -> Any:
    """A = L Lᵀ: ∂L/∂A = L⁻ᵀ Φ L⁻¹, where Φ is half of tril(Lᵀ grad) and of its transpose: symmetric, as A is taken to be.

    grad and result: (…, n, n), of U = Lᵀ in place of L if `upper`. Murray, Differentiation of the Cholesky decomposition (2016).
    Example: grad = [[4.]], result = [[2.]] → [[1.]], for L = √A
    """
    grad, L = (rules.mT(grad), rules.mT(result)) if upper else (grad, result)
    turned = rules.mT(L)
    inner = triangle(turned @ grad, upper=False)
    inner = 0.5 * (inner + rules.mT(triangle(inner, False, 1)))
    inner = solve_triangular_op.of(turned, inner, upper=True, left=True, unitriangular=False)
    return solve_triangular_op.of(L, inner, upper=False, left=False, unitriangular=False)


def cholesky_ex_vjp(grads: Any, L: Any, upper: bool) -> Any:
    """As cholesky_vjp; grads has the one gradient in it. Example: grads = [[[4.]]], L = [[2.]] → [[1.]]"""
    return cholesky_vjp(grads[0], L, upper)


def qr_vjp(grads: Any, Q: Any, R: Any, mode: str) -> Any:
    """A = Q R. For m ≥ n: ∂L/∂A = (gQ + Q S) R⁻ᵀ, where S is the symmetric matrix that has triu(gR Rᵀ - Qᵀ gQ) above its
    diagonal and on it. For m < n, R's first m columns alone give Q: see torch's linalg_qr_backward.

    A: (…, m, n). Q: (…, m, k), R: (…, k, n), k = min(m, n). RuntimeError where Q is not determined by A, or not computed.
    Example: grads = [None, [[1.]]], Q = [[0.6], [0.8]], R = [[5.]], "reduced" → [[0.6], [0.8]], the derivative of a length
    """
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, "
            "mode='reduced') if you are going to differentiate through linalg.qr."
        )
    m, n = Q.shape[-2], R.shape[-1]
    if mode == "complete" and m > n:
        raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols.")
    gQ, gR = grads
    inner = gR @ rules.mT(R) if gR is not None else None
    if gQ is not None:
        product = rules.mT(Q) @ gQ
        inner = -product if inner is None else inner - product
    if m >= n:
        inner = triangle(inner, upper=True)
        grad = Q @ (inner + rules.mT(triangle(inner, True, 1)))
        grad = grad if gQ is None else grad + gQ
        return solve_triangular_op.of(rules.mT(R), grad, upper=False, left=False, unitriangular=False)
    grad = Q @ triangle(rules.mT(inner) - inner, upper=False)
    grad = solve_triangular_op.of(rules.mT(R[..., :m]), grad, upper=False, left=False, unitriangular=False)
    grad = rules.concatenate([grad, rules.zeros(grad, (*R.shape[:-1], n - m))], -1)
    return grad if gR is None else grad + Q @ gR


def svd_vjp(grads: Any, U: Any, S: Any, Vh: Any, full_matrices: bool) -> Any:
    """A = U diag(S) Vᵀ: ∂L/∂A = U (diag(gS) + (skew(Uᵀ gU) S + S skew(Vᵀ gV)) / E) Vᵀ, E_ij = S_j² - S_i², and for m ≠ n
    what gU or gV has outside of the columns of U or V.

    A: (…, m, n). U: (…, m, k), S: (…, k), Vh = Vᵀ: (…, k, n), k = min(m, n); what there is more in full matrices gets no
    gradient. torch: svd_backward. Example: grads = [None, [1., 0.], None], U = Vh = [[0., 1.], [1., 0.]] → [[0., 0.], [0., 1.]]
    """
    (gU, gS, gVh), k = grads, S.shape[-1]
    if full_matrices:
        U, Vh = U[..., :k], Vh[..., :k, :]
        gU, gVh = None if gU is None else gU[..., :k], None if gVh is None else gVh[..., :k, :]
    m, n = U.shape[-2], Vh.shape[-1]
    if gU is None and gVh is None:
        if gS is None:
            return None
        return product(U, rules.unsqueeze(gS, -1) * Vh) if m >= n else product(U * rules.unsqueeze(gS, -2), Vh)
    across, down = rules.unsqueeze(S, -2), rules.unsqueeze(S, -1)
    E = gaps(S * S)
    if gU is None:
        inner = down * (skew(product(Vh, rules.mT(gVh))) / E)
    elif gVh is None:
        inner = (skew(product(rules.mT(U), gU)) / E) * across
    else:
        inner = (skew(product(rules.mT(U), gU)) * across + down * skew(product(Vh, rules.mT(gVh)))) / E
    if gS is not None:
        inner = inner + on_diagonal(gS, rules.zeros(S, (*S.shape, k)))
    if m > n and gU is not None:
        beside = gU / across
        return product(product(U, inner) + beside - product(U, product(rules.mT(U), beside)), Vh)
    if m < n and gVh is not None:
        beside = gVh / down
        return product(U, product(inner, Vh) + beside - product(product(beside, rules.mT(Vh)), Vh))
    return product(U, product(inner, Vh)) if m >= n else product(product(U, inner), Vh)


def skew(x: Any) -> Any:
    """x - xᵀ. Example: [[1., 2.], [3., 4.]] → [[0., -1.], [1., 0.]]"""
    return x - rules.mT(x)


def eigh_vjp(grads: Any, eigenvalues: Any, eigenvectors: Any) -> Any:
    """A = V diag(λ) Vᵀ: ∂L/∂A = V (diag(gλ) + ½ skew(Vᵀ gV) / E) Vᵀ, E_ij = λ_j - λ_i: symmetric, as A is taken to be.

    eigenvalues: (…, n), eigenvectors: (…, n, n), one a column. Giles, Collected matrix derivative results (2008), 3.1.
    Example: grads = [[1., 0.], None], eigenvectors = [[0., 1.], [1., 0.]] → [[0., 0.], [0., 1.]]
    """
    (values, vectors), V = grads, eigenvectors
    if vectors is None:
        return None if values is None else product(V * rules.unsqueeze(values, -2), rules.mT(V))
    inner = 0.5 * skew(product(rules.mT(V), vectors)) / gaps(eigenvalues)
    inner = inner if values is None else on_diagonal(values, inner)
    return product(V, product(inner, rules.mT(V)))


# ------------------------------------------------------------------ entries


def batch_element(number: int, x: Any) -> str:
    """Which one of a batch an error is about, in torch's words; nothing where there is no batch."""
    return f"(Batch element {number}): " if x.ndim > 2 else ""


def _cholesky(x: Any, upper: bool, name: str) -> Any:
    if not x.size:  # of any dtype
        return by_columns(x) if x.ndim > 1 else x.copy()
    x = x.mT if upper else x  # of which only the lower triangle is looked at
    try:
        factor = lapack("cholesky", x)
    except numpy.linalg.LinAlgError as error:
        raise not_positive(name, to_host(x)) from error
    if (factor != factor).any():  # which OpenBLAS and CuPy do not take for a failure
        raise not_positive(name, to_host(x))
    return factor.mT if upper else by_columns(factor)


def not_positive(name: str, x: Any) -> _LinAlgError:
    """torch's error for the first matrix of a batch that is not positive-definite: the first corner that has no factor."""
    for number, matrix in enumerate(x.reshape(-1, *x.shape[-2:])):
        for order in range(1, len(matrix) + 1):
            try:
                factored = numpy.linalg.cholesky(matrix[:order, :order])[-1, -1] > 0
            except numpy.linalg.LinAlgError:
                factored = False
            if not factored:
                return _LinAlgError(
                    f"{name}: {batch_element(number, x)}The factorization could not be completed because the input is not "
                    f"positive-definite (the leading minor of order {order} is not positive-definite)."
                )
    return _LinAlgError(f"{name}: The factorization could not be completed.")


def _qr(x: Any, mode: str) -> tuple[Any, Any]:
    with numpy.errstate(over="ignore"):  # NumPy computes in double and converts back
        found = array_module(x).linalg.qr(x, mode)
    if mode == "r":
        return array_module(x).zeros(0, x.dtype), by_columns(found)
    return by_columns(found[0]), by_columns(found[1])


@in_single
def _svd(x: Any, full_matrices: bool, vectors: bool = True) -> Any:
    finite = array_module(x).isfinite(x).all((-2, -1))
    if not finite.all():  # there are infinite numbers on which LAPACK does not come to an end
        refuse_nan(x)
        x = array_module(x).where(finite[..., None, None], x, 0)
    found = lapack("svd", x, full_matrices, vectors)
    found = (by_columns(found[0]), found[1], by_columns(found[2])) if vectors else (found,)
    if not finite.all():
        for part in found:
            part[~finite] = numpy.nan
    return tuple(found) if vectors else found[0]


def refuse_nan(x: Any) -> None:
    """torch's error for the first matrix of a batch that has a nan in it."""
    for number, matrix in enumerate(to_host(x).reshape(-1, *x.shape[-2:])):
        if numpy.isnan(matrix).any():
            raise _LinAlgError(
                f"linalg.svd: {batch_element(number, x)}The algorithm failed to converge because the input matrix contained "
                "non-finite values."
            )


def _eigh(x: Any, UPLO: str) -> tuple[Any, Any]:
    if not x.size:  # of any dtype
        return array_module(x).zeros(x.shape[:-1], x.dtype), by_columns(x)
    if array_module(x) is not numpy and (x != x).any():  # of which CuPy says nothing
        raise not_converged(to_host(x), UPLO)
    try:
        values, vectors = lapack("eigh", x, UPLO)
    except numpy.linalg.LinAlgError as error:
        raise not_converged(to_host(x), UPLO) from error
    return values, by_columns(vectors)


def not_converged(x: Any, UPLO: str) -> _LinAlgError:
    """torch's error for the first matrix of a batch whose eigenvalues LAPACK does not find."""

    def fails(matrix: Any) -> bool:
        try:
            lapack("eigh", matrix, UPLO)
        except numpy.linalg.LinAlgError:
            return True
        return False

    number = next((i for i, matrix in enumerate(x.reshape(-1, *x.shape[-2:])) if fails(matrix)), 0)
    return _LinAlgError(
        f"linalg.eigh: {batch_element(number, x)}The algorithm failed to converge because the input matrix is ill-conditioned "
        f"or has too many repeated eigenvalues (error code: {x.shape[-1] - 1})."
    )


def _linalg_cholesky(x: Any, upper: bool) -> tuple[Any]:
    return (_cholesky(x, upper, "linalg.cholesky"),)


linalg_cholesky_op = Op("LinalgCholeskyExBackward0", _linalg_cholesky, outputs=("L",), self=cholesky_ex_vjp)
cholesky_op = Op("CholeskyBackward0", lambda x, upper: _cholesky(x, upper, "cholesky"), self=cholesky_vjp)
qr_op = Op("LinalgQrBackward0", _qr, outputs=("Q", "R"), A=qr_vjp)
svd_op = Op("LinalgSvdBackward0", _svd, outputs=("U", "S", "Vh"), A=svd_vjp)
eigh_op = Op("LinalgEighBackward0", _eigh, outputs=("eigenvalues", "eigenvectors"), A=eigh_vjp)


# ------------------------------------------------------------------ functions


def linalg_cholesky(input: Tensor, *, upper: Bool = False) -> Tensor:
    """The lower triangular L with A = L Lᵀ, for a positive-definite A (torch.linalg.cholesky). (…, n, n) → (…, n, n).

    upper: U = Lᵀ instead. Only one triangle of A is looked at: the lower one, with `upper` the other.
    """
    check_square("linalg.cholesky", input)
    check_floats("linalg.cholesky", input, low=True)
    no_half("cholesky_cpu", input)
    return linalg_cholesky_op(input, upper=flag(upper))[0]


def linalg_qr(A: Tensor, mode: Str = "reduced") -> Any:
    """Q with orthonormal columns and an upper triangular R, A = Q R (torch.linalg.qr). A: (…, m, n), k = min(m, n).

    mode: "reduced" for Q: (…, m, k) and R: (…, k, n); "complete" for (…, m, m) and (…, m, n); "r" for R alone.
    """
    if not isinstance(mode, str):
        return NotImplemented
    check_matrix("linalg.qr", A)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    check_kernel("geqrf_cpu", A._data)
    return RETURN_TYPES["linalg_qr"](qr_op(A, mode=mode))


def linalg_svd(A: Tensor, full_matrices: Bool = True, *, driver: Str | None = None) -> Any:
    """U, S and Vh with A = U diag(S) Vh, S from the largest to the smallest (torch.linalg.svd).

    A: (…, m, n), U: (…, m, m), S: (…, k), Vh: (…, n, n), k = min(m, n); without `full_matrices`, U: (…, m, k), Vh: (…, k, n).
    """
    check_svd(A, driver)
    return RETURN_TYPES["linalg_svd"](svd_op(A, full_matrices=flag(full_matrices)))


def linalg_svdvals(A: Tensor, *, driver: Str | None = None) -> Tensor:
    """The singular values alone, from the largest to the smallest (torch.linalg.svdvals). (…, m, n) → (…, min(m, n))."""
    check_svd(A, driver)
    if A.requires_grad and records():
        return svd_op(A, full_matrices=False)[1]
    return from_array(_svd(A._data, False, vectors=False))


def check_svd(A: Tensor, driver: str | None) -> None:
    """RuntimeError, in torch's words, for what has no singular values, and for a choice that only GPUs have."""
    check_matrix("linalg.svd", A)
    if driver is not None and not isinstance(driver, str):
        raise TypeError("driver")
    if driver is not None and A._data.size:
        raise RuntimeError(
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
        )
    no_half("linalg_svd_cpu", A)


def check_matrix(name: str, A: Tensor) -> None:
    """RuntimeError, in torch's words, for what is no matrix of floating-point numbers, or batch of them."""
    if A._data.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    check_floats(name, A, low=True)


def linalg_eigh(input: Tensor, UPLO: Str = "L") -> Any:
    """The eigenvalues of a symmetric matrix, rising, and its eigenvectors, one a column (torch.linalg.eigh).

    input: (…, n, n) → (…, n) and (…, n, n). UPLO: which triangle is looked at, the lower "L" or the upper "U".
    """
    if not isinstance(UPLO, str):
        return NotImplemented
    check_square("linalg.eigh", input)
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    if input._data.size:
        check_kernel("linalg_eigh_cpu", input._data)
    return RETURN_TYPES["linalg_eigh"](eigh_op(input, UPLO=UPLO.upper()))


def linalg_eigvalsh(input: Tensor, UPLO: Str = "L") -> Tensor:
    """The eigenvalues of a symmetric matrix alone, rising (torch.linalg.eigvalsh). (…, n, n) → (…, n)."""
    found = linalg_eigh(input, UPLO)
    return found if found is NotImplemented else found[0]


# ------------------------------------------------------------------ older names

OLD = "torch.{name} is deprecated in favor of torch.linalg.{name} and will be removed in a future PyTorch release.\n"
OLD_CHOLESKY = OLD.format(name="cholesky") + (
    "L = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\nU = torch.cholesky(A, upper=True)\n"
    "should be replaced with\nU = torch.linalg.cholesky(A).mH\nThis transform will produce equivalent results for all valid "
    "(symmetric positive definite) inputs."
)
OLD_QR = OLD.format(name="qr") + (
    "The boolean parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\nshould be "
    "replaced with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete')"
)


def cholesky(input: Tensor, upper: Bool = False) -> Tensor:
    """The older name of linalg.cholesky; a warning, once (torch.cholesky)."""
    flag(upper)
    warn_once(OLD_CHOLESKY)
    if input._data.size:
        check_square("cholesky", input)
        check_kernel("cholesky_cpu", input._data)
    return cholesky_op(input, upper=upper)


def qr(input: Tensor, some: Bool = True) -> Any:
    """The older form of linalg.qr: `some` for mode "reduced", else "complete"; a warning, once (torch.qr)."""
    flag(some)
    warn_once(OLD_QR)
    return RETURN_TYPES["qr"](linalg_qr(input, "reduced" if some else "complete"))


def svd(input: Tensor, some: Bool = True, compute_uv: Bool = True) -> Any:
    """The older form of linalg.svd, with V, not its transpose (torch.svd). some: no full matrices. Without `compute_uv`,
    zeros stand for U and V."""
    flag(some), flag(compute_uv)
    ndim = input._data.ndim
    if ndim < 2:
        raise RuntimeError(f"linalg.svd: input should have at least 2 dimensions, but has {ndim} dimensions instead")
    if compute_uv:
        U, S, Vh = linalg_svd(input, not some)
        return RETURN_TYPES["svd"]((U, S, transpose(Vh, -2, -1)))
    S, (*batch, m, n) = linalg_svdvals(input), input._data.shape
    zeros = [from_array(array_module(input._data).zeros((*batch, k, k), input._data.dtype)) for k in (m, n)]
    return RETURN_TYPES["svd"]((zeros[0], S, zeros[1]))
