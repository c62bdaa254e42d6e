"""More known mistakes of lesson 12: results saved for inputs, one choice for a whole tensor, refusals half right."""

from __future__ import annotations

from typing import Any

import numpy

import minigrad
from autograder.mistakes import mistake
from autograder.mistakes.lesson12 import BACKWARD, DIFFERENCE, FORWARD, SAVE, refuse_others
from minigrad import Tensor


def _softplus(x: Any) -> Any:
    return x.clamp(min=0) + (-x.abs()).exp().log1p()


@mistake(
    FORWARD,
    zh="你存的是结果。backward 取出来当作 x，算的就是结果处的斜率。存输入：ctx.save_for_backward(x)。",
    en="You save the result. backward takes it for x and gives the slope there. Save the input: ctx.save_for_backward(x).",
)
def saves_the_result(ctx: Any, x: Any) -> Any:
    y = _softplus(x)
    ctx.save_for_backward(y)
    return y


@mistake(
    FORWARD,
    zh="if 只能替整个张量选一边，可有的元素大于 0，有的小于 0。要一个一个元素来：用 clamp 和 abs，或者 where。",
    en="An if picks one side for the whole tensor, while some elements are above 0 and others below. Go element by element: clamp and abs, or where.",
)
def decides_for_the_whole_tensor(ctx: Any, x: Any) -> Any:
    ctx.save_for_backward(x)
    return x + (-x).exp().log1p() if x > 0 else x.exp().log1p()


@mistake(
    FORWARD,
    zh="末尾带下划线的 clamp_ 改的是 x 自己，连存下来的也一起变了。用不带下划线的 clamp，得到一个新的。",
    en="clamp_, with its underscore, changes x itself, and what was saved along with it. clamp without one makes a new tensor.",
)
def clamps_in_place(ctx: Any, x: Any) -> Any:
    ctx.save_for_backward(x)
    bend = (-x.abs()).exp().log1p()
    return x.clamp_(min=0) + bend


@mistake(
    FORWARD,
    zh="clamp 夹错了一边：max=0 留下的是负的。max(x, 0) 是 clamp(min=0)。",
    en="clamp cuts the wrong side: max=0 leaves the negative ones. max(x, 0) is clamp(min=0).",
)
def clamps_the_other_side(ctx: Any, x: Any) -> Any:
    ctx.save_for_backward(x)
    return x.clamp(max=0) + (-x.abs()).exp().log1p()


@mistake(
    SAVE,
    zh="错误的类别不对：torch 在这里报 TypeError，因为错的是类型。",
    en="The class of the error is wrong: torch raises a TypeError here, because it is the type that is wrong.",
)
def raises_a_value_error(self: Any, *tensors: Any) -> None:
    try:
        refuse_others(tensors)
    except TypeError as error:
        raise ValueError(str(error)) from None
    self.to_save = tensors


@mistake(
    SAVE,
    zh="位置从 1 数起了。torch 从 0 数：第一个是 argument 0。",
    en="Places are counted from 1. torch counts from 0: the first is argument 0.",
)
def counts_from_one(self: Any, *tensors: Any) -> None:
    for place, tensor in enumerate(tensors, 1):
        if tensor is not None and not isinstance(tensor, Tensor):
            kind = type(tensor).__name__
            raise TypeError(f"save_for_backward can only save variables, but argument {place} is of type {kind}")
    self.to_save = tensors


@mistake(
    SAVE,
    zh="话里写的是 <class 'float'>，torch 只写名字 float：type(tensor).__name__。",
    en="The message says <class 'float'>, where torch gives the bare name, float: type(tensor).__name__.",
)
def shows_the_class(self: Any, *tensors: Any) -> None:
    for place, tensor in enumerate(tensors):
        if tensor is not None and not isinstance(tensor, Tensor):
            kind = type(tensor)
            raise TypeError(f"save_for_backward can only save variables, but argument {place} is of type {kind}")
    self.to_save = tensors


@mistake(
    SAVE,
    zh="检查过了，却没有记下来：写 self.to_save = tensors，返回值没有人用。",
    en="You check the tensors but do not note them: write self.to_save = tensors; nobody uses what you return.",
)
def notes_nothing(self: Any, *tensors: Any) -> Any:
    refuse_others(tensors)
    return tensors


