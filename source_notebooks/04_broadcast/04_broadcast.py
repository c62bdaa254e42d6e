# %% [markdown] tags=["lang-zh"]
# # 04 · 广播的反向
#
# 预计 40 分钟
#
# 形状不一样的两个张量也能相加，torch 会把小的那个拉长。前向时这事悄无声息，反向时却要把梯度收回原来的形状。这一课写三个函数：什么时候能拉长，怎样收回来，再加上 `expand` 的规则。

# %% [markdown] tags=["lang-en"]
# # 04 · Broadcasting, reversed
#
# About 40 minutes
#
# Two tensors of different shapes can be added; torch stretches the smaller one. In forward this happens silently; in backward the gradient has to be brought back to the original shape.
# In this lesson you write three functions: one decides whether a shape can be stretched to another, one sums a gradient back, and one is the rule for `expand`.

# %% tags=["setup"]
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
# ## 1 · 只加了一次，斜率是几？
#
# 一个批次（batch）有五行数据，每行加上同一个偏置（bias）`b`，再全部求和。代码里 `b` 只加了一次，斜率好像应该是 1。先猜 `b.grad`，再运行。

# %% [markdown] tags=["lang-en"]
# ## 1 · Added only once: what is the slope?
#
# A batch (批次) has five rows of data; the same bias (偏置) `b` is added to each, and everything is summed. In the code `b` is added once, so its slope ought to be 1. Guess `b.grad`, then run.

# %% tags=["demo"]
import torch

batch = torch.zeros(5, 3)
b = torch.zeros(3, requires_grad=True)
(batch + b).sum().backward()
print(b.grad)

# %% tags=["proof"]
assert b.grad.tolist() == [5.0, 5.0, 5.0]

# %% [markdown] tags=["lang-zh"]
# 写了一次，用了五次：`b` 的形状（shape）是 `(3,)`，数据是 `(5, 3)`，torch 把 `b` 拉成五行，这叫广播（broadcast）。`b` 里的一个数动一点，五行都跟着动，损失就动了五份。
#
# 于是有了这一课的全部道理：前向复制，反向求和。`minigrad` 也一样：

# %% [markdown] tags=["lang-en"]
# Written once, used five times: `b` has shape (形状) `(3,)`, the data `(5, 3)`, and torch stretches `b` to five rows; this is broadcasting (广播). Nudge one number of `b`, and all five rows move with it, so the loss moves five times as far.
#
# And that is the whole idea of this lesson: what is copied in forward is summed in backward. `minigrad` does the same:

# %%
b = minigrad.zeros(3, requires_grad=True)
(minigrad.zeros(5, 3) + b).sum().backward()
print(b.grad)

# %% tags=["proof"]
assert b.grad.tolist() == [5.0, 5.0, 5.0]

# %% [markdown] tags=["lang-zh"]
# ## 2 · 什么样的形状能拉到一起？
#
# 先看一个常见的错误。预测 `guess` 和答案 `answer` 分毫不差，损失却不是 0，也不报错。先猜：差 `guess - answer` 是什么形状？

# %% [markdown] tags=["lang-en"]
# ## 2 · Which shapes can be stretched to match?
#
# First, a bug that happens in real life. The predictions, `guess`, agree exactly with `answer`, yet the loss isn't 0, and no error is raised. Guess: what is the shape of `guess - answer`?

# %% tags=["demo"]
guess = torch.tensor([[1.0], [2.0], [3.0]])
answer = torch.tensor([1.0, 2.0, 3.0])
print("loss ", ((guess - answer) ** 2).mean().item())
print("shape", (guess - answer).shape)
print(guess - answer)

# %% tags=["proof"]
assert (guess - answer).shape == (3, 3) and ((guess - answer) ** 2).mean().item() > 1.3
assert ((guess.reshape(3) - answer) ** 2).mean().item() == 0

# %% [markdown] tags=["lang-zh"]
# `(3, 1)` 和 `(3,)` 都被拉成了 `(3, 3)`，每个预测和每个答案都减了一遍。规则只有两句：
#
# 1. 从右边对齐；左边缺的维度，当作 1。
# 2. 每一列的两个数要么相等，要么有一个是 1，那一个被拉长。
#
# 下面六对形状，先猜哪几对行、得什么形状，再运行：

