"""What a node shows of its saved values under `_saved_…`, as torch does, where that is not just what its rules need.

Nothing here runs unless somebody looks. What a node saves, and for which rule, is in nodes.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..autograd.saved_tensor import SavedTensor
from ..backend import array_module, numpy
from ..tensor import Tensor, from_array

# What a node saves for its rules here and torch's does not show; under which other name torch shows it; what torch shows
# that is always the same here; what is kept only to be shown; what is worked out when it is looked at, from what.
UNSHOWN = {
    "UpsampleNearest1DBackward0": "axes back", "UpsampleNearest2DBackward0": "axes back", "UpsampleLinear1DBackward0": "axes back",
    "UpsampleBilinear2DBackward0": "axes back",
    "SumBackward0": "dim keepdim", "MeanBackward0": "dim keepdim", "CatBackward0": "bounds passed", "UnbindBackward0": "self_shape",
    "AddmmBackward0": "mat1_turned mat2_turned",
    "ConvolutionBackward0": "input_shape weight_shape bias_shape",
    "LinalgSolveExBackward0": "vector", "TrilinearBackward0": "terms", "EmbeddingBackward0": "weight_shape",
    "Im2ColBackward0": "self_shape", "AsStridedBackward0": "within",
    "NativeLayerNormBackward0": "eps", "CopyBackwards": "home",
    "ScatterBackward0": "src_shape", "ScatterAddBackward0": "src_shape",
    "NllLossBackward0": "ignored shares", "NllLoss2DBackward0": "ignored shares",
    "ScaledDotProductFlashAttentionForCpuBackward0": "factor weights",
    "ReflectionPad1DBackward0": "index", "ReflectionPad2DBackward0": "index",
    "ReflectionPad3DBackward0": "index", "ReplicationPad1DBackward0": "index",
    "ReplicationPad2DBackward0": "index", "ReplicationPad3DBackward0": "index",
}  # fmt: skip
NUMBERS = {"XlogyBackward2"}  # whose number torch shows as one, not as a tensor
SHOWN_AS = {
    "number": "other", "normalized_shape": "normalized_shape", "mean": "result1", "rstd": "result2",
    "ScaledDotProductFlashAttentionForCpuBackward0.result": "output",
}  # fmt: skip
ALWAYS: dict[str, dict[str, Any]] = {
    "AddBackward0": {"alpha": 1}, "SubBackward0": {"alpha": 1},
    "EmbeddingBackward0": {"scale_grad_by_freq": False, "sparse": False},
    "ScaledDotProductFlashAttentionForCpuBackward0": {"dropout_p": 0.0},
}  # fmt: skip
ARRAYS = {"mean", "rstd", "weights", "shares", "ignored", "index"}  # what is saved as an array: released as tensors are
SHOWN_ONLY = {  # besides what the rules need: shown, and checked for writes in place, as torch's are
    "LinalgSlogdetBackward0": "sign", "CholeskySolveBackward0": "self", "BaddbmmBackward0": "alpha beta", "LerpBackward1": "weight",
    "AddcdivBackward0": "tensor2", "CopysignBackward0": "result", "PowBackward1": "result", "PreluKernelBackward0": "self weight",
    "MaxPool2DWithIndicesBackward0": "kernel_size stride padding dilation ceil_mode",
    "UpsampleNearest1DBackward0": "self_shape output_size scales",
    "UpsampleNearest2DBackward0": "self_shape output_size scales_h scales_w",
    "UpsampleLinear1DBackward0": "self_shape output_size align_corners scales",
    "NativeGroupNormBackward0": "input weight mean rstd N C HxW",
    "UpsampleBilinear2DBackward0": "self_shape output_size align_corners scales_h scales_w",
    "NativeLayerNormBackward0": "input weight bias mean rstd",
    "NativeBatchNormBackward0": "input weight mean rstd training eps running_mean running_var",
    "ConvolutionBackward0": "input weight bias_shape stride padding dilation transposed output_padding groups",
    "ScaledDotProductFlashAttentionForCpuBackward0": "attn_mask is_causal scale result",
    "NllLossBackward0": "weight total_weight reduction ignore_index",
    "NllLoss2DBackward0": "weight total_weight reduction ignore_index",
    "ReflectionPad1DBackward0": "padding", "ReflectionPad2DBackward0": "padding",
    "ReflectionPad3DBackward0": "padding", "ReplicationPad1DBackward0": "padding",
    "ReplicationPad2DBackward0": "padding", "ReplicationPad3DBackward0": "padding",
}  # fmt: skip


# ------------------------------------------------------------------ what is worked out when it is looked at

Saved = Callable[[str], Any]  # a node's saved value, by the name under which its rules ask for it
Facts = dict[str, Callable[[Any, Saved], Any]]  # from the node and its saved values


def if_given(name: str) -> Callable[[Any, Saved], Any]:
    """A weight or bias, None if it was a plain number."""

    def show(node: Any, saved: Saved) -> Any:
        value = saved(name)
        return value if value is not None and value.dim() else None

    return show


def source_dim(node: Any, saved: Saved) -> int | None:
    """How many dimensions the source has; None where it was not saved, its gradient not being wanted."""
    source = saved("source")
    return None if source is None else source.dim()


def every(node: Any, saved: Saved) -> Any:
    """The dims of a reduction: () for all."""
    return saved("dim") or ()


def numel(node: Any, saved: Saved) -> int:
    """How many elements the input has."""
    return math.prod(saved("self_shape"))


def log_sigmoid_buffer(node: Any, saved: Saved) -> Any:
    """e^-|x|, which torch keeps from its forward pass."""
    x = saved("self")._data
    return from_array(array_module(x).exp(-abs(x)))


def log_sum_of_scores(node: Any, saved: Saved) -> Any:
    """ln Σ e^score of every query, told by its largest weight: a weight is e^(score - that)."""
    query, key, mask = (saved(name) for name in ("query", "key", "attn_mask"))
    weights = saved("weights")
    keys = key._data.repeat(query.shape[1] // key.shape[1], 1)
    scores = query._data @ keys.swapaxes(-1, -2) * saved("factor") + (0 if mask is None else mask._data)
    module, largest = array_module(weights), weights.argmax(-1)[..., None]
    found = module.take_along_axis(scores, largest, -1) - module.log(module.take_along_axis(weights, largest, -1))
    return from_array(found[..., 0])


def of_factors(first: str, second: str, place: int) -> Facts:
    """Sizes and strides of the two factors of a matrix product, of which one may not be saved. As in torch the strides
    are those of a factor that wants a gradient; of one that is not saved they are not known here. place: the first
    one's among the inputs."""

    def sizes(node: Any, saved: Saved) -> tuple[Any, Any]:
        x, y = saved(first), saved(second)
        if x is None and y is None:  # where only what is added to the product wants a gradient
            return None, None
        inner = y.shape[0] if x is None else x.shape[1]
        return (node.shape[0], inner), (inner, node.shape[1])

    def strides(name: str, place: int) -> Callable[[Any, Saved], Any]:
        def show(node: Any, saved: Saved) -> Any:
            factor = saved(name)
            return () if factor is None or node.parents[place] is None else factor.stride()

        return show

    return {
        f"{first}_sym_sizes": lambda node, saved: sizes(node, saved)[0],
        f"{second}_sym_sizes": lambda node, saved: sizes(node, saved)[1],
        f"{first}_sym_strides": strides(first, place),
        f"{second}_sym_strides": strides(second, place + 1),
    }


