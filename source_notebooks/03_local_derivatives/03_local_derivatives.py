# %% [markdown] tags=["lang-zh"]
# # 03 · 局部导数：每个运算只管自己那一步
#
# 预计 60 分钟
#
# 这一课你给乘、除、幂、指数、对数、tanh、relu、求和、平均、矩阵乘法写反向规则，一共 13 个小函数，大多只有一行。写完之后，用它们来训练一个小网络。

# %% [markdown] tags=["lang-en"]
# # 03 · Local derivatives: each operation handles its own step
#
# About 60 minutes
#
# In this lesson you write the backward rules of multiplication, division, powers, exponential, logarithm, tanh, relu, sum, mean and the matrix product: 13 small functions, most of them one line long.
# Once they are done, you train a small network with them.

# %% tags=["setup"]
import math

import numpy as np

import minigrad
from autograder import check, hint, implements
from minigrad import rules

# %% [markdown] tags=["lang-zh"]
# 前几课里通过检查的部件，这一课可以接着用：`use_parts("mine")` 接上你写的，`use_parts("reference")` 换回引擎自己的。评分不受影响：前几课的部件，评分时用的总是引擎自己的。

# %% [markdown] tags=["lang-en"]
# Parts of yours that passed in earlier lessons can go on working in this one: `use_parts("mine")` plugs in yours, `use_parts("reference")` goes back to the engine's own. Grading is not affected: in place of those parts it always uses the engine's own.

# %%
from autograder import use_parts

use_parts("mine")

# %% [markdown] tags=["lang-zh"]
# ## 1 · MulBackward0 肚子里有什么？
#
# 算过 `a * b`，结果的 `grad_fn` 就是一个 `MulBackward0`。这个名字大家都见过，可它到底是什么：一个数？一张表？一个矩阵？
#
# 它其实可以像函数一样调用。下面给它三次不同的输入。先猜：每次出来几样东西，各是什么？

# %% [markdown] tags=["lang-en"]
# ## 1 · What is inside a MulBackward0?
#
# Compute `a * b`, and the result's `grad_fn` is a `MulBackward0`. Everyone has seen the name; but what is it? A number, a table, a matrix?
#
# In fact it can be called like a function. Below we call it three times with different inputs. Guess first: how many things come out each time, and what are they?

# %% tags=["demo"]
import torch

a = torch.tensor([5.0, 6.0], requires_grad=True)
b = torch.tensor([3.0, 4.0], requires_grad=True)
node = (a * b).grad_fn
for arrives in ([1.0, 1.0], [1.0, 10.0], [0.0, 0.0]):
    print(arrives, "->", [gradient.tolist() for gradient in node(torch.tensor(arrives))])

# %% tags=["proof"]
assert node.name() == "MulBackward0"
assert [g.tolist() for g in node(torch.tensor([1.0, 10.0]))] == [[3.0, 40.0], [5.0, 60.0]]

# %% [markdown] tags=["lang-zh"]
# 进去的是一个张量，出来的是两个：一个给 `a`，一个给 `b`。送进 `[1, 10]`，第二格就放大了 10 倍；送进 0，出来的全是 0。
#
# 所以节点（node）不是一个数，而是一个函数：输出的梯度（gradient）从一头进去，各个输入的梯度从另一头出来。进去的那个张量，这一课一直叫它 `grad`。
#
# 换成 `minigrad`，节点也一样能调用。

# %% [markdown] tags=["lang-en"]
# One tensor goes in and two come out: one for `a`, one for `b`. Send in `[1, 10]`, and the second entry comes out 10 times as large; send in 0, and nothing but 0 comes out.
#
# So a node (节点) is not a number but a function: the output's gradient (梯度) goes in at one end, and the gradients of the inputs come out at the other. What goes in is called `grad` throughout this lesson.
#
# On `minigrad` a node can be called in the same way.

# %%
a = minigrad.tensor([5.0, 6.0], requires_grad=True)
b = minigrad.tensor([3.0, 4.0], requires_grad=True)
node = (a * b).grad_fn
print(node.name(), [gradient.tolist() for gradient in node(minigrad.tensor([1.0, 10.0]))])

# %% tags=["proof"]
assert [g.tolist() for g in node(minigrad.tensor([1.0, 10.0]))] == [[3.0, 40.0], [5.0, 60.0]]

# %% [markdown] tags=["lang-zh"]
# ## 2 · 为什么不直接给出导数？
#
# 一个向量进、一个向量出的函数，它的导数是一个矩阵：第 `i` 行第 `j` 列说的是，第 `j` 个输入动一点，第 `i` 个输出动多少。它叫雅可比矩阵（Jacobian）。
#
# 先看 `exp` 的雅可比矩阵，再看节点给了什么。先猜：这个矩阵里有几个数不是 0？

# %% [markdown] tags=["lang-en"]
# ## 2 · Why not return the derivative itself?
#
# For a function that takes a vector and gives a vector, the derivative is a matrix: row `i`, column `j` says how far output `i` moves when input `j` is nudged. It is called the Jacobian (雅可比矩阵).
#
# Look at the Jacobian of `exp`, then at what the node gives. Guess first: how many entries of the matrix differ from 0?

# %% tags=["demo"]
x = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
grad = torch.tensor([1.0, 10.0, 100.0])

J = torch.autograd.functional.jacobian(torch.exp, x)
print(J)
print("grad @ J  ", grad @ J)
print("node(grad)", x.exp().grad_fn(grad).tolist())
print("J for a million entries:", (10**6) ** 2 * 4 / 10**12, "TB")

# %% tags=["proof"]
assert torch.allclose(x.exp().grad_fn(grad), grad @ J)
assert torch.equal(J, torch.diag(J.diagonal()))

# %% [markdown] tags=["lang-zh"]
# 节点给的正是 `grad @ J`，可它从来没有造出过 `J`。`J` 里除了对角线全是 0；而输入有一百万个数时，光存下 `J` 就要 4 TB。
#
# 所以每条规则只回答一个问题：给你 `grad`，`grad @ J` 是多少？这叫向量–雅可比积（vector-Jacobian product，VJP）。对 `exp` 来说，不过是逐元素乘一下。
#
# 这就是“局部”的意思：一条规则不知道损失是什么，也不知道网络有多深，只管把输出的梯度换算成输入的梯度。

# %% [markdown] tags=["lang-en"]
# What the node gives is `grad @ J`, yet it never built `J`. Off the diagonal `J` holds nothing but 0; and with a million numbers coming in, just storing `J` would take 4 TB.
#
# So a rule answers one question only: given `grad`, what is `grad @ J`? That is a vector-Jacobian product (向量–雅可比积, VJP). For `exp` it is nothing more than an elementwise multiplication.
#
# This is what "local" means: a rule does not know what the loss is, nor how deep the network is; all it does is turn the gradient of its output into the gradients of its inputs.

