"""Known mistakes of lesson 11, continued: arguments of grad under other names and in other places, a slope cut off, steps
of other methods."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson11 import NEWTON, PRODUCT, slope_and_hessian, slopes
from minigrad.autograd.grad_mode import no_grad
from minigrad.curvature import solve

# ── hessian_product ──────────────────────────────────────────────────────────────────────────────


def _slope(f: Any, x: Any) -> tuple[Any, Any]:
    """A leaf at x and the slope there, with its history."""
    x = x.detach().requires_grad_()
    return x, slopes(f(x), x, create_graph=True)[0]


@mistake(
    PRODUCT,
    zh="slope * v 还是一串数，要先加成一个数：(slope * v).sum()；或者把 v 作为第三个参数：grad(slope, x, v)。",
    en="slope * v is still a row of numbers. Add them up to one, (slope * v).sum(), or hand v as the third argument: grad(slope, x, v).",
)
def does_not_add_up(f: Any, x: Any, v: Any) -> Any:
    x, slope = _slope(f, x)
    return slopes(slope * v, x)[0]


@mistake(
    PRODUCT,
    zh="mean() 在加起来之后还除以了个数，H·v 就小了这么多倍。用 sum()：(slope * v).sum()。",
    en="After adding up, mean() divides by how many there are, and H·v becomes that much smaller. Use (slope * v).sum().",
)
def takes_the_mean(f: Any, x: Any, v: Any) -> Any:
    x, slope = _slope(f, x)
    return slopes((slope * v).mean(), x)[0]


@mistake(
    PRODUCT,
    zh="grad 的第二个参数是对谁求导，这里是 x；v 是第三个。",
    en="The second argument of grad is what to differentiate by, which is x here; v is the third.",
)
def differentiates_by_v(f: Any, x: Any, v: Any) -> Any:
    _, slope = _slope(f, x)
    return slopes(slope, v)[0]


@mistake(
    PRODUCT,
    zh="gradient 是 backward 的参数名；在 autograd.grad 里它叫 grad_outputs。",
    en="gradient is what backward calls it; in autograd.grad the argument is grad_outputs.",
)
def calls_it_gradient(f: Any, x: Any, v: Any) -> Any:
    x, slope = _slope(f, x)
    return slopes(slope, x, gradient=v)[0]


@mistake(
    PRODUCT,
    zh="slope.detach() 把斜率和 x 剪断了，再 requires_grad_() 也接不回来。去掉这一步，直接对 slope 求导。",
    en="slope.detach() cuts the slope off from x, and requires_grad_() does not tie it on again. Leave that out and differentiate slope itself.",
)
def cuts_off_the_slope(f: Any, x: Any, v: Any) -> Any:
    x, slope = _slope(f, x)
    return slopes(slope.detach().requires_grad_(), x, v)[0]


# ── newton_step ──────────────────────────────────────────────────────────────────────────────────


@mistake(
    NEWTON,
    zh="你乘了 0.1，像是学习率。牛顿法没有学习率：曲率已经说出了步子有多长。",
    en="You multiply by 0.1, as if by a learning rate. Newton's method has none: the curvature tells how long the step is.",
)
def has_a_learning_rate(f: Any, x: Any) -> Any:
    slope, hessian = slope_and_hessian(f, x)
    return x.detach() - 0.1 * solve(hessian, slope)


@mistake(
    NEWTON,
    zh="你在循环里走了很多步。newton_step 只走一步，走几步由调用它的人来定。",
    en="You take many steps in a loop. newton_step takes one; how many there are is for its caller to decide.",
)
def goes_all_the_way(f: Any, x: Any) -> Any:
    for _ in range(20):
        slope, hessian = slope_and_hessian(f, x)
        step = solve(hessian, slope)
        x = x.detach() - step
        if abs(step).max() < 1e-13:
            break
    return x


@mistake(
    NEWTON,
    zh="你除以的是 H 的最后一行：每一圈都把上一行盖掉了。把每一行都收进列表，stack 起来，再用 solve。",
    en="You divide by the last row of H, for each round of your loop overwrites the row before. Collect all rows in a list, stack them, and call solve.",
)
def divides_by_the_last_row(f: Any, x: Any) -> Any:
    slope, hessian = slope_and_hessian(f, x)
    return x.detach() - slope / hessian[-1]


@mistake(
    NEWTON,
    zh="x -= … 改写了别人传进来的 x，你返回的也还是它。不要原地减：return x.detach() - …。",
    en="x -= … overwrites the x that belongs to your caller, and that x is what you return. Do not subtract in place: return x.detach() - ….",
)
def moves_the_given_x(f: Any, x: Any) -> Any:
    slope, hessian = slope_and_hessian(f, x)
    with no_grad():
        x -= solve(hessian, slope)
    return x
