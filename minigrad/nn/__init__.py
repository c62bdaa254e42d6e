"""torch.nn: modules, their parameters, and how they start. The functions behind them are in nn.functional."""

from ..errors import refusing
from . import functional, init, modules, utils
from .attention import MultiheadAttention
from .containers import ModuleDict, ModuleList, Sequential
from .convolution import Conv1d, Conv2d, ConvTranspose1d, ConvTranspose2d
from .layers import Dropout, Embedding, Flatten, Identity, LayerNorm, Linear, Unflatten
from .losses import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
    TripletMarginLoss,
)
from .module import Module
from .norm import BatchNorm1d, BatchNorm2d, GroupNorm
from .parameter import Buffer, Parameter
from .parameters import ParameterDict, ParameterList
from .rnn import GRU, LSTM, RNN
from .rnn_cells import GRUCell, LSTMCell, RNNCell
from .simple import (
    CELU,
    ELU,
    GELU,
    SELU,
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AvgPool1d,
    AvgPool2d,
    CosineSimilarity,
    Hardtanh,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    MaxPool1d,
    MaxPool2d,
    Mish,
    PairwiseDistance,
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
    Upsample,
)
from .transformer import (
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AvgPool1d", "AvgPool2d",
    "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "Buffer", "CELU", "Conv1d", "Conv2d",
    "ConvTranspose1d", "ConvTranspose2d", "CosineSimilarity", "CrossEntropyLoss", "Dropout", "ELU", "Embedding",
    "Flatten", "GELU", "GRU", "GRUCell", "GroupNorm", "Hardtanh", "HuberLoss", "Identity", "KLDivLoss", "L1Loss",
    "LSTM", "LSTMCell", "LayerNorm", "LeakyReLU", "Linear", "LogSigmoid", "LogSoftmax", "MSELoss", "MaxPool1d",
    "MaxPool2d", "Mish", "Module", "ModuleDict", "ModuleList", "MultiheadAttention", "NLLLoss", "PairwiseDistance",
    "Parameter", "ParameterDict", "ParameterList", "RNN", "RNNCell", "ReLU", "ReLU6", "SELU", "Sequential", "SiLU",
    "Sigmoid", "SmoothL1Loss", "Softmax", "Softmin", "Softplus", "Softsign", "Tanh", "Tanhshrink", "Transformer",
    "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer",
    "TripletMarginLoss", "Unflatten", "Upsample", "functional", "init", "modules", "utils",
]  # fmt: skip

__getattr__ = refusing(__name__)
