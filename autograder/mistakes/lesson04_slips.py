"""More known mistakes of lesson 04: sums that know arrays only, and loops that lose a stretched dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.mistakes import mistake
from autograder.mistakes.lesson04 import STRETCHES, UNBROADCAST
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
