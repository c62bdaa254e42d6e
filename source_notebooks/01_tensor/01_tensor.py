# %% [markdown] tags=["lang-zh"]
# # 01 · 张量的 data、grad 与 item
#
# 预计 40 分钟
#
# 一个 `w`，打印出来只见一个数，里面却装着好几样东西：数、梯度、历史。这一课把它们一样一样拿出来看，然后写出三个小方法：`item`、`requires_grad_`、`detach`。

# %% [markdown] tags=["lang-en"]
# # 01 · Tensor: data, grad and item
#
# About 40 minutes
#
# Print a `w` and you see a single number, yet there are several things inside: numbers, a gradient, a history. In this lesson you look at them one by one
# and write three small methods: `item`, `requires_grad_` and `detach`.

# %% tags=["setup"]
import minigrad
from autograder import check, hint, implements

# %% [markdown] tags=["lang-zh"]
# 前几课里通过检查的部件，这一课可以接着用：`use_parts("mine")` 接上你写的，`use_parts("reference")` 换回引擎自己的。评分不受影响：前几课的部件，评分时用的总是引擎自己的。

# %% [markdown] tags=["lang-en"]
# Parts of yours that passed in earlier lessons can go on working in this one: `use_parts("mine")` plugs in yours, `use_parts("reference")` goes back to the engine's own. Grading is not affected: in place of those parts it always uses the engine's own.

# %%
from autograder import use_parts

use_parts("mine")

# %% [markdown] tags=["lang-zh"]
# ## 1 · w 里面到底装了什么？
#
# 下面把一个张量（tensor）拆开：`w` 自己、`w.data`、`w.grad`、`w.item()`。它们各是什么类型？
#
# 先猜三件事：`w.data` 是数、是数组，还是张量？还没有 `backward` 的时候，`w.grad` 是 0 吗？`w.item()` 又是什么？

# %% [markdown] tags=["lang-en"]
# ## 1 · What is inside w?
#
# Below we take a tensor (张量) apart: `w` itself, `w.data`, `w.grad`, `w.item()`. What type is each of them?
#
# Guess three things first: is `w.data` a number, an array or a tensor? Before any `backward`, is `w.grad` 0? And what is `w.item()`?

# %% tags=["demo"]
import torch

w = torch.tensor([1.0], requires_grad=True)
for name, value in [("w", w), ("w.data", w.data), ("w.grad", w.grad), ("w.item()", w.item())]:
    print(f"{name:<9} {type(value).__name__:<9} {value}")

(w * 5).sum().backward()
print(f"{'w.grad':<9} {type(w.grad).__name__:<9} {w.grad}   after backward")

# %% tags=["proof"]
assert type(w.data) is torch.Tensor and type(w.grad) is torch.Tensor and type(w.item()) is float
assert torch.tensor([1.0], requires_grad=True).grad is None
assert not w.data.requires_grad and not w.grad.requires_grad and w.grad.tolist() == [5.0]

# %% [markdown] tags=["lang-zh"]
# `data` 和 `grad` 也都是张量，只有 `item()` 给的是普通的 Python 数。
#
# `grad` 一开始是 `None`，不是 0：还没有人求过梯度（gradient），这和“梯度是 0”是两回事。头一次 `backward` 之后，它才变成张量。
#
# `minigrad` 也是这样：

# %% [markdown] tags=["lang-en"]
# `data` and `grad` are tensors too; only `item()` gives a plain Python number.
#
# At first `grad` is `None`, not 0: no gradient (梯度) has been computed yet, which is not the same as "the gradient is 0". The first `backward` makes it a tensor.
#
# `minigrad` does the same:

# %%
w = minigrad.tensor([1.0], requires_grad=True)
print(w, w.data, w.grad, w.item())
(w * 5).sum().backward()
print(w.grad)

# %% tags=["proof"]
assert repr(w) == "tensor([1.], requires_grad=True)" and w.grad.tolist() == [5.0]

# %% [markdown] tags=["lang-zh"]
# ## 2 · item：从张量到数
#
# 训练时总想知道平均损失（loss），于是有人写 `total = total + loss`，有人写 `total = total + loss.item()`。用 f-string 打印出来一模一样，差别在哪儿？
#
# 下面各走 200 步，数一数 `total` 身后拖着多少个节点（node）；节点是什么，第 02 课细讲。先猜。

