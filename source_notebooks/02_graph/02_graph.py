# %% [markdown] tags=["lang-zh"]
# # 02 · 计算图：叶子、grad_fn、AccumulateGrad
#
# 预计 45 分钟
#
# 算一个式子，身后就留下一张图。这一课学会读这张图：谁是叶子，`grad_fn` 是什么，每条边通向哪里。然后写出三个小函数：两个读图，一个连图。

# %% [markdown] tags=["lang-en"]
# # 02 · The graph: leaves, grad_fn, AccumulateGrad
#
# About 45 minutes
#
# Compute an expression, and it leaves a graph behind. In this lesson you learn to read that graph: which tensors are leaves, what `grad_fn` is, where each edge leads.
# Then you write three small functions: two read the graph, one connects it.

# %% tags=["setup"]
import weakref

import minigrad
from autograder import check, hint, implements
from minigrad.autograd.accumulate import AccumulateGrad

# %% [markdown] tags=["lang-zh"]
# 前几课里通过检查的部件，这一课可以接着用：`use_parts("mine")` 接上你写的，`use_parts("reference")` 换回引擎自己的。评分不受影响：前几课的部件，评分时用的总是引擎自己的。

# %% [markdown] tags=["lang-en"]
# Parts of yours that passed in earlier lessons can go on working in this one: `use_parts("mine")` plugs in yours, `use_parts("reference")` goes back to the engine's own. Grading is not affected: in place of those parts it always uses the engine's own.

# %%
from autograder import use_parts

use_parts("mine")

# %% [markdown] tags=["lang-zh"]
# ## 1 · grad_fn 指向哪里？
#
# 打印一个算出来的张量（tensor），末尾总挂着 `grad_fn=<…>`。顺着它走下去，会走到哪儿？
#
# 下面 $y = wx$，$z = y + b$，其中 `w` 和 `b` 要梯度（gradient），`x` 是数据，不要。`next_functions` 列出一个节点（node）的各条边（edge）。先猜：`z` 的节点有几条边，分别通向谁？`y` 的节点呢，`x` 在里面吗？

# %% [markdown] tags=["lang-en"]
# ## 1 · Where does grad_fn lead?
#
# Print a computed tensor (张量), and there is a `grad_fn=<…>` at the end. If you follow it, where do you end up?
#
# Below, $y = wx$ and $z = y + b$, where `w` and `b` require a gradient (梯度), while `x` is data and doesn't.
# `next_functions` lists the edges (边) of a node (节点). Guess first: how many edges does the node of `z` have, and where do they lead? And the node of `y`: is `x` in there?

# %% tags=["demo"]
import torch

x = torch.ones(1)
w = torch.ones(1, requires_grad=True)
b = torch.ones(1, requires_grad=True)
y = w * x
z = y + b

print("z:", z)
for name, tensor in [("z", z), ("y", y)]:
    edges = [(node and node.name(), number) for node, number in tensor.grad_fn.next_functions]
    print(f"{name}.grad_fn is {tensor.grad_fn.name()}, leads to {edges}")

# %% tags=["proof"]
(to_y, first), (to_b, second) = z.grad_fn.next_functions
assert to_y is y.grad_fn and to_b.name() == "torch::autograd::AccumulateGrad" and (first, second) == (0, 0)
(to_w, _), to_x = y.grad_fn.next_functions
assert to_w.variable is w and to_x == (None, 0)

# %% [markdown] tags=["lang-zh"]
# 每个输入一条边，写成一对：通向的节点，以及那个节点的第几个输出。`z` 有两条，一条通向 `y` 的节点，一条通向一个 `AccumulateGrad`。`y` 也有两条，给 `x` 的那条是 `(None, 0)`：那边没有人等梯度。
#
# 边的方向要留意：它从结果指向输入，正是梯度将来要走的方向。这张图就叫计算图（computational graph）。
#
# 在 `minigrad` 上再来一遍，这次把它画出来：

# %% [markdown] tags=["lang-en"]
# One edge for each input, written as a pair: the node it leads to, and which of that node's outputs is meant. `z` has two: one leads to the node of `y`, the other to an `AccumulateGrad`. `y` has two as well, and the one for `x` is `(None, 0)`: nobody is waiting for a gradient there.
#
# The direction of the edges deserves a second look: they point from the result to its inputs, which is the way the gradients will travel. All this together is called the computational graph (计算图).
#
# The same again on `minigrad`, and this time let's draw it:

