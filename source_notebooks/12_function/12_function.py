# %% [markdown] tags=["lang-zh"]
# # 12 · 自定义 Function 与梯度检验
#
# 预计 55 分钟
#
# torch 没有的运算，或者它算得不够好的运算，可以自己加：前向怎么算，反向怎么求，都由你写。写完还要检验：规则和前向对得上吗？
#
# 这一课写四个部件：`ctx.save_for_backward`，一个不会溢出的 softplus（前向和反向），还有梯度检验的核心，中心差分。

# %% [markdown] tags=["lang-en"]
# # 12 · Custom Function and gradcheck
#
# About 55 minutes
#
# If torch lacks an operation, or does not compute it well enough, you can add your own: how forward computes and how backward differentiates is up to you. Then it has to be checked: does the rule fit the forward pass?
#
# In this lesson you write four parts: `ctx.save_for_backward`, a softplus that does not overflow (forward and backward), and the heart of gradcheck, the central difference.

# %% tags=["setup"]
import minigrad
from autograder import check, hint, implements
from minigrad import Tensor

# %% [markdown] tags=["lang-zh"]
# 前几课里通过检查的部件，这一课可以接着用：`use_parts("mine")` 接上你写的，`use_parts("reference")` 换回引擎自己的。评分不受影响：前几课的部件，评分时用的总是引擎自己的。

# %% [markdown] tags=["lang-en"]
# Parts of yours that passed in earlier lessons can go on working in this one: `use_parts("mine")` plugs in yours, `use_parts("reference")` goes back to the engine's own. Grading is not affected: in place of those parts it always uses the engine's own.

# %%
from autograder import use_parts

use_parts("mine")

# %% [markdown] tags=["lang-zh"]
# ## 1 · 公式没错，会出什么事？
#
# $\text{softplus}(x) = \ln(1 + e^x)$ 是一个没有拐角的 relu：最左边接近 0，最右边接近 $x$，斜率从 0 变到 1。照公式写，一行就够。
#
# 在 -100、0、100 三处算一算，再反向。先猜：哪一处会出事，是值还是斜率？

# %% [markdown] tags=["lang-en"]
# ## 1 · The formula is right; what can go wrong?
#
# $\text{softplus}(x) = \ln(1 + e^x)$ is a relu without the kink: near 0 on the far left, near $x$ on the far right, its slope going from 0 to 1. Written just like the formula, it takes one line.
#
# Compute it at -100, 0 and 100, then go backward. Guess first: where will there be trouble, and in the value or in the slope?

# %% tags=["demo"]
import math

import torch

x = torch.tensor([-100.0, 0.0, 100.0], requires_grad=True)
y = (1 + x.exp()).log()
y.sum().backward()
print("value", y.tolist())
print("slope", x.grad.tolist())

# %% tags=["proof"]
assert y[2].item() == math.inf and math.isnan(x.grad[2].item()) and x.grad[1].item() == 0.5
torch.optim.SGD([x], lr=0.1).step()
assert x.isnan().tolist() == [False, False, True]

# %% [markdown] tags=["lang-zh"]
# 右边的值和斜率都坏了：$e^{100}$ 在 float32 里装不下，成了 `inf`，对数也一样；斜率呢，对数的规则先给出 1 除以 `inf`，也就是 0，指数的规则再把它乘上 `inf`，得 `nan`。哪个权重的梯度里混进一个 `nan`，走一步，那个权重也就成了 `nan`。
#
# 自动求导没有做错，它照你写的每一步求了导。错在这几步本身。要解决，就得换一个算法，再亲手写出规则。这就是自定义 `Function` 的用处。

# %% [markdown] tags=["lang-en"]
# On the right, value and slope are both broken: $e^{100}$ does not fit into float32 and becomes `inf`, and so does its logarithm; as for the slope, the rule of the logarithm gives 1 divided by `inf`, which is 0, and the rule of the exponential multiplies that by `inf`: `nan`. And once there is a `nan` in a weight's gradient, a single step turns the weight itself into `nan`.
#
# Autograd made no mistake; it differentiated every step as written. The steps themselves are at fault. The remedy is to compute it another way and to write the rule by hand. That is what a custom `Function` is for.

# %% [markdown] tags=["lang-zh"]
# ## 2 · Function：前向、反向，中间一个 ctx
#
# 写一个类，继承 `torch.autograd.Function`，里面两个静态方法：`forward(ctx, x)` 算结果，`backward(ctx, grad)` 交回梯度，就像第 03 课的规则。两者之间靠 `ctx` 传递。用的时候调用 `apply`。先猜：`forward` 里的乘法会记录下来吗，`y` 的节点叫什么？

# %% [markdown] tags=["lang-en"]
# ## 2 · Function: forward, backward, and the ctx between them
#
# Write a class that inherits from `torch.autograd.Function`, with two static methods: `forward(ctx, x)` computes the result, `backward(ctx, grad)` returns the gradient, just like the rules of lesson 03. What backward needs from forward goes through `ctx`. To use the class, call `apply`. Guess: are the multiplications inside `forward` recorded, and what is the node of `y` called?


