# %% [markdown] tags=["lang-zh"]
# # 00 · 热身：一次手算的梯度
#
# 预计 25 分钟
#
# 这一课你在纸上求一个导数，把它写成函数，再装进一个真正的自动求导引擎里跑起来。顺路认识四样东西：`check`、`hint`、`language`，以及怎样交作业。
#
# 每一段文字都有两遍，先中文，后英文，挑你顺手的读就好。代码只有一份，用 Shift+Enter 一格一格往下运行。
#
# 笔记本关掉再打开，或者重启了内核，前面的格就要重新运行，不然会报 `NameError`：选中你停下的那一格，用菜单里的 Run → Run All Above Selected Cell。

# %% [markdown] tags=["lang-en"]
# # 00 · Warm-up: one gradient by hand
#
# About 25 minutes
#
# In this lesson you work out one derivative on paper, turn it into a function, and run a real autograd engine on it.
# Along the way you learn four things: `check`, `hint`, `language`, and how to hand in your work.
#
# Every passage appears twice, first in Chinese, then in English; read whichever you prefer.
# The code appears only once. Run it cell by cell with Shift+Enter.
#
# After you reopen the notebook or restart its kernel, the earlier cells have to run again, or you get a `NameError`: select the cell where you stopped and choose Run → Run All Above Selected Cell from the menu.

# %% tags=["setup"]
import minigrad
from autograder import check, hint, implements, language

# %% [markdown] tags=["lang-zh"]
# ## 1 · 这条直线该往哪边转？
#
# 平面上有三个点：(1, 3)、(2, 5)、(3, 7)。我们想用一条过原点的直线 $y = wX$ 去凑它们。先随便猜一个：$w = 1$。
#
# 猜得有多差，由损失（loss）来说：每个点的误差先平方，再加起来，$L = \sum (Y - wX)^2$。
#
# 下面请 torch 算出损失，再问它一句：`w` 增大一点点，损失是变大还是变小，变得有多快？答案写在 `w.grad` 里，变大为正，变小为负。先别运行。猜两个数：`loss` 是几？`w.grad` 是正的还是负的，个位数还是更大？

# %% [markdown] tags=["lang-en"]
# ## 1 · Which way should the line turn?
#
# Here are three points in the plane: (1, 3), (2, 5), (3, 7). We want to fit a line through the origin to them, $y = wX$. Start from a guess: $w = 1$.
#
# The loss (损失) says how bad the guess is: square the error at each point, then add them up, $L = \sum (Y - wX)^2$.
#
# Below, torch computes the loss and is then asked: if `w` grows a little, does the loss rise or fall, and how fast? It writes the answer into `w.grad`: positive for rising, negative for falling.
# Don't run it yet. Guess two numbers: what is `loss`? And `w.grad`: is it positive or negative, a single digit or larger?

# %% tags=["demo"]
import torch

X = torch.tensor([1.0, 2.0, 3.0])
Y = torch.tensor([3.0, 5.0, 7.0])
w = torch.tensor([1.0], requires_grad=True)

loss = ((Y - w * X) ** 2).sum()
loss.backward()
print(loss.item())
print(w.grad)

# %% tags=["proof"]
assert loss.item() == 29.0
assert w.grad.tolist() == [-40.0]

# %% [markdown] tags=["lang-zh"]
# 29 不难懂：三个误差是 2、3、4，平方之后相加。
#
# 可是 -40 呢？torch 里没有哪一行写着“三个点、一条直线”的公式，这个数是它自己找出来的。这门课从头到尾只讲一件事：它是怎么找到的。今天先由你来找一次，用手。

# %% [markdown] tags=["lang-en"]
# The 29 is easy: the three errors are 2, 3, 4; square them and add.
#
# But -40? No line inside torch holds a formula for three points and a line; it found this number by itself.
# How it does that is what this whole course is about. Today you find it yourself, once, by hand.