# %% [markdown] tags=["lang-en"]
# `(3, 1)` and `(3,)` were both stretched to `(3, 3)`, so every prediction was compared with every answer. There are just two rules:
#
# 1. Align the shapes at the right; dimensions missing on the left count as 1.
# 2. In each column the two numbers must be equal, or one of them must be 1, and that one is stretched.
#
# Here are six pairs of shapes: guess which ones work and what shape they give, then run:

# %% tags=["demo"]
for left, right in [
    ((2, 3), (3,)),
    ((2, 3), (2,)),
    ((2, 3), (2, 1)),
    ((4, 1), (1, 3)),
    ((2, 3), (3, 2)),
    ((5, 2, 3), ()),
]:
    try:
        print(f"{left!s:<10} {right!s:<7} -> {tuple((torch.zeros(left) + torch.zeros(right)).shape)}")
    except RuntimeError as error:
        print(f"{left!s:<10} {right!s:<7} -> {str(error)[:58]}...")

# %% tags=["proof"]
assert torch.broadcast_shapes((2, 3), (2, 1)) == (2, 3) and torch.broadcast_shapes((4, 1), (1, 3)) == (4, 3)
for left, right in [((2, 3), (2,)), ((2, 3), (3, 2))]:
    try:
        torch.zeros(left) + torch.zeros(right)
        raise AssertionError
    except RuntimeError as error:
        assert "must match" in str(error)

# %% [markdown] tags=["lang-zh"]
# 先写判断。`broadcasts_to` 只问一个方向：`shape` 这个形状，能不能拉成 `target`？两个都是整数的元组（tuple），返回 `True` 或 `False`。只有 `shape` 里的 1 能拉长，`target` 不动。
#
# 例子：`(3,)` 到 `(2, 3)` 行，`(2, 1)` 到 `(2, 3)` 行；`(2,)` 到 `(2, 3)` 不行，`(1, 3)` 到 `(3,)` 也不行，拉长从不减少维度。
#
# 引擎拿它来检验自定义规则返回的梯度：能收回输入形状的就收，别的一概拒绝。检查也是这样试你的函数的；自定义规则怎么写，现在不必会。

# %% [markdown] tags=["lang-en"]
# First write the test. `broadcasts_to` asks in one direction only: can something of shape `shape` be stretched to `target`? Both are tuples (元组) of ints; return `True` or `False`. Only a 1 in `shape` can be stretched; `target` stays as it is.
#
# Example: `(3,)` to `(2, 3)` works, `(2, 1)` to `(2, 3)` works; `(2,)` to `(2, 3)` does not, nor does `(1, 3)` to `(3,)`: stretching never drops a dimension.
#
# The engine uses it to check the gradients that custom rules return: those that can be summed to the input's shape are summed, all others are refused. That is also how the check tries your function; you needn't know yet how custom rules are written.


# %% nbgrader={"grade_id": "broadcasts_to", "solution": true}
@implements("minigrad.autograd.accumulate.broadcasts_to")
def broadcasts_to(shape, target):
    """Whether an array of shape `shape` can be stretched to `target`. In torch: at::is_expandable_to.

    shape, target: tuples of ints, of any length, () included.  Returns a bool.
    Example: (3,), (2, 3)  ->  True        (2, 1), (2, 3)  ->  True        (2,), (2, 3)  ->  False
    """
    ### BEGIN SOLUTION
    offset = len(target) - len(shape)
    return offset >= 0 and all(n in (1, target[i + offset]) for i, n in enumerate(shape))
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_broadcast_rule", "grade": true, "points": 2}
check("broadcast_rule")

# %% [markdown] tags=["lang-zh"]
# ## 3 · 怎样收回原来的形状？
#
# 乘法的规则你写过：`grad * other`。可 `x` 是 `(3,)`、`y` 是 `(2, 1)` 时，这条规则算出来的是什么形状？看 torch 的节点（node）返回了什么，再看 `.grad` 里是什么：

# %% [markdown] tags=["lang-en"]
# ## 3 · How does the gradient get its shape back?
#
# You have written the rule for multiplication: `grad * other`. But with `x` of shape `(3,)` and `y` of `(2, 1)`, what shape does that rule give? Look at what torch's node (节点) returns, then at what is in `.grad`:

