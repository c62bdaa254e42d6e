# %% [markdown] tags=["lang-zh"]
# # 13 · 从引擎到网络
#
# 预计 55 分钟
#
# 引擎的部件你写得差不多了。这一课用它们训练真正的网络：先是文章里常见、手算要写两页纸的那一个，再是一个会认手写数字的。
#
# 要写的有四样：sigmoid 的规则，交叉熵的两条规则，还有训练循环本身。

# %% [markdown] tags=["lang-en"]
# # 13 · From engine to network
#
# About 55 minutes
#
# By now you have written most of what an engine is made of. In this lesson it trains real networks: first the one that articles work out by hand on two pages, then one that reads handwritten digits.
#
# Four things are yours to write: the rule of sigmoid, the two rules of cross entropy, and the training loop itself.

# %% tags=["setup"]
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
# ## 1 · 手算要写两页，引擎要几行？
#
# 讲反向传播的文章里有一个老例子：两个输入，两个隐藏单元，两个输出，八个权重（weight），一步一步手算下来，要写满两页纸；哪一步抄错一位，后面就全错。
#
# 下面请 torch 来算。`W1` 里是 w1 到 w4，`W2` 里是 w5 到 w8；偏置（bias）是两个固定的数，不学。损失（loss）是 $E = \frac12 \sum (t - o)^2$，学习率（learning rate）是 0.5。
#
# 先猜两件事：走一步之后，w5 会变大还是变小？w1 和 w5，谁动得多？

# %% [markdown] tags=["lang-en"]
# ## 1 · Two pages by hand; how many lines with an engine?
#
# Articles on backpropagation have an old favourite: two inputs, two hidden units, two outputs, eight weights (权重). Working it out by hand, step by step, fills two pages; copy one digit wrongly, and everything after it is wrong.
#
# Below, torch does the calculation. `W1` holds w1 to w4, `W2` holds w5 to w8; the biases (偏置) are two fixed numbers and are not learnt. The loss (损失) is $E = \frac12 \sum (t - o)^2$, the learning rate (学习率) 0.5.
#
# Guess two things first: after one step, has w5 grown or shrunk? And which of w1 and w5 moves more?

# %% tags=["demo"]
import torch

x = torch.tensor([0.05, 0.10], dtype=torch.float64)
target = torch.tensor([0.01, 0.99], dtype=torch.float64)
W1 = torch.tensor([[0.15, 0.20], [0.25, 0.30]], dtype=torch.float64, requires_grad=True)
W2 = torch.tensor([[0.40, 0.45], [0.50, 0.55]], dtype=torch.float64, requires_grad=True)


def error(W1, W2):
    hidden = (W1 @ x + 0.35).sigmoid()
    out = (W2 @ hidden + 0.60).sigmoid()
    return ((target - out) ** 2).sum() / 2


E = error(W1, W2)
E.backward()
with torch.no_grad():
    W1 -= 0.5 * W1.grad
    W2 -= 0.5 * W2.grad
print(f"E = {E.item():.9f}")
print("w1 .. w4", [round(w, 8) for w in W1.ravel().tolist()])
print("w5 .. w8", [round(w, 8) for w in W2.ravel().tolist()])

# %% tags=["proof"]
assert abs(E.item() - 0.298371109) < 5e-10
published = [0.14978072, 0.19956143, 0.24975114, 0.29950229, 0.35891648, 0.408666186, 0.51130127, 0.561370121]
assert all(abs(w - p) < 6e-9 for w, p in zip([*W1.ravel().tolist(), *W2.ravel().tolist()], published))

# %% [markdown] tags=["lang-zh"]
# 这八个数就是那两页纸最后印的那八个，到小数第八位都一样：w5 是 0.35891648，w1 是 0.14978072。反向传播那一段，在这里只是 `E.backward()` 一行。
#
# 这一步，w5 变了自身的一成，w1 只变了千分之一点五。为什么差这么多？看图：梯度（gradient）要走到 `W1`，得先穿过 `W2`，再多过一层 sigmoid，最后还要乘上一个很小的输入，0.05。

# %% [markdown] tags=["lang-en"]
# These are the eight numbers printed at the end of those two pages, the same to the eighth decimal: w5 is 0.35891648, w1 is 0.14978072. Here, all of backpropagation is the single line `E.backward()`.
#
# In this step w5 lost a tenth of its size, w1 about one and a half thousandths. Why such a difference? Look at the picture: to reach `W1`, the gradient (梯度) has to pass through `W2` and one more sigmoid, and at the end it is multiplied by a very small input, 0.05.

# %% tags=["picture"]
from minigrad.viz import draw

draw(error(W1, W2), params={"W1": W1, "W2": W2}, show=["shapes"])

# %% [markdown] tags=["lang-zh"]
# ## 2 · 先更新 w5 到 w8，再去算 w1 到 w4？
#
# 手算的人到这里常要停一下：w5 到 w8 已经有新值了，接着算 w1 到 w4 的梯度，该用新的还是旧的？两种写法看上去都说得通。
#
# 让引擎来回答。下面先只求 `W2` 的梯度，更新 `W2`，再回头求 `W1` 的。猜猜会发生什么？

