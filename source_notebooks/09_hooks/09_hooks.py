# %% [markdown] tags=["lang-zh"]
# # 09 · 钩子与非叶子梯度
#
# 预计 55 分钟
#
# `backward()` 之后，叶子（leaf）都有了 `.grad`，中间那些张量却没有。想看看它们的梯度，想在半路上改一改，或者只问其中一个，怎么办？
#
# 这一课写五个小函数：运行钩子（hook）、移除钩子、`retain_grad`、累积之后的钩子，还有 `autograd.grad` 里挑选节点的那一段。

# %% [markdown] tags=["lang-en"]
# # 09 · Hooks and non-leaf gradients
#
# About 55 minutes
#
# After `backward()` the leaves (叶子) have their `.grad`, but the tensors in between have none. What if you want to see their gradients, change them on the way, or ask for just one of them?
#
# In this lesson you write five small functions: running hooks (钩子), removing one, `retain_grad`, the hook that runs after accumulation, and the part of `autograd.grad` that chooses which nodes to run.

# %% tags=["setup"]
import minigrad
from autograder import check, hint, implements
from minigrad.autograd.accumulate import gradient_edge
from minigrad.autograd.hooks import check_replacement, extras_of

# %% [markdown] tags=["lang-zh"]
# 前几课里通过检查的部件，这一课可以接着用：`use_parts("mine")` 接上你写的，`use_parts("reference")` 换回引擎自己的。评分不受影响：前几课的部件，评分时用的总是引擎自己的。

# %% [markdown] tags=["lang-en"]
# Parts of yours that passed in earlier lessons can go on working in this one: `use_parts("mine")` plugs in yours, `use_parts("reference")` goes back to the engine's own. Grading is not affected: in place of those parts it always uses the engine's own.

# %%
from autograder import use_parts

use_parts("mine")

# %% [markdown] tags=["lang-zh"]
# ## 1 · 中间的梯度去哪儿了？
#
# `c` 在中间：`x` 算出 `c`，`c` 算出 `d`。`d.backward()` 之后 `c.grad` 是 `None`。很多教程解释说：“反向一结束，中间的梯度就被释放了。”
#
# 要真是这样，在反向的过程中去看，它总该在。`register_hook` 让我们在 `c` 的梯度（gradient）经过时看上一眼。先猜：那一刻 `c.grad` 是什么？加上 `retain_graph=True` 呢？

# %% [markdown] tags=["lang-en"]
# ## 1 · Where did the gradient in the middle go?
#
# `c` is in the middle: `c` is computed from `x`, and `d` from `c`. After `d.backward()`, `c.grad` is `None`. Many tutorials explain: "intermediate gradients are freed once backward is over."
#
# If that were so, the gradient ought to be there while backward is still going on. `register_hook` lets us take a look as the gradient (梯度) of `c` passes. Guess: what is `c.grad` at that moment? And with `retain_graph=True`?

# %% tags=["demo"]
import warnings

import torch

warnings.filterwarnings("ignore", "The .grad attribute")  # torch warns: c is not a leaf

x = torch.tensor([1.0, 2.0], requires_grad=True)
c = x * 2
d = (c * c).sum()
c.register_hook(lambda grad: print("in the hook:", grad, "   c.grad now:", c.grad))
d.backward(retain_graph=True)
print("afterwards, graph retained: c.grad =", c.grad, "   x.grad =", x.grad)

# %% tags=["proof"]
assert c.grad is None and x.grad.tolist() == [8.0, 16.0]
middle = torch.tensor([1.0, 2.0], requires_grad=True) * 2
seen = []
middle.register_hook(lambda grad: seen.append((grad.tolist(), middle.grad)))
(middle * middle).sum().backward(retain_graph=True)
assert seen == [([4.0, 8.0], None)] and middle.grad is None

# %% [markdown] tags=["lang-zh"]
# 梯度 `[4, 8]` 明明到了 `c`，`c.grad` 却在那一刻就是 `None`。它不是写了又被释放，而是从来没有写过：除非你另外要求（第 5 节），会往 `.grad` 里写的就只有 `AccumulateGrad`，而只有叶子才有 `AccumulateGrad`。图里看得清楚：

# %% [markdown] tags=["lang-en"]
# The gradient `[4, 8]` did arrive at `c`, yet `c.grad` was `None` at that very moment. It was not written and then freed; it was never written. Unless you ask for more (section 5), only an `AccumulateGrad` writes to a `.grad`, and only leaves have an `AccumulateGrad`. The picture shows it:

# %% tags=["picture"]
from minigrad.viz import draw

draw(d, params={"x": x, "c": c, "d": d}, show=["shapes", "grads"])

# %% [markdown] tags=["lang-zh"]
# `minigrad` 也一样：

