"""Results written into tensors that the caller gives as `out=`: which these may be, and what torch says to others.

Some functions convert their result to the dtype of `out`, some compute in it from the start, and some refuse every dtype but
their own, each in words of its own.
"""

from __future__ import annotations

import functools
from typing import Any

from ..autograd.grad_mode import is_inference_mode_enabled, records
from ..backend import array_module
from ..errors import INFERENCE_WRITTEN, warn
from ..return_types import ReturnType, return_type
from ..tensor import Tensor
from .arguments import as_tensors, told, type_name
from .inplace import check_memory, check_overlap, overwrite, refresh, refuse
from .promotion import check_castable

# Functions for which torch makes `out` fit without a word.
RESIZING = frozenset("empty eye full linspace logspace ones rand randint randn randperm zeros".split())
# Functions that compute in the dtype of `out`, unless a dtype is given.
COMPUTED_IN = RESIZING | {"arange", "cumprod", "cumsum", "prod", "sum"}

# ------------------------------------------------------------------ dtypes

EXPECTED = "Expected out tensor to have dtype {want.c_name}, but got {got.c_name} instead"
FOUND = "Found dtype {got.type_name} but expected {want.type_name}"
# What functions say to another dtype than their result's; a tuple for several results.
ONLY: dict[str, str | tuple[str, ...]] = {
    **dict.fromkeys(
        "addmm addmv argmax argmin baddbmm bmm cross diag gather index_add index_copy inverse isin linalg_cholesky linalg_cross "
        "linalg_det linalg_eigvalsh linalg_inv linalg_matmul linalg_matrix_power linalg_solve linalg_svdvals linalg_vector_norm "
        "log_softmax matmul matrix_power mm mv norm "
        "scatter scatter_add scatter_reduce softmax take_along_dim tril triu".split(),
        EXPECTED,
    ),
    **dict.fromkeys("abs bitwise_not ceil clamp clamp_max clamp_min floor frac neg negative round sgn sign trunc".split(), FOUND),
    **dict.fromkeys("linalg_svd svd".split(), (EXPECTED,) * 3),
    **dict.fromkeys("aminmax linalg_eigh linalg_qr linalg_slogdet max min qr slogdet sort topk".split(), (EXPECTED, EXPECTED)),
    **dict.fromkeys("cummax cummin".split(), ("expected scalar_type {want.type_name} but found {got.type_name}",) * 2),
    **dict.fromkeys("amax amin".split(), "Expected the dtype for input and out to match, but got {want.type_name} for input's "
                    "dtype and {got.type_name} for out's dtype."),
    **dict.fromkeys("dot vdot".split(), "result dtype {got.type_name} does not match input dtype {want.type_name}"),
    **dict.fromkeys("inner tensordot".split(), "tensordot: Expected the output tensor to have dtype {want.type_name}, but got an "
                    "output tensor with dtype {got.type_name}"),
    **dict.fromkeys("index_select masked_select".split(), "{name}(): self and result must have the same scalar type"),
    **dict.fromkeys("isneginf isposinf signbit".split(), "{name} does not support non-boolean outputs."),
    **dict.fromkeys("median nanmedian".split(), (
        "Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type torch.{got.type_name}Tensor "
        "does not equal torch.{want.type_name}Tensor (while checking arguments for median)",
        "Expected tensor for argument #1 'indices' to have scalar type Long; but got torch.{got.type_name}Tensor instead (while "
        "checking arguments for median)",
    )),
    **dict.fromkeys("bucketize searchsorted".split(), "torch.searchsorted(): output tensor's dtype is wrong, it can only be "
                    "Int(int32) or Long(int64) depending on whether out_int32 flag is True, but we got output tensor's dtype "
                    "{got.type_name} and out_int32 flag is False"),
    "float_power": "the output given to float_power has dtype {got.type_name} but the operation's result requires dtype "
                   "{want.type_name}",
    "kthvalue": ("output values must be of same type as input", "output indices must be of scalar type Long"),
    "linalg_matrix_norm": "linalg.matrix_norm expected out tensor dtype {want.type_name} but got: {got.type_name}",
    "linalg_multi_dot": "multi_dot(): expected out tensor to have dtype {want.c_name} but got {got.c_name}",
    "linalg_norm": "linalg.norm expected out tensor dtype {want.type_name} but got: {got.type_name}",
    "linalg_solve_triangular": "expected scalar type {want.type_name} but found {got.type_name}",
    "linalg_vecdot": "linalg.vecdot: Expected out of dtype{want.type_name} but found {got.type_name}",
    "mode": ("expected scalar type '{want.type_name}' but got '{got.type_name}' for values output",
             "expected scalar type '{want.type_name}' but got '{got.type_name}' for indices output"),
    "multinomial": "multinomial expects Long tensor out, got: {got.type_name}",
    "nan_to_num": "nan_to_num: dtype of out: {got.type_name} should be same as input: {want.type_name}",
    "nonzero": "nonzero: Expected out tensor to have scalar type Long but got scalar type{got.type_name}",
    "quantile": "quantile() out tensor must be same dtype as the input tensor",
    "take": "take(): self and out expected to have the same dtype, but got self.dtype = {want.type_name} and out.dtype = "
            "{got.type_name}",
    "where": "Expected out type to be {want.type_name} but got {got.type_name}",
}  # fmt: skip
TRUTHS = "{name} only supports bool tensor for result, got: {got.type_name}"  # bytes will do as well
JOINED = frozenset("cat column_stack concat concatenate dstack hstack stack vstack".split())
# Functions of whose operands none may lie where `out` does, not even in the same place:
APART = JOINED | {*"gather index_add index_select masked_select scatter scatter_add take".split()}
# and those whose `out` may lie anywhere, as their results are made elsewhere first.
COPIED_FIRST = frozenset("bucketize log_softmax mv searchsorted softmax".split())