# %% tags=["picture"]
from minigrad.viz import draw

x = minigrad.ones(1)
w = minigrad.ones(1, requires_grad=True)
b = minigrad.ones(1, requires_grad=True)
y = w * x
z = y + b
draw(z, params={"w": w, "b": b, "y": y, "z": z}, show=["shapes"])

# %% tags=["proof"]
(to_y, _), (to_b, _) = z.grad_fn.next_functions
assert to_y is y.grad_fn and to_b.name().endswith("AccumulateGrad") and y.grad_fn.next_functions[1] == (None, 0)

# %% [markdown] tags=["lang-zh"]
# ## 2 · 名字后面那个 0，数的是什么？
#
# 有一种流传很广的说法：`AddBackward0` 里的 0 表示“第一次加法”，第二次加法就是 1。听上去很合理。真是这样吗？做两次加法看看：

# %% [markdown] tags=["lang-en"]
# ## 2 · The 0 after the name: what does it count?
#
# A widespread belief: the 0 in `AddBackward0` means "the first addition", and the second one gets a 1. It sounds plausible. Is it true? Add twice and see:

# %% tags=["demo"]
w = torch.ones(2, requires_grad=True)
once = w + 1
twice = once + 1
print("w + 1      ", once.grad_fn.name())
print("... + 1    ", twice.grad_fn.name(), " the same node:", once.grad_fn is twice.grad_fn)
for text, result in [
    ("w.sum()", w.sum()),
    ("w.sum(0)", w.sum(0)),
    ("w - 1", w - 1),
    ("1 - w", 1 - w),
    ("w ** 2", w**2),
    ("w ** w", w**w),
    ("2 ** w", 2**w),
]:
    print(f"{text:<11}", result.grad_fn.name())

# %% tags=["proof"]
assert once.grad_fn.name() == twice.grad_fn.name() == "AddBackward0" and once.grad_fn is not twice.grad_fn
found = [r.grad_fn.name() for r in (w.sum(), w.sum(0), w - 1, 1 - w, w**2, w**w, 2**w)]
assert found[:4] == ["SumBackward0", "SumBackward1", "SubBackward0", "RsubBackward1"]
assert found[4:] == ["PowBackward0", "PowBackward1", "PowBackward2"]

# %% [markdown] tags=["lang-zh"]
# 两次加法，两个不同的节点，都叫 `AddBackward0`。号码数的不是次数，它区分的是同名运算的不同重载（overload）：`sum` 有全部相加的，有沿某一维（dimension）相加的；幂有底数是张量的，有指数是张量的，有两者都是的。各有各的反向规则，所以各有各的号。

# %% [markdown] tags=["lang-en"]
# Two additions, two different nodes, and both are `AddBackward0`. The number doesn't count how often; it tells apart the overloads (重载) of an operation: there is a `sum` over everything and one along a dimension (维); and a power can have a tensor as its base, as its exponent, or as both. Each has its own backward rule, hence its own number.

# %% [markdown] tags=["lang-zh"]
# ## 3 · 谁是叶子？
#
# “用户自己创建的就是叶子（leaf），算出来的就不是。”下面七个张量，先按这句话给每个打上勾或叉，再运行。这句话对了几个？

# %% [markdown] tags=["lang-en"]
# ## 3 · Which tensors are leaves?
#
# "What the user creates is a leaf (叶子), what is computed is not." Going by that sentence, give each of the seven tensors below a tick or a cross first; then run. How many did the sentence get right?

# %% tags=["demo"]
data = torch.rand(2)
w = torch.rand(2, requires_grad=True)
with torch.no_grad():
    quiet = w * 2
seven = {
    "data": data,
    "w": w,
    "data + data": data + data,
    "w + data": w + data,
    "w.detach() * 2": w.detach() * 2,
    "torch.rand(2, requires_grad=True).double()": torch.rand(2, requires_grad=True).double(),
    "w * 2 under no_grad": quiet,
}
for text, tensor in seven.items():
    print(f"{text:<43} is_leaf {tensor.is_leaf!s:<6} requires_grad {tensor.requires_grad}")

# %% tags=["proof"]
import warnings