# %% [markdown] tags=["lang-en"]
# ## 2 · Update w5 to w8 first, then work out w1 to w4?
#
# Anyone who does it by hand stops here for a moment: w5 to w8 have their new values; should the gradients of w1 to w4 use these, or the old ones? Both sound sensible.
#
# Let the engine answer. Below, we take only the gradient of `W2` at first, update `W2`, and then ask for that of `W1`. What will happen?

# %% tags=["demo"]
E = error(W1, W2)
W1.grad = W2.grad = None
E.backward(inputs=[W2], retain_graph=True)
with torch.no_grad():
    W2 -= 0.5 * W2.grad
try:
    E.backward(inputs=[W1])
except RuntimeError as refused:
    words = str(refused)
    print(words.split(":")[0])

# %% tags=["proof"]
assert "modified by an inplace operation" in words and W1.grad is None

# %% [markdown] tags=["lang-zh"]
# 引擎拒绝了：算 `E` 的时候用的是旧的 `W2`，求这个 `E` 的梯度，就只能用旧的。第 10 课的版本检查替手算的人拦下了这个错。
#
# 所以顺序只有一种：所有梯度都求完，才一起更新。

# %% [markdown] tags=["lang-en"]
# The engine refuses: `E` was computed with the old `W2`, so a gradient of this `E` can only be taken with the old one. The version check of lesson 10 has stopped a mistake that is easy to make on paper.
#
# So there is only one order: take all the gradients first, then update everything together.

# %% [markdown] tags=["lang-zh"]
# ## 3 · sigmoid：第一个部件
#
# $z = \frac{1}{1 + e^{-x}}$，把任何数压到 0 和 1 之间。求导之后，可以只用 $z$ 写出来，所以 torch 存的是输出。先猜：斜率在哪里最大，是多少？

# %% [markdown] tags=["lang-en"]
# ## 3 · sigmoid: the first part
#
# $z = \frac{1}{1 + e^{-x}}$ squeezes any number into the range from 0 to 1. Its derivative can be written in terms of $z$ alone, so torch saves the output. Guess: where is the slope largest, and how large is it?

# %% tags=["demo"]
x1 = torch.tensor([-6.0, -2.0, 0.0, 2.0, 6.0], requires_grad=True)
z = x1.sigmoid()
print("saved:", [name for name in dir(z.grad_fn) if name.startswith("_saved_")])
z.sum().backward()
print("slope:", [round(slope, 4) for slope in x1.grad.tolist()])

# %% tags=["proof"]
node = x1.sigmoid().grad_fn
assert torch.equal(node._saved_result, z) and not hasattr(node, "_saved_self")
assert x1.grad.max().item() == 0.25 and x1.grad.argmax().item() == 2

# %% [markdown] tags=["lang-zh"]
# 斜率最大的地方在 0，也只有 0.25；两头几乎是平的。每穿过一层 sigmoid，梯度最多只剩四分之一，这就是 w1 动得那么少的原因之一。
#
# 写出它的规则。`grad` 和 `result` 是形状（shape）相同的浮点数组。例子：`grad` 为 `[1, 2]`，`result` 为 `[0.5, 0.25]`，得 `[0.25, 0.375]`。

# %% [markdown] tags=["lang-en"]
# The slope is largest at 0, and even there it is only 0.25; far out on either side the curve is nearly flat. Every sigmoid on the way leaves at most a quarter of the gradient, which is one of the reasons why w1 moves so little.
#
# Write its rule. `grad` and `result` are float arrays of the same shape (形状). Example: if `grad` is `[1, 2]` and `result` is `[0.5, 0.25]`, return `[0.25, 0.375]`.


# %% nbgrader={"grade_id": "sigmoid_vjp", "solution": true}
@implements("minigrad.ops.pointwise.sigmoid_vjp")
def sigmoid_vjp(grad, result):
    """z = sigmoid(self): the gradient for self. torch calls the node SigmoidBackward0.

    grad: a float array of the shape of z.  result: z itself, saved by the forward pass.
    Example: grad = [1., 2.], result = [0.5, 0.25]  ->  [0.25, 0.375]
    """
    ### BEGIN SOLUTION
    return grad * (result * (1 - result))
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_sigmoid_backward", "grade": true, "points": 1}
check("sigmoid_backward")

# %% [markdown] tags=["lang-zh"]
# 现在让你的规则去算那两页纸：先用文章里的权重，再用随机的，各走四步。

# %% [markdown] tags=["lang-en"]
# Now let your rule compute those two pages: first with the published weights, then with random ones, four steps each.

# %% nbgrader={"grade_id": "check_two_two_two", "grade": true, "points": 3}
check("two_two_two")

