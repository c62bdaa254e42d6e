"""Products made of the plain ones in linalg.py: with something added, of vectors, over several dimensions."""

from __future__ import annotations

import functools
import math
from typing import Any

from .. import rules
from ..backend import array_module, in_order, in_single
from ..dtypes import BY_NUMPY, promote_types, result_type
from ..errors import warn_once
from ..tensor import Tensor, from_array
from .arguments import Int, Number
from .arithmetic import whole_factor
from .define import Op
from .linalg import bmm, dot_op, dtypes_of_addmv, matmul, matrices, numbers_only, vectors
from .nn import scaled
from .norms import no_norm_of_nothing, vector_norm_array, vector_norm_vjp
from .pointwise import mul_op
from .promotion import common_shape, no_kernel, refuse_bools
from .reduce import one_dim, real_dim
from .shape import copy_op, permute, reshape
from .validate import number

# ------------------------------------------------------------------ rules


def added_vjp(grad: Any, beta: float) -> Any:
    """z = β · self + …: the walk sums over what self was stretched to."""
    return scaled(grad, beta)


def addmv_vjp_mat(grad: Any, vec: Any, alpha: float) -> Any:
    """z = … + α · mat @ vec."""
    return scaled(rules.unsqueeze(grad, -1) * vec, alpha)


def addmv_vjp_vec(grad: Any, mat: Any, alpha: float) -> Any:
    """z = … + α · mat @ vec."""
    return scaled(rules.mT(mat) @ grad, alpha)


def addr_vjp_vec1(grad: Any, vec2: Any, alpha: float) -> Any:
    """z = … + α · vec1 vec2ᵀ."""
    return scaled(matrix_vector(grad, vec2), alpha)


def addr_vjp_vec2(grad: Any, vec1: Any, alpha: float) -> Any:
    """z = … + α · vec1 vec2ᵀ."""
    return scaled(matrix_vector(rules.mT(grad), vec1), alpha)


def matrix_vector(mat: Any, vec: Any) -> Any:
    """mat @ vec, for which torch wants one dtype, in a gradient, too."""
    x, y = rules.raw(mat), rules.raw(vec)
    if x.dtype != y.dtype:
        dtypes_of_addmv(from_array(y), from_array(x), from_array(y))
    return mat @ vec


def baddbmm_vjp_batch1(grad: Any, batch2: Any, alpha: float) -> Any:
    """z = … + α · batch1 @ batch2."""
    return scaled(rules.bmm(grad, rules.mT(batch2)), alpha)


def baddbmm_vjp_batch2(grad: Any, batch1: Any, alpha: float) -> Any:
    """z = … + α · batch1 @ batch2."""
    return scaled(rules.bmm(rules.mT(batch1), grad), alpha)


def cross_vjp_self(grad: Any, other: Any, dim: int) -> Any:
    """z = self × other: other × gradient."""
    return cross_op.of(*_stretched(other, grad), dim=dim)


def cross_vjp_other(grad: Any, self: Any, dim: int) -> Any:
    """z = self × other: gradient × self."""
    return cross_op.of(*_stretched(grad, self), dim=dim)


def _stretched(a: Any, b: Any) -> tuple[Any, Any]:
    shape = tuple(m if n == 1 else n for n, m in zip(a.shape, b.shape, strict=True))
    return rules.expand(a, shape), rules.expand(b, shape)


def dist_vjp_self(grad: Any, self: Any, other: Any, result: Any, p: float) -> Any:
    """z = the p-norm of self - other."""
    return vector_norm_vjp(grad, rules.cast(self - other, rules.raw_dtype(result)), result, p, None, False)


def dist_vjp_other(grad: Any, self: Any, other: Any, result: Any, p: float) -> Any:
    """z = the p-norm of self - other."""
    opposite = dist_vjp_self(grad, self, other, result, p)
    if opposite is None:
        raise RuntimeError(
            "Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #0 'self'"
        )
    return -opposite


# ------------------------------------------------------------------ entries