# %% tags=["demo"]
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        y = a * a * a
        print("in forward, recorded:", y.requires_grad)
        return y

    @staticmethod
    def backward(ctx, grad):
        saved = ctx.saved_tensors
        return grad * 3 * saved[0] * saved[0]


x = torch.tensor([2.0], requires_grad=True)
y = Cube.apply(x)
print(y)
y.backward()
print(x.grad)
print(y.grad_fn)
print((x * x * x).grad_fn)

# %% tags=["proof"]
assert y.item() == 8.0 and x.grad.item() == 12.0 and y.grad_fn.name() == "CubeBackward"
assert y.grad_fn.next_functions[0][0].name().endswith("AccumulateGrad")

# %% [markdown] tags=["lang-zh"]
# `forward` 里的两次乘法没有记录，整个 `forward` 在图里只占一个节点，名字是类名加上 `Backward`。所以里面怎么算都行，自动求导不看；它只用你的 `backward`，写错了也照用。
#
# 内置运算的节点也是这样。画出来比一比：同一个函数，一路是照公式写的三步，一路是一个 `Function`。先猜：两路各有几个节点，各存了什么？

# %% [markdown] tags=["lang-en"]
# The two multiplications inside `forward` were not recorded; all of `forward` is a single node of the graph, named after the class plus `Backward`. So compute in there as you like: autograd doesn't look, it uses only your `backward`, even if that is wrong.
#
# The nodes of built-in operations work the same way. Compare them in a drawing: the same function, once as the three steps of the formula, once as a single `Function`. Guess: how many nodes does each have, and what do they save?

# %% tags=["picture"]
from minigrad.viz import draw

x = minigrad.tensor([2.0], requires_grad=True)
steps = (1 + x.exp()).log()
once = minigrad.custom.softplus(x)
draw(steps + once, params={"x": x}, show=["shapes", "saved"])

# %% tags=["proof"]
assert once.grad_fn.name() == "SoftplusBackward" and steps.grad_fn.name() == "LogBackward0"

# %% [markdown] tags=["lang-zh"]
# ## 3 · 为什么不直接写 ctx.a = a？
#
# `ctx` 是个普通的对象，想加什么属性都行。那还要 `save_for_backward` 做什么？两种写法各算一次 $x^2$，在 `backward` 之前把 `x` 放大 10 倍，再反向。3 处的斜率应该是 6。先猜两个答案，再猜第二次 `backward` 会怎样：

# %% [markdown] tags=["lang-en"]
# ## 3 · Why not simply ctx.a = a?
#
# `ctx` is an ordinary object and takes any attribute. So what is `save_for_backward` for? We compute $x^2$ both ways, make `x` 10 times as large before `backward`, then go backward. The slope at 3 ought to be 6. Guess both answers, and what a second `backward` will say:


