"""Hints of lesson 13."""

from __future__ import annotations

from autograder.hints import Stages

HINTS: dict[str, Stages] = {
    "minigrad.ops.pointwise.sigmoid_vjp": (
        (
            "z = 1 / (1 + e⁻ˣ)。在纸上对 x 求导，再看看结果能不能只用 z 写出来。",
            "z = 1 / (1 + e⁻ˣ). Differentiate by x on paper, then see whether the result can be written with z alone.",
        ),
        (
            "导数是 z 乘以 1 - z。result 就是 z；别忘了上游传来的 grad。",
            "The derivative is z times 1 - z. result is that z; and do not forget grad, which comes from upstream.",
        ),
        (
            "把 grad、result 和 1 - result 三样逐元素乘起来。",
            "Multiply three things, element by element: grad, result and 1 - result.",
        ),
    ),
    "minigrad.ops.nn.log_softmax_vjp": (
        (
            "一行里 zᵢ = xᵢ - ln Σ eˣ。动一动 x₁：z₁ 怎么变？z₂、z₃ 又怎么变？",
            "Within a row zᵢ = xᵢ - ln Σ eˣ. Nudge x₁: how does z₁ move, and how do z₂ and z₃?",
        ),
        (
            "两条路：直接的一路给出 grad；经过 ln Σ eˣ 的一路，斜率是 softmax 加一个负号，影响这一行的每个输出，所以乘的是 grad 沿 dim 的和。",
            "Two paths: the direct one gives grad; the one through ln Σ eˣ has the slope minus softmax and moves every output of the row, so it is "
            "multiplied by the sum of grad along dim.",
        ),
        (
            "softmax 是 rules.exp(result)，和是 rules.sum(grad, (dim,), True)；返回 grad 减去两者之积。",
            "Softmax is rules.exp(result), the sum is rules.sum(grad, (dim,), True); return grad minus the product of these two.",
        ),
    ),
    "minigrad.ops.cross_entropy.nll_loss_vjp": (
        (
            "一行有 C 个对数概率，损失里出现了哪几个？没有出现的，梯度是多少？",
            "A row has C log-probabilities; which of them occur in the loss? And what is the gradient of those that do not?",
        ),
        (
            "先造一张形状为 self_shape 的全 0 表，再在每一行的 target 那一格写上 -grad · shares。",
            "Make a table of zeros of shape self_shape, then write -grad · shares into each row's target place.",
        ),
        (
            "dim = min(1, len(self_shape) - 1)；用 rules.unsqueeze(…, dim) 给 target 和 -grad * shares 各补一维，"
            "再 rules.put_along(rules.zeros(grad, self_shape), dim, 位置, 数)。",
            "dim = min(1, len(self_shape) - 1); give target and -grad * shares one more dimension with rules.unsqueeze(…, dim), "
            "then rules.put_along(rules.zeros(grad, self_shape), dim, places, values).",
        ),
    ),
    "minigrad.training.train_epoch": (
        (
            "每一批要做五件事：清零、前向、反向、走一步、记下损失。清零绝不能夹在哪两件之间？",
            "Five things happen in each batch: clear, forward, backward, step, note the loss. Between which two must clearing never come?",
        ),
        (
            "for batch in batches: 里先 optimizer.zero_grad()，再算 criterion(net(images[batch]), numbers[batch])，然后 backward、step。"
            "损失用 .item() 取出数来存。",
            "Inside `for batch in batches:` first optimizer.zero_grad(), then criterion(net(images[batch]), numbers[batch]), then backward and step. "
            "Keep the loss as a number, by .item().",
        ),
        (
            "循环前 losses = []；循环末尾 losses.append(loss.item())；最后返回 sum(losses) / len(losses)。",
            "Before the loop losses = []; at its end losses.append(loss.item()); and behind it return sum(losses) / len(losses).",
        ),
    ),
}