# %% [markdown] tags=["lang-zh"]
# ## 2 · -40 是什么意思？
#
# `w.grad` 是导数（derivative），也就是斜率（slope）：把 `w` 推动一点点，损失跟着变多少，两者之比就是它。这样的数有好几个时，合起来叫梯度（gradient）。
#
# 这话不必听 torch 的，自己推一推就知道。下面不用任何引擎（engine），只用普通的 Python 数：把 `w` 从 1 推到 1 + `nudge`，看损失变了多少，再除以 `nudge`。猜一猜：`nudge` 越小，这个比值会走向哪里？

# %% [markdown] tags=["lang-en"]
# ## 2 · What does -40 mean?
#
# `w.grad` is a derivative (导数), a slope (斜率): nudge `w` a little, see how much the loss changes, and take the ratio of the two. When there are several such numbers, together they are called the gradient (梯度).
#
# You needn't take torch's word for it; nudge it yourself. The next cell uses no engine (引擎) at all, only plain Python numbers: it pushes `w` from 1 to 1 + `nudge`, sees how much the loss changed, and divides by `nudge`.
# Guess: as `nudge` shrinks, where does the ratio go?


# %%
def loss_at(w):
    return sum((y - w * x) ** 2 for x, y in [(1, 3), (2, 5), (3, 7)])


for nudge in [1, 0.1, 0.01, 0.001]:
    print(f"nudge {nudge:<6} ratio {(loss_at(1 + nudge) - loss_at(1)) / nudge:.3f}")

# %% tags=["proof"]
assert loss_at(1) == 29
assert abs((loss_at(1.001) - loss_at(1)) / 0.001 - -40) < 0.02

# %% [markdown] tags=["lang-zh"]
# 推得越轻，比值离 -40 越近。这就是它的意思：在 $w = 1$ 这个地方，`w` 每增加一小份，损失大约减少四十份。
#
# 负号说方向：`w` 变大，损失变小。大小说陡不陡。

# %% [markdown] tags=["lang-en"]
# The smaller the nudge, the closer the ratio comes to -40. That is what the number means: near $w = 1$, a small increase of `w` lowers the loss by about forty times as much.
#
# The sign tells the direction: as `w` grows, the loss falls. The size tells how steep it is.

# %% [markdown] tags=["lang-zh"]
# ## 3 · 那就一口气走 40？
#
# 斜率是 -40，说明 `w` 该变大。那干脆让 `w` 减去整个梯度：$1 - (-40) = 41$。损失原来是 29，现在会是多少？先猜，再运行。

# %% [markdown] tags=["lang-en"]
# ## 3 · So why not move by 40 at once?
#
# The slope is -40, so `w` should grow. Why not subtract the whole gradient from `w`: $1 - (-40) = 41$? The loss was 29; what will it be now? Guess, then run.

# %%
print("w =  1    loss", loss_at(1))
print("w = 41    loss", loss_at(41))
print("w =  1.4  loss", round(loss_at(1.4), 2))

# %% tags=["proof"]
assert loss_at(41) == 20829
assert 15.2 < loss_at(1.4) < 15.3

# %% [markdown] tags=["lang-zh"]
# 损失从 29 涨到了两万多：方向对，步子太大，一脚跨过山谷，落到了对面的高坡上。斜率只描述脚下这一小块地方。
#
# 所以真正下山时，梯度要先乘上一个很小的数，叫学习率（learning rate）。取 0.01 就走到 1.4，损失降到了大约一半。
#
# 下面这张图画的就是这件事：左边是山谷和 $w = 1$ 处的斜率，右边是 0.01、0.05、0.08 三种学习率各走六步。先猜：哪一种最快到底？有没有哪一种越走越高？

# %% [markdown] tags=["lang-en"]
# The loss rose from 29 to more than twenty thousand: the direction was right, but the step went clean across the valley and far up the other side. A slope describes only the spot where you stand.
#
# So before each step downhill the gradient is multiplied by a small number, the learning rate (学习率). With 0.01 the step ends at 1.4, and the loss falls to about half.
#
# The next picture shows just this: on the left the valley and the slope at $w = 1$, on the right six steps each with the learning rates 0.01, 0.05 and 0.08. Guess first: which gets to the bottom fastest? Does any of them climb?

