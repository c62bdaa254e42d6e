"""Losses as modules: forward(input, target). Class and position weights are buffers, so they move with the module."""

from __future__ import annotations

from typing import Any

from ..ops.loss import REDUCTIONS, reduction_number
from ..tensor import Tensor
from . import functional as F
from .simple import Simple

OLD = {"size_average": None, "reduce": None}  # torch's two flags from before `reduction`; they still work, and warn
TENSORS = ("weight", "pos_weight")


class Loss(Simple):
    """A function of input and target; repr shows no settings."""

    shown = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        old = [self.__dict__.pop(name, None) for name in OLD]
        if any(flag is not None for flag in old):
            number = reduction_number("mean", *old)
            self.reduction = next(name for name, n in REDUCTIONS.items() if n == number)

    def add_setting(self, name: str, value: Any) -> None:
        """A tensor becomes a buffer."""
        if name in TENSORS:
            self.register_buffer(name, value)
        else:
            super().add_setting(name, value)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:  # type: ignore[override]
        """The loss; 0-d, or of the target's shape with reduction="none"."""
        return type(self).function(input, target, **self.given())

    def given(self) -> dict[str, Any]:
        """The settings as the function takes them."""
        return {name: getattr(self, name) for name in self.settings if name not in OLD}


class MSELoss(Loss):
    """(input - target)² (torch.nn.MSELoss)."""

    constructor = "_Loss"
    function = F.mse_loss
    settings = OLD | {"reduction": "mean"}


class L1Loss(Loss):
    """|input - target| (torch.nn.L1Loss)."""

    constructor = "_Loss"
    function = F.l1_loss
    settings = OLD | {"reduction": "mean"}


class SmoothL1Loss(Loss):
    """½d²/β near 0, straight from |d| = β on (torch.nn.SmoothL1Loss)."""

    function = F.smooth_l1_loss
    settings = OLD | {"reduction": "mean", "beta": 1.0}


class HuberLoss(Loss):
    """½d² near 0, straight from |d| = δ on (torch.nn.HuberLoss)."""

    function = F.huber_loss
    settings = {"reduction": "mean", "delta": 1.0}


class BCELoss(Loss):
    """Binary cross-entropy of probabilities (torch.nn.BCELoss)."""

    constructor = "_WeightedLoss"
    function = F.binary_cross_entropy
    settings = {"weight": None} | OLD | {"reduction": "mean"}


class BCEWithLogitsLoss(Loss):
    """Binary cross-entropy of σ(input) (torch.nn.BCEWithLogitsLoss)."""

    function = F.binary_cross_entropy_with_logits
    settings = {"weight": None} | OLD | {"reduction": "mean", "pos_weight": None}


class NLLLoss(Loss):
    """Minus the log-probability of the target class (torch.nn.NLLLoss)."""

    function = F.nll_loss
    settings = {"weight": None, "size_average": None, "ignore_index": -100, "reduce": None, "reduction": "mean"}


class CrossEntropyLoss(Loss):
    """-log softmax(input)[target] (torch.nn.CrossEntropyLoss)."""

    function = F.cross_entropy
    settings = NLLLoss.settings | {"label_smoothing": 0.0}


class KLDivLoss(Loss):
    """target · (ln target - input) (torch.nn.KLDivLoss)."""

    function = F.kl_div
    settings = OLD | {"reduction": "mean", "log_target": False}


class PoissonNLLLoss(Loss):
    """e^input - target · input, for counts (torch.nn.PoissonNLLLoss)."""

    function = F.poisson_nll_loss
    settings = {
        "log_input": True,
        "full": False,
        "size_average": None,
        "eps": 1e-8,
        "reduce": None,
        "reduction": "mean",
    }

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:  # type: ignore[override]
        """The loss; 0-d, or one for each number with reduction="none"."""
        return F.poisson_nll_loss(log_input, target, **self.given())


class SoftMarginLoss(Loss):
    """ln(1 + e^(-target · input)) (torch.nn.SoftMarginLoss)."""

    constructor = "_Loss"
    function = F.soft_margin_loss
    settings = OLD | {"reduction": "mean"}


class MultiLabelSoftMarginLoss(Loss):
    """Binary cross-entropy of σ(input), averaged over the classes (torch.nn.MultiLabelSoftMarginLoss)."""

    constructor = "_WeightedLoss"
    function = F.multilabel_soft_margin_loss
    settings = {"weight": None} | OLD | {"reduction": "mean"}


class MultiMarginLoss(Loss):
    """Σ max(0, margin - input[target] + input[j])^p / C (torch.nn.MultiMarginLoss)."""

    function = F.multi_margin_loss
    settings = {"p": 1, "margin": 1.0, "weight": None} | OLD | {"reduction": "mean"}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if self.weight is not None and self.weight.dim() != 1:
            dims = self.weight.dim()
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {dims}D instead")


class HingeEmbeddingLoss(Loss):
    """The input where target is 1, max(0, margin - input) where it is -1 (torch.nn.HingeEmbeddingLoss)."""

    function = F.hinge_embedding_loss
    settings = {"margin": 1.0} | OLD | {"reduction": "mean"}


# ------------------------------------------------------------------ three inputs


class TripletMarginLoss(Loss):
    """max(0, margin + |anchor - positive| - |anchor - negative|) (torch.nn.TripletMarginLoss)."""

    function = F.triplet_margin_loss
    settings = {"margin": 1.0, "p": 2.0, "eps": 1e-6, "swap": False} | OLD | {"reduction": "mean"}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {self.margin} instead")

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:  # type: ignore[override]
        """The loss; 0-d, or one for each row with reduction="none"."""
        return F.triplet_margin_loss(anchor, positive, negative, **self.given())


class MarginRankingLoss(Loss):
    """max(0, -target (input1 - input2) + margin) (torch.nn.MarginRankingLoss)."""

    settings = {"margin": 0.0} | OLD | {"reduction": "mean"}

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:  # type: ignore[override]
        """The loss; 0-d, or one for each number with reduction="none"."""
        return F.margin_ranking_loss(input1, input2, target, **self.given())


class CosineEmbeddingLoss(Loss):
    """1 - cos where target is 1, max(0, cos - margin) where it is -1 (torch.nn.CosineEmbeddingLoss)."""

    settings = {"margin": 0.0} | OLD | {"reduction": "mean"}

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:  # type: ignore[override]
        """The loss; 0-d, or one for each row with reduction="none"."""
        return F.cosine_embedding_loss(input1, input2, target, **self.given())


class GaussianNLLLoss(Loss):
    """½ (ln var + (input - target)² / var) (torch.nn.GaussianNLLLoss)."""

    settings = {"full": False, "eps": 1e-6, "reduction": "mean"}

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(full, eps, reduction)

    def forward(self, input: Tensor, target: Tensor, var: Any) -> Tensor:  # type: ignore[override]
        """The loss; 0-d, or one for each number with reduction="none"."""
        return F.gaussian_nll_loss(input, target, var, **self.given())
