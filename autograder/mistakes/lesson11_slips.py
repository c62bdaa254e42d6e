"""More mistakes of lesson 11: methods that arrays lack, arrays written in place, arguments in the wrong place."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson11 import COS, NEWTON, PRODUCT, SIN, slope_and_hessian, slopes
from minigrad import cos, eye, rules, stack
from minigrad.autograd import grad
from minigrad.curvature import hessian_product, solve


@mistake(
    SIN,
    zh="self.cos() 只有张量才有；求一阶时 self 是数组。用 rules.cos(self)，两者都行。",
    en="Only a tensor has self.cos(); at first order self is an array. rules.cos(self) takes both.",
)
def sin_by_method(grad: Any, self: Any) -> Any:
    return grad * self.cos()


@mistake(
    SIN,
    zh="你原地改写了 grad。它是别人传来的，别处还要用；create_graph 时还会被引擎拒绝。返回一个新的：grad * …。",
    en="You wrote into grad. It belongs to whoever passed it on, and under create_graph the engine refuses such a write. Return a new one, grad * (…).",
)
def sin_in_place(grad: Any, self: Any) -> Any:
    grad *= rules.cos(self)
    return grad


@mistake(
    SIN,
    zh="minigrad.cos 只认张量；求一阶时 self 是数组。用 rules.cos，两者都行。",
    en="minigrad.cos takes tensors only, and at first order self is an array. rules.cos takes both.",
)
def sin_by_the_tensors_function(grad: Any, self: Any) -> Any:
    return grad * cos(self)


@mistake(
    COS,
    zh="cos 的规则里写了 self.sin()，那是张量的方法；求一阶时 self 是数组。用 rules.sin(self)，两者都行。",
    en="The rule of cos says self.sin(), which is a tensor's method; at first order self is an array. rules.sin(self) takes both.",
)
def cos_by_method(grad: Any, self: Any) -> Any:
    return grad * -self.sin()


@mistake(
    COS,
    zh="cos 的规则原地改写了 grad。它是别人传来的，别处还要用。返回一个新的：grad * …。",
    en="The rule of cos wrote into grad, which belongs to whoever passed it on and is needed elsewhere. Return a new one, grad * (…).",
)
def cos_in_place(grad: Any, self: Any) -> Any:
    grad *= -rules.sin(self)
    return grad


@mistake(
    COS,
    zh="你减去了 sin(self)，应该乘上它的相反数：grad * -rules.sin(self)，乘号不能省。",
    en="You subtract sin(self) where you should multiply by minus it: grad * -rules.sin(self), with the multiplication sign.",
)
def cos_subtracts(grad: Any, self: Any) -> Any:
    return grad - rules.sin(self)


@mistake(
    PRODUCT,
    zh="v 用早了：f(x) 是一个数，不能拿 v 作它的 grad_outputs。v 属于第二次求导，对斜率的那一次。",
    en="v comes too early: f(x) is one number, and v cannot be its grad_outputs. v belongs to the second derivative, that of the slope.",
)
def v_at_the_first(f: Any, x: Any, v: Any) -> Any:
    x = x.detach().requires_grad_()
    (slope,) = slopes(f(x), x, v, create_graph=True)
    return slopes(slope, x)[0]


@mistake(
    PRODUCT,
    zh="传进来的 x 被改成了要求梯度的：requires_grad_() 直接写在了它身上。先 detach()，再 requires_grad_()。",
    en="The x that was passed in now requires grad: requires_grad_() was called on it. Call detach() first, then requires_grad_().",
)
def marks_the_given_x(f: Any, x: Any, v: Any) -> Any:
    x.requires_grad_()
    (slope,) = slopes(f(x), x, create_graph=True)
    return slopes(slope, x, v)[0]


@mistake(
    PRODUCT,
    zh="数值对了，可是你把整个 H 都造了出来：每个变量走一遍反向，一万个变量就是一万遍。只要 H·v，把 v 作为 grad_outputs，一遍就够。",
    en="The numbers are right, but you built all of H, with a backward walk for each variable: ten thousand walks for ten thousand of them. For H·v, hand v as grad_outputs, and one walk will do.",
)
def builds_the_hessian(f: Any, x: Any, v: Any) -> Any:
    x = x.detach().requires_grad_()
    (slope,) = slopes(f(x), x, create_graph=True)
    rows = [slopes(each, x, retain_graph=True)[0].reshape(-1) for each in slope.reshape(-1)]
    return (stack(rows) @ v.reshape(-1)).reshape(x.shape)


@mistake(
    PRODUCT,
    zh="你给 f 的是传进来的 x，求导却对着自己的叶子：两者没有连上。要用叶子去算 f。",
    en="You gave f the x that was passed in, but differentiate with respect to your leaf: the two are not connected. Compute f from the leaf.",
)
def f_of_the_given_x(f: Any, x: Any, v: Any) -> Any:
    at = x.detach().requires_grad_()
    (slope,) = slopes(f(x), at, create_graph=True)
    return slopes(slope, at, v)[0]


@mistake(
    PRODUCT,
    zh="slope @ v 只有一维时才是点积。x 可以是一个数，也可以是矩阵：把 v 作为 grad_outputs，或者用 (slope * v).sum()。",
    en="slope @ v is a dot product in one dimension only, and x may be a single number or a matrix: hand v as grad_outputs, or take (slope * v).sum().",
)
def dot_by_matmul(f: Any, x: Any, v: Any) -> Any:
    x = x.detach().requires_grad_()
    (slope,) = slopes(f(x), x, create_graph=True)
    return slopes(slope @ v, x)[0]


@mistake(
    NEWTON,
    zh="传给 newton_step 的 x 被改成了要求梯度的：它是别人的。先 detach()，再 requires_grad_()。",
    en="The x that was passed to newton_step now requires grad, and it is not yours: call detach() first, then requires_grad_().",
)
def newton_marks_the_given_x(f: Any, x: Any) -> Any:
    (slope,) = slopes(f(x.requires_grad_()), x)
    rows = [hessian_product(f, x, direction) for direction in eye(len(x), dtype=x.dtype)]
    return x.detach() - solve(stack(rows), slope)


@mistake(
    NEWTON,
    zh="f 用的是传进来的 x，斜率却对着 detach() 出来的叶子求：两者没有连上。写成 grad(f(叶子), 叶子)。",
    en="f is computed from the x that was passed in, but the slope is taken with respect to the leaf that detach() made: the two are not connected. Write grad(f(leaf), leaf).",
)
def newton_of_the_given_x(f: Any, x: Any) -> Any:
    at = x.detach().requires_grad_()
    (slope,) = slopes(f(x), at)
    return at.detach() - solve(slope_and_hessian(f, x)[1], slope)


@mistake(
    NEWTON,
    zh="只剩下一行了：列表要在循环外面建好，循环里 append；return 要等循环结束，不能缩进在循环里。",
    en="Only one row is left: make the list before the loop and append inside it; and return after the loop, not indented into it.",
)
def keeps_the_last_row(f: Any, x: Any) -> Any:
    slope, hessian = slope_and_hessian(f, x)
    return x.detach() - solve(hessian[-1:], slope)


@mistake(
    NEWTON,
    zh="hessian_product 一次只收一个方向，你把所有单位向量一起给了它。for 一行一行地取，每个方向得 H 的一行。",
    en="hessian_product takes one direction at a time, and was given all unit vectors at once. Take them row by row with for; each direction gives one row of H.",
)
def all_directions_at_once(f: Any, x: Any) -> Any:
    slope, _ = slope_and_hessian(f, x)
    return x.detach() - solve(hessian_product(f, x, eye(len(x), dtype=x.dtype)), slope)


@mistake(
    NEWTON,
    zh="grad 返回的是元组，每个输入一个梯度。把斜率取出来：(slope,) = grad(…)。",
    en="grad returns a tuple with one gradient for each input. Take the slope out of it: (slope,) = grad(…).",
)
def keeps_the_tuple(f: Any, x: Any) -> Any:
    _, hessian = slope_and_hessian(f, x)
    at = x.detach().requires_grad_()
    slope: Any = slopes(f(at), at)
    return x.detach() - solve(hessian, slope)


@mistake(
    NEWTON,
    zh="solve 的第一个参数要一个矩阵，你给的是一个列表。先用 stack 把各行叠起来。",
    en="solve needs a matrix as its first argument and got a list. Make a matrix of the rows with stack.",
)
def does_not_stack(f: Any, x: Any) -> Any:
    slope, hessian = slope_and_hessian(f, x)
    rows: Any = list(hessian)
    return x.detach() - solve(rows, slope)


@mistake(
    NEWTON,
    zh="solve 的第一个参数是一个向量，这里要的是整个矩阵 H，后面才是向量 slope。",
    en="You gave solve a vector as its first argument. That has to be the whole matrix H; the vector, slope, comes second.",
)
def exchanges_matrix_and_slope(f: Any, x: Any) -> Any:
    slope, hessian = slope_and_hessian(f, x)
    return x.detach() - solve(slope, hessian)


@mistake(
    NEWTON,
    zh="slope / H 是逐元素相除，得到的是一张表。H 是矩阵，“除以”它就是解方程：solve(H, slope)。",
    en="slope / H divides element by element and gives a table. H is a matrix; to divide by it is to solve an equation: solve(H, slope).",
)
def divides_by_the_matrix(f: Any, x: Any) -> Any:
    slope, hessian = slope_and_hessian(f, x)
    return x.detach() - slope / hessian


@mistake(
    NEWTON,
    zh="这是一个变量时的写法。变量多了，斜率不止一个数，不能这样再求一次导：要一行一行求出 H，再用 solve。",
    en="This is how it is done with one variable. With several the slope is not one number and cannot be differentiated like this: find H row by row, then call solve.",
)
def as_with_one_variable(f: Any, x: Any) -> Any:
    at = x.detach().requires_grad_()
    (slope,) = slopes(f(at), at, create_graph=True)
    (bend,) = slopes(slope, at)
    return at.detach() - slope.detach() / bend


@mistake(
    NEWTON,
    zh="你直接对传进来的 x 求了斜率，它可能不要求梯度。先 x.detach().requires_grad_()，再拿这个叶子去算 f。",
    en="You took the slope with respect to the x that was passed in, which may not require grad. First make a leaf, x.detach().requires_grad_(), and compute f from that.",
)
def slope_of_the_given_x(f: Any, x: Any) -> Any:
    (slope,) = slopes(f(x), x)
    rows = [hessian_product(f, x, direction) for direction in eye(len(x), dtype=x.dtype)]
    return x.detach() - solve(stack(rows), slope)


@mistake(
    PRODUCT,
    zh="数都对，可 grad 返回的是元组，每个输入一项；要交出的是里面那一个张量：(product,) = grad(…)，再 return product。",
    en="The numbers are right, but grad returns a tuple, with an item for each input. Hand back the one tensor in it: (product,) = grad(…), then return product.",
)
def product_in_a_tuple(f: Any, x: Any, v: Any) -> Any:
    return (hessian_product(f, x, v),)


@mistake(
    SIN,
    zh="这是 cos 的规则：sin 的斜率是 cos(self)，前面没有负号；cos 的斜率才是 -sin(self)。两条是不是写反了？",
    en="This is the rule of cos: the slope of sin is cos(self), without a minus; it is cos whose slope is -sin(self). Have the two been exchanged?",
)
def sin_by_the_rule_of_cos(grad: Any, self: Any) -> Any:
    return grad * -rules.sin(self)


@mistake(
    PRODUCT,
    zh="你返回的是斜率。那只求了一次导，v 还没有用上：对斜率再求一次，v 作为 grad_outputs。",
    en="What you return is the slope. That is one derivative only, and v has not been used: differentiate the slope once more, with v as grad_outputs.",
)
def returns_the_slope(f: Any, x: Any, v: Any) -> Any:
    leaf = x.detach().requires_grad_()
    (slope,) = slopes(f(leaf), leaf, create_graph=True)
    return slope


@mistake(
    PRODUCT,
    zh="grad 的参数反了：先输出 f(x)，后输入 x。",
    en="The arguments of grad are swapped: first the output, f(x), then the input, x.",
)
def swaps_output_and_input(f: Any, x: Any, v: Any) -> Any:
    x = x.detach().requires_grad_()
    (slope,) = grad(x, f(x), create_graph=True)
    return grad(slope, x, v)[0]


@mistake(
    PRODUCT,
    zh="求导的是函数算出的那个数，不是函数本身：写 grad(f(x), x, …)。",
    en="What is differentiated is the number that f computes, not f itself: write grad(f(x), x, …).",
)
def differentiates_the_function(f: Any, x: Any, v: Any) -> Any:
    x = x.detach().requires_grad_()
    (slope,) = grad(f, x, create_graph=True)
    return grad(slope, x, v)[0]


@mistake(
    PRODUCT,
    zh="第一次求导之后就停了：slope * v 只是把斜率逐个乘上 v，create_graph 留下的图还没有用上。再求一次导：grad(slope, x, v)。",
    en="You stop after the first derivative: slope * v merely multiplies the slope by v entry by entry, and the graph that create_graph kept is not used. Differentiate once more: grad(slope, x, v).",
)
def stops_at_the_slope(f: Any, x: Any, v: Any) -> Any:
    x = x.detach().requires_grad_()
    return slopes(f(x), x, create_graph=True)[0] * v
