"""Still more of lesson 01: names taken for others, conditions asked of the wrong thing, a raise left out."""

from __future__ import annotations

from typing import Any

import minigrad
from autograder.mistakes import mistake
from autograder.mistakes.lesson01 import DETACH, ITEM, REQUIRES_GRAD
from minigrad.autograd.graph import NO_EDGE
from minigrad.tensor import FLOAT_ONLY, LEAVES_ONLY, from_array

# ── item ─────────────────────────────────────────────────────────────────────────────────────────


@mistake(
    ITEM,
    zh="self.size 是张量的方法，不是个数，和 1 永远不相等。个数要问 NumPy 数组：self._data.size。",
    en="self.size is a method of the tensor and no number, so it never equals 1. Ask the NumPy array how many there are: self._data.size.",
)
def asks_the_tensor_for_its_size(self: Any) -> Any:
    if self.size != 1:
        raise RuntimeError(f"a Tensor with {self.size} elements cannot be converted to Scalar")
    return self._data.item()


@mistake(
    ITEM,
    zh="[0] 只打开最外面一层：没有维度的张量没有这一层，套了几层的打开了还是数组，剩下的也是 NumPy 的数。self._data.item() 一步就到。",
    en="[0] opens the outermost brackets only: a tensor without dimensions has none, in several there is still an array inside, and the number is NumPy's. self._data.item() does it in one step.",
)
def opens_one_bracket(self: Any) -> Any:
    if self._data.size != 1:
        raise RuntimeError(f"a Tensor with {self._data.size} elements cannot be converted to Scalar")
    return self._data[0]


@mistake(
    ITEM,
    zh="float(…) 和 int(…) 不收带括号的 [[3.]]，也保不住类型：tensor(True).item() 该是 True。数组自己的 .item() 什么类型都管。",
    en="float(…) and int(…) do not take [[3.]], in brackets, nor do they keep the type: tensor(True).item() should be True. The array's own .item() does for every type.",
)
def float_or_int(self: Any) -> Any:
    if self._data.size != 1:
        raise RuntimeError(f"a Tensor with {self._data.size} elements cannot be converted to Scalar")
    return float(self._data) if self.is_floating_point() else int(self._data)


# ── requires_grad_ ───────────────────────────────────────────────────────────────────────────────


@mistake(
    REQUIRES_GRAD,
    zh="RuntimeError(…) 前面少了 raise：错误造出来了，却没有报，程序照常往下走。写 raise RuntimeError(…)。",
    en="There is no raise in front of RuntimeError(…): the error is made but not raised, and the program goes on. Write raise RuntimeError(…).",
)
def forgets_to_raise(self: Any, requires_grad: bool = True) -> Any:
    if requires_grad and not self.is_floating_point():
        RuntimeError(FLOAT_ONLY)
    if not requires_grad and not self.is_leaf:
        RuntimeError(LEAVES_ONLY)
    self.want_gradient(requires_grad)
    return self


@mistake(
    REQUIRES_GRAD,
    zh="你看的是 self.requires_grad，张量现在的样子；要看的是参数 requires_grad，别人这次要你做什么。",
    en="You look at self.requires_grad, how the tensor is now; look at the argument requires_grad, what is being asked for.",
)
def asks_how_it_is_now(self: Any, requires_grad: bool = True) -> Any:
    if self.requires_grad and not self.is_floating_point():
        raise RuntimeError(FLOAT_ONLY)
    if not self.requires_grad and not self.is_leaf:
        raise RuntimeError(LEAVES_ONLY)
    self.want_gradient(requires_grad)
    return self


@mistake(
    REQUIRES_GRAD,
    zh="每次调用都换到另一边，不管传进来的是什么。这不是拨动开关，是照参数来定：self.want_gradient(requires_grad)。",
    en="Each call switches to the other side, whatever is passed. It is not to toggle, but to do as the argument says: self.want_gradient(requires_grad).",
)
def toggles(self: Any, requires_grad: bool = True) -> Any:
    if not self.requires_grad and not self.is_floating_point():
        raise RuntimeError(FLOAT_ONLY)
    if self.requires_grad and not self.is_leaf:
        raise RuntimeError(LEAVES_ONLY)
    self.want_gradient(not self.requires_grad)
    return self


@mistake(
    REQUIRES_GRAD,
    zh="浮点数不只有 float32：float64、float16 也是，也能要梯度。问 self.is_floating_point()。",
    en="float32 is not the only floating-point type: float64 and float16 are others and may require gradients, too. Ask self.is_floating_point().",
)
def takes_float32_alone(self: Any, requires_grad: bool = True) -> Any:
    if requires_grad and self.dtype != minigrad.float32:
        raise RuntimeError(FLOAT_ONLY)
    if not requires_grad and not self.is_leaf:
        raise RuntimeError(LEAVES_ONLY)
    self.want_gradient(requires_grad)
    return self


