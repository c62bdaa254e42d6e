# %% [markdown] tags=["lang-zh"]
# # 11 · 高阶导数
#
# 预计 50 分钟
#
# 求一次梯度，知道往哪边走；对梯度再求一次，才知道那里弯得多厉害、这一步该迈多大。
#
# 这一课写四个部件：`sin` 和 `cos` 的规则，海森矩阵与向量的积，还有牛顿法的一步。

# %% [markdown] tags=["lang-en"]
# # 11 · Higher-order derivatives
#
# About 50 minutes
#
# A gradient tells you which way to go; the gradient of the gradient tells you how fast the slope changes there, and so how far to step.
#
# In this lesson you write four parts: the rules of `sin` and `cos`, the product of the Hessian with a vector, and one step of Newton's method.

# %% tags=["setup"]
import minigrad
from autograder import check, hint, implements
from minigrad import eye, rules, stack
from minigrad.autograd import grad
from minigrad.curvature import solve

# %% [markdown] tags=["lang-zh"]
# 前几课里通过检查的部件，这一课可以接着用：`use_parts("mine")` 接上你写的，`use_parts("reference")` 换回引擎自己的。评分不受影响：前几课的部件，评分时用的总是引擎自己的。

# %% [markdown] tags=["lang-en"]
# Parts of yours that passed in earlier lessons can go on working in this one: `use_parts("mine")` plugs in yours, `use_parts("reference")` goes back to the engine's own. Grading is not affected: in place of those parts it always uses the engine's own.

# %%
from autograder import use_parts

use_parts("mine")

# %% [markdown] tags=["lang-zh"]
# ## 1 · 斜率的斜率
#
# $y = x^3$ 在 $x = 3$ 处斜率是 27，斜率的斜率是 $6x = 18$。第一个数 `backward()` 就能给。第二个呢？`x.grad` 也是张量，那就对它再 `backward()` 一次。会得到什么？先猜，再运行。

# %% [markdown] tags=["lang-en"]
# ## 1 · The slope of the slope
#
# At $x = 3$ the slope of $y = x^3$ is 27, and the slope of the slope is $6x = 18$. `backward()` gives you the first number. And the second? `x.grad` is a tensor, too, so call `backward()` on that. What happens? Guess, then run.

# %% tags=["demo"]
import torch

x = torch.tensor(3.0, requires_grad=True)
y = x**3
y.backward()
print(x.grad)
try:
    x.grad.backward()
except RuntimeError as error:
    print("RuntimeError:", error)

# %% tags=["proof"]
assert x.grad.item() == 27.0 and not x.grad.requires_grad and x.grad.grad_fn is None
try:
    x.grad.backward()
    raise AssertionError
except RuntimeError as error:
    assert str(error) == "element 0 of tensors does not require grad and does not have a grad_fn"

# %% [markdown] tags=["lang-zh"]
# 27 是从 `x` 算出来的，可它身上什么历史也没有：反向传播时，运算照做，却没有记录。平时这样正好，谁也不会去求梯度的梯度，记下来白占内存。
#
# 真想求，就得事先说一声：求梯度的这些运算也请记下来。这句话写作 `create_graph=True`。从这里起我们用 `torch.autograd.grad`：它把梯度作为结果返回，不去碰 `.grad`。先猜下面三行，各是什么数，有没有 `grad_fn`？

# %% [markdown] tags=["lang-en"]
# The 27 was computed from `x`, and yet it carries no history at all: backward carries out its operations without recording them. Usually that is what you want: nobody is going to differentiate the gradient, and a record would only take up memory.
#
# If you do want to, you have to say so in advance: please record the operations of backward as well. You say it with `create_graph=True`. From here on we use `torch.autograd.grad`, which returns the gradient and doesn't touch `.grad`. Guess the three lines below: which numbers are they, and do they have a `grad_fn`?

# %% tags=["demo"]
x = torch.tensor(3.0, requires_grad=True)
(slope,) = torch.autograd.grad(x**3, x, create_graph=True)
(second,) = torch.autograd.grad(slope, x, create_graph=True)
(third,) = torch.autograd.grad(second, x)
print(slope)
print(second)
print(third)

# %% tags=["proof"]
assert [slope.item(), second.item(), third.item()] == [27.0, 18.0, 6.0]
assert slope.requires_grad and second.requires_grad and not third.requires_grad and x.grad is None

# %% [markdown] tags=["lang-zh"]
# 前两个有 `grad_fn`，可以接着往下求；最后一次没有说要记录，到此为止。高阶导数（higher-order derivative）就是这么来的：反向传播也是运算，记下来，就有图，有图就能再走一遍。`minigrad` 也一样：

# %% [markdown] tags=["lang-en"]
# The first two have a `grad_fn` and can be differentiated further; the last call was not asked to record, so it ends there. That is all there is to a higher-order derivative (高阶导数): backward consists of operations, too; record them and you have a graph, and a graph can be walked again. `minigrad` does the same:

