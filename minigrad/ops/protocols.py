"""What Python asks of a Tensor besides arithmetic: `in`, reversed, an index, a format, copying, pickling; and what torch
tells about one."""

from __future__ import annotations

import copy
from typing import Any

from ..autograd.graph import NO_EDGE
from ..autograd.hooks import tensor_hooks
from ..backend import address, array_module, memory_order, numpy, to_host
from ..creation import NO_INDEX, tensor
from ..dtypes import with_our_dtype
from ..errors import warn
from ..size import Size, unchecked
from ..strides import restrided
from ..tensor import Tensor, from_array
from .arguments import Int
from .arrange import flip
from .compare import eq
from .promotion import Number
from .reduce import real_dim
from .shape import unbind

NOT_COPYABLE = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you were "
    "attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
    "https://github.com/pytorch/pytorch/pull/103001"
)

UNSERIALIZED = (
    "backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can decorate the function with "
    "@torch.utils.hooks.unserializable_hook to suppress this warning"
)


def contains(self: Tensor, element: Any) -> bool:
    """Whether any element equals a number or a tensor."""
    if not isinstance(element, (Tensor, *Number)):
        raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")
    return bool(eq(self, element)._data.any())


def iterate(self: Tensor) -> Any:
    """The tensors along the first dimension, one by one."""
    if self._data.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(unbind(self))


def backwards(self: Tensor) -> Tensor:
    """The tensor with its first dimension back to front."""
    return flip(self, 0) if self._data.ndim else self


def as_index(self: Tensor) -> int:
    """The one element as a place in a list."""
    if self._data.dtype.kind not in "biu" or self._data.size != 1:
        raise TypeError(NO_INDEX)
    return int(self._data.item())


def formatted(self: Tensor, spec: str) -> str:
    """f"{tensor:.2f}": a 0-d tensor as its number; not so one of a class of its own, such as a Parameter."""
    number = type(self) is Tensor and self._data.ndim == 0
    return format(self.item(), spec) if number else object.__format__(self, spec)


# ------------------------------------------------------------------ copies


def rebuilt(kind: type, array: Any, requires_grad: bool, state: dict[str, Any]) -> Tensor:
    """A leaf of a class around an array, with what users had set on it."""
    out = from_array(with_our_dtype(array))
    out.bump_version()  # torch gives an empty tensor this storage, which counts as a write
    if kind is not Tensor:
        out.__class__ = kind
    out.__dict__.update(state)
    if requires_grad:
        out.requires_grad = True
    return out


def reduced(self: Tensor, protocol: Any) -> Any:
    """How pickle and copy.copy take a tensor apart: a leaf with the same values; history and gradient stay behind, and
    so, with a warning, do hooks."""
    for hook in tensor_hooks(self).values():
        warn(UNSERIALIZED.format(hook=hook))
    return rebuilt, (type(self), self.storage(), self.requires_grad, self.__dict__.copy())


def deep_copied(self: Tensor, memo: dict[int, Any]) -> Tensor:
    """copy.deepcopy of a leaf, with its gradient; RuntimeError for a computed tensor."""
    if id(self) in memo:
        return memo[id(self)]
    if not self.is_leaf:
        raise RuntimeError(NOT_COPYABLE)
    data = copied_storage(self.storage(), memo)
    out = rebuilt(type(self), data, self._edge is not NO_EDGE, copy.deepcopy(self.__dict__, memo))
    out._grad = copy.deepcopy(self._grad, memo)
    memo[id(self)] = out
    return out


def copied_storage(array: Any, memo: dict[Any, Any]) -> Any:
    """A copy of an array for one deepcopy. As in torch the whole storage is copied, once, so that copies share memory where
    the originals do."""
    whole = storage_of(array)
    if not (array.size and whole.dtype is array.dtype and (whole.flags.c_contiguous or whole.flags.f_contiguous)):
        return array.copy(memory_order(array))
    key = "storage", address(whole)
    if key not in memo:
        memo[key] = whole.copy("K"), whole  # which has to live as long as its address is a key
    copied = memo[key][0]
    if array is whole:
        return copied
    flat = (copied if copied.flags.c_contiguous else copied.T).reshape(-1)
    return restrided(flat[(address(array) - address(whole)) // array.itemsize :], array.shape, array.strides)


def storage_of(array: Any) -> Any:
    """The array that owns an array's memory: itself, or what it is a view of."""
    whole = array
    while isinstance(getattr(whole, "base", None), type(array)):
        whole = whole.base
    return whole


# ------------------------------------------------------------------ facts


def size(input: Tensor, dim: Int | None = None) -> Any:
    """The shape, or the size of one dimension."""
    return unchecked(Size, input._data.shape) if dim is None else input._data.shape[real_dim(dim, input._data.ndim)]


def stride(input: Tensor, dim: Int | None = None) -> Any:
    """The step between neighbours in each dimension, in elements."""
    data = input.storage()
    steps = tuple([s // data.itemsize for s in data.strides])
    return steps if dim is None else steps[real_dim(dim, input._data.ndim)]


def storage_offset(input: Tensor) -> Any:
    """How many elements of the storage come before the first one of this tensor."""
    data = input.storage()
    return (address(data) - address(storage_of(data))) // data.itemsize


def is_complex(input: Tensor) -> Any:
    """False: there are no complex tensors here."""
    return False


def is_inference(input: Tensor) -> Any:
    """Whether the tensor was made inside inference_mode, and so can take no part in a graph."""
    return input.is_inference()


def is_signed(input: Tensor) -> Any:
    """Whether the elements may be negative."""
    return input.dtype.is_signed


def get_device(input: Tensor) -> Any:
    """The number of the tensor's GPU; -1 for the CPU."""
    return input.device.index if input.device.type == "cuda" else -1


def is_same_size(input: Tensor, other: Tensor) -> Any:
    """Whether two tensors have the same shape."""
    return input._data.shape == other._data.shape


def apply_(self: Tensor, callable: Any) -> Tensor:
    """Every element replaced by callable(element), in place and slowly."""
    if self.requires_grad:
        raise RuntimeError("Can't call apply_() on Variable that requires grad. Use var.detach().apply_() instead.")
    data = self.storage()
    values = [callable(x) for x in to_host(data).reshape(-1).tolist()]
    data[...] = array_module(data).asarray(tensor(values, dtype=self.dtype)._data.reshape(data.shape))
    self.bump_version()
    return self


def array_wrap(self: Tensor, array: Any, context: Any = None, return_scalar: bool = False) -> Tensor:
    """What a NumPy function makes of a tensor, as a tensor; bools as bytes, as in torch."""
    array = numpy.asarray(array)
    return from_array(array.astype(numpy.uint8) if array.dtype.kind == "b" else array)
