# %% [markdown] tags=["lang-zh"]
# # 06 · 非标量输出与 gradient 参数
#
# 预计 45 分钟
#
# “只能对标量求导”，报错信息也好像是这么说的。可是 `backward` 有一个参数叫 `gradient`，给了它，矩阵也能反向。这一课弄清楚它是什么，写出反向从什么梯度出发的规则，再用它把整个雅可比矩阵一行一行地求出来。

# %% [markdown] tags=["lang-en"]
# # 06 · Non-scalar outputs and the gradient argument
#
# About 45 minutes
#
# "You can only differentiate scalars", people say, and the error message seems to agree. Yet `backward` has an argument called `gradient`, and with it even a matrix can go backward.
# In this lesson you find out what it is, write the rule for the gradient that backward starts with, and use it to get the whole Jacobian, row by row.

# %% tags=["setup"]
import minigrad
from autograder import check, hint, implements
from minigrad.autograd import grad
from minigrad.autograd.functional import zeros_like
from minigrad.autograd.roots import ONLY_SCALARS, mismatch, ones_for

# %% [markdown] tags=["lang-zh"]
# 前几课里通过检查的部件，这一课可以接着用：`use_parts("mine")` 接上你写的，`use_parts("reference")` 换回引擎自己的。评分不受影响：前几课的部件，评分时用的总是引擎自己的。

# %% [markdown] tags=["lang-en"]
# Parts of yours that passed in earlier lessons can go on working in this one: `use_parts("mine")` plugs in yours, `use_parts("reference")` goes back to the engine's own. Grading is not affected: in place of those parts it always uses the engine's own.

# %%
from autograder import use_parts

use_parts("mine")

# %% [markdown] tags=["lang-zh"]
# ## 1 · z 是个矩阵，它能反向吗？
#
# $y = x + 1$，$z = 2y^2$，都是 2 行 3 列的张量（tensor）。`z.backward()` 会怎样？第二次给它一个参数，又会怎样？最后再和 `z.mean().backward()` 比一比。先猜，再运行。

# %% [markdown] tags=["lang-en"]
# ## 1 · z is a matrix; can it go backward?
#
# $y = x + 1$ and $z = 2y^2$ are tensors (张量) of 2 rows and 3 columns. What will `z.backward()` do? And with an argument? The last lines compare it with `z.mean().backward()`. Guess, then run.


# %% tags=["demo"]
import torch


def compute():
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    y = x + 1
    return x, 2 * y * y


x, z = compute()
try:
    z.backward()
except RuntimeError as error:
    print("RuntimeError:", error)

x, z = compute()
z.backward(torch.ones(2, 3) / 6)
print("z.backward(ones / 6)", x.grad, sep="\n")

x, z = compute()
z.mean().backward()
print("z.mean().backward()", x.grad, sep="\n")

# %% tags=["proof"]
of_mean = x.grad
x, z = compute()
try:
    z.backward()
    raise AssertionError
except RuntimeError as error:
    assert str(error) == "grad can be implicitly created only for scalar outputs"
z.backward(torch.ones(2, 3) / 6)
assert torch.allclose(x.grad, of_mean)

# %% [markdown] tags=["lang-zh"]
# 矩阵也反向了，结果和先求平均一样。所以“只能对标量（scalar）求导”不对。把报错读仔细：不行的是“implicitly created”，意思是你什么也没给，torch 不肯替你造一个起点的梯度（gradient）。
#
# 平均做的事，不过是给六个数各一份权重（weight），都是六分之一。你把这六个权重直接交给 `backward`，平均那一步就不用做了。

# %% [markdown] tags=["lang-en"]
# The matrix did go backward, and the result is as if the mean had been taken first. So "you can only differentiate scalars (标量)" is wrong. Read the error closely: what it refuses is "implicitly created". You gave nothing, and torch won't invent a gradient (梯度) to start with.
#
# All the mean does is give each of the six numbers a weight (权重) of one sixth. Hand these six weights to `backward` yourself, and the mean is no longer needed.

# %% tags=["picture"]
from minigrad.viz import draw

x = minigrad.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
y = x + 1
z = 2 * y * y
z.backward(minigrad.ones(2, 3) / 6)
draw(z, params={"x": x, "y": y, "z": z}, show=["shapes", "grads"])