# %% [markdown] tags=["lang-en"]
# `minigrad` does the same:

# %%
x = minigrad.tensor([1.0, 2.0], requires_grad=True)
c = x * 2
c.register_hook(lambda grad: print("in the hook:", grad))
(c * c).sum().backward()
print("c.grad =", c.grad, "   x.grad =", x.grad)

# %% tags=["proof"]
assert c.grad is None and x.grad.tolist() == [8.0, 16.0]

# %% [markdown] tags=["lang-zh"]
# ## 2 · 钩子：看一眼，或者换掉
#
# 钩子是你写的函数：梯度到达一个张量时，引擎（engine）拿着梯度调用它。它返回 `None`，什么也不变；它返回张量，这个张量就替换原来的梯度，继续往下传。
#
# 一个张量上可以登记几个钩子。先猜：下面打印的那两个各看到什么，`x.grad` 又是多少？

# %% [markdown] tags=["lang-en"]
# ## 2 · Hooks: to look, or to replace
#
# A hook is a function of your own: when a gradient arrives at a tensor, the engine (引擎) calls the hook with it. If the hook returns `None`, nothing changes; if it returns a tensor, that tensor replaces the gradient and is passed on.
#
# One tensor can have several hooks. Guess: what do the two that print see, and what is `x.grad`?


# %% tags=["demo"]
def show(name):
    return lambda grad: print(f"{name:<6}", grad)


x = torch.tensor([1.0, 2.0], requires_grad=True)
c = x * 2
c.register_hook(show("first"))
c.register_hook(lambda grad: grad * 10)
c.register_hook(show("third"))
(c * c).sum().backward()
print("x.grad", x.grad)

# %% tags=["proof"]
assert x.grad.tolist() == [80.0, 160.0]

# %% [markdown] tags=["lang-zh"]
# 按登记的顺序，一个接着一个：第三个看到的，是第二个换过的。
#
# 不同张量上的钩子谁先谁后，跟着反向的次序走：最晚记录的节点最先运行。先猜顺序，再运行：

# %% [markdown] tags=["lang-en"]
# They run one after another, in the order of registration: the third sees what the second returned.
#
# Hooks on different tensors follow the order of the walk: the node recorded last runs first. Guess the order, then run:

# %% tags=["demo"]
x = torch.tensor([1.0], requires_grad=True)
a, b = x * 2, x * 3
total = a + b
for name, tensor in {"x": x, "a": a, "b": b, "total": total}.items():
    tensor.register_hook(show(name))
total.backward()

# %% tags=["proof"]
order = []
a, b = x * 2, x * 3
total = a + b
for name, tensor in {"a": a, "b": b, "total": total}.items():
    tensor.register_hook(lambda grad, name=name: order.append(name))
x.register_hook(lambda grad: order.append(("x", grad.item())))
total.backward()
assert order == ["total", "b", "a", ("x", 5.0)]
ran = []
z = torch.ones(1, requires_grad=True)
z.register_hook(lambda grad: (ran.append("first"), second.remove())[1])
second = z.register_hook(lambda grad: ran.append("second"))
for _ in range(2):
    (z * 2).backward()
assert ran == ["first", "second", "first"]

# %% [markdown] tags=["lang-zh"]
# `x` 的钩子只响了一次，看到的是两路加好的 5。
#
# 写 `run_tensor_hooks`。`hooks` 是一个字典，键是编号，值是函数，先登记的在前；`grad` 是到达的梯度，一个张量。返回最后的梯度。有三点要小心：
#
# 1. 换之前先调用 `check_replacement(hook, replacement, grad)`，不像梯度的东西（形状、类型不对，或者不是张量）由它报错。它什么也不返回，单独写一行。
# 2. 问“有没有返回”，用 `is not None`。张量的真假是另一回事。
# 3. 钩子运行时可以移除自己或别的钩子，字典就变小了；所以循环时用一份副本，`list(hooks.values())`。梯度到达时已经登记的钩子，这一趟都会运行。
#
# 例子：两个钩子，先乘 2，再加 1；`grad` 是 `[3.]`，返回 `[7.]`。

# %% [markdown] tags=["lang-en"]
# The hook on `x` fired only once, and saw 5: both paths already added up.
#
# Write `run_tensor_hooks`. `hooks` is a dict that maps numbers to functions, in the order of registration; `grad` is the gradient that arrives, a tensor. Return the gradient as the last hook leaves it. Three things to watch:
#
# 1. Before replacing, call `check_replacement(hook, replacement, grad)`; it raises for anything that cannot be a gradient here (wrong shape, wrong dtype, not a tensor). It returns nothing, so call it on a line of its own.
# 2. To ask whether a hook returned something, use `is not None`. Whether a tensor is true or false is another question.
# 3. A hook may remove itself or another one while it runs, and then the dict shrinks; so loop over a copy, `list(hooks.values())`. Every hook that is registered when the gradient arrives runs this time.
#
# Example: the first of two hooks multiplies by 2, the second adds 1; if `grad` is `[3.]`, return `[7.]`.


