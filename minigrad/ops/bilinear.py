"""Bilinear layers: every output is a sum over all pairs of one input's features and another's, weighted."""

from __future__ import annotations

from typing import Any

from ..backend import array_module, in_order, in_single
from ..tensor import Tensor
from .define import Op
from .promotion import unsupported

Terms = tuple[str, str, str, str]  # the dimensions of the three factors and of the sum of their products, a letter each


def trilinear_vjp_i1(grad: Any, i2: Any, i3: Any, terms: Terms) -> Any:
    """z = Σ i1 · i2 · i3: grad takes the place of i1, and the sum is over what i1 has not."""
    first, second, third, out = terms
    return trilinear_op.of(grad, i2, i3, terms=(out, second, third, first))


def trilinear_vjp_i2(grad: Any, i1: Any, i3: Any, terms: Terms) -> Any:
    """z = Σ i1 · i2 · i3: grad takes the place of i2."""
    first, second, third, out = terms
    return trilinear_op.of(i1, grad, i3, terms=(first, out, third, second))


def trilinear_vjp_i3(grad: Any, i1: Any, i2: Any, terms: Terms) -> Any:
    """z = Σ i1 · i2 · i3: grad takes the place of i3."""
    first, second, third, out = terms
    return trilinear_op.of(i1, i2, grad, terms=(first, second, out, third))


@in_single
def _trilinear(x: Any, y: Any, z: Any, terms: Terms) -> Any:
    first, second, third, out = terms
    if x.dtype.kind == "b":
        if x.size:
            raise unsupported("bmm", x[:0])
        return array_module(x).zeros((len(x), len(y)), x.dtype)
    einsum, both = array_module(x).einsum, "".join(d for d in dict.fromkeys(first + second) if d in third + out)
    product = einsum(f"{first},{second}->{both}", x, y, optimize=True)  # two at a time, for which there is BLAS
    return in_order(einsum(f"{both},{third}->{out}", product, z, optimize=True))


trilinear_op = Op("TrilinearBackward0", _trilinear, i1=trilinear_vjp_i1, i2=trilinear_vjp_i2, i3=trilinear_vjp_i3)


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x₁ᵀ W x₂ + b for each W (torch.nn.functional.bilinear).

    input1: (…, in1), input2: (…, in2), weight: (out, in1, in2), bias: (out,) → (…, out).
    """
    check(input1, input2, weight, bias)
    rows, columns = input1.reshape(-1, input1.shape[-1]), input2.reshape(-1, input2.shape[-1])
    found = trilinear_op(rows, weight, columns, terms=("ni", "oij", "nj", "no"))
    out = found.view(*input1.shape[:-1], weight.shape[0])
    return out if bias is None else out + bias


def check(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    """RuntimeError, in torch's words, for dtypes and sizes that do not go together."""
    given = {"input1": input1, "input2": input2, "weight": weight} | ({} if bias is None else {"bias": bias})
    if len({tensor._data.dtype for tensor in given.values()}) > 1:
        got = ", ".join(f"{name}: {tensor.dtype.c_name}" for name, tensor in given.items())
        raise RuntimeError(f"All tensors must have the same dtype, got {got}")
    x, y, w = input1._data.shape, input2._data.shape, weight._data.shape
    if len(x) != len(y):
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {len(x)} and {len(y)}")
    for dim, (n, m) in enumerate(zip(x[:-1], y[:-1], strict=True)):
        if n != m:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {dim}: got {n} and {m}")
    for number, tensor in ((1, input1), (2, input2)):
        if (got := tensor.size(-1)) != (wanted := weight.size(number)):
            raise RuntimeError(
                f"bilinear(): input{number} size does not match weight size: got {got} but expected {wanted}"
            )
    if bias is not None and bias.size(0) != w[0]:
        raise RuntimeError(f"bilinear(): bias size does not match weight size: got {bias.size(0)} but expected {w[0]}")