# %% tags=["proof"]
assert torch.allclose(torch.tensor(x.grad.tolist()), of_mean)

# %% [markdown] tags=["lang-zh"]
# ## 2 · backward 算的到底是什么？
#
# 取 $y = Wx$，`W` 有 2 行 3 列。`y` 的每个元素对 `x` 的每个元素都有一个导数，摆成一张表，就是雅可比矩阵（Jacobian）$J$；这里它就是 `W`。
#
# 下面用三个不同的 `v` 各反向一次。猜猜每次的 `x.grad`，再说出它和 `W` 的两行有什么关系。

# %% [markdown] tags=["lang-en"]
# ## 2 · What does backward compute?
#
# Take $y = Wx$, where `W` has 2 rows and 3 columns. Each element of `y` has a derivative with respect to each element of `x`; laid out as a table, these are the Jacobian (雅可比矩阵) $J$, which here is `W` itself.
#
# Below we go backward three times, each with a different `v`. Guess `x.grad` each time, and say how it relates to the two rows of `W`.

# %% tags=["demo"]
W = torch.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
arrived = []
for v in ([1.0, 0.0], [0.0, 1.0], [2.0, 0.5]):
    x = torch.tensor([1.0, 1.0, 1.0], requires_grad=True)
    (W @ x).backward(torch.tensor(v))
    arrived.append(x.grad)
    print("v =", v, "  x.grad =", x.grad.tolist())

# %% tags=["proof"]
assert torch.equal(arrived[0], W[0]) and torch.equal(arrived[1], W[1])
assert torch.equal(arrived[2], 2 * W[0] + 0.5 * W[1]) and torch.equal(arrived[2], torch.tensor([2.0, 0.5]) @ W)

# %% [markdown] tags=["lang-zh"]
# 权重是 1 和 0，得到第一行；是 0 和 1，得到第二行；是 2 和 0.5，得到的是两行各乘一个数再相加。`backward` 算的是 $v^T J$：`J` 的各行，按 `v` 加权求和。它从不把 `J` 整个造出来。
#
# 标量不过是特例：`y` 只有一个元素，`J` 只有一行，`v` 是 1。所以 `out.backward()` 和 `out.backward(torch.tensor(1.0))` 是一回事。
#
# 再看一个有循环的例子。翻倍多少次，事先不知道，图是边跑边长出来的。先猜：`x.grad` 和 `v` 有什么关系？

# %% [markdown] tags=["lang-en"]
# With weights 1 and 0 you get the first row; with 0 and 1, the second; with 2 and 0.5, each row times its number, added up. What `backward` computes is $v^T J$: the rows of `J`, weighted by `v` and summed. It never builds all of `J`.
#
# A scalar is just a special case: `y` has one element, `J` one row, and `v` is 1. So `out.backward()` and `out.backward(torch.tensor(1.0))` are the same thing.
#
# Another example, with a loop in it. How many doublings there will be isn't known beforehand; the graph grows as the program runs. Guess: how is `x.grad` related to `v`?

# %% tags=["demo"]
x = torch.tensor([0.6, 0.8, 0.8], requires_grad=True)
y = x * 2
times = 1
while y.detach().norm() < 1000:  # old notes write y.data.norm(); only reading, that is harmless
    y = y * 2
    times += 1
v = torch.tensor([0.1, 1.0, 0.0001])
y.backward(v)
print("doubled", times, "times; x.grad =", x.grad)

out = (x * x).mean()
implicit = torch.autograd.grad(out, x, retain_graph=True)[0]
explicit = torch.autograd.grad(out, x, torch.tensor(1.0))[0]
print("the same:", torch.equal(implicit, explicit))

# %% tags=["proof"]
assert (
    times == 10
    and y.data.norm() == y.detach().norm() >= 1000
    and torch.allclose(x.grad, 1024 * torch.tensor([0.1, 1.0, 0.0001]))
)
assert torch.equal(implicit, explicit)

# %% [markdown] tags=["lang-zh"]
# 翻倍十次，每个 `y` 都是自己那个 `x` 的 1024 倍：$J$ 的对角线上是 1024，别处是 0，所以 `x.grad` 就是 1024 乘 `v`。图是怎么长出来的，反向并不在意。

