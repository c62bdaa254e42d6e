"""More known mistakes of lesson 03: brackets left out, choices made of whole arrays, dimensions counted wrong."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograder.mistakes import mistake
from autograder.mistakes.lesson03 import DIV_OTHER, LOG, POW, RELU, TANH
from autograder.mistakes.lesson03_shapes import MEAN, RIGHT, SUM, Dims
from minigrad import rules
from minigrad.ops.reduce import sum_vjp


@mistake(
    DIV_OTHER,
    zh="导数 -self / other² 没错，可是忘了乘上游传来的 grad。",
    en="The derivative, -self / other², is right, but the arriving grad is not multiplied in.",
)
def div_other_forgot_grad(grad: Any, self: Any, other: Any) -> Any:
    return -self / other**2


@mistake(
    DIV_OTHER,
    zh="/ other * other 是先除后乘，other 被抵消了。要除两次：/ other / other，或者 / other ** 2。",
    en="/ other * other divides and multiplies, and other cancels out. Divide twice: / other / other, or / other ** 2.",
)
def div_other_cancels(grad: Any, self: Any, other: Any) -> Any:
    return -grad * self / other * other


@mistake(
    POW,
    zh="指数为 0 时返回的是一个 Python 的 0，引擎要的是数组，形状和 grad 一样：rules.zeros(grad, grad.shape)。",
    en="With exponent 0 you return a Python 0, but the engine needs an array of grad's shape: rules.zeros(grad, grad.shape).",
)
def pow_returns_plain_zero(grad: Any, self: Any, exponent: float) -> Any:
    return 0 if exponent == 0 else grad * (exponent * self ** (exponent - 1))


@mistake(
    POW,
    zh="少了括号：** 先算，减 1 落在了外面。写成 self ** (exponent - 1)。",
    en="A pair of brackets is missing: ** comes first, and the 1 is subtracted from all of it. Write self ** (exponent - 1).",
)
def pow_without_brackets(grad: Any, self: Any, exponent: float) -> Any:
    return rules.zeros(grad, grad.shape) if exponent == 0 else grad * exponent * self**exponent - 1


@mistake(
    POW,
    zh="self 是一个数组，if self == 0 没有唯一的答案。要单独处理的是指数：if exponent == 0。",
    en="self is an array, and `if self == 0` has no single answer. What needs a case of its own is the exponent: if exponent == 0.",
)
def pow_asks_about_self(grad: Any, self: Any, exponent: float) -> Any:
    if self == 0:
        return grad * 0
    return grad * (exponent * self ** (exponent - 1))


@mistake(
    TANH,
    zh="少了括号：grad * 1 - result ** 2 里，grad 只乘了 1。把 1 - result ** 2 括起来。",
    en="A pair of brackets is missing: in grad * 1 - result ** 2, grad multiplies the 1 only. Put 1 - result ** 2 in brackets.",
)
def tanh_without_brackets(grad: Any, result: Any) -> Any:
    return grad * 1 - result**2


@mistake(
    RELU,
    zh="放 0 的地方反了：要放 0 的是 result <= 0 处，大于 0 的原样通过。",
    en="The 0 is in the wrong places: it belongs where result <= 0, and what is above 0 passes as it is.",
)
def relu_stops_the_others(grad: Any, result: Any) -> Any:
    return rules.masked_fill(grad, result > 0, 0)


@mistake(
    RELU,
    zh="返回的是 result，不是梯度。要在 grad 里放 0：rules.masked_fill(grad, …, 0)。",
    en="You return result, not a gradient. Put the 0 into grad: rules.masked_fill(grad, …, 0).",
)
def relu_gives_the_result(grad: Any, result: Any) -> Any:
    return rules.masked_fill(result, result <= 0, 0)


@mistake(
    RELU,
    zh="result 是一个数组，if result > 0 没有唯一的答案。要一格一格地选：rules.masked_fill。",
    en="result is an array, and `if result > 0` has no single answer. Choose entry by entry, with rules.masked_fill.",
)
def relu_asks_once(grad: Any, result: Any) -> Any:
    if result > 0:
        return grad
    return grad * 0


@mistake(
    SUM,
    zh="dim 是 None 时，for 没有东西可走。None 表示全都加起来了，没有维度要插回去，直接展开。",
    en="Where dim is None, `for` has nothing to go through. None means that all was summed: no dimension to put back, just stretch.",
)
def sum_goes_through_none(grad: Any, self_shape: Dims, dim: Any, keepdim: bool) -> Any:
    if not keepdim:
        for d in sorted(dim):
            grad = rules.unsqueeze(grad, d)
    return rules.expand(grad, self_shape)


@mistake(
    SUM,
    zh="条件反了：keepdim 为真时，那些维度还在，不用插；为假才要插回去。",
    en="The condition is the wrong way round: with keepdim the dimensions are still there; they must be put back where it is false.",
)
def sum_turns_keepdim_round(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    for d in sorted(dim or ()) if keepdim else ():
        grad = rules.unsqueeze(grad, d)
    return rules.expand(grad, self_shape)


@mistake(
    SUM,
    zh="维度插错了位置：先插编号小的，每个都插在 dim 写的那个位置 d，后面的才对得上。",
    en="The dimensions are put back in the wrong places: the smaller number first, each at the very place d that dim names, or the later ones do not fit.",
)
def sum_begins_at_the_end(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    for d in sorted(dim or (), reverse=True) if not keepdim else ():
        grad = rules.unsqueeze(grad, d)
    return rules.expand(grad, self_shape)


@mistake(
    MEAN,
    zh="dim 里是维度的编号，不是大小。要乘的是 self_shape[d]。",
    en="dim holds the numbers of dimensions, not their sizes. Multiply self_shape[d].",
)
def mean_multiplies_numbers(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    averaged = math.prod(self_shape if dim is None else dim)
    return _sum(grad, self_shape, dim, keepdim) / averaged


def _sum(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    """As it should be."""
    for d in sorted(dim or ()) if not keepdim else ():
        grad = rules.unsqueeze(grad, d)
    return rules.expand(grad, self_shape)


@mistake(
    LOG,
    zh="你乘的是 ln(self)，那是函数本身。ln 的导数是 1 / self：grad 除以 self。",
    en="You multiply by ln(self), the function itself. The derivative of ln is 1 / self: divide grad by self.",
)
def log_times_the_log(grad: Any, self: Any) -> Any:
    return grad * rules.log(self)


@mistake(
    TANH,
    zh="符号反了：tanh 的导数是 1 - tanh²，不是 1 + tanh²。曲线越接近 ±1 越平。",
    en="The sign is wrong: the derivative of tanh is 1 - tanh², not 1 + tanh². The curve gets flatter the closer it comes to ±1.",
)
def tanh_one_plus(grad: Any, result: Any) -> Any:
    return grad * (1 + result**2)


@mistake(
    POW,
    zh="^ 在 Python 里是按位异或，浮点数用不了。乘方写 **：self ** (exponent - 1)。",
    en="In Python ^ is the bitwise exclusive or, which floats do not have. A power is written **: self ** (exponent - 1).",
)
def pow_by_xor(grad: Any, self: Any, exponent: float) -> Any:
    return grad * exponent * self ^ (exponent - 1)


@mistake(
    RIGHT,
    zh="* 是逐个元素相乘，形状也对不上。矩阵乘法的反向还是矩阵乘法：@，self 要转置，放在 grad 左边。",
    en="* multiplies element by element, and the shapes do not fit. The backward of a matrix product is a matrix product again: @, with self transposed, on grad's left.",
)
def matmul_by_elements(grad: Any, self: Any) -> Any:
    return self * grad


@mistake(
    POW,
    zh="你把 nan 都换成了 0。可有的 nan 是真话：负数的 2.5 次方就没有斜率，torch 也给 nan。只有指数为 0 的那一种要补。",
    en="You turn every nan into 0. But some tell the truth: a negative number to the power 2.5 has no slope, and torch gives nan as well. Only the case of exponent 0 is to be mended.",
)
def pow_hides_every_nan(grad: Any, self: Any, exponent: float) -> Any:
    return np.nan_to_num(grad * exponent * self ** (exponent - 1), nan=0.0, posinf=np.inf, neginf=-np.inf)


@mistake(
    SUM,
    zh="return 写进了循环里：只插回第一个维度就走了。把它往左挪，等循环走完再拉长、返回。",
    en="The return is inside the loop, which ends once the first dimension has been put back. Move it to the left: stretch and return after the loop.",
)
def sum_returns_in_the_loop(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    if dim is not None and not keepdim:
        for d in sorted(dim):
            return rules.expand(rules.unsqueeze(grad, d), self_shape)
    return rules.expand(grad, self_shape)


@mistake(
    SUM,
    zh="range(len(dim)) 只是 0、1、2 这样数下去；要插回的位置写在 dim 里面：for d in sorted(dim)。",
    en="range(len(dim)) merely counts 0, 1, 2; the places to put back are what dim contains: for d in sorted(dim).",
)
def sum_counts_through_dim(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    if dim is not None and not keepdim:
        for d in range(len(dim)):
            grad = rules.unsqueeze(grad, d)
    return rules.expand(grad, self_shape)


@mistake(
    MEAN,
    zh="循环里只留下了最后一维的大小：count = … 每次都把前面的盖掉。要连乘：count *= self_shape[d]。",
    en="Only the size of the last dimension is left: count = … overwrites what was there before. Multiply them up: count *= self_shape[d].",
)
def mean_keeps_the_last_size(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    count = math.prod(self_shape)
    for d in dim or ():
        count = self_shape[d]
    return _sum(grad, self_shape, dim, keepdim) / count


@mistake(
    MEAN,
    zh="返回值对了，可 /= 改的是传进来的数组（rules.expand 给的是它的视图），和里的另一支拿到的就是除过的。用 / 来除，得到一个新的。",
    en="What is returned is right, but /= changes the array that came in (what rules.expand gives is a view of it), and the other branch of a sum is handed the divided one. Divide with /, which makes a new one.",
)
def mean_divides_grad_itself(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    grad /= math.prod(self_shape if dim is None else [self_shape[d] for d in dim])
    return _sum(grad, self_shape, dim, keepdim)


@mistake(
    POW,
    zh="** 比 - 先算：self ** exponent - 1 是先求幂再减 1。指数要用括号括起来：self ** (exponent - 1)。",
    en="** binds tighter than -, so self ** exponent - 1 takes the power first and then subtracts 1. Put the exponent in brackets: self ** (exponent - 1).",
)
def subtracts_from_the_power(grad: Any, self: Any, exponent: Any) -> Any:
    return grad * exponent * self**exponent - 1


@mistake(
    POW,
    zh="少了 exponent 这个因数：xⁿ 的导数是 n·xⁿ⁻¹。",
    en="The factor exponent is missing: the derivative of xⁿ is n·xⁿ⁻¹.",
)
def forgets_the_factor(grad: Any, self: Any, exponent: Any) -> Any:
    return grad * self ** (exponent - 1)


@mistake(
    SUM,
    zh="只有 dim 的第一维补了回来：dim[0]。dim 是元组，里面可能有好几维，每一维都要补。",
    en="Only the first of the dimensions is put back, dim[0]. dim is a tuple, perhaps of several: put back each of them.",
)
def puts_back_the_first_only(grad: Any, self_shape: Any, dim: Dims, keepdim: bool) -> Any:
    return np.broadcast_to(grad if dim is None or keepdim else np.expand_dims(grad, dim[0]), self_shape)


@mistake(
    POW,
    zh="指数还要减 1：xⁿ 的导数是 n·xⁿ⁻¹。",
    en="The exponent has to come down by 1: the derivative of xⁿ is n·xⁿ⁻¹.",
)
def pow_keeps_the_exponent(grad: Any, self: Any, exponent: float) -> Any:
    return rules.zeros(grad, grad.shape) if exponent == 0 else grad * exponent * self**exponent


@mistake(
    POW,
    zh="指数为 0 时，结果处处是 1，和 self 无关，梯度是 0，不是 grad：rules.zeros(grad, grad.shape)。",
    en="With exponent 0 the result is 1 everywhere, whatever self is, so the gradient is 0 and not grad: rules.zeros(grad, grad.shape).",
)
def pow_passes_grad_on_for_zero(grad: Any, self: Any, exponent: float) -> Any:
    return grad if exponent == 0 else grad * (exponent * self ** (exponent - 1))


@mistake(
    MEAN,
    zh="只看了 dim 里的第一维。几维一起平均时，每一维的大小都要乘进去：math.prod([self_shape[d] for d in dim])。",
    en="You look at the first of dim only. Where several dimensions are averaged, the sizes of all are multiplied: math.prod([self_shape[d] for d in dim]).",
)
def mean_takes_the_first_dim(grad: Any, self_shape: Any, dim: Dims, keepdim: bool) -> Any:
    averaged = math.prod(self_shape) if dim is None else self_shape[dim[0]]
    return sum_vjp(grad, self_shape, dim, keepdim) / averaged


@mistake(
    MEAN,
    zh="// 是整除，小数部分没有了。写 /。",
    en="// divides and drops the fraction. Write /.",
)
def mean_drops_the_fraction(grad: Any, self_shape: Any, dim: Dims, keepdim: bool) -> Any:
    averaged = math.prod(self_shape if dim is None else [self_shape[d] for d in dim])
    return sum_vjp(grad, self_shape, dim, keepdim) // averaged
