"""What layers compute: linear (and the addmm it is made of), softmax and log_softmax, embedding.

layer_norm is in layer_norm.py, losses in loss.py, activations in activation.py, convolution and pooling in conv.py
and pool.py. Parameters, modules and random initialisation belong to the package `nn`, not here.
"""

from __future__ import annotations

import math
import operator
from typing import Any

from .. import rules
from ..autograd.grad_mode import is_grad_enabled, no_grad
from ..backend import anywhere, array_module, in_order, in_single, largest, numpy, outside, stretching, sum_array
from ..dtypes import as_numpy
from ..dtypes import dtype as Dtype
from ..errors import warn
from ..tensor import Tensor, from_array
from .arguments import Float, Int, Number, as_int, parsed
from .define import Op
from .linalg import (
    check_inner,
    matmul,
    matmul_vjp_mat2,
    matmul_vjp_self,
    turned_vjp_mat2,
    turned_vjp_self,
)
from .masks import where
from .promotion import no_kernel
from .reduce import one_dim
from .shape import reshaped, t
from .validate import flag, number

# ------------------------------------------------------------------ linear


def scaled(x: Any, factor: float) -> Any:
    """x · factor, without the work when the factor is 1."""
    return x if factor == 1 else x * factor


def addmm_vjp_self(grad: Any, beta: float) -> Any:
    """z = β·self + α·(mat1 @ mat2): the walk sums it back over the rows that self was stretched to."""
    return scaled(grad, beta)


def addmm_vjp_mat1(grad: Any, mat2: Any, alpha: float, mat1_turned: bool) -> Any:
    """z = … + α·(mat1 @ mat2): as for a matrix product, times α. torch: AddmmBackward0."""
    return scaled((turned_vjp_self if mat1_turned else matmul_vjp_self)(grad, mat2), alpha)


def addmm_vjp_mat2(grad: Any, mat1: Any, alpha: float, mat2_turned: bool) -> Any:
    """z = … + α·(mat1 @ mat2): as for a matrix product, times α. torch: AddmmBackward0."""
    return scaled((turned_vjp_mat2 if mat2_turned else matmul_vjp_mat2)(grad, mat1), alpha)


def _addmm(x: Any, mat1: Any, mat2: Any, beta: float, alpha: float) -> Any:
    product = rules.matmul(mat1, mat2)
    product = scaled(product, alpha) if alpha else rules.zeros(product, product.shape)
    if beta:  # torch does not even look at what is multiplied by 0
        product += scaled(x, beta)
    return product


addmm_op = Op("AddmmBackward0", _addmm, stretches=True, self=addmm_vjp_self, mat1=addmm_vjp_mat1, mat2=addmm_vjp_mat2)


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """β·input + α·(mat1 @ mat2) (torch.addmm). mat1: (n, k), mat2: (k, m), input: broadcastable to (n, m)."""
    x, y = mat1._data, mat2._data
    if not input._data.dtype is y.dtype is x.dtype:
        name, other = ("self", input) if input._data.dtype is not y.dtype else ("mat1", mat1)
        raise RuntimeError(
            f"{name} and mat2 must have the same dtype, but got {other.dtype.type_name} and {mat2.dtype.type_name}"
        )
    if x.ndim != 2 or y.ndim != 2:
        name, ndim = ("mat1", x.ndim) if x.ndim != 2 else ("mat2", y.ndim)
        raise RuntimeError(f"{name} must be a matrix, got {ndim}-D tensor")
    check_inner(mat1, mat2)
    if type(beta) is not int or type(alpha) is not int:
        beta, alpha = number(beta), number(alpha)
    shape = (x.shape[0], y.shape[1])
    if input._data.shape not in (shape[1:], shape):
        input.expand(shape)  # refuses what does not fit
    if y.dtype.kind != "f":
        if x.size and y.size:
            no_kernel("addmm_impl_cpu_", mat2)
        beta, alpha = int(beta), int(alpha)
    return addmm_op(input, mat1, mat2, beta=beta, alpha=alpha)