# %% [markdown] tags=["lang-en"]
# Ten doublings make each `y` 1024 times its own `x`: $J$ has 1024 along its diagonal and 0 elsewhere, so `x.grad` is 1024 times `v`. Backward doesn't care how the graph was built.

# %% [markdown] tags=["lang-zh"]
# ## 3 · 权重不同的损失
#
# 模型有三个损失（loss）：看重第二个，不太在乎第三个。可以先加权求和再反向，也可以把权重直接交给 `backward`。结果一样吗？
#
# 顺带看两个旧习惯：老笔记把权重写成只有一行的矩阵；还有的照搬 `torch.autograd.backward` 从前的参数名 `grad_variables`。今天这样交给张量的 `backward`，还行吗？

# %% [markdown] tags=["lang-en"]
# ## 3 · Losses with different weights
#
# A model has three losses (损失); the second matters a lot, the third very little. You can weight and sum them first and then go backward, or hand the weights to `backward`. Is the result the same?
#
# And two old habits along the way: old notes write the weights as a matrix with a single row, and some borrow `grad_variables`, the name that an argument of `torch.autograd.backward` once had. Given to a tensor's `backward` today, do these still work?


# %% tags=["demo"]
def three_losses(w):
    return torch.stack([(w - 1).pow(2).sum(), (w * 3).sum(), w.exp().sum()])


weights = torch.tensor([1.0, 10.0, 0.001])

w = torch.tensor([0.5, -0.5], requires_grad=True)
three_losses(w).backward(weights)
print("weights to backward:  ", w.grad)

u = torch.tensor([0.5, -0.5], requires_grad=True)
(three_losses(u) * weights).sum().backward()
print("weighted, then summed:", u.grad)

for given in ({"gradient": weights.reshape(1, 3)}, {"grad_variables": weights}):
    try:
        three_losses(w).backward(**given)
    except (RuntimeError, TypeError) as error:
        print(f"{type(error).__name__}: {error}")

# %% tags=["proof"]
import warnings

assert torch.allclose(w.grad, u.grad)
try:
    three_losses(w).backward(weights.reshape(1, 3))
    raise AssertionError
except RuntimeError as error:
    assert str(error).startswith("Mismatch in shape: grad_output[0] has a shape of torch.Size([1, 3])")
try:
    three_losses(w).backward(grad_variables=weights)
    raise AssertionError
except TypeError as error:
    assert "grad_variables" in str(error)
fresh = torch.tensor([0.5, -0.5], requires_grad=True)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    torch.autograd.backward(three_losses(fresh), grad_variables=weights)
assert torch.equal(fresh.grad, w.grad) and said[0].category is FutureWarning and "grad_tensors" in str(said[0].message)

# %% [markdown] tags=["lang-zh"]
# 结果一样。权重和输出一一对应，所以形状（shape）必须一模一样。
#
# 名字呢，张量的 `backward` 只认 `gradient`。`torch.autograd.backward` 的参数如今叫 `grad_tensors`；旧名 `grad_variables` 它还认，只是会警告。

# %% [markdown] tags=["lang-en"]
# The result is the same. Weights and outputs correspond one to one, so the shape (形状) has to be exactly the same.
#
# As for the name, a tensor's `backward` knows only `gradient`. The argument of `torch.autograd.backward` is called `grad_tensors` now; the old name, `grad_variables`, is still accepted there, with a warning.

# %% [markdown] tags=["lang-zh"]
# ## 4 · 从什么梯度出发？
#
# “形状要一样”，到底有多严？按第 04 课的规则，`(3,)` 和 `(1, 3)` 能拉到一起，元素个数也相同。下面每种输出配一种给法，`None` 是什么也不给。先给每一行写下“行”或“不行”。

# %% [markdown] tags=["lang-en"]
# ## 4 · Which gradient does backward start with?
#
# "The same shape": how strict is that? By the rules of lesson 04, `(3,)` and `(1, 3)` can be stretched to match, and they have the same number of elements. Below, each output is paired with what is given for it; `None` means nothing at all. First write down "yes" or "no" for each line.

# %% tags=["demo"]
from textwrap import shorten

