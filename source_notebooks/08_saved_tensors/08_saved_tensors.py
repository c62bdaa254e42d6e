# %% [markdown] tags=["lang-zh"]
# # 08 · 缓冲区与 retain_graph
#
# 预计 45 分钟
#
# “一张计算图（computational graph）只能反向一次”，这是关于自动求导流传最广的一句话。它只对了一半。真正用一次就没了的，是节点（node）为反向保存的那些值。
# 这一课写三个函数：怎样保存、怎样取出、什么时候放手。

# %% [markdown] tags=["lang-en"]
# # 08 · Saved tensors and retain_graph
#
# About 45 minutes
#
# "A computational graph (计算图) can be walked backward only once" is the most widespread saying about autograd, and only half true. What is gone after one use are the values that nodes (节点) have saved for the way back.
# In this lesson you write three functions: how to save, how to read what was saved, and when to let go.

# %% tags=["setup"]
import minigrad
from autograder import check, hint, implements
from minigrad.autograd.graph import SECOND_BACKWARD, SavedResult

# %% [markdown] tags=["lang-zh"]
# 前几课里通过检查的部件，这一课可以接着用：`use_parts("mine")` 接上你写的，`use_parts("reference")` 换回引擎自己的。评分不受影响，用的总是引擎自己的。

# %% [markdown] tags=["lang-en"]
# Parts of yours that passed in earlier lessons can go on working in this one: `use_parts("mine")` plugs in yours, `use_parts("reference")` goes back to the engine's own. Grading is not affected; it always takes the engine's own.

# %%
from autograder import use_parts

use_parts("mine")

# %% [markdown] tags=["lang-zh"]
# ## 1 · 只能走一遍吗？
#
# 两张最小的图，各 `backward()` 三次。先猜：哪一张会报错？在第几次？

# %% [markdown] tags=["lang-en"]
# ## 1 · Only once?
#
# Two graphs, as small as can be, and `backward()` three times on each. Guess: which one raises, and on which call?


# %% tags=["demo"]
import torch


def three_times(T, operation):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = operation(x)
    try:
        for _ in range(3):
            y.backward()
            print("x.grad =", x.grad)
    except RuntimeError as error:
        print("RuntimeError:", error)
        print("still there:", y.grad_fn.name(), "->", y.grad_fn.next_functions[0][0].name())


print("sum")
three_times(torch, lambda x: x.sum())
print("square, then sum")
three_times(torch, lambda x: (x * x).sum())

# %% tags=["proof"]
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.sum()
for _ in range(3):
    y.backward()
assert x.grad.tolist() == [3.0, 3.0]
y = (x * x).sum()
y.backward()
try:
    y.backward()
    raise AssertionError
except RuntimeError as error:
    message = str(error)
assert y.grad_fn.next_functions[0][0].name() == "MulBackward0"
assert message.startswith("Trying to backward through the graph a second time")
assert "Saved intermediate values of the graph are freed" in message and "retain_graph=True" in message

# %% [markdown] tags=["lang-zh"]
# `sum` 走三遍毫无怨言，平方在第二遍报错。所以“图只能走一遍”不成立：图还在，节点和边（edge）都还在。错误信息说得很准：被释放的是保存的张量（saved tensor），也就是前向时留给反向用的中间值，老教程管它们叫缓冲区（buffer）。
#
# `minigrad` 也一样：

# %% [markdown] tags=["lang-en"]
# `sum` is walked three times without complaint, the square raises at the second. So "a graph can be walked only once" does not hold: the graph is still there, with its nodes and edges (边). The message is precise: what was freed are the saved tensors (保存的张量), intermediate values that forward keeps for backward; old tutorials call them buffers (缓冲区).
#
# `minigrad` does the same:

# %%
three_times(minigrad, lambda x: x.sum())
three_times(minigrad, lambda x: (x * x).sum())

# %% [markdown] tags=["lang-zh"]
# ## 2 · 谁存了什么？
#
# 加法的导数是 1，不用记住任何数；乘法的导数要用到另一个因子。下面把一串运算各走两遍，再列出节点上以 `_saved_` 开头的属性。先猜：哪几个会在第二遍报错？

