# %% [markdown] tags=["lang-zh"]
# # 07 · 梯度累积与清零
#
# 预计 40 分钟
#
# 训练循环里总有一行 `zero_grad()`，人人照抄，却很少有人说得清：不写会怎样？清成 0 和清成 `None` 有什么不同？梯度又为什么要累加？这一课写出叶子（leaf）收梯度的那几行：普通的、带历史的，再加上 `zero_grad` 的两种清法。

# %% [markdown] tags=["lang-en"]
# # 07 · Accumulation and zero_grad
#
# About 40 minutes
#
# Every training loop has a line with `zero_grad()`. Everybody copies it, few can explain it: what happens without it? Is clearing to 0 the same as clearing to `None`? And why do gradients add up in the first place?
# In this lesson you write the lines with which a leaf (叶子) collects its gradient, plain or with a history, and both ways in which `zero_grad` clears it.

# %% tags=["setup"]
import numpy as np

import minigrad
from autograder import check, hint, implements
from minigrad.tensor import from_array

# %% [markdown] tags=["lang-zh"]
# 前几课里通过检查的部件，这一课可以接着用：`use_parts("mine")` 接上你写的，`use_parts("reference")` 换回引擎自己的。评分不受影响：前几课的部件，评分时用的总是引擎自己的。

# %% [markdown] tags=["lang-en"]
# Parts of yours that passed in earlier lessons can go on working in this one: `use_parts("mine")` plugs in yours, `use_parts("reference")` goes back to the engine's own. Grading is not affected: in place of those parts it always uses the engine's own.

# %%
from autograder import use_parts

use_parts("mine")

# %% [markdown] tags=["lang-zh"]
# ## 1 · 同一格运行三遍
#
# `y = x.sum()`，对每个元素的斜率都是 1。在笔记本里一不小心，`y.backward()` 运行了三遍。`x.grad` 会是什么：照旧是 1，报错，还是别的？先猜，再运行。

# %% [markdown] tags=["lang-en"]
# ## 1 · One cell, run three times
#
# `y = x.sum()` has slope 1 for each element. In a notebook, `y.backward()` runs three times by accident. What is in `x.grad`: still 1, an error, something else? Guess, then run.

# %% tags=["demo"]
import torch

x = torch.ones(2, 2, requires_grad=True)
y = x.sum()
for _ in range(3):
    y.backward()
    print(x.grad)

# %% tags=["proof"]
assert x.grad.tolist() == [[3.0, 3.0], [3.0, 3.0]]

# %% [markdown] tags=["lang-zh"]
# 1，2，3：每次 `backward` 都往 `.grad` 里加，从不覆盖。这叫累积（accumulation）。动手的是叶子的 `AccumulateGrad`：第 02 课见过它，名字说的就是这件事。`minigrad` 也一样：

# %% [markdown] tags=["lang-en"]
# 1, 2, 3: each `backward` adds to `.grad`, and none overwrites it. This is accumulation (累积). It is the work of the leaf's `AccumulateGrad`, which you met in lesson 02 and which is named after it. `minigrad` does the same:

# %%
x = minigrad.ones(2, 2, requires_grad=True)
y = x.sum()
for _ in range(3):
    y.backward()
    print(x.grad)

# %% tags=["proof"]
assert x.grad.tolist() == [[3.0, 3.0], [3.0, 3.0]]

# %% [markdown] tags=["lang-zh"]
# ## 2 · 不清零，只是慢一点吗？
#
# “忘了清零无非多费点内存、收敛慢一点”，这话常有人说。试试看：要找的是 `w = 3`，损失（loss）是 $(w - 3)^2$，优化器（optimizer）每步按 `w.grad` 挪动 `w`。
#
# 一个循环每步都清零，另一个从不清。先猜：40 步之后，两边的 `w` 各在哪里？从不清的那一个，给它 4000 步，停得下来吗？

# %% [markdown] tags=["lang-en"]
# ## 2 · Without clearing, is it just slower?
#
# "Forgetting to clear costs a bit of memory and speed, that's all", you often hear. Let's try: the goal is to find `w = 3`, the loss (损失) is $(w - 3)^2$, and at each step an optimizer (优化器) moves `w` by what is in `w.grad`.
#
# One loop clears at every step, the other never does. Guess: after 40 steps, where is `w` in each of them? And will the one that never clears settle down if it gets 4000 steps?


