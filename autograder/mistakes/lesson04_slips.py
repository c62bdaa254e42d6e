"""More known mistakes of lesson 04: sums that know arrays only, and loops that lose a stretched dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.mistakes import mistake
from autograder.mistakes.lesson04 import UNBROADCAST
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
    zh="从右往左逐维相加，编号不会乱，这很好；可 keepdim=False 把被拉长的维度去掉了：(4, 1) 要回到 (4, 1)，所以用 True。",
    en="Going from right to left keeps the numbers in step, good; but keepdim=False drops the stretched dimensions. (4, 1) must come back as (4, 1): use True.",
)
def loses_each_one_from_the_right(grad: Any, shape: Any) -> Any:
    grad = _without_extra(grad, shape)
    for dim in reversed(range(len(shape))):
        if shape[dim] == 1 and grad.shape[dim] > 1:
            grad = rules.sum(grad, (dim,), False)
    return grad
