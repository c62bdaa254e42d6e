"""More mistakes of lesson 11: methods that arrays lack, arrays written in place, arguments in the wrong place."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson11 import NEWTON, PRODUCT, SIN, slope_and_hessian, slopes
from minigrad import eye, rules, stack
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
    en="solve wants a matrix as its first argument and got a list. Make one of the rows, with stack.",
)
def does_not_stack(f: Any, x: Any) -> Any:
    slope, hessian = slope_and_hessian(f, x)
    rows: Any = list(hessian)
    return x.detach() - solve(rows, slope)


@mistake(
    NEWTON,
    zh="solve 的两个参数反了：先矩阵 H，后向量 slope。",
    en="The arguments of solve are exchanged: the matrix H comes first, then the vector, slope.",
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
    en="You took the slope in the x that was passed in, which may not require grad. Make a leaf first, x.detach().requires_grad_(), and compute f of that.",
)
def slope_of_the_given_x(f: Any, x: Any) -> Any:
    (slope,) = slopes(f(x), x)
    rows = [hessian_product(f, x, direction) for direction in eye(len(x), dtype=x.dtype)]
    return x.detach() - solve(stack(rows), slope)