def check_dtype(result: Tensor, out: Tensor, name: str, place: int | None) -> None:
    """torch's error for an `out` of a dtype that the function called `name` does not write. place: of several results."""
    want, got = result.dtype, out.dtype
    if want is got or name == "bernoulli":
        return
    words = ONLY.get(name, "")
    if name in ("all", "any") and got.name != "uint8":
        words = TRUTHS
    if isinstance(words, tuple):
        words = words[place] if place is not None else ""  # max has two results along a dimension only
    if words:
        raise RuntimeError(words.format(name=name, want=want, got=got))
    if name in JOINED and want.category > got.category:
        raise TypeError(f"torch.cat(): input types can't be cast to the desired output type {got.type_name}")
    check_castable(want, got)


# ------------------------------------------------------------------ the call


def into(
    out: Any, call: Any, name: str, parameters: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any], method: bool
) -> Any:
    """The call of the operation `name`, its result written into `out`, one tensor or several."""
    outs = out if isinstance(out, list | tuple) else (out,)
    if records() and any(map(wants_gradient, (*args, *kwargs.values(), *outs))):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of "
            "the arguments requires grad."
        )
    if name in COMPUTED_IN and isinstance(out, Tensor):
        kwargs = {"dtype": out.dtype} | kwargs
    result = call(*args, **kwargs)
    kind, words = (list | tuple, "tuple of Tensors") if isinstance(result, tuple) else (Tensor, "Tensor")
    if not isinstance(out, kind):
        fault = f"{name}(): argument 'out' must be {words}, not {type_name(out)}"
        raise TypeError(told(name, fault, parameters, args, kwargs | {"out": out}, method))
    if kind is Tensor:
        if any(one is out for one in args):
            refuse(outs[0], result._data.shape, result.dtype)
        if outs[0]._data.shape == result._data.shape and name not in COPIED_FIRST:
            operands = (*args, *kwargs.values())
            for operand in operands[0] if name in JOINED else operands:
                check_overlap(outs[0], operand, name in APART)
        return fill_out(result, out, name)
    if len(out) != len(result):
        raise TypeError(f"expected tuple of {len(result)} elements but got {len(out)}")
    given = as_tensors(out, len(parameters))
    for place, (one, tensor) in enumerate(zip(result, given, strict=True)):
        check_dtype(one, tensor, name, place)
    for place, (one, tensor) in enumerate(zip(result, given, strict=True)):
        fill_out(one, tensor, name, place)
    return written(type(result).__name__, type(result).fields)(out)


def wants_gradient(given: Any) -> bool:
    """Whether an argument is, or lists, a tensor that requires grad."""
    if isinstance(given, list | tuple):
        return any(map(wants_gradient, given))
    return isinstance(given, Tensor) and given.requires_grad


@functools.cache
def written(name: str, fields: tuple[str, ...]) -> type[ReturnType]:
    """The type of results that were written into `out`: in torch it has a name of its own."""
    return return_type(f"{name}_out", fields)


def resizing(name: str, out: Any, result: Any) -> str:
    """torch's warning that a tensor given as `out` is made to fit; nothing where torch says nothing."""
    if not out._data.size or name in RESIZING:
        return ""
    if name == "arange":
        return (
            f"The number of elements in the out tensor of shape {list(out.shape)} is {out._data.size} which does not match "
            f"the computed number of elements {result._data.size}. Note that this may occur as a result of rounding error. "
            f"The out tensor will be resized to a tensor of shape ({result._data.size},)."
        )
    return (
        f"An output with one or more elements was resized since it had shape {list(out.shape)}, which does not "
        f"match the required output shape {list(result.shape)}. This behavior is deprecated, and in a future "
        "PyTorch release outputs will not be resized unless they have zero elements."
    )


def fill_out(result: Any, out: Any, name: str, place: int | None = None) -> Any:
    """Write a result of the function called `name` into the tensor given as `out`. place: of several results."""
    if out._data.shape == result._data.shape:
        check_memory(out)
    check_dtype(result, out, name, place)
    if out._data.shape != result._data.shape:
        if words := resizing(name, out, result):
            warn(words)
        array = array_module(result._data).empty_like(result._data, dtype=out._data.dtype)
        out._data, out._alike = array, None
    if out.is_inference() and not is_inference_mode_enabled():
        raise RuntimeError(INFERENCE_WRITTEN)
    overwrite(out, result._data)
    refresh(out)
    return out
