"""The gradient of a function to one number, as a function (torch.func.grad, grad_and_value)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..tensor import Tensor
from .level import ARGNUMS, Level, differentiated, with_aux, with_fresh
from .pytree import flatten, unflatten

API = "grad_and_value(f)(*args)"


def grad(func: Callable[..., Any], argnums: ARGNUMS = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The function that gives func's gradient with respect to the arguments argnums, trees of tensors.

    func: gives a tensor without dimensions; with has_aux, a pair of that and what else it wants to tell.
    Example: grad(lambda x: x**3)(tensor(2.)) → tensor(12.); grad(grad(lambda x: x**3))(tensor(2.)) → tensor(12.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        slope, value = both(*args, **kwargs)
        return (slope, value[1]) if has_aux else slope

    return wrapper


def grad_and_value(func: Callable[..., Any], argnums: ARGNUMS = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The function that gives (func's gradient, its value); with has_aux (gradient, (value, aux))."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with Level().entered() as level:
            inside, inputs = with_fresh(level, args, argnums)
            output, aux = with_aux(func(*inside, **kwargs), has_aux, API)
            if not isinstance(output, Tensor):
                raise RuntimeError(f"{API}: Expected f(*args) to return a Tensor, got {type(output)}")
            if output.ndim:
                raise RuntimeError(
                    f"{API}: Expected f(*args) to return a scalar Tensor, got tensor with {output.ndim} dims. Maybe you "
                    "wanted to use the vjp or jacrev APIs instead?"
                )
            leaves, spec = flatten(inputs)
            needed = has_aux or level.belongs_outside([output])
            found = differentiated([output], leaves, None, needed, level.belongs_outside([output]))
            slope = level.all_handed_out(unflatten(found, spec))
            value = level.handed_out(output)
            return (slope, (value, level.all_handed_out(aux))) if has_aux else (slope, value)

    return wrapper