assert [t.is_leaf for t in seven.values()] == [True, True, True, False, True, False, True]
assert all(t.is_leaf for t in seven.values() if not t.requires_grad)
assert [t.requires_grad for t in seven.values()] == [False, True, False, True, False, True, False]
held = seven["torch.rand(2, requires_grad=True).double()"]
held.sum().backward()
nameless = held.grad_fn.next_functions[0][0].variable
assert nameless.is_leaf and nameless.grad.tolist() == [1.0, 1.0]
with warnings.catch_warnings(action="ignore"):
    assert held.grad is None

# %% [markdown] tags=["lang-zh"]
# 七个里，那句话只说对了三个：`data`、`w` 和 `w + data`；而且两头都错。`data + data` 是算出来的，却是叶子；带 `.double()` 的那个是你在一行里亲手造的，却不是：`.double()` 也是一次运算，被记录了下来，真正的叶子是它前面那个没有名字的张量。梯度会到那里去，你手里这个的 `.grad` 一直是 `None`。
#
# 对的说法是：没有历史的就是叶子。凡是不要梯度的，都没有历史，不管是不是算出来的；要梯度的，就看它是不是某个记录下来的运算的结果。
#
# 算出来的要不要梯度，看它的输入：有一个要，它就要（`w + data`）；一个都不要，或者正在 `no_grad` 里，它就不要。那么比较 `w > 0` 和下标 `w.argmax()` 呢？先猜：

# %% [markdown] tags=["lang-en"]
# The sentence got three of the seven right, `data`, `w` and `w + data`, and both halves of it are wrong. `data + data` was computed and is a leaf; the one with `.double()` you created yourself, in one line, and it isn't a leaf: `.double()` is an operation too and was recorded; the real leaf is the nameless tensor before it. The gradient goes there, and the `.grad` of the one you hold stays `None`.
#
# What is true is this: a leaf is a tensor without a history. A tensor that doesn't require a gradient has none, computed or not; one that does is a leaf unless a recorded operation produced it.
#
# Whether a result requires a gradient depends on its inputs: if one of them does, so does the result (`w + data`); if none does, or under `no_grad`, it does not. And what about a comparison, `w > 0`, and an index, `w.argmax()`? Guess first:

# %% tags=["demo"]
print("w > 0:", (w > 0).requires_grad, "  w.argmax():", w.argmax().requires_grad)

# %% tags=["proof"]
assert not (w > 0).requires_grad and not w.argmax().requires_grad
assert (w > 0).dtype == torch.bool and w.argmax().dtype == torch.int64
assert w.sign().requires_grad and w.round().requires_grad  # as flat, but floats

# %% [markdown] tags=["lang-zh"]
# 都不要：前一个的结果是布尔值，后一个是整数，而第 01 课里看到了，只有浮点数能要梯度。
#
# `minigrad` 的张量把历史存在 `_edge` 里，只有三种样子：

# %% [markdown] tags=["lang-en"]
# Neither does: the one gives booleans, the other an integer, and as lesson 01 showed, only floats can require a gradient.
#
# A `minigrad` tensor keeps its history in `_edge`. There are three kinds:

# %%
data = minigrad.ones(2)
w = minigrad.ones(2, requires_grad=True)
print("needs no gradient     ", data._edge, (data + data)._edge)
print("a leaf that needs one ", w._edge)
print("computed              ", (w * 2)._edge)

# %% tags=["proof"]
assert data._edge == (data + data)._edge == (None, 0) and w._edge is None and (w * 2)._edge[1] == 0

# %% [markdown] tags=["lang-zh"]
# 1. 不要梯度：`(None, 0)`，边通向空处。
# 2. 要梯度的叶子：`None`，边还没有造，头一回用到时再造。
# 3. 算出来的：`(node, number)`，节点和编号，编号说明是它的第几个输出。
#
# 写 `is_leaf` 和 `grad_fn`。它们都是属性，除了 `self` 没有别的参数，只要看 `self._edge`。`grad_fn` 返回节点，叶子返回 `None`；`is_leaf` 返回 `True` 或 `False`。
#
# 例子：`w = tensor([1.0], requires_grad=True)`，则 `w.grad_fn` 是 `None`，`w.is_leaf` 是 `True`；`(w * 2).grad_fn` 是一个 `MulBackward0`，`(w * 2).is_leaf` 是 `False`。

