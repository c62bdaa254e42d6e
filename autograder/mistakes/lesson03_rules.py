"""Further mistakes of lesson 03: products and powers of other kinds, inputs written into, results thrown away."""

from __future__ import annotations

import math
from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson03 import DIV_OTHER, DIV_SELF, EXP, LOG, MUL_OTHER, MUL_SELF, POW, RELU
from autograder.mistakes.lesson03_more import spread
from autograder.mistakes.lesson03_shapes import LEFT, MEAN, RIGHT, SUM, Dims
from minigrad import rules

# ── One number at a time ─────────────────────────────────────────────────────────────────────────


@mistake(
    MUL_SELF,
    zh="@ 是矩阵乘法。这里 z = self * other 是逐元素的乘法，反向也逐元素乘：*。",
    en="@ is the matrix product. Here z = self * other multiplies entry by entry, and so does backward: *.",
)
@mistake(
    MUL_OTHER,
    zh="@ 是矩阵乘法。z = self * other 是逐元素的，反向也用 *。",
    en="@ is the matrix product. z = self * other works entry by entry, and backward uses * as well.",
)
def mul_as_matrices(grad: Any, factor: Any) -> Any:
    return grad @ factor


@mistake(
    MUL_OTHER,
    zh="除成了 self。z 是 self 乘 other，other 动一点，z 动的是它的 self 倍：乘。",
    en="This divides by self. z is self times other, so z moves self times as far as other does: multiply.",
)
def mul_divides(grad: Any, self: Any) -> Any:
    return grad / self


@mistake(
    DIV_SELF,
    zh="// 除完还取整，小数全没了。用 /。",
    en="// divides and rounds down, and all fractions are lost. Use /.",
)
def div_self_rounds_down(grad: Any, other: Any) -> Any:
    return grad // other


@mistake(
    DIV_SELF,
    zh="多了一个负号。负号属于分母的导数；分子变大，商就变大。",
    en="There is a minus too many. It belongs to the denominator's derivative; as the numerator grows, so does the quotient.",
)
def div_self_minus(grad: Any, other: Any) -> Any:
    return -grad / other


@mistake(
    DIV_OTHER,
    zh="平方的只有分母 other，分子 self 不平方：-self / other²，不是 -(self / other)²。",
    en="Only the denominator, other, is squared, not the numerator: -self / other², not -(self / other)².",
)
def div_other_squares_all(grad: Any, self: Any, other: Any) -> Any:
    return -grad * (self / other) ** 2


@mistake(
    DIV_OTHER,
    zh="公式没错，可是 *= 改写了 other，那是前向保存下来的输入本身：谁再用它，读到的就是平方。写 other * other，造一个新数组。",
    en="The formula is right, but *= overwrites other, which is the saved input itself: whoever uses it next reads the square. Write other * other, a new array.",
)
def div_other_writes_into_the_input(grad: Any, self: Any, other: Any) -> Any:
    other *= other
    return -grad * self / other


@mistake(
    POW,
    zh="底数取了绝对值，负数的符号就丢了：x² 在 x = -1 处的斜率是 -2，不是 2。直接用 self。",
    en="With the absolute value of the base, its sign is lost: the slope of x² at x = -1 is -2, not 2. Use self as it is.",
)
def pow_of_the_size(grad: Any, self: Any, exponent: float) -> Any:
    return rules.zeros(grad, grad.shape) if exponent == 0 else grad * exponent * abs(self) ** (exponent - 1)


@mistake(
    POW,
    zh="指数是 0 时，grad * 0 不总是 0：上游的梯度是无穷大时，乘 0 得 nan，而 torch 给 0。写 rules.zeros(grad, grad.shape)。",
    en="With exponent 0, grad * 0 isn't always 0: an infinite gradient times 0 is nan, but torch gives 0. Write rules.zeros(grad, grad.shape).",
)
def pow_multiplies_by_zero(grad: Any, self: Any, exponent: float) -> Any:
    return grad * 0 if exponent == 0 else grad * (exponent * self ** (exponent - 1))


@mistake(
    POW,
    zh="int() 把指数的小数部分丢了：exponent 可以是 2.5 或 0.5。直接用 exponent - 1。",
    en="int() drops the fraction of the exponent, which may be 2.5 or 0.5. Use exponent - 1 as it is.",
)
def pow_of_whole_exponents(grad: Any, self: Any, exponent: float) -> Any:
    return grad * 0 if exponent == 0 else grad * exponent * self ** int(exponent - 1)


