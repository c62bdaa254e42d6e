"""Known mistakes of lesson 13, continued: arguments in each other's place, training loops that hand the wrong thing
to backward."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson13 import EPOCH, NLL, epoch
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