# %% nbgrader={"grade_id": "run_tensor_hooks", "solution": true}
@implements("minigrad.autograd.hooks.run_tensor_hooks")
def run_tensor_hooks(hooks, grad):
    """Show `grad` to each hook in turn; what one returns takes its place. In torch: the tensor_pre_hooks of a node.

    hooks: a dict {int: function}, in the order of registration.  grad: a float tensor.
    Each hook returns None, or a tensor of grad's shape and dtype (check_replacement raises for anything else).
    Returns the gradient after the last hook.
    Example: hooks: times 2, then plus 1; grad = [3.]  ->  [7.]
    """
    ### BEGIN SOLUTION
    for hook in list(hooks.values()):
        replacement = hook(grad)
        if replacement is not None:
            check_replacement(hook, replacement, grad)
            grad = replacement
    return grad
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_hook_order", "grade": true, "points": 2}
check("hook_order")

# %% nbgrader={"grade_id": "check_hook_replacement", "grade": true, "points": 2}
check("hook_replacement")

# %% [markdown] tags=["lang-zh"]
# ## 3 · 用钩子裁剪
#
# 换掉梯度有什么用？最有名的用处是梯度裁剪（gradient clipping）。下面有 12 层，每层把向量乘上一个矩阵，反向时梯度每过一层就长一倍。在每一层登记一个钩子，把梯度的每一项限制在 -1 和 1 之间，梯度的长度会变成什么样？先猜：

# %% [markdown] tags=["lang-en"]
# ## 3 · Clipping with a hook
#
# What is replacing good for? Its best-known use is gradient clipping (梯度裁剪). Below are 12 layers, each of which multiplies a vector by a matrix; in backward the gradient gets twice as long with every layer. Now register a hook on each layer that keeps every entry of the gradient between -1 and 1. What happens to its length? Guess:


# %% tags=["demo"]
def norms(T, clip, depth=12):
    weights = [T.full((4, 4), 0.5, requires_grad=True) for _ in range(depth)]
    h, seen = T.ones(4), []
    for W in weights:
        h = h @ W
        h.register_hook(lambda grad: seen.append((grad**2).sum().item() ** 0.5))
        if clip:
            h.register_hook(lambda grad: grad.clamp(-1, 1))
    h.sum().backward()
    return seen


print("plain  ", norms(torch, False))
print("clipped", norms(torch, True))

# %% tags=["proof"]
assert norms(torch, False) == [2.0 ** (n + 1) for n in range(12)]
assert norms(torch, True) == [2.0, *[4.0] * 11]

# %% tags=["picture"]
from autograder.plots import axes

ax = axes("离输出几层 · layers from the output", "梯度的长度 · length of the gradient")
ax.plot(norms(minigrad, False), "o-", label="不裁剪 · plain")
ax.plot(norms(minigrad, True), "s--", label="裁剪 · clipped")
ax.legend()
ax.set_yscale("log", base=2)

# %% [markdown] tags=["lang-zh"]
# 不裁剪，从第一个读数到最后一个，梯度过了 11 层，长度成了原来的 $2^{11}$ 倍，两千多倍。裁剪之后，读数从第二个起停在 4：量长度的钩子登记在前，看到的是裁剪之前的；裁完是 2，过一层变成 4，又裁成 2。画图用的是 `minigrad`，也就是你写的 `run_tensor_hooks`。

# %% [markdown] tags=["lang-en"]
# Without clipping, the gradient passes 11 layers between the first reading and the last, and gets $2^{11}$ times as long, over two thousand times. With clipping, the readings stay at 4 from the second on: the hook that measures was registered first and sees the gradient before it is clipped; clipped it is 2, one layer makes that 4, and it is clipped to 2 again. The plot was computed by `minigrad`, that is, by your `run_tensor_hooks`.

# %% [markdown] tags=["lang-zh"]
# ## 4 · 移除钩子
#
# 在笔记本里，登记钩子的那一格一不小心运行了两遍。先猜：移除一次之前、之后，钩子各打印几行？

# %% [markdown] tags=["lang-en"]
# ## 4 · Removing a hook
#
# In a notebook, the cell that registers a hook was run twice by accident. Guess: how many lines does the hook print below, before it is removed once, and after?

# %% tags=["demo"]
w = torch.tensor([1.0], requires_grad=True)
for _ in range(2):
    handle = w.register_hook(show("hook"))

(w * 3).backward()
handle.remove()
print("one removed")
(w * 3).backward()
handle.remove()
print("removed once more, without complaint")