@parsed()
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weightᵀ + bias over the last dimension (torch.nn.functional.linear).

    input: (…, in), weight: (out, in), bias: (out,) → (…, out). Recorded as torch records it: a matrix with a bias is
    one AddmmBackward0; more dimensions are folded into rows first.
    """
    data, ndim = input._data, weight._data.ndim
    if bias is not None and data.ndim == 2 and ndim:
        return addmm(bias, input, t(weight))
    if not data.ndim or not ndim:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {data.ndim}D and {ndim}D")
    if bias is None:
        return matmul(input, t(weight))
    shape = bias._data.shape
    if not data.flags.c_contiguous or not shape or math.prod(shape) != shape[-1]:
        return matmul(input, t(weight)).add_(bias)
    rows = reshaped(input, (math.prod(data.shape[:-1]), data.shape[-1]))
    return reshaped(addmm(bias, rows, t(weight)), (*data.shape[:-1], weight._data.shape[0]))


# ------------------------------------------------------------------ softmax


def softmax_vjp(grad: Any, result: Any, dim: int) -> Any:
    """z = e^self / Σ e^self along dim: ∂L/∂self = z · (grad - Σ grad · z).

    grad, result: one shape. torch: SoftmaxBackward0 saves its result.
    Example: grad = [1., 0.], result = [0.5, 0.5], dim = 0 → [0.25, -0.25]
    """
    return result * (grad - rules.sum(grad * result, (dim,), True))


def log_softmax_vjp(grad: Any, result: Any, dim: int) -> Any:
    """z = self - ln Σ e^self along dim: ∂L/∂self = grad - e^z · Σ grad, where e^z is the softmax.

    grad, result: one shape. torch: LogSoftmaxBackward0 saves its result.
    Example: grad = [-1., 0.], result = ln [0.25, 0.75], dim = 0 → [-0.75, 0.75]
    """
    return grad - rules.exp(result) * rules.sum(grad, (dim,), True)


def _softmax(x: Any, dim: int) -> Any:
    return from_largest(x, largest(x, dim), dim)


def from_largest(x: Any, top: Any, dim: int) -> Any:
    """The softmax of x minus its largest element: the same, and nothing overflows. In C order, as torch's is."""
    z = array_module(x).exp(stretching(operator.sub, in_order(x), top))
    return stretching(operator.itruediv, z, sum_array(z, (dim,), True))


def _safe_softmax(x: Any, dim: int) -> Any:
    """softmax, and 0 where all along dim are -inf."""
    top = largest(x, dim)
    nothing, z = top == -math.inf, from_largest(x, top, dim)
    return array_module(x).where(nothing, 0, z).astype(x.dtype, copy=False) if anywhere(nothing) else z


def _log_softmax(x: Any, dim: int) -> Any:
    if x.dtype.itemsize == 2:
        return _half_log_softmax(x, dim)
    module = array_module(x)
    z = stretching(operator.sub, in_order(x), largest(x, dim))
    return stretching(operator.isub, z, module.log(sum_array(module.exp(z), (dim,), True)))


def _half_log_softmax(x: Any, dim: int) -> Any:
    """In single, but torch keeps the sums of what lies side by side, and their logarithms, in half precision."""
    z = x.astype("float32")
    z -= largest(z, dim)
    sums = sum_array(array_module(x).exp(z), (dim,), True)
    if dim == x.ndim - 1:
        logs = array_module(x).log(sums.astype(x.dtype).astype("float32")).astype(x.dtype)
    else:
        logs = array_module(x).log(sums)
    return in_order(z - logs).astype(x.dtype)


softmax_op = Op("SoftmaxBackward0", in_single(_softmax), self=softmax_vjp, second="SoftmaxBackwardDataBackward0")
safe_softmax_op = Op("SafeSoftmaxBackward0", _safe_softmax, self=softmax_vjp, second="SoftmaxBackwardDataBackward0")
log_softmax_op = Op("LogSoftmaxBackward0", _log_softmax, self=log_softmax_vjp, second="LogSoftmaxBackwardDataBackward0")


def floats_only(input: Tensor, kernel: str) -> None:
    """NotImplementedError, in torch's words, where an operation has no meaning for integers."""
    if input._data.dtype.kind != "f":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{input.dtype.type_name}'")


def _along(op: Op, name: str) -> Any:
    def call(input: Tensor, dim: Int, dtype: Dtype | None = None) -> Tensor:
        if dtype is not None:
            input = input.to_numpy_dtype(as_numpy(dtype))
        dim = one_dim(dim, input._data.ndim)
        if not input._data.size and input._data.dtype.kind != "f":
            return input.clone()
        floats_only(input, f"{name}_lastdim_kernel_impl" if dim >= input._data.ndim - 1 else f"{name}_kernel_impl")
        return op(input, dim=dim)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{name} along `dim`, in `dtype` if given (torch.{name})."
    return call


