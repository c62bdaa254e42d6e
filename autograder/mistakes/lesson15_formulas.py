"""Known mistakes of lesson 15, the rest: targets that are no tensors any more, rows one by one, means of something else."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson15 import CLINIC
from minigrad import no_grad

# ── learn_values ────────────────────────────────────────────────────────────────────────────────────


def _learnt(X: Any, X_next: Any, reward: Any, w: Any, steps: int, lr: float, given: Any, gamma: float = 0.9) -> Any:
    """As it should be, but for how the target is made one that counts as given."""
    losses = []
    for _ in range(steps):
        loss = ((X @ w - given(reward + gamma * (X_next @ w))) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return losses


@mistake(
    CLINIC + "learn_values",
    zh="item() 只取一个数，target 有好几个。要当作给定的数，用 .detach()，它还是张量。",
    en="item() takes one number, and target has several. To count as given, use .detach(), which keeps the tensor.",
)
def learn_values_takes_the_item(X: Any, X_next: Any, reward: Any, w: Any, steps: int, lr: float) -> Any:
    return _learnt(X, X_next, reward, w, steps, lr, lambda target: target.item())


@mistake(
    CLINIC + "learn_values",
    zh="tolist() 把 target 变成了 Python 的列表，张量减不了列表。用 .detach()，留住张量。",
    en="tolist() makes a Python list of target, and a tensor minus a list does not work. Use .detach(), and it stays a tensor.",
)
def learn_values_makes_a_list(X: Any, X_next: Any, reward: Any, w: Any, steps: int, lr: float) -> Any:
    return _learnt(X, X_next, reward, w, steps, lr, lambda target: target.tolist())


@mistake(
    CLINIC + "learn_values",
    zh="requires_grad_(False) 只对叶子有用，target 是算出来的。要让它当作给定的，用 .detach()。",
    en="requires_grad_(False) is for leaves, and target is computed. To make it count as given, use .detach().",
)
def learn_values_asks_for_no_grad(X: Any, X_next: Any, reward: Any, w: Any, steps: int, lr: float) -> Any:
    return _learnt(X, X_next, reward, w, steps, lr, lambda target: target.requires_grad_(False))


@mistake(
    CLINIC + "learn_values",
    zh="detach 后面少了括号：没有调用，target 就成了一个方法。写 .detach()。",
    en="The brackets after detach are missing: without them target is a method, not what it gives. Write .detach().",
)
def learn_values_does_not_call_detach(X: Any, X_next: Any, reward: Any, w: Any, steps: int, lr: float) -> Any:
    return _learnt(X, X_next, reward, w, steps, lr, lambda target: target.detach)


@mistake(
    CLINIC + "learn_values",
    zh="0.9 丢了：目标是 reward + 0.9 * (X_next @ w)。",
    en="The 0.9 got lost: the target is reward + 0.9 * (X_next @ w).",
)
def learn_values_forgets_the_discount(X: Any, X_next: Any, reward: Any, w: Any, steps: int, lr: float) -> Any:
    return _learnt(X, X_next, reward, w, steps, lr, lambda target: target.detach(), gamma=1.0)


# ── softmax_rows, scaled_start, absolute_loss ───────────────────────────────────────────────────────


@mistake(
    CLINIC + "softmax_rows",
    zh="一行一行地写，还是在改写 exp 的输出。要造一个新张量：p / total。",
    en="Row by row it is still a write into exp's output. Make a new tensor: p / total.",
)
def softmax_rows_row_by_row(scores: Any) -> Any:
    p = scores.exp()
    for i in range(len(p)):
        p[i] = p[i] / p[i].sum()
    return p


@mistake(
    CLINIC + "softmax_rows",
    zh="exp 丢了：先对每个分数取 e 的幂，再除以这一行的和。",
    en="The exp got lost: take e to the power of each score first, then divide by the row's sum.",
)
def softmax_rows_without_exp(scores: Any) -> Any:
    return scores / scores.sum(1, keepdim=True)


@mistake(
    CLINIC + "scaled_start",
    zh="values 自己也开始要梯度了：requires_grad_() 改的是它本身。对新造出来的张量调用。",
    en="Now values itself wants a gradient: requires_grad_() changes the tensor it is called on. Call it on the new one.",
)
def scaled_start_asks_the_values(values: Any, scale: float) -> Any:
    return (values.requires_grad_() * scale).detach().clone().requires_grad_()


@mistake(
    CLINIC + "absolute_loss",
    zh="if 只认一个真假，误差有好多个，有正有负。取绝对值用 .abs()，它逐个元素来。",
    en="An if wants one truth value, while there are many errors, of both signs. .abs() takes the absolute value entry by entry.",
)
def absolute_loss_by_an_if(prediction: Any, target: Any) -> Any:
    error = prediction - target
    return error.mean() if error > 0 else (-error).mean()


@mistake(
    CLINIC + "absolute_loss",
    zh="这是最大的那个误差。说明里是平均绝对误差：把 max 换成 mean。",
    en="This is the largest error. The docstring says mean absolute error: mean in place of max.",
)
def absolute_loss_takes_the_largest(prediction: Any, target: Any) -> Any:
    return (prediction - target).abs().max()


@mistake(
    CLINIC + "absolute_loss",
    zh="只沿一维平均了，误差要是排成一张表，得到的就不是一个数。全部一起平均：.mean()，括号里什么也不写。",
    en="You average along one dimension; if the errors come in a table, that leaves more than one number. Average them all: .mean(), with nothing in its brackets.",
)
def absolute_loss_averages_along_one_dim(prediction: Any, target: Any) -> Any:
    return (prediction - target).abs().mean(0)


@mistake(
    CLINIC + "absolute_loss",
    zh="len 只数第一维。误差要是排成一张表，个数就不对：除以 numel()，或者直接 mean()。",
    en="len counts the first dimension only, and if the errors come in a table, it is not how many there are. Divide by numel(), or simply take mean().",
)
def absolute_loss_divides_by_len(prediction: Any, target: Any) -> Any:
    return (prediction - target).abs().sum() / len(prediction)


@mistake(
    CLINIC + "softmax_rows",
    zh="log_softmax 给出的是概率的对数。要概率本身：p / total。",
    en="log_softmax gives the logarithms of the probabilities. The probabilities themselves are p / total.",
)
def softmax_rows_as_logarithms(scores: Any) -> Any:
    return scores.log_softmax(1)
