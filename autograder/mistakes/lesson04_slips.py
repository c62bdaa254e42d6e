"""More known mistakes of lesson 04: sums that know arrays only."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.mistakes import mistake
from autograder.mistakes.lesson04 import UNBROADCAST


@mistake(
    UNBROADCAST,
    zh="np.sum 只认数组，可传来的梯度也可能是张量（自定义规则交回来的就是）。用 rules.sum，两样都行。",
    en="np.sum knows arrays only, and a gradient may come as a tensor as well (custom rules hand back tensors). rules.sum takes both.",
)
def sums_by_numpy(grad: Any, shape: Any) -> Any:
    extra = grad.ndim - len(shape)
    ones = (extra + dim for dim, n in enumerate(shape) if n == 1)
    return np.sum(grad, axis=(*range(extra), *ones), keepdims=True).reshape(shape)
