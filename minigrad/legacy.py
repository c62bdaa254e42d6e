"""torch.FloatTensor and the other types of tensors from before there were dtypes, which many programs still name.

Each stands for a dtype: to make tensors of, to convert to (`x.type(torch.LongTensor)`), to ask for with isinstance.
"""

from __future__ import annotations

from typing import Any

from .creation import legacy_tensor
from .dtypes import ALL, dtype
from .tensor import Tensor

OPTIONS = (
    "TensorOptions(dtype={}, device=cpu, layout=Strided, requires_grad=false (default), pinned_memory=false (default), "
    "memory_format=(nullopt))"
)


class TensorType:
    """A type of tensors by its old name: type(2, 3) is a tensor of that size, type([1, 2]) one of these values, type(x) a view
    of a tensor that has this type already."""

    __slots__ = ("name", "dtype")

    def __init__(self, name: str, kind: dtype) -> None:
        self.name = name
        self.dtype = kind

    def __call__(self, *data: Any) -> Tensor:
        if len(data) == 1 and isinstance(given := data[0], Tensor) and given.dtype is not self.dtype:
            raise TypeError(f"expected {OPTIONS.format(self.dtype.c_name)} (got {OPTIONS.format(given.dtype.c_name)})")
        return legacy_tensor(data, self.dtype)

    def __instancecheck__(self, x: Any) -> bool:
        return isinstance(x, Tensor) and x.dtype is self.dtype and x.device.type == "cpu"

    def __repr__(self) -> str:
        return f"<class 'torch.{self.name}'>"

    def __reduce__(self) -> str:
        return self.name


TYPES = {f"{kind.type_name}Tensor": TensorType(f"{kind.type_name}Tensor", kind) for kind in ALL}
globals().update(TYPES)