softmax = _along(softmax_op, "softmax")
log_softmax = _along(log_softmax_op, "log_softmax")


def implicit_dim(name: str, ndim: int) -> int:
    """The dimension that torch assumes, with a warning, where softmax is not told one."""
    warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.")
    return 0 if ndim in (0, 1, 3) else 1


# ------------------------------------------------------------------ embedding


def embedding_vjp(
    grad: Any, weight_shape: tuple[int, ...], indices: Any, padding_idx: int, scale_grad_by_freq: bool
) -> Any:
    """z = weight[indices]: every row collects the gradients of the places it was copied to, or with scale_grad_by_freq
    their mean; the padding row none.

    grad: (*indices.shape, columns). torch: EmbeddingBackward0.
    """
    indices = rules.raw(indices)
    if scale_grad_by_freq and indices.size:
        counts = array_module(indices).bincount(indices.reshape(-1))[indices][..., None].astype(rules.raw_dtype(grad))
        grad = grad / (from_array(counts) if rules.is_tensor(grad) else counts)
    if padding_idx >= 0:
        grad = rules.keep_where(grad, rules.unsqueeze(indices != padding_idx, -1))
    return rules.scatter_index(grad, weight_shape, indices)


def _embedding(weight: Any, indices: Any, padding_idx: int, scale_grad_by_freq: bool) -> Any:
    return weight[indices] if indices.ndim else weight[indices].copy()  # one row would be a view


embedding_op = Op(
    "EmbeddingBackward0",
    _embedding,
    tensors=("indices",),
    weight=embedding_vjp,
    second="EmbeddingDenseBackwardBackward0",
)


def padding_row(padding_idx: int, rows: int) -> int:
    """The number, from 0 on, of an embedding's padding row; AssertionError where there is no such row. 0 is never refused."""
    if padding_idx and not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx + rows if padding_idx < 0 else padding_idx


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
) -> Tensor:
    """Rows of `weight` by number (torch.nn.functional.embedding).

    input: integers of any shape. weight: (rows, columns) → (*input.shape, columns). padding_idx: a row that gets no
    gradient. max_norm: rows that are looked up and longer are shortened to it first, in `weight` itself.
    scale_grad_by_freq: a row's gradient is divided by how often it was looked up.
    """
    if not weight._data.ndim and weight.requires_grad and is_grad_enabled():  # whose size torch asks for first
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    rows = weight._data.shape[0] if weight._data.ndim else 0
    if padding_idx is not None:
        padding_idx = padding_row(as_int(padding_idx), rows)
    if max_norm is not None:
        embedding_renorm_(weight, input, max_norm, norm_type)
    if weight._data.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    if input._data.dtype not in (numpy.int64, numpy.int32):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{input.type()} instead (while checking arguments for embedding)"
        )
    if not rows and input._data.size:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    if outside(input._data, rows):
        raise IndexError("index out of range in self")
    padding_idx = -1 if padding_idx is None else padding_idx
    return embedding_op(weight, indices=input, padding_idx=padding_idx, scale_grad_by_freq=scale_grad_by_freq)


def refuse_sparse(sparse: bool) -> None:
    """NotImplementedError where the gradient is to be sparse."""
    if flag(sparse):
        raise NotImplementedError("minigrad 的 embedding 不支持 sparse · minigrad's embedding does not offer sparse")


@parsed()
def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: Float, norm_type: Float) -> Tensor:
    """Shorten the rows that the indices name to a norm of max_norm, in place and unrecorded."""
    for row in indices.flatten().tolist():
        if not 0 <= row < len(input):
            sizes = list(input.shape)
            raise IndexError(f"select(): index {row} out of range for tensor of size {sizes} at dimension 0")
    rows = indices.unique()
    with no_grad():  # no decorator: it would be called on import, and no_grad may be a learner's and not written yet
        norms = input[rows].norm(norm_type, -1, keepdim=True)
        input[rows] *= where(norms > max_norm, max_norm / (norms + 1e-7), 1.0)
    return input