# %%
x = minigrad.tensor(3.0, requires_grad=True)
(slope,) = minigrad.autograd.grad(x**3, x, create_graph=True)
print(slope, *minigrad.autograd.grad(slope, x))

# %% tags=["proof"]
assert slope.item() == 27.0 and minigrad.autograd.grad(x**3, x)[0].item() == 27.0

# %% [markdown] tags=["lang-zh"]
# ## 2 · create_graph 和 retain_graph 差不多吗？
#
# 两个名字长得像，也都和“再走一遍”有关，于是很多人把它们当成一回事。下面三种写法各求一次斜率，然后问三件事：斜率有没有历史？`y` 还能不能再求一次？斜率能不能接着求？先把九个答案猜完。

# %% [markdown] tags=["lang-en"]
# ## 2 · Are create_graph and retain_graph much the same?
#
# The names are similar, and both have to do with walking again, so many people think they are the same thing. Below we compute the slope in three ways, and each time ask three questions: does the slope have a history? Can `y` be differentiated again? Can the slope be differentiated further? Guess all nine answers first.


# %% tags=["demo"]
def attempt(output, x):
    try:
        return torch.autograd.grad(output, x)[0].item()
    except RuntimeError:
        return "error"


def three_questions(**options):
    x = torch.tensor(3.0, requires_grad=True)
    y = x**3
    (slope,) = torch.autograd.grad(y, x, **options)
    return slope.requires_grad, attempt(y, x), attempt(slope, x)


print(f"{'':<20}{'history':<10}{'y again':<10}{'slope further'}")
for options in ({}, {"retain_graph": True}, {"create_graph": True}):
    history, again, further = three_questions(**options)
    print(f"{', '.join(options) or 'neither':<20}{history!s:<10}{again!s:<10}{further}")

# %% tags=["proof"]
assert three_questions() == (False, "error", "error")
assert three_questions(retain_graph=True) == (False, 27.0, "error")
assert three_questions(create_graph=True) == (True, 27.0, 18.0)
assert three_questions(create_graph=True, retain_graph=False) == (True, "error", 18.0)

# %% [markdown] tags=["lang-zh"]
# 中间一行最说明问题：`retain_graph=True` 只是把旧图存着的值留下，再走一遍，得到的还是同一个 27。它从不产生二阶导数。
#
# `create_graph=True` 造一张新图，记的是斜率怎么算出来。旧图也留着，是因为你不另外写 `retain_graph`，它就跟着 `create_graph` 取值：新图里常有旧图的节点（比如 `exp`、`tanh` 的）。一句话：一个是“保留”，一个是“记录”。
#
# 用 `y.backward(create_graph=True)` 行不行？行，但 torch 会警告你。下面接着对 `x.grad` 反向一次，先猜：`x.grad` 最后是几？

# %% [markdown] tags=["lang-en"]
# The middle row is the most telling: `retain_graph=True` merely keeps what the old graph has saved, and walking it again gives the same 27. It never makes a second derivative.
#
# `create_graph=True` builds a new graph, which records how the slope was computed. The old one is kept as well because `retain_graph`, unless you give it, takes the value of `create_graph`: the new graph often contains nodes of the old one (those of `exp` and `tanh`, say). In short: one means "keep", the other means "record".
#
# Does `y.backward(create_graph=True)` work, too? It does, but torch warns you. Below we then go backward from `x.grad`; guess what `x.grad` is in the end:

# %% tags=["demo"]
import warnings

x = torch.tensor(3.0, requires_grad=True)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    (x**3).backward(create_graph=True)
print(x.grad)
print(str(seen[0].message).split(". ")[0])
x.grad.backward()
print(x.grad.item())
x.grad = None

# %% tags=["proof"]
assert "reference cycle between the parameter and its gradient" in str(seen[0].message)
x = torch.tensor(3.0, requires_grad=True)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    (x**3).backward(create_graph=True)
assert x.grad.item() == 27.0 and x.grad.requires_grad
x.grad.backward()
assert x.grad.item() == 45.0
x.grad = None

# %% [markdown] tags=["lang-zh"]
# 警告说的是一个圈：`x` 拿着 `x.grad`，后者的图又拿着 `x`，两个都释放不了；把 `x.grad` 设为 `None`，圈就断了。后果不止这个：第二次 `backward()` 把 18 加在了 27 上，`x.grad` 成了 45，一个没有用的数。所以求高阶导数，用 `autograd.grad`。
#
# 斜率的图长什么样？画 `x.sin()` 的：