def _add_product(product: Any, by_blas: bool = False) -> Any:
    def forward(x: Any, a: Any, b: Any, beta: float, alpha: float) -> Any:
        found = scaled(product(a, b), a.dtype.type(alpha))
        if by_blas and not alpha:  # which does not even look at what is multiplied by 0
            found = rules.zeros(found, found.shape)
        return found if beta == 0 else in_order(found + scaled(x, a.dtype.type(beta)))

    return forward


def _dist(x: Any, y: Any, p: float) -> Any:
    return vector_norm_array(x - y, p, None, False)


addmv_op = Op(
    "AddmvBackward0",
    _add_product(lambda a, b: a @ b, by_blas=True),
    stretches=True,
    self=added_vjp,
    mat=addmv_vjp_mat,
    vec=addmv_vjp_vec,
)
_add_outer = _add_product(lambda a, b: a[:, None] * b)


def _addr(x: Any, a: Any, b: Any, beta: float, alpha: float) -> Any:
    """In the dtype that all three promote to: a single number to be added counts as much as the vectors."""
    arrays = (x, a, b)
    wanted = functools.reduce(promote_types, [BY_NUMPY[array.dtype] for array in arrays]).np
    return _add_outer(*[array.astype(wanted, copy=False) for array in arrays], beta, alpha)


addr_op = Op(
    "AddrBackward0", _addr, stretches=True, self=added_vjp, vec1=addr_vjp_vec1,
    vec2=addr_vjp_vec2,
)  # fmt: skip
baddbmm_op = Op(
    "BaddbmmBackward0", _add_product(lambda a, b: a @ b), stretches=True, self=added_vjp, batch1=baddbmm_vjp_batch1,
    batch2=baddbmm_vjp_batch2,
)  # fmt: skip
vdot_op = Op(
    "VdotBackward0",
    numbers_only("dot", True),
    self=lambda grad, other: grad * other,
    other=lambda grad, self: grad * self,
)
cross_op = Op(
    "LinalgCrossBackward0", lambda x, y, dim: in_order(array_module(x).cross(x, y, axis=dim)), stretches=True, self=cross_vjp_self,
    other=cross_vjp_other,
)  # fmt: skip
dist_op = Op("DistBackward0", in_single(_dist), promotes=True, self=dist_vjp_self, other=dist_vjp_other)

# ------------------------------------------------------------------ vectors


def vector(input: Tensor, name: str, role: str) -> Tensor:
    """input, once it has one dimension."""
    if input._data.ndim != 1:
        raise RuntimeError(f"{name}: Expected 1-D argument {role}, but got {input._data.ndim}-D")
    return input


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Every product of an element of one vector and one of the other (torch.outer). (n,), (m,) → (n, m)."""
    vector(input, "outer", "self"), vector(vec2, "outer", "vec2")
    return mul_op(reshape(input, (input._data.size, 1)), vec2)


def vdot(input: Tensor, other: Tensor) -> Tensor:
    """The inner product of two vectors (torch.vdot)."""
    return vdot_op(input, _same_length(input, other))


def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The inner product of two vectors (torch.dot)."""
    return dot_op(input, _same_length(input, tensor))


def _same_length(input: Tensor, other: Tensor) -> Tensor:
    x, y = input._data, other._data
    if x.ndim != 1 or y.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {x.ndim}D and {y.ndim}D tensors")
    if x.dtype is not y.dtype or x.shape != y.shape:
        vectors(input, other)  # refuses with torch's words
    return other


