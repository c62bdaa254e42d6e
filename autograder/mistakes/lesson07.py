"""Known mistakes of lesson 07: gradients overwritten, shared or averaged, histories spoilt, clearing that clears too
much or too little."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from minigrad import zeros_like
from minigrad.tensor import from_array

ACCUMULATE = "minigrad.autograd.accumulate.accumulate"
RECORDED = "minigrad.autograd.accumulate.accumulate_graph"
ZERO_GRAD = "minigrad.optim.Optimizer.zero_grad"

# ── accumulate ───────────────────────────────────────────────────────────────────────────────────


@mistake(
    ACCUMULATE,
    zh="新的梯度盖掉了旧的。.grad 是累加的：已经有了，就往上加。",
    en="The new gradient overwrites the old one. .grad accumulates: add to what is there.",
)
def overwrites(variable: Any, grad: Any, shared: bool) -> None:
    variable._grad = from_array(grad.copy())


@mistake(
    ACCUMULATE,
    zh="第一个梯度没有复制就留下了，可同一个数组别人手里也有（比如加法把一个梯度给了两个输入）。改了一个，另一个也跟着变。shared 为真（不是为假）时先 copy()。",
    en="The first gradient was kept without a copy, though somebody else holds the same array (an addition gives one gradient to both its inputs). "
    "Write to one and the other changes. Where shared is true (not false), copy() first.",
)
def never_copies(variable: Any, grad: Any, shared: bool) -> None:
    if variable._grad is None:
        variable._grad = from_array(grad)
    else:
        variable._grad.add_array_(grad)


@mistake(
    ACCUMULATE,
    zh="和是对的，却放进了一个新张量。手里拿着旧 w.grad 的人看不到它。往同一个张量里加：held.add_array_(grad)。",
    en="The sum is right, but in a new tensor: whoever holds the old w.grad does not see it. Add into the same one: held.add_array_(grad).",
)
def makes_a_new_tensor(variable: Any, grad: Any, shared: bool) -> None:
    held = variable._grad
    variable._grad = from_array(grad.copy() if held is None else held._data + grad)


@mistake(
    ACCUMULATE,
    zh="第一个梯度算了两遍：放进去之后又加了一次。两种情形之间要有 else。",
    en="The first gradient counts twice: put there, then added once more. The two cases need an else between them.",
)
def doubles_the_first(variable: Any, grad: Any, shared: bool) -> None:
    if variable._grad is None:
        variable._grad = from_array(grad.copy() if shared else grad)
    variable._grad.add_array_(grad)


@mistake(
    ACCUMULATE,
    zh="你取了平均。累加就是相加，链式法则对所有路径求和，不除以次数。",
    en="You took the mean. Accumulating means adding: the chain rule sums over all paths and divides by nothing.",
)
def takes_the_mean(variable: Any, grad: Any, shared: bool) -> None:
    if variable._grad is None:
        variable._grad = from_array(grad.copy())
    else:
        variable._grad.add_array_((grad - variable._grad._data) / 2)


@mistake(
    ACCUMULATE,
    zh="只有第一个梯度留了下来，后来的都丢了。",
    en="Only the first gradient stays; all later ones are lost.",
)
def keeps_only_the_first(variable: Any, grad: Any, shared: bool) -> None:
    if variable._grad is None:
        variable._grad = from_array(grad.copy())


@mistake(
    ACCUMULATE,
    zh="数加对了，版本号却没有动：你绕过张量，直接写了它的数组。用 held.add_array_(grad)，它会给版本号加 1。",
    en="The numbers are right, but the version didn't move: you wrote to the array behind the tensor's back. Use held.add_array_(grad), which counts the write.",
)
def writes_behind_its_back(variable: Any, grad: Any, shared: bool) -> None:
    if variable._grad is None:
        variable._grad = from_array(grad.copy())
    else:
        variable._grad._data = variable._grad._data + grad


@mistake(
    ACCUMULATE,
    zh="grad 是数组，你把数组本身放进了 .grad。那里要放张量：from_array(grad)；以后用 add_array_ 加进去。",
    en="grad is an array, and you put the bare array into .grad. A tensor belongs there: from_array(grad); add later ones with add_array_.",
)
def stores_the_array(variable: Any, grad: Any, shared: bool) -> None:
    if variable._grad is None:
        variable._grad = grad
    else:
        variable._grad += grad


# ── accumulate_graph ─────────────────────────────────────────────────────────────────────────────


@mistake(
    RECORDED,
    zh="你在旧的梯度上原地相加，拿着它的人（或保存了它的图）读到的数就变了。这里要造新张量：旧的 + 新的。",
    en="You added in place, so whoever holds the old gradient, or a graph that saved it, now reads a different number. Make a new tensor here: old + new.",
)
def adds_in_place(variable: Any, grad: Any) -> None:
    if variable._grad is None:
        variable._grad = grad.copied()
    else:
        variable._grad += grad


@mistake(
    RECORDED,
    zh="新的梯度盖掉了旧的。带着历史的梯度也要累加。",
    en="The new gradient overwrites the old one. Gradients with a history accumulate, too.",
)
def overwrites_the_recorded(variable: Any, grad: Any) -> None:
    variable._grad = grad.copied()


@mistake(
    RECORDED,
    zh="历史丢了：梯度不再知道自己是怎么算出来的，也就不能再对它求导。用张量相加，不要 detach，不要 no_grad，也不要用数组。",
    en="The history is lost: the gradient no longer knows how it was computed, and cannot be differentiated. Add tensors; no detach, no no_grad, no arrays.",
)
def drops_the_history(variable: Any, grad: Any) -> None:
    held = variable._grad
    variable._grad = grad.detach().clone() if held is None else (held + grad).detach()


@mistake(
    RECORDED,
    zh="只有第一次之后的和带历史，第一个梯度却 detach 了。第一次用 grad.copied()。",
    en="The sums have a history, but the first gradient was detached. For the first take grad.copied().",
)
def detaches_the_first(variable: Any, grad: Any) -> None:
    variable._grad = grad.detach().clone() if variable._grad is None else variable._grad + grad


@mistake(
    RECORDED,
    zh="第一个梯度没有复制，两个叶子的 .grad 成了同一个张量。用 grad.copied()。",
    en="The first gradient was not copied, so two leaves share one tensor as their .grad. Take grad.copied().",
)
def shares_the_first(variable: Any, grad: Any) -> None:
    variable._grad = grad if variable._grad is None else variable._grad + grad


@mistake(
    RECORDED,
    zh="这里不能照搬普通梯度的做法：第一次要 grad.copied()，不然两个叶子共用一个张量；以后要造新张量，不要原地加。",
    en="What works for plain gradients won't do here: the first time take grad.copied(), or two leaves share one tensor; after that make a new tensor, nothing in place.",
)
def treats_it_as_plain(variable: Any, grad: Any) -> None:
    if variable._grad is None:
        variable._grad = grad
    else:
        variable._grad += grad


# ── zero_grad ────────────────────────────────────────────────────────────────────────────────────


@mistake(
    ZERO_GRAD,
    zh="你没有看 set_to_none，总是设成 None。它是 False 时，要在原来的张量里写 0。",
    en="You don't look at set_to_none and always set None. If it is False, zeros go into the tensor that is there.",
)
def always_none(self: Any, set_to_none: bool = True) -> None:
    for p in self.params:
        p.grad = None


@mistake(
    ZERO_GRAD,
    zh="你总是写 0。默认（set_to_none=True）要的是 None：没有梯度，和梯度为 0，对优化器是两回事。",
    en="You always write zeros. The default (set_to_none=True) asks for None: to an optimizer, no gradient and a gradient of 0 are two different things.",
)
def always_zeros(self: Any, set_to_none: bool = True) -> None:
    for p in self.params:
        if p.grad is not None:
            p.grad.detach_()
            p.grad.zero_()


@mistake(
    ZERO_GRAD,
    zh="碰到一个没有梯度的参数就停下了，后面的没有清。跳过它，用 continue。",
    en="You stop at a parameter without a gradient, and those after it are not cleared. Skip it with continue.",
)
def stops_at_the_first_none_found(self: Any, set_to_none: bool = True) -> None:
    for p in self.params:
        if p.grad is None:
            return
        if set_to_none:
            p.grad = None
        else:
            p.grad.detach_()
            p.grad.zero_()


@mistake(
    ZERO_GRAD,
    zh="没有梯度的参数，也被你配上了一个全 0 的梯度。原来是 None 的，还应是 None。",
    en="You gave parameters without a gradient one of zeros. What was None should stay None.",
)
def zeros_for_all(self: Any, set_to_none: bool = True) -> None:
    for p in self.params:
        if set_to_none:
            p.grad = None
        elif p.grad is None:
            p.grad = zeros_like(p)
        else:
            p.grad.detach_()
            p.grad.zero_()


@mistake(
    ZERO_GRAD,
    zh="0 放进了新张量。set_to_none=False 的意思是留着原来的张量，只把里面写成 0：zero_()。",
    en="The zeros are in a new tensor. set_to_none=False means: keep the tensor, write zeros into it, zero_().",
)
def new_zeros(self: Any, set_to_none: bool = True) -> None:
    for p in self.params:
        if p.grad is not None:
            p.grad = None if set_to_none else zeros_like(p.grad)


@mistake(
    ZERO_GRAD,
    zh="乘 0 清不掉 inf 和 nan：inf 乘 0 是 nan，从此一直是 nan。直接写 0：zero_()。",
    en="Multiplying by 0 doesn't clear inf or nan: inf times 0 is nan, and stays nan for ever. Write zeros: zero_().",
)
def multiplies_by_zero(self: Any, set_to_none: bool = True) -> None:
    for p in self.params:
        if p.grad is not None:
            if set_to_none:
                p.grad = None
            else:
                p.grad.detach_()
                p.grad.mul_(0)


@mistake(
    ZERO_GRAD,
    zh="带着历史的梯度（create_graph=True 得来的），清零之后历史还在，图也就一直被它拖着。清零之前先 detach_()，带下划线：detach() 和 .data 给的是另一个张量，p.grad 自己没有变。",
    en="A gradient with a history (from create_graph=True) still has it after clearing, and holds on to its graph. Call detach_() before writing zeros, with the underscore: detach() and .data give another tensor, and p.grad itself stays as it was.",
)
def keeps_the_history(self: Any, set_to_none: bool = True) -> None:
    for p in self.params:
        if p.grad is not None:
            if set_to_none:
                p.grad = None
            else:
                p.grad.zero_()


@mistake(
    ZERO_GRAD,
    zh="你把参数清成了 0，而不是它的梯度。",
    en="You set the parameter to zero, not its gradient.",
)
def clears_the_parameter(self: Any, set_to_none: bool = True) -> None:
    for p in self.params:
        if p.grad is not None:
            p.data.zero_()
            p.grad = None if set_to_none else p.grad.detach().zero_()


@mistake(
    ZERO_GRAD,
    zh="p.grad 可能是 None，None 没有 zero_。先看有没有梯度，没有就跳过。",
    en="p.grad may be None, and None has no zero_. First see whether there is a gradient; if not, go on to the next.",
)
def stumbles_over_missing_gradients(self: Any, set_to_none: bool = True) -> None:
    for p in self.params:
        if set_to_none:
            p.grad = None
        else:
            p.grad.zero_()


# ── More slips ───────────────────────────────────────────────────────────────────────────────────


@mistake(
    ACCUMULATE,
    zh="你把梯度加到了叶子自己身上，参数就这样变了。要加的是 variable._grad：variable._grad.add_array_(grad)。",
    en="You added the gradient to the leaf itself, so the parameter has changed. Add it to variable._grad: variable._grad.add_array_(grad).",
)
def adds_to_the_leaf(variable: Any, grad: Any, shared: bool) -> None:
    if variable._grad is None:
        variable._grad = from_array(grad.copy() if shared else grad)
    else:
        variable.add_array_(grad)


@mistake(
    ACCUMULATE,
    zh="你问的是张量的真假：好几个数的张量没有真假可言，只有一个 0 的又是假。有没有梯度，问 is None。",
    en="You ask whether a tensor is true: with several numbers it is neither, and a single 0 is false. To see whether there is a gradient, use `is None`.",
)
def asks_whether_it_is_true(variable: Any, grad: Any, shared: bool) -> None:
    if not variable._grad:
        variable._grad = from_array(grad.copy() if shared else grad)
    else:
        variable._grad.add_array_(grad)


@mistake(
    ACCUMULATE,
    zh="和没有写进 variable._grad：返回它，或者只放进自己的变量，都没有人看得见。写 variable._grad = …。",
    en="Nothing was put into variable._grad: nobody sees what you return or keep in a variable of your own. Write variable._grad = ….",
)
def writes_it_nowhere(variable: Any, grad: Any, shared: bool) -> None:
    held = variable._grad
    held = from_array(grad.copy() if shared else grad) if held is None else held.add_array_(grad)


@mistake(
    RECORDED,
    zh="什么也没有写进 variable._grad：返回的东西引擎不看，放进自己的变量也没有用。写 variable._grad = …。",
    en="Nothing went into variable._grad: the engine doesn't look at what you return, and a variable of your own is of no use. Write variable._grad = ….",
)
def puts_it_nowhere(variable: Any, grad: Any) -> Any:
    return grad.copied() if variable._grad is None else variable._grad + grad


@mistake(
    ZERO_GRAD,
    zh="两种清法放反了：set_to_none 为真时你写了 0，为假时设成了 None。",
    en="The two ways are swapped: you write zeros when set_to_none is true, and set None when it is false.",
)
def exchanges_the_two_ways(self: Any, set_to_none: bool = True) -> None:
    for p in self.params:
        if p.grad is None:
            continue
        if not set_to_none:
            p.grad = None
        else:
            p.grad.detach_()
            p.grad.zero_()


@mistake(
    ZERO_GRAD,
    zh="只清了第一个就走了：return 写进了循环里面。zero_grad 什么也不用返回。",
    en="Only the first is cleared: there is a return inside the loop. zero_grad needn't return anything.",
)
def leaves_after_the_first(self: Any, set_to_none: bool = True) -> None:
    for p in self.params:
        if p.grad is None:
            continue
        if set_to_none:
            p.grad = None
        else:
            p.grad.detach_()
            p.grad.zero_()
        return


@mistake(
    ZERO_GRAD,
    zh="p = None，或者先写 g = p.grad 再写 g = None，都只是让一个名字指向别处，p 的梯度没有动。写 p.grad = None。",
    en="p = None, or g = p.grad and then g = None, only makes a name refer to something else; the gradient of p stays as it was. Write p.grad = None.",
)
def clears_only_the_name(self: Any, set_to_none: bool = True) -> None:
    for p in self.params:
        p = None  # noqa: F841