# %% [markdown] tags=["lang-en"]
# ## 2 · Who saves what?
#
# The derivative of an addition is 1, with nothing to remember; that of a multiplication needs the other factor. Below, a row of operations is walked twice each, and the attributes of the node that begin with `_saved_` are listed. Guess: which of them raise the second time?

# %% tags=["demo"]
x = torch.tensor([1.0, 2.0], requires_grad=True)
c = torch.tensor([3.0, 4.0])
operations = {
    "x + c": lambda: x + c,
    "x.reshape(2, 1)": lambda: x.reshape(2, 1),
    "x.mean()": lambda: x.mean(),
    "x * c": lambda: x * c,
    "x ** 3": lambda: x**3,
    "x.exp()": lambda: x.exp(),
}


def second_pass(y):
    for _ in range(2):
        try:
            y.backward(torch.ones_like(y))
        except RuntimeError:
            return "refused"
    return "fine"


for name, operation in operations.items():
    saved = [each for each in dir(operation().grad_fn) if each.startswith("_saved_")]
    print(f"{name:<16} {second_pass(operation()):<8}", *saved)

# %% tags=["proof"]
outcome = {name: second_pass(operation()) for name, operation in operations.items()}
assert [name for name, how in outcome.items() if how == "fine"] == ["x + c", "x.reshape(2, 1)", "x.mean()"]
assert "_saved_result" in dir(x.exp().grad_fn) and "_saved_self" in dir((x**3).grad_fn)

# %% [markdown] tags=["lang-zh"]
# 规律是：保存了张量的，第二遍就拒绝；只存了形状、倍数这类小东西的，走多少遍都行。
#
# 存什么由导数规则决定，而且只存用得着的。`x * c` 里 `c` 不要梯度，于是没有人需要 `x`：

# %% [markdown] tags=["lang-en"]
# The pattern: what saves tensors refuses the second time; what saves only small things, a shape or a factor, can be walked as often as you like.
#
# What is saved follows from the derivative rule, and only as far as it is needed. In `x * c`, `c` wants no gradient, so nobody needs `x`:

# %% tags=["demo"]
w = torch.tensor([5.0, 6.0], requires_grad=True)
print("x * w:", (x * w).grad_fn._saved_self, (x * w).grad_fn._saved_other)
print("x * c:", (x * c).grad_fn._saved_self, (x * c).grad_fn._saved_other)
print("the very same tensor:", (x * w).grad_fn._saved_self is x)

# %% tags=["proof"]
assert (x * c).grad_fn._saved_self is None and (x * c).grad_fn._saved_other is c
assert (x * w).grad_fn._saved_self is x and (x * w).grad_fn._saved_other is w

# %% tags=["picture"]
from minigrad.viz import draw

loss = ((x * c + w).tanh()).sum()
draw(loss, params={"x": x, "w": w, "c": c, "loss": loss}, show=["shapes", "saved"])

# %% [markdown] tags=["lang-zh"]
# 图里能看到每个节点留着什么：乘法留着 `c`，`tanh` 留着自己的结果，加法和求和什么张量也没留。

# %% [markdown] tags=["lang-en"]
# The picture shows what each node keeps: the multiplication keeps `c`, `tanh` its own result, and the addition and the sum keep no tensor.

# %% [markdown] tags=["lang-zh"]
# ## 3 · 保存自己的输出
#
# `exp` 的导数就是它自己，所以它存的是输出：`_saved_result`。可是先猜一猜：它存的就是 `y` 这个张量吗？`del y` 之后，`y` 还在吗？
#
# 用弱引用（weak reference）来看：它记得一个对象，却不让它因此活着。为了看得清楚，先关掉 Python 的垃圾回收。

# %% [markdown] tags=["lang-en"]
# ## 3 · Saving one's own output
#
# The derivative of `exp` is itself, so what it saves is its output: `_saved_result`. But guess: is that the tensor `y`? And after `del y`, is `y` still there?
#
# A weak reference (弱引用) tells: it remembers an object without keeping it alive. To see clearly, Python's garbage collection is switched off meanwhile.