# %% [markdown] tags=["lang-zh"]
# ## 4 · 错得越离谱，学得越快？
#
# 这个网络的输出是 0 到 1 之间的数，损失是平方误差。拿它做分类行不行？
#
# 看一个单元：它该输出 1，可是分数（score）低得离谱，是 -10。人在这种时候改得最快；网络呢？下面比较两种损失：平方误差，和交叉熵（cross entropy）。先猜：分数是 -10 时，哪一种的梯度大？

# %% [markdown] tags=["lang-en"]
# ## 4 · The more wrong, the faster it learns?
#
# The network's outputs are numbers between 0 and 1, and its loss is the squared error. Is that suitable for classification?
#
# Take one unit: it should give 1, but its score (分数) is very low, -10. People learn fastest from such a mistake; does a network? Below we compare two losses, the squared error and cross entropy (交叉熵). Guess: at a score of -10, which has the larger gradient?


# %% tags=["demo"]
def squared(score):
    return (1 - score.sigmoid()) ** 2 / 2


def cross(score):
    both = torch.stack([score, torch.zeros_like(score)])  # two classes; the other one scores 0
    return torch.nn.functional.cross_entropy(both, torch.tensor(0))


def slope(loss, at):
    score = torch.tensor(float(at), requires_grad=True)
    loss(score).backward()
    return score.grad.item()


for at in [-10, -5, 0, 5]:
    print(f"score {at:>3}   squared error {slope(squared, at):.6f}   cross entropy {slope(cross, at):.6f}")

# %% tags=["proof"]
assert abs(slope(squared, -10)) < 1e-4 and slope(cross, -10) < -0.9999
for score in (-10.0, -5.0, 0.0, 5.0):
    assert abs(slope(cross, score) - (torch.sigmoid(torch.tensor(score)).item() - 1)) < 1e-6
assert abs(slope(cross, 0) - -0.5) < 1e-6

# %% tags=["picture"]
from autograder.plots import axes

at = [score / 4 for score in range(-40, 25)]
ax = axes("正确类别的分数 · score of the right class", "梯度的大小 · size of the gradient")
ax.plot(at, [-slope(squared, score) for score in at], "--", label="平方误差 · squared error")
_ = ax.plot(at, [-slope(cross, score) for score in at], label="交叉熵 · cross entropy")
_ = ax.legend()

# %% [markdown] tags=["lang-zh"]
# 平方误差的曲线两头都接近 0：错得最离谱的地方，网络反而几乎不动，因为 sigmoid 在那里是平的。交叉熵的梯度却是 $p - 1$，$p$ 是网络给正确类别的概率（probability）：错得越多，梯度越大，最大到 1。
#
# 所以分类用交叉熵。下面看它的两步。

# %% [markdown] tags=["lang-en"]
# The curve of the squared error is close to 0 on both sides: where the network is most wrong it hardly moves, because sigmoid is flat there. The gradient of cross entropy is $p - 1$, where $p$ is the probability (概率) that the network gives the right class: the more wrong, the larger, up to a size of 1.
#
# That is why classifiers use cross entropy. Next we look at its two steps.

# %% [markdown] tags=["lang-zh"]
# ## 5 · 交叉熵里有什么
#
# 网络给每一类一个分数，哪一类的高，就猜哪一类。`softmax` 把分数变成概率：先取指数，再除以总和。损失是正确类别概率的对数，取负。
#
# 照这句话写，几行就够了。可是分数很大的时候会怎样？下面四种写法，先猜哪几种算得对，再运行。

# %% [markdown] tags=["lang-en"]
# ## 5 · What is inside cross entropy
#
# The network gives each class a score, and guesses the class whose score is highest. `softmax` turns scores into probabilities: take exponentials, then divide by their sum. The loss is minus the logarithm of the right class's probability.
#
# Written down like that, it takes a few lines. But what happens when a score is large? Of the four ways below, guess which ones give the right answer, then run.

# %% tags=["demo"]
scores = torch.tensor([[1000.0, 0.0]])
right = torch.tensor([1])
by_hand = scores.exp() / scores.exp().sum()
print("by hand     ", -by_hand.log()[0, right].item())
print("softmax, log", -scores.softmax(1).log()[0, right].item())
shifted = scores - scores.max()
print("shifted     ", -(shifted - shifted.exp().sum().log())[0, right].item())
print("log_softmax ", -scores.log_softmax(1)[0, right].item())

loss = torch.nn.functional.cross_entropy(scores.requires_grad_(), right)
print("cross_entropy", loss.item(), loss.grad_fn.name(), "->", loss.grad_fn.next_functions[0][0].name())

# %% tags=["proof"]
assert by_hand.isnan().any() and scores.softmax(1).log()[0, 1].item() == -float("inf")
assert by_hand[0, right].item() == 0 == scores.softmax(1)[0, right].item()
assert scores.log_softmax(1)[0, 1].item() == -1000.0 and loss.item() == 1000.0
assert (shifted - shifted.exp().sum().log())[0, 1].item() == -1000.0
assert loss.grad_fn.name() == "NllLossBackward0"
assert loss.grad_fn.next_functions[0][0].name() == "LogSoftmaxBackward0"