u = torch.tensor([1.0], requires_grad=True)
with u.register_hook(show("with")):
    (u * 3).backward()
print("after the block")
(u * 3).backward()

# %% tags=["proof"]
counted = []
w = torch.tensor([1.0], requires_grad=True)
for _ in range(2):
    handle = w.register_hook(counted.append)
(w * 3).backward()
handle.remove()
(w * 3).backward()
handle.remove()
assert len(counted) == 3
with u.register_hook(counted.append):
    (u * 3).backward()
(u * 3).backward()
assert len(counted) == 4

# %% [markdown] tags=["lang-zh"]
# 两行，然后一行：同一个函数登记了两次，就有两个钩子，叶子的钩子还会一直跟到下一张图。`register_hook` 返回一个句柄（handle），用它来移除；它只管自己那一个，移除两次也无妨。写成 `with u.register_hook(...):`，出块时就自动移除：最后两次反向，只打印了一行。
#
# 写 `remove`。`self.id` 是句柄的编号；`self._hooks()` 给出登记钩子的字典，键是编号，值是函数。句柄不会让张量因此活着，张量要是已经没了，`self._hooks()` 就给出 `None`，这时什么也不用做。
#
# 例子：字典里有编号 3、4、5，句柄是 4，之后剩下 3 和 5；再 `remove` 一次，还是 3 和 5。

# %% [markdown] tags=["lang-en"]
# Two lines, then one: a function registered twice makes two hooks, and a leaf's hooks stay with it from graph to graph. `register_hook` returns a handle (句柄) with which to remove the hook; a handle removes its own hook only, and using it twice does no harm. With `with u.register_hook(...):` the hook is removed when the block ends: of the last two walks, only one printed a line.
#
# Write `remove`. `self.id` is the handle's number; `self._hooks()` returns the dict that holds the hooks, which maps numbers to functions. A handle does not keep its tensor alive; once the tensor is gone, `self._hooks()` returns `None`, and there is nothing to do.
#
# Example: the dict has the numbers 3, 4 and 5, and the handle is 4: what is left is 3 and 5; and after another `remove`, still 3 and 5.


# %% nbgrader={"grade_id": "remove", "solution": true}
@implements("minigrad.autograd.hooks.RemovableHandle.remove")
def remove(self):
    """Take this handle's own hook out; doing so twice is harmless. torch.utils.hooks.RemovableHandle.remove.

    self.id: an int.  self._hooks(): the dict {int: function} that holds the hook, or None once the tensor is gone.
    Returns None.
    Example: the dict has 3, 4, 5 and self.id is 4  ->  3, 5
    """
    ### BEGIN SOLUTION
    hooks = self._hooks()
    if hooks is not None:
        hooks.pop(self.id, None)
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_hook_removal", "grade": true, "points": 2}
check("hook_removal")

# %% [markdown] tags=["lang-zh"]
# ## 5 · retain_grad：把它留下来
#
# 只想事后看看 `c.grad`，不必自己写钩子：前向之后、反向之前说一声 `c.retain_grad()`。先猜：反向两次之后，`first` 和 `c.grad` 各是多少？与叶子的 `.grad` 有什么不同？

# %% [markdown] tags=["lang-en"]
# ## 5 · retain_grad: keep the gradient
#
# To look at `c.grad` afterwards, you need no hook of your own: call `c.retain_grad()` after forward and before backward. Guess: after two walks, what are `first` and `c.grad`? And how does that differ from a leaf's `.grad`?

# %% tags=["demo"]
x = torch.tensor([1.0, 2.0], requires_grad=True)
c = x * 2
c.retain_grad()
c.register_hook(lambda grad: grad * 100)
d = (c * c).sum()

d.backward(retain_graph=True)
first, leaf_first = c.grad, x.grad
d.backward()
print("c:", first, c.grad, c.grad is first)
print("x:", leaf_first, x.grad, x.grad is leaf_first)

# %% tags=["proof"]
assert first.tolist() == [400.0, 800.0] and c.grad.tolist() == [800.0, 1600.0] and c.grad is not first
assert x.grad is leaf_first and x.grad.tolist() == [1600.0, 3200.0]

# %% [markdown] tags=["lang-zh"]
# 也是累积（accumulation），可是每次都换一个新张量，手里的 `first` 不变；叶子是在原来的张量里加。还有一点：`retain_grad` 登记得比钩子早，留下的却是钩子换过的梯度：它总排在钩子后面。
#
# 写 `keep_grad`，引擎在钩子都运行之后调用它。`tensor` 是说过 `retain_grad()` 的张量，`tensor._grad` 是 `None` 或已有的梯度；`grad` 是钩子换过的梯度，一个张量。它还要继续往下传，所以第一次要留一份副本：`grad.clone()`。
#
# 例子：`tensor._grad` 是 `None`，来了 `[2.]`，之后是 `[2.]`；再来一次，是 `[4.]`，一个新张量。