@mistake(
    REQUIRES_GRAD,
    zh="该用 and 的地方写了 or：只要说“要”就拒绝，或者只要不是浮点数就拒绝。两件事同时成立，才拒绝。",
    en="There is an or where and belongs: it refuses whoever asks, and every integer. Refuse only where both hold at once.",
)
def refuses_if_either_holds(self: Any, requires_grad: Any = True) -> Any:
    if requires_grad or not self.is_floating_point():
        raise RuntimeError(FLOAT_ONLY)
    if not requires_grad or not self.is_leaf:
        raise RuntimeError(LEAVES_ONLY)
    self.want_gradient(requires_grad)
    return self


@mistake(
    REQUIRES_GRAD,
    zh="你自己改了 _edge。关掉时写进去的 (None, 0) 不是引擎认得的 NO_EDGE，打开时也还缺别的东西。交给 self.want_gradient(requires_grad)。",
    en="You set _edge by hand. A (None, 0) of your own is not the NO_EDGE that the engine knows, and for switching on more is needed. Leave it to self.want_gradient(requires_grad).",
)
def sets_the_edge_by_hand(self: Any, requires_grad: bool = True) -> Any:
    if requires_grad and not self.is_floating_point():
        raise RuntimeError(FLOAT_ONLY)
    if not requires_grad and not self.is_leaf:
        raise RuntimeError(LEAVES_ONLY)
    self._edge = None if requires_grad else (None, 0)
    return self


@mistake(
    REQUIRES_GRAD,
    zh="self.requires_grad_(…) 就是你正在写的这一个，它调用自己，没完没了。记下来要用 self.want_gradient(requires_grad)。",
    en="self.requires_grad_(…) is the very one you are writing, which calls itself without end. To store the setting there is self.want_gradient(requires_grad).",
)
def asks_itself_for_it(self: Any, requires_grad: bool = True) -> Any:
    if requires_grad and not self.is_floating_point():
        raise RuntimeError(FLOAT_ONLY)
    if not requires_grad and not self.is_leaf:
        raise RuntimeError(LEAVES_ONLY)
    self.requires_grad_(requires_grad)
    return self


@mistake(
    REQUIRES_GRAD,
    zh="want_gradient 从来没有运行到：没有写，或者写进了 raise 那一支里，排在 raise 后面。两个 if 都没拦下时，就运行 self.want_gradient(requires_grad)。",
    en="want_gradient never runs: it is not there, or stands after a raise, in the same branch. When neither if has refused, self.want_gradient(requires_grad) is to run.",
)
def never_stores_it(self: Any, requires_grad: bool = True) -> Any:
    if requires_grad:
        if not self.is_floating_point():
            raise RuntimeError(FLOAT_ONLY)
    elif not self.is_leaf:
        raise RuntimeError(LEAVES_ONLY)
    return self


# ── detach ───────────────────────────────────────────────────────────────────────────────────────


@mistake(
    DETACH,
    zh="clone 是一次被记录的运算：它的结果是算出来的，历史关不掉（torch 就在这里拒绝），数也复制了一份。用 from_array，共用存储和计数器，历史用 NO_EDGE。",
    en="clone is a recorded operation: its result is computed, so its history can't be switched off (that is what torch refuses here), and the numbers are copied. Use from_array with the same storage and counter, and NO_EDGE for the history.",
)
def switches_a_clone_off(self: Any) -> Any:
    return self.clone().requires_grad_(False)


@mistake(
    DETACH,
    zh="from_array 要的是数组，你给的是张量 self，结果是张量里装着张量。数组是 self.storage()。",
    en="from_array takes an array, and you give it the tensor self: a tensor with a tensor inside. The array is self.storage().",
)
def puts_a_tensor_into_a_tensor(self: Any) -> Any:
    return from_array(self, NO_EDGE, self.counter())


@mistake(
    REQUIRES_GRAD,
    zh="该拒绝的都拒绝了，可是传进来的是 False 时，什么也没有关掉。want_gradient(requires_grad) 两种情形都要走到。",
    en="Both refusals are right, but False switches nothing off. want_gradient(requires_grad) has to be reached in both cases.",
)
def never_switches_off(self: Any, requires_grad: bool = True) -> Any:
    if not requires_grad and not self.is_leaf:
        raise RuntimeError(LEAVES_ONLY)
    if requires_grad:
        if not self.is_floating_point():
            raise RuntimeError(FLOAT_ONLY)
        self.want_gradient(requires_grad)
    return self


@mistake(
    REQUIRES_GRAD,
    zh="浮点类型不止 float32 和 float64，float16 也算。问 self.is_floating_point()。",
    en="float32 and float64 are not all the floating-point dtypes; there is float16, too. Ask self.is_floating_point().",
)
def forgets_half(self: Any, requires_grad: bool = True) -> Any:
    if requires_grad and self.dtype not in (minigrad.float32, minigrad.float64):
        raise RuntimeError(FLOAT_ONLY)
    if not requires_grad and not self.is_leaf:
        raise RuntimeError(LEAVES_ONLY)
    self.want_gradient(requires_grad)
    return self