# %% tags=["demo"]
def train(T, clear, steps=40):
    w = T.tensor([0.0], requires_grad=True)
    optimizer = T.optim.SGD([w], lr=0.1)
    losses = []
    for _ in range(steps):
        if clear:
            optimizer.zero_grad()
        loss = ((w - 3) ** 2).sum()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return w.item(), losses


for clear in (True, False):
    w, losses = train(torch, clear)
    print(f"clear = {clear!s:<5}  w = {w:.4f}  worst loss of the last 15 steps: {max(losses[-15:]):.4f}")
print(f"clear = False, 4000 steps  worst loss of the last 15 steps: {max(train(torch, False, 4000)[1][-15:]):.4f}")

# %% tags=["proof"]
w, losses = train(torch, True)
assert abs(w - 3) < 1e-3 and max(losses[-15:]) < 1e-3
w, losses = train(torch, False)
assert max(losses[-15:]) > 8.5
assert losses[0] == 9.0 and max(train(torch, False, 4000)[1][-15:]) > 8.5

# %% tags=["picture"]
from autograder.plots import axes

ax = axes("步数 · steps", "损失 · loss")
for clear, name, style in [(True, "每步清零 · cleared", "-"), (False, "从不清零 · never cleared", "--")]:
    ax.plot(train(minigrad, clear)[1], style, label=name)
ax.set_ylim(top=12)
_ = ax.legend(loc="upper right")

# %% [markdown] tags=["lang-zh"]
# 清零的一边，`w` 早已到了 3；不清的一边来回摆动，到最后，最高处的损失还和开头一样大，跑上 4000 步也停不下来。
#
# 道理很简单：不清零，每一步用的就不是“这里的梯度”，而是“一路走来所有梯度的和”。连方向都会错，这就不是快慢的问题了：清不清零，关系到结果对不对。

# %% [markdown] tags=["lang-en"]
# Where gradients are cleared, `w` reached 3 long ago. Where they aren't, it swings back and forth: at the end the loss still peaks as high as at the beginning, and even 4000 steps don't change that.
#
# The reason is simple: without clearing, a step doesn't follow the gradient at this place, but the sum of the gradients at all places on the way. Even the direction can be wrong, so this isn't a matter of speed: clearing decides whether the result is right.

# %% [markdown] tags=["lang-zh"]
# ## 3 · 那为什么还要累加？
#
# 因为更多的时候，相加正是我们要的。
#
# 1. 同一个权重（weight）用了两次，就有两份梯度到达，链式法则要它们的和。
# 2. 有几个损失，各有各的图，各自 `backward()`，效果和先加起来再 `backward()` 一样。（共用一段图的损失，第 08 课再说。）
# 3. 一个批次太大，内存放不下，就切成几个微批（micro-batch），一块一块地算，梯度攒够了再走一步。
#
# 图里是第一种：两条边通向同一个 `AccumulateGrad`。$w^2 + 2w$ 在 `w = 3` 处，到达的是 6 和 2。

# %% [markdown] tags=["lang-en"]
# ## 3 · Then why accumulate at all?
#
# Because more often than not, a sum is what we want.
#
# 1. A weight (权重) that is used twice receives two gradients, and the chain rule asks for their sum.
# 2. Several losses, each with a graph and a `backward()` of its own, have the same effect as adding them first and calling `backward()` once. (Losses that share part of a graph come up in lesson 08.)
# 3. A batch that doesn't fit into memory is cut into micro-batches (微批) and computed piece by piece, and the step is taken once all the gradients are in.
#
# The picture shows the first: two edges lead to one `AccumulateGrad`. For $w^2 + 2w$ at `w = 3`, what arrives is 6 and 2.

# %% tags=["picture"]
from minigrad.viz import draw

w = torch.tensor([3.0], requires_grad=True)
y = w**2 + 2 * w
y.backward()
draw(y, params={"w": w, "y": y}, show=["shapes", "grads"])

# %% tags=["proof"]
assert w.grad.item() == 8.0
w.grad = None
(w**2).backward()
(2 * w).backward()
assert w.grad.item() == 8.0

# %% [markdown] tags=["lang-zh"]
# 第三种最容易出错。下面有 8 条数据，损失是平均值。切开来算，每块的平均损失各 `backward()` 一次。有人说“反正会累加，什么都不用改”。先猜：切成四块，梯度会是整批的几倍？

# %% [markdown] tags=["lang-en"]
# The third is the one that goes wrong most easily. Below are 8 examples, and the loss is a mean. They are split, and `backward()` is called on the mean loss of each piece. "It accumulates anyway, nothing needs changing", some say. Guess: with four pieces, how many times the whole batch's gradient will it be?

