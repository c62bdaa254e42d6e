"""More mistakes of lesson 15: repairs that are sound in kind, and change something that was not ill."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson15 import CLINIC
from minigrad import no_grad, zeros


@mistake(
    CLINIC + "scaled_start",
    zh="返回的 w 是对的，可 values 自己也被乘了：values *= scale 改的是别人的数据。先 clone，再乘；或者写 values * scale。",
    en="The w that is returned is right, but values itself was scaled: values *= scale changes somebody else's data. Clone first, or write values * scale.",
)
def scaled_start_scales_the_values(values: Any, scale: float) -> Any:
    values *= scale
    return values.clone().requires_grad_()


@mistake(
    CLINIC + "double_fit",
    zh="叶子是对的，精度却没有了：全程是 float32。权重一造出来就要是双精度：zeros(…, dtype=float64, requires_grad=True)。",
    en="A leaf it is, but the precision is gone: all of it runs in float32. Make the weights double from the start: zeros(…, dtype=float64, requires_grad=True).",
)
def double_fit_in_single(X: Any, Y: Any, steps: int, lr: float) -> Any:
    w: Any = zeros(X.shape[1], requires_grad=True)
    for _ in range(steps):
        loss = ((X.float() @ w - Y.float()) ** 2).mean()
        loss.backward()
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return w


@mistake(
    CLINIC + "absolute_loss",
    zh="图接上了，可求的是和。说明里写的是平均绝对误差：用 mean。",
    en="The graph is whole again, but this is the sum. The docstring says mean absolute error: take the mean.",
)
def absolute_loss_sums(prediction: Any, target: Any) -> Any:
    return (prediction - target).abs().sum()


@mistake(
    CLINIC + "absolute_loss",
    zh="次序反了：先平均再取绝对值，正负误差就互相抵消了。先 abs，再 mean。",
    en="The order is turned round: with the mean first, errors up and down cancel out. Take abs first, then the mean.",
)
def absolute_loss_averages_first(prediction: Any, target: Any) -> Any:
    return (prediction - target).mean().abs()


@mistake(
    CLINIC + "absolute_loss",
    zh="item() 取出的是一个 Python 的数，背后没有图，也就没有 backward。返回张量本身。",
    en="item() takes out a number of Python's, with no graph behind it and no backward. Return the tensor itself.",
)
def absolute_loss_takes_the_item(prediction: Any, target: Any) -> Any:
    return (prediction - target).abs().mean().item()