# %% tags=["picture"]
from autograder.plots import row

labels = [("w", "损失 · loss", ""), ("步数 · steps", "损失 · loss", "")]
left, right = row(labels, size=(8.4, 3))

near = [i / 20 for i in range(-10, 101)]
left.plot(near, [loss_at(at) for at in near])
left.plot([0.5, 1.7], [29 - 40 * (at - 1) for at in (0.5, 1.7)], "--", label="斜率 · slope -40")
left.plot(1, 29, "o")
left.legend()


def slope_at(w, nudge=1e-4):
    return (loss_at(w + nudge) - loss_at(w - nudge)) / (2 * nudge)


for rate, mark in [(0.01, "o-"), (0.05, "s-"), (0.08, "^-")]:
    w, losses = 1.0, [loss_at(1)]
    for _ in range(6):
        w = w - rate * slope_at(w)
        losses.append(loss_at(w))
    right.plot(losses, mark, label=rate)
right.legend(title="学习率 · learning rate")
right.set_yscale("log")

# %% tags=["proof"]
assert losses == sorted(losses)  # those of 0.08


def six_steps(rate, w=1.0):
    for _ in range(6):
        w = w - rate * slope_at(w)
    return w


assert loss_at(six_steps(0.05)) < loss_at(six_steps(0.01)) < loss_at(1) < loss_at(six_steps(0.08))
ways = [(1 - rate * slope_at(1) - 34 / 14) / (1 - 34 / 14) for rate in (0.01, 0.05, 0.08)]
assert 0 < ways[0] < 1 and -1 < ways[1] < 0 and ways[2] < -1

# %% [markdown] tags=["lang-zh"]
# 0.05 最快：它来回跨过谷底，却一次比一次近。0.01 稳稳地往下走，只是慢。0.08 也来回跨，却一次比一次远，越走越高。

# %% [markdown] tags=["lang-en"]
# 0.05 is the fastest: it goes back and forth across the bottom, but nearer each time. 0.01 goes down steadily, only slowly. 0.08 goes back and forth as well, but farther out each time, and climbs.

# %% [markdown] tags=["lang-zh"]
# ## 4 · 换成 minigrad
#
# `minigrad` 是这门课的小引擎：用起来和 torch 一样，却全是读得懂的 Python。刚才的程序一个字不改，只换开头的名字。

# %% [markdown] tags=["lang-en"]
# ## 4 · The same on minigrad
#
# `minigrad` is this course's small engine: it behaves like torch, but all of it is Python that you can read. The program stays as it was; only the name in front changes.

# %%
X = minigrad.tensor([1.0, 2.0, 3.0])
Y = minigrad.tensor([3.0, 5.0, 7.0])
w = minigrad.tensor([1.0], requires_grad=True)

loss = ((Y - w * X) ** 2).sum()
loss.backward()
print(loss.item())
print(w.grad)

# %% tags=["proof"]
assert loss.item() == 29.0
assert w.grad.tolist() == [-40.0]

# %% [markdown] tags=["lang-zh"]
# 这个引擎由许多小部件（part）拼成。每一课你亲手写几个，写好就换进去，整个引擎从此用的就是你写的。第一个部件算的就是那个 -40。

# %% [markdown] tags=["lang-en"]
# The engine is made of many small parts (部件). In each lesson you write a few of them; each is plugged in as soon as you finish it, and from then on the whole engine uses yours. The first part computes that -40.

# %% [markdown] tags=["lang-zh"]
# ## 5 · 纸和笔
#
# 先看一个点。记误差为 $e = y - wx$，这个点的损失是 $e^2$。`w` 动一点，先带动 $e$，再带动 $e^2$。一段一个斜率，乘起来就是整条路的斜率，这叫链式法则（chain rule）：
#
# $$\frac{d(e^2)}{dw} = \frac{d(e^2)}{de} \cdot \frac{de}{dw}$$
#
# 第一个点 (1, 3)：$e = 2$，两段的斜率分别是 $4$ 和 $-1$，相乘得 -4。为什么是这两个数？想通了，就在纸上算出另外两个点，填进下面的 `on_paper`，然后运行。

