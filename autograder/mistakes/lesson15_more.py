"""Known mistakes of lesson 15 beside the illness: what was sound in the program, and is lost in the repair."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson15 import CLINIC
from minigrad import float64, no_grad, ones, zeros


def _train(ws: Any, loss_of: Callable[[], Any], steps: int, lr: float, clear: bool = True, moved: Any = None) -> Any:
    """The losses before each step, as floats; moved: those of the weights that are moved, all of them unless told."""
    losses = []
    for _ in range(steps):
        loss = loss_of()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            for w in ws if moved is None else moved:
                w -= lr * w.grad
                w.grad = None if clear else w.grad
    return losses


# ── fit_slope ───────────────────────────────────────────────────────────────────────────────────────


def _slope(X: Any, Y: Any, steps: int, lr: float, loss_of: Callable[[Any], Any], clear: bool = True) -> tuple[Any, Any]:
    """The fitted slope, with a loss of one's own, and the losses."""
    w: Any = zeros(1, dtype=X.dtype, requires_grad=True)
    return w, _train([w], lambda: loss_of(Y - w * X), steps, lr, clear)


@mistake(
    CLINIC + "fit_slope",
    zh="这是平均绝对误差。说明里写的是均方误差：先平方，再平均。",
    en="This is the mean absolute error. The docstring says mean squared error: square, then average.",
)
def fit_slope_takes_the_absolute(X: Any, Y: Any, steps: int, lr: float) -> Any:
    return _slope(X, Y, steps, lr, lambda error: error.abs().mean())[0]


@mistake(
    CLINIC + "fit_slope",
    zh="多了个一半：均方误差就是平方的平均，不再除以 2。",
    en="There is a half too many: the mean squared error is the mean of the squares, not divided by 2.",
)
def fit_slope_halves(X: Any, Y: Any, steps: int, lr: float) -> Any:
    return _slope(X, Y, steps, lr, lambda error: (error**2).mean() / 2)[0]


@mistake(
    CLINIC + "fit_slope",
    zh="w.grad = None 丢了，每一步的梯度都叠在前面的上面。这一行没有病，留着它。",
    en="The line w.grad = None is gone, so each step's gradient piles up on those before. That line was not ill: keep it.",
)
def fit_slope_never_clears(X: Any, Y: Any, steps: int, lr: float) -> Any:
    return _slope(X, Y, steps, lr, lambda error: (error**2).mean(), clear=False)[0]


@mistake(
    CLINIC + "fit_slope",
    zh="要的是要求梯度的叶子，detach() 出来的不要求梯度。直接返回 w。",
    en="A leaf that requires grad is wanted, and what detach() gives does not. Return w itself.",
)
def fit_slope_returns_it_detached(X: Any, Y: Any, steps: int, lr: float) -> Any:
    return _slope(X, Y, steps, lr, lambda error: (error**2).mean())[0].detach()


@mistake(
    CLINIC + "fit_slope",
    zh="返回的是最后的损失，要的是斜率 w。",
    en="You return the last loss; the slope w is wanted.",
)
def fit_slope_returns_the_loss(X: Any, Y: Any, steps: int, lr: float) -> Any:
    w: Any = zeros(1, dtype=X.dtype, requires_grad=True)
    _train([w], lambda: ((Y - w * X) ** 2).mean(), steps - 1, lr)
    return ((Y - w * X) ** 2).mean()


@mistake(
    CLINIC + "fit_slope",
    zh="return 缩进到了循环里，走了一步就返回了。",
    en="The return is indented into the loop, so you are back after one step.",
)
def fit_slope_leaves_after_a_step(X: Any, Y: Any, steps: int, lr: float) -> Any:
    return _slope(X, Y, 1, lr, lambda error: (error**2).mean())[0]


@mistake(
    CLINIC + "fit_slope",
    zh="backward 后面少了括号，没有人反向，w.grad 就还是 None。写 loss.backward()。",
    en="The brackets after backward are missing: nobody goes backward, and w.grad is still None. Write loss.backward().",
)
def fit_slope_does_not_call_backward(X: Any, Y: Any, steps: int, lr: float) -> Any:
    w: Any = zeros(1, dtype=X.dtype, requires_grad=True)
    with no_grad():
        w -= lr * w.grad
    return w


# ── two_layers ──────────────────────────────────────────────────────────────────────────────────────


