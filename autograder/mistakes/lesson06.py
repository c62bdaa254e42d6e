"""Known mistakes of lesson 06: roots started with the wrong gradient, errors that never come, rows that run together."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from minigrad import eye, ones
from minigrad.autograd import grad
from minigrad.autograd.functional import jacobian_rows as right_rows
from minigrad.autograd.functional import zeros_like
from minigrad.autograd.roots import ONLY_SCALARS, mismatch, ones_for
from minigrad.autograd.roots import root_gradient as right_gradient

ROOT = "minigrad.autograd.roots.root_gradient"
ROWS = "minigrad.autograd.functional.jacobian_rows"

# ── root_gradient ────────────────────────────────────────────────────────────────────────────────


@mistake(
    ROOT,
    zh="什么也没给的时候，多个元素的输出也让它过了，权重全当作 1。torch 在这里拒绝：它不替你决定各个元素占多少。",
    en="With nothing given, you let outputs of several elements pass, all with weight 1. torch refuses here: it isn't for torch to decide how much each element counts.",
)
def weighs_all_alike(output: Any, given: Any, index: int) -> Any:
    if given is None:
        return ones_for(output)
    if given.shape != output.shape:
        raise RuntimeError(mismatch(output, given, index))
    return given


@mistake(
    ROOT,
    zh="给的梯度形状不对，你没有拦下。形状要和输出一模一样，差一维也不行。",
    en="A gradient of the wrong shape is let through. Its shape must be exactly the output's; not even one dimension may differ.",
)
def takes_any_shape(output: Any, given: Any, index: int) -> Any:
    if given is not None:
        return given
    if output.numel() != 1:
        raise RuntimeError(ONLY_SCALARS)
    return ones_for(output)


@mistake(
    ROOT,
    zh="你把给的梯度拉长到输出的形状了。torch 在这里不做广播，形状不同就报错。",
    en="You stretch what was given to the output's shape. torch doesn't broadcast here: a different shape is an error.",
)
def stretches_it(output: Any, given: Any, index: int) -> Any:
    if given is None or len(given.shape) > len(output.shape):
        return right_gradient(output, given, index)
    return right_gradient(output, given.expand(output.shape) if given.numel() == 1 else given, index)


@mistake(
    ROOT,
    zh="你只比了元素的个数。(3, 1) 和 (3,) 都是三个元素，形状却不同，torch 会报错。",
    en="Only the number of elements is compared. (3, 1) and (3,) both have three, but their shapes differ, and torch raises.",
)
def compares_the_number_only(output: Any, given: Any, index: int) -> Any:
    if given is not None and given.numel() == output.numel():
        given = given.reshape(output.shape)
    return right_gradient(output, given, index)


@mistake(
    ROOT,
    zh="给的梯度没有用上，总是从 1 出发。给了，就用给的那个。",
    en="The gradient given is not used, you always start with 1. Where one is given, that is the one to start with.",
)
def always_ones(output: Any, given: Any, index: int) -> Any:
    right_gradient(output, given, index)
    return ones_for(output)


@mistake(
    ROOT,
    zh="你问的是有没有维度，不是有几个元素。形状 (1,) 或 (1, 1) 的输出也只有一个元素，torch 照样从 1 出发。",
    en="You ask whether there are dimensions, not how many elements. Shapes (1,) and (1, 1) have one element too, and torch starts with 1 all the same.",
)
def only_without_dimensions(output: Any, given: Any, index: int) -> Any:
    if given is None:
        if len(output.shape):
            raise RuntimeError(ONLY_SCALARS)
        return ones_for(output)
    if given.shape != output.shape:
        raise RuntimeError(mismatch(output, given, index))
    return given


@mistake(
    ROOT,
    zh="从 0 出发，处处都是 0。一个数对自己的导数是 1。",
    en="Starting with 0 gives 0 everywhere. The derivative of a number with respect to itself is 1.",
)
def starts_with_zero(output: Any, given: Any, index: int) -> Any:
    return right_gradient(output, given, index) * (0.0 if given is None else 1.0)


@mistake(
    ROOT,
    zh="出发时的 1 没有维度，输出却可能是 (1,) 或 (1, 1)。1 的形状要和输出一样：用 ones_for(output)。",
    en="The 1 you start with has no dimensions, but the output may be (1,) or (1, 1). Give the 1 the output's shape: ones_for(output).",
)
def one_without_dimensions(output: Any, given: Any, index: int) -> Any:
    found = right_gradient(output, given, index)
    return ones((), dtype=output.dtype) if given is None else found


@mistake(
    ROOT,
    zh="错误报对了，类别不对：torch 在这两处都报 RuntimeError。",
    en="The errors come where they should, but they are of the wrong class: torch raises RuntimeError in both places.",
)
def raises_value_error(output: Any, given: Any, index: int) -> Any:
    try:
        return right_gradient(output, given, index)
    except RuntimeError as error:
        raise ValueError(str(error)) from None


@mistake(
    ROOT,
    zh="错误信息里两个形状写反了：mismatch 先要输出，再要给的梯度。",
    en="The two shapes are swapped in the message: mismatch wants the output first, then the gradient given.",
)
def exchanges_the_shapes(output: Any, given: Any, index: int) -> Any:
    if given is not None and given.shape != output.shape:
        raise RuntimeError(mismatch(given, output, index))
    return right_gradient(output, given, index)


@mistake(
    ROOT,
    zh="错误信息里的编号总是 0。有好几个输出时，要说是第几个：把 index 交给 mismatch。",
    en="The number in the message is always 0. With several outputs it has to say which: pass index to mismatch.",
)
def always_the_first(output: Any, given: Any, index: int) -> Any:
    return right_gradient(output, given, 0)


# ── jacobian_rows ────────────────────────────────────────────────────────────────────────────────


@mistake(
    ROWS,
    zh="每一行都一样，是各行之和：要么权重全是 1，要么梯度在 .grad 里越积越多。一次只问一个元素，它的权重是 1，别的都是 0；用 grad，它不碰 .grad。",
    en="Every row is the same, the sum of all: either all weights are 1, or gradients pile up in .grad. Ask for one element at a time, with weight 1 for it and 0 for all others; and use grad, which leaves .grad alone.",
)
def all_weights_one(output: Any, inputs: Any, create_graph: bool) -> list[Any]:
    weights = zeros_like(output) + 1.0
    found = grad(output, inputs, weights, retain_graph=True, create_graph=create_graph, allow_unused=True)
    return [found] * output.numel()


@mistake(
    ROWS,
    zh="你沿着第 0 维走，多维的输出就少了行。有几个元素就有几行：走 output.numel() 次。",
    en="You go along dimension 0, so outputs with more dimensions get too few rows. There is one row per element: output.numel() of them.",
)
def along_the_first_dimension(output: Any, inputs: Any, create_graph: bool) -> list[Any]:
    rows = []
    for number in range(len(output) if len(output.shape) else 1):
        weights = zeros_like(output)
        if len(output.shape):
            weights[number] = 1.0
        else:
            weights = weights + 1.0
        rows.append(grad(output, inputs, weights, retain_graph=True, create_graph=create_graph, allow_unused=True))
    return rows


@mistake(
    ROWS,
    zh="第一行之后图就被释放了。还要再走，所以每一行都要 retain_graph=True。",
    en="The graph is freed after the first row. It is going to be walked again, so every row needs retain_graph=True.",
)
def frees_the_graph(output: Any, inputs: Any, create_graph: bool) -> list[Any]:
    rows = []
    for number in range(output.numel()):
        weights = zeros_like(output).reshape(-1)
        weights[number] = 1.0
        weights = weights.reshape(output.shape)
        rows.append(grad(output, inputs, weights, create_graph=create_graph, allow_unused=True))
    return rows


def piled_up(output: Any, inputs: Any, create_graph: bool, hand: Any) -> list[Any]:
    """Rows whose weights hold the 1 of every row before, as `hand` hands them over."""
    rows, weights = [], zeros_like(output).reshape(-1)
    for number in range(output.numel()):
        weights[number] = 1.0
        given = hand(weights.reshape(output.shape))
        rows.append(grad(output, inputs, given, retain_graph=True, create_graph=create_graph, allow_unused=True))
    return rows


@mistake(
    ROWS,
    zh="上一行的 1 没有擦掉，权重越积越多，后面的行都混进了前面的。每一行从全 0 的权重做起。",
    en="You don't wipe out the 1 from the row before; weights pile up, and later rows contain the earlier ones. Begin every row with all zeros.",
)
def weights_pile_up(output: Any, inputs: Any, create_graph: bool) -> list[Any]:
    return piled_up(output, inputs, create_graph, lambda weights: weights.clone())


@mistake(
    ROWS,
    zh="各行共用一份权重，用完擦掉再写。create_graph 为真时，前一行已经保存了它，再改写就会报错：每一行都造一份新的全 0 权重。",
    en="All rows share one tensor of weights, wiped and written again. Where create_graph is true the row before has saved it, and writing to it is an error: make new zeros for every row.",
)
def wipes_the_weights(output: Any, inputs: Any, create_graph: bool) -> list[Any]:
    rows, weights = [], zeros_like(output).reshape(-1)
    for number in range(output.numel()):
        weights[number] = 1.0
        given = weights.reshape(output.shape)
        rows.append(grad(output, inputs, given, retain_graph=True, create_graph=create_graph, allow_unused=True))
        weights[number] = 0.0
    return rows


@mistake(
    ROWS,
    zh="create_graph 没有传下去，行就没有历史，不能再求导了。",
    en="create_graph is not passed on, so the rows have no history and cannot be differentiated again.",
)
def without_history(output: Any, inputs: Any, create_graph: bool) -> list[Any]:
    return right_rows(output, inputs, False)


@mistake(
    ROWS,
    zh="没有用到的输入让你报了错。加上 allow_unused=True，它的位置上就是 None。",
    en="An unused input makes this raise. With allow_unused=True there is None in its place.",
)
def insists_on_every_input(output: Any, inputs: Any, create_graph: bool) -> list[Any]:
    eyes = eye(output.numel(), dtype=output.dtype)
    return [grad(output, inputs, row.reshape(output.shape), True, create_graph) for row in eyes]


@mistake(
    ROWS,
    zh="行的次序反了：第一个元素的行在最前面。",
    en="The rows are in reverse order: that of the first element comes first.",
)
def backwards(output: Any, inputs: Any, create_graph: bool) -> list[Any]:
    return right_rows(output, inputs, create_graph)[::-1]


# ── Slips ────────────────────────────────────────────────────────────────────────────────────────


@mistake(
    ROOT,
    zh="条件反了：恰好一个元素时才从 1 出发，不止一个（或一个也没有）才报错。",
    en="The condition is the wrong way round: one element is where you start with 1; any other number is where you raise.",
)
def refuses_the_single_one(output: Any, given: Any, index: int) -> Any:
    if given is None and output.numel() == 1:
        raise RuntimeError(ONLY_SCALARS)
    return ones_for(output) if given is None else right_gradient(output, given, index)


@mistake(
    ROOT,
    zh="numel（或者 size）后面少了括号，或者用错了：方法本身永远不等于 1，于是总是报错。写 output.numel()。",
    en="numel (or size) is a method and lacks its brackets: a method never equals 1, so this always raises. Write output.numel().",
)
def does_not_call_numel(output: Any, given: Any, index: int) -> Any:
    if given is None:
        raise RuntimeError(ONLY_SCALARS)
    return right_gradient(output, given, index)


@mistake(
    ROOT,
    zh="先问给没给，再问有几个元素。你把次序反了：给了梯度的，有几个元素都行。",
    en="Ask first whether something was given, then how many elements there are. You have it the other way round: when a gradient is given, any number of elements will do.",
)
def counts_before_looking(output: Any, given: Any, index: int) -> Any:
    if output.numel() != 1:
        raise RuntimeError(ONLY_SCALARS)
    return ones_for(output) if given is None else given


@mistake(
    ROOT,
    zh="if not given 问的是张量的真假，不止一个数时没有答案。要问的是 given is None。",
    en="`if not given` asks whether a tensor is true, which has no answer for more than one number. Ask `given is None`.",
)
def asks_whether_it_is_true(output: Any, given: Any, index: int) -> Any:
    return right_gradient(output, given if given else None, index) if not given else given


@mistake(
    ROOT,
    zh="你返回的 1.0 是一个 Python 的数，引擎要的是张量：用 ones_for(output)。",
    en="1.0 is a Python number, but the engine needs a tensor: return ones_for(output).",
)
def a_plain_one(output: Any, given: Any, index: int) -> Any:
    return 1.0 if given is None and output.numel() == 1 else right_gradient(output, given, index)


@mistake(
    ROWS,
    zh="权重没有变回 output 的形状：铺平是为了数到第几个，交给 grad 之前要 reshape(output.shape)。",
    en="The weights don't have the shape of output: they were flattened to make counting easy, but before they go to grad they need reshape(output.shape).",
)
def weights_stay_flat(output: Any, inputs: Any, create_graph: bool) -> list[Any]:
    rows = []
    for number in range(output.numel()):
        weights = zeros_like(output).reshape(-1)
        weights[number] = 1.0
        rows.append(grad(output, inputs, weights, retain_graph=True, create_graph=create_graph, allow_unused=True))
    return rows


@mistake(
    ROWS,
    zh="weights[number] 只认第 0 维。output 可能是矩阵，也可能没有维度：先 reshape(-1) 铺平，放好 1，再变回 output 的形状。",
    en="weights[number] goes along dimension 0 only. output may be a matrix, or have no dimensions: flatten with reshape(-1), put in the 1, and go back to the shape of output.",
)
def weights_are_never_flat(output: Any, inputs: Any, create_graph: bool) -> list[Any]:
    rows = []
    for number in range(output.numel()):
        weights = zeros_like(output)
        weights[number] = 1.0
        rows.append(grad(output, inputs, weights, retain_graph=True, create_graph=create_graph, allow_unused=True))
    return rows


@mistake(
    ROWS,
    zh="少了一行。有几个元素就有几行，从 0 数起：range(output.numel())。",
    en="A row is missing. There are as many rows as output has elements, and counting starts at 0: range(output.numel()).",
)
def leaves_out_the_first(output: Any, inputs: Any, create_graph: bool) -> list[Any]:
    return right_rows(output, inputs, create_graph)[1:]


@mistake(
    ROWS,
    zh="只返回了一行。输出有几个元素，就要有几行：每个元素走一圈循环，return 放在循环后面，不缩进。",
    en="Only one row is returned. There is one for each element of the output: go round the loop for each, and put return behind the loop, not indented into it.",
)
def returns_after_the_first(output: Any, inputs: Any, create_graph: bool) -> list[Any]:
    return right_rows(output, inputs, create_graph)[:1]


@mistake(
    ROWS,
    zh="一行要是 grad 给的整个元组，每个输入一个梯度；不要只留 [0]，也不要用 += 把它拆进列表。用 append。",
    en="A row is the whole tuple that grad gives, with a gradient for each input: don't keep just its [0], and don't let += take it apart. Use append.",
)
def takes_the_rows_apart(output: Any, inputs: Any, create_graph: bool) -> list[Any]:
    return [each for row in right_rows(output, inputs, create_graph) for each in row]