# %% tags=["demo"]
X = torch.arange(1.0, 9.0).reshape(8, 1)
Y = 2 * X + 1
W = torch.zeros(1, 1, requires_grad=True)


def gradient(sizes, factor):
    W.grad = None
    for x, y in zip(X.split(sizes), Y.split(sizes)):
        loss = ((x @ W - y) ** 2).mean()
        (loss * factor(len(x))).backward()
    return W.grad.item()


print("whole batch      ", gradient([8], lambda n: 1))
print("2+2+2+2          ", gradient([2, 2, 2, 2], lambda n: 1))
print("2+2+2+2, each / 4", gradient([2, 2, 2, 2], lambda n: 1 / 4))
print("3+3+2,   each / 3", gradient([3, 3, 2], lambda n: 1 / 3))
print("3+3+2,   by share", gradient([3, 3, 2], lambda n: n / 8))
print("whole batch,  sum", gradient([8], lambda n: n))  # a mean times n is a sum
print("3+3+2,       sums", gradient([3, 3, 2], lambda n: n))

# %% tags=["proof"]
whole = gradient([8], lambda n: 1)
assert abs(gradient([2, 2, 2, 2], lambda n: 1) / whole - 4) < 1e-5
assert abs(gradient([2, 2, 2, 2], lambda n: 1 / 4) / whole - 1) < 1e-5
assert abs(gradient([3, 3, 2], lambda n: 1 / 3) / whole - 1) > 0.02
assert abs(gradient([3, 3, 2], lambda n: n / 8) / whole - 1) < 1e-5
assert abs(gradient([3, 3, 2], lambda n: n) / gradient([8], lambda n: n) - 1) < 1e-5

# %% [markdown] tags=["lang-zh"]
# 四倍：四个平均值相加，不是整批的平均值。除以块数，只在每块一样大时才对；最后一块小一些，就又偏了。每块的损失都乘上它占的份额 `n / 8`，才总是对的。
#
# 所以“微批不用缩放”不成立。只有损失是求和（而不是平均）时，才真的什么都不用改，最后两行就是。

# %% [markdown] tags=["lang-en"]
# Four times: four means added up are not the mean of the whole. Dividing by the number of pieces is right only if all pieces are the same size; with a smaller last piece it is off again. What is always right is to weight the loss of each piece by its share, `n / 8`.
#
# So "micro-batches need no scaling" is wrong. Only if the loss is a sum, not a mean, is there really nothing to change; the last two lines show it.

# %% [markdown] tags=["lang-zh"]
# ## 4 · 第一个梯度是谁的数组？
#
# 累加从第二份开始。第一份到的时候，`.grad` 还是 `None`，把到达的数组直接收下，不就行了？看看加法的节点（node）给两个输入的是什么：

# %% [markdown] tags=["lang-en"]
# ## 4 · Whose array is the first gradient?
#
# Adding starts with the second gradient. When the first arrives, `.grad` is still `None`; why not just keep the array that arrives? See what the node (节点) of an addition passes to its two inputs:

# %% tags=["demo"]
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0, 4.0], requires_grad=True)
c = a + b
v = torch.ones(2)
for_a, for_b = c.grad_fn(v)
print("one memory for both:", for_a.data_ptr() == for_b.data_ptr() == v.data_ptr())

c.backward(v)
a.grad.mul_(10)
print(a.grad, b.grad, v)

# %% tags=["proof"]
assert for_a.data_ptr() == for_b.data_ptr() == v.data_ptr()
assert a.grad.tolist() == [10.0, 10.0] and b.grad.tolist() == v.tolist() == [1.0, 1.0]

# %% [markdown] tags=["lang-zh"]
# 加法什么都没算，把同一份内存（memory）给了两边，还就是你传进去的 `v`。可是到了 `.grad`，`a`、`b` 和 `v` 已经各是各的：改 `a.grad`，另外两个不动。收下之前复制过。
#
# 要是每次都复制，又太浪费：乘法算出来的是全新的数组，除了叶子没有人拿着它，直接收下就好。所以规则是：别人也可能拿着，才复制。

# %% [markdown] tags=["lang-en"]
# The addition computes nothing; it gives the same piece of memory (内存) to both sides, the very `v` that you passed in. Yet in `.grad`, `a`, `b` and `v` each have their own: change `a.grad`, and the other two stay as they were. Somewhere a copy was made.
#
# Copying every time would be a waste: what a multiplication computes is a new array, which nobody else holds, so the leaf can simply keep it. The rule is: copy only what somebody else may hold as well.