# %% [markdown] tags=["lang-en"]
# ## 2 · item: from a tensor to a number
#
# During training you want to know the average loss (损失); some people write `total = total + loss`, others `total = total + loss.item()`. In an f-string both print the same. What is the difference?
#
# Below, each takes 200 steps, and we count the nodes (节点) that are attached to `total`; lesson 02 explains what these are. Guess first.


# %% tags=["demo"]
def count_nodes(total):
    seen, todo = set(), [getattr(total, "grad_fn", None)]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [after for after, _ in node.next_functions]
    return len(seen)


def add_up(with_item, steps=200):
    w, total, nodes = torch.tensor([1.0], requires_grad=True), 0.0, []
    for _ in range(steps):
        loss = (w * w).sum()
        total = total + (loss.item() if with_item else loss)
        nodes.append(count_nodes(total))
    return total, nodes


for with_item in (False, True):
    total, nodes = add_up(with_item)
    print(f"with_item = {with_item!s:<5}  nodes {nodes[-1]:<4} total = {total}")

# %% tags=["proof"]
assert add_up(False)[1][-1] == 601 and set(add_up(True)[1]) == {0}
assert type(add_up(True)[0]) is float and add_up(False)[0].grad_fn.name() == "AddBackward0"
assert f"{add_up(True)[0]}" == f"{add_up(False)[0]}" == "200.0"

# %% tags=["picture"]
from autograder.plots import axes

ax = axes("步数 · steps", "total 身后的节点 · nodes behind total")
ax.plot(add_up(False)[1], "-", label="total + loss")
ax.plot(add_up(True)[1], "--", label="total + loss.item()")
_ = ax.legend()

# %% [markdown] tags=["lang-zh"]
# 每一步留下三个节点：乘、求和、加进 `total`；200 步就是 600 个，再加上收 `w` 的梯度的那一个，601。把张量加进 `total`，它的计算图（computational graph）也跟着留住了，占着的内存（memory）只增不减。`item()` 给出的是 Python 的数，和图再无关系，用它来记损失最放心。
#
# 它对所有张量都管用吗？很多人这么以为。再猜五次：

# %% [markdown] tags=["lang-en"]
# Each step leaves three nodes behind: a product, a sum, an addition to `total`. In 200 steps that makes 600, plus the one that collects the gradient of `w`: 601. Adding a tensor to `total` keeps its computational graph (计算图) alive too, and the memory (内存) it takes only grows. What `item()` gives is a Python number, with no connection to any graph; use it to keep track of losses.
#
# Does it work on every tensor? Many think so. Guess for these five:

# %% tags=["demo"]
for values in ([[7.0]], 7, True, 0.1, [1.0, 2.0]):
    try:
        number = torch.tensor(values).item()
        print(f"{values!s:<11} -> {type(number).__name__:<6} {number}")
    except RuntimeError as error:
        print(f"{values!s:<11} -> RuntimeError: {error}")

# %% tags=["proof"]
assert [type(torch.tensor(v).item()) for v in ([[7.0]], 7, True)] == [float, int, bool]
assert torch.tensor(0.1).item() != 0.1 and abs(torch.tensor(0.1).item() - 0.1) < 1e-8
for size in (0, 2):
    try:
        torch.ones(size).item()
        raise AssertionError
    except RuntimeError as error:
        assert str(error) == f"a Tensor with {size} elements cannot be converted to Scalar"

# %% [markdown] tags=["lang-zh"]
# 只有恰好一个元素的张量才行；外面套几层括号不要紧。类型也跟着走：整数给 `int`，布尔给 `bool`。
#
# 0.1 变成了 0.10000000149011612，这不是 `item` 的错：张量默认用 32 位浮点数，存进去时就已经舍入到最近的那一个了。
#
# 现在写 `item`。`self._data` 是张量里的 NumPy 数组（一个数外面没有括号时，它也可能是 NumPy 的一个数，用法一样），`.size` 是元素个数，它自己的 `.item()` 会给出 Python 的数。元素个数不是 1，就 `raise RuntimeError`，话照 docstring 里的说。

# %% [markdown] tags=["lang-en"]
# Only a tensor with exactly one element will do; how many brackets are around it doesn't matter. The type comes along: integers give an `int`, booleans a `bool`.
#
# That 0.1 became 0.10000000149011612 is not the fault of `item`: tensors hold 32-bit floats by default, and the number was rounded to the nearest of these on its way in.
#
# Now write `item`. `self._data` is the NumPy array inside the tensor (or, for one number without brackets, perhaps a NumPy number, which works the same way), `.size` its number of elements, and its own `.item()` gives a Python number. If the number of elements is not 1, `raise RuntimeError`, in the words of the docstring.


