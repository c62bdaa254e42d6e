"""More known mistakes of lesson 07: what add_array_ returns, a copy in the wrong branch or in every case, None asked for its history."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson07 import ACCUMULATE, ZERO_GRAD
from minigrad.tensor import from_array


@mistake(
    ACCUMULATE,
    zh="add_array_ 在原来的张量里加，返回 None；你却把返回值当成了新的梯度，第二次之后 .grad 就没了。只调用，不赋值。",
    en="add_array_ adds in place and returns None, which you took for the new gradient: from the second time on there is no .grad. Just call it, without assigning.",
)
def keeps_what_adding_returns(variable: Any, grad: Any, shared: bool) -> None:
    if variable._grad is None:
        variable._grad = from_array(grad.copy() if shared else grad)
    else:
        variable._grad = variable._grad.add_array_(grad)


@mistake(
    ACCUMULATE,
    zh="shared 为真时，你没有看是不是第一次，已有的梯度就被盖掉了。先看 variable._grad 是不是 None；复制只是第一次的事。",
    en="When shared is true, you don't check whether this is the first gradient, and overwrite what was there. First see whether variable._grad is None; copying concerns only the first gradient.",
)
def overwrites_what_is_shared(variable: Any, grad: Any, shared: bool) -> None:
    if shared:
        variable._grad = from_array(grad.copy())
    elif variable._grad is None:
        variable._grad = from_array(grad)
    else:
        variable._grad.add_array_(grad)


@mistake(
    ACCUMULATE,
    zh="加完以后，你又把新来的这一份放了进去，刚加好的和就丢了。两种情形之间要有 else。",
    en="After adding, you put the new gradient in place of the sum, which is lost. The two cases need an else between them.",
)
def puts_it_there_after_adding(variable: Any, grad: Any, shared: bool) -> None:
    if variable._grad is not None:
        variable._grad.add_array_(grad)
    variable._grad = from_array(grad.copy())


@mistake(
    ACCUMULATE,
    zh="值都对，可你不管 shared，每次都复制。全新的数组没有别人拿着，复制一份只是白占内存：shared 为真时才复制，否则直接 from_array(grad)。",
    en="The values are right, but you copy whatever shared says. A brand-new array is held by nobody else, and a copy of it wastes memory: copy where shared is true, else just from_array(grad).",
)
def always_copies(variable: Any, grad: Any, shared: bool) -> None:
    if variable._grad is None:
        variable._grad = from_array(grad.copy())
    else:
        variable._grad.add_array_(grad)


@mistake(
    ZERO_GRAD,
    zh="p.grad 可能是 None，None 没有 detach_。没有梯度的参数，一上来就 continue。",
    en="p.grad may be None, which has no detach_. First of all, continue for parameters without a gradient.",
)
def detaches_missing_gradients(self: Any, set_to_none: bool = True) -> None:
    for p in self.params:
        if set_to_none:
            p.grad = None
        else:
            p.grad.detach_()
            p.grad.zero_()
