"""Modules without parameters, each one function of nn.functional with its settings: activations, distances. Those that
pool are in pooling.py, those that pad in padding.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ..errors import warn
from ..tensor import Tensor
from . import functional as F
from .constructors import OwnForward
from .module import Module

REQUIRED = object()


class Simple(OwnForward, Module):
    """forward(input) = the function of the input and the settings.

    _constructor_settings: names and defaults, in the order of the constructor's arguments. _settings_shown: which of them
    repr shows; None for all, where `inplace` shows only when it is True. _constructor_named: whose constructor it is in
    errors, if a base class's in torch.
    """

    _functional: ClassVar[Callable[..., Any]]
    _constructor_settings: ClassVar[dict[str, Any]] = {}
    _settings_shown: ClassVar[tuple[str, ...] | None] = None
    _constructor_named: ClassVar[str] = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        for name, value in arguments(type(self), self._constructor_settings, args, kwargs).items():
            self._keep_setting(name, value)

    def _keep_setting(self, name: str, value: Any) -> None:
        """Keep one setting."""
        setattr(self, name, value)

    def forward(self, input: Tensor) -> Any:
        """The function of the input."""
        return type(self)._functional(input, **{name: getattr(self, name) for name in self._constructor_settings})

    def extra_repr(self) -> str:
        """As torch prints it."""
        names = self._constructor_settings if self._settings_shown is None else self._settings_shown
        pairs = [(name, getattr(self, name)) for name in names]
        return ", ".join(f"{name}={value!r}" for name, value in pairs if name != "inplace" or value)


def arguments(
    cls: type[Simple], settings: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """The settings with the arguments given; TypeError as Python words it for a function of these parameters."""
    where, given = f"{constructor_of(cls)}.__init__()", dict(zip(settings, args, strict=False))
    for name in kwargs:
        if name not in settings:
            raise TypeError(f"{where} got an unexpected keyword argument '{name}'")
        if name in given:
            raise TypeError(f"{where} got multiple values for argument '{name}'")
    if len(args) > len(settings):
        most, least = len(settings) + 1, list(settings.values()).count(REQUIRED) + 1
        takes = f"{most} positional argument{'s' * (most != 1)}"
        takes = takes if least == most else f"from {least} to {most} positional arguments"
        raise TypeError(f"{where} takes {takes} but {len(args) + 1} were given")
    found = settings | given | kwargs
    missing = [f"'{name}'" for name, value in found.items() if value is REQUIRED]
    if missing:
        s = "s" if len(missing) > 1 else ""
        raise TypeError(f"{where} missing {len(missing)} required positional argument{s}: {' and '.join(missing)}")
    return found


def constructor_of(cls: type[Simple]) -> str:
    """Whose constructor a class has: that of the class which says what the settings are, or its own where there are none."""
    owner = next(base for base in cls.__mro__ if "_constructor_settings" in vars(base))
    return cls._constructor_named or (cls if owner is Simple else owner).__name__


# ------------------------------------------------------------------ activations


class ReLU(Simple):
    """The positive part (torch.nn.ReLU)."""

    _functional = F.relu
    _constructor_settings = {"inplace": False}


class LeakyReLU(Simple):
    """x where positive, else negative_slope · x (torch.nn.LeakyReLU)."""

    _functional = F.leaky_relu
    _constructor_settings = {"negative_slope": 0.01, "inplace": False}


class ELU(Simple):
    """x where positive, else α (eˣ - 1) (torch.nn.ELU)."""

    _functional = F.elu
    _constructor_settings = {"alpha": 1.0, "inplace": False}


class SELU(Simple):
    """The self-normalising ELU (torch.nn.SELU)."""

    _functional = F.selu
    _constructor_settings = {"inplace": False}


class CELU(Simple):
    """x where positive, else α (e^(x/α) - 1) (torch.nn.CELU)."""

    _functional = F.celu
    _constructor_settings = {"alpha": 1.0, "inplace": False}


class Hardtanh(Simple):
    """x clamped between min_val and max_val (torch.nn.Hardtanh)."""

    _constructor_settings = {"min_val": -1.0, "max_val": 1.0, "inplace": False, "min_value": None, "max_value": None}
    _settings_shown: ClassVar[tuple[str, ...] | None] = ("min_val", "max_val", "inplace")

    min_val: float
    max_val: float
    inplace: bool

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, old in (("min_val", "min_value"), ("max_val", "max_value")):  # as they were called before
            if (value := self.__dict__.pop(old)) is not None:
                words = f"keyword argument `{old}` is deprecated and renamed to `{name}`"
                warn(words, FutureWarning)
                setattr(self, name, value)
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

    def forward(self, input: Tensor) -> Tensor:
        """The input, held between the two."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


class ReLU6(Hardtanh):
    """x clamped between 0 and 6 (torch.nn.ReLU6)."""

    _settings_shown = ("inplace",)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)


class GELU(Simple):
    """x · Φ(x) (torch.nn.GELU)."""

    _functional = F.gelu
    _constructor_settings = {"approximate": "none"}