allowed = []
for shape, given in [
    ((), None),
    ((1,), None),
    ((1, 1), None),
    ((3,), None),
    ((3,), (3,)),
    ((3,), (1, 3)),
    ((3,), (1,)),
    ((3,), ()),
    ((), (1,)),
]:
    output = torch.zeros(shape, requires_grad=True) * 2
    try:
        output.backward(None if given is None else torch.ones(given))
        allowed.append(True)
        print(f"output {shape!s:<7} given {given!s:<7} fine")
    except RuntimeError as error:
        allowed.append(False)
        print(f"output {shape!s:<7} given {given!s:<7} {shorten(str(error), 58, placeholder=' ...')}")

# %% tags=["proof"]
assert allowed == [True, True, True, False, True, False, False, False, False]

# %% [markdown] tags=["lang-zh"]
# 规则只有两条：
#
# 1. 什么也没给：输出只有一个元素才行，从 1 出发。`(1,)` 和 `(1, 1)` 也只有一个元素，维度不要紧。
# 2. 给了：形状和输出一模一样才行，从给的出发。不广播，光是元素个数相同也不行。
#
# 现在写 `root_gradient`。`output` 是要反向的张量，`given` 是 `None` 或一个张量，`index` 是第几个输出，报错时要说。返回起点的梯度，形状和 `output` 相同。
#
# 手边有：`output.numel()` 是元素个数；`ones_for(output)` 造出形状和类型都合适的 1；`ONLY_SCALARS` 和 `mismatch(output, given, index)` 是 torch 的两段报错文字，配 `RuntimeError`。
#
# 例子：`output` 形状为 `()`，`given` 是 `None`，得 1；`output` 形状为 `(3,)`，`given` 是 `None`，报错；`given` 是 `[1, 10, 0.1]`，原样返回。

# %% [markdown] tags=["lang-en"]
# There are just two rules:
#
# 1. Nothing given: fine only if the output has exactly one element; start with 1. `(1,)` and `(1, 1)` have one element as well; the dimensions don't matter.
# 2. Something given: fine only if its shape is exactly the output's; start with what was given. There is no broadcasting, and the right number of elements isn't enough.
#
# Now write `root_gradient`. `output` is the tensor to go backward from, `given` is `None` or a tensor, `index` says which of several outputs this is, for the error message. Return the gradient to start with, in the shape of `output`.
#
# You have: `output.numel()`, the number of elements; `ones_for(output)`, which makes a 1 of the right shape and type; `ONLY_SCALARS` and `mismatch(output, given, index)`, torch's two messages, to go into a `RuntimeError`.
#
# Example: `output` of shape `()` and `given` `None`: 1; `output` of shape `(3,)` and `given` `None`: an error; `given` `[1, 10, 0.1]`: returned as it is.


# %% nbgrader={"grade_id": "root_gradient", "solution": true}
@implements("minigrad.autograd.roots.root_gradient")
def root_gradient(output, given, index):
    """The gradient that an output starts with. In torch: torch.autograd._make_grads.

    output: a float tensor of any shape.  given: None, or a tensor.  index: an int, for the message.
    Returns a tensor of the output's shape; RuntimeError where nothing, or the wrong shape, was given.
    Example: output of shape (), given None  ->  tensor(1.)        output of shape (3,), given None  ->  RuntimeError
    """
    ### BEGIN SOLUTION
    if given is None:
        if output.numel() != 1:
            raise RuntimeError(ONLY_SCALARS)
        return ones_for(output)
    if given.shape != output.shape:
        raise RuntimeError(mismatch(output, given, index))
    return given
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_nothing_given", "grade": true, "points": 2}
check("nothing_given")

# %% nbgrader={"grade_id": "check_a_gradient_given", "grade": true, "points": 2}
check("a_gradient_given")

# %% nbgrader={"grade_id": "check_what_does_not_fit", "grade": true, "points": 2}
check("what_does_not_fit")

# %% [markdown] tags=["lang-zh"]
# ## 5 · 想要整个 J，怎么办？
#
# 一种常见的误会：给一个全为一的 `gradient`，就能得到每个输出各自的导数。拿 $y = Wx$ 试试，两行各是多少，你已经知道了。先猜 `x.grad` 有几个数。

# %% [markdown] tags=["lang-en"]
# ## 5 · What if you want all of J?
#
# A common misunderstanding: pass a `gradient` of all ones, and you get the derivatives of each output. Try it on $y = Wx$, whose two rows you know by now. First guess how many numbers `x.grad` will have.

