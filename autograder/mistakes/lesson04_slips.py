"""More known mistakes of lesson 04: sums that know arrays only, and loops that lose a stretched dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.mistakes import mistake
from autograder.mistakes.lesson04 import EXPAND, STRETCHES, UNBROADCAST
from minigrad import rules


@mistake(
    UNBROADCAST,
    zh="np.sum 只认数组，可传来的梯度也可能是张量（自定义规则交回来的就是）。用 rules.sum，两样都行。",
    en="np.sum knows arrays only, and a gradient may come as a tensor as well (custom rules hand back tensors). rules.sum takes both.",
)
def sums_by_numpy(grad: Any, shape: Any) -> Any:
    extra = grad.ndim - len(shape)
    ones = (extra + dim for dim, n in enumerate(shape) if n == 1)
    return np.sum(grad, axis=(*range(extra), *ones), keepdims=True).reshape(shape)


def _without_extra(grad: Any, shape: Any) -> Any:
    """The surplus on the left summed away, as it should be, for mistakes that are made afterwards."""
    return rules.sum(grad, tuple(range(grad.ndim - len(shape))), False)


@mistake(
    UNBROADCAST,
    zh="左边多出来的加对了；可是逐维加大小为 1 的那些时，用了 keepdim=False，这一维就没了，(4, 1) 成了 (4,)。这里要用 True。",
    en="The surplus on the left is summed rightly; but where your loop sums a dimension of size 1 it uses keepdim=False, and the dimension is lost: (4, 1) becomes (4,). Here it must be True.",
)
def loses_each_one(grad: Any, shape: Any) -> Any:
    grad = _without_extra(grad, shape)
    for dim, n in enumerate(shape):
        if n == 1:
            grad = rules.sum(grad, (dim,), False)
    return grad


@mistake(
    UNBROADCAST,
    zh="数组的 .sum(i, True) 把 True 当成了 dtype。要写明 keepdims=True；或者用 rules.sum(grad, (i,), True)，数组和张量都行。",
    en="An array's .sum(i, True) takes True for a dtype. Name it, keepdims=True; or write rules.sum(grad, (i,), True), which takes arrays and tensors.",
)
def passes_true_for_the_dtype(grad: Any, shape: Any) -> Any:
    while grad.ndim > len(shape):
        grad = grad.sum(0)
    for dim, n in enumerate(shape):
        if n == 1:
            grad = grad.sum(dim, True)
    return grad


@mistake(
    STRETCHES,
    zh="你只看了最后一维，循环第一圈就 return 了。不合可以马上 return False；return True 要等每一维都看过，放在循环外面。",
    en="Only the last dimension is looked at: the loop returns in its first round. A misfit may return False at once, but return True belongs after the loop, when every dimension has been seen.",
)
def looks_at_the_last_one_only(shape: Any, target: Any) -> bool:
    return len(shape) <= len(target) and (not shape or shape[-1] in (1, target[-1]))


@mistake(
    UNBROADCAST,
    zh="return 写进了循环里：加完第一个拉长的维度就走了，其余的还是大的。每一维都加完，最后再返回。",
    en="The return is inside the loop, which ends at the first stretched dimension and leaves the others large. Sum them all, and return after the loop.",
)
def returns_after_one(grad: Any, shape: Any) -> Any:
    grad = _without_extra(grad, shape)
    for dim, n in enumerate(shape):
        if n == 1 and grad.shape[dim] != 1:
            return rules.sum(grad, (dim,), True)
    return grad


@mistake(
    UNBROADCAST,
    zh="左边多出来的维度，你最多只加掉一个：if 只问一次。多出几个就加几个：while grad.ndim > len(shape)。",
    en="Of the surplus dimensions on the left you sum away one at most: an if asks only once. Sum as many as there are: while grad.ndim > len(shape).",
)
def sums_one_surplus_only(grad: Any, shape: Any) -> Any:
    if grad.ndim > len(shape):
        grad = rules.sum(grad, (0,), False)
    for dim, n in enumerate(shape):
        if n == 1 and grad.shape[dim] != 1:
            grad = rules.sum(grad, (dim,), True)
    return grad


@mistake(
    STRETCHES,
    zh="漏看了 shape 的第一维：range(1, len(shape)) 少走一圈。从右边数起，shape[-1] 到 shape[-len(shape)] 都要看，所以是 range(1, len(shape) + 1)。",
    en="The first dimension of shape is never looked at: range(1, len(shape)) goes round once too little. Counted from the right, all of shape[-1] to shape[-len(shape)] matter: range(1, len(shape) + 1).",
)
def leaves_out_the_first(shape: Any, target: Any) -> bool:
    return len(shape) <= len(target) and all(shape[-i] in (1, target[-i]) for i in range(1, len(shape)))


@mistake(
    STRETCHES,
    zh="没有维度的 () 你拒绝了。它只有一个数，什么形状都拉得成。",
    en="You refuse (), which has no dimensions. It holds a single number, and that can be stretched to any shape.",
)
def refuses_no_dimensions(shape: Any, target: Any) -> bool:
    return (
        bool(shape)
        and len(shape) <= len(target)
        and all(shape[-i] in (1, target[-i]) for i in range(1, len(shape) + 1))
    )


@mistake(
    UNBROADCAST,
    zh="grad[0] 只留下头一份，别的份都丢了：要的是把各份加起来。被拉长的 1 还一点没动，也要加回去。",
    en="grad[0] keeps the first copy and drops the rest: the copies have to be added up. Those of size 1 that were stretched are still as they came, and are to be summed as well.",
)
def keeps_the_first_row(grad: Any, shape: Any) -> Any:
    return grad[(0,) * (grad.ndim - len(shape))]


@mistake(
    UNBROADCAST,
    zh="多出来的维和被拉长的 1，你只管了一样：if … else … 只走一边，两样可以同时有。先加掉左边多出来的，再看大小为 1 的。",
    en="Of surplus dimensions and stretched ones you see to one kind only: if … else … takes one branch, and both may be there. Sum what is surplus on the left first, then look for the sizes of 1.",
)
def sees_to_one_kind(grad: Any, shape: Any) -> Any:
    if grad.ndim > len(shape):
        return _without_extra(grad, shape)
    ones = tuple(dim for dim, n in enumerate(shape) if n == 1 and grad.shape[dim] != 1)
    return rules.sum(grad, ones, True) if ones else grad


@mistake(
    EXPAND,
    zh="方向反了：grad 已经是拉长之后的形状，要的是加回 self_shape 那么大，不是再拉长一次。",
    en="The wrong way round: grad has the stretched shape already, and is to be summed back to self_shape, not stretched once more.",
)
def expands_once_more(grad: Any, self_shape: Any) -> Any:
    return rules.expand(grad, self_shape)