# %% [markdown] tags=["lang-en"]
# 1. No gradient required: `(None, 0)`, an edge that leads nowhere.
# 2. A leaf that requires one: `None`, the edge doesn't exist yet; it is created when the leaf is first used.
# 3. Computed: `(node, number)`, where the number tells which of the node's outputs this is.
#
# Write `is_leaf` and `grad_fn`. Both are attributes, so they take no argument but `self`, and `self._edge` is all they need to look at. `grad_fn` returns the node, and `None` for a leaf; `is_leaf` returns `True` or `False`.
#
# Example: with `w = tensor([1.0], requires_grad=True)`, `w.grad_fn` is `None` and `w.is_leaf` is `True`; `(w * 2).grad_fn` is a `MulBackward0`, and `(w * 2).is_leaf` is `False`.


# %% nbgrader={"grade_id": "leaf_and_grad_fn", "solution": true}
@implements("minigrad.tensor.Tensor.is_leaf")
def is_leaf(self):
    """Whether this tensor has no history. torch.Tensor.is_leaf.

    self._edge: None for a leaf that requires a gradient; (None, 0) where none is required; else (node, number).
    Returns a bool.
    Example: w = tensor([1.], requires_grad=True): w.is_leaf  ->  True        (w * 2).is_leaf  ->  False
    """
    ### BEGIN SOLUTION
    return self._edge is None or self._edge[0] is None
    ### END SOLUTION


@implements("minigrad.tensor.Tensor.grad_fn")
def grad_fn(self):
    """The node that computed this tensor; None for a leaf. torch.Tensor.grad_fn.

    self._edge: None for a leaf that requires a gradient; (None, 0) where none is required; else (node, number).
    Example: w = tensor([1.], requires_grad=True): w.grad_fn  ->  None        (w * 2).grad_fn  ->  <MulBackward0 ...>
    """
    ### BEGIN SOLUTION
    edge = self._edge
    return None if edge is None else edge[0]
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_leaf_or_not", "grade": true, "points": 2}
check("leaf_or_not")

# %% nbgrader={"grade_id": "check_grad_fn_names", "grade": true, "points": 2}
check("grad_fn_names")

# %% [markdown] tags=["lang-zh"]
# ## 4 · b 没有 grad_fn，就没有节点吗？
#
# `b.grad_fn` 是 `None`。可第 1 节里，`z` 的第二条边明明通向一个 `AccumulateGrad`。它是谁的？`b` 用在两个地方时，有几个？

# %% [markdown] tags=["lang-en"]
# ## 4 · b has no grad_fn, so has it no node?
#
# `b.grad_fn` is `None`. Yet in section 1 the second edge of `z` led to an `AccumulateGrad`. Whose is it? And when `b` is used in two places, how many are there?

# %% tags=["demo"]
b = torch.ones(1, requires_grad=True)
product, total = b * 2, b + 1
one, other = product.grad_fn.next_functions[0][0], total.grad_fn.next_functions[0][0]
print("b.grad_fn           ", b.grad_fn)
print("its node belongs to ", "b" if one.variable is b else "?")
print("both lead to one    ", one is other)

# %% tags=["proof"]
assert b.grad_fn is None and one.variable is b and one is other

# %% [markdown] tags=["lang-zh"]
# “没有 `grad_fn` 就没有节点”也不对。`grad_fn` 说的是“记录里，谁算出了我”；叶子没有历史，所以是空的。但要梯度的叶子都有一个收梯度的节点，就是 `AccumulateGrad`：不管用在多少地方，只有这一个，从各条路来的梯度都到它这里，加进 `.grad`。
#
# 还有编号。有的运算一次给出好几个结果，比如 `unbind` 把张量拆成几行；它们共用一个节点，靠编号分开。先猜：`third * first` 的两条边，编号各是几？

# %% [markdown] tags=["lang-en"]
# "No `grad_fn`, so no node" is wrong as well. `grad_fn` says "who computed me, as recorded"; a leaf has no history, so it is empty. But every leaf that requires a gradient has a node that collects it, its `AccumulateGrad`: just one, however many places the leaf is used in; the gradients from all paths arrive there and are added to `.grad`.
#
# And the numbers? Some operations give several results at once, such as `unbind`, which splits a tensor into its rows; these share one node, and the number tells them apart. Guess: which numbers do the two edges of `third * first` carry?

# %% tags=["demo"]
w = torch.ones(3, 2, requires_grad=True)
first, second, third = w.unbind(0)
print([node.name() for node, _ in (third * first).grad_fn.next_functions])
print([number for _, number in (third * first).grad_fn.next_functions])