# %% nbgrader={"grade_id": "item", "solution": true}
@implements("minigrad.tensor.Tensor.item")
def item(self):
    """The one number of this tensor, as a Python bool, int or float. torch.Tensor.item.

    self: a tensor of any dtype; self._data is its NumPy array, of any shape with exactly one element.
    Any other number of elements, say 2: RuntimeError("a Tensor with 2 elements cannot be converted to Scalar").
    Example: tensor([[3.]]).item()  ->  3.0        tensor(True).item()  ->  True
    """
    ### BEGIN SOLUTION
    if self._data.size != 1:
        raise RuntimeError(f"a Tensor with {self._data.size} elements cannot be converted to Scalar")
    return self._data.item()
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_item_value", "grade": true, "points": 2}
check("item_value")

# %% nbgrader={"grade_id": "check_item_refuses", "grade": true, "points": 1}
check("item_refuses")

# %% [markdown] tags=["lang-zh"]
# ## 3 · requires_grad 和 requires_grad_，差一条下划线
#
# `x.requires_grad` 是一个属性，读它，得到 `True` 或 `False`。`x.requires_grad_()` 是一个方法，调用它，`x` 就变了：末尾的下划线，是 torch 在说“我改的是它自己”。
#
# 什么张量都能要梯度吗？下面五个，哪几个会被拒绝？

# %% [markdown] tags=["lang-en"]
# ## 3 · requires_grad and requires_grad_, one underscore apart
#
# `x.requires_grad` is an attribute; reading it gives `True` or `False`. `x.requires_grad_()` is a method; calling it changes `x`: the underscore at the end is torch's way of saying "I change the thing itself".
#
# Can every tensor require a gradient? Which of the five below are refused?

# %% tags=["demo"]
five = {
    "torch.tensor([1.0, 2.0])": torch.tensor([1.0, 2.0]),
    "torch.tensor([1, 2])": torch.tensor([1, 2]),
    "torch.Tensor([1, 2])": torch.Tensor([1, 2]),
    "torch.tensor([True])": torch.tensor([True]),
    "torch.arange(3)": torch.arange(3),
}
for name, x in five.items():
    try:
        print(f"{name:<25} {x.requires_grad_().requires_grad}  {x.dtype}")
    except RuntimeError as error:
        print(f"{name:<25} RuntimeError: {error}")

# %% tags=["proof"]
assert torch.tensor([1, 2]).dtype == torch.int64 and torch.Tensor([1, 2]).dtype == torch.float32
for x in (torch.tensor([1, 2]), torch.tensor([True]), torch.arange(3)):
    try:
        x.requires_grad_()
        raise AssertionError
    except RuntimeError as error:
        assert str(error) == "only Tensors of floating point dtype can require gradients"

# %% [markdown] tags=["lang-zh"]
# 所以“整数也能求导”不对。斜率是“推一点点，变多少”，可整数没法只推一点点：1 的下一个就是 2。
#
# 于是那个小数点有了意义：`[1, 2]` 是整数，`[1.0, 2.0]` 才是浮点数。更绕的是第三行：同样是一列整数，大写的 `torch.Tensor` 造出浮点数，小写的 `torch.tensor` 看你给的是什么。
#
# 来历也有关系。下面的 `x` 是你亲手造的；`y` 用要梯度的 `x` 算出来，带着历史。
#
# 属性也可以赋值：`x.requires_grad = True` 和 `x.requires_grad_()` 效果一样。
#
# 对 `y` 提三次请求：要，不要，再用赋值来要。先猜哪几次会被拒绝。再猜最后一行：`x` 后来不要梯度了，`y` 呢？

# %% [markdown] tags=["lang-en"]
# So integers can't have gradients, although many believe they can. A slope means "nudge a little, see the change", and an integer can't be nudged a little: after 1 comes 2.
#
# That is what the decimal point is for: `[1, 2]` are integers, `[1.0, 2.0]` are floats. The third line is trickier: from the same list of integers `torch.Tensor`, with a capital T, makes floats, while `torch.tensor` goes by what it is given.
#
# Where a tensor comes from matters as well. Below, you create `x` yourself; `y` is computed from `x`, which requires a gradient, and so has a history.
#
# The attribute can be set, too: `x.requires_grad = True` has the same effect as `x.requires_grad_()`.
#
# We make three requests of `y`: on, off, and on again by assignment. Guess which of them are refused. Then guess the last line: when `x` no longer requires a gradient, what about `y`?