# %% [markdown] tags=["lang-zh"]
# 写 `accumulate`。它收到叶子 `variable`、形状和类型都与叶子一样的数组 `grad`，还有 `shared`，一个布尔值：真，就是别人也可能拿着这个数组。这一点引擎会替你判断。手边有三样东西：
#
# - `variable._grad`：`None`，或者已有的梯度，一个张量。
# - `from_array(array)`：给数组套上一个张量，共用内存，不复制；要复制，先 `array.copy()`。
# - `t.add_array_(array)`：把数组原地加进张量 `t`，并给版本号加 1。
#
# 例子：`variable._grad` 是 `[1.]`，来了 `[2.]`，之后是 `[3.]`，而且还是原来那个张量：谁手里拿着 `w.grad`，谁就能看到和。

# %% [markdown] tags=["lang-en"]
# Write `accumulate`. It receives a leaf, `variable`; an array `grad` of the leaf's shape and dtype; and `shared`, a bool: true if somebody else may hold this array. Finding that out is the engine's job. You have three things to work with:
#
# - `variable._grad`: `None`, or the gradient that is already there, a tensor.
# - `from_array(array)`: wraps an array in a tensor that shares its memory, without copying; for a copy, call `array.copy()` first.
# - `t.add_array_(array)`: adds an array to the tensor `t` in place, and adds 1 to its version.
#
# Example: `variable._grad` is `[1.]`, and `[2.]` comes in; then it is `[3.]`, and still the same tensor: whoever holds `w.grad` sees the sum.

# %%
array = np.array([1.0, 2.0])
t = from_array(array)
t.add_array_(np.array([10.0, 10.0]))
print(t, array, "version", t._version)


# %% nbgrader={"grade_id": "accumulate", "solution": true}
@implements("minigrad.autograd.accumulate.accumulate")
def accumulate(variable, grad, shared):
    """variable.grad += grad. In torch: accumulateGrad, the body of every AccumulateGrad node.

    variable: a leaf; variable._grad is None or a tensor.  grad: an array of its shape and dtype.
    shared: a bool, whether somebody else may hold the same array; then, and only then, a first gradient is copied.
    Later gradients are added in place, so that .grad stays the same object.  Returns None.
    Example: variable._grad = [1.], grad = [2.]  ->  variable._grad = [3.], the same tensor
    """
    ### BEGIN SOLUTION
    held = variable._grad
    if held is None:
        variable._grad = from_array(grad.copy() if shared else grad)
    else:
        held.add_array_(grad)
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_first_gradient", "grade": true, "points": 2}
check("first_gradient")

# %% nbgrader={"grade_id": "check_gradients_add_up", "grade": true, "points": 2}
check("gradients_add_up")

# %% nbgrader={"grade_id": "check_micro_batches", "grade": true, "points": 2}
check("micro_batches")

# %% [markdown] tags=["lang-zh"]
# 谁还拿着一个数组，并不总是看得出来，torch 自己也会漏。两个叶子先换形状再相加，各自的梯度是 1，走两遍就是 2。先猜下面打印什么，再运行：

# %% [markdown] tags=["lang-en"]
# Who else holds an array isn't always easy to see: torch itself misses a case. Reshape two leaves and add them: the gradient of each is 1, and 2 after two backward passes. Guess what is printed, then run the cell:

# %% tags=["demo"]
for engine in (torch, minigrad):
    p = engine.zeros(2, requires_grad=True)
    q = engine.zeros(2, requires_grad=True)
    for _ in range(2):
        both = p.reshape(1, 2) + q.reshape(1, 2)
        both.backward(engine.ones(1, 2))
    print(engine.__name__, p.grad, q.grad, "one memory:", p.grad.data_ptr() == q.grad.data_ptr())

# %% tags=["proof"]
assert p.grad.tolist() == q.grad.tolist() == [2.0, 2.0] and p.grad.data_ptr() != q.grad.data_ptr()
p, q = torch.zeros(2, requires_grad=True), torch.zeros(2, requires_grad=True)
for _ in range(2):
    (p.reshape(1, 2) + q.reshape(1, 2)).backward(torch.ones(1, 2))
assert p.grad.tolist() == q.grad.tolist() == [3.0, 3.0] and p.grad.data_ptr() == q.grad.data_ptr()

