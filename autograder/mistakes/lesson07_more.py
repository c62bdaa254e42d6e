"""Still more of lesson 07: tensors where an array is wanted, brackets left out, branches that are missing or exchanged."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson07 import ACCUMULATE, RECORDED, ZERO_GRAD
from minigrad.tensor import from_array

# ── accumulate ───────────────────────────────────────────────────────────────────────────────────


@mistake(
    ACCUMULATE,
    zh="add_array_ 要的是数组，你给了它一个张量。grad 本来就是数组，直接给：add_array_(grad)。",
    en="add_array_ takes an array, and you give it a tensor. grad is an array already: add_array_(grad).",
)
def wraps_what_it_adds(variable: Any, grad: Any, shared: bool) -> None:
    if variable._grad is None:
        variable._grad = from_array(grad.copy() if shared else grad)
    else:
        variable._grad.add_array_(from_array(grad))


@mistake(
    ACCUMULATE,
    zh="copy 后面少了括号，放进去的是方法本身，不是复制出来的数组。写 grad.copy()。",
    en="The brackets after copy are missing: what goes in is the method itself, not a copy of the array. Write grad.copy().",
)
def mentions_copy(variable: Any, grad: Any, shared: bool) -> None:
    if variable._grad is None:
        variable._grad = from_array(grad.copy if shared else grad)
    else:
        variable._grad.add_array_(grad)


@mistake(
    ACCUMULATE,
    zh="第一份到的时候，variable._grad 还是 None，没有东西可加。先看它是不是 None：是，就放进去；不是，才加。要是已经看了，就是两支放反了。",
    en="When the first gradient arrives, variable._grad is still None, and there is nothing to add to. See whether it is None: if so, put the gradient there; if not, add. If you do ask, the two branches are exchanged.",
)
def adds_to_nothing(variable: Any, grad: Any, shared: bool) -> None:
    variable._grad.add_array_(grad)


# ── accumulate_graph ─────────────────────────────────────────────────────────────────────────────


@mistake(
    RECORDED,
    zh="copied 后面少了括号，放进去的是方法本身，不是梯度。写 grad.copied()。",
    en="The brackets after copied are missing: what goes in is the method itself, not a gradient. Write grad.copied().",
)
def mentions_copied(variable: Any, grad: Any) -> None:
    variable._grad = grad.copied if variable._grad is None else variable._grad + grad


@mistake(
    RECORDED,
    zh="copy() 是数组的方法。这里 grad 是张量，带历史的复制是 grad.copied()。",
    en="copy() is an array's method. Here grad is a tensor, and a copy with its history is grad.copied().",
)
def copies_like_an_array(variable: Any, grad: Any) -> None:
    variable._grad = grad.copy() if variable._grad is None else variable._grad + grad


@mistake(
    RECORDED,
    zh="带历史的第一份算了两遍：放进去之后又加了一次。两种情形之间加上 else。",
    en="The first gradient counts twice: it is put there, then added once more. Put an else between the two cases.",
)
def doubles_the_first_recorded(variable: Any, grad: Any) -> None:
    if variable._grad is None:
        variable._grad = grad.copied()
    variable._grad = variable._grad + grad


@mistake(
    RECORDED,
    zh="add_array_ 加的是数组，而且在原来的张量里加。这里 grad 是带历史的张量，要造新的：variable._grad = held + grad。",
    en="add_array_ adds an array, into the tensor that is there. Here grad is a tensor with a history, and a new one is to be made: variable._grad = held + grad.",
)
def adds_it_as_an_array(variable: Any, grad: Any) -> None:
    if variable._grad is None:
        variable._grad = grad.copied()
    else:
        variable._grad.add_array_(grad)


@mistake(
    RECORDED,
    zh="旧的那一份 detach 了，和里只剩新来的这一份有历史。两份的历史都要留着：held + grad。",
    en="What was there is detached, so only the new gradient's history is left in the sum. Keep both: held + grad.",
)
def detaches_what_was_there(variable: Any, grad: Any) -> None:
    held = variable._grad
    variable._grad = grad.copied() if held is None else held.detach() + grad


# ── zero_grad ────────────────────────────────────────────────────────────────────────────────────


@mistake(
    ZERO_GRAD,
    zh="最后一个参数没有清：range(len(…) - 1) 少数了一个。直接写 for p in self.params。",
    en="The last parameter is not cleared: range(len(…) - 1) stops one short. Just write for p in self.params.",
)
def leaves_out_the_last(self: Any, set_to_none: bool = True) -> None:
    for p in self.params[:-1]:
        if p.grad is None:
            continue
        if set_to_none:
            p.grad = None
        else:
            p.grad.detach_()
            p.grad.zero_()


@mistake(
    ZERO_GRAD,
    zh="有历史的梯度只去掉了历史，没有写 0：两步之间不要用 else。先看要不要 detach_()，然后总是 zero_()。",
    en="A gradient with a history only loses that, and no zeros are written: there should be no else between the two. First detach_() where needed, then zero_() in any case.",
)
def detaches_or_clears(self: Any, set_to_none: bool = True) -> None:
    for p in self.params:
        if p.grad is None:
            continue
        if set_to_none:
            p.grad = None
        elif p.grad.grad_fn is not None:
            p.grad.detach_()
        else:
            p.grad.zero_()


@mistake(
    ZERO_GRAD,
    zh="设成 None 之后，你又接着去清它：None 没有 grad_fn，也没有 zero_。写 0 的那几行要放进 else。",
    en="Having set it to None, you go on to clear it: None has neither a grad_fn nor a zero_. The lines that write zeros belong into an else.",
)
def clears_the_none_as_well(self: Any, set_to_none: bool = True) -> None:
    for p in self.params:
        if p.grad is None:
            continue
        if set_to_none:
            p.grad = None
        if p.grad.grad_fn is not None:
            p.grad.detach_()
        p.grad.zero_()


@mistake(
    ZERO_GRAD,
    zh="优化器没有 parameters()，那是网络（nn.Module）的方法。它的参数在 self.params 里，是一个列表，不用加括号。",
    en="An optimizer has no parameters(): that is a method of networks (nn.Module). Its parameters are in self.params, a list, without brackets.",
)
def asks_for_parameters(self: Any, set_to_none: bool = True) -> None:
    for p in self.parameters():
        p.grad = None


@mistake(
    ZERO_GRAD,
    zh="zero_grad 是优化器的方法，张量没有。要清的是 p.grad：设成 None，或者 p.grad.zero_()。",
    en="zero_grad is a method of optimizers; a tensor has none. What to clear is p.grad: set it to None, or call p.grad.zero_().",
)
def asks_the_tensor_to_do_it(self: Any, set_to_none: bool = True) -> None:
    for p in self.params:
        p.zero_grad()


@mistake(
    ZERO_GRAD,
    zh="set_to_none 为假的时候你什么也没做，旧梯度还在。那时要把 0 写进原来的张量：p.grad.zero_()。",
    en="With set_to_none=False you do nothing, and the old gradient is still there. Write zeros into the tensor that is there: p.grad.zero_().",
)
def does_nothing_for_zeros(self: Any, set_to_none: bool = True) -> None:
    for p in self.params:
        if p.grad is not None and set_to_none:
            p.grad = None


@mistake(
    RECORDED,
    zh="add_array_ 原地加进了原来的张量，别人手里的旧梯度也跟着变，新的这一份又没有历史。这里要的是一个新张量：held + grad。",
    en="add_array_ adds in place: whoever holds the old gradient sees it change, and what was added has no history. What is wanted here is a new tensor: held + grad.",
)
def adds_the_array_in_place(variable: Any, grad: Any) -> None:
    if variable._grad is None:
        variable._grad = grad.copied()
    else:
        variable._grad.add_array_(grad._data)


@mistake(
    RECORDED,
    zh="和只存在你自己的变量里，函数一结束就没了；variable._grad 没有动过。最后一步要写 variable._grad = …。",
    en="The sum is held by a variable of your own only, and gone when the function ends; variable._grad was never set. The last step has to be variable._grad = ….",
)
def binds_a_name_of_its_own(variable: Any, grad: Any) -> None:
    held = variable._grad
    held = grad.copied() if held is None else held + grad