# %% tags=["demo"]
import gc
import weakref

y = x.exp()
saved = y.grad_fn._saved_result
print("same tensor:", saved is y, "   same memory:", saved.data_ptr() == y.data_ptr())
print("same node:  ", saved.grad_fn is y.grad_fn)

del saved
gc.disable()
seen = weakref.ref(y)
del y
print("gone:       ", seen() is None)
gc.enable()

# %% tags=["proof"]
gc.disable()
y = x.exp()
saved = y.grad_fn._saved_result
assert saved is not y and saved.data_ptr() == y.data_ptr() and saved.grad_fn is y.grad_fn
del saved
seen = weakref.ref(y)
del y
assert seen() is None
gc.enable()

# %% [markdown] tags=["lang-zh"]
# 同一份内存（memory），却不是同一个张量；名字一删，立刻就没了。要是节点直接抓着 `y`，会怎样？下面造两个互相抓着的普通对象：

# %% [markdown] tags=["lang-en"]
# The same memory (内存), yet not the same tensor; and with its name it was gone at once. What if the node held `y` itself? Here are two plain objects that hold each other:


# %%
class Thing:
    pass


gc.disable()
output, node = Thing(), Thing()
output.grad_fn, node.saved = node, output
seen = weakref.ref(output)
del output, node
print("gone:", seen() is None)
gc.enable()
gc.collect()
print("gone after garbage collection:", seen() is None)

# %% tags=["proof"]
assert seen() is None

# %% [markdown] tags=["lang-zh"]
# 张量抓着节点，节点抓着张量，成了一个环：名字都删了，谁也不肯先走，要等垃圾回收哪天来收拾。训练时每一步都留下这样一堆大数组，内存就乱了。
#
# 所以节点存自己的输出时，不存张量，只存张量里的两样东西：数组，和记录原地改写次数的计数器。取出来的时候，引擎再给它接上历史，就是上面那个 `grad_fn` 一样的新张量。
#
# 写 `save_result`。`result` 是运算刚算出的张量，`result._data` 是它的数组，`result.counter()` 是它的计数器；`output` 是输出的编号，一个整数。返回一个 `SavedResult(array, counter, output)`，依次是数组、计数器、编号。不要复制，也不要造新的计数器：有人改写了 `result`，要能看得出来。

# %% [markdown] tags=["lang-en"]
# The tensor holds the node and the node holds the tensor: a cycle. With every name deleted, neither will go first, until garbage collection comes round one day. When each training step leaves such a pile of large arrays behind, memory is a mess.
#
# So a node that saves its own output does not save the tensor, only two things out of it: the array, and the counter of writes in place. When it is read, the engine ties the history on again: the new tensor above, with the same `grad_fn`.
#
# Write `save_result`. `result` is the tensor just computed, `result._data` is its array and `result.counter()` its counter; `output` is the number of the output, an int. Return a `SavedResult(array, counter, output)`. Make no copy and no new counter: if somebody writes to `result`, it must show.


# %% nbgrader={"grade_id": "save_result", "solution": true}
@implements("minigrad.autograd.graph.save_result")
def save_result(result, output=0):
    """What a node keeps of its own output. In torch: a SavedVariable with is_output=True.

    result: a tensor; result._data is its array, result.counter() its counter of in-place writes.
    output: an int, which of the node's outputs it is.  Returns a SavedResult(array, counter, output).
    Example: y = x.exp()  ->  ExpBackward0 keeps y's array and counter; after `del y` nothing holds y itself
    """
    ### BEGIN SOLUTION
    return SavedResult(result._data, result.counter(), output)
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_saved_result", "grade": true, "points": 2}
check("saved_result")