# %% tags=["proof"]
(one, two), (other, nought) = (third * first).grad_fn.next_functions
assert one is other and one.name() == "UnbindBackward0" and (two, nought) == (2, 0)

# %% [markdown] tags=["lang-zh"]
# 现在写 `gradient_edge`：给一个张量，它的梯度该去哪里？返回一对，节点和编号。
#
# 引擎每记录一个运算，每个输入都要有这样一对，`next_functions` 就是这样来的。已经有现成的，引擎多半自己取；叶子的那一对还没造出来，它就来问你的函数。
#
# 三种 `_edge` 里，有两种的答案就写在那里。剩下的是要梯度的叶子：它的边通向它唯一的 `AccumulateGrad`，编号 0。用到时才造，用 `AccumulateGrad(tensor)`。
#
# 造好之后记在 `tensor._accumulator` 里，用弱引用（weak reference）`weakref.ref(node)`：它记得节点，却不拦着节点消失。节点自己存着叶子，叶子要是也抓住节点，名字都没了以后，两个都不能马上释放。
#
# 头一次，`tensor._accumulator` 是 `None`。以后调用这个引用，就得到节点；节点已经没了，得到的是 `None`，那就再造一个。新造的节点先给它一个名字：只有弱引用指着，它当场就没了。
#
# 例子：`w` 是要梯度的叶子，得 `(AccumulateGrad, 0)`，再问一次，还是同一个节点；`w * 2` 得 `(MulBackward0, 0)`；数据得 `(None, 0)`。

# %% [markdown] tags=["lang-en"]
# Now write `gradient_edge`: given a tensor, where does its gradient go? Return a pair, a node and a number.
#
# For each operation it records, the engine needs such a pair for every input; that is where `next_functions` comes from. Where the pair exists already, the engine mostly takes it by itself; where a leaf's hasn't been created yet, it asks your function.
#
# For two of the three kinds of `_edge` the answer is right there. What remains is a leaf that requires a gradient: its edge leads to its one `AccumulateGrad`, number 0. That node is created only when needed, with `AccumulateGrad(tensor)`.
#
# Once created, store it in `tensor._accumulator` as a weak reference (弱引用), `weakref.ref(node)`: this remembers the node but doesn't keep it alive. The node holds its leaf; if the leaf held the node as well, neither could be freed at once when the last name is gone.
#
# The first time, `tensor._accumulator` is `None`. Later, calling the reference gives the node; if the node is gone, it gives `None`, and you create a new one. Give a new node a name first: with only a weak reference to it, it is gone at once.
#
# Example: for a leaf `w` that requires a gradient, `(AccumulateGrad, 0)`, and when asked again, the same node; for `w * 2`, `(MulBackward0, 0)`; for data, `(None, 0)`.


# %% nbgrader={"grade_id": "gradient_edge", "solution": true}
@implements("minigrad.autograd.accumulate.gradient_edge")
def gradient_edge(tensor):
    """Where the tensor's gradient goes: (node, number). torch.autograd.graph.get_gradient_edge.

    tensor._edge: None for a leaf that requires a gradient; (None, 0) where none is required; else (node, number).
    tensor._accumulator, where tensor._edge is None: None, or a weak reference to its AccumulateGrad. number: an int.
    Example: w = tensor([1.], requires_grad=True)  ->  (its AccumulateGrad, 0), the same node every time
    """
    ### BEGIN SOLUTION
    if tensor._edge is not None:
        return tensor._edge
    node = tensor._accumulator() if tensor._accumulator is not None else None
    if node is None:
        node = AccumulateGrad(tensor)
        tensor._accumulator = weakref.ref(node)
    return node, 0
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_edges_of_an_expression", "grade": true, "points": 2}
check("edges_of_an_expression")

# %% nbgrader={"grade_id": "check_one_accumulator", "grade": true, "points": 2}
check("one_accumulator")

# %% nbgrader={"grade_id": "check_output_numbers", "grade": true, "points": 1}
check("output_numbers")

# %% [markdown] tags=["lang-zh"]
# 最后一项检查把你的三个函数一起用在一个两层（layer）网络（network）上：连起它的图，走遍每一个节点，每一条边都和 torch 比；再反向一次，看梯度是不是都到了该到的叶子。

# %% [markdown] tags=["lang-en"]
# The last check uses your three functions together on a network (网络) of two layers (层): it builds the graph, visits every node and compares every edge with torch; then it goes backward once, to see whether each gradient reaches its leaf.