# %% [markdown] tags=["lang-en"]
# This is accumulation (累积), too, but into a new tensor each time, so the `first` you hold does not change; a leaf adds into the tensor it already has. One more thing: `retain_grad` was called before the hook was registered, and yet it kept what the hook returned. It always runs after the hooks.
#
# Write `keep_grad`, which the engine calls once all hooks have run. `tensor` is the one whose `retain_grad()` was called, `tensor._grad` is `None` or the gradient kept so far; `grad` is what the last hook returned, a tensor. It is passed on, so the first time keep a copy: `grad.clone()`.
#
# Example: `tensor._grad` is `None`, and `[2.]` comes in: it becomes `[2.]`; the same once more, and it is `[4.]`, a new tensor.


# %% nbgrader={"grade_id": "keep_grad", "solution": true}
@implements("minigrad.autograd.hooks.keep_grad")
def keep_grad(tensor, grad):
    """tensor.grad += grad for a tensor that is not a leaf and asked for it. In torch: the retains_grad hook.

    tensor._grad: None or a tensor.  grad: a tensor of the same shape and dtype; it travels on, so it is copied.
    Later gradients are added out of place.  Returns None.
    Example: tensor._grad = None, grad = [2.]  ->  [2.], a copy; once more  ->  [4.], a new tensor
    """
    ### BEGIN SOLUTION
    tensor._grad = grad.clone() if tensor._grad is None else tensor._grad + grad
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_retained_gradients", "grade": true, "points": 2}
check("retained_gradients")

# %% [markdown] tags=["lang-zh"]
# ## 6 · 累积之后
#
# 叶子的钩子运行时，`.grad` 写好了吗？还有一种钩子，用 `register_post_accumulate_grad_hook` 登记，它收到的不是梯度，而是叶子本身。
#
# 下面每个参数都登记一个这样的钩子，用 `.grad` 走一步，再调用 `zero_grad`；第一个参数还有一个普通钩子，好看清先后。先猜：两种钩子看到的 `.grad` 各是什么？`backward()` 之后，`.grad` 还在吗？

# %% [markdown] tags=["lang-en"]
# ## 6 · After accumulation
#
# When a leaf's hook runs, has its `.grad` been written yet? There is another kind of hook, registered with `register_post_accumulate_grad_hook`; it is given the leaf itself, not the gradient.
#
# Below, each parameter has such a hook, which takes a step with `.grad` and then calls `zero_grad`; the first parameter also has an ordinary hook, to show which comes first. Guess: what does each kind see in `.grad`? And after `backward()`, is there still a `.grad`?

# %% tags=["demo"]
params = [torch.tensor([float(n)], requires_grad=True) for n in (1, 2, 3)]
optimizers = {p: torch.optim.SGD([p], lr=0.1) for p in params}


def step_at_once(p):
    print("step with", p.grad)
    optimizers[p].step()
    optimizers[p].zero_grad()


for p in params:
    p.register_post_accumulate_grad_hook(step_at_once)
params[0].register_hook(lambda grad: print("ordinary hook: .grad is", params[0].grad))
(params[0] * params[1] + params[2]).backward()
print([round(p.item(), 2) for p in params], [p.grad for p in params])

# %% tags=["proof"]
assert [round(p.item(), 2) for p in params] == [0.8, 1.9, 2.9] and all(p.grad is None for p in params)
for tensor, words in ((params[0] * 2, "non-leaf"), (torch.ones(1), "doesn't require gradient")):
    try:
        tensor.register_post_accumulate_grad_hook(print)
        raise AssertionError
    except RuntimeError as error:
        assert words in str(error)

# %% [markdown] tags=["lang-zh"]
# 普通钩子看到的还是 `None`：它运行的时候，`.grad` 还没有写；另一种在写好之后才运行。
#
# 反向结束以后，三个 `.grad` 也都是 `None`：梯度到一个，就走一步，马上清掉，不必等所有的都到齐。
#
# 写 `register_post_accumulate_hook`，用它登记这种钩子。它只对叶子有意义，所以有两种张量要当场拒绝，各报一个 `RuntimeError`：
#
# - 不要梯度的：`cannot register a hook on a tensor that doesn't require gradient`。
# - 有 `grad_fn` 的：`post accumulate grad hooks cannot be registered on non-leaf tensors`。
#
# 剩下的是叶子。`gradient_edge(tensor)`（你在第 02 课写过）返回节点和编号两样，叶子的节点就是它的 `AccumulateGrad`；`extras_of(node).accumulated.add(hook)` 登记钩子，并返回句柄，你要返回这个句柄。