# %% tags=["demo"]
x = torch.tensor([1.0, 2.0])
x.requires_grad = True
y = x * 2
print(y.requires_grad_() is y, y.requires_grad)
try:
    y.requires_grad_(False)
except RuntimeError as error:
    print(str(error).split(".")[0])
try:
    y.requires_grad = True
except RuntimeError as error:
    print("y.requires_grad = True:", str(error).split(".")[0])
print(x.requires_grad_(False), y.requires_grad)

# %% tags=["proof"]
y = torch.tensor([1.0, 2.0], requires_grad=True) * 2
assert y.requires_grad_() is y
try:
    y.requires_grad_(False)
    raise AssertionError
except RuntimeError as error:
    assert str(error).startswith("you can only change requires_grad flags of leaf variables.")
for setting in (True, False):
    try:
        y.requires_grad = setting
        raise AssertionError
    except RuntimeError as error:
        assert str(error).startswith("you can only change requires_grad flags of leaf variables.")
d = torch.ones(2) + torch.ones(2)  # computed, but without a history: a leaf
assert not d.requires_grad_(False).requires_grad and d.requires_grad_().requires_grad
x = torch.tensor([1.0, 2.0])
x.requires_grad = True
y = x * 2
assert not x.requires_grad_(False).requires_grad and y.requires_grad

# %% [markdown] tags=["lang-zh"]
# 1. 要：没有问题，`y` 本来就要。
# 2. 不要：被拒绝。它的历史已经在那里，不能假装没有；要断开，下一节有 `detach`。
# 3. 用赋值来要：也被拒绝。张量带着历史，这个属性就一概不许赋值。
#
# `x` 不要梯度了，`y` 照旧要：它的历史是当时记下的，`x` 后来怎样，改不了已经记下的事。

# %% [markdown] tags=["lang-en"]
# 1. On: no trouble, since `y` requires a gradient already.
# 2. Off: refused. Its history exists and can't be ignored; to cut it off there is `detach`, in the next section.
# 3. On, by assignment: refused, too. Where a tensor has a history, this attribute can't be set at all.
#
# `x` no longer requires a gradient, and `y` still does: its history was recorded at the time, and what happens to `x` later doesn't change the record.

# %% [markdown] tags=["lang-zh"]
# 写 `requires_grad_`。`self.is_floating_point()` 告诉你是不是浮点数；`self.is_leaf` 告诉你是不是叶子（leaf），也就是没有历史的张量。
#
# 该拒绝的有两种情形：不是浮点数的，要梯度；带着历史的，不再要。分别 `raise RuntimeError(FLOAT_ONLY)` 和 `raise RuntimeError(LEAVES_ONLY)`；这两句都是 torch 的原话，下一格印出来。
#
# 都没问题，就用 `self.want_gradient(requires_grad)` 记下来，最后返回 `self`，这样调用才能一个接一个地写下去。

# %% [markdown] tags=["lang-en"]
# Write `requires_grad_`. `self.is_floating_point()` tells you whether the numbers are floats; `self.is_leaf` tells you whether the tensor is a leaf (叶子), that is, without a history.
#
# Two cases have to be refused: switching the gradient on where the numbers aren't floats, and switching it off where there is a history. The first calls for `raise RuntimeError(FLOAT_ONLY)`, the second for `raise RuntimeError(LEAVES_ONLY)`; both messages are torch's own, and the next cell prints them.
#
# If all is well, store the setting with `self.want_gradient(requires_grad)`, and return `self` at the end, so that calls can be chained.

# %% tags=["setup"]
from minigrad.tensor import FLOAT_ONLY, LEAVES_ONLY

print(FLOAT_ONLY)
print(LEAVES_ONLY)