# %% [markdown] tags=["lang-en"]
# ## 5 · Paper and pencil
#
# Take one point first. Call its error $e = y - wx$; its loss is $e^2$. Moving `w` moves $e$, and that moves $e^2$. Each step has its slope, and the slope of the whole is their product. This is the chain rule (链式法则):
#
# $$\frac{d(e^2)}{dw} = \frac{d(e^2)}{de} \cdot \frac{de}{dw}$$
#
# For the first point, (1, 3): $e = 2$, the two slopes are $4$ and $-1$, and their product is -4. Why these two? Once you see it, work out the other two points on paper, put them into `on_paper` below, and run.

# %%
on_paper = [-4, None, None]

for (x, y), mine in zip([(1, 3), (2, 5), (3, 7)], on_paper):
    nudge = 1e-4
    nudged = ((y - (1 + nudge) * x) ** 2 - (y - (1 - nudge) * x) ** 2) / (2 * nudge)
    if mine is None:
        print(f"({x}, {y})  ... on paper?")
    else:
        print(f"({x}, {y})  on paper {mine}, by nudging {nudged:.2f}", "✓" if abs(mine - nudged) < 0.01 else "✗")

# %% [markdown] tags=["lang-zh"]
# 三个点的损失是相加的，斜率也就相加。你的三个数加起来，是 -40 吗？

# %% [markdown] tags=["lang-en"]
# The losses of the three points are added, so their slopes are added too. Do your three numbers add up to -40?

# %% [markdown] tags=["lang-zh"]
# ## 6 · 写成函数
#
# 这回不用数，用字母：对任意的 `w`、`X`、`Y`，损失 $L = \sum (Y - wX)^2$ 的斜率是多少？
#
# `X` 和 `Y` 是形状（shape）相同的浮点张量（tensor），`w` 是一个数，或者形状为 `(1,)` 的张量；返回的是一个数。张量可以整个相减、相乘，最后用 `.sum()` 加成一个数，所以不必写循环。例子：`w` 为 1.0，`X`、`Y` 同上，得 -40。
#
# 删掉 `raise` 那一行，写上你的。运行这一格，`@implements` 就把你的函数装进引擎，替下引擎自己的那一个；改了再运行一次，就换成新的。

# %% [markdown] tags=["lang-en"]
# ## 6 · Write it as a function
#
# Now with letters instead of numbers: for any `w`, `X` and `Y`, what is the slope of the loss $L = \sum (Y - wX)^2$?
#
# `X` and `Y` are float tensors (张量) of the same shape (形状); `w` is a number, or a tensor of shape `(1,)`. Return a single number.
# Whole tensors can be subtracted and multiplied, and `.sum()` adds up the result, so no loop is needed. Example: with `w` 1.0 and `X`, `Y` as above, the answer is -40.
#
# Delete the line with `raise` and write your own. When you run the cell, `@implements` puts your function into the engine in place of the engine's own; after a change, run it again and the new one goes in.


# %% nbgrader={"grade_id": "squared_loss_grad", "solution": true}
@implements("minigrad.warmup.squared_loss_grad")
def squared_loss_grad(w, X, Y):
    """The slope of L = sum((Y - w * X) ** 2) with respect to w.

    w: a float, or a tensor of shape (1,).  X, Y: float tensors of one shape.
    Returns one number: a float or a 0-d tensor. torch finds it by itself and adds it to w.grad.
    Example: w = 1.0, X = [1., 2., 3.], Y = [3., 5., 7.]  ->  -40
    """
    ### BEGIN SOLUTION
    return (-2 * X * (Y - w * X)).sum()
    ### END SOLUTION


