"""Other right ways to write lesson 01's parts."""

from alternatives import alternative
from minigrad.autograd.graph import NO_EDGE
from minigrad.tensor import FLOAT_ONLY, LEAVES_ONLY, Tensor, from_array

TENSOR = "minigrad.tensor.Tensor."


@alternative(TENSOR + "item")
def by_unpacking(self):
    """Makes a list of the elements and takes the only one."""
    numbers = self._data.ravel().tolist()
    if len(numbers) == 1:
        return numbers[0]
    raise RuntimeError(f"a Tensor with {len(numbers)} elements cannot be converted to Scalar")


@alternative(TENSOR + "item")
def by_trying(self):
    """Lets NumPy refuse, and says it in torch's words."""
    try:
        return self._data.item()
    except ValueError:
        raise RuntimeError(f"a Tensor with {self._data.size} elements cannot be converted to Scalar") from None


@alternative(TENSOR + "requires_grad_")
def by_cases(self, requires_grad=True):
    """The two ends one after the other."""
    if requires_grad:
        if self._data.dtype.kind != "f":
            raise RuntimeError(FLOAT_ONLY)
    elif self.grad_fn is not None:
        raise RuntimeError(LEAVES_ONLY)
    self.want_gradient(requires_grad)
    return self


@alternative(TENSOR + "requires_grad_")
def by_the_attribute(self, requires_grad=True):
    """Uses the attribute, which a computed tensor would refuse even where nothing changes."""
    if requires_grad == self.requires_grad:
        return self
    if requires_grad and self.dtype.name not in ("float16", "float32", "float64"):
        raise RuntimeError(FLOAT_ONLY)
    self.requires_grad = requires_grad
    return self


@alternative(TENSOR + "detach")
def attribute_by_attribute(self):
    """Fills an empty tensor."""
    out = Tensor()
    out._data, out._counter, out._edge = self.storage(), self.counter(), NO_EDGE
    return out


@alternative(TENSOR + "detach")
def data_with_the_counter(self):
    """.data, with the counter put back."""
    out = from_array(self.storage())
    out._counter = self.counter()
    return out
