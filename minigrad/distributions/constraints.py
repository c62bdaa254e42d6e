"""What parameters and samples have to satisfy: `check(value)` tells it of each, as bools (torch.distributions.constraints).

Only those that the distributions here need, and their next of kin; none of matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import refusing
from ..tensor import Tensor

__all__ = [
    "Constraint", "boolean", "dependent", "dependent_property", "greater_than", "greater_than_eq", "half_open_interval",
    "independent", "integer_interval", "interval", "is_dependent", "less_than", "nonnegative", "nonnegative_integer", "positive",
    "positive_integer", "real", "real_vector", "simplex", "unit_interval",
]  # fmt: skip

__getattr__ = refusing(__name__)


class Constraint:
    """A set of values; subclasses have `check` (torch.distributions.constraints.Constraint).

    is_discrete: whether its values stand apart. event_dim: how many of the last dimensions are one value together.
    """

    is_discrete: Any = False
    event_dim: Any = 0

    def check(self, value: Any) -> Tensor:
        """Whether each value is in the set: shape (…, *event) → bool (…)."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}()"


class _Dependent(Constraint):
    """It depends on other parameters what is valid. What is not told of it is a NotImplementedError."""

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def _told(self, name: str) -> Any:
        value = vars(self)[f"_{name}"]
        if value is NotImplemented:
            raise NotImplementedError(f".{name} cannot be determined statically")
        return value

    @property
    def is_discrete(self) -> Any:
        return self._told("is_discrete")

    @property
    def event_dim(self) -> Any:
        return self._told("event_dim")

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> Any:
        """One of which more is known."""
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, value: Any) -> Tensor:
        raise ValueError("Cannot determine validity of dependent constraint")


class _DependentProperty(property, _Dependent):
    """Of an object a property, of its class a dependent constraint: `@dependent_property(is_discrete=True, event_dim=0)`."""

    def __init__(
        self,
        fn: Callable[[Any], Any] | None = None,
        *,
        is_discrete: Any = NotImplemented,
        event_dim: Any = NotImplemented,
    ) -> None:
        super().__init__(fn)
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def __call__(self, fn: Callable[[Any], Any]) -> Any:  # type: ignore[override]
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


def is_dependent(constraint: Any) -> bool:
    """Whether a constraint cannot be checked by itself (torch.distributions.constraints.is_dependent)."""
    return isinstance(constraint, _Dependent)


class _IndependentConstraint(Constraint):
    """Values together valid if each is: the last dimensions of what another constraint finds are one event."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim + reinterpreted_batch_ndims

    def check(self, value: Any) -> Tensor:
        result = self.base_constraint.check(value)
        batch_dims = result.dim() - self.reinterpreted_batch_ndims
        if batch_dims < 0:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return result.reshape(result.shape[:batch_dims] + (-1,)).all(-1)

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value: Any) -> Tensor:
        return (value == 0) | (value == 1)


class _Real(Constraint):
    def check(self, value: Any) -> Tensor:
        return value == value  # not nan


class _Simplex(Constraint):
    event_dim = 1

    def check(self, value: Any) -> Tensor:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Bounded(Constraint):
    """A constraint that shows its bounds: numbers or tensors."""

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}({', '.join(f'{name}={bound}' for name, bound in vars(self).items())})"


@dataclass(eq=False, repr=False)
class _GreaterThan(_Bounded):
    lower_bound: Any

    def check(self, value: Any) -> Tensor:
        return self.lower_bound < value


@dataclass(eq=False, repr=False)
class _GreaterThanEq(_Bounded):
    lower_bound: Any

    def check(self, value: Any) -> Tensor:
        return self.lower_bound <= value


@dataclass(eq=False, repr=False)
class _LessThan(_Bounded):
    upper_bound: Any

    def check(self, value: Any) -> Tensor:
        return value < self.upper_bound


@dataclass(eq=False, repr=False)
class _Interval(_Bounded):
    lower_bound: Any
    upper_bound: Any

    def check(self, value: Any) -> Tensor:
        return (self.lower_bound <= value) & (value <= self.upper_bound)


@dataclass(eq=False, repr=False)
class _HalfOpenInterval(_Bounded):
    lower_bound: Any
    upper_bound: Any

    def check(self, value: Any) -> Tensor:
        return (self.lower_bound <= value) & (value < self.upper_bound)


class _IntegerInterval(_Interval):
    is_discrete = True

    def check(self, value: Any) -> Tensor:
        return (value % 1 == 0) & super().check(value)


class _IntegerGreaterThan(_GreaterThanEq):
    is_discrete = True

    def check(self, value: Any) -> Tensor:
        return (value % 1 == 0) & super().check(value)


dependent, dependent_property, independent = _Dependent(), _DependentProperty, _IndependentConstraint
boolean, real, simplex = _Boolean(), _Real(), _Simplex()
real_vector = independent(real, 1)
greater_than, greater_than_eq, less_than = _GreaterThan, _GreaterThanEq, _LessThan
interval, half_open_interval, integer_interval = _Interval, _HalfOpenInterval, _IntegerInterval
positive, nonnegative, unit_interval = greater_than(0.0), greater_than_eq(0.0), interval(0.0, 1.0)
nonnegative_integer, positive_integer = _IntegerGreaterThan(0), _IntegerGreaterThan(1)
