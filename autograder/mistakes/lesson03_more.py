"""Still more of lesson 03: infinities hidden, dimensions put back by halves, NumPy's words for other products."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograder.mistakes import mistake
from autograder.mistakes.lesson03 import EXP, LOG, POW, RELU, TANH
from autograder.mistakes.lesson03_shapes import LEFT, MEAN, RIGHT, SUM, Dims
from minigrad import rules

# ── One number at a time ─────────────────────────────────────────────────────────────────────────


@mistake(
    POW,
    zh="你在 self 为 0 的地方一律放 0。x 的 1 次方在 0 处斜率是 1，0.5 次方是无穷大：要单独处理的只有指数为 0。",
    en="You put 0 wherever self is 0. But x to the power 1 has slope 1 there, and to the power 0.5 an infinite one: the only case of its own is exponent 0.",
)
def pow_hides_zeros(grad: Any, self: Any, exponent: float) -> Any:
    return np.where(self == 0, 0, grad * exponent * self ** (exponent - 1))


@mistake(
    POW,
    zh="nan_to_num 把 nan 抹掉了，也把该有的无穷大换成了一个很大的数。只有指数为 0 才要单独处理。",
    en="nan_to_num wipes out the nan, and turns the infinity that should be there into a large number as well. Only exponent 0 needs a case of its own.",
)
def pow_wipes_infinities(grad: Any, self: Any, exponent: float) -> Any:
    return grad * np.nan_to_num(exponent * self ** (exponent - 1))


@mistake(
    POW,
    zh="np.zeros 造的总是 float64。梯度的形状和类型都要和 grad 一样：写 rules.zeros(grad, grad.shape)。",
    en="np.zeros always makes float64. The gradient has the shape and the dtype of grad: write rules.zeros(grad, grad.shape).",
)
def pow_zeros_in_float64(grad: Any, self: Any, exponent: float) -> Any:
    if exponent == 0:
        return np.zeros(self.shape)
    return grad * exponent * self ** (exponent - 1)


@mistake(
    LOG,
    zh="self 为 0 的地方你放了 0，把无穷大藏了起来。torch 在那里给 inf：直接除。",
    en="You put 0 where self is 0, which hides an infinity. torch gives inf there: just divide.",
)
def log_hides_the_infinity(grad: Any, self: Any) -> Any:
    return np.where(self == 0, 0, grad / self)


@mistake(
    TANH,
    zh="平方的位置不对：是 1 减去 result 的平方，不是 (1 - result) 的平方。",
    en="The square is in the wrong place: it is 1 minus the square of result, not the square of 1 - result.",
)
def tanh_squares_the_difference(grad: Any, result: Any) -> Any:
    return grad * (1 - result) ** 2


@mistake(
    RELU,
    zh="grad[result > 0] 只挑出了一部分，形状变了。被挡住的位置也要占着，放 0：用 rules.masked_fill。",
    en="grad[result > 0] picks out some and changes the shape. What is stopped keeps its place, with a 0 in it: use rules.masked_fill.",
)
def relu_picks_out(grad: Any, result: Any) -> Any:
    return grad[result > 0]


# ── sum and mean ─────────────────────────────────────────────────────────────────────────────────


@mistake(
    SUM,
    zh="grad 乘上一个全是 1 的数组，只有两者恰好能广播时才行。先把加掉的维度插回去，再用 rules.expand（它也不会改变类型）。",
    en="grad times an array of ones works only where the two happen to broadcast. Put the summed dimensions back first, then use rules.expand, which keeps the dtype, too.",
)
def sum_multiplies_ones(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    return grad * np.ones(self_shape)


@mistake(
    SUM,
    zh="只插回了第一个维度。dim 里可能有好几个，要一个一个插回去。",
    en="Only the first dimension was put back. dim may name several: put them back one by one.",
)
def sum_puts_one_back(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    if dim is not None and not keepdim:
        grad = rules.unsqueeze(grad, dim[0])
    return rules.expand(grad, self_shape)


@mistake(
    SUM,
    zh="dim 不一定从小到大，比如 (1, 0)：先插大的，位置就对不上。用 sorted(dim)。",
    en="dim need not be in order; it may be (1, 0), and with the larger one put back first the places do not fit. Use sorted(dim).",
)
def sum_takes_them_as_they_come(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    if dim is not None and not keepdim:
        for d in dim:
            grad = rules.unsqueeze(grad, d)
    return rules.expand(grad, self_shape)


@mistake(
    SUM,
    zh="keepdim 为真时你原样返回了 grad。维度是在，可大小还是 1，也要拉长到 self_shape。",
    en="With keepdim you hand grad back as it came. Its dimensions are there, but of size 1: they are to be stretched to self_shape, too.",
)
def sum_stretches_nothing_kept(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    if keepdim:
        return grad
    for d in sorted(dim or ()):
        grad = rules.unsqueeze(grad, d)
    return rules.expand(grad, self_shape)


@mistake(
    SUM,
    zh="reshape 只换摆法，不会让数变多。要由少变多，得先插回大小为 1 的维度，再 rules.expand。",
    en="reshape arranges numbers anew and never makes more of them. To turn few into many, put in dimensions of size 1, then rules.expand.",
)
def sum_reshapes(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    return grad.reshape(self_shape)


def spread(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    """As sum's rule should be."""
    for d in sorted(dim or ()) if not keepdim else ():
        grad = rules.unsqueeze(grad, d)
    return rules.expand(grad, self_shape)