# %% [markdown] tags=["lang-zh"]
# ## 4 · 取出来
#
# 轮到一个节点反向时，它先把保存的值取出来，再交给导数规则。`self.saved` 有四种情形：
#
# - 整个是 `None`：已经释放了，报错。那段话很长，常量 `SECOND_BACKWARD` 里已经写好，`raise RuntimeError(SECOND_BACKWARD)`。
# - 是一个空元组：什么也没存，也就没有什么会被释放。返回空列表，走多少遍都行。
# - 是一个元组，其中某一项是 `None`：没有人需要它，但位置要占着，后面的值不能往前挪。
# - 其中一项是保存的值 `value`：数组在 `value._data` 里。它有计数器（`value._counter` 不是 `None`）时，先调用 `self.check_saved(index, value)`，`index` 是它在元组里的位置；保存之后被改写过，这个函数会报错（怎么做到的，第 10 课由你来写）。
#
# 在 `minigrad` 上看看 `saved` 的样子。`addcmul` 算的是 $a + 2bc$，只有最后一个因子要梯度：

# %% [markdown] tags=["lang-en"]
# ## 4 · Reading it
#
# When a node's turn comes on the way back, it first reads what it saved, then hands it to the derivative rule. With `self.saved` there are four cases:
#
# - It is `None` altogether: released, so raise. The words are long; the constant `SECOND_BACKWARD` has them, `raise RuntimeError(SECOND_BACKWARD)`.
# - It is an empty tuple: nothing was saved, so nothing can have been released. Return an empty list, however often it is walked.
# - It is a tuple, and an item in it is `None`: nobody needs that one, but its place counts; the values behind it must not move up.
# - An item is a saved `value`: its array is `value._data`. If it has a counter (`value._counter` is not `None`), first call `self.check_saved(index, value)`, where `index` is its place in the tuple; had it been written to since, this function raises (how it knows, you write yourself in lesson 10).
#
# See on `minigrad` what `saved` looks like. `addcmul` computes $a + 2bc$, and only the last factor wants a gradient:

# %%
a = minigrad.tensor([1.0, 2.0])
u = minigrad.tensor([3.0, 4.0], requires_grad=True)
y = minigrad.addcmul(a, a, u, value=2.0)
for value in y.grad_fn.saved:
    print(value if value is None else value._data)

# %% tags=["proof"]
assert y.grad_fn.saved[1] is None and len(y.grad_fn.saved) == 3
y.sum().backward()
assert u.grad.tolist() == [2.0, 4.0] and y.grad_fn.saved is None

# %% [markdown] tags=["lang-zh"]
# 写 `unpack_arrays`，返回一个列表，每一项是一个数组，或者 `None`。例子：`self.saved` 里是 `None` 和一个数组为 `[1, 2]` 的值，返回 `[None, array([1., 2.])]`。

# %% [markdown] tags=["lang-en"]
# Write `unpack_arrays`; it returns a list of which each item is an array, or `None`. Example: with `None` and a value of array `[1, 2]` in `self.saved`, return `[None, array([1., 2.])]`.


# %% nbgrader={"grade_id": "unpack_arrays", "solution": true}
@implements("minigrad.autograd.graph.Node.unpack_arrays")
def unpack_arrays(self):
    """The saved values of a node as arrays. In torch: SavedVariable::unpack, once for each.

    self.saved: None once released, else a tuple, perhaps empty; each item is None or has _data (an array) and _counter.
    Returns a list as long as self.saved: arrays, and None where nothing was saved.
    Raises RuntimeError(SECOND_BACKWARD) once released; self.check_saved(index, value) raises for overwritten values.
    Example: self.saved = (None, value with _data = [1., 2.])  ->  [None, [1., 2.]]
    """
    ### BEGIN SOLUTION
    saved = self.saved
    if saved is None:
        raise RuntimeError(SECOND_BACKWARD)
    values: list[Any] = []
    for value in saved:
        if value is None:
            values.append(None)
            continue
        if value._counter is not None:
            self.check_saved(len(values), value)
        values.append(value._data)
    return values
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_unpack_values", "grade": true, "points": 2}
check("unpack_values")

# %% nbgrader={"grade_id": "check_unpack_refuses", "grade": true, "points": 2}
check("unpack_refuses")