# %% [markdown] tags=["lang-zh"]
# 现在问 `check`。它备好数据，把同一个程序跑两遍：一遍在装了你的函数的 `minigrad` 上，一遍在 torch 上，然后逐项比较。
#
# 读法：`✓` 是一致；`✗` 是不一致，后面写着应为多少、得到多少；`–` 是跳过，因为它依赖的那一项还没过；检查的名字前面是 `○`，就是还不能算数：多半还没写，或者下面那句话说的事要先改好。若你的错误是常见的一种，最上面会有一句提示。

# %% [markdown] tags=["lang-en"]
# Now ask `check`. It takes some data and runs the same program on them twice, once on `minigrad` with your function in it and once on torch, then compares item by item.
#
# How to read it: `✓` agrees; `✗` disagrees, and says what was expected and what you got; `–` was skipped, because an item it depends on hasn't passed; `○` before the check's name means that it doesn't count yet: most often the part is not written, or what the line below says has to be put right first. If your mistake is a common one, a hint comes first.

# %% nbgrader={"grade_id": "check_warmup_by_hand", "grade": true, "points": 1}
check("warmup_by_hand")

# %% [markdown] tags=["lang-zh"]
# 卡住了？`hint` 会给提示，每个部件三句：先是一个问题，再是一个方向，最后几乎就是答案。运行一次给一句，不扣分。

# %% [markdown] tags=["lang-en"]
# Stuck? `hint` has three hints for each part: first a question, then a direction, and finally almost the answer. Each run gives the next one, and none costs points.

# %%
hint("squared_loss_grad")

# %% [markdown] tags=["lang-zh"]
# `check` 和 `hint` 默认两种语言都说。只想看一种，就在括号里写上 `"zh"` 或 `"en"`，运行；从这里起，别的课也照办。括号里空着，就只说现在用的是哪一种。

# %% [markdown] tags=["lang-en"]
# `check` and `hint` speak both languages by default. To see only one, write `"zh"` or `"en"` between the brackets and run the cell; this holds from here on, in the other lessons too. With nothing between them, it only says which you have now.

# %%
language()

# %% [markdown] tags=["lang-zh"]
# 上面那项检查用的还是那三个点。换成别的数据，公式还成立吗？一个点、一千个点、山谷的最低处？

# %% [markdown] tags=["lang-en"]
# The check above still used those three points. Does your formula hold for other data: one point, a thousand points, the bottom of the valley?

# %% nbgrader={"grade_id": "check_warmup_any_data", "grade": true, "points": 2}
check("warmup_any_data")

# %% [markdown] tags=["lang-zh"]
# 再看一条以后天天用到的性质：把数据切成几块，各算各的斜率再相加，和一口气算出来的一样。
#
# 训练时每一步只用几条数据，叫小批量（mini-batch）：就是这个和里的一块。

# %% [markdown] tags=["lang-en"]
# One more property that you will use every day: cut the data into pieces, add up the slopes of the pieces, and you get the slope of the whole.
#
# In training, each step uses only a few examples, a mini-batch (小批量): one piece of this sum.

# %% nbgrader={"grade_id": "check_warmup_batches", "grade": true, "points": 1}
check("warmup_batches")

# %% [markdown] tags=["lang-zh"]
# ## 7 · 引擎用你的函数
#
# `minigrad.warmup.squared_loss` 是一个运算（operation）：前向（forward）算损失，反向（backward）时调用的就是你的函数（没写好之前，用引擎自己的）。下面 `w.grad` 里的数，是你算的。

# %% [markdown] tags=["lang-en"]
# ## 7 · The engine uses your function
#
# `minigrad.warmup.squared_loss` is an operation (运算): going forward (前向) it computes the loss, and going backward (反向) it calls your function (or, until you have written one, the engine's own). The number in `w.grad` below comes from you.

# %%
w = minigrad.tensor([1.0], requires_grad=True)
minigrad.warmup.squared_loss(w, X, Y).backward()
print(w.grad)

# %% [markdown] tags=["lang-zh"]
# 最后一项检查让引擎用你的斜率连走十五步下山，每一步停在哪儿都要和 torch 一样；再把你的运算放进一个更大的式子，看整条链还对不对。

