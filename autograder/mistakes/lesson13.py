"""Known mistakes of lesson 13: half a derivative, the sum left out, a label counted twice, a loop in another order."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from minigrad import rules

SIGMOID = "minigrad.ops.pointwise.sigmoid_vjp"
LOG_SOFTMAX = "minigrad.ops.nn.log_softmax_vjp"
NLL = "minigrad.ops.cross_entropy.nll_loss_vjp"
EPOCH = "minigrad.training.train_epoch"

# ── sigmoid ──────────────────────────────────────────────────────────────────────────────────────


@mistake(
    SIGMOID,
    zh="少了上游：sigmoid 自己的斜率对了，但没有乘 grad，链条在这里断了。",
    en="The factor grad is missing: sigmoid's own slope is right, but without the gradient from upstream the chain breaks here.",
)
def sigmoid_forgot_grad(grad: Any, result: Any) -> Any:
    return result * (1 - result)


@mistake(
    SIGMOID,
    zh="你又做了一遍 sigmoid。result 已经是 sigmoid 的输出，直接用它。",
    en="You took the sigmoid again. result is its output already; use it as it is.",
)
def sigmoid_of_the_result(grad: Any, result: Any) -> Any:
    again = 1 / (1 + rules.exp(-result))
    return grad * again * (1 - again)


@mistake(
    SIGMOID,
    zh="这是 tanh 的导数，1 减去平方。sigmoid 的是 z 乘以 1 - z。",
    en="That is the derivative of tanh, 1 minus the square. Sigmoid's is z times 1 - z.",
)
def sigmoid_as_tanh(grad: Any, result: Any) -> Any:
    return grad * (1 - result * result)


@mistake(
    SIGMOID,
    zh="只有一半：你乘了 1 - z，还要乘 z 自己。",
    en="Only half of it: you multiplied by 1 - z; z itself is missing.",
)
def sigmoid_half(grad: Any, result: Any) -> Any:
    return grad * (1 - result)


# ── log_softmax ──────────────────────────────────────────────────────────────────────────────────


@mistake(
    LOG_SOFTMAX,
    zh="只有直接的那一路：分母里也有每一个分数，那一路减去 softmax 乘以 grad 之和。",
    en="Only the direct path: every score is in the denominator, too, and that path subtracts softmax times the sum of grad.",
)
def log_softmax_direct_only(grad: Any, result: Any, dim: int) -> Any:
    return grad * 1.0


@mistake(
    LOG_SOFTMAX,
    zh="grad 没有求和：每个分数通过分母影响这一行的所有输出，要先把这一行的 grad 加起来，再乘 softmax。",
    en="grad is not summed: through the denominator a score moves every output of its row, so add up the row's grad first, then multiply by softmax.",
)
def log_softmax_without_sum(grad: Any, result: Any, dim: int) -> Any:
    return grad - rules.exp(result) * grad


@mistake(
    LOG_SOFTMAX,
    zh="result 是对数，不是概率。先取 exp，才是 softmax。",
    en="result is a logarithm, not a probability. Take its exp to get the softmax.",
)
def log_softmax_without_exp(grad: Any, result: Any, dim: int) -> Any:
    return grad - result * rules.sum(grad, (dim,), True)


@mistake(
    LOG_SOFTMAX,
    zh="这是 softmax 的规则。log_softmax 的更简单：grad 减去 softmax 乘以 grad 之和。",
    en="That is the rule of softmax. The one of log_softmax is simpler: grad minus softmax times the sum of grad.",
)
def log_softmax_as_softmax(grad: Any, result: Any, dim: int) -> Any:
    p = rules.exp(result)
    return p * (grad - rules.sum(grad * p, (dim,), True))


@mistake(
    LOG_SOFTMAX,
    zh="求和求到了所有行上。只沿 dim 加，一行归一行。",
    en="You summed over all rows. Sum along dim only: each row by itself.",
)
def log_softmax_sums_everything(grad: Any, result: Any, dim: int) -> Any:
    return grad - rules.exp(result) * rules.sum(grad, None, False)


@mistake(
    LOG_SOFTMAX,
    zh="总是沿最后一维求和了。softmax 不一定沿最后一维做，要用参数 dim。",
    en="The sum always runs along the last dimension. Softmax need not; use the parameter dim.",
)
def log_softmax_last_dim(grad: Any, result: Any, dim: int) -> Any:
    return grad - rules.exp(result) * rules.sum(grad, (-1,), True)


# ── nll_loss ─────────────────────────────────────────────────────────────────────────────────────


def correct_nll(grad: Any, self_shape: Any, target: Any, shares: Any) -> Any:
    """The rule as it should be; each mistake changes one thing."""
    dim = min(1, len(self_shape) - 1)
    target, value = rules.unsqueeze(target, dim), rules.unsqueeze(-grad * shares, dim)
    return rules.put_along(rules.zeros(grad, self_shape), dim, target, value)


@mistake(
    NLL,
    zh="符号反了：损失是负的对数概率，正确类别的梯度是负的。",
    en="The sign is wrong: the loss is minus a log-probability, so the gradient at the right class is negative.",
)
def nll_without_minus(grad: Any, self_shape: Any, target: Any, shares: Any) -> Any:
    return -correct_nll(grad, self_shape, target, shares)


@mistake(
    NLL,
    zh="没有乘 shares：取平均时，每一行只占 1/N；有权重时，占的份额也不同。",
    en="shares is missing: in a mean each row counts only 1/N, and with weights the shares differ.",
)
def nll_without_shares(grad: Any, self_shape: Any, target: Any, shares: Any) -> Any:
    return correct_nll(grad, self_shape, target, shares * 0 + 1)


@mistake(
    NLL,
    zh="没有乘 grad，上游的梯度丢了。",
    en="grad is missing: the upstream gradient is lost.",
)
def nll_without_grad(grad: Any, self_shape: Any, target: Any, shares: Any) -> Any:
    return correct_nll(grad * 0 + 1, self_shape, target, shares)


@mistake(
    NLL,
    zh="每一类都拿到了梯度。只有正确的那一类进了损失，其余的是 0。",
    en="Every class gets a gradient. Only the right one went into the loss; the others get 0.",
)
def nll_everywhere(grad: Any, self_shape: Any, target: Any, shares: Any) -> Any:
    dim = min(1, len(self_shape) - 1)
    return rules.zeros(grad, self_shape) + rules.unsqueeze(-grad * shares, dim)


@mistake(
    NLL,
    zh="你按行号取了类别：写进了第 i 行第 i 列，而不是第 i 行第 target[i] 列。",
    en="You took the row number for the class: you wrote to row i, column i, not to row i, column target[i].",
)
def nll_by_row_number(grad: Any, self_shape: Any, target: Any, shares: Any) -> Any:
    if len(self_shape) < 2:
        return correct_nll(grad, self_shape, target * 0, shares)
    rows = rules.raw(target) * 0 + range(self_shape[0])
    return correct_nll(grad, self_shape, rows % self_shape[1], shares)


@mistake(
    NLL,
    zh="out[target] 选中的是整行：target 里是列号。每一行 i 要写的是 out[i, target[i]]，用 rules.put_along 一次写完。",
    en="out[target] picks whole rows, but target holds column numbers. In each row i write out[i, target[i]]; rules.put_along does all at once.",
)
def nll_writes_rows(grad: Any, self_shape: Any, target: Any, shares: Any) -> Any:
    out = rules.zeros(grad, self_shape)
    out[target] = -grad * shares
    return out


# ── train_epoch ──────────────────────────────────────────────────────────────────────────────────


@mistake(
    EPOCH,
    zh="没有清零：每一批的梯度都叠在前面所有批次上。是忘了写，还是少了括号？每批开始时调用 optimizer.zero_grad()。",
    en="You never clear: each batch's gradients pile up on those of all the batches before. Is the line missing, or its brackets? Call optimizer.zero_grad() at the start of each.",
)
def epoch_never_clears(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    losses = []
    for batch in batches:
        loss = criterion(net(images[batch]), numbers[batch])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)


@mistake(
    EPOCH,
    zh="只在最前面清了一次，批与批之间的梯度还是叠在一起。清零要放进循环。",
    en="You clear only once, at the very start; from batch to batch the gradients still pile up. Clearing belongs in the loop.",
)
def epoch_clears_once(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    optimizer.zero_grad()
    return epoch_never_clears(net, criterion, optimizer, images, numbers, batches)


@mistake(
    EPOCH,
    zh="step 走的时候一个梯度也没有，权重一动不动：你在 backward 和 step 之间清了零，或者 step 写在了 backward 前面。",
    en="step finds no gradients, and the weights never move: you clear between backward and step, or you step before backward.",
)
def epoch_clears_too_late(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    losses = []
    for batch in batches:
        loss = criterion(net(images[batch]), numbers[batch])
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)


@mistake(
    EPOCH,
    zh="step 走在了 backward 前面：这一步用的是上一批的梯度。",
    en="step comes before backward: each step uses the gradients of the batch before.",
)
def epoch_steps_first(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    losses = []
    for batch in batches:
        loss = criterion(net(images[batch]), numbers[batch])
        optimizer.step()
        optimizer.zero_grad()
        loss.backward()
        losses.append(loss.item())
    return sum(losses) / len(losses)


@mistake(
    EPOCH,
    zh="step 没有执行：梯度算出来了，却没有用。是忘了写，还是少了括号？要写 optimizer.step()。",
    en="No step is taken: gradients are computed and never used. Is the line missing, or its brackets? It reads optimizer.step().",
)
def epoch_never_steps(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    losses = []
    for batch in batches:
        optimizer.zero_grad()
        loss = criterion(net(images[batch]), numbers[batch])
        loss.backward()
        losses.append(loss.item())
    return sum(losses) / len(losses)


@mistake(
    EPOCH,
    zh="返回的是张量：它背后挂着整张计算图，攒多少个就留住多少张。用 loss.item() 取出数来。",
    en="You return a tensor, and a whole graph hangs behind it; keep many of them, and you keep as many graphs. Take the number out with loss.item().",
)
def epoch_keeps_tensors(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    losses = []
    for batch in batches:
        optimizer.zero_grad()
        loss = criterion(net(images[batch]), numbers[batch])
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return sum(losses) / len(losses)


@mistake(
    EPOCH,
    zh="step 在循环外面，一遍只走了一步，用的还只是最后一批的梯度。它该和 backward 缩进得一样。",
    en="step is outside the loop: you take one step per pass, with the last batch's gradients alone. Indent it like backward.",
)
def epoch_steps_once(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    mean = epoch_never_steps(net, criterion, optimizer, images, numbers, batches)
    optimizer.step()
    return mean


@mistake(
    EPOCH,
    zh="返回的是最后一批的损失，不是平均。",
    en="You return the last batch's loss, not the mean.",
)
def epoch_returns_the_last(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    loss = None
    for batch in batches:
        optimizer.zero_grad()
        loss = criterion(net(images[batch]), numbers[batch])
        loss.backward()
        optimizer.step()
    return loss.item() if loss is not None else 0.0


@mistake(
    EPOCH,
    zh="返回的是损失之和，还要除以批数。",
    en="You return the sum of the losses; divide by the number of batches.",
)
def epoch_returns_the_sum(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    batches = list(batches)
    return len(batches) * epoch(net, criterion, optimizer, images, numbers, batches)


@mistake(
    EPOCH,
    zh="每一步用的都是全部数据。一步只该看一批：images[batch] 和 numbers[batch]。",
    en="Each step uses all the data. It should see one batch only: images[batch] and numbers[batch].",
)
def epoch_ignores_batches(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    return epoch(net, criterion, optimizer, images, numbers, [slice(None) for _ in batches])


def epoch(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> float:
    """The loop as it should be, for mistakes that are made around it."""
    losses = []
    for batch in batches:
        optimizer.zero_grad()
        loss = criterion(net(images[batch]), numbers[batch])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)