WORKED_OUT: dict[str, Facts] = {
    "MeanBackward0": {"self_sym_numel": numel},
    "MeanBackward1": {"self_sym_numel": numel, "dim": every},
    "AmaxBackward0": {"dim": every},
    "AminBackward0": {"dim": every},
    "AminmaxBackward0": {"dim": lambda node, saved: saved("dim") and saved("dim")[0]},
    "IndexAddBackward0": {"source_dim": source_dim},
    "LinalgSvdBackward0": {"S_sym_argsize_minus_1": lambda node, saved: saved("S").shape[-1]},
    "IndexCopyBackward0": {"source_dim": source_dim},
    "Im2ColBackward0": {
        "self_sym_argsize_minus_1": lambda node, saved: saved("self_shape")[-1],
        "self_sym_argsize_minus_2": lambda node, saved: saved("self_shape")[-2],
    },
    "EmbeddingBackward0": {"weight_sym_argsize_0": lambda node, saved: saved("weight_shape")[0]},
    "ConvolutionBackward0": {"bias_sym_sizes_opt": lambda node, saved: saved("bias_shape") or (0,)},
    "NativeLayerNormBackward0": {"weight": if_given("weight"), "bias": if_given("bias")},
    "NativeBatchNormBackward0": {"weight": if_given("weight")},
    "NativeGroupNormBackward0": {"weight": if_given("weight")},
    "LogSigmoidBackward0": {"buffer": log_sigmoid_buffer},
    "ScaledDotProductFlashAttentionForCpuBackward0": {"logsumexp": log_sum_of_scores},
    "MmBackward0": of_factors("self", "mat2", 0),
    "AddmmBackward0": of_factors("mat1", "mat2", 1),
}

# ------------------------------------------------------------------ as members of a node class


def shown(name: str, saves: tuple[str, ...], tensors: Any) -> dict[str, Any]:
    """The `_saved_…` members of the node class `name`, whose saved values are in the order of `saves`; for those that
    are `tensors` also `_raw_saved_…`, which takes hooks."""
    found: dict[str, Any] = {f"_saved_{n}": value for n, value in ALWAYS.get(name, {}).items()}
    for i, n in enumerate(saves):
        if n not in UNSHOWN.get(name, "").split():
            as_torch = SHOWN_AS.get(f"{name}.{n}") or SHOWN_AS.get(n, n.replace("_shape", "_sym_sizes"))
            role = "" if name in NUMBERS else n
            if n in tensors:
                found[f"_raw_saved_{as_torch}"] = property(lambda node, i=i: SavedTensor(node, i))  # type: ignore[misc]
            found[f"_saved_{as_torch}"] = property(lambda node, i=i, role=role: operand(node.show_saved(i), role))  # type: ignore[misc]
    for n, work_out in WORKED_OUT.get(name, {}).items():
        found[f"_saved_{n}"] = property(
            lambda node, work_out=work_out: work_out(node, lambda what: node.show_saved(saves.index(what)))  # type: ignore[misc]
        )
    return found


def operand(value: Any, name: str) -> Any:
    """A saved value as the user sees it: a number that was an operand is a tensor, and so are the parts of an index."""
    if name == "other" and isinstance(value, int | float):
        return from_array(numpy.asarray(value))
    if hasattr(value, "dtype") and not isinstance(value, Tensor):  # an array, on whichever device
        return from_array(value)
    if hasattr(value, "as_given"):
        return value.as_given()
    return value