# %% [markdown] tags=["lang-zh"]
# torch 给的是 3。加法把同一份内存交给两边，两个 `reshape` 的反向各给它套上一个新张量：张量是两个，内存是一份，torch 只看张量，没有复制。第二遍 `p` 往里加 1，`q` 又往里加一次：1 + 1 + 1。
#
# minigrad 看内存：到达的数组是视图（view），就当作别人也可能拿着，`shared` 是真的；你的 `accumulate` 复制了，所以是 2。

# %% [markdown] tags=["lang-en"]
# torch says 3. The addition hands the same memory to both sides, and the backward of each `reshape` wraps it in a new tensor: two tensors, one memory. torch looks at the tensors only, and copies nothing. In the second pass `p` adds its 1 there, and then `q` adds another: 1 + 1 + 1.
#
# minigrad looks at the memory: an array that arrives as a view (视图) counts as one that somebody else may hold, so `shared` is true, your `accumulate` makes a copy, and it says 2.

# %% [markdown] tags=["lang-zh"]
# ## 5 · 梯度自己也有历史的时候
#
# `backward(create_graph=True)` 会把求导的过程也记录下来，于是 `w.grad` 自己带着 `grad_fn`，可以再对它求导。拿它做什么，第 11 课再说；这里只问一件事：这样的梯度还能原地相加吗？
#
# 先用两次普通的 `backward`，再用两次带记录的，看看最初拿在手里的 `first` 怎么变。先猜两行各打印什么。
#
# 最后硬把 `first` 原地加 1，再从用过它的 `squared` 反向，又会怎样？

# %% [markdown] tags=["lang-en"]
# ## 5 · When the gradient itself has a history
#
# `backward(create_graph=True)` records the differentiation as well; `w.grad` then has a `grad_fn` of its own and can be differentiated again. Lesson 11 shows what that is for; here we ask only one thing: may such a gradient still be added to in place?
#
# First two plain `backward`s, then two recorded ones: watch what becomes of `first`, which holds on to the first gradient. Guess what the two lines print.
#
# At the end we add 1 to `first` in place all the same, then go backward from `squared`, which used it. What will happen?

# %% tags=["demo"]
import warnings

# torch warns that such a gradient and its leaf keep each other alive;
# w.grad = None breaks the cycle
warnings.filterwarnings("ignore", "Using backward")

for recorded in (False, True):
    w = torch.tensor([3.0], requires_grad=True)
    (w**3).sum().backward(create_graph=recorded)
    first = w.grad
    (w**3).sum().backward(create_graph=recorded)
    print(first, w.grad, w.grad is first)
    w.grad = None

squared = first * first  # saves first
with torch.no_grad():
    first.add_(1)
try:
    squared.backward()
except RuntimeError as error:
    print("RuntimeError:", str(error).split(":")[0])

# %% tags=["proof"]
for recorded in (False, True):
    w = torch.tensor([3.0], requires_grad=True)
    (w**3).sum().backward(create_graph=recorded)
    first = w.grad
    (w**3).sum().backward(create_graph=recorded)
    assert w.grad.item() == 54.0 and first.item() == (27.0 if recorded else 54.0)
    assert (w.grad is first) is not recorded and (w.grad.grad_fn is not None) is recorded
    w.grad = None
squared = first * first  # saves first
with torch.no_grad():
    first.add_(1)
try:
    squared.backward()
    raise AssertionError
except RuntimeError as error:
    assert "modified by an inplace operation" in str(error)

# %% [markdown] tags=["lang-zh"]
# 普通的梯度：`first` 跟着变成 54，因为它就是 `w.grad`。带历史的：`first` 还是 27，`w.grad` 换成了一个新张量。
#
# 为什么要换？带历史的梯度也许已经被别的运算保存下来，等着反向时用。原地一改，那张图就毁了，就像最后那个报错。所以这时用普通的加法，造一个新张量，加法本身也会被记录。

# %% [markdown] tags=["lang-en"]
# Plain: `first` has become 54 as well, because it is `w.grad`. With a history: `first` is still 27, and `w.grad` is a new tensor.
#
# Why a new one? A gradient with a history may have been saved by some operation that needs it in backward; writing to it in place breaks that graph, as the error at the end says. So an ordinary addition is used, which makes a new tensor and is itself recorded.

# %% [markdown] tags=["lang-zh"]
# 写 `accumulate_graph`。这次 `grad` 不是数组，而是带历史的张量。第一次，放进 `variable._grad` 的是 `grad.copied()`，一个带着历史的复制；之后用 `+`。
#
# 例子：已有 `[1.]`，来了 `[2.]`，之后 `variable._grad` 是 `[3.]`，而拿着旧梯度的人读到的还是 `[1.]`。