# %% [markdown] tags=["lang-en"]
# The warning is about a cycle: `x` holds `x.grad`, whose graph holds `x`, so neither is freed; setting `x.grad` to `None` breaks the cycle. And that is not all: the second `backward()` added its 18 to the 27, and `x.grad` became 45, which is of no use. So for higher-order derivatives, use `autograd.grad`.
#
# What does the graph of a slope look like? Here is the one for `x.sin()`:

# %% tags=["picture"]
from minigrad.viz import draw

x = torch.tensor([0.0, 1.0], requires_grad=True)
(slope,) = torch.autograd.grad(x.sin().sum(), x, create_graph=True)
draw(slope, params={"x": x, "slope": slope}, show=["shapes"])

# %% tags=["proof"]
assert slope.grad_fn.name() == "MulBackward0" and slope.grad_fn.next_functions[1][0].name() == "CosBackward0"

# %% [markdown] tags=["lang-zh"]
# ## 3 · 求梯度的梯度，要写新的规则吗？
#
# 上图里只有一个乘法和一个 `cos`，正是 `sin` 的规则 $\text{grad} \cdot \cos x$ 里做的两件事。那么二阶、三阶、四阶呢？是不是每一阶都得有人另写一套规则？看看各阶导数的图里都有哪些节点：

# %% [markdown] tags=["lang-en"]
# ## 3 · Do gradients of gradients need new rules?
#
# The picture shows one multiplication and one `cos`: the two operations in the rule of `sin`, $\text{grad} \cdot \cos x$. What about the second, third and fourth derivatives? Does somebody have to write another set of rules for each order? See which nodes there are in the graph of each derivative:


