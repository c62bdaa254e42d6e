"""torch.FloatTensor and the other types of tensors from before there were dtypes, which many programs still name.

Each stands for a dtype: to make tensors of, to convert to (`x.type(torch.LongTensor)`), to ask for with isinstance.
"""

from __future__ import annotations

from typing import Any

from .creation import finish, legacy_tensor
from .dtypes import ALL, dtype
from .tensor import Tensor


class TensorType:
    """A type of tensors by its old name: type(2, 3) is a tensor of that size, type([1, 2]) one of these values."""

    __slots__ = ("name", "dtype")

    def __init__(self, name: str, kind: dtype) -> None:
        self.name = name
        self.dtype = kind

    def __call__(self, *data: Any) -> Tensor:
        return finish(legacy_tensor(data, self.dtype), "cpu")

    def __instancecheck__(self, x: Any) -> bool:
        return isinstance(x, Tensor) and x.dtype is self.dtype and x.device.type == "cpu"

    def __repr__(self) -> str:
        return f"<class 'torch.{self.name}'>"

    def __reduce__(self) -> str:
        return self.name


TYPES = {f"{kind.type_name}Tensor": TensorType(f"{kind.type_name}Tensor", kind) for kind in ALL}
globals().update(TYPES)