# %% [markdown] tags=["lang-en"]
# Write `accumulate_graph`. This time `grad` isn't an array, but a tensor with a history. The first time, what goes into `variable._grad` is `grad.copied()`, a copy that has a history too; after that use `+`.
#
# Example: with `[1.]` there and `[2.]` coming in, `variable._grad` is `[3.]`, and whoever holds the old gradient still reads `[1.]`.


# %% nbgrader={"grade_id": "accumulate_graph", "solution": true}
@implements("minigrad.autograd.accumulate.accumulate_graph")
def accumulate_graph(variable, grad):
    """variable.grad += grad where the gradient has a history (create_graph=True): always a new tensor.

    variable: a leaf; variable._grad is None or a tensor.  grad: a tensor of its shape and dtype.  Returns None.
    Example: variable._grad = [1.], grad = [2.]  ->  variable._grad = [3.], a new tensor; the old one stays [1.]
    """
    ### BEGIN SOLUTION
    held = variable._grad
    variable._grad = grad.copied() if held is None else held + grad
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_gradients_with_history", "grade": true, "points": 2}
check("gradients_with_history")

# %% [markdown] tags=["lang-zh"]
# ## 6 · None 还是 0？
#
# 老教程里的清零是 `w.grad.data.zero_()`。两个疑问：第一次 `backward` 之前写它，会怎样？那个 `.data` 又有什么用？

# %% [markdown] tags=["lang-en"]
# ## 6 · None or 0?
#
# Old tutorials clear with `w.grad.data.zero_()`. Two questions: what if you write that before the first `backward`? And what is the `.data` for?

# %% tags=["demo"]
w = torch.tensor([1.0], requires_grad=True)
try:
    w.grad.zero_()
except AttributeError as error:
    print("AttributeError:", error)

(2 * w).sum().backward()
print(w.grad, "requires_grad =", w.grad.requires_grad)
w.grad.zero_()
print(w.grad)

# %% tags=["proof"]
assert w.grad.tolist() == [0.0] and not w.grad.requires_grad
try:
    torch.tensor([1.0], requires_grad=True).grad.zero_()
    raise AssertionError
except AttributeError as error:
    assert "NoneType" in str(error)

# %% [markdown] tags=["lang-zh"]
# 第一次之前还没有梯度可清，`None` 没有 `zero_`。而普通的梯度自己本来就不要梯度，那个 `.data` 是多余的。
#
# 今天 `optimizer.zero_grad()` 默认设成 `None`，`set_to_none=False` 才写 0。“反正都是没有梯度”，真的一样吗？
#
# 下面 `p` 只在第一步用到，之后的损失与它无关。优化器带着动量（momentum），也就是记得前几步的方向。先猜：后三步里 `p` 动不动？

# %% [markdown] tags=["lang-en"]
# Before the first time there is nothing to clear, and `None` has no `zero_`. And since a plain gradient doesn't require grad, the `.data` is unnecessary.
#
# Today `optimizer.zero_grad()` sets `None` by default, and writes 0 only with `set_to_none=False`. "No gradient either way": is it really the same?
#
# Below, `p` is used only in the first step; the loss of the later steps doesn't depend on it. The optimizer has momentum (动量), which means it remembers the direction of earlier steps. Guess: does `p` move in the last three steps?


# %% tags=["demo"]
import inspect


def positions(T, set_to_none):
    p = T.tensor([1.0], requires_grad=True)
    q = T.tensor([1.0], requires_grad=True)
    optimizer = T.optim.SGD([p, q], lr=0.1, momentum=0.9)
    seen = []
    for step in range(4):
        optimizer.zero_grad(set_to_none)
        loss = 2 * p + 2 * q if step == 0 else 2 * q
        loss.sum().backward()
        optimizer.step()
        seen.append(round(p.item(), 4))
    return seen


print(inspect.signature(torch.optim.Optimizer.zero_grad))
print("None ", positions(torch, True))
print("zeros", positions(torch, False))

# %% tags=["proof"]
assert inspect.signature(torch.optim.Optimizer.zero_grad).parameters["set_to_none"].default is True
assert positions(torch, True) == [0.8, 0.8, 0.8, 0.8]
assert positions(torch, False) == [0.8, 0.62, 0.458, 0.3122]