# %% [markdown] tags=["lang-zh"]
# ## 3 · 最常见的错：忘了 `grad`
#
# “`sin` 的导数是 `cos`，那规则就返回 `cos` 好了。”很多人第一次都这么写。我们把这条错规则临时塞进引擎，看它露不露馅。
#
# `plugged_in` 只在 `with` 块里换掉规则，出了块就恢复。先猜：用 `forgetful` 打印的三行，哪几行是错的？

# %% [markdown] tags=["lang-en"]
# ## 3 · The most common mistake: forgetting `grad`
#
# "The derivative of `sin` is `cos`, so the rule returns `cos`." Many write it that way at first. Let's plug this wrong rule into the engine for a moment and see whether it shows.
#
# `plugged_in` swaps the rule only inside the `with` block, and puts the old one back afterwards. Guess first: of the three lines it prints under `forgetful`, which are wrong?

# %%
from autograder.parts import plugged_in


def forgetful(grad, self):
    return rules.cos(self)


def slope_of(f):
    x = minigrad.tensor([0.0, 1.0], requires_grad=True)
    f(x).backward()
    return x.grad


with plugged_in({"minigrad.ops.pointwise.sin_vjp": forgetful}):
    print("forgetful: sum(sin x)    ", slope_of(lambda x: x.sin().sum()))
    print("forgetful: sum(5 sin x)  ", slope_of(lambda x: (5 * x.sin()).sum()))
    print("forgetful: sum(sin sin x)", slope_of(lambda x: x.sin().sin().sum()))

print("right:     sum(sin x)    ", slope_of(lambda x: x.sin().sum()))
print("right:     sum(5 sin x)  ", slope_of(lambda x: (5 * x.sin()).sum()))
print("right:     sum(sin sin x)", slope_of(lambda x: x.sin().sin().sum()))

# %% tags=["proof"]
with plugged_in({"minigrad.ops.pointwise.sin_vjp": forgetful}):
    plain, times5 = slope_of(lambda x: x.sin().sum()), slope_of(lambda x: (5 * x.sin()).sum())
x = torch.tensor([0.0, 1.0], requires_grad=True)
x.sin().sum().backward()
assert torch.allclose(x.grad, torch.tensor(plain.tolist())) and times5.tolist() == plain.tolist()
x.grad = None
(5 * x.sin()).sum().backward()
assert torch.allclose(x.grad, torch.tensor(slope_of(lambda x: (5 * x.sin()).sum()).tolist()))
assert x.grad[0] == 5 and times5[0].item() == 1

# %% [markdown] tags=["lang-zh"]
# 可怕的是第一行：它是对的！直接对 `sum()` 求导时，传来的 `grad` 恰好全是 1，乘不乘都一样。随手一试，看不出毛病。
#
# 上游一有别的运算，错误就现形了：第二行丢了 5，第三行丢了链条的另一半。规则的返回值里没有 `grad`，链式法则（chain rule）到这里就断了。所以下面检查每条规则时，都用随机的 `grad`。

# %% [markdown] tags=["lang-en"]
# The frightening one is the first line: it is right! Directly under a `sum()`, the `grad` that arrives happens to be 1 everywhere, and leaving it out makes no difference. A quick try doesn't reveal it.
#
# As soon as there is another operation upstream, the mistake shows: the second line lost its 5, the third lost the other half of the chain. If `grad` isn't in what a rule returns, the chain rule (链式法则) breaks there. This is why the checks below use a random `grad` for each rule.

# %% [markdown] tags=["lang-zh"]
# ## 4 · 乘法：两个输入，两条规则
#
# $z = \text{self} \cdot \text{other}$。`self` 动一点，$z$ 动的是它的几倍？对 `other` 也问同样的问题。
#
# 每个输入一条规则，所以要写两个纯函数。参数（parameter）表说明它们收到什么：第一个总是 `grad`，后面是前向时保存的张量（saved tensor）。torch 的节点上也看得到它们，都叫 `_saved_…`。先猜：`a * b` 的节点存了什么？

# %% [markdown] tags=["lang-en"]
# ## 4 · Multiplication: two inputs, two rules
#
# $z = \text{self} \cdot \text{other}$. When `self` is nudged, how many times as far does $z$ move? Ask the same about `other`.
#
# Each input has its own rule, so there are two pure functions to write. Their parameters (参数) say what they receive: `grad` always comes first, then the saved tensors (保存的张量) of the forward pass. torch's nodes show these too, under names like `_saved_…`. Guess: what has the node of `a * b` saved?

# %% tags=["demo"]
a = torch.tensor([5.0, 6.0], requires_grad=True)
b = torch.tensor([3.0, 4.0], requires_grad=True)
node = (a * b).grad_fn
print("_saved_self ", node._saved_self.tolist())
print("_saved_other", node._saved_other.tolist())

# %% tags=["proof"]
assert node._saved_self is a and node._saved_other is b

# %% [markdown] tags=["lang-zh"]
# 注意 `mul_vjp_self` 收到的是 `other`，`mul_vjp_other` 收到的是 `self`：要求谁的梯度，用到的是另一个。
#
# 传进来的是形状（shape）相同的数组，或者可以广播（broadcast）到输出的形状；多出来的维度由引擎处理，那是第 04 课的事。乘的若是一个数，像 `x * 3.0`，`other` 就是 `3.0`，不是数组。每个函数的说明里都有一个例子。

# %% [markdown] tags=["lang-en"]
# Note that `mul_vjp_self` receives `other`, and `mul_vjp_other` receives `self`: for the gradient of one you need the other one.
#
# The arrays that come in have the same shape (形状), or shapes that can be broadcast (广播) to the output's; the engine takes care of the extra dimensions, which is the subject of lesson 04. If the factor is a number, as in `x * 3.0`, then `other` is just `3.0`, not an array. Each function's docstring has an example.


# %% nbgrader={"grade_id": "mul_backward", "solution": true}
@implements("minigrad.ops.pointwise.mul_vjp_self")
def mul_vjp_self(grad, other):
    """z = self * other: the gradient for self.

    grad, other: float arrays of the shape of z, or broadcastable to it; other may be a number.
    torch calls the node MulBackward0.
    Example: grad = [1., 10.], other = [3., 4.]  ->  [3., 40.]
    """
    ### BEGIN SOLUTION
    return grad * other
    ### END SOLUTION


@implements("minigrad.ops.pointwise.mul_vjp_other")
def mul_vjp_other(grad, self):
    """z = self * other: the gradient for other.

    grad, self: float arrays of the shape of z, or broadcastable to it; self may be a number.
    Example: grad = [1., 10.], self = [5., 6.]  ->  [5., 60.]
    """
    ### BEGIN SOLUTION
    return grad * self
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_mul_backward", "grade": true, "points": 2}
check("mul_backward")