# %% [markdown] tags=["lang-en"]
# The ordinary hook still sees `None`: it runs before `.grad` is written; the other kind runs once it is.
#
# After backward all three `.grad` are `None` as well: each was used for its step and cleared at once, without waiting for the others.
#
# Write `register_post_accumulate_hook`, which registers such a hook. It makes sense for leaves only, so refuse two kinds of tensors on the spot, each with a `RuntimeError`:
#
# - Those that require no gradient: `cannot register a hook on a tensor that doesn't require gradient`.
# - Those with a `grad_fn`: `post accumulate grad hooks cannot be registered on non-leaf tensors`.
#
# What remains are leaves. `gradient_edge(tensor)` (you wrote it in lesson 02) returns a node and a number; a leaf's node is its `AccumulateGrad`. `extras_of(node).accumulated.add(hook)` registers the hook and returns the handle; return that.


# %% nbgrader={"grade_id": "register_post_accumulate_hook", "solution": true}
@implements("minigrad.autograd.hooks.register_post_accumulate_hook")
def register_post_accumulate_hook(tensor, hook):
    """Let hook(leaf) be called once the leaf's .grad holds the new sum. Tensor.register_post_accumulate_grad_hook.

    tensor: a leaf that requires grad; RuntimeError for any other, in the words
        "cannot register a hook on a tensor that doesn't require gradient"
        "post accumulate grad hooks cannot be registered on non-leaf tensors"
    hook: a function of one tensor.  Returns the handle that add(hook) gives.
    Example: w = [1.], hook prints w.grad; (2 * w).backward()  ->  prints [2.]
    """
    ### BEGIN SOLUTION
    if not tensor.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if tensor.grad_fn is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    node, _ = gradient_edge(tensor)
    return extras_of(node).accumulated.add(hook)
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_post_accumulate", "grade": true, "points": 2}
check("post_accumulate")

# %% [markdown] tags=["lang-zh"]
# ## 7 · autograd.grad：只问一个
#
# 不想动任何 `.grad`，只想要某一个梯度，就用 `torch.autograd.grad(w, u)`，结果直接返回。下面 `w` 由两个分支相乘得到，我们先只问 `u`，再只问 `a`。先猜：另一个分支上的钩子响不响？

# %% [markdown] tags=["lang-en"]
# ## 7 · autograd.grad: ask for just one
#
# To get just one gradient without touching any `.grad`, use `torch.autograd.grad(w, u)`, which returns the result. Below, `w` is the product of two branches; we ask for `u` only, then for `a` only. Guess: does the hook on the other branch fire?


# %% tags=["demo"]
def branches(T):
    a, b = T.tensor([2.0], requires_grad=True), T.tensor([5.0], requires_grad=True)
    u, v = a * a, b * b
    u.register_hook(show("u"))
    v.register_hook(show("v"))
    return a, b, u, v, u * v


a, b, u, v, w = branches(torch)
print("asked for u:")
print(torch.autograd.grad(w, u, retain_graph=True), a.grad, b.grad)
print("asked for a:")
print(torch.autograd.grad(w, a, retain_graph=True), a.grad, b.grad)
print("backward():")
w.backward()
print(a.grad, b.grad)

# %% tags=["proof"]
a, b, u, v, w = branches(torch)
fired = []
u.register_hook(lambda grad: fired.append("u"))
v.register_hook(lambda grad: fired.append("v"))
assert torch.autograd.grad(w, u, retain_graph=True)[0].item() == 25.0
assert torch.autograd.grad(w, a, retain_graph=True)[0].item() == 100.0
assert a.grad is None and b.grad is None and fired == ["u", "u"]
w.backward()
assert (a.grad.item(), b.grad.item()) == (100.0, 40.0)
a, b, u, v, w = branches(torch)
torch.autograd.grad(w, u)
assert v.grad_fn._saved_self is b and u.grad_fn._saved_self is a

# %% [markdown] tags=["lang-zh"]
# 不响：通不到目标的节点，根本没有运行。省了计算，也没有副作用：不写任何 `.grad`，那边保存的张量也不释放。
#
# 那么该运行哪些？一个节点，只要它的某条边直接通向目标，或者通向另一个该运行的节点，就该运行。目标自己不必：梯度到了它那里，就已经是答案了；除非它下面还有别的目标，梯度要经过它才到得了。
#
# 写 `nodes_to_run`。`reachable` 是从输出能走到的所有节点（node），`targets` 是目标节点的集合；返回该运行的节点的集合。`node.next_functions` 是一个元组，里面是一对一对的 `(parent, number)`，`parent` 可能是 `None`；`node.parents` 里是同样的节点，只是没有编号。
#
# 要判断一个节点，先得判断完它通向的那些；那些总是更早记录的。所以按记录的先后来看，最早的在前：`sorted(reachable, key=lambda node: node.order, reverse=True)`（记录得越早，`order` 越大）。图可能有几千层深，不要用递归（recursion）；照这个次序，一遍就够。
#
# 例子就是上面那段程序：目标是 `u` 的节点，只有 `w` 的节点要运行；目标是 `a` 的 `AccumulateGrad`，要运行的是 `w` 和 `u` 的节点。

