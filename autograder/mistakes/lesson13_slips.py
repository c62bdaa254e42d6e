"""More mistakes of lesson 13: slips in a formula that is nearly right, arrays written in place, loops left too early."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.mistakes import mistake
from autograder.mistakes.lesson13 import EPOCH, LOG_SOFTMAX, NLL, SIGMOID, correct_nll, epoch
from minigrad import rules

# ── sigmoid ──────────────────────────────────────────────────────────────────────────────────────


@mistake(
    SIGMOID,
    zh="少了 1 - z：grad 乘了 z，还要乘 1 - z。",
    en="1 - z is missing: you multiplied grad by z, but not by 1 - z.",
)
def sigmoid_only_z(grad: Any, result: Any) -> Any:
    return grad * result


@mistake(
    SIGMOID,
    zh="符号反了：乘的是 z - 1，该是 1 - z。sigmoid 一路上升，斜率是正的。",
    en="The sign is wrong: z - 1 where 1 - z belongs. Sigmoid rises everywhere, so its slope is positive.",
)
def sigmoid_falls(grad: Any, result: Any) -> Any:
    return grad * result * (result - 1)


@mistake(
    SIGMOID,
    zh="少了括号：grad * result * 1 - result 先乘后减。1 - result 要括起来。",
    en="A pair of brackets is missing: grad * result * 1 - result multiplies first and subtracts last. Put 1 - result in brackets.",
)
def sigmoid_without_brackets(grad: Any, result: Any) -> Any:
    return grad * result * 1 - result


@mistake(
    SIGMOID,
    zh="你把结果写进了 grad。同一个数组还要传给图里的另一支，那一支也跟着变了。算一个新的数组返回。",
    en="You wrote into grad. The same array goes to another branch of the graph, too, which now gets your numbers. Return a new array.",
)
def sigmoid_in_place(grad: Any, result: Any) -> Any:
    grad *= result * (1 - result)
    return grad


@mistake(
    SIGMOID,
    zh="你写进了 result。它就是前向的输出，不是副本，别人还要读它。算一个新的数组返回。",
    en="You wrote into result. It is the output of the forward pass itself, not a copy, and others still read it. Return a new array.",
)
def sigmoid_writes_the_output(grad: Any, result: Any) -> Any:
    result *= 1 - result
    return grad * result


# ── log_softmax ──────────────────────────────────────────────────────────────────────────────────


@mistake(
    LOG_SOFTMAX,
    zh="符号反了：经过总和的那一路要减去，z = x - ln Σ eˣ 里总和前面是减号。",
    en="The sign is wrong: the path through the sum is subtracted, as the sum is in z = x - ln Σ eˣ.",
)
def log_softmax_adds(grad: Any, result: Any, dim: int) -> Any:
    return grad + rules.exp(result) * rules.sum(grad, (dim,), True)


@mistake(
    LOG_SOFTMAX,
    zh="只有经过总和的那一路，直接的那一路（grad 自己）丢了。",
    en="Only the path through the sum; the direct one, grad itself, is missing.",
)
def log_softmax_through_the_sum_only(grad: Any, result: Any, dim: int) -> Any:
    return -rules.exp(result) * rules.sum(grad, (dim,), True)


@mistake(
    LOG_SOFTMAX,
    zh="减去的 softmax 没有乘上游：先把这一行的 grad 加起来，再乘 softmax。",
    en="The softmax that you subtract is not multiplied by anything from upstream: add up the row's grad and multiply by that.",
)
def log_softmax_without_upstream(grad: Any, result: Any, dim: int) -> Any:
    return grad - rules.exp(result)


@mistake(
    LOG_SOFTMAX,
    zh="softmax 放进了求和号里面：该是 softmax 乘以 grad 之和，不是 grad 乘 softmax 再求和。",
    en="Softmax has slipped inside the sum: it is softmax times the sum of grad, not the sum of grad times softmax.",
)
def log_softmax_inside_the_sum(grad: Any, result: Any, dim: int) -> Any:
    return grad - rules.sum(grad * rules.exp(result), (dim,), True)


@mistake(
    LOG_SOFTMAX,
    zh="求和以后少了一维，和 softmax 对不上。rules.sum 的第三个参数写 True，把那一维留成 1。",
    en="The sum has lost its dimension and does not line up with the softmax. Give rules.sum True as its third argument, which keeps that dimension, of size 1.",
)
def log_softmax_drops_the_dim(grad: Any, result: Any, dim: int) -> Any:
    return grad - rules.exp(result) * rules.sum(grad, (dim,), False)


@mistake(
    LOG_SOFTMAX,
    zh="你把结果写进了 grad，图里的另一支还要用它。算一个新的数组返回。",
    en="You wrote into grad, which another branch of the graph still needs. Return a new array.",
)
def log_softmax_in_place(grad: Any, result: Any, dim: int) -> Any:
    grad -= rules.exp(result) * rules.sum(grad, (dim,), True)
    return grad


@mistake(
    LOG_SOFTMAX,
    zh="求和总是沿第 1 维。沿哪一维做，写在参数 dim 里，只有一行时根本没有第 1 维。",
    en="The sum always runs along dimension 1. The parameter dim says which dimension it is, and a single row has no dimension 1.",
)
def log_softmax_dim_one(grad: Any, result: Any, dim: int) -> Any:
    return grad - rules.exp(result) * rules.sum(grad, (1,), True)


@mistake(
    LOG_SOFTMAX,
    zh="你求了 grad 的平均。每个分数都进了总和，这条路上的 grad 要加起来，不除以个数。",
    en="You took the mean of grad. Every score went into the sum, and along that path grad is added up, not divided by how many there are.",
)
def log_softmax_means(grad: Any, result: Any, dim: int) -> Any:
    return grad - rules.exp(result) * rules.sum(grad, (dim,), True) / grad.shape[dim]


@mistake(
    LOG_SOFTMAX,
    zh="括号放错了：(grad - softmax) 整个乘了总和。只有 softmax 乘 grad 之和，再从 grad 里减去。",
    en="The brackets are in the wrong place: (grad - softmax) as a whole is multiplied by the sum. Only softmax is, and then it is subtracted from grad.",
)
def log_softmax_brackets(grad: Any, result: Any, dim: int) -> Any:
    return (grad - rules.exp(result)) * rules.sum(grad, (dim,), True)


# ── nll_loss ─────────────────────────────────────────────────────────────────────────────────────


@mistake(
    NLL,
    zh="target 和 -grad * shares 都只有一维，表有两维。写进表之前，用 rules.unsqueeze 给两者各补一维。",
    en="target and -grad * shares have one dimension, the table has two. Before you write them, give each of them one more with rules.unsqueeze.",
)
def nll_without_unsqueeze(grad: Any, self_shape: Any, target: Any, shares: Any) -> Any:
    return rules.put_along(rules.zeros(grad, self_shape), 1, target, -grad * shares)


@mistake(
    NLL,
    zh="有批次时都对；没有批次时 self_shape 是 (C,)，只有第 0 维，没有第 1 维。",
    en="With a batch all is right; without one, self_shape is (C,), which has a dimension 0 but no dimension 1.",
)
def nll_needs_a_batch(grad: Any, self_shape: Any, target: Any, shares: Any) -> Any:
    target, value = rules.unsqueeze(target, 1), rules.unsqueeze(-grad * shares, 1)
    return rules.put_along(rules.zeros(grad, self_shape), 1, target, value)


@mistake(
    NLL,
    zh="你总是除以行数。每一行占多少写在 shares 里：求平均时才是 1/N，求和时是 1，有权重时各不相同。",
    en="You always divide by the number of rows. shares says how much a row counts: 1/N only in a mean, 1 in a sum, different numbers with weights.",
)
def nll_divides_by_the_rows(grad: Any, self_shape: Any, target: Any, shares: Any) -> Any:
    dim = min(1, len(self_shape) - 1)
    value = rules.unsqueeze(-grad * (shares * 0 + 1) / self_shape[0], dim)
    return rules.put_along(rules.zeros(grad, self_shape), dim, rules.unsqueeze(target, dim), value)


@mistake(
    NLL,
    zh="有批次时都对；没有批次时 target 是一个数，没有 len()，self_shape 也只有一维。",
    en="With a batch all is right; without one, target is a single number, which has no len(), and self_shape has one dimension.",
)
def nll_by_fancy_indexing(grad: Any, self_shape: Any, target: Any, shares: Any) -> Any:
    table = rules.zeros(grad, self_shape)
    table[np.arange(len(target)), target] = -grad * shares
    return table


@mistake(
    NLL,
    zh="np.zeros 造的总是 float64 的表。梯度的类型要和 grad 一样：rules.zeros(grad, self_shape)。",
    en="np.zeros always makes a float64 table. The gradient has the dtype of grad: rules.zeros(grad, self_shape).",
)
def nll_in_float64(grad: Any, self_shape: Any, target: Any, shares: Any) -> Any:
    return correct_nll(grad, self_shape, target, shares).astype("float64")


@mistake(
    NLL,
    zh="只有 target 补了一维，-grad * shares 还是一维。要写进表里的值也要用 rules.unsqueeze 补上。",
    en="You gave only target one more dimension; -grad * shares still has one. The values to be written need rules.unsqueeze, too.",
)
def nll_unsqueezes_the_places_only(grad: Any, self_shape: Any, target: Any, shares: Any) -> Any:
    dim = min(1, len(self_shape) - 1)
    return rules.put_along(rules.zeros(grad, self_shape), dim, rules.unsqueeze(target, dim), -grad * shares)


@mistake(
    NLL,
    zh="乘得太晚：shares 先补了一维，再乘每行一个数的 grad，就广播成了一张方表。先算 -grad * shares，再补维。",
    en="You multiply too late: shares got its dimension first, and times a grad with one number per row it broadcasts to a square table. Compute -grad * shares, then unsqueeze.",
)
def nll_multiplies_a_column(grad: Any, self_shape: Any, target: Any, shares: Any) -> Any:
    dim = min(1, len(self_shape) - 1)
    value = -grad * rules.unsqueeze(shares, dim)
    return rules.put_along(rules.zeros(grad, self_shape), dim, rules.unsqueeze(target, dim), value)


@mistake(
    NLL,
    zh="你总是沿第 0 维写。有批次时第 0 维是行，类别在第 1 维；没有批次时类别才在第 0 维。",
    en="You always write along dimension 0. With a batch, dimension 0 is the rows and the classes are in dimension 1; only without a batch are they in dimension 0.",
)
def nll_along_the_rows(grad: Any, self_shape: Any, target: Any, shares: Any) -> Any:
    places, values = rules.unsqueeze(target, 0), rules.unsqueeze(-grad * shares, 0)
    return rules.put_along(rules.zeros(grad, self_shape), 0, places, values)


# ── train_epoch ──────────────────────────────────────────────────────────────────────────────────


@mistake(
    EPOCH,
    zh="清零放在了循环的最后：从第二批起都对，可第一批用上了开始之前就留在那里的梯度。放到 backward 之前。",
    en="Clearing comes last in the loop: that is right from the second batch on, but the first one uses gradients that were there before you began. Clear before backward.",
)
def epoch_clears_behind(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    losses = []
    for batch in batches:
        loss = criterion(net(images[batch]), numbers[batch])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return sum(losses) / len(losses)


@mistake(
    EPOCH,
    zh="你记下的是走完这一步之后又算了一遍的损失。要的是走之前的那个 loss，前向一次就够。",
    en="You computed the loss once more, after the step, and noted that. Note the one from before the step; one forward pass will do.",
)
def epoch_asks_again(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    losses = []
    for batch in batches:
        epoch(net, criterion, optimizer, images, numbers, [batch])
        losses.append(criterion(net(images[batch]), numbers[batch]).item())
    return sum(losses) / len(losses)


@mistake(
    EPOCH,
    zh="你把所有批次的损失加起来，只反向了一次，走了一步。一批一次：反向，走一步，再看下一批。",
    en="You added up the losses of all batches, went backward once and took one step. Once for each batch: backward, step, then on to the next.",
)
def epoch_goes_back_once(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    losses = [criterion(net(images[batch]), numbers[batch]) for batch in batches]
    mean = sum(losses) / len(losses)
    optimizer.zero_grad()
    mean.backward()
    optimizer.step()
    return mean.item()


@mistake(
    EPOCH,
    zh="criterion 的两个参数反了：先网络给出的分数，后正确的数字。",
    en="The arguments of criterion are swapped: the network's scores come first, then the right numbers.",
)
def epoch_exchanges_scores_and_numbers(
    net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any
) -> Any:
    return epoch(net, lambda scores, right: criterion(right, scores), optimizer, images, numbers, batches)


@mistake(
    EPOCH,
    zh="没有 backward：step 走的时候一个梯度也没有，权重一动不动。算出 loss 以后调用 loss.backward()。",
    en="backward is missing: step finds no gradients, and the weights never move. Call loss.backward() once you have computed the loss.",
)
def epoch_never_goes_back(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    losses = []
    for batch in batches:
        optimizer.zero_grad()
        losses.append(criterion(net(images[batch]), numbers[batch]).item())
        optimizer.step()
    return sum(losses) / len(losses)


@mistake(
    EPOCH,
    zh="return 缩进到了循环里面：只走了第一批就返回了。",
    en="return is indented into the loop: it leaves after the first batch.",
)
def epoch_leaves_early(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    return epoch(net, criterion, optimizer, images, numbers, [next(iter(batches))])


@mistake(
    EPOCH,
    zh="你按图像的张数求平均，最后那个小批因此占得少。这里要的是各批损失的平均，一批算一份。",
    en="You averaged over the images, so the smaller last batch counts less. Take the mean of the batches' losses, each batch counting once.",
)
def epoch_averages_over_images(
    net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any
) -> Any:
    total, seen = 0.0, 0
    for batch in batches:
        total += len(batch) * epoch(net, criterion, optimizer, images, numbers, [batch])
        seen += len(batch)
    return total / seen


@mistake(
    EPOCH,
    zh="batches 不一定有 len()，它可能是只能走一遍的迭代器。数一数走过的批数，或者 len(losses)。",
    en="batches need not have a len(): it may be an iterator that can be gone through only once. Count the batches as they come, or take len(losses).",
)
def epoch_asks_for_len(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    total = 0.0
    for batch in batches:
        total += epoch(net, criterion, optimizer, images, numbers, [batch])
    return total / len(batches)
