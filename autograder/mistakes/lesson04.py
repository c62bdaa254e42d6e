"""Known mistakes of lesson 04: shapes aligned at the wrong end, gradients left large, averaged, or cut off."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from minigrad import rules

STRETCHES, UNBROADCAST = "minigrad.autograd.accumulate.broadcasts_to", "minigrad.autograd.accumulate.unbroadcast"
EXPAND = "minigrad.ops.shape.expand_vjp"

# ── broadcasts_to ────────────────────────────────────────────────────────────────────────────────


@mistake(
    STRETCHES,
    zh="你从左边对齐了。广播从右边对齐：(3,) 对上 (2, 3) 的最后一维，(2,) 就对不上。用负的下标从右边数，要从 -1 数起：shape[-0] 还是 shape[0]。",
    en="You align at the left. Broadcasting aligns at the right: (3,) meets the last dimension of (2, 3), and (2,) does not fit. Counting from the right with negative indices starts at -1: shape[-0] is shape[0].",
)
def aligns_at_the_left(shape: Any, target: Any) -> bool:
    return len(shape) <= len(target) and all(n in (1, m) for n, m in zip(shape, target, strict=False))


@mistake(
    STRETCHES,
    zh="目标那边是 1 也放行了。只有 shape 里的 1 能拉长；目标的 1 不能把别人缩短。",
    en="A 1 in the target is let through as well. Only the ones in shape can be stretched; a 1 in the target shortens nobody.",
)
def ones_on_either_side(shape: Any, target: Any) -> bool:
    offset = len(target) - len(shape)
    return offset >= 0 and all(1 in (n, target[i + offset]) or n == target[i + offset] for i, n in enumerate(shape))


@mistake(
    STRETCHES,
    zh="维数不同的都拒绝了。维数少的可以：缺的维度在左边补上，当作 1。",
    en="Different numbers of dimensions are refused. Fewer are fine: the missing ones are put in on the left and count as 1.",
)
def only_as_many_dimensions(shape: Any, target: Any) -> bool:
    return len(shape) == len(target) and all(n in (1, m) for n, m in zip(shape, target, strict=True))


@mistake(
    STRETCHES,
    zh="维数比目标多的也放行了。拉长只能添维度，不能减：(1, 3) 变不成 (3,)。",
    en="More dimensions than the target are let through. Stretching adds dimensions, it never drops any: (1, 3) does not become (3,).",
)
def more_dimensions_too(shape: Any, target: Any) -> bool:
    return all(n in (1, m) for n, m in zip(reversed(shape), reversed(target), strict=False))


@mistake(
    STRETCHES,
    zh="只认完全相等的维度，忘了 1：大小为 1 的维度可以拉到任意长。",
    en="You accept only equal dimensions and forget the ones: a dimension of size 1 stretches to any length.",
)
def forgets_the_ones(shape: Any, target: Any) -> bool:
    offset = len(target) - len(shape)
    return offset >= 0 and tuple(shape) == tuple(target[offset:])


@mistake(
    STRETCHES,
    zh="什么形状你都说可以。对不上的形状要返回 False，torch 靠它拦下错的梯度。",
    en="You accept every shape. Return False for shapes that don't fit; that is how torch stops wrong gradients.",
)
def everything_fits(shape: Any, target: Any) -> bool:
    return True


@mistake(
    STRETCHES,
    zh="只有两个形状一模一样时你才放行。短的可以在左边补 1，1 可以拉长：(3,) 和 (2, 1) 都能到 (2, 3)。",
    en="You let a shape pass only if it is the target itself. Ones are put in on the left and a 1 stretches: both (3,) and (2, 1) get to (2, 3).",
)
def only_the_same_shape(shape: Any, target: Any) -> bool:
    return tuple(shape) == tuple(target)


@mistake(
    STRETCHES,
    zh="看了一维就下了结论：循环里第一次就 return True。一维不合可以马上拒绝；要放行，得等每一维都看过。",
    en="One dimension decides: the loop returns True the first time round. A misfit may be refused at once, but before accepting, look at all dimensions.",
)
def decides_at_the_first(shape: Any, target: Any) -> bool:
    offset = len(target) - len(shape)
    return offset >= 0 and (not shape or shape[0] in (1, target[offset]))


@mistake(
    STRETCHES,
    zh="有一维对得上你就放行了。要每一维都对得上，是 all，不是 any；没有维度的 () 也放行。",
    en="You let it pass as soon as one dimension fits. All of them have to fit: use all, not any; and (), which has none, passes too.",
)
def content_with_one(shape: Any, target: Any) -> bool:
    return len(shape) <= len(target) and any(n in (1, m) for n, m in zip(shape[::-1], target[::-1], strict=False))


@mistake(
    STRETCHES,
    zh="你问的是两个形状能不能一起拉长，那是双方都可以变。这里 target 不动：拉出来的形状还得等于 target。",
    en="You ask whether the two can be stretched to each other, where both may change. Here target stays: what they give has to be target itself.",
)
def either_may_change(shape: Any, target: Any) -> bool:
    return all(1 in (n, m) or n == m for n, m in zip(shape[::-1], target[::-1], strict=False))


@mistake(
    STRETCHES,
    zh="shape 和 target 换了位置：你问的是 target 能不能拉成 shape。",
    en="shape and target have changed places: you ask whether target can be stretched to shape.",
)
def the_other_direction(shape: Any, target: Any) -> bool:
    return len(target) <= len(shape) and all(m in (1, n) for n, m in zip(shape[::-1], target[::-1], strict=False))


@mistake(
    STRETCHES,
    zh="你只比了维数。每一维的大小也要看：相等，或者 shape 那边是 1。",
    en="You compare only how many dimensions there are. Their sizes matter, too: equal, or 1 on the side of shape.",
)
def counts_dimensions_only(shape: Any, target: Any) -> bool:
    return len(shape) <= len(target)


@mistake(
    STRETCHES,
    zh="1 看错了边：能拉长的是 shape 里的 1，你放行的是 target 里的 1。",
    en="The 1 is on the wrong side: what stretches is a 1 in shape, and you let a 1 in target pass.",
)
def stretches_the_target(shape: Any, target: Any) -> bool:
    return len(shape) <= len(target) and all(n == m or m == 1 for n, m in zip(shape[::-1], target[::-1], strict=False))


@mistake(
    STRETCHES,
    zh="能整除不等于能拉长：2 拉不成 4，只有 1 可以拉成任意长。",
    en="Being a divisor isn't enough: 2 can't be stretched to 4. Only a 1 can become any length.",
)
def stretches_whatever_divides(shape: Any, target: Any) -> bool:
    return len(shape) <= len(target) and all(n and m % n == 0 for n, m in zip(shape[::-1], target[::-1], strict=False))


# ── unbroadcast ──────────────────────────────────────────────────────────────────────────────────


@mistake(
    UNBROADCAST,
    zh="原样返回了，形状还是输出的。被拉长过的输入，要把每一份的梯度加回来，加到它原来的形状。",
    en="You return it as it was, in the output's shape. For an input that was stretched, add up the gradients of all its copies, back to its own shape.",
)
def leaves_it_large(grad: Any, shape: Any) -> Any:
    return grad


@mistake(
    UNBROADCAST,
    zh="该求和，你求了平均。每一份都各自影响损失，影响要加起来，不是分摊。",
    en="This should be a sum, and you took the mean. Each copy moves the loss on its own; the effects add up, they don't average out.",
)
def takes_the_mean(grad: Any, shape: Any) -> Any:
    whole = _unbroadcast(grad, shape)
    copies = 1
    for n in grad.shape:
        copies *= n
    for n in shape:
        copies //= n
    return whole / copies


@mistake(
    UNBROADCAST,
    zh="你只留了头一份，其余的丢了。每一份的梯度都要加进去。",
    en="Only the first copy is kept and the others are dropped. The gradients of all copies have to be added.",
)
def keeps_the_first_copy(grad: Any, shape: Any) -> Any:
    while len(grad.shape) > len(shape):
        grad = grad[0]
    for dim, n in enumerate(shape):
        if n == 1 and grad.shape[dim] != 1:
            grad = grad[(slice(None),) * dim + (slice(0, 1),)]
    return grad


@mistake(
    UNBROADCAST,
    zh="左边多出来的维度加掉了，大小为 1、被拉长的维度还没有：(4, 1) 拉成 (4, 3)，要沿最后一维加回去。",
    en="The surplus dimensions on the left are summed, those of size 1 that were stretched are not: (4, 1) stretched to (4, 3) is summed along the last one.",
)
def forgets_the_stretched_ones(grad: Any, shape: Any) -> Any:
    extra = len(grad.shape) - len(shape)
    return rules.sum(grad, tuple(range(extra)), False) if extra else grad


@mistake(
    UNBROADCAST,
    zh="大小为 1 的维度加对了，左边多出来的维度还在：(3,) 变成 (4, 3)，要先把第 0 维加掉。",
    en="The dimensions of size 1 are right, the surplus ones on the left are still there: for (3,) that became (4, 3), sum dimension 0 away first.",
)
def forgets_the_surplus(grad: Any, shape: Any) -> Any:
    extra = len(grad.shape) - len(shape)
    stretched = tuple(d + extra for d, n in enumerate(shape) if n == 1 and grad.shape[d + extra] != 1)
    return rules.sum(grad, stretched, True) if stretched else grad


@mistake(
    UNBROADCAST,
    zh="多出来的维度在左边，你却加掉了右边的。方阵时形状恰好对得上，数就悄悄错了。",
    en="The surplus dimensions are on the left; you summed those on the right. With square matrices the shape happens to fit, and the numbers are silently wrong.",
)
def sums_at_the_right(grad: Any, shape: Any) -> Any:
    extra = len(grad.shape) - len(shape)
    if extra:
        grad = rules.sum(grad, tuple(range(len(grad.shape) - extra, len(grad.shape))), False)
    stretched = tuple(d for d, n in enumerate(shape) if n == 1 and grad.shape[d] != 1)
    return rules.sum(grad, stretched, True) if stretched else grad


@mistake(
    UNBROADCAST,
    zh="被拉长的维度加掉以后整个没了：(4, 1) 应当还是 (4, 1)，不是 (4,)。求和时要保留这一维（keepdim）。",
    en="After summing, the stretched dimension is gone: (4, 1) should be (4, 1) again, not (4,). Keep the dimension when summing (keepdim).",
)
def drops_the_ones(grad: Any, shape: Any) -> Any:
    extra = len(grad.shape) - len(shape)
    gone = tuple(range(extra))
    gone += tuple(d + extra for d, n in enumerate(shape) if n == 1 and grad.shape[d + extra] != 1)
    return rules.sum(grad, gone, False) if gone else grad


@mistake(
    UNBROADCAST,
    zh="不管什么形状，你都只去掉第 0 维（求和，或者用 [0] 取第一份）。比一比 grad.shape 和 shape：左边多几维就加掉几维，被拉长的 1 也要加回来。",
    en="Whatever the shapes, you only get rid of dimension 0, by a sum or by taking [0]. Compare grad.shape with shape: sum as many as are surplus on the left, and the stretched ones too.",
)
def always_sums_the_first(grad: Any, shape: Any) -> Any:
    if tuple(grad.shape) == tuple(shape):
        return grad
    return rules.sum(grad, (0,), False)


@mistake(
    UNBROADCAST,
    zh="reshape 只换摆法，一个数也不会少：12 个数放不进 (3,)。先求和，把份数加掉，再谈形状。",
    en="reshape rearranges numbers, it never makes fewer of them: 12 numbers do not fit (3,). Sum the copies first, then see to the shape.",
)
def only_reshapes(grad: Any, shape: Any) -> Any:
    return grad.reshape(shape)


@mistake(
    UNBROADCAST,
    zh="你把 shape 当成了要加的维度。shape 里是大小，求和要的是编号：(3,) 对上 (4, 3)，该加的是第 0 维。",
    en="You passed shape as the dimensions to sum. It holds sizes, but the sum wants positions: for (3,) against (4, 3), sum dimension 0.",
)
def takes_sizes_for_positions(grad: Any, shape: Any) -> Any:
    return rules.sum(grad, tuple(shape), False)


@mistake(
    UNBROADCAST,
    zh="多出来的维度加过了，却以大小 1 留了下来：(3,) 成了 (1, 3)。左边多出来的要去掉，用 keepdim=False，或者最后 reshape(shape)。",
    en="The surplus dimensions were summed but stay as ones: (3,) has become (1, 3). Those on the left have to go: keepdim=False, or reshape(shape) at the end.",
)
def keeps_the_surplus_as_ones(grad: Any, shape: Any) -> Any:
    return rules.sum(grad, tuple(range(len(grad.shape) - len(shape))), True)


@mistake(
    UNBROADCAST,
    zh="编号没有错开：shape 的第 i 维，在 grad 里是第 extra + i 维，因为左边还有 extra 维。",
    en="The places are not shifted: dimension i of shape is dimension extra + i of grad, which has extra more on the left.",
)
def forgets_the_offset(grad: Any, shape: Any) -> Any:
    extra = len(grad.shape) - len(shape)
    dims = (*range(extra), *[i for i, n in enumerate(shape) if n == 1])
    return rules.reshape(rules.sum(grad, dims, True), shape) if dims else grad


@mistake(
    UNBROADCAST,
    zh="每加掉一维，后面的编号就往前挪一位，你却还按老编号往下数。总是加第 0 维，或者把编号放进一个元组，一次加完。",
    en="With each dimension summed away the others move up by one, and you go on counting by the old places. Always sum dimension 0, or sum them all at once, in one tuple.",
)
def counts_on_while_they_move_up(grad: Any, shape: Any) -> Any:
    for i in range(len(grad.shape) - len(shape)):
        grad = rules.sum(grad, (i,), False)
    for i, n in enumerate(shape):
        if n == 1:
            grad = rules.sum(grad, (i,), True)
    return grad


@mistake(
    UNBROADCAST,
    zh="形状一不同，你就把所有维度都加成了一个数，当然放不回 shape。只加多出来的和被拉长的那几维。",
    en="Where the shapes differ you sum all dimensions to a single number, which does not fit into shape. Sum only those that are surplus or stretched.",
)
def sums_every_dimension(grad: Any, shape: Any) -> Any:
    if tuple(grad.shape) == tuple(shape):
        return grad
    return rules.reshape(rules.sum(grad, tuple(range(len(grad.shape))), True), shape)


def _unbroadcast(grad: Any, shape: Any) -> Any:
    """The right way, for mistakes that are made elsewhere."""
    extra = len(grad.shape) - len(shape)
    if extra:
        grad = rules.sum(grad, tuple(range(extra)), False)
    stretched = tuple(d for d, n in enumerate(shape) if n == 1 and grad.shape[d] != 1)
    return rules.sum(grad, stretched, True) if stretched else grad


# ── expand_vjp ───────────────────────────────────────────────────────────────────────────────────


@mistake(
    EXPAND,
    zh="原样传了回去。expand 把一份变成许多份，反向就要把许多份的梯度加成一份。",
    en="It is handed back as it came. expand makes many copies of one, so backward adds up the gradients of the copies into one.",
)
def hands_it_back(grad: Any, self_shape: Any) -> Any:
    return grad


@mistake(
    EXPAND,
    zh="梯度被平均了。拉长是复制，不是分摊，反向要求和。",
    en="The gradient was averaged. Stretching copies, it doesn't divide; backward sums.",
)
def averages_the_copies(grad: Any, self_shape: Any) -> Any:
    return takes_the_mean(grad, self_shape)


@mistake(
    EXPAND,
    zh="你只取了其中一份的梯度。每一份都从同一个元素来，它们的梯度要全部加给它。",
    en="Only one copy's gradient is taken. All copies come from the same element, and all their gradients must be added up for it.",
)
def takes_one_copy(grad: Any, self_shape: Any) -> Any:
    return keeps_the_first_copy(grad, self_shape)


@mistake(
    EXPAND,
    zh="所有元素都加成了一个数，再铺满整个形状。要分开来加：每个元素只加它自己拉长出来的那几份。",
    en="Everything is added up to one number, which then fills the shape. Add separately: for each element only the copies that were made of it.",
)
def sums_everything(grad: Any, self_shape: Any) -> Any:
    total = rules.sum(grad, None, False)
    return rules.expand(rules.reshape(total, (1,) * len(self_shape)), tuple(self_shape)) * 1.0


@mistake(
    EXPAND,
    zh="你把所有元素加成了一个数。要回到 self_shape：只加拉长出来的那几维，unbroadcast 正是做这个的。",
    en="Everything is added up to one number. It has to come home to self_shape: sum only along what was stretched, which is what unbroadcast does.",
)
def sums_to_one_number(grad: Any, self_shape: Any) -> Any:
    return grad.sum()


@mistake(
    EXPAND,
    zh="reshape 只换摆法，一个数也不会少。几份的梯度要先加起来：用 unbroadcast。",
    en="reshape rearranges numbers and never makes fewer of them. Add up the gradients of the copies first: use unbroadcast.",
)
def only_another_shape(grad: Any, self_shape: Any) -> Any:
    return grad.reshape(self_shape)


@mistake(
    EXPAND,
    zh="self_shape 本身就是形状，是个元组，没有 .shape 可取。要么你写了 self_shape.shape，要么 unbroadcast 的两个参数放反了：先梯度，后形状。",
    en="self_shape is a shape already, a tuple, and has no .shape. Either you wrote self_shape.shape, or the two arguments of unbroadcast have changed places: the gradient first, then the shape.",
)
def exchanges_the_arguments(grad: Any, self_shape: Any) -> Any:
    return _unbroadcast(self_shape, grad)
