"""Hints of lesson 03."""

from __future__ import annotations

from autograder.hints import Stages

POINTWISE, REDUCE, LINALG = "minigrad.ops.pointwise.", "minigrad.ops.reduce.", "minigrad.ops.linalg."

HINTS: dict[str, Stages] = {
    POINTWISE + "mul_vjp_self": (
        (
            "z = self * other。self 增加 1，z 增加多少？",
            "z = self * other. If self grows by 1, how much does z grow?",
        ),
        (
            "∂z/∂self 就是 other。上游的 grad 告诉你 z 动一点时损失动多少：链式法则把两者乘起来。",
            "∂z/∂self is other. The arriving grad says how far the loss moves with z: the chain rule multiplies the two.",
        ),
        (
            "返回 grad 与 other 逐元素的乘积，是一个新数组。用不着管形状，广播由引擎还原。",
            "Return the elementwise product of grad and other, a new array. Never mind the shapes: the engine undoes broadcasting.",
        ),
    ),
    POINTWISE + "mul_vjp_other": (
        (
            "乘法的两边是对称的。刚才留下的是 other，这次该留下谁？",
            "The two sides of a product are alike. Last time other stayed; which stays now?",
        ),
        (
            "∂z/∂other 就是 self。",
            "∂z/∂other is self.",
        ),
        (
            "返回 grad 与 self 逐元素的乘积。",
            "Return the elementwise product of grad and self.",
        ),
    ),
    POINTWISE + "div_vjp_self": (
        (
            "除以 other，也就是乘以什么？",
            "To divide by other is to multiply by what?",
        ),
        (
            "z = self · (1/other)，所以 ∂z/∂self = 1/other。再乘上 grad。",
            "z = self · (1/other), so ∂z/∂self = 1/other. Then multiply by grad.",
        ),
        (
            "乘以 1/other 就是除以 other：一个除号就够了。",
            "Multiplying by 1/other is dividing by other: one division sign does it.",
        ),
    ),
    POINTWISE + "div_vjp_other": (
        (
            "分子为正时，分母变大，商变大还是变小？导数该是什么符号？",
            "With a positive numerator, does the quotient grow or shrink as the denominator grows? What sign does the derivative have?",
        ),
        (
            "把 1/other 写成 other⁻¹，用幂的规则：导数是 -other⁻²。self 是常数倍，要留着。",
            "Write 1/other as other⁻¹ and use the rule of powers: its derivative is -other⁻². The factor self stays.",
        ),
        (
            "-self / other²，再乘上 grad。",
            "-self / other², times grad.",
        ),
    ),
    POINTWISE + "pow_vjp": (
        (
            "x³ 的导数是什么？xⁿ 呢？再想想 x⁰：它是常数 1，导数该是多少？",
            "What is the derivative of x³, and of xⁿ? And x⁰, the constant 1: what is its slope?",
        ),
        (
            "指数落到前面，剩下的指数减 1：n·xⁿ⁻¹。当 n = 0 且 x = 0 时，照公式算会得到 0 · 0⁻¹ = nan，要先挡住。",
            "The exponent comes down in front and is lowered by one: n·xⁿ⁻¹. For n = 0 at x = 0 the formula computes "
            "0 · 0⁻¹ = nan: head that off first.",
        ),
        (
            "先写 if exponent == 0，返回与 grad 同形状的零（比如 rules.zeros(grad, grad.shape)）；否则返回 grad 乘 exponent 乘 self 的 (exponent - 1) 次方。",
            "First `if exponent == 0`, returning zeros of grad's shape (rules.zeros(grad, grad.shape), say); otherwise grad times exponent times "
            "self to the power exponent - 1.",
        ),
    ),
    POINTWISE + "exp_vjp": (
        (
            "哪个函数求导之后还是它自己？",
            "Which function is its own derivative?",
        ),
        (
            "参数 result 里已经存着 exp(self)，不用再算一次。",
            "The parameter result already holds exp(self); there is nothing to compute again.",
        ),
        (
            "grad 乘以 result。",
            "grad times result.",
        ),
    ),
    POINTWISE + "log_vjp": (
        (
            "ln x 的斜率在 x 很大时是大还是小？在 x 接近 0 时呢？",
            "Is the slope of ln x large or small where x is large? And near 0?",
        ),
        (
            "导数是 1/self。x = 0 处就让它是 inf：torch 也这样，不用防。",
            "The derivative is 1/self. Let it be inf at x = 0: torch does the same, nothing needs guarding.",
        ),
        (
            "grad 除以 self。",
            "grad divided by self.",
        ),
    ),
    POINTWISE + "tanh_vjp": (
        (
            "tanh 在 0 处的斜率是 1，在两端几乎是 0。哪个只用 tanh 的值写成的式子有这样的性质？",
            "tanh has slope 1 at 0 and almost 0 at both ends. Which expression in tanh's own value behaves like that?",
        ),
        (
            "导数是 1 - tanh²；而 result 就是 tanh(self)。",
            "The derivative is 1 - tanh², and result is tanh(self).",
        ),
        (
            "grad 乘以 (1 - result 的平方)。",
            "grad times (1 - result squared).",
        ),
    ),
    POINTWISE + "relu_vjp": (
        (
            "输入为正时 relu 的斜率是几？为负时呢？",
            "What is relu's slope where the input is positive? And where it is negative?",
        ),
        (
            "梯度要么原样通过，要么变成 0。只看 result 就能分辨：result 什么时候大于 0？在 0 处，torch 取 0。",
            "The gradient passes unchanged or becomes 0. result tells which: when is it greater than 0? At 0 torch takes 0.",
        ),
        (
            "result <= 0 是一个布尔数组。rules.masked_fill(grad, result <= 0, 0) 在为真的地方放 0。相乘不行：无穷大的梯度乘 0 是 nan。",
            "result <= 0 is a boolean array, and rules.masked_fill(grad, result <= 0, 0) puts a 0 where it is true. Multiplying won't do: an infinite "
            "gradient times 0 is nan.",
        ),
    ),
    REDUCE + "sum_vjp": (
        (
            "被加的某一项动 1，和动多少？那么每一项该得到多少梯度？",
            "If one of the summands moves by 1, how far does the sum move? So how much gradient does each receive?",
        ),
        (
            "每一项都得到它那个和的梯度，原样一份。所以只要把 grad 铺开成 self_shape；keepdim 为 False 时，先把消失的维补回来。",
            "Each entry gets the gradient of its own sum, in full. So grad only has to be stretched to self_shape; "
            "with keepdim False, first put back the dimensions that vanished.",
        ),
        (
            "dim 不是 None 且 keepdim 为 False 时，从小到大对每个 d 做 grad = rules.unsqueeze(grad, d)；最后 rules.expand(grad, self_shape)。",
            "Unless dim is None or keepdim is True, for each d of dim, the smallest first: grad = rules.unsqueeze(grad, d). Then rules.expand(grad, self_shape).",
        ),
    ),
    REDUCE + "mean_vjp": (
        (
            "平均值和总和只差什么？",
            "How does a mean differ from a sum?",
        ),
        (
            "与 sum 一样铺开，再除以个数：每个平均值是由几项平均出来的？",
            "Stretch as for sum, then divide by the count: how many entries went into each mean?",
        ),
        (
            "个数是 self_shape 里被平均的那些维的大小之积；dim 为 None 时是全部的维。math.prod 会算乘积。",
            "The count is the product of the sizes in self_shape along the averaged dimensions, all of them when dim is None. "
            "math.prod multiplies.",
        ),
    ),
    LINALG + "matmul_vjp_self": (
        (
            "self 是 (n, k)，mat2 是 (k, m)，grad 与结果同形，是 (n, m)。你要返回的形状是什么？",
            "self is (n, k), mat2 is (k, m), and grad, shaped like the result, is (n, m). What shape must you return?",
        ),
        (
            "要从 (n, m) 得到 (n, k)，得在 grad 右边乘一个 (m, k)：mat2 的转置正是。",
            "To get from (n, m) to (n, k), grad needs an (m, k) on its right: mat2 transposed is just that.",
        ),
        (
            "grad @ mat2ᵀ。为了批量也能用，转置只交换最后两维：mat2.swapaxes(-1, -2)。",
            "grad @ mat2ᵀ. So that batches work too, transpose only the last two dimensions: mat2.swapaxes(-1, -2).",
        ),
    ),
    LINALG + "matmul_vjp_mat2": (
        (
            "这次要返回 (k, m)。手里有 self (n, k) 和 grad (n, m)，怎么相乘才能得到它？",
            "This time return (k, m). You have self, (n, k), and grad, (n, m): which product gives it?",
        ),
        (
            "把 self 转置成 (k, n)，放在 grad 的左边。",
            "Transpose self to (k, n) and put it on grad's left.",
        ),
        (
            "selfᵀ @ grad，同样只交换最后两维：self.swapaxes(-1, -2)。",
            "selfᵀ @ grad, again swapping only the last two dimensions: self.swapaxes(-1, -2).",
        ),
    ),
}
