"""The Tensor: an array, perhaps a gradient, perhaps a history.

A tensor has an array, the edge of the graph its gradient goes to, and a counter of in-place writes. `ops/` says how
operations compute and differentiate, and attaches them to this class as methods; `autograd/` says how gradients travel.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from . import autograd
from .autograd.grad_mode import inferring, is_grad_enabled, is_inference_mode_enabled
from .autograd.graph import INFERENCE, NO_EDGE, UNRECORDED, Edge, VersionCounter
from .autograd.views import refuse_repeats, share_saved, thaw, unwanted
from .backend import ndarray, numpy, to_host
from .dtypes import BY_NUMPY, get_default_dtype
from .dtypes import dtype as Dtype
from .errors import FLOAT_ONLY, INFERENCE_WRITTEN, LEAVES_ONLY, NOT_A_LEAF, OTHER_DEVICE, OTHER_SIZE, check_bool, warn
from .size import Size, device, unchecked

if TYPE_CHECKING:
    from .autograd.hooks import Extras, RemovableHandle


class Tensor:
    """A multi-dimensional array that can remember how it was computed.

    _data: the array; a NumPy scalar where an operation gave a 0-d result (see `storage`).
    _edge: where its gradient goes: NO_EDGE (needs none), None (a leaf that requires grad), (grad_fn, number), or, for
        views made under no_grad, UNRECORDED: they require grad if their base does, but their gradient goes nowhere.
    _alike: of tensors that an operation, as it was recorded, has found to be of one shape and dtype, the very same tuple; or None.
    _counter: its VersionCounter, shared with views and detach(); None while nothing was written in place.
    _grad: the gradient accumulated so far.  _accumulator, _hooks: of a leaf that requires grad.  _view: of a view.
    _detached: after detach_() of a result, when that was: nodes recorded before have a higher `order`.
    """

    __slots__ = tuple(
        "_data _edge _alike _counter _grad _hooks _accumulator _view _detached __weakref__ __dict__".split()
    )
    __array_priority__ = 1000

    _data: Any
    _edge: Edge | None
    _alike: tuple[int, ...] | None
    _counter: VersionCounter | None
    _grad: Tensor | None
    _hooks: Extras | None
    _accumulator: weakref.ref[Any] | None
    _view: Any
    _detached: int

    def __init__(self, *data: Any, device: Any = None) -> None:
        from .creation import legacy_tensor

        made = legacy_tensor(data, device=device)
        self._data, self._edge, self._counter = made._data, made._edge, made._counter
        self._alike = self._grad = None
        if made._base is not None:
            self._view = made._view
            self.counter().add_view(self)

    if TYPE_CHECKING:  # what ops/ attaches to this class; a real __getattr__ would slow down every attribute

        def __getattr__(self, name: str) -> Any: ...
        def __add__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __getitem__(self, index: Any) -> Tensor: ...

    # ------------------------------------------------------------------ what it is

    @property
    def shape(self) -> Size:
        """The sizes of the dimensions."""
        return unchecked(Size, self._data.shape)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._data.ndim

    @property
    def dtype(self) -> Dtype:
        """The element type."""
        return BY_NUMPY[self._data.dtype]

    @property
    def device(self) -> device:
        """Where the array is stored."""
        return device("cuda", self._data.device.id) if hasattr(self._data, "get") else _CPU

    @property
    def is_leaf(self) -> bool:
        """True unless an operation recorded this tensor: whatever needs no gradient is a leaf, computed or not."""
        return self._edge is None or self._edge[0] is None

    @property
    def _computed(self) -> bool:
        """Whether it has a history; also for a view that a write to its base has invalidated, where is_leaf is an error."""
        edge = getattr(self._edge, "before", self._edge)
        return edge is not None and edge[0] is not None

    @property
    def grad_fn(self) -> Any:
        """The node that computed this tensor; None for a leaf."""
        edge = self._edge
        return None if edge is None else edge[0]

    @property
    def output_nr(self) -> int:
        """Which output of grad_fn this is."""
        return self._edge[1] if self._edge else 0

    @property
    def _version(self) -> int:
        if self._counter is INFERENCE:
            raise RuntimeError("Inference tensors do not track version counter.")
        return 0 if self._counter is None else self._counter.version

    @property
    def _base(self) -> Tensor | None:
        return getattr(getattr(self, "_view", None), "base", None)

    def _is_view(self) -> bool:
        return self._base is not None and self._counter is not INFERENCE

    # ------------------------------------------------------------------ requires_grad, grad, data

    @property
    def requires_grad(self) -> bool:
        """Whether a gradient is wanted for this tensor or anything it was computed from."""
        return self._edge is not NO_EDGE

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        if not isinstance(wanted, bool):
            raise RuntimeError("requires_grad must be a bool")
        if self._computed:
            raise RuntimeError(LEAVES_ONLY.partition(" If")[0] if wanted else LEAVES_ONLY)
        if wanted and self._data.dtype.kind != "f":
            raise RuntimeError(FLOAT_ONLY.replace("dtype", "and complex dtype"))
        self.want_gradient(wanted)

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise RuntimeError("requires_grad must be a bool")

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Ask for this leaf's gradient, or no longer, and return the tensor itself.

        RuntimeError: asked of integers or bools, whose values cannot be nudged; taken back from a computed tensor.
        Example: tensor([1., 2.]).requires_grad_() → tensor([1., 2.], requires_grad=True)
        """
        if requires_grad and not self.is_floating_point():
            raise RuntimeError(FLOAT_ONLY)
        if not requires_grad and not self.is_leaf:
            raise RuntimeError(LEAVES_ONLY)
        self.want_gradient(requires_grad)
        return self

    def want_gradient(self, wanted: bool) -> None:
        """Set whether a leaf's gradient is wanted. RuntimeError for a tensor made in inference_mode, outside of it."""
        check_bool("requires_grad_", "requires_grad", 1, wanted)
        if wanted and self._counter is INFERENCE and not is_inference_mode_enabled():
            raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
        if not wanted:
            self._edge = unwanted(self)
        elif self._edge is NO_EDGE or self._edge is UNRECORDED:
            thaw(self)
        if self._counter is not None:
            self._counter.views_want(self, wanted)
            if wanted and self._counter.version and self._counter.views:
                from .ops.inplace import follow_base

                follow_base(self)

    @property
    def grad(self) -> Tensor | None:
        """The gradient accumulated so far; None before the first backward. Reading it on a non-leaf warns."""
        grad = self._grad
        if grad is None and self._computed and not self.retains_grad:
            warn(NOT_A_LEAF)
        return grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                raise TypeError(
                    f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}"
                )
            if value is self:
                raise RuntimeError("can't assign Variable as its own grad")
            if value._data.dtype is not self._data.dtype:
                raise RuntimeError(
                    f"attempting to assign a gradient with dtype '{value.dtype.c_name}' to a tensor with grad_dtype "
                    f"'{self.dtype.type_name}'. The gradient must match the tensor's grad_dtype"
                )
            if (there := value.device.type) != (here := self.device.type):
                raise RuntimeError(OTHER_DEVICE.format(there, here))
            if value._data.shape != self._data.shape:
                raise RuntimeError(OTHER_SIZE.format(list(value._data.shape), list(self._data.shape)))
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def data(self) -> Tensor:
        """The same storage without history and with a version counter of its own: autograd does not see what is written to it."""
        data = self._data
        return from_array(data if type(data) is ndarray else self.storage())

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        data = value._data
        if (changes := data.dtype is not self._data.dtype) and self._edge is not NO_EDGE and data.dtype.kind != "f":
            raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
        if changes:
            self._accumulator = None  # as in torch, graphs until now lead to the old one, which nobody finds any more
        self._data, self._alike = data if type(data) is ndarray else value.storage(), None

    @data.deleter
    def data(self) -> None:
        raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")

    def detach(self) -> Tensor:
        """A tensor that shares the storage and the version counter, and has no history.

        Example: y = x * 2; d = y.detach() → d.grad_fn is None; d[0] = 7 writes into y too, and y._version is 1.
        """
        return from_array(self.storage(), NO_EDGE, self.counter())

    def detach_(self) -> Tensor:
        """Drop this tensor's history in place; RuntimeError for a view."""
        if getattr(self, "_view", None) is not None:
            raise RuntimeError("Can't detach views in-place. Use detach() instead.")
        self.want_gradient(False)
        return self

    def item(self) -> bool | int | float:
        """The value of a one-element tensor as a Python number; RuntimeError for any other number of elements.

        Example: tensor([[3.]]).item() → 3.0, a float; tensor(True).item() → True
        """
        if self._data.size != 1:
            raise RuntimeError(f"a Tensor with {self._data.size} elements cannot be converted to Scalar")
        return self._data.item()

    # ------------------------------------------------------------------ storage and versions

    def storage(self) -> Any:
        """The array itself, to be shared or written to. A computed 0-d result is a NumPy scalar (which computes faster
        but cannot be written to) until this is called."""
        data = self._data
        if isinstance(data, numpy.generic):
            self._data = data = share_saved(self, numpy.asarray(data))
        return data

    def counter(self) -> VersionCounter:
        """The version counter, created on first use."""
        if self._counter is None:  # so it is no view: asked for, None is found in a fifth of the time that nothing is
            self._counter, self._view = VersionCounter(), None
        return self._counter

    def bump_version(self) -> None:
        """Count one in-place write."""
        counter = self._counter or self.counter()
        if counter is not INFERENCE:
            counter.version += 1

    def is_inference(self) -> bool:
        """Whether this tensor was made inside inference_mode, and so can take no part in a graph."""
        return self._counter is INFERENCE

    def add_array_(self, array: Any) -> None:
        """Add an array in place, outside of any graph."""
        if self._counter is INFERENCE and not is_inference_mode_enabled():
            raise RuntimeError(INFERENCE_WRITTEN)
        data = self.storage()
        if 0 in data.strides:
            refuse_repeats(data)
        data += array
        self.bump_version()

    # ------------------------------------------------------------------ autograd

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Compute the gradients of this tensor and add them to `.grad` of the leaves (torch.Tensor.backward).

        gradient: vᵀ of vᵀJ, of this tensor's shape; may be left out for one element, where it is 1.
        """
        autograd.backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def register_hook(self, hook: Any) -> RemovableHandle:
        """Call hook(grad) whenever this tensor's gradient is computed; its return value, if not None, replaces it."""
        from .autograd.hooks import register_tensor_hook

        return register_tensor_hook(self, hook)

    def register_post_accumulate_grad_hook(self, hook: Any) -> RemovableHandle:
        """Call hook(tensor) after a gradient was added to this leaf's `.grad`."""
        from .autograd.hooks import register_post_accumulate_hook

        return register_post_accumulate_hook(self, hook)

    def retain_grad(self) -> None:
        """Fill `.grad` of this tensor although it is not a leaf."""
        from .autograd.hooks import retain_grad

        retain_grad(self)

    @property
    def retains_grad(self) -> bool:
        """Whether retain_grad() was called on this non-leaf."""
        node = None if hasattr(self._edge, "error") else self.grad_fn
        return node is not None and node.extras is not None and self.output_nr in node.extras.retain

    # ------------------------------------------------------------------ from tensors to Python and NumPy

    def numpy(self, *, force: bool = False) -> Any:
        """A NumPy array that shares the storage; force=True detaches and copies from a device as needed.

        Raises RuntimeError for a tensor that requires grad, TypeError for one on a GPU.
        """
        if force:
            return to_host(self.storage()).view()
        if not isinstance(self.storage(), ndarray):
            raise TypeError(
                f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
                "memory first."
            )
        if self.requires_grad and is_grad_enabled():
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        return self._data.view()  # whose shape may be set, without that of the tensor

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return numpy.array(self.numpy(), dtype, copy=copy)

    def tolist(self) -> Any:
        """Nested lists of Python numbers."""
        return to_host(self._data).tolist()

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        from .printing import format_tensor, grad_fn_name

        return format_tensor(
            to_host(self._data),
            default_dtype=get_default_dtype().name,
            requires_grad=self.requires_grad,
            grad_fn_name=grad_fn_name(self),
            device=str(self.device),
            dtype_name=self.dtype.name,
        )

    def __len__(self) -> int:
        if self._data.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self._data.shape[0]

    def __bool__(self) -> bool:
        if self._data.size != 1:
            found = "more than one value" if self._data.size else "no values"
            raise RuntimeError(f"Boolean value of Tensor with {found} is ambiguous")
        return bool(self._data.item())

    def __hash__(self) -> int:
        return id(self)


_CPU, _new, _TENSOR = device("cpu"), object.__new__, (Tensor,)


def from_array(array: Any, edge: Edge | None = NO_EDGE, counter: VersionCounter | None = None) -> Tensor:
    """A tensor around an array, which is shared, not copied."""
    out = _new(*_TENSOR)  # a sixth less than new(Tensor)
    out._data = array
    out._edge = edge
    out._counter = counter
    out._alike = out._grad = None
    if edge is None:
        out._accumulator = out._hooks = None
    if inferring and counter is None and is_inference_mode_enabled():
        out._counter = INFERENCE
    return out
