"""Holding gradients against finite differences: gradcheck and gradgradcheck.

The numerical side is two short functions: a central difference along one direction, and the Jacobian it gives entry by
entry. The analytical side asks autograd for the same Jacobian row by row. The rest compares the two and says in
torch's words where they part. It proves that a rule fits its forward, not that either is what the author meant; and it
knows reverse mode only: no forward mode, no rules for batches.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import autograd, rules
from ..backend import numpy
from ..tensor import Tensor
from .backward_checks import (
    GradcheckError,
    as_tuple,
    check_alike,
    check_inputs,
    check_scales_with_gradient,
    check_undefined,
    checked_places,
    reentrant,
    some_nonzero,
)  # fmt: skip

if TYPE_CHECKING:
    from ..random import Generator

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]

NOT_ZERO = "Numerical gradient for function expected to be zero"

Checked = Callable[..., Any]


# ------------------------------------------------------------------ the two sides


def central_difference(fn: Callable[[Tensor], Tensor], x: Tensor, direction: Tensor, eps: float) -> Tensor:
    """How fast fn(x) changes as x moves along `direction`: (fn(x + eps·d) - fn(x - eps·d)) / (2·eps).

    x is moved in place through `.data`, which autograd does not see, and is put back whatever happens.
    x, direction: of one shape; the result has the shape of fn(x) and no history.
    Example: fn(x) = x * x at x = [3., 5.], direction = [1., 0.] → [6., 0.], with an error that shrinks as eps².
    """
    here = x.detach().clone()
    try:
        x.data.copy_(here - eps * direction)
        behind = fn(x).detach().clone()
        x.data.copy_(here + eps * direction)
        ahead = fn(x).detach().clone()
    finally:
        x.data.copy_(here)
    return (ahead - behind) / (2 * eps)


def numerical_jacobian(fn: Callable[[Tensor], Tensor], x: Tensor, eps: float) -> Tensor:
    """The Jacobian of fn at x by central differences: shape (entries of x, entries of fn(x)), as torch prints it.

    Row i says what happens to every entry of the result while entry i of x alone is moved.
    Example: fn(x) = x * x at x = [3., 5.] → [[6., 0.], [0., 10.]]
    """
    rows = [central_difference(fn, x, direction, eps).reshape(-1) for direction in unit_directions(x)]
    return rules.stack(rows, 0) if rows else x.new_zeros(0, fn(x).numel())


def unit_directions(x: Tensor) -> tuple[Tensor, ...]:
    """For every entry of x, the direction that moves it alone: 1 in its place, 0 elsewhere."""
    from ..ranges import eye

    return eye(x.numel(), dtype=x.dtype, device=x.device).reshape(x.numel(), *x.shape).unbind(0)


def analytical_jacobian(output: Tensor, x: Tensor) -> Tensor:
    """The Jacobian as autograd has it, in numerical_jacobian's shape: one backward for every entry of the output, a column."""
    columns = []
    for seed in unit_directions(output):
        (grad,) = autograd.grad(output, x, seed, retain_graph=True, allow_unused=True)
        columns.append((x.new_zeros(x.shape) if grad is None else grad.detach()).reshape(-1))
    return rules.stack(columns, 1) if columns else x.new_zeros(x.numel(), 0)


# ------------------------------------------------------------------ gradcheck