# %% [markdown] tags=["lang-zh"]
# 没过？先看它指出的第一处不同；再不行，另开一格运行 `hint("mul_vjp_self")`。每个部件都有三句提示，名字就是函数名。
#
# 有一种错误光看返回值看不出来：用 `*=` 原地改写了 `grad`。`grad` 可能不归你一个人用。看看加法的节点，先猜：它交给两边的，是同一个张量吗？

# %% [markdown] tags=["lang-en"]
# Not passing? Look at the first difference it points out; if that doesn't help, run `hint("mul_vjp_self")` in a new cell. Each part has three hints; ask for them by the name of its function.
#
# One mistake does not show in what is returned: writing over `grad` in place with `*=`. `grad` may be shared. Look at addition's node and guess: does it give both sides the same tensor?

# %% tags=["demo"]
a = torch.tensor([5.0, 6.0], requires_grad=True)
b = torch.tensor([3.0, 4.0], requires_grad=True)
grad = torch.tensor([1.0, 10.0])
for_a, for_b = (a + b).grad_fn(grad)
print(for_a is grad, for_b is grad)

# %% tags=["proof"]
assert for_a is grad and for_b is grad

# %% [markdown] tags=["lang-zh"]
# 加法把同一个张量原样交给两边。这边改了它，那边读到的就是改过的数。所以规则要算出新的，不改收到的。

# %% [markdown] tags=["lang-en"]
# Addition gives the very same tensor to both sides. If one side writes to it, the other reads the changed numbers. So a rule computes a new result and doesn't touch what it was given.

# %% [markdown] tags=["lang-zh"]
# 还有一种错误也不显眼：数都对，dtype 变了。`grad` 是 float32，规则返回的也该是 float32，NumPy 却会自作主张。先猜：下面四个结果，哪几个还是 float32？

# %% [markdown] tags=["lang-en"]
# Another mistake hardly shows: the numbers are right, but the dtype has changed. Where `grad` is float32, what a rule returns should be float32, too; NumPy, however, has a mind of its own. Guess: which of the four results below are still float32?

# %% tags=["demo"]
grad = np.ones((2, 3), "float32")
print("a Python number       ", (grad / 6).dtype)
print("a number of NumPy's   ", (grad / np.prod(grad.shape)).dtype)
print("np.ones               ", (grad * np.ones(grad.shape)).dtype)
print("np.ones with its dtype", (grad * np.ones(grad.shape, grad.dtype)).dtype)

# %% tags=["proof"]
assert (
    (grad / 6).dtype
    == (grad / math.prod(grad.shape)).dtype
    == (grad * np.ones(grad.shape, grad.dtype)).dtype
    == grad.dtype
)
assert (grad / np.prod(grad.shape)).dtype == (grad * np.ones(grad.shape)).dtype == np.zeros(3).dtype == "float64"
factors = []
with plugged_in({"minigrad.ops.pointwise.mul_vjp_self": lambda grad, other: factors.append(other) or grad * other}):
    (minigrad.tensor([1.0], requires_grad=True) * 3.0).sum().backward()
assert factors == [3.0] and type(factors[0]) is float

# %% [markdown] tags=["lang-zh"]
# Python 自己的数不改变 dtype。NumPy 的数（`np.prod` 给的就是）多半是 64 位的，没写明 dtype 的新数组也是，一碰上，结果就成了 float64。乘积用 `math.prod`，它给 Python 的数；要建数组，就写上 `grad.dtype`。

# %% [markdown] tags=["lang-en"]
# A Python number leaves the dtype alone. NumPy's own numbers (`np.prod` gives one) mostly have 64 bits, and so does a new array without a dtype; whatever meets them becomes float64. For a product use `math.prod`, which gives a Python number; for a new array, say `grad.dtype`.

# %% [markdown] tags=["lang-zh"]
# ## 5 · 除法
#
# $z = \text{self} / \text{other}$。分子的规则是热身；分母的规则要想一想：分母变大，商往哪边走？

# %% [markdown] tags=["lang-en"]
# ## 5 · Division
#
# $z = \text{self} / \text{other}$. The numerator's rule is a warm-up; the denominator's takes some thought: as the denominator grows, which way does the quotient go?


# %% nbgrader={"grade_id": "div_backward", "solution": true}
@implements("minigrad.ops.pointwise.div_vjp_self")
def div_vjp_self(grad, other):
    """z = self / other: the gradient for self.

    grad, other: float arrays of the shape of z, or broadcastable to it; other may be a number.
    torch calls the node DivBackward0.
    Example: grad = [1., 10.], other = [2., 4.]  ->  [0.5, 2.5]
    """
    ### BEGIN SOLUTION
    return grad / other
    ### END SOLUTION


@implements("minigrad.ops.pointwise.div_vjp_other")
def div_vjp_other(grad, self, other):
    """z = self / other: the gradient for other.

    grad, self, other: float arrays of the shape of z, or broadcastable to it; self may be a number.
    Example: grad = [1., 10.], self = [3., 4.], other = [2., 4.]  ->  [-0.75, -2.5]
    """
    ### BEGIN SOLUTION
    return -grad * (self / other / other)
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_div_backward", "grade": true, "points": 2}
check("div_backward")

# %% [markdown] tags=["lang-zh"]
# ## 6 · 幂，还有 0 这个坑
#
# $z = \text{self}^n$ 的导数人人会背：$n \cdot \text{self}^{n-1}$。“背得出公式就不会错。”真的吗？
#
# 把 0 代进去试试。指数取 0、0.5、1、2，四次求 `x = 0` 处的梯度。哪一个会照着公式算出 `nan`，torch 又给了什么？

# %% [markdown] tags=["lang-en"]
# ## 6 · Powers, and the trap at 0
#
# Everyone knows the derivative of $z = \text{self}^n$ by heart: $n \cdot \text{self}^{n-1}$. "Know the formula, and you can't go wrong." Really?
#
# Put 0 in. With exponents 0, 0.5, 1 and 2, ask for the gradient at `x = 0`. For which one does the formula give `nan`, and what does torch give?

# %% tags=["demo"]
for n in [0, 0.5, 1, 2]:
    x = torch.tensor(0.0, requires_grad=True)
    (x**n).backward()
    print(f"n = {n:<4} formula {(n * x.detach() ** (n - 1)).item():<5} torch {x.grad.item()}")
print("nan * 0 =", float("nan") * 0)

# %% tags=["proof"]
seen = {}
for n in [0, 0.5, 1, 2]:
    x = torch.tensor(0.0, requires_grad=True)
    (x**n).backward()
    seen[n] = ((n * x.detach() ** (n - 1)).item(), x.grad.item())
assert math.isnan(seen[0][0]) and seen[0][1] == 0.0
assert seen[0.5] == (math.inf, math.inf) and seen[1] == (1.0, 1.0) and seen[2] == (0.0, 0.0)
assert math.isnan(float("nan") * 0) and math.isnan(math.inf * 0)
x = torch.tensor(0.0, requires_grad=True)
(x**0).backward(torch.tensor(math.inf))
assert x.grad == 0 and rules.zeros(minigrad.tensor([math.inf]), (1,)).tolist() == [0.0]

