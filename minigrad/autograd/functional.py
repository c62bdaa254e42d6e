"""Derivatives of functions: jacobian, hessian, and their products with vectors (torch.autograd.functional).

All is made of two things: a call of the user's function on fresh copies of its inputs, and autograd.grad on what it
gives. A Jacobian is one backward for each entry of the output. Forward products (jvp, hvp) are two backwards: uᵀJ is
linear in u, so its gradient with respect to u, weighted with v, is Jv. `strict` asks that everything really depends on
the inputs; otherwise what does not is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..creation import zeros
from ..errors import refusing
from ..tensor import Tensor
from . import grad
from .grad_mode import enable_grad, is_grad_enabled, set_grad_enabled

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

__getattr__ = refusing(__name__)

Tensors = tuple[Tensor, ...]
Grads = tuple[Tensor | None, ...]

NO_STRICT = "This is not allowed in strict mode."
FOUND_NONE = {  # what strict says where no gradient arrived for number {i}
    "output": f"The output of the user-provided function is independent of input {{i}}. {NO_STRICT}",
    "trick": (
        "The gradient with respect to the input is independent of entry {i} in the grad_outputs when using the double "
        f"backward trick to compute forward mode gradients. {NO_STRICT}"
    ),
    "jacobian": f"The jacobian of the user-provided function is independent of input {{i}}. {NO_STRICT}",
    "hessian": (
        "The hessian of the user-provided function is independent of entry {i} in the grad_jacobian. This is not allowed "
        "in strict mode as it prevents from using the double backward trick to replace forward mode AD."
    ),
}
NOT_DEPENDING = {  # what strict says where number {i} does not require grad
    "outputs": (
        "Output {i} of the user-provided function does not require gradients. The outputs must be computed in a "
        "differentiable manner from the input when running in strict mode."
    ),
    "grad_inputs": (
        "The gradient with respect to input {i} is independent of the inputs of the user-provided function. "
        + NO_STRICT
    ),
    "jacobian": (
        "While computing the hessian, found that the jacobian of the user-provided function with respect to input {i} is "
        f"independent of the input. {NO_STRICT} You should ensure that your function is twice differentiable and that "
        "the jacobian depends on the inputs (this would be violated by a linear function for example)."
    ),
}
ONE_INPUT = (
    "The vector v can only be None if the input to the user-provided function is a single Tensor with a single element."
)
ONE_OUTPUT = (
    "The vector v can only be None if the user-provided function returns a single Tensor with a single element."
)
STRATEGIES = ("forward-mode", "reverse-mode")
NOT_TOGETHER = (
    'torch.autograd.functional.jacobian: `{flag}=True` and `strategy="forward-mode"` are not supported together (yet). '
    'Please either set `{flag}=False` or `strategy="reverse-mode"`.'
)
UNVECTORIZED = (
    "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for `vectorize=True`."
)


class Call:
    """Calls a function on its own copies of the inputs, so that uses of the originals elsewhere are not counted.

    inputs, outputs: tuples; many_in, many_out: whether the user gave, and the function returned, tuples.
    """

    def __init__(self, name: str, func: Callable[..., Any], inputs: Any, create_graph: bool, strict: bool) -> None:
        self.name, self.func, self.strict, self.create_graph = name, func, strict, create_graph
        self.many_in, given = as_tensors(inputs, "inputs", name)
        self.inputs = own(given, create_graph, True)

    def run(self) -> Tensors:
        """Call the function; its outputs."""
        self.many_out, self.outputs = as_tensors(
            self.func(*self.inputs), "outputs of the user-provided function", self.name
        )
        self.must_depend(self.outputs, "outputs")
        return self.outputs

    def run_to_one_number(self) -> Tensors:
        """Call the function; its only output, of one element."""
        outputs = self.run()
        if self.many_out:
            raise RuntimeError(f"The function given to {self.name} should return a single Tensor")
        if outputs[0].numel() != 1:
            raise RuntimeError(
                f"The Tensor returned by the function given to {self.name} should contain a single element"
            )
        return outputs

    def vector(self, v: Any, like: Tensors, many: bool, why: str) -> Tensors | None:
        """The user's v, checked against what it multiplies; None means 1 for a single number."""
        if v is None:
            if len(like) != 1 or like[0].numel() != 1:
                raise RuntimeError(why)
            return None
        given = own(as_tensors(v, "v", self.name)[1], self.create_graph, False)
        if len(given) != len(like):
            raise RuntimeError(
                f"v is a tuple of invalid length: should be {len(like)} but got {len(given)}."
                if many
                else "The given v should contain a single Tensor."
            )
        for i, (one, other) in enumerate(zip(given, like, strict=True)):
            if one.shape != other.shape:
                place = f"Entry {i} in " if many else ""
                raise RuntimeError(f"{place}v has invalid size: should be {other.shape} but got {one.shape}.")
        return given

    def must_depend(self, tensors: Grads, what: str) -> None:
        """In strict mode, RuntimeError for what does not depend on the inputs."""
        for i, tensor in enumerate(tensors if self.strict else ()):
            if tensor is None:
                raise RuntimeError(FOUND_NONE["output"].format(i=i))
            if not tensor.requires_grad:
                raise RuntimeError(NOT_DEPENDING[what].format(i=i))

    def filled(self, grads: Grads, like: Tensors, what: str) -> Tensors:
        """The gradients, with zeros for those that did not arrive; in strict mode RuntimeError for these."""
        for i, found in enumerate(grads if self.strict else ()):
            if found is None:
                raise RuntimeError(FOUND_NONE[what].format(i=i))
            if self.create_graph and not found.requires_grad:
                kind = "jacobian" if what in ("output", "trick") else "hessian"
                raise RuntimeError(
                    f"The {kind} of the user-provided function is independent of input {i}. This is not allowed in strict "
                    "mode when create_graph=True."
                )
        return tuple([zeros_like(t) if g is None else g for g, t in zip(grads, like, strict=True)])

    def result(self, tensors: Tensors, many: bool) -> Any:
        """As the user gets it: without history unless create_graph, alone unless a tuple was given."""
        shown = tensors if self.create_graph else tuple([t.detach() for t in tensors])
        return shown if many else shown[0]