# %% [markdown] tags=["lang-zh"]
# 前两种写法都算出了无穷大：正确类别的概率成了 0（第一种里，连 $e^{1000}$ 也存不下），而 0 的对数是负无穷。
#
# 第三种先减去最大的分数，再用 $x_i - \ln \sum_j e^{x_j}$，就得到 1000；`log_softmax` 也是这样做的。
#
# 最后一行说明了交叉熵是什么：两个节点（node）接在一起，`log_softmax` 算对数概率，`nll_loss` 挑出正确的那一个，取负，求平均。所以它的规则也是两条。

# %% [markdown] tags=["lang-en"]
# The first two ways end at infinity: the probability of the right class has become 0 (in the first, $e^{1000}$ does not even fit), and the logarithm of 0 is minus infinity.
#
# The third subtracts the largest score first, then uses $x_i - \ln \sum_j e^{x_j}$, and gets 1000; `log_softmax` does the same.
#
# The last line shows what cross entropy really is: two nodes (节点) in a row. `log_softmax` computes log-probabilities; `nll_loss` picks the right one, negates it, and averages. So there are two rules to write.

# %% [markdown] tags=["lang-zh"]
# ### log_softmax
#
# 一行里 $z_i = x_i - \ln \sum_j e^{x_j}$。动一动 $x_1$，会从两条路影响 $z$：直接的一路，只动 $z_1$，斜率是 1；经过总和的一路，动这一行所有的 $z$，斜率都是 $-e^{z_1}$，而 $e^{z_1}$ 正是 $x_1$ 的 softmax。
#
# 把两路合起来，就是规则。`result` 是 $z$，即对数概率；`dim` 是沿哪一维做的。求和用 `rules.sum(…, (dim,), True)`，指数用 `rules.exp`。
#
# 例子：`grad` 为 `[-1, 0]`，`result` 是 0.25 和 0.75 的对数，`dim` 为 0，得 `[-0.75, 0.75]`。

# %% [markdown] tags=["lang-en"]
# ### log_softmax
#
# Within a row, $z_i = x_i - \ln \sum_j e^{x_j}$. Nudging $x_1$ moves $z$ along two paths: the direct one moves $z_1$ alone, with slope 1; the one through the sum moves every $z$ of the row, each with the slope $-e^{z_1}$, and $e^{z_1}$ is just the softmax of $x_1$.
#
# The two paths together make up the rule. `result` is $z$, the log-probabilities; `dim` is the dimension along which they were taken. For sums use `rules.sum(…, (dim,), True)`, for exponentials `rules.exp`.
#
# Example: if `grad` is `[-1, 0]`, `result` holds the logarithms of 0.25 and 0.75, and `dim` is 0, return `[-0.75, 0.75]`.


# %% nbgrader={"grade_id": "log_softmax_vjp", "solution": true}
@implements("minigrad.ops.nn.log_softmax_vjp")
def log_softmax_vjp(grad, result, dim):
    """z = self - ln(sum of e**self along dim): the gradient for self. torch calls the node LogSoftmaxBackward0.

    grad, result: float arrays of the same shape; result is z.  dim: an int.
    Example: grad = [-1., 0.], result = [ln 0.25, ln 0.75], dim = 0  ->  [-0.75, 0.75]
    """
    ### BEGIN SOLUTION
    return grad - rules.exp(result) * rules.sum(grad, (dim,), True)
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_log_softmax_backward", "grade": true, "points": 2}
check("log_softmax_backward")

# %% [markdown] tags=["lang-zh"]
# ### nll_loss
#
# $L = -\sum_i \text{shares}_i \cdot z_{i, \text{target}_i}$。每一行只有一个数进了损失，其余的与它无关。`shares` 是每一行占的份额：求平均时都是 1/N，有权重时各不相同。
#
# 规则返回一张形状为 `self_shape` 的表：每一行正确的那一格是 `-grad * shares`，其余是 0。两样工具：`rules.zeros(grad, shape)` 造一张全是零的表，类型和 `grad` 相同；`rules.put_along(table, dim, places, values)` 在每一行的第 `places` 格写上 `values`，返回那张表。`places` 和 `values` 的维数要和表一样，`rules.unsqueeze(a, dim)` 可以补上一维：

# %% [markdown] tags=["lang-en"]
# ### nll_loss
#
# $L = -\sum_i \text{shares}_i \cdot z_{i, \text{target}_i}$. Of each row, a single number went into the loss; the others have nothing to do with it. `shares` says how much each row counts: 1/N everywhere in a mean, different numbers when there are weights.
#
# The rule returns a table of shape `self_shape`: `-grad * shares` in the right place of each row, 0 everywhere else. There are two tools: `rules.zeros(grad, shape)` makes a table of zeros, of the dtype of `grad`; `rules.put_along(table, dim, places, values)` writes `values` into place `places` of each row and returns the table. `places` and `values` need as many dimensions as the table; `rules.unsqueeze(a, dim)` adds one:

