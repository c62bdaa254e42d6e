"""What every distribution offers, and how its parameters and the values it is asked about are validated."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..autograd.grad_mode import no_grad
from ..errors import warn
from ..size import Size
from ..tensor import Tensor
from .constraints import Constraint, is_dependent
from .utils import lazy_property

__all__ = ["Distribution"]

NO_DIMS = Size()


class Distribution:
    """A probability distribution, or a batch of independent ones; subclasses have the formulas
    (torch.distributions.Distribution).

    batch_shape: of the parameters. event_shape: of one drawn value. validate_args: whether parameters and values are checked;
    None for what set_default_validate_args says. ValueError where one is found that cannot be.
    """

    has_rsample: Any = False
    has_enumerate_support: Any = False
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether distributions validate that are not told (torch.distributions.Distribution.set_default_validate_args)."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(
        self, batch_shape: Size = NO_DIMS, event_shape: Size = NO_DIMS, validate_args: bool | None = None
    ) -> None:
        self._batch_shape, self._event_shape = batch_shape, event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._validate_parameters()
        super().__init__()

    def _validate_parameters(self) -> None:
        """ValueError for parameters that are not what `arg_constraints` says. What is not computed yet is not asked."""
        try:
            constraints = self.arg_constraints
        except NotImplementedError:
            constraints = {}
            warn(
                f"{type(self)} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize the "
                "distribution with `validate_args=False` to turn off validation."
            )
        for name, constraint in constraints.items():
            if is_dependent(constraint):
                continue
            if name in vars(self) or not isinstance(getattr(type(self), name), lazy_property):
                rule = f"of distribution {self} to satisfy the constraint {constraint}"
                self._refuse_unless(constraint, getattr(self, name), f"parameter {name}", rule)

    def _validate_sample(self, value: Any) -> None:
        """ValueError for a value that has another shape than what is drawn here, or that is never drawn."""
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        actual, expected = value.size(), self._batch_shape + self._event_shape
        if actual[len(actual) - len(self._event_shape) :] != self._event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {actual} vs {self._event_shape}.")
        if any(1 not in (i, j) and i != j for i, j in zip(reversed(actual), reversed(expected), strict=False)):
            raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {actual} vs {expected}.")
        try:
            support = self.support
        except NotImplementedError:
            warn(
                f"{type(self)} does not define `support` to enable sample validation. Please initialize the distribution with "
                "`validate_args=False` to turn off validation."
            )
        else:
            rule = f"to be within the support ({support}) of the distribution {self}"
            self._refuse_unless(support, value, "value argument", rule)

    @staticmethod
    def _refuse_unless(constraint: Constraint, value: Tensor, which: str, rule: str) -> None:
        if not constraint.check(value).all():
            what = f"{which} ({type(value).__name__} of shape {tuple(value.shape)})"
            raise ValueError(f"Expected {what} {rule}, but found invalid values:\n{value}")

    def expand(self, batch_shape: Iterable[int], _instance: Any = None) -> Any:
        """A distribution whose parameters are views of these, expanded to batch_shape; nothing is validated anew."""
        raise NotImplementedError

    def _expanded(
        self, home: type, instance: Any, batch_shape: Size, event_shape: Size = NO_DIMS, **attributes: Any
    ) -> Any:
        """What `home.expand` gives: a new instance, or the one that a subclass has made, with these attributes."""
        new = self._get_checked_instance(home, instance)
        vars(new).update(attributes)
        Distribution.__init__(new, batch_shape, event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _get_checked_instance(self, cls: Any, _instance: Any = None) -> Any:
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also define a "
                "custom .expand() method."
            )
        return object.__new__(type(self)) if _instance is None else _instance

    @property
    def batch_shape(self) -> Size:
        """The shape of the parameters."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one drawn value."""
        return self._event_shape

    @property
    def arg_constraints(self) -> dict[str, Any]:
        """For each parameter by name, its constraint."""
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """The constraint that drawn values satisfy."""
        raise NotImplementedError

    @property
    def mean(self) -> Tensor:
        """The mean, of shape batch_shape + event_shape; as variance, stddev and mode of the parameters' dtype."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The likeliest value."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The mean square distance from the mean."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The square root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Iterable[int] = NO_DIMS) -> Tensor:
        """Drawn values without a history, of shape sample_shape + batch_shape + event_shape."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Iterable[int] = NO_DIMS) -> Tensor:
        """Drawn values as a function of the parameters, which get gradients through it; of the shape that `sample` gives.

        NotImplementedError where a value jumps as the parameters change (has_rsample is False).
        """
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        """sample((n,)), as it once was written."""
        warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning)
        return self.sample(Size((n,)))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of each value's probability, or of its density.

        value: broadcasts with batch_shape + event_shape; the result has its shape without the event's dimensions.
        ValueError for a value that is never drawn, unless validate_args is False.
        """
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """The probability that no more than `value` is drawn."""
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """What cdf gives these probabilities for."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values of a discrete distribution along a new first dimension; expand: the others being batch_shape, and not 1."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The mean of -log_prob, of shape batch_shape."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """e^entropy."""
        return self.entropy().exp()

    def _extended_shape(self, sample_shape: Iterable[int] = NO_DIMS) -> Size:
        return Size(sample_shape) + self._batch_shape + self._event_shape

    def __repr__(self) -> str:
        own = {name: vars(self)[name] for name in self.arg_constraints if name in vars(self)}
        told = [f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in own.items()]
        return f"{type(self).__name__}({', '.join(told)})"