# %% tags=["demo"]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = torch.tensor([[10.0], [20.0]], requires_grad=True)
z = x * y
for_x, for_y = z.grad_fn(torch.ones(2, 3))
print("for x:", for_x.tolist())
print("for y:", for_y.tolist())
z.backward(torch.ones(2, 3))
print("x.grad", x.grad.tolist())
print("y.grad", y.grad.tolist())

# %% tags=["proof"]
assert for_x.shape == for_y.shape == (2, 3)
assert x.grad.tolist() == [30.0, 30.0, 30.0] and y.grad.tolist() == [[6.0], [6.0]]
home = x.detach().new_ones(2, 3).requires_grad_().sum_to_size(3).grad_fn  # one sum, then the shape
assert (home.name(), home.next_functions[0][0].name()) == ("ViewBackward0", "SumBackward1")
assert torch.equal(for_x.sum(0), x.grad) and torch.equal(for_y.sum(1, keepdim=True), y.grad)

# %% [markdown] tags=["lang-zh"]
# 节点返回的都是 `(2, 3)`，和输出一样大；到了 `.grad`，已经收回成 `(3,)` 和 `(2, 1)`。收的是引擎，不是乘法的规则。所以每条规则都不必操心广播，这件事只写一次。
#
# 收的办法有两步：
#
# 1. 左边多出来的维度，整个加掉。`x` 的第 0 维是新添的，10 加 20 得 30。
# 2. 原来是 1、后来被拉长的维度，加回成 1，维度还留着。`y` 的第 1 维就是，1 加 2 加 3 得 6。
#
# 两步也可以并成一次求和：加过的维度全都以大小 1 留下，再用 `reshape` 去掉左边多出来的。torch 的 `sum_to_size` 就是这样做的。

# %% [markdown] tags=["lang-en"]
# The node returns `(2, 3)` both times, as large as the output; in `.grad` the shapes are `(3,)` and `(2, 1)` again. It is the engine that does this, not the rule for multiplication. So no rule has to care about broadcasting, and the code for it is written only once.
#
# It takes two steps:
#
# 1. Extra dimensions on the left are summed away. For `x` that is dimension 0, which was added; 10 plus 20 gives 30.
# 2. Dimensions that used to be 1 and were stretched are summed back to 1, and stay. For `y` that is dimension 1, where 1 plus 2 plus 3 gives 6.
#
# The two steps can also be a single sum: keep all the summed dimensions as 1, then drop those on the left with `reshape`. That is how torch's `sum_to_size` does it.

# %% tags=["picture"]
from minigrad.viz import draw

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = torch.tensor([[10.0], [20.0]], requires_grad=True)
z = x * y
z.backward(torch.ones(2, 3))
draw(z, params={"x": x, "y": y, "z": z}, show=["shapes", "grads"])

# %% [markdown] tags=["lang-zh"]
# 求和用 `rules.sum(grad, dims, keepdim)`：`dims` 是一个元组，写明加哪几维；`keepdim` 说加完之后这些维度留不留。它对数组和张量都管用：

# %% [markdown] tags=["lang-en"]
# To sum, use `rules.sum(grad, dims, keepdim)`: `dims` is a tuple of the dimensions to sum, and `keepdim` says whether they stay afterwards. It works on arrays and on tensors:

# %%
grid = np.arange(24.0).reshape(2, 3, 4)
print(rules.sum(grid, (0, 1), False).shape, rules.sum(grid, (1, 2), True).shape)

# %% [markdown] tags=["lang-zh"]
# 写 `unbroadcast`：`grad` 是一个大的梯度（gradient），`shape` 是它该回到的形状，一定能拉成 `grad` 的形状。返回形状为 `shape` 的梯度；形状本来就一样，原样返回。`grad` 多半是数组，从自定义规则来的却是张量，所以求和要用 `rules.sum`。
#
# 例子：`grad` 是 `[[1, 2, 3], [4, 5, 6]]`，`shape` 为 `(3,)`，得 `[5, 7, 9]`；`shape` 为 `(2, 1)`，得 `[[6], [15]]`。

