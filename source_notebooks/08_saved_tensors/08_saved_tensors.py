# %% [markdown] tags=["lang-zh"]
# # 08 · 缓冲区与 retain_graph
#
# 预计 45 分钟
#
# 学自动求导的人，早晚会听到一句话：“一张计算图（computational graph）只能反向一次。”真是这样吗？走过一次，没了的究竟是什么？
#
# 这一课写三个函数：节点（node）怎样保存值、怎样取出来、什么时候释放。

# %% [markdown] tags=["lang-en"]
# # 08 · Saved tensors and retain_graph
#
# About 45 minutes
#
# Everyone who learns autograd hears it sooner or later: "A computational graph (计算图) can be walked backward only once." Is that true? And what exactly is gone after one walk?
#
# In this lesson you write three functions for what a node (节点) keeps: one saves values, one reads them, and one decides when to release them.

# %% tags=["setup"]
import minigrad
from autograder import check, hint, implements
from minigrad.autograd.graph import SECOND_BACKWARD, SavedResult

# %% [markdown] tags=["lang-zh"]
# 前几课里通过检查的部件，这一课可以接着用：`use_parts("mine")` 接上你写的，`use_parts("reference")` 换回引擎自己的。评分不受影响：前几课的部件，评分时用的总是引擎自己的。

# %% [markdown] tags=["lang-en"]
# Parts of yours that passed in earlier lessons can go on working in this one: `use_parts("mine")` plugs in yours, `use_parts("reference")` goes back to the engine's own. Grading is not affected: in place of those parts it always uses the engine's own.

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
# Here are two tiny graphs, and we call `backward()` three times on each. Guess first: which one raises, and on which call?


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
# `sum` 走三遍毫无怨言，平方在第二遍报错。所以“图只能走一遍”不成立：看最后一行，节点和边（edge）都还在。错误信息说得很准：被释放的是保存的张量（saved tensor），也就是前向时留给反向用的中间值。老教程管它们叫缓冲区（buffer）。
#
# `minigrad` 也一样：

# %% [markdown] tags=["lang-en"]
# `sum` takes three walks without complaint; the square raises on the second. So "a graph can be walked only once" does not hold: as the last line shows, the nodes and edges (边) are still there. The message is precise: what was freed are the saved tensors (保存的张量), the intermediate values that forward keeps for backward. Old tutorials call them buffers (缓冲区).
#
# `minigrad` does the same:

# %%
three_times(minigrad, lambda x: x.sum())
three_times(minigrad, lambda x: (x * x).sum())

# %% [markdown] tags=["lang-zh"]
# ## 2 · 谁存了什么？
#
# 加法的导数是 1，不用记住任何数；乘法的导数要用到另一个因子。下面每个运算都反向走两遍，再列出它的节点上以 `_saved_` 开头的属性。先猜：哪几个会在第二遍报错？

# %% [markdown] tags=["lang-en"]
# ## 2 · Which operation saves what?
#
# The derivative of an addition is 1, so there is nothing to remember; that of a multiplication needs the other factor. Below, each operation is walked backward twice, and the attributes of its node that begin with `_saved_` are listed. Guess: which of them raise on the second walk?