# %% tags=["demo"]
class SquareByAttribute(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.a = a
        return a * a

    @staticmethod
    def backward(ctx, grad):
        return grad * 2 * ctx.a


class SquareBySaving(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * a

    @staticmethod
    def backward(ctx, grad):
        return grad * 2 * ctx.saved_tensors[0]


def late_backward(function):
    x = torch.tensor([3.0], requires_grad=True)
    y = function.apply(x)
    with torch.no_grad():
        x.mul_(10)
    try:
        y.backward()
    except RuntimeError as error:
        return str(error).split(":")[0]
    return x.grad.item()


def second_backward(function):
    y = function.apply(torch.tensor([3.0], requires_grad=True))
    y.backward()
    try:
        y.backward()
    except RuntimeError as error:
        return str(error).split(" (")[0]
    return "no error"


for function in (SquareByAttribute, SquareBySaving):
    print(function.__name__, late_backward(function), second_backward(function), sep="\n    ")

# %% tags=["proof"]
assert late_backward(SquareByAttribute) == 60.0 and second_backward(SquareByAttribute) == "no error"
assert late_backward(SquareBySaving).endswith("has been modified by an inplace operation")
assert second_backward(SquareBySaving) == "Trying to backward through the graph a second time"

# %% [markdown] tags=["lang-zh"]
# 用属性，得 60，没有任何提示；用 `save_for_backward`，当场报错。两课里学过的，它都有：第 10 课的版本检查，第 08 课的释放。属性则一样也没有：值被改了不知道，反向完了也不释放。
#
# 现在由你来写 `save_for_backward`。它只做两件事：
#
# 1. 看一遍参数：每个都得是张量，或者 `None`（它也占一个位置）。别的一律 `raise TypeError`，报错的话照下面的说明来写，说出位置和类型名。
# 2. 把它们原样记在 `self.to_save` 里，是一个元组。`forward` 结束以后，引擎来取，并记下版本号。
#
# 再调用一次，新的取代旧的。不要 `clone`，不要 `detach`：要的是张量本身，版本和历史都在它身上。
#
# 例子：`save_for_backward(x, None)` 之后，`self.to_save` 是 `(x, None)`；`save_for_backward(x, 2.5)` 报错，位置 1（从 0 数起）上的参数是 `float`。

# %% [markdown] tags=["lang-en"]
# An attribute silently gives 60; `save_for_backward` raises an error at once. It has what you learnt in two lessons: the version check of lesson 10 and the release of lesson 08. An attribute has neither: it does not notice that the value was changed, and it is not released after backward.
#
# Now write `save_for_backward` yourself. It does just two things:
#
# 1. It checks its arguments: each must be a tensor or `None` (which keeps its place, too). For anything else, `raise TypeError` with the message in the docstring below, naming the position and the type.
# 2. It stores them, as they are, in `self.to_save`, a tuple. Once `forward` has ended, the engine takes them from there and records their versions.
#
# A second call replaces what the first one stored. No `clone`, no `detach`: store the tensors themselves, which carry the version and the history.
#
# Example: after `save_for_backward(x, None)`, `self.to_save` is `(x, None)`; `save_for_backward(x, 2.5)` raises, because argument 1 (counted from 0) is a `float`.


# %% nbgrader={"grade_id": "save_for_backward", "solution": true}
@implements("minigrad.autograd.function.FunctionCtx.save_for_backward")
def save_for_backward(self, *tensors):
    """Note in self.to_save, a tuple, what backward will need. torch: ctx.save_for_backward.

    tensors: a tuple of Tensors of any shapes and dtypes, or None in their place.
    Anything else: TypeError("save_for_backward can only save variables, but argument 1 is of type float"), with its
    place, counted from 0, and the name of its type.
    Example: save_for_backward(x, None)  ->  self.to_save == (x, None)
    """
    ### BEGIN SOLUTION
    for index, tensor in enumerate(tensors):
        if tensor is not None and not isinstance(tensor, Tensor):
            kind = type(tensor).__name__
            raise TypeError(f"save_for_backward can only save variables, but argument {index} is of type {kind}")
    self.to_save = tensors
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_function_saves", "grade": true, "points": 2}
check("function_saves")

# %% nbgrader={"grade_id": "check_function_guards", "grade": true, "points": 2}
check("function_guards")

# %% [markdown] tags=["lang-zh"]
# ## 4 · 不会溢出的 softplus
#
# 毛病在 $e^x$：$x$ 一大就溢出。把大的那一份先提出来：
#
# $$\ln(1 + e^x) = \max(x, 0) + \ln(1 + e^{-|x|})$$
#
# 右边的指数不会是正的，所以再也不会溢出。（$x > 0$ 时提出 $e^x$，$x \le 0$ 时什么也不用提，自己验一验。）
#
# 最左边还有一个问题：$e^{-40}$ 很小，`1 + e` 里就看不见它了。`log1p(e)` 算的是同一个 $\ln(1 + e)$，却不真去加那个 1。先猜下面后两行各印出什么：

# %% [markdown] tags=["lang-en"]
# ## 4 · A softplus that does not overflow
#
# The problem is $e^x$, which overflows when $x$ is large. Factor out the large part first:
#
# $$\ln(1 + e^x) = \max(x, 0) + \ln(1 + e^{-|x|})$$
#
# On the right-hand side the exponent is never positive, so nothing overflows any more. (For $x > 0$, $e^x$ was factored out; for $x \le 0$, nothing was: check it yourself.)
#
# There is one more problem, on the far left: $e^{-40}$ is so small that it is lost in `1 + e`. `log1p(e)` computes the same $\ln(1 + e)$ without really adding that 1. Guess what the last two lines below print:

# %% tags=["demo"]
e = torch.tensor(-40.0, dtype=torch.float64).exp()
print("e          ", e.item())
print("log(1 + e) ", (1 + e).log().item())
print("log1p(e)   ", e.log1p().item())

# %% tags=["proof"]
assert (1 + e).log().item() == 0.0 and abs(e.log1p().item() / e.item() - 1) < 1e-12

# %% [markdown] tags=["lang-zh"]
# 写出前向和反向。用得着的张量方法：`clamp(min=0)`（小于 0 的变成 0）、`abs()`、`exp()`、`log1p()`、`sigmoid()`。
#
# - `forward(ctx, x)` 先保存 `x`，再返回 softplus。这里面什么也不会被记录。
# - `backward(ctx, grad)` 从 `ctx.saved_tensors`（一个元组）取出 `x`。softplus 的斜率是 $1 / (1 + e^{-x})$，也就是 sigmoid；很靠左的地方它很小，和前向一样，别让两个几乎相等的数相减。用张量运算来写，二阶导数就有了。
#
# 例子：`x` 为 `[-1000, 0, 1000]`，值是 `[0, 0.6931, 1000]`；`grad` 为 `[1, 10, 1]`，反向得 `[0, 5, 1]`。

# %% [markdown] tags=["lang-en"]
# Write forward and backward. Useful tensor methods: `clamp(min=0)` (what is below 0 becomes 0), `abs()`, `exp()`, `log1p()`, `sigmoid()`.
#
# - `forward(ctx, x)` saves `x`, then returns softplus. Nothing in here is recorded.
# - `backward(ctx, grad)` takes `x` out of `ctx.saved_tensors`, a tuple. The slope of softplus is $1 / (1 + e^{-x})$, which is the sigmoid; far to the left it is tiny, so here as in forward, do not subtract numbers that are nearly equal. Write it with tensor operations, and you get the second derivative as well.
#
# Example: if `x` is `[-1000, 0, 1000]`, the values are `[0, 0.6931, 1000]`; if `grad` is `[1, 10, 1]`, backward gives `[0, 5, 1]`.


# %% nbgrader={"grade_id": "softplus_forward", "solution": true}
@implements("minigrad.custom.Softplus.forward")
def forward(ctx, x):
    """ln(1 + eˣ), element by element, without overflow. Saves x. torch: torch.nn.functional.softplus.

    x: a float tensor, of any shape, which the result shares.
    Example: x = [-1000., 0., 1000.]  ->  [0., 0.6931, 1000.]
    """
    ### BEGIN SOLUTION
    ctx.save_for_backward(x)
    return x.clamp(min=0) + (-x.abs()).exp().log1p()
    ### END SOLUTION


# %% nbgrader={"grade_id": "softplus_backward", "solution": true}
@implements("minigrad.custom.Softplus.backward")
def backward(ctx, grad):
    """The gradient for x, which forward has saved. torch: SoftplusBackward0.

    grad: a float tensor of the shape of x, which the result shares.
    Example: grad = [1., 10., 1.], x = [-1000., 0., 1000.]  ->  [0., 5., 1.]
    """
    ### BEGIN SOLUTION
    (x,) = ctx.saved_tensors
    return grad * x.sigmoid()
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_softplus_forward", "grade": true, "points": 2}
check("softplus_forward")

# %% nbgrader={"grade_id": "check_softplus_backward", "grade": true, "points": 2}
check("softplus_backward")

# %% nbgrader={"grade_id": "check_softplus_higher", "grade": true, "points": 1}
check("softplus_higher")

# %% [markdown] tags=["lang-zh"]
# ## 5 · 规则对不对，怎么检验？
#
# `backward` 返回什么，引擎就用什么；那么怎样检验 `backward`？不用规则也能求斜率：把 `x` 挪动一点点，看结果变了多少，这叫有限差分（finite difference）。往前挪一步 $h$，或者前后各挪一步：
#
# $$\frac{f(x + h) - f(x)}{h} \qquad \frac{f(x + h) - f(x - h)}{2h}$$
#
# $x^3$ 在 2 处的斜率是 12。步长每缩小到十分之一，两种差分的误差各缩小多少？先猜：

# %% [markdown] tags=["lang-en"]
# ## 5 · Is the rule right? How to check
#
# The engine uses whatever `backward` returns; so how do you check `backward`? A slope can be found without any rule: move `x` a little and see how much the result changes. This is called a finite difference (有限差分). Move one step $h$ ahead, or one step to either side:
#
# $$\frac{f(x + h) - f(x)}{h} \qquad \frac{f(x + h) - f(x - h)}{2h}$$
#
# At 2, the slope of $x^3$ is 12. Each time the step shrinks to a tenth, how much does the error of each difference shrink? Guess:


# %% tags=["demo"]
def f(x):
    return x**3


x = torch.tensor(2.0, dtype=torch.float64)
for h in (0.1, 0.01, 0.001):
    one_sided = (f(x + h) - f(x)) / h
    central = (f(x + h) - f(x - h)) / (2 * h)
    print(f"h = {h:<6} one-sided: error {one_sided - 12:.6f}    central: error {central - 12:.6f}")

# %% tags=["proof"]
for h in (0.1, 0.01, 0.001):
    one_sided, central = (f(x + h) - f(x)) / h - 12, (f(x + h) - f(x - h)) / (2 * h) - 12
    assert abs(one_sided - (6 * h + h * h)) < 1e-9 and abs(central - h * h) < 1e-9

# %% [markdown] tags=["lang-zh"]
# 单边的误差跟着 $h$ 缩小，中心差分的误差跟着 $h^2$ 缩小：同样是求两次值，准确得多。梯度检验用的就是中心差分（central difference）。
#
# 写出 `central_difference`。变量不止一个时，挪动要有方向：`direction` 和 `x` 形状相同，`x` 先后挪到 `x + eps * direction` 和 `x - eps * direction`（谁先谁后都行）。结果和 `fn(x)` 形状相同，没有历史。
#
# 为什么不干脆另造一个张量，求 `fn(x + eps * direction)`？`fn` 只看参数的话，那样也对。可有的 `fn` 自己拿着 `x`，不看参数。下面这一个就是，同一个斜率量两回。先猜：哪一回得 0？

# %% [markdown] tags=["lang-en"]
# The one-sided error shrinks with $h$, that of the central difference (中心差分) with $h^2$: both take two evaluations, but the second is far more accurate. Gradcheck uses the central difference.
#
# Write `central_difference`. With more than one variable, a move needs a direction: `direction` has the shape of `x`, and `x` moves first to `x + eps * direction`, then to `x - eps * direction` (or the other way round). The result has the shape of `fn(x)`, and no history.
#
# Why not simply make another tensor and compute `fn(x + eps * direction)`? If `fn` looks at its argument only, that is just as right. But some `fn` use their own reference to `x` and ignore their argument. Below is one of these, and its slope is measured twice. Guess: which time is it 0?

# %%
x = minigrad.tensor([3.0, 5.0], dtype=minigrad.float64)
d = minigrad.tensor([1.0, 0.0], dtype=minigrad.float64)


def stubborn(_):
    return x * x


print("another tensor:", (stubborn(x + 0.1 * d) - stubborn(x - 0.1 * d)) / 0.2)
x.data.copy_(x + 0.1 * d)
ahead = stubborn(x)
x.data.copy_(x - 0.2 * d)
print("x itself:      ", (ahead - stubborn(x)) / 0.2)

# %% tags=["proof"]
import importlib
import inspect

assert ((stubborn(x + 0.1 * d) - stubborn(x - 0.1 * d)) / 0.2).tolist() == [0.0, 0.0]
assert minigrad.allclose((ahead - stubborn(x)) / 0.2, minigrad.tensor([6.0, 0.0], dtype=minigrad.float64))
torchs_own = importlib.import_module("torch.autograd.gradcheck")
assert "entry.copy_(orig + v)" in inspect.getsource(torchs_own._compute_numerical_gradient)

# %% [markdown] tags=["lang-zh"]
# 挪动 `x` 本身，两种 `fn` 都量得准，torch 的 `gradcheck` 就是这样做的。有三点要小心：
#
# 1. `x` 也许是要求梯度的叶子，别处的图也许还存着它，所以挪动不能被发现。第 10 课里有一种自动求导看不见的写法，那里是陷阱，这里正合用：`x.data.copy_(...)`。
# 2. `fn` 交回的也许就是 `x` 自己，或者它的视图，`x` 一挪它也跟着变；所以每量好一个值，就用 `.detach().clone()` 留下来。
# 3. 先记下 `x` 原来的值，用完放回去；`fn` 要是出错也得放回去，所以用 `try … finally`。
#
# 例子：`fn` 是平方，`x` 为 `[3, 5]`，`direction` 为 `[1, 0]`，得 `[6, 0]`。

# %% [markdown] tags=["lang-en"]
# Moving `x` itself measures either kind of `fn`, and that is what torch's `gradcheck` does. Three things to watch:
#
# 1. `x` may be a leaf that requires grad, and graphs elsewhere may have saved it, so the move must go unnoticed. Lesson 10 showed a way that autograd does not see, dangerous there and just right here: `x.data.copy_(...)`.
# 2. What `fn` returns may be `x` itself, or a view of it, and would change as `x` moves; so keep each value you measure with `.detach().clone()`.
# 3. Keep the old values of `x` and restore them when done, even if `fn` fails; so use `try … finally`.
#
# Example: if `fn` squares its argument, `x` is `[3, 5]` and `direction` is `[1, 0]`, the answer is `[6, 0]`.


# %% nbgrader={"grade_id": "central_difference", "solution": true}
@implements("minigrad.autograd.gradcheck.central_difference")
def central_difference(fn, x, direction, eps):
    """How fast fn(x) changes as x moves along direction, from one value of fn ahead and one behind.

    fn: a function of a tensor of x's shape; returns a tensor of any shape, which the result shares.
    x, direction: float tensors of the same shape; both are left as they were.  eps: a float, how far to move.
    torch does this inside torch.autograd.gradcheck.
    Example: fn(x) = x * x, x = [3., 5.], direction = [1., 0.]  ->  [6., 0.]
    """
    ### BEGIN SOLUTION
    here = x.detach().clone()
    try:
        x.data.copy_(here - eps * direction)
        behind = fn(x).detach().clone()
        x.data.copy_(here + eps * direction)
        ahead = fn(x).detach().clone()
    finally:
        x.data.copy_(here)
    return (ahead - behind) / (2 * eps)
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_central_difference_values", "grade": true, "points": 2}
check("central_difference_values")

# %% [markdown] tags=["lang-zh"]
# `gradcheck` 把元素一个一个地挪，拼成雅可比矩阵，再拿自动求导的答案来比。它现在用的就是你的中心差分：对的规则该通过，错的该拒绝。

# %% [markdown] tags=["lang-en"]
# `gradcheck` moves one entry after another, puts the Jacobian together and compares autograd's answer with it. From now on it uses your central difference: right rules should pass, wrong ones should be refused.

# %% nbgrader={"grade_id": "check_central_difference_judges", "grade": true, "points": 2}
check("central_difference_judges")

# %% [markdown] tags=["lang-zh"]
# ## 6 · float32 不够用吗？
#
# “float32 有七位有效数字，检验梯度够用了。”听起来有理。那就在 float32 和 float64 里各量一遍 $e^x$ 在 1 处的斜率，步长从大到小。先画一画你想象中的两条线：步长越小，误差越小吗？

# %% [markdown] tags=["lang-en"]
# ## 6 · Is float32 not enough?
#
# "float32 has seven significant digits, enough to check a gradient." That sounds reasonable. So measure the slope of $e^x$ at 1 in float32 and in float64, with steps from large to small. First sketch the two lines as you imagine them: the smaller the step, the smaller the error?

# %% tags=["demo"]
import numpy as np

steps = 10.0 ** -np.arange(0.5, 12.1, 0.5)


def errors(dtype):
    x = torch.tensor(1.0, dtype=dtype)
    slopes = [((x + h).exp() - (x - h).exp()) / (2 * h) for h in steps.tolist()]
    return [abs(slope.item() - math.e) for slope in slopes]


for dtype in (torch.float32, torch.float64):
    error = errors(dtype)
    best = int(np.argmin(error))
    print(
        f"{dtype}: best step {steps[best]:.0e} with error {error[best]:.0e};",
        f" at 1e-06 {error[11]:.0e}, at 1e-09 {error[17]:.0e}",
    )

# %% tags=["proof"]
single, double = errors(torch.float32), errors(torch.float64)
assert steps[int(np.argmin(single))] > 1e-4 and steps[int(np.argmin(double))] < 1e-4
assert min(single) > 1e-7 and single[11] > 1e-3 and single[17] > 2.7
assert min(double) < 1e-9 and double[11] < 1e-8 and double[-1] > min(double) * 100

# %% tags=["picture"]
from autograder.plots import axes

ax = axes("步长 · step", "斜率的误差 · error of the slope")
ax.plot(steps, errors(torch.float32), "o-", label="float32")
ax.plot(steps, errors(torch.float64), "s--", label="float64")
ax.axvline(1e-6, color="gray", linestyle=":", label="gradcheck")
ax.set_xscale("log")
ax.set_yscale("log")
ax.invert_xaxis()
_ = ax.legend()

# %% [markdown] tags=["lang-zh"]
# 两条线都先降后升。右边升上去，是因为两个几乎相等的数相减：有效数字在减法里抵消掉，剩下的零头再除以很小的步长，舍入误差就放大了。步长太大，公式不准；步长太小，减法不准。
#
# float32 最好的时候也只有五六位，而且要恰好选中那个步长；到了 `gradcheck` 默认的步长（点线），只剩一两位；再小下去，`x + h` 就是 `x`，量出来的斜率是 0。所以“float32 够用”不对：七位有效数字，相减之后就不剩七位了。检验用 float64，训练用什么再说。
#
# torch 自己知不知道这件事？下面在两种类型里各检验一次 `exp`，它的规则肯定没错。先猜：在 float32 里，torch 除了说不通过，还会说什么？

# %% [markdown] tags=["lang-en"]
# Both lines fall, then rise. They rise on the right because two nearly equal numbers are subtracted: their significant digits cancel, what little remains is divided by a tiny step, and the rounding error is blown up. With too large a step, the formula is off; with too small a step, the subtraction is.
#
# At its best, float32 gives five or six digits, and only if you hit just the right step; at the default step of `gradcheck` (the dotted line) a digit or two are left; smaller still, and `x + h` equals `x`, so that the measured slope is 0. So "float32 is enough" is not true: after a subtraction, seven significant digits are no longer seven. Check in float64, whatever you train in.
#
# Does torch itself know? Below, `exp`, whose rule is surely right, is checked in both dtypes. Guess: in float32, what does torch say besides refusing it?

# %% tags=["demo"]
import warnings

for dtype in (torch.float64, torch.float32):
    x = torch.tensor([0.5, 1.0], dtype=dtype, requires_grad=True)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        print(dtype, torch.autograd.gradcheck(torch.exp, x, raise_exception=False))
    for each in seen:
        print("   ", str(each.message).split(". ")[0])

# %% tags=["proof"]
assert len(seen) == 1 and "not a double precision floating point" in str(seen[0].message)
x = torch.tensor([0.5, 1.0], dtype=torch.float64, requires_grad=True)
assert torch.autograd.gradcheck(torch.exp, x)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    assert not torch.autograd.gradcheck(torch.exp, x.detach().float().requires_grad_(), raise_exception=False)

# %% [markdown] tags=["lang-zh"]
# ## 7 · 检验说不行，就一定错了吗？
#
# 让 `gradcheck` 看看 relu，有一个元素恰好在 0。先猜：差分在那里量出几，规则给的是几？

# %% [markdown] tags=["lang-en"]
# ## 7 · If the check fails, is the rule wrong?
#
# Let `gradcheck` look at relu, with one entry exactly at 0. Guess: what does the difference give there, and what does the rule give?

# %% tags=["demo"]
x = torch.tensor([0.0, 1.0], dtype=torch.float64, requires_grad=True)
try:
    torch.autograd.gradcheck(torch.relu, x)
except RuntimeError as error:
    print(error)

# %% tags=["proof"]
try:
    torch.autograd.gradcheck(torch.relu, x)
    raise AssertionError
except RuntimeError as error:
    assert "[0.5000, 0.0000]" in str(error) and "[0., 0.]" in str(error)
assert torch.autograd.gradcheck(torch.relu, torch.tensor([-1.0, 1.0], dtype=torch.float64, requires_grad=True))

# %% [markdown] tags=["lang-zh"]
# 差分在拐角两边各踩一脚，量出 0.5；torch 在那里选了 0，第 03 课说过。谁也没错，是那一点没有斜率。所以检验要挑平滑的地方，避开拐角，也避开并列（比如求最大值时，有两个一样大）。
#
# 反过来也要小心：通过检验，只说明规则配得上前向。前向本身算错了，规则配得再好，检验也看不出来。
#
# 最后一项检查：一个用你的 softplus 的网络，先整个过一遍 `gradcheck`，再训练三步，每个梯度都和 torch 比。

# %% [markdown] tags=["lang-en"]
# The difference steps to either side of the kink and gives 0.5; torch chose 0 there, as you saw in lesson 03. Neither is wrong: at that point there is no slope. So check where things are smooth, away from kinks, and from ties (two equal entries in a maximum, say).
#
# Be careful the other way round, too: passing only means that the rule fits the forward pass. If forward itself computes the wrong thing, a rule that fits it perfectly passes all the same.
#
# The last check is a network with your softplus: first `gradcheck` checks all of it, then it trains for three steps, and every gradient is compared with torch.

# %% nbgrader={"grade_id": "check_custom_network", "grade": true, "points": 3}
check("custom_network")

# %% [markdown] tags=["lang-zh"]
# ## 8 · torch 其实是怎么做的
#
# torch 自己的 softplus 用的是另一个办法：超过某个门槛，就直接返回 `x`。先猜：门槛是多少？再看看门槛两边，和你的版本比一比：

# %% [markdown] tags=["lang-en"]
# ## 8 · What torch really does
#
# torch's own softplus does it another way: beyond a threshold, it simply returns `x`. Guess: what is the threshold? Then look at both sides of it, and at what your version gives there:

# %% tags=["demo"]
x = torch.tensor([19.0, 21.0, 1000.0], dtype=torch.float64, requires_grad=True)
y = torch.nn.functional.softplus(x)
y.sum().backward()
print(torch.nn.functional.softplus.__doc__.split("\n")[1])
print("value", y.tolist())
print("slope", x.grad.tolist())
print("exact", [value + math.log1p(math.exp(-value)) for value in x.tolist()])
print("yours", minigrad.custom.softplus(minigrad.tensor(x.tolist(), dtype=minigrad.float64)).tolist())

# %% tags=["proof"]
assert "threshold=20" in torch.nn.functional.softplus.__doc__
assert 1e-10 < math.log1p(math.exp(-21)) < 1e-9  # its first digit is the tenth decimal
yours = minigrad.custom.softplus(minigrad.tensor(x.tolist(), dtype=minigrad.float64)).tolist()
assert yours == [value + math.log1p(math.exp(-value)) for value in x.tolist()]
beyond = torch.tensor(math.nextafter(20, 21), dtype=torch.float64)
assert torch.nn.functional.softplus(beyond) == beyond and 2e-9 < math.log1p(math.exp(-20)) < 3e-9  # 2 in the ninth
assert torch.tensor(20.0) + 2.1e-9 == 20.0  # out of float32's sight
assert (
    y.tolist()[1:] == [21.0, 1000.0]
    and y[0].item() > 19.0
    and x.grad.tolist()[1:] == [1.0, 1.0]
    and x.grad[0].item() < 1
)

# %% [markdown] tags=["lang-zh"]
# 在 21 处，torch 的误差在小数点后第十位；刚过门槛的地方最大，也不过是第九位上的 2，float32 里根本看不见。你的版本没有门槛，两边都准。
#
# 再看 `gradcheck` 的默认值。想想第 6 节的图，先猜：它的步长 `eps` 是多大，是为哪种类型定的？

# %% [markdown] tags=["lang-en"]
# At 21, torch's error is in the tenth decimal; just beyond the threshold, where it is largest, it is 2 in the ninth. In float32 it cannot even be seen. Your version has no threshold and is accurate on both sides.
#
# Now look at the defaults of `gradcheck`. Think of the plot in section 6 and guess: how large is its step `eps`, and for which dtype was it chosen?

# %% tags=["demo"]
import inspect

for name in ("eps", "atol", "rtol"):
    print(name, inspect.signature(torch.autograd.gradcheck).parameters[name].default)

# %% tags=["proof"]
parameters = inspect.signature(torch.autograd.gradcheck).parameters
assert [parameters[name].default for name in ("eps", "atol", "rtol")] == [1e-6, 1e-5, 1e-3]
assert steps[11] == 1e-6 and double[11] < 1e-8 < 1e-3 < single[11]

# %% [markdown] tags=["lang-zh"]
# 步长是百万分之一，就是图里的点线：float64 在那里还很准，float32 已经不行了。

# %% [markdown] tags=["lang-en"]
# The step is a millionth, the dotted line of the plot: float64 is still accurate there, float32 no longer is.

# %% [markdown] tags=["lang-zh"]
# ## 自测
#
# **1.** 有人把 `backward` 写成 `return grad * 2 * x`，而 `forward` 算的是 `x * x * x`。训练会报错吗？`gradcheck` 呢？
#
# <details><summary>答案</summary>训练不报错，引擎照用这个错的规则；<code>gradcheck</code> 会报出两个不同的雅可比矩阵。</details><br>
#
# **2.** 用中心差分求 `x * x` 的斜率，步长取 0.5，误差有多大？
#
# <details><summary>答案</summary>没有误差（除了舍入）。误差来自三阶导数，平方的三阶导数是 0。</details>

# %% [markdown] tags=["lang-en"]
# ## Test yourself
#
# **1.** Somebody writes `return grad * 2 * x` in `backward`, while `forward` computes `x * x * x`. Does training raise an error? Does `gradcheck`?
#
# <details><summary>Answer</summary>Training does not: the engine simply uses the wrong rule. <code>gradcheck</code> reports two different Jacobians.</details><br>
#
# **2.** You compute the slope of `x * x` by a central difference with step 0.5. How large is the error?
#
# <details><summary>Answer</summary>There is none (apart from rounding). The error comes from the third derivative, and that of the square is 0.</details>


# %% tags=["proof"]
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * a * a

    @staticmethod
    def backward(ctx, grad):
        return grad * 2 * ctx.saved_tensors[0]


x = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
Wrong.apply(x).backward()
assert x.grad.item() == 4.0
try:
    torch.autograd.gradcheck(Wrong.apply, x)
    raise AssertionError
except RuntimeError as error:
    assert "Jacobian mismatch" in str(error)
assert ((2 + 0.5) ** 2 - (2 - 0.5) ** 2) / (2 * 0.5) == 4.0

# %% [markdown] tags=["lang-zh"]
# ## 想一想，写下来
#
# 同学写了一个自定义 `Function`，在 float32 里跑 `gradcheck`，没有通过，就断定规则错了；把步长改到 `1e-9`，错得更厉害。写三到五句话告诉他：差分的误差有哪两个来源，各在什么时候为主？他该怎样检验才算数？就算通过了，还有什么没有得到证明？中文英文都行。这一格由老师评阅，1 分。

# %% [markdown] tags=["lang-en"]
# ## Think, then write
#
# A fellow student has written a custom `Function` and run `gradcheck` in float32; it did not pass, so they conclude that the rule is wrong. With the step set to `1e-9` it gets even worse. Tell them in three to five sentences: which two sources of error does a difference have, and when does each of them dominate? How should they check so that it counts? And even if it passes, what has not been proved? In Chinese or English. A teacher reads this cell; it is worth 1 point.

# %% [markdown] nbgrader={"grade_id": "reflection", "grade": true, "solution": true, "points": 1}
# **评分标准（1 分）** 下面三点说清两点（其中必须有第 1 点），给 1 分：
# 1. 步长大时是公式的误差（与步长的平方成正比），步长小时是相减抵消后的舍入误差（与步长成反比）；1e-9 属于后者。
# 2. 用 float64、默认步长、平滑的点（避开拐角）来检验。
# 3. 通过只说明规则与前向一致，不说明前向算的是想要的东西；没有试到的点也没有证明。
#
# 参考回答：差分的误差有两个来源：步长大，公式本身不准，误差像步长的平方；步长小，两个几乎相等的数相减，只剩舍入误差，还要除以步长。float32 里 1e-9 的步长根本挪不动 x。把输入换成 float64，用默认步长，避开 relu 那样的拐角，再跑一遍。通过了，也只说明 backward 配得上 forward；forward 要是写错了公式，检验看不出来。
#
# **Rubric (1 point)** Two of these three, the first among them:
# 1. With a large step it is the formula's error (in proportion to the step squared), with a small one the rounding left by cancellation (in inverse proportion to the step); 1e-9 is of the latter kind.
# 2. Check in float64, with the default step, at smooth points (away from kinks).
# 3. To pass shows only that the rule agrees with forward, not that forward computes what was meant; nor anything about points not tried.
#
# Model answer: a difference errs in two ways: with a large step the formula is off, as the step squared; with a small one, two nearly equal numbers are subtracted and only rounding remains, which is then divided by the step. In float32 a step of 1e-9 does not even change x. Make the inputs float64, keep the default step, stay away from kinks such as relu's, and run it again. If it passes, backward fits forward; should forward have the wrong formula, the check cannot tell.