# %% [markdown] tags=["lang-en"]
# Write `unbroadcast`: `grad` is a large gradient (梯度), `shape` is the shape to sum it back to, which can always be stretched to that of `grad`. Return a gradient of shape `shape`; if the shapes are the same already, return it as it is. `grad` is mostly an array, but what custom rules return is a tensor; so sum with `rules.sum`.
#
# Example: with `grad` `[[1, 2, 3], [4, 5, 6]]` and `shape` `(3,)`, the answer is `[5, 7, 9]`; with `shape` `(2, 1)`, it is `[[6], [15]]`.


# %% nbgrader={"grade_id": "unbroadcast", "solution": true}
@implements("minigrad.autograd.accumulate.unbroadcast")
def unbroadcast(grad, shape):
    """The gradient summed back to the shape of an input that was broadcast. In torch: grad.sum_to_size(shape).

    grad: a float array, of a shape that `shape` broadcasts to.  shape: a tuple of ints.  Returns shape `shape`.
    Example: grad = [[1., 2., 3.], [4., 5., 6.]], shape = (3,)    ->  [5., 7., 9.]
             grad = [[1., 2., 3.], [4., 5., 6.]], shape = (2, 1)  ->  [[6.], [15.]]
    """
    ### BEGIN SOLUTION
    extra = grad.ndim - len(shape)
    if extra and not shape:
        return grad.sum()
    stretched = [extra + dim for dim, n in enumerate(shape) if n == 1 and grad.shape[extra + dim] != 1]
    if extra or stretched:
        grad = rules.sum(grad, (*range(extra), *stretched), True)
    return grad.reshape(shape) if extra else grad
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_unbroadcast_rows", "grade": true, "points": 2}
check("unbroadcast_rows")

# %% nbgrader={"grade_id": "check_unbroadcast_ones", "grade": true, "points": 2}
check("unbroadcast_ones")

# %% nbgrader={"grade_id": "check_unbroadcast_both", "grade": true, "points": 2}
check("unbroadcast_both")

# %% [markdown] tags=["lang-zh"]
# ## 4 · 广播是免费的吗？
#
# 前向确实几乎免费：`x.expand(10000, 100)` 一个数也不复制，只是换一种读法。很多人于是以为，反向也免费。
#
# 下面量一量：把一行 100 个数拉成 `n` 行，前向和反向各要多久？先猜两条线会是什么样子。

# %% [markdown] tags=["lang-en"]
# ## 4 · Is broadcasting free?
#
# In forward it nearly is: `x.expand(10000, 100)` copies nothing, it just reads the same numbers in another way. So many believe that backward is free as well.
#
# Let's measure: a row of 100 numbers is stretched to `n` rows; how long do forward and backward take? Guess first what the two lines will look like.

# %% tags=["demo"]
import time

x = torch.zeros(1, 100, requires_grad=True)
wide = x.expand(10000, 100)
stored = wide.untyped_storage().nbytes() // 4
print("numbers shown:", wide.numel(), " stored:", stored, " strides:", wide.stride())


def best_of(action, repeats=7):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times) * 1e6


rows = [1, 10, 100, 1000, 10000]
forward = [best_of(lambda: x.expand(n, 100)) for n in rows]
backward = []
for n in rows:
    y, grad = x.expand(n, 100), torch.ones(n, 100)
    backward.append(best_of(lambda: torch.autograd.grad(y, x, grad, retain_graph=True)))
print("forward  (us)", [round(t, 1) for t in forward])
print("backward (us)", [round(t, 1) for t in backward])

# %% tags=["proof"]
assert wide.numel() == 1_000_000 and wide.untyped_storage().nbytes() == 400 and wide.stride() == (0, 1)
assert torch.autograd.grad(x.expand(10, 100).sum(), x)[0].tolist() == [[10.0] * 100]
arrived = []
for n in rows:
    y = x.expand(n, 100)
    assert y.untyped_storage().nbytes() == 400  # forward: as many numbers as before, whatever n
    y.register_hook(lambda grad: arrived.append(grad.untyped_storage().nbytes()))
    (y * y).sum().backward()
assert arrived == [400 * n for n in rows]  # backward: n real rows, each of them to be added