# %% tags=["demo"]
x = torch.tensor([1.0, 2.0], requires_grad=True)
c = torch.tensor([3.0, 4.0])
operations = {
    "x + c": lambda: x + c,
    "x.reshape(2, 1)": lambda: x.reshape(2, 1),
    "x.mean()": lambda: x.mean(),
    "x * c": lambda: x * c,
    "x * 2": lambda: x * 2,
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
assert type((x + c).grad_fn._saved_alpha) is int and isinstance((x * 2).grad_fn._saved_other, torch.Tensor)

# %% [markdown] tags=["lang-zh"]
# 规律是：保存了张量的，第二遍就拒绝；只存了形状（`sizes`）、个数（`numel`）或者普通的数（`alpha`）的，走多少遍都行。
#
# 存什么由导数规则决定，而且只存用得着的。`x * c` 里 `c` 不要梯度，于是没有人需要 `x`。`x * 2` 呢？2 明明是普通的数，为什么也只能走一遍？

# %% [markdown] tags=["lang-en"]
# The pattern: an operation that saves tensors refuses the second walk; one that saves only shapes (`sizes`), counts (`numel`) or plain numbers (`alpha`) can be walked as often as you like.
#
# What gets saved depends on the derivative rule, and on what is really needed. In `x * c`, `c` requires no gradient, so nobody will need `x`. And `x * 2`? The 2 is a plain number, so why does this operation allow only one walk?

# %% tags=["demo"]
w = torch.tensor([5.0, 6.0], requires_grad=True)
print("x * w:", (x * w).grad_fn._saved_self, (x * w).grad_fn._saved_other)
print("x * c:", (x * c).grad_fn._saved_self, (x * c).grad_fn._saved_other)
print("x * 2:", (x * 2).grad_fn._saved_self, (x * 2).grad_fn._saved_other)
print("the very same tensor:", (x * w).grad_fn._saved_self is x)

# %% tags=["proof"]
assert (x * c).grad_fn._saved_self is None and (x * c).grad_fn._saved_other is c
assert (x * w).grad_fn._saved_self is x and (x * w).grad_fn._saved_other is w
assert (x * 2).grad_fn._saved_self is None and (x * 2).grad_fn._saved_other.item() == 2

# %% [markdown] tags=["lang-zh"]
# torch 先把 2 变成张量，再存起来；存了张量，就只能走一遍。整张图各处存了什么？先猜，再看图：

# %% [markdown] tags=["lang-en"]
# torch turns the 2 into a tensor before saving it, and whatever saves a tensor can be walked only once. What is saved where in a larger graph? Guess, then look at the picture:

# %% tags=["picture"]
from minigrad.viz import draw

loss = ((x * c + w).tanh()).sum()
draw(loss, params={"x": x, "w": w, "c": c, "loss": loss}, show=["shapes", "saved"])

# %% [markdown] tags=["lang-zh"]
# 乘法留着 `c`，`tanh` 留着自己的结果，加法和求和什么张量也没留。

# %% [markdown] tags=["lang-en"]
# The multiplication keeps `c`, `tanh` keeps its own result, and the addition and the sum keep no tensor at all.

# %% [markdown] tags=["lang-zh"]
# ## 3 · 保存自己的输出
#
# `exp` 的导数就是它自己，所以它存的是输出：`_saved_result`。先猜：它存的就是 `y` 这个张量吗？`del y` 之后，那个张量还在吗？
#
# 用弱引用（weak reference）来看：它记得一个对象，却不让对象因此活着。为了看得清楚，先关掉 Python 的垃圾回收。

# %% [markdown] tags=["lang-en"]
# ## 3 · Saving the node's own output
#
# `exp` is its own derivative, so what it saves is its output: `_saved_result`. Guess: is that the tensor `y` itself? And is the tensor still there after `del y`?
#
# A weak reference (弱引用) will tell: it remembers an object without keeping it alive. Python's garbage collection is switched off meanwhile, so that it doesn't interfere.

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
# The memory (内存) is the same, the tensor is not; and it was gone as soon as its name was deleted. What if the node held `y` itself? Here are two plain objects that hold each other:


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
# 张量抓着节点，节点抓着张量，成了一个环：名字都删了，谁也释放不了，要等到下一次垃圾回收。要是训练的每一步都留下这样一堆大数组，内存很快就满了。
#
# 所以节点存自己的输出时，不存张量，只存张量里的两样东西：数组，和记录原地改写次数的计数器。取出来的时候，引擎再接上历史，造出一个新张量：上面那个张量不是 `y`，却和 `y` 有同一个 `grad_fn`，就是这么来的。
#
# 写 `save_result`。`result` 是运算刚算出的张量，`result._data` 是它的数组，`result.counter()` 是它的计数器；`output` 是输出的编号，一个整数。返回 `SavedResult(array, counter, output)`，依次是数组、计数器、编号，按位置给，不写参数名。数组不要复制，计数器不要造新的：有人改写了 `result`，要能看得出来。

# %% [markdown] tags=["lang-en"]
# The tensor holds the node and the node holds the tensor: a cycle. Even with every name deleted, neither is freed; both stay until the next garbage collection. If every training step left such large arrays behind, memory would soon be full.
#
# So a node that saves its own output does not save the tensor, only two things from it: its array, and the counter of writes to it. When the value is read, the engine attaches the history again and makes a new tensor. That is what you saw above: a tensor that was not `y`, but had the same `grad_fn` as `y`.
#
# Write `save_result`. `result` is the tensor just computed, `result._data` is its array and `result.counter()` its counter; `output` is the number of the output, an int. Return `SavedResult(array, counter, output)`: array, counter and number in this order, without argument names. Do not copy the array, and do not make a new counter: if somebody writes to `result`, that has to show.


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
# 轮到一个节点反向时，它先把保存的值取出来，再交给导数规则。这些值放在 `self.saved` 里，是一个元组。
#
# 下面的 `addcmul` 算的是 $a + 2au$，只有 `u` 要梯度；每一项印出它的数和计数器。先猜：`a`、`u`、2 这三样，节点要记住哪几样？

# %% [markdown] tags=["lang-en"]
# ## 4 · Reading what was saved
#
# When its turn comes in backward, a node first reads what it has saved, then passes it to the derivative rule. The values are kept in `self.saved`, a tuple.
#
# Below, `addcmul` computes $a + 2au$, and only `u` requires a gradient; each item is printed with its numbers and its counter. Guess: of `a`, `u` and 2, which does the node have to remember?

# %%
a = minigrad.tensor([1.0, 2.0])
u = minigrad.tensor([3.0, 4.0], requires_grad=True)
y = minigrad.addcmul(a, a, u, value=2.0)
for value in y.grad_fn.saved:
    print(value if value is None else (value._data, value._counter))

# %% tags=["proof"]
assert y.grad_fn.saved[1] is None and len(y.grad_fn.saved) == 3
y.sum().backward()
assert u.grad.tolist() == [2.0, 4.0] and y.grad_fn.saved is None

# %% [markdown] tags=["lang-zh"]
# 要记住的是 `a` 和 2。中间的 `None` 占着 `u` 的位置：要用它的只有 `a` 的梯度，而 `a` 不要梯度。
#
# `self.saved` 一共有四种情形：
#
# - 整个是 `None`：已经释放了，要报错。错误信息很长，常量 `SECOND_BACKWARD` 里已经写好：`raise RuntimeError(SECOND_BACKWARD)`。
# - 是空元组：什么也没存，也就没有什么会被释放。返回空列表，走多少遍都行。
# - 是元组，其中某一项是 `None`：没有人需要它，但位置要占着，后面的值不能往前挪。
# - 其中某一项是保存的值 `value`：要的数组是 `value._data`。它要是有计数器（`value._counter` 不是 `None`），先调用 `self.check_saved(index, value)`，`index` 是它在元组里的位置；值在保存之后被改写过，这个函数会报错（它怎么知道的，第 10 课由你来写）。
#
# 上面印出的计数器都是 `None`：`minigrad` 为了省事，到用得着的时候才给张量造计数器。还没有计数器的张量，一定没被改写过，和普通的数一样用不着检查。保存之后才改写的，这时已经有了。
#
# 写 `unpack_arrays`。返回一个列表，和 `self.saved` 一样长，每一项是 `value._data` 或者 `None`。例子：`self.saved` 里是 `None` 和一个数组为 `[1, 2]` 的值，返回 `[None, array([1., 2.])]`。

# %% [markdown] tags=["lang-en"]
# It has to remember `a` and 2. The `None` in the middle keeps the place of `u`: only the gradient of `a` would need it, and `a` requires none.
#
# In all, there are four cases for `self.saved`:
#
# - It is `None` itself: everything was released, so raise an error. The message is long; the constant `SECOND_BACKWARD` has it ready: `raise RuntimeError(SECOND_BACKWARD)`.
# - It is an empty tuple: nothing was saved, so nothing can have been released. Return an empty list, however often the node is walked.
# - It is a tuple, and one of its items is `None`: nobody needs that value, but it keeps its place; the values after it must not move up.
# - One of its items is a saved `value`: the result needs its array, `value._data`. If it has a counter (`value._counter` is not `None`), first call `self.check_saved(index, value)`, where `index` is its place in the tuple; that function raises if the value has been written to since it was saved (you will write how it knows in lesson 10).
#
# The counters printed above are both `None`: to save work, `minigrad` gives a tensor its counter only when one is needed. A tensor that still has none was never written to, and, like a plain number, needs no check. One that was written to after saving has one by now.
#
# Write `unpack_arrays`. Return a list as long as `self.saved`, whose items are `value._data` or `None`. Example: if `self.saved` holds `None` and a value whose array is `[1, 2]`, return `[None, array([1., 2.])]`.


# %% nbgrader={"grade_id": "unpack_arrays", "solution": true}
@implements("minigrad.autograd.graph.Node.unpack_arrays")
def unpack_arrays(self):
    """The saved values of a node as arrays. In torch: SavedVariable::unpack, once for each.

    self.saved: None once released, else a tuple, perhaps empty; each item is None or has _data (an array) and _counter.
    Returns a list as long as self.saved: each item's _data, and None where nothing was saved.
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
# ## 5 · 释放，还是留着？
#
# 一根树干，两个头：`p` 和 `q` 都从 `y = x * x` 算出来。先 `p.backward()`，再 `q.backward()`。`q` 明明一次都没走过，会报错吗？

# %% [markdown] tags=["lang-en"]
# ## 5 · Release, or keep?
#
# One trunk, two heads: both `p` and `q` are computed from `y = x * x`. First we call `p.backward()`, then `q.backward()`. This is the first walk from `q`; will it raise?


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
# 会：从 `p` 出发的那一遍走过了树干，树干保存的 `x` 已经释放了。出路有三条：第一遍说 `retain_graph=True`；先把两个头加起来；或者一次从两个头出发。后两条只走一遍，更省。
#
# 还有一种误会：“`retain_graph=True` 把中间结果都留下来，所以 `y.grad` 也就有了。”对吗？先猜，再看：

# %% [markdown] tags=["lang-en"]
# It does: the walk from `p` went through the trunk and released the `x` saved there. There are three ways out: pass `retain_graph=True` to the first walk; add the two heads and walk from the sum; or start from both heads at once. The last two take only one walk, so they are cheaper.
#
# There is also a common misunderstanding: "`retain_graph=True` keeps all intermediate results, so `y.grad` is there as well." Is it? Guess, then look:

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
# `y.grad` 是 `None`，还附上一条警告。留下的是前向时保存的值，不是梯度；`y` 的梯度从来没有写进 `.grad`，无所谓留不留。想看它，就用警告里说的 `retain_grad()`：名字很像，却是另一回事，第 09 课由你来写。
#
# 现在写 `release`。每走完一个存过张量的节点，引擎就调用它一次；加法那样什么也没存的节点，不会交给它。`retain_graph` 为真，什么也不做；否则让 `node.saved` 变成 `None`。为什么不是空元组？因为空元组的意思是“什么也没存”，那样的节点可以再走。边 `node.next_functions` 不要动。

# %% [markdown] tags=["lang-en"]
# `y.grad` is `None`, and a warning comes with it. What is retained are the values that forward saved, not gradients; the gradient of `y` was never written to a `.grad`, so there is nothing to keep. To see it, use `retain_grad()`, as the warning says. The name is similar, but it does something else; you will write it in lesson 09.
#
# Now write `release`. The engine calls it as soon as a node that saved tensors has run; a node that saved none, such as an addition's, is not handed to it. If `retain_graph` is true, do nothing; otherwise set `node.saved` to `None`. Why not to an empty tuple? Because that means "saved nothing", and such a node may be walked again. Leave the edges, `node.next_functions`, alone.


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
# torch 让我们在保存时插手：`saved_tensors_hooks` 把要保存的每个张量先交给我们包一层，数一数还有几个包着的，就知道还存着多少。下面有八层 `tanh`，每层存 100 KiB；梯度（gradient）每过一层，就记一次。不留图、留图、留图之后再普通地走一遍，猜猜三行数各是什么样：

# %% [markdown] tags=["lang-en"]
# ## 6 · How much memory does it eat?
#
# `retain_graph=True` "eats memory", everybody says. How much, and when? Let us measure.
#
# torch lets us step in: `saved_tensors_hooks` first hands us every tensor that is about to be saved, and we put a wrapper around it; counting the wrappers that are still alive tells us how much is saved. Below, eight layers of `tanh` save 100 KiB each; whenever the gradient (梯度) passes a layer, we take a reading. Guess the three rows of numbers: for a plain walk, for one that retains the graph, and for a plain walk that follows the latter:


# %% tags=["demo"]
class Kept:
    alive = weakref.WeakSet()

    def __init__(self, tensor):
        self.tensor = tensor.detach()
        Kept.alive.add(self)


def kib_saved():
    return sum(kept.tensor.nbytes for kept in Kept.alive) / 1024


def during_backward(*walks):
    y = torch.ones(25_600, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(Kept, lambda kept: kept.tensor):
        for _ in range(8):
            y = y.tanh()
            y.register_hook(lambda grad: amounts.append(kib_saved()))
        loss = y.sum()
    amounts = [kib_saved()]
    for retain in walks:
        loss.backward(retain_graph=retain)
        amounts.append(kib_saved())
    return amounts


print("plain       ", during_backward(False))
print("retain_graph", during_backward(True))
print("then plain  ", during_backward(True, False)[9:])

# %% tags=["proof"]
assert during_backward(False) == [800.0, *(100.0 * n for n in range(8, 0, -1)), 0.0]
assert during_backward(True) == [800.0] * 10
assert during_backward(True, False)[9:] == during_backward(False)

# %% [markdown] tags=["lang-zh"]
# 普通的反向边走边释放，存着的一级一级降到 0，所以最高点在反向刚开始的时候。留着图，就一直停在最高处；之后同一张图再普通地走一遍，照样一级一级释放。
#
# 那么训练循环里呢？每步都写 `retain_graph=True`，内存会不会一步一步涨上去？很多人这样以为。下面用 `minigrad` 比较三种循环，其中两种把每一步的 `loss` 张量收进列表，“以后好画图”：

# %% [markdown] tags=["lang-en"]
# A plain backward releases as it walks, and what is saved comes down to 0 step by step; so the peak is where backward begins. With the graph retained, it stays at the peak; a later plain walk through the same graph releases it step by step all the same.
#
# And in a training loop? If every step says `retain_graph=True`, does memory climb from step to step? Many people think so. Let us compare three loops on `minigrad`; two of them collect each step's `loss` tensor in a list, "to plot it later":

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
# 只有一条线往上涨。光是 `retain_graph=True`，内存并不会越积越多：下一步的 `loss` 占了名字，旧的图没人拿着，就跟着释放了。涨上去的那条，是既留着图、又把图收进了列表。
#
# 所以更准确的说法是：`retain_graph` 让这张图的保存值过了这一遍还留着，直到有一遍不带它的反向走过，或者没有人再拿着这张图。要收集损失（loss），就收集 `loss.item()`。
#
# 轮到你的引擎：下面的检查用弱引用数一数，前向之后、反向之中、反向之后，各还剩哪些张量。

# %% [markdown] tags=["lang-en"]
# Only one line climbs. On its own, `retain_graph=True` does not make memory pile up: the next step's `loss` takes over the name, nothing holds the old graph any longer, and it is freed. The climbing line belongs to the loop that both retains its graphs and collects them in a list.
#
# So, more precisely: after the walk, `retain_graph` leaves in place what this graph has saved, until a walk without it comes through, or until nothing holds the graph any longer. If you collect losses (损失), collect `loss.item()`.
#
# Now it is your engine's turn: with weak references, the check below counts which tensors are still there after forward, during backward and after it.

# %% nbgrader={"grade_id": "check_memory_freed", "grade": true, "points": 2}
check("memory_freed")

# %% [markdown] tags=["lang-zh"]
# 最后一项检查：一根树干、两个头的小网络，两个损失各自反向，训练四步。保存、取出、释放，全是你写的。

# %% [markdown] tags=["lang-en"]
# The last check trains a small network with one trunk and two heads for four steps, with a backward of its own for each of the two losses. Saving, reading and releasing are all yours.

# %% nbgrader={"grade_id": "check_saved_in_training", "grade": true, "points": 3}
check("saved_in_training")

# %% [markdown] tags=["lang-zh"]
# ## 7 · torch 其实是怎么做的
#
# 在 torch 里，每个保存的张量都装在一个 `SavedTensor` 里，存和取的时候各可以运行一个函数，上一节就是这样数的。它们还有正经用处：存的时候压成半精度，取的时候再还原，占的内存少一半。先猜：梯度还和原来一样吗，差在哪里？

# %% [markdown] tags=["lang-en"]
# ## 7 · What torch really does
#
# In torch, each saved tensor is wrapped in a `SavedTensor`, and a function of yours can run when it is saved and another when it is read; that is how we counted above. These functions have serious uses, too: convert what is saved to half precision, convert it back when it is read, and it takes half the memory. Guess first: is the gradient still the same? Where does it differ?

# %% tags=["demo"]
x = torch.linspace(-1, 1, 5, requires_grad=True)
print(x.tanh().grad_fn._raw_saved_result)


def squeeze(t):
    print("saving", t.nbytes, "bytes as", t.half().nbytes)
    return t.half()


x.tanh().sum().backward()
exact, x.grad = x.grad, None
with torch.autograd.graph.saved_tensors_hooks(squeeze, lambda t: t.float()):
    y = x.tanh().sum()
y.backward()
print(exact)
print(x.grad)

# %% tags=["proof"]
assert type(x.tanh().grad_fn._raw_saved_result).__name__ == "SavedTensor"
assert torch.allclose(exact, x.grad, atol=1e-3) and not torch.equal(exact, x.grad)
assert [round(g, 4) for g in exact.tolist()] == [0.42, 0.7864, 1.0, 0.7864, 0.42]
assert [round(g, 4) for g in x.grad.tolist()] == [0.4198, 0.7864, 1.0, 0.7864, 0.4198]
assert [round(abs(g), 5) for g in (x.grad - exact).tolist()[1:4]] == [4e-5, 0.0, 4e-5]
assert x.grad[2] == exact[2] and y == x.tanh().sum()

# %% [markdown] tags=["lang-zh"]
# 差一点点：两端的 0.4200 成了 0.4198，旁边的两个要到小数第五位才看得出，正中间的分毫不差。
#
# 规则用的是 `tanh` 保存的结果，半精度只留得住它的三位多有效数字，只有 0 存下来还是 0。前向的值一点没变：取出来的数，只有反向在用。

# %% [markdown] tags=["lang-en"]
# A little: 0.4200 became 0.4198 at both ends, the two entries beside them differ only in the fifth decimal, and the one in the middle not at all.
#
# The rule uses the saved result of `tanh`, of which half precision keeps a little over three digits; only 0 comes back as just 0. The value of the forward pass is unchanged: what is read back is used by backward only.

# %% [markdown] tags=["lang-zh"]
# ## 自测
#
# **1.** `y = x + 1`，`p = y * y`，`q = 3 * y`。`p.backward()` 之后 `q.backward()`，会报错吗？
#
# <details><summary>答案</summary>不会。两个头共用的只有加法，它什么也没存；q 自己的乘法还没有走过。</details><br>
#
# **2.** 在笔记本里把 `loss.backward()` 那一格又运行了一次，报了“a second time”那个错。该加 `retain_graph=True` 吗？
#
# <details><summary>答案</summary>不该。你并不需要第二遍，而且梯度会加倍。重新运行前向那一格，得到一张新图，再反向。</details>

# %% [markdown] tags=["lang-en"]
# ## Test yourself
#
# **1.** `y = x + 1`, `p = y * y`, `q = 3 * y`. After `p.backward()`, does `q.backward()` raise?
#
# <details><summary>Answer</summary>No. The two heads share only the addition, which saved nothing; q's own multiplication has not been walked yet.</details><br>
#
# **2.** In a notebook you ran the cell with `loss.backward()` once more and got the "a second time" error. Should you add `retain_graph=True`?
#
# <details><summary>Answer</summary>No. You do not need the second walk, and the gradients would double. Run the forward cell again to get a new graph, then go backward.</details>

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
# A fellow student's training runs out of memory after a few hundred steps; every step calls `loss.backward(retain_graph=True)` and puts `loss` into a list, to plot a curve. Tell them in three to five sentences: what is using up the memory? If only one thing may be changed, which change is enough? Do they need `retain_graph` at all, and when would they? In Chinese or English. A teacher reads this cell; it is worth 1 point.

# %% [markdown] nbgrader={"grade_id": "reflection", "grade": true, "solution": true, "points": 1}
# **评分标准（1 分）** 下面三点说清两点（其中必须有第 1 点），给 1 分：
# 1. 列表里的 loss 拿着整张图，retain_graph 又不让保存的值释放，两者合在一起，每一步的中间值都留着。
# 2. 改一处就够：收集 loss.item()（或 detach），或者去掉 retain_graph。
# 3. 同一张图要走第二遍时才需要，例如两个损失共用一段、又非要分两次反向；多数时候加起来反向一次更好。
#
# 参考回答：占内存的是每一步保存的中间值：列表里的 loss 抓着图，图抓着保存的值，retain_graph 又不许放。把 append(loss) 改成 append(loss.item())，图就没人抓着了；或者去掉 retain_graph，保存的值边走边放。只有同一张图真要走第二遍时才需要它。
#
# **Rubric (1 point)** Two of these three, the first among them:
# 1. The losses in the list hold their graphs, and retain_graph keeps the saved values from being released; together they keep the intermediate values of every step.
# 2. One change is enough: collect loss.item() (or a detached one), or drop retain_graph.
# 3. It is needed only when one graph is walked a second time, as for two losses that share a trunk and must go backward separately; usually one backward from their sum is better.
#
# Model answer: the memory is taken up by the values saved at every step: the loss in the list holds the graph, the graph holds the saved values, and retain_graph keeps them from being released. Collect loss.item() and nothing holds the graph; or drop retain_graph, and the saved values are released while backward walks. It is needed only if the same graph really has to be walked twice.