# %% [markdown] tags=["lang-zh"]
# ## 5 · 放手，还是留着
#
# 一根树干，两个头：`p` 和 `q` 都从 `y = x * x` 算出来。先 `p.backward()`，再 `q.backward()`。`q` 明明一次都没走过，会报错吗？

# %% [markdown] tags=["lang-en"]
# ## 5 · Letting go, or keeping
#
# One trunk, two heads: both `p` and `q` are computed from `y = x * x`. First `p.backward()`, then `q.backward()`. Nobody has walked from `q` before; will it raise?


# %% tags=["demo"]
def heads():
    x = torch.tensor([3.0], requires_grad=True)
    y = x * x
    return x, y, 2 * y, y + 1


x, y, p, q = heads()
p.backward()
try:
    q.backward()
except RuntimeError as error:
    print("q:", str(error).split(" (")[0])

x, y, p, q = heads()
p.backward(retain_graph=True)
q.backward()
print("retain_graph:       ", x.grad)

x, y, p, q = heads()
(p + q).backward()
print("one sum:            ", x.grad)

x, y, p, q = heads()
torch.autograd.backward([p, q])
print("two roots, one walk:", x.grad)

# %% tags=["proof"]
assert x.grad.item() == 18.0
x, y, p, q = heads()
(p + q).backward()
assert x.grad.item() == 18.0
x, y, p, q = heads()
p.backward(retain_graph=True)
q.backward()
assert x.grad.item() == 18.0
x, y, p, q = heads()
p.backward()
try:
    q.backward()
    raise AssertionError
except RuntimeError as error:
    assert "a second time" in str(error)

# %% [markdown] tags=["lang-zh"]
# 会：从 `p` 出发的那一遍走过了树干，树干保存的 `x` 已经放掉了。出路有三条：第一遍说 `retain_graph=True`；先把两个头加起来；或者一次从两个头出发。后两条只走一遍，更省。
#
# 还有一种误会：“`retain_graph=True` 把中间结果都留下来，所以 `y.grad` 也就有了。”看一看：

# %% [markdown] tags=["lang-en"]
# It does: the walk from `p` went through the trunk, and the `x` that the trunk had saved was let go. There are three ways out: say `retain_graph=True` in the first walk; add the two heads first; or set out from both heads at once. The last two take one walk only, and are cheaper.
#
# And there is a misunderstanding: "`retain_graph=True` keeps all intermediate results, so `y.grad` is there as well." Look:

# %% tags=["demo"]
x, y, p, q = heads()
p.backward(retain_graph=True)
print("saved, still there:", y.grad_fn._saved_self)
print("y.grad:            ", y.grad)

# %% tags=["proof"]
import warnings

assert y.grad_fn._saved_self is x
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    assert y.grad is None

# %% [markdown] tags=["lang-zh"]
# `y.grad` 是 `None`，还附上一条警告。留下的是前向时保存的值，不是梯度；`y` 的梯度从来没有写进 `.grad`，无所谓留不留。想看它，用警告里说的 `retain_grad()`，名字很像，是另一回事，第 09 课就写它。
#
# 现在写 `release`。引擎每走完一个节点就调用它一次。`retain_graph` 为真，什么也不做；否则让 `node.saved` 变成 `None`。为什么不是空元组？因为空元组的意思是“什么也没存”，那样的节点可以再走。边 `node.next_functions` 不要动。

# %% [markdown] tags=["lang-en"]
# `y.grad` is `None`, with a warning on top. What is retained are values saved on the way forward, not gradients; the gradient of `y` was never written to any `.grad`, so there is none to keep. To see it use `retain_grad()`, as the warning says: a similar name for another matter, which you write in lesson 09.
#
# Now write `release`. The engine calls it once for each node that it has run. If `retain_graph` is true, do nothing; otherwise let `node.saved` be `None`. Why not an empty tuple? Because that means "saved nothing", and such a node may be walked again. Leave the edges, `node.next_functions`, alone.


