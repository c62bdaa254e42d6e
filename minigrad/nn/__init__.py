"""torch.nn: modules, their parameters, and how they start. The functions behind them are in nn.functional."""

from ..errors import refusing
from . import functional, init, utils
from .containers import ModuleDict, ModuleList, ParameterList, Sequential
from .layers import Conv1d, Conv2d, Dropout, Embedding, Flatten, Identity, LayerNorm, Linear
from .losses import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from .module import Module
from .norm import BatchNorm1d, BatchNorm2d
from .parameter import Buffer, Parameter
from .simple import (
    CELU,
    ELU,
    GELU,
    SELU,
    AdaptiveAvgPool2d,
    AvgPool1d,
    AvgPool2d,
    Hardtanh,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    MaxPool1d,
    MaxPool2d,
    Mish,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Softmax,
    Softmin,
    Softplus,
    Softsign,
    Tanh,
    Tanhshrink,
)

__all__ = [
    "AdaptiveAvgPool2d", "AvgPool1d", "AvgPool2d", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "Buffer", "CELU",
    "Conv1d",
    "Conv2d", "CrossEntropyLoss", "Dropout", "ELU", "Embedding", "Flatten", "GELU", "Hardtanh", "HuberLoss",
    "Identity", "L1Loss", "LayerNorm", "LeakyReLU", "Linear", "LogSigmoid", "LogSoftmax", "MSELoss",
    "MaxPool1d", "MaxPool2d", "Mish", "Module", "ModuleDict", "ModuleList", "NLLLoss", "Parameter",
    "ParameterList", "ReLU", "ReLU6", "SELU", "Sequential", "SiLU", "Sigmoid", "SmoothL1Loss", "Softmax",
    "Softmin", "Softplus", "Softsign", "Tanh", "Tanhshrink", "functional", "init", "utils",
]  # fmt: skip

__getattr__ = refusing(__name__)
