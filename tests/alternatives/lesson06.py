"""Other right ways to write lesson 06's parts."""

from alternatives import alternative
from minigrad import eye, ones, zeros_like
from minigrad.autograd import grad
from minigrad.autograd.roots import ONLY_SCALARS, mismatch

ROOT = "minigrad.autograd.roots.root_gradient"
ROWS = "minigrad.autograd.functional.jacobian_rows"


@alternative(ROOT)
def refusals_first(output, given, index):
    """What is wrong comes first, what is right last."""
    if given is None and output.numel() != 1:
        raise RuntimeError(ONLY_SCALARS)
    if given is not None and tuple(given.shape) != tuple(output.shape):
        raise RuntimeError(mismatch(output, given, index))
    return ones(output.shape, dtype=output.dtype) if given is None else given


@alternative(ROOT)
def from_the_output_itself(output, given, index):
    """Makes the 1 out of the output, and a copy of what is given."""
    if given is None:
        if output.numel() == 1:
            return output.detach() * 0 + 1
        raise RuntimeError(ONLY_SCALARS)
    if list(given.shape) == list(output.shape):
        return given.clone()
    raise RuntimeError(mismatch(output, given, index))


@alternative(ROWS)
def rows_of_the_identity(output, inputs, create_graph):
    """Every row of the identity matrix asks for one element."""
    return [
        grad(output, inputs, row.reshape(output.shape), retain_graph=True, create_graph=create_graph, allow_unused=True)
        for row in eye(output.numel(), dtype=output.dtype)
    ]


@alternative(ROWS)
def element_by_element(output, inputs, create_graph):
    """Takes every element out, a number each, and lets backward start with 1."""
    flat = output.reshape(-1)
    return [grad(each, inputs, None, True, create_graph, allow_unused=True) for each in flat]


@alternative(ROWS)
def one_vector_over_and_over(output, inputs, create_graph):
    """The 1 moves along in a vector that is written to again, so each row gets a copy."""
    rows, weights = [], zeros_like(output).reshape(-1)
    for number in range(output.numel()):
        weights[number] = 1.0
        given = weights.reshape(output.shape).clone()
        rows.append(grad(output, inputs, given, retain_graph=True, create_graph=create_graph, allow_unused=True))
        weights[number] = 0.0
    return rows