@mistake(
    SAVE,
    zh="tensors 已经是一个元组，你又套了一层。写 self.to_save = tensors。",
    en="tensors is a tuple already, and you wrapped it in another. Write self.to_save = tensors.",
)
def wraps_them_once_more(self: Any, *tensors: Any) -> None:
    refuse_others(tensors)
    self.to_save = (tensors,)


@mistake(
    SAVE,
    zh="self.to_save = tensors 写进了循环里：一个也没有传的时候，循环一圈也不走，上次存的就还在。挪到循环后面。",
    en="self.to_save = tensors is inside the loop: if nothing is passed, the loop does not run, and what was noted before stays. Move it after the loop.",
)
def notes_inside_the_loop(self: Any, *tensors: Any) -> None:
    refuse_others(tensors)
    if tensors:
        self.to_save = tensors


@mistake(
    BACKWARD,
    zh="链式法则是相乘，你写成了相加：grad * 斜率。",
    en="The chain rule multiplies, and you add: grad * slope.",
)
def adds_the_slope(ctx: Any, grad: Any) -> Any:
    (x,) = ctx.saved_tensors
    return grad + x.sigmoid()


@mistake(
    BACKWARD,
    zh="saved_tensors 是一个元组，里面只有一个也一样。拆开：(x,) = ctx.saved_tensors。",
    en="saved_tensors is a tuple, even with just one inside. Unpack it: (x,) = ctx.saved_tensors.",
)
def takes_the_tuple(ctx: Any, grad: Any) -> Any:
    x = ctx.saved_tensors
    return grad * x.sigmoid()


@mistake(
    BACKWARD,
    zh="一阶对，二阶没了：no_grad 里算的、经过 NumPy 算的，都没有被记录，斜率的斜率就断在这里。直接用张量的运算，要不要记录由引擎决定。",
    en="First order is right, second order is lost: what is computed under no_grad, or by NumPy, is not recorded, and the slope's slope ends here. Use the tensors' operations as they are; whether to record is the engine's to decide.",
)
def computes_under_no_grad(ctx: Any, grad: Any) -> Any:
    (x,) = ctx.saved_tensors
    with minigrad.no_grad():
        return grad * x.sigmoid()


@mistake(
    SAVE,
    zh="saved_tensors 是给 backward 读的，写不进去。记在 self.to_save 里，引擎来取。",
    en="saved_tensors is for backward to read and cannot be written to. Note the tensors in self.to_save; the engine fetches them from there.",
)
def writes_to_saved_tensors(self: Any, *tensors: Any) -> None:
    refuse_others(tensors)
    self.saved_tensors = tensors


@mistake(
    BACKWARD,
    zh="你在传来的 grad 上原地相乘。它不是你的：别人也拿着，求二阶导数时更不许改。写 grad * …，得到一个新的。",
    en="You multiply the arriving grad in place. It is not yours: others hold it, and for second derivatives it must not change at all. grad * … makes a new one.",
)
def multiplies_in_place(ctx: Any, grad: Any) -> Any:
    (x,) = ctx.saved_tensors
    return grad.mul_(x.sigmoid())


# ── central_difference ───────────────────────────────────────────────────────────────────────────


def _at(fn: Any, x: Any, values: Any) -> Any:
    x.data.copy_(values)
    return fn(x).detach().clone()