# %% nbgrader={"grade_id": "requires_grad", "solution": true}
@implements("minigrad.tensor.Tensor.requires_grad_")
def requires_grad_(self, requires_grad=True):
    """Ask for this tensor's gradient, or no longer, and return the tensor itself. torch.Tensor.requires_grad_.

    self: a tensor of any shape and dtype.  requires_grad: a bool.
    RuntimeError(FLOAT_ONLY): asked of a tensor whose dtype is not a floating-point one.
    RuntimeError(LEAVES_ONLY): taken back from a tensor that is no leaf.
    Example: tensor([1., 2.]).requires_grad_()  ->  tensor([1., 2.], requires_grad=True)
    """
    ### BEGIN SOLUTION
    if requires_grad and not self.is_floating_point():
        raise RuntimeError(FLOAT_ONLY)
    if not requires_grad and not self.is_leaf:
        raise RuntimeError(LEAVES_ONLY)
    self.want_gradient(requires_grad)
    return self
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_requires_grad_switch", "grade": true, "points": 2}
check("requires_grad_switch")

# %% nbgrader={"grade_id": "check_requires_grad_refuses", "grade": true, "points": 2}
check("requires_grad_refuses")

# %% [markdown] tags=["lang-zh"]
# ## 4 · detach：同样的数，没有历史
#
# 有时只要数，不要历史：拿它当固定的目标，画图，转成 NumPy。那就用 `detach()`。
#
# 它给的是副本吗？下面改一改 `d`，看 `y` 变不变；再对 `.data` 做同样的事。两次都盯住 `y._version`，它数着 `y` 被改写过几次。

# %% [markdown] tags=["lang-en"]
# ## 4 · detach: the same numbers, no history
#
# Sometimes you want only the numbers and not the history: as a fixed target, for a plot, for NumPy. That is what `detach()` is for.
#
# Is it a copy? Below we write to `d` and see whether `y` changes; then we do the same with `.data`. Watch `y._version` each time: it counts how often `y` has been written to.

# %% tags=["demo"]
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
d = y.detach()
print("d        ", d, d.grad_fn)
print("y        ", y, " version", y._version)
d[0] = 100
print("y        ", y, " version", y._version)
y.data[1] = -100
print("y        ", y, " version", y._version)

# %% tags=["proof"]
assert d.grad_fn is None and d.is_leaf and not d.requires_grad
assert y.tolist() == [100.0, -100.0] and y._version == d._version == 1
assert d.data_ptr() == y.data_ptr() == y.data.data_ptr()

# %% [markdown] tags=["lang-zh"]
# 不是副本，是同一块存储（storage）的另一个名字：改 `d`，`y` 也变。所以 `detach` 几乎不花内存，但也因此不能拿它当备份；要备份，用 `clone()`。
#
# 两者的差别在最后一列。经过 `detach()` 写，版本（version）从 0 变成 1，自动求导（autograd）看得见；经过 `.data` 写，版本没有动，谁也不知道。有人说“拿 `.data` 来算很安全”：读它没问题，往里写就危险了。后果有多严重，第 10 课专门来讲。

# %% [markdown] tags=["lang-en"]
# It is not a copy but another name for the same storage (存储): write to `d`, and `y` changes. So `detach` costs next to no memory, and for the same reason it is no backup; for a backup, use `clone()`.
#
# The difference between the two is in the last column. A write through `detach()` took the version (版本) from 0 to 1, and autograd (自动求导) can see it; after the write through `.data` the version is what it was, and nobody knows. "`.data` is safe to compute with", people say. Reading it is safe; writing to it is dangerous. Lesson 10 shows how bad it can get.

# %% [markdown] tags=["lang-zh"]
# 断开历史，对梯度意味着什么？下面第一张图是 `x * x`，第二张是 `x * x.detach()`。值一样，路却少了一条。先想：第二张的斜率在 $x = 3$ 处是 6，还是 3？

# %% [markdown] tags=["lang-en"]
# What does cutting the history mean for the gradient? The first picture is of `x * x`, the second of `x * x.detach()`. Their values are the same, but one path is missing. Think first: at $x = 3$, is the slope of the second 6 or 3?

# %% tags=["picture"]
from IPython.display import display

from minigrad.viz import draw

x = torch.tensor(3.0, requires_grad=True)
for y in (x * x, x * x.detach()):
    x.grad = None
    y.backward()
    display(draw(y, params={"x": x, "y": y}, show=["shapes", "grads"]))

# %% tags=["proof"]
slopes = []
for f in (lambda x: x * x, lambda x: x * x.detach()):
    x = torch.tensor(3.0, requires_grad=True)
    f(x).backward()
    slopes.append(x.grad.item())
assert slopes == [6.0, 3.0]

