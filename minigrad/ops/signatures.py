"""What torch's signatures are: how many arguments each of several takes, what they are called, whether `out` is among them.

Only when exactly one of them could be meant does torch say which argument is wrong; otherwise it lists them all. Read
off torch's own lists; nothing here runs when an operation is called, unless the call has failed or has a rare keyword.
"""

from __future__ import annotations

import functools

# NAME: least-most of each signature as a method | and as a function; a single one, if torch no longer shows the others
TABLE = """
    add sub: 1-2 | 2-4
    addcdiv addcmul: 2-3 | 3-5
    addmm baddbmm: 2-4 | 3-6 4-7
    addmv addr: 2-4 | 3-6
    all: 0-0 0-2 1-2 | 1-2 1-4 2-4
    any: 0-0 0-2 1-2 | 1-2 1-4 2-4
    arange:  | 1-7 2-7 2-9
    argsort: 1-3 0-2 | 2-5 1-3
    bitwise_and: 1-1 1-1 | 2-3 2-2 2-3
    bitwise_left_shift: 1-1 1-1 | 2-3 2-2 2-3
    bitwise_or: 1-1 1-1 | 2-3 2-2 2-3
    bitwise_right_shift: 1-1 1-1 | 2-3 2-2 2-3
    bitwise_xor: 1-1 1-1 | 2-3 2-2 2-3
    bernoulli: 0-1 1-2 | 1-3 2-3
    bernoulli_: 1-2 0-2 |
    bucketize:  | 2-5 2-4
    clamp clip: 0-2 0-2 | 1-4 1-4
    clamp_max: 1-1 1-1 | 2-3 2-3
    clamp_min: 1-1 1-1 | 2-3 2-3
    conv1d:  | 2-7 2-7
    conv2d:  | 2-7 2-7
    conv3d:  | 2-7 2-7
    copysign: 1-1 1-1 | 2-3 2-3
    count_nonzero: 0-1 1-1 | 1-2 2-2
    div: 1-1 2-2 2-2 | 2-3 3-4 3-3
    divide: 1-1 2-2 1-1 2-2 | 2-3 3-4 2-2 3-3
    dsplit: 1-1 1-1 | 2-2 2-2
    eq: 1-1 1-1 | 2-3 2-3
    eye:  | 1-7 2-8
    fill_: 1-1 1-1 | 2-2 2-2
    float_power: 1-1 1-1 | 2-3 2-3 2-3
    floor_divide: 1-1 1-1 | 2-3 2-2
    fmod: 1-1 1-1 | 2-3 2-3
    ge greater_equal: 1-1 1-1 | 2-3 2-3
    gt greater: 1-1 1-1 | 2-3 2-3
    hsplit: 1-1 1-1 | 2-2 2-2
    index_fill: 3-3 3-3 | 4-4 4-4
    isin:  | 2-5 2-5 2-5
    le less_equal: 1-1 1-1 | 2-3 2-3
    lerp: 2-2 2-2 | 3-4 3-4
    linalg_norm:  | 1-6 2-6
    linalg_matrix_norm:  | 2-6 1-6
    linalg_pinv linalg_matrix_rank:  | 1-5 1-5 2-4 2-4
    linspace:  | 3-9 3-9 3-9 3-9
    logspace:  | 3-10 3-10 3-10 3-10
    lt less: 1-1 1-1 | 2-3 2-3
    masked_fill: 2-2 2-2 | 3-3 3-3
    max: 0-0 1-1 1-2 | 1-2 2-3 2-4
    mean: 0-1 1-3 | 1-3 2-5
    median: 0-0 1-2 | 1-1 2-4
    min: 0-0 1-1 1-2 | 1-2 2-3 2-4
    mm:  | 2-3 3-4
    movedim moveaxis: 2-2 2-2 | 3-3 3-3
    nanmedian: 0-0 1-2 | 1-1 2-4
    nanquantile quantile: 1-4 1-4 | 2-6 2-6
    multiply: 1-1 1-1 | 2-3 2-2
    narrow: 3-3 3-3 | 4-4 4-4
    ne not_equal: 1-1 1-1 | 2-3 2-3
    nonzero: 0-0 1-1 |
    pow: 1-1 1-1 | 2-3 2-3 2-3
    prod: 0-1 1-3 | 1-2 2-5
    remainder: 1-1 1-1 | 2-3 2-2 2-3
    rand_like:  | 2-8 1-7
    randint_like:  | 4-10 3-9 3-9 2-8 3-9 2-8
    randn_like:  | 2-8 1-7
    random_: 0-1 2-3 1-2 |
    repeat_interleave: 1-3 1-3 | 2-4 1-2 2-4
    result_type:  | 2-2 2-2 2-2 2-2
    round: 0-0 1-1 | 1-2 2-3
    rsub:  | 2-3 2-3
    scatter: 3-3 4-4 3-3 4-4 | 4-5 5-6 4-5 5-6
    searchsorted:  | 2-7 2-7
    sort: 1-3 0-2 | 2-5 1-4
    squeeze: 0-0 1-1 1-1 | 1-1 2-2 2-2
    std: 1-3 0-3 0-1 | 2-5 1-5 1-2
    std_mean:  | 2-4 1-4 1-2
    subtract: 1-2 1-2 | 2-4 2-3
    sum: 0-1 1-3 | 1-2 2-5
    tensor_split: 1-2 1-2 1-2 | 2-3 2-3 2-3
    to: 0-5 1-4 1-4 |
    true_divide: 1-1 1-1 | 2-3 2-2
    var: 1-3 0-3 0-1 | 2-5 1-5 1-2
    var_mean:  | 2-4 1-4 1-2
    view: 1-1 1-1 |
    vsplit: 1-1 1-1 | 2-2 2-2
    where: 2-2 2-2 | 1-1 3-4 3-3 3-3 3-3
    xlogy: 1-1 1-1 | 2-3 2-3 2-3
"""


