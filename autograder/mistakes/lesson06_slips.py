"""More mistakes of lesson 06: sizes asked for in other ways, histories cut, words raised in place of an error."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson06 import ROOT, ROWS, piled_up, right_gradient
from minigrad.autograd import grad
from minigrad.autograd.functional import zeros_like
from minigrad.autograd.roots import ONLY_SCALARS, mismatch, ones_for


@mistake(
    ROOT,
    zh="numel() > 1 放过了一个元素也没有的输出。不是恰好一个，就要报错：!= 1。",
    en="numel() > 1 lets an output with no elements pass. Raise whenever it isn't exactly one: != 1.",
)
def refuses_more_than_one(output: Any, given: Any, index: int) -> Any:
    if given is None and output.numel() == 0:
        return ones_for(output)
    return right_gradient(output, given, index)


@mistake(
    ROOT,
    zh="你只看了第 0 维的大小。(1, 3) 的第 0 维是 1，元素却有三个：问 output.numel()。",
    en="You look at the size of dimension 0 only. For (1, 3) that is 1, and yet there are three elements: ask output.numel().",
)
def looks_at_the_first_dimension(output: Any, given: Any, index: int) -> Any:
    if given is None:
        if len(output.shape) > 0 and output.shape[0] != 1:
            raise RuntimeError(ONLY_SCALARS)
        return ones_for(output)
    return right_gradient(output, given, index)


@mistake(
    ROOT,
    zh="你只比了有几个维度。(1,) 和 (3,) 都是一维，形状却不同：比 given.shape 和 output.shape。",
    en="Only the number of dimensions is compared. (1,) and (3,) both have one and differ in shape: compare given.shape with output.shape.",
)
def compares_dimensions(output: Any, given: Any, index: int) -> Any:
    if given is not None and given.ndim == output.ndim:
        return given
    return right_gradient(output, given, index)


@mistake(
    ROOT,
    zh="输出只有一个元素时，你不看给了什么，一律从 1 出发。先问 given 是不是 None。",
    en="Where the output has one element you start with 1, whatever was given. Ask first whether given is None.",
)
def ignores_what_a_single_one_is_given(output: Any, given: Any, index: int) -> Any:
    return ones_for(output) if output.numel() == 1 else right_gradient(output, given, index)


@mistake(
    ROOT,
    zh="mismatch(…) 给的只是一段文字，不能直接 raise。写成 raise RuntimeError(mismatch(…))。",
    en="mismatch(…) gives only a text, which cannot be raised. Write raise RuntimeError(mismatch(…)).",
)
def raises_the_words(output: Any, given: Any, index: int) -> Any:
    if given is not None and given.shape != output.shape:
        words: Any = mismatch(output, given, index)
        raise words
    return right_gradient(output, given, index)


@mistake(
    ROOT,
    zh="detach() 断开了历史：给的权重自己也可以要梯度。原样返回 given。",
    en="detach() cuts the history off: the weights given may want a gradient themselves. Return given as it is.",
)
def cuts_the_history(output: Any, given: Any, index: int) -> Any:
    return right_gradient(output, given, index).detach()


@mistake(
    ROOT,
    zh="你让别人给的张量变成了要求梯度的。原样返回 given，什么也别改。",
    en="The tensor that was given now requires grad. Return given as it is, and change nothing about it.",
)
def marks_what_is_given(output: Any, given: Any, index: int) -> Any:
    return right_gradient(output, given, index).requires_grad_()


@mistake(
    ROWS,
    zh="你按输入的元素个数走。一行对应输出的一个元素：range(output.numel())。",
    en="You go by the number of the input's elements. Each row belongs to one element of the output: range(output.numel()).",
)
def a_row_for_each_input(output: Any, inputs: Any, create_graph: bool) -> list[Any]:
    rows = []
    for number in range(inputs[0].numel()):
        weights = zeros_like(output).reshape(-1)
        weights[number] = 1.0
        weights = weights.reshape(output.shape)
        rows.append(grad(output, inputs, weights, retain_graph=True, create_graph=create_graph, allow_unused=True))
    return rows


@mistake(
    ROWS,
    zh="for each in output 沿第 0 维走：没有维度的输出不能这样走，矩阵给出的是一整行，不是一个元素。先 reshape(-1)，再一个一个取。",
    en="for each in output goes along dimension 0: an output without dimensions cannot be gone through, and a matrix gives whole rows, not elements. Flatten with reshape(-1) first, then take one at a time.",
)
def goes_through_the_output(output: Any, inputs: Any, create_graph: bool) -> list[Any]:
    return [grad(each, inputs, retain_graph=True, create_graph=create_graph, allow_unused=True) for each in output]


@mistake(
    ROWS,
    zh="你从 1 数起，最后一次就数出了界。元素从 0 数到 numel() - 1：range(output.numel())。",
    en="You count from 1 and run out of bounds at the end. Elements are counted from 0 to numel() - 1: range(output.numel()).",
)
def counts_from_one(output: Any, inputs: Any, create_graph: bool) -> Any:
    rows = []
    for number in range(1, output.numel() + 1):
        weights = zeros_like(output).reshape(-1)
        weights[number] = 1.0
        weights = weights.reshape(output.shape)
        rows.append(grad(output, inputs, weights, retain_graph=True, create_graph=create_graph, allow_unused=True))
    return rows


@mistake(
    ROOT,
    zh="两种拒绝你都说 ONLY_SCALARS。那句话是给“什么也没给”的；给了、形状却不合，要说 mismatch(output, given, index)。",
    en="Both refusals say ONLY_SCALARS. Those words are for nothing given; where something of the wrong shape was given, say mismatch(output, given, index).",
)
def says_only_scalars_to_both(output: Any, given: Any, index: int) -> Any:
    if given is None:
        if output.numel() != 1:
            raise RuntimeError(ONLY_SCALARS)
        return ones_for(output)
    if given.shape != output.shape:
        raise RuntimeError(ONLY_SCALARS)
    return given


@mistake(
    ROOT,
    zh="形状不合的 given，你用 reshape 改成了合的。元素个数相同也不行：第几个权重配第几个输出，该由给的人说清楚。拒绝它。",
    en="Where given has another shape, you reshape it to fit. The right number of elements isn't enough: which weight goes with which output is for whoever gives them to say. Refuse it.",
)
def reshapes_what_is_given(output: Any, given: Any, index: int) -> Any:
    if given is None:
        if output.numel() != 1:
            raise RuntimeError(ONLY_SCALARS)
        return ones_for(output)
    return given.reshape(output.shape)


@mistake(
    ROOT,
    zh="名字加了引号，报出来的就是这个名字本身。ONLY_SCALARS 是一个变量，mismatch(…) 是一次调用：都不要引号。",
    en="With quotes around it, the name itself becomes the message. ONLY_SCALARS is a variable and mismatch(…) a call: neither takes quotes.",
)
def quotes_the_names(output: Any, given: Any, index: int) -> Any:
    if given is None:
        if output.numel() != 1:
            raise RuntimeError("ONLY_SCALARS")
        return ones_for(output)
    if given.shape != output.shape:
        raise RuntimeError("mismatch(output, given, index)")
    return given


def _rows(output: Any, inputs: Any, create_graph: bool) -> list[Any]:
    """As it should be."""
    rows = []
    for number in range(output.numel()):
        weights = zeros_like(output).reshape(-1)
        weights[number] = 1.0
        how = {"retain_graph": True, "create_graph": create_graph, "allow_unused": True}
        rows.append(grad(output, inputs, weights.reshape(output.shape), **how))
    return rows


@mistake(
    ROWS,
    zh="各行都对，可 create_graph 总是 True：没人要的时候，每次反向也都记了一遍，白费时间和内存。把参数 create_graph 传下去。",
    en="The rows are right, but create_graph is always True: every backward is recorded even when nobody asked, which costs time and memory. Pass the argument create_graph on.",
)
def always_records(output: Any, inputs: Any, create_graph: bool) -> list[Any]:
    return _rows(output, inputs, True)


@mistake(
    ROWS,
    zh="没有用到的输入，那里该是 None，你换成了 0。两者说的不是一回事：None 是说没有关系，0 是说恰好不变。grad 给什么，就放什么。",
    en="Where an input was not used there should be None, and you put zeros there. They say different things: None that there is no connection, 0 that nothing changes just here. Keep what grad gives.",
)
def zeros_for_none(output: Any, inputs: Any, create_graph: bool) -> list[Any]:
    rows = _rows(output, inputs, create_graph)
    return [tuple(zeros_like(x) if g is None else g for g, x in zip(row, inputs, strict=True)) for row in rows]


@mistake(
    ROOT,
    zh="mismatch 要的是两个张量本身，不是它们的形状：mismatch(output, given, index)。",
    en="mismatch wants the two tensors themselves, not their shapes: mismatch(output, given, index).",
)
def hands_over_the_shapes(output: Any, given: Any, index: int) -> Any:
    if given is not None and given.shape != output.shape:
        raise RuntimeError(mismatch(output.shape, given.shape, index))
    return right_gradient(output, given, index)


@mistake(
    ROWS,
    zh="weights 只在循环外面造了一次，上一轮写下的 1 还留着，得到的是前面几行之和。每一行都从新的零开始，把 zeros_like 放进循环。",
    en="weights is made once, outside the loop, and the 1 of each round before is still there: you get sums of rows. Start each row from fresh zeros, with zeros_like inside the loop.",
)
def never_resets_the_weights(output: Any, inputs: Any, create_graph: bool) -> Any:
    return piled_up(output, inputs, create_graph, lambda weights: weights)


@mistake(
    ROOT,
    zh="元素个数相同还不够：(1, 3) 配 (3,) 也要拒绝。比的是 shape，不是 numel()。",
    en="Equal numbers of elements are not enough: (1, 3) for (3,) is to be refused as well. Compare the shapes, not numel().",
)
def compares_the_numbers_of_elements(output: Any, given: Any, index: int) -> Any:
    if given is None or given.numel() != output.numel():
        return right_gradient(output, given, index)
    return given


@mistake(
    ROOT,
    zh="形状不同时，你用 expand 把给的梯度拉成了 output 的形状。不要替人改：torch 在这里拒绝，raise RuntimeError(mismatch(…))。",
    en="Where the shapes differ, expand stretches what was given to the output's shape. Do not mend it: torch refuses here, so raise RuntimeError(mismatch(…)).",
)
def stretches_what_was_given(output: Any, given: Any, index: int) -> Any:
    return right_gradient(output, given, index) if given is None else given.expand(output.shape)


@mistake(
    ROOT,
    zh="给的梯度原样返回就好，你又乘了 output：起点的梯度和输出的数值没有关系。",
    en="Return the given gradient as it is; you multiplied it by output. What the walk starts with does not depend on the output's values.",
)
def multiplies_by_the_output(output: Any, given: Any, index: int) -> Any:
    right = right_gradient(output, given, index)
    return right if given is None else right * output


@mistake(
    ROWS,
    zh="backward 把每一行都加进同一个 .grad，各行混在一起，还动了别人的 .grad。用 grad(…)，它只返回，不累加。",
    en="backward adds every row into the same .grad, so the rows get mixed up, and the .grad of others is touched. Use grad(…), which only returns.",
)
def rows_by_backward(output: Any, inputs: Any, create_graph: bool) -> Any:
    rows = []
    for number in range(output.numel()):
        weights = zeros_like(output).reshape(-1)
        weights[number] = 1.0
        output.backward(weights.reshape(output.shape), retain_graph=True, create_graph=create_graph)
        rows.append(tuple(x.grad for x in inputs))
    return rows


@mistake(
    ROWS,
    zh="权重全是 1，每一行得到的都是各行之和。每次只让一个元素的权重是 1，别的都是 0。",
    en="With all weights 1 you get the sum of the rows every time. Let one element at a time have the weight 1, and all others 0.",
)
def rows_all_weighed_alike(output: Any, inputs: Any, create_graph: bool) -> Any:
    weights = zeros_like(output) + 1.0
    return [
        grad(output, inputs, weights, retain_graph=True, create_graph=create_graph, allow_unused=True)
        for _ in range(output.numel())
    ]


@mistake(
    ROOT,
    zh="两句报错放反了：什么也没给、输出又不止一个数，是 ONLY_SCALARS；给了，形状不对，是 mismatch(output, given, index)。",
    en="The two errors are exchanged: with nothing given and more than one number it is ONLY_SCALARS; with a gradient of the wrong shape, mismatch(output, given, index).",
)
def exchanges_the_two_errors(output: Any, given: Any, index: int) -> Any:
    if given is None:
        if output.numel() != 1:
            raise RuntimeError(mismatch(output, output, index))
        return ones_for(output)
    if given.shape != output.shape:
        raise RuntimeError(ONLY_SCALARS)
    return given