# %% nbgrader={"grade_id": "release", "solution": true}
@implements("minigrad.autograd.engine.release")
def release(node, retain_graph):
    """Let go of what a node has saved, once it has run. In torch: Node::release_variables.

    node.saved: a tuple of saved values; None means released.  retain_graph: a bool; true means keep.  Returns None.
    Example: y = x * x; y.backward()  ->  y.grad_fn.saved is None        with retain_graph=True  ->  (x, x) as before
    """
    ### BEGIN SOLUTION
    if not retain_graph:
        node.saved = None
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_second_pass", "grade": true, "points": 2}
check("second_pass")

# %% nbgrader={"grade_id": "check_retain_graph", "grade": true, "points": 2}
check("retain_graph")

# %% [markdown] tags=["lang-zh"]
# ## 6 · 它到底吃多少内存？
#
# `retain_graph=True` “吃内存”，人人都这么说。吃多少，什么时候吃？量一量。
#
# torch 让我们在保存时插手：`saved_tensors_hooks` 把要保存的每个张量先交给我们包一层，于是我们知道还剩几个没放。八层 `tanh`，每层存 100 KiB；梯度（gradient）每过一层，就记下还存着多少。猜猜两条线的样子：

# %% [markdown] tags=["lang-en"]
# ## 6 · How much memory does it eat?
#
# `retain_graph=True` "eats memory", everybody says. How much, and when? Let us measure.
#
# torch lets us put a hand in: `saved_tensors_hooks` gives each tensor to be saved to us first, to be wrapped; so we know how many are not yet let go. Eight layers of `tanh` save 100 KiB each; whenever the gradient (梯度) passes a layer, we note how much is still saved. Guess what the two lines look like:


# %% tags=["demo"]
class Kept:
    alive = weakref.WeakSet()

    def __init__(self, tensor):
        self.tensor = tensor.detach()
        Kept.alive.add(self)


def kib_saved():
    return sum(kept.tensor.nbytes for kept in Kept.alive) / 1024


