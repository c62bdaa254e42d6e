"""Known mistakes of lesson 03, continued: reductions and matrix products."""

from __future__ import annotations

import math
from typing import Any

from autograder.mistakes import mistake
from minigrad import rules

SUM, MEAN = "minigrad.ops.reduce.sum_vjp", "minigrad.ops.reduce.mean_vjp"
LEFT, RIGHT = "minigrad.ops.linalg.matmul_vjp_self", "minigrad.ops.linalg.matmul_vjp_mat2"

# ── sum and mean ─────────────────────────────────────────────────────────────────────────────────


def _spread(grad: Any, shape: tuple[int, ...], dim: tuple[int, ...] | None, keepdim: bool) -> Any:
    """The right way, for mistakes that are made elsewhere."""
    for d in sorted(dim or ()) if not keepdim else ():
        grad = rules.unsqueeze(grad, d)
    return rules.expand(grad, shape)


Dims = tuple[int, ...]


@mistake(
    SUM,
    zh="形状对了，值却全是 1：忘了乘上游传来的 grad。",
    en="The shape is right, but all entries are 1: the arriving grad is missing.",
)
def sum_forgot_grad(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    return _spread(grad * 0 + 1, self_shape, dim, keepdim)


@mistake(
    SUM,
    zh="展开的时候，被求和的那一维还没有补回来（rules.unsqueeze 给的是新数组，要写 grad = rules.unsqueeze(grad, d)）。形状碰巧能广播时（比如方阵），梯度会跑到别的行列上去。",
    en="When it is stretched, the summed dimension has not been put back (rules.unsqueeze gives a new array: write grad = rules.unsqueeze(grad, d)). Where the shapes happen to fit (a square matrix), gradients land in other rows.",
)
def sum_forgot_dim(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    return rules.expand(grad, self_shape)


@mistake(
    SUM,
    zh="补回的维放错了位置：总是补在最后，而不是 dim 指的那一维。",
    en="The dimension was put back in the wrong place: always last, not where dim says.",
)
def sum_dim_last(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    for _ in (dim or ()) if not keepdim else ():
        grad = rules.unsqueeze(grad, -1)
    return rules.expand(grad, self_shape)


@mistake(
    SUM,
    zh="除以了个数，那是 mean 的规则。求和时，每一项的变化都原样算进结果里。",
    en="This divides by the count, which is mean's rule. In a sum every entry counts in full.",
)
def sum_divides(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    count = math.prod(self_shape if dim is None else [self_shape[d] for d in dim])
    return _spread(grad, self_shape, dim, keepdim) / count


@mistake(
    SUM,
    zh="没有看 keepdim：它为 True 时，那一维还在（大小为 1），再补一维就多了。",
    en="keepdim is not looked at: when it is True the dimension is still there, of size 1, and another one is too many.",
)
def sum_ignores_keepdim(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    return _spread(grad, self_shape, dim, False)


@mistake(
    MEAN,
    zh="忘了除以个数，这是 sum 的规则。",
    en="Not divided by the count: this is sum's rule.",
)
def mean_forgot_count(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    return _spread(grad, self_shape, dim, keepdim)


@mistake(
    MEAN,
    zh="除以了全部元素的个数。沿 dim 求平均时，只除以被平均掉的那些维的大小。",
    en="Divided by the number of all entries. A mean along dim divides by the size of the averaged dimensions only.",
)
def mean_divides_by_all(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    return _spread(grad, self_shape, dim, keepdim) / math.prod(self_shape)


@mistake(
    MEAN,
    zh="除以了结果的个数。该数的是每个平均值由几项平均而来。",
    en="Divided by the number of results. What counts is how many entries went into each of them.",
)
def mean_divides_by_results(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    return _spread(grad, self_shape, dim, keepdim) / math.prod(grad.shape)


@mistake(
    MEAN,
    zh="值全是 1/个数：忘了乘上游传来的 grad。",
    en="All entries are 1/count: the arriving grad is missing.",
)
def mean_forgot_grad(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    return mean_correct(grad * 0 + 1, self_shape, dim, keepdim)


@mistake(
    MEAN,
    zh="只数了第一个被平均的维。dim 可以有好几维，要把它们的大小乘起来。",
    en="Only the first averaged dimension was counted. dim may name several: multiply their sizes.",
)
def mean_counts_one_dim(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    return _spread(grad, self_shape, dim, keepdim) / self_shape[dim[0] if dim else 0]


def mean_correct(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    """The right rule, for the mistake that is made before it."""
    return sum_divides(grad, self_shape, dim, keepdim)


# ── matmul: z = self @ mat2 ──────────────────────────────────────────────────────────────────────


@mistake(
    LEFT,
    zh="mat2 没有转置（swapaxes 给的是新数组，mat2 自己不变）。看形状：grad 是 (n, m)，要得到 (n, k)，中间得有一个 (m, k)。",
    en="mat2 is not transposed (swapaxes gives a new array and leaves mat2 as it is). Look at the shapes: from grad, (n, m), to (n, k) it takes an (m, k).",
)
def left_forgot_transpose(grad: Any, mat2: Any) -> Any:
    return grad @ mat2


@mistake(
    LEFT,
    zh="顺序反了：矩阵乘法不能交换，mat2ᵀ 要放在 grad 的右边。",
    en="The order is the wrong way round: matrix products do not commute, and mat2ᵀ belongs on grad's right.",
)
def left_wrong_order(grad: Any, mat2: Any) -> Any:
    return mat2.swapaxes(-1, -2) @ grad


@mistake(
    LEFT,
    zh="用了逐元素的乘法 *。这里要的是矩阵乘法 @。",
    en="This is the elementwise product *. Here the matrix product @ is wanted.",
)
def left_elementwise(grad: Any, mat2: Any) -> Any:
    return grad * mat2.swapaxes(-1, -2)


@mistake(
    LEFT,
    zh="两维时没错；有批量维时，.T 或 swapaxes(0, 1) 动到的不只是最后两维。用 swapaxes(-1, -2)。",
    en="Right for two dimensions; with a batch in front, .T or swapaxes(0, 1) moves others than the last two. Use swapaxes(-1, -2).",
)
def left_reverses_batch(grad: Any, mat2: Any) -> Any:
    return grad @ rules.permute(mat2, tuple(range(mat2.ndim))[::-1])


@mistake(
    RIGHT,
    zh="self 没有转置（swapaxes 给的是新数组，self 自己不变）。看形状：要得到 (k, m)，得用 (k, n) 乘 (n, m)。",
    en="self is not transposed (swapaxes gives a new array and leaves self as it is). Look at the shapes: to get (k, m) it takes (k, n) times (n, m).",
)
def right_forgot_transpose(grad: Any, self: Any) -> Any:
    return self @ grad


@mistake(
    RIGHT,
    zh="顺序反了：selfᵀ 要放在 grad 的左边。self 在左边乘，它的转置也在左边乘。",
    en="The order is the wrong way round: selfᵀ belongs on grad's left. self stood on the left, and so does its transpose.",
)
def right_wrong_order(grad: Any, self: Any) -> Any:
    return grad @ self.swapaxes(-1, -2)


@mistake(
    RIGHT,
    zh="转置错了对象：该转置的是 self，不是 grad。",
    en="The wrong one is transposed: it is self that needs transposing, not grad.",
)
def right_transposes_grad(grad: Any, self: Any) -> Any:
    return self @ grad.swapaxes(-1, -2)


@mistake(
    RIGHT,
    zh="两个维度时是对的；前面有批量维时，.T 或 swapaxes(0, 1) 把批量维也换走了。用 swapaxes(-1, -2)。",
    en="With two dimensions this is right; with a batch in front, .T or swapaxes(0, 1) carries the batch away as well. Use swapaxes(-1, -2).",
)
def right_reverses_batch(grad: Any, self: Any) -> Any:
    return rules.permute(self, tuple(range(self.ndim))[::-1]) @ grad