# %% [markdown] tags=["lang-en"]
# The last check takes fifteen steps downhill with your slope and compares the position with torch's after every one; then it puts your operation into a larger expression, to see whether the whole chain still holds.

# %% nbgrader={"grade_id": "check_warmup_descent", "grade": true, "points": 2}
check("warmup_descent")

# %% [markdown] tags=["lang-zh"]
# ## 8 · torch 其实是怎么做的
#
# 算出 -40，torch 用不着“平方误差的导数”这样一条公式。计算损失时它记下用过的每个运算，连成一张计算图（computational graph）；`backward` 再从损失出发往回走，每个运算只用自己那一小条规则（rule）。
#
# 下面请 torch 画出它自己的图。先猜：它记下了哪几个运算，哪一个在最上面？

# %% [markdown] tags=["lang-en"]
# ## 8 · What torch really does
#
# To get -40, torch needed no formula for "the derivative of the squared error". While computing the loss it notes each operation and links them into a computational graph (计算图); `backward` then walks back from the loss, and each operation applies one small rule (规则) of its own.
#
# The picture below is torch's own graph. Guess first: which operations did it record, and which of them is at the top?

# %% tags=["demo"]
from minigrad.viz import draw

w = torch.tensor([1.0], requires_grad=True)
loss = ((torch.tensor([3.0, 5.0, 7.0]) - w * torch.tensor([1.0, 2.0, 3.0])) ** 2).sum()
draw(loss, params={"w": w, "loss": loss}, show=["shapes"])

# %% tags=["proof"]
names, node = [], loss.grad_fn
while node is not None:
    names.append(node.name())
    node = next((after for after, _ in node.next_functions if after is not None), None)
assert names == [
    "SumBackward0",
    "PowBackward0",
    "SubBackward0",
    "MulBackward0",
    "torch::autograd::AccumulateGrad",
]

# %% [markdown] tags=["lang-zh"]
# 从上往下读：求和、平方、减法、乘法，最后到 `w`。你刚才一口气写出的公式，torch 用四条小规则一步一步算出来。第 03 课里，其中三条由你来写。

# %% [markdown] tags=["lang-en"]
# Read it from the top: sum, square, subtraction, multiplication, and finally `w`. What you wrote as one formula, torch works out step by step with four small rules. In lesson 03 you write three of them yourself.

# %% [markdown] tags=["lang-zh"]
# ## 自测
#
# **1.** 从 $w = 3$ 出发，数据不变，`w.grad` 是正是负？先答，再展开。
#
# <details><summary>答案</summary>正的，是 16。谷底在 $34/14 \approx 2.43$，3 在它右边，往右走是上坡。</details><br>
#
# **2.** 把损失里的 `.sum()` 换成 `.mean()`，-40 会变成多少？最好的 `w` 会变吗？
#
# <details><summary>答案</summary>-40 除以 3，约 -13.33。最好的 `w` 不变：整个山谷压扁到三分之一，谷底还在原处。</details>

# %% [markdown] tags=["lang-en"]
# ## Test yourself
#
# **1.** Starting from $w = 3$ with the same data, is `w.grad` positive or negative? Answer first, then unfold the answer.
#
# <details><summary>Answer</summary>Positive, it is 16. The valley's floor is at $34/14 \approx 2.43$; 3 is to the right of it, and going right from there is uphill.</details><br>
#
# **2.** Replace `.sum()` in the loss by `.mean()`. What becomes of -40? Does the best `w` change?
#
# <details><summary>Answer</summary>-40 divided by 3, about -13.33. The best `w` stays the same: the valley is squeezed to a third of its height, and its lowest point stays where it was.</details>

# %% tags=["proof"]
X, Y = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([3.0, 5.0, 7.0])
w = torch.tensor([3.0], requires_grad=True)
((Y - w * X) ** 2).sum().backward()
assert w.grad.tolist() == [16.0]
w = torch.tensor([1.0], requires_grad=True)
((Y - w * X) ** 2).mean().backward()
assert abs(w.grad.item() - -40 / 3) < 1e-5
assert abs(slope_at(34 / 14)) < 1e-6

