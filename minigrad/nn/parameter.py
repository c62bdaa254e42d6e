"""Parameter: a tensor that a Module counts among what it learns."""

from __future__ import annotations

from typing import Any

from ..autograd.graph import NO_EDGE
from ..backend import numpy
from ..dtypes import get_default_dtype
from ..errors import FLOATS_ONLY
from ..tensor import Tensor


def adopt(new: Tensor, data: Tensor | None) -> None:
    """Make a new tensor one without history on the storage of `data`, with the same version counter; None: an empty one."""
    new._data = numpy.empty((0,), get_default_dtype().np) if data is None else data.detach()._data
    new._edge = NO_EDGE
    new._counter = None if data is None else data.counter()
    new._alike = new._grad = None


class Parameter(Tensor):
    """A leaf that requires grad; as an attribute of a Module it is found by `parameters()` (torch.nn.Parameter).

    It shares the storage of `data`, and so the count of its writes, and has no history. What is computed from it is a
    plain Tensor.
    """

    __slots__ = ()

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        adopt(self, data)
        if requires_grad:
            if self._data.dtype.kind != "f":
                raise RuntimeError(FLOATS_ONLY)
            self.requires_grad = True

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return "Parameter containing:\n" + super().__repr__()

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.detach().clone(), self.requires_grad)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), (self.detach(), self.requires_grad), self.__dict__ or None


class Buffer(Tensor):
    """A tensor that belongs to a Module's state and is not learned (torch.nn.Buffer)."""

    __slots__ = ()

    def __init__(self, data: Tensor | None = None, *, persistent: bool = True) -> None:
        adopt(self, data)
        if data is not None and data.requires_grad:
            self.requires_grad = True
        self.persistent = persistent
