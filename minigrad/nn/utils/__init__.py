"""torch.nn.utils: what is done to gradients between backward and step, all parameters as one vector, and sequences of
different lengths."""

from ...errors import opening
from . import clip_grad, convert_parameters
from .clip_grad import clip_grad_norm, clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_, get_total_norm
from .convert_parameters import parameters_to_vector, vector_to_parameters

__all__ = [
    "clip_grad", "clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "convert_parameters",
    "get_total_norm", "parameters_to_vector", "rnn", "vector_to_parameters",
]  # fmt: skip

__getattr__, __dir__ = opening(__name__, {"rnn": "", "stateless": ""})
