"""More mistakes of lesson 15: repairs that are sound in kind, and change something that was not ill."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson15 import CLINIC
from minigrad import no_grad, tensor, zeros


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
    en="It is a leaf, but the precision is gone: everything runs in float32. Make the weights double from the start: zeros(…, dtype=float64, requires_grad=True).",
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
    en="The order is reversed: with the mean first, positive and negative errors cancel out. Take abs first, then the mean.",
)
def absolute_loss_averages_first(prediction: Any, target: Any) -> Any:
    return (prediction - target).mean().abs()


@mistake(
    CLINIC + "absolute_loss",
    zh="item() 取出的是一个 Python 的数，背后没有图，也就没有 backward。返回张量本身。",
    en="item() takes out a plain Python number, with no graph behind it and no backward. Return the tensor itself.",
)
def absolute_loss_takes_the_item(prediction: Any, target: Any) -> Any:
    return (prediction - target).abs().mean().item()


@mistake(
    CLINIC + "fit_slope",
    zh="次序反了：先平均再平方，正的误差和负的误差抵消了。先平方，再平均。",
    en="The order is reversed: with the mean before the square, positive and negative errors cancel out. Square first, then average.",
)
def fit_slope_averages_first(X: Any, Y: Any, steps: int, lr: float) -> Any:
    w = zeros(1, dtype=X.dtype, requires_grad=True)
    for _ in range(steps):
        ((Y - w * X).mean() ** 2).backward()
        with no_grad():
            w.sub_(w.grad, alpha=lr)
        w.grad = None
    return w


@mistake(
    CLINIC + "descend",
    zh="走完才清零：第一步用上了别人留下的旧梯度。清零要在 backward 之前。",
    en="You clear after the step, so the first one uses old gradients that others left behind. Clear before backward.",
)
def descend_clears_behind(net: Any, X: Any, Y: Any, steps: int, lr: float) -> Any:
    losses = []
    for _ in range(steps):
        loss = ((net(X) - Y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            for p in net.parameters():
                p -= lr * p.grad
        net.zero_grad()
    return losses


@mistake(
    CLINIC + "mean_loss",
    zh="item() 用早了：取出来的数没有图，不能 backward。先对张量 backward，累加的时候再取数。",
    en="item() comes too early: the number it takes out has no graph and no backward. Call backward on the tensor, and take the number when you add it up.",
)
def mean_loss_takes_the_number_first(w: Any, loss_of: Any, steps: int, lr: float) -> Any:
    total = 0.0
    for _ in range(steps):
        loss = loss_of(w).item()
        loss.backward()
        total += loss
    return total / steps


@mistake(
    CLINIC + "absolute_loss",
    zh="图接上了，可返回的是一串数，每个误差一个。说明里是平均绝对误差：再取平均。",
    en="The graph is whole again, but what comes back is a row of numbers, one for each error. The docstring says mean absolute error: average them.",
)
def absolute_loss_stays_a_row(prediction: Any, target: Any) -> Any:
    return (prediction - target).abs()


@mistake(
    CLINIC + "watch_hidden",
    zh="记下的是 hidden 自己的大小，不是传到它的梯度的大小。梯度要等反向时由钩子送来。",
    en="What is noted is the size of hidden itself, not of the gradient that arrives there. That one comes with the hook, during backward.",
)
def watch_hidden_measures_the_values(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    norms = []
    for _ in range(steps):
        hidden = (X @ W1).tanh()
        norms.append(hidden.norm().item())
        ((hidden @ W2 - Y) ** 2).mean().backward()
        with no_grad():
            for w in (W1, W2):
                w -= lr * w.grad
                w.grad = None
    return norms


@mistake(
    CLINIC + "watch_hidden",
    zh="钩子是响了，可 hidden 一直是最初的那个：retain_graph=True 让旧图再走一遍，W1 变了它不知道。每一步都要重新算 hidden，再挂钩子。",
    en="The hook fires, but hidden stays the very first one: retain_graph=True walks the old graph again, which knows nothing of the new W1. Compute hidden anew in each step, and put the hook on it there.",
)
def watch_hidden_keeps_the_first_graph(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    norms: list[float] = []
    hidden = (X @ W1).tanh()
    hidden.register_hook(lambda grad: norms.append(grad.norm().item()))
    for _ in range(steps):
        ((hidden @ W2 - Y) ** 2).mean().backward(retain_graph=True)
        with no_grad():
            for w in (W1, W2):
                w -= lr * w.grad
                w.grad = None
    return norms


@mistake(
    CLINIC + "learn_values",
    zh="目标只在循环前算了一次，一直是最初的 w 给出的。每一步都要用现在的 w 重新算，再摘下来。",
    en="The target is computed once, before the loop, and stays what the first w gave. Compute it anew at each step with the current w, and then detach it.",
)
def learn_values_fixes_the_target(X: Any, X_next: Any, reward: Any, w: Any, steps: int, lr: float) -> Any:
    losses = []
    target = (reward + 0.9 * (X_next @ w)).detach()
    for _ in range(steps):
        loss = ((X @ w - target) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return losses


@mistake(
    CLINIC + "absolute_loss",
    zh="平方再开方，值是对的；可是在误差恰好为 0 的地方，根号的斜率是无穷大，乘上 0 就成了 nan。用 abs。",
    en="The root of the square has the right value; but where an error is exactly 0, the slope of the root is infinite, and times 0 that is nan. Use abs.",
)
def absolute_loss_by_the_root(prediction: Any, target: Any) -> Any:
    return (((prediction - target) ** 2) ** 0.5).mean()


@mistake(
    CLINIC + "watch_hidden",
    zh="钩子挂对了，记下的却是张量。说明里要的是普通的数：grad.norm().item()。",
    en="The hook is in its place, but what is noted are tensors. The docstring wants plain floats: grad.norm().item().",
)
def watch_hidden_keeps_tensors(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    norms: list[Any] = []
    for _ in range(steps):
        hidden = (X @ W1).tanh()
        hidden.register_hook(lambda grad: norms.append(grad.norm()))
        loss = ((hidden @ W2 - Y) ** 2).mean()
        loss.backward()
        with no_grad():
            for w in (W1, W2):
                w -= lr * w.grad
                w.grad = None
    return norms


@mistake(
    CLINIC + "fit_slope",
    zh="训练是对的，可 w 没有维度。说明里要的形状是 (1,)：zeros(1, …)，不是 zeros((), …)。",
    en="It trains as it should, but w has no dimensions. The docstring wants shape (1,): zeros(1, …), not zeros((), …).",
)
def fit_slope_without_dimensions(X: Any, Y: Any, steps: int, lr: float) -> Any:
    w: Any = zeros((), dtype=X.dtype, requires_grad=True)
    for _ in range(steps):
        ((Y - w * X) ** 2).mean().backward()
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return w


@mistake(
    CLINIC + "scaled_start",
    zh="tensor([...]) 里要的是数，你给的是一行一行的张量。不用拆开：values * scale 整个算，再 detach，或者先 clone 再乘。",
    en="tensor([...]) wants numbers, and what you put in are tensors, one a row. There is no need to take values apart: scale it whole, values * scale, and detach; or clone first, then multiply.",
)
def scaled_start_from_a_list(values: Any, scale: float) -> Any:
    return tensor([each * scale for each in values], requires_grad=True)


@mistake(
    CLINIC + "softmax_rows",
    zh="报错没有了，可是加错了方向：sum(0) 沿列加。每一行自己的和是 sum(1, keepdim=True)。",
    en="No error any more, but summed the wrong way: sum(0) adds down the columns. Each row's own sum is sum(1, keepdim=True).",
)
def softmax_down_the_columns(scores: Any) -> Any:
    p = scores.exp()
    return p / p.sum(0, keepdim=True)


@mistake(
    CLINIC + "softmax_rows",
    zh="keepdim=True 丢了：和少了一维，对不上每一行。写 p.sum(1, keepdim=True)。",
    en="keepdim=True got lost: the sums have a dimension less and do not line up with the rows. Write p.sum(1, keepdim=True).",
)
def softmax_loses_the_dimension(scores: Any) -> Any:
    p = scores.exp()
    return p / p.sum(1)


@mistake(
    CLINIC + "softmax_rows",
    zh="不报错了，可 p.sum() 把所有行都加在了一起。每一行除以自己的和：p.sum(1, keepdim=True)。",
    en="No error any more, but p.sum() adds up all the rows. Divide each row by its own sum: p.sum(1, keepdim=True).",
)
def softmax_over_everything(scores: Any) -> Any:
    p = scores.exp()
    return p / p.sum()


@mistake(
    CLINIC + "absolute_loss",
    zh="NumPy 去掉了，绝对值也跟着丢了：正负误差互相抵消。(prediction - target).abs()，再取平均。",
    en="With NumPy the absolute value has gone, too, and positive and negative errors cancel out: (prediction - target).abs(), then the mean.",
)
def absolute_loss_without_the_absolute(prediction: Any, target: Any) -> Any:
    return (prediction - target).mean()


@mistake(
    CLINIC + "absolute_loss",
    zh="绝对值丢了，只剩目标减预测的平均，正负误差互相抵消。要的是 (prediction - target).abs().mean()。",
    en="The absolute value is lost, and what remains is the mean of target minus prediction, in which errors cancel out. It should be (prediction - target).abs().mean().",
)
def absolute_loss_turned_and_without_the_absolute(prediction: Any, target: Any) -> Any:
    return (target - prediction).mean()


@mistake(
    CLINIC + "watch_hidden",
    zh="钩子挂对了，可记下的是平方和。norm 还要开方：grad.norm().item()。",
    en="The hook is in its place, but what is noted is the sum of squares. A norm is the root of that: grad.norm().item().",
)
def watch_hidden_forgets_the_root(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    norms: list[float] = []
    for _ in range(steps):
        hidden = (X @ W1).tanh()
        hidden.register_hook(lambda grad: norms.append((grad * grad).sum().item()))
        loss = ((hidden @ W2 - Y) ** 2).mean()
        loss.backward()
        with no_grad():
            for w in (W1, W2):
                w -= lr * w.grad
                w.grad = None
    return norms


@mistake(
    CLINIC + "mean_loss",
    zh="数没错，可每步调用了两次 loss_of：一次求导，一次取数。一次前向就够：loss.item()。",
    en="The numbers are right, but loss_of is called twice a step, once to differentiate and once for the number. One forward pass will do: loss.item().",
)
def mean_loss_asks_twice(w: Any, loss_of: Any, steps: int, lr: float) -> Any:
    total = 0.0
    for _ in range(steps):
        loss_of(w).backward()
        total += loss_of(w).item()
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return total / steps


@mistake(
    CLINIC + "softmax_rows",
    zh="不报错了，可分子被 detach 摘了下来：梯度只剩经过分母的那一路。两路都要留着：p / total。",
    en="There is no error any more, but the numerator was detached: of the gradient only the path through the denominator is left. Keep both paths: p / total.",
)
def softmax_rows_detaches_the_numerator(scores: Any) -> Any:
    p = scores.exp()
    return p.detach() / p.sum(1, keepdim=True)


@mistake(
    CLINIC + "watch_hidden",
    zh="删错了一个：循环外的 hidden 留下了，第二步就要再走一遍它的旧图。要留的是循环里每一步重新算的那个，钩子挂在它上面。",
    en="The wrong one was deleted: hidden is left outside the loop, and the second step walks its old graph again. Keep the one that each step computes anew, and put the hook on that.",
)
def watch_hidden_deletes_the_fresh_one(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    norms: list[float] = []
    hidden = (X @ W1).tanh()
    hidden.register_hook(lambda grad: norms.append(grad.norm().item()))
    for _ in range(steps):
        loss = ((hidden @ W2 - Y) ** 2).mean()
        loss.backward()
        with no_grad():
            for w in (W1, W2):
                w -= lr * w.grad
                w.grad = None
    return norms
