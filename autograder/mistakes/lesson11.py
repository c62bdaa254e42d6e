"""Known mistakes of lesson 11: rules that break off the graph, Hessians that are not, steps that are not Newton's."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.mistakes import mistake
from minigrad import autograd, eye, ones_like, rules, stack
from minigrad.curvature import hessian_product, solve

SIN, COS = "minigrad.ops.pointwise.sin_vjp", "minigrad.ops.pointwise.cos_vjp"
PRODUCT, NEWTON = "minigrad.curvature.hessian_product", "minigrad.curvature.newton_step"
slopes: Any = autograd.grad

# ── sin and cos ──────────────────────────────────────────────────────────────────────────────────


@mistake(
    SIN,
    zh="一阶是对的，到了二阶就断了：np.cos 只认数组。create_graph 时规则收到的是张量，要用 rules.cos，它对两者都管用。",
    en="First order is right, second order breaks: np.cos only knows arrays. Under create_graph the rule is given tensors; "
    "use rules.cos, which takes both.",
)
def sin_by_numpy(grad: Any, self: Any) -> Any:
    return grad * np.cos(self)


@mistake(
    SIN,
    zh="规则把张量变回了数组（或者 detach 了），从这里起 sin 的二阶导数就丢了：cos(self) 也必须留在图里。",
    en="The rule turns the tensor back into an array (or detaches it), and from here on sin's second derivative is lost: "
    "cos(self) must stay in the graph.",
)
def sin_leaves_the_graph(grad: Any, self: Any) -> Any:
    return grad * rules.cos(rules.raw(self))


@mistake(
    SIN,
    zh="忘了乘 grad：规则要的是上游梯度乘局部导数，不单是 cos(self)。",
    en="The factor grad is missing: a rule is the arriving gradient times the local derivative, not cos(self) alone.",
)
def sin_forgot_grad(grad: Any, self: Any) -> Any:
    return rules.cos(self)


@mistake(
    SIN,
    zh="sin 的导数是 cos，没有负号；负号是 cos 求导时才有的。",
    en="The derivative of sin is cos, without a minus; the minus belongs to the derivative of cos.",
)
def sin_with_a_minus(grad: Any, self: Any) -> Any:
    return grad * -rules.cos(self)


@mistake(
    SIN,
    zh="你乘的还是 sin(self) 自己。sin 的斜率是 cos：在 0 处 sin 最陡，在顶上最平。",
    en="You multiply by sin(self) itself. The slope of sin is cos: sin is steepest at 0 and flat at its top.",
)
def sin_is_its_own_slope(grad: Any, self: Any) -> Any:
    return grad * rules.sin(self)


@mistake(
    COS,
    zh="少了负号：cos 从顶上（0 处）往右是往下走的，斜率是 -sin。",
    en="The minus is missing: from its top at 0, cos goes down to the right, and its slope is -sin.",
)
def cos_without_the_minus(grad: Any, self: Any) -> Any:
    return grad * rules.sin(self)


@mistake(
    COS,
    zh="忘了乘 grad：cos 的规则也要把上游梯度乘上去。",
    en="The factor grad is missing: the rule of cos must multiply by the arriving gradient, too.",
)
def cos_forgot_grad(grad: Any, self: Any) -> Any:
    return -rules.sin(self)


@mistake(
    COS,
    zh="np.sin 只认数组：求一阶时没事，create_graph 时 self 是要求梯度的张量，就报错了。用 rules.sin。",
    en="np.sin only knows arrays: no harm at first order, but under create_graph self is a tensor that requires grad, and it "
    "raises. Use rules.sin.",
)
def cos_by_numpy(grad: Any, self: Any) -> Any:
    return grad * -np.sin(self)


@mistake(
    COS,
    zh="cos 的规则把 self 从图里拿了出来，二阶导数就没有了：别用 detach、.data 或 rules.raw，直接对 self 运算。",
    en="The rule of cos takes self out of the graph, and there is no second derivative any more: no detach, .data or rules.raw, "
    "compute with self itself.",
)
def cos_leaves_the_graph(grad: Any, self: Any) -> Any:
    return grad * -rules.sin(rules.raw(self))


@mistake(
    COS,
    zh="你乘的是 cos(self)，那是前向的值；它的斜率是 -sin(self)。",
    en="You multiply by cos(self), the value of the forward pass; its slope is -sin(self).",
)
def cos_is_its_own_slope(grad: Any, self: Any) -> Any:
    return grad * rules.cos(self)


# ── hessian_product ──────────────────────────────────────────────────────────────────────────────


@mistake(
    PRODUCT,
    zh="求导的那个东西没有历史。若是斜率：第一次求导要写 create_graph=True，retain_graph=True 只留下旧的图，不够。若是 f(x)：detach() 之后还要 requires_grad_()。",
    en="What you differentiate has no history. If it is the slope, the first derivative needs create_graph=True; "
    "retain_graph=True only keeps the old graph. If it is f(x), call requires_grad_() after detach().",
)
def without_create_graph(f: Any, x: Any, v: Any) -> Any:
    x = x.detach().requires_grad_()
    (slope,) = slopes(f(x), x, retain_graph=True)
    return slopes(slope, x, v)[0]


@mistake(
    PRODUCT,
    zh="这是斜率逐元素乘 v，只求了一次导。H 是斜率的导数：还要对斜率再求一次。",
    en="This is the slope times v, element by element, with one derivative taken. H is the derivative of the slope: "
    "differentiate the slope once more.",
)
def slope_times_v(f: Any, x: Any, v: Any) -> Any:
    x = x.detach().requires_grad_()
    return slopes(f(x), x)[0] * v


@mistake(
    PRODUCT,
    zh="v 没有用上：对斜率之和求导，得到的是 H 的每一行之和，也就是 v 全为 1 时的答案。",
    en="v is not used: differentiating the sum of the slope gives the row sums of H, which is the answer for a v of all ones.",
)
def forgot_v(f: Any, x: Any, v: Any) -> Any:
    x = x.detach().requires_grad_()
    (slope,) = slopes(f(x), x, create_graph=True)
    return slopes(slope.sum(), x)[0]


@mistake(
    PRODUCT,
    zh="v 乘得太晚：你先求了 H 的行和，再逐元素乘 v。只有 H 是对角矩阵时这才对；要先把斜率与 v 配对（grad_outputs），再求导。",
    en="v comes in too late: you took the row sums of H and then multiplied by v element by element, right only for a diagonal H. "
    "Pair the slope with v first (grad_outputs), then differentiate.",
)
def row_sums_times_v(f: Any, x: Any, v: Any) -> Any:
    return forgot_v(f, x, v) * v


@mistake(
    PRODUCT,
    zh="答案里混进了斜率：两次 backward 都往同一个 .grad 里累加，得到的是 slope + H·v。用 autograd.grad，它不碰 .grad。",
    en="The slope is mixed into the answer: two calls of backward add to one .grad, giving slope + H·v. "
    "Use autograd.grad, which leaves .grad alone.",
)
def accumulates_in_grad(f: Any, x: Any, v: Any) -> Any:
    x = x.detach().requires_grad_()
    f(x).backward(create_graph=True)
    (x.grad * v).sum().backward()
    return x.grad.detach()


@mistake(
    PRODUCT,
    zh="数值对了，可是结果还拖着一张图：最后一次求导不必再 create_graph，后面没有人要对它求导了。",
    en="The numbers are right, but the result drags a graph along: the last derivative needs no create_graph, nobody "
    "differentiates it again.",
)
def keeps_a_graph(f: Any, x: Any, v: Any) -> Any:
    x = x.detach().requires_grad_()
    (slope,) = slopes(f(x), x, create_graph=True)
    return slopes(slope, x, v, create_graph=True)[0]


@mistake(
    PRODUCT,
    zh="这是用差商凑出来的：(f'(x + h·v) - f'(x)) / h 只是近似，float32 里更是只剩两三位。请对斜率真的再求一次导。",
    en="This is put together by a difference quotient: (f'(x + h·v) - f'(x)) / h only comes near, and in float32 two or three digits "
    "are left of it. Differentiate the slope in earnest.",
)
def by_difference_quotient(f: Any, x: Any, v: Any) -> Any:
    def slope(at: Any) -> Any:
        at = at.detach().requires_grad_()
        return slopes(f(at), at)[0]

    return (slope(x + v * 1e-4) - slope(x)) / 1e-4


@mistake(
    PRODUCT,
    zh="斜率不止一个数，要指明沿哪个方向求导：把 v 作为 grad_outputs 交给第二次 grad。",
    en="The slope is more than one number, and a direction has to be named: hand v as grad_outputs to the second grad.",
)
def second_grad_without_direction(f: Any, x: Any, v: Any) -> Any:
    x = x.detach().requires_grad_()
    (slope,) = slopes(f(x), x, create_graph=True)
    return slopes(slope, x)[0]


@mistake(
    PRODUCT,
    zh="你直接对传进来的 x 求导了。它可能不要求梯度：先 x.detach().requires_grad_()，得到一个自己的叶子。",
    en="You differentiate with respect to the x that was passed in, which may not require grad. Make a leaf of your own first, "
    "x.detach().requires_grad_().",
)
def no_leaf_of_its_own(f: Any, x: Any, v: Any) -> Any:
    (slope,) = slopes(f(x), x, create_graph=True)
    return slopes(slope, x, v)[0]


# ── newton_step ──────────────────────────────────────────────────────────────────────────────────


def slope_and_hessian(f: Any, x: Any) -> tuple[Any, Any]:
    """As it should be."""
    at = x.detach().requires_grad_()
    (slope,) = slopes(f(at), at)
    return slope, stack([hessian_product(f, x, e) for e in eye(len(x), dtype=x.dtype)])


@mistake(
    NEWTON,
    zh="这是步长为 1 的梯度下降：曲率没有用上。步子应该是解 H s = slope 得到的 s。",
    en="This is gradient descent with rate 1: curvature plays no part. The step is the s that solves H s = slope.",
)
def plain_descent(f: Any, x: Any) -> Any:
    return x.detach() - slope_and_hessian(f, x)[0]


@mistake(
    NEWTON,
    zh="方向反了：要从 x 里减去 s，不是加上。",
    en="The wrong way: s is subtracted from x, not added.",
)
def steps_uphill(f: Any, x: Any) -> Any:
    slope, hessian = slope_and_hessian(f, x)
    return x.detach() + solve(hessian, slope)


@mistake(
    NEWTON,
    zh="你乘上了 H，应该“除以”它：曲率大的方向步子要小。解方程 H s = slope，用 solve。",
    en="You multiply by H where you should divide by it: where curvature is large, steps are small. Solve H s = slope with solve.",
)
def multiplies_by_the_hessian(f: Any, x: Any) -> Any:
    slope, hessian = slope_and_hessian(f, x)
    return x.detach() - hessian @ slope


@mistake(
    NEWTON,
    zh="你逐元素除以了 H 的对角线，漏掉了各个分量之间的牵连。用 solve 解整个方程组。",
    en="You divide by the diagonal of H, element by element, and lose how the components pull at each other. "
    "Solve the whole system with solve.",
)
def divides_by_the_diagonal(f: Any, x: Any) -> Any:
    slope, hessian = slope_and_hessian(f, x)
    return x.detach() - slope / hessian.diagonal()


@mistake(
    NEWTON,
    zh="你除以了 H·1，也就是每一行之和。行和不是 H：要把 H 一行一行排出来，再用 solve。",
    en="You divide by H·1, the row sums. Those are not H: build H row by row, then use solve.",
)
def divides_by_row_sums(f: Any, x: Any) -> Any:
    slope, _ = slope_and_hessian(f, x)
    return x.detach() - slope / hessian_product(f, x, ones_like(x.detach()))


@mistake(
    NEWTON,
    zh="返回的是步子 s，不是新的位置。新的位置是 x - s。",
    en="This returns the step s, not the new place, which is x - s.",
)
def returns_the_step(f: Any, x: Any) -> Any:
    slope, hessian = slope_and_hessian(f, x)
    return solve(hessian, slope)


@mistake(
    NEWTON,
    zh="新的位置还连着旧的 x（有 grad_fn）：减法被记录了。从 x.detach() 里减，或者在 no_grad 里减。",
    en="The new place is still tied to the old x (it has a grad_fn): the subtraction was recorded. "
    "Subtract from x.detach(), or under no_grad.",
)
def keeps_the_history(f: Any, x: Any) -> Any:
    x = x.detach().requires_grad_()
    slope, hessian = slope_and_hessian(f, x)
    return x - solve(hessian, slope)


@mistake(
    NEWTON,
    zh="传进来的 x 被原地改写了。要返回一个新的张量，让 x 保持原样。",
    en="The x that was passed in has been overwritten. Return a new tensor and leave x as it is.",
)
def overwrites_x(f: Any, x: Any) -> Any:
    slope, hessian = slope_and_hessian(f, x)
    return x.detach().sub_(solve(hessian, slope))


@mistake(
    NEWTON,
    zh="步子只走了一半：对抛物线来说，x - s 恰好是底，不用再乘学习率。",
    en="Only half the step: for a parabola x - s is exactly the bottom, and no learning rate is needed.",
)
def half_a_step(f: Any, x: Any) -> Any:
    slope, hessian = slope_and_hessian(f, x)
    return x.detach() - 0.5 * solve(hessian, slope)
