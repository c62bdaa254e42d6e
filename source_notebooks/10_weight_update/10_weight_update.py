# %% [markdown] tags=["lang-zh"]
# # 10 · 更新权重的陷阱
#
# 预计 60 分钟
#
# 梯度有了，把 `w` 往下挪一步，看起来是训练里最简单的一行。它却有三种写法，一种毁掉叶子，一种会悄悄算错，只有一种是对的。
#
# 这一课你亲手写出那个对的：`no_grad`、版本检查、`SGD.step`。

# %% [markdown] tags=["lang-en"]
# # 10 · The weight-update pitfall
#
# About 60 minutes
#
# You have the gradient; moving `w` one step downhill looks like the simplest line in all of training. Yet there are three ways to write it: one destroys the leaf, one can go silently wrong, and only one is right.
#
# In this lesson you write what the right one needs: `no_grad`, the version check, and `SGD.step`.

# %% tags=["setup"]
import minigrad
from autograder import check, hint, implements
from minigrad.autograd.grad_mode import Decorating, set_recording
from minigrad.autograd.graph import modified_message

# %% [markdown] tags=["lang-zh"]
# 前几课里通过检查的部件，这一课可以接着用：`use_parts("mine")` 接上你写的，`use_parts("reference")` 换回引擎自己的。评分不受影响：前几课的部件，评分时用的总是引擎自己的。

# %% [markdown] tags=["lang-en"]
# Parts of yours that passed in earlier lessons can go on working in this one: `use_parts("mine")` plugs in yours, `use_parts("reference")` goes back to the engine's own. Grading is not affected: in place of those parts it always uses the engine's own.

# %%
from autograder import use_parts

use_parts("mine")

# %% [markdown] tags=["lang-zh"]
# ## 1 · 走了一步之后，w 去哪儿了？
#
# 更新权重（weight），大家第一次都这样写：`w = w - 0.1 * w.grad`。数值一点没错。
#
# 可是接着再 `backward()` 一次，`w.grad` 里会是什么？`first` 是我们给原来那个 `w` 留的另一个名字。先猜，再运行。

# %% [markdown] tags=["lang-en"]
# ## 1 · One step later, where did w go?
#
# To update a weight (权重), everyone first writes `w = w - 0.1 * w.grad`. The value it gives is right.
#
# But call `backward()` once more: what is in `w.grad` then? `first` is a second name that we give to the original `w`. Guess, then run.

# %% tags=["demo"]
import torch

w = torch.tensor([1.0], requires_grad=True)
first = w
(40 * w).sum().backward()
w = w - 0.1 * w.grad
print(w)

(40 * w).sum().backward()
print("w.grad     ", w.grad)
print("first.grad ", first.grad)

# %% tags=["proof"]
import warnings

assert w.item() == -3.0 and w.grad_fn.name() == "SubBackward0" and not w.is_leaf
assert first.is_leaf and first.grad.item() == 80.0
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    assert w.grad is None
assert "not a leaf" in str(seen[0].message)

# %% [markdown] tags=["lang-zh"]
# `None`，外加一条警告。名字 `w` 如今指着另一个张量：一次减法的结果。它不是叶子（leaf），没有 `AccumulateGrad` 替它收梯度。
#
# 梯度并没有丢，它还是流到了原来的叶子里：`first.grad` 从 40 涨到了 80。可要不是我们多留了 `first` 这个名字，就再也找不到它了；何况 80 是两步加在一起的，并不是新位置的梯度。
#
# 再写一次 `w = w - 0.1 * w.grad`，就是拿 `None` 去乘，训练停在第二步，报的却是一个看似不相干的 `TypeError`。`minigrad` 也一样：

# %% [markdown] tags=["lang-en"]
# `None`, and a warning with it. The name `w` now points at another tensor, the result of a subtraction. That is not a leaf (叶子), and it has no `AccumulateGrad` to collect a gradient for it.
#
# The gradient is not lost; it flowed into the original leaf: `first.grad` went from 40 to 80. But without the extra name `first`, we could no longer get at it; and 80 is the sum of two steps, not the gradient at the new place.
#
# Write `w = w - 0.1 * w.grad` once more, and `None` gets multiplied: training stops at its second step, with a `TypeError` that seems unrelated. `minigrad` does the same:

# %%
w = minigrad.tensor([1.0], requires_grad=True)
try:
    for step in range(2):
        (40 * w).sum().backward()
        w = w - 0.1 * w.grad
        print("step", step, w)
except TypeError as error:
    print("step", step, "TypeError:", error)

# %% tags=["proof"]
assert step == 1 and w.item() == -3.0 and not w.is_leaf
try:
    0.1 * torch.tensor([1.0]).grad
    raise AssertionError
except TypeError as error:
    assert "'float' and 'NoneType'" in str(error)

