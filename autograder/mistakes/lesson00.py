"""Known mistakes of lesson 00: the derivative of Σ (Y - w·X)², gone wrong where it usually does."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake

PART = "minigrad.warmup.squared_loss_grad"


@mistake(
    PART,
    zh="方向对了，大小只有一半：平方求导时，那个 2 没有写下来。",
    en="The direction is right, the size only half: differentiating the square brings down a 2.",
)
def forgot_the_two(w: Any, X: Any, Y: Any) -> Any:
    return (-X * (Y - w * X)).sum()


@mistake(
    PART,
    zh="符号反了：括号里面是 -w·X，它对 w 的导数是 -X，不是 X。照这个方向走，损失会越来越大。",
    en="The sign is turned: inside the bracket stands -w·X, whose derivative is -X, not X. Steps this way go uphill.",
)
def turned_sign(w: Any, X: Any, Y: Any) -> Any:
    return (2 * X * (Y - w * X)).sum()


@mistake(
    PART,
    zh="链式法则只走了一半：外层的平方求了导，里面的 -w·X 还没有求。",
    en="Half of the chain rule: the square outside is differentiated, the -w·X inside is not yet.",
)
def forgot_the_inner_derivative(w: Any, X: Any, Y: Any) -> Any:
    return (-2 * (Y - w * X)).sum()


@mistake(
    PART,
    zh="这是平均误差的导数。这里的损失是各点误差之和，不用除以点数。",
    en="This is the derivative of the mean error. The loss here is the sum over the points: nothing to divide by.",
)
def mean_for_sum(w: Any, X: Any, Y: Any) -> Any:
    return (-2 * X * (Y - w * X)).mean()


@mistake(
    PART,
    zh="每个点的贡献都算对了，还差最后一步：把它们加成一个数，因为 w 只有一个。",
    en="Each point's share is right; one step is missing: add them up to one number, for there is only one w.",
)
def not_summed(w: Any, X: Any, Y: Any) -> Any:
    return -2 * X * (Y - w * X)


@mistake(
    PART,
    zh="返回的是损失本身，不是它的导数。",
    en="This returns the loss itself, not its derivative.",
)
def the_loss_itself(w: Any, X: Any, Y: Any) -> Any:
    return ((Y - w * X) ** 2).sum()


@mistake(
    PART,
    zh="-40 是 w = 1 那个例子的答案。换一组数据就不对了：请写成公式。",
    en="-40 answers the example, where w = 1. Other data have other slopes: write the formula.",
)
def the_examples_answer(w: Any, X: Any, Y: Any) -> Any:
    return -40.0


@mistake(
    PART,
    zh="你先各自求和，再相乘：别的点的误差也混了进来。一个点的 X 只乘它自己的误差，乘完再加。",
    en="You add up first and multiply afterwards, which mixes in other points' errors. A point's X goes with its own error: multiply, then add.",
)
def product_of_sums(w: Any, X: Any, Y: Any) -> Any:
    return -2 * X.sum() * (Y - w * X).sum()


@mistake(
    PART,
    zh="少了一对括号：-2 * X 只乘到了 Y，没有乘到 w * X。误差 Y - w * X 是一个整体。",
    en="A pair of brackets is missing: -2 * X multiplies Y, but not w * X. The error Y - w * X belongs together.",
)
def forgot_the_brackets(w: Any, X: Any, Y: Any) -> Any:
    return (-2 * X * Y - w * X).sum()