# %%
import numpy as np

table = rules.zeros(np.ones(1), (2, 3))
places, values = np.array([2, 0]), np.array([7.0, 8.0])
print(rules.put_along(table, 1, rules.unsqueeze(places, 1), rules.unsqueeze(values, 1)))

# %% [markdown] tags=["lang-zh"]
# 类别平时在第 1 维；要是没有批次，只有一行，`self_shape` 就是 `(C,)`，类别在第 0 维，`target` 和 `shares` 也都只是一个数，没有维度。
#
# 例子：`grad` 为 1，`self_shape` 为 `(2, 3)`，`target` 为 `[2, 0]`，`shares` 为 `[0.5, 0.5]`，得 `[[0, 0, -0.5], [-0.5, 0, 0]]`。

# %% [markdown] tags=["lang-en"]
# The classes are usually in dimension 1; but if there is no batch, only a single row, `self_shape` is `(C,)`, the classes are in dimension 0, and `target` and `shares` are single numbers, without dimensions.
#
# Example: if `grad` is 1, `self_shape` is `(2, 3)`, `target` is `[2, 0]` and `shares` is `[0.5, 0.5]`, return `[[0, 0, -0.5], [-0.5, 0, 0]]`.


# %% nbgrader={"grade_id": "nll_loss_vjp", "solution": true}
@implements("minigrad.ops.cross_entropy.nll_loss_vjp")
def nll_loss_vjp(grad, self_shape, target, shares):
    """z = -sum(shares * self[row, target[row]]): the gradient for self. torch calls the node NllLossBackward0.

    grad: a float array, 0-d, or one number per row.  self_shape: (N, C), or (C,) without a batch.
    target: (N,), the rows' class numbers.  shares: (N,), how much each row counts.
    Without a batch, target and shares are single numbers.  Returns shape self_shape.
    Example: grad = 1., self_shape = (2, 3), target = [2, 0], shares = [0.5, 0.5]
             ->  [[0., 0., -0.5], [-0.5, 0., 0.]]
    """
    ### BEGIN SOLUTION
    dim = min(1, len(self_shape) - 1)
    target, value = rules.unsqueeze(target, dim), rules.unsqueeze(-grad * shares, dim)
    return rules.put_along(rules.zeros(grad, self_shape), dim, target, value)
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_nll_backward", "grade": true, "points": 2}
check("nll_backward")

# %% [markdown] tags=["lang-zh"]
# ### 合在一起
#
# 把你的两条规则接起来，会得到什么？先猜。下面用 `minigrad` 求三行分数的梯度，再印出一个不用求导的式子，好作比较：概率减去正确答案，再除以行数。

# %% [markdown] tags=["lang-en"]
# ### Together
#
# What do your two rules give, one after the other? Guess. Below, `minigrad` takes the gradient for three rows of scores; printed under it, to compare, is an expression that needs no derivative at all: the probabilities minus the right answers, divided by the number of rows.

# %%
scores = minigrad.tensor([[2.0, 1.0, 0.0], [0.0, 3.0, 0.0], [1.0, 1.0, 1.0]], requires_grad=True)
right = minigrad.tensor([0, 2, 1])
minigrad.nn.functional.cross_entropy(scores, right).backward()
print(scores.grad)
print((scores.detach().softmax(1) - minigrad.eye(3)[right]) / 3)

# %% tags=["proof"]
assert minigrad.allclose(scores.grad, (scores.detach().softmax(1) - minigrad.eye(3)[right]) / 3)

# %% [markdown] tags=["lang-zh"]
# 一模一样。这就是分类网络的梯度：猜的概率减去答案。猜对了又有把握，它接近 0；猜错了，走一步，正确的分数就往上升，其余的往下降。

# %% [markdown] tags=["lang-en"]
# They are the same. This is the gradient of a classifier: its probabilities minus the answer. If it is right and confident, the gradient is close to 0; if it is wrong, a step against the gradient raises the right score and lowers the others.

# %% nbgrader={"grade_id": "check_cross_entropy_backward", "grade": true, "points": 2}
check("cross_entropy_backward")

# %% [markdown] tags=["lang-zh"]
# ## 6 · 训练循环：五件事的顺序
#
# 每一批要做五件事：清零、前向（forward）、反向（backward）、走一步、记下损失。顺序错了，往往不报错，只是学不会。
#
# 三种顺序，各训练同一个小网络一百步。先猜：哪一种学得会，哪一种一动不动，哪一种来回晃荡？

# %% [markdown] tags=["lang-en"]
# ## 6 · The training loop: five things in order
#
# Five things have to be done for each batch: clear, forward (前向), backward (反向), step, record the loss. Get the order wrong, and often there is no error; the network just does not learn.
#
# Below, three orders train the same small network for a hundred steps each. Guess: which one learns, which one never moves, and which one swings back and forth?


