"""More mistakes of lesson 10: what `with` expects of its two methods, words lost on the way, steps that do too much."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson10 import CHECK_VERSION, NO_GRAD, STEP
from minigrad import zeros_like
from minigrad.autograd.grad_mode import Decorating, no_grad, set_recording
from minigrad.autograd.graph import modified_message

# ── no_grad ──────────────────────────────────────────────────────────────────────────────────────


@mistake(
    NO_GRAD,
    zh="你数的是套了几层，最外层结束就打开。可记录也许不是 no_grad 关的，中间也许又打开过：层数说明不了进来之前是开还是关，要记的是 set_recording 返回的值。",
    en="You count how deep the blocks are nested, and switch on behind the outermost. But recording may have been off before it, or on again in between: a depth does not tell how it stood on entering. Remember what set_recording returned.",
)
class CountsDepth(Decorating):
    depth = 0

    def __enter__(self) -> None:
        type(self).depth += 1
        set_recording(False)

    def __exit__(self, *exception: Any) -> None:
        type(self).depth -= 1
        if not type(self).depth:
            set_recording(True)


@mistake(
    NO_GRAD,
    zh="__enter__ 返回了东西，比如 self。torch 的 no_grad 什么也不给 as：不写 return。",
    en="__enter__ returns something, such as self. torch's no_grad gives nothing to `as`: leave the return out.",
)
class GivesItself(Decorating):
    def __enter__(self) -> Any:
        self.before = set_recording(False)
        return self

    def __exit__(self, *exception: object) -> None:
        set_recording(self.before)


@mistake(
    NO_GRAD,
    zh="with 调用 __exit__ 时总带着三个参数：错误的类、错误本身、回溯，没有错误时都是 None。写成 def __exit__(self, *exception)。",
    en="`with` always calls __exit__ with three arguments, the class of the error, the error and its traceback, all None if there is none. Write def __exit__(self, *exception).",
)
class TakesNoError(Decorating):
    def __enter__(self) -> None:
        self.before = set_recording(False)

    def __exit__(self) -> None:
        set_recording(self.before)


TakesNoError.__exit__.__qualname__ = "no_grad.__exit__"  # as in the error's words, whatever the class is called


@mistake(
    NO_GRAD,
    zh="你总是恢复第一次进来时的样子。同一个对象可以用好几次，每次都要恢复这一次进来之前的：用 pop() 取出最后记下的。",
    en="You always restore what was there at the first entry. One object may be used several times, and each time what counts is this entry: pop() the last one noted.",
)
class RestoresTheFirst(Decorating):
    def __init__(self) -> None:
        self.before: list[bool] = []

    def __enter__(self) -> None:
        self.before.append(set_recording(False))

    def __exit__(self, *exception: object) -> None:
        set_recording(self.before[0])


@mistake(
    NO_GRAD,
    zh="__exit__ 把 set_recording 的返回值又返回了。块里打开过记录时，那是 True，错误就被吞掉了。不写 return。",
    en="__exit__ returns what set_recording gave. Where recording was switched on inside the block that is True, and the error is swallowed. Leave the return out.",
)
class ReturnsTheSwitch(Decorating):
    def __enter__(self) -> None:
        self.before = set_recording(False)

    def __exit__(self, *exception: object) -> Any:
        return set_recording(self.before)


# ── check_version ────────────────────────────────────────────────────────────────────────────────


@mistake(
    CHECK_VERSION,
    zh="assert 抛的是 AssertionError，没有话，python -O 之下还会被跳过。torch 抛 RuntimeError，并说出两个版本：if … : raise RuntimeError(modified_message(…))。",
    en="An assert raises AssertionError, says nothing, and is skipped under python -O. torch raises RuntimeError and names both versions: if … : raise RuntimeError(modified_message(…)).",
)
def asserts(saved: Any, expected: int, source: str = "") -> None:
    assert saved._version == expected


@mistake(
    CHECK_VERSION,
    zh="话是对的，错误的类不对：assert 抛的是 AssertionError。torch 抛 RuntimeError：if … : raise RuntimeError(…)。",
    en="The words are right, the class is not: an assert raises AssertionError. torch raises RuntimeError: if … : raise RuntimeError(…).",
)
def asserts_with_the_words(saved: Any, expected: int, source: str = "") -> None:
    assert saved._version == expected, modified_message(saved, saved._version, expected, source)


@mistake(
    CHECK_VERSION,
    zh="source 没有传给 modified_message，错误信息里就少了“是谁的输出”。",
    en="source is not passed to modified_message, and the message does not say whose output it is.",
)
def forgets_the_source(saved: Any, expected: int, source: str = "") -> None:
    if saved._version != expected:
        raise RuntimeError(modified_message(saved, saved._version, expected, ""))


@mistake(
    CHECK_VERSION,
    zh="modified_message(…) 给的只是一段文字。写成 raise RuntimeError(modified_message(…))。",
    en="modified_message(…) gives only a text. Write raise RuntimeError(modified_message(…)).",
)
def raises_the_words(saved: Any, expected: int, source: str = "") -> None:
    if saved._version != expected:
        words: Any = modified_message(saved, saved._version, expected, source)
        raise words


# ── SGD.step ─────────────────────────────────────────────────────────────────────────────────────


@mistake(
    STEP,
    zh="0.1 只是例子里的学习率。每个优化器有自己的：self.lr。",
    en="0.1 is the learning rate of the example only. Every optimizer has its own: self.lr.",
)
def takes_the_examples_rate(self: Any) -> None:
    with no_grad():
        for p in self.params:
            if p.grad is not None:
                p -= 0.1 * p.grad


@mistake(
    STEP,
    zh="走完一步，你又把 p.grad 填成了 0。step 只读梯度，清零是 zero_grad 的事。",
    en="After the step p.grad was filled with 0. step only reads gradients; clearing them is zero_grad's business.",
)
def zeroes_the_gradients(self: Any) -> None:
    with no_grad():
        for p in self.params:
            if p.grad is not None:
                p -= self.lr * p.grad
                p.grad.zero_()


@mistake(
    STEP,
    zh="没有梯度的参数，你给它造了一个全 0 的。None 说明它没有参与，要留着：跳过就好。",
    en="You gave a parameter without a gradient one made of zeros. None says that it took no part, and should stay: just skip it.",
)
def invents_gradients(self: Any) -> None:
    with no_grad():
        for p in self.params:
            if p.grad is None:
                p.grad = zeros_like(p)
            p -= self.lr * p.grad


@mistake(
    NO_GRAD,
    zh="before = … 只是 __init__ 里的一个名字，函数一结束就没了，别的方法看不见。要记在对象上：self.before = …。",
    en="before = … is a name inside __init__ only and is gone when that ends; the other methods do not see it. Keep it on the object: self.before = ….",
)
class RemembersInALocalName(Decorating):
    before: list[bool]  # never set

    def __init__(self) -> None:
        before: list[bool] = []  # noqa: F841

    def __enter__(self) -> None:
        self.before.append(set_recording(False))

    def __exit__(self, *exception: object) -> None:
        set_recording(self.before.pop())


RemembersInALocalName.__name__ = "no_grad"  # the words of an AttributeError name the class


@mistake(
    STEP,
    zh="lr 是优化器自己的，要从 self 上取：self.lr。",
    en="lr belongs to the optimizer; take it from self: self.lr.",
)
def forgets_self(self: Any) -> None:
    with no_grad():
        for p in self.params:
            if p.grad is not None:
                p -= lr * p.grad  # type: ignore[name-defined]  # noqa: F821


@mistake(
    CHECK_VERSION,
    zh="你拿 saved 自己去和版本号比。版本在它身上：saved._version。",
    en="You compare saved itself with a version. Its version is saved._version.",
)
def compares_the_value(saved: Any, expected: int, source: str = "") -> None:
    if saved != expected:
        raise RuntimeError(modified_message(saved, saved._version, expected, source))


@mistake(
    CHECK_VERSION,
    zh="错误报了，却一个字也没说。话由 modified_message 来写：raise RuntimeError(modified_message(…))。",
    en="An error is raised, but it says nothing at all. modified_message writes the words: raise RuntimeError(modified_message(…)).",
)
def raises_in_silence(saved: Any, expected: int, source: str = "") -> None:
    if saved._version != expected:
        raise RuntimeError


@mistake(
    NO_GRAD,
    zh="__exit__ 里不必再 raise：什么也不返回，错误自己会继续往外走；你再报一次，它的话就丢了。",
    en="There is no need to raise in __exit__: return nothing, and the error goes on by itself; raised once more by you, it has lost its words.",
)
class RaisesItAgain(Decorating):
    def __enter__(self) -> None:
        self.prev = set_recording(False)

    def __exit__(self, *exception: Any) -> None:
        set_recording(self.prev)
        if exception[0]:
            raise exception[0]


@mistake(
    NO_GRAD,
    zh="__init__ 里已经 set_recording(False) 了，可这时只是造好一个对象，还没有进块；记下的也不是进块时的状态。关掉、记下，都放到 __enter__ 里。",
    en="__init__ already calls set_recording(False), when the object is merely made and no block has begun; nor is what it notes the state on entering. Do both in __enter__.",
)
class SwitchesOffInBoth(Decorating):
    def __init__(self) -> None:
        self.prev = set_recording(False)

    def __enter__(self) -> None:
        set_recording(False)

    def __exit__(self, *exception: Any) -> None:
        set_recording(self.prev)


@mistake(
    NO_GRAD,
    zh="少了基类：没有 class no_grad(Decorating)，它就不能当装饰器。",
    en="The base class is missing: without class no_grad(Decorating) it cannot serve as a decorator.",
)
class HasNoBase:
    def __enter__(self) -> None:
        self.prev = set_recording(False)

    def __exit__(self, *exception: Any) -> None:
        set_recording(self.prev)


@mistake(
    CHECK_VERSION,
    zh="modified_message 是函数，要调用它才有文字：modified_message(saved, saved._version, expected, source)。",
    en="modified_message is a function, and only calling it gives the words: modified_message(saved, saved._version, expected, source).",
)
def raises_the_function(saved: Any, expected: int, source: str = "") -> None:
    if saved._version != expected:
        raise RuntimeError(modified_message)


@mistake(
    NO_GRAD,
    zh="with 要用到两个方法，__enter__ 和 __exit__，前后各两条下划线。你的类里没有 __exit__，或者名字写错了。",
    en="`with` needs two methods, __enter__ and __exit__, with two underscores on either side. Your class has no __exit__, or its name is misspelled.",
)
class HasNoExit(Decorating):
    def __enter__(self) -> None:
        self.before = set_recording(False)


HasNoBase.__name__ = HasNoExit.__name__ = "no_grad"  # as in the error's words, whatever the class is called


@mistake(
    NO_GRAD,
    zh="开和关写反了：进块时要 set_recording(False)，出块时恢复进来之前的样子，也就是 set_recording 进块时返回的值。",
    en="On and off are swapped: entering should set_recording(False), and leaving should restore what was there before, which is what set_recording returned on entering.",
)
class SwitchesTheOtherWay(Decorating):
    def __enter__(self) -> None:
        set_recording(True)

    def __exit__(self, *exception: object) -> None:
        set_recording(False)


@mistake(
    NO_GRAD,
    zh="with 调用 __exit__ 时总带着三个参数：错误的类、错误本身、回溯；你只收一个。写成 def __exit__(self, *exception)，或者把三个都写上。",
    en="`with` always calls __exit__ with three arguments, the class of the error, the error and its traceback; yours takes one. Write def __exit__(self, *exception), or name all three.",
)
class TakesTheClassOnly(Decorating):
    def __enter__(self) -> None:
        self.before = set_recording(False)

    def __exit__(self, kind: Any) -> None:
        set_recording(self.before)


TakesTheClassOnly.__exit__.__qualname__ = "no_grad.__exit__"