# %% [markdown] tags=["lang-zh"]
# 第二张图里只剩一条路，另一个因子成了不会动的常数 3，斜率就是 3。
#
# 写 `detach`。下一格引入两样东西。`from_array` 造一个张量，要数组、历史和版本计数器。数组用 `self.storage()`，计数器用 `self.counter()`，都和原来的共用。
#
# 历史是一条边（edge）：它指向算出这个张量的节点。`NO_EDGE` 是一条不指向任何节点的边，也就是没有历史；为什么它写成一对，第 02 课再说。

# %% [markdown] tags=["lang-en"]
# In the second picture only one path is left; the other factor has become a constant 3 that never moves, so the slope is 3.
#
# Write `detach`. The next cell brings in two things. `from_array` makes a tensor from an array, a history and a version counter. The array is `self.storage()`, the counter `self.counter()`, both shared with the original.
#
# A history is an edge (边): it points to the node that computed the tensor. `NO_EDGE` is an edge that points to no node, so there is no history; lesson 02 explains why it is a pair.

# %% tags=["setup"]
from minigrad.autograd.graph import NO_EDGE
from minigrad.tensor import from_array

print(NO_EDGE)


# %% nbgrader={"grade_id": "detach", "solution": true}
@implements("minigrad.tensor.Tensor.detach")
def detach(self):
    """A tensor with the same storage and version counter, and no history. torch.Tensor.detach.

    self: a tensor of any shape and dtype; the result has the same. Nothing is copied, and self stays as it is.
    from_array(array, edge, counter) makes the tensor.
    Example: y = x * 2; d = y.detach(); d[0] = 7  ->  d.grad_fn is None, y[0] is 7, y._version is 1
    """
    ### BEGIN SOLUTION
    return from_array(self.storage(), NO_EDGE, self.counter())
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_detach_cuts", "grade": true, "points": 2}
check("detach_cuts")

# %% nbgrader={"grade_id": "check_detach_shares", "grade": true, "points": 2}
check("detach_shares")

# %% [markdown] tags=["lang-zh"]
# ## 5 · 三样一起用
#
# 最后一项检查训练一条直线，让它去追自己缓慢移动的副本：副本和目标要 `detach`，截距中途用 `requires_grad_` 冻住几步，损失用 `item` 记下来。哪一样写错了，结果都和 torch 对不上。

# %% [markdown] tags=["lang-en"]
# ## 5 · All three together
#
# The last check trains a line to follow a slowly moving copy of itself: copy and target need `detach`, the intercept is frozen for a few steps with `requires_grad_`, and the losses are recorded with `item`. Get any one of them wrong, and the run no longer agrees with torch.

# %% nbgrader={"grade_id": "check_tensor_training", "grade": true, "points": 3}
check("tensor_training")

# %% [markdown] tags=["lang-zh"]
# ## 6 · torch 其实是怎么做的
#
# 旧笔记里常有 `Variable`，说它的 `data` 是张量，它自己却不是。今天呢？旧笔记里还有 `import torch.autograd.Variable` 和 `torch.tensor([1.0], [2.0])`，先猜它们现在报什么错，再运行：

# %% [markdown] tags=["lang-en"]
# ## 6 · What torch really does
#
# Old notes speak of a `Variable` whose `data` is a tensor, though it isn't one itself. And today? Such notes also contain `import torch.autograd.Variable` and `torch.tensor([1.0], [2.0])`. Guess which errors they give now, then run:

# %% tags=["demo"]
from torch.autograd import Variable

print(type(Variable(torch.tensor([1.0]), requires_grad=True)))
try:
    import torch.autograd.Variable
except ModuleNotFoundError as error:
    print("ModuleNotFoundError:", error)
try:
    torch.tensor([1.0], [2.0])
except TypeError as error:
    print("TypeError:", error)

# %% tags=["proof"]
assert type(Variable(torch.tensor([1.0]))) is torch.Tensor
try:
    torch.tensor([1.0], [2.0])
    raise AssertionError
except TypeError as error:
    assert str(error) == "tensor() takes 1 positional argument but 2 were given"
try:
    import torch.autograd.Variable

    raise AssertionError
except ModuleNotFoundError as error:
    assert str(error) == "No module named 'torch.autograd.Variable'"

# %% [markdown] tags=["lang-zh"]
# `Variable` 如今就是张量，名字留着，只为让旧程序还能运行；它也不是一个可以 `import` 的模块（module）。`torch.tensor` 的数据只能是一个参数：想要两行，就写成 `[[1.0], [2.0]]`。