# %% tags=["demo"]
def hundred(order):
    torch.manual_seed(0)
    X = torch.randn(64, 2)
    right = (X[:, 0] + torch.randn(64) > 0).long()
    net = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
    actions = {"clear": optimizer.zero_grad, "backward": lambda: loss.backward(), "step": optimizer.step}
    curve = np.zeros(100)
    for i in range(100):
        loss = torch.nn.functional.cross_entropy(net(X), right)
        curve[i] = loss.item()
        for name in order.split():
            actions[name]()
    return curve


orders = ("clear backward step", "backward clear step", "backward step")
for order in orders:
    curve = hundred(order)
    print(
        f"{order:<20} first {curve[0]:.3f}   last {curve[-1]:.3f}   lowest {min(curve):.3f}   highest {max(curve):.3f}"
    )

# %% tags=["proof"]
good, still, swings = (hundred(order) for order in orders)
assert good[-1] < 0.4 and good[-1] == min(good) and set(still) == {still[0]}
assert swings[20:].min() < 0.45 and swings[20:].max() > 0.7 and swings[-1] > 0.7

# %% tags=["picture"]
ax = axes("步数 · steps", "损失 · loss")
for order, style in zip(orders, ("-", ":", "--")):
    ax.plot(hundred(order), style, label=order)
ax.set_ylim(top=0.95)  # room for the legend
_ = ax.legend(loc="upper right", ncols=3, fontsize="small")

# %% [markdown] tags=["lang-zh"]
# 在 `backward` 和 `step` 之间清零，刚算好的梯度就没了，损失纹丝不动。从不清零，旧的梯度还在推，到了谷底也停不下来，像没有阻力的钟摆。两种都没有一句报错。
#
# 写出 `train_epoch`：把所有批次走一遍，返回各批损失的平均，一个普通的 Python 浮点数。这样的一遍叫一个轮次（epoch）。
#
# `net` 把图像变成分数，`criterion(scores, numbers)` 给出损失，`optimizer` 会 `zero_grad` 和 `step`。`batches` 里每一项是一批的行号，`images[batch]` 就是这一批图像，`numbers[batch]` 是它们的答案。开始的时候，参数上可能还留着别处来的梯度。
#
# 例子：两批，损失是 2.0 和 1.0，网络走了两步，返回 1.5。

# %% [markdown] tags=["lang-en"]
# Clear between `backward` and `step`, and the fresh gradients are gone; the loss does not move at all. Never clear, and the old gradients keep acting; the weights don't stop at the minimum, like a pendulum without friction. Neither of them raises an error.
#
# Write `train_epoch`: go through all batches once and return the mean of their losses, a plain Python float. Such a pass is called an epoch (轮次).
#
# `net` turns images into scores, `criterion(scores, numbers)` gives the loss, `optimizer` has `zero_grad` and `step`. Each item of `batches` holds the row numbers of one batch; `images[batch]` are its images, `numbers[batch]` their answers. At the start, the parameters may still hold gradients from somewhere else.
#
# Example: two batches with losses 2.0 and 1.0; the network has taken two steps, and you return 1.5.


# %% nbgrader={"grade_id": "train_epoch", "solution": true}
@implements("minigrad.training.train_epoch")
def train_epoch(net, criterion, optimizer, images, numbers, batches):
    """Train net once on each batch, in order; return the mean of the batches' losses, a float.

    images: (n, ...) float.  numbers: (n,) int64.  batches: any iterable of index tensors; go through it once.
    torch leaves this loop to its users. Works on either engine's tensors.
    Example: two batches with the losses 2.0 and 1.0  ->  two steps, returns 1.5
    """
    ### BEGIN SOLUTION
    losses = []
    for batch in batches:
        optimizer.zero_grad()
        loss = criterion(net(images[batch]), numbers[batch])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_training_loop", "grade": true, "points": 3}
check("training_loop")

# %% [markdown] tags=["lang-zh"]
# ## 7 · 认数字
#
# 真的数据来了：1797 张手写数字，每张 8×8 个像素，是 scikit-learn 自带的。下面是其中的十二张，答案写在每张上方。

# %% [markdown] tags=["lang-en"]
# ## 7 · Reading digits
#
# Now for real data: 1797 handwritten digits of 8×8 pixels each, which come with scikit-learn. Here are twelve of them, each with its answer above it.

# %% tags=["picture"]
from autograder.plots import row
from minigrad.demo import digits

data = digits()


def show(title):
    for i, ax in enumerate(row([("", "", title(i)) for i in range(12)], size=(8.4, 1.1))):
        ax.imshow(data.test_images[i].numpy().reshape(8, 8), cmap="gray_r")
        ax.axis("off")


show(lambda i: data.test_numbers[i].item())

# %% [markdown] tags=["lang-zh"]
# 一个隐藏层（hidden layer），128 个单元；SGD，学习率 0.3，每批 32 张，走二十个轮次。1438 张用来训练，网络没见过的 359 张用来测试。
#
# `learn` 里没有一行是专为某个引擎写的，`T` 是谁，就在谁身上跑。跑在 `minigrad` 上，用的就是你写的部件。猜猜要几秒，能对多少？

