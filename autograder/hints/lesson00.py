"""Hints of lesson 00."""

from __future__ import annotations

from autograder.hints import Stages

HINTS: dict[str, Stages] = {
    "minigrad.warmup.squared_loss_grad": (
        (
            "先只看一个点：损失是 (y - w·x)²。w 增加一点点，括号里变化多少？平方又变化多少？",
            "Take one point first: its loss is (y - w·x)². If w grows a little, how much does the bracket change? And the square?",
        ),
        (
            "链式法则分两层：外层平方，导数是 2·(y - w·x)；里层 y - w·x 对 w 的导数是 -x。把两层相乘，再对所有点求和。",
            "The chain rule has two layers: outside the square, 2·(y - w·x); inside, y - w·x, whose derivative with respect to w is -x. "
            "Multiply the two, then sum over the points.",
        ),
        (
            "X、Y 是张量，可以整个一起算：残差是 Y - w * X，每个点贡献 -2·X·残差，最后用 .sum() 变成一个数。",
            "X and Y are tensors, so compute with them whole: the residual is Y - w * X, each point gives -2·X·residual, "
            "and .sum() makes one number of them.",
        ),
    ),
}
