"""Known mistakes of lesson 12, continued: names that are nearly right, brackets that are not there, steps of one's own."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson12 import BACKWARD, DIFFERENCE, FORWARD, SAVE, around, refuse_others
from minigrad import Tensor, ones_like

# ── save_for_backward ────────────────────────────────────────────────────────────────────────────


@mistake(
    SAVE,
    zh="检查对了，可你记在了别的名字底下，引擎来取的是 self.to_save。",
    en="The check is right, but you noted the tensors under another name; the engine fetches self.to_save.",
)
def notes_them_elsewhere(self: Any, *tensors: Any) -> None:
    refuse_others(tensors)
    self.saved = tensors


@mistake(
    SAVE,
    zh='你把例子里的话照抄了下来：argument 1、float 只是那一次的位置和类型。每次说真的：f"… argument {index} is of type {kind}"。',
    en='You copied the words of the example: argument 1 and float are the place and the type of that one case. Say the real ones each time: f"… argument {index} is of type {kind}".',
)
def copies_the_example(self: Any, *tensors: Any) -> None:
    if any(each is not None and not isinstance(each, Tensor) for each in tensors):
        raise TypeError("save_for_backward can only save variables, but argument 1 is of type float")
    self.to_save = tensors


@mistake(
    SAVE,
    zh="什么都收下了，参数一个也没有看：2.5 这样的数要到后来才在引擎里出错。记下之前先走一遍：既不是张量、也不是 None 的，就 raise TypeError。",
    en="You take everything and check nothing: a number such as 2.5 fails only later, inside the engine. Go through the arguments before you store them, and raise a TypeError for whatever is neither a tensor nor None.",
)
def checks_nothing_at_all(self: Any, *tensors: Any) -> None:
    self.to_save = tensors


@mistake(
    SAVE,
    zh="Parameter 也是张量，只是类型不同：用 isinstance(t, Tensor)，不要比较 type。",
    en="A Parameter is a tensor too, of another type: use isinstance(t, Tensor), do not compare type.",
)
def compares_the_type(self: Any, *tensors: Any) -> None:
    for index, tensor in enumerate(tensors):
        if tensor is not None and type(tensor) is not Tensor:
            kind = type(tensor).__name__
            raise TypeError(f"save_for_backward can only save variables, but argument {index} is of type {kind}")
    self.to_save = tensors


# ── softplus ─────────────────────────────────────────────────────────────────────────────────────


@mistake(
    FORWARD,
    zh="1 加了两遍：log1p(e) 已经是 ln(1 + e)，里面不要再写 1 +。",
    en="The 1 is added twice: log1p(e) is ln(1 + e) already, so there is no 1 + to write inside.",
)
def adds_the_one_twice(ctx: Any, x: Any) -> Any:
    ctx.save_for_backward(x)
    return x.clamp(min=0) + (1 + (-x.abs()).exp()).log1p()


@mistake(
    FORWARD,
    zh="少了一对括号：-x.abs().exp().log1p() 最后才取负。负号要和 x.abs() 括在一起：(-x.abs()).exp()。",
    en="A pair of brackets is missing: -x.abs().exp().log1p() is negated last of all. Put the minus and x.abs() into brackets: (-x.abs()).exp().",
)
def negates_last_of_all(ctx: Any, x: Any) -> Any:
    ctx.save_for_backward(x)
    return x.clamp(min=0) - x.abs().exp().log1p()


@mistake(
    BACKWARD,
    zh="to_save 只在 forward 里用来记；到了 backward，引擎已经取走，要从 ctx.saved_tensors 读。",
    en="to_save is for noting, in forward; by the time of backward the engine has fetched it. Read ctx.saved_tensors.",
)
def reads_what_was_noted(ctx: Any, grad: Any) -> Any:
    (x,) = ctx.to_save
    return grad * x.sigmoid()


@mistake(
    BACKWARD,
    zh="saved_tensors 后面不要括号：它不是方法，本身就是元组。",
    en="No brackets after saved_tensors: it is no method, but the tuple itself.",
)
def calls_the_tuple(ctx: Any, grad: Any) -> Any:
    (x,) = ctx.saved_tensors()
    return grad * x.sigmoid()


@mistake(
    FORWARD,
    zh="clamp_ 带下划线，改的是 x 本身，后面的 abs 读到的已经不是原来的 x。用 clamp。",
    en="clamp_, with its underscore, changes x itself, so abs afterwards no longer reads the original x. Use clamp.",
)
def clamps_in_place_before_abs(ctx: Any, x: Any) -> Any:
    ctx.save_for_backward(x)
    return x.clamp_(min=0) + (-x.abs()).exp().log1p()


@mistake(
    BACKWARD,
    zh="x 不是从属性里读的：save_for_backward 存下的，都在 ctx.saved_tensors 里：(x,) = ctx.saved_tensors。",
    en="x is not read from an attribute: what save_for_backward saved is in ctx.saved_tensors: (x,) = ctx.saved_tensors.",
)
def reads_an_attribute(ctx: Any, grad: Any) -> Any:
    return grad * ctx.x.sigmoid()


# ── central_difference ───────────────────────────────────────────────────────────────────────────


@mistake(
    DIFFERENCE,
    zh="步长写死了。挪多远由调用的人说：用 eps。",
    en="The step is fixed in your code. How far to move is for the caller to say: use eps.",
)
def takes_a_step_of_its_own(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    ahead, behind = around(fn, x, 1e-6 * direction)
    return (ahead - behind) / 2e-6


@mistake(
    DIFFERENCE,
    zh="只减没有除：这是值变了多少，还要除以两点的距离 2 * eps，才是斜率。",
    en="You subtract but do not divide: that is how much the value changed. For the slope, divide by the distance of the two points, 2 * eps.",
)
def does_not_divide(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    ahead, behind = around(fn, x, eps * direction)
    return ahead - behind


def _step_and_step_again(fn: Any, x: Any, step: Any) -> tuple[Any, Any]:
    """fn a step away, and a step back from there, which is where x was; x put back whatever happens."""
    here = x.detach().clone()
    try:
        x.data.copy_(x.data + step)
        away = fn(x).detach().clone()
        x.data.copy_(x.data - step)
        return away, fn(x).detach().clone()
    finally:
        x.data.copy_(here)


@mistake(
    DIFFERENCE,
    zh="第二步是从挪过的地方走的：先退一步，再进一步，只回到了原处。两次都要从原来的值出发：here + eps * direction。",
    en="The second step starts where the first has ended: one back and one ahead only lead home again. Start from the old values both times: here + eps * direction.",
)
def steps_ahead_from_behind(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    behind, home = _step_and_step_again(fn, x, -eps * direction)
    return (home - behind) / (2 * eps)


@mistake(
    DIFFERENCE,
    zh="第二步是从挪过的地方走的：先进一步，再退一步，只回到了原处。要么两次都从原来的值出发，要么第二次退两步。",
    en="The second step starts where the first has ended: one ahead and one back only lead home again. Start from the old values both times, or go two steps back.",
)
def steps_back_from_ahead(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    ahead, home = _step_and_step_again(fn, x, eps * direction)
    return (ahead - home) / (2 * eps)


@mistake(
    DIFFERENCE,
    zh="你原地改写了 x（x.copy_(…)、x += … 都是），x 要梯度就被拒绝。少的是 .data：x.data.copy_(…)。",
    en="You write to x in place, by x.copy_(…) or x += …, which is refused where x requires grad. What is missing is .data: x.data.copy_(…).",
)
def forgets_data(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    here = x.detach().clone()
    try:
        x.copy_(here - eps * direction)
        behind = fn(x).detach().clone()
        x.copy_(here + eps * direction)
        ahead = fn(x).detach().clone()
    finally:
        x.copy_(here)
    return (ahead - behind) / (2 * eps)


@mistake(
    SAVE,
    zh="条件把张量也拒绝了：is not None or not isinstance 总有一半成立。两样都不是才该报错，用 and。要是已经写了 and，就看看 Tensor 是谁的：这里的张量是 minigrad 的，不是 torch.Tensor。",
    en="The condition refuses tensors, too: one half of `is not None or not isinstance` always holds. Raise only for what is neither: use and. If you already have and, see whose Tensor it is: tensors here are minigrad's, not torch.Tensor.",
)
def refuses_tensors_too(self: Any, *tensors: Any) -> None:
    for index, tensor in enumerate(tensors):
        kind = type(tensor).__name__
        raise TypeError(f"save_for_backward can only save variables, but argument {index} is of type {kind}")
    self.to_save = tensors


@mistake(
    BACKWARD,
    zh="公式是对的，可是很靠左的地方丢光了位数：那里 tanh 等于 -1，0.5·tanh 和 0.5 相加，只剩下 0。用 x.sigmoid()，它那里还是一个很小的数。",
    en="The formula is right, but far to the left it loses every digit: tanh is -1 there, and of 0.5·tanh + 0.5 nothing but 0 is left. x.sigmoid() still gives a very small number there.",
)
def loses_the_left(ctx: Any, grad: Any) -> Any:
    (x,) = ctx.saved_tensors
    return grad * ((x / 2).tanh() * 0.5 + 0.5)


@mistake(
    BACKWARD,
    zh="公式是对的，可是很靠左的地方丢光了位数：那里 1/(1 + eˣ) 等于 1，1 减去它只剩下 0。用 x.sigmoid()，它那里还是一个很小的数。",
    en="The formula is right, but far to the left it loses every digit: 1/(1 + eˣ) is 1 there, and of 1 - 1/(1 + eˣ) nothing but 0 is left. x.sigmoid() still gives a very small number there.",
)
def loses_the_left_to_the_right(ctx: Any, grad: Any) -> Any:
    (x,) = ctx.saved_tensors
    return grad * (1 - (-x).sigmoid())


@mistake(
    BACKWARD,
    zh="公式是对的，可是很靠左的地方丢光了位数：那里 grad/(1 + eˣ) 就是 grad，两者相减只剩下 0。用 grad * x.sigmoid()，它那里还是一个很小的数。",
    en="The formula is right, but far to the left it loses every digit: grad/(1 + eˣ) is grad there, and their difference is 0. grad * x.sigmoid() is still a very small number there.",
)
def loses_the_left_of_grad(ctx: Any, grad: Any) -> Any:
    (x,) = ctx.saved_tensors
    return grad - grad / (1 + x.exp())


@mistake(
    BACKWARD,
    zh="x = ctx.saved_tensors 拿到的是元组，元组不能取负。把里面的张量拆出来：(x,) = ctx.saved_tensors。",
    en="x = ctx.saved_tensors is a tuple, and a tuple cannot be negated. Take the tensor out of it: (x,) = ctx.saved_tensors.",
)
def negates_the_tuple(ctx: Any, grad: Any) -> Any:
    return grad / (1 + (-ctx.saved_tensors).exp())


@mistake(
    DIFFERENCE,
    zh="你求的是 fn(x + eps * direction)，那是另一个张量。有的 fn 自己拿着 x，不看参数，它这样量出来总是 0。挪动 x 本身：x.data.copy_(…)，用完放回去。",
    en="You evaluate fn(x + eps * direction), which is another tensor. Some fn hold x themselves and ignore their argument; measured like this, they always give 0. Move x itself with x.data.copy_(…), and put it back afterwards.",
)
def moves_another_tensor(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    return ((fn(x + eps * direction) - fn(x - eps * direction)) / (2 * eps)).detach()


@mistake(
    DIFFERENCE,
    zh="direction 要用在挪动里，不是最后再乘：fn(x) 的形状可以和 x 不同。",
    en="Use direction in the move, not as a factor at the end: fn(x) may have another shape than x.",
)
def multiplies_by_the_direction_last(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    ahead, behind = around(fn, x, eps * ones_like(direction))
    return (ahead - behind) / (2 * eps) * direction


@mistake(
    DIFFERENCE,
    zh="fn 的错误被盖住了：不是 except 把它接住了，就是 return 写在了 finally 里。不要 except；finally 里只放回 x，return 写在它之后。",
    en="fn's error is covered up, either by an except that catches it or by a return inside the finally. Use no except; put x back in the finally, and return behind it.",
)
def returns_in_the_finally(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    here = x.detach().clone()
    with suppress(Exception):
        x.data.copy_(here + eps * direction)
        ahead = fn(x).detach().clone()
        x.data.copy_(here - eps * direction)
        behind = fn(x).detach().clone()
    x.data.copy_(here)
    return (ahead - behind) / (2 * eps)  # `ahead` is also what it is called in the lesson, and in Python's error


# The mistakes of an x that is moved in place, of one that is not.

_MOVE_X = (
    "另外，要挪的是 x 本身（x.data.copy_(…)，用完放回去），结果要 detach()。",
    "And it is x itself that should move (x.data.copy_(…), put back afterwards), and the result wants a detach().",
)


def _beside(fn: Any, x: Any, step: Any) -> Any:
    """The difference of fn a step ahead and a step behind, at two other tensors, with its history."""
    return fn(x + step) - fn(x - step)


@mistake(
    DIFFERENCE,
    zh="大了一倍：两点相距 2·eps，要除以 (2 * eps)。" + _MOVE_X[0],
    en="Twice too large: the two points are 2·eps apart, so divide by (2 * eps). " + _MOVE_X[1],
)
def divides_by_half_the_width_beside(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    return _beside(fn, x, eps * direction) / eps


@mistake(
    DIFFERENCE,
    zh="`/ 2 * eps` 是先除以 2，再乘 eps。分母要用括号括起来：/ (2 * eps)。" + _MOVE_X[0],
    en="`/ 2 * eps` divides by 2 and then multiplies by eps. Put the denominator in brackets: / (2 * eps). "
    + _MOVE_X[1],
)
def without_the_brackets_beside(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    return _beside(fn, x, eps * direction) / 2 * eps


@mistake(
    DIFFERENCE,
    zh="减反了：前面的 fn(x + …) 减去后面的 fn(x - …)。" + _MOVE_X[0],
    en="The subtraction is the wrong way round: take fn(x - …) from fn(x + …). " + _MOVE_X[1],
)
def behind_minus_ahead_beside(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    return _beside(fn, x, -eps * direction) / (2 * eps)


@mistake(
    DIFFERENCE,
    zh="direction 没有用上：x + eps 让所有元素一起动。应是 eps * direction。" + _MOVE_X[0],
    en="direction is not used: x + eps moves all entries together. It should be eps * direction. " + _MOVE_X[1],
)
def ignores_the_direction_beside(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    return _beside(fn, x, eps) / (2 * eps)


@mistake(
    DIFFERENCE,
    zh="你前后各走了半步，eps / 2。步长就是 eps，两点相距 2·eps。" + _MOVE_X[0],
    en="You go half a step either way, eps / 2. The step is eps, and the two points are 2·eps apart. " + _MOVE_X[1],
)
def goes_half_a_step(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    return _beside(fn, x, eps / 2 * direction) / eps