def mv(input: Tensor, vec: Tensor) -> Tensor:
    """Matrix times vector (torch.mv)."""
    real_dim(0, input._data.ndim)
    if input._data.ndim != 2 or vec._data.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {input._data.ndim}, {vec._data.ndim}")
    return matmul(input, vec)


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices (torch.mm)."""
    for name, matrix in (("self", input), ("mat2", mat2)):
        if matrix._data.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix")
    return matmul(input, mat2)


def inner(input: Tensor, other: Tensor) -> Tensor:
    """Products of last dimensions summed (torch.inner)."""
    if not input._data.ndim or not other._data.ndim:
        return mul_op(input, other)
    if input._data.shape[-1] != other._data.shape[-1]:
        raise RuntimeError(
            f"inner() the last dimension must match on both input tensors but got shapes {list(input._data.shape)} and "
            f"{list(other._data.shape)}"
        )
    return tensordot(input, other, ([-1], [-1]))


def cross(input: Tensor, other: Tensor, dim: Int | None = None) -> Tensor:
    """The vector product along a dimension of size 3 (torch.cross)."""
    if dim is None:
        warn_once(
            "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly or simply use "
            "torch.linalg.cross.\nThe default value of dim will change to agree with that of linalg.cross in a future release."
        )
        dim = next((i for i, n in enumerate(input._data.shape) if n == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    return linalg_cross(input, other, dim=dim)


def linalg_cross(input: Tensor, other: Tensor, *, dim: Int = -1) -> Tensor:
    """The vector product along a dimension of size 3, the last one unless told otherwise (torch.linalg.cross)."""
    x, y = input._data, other._data
    if x.ndim != y.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    axis = one_dim(dim, x.ndim)
    real_dim(axis, x.ndim)
    if x.shape[axis] != 3 or y.shape[axis] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {x.shape[axis]} and {y.shape[axis]}"
        )
    no_kernel("cross", input)
    if x.dtype is not y.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.type_name} but found {other.dtype.type_name}")
    return cross_op(input, other, dim=axis)


def dist(input: Tensor, other: Tensor, p: Number = 2) -> Tensor:
    """The p-norm of input - other (torch.dist)."""
    refuse_bools(input, other)
    common_shape([input._data.shape, other._data.shape])
    if (found := result_type(input, other)).category < 2:
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {found.type_name} instead."
        )
    if math.isinf(p) and not (input._data.size and other._data.size):
        raise no_norm_of_nothing(p)
    return dist_op(input, other, p=p if type(p) is int else float(p))


def kron(input: Tensor, other: Tensor) -> Tensor:
    """Every element of input times the whole of other (torch.kron)."""
    ndim = max(input._data.ndim, other._data.ndim)
    x, y = ((1,) * (ndim - t._data.ndim) + t._data.shape for t in (input, other))
    first = copy_op(input, shape=tuple(n for size in x for n in (size, 1)))
    second = copy_op(other, shape=tuple(n for size in y for n in (1, size)))
    return copy_op(mul_op(first, second), shape=tuple(n * m for n, m in zip(x, y, strict=True)))


# ------------------------------------------------------------------ with something added


def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """β·input + α·(mat @ vec) (torch.addmv)."""
    if mat._data.ndim != 2 or vec._data.ndim != 1 or input._data.ndim > 1:
        raise RuntimeError(
            f"vector + matrix @ vector expected, got {input._data.ndim}, {mat._data.ndim}, {vec._data.ndim}"
        )
    (rows, columns), size = mat._data.shape, input._data.size
    if columns != vec._data.size or size not in (1, rows):
        raise RuntimeError(
            f"size mismatch, got input ({input.size(0)}), mat ({rows}x{columns}), vec ({vec._data.size})"
        )
    dtypes_of_addmv(input, mat, vec)
    return addmv_op(input, mat, vec, beta=number(beta), alpha=number(alpha))


def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """β·input + α·vec1 vec2ᵀ (torch.addr)."""
    vector(vec1, "addr", "vec1"), vector(vec2, "addr", "vec2")
    sizes = (vec1._data.size, vec2._data.size)
    if input._data.shape != sizes:
        input.expand(sizes)  # refuses what does not fit
    for name, factor in (("beta", beta), ("alpha", alpha)):
        whole_factor(name, factor, input, vec1, vec2)
    return addr_op(input, vec1, vec2, beta=number(beta), alpha=number(alpha))


def addr_inplace(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """addr for addr_, which does not stretch its input."""
    sizes = [vector(vec1, "addr", "vec1")._data.size, vector(vec2, "addr", "vec2")._data.size]
    if input._data.ndim != 2:
        raise RuntimeError(f"2D tensor expected, got {input._data.ndim}D tensor for input")
    if list(input._data.shape) != sizes:
        raise RuntimeError(f"size mismatch, input: {list(input._data.shape)}, v1: {sizes[:1]}, v2: {sizes[1:]}")
    return addr(input, vec1, vec2, beta=number(beta), alpha=number(alpha))


addr_inplace.__name__ = "addr"


def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """β·input + α·(batch1 @ batch2), batch by batch (torch.baddbmm)."""
    x, y = batch1._data.shape, batch2._data.shape
    for size, dim in ((x, 0), (x, 1), (y, 2)):
        if len(size) <= dim:
            real_dim(dim, len(size))  # torch asks for these sizes before anything else
    shape = (*x[:2], y[2])
    if input._data.shape != shape:
        input.expand(shape)  # refuses what does not fit
    if input._data.dtype is not batch1._data.dtype:
        kinds = [t.dtype.c_name for t in (input, batch1, batch2)]
        raise RuntimeError("Input dtypes must be the same, got: input {}, batch1: {}, batch2: {}".format(*kinds))
    if len(x) != 3 or len(y) != 3 or y[:2] != (x[0], x[2]):
        bmm(batch1, batch2)  # refuses with torch's words
    no_kernel("baddbmm", input)
    if batch1._data.dtype is not batch2._data.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.type_name} but found {batch2.dtype.type_name}")
    return baddbmm_op(input, batch1, batch2, beta=number(beta), alpha=number(alpha))


def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """Products summed over some dimensions of a and of b (torch.tensordot).

    dims: how many, the last of a with the first of b; or two lists of dimensions.
    """
    if not isinstance(dims, (int, list, tuple, Tensor)):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, but got "
            f"dims={dims}"
        )
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a._data.ndim, b._data.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        first, second = list(range(-dims, 0)), list(range(dims))
    else:
        lists: Any = dims
        first, second = (list(d.tolist()) if isinstance(d, Tensor) else list(d) for d in lists)
    if len(first) != len(second):
        raise RuntimeError("both dimension lists should have same length")
    if a._data.dtype is not b._data.dtype:
        raise RuntimeError("both inputs should have same dtype")
    count = 1
    for i, j in zip(first, second, strict=True):
        n, m = (t._data.shape[real_dim(d, t._data.ndim)] for t, d in ((a, i), (b, j)))
        if m == 1:
            a = a.sum(i, True, dtype=a.dtype)
        elif n == 1:
            b = b.sum(j, True, dtype=b.dtype)
        elif n != m:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {n} in dim {i} and second has size {m} in dim {j}"
            )
        count *= n if m != 1 else 1
    return _contracted(a, b, first, second, count)


def _contracted(a: Tensor, b: Tensor, first: list[int], second: list[int], count: int) -> Tensor:
    """tensordot, once the dimensions fit: both to matrices, multiplied, and back."""
    gone = [[one_dim(d, t._data.ndim) for d in dims] for t, dims in ((a, first), (b, second))]
    kept = [[d for d in range(t._data.ndim) if d not in dims] for t, dims in zip((a, b), gone, strict=True)]
    shape = tuple([a._data.shape[d] for d in kept[0]] + [b._data.shape[d] for d in kept[1]])
    left, order = permute(a, (*kept[0], *gone[0])), (*gone[1], *kept[1])
    if math.prod(shape) == 1:
        right = permute(b, order)
        if left.storage().flags.c_contiguous and right.storage().flags.c_contiguous:
            return reshape(dot_op(left.flatten(), right.flatten()), shape)
        return reshape(mul_op(left.squeeze(), right.squeeze()).sum(dtype=a.dtype), shape)
    rows = math.prod(a._data.shape[d] for d in kept[0])
    columns = math.prod(b._data.shape[d] for d in kept[1])
    left = reshape(left, (rows, count))
    return reshape(matrices(left, reshape(permute(b, order), (count, columns))), shape)