def during_backward(retain):
    y = torch.ones(25_600, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(Kept, lambda kept: kept.tensor):
        for _ in range(8):
            y = y.tanh()
            y.register_hook(lambda grad: amounts.append(kib_saved()))
        loss = y.sum()
    amounts = [kib_saved()]
    loss.backward(retain_graph=retain)
    return [*amounts, kib_saved()]


print("plain       ", during_backward(False))
print("retain_graph", during_backward(True))

# %% tags=["proof"]
assert during_backward(False) == [800.0, *(100.0 * n for n in range(8, 0, -1)), 0.0]
assert during_backward(True) == [800.0] * 10

# %% [markdown] tags=["lang-zh"]
# 普通的反向边走边放，内存像下楼梯一样落到 0，所以最高点在反向刚开始的时候。留着图，就一直停在最高处，直到没有人再拿着这张图。
#
# 那么训练循环里呢？每步都写 `retain_graph=True`，内存会不会一步一步涨上去？很多人这样以为。用 `minigrad` 比较三种循环，其中两种把每一步的 `loss` 张量收进一个列表，“以后好画图”：

# %% [markdown] tags=["lang-en"]
# A plain backward lets go as it walks, and memory comes down like a staircase to 0; so its peak is where backward begins. With the graph retained it stays up there, until nobody holds the graph any longer.
#
# And in a training loop? With `retain_graph=True` at every step, does memory climb step by step? Many believe so. With `minigrad`, compare three loops, two of which collect the `loss` tensor of each step in a list, "to plot it later":

# %%
import tracemalloc

import numpy as np


def memory_of_a_loop(retain, collect, steps=30):
    w = minigrad.ones(25_600, requires_grad=True)
    losses, kib = [], np.zeros(steps)
    tracemalloc.start()
    for step in range(steps):
        loss = (w * w).tanh().sum()
        loss.backward(retain_graph=retain)
        w.grad = None
        losses.append(loss if collect else loss.item())
        kib[step] = tracemalloc.get_traced_memory()[0] / 1024
    tracemalloc.stop()
    return kib


LOOPS = {
    "retain_graph, loss collected": (True, True),
    "retain_graph, loss.item() collected": (True, False),
    "plain, loss collected": (False, True),
}
for name, (retain, collect) in LOOPS.items():
    print(f"{name:<36} {memory_of_a_loop(retain, collect)[-1]:6.0f} KiB after the last step")

# %% tags=["proof"]
grows, flat, plain = (memory_of_a_loop(*how) for how in LOOPS.values())
assert grows[-1] - grows[0] > 2500 and abs(flat[-1] - flat[1]) < 120 and plain[-1] < 300

# %% tags=["picture"]
from autograder.plots import row

left, right = row(
    [
        ("梯度到了第几站 · where the gradient is", "保存着的 · saved (KiB)", "torch"),
        ("步数 · steps", "内存 · memory (KiB)", "minigrad"),
    ]
)
left.plot(during_backward(False), "o-", label="backward()")
left.plot(during_backward(True), "s--", label="retain_graph=True")
left.legend()
for (name, how), style in zip(LOOPS.items(), ("-", "--", ":")):
    right.plot(memory_of_a_loop(*how), style, label=name)
right.set_ylim(0, 4000)
_ = right.legend(fontsize="small")

# %% [markdown] tags=["lang-zh"]
# 只有一条线往上涨。`retain_graph=True` 并不让内存越积越多：下一步的 `loss` 盖掉名字，旧的图就没人拿着了，跟着放掉。涨上去的那条，是既留着图、又把图收进了列表。
#
# 所以更准确的说法是：`retain_graph` 把这一张图的保存值留到没有人拿着它为止；要收集损失（loss），收集 `loss.item()`。
#
# 轮到你的引擎：下面的检查用弱引用数一数，前向之后、反向之中、反向之后，各还剩哪些张量。

# %% [markdown] tags=["lang-en"]
# Only one line goes up. `retain_graph=True` does not pile up memory: the next step's `loss` takes over the name, nobody holds the old graph any longer, and it goes. The line that climbs belongs to the loop that retains the graphs and collects them as well.
#
# So, more precisely: `retain_graph` keeps the saved values of this one graph until nobody holds it; and if you collect losses (损失), collect `loss.item()`.
#
# Now your engine: the check below counts, by weak references, which tensors are still there after forward, during backward and after it.

# %% nbgrader={"grade_id": "check_memory_freed", "grade": true, "points": 2}
check("memory_freed")

# %% [markdown] tags=["lang-zh"]
# 最后一项检查：一根树干、两个头的小网络，两个损失各自反向，训练四步。保存、取出、放手，全是你写的。

# %% [markdown] tags=["lang-en"]
# The last check: a small network with one trunk and two heads, a backward for each of two losses, trained for four steps. Saving, reading and letting go are all yours.

# %% nbgrader={"grade_id": "check_saved_in_training", "grade": true, "points": 3}
check("saved_in_training")

# %% [markdown] tags=["lang-zh"]
# ## 7 · torch 其实是怎么做的
#
# 在 torch 里，每个保存的值都装在一个 `SavedTensor` 里，存和取各有一道门，就是上一节插手的地方。这道门还有正经用处：存的时候压成半精度，取的时候再还原，内存省一半，梯度只差一点点。

# %% [markdown] tags=["lang-en"]
# ## 7 · What torch really does
#
# In torch, each saved value sits in a `SavedTensor`, with one door in and one door out; that is where the section above put its hand in. The doors are there for good uses, too: pack values to half precision, unpack them again, and memory is halved at the cost of a slightly different gradient.

# %% tags=["demo"]
x = torch.linspace(-1, 1, 5, requires_grad=True)
print(x.tanh().grad_fn._raw_saved_result)

x.tanh().sum().backward()
exact, x.grad = x.grad, None
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.half(), lambda t: t.float()):
    y = x.tanh().sum()
y.backward()
print(exact)
print(x.grad)

# %% tags=["proof"]
assert type(x.tanh().grad_fn._raw_saved_result).__name__ == "SavedTensor"
assert torch.allclose(exact, x.grad, atol=1e-3) and not torch.equal(exact, x.grad)