# %% [markdown] tags=["lang-zh"]
# 指数为 0 时，公式给出 $0 \cdot 0^{-1} = 0 \cdot \infty$，也就是 `nan`。可 $x^0$ 处处是 1，斜率处处是 0；torch 单独处理这一种情形，给了 0。
#
# 0.5 那一行的 `inf` 却不是毛病：$\sqrt{x}$ 在 0 处真的是竖直的。遇到无穷不要掩盖，只把公式管不到的那一处补上。
#
# 一个 `nan` 有多要命？它乘什么都还是 `nan`，连 0 也压不住它；后面的梯度只要乘上过它，就全毁了。
#
# 你的 `pow_vjp` 里，`exponent` 是一个普通的 Python 数，不是张量。需要全零的梯度，写 `rules.zeros(grad, grad.shape)`：形状和类型都和 `grad` 一样；`grad` 里有无穷大的时候，`grad * 0` 就不是 0 了。

# %% [markdown] tags=["lang-en"]
# With exponent 0 the formula says $0 \cdot 0^{-1} = 0 \cdot \infty$, which is `nan`. But $x^0$ is 1 everywhere, and its slope 0 everywhere; torch singles this case out and gives 0.
#
# The `inf` at 0.5 is not a fault: $\sqrt{x}$ really is vertical at 0. Don't hide infinities; fix only the one case that the formula doesn't cover.
#
# How bad is one `nan`? Multiplied by anything it stays `nan`, even by 0; every gradient further on that is multiplied by it is ruined.
#
# In your `pow_vjp`, `exponent` is a plain Python number, not a tensor. For a gradient of zeros, write `rules.zeros(grad, grad.shape)`, which has the shape and the dtype of `grad`; where `grad` is infinite, `grad * 0` would not be 0.


# %% nbgrader={"grade_id": "pow_backward", "solution": true}
@implements("minigrad.ops.pointwise.pow_vjp")
def pow_vjp(grad, self, exponent):
    """z = self ** exponent: the gradient for self, also where self is 0.

    grad, self: float arrays of one shape.  exponent: an int or float. torch calls the node PowBackward0.
    Example: grad = [1., 10.], self = [2., 3.], exponent = 3  ->  [12., 270.]
    """
    ### BEGIN SOLUTION
    if exponent == 0:
        return rules.zeros(grad, grad.shape)  # also where grad is infinite
    return grad * (exponent * self ** (exponent - 1))
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_pow_backward", "grade": true, "points": 2}
check("pow_backward")

# %% [markdown] tags=["lang-zh"]
# ## 7 · exp 和 log：该保存什么？
#
# 看看 torch 的这两个节点各存了什么。一个存的是输入，一个存的是输出；猜猜哪个是哪个，再想想为什么。

# %% [markdown] tags=["lang-en"]
# ## 7 · exp and log: what should be saved?
#
# Look at what these two nodes of torch have saved. One keeps its input, the other its output; guess which is which, then think about why.

# %% tags=["demo"]
x = torch.tensor([1.0, 2.0], requires_grad=True)
for y in (x.exp(), x.log()):
    print(y.grad_fn.name(), [name for name in dir(y.grad_fn) if name.startswith("_saved_")])

# %% tags=["proof"]
assert torch.equal(x.exp().grad_fn._saved_result, x.exp())
assert x.log().grad_fn._saved_self is x
assert not hasattr(x.exp().grad_fn, "_saved_self") and not hasattr(x.log().grad_fn, "_saved_result")

# %% [markdown] tags=["lang-zh"]
# `exp` 的导数就是它自己，结果已经算好了，留着用就行，不必再算一遍。`log` 的导数只用得着输入。
#
# 所以两条规则的参数名不一样：`exp_vjp` 收到的是 `result`，已经是 $e^{\text{self}}$ 了；`log_vjp` 收到的是 `self`。

# %% [markdown] tags=["lang-en"]
# The derivative of `exp` is the function itself; and the result is there already, so it is kept rather than computed again. The derivative of `log` needs only the input.
#
# So the two rules have different parameters: `exp_vjp` receives `result`, which already is $e^{\text{self}}$; `log_vjp` receives `self`.


# %% nbgrader={"grade_id": "exp_log_backward", "solution": true}
@implements("minigrad.ops.pointwise.exp_vjp")
def exp_vjp(grad, result):
    """z = exp(self): the gradient for self. `result` is z.

    grad, result: float arrays of one shape. torch calls the node ExpBackward0.
    Example: grad = [2., 1.], result = [1., 2.7183]  ->  [2., 2.7183]
    """
    ### BEGIN SOLUTION
    return grad * result
    ### END SOLUTION


@implements("minigrad.ops.pointwise.log_vjp")
def log_vjp(grad, self):
    """z = ln(self): the gradient for self.

    grad, self: float arrays of one shape. torch calls the node LogBackward0.
    Example: grad = [1., 1.], self = [2., 4.]  ->  [0.5, 0.25]
    """
    ### BEGIN SOLUTION
    return grad / self
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_exp_log_backward", "grade": true, "points": 2}
check("exp_log_backward")

# %% [markdown] tags=["lang-zh"]
# ## 8 · tanh 和 relu：拐角处怎么办？
#
# $\tanh$ 光滑得很，斜率是 $1 - \tanh^2$，也能从结果直接算出来。
#
# relu 却在 0 处有个拐角。从左边推一推，再从右边推一推，斜率各是多少？两边要是不一样，数学上就没有导数。有人说“那 torch 会报错”，有人说“会给 0.5”。你说呢？

# %% [markdown] tags=["lang-en"]
# ## 8 · tanh and relu: what happens at the kink?
#
# $\tanh$ is smooth; its slope is $1 - \tanh^2$, which again comes straight from the result.
#
# But relu has a kink at 0. Nudge it from the left, then from the right: what is the slope each time? If the two differ, mathematics has no derivative to offer. "Then torch raises an error", say some; "it gives 0.5", say others. And you?

# %% tags=["demo"]
nudge = 0.001
print("from the left ", (max(0, 0) - max(-nudge, 0)) / nudge)
print("from the right", (max(nudge, 0) - max(0, 0)) / nudge)

x = torch.tensor([-2.0, -0.0, 0.0, 3.0], requires_grad=True)
x.relu().backward(torch.tensor([5.0, 5.0, 5.0, 5.0]))
print(x.grad)

# %% tags=["proof"]
assert x.grad.tolist() == [0.0, 0.0, 0.0, 5.0]
assert x.relu().grad_fn.name() == "ReluBackward0" and x.tanh().grad_fn.name() == "TanhBackward0"
assert hasattr(x.relu().grad_fn, "_saved_result") and hasattr(x.tanh().grad_fn, "_saved_result")