def vjp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """(func(*inputs), vᵀJ): one backward. v: of the outputs' shapes; may be left out for one number."""
    with enable_grad():
        call = Call("vjp", func, inputs, create_graph, strict)
        outputs = call.run()
        vector = call.vector(v, outputs, call.many_out, ONE_OUTPUT)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = call.filled(gradients(outputs, call.inputs, vector, create_graph), call.inputs, "output")
    return call.result(outputs, call.many_out), call.result(found, call.many_in)


def jvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """(func(*inputs), Jv): two backwards. v: of the inputs' shapes; may be left out for one number."""
    with enable_grad():
        call = Call("jvp", func, inputs, create_graph, strict)
        vector = call.vector(v, call.inputs, call.many_in, ONE_INPUT)
        outputs = call.run()
        u = tuple([zeros_like(o).requires_grad_() for o in outputs])
        uj = gradients(outputs, call.inputs, u, True)
        call.must_depend(uj, "grad_inputs")
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = call.filled(gradients(uj, u, vector, create_graph), outputs, "trick")
    return call.result(outputs, call.many_out), call.result(found, call.many_out)


def vhp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """(func(*inputs), vᵀH) for a function to one number: the gradient of vᵀ∇f."""
    with enable_grad():
        call = Call("vhp", func, inputs, create_graph, strict)
        vector = call.vector(v, call.inputs, call.many_in, ONE_INPUT)
        outputs = call.run_to_one_number()
        slope = gradients(outputs, call.inputs, None, True)
        call.must_depend(slope, "jacobian")
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = call.filled(gradients(slope, call.inputs, vector, create_graph), call.inputs, "jacobian")
    return call.result(outputs, call.many_out), call.result(found, call.many_in)


def hvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """(func(*inputs), Hv) for a function to one number. H is symmetric, so this is vhp by a longer way."""
    with enable_grad():
        call = Call("hvp", func, inputs, create_graph, strict)
        vector = call.vector(v, call.inputs, call.many_in, ONE_INPUT)
        outputs = call.run_to_one_number()
        slope = gradients(outputs, call.inputs, None, True)
        call.must_depend(slope, "jacobian")
        u = tuple([zeros_like(x).requires_grad_() for x in call.inputs])
        uh = gradients(slope, call.inputs, u, True)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = call.filled(gradients(uh, u, vector, create_graph), call.inputs, "hessian")
    return call.result(outputs, call.many_out), call.result(found, call.many_in)


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of func at inputs, of shape (*output's shape, *input's shape); a tuple (of tuples) where the
    function has several outputs or inputs. vectorize changes nothing here: each entry has its own backward."""
    check_strategy(strategy, create_graph, strict, vectorize)
    with enable_grad():
        call = Call("jacobian", func, inputs, create_graph, strict)
        outputs = call.run()
        if vectorize and strict:
            raise RuntimeError(
                "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. "
                "Please either set `strict=False` or `vectorize=False`."
            )
        table = [jacobian_of_one(call, out, i) for i, out in enumerate(outputs)]
    rows = tuple([call.result(row, call.many_in) for row in table])
    return rows if call.many_out else rows[0]


def jacobian_of_one(call: Call, out: Tensor, number: int) -> Tensors:
    """The Jacobians of one output with respect to every input, entry by entry of the output."""
    columns: list[list[Tensor]] = [[] for _ in call.inputs]
    none = [(None,) * len(call.inputs)] * out.numel()
    for row in jacobian_rows(out, call.inputs, call.create_graph) if out.requires_grad else none:
        for k, found in enumerate(row):
            if found is None and call.strict:
                raise RuntimeError(
                    f"Output {number} of the user-provided function is independent of input {k}. {NO_STRICT}"
                )
            if found is not None and call.strict and call.create_graph and not found.requires_grad:
                raise RuntimeError(
                    f"The jacobian of the user-provided function is independent of input {number}. This is not allowed in "
                    "strict mode when create_graph=True."
                )
            columns[k].append(zeros_like(call.inputs[k]) if found is None else found)
    return tuple([x.stack_all(col, 0).view(out.shape + x.shape) for col, x in zip(columns, call.inputs, strict=True)])


def jacobian_rows(output: Any, inputs: Any, create_graph: bool) -> list[Any]:
    """One row of the Jacobian for each element of the output: its gradients with respect to every input.

    One backward a row, whose weights are 1 for that element and 0 for all others. output: a tensor with a history, of
    any shape; inputs: tensors it was computed from. A row is a tuple, with None for an input that was not used.
    Example: y = x * x, x = [1., 2., 3.] → [([2., 0., 0.],), ([0., 4., 0.],), ([0., 0., 6.],)]
    """
    rows = []
    for number in range(output.numel()):
        weights = zeros_like(output).reshape(-1)
        weights[number] = 1.0
        weights = weights.reshape(output.shape)
        rows.append(grad(output, inputs, weights, retain_graph=True, create_graph=create_graph, allow_unused=True))
    return rows


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The Hessian of a function to one number, the Jacobian of its Jacobian: (*input's shape, *input's shape), or for
    several inputs a tuple of tuples."""
    many, given = as_tensors(inputs, "inputs", "hessian")
    check_strategy(outer_jacobian_strategy, create_graph, strict, vectorize)

    def slope(*own_inputs: Tensor) -> Tensors:
        call = Call("hessian", func, own_inputs, True, strict)
        found: Tensors = jacobian(lambda *x: one_number(call, x), own_inputs, create_graph=True)
        call.must_depend(found, "jacobian")
        return found

    table = jacobian(slope, given, create_graph, strict, vectorize)
    return table if many else table[0][0]


def one_number(call: Call, inputs: Tensors) -> Tensor:
    """The function's only output, as a 0-d tensor."""
    call.inputs = inputs
    return call.run_to_one_number()[0].squeeze()


# ------------------------------------------------------------------ small change


def gradients(outputs: Sequence[Tensor | None], inputs: Tensors, weights: Tensors | None, create_graph: bool) -> Grads:
    """autograd.grad of those outputs that have a history; None for every input if none has."""
    vectors = weights or (None,) * len(outputs)
    live = [(o, v) for o, v in zip(outputs, vectors, strict=True) if o is not None and o.requires_grad]
    if not live:
        return (None,) * len(inputs)
    sources, seeds = zip(*live, strict=True)
    return grad(sources, inputs, seeds, allow_unused=True, create_graph=create_graph)


def as_tensors(given: Any, what: str, name: str) -> tuple[bool, Tensors]:
    """Whether a tuple was given, and the tuple; TypeError for anything but tensors."""
    many = isinstance(given, tuple)
    tensors = given if many else (given,)
    for i, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            place = f" value at index {i}" if many else f" given {what}"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the{place} has type "
                f"{type(tensor)}."
            )
    return many, tensors


def own(tensors: Tensors, create_graph: bool, need_graph: bool) -> Tensors:
    """Tensors of the same values that nothing else refers to; with their history only if the caller wants one back."""
    return tuple(
        [
            t.view_as(t) if create_graph and t.requires_grad else t.detach().requires_grad_(need_graph)
            for t in tensors
        ]
    )  # fmt: skip


def check_strategy(strategy: str, create_graph: bool, strict: bool, vectorize: bool) -> None:
    """Reverse mode is what there is; for forward mode torch's refusals, and then ours."""
    if strategy not in STRATEGIES:
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs than '
            'inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        if create_graph:
            raise NotImplementedError(NOT_TOGETHER.format(flag="create_graph"))
        if strict:
            raise RuntimeError(NOT_TOGETHER.format(flag="strict"))
        if not vectorize:
            raise NotImplementedError(UNVECTORIZED)
        raise NotImplementedError('minigrad differentiates backward only: leave strategy="reverse-mode".')


def zeros_like(tensor: Tensor) -> Tensor:
    """Zeros of a tensor's shape, dtype and device, without history."""
    return zeros(tensor.shape, dtype=tensor.dtype, device=tensor.device)