# %% [markdown] tags=["lang-zh"]
# ## 想一想，写下来
#
# 一位同学说：“梯度是 -40，所以最好的 `w` 就是 1 + 40 = 41。”用三四句话回答他：-40 说的究竟是什么，没说什么，应该怎样用它？用你自己的话写，中文英文都行。这一格由老师评阅，1 分。

# %% [markdown] tags=["lang-en"]
# ## Think, then write
#
# A fellow student says: "The gradient is -40, so the best `w` is 1 + 40 = 41." Reply in three or four sentences: what does -40 really say, what doesn't it say, and how should it be used? Use your own words, in Chinese or English. A teacher reads this cell; it is worth 1 point.

# %% [markdown] nbgrader={"grade_id": "reflection", "grade": true, "solution": true, "points": 1}
# **评分标准（1 分）** 三点里说清两点，且没有与之矛盾的话，给 1 分：
# 1. 导数是局部的斜率：w 在 1 附近动一点点时，损失的变化约为 w 变化的 -40 倍；负号表示 w 增大则损失减小。
# 2. 它不说最低点在哪里，也不说能走多远；走到 41，损失反而变成 20829。
# 3. 用法：乘上一个小的学习率，走一小步，在新的位置重新求导，反复进行。
#
# 参考回答：-40 只说在 w = 1 脚下有多陡，w 往大走，损失往下掉。它没有告诉我谷底在哪儿，走整整 40 就跨过了山谷，损失到了两万多。应该乘一个小学习率，迈一小步，再重新算斜率。
#
# **Rubric (1 point)** Two of these three, clearly said and not contradicted:
# 1. A derivative is a local slope: for small moves of w around 1 the loss changes about -40 times as much; the minus says that it falls as w grows.
# 2. It does not say where the lowest point is nor how far one may go; at 41 the loss is 20829.
# 3. Its use: multiply by a small learning rate, take a small step, differentiate again at the new place, repeat.
#
# Model answer: -40 only tells how steep it is under my feet at w = 1, and that the loss drops as w grows. It says nothing about where the valley ends; a step of the full 40 leaps across it, up to a loss of over twenty thousand. Multiply it by a small learning rate, take a small step, and compute the slope anew.

# %% [markdown] tags=["lang-zh"]
# ## 交作业
#
# 先从菜单 Kernel 里选 Restart Kernel and Run All Cells，看看从头到尾是否都还通过；也可以按工具栏上的 Validate。然后保存。
#
# 交的就是这一个文件 `00_warmup.ipynb`，名字别改。老师若开了收发作业的功能，就在菜单 Nbgrader 里的 Assignment List 点 Submit；没有的话，照老师说的方式把文件交上去。
#
# 下面最后一格会开回执：写成 `submit("ada")`，引号里换成你的学号，运行；文件就照原样在练习数据上评一遍，连同 SHA-256 和时间存进 `my_submissions`。每一版都留着，不会互相覆盖；老师在这台机器上开了收件箱的话，也就交上去了。
#
# 这里 `check` 用的是练习数据；评分时会换新的种子（seed）重新抽。所以过得了的是公式，背下来的数过不了。

# %% [markdown] tags=["lang-en"]
# ## Handing in
#
# First choose Restart Kernel and Run All Cells from the Kernel menu, to see whether everything still passes from top to bottom, or press Validate in the toolbar. Then save.
#
# What you hand in is this one file, `00_warmup.ipynb`; keep its name. If your teacher uses nbgrader's exchange, press Submit in the Assignment List of the Nbgrader menu; otherwise hand in the file the way you were told.
#
# The last cell below gives a receipt: write `submit("ada")`, with your own student ID between the quotes, and run it. The file as it stands is graded once on practice data and kept in `my_submissions` with its SHA-256 and the time. Every version is kept and none overwrites another; if your teacher has opened an inbox on this machine, the file is handed in at the same time.
#
# Here, `check` uses practice data; for grading, new data are drawn from a new seed (种子). So what passes is a formula, not memorised numbers.