# %% tags=["demo"]
def kinds_of_nodes(tensor):
    kinds, todo = set(), [tensor.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None:
            kinds.add(node.name().rpartition("::")[2])
            todo += [after for after, _ in node.next_functions]
    return sorted(kinds)


x = torch.tensor([0.0, 1.0], requires_grad=True)
y = x.sin()
for order in (1, 2, 3, 4):
    (y,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    print(order, [round(value, 4) for value in y.tolist()], *kinds_of_nodes(y))
print("  ", [round(value, 4) for value in x.sin().tolist()], "is sin itself")

# %% tags=["proof"]
assert torch.allclose(y, x.sin())
assert set(kinds_of_nodes(y)) <= {"AccumulateGrad", "MulBackward0", "NegBackward0", "SinBackward0", "CosBackward0"}

# %% [markdown] tags=["lang-zh"]
# 求了四次，又回到 `sin`，用到的全是已有的运算：乘法、取负、`sin`、`cos`。规则自己就是用普通运算写成的，而普通运算都有规则。所以“梯度的梯度要有新规则”不对：一套规则，管所有的阶。
#
# 条件只有一个：规则里的每一步都得是引擎认得的运算。求一阶时，`minigrad` 把数组交给规则，图个快；`create_graph=True` 时交的是张量，同样的几行就都进了图。所以规则里用 `rules.cos` 而不是 `np.cos`：它对两者都管用。

# %% [markdown] tags=["lang-en"]
# After four derivatives we are back at `sin`, and met only known operations: multiplication, negation, `sin`, `cos`. Rules are written in ordinary operations, and ordinary operations have rules. So "gradients of gradients need new rules" is not true: one set of rules serves every order.
#
# There is one condition: each step of a rule has to be an operation that the engine knows. For a first derivative, `minigrad` gives the rule arrays, for speed; with `create_graph=True` it gives it tensors, and the same lines are recorded. That is why a rule says `rules.cos` and not `np.cos`: it takes both.

# %%
import numpy as np

array, tensor = np.array([0.0, 1.0]), minigrad.tensor([0.0, 1.0], requires_grad=True)
print(rules.cos(array))
print(rules.cos(tensor))
print(np.cos(array))
try:
    print(np.cos(tensor))
except RuntimeError as error:
    print("RuntimeError:", error)

# %% [markdown] tags=["lang-zh"]
# 写出 `sin` 和 `cos` 的规则，各一行。它们保存的是输入 `self`；`grad` 和 `self` 形状相同。
#
# 例子：`grad` 为 `[1, 10]`，`self` 为 `[0, π]`，`sin_vjp` 得 `[1, -10]`，`cos_vjp` 得 `[0, 0]`。

# %% [markdown] tags=["lang-en"]
# Write the rules of `sin` and `cos`, one line each. Both save their input, `self`; `grad` and `self` have the same shape.
#
# Example: if `grad` is `[1, 10]` and `self` is `[0, π]`, `sin_vjp` gives `[1, -10]` and `cos_vjp` gives `[0, 0]`.


# %% nbgrader={"grade_id": "sin_cos", "solution": true}
@implements("minigrad.ops.pointwise.sin_vjp")
def sin_vjp(grad, self):
    """z = sin(self): the gradient for self. torch: SinBackward0.

    grad, self: float arrays or Tensors of the same shape, which the result shares.
    Example: grad = [1., 10.], self = [0., π]  ->  [1., -10.]
    """
    ### BEGIN SOLUTION
    return grad * rules.cos(self)
    ### END SOLUTION


@implements("minigrad.ops.pointwise.cos_vjp")
def cos_vjp(grad, self):
    """z = cos(self): the gradient for self. torch: CosBackward0.

    grad, self: float arrays or Tensors of the same shape, which the result shares.
    Example: grad = [1., 10.], self = [0., π / 2]  ->  [0., -10.]
    """
    ### BEGIN SOLUTION
    return grad * -rules.sin(self)
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_sin_cos_slope", "grade": true, "points": 2}
check("sin_cos_slope")

# %% [markdown] tags=["lang-zh"]
# 一阶对了，高阶未必：规则里要是哪一步没有记进图，一阶的数照样对，二阶就错了。

# %% [markdown] tags=["lang-en"]
# A rule that is right at first order may still be wrong at higher orders: if one of its steps is not recorded, the first derivative is right all the same, and the second is wrong.

# %% nbgrader={"grade_id": "check_sin_cos_higher", "grade": true, "points": 3}
check("sin_cos_higher")

# %% [markdown] tags=["lang-zh"]
# ## 4 · 有几个变量时，二阶导数有几个？
#
# $f(x) = x_0^2 x_1$ 有两个变量，斜率是两个数；每个斜率又能对两个变量求导，一共四个数，排成海森矩阵（Hessian）$H$。先在纸上算出 $x = (1, 2)$ 处的四个数；哪两个一定相等？

# %% [markdown] tags=["lang-en"]
# ## 4 · With several variables, how many second derivatives?
#
# $f(x) = x_0^2 x_1$ has two variables, so its slope is two numbers; each of these can be differentiated with respect to both variables, which makes four numbers: the Hessian (海森矩阵) $H$. Work out the four at $x = (1, 2)$ on paper first; which two must be equal?


# %% tags=["demo"]
def f(x):
    return x[0] ** 2 * x[1]


at = torch.tensor([1.0, 2.0])
H = torch.autograd.functional.hessian(f, at)
v = torch.tensor([1.0, 10.0])
print(H)
print(H @ v)
print(torch.autograd.functional.hvp(f, at, v)[1])

# %% tags=["proof"]
assert H.tolist() == [[4.0, 2.0], [2.0, 0.0]] and torch.equal(H, H.T)
assert (H @ v).tolist() == torch.autograd.functional.hvp(f, at, v)[1].tolist() == [24.0, 2.0]

# %% [markdown] tags=["lang-zh"]
# $H$ 是对称的：先对谁求导都一样。它也很大：`n` 个变量就有 `n * n` 个数，一万个权重，就是一亿个。这么大的表，没有人真去算。
#
# 好在多半用不着整张表，只要 $H v$：沿方向 $v$ 走一点，斜率变多少。上面最后一行的 `hvp` 就没有造出 $H$。办法是：对斜率再走一遍反向，把 $v$ 当作传到斜率那里的梯度（`backward` 的 `gradient` 参数，在 `autograd.grad` 里叫 `grad_outputs`）。第 06 课说过，那样得到 $v^\top J$；斜率的 $J$ 就是 $H$，而 $H$ 是对称的，所以正是 $H v$。
#
# 省多少？两种都量一量时间，再用钩子数一数反向走了几遍。先猜：200 个变量，各走几遍？

# %% [markdown] tags=["lang-en"]
# $H$ is symmetric: the order of differentiation does not matter. It is also large: `n` variables make `n * n` numbers, and ten thousand weights make a hundred million. Nobody really computes a table of that size.
#
# Luckily, the whole table is rarely needed, only $H v$: how the slope changes when you move a little along $v$. The `hvp` in the last line above never made $H$. To do without it, walk backward once more, from the slope, with $v$ as the gradient that arrives there (the argument `gradient` of `backward`, called `grad_outputs` in `autograd.grad`). As lesson 06 said, that gives $v^\top J$; the $J$ of the slope is $H$, and $H$ is symmetric, so this is just $H v$.
#
# How much does it save? We time both and count the backward walks with a hook. Guess first: with 200 variables, how many walks does each take?

# %% tags=["demo"]
import time


def wavy(x):
    y = x.sin()
    y.register_hook(lambda grad: walks.append("one more"))
    return (y * x.roll(1).cos()).sum()


def cost(action, repeats=3):
    times = []
    for _ in range(repeats):
        walks.clear()
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times) * 1000, len(walks)


walks, many = [], torch.linspace(0, 3, 200)
product_ms, product_walks = cost(lambda: torch.autograd.functional.hvp(wavy, many, torch.ones(200)))
table_ms, table_walks = cost(lambda: torch.autograd.functional.hessian(wavy, many))
print(f"H v:      {product_ms:6.2f} ms, {product_walks:3} walks")
print(f"all of H: {table_ms:6.2f} ms, {table_walks:3} walks")

# %% tags=["proof"]
assert product_walks == 2 and table_walks == 201
table = torch.autograd.functional.hessian(wavy, many)
assert torch.allclose(table.sum(1), torch.autograd.functional.hvp(wavy, many, torch.ones(200))[1], atol=1e-4)

# %% [markdown] tags=["lang-zh"]
# 整个 $H$ 走了 201 遍，每个变量一遍，再加求斜率的一遍；$H v$ 走 2 遍就够。
#
# 写出 `hessian_product`，不许把 $H$ 造出来：检查会数你走了几遍反向。`f` 收一个和 `x` 同样形状的张量，返回一个数；它不是线性的，斜率随 `x` 而变。`x` 和 `v` 形状相同，不一定是一维的。
#
# 1. 造一个自己的叶子，别动传进来的 `x`：`detach()` 之后再 `requires_grad_()`。
# 2. 求斜率，并且让它有历史。
# 3. 对斜率再求一次导，`v` 作为第三个参数 `grad_outputs`。这一次不必再记录。
#
# `grad` 就是 `minigrad.autograd.grad`，它返回元组，每个输入一个梯度。例子就是上面那个：`[24, 2]`。

# %% [markdown] tags=["lang-en"]
# All of $H$ took 201 walks, one for each variable and one for the slope; for $H v$, 2 were enough.
#
# Write `hessian_product` without building $H$: the check counts your backward walks. `f` takes a tensor of the shape of `x` and returns one number; it is not linear, so its slope depends on `x`. `x` and `v` have the same shape, which need not be one-dimensional.
#
# 1. Make a leaf of your own and leave the `x` you were given alone: `detach()`, then `requires_grad_()`.
# 2. Compute the slope, in such a way that it has a history.
# 3. Differentiate the slope once more, with `v` as the third argument, `grad_outputs`. This time nothing has to be recorded.
#
# `grad` is `minigrad.autograd.grad`, which returns a tuple with one gradient for each input. The example is the one above: `[24, 2]`.


# %% nbgrader={"grade_id": "hessian_product", "solution": true}
@implements("minigrad.curvature.hessian_product")
def hessian_product(f, x, v):
    """H·v, where H is the Hessian of f at x; H is never built. torch.autograd.functional.hvp.

    f: a function of a tensor of x's shape; returns one number (a 0-d tensor). It is not linear: its slope depends on x.
    x, v: float tensors of the same shape and dtype, which the result shares. x is left alone; the result has no history.
    Example: f(x) = x[0]**2 * x[1], x = [1., 2.], v = [1., 10.]  ->  [24., 2.]
    """
    ### BEGIN SOLUTION
    x = x.detach().requires_grad_()
    (slope,) = grad(f(x), x, create_graph=True)
    (product,) = grad(slope, x, v)
    return product
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_hessian_product_values", "grade": true, "points": 3}
check("hessian_product_values")

# %% nbgrader={"grade_id": "check_hessian_product_manners", "grade": true, "points": 2}
check("hessian_product_manners")

# %% nbgrader={"grade_id": "check_hessian_product_network", "grade": true, "points": 2}
check("hessian_product_network")

# %% [markdown] tags=["lang-zh"]
# ## 5 · 牛顿法：曲率告诉你步子多大
#
# 梯度下降只看斜率，步子多大要靠学习率去猜。牛顿法（Newton's method）还看曲率（curvature）：把附近的函数当成一条抛物线，直接跳到它的底。一个变量时，这一步是斜率除以斜率的斜率。下面从三个地方出发，先猜各落到哪里：

# %% [markdown] tags=["lang-en"]
# ## 5 · Newton's method: curvature says how far
#
# Gradient descent looks only at the slope; how far to step is a guess, the learning rate. Newton's method (牛顿法) looks at the curvature (曲率) as well: it treats the function nearby as a parabola and jumps straight to the bottom of that. With one variable, the step is the slope divided by the slope's slope. Below it starts from three places; guess where it lands each time:

# %% tags=["demo"]
for start in (0.0, 4.0, 100.0):
    x = torch.tensor(start, requires_grad=True)
    (slope,) = torch.autograd.grad(3 * (x - 5) ** 2, x, create_graph=True)
    (bend,) = torch.autograd.grad(slope, x)
    print(f"from {start:5}: slope {slope.item():6}, bend {bend.item()}, lands at {(x - slope / bend).item()}")

# %% tags=["proof"]
for start in (0.0, 4.0, 100.0):
    x = torch.tensor(start, requires_grad=True)
    (slope,) = torch.autograd.grad(3 * (x - 5) ** 2, x, create_graph=True)
    (bend,) = torch.autograd.grad(slope, x)
    assert (x - slope / bend).item() == 5.0 and bend.item() == 6.0

# %% [markdown] tags=["lang-zh"]
# 不管从哪里出发，都是一步到底。变量多了，“除以”变成解方程：找到 $s$，使 $H s = \text{slope}$，新的位置是 $x - s$。
#
# 写出 `newton_step`。`x` 是一维的，形状 `(n,)`，`n` 很小，所以这里可以把 $H$ 摆出来：它的第 `i` 行是 $H$ 与第 `i` 个单位向量的积（本来得到的是列，$H$ 对称，行列一样），你的 `hessian_product` 正好能求。`eye(n, dtype=...)` 给出全部单位向量，`for` 一行一行地取；`stack` 把几行叠成矩阵；`solve(matrix, vector)` 解方程。`x` 保持原样，返回一个没有历史的新张量。
#
# 例子：$f(x) = x_0^2 + 5 x_1^2$，`x` 为 `[3, 1]`：斜率是 `[6, 10]`，$H$ 的对角线上是 2 和 10，其余为 0，得 `[0, 0]`。

# %% [markdown] tags=["lang-en"]
# Wherever it starts, one step takes it to the bottom. With more variables, "divided by" turns into an equation: find the $s$ for which $H s = \text{slope}$; the new place is $x - s$.
#
# Write `newton_step`. `x` is one-dimensional, of shape `(n,)`, and `n` is small, so here you may write $H$ out: row `i` is the product of $H$ with unit vector number `i` (strictly a column, but $H$ is symmetric), which your `hessian_product` can compute. `eye(n, dtype=...)` holds all the unit vectors, and a `for` loop takes them row by row; `stack` turns several rows into a matrix; `solve(matrix, vector)` solves the equation. Leave `x` as it is, and return a new tensor without history.
#
# Example: if $f(x) = x_0^2 + 5 x_1^2$ and `x` is `[3, 1]`, the slope is `[6, 10]`, the diagonal of $H$ is 2 and 10 and everything else is 0, and the answer is `[0, 0]`.


# %% nbgrader={"grade_id": "newton_step", "solution": true}
@implements("minigrad.curvature.newton_step")
def newton_step(f, x):
    """Where the slope of f would be 0 if f were a parabola. torch has no such function; torch.linalg.solve is its heart.

    f: a function of a tensor of shape (n,); returns one number (a 0-d tensor).
    x: a float tensor of shape (n,), left alone. Returns shape (n,), without history.
    Example: f(x) = x[0]**2 + 5 * x[1]**2, x = [3., 1.]  ->  [0., 0.]
    """
    ### BEGIN SOLUTION
    x = x.detach().requires_grad_()
    (slope,) = grad(f(x), x)
    rows = [hessian_product(f, x, direction) for direction in eye(len(x), dtype=x.dtype)]
    return x.detach() - solve(stack(rows), slope)
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_newton_step_once", "grade": true, "points": 2}
check("newton_step_once")

# %% nbgrader={"grade_id": "check_newton_step_descent", "grade": true, "points": 2}
check("newton_step_descent")

# %% [markdown] tags=["lang-zh"]
# 来一场比赛：一条弯弯的山谷，最低处在 $(1, 1)$。梯度下降和牛顿法从同一点出发，各走各的，比谁先到底。先猜：差几步，差几十步，还是几百步？

# %% [markdown] tags=["lang-en"]
# Now compare the two in a curved valley with its lowest point at $(1, 1)$. Gradient descent and Newton's method start from the same place; which reaches the bottom first? Guess: are a few steps between them, dozens, or hundreds?

# %% tags=["picture"]
from autograder.plots import axes


def valley(x):
    return (1 - x[0]) ** 2 + 10 * (x[1] - x[0] ** 2) ** 2


def race(step, steps):
    x = minigrad.tensor([-1.2, 1.0], dtype=minigrad.float64)
    heights = [valley(x).item()]
    for _ in range(steps):
        x = step(valley, x)
        heights.append(valley(x).item())
    return heights


def descent_step(f, x):
    x = x.detach().requires_grad_(True)
    return x.detach() - 0.01 * minigrad.autograd.grad(f(x), x)[0]


newton, descent = race(minigrad.curvature.newton_step, 7), race(descent_step, 1000)
print("newton, every step      ", *[f"{height:.0e}" for height in newton])
print("descent, every 200 steps", *[f"{height:.0e}" for height in descent[::200]])
ax = axes("步数 · steps", "离谷底的高度 · height above the bottom")
ax.plot(descent, label="梯度下降 · gradient descent")
ax.plot(newton, "o-", label="牛顿法 · Newton's method")
ax.set_xscale("symlog")
ax.set_yscale("log")
ax.set_ylim(1e-16, 1e4)
_ = ax.legend()

# %% tags=["proof"]
assert newton[-1] < 1e-12 < 1e-5 < descent[-1] and newton[-1] < newton[-2] * 1e-6
assert [n for n in range(7) if newton[n + 1] > newton[n]] == [1, 3]  # upward twice

# %% [markdown] tags=["lang-zh"]
# 牛顿法几步就到了底，越近越快：最后一步，对的位数翻了一倍还多；梯度下降走了一千步还在半路。不过看仔细：牛顿法往上跳过两回，函数不像抛物线的地方，它的“底”就不是底。
#
# 还有一件更要紧的事。牛顿法找的是斜率为 0 的地方，可山顶的斜率也是 0。从 `cos` 的山顶旁边出发，朝下坡走应该去 $\pi$，它会去哪里？

# %% [markdown] tags=["lang-en"]
# Newton's method gets there in a few steps, and the nearer it comes, the faster: the last step more than doubles the number of correct digits. Gradient descent is still on its way after a thousand. But look closely: Newton's method jumps upward, too, twice; where the function is not like a parabola, the "bottom" it jumps to is not a bottom.
#
# There is something more serious. It looks for a place where the slope is 0, and on a hilltop the slope is 0, too. From a start near the top of `cos`, downhill leads to $\pi$; where does Newton's method go?

# %%
x = minigrad.tensor([0.5])
for _ in range(4):
    x = minigrad.curvature.newton_step(lambda x: x.cos().sum(), x)
    print(f"x = {x.item():+.6f}   cos x = {x.cos().item():.6f}")

# %% tags=["proof"]
assert abs(x.item()) < 1e-6 and x.cos().item() == 1.0

# %% [markdown] tags=["lang-zh"]
# 它爬上了山顶。所以用牛顿法之前，要先看曲率是不是正的。
#
# 最后一项检查：从带噪声的观测里找出一个轮子的转速和起始角度，四个部件全都用上。

# %% [markdown] tags=["lang-en"]
# It climbed to the top. So before trusting a Newton step, check that the curvature is positive.
#
# The last check uses all four parts: from noisy observations it works out how fast a wheel turns and at which angle it started.

# %% nbgrader={"grade_id": "check_newton_fits_a_wheel", "grade": true, "points": 3}
check("newton_fits_a_wheel")

# %% [markdown] tags=["lang-zh"]
# ## 6 · torch 其实是怎么做的
#
# `sin` 的斜率在 torch 里由普通运算组成。但有几个函数不是。下面四个里，猜猜是哪几个：

# %% [markdown] tags=["lang-en"]
# ## 6 · What torch really does
#
# In torch, too, the slope of `sin` consists of ordinary operations. For some functions it does not. Guess which of the four below:

# %% tags=["demo"]
x = torch.tensor([0.5], requires_grad=True)
for function in (torch.sin, torch.exp, torch.tanh, torch.sigmoid):
    (slope,) = torch.autograd.grad(function(x), x, create_graph=True)
    print(f"{function.__name__:<8}{slope.grad_fn.name()}")

(slope,) = torch.autograd.grad(x.tanh(), x, create_graph=True)
print("torch's own  ", torch.autograd.grad(slope, x)[0].item())
plain = 1 - x.tanh() * x.tanh()
print("plain rules  ", torch.autograd.grad(plain, x)[0].item())

# %% tags=["proof"]
names = []
for function in (torch.sin, torch.exp, torch.tanh, torch.sigmoid):
    names.append(torch.autograd.grad(function(x), x, create_graph=True)[0].grad_fn.name())
assert names == ["MulBackward0", "MulBackward0", "TanhBackwardBackward0", "SigmoidBackwardBackward0"]
(slope,) = torch.autograd.grad(x.tanh(), x, create_graph=True)
other = torch.autograd.grad(1 - x.tanh() * x.tanh(), x)[0]
assert torch.allclose(torch.autograd.grad(slope, x)[0], other)

# %% [markdown] tags=["lang-zh"]
# `TanhBackwardBackward0` 是 torch 给 `tanh` 的斜率专设的节点，几步并成了一步。它是捷径，不是必需：由普通运算求出来的，是同一个数。`minigrad` 里的这个节点也叫这个名字：

# %% [markdown] tags=["lang-en"]
# `TanhBackwardBackward0` is a node that torch has only for the slope of `tanh`; it does several steps in one. It is a shortcut, not a necessity: ordinary operations give the same number. In `minigrad` this node has the same name:

# %%
x = minigrad.tensor([0.5], requires_grad=True)
(slope,) = minigrad.autograd.grad(x.tanh(), x, create_graph=True)
print(slope.grad_fn.name(), *minigrad.autograd.grad(slope, x))

# %% tags=["proof"]
(slope,) = minigrad.autograd.grad(x.tanh(), x, create_graph=True)
assert slope.grad_fn.name() == "TanhBackwardBackward0"
assert abs(minigrad.autograd.grad(slope, x)[0].item() - other.item()) < 1e-6

# %% [markdown] tags=["lang-zh"]
# ## 自测
#
# **1.** `y = x**3`，`x` 为 3。先 `y.backward(retain_graph=True)`，再 `y.backward()`，`x.grad` 是多少？是二阶导数吗？
#
# <details><summary>答案</summary>54，是 27 加 27，同一个斜率累加了两次。二阶导数是 18，要靠 <code>create_graph=True</code>。</details><br>
#
# **2.** `f = (3 * x).sum()`，用 `create_graph=True` 求斜率，`slope.requires_grad` 是什么？对它再求导呢？
#
# <details><summary>答案</summary><code>False</code>。斜率处处是 3，和 <code>x</code> 无关，没有历史可记；再求导会报错，说它不要求梯度。</details>

# %% [markdown] tags=["lang-en"]
# ## Test yourself
#
# **1.** `y = x**3`, where `x` is 3. First `y.backward(retain_graph=True)`, then `y.backward()`: what is `x.grad`? Is it the second derivative?
#
# <details><summary>Answer</summary>54, which is 27 plus 27, the same slope added twice. The second derivative is 18, and to get it you need <code>create_graph=True</code>.</details><br>
#
# **2.** The slope of `f = (3 * x).sum()` is computed with `create_graph=True`: what is `slope.requires_grad`? And what if it is differentiated again?
#
# <details><summary>Answer</summary><code>False</code>. The slope is 3 everywhere and does not depend on <code>x</code>, so there is no history to record; differentiating it again raises an error, which says that it does not require grad.</details>

# %% tags=["proof"]
x = torch.tensor(3.0, requires_grad=True)
y = x**3
y.backward(retain_graph=True)
y.backward()
assert x.grad.item() == 54.0
x = torch.tensor([1.0, 2.0], requires_grad=True)
(slope,) = torch.autograd.grad((3 * x).sum(), x, create_graph=True)
assert not slope.requires_grad and slope.tolist() == [3.0, 3.0]
try:
    torch.autograd.grad(slope.sum(), x)
    raise AssertionError
except RuntimeError as error:
    assert "does not require grad" in str(error)

# %% [markdown] tags=["lang-zh"]
# ## 想一想，写下来
#
# 同学说：“要二阶导数，加上 `retain_graph=True` 再 `backward()` 一次就行。”写三到五句话回答：他实际得到的是什么（用数举个例子）？两个选项各留下什么？再说一点：有一百万个权重的网络，为什么不用牛顿法的这一步，而 $H v$ 仍然算得起？中文英文都行。这一格由老师评阅，1 分。

# %% [markdown] tags=["lang-en"]
# ## Think, then write
#
# A fellow student says: "For the second derivative, add `retain_graph=True` and call `backward()` again." Answer in three to five sentences: what do they really get (give an example with numbers)? What does each of the two options leave behind? And one more thing: for a network with a million weights, why is this step of Newton's out of the question, while $H v$ is still affordable? In Chinese or English. A teacher reads this cell; it is worth 1 point.

# %% [markdown] nbgrader={"grade_id": "reflection", "grade": true, "solution": true, "points": 1}
# **评分标准（1 分）** 下面三点说清两点（其中必须有第 1 点），给 1 分：
# 1. 得到的是同一个斜率累加两次，例子的数要对，如 x**3 在 3 处得 54，不是 18。
# 2. retain_graph 只是不拆旧图；create_graph 记录求斜率的运算，斜率有 grad_fn，可以再求导。
# 3. 一百万个权重，H 有一万亿个数，求它要走一百万遍反向，还要解方程；H v 只比求梯度多走一遍反向。
#
# 参考回答：y = x**3，x = 3，那样做 x.grad 是 27 + 27 = 54，而二阶导数是 18。retain_graph 只是留下旧图，再走一遍还是同一个斜率；create_graph 把求斜率的运算也记下来，斜率才有历史可以再求导。一百万个权重的 H 有一万亿个数，存都存不下；H v 只要对斜率再走一遍反向。
#
# **Rubric (1 point)** Two of these three, the first among them:
# 1. What comes out is the same slope, added twice; the numbers of the example must be right, such as x**3 at 3, giving 54 and not 18.
# 2. retain_graph merely keeps the old graph; create_graph records the operations that find the slope, so that it has a grad_fn and can be differentiated.
# 3. With a million weights, H has a million million numbers, takes a million backward walks, and an equation must be solved; H v takes just one walk more than the gradient.
#
# Model answer: with y = x**3 at x = 3, x.grad becomes 27 + 27 = 54, while the second derivative is 18. retain_graph only keeps the old graph, and walking it again gives the same slope; create_graph also records the operations that find the slope, which then has a history to differentiate. For a million weights H has a million million numbers, too many even to store; H v takes one more backward walk, from the slope.