@mistake(
    POW,
    zh="is 问的是不是同一个对象，0.0 不是 0 那一个，就漏过去了。比较大小用 ==：exponent == 0。",
    en="`is` asks whether it is the same object, and 0.0 is another one than 0, so it slips through. To compare numbers use ==: exponent == 0.",
)
def pow_asks_for_the_very_zero(grad: Any, self: Any, exponent: float) -> Any:
    zero = 0
    return grad * 0 if exponent is zero else grad * exponent * self ** (exponent - 1)


@mistake(
    EXP,
    zh="除成了 result。exp 的导数就是它自己：乘 result。",
    en="This divides by result. The derivative of exp is exp itself: multiply by result.",
)
def exp_divides(grad: Any, result: Any) -> Any:
    return grad / result


@mistake(
    LOG,
    zh="self 取了绝对值，符号就丢了：x 为负时，torch 给的斜率是 1 / x，也是负的。直接除以 self。",
    en="With the absolute value of self, its sign is lost: for negative x torch gives the slope 1 / x, which is negative too. Divide by self as it is.",
)
def log_of_the_size(grad: Any, self: Any) -> Any:
    return grad / abs(self)


@mistake(
    RELU,
    zh="masked_fill 的前两样放反了：先是要改的数组 grad，再是布尔数组：rules.masked_fill(grad, result <= 0, 0)。",
    en="The first two arguments of masked_fill are swapped: first the array to fill, grad, then the boolean one: rules.masked_fill(grad, result <= 0, 0).",
)
def relu_exchanges_array_and_mask(grad: Any, result: Any) -> Any:
    return rules.masked_fill(result <= 0, grad, 0)


# ── sum, mean, matmul ────────────────────────────────────────────────────────────────────────────


@mistake(
    SUM,
    zh="rules.expand 给的是新数组，你没有接住它，返回的还是没拉长的 grad。写 return rules.expand(grad, self_shape)。",
    en="rules.expand gives a new array, which you don't keep, and what you return is grad before it was stretched. Write return rules.expand(grad, self_shape).",
)
def sum_drops_what_it_stretched(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    for d in sorted(dim or ()) if not keepdim else ():
        grad = rules.unsqueeze(grad, d)
    rules.expand(grad, self_shape)
    return grad


@mistake(
    SUM,
    zh="拉长写进了循环里：一个维度也不用插回时，循环一次也不走，grad 就没有拉长；要插好几个时，又拉得太早。先全插回去，循环之后再拉长一次。",
    en="The stretching is inside the loop: where no dimension is to be put back, the loop doesn't run and nothing is stretched; where there are several, it comes too early. Put them all back, then stretch once, after the loop.",
)
def sum_stretches_in_the_loop(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    for d in sorted(dim or ()) if not keepdim else ():
        grad = rules.expand(rules.unsqueeze(grad, d), self_shape)
    return grad


@mistake(
    MEAN,
    zh="len(dim) 是平均掉了几个维度，不是几个数。要乘起来的是这些维度的大小：self_shape[d]。",
    en="len(dim) is how many dimensions were averaged, not how many numbers. Multiply the sizes of these dimensions, self_shape[d].",
)
def mean_divides_by_how_many_dims(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    return spread(grad, self_shape, dim, keepdim) / (math.prod(self_shape) if dim is None else len(dim))


@mistake(
    MEAN,
    zh="乘成了个数。平均里每一项只占几分之一，要除。",
    en="This multiplies by the count. Each entry is only a fraction of the mean: divide.",
)
def mean_multiplies(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    count = math.prod(self_shape if dim is None else [self_shape[d] for d in dim])
    return spread(grad, self_shape, dim, keepdim) * count


@mistake(
    LEFT,
    zh="数是对的，可整个转置了：mat2 乘 grad 的转置得到 (k, n)，要的是 (n, k)。",
    en="The numbers are right, but everything is transposed: mat2 times grad transposed is (k, n), and it should be (n, k).",
)
def left_gives_the_transpose(grad: Any, mat2: Any) -> Any:
    return mat2 @ grad.swapaxes(-1, -2)


@mistake(
    LEFT,
    zh="只返回了转置的 mat2，grad 没有乘进去。",
    en="You return mat2 transposed alone; grad is not multiplied in.",
)
def left_forgot_grad(grad: Any, mat2: Any) -> Any:
    return mat2.swapaxes(-1, -2)


@mistake(
    RIGHT,
    zh="只返回了转置的 self，grad 没有乘进去。",
    en="You return self transposed alone; grad is not multiplied in.",
)
def right_forgot_grad(grad: Any, self: Any) -> Any:
    return self.swapaxes(-1, -2)
