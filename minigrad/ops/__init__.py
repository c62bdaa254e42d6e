"""All operations, and the one table that says where each is, and as what it is called: method, function, operator.

A new operation is its entry in one of the modules and its name here. `import minigrad` reads none of these modules:
`lazy.py` loads one when something of it is first asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

from ..tensor import Tensor
from . import lazy
from .absent import mark_absent
from .lazy import FUNCTIONS, load, load_all

__all__ = ["ALIASES", "FUNCTIONS", "OPERATORS", "entries", "load", "load_all"]

# MODULE: its operations. NAME is a method and a function, x.exp() and exp(x); .NAME only a method, NAME() only a
# function, @NAME a property. NAME! is there in place as well, x.exp_(), and NAME!FUNCTION by a function of its own.
# NAME=FUNCTION: where ours is called something else.
TABLE = {
    "pointwise": "abs! cos! exp! log! neg! reciprocal! relu! sigmoid! sin! sqrt! tanh!",
    "unary": """
        acos! acosh!acosh_inplace asin! asinh!asinh_inplace atan! atanh!atanh_inplace ceil! cosh! deg2rad! exp2!
        expm1! floor! frac! log10! log1p! log2! logit! nan_to_num! positive rad2deg! round! rsqrt! sgn! sign!
        sinc! sinh! tan! trunc! isneginf isposinf isreal signbit
    """,
    "arithmetic": """
        square! add! div! true_divide! float_power floor_divide!floor_divide_inplace fmod! mul! pow! remainder! sub! rsub()
    """,
    "extrema": "clamp!clamp_inplace clamp_max!clamp_max_inplace clamp_min!clamp_min_inplace fmax fmin maximum minimum",
    "binary": "addcdiv! addcmul! atan2! copysign! hypot! lerp! logaddexp logaddexp2 xlogy!",
    "compare": """
        allclose bitwise_and!bitwise_and_written bitwise_left_shift!bitwise_left_shift_written bitwise_not!
        bitwise_or!bitwise_or_written bitwise_right_shift!bitwise_right_shift_written bitwise_xor!bitwise_xor_written
        eq!eq_written equal ge!ge_written gt!gt_written isclose isfinite isinf isnan le!le_written logical_and!
        logical_not! logical_or! logical_xor! lt!lt_written ne!ne_written isin()
    """,
    "reduce": "argmax argmin max mean min sum",
    "statistics": "all amax amin aminmax any logsumexp nanmean nansum std var std_mean() var_mean()",
    "norms": "norm",
    "cumulative": "prod cummax cummin cumprod!cumprod_inplace cumsum!cumsum_inplace diff",
    "sorting": """
        argsort kthvalue median mode msort nanmedian sort topk unique unique_consecutive bincount
    """,
    "search": "bucketize() searchsorted()",
    "quantile": "quantile nanquantile",
    "linalg": "bmm matmul",
    "products": "addmv! addr!addr_inplace baddbmm! cross dist dot inner kron mm mv outer vdot tensordot()",
    "inverse": "inverse det slogdet logdet matrix_power",
    "triangular": "cholesky_solve",
    "decompositions": "cholesky qr svd",
    "pinv": "pinverse",
    "einsum": "einsum()",
    "similarity": "cdist() cosine_similarity() pairwise_distance()",
    "shape": """
        permute reshape transpose clone squeeze t unbind unsqueeze .contiguous .expand .view
        .to_numpy_dtype=cast
    """,
    "views": """
        narrow chunk dsplit hsplit select split split_with_sizes tensor_split vsplit diagonal .unfold
        unsafe_chunk unsafe_split unsafe_split_with_sizes
    """,
    "strided": "as_strided .untyped_storage",
    "layout": """
        adjoint broadcast_to flatten ravel unflatten movedim .expand_as .reshape_as .view_as atleast_1d()
        atleast_2d() atleast_3d() broadcast_shapes() broadcast_tensors() meshgrid()
        @T=t_property @mT=mt_property @H=h_property @mH=mh_property
    """,
    "arrange": """
        diag diag_embed diagflat flip fliplr flipud roll rot90 tile trace tril! triu! .repeat
        .fill_diagonal_ .repeat_interleave repeat_interleave()=repeat_interleave_function tril_indices() triu_indices()
    """,
    "join": ".stack_all .concatenate_all cat() stack() cartesian_prod() column_stack() dstack() hstack() vstack()",
    "index": ".scatter_index",
    "assign": "index_put!index_put_inplace",
    "pick": """
        gather index_add! index_copy! index_fill!index_fill_inplace index_select scatter!scatter_inplace scatter_add! take
        take_along_dim
    """,
    "masks": """
        argwhere count_nonzero masked_fill!masked_fill_inplace masked_scatter!masked_scatter_inplace masked_select nonzero
        .where=where_method where()
    """,
    "scatter": "scatter_reduce!",
    "convert": """
        numel is_floating_point .type .to .double .float .half .long .int .bool .short .byte .char .cpu .cuda
        .type_as .dim .copied .new_tensor fill_ zero_ .copy_ .element_size .data_ptr .is_contiguous
        is_tensor() detach()
    """,
    "nn": "softmax log_softmax addmm!",
    "erf": "erf!",
    "special": "erfc! erfinv! lgamma! digamma! logcumsumexp .polygamma=polygamma_method polygamma()",
    "piecewise": "hardshrink prelu",
    "rms_norm": "rms_norm()",
    "aten": """
        adaptive_max_pool1d() celu() celu_() dropout() dropout_() embedding() group_norm() layer_norm()
        max_pool1d() max_pool2d() selu() selu_() threshold() threshold_()
    """,
    "batch_norm": "batch_norm()=aten_batch_norm instance_norm()=aten_instance_norm",
    "bilinear": "bilinear()",
    "conv": "conv1d() conv2d() conv3d()",
    "conv_transpose": "conv_transpose1d() conv_transpose2d()",
    "pool": "avg_pool1d()",
    "pool_adaptive": "adaptive_avg_pool1d()",
    "pixels": "pixel_shuffle() pixel_unshuffle()",
    "protocols": "is_complex is_inference() .size .get_device .stride .is_same_size .is_signed .apply_ .storage_offset",
    "inplace_views": ".squeeze_ .t_ .transpose_ .unsqueeze_",
    ".ranges": """
        is_nonzero .new .new_empty .new_full .new_ones .new_zeros zeros_like() arange() empty() empty_like() eye()
        full_like() linspace() logspace() ones_like() result_type()=torch_result_type scalar_tensor()
    """,
    ".creation": "tensor() full() as_tensor() from_numpy() ones() zeros()",
    ".draws": """
        bernoulli multinomial .bernoulli_ .exponential_ .normal_ .random_ .uniform_ normal() rand() rand_like() randint()
        randint_like() randn() randn_like() randperm()
    """,
}  # fmt: skip
ALIASES = {
    "absolute": "abs", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan",
    "arctan2": "atan2", "arctanh": "atanh", "clip": "clamp", "concat": "cat", "concatenate": "cat", "divide": "div",
    "fix": "trunc", "ger": "outer",
    "greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le", "moveaxis": "movedim", "multiply": "mul",
    "negative": "neg", "not_equal": "ne", "row_stack": "vstack", "subtract": "sub", "swapaxes": "transpose",
    "swapdims": "transpose", "nelement": "numel", "ndimension": "dim",
}  # fmt: skip
METHOD_ONLY = {"nelement"}  # torch has no function of this name
# What torch has as a function in place, too: sin_(x).
IN_PLACE_FUNCTIONS = set(
    """
    abs_ acos_ acosh_ addmv_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ asin_ asinh_ atan_ atanh_ ceil_ clamp_
    clamp_max_ clamp_min_ clip_ cos_ cosh_ deg2rad_ erf_ erfc_ exp2_ exp_ expm1_ fix_ floor_ frac_ index_put_ log10_ log1p_ log2_
    log_ logit_ nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ relu_ round_ rsqrt_ sigmoid_ sin_ sinc_ sinh_ sqrt_ square_
    tan_ tanh_ trunc_ xlogy_
