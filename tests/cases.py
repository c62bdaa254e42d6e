"""The case table: for every operation, calls to hold against torch. One row here is all a new operation needs.

A line is NAME: the arguments of some calls, separated by `;`. Arguments are Python over the samples below, the engine
`T` and NumPy as `N`. What follows from a row (function, method, in place; gradients; dtypes; empty, 0-d and strided inputs;
broadcasting; wrong arguments) is derived in test_ops.py, so a row says only what is particular to its operation.
"""

from __future__ import annotations

from typing import NamedTuple

# Sizes by letter. Variants of every row come from other sizes.
SIZES = {"m": 2, "n": 3, "k": 4, "1": 1}


class Sample(NamedTuple):
    """A tensor that rows name: one letter of SIZES a dimension, and its values, repeated as needed.

    float samples take part in dtype variants and require grad; int and bool samples stay what they are.
    """

    dims: str
    values: tuple[float, ...]
    kind: str = "float"


PLAIN = (0.74, -1.36, 1.91, -0.28, 1.17, -0.83, 0.46, -1.72, 0.95, -0.59, 1.48, -1.05)
OTHER = (-0.65, 1.27, 0.39, 1.83, -1.44, 0.91, -0.22, 0.58, -1.13, 1.66, -0.97, 0.31)
POSITIVE = (0.74, 1.36, 1.91, 0.28, 1.17, 0.83, 0.46, 1.72, 0.95, 0.59, 1.48, 1.05)
KINKS = (0.0, 1.0, 1.0, -1.0, 0.5, 0.0, -0.5, 2.0, 2.0, 3.0, -3.0, 1.0)
KINKS_TOO = (0.0, 1.0, -1.0, -1.0, 0.5, 1.0, 0.5, 2.0, -2.0, 3.0, -3.0, 0.0)
nan, inf = float("nan"), float("inf")

SAMPLES = {
    "x": Sample("mn", PLAIN),
    "y": Sample("mn", OTHER),
    "z": Sample("mn", (*OTHER[3:], *PLAIN[2:5])),
    "pos": Sample("mn", POSITIVE),
    "pos2": Sample("mn", POSITIVE[::-1]),
    "unit": Sample("mn", tuple(v / 2 for v in PLAIN)),
    "prob": Sample("mn", tuple(v / 2 for v in POSITIVE)),
    "big": Sample("mn", tuple(v + 1 for v in POSITIVE)),
    "kink": Sample("mn", KINKS),
    "kink2": Sample("mn", KINKS_TOO),
    "odd": Sample("mn", (nan, inf, -inf, 0.0, -0.0, 1.0)),
    "wide": Sample("mn", (30.0, -30.0, 100.0, -100.0, 1e-3, -1e-3)),
    "v": Sample("n", PLAIN[4:]),
    "w": Sample("n", OTHER[2:]),
    "u": Sample("m", PLAIN[6:]),
    "long": Sample("k", KINKS),
    "row": Sample("1n", OTHER[1:]),
    "col": Sample("m1", OTHER[5:]),
    "flat": Sample("mn1", OTHER),
    "s": Sample("nn", PLAIN),
    "s2": Sample("nn", OTHER),
    "nm": Sample("nm", OTHER),
    "nk": Sample("nk", PLAIN[1:]),
    "km": Sample("km", OTHER[2:]),
    "cube": Sample("mnk", PLAIN[:11]),
    "cube2": Sample("mnk", OTHER[:7]),
    "mkn": Sample("mkn", OTHER[:7]),
    "mnn": Sample("mnn", OTHER[:10]),
    "tied": Sample("mnk", KINKS[:7]),
    "image": Sample("mnkk", PLAIN[:11]),
    "plane": Sample("nkk", KINKS),
    "dot": Sample("", (0.83,)),
    "dot2": Sample("", (-1.21,)),
    "ind": Sample("mn", (0, 1, 1, 0, 0, 1), "int"),
    "iv": Sample("n", (2, 0, 1), "int"),
    "iv2": Sample("n", (1, 1, 0), "int"),
    "im": Sample("m", (1, 2), "int"),
    "ik": Sample("k", (2, 1, 0, 1), "int"),
    "ints": Sample("mn", (5, -3, 0, 2, 7, -2), "int"),
    "ints2": Sample("mn", (2, 3, -4, 1, -2, 5), "int"),
    "count": Sample("n", (0, 2, 1), "int"),
    "i0": Sample("", (1,), "int"),
    "mask": Sample("mn", (True, False, True, True, False, False), "bool"),
    "mask2": Sample("mn", (True, True, False, True, False, True), "bool"),
    "mv": Sample("n", (True, False, True), "bool"),
    "none": Sample("mn", (False,), "bool"),
    "b0": Sample("", (True,), "bool"),
    "kernel": Sample("mnnn", OTHER[:11]),
    "kernel1": Sample("mnm", OTHER),
    "one": Sample("1", (0.7,)),
    "rising": Sample("n", (-0.5, 0.3, 1.2)),
}

# A function of one tensor, its values away from kinks, at kinks, and at what is no number.
UNARY = """
    abs neg positive reciprocal square exp exp2 expm1 sin cos tan sinh cosh tanh asinh atan sigmoid erf sinc
    deg2rad rad2deg sign sgn floor ceil trunc frac round relu isfinite isinf isnan isneginf isposinf isreal signbit
    logical_not
"""

