"""Products of a function's Jacobian with vectors, from the left and from the right (torch.func.vjp, jvp, linearize).

From the right there is no forward mode: uᵀJ is linear in u, so its gradient with respect to u, weighted with v, is Jv.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd.grad_mode import is_grad_enabled
from ..ranges import zeros_like
from ..tensor import Tensor
from .level import Level, differentiated, tensors_only, with_aux, with_fresh
from .pytree import flatten, unflatten

VJP = "vjp(f, *primals)"
JVP = "jvp(f, primals, tangents)"
TUPLE = f"{JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
OTHER_COTANGENTS = (
    "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. cotangents: {}, "
    "primal output: {}"
)
OTHER_TANGENTS = (
    f"{JVP}: Expected primals and tangents to have the same python structure. For example, if primals is a tuple of 3 "
    "tensors, tangents also must be. Got primals with structure {} and tangents with structure {}"
)
OTHER_SIZE = (
    "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. "
    "Tensor is of size {} while the given forward gradient is of size {}."
)
NO_FLOAT = "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype {}"
INDEPENDENT = (
    "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not allowed with "
    "strict=True."
)


class Ran:
    """A function's run on fresh inputs, to be differentiated as often as one likes.

    inputs, outputs: the tensors inside, with the shapes of their trees. result, aux: as the program around sees them.
    """

    def __init__(
        self,
        func: Callable[..., Any],
        args: tuple[Any, ...],
        argnums: Any,
        has_aux: bool,
        api: str,
        linear: bool = False,
    ) -> None:
        self.level = Level("jvp" if linear else "grad")
        with self.level.entered() as level:
            inside, inputs = with_fresh(level, args, argnums)
            self.inputs, self.input_spec = flatten(inputs)
            output, aux = with_aux(func(*inside), has_aux, api)
            self.aux = level.all_handed_out(aux) if has_aux else None
            self.outputs, self.spec = tensors_only(output, api)
            self.result = level.all_handed_out(output)
            self.outside = level.belongs_outside(self.outputs)
            self.depends = [o.requires_grad for o in self.outputs]
            floats = [o for o in self.outputs if o.is_floating_point()]
            if api == VJP and len(floats) < len(self.outputs):
                whole = next(o for o in self.outputs if not o.is_floating_point())
                raise RuntimeError(NO_FLOAT.format(whole.dtype))
            if linear:
                self.weights = [level.fresh(zeros_like(o)) for o in floats]
                self.rows = differentiated(floats, self.inputs, self.weights, True, True) if floats else []

    def pulled(self, vectors: list[Any], retain_graph: bool = True, create_graph: bool | None = None) -> list[Tensor]:
        """vᵀJ, one for each input; with a history where the program around records, or create_graph says so."""
        if create_graph is None:
            create_graph = is_grad_enabled()
        create_graph = create_graph and (self.outside or wants_gradient(vectors))
        return differentiated(self.outputs, self.inputs, vectors, retain_graph, create_graph)

    def pushed(self, vectors: list[Any]) -> list[Tensor]:
        """Jv, one for each output."""
        outside = is_grad_enabled() and (self.outside or wants_gradient(vectors))
        found = iter(differentiated(self.rows, self.weights, vectors, True, outside) if self.rows else ())
        products = [(o, next(found) if o.is_floating_point() else o) for o in self.outputs]
        return [self.level.handed_out(t) if yes else zeros_like(o)
                for (o, t), yes in zip(products, self.depends, strict=True)]  # fmt: skip


def wants_gradient(vectors: list[Any]) -> bool:
    """Whether one of them requires grad."""
    return any(isinstance(v, Tensor) and v.requires_grad for v in vectors)


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """(func(*primals), the function that takes v, of the output's structure, to vᵀJ, one for each of the primals).

    With has_aux func gives (output, aux), and aux is the third of what is returned.
    """
    ran = Ran(func, primals, None, has_aux, VJP)

    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        vectors, spec = flatten(cotangents)
        if spec != ran.spec:
            raise RuntimeError(OTHER_COTANGENTS.format(spec.drawn(), ran.spec.drawn()))
        return unflatten(ran.pulled(vectors, retain_graph, create_graph), ran.input_spec)

    return (ran.result, vjp_fn, ran.aux) if has_aux else (ran.result, vjp_fn)


def jvp(func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """(func(*primals), Jv) for v the tangents, of the primals' structure. With has_aux, (output, Jv, aux).

    strict: RuntimeError for an output that does not depend on the primals; otherwise its product is zero.
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(TUPLE)
    given, spec = flatten(primals)
    vectors, other = flatten(tangents)
    if spec != other:
        raise RuntimeError(OTHER_TANGENTS.format(spec, other))
    tensors(given, "primals")
    tensors(vectors, "tangents")
    for primal, tangent in zip(given, vectors, strict=True):
        for what, tensor in (("primal", primal), ("tangent", tangent)):
            if not tensor.is_floating_point():
                raise ValueError(f"Expected {what} to be floating point or complex, but got: {tensor.dtype}")
        if primal.shape != tangent.shape:
            raise RuntimeError(OTHER_SIZE.format(list(primal.shape), list(tangent.shape)))
    ran = Ran(func, primals, None, has_aux, JVP, linear=True)
    if strict and not all(ran.depends):
        raise RuntimeError(INDEPENDENT)
    product = unflatten(ran.pushed(vectors), ran.spec)
    return (ran.result, product, ran.aux) if has_aux else (ran.result, product)


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """(func(*primals), the function that takes tangents to Jv): func runs once for all of them."""
    ran = Ran(func, primals, None, False, "linearize(f, *primals)", linear=True)

    def jvp_fn(*tangents: Any) -> Any:
        vectors, spec = flatten(tangents)
        if spec != ran.input_spec:
            raise RuntimeError(f"Expected the tangents {spec} to have the same argspec as the primals {ran.input_spec}")
        for place, (tangent, primal) in enumerate(zip(vectors, ran.inputs, strict=True)):
            for what in ("shape", "device", "dtype"):
                mine, wanted = getattr(tangent, what), getattr(primal, what)
                if mine != wanted:
                    raise RuntimeError(
                        f"tangent:{place} with {what} {mine} in flattened pytree doesn't match the {what} {wanted} of the "
                        "corresponding primal."
                    )
        return unflatten(ran.pushed(vectors), ran.spec)

    return ran.result, jvp_fn


def tensors(leaves: list[Any], what: str) -> None:
    """RuntimeError for anything but tensors, or nothing."""
    if not leaves:
        raise RuntimeError(f"{JVP}: Expected {what} to contain at least one Tensor.")
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(f"{JVP}: Expected {what} to only contain Tensors, got {type(leaf)}")
