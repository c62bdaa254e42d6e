"""Hints of lesson 04."""

from __future__ import annotations

from autograder.hints import Stages

ACCUMULATE = "minigrad.autograd.accumulate."

HINTS: dict[str, Stages] = {
    ACCUMULATE + "broadcasts_to": (
        (
            "把两个形状右对齐，一上一下写在纸上。每一列里，什么样的两个数是可以的？",
            "Write the two shapes on paper, one above the other, flush right. In each column, which two numbers are fine?",
        ),
        (
            "shape 不能比 target 长。长度差就是错开的位数：shape 的第 i 维，对着 target 的第 i + 差 维。",
            "shape must not be longer than target. The difference in length is the offset: dimension i of shape meets dimension i + offset of target.",
        ),
        (
            "offset = len(target) - len(shape)；返回 offset >= 0，并且对 shape 的每一维 n，n 是 1 或者等于 target[i + offset]（用 all）。",
            "offset = len(target) - len(shape); return whether offset >= 0 and, for every dimension n of shape, n is 1 or equals target[i + offset] (use all).",
        ),
    ),
    ACCUMULATE + "unbroadcast": (
        (
            "输入的一个元素被用了几次，它的梯度就由几份组成。这几份在 grad 的哪些位置上？",
            "An element of the input was used several times, so its gradient is made of that many pieces. Where in grad are they?",
        ),
        (
            "两步。先把左边多出来的维度加掉（不保留）；这时两边维数相同，再把 shape 里是 1 而 grad 里不是 1 的维度加成 1（保留）。",
            "Two steps. First sum away the surplus dimensions on the left (not kept); now both have the same number of dimensions, and those that are 1 in shape "
            "but not in grad are summed to 1 (kept).",
        ),
        (
            "多出来的是 tuple(range(len(grad.shape) - len(shape)))，用 rules.sum(grad, dims, False)；要加成 1 的维度收进一个元组，用 rules.sum(grad, dims, True)。元组为空就不用加。",
            "The surplus is tuple(range(len(grad.shape) - len(shape))), for rules.sum(grad, dims, False); collect the dimensions to be summed to 1 in a tuple, "
            "for rules.sum(grad, dims, True). Where the tuple is empty there is nothing to sum.",
        ),
    ),
    "minigrad.ops.shape.expand_vjp": (
        (
            "expand 的反面是什么？第 03 课里，谁的反向恰好是 expand？",
            "What is the opposite of expand? In lesson 03, whose backward was an expand?",
        ),
        (
            "把拉长出来的每一份加回去，加到 self_shape。这件事你刚刚写过一个函数来做。",
            "Add up all the copies that stretching made, back to self_shape. You have just written a function that does this.",
        ),
        (
            "用 grad 和 self_shape 调用 unbroadcast，返回它的结果。",
            "Call unbroadcast with grad and self_shape, and return what it gives.",
        ),
    ),
}