# %% nbgrader={"grade_id": "check_graph_of_a_network", "grade": true, "points": 3}
check("graph_of_a_network")

# %% [markdown] tags=["lang-zh"]
# ## 5 · sum(y) 和 y.sum() 一样吗？
#
# Python 自己的 `sum(y)` 也能把张量加起来，结果和 `y.sum()` 一样。图也一样吗？`y` 里有 3 个数和有 300 个数时，两边各有多少个节点？

# %% [markdown] tags=["lang-en"]
# ## 5 · Is sum(y) the same as y.sum()?
#
# Python's own `sum(y)` adds up a tensor as well, with the same result as `y.sum()`. Is the graph the same, too? With 3 numbers in `y`, and with 300, how many nodes does each of them leave?


# %% tags=["demo"]
def count_nodes(tensor):
    seen, todo = set(), [tensor.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [after for after, _ in node.next_functions]
    return len(seen)


for n in (3, 300):
    y = torch.ones(n, requires_grad=True)
    print(f"n = {n:<4} sum(y): {count_nodes(sum(y)):<4} y.sum(): {count_nodes(y.sum())}")

# %% tags=["proof"]
for n in (3, 300):
    y = torch.ones(n, requires_grad=True)
    assert count_nodes(sum(y)) == n + 2 and count_nodes(y.sum()) == 2
    assert sum(y).item() == y.sum().item() == n

# %% tags=["picture"]
from IPython.display import display

from autograder.plots import axes

y = torch.ones(3, requires_grad=True)
display(draw(sum(y), params={"y": y}, show=["shapes"]))

ax = axes("y 的长度 · length of y", "节点数 · nodes", size=(6.4, 3))
lengths = range(1, 200, 20)
ax.plot(lengths, [count_nodes(sum(torch.ones(n, requires_grad=True))) for n in lengths], "o-", label="sum(y)")
ax.plot(lengths, [count_nodes(torch.ones(n, requires_grad=True).sum()) for n in lengths], "s--", label="y.sum()")
_ = ax.legend()

# %% [markdown] tags=["lang-zh"]
# `sum(y)` 先用一个 `UnbindBackward0` 把 `y` 拆散，再一个一个地加，每加一次就多一个 `AddBackward0`。值没有错，图却长得和 `y` 一样长；`y.sum()` 只有一个运算节点。看得懂图，就看得出程序在哪里白费功夫。

# %% [markdown] tags=["lang-en"]
# `sum(y)` first takes `y` apart with an `UnbindBackward0`, then adds one number after the other, with one more `AddBackward0` each time. The value is right, but the graph is as long as `y`; `y.sum()` leaves a single operation. If you can read the graph, you can see where a program is wasting its effort.

# %% [markdown] tags=["lang-zh"]
# ## 6 · torch 其实是怎么做的
#
# 你写的函数，torch 里就有一个，叫 `get_gradient_edge`。拿它问那三种张量。先猜：问到不要梯度的数据，它怎么说？

# %% [markdown] tags=["lang-en"]
# ## 6 · What torch really does
#
# The function you wrote exists in torch, under the name `get_gradient_edge`. Ask it about the three kinds of tensors. Guess: what does it say about data that requires no gradient?

# %% tags=["demo"]
from torch.autograd.graph import get_gradient_edge

w = torch.ones(1, requires_grad=True)
y = w * 2
for tensor in (w, y):
    edge = get_gradient_edge(tensor)
    print(edge.node.name(), edge.output_nr)
print("the same as y's edge:", get_gradient_edge(w).node is y.grad_fn.next_functions[0][0])
try:
    get_gradient_edge(torch.ones(1))
except RuntimeError as error:
    print("RuntimeError:", error)

# %% tags=["proof"]
assert get_gradient_edge(w).node is y.grad_fn.next_functions[0][0] and get_gradient_edge(y).node is y.grad_fn
try:
    get_gradient_edge(torch.ones(1))
    raise AssertionError
except RuntimeError as error:
    assert "does not require gradients" in str(error)

# %% [markdown] tags=["lang-zh"]
# 前两种和你的一样；问到数据，torch 直接说没有，而不是给一条通向空处的边。

# %% [markdown] tags=["lang-en"]
# The first two answers are the same as yours; asked about data, torch says outright that there is none, instead of giving an edge to nowhere.

# %% [markdown] tags=["lang-zh"]
# ## 自测
#
# **1.** `x = torch.rand(3, requires_grad=True)`，`y = x * x`。`y.grad_fn` 有几条边，通向几个不同的节点？
#
# <details><summary>答案</summary>两条边，通向同一个 <code>AccumulateGrad</code>。每个输入一条边，而两个输入是同一个叶子。</details><br>
#
# **2.** `t = torch.zeros(3)` 是叶子。执行 `t += w`（`w` 要梯度）之后，它还是吗？
#
# <details><summary>答案</summary>不是了。原地（in-place）的加法也是一次被记录的运算，<code>t</code> 成了它的结果，<code>grad_fn</code> 是 <code>AddBackward0</code>。</details>

# %% [markdown] tags=["lang-en"]
# ## Test yourself
#
# **1.** `x = torch.rand(3, requires_grad=True)`, `y = x * x`. How many edges does `y.grad_fn` have, and how many different nodes do they lead to?
#
# <details><summary>Answer</summary>Two edges, to one and the same <code>AccumulateGrad</code>. There is an edge for each input, and both inputs are the same leaf.</details><br>
#
# **2.** `t = torch.zeros(3)` is a leaf. Is it still one after `t += w`, where `w` requires a gradient?
#
# <details><summary>Answer</summary>No. The in-place (原地) addition is a recorded operation as well, <code>t</code> has become its result, and its <code>grad_fn</code> is an <code>AddBackward0</code>.</details>

# %% tags=["proof"]
x = torch.rand(3, requires_grad=True)
(one, _), (other, _) = (x * x).grad_fn.next_functions
assert one is other
t = torch.zeros(3)
assert t.is_leaf
t += torch.ones(3, requires_grad=True)
assert not t.is_leaf and t.grad_fn.name() == "AddBackward0"

# %% [markdown] tags=["lang-zh"]
# ## 想一想，写下来
#
# 同学写了 `w = torch.rand(10, requires_grad=True).double()`，训练时 `w.grad` 总是 `None`。用三四句话说明：梯度去了哪里？为什么 `w` 不是叶子？写出一种改法，并说明为什么改了就对。中文英文都行。这一格由老师评阅，1 分。

# %% [markdown] tags=["lang-en"]
# ## Think, then write
#
# A fellow student wrote `w = torch.rand(10, requires_grad=True).double()`, and in training `w.grad` is always `None`. Explain in three or four sentences: where does the gradient go? Why isn't `w` a leaf? Give one way to fix it, and say why it works. In Chinese or English. A teacher reads this cell; it is worth 1 point.

# %% [markdown] nbgrader={"grade_id": "reflection", "grade": true, "solution": true, "points": 1}
# **评分标准（1 分）** 三点里说清两点（其中必须有改法），没有矛盾，给 1 分：
# 1. 梯度到了 .double() 之前那个没有名字的 float32 叶子的 AccumulateGrad，加进了它的 .grad。
# 2. .double() 是一次被记录的运算，w 是它的结果，grad_fn 是 ToCopyBackward0，所以不是叶子。
# 3. 改法：torch.rand(10, dtype=torch.float64, requires_grad=True)，或 torch.rand(10).double().requires_grad_()；这样 w 自己没有历史，就是叶子。
#
# 参考回答：rand 造出的那个 float32 张量才是叶子，梯度都进了它的 .grad，可是没有名字指着它。w 是 .double() 算出来的，有 grad_fn，所以不是叶子。写成 torch.rand(10).double().requires_grad_()，转换的时候还不要梯度，没有被记录，w 就是叶子了。
#
# **Rubric (1 point)** Two of these three, the change among them, not contradicted:
# 1. The gradient goes to the AccumulateGrad of the nameless float32 leaf before .double(), and into its .grad.
# 2. .double() is a recorded operation and w its result, with ToCopyBackward0 for its grad_fn; so it is no leaf.
# 3. The change: torch.rand(10, dtype=torch.float64, requires_grad=True), or torch.rand(10).double().requires_grad_(); then w itself has no history and is a leaf.
#
# Model answer: the float32 tensor that rand made is the leaf, and all gradients go into its .grad, but no name points at it. w was computed by .double() and has a grad_fn, so it is no leaf. In torch.rand(10).double().requires_grad_() the conversion happens before a gradient is required and is not recorded, so w is the leaf.