@mistake(
    MEAN,
    zh="len(self_shape) 是有几个维度，不是有几个数。要除的是参加平均的个数。",
    en="len(self_shape) is how many dimensions there are, not how many numbers. Divide by how many were averaged.",
)
def mean_divides_by_ndim(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    return spread(grad, self_shape, dim, keepdim) / len(self_shape)


@mistake(
    MEAN,
    zh="各维的大小你加了起来，应该相乘：2 行 3 列是 6 个数，不是 5 个。",
    en="You added the sizes of the dimensions; multiply them: 2 rows of 3 are 6 numbers, not 5.",
)
def mean_adds_sizes(grad: Any, self_shape: Dims, dim: Dims | None, keepdim: bool) -> Any:
    count = math.prod(self_shape) if dim is None else sum(self_shape[d] for d in dim)
    return spread(grad, self_shape, dim, keepdim) / count


# ── matmul ───────────────────────────────────────────────────────────────────────────────────────


@mistake(
    LEFT,
    zh="swapaxes(0, 1) 换的是最前面两维，有批量维时就错了。要换的总是最后两维：swapaxes(-1, -2)。",
    en="swapaxes(0, 1) exchanges the first two dimensions, which is wrong with a batch. It is always the last two: swapaxes(-1, -2).",
)
def left_swaps_the_first_two(grad: Any, mat2: Any) -> Any:
    return grad @ mat2.swapaxes(0, 1)


@mistake(
    LEFT,
    zh="transpose(-1, -2) 是张量的写法；NumPy 的 transpose 要列出所有的维度，有批量维就报错。用 swapaxes(-1, -2)，两者都行。",
    en="transpose(-1, -2) is the way to write it for tensors; NumPy's transpose wants all dimensions listed, and raises with a batch. swapaxes(-1, -2) works for both.",
)
def left_by_transpose(grad: Any, mat2: Any) -> Any:
    return grad @ mat2.transpose(-1, -2)


@mistake(
    LEFT,
    zh="np.dot 遇到两批矩阵，会把这批的每一个和那批的每一个都乘一遍。要一对一对地乘，用 @。",
    en="Given batches, np.dot multiplies every matrix of one with every matrix of the other. To multiply them pair by pair, use @.",
)
def left_by_dot(grad: Any, mat2: Any) -> Any:
    return np.dot(grad, mat2.swapaxes(-1, -2))


@mistake(
    RIGHT,
    zh="swapaxes(0, 1) 把批量维换到了中间。self 要换的是最后两维：swapaxes(-1, -2)。",
    en="swapaxes(0, 1) moves the batch into the middle. Of self, exchange the last two dimensions: swapaxes(-1, -2).",
)
def right_swaps_the_first_two(grad: Any, self: Any) -> Any:
    return self.swapaxes(0, 1) @ grad


@mistake(
    RIGHT,
    zh="np.dot 不是一批里各乘各的，它把 self 的每一个和 grad 的每一个都乘了。用 @。",
    en="np.dot doesn't go through a batch pair by pair; it multiplies every matrix of self with every one of grad. Use @.",
)
def right_by_dot(grad: Any, self: Any) -> Any:
    return np.dot(self.swapaxes(-1, -2), grad)


@mistake(
    RIGHT,
    zh="数是对的，可整个转置了：grad 的转置乘 self 得到 (m, k)，要的是 (k, m)。",
    en="The numbers are right, but everything is transposed: grad transposed times self is (m, k), and it should be (k, m).",
)
def right_gives_the_transpose(grad: Any, self: Any) -> Any:
    return grad.swapaxes(-1, -2) @ self


@mistake(
    EXP,
    zh="梯度没错，可是 result 就是正向的输出，*= 把它改掉了：谁再读 exp(x)，读到的就是别的数。写 grad * result，造一个新数组。",
    en="The gradient is right, but result is the forward output itself, and *= overwrites it: whoever reads exp(x) again finds other numbers. Write grad * result, a new array.",
)
def exp_writes_into_the_output(grad: Any, result: Any) -> Any:
    result *= grad
    return result


@mistake(
    TANH,
    zh="梯度没错，可是 result 就是 tanh 的输出，你把平方写回了它里面。输出要保持原样：平方另用一个名字，square = result * result。",
    en="The gradient is right, but result is the output of tanh, and you write its square back into it. Leave the output as it was: give the square a name of its own, square = result * result.",
)
def tanh_writes_into_the_output(grad: Any, result: Any) -> Any:
    result *= result
    return grad * (1 - result)


@mistake(
    LOG,
    zh="返回的数没错，可 /= 改写了 grad，别的分支还要用它。另算一个新数组：grad / self。",
    en="The numbers are right, but /= writes over grad, which other branches need too. Compute a new array: grad / self.",
)
def log_overwrites_grad(grad: Any, self: Any) -> Any:
    grad /= self
    return grad


@mistake(
    POW,
    zh="返回的数没错，可 *= 改写了 grad，和式的另一支还等着它。乘出来的另取一个名字。",
    en="The numbers are right, but *= writes over grad, and the other branch of a sum is waiting for it. Give the product a name of its own.",
)
def pow_overwrites_grad(grad: Any, self: Any, exponent: float) -> Any:
    if exponent == 0:
        return rules.zeros(grad, grad.shape)
    grad *= exponent * self ** (exponent - 1)
    return grad


@mistake(
    MEAN,
    zh="dim 是 None，表示全部都参加平均，没有哪一维可取：这时除以元素的总数。",
    en="Where dim is None all entries were averaged, and there is no dimension to pick: divide by how many entries there are in all.",
)
def mean_takes_none_for_dimensions(grad: Any, self_shape: Dims, dim: Any, keepdim: bool) -> Any:
    n = math.prod(self_shape[d] for d in dim)
    return spread(grad, self_shape, dim, keepdim) / n