def ranges(name: str, method: bool) -> list[tuple[int, int]]:
    """The least and the greatest number of arguments of each signature; [] for an operation with one signature."""
    for line in TABLE.strip().splitlines():
        entry, _, forms = line.strip().partition(": ")
        if name in entry.split():
            chosen = forms.partition("|")[0 if method else 2]
            return [(int(low), int(high)) for low, high in (one.split("-") for one in chosen.split())]
    return []


# Functions that take no `out`, beside those in place.
WITHOUT_OUT = set(
    """
    adaptive_avg_pool1d adaptive_max_pool1d adjoint allclose argwhere as_strided as_tensor atleast_1d atleast_2d atleast_3d
    avg_pool1d batch_norm bilinear bincount broadcast_shapes broadcast_tensors broadcast_to cartesian_prod cdist celu chunk
    clone conv1d conv2d conv3d conv_transpose1d conv_transpose2d cosine_similarity count_nonzero detach diag_embed diagflat
    diagonal dist dropout dsplit einsum embedding empty_like equal flatten flip fliplr flipud from_numpy full_like
    det group_norm hsplit index_fill index_put instance_norm is_complex is_floating_point is_inference is_nonzero
    is_tensor isclose isfinite isinf isnan isreal layer_norm linalg_diagonal logdet
    masked_fill masked_scatter max_pool1d max_pool2d meshgrid
    moveaxis movedim narrow nelement numel one_hot ones_like pairwise_distance permute pinverse pixel_shuffle pixel_unshuffle
    positive prelu rand_like randint_like randn_like ravel relu repeat_interleave reshape result_type rms_norm roll
    rot90 rsub scalar_tensor scaled_dot_product_attention select selu split split_with_sizes squeeze std_mean swapaxes
    swapdims t tensor tensor_split tile trace transpose tril_indices triu_indices unbind unflatten unique
    unique_consecutive unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze var_mean vsplit zeros_like
    """.split()
)
# Functions of which one signature has `out`: the argument that tells it from the others.
OUT_BESIDE = {"argsort": "stable"} | dict.fromkeys(("median", "nanmedian", "prod", "sum"), "dim")
# Functions that torch has in Python, which know no other names for their arguments.
IN_PYTHON = {"cartesian_prod", "norm", "split", "unique", "unique_consecutive"}


def takes_out(name: str, given: set[str]) -> bool:
    """Whether a function can write its result into what is given as `out`, beside the other arguments."""
    return name not in WITHOUT_OUT and not name.endswith("_") and OUT_BESIDE.get(name, "out") in given


# NAMES: theirs=ours, where a signature of torch's has another name for an argument, as a method | and as a function
SPELLINGS = """
    bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor: | self=input
    bucketize float_power pow remainder xlogy: | self=input
    dsplit hsplit vsplit: sections=indices_or_sections indices=indices_or_sections | as the method
    isin: | element=elements test_element=test_elements
    random_: from=low to=high |
    result_type: | tensor=tensor1 scalar1=tensor1 other=tensor2 scalar2=tensor2
    searchsorted: | input=self
    split: split_size=split_size_or_sections | tensor=input
    swapaxes: axis0=dim0 axis1=dim1 | as the method
    swapaxes_: axis0=dim0 axis1=dim1 |
    tensor_split: sections=indices_or_sections indices=indices_or_sections
        tensor_indices_or_sections=indices_or_sections | as the method
    uniform_: from=a to=b |
    where: | input=self
"""


@functools.cache
def every_spelling() -> dict[tuple[str, bool], dict[str, str]]:
    """SPELLINGS, read: by name and whether it is the method."""
    found: dict[tuple[str, bool], dict[str, str]] = {}
    for line in SPELLINGS.strip().replace("\n        ", " ").splitlines():
        entries, _, forms = line.strip().partition(": ")
        method, _, function = forms.partition("|")
        for entry in entries.split():
            found[entry, True] = dict(pair.split("=") for pair in method.split())
            pairs = method if function.strip() == "as the method" else function
            found[entry, False] = dict(pair.split("=") for pair in pairs.split())
    return found


def spellings(name: str, method: bool) -> dict[str, str]:
    """The other names of an operation's arguments, and what we call these; {} for most."""
    return every_spelling().get((name, method), {})