# %% [markdown] tags=["lang-zh"]
# 都不是：torch 不报错，它选了左边的斜率，0。这只是约定，从 0 到 1 取哪个都说得通，但要照着做，否则就和 torch 对不上。
#
# 下图左边是两个函数，右边是它们的斜率；圆点就是拐角处约定的值。

# %% [markdown] tags=["lang-en"]
# Neither: torch raises nothing and takes the slope on the left, 0. It is only a convention; anything from 0 to 1 could be defended, but stick to this one, or you won't agree with torch.
#
# In the picture, the two functions are on the left and their slopes on the right; the dot is the value agreed on at the kink.

# %% tags=["picture"]
from autograder.plots import row

left, right = row([("x", "值 · value", ""), ("x", "斜率 · slope", "")], size=(8.4, 3))
x = torch.linspace(-3, 3, 241, requires_grad=True)
for f, style in [(torch.tanh, "-"), (torch.relu, "--")]:
    slope = f(x).grad_fn(torch.ones(241))
    left.plot(x.tolist(), f(x).tolist(), style, label=f.__name__)
    right.plot(x.tolist(), slope.tolist(), style, label=f.__name__)
right.plot(0, 0, "o", color="C1")
left.legend()
_ = right.set_ylim(-0.1, 1.1)

# %% [markdown] tags=["lang-zh"]
# 还有一处要小心。开方在 0 处的斜率是无穷大。先 relu 再开方，有一个输入被 relu 挡住了，它的梯度是多少？先猜：0，无穷大，还是 nan？

# %% [markdown] tags=["lang-en"]
# One more thing to watch. A square root has an infinite slope at 0. Take the square root of a relu: if relu has stopped an input, what gradient does that input get? Guess: 0, infinity, or nan?

# %% tags=["demo"]
x = torch.tensor([-2.0, 9.0], requires_grad=True)
x.relu().sqrt().sum().backward()
print("square root of relu:", x.grad)
print("inf * 0 =", float("inf") * 0)

# %% tags=["proof"]
assert x.grad[0] == 0 and x.grad[1] > 0 and math.isnan(float("inf") * 0)

# %% [markdown] tags=["lang-zh"]
# 是 0；可无穷大乘 0 是 nan。所以 torch 没有做乘法，它是在选：`result` 不大于 0 的地方放 0，别处原样通过。
#
# 两条规则收到的都是 `result`。选可以用 `rules.masked_fill(grad, mask, 0)`：`mask` 是比较得到的布尔数组（boolean array），为 `True` 的地方放 0；结果是新数组，`grad` 不动。

# %% [markdown] tags=["lang-en"]
# It is 0, although infinity times 0 is nan. So torch does not multiply, it chooses: 0 where `result` is not above 0, and the gradient as it is elsewhere.
#
# Both rules receive `result`. For choosing there is `rules.masked_fill(grad, mask, 0)`: `mask` is a boolean array (布尔数组), which is what a comparison gives, and where it is `True` a 0 is put; the result is a new array, and `grad` is left alone.


# %% nbgrader={"grade_id": "tanh_relu_backward", "solution": true}
@implements("minigrad.ops.pointwise.tanh_vjp")
def tanh_vjp(grad, result):
    """z = tanh(self): the gradient for self. `result` is z.

    grad, result: float arrays of one shape. torch calls the node TanhBackward0.
    Example: grad = [1., 2.], result = [0., 0.5]  ->  [1., 1.5]
    """
    ### BEGIN SOLUTION
    return grad * (1 - result * result)
    ### END SOLUTION


@implements("minigrad.ops.pointwise.relu_vjp")
def relu_vjp(grad, result):
    """z = max(self, 0): the gradient for self; 0 at the kink. `result` is z.

    grad, result: float arrays of one shape. torch calls the node ReluBackward0.
    Example: grad = [5., 5., 5.], result = [0., 0., 2.]  ->  [0., 0., 5.]
    """
    ### BEGIN SOLUTION
    return rules.masked_fill(grad, result <= 0, 0)
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_tanh_backward", "grade": true, "points": 1}
check("tanh_backward")

# %% nbgrader={"grade_id": "check_relu_backward", "grade": true, "points": 1}
check("relu_backward")

# %% [markdown] tags=["lang-zh"]
# ## 9 · 求和与平均：多变少，怎样变回去？
#
# 到现在为止，进出的形状都一样。`sum` 却把很多数变成几个，反过来就得由少变多。
#
# `x` 的形状是 `(2, 3)`，`x.sum(1)` 的形状是 `(2,)`。给节点送进 `[10, 20]`，出来的该是什么形状，里面是什么数？

# %% [markdown] tags=["lang-en"]
# ## 9 · Sum and mean: from few back to many?
#
# So far, what goes in and what comes out have had the same shape. But `sum` turns many numbers into few, so backward has to turn few into many.
#
# `x` has shape `(2, 3)`, `x.sum(1)` has shape `(2,)`. Send `[10, 20]` into the node: what shape comes out, and which numbers are in it?

# %% tags=["demo"]
x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
print(x.sum(1).grad_fn(torch.tensor([10.0, 20.0])))
print(x.mean(1).grad_fn(torch.tensor([10.0, 20.0])))
print(x.sum(1, keepdim=True).shape)

# %% tags=["proof"]
assert x.sum(1).grad_fn(torch.tensor([10.0, 20.0])).tolist() == [[10.0] * 3, [20.0] * 3]
assert torch.allclose(x.mean(1).grad_fn(torch.tensor([6.0, 12.0])), torch.tensor([[2.0] * 3, [4.0] * 3]))
assert x.sum(1, keepdim=True).shape == (2, 1) and x.sum().grad_fn.name() == "SumBackward0"
assert x.sum(1).grad_fn.name() == "SumBackward1" and x.mean(1).grad_fn.name() == "MeanBackward1"

# %% [markdown] tags=["lang-zh"]
# 第一行的三个数都以斜率 1 进了第一个和，所以各拿一份完整的 10。不是把 10 分成三份！平均才要分：每个数在平均里只占三分之一。
#
# 规则需要知道三件事：输入的形状 `self_shape`；加掉的是哪几维 `dim`，一个由非负整数组成的元组（tuple），`None` 表示全部；`keepdim` 说这些维度是否还留着，大小为 1。
#
# 手头有两件工具。`rules.unsqueeze` 插进一个大小为 1 的维度，`rules.expand` 把大小为 1 的维度拉长。它们对数组和张量都管用：