""".split()
)

# What Python calls: its name without the underscores, and where the function is.
OPERATORS = {
    "add": "pointwise.add_op", "sub": "pointwise.sub_op", "mul": "pointwise.mul_op", "truediv": "pointwise.div_op",
    "pow": "arithmetic.pow", "floordiv": "arithmetic.floor_divide", "mod": "arithmetic.remainder", "matmul": "linalg.matmul",
    "neg": "pointwise.neg", "abs": "pointwise.abs", "pos": "unary.positive", "invert": "compare.invert",
    "eq": "compare.equals", "ne": "compare.ne", "lt": "compare.lt", "le": "compare.le", "gt": "compare.gt", "ge": "compare.ge",
    "and": "compare.bitwise_and", "or": "compare.bitwise_or", "xor": "compare.bitwise_xor",
    "lshift": "compare.bitwise_left_shift", "rshift": "compare.bitwise_right_shift",
    "getitem": "index.getitem", "setitem": "assign.setitem", "delitem": "assign.delitem",
    "contains": "protocols.contains", "iter": "protocols.iterate",
    "reversed": "protocols.backwards", "index": "protocols.as_index", "format": "protocols.formatted",
    "reduce_ex": "protocols.reduced", "deepcopy": "protocols.deep_copied", "array_wrap": "protocols.array_wrap",
    "float": "convert.as_float", "int": "convert.as_int",
}  # fmt: skip
BITS = ("and", "or", "xor", "lshift", "rshift")
IN_PLACE_OPERATORS = {  # x += y
    name: OPERATORS[name] + "_written" * (name in BITS)
    for name in ("add", "sub", "mul", "truediv", "pow", "mod", *BITS)
} | {"floordiv": "arithmetic.floor_divide_inplace"}
# y + x, where y is no tensor: by the same function with its operands swapped, or by one that takes the tensor first as it
# is; torch, too, makes 2 * x of x * 2, as the graph shows.
REFLECTED = {name: OPERATORS[name] for name in ("matmul", "floordiv", "mod", "lshift", "rshift")}
SWAPPED = {"sub": "arithmetic.rsub", "truediv": "arithmetic.rdiv", "pow": "arithmetic.rpow"} | {
    name: OPERATORS[name] for name in ("add", "mul", "and", "or", "xor")
}
FACTS: dict[str, Callable[[Tensor], Any]] = {  # properties that take no operation
    "itemsize": lambda self: self._data.itemsize,
    "nbytes": lambda self: self._data.nbytes,
    "is_cpu": lambda self: self.device.type == "cpu",
    "is_cuda": lambda self: self.device.type == "cuda",
    "is_sparse": lambda self: False,
    "is_quantized": lambda self: False,
    "is_meta": lambda self: False,
    "real": lambda self: self,
}


def entries() -> Iterator[tuple[str, str, str, str, str]]:
    """The table, read: module, name, function, kind, and the function that NAME_ is made of, "" where there is none.

    kind: "." a method, "()" a function, "" both, "@" a property.
    """
    for module, names in TABLE.items():
        for entry in names.split():
            rest, _, function = entry.partition("=")
            rest, bang, written = rest.partition("!")
            kind = rest[0] if rest[0] in ".@" else "()" if rest.endswith("()") else ""
            name = rest.strip(".@()")
            yield module, name, function or name, kind, written or name if bang else ""


def install() -> None:
    """Keep places on Tensor for the methods and operators, and note which functions of the package there are."""
    spellings: dict[str, list[str]] = {}  # of what has aliases; those of NAME_ end with an underscore as well
    for alias, name in ALIASES.items():
        spellings.setdefault(name, [name]).append(alias)
        spellings.setdefault(name + "_", [name + "_"]).append(alias + "_")
    for module, name, function, kind, in_place in entries():
        names = spellings.get(name) or [name]
        if kind == "@":
            lazy.add_methods([name], (module, function, property))
        if kind in ("", "."):
            lazy.add_methods(names, (module, function, lazy.method))
        if kind in ("", "()"):
            lazy.add_functions(
                [each for each in names if each not in METHOD_ONLY], (module, function, lazy.plain_function)
            )
        if in_place:
            names = spellings.get(name + "_") or [name + "_"]
            lazy.add_methods(names, (module, in_place, lazy.written_method))
            names = [each for each in names if each in IN_PLACE_FUNCTIONS]
            lazy.add_functions(names, (module, in_place, lazy.written_function))
    for prefix, operators, finish in (
        ("", OPERATORS, lazy.unchanged),
        ("i", IN_PLACE_OPERATORS, lazy.written),
        ("r", REFLECTED, lazy.reflected),
        ("r", SWAPPED, lazy.unchanged),
    ):
        for name, place_of in operators.items():
            module, _, function = place_of.rpartition(".")
            lazy.add_methods([f"__{prefix}{name}__"], (module, function, finish))
    for name, fact in FACTS.items():
        setattr(Tensor, name, property(fact))
    mark_absent()


def __getattr__(name: str) -> Any:
    """A module of operations that is not loaded yet."""
    if name in TABLE:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *TABLE})


install()
