"""Known mistakes of lesson 15: the programs as they are given to be repaired, and repairs that only silence the message."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from minigrad import no_grad, ones_like, zeros

CLINIC = "minigrad.clinic."

# ── fit_slope ───────────────────────────────────────────────────────────────────────────────────────


@mistake(
    CLINIC + "fit_slope",
    zh="病还是原来的病。读一读报错里的 scalar：此刻的 loss 是几个数？说明里要的损失又是几个数？",
    en="The illness is the one it came with. Read the word scalar in the message: how many numbers is loss at that point, and how many does the docstring ask for?",
)
def fit_slope_as_it_came(X: Any, Y: Any, steps: int, lr: float) -> Any:
    w = zeros(1, dtype=X.dtype, requires_grad=True)
    for _ in range(steps):
        loss = (Y - w * X) ** 2
        loss.backward()
        with no_grad():
            w -= lr * w.grad  # type: ignore[operator]
        w.grad = None
    return w


@mistake(
    CLINIC + "fit_slope",
    zh="不报错了，但求的是和：梯度大了 n 倍，点越多步子越大。说明里写的是均方误差，要取平均。",
    en="There is no error any more, but this is the sum: the gradient is n times too large, and the more points, the larger the step. The docstring says mean squared error: take the mean.",
)
def fit_slope_sums(X: Any, Y: Any, steps: int, lr: float) -> Any:
    w = zeros(1, dtype=X.dtype, requires_grad=True)
    for _ in range(steps):
        loss = (Y - w * X) ** 2
        loss.backward(ones_like(loss))
        with no_grad():
            w -= lr * w.grad  # type: ignore[operator]
        w.grad = None
    return w


@mistake(
    CLINIC + "fit_slope",
    zh="只对第一个点求了导，其余的点白算了。所有点的误差要合成一个数。",
    en="Only the first point is differentiated, and the others were computed for nothing. Make one number of the errors of all points.",
)
def fit_slope_one_point_only(X: Any, Y: Any, steps: int, lr: float) -> Any:
    w = zeros(1, dtype=X.dtype, requires_grad=True)
    for _ in range(steps):
        loss = (Y - w * X) ** 2
        loss[0].backward()
        with no_grad():
            w -= lr * w.grad  # type: ignore[operator]
        w.grad = None
    return w


@mistake(
    CLINIC + "fit_slope",
    zh="item() 取出来的是普通的数，没有计算图，不能 backward。先 backward，要看数时再 item。",
    en="item() takes out a plain number; it has no graph and no backward. Call backward first, and item when you want to look at the number.",
)
def fit_slope_takes_the_number(X: Any, Y: Any, steps: int, lr: float) -> Any:
    w = zeros(1, dtype=X.dtype, requires_grad=True)
    for _ in range(steps):
        loss = ((Y - w * X) ** 2).mean().item()
        loss.backward()
        with no_grad():
            w -= lr * w.grad  # type: ignore[operator]
        w.grad = None
    return w


# ── two_layers ──────────────────────────────────────────────────────────────────────────────────────


@mistake(
    CLINIC + "two_layers",
    zh="病还是原来的病。报错的是 backward，病根却不在那一行。第二步要走的图里，哪一段是第一步已经走过的？",
    en="The illness is the one it came with. backward raises, but the cause is not in that line. Of the graph that the second step walks, which stretch has the first step walked before?",
)
def two_layers_as_it_came(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    losses = []
    hidden = (X @ W1).tanh()
    for _ in range(steps):
        loss = ((hidden @ W2 - Y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            for w in (W1, W2):
                w -= lr * w.grad
                w.grad = None
    return losses


@mistake(
    CLINIC + "two_layers",
    zh="照报错说的加了 retain_graph=True，是不报错了，可 hidden 还是用最初的 W1 算的旧值：W1 变了，它不变。每一步都要重新前向。",
    en="With retain_graph=True, as the message says, it is silent now; but hidden still holds what the first W1 gave, and does not change when W1 does. Every step needs its own forward pass.",
)
def two_layers_retains_the_graph(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    losses = []
    hidden = (X @ W1).tanh()
    for _ in range(steps):
        loss = ((hidden @ W2 - Y) ** 2).mean()
        loss.backward(retain_graph=True)
        losses.append(loss.item())
        with no_grad():
            for w in (W1, W2):
                w -= lr * w.grad
                w.grad = None
    return losses


@mistake(
    CLINIC + "two_layers",
    zh="hidden 从图上断开了（detach 了，或者是在 no_grad 里算的），第二次就不会走进旧图；可梯度也到不了 W1，W1.grad 是 None。",
    en="hidden is cut off from its graph, detached or computed under no_grad, so nobody walks the old graph again; but no gradient reaches W1 either, and W1.grad is None.",
)
def two_layers_detaches_hidden(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    losses = []
    for _ in range(steps):
        hidden = (X @ W1).tanh().detach()
        loss = ((hidden @ W2 - Y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            for w in (W1, W2):
                w -= lr * w.grad
                w.grad = None
    return losses


@mistake(
    CLINIC + "two_layers",
    zh="不报错了，因为没有梯度的权重被跳过：W1 从头到尾没有动，只有第二层在学。",
    en="Silent now, because weights without a gradient are skipped: W1 never moves, and only the second layer learns.",
)
def two_layers_freezes_the_first_layer(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    losses = []
    for _ in range(steps):
        hidden = (X @ W1).tanh().detach()
        loss = ((hidden @ W2 - Y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            for w in (W1, W2):
                w -= lr * w.grad if w.grad is not None else 0.0
                w.grad = None
    return losses


# ── scaled_start ────────────────────────────────────────────────────────────────────────────────────


@mistake(
    CLINIC + "scaled_start",
    zh="病还是原来的病。看看报错的那一行：到这里，w 已经是什么样的张量了？",
    en="The illness is the one it came with. Look at the line that raises: what kind of tensor is w by then?",
)
def scaled_start_as_it_came(values: Any, scale: float) -> Any:
    w = values.clone().requires_grad_()
    w *= scale
    return w


@mistake(
    CLINIC + "scaled_start",
    zh="不报错了，可 w 成了乘法的结果，不是叶子：它的 .grad 永远是 None，优化器也不收。",
    en="Silent now, but w has become the result of a multiplication and is no leaf: its .grad stays None, and no optimizer takes it.",
)
def scaled_start_rebinds(values: Any, scale: float) -> Any:
    w = values.clone().requires_grad_()
    w = w * scale
    return w


@mistake(
    CLINIC + "scaled_start",
    zh="w 是叶子，却不要梯度：返回之前还要调用 requires_grad_()。",
    en="w is a leaf but wants no gradient: call requires_grad_() before you return it.",
)
def scaled_start_wants_no_gradient(values: Any, scale: float) -> Any:
    w = values.clone().requires_grad_()
    w = (w * scale).detach()
    return w


@mistake(
    CLINIC + "scaled_start",
    zh="改到别人的数据了：没有 clone，values 自己也被缩放了，还开始要梯度。",
    en="You changed somebody else's data: without clone, values itself is scaled, and from now on wants a gradient.",
)
def scaled_start_overwrites_the_values(values: Any, scale: float) -> Any:
    w = values
    w *= scale
    return w.requires_grad_()


# ── softmax_rows ────────────────────────────────────────────────────────────────────────────────────


@mistake(
    CLINIC + "softmax_rows",
    zh="病还是原来的病。报错在 backward，病根在这几行里。报错说的是 exp 的输出：它在这里叫什么名字，后来谁动过它？",
    en="The illness is the one it came with. backward raises, but the cause is in these lines. The message speaks of the output of exp: what is it called here, and what touches it afterwards?",
)
def softmax_rows_as_it_came(scores: Any) -> Any:
    p = scores.exp()
    total = p.sum(1, keepdim=True)
    p /= total
    return p


@mistake(
    CLINIC + "softmax_rows",
    zh="不报错了，梯度却悄悄少了分母那一路：经过 .data 改写，或者把分母 detach，结果都一样。总和也是 scores 算出来的；造一个新张量，用 p / total。",
    en="Silent now, but the gradient has lost the path through the denominator; writing through .data and detaching the denominator come to the same thing. The sum is computed from scores, too: make a new tensor, p / total.",
)
def softmax_rows_writes_through_data(scores: Any) -> Any:
    p = scores.exp()
    total = p.sum(1, keepdim=True)
    p.data /= total.data
    return p


@mistake(
    CLINIC + "softmax_rows",
    zh="p 从图上摘了下来，改它当然没事，可梯度一点也传不回去了。",
    en="p is cut off from the graph; changing it is harmless then, but no gradient gets back at all.",
)
def softmax_rows_cuts_everything(scores: Any) -> Any:
    p = scores.exp().detach()
    total = p.sum(1, keepdim=True)
    p /= total
    return p


# ── double_fit ──────────────────────────────────────────────────────────────────────────────────────


@mistake(
    CLINIC + "double_fit",
    zh="病还是原来的病。.grad 是 None，可见梯度进了别的张量。要梯度的叶子是哪一个，它还有名字吗？",
    en="The illness is the one it came with. .grad is None, so the gradient went into another tensor. Which one is the leaf that wants it, and does it still have a name?",
)
def double_fit_as_it_came(X: Any, Y: Any, steps: int, lr: float) -> Any:
    w = zeros(X.shape[1], requires_grad=True).double()
    for _ in range(steps):
        loss = ((X @ w - Y) ** 2).mean()
        loss.backward()
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return w


@mistake(
    CLINIC + "double_fit",
    zh="不报错了，因为没有梯度就不更新：w 一直是 0。要问的是为什么没有梯度。",
    en="Silent now, because without a gradient there is no update: w stays 0. The question is why there is no gradient.",
)
def double_fit_skips_none(X: Any, Y: Any, steps: int, lr: float) -> Any:
    w = zeros(X.shape[1], requires_grad=True).double()
    for _ in range(steps):
        loss = ((X @ w - Y) ** 2).mean()
        loss.backward()
        with no_grad():
            w -= lr * w.grad if w.grad is not None else 0.0
        w.grad = None
    return w


@mistake(
    CLINIC + "double_fit",
    zh="数是对的，可 w 是算出来的（.double()，或者 w - …），不是叶子：优化器不收，图也跟着它。",
    en="The numbers are right, but w is the result of an operation, .double() or w - …, and no leaf: no optimizer takes it, and its graph follows it around.",
)
def double_fit_retains_the_gradient(X: Any, Y: Any, steps: int, lr: float) -> Any:
    w = zeros(X.shape[1], requires_grad=True).double()
    for _ in range(steps):
        w.retain_grad()
        loss = ((X @ w - Y) ** 2).mean()
        loss.backward()
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return w


@mistake(
    CLINIC + "double_fit",
    zh="去掉 .double()，权重成了 float32，和 float64 的 X 乘不到一起。造的时候写明 dtype=float64。",
    en="Without .double() the weights are float32 and cannot be multiplied with X, which is float64. Say dtype=float64 when creating them.",
)
def double_fit_drops_double(X: Any, Y: Any, steps: int, lr: float) -> Any:
    w = zeros(X.shape[1], requires_grad=True)
    for _ in range(steps):
        loss = ((X @ w - Y) ** 2).mean()
        loss.backward()
        with no_grad():
            w -= lr * w.grad  # type: ignore[operator]
        w.grad = None
    return w