@mistake(
    DIFFERENCE,
    zh="fn 一出错，x 就留在了挪动过的地方。把“放回去”写进 finally，出不出错都会做。",
    en="When fn fails, x stays where it was moved to. Put it back in a finally, which runs whether or not there was an error.",
)
def puts_back_only_if_all_goes_well(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    here = x.detach().clone()
    behind = _at(fn, x, here - eps * direction)
    ahead = _at(fn, x, here + eps * direction)
    x.data.copy_(here)
    return (ahead - behind) / (2 * eps)


@mistake(
    DIFFERENCE,
    zh="加上一步再减去一步，舍入之后不一定是原来的数，x 就一点点漂走了。先记下原来的值，最后原样放回去；fn 出错时也要放，用 finally。",
    en="After rounding, a step forth and a step back need not end at the number they started from, so x drifts. Note the old values and put them back, in a finally, so that it happens even if fn fails.",
)
def walks_back(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    ahead = _at(fn, x, x.detach() + eps * direction)
    behind = _at(fn, x, x.detach() - 2 * eps * direction)
    x.data.copy_(x.detach() + eps * direction)
    return (ahead - behind) / (2 * eps)


@mistake(
    DIFFERENCE,
    zh="fn(x) 可能就是 x，或者它的视图：x 一挪，先量好的那个值也跟着变了。用 clone() 把它留住。",
    en="fn(x) may be x itself, or a view of it: as x moves, the value that was measured first moves along with it. Keep it with clone().",
)
def measures_without_a_copy(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    here = x.detach().clone()
    try:
        x.data.copy_(here - eps * direction)
        behind = fn(x).detach()
        x.data.copy_(here + eps * direction)
        ahead = fn(x).detach()
    finally:
        x.data.copy_(here)
    return (ahead - behind) / (2 * eps)


@mistake(
    DIFFERENCE,
    zh="here = x.data（或 x.detach()）没有复制，它和 x 共用一份内存：x 一挪，“原来的值”也跟着挪了。加上 .clone()。",
    en="here = x.data (or x.detach()) is not a copy; it shares its memory with x, and as x moves, the old values move along. Add .clone().",
)
def remembers_a_view(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    here = x.data
    try:
        ahead = _at(fn, x, here + eps * direction)
        behind = _at(fn, x, here - eps * direction)
    finally:
        x.data.copy_(here)
    return (ahead - behind) / (2 * eps)


@mistake(
    DIFFERENCE,
    zh="你只往前走了一步，误差和步长成正比；往前一步、往后一步，误差就和步长的平方成正比。结果还带着历史：fn(x) 返回的要 detach()。",
    en="You go one step ahead only, and the error is in proportion to the step; with one ahead and one behind it is in proportion to its square. The result has a history as well: use detach() on what fn(x) returns.",
)
def one_sided_with_a_history(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    return (fn(x + eps * direction) - fn(x)) / eps


@mistake(
    DIFFERENCE,
    zh="fn 可能原样返回 x：你后来又改了 x.data，先记下的那个值就跟着变了。每次都把 fn(x) 的值复制下来：fn(x).detach().clone()。",
    en="fn may return x itself: when x.data changes later, the value you noted first changes, too. Copy what fn(x) gives each time: fn(x).detach().clone().",
)
def notes_what_still_changes(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    x.data += eps * direction
    ahead = fn(x)
    x.data -= 2 * eps * direction
    behind = fn(x)
    x.data += eps * direction
    return (ahead - behind) / (2 * eps)


@mistake(
    FORWARD,
    zh="x._data 是 NumPy 数组，用它算出来的也是数组；forward 要返回张量。用张量自己的方法算：x.clamp(min=0)、x.abs()、.exp()、.log1p()。",
    en="x._data is a NumPy array, and so is what comes of it; forward should return a tensor. Use the tensor's own methods: x.clamp(min=0), x.abs(), .exp(), .log1p().",
)
def returns_an_array(ctx: Any, x: Any) -> Any:
    ctx.save_for_backward(x)
    return numpy.logaddexp(0, x._data)


@mistake(
    DIFFERENCE,
    zh="clone() 复制了值，也带着历史：差商是一个量出来的数，不该能求导。每次写 fn(x).detach().clone()。",
    en="clone() copies the value and keeps the history; a difference is a measurement and should not be differentiable. Write fn(x).detach().clone() each time.",
)
def copies_with_the_history(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    here = x.detach().clone()
    try:
        x.data.copy_(here + eps * direction)
        ahead = fn(x).clone()
        x.data.copy_(here - eps * direction)
        behind = fn(x).clone()
    finally:
        x.data.copy_(here)
    return (ahead - behind) / (2 * eps)


@mistake(
    DIFFERENCE,
    zh="挪的时候绕过了记录，放回去却没有：x.copy_(…) 是一次原地运算，叶子不许，版本号也会涨。放回去也用 x.data.copy_(…)。",
    en="You move x behind autograd's back but put it back in front of it: x.copy_(…) is an in-place operation, which a leaf refuses and which raises the version. Put it back through x.data.copy_(…) as well.",
)
def puts_back_in_sight(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    here = x.detach().clone()
    try:
        ahead = _at(fn, x, here + eps * direction)
        behind = _at(fn, x, here - eps * direction)
    finally:
        x.copy_(here)
    return (ahead - behind) / (2 * eps)