# %% [markdown] tags=["lang-zh"]
# ## 自测
#
# **1.** `y = x + 1`，`p = y * y`，`q = 3 * y`。`p.backward()` 之后 `q.backward()`，会报错吗？
#
# <details><summary>答案</summary>不会。两个头共用的只有加法，它什么也没存；q 自己的乘法还没有走过。</details>
#
# **2.** 在笔记本里把 `loss.backward()` 那一格又运行了一次，报了这个错。该加 `retain_graph=True` 吗？
#
# <details><summary>答案</summary>不该。你并不需要第二遍，而且梯度会加倍。重新运行前向那一格，得到一张新图，再反向。</details>

# %% [markdown] tags=["lang-en"]
# ## Test yourself
#
# **1.** `y = x + 1`, `p = y * y`, `q = 3 * y`. After `p.backward()`, does `q.backward()` raise?
#
# <details><summary>Answer</summary>No. The two heads share the addition only, and that saved nothing; q's own multiplication has not been walked.</details>
#
# **2.** In a notebook you ran the cell with `loss.backward()` once more, and got this error. Should you add `retain_graph=True`?
#
# <details><summary>Answer</summary>No. You do not need the second walk, and the gradients would double. Run the forward cell again, which makes a new graph, then backward.</details>

# %% tags=["proof"]
x = torch.tensor([3.0], requires_grad=True)
y = x + 1
p, q = y * y, 3 * y
p.backward()
q.backward()
assert x.grad.item() == 11.0

# %% [markdown] tags=["lang-zh"]
# ## 想一想，写下来
#
# 同学的训练在几百步后内存耗尽，他每一步都写了 `loss.backward(retain_graph=True)`，还把 `loss` 存进列表画曲线。用三到五句话告诉他：谁占着内存？只改一处，改哪里就够了？他真的需要 `retain_graph` 吗，什么时候才需要？中文英文都行。这一格由老师评阅，1 分。

# %% [markdown] tags=["lang-en"]
# ## Think, then write
#
# A fellow student's training runs out of memory after some hundred steps; every step says `loss.backward(retain_graph=True)`, and `loss` is put into a list for a plot. Tell him in three to five sentences: who holds the memory? If only one thing may be changed, what is enough? Does he need `retain_graph` at all, and when would he? In Chinese or English. A teacher reads this cell; it is worth 1 point.

# %% [markdown] nbgrader={"grade_id": "reflection", "grade": true, "solution": true, "points": 1}
# **评分标准（1 分）** 下面三点说清两点（其中必须有第 1 点），给 1 分：
# 1. 列表里的 loss 拿着整张图，retain_graph 又不让保存的值释放，两者合在一起，每一步的中间值都留着。
# 2. 改一处就够：收集 loss.item()（或 detach），或者去掉 retain_graph。
# 3. 同一张图要走第二遍时才需要，例如两个损失共用一段、又非要分两次反向；多数时候加起来反向一次更好。
#
# 参考回答：占内存的是每一步保存的中间值：列表里的 loss 抓着图，图抓着保存的值，retain_graph 又不许放。把 append(loss) 改成 append(loss.item())，图就没人抓着了；或者去掉 retain_graph，保存的值边走边放。只有同一张图真要走第二遍时才需要它。
#
# **Rubric (1 point)** Two of these three, the first among them:
# 1. The losses in the list hold their graphs, and retain_graph forbids their saved values to be let go; together every step's intermediate values stay.
# 2. One change is enough: collect loss.item() (or a detached one), or drop retain_graph.
# 3. It is needed when one graph is to be walked a second time, as for two losses that share a trunk and must go backward separately; mostly one backward on their sum is better.
#
# Model answer: the memory is held by each step's saved values: the loss in the list holds the graph, the graph holds the saved values, and retain_graph keeps them from being let go. Collect loss.item() and nobody holds the graph; or drop retain_graph, and saved values go while backward walks. It is needed only if the same graph is really walked twice.
