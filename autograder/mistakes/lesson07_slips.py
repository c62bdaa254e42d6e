"""More known mistakes of lesson 07: what add_array_ returns, a copy in the wrong branch or in every case, None asked for its history."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson07 import ACCUMULATE, RECORDED, ZERO_GRAD
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


@mistake(
    ACCUMULATE,
    zh="shared 用反了：别人也可能拿着（shared 为真）才复制，没有别人拿着就直接收下。",
    en="shared is the wrong way round: copy where somebody else may hold the array (shared is true); where nobody does, take it as it is.",
)
def copies_the_other_ones(variable: Any, grad: Any, shared: bool) -> None:
    if variable._grad is None:
        variable._grad = from_array(grad if shared else grad.copy())
    else:
        variable._grad.add_array_(grad)


@mistake(
    ACCUMULATE,
    zh="后来的梯度，你只在 shared 为假时才加，别的都丢了。shared 只管第一份要不要复制；后来的，一份不少都要加。",
    en="A later gradient is added only where shared is false; the others are dropped. shared only decides whether the first is copied; later ones are all added.",
)
def adds_only_what_nobody_holds(variable: Any, grad: Any, shared: bool) -> None:
    if variable._grad is None:
        variable._grad = from_array(grad.copy() if shared else grad)
    elif not shared:
        variable._grad.add_array_(grad)


@mistake(
    RECORDED,
    zh="第一份有历史，和却没有：detach 或 no_grad 把加法的历史断掉了。直接写 held + grad，让加法也被记录。",
    en="The first gradient has a history, the sum has none: detach or no_grad has cut off the addition's. Just write held + grad, and let the addition be recorded.",
)
def forgets_how_it_added(variable: Any, grad: Any) -> None:
    held = variable._grad
    variable._grad = grad.copied() if held is None else (held + grad).detach()


@mistake(
    RECORDED,
    zh="held + grad 算出了和，却没有放回去，.grad 里还是第一份。写 variable._grad = held + grad。",
    en="held + grad computes the sum, but it is not put back, and .grad is still the first gradient. Write variable._grad = held + grad.",
)
def adds_and_forgets(variable: Any, grad: Any) -> None:
    if variable._grad is None:
        variable._grad = grad.copied()
    else:
        variable._grad + grad


@mistake(
    ZERO_GRAD,
    zh="默认值改成了 False：不写参数的 zero_grad() 该设成 None。第一行里的 set_to_none=True 要留着。",
    en="The default has become False, but zero_grad() without an argument sets None. Keep set_to_none=True in the first line.",
)
def zeros_by_default(self: Any, set_to_none: bool = False) -> None:
    for p in self.params:
        if p.grad is None:
            continue
        if set_to_none:
            p.grad = None
        else:
            if p.grad.grad_fn is not None:
                p.grad.detach_()
            p.grad.zero_()


@mistake(
    ZERO_GRAD,
    zh="zero_ 后面少了括号，只是提到了它，没有调用：写 p.grad.zero_()。",
    en="The brackets after zero_ are missing: it is only mentioned, not called. Write p.grad.zero_().",
)
def mentions_zero(self: Any, set_to_none: bool = True) -> None:
    for p in self.params:
        if p.grad is None:
            continue
        if set_to_none:
            p.grad = None
        else:
            if p.grad.grad_fn is not None:
                p.grad.detach_()
            p.grad.zero_


@mistake(
    ZERO_GRAD,
    zh="没有梯度的参数也走到了写 0 那一步：None 没有 grad_fn，也没有 zero_。循环里先看 p.grad 是不是 None，是就 continue。",
    en="A parameter without a gradient gets as far as the zeros: None has neither a grad_fn nor a zero_. First see in the loop whether p.grad is None; if so, continue.",
)
def asks_none_for_its_history(self: Any, set_to_none: bool = True) -> None:
    for p in self.params:
        if set_to_none:
            p.grad = None
        else:
            if p.grad.grad_fn is not None:
                p.grad.detach_()
            p.grad.zero_()


@mistake(
    ACCUMULATE,
    zh=".grad 里要放的是张量，你放进去的 grad 却是 NumPy 数组：用 from_array(…) 包起来。",
    en=".grad should hold a tensor, and the grad that you put there is a NumPy array: wrap it with from_array(…).",
)
def keeps_an_array(variable: Any, grad: Any, shared: bool) -> None:
    if variable._grad is None:
        variable._grad = grad.copy() if shared else grad
    else:
        variable._grad += grad