# %% tags=["demo"]
x = torch.tensor([1.0, 1.0, 1.0], requires_grad=True)
(W @ x).backward(torch.ones(2))
print("all ones:", x.grad.tolist())
print("one row for each:", torch.autograd.functional.jacobian(lambda x: W @ x, x.detach()).tolist())

# %% tags=["proof"]
assert x.grad.tolist() == [11.0, 22.0, 33.0] and torch.equal(x.grad, W.sum(0))
assert torch.equal(torch.autograd.functional.jacobian(lambda x: W @ x, x.detach()), W)

# %% [markdown] tags=["lang-zh"]
# 全为一，得到的是各行之和，分不开了。要分开，就一次只问一个元素：它的权重是 1，别的都是 0，得到的就是它那一行。有几个元素，就反向几次，图要一直留着。
#
# 写 `jacobian_rows`。`output` 是算好的张量，形状任意；`inputs` 是它依赖的几个张量。返回一个列表，`output` 的每个元素一行，按 `reshape(-1)` 的次序；每一行就是 `grad` 给的那个元组（tuple），没有用到的输入那里是 `None`。
#
# `grad` 是 `minigrad.autograd.grad`：`grad(output, inputs, weights, retain_graph=True, create_graph=create_graph, allow_unused=True)` 从 `output` 反向一次，权重是 `weights`，不碰任何 `.grad`。
#
# `zeros_like(output)` 造出同样形状的零。每一行都用新造的权重：`create_graph` 为真时它会被保存，事后再改写就要报错。
#
# 例子：$y = x^2$，`x` 为 `[1, 2, 3]`，三行是 `[2, 0, 0]`、`[0, 4, 0]`、`[0, 0, 6]`。

# %% [markdown] tags=["lang-en"]
# All ones give the sum of the rows, which can't be separated again. To keep the rows apart, ask for one element at a time: with weight 1 for it and 0 for all others, you get its row. That takes one backward per element, and the graph has to be kept throughout.
#
# Write `jacobian_rows`. `output` is a tensor that has already been computed, of any shape; `inputs` are the tensors it depends on. Return a list with one row for each element of `output`, in the order of `reshape(-1)`; a row is just the tuple (元组) that `grad` gives, with `None` for an input that wasn't used.
#
# `grad` is `minigrad.autograd.grad`: `grad(output, inputs, weights, retain_graph=True, create_graph=create_graph, allow_unused=True)` goes backward once from `output`, with `weights` as the weights, and touches no `.grad`.
#
# `zeros_like(output)` makes zeros of the same shape. Make new weights for every row: where `create_graph` is true they get saved, and writing to them afterwards is an error.
#
# Example: $y = x^2$, with `x` `[1, 2, 3]`: the three rows are `[2, 0, 0]`, `[0, 4, 0]`, `[0, 0, 6]`.


# %% nbgrader={"grade_id": "jacobian_rows", "solution": true}
@implements("minigrad.autograd.functional.jacobian_rows")
def jacobian_rows(output, inputs, create_graph):
    """One row of the Jacobian for each element of the output; torch.autograd.functional.jacobian is made of these.

    output: a float tensor of any shape.  inputs: a tuple of tensors.  create_graph: a bool, for grad.
    Returns a list of output.numel() tuples, each with a tensor of the input's shape, or None, for every input.
    Example: y = x * x, x = [1., 2., 3.], inputs (x,)  ->  [([2., 0., 0.],), ([0., 4., 0.],), ([0., 0., 6.],)]
    """
    ### BEGIN SOLUTION
    rows = []
    for number in range(output.numel()):
        weights = zeros_like(output).reshape(-1)
        weights[number] = 1.0
        weights = weights.reshape(output.shape)
        rows.append(grad(output, inputs, weights, retain_graph=True, create_graph=create_graph, allow_unused=True))
    return rows
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_row_by_row", "grade": true, "points": 3}
check("row_by_row")

# %% [markdown] tags=["lang-zh"]
# 每行一次反向，这笔账要算一算。下图画的是，有 `n` 个输出时，求整个 $J$ 要多久，求一个 $v^T J$ 要多久。先猜哪条线更陡。

# %% [markdown] tags=["lang-en"]
# One backward for every row: let's see what that costs. The picture shows, for `n` outputs, how long all of $J$ takes and how long one $v^T J$ takes. Guess first which line is the steeper one.

