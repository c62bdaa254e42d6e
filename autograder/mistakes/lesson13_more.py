"""Known mistakes of lesson 13, continued: arguments in each other's place, training loops that hand the wrong thing
to backward."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson13 import EPOCH, LOG_SOFTMAX, NLL, SIGMOID, correct_nll, epoch
from minigrad import no_grad, rules


def _epoch(optimizer: Any, batches: Any, loss_of: Any) -> float:
    """As it should be, but for the loss: loss_of(batch)."""
    losses = []
    for batch in batches:
        optimizer.zero_grad()
        loss = loss_of(batch)
        loss.backward()
        optimizer.step()
        losses.append(loss if isinstance(loss, float) else loss.item())
    return float(sum(losses) / len(losses))


@mistake(
    EPOCH,
    zh="item() 取得太早：取出来的是普通的数，没有 backward。先对张量 loss.backward()，记的时候再 loss.item()。",
    en="item() comes too early: it gives a plain number, which has no backward. Call loss.backward() on the tensor, and loss.item() when you note it.",
)
def epoch_takes_the_number_first(
    net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any
) -> Any:
    return _epoch(optimizer, batches, lambda batch: criterion(net(images[batch]), numbers[batch]).item())


@mistake(
    EPOCH,
    zh="前向是在 no_grad 里算的，没有记录，backward 无路可走。no_grad 只用来更新或评估；这里的更新由 optimizer.step() 自己去管。",
    en="The forward pass ran under no_grad, so nothing was recorded and backward has nowhere to go. no_grad is for updating and for evaluating; the update here is the business of optimizer.step().",
)
def epoch_does_not_record(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    def loss_of(batch: Any) -> Any:
        with no_grad():
            return criterion(net(images[batch]), numbers[batch])

    return _epoch(optimizer, batches, loss_of)


@mistake(
    EPOCH,
    zh="交给 criterion 的是猜出来的类别（argmax）。损失要的是分数本身：criterion(net(images[batch]), numbers[batch])。",
    en="You give criterion the classes that the network guessed (argmax). The loss needs the scores themselves: criterion(net(images[batch]), numbers[batch]).",
)
def epoch_hands_over_guesses(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    return _epoch(optimizer, batches, lambda batch: criterion(net(images[batch]).argmax(1), numbers[batch]))


@mistake(
    EPOCH,
    zh="net(images)[batch] 把全部图像都算了一遍，再丢掉多余的。先取这一批，再交给网络：net(images[batch])。",
    en="net(images)[batch] runs the network on all images and throws most of the results away. Take the batch first: net(images[batch]).",
)
def epoch_runs_on_all_images(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    return _epoch(optimizer, batches, lambda batch: criterion(net(images)[batch], numbers[batch]))


@mistake(
    EPOCH,
    zh="batches 里没有图像，也没有答案，只有行号，拆不成 x 和 y：写 for batch in batches，images[batch] 才是图像，numbers[batch] 才是答案。",
    en="batches holds neither images nor answers, only row numbers, and they do not come apart into x and y. Write for batch in batches: images[batch] are the images, numbers[batch] the answers.",
)
def epoch_unpacks_batches(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    return _epoch(optimizer, ((x, y) for x, y in batches), lambda batch: criterion(net(batch[0]), batch[1]))


@mistake(
    EPOCH,
    zh="batches 里没有图像，只有行号，你把行号喂给了网络：images[batch] 才是图像，numbers[batch] 才是答案。",
    en="batches holds no images, only row numbers, and these you fed to the network: images[batch] are the images, numbers[batch] the answers.",
)
def epoch_feeds_row_numbers(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    return _epoch(optimizer, batches, lambda batch: criterion(net(batch), numbers[batch]))


@mistake(
    EPOCH,
    zh="list(batches) 已经把它走完了，后面的循环一批也没有：迭代器只能走一遍。边走边数，或者把 list(batches) 的结果留下来再走。",
    en="list(batches) has used it up, so the loop finds no batches: an iterator can be gone through only once. Count as you go, or keep the list and go through that.",
)
def epoch_counts_first(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    count, total = len(list(batches)), 0.0
    for batch in batches:
        total += epoch(net, criterion, optimizer, images, numbers, [batch])
    return total / count


@mistake(
    EPOCH,
    zh="除以了图像的张数。加起来的是各批的损失，要除以批数。",
    en="You divided by the number of images. What you added up are the batches' losses: divide by the number of batches.",
)
def epoch_divides_by_the_images(
    net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any
) -> Any:
    batches = list(batches)
    return len(batches) * epoch(net, criterion, optimizer, images, numbers, batches) / len(numbers)


@mistake(
    NLL,
    zh="put_along 的后两个参数放反了：先是位置（target），后是要写的数。位置得是整数，NumPy 报错说的就是这个。",
    en="The last two arguments of put_along are swapped: first the places, target, then the values to write. Places are integers; that is what NumPy's error is about.",
)
def nll_exchanges_places_and_values(grad: Any, self_shape: Any, target: Any, shares: Any) -> Any:
    dim = min(1, len(self_shape) - 1)
    places, values = rules.unsqueeze(target, dim), rules.unsqueeze(-grad * shares, dim)
    return rules.put_along(rules.zeros(grad, self_shape), dim, values, places)


# ── sigmoid and log_softmax ──────────────────────────────────────────────────────────────────────


@mistake(
    SIGMOID,
    zh="括号里是减号：乘 z，再乘 1 - z。你写成了 1 + z。",
    en="There is a minus in the bracket: z times 1 - z. You wrote 1 + z.",
)
def sigmoid_one_plus(grad: Any, result: Any) -> Any:
    return grad * result * (1 + result)


@mistake(
    LOG_SOFTMAX,
    zh="p · (1 - p) 是 sigmoid 的斜率。这里一行的分数都在分母里，要减去 softmax 乘以 grad 之和。",
    en="p · (1 - p) is the slope of sigmoid. Here all scores of a row share the denominator: subtract softmax times the sum of grad.",
)
def log_softmax_as_sigmoid(grad: Any, result: Any, dim: int) -> Any:
    p = rules.exp(result)
    return grad * p * (1 - p)


@mistake(
    LOG_SOFTMAX,
    zh="总是沿第 0 维求和，那是把各行加到一起。沿哪一维，看参数 dim。",
    en="The sum always runs along dimension 0, which adds rows to one another. The parameter dim says along which to sum.",
)
def log_softmax_dim_zero(grad: Any, result: Any, dim: int) -> Any:
    return grad - rules.exp(result) * rules.sum(grad, (0,), True)


@mistake(
    LOG_SOFTMAX,
    zh="求和求错了对象：要加起来的是 grad，不是 result。",
    en="You add up the wrong thing: the sum is of grad, not of result.",
)
def log_softmax_sums_the_result(grad: Any, result: Any, dim: int) -> Any:
    return grad - rules.exp(result) * rules.sum(result, (dim,), True)


# ── nll_loss ─────────────────────────────────────────────────────────────────────────────────────


@mistake(
    NLL,
    zh="shares 里已经有 1/N 了，再除以行数，就除了两遍。",
    en="shares holds the 1/N already; dividing by the number of rows divides twice.",
)
def nll_divides_twice(grad: Any, self_shape: Any, target: Any, shares: Any) -> Any:
    return correct_nll(grad, self_shape, target, shares / self_shape[0])


@mistake(
    NLL,
    zh="没有批次时也要补一维：表有一维，target 是一个数，要 rules.unsqueeze(…, 0)。",
    en="Without a batch there is a dimension to add, too: the table has one and target none, so use rules.unsqueeze(…, 0).",
)
def nll_unsqueezes_with_a_batch_only(grad: Any, self_shape: Any, target: Any, shares: Any) -> Any:
    if len(self_shape) == 1:
        return rules.put_along(rules.zeros(grad, self_shape), 0, target, -grad * shares)
    return correct_nll(grad, self_shape, target, shares)


@mistake(
    NLL,
    zh="表的类型跟了 target，成了整数，小数写进去就没了。跟着 grad 造：rules.zeros(grad, self_shape)。",
    en="The table took its dtype from target, so it holds whole numbers and the fractions are lost. Make it like grad: rules.zeros(grad, self_shape).",
)
def nll_in_whole_numbers(grad: Any, self_shape: Any, target: Any, shares: Any) -> Any:
    dim = min(1, len(self_shape) - 1)
    places, values = rules.unsqueeze(target, dim), rules.unsqueeze(-grad * shares, dim)
    return rules.put_along(rules.zeros(target, self_shape), dim, places, values)


# ── train_epoch ──────────────────────────────────────────────────────────────────────────────────


@mistake(
    EPOCH,
    zh="criterion 要的是分数，softmax 它自己会做。直接给它 net(images[batch])。",
    en="criterion wants the scores; it takes the softmax itself. Hand it net(images[batch]) as it is.",
)
def epoch_takes_the_softmax(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    return _epoch(optimizer, batches, lambda batch: criterion(net(images[batch]).softmax(1), numbers[batch]))


@mistake(
    EPOCH,
    zh="i 只是第几批，images[i] 是第 i 张图像。行号在 batches 里：for batch in batches，再取 images[batch]。",
    en="i only counts the batches, and images[i] is the image of that number. The row numbers are in batches: for batch in batches, then images[batch].",
)
def epoch_takes_the_count_for_rows(
    net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any
) -> Any:
    return _epoch(optimizer, range(len(batches)), lambda i: criterion(net(images[i]), numbers[i]))


@mistake(
    EPOCH,
    zh="图像取了这一批，答案却是全部的。numbers 也要取 [batch]。",
    en="The images are those of the batch, the answers are all of them. numbers needs [batch] as well.",
)
def epoch_keeps_all_answers(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    return _epoch(optimizer, batches, lambda batch: criterion(net(images[batch]), numbers))


@mistake(
    EPOCH,
    zh="训练之后又走了一遍 batches 去记损失：它可能只能走一遍，而且权重已经变了。在训练的那一圈里就记下 loss.item()。",
    en="To note the losses you go through batches once more; it may be good for one pass only, and the weights have changed by then. Note loss.item() in the round that trains.",
)
def epoch_goes_through_twice(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Any) -> Any:
    for batch in batches:
        epoch(net, criterion, optimizer, images, numbers, [batch])
    losses = [criterion(net(images[batch]), numbers[batch]).item() for batch in batches]
    return sum(losses) / len(losses)


@mistake(
    LOG_SOFTMAX,
    zh="来的多半是 NumPy 数组，它的 sum 不认 keepdim。用 rules.sum(grad, (dim,), True)。",
    en="Mostly NumPy arrays come in, and their sum knows no keepdim. Use rules.sum(grad, (dim,), True).",
)
def log_softmax_sums_as_tensors_do(grad: Any, result: Any, dim: int) -> Any:
    return grad - rules.exp(result) * grad.sum(dim, keepdim=True)


@mistake(
    LOG_SOFTMAX,
    zh="来的多半是 NumPy 数组，没有 .exp()。用 rules.exp(result)，数组和张量都行。",
    en="Mostly NumPy arrays come in, and these have no .exp(). rules.exp(result) works on arrays and tensors alike.",
)
def log_softmax_asks_for_exp(grad: Any, result: Any, dim: int) -> Any:
    return grad - result.exp() * rules.sum(grad, (dim,), True)


@mistake(
    NLL,
    zh="rules.zeros 要两样东西：照着谁造（类型、设备），再是形状。写 rules.zeros(grad, self_shape)。",
    en="rules.zeros wants two things: what to be like, in dtype and device, and the shape. Write rules.zeros(grad, self_shape).",
)
def nll_zeros_of_a_shape(grad: Any, self_shape: Any, target: Any, shares: Any) -> Any:
    return rules.zeros(self_shape)  # type: ignore[call-arg]


@mistake(
    NLL,
    zh="reduction 是 none 时，grad 也是每行一个数，写不进一格里；没有批次时，又没有行可走。先算 -grad * shares，再逐行取。",
    en="Under reduction none, grad, too, has one number a row, which does not fit into one place; and without a batch there are no rows to walk. Compute -grad * shares first, then take it row by row.",
)
def nll_writes_all_of_grad(grad: Any, self_shape: Any, target: Any, shares: Any) -> Any:
    table = rules.zeros(grad, self_shape)
    for i in range(self_shape[0]):
        table[i, target[i]] = -grad * shares[i]
    return table