# %% [markdown] tags=["lang-zh"]
# `None` 的意思是这一步和它无关，优化器就跳过它；0 的意思是它的梯度是 0，优化器照常走一步，动量便推着它继续动。所以 `zero_()` 和 `None` 不是一回事。
#
# 写 `zero_grad`。`self.params` 是参数张量的列表。没有梯度的参数跳过；`set_to_none` 为真，把 `p.grad` 设成 `None`；否则在原来的张量里写 0。
#
# 写 0 之前还有一件小事：上一节那种带历史的梯度，要先用 `p.grad.detach_()` 去掉历史，不然清了零，图还留在内存里。只有 `p.grad.grad_fn` 不是 `None` 时才需要。

# %% [markdown] tags=["lang-en"]
# `None` means that the parameter has no part in this step, and the optimizer skips it; 0 means that its gradient is 0, and the optimizer takes a step as usual, in which momentum keeps it moving. So `zero_()` and `None` are not the same.
#
# Write `zero_grad`. `self.params` is a list of the parameters, which are tensors. Skip those without a gradient; if `set_to_none` is true, set `p.grad` to `None`; otherwise write 0 into the tensor that is there.
#
# One small thing before writing 0: a gradient with a history, like those in the section above, must first be detached with `p.grad.detach_()`, or the zeros would still keep the graph alive. That is needed only if `p.grad.grad_fn` is not `None`.


# %% nbgrader={"grade_id": "zero_grad", "solution": true}
@implements("minigrad.optim.Optimizer.zero_grad")
def zero_grad(self, set_to_none=True):
    """Forget the gradients of all parameters. torch.optim.Optimizer.zero_grad.

    self.params: a list of tensors; p.grad is None or a tensor of p's shape and dtype.
    set_to_none: True: p.grad becomes None.  False: zeros are written into p.grad, which stays the same tensor,
    without a history; where p.grad is None it stays None.  Returns None.
    Example: p.grad = [3.]  ->  None        with set_to_none=False  ->  [0.], in the same tensor
    """
    ### BEGIN SOLUTION
    for p in self.params:
        if p.grad is None:
            continue
        if set_to_none:
            p.grad = None
        else:
            if p.grad.grad_fn is not None:
                p.grad.detach_()
            p.grad.zero_()
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_zero_grad_none", "grade": true, "points": 2}
check("zero_grad_none")

# %% nbgrader={"grade_id": "check_zero_grad_zeros", "grade": true, "points": 2}
check("zero_grad_zeros")

# %% [markdown] tags=["lang-zh"]
# 最后一项检查：一个小网络，每步分两个微批，用两种清法各训练一遍，中间还夹着一次带历史的反向。每一个梯度都和 torch 比，靠的是你写的三个部件。

# %% [markdown] tags=["lang-en"]
# The last check trains a small network, each step in two micro-batches, once with each way of clearing, and with a recorded backward in between. It runs on your three parts, and every gradient is compared with torch.

# %% nbgrader={"grade_id": "check_accumulation_in_training", "grade": true, "points": 3}
check("accumulation_in_training")

# %% [markdown] tags=["lang-zh"]
# ## 7 · torch 其实是怎么做的
#
# torch 也是能不复制就不复制。在 `AccumulateGrad` 运行之前记下到达的内存地址，事后和 `.grad` 的地址比一比（用的是 `register_prehook`，钩子的事第 09 课细讲）。第三次，我们还留着到达的梯度。先猜哪几行是 `True`：

# %% [markdown] tags=["lang-en"]
# ## 7 · What torch really does
#
# torch, too, copies only when it must. Before `AccumulateGrad` runs, we note the address of what arrives, and compare it with the address of `.grad` afterwards (using `register_prehook`; lesson 09 has more about hooks). The third time, we also keep a reference to what arrived. Guess which lines say `True`:


# %% tags=["demo"]
def taken_as_it_is(operation, hold=False):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    y = operation(w)
    collector = y.grad_fn.next_functions[0][0]
    arrived, held = [], []

    def look(grads):
        arrived.append(grads[0].data_ptr())
        if hold:
            held.append(grads[0])

    collector.register_prehook(look)
    y.backward(torch.ones(2))
    return arrived[0] == w.grad.data_ptr()


print("w * 3:      ", taken_as_it_is(lambda w: w * 3))
print("w + 3:      ", taken_as_it_is(lambda w: w + 3))
print("w * 3, held:", taken_as_it_is(lambda w: w * 3, hold=True))

# %% tags=["proof"]
assert taken_as_it_is(lambda w: w * 3) and not taken_as_it_is(lambda w: w + 3)
assert not taken_as_it_is(lambda w: w * 3, hold=True)