class SiLU(Simple):
    """x · σ(x) (torch.nn.SiLU)."""

    _functional = F.silu
    _constructor_settings = {"inplace": False}


class Mish(Simple):
    """x · tanh(softplus(x)) (torch.nn.Mish)."""

    _functional = F.mish
    _constructor_settings = {"inplace": False}


class Softplus(Simple):
    """ln(1 + e^(βx)) / β (torch.nn.Softplus)."""

    _functional = F.softplus
    _constructor_settings = {"beta": 1.0, "threshold": 20.0}


class LogSigmoid(Simple):
    """ln σ(x) (torch.nn.LogSigmoid)."""

    _functional = F.logsigmoid


class Softsign(Simple):
    """x / (1 + |x|) (torch.nn.Softsign)."""

    _functional = F.softsign


class Tanhshrink(Simple):
    """x - tanh x (torch.nn.Tanhshrink)."""

    _functional = F.tanhshrink


class Tanh(Simple):
    """The hyperbolic tangent (torch.nn.Tanh)."""

    _functional = F.tanh


class Sigmoid(Simple):
    """1 / (1 + e^-x) (torch.nn.Sigmoid)."""

    _functional = F.sigmoid


class Softmax(Simple):
    """e^x / Σ e^x along dim (torch.nn.Softmax)."""

    _functional = F.softmax
    _constructor_settings = {"dim": None}


class Softmin(Simple):
    """softmax of -x along dim (torch.nn.Softmin)."""

    _functional = F.softmin
    _constructor_settings = {"dim": None}


class LogSoftmax(Simple):
    """ln softmax(x) along dim (torch.nn.LogSoftmax)."""

    _functional = F.log_softmax
    _constructor_settings = {"dim": None}


class Softmax2d(Simple):
    """softmax over the channels of every pixel (torch.nn.Softmax2d)."""

    _functional = F.softmax

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, H, W) or (C, H, W) → the same shape."""
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3)


class GLU(Simple):
    """One half of the input along dim, let through by σ of the other (torch.nn.GLU)."""

    _functional = F.glu
    _constructor_settings = {"dim": -1}


class Hardsigmoid(Simple):
    """(x + 3) / 6 clamped between 0 and 1 (torch.nn.Hardsigmoid)."""

    _functional = F.hardsigmoid
    _constructor_settings = {"inplace": False}
    _settings_shown = ()


class Hardswish(Simple):
    """x · hardsigmoid(x) (torch.nn.Hardswish)."""

    _functional = F.hardswish
    _constructor_settings = {"inplace": False}
    _settings_shown = ()


class Hardshrink(Simple):
    """x, but 0 from -lambd to lambd (torch.nn.Hardshrink)."""

    _functional = F.hardshrink
    _constructor_settings = {"lambd": 0.5}

    def extra_repr(self) -> str:
        """As torch prints it."""
        return f"{self.lambd}"


class Softshrink(Simple):
    """x moved towards 0 by lambd, and 0 where it gets there (torch.nn.Softshrink)."""

    _functional = F.softshrink
    _constructor_settings = {"lambd": 0.5}

    extra_repr = Hardshrink.extra_repr


class Threshold(Simple):
    """x above the threshold, else the value (torch.nn.Threshold)."""

    _functional = F.threshold
    _constructor_settings = {"threshold": REQUIRED, "value": REQUIRED, "inplace": False}


# ------------------------------------------------------------------ pixels


class PixelShuffle(Simple):
    """Every r² channels rearranged into r x r pixels (torch.nn.PixelShuffle)."""

    _functional = F.pixel_shuffle
    _constructor_settings = {"upscale_factor": REQUIRED}


class PixelUnshuffle(Simple):
    """Every r x r pixels rearranged into r² channels (torch.nn.PixelUnshuffle)."""

    _functional = F.pixel_unshuffle
    _constructor_settings = {"downscale_factor": REQUIRED}


# ------------------------------------------------------------------ two inputs


class CosineSimilarity(Simple):
    """x1·x2 / (|x1| |x2|) along dim (torch.nn.CosineSimilarity)."""

    _functional = F.cosine_similarity
    _constructor_settings = {"dim": 1, "eps": 1e-8}
    _settings_shown = ()

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:  # type: ignore[override]
        """The cosines."""
        return F.cosine_similarity(x1, x2, **{name: getattr(self, name) for name in self._constructor_settings})


class PairwiseDistance(Simple):
    """The p-norm of x1 - x2 over the last dimension (torch.nn.PairwiseDistance)."""

    _constructor_settings = {"p": 2.0, "eps": 1e-6, "keepdim": False}
    _settings_shown = ()

    norm: float
    eps: float
    keepdim: bool

    def _keep_setting(self, name: str, value: Any) -> None:
        """p is kept as `norm`, as in torch."""
        super()._keep_setting("norm" if name == "p" else name, value)

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:  # type: ignore[override]
        """The distances."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