@mistake(
    CLINIC + "two_layers",
    zh="清零的那一行丢了：w.grad 越积越大。更新之后把 w.grad 设成 None。",
    en="The line that clears is gone, and w.grad keeps growing. Set w.grad to None after the update.",
)
def two_layers_never_clears(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    return _train((W1, W2), lambda: (((X @ W1).tanh() @ W2 - Y) ** 2).mean(), steps, lr, clear=False)


@mistake(
    CLINIC + "two_layers",
    zh="只更新了 W2。两层都要学：for w in (W1, W2)。",
    en="Only W2 is updated. Both layers should learn: for w in (W1, W2).",
)
def two_layers_moves_the_second_only(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    return _train((W1, W2), lambda: (((X @ W1).tanh() @ W2 - Y) ** 2).mean(), steps, lr, moved=(W2,))


@mistake(
    CLINIC + "two_layers",
    zh="return losses 写进了循环，第二步就没有了。它该在循环之后。",
    en="return losses is in the loop, so there is no second step. It belongs behind the loop.",
)
def two_layers_leaves_after_a_step(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    return _train((W1, W2), lambda: (((X @ W1).tanh() @ W2 - Y) ** 2).mean(), 1, lr)


@mistake(
    CLINIC + "two_layers",
    zh="tanh 丢了：hidden 是 (X @ W1).tanh()，挪进循环时要整行挪。",
    en="The tanh got lost: hidden is (X @ W1).tanh(). Move the whole line into the loop.",
)
def two_layers_without_tanh(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    return _train((W1, W2), lambda: ((X @ W1 @ W2 - Y) ** 2).mean(), steps, lr)


@mistake(
    CLINIC + "two_layers",
    zh="W1 = W1 - … 只让名字 W1 指到一个新张量，外面的 W1 没有动。原地改：W1 -= …。",
    en="W1 = W1 - … only has the name W1 mean a new tensor, and the caller's W1 never moves. Change it in place: W1 -= ….",
)
def two_layers_moves_copies(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    losses = []
    for _ in range(steps):
        loss = (((X @ W1).tanh() @ W2 - Y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            W1, W2 = W1 - lr * W1.grad, W2 - lr * W2.grad
        W1, W2 = W1.requires_grad_(), W2.requires_grad_()
    return losses


@mistake(
    CLINIC + "two_layers",
    zh="no_grad 里算出来的新 W1、W2 不要梯度，第二步就没有图可走了。不要改名字，原地改：W1 -= lr * W1.grad，W2 也一样。",
    en="W1 and W2 made anew under no_grad want no gradient, so the second step has no graph to walk. Change them in place instead: W1 -= lr * W1.grad, and W2 likewise.",
)
def two_layers_moves_copies_without_grad(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    losses = []
    for _ in range(steps):
        loss = (((X @ W1).tanh() @ W2 - Y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            W1, W2 = W1 - lr * W1.grad, W2 - lr * W2.grad
    return losses


# ── double_fit and descend ──────────────────────────────────────────────────────────────────────────


@mistake(
    CLINIC + "double_fit",
    zh="精度对了，requires_grad=True 却丢了，w 不要梯度。两样都写上：zeros(…, dtype=float64, requires_grad=True)。",
    en="The precision is right, but requires_grad=True got lost, and w wants no gradient. Write both: zeros(…, dtype=float64, requires_grad=True).",
)
def double_fit_loses_requires_grad(X: Any, Y: Any, steps: int, lr: float) -> Any:
    w = zeros(X.shape[1], dtype=float64)
    _train([w], lambda: ((X @ w - Y) ** 2).mean(), steps, lr)
    return w


@mistake(
    CLINIC + "double_fit",
    zh="说明里说从 0 开始，你从 1 开始了。用 zeros。",
    en="The docstring says starting from 0, and you start from 1. Use zeros.",
)
def double_fit_starts_from_one(X: Any, Y: Any, steps: int, lr: float) -> Any:
    w = ones(X.shape[1], dtype=float64, requires_grad=True)
    _train([w], lambda: ((X @ w - Y) ** 2).mean(), steps, lr)
    return w


@mistake(
    CLINIC + "double_fit",
    zh="w 变了，循环外面算的那个 .double() 不会跟着变；返回的 w 也还是 float32。一开始就造成双精度：dtype=float64。",
    en="As w changes, the .double() computed once outside the loop does not; and the w you return is float32. Make it double from the start: dtype=float64.",
)
def double_fit_beside_its_double(X: Any, Y: Any, steps: int, lr: float) -> Any:
    w = zeros(X.shape[1], requires_grad=True)
    double = w.double()
    _train([w], lambda: ((X @ double - Y) ** 2).mean(), steps, lr)
    return w


@mistake(
    CLINIC + "double_fit",
    zh="w 多了一维，X @ w 就成了一列，减 Y 时广播成了一张方表。形状要 (k,)：zeros(X.shape[1], …)。",
    en="w has a dimension too many: X @ w is a column, and minus Y it broadcasts to a square table. The shape should be (k,): zeros(X.shape[1], …).",
)
def double_fit_makes_a_column(X: Any, Y: Any, steps: int, lr: float) -> Any:
    w = zeros(X.shape[1], 1, dtype=float64, requires_grad=True)
    _train([w], lambda: ((X @ w - Y) ** 2).mean(), steps, lr)
    return w


@mistake(
    CLINIC + "double_fit",
    zh="叶子对了，可你删掉了 w.grad = None：梯度一步步累加起来。留下那一行。",
    en="The leaf is right now, but you dropped w.grad = None, and gradients add up from step to step. Leave that line in.",
)
def double_fit_never_clears(X: Any, Y: Any, steps: int, lr: float) -> Any:
    w = zeros(X.shape[1], dtype=float64, requires_grad=True)
    _train([w], lambda: ((X @ w - Y) ** 2).mean(), steps, lr, clear=False)
    return w


@mistake(
    CLINIC + "descend",
    zh="方向反了：要顺着梯度往下走，p -= lr * p.grad，不是 +=。",
    en="The direction is wrong: downhill is against the gradient, p -= lr * p.grad, not +=.",
)
def descend_climbs(net: Any, X: Any, Y: Any, steps: int, lr: float) -> Any:
    for p in net.parameters():
        p.grad = None
    return _train(list(net.parameters()), lambda: ((net(X) - Y) ** 2).mean(), steps, -lr)


# ── mean_loss ───────────────────────────────────────────────────────────────────────────────────────


@mistake(
    CLINIC + "mean_loss",
    zh="更新之后又算了一遍损失，加进去的是那一个。要的是走这一步之前的 loss。",
    en="You compute the loss once more after the update and add that one. What is wanted is the loss from before the step.",
)
def mean_loss_asks_after_the_step(w: Any, loss_of: Any, steps: int, lr: float) -> Any:
    total = 0.0
    for _ in range(steps):
        _train([w], lambda: loss_of(w), 1, lr)
        total += loss_of(w).item()
    return total / steps


@mistake(
    CLINIC + "mean_loss",
    zh="= 每一步都把 total 盖掉，最后只剩一个损失。要累加：total += loss.item()。",
    en="With =, each step overwrites total, and only one loss is left. Add them up: total += loss.item().",
)
def mean_loss_overwrites_the_total(w: Any, loss_of: Any, steps: int, lr: float) -> Any:
    return _train([w], lambda: loss_of(w), steps, lr)[-1] / steps


@mistake(
    CLINIC + "mean_loss",
    zh="return 写在循环里，第一步之后就返回了。挪到循环外面。",
    en="The return stands in the loop and ends it after the first step. Move it out.",
)
def mean_loss_leaves_after_a_step(w: Any, loss_of: Any, steps: int, lr: float) -> Any:
    return sum(_train([w], lambda: loss_of(w), 1, lr)) / steps


@mistake(
    CLINIC + "mean_loss",
    zh="一共有 steps 个损失，除以的是 steps，不是 steps - 1。",
    en="There are steps losses: divide by steps, not by steps - 1.",
)
def mean_loss_divides_by_one_less(w: Any, loss_of: Any, steps: int, lr: float) -> Any:
    return sum(_train([w], lambda: loss_of(w), steps, lr)) / (steps - 1)


@mistake(
    CLINIC + "mean_loss",
    zh="item 后面少了括号：loss.item 是方法本身，loss.item() 才是数。",
    en="The brackets after item are missing: loss.item is the method itself, loss.item() the number.",
)
def mean_loss_does_not_call_item(w: Any, loss_of: Any, steps: int, lr: float) -> Any:
    total = 0.0
    for _ in range(steps):
        loss = loss_of(w)
        loss.backward()
        total += loss.item
    return total / steps


@mistake(
    CLINIC + "mean_loss",
    zh="w = w - … 让名字 w 指到一个新张量，它在 no_grad 里算出来，不要梯度，下一步就反向不了。写 w -= …。",
    en="w = w - … has the name w mean a new tensor, which under no_grad wants no gradient, so the next step cannot go backward. Write w -= ….",
)
def mean_loss_renames_w(w: Any, loss_of: Any, steps: int, lr: float) -> Any:
    total = 0.0
    for _ in range(steps):
        loss = loss_of(w)
        loss.backward()
        total += loss.item()
        with no_grad():
            w = w - lr * w.grad
        w.grad = None
    return total / steps
