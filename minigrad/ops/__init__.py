"""All operations, and the one table that says which are methods of Tensor, functions of the package, operators.

A new operation is its entry in one of the modules and its name here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import creation, ranges
from ..tensor import Tensor
from . import (
    activation,
    arrange,
    compare,
    convert,
    cumulative,
    division,
    einsum,
    extrema,
    functions,
    index,
    join,
    layout,
    linalg,
    nn,
    pairs,
    pick,
    pointwise,
    products,
    protocols,
    reduce,
    restride,
    scatter,
    shape,
    sorting,
    statistics,
    views,
)
from .arguments import guarded
from .inplace import inplace

MODULES = (
    pointwise, functions, division, extrema, pairs, compare, reduce, statistics, cumulative, sorting, linalg, products, einsum,
    shape, views, layout, arrange, join, index, pick, scatter, convert, nn, activation, protocols, restride, ranges, creation,
)  # fmt: skip


PACKAGE = "minigrad."


def find(name: str) -> Callable[..., Any]:
    """The operation of that name, from whichever module has it."""
    for module in MODULES:
        function = module.__dict__.get(name)
        if function is not None and getattr(function, "__module__", module.__name__).startswith(PACKAGE):
            return function
    raise LookupError(f"no module of minigrad.ops defines {name!r}")


# Both a method and a function, x.exp() and exp(x). NAME=FUNCTION: where ours is called something else.
BOTH = """
    abs acos acosh asin asinh atan atanh ceil cos cosh deg2rad exp exp2 expm1 floor frac log log10 log1p log2 logit
    nan_to_num neg positive rad2deg reciprocal relu round rsqrt sgn sigmoid sign sin sinc sinh sqrt square tan tanh
    trunc add addcdiv addcmul atan2 clamp clamp_max clamp_min copysign div float_power floor_divide fmax fmin fmod
    hypot lerp logaddexp logaddexp2 maximum minimum mul pow remainder sub xlogy allclose bitwise_and
    bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor eq equal erf ge gt isclose isfinite isinf
    isnan isneginf isposinf isreal le logical_and logical_not logical_or logical_xor lt ne signbit all amax amin
    aminmax any argmax argmin count_nonzero logsumexp max mean min nanmean nansum norm prod std sum var cummax cummin
    cumprod cumsum diff argsort kthvalue median mode msort nanmedian sort topk unique unique_consecutive bincount
    addmv addr baddbmm bmm cross dist dot inner kron matmul mm mv outer vdot softmax log_softmax addmm adjoint
    broadcast_to chunk clone diag diag_embed diagflat diagonal dsplit flatten flip fliplr flipud hsplit movedim narrow
    permute ravel repeat_interleave reshape roll rot90 select split split_with_sizes squeeze t tensor_split tile trace
    transpose tril triu unbind unflatten unsqueeze vsplit argwhere gather index_add index_copy index_fill index_put
    index_select masked_fill masked_scatter masked_select nonzero scatter scatter_add scatter_reduce take take_along_dim
""".split()
METHODS = """
    view expand type to double float half long int bool short byte char cpu cuda type_as numel dim size contiguous
    copied get_device new_empty new_full new_ones new_tensor new_zeros stack_all concatenate_all fill_ zero_ copy_
    scatter_index to_numpy_dtype element_size data_ptr stride expand_as is_complex is_contiguous is_floating_point
    is_nonzero is_same_size is_signed apply_ storage_offset squeeze_ t_ transpose_ unsqueeze_ repeat reshape_as
    unfold view_as where=where_method
""".split()
FUNCTIONS = """
    cat stack where numel is_tensor is_complex is_floating_point is_nonzero rsub arange empty empty_like eye full_like
    linspace logspace ones_like result_type=torch_result_type scalar_tensor zeros_like atleast_1d atleast_2d
    atleast_3d broadcast_shapes broadcast_tensors bucketize column_stack dstack einsum hstack isin meshgrid
    searchsorted std_mean tensordot tril_indices triu_indices var_mean vstack
    as_tensor from_numpy full ones tensor zeros