# %% [markdown] tags=["lang-zh"]
# 乘法造出的新数组直接成了 `.grad`；加法传来的是你的 `torch.ones(2)`，就复制一份；乘法的那一个只要我们还拿着，也复制。这正是你写的 `shared`：torch 看的是还有没有别人引用着它。

# %% [markdown] tags=["lang-en"]
# The new array that the multiplication made became `.grad` as it was; the addition passed on your `torch.ones(2)`, so that was copied; and even the multiplication's array is copied while we still hold it. This is your `shared`: torch goes by whether anyone else still has a reference.

# %% [markdown] tags=["lang-zh"]
# ## 自测
#
# **1.** 训练循环写成了 `loss.backward()`、`optimizer.zero_grad()`、`optimizer.step()` 这个顺序。会怎样？
#
# <details><summary>答案</summary>梯度刚算好就被清成了 None，step 跳过所有参数，什么也不动，也不报错。</details><br>
#
# **2.** `w = 3`，`w * w` 建了两次图，各 `backward()` 一次，没有清零。`w.grad` 是几？
#
# <details><summary>答案</summary>12。每次是 2w，也就是 6，两次相加。</details>

# %% [markdown] tags=["lang-en"]
# ## Test yourself
#
# **1.** A training loop has `loss.backward()`, `optimizer.zero_grad()`, `optimizer.step()`, in that order. What happens?
#
# <details><summary>Answer</summary>The gradients are set to None as soon as they are there, so step skips every parameter: nothing moves, and no error is raised.</details><br>
#
# **2.** With `w = 3`, the graph of `w * w` is built twice, with one `backward()` each and no clearing. What is `w.grad`?
#
# <details><summary>Answer</summary>12. Each time it is 2w, which is 6, and the two are added.</details>

# %% tags=["proof"]
w = torch.tensor([3.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
(w * w).sum().backward()
(w * w).sum().backward()
assert w.grad.item() == 12.0
optimizer.zero_grad()
optimizer.step()
assert w.grad is None and w.item() == 3.0

# %% [markdown] tags=["lang-zh"]
# ## 想一想，写下来
#
# 你想用 32 条数据的批次训练，显卡却只放得下 8 条，最后一批又只剩 20 条。用三到五句话写出你的训练循环：什么时候清零，每块的损失乘什么，什么时候 `step`？要是忘了缩放，效果相当于改动了哪个设置？中文英文都行。这一格由老师评阅，1 分。

# %% [markdown] tags=["lang-en"]
# ## Think, then write
#
# You want batches of 32 examples, but only 8 fit on the graphics card, and the last batch has just 20. Describe your training loop in three to five sentences: when do you clear, what do you multiply the loss of each piece by, and when do you `step`? And if you forget the scaling, which setting have you in effect changed? In Chinese or English. A teacher reads this cell; it is worth 1 point.

# %% [markdown] nbgrader={"grade_id": "reflection", "grade": true, "solution": true, "points": 1}
# **评分标准（1 分）** 下面三点说清两点（其中必须有第 2 点），给 1 分：
# 1. 每个批次（而不是每个微批）开始时清零一次，所有微批都 backward 之后 step 一次。
# 2. 损失是平均值时，每块乘上它的份额：8 / 32；最后一批是 8 / 20、8 / 20、4 / 20。只说“除以块数”的，要指出它在块不一样大时不对。
# 3. 忘了缩放，有几块，梯度就是原来的几倍，这里是四倍；对普通的 SGD，相当于学习率变成四倍。
#
# 参考回答：每个批次先 zero_grad，再把 32 条切成四块，每块的平均损失乘 8/32 后 backward，四块都做完才 step。最后一批 20 条切成 8、8、4，份额是 8/20、8/20、4/20。忘了乘，梯度就是四个平均值之和，等于把学习率放大到四倍。
#
# **Rubric (1 point)** Two of these three, the second among them:
# 1. Clear once per batch (not per micro-batch) at its beginning; step once, after all pieces have had their backward.
# 2. With a mean loss, each piece is weighted by its share: 8 / 32; in the last batch 8 / 20, 8 / 20 and 4 / 20. "Divide by the number of pieces" counts only with the remark that it fails for unequal pieces.
# 3. Without scaling the gradient is as many times as large as there are pieces, here four times; for plain SGD that is a learning rate four times as large.
#
# Model answer: zero_grad at the start of each batch, cut the 32 into four pieces, multiply the mean loss of each by 8/32 and call backward, and step after the fourth. The last 20 are cut into 8, 8 and 4, with shares 8/20, 8/20 and 4/20. Without the factor the gradient is the sum of four means, which amounts to a learning rate four times as large.
