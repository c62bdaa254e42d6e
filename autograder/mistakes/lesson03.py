"""Known mistakes of lesson 03: what goes wrong in an elementwise vector-Jacobian product (more: lesson03_shapes)."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from minigrad import rules

POINTWISE = "minigrad.ops.pointwise."
MUL_SELF, MUL_OTHER = POINTWISE + "mul_vjp_self", POINTWISE + "mul_vjp_other"
DIV_SELF, DIV_OTHER = POINTWISE + "div_vjp_self", POINTWISE + "div_vjp_other"
POW, EXP, LOG = POINTWISE + "pow_vjp", POINTWISE + "exp_vjp", POINTWISE + "log_vjp"
TANH, RELU = POINTWISE + "tanh_vjp", POINTWISE + "relu_vjp"

# ── mul: z = self * other ────────────────────────────────────────────────────────────────────────


@mistake(
    MUL_SELF,
    zh="导数 other 没错，可是忘了乘上游传来的 grad。只有当上游恰好全是 1 时，两者才一样。",
    en="The derivative, other, is right, but the arriving grad is not multiplied in. They agree only where grad is all ones.",
)
@mistake(
    MUL_OTHER,
    zh="导数 self 没错，可是忘了乘上游传来的 grad。只有当上游恰好全是 1 时，两者才一样。",
    en="The derivative, self, is right, but the arriving grad is not multiplied in. They agree only where grad is all ones.",
)
def mul_forgot_grad(grad: Any, factor: Any) -> Any:
    return factor


@mistake(
    MUL_SELF,
    zh="原样传回 grad，是加法的规则。乘法里，self 动一点，z 动的是它的 other 倍。",
    en="Handing grad back as it came is addition's rule. In a product, z moves other times as far as self does.",
)
@mistake(
    MUL_OTHER,
    zh="原样传回 grad，是加法的规则。乘法里，other 动一点，z 动的是它的 self 倍。",
    en="Handing grad back as it came is addition's rule. In a product, z moves self times as far as other does.",
)
def mul_passes_grad_on(grad: Any, factor: Any) -> Any:
    return grad


@mistake(
    MUL_SELF,
    zh="grad 和 other 被加在了一起。链式法则是相乘，不是相加。",
    en="grad and other are added. The chain rule multiplies.",
)
@mistake(
    MUL_OTHER,
    zh="grad 和 self 被加在了一起。链式法则是相乘，不是相加。",
    en="grad and self are added. The chain rule multiplies.",
)
def mul_adds(grad: Any, factor: Any) -> Any:
    return grad + factor


@mistake(
    MUL_SELF,
    zh="返回值是对的，但 *= 原地改写了 grad；加法的另一个分支拿着的是同一个数组。请另算一个新数组。",
    en="What is returned is right, but *= overwrites grad, and the other branch of a sum holds that very array. Compute a new one.",
)
@mistake(
    MUL_OTHER,
    zh="返回值是对的，但 *= 原地改写了 grad；和式另一边等着用的，正是这个数组。请另算一个新数组。",
    en="What is returned is right, but *= overwrites grad, the very array that the other side of a sum is waiting for. Compute a new one.",
)
def mul_overwrites_grad(grad: Any, factor: Any) -> Any:
    grad *= factor
    return grad


# ── div: z = self / other ────────────────────────────────────────────────────────────────────────


@mistake(
    DIV_SELF,
    zh="导数 1/other 没错，可是忘了乘上游传来的 grad。",
    en="The derivative, 1/other, is right, but the arriving grad is not multiplied in.",
)
def div_self_forgot_grad(grad: Any, other: Any) -> Any:
    return 1 / other


@mistake(
    DIV_SELF,
    zh="乘成了 other。self / other 就是 self 乘以 1/other，该留下的是 1/other。",
    en="This multiplies by other. self / other is self times 1/other, and 1/other is what stays.",
)
def div_self_multiplies(grad: Any, other: Any) -> Any:
    return grad * other


@mistake(
    DIV_SELF,
    zh="负号和平方属于分母的导数；分子这边只有 1/other。",
    en="The minus and the square belong to the denominator's derivative; for the numerator there is only 1/other.",
)
def div_self_as_denominator(grad: Any, other: Any) -> Any:
    return -grad / (other * other)


@mistake(
    DIV_SELF,
    zh="返回值是对的，但 /= 原地改写了 grad；它不归你一个人用。请另算一个新数组。",
    en="What is returned is right, but /= overwrites grad, which is not yours alone. Compute a new array.",
)
def div_self_overwrites_grad(grad: Any, other: Any) -> Any:
    grad /= other
    return grad


@mistake(
    DIV_OTHER,
    zh="大小对了，符号反了：分母变大，商的绝对值变小，导数里有一个负号。",
    en="The size is right, the sign is flipped: a larger denominator makes the quotient smaller, so there is a minus.",
)
def div_other_forgot_minus(grad: Any, self: Any, other: Any) -> Any:
    return grad * self / (other * other)


@mistake(
    DIV_OTHER,
    zh="分母少了平方：1/other 的导数是 -1/other²。",
    en="The square is missing in the denominator: the derivative of 1/other is -1/other².",
)
def div_other_forgot_square(grad: Any, self: Any, other: Any) -> Any:
    return -grad * self / other


@mistake(
    DIV_OTHER,
    zh="分子 self 丢了：z = self · (1/other)，self 是常数倍，要留着。",
    en="The numerator got lost: z = self · (1/other), and the constant factor self stays.",
)
def div_other_forgot_numerator(grad: Any, self: Any, other: Any) -> Any:
    return -grad / (other * other)


@mistake(
    DIV_OTHER,
    zh="self 和 other 写反了：被平方、放在分母里的应该是 other。",
    en="self and other have changed places: other is the one squared, in the denominator.",
)
def div_other_swapped(grad: Any, self: Any, other: Any) -> Any:
    return -grad * other / (self * self)


# ── pow: z = self ** exponent ────────────────────────────────────────────────────────────────────


@mistake(
    POW,
    zh="指数没有乘到前面来：xⁿ 的导数是 n·xⁿ⁻¹。",
    en="The exponent did not come down in front: the derivative of xⁿ is n·xⁿ⁻¹.",
)
def pow_forgot_factor(grad: Any, self: Any, exponent: float) -> Any:
    return grad * self ** (exponent - 1) if exponent else rules.zeros(grad, grad.shape)


@mistake(
    POW,
    zh="指数没有减 1：xⁿ 的导数是 n·xⁿ⁻¹。",
    en="The exponent was not lowered by one: the derivative of xⁿ is n·xⁿ⁻¹.",
)
def pow_kept_exponent(grad: Any, self: Any, exponent: float) -> Any:
    return grad * (exponent * self**exponent)


@mistake(
    POW,
    zh="导数没错，可是忘了乘上游传来的 grad。",
    en="The derivative is right, but the arriving grad is not multiplied in.",
)
def pow_forgot_grad(grad: Any, self: Any, exponent: float) -> Any:
    return exponent * self ** (exponent - 1) if exponent else rules.zeros(grad, grad.shape)


@mistake(
    POW,
    zh="公式没错，只差一种情形：指数为 0 时，x = 0 处算出 0 · 0⁻¹ = nan。常数 1 的导数处处是 0，要单独写。",
    en="The formula is right but for one case: with exponent 0, at x = 0, it computes 0 · 0⁻¹ = nan. The constant 1 has slope 0 everywhere.",
)
def pow_zero_exponent(grad: Any, self: Any, exponent: float) -> Any:
    return grad * (exponent * self ** (exponent - 1))


@mistake(
    POW,
    zh="用 xⁿ / x 代替 xⁿ⁻¹，x = 0 时成了 0/0 = nan。把指数减 1，直接求幂。",
    en="xⁿ / x in place of xⁿ⁻¹ is 0/0 = nan where x is 0. Lower the exponent and raise to that.",
)
def pow_divides(grad: Any, self: Any, exponent: float) -> Any:
    return grad * (exponent * self**exponent / self) if exponent else rules.zeros(grad, grad.shape)


@mistake(
    POW,
    zh="这是 aˣ 对 x 的导数（变量在指数上）。这里变量是底数，指数是常数。",
    en="This differentiates aˣ, with the variable in the exponent. Here the variable is the base and the exponent a constant.",
)
def pow_as_exponential(grad: Any, self: Any, exponent: float) -> Any:
    return grad * self**exponent * rules.log(self)


# ── exp and log ──────────────────────────────────────────────────────────────────────────────────


@mistake(
    EXP,
    zh="result 正是导数，可是忘了乘上游传来的 grad。",
    en="result is indeed the derivative, but the arriving grad is not multiplied in.",
)
def exp_forgot_grad(grad: Any, result: Any) -> Any:
    return result


@mistake(
    EXP,
    zh="又求了一次 exp。参数 result 已经是 exp(self) 了，不是 self。",
    en="exp is taken twice. The parameter result already is exp(self), not self.",
)
def exp_of_result(grad: Any, result: Any) -> Any:
    return grad * rules.exp(result)


@mistake(
    EXP,
    zh="用了 self（也就是 log(result)）。exp 的导数是它的结果，不是它的输入。",
    en="This uses self, which is log(result). The derivative of exp is its result, not its input.",
)
def exp_uses_input(grad: Any, result: Any) -> Any:
    return grad * rules.log(result)


@mistake(
    EXP,
    zh="返回值是对的，但 *= 原地改写了 grad，别的分支也要用它。请另算一个新数组。",
    en="What is returned is right, but *= overwrites grad, which other branches need too. Compute a new array.",
)
def exp_overwrites_grad(grad: Any, result: Any) -> Any:
    grad *= result
    return grad


@mistake(
    LOG,
    zh="导数 1/self 没错，可是忘了乘上游传来的 grad。",
    en="The derivative, 1/self, is right, but the arriving grad is not multiplied in.",
)
def log_forgot_grad(grad: Any, self: Any) -> Any:
    return 1 / self


@mistake(
    LOG,
    zh="颠倒了：ln x 的导数是 1/x，要除以 self，不是乘。",
    en="Upside down: the derivative of ln x is 1/x, so divide by self.",
)
def log_multiplies(grad: Any, self: Any) -> Any:
    return grad * self


@mistake(
    LOG,
    zh="除以了 log(self)。要除以的是输入本身，不是结果。",
    en="This divides by log(self). What to divide by is the input, not the result.",
)
def log_divides_by_result(grad: Any, self: Any) -> Any:
    return grad / rules.log(self)


@mistake(
    LOG,
    zh="分母里加了一个很小的数来防止除以零。torch 不这样做：x = 0 处的梯度就是 inf，很小的 x 也因此算错。",
    en="A tiny number in the denominator guards against zero. torch has none: at x = 0 the gradient is inf, and small x come out wrong.",
)
def log_with_epsilon(grad: Any, self: Any) -> Any:
    return grad / (self + 1e-8)


# ── tanh and relu ────────────────────────────────────────────────────────────────────────────────


@mistake(
    TANH,
    zh="导数 1 - result² 没错，可是忘了乘上游传来的 grad。",
    en="The derivative, 1 - result², is right, but the arriving grad is not multiplied in.",
)
def tanh_forgot_grad(grad: Any, result: Any) -> Any:
    return 1 - result * result


@mistake(
    TANH,
    zh="少了平方：tanh 的导数是 1 - tanh²。",
    en="The square is missing: the derivative of tanh is 1 - tanh².",
)
def tanh_forgot_square(grad: Any, result: Any) -> Any:
    return grad * (1 - result)


@mistake(
    TANH,
    zh="又求了一次 tanh。参数 result 已经是 tanh(self) 了，直接平方。写成 1/cosh² 也一样：那里要的是 self，手里却是 result。",
    en="tanh is taken twice. The parameter result already is tanh(self): just square it. The same with 1/cosh²: that would need self, and what you have is result.",
)
def tanh_of_result(grad: Any, result: Any) -> Any:
    return grad * (1 - rules.tanh(result) ** 2)


@mistake(
    TANH,
    zh="r(1 - r) 是 sigmoid 的导数。tanh 的是 1 - r²。",
    en="r(1 - r) is sigmoid's derivative. tanh's is 1 - r².",
)
def tanh_as_sigmoid(grad: Any, result: Any) -> Any:
    return grad * result * (1 - result)


@mistake(
    TANH,
    zh="返回值是对的，但 *= 原地改写了 grad，别的分支还在等它。请另算一个新数组。",
    en="What is returned is right, but *= overwrites grad while another branch is waiting for it. Compute a new array.",
)
def tanh_overwrites_grad(grad: Any, result: Any) -> Any:
    grad *= 1 - result * result
    return grad


@mistake(
    RELU,
    zh="什么也没有挡住。relu 的结果从来不是负数，要放 0 的地方是 result <= 0，等于 0 也算；masked_fill 给的是新数组，返回的要是它。",
    en="Nothing is stopped. A relu's result is never negative; the 0 belongs where result <= 0, 0 included. And masked_fill makes a new array, which is the one to return.",
)
def relu_lets_all_pass(grad: Any, result: Any) -> Any:
    return grad * (result >= 0)


@mistake(
    RELU,
    zh="上游的梯度是无穷大时，乘 0 得 nan，而 torch 给 0：它不是乘，是选。用 rules.masked_fill(grad, result <= 0, 0)。",
    en="An infinite gradient times 0 is nan, but torch gives 0: it doesn't multiply, it chooses. Use rules.masked_fill(grad, result <= 0, 0).",
)
def relu_multiplies(grad: Any, result: Any) -> Any:
    return grad * (result > 0)


@mistake(
    RELU,
    zh="只返回了 0 和 1 的开关，忘了乘上游传来的 grad。",
    en="This returns the switch of zeros and ones; the arriving grad is not multiplied in.",
)
def relu_forgot_grad(grad: Any, result: Any) -> Any:
    return result > 0


@mistake(
    RELU,
    zh="乘成了 relu 的值。为正的一段，斜率是 1，不是 result。",
    en="This multiplies by relu's value. Where it is positive its slope is 1, not result.",
)
def relu_times_value(grad: Any, result: Any) -> Any:
    return grad * result


@mistake(
    RELU,
    zh="看错了对象：开关由 relu 的结果决定，不由 grad 的正负决定。负的梯度也要通过。",
    en="That asks the wrong array: the switch is relu's result, not the sign of grad. Negative gradients pass too.",
)
def relu_masks_by_grad(grad: Any, result: Any) -> Any:
    return grad * (grad > 0)


@mistake(
    RELU,
    zh="在不可导处取了 1/2；而 result 为 0 的还有所有负的输入，它们也都漏过了一半。torch 取 0。",
    en="One half at the kink; but result is 0 for every negative input as well, and half of each leaks through. torch takes 0.",
)
def relu_half_at_zero(grad: Any, result: Any) -> Any:
    return grad * ((result > 0) + 0.5 * (result == 0))


@mistake(
    RELU,
    zh="返回值是对的，但你在 grad 本身上清了零，别的分支收到的也被清掉了。先算出一个新数组。",
    en="What is returned is right, but the zeros were written into grad itself, and other branches received them too. Make a new array.",
)
def relu_overwrites_grad(grad: Any, result: Any) -> Any:
    grad[result == 0] = 0
    return grad