# %% [markdown] tags=["lang-en"]
# Each of the three numbers in the first row entered the first sum with slope 1, so each gets the full 10. The 10 isn't split three ways! It is the mean that splits: there, each number counts for one third.
#
# The rule needs to know three things: the input's shape, `self_shape`; which dimensions were summed, `dim`, a tuple (元组) of non-negative ints, or `None` for all; and `keepdim`, whether these dimensions are still there, with size 1.
#
# Two tools are at hand. `rules.unsqueeze` puts in a dimension of size 1, and `rules.expand` stretches dimensions of size 1. Both work on arrays and on tensors:

# %%
column = np.array([[1.0], [2.0]])
print(rules.expand(column, (2, 4)))
print(rules.unsqueeze(np.array([1.0, 2.0, 3.0]), 0).shape)

# %% [markdown] tags=["lang-zh"]
# `dim` 里可以有不止一个维度，次序也不一定从小到大，比如 `(2, 0)`。要一个一个地插回去，先插编号小的，后面的位置才对得上。
#
# `mean_vjp` 只差一步除法，可以直接调用刚写好的 `sum_vjp`。当心：除的是参加平均的个数，不一定是元素的总数。

# %% [markdown] tags=["lang-en"]
# `dim` may hold more than one dimension, and in any order, as in `(2, 0)`. Put them back one by one, the smallest first, or the later ones end up in the wrong place.
#
# `mean_vjp` is only a division away and may call the `sum_vjp` you have just written. Take care: divide by how many numbers were averaged, which need not be how many there are in all.


# %% nbgrader={"grade_id": "sum_mean_backward", "solution": true}
@implements("minigrad.ops.reduce.sum_vjp")
def sum_vjp(grad, self_shape, dim, keepdim):
    """z = self.sum(dim, keepdim): the gradient for self, of shape self_shape.

    grad: a float array of the shape of z.  dim: a tuple of ints >= 0, or None for all.  keepdim: a bool.
    torch calls the node SumBackward0 where no dim was given, else SumBackward1.
    Example: grad = [10., 20.], self_shape = (2, 3), dim = (1,), keepdim = False
             ->  [[10., 10., 10.], [20., 20., 20.]]
    """
    ### BEGIN SOLUTION
    if dim is not None and not keepdim:
        for d in sorted(dim):
            grad = rules.unsqueeze(grad, d)
    return rules.expand(grad, self_shape)
    ### END SOLUTION


@implements("minigrad.ops.reduce.mean_vjp")
def mean_vjp(grad, self_shape, dim, keepdim):
    """z = self.mean(dim, keepdim): the gradient for self, of shape self_shape.

    grad: a float array of the shape of z.  dim: a tuple of ints >= 0, or None for all.  keepdim: a bool.
    torch calls the node MeanBackward0 or MeanBackward1. math.prod multiplies the numbers of a list.
    Example: grad = [6.], self_shape = (3,), dim = (0,), keepdim = True  ->  [2., 2., 2.]
    """
    ### BEGIN SOLUTION
    averaged = math.prod(self_shape if dim is None else [self_shape[d] for d in dim])
    return sum_vjp(grad, self_shape, dim, keepdim) / averaged
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_sum_backward", "grade": true, "points": 2}
check("sum_backward")

# %% nbgrader={"grade_id": "check_mean_backward", "grade": true, "points": 2}
check("mean_backward")

# %% [markdown] tags=["lang-zh"]
# ## 10 · 矩阵乘法：让形状带路
#
# $Z = \text{self} \, @ \, \text{mat2}$，形状是 `(n, k)` 乘 `(k, m)`，得 `(n, m)`。推导要一页纸，可形状就能把答案逼出来：
#
# 1. 传来的 `grad` 和 $Z$ 一样，是 `(n, m)`。
# 2. `self` 的梯度必须和 `self` 一样，是 `(n, k)`。
# 3. 手里只有 `grad` 和 `mat2`，后者是 `(k, m)`。怎样摆，才能乘出 `(n, k)`？只有一种摆法。
#
# `mat2` 的梯度，同样问一遍。需要转置（transpose）时写 `rules.mT(x)` 或 `x.swapaxes(-1, -2)`：只交换最后两维，一批矩阵也照样能用。相乘写 `@` 就行；引擎自己写成 `rules.matmul`，结果一样，小矩阵上快些。
#
# 先照形状把两个梯度写在纸上：下面的 `for_A` 和 `for_B` 各是什么形状？torch 的数能帮你确认摆法。

# %% [markdown] tags=["lang-en"]
# ## 10 · Matrix product: let the shapes guide you
#
# $Z = \text{self} \, @ \, \text{mat2}$; the shapes are `(n, k)` times `(k, m)`, which gives `(n, m)`. Deriving the rule takes a page, but the shapes alone force the answer:
#
# 1. The `grad` that arrives is `(n, m)`, like $Z$.
# 2. The gradient of `self` must be like `self`, `(n, k)`.
# 3. All you have is `grad` and `mat2`, which is `(k, m)`. How must they be arranged to give `(n, k)`? There is only one way.
#
# Ask the same for the gradient of `mat2`. Where you need a transpose (转置), write `rules.mT(x)` or `x.swapaxes(-1, -2)`: both swap the last two dimensions only, so that a batch of matrices works as well. For the product `@` will do; the engine itself writes `rules.matmul`, which gives the same and is faster on small matrices.
#
# Write both gradients on paper first, going by the shapes: what are the shapes of `for_A` and `for_B` below? torch's numbers help you check the arrangement.

# %% tags=["demo"]
A = torch.tensor([[1.0, 2.0]], requires_grad=True)
B = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
node = (A @ B).grad_fn
for_A, for_B = node(torch.tensor([[1.0, 0.0, 100.0]]))
print(node.name())
print(for_A.tolist(), for_A.shape)
print(for_B.tolist(), for_B.shape)

# %% tags=["proof"]
assert node.name() == "MmBackward0"
assert for_A.tolist() == [[301.0, 604.0]] and for_B.tolist() == [[1.0, 0.0, 100.0], [2.0, 0.0, 200.0]]


# %% nbgrader={"grade_id": "matmul_backward", "solution": true}
@implements("minigrad.ops.linalg.matmul_vjp_self")
def matmul_vjp_self(grad, mat2):
    """z = self @ mat2: the gradient for self.

    grad: (..., n, m).  mat2: (..., k, m).  Returns (..., n, k).
    torch calls the node MmBackward0, or BmmBackward0 for a batch.
    Example: grad = [[1., 0.]], mat2 = [[1., 2.], [3., 4.]]  ->  [[1., 3.]]
    """
    ### BEGIN SOLUTION
    return rules.matmul(grad, rules.mT(mat2))
    ### END SOLUTION


@implements("minigrad.ops.linalg.matmul_vjp_mat2")
def matmul_vjp_mat2(grad, self):
    """z = self @ mat2: the gradient for mat2.

    grad: (..., n, m).  self: (..., n, k).  Returns (..., k, m).
    Example: grad = [[1., 10.]], self = [[1., 2.]]  ->  [[1., 10.], [2., 20.]]
    """
    ### BEGIN SOLUTION
    return rules.matmul(rules.mT(self), grad)
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_matmul_backward", "grade": true, "points": 3}
check("matmul_backward")