# %% tags=["picture"]
from autograder.plots import axes

ax = axes("拉成多少行 · stretched to how many rows", "微秒 · microseconds")
ax.plot(rows, forward, "o-", label="前向 · forward: expand")
ax.plot(rows, backward, "s--", label="反向 · backward: sum")
ax.legend()
ax.set_xscale("log")
ax.set_yscale("log")

# %% [markdown] tags=["lang-zh"]
# 前向是一条平线：一百万个数，存下来的还是 100 个，步长（stride）里的 0 说的就是“下一行还读这里”。反向的线起初也几乎是平的，那是走一趟反向的固定开销；行数一多就往上走：传来的梯度真的有 `n` 行，每一个数都要加进去。
#
# 所以“广播是免费的”只对了一半：前向免费，反向要求和。
#
# 现在给 `expand` 写规则。前向把 `self` 拉长，反向呢？你刚写好的函数正用得上。例子：`grad` 为 `[[1, 2, 3], [4, 5, 6]]`，`self_shape` 为 `(1, 3)`，得 `[[5, 7, 9]]`。

# %% [markdown] tags=["lang-en"]
# Forward is a flat line: of a million numbers, only 100 are stored, and the 0 among the strides (步长) says "for the next row, read here again". Backward starts out nearly flat as well, at the fixed cost of any backward call; then, with many rows, it climbs: the gradient that arrives has `n` real rows, and every number in it has to be added up.
#
# So "broadcasting is free" is only half right: forward is free, backward has to compute the sum.
#
# Now write the rule for `expand`. Forward stretches `self`; what does backward do? The function you have just written will help. Example: with `grad` `[[1, 2, 3], [4, 5, 6]]` and `self_shape` `(1, 3)`, the answer is `[[5, 7, 9]]`.


# %% nbgrader={"grade_id": "expand_backward", "solution": true}
@implements("minigrad.ops.shape.expand_vjp")
def expand_vjp(grad, self_shape):
    """z = self.expand(...): the gradient for self, of shape self_shape. torch calls the node ExpandBackward0.

    grad: a float array of the shape of z.  self_shape: a tuple of ints.
    Example: grad = [[1., 2., 3.], [4., 5., 6.]], self_shape = (1, 3)  ->  [[5., 7., 9.]]
    """
    ### BEGIN SOLUTION
    return unbroadcast(grad, self_shape)
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_expand_backward", "grade": true, "points": 2}
check("expand_backward")

# %% [markdown] tags=["lang-zh"]
# 第 03 课里，`sum` 的反向是拉长；这里，拉长的反向是 `sum`。两者正好互为反面。
#
# 最后一项检查训练一个到处都在广播的网络：偏置、缩放、一个零维的温度，哪一个都不能错。

# %% [markdown] tags=["lang-en"]
# In lesson 03 the backward of `sum` was stretching; here the backward of stretching is `sum`. Each is the reverse of the other.
#
# The last check trains a network that broadcasts everywhere: biases, a scale, a temperature with no dimensions at all; none of them may be wrong.

# %% nbgrader={"grade_id": "check_broadcast_in_a_network", "grade": true, "points": 3}
check("broadcast_in_a_network")

# %% [markdown] tags=["lang-zh"]
# ## 5 · torch 其实是怎么做的
#
# `unbroadcast` 在 torch 里叫 `sum_to_size`，你可以直接调用。下面有四个目标形状，先猜哪一个会被拒绝：

# %% [markdown] tags=["lang-en"]
# ## 5 · What torch really does
#
# In torch, `unbroadcast` is called `sum_to_size`, and you can call it yourself. There are four target shapes below; guess which one is refused:

# %% tags=["demo"]
grad = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
print(grad.sum_to_size(3), grad.sum_to_size(2, 1), grad.sum_to_size(()))
try:
    grad.sum_to_size(2)
except RuntimeError as error:
    print("RuntimeError:", error)

# %% tags=["proof"]
assert grad.sum_to_size(3).tolist() == [5.0, 7.0, 9.0] and grad.sum_to_size(2, 1).tolist() == [[6.0], [15.0]]
try:
    grad.sum_to_size(2)
    raise AssertionError
