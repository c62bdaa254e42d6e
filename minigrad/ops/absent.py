"""What torch.Tensor has and ours has not: each such name has a place on Tensor that says so.

A `__getattr__` would say it of every name, and CPython would then look up all attributes of all tensors the slow way.
Of a name that torch does not have either, Python itself says so. hasattr() is False for all of them. `make generate`
writes the list, after the installed torch.
"""

from __future__ import annotations

from inspect import getattr_static
from typing import Any

from ..errors import ONLY_TORCH
from ..tensor import Tensor

ABSENT = set(
    """
    addbmm addbmm_ angle as_strided_ as_strided_scatter as_subclass bfloat16 cauchy_ ccol_indices cdouble cfloat chalf
    cholesky_inverse coalesce col_indices conj conj_physical conj_physical_ const_data_ptr corrcoef cov crow_indices
    dense_dim dequantize diagonal_scatter dim_order eig float_power_ frexp gcd gcd_ geometric_ geqrf grad_dtype
    hash_tensor heaviside heaviside_ histc histogram i0 i0_ igamma igamma_ igammac igammac_ imag index index_reduce
    index_reduce_ indices int_repr ipu is_coalesced is_conj is_distributed is_ipu is_maia is_mkldnn is_mps is_mtia
    is_neg is_nested is_pinned is_set_to is_shared is_sparse_csr is_vulkan is_xla is_xpu istft layout lcm lcm_ ldexp
    ldexp_ log_normal_ lstsq lu lu_solve map2_ map_ matrix_exp module_load mtia mvlgamma mvlgamma_ name narrow_copy
    new_empty_strided nextafter nextafter_ nonzero_static orgqr ormqr pin_memory polygamma_ put put_ q_per_channel_axis
    q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qscheme record_stream reinforce renorm renorm_
    resize resize_ resize_as resize_as_ resize_as_sparse_ resolve_conj resolve_neg row_indices select_scatter set_
    share_memory_ slice_inverse slice_scatter smm solve sparse_dim sparse_mask sparse_resize_ sparse_resize_and_clear_
    sspaddmm stft storage_type sum_to_size symeig to_dense to_mkldnn to_padded_tensor to_sparse to_sparse_bsc
    to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr triangular_solve values volatile xpu
""".split()
)


class Absent:
    """A placeholder on Tensor for one of these names; a user may still set an attribute of that name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, tensor: Any, kind: type) -> Any:
        raise AttributeError(f"'{kind.__name__}' object has no attribute '{self.name}'. {ONLY_TORCH}", obj=kind)


def listed(self: Tensor) -> list[str]:
    """The names that a tensor really has, for dir() and completion."""
    return [n for n in object.__dir__(self) if n not in ABSENT or not isinstance(getattr_static(self, n), Absent)]


def mark_absent() -> None:
    """Keep the places on Tensor; a name that there is by now is left alone."""
    for name in ABSENT - vars(Tensor).keys():
        setattr(Tensor, name, Absent(name))
    Tensor.__dir__ = listed  # type: ignore[assignment]
