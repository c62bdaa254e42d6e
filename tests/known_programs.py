"""What random programs are known to differ in, and why that stays: regular expressions over a fault and its program.

A program ends where one of them is found (programs.py). They are about what is an accident in torch: the order of memory,
the processor, which of two refusals comes first. Whatever else differs is to be mended.
"""

from __future__ import annotations

# Where torch itself says now one thing, now another: the names of dtypes; and it reads past the sizes of a 0-d tensor.
NOW_THIS_NOW_THAT = (
    (r"torch\.(\w+)Tensor(?= ?[{\[])|CPU(\w+)Type(?= ?[{\[])", r"\1\2"),
    (r"index -?\d+ is out of bounds for dimension 0 with size 0", "select() cannot be applied to a 0-dim tensor."),
)

# Differences that are known, and why they stay; a program ends there.
KNOWN = (
    (
        r"requires_grad of torch.(u?int\d+|bool): torch True|(?s:^torch said .*Autograd not support.*__setitem__)",
        "fill_ lets whole numbers require grad in torch, but not what is written next",
    ),
    (r"torch.*(Runtime|NotImplemented)Error.*\n.*single memory location", "both refuse; torch looks at dtypes first"),
    (
        r"and its base or another view.*\n.*Error|Error.*\n.*and its base or another view",
        "both refuse a view that a write has left behind; what else they refuse is said first by the one or the other",
    ),
    (
        r"minigrad.*gradient that arrives at a leaf of shape",
        "a shape changed under no_grad: torch sums what does not fit",
    ),
    (
        r"torch.*setStorage.*\n.*(out of bounds|0-dim tensor)",
        "both refuse to index where there is nothing; torch says so only where the storage ends there, too",
    ),
    (
        r"retains_grad of .*: torch True, minigrad False",
        "detach_ leaves the mark in torch, and a write then fails an assertion",
    ),
    (
        r"torch .*\b(inf|nan)\b.*minigrad .*(3\.4028234663852886e\+38|\binf\b)(?s:.*)gelu\([^\n]*$",
        "torch's gelu doubles before it halves, unless of one element",
    ),
    (
        r"grad: torch .*\bnan\b.*minigrad .*\b(nan|inf)\b(?s:.*)(hardshrink|softshrink|hardtanh|relu6)\(",
        "at nan these have the gradient 0 in torch's vectors, and 1 in what is left over",
    ),
    (
        r"torch.*(Expected size|mat1 and mat2|size mismatch|addm\w_impl|\"bmm\"|expected scalar).*\n"
        r".*(Expected size|mat1 and mat2|size mismatch|addm\w_impl|\"bmm\"|expected m1 and m2)",
        "both refuse the product; which one it is hangs on the stride of a dimension of size 1, in a new array NumPy's choice",
    ),
    (
        r"(?s)^(torch said .*size of tensor a|x\d+: grad: ).*(save_on_cpu|saved_tensors_hooks).*\.(t|transpose|swap\w+)_\(",
        "torch gives a pack hook the result itself, whose dimensions t_ then exchanges",
    ),
    (
        r"(?s)torch said .*error=None\).*a second time.*_saved_[^\n]*$",
        "of a node that has run, torch still shows plain values, and None for what was never saved",
    ),
    (
        r"(?s)(invalid gradient at index|broadcast|: shape of |: grad: ).*"
        r"((no_grad\(\)|enabled\(False\)): x\d+\.(t|squeeze|unsqueeze|swap\w+|transpose)_\(|\.data = x\d+\.detach)",
        "a shape changed behind autograd's back: torch holds gradients against the one that the node remembers",
    ),
    (
        r"(?s)^x\d+: torch .*\b(x\d+)(?= = (x\d+)\.)?.*"
        r"\b(\1|\2)(\.\w+\([^\n]*\))?\.(addmm|addmv|baddbmm)_\([^\n]*\b(\1|\2)\b",
        "a product written into its own factor, or a view of it: torch's BLAS reads what it has written, as the processor likes",
    ),
    (
        r"(?s)^x\d+: grad: shape of .*\.(t|squeeze|unsqueeze|swap\w+|transpose)_\(",
        "torch still retains the gradient of the shape that a tensor had before x.t_()",
    ),
    (
        r"torch.*should be the same or input should be a MKLDNN tensor.*\n.*expected scalar type Half",
        "both refuse a convolution of two dtypes: in other words where torch's processor computes in half precision",
    ),
    (
        r"torch.*without overflow.*\n.*Autograd not support",
        "both refuse a value for whole numbers: torch first because it does not fit",
    ),
    (
        r"(?s)^x\d+: grad: .*dtype=T\.float(16|32).*softmax\(.*\.a?max\(",
        "which of the shares of a softmax is largest hangs on the last bit, which torch's kernels round by the processor",
    ),
    (
        r"torch said .*grad_fn=<CloneBackward0>.*\n.*grad_fn=<(?s:.*)_saved_self\)?$",
        "a result that is written over keeps what it was: torch records that copy, and shows it",
    ),
    (
        r"torch.*ZeroTensors are immutable",
        "torch's sgn hands a leaf zeros that have no memory, and then cannot add to them",
    ),
    (
        r"(?s)torch said .*error=None\).*(has been modified inplace|only change requires_grad flags).*requires_grad_\(False\)$",
        "a view whose base was written since: torch looks at its history only when somebody asks for its grad_fn",
    ),
    (
        r"(?s)requires_grad of .*: torch False.*requires_grad_\(\)\.detach_\(",
        "the same: nobody has asked for the view's grad_fn while its base required grad",
    ),
    (
        r"(?s)torch said .*error=None\).*single memory location.*nan_to_num_\([^\n]*$",
        "torch's nan_to_num_ of whole numbers has nothing to write",
    ),
    (
        r"torch.*(Autograd not support|error=None).*\n.*expected scalar type",
        "a product of floats and whole numbers: where there is nothing to multiply, torch notices late or not at all",
    ),
    (
        r"torch.*index -?\d+ is out of bounds.*\n.*index -?\d+ is out of bounds",
        "which of the indices out of range is named: the first in memory",
    ),
    (
        r"(?s)^torch said .*setStorage.*error=None\).*as_strided\([^\n]*$",
        "where a part without elements begins in the storage is NumPy's choice",
    ),
    (
        r"torch.*error=None.*\n.*some elements of the input tensor and the written-to tensor",
        "torch notices an overlap only of tensors without gaps in memory, which hangs on the order there",
    ),
    (
        r"(?s)^x\d+: grad: torch .*kl_div\((x\d+)\.log_softmax\(-1\), \1\.softmax",
        "the divergence of a distribution from itself is what rounding left, and so is its square root's slope",
    ),
    (
        r"(?s)torch.*some elements of the input tensor and the written-to tensor.*error=None\).*\.view\(\*x\d+\.shape\)",
        "the stride of a dimension of size 1 in a view of the same shape, by which torch tells whether two tensors are one",
    ),
    (
        r"torch.*size mismatch \(got input.*\n.*error=None",
        "one class number, in a vector, for scores without a batch: torch takes it, and its backward refuses it",
    ),
    (
        r"(?s)^torch said .*error=None\)\n[^\n]*single memory location.*(threshold_|eye_)\([^\n]*$",
        "torch's threshold_ and eye_ write an expanded tensor, once for each place that it has in it",
    ),
    (
        r"(?s)^x\d+: (torch .*\b(nan|inf)\b.*interpolate\([^\n]*$|grad: torch .*\bnan\b.*interpolate\()",
        "an infinite neighbour whose share is 0: torch's kernels leave out some of these products",
    ),
    (
        r"(?s)requires_grad of .*: torch True, minigrad False.*\.cumm(ax|in)\(",
        "torch's cummax of nothing gives its own input for the gradient, which then requires grad",
    ),
    (r"minigrad said .*NotImplementedError: minigrad", "what minigrad says that it does not have"),
    (
        r"(?s)^x\d+: torch \[([^\n,]*,){16}.*(argsort\([^\n]*|\.sort\([^\n]*\)\[1\])$",
        "which of equal numbers comes first, of more than sixteen that are sorted, is the processor's choice",
    ),
    (r"torch.*(INTERNAL ASSERT FAILED|SmallVector unable)", "an assertion inside torch, which asks for a report"),
    (
        r"(?s)torch said .*single memory location.*error=None\).*tri[lu]_\([^\n]*$",
        "tril_ writes into an expanded tensor, unless its dimensions are so many that torch writes into a copy first",
    ),
    (
        r"(?s)^x\d+: torch .*(\.copy_\(x\d+\[0\]\)|(x\d+)\.t\(\)\.add_\(\2\)"
        r"|(x\d+) = (x\d+)\.(T|mT|H|t\(\))\n(?:with [^\n]*: )?(\3\[[^\n]*\] = \4|\4\[[^\n]*\] = \3)[^\n]*)$",
        "a tensor written to from a part of itself, or turned round: torch reads what it has written",
    ),
    (
        r"(?s)^x\d+: torch .*(\b(nan|inf)\b.*(e\+38|nan_to_num)|e\+3\d).*(@|mm|mv|dot|linear|inner|cross|std|var)[^\n]*$",
        "sums near the largest float32: in which order they are added up, and what is rounded, is the processor's choice",
    ),
    (
        r"^torch said .*error=None\)\n[^\n]*multi_margin_loss_cpu_kernel",
        "torch's multi_margin_loss of no rows looks at no dtype, and gives what happens to lie in memory",
    ),
    (r"torch.*returned an invalid gradient", "torch holds gradients against the shape that a leaf had before x.t_()"),
    (r"torch.*_channels_last\\?\".*\n.*not implemented", "both refuse a dtype; torch by the kernel for a memory order"),
    (
        r"(?s)^torch said .*modified by an inplace operation.*\n[^\n]*modified by an inplace operation",
        "both refuse a saved value that was written to; of which node it is said to be an output differs where views were written",
    ),
    (
        r"(?s)^x\d+: (grad: )?torch .*\d{12}\.\d.*(norm|std|var|softmax)",
        "numbers beyond 10¹², where what is divided by is what rounding left",
    ),
    (
        r"(?s)^torch said .*error=None\).*\n[^\n]*modified by an inplace operation.*T\.func\.(vjp|linearize)\(",
        "torch.func does not notice that what its vjp has saved is written to afterwards, and reads what is there then",
    ),
    (
        r"(?s)requires_grad of .*: torch True, minigrad False.*no_grad\(\): x\d+ = .*T\.func\.",
        "a view of a leaf, made under no_grad, requires grad but passes none on: a function's graph has no edge to it",
    ),
    (
        r"(?s)^\w\d+: grad: torch .*GroupNorm\((\d+), \1[,)].*x0 = T\.randn\(\(\d+, \d+\),",
        "a group of one number is 0 but for rounding once its mean is taken off: that decides a kink, and a norm enlarges it",
    ),
)