# %% [markdown] tags=["lang-en"]
# One hidden layer (隐藏层) of 128 units; SGD with learning rate 0.3, batches of 32, twenty epochs. 1438 images are for training; 359 that the network has never seen are for testing.
#
# No line of `learn` is specific to one engine: it runs on whatever `T` is. On `minigrad`, it runs on the parts you wrote. Guess: how many seconds will it take, and how many digits will it get right?

# %%
import time


def learn(T, epochs=20):
    T.manual_seed(0)
    net = T.nn.Sequential(T.nn.Linear(64, 128), T.nn.ReLU(), T.nn.Linear(128, 10))
    optimizer, criterion = T.optim.SGD(net.parameters(), lr=0.3), T.nn.CrossEntropyLoss()
    images, numbers = T.tensor(data.train_images.numpy()), T.tensor(data.train_numbers.numpy())
    unseen, answers = T.tensor(data.test_images.numpy()), T.tensor(data.test_numbers.numpy())
    losses, accuracies = [], []
    for _ in range(epochs):
        batches = T.randperm(len(numbers)).split(32)
        losses.append(minigrad.training.train_epoch(net, criterion, optimizer, images, numbers, batches))
        with T.no_grad():
            accuracies.append((net(unseen).argmax(1) == answers).float().mean().item())
    return net, losses, accuracies


start = time.perf_counter()
net, losses, accuracies = learn(minigrad)
print(f"{time.perf_counter() - start:.1f} s, test accuracy {accuracies[-1]:.1%}")

# %% tags=["proof"]
assert accuracies[-1] >= 0.96 and len(data.train_numbers) == 1438 and len(data.test_numbers) == 359
assert len(losses) * len(data.train_numbers.split(32)) == 900 and losses[-1] < losses[0] / 10

# %% tags=["picture"]
labels = [
    ("轮次 · epoch", "训练损失 · training loss", ""),
    ("轮次 · epoch", "测试准确率 · test accuracy", ""),
]
left, right = row(labels, size=(8.4, 3))
left.plot(range(1, 21), losses, "o-")
right.plot(range(1, 21), accuracies, "s-")
_ = right.axhline(0.96, color="gray", linestyle=":")

# %% [markdown] tags=["lang-zh"]
# 靠着你写的规则，走了九百步，就认对了 96% 以上。没到 96% 的话，回头看看哪一项检查还没过。下面是它认错的，最多画十二张（标题左边是它猜的，右边是答案），你自己认得出吗？

# %% [markdown] tags=["lang-en"]
# After nine hundred steps with the rules you wrote, more than 96% are right. If yours is below 96%, see which check above has not passed yet. Below are some that it gets wrong, twelve at most, with its guess on the left of the title and the answer on the right: can you read them yourself?

# %% tags=["picture"]
guesses = net(data.test_images).argmax(1).numpy()
wrong = [i for i, guess in enumerate(guesses) if guess != data.test_numbers[i].item()][:12]
if wrong:
    for i, ax in zip(wrong, row([("", "", "") for _ in wrong], size=(0.7 * len(wrong), 1.2))):
        ax.imshow(data.test_images[i].numpy().reshape(8, 8), cmap="gray_r")
        ax.set_title(f"{guesses[i]} ≠ {data.test_numbers[i].item()}", fontsize="small")
        ax.axis("off")

# %% [markdown] tags=["lang-zh"]
# 最后一项检查用随机的图案训练一个小分类器，sigmoid、交叉熵、训练循环全都用上，每个轮次的损失和最后的权重都要和 torch 一样。

# %% [markdown] tags=["lang-en"]
# The last check trains a small classifier on random patterns, with sigmoid, cross entropy and the training loop; the loss of each epoch and the final weights must be the same as torch's.

# %% nbgrader={"grade_id": "check_digits_in_small", "grade": true, "points": 3}
check("digits_in_small")

# %% [markdown] tags=["lang-zh"]
# ## 8 · torch 其实是怎么做的
#
# 同一个 `learn`，`T` 换成 torch。`minigrad` 的随机数和 torch 的出自同一串，所以种子（seed）相同，初始的权重、分批的顺序都相同。猜猜损失会差多少？

# %% [markdown] tags=["lang-en"]
# ## 8 · What torch really does
#
# The same `learn`, with torch for `T`. The random numbers of `minigrad` come from the same stream as torch's, so with the same seed (种子) the initial weights and the order of the batches are the same. Guess: how far apart are the losses?

# %% tags=["demo"]
_, torch_losses, torch_accuracies = learn(torch, epochs=3)
print("torch   ", torch_losses)
print("minigrad", losses[:3])

# %% tags=["proof"]
assert abs(torch_losses[0] - losses[0]) < 1e-4

# %% [markdown] tags=["lang-zh"]
# 前几位都相同，剩下的是浮点数相加的先后不同留下的尾巴。再看一批数据的计算图（computational graph），从损失往下读：你写的两条规则在最上面，训练循环的每一步反向，都从这里开始。

