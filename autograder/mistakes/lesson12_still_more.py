"""Known mistakes of lesson 12, continued once more: what is not there yet, one number for all, x never put back."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson12 import BACKWARD, DIFFERENCE, FORWARD, SAVE, around, refuse_others
from minigrad import Tensor

# ── save_for_backward ────────────────────────────────────────────────────────────────────────────


@mistake(
    SAVE,
    zh="to_save 还不存在，读不出来，也就接不上去。直接赋值：self.to_save = tensors。",
    en="to_save does not exist yet, so it can be neither read nor added to. Just set it: self.to_save = tensors.",
)
def reads_what_is_not_there_yet(self: Any, *tensors: Any) -> None:
    refuse_others(tensors)
    self.to_save += tensors


@mistake(
    SAVE,
    zh="tensors 是全部参数的元组，它自己当然不是张量。要逐个看：for index, tensor in enumerate(tensors)。",
    en="tensors is the tuple of all arguments, and a tuple is never a tensor. Look at each item: for index, tensor in enumerate(tensors).",
)
def looks_at_the_tuple(self: Any, *tensors: Any) -> None:
    kind = type(tensors).__name__
    raise TypeError(f"save_for_backward can only save variables, but argument 0 is of type {kind}")


@mistake(
    SAVE,
    zh="循环里写 self.to_save = tensor，每一圈都盖掉上一圈。循环之后再存，存整个元组。",
    en="With self.to_save = tensor in the loop, each round overwrites the one before. Store after the loop, and store the whole tuple.",
)
def overwrites_in_the_loop(self: Any, *tensors: Any) -> None:
    refuse_others(tensors)
    for tensor in tensors:
        self.to_save = tensor


@mistake(
    SAVE,
    zh="循环里有 return，只看了第一个就走了。全部看完，再存、再返回。",
    en="With a return in the loop you leave after the first argument. Look at all of them before you store them.",
)
def leaves_after_the_first(self: Any, *tensors: Any) -> None:
    for _ in tensors:
        refuse_others(tensors[:1])
        self.to_save = tensors
        return


@mistake(
    SAVE,
    zh="碰到 None 你就 return 了，后面的没有看，一个也没有存。None 只要跳过检查：用 continue。",
    en="At a None you return: what follows is not looked at, and nothing is stored. A None only skips the test: use continue.",
)
def leaves_at_none(self: Any, *tensors: Any) -> None:
    for index, tensor in enumerate(tensors):
        if tensor is None:
            return
        if not isinstance(tensor, Tensor):
            kind = type(tensor).__name__
            raise TypeError(f"save_for_backward can only save variables, but argument {index} is of type {kind}")
    self.to_save = tensors


# ── softplus ─────────────────────────────────────────────────────────────────────────────────────


@mistake(
    FORWARD,
    zh="x.max() 是全体里最大的那一个数。max(x, 0) 要逐个元素取：x.clamp(min=0)。",
    en="x.max() is one number, the largest entry of all. max(x, 0) is taken entry by entry: x.clamp(min=0).",
)
def takes_the_largest_entry(ctx: Any, x: Any) -> Any:
    ctx.save_for_backward(x)
    return x.max() + (-x.abs()).exp().log1p()


@mistake(
    FORWARD,
    zh="两项之间是加号：max(x, 0) + ln(1 + e^-|x|)，你写成了减号。",
    en="The two terms are added, max(x, 0) + ln(1 + e^-|x|), and you subtract.",
)
def subtracts_the_bend(ctx: Any, x: Any) -> Any:
    ctx.save_for_backward(x)
    return x.clamp(min=0) - (-x.abs()).exp().log1p()


@mistake(
    BACKWARD,
    zh="缺括号：先除以 1，再加 e^-x。分母要括起来：grad / (1 + (-x).exp())。",
    en="Brackets are missing: this divides by 1 and then adds e^-x. Put the denominator in brackets: grad / (1 + (-x).exp()).",
)
def divides_by_one(ctx: Any, grad: Any) -> Any:
    (x,) = ctx.saved_tensors
    return grad / 1 + (-x).exp()


# ── central_difference ───────────────────────────────────────────────────────────────────────────


@mistake(
    DIFFERENCE,
    zh="x 停在了挪过去的地方，没有放回去。在 finally 里把原来的值抄回来：x.data.copy_(here)。",
    en="x stays where it was moved to. In a finally, copy its old values back: x.data.copy_(here).",
)
def leaves_x_ahead(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    here = x.detach().clone()
    x.data.copy_(here - eps * direction)
    behind = fn(x).detach().clone()
    x.data.copy_(here + eps * direction)
    return (fn(x).detach().clone() - behind) / (2 * eps)


@mistake(
    DIFFERENCE,
    zh="你挪了 x，求的却是 fn(here)，前后两次一样，差总是 0。要求 fn(x)。",
    en="You move x but evaluate fn(here), which is the same both times, so their difference is 0. Evaluate fn(x).",
)
def evaluates_the_copy(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    here = x.detach().clone()
    ahead, behind = around(lambda moved: fn(here), x, eps * direction)
    return (ahead - behind) / (2 * eps)


@mistake(
    DIFFERENCE,
    zh="here 没有复制，和 x 共用一份内存：x 退一步，here 也退了，再进一步只回到原处。写 here = x.detach().clone()。",
    en="here is no copy but shares its memory with x: as x steps back, so does here, and the step ahead only leads home again. Write here = x.detach().clone().",
)
def remembers_what_moves_back(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    here = x.detach()
    try:
        x.data.copy_(here - eps * direction)
        behind = fn(x).detach().clone()
        x.data.copy_(here + eps * direction)
        ahead = fn(x).detach().clone()
    finally:
        x.data.copy_(here)
    return (ahead - behind) / (2 * eps)


@mistake(
    DIFFERENCE,
    zh="direction 在挪动时已经用过了，分母里不要再除：除以 2 * eps。",
    en="direction has done its work in the move; do not divide by it as well. Divide by 2 * eps.",
)
def divides_by_the_direction(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    ahead, behind = around(fn, x, eps * direction)
    return (ahead - behind) / (2 * eps * direction)


@mistake(
    DIFFERENCE,
    zh="direction 被你除以了它的长度。挪多远由调用的人定：原样用 eps * direction。",
    en="You divide direction by its length. How far to go is the caller's choice: use eps * direction as it is.",
)
def makes_the_direction_one_long(fn: Any, x: Any, direction: Any, eps: float) -> Any:
    ahead, behind = around(fn, x, eps * (direction / direction.norm()))
    return (ahead - behind) / (2 * eps)


@mistake(
    FORWARD,
    zh="x 和结果你都存了，可 backward 只拆出一个：(x,) = ctx.saved_tensors。只存 x。",
    en="You save both x and the result, but backward unpacks just one: (x,) = ctx.saved_tensors. Save x alone.",
)
def saves_the_result_as_well(ctx: Any, x: Any) -> Any:
    y = x.clamp(min=0) + (-x.abs()).exp().log1p()
    ctx.save_for_backward(x, y)
    return y
