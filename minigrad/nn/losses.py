"""Losses as modules: forward(input, target). Class and position weights are buffers, so they move with the module."""

from __future__ import annotations

from typing import Any

from ..ops.loss import REDUCTIONS, reduction_number
from ..tensor import Tensor
from . import functional as F
from .simple import Simple

OLD = {"size_average": None, "reduce": None}  # torch's two flags from before `reduction`; they still work, and warn
TENSORS = ("weight", "pos_weight")


class _Loss(Simple):
    """A function of input and target; repr shows no settings. A base for losses of one's own, which write `forward`."""

    _constructor_settings = OLD | {"reduction": "mean"}
    _settings_shown = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        old = [self.__dict__.pop(name, None) for name in OLD]
        if any(flag is not None for flag in old):
            number = reduction_number("mean", *old)
            self.reduction = next(name for name, n in REDUCTIONS.items() if n == number)

    def _keep_setting(self, name: str, value: Any) -> None:
        """A tensor becomes a buffer."""
        if name in TENSORS:
            self.register_buffer(name, value)
        else:
            super()._keep_setting(name, value)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:  # type: ignore[override]
        """The loss; 0-d, or of the target's shape with reduction="none"."""
        return type(self)._functional(input, target, **self._function_settings())

    def _function_settings(self) -> dict[str, Any]:
        """The settings as the function takes them."""
        return {name: getattr(self, name) for name in self._constructor_settings if name not in OLD}


class _WeightedLoss(_Loss):
    """A loss with a weight for each class or element, which is a buffer."""

    _constructor_settings = {"weight": None} | OLD | {"reduction": "mean"}


class MSELoss(_Loss):
    """(input - target)² (torch.nn.MSELoss)."""

    _functional = F.mse_loss


class L1Loss(_Loss):
    """|input - target| (torch.nn.L1Loss)."""

    _functional = F.l1_loss


class SmoothL1Loss(_Loss):
    """½d²/β near 0, straight from |d| = β on (torch.nn.SmoothL1Loss)."""

    _functional = F.smooth_l1_loss
    _constructor_settings = OLD | {"reduction": "mean", "beta": 1.0}


class HuberLoss(_Loss):
    """½d² near 0, straight from |d| = δ on (torch.nn.HuberLoss)."""

    _functional = F.huber_loss
    _constructor_settings = {"reduction": "mean", "delta": 1.0}


class BCELoss(_WeightedLoss):
    """Binary cross-entropy of probabilities (torch.nn.BCELoss)."""

    _functional = F.binary_cross_entropy


class BCEWithLogitsLoss(_Loss):
    """Binary cross-entropy of σ(input) (torch.nn.BCEWithLogitsLoss)."""

    _functional = F.binary_cross_entropy_with_logits
    _constructor_settings = {"weight": None} | OLD | {"reduction": "mean", "pos_weight": None}


class NLLLoss(_WeightedLoss):
    """Minus the log-probability of the target class (torch.nn.NLLLoss)."""

    _functional = F.nll_loss
    _constructor_settings = {
        "weight": None,
        "size_average": None,
        "ignore_index": -100,
        "reduce": None,
        "reduction": "mean",
    }


class CrossEntropyLoss(_WeightedLoss):
    """-log softmax(input)[target] (torch.nn.CrossEntropyLoss)."""

    _functional = F.cross_entropy
    _constructor_settings = NLLLoss._constructor_settings | {"label_smoothing": 0.0}


class KLDivLoss(_Loss):
    """target · (ln target - input) (torch.nn.KLDivLoss)."""

    _functional = F.kl_div
    _constructor_settings = OLD | {"reduction": "mean", "log_target": False}


class PoissonNLLLoss(_Loss):
    """e^input - target · input, for counts (torch.nn.PoissonNLLLoss)."""

    _functional = F.poisson_nll_loss
    _constructor_settings = {
        "log_input": True,
        "full": False,
        "size_average": None,
        "eps": 1e-8,
        "reduce": None,
        "reduction": "mean",
    }

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:  # type: ignore[override]
        """The loss; 0-d, or one for each number with reduction="none"."""
        return F.poisson_nll_loss(log_input, target, **self._function_settings())


class SoftMarginLoss(_Loss):
    """ln(1 + e^(-target · input)) (torch.nn.SoftMarginLoss)."""

    _functional = F.soft_margin_loss


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """Binary cross-entropy of σ(input), averaged over the classes (torch.nn.MultiLabelSoftMarginLoss)."""

    _functional = F.multilabel_soft_margin_loss


class MultiMarginLoss(_WeightedLoss):
    """Σ max(0, margin - input[target] + input[j])^p / C (torch.nn.MultiMarginLoss)."""

    _functional = F.multi_margin_loss
    _constructor_settings = {"p": 1, "margin": 1.0, "weight": None} | OLD | {"reduction": "mean"}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if self.weight is not None and self.weight.dim() != 1:
            dims = self.weight.dim()
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {dims}D instead")


class HingeEmbeddingLoss(_Loss):
    """The input where target is 1, max(0, margin - input) where it is -1 (torch.nn.HingeEmbeddingLoss)."""

    _functional = F.hinge_embedding_loss
    _constructor_settings = {"margin": 1.0} | OLD | {"reduction": "mean"}


# ------------------------------------------------------------------ three inputs


class TripletMarginLoss(_Loss):
    """max(0, margin + |anchor - positive| - |anchor - negative|) (torch.nn.TripletMarginLoss)."""

    _functional = F.triplet_margin_loss
    _constructor_settings = {"margin": 1.0, "p": 2.0, "eps": 1e-6, "swap": False} | OLD | {"reduction": "mean"}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {self.margin} instead")

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:  # type: ignore[override]
        """The loss; 0-d, or one for each row with reduction="none"."""
        return F.triplet_margin_loss(anchor, positive, negative, **self._function_settings())


class MarginRankingLoss(_Loss):
    """max(0, -target (input1 - input2) + margin) (torch.nn.MarginRankingLoss)."""

    _constructor_settings = {"margin": 0.0} | OLD | {"reduction": "mean"}

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:  # type: ignore[override]
        """The loss; 0-d, or one for each number with reduction="none"."""
        return F.margin_ranking_loss(input1, input2, target, **self._function_settings())


class CosineEmbeddingLoss(_Loss):
    """1 - cos where target is 1, max(0, cos - margin) where it is -1 (torch.nn.CosineEmbeddingLoss)."""

    _constructor_settings = {"margin": 0.0} | OLD | {"reduction": "mean"}

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:  # type: ignore[override]
        """The loss; 0-d, or one for each row with reduction="none"."""
        return F.cosine_embedding_loss(input1, input2, target, **self._function_settings())


class GaussianNLLLoss(_Loss):
    """½ (ln var + (input - target)² / var) (torch.nn.GaussianNLLLoss)."""

    _constructor_settings = {"full": False, "eps": 1e-6, "reduction": "mean"}

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(full, eps, reduction)

    def forward(self, input: Tensor, target: Tensor, var: Any) -> Tensor:  # type: ignore[override]
        """The loss; 0-d, or one for each number with reduction="none"."""
        return F.gaussian_nll_loss(input, target, var, **self._function_settings())