# %% [markdown] tags=["lang-zh"]
# ## 11 · 全部接起来
#
# 规则一条接一条，梯度一个节点接一个节点地往回传。取 2 行 2 列、全是一的矩阵 `x`，$y = x + 2$，$z = 3y^2$，`out` 是 `z` 的平均值。先在纸上算：每一处收到的梯度各是多少？再和 torch 比；`register_hook` 让人在梯度路过时看一眼，第 09 课细讲。

# %% [markdown] tags=["lang-en"]
# ## 11 · All of them together
#
# Rule by rule, the gradient passes from node to node. Take `x`, a matrix of ones with 2 rows and 2 columns, $y = x + 2$, $z = 3y^2$, and `out`, the mean of `z`. On paper first: which gradient arrives at each of them? Then compare with torch; `register_hook` lets you look at a gradient as it passes, and lesson 09 has more about it.

# %% tags=["demo"]
x = torch.ones(2, 2, requires_grad=True)
y = x + 2
z = y * y * 3
out = z.mean()
stops = {}
for name, tensor in [("out", out), ("z", z), ("y", y), ("x", x)]:
    tensor.register_hook(lambda grad, name=name: stops.update({name: grad}))
out.backward()
print("out =", out.item())
for name, grad in stops.items():
    print(f"{name:<4} {grad.tolist()}")

# %% tags=["proof"]
assert out.item() == 27.0 and list(stops) == ["out", "z", "y", "x"]
assert [grad.unique().tolist() for grad in stops.values()] == [[1.0], [0.25], [4.5], [4.5]]

# %% [markdown] tags=["lang-zh"]
# 从 1 出发，平均把它摊成四份 0.25；乘 3 和 $y^2$ 的 $2y$，也就是 $0.25 \cdot 3 \cdot 6$，得 4.5；加法原样放行。没有哪个节点知道整个式子，接起来却一点不差。
#
# 最后一项检查把十三条规则放进一个有两个隐藏层（hidden layer）的小网络，训练三步，每一个梯度都和 torch 比。

# %% [markdown] tags=["lang-en"]
# It starts as 1; the mean spreads it over four entries, 0.25 each; the factor 3 and the $2y$ of $y^2$, that is $0.25 \cdot 3 \cdot 6$, make it 4.5; the addition passes it on unchanged. No node knows the whole expression, yet together they get it exactly right.
#
# The last check puts all thirteen rules into a small network with two hidden layers (隐藏层), trains it for three steps, and compares every gradient with torch.

# %% nbgrader={"grade_id": "check_derivatives_in_a_network", "grade": true, "points": 3}
check("derivatives_in_a_network")

# %% [markdown] tags=["lang-zh"]
# 下面这张图画的是一个小网络留下的计算图（computational graph），着色的小格里写着每个节点保存了什么。照你写的参数表先猜：两个 `MmBackward0`、`TanhBackward0` 和求平均的节点，各存几个张量？

# %% [markdown] tags=["lang-en"]
# The picture below is the computational graph (计算图) that a small network leaves behind; the tinted boxes show what each node has saved. Going by the parameters of your functions, guess first: how many tensors does each of these keep, the two `MmBackward0`, `TanhBackward0`, and the node of the mean?

# %% tags=["picture"]
from minigrad.viz import draw

x = torch.linspace(-1, 1, 4).reshape(4, 1)
V = torch.full((1, 3), 0.5, requires_grad=True)
W = torch.full((3, 1), 0.5, requires_grad=True)
loss = (((x @ V).tanh() @ W - x) ** 2).mean()
draw(loss, params={"V": V, "W": W, "loss": loss}, show=["shapes", "saved"])

# %% tags=["proof"]
tanh = loss.grad_fn.next_functions[0][0].next_functions[0][0].next_functions[0][0].next_functions[0][0]
assert tanh.name() == "TanhBackward0"
lowest = tanh.next_functions[0][0]
assert lowest.name() == "MmBackward0" and lowest._saved_mat2 is None and torch.equal(lowest._saved_self, x)
assert not any(torch.is_tensor(getattr(loss.grad_fn, k)) for k in dir(loss.grad_fn) if k.startswith("_saved_"))

# %% [markdown] tags=["lang-zh"]
# 图里靠上的 `MmBackward0` 存两个矩阵，`TanhBackward0` 存自己的输出，求平均的节点一个张量也不存，它只需要形状。
#
# 最下面那个 `MmBackward0` 却只存了一个矩阵。为什么？`x` 是数据，没有人要它的梯度；算这个梯度的规则用不上，它要的矩阵也就不必存。

# %% [markdown] tags=["lang-en"]
# The upper `MmBackward0` in the picture keeps both matrices, `TanhBackward0` its own output, and the node of the mean no tensor at all, since it needs only a shape.
#
# But the lowest `MmBackward0` has kept only one matrix. Why? `x` is data, and nobody wants its gradient; so the rule for it will never run, and the matrix that rule would need isn't saved.

# %% [markdown] tags=["lang-zh"]
# 真的能学到东西吗？下面这个网络只有一个隐藏层、16 个单元，用你的规则训练它拟合正弦曲线，走 400 步。左边是损失，一路下降；右边是它学到的曲线。

# %% [markdown] tags=["lang-en"]
# Does it really learn anything? Below, your rules train a network with one hidden layer of 16 units to fit a sine curve, in 400 steps. On the left its loss, going down; on the right the curve it has learnt.