# %% [markdown] tags=["lang-en"]
# The leading digits agree; the rest comes from adding floats in a different order. Now look at the computational graph (计算图) of one batch, reading down from the loss: your two rules are at the top, and every backward of the training loop starts there.

# %% tags=["picture"]
loss = minigrad.nn.functional.cross_entropy(net(data.train_images[:32]), data.train_numbers[:32])
draw(loss, params=net, show=["shapes"])

# %% [markdown] tags=["lang-zh"]
# ## 自测
#
# **1.** 一个三类的网络还没有训练，给每一类的分数都是 0。它的交叉熵是多少？
#
# <details><summary>答案</summary>每类的概率是三分之一，损失是 ln 3，约 1.0986。训练开头的损失若和类别数的对数差得远，就该先查一查初始化。</details><br>
#
# **2.** 把所有分数都加上 100，交叉熵变不变？梯度呢？
#
# <details><summary>答案</summary>都不变。softmax 只看分数之差；所以每一行梯度的和总是 0。</details>

# %% [markdown] tags=["lang-en"]
# ## Test yourself
#
# **1.** A network for three classes, not yet trained, gives each class the score 0. What is its cross entropy?
#
# <details><summary>Answer</summary>Each class has probability one third, so the loss is ln 3, about 1.0986. If training starts far from the logarithm of the number of classes, look at the initial weights first.</details><br>
#
# **2.** Add 100 to all scores. Does the cross entropy change? And the gradient?
#
# <details><summary>Answer</summary>Neither changes. softmax sees only the differences between scores; that is also why the gradients of a row always sum to 0.</details>

# %% tags=["proof"]
cross_entropy = torch.nn.functional.cross_entropy
assert abs(cross_entropy(torch.zeros(1, 3), torch.tensor([1])).item() - 1.0986) < 1e-4
scores = torch.tensor([[2.0, 1.0, 0.0], [0.0, 3.0, 0.0]], dtype=torch.float64, requires_grad=True)
a = torch.autograd.grad(cross_entropy(scores, torch.tensor([0, 2])), scores)[0]
b = torch.autograd.grad(cross_entropy(scores + 100, torch.tensor([0, 2])), scores)[0]
assert torch.allclose(a, b) and torch.allclose(a.sum(1), torch.zeros(2, dtype=torch.float64))

# %% [markdown] tags=["lang-zh"]
# ## 想一想，写下来
#
# 同学的训练循环里，`optimizer.zero_grad()` 写在了 `loss.backward()` 和 `optimizer.step()` 之间。他说：“不报错，就是学不会，是学习率太小吧？”用三四句话告诉他：他看到的是什么现象，为什么，怎么改；再给他一个办法，一眼分清是“梯度没了”还是“学习率小”。中文英文都行。这一格由老师评阅，1 分。

# %% [markdown] tags=["lang-en"]
# ## Think, then write
#
# In a fellow student's training loop, `optimizer.zero_grad()` is called between `loss.backward()` and `optimizer.step()`. "There is no error," they say, "it just does not learn; is the learning rate too small?" Tell them in three or four sentences what they are seeing, why, and what to change; and give them a way to tell at a glance "the gradients are gone" from "the learning rate is small". In Chinese or English. A teacher reads this cell; it is worth 1 point.

# %% [markdown] nbgrader={"grade_id": "reflection", "grade": true, "solution": true, "points": 1}
# **评分标准（1 分）** 三点里说清两点（其中必须有第 1 点），给 1 分：
# 1. 现象和原因：backward 刚写进 .grad 的梯度，被 zero_grad 清成 None，step 没有梯度可用，权重一动不动，损失逐位不变。
# 2. 改法：清零放到 backward 之前（或 step 之后）。
# 3. 区分的办法：step 之前打印某个参数的 .grad（是 None 还是数）；或比较 step 前后的权重：一点没变，还是变得很少。
#
# 参考回答：你在梯度刚算好时就把它扔了，step 只好什么也不做，所以损失每一步都是同一个数。把 zero_grad 挪到循环最前面。想分清楚，就在 step 前打印一个参数的 .grad：是 None，说明梯度没了；是数但权重只变一点点，才轮到学习率。
#
# **Rubric (1 point)** Two of these three, the first among them:
# 1. What and why: the gradients that backward has just written to .grad are set to None by zero_grad; step finds none, the weights never move, and the loss stays the same to the last digit.
# 2. The change: clear before backward (or after step).
# 3. Telling them apart: print a parameter's .grad before step (None, or numbers), or compare the weights before and after: not changed at all, or changed a little.
#
# Model answer: you throw the gradients away the moment they are computed, so step has nothing to do, and the loss is the same number at every step. Move zero_grad to the top of the loop. To tell the cases apart, print one parameter's .grad before step: None means that the gradients are gone; numbers, while the weights hardly change, point to the learning rate.
