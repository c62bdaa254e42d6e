"""Known mistakes of lesson 12: what is kept wrongly for backward, a softplus that overflows, differences of sorts."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from minigrad import Tensor, no_grad, ones_like

SAVE = "minigrad.autograd.function.FunctionCtx.save_for_backward"
FORWARD, BACKWARD = "minigrad.custom.Softplus.forward", "minigrad.custom.Softplus.backward"
DIFFERENCE = "minigrad.autograd.gradcheck.central_difference"

# ── Softplus.forward ─────────────────────────────────────────────────────────────────────────────


@mistake(
    FORWARD,
    zh="x 一大就溢出：ln(1 + eˣ) 里的 eˣ 成了 inf；绕道 -ln σ(-x) 也一样，σ(-x) 成了 0，对数是 -inf。先提出 max(x, 0)，让指数永远不是正的。",
    en="This overflows for a large x: in ln(1 + eˣ), eˣ is inf; in -ln σ(-x), σ(-x) is 0 and its logarithm -inf. Take max(x, 0) out first, so that the exponent is never positive.",
)
def the_textbook_formula(ctx: Any, x: Any) -> Any:
    ctx.save_for_backward(x)
    return (1 + x.exp()).log()


@mistake(
    FORWARD,
    zh="log1p 管住了左边，右边还是会溢出：log1p(eˣ) 里的 eˣ 在 x 很大时是 inf。",
    en="log1p takes care of the left, but the right still overflows: in log1p(eˣ), eˣ is inf for a large x.",
)
def overflows_on_the_right(ctx: Any, x: Any) -> Any:
    ctx.save_for_backward(x)
    return x.exp().log1p()


@mistake(
    FORWARD,
    zh="右边好了，最左边却丢了有效数字，再远就成了 0：1 加一个很小的数，几乎还是 1，取了对数就不剩什么。用 log1p。",
    en="The right is cured, but the far left loses its digits and, farther out, becomes 0: 1 plus a tiny number is hardly more than 1, so the logarithm has nothing left. Use log1p.",
)
def loses_the_left(ctx: Any, x: Any) -> Any:
    ctx.save_for_backward(x)
    return x.clamp(min=0) + (1 + (-x.abs()).exp()).log()


@mistake(
    FORWARD,
    zh="少了 max(x, 0) 那一项：提出来的东西，要加回去。",
    en="The term max(x, 0) is missing: what was taken out must be added back.",
)
def without_the_maximum(ctx: Any, x: Any) -> Any:
    ctx.save_for_backward(x)
    return (-x.abs()).exp().log1p()


@mistake(
    FORWARD,
    zh="指数里少了绝对值：x 为负时 -x 是正的，既不对，又会溢出。应是 -|x|。",
    en="The absolute value is missing in the exponent: for a negative x, -x is positive, which is wrong and overflows, too. It should be -|x|.",
)
def without_the_absolute_value(ctx: Any, x: Any) -> Any:
    ctx.save_for_backward(x)
    return x.clamp(min=0) + (-x).exp().log1p()


@mistake(
    FORWARD,
    zh="把 x 截断在 20，溢出是没有了，可右边变成了一条平线；softplus 在那里应该约等于 x。",
    en="You cut x off at 20. That stops the overflow, but makes the right flat; there softplus should be about x.",
)
def cut_off(ctx: Any, x: Any) -> Any:
    ctx.save_for_backward(x)
    return x.clamp(max=20).exp().log1p()


@mistake(
    FORWARD,
    zh="前向没有保存 x，反向就无米下锅了：ctx.save_for_backward(x)。存成属性（ctx.x = x）不算：之后的改写没有人发现，反向完了也不释放（第 3 节）。",
    en="forward does not save x, so backward has nothing to work with: ctx.save_for_backward(x). An attribute (ctx.x = x) does not count: later writes go unnoticed and nothing is released (section 3).",
)
def saves_nothing(ctx: Any, x: Any) -> Any:
    return x.clamp(min=0) + (-x.abs()).exp().log1p()


@mistake(
    FORWARD,
    zh="这是 relu：拐角没有抹圆。还差 ln(1 + e^-|x|) 那一项。",
    en="This is relu, with its kink. The term ln(1 + e^-|x|), which rounds it off, is missing.",
)
def only_relu(ctx: Any, x: Any) -> Any:
    ctx.save_for_backward(x)
    return x.clamp(min=0)


@mistake(
    FORWARD,
    zh="指数里成了 |x|，没有负号，exp 照样溢出。要的是 -|x|，写作 -x.abs()；(-x).abs() 里的负号不起作用。",
    en="The exponent is |x|, without a minus, and exp overflows all the same. It should be -|x|, which is -x.abs(); in (-x).abs() the minus is lost.",
)
def minus_inside(ctx: Any, x: Any) -> Any:
    ctx.save_for_backward(x)
    return x.clamp(min=0) + (-x).abs().exp().log1p()


# ── save_for_backward ────────────────────────────────────────────────────────────────────────────


def refuse_others(tensors: Any) -> None:
    """As it should be."""
    for index, tensor in enumerate(tensors):
        if tensor is not None and not isinstance(tensor, Tensor):
            kind = type(tensor).__name__
            raise TypeError(f"save_for_backward can only save variables, but argument {index} is of type {kind}")


@mistake(
    SAVE,
    zh="你存的是副本（clone）。数值对，可是原来的张量之后被改写，谁也发现不了；多占一份内存，二阶导数也断了。存张量本身。",
    en="You keep copies (clone). The values are right, but a later write to the original goes unnoticed, memory is taken twice and "
    "second derivatives break. Keep the tensors themselves.",
)
def keeps_copies(self: Any, *tensors: Any) -> None:
    refuse_others(tensors)
    self.to_save = tuple(None if t is None else t.clone() for t in tensors)


@mistake(
    SAVE,
    zh="你存的是 detach() 之后的张量：版本号还看得见，历史却没有了，对斜率再求导就会漏掉这条路。存张量本身。",
    en="You keep what detach() gives: versions are still watched, but the history is gone, and the slope's slope misses this path. "
    "Keep the tensors themselves.",
)
def keeps_them_detached(self: Any, *tensors: Any) -> None:
    refuse_others(tensors)
    self.to_save = tuple(None if t is None else t.detach() for t in tensors)


@mistake(
    SAVE,
    zh="你存的是 .data：它带着自己的版本号，原地改写看不见，梯度会悄悄算错（第 10 课的老毛病）。存张量本身。",
    en="You keep .data, which has a version of its own: writes in place go unseen and gradients are silently wrong, as in lesson 10. "
    "Keep the tensors themselves.",
)
def keeps_data(self: Any, *tensors: Any) -> None:
    refuse_others(tensors)
    self.to_save = tuple(None if t is None else t.data for t in tensors)


@mistake(
    SAVE,
    zh="None 被丢掉了，后面的都往前挪了一位。None 也要占住它的位置。",
    en="You throw None out, so everything after it moves up by one. None keeps its place, too.",
)
def drops_none(self: Any, *tensors: Any) -> None:
    refuse_others(tensors)
    self.to_save = tuple(t for t in tensors if t is not None)


@mistake(
    SAVE,
    zh="只存下了第一个张量。参数写的是 *tensors，有几个就要存几个。",
    en="You keep only the first tensor. The parameter is *tensors: keep as many as there are.",
)
def keeps_the_first(self: Any, *tensors: Any) -> None:
    refuse_others(tensors)
    self.to_save = tensors[:1]


@mistake(
    SAVE,
    zh="第二次调用把新的接在了旧的后面。torch 里后一次调用会取代前一次。",
    en="A second call adds to what the first one kept. In torch, a later call replaces an earlier one.",
)
def adds_to_the_first_call(self: Any, *tensors: Any) -> None:
    refuse_others(tensors)
    self.to_save = (*getattr(self, "to_save", ()), *tensors)


@mistake(
    SAVE,
    zh="不是张量的东西也收下了。这里就该报 TypeError，并说出是第几个参数（torch 也报，等 forward 结束时才查）。",
    en="You accept things that are not tensors. Raise a TypeError at this point and say which argument it was (torch does, too, once forward has ended).",
)
def takes_anything(self: Any, *tensors: Any) -> None:
    self.to_save = tuple(t if t is None or isinstance(t, Tensor) else None for t in tensors)


@mistake(
    SAVE,
    zh="错误信息总说是第 0 个参数。要数一数：enumerate 会同时给出位置和张量。",
    en="The message always blames argument 0. Count: enumerate gives the place along with the tensor.",
)
def blames_argument_0(self: Any, *tensors: Any) -> None:
    for tensor in tensors:
        if tensor is not None:
            refuse_others([tensor])
    self.to_save = tensors


@mistake(
    SAVE,
    zh="None 也被拒绝了。只有既不是 None、又不是张量的才该报错。",
    en="You refuse None as well. Raise an error only for what is neither None nor a tensor.",
)
def refuses_none(self: Any, *tensors: Any) -> None:
    for index, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            kind = type(tensor).__name__
            raise TypeError(f"save_for_backward can only save variables, but argument {index} is of type {kind}")
    self.to_save = tensors


# ── Softplus.backward ────────────────────────────────────────────────────────────────────────────


@mistake(
    BACKWARD,
    zh="最右边成了 nan：eˣ / (1 + eˣ) 是 inf / inf。写成 1 / (1 + e^-x)，也就是 sigmoid。",
    en="The far right is nan: eˣ / (1 + eˣ) is inf / inf. Write 1 / (1 + e^-x), which is the sigmoid.",
)
def infinity_over_infinity(ctx: Any, grad: Any) -> Any:
    (x,) = ctx.saved_tensors
    return grad * (x.exp() / (1 + x.exp()))


@mistake(
    BACKWARD,
    zh="忘了乘 grad：你返回的只是局部导数。",
    en="The factor grad is missing: what you return is the local derivative alone.",
)
def softplus_forgot_grad(ctx: Any, grad: Any) -> Any:
    (x,) = ctx.saved_tensors
    return x.sigmoid()


@mistake(
    BACKWARD,
    zh="多求了一次导：σ(1 - σ) 是 sigmoid 自己的导数，softplus 的导数就是 sigmoid。",
    en="One derivative too many: σ(1 - σ) is the derivative of the sigmoid; that of softplus is the sigmoid itself.",
)
def one_derivative_too_many(ctx: Any, grad: Any) -> Any:
    s = ctx.saved_tensors[0].sigmoid()
    return grad * s * (1 - s)


@mistake(
    BACKWARD,
    zh="左右反了：你用了 σ(-x)。x 很大时 softplus 像 x，斜率应当接近 1。",
    en="Left and right are swapped: you used σ(-x). For a large x softplus is like x, so its slope should be near 1.",
)
def turned_around(ctx: Any, grad: Any) -> Any:
    (x,) = ctx.saved_tensors
    return grad * (-x).sigmoid()


@mistake(
    BACKWARD,
    zh="这是 relu 的规则，只有 0 和 1；softplus 的斜率在 0 附近是渐变的，在 0 处是一半。",
    en="This is relu's rule, nothing but 0 and 1; the slope of softplus changes gradually around 0, where it is one half.",
)
def the_rule_of_relu(ctx: Any, grad: Any) -> Any:
    (x,) = ctx.saved_tensors
    return grad * (x > 0)


@mistake(
    BACKWARD,
    zh="一阶对了，二阶丢了：x.detach() 把它从图里拿了出来。saved_tensors 给的是什么，就直接用什么。",
    en="First order is right, second order is lost: x.detach() takes it out of the graph. Use what saved_tensors gives as it is.",
)
def detached_rule(ctx: Any, grad: Any) -> Any:
    (x,) = ctx.saved_tensors
    return grad * x.detach().sigmoid()


# ── central_difference ───────────────────────────────────────────────────────────────────────────


def around(fn: Any, x: Any, step: Any) -> tuple[Any, Any]:
    """fn a step ahead and a step behind, x put back whatever happens."""
    here = x.detach().clone()
    try:
        x.data.copy_(here + step)
        ahead = fn(x).detach().clone()
        x.data.copy_(here - step)
        return ahead, fn(x).detach().clone()
    finally:
        x.data.copy_(here)


@mistake(
    DIFFERENCE,
    zh="这是单边的差商：只往前走了一步，误差与步长成正比。前后各走一步，误差就与步长的平方成正比。",
    en="This is a one-sided difference: only one step ahead, with an error in proportion to the step. With one step ahead and one behind "
    "it is in proportion to the step squared.",
)
def one_sided(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    ahead, _ = around(fn, x, eps * direction)
    return (ahead - fn(x).detach()) / eps


@mistake(
    DIFFERENCE,
    zh="大了一倍：前后两点相距 2·eps，你只除了 eps。",
    en="Twice too large: the two points are 2·eps apart, and you divided by eps.",
)
def divided_by_half_the_width(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    ahead, behind = around(fn, x, eps * direction)
    return (ahead - behind) / eps


@mistake(
    DIFFERENCE,
    zh="运算的优先级：`/ 2 * eps` 是除以 2 再乘 eps。要写 / (2 * eps)。",
    en="Mind the order of operations: `/ 2 * eps` divides by 2 and multiplies by eps. Write / (2 * eps).",
)
def without_the_brackets(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    ahead, behind = around(fn, x, eps * direction)
    return (ahead - behind) / 2 * eps


@mistake(
    DIFFERENCE,
    zh="符号反了：是前面的减后面的。",
    en="The sign is wrong: it is the value ahead minus the value behind.",
)
def behind_minus_ahead(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    ahead, behind = around(fn, x, eps * direction)
    return (behind - ahead) / (2 * eps)


@mistake(
    DIFFERENCE,
    zh="没有用 direction：所有元素一起动了。每个元素该动多少，由 direction 说了算。",
    en="direction is not used: all entries move together. How far each entry moves is for direction to say.",
)
def ignores_the_direction(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    ahead, behind = around(fn, x, eps * ones_like(direction))
    return (ahead - behind) / (2 * eps)


@mistake(
    DIFFERENCE,
    zh="x 没有放回原处：下一次求值就从错的地方开始了。先记下原来的值，最后写回去。",
    en="x is not put back, and the next evaluation starts from the wrong place. Note the old values first and write them back at the end.",
)
def leaves_x_moved(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    x.data.add_(eps * direction)
    ahead = fn(x).detach().clone()
    x.data.sub_(2 * eps * direction)
    return (ahead - fn(x).detach()) / (2 * eps)


@mistake(
    DIFFERENCE,
    zh="你在 no_grad 里改写了 x，版本号涨了，别处保存着 x 的图从此不能反向。这里难得该用 .data：量一量就放回去，不惊动任何人。",
    en="You wrote to x under no_grad; its version went up, and graphs elsewhere that saved x can no longer be walked. Here, for once, "
    ".data is right: measure, put back, and disturb nobody.",
)
def writes_under_no_grad(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    here = x.detach().clone()
    with no_grad():
        try:
            x.copy_(here + eps * direction)
            ahead = fn(x).detach().clone()
            x.copy_(here - eps * direction)
            behind = fn(x).detach().clone()
        finally:
            x.copy_(here)
    return (ahead - behind) / (2 * eps)


@mistake(
    DIFFERENCE,
    zh="结果还带着历史：差商是一个量出来的数，不该能求导。对 fn(x) 的值用 detach()。另外要挪的是 x 本身，不是另造一个张量：x.data.copy_(…)，用完放回去。",
    en="The result still has a history: a difference is a measurement and should not be differentiable. Use detach() on what fn(x) returns. And what should move is x itself, not another tensor: x.data.copy_(…), and put it back afterwards.",
)
def difference_with_a_history(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    return (fn(x + eps * direction) - fn(x - eps * direction)) / (2 * eps)


@mistake(
    DIFFERENCE,
    zh="这不是差商，而是 autograd 自己的答案：拿规则去检验规则，什么错也查不出来。只许对 fn 求值。",
    en="This is not a difference but autograd's own answer: a rule compared with itself never shows an error. Only evaluate fn.",
)
def asks_autograd(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    leaf = x.detach().requires_grad_()
    leaf.grad = None
    output = fn(leaf)
    output.sum().backward()
    return (leaf.grad * direction).sum()