""".split()
INPLACE = """
    abs acos acosh=acosh_inplace addmv addr baddbmm erf asin asinh=asinh_inplace atan atanh=atanh_inplace ceil cos cosh
    deg2rad exp exp2 expm1 floor frac log log10 log1p log2 logit
    nan_to_num neg rad2deg reciprocal relu round rsqrt sgn sigmoid sign sin sinc sinh sqrt square tan tanh trunc add
    addcdiv addcmul atan2 clamp clamp_max clamp_min copysign cumprod cumsum div floor_divide fmod hypot
    lerp mul pow remainder sub xlogy bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
    bitwise_xor eq=eq_written ne=ne_written lt=lt_written le=le_written gt=gt_written ge=ge_written logical_and
    logical_not logical_or logical_xor addmm tril triu index_add index_copy index_fill index_put masked_fill masked_scatter scatter
    scatter_add scatter_reduce
""".split()
ALIASES = {
    "absolute": "abs", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan",
    "arctan2": "atan2", "arctanh": "atanh", "clip": "clamp", "concat": "cat", "concatenate": "cat", "divide": "div",
    "fix": "trunc", "ger": "outer",
    "greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le", "moveaxis": "movedim", "multiply": "mul",
    "negative": "neg", "not_equal": "ne", "row_stack": "vstack", "subtract": "sub", "swapaxes": "transpose",
    "swapdims": "transpose", "true_divide": "div", "nelement": "numel", "ndimension": "dim",
}  # fmt: skip
METHOD_ONLY = {"nelement", "ndimension"}  # torch has no functions of these names
PROPERTIES = {"T": "t_property", "mT": "mt_property", "H": "h_property", "mH": "adjoint"}

OPERATORS = {
    "add": "add_op", "sub": "sub_op", "mul": "mul_op", "truediv": "div_op", "pow": "pow", "matmul": "matmul", "neg": "neg",
    "abs": "abs", "floordiv": "floor_divide", "mod": "remainder", "pos": "positive",
    "eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge", "getitem": "getitem", "setitem": "setitem",
    "invert": "invert", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift",
}  # fmt: skip
REFLECTED = {
    "add": "add_op", "sub": "rsub", "mul": "mul_op", "truediv": "rdiv", "pow": "rpow", "matmul": "matmul",
    "floordiv": "floor_divide", "mod": "remainder", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift",
}  # fmt: skip
IN_PLACE_OPERATORS = {
    "add": "add_op", "sub": "sub_op", "mul": "mul_op", "truediv": "div_op", "pow": "pow", "floordiv": "floor_divide",
    "mod": "remainder", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}  # fmt: skip
# These take the tensor first as they are: torch, too, makes 2 * x of x * 2, as the graph shows.
SWAPPED = {"rsub", "rdiv", "rpow", "add_op", "mul_op", "bitwise_and", "bitwise_or", "bitwise_xor"}


def reflected(operation: Callable[..., Any]) -> Callable[..., Any]:
    """The operation with its operands the other way round, as Python's __radd__ and the like want it."""
    return lambda self, other: operation(other, self)


def named(entry: str) -> tuple[str, Callable[..., Any]]:
    """A name of the table and the operation behind it."""
    name, _, target = entry.partition("=")
    return name, find(target or name)


def install() -> dict[str, Callable[..., Any]]:
    """Hang the methods and operators on Tensor; the functions of the package, by name."""
    for name, operation in map(named, (*BOTH, *METHODS)):
        setattr(Tensor, name, guarded(operation, method=True))
    for name, operation in map(named, INPLACE):
        setattr(Tensor, name + "_", guarded(inplace(operation), method=True))
    for name, target in PROPERTIES.items():
        setattr(Tensor, name, property(find(target)))
    for name, fact in protocols.FACTS.items():
        setattr(Tensor, name, property(fact))
    for name, answer in protocols.DUNDERS.items():
        setattr(Tensor, name, answer)
    for dunder, name in OPERATORS.items():
        setattr(Tensor, f"__{dunder}__", find(name))
    for dunder, name in REFLECTED.items():
        setattr(Tensor, f"__r{dunder}__", find(name) if name in SWAPPED else reflected(find(name)))
    for dunder, name in IN_PLACE_OPERATORS.items():
        setattr(Tensor, f"__i{dunder}__", inplace(find(name)))
    functions = {name: guarded(operation, method=False) for name, operation in map(named, (*BOTH, *FUNCTIONS))}
    for alias, name in ALIASES.items():
        if name in functions and alias not in METHOD_ONLY:
            functions[alias] = functions[name]
        for suffix in ("", "_"):
            if hasattr(Tensor, name + suffix):
                setattr(Tensor, alias + suffix, getattr(Tensor, name + suffix))
    return functions


NAMES = install()