# %% [markdown] tags=["lang-zh"]
# ## 2 · 打个补丁：retain_grad？
#
# 警告里提到一个办法：`w.retain_grad()`，让不是叶子的张量也留下梯度。每一步都这么写，训练果然能继续，数值也都对。那还有什么问题？
#
# 下面的 `train` 用两种写法各走 300 步：一种重新绑定名字（`rebind`），一种在 `no_grad` 里原地改 `w`，也就是第 7 节的写法。每一步都数一数计算图（computational graph）里有多少个节点。先猜：第 300 步时，`loss` 背后有几个节点？

# %% [markdown] tags=["lang-en"]
# ## 2 · A patch: retain_grad?
#
# The warning mentions a way out: `w.retain_grad()` makes a tensor keep its gradient even though it is not a leaf. Call it at every step, and training does go on, with the right values. So what is wrong with it?
#
# Below, `train` takes 300 steps in each of two ways: one rebinds the name (`rebind`), the other changes `w` in place under `no_grad`, as in section 7. At each step it counts the nodes of the computational graph (计算图). Guess first: at step 300, how many nodes are behind `loss`?

# %% tags=["demo"]
import time
import tracemalloc

import numpy as np


def count_nodes(loss):
    seen, todo = set(), [loss.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [after for after, _ in node.next_functions]
    return len(seen)


def train(T, rebind, steps=300, counting=True):
    w = T.tensor([1.0], requires_grad=True)
    nodes, kilobytes, seconds = np.zeros((3, steps))
    tracemalloc.start()
    for step in range(steps):
        if rebind and not w.is_leaf:
            w.retain_grad()
        loss = ((w - 3) ** 2).sum()
        if counting:
            nodes[step] = count_nodes(loss)
        start = time.perf_counter()
        loss.backward()
        seconds[step] = time.perf_counter() - start
        if rebind:
            w = w - 0.01 * w.grad
        else:
            with T.no_grad():
                w -= 0.01 * w.grad
            w.grad = None
        kilobytes[step] = tracemalloc.get_traced_memory()[0] / 1024
    tracemalloc.stop()
    return w.item(), nodes, kilobytes, seconds


counted = {}
for rebind in (True, False):
    value, nodes, _, seconds = train(torch, rebind)
    counted[rebind] = nodes
    slower = seconds[-20:].sum() / seconds[20:40].sum()
    print(f"rebind = {rebind!s:<5}  w = {value:.4f}  nodes {nodes[0]:.0f} -> {nodes[-1]:.0f}  time x {slower:.1f}")

# %% tags=["proof"]
value, nodes, _, _ = train(torch, True, steps=50)
assert nodes.tolist() == [4 + step for step in range(50)]
other, nodes, _, _ = train(torch, False, steps=50)
assert set(nodes.tolist()) == {4} and abs(value - other) < 1e-5

# %% [markdown] tags=["lang-zh"]
# 两种写法走到了同一个 `w`。可是重新绑定名字的那一种，每走一步，图就多一个节点，从来不减：新的 `w` 是旧的 `w` 减出来的，旧的又是更旧的减出来的，一直连到最初的叶子。
#
# 每次 `backward` 都要把这条尾巴从头走到尾，所以越来越慢（上面的 `time` 是最后二十步与靠前的二十步用时之比），内存也一路上涨。下图左边是节点数，右边是 Python 内存，由 `minigrad` 跑同一个 `train` 测得。

# %% [markdown] tags=["lang-en"]
# Both ways end at the same `w`. But when the name is rebound, the graph gains a node at every step and never loses one: the new `w` is the old `w` minus something, the old one is a still older one minus something, and so on back to the first leaf.
#
# Each `backward` has to walk this tail to its end, so it gets slower and slower (`time` above compares the last twenty steps with twenty near the beginning), and memory keeps climbing. The picture shows the number of nodes on the left and, on the right, Python's memory while `minigrad` runs the same `train`.

# %% tags=["picture"]
from autograder.plots import row

labels = [
    ("步数 · steps", "节点数 · nodes in the graph", "torch"),
    ("步数 · steps", "内存 · memory (KiB)", "minigrad"),
]
left, right = row(labels, size=(8.4, 3))
for rebind, name, style in [(True, "w = w - ...", "-"), (False, "no_grad: w -= ...", "--")]:
    left.plot(counted[rebind], style, label=name)
    right.plot(train(minigrad, rebind, steps=200, counting=False)[2], style, label=name)
right.set_ylim(0)
_ = left.legend()

# %% tags=["proof"]
grows, flat = (train(minigrad, rebind, counting=False)[2] for rebind in (True, False))
assert grows[-1] - grows[100] > 50 and flat[-1] - flat[100] < 5

# %% [markdown] tags=["lang-zh"]
# 尾巴长什么样？只走三步，画出来看。最底下那个叶子已经没有名字了，图里只好叫它 `#1`；名字 `w` 挂在最后一次减法上。

# %% [markdown] tags=["lang-en"]
# What does the tail look like? Take just three steps and draw it. The leaf at the bottom no longer has a name, so the picture calls it `#1`; the name `w` now belongs to the last subtraction.

# %% tags=["picture"]
from minigrad.viz import draw

w = torch.tensor([1.0], requires_grad=True)
for _ in range(3):
    if not w.is_leaf:
        w.retain_grad()
    ((w - 3) ** 2).sum().backward()
    w = w - 0.1 * w.grad
loss = ((w - 3) ** 2).sum()
draw(loss, params={"w": w, "loss": loss}, show=["shapes"])

# %% tags=["proof"]
assert count_nodes(loss) == 7

# %% [markdown] tags=["lang-zh"]
# ## 3 · 那么用 .data？
#
# 许多旧教程说，正确的写法是 `w.data = w.data - lr * w.grad`。走三步试试。先猜：`w` 还是叶子吗，数值对不对，图里有几个节点？

# %% [markdown] tags=["lang-en"]
# ## 3 · Then use .data?
#
# Many old tutorials say that the right way is `w.data = w.data - lr * w.grad`. Take three steps that way. Guess first: is `w` still a leaf, is its value right, and how many nodes are in the graph?

# %% tags=["demo"]
w = torch.tensor([1.0], requires_grad=True)
for _ in range(3):
    w.grad = None
    (40 * w).sum().backward()
    w.data = w.data - 0.1 * w.grad
print(w, w.is_leaf, w.grad, "nodes", count_nodes((40 * w).sum()))

# %% tags=["proof"]
assert count_nodes((40 * w).sum()) == count_nodes((40 * torch.tensor([1.0], requires_grad=True)).sum()) == 3
assert w.is_leaf and w.requires_grad and w.item() == -11.0 and w.grad.item() == 40.0

# %% [markdown] tags=["lang-zh"]
# 还是叶子，数值对，图也没有变长：这里能用。可是“`.data` 是正确的写法”这句话，下一格就要推翻它。
#
# $y = x^2$ 在 $x = 3$ 处的斜率是 6。算完 `y` 之后、`backward` 之前，我们把 `x` 放大 10 倍，放法有三种：经过 `.data`、经过 `detach()`、在 `no_grad` 里。
#
# 猜三次：`x.grad` 各是多少？或者会发生别的什么？

# %% [markdown] tags=["lang-en"]
# Still a leaf, the right value, a graph that does not grow: it works here. But the next cell will refute "`.data` is the right way".
#
# At $x = 3$, $y = x^2$ has slope 6. After computing `y` and before calling `backward`, we make `x` 10 times as large, in three ways: through `.data`, through `detach()`, and under `no_grad`.
#
# Make three guesses: what is `x.grad` each time? Or does something else happen?


# %% tags=["demo"]
def through_data(x):
    x.data.mul_(10)


def through_detach(x):
    x.detach().mul_(10)


def under_no_grad(x):
    with torch.no_grad():
        x.mul_(10)


def late_backward(write):
    x = torch.tensor([3.0], requires_grad=True)
    y = x * x
    write(x)
    try:
        y.sum().backward()
        outcome = f"x.grad = {x.grad.item()}"
    except RuntimeError as error:
        outcome = str(error).split(":")[0]
    return f"x._version = {x._version}", outcome


for write in (through_data, through_detach, under_no_grad):
    print(write.__name__, *late_backward(write), sep="\n    ")

# %% tags=["proof"]
assert late_backward(through_data) == ("x._version = 0", "x.grad = 60.0")
for write in (through_detach, under_no_grad):
    version, outcome = late_backward(write)
    assert version == "x._version = 1" and outcome.endswith("has been modified by an inplace operation")

# %% [markdown] tags=["lang-zh"]
# 同样是改写，后两种都被拦了下来；经过 `.data` 的那一次，没有报错，没有警告，只有一个错的数：60，而不是 6。乘法保存的 `x` 被悄悄换掉了，反向时用的是新值。
#
# 所以更准确的说法是：`.data` 能用，但自动求导（autograd）看不见它。出了错，没有人会告诉你。
#
# 另外两种又是怎么被发现的？靠的是 `_version`。

# %% [markdown] tags=["lang-en"]
# All three overwrite the same values, and the last two are caught. The one through `.data` gives no error and no warning, just a wrong number: 60 instead of 6. The `x` that the multiplication had saved was changed unnoticed, and backward used the new value.
#
# So, more precisely: `.data` works, but autograd (自动求导) does not see it. When it goes wrong, nobody tells you.
#
# And how were the other two caught? By `_version`.

# %% [markdown] tags=["lang-zh"]
# ## 4 · 版本号：谁改了保存的值？
#
# 每个张量（tensor）带着一个计数器，就是它的版本：每原地（in-place）写入一次，它就加 1。那么，经过 `detach()` 写入算不算，经过 `.data` 呢？
#
# 在 `minigrad` 上看看计数器怎么走。先猜四行里的版本号：

# %% [markdown] tags=["lang-en"]
# ## 4 · Versions: who changed a saved value?
#
# Each tensor (张量) carries a counter, its version: every write in place (原地) adds 1. Does a write through `detach()` count? And one through `.data`?
#
# Watch the counter on `minigrad`. Guess the version in each of the four lines:

# %%
x = minigrad.tensor([3.0, 4.0])
print("new           ", x._version)
x.add_(1)
x[0] = 7
print("two writes    ", x._version)
x.detach().mul_(10)
print("by detach()   ", x._version)
x.data.mul_(10)
print("by .data      ", x._version, "while x is", x)

# %% tags=["proof"]
for T in (torch, minigrad):
    x = T.tensor([3.0, 4.0])
    versions = [x._version]
    for write in (
        lambda: x.add_(1),
        lambda: x.detach().mul_(10),
        lambda: x.view(1, 2).mul_(2),
        lambda: x.data.mul_(10),
    ):
        write()
        versions.append(x._version)
    assert versions == [0, 1, 2, 3, 3]

# %% [markdown] tags=["lang-zh"]
# `detach()` 的结果与原张量共用计数器，视图（view）也一样。`.data` 给出的张量也用着同一份存储（storage），计数器却是一个新的：`x` 已经变了，版本还是 3。
#
# 运算保存一个值时，记下它当时的版本。反向要用它之前，再看一眼：版本变了，说明值被改写过，那就宁可报错，也不用错的数算下去。
#
# 现在由你来写这项检查。`check_version` 收到：`saved`，节点保存的值，它的 `_version` 是现在的版本；`expected`，保存时的版本，一个整数；`source`，值的来历，原样传下去就好。
#
# 版本没变，什么也不做；变了，就 `raise RuntimeError`。torch 的错误信息很长，`modified_message` 替你写好：依次给它 `saved`、现在的版本、`expected`、`source`。
#
# 例子：保存时版本是 0，之后 `x.add_(1)`，`saved._version` 成了 1，与 0 不同，报错。可要是保存时就已经是 1，现在还是 1，那就没事。

# %% [markdown] tags=["lang-en"]
# The result of `detach()` shares the counter of the original tensor, and so do views (视图). What `.data` gives you shares its storage (存储), too, but comes with a new counter: `x` has changed, and its version is still 3.
#
# When an operation saves a value, it notes the version at that moment. Before backward uses the value, it looks again: if the version has changed, the value has been overwritten, and an error is better than going on with wrong numbers.
#
# Now write this check yourself. `check_version` receives `saved`, the value that a node has kept, whose `_version` is the version now; `expected`, the version at the time of saving, an int; and `source`, where the value came from, which you pass on as it is.
#
# If the version is the same, do nothing; if it has changed, `raise RuntimeError`. torch's message is long, and `modified_message` writes it for you: give it `saved`, the version now, `expected` and `source`, in this order.
#
# Example: the version at saving was 0, then came `x.add_(1)`, and now `saved._version` is 1; that differs from 0, so it raises. But if it was already 1 at saving and is still 1 now, all is well.


# %% nbgrader={"grade_id": "check_version", "solution": true}
@implements("minigrad.autograd.graph.check_version")
def check_version(saved, expected, source=""):
    """Raise RuntimeError if `saved` has been written in place since it was saved; else do nothing.

    saved: what a node kept; saved._version is an int, the version now.
    expected: an int, the version at saving.  source: where it came from, for the message.
    torch does this when it unpacks a SavedVariable.
    Example: saved at version 0, then x.add_(1): saved._version is 1, expected is 0  ->  RuntimeError
    """
    ### BEGIN SOLUTION
    if saved._version != expected:
        raise RuntimeError(modified_message(saved, saved._version, expected, source))
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_version_check", "grade": true, "points": 3}
check("version_check")

# %% [markdown] tags=["lang-zh"]
# 该报错时报错只是一半，不该报时不报是另一半。下一项检查里有六种情形，torch 都不报错，你的也不该报。

# %% [markdown] tags=["lang-en"]
# Raising an error when needed is one half; raising none otherwise is the other. The next check has six situations in which torch does not complain, and neither should you.

# %% nbgrader={"grade_id": "check_version_check_silent", "grade": true, "points": 2}
check("version_check_silent")

# %% [markdown] tags=["lang-zh"]
# ## 5 · “自动求导不支持原地操作”？
#
# 这句话也到处都能读到。有了版本号，我们可以说得准得多。四段小程序，哪几段会报错？先猜。

# %% [markdown] tags=["lang-en"]
# ## 5 · "Autograd does not support in-place operations"?
#
# You can read this everywhere, too. Now that we know about versions, we can be much more precise. Which of these four small programs raise? Guess first.


# %% tags=["demo"]
def scaled(x):
    y = x * 2
    y.add_(1)
    return y


def exponential(x):
    y = x.exp()
    y.add_(1)
    return y


def added_to_input(x):
    y = x + 0
    z = y * y
    y.add_(1)
    return z


def leaf(x):
    x.add_(1)
    return x


for program in (scaled, exponential, added_to_input, leaf):
    x = torch.tensor([3.0], requires_grad=True)
    try:
        program(x).sum().backward()
        print(f"{program.__name__:<15} x.grad = {x.grad.item()}")
    except RuntimeError as error:
        print(f"{program.__name__:<15}", str(error).split(":")[0])

# %% tags=["proof"]
outcome = {}
for program in (scaled, exponential, added_to_input, leaf):
    x = torch.tensor([3.0], requires_grad=True)
    try:
        program(x).sum().backward()
        outcome[program.__name__] = x.grad.item()
    except RuntimeError as error:
        outcome[program.__name__] = str(error)
assert outcome["scaled"] == 2.0
assert outcome["exponential"].startswith("one of the variables needed for gradient computation has been modified")
assert outcome["added_to_input"].startswith("one of the variables needed for gradient computation has been modified")
assert outcome["leaf"] == "a leaf Variable that requires grad is being used in an in-place operation."

# %% [markdown] tags=["lang-zh"]
# 原地操作是允许的，不许的主要是两种情形：
#
# 1. 反向还要用的值，保存之后不许改：`exp` 存了自己的输出，`y * y` 存了 `y`。`x * 2` 只存那个 2，所以改它的结果没有关系。
# 2. 需要梯度的叶子不许在记录（recording）着的时候改。改了之后它就成了运算的结果，还怎么当叶子？
#
# 第二条正好拦住了最顺手的更新：`w -= lr * w.grad` 要原地改一个叶子。出路也在这句话里：先别记录。

# %% [markdown] tags=["lang-en"]
# In-place operations are allowed. Essentially, only two things are not:
#
# 1. A saved value that backward still needs must not be changed: `exp` has saved its output, and `y * y` has saved `y`. `x * 2` saves only the 2, so its result may be changed freely.
# 2. A leaf that requires grad must not be changed while operations are being recorded (记录). The change would make it the result of an operation; how could it still be a leaf?
#
# The second rule stops the obvious weight update: `w -= lr * w.grad` changes a leaf in place. But the rule also shows the way out: do not record.

# %% [markdown] tags=["lang-zh"]
# ## 6 · no_grad：先别记录
#
# `with torch.no_grad():` 里的运算照常算，只是不进计算图。猜猜下面三行：块里的结果要不要梯度？里层结束后，外层里还在不在记录？块里出了错，出来以后呢？

# %% [markdown] tags=["lang-en"]
# ## 6 · no_grad: do not record
#
# Inside `with torch.no_grad():` operations compute as usual, but do not enter the graph. Guess these three lines: does a result made inside require grad? After an inner block has ended, is the outer one recording? And after an error inside a block, once you are outside?

# %% tags=["demo"]
w = torch.tensor([1.0], requires_grad=True)
with torch.no_grad():
    print("inside:           requires_grad =", (w * w).requires_grad)
    with torch.no_grad():
        pass
    print("after inner one:  recording =", torch.is_grad_enabled())

try:
    with torch.no_grad():
        raise ValueError("the data ran out")
except ValueError:
    print("after an error:   recording =", torch.is_grad_enabled())

# %% tags=["proof"]
with torch.no_grad():
    assert not (w * w).requires_grad
    with torch.no_grad():
        pass
    assert not torch.is_grad_enabled()
assert torch.is_grad_enabled()

# %% [markdown] tags=["lang-zh"]
# 中间那行最要紧。里层结束时，`no_grad` 不是“打开记录”，而是“恢复成进来之前的样子”；进来之前是关着的，那就还关着。
#
# Python 的 `with` 靠两个方法运转：进块时调用 `__enter__`，出块时调用 `__exit__`。块里出了错，`__exit__` 也照样会被调用，参数里带着那个错误：

# %% [markdown] tags=["lang-en"]
# The middle line matters most. When the inner block ends, `no_grad` does not "switch recording on"; it "goes back to what it found on entering", and if recording was off then, it stays off.
#
# Python's `with` relies on two methods: `__enter__` is called when the block begins, `__exit__` when it ends. After an error in the block, `__exit__` is called just the same, with the error among its arguments:


# %%
class Door:
    def __enter__(self):
        print("in")

    def __exit__(self, *exception):
        print("out, with", exception[0])


try:
    with Door():
        1 / 0
except ZeroDivisionError:
    print("and the error went on")

# %% [markdown] tags=["lang-zh"]
# 开关也有了：`set_recording` 打开或关掉记录，并返回之前是开还是关。

# %% [markdown] tags=["lang-en"]
# There is a switch as well: `set_recording` turns recording on or off, and returns what it was before.

# %%
print(set_recording(False), minigrad.is_grad_enabled())
print(set_recording(True), minigrad.is_grad_enabled())

# %% [markdown] tags=["lang-zh"]
# 写出 `no_grad` 的三个方法；`(Decorating)` 保持原样，下面就讲。`__init__` 准备一个属性，好记住原先的状态，但什么也不切换：`no_grad()` 只是造好一个对象，进了块才生效。`__exit__` 什么也不返回；返回 `True` 会把错误吞掉。`__enter__` 也什么都不返回：在 torch 里，`with torch.no_grad() as x` 的 `x` 是 `None`。
#
# 例子：原先开着，进块后关，出块后开；原先关着，进块后关，出块后仍然关。

# %% [markdown] tags=["lang-en"]
# Write the three methods of `no_grad`; leave `(Decorating)` as it is, it is explained below. `__init__` prepares an attribute for the old state, but switches nothing: `no_grad()` only creates an object; it takes effect when the block begins. `__exit__` returns nothing; if it returned `True`, the error would be swallowed. `__enter__` returns nothing either: in torch, `with torch.no_grad() as x` gives `x` the value `None`.
#
# Example: on before, off inside, on again afterwards; off before, off inside, and still off afterwards.


# %% nbgrader={"grade_id": "no_grad", "solution": true}
@implements("minigrad.autograd.grad_mode.no_grad")
class no_grad(Decorating):
    """with no_grad(): the operations inside are not recorded. torch.no_grad; nests, and restores after errors.

    set_recording(flag) switches recording to flag, a bool, and returns what it was, a bool.
    Example: with no_grad(): y = w * 2  ->  y.requires_grad is False, and recording is as before afterwards
    """

    def __init__(self):
        """Prepare to remember; nothing is switched yet."""
        ### BEGIN SOLUTION
        self.prev = False
        ### END SOLUTION

    def __enter__(self):
        """The block begins: note whether recording is on, and switch it off."""
        ### BEGIN SOLUTION
        self.prev = set_recording(False)
        ### END SOLUTION

    def __exit__(self, *exception):
        """The block ends, perhaps by an error: set recording back to what it was on entering."""
        ### BEGIN SOLUTION
        set_recording(self.prev)
        ### END SOLUTION


# %% nbgrader={"grade_id": "check_no_grad_block", "grade": true, "points": 2}
check("no_grad_block")

# %% nbgrader={"grade_id": "check_no_grad_nested", "grade": true, "points": 2}
check("no_grad_nested")

# %% nbgrader={"grade_id": "check_no_grad_exception", "grade": true, "points": 2}
check("no_grad_exception")

# %% [markdown] tags=["lang-zh"]
# `no_grad` 还能当装饰器（decorator）用：写在函数上面，函数每次运行都在块里。这部分由基类 `Decorating` 替你做，它每次调用都新造一个 `no_grad()`，再用 `with` 包住函数。
#
# 为什么每次都要新造？函数可能调用自己，几个块叠在一起，各记各的才不会乱：一个对象只记得最近一次进块时的状态，torch 的也是。先猜：下面打印哪三样？

# %% [markdown] tags=["lang-en"]
# `no_grad` is also a decorator (装饰器): placed above a function, it makes every call of that function run inside a block. The base class `Decorating` does this for you: on every call it makes a new `no_grad()` and runs the function in its `with` block.
#
# Why a new one every time? The function may call itself; then several blocks are open at once, and each must remember its own state: one object remembers only the latest block it entered, and torch's does, too. Guess: which three things are printed below?


# %% tags=["demo"]
@torch.no_grad()
def evaluate(x):
    return x * 2


w = torch.tensor([1.0], requires_grad=True)
print(evaluate(w).requires_grad, (w * 2).requires_grad, evaluate.__name__)

# %% tags=["proof"]
assert not evaluate(w).requires_grad and (w * 2).requires_grad and evaluate.__name__ == "evaluate"
once = torch.no_grad()
with once:
    with once:
        pass
assert not torch.is_grad_enabled()  # it remembers only that recording was off when it was entered again
torch.set_grad_enabled(True)

# %% nbgrader={"grade_id": "check_no_grad_decorator", "grade": true, "points": 2}
check("no_grad_decorator")

# %% [markdown] tags=["lang-zh"]
# ## 7 · SGD.step：正确的那一步
#
# 现在三样都齐了：不记录，原地改，版本号加 1。这就是更新权重的正确写法，随机梯度下降（stochastic gradient descent，SGD）的 `step` 不过是对每个参数做一遍。
#
# `self.params` 是参数张量的列表，`self.lr` 是学习率（learning rate），一个浮点数。没有梯度的参数（`p.grad` 是 `None`）跳过，继续下一个；`p.grad` 本身不要动，清零是 `zero_grad` 的事。
#
# 例子：`p` 为 `[1.0]`，`p.grad` 为 `[4.0]`，`lr` 为 0.1，之后 `p` 是 `[0.6]`，而且还是叶子。

# %% [markdown] tags=["lang-en"]
# ## 7 · SGD.step: the step done right
#
# Now we have all that is needed: nothing is recorded, the weight changes in place, and its version goes up by 1. This is the right way to update a weight, and the `step` of stochastic gradient descent (随机梯度下降, SGD) does it once for each parameter.
#
# `self.params` is the list of parameters, all tensors; `self.lr` is the learning rate (学习率), a float. Skip a parameter without a gradient (`p.grad` is `None`) and go on with the next; leave `p.grad` itself alone: clearing it is the job of `zero_grad`.
#
# Example: if `p` is `[1.0]`, `p.grad` is `[4.0]` and `lr` is 0.1, then `p` is `[0.6]` afterwards, and still a leaf.


# %% nbgrader={"grade_id": "sgd_step", "solution": true}
@implements("minigrad.optim.SGD.step")
def step(self):
    """Move every parameter one step against its gradient, leaving it the leaf it was. torch.optim.SGD.step.

    p becomes p - self.lr * p.grad for each p in self.params whose grad is not None; nothing is recorded.
    p: a float tensor of any shape; p.grad has the same shape.  self.lr: a float.  Returns None.
    Example: p = [1.0], p.grad = [4.0], lr = 0.1  ->  p = [0.6], p.is_leaf stays True
    """
    ### BEGIN SOLUTION
    with no_grad():
        for p in self.params:
            if p.grad is not None:
                p -= self.lr * p.grad
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_sgd_step", "grade": true, "points": 2}
check("sgd_step")

# %% [markdown] tags=["lang-zh"]
# 最后一项检查：一个小网络训练六步，中间穿插不该被记录的评估，还有一次半路出错；每一个梯度都和 torch 比。靠的全是你写的三个部件。

# %% [markdown] tags=["lang-en"]
# The last check trains a small network for six steps, with evaluations in between that must not be recorded, and one error halfway; every gradient is compared with torch. All of it runs on the three parts you wrote.

# %% nbgrader={"grade_id": "check_weight_update_training", "grade": true, "points": 3}
check("weight_update_training")

# %% [markdown] tags=["lang-zh"]
# ## 8 · torch 其实是怎么做的
#
# torch 的 `no_grad` 就是几行 Python，可以直接打印出来。先猜：`__exit__` 里写的是“打开记录”，还是“恢复原样”？再和你的比一比。

# %% [markdown] tags=["lang-en"]
# ## 8 · What torch really does
#
# torch's `no_grad` is just a few lines of Python, so we can print it. Guess first: does its `__exit__` switch recording on, or back to what it was? Then compare it with yours.

# %% tags=["demo"]
import inspect

print(inspect.getsource(torch.no_grad.__enter__))
print(inspect.getsource(torch.no_grad.__exit__))

# %% tags=["proof"]
assert "self.prev = torch.is_grad_enabled()" in inspect.getsource(torch.no_grad.__enter__)
assert "torch.set_grad_enabled(self.prev)" in inspect.getsource(torch.no_grad.__exit__)

# %% [markdown] tags=["lang-zh"]
# `torch.optim.SGD` 也做同样的事：走一步，`w` 还是叶子，版本加 1。那么，走步之前的图存着 `w`，走步之后再从它反向一次，会怎样？先猜：

# %% [markdown] tags=["lang-en"]
# `torch.optim.SGD` does the same: after a step, `w` is still a leaf, and its version is up by 1. So what happens if a graph from before the step has saved `w`, and we go backward through it after the step? Guess:

# %% tags=["demo"]
w = torch.tensor([3.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
loss = (w * w).sum()
loss.backward(retain_graph=True)
optimizer.step()
print(w, "leaf:", w.is_leaf, "version:", w._version)
try:
    loss.backward()
except RuntimeError as error:
    print(str(error).split(":")[0])

# %% tags=["proof"]
assert w.is_leaf and w._version == 1 and abs(w.item() - 2.4) < 1e-6
try:
    loss.backward()
    raise AssertionError
except RuntimeError as error:
    assert "modified by an inplace operation" in str(error)

# %% [markdown] tags=["lang-zh"]
# 不行，而这个错误是在帮你：那张图是用旧的 `w` 算出来的，用新的 `w` 去求它的梯度，得到的数毫无意义。要是更新走的是 `.data`，就没有人来提醒你了。

# %% [markdown] tags=["lang-en"]
# It fails, and that error helps you: the graph was computed with the old `w`, and differentiating it with the new `w` would give a meaningless number. If the update had gone through `.data`, there would have been no warning.

# %% [markdown] tags=["lang-zh"]
# ## 自测
#
# **1.** `y = x + x`，然后 `x.data.mul_(10)`，再 `y.sum().backward()`。这一次 `x.grad` 错了吗？
#
# <details><summary>答案</summary>没有错，是 2。加法什么也不保存，没有东西可被改写。可见 <code>.data</code> 有时错、有时不错，更难发现。</details><br>
#
# **2.** 有人在 `with torch.no_grad():` 块里写了 `w = w - lr * w.grad`，而不是 `w -= lr * w.grad`。之后 `w.requires_grad` 是什么？
#
# <details><summary>答案</summary><code>False</code>。减法没有被记录，结果是一个不需要梯度的新张量；名字 <code>w</code> 现在指着它。</details>

# %% [markdown] tags=["lang-en"]
# ## Test yourself
#
# **1.** `y = x + x`, then `x.data.mul_(10)`, then `y.sum().backward()`. Is `x.grad` wrong this time?
#
# <details><summary>Answer</summary>No, it is 2. Addition saves nothing, so there is nothing to overwrite. So <code>.data</code> goes wrong only sometimes, which makes the mistake harder to find.</details><br>
#
# **2.** Inside a `with torch.no_grad():` block somebody writes `w = w - lr * w.grad` instead of `w -= lr * w.grad`. What is `w.requires_grad` afterwards?
#
# <details><summary>Answer</summary><code>False</code>. The subtraction is not recorded, so its result is a new tensor that does not require grad, and the name <code>w</code> now points to it.</details>

# %% tags=["proof"]
x = torch.tensor([3.0], requires_grad=True)
y = x + x
x.data.mul_(10)
y.sum().backward()
assert x.grad.item() == 2.0
w = torch.tensor([1.0], requires_grad=True)
(4 * w).sum().backward()
with torch.no_grad():
    w = w - 0.1 * w.grad
assert not w.requires_grad

# %% [markdown] tags=["lang-zh"]
# ## 想一想，写下来
#
# 同学说：“我一直用 `w.data -= lr * w.grad` 更新，训练得好好的，干吗要改？”写三到五句话回答他：他的写法什么时候没事，什么时候会悄悄出错（举一个例子），你会让他改成什么样，改了之后同样的错误会怎样。中文英文都行。这一格由老师评阅，1 分。

# %% [markdown] tags=["lang-en"]
# ## Think, then write
#
# A fellow student says: "I have always updated with `w.data -= lr * w.grad`, and my training works fine; why should I change?" Answer in three to five sentences: when is their way harmless, when does it go silently wrong (give one example), what should they write instead, and what happens to the same mistake then? In Chinese or English. A teacher reads this cell; it is worth 1 point.

# %% [markdown] nbgrader={"grade_id": "reflection", "grade": true, "solution": true, "points": 1}
# **评分标准（1 分）** 下面三点说清两点（其中必须有第 2 点），给 1 分：
# 1. 没事的时候：每步都重新前向，更新发生在 backward 之后，没有旧图再被使用。
# 2. 出错的时候：保存过的值在 backward 之前被经过 .data 改写，版本号不变，梯度悄悄算错。例子要成立，如 y = x * x，x.data.mul_(10)，得 60 而不是 6；或先 step 再对旧的 loss 求导。
# 3. 改法：with torch.no_grad(): w -= lr * w.grad（或 optimizer.step()）；同样的错误会变成 RuntimeError，当场暴露。
#
# 参考回答：只要每次都先 backward 再更新、更新完重新前向，.data 的数值是对的。可是一旦旧图还要用，比如 y = x * x 之后 x.data 乘 10，反向得到 60 而不是 6，没有任何报错。改成 no_grad 里的 w -= lr * w.grad，版本号会加 1，同样的误用立刻报 RuntimeError。
#
# **Rubric (1 point)** Two of these three, the second among them:
# 1. Harmless: each step has a fresh forward pass, the update comes after backward, and no old graph is used again.
# 2. Wrong: a saved value is overwritten through .data before backward; the version does not change, and the gradient is silently wrong. The example must hold: y = x * x, x.data.mul_(10), 60 instead of 6; or a step followed by backward on the old loss.
# 3. The change: with torch.no_grad(): w -= lr * w.grad (or optimizer.step()); the same mistake then raises a RuntimeError on the spot.
#
# Model answer: as long as every update comes after backward and a new forward pass follows, .data gives right numbers. But where an old graph is still needed, as in y = x * x followed by x.data times 10, backward gives 60 instead of 6 and nothing complains. With w -= lr * w.grad under no_grad the version goes up, and the same misuse raises a RuntimeError at once.