def gradcheck(
    func: Checked,
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """True if the gradients of func(*inputs) agree with finite differences (torch.autograd.gradcheck).

    inputs: one or several Tensors; those that require grad are checked, and should be float64.
    eps: how far an entry is moved. atol, rtol: |analytical - numerical| ≤ atol + rtol · |numerical|.
    raise_exception: GradcheckError with both Jacobians if they differ; otherwise False.
    nondet_tol: by how much two backward passes may differ. fast_mode: compare along one random direction only.
    check_undefined_grad: the rules must also take gradients that never arrived.
    check_grad_dtypes, masked: as in torch; here gradients always have their input's dtype, and no tensor is sparse.
    """
    _only_reverse(check_forward_ad=check_forward_ad, check_batched_grad=check_batched_grad)
    _only_reverse(check_batched_forward_grad=check_batched_forward_grad)
    if not check_backward_ad:
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    given = as_tuple(inputs)
    check_inputs(given)
    try:
        outputs = as_tuple(func(*given))
        differentiable = [i for i, o in enumerate(outputs) if o.requires_grad]
        compare = _compare_along_one_direction if fast_mode else _compare_jacobians
        compare(func, given, outputs, differentiable, eps, atol, rtol, nondet_tol)
        check_scales_with_gradient([outputs[i] for i in differentiable], given)
        if check_undefined_grad:
            check_undefined(func, given)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Checked,
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """gradcheck of the gradients themselves: do second derivatives agree with finite differences of first ones?

    grad_outputs: the gradients with respect to func's outputs, checked as inputs too; random if None.
    The other arguments are gradcheck's.
    """
    _only_reverse(check_fwd_over_rev=check_fwd_over_rev)
    if not check_rev_over_rev:
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    from ..draws import rand

    given = as_tuple(inputs)
    if grad_outputs is None:
        outputs = [o for o in as_tuple(func(*given)) if o.requires_grad]
        seeds = tuple([(rand(o.shape, dtype=o.dtype, device=o.device) * 2 - 1).requires_grad_() for o in outputs])
        if gen_non_contig_grad_outputs:
            seeds = tuple([_every_second(seed) for seed in seeds])
    else:
        seeds = as_tuple(grad_outputs)
    wanted = checked_places(given)

    def gradients(*args: Any) -> tuple[Any, ...]:
        arguments, weights = args[: len(given)], args[len(given) :]
        results = [o for o in as_tuple(func(*arguments)) if o.requires_grad]
        sources = [arguments[i] for i in wanted]
        found = autograd.grad(results, sources, weights, create_graph=True, allow_unused=True)
        return tuple([g for g in found if g is not None])

    return gradcheck(
        gradients, (*given, *seeds), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
        nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad, check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad, fast_mode=fast_mode, masked=masked,
    )  # fmt: skip


# ------------------------------------------------------------------ the comparison


def _compare_jacobians(
    func: Checked, given: tuple[Any, ...], outputs: tuple[Tensor, ...], differentiable: list[int],
    eps: float, atol: float, rtol: float, nondet_tol: float,
) -> None:  # fmt: skip
    """Every entry of every Jacobian."""
    checked = checked_places(given)
    if not differentiable:
        for k in checked:
            found = [numerical_jacobian(_one_of(func, given, k, i, eps), given[k], eps) for i in range(len(outputs))]
            floats = sum(o.is_floating_point() for o in outputs)  # torch looks at as many as there are, from the first
            if any(map(some_nonzero, found[:floats])):
                raise GradcheckError(NOT_ZERO)
    for place, i in enumerate(differentiable):
        analytical = [reentrant(partial(analytical_jacobian, outputs[i], given[k]), nondet_tol) for k in checked]
        for j, k in enumerate(checked):
            numerical = numerical_jacobian(_one_of(func, given, k, i, eps), given[k], eps)
            if not _close(analytical[j], numerical, rtol, atol):
                raise GradcheckError(_mismatch(place, j, numerical, analytical[j]))


def _compare_along_one_direction(
    func: Checked, given: tuple[Any, ...], outputs: tuple[Tensor, ...], differentiable: list[int],
    eps: float, atol: float, rtol: float, nondet_tol: float,
) -> None:  # fmt: skip
    """One number for each Jacobian, vᵀJu with random u and v: two evaluations and one backward, whatever the size."""
    from ..random import Generator

    checked, generator = checked_places(given), Generator()
    u = {k: _direction(given[k], generator) for k in checked}
    v = {i: _direction(outputs[i], generator) for i in differentiable}
    for k in checked if not differentiable else ():
        slopes = [
            central_difference(_one_of(func, given, k, i, eps, u), given[k], u[k], eps) for i in range(len(outputs))
        ]
        if any(slope.numel() and slope.abs().max().item() > nondet_tol for slope in slopes):
            raise GradcheckError(NOT_ZERO)
    for j, k in enumerate(checked):
        for place, i in enumerate(differentiable):

            def backward(i: int = i, k: int = k) -> Tensor:
                (grad,) = autograd.grad(outputs[i], given[k], v[i], retain_graph=True, allow_unused=True)
                return (
                    (given[k].new_zeros(given[k].shape) if grad is None else grad.detach())
                    .reshape(-1)
                    .dot(u[k].reshape(-1))
                )

            analytical = reentrant(backward, nondet_tol)
            slope = central_difference(_one_of(func, given, k, i, eps, u), given[k], u[k], eps)
            numerical = (v[i].reshape(-1) * slope.reshape(-1)).sum()
            tolerance = atol * u[k].sum().item() * v[i].sum().item()
            if not _close(analytical, numerical, rtol, tolerance):
                whole = numerical_jacobian(_one_of(func, given, k, i, eps), given[k], eps)
                raise GradcheckError(
                    _mismatch(place, j, numerical, analytical)
                    + _slow_mode(whole, analytical_jacobian(outputs[i], given[k]), rtol, atol)
                )


def _one_of(
    func: Checked, given: tuple[Any, ...], k: int, i: int, eps: float, along: Any = None
) -> Callable[[Tensor], Tensor]:
    """Output i as a function of input k alone, which is asked behind and ahead of each entry (along: of one direction).
    AssertionError if the two answers differ in shape or dtype."""
    count, behind = itertools.count(), []

    def of_input(x: Tensor) -> Tensor:
        found = as_tuple(func(*given[:k], x, *given[k + 1 :]))[i]
        number = next(count)
        if number % 2 == 0:
            behind.append(found)
        else:
            entry = "" if along else f"on index {tuple(map(int, numpy.unravel_index(number // 2, x.shape)))} "
            check_alike(behind.pop(), found, f"{entry}by {eps}")
        return found

    return of_input


# ------------------------------------------------------------------ words and small change


def _mismatch(output: int, input: int, numerical: Tensor, analytical: Tensor) -> str:
    return (
        f"Jacobian mismatch for output {output} with respect to input {input},\n"
        f"numerical:{numerical}\nanalytical:{analytical}\n"
    )


def _slow_mode(numerical: Tensor, analytical: Tensor, rtol: float, atol: float) -> str:
    worst = (numerical - analytical).abs().max()
    verdict = "" if not _close(analytical, numerical, rtol, atol) else (
        "\nFast gradcheck failed but element-wise differences are small. This means that the\n"
        "test might've passed in slow_mode!"
    )  # fmt: skip
    return (
        "\nThe above quantities relating the numerical and analytical jacobians are computed \nin fast mode. "
        "See: https://github.com/pytorch/pytorch/issues/53876 for more background \nabout fast mode. Below, we "
        f"recompute numerical and analytical jacobians in slow mode:\n\nNumerical:\n {numerical}\nAnalytical:\n"
        f"{analytical}\n\nThe max per-element difference (slow mode) is: {worst}.\n{verdict}"
    )


def _only_reverse(**asked: bool) -> None:
    for name, value in asked.items():
        if value:
            raise NotImplementedError(
                f"{name}=True: minigrad differentiates backward only, without forward mode or rules for batches. Leave it "
                "out, and the backward rules are checked."
            )


def _close(a: Tensor, b: Tensor, rtol: float, atol: float) -> bool:
    return a.double().allclose(b.double(), rtol, atol)


def _direction(x: Tensor, generator: Generator) -> Tensor:
    """A random direction of length 1 in the space of x; the generator is fresh, so the user's numbers stay."""
    from ..draws import rand

    values = rand(x.numel(), generator=generator, device="cpu").to(x.device, x.dtype)
    return (values / values.norm()).reshape(x.shape)


def _every_second(x: Tensor) -> Tensor:
    """A tensor's values in every second place of a larger storage."""
    wide = rules.stack([x.detach(), x.detach()], x.ndim)
    return wide.select(x.ndim, 0).requires_grad_()
