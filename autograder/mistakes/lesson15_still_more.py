"""Known mistakes of lesson 15, continued: gradients that may be None, quotients thrown away, hooks that give something back."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.mistakes import mistake
from minigrad import no_grad, tensor, zeros

CLINIC = "minigrad.clinic."


@mistake(
    CLINIC + "descend",
    zh="p.grad 可能是 None，None 没有 zero_()：说明里说，只有一些参数带着旧梯度。写 p.grad = None，有没有都行。",
    en="p.grad may be None, and None has no zero_(): as the docstring says, only some weights have an old gradient. p.grad = None works either way.",
)
def descend_zeroes_what_may_be_none(net: Any, X: Any, Y: Any, steps: int, lr: float) -> Any:
    losses = []
    for _ in range(steps):
        for p in net.parameters():
            p.grad.zero_()
        loss = ((net(X) - Y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            for p in net.parameters():
                p -= lr * p.grad
    return losses


@mistake(
    CLINIC + "softmax_rows",
    zh="p / total 算出来的是一个新张量，你没有把它留下，返回的还是 exp 的结果。写 return p / total。",
    en="p / total makes a new tensor, which you did not keep; what you return is still the result of exp. Write return p / total.",
)
def softmax_rows_throws_the_quotient_away(scores: Any) -> Any:
    return scores.exp()


@mistake(
    CLINIC + "scaled_start",
    zh="retain_grad() 让非叶子也留下梯度，可它还是乘法的结果，不是叶子，优化器不收。换个先后：先乘，再 requires_grad_()。",
    en="retain_grad() keeps the gradient of a non-leaf, but it is still the result of a multiplication, not a leaf, and no optimizer takes it. Change the order: multiply first, then requires_grad_().",
)
def scaled_start_retains_the_gradient(values: Any, scale: float) -> Any:
    w = values.clone().requires_grad_() * scale
    w.retain_grad()
    return w


@mistake(
    CLINIC + "absolute_loss",
    zh="结果是 NumPy 的一个数，不是张量：没有 backward，也没有图。全程用张量：(prediction - target).abs().mean()。",
    en="The result is one of NumPy's numbers, not a tensor: it has no backward and no graph. Stay with tensors all the way: (prediction - target).abs().mean().",
)
def absolute_loss_stays_in_numpy(prediction: Any, target: Any) -> Any:
    return np.abs(prediction.detach().numpy() - target.numpy()).mean()


@mistake(
    CLINIC + "mean_loss",
    zh="加起来是对的，还没有除以步数：要的是平均。",
    en="The sum is right, but it is not divided by the number of steps yet: the mean is wanted.",
)
def mean_loss_never_divides(w: Any, loss_of: Any, steps: int, lr: float) -> Any:
    return steps * _mean(w, loss_of, steps, lr)


@mistake(
    CLINIC + "mean_loss",
    zh="// 是整除，小数没有了。平均用 /。",
    en="// divides to whole numbers, and the decimals are gone. Use / for a mean.",
)
def mean_loss_divides_to_whole_numbers(w: Any, loss_of: Any, steps: int, lr: float) -> Any:
    return steps * _mean(w, loss_of, steps, lr) // steps


def _mean(w: Any, loss_of: Any, steps: int, lr: float) -> float:
    """As it should be."""
    total = 0.0
    for _ in range(steps):
        loss = loss_of(w)
        loss.backward()
        total += loss.item()
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return total / steps


def _watched(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float, attach: Any) -> list[Any]:
    """As it should be, but for the hook; attach puts it on and returns what is taken for hidden afterwards."""
    norms: list[Any] = []
    for _ in range(steps):
        hidden = attach((X @ W1).tanh(), norms)
        ((hidden @ W2 - Y) ** 2).mean().backward()
        with no_grad():
            for w in (W1, W2):
                w -= lr * w.grad
                w.grad = None
    return norms


@mistake(
    CLINIC + "watch_hidden",
    zh="钩子返回的东西会顶替梯度，你的钩子返回了一个数。这里只看不改：在钩子里 norms.append(…)，什么也不返回。",
    en="What a hook returns takes the gradient's place, and yours returns a number. Here it should only watch: call norms.append(…) in the hook, and return nothing.",
)
def watch_hidden_gives_back_the_norm(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    def attach(hidden: Any, norms: list[Any]) -> Any:
        hidden.register_hook(lambda grad: grad.norm().item())
        return hidden

    return _watched(X, Y, W1, W2, steps, lr, attach)


@mistake(
    CLINIC + "watch_hidden",
    zh="register_hook 返回的是一个用来摘钩子的句柄，不是张量，你却让 hidden 指向了它。hidden.register_hook(…) 单独写一行。",
    en="register_hook returns a handle, for removing the hook again, and no tensor; you made hidden point at it. Write hidden.register_hook(…) on a line of its own.",
)
def watch_hidden_takes_the_handle_for_hidden(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    def attach(hidden: Any, norms: list[Any]) -> Any:
        return hidden.register_hook(lambda grad: norms.append(grad.norm().item()))

    return _watched(X, Y, W1, W2, steps, lr, attach)


@mistake(
    CLINIC + "watch_hidden",
    zh="记下的是整个梯度，不是它的范数。钩子里先取范数，再取成普通的数：grad.norm().item()。",
    en="What is noted is the whole gradient, not its norm. In the hook, take the norm, and of that the plain number: grad.norm().item().",
)
def watch_hidden_keeps_the_gradients(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    def attach(hidden: Any, norms: list[Any]) -> Any:
        hidden.register_hook(norms.append)
        return hidden

    return _watched(X, Y, W1, W2, steps, lr, attach)


@mistake(
    CLINIC + "fit_slope",
    zh="你对每个误差各自 backward，可它们的图有一段是共用的，第一个走过，那一段就释放了。把它们合成一个数，只 backward 一次：((Y - w * X) ** 2).mean()。",
    en="You call backward for each error by itself, but their graphs share a stretch, and the first walk frees it. Make one number of them and go backward once: ((Y - w * X) ** 2).mean().",
)
def fit_slope_point_by_point(X: Any, Y: Any, steps: int, lr: float) -> Any:
    w: Any = zeros(1, dtype=X.dtype, requires_grad=True)
    for _ in range(steps):
        for each in (Y - w * X) ** 2:
            each.backward()
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return w


@mistake(
    CLINIC + "scaled_start",
    zh="精度变了：tolist() 是普通的数，tensor 再造出来就成了 float32。不用绕道：values.clone()，或者 values * scale，类型不变。",
    en="The precision has changed: tolist() gives plain numbers, and the tensor made of them is float32. There is no need for the detour: values.clone() and values * scale keep the dtype.",
)
def scaled_start_by_way_of_a_list(values: Any, scale: float) -> Any:
    return tensor((values * scale).tolist(), requires_grad=True)


@mistake(
    CLINIC + "descend",
    zh="权重一步也没有走。写成 p = p - …，名字 p 就指到了一个新张量：要写 p -= …。要是把 net.parameters() 存了下来，它只能走一遍，清零时就走完了：每次都重新写。",
    en="The weights never take a step. In p = p - …, the name p now means another tensor: write p -= …. And if you keep net.parameters(), it can be gone through only once, and the clearing uses it up: write it anew each time.",
)
def descend_uses_the_generator_up(net: Any, X: Any, Y: Any, steps: int, lr: float) -> Any:
    losses, weights = [], net.parameters()
    for _ in range(steps):
        for p in weights:
            p.grad = None
        loss = ((net(X) - Y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            for p in weights:
                p -= lr * p.grad
    return losses


@mistake(
    CLINIC + "two_layers",
    zh="w = w - … 造了一个新张量，只是让名字 w 改指它；W1 和 W2 一步也没有走。在 no_grad 里原地改：w -= lr * w.grad，再把 w.grad 设成 None。",
    en="w = w - … makes a new tensor and has the name w stand for it; W1 and W2 never take a step. Write in place under no_grad, w -= lr * w.grad, then set w.grad to None.",
)
def two_layers_rebinds_the_name(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    losses = []
    for _ in range(steps):
        loss = (((X @ W1).tanh() @ W2 - Y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        for w in (W1, W2):
            w = w - lr * w.grad
    return losses


@mistake(
    CLINIC + "fit_slope",
    zh="w = w - … 做出来一个新张量，名字 w 从此指着它，而它在 no_grad 里算出来，不是要求梯度的叶子。原来的写法 w -= … 是原地改叶子本身，那里没有病。",
    en="w = w - … makes a new tensor, to which the name w points from now on; computed under no_grad, it is no leaf that requires grad. The original w -= … changes the leaf itself in place; there is no illness there.",
)
def fit_slope_renames_w(X: Any, Y: Any, steps: int, lr: float) -> Any:
    w: Any = zeros(1, dtype=X.dtype, requires_grad=True)
    for _ in range(steps):
        ((Y - w * X) ** 2).mean().backward()
        with no_grad():
            w = w - lr * w.grad
        w.grad = None
    return w


# ── watch_hidden ────────────────────────────────────────────────────────────────────────────────────


def _noted(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float, what: Any) -> list[Any]:
    """As it should be, but for what the hook notes of the gradient."""

    def attach(hidden: Any, norms: list[Any]) -> Any:
        hidden.register_hook(lambda grad: norms.append(what(grad).item()))
        return hidden

    return _watched(X, Y, W1, W2, steps, lr, attach)


@mistake(
    CLINIC + "watch_hidden",
    zh="W1 是叶子，钩子一直在：每一步再挂一个，就越挂越多，看到的还是 W1 的梯度。挂在 hidden 上。",
    en="W1 is a leaf and keeps its hooks, so with a new one in each step they pile up; and what they see is W1's gradient. Put the hook on hidden.",
)
def watch_hidden_piles_up_hooks(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    def attach(hidden: Any, norms: list[Any]) -> Any:
        W1.register_hook(lambda grad: norms.append(grad.norm().item()))
        return hidden

    return _watched(X, Y, W1, W2, steps, lr, attach)


@mistake(
    CLINIC + "watch_hidden",
    zh="记下的是绝对值之和。要的是长度：grad.norm().item()。",
    en="What is noted is the sum of the absolute values. The length is asked for: grad.norm().item().",
)
def watch_hidden_sums_the_absolute(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    return _noted(X, Y, W1, W2, steps, lr, lambda grad: grad.abs().sum())


@mistake(
    CLINIC + "watch_hidden",
    zh="记下的是绝对值里最大的那一个。范数看的是全部元素：grad.norm().item()。",
    en="What is noted is the largest absolute value. A norm takes in all entries: grad.norm().item().",
)
def watch_hidden_takes_the_largest(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    return _noted(X, Y, W1, W2, steps, lr, lambda grad: grad.abs().max())


@mistake(
    CLINIC + "watch_hidden",
    zh="记下的是平均，正负会互相抵消。要的是范数：grad.norm().item()。",
    en="What is noted is the mean, in which positive and negative entries cancel out. The norm is wanted: grad.norm().item().",
)
def watch_hidden_takes_the_mean(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    return _noted(X, Y, W1, W2, steps, lr, lambda grad: grad.mean())


@mistake(
    CLINIC + "watch_hidden",
    zh="钩子挂在了输出 hidden @ W2 上，晚了一步。要看的是传到 hidden 的梯度。",
    en="The hook hangs on the output, hidden @ W2, one step too late. Watch the gradient that arrives at hidden.",
)
def watch_hidden_watches_the_output(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    norms: list[float] = []
    for _ in range(steps):
        out = (X @ W1).tanh() @ W2
        out.register_hook(lambda grad: norms.append(grad.norm().item()))
        ((out - Y) ** 2).mean().backward()
        with no_grad():
            for w in (W1, W2):
                w -= lr * w.grad
                w.grad = None
    return norms


@mistake(
    CLINIC + "watch_hidden",
    zh="hidden 从图上摘了下来，梯度到它为止，W1.grad 是 None。不用摘，非叶子也能挂钩子。",
    en="hidden was detached, so the gradient ends there, and W1.grad is None. There is no need to: a non-leaf takes a hook as well.",
)
def watch_hidden_detaches(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    def attach(hidden: Any, norms: list[Any]) -> Any:
        hidden = hidden.detach().requires_grad_()
        hidden.register_hook(lambda grad: norms.append(grad.norm().item()))
        return hidden

    return _watched(X, Y, W1, W2, steps, lr, attach)


@mistake(
    CLINIC + "watch_hidden",
    zh="norms.append(…) 当场就调用了，交给钩子的是它返回的 None。交一个函数：lambda grad: norms.append(grad.norm().item())。",
    en="norms.append(…) is called at once, and what becomes the hook is the None it returns. Hand over a function: lambda grad: norms.append(grad.norm().item()).",
)
def watch_hidden_calls_the_hook_at_once(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    def attach(hidden: Any, norms: list[Any]) -> Any:
        hidden.register_hook(norms.append(hidden.norm().item()))  # type: ignore[func-returns-value]
        return hidden

    return _watched(X, Y, W1, W2, steps, lr, attach)