# %% [markdown] tags=["lang-en"]
# It does not: nodes that do not lead to a target never run. That saves work, and there are no side effects: no `.grad` is written, and what the other branch has saved is not released.
#
# So which nodes should run? A node should, if one of its edges leads straight to a target, or to another node that should run. The target itself need not: once the gradient has arrived there, it is the answer; unless another target lies below it, whose gradient has to pass through it.
#
# Write `nodes_to_run`. `reachable` holds all nodes (节点) that can be reached from the output, `targets` is the set of target nodes; return the set of nodes to run. `node.next_functions` is a tuple of pairs `(parent, number)`, where `parent` may be `None`; `node.parents` holds the same nodes without the numbers.
#
# Before you can judge a node, you have to have judged those it leads to, and those were always recorded earlier. So go through the nodes as they were recorded, from the earliest on: `sorted(reachable, key=lambda node: node.order, reverse=True)` (the earlier a node was recorded, the larger its `order`). A graph may be thousands of nodes deep, so don't use recursion (递归); in this order one pass is enough.
#
# The example is the program above: if the target is the node of `u`, only the node of `w` has to run; if it is the `AccumulateGrad` of `a`, the nodes of `w` and `u` have to.


# %% nbgrader={"grade_id": "nodes_to_run", "solution": true}
@implements("minigrad.autograd.engine.nodes_to_run")
def nodes_to_run(reachable, targets):
    """The nodes that lead to a target, straight or through others. In torch: GraphTask's exec_info.

    reachable: an iterable of nodes; node.next_functions is a tuple of (parent node or None, int).
    targets: a set of nodes.  Returns a set of nodes; a target is in it only if another target lies below.
    Example: u = a * a; w = u * v; targets {u's node}  ->  {w's node}
             targets {a's AccumulateGrad}              ->  {w's node, u's node}
    """
    ### BEGIN SOLUTION
    needed: set[Node] = set()
    for node in sorted(reachable, key=lambda node: node.order, reverse=True):  # the first recorded first
        for parent in node.parents:
            if parent in targets or parent in needed:
                needed.add(node)
                break
    return needed
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_gradients_of_some", "grade": true, "points": 2}
check("gradients_of_some")

# %% [markdown] tags=["lang-zh"]
# 最后一项检查：一个小网络训练五步，第一层的梯度用钩子裁剪，中间一层的用 `retain_grad` 留着，每隔一步还用 `autograd.grad` 问一次，半路上再移除两个钩子。五个部件都是你的。

# %% [markdown] tags=["lang-en"]
# The last check trains a small network for five steps: a hook clips the first layer's gradient, `retain_grad` keeps the middle layer's, every other step also asks for it with `autograd.grad`, and two hooks are removed halfway. All five parts are yours.

# %% nbgrader={"grade_id": "check_hooks_in_training", "grade": true, "points": 3}
check("hooks_in_training")

# %% [markdown] tags=["lang-zh"]
# ## 8 · torch 其实是怎么做的
#
# 钩子登记在哪里？看上去在张量上。下面给同一个 `y` 登记两个钩子，中间原地（in-place）改它一次。先猜：两个钩子看到的梯度一样吗？

# %% [markdown] tags=["lang-en"]
# ## 8 · What torch really does
#
# Where is a hook registered? On the tensor, it seems. Below, two hooks are registered on the same `y`, which is changed in place (原地) between the two. Guess: do they see the same gradient?

# %% tags=["demo"]
x = torch.tensor([1.0], requires_grad=True)
y = x * 1
y.register_hook(show("early"))
y.mul_(3)
y.register_hook(show("late"))
y.backward()

# %% tags=["proof"]
seen = []
x = torch.tensor([1.0], requires_grad=True)
y = x * 1
y.register_hook(lambda grad: seen.append(("early", grad.item())))
y.mul_(3)
y.register_hook(lambda grad: seen.append(("late", grad.item())))
y.backward()
assert seen == [("late", 1.0), ("early", 3.0)]

# %% [markdown] tags=["lang-zh"]
# 不一样。晚登记的看到 1，是改过之后的 `y` 的梯度；早登记的看到 3，是没改之前的 `y` 的梯度。
#
# 原来，钩子登记在张量当时的节点上：原地改一次，`y` 就换了节点，早登记的那个却留在旧节点那里。