# %% tags=["picture"]
import time

from autograder.plots import axes


def milliseconds(action, repeats=3):
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - start)
    return best * 1e3


sizes = [1, 10, 20, 40, 80]
whole, product = [], []
for n in sizes:
    x = minigrad.ones(n, requires_grad=True)
    whole.append(milliseconds(lambda: minigrad.autograd.functional.jacobian(lambda x: x.exp().tanh(), x)))
    product.append(milliseconds(lambda: x.exp().tanh().backward(minigrad.ones(n))))
ax = axes("输出的个数 · number of outputs", "毫秒 · milliseconds")
ax.plot(sizes, whole, "o-", label="J")
ax.plot(sizes, product, "s--", label="vᵀJ")
_ = ax.legend()

# %% tags=["proof"]
walks = []


def watched(x):
    y = x.exp()
    y.register_hook(lambda grad: walks.append(1))
    return y.tanh()


x = minigrad.ones(80, requires_grad=True)
watched(x).backward(minigrad.ones(80))
assert len(walks) == 1  # vᵀJ: one walk through the graph
walks.clear()
minigrad.autograd.functional.jacobian(watched, x)
assert len(walks) == 80  # J: a walk for each output

# %% [markdown] tags=["lang-zh"]
# 整个 $J$ 随输出的个数一路上涨，$v^T J$ 几乎是平的。训练只要后者：损失是一个数，`v` 就是 1。这也是为什么 `backward` 要你给权重，而不是默默地把 $J$ 整个算给你。
#
# 最后一项检查：一个小网络，三个损失，用你的两个部件求出各行，加权，再训练两步。

# %% [markdown] tags=["lang-en"]
# The time for all of $J$ climbs with the number of outputs; that for $v^T J$ stays almost flat. Training needs only the latter: the loss is one number, and `v` is 1. That is also why `backward` asks you for weights instead of silently computing all of $J$.
#
# The last check takes a small network with three losses and uses your two parts to compute the rows, weight them, and train for two steps.

# %% nbgrader={"grade_id": "check_weights_and_rows", "grade": true, "points": 3}
check("weights_and_rows")

# %% [markdown] tags=["lang-zh"]
# ## 6 · torch 其实是怎么做的
#
# 这条规则在 torch 里也是一段 Python，叫 `_make_grads`，里面找得到你写的那几行。至于 $J$，torch 还有一个办法：把所有的 `v` 叠在一起交给它。先猜：下面三行，要反向几次？路上登记一个钩子，替我们数着：

# %% [markdown] tags=["lang-en"]
# ## 6 · What torch really does
#
# In torch, too, this rule is a bit of Python, called `_make_grads`; look for your own lines in it. As for $J$, torch has another way: give it all the `v`, stacked. Guess: how many times does it go backward for the three rows below? A hook on the way counts:

# %% tags=["demo"]
import inspect

source = inspect.getsource(torch.autograd._make_grads)
for line in source.splitlines():
    if "numel() == 1" in line or "ones_like" in line:
        print(line.strip())

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y, passed = x * x, []
y.register_hook(lambda grad: passed.append(grad.shape))
(rows,) = torch.autograd.grad(y, x, torch.eye(3), is_grads_batched=True)
print(rows)
print("times backward:", len(passed))

# %% tags=["proof"]
assert "numel() == 1" in source and "ones_like" in source
assert torch.equal(rows, torch.diag(torch.tensor([2.0, 4.0, 6.0]))) and len(passed) == 1

# %% [markdown] tags=["lang-zh"]
# 只有一次。`torch.eye(3)` 的三行是三组权重，摞在一起，走一遍就都带了回来，正好是 $J$ 的三行。

# %% [markdown] tags=["lang-en"]
# Just once. The three rows of `torch.eye(3)` are three sets of weights, stacked; a single walk brings them all back, and they are the three rows of $J$.

# %% [markdown] tags=["lang-zh"]
# ## 自测
#
# **1.** $y = x^2$，`x` 为 `[1, 2, 3]`，`y.backward(torch.tensor([0.0, 1.0, 0.0]))` 之后，`x.grad` 是什么？
#
# <details><summary>答案</summary><code>[0, 4, 0]</code>：只问了第二个元素，得到 J 的第二行。</details><br>
#
# **2.** `y` 的形状是 `(2, 2)`，`y.sum().backward()` 可以怎样改写成对 `y` 的反向？
#
# <details><summary>答案</summary><code>y.backward(torch.ones(2, 2))</code>。求和就是每个元素的权重都是 1。</details>