OPS = """
    acos: unit; kink; odd
    acosh: big; kink; odd
    asin: unit; kink; odd
    atanh: unit; kink; odd
    erfc: x; kink; odd; ints; x * 4
    erfinv: unit; kink; odd; ints
    lgamma: pos; x - 0.35; kink; odd; ints
    digamma: pos; x - 0.35; odd; ints
    polygamma: 0, pos; 1, pos; 2, pos; 3, pos; 2, -pos * 1e20; 3, x * 4 - 9.3; 1, x - 0.35; -1, x; 1, ints
    logcumsumexp: x, 0; x, -1; kink, 1; odd, 0; cube, 1; ints, 0; x, 5
    log: pos; kink; odd
    log10: pos; kink; odd
    log1p: pos; kink; odd
    log2: pos; kink; odd
    logit: prob; prob, 0.3; kink; kink, 1e-6; prob, eps=0.2
    rsqrt: pos; kink; odd
    sqrt: pos; kink; odd
    nan_to_num: odd; odd, 2.0; odd, 1.0, 2.0, -3.0; odd, posinf=7.0; x
    round: x * 10, decimals=1; kink * 1.5; ints
    clamp: x.repeat(99, 3), y.repeat(99, 3), z.repeat(99, 3); x.repeat(99, 3), max=y.repeat(99, 3);
        x, -1.0, 1.0; x, min=0.5; x, max=0.5; x, y, z; x, y; x, max=y; kink, 0, 1; kink, -1.0, kink2; odd, -1, 1;
        x, 1.0, -1.0; x, None, 0.3; ints, 0, 3; x;
        x, T.tensor(0), 1; ints, N.int64(2)
    clamp_max: x, 0.5; x, y; kink, 1; odd, 0.5
    clamp_min: x, 0.5; x, y; kink, 1; odd, 0.5
    adaptive_avg_pool1d: cube, 2; cube, -1; x, 2
    adaptive_max_pool1d: cube, 2; cube, 4; cube, -1; tied, 2
    avg_pool1d: cube, 2; cube, 3, 1, 1; x, 4
    batch_norm: x[:], None, None, None, None, True, 0.1, 1e-5, True; cube, v, w, None, None, True, 0.5, 1e-3, False;
        cube, v, w, x[0].detach(), pos[0].detach(), False, 0.1, 1e-5, True; cube, u, None, None, None, True, 0.1, 1e-5, True
    bilinear: x, cube[:, 0], cube2; x, y, mnn, u; v, w, mnn; x, v, mnn
    conv1d: cube, mnn; cube, mnn, u, 2, 1; cube, x
    conv2d: image, kernel; image, kernel, u, padding=1; image, x
    conv3d: image[:1].mT[..., None], kernel[..., None]; cube, x
    conv_transpose1d: cube, kernel1; cube, s[:, :2, None], u, 2, 1, 1; cube, x
    conv_transpose2d: plane, plane[:, :2, :2, None]; image, x
    dropout: x, 0.0, True; x, 0.5, False; x, 1.0, True; x, 1.5, True
    dropout_: x * 1, 0.0, True; x * 1, 1.0, True; x, 1.0, True
    embedding: s, iv; nk, ind; s, iv, 1; s, iv, -1, True; s, x; x, i0; s, iv + 2
    group_norm: cube, 3; cube, 1, v, w; image, 3, w, None, 0.1, False; x, 2
    instance_norm: cube, v, w, None, None, True, 0.1, 1e-5, True; image, None, None, None, None, True, 0.1, 1e-5, False;
        cube, None, None, None, None, False, 0.1, 1e-5, True
    layer_norm: x, (3,); x, (3,), v, w, 0.1; x, (4,); cube, [4], None, None, 1e-5, False
    max_pool1d: cube, 2; cube, 3, 1, 1; tied, 2, ceil_mode=True; x, 4
    max_pool2d: image, 2; image, (2, 1), 1; plane, 3, padding=1; image, 5
    pairwise_distance: x, y; x, y, 1.0, 1e-3, True; v, w
    hardshrink: x; kink, 1.0; kink, lambd=0.0; ints
    prelu: x, v; cube, w; image, dot; x, v[:1]; x, u
    rms_norm: x, (3,); cube, (3, 4), nk; x, (3,), v, 0.1; x, (4,)
    pixel_shuffle: long.repeat(6).reshape(1, 12, 2, 1), 2; x, 2
    pixel_unshuffle: long.repeat(6).reshape(1, 3, 2, 4), 2; x, 2
    celu: x; kink, 0.5; x, 0.3; x, 0.0
    celu_: x * 1; kink * 1, 0.5
    selu: x; kink
    selu_: x * 1; kink * 1
    threshold: x, 0.5, 9.0; ints, 1, 2
    threshold_: x * 1, 0.5, 9.0; x, 0, 0
    softmax: x, 0; x, 1; x, -1; odd, 1; wide, 1; cube, 1; x, dim=0, dtype=T.float64; x, 2; cube, -3;
        x, dim='a'; x, 0, None, 1
    log_softmax: x, 0; x, 1; x, -1; odd, 1; wide, 1; cube, 1; x, dim=0, dtype=T.float64; x, 2
    bitwise_not: ints; mask; i0; x

    add: x, y; x, 2; x, 1.5; x, y, alpha=2; x, row; col, row; x, dot; dot, x; x, True; ints, ints2; ints, 1.5;
        ints, x; mask, mask2; mask, 1; x, y, alpha=-0.5; odd, odd; x, v; v, u; ints, 2, alpha=1.5;
        1.5, x; True, x; 2, x, alpha=3; 2, ints;
        ints, N.int64(3); x, N.float32(2)
    sub: x, y; x, 2; x, 1.5; x, y, alpha=2; x, row; col, row; dot, x; ints, ints2; ints, 1.5; mask, mask2; mask, 1;
        ints, mask; odd, odd; v, u; 1.5, x; 2, x, alpha=3; 1, mask; 2, ints;
        x, True; N.float64(2), x
    rsub: x, y; x, 2; x, 1.5, alpha=2; ints, 3; mask, 1;
        x, True; ints, N.float32(2)
    mul: x, y; x, 2; x, 1.5; x, row; col, row; dot, x; ints, ints2; ints, 1.5; mask, mask2; mask, 2; odd, kink; v, u;
        1.5, x; 2, ints
    div: x, y; x, 2; x, 1.5; x, row; col, row; dot, x; ints, ints2; ints, 2; mask, mask2; odd, kink; kink, kink2;
        x, y, rounding_mode='floor'; x, y, rounding_mode='trunc'; ints, ints2, rounding_mode='floor';
        ints, ints2, rounding_mode='trunc'; ints, 0, rounding_mode='floor'; x, 0; x, y, rounding_mode='up';
        1.5, x; 2, ints; 2, x, rounding_mode='floor';
        ints.to(T.uint8), 300; ints.to(T.uint8), -1; N.float64(2), x; ints, N.int64(3)
    true_divide: x, y; x, 2; col, row; ints, ints2; mask, 2
    floor_divide: x, y; x, 2; x, -0.7; ints, ints2; ints, 2; ints, -3; kink, kink2; odd, kink; ints, 0;
        ints, N.float32(2); ints.to(T.uint8), 300
    remainder: x, y; x, 2; x, -0.7; ints, ints2; ints, 3; ints, -3; kink, kink2; odd, kink; 5, ints2; 2.5, x; ints, 0;
        ints, N.float32(2); ints.to(T.uint8), 300; N.int64(5), ints2
    fmod: x, y; x, 2; x, -0.7; ints, ints2; ints, 3; ints, -3; kink, kink2; odd, kink; ints, 0;
        ints, N.float32(2); ints.to(T.uint8), -1
    pow: pos, y; x, 2; x, 3; x, 0.5; x, -1; x, 0; x, 2.0; 2, x; 2.0, x; pos, row; kink, 2; kink, kink2; ints, 2;
        ints, -1; 2, ints; 0, x; ints, ints.abs(); kink, 0.5; kink, -2; kink, 1; pos, dot; odd, 2;
        ints, N.int64(3); mask, True; ints.to(T.uint8), 300; N.float64(2), x; x, N.float64(3)
    float_power: pos, y; x, 2; ints, 2; 2, x; 2.0, ints; kink, 3
    atan2: x, y; kink, kink2; x, row; odd, odd;
        mask, x
    copysign: x, y; x, -1.0; kink, kink2; ints, -1; x, row; odd, kink
    hypot: x, y; kink, kink2; x, row; odd, kink
    maximum: x, y; kink, kink2; odd, kink; x, row; ints, ints2; mask, mask2
    minimum: x, y; kink, kink2; odd, kink; x, row; ints, ints2; mask, mask2
    fmax: x, y; kink, kink2; odd, kink; x, row; ints, ints2
    fmin: x, y; kink, kink2; odd, kink; x, row; ints, ints2
    logaddexp: x, y; kink, kink2; odd, kink; x, row; wide, x;
        mask, x
    logaddexp2: x, y; kink, kink2; odd, kink; x, row; wide, x
    xlogy: x, pos; kink, kink2; x, 2.0; 2.0, pos; kink, 0.0; odd, kink; x, row.abs()
    lerp: x, y, 0.3; x, y, z; x, y, 0.7; x, row, dot; x, y, 1
    addcmul: x, y, z; x, y, z, value=0.5; x, row, col; ints, ints2, ints2
    addcdiv: x, y, pos; x, y, pos, value=0.5; x, row, col; ints, ints2, ints2; x, y, kink
    allclose: x, y; x, x; odd, odd; odd, odd, equal_nan=True; x, x + 1e-6; x, y, 0.0, 9.0; x, y, rtol=5.0
    isclose: x, y; x, x; odd, odd; odd, odd, equal_nan=True; x, x + 1e-6; x, y, 0.0, 1.0; ints, ints; x, row;
        x, u
    equal: x, y; x, x; odd, odd; x, row; ints, ints
    eq: kink, kink2; kink, 1; odd, odd; x, row; ints, 2.5; mask, True; mask, mask2; v, u
    ne: kink, kink2; kink, 1; odd, odd; x, row; ints, 2.5; mask, True; mask, mask2
    lt: kink, kink2; kink, 1; odd, odd; x, row; ints, 2.5; mask, mask2;
        ints.to(T.uint8), -1; mask, 2
    le: kink, kink2; kink, 1; odd, odd; x, row; ints, 2.5; mask, mask2
    gt: kink, kink2; kink, 1; odd, odd; x, row; ints, 2.5; mask, mask2
    ge: kink, kink2; kink, 1; odd, odd; x, row; ints, 2.5; mask, mask2;
        ints.to(T.uint8), 300; mask, 2
    bitwise_and: ints, ints2; ints, 3; mask, mask2; mask, True; ints, mask; 3, ints; x, y;
        ints.to(T.uint8), 300; x, u
    bitwise_or: ints, ints2; ints, 3; mask, mask2; mask, True; ints, mask; 3, ints; x, y
    bitwise_xor: ints, ints2; ints, 3; mask, mask2; mask, True; ints, mask; 3, ints; x, y
    bitwise_left_shift: ints, ind; ints, 2; 3, ind; ints, 70
    bitwise_right_shift: ints, ind; ints, 2; 300, ind; ints, 70
    logical_and: kink, kink2; mask, mask2; ints, mask; x, row
    logical_or: kink, kink2; mask, mask2; ints, mask; x, row
    logical_xor: kink, kink2; mask, mask2; ints, mask; x, row

    sum: x; x, 0; x, 1, True; x, (0, 1); x, -1; x, (); x, dtype=T.float64; ints; mask; ints, 0, dtype=T.float32;
        x, 1, True, dtype=T.float32; cube, (0, 2); cube, (0, 2), True; x, 2; x, (0, 0); x, None; x, [1];
        x, []; x, N.int64(1); x, T.tensor(1); x, True; x, (0, 'a'); x, axis=1, dim=0; x, dtype=T.int64;
        ints, dtype=T.uint8
    mean: x; x, 0; x, 1, True; x, (0, 1); x, -1; x, (); x, dtype=T.float64; ints; ints, dtype=T.float32;
        cube, (0, 2), True; x, 2; x, (0, 0);
        x, []; ints, dtype=int; x, axis=1
    prod: x; x, 0; x, 1, True; kink; kink, 0; kink, 1; odd; ints; mask; x, dtype=T.float64; tied, 2; x, 2;
        ints, dtype=T.uint8; mask, dtype=T.bool; x, dtype=T.int64
    nansum: odd; odd, 0; odd, 1, True; x; ints; cube, (0, 1); odd, dtype=T.float64
    nanmean: odd; odd, 0; odd, 1, True; x; cube, (0, 1); ints
    cdist: x, y; x, y, 1.0; x, s, 3.0; cube, cube2; x, y, p=float('inf'); x, x; x, y, 0.0; x, y, 1.5; x.repeat(9, 1), s;
        cube, cube2[:1]; x.repeat(20, 1), y.repeat(20, 1), compute_mode='donot_use_mm_for_euclid_dist'; x, row;
        x, y, compute_mode='use_mm_for_euclid_dist'; x, nm; v, x; ints, x; x, y, -1.0; x, y, 2.0, 'zz'
    cosine_similarity: x, y; x, y, 0; cube, cube2, dim=-1; x, v
    logsumexp: x, 0; x, 1, True; x, (0, 1); kink, 1; odd, 0; wide, 1; ints, 0; x, 5
    norm: x; x, 1; x, 2, 0; x, 2, 1, True; x, 'fro'; x, 3; x, float('inf'); x, -float('inf'), 0; kink, 2, 0; kink, 1;
        x, 0; x, 0.5; cube, 2, (0, 1); x, 'fro', (0, 1); x, dim=1; kink, float('inf'); x, 'nuc', 3; kink - kink;
        x, dtype=T.int64
    var: x; x, 0; x, 1, True; x, (0, 1); x, 0, False; x, False; x, correction=2; x, dim=1, correction=0, keepdim=True;
        ints; x, None; cube, (0, 2); x, unbiased=False; dot;
        x, 1, correction=3; x, 1, correction=4
    std: x; x, 0; x, 1, True; x, (0, 1); x, 0, False; x, False; x, correction=2; x, dim=1, correction=0, keepdim=True;
        ints; kink - kink; cube, (0, 2); dot
    var_mean: x; x, 0; x, 1, True; x, (0, 1); x, correction=0; x, False
    std_mean: x; x, 0; x, 1, True; x, (0, 1); x, correction=0; x, False
    all: kink; mask; mask, 0; mask, 1, True; kink, (0, 1); ints; none; x, 5;
        kink, ()
    any: kink; mask; mask, 0; mask, 1, True; kink, (0, 1); ints; none; x, 5;
        kink, ()
    count_nonzero: kink; kink, 0; mask; kink, (0, 1); ints; kink, dim=1;
        kink, []; kink, (0, 0)
    amax: x; x, 0; kink, 1; kink, (0, 1); kink, 1, True; odd, 0; ints; mask; x, 2;
        x, []; x, N.int64(0); x, True; x, ('a', 0)
    amin: x; x, 0; kink, 1; kink, (0, 1); kink, 1, True; odd, 0; ints; mask; x, 2
    aminmax: x; kink; kink, dim=0; kink, dim=1, keepdim=True; odd; ints; tied
    max: x; x, 0; x, 1, True; kink; kink, 0; kink, 1; odd; odd, 0; ints; mask; x, y; kink, kink2; tied, 1; x, dim=1;
        x, 2; x, row
    min: x; x, 0; x, 1, True; kink; kink, 0; kink, 1; odd; odd, 0; ints; mask; x, y; kink, kink2; tied, 1; x, dim=1;
        x, 2; x, row
    argmax: x; x, 0; x, 1, True; kink; kink, 1; odd; ints; x, None; tied, 1; x, dim=-1; x, 2
    argmin: x; x, 0; x, 1, True; kink; kink, 1; odd; ints; x, None; tied, 1; x, dim=-1; x, 2
    median: x; x, 0; x, 1, True; odd; odd, 1; kink, 1; ints; long; tied, 2; cube, 1; x, 2
    nanmedian: x; x, 0; x, 1, True; odd; odd, 1; kink, 1; long; tied, 2
    quantile: x[:2], 0.3; x, 0.3, 0; x, 0.5, 1, True; x, prob[0] / 2, 1; x, prob[0] / 2, 0, True; x, prob[0, 0]; odd, 0.5, 0;
        odd[:2], 0.5; kink, 0.25, 1, interpolation='lower'; kink, 0.25, 1, interpolation='higher';
        x[:2], 0.4, interpolation='midpoint';
        x[:2], prob[0] / 2, interpolation='nearest'; x, 0.4, interpolation='mean'; cube, 0.3, 1; cube, 1.0, -1; dot, 0.5, 0, True;
        x, 1.5; x, pos; x, pos[0]; x, 0.5, 2; x, None; x, 0.5, True; x, 1; ints, 0.5; x[:0], 0.5
    nanquantile: x[:2], 0.3; odd[:2], 0.5; odd, 0.4, 0; odd, 0.4, 1, True; odd, prob[0] / 2, 1; odd[:, :1], 0.5, 1; cube, 0.3, 1;
        odd, 0.7, 1, interpolation='nearest'; x, 1.5; ints, 0.5
    mode: x; x, 0; kink, 1; kink, 0, True; ints; tied; tied, 1; odd; long
    kthvalue: x, 1; x, 2; x, 2, 0; x, 3, 1, True; kink, 2; kink, 2, 0; tied, 3; tied, 2, 1; odd, 2; odd, 3; long, 2;
        x, 7; ints, 1
    topk: x, 2; x, 1, 0; x, 2, 1, False; x, 3, 1, True, True; kink, 2; tied, 3; tied, 2, 1, False; odd, 2;
        odd, 3, 1, False; x, 9; ints, 2; x, 0; long, 3; x, 2, sorted=False
    sort: x; x, 0; x, 1, True; kink, stable=True; kink, 1, True; odd; ints; tied, 1; long;
        x, stable=True, descending=True; mask; x, 2
    argsort: x; x, 0; x, 1, True; kink, stable=True; odd; ints; tied, 1; x, dim=0, stable=True
    msort: x; kink; odd; ints; cube
    unique: kink; ints; kink, return_inverse=True; kink, True, True, True; ints, return_counts=True; kink, dim=0;
        kink, dim=1, return_inverse=True, return_counts=True; mask
    unique_consecutive: kink; ints; kink, return_inverse=True; kink, True, True; kink, dim=0; long
    bincount: iv2; iv2, minlength=6; iv2, v; count, w, 5; ints; v
    cumsum: x, 0; x, 1; ints, 1; mask, 0; x, 0, dtype=T.float64; cube, 1; odd, 1; x, 2
    cumprod: x, 0; x, 1; kink, 1; ints, 1; x, 0, dtype=T.float64; tied, 2; odd, 1; x, 2
    cummax: x, 0; x, 1; kink, 1; odd, 1; ints, 0; tied, 2
    cummin: x, 0; x, 1; kink, 1; odd, 1; ints, 0; tied, 2
    diff: x; x, 1, 0; x, 2; ints; mask; x, prepend=y; x, append=y, dim=0; x, 5; x, -1
    dist: x, y; x, y, 1; x, y, float('inf'); x, x; x, y, 0; x, row, 3; kink, kink2, 2

    matmul: x, s; x, v; v, s; v, w; cube, mkn; mnn, s; s, nk; x, cube; cube, cube2; s, mnn; dot, x; x, y; v, mnn;
        mnn, v; ints, ints2.t(); image, image; ints, x
    mm: x, s; nk, km; x, y; v, s; ints.t(), ints2
    mv: x, v; s, w; x, u; x, y
    bmm: cube, mkn; mnn, mnn; x, y; cube, cube2
    dot: v, w; u, u; v, u; x, y; iv, iv2
    vdot: v, w; u, u; v, u; iv, iv2
    inner: v, w; x, y; x, v; dot, x; cube, nk[:2]; x, u
    outer: v, u; v, v; x, v; iv, iv2
    kron: x, s; v, w; x, v; dot, x; ints, ints2
    cross: s, s2; s, s2, 0; x, y; x, y, 1; v, w; s, s2, dim=1; x, nm; cube, cube2
    addmm: x, x, s; v, x, s; x, x, s, beta=0.5, alpha=2; s, nm, x; x, x, y; dot, x, s; ints, ind, ints.t() @ ints2;
        odd, x, s, beta=0
    addmv: u, x, v; u, x, v, beta=0.5, alpha=2; u, x, u; dot, x, v
    addr: x, u, v; x, u, v, beta=0.5, alpha=2; v, u, v; x, v, u
    baddbmm: mnn, cube, cube2.mT; s, cube, cube2.mT; mnn, mnn, mnn, beta=0.5, alpha=2; x, x, y
    inverse: s; mnn; x; v; ints; s.t(); s * 0
    det: s; mnn; x; v; ints; s.t()
    slogdet: s; mnn; x; v; ints
    logdet: s; -s; mnn; mnn - 2; x; ints
    matrix_power: s, 2; s, 1; s, 0; s, 3; s, 5; mnn, 6; s, -1; s2, -3; mnn, -2; iv.diag(), 3; iv.diag(), 0; iv.diag(), -1; x, 2;
        v, 2; s, 2.5; s, T.tensor(2)
    cholesky: s @ s.mT + T.eye(3).to(s); s @ s.mT + T.eye(3).to(s), True; -s @ s.mT; x; dot; ints; s[:0, :0];
        mnn @ mnn.mT + T.eye(3).to(mnn)
    cholesky_solve: nk, s; nk, s, True; mnn, s; s, mnn[:, :3, :3]; s, s[:3, :3], upper=True; v, s; s, v;
        x, s; s, x.t(); ints.t(), s; s[:0], s[:0, :0]
    qr: x.t(); x, False; s; mnn + 3 * T.eye(3).to(mnn); v; ints; s[:0]
    svd: x.t(); x.t(), False; s[..., :2]; s, True, False; mnn[..., :2]; mnn, compute_uv=False; x[:, 0]; ints; s[:0]
    pinverse: x; x.t(); s; s, 0.5; mnn + 3 * T.eye(3).to(mnn), rcond=0.3; v; ints; s[:0]
    einsum: 'ij,jk->ik', x, s; 'ij->ji', x; 'ij->', x; 'ij,ij->i', x, y; 'ii->i', s; 'ii', s;
        'bij,bjk->bik', cube, mkn; 'i,j', v, u; '...i,i->...', cube2, long; 'ij,jk,kl->il', x, s, s2; 'ij,kj', x, y;
        'ab,bc', (x, s); 'ij,jk', x, y; '...', x; '...->...', x; 'i->ij', v; 'ij,jk->iz', x, s;
        'ii...->i...', mnn.permute(1, 2, 0)
    tensordot: x, s, 1; x, y; x, y, ([1], [1]); cube, mkn, ([1, 2], [2, 1]); x, y, 0; x, nm, ([0, 1], [1, 0]);
        x, s, ([0], [0])
    trace: s; x; ints; v
    adjoint: x; cube; v; dot

    reshape: x, (3, 2); x, 6; x, -1; x, (-1, 2); x, 3, 2; cube, (6, -1); x.t(), (2, 3); x.t(), -1; x, (4, 2);
        x, (-1, -1); x, ();
        x, N.int64(6); x, shape=(3, 2); x, (2, 'a'); x, 2, 'a'
    view: x, (3, 2); x, 6; x, -1; x, 3, 2; x.t(), 6; x, (4, 2); x, T.int32; x, (2, 1, 3); x.t(), (3, 2, 1);
        x, T.float64; x, T.float32; ints, T.float64; x, T.bool; x.t(), T.int64;
        x, N.int64(6); x, size=(3, 2)
    flatten: x; cube; cube, 1; cube, 0, 1; dot; image, 1, 2; cube, 2, 1; cube.mT
    ravel: x; cube; x.t(); dot;
        v
    squeeze: col; row; col, 1; row, 1; flat; flat, (0, 2); x; flat, -1; dot; flat, 3;
        col, N.int64(1); col, True; cube, (2, 2, 3)
    unsqueeze: x, 0; x, 1; x, -1; x, 2; dot, 0; x, 4
    transpose: x, 0, 1; cube, 1, 2; cube, -1, 0; dot, 0, 0; x, 0, 2; cube, 0, 0
    t: x; v; dot; cube
    permute: cube, 2, 0, 1; cube, (1, 2, 0); x, (1, 0); x, -1, 0; cube, (0, 0, 1); x, (0,); dot, ()
    movedim: cube, 0, 2; cube, (0, 1), (2, 0); x, 0, -1; cube, 0, 3; cube, (0, 1), 1
    broadcast_to: v, (2, 3); col, (2, 4); dot, (2,); x, (2, 2, 3); v, (2, 4); v, (-1,);
        dot, 2, 3
    tile: x, (2,); x, (2, 1); x, 2, 2; v, (2, 2); dot, (3,); x, (1, 1, 2); x, (0, 1)
    flip: x, 0; x, (0, 1); x, (-1,); cube, (0, 2); x, ()
    fliplr: x; cube; v
    flipud: x; cube; v; dot
    roll: x, 1; x, 1, 0; x, (1, 2), (0, 1); x, -1, 1; x, 7; v, 1, 0; x, (1, 2), 0; x, (1, 2);
        x, N.int64(1)
    rot90: x; x, 2; x, -1; x, 1, (1, 0); cube, 3, (0, 2); v; x, 1, (0, 0)
    repeat_interleave: x, 2; x, 2, 0; x, 2, 1; v, count; x, count, 1; x, 0, 1; count; x, im, 0; x, iv, 0;
        x; dot, 2; dot, 2, 0; x, None; x, -1; x, v; x, ind; ind;
        x, N.int64(2)
    chunk: x, 2; x, 2, 1; x, 5, 1; x, 0; cube, 3, 2; dot, 2;
        x, N.int64(2)
    split: x, 1; x, 2, 1; x, [1, 2], 1; cube, 3, 2; x, [1, 1], 1; x, 0; x, -1; dot, 1;
        x, T.tensor(1)
    split_with_sizes: x, [1, 1]; x, [1, 2], 1; x, [3, 3], 1; x, [-1, 4], 1
    unsafe_chunk: x, 2; x, 2, 1; x, 0; cube, 3, 2; dot, 2
    unsafe_split: x, 1; x, 2, 1; cube, 3, 2; x, 0; x, -1; dot, 1
    unsafe_split_with_sizes: x, [1, 1]; x, [1, 2], 1; x, [3, 3], 1; x, [-1, 4], 1
    tensor_split: x, 2; x, 2, 1; x, (1,), 1; x, [1, 2], 1; v, 4; x, 0; dot, 1; x, (2, 1), 1;
        x, N.int64(2)
    hsplit: x, 3; x, (1,); v, 3; x, 2; dot, 1
    vsplit: x, 2; x, (1,); v, 2; x, 3
    dsplit: cube, 2; cube, (1, 3); x, 1; cube, 3
    unbind: x; x, 1; cube, -1; v; dot; x, 2
    diag: v; x; s; v, 1; s, -1; s, 1; v, -2; cube; s, 5; dot
    diagonal: s; x; s, 1; s, -1; cube, 0, 1, 2; cube, 1, 0, 2; s, 5; v; s, 0, 1, 1; s, offset=-1, dim1=1, dim2=0
    diag_embed: v; x; v, 1; x, -1; x, 0, 0, 2; x, 0, 1, 1
    as_strided: x, (2, 2), (1, 2); x, (3,), (1,), 1; x, (2, 2), (0, 1); dot, (), (); v, (2, 2), (1, 1); x, (9,), (1,);
        x, (2,), (1, 1); x, (2,), (-1,); x, (2,), (1,), -1; x, [1], [1]; x, 2, 1; cube, (2, 2), (1, 2), 3
    diagflat: v; x; v, 1; dot; x, -2
    narrow: x, 1, 0, 2; x, 0, 1, 1; x, 1, 1, 2; x, 1, -2, 1; x, 1, 2, 2; x, 1, 0, -1; x, 1, i0, 1; dot, 0, 0, 1;
        x, 1, 5, 0
    select: x, 0, 1; x, 1, -1; cube, 1, 2; x, 0, 2; dot, 0, 0; v, 0, 0
    tril: s; x; s, 1; s, -1; cube; ints; v;
        x, 1, 2
    triu: s; x; s, 1; s, -1; cube; ints; v
    unflatten: x, 1, (3, 1); x, 0, (1, 2); x, 1, (-1, 1); x, 1, (2, 2); v, 0, (1, 3); x, 1, ()
    unfold: x, 1, 2, 1; cube, 2, 2, 2; x, 0, 2, 1; v, 0, 2, 1; x, 1, 4, 1; x, 1, 2, 0; dot, 0, 1, 1; x, 1, 0, 1
    expand: v, (2, 3); v, 2, 3; col, (2, 4); col, -1, 4; x, (2, 2, 3); dot, (2,); x, 3; x, (3, 3); x, (-1, -1, 3);
        dot, size=(2, 3)
    expand_as: v, x; col, x; dot, x; x, x; x, v
    repeat: x, 2, 1; x, (2, 2); v, 2; v, 2, 2; x, 2; dot, 2; x, 0, 1
    reshape_as: x, nm; x, y; x, v
    view_as: x, nm; x, y; x, v; x.t(), x
    contiguous: x; x.t(); cube.mT
    detach: x; ints; x.t()
    clone: x; x.t(); dot; ints;
        x, memory_format=None
    atleast_1d: x; dot; (x, dot); dot, x
    atleast_2d: x; dot; v; (v, dot)
    atleast_3d: x; dot; v; cube; (v, dot)
    broadcast_shapes: (2, 1), (3,); (2, 3), (1,), (); (2,), (3,); 2, (3, 1)
    broadcast_tensors: x, row; x, v, dot; v, u; x
    cat: (x, y); (x, y), 1; [x, x]; (x, row); (cube, cube2), -1; (x, ints); (x, col), 1; (v, u); (x, v); ();
        (v, v[:0]); (x, y), 2; (dot, dot)
    stack: (x, y); (x, y), 1; (x, y), -1; (dot, dot2); (x, v); (x, ints); (); (x, y), 3; (v,)
    hstack: (x, y); (v, u); (dot, dot2); (x, col); (x, row)
    vstack: (x, y); (v, w); (x, v); (dot, dot2); (x, u)
    dstack: (x, y); (v, w); (cube, cube2); (x, v)
    column_stack: (x, y); (v, w); (x, u); (dot, dot2); (x, v)
    cartesian_prod: v, u; (v); v, w, u; x, v; v, iv;
    meshgrid: v, u; v, u, indexing='xy'; (v, u, w); dot, v; v, u, indexing='zz'; x, v

    gather: x, 0, ind; x, 1, ind; x, -1, ind[:1]; v, 0, iv; cube[:, :, 0], 1, ind; x, 0, iv; x, 1, ints; v, 0, i0;
        x, 1, ind.float();
        x, 0; x, dim='a'
    scatter: x, 0, ind, y; x, 1, ind, y; x, 1, ind, 2.0; x, 0, ind[:1], value=3; v, 0, iv, w; x, 1, ints, y;
        x, 1, ind, y, reduce='add'; x, 1, ind, y, reduce='multiply'; x, 1, ind, 2.0, reduce='add'
    scatter_add: x, 0, ind, y; x, 1, ind, y; v, 0, iv2, w; x, 1, ind[:1], y; x, 1, ints, y; x, 2, ind, y; x, 0, iv, v
    scatter_reduce: x, 1, ind, y, 'sum'; x, 1, ind, y, 'prod'; x, 1, ind, y, 'mean'; x, 1, ind, y, 'amax';
        x, 1, ind, y, 'amin'; kink, 1, ind, kink2, 'amax'; kink, 0, ind, kink2, 'prod';
        kink, 1, ind, kink2, 'amin', include_self=False; x, 0, ind, y, 'sum', include_self=False;
        x, 0, ind, y, 'mean', include_self=False; x, 1, ind, y, 'prod', include_self=False; x, 1, ind, y, 'max'
    index_add: x, 0, im - 1, y; x, 1, iv, y; x, 1, iv2, y, alpha=2; v, 0, iv2, w; x, 1, im, y; x, 0, iv, y;
        ints, 1, iv, ints2;
        cube, 1, iv + 5, cube
    index_copy: x, 0, im - 1, y; x, 1, iv, y; v, 0, iv, w; x, 1, im, y
    index_fill: x, 0, im - 1, 2.0; x, 1, iv2, dot; v, 0, iv2, 1; x, 1, iv2, v; ints, 1, iv, 3; x, 2, iv, 1
    index_put: x, (im - 1,), row; x, (ind, ind), y; x, (ind, ind), y, True; x, (mask,), dot; x, (im - 1, im), u;
        v, (iv2,), w, accumulate=True; x, (iv,), v
    index_select: x, 0, im - 1; x, 1, iv2; x, 1, iv2 + 2; x, 0, iv2 + 2; v, 0, iv; x, 1, i0; cube, 2, iv;
        x, 0, ints[0]; x, 0, ind; x, 3, iv;
        x
    masked_fill: x, mask, 2.0; x, mask, dot; x, mv, 0; x, x > 0, float('-inf'); ints, mask, 7; x, ind, 1.0;
        x, mask, v; v, mask, 1.0
    masked_scatter: x, mask, y; x, mv, y; x, mask, v[:1]; ints, mask, ints2; x, none, y
    masked_select: x, mask; x, mv; x, none; v, mask; x, b0; x, ind
    nonzero: kink; mask; ints; none; dot; kink, as_tuple=True
    argwhere: kink; mask; none; dot; v
    take: x, ind; x, iv; cube, ind; x, ints; x, i0
    take_along_dim: x, ind, 1; x, -1 - ind, 1; x, ind + 5, 0; x, -1 - ind; x, ind, 0; x, ind; v, iv, 0; x, iv, 0; x, ind[:1], 0
    where: mask, x, y; mask, x, 1.0; mask, 1.0, y; mv, x, y; mask, x, row; mask, x, ints; mask; x > 0, 1, 2;
        ind, x, y; b0, x, y; mask, 1.0, 2; mask, dot, dot2;
        mask, x
    isin: ints, ints2; ints, 2; 2, ints; kink, kink2; ints, ints2, invert=True; x, y, assume_unique=True
    bucketize: x, rising; x, rising, right=True; 0.4, rising; x, rising, out_int32=True; ints, iv.sort()[0]; x, s
    searchsorted: rising, x; rising, x, right=True; rising, 0.4; rising, x, side='right'; rising, x, out_int32=True;
        x.sort(1)[0], y; rising.flip(0), x, sorter=iv.argsort().flip(0); x, v

    type: x; ints; x, T.float64; mask, T.float32; x, 'torch.DoubleTensor'
    to: x, T.float32; x, T.int64; ints, T.float64; x, y; x, 'cpu'; x, dtype=T.float16; x; x, x.dtype, copy=True; x, 3;
        x, T.float32, 1; x, (3, 2); x, 'cpu', T.float32; x, None; x, float; x, y, True; x, T.float32, True, True
    type_as: x, ints; ints, x; x, y
    double: x; ints
    float: x; ints
    half: x; ints
    long: x; mask
    int: x; ints
    bool: kink; ints; odd
    short: x; ints
    byte: pos; mask
    char: x; ints
    cpu: x; ints
    numel: x; dot; cube; ints[:0]
    dim: x; dot; cube
    size: x; x, 0; x, -1; x, 2; dot; dot, 0
    stride: x; x.t(); x, 1; cube[:, 1]; x, 2
    storage_offset: x; x[1]; x[:, 1:]
    element_size: x; ints; mask
    get_device: x
    is_complex: x; ints
    is_inference: x; ints
    is_floating_point: x; ints; mask
    is_nonzero: dot; i0; b0; x; ints[:0]
    is_signed: x; ints; mask
    is_same_size: x, y; x, v
    is_contiguous: x; x.t(); v; x[:, 1]
    is_tensor: x; 3; [1]
    result_type: x, ints; x, 1; ints, 1.5; 1, 2.5; mask, 1; dot, ints; True, i0
    new_full: x, (2, 2), 1.5; ints, (3,), 2; x, (2,), True; x, 2, 1
    new_ones: x, 2; x, (2, 3); ints, (2,); x, 2, dtype=T.int64; x, -1
    new: x, 0; x, 2, 0; ints, [1, 2]; x, x; x, 2.5; x; x, 'a'
    new_zeros: x, 2; x, 2, 3; ints, (2,); x, (2,), requires_grad=True; x, 'a'
    new_tensor: x, [1.0, 2.0]; ints, [1, 2]; x, 3
    fill_diagonal_: x * 1, 2; s * 1, 1.5; cube[:, :2, :2] * 1, 1.0; s.repeat(3, 1), 1.0, True;
        s.repeat(3, 1), 1, wrap=True; ints, 2.5; mask, 1; x, 1.0; v * 1, 1.0; cube * 1, 1.0; s.t() * 1, 3.0
    fill_: x * 1, 2; x * 1, dot; ints, 1.5; mask, 1; x * 1, v
    zero_: x * 1; ints; mask
    copy_: x * 1, y; x * 1, row; x * 1, ints; ints, x.detach(); x * 1, dot; x * 1, u; x, y; x * 1, 3
    apply_: x.detach(), lambda e: e * 2; ints, lambda e: e + 1; x, lambda e: e
    squeeze_: col * 1; flat * 1, 2; x * 1, 0; x
    unsqueeze_: x * 1, 0; x * 1, -1; ints, 1
    t_: x * 1; ints; v * 1
    transpose_: x * 1, 0, 1; ints, 0, 1; cube * 1, 0, 2; x * 1, 0, -1; x * 1, 0, 2
    arange: 5; 1, 5; 1, 5, 2; 0.5, 3; 5.0; 3, 1, -1; 1, 3, dtype=T.float64; 5, 1; 1, 2, 0; 0
    linspace: 0, 1, 5; 1, 0, 3; 0, 1, 1; 0, 10, 0; 0, 10, 4, dtype=T.int64; 0, 1, -1
    logspace: 0, 2, 3; 0, 2, 3, 2.0; 0, 1, 1; 0, 1, -1
    eye: 3; 2, 3; 3, 2; 0; 2, dtype=T.int64; -1
    full: (2, 3), 1.5; (2,), 1; (2,), True; (), 2.0; (2,), 1, dtype=T.float64; (-1,), 1;
        (2,), 300, dtype=T.uint8
    ones: 2; 2, 3; (2, 3); (); 2, dtype=T.int64; -1; 'a'
    zeros: 2; 2, 3; (2, 3); (); 2, dtype=T.bool; -1; 1.5
    empty: 0; (0, 3); (2, 0), dtype=T.int64
    full_like: x, 2; ints, 1.5; x, 1, dtype=T.int64; x.t(), 3
    ones_like: x; ints; x, dtype=T.int64; x, requires_grad=True
    zeros_like: x; ints; mask; x, dtype=T.int64
    empty_like: ints[:0]; x[:0]
    new_empty: x, 0; x, (0, 2)
    scalar_tensor: 2; 1.5; True; 2, dtype=T.float64
    as_tensor: [1, 2]; 1.5; [[1.0], [2.0]]; x; x, T.int64; True
    tensor: [1, 2]; 1.5; [[1.0], [2.0]]; []; [[1], [2, 3]]; True; 'a'; [1, 2.5]; [True, 2]; [1], dtype=T.float32;
        [N.float32(1), 2]; [N.float64(1), 2]; [2, N.float32(1.5)]; [N.int32(1), 2.5]
    tril_indices: 3, 3; 2, 3; 3, 2, 1; 3, 3, -1; 0, 2; -1, 2
    triu_indices: 3, 3; 2, 3; 3, 2, 1; 3, 3, -1; 0, 2; -1, 2
"""