# %% [markdown] tags=["lang-en"]
# No. The late one sees 1, the gradient for `y` after the change; the early one sees 3, the gradient for `y` before the change.
#
# For a hook is registered on the node that the tensor has at the time: the change gave `y` another node, and the early hook stayed with the old one.

# %% [markdown] tags=["lang-zh"]
# ## 自测
#
# **1.** `c` 上的钩子返回 `grad * 0`，还调用过 `c.retain_grad()`。反向之后 `c.grad` 和 `x.grad` 各是什么？
#
# <details><summary>答案</summary>都是 0。retain_grad 排在钩子后面，留下的是换过的梯度；接着往 x 传的也是它。</details><br>
#
# **2.** 先 `d.backward()`，再 `c.retain_grad()`，然后看 `c.grad`。有吗？
#
# <details><summary>答案</summary>没有，还是 None。那一次的梯度已经走过去了，谁也没有留；retain_grad 只管以后的反向。</details>

# %% [markdown] tags=["lang-en"]
# ## Test yourself
#
# **1.** A hook on `c` returns `grad * 0`, and `c.retain_grad()` was called. After backward, what are `c.grad` and `x.grad`?
#
# <details><summary>Answer</summary>Both are 0. retain_grad runs after the hooks and keeps what they returned; that is also what is passed on to x.</details><br>
#
# **2.** First `d.backward()`, then `c.retain_grad()`, then look at `c.grad`. Is it there?
#
# <details><summary>Answer</summary>No, it is None. That gradient has passed, and nobody kept it; retain_grad only affects later walks.</details>

# %% tags=["proof"]
x = torch.tensor([1.0, 2.0], requires_grad=True)
c = x * 2
c.retain_grad()
c.register_hook(lambda grad: grad * 0)
(c * c).sum().backward()
assert c.grad.tolist() == x.grad.tolist() == [0.0, 0.0]
c = x * 2
d = (c * c).sum()
d.backward()
c.retain_grad()
assert c.grad is None

# %% [markdown] tags=["lang-zh"]
# ## 想一想，写下来
#
# 你的网络训练到一半损失变成了 `nan`，你想知道是哪一层的梯度先出的问题。钩子、`retain_grad`、`autograd.grad`，你会选哪一个，为什么？另外两个在什么时候更合适？用三到五句话回答，并说出用完之后要做什么。中文英文都行。这一格由老师评阅，1 分。

# %% [markdown] tags=["lang-en"]
# ## Think, then write
#
# Halfway through training, your network's loss becomes `nan`, and you want to know in which layer the gradients first went wrong. A hook, `retain_grad`, or `autograd.grad`: which do you choose, and why? When would each of the others be the better choice? Answer in three to five sentences, and say what has to be done once you are finished. In Chinese or English. A teacher reads this cell; it is worth 1 point.

# %% [markdown] nbgrader={"grade_id": "reflection", "grade": true, "solution": true, "points": 1}
# **评分标准（1 分）** 下面三点说清两点（其中必须有第 1 点），给 1 分；认为 c.grad 是“反向后被释放”的，给 0 分：
# 1. 选择有理由：钩子在梯度经过时运行，按反向的次序，可以在第一个 nan 处报出层的名字；选 retain_grad 逐层事后查看也行，只要说明要多占内存、要在反向之前调用。
# 2. 另外两个的用处：retain_grad 适合事后看一两个中间张量；autograd.grad 适合只要某个梯度、不动任何 .grad。
# 3. 用完之后：handle.remove()（或 with），不然钩子一直在，重复运行还会越来越多。
#
# 参考回答：给每层的输出登记一个钩子，发现 nan 就打印层的名字：梯度从输出往回走，第一个报名的就是出问题的地方。如果只想事后看一层，retain_grad 更省事，但要在反向之前说，还多占一份内存；如果只要损失对某个张量的梯度，又不想动 .grad，就用 autograd.grad。查完用 handle.remove() 移除钩子。
#
# **Rubric (1 point)** Two of these three, the first among them; 0 for saying that c.grad "is freed after backward":
# 1. A choice with its reason: hooks run while the gradient passes, in the order of the walk, and can name the layer at the first nan; retain_grad on every layer is fine too, provided the answer says that it takes memory and has to be called before backward.
# 2. The others' use: retain_grad to look at one or two tensors afterwards; autograd.grad to get one gradient without touching any .grad.
# 3. Afterwards: handle.remove() (or a with block), or the hooks stay, and more pile up with each run.
#
# Model answer: a hook on each layer's output that prints the layer's name when it sees nan: gradients come back from the output, and the first name printed is where it went wrong. To look at one layer afterwards retain_grad is less work, but has to be called before backward and takes memory; and for the gradient of one tensor, without touching any .grad, there is autograd.grad. When done, remove the hooks with handle.remove().
