"""Other right ways to write lesson 12's parts."""

from alternatives import alternative
from minigrad import Tensor, exp, log1p, maximum, where, zeros_like

SAVE = "minigrad.autograd.function.FunctionCtx.save_for_backward"
FORWARD, BACKWARD = "minigrad.custom.Softplus.forward", "minigrad.custom.Softplus.backward"
DIFFERENCE = "minigrad.autograd.gradcheck.central_difference"


@alternative(SAVE)
def as_a_new_tuple(self, *tensors):
    """Collects while it looks."""
    kept = []
    for place in range(len(tensors)):
        each = tensors[place]
        if not (each is None or isinstance(each, Tensor)):
            raise TypeError(
                "save_for_backward can only save variables, but argument "
                + str(place)
                + " is of type "
                + each.__class__.__name__
            )
        kept.append(each)
    self.to_save = tuple(kept)


@alternative(SAVE)
def looks_for_the_first_wrong_one(self, *tensors):
    """One pass to find, one to keep."""
    wrong = [(i, t) for i, t in enumerate(tensors) if t is not None and not hasattr(t, "_edge")]
    if wrong:
        index, value = wrong[0]
        raise TypeError(
            f"save_for_backward can only save variables, but argument {index} is of type {type(value).__name__}"
        )
    self.to_save = list(tensors)


@alternative(FORWARD)
def by_maximum(ctx, x):
    """The larger of x and 0, and the rest."""
    ctx.save_for_backward(x)
    top = maximum(x, zeros_like(x))
    return top + (-abs(x)).exp().log1p()


@alternative(FORWARD)
def by_relu(ctx, x):
    """The maximum is relu; the rest by way of the two differences x - max and -max."""
    z = x.relu()
    rest = (z * -2 + x).exp().log1p()
    ctx.save_for_backward(x)
    return z + rest


@alternative(BACKWARD)
def by_the_exponential(ctx, grad):
    """1 / (1 + e^-x): where e^-x overflows, the quotient is the 0 it should be."""
    (x,) = ctx.saved_tensors
    return grad / (1 + (-x).exp())


@alternative(BACKWARD)
def by_the_slope_of_both_terms(ctx, grad):
    """e^(min(x, 0)) / (1 + e^-|x|): never a positive exponent."""
    x = ctx.saved_tensors[0]
    small = (-x.abs()).exp()
    return grad * (x.clamp(max=0)).exp() / (1 + small)


@alternative(DIFFERENCE)
def back_to_the_copy_each_time(fn, x, direction, eps):
    """Half the difference by eps; x comes home after each of the two."""
    home = x.detach().clone()

    def away(step):
        try:
            x.data.add_(step)
            return fn(x).detach().clone()
        finally:
            x.data.copy_(home)

    return (away(eps * direction) - away(-eps * direction)) * 0.5 / eps


@alternative(DIFFERENCE)
def in_a_loop(fn, x, direction, eps):
    """Moves x by what is missing: ahead, behind, and home again."""
    values = []
    here = x.data.clone()
    try:
        for sign in (1, -1):
            x.data = here + sign * eps * direction
            values.append(fn(x).detach().clone())
    finally:
        x.data = here
    return (values[0] - values[1]) / (eps + eps)


@alternative(FORWARD)
def by_where(ctx, x):
    """Two formulas; the one that overflows is not chosen."""
    ctx.save_for_backward(x)
    return where(x > 0, x + log1p(exp(-x)), log1p(exp(x)))


@alternative(BACKWARD)
def by_its_logarithm(ctx, grad):
    """The logarithm of the sigmoid is -ln(1 + e^-x)."""
    (x,) = ctx.saved_tensors
    return grad * exp(-log1p(exp(-x)))