# %% [markdown] tags=["lang-en"]
# Today a `Variable` is simply a tensor; the name is kept so that old programs still run, and it isn't a module (模块) you could `import`. `torch.tensor` takes its data as one argument: for two rows write `[[1.0], [2.0]]`.

# %% [markdown] tags=["lang-zh"]
# ## 自测
#
# **1.** `a = torch.tensor([1, 2, 3]).float()`，然后 `a.requires_grad_()`。会报错吗？
#
# <details><summary>答案</summary>不会。<code>float()</code> 造出了一个新的浮点张量，它没有历史，是叶子，要梯度就可以要。</details><br>
#
# **2.** `x` 不要梯度，`b = x.detach()`，`c = x.clone()`。写 `b[0] = 7` 和 `c[1] = 8` 之后，`x` 的哪些元素变了？
#
# <details><summary>答案</summary>只有第 0 个，变成了 7。<code>detach</code> 共用存储，<code>clone</code> 复制了一份。</details>

# %% [markdown] tags=["lang-en"]
# ## Test yourself
#
# **1.** `a = torch.tensor([1, 2, 3]).float()`, then `a.requires_grad_()`. Does it raise?
#
# <details><summary>Answer</summary>No. <code>float()</code> made a new tensor of floats; it has no history, so it is a leaf and may require a gradient.</details><br>
#
# **2.** `x` doesn't require a gradient; `b = x.detach()` and `c = x.clone()`. After `b[0] = 7` and `c[1] = 8`, which elements of `x` have changed?
#
# <details><summary>Answer</summary>Only element 0, which is 7 now. <code>detach</code> shares the storage, <code>clone</code> made a copy.</details>

# %% tags=["proof"]
a = torch.tensor([1, 2, 3]).float()
assert a.is_leaf and a.requires_grad_().requires_grad
x = torch.zeros(3)
b, c = x.detach(), x.clone()
b[0], c[1] = 7, 8
assert x.tolist() == [7.0, 0.0, 0.0]

# %% [markdown] tags=["lang-zh"]
# ## 想一想，写下来
#
# 同学的训练程序跑了一夜，内存不够了。他在循环里写了 `history.append(loss)`，最后画一条损失曲线。用三四句话告诉他：为什么内存会涨？改哪一行，怎么改？写成 `loss.detach()` 行不行，和 `loss.item()` 有什么不同？中文英文都行。这一格由老师评阅，1 分。

# %% [markdown] tags=["lang-en"]
# ## Think, then write
#
# A fellow student's training run is out of memory by morning. The loop contains `history.append(loss)`, for a plot of the losses at the end. Tell them in three or four sentences: why does memory grow? Which line should change, and how? Would `loss.detach()` do, and how does it differ from `loss.item()`? In Chinese or English. A teacher reads this cell; it is worth 1 point.

# %% [markdown] nbgrader={"grade_id": "reflection", "grade": true, "solution": true, "points": 1}
# **评分标准（1 分）** 三点里说清两点，没有矛盾，给 1 分：
# 1. 原因：列表里的每个 loss 都是带历史的张量，它身后的整张计算图（以及保存的值）因此都不能释放。
# 2. 改法：append(loss.item())（或 append(loss.detach())）。
# 3. 区别：detach 给的还是张量，但没有历史，也能解决问题；item 给的是 Python 的数，只限一个元素。
#
# 参考回答：每个 loss 都牵着它那一步的计算图，放进列表，图就一直活着，走多少步存多少张。改成 history.append(loss.item())，存下的只是一个 Python 数。loss.detach() 也行，它没有历史，不过还是一个张量；item 更省，但只有一个元素时才能用。
#
# **Rubric (1 point)** Two of these three, not contradicted:
# 1. Why: each loss in the list is a tensor with a history and keeps its whole computational graph (and what was saved in it) alive.
# 2. The change: append(loss.item()) (or append(loss.detach())).
# 3. The difference: detach still gives a tensor, but one without a history, and helps as well; item gives a Python number, of a single element only.
#
# Model answer: every loss holds on to the graph of its step; in a list, the graph stays alive, one for each step taken. With history.append(loss.item()) only a Python number is kept. loss.detach() would do too: it has no history, though it is still a tensor; item is leaner, but works for one element only.
