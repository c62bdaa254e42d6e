"""torch.amp.GradScaler where it is off: losses stay as they are, and a step is the optimizer's own.

Without CUDA torch switches it off itself, with a warning, and so it does here. Where torch would scale, making one raises
NotImplementedError.
"""

from __future__ import annotations

from typing import Any

from .. import cuda
from ..errors import warn
from .autocast_mode import UNAVAILABLE

NO_CUDA = "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling."


class GradScaler:
    """A scaler of losses that leaves them as they are (torch.amp.GradScaler).

    enabled: for "cuda" without a GPU it is switched off with a warning; elsewhere torch would scale, and NotImplementedError
    is raised. AssertionError, as in torch, for factors that would not grow or shrink.
    """

    _growth_factor: float
    _backoff_factor: float
    _growth_interval: int

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device, self._enabled = device, enabled
        if enabled and device == "cuda" and not cuda.is_available():
            warn(NO_CUDA)
            self._enabled = False
        if self._enabled:
            if growth_factor <= 1.0:
                raise AssertionError("The growth factor must be > 1.0.")
            if backoff_factor >= 1.0:
                raise AssertionError("The backoff factor must be < 1.0.")
            raise NotImplementedError(UNAVAILABLE)

    def scale(self, outputs: Any) -> Any:
        """The outputs, unchanged."""
        return outputs

    def unscale_(self, optimizer: Any) -> None:
        """Nothing: the gradients were not scaled."""

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """optimizer.step(*args, **kwargs), and what it returns."""
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale: Any = None) -> None:
        """Nothing: there is no scale to change."""

    def get_scale(self) -> float:
        """1.0."""
        return 1.0

    def is_enabled(self) -> bool:
        """Whether it scales: False."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """Empty, as torch's is that is switched off."""
        return {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Nothing, whatever it was saved from."""

    # ------------------------------------------------------------------ as it was set; AttributeError before that, as in torch

    def get_growth_factor(self) -> float:
        """What set_growth_factor was given."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Keep a factor that nothing is multiplied by."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """What set_backoff_factor was given."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Keep a factor that nothing is multiplied by."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """What set_growth_interval was given."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Keep a number of steps that nobody counts."""
        self._growth_interval = new_interval
