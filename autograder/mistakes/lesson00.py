"""Known mistakes of lesson 00: the derivative of Σ (Y - w·X)², gone wrong where it usually does."""

from __future__ import annotations

from typing import Any

import minigrad
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
    zh="符号反了：Y - w·X 对 w 的导数是 -X，反过来写的 w·X - Y 才是 X。照现在的方向走，损失会越来越大。",
    en="The sign is flipped: the derivative of Y - w·X is -X; only that of w·X - Y is X. Steps in this direction go uphill.",
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
    zh="这是平均值的导数。这里的损失是各点误差平方之和，不用除以点数。",
    en="This is the derivative of the mean. The loss here is the sum of the squared errors: there is nothing to divide by.",
)
def mean_for_sum(w: Any, X: Any, Y: Any) -> Any:
    return (-2 * X * (Y - w * X)).mean()


@mistake(
    PART,
    zh="每个点的贡献都算对了，还差最后一步：把它们加成一个数，因为 w 只有一个。",
    en="Each point's share is right; one step is missing: add them up into one number, for there is only one w.",
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
    en="-40 is the answer for the example, w = 1. Other data have other slopes: write the formula.",
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


@mistake(
    PART,
    zh="平方求导，指数从 2 变成 1：误差本身留下来，不再平方。",
    en="Differentiating a square takes the exponent from 2 to 1: the error itself stays, no longer squared.",
)
def keeps_the_square(w: Any, X: Any, Y: Any) -> Any:
    return (-2 * X * (Y - w * X) ** 2).sum()


@mistake(
    PART,
    zh="2 和负号都没有写下来：外层的平方给出 2，里面的 -w·X 给出 -X。",
    en="Neither the 2 nor the minus is there: the square outside gives the 2, the -w·X inside gives -X.",
)
def forgot_two_and_sign(w: Any, X: Any, Y: Any) -> Any:
    return (X * (Y - w * X)).sum()


@mistake(
    PART,
    zh="外层的平方求了导，里面的没有：-w·X 对 w 的导数是 -X，你的式子里既没有 X，也没有负号。",
    en="The square outside is differentiated, the inside is not: -w·X has the derivative -X, and there is neither an X nor a minus in yours.",
)
def forgot_the_inner_and_its_sign(w: Any, X: Any, Y: Any) -> Any:
    return (2 * (Y - w * X)).sum()


@mistake(
    PART,
    zh="这是对 X 的导数。问的是 w：里面的 -w·X 对 w 求导，留下的是 -X。",
    en="This is the derivative with respect to X. The question is about w: inside, -w·X differentiated with respect to w leaves -X.",
)
def with_respect_to_x(w: Any, X: Any, Y: Any) -> Any:
    return (-2 * w * (Y - w * X)).sum()


@mistake(
    PART,
    zh="X 和 Y 换了位置：误差是 Y - w·X，外面乘的是 X。",
    en="X and Y have changed places: the error is Y - w·X, and what multiplies it is X.",
)
def exchanges_x_and_y(w: Any, X: Any, Y: Any) -> Any:
    return (-2 * Y * (X - w * Y)).sum()


@mistake(
    PART,
    zh="只算了第一个点。要是用 [0] 取的，换成 .sum()；要是 return 写进了循环里面，把它往左挪，等循环走完再返回。",
    en="Only the first point counts. If you took it with [0], use .sum() instead; if the return is inside the loop, move it to the left, so that it comes after the loop.",
)
def only_the_first_point(w: Any, X: Any, Y: Any) -> Any:
    for x, y in zip(X, Y, strict=True):
        return -2 * x * (y - w * x)


@mistake(
    PART,
    zh=".sum() 只管到它前面那对括号：先加起来的是误差，再去乘 X，得到的是好几个数。把整个乘积括起来，最后再求和。",
    en=".sum() takes only the brackets right before it: the errors are added up first and multiplied by X afterwards, which leaves several numbers. Put brackets around the whole product, and sum last.",
)
def sums_the_errors_only(w: Any, X: Any, Y: Any) -> Any:
    return -2 * X * (Y - w * X).sum()


@mistake(
    PART,
    zh="这是走了一步之后的 w，不是斜率。怎么用斜率走路是下山那一步的事，这里只要斜率本身。",
    en="This is w after a step, not the slope. Taking the step is the descent's job; here only the slope is wanted.",
)
def the_next_w(w: Any, X: Any, Y: Any) -> Any:
    return w - 0.01 * (-2 * X * (Y - w * X)).sum()


@mistake(
    PART,
    zh="你是推一推量出来的，又只往一边推，所以差一点。量得再细也是近似：在纸上求导，写出公式。",
    en="You measured it by nudging to one side, and it is slightly off. However fine, that is an approximation: differentiate on paper and write the formula.",
)
def nudges_one_way(w: Any, X: Any, Y: Any) -> Any:
    return (((Y - (w + 1e-4) * X) ** 2).sum() - ((Y - w * X) ** 2).sum()) / 1e-4


@mistake(
    PART,
    zh="你往两边各推一下量出来的。对抛物线它碰巧准，可数一大、位数一少就露馅：引擎里用的是 float32。在纸上求导，写出公式。",
    en="You measured it by nudging to both sides. For a parabola that happens to be exact, but only with digits to spare, and the engine works in float32 here. Differentiate on paper and write the formula.",
)
def nudges_both_ways(w: Any, X: Any, Y: Any) -> Any:
    return (((Y - (w + 1e-4) * X) ** 2).sum() - ((Y - (w - 1e-4) * X) ** 2).sum()) / 2e-4


@mistake(
    PART,
    zh="数值对了，可是 X 或 Y 被你改了：-=、*= 这样的写法改的是传进来的张量本身，别人还要用它们。写成 Y - w * X，得到一个新的。",
    en="The number is right, but X or Y was changed: -=, *= and their like write into the very tensors that came in, which others still need. Y - w * X makes a new one.",
)
def works_in_place(w: Any, X: Any, Y: Any) -> Any:
    Y -= w * X
    X *= -2
    return (X * Y).sum()


@mistake(
    PART,
    zh="循环里只留下了最后一个点：total = … 每次都把前面的盖掉。每个点的贡献要加起来：total += …。",
    en="Only the last point is left: total = … overwrites what was there before. Add up what the points contribute: total += ….",
)
def only_the_last_point(w: Any, X: Any, Y: Any) -> Any:
    total = 0
    for x, y in zip(X, Y, strict=True):
        total = -2 * x * (y - w * x)
    return total


@mistake(
    PART,
    zh="你让引擎自己去求导了。可是引擎的反向传播正要用你这个函数：在它里面什么也不记录，backward 也就无从走起。在纸上求导，写出公式。",
    en="You let the engine differentiate. But the engine's own backward calls this very function, and inside it nothing is recorded, so backward has nowhere to go. Differentiate on paper and write the formula.",
)
def leaves_it_to_backward(w: Any, X: Any, Y: Any) -> Any:
    w = minigrad.tensor(w, requires_grad=True)
    ((Y - w * X) ** 2).sum().backward()
    return w.grad


@mistake(
    PART,
    zh="你往两边各推了很小的一步来量。步子越小，两次相减剩下的位数越少：float64 里看不出，引擎里用的 float32 就露馅了。在纸上求导，写出公式。",
    en="You measured it by nudging to both sides, very slightly. The smaller the step, the fewer digits are left after subtracting: float64 hides it, the float32 of the engine does not. Differentiate on paper and write the formula.",
)
def nudges_both_ways_very_slightly(w: Any, X: Any, Y: Any) -> Any:
    return (((Y - (w + 1e-6) * X) ** 2).sum() - ((Y - (w - 1e-6) * X) ** 2).sum()) / 2e-6


@mistake(
    PART,
    zh="循环写死了三圈，而 3 只是例子里的点数。点数看数据：range(len(X))，或者 zip(X, Y)。",
    en="The loop always goes round three times, and 3 was only the number of points in the example. Let the data say how many there are: range(len(X)), or zip(X, Y).",
)
def always_three_points(w: Any, X: Any, Y: Any) -> Any:
    return sum(-2 * X[i] * (Y[i] - w * X[i]) for i in range(3))


@mistake(
    PART,
    zh="你用的是例子里那三个点，没有用传进来的 X 和 Y。换了数据，答案也该跟着换。",
    en="You use the three points of the example, not the X and Y that come in. With other data the answer has to be another.",
)
def always_the_examples_points(w: Any, X: Any, Y: Any) -> Any:
    return sum(-2 * x * (y - w * x) for x, y in [(1, 3), (2, 5), (3, 7)])


@mistake(
    PART,
    zh="漏了最后一个点：range(len(X) - 1) 少走一圈。从 0 数起，range(len(X)) 正好走完。",
    en="The last point is missing: range(len(X) - 1) goes round once too little. Counting starts at 0, so range(len(X)) is just right.",
)
def leaves_out_the_last_point(w: Any, X: Any, Y: Any) -> Any:
    return sum(-2 * X[i] * (Y[i] - w * X[i]) for i in range(len(X) - 1))


@mistake(
    PART,
    zh="展开以后后一项错了：-2 * X 要乘到 w * X 上，得 2·w·X²；你那里少了一个 X。",
    en="Multiplied out, the second term is wrong: -2 * X times w * X makes 2·w·X², and in yours there is an X too few.",
)
def loses_a_factor_when_expanding(w: Any, X: Any, Y: Any) -> Any:
    return (-2 * X * Y + 2 * w * X).sum()


@mistake(
    PART,
    zh="大小对，符号没有了：abs 把它丢了。符号说的是方向，谷底左边的斜率是负的，右边是正的。不要取绝对值。",
    en="The size is right, but abs has thrown the sign away. The sign is the direction: left of the valley's floor the slope is negative, right of it positive. Leave out the absolute value.",
)
def drops_the_sign(w: Any, X: Any, Y: Any) -> Any:
    return abs((-2 * X * (Y - w * X)).sum())


@mistake(
    PART,
    zh="误差里的减号变成了加号：误差是 Y - w * X。要是你把括号乘开了：-2·X 乘 -w·X，负负得正，得 +2·w·X²。",
    en="The minus inside the error has become a plus: the error is Y - w * X. If you multiplied the brackets out: -2·X times -w·X makes +2·w·X², for two minuses make a plus.",
)
def adds_instead_of_subtracting(w: Any, X: Any, Y: Any) -> Any:
    return (-2 * X * (Y + w * X)).sum()


@mistake(
    PART,
    zh="乘开以后，后一项少了 2：-2·X 要乘到括号里的每一项，-2·X 乘 -w·X 得 2·w·X²。",
    en="Multiplied out, the second term lacks the 2: -2·X goes to every term in the brackets, and -2·X times -w·X makes 2·w·X².",
)
def loses_the_two_when_expanding(w: Any, X: Any, Y: Any) -> Any:
    return (-2 * X * Y + w * X * X).sum()


@mistake(
    PART,
    zh="乘开以后，前一项少了一个 X：-2·X 要乘到括号里的每一项，-2·X 乘 Y 得 -2·X·Y。",
    en="Multiplied out, the first term lacks an X: -2·X goes to every term in the brackets, and -2·X times Y makes -2·X·Y.",
)
def loses_an_x_when_expanding(w: Any, X: Any, Y: Any) -> Any:
    return (-2 * Y + 2 * w * X * X).sum()


@mistake(
    PART,
    zh="w 总是当成 1：那是例子里的值。要用传进来的 w。",
    en="w is always taken to be 1, its value in the example. Use the w that comes in.",
)
def takes_w_to_be_one(w: Any, X: Any, Y: Any) -> Any:
    return (-2 * X * (Y - X)).sum()


@mistake(
    PART,
    zh="外面多乘了一个 w：里面的 -w·X 对 w 求导，w 就没有了，只剩 -X。",
    en="There is a w too many outside: -w·X differentiated with respect to w leaves -X, and no w.",
)
def keeps_the_w(w: Any, X: Any, Y: Any) -> Any:
    return (-2 * w * X * (Y - w * X)).sum()


@mistake(
    PART,
    zh="小数被切掉了：int() 只留整数部分。斜率是多少就返回多少，不要取整。",
    en="The decimals are cut off: int() keeps only the whole part. Return the slope as it is.",
)
def cuts_off_the_decimals(w: Any, X: Any, Y: Any) -> Any:
    return int((-2 * X * (Y - w * X)).sum())


@mistake(
    PART,
    zh="X 乘了两次：-2·X·(Y - w·X) 里 X 只有一个，是 w·X 对 w 的导数。",
    en="X is multiplied in twice: in -2·X·(Y - w·X) there is one X, the derivative of w·X with respect to w.",
)
def squares_x(w: Any, X: Any, Y: Any) -> Any:
    return (-2 * X**2 * (Y - w * X)).sum()


@mistake(
    PART,
    zh="X 先求了和，再去乘每个点的误差。每个点要用它自己的 X：先逐个相乘，最后求和。",
    en="X is summed first and then multiplied with each point's error. Every point needs its own X: multiply one by one, and sum last.",
)
def sums_x_first(w: Any, X: Any, Y: Any) -> Any:
    return -2 * X.sum() * (Y - w * X)


@mistake(
    PART,
    zh="Y -= … 把传进来的 Y 改掉了，那是别人的数据，下一步还要用。算出来的另取一个名字：error = Y - w * X。",
    en="Y -= … writes into the Y that was handed in: it is somebody else's data, and the next step needs it. Give what you compute a name of its own: error = Y - w * X.",
)
def writes_into_the_data(w: Any, X: Any, Y: Any) -> Any:
    Y -= w * X
    return (-2 * X * Y).sum()