# %% tags=["picture"]
rng = np.random.default_rng(0)
x = minigrad.tensor(np.linspace(-3, 3, 61).reshape(61, 1))
target = x.sin()
V = minigrad.tensor(rng.normal(size=(1, 16)), requires_grad=True)
c = minigrad.tensor(rng.normal(size=16), requires_grad=True)
W = minigrad.tensor(rng.normal(size=(16, 1)) * 0.1, requires_grad=True)
optimizer, losses = minigrad.optim.SGD([V, c, W], lr=0.1), []
for _ in range(400):
    guess = (x @ V + c).tanh() @ W
    loss = ((guess - target) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
labels = [("步数 · steps", "损失 · loss", ""), ("x", "输出 · output", "")]
left, right = row(labels, size=(8.4, 3))
left.plot(losses)
right.plot(x.tolist(), target.tolist(), "--", label="sin x")
right.plot(x.tolist(), guess.tolist(), label="你的网络 · your network")
right.legend()
left.set_yscale("log")

# %% tags=["proof"]
assert losses[0] > 0.4 and losses[-1] < 0.02

# %% [markdown] tags=["lang-zh"]
# ## 12 · torch 其实是怎么做的
#
# torch 也有这样一张表：每个基本运算一条，列出每个输入的规则，叫 `derivatives.yaml`；别的运算由它们拼成。它就装在你的电脑里。先猜：`exp` 那一条里写的是 `self` 还是 `result`？`mul` 那一条里呢？

# %% [markdown] tags=["lang-en"]
# ## 12 · What torch really does
#
# torch has just such a table, called `derivatives.yaml`: one entry for each basic operation, with a rule for each input; other operations are put together from these. It is installed on your computer. Guess first: does the entry for `exp` use `self` or `result`? And the one for `mul`?

# %% tags=["demo"]
from pathlib import Path

table = Path(torch.__file__).parents[1] / "torchgen" / "packaged" / "autograd" / "derivatives.yaml"
lines = table.read_text().splitlines()
for name in ["exp", "log", "mul.Tensor", "pow.Tensor_Scalar", "relu", "mm"]:
    at = next(i for i, line in enumerate(lines) if line.startswith(f"- name: {name}("))
    print(*[line for line in lines[at : at + 3] if "result:" not in line], sep="\n")

# %% tags=["proof"]
text = table.read_text()
assert "- name: square(" not in text and torch.ones(1, requires_grad=True).square().grad_fn.name() == "PowBackward0"
assert "- name: exp(Tensor self) -> Tensor\n  self: grad * result.conj()" in text
assert "- name: log(Tensor self) -> Tensor\n  self: grad.div(self.conj())" in text
assert "  self: mul_tensor_backward(grad, other, self.scalar_type())" in text
header = Path(torch.__file__).parent / "include" / "torch" / "csrc" / "autograd" / "FunctionsManual.h"
assert "at::Tensor mul_tensor_backward(" in header.read_text()
(found,) = [k for k in dir(lowest) if k.endswith("self_sym_sizes")]
assert tuple(getattr(lowest, found)) == (4, 1)  # sizes alone are saved where a rule asks for sizes

# %% [markdown] tags=["lang-zh"]
# `exp` 那一条几乎就是你写的那一行；多出来的 `conj` 是为复数（complex number）准备的。长一点的规则另写成 C++ 函数，比如 `mul_tensor_backward`，参数还是同样的几个：`grad`、`self`、`other`、`result`。
#
# 参数里写着谁，就保存谁；写的只是 `self.sym_sizes()`，就只保存形状。每个节点该存什么，torch 照着这张表来定，`minigrad` 看的则是规则的参数名。

# %% [markdown] tags=["lang-en"]
# The entry for `exp` is nearly the line you wrote; the `conj` in it is there for complex numbers (复数). Longer rules are C++ functions of their own, such as `mul_tensor_backward`, but with the same few arguments: `grad`, `self`, `other`, `result`.
#
# Whatever appears among the arguments gets saved; where it is only `self.sym_sizes()`, only the shape is. This table is how torch decides what each node keeps; `minigrad` goes by the names of a rule's parameters.

# %% [markdown] tags=["lang-zh"]
# ## 自测
#
# **1.** `y = x.exp()`，再算 `(3 * y).sum().backward()`。`ExpBackward0` 收到的 `grad` 里是什么数？
#
# <details><summary>答案</summary>全是 3。求和的节点送出的全是 1，乘以 3 的节点把它们变成 3，然后才轮到 <code>exp</code>。</details><br>
#
# **2.** `sum`、`mul`、`tanh` 三个运算里，哪一个反向时用不着输入和输出里的任何一个数？
#
# <details><summary>答案</summary><code>sum</code>。它的斜率总是 1，只需要知道形状。</details>

# %% [markdown] tags=["lang-en"]
# ## Test yourself
#
# **1.** `y = x.exp()`, then `(3 * y).sum().backward()`. Which numbers are in the `grad` that `ExpBackward0` receives?
#
# <details><summary>Answer</summary>All 3. The sum's node sends out 1 everywhere, the node that multiplies by 3 turns each into 3, and then it is the turn of <code>exp</code>.</details><br>
#
# **2.** Of the operations `sum`, `mul` and `tanh`, which one needs no number from its input or output in backward?
#
# <details><summary>Answer</summary><code>sum</code>. Its slope is always 1, and all it needs is a shape.</details>

# %% tags=["proof"]
x = torch.tensor([0.0, 1.0], requires_grad=True)
y, received = x.exp(), []
y.register_hook(lambda grad: received.append(grad.tolist()))
(3 * y).sum().backward()
assert received == [[3.0, 3.0]]
assert not any(torch.is_tensor(getattr(x.sum().grad_fn, k)) for k in dir(x.sum().grad_fn) if k.startswith("_saved_"))

# %% [markdown] tags=["lang-zh"]
# ## 想一想，写下来
#
# 反向规则为什么不是“返回导数”，而是“收到 `grad`，返回输入的梯度”？举一个例子，说明忘了乘 `grad` 的规则在什么情况下碰巧是对的，在什么情况下会错。三到五句话，中文英文都行。这一格由老师评阅，1 分。

# %% [markdown] tags=["lang-en"]
# ## Think, then write
#
# Why does a backward rule not say "return the derivative", but "take `grad`, return the input's gradient"? Give one example of when a rule that forgot to multiply by `grad` happens to be right, and one of when it is wrong. Three to five sentences, in Chinese or English. A teacher reads this cell; it is worth 1 point.

# %% [markdown] nbgrader={"grade_id": "reflection", "grade": true, "solution": true, "points": 1}
# **评分标准（1 分）** 两点都有，给 1 分；只有一点，或例子与说法矛盾，给 0 分：
# 1. 理由（任一）：完整的导数是雅可比矩阵，大到存不下，而反向只需要它与上游梯度的乘积；或：链式法则要把上游的梯度乘进来，规则不接 grad，链条就断了。
# 2. 例子成对：上游的 grad 恰好全是 1 时（例如直接 sum）碰巧对；上游还有别的运算时（例如乘了 5、后面又套了一层函数）就错。
#
# 参考回答：一百万个数的 exp，它的雅可比矩阵有一万亿个数，根本造不出来，也用不着，我们只要 grad 乘它的结果。忘了 grad 的 sin 规则，对 x.sin().sum() 是对的，因为 grad 全是 1；对 (5 * x.sin()).sum()，就只有该有的五分之一。
#
# **Rubric (1 point)** Both of these for 1 point; only one, or an example that contradicts the statement, 0:
# 1. A reason, either: the full derivative is a Jacobian too large to store, and backward only needs its product with the gradient from upstream; or: the chain rule multiplies by the gradient from upstream, and a rule that does not take it breaks the chain.
# 2. A pair of examples: right by luck where the arriving grad is all ones (straight under a sum); wrong where something else stands upstream (a factor 5, another function around it).
#
# Model answer: the Jacobian of exp on a million numbers has a trillion entries; nobody can build it, nor needs to, because only grad times that matrix is wanted. A sin rule without grad is right for x.sin().sum(), where grad is all ones, and five times too small for (5 * x.sin()).sum().