except RuntimeError as error:
    assert "expandable" in str(error)

# %% [markdown] tags=["lang-zh"]
# ## 自测
#
# **1.** `x` 的形状是 `(3, 1)`，`y` 的形状是 `(1, 4)`，`(x + y).sum().backward()` 之后，`x.grad` 里是什么数？
#
# <details><summary>答案</summary>全是 4，形状还是 (3, 1)。<code>x</code> 的每个元素都用在 4 列里，每一份的斜率都是 1。</details><br>
#
# **2.** 把第 2 节那个错误程序里的 `mean` 换成 `sum`，会报错吗？怎样才能让这类错误当场暴露？
#
# <details><summary>答案</summary>不会，形状照样能拉到一起。相减之前比较一下形状，例如 <code>assert guess.shape == answer.shape</code>。</details>

# %% [markdown] tags=["lang-en"]
# ## Test yourself
#
# **1.** `x` has shape `(3, 1)` and `y` has shape `(1, 4)`. After `(x + y).sum().backward()`, which numbers are in `x.grad`?
#
# <details><summary>Answer</summary>All 4, and the shape is (3, 1) as before. Each element of <code>x</code> is used in 4 columns, with slope 1 in each.</details><br>
#
# **2.** Replace `mean` by `sum` in the faulty program of section 2. Does it raise an error? How can you make this kind of mistake show at once?
#
# <details><summary>Answer</summary>No, the shapes can still be stretched to match. Compare the shapes before subtracting, as in <code>assert guess.shape == answer.shape</code>.</details>

# %% tags=["proof"]
x = torch.zeros(3, 1, requires_grad=True)
(x + torch.zeros(1, 4)).sum().backward()
assert x.grad.tolist() == [[4.0]] * 3
assert ((guess - answer) ** 2).sum().item() == 12.0 and guess.shape != answer.shape

# %% [markdown] tags=["lang-zh"]
# ## 想一想，写下来
#
# 同学说：“广播只是方便书写，和梯度无关。”用三四句话反驳他：前向复制、反向求和各指什么？举一个例子，说出两个形状和收回来的梯度。为什么是求和，而不是求平均？中文英文都行。这一格由老师评阅，1 分。

# %% [markdown] tags=["lang-en"]
# ## Think, then write
#
# A fellow student says: "Broadcasting is a convenience of notation and has nothing to do with gradients." Prove them wrong in three or four sentences: what is copied in forward, and what is summed in backward? Give an example with two shapes and the gradient after summing. Why a sum and not a mean? In Chinese or English. A teacher reads this cell; it is worth 1 point.

# %% [markdown] nbgrader={"grade_id": "reflection", "grade": true, "solution": true, "points": 1}
# **评分标准（1 分）** 两点都有，给 1 分；例子的形状或数不对，给 0 分：
# 1. 例子正确：例如 (5, 3) 加 (3,)，b 的每个元素用在五行里，梯度沿第 0 维加起来，回到 (3,)；求和后再反向时是 [5, 5, 5]。
# 2. 为什么求和：同一个元素经过每一份各自影响损失，链式法则对所有路径求和；取平均就只剩“份数分之一”了。
#
# 参考回答：b 的形状是 (3,)，加到 (5, 3) 上时被用了五次，它动一点，五行都动。每一行传回一份梯度，所以要沿第 0 维加起来，得到形状 (3,)，上游全是 1 时就是 [5, 5, 5]。损失的变化是五份之和，不是其中一份，所以不能取平均。
#
# **Rubric (1 point)** Both of these for 1 point; an example whose shapes or numbers are wrong, 0:
# 1. A correct example: (5, 3) plus (3,), say: each element of b is used in five rows, the gradients are summed along dimension 0 back to (3,), and are [5, 5, 5] under a plain sum.
# 2. Why a sum: the one element moves the loss through each of its copies, and the chain rule adds up all paths; a mean would be too small by the number of copies.
#
# Model answer: b of shape (3,) is used five times when it is added to (5, 3); nudge it and all five rows move. Each row sends a gradient back, and these are summed along dimension 0 to shape (3,), giving [5, 5, 5] where all ones arrive. The loss changes by all five effects together, not by one of them, so a mean would be wrong.