# %% [markdown] tags=["lang-en"]
# ## Test yourself
#
# **1.** $y = x^2$, with `x` `[1, 2, 3]`. After `y.backward(torch.tensor([0.0, 1.0, 0.0]))`, what is `x.grad`?
#
# <details><summary>Answer</summary><code>[0, 4, 0]</code>: you asked only about the second element, so you get the second row of J.</details><br>
#
# **2.** `y` has shape `(2, 2)`. How can `y.sum().backward()` be rewritten as a backward from `y`?
#
# <details><summary>Answer</summary><code>y.backward(torch.ones(2, 2))</code>. A sum gives each element the weight 1.</details>

# %% tags=["proof"]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
(x * x).backward(torch.tensor([0.0, 1.0, 0.0]))
assert x.grad.tolist() == [0.0, 4.0, 0.0]
x = torch.rand(2, 2, requires_grad=True)
(summed,) = torch.autograd.grad((x * x).sum(), x)
(x * x).backward(torch.ones(2, 2))
assert torch.equal(summed, x.grad)

# %% [markdown] tags=["lang-zh"]
# ## 想一想，写下来
#
# 同学的 `loss` 是每条数据一个数，`loss.backward()` 报错，他改成 `loss.backward(torch.ones_like(loss))`，不报错了。用三四句话告诉他：他现在算的是什么，和 `loss.mean().backward()` 差在哪里？torch 为什么不肯自己补上这些权重？要是他想知道每条数据各自的梯度，该怎么做？中文英文都行。这一格由老师评阅，1 分。

# %% [markdown] tags=["lang-en"]
# ## Think, then write
#
# A fellow student's `loss` has one number for each example; `loss.backward()` raised an error, so they changed it to `loss.backward(torch.ones_like(loss))`, and the error is gone. Tell them in three or four sentences: what do they compute now, and how does it differ from `loss.mean().backward()`? Why won't torch fill in these weights by itself? And if they want the gradient for each example, what should they do? In Chinese or English. A teacher reads this cell; it is worth 1 point.

# %% [markdown] nbgrader={"grade_id": "reflection", "grade": true, "solution": true, "points": 1}
# **评分标准（1 分）** 下面三点说对两点（其中必须有第 1 点），给 1 分：
# 1. 他算的是各条损失之和的梯度，也就是 J 的各行相加；它是平均的 n 倍（n 是数据条数），学习率不变的话，步子也是 n 倍。
# 2. 权重是一种选择：相加、平均、各有轻重，结果都不同，torch 不替人决定，所以要么给标量，要么给权重。
# 3. 每条数据各自的梯度是 J 的各行：一次一个元素地反向（权重一个 1，其余 0），保留图；或用 torch.autograd.functional.jacobian。
#
# 参考回答：权重全是 1，算的是所有损失之和的梯度，是平均的 n 倍，同样的学习率下，每一步也是 n 倍。求和、平均、加权，是三种不同的目标，torch 没法知道你要哪一种，所以不肯自己补。想要每条数据的梯度，就对每个元素各反向一次，权重只有它是 1，并且 retain_graph=True，得到的正是雅可比矩阵的各行。
#
# **Rubric (1 point)** Two of these three, the first among them:
# 1. They compute the gradient of the sum of the losses, the rows of J added; it is n times that of the mean (n examples), and with the same learning rate so is the step.
# 2. Weights are a choice: sum, mean, or some more than others give different results; torch won't decide for you, so give it a scalar, or give it weights.
# 3. Each example's gradient is a row of J: go backward for one element at a time (one weight 1, the others 0), keeping the graph; or use torch.autograd.functional.jacobian.
#
# Model answer: with weights of all ones it is the gradient of the sum of all losses, n times that of the mean, and at the same learning rate every step is n times as large. Sum, mean and weighted sum are different goals, and torch cannot know which is meant, so it will not fill in anything. For the gradient of each example, go backward once for each element, with weight 1 for that one only and retain_graph=True; that gives the rows of the Jacobian.
